//! Incomplete gamma and beta functions, and their inverses.

use ndany_core::formulas::algebra::Algebra;

use super::coefficients::{INVERSE_STIRLING, RGAMMA1P, TEMME};
use super::errors::erfcx_of_moderate;
use super::gamma::{gammaln1p, stirling_rest_of_inverse};
use super::support::*;
use ndany_core::formulas::power::log_parts;

const EPS: f64 = f64::EPSILON;

/// P(a, x), Q(a, x) and x^a e^−x / Γ(a + 1) of a > 0 and x ≥ 0 that are finite: Temme's uniform expansion for a > 20 and x near a
/// (DLMF 8.12); else the power series of P, the continued fraction of Q, or the series of Q for small a and x (Gil, Segura &
/// Temme 2012).
#[inline(always)]
fn gamma_parts<A: Algebra>(a: &A, s: A::F, x: A::F) -> [A::F; 3] {
    let Prefix { value, exponent, power, inverse_root, main } = gamma_prefix_parts(a, s, x);
    let uniform = a.lt(a.f(20.0), s) & a.lt(a.f(0.3) * s, x) & a.lt(x, a.f(2.35) * s);
    let [p, q] = a.branch(
        uniform,
        #[inline(always)]
        |a| gamma_uniform(a, s, x, exponent, power, inverse_root),
        #[inline(always)]
        |a| gamma_by_sums(a, s, x, value, main),
    );
    [p, q, value]
}

/// x^s e^−x / Γ(s + 1), and what it is made of: the logarithm of `power`, which is x^s e^−x, over (s/e)^s where s ≥ 3, and 1/√(2πs) there;
/// s log x where s < 3.
struct Prefix<A: Algebra> {
    value: A::F,
    exponent: A::F,
    power: A::F,
    inverse_root: A::F,
    main: A::F,
}

#[inline(always)]
fn gamma_prefix_parts<A: Algebra>(a: &A, s: A::F, x: A::F) -> Prefix<A> {
    let zero = a.f(0.0);
    let [value, exponent, power, inverse_root, main] = apart(
        a,
        [s, x, zero, zero, zero],
        #[inline(always)]
        |a, [s, x, ..]| {
            let Prefix { value, exponent, power, inverse_root, main } = prefix_written_out(a, s, x);
            [value, exponent, power, inverse_root, main]
        },
    );
    Prefix { value, exponent, power, inverse_root, main }
}

#[inline(always)]
fn prefix_written_out<A: Algebra>(a: &A, s: A::F, x: A::F) -> Prefix<A> {
    let large = a.le(a.f(3.0), s);
    let [exponent, rest, main] = gamma_exponent(a, s, x, large);
    let power = exp(a, exponent);
    let power = a.fma(power, rest, power);
    // Far beyond, where the exponent itself may have no value.
    let power = a.select(a.lt(a.f(-800.0), exponent), power, a.f(0.0));
    let [factor, inverse] = a.branch(
        large,
        #[inline(always)]
        |a| {
            let inverse = a.f(1.0) / a.sqrt(a.f(std::f64::consts::TAU) * s);
            // 6/s − 1.
            let u = a.fma(a.f(6.0 * std::f64::consts::TAU) * inverse, inverse, a.f(-1.0));
            [horner(a, u, &INVERSE_STIRLING), inverse]
        },
        #[inline(always)]
        |a| {
            // Γ(1 + s) = s (s − 1) … Γ(1 + x) of x below 1.
            let (one, two) = (a.f(1.0), a.f(2.0));
            let (first, second) = (a.le(one, s), a.le(two, s));
            let x = s - a.select(second, two, a.select(first, one, a.f(0.0)));
            let divisor = a.select(second, s * (s - one), a.select(first, s, one));
            [horner(a, a.fma(two, x, -one), &RGAMMA1P), one / divisor]
        },
    );
    Prefix { value: power * factor * inverse, exponent, power, inverse_root: inverse, main }
}

/// P and Q by the uniform expansion, from e^`exponent`, which is e^(−s η²/2), and 1/√(2πs).
#[inline(always)]
fn gamma_uniform<A: Algebra>(
    a: &A,
    s: A::F,
    x: A::F,
    exponent: A::F,
    power: A::F,
    inverse_root: A::F,
) -> [A::F; 2] {
    // |η| √(s/2).
    let size = a.sqrt(a.abs(exponent));
    let right = a.lt(s, x);
    let scaled = size * inverse_root * a.f(2.0 * 1.772_453_850_905_516);
    let eta = a.select(right, scaled, -scaled);
    let t = a.fma(a.f(40.0 * std::f64::consts::TAU) * inverse_root, inverse_root, a.f(-1.0));
    let mut sum = a.f(0.0);
    for row in TEMME.iter().rev() {
        sum = a.fma(sum, t, horner(a, eta, row));
    }
    // The power is 0 where it is above 30.
    let normal = a.f(0.5) * erfcx_of_moderate(a, ordered(a, size, a.f(30.0))[1]);
    let rest = sum * inverse_root;
    // The part in the tail on this side of the middle.
    let tail = power * (normal + a.select(right, rest, -rest));
    let other = a.f(1.0) - tail;
    [a.select(right, other, tail), a.select(right, tail, other)]
}

/// weight log((high + low)/(divisor + divisor_low)) as a sum of two floats.
#[inline(always)]
fn weighted_log<A: Algebra>(
    a: &A,
    weight: A::F,
    (high, low): (A::F, A::F),
    (divisor, divisor_low): (A::F, A::F),
) -> [A::F; 2] {
    let (log, log_low, tiny) = log_of_quotient(
        a,
        high,
        divisor,
        #[inline(always)]
        |quotient| a.fma(-quotient, divisor_low, low),
    );
    // Of what is next to nothing, any power of weights above 8 is nothing.
    let log = a.select(tiny, a.f(-700.0), log);
    let product = weight * log;
    let rest = a.fma(weight, log, -product) + weight * log_low;
    [product, a.select(tiny, a.f(0.0), rest)]
}

/// e^(x + rest).
#[inline(always)]
fn exp_of_two<A: Algebra>(a: &A, x: A::F, rest: A::F) -> A::F {
    let (sum, low) = two_sum(x, rest);
    let power = exp(a, sum);
    a.fma(power, low, power)
}

/// s log(x/s) + s − x as a sum of two floats where s is `large`, else s log x − x; and its part with the logarithm.
#[inline(always)]
fn gamma_exponent<A: Algebra>(a: &A, s: A::F, x: A::F, large: A::B) -> [A::F; 3] {
    let zero = a.f(0.0);
    // A power of what is next to nothing has a value where s is small: 2^600 times it, of which the logarithm is taken away.
    let tiny = a.lt(x, a.f(1e-280)) & !large;
    let lifted = a.select(tiny, x * a.f(two_to_600()), x);
    let divisor = a.select(large, s, a.f(1.0));
    let [main, rest] = weighted_log(a, s, (lifted, zero), (divisor, zero));
    let [main, rest] = a.repeat_while(
        1,
        [main, rest],
        #[inline(always)]
        |_, _| tiny,
        #[inline(always)]
        |a, [main, rest]| {
            let less = s * a.f(LOG_2_TO_600.0);
            let less_low = a.fma(s, a.f(LOG_2_TO_600.0), -less) + s * a.f(LOG_2_TO_600.1);
            let (main, lost) = two_sum(main, -less);
            [main, rest + (lost - less_low)]
        },
    );
    let (distance, distance_low) = two_sum(a.select(large, s, zero), -x);
    let (sum, low) = two_sum(main, distance);
    let (sum, low) = two_sum(sum, low + (rest + distance_low));
    [sum, low, main + rest]
}

/// x^s e^−x / Γ(s + 1).
#[inline(always)]
fn gamma_prefix<A: Algebra>(a: &A, s: A::F, x: A::F) -> A::F {
    gamma_prefix_parts(a, s, x).value
}

