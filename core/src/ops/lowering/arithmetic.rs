//! Sums, products, quotients and what is left of them.

use super::LoweredValue::{Complex, Real};
use super::{LoweredValue, pairs};
use crate::formulas::complex;
use crate::ops::Formula;
use crate::program::{Builder, Prim, RegType, SsaValue};

/// x + y; `or` of bool.
pub fn add<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    match (v[0], v[1]) {
        (Complex(a, b), Complex(c, d)) => Complex(a + c, b + d),
        (x, y) if x.ty() == RegType::Bool => Real(x.real() | y.real()),
        (x, y) => Real(x.real() + y.real()),
    }
}

/// x - y.
pub fn subtract<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    match (v[0], v[1]) {
        (Complex(a, b), Complex(c, d)) => Complex(a - c, b - d),
        (x, y) => Real(x.real() - y.real()),
    }
}

/// x * y; `and` of bool.
pub fn multiply<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    match (v[0], v[1]) {
        (Complex(a, b), Complex(c, d)) => pairs((a, b), (c, d), complex::mul, complex::mul),
        (x, y) if x.ty() == RegType::Bool => Real(x.real() & y.real()),
        (x, y) => Real(x.real() * y.real()),
    }
}

/// x / y.
pub fn divide<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    match (v[0], v[1]) {
        (Complex(a, b), Complex(c, d)) => pairs((a, b), (c, d), complex::div, complex::div),
        (x, y) => Real(x.real() / y.real()),
    }
}

pub(in crate::ops) fn copy_sign<'b>(magnitude: SsaValue<'b>, sign: SsaValue<'b>) -> SsaValue<'b> {
    let b = magnitude.builder();
    let (float, bits) = (magnitude.ty(), magnitude.ty().bits_type());
    let mask = b.int(bits, 1) << (8 * bits.size() - 1);
    let unsigned = magnitude.bitcast(bits) & !mask;
    (unsigned | (sign.bitcast(bits) & mask)).bitcast(float)
}

/// NumPy's divmod of floats on the exact remainder: quotient rounded down, remainder with the sign of `y`.
fn float_divmod<'b>(x: SsaValue<'b>, y: SsaValue<'b>) -> (SsaValue<'b>, SsaValue<'b>) {
    let b = x.builder();
    let (zero, one) = (x.zero(), x.one());
    let remainder = x % y;
    let quotient = (x - remainder) / y;
    let opposite = (remainder.lt(zero)) ^ (y.lt(zero));
    let exact = remainder.equals(zero);
    let adjust = !exact & opposite;
    let quotient = adjust.select(quotient - one, quotient);
    let signed = adjust.select(remainder + y, remainder);
    let signed = exact.select(copy_sign(zero, y), signed);
    let floor = b.prim(Prim::Floor, &[quotient]);
    let half = b.float(x.ty(), 0.5);
    let nearest = half.lt(quotient - floor).select(floor + one, floor);
    let floored = quotient.equals(zero).select(copy_sign(zero, x / y), nearest);
    let by_zero = y.equals(zero);
    (by_zero.select(x / y, floored), by_zero.select(remainder, signed))
}

/// Quotient rounded down; integers give 0 for a zero divisor.
pub fn floor_divide<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let (x, y) = (v[0].real(), v[1].real());
    Real(match x.ty() {
        ty if ty.is_float() => float_divmod(x, y).0,
        ty if ty.is_signed() => {
            let inexact = !(x % y).equals(x.zero());
            let opposite = x.lt(x.zero()) ^ y.lt(y.zero());
            let quotient = x / y;
            (inexact & opposite & !y.equals(y.zero())).select(quotient - x.one(), quotient)
        }
        _ => x / y,
    })
}

/// Remainder with the sign of the divisor; integers give 0 for a zero divisor.
pub fn remainder<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let (x, y) = (v[0].real(), v[1].real());
    Real(match x.ty() {
        ty if ty.is_float() => float_divmod(x, y).1,
        ty if ty.is_signed() => {
            let remainder = x % y;
            let opposite = remainder.lt(x.zero()) ^ y.lt(y.zero());
            (!remainder.equals(x.zero()) & opposite).select(remainder + y, remainder)
        }
        _ => x % y,
    })
}

/// Remainder with the sign of the dividend.
pub fn fmod<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    Real(v[0].real() % v[1].real())
}

/// x to the power y; of integers wrapping, a negative exponent having no answer.
pub fn power<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    match (v[0], v[1]) {
        (Complex(a, b), Complex(c, d)) => pairs((a, b), (c, d), complex::power, complex::power),
        (Real(x), Real(y)) if x.ty().is_float() => Real(b.formula(Formula::Pow, &[x, y])),
        (x, y) => Real(b.prim(Prim::IntPow, &[x.real(), y.real()])),
    }
}
