//! Norms.

use ndany_array::{Array, Result};

use crate::Sparse;
use crate::support::wide;

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

/// Returns how many diagonals below and above the main one reach to stored entries, as `scipy.sparse.linalg.spbandwidth`.
///
/// - **Shapes**: `(m, n) → ` two numbers, which are read.
/// - **Errors**: what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[3.0, 0.0, 1.0], [0.0, 4.0, 0.0]]), ..);
/// assert_eq!(sparse::linalg::spbandwidth(&a)?, (0, 2));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn spbandwidth(a: &Sparse) -> Result<(usize, usize)> {
    let (rows, columns) = a.coords();
    if rows.size() == 0 {
        return Ok((0, 0));
    }
    let above = wide(&columns) - wide(&rows);
    let [least, most]: [i64; 2] = [above.min(..).item()?, above.max(..).item()?];
    Ok(((-least).max(0) as usize, most.max(0) as usize))
}