/// By P's series up to x = a, or for small x where P is the smaller part, else by the fraction or the series of Q.
#[inline(always)]
fn gamma_by_sums<A: Algebra>(a: &A, s: A::F, x: A::F, prefix: A::F, main: A::F) -> [A::F; 2] {
    let small_x = a.le(x, a.f(1.1));
    // Up to x = 1/2 where x^s is below e^(−2/5), then where 1.1 x is below s.
    let least = a.le(x, a.f(0.5));
    let below = a.lt(main, a.f(-0.4)) | a.le(a.f(3.0), s);
    let by_p =
        (least & below) | (!least & small_x & a.lt(a.f(1.1) * x, s)) | (!small_x & a.le(x, s));
    a.branch(
        small_x & !by_p,
        #[inline(always)]
        |a| gamma_by_alternating_series(a, s, x, main),
        #[inline(always)]
        |a| gamma_by_series_or_fraction(a, s, x, prefix, by_p),
    )
}

/// Q = 1 − x^s/Γ(1 + s) − …, where s and x are small; `main` is s log x.
#[inline(always)]
fn gamma_by_alternating_series<A: Algebra>(a: &A, s: A::F, x: A::F, main: A::F) -> [A::F; 2] {
    let [.., alternating] = a.repeat_while(
        64,
        [a.f(0.0), a.f(1.0), a.f(0.0)],
        #[inline(always)]
        |a, [_, term, sum]| a.lt(a.f(0.25 * EPS) * a.abs(sum), a.abs(term)),
        #[inline(always)]
        |a, [n, term, sum]| {
            let n = n + a.f(1.0);
            let term = term * (-x / n);
            [n, term, sum + term / (s + n)]
        },
    );
    // e^exponent − 1; the exponent is between −0.5 and 0.25.
    const TERMS: [f64; 15] = over_factorials();
    let exponent = main - gammaln1p(a, s);
    let change = exponent * horner(a, exponent, &TERMS);
    let q = -change - (a.f(1.0) + change) * s * alternating;
    [a.f(1.0) - q, q]
}

/// 1/n! from n = 1 on.
const fn over_factorials<const N: usize>() -> [f64; N] {
    let mut terms = [0.0; N];
    let (mut n, mut factorial) = (0, 1.0);
    while n < N {
        factorial *= (n + 1) as f64;
        terms[n] = 1.0 / factorial;
        n += 1;
    }
    terms
}

#[inline(always)]
fn gamma_by_series_or_fraction<A: Algebra>(
    a: &A,
    s: A::F,
    x: A::F,
    prefix: A::F,
    by_p: A::B,
) -> [A::F; 2] {
    let one = a.f(1.0);
    // Σ x^n/((s + 1) … (s + n)), four terms over one denominator a step. Of operands beyond the prefix is 0 whatever the sum is.
    let beyond = a.lt(a.f(1e60), s);
    let (own_s, own_x) = (a.select(beyond, one, s), a.select(beyond, one, x));
    let cube = own_x * own_x * own_x;
    let [.., series] = a.repeat_while(
        128,
        [own_s, own_x, one],
        #[inline(always)]
        |a, [_, term, sum]| by_p & a.lt(a.f(0.25 * EPS) * own_x * sum, term),
        #[inline(always)]
        |a, [n, term, sum]| {
            let (b1, b2) = (n + a.f(1.0), n + a.f(2.0));
            let (b3, b4) = (n + a.f(3.0), n + a.f(4.0));
            let last_two = b3 * b4;
            let last = b2 * last_two;
            // The term with one more x.
            let quotient = term / (b1 * last);
            let four = a.fma(own_x, a.fma(own_x, own_x + b4, last_two), last);
            [b4, quotient * cube * own_x, a.fma(quotient, four, sum)]
        },
    );
    // The continued fraction x + 1 − s − 1 (1 − s)/(x + 3 − s − …), whose terms are divided by x so that they are of moderate size.
    let r = one / x;
    let (first, twice, square) = ((x + one - s) * r, r + r, r * r);
    let [fraction, _] = reciprocal_fraction(
        a,
        171,
        !by_p,
        first,
        #[inline(always)]
        |a, i| [[i * (s - i) * square, a.fma(i, twice, first)]],
    );
    let part = prefix * a.select(by_p, series, s * r * fraction);
    let other = one - part;
    [a.select(by_p, part, other), a.select(by_p, other, part)]
}

/// 1/F of the continued fraction F = b₀ + a₁/(b₁ + a₂/(b₂ + …)) and the last i, by the recurrence of its numerators and denominators (DLMF
/// 1.12.5), which needs no division. `terms` takes i, from 1 on, and returns the next M pairs of a and b, of moderate size; three times as many are
/// taken between two tests, `limit` times at most. Where `wanted` does not hold, no step is taken.
#[inline(always)]
pub(crate) fn reciprocal_fraction<A: Algebra, const M: usize>(
    a: &A,
    limit: u32,
    wanted: A::B,
    first: A::F,
    terms: impl Fn(&A, A::F) -> [[A::F; 2]; M],
) -> [A::F; 2] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let [count, numerator, _, denominator, _] = a.repeat_while(
        limit,
        [zero, first, one, one, zero],
        // The difference of two approximants, by which they are multiplied.
        #[inline(always)]
        |a, [_, n, before_n, d, before_d]| {
            let product = n * before_d;
            wanted & a.lt(a.f(EPS) * a.abs(product), a.abs(a.fma(before_n, d, -product)))
        },
        #[inline(always)]
        |a, [mut i, mut n, mut before_n, mut d, mut before_d]| {
            for _ in 0..3 {
                i = i + a.f(1.0);
                for [above, below] in terms(a, i) {
                    (n, before_n) = (a.fma(below, n, above * before_n), n);
                    (d, before_d) = (a.fma(below, d, above * before_d), d);
                }
            }
            // All four by the power of two that brings the numerator between 1 and 2: 2^1023 over the power of its exponent.
            let exponent = a.bits(n) & a.u(0x7ff0_0000_0000_0000);
            let scale = a.float(a.u(0x7fe0_0000_0000_0000) - exponent);
            [i, n * scale, before_n * scale, d * scale, before_d * scale]
        },
    );
    [denominator / numerator, count]
}

/// Both parts at all operands.
#[inline(always)]
fn gamma_checked<A: Algebra>(a: &A, s: A::F, x: A::F) -> [A::F; 2] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let inside = a.lt(zero, s) & a.lt(zero, x) & a.lt(s, infinity(a)) & a.lt(x, infinity(a));
    let [p, q, _] = gamma_parts(a, a.select(inside, s, one), a.select(inside, x, one));
    let valid = a.le(zero, s) & a.le(zero, x);
    // At x = ∞ and s = 0 all of it is below, at x = 0 and s = ∞ above; 0 and 0, ∞ and ∞ have no value.
    let below = a.eq(s, zero) | a.eq(x, infinity(a));
    let above = a.eq(x, zero) | a.eq(s, infinity(a));
    let at = |a: &A, value: A::F, all: A::F, none: A::F| {
        let value = a.select(below, all, value);
        let value = a.select(above, none, value);
        let value = a.select(below & above, nan(a), value);
        a.select(valid, value, nan(a))
    };
    [at(a, p, one, zero), at(a, q, zero, one)]
}

/// P(a, x).
#[inline(always)]
pub fn gammainc<A: Algebra>(a: &A, s: A::F, x: A::F) -> A::F {
    gamma_checked(a, s, x)[0]
}

/// Q(a, x).
#[inline(always)]
pub fn gammaincc<A: Algebra>(a: &A, s: A::F, x: A::F) -> A::F {
    gamma_checked(a, s, x)[1]
}

/// A quantile of the normal distribution below 0, whose error is below 0.0005 (Abramowitz & Stegun 26.2.23).
#[inline(always)]
fn rough_quantile<A: Algebra>(a: &A, p: A::F) -> A::F {
    let t = a.sqrt(a.f(-2.0) * log_apart(a, p + a.f(TINY)));
    horner(a, t, &[2.515517, 0.802853, 0.010328])
        / horner(a, t, &[1.0, 1.432788, 0.189269, 0.001308])
        - t
}

