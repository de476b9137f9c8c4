//! Bessel functions of any real order: a pair of neighbouring orders near 0, from which recurrences in the order go up.

use ndany_core::formulas::Formula;
use ndany_core::formulas::algebra::Algebra;

use super::bessel_order_tables::*;
use super::support::*;

const FRAC_PI_2: f64 = std::f64::consts::FRAC_PI_2;
const FRAC_2_PI: f64 = std::f64::consts::FRAC_2_PI;
const PI: f64 = std::f64::consts::PI;

/// The largest whole part of an order; beyond it functions are NaN.
const MOST: u32 = 1000;

/// Where Temme's series end.
const MIDDLE: f64 = 2.0;

/// The nearest whole number n of an order, and the rest, −1/2 to 1/2.
pub(crate) fn split<A: Algebra>(a: &A, order: A::F) -> [A::F; 2] {
    let n = a.rint(order);
    [n, order - n]
}

/// Whether a whole number is odd.
pub(crate) fn is_odd<A: Algebra>(a: &A, n: A::F) -> A::B {
    let half = n * a.f(0.5);
    !a.eq(a.floor(half), half)
}

/// sin(πμ/2) / μ and cos(πμ/2) of |μ| ≤ 1/2, by their Taylor series.
fn quarter_turns<A: Algebra>(a: &A, mu: A::F) -> [A::F; 2] {
    const SINE: [f64; 9] = taylor::<9>(FRAC_PI_2, 1);
    const COSINE: [f64; 9] = taylor::<9>(1.0, 0);
    let square = mu * mu;
    [horner(a, square, &SINE), horner(a, square, &COSINE)]
}

/// The coefficients (−1)^k (π/2)^(2k + s) / (2k + s)!, of which `first` is the first one.
const fn taylor<const N: usize>(first: f64, s: usize) -> [f64; N] {
    let mut terms = [first; N];
    let mut k = 1;
    while k < N {
        let count = (2 * k + s) as f64;
        terms[k] = -terms[k - 1] * (FRAC_PI_2 * FRAC_PI_2) / (count * (count - 1.0));
        k += 1;
    }
    terms
}

/// sin(πμ) and cos(πμ) of |μ| ≤ 1/2, with exact zeros.
pub(crate) fn half_turns<A: Algebra>(a: &A, mu: A::F) -> [A::F; 2] {
    [mu, a.f(0.5) - a.abs(mu)].map(|turn| sin(a, turn * a.f(PI)))
}

/// The sums of Temme's series (Temme 1975, 1976): with t = ±x²/4, c(k) = t^k/k!, p(k) = p(0)/(1 − μ)(2 − μ)…,
/// q(k) = q(0)/(1 + μ)(2 + μ)…, f(k) = (k f(k − 1) + p(k − 1) + q(k − 1))/(k² − μ²), the sums of c(f + r q), of
/// c(p − k (f + r q)), and the functions of
/// the first kind of the orders μ and μ + 1. `x` is at most 2.
fn temme<A: Algebra>(a: &A, mu: A::F, x: A::F, sign: f64, r: A::F) -> [A::F; 4] {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let square = mu * mu;
    let (odd, even) = (horner(a, square, &GAMMA_ODD), horner(a, square, &GAMMA_EVEN));
    // 1/Γ(1 + μ) and 1/Γ(1 − μ).
    let (above, below) = (even - mu * odd, even + mu * odd);
    let log_x = -log(a, half * x);
    let sigma = mu * log_x;
    let power = exp(a, sigma);
    let inverse = one / power;
    let sigma2 = sigma * sigma;
    const SINH: [f64; 8] = [
        1.0,
        1.0 / 6.0,
        1.0 / 120.0,
        1.0 / 5040.0,
        1.0 / 362_880.0,
        1.0 / 39_916_800.0,
        1.0 / 6_227_020_800.0,
        1.0 / 1_307_674_368_000.0,
    ];
    let sinh = a.select(
        a.lt(sigma2, one),
        horner(a, sigma2, &SINH),
        half * (power - inverse) / a.select(a.lt(sigma2, one), one, sigma),
    );
    let cosh = half * (power + inverse);
    let f = a.fma(cosh, odd, sinh * log_x * even) / (above * below);
    let (p, q) = (half * power / above, half * inverse / below);
    let t = a.f(0.25 * sign) * x * x;
    let start = [zero, f, p, q, a.fma(r, q, f), p, q, zero];
    let goes_on = |a: &A, state: [A::F; 8]| a.lt(a.f(1e-21) * a.abs(state[6]), a.abs(state[3]));
    let [_, _, _, _, sum_f, sum_h, sum_q, sum_q1] =
        a.repeat_while(16, start, goes_on, |a, [k, f, p, q, sum_f, sum_h, sum_q, sum_q1]| {
            let k = k + a.f(1.0);
            let next_p = p / (k - mu);
            let next_q = q / (k + mu);
            let factor = t / k;
            let f = factor * a.fma(k, f, p + q) / ((k - mu) * (k + mu));
            let (p, q) = (factor * next_p, factor * next_q);
            let g = a.fma(r, q, f);
            [k, f, p, q, sum_f + g, sum_h + a.fma(-k, g, p), sum_q + q, sum_q1 + next_q]
        });
    let scale = a.f(2.0) * above * below;
    [sum_f, sum_h, scale * sum_q, scale * half * x * sum_q1]
}

