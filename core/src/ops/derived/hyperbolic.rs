//! Hyperbolic functions.

use super::super::algebra::Algebra;
use super::exp::{EXP32, EXP64, Exp, expm1_parts};
use super::format::with_sign;

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

/// tanh x.
#[inline(always)]
pub fn tanh32<A: Algebra>(a: &A, x: A::F) -> A::F {
    tanh(a, x, &EXP32, 10.0)
}

/// tanh x.
#[inline(always)]
pub fn tanh64<A: Algebra>(a: &A, x: A::F) -> A::F {
    tanh(a, x, &EXP64, 20.0)
}
