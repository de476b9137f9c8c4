//! Probabilities and quantiles of distributions, over the incomplete gamma and beta functions.

use ndany_core::formulas::algebra::Algebra;

use super::errors::{ndtr, ndtri};
use super::incomplete::shared::{
    beta_checked, beta_inverse_checked, betainc, betaincinv, gammainc, gammaincc, gammainccinv,
    gammaincinv,
};
use super::support::*;

/// The value, NaN where a condition does not hold.
#[inline(always)]
fn where_valid<A: Algebra>(a: &A, valid: A::B, value: A::F) -> A::F {
    a.select(valid, value, nan(a))
}

/// χ² of v degrees of freedom: the probability of at most x.
#[inline(always)]
pub fn chdtr<A: Algebra>(a: &A, v: A::F, x: A::F) -> A::F {
    gammainc(a, a.f(0.5) * v, a.f(0.5) * x)
}

/// The probability of more than x, NaN of negative x.
#[inline(always)]
pub fn chdtrc<A: Algebra>(a: &A, v: A::F, x: A::F) -> A::F {
    gammaincc(a, a.f(0.5) * v, a.f(0.5) * x)
}

/// The inverse of [`chdtrc`] in x.
#[inline(always)]
pub fn chdtri<A: Algebra>(a: &A, v: A::F, p: A::F) -> A::F {
    a.f(2.0) * gammainccinv(a, a.f(0.5) * v, p)
}

/// Gamma distribution of rate a and shape b, NaN of negative x.
#[inline(always)]
pub fn gdtr<A: Algebra>(a: &A, rate: A::F, shape: A::F, x: A::F) -> A::F {
    where_valid(a, a.le(a.f(0.0), x), gammainc(a, shape, rate * x))
}

/// The probability of more than x.
#[inline(always)]
pub fn gdtrc<A: Algebra>(a: &A, rate: A::F, shape: A::F, x: A::F) -> A::F {
    where_valid(a, a.le(a.f(0.0), x), gammaincc(a, shape, rate * x))
}

/// The rate at which [`gdtr`] is p; no rate is at x = 0.
#[inline(always)]
pub fn gdtria<A: Algebra>(a: &A, p: A::F, shape: A::F, x: A::F) -> A::F {
    where_valid(a, !a.eq(x, a.f(0.0)), gammaincinv(a, shape, p) / x)
}

/// The x at which [`gdtr`] is p.
#[inline(always)]
pub fn gdtrix<A: Algebra>(a: &A, rate: A::F, shape: A::F, p: A::F) -> A::F {
    gammaincinv(a, shape, p) / rate
}

/// Poisson: the probability of at most k.
#[inline(always)]
pub fn pdtr<A: Algebra>(a: &A, k: A::F, m: A::F) -> A::F {
    let k = a.floor(k);
    where_valid(a, a.le(a.f(0.0), k) & a.le(a.f(0.0), m), gammaincc(a, k + a.f(1.0), m))
}

/// The probability of more than k.
#[inline(always)]
pub fn pdtrc<A: Algebra>(a: &A, k: A::F, m: A::F) -> A::F {
    let k = a.floor(k);
    where_valid(a, a.le(a.f(0.0), k) & a.le(a.f(0.0), m), gammainc(a, k + a.f(1.0), m))
}

/// The mean at which [`pdtr`] is y.
#[inline(always)]
pub fn pdtri<A: Algebra>(a: &A, k: A::F, y: A::F) -> A::F {
    let k = truncated(a, k);
    where_valid(a, a.le(a.f(0.0), k), gammainccinv(a, k + a.f(1.0), y))
}

/// Whether k of n trials of probability p make sense.
#[inline(always)]
fn is_trial<A: Algebra>(a: &A, k: A::F, n: A::F, p: A::F) -> A::B {
    within(a, p, 0.0, 1.0) & a.le(k, n)
}

/// Binomial: the probability of at most k of the whole part of n.
#[inline(always)]
pub fn bdtr<A: Algebra>(a: &A, k: A::F, n: A::F, p: A::F) -> A::F {
    let (k, n) = (a.floor(k), truncated(a, n));
    let pair = beta_checked(a, n - k, k + a.f(1.0), a.f(1.0) - p, p);
    let value = a.select(a.eq(k, n), a.f(1.0), pair[0]);
    where_valid(a, is_trial(a, k, n, p) & a.le(a.f(0.0), k), value)
}

/// The probability of more than k.
#[inline(always)]
pub fn bdtrc<A: Algebra>(a: &A, k: A::F, n: A::F, p: A::F) -> A::F {
    let (k, n) = (a.floor(k), truncated(a, n));
    let value = betainc(a, k + a.f(1.0), n - k, p);
    let value = a.select(a.eq(k, n), a.f(0.0), value);
    let value = a.select(a.lt(k, a.f(0.0)), a.f(1.0), value);
    where_valid(a, is_trial(a, k, n, p), value)
}

