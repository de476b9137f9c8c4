//! Products of arrays: `matmul`, the dot family, outer and Kronecker products, chains.
//!
//! - `contract`: tensordot, and the two ways in which everything here multiplies and sums
//! - `matmul`: matrix products of the last two axes
//! - `dots`: dot, vdot, inner, vecdot, matvec, vecmat
//! - `outer`: outer, kron, cross
//! - `chain`: matrix powers and chains of matrices in the cheapest order
//!
//! No kernel of its own: sums of products are matrix products where both operands have axes of their
//! own, and fused multiply-and-sum launches (with the same bits everywhere) where they have not.

mod chain;
mod contract;
mod dots;
pub(crate) mod matmul;
mod outer;

#[cfg(feature = "call")]
pub(crate) use chain::power as matrix_power;
pub use chain::{checked_powers, multi_dot, powers, try_multi_dot};
pub(crate) use contract::sum_of_products;
pub use contract::{Contracted, free_tensordots, tensordots};
pub use dots::{free_inner_products, inner_products};
pub use outer::{free_outers, outers};

use super::Array;
use crate::graph::Operand;
use ndany_core::{DType, Error, Kind, Result};

/// An operand as an array beside `other`: a number becomes 0-d, and a weak one takes the dtype in which
/// the two meet.
#[track_caller]
pub(crate) fn beside(other: &Array, operand: Operand) -> Result<Array> {
    match operand {
        Operand::Array(array) => Ok(array),
        Operand::Scalar(scalar) => {
            let _guard = other.device().enter();
            let dtype = scalar.dtype().unwrap_or_else(|| scalar.promote_with(other.dtype()));
            super::try_full((), scalar, dtype)
        }
    }
}

/// Two operands on one device.
pub(crate) fn together(op: &'static str, left: &Array, right: &Array) -> Result<()> {
    if left.device() == right.device() {
        return Ok(());
    }
    let (left, right) = (left.device().name(), right.device().name());
    Err(Error::TwoDevices { op, left, right })
}

/// The dtype in which sums of products of `dtype` are taken: 16-bit floats add up, and multiply, in f32.
pub(crate) fn accumulator(dtype: DType) -> DType {
    match (dtype.kind(), dtype.size()) {
        (Kind::Float, 2) => DType::F32,
        _ => dtype,
    }
}

/// The complex conjugate of complex numbers; other arrays as they are.
#[track_caller]
pub(crate) fn conjugated(array: &Array) -> Result<Array> {
    if array.dtype().is_complex() { array.try_conjugate() } else { Ok(array.clone()) }
}
