//! Numbers of matrices: determinants, rank, condition.

use super::Norm;
use super::equations::{Cutoff, inv};
use super::task::{factor, inexact, square};
use crate::arguments::over;
use crate::array::{Array, try_ones};
use crate::declare::{array_functions, tuple_of};
use crate::elementwise::try_where;
use ndany_core::backend::Factoring;
use ndany_core::ops::reductions as table;
use ndany_core::shape::{Shape, size_of};
use ndany_core::{DType, Error, Result};

/// The determinant as `sign · exp(logabsdet)`: what `np.linalg.slogdet` returns.
///
/// ```
/// use ndany::{Array, Device, linalg};
/// # let _guard = Device::open("reference")?.enter();
/// let (sign, logabsdet) = linalg::slogdet(Array::from([[2.0, 0.0], [0.0, -1.0]])).into();
/// assert_eq!((sign.item::<f64>()?, logabsdet.item::<f64>()?), (-1.0, f64::ln(2.0)));
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Slogdet {
    /// -1, 0 or 1; of complex matrices on the unit circle, or 0.
    pub sign: Array,
    /// The logarithm of its magnitude; minus infinity for a singular matrix.
    pub logabsdet: Array,
}

tuple_of! {
    Slogdet(sign, logabsdet): (Array, Array);
}

array_functions! {
    mod numbers, checked;

    /// Returns the determinants of square matrices by LU, as `np.linalg.det`.
    ///
    /// - **Shapes**: `(…, n, n) → (…)`.
    /// - **Dtypes**: floats and complex numbers keep theirs; bool and integers give float64.
    /// - **Errors**: matrices that are not square, 16-bit floats (TypeError).
    ///
    /// ```
    /// use ndany::{Array, Device, linalg};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[1.0, 2.0], [3.0, 4.0]]);
    /// assert!((linalg::det(&a).item::<f64>()? + 2.0).abs() < 1e-15);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    det / try_det (self) -> Array {
        const OP: &str = "det";
        match pivots(OP, self)? {
            Pivots::None(ones) => Ok(ones),
            Pivots::Some { diagonal, odd } => {
                let product = diagonal.reduce(&table::PROD, over(-1))?;
                try_where(&odd, &product.try_negative()?, &product)
            }
        }
    }

    /// Returns sign and logarithm of the determinants, which do not overflow, as `np.linalg.slogdet`.
    ///
    /// - **Shapes**: `(…, n, n) → (…), (…)`.
    /// - **Dtypes**: floats and complex numbers keep theirs, logarithms are real; bool and integers give float64.
    /// - **Errors**: matrices that are not square, 16-bit floats (TypeError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(linalg::slogdet(&array([[0.0, 1.0], [1.0, 0.0]])).sign.to_string(), "-1.0");
    /// ```
    slogdet / try_slogdet (self) -> Slogdet {
        const OP: &str = "slogdet";
        let (diagonal, odd) = match pivots(OP, self)? {
            Pivots::None(sign) => {
                let logabsdet = sign.try_real()?.try_subtract(1)?;
                return Ok(Slogdet { sign, logabsdet });
            }
            Pivots::Some { diagonal, odd } => (diagonal, odd),
        };
        let sizes = diagonal.try_absolute()?;
        let logabsdet = sizes.try_log()?.reduce(&table::SUM, over(-1))?;
        let sign = match diagonal.dtype().is_complex() {
            // Of zero there is no direction.
            true => try_where(&sizes.try_equal(0)?, 0, diagonal.try_divide(&sizes)?)?,
            // NaN counts as positive, as in LAPACK's pivots that NumPy reads.
            false => try_where(&diagonal.try_isnan()?, 1, diagonal.try_sign()?)?,
        };
        let sign = sign.try_astype(diagonal.dtype())?.reduce(&table::PROD, over(-1))?;
        let sign = try_where(&odd, &sign.try_negative()?, &sign)?;
        Ok(Slogdet { sign, logabsdet })
    }

    /// Counts the singular values that are not zero, as `np.linalg.matrix_rank`.
    ///
    /// By default those above the largest times the roundoff times the larger extent count. An array of fewer than two axes counts as
    /// a vector, of rank 0 or 1. A number in place of the options is the largest value that counts as zero, as NumPy's `tol`.
    ///
    /// - **Shapes**: `(…, m, n) → (…)`.
    /// - **Dtypes**: floats and complex numbers, bool and integers as float64; the result is int64.
    /// - **Errors**: 16-bit floats (TypeError); NaN fails the result (LinAlgError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(linalg::matrix_rank(&array([[1.0, 2.0], [2.0, 4.0]]), ..).item::<i64>()?, 1);
    /// assert_eq!(linalg::matrix_rank(&array([[4.0, 0.0], [0.0, 2.0]]), 3.0).item::<i64>()?, 1);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    matrix_rank / try_matrix_rank (self, cutoff: impl Into<Cutoff>) -> Array {
        const OP: &str = "matrix_rank";
        let cutoff = cutoff.into();
        if self.ndim() < 2 {
            return self.try_not_equal(0)?.reduce(&table::ANY, over(..))?.try_astype(DType::I64);
        }
        let a = inexact(OP, self)?;
        let s = match cutoff.hermitian {
            true => a.try_eigvalsh(super::Triangle::Lower)?.try_absolute()?,
            false => a.try_svdvals()?,
        };
        let (rows, columns) = (a.shape()[a.ndim() - 2], a.shape()[a.ndim() - 1]);
        let roundoff = if s.dtype() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let counts = match cutoff.number {
            Some(tol) if cutoff.relative.is_none() && cutoff.absolute.is_none() => s.try_greater(tol)?,
            _ => s.try_greater(cutoff.of(&s, roundoff * rows.max(columns) as f64)?)?,
        };
        counts.reduce(&table::SUM, over(-1))
    }

    /// Returns the condition number for inversion, as `np.linalg.cond`; infinity for singular matrices.
    ///
    /// It is the norm times that of the inverse; by default (`..`) the largest singular value by the smallest, also of matrices that
    /// are not square.
    ///
    /// - **Shapes**: `(…, m, n) → (…)`.
    /// - **Dtypes**: floats keep theirs, complex numbers give the dtype of their parts, bool and integers float64.
    /// - **Errors**: empty matrices, fewer than two axes, 16-bit floats (TypeError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let condition = linalg::cond(&array([[4.0, 0.0], [0.0, 2.0]]), ..);
    /// assert!(condition.allclose(2.0, ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    cond / try_cond (self, kind: impl Into<Norm>) -> Array {
        const OP: &str = "cond";
        let (kind, a) = (kind.into(), inexact(OP, self)?);
        if a.ndim() < 2 || a.shape()[a.ndim() - 2..].contains(&0) {
            return Err(Error::Matrix { op: OP, expected: "matrices that are not empty", got: a.shape().into() });
        }
        let condition = match kind {
            Norm::Default | Norm::Order(2.0) => extremes(&a, [0, -1])?,
            Norm::Order(-2.0) => extremes(&a, [-1, 0])?,
            Norm::Frobenius | Norm::Nuclear | Norm::Order(_) => {
                let matrix = || over([-2, -1]).ord(kind);
                // A singular matrix has no inverse, and what stands in its place is no number.
                let (norm, outcome) = (a.try_norm(matrix())?, inv(OP, &a)?);
                let succeeded = outcome.succeeded()?;
                let inverse = outcome.outputs[0].try_norm(matrix())?;
                try_where(&succeeded, &norm.try_multiply(&inverse)?, f64::INFINITY)?.try_astype(norm.dtype())?
            }
        };
        // NaN only where there was one.
        let spoiled = a.try_isnan()?.reduce(&table::ANY, over([-2, -1]))?;
        let infinite = condition.try_isnan()?.try_logical_and(spoiled.try_logical_not()?)?;
        try_where(&infinite, f64::INFINITY, &condition)?.try_astype(condition.dtype())
    }
}

