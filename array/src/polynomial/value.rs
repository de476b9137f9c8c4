//! A polynomial as a value with arithmetic.

use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use super::classic::{try_polyadd, try_polyder, try_polydiv, try_polyint, try_polysub};
use super::fit::{Fit, try_polyfit, try_roots};
use super::series::{try_as_series, try_polyval, try_trimcoef, zero};
use crate::array::{Array, Overlap};
use crate::declare::expect;
use crate::graph::Operand;
use ndany_core::{Error, Result};

/// A polynomial, the lowest power first, as `np.polynomial.Polynomial` with its plain domain (and `np.poly1d`, whose
/// coefficients are the other way round).
///
/// Sums and products keep zeros at the end, so that nothing waits for the device; [`Polynomial::trim`] drops them. Operators raise
/// the errors that [`checked::polynomial`](crate::checked::polynomial) returns.
///
/// ```
/// use ndany::polynomial::Polynomial;
/// use ndany::{Array, Device};
/// # let _guard = Device::open("reference")?.enter();
/// let p = Polynomial::new(&Array::from([1.0, 2.0, 3.0]))?;      // 1 + 2 x + 3 x²
/// let q = Polynomial::new(&Array::from([-1.0, 1.0]))?;          // x - 1
/// assert_eq!((&p * &q).to_string(), "-1.0 - 1.0·x - 1.0·x² + 3.0·x³");
/// assert_eq!((&p - &q).eval(&Array::from([0.0, 1.0])).to_vec::<f64>()?, [2.0, 6.0]);
/// let (quotient, rest) = p.div_rem(&q)?;
/// assert_eq!((quotient.to_string(), rest.to_string()), ("5.0 + 3.0·x".into(), "6.0".into()));
/// assert_eq!(p.deriv(1)?.to_string(), "2.0 + 6.0·x");
/// assert!(q.roots()?.allclose(&Array::from([1.0]), ..)?);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Polynomial {
    coefficients: Array,
}

