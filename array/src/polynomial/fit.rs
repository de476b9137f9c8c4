//! Roots, polynomials that have them, and polynomials through points: what linear algebra serves.

use std::ops::RangeFull;

use super::{coefficients, part, value_error};
use crate::arguments::Eye;
use crate::array::{Array, Overlap, try_concatenate, try_eye, try_ones, try_zeros};
use crate::declare::functions;
use crate::linalg::Lstsq;
use ndany_core::{DType, Error, Result};

/// How a polynomial is fitted: weights, and what counts as zero.
#[derive(Clone, Debug, Default)]
pub struct Fit {
    weights: Option<Array>,
    cutoff: Option<f64>,
}

impl Fit {
    /// Starts the options of [`polyfit`] with NumPy's defaults.
    ///
    /// ```
    /// use ndany::{polynomial::Fit, prelude::*};
    /// let (x, y) = (array([0.0, 1.0]), array([1.0, 3.0]));
    /// let fit = polyfit(&x, &y, 1, Fit::new());
    /// assert!(fit.coefficients.allclose(&array([2.0, 1.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a weight for each point, which multiplies its distance before it is squared, as `w` of `np.polyfit`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let (x, y) = (array([0.0, 1.0]), array([1.0, 3.0]));
    /// let weights = array([1.0, 2.0]);
    /// let fit = ndany::polyfit(&x, &y, 1, ndany::polynomial::Fit::new().weights(&weights));
    /// assert!(fit.coefficients.allclose(&array([2.0, 1.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn weights(mut self, weights: &Array) -> Self {
        self.weights = Some(weights.clone());
        self
    }

    /// Sets the part of the largest singular value up to which one counts as zero, as `rcond` of `np.polyfit`.
    ///
    /// The default is the roundoff times the number of points.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let (x, y) = (array([0.0, 1.0]), array([1.0, 3.0]));
    /// let fit = ndany::polyfit(&x, &y, 1, ndany::polynomial::Fit::new().cutoff(1e-10));
    /// assert_eq!(fit.rank, 2);
    /// ```
    pub fn cutoff(mut self, part: f64) -> Self {
        self.cutoff = Some(part);
        self
    }
}

impl From<RangeFull> for Fit {
    fn from(_: RangeFull) -> Self {
        Self::new()
    }
}

/// A polynomial that was fitted, and how well.
#[derive(Clone, Debug)]
pub struct PolyFit {
    /// The highest power first; a column for each column of `y`.
    pub coefficients: Array,
    /// Sums of squared differences; none where the rank is less than the number of coefficients, or there are no more
    /// points than coefficients.
    pub residuals: Array,
    /// How many singular values of the scaled matrix of powers count.
    pub rank: usize,
    /// These singular values, the largest first.
    pub singular_values: Array,
    /// The part of the largest up to which they count as zero.
    pub cutoff: f64,
    powers: Array,
    scale: Array,
    points: usize,
    columns: bool,
}

impl PolyFit {
    /// Returns the covariance of the coefficients, as `np.polyfit(cov=True)`, or `cov="unscaled"`.
    ///
    /// `scaled` multiplies by the residuals over the degrees of freedom, which is right where weights are known but for a factor;
    /// unscaled is right for weights that are one over the standard deviation.
    ///
    /// - **Shapes**: `(degree + 1, degree + 1)`, or with one matrix for each column of `y` along a last axis.
    /// - **Dtypes**: that of the coefficients.
    /// - **Errors**: no more points than coefficients where it is scaled, a matrix of powers that is singular.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let (x, y) = (array([0.0, 1.0, 2.0]), array([1.0, 3.0, 5.0]));
    /// let fit = ndany::polyfit(&x, &y, 1, ..);
    /// assert_eq!(fit.covariance(false)?.shape(), [2, 2]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn covariance(&self, scaled: bool) -> Result<Array> {
        let count = self.scale.size();
        let base = self.powers.try_matrix_transpose()?.try_matmul(&self.powers)?.try_inv()?;
        let base = base.try_divide(self.scale.try_outer(&self.scale)?)?;
        let base = if self.columns { base.try_expand_dims(2)? } else { base };
        if !scaled {
            return base.try_multiply(1);
        }
        if self.points <= count {
            let reason = format!(
                "{} points for {count} coefficients leave no scale for the covariance",
                self.points
            );
            return Err(value_error("polyfit", reason));
        }
        base.try_multiply(self.residuals.try_divide((self.points - count) as i64)?)
    }
}

