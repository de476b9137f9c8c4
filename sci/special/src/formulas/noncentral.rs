//! Noncentral distributions: sums over Poisson's weights (Benton & Krishnamoorthy 2003), with central probabilities that follow each
//! other by sums alone, from the far end of the terms that count; Smirnov's statistic of finite samples.

use ndany_core::formulas::algebra::Algebra;

use super::errors::{ndtr, ndtri};
use super::gamma::{log1pmx, stirling_rest};
use super::incomplete::beta_parts_by;
use super::incomplete::shared::{gamma_parts, gamma_prefix};
use super::support::*;

/// How many of Poisson's weights a sum may have: means up to some 3000.
const WEIGHTS: u32 = 1024;

/// How far from the largest term, at `peak`, the terms count; `mean` is the quotient of the first two of them, or Poisson's mean.
fn reach<A: Algebra>(a: &A, peak: A::F, mean: A::F) -> A::F {
    let few = a.fma(mean / (mean + a.f(0.5)), a.f(12.0), a.f(6.0));
    let few = a.select(a.lt(mean, a.f(1e-17)), a.f(0.0), few);
    a.fma(a.sqrt(peak), a.f(8.5), few)
}

/// The smaller, or the larger, of Poisson's mean and of the point where k (s + k) = `product` + `growth` k.
fn largest_term<A: Algebra>(a: &A, mean: A::F, linear: A::F, product: A::F, upper: A::B) -> A::F {
    // The positive root of k² + linear k − product = 0, without cancellation.
    let root = a.sqrt(a.fma(linear, linear, a.f(4.0) * product));
    let sum = a.abs(linear) + root;
    let big = a.f(0.5) * sum;
    let small = a.f(2.0) * product / sum;
    let crossing = a.select(a.lt(linear, a.f(0.0)), big, small);
    let [high, low] = ordered(a, mean, crossing);
    a.select(upper, high, low)
}

/// The probability of at most 2x of a noncentral χ² variable of 2s degrees of freedom and noncentrality 2 λ, and x times its slope in
/// x; s, x > 0 and finite.
fn chi_parts<A: Algebra>(a: &A, x: A::F, s: A::F, mean: A::F) -> [A::F; 2] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let none = a.lt(mean, a.f(1e-16));
    let never = a.lt(one, zero);
    let peak = largest_term(a, mean, s, mean * x, never);
    let [_, quotient] = ordered(a, mean, mean * x / s);
    let last = a.select(none, zero, a.floor(peak + reach(a, peak, quotient)));
    let weight = weight_at(a, last, mean, none);
    let from = nearest(a, x - s, zero, last);
    let density = gamma_prefix(a, s + from, x);
    let density = carried(a, [from, last], density, |a, k| x / (s + k + a.f(1.0)));
    let [lower, ..] = gamma_parts(a, s + last, x);
    let first = [last, weight, density, lower];
    weighted_sum(a, first, [s, mean], peak, none, |_, _| x)
}

/// The sum of Poisson's weights times the probabilities of the parameters s + k, from k = `last` downward, and the sum of the weights
/// times (s + k) densities. The `first` values are those of the last k: each density is the one of k + 1 times (s + k + 1) over
/// `divisor`(s + k + 1), and the probabilities are their sums.
fn weighted_sum<A: Algebra>(
    a: &A,
    [last, weight, density, lower]: [A::F; 4],
    [s, mean]: [A::F; 2],
    peak: A::F,
    none: A::B,
    divisor: impl Fn(&A, A::F) -> A::F,
) -> [A::F; 2] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let state = [last, weight, density, lower, zero, zero, one];
    let goes_on = |a: &A, [k, _, _, _, sum, _, term]: [A::F; 7]| {
        a.le(a.f(0.0), k) & (a.lt(a.f(1e-17) * sum, term) | a.le(peak, k))
    };
    let [k, _, _, _, sum, slope, term] =
        a.repeat_while(WEIGHTS, state, goes_on, |a, [k, weight, density, lower, sum, slope, _]| {
            let term = weight * lower;
            let at = s + k;
            let slope = a.fma(weight * at, density, slope);
            let before = density * at / divisor(a, at);
            let safe = a.select(none, a.f(1.0), mean);
            [k - a.f(1.0), weight * k / safe, before, lower + before, sum + term, slope, term]
        });
    let ended = a.lt(k, zero) | a.le(term, a.f(1e-15) * sum);
    [a.select(ended, sum, nan(a)), slope]
}

