//! The shapes of matrices, which are the last two axes.

use super::Array;
use ndany_core::{Error, Result};

/// The extents in front of the matrices, and theirs.
pub(crate) fn extents<'a>(op: &'static str, array: &'a Array) -> Result<(&'a [usize], [usize; 2])> {
    match array.shape() {
        [outer @ .., rows, columns] => Ok((outer, [*rows, *columns])),
        _ => Err(Error::Matrix { op, expected: "at least two axes", got: array.shape().into() }),
    }
}

/// Those of square matrices.
pub(crate) fn square<'a>(op: &'static str, array: &'a Array) -> Result<(&'a [usize], usize)> {
    match extents(op, array)? {
        (outer, [rows, columns]) if rows == columns => Ok((outer, rows)),
        _ => Err(Error::Matrix { op, expected: "square matrices", got: array.shape().into() }),
    }
}
