//! Bessel functions of any real order: a pair of neighbouring orders near 0, from which recurrences in the order go up.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::bessel_order_tables::*;
use super::bessel_uniform::*;
use super::support::*;

const FRAC_PI_2: f64 = std::f64::consts::FRAC_PI_2;
const FRAC_2_PI: f64 = std::f64::consts::FRAC_2_PI;
const PI: f64 = std::f64::consts::PI;

/// The most steps of a recurrence in the order, and the order from which on J and Y are Debye's expansions.
const MOST: u32 = 1000;

/// From this order on, J and Y of x below the order are Debye's expansions where these hold.
const UNIFORM_PLAIN: f64 = 144.0;

/// Where Temme's series end.
const MIDDLE: f64 = 2.0;

/// The nearest whole number n of an order, and the rest, −1/2 to 1/2.
pub(crate) fn split<A: Algebra>(a: &A, order: A::F) -> [A::F; 2] {
    let n = a.rint(order);
    [n, order - n]
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
fn half_turns<A: Algebra>(a: &A, mu: A::F) -> [A::F; 2] {
    [mu, a.f(0.5) - a.abs(mu)].map(|turn| {
        let [sine, cosine] = quarter_turns(a, turn);
        (turn + turn) * sine * cosine
    })
}

/// The sums of Temme's series (Temme 1975, 1976): with t = ±x²/4, c(k) = t^k/k!, p(k) = p(0)/(1 − μ)(2 − μ)…,
/// q(k) = q(0)/(1 + μ)(2 + μ)…, f(k) = (k f(k − 1) + p(k − 1) + q(k − 1))/(k² − μ²), the sums of c(f + r q), of
/// c(p − k (f + r q)), and the functions of the first kind of the orders μ and μ + 1. `x` is at most 2.
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
            let (s, c) = (sin(a, x), a.call(code::Cos, &[x]));
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
pub(crate) fn confluent_real<A: Algebra>(a: &A, mu: A::F, x: A::F) -> [A::F; 2] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let c0 = a.fma(-mu, mu, a.f(0.25));
    let start = [a.floor(a.f(160.0) / x) + a.f(7.0), zero, one];
    let goes_on = |a: &A, state: [A::F; 3]| a.lt(a.f(0.0), state[0]);
    let [_, r, s] = a.repeat_while(170, start, goes_on, |a, [n, r, s]| {
        let one = a.f(1.0);
        let d = a.fma(-a.fma(n, n + one, c0), r, a.f(2.0) * (n + x));
        let r = one / d;
        [n - one, r, a.fma(a.fma(n, n - one, c0) / n * r, s, one)]
    });
    [s, c0 * r]
}

/// J and Y of v ≥ 0 and x > 0, and whether the order is one that is reached. From a pair of orders Y goes upward. So does J while the
/// order is below x; above, it comes from Y, the continued fraction of J(v + 1)/J(v) and the Wronskian (DLMF 10.5.2, 10.10.1).
/// The pair is of orders next to 0; of large orders, where `all` are asked for, it is the one of Debye's expansions: at the order
/// itself where they hold, and beside x at an order below x at which they hold.
fn first_and_second<A: Algebra>(a: &A, v: A::F, x: A::F, all: bool) -> ([A::F; 2], A::B) {
    let [n, mu] = split(a, v);
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let above = a.lt(x, v);
    let (steps, order, [j0, j1, y0, y1]) = if all {
        let large = a.lt(a.f(f64::from(MOST)), v);
        let direct = large | (above & a.lt(a.f(UNIFORM_PLAIN), v));
        let direct = debye_holds(a, v, x) & direct;
        let below = x - a.f(16.0) * a.call(code::Cbrt, &[x]);
        let steps = a.select(large, -a.floor(below - v), n);
        let steps = a.select(direct, zero, steps);
        let order = a.select(large | direct, v - steps, mu);
        let values = a.branch(large | direct, |a| large_pair(a, order, x), |a| pair(a, mu, x));
        (steps, order, values)
    } else {
        (n, mu, pair(a, mu, x))
    };
    let start = [one, j1, y1, j0, y0];
    let goes_on =
        |a: &A, state: [A::F; 5]| a.lt(state[0], steps) & a.lt(a.abs(state[2]), infinity(a));
    let [_, j, y, _, y_below] = a.repeat_while(MOST, start, goes_on, |a, [k, j, y, j0, y0]| {
        let order = k + order;
        let factor = (order + order) / x;
        [k + a.f(1.0), a.fma(factor, j, -j0), a.fma(factor, y, -y0), j, y]
    });
    let none = a.eq(steps, zero);
    let (j, y) = (a.select(none, j0, j), a.select(none, y0, y));
    let j = when(a, above & a.lt(one, steps), j, |a| {
        let terms = a.floor(a.sqrt(x) * a.f(2.0)) + a.f(20.0);
        let terms = a.select(a.lt(terms, a.f(300.0)), terms, a.f(300.0));
        let ratio = ratio(a, v, x, terms, 1.0);
        let rest = a.fma(x, ratio, -(v + v));
        // Scaled, so that only Y itself overflows, where J is 0.
        let scale = a.f(1.0 / (1u64 << 40) as f64);
        let value = a.f(FRAC_2_PI) * scale / a.fma(rest, y * scale, x * (y_below * scale));
        a.select(a.lt(a.abs(y), infinity(a)), value, a.f(0.0))
    });
    ([j, y], a.le(steps, a.f(f64::from(MOST))) & a.lt(v, a.f(1e150)))
}

