//! Meanings that take floats apart: neighbours, spacing, exponent and fraction, and putting together.
//!
//! Everything is integer steps on bit patterns and products with powers of two, so results are exact
//! (a scaling rounds once, also into the subnormal range). 16-bit floats come as f32 registers that
//! hold their values: the neighbours depend on the format, which is why these take it as a parameter.

use super::lowering::LoweredValue;
use super::lowering::{copy_sign, is_nan, magnitude};
use crate::dtype::DType;
use crate::float::Format;
use crate::program::{Builder, Prim, RegType, SsaValue};
use LoweredValue::Real;

/// Bits of the fraction of a register's format.
fn fraction_bits(ty: RegType) -> i64 {
    if ty == RegType::F32 { 23 } else { 52 }
}

/// Exponent bias of a register's format.
fn bias(ty: RegType) -> i64 {
    if ty == RegType::F32 { 127 } else { 1023 }
}

/// The signed integer as wide as a float type.
fn signed(ty: RegType) -> RegType {
    if ty == RegType::F32 { RegType::I32 } else { RegType::I64 }
}

fn is_finite(x: SsaValue<'_>) -> SsaValue<'_> {
    magnitude(x).lt(x.builder().float(x.ty(), f64::INFINITY))
}

fn is_zero(x: SsaValue<'_>) -> SsaValue<'_> {
    x.equals(x.zero())
}

/// `2^n` for `n` (of the signed type) in the range of normal exponents.
fn power_of_two<'b>(n: SsaValue<'b>, ty: RegType) -> SsaValue<'b> {
    let b = n.builder();
    ((n + b.int(n.ty(), bias(ty))) << fraction_bits(ty) as usize).bitcast(ty)
}

/// The two neighbours of a positive number in its format: the one nearer to zero, and the one farther
/// (which may be out of range, and becomes infinite when it is rounded).
fn neighbours<'b>(x: SsaValue<'b>, format: DType) -> (SsaValue<'b>, SsaValue<'b>) {
    let b = x.builder();
    let (float, bits_type) = (x.ty(), x.ty().bits_type());
    let bits = x.bitcast(bits_type);
    if format != DType::F16 {
        // The other formats are a register's with fewer bits of the fraction.
        let of = |dtype| Format::of(dtype).map_or(0, |format| format.fraction);
        let register = if float == RegType::F64 { DType::F64 } else { DType::F32 };
        let step = b.int(bits_type, 1 << (of(register) - of(format)));
        return ((bits - step).bitcast(float), (bits + step).bitcast(float));
    }
    // f16 in f32: a unit is 2^-10 of the power of two below, and never less than 2^-24.
    let unit = |bits: SsaValue<'b>| {
        let power = (bits & b.int(bits_type, 0x7F80_0000)).bitcast(float);
        let unit = power * b.float(float, 1.0 / 1024.0);
        b.prim(Prim::Max, &[unit, smallest(b, format)])
    };
    let infinite = x.equals(b.float(float, f64::INFINITY));
    let inner = x - unit(bits - bits.one());
    (infinite.select(b.float(float, 65504.0), inner), x + unit(bits))
}

/// The smallest positive number of a format.
fn smallest(b: &Builder, format: DType) -> SsaValue<'_> {
    b.float(RegType::of(format), Format::of(format).map_or(0.0, Format::smallest))
}

/// The next number after x in the direction of y.
pub fn nextafter<'b>(b: &'b Builder, format: DType, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let (x, y) = (v[0].real(), v[1].real());
    let (inner, outer) = neighbours(magnitude(x), format);
    let outward = !(x.lt(y) ^ x.zero().lt(x));
    let stepped = copy_sign(outward.select(outer, inner), x);
    let stepped = is_zero(x).select(copy_sign(smallest(b, format), y), stepped);
    // Of two zeros NumPy returns the second, but among its halves the first.
    let same = if format == DType::F16 { x } else { y };
    let moved = x.equals(y).select(same, stepped);
    Real((is_nan(x) | is_nan(y)).select(x + y, moved))
}

