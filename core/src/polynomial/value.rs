//! A polynomial as a value with arithmetic.

use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use super::classic::{try_polyadd, try_polyder, try_polydiv, try_polyint, try_polysub};
use super::fit::{Fit, try_polyfit, try_roots};
use super::series::{try_as_series, try_polyval, try_trimcoef, zero};
use crate::array::{Array, Overlap};
use crate::declare::expect;
use crate::error::{Error, Result};
use crate::graph::Operand;

/// A polynomial, the lowest power first, as `np.polynomial.Polynomial` with its plain domain (and `np.poly1d`, whose
/// coefficients are the other way round).
///
/// Sums and products keep zeros at the end, so that nothing waits for the device; [`Polynomial::trim`] drops them.
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
    /// The polynomial with these coefficients, the lowest power first; integers become float64.
    ///
    /// # Errors
    /// No coefficients; more than one axis; truth values.
    #[track_caller]
    pub fn new(coefficients: &Array) -> Result<Self> {
        let coefficients = try_as_series([coefficients], false)?[0].clone();
        Ok(Self { coefficients })
    }

    /// The polynomial with these roots, as `Polynomial.fromroots`.
    ///
    /// # Errors
    /// More than one axis; what failed on the way.
    #[track_caller]
    pub fn from_roots(roots: &Array) -> Result<Self> {
        Self::of_classic(&super::fit::try_poly(&roots.try_ravel()?)?.try_atleast_1d()?)
    }

    /// The polynomial of a degree whose squared distances from points are least, as `Polynomial.fit(…).convert()`.
    ///
    /// # Errors
    /// As [`polyfit`](crate::polyfit()); `y` with two axes.
    #[track_caller]
    pub fn fit(x: &Array, y: &Array, degree: usize, options: impl Into<Fit>) -> Result<Self> {
        Self::of_classic(&try_polyfit(x, y, degree, options)?.coefficients)
    }

    /// The coefficients, the lowest power first.
    pub fn coefficients(&self) -> &Array {
        &self.coefficients
    }

    /// The highest power that has a coefficient, zero or not.
    pub fn degree(&self) -> usize {
        self.coefficients.size() - 1
    }

    /// The values at each element.
    ///
    /// # Panics
    /// Where [`Polynomial::try_eval`] errs.
    #[track_caller]
    pub fn eval(&self, x: &Array) -> Array {
        expect(self.try_eval(x))
    }

    /// [`Polynomial::eval`], with errors as values.
    #[track_caller]
    pub fn try_eval(&self, x: &Array) -> Result<Array> {
        try_polyval(x, &self.coefficients, true)
    }

    /// This polynomial of another: `p(q(x))`.
    ///
    /// # Errors
    /// Coefficients on two devices.
    #[track_caller]
    pub fn compose(&self, inner: &Polynomial) -> Result<Polynomial> {
        let at = |k: usize| super::part(&self.coefficients, k, k + 1).and_then(|c| Self::new(&c));
        let mut value = at(self.degree())?;
        for k in (0..self.degree()).rev() {
            value = value.try_mul(inner)?.try_add(&at(k)?)?;
        }
        Ok(value)
    }

    /// The sum; [`Add`] panics where it errs.
    #[track_caller]
    pub fn try_add(&self, other: &Polynomial) -> Result<Polynomial> {
        Self::of_classic(&try_polyadd(&self.classic()?, &other.classic()?)?)
    }

    /// The difference; [`Sub`] panics where it errs.
    #[track_caller]
    pub fn try_sub(&self, other: &Polynomial) -> Result<Polynomial> {
        Self::of_classic(&try_polysub(&self.classic()?, &other.classic()?)?)
    }

    /// The product; [`Mul`] panics where it errs.
    #[track_caller]
    pub fn try_mul(&self, other: &Polynomial) -> Result<Polynomial> {
        Self::new(&self.coefficients.try_convolve(&other.coefficients, Overlap::Full)?)
    }

    /// Quotient and remainder. Waits for the device.
    ///
    /// # Errors
    /// A divisor that is zero.
    #[track_caller]
    pub fn div_rem(&self, divisor: &Polynomial) -> Result<(Polynomial, Polynomial)> {
        let divisor = divisor.classic()?.try_trim_zeros(true, false, ..)?;
        if divisor.size() == 0 {
            return Err(Error::ZeroDivision { op: "polydiv" });
        }
        let (quotient, rest) = try_polydiv(&self.classic()?, &divisor)?;
        Ok((Self::of_classic(&quotient)?, Self::of_classic(&rest)?))
    }

    /// The polynomial times itself, again and again.
    ///
    /// # Errors
    /// What failed on the way.
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

    /// The `times`-th derivative.
    ///
    /// # Errors
    /// What failed on the way.
    #[track_caller]
    pub fn deriv(&self, times: usize) -> Result<Polynomial> {
        let slope = try_polyder(&self.classic()?, times)?;
        Self::of_classic(&if slope.size() == 0 { zero(&self.coefficients)? } else { slope })
    }

    /// The `times`-th integral, with one constant for all integrations or one each.
    ///
    /// # Errors
    /// As [`polyint`](crate::polyint()).
    #[track_caller]
    pub fn integ(&self, times: usize, constants: impl Into<Operand>) -> Result<Polynomial> {
        Self::of_classic(&try_polyint(&self.classic()?, times, constants)?)
    }

    /// The roots, in no order. Waits for the device.
    ///
    /// # Errors
    /// As [`roots`](crate::roots()).
    #[track_caller]
    pub fn roots(&self) -> Result<Array> {
        try_roots(&self.classic()?)
    }

    /// Without the highest powers whose coefficients are no larger than `tolerance`. Waits for the device.
    ///
    /// # Errors
    /// A negative tolerance; what failed on the way.
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
        Polynomial { coefficients: self.coefficients.negative() }
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