functions! {
    /// Returns the polynomial with these roots, the highest power first, as `np.poly`.
    ///
    /// Of a square matrix it is the characteristic polynomial. It is real where complex roots come in conjugated pairs, which waits for
    /// the device.
    ///
    /// - **Shapes**: `(n,) → (n + 1,)`, `(n, n) → (n + 1,)`.
    /// - **Dtypes**: floats and complex numbers keep theirs; integers give float64.
    /// - **Errors**: neither a 1-d array nor a square matrix.
    ///
    /// ```
    /// use ndany::{Array, Device, poly, roots};
    /// # let _guard = Device::open("reference")?.enter();
    /// let p = poly(&Array::from([-1.0, 2.0]));
    /// assert_eq!(p.to_vec::<f64>()?, [1.0, -1.0, -2.0]);
    /// assert!(roots(&p).sort(0).allclose(&Array::from([-1.0, 2.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    poly / try_poly (roots: &Array) -> Array {
        let roots = match roots.shape() {
            &[rows, columns] if rows == columns && rows > 0 => roots.try_eigvals()?,
            [] | [_] => roots.try_atleast_1d()?,
            shape => {
                let expected = "roots along one axis, or a square matrix".to_string();
                return Err(Error::Shape { op: "poly", expected, got: shape.into() });
            }
        };
        let dtype = match roots.dtype() {
            DType::F32 | DType::C64 | DType::C128 => roots.dtype(),
            _ => DType::F64,
        };
        let roots = roots.try_astype(dtype)?;
        let _guard = roots.device().enter();
        let one = try_ones(1, dtype)?;
        if roots.size() == 0 {
            return one.try_reshape([0isize; 0]);
        }
        let mut p = one.clone();
        for k in 0..roots.size() {
            let factor = try_concatenate(&[&one, &part(&roots, k, k + 1)?.try_negative()?], 0)?;
            p = p.try_convolve(&factor, Overlap::Full)?;
        }
        if dtype.is_complex() {
            let wide = roots.try_astype(DType::C128)?;
            let paired = wide.try_sort(0)?.try_equal(wide.try_conjugate()?.try_sort(0)?)?;
            if paired.try_all(..)?.item::<bool>()? {
                return p.try_real()?.try_copy();
            }
        }
        Ok(p)
    }

    /// Returns the roots of a polynomial, the highest power first, in no order, as `np.roots`.
    ///
    /// They are the eigenvalues of its companion matrix, and a zero for each coefficient that is zero at the end. Waits for the
    /// device.
    ///
    /// - **Shapes**: `(n,) → (n - 1,)`, fewer where coefficients at the front are zero.
    /// - **Dtypes**: floats, or complex numbers where a root is complex; integers give float64.
    /// - **Errors**: an array that is not 1-d, 16-bit floats (TypeError), NaN and infinities (LinAlgError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let roots = ndany::roots(&array([1.0, -3.0, 2.0]));
    /// assert!(roots.real().sort(0).allclose(&array([1.0, 2.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    roots / try_roots (p: &Array) -> Array {
        let p = coefficients("roots", p)?;
        let p = p.try_trim_zeros(true, false, ..)?;
        let zeros = p.size();
        let p = p.try_trim_zeros(false, true, ..)?;
        let zeros = zeros - p.size();
        let p = p.as_floats()?;
        let _guard = p.device().enter();
        let count = p.size();
        if count < 2 {
            return try_zeros(zeros, DType::F64);
        }
        let row = part(&p, 1, count)?.try_negative()?.try_divide(p.try_i(0)?)?.try_expand_dims(0)?;
        let below = try_eye(Eye::of(count - 2, count - 1, 0, p.dtype()))?;
        let roots = try_concatenate(&[&row, &below], 0)?.try_eigvals()?;
        if zeros == 0 {
            return Ok(roots);
        }
        try_concatenate(&[&roots, &try_zeros(zeros, roots.dtype())?], 0)
    }

    /// Fits a polynomial of a degree to points by least squares, the highest power first, as `np.polyfit`.
    ///
    /// `y` is 1-d, or has a column for each polynomial. NumPy's warning of a rank that is too low is [`PolyFit::rank`]. Waits for the
    /// device.
    ///
    /// - **Shapes**: `(n,), (n,) → (degree + 1,)`, `(n,), (n, k) → (degree + 1, k)`.
    /// - **Dtypes**: floats and complex numbers promote; integers give float64.
    /// - **Errors**: no points, arrays of other dimensions, lengths that differ.
    ///
    /// ```
    /// use ndany::{Array, Device, polyfit};
    /// # let _guard = Device::open("reference")?.enter();
    /// let (x, y) = (Array::from([0.0, 1.0, 2.0, 3.0]), Array::from([1.0, 0.0, 1.0, 4.0]));
    /// let p = polyfit(&x, &y, 2, ..).coefficients;
    /// assert!(p.allclose(&Array::from([1.0, -2.0, 1.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    polyfit / try_polyfit (x: &Array, y: &Array, degree: usize, options: impl Into<Fit>) -> PolyFit {
        const OP: &str = "polyfit";
        let options = options.into();
        let (x, y) = (x.try_add(0.0)?, y.try_add(0.0)?);
        let wrong = |reason: &str| Err(Error::Arguments { op: OP.to_string(), reason: reason.to_string() });
        if x.ndim() != 1 || x.size() == 0 {
            return wrong("x must have one axis, and elements");
        }
        if !(1..=2).contains(&y.ndim()) || y.shape()[0] != x.size() {
            return wrong("y must have one axis or two, and as many rows as x has elements");
        }
        let cutoff = options.cutoff.unwrap_or_else(|| x.size() as f64 * roundoff(x.dtype()));
        let columns = y.ndim() == 2;
        let mut powers = x.try_vander(Some(degree + 1), false)?;
        let mut values = y.clone();
        if let Some(weights) = &options.weights {
            let weights = weights.try_add(0.0)?;
            if weights.shape() != x.shape() {
                return wrong("weights must have one axis, and as many elements as x");
            }
            let column = weights.try_expand_dims(1)?;
            powers = powers.try_multiply(&column)?.try_astype(powers.dtype())?;
            values = y.try_multiply(if columns { &column } else { &weights })?.try_astype(y.dtype())?;
        }
        let scale = powers.try_square()?.try_sum(0)?.try_sqrt()?;
        let powers = powers.try_divide(&scale)?;
        let Lstsq { x: solution, residuals, rank, s: singular_values } = powers.try_lstsq(&values, cutoff)?;
        let across = if columns { scale.try_expand_dims(1)? } else { scale.clone() };
        let coefficients = solution.try_divide(&across)?;
        let points = x.size();
        Ok(PolyFit { coefficients, residuals, rank, singular_values, cutoff, powers, scale, points, columns })
    }
}

/// The distance of 1 to the next number.
fn roundoff(dtype: DType) -> f64 {
    ndany_core::finfo(dtype.part()).map_or(f64::EPSILON, |info| info.eps)
}