/// f(k) of f(`from`) = `value` and f(k + 1) = f(k) `ratio`(k), up or down.
fn carried<A: Algebra>(
    a: &A,
    [from, to]: [A::F; 2],
    value: A::F,
    ratio: impl Fn(&A, A::F) -> A::F,
) -> A::F {
    let goes_on = |a: &A, [k, _]: [A::F; 2]| !a.eq(k, to) & a.eq(k, k);
    let [_, value] = a.repeat_while(WEIGHTS, [from, value], goes_on, |a, [k, value]| {
        let one = a.f(1.0);
        let up = a.lt(k, to);
        let lower = a.select(up, k, k - one);
        let factor = ratio(a, lower);
        [lower + a.select(up, one, a.f(0.0)), a.select(up, value * factor, value / factor)]
    });
    value
}

/// The whole number next to x between two whole ones.
fn nearest<A: Algebra>(a: &A, x: A::F, low: A::F, high: A::F) -> A::F {
    let [value, _] = ordered(a, a.rint(x), low);
    ordered(a, value, high)[1]
}

/// Poisson's weight of k, from that at the mean, where its exponent is small; 1 where the mean is none.
fn weight_at<A: Algebra>(a: &A, k: A::F, mean: A::F, none: A::B) -> A::F {
    let one = a.f(1.0);
    let mean = a.select(none, one, mean);
    let range = a.f(f64::from(WEIGHTS));
    let from = nearest(a, mean, k - range, k + range);
    let value = carried(a, [from, k], gamma_prefix(a, from, mean), |a, k| mean / (k + a.f(1.0)));
    a.select(none, one, value)
}

/// Noncentral χ².
pub fn chndtr<A: Algebra>(a: &A, x: A::F, df: A::F, nc: A::F) -> A::F {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let finite = a.lt(x, infinity(a)) & a.lt(df, infinity(a)) & a.lt(nc, infinity(a));
    let inside = a.lt(zero, x) & a.lt(zero, df) & a.le(zero, nc) & finite;
    let safe = |value: A::F| a.select(inside, half * value, one);
    let [value, _] = chi_parts(a, safe(x), safe(df), safe(nc));
    let value = a.select(inside, value, nan(a));
    let known = a.lt(zero, df) & a.le(zero, nc) & a.lt(df, infinity(a)) & a.lt(nc, infinity(a));
    let value = a.select(a.eq(x, zero) & known, zero, value);
    // Without degrees and noncentrality all of the weight is at 0.
    let fixed = a.eq(df, zero) & a.eq(nc, zero) & a.le(zero, x);
    a.select((a.eq(x, infinity(a)) & known) | fixed, one, value)
}

/// The positive point of a distribution on the positive numbers where its logarithm is that of p: Newton's steps on logarithms,
/// within a bracket. `parts` has the distribution, and x times its slope.
fn quantile<A: Algebra>(
    a: &A,
    p: A::F,
    start: A::F,
    parts: impl Fn(&A, A::F) -> [A::F; 2],
) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let state = [zero, infinity(a), start, one];
    let goes_on = |a: &A, [low, high, x, step]: [A::F; 4]| {
        a.lt(a.f(4.0 * f64::EPSILON) * x, a.abs(step)) & a.lt(low, high)
    };
    let [.., x, step] = a.repeat_while(90, state, goes_on, |a, [low, high, x, _]| {
        let half = a.f(0.5);
        let [found, slope] = parts(a, x);
        let above = a.lt(p, found);
        let (low, high) = (a.select(above, low, x), a.select(above, x, high));
        let near = found - p;
        // The logarithm of the quotient, by the difference where that is small.
        let ratio = near / p;
        let close = a.lt(a.abs(ratio), a.f(0.1));
        let logarithm = log(a, a.select(close, a.f(1.0), found / p));
        let short = ratio * (a.f(1.0) - ratio * (half - ratio * a.f(1.0 / 3.0)));
        let distance = a.select(close, short, logarithm) * found / slope;
        // Steps of logarithms up to 3.
        let distance = a.select(a.lt(distance, a.f(3.0)), distance, a.f(3.0));
        let distance = a.select(a.lt(a.f(-3.0), distance), distance, a.f(-3.0));
        let next = x * exp(a, -distance);
        let done = a.lt(a.abs(distance), a.f(2.0 * f64::EPSILON));
        let inside = a.lt(low, next) & a.lt(next, high);
        let endless = a.eq(high, infinity(a));
        let middle = a.sqrt((low + a.f(TINY)) * a.select(endless, a.f(1.0), high));
        let narrow = a.lt(high, low + low);
        let middle = a.select(narrow, half * (low + high), middle);
        let middle = a.select(endless, a.f(8.0) * x, middle);
        let next = a.select(inside, next, middle);
        let next = a.select(done, x, next);
        let next = a.select(a.eq(found, found), next, nan(a));
        [low, high, next, next - x]
    });
    a.select(a.le(a.abs(step), a.f(1e-9) * x), x, nan(a))
}