/// The ratio of J(v + 1) and J(v) (`sign` 1), or of I (`sign` −1), by the continued fraction of so many terms.
pub(crate) fn ratio<A: Algebra>(a: &A, v: A::F, x: A::F, terms: A::F, sign: f64) -> A::F {
    let goes_on = |a: &A, state: [A::F; 2]| a.lt(a.f(0.0), state[0]);
    let start = [terms, a.f(0.0)];
    let twice = a.f(2.0) / x;
    let [_, r] = a.repeat_while(300, start, goes_on, |a, [k, r]| {
        [k - a.f(1.0), a.f(1.0) / a.fma(a.f(-sign), r, (v + k) * twice)]
    });
    r
}

/// J of real orders; of negative ones by reflection (DLMF 10.4.7). Of negative x it is real where the order is whole.
pub fn jv<A: Algebra>(a: &A, v: A::F, x: A::F) -> A::F {
    let zero = a.f(0.0);
    let (order, size) = (a.abs(v), a.abs(x));
    let ([j, y], reached) = first_and_second(a, order, size, true);
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
    a.select(reached & a.lt(size, infinity(a)), value, nan(a))
}

/// Y of real orders; of negative ones by reflection.
pub fn yv<A: Algebra>(a: &A, v: A::F, x: A::F) -> A::F {
    second(a, v, x, true)
}

/// Y of real orders, of which those beyond [`MOST`] are NaN where not `all` are asked for.
pub(crate) fn second<A: Algebra>(a: &A, v: A::F, x: A::F, all: bool) -> A::F {
    let zero = a.f(0.0);
    let order = a.abs(v);
    let ([j, y], reached) = first_and_second(a, order, x, all);
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
    let valid = reached & a.le(zero, x) & a.lt(x, infinity(a));
    a.select(valid, value, nan(a))
}

/// From this order on, the modified functions are Debye's expansions.
const UNIFORM: f64 = 40.0;

/// I and K of v ≥ 0 and x > 0 as [mantissa of I, of K, e]: I = m e^e, and K = m e^−e.
fn modified<A: Algebra>(a: &A, v: A::F, x: A::F) -> [A::F; 3] {
    let large = a.le(a.f(30.0), x) & a.le(v * v, x + x);
    a.branch(
        large | a.lt(v, a.f(UNIFORM)),
        |a| {
            let [i, k] = a.branch(
                large,
                |a| modified_of_large(a, v, x),
                |a| modified_by_recurrence(a, v, x),
            );
            [i, k, x]
        },
        |a| {
            // DLMF 10.41.3 and 10.41.4, with r = √(v² + x²) and p = v/r.
            let [r, r_low] = radius(a, v, x, 1.0);
            let [eta, rest] = eta(a, v, x, [r, r_low]);
            let p = v / r;
            let [even, odd] = debye(a, p * p, a.f(1.0) / r, a.f(1.0));
            let scale = a.sqrt(a.f(0.5) / r);
            let first = scale * a.f((1.0 / PI).sqrt()) * (even + odd);
            let second = scale * a.f(PI.sqrt()) * (even - odd);
            [a.fma(first, rest, first), a.fma(-second, rest, second), eta]
        },
    )
}

/// e^−x I and e^x K of x ≥ 30 and x ≥ v²/2 (DLMF 10.40.1, 10.40.2).
fn modified_of_large<A: Algebra>(a: &A, v: A::F, x: A::F) -> [A::F; 2] {
    let one = a.f(1.0);
    let square = a.f(4.0) * v * v;
    let factor = a.f(0.125) / x;
    let goes_on = |a: &A, [_, term, sum, _]: [A::F; 4]| a.lt(a.f(1e-17) * a.abs(sum), a.abs(term));
    let start = [a.f(0.0), one, one, one];
    let [_, _, first, second] =
        a.repeat_while(60, start, goes_on, |a, [k, term, first, second]| {
            let k = k + a.f(1.0);
            let odd = k + k - a.f(1.0);
            let ratio = a.fma(-odd, odd, square) * factor / k;
            // The terms alternate in the sum of I.
            let term = -term * ratio;
            let plain = a.select(is_odd(a, k), -term, term);
            [k, term, first + term, second + plain]
        });
    let scale = a.sqrt(a.f(0.5) / x);
    [first * scale * a.f((1.0 / PI).sqrt()), second * scale * a.f(PI.sqrt())]
}

