//! Triangular systems by substitution in parallel.

use ndany_array::{Array, DType, Error, Result};

use super::{LOOK, run, truth};
use crate::Sparse;
use crate::construct::{tril, triu};

/// Options of [`spsolve_triangular`]: `..` for a lower triangle, SciPy's default.
///
/// ```
/// let _ = ndany::sparse::linalg::Triangular::new().upper().unit_diagonal();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Triangular {
    upper: bool,
    unit_diagonal: bool,
}

impl From<std::ops::RangeFull> for Triangular {
    fn from(_: std::ops::RangeFull) -> Self {
        Self::default()
    }
}

impl Triangular {
    /// Starts options with SciPy's defaults.
    ///
    /// ```
    /// let _ = ndany::sparse::linalg::Triangular::new().upper();
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the upper triangle, SciPy's `lower=False`.
    ///
    /// ```
    /// let _ = ndany::sparse::linalg::Triangular::new().upper();
    /// ```
    pub fn upper(mut self) -> Self {
        self.upper = true;
        self
    }

    /// Takes ones in place of the diagonal.
    ///
    /// ```
    /// let _ = ndany::sparse::linalg::Triangular::new().unit_diagonal();
    /// ```
    pub fn unit_diagonal(mut self) -> Self {
        self.unit_diagonal = true;
        self
    }
}

/// Solves `A x = b` of a triangular array, as `scipy.sparse.linalg.spsolve_triangular`; the other triangle is not read.
///
/// All rows are computed at once, again and again. A row is right as soon as those are that it reads, and then stays, so there are as
/// many rounds as rows in the longest chain of those that read each other; the host looks at every eighth. Chains as long as the
/// array, as of one diagonal beside the main one, are slow.
///
/// - **Shapes**: `(n, n), (n,) → (n,)`, `(n, n), (n, k) → (n, k)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: other shapes, a zero on the diagonal, what fails on the device.
///
/// ```
/// use ndany::prelude::*;
/// use ndany::sparse::linalg::spsolve_triangular;
/// let a = sparse::csr_array(&array([[2.0, 0.0], [1.0, 4.0]]), ..);
/// assert_eq!(spsolve_triangular(&a, &array([2.0, 9.0]), ..)?.to_string(), "[1. 2.]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn spsolve_triangular(a: &Sparse, b: &Array, options: impl Into<Triangular>) -> Result<Array> {
    const OP: &str = "spsolve_triangular";
    let (Triangular { upper, unit_diagonal }, [m, n]) = (options.into(), a.shape);
    if m != n || !(1..=2).contains(&b.ndim()) || b.shape()[0] != n {
        let expected = format!("a square array and a vector or matrix of its {n} rows");
        return Err(Error::Shape { op: OP, expected, got: b.shape().into() });
    }
    let dtype = DType::promote(DType::promote(a.dtype(), b.dtype()).to_inexact(), DType::F32);
    let b = b.astype(dtype);
    let a = a.astype(dtype);
    let others = if upper { triu(&a, 1) } else { tril(&a, -1) }.to_csr();
    let pivots = match unit_diagonal {
        true => None,
        false => {
            let pivots = a.diagonal(0);
            if truth(&pivots.equal(0).any(..))? {
                let expected = "no zero on the diagonal";
                return Err(Error::Matrix { op: OP, expected, got: a.shape[..].into() });
            }
            Some(if b.ndim() == 2 { pivots.reshape((-1, 1)) } else { pivots })
        }
    };
    let next = |x: &Array| {
        let rest = &b - others.matmul(x);
        pivots.as_ref().map_or(rest.clone(), |pivots| rest / pivots)
    };
    let mut x = pivots.as_ref().map_or(b.clone(), |pivots| &b / pivots);
    run(&[&x])?;
    for round in 1..n {
        let before = x;
        x = next(&before);
        run(&[&x])?;
        if round % LOOK == 0 {
            // A NaN stays one.
            let moved = x.not_equal(&before);
            let still_nan = x.not_equal(&x).logical_and(before.not_equal(&before));
            if !truth(&moved.logical_and(still_nan.logical_not()).any(..))? {
                break;
            }
        }
    }
    Ok(x)
}