/// The inverse of [`chndtr`] in x.
pub fn chndtrix<A: Algebra>(a: &A, p: A::F, df: A::F, nc: A::F) -> A::F {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let finite = a.lt(df, infinity(a)) & a.lt(nc, infinity(a));
    let inside = a.lt(zero, p) & a.lt(p, one) & a.lt(zero, df) & a.le(zero, nc) & finite;
    let safe = |value: A::F| a.select(inside, half * value, one);
    let (s, mean) = (safe(df), safe(nc));
    let target = a.select(inside, p, half);
    let value = quantile(a, target, s + mean, |a, x| chi_parts(a, x, s, mean));
    let value = a.select(inside, value + value, nan(a));
    let known = a.lt(zero, df) & a.le(zero, nc) & finite;
    let value = a.select(a.eq(p, one) & known, infinity(a), value);
    a.select(a.eq(p, zero) & known, zero, value)
}

/// The probability of at most y/(1 − y) of a noncentral F variable, as a ratio of χ², of 2s and 2t degrees of freedom and
/// noncentrality 2 λ, and y (1 − y) times its slope in y; 0 < y < 1, `rest` = 1 − y.
fn f_parts<A: Algebra>(a: &A, [s, t, mean]: [A::F; 3], y: A::F, rest: A::F) -> [A::F; 2] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let none = a.lt(mean, a.f(1e-16));
    let never = a.lt(one, zero);
    let share = mean * y;
    let peak = largest_term(a, mean, s - share, share * (s + t), never);
    let [_, quotient] = ordered(a, mean, share * (s + t) / s);
    let last = a.select(none, zero, a.floor(peak + reach(a, peak, quotient)));
    let weight = weight_at(a, last, mean, none);
    let from = nearest(a, y / rest * t - s, zero, last);
    let [density, lower] = beta_carried(a, [from, last], [s, t], [y, rest], never);
    let first = [last, weight, density, lower];
    weighted_sum(a, first, [s, mean], peak, none, |a, at| (at + t - a.f(1.0)) * y)
}

/// What log Γ(z) has beyond Stirling's leading terms, of z > 0: the recurrence up to 8, then the series.
fn stirling_from<A: Algebra>(a: &A, z: A::F) -> A::F {
    let goes_on = |a: &A, [z, _]: [A::F; 2]| a.lt(z, a.f(8.0));
    let [z, sum] = a.repeat_while(8, [z, a.f(0.0)], goes_on, |a, [z, sum]| {
        let term = a.fma(z + a.f(0.5), log1p(a, a.f(1.0) / z), a.f(-1.0));
        [z + a.f(1.0), sum + term]
    });
    sum + stirling_rest(a, z)
}

/// x^p y^q / B(p, q), y = 1 − x, by the distance of x from p/(p + q) (Loader 2000); loops stand for equal texts.
fn beta_density<A: Algebra>(a: &A, p: A::F, q: A::F, x: A::F, y: A::F) -> A::F {
    let sum = p + q;
    let always = |a: &A| a.eq(a.f(0.0), a.f(0.0));
    let [rest_p, rest_q, rest_sum] = a.repeat_while(
        3,
        [p, q, sum],
        |a, _| always(a),
        |a, [first, second, third]| [second, third, stirling_from(a, first)],
    );
    let distance = a.fma(x, q, -(y * p));
    let state = [p, q, distance, x, y, a.f(0.0)];
    let [.., exponent] = a.repeat_while(
        2,
        state,
        |a, _| always(a),
        |a, [p, q, distance, x, y, exponent]| {
            let share = distance / p;
            let term = log1pmx(a, share);
            let far = a.lt(share, a.f(-0.7));
            let term = when(a, far, term, |a| log(a, x * (sum / p)) - share);
            [q, p, -distance, y, x, a.fma(p, term, exponent)]
        },
    );
    let root = a.sqrt(p * (q / sum) * a.f(1.0 / std::f64::consts::TAU));
    root * exp(a, exponent + (rest_sum - rest_p - rest_q))
}