/// Where P is `p` and Q is `q`, of which the smaller one counts: steps of the fifth order in log x, within a bracket, from the
/// expansion of the cube root by normal quantiles, or the first terms of the series of P or Q.
#[inline(always)]
fn gamma_inverse<A: Algebra>(a: &A, s: A::F, p: A::F, q: A::F) -> A::F {
    let one = a.f(1.0);
    let lower = a.lt(p, q);
    let part = a.select(lower, p, q);
    let z = rough_quantile(a, part);
    let z = a.select(lower, z, -z);
    // The cube root of x/s by powers of 1/√s: Wilson's and Hilferty's approximation, and three terms of Cornish's and Fisher's expansion more.
    let t = one / a.sqrt(s);
    let square = z * z;
    let third = z * a.fma(square, a.f(-1.0 / 324.0), a.f(1.0 / 108.0));
    let fourth = horner(a, square, &[-7.0 / 1215.0, 4.0 / 1215.0, 1.0 / 1215.0]);
    let fifth = z * horner(a, square, &[-5.0 / 2592.0, -5.0 / 2916.0, -1.0 / 7776.0]);
    let after_two = a.fma(t, a.fma(t, a.fma(t, fifth, fourth), third), a.f(-1.0 / 9.0));
    // In far tails the first two terms alone.
    let after_two = a.select(a.lt(a.abs(z) * t, a.f(1.8)), after_two, a.f(-1.0 / 9.0));
    let root = a.fma(t, a.fma(t, after_two, z * a.f(1.0 / 3.0)), one);
    let by_normal = s * root * root * root;
    let start = when(
        a,
        a.lt(s, a.f(1.5)) | a.lt(root, a.f(0.35)),
        by_normal,
        #[inline(always)]
        |a| gamma_start(a, s, p, q, by_normal),
    );
    let start = a.select(a.lt(a.f(1e-300), start), start, a.f(1e-300));
    let state = [a.f(0.0), infinity(a), start, one];
    let [.., x, _] = a.repeat_while(
        48,
        state,
        #[inline(always)]
        |a, [low, high, _, more]| a.lt(a.f(0.0), more) & a.lt(low, high),
        #[inline(always)]
        |a, [low, high, x, _]| {
            let [found_p, found_q, prefix] = gamma_parts(a, s, x);
            let found = a.select(lower, found_p, found_q);
            let density = s * prefix;
            // The derivatives of s − x by log x.
            let rest = Found { lower, found, part, density, bends: [s - x, -x, -x, -x] };
            step_of_fifth_order(a, [low, high, x], rest)
        },
    );
    x
}

/// A start for s below 1.5 or P next to nothing.
#[inline(always)]
fn gamma_start<A: Algebra>(a: &A, s: A::F, p: A::F, q: A::F, by_normal: A::F) -> A::F {
    let one = a.f(1.0);
    // x^s/Γ(s + 1) (1 − s x/(s + 1) + …) = p.
    let log_s = log_apart(a, s);
    let Prefix { value, .. } = gamma_prefix_parts(a, s, s);
    let log_gamma = a.fma(s, log_s, -s) - log_apart(a, value);
    let first = exp_apart(a, (log_apart(a, p) + log_gamma) / s);
    let share = first / (s + one);
    let third = horner(a, s, &[31.0, 33.0, 8.0]) / (a.f(3.0) * (s + a.f(3.0)));
    let second = (a.fma(a.f(1.5), s, a.f(2.5)) + share * third) / (s + a.f(2.0));
    let by_series = a.fma(first * share, a.fma(share, second, one), first);
    let by_series_alone = a.le(a.f(1.5), s) | a.lt(share, a.f(0.3));
    // Large x: Q ≈ x^(s−1) e^−x / Γ(s).
    let by_tail = -log_apart(a, q);
    let by_q = by_tail - log_gamma + log_s;
    let start = a.select(by_series_alone, by_series, a.select(a.lt(s, one), by_tail, by_normal));
    let corrected = by_q + (s - one) * log_apart(a, by_q);
    let far = a.lt(q, a.f(0.02)) & a.lt(s, a.f(1.5));
    a.select(far & a.lt(one, corrected), corrected, start)
}

/// A distribution as a function of ξ: its lower or upper part `found`, the `part` that is wanted, the `density`, and the first four
/// derivatives of the density's logarithm.
struct Found<A: Algebra> {
    lower: A::B,
    found: A::F,
    part: A::F,
    density: A::F,
    bends: [A::F; 4],
}

/// log(1 + x), by powers of x where it is small.
#[inline(always)]
fn log_of_share<A: Algebra>(a: &A, x: A::F) -> A::F {
    const TERMS: [f64; 13] = [
        1.0,
        -1.0 / 2.0,
        1.0 / 3.0,
        -1.0 / 4.0,
        1.0 / 5.0,
        -1.0 / 6.0,
        1.0 / 7.0,
        -1.0 / 8.0,
        1.0 / 9.0,
        -1.0 / 10.0,
        1.0 / 11.0,
        -1.0 / 12.0,
        1.0 / 13.0,
    ];
    when(
        a,
        !a.lt(a.abs(x), a.f(1.0 / 16.0)),
        x * horner(a, x, &TERMS),
        #[inline(always)]
        |a| log_apart(a, a.f(1.0) + x),
    )
}

/// A step from x, whose logarithm is ξ, to where the logarithm of `found` is that of `part` (tails have logarithms that are nearly
/// straight), by the series of the inverse function up to the fifth power of Newton's step; within the bracket from `low` to `high`, else
/// to its middle. Returns the next bracket and x, and 0 where it is the last step.
#[inline(always)]
fn step_of_fifth_order<A: Algebra>(
    a: &A,
    [low, high, x]: [A::F; 3],
    Found { lower, found, part, density, bends: [bend, bend1, bend2, bend3] }: Found<A>,
) -> [A::F; 4] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let above = (lower & a.lt(part, found)) | (!lower & a.lt(found, part));
    let (low, high) = (a.select(above, low, x), a.select(above, x, high));
    let rate = density / found;
    let rate = a.select(lower, rate, -rate);
    let newton = log_of_share(a, (part - found) / found) / rate;
    // The logarithmic derivative of the rate, g, and its derivatives.
    let g = bend - rate;
    let square = g * g;
    let g1 = a.fma(-rate, g, bend1);
    let g2 = a.fma(-rate, square + g1, bend2);
    let g3 = a.fma(-rate, a.fma(g, a.fma(a.f(3.0), g1, square), g2), bend3);
    // w(k + 1) = w(k)′ − k g w(k).
    let w3 = a.fma(a.f(2.0), square, -g1);
    let w4 = a.fma(g, a.fma(a.f(7.0), g1, a.f(-6.0) * square), -g2);
    let inner = a.fma(a.f(24.0), square, a.f(-46.0) * g1);
    let w5 = a.fma(square, inner, a.fma(a.f(11.0) * g, g2, a.fma(a.f(7.0) * g1, g1, -g3)));
    let fourth = newton * w4 * a.f(1.0 / 24.0);
    let fifth = newton * newton * w5 * a.f(1.0 / 120.0);
    let series =
        a.fma(newton, a.fma(newton, (fourth + fifth) + w3 * a.f(1.0 / 6.0), a.f(-0.5) * g), one);
    let change = newton * series;
    // e^change − 1, exact up to 0.1.
    const TERMS: [f64; 9] = over_factorials();
    let near = a.lt(a.abs(change), a.f(0.1));
    let next = a.fma(x * change, horner(a, change, &TERMS), x);
    let next = when(
        a,
        !near,
        next,
        #[inline(always)]
        |a| {
            // Far away Newton's step alone.
            let limited = a.select(a.lt(newton, a.f(2.0)), newton, a.f(2.0));
            let limited = a.select(a.lt(a.f(-10.0), limited), limited, a.f(-10.0));
            x * exp_apart(a, a.select(a.lt(a.abs(change), a.f(1.5)), change, limited))
        },
    );
    // The term after the last one, as these fall, is below the rounding.
    let cube = newton * newton * newton;
    let (fourth, fifth) = (a.abs(cube * fourth), a.abs(cube * fifth));
    let small = a.lt(fourth, a.f(1e-10)) & near;
    let last = small & a.le(fifth * fifth, a.f(5e-17) * fourth);
    // Where no upper end is known the point moves up; low ends are far apart in magnitude.
    let middle = a.select(a.eq(high, infinity(a)), a.f(4.0) * x, a.f(0.5) * (low + high));
    let wide = a.lt(a.f(8.0) * low, high) & !a.eq(high, infinity(a));
    let geometric = a.select(a.eq(low, zero), x * a.f(0.1), a.sqrt(low) * a.sqrt(high));
    let middle = a.select(wide, geometric, middle);
    let inside = a.le(low, next) & a.le(next, high);
    [low, high, a.select(inside | last, next, middle), a.select(last, zero, one)]
}

