//! Norms.

use ndany_array::Array;

use crate::Sparse;

/// Which norm [`norm`](fn@norm) returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    /// The root of the sum of squares.
    #[default]
    Frobenius,
    /// The largest sum of absolute values of a column.
    One,
    /// The largest sum of absolute values of a row.
    Infinity,
    /// The largest absolute value.
    Max,
}

impl From<std::ops::RangeFull> for Norm {
    fn from(_: std::ops::RangeFull) -> Self {
        Norm::Frobenius
    }
}

/// Returns a norm, that of Frobenius for `..`, as `scipy.sparse.linalg.norm`.
///
/// - **Shapes**: `(m, n) → ()`.
/// - **Dtypes**: real floats; those of integers are float64.
/// - **Errors**: no elements, where the norm is a maximum.
///
/// ```
/// use ndany::prelude::*;
/// use ndany::sparse::linalg::{Norm, norm};
/// let a = sparse::csr_array(&array([[3.0, 0.0], [-4.0, 0.0]]), ..);
/// assert_eq!((norm(&a, ..).to_string(), norm(&a, Norm::One).to_string()), ("5.0".into(), "7.0".into()));
/// ```
#[track_caller]
pub fn norm(a: &Sparse, ord: impl Into<Norm>) -> Array {
    let sizes = a.abs();
    let sizes = sizes.astype(sizes.dtype().to_inexact());
    match ord.into() {
        Norm::Frobenius => sizes.data().square().sum(..).sqrt(),
        Norm::One => sizes.sum(0).max(..),
        Norm::Infinity => sizes.sum(1).max(..),
        Norm::Max => sizes.max(..),
    }
}
