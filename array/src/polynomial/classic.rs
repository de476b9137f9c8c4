//! Arithmetic of coefficients with the highest power first, as NumPy's main namespace has it.

use super::{coefficients, part, value_error};
use crate::arguments::Arange;
use crate::array::{Array, Overlap, Tolerance, try_arange, try_concatenate, try_full, try_zeros};
use crate::declare::functions;
use crate::graph::Operand;
use ndany_core::host;
use ndany_core::shape::checked_size;
use ndany_core::{DType, Error, Result};

functions! {
    /// Adds two polynomials, the highest power first, as `np.polyadd`; further axes broadcast.
    ///
    /// - **Shapes**: `(m,), (n,) → (max(m, n),)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: operands on two devices.
    ///
    /// ```
    /// use ndany::{Array, Device, polyadd, polymul, polysub, polyval};
    /// # let _guard = Device::open("reference")?.enter();
    /// let (p, q) = (Array::from([1, 2]), Array::from([9, 5, 4]));
    /// assert_eq!(polyadd(&p, &q).to_vec::<i32>()?, [9, 6, 6]);
    /// assert_eq!(polysub(&p, &q).to_vec::<i32>()?, [-9, -4, -2]);
    /// assert_eq!(polymul(&p, &q).to_vec::<i32>()?, [9, 23, 14, 8]);
    /// assert_eq!(polyval(&q, &Array::from([0.5])).to_vec::<f64>()?, [8.75]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    polyadd / try_polyadd (p: &Array, q: &Array) -> Array {
        let [p, q] = aligned("polyadd", p, q)?;
        p.try_add(&q)
    }

    /// Subtracts two polynomials, the highest power first, as `np.polysub`.
    ///
    /// - **Shapes**: `(m,), (n,) → (max(m, n),)`.
    /// - **Dtypes**: numbers; operands promote as NumPy's.
    /// - **Errors**: bool, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::polysub(&array([1, 2, 3]), &array([1, 1])).to_string(), "[1 1 2]");
    /// ```
    polysub / try_polysub (p: &Array, q: &Array) -> Array {
        let [p, q] = aligned("polysub", p, q)?;
        p.try_subtract(&q)
    }

    /// Multiplies two polynomials, the highest power first, as `np.polymul`; waits for the device.
    ///
    /// Zeros at the front of the operands do not count.
    ///
    /// - **Shapes**: `(m,), (n,) → (m + n - 1,)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: operands that are not 1-d, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::polymul(&array([1, 2]), &array([1, 3])).to_string(), "[1 5 6]");
    /// ```
    polymul / try_polymul (p: &Array, q: &Array) -> Array {
        const OP: &str = "polymul";
        let (p, q) = (trimmed(&coefficients(OP, p)?)?, trimmed(&coefficients(OP, q)?)?);
        p.try_convolve(&q, Overlap::Full)
    }

    /// Divides two polynomials, the highest power first, into quotient and remainder, as `np.polydiv`.
    ///
    /// Coefficients near zero at the front of the remainder go. Waits for the device.
    ///
    /// - **Shapes**: `(m,), (n,) → (m - n + 1,), (k,)`.
    /// - **Dtypes**: floats and complex numbers promote; integers give float64.
    /// - **Errors**: a divisor without coefficients, operands on two devices.
    ///
    /// ```
    /// use ndany::{Array, Device, polydiv};
    /// # let _guard = Device::open("reference")?.enter();
    /// let (q, r) = polydiv(&Array::from([3.0, 5.0, 2.0]), &Array::from([2.0, 1.0]));
    /// assert_eq!((q.to_vec::<f64>()?, r.to_vec::<f64>()?), (vec![1.5, 1.75], vec![0.25]));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    polydiv / try_polydiv (u: &Array, v: &Array) -> (Array, Array) {
        const OP: &str = "polydiv";
        let (u, v) = (coefficients(OP, u)?.try_add(0.0)?, coefficients(OP, v)?.try_add(0.0)?);
        if u.size() == 0 || v.size() == 0 {
            return Err(Error::Index { op: OP, index: 0, axis: 0, size: 0 });
        }
        let dtype = DType::promote(u.dtype(), v.dtype());
        let (m, n) = (u.size() - 1, v.size() - 1);
        let scale = v.try_i(0)?.try_reciprocal()?;
        let mut rest = u.try_astype(dtype)?;
        let mut quotient = Vec::new();
        for k in 0..(m + 1).saturating_sub(n) {
            let factor = scale.try_multiply(part(&rest, k, k + 1)?)?;
            let less = part(&rest, k, k + n + 1)?.try_subtract(factor.try_multiply(&v)?)?;
            // Computed now, or each step would compute those before it again.
            let _ = less.eval();
            let pieces = [part(&rest, 0, k)?, less, part(&rest, k + n + 1, m + 1)?];
            rest = try_concatenate(&[&pieces[0], &pieces[1], &pieces[2]], 0)?;
            quotient.push(factor.try_astype(dtype)?);
        }
        let quotient = match quotient.is_empty() {
            true => {
                let _guard = u.device().enter();
                try_zeros(1, dtype)?
            }
            false => try_concatenate(&quotient.iter().collect::<Vec<_>>(), 0)?,
        };
        let far = rest.try_isclose(0, Tolerance::new().rtol(1e-14))?.try_logical_not()?;
        let first = match far.try_any(..)?.item::<bool>()? {
            true => far.try_argmax(..)?.item::<i64>()? as usize,
            false => m,
        };
        Ok((quotient, part(&rest, first, m + 1)?))
    }

    /// Returns the `times`-th derivative of a polynomial, the highest power first, as `np.polyder`.
    ///
    /// - **Shapes**: `(n,) → (n - times,)`.
    /// - **Dtypes**: any; the result has the same, promoted with int64.
    /// - **Errors**: a 0-d array.
    ///
    /// ```
    /// use ndany::{Array, Device, polyder, polyint};
    /// # let _guard = Device::open("reference")?.enter();
    /// let p = Array::from([1.0, 1.0, 1.0, 1.0]);
    /// assert_eq!(polyder(&p, 1).to_vec::<f64>()?, [3.0, 2.0, 1.0]);
    /// assert_eq!(polyint(&p, 1, 6).to_vec::<f64>()?, [0.25, 1.0 / 3.0, 0.5, 1.0, 6.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    polyder / try_polyder (p: &Array, times: usize) -> Array {
        if times == 0 {
            return Ok(p.clone());
        }
        let mut p = coefficients("polyder", p)?;
        for _ in 0..times {
            // Nothing left: further derivatives are this one.
            if p.size() == 0 {
                break;
            }
            let degree = p.size().saturating_sub(1);
            let powers = {
                let _guard = p.device().enter();
                try_arange(Arange::of(degree as i64, 0i64, -1i64, Some(DType::I64)))?
            };
            p = part(&p, 0, degree)?.try_multiply(&powers)?;
        }
        Ok(p)
    }

    /// Returns the `times`-th integral of a polynomial, the highest power first, as `np.polyint`.
    ///
    /// The constants are those of each integration, the first one's first: one for all, or one each.
    ///
    /// - **Shapes**: `(n,) → (n + times,)`.
    /// - **Dtypes**: floats and complex numbers keep theirs; integers give float64.
    /// - **Errors**: a number of constants that is neither 1 nor `times`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::polyint(&array([2.0, 1.0]), 1, 0).to_string(), "[1. 1. 0.]");
    /// ```
    polyint / try_polyint (p: &Array, times: usize, constants: impl Into<Operand>) -> Array {
        const OP: &str = "polyint";
        if times == 0 {
            return Ok(p.clone());
        }
        let mut p = coefficients(OP, p)?;
        let _guard = p.device().enter();
        let constants = match constants.into() {
            Operand::Array(constants) => constants.try_atleast_1d()?,
            Operand::Scalar(scalar) => try_full(1, scalar, scalar.natural_dtype())?,
        };
        if constants.ndim() != 1 || (constants.size() < times && constants.size() != 1) {
            return Err(value_error(OP, format!("expected 1 or {times} constants of integration, got {}", constants.size())));
        }
        // A coefficient more in each round: the last result, before the first is computed.
        let size = checked_size(OP, &[p.size().saturating_add(times)], p.dtype())?;
        host::ensure_memory(OP, size.saturating_mul(p.dtype().size()))?;
        for round in 0..times {
            let powers = try_arange(Arange::of(p.size() as i64, 0i64, -1i64, Some(DType::I64)))?;
            let place = if constants.size() == 1 { 0 } else { round };
            p = try_concatenate(&[&p.try_divide(&powers)?, &part(&constants, place, place + 1)?], 0)?;
        }
        Ok(p)
    }

    /// Evaluates a polynomial, the highest power first, at each element by Horner's rule, as `np.polyval`.
    ///
    /// For a polynomial of a polynomial see [`Polynomial::compose`](crate::polynomial::Polynomial::compose).
    ///
    /// - **Shapes**: `(n,), (…) → (…)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::polyval(&array([1, 0, 1]), &array([2, 3])).to_string(), "[ 5 10]");
    /// ```
    polyval / try_polyval (p: &Array, x: &Array) -> Array {
        let p = p.try_atleast_1d()?;
        let _guard = x.device().enter();
        let mut y = x.try_zeros_like()?;
        for k in 0..p.shape()[0] {
            y = y.try_multiply(x)?.try_add(p.try_i(k as isize)?)?;
        }
        Ok(y)
    }
}

/// Both with as many coefficients along the first axis: zeros in front of the shorter.
fn aligned(op: &'static str, p: &Array, q: &Array) -> Result<[Array; 2]> {
    let (p, q) = (p.try_atleast_1d()?, q.try_atleast_1d()?);
    let count = p.shape()[0].max(q.shape()[0]);
    let filled = |array: Array| -> Result<Array> {
        if array.shape()[0] == count {
            return Ok(array);
        }
        let array = coefficients(op, &array)?;
        let _guard = array.device().enter();
        try_concatenate(&[&try_zeros(count - array.size(), array.dtype())?, &array], 0)
    };
    Ok([filled(p)?, filled(q)?])
}

/// Without zeros in front; one zero where there is nothing else. Waits for the device.
pub(crate) fn trimmed(p: &Array) -> Result<Array> {
    let p = p.try_trim_zeros(true, false, ..)?;
    if p.size() > 0 {
        return Ok(p);
    }
    let _guard = p.device().enter();
    try_zeros(1, p.dtype())
}