/// y^p (1 − y)^t/(p B(p, t)) of p = s + `to`, from that of s + `from`; the lower or the upper part of the beta distribution there.
fn beta_carried<A: Algebra>(
    a: &A,
    [from, to]: [A::F; 2],
    [s, t]: [A::F; 2],
    [y, rest]: [A::F; 2],
    upper: A::B,
) -> [A::F; 2] {
    // One text at both ends of the way.
    let state = [from, a.f(-1.0), a.f(0.0)];
    let twice = |a: &A, _: [A::F; 3]| a.eq(a.f(0.0), a.f(0.0));
    let [_, density, part] = a.repeat_while(2, state, twice, |a, [at, before, _]| {
        let p = s + at;
        let [lower, above, prefix] = beta_parts_by(a, [p, t], [y, rest], beta_density);
        let density = a.select(a.lt(before, a.f(0.0)), prefix / p, before);
        [to, density, a.select(upper, above, lower)]
    });
    let density = carried(a, [from, to], density, |a, k| {
        let p = s + k;
        (p + t) * y / (p + a.f(1.0))
    });
    [density, part]
}

/// Noncentral F.
pub fn ncfdtr<A: Algebra>(a: &A, dfn: A::F, dfd: A::F, nc: A::F, f: A::F) -> A::F {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let finite = a.lt(dfn, infinity(a)) & a.lt(dfd, infinity(a)) & a.lt(nc, infinity(a));
    let known = a.lt(zero, dfn) & a.lt(zero, dfd) & a.le(zero, nc) & finite;
    let inside = known & a.lt(zero, f) & a.lt(f, infinity(a));
    let safe = |value: A::F| a.select(inside, value, one);
    let product = safe(dfn) * safe(f);
    let sum = product + safe(dfd);
    let parameters = [half * safe(dfn), half * safe(dfd), half * safe(nc)];
    let [value, _] = f_parts(a, parameters, product / sum, safe(dfd) / sum);
    let value = a.select(inside, value, nan(a));
    let value = a.select(a.eq(f, zero) & known, zero, value);
    a.select(a.eq(f, infinity(a)) & known, one, value)
}

/// The inverse of [`ncfdtr`] in f.
pub fn ncfdtri<A: Algebra>(a: &A, dfn: A::F, dfd: A::F, nc: A::F, p: A::F) -> A::F {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let finite = a.lt(dfn, infinity(a)) & a.lt(dfd, infinity(a)) & a.lt(nc, infinity(a));
    let known = a.lt(zero, dfn) & a.lt(zero, dfd) & a.le(zero, nc) & finite;
    let inside = known & a.lt(zero, p) & a.lt(p, one);
    let safe = |value: A::F| a.select(inside, half * value, one);
    let (s, t, mean) = (safe(dfn), safe(dfd), safe(nc));
    let target = a.select(inside, p, half);
    // By the ratio of both χ², of which y is r/(1 + r), and r times the slope in r is y (1 − y) times that in y.
    let value = quantile(a, target, (s + mean) / t, |a, ratio| {
        let one = a.f(1.0);
        f_parts(a, [s, t, mean], ratio / (one + ratio), one / (one + ratio))
    });
    let value = a.select(inside, value * t / s, nan(a));
    let value = a.select(a.eq(p, one) & known, infinity(a), value);
    a.select(a.eq(p, zero) & known, zero, value)
}

/// Γ(z)/Γ(z + 1/2): the asymptotic series (DLMF 5.11.13) of z ≥ 40, the recurrence below.
fn gamma_half_step<A: Algebra>(a: &A, z: A::F) -> A::F {
    let goes_on = |a: &A, [z, _]: [A::F; 2]| a.lt(z, a.f(40.0));
    let [z, factor] = a.repeat_while(41, [z, a.f(1.0)], goes_on, |a, [z, factor]| {
        [z + a.f(1.0), factor * ((z + a.f(0.5)) / z)]
    });
    const TERMS: [f64; 8] = [
        1.0,
        -1.0 / 8.0,
        1.0 / 128.0,
        5.0 / 1024.0,
        -21.0 / 32_768.0,
        -399.0 / 262_144.0,
        869.0 / 4_194_304.0,
        39_325.0 / 33_554_432.0,
    ];
    factor / (a.sqrt(z) * horner(a, a.f(1.0) / z, &TERMS))
}