/// The probability of a trial at which [`bdtr`] is y.
#[inline(always)]
pub fn bdtri<A: Algebra>(a: &A, k: A::F, n: A::F, y: A::F) -> A::F {
    let (k, n) = (a.floor(k), truncated(a, n));
    let value = beta_inverse_checked(a, k + a.f(1.0), n - k, a.f(1.0) - y, y)[0];
    where_valid(a, a.le(a.f(0.0), k) & a.lt(k, n) & within(a, y, 0.0, 1.0), value)
}

/// F: the probability of at most x.
#[inline(always)]
pub fn fdtr<A: Algebra>(a: &A, m: A::F, n: A::F, x: A::F) -> A::F {
    let [lower, _] = f_parts(a, m, n, x);
    lower
}

/// The probability of more than x.
#[inline(always)]
pub fn fdtrc<A: Algebra>(a: &A, m: A::F, n: A::F, x: A::F) -> A::F {
    let [_, upper] = f_parts(a, m, n, x);
    upper
}

#[inline(always)]
fn f_parts<A: Algebra>(a: &A, m: A::F, n: A::F, x: A::F) -> [A::F; 2] {
    let half = a.f(0.5);
    let product = m * x;
    let sum = n + product;
    // At infinity all of it is below.
    let endless = a.eq(product, infinity(a));
    let share = a.select(endless, a.f(1.0), product / sum);
    let rest = a.select(endless, a.f(0.0), n / sum);
    let valid = a.lt(a.f(0.0), m) & a.lt(a.f(0.0), n) & a.le(a.f(0.0), x);
    beta_checked(a, half * m, half * n, share, rest).map(|part| where_valid(a, valid, part))
}

/// The x at which [`fdtr`] is p.
#[inline(always)]
pub fn fdtri<A: Algebra>(a: &A, m: A::F, n: A::F, p: A::F) -> A::F {
    let half = a.f(0.5);
    let [x, y] = beta_inverse_checked(a, half * m, half * n, p, a.f(1.0) - p);
    where_valid(a, within(a, p, 0.0, 1.0), n * x / (m * y))
}

/// Student's t of df degrees of freedom: the probability of at most t.
#[inline(always)]
pub fn stdtr<A: Algebra>(a: &A, df: A::F, t: A::F) -> A::F {
    let half = a.f(0.5);
    let square = t * t;
    let large = a.lt(a.f(1e150), a.abs(t));
    let x = a.select(large, a.f(1.0), square / (df + square));
    let y = a.select(large, df / t / t, df / (df + square));
    let tail = half * beta_checked(a, half, half * df, x, y)[1];
    let value = a.select(a.lt(a.f(0.0), t), a.f(1.0) - tail, tail);
    // Of so many degrees of freedom it is the normal distribution.
    let value = when(
        a,
        a.lt(a.f(1e15), df),
        value,
        #[inline(always)]
        |a| ndtr(a, t),
    );
    where_valid(a, a.lt(a.f(0.0), df) & a.eq(t, t), value)
}

/// The inverse of [`stdtr`] in t.
#[inline(always)]
pub fn stdtrit<A: Algebra>(a: &A, df: A::F, p: A::F) -> A::F {
    let half = a.f(0.5);
    let low = a.lt(p, half);
    let tail = a.f(2.0) * a.select(low, p, a.f(1.0) - p);
    let [x, y] = beta_inverse_checked(a, half, half * df, a.f(1.0) - tail, tail);
    let size = a.sqrt(df * x / y);
    let value = a.select(low, -size, size);
    let value = when(
        a,
        a.lt(a.f(1e15), df),
        value,
        #[inline(always)]
        |a| ndtri(a, p),
    );
    let value = a.select(a.eq(p, a.f(0.0)), -infinity(a), value);
    let value = a.select(a.eq(p, a.f(1.0)), infinity(a), value);
    where_valid(a, a.lt(a.f(0.0), df) & within(a, p, 0.0, 1.0), value)
}

/// The whole parts of the counts of failures and of successes, and whether they make sense: no failures, but one success at least.
#[inline(always)]
fn counts<A: Algebra>(a: &A, k: A::F, n: A::F) -> (A::F, A::F, A::B) {
    let (k, n) = (truncated(a, k), truncated(a, n));
    (k, n, a.le(a.f(0.0), k) & a.le(a.f(1.0), n))
}

/// Negative binomial: the probability of at most k failures before n successes.
#[inline(always)]
pub fn nbdtr<A: Algebra>(a: &A, k: A::F, n: A::F, p: A::F) -> A::F {
    let (k, n, valid) = counts(a, k, n);
    where_valid(a, valid, betainc(a, n, k + a.f(1.0), p))
}

