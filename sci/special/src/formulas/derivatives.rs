//! Derivatives of Bessel functions, in their argument; the logarithm of the multivariate gamma function.

use ndany_core::formulas::algebra::Algebra;

use super::bessel::spherical_yn;
use super::bessel_order::{iv, jv, kv, yv};
use super::spherical::{spherical_in, spherical_jn, spherical_kn};
use super::support::*;

/// The highest derivative.
pub(super) const HIGHEST: u32 = 32;

/// The order of a derivative, and whether it is a whole number from 0 to [`HIGHEST`]; 0 if not.
#[inline(always)]
pub(super) fn order<A: Algebra>(a: &A, n: A::F) -> (A::F, A::B) {
    let valid = is_whole(a, n) & within(a, n, 0.0, f64::from(HIGHEST));
    (a.select(valid, n, a.f(0.0)), valid)
}

/// The binomial coefficient after that of k of n, with the other sign if they alternate.
#[inline(always)]
pub(super) fn next_weight<A: Algebra>(
    weight: A::F,
    n: A::F,
    k: A::F,
    next: A::F,
    alternating: bool,
) -> A::F {
    let weight = weight * (n - k) / next;
    if alternating { -weight } else { weight }
}

/// The n-th derivative of a cylinder function by the functions of the orders v − n, v − n + 2, …, v + n, whose weights are binomial
/// coefficients with alternating signs, over 2^n (DLMF 10.6.7, 10.29.5). NaN unless n is a whole number from 0 to 32.
#[inline(always)]
fn derivative<A: Algebra>(
    a: &A,
    v: A::F,
    n: A::F,
    alternating: bool,
    function: impl Fn(&A, A::F) -> A::F,
) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let (n, valid) = order(a, n);
    let start = [zero, one, one, zero];
    let [_, _, scale, sum] = a.repeat_while(
        HIGHEST + 1,
        start,
        |a, [k, _, _, _]| a.le(k, n),
        |a, [k, weight, scale, sum]| {
            let sum = a.fma(weight, function(a, v - n + k + k), sum);
            let next = k + a.f(1.0);
            let weight = next_weight::<A>(weight, n, k, next, alternating);
            [next, weight, a.select(a.lt(k, n), scale * a.f(0.5), scale), sum]
        },
    );
    a.select(valid, sum * scale, nan(a))
}

/// The n-th derivative of J.
pub fn jvp<A: Algebra>(a: &A, v: A::F, z: A::F, n: A::F) -> A::F {
    derivative(a, v, n, true, |a, v| jv(a, v, z))
}

/// The n-th derivative of Y.
pub fn yvp<A: Algebra>(a: &A, v: A::F, z: A::F, n: A::F) -> A::F {
    derivative(a, v, n, true, |a, v| yv(a, v, z))
}

/// The n-th derivative of I.
pub fn ivp<A: Algebra>(a: &A, v: A::F, z: A::F, n: A::F) -> A::F {
    derivative(a, v, n, false, |a, v| iv(a, v, z))
}

/// The n-th derivative of K, which has the sign of (−1)^n.
pub fn kvp<A: Algebra>(a: &A, v: A::F, z: A::F, n: A::F) -> A::F {
    let value = derivative(a, v, n, false, |a, v| kv(a, v, z));
    a.select(is_odd(a, n), -value, value)
}

/// The derivative of a spherical Bessel function f of order n: s f(n − 1) − (n + 1) f(n) / z, and t f(1) of n = 0 (DLMF 10.51.2, 10.51.5).
#[inline(always)]
fn spherical<A: Algebra>(
    a: &A,
    n: A::F,
    z: A::F,
    signs: [f64; 2],
    function: impl Fn(&A, A::F) -> A::F,
) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let first = a.eq(n, zero);
    let beside = function(a, a.abs(n - one));
    let own = function(a, n);
    let value = a.fma(-((n + one) / z), own, a.f(signs[0]) * beside);
    let value = a.select(first, a.f(signs[1]) * beside, value);
    // Where the quotient says nothing: at infinity the first term does.
    a.select(a.eq(a.abs(z), infinity(a)), a.f(signs[0]) * beside, value)
}

/// The derivative of a function of the first kind at 0: 1/3 of order 1, else 0.
#[inline(always)]
fn first_at_zero<A: Algebra>(a: &A, n: A::F, z: A::F, value: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let at_zero = a.select(a.eq(n, one), a.f(1.0 / 3.0), zero);
    let known = a.eq(z, zero) & is_whole(a, n) & a.le(zero, n);
    a.select(known, at_zero, value)
}

/// The derivative of the spherical Bessel function of the first kind.
pub fn spherical_jn_derivative<A: Algebra>(a: &A, n: A::F, z: A::F) -> A::F {
    let value = spherical(a, n, z, [1.0, -1.0], |a, n| spherical_jn(a, n, z));
    first_at_zero(a, n, z, value)
}

/// The derivative of the spherical Bessel function of the second kind.
pub fn spherical_yn_derivative<A: Algebra>(a: &A, n: A::F, z: A::F) -> A::F {
    let value = spherical(a, n, z, [1.0, -1.0], |a, n| spherical_yn(a, n, z));
    let known = a.eq(z, a.f(0.0)) & is_whole(a, n) & a.le(a.f(0.0), n);
    a.select(known, infinity(a), value)
}

/// The derivative of the modified spherical Bessel function of the first kind.
pub fn spherical_in_derivative<A: Algebra>(a: &A, n: A::F, z: A::F) -> A::F {
    let value = spherical(a, n, z, [1.0, 1.0], |a, n| spherical_in(a, n, z));
    first_at_zero(a, n, z, value)
}

/// The derivative of the modified spherical Bessel function of the second kind.
pub fn spherical_kn_derivative<A: Algebra>(a: &A, n: A::F, z: A::F) -> A::F {
    let value = spherical(a, n, z, [-1.0, -1.0], |a, n| spherical_kn(a, n, z));
    let known = a.eq(z, a.f(0.0)) & is_whole(a, n) & a.le(a.f(0.0), n);
    a.select(known, -infinity(a), value)
}

/// The most dimensions of the multivariate gamma function.
const DIMENSIONS: u32 = 500;

/// log Γ_d(x) = d (d − 1)/4 log π + Σ log Γ(x − j/2) of j < d (DLMF 35.3.4). NaN unless x is above (d − 1)/2 and d is a whole number from 1
/// to 500.
pub fn multigammaln<A: Algebra>(a: &A, x: A::F, d: A::F) -> A::F {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let valid =
        is_whole(a, d) & within(a, d, 1.0, f64::from(DIMENSIONS)) & a.lt(half * (d - one), x);
    let count = a.select(valid, d, zero);
    let x_or_one = a.select(valid, x, one);
    let start = [zero, count * (count - one) * a.f(0.25 * 1.144_729_885_849_400_2)];
    let [_, sum] = a.repeat_while(
        DIMENSIONS,
        start,
        |a, [j, _]| a.lt(j, count),
        |a, [j, sum]| [j + a.f(1.0), sum + gammaln(a, x_or_one - a.f(0.5) * j)],
    );
    a.select(valid, sum, nan(a))
}