#[inline(always)]
fn gamma_inverse_checked<A: Algebra>(a: &A, s: A::F, p: A::F, q: A::F, given: A::F) -> [A::F; 1] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let inside = a.lt(zero, s) & a.lt(s, infinity(a)) & a.lt(zero, given) & a.lt(given, one);
    let safe = |value: A::F, other: f64| a.select(inside, value, a.f(other));
    let x = gamma_inverse(a, safe(s, 1.0), safe(p, 0.5), safe(q, 0.5));
    let valid = a.le(zero, s) & a.le(zero, given) & a.le(given, one);
    let x = a.select(a.eq(s, zero), nan(a), x);
    let x = a.select(a.eq(p, zero), zero, x);
    let x = a.select(a.eq(q, zero), infinity(a), x);
    let x = a.select(a.eq(s, infinity(a)), nan(a), x);
    [a.select(valid, x, nan(a))]
}

/// The inverse of [`gammainc`] in x.
#[inline(always)]
pub fn gammaincinv<A: Algebra>(a: &A, s: A::F, p: A::F) -> A::F {
    gamma_inverse_checked(a, s, p, a.f(1.0) - p, p)[0]
}

/// The inverse of [`gammaincc`] in x.
#[inline(always)]
pub fn gammainccinv<A: Algebra>(a: &A, s: A::F, q: A::F) -> A::F {
    gamma_inverse_checked(a, s, a.f(1.0) - q, q, q)[0]
}

/// x^p y^q / B(p, q) of y = 1 − x, in two floats but for the rounding of the exponential, and what the exponential is made of.
struct BetaPrefix<A: Algebra> {
    value: Two<A>,
    factor: Two<A>,
    exponent: Two<A>,
    power: A::F,
}

#[inline(always)]
fn beta_prefix<A: Algebra>(a: &A, p: A::F, q: A::F, x: A::F, y: A::F) -> BetaPrefix<A> {
    // The larger of x and y as 1 less the smaller one, without its rounding.
    let left = a.lt(x, y);
    let less = a.select(left, x, y);
    let more = a.f(1.0) - less;
    let more_low = (a.f(1.0) - more) - less;
    let (of_less, of_more) = (a.select(left, p, q), a.select(left, q, p));
    let PowersAndBeta { factor, exponent: (exponent, rest) } =
        beta_parts_of_powers(a, [of_less, of_more], [less, more, more_low]);
    let (exponent, rest) = two_sum(exponent, rest);
    let power = exp_apart(a, exponent);
    let value = factor.0 * power;
    let low = a.fma(factor.0, power, -value) + a.fma(value, rest, factor.1 * power);
    BetaPrefix { value: (value, low), factor, exponent: (exponent, rest), power }
}

/// The value without the rounding of the exponential, by the logarithm of that, where it is a normal number.
#[inline(always)]
fn exact_prefix<A: Algebra>(a: &A, prefix: BetaPrefix<A>) -> Two<A> {
    let BetaPrefix { value, factor, exponent: (exponent, rest), power } = prefix;
    let (log, log_low) = log_parts(a, power);
    let change = (exponent - log) + (rest - log_low);
    let exact = times(a, factor, (power, power * change));
    let is_normal = a.lt(a.f(1e-300), power);
    (a.select(is_normal, exact.0, value.0), a.select(is_normal, exact.1, value.1))
}

/// B(p, q) of p > 0 and q > 0, or its reciprocal, times the factor, without an overflow or underflow on the way.
#[inline(always)]
pub(crate) fn beta_times<A: Algebra>(a: &A, [p, q]: [A::F; 2], reciprocal: A::B, by: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let PowersAndBeta { factor: (factor, factor_low), exponent: (exponent, rest) } =
        beta_parts_of_powers(a, [p, q], [one, one, zero]);
    let rest = rest + factor_low / factor;
    let signed = |x: A::F| a.select(reciprocal, x, -x);
    // Near the ends of the range, with a power of two taken away.
    let (exponent, rest) = (signed(exponent), signed(rest));
    let above = a.lt(a.f(350.0), exponent);
    let moved = above | a.lt(exponent, a.f(-350.0));
    let less = |value: f64| a.select(moved, a.select(above, a.f(value), a.f(-value)), zero);
    let (exponent, lost) = two_sum(exponent, -less(LOG_2_TO_600.0));
    let rest = rest + (lost - less(LOG_2_TO_600.1));
    // What overflows even so has no digits.
    let endless = a.le(a.f(709.0), exponent);
    let power = exp_of_two(a, a.select(endless, zero, exponent), a.select(endless, zero, rest));
    let power = a.select(endless, infinity(a), power);
    let value = a.select(reciprocal, power * factor, power / factor) * by;
    let (up, down) = (a.f(two_to_600()), a.f(1.0 / two_to_600()));
    value * a.select(moved, a.select(above, up, down), one)
}

/// log 2^600 in two parts.
const LOG_2_TO_600: (f64, f64) = (415.88830833596717, 1.8355172981578424e-14);

/// A factor and the exponent of a power, both in two floats.
struct PowersAndBeta<A: Algebra> {
    factor: Two<A>,
    exponent: Two<A>,
}

/// x^p y^q / B(p, q), y = `more` + `more_low`, as a factor and an exponent: by Stirling's series and logarithms in two
/// floats; where p or q is below 8 by those of p + 8 and q + 8.
#[inline(always)]
fn beta_parts_of_powers<A: Algebra>(
    a: &A,
    [p, q]: [A::F; 2],
    [x, more, more_low]: [A::F; 3],
) -> PowersAndBeta<A> {
    let [factor, factor_low, exponent, rest, _] = apart(
        a,
        [p, q, x, more, more_low],
        #[inline(always)]
        |a, [p, q, x, more, more_low]| {
            let PowersAndBeta { factor, exponent } =
                powers_written_out(a, [p, q], [x, more, more_low]);
            [factor.0, factor.1, exponent.0, exponent.1, a.f(0.0)]
        },
    );
    PowersAndBeta { factor: (factor, factor_low), exponent: (exponent, rest) }
}

#[inline(always)]
fn powers_written_out<A: Algebra>(
    a: &A,
    [p, q]: [A::F; 2],
    [x, more, more_low]: [A::F; 3],
) -> PowersAndBeta<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let small = a.lt(p, a.f(8.0)) | a.lt(q, a.f(8.0));
    let [ratio, ratio_low, ratio_rest] = a.repeat_while(
        1,
        [one, zero, zero],
        #[inline(always)]
        |_, _| small,
        #[inline(always)]
        |a, _| shifted_ratio(a, p, q),
    );
    let shift = a.select(small, a.f(8.0), zero);
    let (above_p, above_q) = (two_sum(p, shift), two_sum(q, shift));
    let (sum, sum_low) = two_sum(above_p.0, above_q.0);
    let sum_low = sum_low + (above_p.1 + above_q.1);
    // Of what is below all normal floats, 2^600 times it: the exponent loses as much.
    let tiny = a.lt(x, a.f(1e-270));
    let lifted = a.select(tiny, x * a.f(two_to_600()), x);
    let product = |of: A::F, low: A::F| {
        let high = of * sum;
        (high, a.fma(of, sum, -high) + a.fma(of, sum_low, low * sum))
    };
    let (first, second) = (product(lifted, zero), product(more, more_low));
    // The first, then the second.
    let start = a.select(tiny, p * a.f(-600.0 * std::f64::consts::LN_2), zero);
    let [_, exponent, logs_rest] = a.repeat_while(
        2,
        [zero, start, zero],
        #[inline(always)]
        |a, _| a.eq(one, one),
        #[inline(always)]
        |a, [number, sum, rest]| {
            let is_first = a.eq(number, zero);
            let of = |first: A::F, second: A::F| a.select(is_first, first, second);
            let quotient = (of(first.0, second.0), of(first.1, second.1));
            let divisor = (of(above_p.0, above_q.0), of(above_p.1, above_q.1));
            let [log, log_rest] = weighted_log(a, of(p, q), quotient, divisor);
            let (sum, lost) = two_sum(sum, log);
            [one, sum, rest + (lost + log_rest)]
        },
    );
    // √(P Q/(2π (P + Q))) with its roundings.
    const OVER_TAU: (f64, f64) = (0.15915494309189535, -9.839338337591243e-18);
    let inverse = one / sum;
    let share = above_p.0 * inverse;
    let share_low = (a.fma(-share, sum, above_p.0) + a.fma(-share, sum_low, above_p.1)) * inverse;
    let (main, main_low) = times(a, above_q, (share, share_low));
    // 1/P and 1/Q are Q and P over S, over that.
    let over_main = one / main;
    let (over_p, over_q) = (above_q.0 * inverse * over_main, share * over_main);
    let [of_p, of_q, of_sum] =
        [over_p, over_q, inverse].map(|inverse| stirling_rest_of_inverse(a, inverse));
    let rest = logs_rest + (ratio_rest - (of_p + of_q - of_sum));
    let square = main * a.f(OVER_TAU.0);
    let square_low = a.fma(main, a.f(OVER_TAU.0), -square)
        + a.fma(main, a.f(OVER_TAU.1), main_low * a.f(OVER_TAU.0));
    let root = a.sqrt(square);
    let half_over_square = a.f(std::f64::consts::PI) * over_main;
    let root_rest = (a.fma(-root, root, square) + square_low) * half_over_square;
    let factor = times(a, (ratio, ratio_low), (root, root * root_rest));
    PowersAndBeta { factor, exponent: (exponent, rest) }
}

