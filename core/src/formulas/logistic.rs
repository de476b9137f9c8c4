//! Small functions of logarithms and exponentials: the logistic function and its inverse, x log y.

use super::algebra::Algebra;
use super::code;
use super::exp::exp_parts;
use super::trig::quotient;

/// 1 / (1 + e^−x), with no exponential above 1, in two floats throughout.
/// Measured: at most 0.76 ulp over every 17th f32, 0.78 over 6·10^5 random f64.
#[inline(always)]
pub fn expit<A: Algebra>(a: &A, x: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let y = -a.abs(x);
    let (power, power_low) = exp_parts(a, y, zero);
    let below = one + power;
    let below_low = ((one - below) + power) + power_low;
    let left = a.lt(x, zero);
    let above = (a.select(left, power, one), a.select(left, power_low, zero));
    let value = quotient(a, above, (below, below_low));
    let small = !a.le(a.f(if A::WIDTH == 32 { -87.25 } else { -708.0 }), y);
    a.slow_path(
        small,
        #[inline(always)]
        |a| {
            // The 1 below vanishes; on the right, so does the power. The exponential of a NaN is one.
            let power = a.call(code::Exp, &[y]);
            a.select(a.lt(zero, x), one, power)
        },
        value,
    )
}

/// log(x / (1 − x)); about ½ as 2 artanh(2x − 1), whose argument is exact there.
/// Measured: at most 1.28 ulp over every 17th f32, 1.06 over 7·10^5 random f64.
#[inline(always)]
pub fn logit<A: Algebra>(a: &A, x: A::F) -> A::F {
    let one = a.f(1.0);
    let near = a.lt(a.f(0.25), x) & a.lt(x, a.f(0.75));
    let middle = a.select(near, x + x - one, a.f(0.0));
    let ratio = a.select(near, one, x / (one - x));
    let close = a.call(code::Atanh, &[middle]);
    a.select(near, close + close, a.call(code::Log, &[ratio]))
}

/// x log y, 0 for x = 0 unless y is NaN.
/// Measured: at most 1.60 ulp over 2·10^6 random pairs of f32.
#[inline(always)]
pub fn xlogy<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let zero = a.f(0.0);
    let product = x * a.call(code::Log, &[y]);
    a.select(a.eq(x, zero) & !a.is_nan(y), zero, product)
}

/// x log(1 + y), 0 for x = 0 unless y is NaN.
/// Measured: at most 1.59 ulp over 2·10^6 random pairs of f32.
#[inline(always)]
pub fn xlog1py<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let zero = a.f(0.0);
    let product = x * a.call(code::Log1p, &[y]);
    a.select(a.eq(x, zero) & !a.is_nan(y), zero, product)
}
