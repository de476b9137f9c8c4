//! The parameter of a distribution at which a probability is given one: secant steps on the log-odds, which are nearly linear in the
//! logarithm of a parameter, within a bracket. Where no parameter up to e^230 does it, the value is NaN.

use ndany_core::formulas::algebra::Algebra;

use super::errors::ndtri;
use super::incomplete::shared::{beta_parts, gamma_parts};
use super::support::*;

/// The most that a logarithm of a parameter may be.
const MOST: f64 = 230.0;

/// The t at which the log-odds of `parts` (a probability and its complement) are those of p; `sign` is −1 where they fall with t.
fn solve<A: Algebra>(
    a: &A,
    p: A::F,
    sign: f64,
    start: A::F,
    parts: impl Fn(&A, A::F) -> [A::F; 2],
) -> A::F {
    solve_with_slope(a, p, sign, start, parts)[0]
}

/// The same, and the derivative of t by the log-odds, to some digits.
fn solve_with_slope<A: Algebra>(
    a: &A,
    p: A::F,
    sign: f64,
    start: A::F,
    parts: impl Fn(&A, A::F) -> [A::F; 2],
) -> [A::F; 2] {
    let (one, half) = (a.f(1.0), a.f(0.5));
    let target = log(a, p / (one - p));
    let state = [-infinity(a), infinity(a), start, half * half, nan(a), nan(a), a.f(0.0)];
    let small = |a: &A, t: A::F, step: A::F| a.le(a.abs(step), a.f(3e-15) * (a.f(1.0) + a.abs(t)));
    let goes_on = |a: &A, [low, high, t, step, ..]: [A::F; 7]| {
        !small(a, t, step) & a.lt(low, high) & a.lt(a.abs(t), a.f(MOST))
    };
    let [_, _, t, step, _, _, slope] =
        a.repeat_while(80, state, goes_on, |a, [low, high, t, step, t_before, before, slope]| {
            let half = a.f(0.5);
            let [lower, upper] = parts(a, t);
            let found = a.f(sign) * (log(a, lower / upper) - target);
            let above = a.lt(a.f(0.0), found);
            let (low, high) = (a.select(above, low, t), a.select(above, t, high));
            let new = (t - t_before) / (found - before);
            // Steps that are next to nothing have no slope.
            let known = a.lt(a.abs(new), infinity(a)) & a.lt(a.f(1e-10), a.abs(t - t_before));
            let slope = a.select(known, new, slope);
            let secant = t - found * new;
            let good = a.lt(low, secant) & a.lt(secant, high);
            let good = good & a.lt(a.abs(secant - t), a.f(4.0));
            // Beside the root its noise alone leads out of the bracket.
            let good = good | small(a, t, secant - t);
            let good = good & a.lt(a.abs(before), infinity(a)) & a.lt(a.abs(found), infinity(a));
            // Without a bracket steps double.
            let wide = a.f(2.0) * a.abs(step);
            let next = a.select(above, t - wide, t + wide);
            let known = a.lt(-infinity(a), low) & a.lt(high, infinity(a));
            let next = a.select(known, half * (low + high), next);
            let next = a.select(good, secant, next);
            let next = a.select(a.eq(found, a.f(0.0)), t, next);
            [low, high, next, next - t, t, found, slope]
        });
    let converged = a.le(a.abs(step), a.f(1e-9) * (one + a.abs(t)));
    [a.select(converged, t, nan(a)), a.f(sign) * slope]
}

/// An open interval from 0 to 1.
fn is_part<A: Algebra>(a: &A, p: A::F) -> A::B {
    a.lt(a.f(0.0), p) & a.lt(p, a.f(1.0))
}

/// The same with its upper end.
fn is_share<A: Algebra>(a: &A, x: A::F) -> A::B {
    a.lt(a.f(0.0), x) & a.le(x, a.f(1.0))
}

fn is_positive<A: Algebra>(a: &A, x: A::F) -> A::B {
    a.lt(a.f(0.0), x) & a.lt(x, infinity(a))
}

/// The s at which P(s, x) is p; `upper` where Q is.
fn gamma_shape<A: Algebra>(a: &A, p: A::F, x: A::F, upper: bool) -> A::F {
    let (one, half) = (a.f(1.0), a.f(0.5));
    let inside = is_part(a, p) & is_positive(a, x);
    let (p, x) = (a.select(inside, p, half), a.select(inside, x, one));
    let sign = if upper { 1.0 } else { -1.0 };
    let parts = |a: &A, s: A::F| {
        let [lower, above, _] = gamma_parts(a, s, x);
        if upper { [above, lower] } else { [lower, above] }
    };
    let found = solve_with_slope(a, p, sign, log(a, x + a.f(0.3)), |a, t| parts(a, exp(a, t)));
    a.select(inside, parameter_of(a, p, found, parts), nan(a))
}

