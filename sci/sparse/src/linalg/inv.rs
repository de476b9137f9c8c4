//! Inverses, and solutions with sparse sides.

use ndany_array::{DType, Error, Result, s};

use super::{Lu, splu};
use crate::Sparse;
use crate::array::Format;

/// Columns of a side that are dense at one time.
const COLUMNS: usize = 64;

/// Returns the inverse, as `scipy.sparse.linalg.inv`; it is made on the host, as [`splu`] is, by 64 columns at a time.
///
/// Mostly it is full, so that its memory is that of a dense array: to solve equations, [`splu`] is better. The format is that of
/// compressed arrays, else compressed columns.
///
/// - **Shapes**: `(n, n) → (n, n)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: an array that is not square, a singular one.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[2.0, 0.0], [1.0, 4.0]]), ..);
/// assert_eq!(sparse::linalg::inv(&a)?.to_dense().to_string(), "[[ 0.5    0.   ]\n [-0.125  0.25 ]]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn inv(a: &Sparse) -> Result<Sparse> {
    let lu = splu(a)?;
    solve_sparse(&lu, &identity(a), a.format())
}

/// The identity of an array's extent, on its device and in its dtype, which counts as a float.
#[track_caller]
pub(super) fn identity(a: &Sparse) -> Sparse {
    let _guard = a.device().enter();
    let dtype = DType::promote(a.dtype().to_inexact(), DType::F32);
    crate::eye_array(a.shape()).to_csr().astype(dtype)
}

/// The solution of a system with sparse sides, in compressed rows where these are asked for, else in compressed columns.
#[track_caller]
pub(super) fn solve_sparse(lu: &Lu, b: &Sparse, format: Format) -> Result<Sparse> {
    let b = b.to_csc();
    let mut parts = Vec::new();
    for first in (0..b.shape()[1]).step_by(COLUMNS) {
        let end = (first + COLUMNS).min(b.shape()[1]);
        let side = b.i(s![.., first as isize..end as isize]).to_dense();
        parts.push(crate::csc_array(&lu.solve(&side)?, ..));
    }
    if parts.is_empty() {
        let (expected, got) = ("sides with columns".to_string(), b.shape()[..].into());
        return Err(Error::Shape { op: "spsolve", expected, got });
    }
    let solved = crate::hstack(&parts);
    Ok(if format == Format::Csr { solved.to_csr() } else { solved.to_csc() })
}
