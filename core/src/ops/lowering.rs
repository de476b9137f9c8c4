//! What the rows mean, in terms over primitives.
//!
//! Each function gets values already converted to the dtype computed in and returns the result before
//! it is rounded to a 16-bit format. Nothing here knows arrays, shapes or devices.

mod arithmetic;
mod elementary;
mod logic;
mod order;

pub use arithmetic::*;
pub use elementary::*;
pub use logic::*;
pub use order::*;

use smallvec::SmallVec;

use super::Formula;
pub use super::float_parts::{
    copysign, frexp_exponent, frexp_fraction, heaviside, ldexp, modf_fraction, nextafter, spacing,
};
pub use super::integers::{bitwise_count, gcd, lcm};
use crate::dtype::DType;
use crate::formulas::complex;
use crate::program::{Builder, Prim, Reg, RegType, SsaValue, Words};

/// A value of a program: a register, or a pair of them for a complex number.
#[derive(Clone, Copy, Debug)]
pub enum LoweredValue<'b> {
    /// A real number or boolean.
    Real(SsaValue<'b>),
    /// Real and imaginary part.
    Complex(SsaValue<'b>, SsaValue<'b>),
}

use LoweredValue::{Complex, Real};

impl<'b> LoweredValue<'b> {
    /// The register of a real value.
    pub fn real(self) -> SsaValue<'b> {
        match self {
            Real(term) => term,
            Complex(..) => unreachable!("the signature excludes complex numbers"),
        }
    }

    /// Type of its register (or of each of the two).
    pub fn ty(self) -> RegType {
        match self {
            Real(term) | Complex(term, _) => term.ty(),
        }
    }

    /// Its registers: one, or two of a complex number.
    pub fn terms(self) -> SmallVec<[SsaValue<'b>; 2]> {
        match self {
            Real(term) => SmallVec::from_slice(&[term]),
            Complex(re, im) => SmallVec::from_slice(&[re, im]),
        }
    }

    /// The registers of its real and imaginary part, which are one of a real value.
    pub fn registers(self) -> [Reg; 2] {
        match self {
            Real(term) => [term.reg(); 2],
            Complex(re, im) => [re.reg(), im.reg()],
        }
    }

    fn builder(self) -> &'b Builder {
        match self {
            Real(term) | Complex(term, _) => term.builder(),
        }
    }

    /// Applied to a real value, or to both parts.
    fn parts(self, f: impl Fn(SsaValue<'b>) -> SsaValue<'b>) -> LoweredValue<'b> {
        match self {
            Real(x) => Real(f(x)),
            Complex(re, im) => Complex(f(re), f(im)),
        }
    }
}

/// A formula of a real argument, or its complex twin.
macro_rules! formula {
    ($($(#[$doc:meta])* $name:ident $formula:ident;)+) => {$(
        $(#[$doc])*
        pub fn $name<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
            match v[0] {
                Real(x) => Real(b.formula(Formula::$formula, &[x])),
                Complex(re, im) => pair(re, im, complex::$name, complex::$name),
            }
        }
    )+};
}

type Pair<'b> = (SsaValue<'b>, SsaValue<'b>);

fn pair<'b>(
    re: SsaValue<'b>,
    im: SsaValue<'b>,
    narrow: fn(&Words<'b, 32>, Pair<'b>) -> Pair<'b>,
    wide: fn(&Words<'b, 64>, Pair<'b>) -> Pair<'b>,
) -> LoweredValue<'b> {
    let (re, im) = match re.ty() {
        RegType::F32 => narrow(&Words::<32>(re.builder()), (re, im)),
        _ => wide(&Words::<64>(re.builder()), (re, im)),
    };
    Complex(re, im)
}

fn pairs<'b>(
    x: Pair<'b>,
    y: Pair<'b>,
    narrow: fn(&Words<'b, 32>, Pair<'b>, Pair<'b>) -> Pair<'b>,
    wide: fn(&Words<'b, 64>, Pair<'b>, Pair<'b>) -> Pair<'b>,
) -> LoweredValue<'b> {
    let (re, im) = match x.0.ty() {
        RegType::F32 => narrow(&Words::<32>(x.0.builder()), x, y),
        _ => wide(&Words::<64>(x.0.builder()), x, y),
    };
    Complex(re, im)
}