/// The parameter whose logarithm was found, and the derivative of the logarithm by the log-odds. The rounding of a logarithm counts as
/// often as it is large, so there is one more step from the parameter itself.
fn parameter_of<A: Algebra>(
    a: &A,
    p: A::F,
    [t, slope]: [A::F; 2],
    parts: impl Fn(&A, A::F) -> [A::F; 2],
) -> A::F {
    let (one, value) = (a.f(1.0), exp(a, t));
    let [lower, above] = parts(a, a.select(a.eq(value, value), value, one));
    let change = slope * (log(a, lower / above) - log(a, p / (one - p)));
    let change = a.select(a.lt(a.abs(change), a.f(1e-8)), change, a.f(0.0));
    a.fma(-value, change, value)
}

/// Where p is an end: its value there, if x is positive.
fn at_ends<A: Algebra>(a: &A, value: A::F, p: A::F, valid: A::B, ends: [f64; 2]) -> A::F {
    let value = a.select(valid & a.eq(p, a.f(0.0)), a.f(ends[0]), value);
    a.select(valid & a.eq(p, a.f(1.0)), a.f(ends[1]), value)
}

/// The degrees of freedom of χ² at which `chdtr` is p.
pub fn chdtriv<A: Algebra>(a: &A, p: A::F, x: A::F) -> A::F {
    let value = a.f(2.0) * gamma_shape(a, p, a.f(0.5) * x, false);
    at_ends(a, value, p, is_positive(a, x), [f64::INFINITY, 0.0])
}

/// The shape at which `gdtr` is p.
pub fn gdtrib<A: Algebra>(a: &A, rate: A::F, p: A::F, x: A::F) -> A::F {
    let product = rate * x;
    let value = gamma_shape(a, p, product, false);
    let value = at_ends(a, value, p, is_positive(a, product), [f64::INFINITY, 0.0]);
    let nowhere = a.eq(x, a.f(0.0)) & a.lt(a.f(0.0), p) & a.le(p, a.f(1.0));
    let value = a.select(nowhere, a.f(0.0), value);
    a.select(a.lt(a.f(0.0), rate), value, nan(a))
}

/// A count is not below 0.
fn count<A: Algebra>(a: &A, k: A::F) -> A::F {
    a.select(a.lt(k, a.f(0.0)), a.f(0.0), k)
}

/// The count at which `pdtr`, continued, is p; 0 where that of 0 is more.
pub fn pdtrik<A: Algebra>(a: &A, p: A::F, m: A::F) -> A::F {
    let value = count(a, gamma_shape(a, p, m, true) - a.f(1.0));
    let value = at_ends(a, value, p, is_positive(a, m), [0.0, f64::NAN]);
    a.select(a.eq(m, a.f(0.0)) & within(a, p, 0.0, 1.0), a.f(0.0), value)
}

/// The t at which I(…) is p, of the operands [p, q, x, 1 − x] that `operands` makes of t.
fn beta_solve<A: Algebra>(
    a: &A,
    p: A::F,
    sign: f64,
    start: A::F,
    operands: impl Fn(&A, A::F) -> [A::F; 4],
) -> A::F {
    solve(a, p, sign, start, |a, t| {
        let [p, q, x, y] = operands(a, t);
        let [lower, above, _] = beta_parts(a, p, q, x, y);
        [lower, above]
    })
}

/// The first parameter at which I(s, t, x) is p, and the second one where `second`; the other one is `known`.
fn beta_parameter<A: Algebra>(a: &A, p: A::F, known: A::F, x: A::F, second: bool) -> A::F {
    let (one, half) = (a.f(1.0), a.f(0.5));
    let inside = is_part(a, p) & is_part(a, x) & is_positive(a, known);
    let safe = |value: A::F| a.select(inside, value, half);
    let (p, known, x) = (safe(p), safe(known), safe(x));
    let y = one - x;
    let ratio = if second { y / x } else { x / y };
    let sign = if second { 1.0 } else { -1.0 };
    let parts = |a: &A, found: A::F| {
        let [first, last] = if second { [known, found] } else { [found, known] };
        let [lower, above, _] = beta_parts(a, first, last, x, y);
        [lower, above]
    };
    let start = log(a, known * ratio);
    let found = solve_with_slope(a, p, sign, start, |a, t| parts(a, exp(a, t)));
    a.select(inside, parameter_of(a, p, found, parts), nan(a))
}

/// The first parameter of the beta distribution at which `betainc` is p.
pub fn btdtria<A: Algebra>(a: &A, p: A::F, b: A::F, x: A::F) -> A::F {
    let value = beta_parameter(a, p, b, x, false);
    at_ends(a, value, p, is_positive(a, b) & is_share(a, x), [f64::INFINITY, f64::MIN_POSITIVE])
}

/// The second parameter of the beta distribution at which `betainc` is p.
pub fn btdtrib<A: Algebra>(a: &A, s: A::F, p: A::F, x: A::F) -> A::F {
    let value = beta_parameter(a, p, s, x, true);
    at_ends(a, value, p, is_positive(a, s) & is_share(a, x), [f64::MIN_POSITIVE, f64::INFINITY])
}

/// The number of failures at which `nbdtr`, continued, is y; 0 where that of 0 is more.
pub fn nbdtrik<A: Algebra>(a: &A, y: A::F, n: A::F, p: A::F) -> A::F {
    let value = count(a, beta_parameter(a, y, n, p, true) - a.f(1.0));
    at_ends(a, value, y, is_positive(a, n) & is_part(a, p), [0.0, f64::NAN])
}

