//! Coefficients with the lowest power first: values, matrices of powers, and zeros at the end, as
//! `numpy.polynomial.polynomial` and `polyutils` have it.

use super::{coefficients, part, value_error};
use crate::arguments::Eye;
use crate::arguments::{Arrays, list};
use crate::array::{Array, try_concatenate, try_eye, try_stack, try_zeros};
use crate::declare::functions;
use ndany_core::host;
use ndany_core::shape::{Shape, checked_size};
use ndany_core::{DType, Error, Kind, Result};

functions! { in polynomial;
    /// Evaluates a polynomial, the lowest power first, as `np.polynomial.polynomial.polyval`.
    ///
    /// It goes by Horner's rule. Axes of `c` after the first are several polynomials; with `tensor` each is evaluated at every element,
    /// otherwise they broadcast with `x`.
    ///
    /// - **Shapes**: `(…), (n,) → (…)`, `(…), (n, k) → (k, …)` with `tensor`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: no coefficients, shapes that do not broadcast without `tensor`, operands on two devices.
    ///
    /// ```
    /// use ndany::polynomial::polyval;
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let (x, c) = (Array::from([0.0, 1.0, 2.0]), Array::from([1, 2, 3]));
    /// assert_eq!(polyval(&x, &c, true).to_vec::<f64>()?, [1.0, 6.0, 17.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    polyval / try_polyval (x: &Array, c: &Array, tensor: bool) -> Array {
        let c = several(c, x, tensor, |c| c.try_add(0.0))?;
        let Some(last) = c.shape()[0].checked_sub(1) else {
            return Err(Error::Index { op: "polyval", index: -1, axis: 0, size: 0 });
        };
        let mut value = c.try_i(last as isize)?.try_add(x.try_multiply(0)?)?;
        for k in (0..last).rev() {
            value = c.try_i(k as isize)?.try_add(value.try_multiply(x)?)?;
        }
        Ok(value)
    }

    /// Multiplies the distances of each element of `x` from the roots, as `np.polynomial.polynomial.polyvalfromroots`.
    ///
    /// Axes of `r` after the first are several polynomials, as those of the coefficients in [`polyval`].
    ///
    /// - **Shapes**: `(…), (n,) → (…)`, `(…), (n, k) → (k, …)` with `tensor`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: an `x` with fewer axes than the roots without `tensor`, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::polynomial::polyvalfromroots(&array([0.0, 3.0]), &array([1.0, 2.0]), true).to_string(), "[2. 2.]");
    /// ```
    polyvalfromroots / try_polyvalfromroots (x: &Array, r: &Array, tensor: bool) -> Array {
        if !tensor && x.ndim() >= r.ndim().max(1) {
            return Err(value_error("polyvalfromroots", "without tensor, x has fewer axes than the roots"));
        }
        let r = several(r, x, tensor, |r| r.try_astype(DType::F64))?;
        x.try_subtract(&r)?.try_prod(0)
    }

    /// Returns powers 0 to `degree` of each element along a new last axis, as `np.polynomial.polynomial.polyvander`.
    ///
    /// - **Shapes**: `(…) → (…, degree + 1)`.
    /// - **Dtypes**: floats and complex numbers keep theirs; integers give float64.
    /// - **Errors**: a matrix that is too large.
    ///
    /// ```
    /// use ndany::polynomial::polyvander;
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// assert_eq!(polyvander(&Array::from([2, 3]), 2).to_string(), "[[1. 2. 4.]\n [1. 3. 9.]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    polyvander / try_polyvander (x: &Array, degree: usize) -> Array {
        let x = x.try_atleast_1d()?.try_add(0.0)?;
        let mut shape = Shape::from_slice(x.shape());
        shape.push(degree.saturating_add(1));
        // The result and the powers it is made of, before any is computed.
        let size = checked_size("polyvander", &shape, x.dtype())?;
        // Twice the elements, and a handle and a node for each power.
        let bytes = size.saturating_mul(2 * x.dtype().size());
        host::ensure_memory("polyvander", bytes.saturating_add(degree.saturating_mul(512)))?;
        let mut powers = vec![x.try_multiply(0)?.try_add(1)?];
        for exponent in 1..=degree {
            let next = if exponent == 1 { x.clone() } else { powers[exponent - 1].try_multiply(&x)? };
            // Computed now, or each power would compute those before it again; a failure comes out in the result.
            let _ = next.eval();
            powers.push(next);
        }
        try_stack(&powers.iter().collect::<Vec<_>>(), -1)
    }

    /// Returns the companion matrix of a polynomial, the lowest power first, as `np.polynomial.polynomial.polycompanion`.
    ///
    /// Its eigenvalues are the roots. Waits for the device.
    ///
    /// - **Shapes**: `(n,) → (n - 1, n - 1)`.
    /// - **Dtypes**: floats and complex numbers keep theirs; integers give float64.
    /// - **Errors**: a degree below 1.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::polynomial::polycompanion(&array([6.0, 5.0, 1.0])).to_string(), "[[ 0. -6.]\n [ 1. -5.]]");
    /// ```
    polycompanion / try_polycompanion (c: &Array) -> Array {
        const OP: &str = "polycompanion";
        let c = try_as_series([c], true)?[0].clone();
        let count = c.size();
        if count < 2 {
            return Err(value_error(OP, "a polynomial of degree 1 at least"));
        }
        let lower = part(&c, 0, count - 1)?.try_divide(part(&c, count - 1, count)?)?;
        let degree = count - 1;
        let column = lower.try_negative()?.try_expand_dims(1)?;
        if degree == 1 {
            return Ok(column);
        }
        let _guard = c.device().enter();
        // Zeros above the ones below the diagonal; the last column has none but its last.
        let shifted = try_eye(Eye::of(degree, degree - 1, -1, c.dtype()))?;
        try_concatenate(&[&shifted, &column], 1)
    }

    /// Returns polynomials as 1-d arrays of one float or complex dtype, as `np.polynomial.polyutils.as_series`.
    ///
    /// With `trim` zeros at the end go, which waits for the device.
    ///
    /// - **Shapes**: `(m,), (n,) → (m,), (n,)`.
    /// - **Dtypes**: operands promote to one float or complex dtype; integers give float64.
    /// - **Errors**: a polynomial without coefficients, more than one axis, bool.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::polynomial::as_series([array([1, 2, 0])], true)[0].to_string(), "[1. 2.]");
    /// ```
    as_series / try_as_series (polynomials: impl IntoIterator<Item: AsRef<Array>>, trim: bool) -> Arrays {
        const OP: &str = "as_series";
        list!(polynomials);
        let flat: Vec<Array> = polynomials
            .iter()
            .map(|array| {
                let array = coefficients(OP, array)?;
                if array.size() == 0 {
                    return Err(value_error(OP, "a polynomial without coefficients"));
                }
                if trim { try_trimseq(&array) } else { Ok(array) }
            })
            .collect::<Result<_>>()?;
        let dtypes: Vec<DType> = flat.iter().map(Array::dtype).collect();
        let dtype = DType::common_type(&dtypes).map_err(|_| value_error(OP, "truth values are no coefficients"))?;
        flat.iter().map(|array| array.try_astype(dtype)).collect()
    }

    /// Removes the zeros at the end of a 1-d array, but keeps one element, as `np.polynomial.polyutils.trimseq`.
    ///
    /// Waits for the device.
    ///
    /// - **Shapes**: `(n,) → (k,)`, `k ≤ n`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an array that is not 1-d.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::polynomial::trimseq(&array([1, 2, 0])).to_string(), "[1 2]");
    /// ```
    trimseq / try_trimseq (sequence: &Array) -> Array {
        const OP: &str = "trimseq";
        if sequence.ndim() != 1 {
            let (expected, got) = ("one axis".to_string(), sequence.shape().into());
            return Err(Error::Shape { op: OP, expected, got });
        }
        let trimmed = sequence.try_trim_zeros(false, true, ..)?;
        if trimmed.size() == 0 { part(sequence, 0, sequence.size().min(1)) } else { Ok(trimmed) }
    }

    /// Removes coefficients at the end that are no larger than `tolerance`, as `np.polynomial.polyutils.trimcoef`.
    ///
    /// Of such coefficients alone a zero is left. Waits for the device.
    ///
    /// - **Shapes**: `(n,) → (k,)`, `k ≤ n`.
    /// - **Dtypes**: floats and complex numbers keep theirs; integers give float64.
    /// - **Errors**: a negative tolerance, an array that is not 1-d.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::polynomial::trimcoef(&array([1.0, 2.0, 1e-20]), 1e-9).to_string(), "[1. 2.]");
    /// ```
    trimcoef / try_trimcoef (c: &Array, tolerance: f64) -> Array {
        const OP: &str = "trimcoef";
        if tolerance < 0.0 {
            return Err(value_error(OP, format!("the tolerance is {tolerance}, not 0 or more")));
        }
        let c = try_as_series([c], true)?[0].clone();
        let large = c.try_absolute()?.try_greater(tolerance)?;
        if !large.try_any(..)?.item::<bool>()? {
            return part(&c, 0, 1)?.try_multiply(0);
        }
        let after = large.try_flip(..)?.try_argmax(..)?.item::<i64>()? as usize;
        part(&c, 0, c.size() - after)
    }
}

/// Coefficients or roots with the axes of `x` after their own, and not of an integer dtype.
fn several(
    c: &Array,
    x: &Array,
    tensor: bool,
    widen: impl Fn(&Array) -> Result<Array>,
) -> Result<Array> {
    let c = c.try_atleast_1d()?;
    let c = match c.dtype().kind() {
        Kind::Bool | Kind::Int => widen(&c)?,
        Kind::Float | Kind::Complex => c,
    };
    if !tensor {
        return Ok(c);
    }
    let mut shape = Shape::from_slice(c.shape());
    shape.extend(std::iter::repeat_n(1, x.ndim()));
    c.try_reshape(shape.as_slice())
}

/// Of the dtype and device of an array: one zero.
pub(super) fn zero(like: &Array) -> Result<Array> {
    let _guard = like.device().enter();
    try_zeros(1, like.dtype())
}