impl Polynomial {
    /// Makes the polynomial with these coefficients, the lowest power first, as `np.polynomial.Polynomial`.
    ///
    /// - **Errors**: no coefficients, more than one axis, bool.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let p = ndany::polynomial::Polynomial::new(&array([1, 0, 2]))?;
    /// assert_eq!(p.eval(&array([3.0])).to_string(), "[19.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn new(coefficients: &Array) -> Result<Self> {
        let coefficients = try_as_series([coefficients], false)?[0].clone();
        Ok(Self { coefficients })
    }

    /// Makes the polynomial with these roots, as `Polynomial.fromroots` of NumPy.
    ///
    /// - **Errors**: more than one axis, what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let p = ndany::polynomial::Polynomial::from_roots(&array([1.0, 2.0]))?;
    /// assert_eq!(p.coefficients().to_string(), "[ 2. -3.  1.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn from_roots(roots: &Array) -> Result<Self> {
        Self::of_classic(&super::fit::try_poly(&roots.try_ravel()?)?.try_atleast_1d()?)
    }

    /// Fits a polynomial of a degree to points by least squares, as `Polynomial.fit(…).convert()` of NumPy.
    ///
    /// - **Errors**: those of [`polyfit`](crate::polyfit()), a `y` with two axes.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let (x, y) = (array([0.0, 1.0, 2.0]), array([1.0, 3.0, 5.0]));
    /// let p = ndany::polynomial::Polynomial::fit(&x, &y, 1, ..)?;
    /// assert!(p.coefficients().allclose(&array([1.0, 2.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn fit(x: &Array, y: &Array, degree: usize, options: impl Into<Fit>) -> Result<Self> {
        Self::of_classic(&try_polyfit(x, y, degree, options)?.coefficients)
    }

    /// Returns the coefficients, the lowest power first, as `Polynomial.coef` of NumPy.
    ///
    /// - **Shapes**: `(degree + 1,)`.
    /// - **Dtypes**: a float or complex dtype.
    /// - **Errors**: none.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::polynomial::Polynomial::new(&array([1, 2]))?.coefficients().to_string(), "[1. 2.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn coefficients(&self) -> &Array {
        &self.coefficients
    }

    /// Returns the highest power that has a coefficient, zero or not, as `Polynomial.degree` of NumPy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::polynomial::Polynomial::new(&array([1, 2, 0]))?.degree(), 2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn degree(&self) -> usize {
        self.coefficients.size() - 1
    }

    /// Evaluates the polynomial at each element, as `Polynomial.__call__` of NumPy.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::polynomial::Polynomial::new(&array([1, 2]))?.eval(&array([3.0])).to_string(), "[7.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`checked::polynomial::eval`](fn@crate::checked::polynomial::eval) returns an error.
    #[track_caller]
    pub fn eval(&self, x: &Array) -> Array {
        expect(self.try_eval(x))
    }

    #[track_caller]
    pub(super) fn try_eval(&self, x: &Array) -> Result<Array> {
        try_polyval(x, &self.coefficients, true)
    }

    /// Returns this polynomial of another, `p(q(x))`, as `p(q)` of NumPy.
    ///
    /// - **Errors**: coefficients on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let p = ndany::polynomial::Polynomial::new(&array([0, 0, 1]))?;
    /// let q = ndany::polynomial::Polynomial::new(&array([1, 1]))?;
    /// assert_eq!(p.compose(&q)?.coefficients().to_string(), "[1. 2. 1.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn compose(&self, inner: &Polynomial) -> Result<Polynomial> {
        let at = |k: usize| super::part(&self.coefficients, k, k + 1).and_then(|c| Self::new(&c));
        let mut value = at(self.degree())?;
        for k in (0..self.degree()).rev() {
            value = value.try_mul(inner)?.try_add(&at(k)?)?;
        }
        Ok(value)
    }

    #[track_caller]
    pub(super) fn try_add(&self, other: &Polynomial) -> Result<Polynomial> {
        Self::of_classic(&try_polyadd(&self.classic()?, &other.classic()?)?)
    }

    #[track_caller]
    pub(super) fn try_sub(&self, other: &Polynomial) -> Result<Polynomial> {
        Self::of_classic(&try_polysub(&self.classic()?, &other.classic()?)?)
    }

    #[track_caller]
    pub(super) fn try_mul(&self, other: &Polynomial) -> Result<Polynomial> {
        Self::new(&self.coefficients.try_convolve(&other.coefficients, Overlap::Full)?)
    }

    /// Returns quotient and remainder, as `divmod(p, q)` of NumPy; waits for the device.
    ///
    /// - **Errors**: a divisor that is zero, coefficients on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let p = ndany::polynomial::Polynomial::new(&array([1, 2, 1]))?;
    /// let q = ndany::polynomial::Polynomial::new(&array([1, 1]))?;
    /// assert_eq!(p.div_rem(&q)?.0.coefficients().to_string(), "[1. 1.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn div_rem(&self, divisor: &Polynomial) -> Result<(Polynomial, Polynomial)> {
        let divisor = divisor.classic()?.try_trim_zeros(true, false, ..)?;
        if divisor.size() == 0 {
            return Err(Error::ZeroDivision { op: "polydiv" });
        }
        let (quotient, rest) = try_polydiv(&self.classic()?, &divisor)?;
        Ok((Self::of_classic(&quotient)?, Self::of_classic(&rest)?))
    }

    /// Raises the polynomial to a power, as `p ** n` of NumPy.
    ///
    /// - **Errors**: what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let p = ndany::polynomial::Polynomial::new(&array([1, 1]))?;
    /// assert_eq!(p.pow(2)?.coefficients().to_string(), "[1. 2. 1.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn pow(&self, exponent: u32) -> Result<Polynomial> {
        let mut power = Self::new(&zero(&self.coefficients)?.try_add(1)?)?;
        for bit in (0..32 - exponent.leading_zeros()).rev() {
            power = power.try_mul(&power)?;
            if exponent >> bit & 1 == 1 {
                power = power.try_mul(self)?;
            }
        }
        Ok(power)
    }

    /// Returns the `times`-th derivative, as `Polynomial.deriv` of NumPy.
    ///
    /// - **Errors**: what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let p = ndany::polynomial::Polynomial::new(&array([1, 2, 3]))?;
    /// assert_eq!(p.deriv(1)?.coefficients().to_string(), "[2. 6.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn deriv(&self, times: usize) -> Result<Polynomial> {
        let slope = try_polyder(&self.classic()?, times)?;
        Self::of_classic(&if slope.size() == 0 { zero(&self.coefficients)? } else { slope })
    }

    /// Returns the `times`-th integral with one constant for all integrations or one each, as `Polynomial.integ` of NumPy.
    ///
    /// - **Errors**: those of [`polyint`](crate::polyint()).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let p = ndany::polynomial::Polynomial::new(&array([1, 2]))?;
    /// assert_eq!(p.integ(1, 0)?.coefficients().to_string(), "[0. 1. 1.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn integ(&self, times: usize, constants: impl Into<Operand>) -> Result<Polynomial> {
        Self::of_classic(&try_polyint(&self.classic()?, times, constants)?)
    }

    /// Returns the roots, in no order, as `Polynomial.roots` of NumPy; waits for the device.
    ///
    /// - **Shapes**: `(degree,)`.
    /// - **Dtypes**: floats, or complex numbers where a root is complex.
    /// - **Errors**: those of [`roots`](crate::roots()).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let p = ndany::polynomial::Polynomial::new(&array([2.0, -3.0, 1.0]))?;
    /// assert!(p.roots()?.real().sort(0).allclose(&array([1.0, 2.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn roots(&self) -> Result<Array> {
        try_roots(&self.classic()?)
    }

    /// Removes the highest powers whose coefficients are no larger than `tolerance`, as `Polynomial.trim` of NumPy.
    ///
    /// Waits for the device.
    ///
    /// - **Errors**: a negative tolerance, what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let p = ndany::polynomial::Polynomial::new(&array([1.0, 2.0, 1e-20]))?;
    /// assert_eq!(p.trim(1e-9)?.degree(), 1);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn trim(&self, tolerance: f64) -> Result<Polynomial> {
        Self::new(&try_trimcoef(&self.coefficients, tolerance)?)
    }

    /// The highest power first.
    fn classic(&self) -> Result<Array> {
        self.coefficients.try_flip(..)
    }

    fn of_classic(coefficients: &Array) -> Result<Self> {
        Self::new(&coefficients.try_flip(..)?)
    }
}