/// J and Y of the orders μ and μ + 1, |μ| ≤ 1/2, 0 < x.
fn pair<A: Algebra>(a: &A, mu: A::F, x: A::F) -> [A::F; 4] {
    let [sine, cosine] = quarter_turns(a, mu);
    a.branch(
        a.lt(x, a.f(MIDDLE)),
        |a| {
            let r = a.f(2.0) * mu * sine * sine;
            let [sum_f, sum_h, j, j1] = temme(a, mu, x, -1.0, r);
            [j, j1, a.f(-FRAC_2_PI) * sum_f, a.f(-2.0 * FRAC_2_PI) * sum_h / x]
        },
        |a| {
            let zero = a.f(0.0);
            let [sr, si, hr, hi] = confluent(a, mu, [zero, a.f(-2.0) * x], x, 300.0);
            // e^(i(x − πμ/2 − π/4)) √2.
            let (s, c) = (sin(a, x), a.call(Formula::Cos, &[x]));
            let alpha = mu * sine;
            let (s, c) = (s * cosine - c * alpha, c * cosine + s * alpha);
            let (s, c) = (s - c, c + s);
            let scale = a.f(1.0) / (a.sqrt(a.f(PI) * x) * a.fma(sr, sr, si * si));
            let (j, y) = (scale * (c * sr + s * si), scale * (s * sr - c * si));
            // Times −i + (μ + 1/2 − h)/x.
            let inverse = a.f(1.0) / x;
            let (fr, fi) = ((mu + a.f(0.5) - hr) * inverse, -hi * inverse - a.f(1.0));
            [j, j * fr - y * fi, y, j * fi + y * fr]
        },
    )
}

/// Of U(n) = U(μ + 1/2 + n, 2μ + 1, z), Kummer's second function, and c(n) = (n + 1/2)² − μ²: the sum of c(0)…c(n − 1) U(n)/n! over
/// U(0), which is z^(−μ − 1/2)/U(0), and c(0) U(1)/U(0); both complex, by the recurrence downward, in which U is the minimal solution
/// (Temme 1975; DLMF 13.3.7). It starts at `length`/`size`.
pub(crate) fn confluent<A: Algebra>(
    a: &A,
    mu: A::F,
    [zr, zi]: [A::F; 2],
    size: A::F,
    length: f64,
) -> [A::F; 4] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let c0 = a.fma(-mu, mu, a.f(0.25));
    let start = [a.floor(a.f(length) / size) + a.f(7.0), zero, zero, one, zero];
    let goes_on = |a: &A, state: [A::F; 5]| a.lt(a.f(0.0), state[0]);
    let [_, rr, ri, sr, si] = a.repeat_while(320, start, goes_on, |a, [n, rr, ri, sr, si]| {
        let one = a.f(1.0);
        let c = a.fma(n, n + one, c0);
        let (dr, di) = (n + n + zr - c * rr, zi - c * ri);
        let scale = one / a.fma(dr, dr, di * di);
        let (rr, ri) = (dr * scale, -di * scale);
        let weight = a.fma(n, n - one, c0) / n;
        let (tr, ti) = (rr * sr - ri * si, rr * si + ri * sr);
        [n - one, rr, ri, a.fma(weight, tr, one), weight * ti]
    });
    [sr, si, c0 * rr, c0 * ri]
}

/// [`confluent`] of a real z = 2x.
fn confluent_real<A: Algebra>(a: &A, mu: A::F, x: A::F) -> [A::F; 2] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let c0 = a.fma(-mu, mu, a.f(0.25));
    let start = [a.floor(a.f(160.0) / x) + a.f(7.0), zero, one];
    let goes_on = |a: &A, state: [A::F; 3]| a.lt(a.f(0.0), state[0]);
    let [_, r, s] = a.repeat_while(90, start, goes_on, |a, [n, r, s]| {
        let one = a.f(1.0);
        let d = a.fma(-a.fma(n, n + one, c0), r, a.f(2.0) * (n + x));
        let r = one / d;
        [n - one, r, a.fma(a.fma(n, n - one, c0) / n * r, s, one)]
    });
    [s, c0 * r]
}