/// Noncentral t of n degrees of freedom and noncentrality δ: the probability of at most t, and its slope. The terms of t > 0 and of
/// t < 0 are of the lower and of the upper part of the beta distribution; of δ that has the other sign than t a difference,
/// whose error is absolute; that of t < 0 is [`t_tail`] in its place. Where t is above 0 and δ, it is 1 less the probability of at most −t with
/// the noncentrality −δ, which is the smaller one.
fn t_parts<A: Algebra>(a: &A, n: A::F, delta: A::F, t: A::F) -> [A::F; 2] {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let mirrored = a.lt(zero, t) & a.lt(delta, t);
    let (delta, t) = (a.select(mirrored, -delta, delta), a.select(mirrored, -t, t));
    let upper = a.lt(t, zero);
    let mean = half * delta * delta;
    let none = a.lt(mean, a.f(1e-16));
    let square = t * t;
    let y = square / (n + square);
    let rest = n / (n + square);
    let s = half * n;
    let share = mean * y;
    let peak = largest_term(a, mean, half - share, share * (half + s), upper);
    let range = reach(a, peak, mean);
    let low = a.floor(peak - range);
    let low = a.select(a.lt(low, zero), zero, low);
    let high = a.floor(peak + range);
    let (low, high) = (a.select(none, zero, low), a.select(none, zero, high));
    let first = a.select(upper, low, high);
    let weight = weight_at(a, first, mean, none);
    let safe_mean = a.select(none, one, mean);
    let step = a.select(upper, one, -one);
    let half_step = gamma_half_step(a, first + one);
    // For k + 1/2 and for k + 1: the density near its largest one, and the part at the first k.
    let center = y / rest * s;
    let starts = [half, one].map(|offset| nearest(a, center - offset, low, high));
    let state = [zero, zero, zero, zero, zero];
    let four = |a: &A, state: [A::F; 5]| a.lt(state[0], a.f(4.0));
    let [_, first_density, first_part, second_density, second_part] =
        a.repeat_while(4, state, four, |a, [number, _, third, fourth, fifth]| {
            let (one, half) = (a.f(1.0), a.f(0.5));
            let late = a.le(a.f(2.0), number);
            let odd = a.eq(number, one) | a.eq(number, a.f(3.0));
            let from = a.select(odd, first, a.select(late, starts[1], starts[0]));
            let p = from + a.select(late, one, half);
            let [lower, above, prefix] = beta_parts_by(a, [p, s], [y, rest], beta_density);
            let part = a.select(upper, above, lower);
            [number + one, third, fourth, fifth, a.select(odd, part, prefix / p)]
        });
    // The sums with k + 1/2 and, times δ/√2, with k + 1.
    let start = [half, zero, zero];
    let both = |a: &A, [offset, ..]: [A::F; 3]| a.le(offset, a.f(1.0));
    let [_, sum, slope] = a.repeat_while(2, start, both, |a, [offset, total, total_slope]| {
        let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
        let second = a.eq(offset, one);
        let from = a.select(second, starts[1], starts[0]);
        let density = a.select(second, second_density, first_density);
        let density = carried(a, [from, first], density, |a, k| {
            let p = offset + k;
            (p + s) * y / (p + a.f(1.0))
        });
        let part = a.select(second, second_part, first_part);
        // The weights have Γ(k + offset + 1/2).
        let ratio = a.select(a.eq(offset, one), half_step, one);
        let state = [first, weight * ratio, density, part, zero, zero];
        let goes_on = |a: &A, [k, weight, _, part, sum, _]: [A::F; 6]| {
            let to_peak = a.select(upper, peak - k, k - peak);
            let zero = a.f(0.0);
            a.le(zero, k) & (a.lt(a.f(1e-17) * sum, weight * part) | a.le(zero, to_peak))
        };
        let [k, weight, _, part, sum, slope] =
            a.repeat_while(WEIGHTS, state, goes_on, |a, [k, weight, density, part, sum, slope]| {
                let (one, half) = (a.f(1.0), a.f(0.5));
                let at = k + offset;
                let slope = a.fma(weight * at, density, slope);
                let sum = a.fma(weight, part, sum);
                let (over, under) = (safe_mean / (at + half), (at - half) / safe_mean);
                let weight = weight * a.select(upper, over, under);
                let next =
                    density * a.select(upper, (at + s) * y / (at + one), at / ((at + s - one) * y));
                let part = part + a.select(upper, density, next);
                let k = a.select(none, -one, k + step);
                [k, weight, next, part, sum, slope]
            });
        let ended = a.lt(k, zero) | a.le(weight * part, a.f(1e-15) * sum);
        let sum = a.select(ended, sum, nan(a));
        let factor = a.select(upper, -delta, delta) * a.f(std::f64::consts::FRAC_1_SQRT_2);
        let factor = a.select(a.eq(offset, one), factor, one);
        [offset + half, a.fma(factor, sum, total), a.fma(factor, slope, total_slope)]
    });
    let value = half * sum;
    let value = a.select(upper, value, value + ndtr(a, -delta));
    // x (1 − x) times the slope in x; dx/dt is 2 x (1 − x)/t.
    let slope = slope / a.abs(t);
    let differs = upper & a.lt(zero, delta) & a.le(a.f(0.4), n) & a.lt(n, a.f(1e12));
    let [value, slope] =
        a.repeat_while(1, [value, slope], |_, _| differs, |a, _| t_tail(a, n, delta, t));
    [a.select(mirrored, one - value, value), slope]
}

