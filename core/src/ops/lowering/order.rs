//! Comparisons, and the larger and smaller of two values.

use super::LoweredValue::{Complex, Real};
use super::{LoweredValue, Pair, choose, is_nan, isnan};
use crate::program::{Builder, Prim, RegType, SsaValue};

/// The lexicographic order of complex numbers as NumPy has it: false where a part that counts is NaN.
fn complex_less<'b>(x: Pair<'b>, y: Pair<'b>, or_equal: bool) -> SsaValue<'b> {
    let ordered = x.1.equals(x.1) & y.1.equals(y.1);
    let last = if or_equal { x.1.le(y.1) } else { x.1.lt(y.1) };
    (x.0.lt(y.0) & ordered) | (x.0.equals(y.0) & last)
}

fn extremum<'b>(
    b: &'b Builder,
    x: LoweredValue<'b>,
    y: LoweredValue<'b>,
    prim: Prim,
) -> LoweredValue<'b> {
    match (x, y) {
        (Complex(a, ai), Complex(c, ci)) => {
            let first = match prim {
                Prim::Min => complex_less((a, ai), (c, ci), true),
                _ => complex_less((c, ci), (a, ai), true),
            };
            let first = first | is_nan(a) | is_nan(ai);
            Complex(first.select(a, c), first.select(ai, ci))
        }
        (x, y) if x.ty() == RegType::Bool => match prim {
            Prim::Min => Real(x.real() & y.real()),
            _ => Real(x.real() | y.real()),
        },
        (x, y) => Real(b.prim(prim, &[x.real(), y.real()])),
    }
}

/// The larger; NaN wins.
pub fn maximum<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    extremum(b, v[0], v[1], Prim::Max)
}

/// The smaller; NaN wins.
pub fn minimum<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    extremum(b, v[0], v[1], Prim::Min)
}

/// A value brought between a lower and a higher limit, where what equals a limit stays as it is (a complex number becomes
/// the limit). NaN stays, and a NaN limit wins.
pub fn clip<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    match (v[0], v[1], v[2]) {
        (Complex(re, im), Complex(low, low_im), Complex(high, high_im)) => {
            let inside = |x: Pair<'b>, limit: Pair<'b>, within: SsaValue<'b>| {
                let kept = within | is_nan(x.0) | is_nan(x.1);
                (kept.select(x.0, limit.0), kept.select(x.1, limit.1))
            };
            let (x, low, high) = ((re, im), (low, low_im), (high, high_im));
            let x = inside(x, low, complex_less(low, x, false));
            let (re, im) = inside(x, high, complex_less(x, high, false));
            Complex(re, im)
        }
        (x, low, high) if x.ty().is_float() => {
            let (x, low, high) = (x.real(), low.real(), high.real());
            let x = (x.lt(low) | is_nan(low)).select(low, x);
            Real((high.lt(x) | is_nan(high)).select(high, x))
        }
        (x, low, high) => minimum(b, &[maximum(b, &[x, low]), high]),
    }
}

/// The extremum of two where a NaN loses to a number.
fn extremum_of_numbers<'b>(
    b: &'b Builder,
    x: LoweredValue<'b>,
    y: LoweredValue<'b>,
    prim: Prim,
) -> LoweredValue<'b> {
    let better = extremum(b, x, y, prim);
    if !x.ty().is_float() {
        return better;
    }
    let nan = |value| Real(isnan(b, &[value]).real());
    let better = choose(b, &[nan(x), y, better]);
    choose(b, &[nan(y), x, better])
}

/// The larger; NaN loses.
pub fn fmax<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    extremum_of_numbers(b, v[0], v[1], Prim::Max)
}

/// The smaller; NaN loses.
pub fn fmin<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    extremum_of_numbers(b, v[0], v[1], Prim::Min)
}

/// Compares a signed with an unsigned integer of 64 bits exactly; anything else by `same`.
fn mixed<'b>(
    x: LoweredValue<'b>,
    y: LoweredValue<'b>,
    same: impl Fn(SsaValue<'b>, SsaValue<'b>) -> SsaValue<'b>,
    signed_negative: impl Fn(bool) -> bool,
) -> SsaValue<'b> {
    let (x, y) = (x.real(), y.real());
    let answer = |b: &'b Builder, truth| b.int(RegType::Bool, i64::from(truth));
    match (x.ty(), y.ty()) {
        (RegType::I64, RegType::U64) => x
            .lt(x.zero())
            .select(answer(x.builder(), signed_negative(true)), same(x.cast(RegType::U64), y)),
        (RegType::U64, RegType::I64) => y
            .lt(y.zero())
            .select(answer(x.builder(), signed_negative(false)), same(x, y.cast(RegType::U64))),
        _ => same(x, y),
    }
}

/// x == y.
pub fn equal<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    Real(match (v[0], v[1]) {
        (Complex(a, b), Complex(c, d)) => a.equals(c) & b.equals(d),
        (x, y) => mixed(x, y, SsaValue::equals, |_| false),
    })
}

/// x != y.
pub fn not_equal<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    Real(!equal(b, v).real())
}

/// x < y.
pub fn less<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    Real(match (v[0], v[1]) {
        (Complex(a, b), Complex(c, d)) => complex_less((a, b), (c, d), false),
        (x, y) if x.ty() == RegType::Bool => !x.real() & y.real(),
        (x, y) => mixed(x, y, SsaValue::lt, |left_is_negative| left_is_negative),
    })
}

/// x <= y.
pub fn less_equal<'b>(_: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    Real(match (v[0], v[1]) {
        (Complex(a, b), Complex(c, d)) => complex_less((a, b), (c, d), true),
        (x, y) if x.ty() == RegType::Bool => !x.real() | y.real(),
        (x, y) => mixed(x, y, SsaValue::le, |left_is_negative| left_is_negative),
    })
}

/// x > y.
pub fn greater<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    less(b, &[v[1], v[0]])
}

/// x >= y.
pub fn greater_equal<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    less_equal(b, &[v[1], v[0]])
}