/// The number of successes at which `nbdtr` is y.
pub fn nbdtrin<A: Algebra>(a: &A, k: A::F, y: A::F, p: A::F) -> A::F {
    let value = beta_parameter(a, y, k + a.f(1.0), p, false);
    let valid = a.le(a.f(0.0), k) & a.lt(k, infinity(a));
    let value = at_ends(a, value, y, is_part(a, p), [f64::INFINITY, f64::NAN]);
    a.select(valid, value, nan(a))
}

/// The number of successes at which `bdtr`, continued, is y; 0 where that of 0 is more.
pub fn bdtrik<A: Algebra>(a: &A, y: A::F, n: A::F, p: A::F) -> A::F {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let valid = is_positive(a, n) & within(a, y, 0.0, 1.0);
    let inside = valid & is_part(a, y) & is_part(a, p);
    let safe = |value: A::F| a.select(inside, value, half);
    let (level, trial) = (safe(y), safe(p));
    let all = safe(n) + one;
    let other = one - trial;
    // Both parameters by the odds of their shares of n + 1.
    let t = beta_solve(a, level, 1.0, log(a, trial / other), |a, t| {
        let odds = exp(a, t);
        let share = all / (a.f(1.0) + odds);
        [share, odds * share, other, trial]
    });
    let odds = exp(a, t);
    let k = count(a, all * (odds / (one + odds)) - one);
    let value = a.select(inside, k, nan(a));
    let whole = within(a, p, 0.0, 1.0) & !a.eq(p, zero);
    let value = a.select(valid & whole & a.eq(y, zero), zero, value);
    let value = a.select(valid & whole & a.eq(y, one), n, value);
    a.select(valid & a.eq(p, one), n, value)
}

/// The number of trials at which `bdtr` is y: of y = 1 all of them succeed.
pub fn bdtrin<A: Algebra>(a: &A, k: A::F, y: A::F, p: A::F) -> A::F {
    let one = a.f(1.0);
    // I(n − k, k + 1, 1 − p), of which n − k is wanted.
    let half = a.f(0.5);
    let valid = a.le(a.f(0.0), k) & is_positive(a, k + one) & is_part(a, p);
    let inside = valid & is_part(a, y);
    let safe = |value: A::F| a.select(inside, value, half);
    let (level, trial, successes) = (safe(y), safe(p), safe(k) + one);
    let other = one - trial;
    let t = beta_solve(a, level, -1.0, log(a, successes * other / trial), |a, t| {
        [exp(a, t), successes, other, trial]
    });
    let value = a.select(inside, k + exp(a, t), nan(a));
    let value = a.select(valid & a.eq(y, one), k, value);
    a.select(valid & a.eq(y, a.f(0.0)), infinity(a), value)
}

/// The degrees of freedom below at which `fdtr` is p.
pub fn fdtridfd<A: Algebra>(a: &A, dfn: A::F, p: A::F, x: A::F) -> A::F {
    let (one, half) = (a.f(1.0), a.f(0.5));
    let inside = is_part(a, p) & is_positive(a, x) & is_positive(a, dfn);
    let safe = |value: A::F| a.select(inside, value, half);
    let (level, above) = (safe(p), half * safe(dfn));
    let product = a.select(inside, above * x, one);
    let t = beta_solve(a, level, 1.0, one, |a, t| {
        let below = exp(a, t);
        let sum = product + below;
        [above, below, product / sum, below / sum]
    });
    a.select(inside, a.f(2.0) * exp(a, t), nan(a))
}

/// The degrees of freedom at which `stdtr` is p.
pub fn stdtridf<A: Algebra>(a: &A, p: A::F, t: A::F) -> A::F {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let square = half * t * t;
    // Both tails.
    let tail = a.select(a.lt(t, zero), p, one - p);
    let both = tail + tail;
    let inside = is_part(a, both) & is_positive(a, square);
    // Both tails are more than those of the normal distribution.
    let inside = inside & a.lt(erfc(a, a.sqrt(square)), both);
    let (level, square) = (a.select(inside, both, half), a.select(inside, square, one));
    let found = beta_solve(a, level, -1.0, half, |a, t| {
        let below = exp(a, t);
        let sum = square + below;
        [below, a.f(0.5), below / sum, square / sum]
    });
    a.select(inside, a.f(2.0) * exp(a, found), nan(a))
}

/// The mean of a normal distribution at whose x the probability is p.
pub fn nrdtrimn<A: Algebra>(a: &A, p: A::F, deviation: A::F, x: A::F) -> A::F {
    let valid = is_part(a, p) & a.lt(a.f(0.0), deviation);
    a.select(valid, x - deviation * ndtri(a, p), nan(a))
}

/// The deviation of a normal distribution at whose x the probability is p.
pub fn nrdtrisd<A: Algebra>(a: &A, mean: A::F, p: A::F, x: A::F) -> A::F {
    a.select(is_part(a, p), (x - mean) / ndtri(a, p), nan(a))
}