fn modulus<'b>(re: SsaValue<'b>, im: SsaValue<'b>) -> SsaValue<'b> {
    match re.ty() {
        RegType::F32 => complex::abs(&Words::<32>(re.builder()), (re, im)),
        _ => complex::abs(&Words::<64>(re.builder()), (re, im)),
    }
}

formula! {
    /// e^x.
    exp Exp;
    /// 2^x.
    exp2 Exp2;
    /// e^x - 1.
    expm1 Expm1;
    /// Natural logarithm.
    log Log;
    /// log(1 + x).
    log1p Log1p;
    /// Sine.
    sin Sin;
    /// Cosine.
    cos Cos;
    /// Hyperbolic tangent.
    tanh Tanh;
}

macro_rules! unary_parts {
    ($($(#[$doc:meta])* $name:ident $prim:ident;)+) => {$(
        $(#[$doc])*
        pub fn $name<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
            v[0].parts(|x| b.prim(Prim::$prim, &[x]))
        }
    )+};
}

unary_parts! {
    /// -x.
    negative Neg;
    /// Complement.
    invert Not;
}

/// x.
pub fn positive<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    v[0]
}

/// |x|.
pub fn absolute<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    match v[0] {
        Real(x) if x.ty().is_float() || x.ty().is_signed() => Real(b.prim(Prim::Abs, &[x])),
        Real(x) => Real(x),
        Complex(re, im) => Real(modulus(re, im)),
    }
}

/// -1, 0, 1, or NaN; z / |z| of a complex number.
pub fn sign<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    match v[0] {
        Real(x) if x.ty().is_float() => {
            let (zero, one) = (x.zero(), x.one());
            let signed = zero.lt(x).select(one, x.lt(zero).select(-one, zero));
            Real(x.equals(x).select(signed, x))
        }
        Real(x) if x.ty().is_signed() => {
            let (zero, one) = (x.zero(), x.one());
            Real(zero.lt(x).select(one, x.lt(zero).select(b.int(x.ty(), -1), zero)))
        }
        Real(x) => Real(x.equals(x.zero()).select(x.zero(), x.one())),
        Complex(re, im) => complex_sign(re, im),
    }
}

/// z / |z|, as NumPy has it where |z| is no divisor: 0 of 0; where it is infinite the direction of the infinite part, or of
/// the imaginary one if neither is; none of two infinite parts.
fn complex_sign<'b>(re: SsaValue<'b>, im: SsaValue<'b>) -> LoweredValue<'b> {
    let (modulus, zero, one) = (modulus(re, im), re.zero(), re.one());
    let nan = re.builder().float(re.ty(), f64::NAN);
    let infinite = |x: SsaValue<'b>| magnitude(x).equals(infinity(x));
    let direction = |x: SsaValue<'b>| zero.lt(x).select(one, -one);
    let (far, along) = (infinite(modulus), infinite(re));
    let neither = along & infinite(im);
    let part = |x: SsaValue<'b>, counts: SsaValue<'b>| {
        let beyond = neither.select(nan, counts.select(direction(x), zero));
        let within = modulus.equals(zero).select(zero, x / modulus);
        far.select(beyond, within)
    };
    Complex(part(re, along), part(im, !along))
}

/// x * x.
pub fn square<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    multiply(b, &[v[0], v[0]])
}

/// 1 / x.
pub fn reciprocal<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    match v[0] {
        Real(x) => Real(x.one() / x),
        Complex(re, im) => pair(re, im, complex::reciprocal, complex::reciprocal),
    }
}

/// Square root.
pub fn sqrt<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    match v[0] {
        Real(x) => Real(b.prim(Prim::Sqrt, &[x])),
        Complex(re, im) => pair(re, im, complex::sqrt, complex::sqrt),
    }
}

macro_rules! rounding {
    ($($(#[$doc:meta])* $name:ident $prim:ident;)+) => {$(
        $(#[$doc])*
        pub fn $name<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
            match v[0] {
                Real(x) if !x.ty().is_float() => Real(x),
                value => value.parts(|x| b.prim(Prim::$prim, &[x])),
            }
        }
    )+};
}

rounding! {
    /// Largest integer not above.
    floor Floor;
    /// Smallest integer not below.
    ceil Ceil;
    /// Toward zero.
    trunc Trunc;
    /// To the nearest integer, halves to even.
    rint Rint;
}

/// Each part scaled, rounded to the nearest integer and scaled back; every step rounds to the format.
pub fn round_decimals<'b>(
    b: &'b Builder,
    format: DType,
    v: &[LoweredValue<'b>],
    fine: bool,
) -> LoweredValue<'b> {
    let scale = v[1].real();
    v[0].parts(|x| {
        let scaled = if fine { x * scale } else { x / scale };
        let whole = b.prim(Prim::Rint, &[scaled.round_to(format)]);
        if fine { whole / scale } else { whole * scale }
    })
}

