//! Distributions of vectors: the components stand along the last axis, everything before it is a batch.

mod dirichlet;
mod multinomial;
mod normal;

pub use dirichlet::{Dirichlet, dirichlet};
pub use multinomial::{Multinomial, multinomial};
pub use normal::{MultivariateNormal, Singular, multivariate_normal};

use ndany_array::api::{DType, Result};
use ndany_array::{Array, Ellipsis, NewAxis};

use crate::declare::wrong;

/// Real numbers: float32 stays, all others give float64.
fn real(op: &'static str, what: &str, array: &Array) -> Result<Array> {
    match array.dtype() {
        dtype if dtype.is_complex() => {
            Err(wrong(op, format!("{what} must have real numbers, not {dtype}")))
        }
        DType::F32 => Ok(array.clone()),
        _ => Ok(array.astype(DType::F64)),
    }
}

/// Whether something holds of any element; waits for the device.
fn any(condition: &Array) -> Result<bool> {
    condition.any(..).item::<bool>()
}

/// The matrices diag(v) − v vᵀ, scaled: covariances of shares.
fn of_shares(share: &Array, factor: &Array) -> Array {
    let count = share.shape()[share.ndim() - 1];
    let (rows, columns) = (share.i((Ellipsis, NewAxis)), share.i((Ellipsis, NewAxis, ..)));
    let diagonal = &rows * ndany_array::api::eye(count as i64);
    (diagonal - &rows * columns) * factor
}