const fn two_to_600() -> f64 {
    f64::from_bits((1023 + 600) << 52)
}

/// With P = p + 8, Q = q + 8 and s = p + q: B(P, Q) P^P Q^Q / S^S over B(p, q) P^p Q^q / S^s, which is
/// (p)₈/P⁸ (q)₈/Q⁸ S¹⁶/(s)₁₆ in two floats, and what these lack, over it.
#[inline(always)]
fn shifted_ratio<A: Algebra>(a: &A, p: A::F, q: A::F) -> [A::F; 3] {
    // Of a large one the ratio is 1 + 100/q.
    let most = a.f(1e12);
    let [large, _] = ordered(a, p, q);
    let [_, limited] = ordered(a, large, most);
    let beyond = a.f(100.0) / large - a.f(1e-10);
    let beyond = a.select(a.lt(limited, large), beyond, a.f(0.0));
    let [_, p] = ordered(a, p, most);
    let [_, q] = ordered(a, q, most);
    let zero = a.f(0.0);
    let (s, s_low) = two_sum(p, q);
    let raised = |x: A::F, low: A::F, by: f64| {
        let (sum, rest) = two_sum(x, a.f(by));
        (sum, rest + low)
    };
    let power_of_8 = |x: (A::F, A::F)| square(a, square(a, square(a, x)));
    let (middle, middle_low) = raised(s, s_low, 8.0);
    let top = square(a, power_of_8(raised(s, s_low, 16.0)));
    let powers = times(a, power_of_8(raised(p, zero, 8.0)), power_of_8(raised(q, zero, 8.0)));
    // (q)₈/(s)₈, then (p)₈ S¹⁶/((s + 8)₈ P⁸ Q⁸).
    let one = a.f(1.0);
    let [_, product, low] = a.repeat_while(
        2,
        [zero, one, zero],
        #[inline(always)]
        |a, _| a.eq(one, one),
        #[inline(always)]
        |a, [number, product, low]| {
            let is_first = a.eq(number, zero);
            let of = |first: A::F, second: A::F| a.select(is_first, first, second);
            let above = times(a, rising(a, of(q, p), zero), (of(one, top.0), of(zero, top.1)));
            let below = rising(a, of(s, middle), of(s_low, middle_low));
            let below = times(a, below, (of(one, powers.0), of(zero, powers.1)));
            let (product, low) = times(a, (product, low), quotient(a, above, below));
            [one, product, low]
        },
    );
    [product, low, beyond]
}

/// A sum of two floats.
type Two<A> = (<A as Algebra>::F, <A as Algebra>::F);

/// x (x + 1) … (x + 7) as a sum of two floats: by x (x + 7), of which (x + 1) (x + 6) and the others are 6, 10 and 12 more.
#[inline(always)]
fn rising<A: Algebra>(a: &A, x: A::F, low: A::F) -> (A::F, A::F) {
    let (last, last_low) = two_sum(x, a.f(7.0));
    let high = x * last;
    let rest = a.fma(x, last, -high) + a.fma(x, last_low, low * (x + last));
    let mut product = (high, rest);
    for more in [6.0, 10.0, 12.0] {
        let (factor, lost) = two_sum(high, a.f(more));
        product = times(a, product, (factor, lost + rest));
    }
    product
}

/// A product of sums of two floats.
#[inline(always)]
fn times<A: Algebra>(a: &A, x: (A::F, A::F), y: (A::F, A::F)) -> (A::F, A::F) {
    let high = x.0 * y.0;
    (high, a.fma(x.0, y.0, -high) + a.fma(x.0, y.1, x.1 * y.0))
}

#[inline(always)]
fn square<A: Algebra>(a: &A, x: (A::F, A::F)) -> (A::F, A::F) {
    times(a, x, x)
}

/// The quotient of sums of two floats.
#[inline(always)]
fn quotient<A: Algebra>(a: &A, x: Two<A>, y: Two<A>) -> Two<A> {
    let inverse = a.f(1.0) / y.0;
    let value = x.0 * inverse;
    (value, (a.fma(-value, y.0, x.0) + a.fma(-value, y.1, x.1)) * inverse)
}

/// I(p, q, x), 1 − I and x^p y^q / B(p, q) of 0 < x < 1, y = 1 − x.
#[inline(always)]
fn beta_parts<A: Algebra>(a: &A, p: A::F, q: A::F, x: A::F, y: A::F) -> [A::F; 3] {
    let side = beta_side(a, [p, q], [x, y]);
    let BetaPrefix { value, .. } = beta_prefix(a, side.s, side.t, side.u.0, side.v.0);
    let Fraction { part, .. } = beta_fraction(a, &side, value);
    let [lower, upper] = side.in_order(a, part.0, other_part(a, part));
    [lower, upper, value.0 + value.1]
}

/// The same with x^p y^q / B(p, q) as `prefix` computes it.
#[inline(always)]
pub(crate) fn beta_parts_by<A: Algebra>(
    a: &A,
    operands: [A::F; 2],
    shares: [A::F; 2],
    prefix: impl Fn(&A, A::F, A::F, A::F, A::F) -> A::F,
) -> [A::F; 3] {
    let side = beta_side(a, operands, shares);
    let prefix = prefix(a, side.s, side.t, side.u.0, side.v.0);
    let Fraction { part, .. } = beta_fraction(a, &side, (prefix, a.f(0.0)));
    let [lower, upper] = side.in_order(a, part.0, other_part(a, part));
    [lower, upper, prefix]
}

/// Both parts. The upper one, where it is the wanted one, is nearly always the nearest float (Ziv 1991): where its rounding is not certain, and
/// where it is a small complement of the other part, the fraction is computed once more in two floats. The lower one goes without, since a
/// warp would pay for it wherever one of its elements does.
#[inline(always)]
fn beta_part<A: Algebra>(a: &A, operands: [A::F; 2], shares: [A::F; 2], upper: bool) -> [A::F; 2] {
    let side = beta_side(a, operands, shares);
    let prefix = exact_prefix(a, beta_prefix(a, side.s, side.t, side.u.0, side.v.0));
    let Fraction { part, share, levels, uniform } = beta_fraction(a, &side, prefix);
    let complement = !side.swapped;
    // The wanted part in two floats, and what they usually lack at most, in units of the last place of the part that was computed: by the
    // levels after the first one, in plain floats, and by the prefix.
    let (high, lost) = two_sum(a.f(1.0), -part.0);
    let (other, other_low) = two_sum(high, lost - part.1);
    if !upper {
        let other = a.select(a.lt(a.f(0.0), other), other, a.f(0.0));
        return side.in_order(a, part.0, other);
    }
    let found = a.select(complement, other, part.0);
    let low = a.select(complement, other_low, part.1);
    let units = a.fma(a.fma(levels, a.f(0.1), a.f(2.0)), a.abs(share), a.f(0.02));
    let bound = part.0 * a.f(0.5 * EPS) * units;
    let is_certain = a.eq(found + (low + bound), found) & a.eq(found + (low - bound), found);
    let inside = within(a, side.s, 1e-280, 1e100) & a.lt(side.t, a.f(1e100));
    let [part, other] = a.repeat_while(
        1,
        [part.0, other],
        #[inline(always)]
        |_, _| !is_certain & inside & !uniform,
        #[inline(always)]
        |a, _| {
            let divisor = exact_fraction(a, &side, levels);
            let quotient = prefix.0 / divisor.0;
            let rest =
                a.fma(-quotient, divisor.0, prefix.0) + a.fma(-quotient, divisor.1, prefix.1);
            let rest = rest / divisor.0;
            let (high, lost) = two_sum(a.f(1.0), -quotient);
            let other = high + (lost - rest);
            [quotient + rest, a.select(a.lt(a.f(0.0), other), other, a.f(0.0))]
        },
    );
    side.in_order(a, part, other)
}