/// The distance to the next number away from zero (for f16, as in NumPy: to the next number above).
pub fn spacing<'b>(b: &'b Builder, format: DType, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let x = v[0].real();
    let (inner, outer) = neighbours(magnitude(x), format);
    let distance = match format {
        DType::F16 => {
            let above = outer.round_to(format) - magnitude(x);
            x.lt(x.zero()).select(magnitude(x) - inner, above)
        }
        _ => copy_sign(outer, x) - x,
    };
    let distance = is_zero(x).select(smallest(b, format), distance);
    Real(is_finite(x).select(distance, b.float(x.ty(), f64::NAN)))
}

/// `x * 2^n`, rounded once: no step but the last can round, as each but that stays in the normal range.
pub fn ldexp<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let (mut x, n) = (v[0].real(), v[1].real());
    let (ty, wide, narrow) = (x.ty(), n.ty(), signed(x.ty()));
    let (bias, fraction) = (bias(ty), fraction_bits(ty));
    // Beyond four times the range every result is 0 or infinite.
    let n = b.prim(Prim::Max, &[n, b.int(wide, -4 * bias)]);
    let mut n = b.prim(Prim::Min, &[n, b.int(wide, 4 * bias)]).cast(narrow);
    let int = |value| b.int(narrow, value);
    for _ in 0..2 {
        let large = int(bias).lt(n);
        x = large.select(x * power_of_two(int(bias), ty), x);
        n = large.select(n - int(bias), n);
    }
    // A step down leaves the last one far enough from the subnormal range that only one rounds there.
    let step = 1 - bias + fraction + 1;
    for _ in 0..2 {
        let small = n.lt(int(1 - bias));
        x = small.select(x * power_of_two(int(step), ty), x);
        n = small.select(n - int(step), n);
    }
    let n = b.prim(Prim::Max, &[b.prim(Prim::Min, &[n, int(bias)]), int(1 - bias)]);
    Real(x * power_of_two(n, ty))
}

/// The number as fraction in [0.5, 1) and exponent (0 where it is zero or not finite).
fn split<'b>(b: &'b Builder, x: SsaValue<'b>) -> (SsaValue<'b>, SsaValue<'b>) {
    let (ty, narrow) = (x.ty(), signed(x.ty()));
    let (bias, fraction) = (bias(ty), fraction_bits(ty));
    let int = |value| b.int(narrow, value);
    let tiny = magnitude(x).lt(power_of_two(int(1 - bias), ty));
    let scaled = tiny.select(x * power_of_two(int(fraction + 1), ty), x);
    let bits = scaled.bitcast(narrow);
    let field = b.int(narrow, 2 * bias + 1) << fraction as usize;
    let exponent = ((bits & field) >> fraction as usize) & int(2 * bias + 1);
    let exponent = exponent - tiny.select(int(bias - 1 + fraction + 1), int(bias - 1));
    let half = (bits & !field) | (int(bias - 1) << fraction as usize);
    let plain = is_zero(x) | !is_finite(x);
    (plain.select(x, half.bitcast(ty)), plain.select(int(0), exponent))
}

/// The fraction of `frexp`.
pub fn frexp_fraction<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    Real(split(b, v[0].real()).0)
}

/// The exponent of `frexp`, an I32.
pub fn frexp_exponent<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    Real(split(b, v[0].real()).1.cast(RegType::I32))
}

/// What `trunc` takes away, with the sign of x.
pub fn modf_fraction<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let x = v[0].real();
    let infinite = magnitude(x).equals(b.float(x.ty(), f64::INFINITY));
    let rest = infinite.select(x.zero(), x - b.prim(Prim::Trunc, &[x]));
    Real(is_nan(x).select(x, copy_sign(rest, x)))
}

/// |x| with the sign of y.
pub fn copysign<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    Real(copy_sign(v[0].real(), v[1].real()))
}

/// 0 below zero, `y` at zero, 1 above; NaN of NaN.
pub fn heaviside<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let (x, y) = (v[0].real(), v[1].real());
    let step = x.lt(x.zero()).select(x.zero(), x.one());
    Real(is_nan(x).select(x, is_zero(x).select(y, step)))
}
