//! Airy functions: Maclaurin's series, Kummer's function by its recurrence, asymptotic series.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::bessel_order::{confluent, confluent_real};
use super::support::*;

/// Ai(0), −Ai'(0).
const AT_ZERO: [f64; 2] = [0.355_028_053_887_817_2, 0.258_819_403_792_806_8];
const ROOT_3: f64 = 1.732_050_807_568_877_2;
/// 1/√π.
const ROOT: f64 = 0.564_189_583_547_756_3;
/// 2/3 in two parts.
const TWO_THIRDS: [f64; 2] = [2.0 / 3.0, 3.700_743_415_417_188e-17];

/// Where the series begins and ends, and from where on Ai is no longer a difference of two of them.
const SERIES: [f64; 3] = [-2.5, 10.0, 1.4];

/// √|x|, and ζ = ⅔ |x|^(3/2) in two parts.
fn zeta<A: Algebra>(a: &A, x: A::F) -> [A::F; 3] {
    let root = a.sqrt(x);
    let root_low = a.f(0.5) * a.fma(-root, root, x) / root;
    let product = x * root;
    let low = a.fma(x, root, -product) + x * root_low;
    let [high, rest] = TWO_THIRDS.map(|part| a.f(part));
    let zeta = product * high;
    let low = a.fma(product, high, -zeta) + a.fma(product, rest, low * high);
    // Of infinite numbers there is no rounding error.
    [root, zeta, a.select(a.lt(x, a.f(1e200)), low, a.f(0.0))]
}

/// Ai, Ai', Bi and Bi'; where `scaled`, those of x ≥ 0 times e^ζ and e^−ζ.
fn all<A: Algebra>(a: &A, x: A::F, scaled: bool) -> [A::F; 4] {
    let [root, zeta, low] = zeta(a, a.abs(x));
    let positive = a.lt(a.f(0.0), x);
    a.branch(
        a.lt(x, a.f(SERIES[0])),
        |a| oscillating(a, root, zeta, low),
        |a| {
            // The factors of Ai and of Bi: e^−ζ and e^ζ, or 1; the other way round those of the series.
            let half = a.select(positive, exp(a, a.f(0.5) * zeta), a.f(1.0));
            let low = a.select(positive, low, a.f(0.0));
            let shrunk = (a.f(1.0) - low) / half / half;
            let grown = half * a.fma(half, low, half);
            let grown = a.select(a.lt(half, infinity(a)), grown, half);
            let shrunk = a.select(a.lt(half, infinity(a)), shrunk, a.f(0.0));
            a.branch(
                a.lt(x, a.f(SERIES[1])),
                |a| {
                    let [ai, ai1, bi, bi1] = series(a, x);
                    let factors = if scaled { [grown, shrunk] } else { [a.f(1.0); 2] };
                    let [ai, ai1] = a.branch(
                        a.lt(x, a.f(SERIES[2])),
                        |_| [ai, ai1].map(|value| value * factors[0]),
                        |a| {
                            // K of the orders 1/3 and 2/3 (DLMF 9.6.2, 9.6.3).
                            let [sum, h] = confluent_real(a, a.f(-1.0 / 3.0), zeta);
                            let ai = a.f(0.5 * ROOT) / (a.sqrt(root) * sum);
                            let ai = if scaled { ai } else { ai * shrunk };
                            let step = a.f(1.0) + (a.f(1.0 / 6.0) - h) / zeta;
                            [ai, -root * ai * step]
                        },
                    );
                    [ai, ai1, bi * factors[1], bi1 * factors[1]]
                },
                |a| {
                    let [ai, ai1, bi, bi1] = asymptotic(a, zeta);
                    let factor = a.f(ROOT) / a.sqrt(root);
                    let [down, up] = if scaled { [a.f(1.0); 2] } else { [shrunk, grown] };
                    let (down, up) = (a.f(0.5) * factor * down, factor * up);
                    [ai * down, -ai1 * root * down, bi * up, bi1 * root * up]
                },
            )
        },
    )
}

