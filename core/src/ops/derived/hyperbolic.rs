//! Hyperbolic functions, by e^x − 1 in double length (Dekker 1971): what cancels does so exactly.

use super::super::algebra::Algebra;
use super::exp::{
    EXP32, EXP64, EXPM1_32, EXPM1_64, Exp, Reduced, exp_reduced, expm1_parts, reduce, scale,
};
use super::format::{infinity, with_sign};

/// tanh |x| = −t / (t + 2) with t = e^(−2|x|) − 1, as sums of two floats throughout: one division gives
/// the reciprocal, and the remainder of the quotient repairs it. t lies between −1 and 0, so that the
/// larger part of each sum is known.
#[inline(always)]
fn tanh<A: Algebra, const N: usize>(a: &A, x: A::F, c: &Exp<N>, most: f64) -> A::F {
    // Beyond `most` the result is 1. A NaN fails the comparison and stays.
    let y = a.abs(x);
    let y = a.pick(a.lt(a.f(most), y), a.f(most), y);
    let (sum, rest) = expm1_parts(a, -(y + y), c);
    let t = sum + rest;
    let t_low = rest - (t - sum);
    let two = a.f(2.0);
    let below = two + t;
    let below_low = (t - (below - two)) + t_low;
    let inverse = a.f(1.0) / below;
    let quotient = t * inverse;
    let remainder = a.fma(-quotient, below, t) + a.fma(-quotient, below_low, t_low);
    with_sign(a, a.abs(a.fma(remainder, inverse, quotient)), x)
}

/// tanh x. Measured: at most 0.76 ulp over all 2^32 inputs.
#[inline(always)]
pub fn tanh32<A: Algebra>(a: &A, x: A::F) -> A::F {
    tanh(a, x, &EXP32, 10.0)
}

/// tanh x. Measured: at most 0.82 ulp over 2·10^8 random inputs of all binades.
#[inline(always)]
pub fn tanh64<A: Algebra>(a: &A, x: A::F) -> A::F {
    tanh(a, x, &EXP64, 20.0)
}

/// e^x / 2 for x so large that e^-x vanishes beside it: the half comes first, to stay finite as long as
/// the result is.
#[inline(always)]
fn half_exp<A: Algebra, const N: usize>(a: &A, x: A::F, c: &Exp<N>, most: f64) -> A::F {
    let Reduced { shifted, r, low, .. } = reduce(a, x, c);
    let p = exp_reduced(a, r, low, c);
    let y = p * scale(a, a.f(1.0), shifted - a.f(2.0)) * a.f(2.0);
    a.pick(a.lt(a.f(most), x), infinity(a), y)
}

/// (t + low) + 1 as a sum of two floats, whichever of t and 1 is larger.
#[inline(always)]
fn plus_one<A: Algebra>(a: &A, t: A::F, low: A::F) -> (A::F, A::F) {
    let one = a.f(1.0);
    let sum = t + one;
    let of_one = sum - t;
    (sum, ((t - (sum - of_one)) + (one - of_one)) + low)
}

/// sinh |x| = (t + t / (t + 1)) / 2 with t = e^|x| − 1, as sums of two floats.
#[inline(always)]
fn sinh<A: Algebra, const N: usize>(a: &A, x: A::F, c: &Exp<N>, [normal, most]: [f64; 2]) -> A::F {
    let one = a.f(1.0);
    let y = a.abs(x);
    let (sum, rest) = expm1_parts(a, y, c);
    let t = sum + rest;
    let t_low = rest - (t - sum);
    let (power, power_low) = plus_one(a, t, t_low);
    let inverse = one / power;
    let quotient = t * inverse;
    let remainder = a.fma(-quotient, power, t) + a.fma(-quotient, power_low, t_low);
    let total = t + quotient;
    let lost = (t - total) + quotient;
    let value = (total + (lost + a.fma(remainder, inverse, t_low))) * a.f(0.5);
    let usual = a.le(y, a.f(normal));
    with_sign(a, a.rare(!usual, |a| half_exp(a, y, c, most), value), x)
}

/// cosh |x| = (p + 1 / p) / 2 with p = e^|x| as a sum of two floats.
#[inline(always)]
fn cosh<A: Algebra, const N: usize>(a: &A, x: A::F, c: &Exp<N>, [normal, most]: [f64; 2]) -> A::F {
    let one = a.f(1.0);
    let y = a.abs(x);
    let (sum, rest) = expm1_parts(a, y, c);
    let t = sum + rest;
    let t_low = rest - (t - sum);
    let (power, power_low) = plus_one(a, t, t_low);
    let inverse = one / power;
    // 1 / p, with what the low part of p changes in it.
    let inverse = a.fma(-(power_low * inverse), inverse, inverse);
    let total = power + inverse;
    let lost = (power - total) + inverse;
    let value = (total + (lost + power_low)) * a.f(0.5);
    let usual = a.le(y, a.f(normal));
    a.rare(!usual, |a| half_exp(a, y, c, most), value)
}

/// sinh x. Measured: at most 0.80 ulp over all 2^32 inputs.
#[inline(always)]
pub fn sinh32<A: Algebra>(a: &A, x: A::F) -> A::F {
    sinh(a, x, &EXPM1_32, [87.25, 90.0])
}

/// sinh x. Measured: at most 0.86 ulp over 2·10^8 random inputs of all binades.
#[inline(always)]
pub fn sinh64<A: Algebra>(a: &A, x: A::F) -> A::F {
    sinh(a, x, &EXPM1_64, [708.0, 711.0])
}

/// cosh x. Measured: at most 0.77 ulp over all 2^32 inputs.
#[inline(always)]
pub fn cosh32<A: Algebra>(a: &A, x: A::F) -> A::F {
    cosh(a, x, &EXPM1_32, [87.25, 90.0])
}

/// cosh x. Measured: at most 0.77 ulp over 2·10^8 random inputs of all binades.
#[inline(always)]
pub fn cosh64<A: Algebra>(a: &A, x: A::F) -> A::F {
    cosh(a, x, &EXPM1_64, [708.0, 711.0])
}