/// The probability of more than k failures.
#[inline(always)]
pub fn nbdtrc<A: Algebra>(a: &A, k: A::F, n: A::F, p: A::F) -> A::F {
    let (k, n, valid) = counts(a, k, n);
    let [_, upper] = beta_checked(a, n, k + a.f(1.0), p, a.f(1.0) - p);
    where_valid(a, valid, upper)
}

/// The probability of a success at which [`nbdtr`] is y.
#[inline(always)]
pub fn nbdtri<A: Algebra>(a: &A, k: A::F, n: A::F, y: A::F) -> A::F {
    let (k, n, valid) = counts(a, k, n);
    where_valid(a, valid, betaincinv(a, n, k + a.f(1.0), y))
}

/// The limit of Kolmogorov's statistic: the probability of more than x, by the series that converges fast on its side.
#[inline(always)]
pub fn kolmogorov<A: Algebra>(a: &A, x: A::F) -> A::F {
    let [value] = a.branch(
        a.lt(x, a.f(0.82)),
        #[inline(always)]
        |a| {
            // 1 − √(2π)/x Σ e^(−(2k−1)² π²/(8x²)).
            let pi = std::f64::consts::PI;
            let exponent = a.f(-pi * pi / 8.0) / (x * x);
            let t = exp(a, exponent);
            let t8 = exp(a, a.f(8.0) * exponent);
            let series = a.f(1.0) + t8 * (a.f(1.0) + t8 * t8 * (a.f(1.0) + t8 * t8 * t8));
            [a.f(1.0) - a.f((2.0 * pi).sqrt()) / x * t * series]
        },
        #[inline(always)]
        |a| {
            let t = exp(a, a.f(-2.0) * x * x);
            let t3 = t * t * t;
            let t5 = t3 * t * t;
            let t7 = t5 * t * t;
            let series = a.f(1.0) - t3 * (a.f(1.0) - t5 * (a.f(1.0) - t7));
            [a.f(2.0) * t * series]
        },
    );
    let value = a.select(a.le(x, a.f(0.0)), a.f(1.0), value);
    a.select(a.eq(x, x), value, x)
}

/// The inverse of [`kolmogorov`]: Newton's steps within a bracket.
#[inline(always)]
pub fn kolmogi<A: Algebra>(a: &A, p: A::F) -> A::F {
    let inside = a.lt(a.f(0.0), p) & a.lt(p, a.f(1.0));
    let target = a.select(inside, p, a.f(0.5));
    // 2 e^(−2x²) ≈ p.
    let start = a.sqrt(a.f(-0.5) * log(a, a.f(0.5) * target));
    let state = [a.f(0.0), a.f(30.0), start, a.f(1.0)];
    let goes_on = |a: &A, [low, high, x, step]: [A::F; 4]| {
        a.lt(a.f(2.0 * f64::EPSILON) * x, a.abs(step)) & a.lt(low, high)
    };
    let [.., x, _] = a.repeat_while(
        80,
        state,
        goes_on,
        #[inline(always)]
        |a, [low, high, x, _]| {
            let value = kolmogorov(a, x);
            let pi = std::f64::consts::PI;
            // The derivative by either series.
            let small = a.lt(x, a.f(0.82));
            let exponent = a.f(-pi * pi / 8.0) / (x * x);
            let inverse = a.f(1.0) / x;
            let term = |odd: f64| {
                let scaled = a.f(odd * odd) * exponent;
                exp(a, scaled) * (a.f(-1.0) - a.f(2.0) * scaled) * inverse
            };
            let of_small = a.f(-(2.0 * pi).sqrt()) * inverse * (term(1.0) + term(3.0));
            let e = |k: f64| a.f(k * k) * exp(a, a.f(-2.0 * k * k) * x * x);
            let of_large = a.f(-8.0) * x * (e(1.0) - e(2.0) + e(3.0) - e(4.0));
            let slope = a.select(small, of_small, of_large);
            let above = a.lt(target, value);
            let (low, high) = (a.select(above, x, low), a.select(above, high, x));
            let next = x - (value - target) / slope;
            let done = a.le(a.abs(next - x), a.f(2.0 * f64::EPSILON) * x);
            let inside = a.lt(low, next) & a.lt(next, high);
            let next = a.select(inside, next, a.f(0.5) * (low + high));
            let next = a.select(done, x, next);
            [low, high, next, next - x]
        },
    );
    let x = a.select(a.eq(p, a.f(1.0)), a.f(0.0), x);
    let x = a.select(a.eq(p, a.f(0.0)), infinity(a), x);
    where_valid(a, within(a, p, 0.0, 1.0), x)
}