/// Methods and operators of [`Polynomial`] with errors as values.
pub(super) mod checked {
    use super::{Array, Polynomial, Result};

    /// [`Polynomial::eval`], with errors as values.
    #[track_caller]
    pub fn eval(polynomial: &Polynomial, x: &Array) -> Result<Array> {
        polynomial.try_eval(x)
    }
    /// `left + right`, with errors as values.
    #[track_caller]
    pub fn add(left: &Polynomial, right: &Polynomial) -> Result<Polynomial> {
        left.try_add(right)
    }
    /// `left - right`, with errors as values.
    #[track_caller]
    pub fn sub(left: &Polynomial, right: &Polynomial) -> Result<Polynomial> {
        left.try_sub(right)
    }
    /// `left * right`, with errors as values.
    #[track_caller]
    pub fn mul(left: &Polynomial, right: &Polynomial) -> Result<Polynomial> {
        left.try_mul(right)
    }
    /// `-polynomial`, with errors as values.
    #[track_caller]
    pub fn neg(polynomial: &Polynomial) -> Result<Polynomial> {
        Ok(Polynomial { coefficients: polynomial.coefficients.try_negative()? })
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $run:ident;)+) => {$(
        impl $trait for &Polynomial {
            type Output = Polynomial;
            #[track_caller]
            fn $method(self, other: &Polynomial) -> Polynomial { expect(self.$run(other)) }
        }
        impl $trait for Polynomial {
            type Output = Polynomial;
            #[track_caller]
            fn $method(self, other: Polynomial) -> Polynomial { expect(Polynomial::$run(&self, &other)) }
        }
    )+};
}
operators! { Add add try_add; Sub sub try_sub; Mul mul try_mul; }

impl Neg for &Polynomial {
    type Output = Polynomial;
    #[track_caller]
    fn neg(self) -> Polynomial {
        expect(checked::neg(self))
    }
}

impl fmt::Display for Polynomial {
    /// Evaluates the coefficients; prints as NumPy does: `1.0 + 2.0·x + 3.0·x²`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for power in 0..=self.degree() {
            let text = match self.coefficients.try_i(power as isize) {
                Ok(coefficient) => coefficient.to_string(),
                Err(error) => format!("<failed: {error}>"),
            };
            match (power, text.strip_prefix('-')) {
                (0, _) => f.write_str(&text)?,
                (_, Some(size)) => write!(f, " - {size}")?,
                (_, None) => write!(f, " + {text}")?,
            }
            match power {
                0 => {}
                1 => f.write_str("·x")?,
                _ => write!(f, "·x{}", superscript(power))?,
            }
        }
        Ok(())
    }
}

fn superscript(power: usize) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    power.to_string().bytes().map(|digit| DIGITS[usize::from(digit - b'0')]).collect()
}
