//! Rows that stand on formulas: logarithms, roots, angles, hyperbolic functions and their inverses.
//!
//! The first of them (exp, log, sin …) stand in the parent module.

use super::LoweredValue::{Complex, Real};
use super::{LoweredValue, pair};
use crate::formulas::{complex, complex_inverse};
use crate::ops::Formula;
use crate::program::{Builder, RegType, SsaValue, Words};

/// A formula of a real argument, or a complex function.
macro_rules! either {
    ($($(#[$doc:meta])* $name:ident $formula:ident $module:ident::$twin:ident;)+) => {$(
        $(#[$doc])*
        pub fn $name<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
            match v[0] {
                Real(x) => Real(b.formula(Formula::$formula, &[x])),
                Complex(re, im) => pair(re, im, $module::$twin, $module::$twin),
            }
        }
    )+};
}

either! {
    /// Binary logarithm.
    log2 Log2 complex_inverse::log2;
    /// Decimal logarithm.
    log10 Log10 complex_inverse::log10;
    /// Tangent.
    tan Tan complex_inverse::tan;
    /// Arcsine.
    arcsin Asin complex_inverse::asin;
    /// Arccosine.
    arccos Acos complex_inverse::acos;
    /// Arctangent.
    arctan Atan complex_inverse::atan;
    /// Hyperbolic sine.
    sinh Sinh complex::sinh;
    /// Hyperbolic cosine.
    cosh Cosh complex::cosh;
    /// Inverse hyperbolic sine.
    arcsinh Asinh complex_inverse::asinh;
    /// Inverse hyperbolic cosine.
    arccosh Acosh complex_inverse::acosh;
    /// Inverse hyperbolic tangent.
    arctanh Atanh complex_inverse::atanh;
}

/// A formula of real arguments.
macro_rules! real {
    ($($(#[$doc:meta])* $name:ident $formula:ident;)+) => {$(
        $(#[$doc])*
        pub fn $name<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
            // No formula takes more than two.
            match v {
                [x] => Real(b.formula(Formula::$formula, &[x.real()])),
                v => Real(b.formula(Formula::$formula, &[v[0].real(), v[1].real()])),
            }
        }
    )+};
}

real! {
    /// Cube root.
    cbrt Cbrt;
    /// Length of a right triangle's long side.
    hypot Hypot;
    /// Angle of the point (second, first).
    arctan2 Atan2;
    /// log(e^x + e^y).
    logaddexp LogAddExp;
    /// log₂(2^x + 2^y).
    logaddexp2 LogAddExp2;
    /// Logistic function.
    expit Expit;
    /// Its inverse.
    logit Logit;
    /// x log y.
    xlogy Xlogy;
    /// x log(1 + y).
    xlog1py Xlog1py;
    /// Error function.
    erf Erf;
    /// Its complement.
    erfc Erfc;
    /// Gamma function.
    gamma Gamma;
    /// Logarithm of its magnitude.
    gammaln Lgamma;
    /// Modified Bessel function.
    i0 I0;
}

/// 10^x.
pub fn exp10<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let x = v[0].real();
    Real(b.formula(Formula::Pow, &[b.float(x.ty(), 10.0), x]))
}

/// -x log x: 0 at zero, minus infinity below.
pub fn entr<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let x = v[0].real();
    let product = b.formula(Formula::Xlogy, &[x, x]);
    // A zero has no sign, where that of the product would be negative.
    let entropy = x.equals(x.zero()).select(x.zero(), -product);
    Real(x.lt(x.zero()).select(b.float(x.ty(), f64::NEG_INFINITY), entropy))
}

/// x^y in f64 or complex128.
pub fn float_power<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    super::power(b, v)
}

/// A product with a quotient of two numbers that is itself rounded to the format, as NumPy's.
fn scaled<'b>(x: SsaValue<'b>, above: f64, below: f64) -> LoweredValue<'b> {
    let factor = match x.ty() {
        RegType::F32 => f64::from(above as f32 / below as f32),
        _ => above / below,
    };
    Real(x * x.builder().float(x.ty(), factor))
}

/// x · π / 180.
pub fn deg2rad<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    scaled(v[0].real(), std::f64::consts::PI, 180.0)
}

/// x · 180 / π.
pub fn rad2deg<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    scaled(v[0].real(), 180.0, std::f64::consts::PI)
}

/// x · π / 180, NumPy's second name.
pub fn radians<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    deg2rad(b, v)
}

/// x · 180 / π, NumPy's second name.
pub fn degrees<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    rad2deg(b, v)
}

/// sin πx / πx; of complex numbers as NumPy does it, 1e-20 standing for zero.
pub fn sinc<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let (re, im) = match v[0] {
        Real(x) => return Real(b.formula(Formula::Sinc, &[x])),
        Complex(re, im) => (re, im),
    };
    let pi = b.float(re.ty(), std::f64::consts::PI);
    let (re, im) = (re * pi, im * pi);
    let nothing = re.equals(re.zero()) & im.equals(im.zero());
    let z = (nothing.select(b.float(re.ty(), 1e-20), re), im);
    let (re, im) = match re.ty() {
        RegType::F32 => {
            let words = Words::<32>(b);
            complex::div(&words, complex::sin(&words, z), z)
        }
        _ => {
            let words = Words::<64>(b);
            complex::div(&words, complex::sin(&words, z), z)
        }
    };
    Complex(re, im)
}