/// The same of t < 0 and δ > 0: the integral of Φ(tv − δ) over the density of v = χ/√n by the trapezoidal rule in log v, whose
/// terms are positive, from the largest one to the right, then to the left.
fn t_tail<A: Algebra>(a: &A, n: A::F, delta: A::F, t: A::F) -> [A::F; 2] {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let (size, four) = (-t, a.f(4.0));
    let square = size * size;
    let product = size * delta;
    // Where the exponents together are largest, and their curvature there.
    let center = (n + n) / (product + a.sqrt(a.fma(product, product, four * n * (square + n))));
    let curvature = center * a.fma(a.f(2.0) * center, square + n, product);
    let width = half / a.sqrt(curvature);
    let width = a.select(a.lt(width, a.f(0.125)), width, a.f(0.125));
    let middle = log(a, center);
    let s = half * n;
    let scale = a.sqrt(s * a.f(2.0 * std::f64::consts::FRAC_1_PI)) * exp(a, -stirling_from(a, s));
    // The number of a node, both sums, the last term, and how far the next node is.
    let state = [zero, zero, zero, one, one];
    let goes_on = |a: &A, [_, sum, _, term, side]: [A::F; 5]| {
        a.lt(a.f(1e-17) * sum, term) | a.lt(a.f(0.0), side)
    };
    let [_, sum, slope, _, _] =
        a.repeat_while(900, state, goes_on, |a, [number, sum, slope, _, side]| {
            let one = a.f(1.0);
            let u = a.fma(number, width, middle);
            let v = exp(a, u);
            let density = exp(a, n * a.fma(a.f(-0.5), expm1(a, u + u), u));
            let z = a.fma(t, v, -delta);
            let term = density * ndtr(a, z);
            let rise = density * v * exp(a, a.f(-0.5) * z * z);
            let sum = sum + term;
            let turns = a.lt(a.f(0.0), side) & a.le(term, a.f(1e-17) * sum);
            let side = a.select(turns, -one, side);
            let number = a.select(turns, -one, number + side);
            [number, sum, slope + rise, a.select(turns, one, term), side]
        });
    let scale = scale * width;
    [scale * sum, scale * a.f(0.398_942_280_401_432_7) * slope]
}

/// Noncentral t.
pub fn nctdtr<A: Algebra>(a: &A, df: A::F, nc: A::F, t: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let known = a.lt(zero, df) & a.lt(df, infinity(a)) & a.lt(a.abs(nc), infinity(a));
    let inside = known & a.lt(a.f(1e-150), a.abs(t)) & a.lt(a.abs(t), a.f(1e150));
    let safe = |value: A::F| a.select(inside, value, one);
    let [value, _] = t_parts(a, safe(df), safe(nc), safe(t));
    let value = a.select(a.lt(one, value), one, value);
    let value = a.select(a.lt(value, zero), zero, value);
    let value = a.select(inside, value, nan(a));
    let value = when(a, known & a.le(a.abs(t), a.f(1e-150)), value, |a| ndtr(a, -nc));
    let value = a.select(known & a.le(a.f(1e150), t), one, value);
    a.select(known & a.le(t, a.f(-1e150)), zero, value)
}