/// Maclaurin's series (DLMF 9.4.1 to 9.4.4).
fn series<A: Algebra>(a: &A, x: A::F) -> [A::F; 4] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let square = x * x;
    let start = [zero, one, x, one, x, zero, one];
    let goes_on = |a: &A, [k, f, g, sum_f, ..]: [A::F; 7]| {
        a.lt(k, a.f(9.0)) | a.lt(a.f(1e-18) * a.abs(sum_f), a.abs(f) + a.abs(g))
    };
    let [_, _, _, f, g, f1, g1] =
        a.repeat_while(60, start, goes_on, |a, [k, f, g, sum_f, sum_g, sum_f1, sum_g1]| {
            let k = k + a.f(3.0);
            let below = k - a.f(1.0);
            let (f1, g1) = (f * square / below, g * square / k);
            let (f, g) = (f1 * x / k, g1 * x / (k + a.f(1.0)));
            [k, f, g, sum_f + f, sum_g + g, sum_f1 + f1, sum_g1 + g1]
        });
    let [c, d] = AT_ZERO.map(|part| a.f(part));
    let root = a.f(ROOT_3);
    let (f, g, f1, g1) = (c * f, d * g, c * f1, d * g1);
    [f - g, f1 - g1, root * (f + g), root * (f1 + g1)]
}

/// The sums of DLMF 9.7.5 to 9.7.8 for ζ > 20.
fn asymptotic<A: Algebra>(a: &A, zeta: A::F) -> [A::F; 4] {
    let one = a.f(1.0);
    let factor = a.f(1.0 / 72.0) / zeta;
    let start = [a.f(0.0), one, one, one, one, one];
    let goes_on = |a: &A, state: [A::F; 6]| a.lt(a.f(1e-18), a.abs(state[1]));
    let [_, _, ai, ai1, bi, bi1] =
        a.repeat_while(40, start, goes_on, |a, [k, term, ai, ai1, bi, bi1]| {
            let k = k + a.f(1.0);
            let six = a.f(6.0) * k;
            let above = six + a.f(1.0);
            let (below, lowest) = (six - a.f(1.0), six - a.f(5.0));
            // The terms alternate in the sums of Ai.
            let term = -term * lowest * below * factor / k;
            let other = -term * above / below;
            let sign = a.select(is_odd(a, k), a.f(-1.0), a.f(1.0));
            [k, term, ai + term, ai1 + other, a.fma(sign, term, bi), a.fma(sign, other, bi1)]
        });
    [ai, ai1, bi, bi1]
}

/// Of x below 0: by Hankel's function of the order 1/3 (DLMF 9.6.17 to 9.6.20).
fn oscillating<A: Algebra>(a: &A, root: A::F, zeta: A::F, low: A::F) -> [A::F; 4] {
    let turn = [a.f(0.0), a.f(-2.0) * zeta];
    let [sr, si, hr, hi] = confluent(a, a.f(-1.0 / 3.0), turn, zeta, 300.0);
    let (s, c) = (sin(a, zeta), a.call(code::Cos, &[zeta]));
    let (s, c) = (a.fma(c, low, s), a.fma(-s, low, c));
    // e^(i (ζ − π/4)) √2.
    let (s, c) = (s - c, c + s);
    let scale = a.f(ROOT * std::f64::consts::FRAC_1_SQRT_2);
    let scale = scale / (a.sqrt(root) * a.fma(sr, sr, si * si));
    let (wr, wi) = (scale * (c * sr + s * si), scale * (s * sr - c * si));
    let (gr, gi) = ((a.f(1.0 / 6.0) - hr) / zeta, -hi / zeta - a.f(1.0));
    [wr, root * (wr * gr - wi * gi), -wi, -root * (wr * gi + wi * gr)]
}

/// NaN of infinite numbers, as in SciPy.
fn of_finite<A: Algebra>(a: &A, x: A::F, values: [A::F; 4]) -> [A::F; 4] {
    let finite = a.lt(a.abs(x), infinity(a));
    values.map(|value| a.select(finite, value, nan(a)))
}

/// Ai, Ai', Bi and Bi'.
pub fn airy<A: Algebra>(a: &A, x: A::F) -> [A::F; 4] {
    let values = all(a, x, false);
    of_finite(a, x, values)
}

/// Ai and Ai' times e^ζ, NaN of negative x; Bi and Bi' times e^−ζ of positive x.
pub fn airye<A: Algebra>(a: &A, x: A::F) -> [A::F; 4] {
    let [ai, ai1, bi, bi1] = all(a, x, true);
    let left = a.lt(x, a.f(0.0));
    let [ai, ai1] = [ai, ai1].map(|value| a.select(left, nan(a), value));
    of_finite(a, x, [ai, ai1, bi, bi1])
}