fn extremes(a: &Array, [above, below]: [isize; 2]) -> Result<Array> {
    let s = a.try_svdvals()?;
    s.try_i((crate::Ellipsis, above))?.try_divide(s.try_i((crate::Ellipsis, below))?)
}

enum Pivots {
    /// Of empty matrices: their determinants, 1.
    None(Array),
    /// The diagonal of U, and whether rows were exchanged an odd number of times.
    Some { diagonal: Array, odd: Array },
}

fn pivots(op: &'static str, array: &Array) -> Result<Pivots> {
    let a = inexact(op, array)?;
    let (outer, n) = square(op, &a)?;
    let _guard = a.device().enter();
    if n == 0 || size_of(outer) == 0 {
        return Ok(Pivots::None(try_ones(Shape::from_slice(outer).as_slice(), a.dtype())?));
    }
    let mut outputs = factor(op, Factoring::Pivots, &[&a], &[&[n], &[n]])?.outputs;
    let places = crate::array::try_arange((1i64, n as i64 + 1, 1i64))?;
    let exchanged = outputs[1].try_not_equal(&places)?;
    let diagonal = outputs.swap_remove(0);
    let odd = exchanged.reduce(&table::SUM, over(-1))?.try_bitwise_and(1)?.try_equal(1)?;
    Ok(Pivots::Some { diagonal, odd })
}