/// The inverse of [`nctdtr`] in t: Newton's steps within a bracket from the normal approximation.
pub fn nctdtrit<A: Algebra>(a: &A, df: A::F, nc: A::F, p: A::F) -> A::F {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let known = a.lt(zero, df) & a.lt(df, infinity(a)) & a.lt(a.abs(nc), infinity(a));
    let inside = known & a.lt(zero, p) & a.lt(p, one);
    let (n, target) = (a.select(inside, df, one), a.select(inside, p, half));
    let delta = a.select(inside, nc, zero);
    let spread = a.sqrt(one + half * delta * delta / n);
    let start = a.fma(ndtri(a, target), spread, delta);
    let start = a.select(a.eq(start, zero), a.f(1e-3), start);
    let state = [-infinity(a), infinity(a), start, one];
    let goes_on = |a: &A, [low, high, x, step]: [A::F; 4]| {
        a.lt(a.f(4.0 * f64::EPSILON) * a.abs(x), a.abs(step)) & a.lt(low, high)
    };
    let [.., x, step] = a.repeat_while(90, state, goes_on, |a, [low, high, x, _]| {
        let half = a.f(0.5);
        let [found, slope] = t_parts(a, n, delta, x);
        let above = a.lt(target, found);
        let (low, high) = (a.select(above, low, x), a.select(above, x, high));
        // On the side of the smaller part by its logarithm.
        let newton = (found - target) / slope;
        let ratio = found / target;
        let far = a.lt(ratio, a.f(0.5)) | a.lt(a.f(2.0), ratio);
        let newton = a.select(far & a.lt(a.f(0.0), found), log(a, ratio) * found / slope, newton);
        let widest = a.f(3.0) * (a.f(1.0) + a.abs(x));
        let newton = a.select(a.lt(newton, widest), newton, widest);
        let newton = a.select(a.lt(-widest, newton), newton, -widest);
        let next = x - newton;
        let done = a.lt(a.abs(newton), a.f(2.0 * f64::EPSILON) * a.abs(x));
        let within = a.lt(low, next) & a.lt(next, high);
        let next = a.select(within, next, half * (low + high));
        let next = a.select(a.eq(next, a.f(0.0)), a.f(TINY), next);
        let next = a.select(done, x, next);
        [low, high, next, next - x]
    });
    let good = a.le(a.abs(step), a.fma(a.abs(x), a.f(1e-9), a.f(1e-12)));
    let value = a.select(inside & good, x, nan(a));
    let value = a.select(known & a.eq(p, zero), -infinity(a), value);
    a.select(known & a.eq(p, one), infinity(a), value)
}

/// The largest sample of Smirnov's statistic.
const SAMPLE: u32 = 1000;

/// The probability that Smirnov's one-sided statistic of n points is at least d, and its slope: the sum of Birnbaum and Tingey
/// (1951), all of whose terms are positive; 0 < d < 1, n whole.
fn smirnov_parts<A: Algebra>(a: &A, n: A::F, d: A::F) -> [A::F; 2] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    // n d in two parts.
    let product = n * d;
    let rest = a.fma(n, d, -product);
    // The binomial and the sum in two floats.
    let state = [zero, one, zero, zero, zero, zero];
    let goes_on = |a: &A, [j, ..]: [A::F; 6]| {
        let left = (n - j - product) - rest;
        a.lt(a.f(0.0), left) & a.lt(a.f(0.0), n - j - product)
    };
    let [_, _, _, sum, sum_low, slope] = a.repeat_while(
        SAMPLE + 1,
        state,
        goes_on,
        |a, [j, binomial, binomial_low, sum, sum_low, slope]| {
            let (one, half) = (a.f(1.0), a.f(0.5));
            // n times both bases, and what they lack.
            let up = product + j;
            let up_rest = (product - (up - j)) + (j - (up - (up - j))) + rest;
            let whole = n - j;
            let down = whole - product;
            let back = down - whole;
            let down_rest = (whole - (down - back)) - (product + back) - rest;
            let inverse = one / n;
            let (first, second) = (up * inverse, down * inverse);
            // The rounding of the quotients.
            let first_rest = (up_rest - a.fma(first, n, -up)) / up;
            let second_rest = (down_rest - a.fma(second, n, -down)) / down;
            let before = j - one;
            let correction = a.fma(before, first_rest, whole * second_rest);
            // The power in halves, which do not underflow before the term does, where it is small.
            let is_small = a.lt(a.f(600.0) * second, whole * (one - second));
            let root = pow(a, second, a.select(is_small, half * whole, whole));
            let power = pow(a, first, before);
            let other = power * a.select(is_small, root, one);
            let product = binomial * root;
            let term = product * other;
            // The roundings of the products.
            let lost = a.fma(a.fma(binomial, root, -product), other, a.fma(product, other, -term));
            let correction = correction + binomial_low / binomial + lost / (term + a.f(TINY));
            // The first power is the reciprocal of d, which the sum is multiplied by.
            let of_reciprocal = a.select(a.eq(j, a.f(0.0)), a.fma(power, first, -one), a.f(0.0));
            let correction = correction - of_reciprocal;
            let term = a.fma(term, correction, term);
            let rise = n * (before / up - whole / down);
            let (sum, lost) = two_sum(sum, term);
            let after = j + one;
            let ratio = whole / after;
            let ratio_low = a.fma(-ratio, after, whole) / after;
            let next = binomial * ratio;
            let lows = a.fma(binomial, ratio_low, binomial_low * ratio);
            let next_low = a.fma(binomial, ratio, -next) + lows;
            [after, next, next_low, sum, sum_low + lost, a.fma(term, rise, slope)]
        },
    );
    let value = d * sum;
    let rest = a.fma(d, sum_low, a.fma(d, sum, -value));
    [value + rest, a.fma(d, slope, sum)]
}

