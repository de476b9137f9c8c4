//! Logarithms of sums of powers: log(e^x + e^y) and log₂(2^x + 2^y).
//!
//! The larger of the two, and the logarithm of 1 plus what the other adds; their difference and its power
//! are sums of two floats. Where the larger is negative and both parts nearly cancel, the error is that
//! of the larger, not of the result.

use super::algebra::Algebra;
use super::code;
use super::exp::{exp_parts, exp2_parts};
use super::log::{log_of_sum, log2_of_sum};

/// Two numbers by their size.
struct Ordered<A: Algebra> {
    large: A::F,
    /// The smaller less the larger: zero for equal ones, infinities too.
    less: A::F,
    /// What rounding took from it.
    low: A::F,
    /// So far apart that the power of the difference is no normal number.
    apart: A::B,
}

#[inline(always)]
fn ordered<A: Algebra>(a: &A, x: A::F, y: A::F, normal: [f64; 2]) -> Ordered<A> {
    let swap = a.lt(x, y);
    let (large, small) = (a.select(swap, y, x), a.select(swap, x, y));
    let less = a.select(a.eq(x, y), a.f(0.0), small - large);
    let of_large = less - small;
    let low = (small - (less - of_large)) - (large + of_large);
    let apart = !a.le(a.f(normal[usize::from(A::WIDTH == 64)]), less);
    // Infinities have no low part.
    let low = a.select(a.lt(a.abs(low), a.f(1.0)), low, a.f(0.0));
    Ordered { large, less, low, apart }
}

/// log(e^x + e^y).
/// Measured: at most 1.06 ulp over 3·10^6 random pairs of f32.
#[inline(always)]
pub fn logaddexp<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let Ordered { large, less, low, apart } = ordered(a, x, y, [-87.25, -708.0]);
    let (power, rest) = exp_parts(a, less, low);
    // So small a power is its own logarithm; that of a NaN is one.
    let value = log_of_sum(a, power, rest);
    large + a.slow_path(apart, |a| a.call(code::Exp, &[less]), value)
}

/// log₂(2^x + 2^y).
/// Measured: at most 1.04 ulp over 3·10^6 random pairs of f32.
#[inline(always)]
pub fn logaddexp2<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let Ordered { large, less, low, apart } = ordered(a, x, y, [-125.5, -1021.5]);
    let (power, rest) = exp2_parts(a, less, low);
    let value = log2_of_sum(a, power, rest);
    let e = a.f(std::f64::consts::LOG2_E);
    large + a.slow_path(apart, |a| a.call(code::Exp2, &[less]) * e, value)
}
