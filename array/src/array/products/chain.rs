//! Powers of a matrix, and chains of matrices multiplied in the order that costs least.

use smallvec::SmallVec;

use super::super::Array;
use crate::arguments::Eye;
use crate::arguments::list;
use crate::array::matrices::square;
use crate::array::try_eye;
use crate::declare::{array_functions, expect};
use ndany_core::{Error, Result};

array_functions! {
    mod powers, checked_powers;

    /// Raises the matrices of the last two axes to a power by repeated squaring, as `np.linalg.matrix_power`.
    ///
    /// - **Shapes**: `(…, n, n) → (…, n, n)`.
    /// - **Dtypes**: any; the result has the same, a negative power of integers gives float64.
    /// - **Errors**: matrices that are not square; singular ones for a negative power fail the result (LinAlgError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(linalg::matrix_power(&array([[1, 1], [0, 1]]), 3).to_string(), "[[1 3]\n [0 1]]");
    /// ```
    matrix_power / try_matrix_power (self, exponent: i64) -> Array {
        power(self, i128::from(exponent))
    }
}

/// A power of a matrix, or of each of several.
#[track_caller]
pub(crate) fn power(matrix: &Array, exponent: i128) -> Result<Array> {
    const OP: &str = "matrix_power";
    let (_, size) = square(OP, matrix)?;
    let mut rest = exponent.unsigned_abs();
    if rest == 0 {
        let _guard = matrix.device().enter();
        return try_eye(Eye::of(size, size, 0, matrix.dtype()))?
            .try_broadcast_to(matrix.shape())?
            .try_copy();
    }
    let mut base = if exponent < 0 { matrix.try_inv()? } else { matrix.clone() };
    let mut power: Option<Array> = None;
    loop {
        if rest & 1 == 1 {
            power = Some(match power {
                Some(power) => power.try_matmul(&base)?,
                None => base.clone(),
            });
        }
        rest >>= 1;
        match (rest, power) {
            (0, Some(power)) => return Ok(power),
            (_, so_far) => power = so_far,
        }
        base = base.try_matmul(&base)?;
    }
}

/// Multiplies a chain of matrices in the order that takes the fewest multiplications, as `np.linalg.multi_dot`.
///
/// The first may be a row and the last a column.
///
/// - **Shapes**: `(a, b), (b, c), (c, d) → (a, d)`.
/// - **Dtypes**: any; operands promote as NumPy's.
/// - **Errors**: fewer than two matrices, extents that differ, operands on two devices.
///
/// ```
/// use ndany::{DType, Device, linalg, ones};
/// # let _guard = Device::open("reference")?.enter();
/// let (a, b, c) = (ones((10, 100), DType::F32), ones((100, 5), DType::F32), ones((5, 50), DType::F32));
/// assert_eq!(linalg::multi_dot([a, b, c]).shape(), [10, 50]);
/// # Ok::<(), ndany::Error>(())
/// ```
///
/// # Panics
/// Where [`checked::multi_dot`](fn@crate::checked::multi_dot) returns an error.
#[track_caller]
pub fn multi_dot(matrices: impl IntoIterator<Item: AsRef<Array>>) -> Array {
    expect(try_multi_dot(matrices))
}

/// [`multi_dot`], with fewer than two matrices, operands of the wrong rank (LinAlgError) and shapes that do
/// not follow one another as errors.
#[track_caller]
pub fn try_multi_dot(matrices: impl IntoIterator<Item: AsRef<Array>>) -> Result<Array> {
    const OP: &str = "multi_dot";
    list!(matrices);
    let [first, .., last] = matrices else { return Err(Error::NoArrays { op: OP }) };
    if matrices.len() == 2 {
        return first.try_dot(*last);
    }
    let (row, column) = (first.ndim() == 1, last.ndim() == 1);
    let mut chain: SmallVec<[Array; 8]> = matrices.iter().map(|&matrix| matrix.clone()).collect();
    if row {
        chain[0] = first.try_expand_dims(0)?;
    }
    if column {
        let end = chain.len() - 1;
        chain[end] = last.try_expand_dims(1)?;
    }
    if let Some(wrong) = chain.iter().find(|matrix| matrix.ndim() != 2) {
        return Err(Error::Matrix { op: OP, expected: "two axes", got: wrong.shape().into() });
    }
    for pair in chain.windows(2) {
        if pair[0].shape()[1] != pair[1].shape()[0] {
            return Err(super::contract::misaligned(OP, &pair[0], &pair[1]));
        }
    }
    let splits = best_splits(&chain);
    let product = multiply(&chain, &splits, 0, chain.len() - 1)?;
    let product = if row { product.try_squeeze(0)? } else { product };
    if column { product.try_squeeze(-1) } else { Ok(product) }
}

/// `splits[i][j]`: the last matrix of the left factor of the product of matrices `i` to `j` (Cormen et al.,
/// Introduction to Algorithms, 15.2).
fn best_splits(chain: &[Array]) -> Vec<Vec<usize>> {
    let count = chain.len();
    let extent = |place: usize| match place {
        0 => chain[0].shape()[0] as f64,
        _ => chain[place - 1].shape()[1] as f64,
    };
    let mut cost = vec![vec![0.0; count]; count];
    let mut splits = vec![vec![0; count]; count];
    for length in 1..count {
        for i in 0..count - length {
            let j = i + length;
            let total =
                |k: usize| cost[i][k] + cost[k + 1][j] + extent(i) * extent(k + 1) * extent(j + 1);
            let best = (i..j).min_by(|&a, &b| total(a).total_cmp(&total(b))).unwrap_or(i);
            (cost[i][j], splits[i][j]) = (total(best), best);
        }
    }
    splits
}

#[track_caller]
fn multiply(chain: &[Array], splits: &[Vec<usize>], i: usize, j: usize) -> Result<Array> {
    if i == j {
        return Ok(chain[i].clone());
    }
    let split = splits[i][j];
    multiply(chain, splits, i, split)?.try_matmul(multiply(chain, splits, split + 1, j)?)
}