fn is_sample<A: Algebra>(a: &A, n: A::F) -> A::B {
    is_whole(a, n) & within(a, n, 1.0, f64::from(SAMPLE))
}

/// The probability that Smirnov's one-sided statistic of n points is at least d, n up to 1000, of which the whole part counts.
pub fn smirnov<A: Algebra>(a: &A, n: A::F, d: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let n = truncated(a, n);
    let inside = is_sample(a, n) & a.lt(zero, d) & a.lt(d, one);
    let [value, _] = smirnov_parts(a, a.select(inside, n, one), a.select(inside, d, a.f(0.5)));
    let value = a.select(a.lt(one, value), one, value);
    let value = a.select(a.eq(d, zero), one, value);
    let value = a.select(a.eq(d, one), zero, value);
    a.select(is_sample(a, n) & within(a, d, 0.0, 1.0), value, nan(a))
}

/// The inverse of [`smirnov`] in d: Newton's steps within a bracket.
pub fn smirnovi<A: Algebra>(a: &A, n: A::F, p: A::F) -> A::F {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let n = truncated(a, n);
    let inside = is_sample(a, n) & a.lt(zero, p) & a.lt(p, one);
    let (count, target) = (a.select(inside, n, one), a.select(inside, p, half));
    let log_p = log(a, target);
    // By the limit, or by the last term (1 − d)^n.
    let by_limit = a.sqrt(a.f(-0.5) * log_p / count) - a.f(1.0 / 6.0) / count;
    let by_last = -expm1(a, log_p / count);
    let first = a.select(a.lt(a.f(0.0), by_limit) & a.lt(by_limit, by_last), by_limit, by_last);
    let start = a.select(a.lt(first, a.f(0.999)), first, a.f(0.999));
    let state = [zero, one, start, one];
    let goes_on = |a: &A, [low, high, d, step]: [A::F; 4]| {
        a.lt(a.f(2.0 * f64::EPSILON) * d, a.abs(step)) & a.lt(low, high)
    };
    let [.., d, _] = a.repeat_while(60, state, goes_on, |a, [low, high, d, _]| {
        let [found, slope] = smirnov_parts(a, count, d);
        let above = a.lt(target, found);
        let (low, high) = (a.select(above, d, low), a.select(above, high, d));
        let ratio = found / target;
        let plain = (found - target) / slope;
        let far = a.lt(ratio, a.f(0.5)) | a.lt(a.f(2.0), ratio);
        let newton = a.select(far, log(a, ratio) * found / slope, plain);
        let next = d - newton;
        let done = a.le(a.abs(newton), a.f(2.0 * f64::EPSILON) * d);
        let within = a.lt(low, next) & a.lt(next, high);
        let next = a.select(within, next, a.f(0.5) * (low + high));
        let next = a.select(done, d, next);
        [low, high, next, next - d]
    });
    let value = a.select(a.eq(p, zero), one, d);
    let value = a.select(a.eq(p, one), zero, value);
    a.select(is_sample(a, n) & within(a, p, 0.0, 1.0), value, nan(a))
}