/// The side of the middle on which the fraction converges fast: the part of parameters s and t at u, of which v is the complement; both of
/// these with what the larger one lacks of 1 less the smaller one.
struct Side<A: Algebra> {
    swapped: A::B,
    s: A::F,
    t: A::F,
    u: Two<A>,
    v: Two<A>,
}

impl<A: Algebra> Side<A> {
    /// The lower and the upper part.
    #[inline(always)]
    fn in_order(&self, a: &A, part: A::F, other: A::F) -> [A::F; 2] {
        [a.select(self.swapped, other, part), a.select(self.swapped, part, other)]
    }
}

#[inline(always)]
fn beta_side<A: Algebra>(a: &A, [p, q]: [A::F; 2], [x, y]: [A::F; 2]) -> Side<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let swapped = a.lt((p + one) / (p + q + a.f(2.0)), x);
    let (s, t) = (a.select(swapped, q, p), a.select(swapped, p, q));
    let (u, v) = (a.select(swapped, y, x), a.select(swapped, x, y));
    let smaller = a.lt(u, v);
    let (less, more) = (a.select(smaller, u, v), a.select(smaller, v, u));
    let lost = (one - more) - less;
    let (u_low, v_low) = (a.select(smaller, zero, lost), a.select(smaller, lost, zero));
    Side { swapped, s, t, u: (u, u_low), v: (v, v_low) }
}

/// 1 − part.
#[inline(always)]
fn other_part<A: Algebra>(a: &A, (part, low): Two<A>) -> A::F {
    (a.f(1.0) - part) - low
}

/// A part of the beta distribution, the share of the levels after the first one, and how many there are.
struct Fraction<A: Algebra> {
    part: Two<A>,
    share: A::F,
    levels: A::F,
    /// Whether the part is by the uniform expansion, without levels.
    uniform: A::B,
}

/// The part by the continued fraction of Didonato and Morris (1992), whose first level is in two floats.
#[inline(always)]
fn beta_fraction<A: Algebra>(a: &A, side: &Side<A>, prefix: Two<A>) -> Fraction<A> {
    let one = a.f(1.0);
    let &Side { s, t, u: (u, u_low), v: (v, v_low), .. } = side;
    // s v − t u + 1.
    let (first, second) = (s * v, t * u);
    let lows = a.fma(s, v, -first) - a.fma(t, u, -second) + a.fma(s, v_low, -(t * u_low));
    let (difference, lost) = two_sum(first, -second);
    let distance = -(difference + (lost + lows));
    // Within three standard deviations of large parameters, where the fraction has more levels the larger these are.
    let large = a.le(a.f(1e6), s) & a.le(a.f(1e6), t);
    let uniform = large & a.lt(distance * distance * (s + t), a.f(9.0) * s * t);
    let (middle, rest) = two_sum(difference, one);
    let (middle, middle_low) = two_sum(middle, rest + (lost + lows));
    // The terms of Didonato and Morris, aₘ and bₘ, have the denominators (s + 2m − 1)² and (s + 2m − 1) (s + 2m + 1). Without them, and with r,
    // a power of two near 1/(s + 1), for each factor that may be large:
    let (above_s, above_s_low) = two_sum(s, one);
    let [_, limited] = ordered(a, above_s, a.f(1e300));
    let exponent = a.bits(limited) & a.u(0x7ff0_0000_0000_0000);
    let r = a.float(a.u(0x7fe0_0000_0000_0000) - exponent);
    let (shifted, scaled_middle) = (s * r, middle * r);
    let level = Level { shifted, with_t: (s + t) * r, r, t, u, v, middle };
    let [above, _, below] = level.terms(a, one);
    let [inverse, levels] = reciprocal_fraction(
        a,
        200,
        !uniform,
        below,
        #[inline(always)]
        |a, m| {
            let [above, earlier, below] = level.terms(a, m + a.f(1.0));
            [[above * earlier, below]]
        },
    );
    // (s + 1) r² over s (s v − t u + 1) r² and what follows.
    let main = shifted * scaled_middle;
    let main_low = a.fma(shifted, scaled_middle, -main) + shifted * (middle_low * r);
    let after = above * inverse;
    let (divisor, divisor_low) = two_sum(main, after);
    let divisor_low = divisor_low + main_low;
    let dividend = above_s * r * r;
    let over_divisor = one / divisor;
    let value = dividend * over_divisor;
    let rest = a.fma(-value, divisor, dividend) + a.fma(-value, divisor_low, above_s_low * r * r);
    let value = when(
        a,
        uniform,
        value,
        #[inline(always)]
        |a| beta_uniform(a, [s, t], distance),
    );
    let rest = a.select(uniform, a.f(0.0), rest * over_divisor);
    let (part, low) = times(a, prefix, (value, rest));
    let (part, low) = (part + low, low - ((part + low) - part));
    let inside = a.lt(part, one);
    let part = (a.select(inside, part, one), a.select(inside, low, a.f(0.0)));
    Fraction { part, share: after * over_divisor, levels, uniform }
}

/// The part over x^s y^t / B(s, t) by a uniform expansion for s and t from 10⁶ on (Temme 1996, section 11.3; DLMF 8.18(ii)), where
/// d = (s + t) x − s is below 3σ in size, σ = √(s t/(s + t)), and at most 1 above 0.
///
/// F, the quotient, is a function of log(x/y) with the derivative F′ = 1 + d F. With ζ²/2 = s (u − log(1 + u)) + t (−v − log(1 − v)), u = d/s, v = d/t,
/// and Mills' ratio M = √(2π) e^(ζ²/2) Φ(ζ), of which the derivative is d/ζ + d M, it is C M + S₀ + S₁ + …: C = e^R/σ, where R is what Stirling's
/// series leave of B, S₀ = 1/(σζ) − 1/d and S₁ = R/(σζ) + S₀′/d, of which two terms in powers of d are exact; S₂ is below the rounding.
#[inline(always)]
fn beta_uniform<A: Algebra>(a: &A, [s, t]: [A::F; 2], d: A::F) -> A::F {
    /// (log(1 + w) − w + w²/2)/w³, the lowest power first.
    const REST: [f64; 6] = [1.0 / 3.0, -1.0 / 4.0, 1.0 / 5.0, -1.0 / 6.0, 1.0 / 7.0, -1.0 / 8.0];
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let over_sum = one / (s + t);
    let square = s * (t * over_sum);
    let over_square = one / square;
    let (over_s, over_t) = (t * over_sum * over_square, s * over_sum * over_square);
    let over_sigma = a.sqrt(over_square);
    // ζ σ/d is g = √(1 + h); h/d.
    let twice = square + square;
    let (s2, t2) = (over_s * over_s, over_t * over_t);
    let of_s = s2 * horner(a, d * over_s, &REST);
    let of_t = t2 * horner(a, -(d * over_t), &REST);
    let slope = twice * (of_t - of_s);
    let stretch = a.fma(d, slope, one);
    let g = a.sqrt(stretch);
    let z = d * over_sigma;
    let exponent = a.f(0.5) * z * z * stretch;
    // Mills' ratio of −|ζ|; that of ζ above 0, which is small, is √(2π) e^(ζ²/2) less it.
    let mills = a.f(SQRT_HALF_PI) * erfcx_of_moderate(a, a.sqrt(exponent));
    let power = a.fma(exponent, a.fma(exponent, a.f(0.5), one), one);
    let mills = a.select(a.lt(zero, d), a.fma(a.f(2.0 * SQRT_HALF_PI), power, -mills), mills);
    let stirling = (over_square - over_sum) * a.f(1.0 / 12.0);
    let factor = a.fma(stirling, a.fma(stirling, a.f(0.5), one), one);
    let first = -slope / (stretch + g);
    // By h = h₁ d + h₂ d² + …
    let (s3, t3) = (s2 * over_s, t2 * over_t);
    let h1 = twice * (t2 - s2) * a.f(1.0 / 3.0);
    let h2 = twice * (t3 + s3) * a.f(1.0 / 4.0);
    let h3 = twice * (t2 * t2 - s2 * s2) * a.f(1.0 / 5.0);
    let h4 = twice * (t3 * t2 + s3 * s2) * a.f(1.0 / 6.0);
    let h11 = h1 * h1;
    let cubic = a.fma(a.f(1.5), h3, h1 * a.fma(a.f(35.0 / 16.0), h11, a.f(-3.75) * h2));
    let at_zero = a.fma(square, cubic, a.f(-0.5) * stirling * h1);
    let pairs = a.f(-15.0 / 8.0) * a.fma(h2, h2, a.f(2.0) * h1 * h3);
    let rest = h11 * a.fma(a.f(105.0 / 16.0), h2, a.f(-315.0 / 128.0) * h11);
    let quartic = a.fma(a.f(1.5), h4, pairs + rest);
    let inclined = a.fma(square, quartic, stirling * a.fma(a.f(0.375), h11, a.f(-0.5) * h2));
    let second = a.fma(inclined, d, at_zero);
    a.fma(over_sigma * factor, mills, first + second)
}