/// e^−x I and e^x K of an order below [`UNIFORM`]. K goes upward; I comes from K, the continued fraction of I(v + 1)/I(v) and the
/// Wronskian (DLMF 10.28.2, 10.33.1).
fn modified_by_recurrence<A: Algebra>(a: &A, v: A::F, x: A::F) -> [A::F; 2] {
    let [n, mu] = split(a, v);
    let one = a.f(1.0);
    // Of the order μ + 1 it is x K, which does not overflow.
    let [k0, k1] = a.branch(
        a.lt(x, a.f(MIDDLE)),
        |a| {
            let [sum_f, sum_h, _, _] = temme(a, mu, x, 1.0, a.f(0.0));
            let scale = exp(a, x);
            [scale * sum_f, scale * (sum_h + sum_h)]
        },
        |a| {
            let [sum, h] = confluent_real(a, mu, x);
            let value = a.sqrt(a.f(FRAC_PI_2) / x) / sum;
            [value, value * (x + (mu + a.f(0.5) - h))]
        },
    );
    let start = [one, k1 / x, k0];
    let goes_on = |a: &A, [k, value, _]: [A::F; 3]| a.lt(k, n) & a.lt(value, infinity(a));
    let [_, k, below] = a.repeat_while(64, start, goes_on, |a, [k, value, below]| {
        let order = k + mu;
        [k + a.f(1.0), a.fma((order + order) / x, value, below), value]
    });
    let none = a.eq(n, a.f(0.0));
    let terms = a.floor(a.sqrt(x * a.f(40.0))) + a.f(12.0);
    let ratio = ratio(a, v, x, terms, -1.0);
    // x (K(v + 1) + K(v) I(v + 1)/I(v)), scaled against overflow.
    let scale = a.f(1.0 / (1u64 << 40) as f64);
    let k = a.select(none, k0, k);
    let (at, below) = (k * scale, below * scale);
    let rest = a.select(none, k1 * scale, a.fma(v + v, at, x * below));
    let i = scale / a.fma(x * ratio, at, rest);
    [a.select(a.lt(at, infinity(a)), i, a.f(0.0)), k]
}

/// I of real orders, times e^−|x| where `scaled`; of negative orders by reflection (DLMF 10.27.2).
fn first_modified<A: Algebra>(a: &A, v: A::F, x: A::F, scaled: bool) -> A::F {
    let zero = a.f(0.0);
    let (order, size) = (a.abs(v), a.abs(x));
    let [i, k, eta] = modified(a, order, size);
    let shift = if scaled { -size } else { zero };
    let value = with_exponent(a, i, eta, shift);
    let [n, mu] = split(a, order);
    let whole = a.eq(mu, zero);
    let negative = a.lt(v, zero);
    let value = when(a, negative & !whole, value, |a| {
        let s = half_turns(a, mu)[0] * a.f(FRAC_2_PI);
        let s = a.select(is_odd(a, n), -s, s);
        a.fma(s, with_exponent(a, k, -eta, shift), value)
    });
    let endless = a.select(is_odd(a, a.floor(order)), -infinity(a), infinity(a));
    let at_zero = a.select(a.eq(v, zero), a.f(1.0), a.select(negative & !whole, endless, zero));
    let value = a.select(a.eq(x, zero), at_zero, value);
    let left = a.lt(x, zero);
    let value = a.select(left & is_odd(a, n), -value, value);
    let finite = a.lt(size, infinity(a)) & a.lt(order, infinity(a));
    a.select((whole | !left) & finite, value, nan(a))
}

/// I of real orders.
pub fn iv<A: Algebra>(a: &A, v: A::F, x: A::F) -> A::F {
    first_modified(a, v, x, false)
}

/// e^−|x| I of real orders.
pub fn ive<A: Algebra>(a: &A, v: A::F, x: A::F) -> A::F {
    first_modified(a, v, x, true)
}

/// K of real orders, times e^x where `scaled`.
fn second_modified<A: Algebra>(a: &A, v: A::F, x: A::F, scaled: bool) -> A::F {
    let zero = a.f(0.0);
    let [_, k, eta] = modified(a, a.abs(v), x);
    let shift = if scaled { x } else { zero };
    let value = with_exponent(a, k, -eta, shift);
    let value = a.select(a.eq(x, zero), infinity(a), value);
    let value = a.select(a.eq(x, infinity(a)), zero, value);
    a.select(a.le(zero, x) & a.lt(a.abs(v), infinity(a)), value, nan(a))
}

/// K of real orders.
pub fn kv<A: Algebra>(a: &A, v: A::F, x: A::F) -> A::F {
    second_modified(a, v, x, false)
}

/// e^x K of real orders.
pub fn kve<A: Algebra>(a: &A, v: A::F, x: A::F) -> A::F {
    second_modified(a, v, x, true)
}
