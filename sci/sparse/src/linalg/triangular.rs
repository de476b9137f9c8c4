//! Triangular systems by substitution.

use ndany_array::{Array, DType, Error, Result};

use super::triangle::Triangle;
use super::truth;
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
/// Rows that read only solved ones are solved together, so there are as many rounds as rows in the longest chain of those that read
/// each other; the host reads the structure to find them. Chains as long as the array, as of one diagonal beside the main one, are
/// slow on GPUs. The products of a row are added from left to right, and subtracted.
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
            Some(pivots)
        }
    };
    Triangle::new(&others, pivots.as_ref(), upper)?.solve(&b)
}