/// √(π/2).
const SQRT_HALF_PI: f64 = 1.253_314_137_315_500_3;

/// What the terms of the fraction are made of: s r, (s + t) r, r, t, u, v and s v − t u + 1.
struct Level<A: Algebra> {
    shifted: A::F,
    with_t: A::F,
    r: A::F,
    t: A::F,
    u: A::F,
    v: A::F,
    middle: A::F,
}

impl<A: Algebra> Level<A> {
    /// aₘ over the factor (s + 2m − 3) r that it has from m = 2 on, that factor, and bₘ.
    #[inline(always)]
    fn terms(&self, a: &A, m: A::F) -> [A::F; 3] {
        let &Level { shifted, with_t, r, t, u, v, middle } = self;
        let twice = r + r;
        let by = m * r;
        let less = by - r;
        // (s + 2m − 1) r, and 2r more and less.
        let before = shifted + (by + less);
        let (after, earlier) = (before + twice, before - twice);
        let share = m * (t - m) * u * (r * r);
        let rising = (shifted + less) * (with_t + less) * u;
        let rest = (shifted + by) * a.fma(m, a.f(1.0) + v, middle) * r;
        let below = a.fma(by * before, after, a.fma(share, after, rest * before));
        [share * rising * after, earlier, below]
    }
}

/// x^p y^q / B(p, q) over the part, by the fraction with terms of one kind (DLMF 8.17.22) from its end on, in two floats.
#[inline(always)]
fn exact_fraction<A: Algebra>(a: &A, side: &Side<A>, levels: A::F) -> Two<A> {
    let &Side { s, t, u, .. } = side;
    let sum = two_sum(s, t);
    // Twice as many levels as the other fraction has, and a few more.
    let last = a.floor(a.fma(levels, a.f(1.125), a.f(2.0)));
    let (end, end_low) = two_sum(s, last + last);
    let [_, value, low] = a.repeat_while(
        900,
        [last, end, end_low],
        #[inline(always)]
        |a, [m, ..]| a.lt(a.f(0.0), m),
        #[inline(always)]
        |a, [m, value, low]| {
            let before = m - a.f(1.0);
            let zero = a.f(0.0);
            // m (t − m) u, and −(s + m − 1) (s + t + m − 1) u.
            let even = times(a, times(a, more(a, (t, zero), -m), (m, zero)), u);
            let odd = times(a, times(a, more(a, (s, zero), before), more(a, sum, before)), u);
            let (value, low) = step(a, even, (value, low), (s, m + before));
            let (value, low) = step(a, (-odd.0, -odd.1), (value, low), (s, before + before));
            [before, value, low]
        },
    );
    (value, low)
}

/// A sum of two floats and a float.
#[inline(always)]
fn more<A: Algebra>(_: &A, (x, low): Two<A>, by: A::F) -> Two<A> {
    let (sum, rest) = two_sum(x, by);
    (sum, rest + low)
}

/// s + k + n/value.
#[inline(always)]
fn step<A: Algebra>(a: &A, n: Two<A>, (value, low): Two<A>, (s, k): (A::F, A::F)) -> Two<A> {
    let inverse = a.f(1.0) / value;
    let quotient = n.0 * inverse;
    let rest = (a.fma(-quotient, value, n.0) + a.fma(-quotient, low, n.1)) * inverse;
    let (at, at_low) = two_sum(s, k);
    let (high, lost) = two_sum(at, quotient);
    let low = lost + (at_low + rest);
    let sum = high + low;
    (sum, low - (sum - high))
}

/// Both parts at all operands; of x and y = 1 − x the smaller one may be exact where the other is not.
#[inline(always)]
fn beta_checked<A: Algebra>(a: &A, p: A::F, q: A::F, x: A::F, y: A::F) -> [A::F; 2] {
    beta_checked_by(
        a,
        [p, q],
        [x, y],
        #[inline(always)]
        |a, [p, q], [x, y]| {
            let [lower, upper, _] = beta_parts(a, p, q, x, y);
            [lower, upper]
        },
    )
}

#[inline(always)]
fn beta_checked_by<A: Algebra>(
    a: &A,
    [p, q]: [A::F; 2],
    [x, y]: [A::F; 2],
    parts: impl Fn(&A, [A::F; 2], [A::F; 2]) -> [A::F; 2],
) -> [A::F; 2] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let positive = a.lt(zero, p) & a.lt(zero, q);
    let finite = a.lt(p, infinity(a)) & a.lt(q, infinity(a));
    let inside = positive & finite & a.lt(zero, x) & a.lt(zero, y);
    let safe = |value: A::F, other: f64| a.select(inside, value, a.f(other));
    let [lower, upper] = parts(a, [safe(p, 1.0), safe(q, 1.0)], [safe(x, 0.5), safe(y, 0.5)]);
    let valid = a.le(zero, p) & a.le(zero, q) & within(a, x, 0.0, 1.0) & within(a, y, 0.0, 1.0);
    // All of the weight is at 0 where p is 0 or q is infinite, at 1 where q is 0 or p is infinite.
    let at_low = a.eq(p, zero) | a.eq(q, infinity(a));
    let at_high = a.eq(q, zero) | a.eq(p, infinity(a));
    let at = |lower: A::F, all: A::F, none: A::F| {
        let value = a.select(at_low, all, lower);
        let value = a.select(at_high, none, value);
        let value = a.select(a.eq(x, zero) & (positive | at_low | at_high), none, value);
        let value = a.select(a.eq(y, zero), all, value);
        let value = a.select(at_low & at_high, nan(a), value);
        a.select(valid, value, nan(a))
    };
    [at(lower, one, zero), at(upper, zero, one)]
}

/// [`betainc`] and [`betaincc`].
#[inline(always)]
fn beta_wanted<A: Algebra>(a: &A, p: A::F, q: A::F, x: A::F, upper: bool) -> A::F {
    let both = beta_checked_by(
        a,
        [p, q],
        [x, a.f(1.0) - x],
        #[inline(always)]
        |a, operands, shares| beta_part(a, operands, shares, upper),
    );
    both[usize::from(upper)]
}

/// I(a, b, x).
#[inline(always)]
pub fn betainc<A: Algebra>(a: &A, p: A::F, q: A::F, x: A::F) -> A::F {
    beta_wanted(a, p, q, x, false)
}

/// 1 − I(a, b, x).
#[inline(always)]
pub fn betaincc<A: Algebra>(a: &A, p: A::F, q: A::F, x: A::F) -> A::F {
    beta_wanted(a, p, q, x, true)
}