fn never(b: &Builder) -> SsaValue<'_> {
    b.int(RegType::Bool, 0)
}

fn infinity(x: SsaValue<'_>) -> SsaValue<'_> {
    x.builder().float(x.ty(), f64::INFINITY)
}

pub(super) fn is_nan(x: SsaValue<'_>) -> SsaValue<'_> {
    !x.equals(x)
}

pub(super) fn magnitude(x: SsaValue<'_>) -> SsaValue<'_> {
    x.builder().prim(Prim::Abs, &[x])
}

/// Whether it is NaN (in either part).
pub fn isnan<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    Real(match v[0] {
        Real(x) if !x.ty().is_float() => never(b),
        Real(x) => is_nan(x),
        Complex(re, im) => is_nan(re) | is_nan(im),
    })
}

/// Whether it is infinite (in either part).
pub fn isinf<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let part = |x| magnitude(x).equals(infinity(x));
    Real(match v[0] {
        Real(x) if !x.ty().is_float() => never(b),
        Real(x) => part(x),
        Complex(re, im) => part(re) | part(im),
    })
}

/// Whether it is an infinity with (or without) the sign.
fn is_signed_infinity<'b>(
    b: &'b Builder,
    value: LoweredValue<'b>,
    infinity: f64,
) -> LoweredValue<'b> {
    let x = value.real();
    Real(if x.ty().is_float() { x.equals(b.float(x.ty(), infinity)) } else { never(b) })
}

/// Whether it is the positive infinity.
pub fn isposinf<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    is_signed_infinity(b, v[0], f64::INFINITY)
}

/// Whether it is the negative infinity.
pub fn isneginf<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    is_signed_infinity(b, v[0], f64::NEG_INFINITY)
}

/// Whether its imaginary part is different from zero.
pub fn iscomplex<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    Real(match v[0] {
        Real(_) => never(b),
        Complex(_, im) => !im.equals(im.zero()),
    })
}

/// Whether its imaginary part is zero.
pub fn isreal<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    Real(!iscomplex(b, v).real())
}

/// NaN, +inf and -inf (in each part) replaced by the second, third and fourth operand.
pub fn nan_to_num<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let (nan, highest, lowest) = (v[1].real(), v[2].real(), v[3].real());
    v[0].parts(|x| {
        let above = x.equals(b.float(x.ty(), f64::INFINITY));
        let below = x.equals(b.float(x.ty(), f64::NEG_INFINITY));
        is_nan(x).select(nan, above.select(highest, below.select(lowest, x)))
    })
}

/// Whether it is finite (in both parts).
pub fn isfinite<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let part = |x| magnitude(x).lt(infinity(x));
    Real(match v[0] {
        Real(x) if !x.ty().is_float() => !never(b),
        Real(x) => part(x),
        Complex(re, im) => part(re) & part(im),
    })
}

pub use absolute as fabs;
pub use trunc as fix;

/// Whether the sign bit is set.
pub fn signbit<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let x = v[0].real();
    let x = match x.ty() {
        RegType::F32 => x.bitcast(RegType::I32),
        RegType::F64 => x.bitcast(RegType::I64),
        _ => x,
    };
    Real(if x.ty().is_signed() { x.lt(x.zero()) } else { never(b) })
}

/// The complex conjugate.
pub fn conjugate<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    match v[0] {
        Real(x) => Real(x),
        Complex(re, im) => Complex(re, -im),
    }
}

/// The real part.
pub fn real<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    match v[0] {
        Real(x) | Complex(x, _) => Real(x),
    }
}

/// The imaginary part.
pub fn imag<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    match v[0] {
        Real(x) => Real(x.zero()),
        Complex(_, im) => Real(im),
    }
}

/// condition ? x : y.
pub fn choose<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let condition = v[0].real();
    match (v[1], v[2]) {
        (Complex(a, b), Complex(c, d)) => Complex(condition.select(a, c), condition.select(b, d)),
        (x, y) => Real(condition.select(x.real(), y.real())),
    }
}

/// Keeps a builder at hand where only a value is.
pub fn builder_of(value: LoweredValue<'_>) -> &Builder {
    value.builder()
}