/// J and Y of v ≥ 0 and x > 0. Y goes upward. So does J while the order is below x; above, it comes from Y, the continued fraction
/// of J(v + 1)/J(v) and the Wronskian (DLMF 10.5.2, 10.10.1).
fn first_and_second<A: Algebra>(a: &A, v: A::F, x: A::F) -> [A::F; 2] {
    let [n, mu] = split(a, v);
    let [j0, j1, y0, y1] = pair(a, mu, x);
    let start = [a.f(1.0), j1, y1, j0, y0];
    let goes_on = |a: &A, state: [A::F; 5]| a.lt(state[0], n) & a.lt(a.abs(state[2]), infinity(a));
    let [_, j, y, _, y_below] = a.repeat_while(MOST, start, goes_on, |a, [k, j, y, j0, y0]| {
        let order = k + mu;
        let factor = (order + order) / x;
        [k + a.f(1.0), a.fma(factor, j, -j0), a.fma(factor, y, -y0), j, y]
    });
    let none = a.eq(n, a.f(0.0));
    let (j, y) = (a.select(none, j0, j), a.select(none, y0, y));
    let j = when(a, a.lt(x, v) & a.lt(a.f(1.0), n), j, |a| {
        let ratio = ratio(a, v, x, a.floor(a.sqrt(x) * a.f(2.0)) + a.f(20.0), 1.0);
        let rest = a.fma(x, ratio, -(v + v));
        // Scaled, so that only Y itself overflows, where J is 0.
        let scale = a.f(1.0 / (1u64 << 40) as f64);
        let value = a.f(FRAC_2_PI) * scale / a.fma(rest, y * scale, x * (y_below * scale));
        a.select(a.lt(a.abs(y), infinity(a)), value, a.f(0.0))
    });
    [j, y]
}

/// The ratio of J(v + 1) and J(v) (`sign` 1), or of I (`sign` −1), by the continued fraction of so many terms.
fn ratio<A: Algebra>(a: &A, v: A::F, x: A::F, terms: A::F, sign: f64) -> A::F {
    let goes_on = |a: &A, state: [A::F; 2]| a.lt(a.f(0.0), state[0]);
    let start = [terms, a.f(0.0)];
    let twice = a.f(2.0) / x;
    let [_, r] = a.repeat_while(300, start, goes_on, |a, [k, r]| {
        [k - a.f(1.0), a.f(1.0) / a.fma(a.f(-sign), r, (v + k) * twice)]
    });
    r
}

/// Whether the order is one that the recurrences reach.
fn in_reach<A: Algebra>(a: &A, v: A::F) -> A::B {
    a.le(a.abs(v), a.f(f64::from(MOST)))
}

/// J of real orders; of negative ones by reflection (DLMF 10.4.7). Of negative x it is real where the order is whole.
pub fn jv<A: Algebra>(a: &A, v: A::F, x: A::F) -> A::F {
    let zero = a.f(0.0);
    let (order, size) = (a.abs(v), a.abs(x));
    let [j, y] = first_and_second(a, order, size);
    let [n, mu] = split(a, order);
    let whole = a.eq(mu, zero);
    let negative = a.lt(v, zero);
    let value = when(a, negative & !whole, j, |a| {
        let [s, c] = half_turns(a, mu);
        let value = a.select(a.eq(c, a.f(0.0)), -s * y, a.fma(c, j, -s * y));
        a.select(is_odd(a, n), -value, value)
    });
    // The sign of 1/Γ(v + 1).
    let endless = a.select(is_odd(a, a.floor(order)), -infinity(a), infinity(a));
    let at_zero = a.select(a.eq(v, zero), a.f(1.0), a.select(negative & !whole, endless, zero));
    let value = a.select(a.eq(x, zero), at_zero, value);
    let left = a.lt(x, zero);
    let value = a.select(left & !whole, nan(a), value);
    let mirrored = whole & ((left & !negative) | (negative & !left));
    let value = a.select(mirrored & is_odd(a, n), -value, value);
    a.select(in_reach(a, v) & a.lt(size, infinity(a)), value, nan(a))
}

/// Y of real orders; of negative ones by reflection.
pub fn yv<A: Algebra>(a: &A, v: A::F, x: A::F) -> A::F {
    let zero = a.f(0.0);
    let order = a.abs(v);
    let [j, y] = first_and_second(a, order, x);
    let [n, mu] = split(a, order);
    let whole = a.eq(mu, zero);
    let negative = a.lt(v, zero);
    let value = when(a, negative & !whole, y, |a| {
        let [s, c] = half_turns(a, mu);
        let value = a.select(a.eq(c, a.f(0.0)), s * j, a.fma(c, y, s * j));
        a.select(is_odd(a, n), -value, value)
    });
    let value = a.select(whole & negative & is_odd(a, n), -value, value);
    // The sign of −cos πv; where that is zero, SciPy's.
    let turned = negative & is_odd(a, a.floor(a.f(0.5) - order));
    let at_zero = a.select(turned, infinity(a), -infinity(a));
    let value = a.select(a.eq(x, zero), at_zero, value);
    let valid = in_reach(a, v) & a.le(zero, x) & a.lt(x, infinity(a));
    a.select(valid, value, nan(a))
}