/// x and 1 − x where I is `lower` and 1 − I is `upper`, of which the smaller one counts: steps of the fifth order in log(x/(1 − x)), within
/// a bracket, from the normal approximation or the first term of the series at an end (as in algorithm AS 109).
#[inline(always)]
fn beta_inverse<A: Algebra>(a: &A, p: A::F, q: A::F, lower: A::F, upper: A::F) -> [A::F; 2] {
    let one = a.f(1.0);
    let left = a.lt(lower, upper);
    let part = a.select(left, lower, upper);
    let z = rough_quantile(a, part);
    let z = a.select(left, -z, z);
    let al = (z * z - a.f(3.0)) * a.f(1.0 / 6.0);
    let (below_p, below_q) = (p + p - one, q + q - one);
    // 2/(1/(2p − 1) + 1/(2q − 1)), and the difference of these.
    let inverse = a.f(0.5) / (p + q - one);
    let h = a.f(2.0) * below_p * below_q * inverse;
    let over_h = one / h;
    let difference = a.f(4.0) * (p - q) * inverse * over_h;
    let w =
        z * a.sqrt(al + h) * over_h - difference * (al + a.f(5.0 / 6.0) - a.f(2.0 / 3.0) * over_h);
    let by_normal = p / q * exp_apart(a, a.f(-2.0) * w);
    let by_normal_alone = a.le(one, p) & a.le(one, q) & within(a, z, -3.5, 3.5);
    let start = when(
        a,
        !by_normal_alone,
        by_normal,
        #[inline(always)]
        |a| beta_start(a, [p, q], [lower, upper], by_normal),
    );
    // The first term of the series is all, where x or 1 − x is next to nothing.
    let more = a.select(within(a, start, 1e-290, 1e290), one, a.f(0.0));
    let state = [a.f(0.0), infinity(a), start, more];
    let sum = p + q;
    let [.., odds, _] = a.repeat_while(
        64,
        state,
        #[inline(always)]
        |a, [low, high, _, more]| a.lt(a.f(0.0), more) & a.lt(low, high),
        #[inline(always)]
        |a, [low, high, odds, _]| {
            let [x, y] = shares(a, odds);
            let [found, found_other, density] = beta_parts(a, p, q, x, y);
            let found = a.select(left, found, found_other);
            // The derivatives of p − (p + q) x by log(x/y).
            let product = x * y;
            let (first, difference) = (-sum * product, y - x);
            let third = first * a.fma(difference, difference, a.f(-2.0) * product);
            // p y − q x.
            let bend = a.fma(p, y, -(q * x));
            let rest = Found {
                lower: left,
                found,
                part,
                density,
                bends: [bend, first, first * difference, third],
            };
            step_of_fifth_order(a, [low, high, odds], rest)
        },
    );
    shares(a, odds)
}

/// x and 1 − x of x/(1 − x).
#[inline(always)]
fn shares<A: Algebra>(a: &A, odds: A::F) -> [A::F; 2] {
    let one = a.f(1.0);
    let inverse = one / (one + odds);
    [a.select(a.lt(odds, one), odds * inverse, one - inverse), inverse]
}

/// A start for p or q below 1, or an x next to an end, as x/(1 − x).
#[inline(always)]
fn beta_start<A: Algebra>(
    a: &A,
    [p, q]: [A::F; 2],
    [lower, upper]: [A::F; 2],
    by_normal: A::F,
) -> A::F {
    let one = a.f(1.0);
    // The ends: x^p / (p B) and its mirror.
    let PowersAndBeta { factor, exponent: (exponent, rest) } =
        beta_parts_of_powers(a, [p, q], [one, one, a.f(0.0)]);
    let log_beta = -(exponent + (rest + log_apart(a, factor.0)));
    let at_low = exp_apart(a, (log_apart(a, lower) + log_apart(a, p) + log_beta) / p);
    let at_high = exp_apart(a, (log_apart(a, upper) + log_apart(a, q) + log_beta) / q);
    let share = p / (p + q);
    let large = a.le(one, p) & a.le(one, q);
    let near_high = a.lt(at_high, a.f(0.1) * (one - share));
    let near_low = a.lt(at_low, a.f(0.1) * share);
    let by_low = !near_high & (near_low | a.lt(at_low, share));
    let start = a.select(by_low, at_low, one - at_high) / a.select(by_low, one - at_low, at_high);
    let start = a.select(large & !near_low & !near_high, by_normal, start);
    a.select(a.le(a.f(0.0), start), start, one)
}

/// x and 1 − x at all operands.
#[inline(always)]
fn beta_inverse_checked<A: Algebra>(
    a: &A,
    p: A::F,
    q: A::F,
    lower: A::F,
    upper: A::F,
) -> [A::F; 2] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let positive = a.lt(zero, p) & a.lt(zero, q) & a.lt(p, infinity(a)) & a.lt(q, infinity(a));
    let inside = positive & a.lt(zero, lower) & a.lt(zero, upper);
    let safe = |value: A::F, other: f64| a.select(inside, value, a.f(other));
    let [x, y] = beta_inverse(a, safe(p, 1.0), safe(q, 1.0), safe(lower, 0.5), safe(upper, 0.5));
    let valid = positive & within(a, lower, 0.0, 1.0) & within(a, upper, 0.0, 1.0);
    let at = |value: A::F, low: A::F, high: A::F| {
        let value = a.select(a.eq(lower, zero), low, value);
        let value = a.select(a.eq(upper, zero), high, value);
        a.select(valid, value, nan(a))
    };
    [at(x, zero, one), at(y, one, zero)]
}

/// The inverse of [`betainc`] in x.
#[inline(always)]
pub fn betaincinv<A: Algebra>(a: &A, p: A::F, q: A::F, lower: A::F) -> A::F {
    beta_inverse_checked(a, p, q, lower, a.f(1.0) - lower)[0]
}

/// The inverse of [`betaincc`] in x.
#[inline(always)]
pub fn betainccinv<A: Algebra>(a: &A, p: A::F, q: A::F, upper: A::F) -> A::F {
    beta_inverse_checked(a, p, q, a.f(1.0) - upper, upper)[0]
}

/// The same for formulas that are made of them: compiled once for each algebra, where those above are inlined into the code of hot
/// functions.
pub mod shared {
    use ndany_core::formulas::algebra::Algebra;

    macro_rules! shared {
        ($($name:ident($($operand:ident),+) -> $results:literal;)+) => {$(
            pub(crate) fn $name<A: Algebra>(a: &A, $($operand: A::F),+) -> [A::F; $results] {
                super::$name(a, $($operand),+)
            }
        )+};
    }
    shared! {
        gamma_parts(s, x) -> 3;
        gamma_checked(s, x) -> 2;
        gamma_inverse_checked(s, p, q, given) -> 1;
        beta_parts(p, q, x, y) -> 3;
        beta_checked(p, q, x, y) -> 2;
        beta_inverse_checked(p, q, lower, upper) -> 2;
    }

    pub(crate) fn gamma_prefix<A: Algebra>(a: &A, s: A::F, x: A::F) -> A::F {
        super::gamma_prefix(a, s, x)
    }

    /// P(a, x).
    pub fn gammainc<A: Algebra>(a: &A, s: A::F, x: A::F) -> A::F {
        gamma_checked(a, s, x)[0]
    }

    /// Q(a, x).
    pub fn gammaincc<A: Algebra>(a: &A, s: A::F, x: A::F) -> A::F {
        gamma_checked(a, s, x)[1]
    }

    /// The inverse of [`gammainc`] in x.
    pub fn gammaincinv<A: Algebra>(a: &A, s: A::F, p: A::F) -> A::F {
        gamma_inverse_checked(a, s, p, a.f(1.0) - p, p)[0]
    }

    /// The inverse of [`gammaincc`] in x.
    pub fn gammainccinv<A: Algebra>(a: &A, s: A::F, q: A::F) -> A::F {
        gamma_inverse_checked(a, s, a.f(1.0) - q, q, q)[0]
    }

    /// I(a, b, x).
    pub fn betainc<A: Algebra>(a: &A, p: A::F, q: A::F, x: A::F) -> A::F {
        super::betainc(a, p, q, x)
    }

    /// The inverse of [`betainc`] in x.
    pub fn betaincinv<A: Algebra>(a: &A, p: A::F, q: A::F, lower: A::F) -> A::F {
        beta_inverse_checked(a, p, q, lower, a.f(1.0) - lower)[0]
    }

    /// 1 − I(a, b, x).
    pub fn betaincc<A: Algebra>(a: &A, p: A::F, q: A::F, x: A::F) -> A::F {
        super::betaincc(a, p, q, x)
    }

    /// The inverse of [`betaincc`] in x.
    pub fn betainccinv<A: Algebra>(a: &A, p: A::F, q: A::F, upper: A::F) -> A::F {
        beta_inverse_checked(a, p, q, a.f(1.0) - upper, upper)[0]
    }
}
