//! Gamma functions: digamma and polygamma, zeta, beta, binomials, ratios.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::exp::exp_of_sum;
use ndany_core::formulas::gamma::STIRLING_TAIL;
use ndany_core::formulas::power::log_parts;

use super::coefficients::*;
use super::incomplete::beta_times;
use super::support::*;

/// The zero of the digamma function, in two parts.
pub(super) const ROOT: (f64, f64) = (1.4616321449683622, 9.549995429965697e-17);
/// log √(2π).
pub(crate) const LOG_ROOT_2PI: f64 = 0.918_938_533_204_672_8;

/// log Γ(x) − ((x − 1/2) log x − x + log √(2π)) of x ≥ 8, by Stirling's series.
#[inline(always)]
pub(crate) fn stirling_rest<A: Algebra>(a: &A, x: A::F) -> A::F {
    stirling_rest_of_inverse(a, a.f(1.0) / x)
}

/// The same of 1/x.
#[inline(always)]
pub(crate) fn stirling_rest_of_inverse<A: Algebra>(a: &A, inverse: A::F) -> A::F {
    inverse * horner(a, inverse * inverse, &STIRLING_TAIL)
}

/// log(1 + x) − x without cancellation.
#[inline(always)]
pub(crate) fn log1pmx<A: Algebra>(a: &A, x: A::F) -> A::F {
    let [value] = a.branch(
        a.lt(a.f(-0.72), x) & a.lt(x, a.f(1.5)),
        #[inline(always)]
        |a| {
            // By r = x / (2 + x): log(1 + x) = 2 artanh r, of which x is 2r + x r.
            const TERMS: [f64; 28] = odd_reciprocals();
            let r = x / (x + a.f(2.0));
            let square = r * r;
            [r * (a.f(2.0) * square * horner(a, square, &TERMS) - x)]
        },
        #[inline(always)]
        |a| [log1p(a, x) - x],
    );
    value
}

const fn odd_reciprocals() -> [f64; 28] {
    let mut terms = [0.0; 28];
    let mut k = 0;
    while k < terms.len() {
        terms[k] = 1.0 / (2 * k + 3) as f64;
        k += 1;
    }
    terms
}

/// log Γ(1 + x) of x from 0 to 1.1, exact near 0.
#[inline(always)]
pub(crate) fn gammaln1p<A: Algebra>(a: &A, x: A::F) -> A::F {
    x * horner(a, (x - a.f(0.55)) * a.f(1.0 / 0.55), &LGAM1P)
}

/// ψ: a polynomial about the zero on 1 to 2, the recurrence up to 8, then the asymptotic series; of negative x the reflection.
#[inline(always)]
pub fn digamma<A: Algebra>(a: &A, x: A::F) -> A::F {
    let mirrored = a.le(x, a.f(0.0));
    let y = a.select(mirrored, a.f(1.0) - x, x);
    let [value] = a.branch(
        a.lt(y, a.f(8.0)),
        #[inline(always)]
        |a| [digamma_below_8(a, y)],
        #[inline(always)]
        |a| [digamma_tail(a, y)],
    );
    let [value] = a.branch(
        mirrored,
        #[inline(always)]
        |a| {
            // π / tan πx, by the distance to the nearest integer; as in SciPy NaN at the poles below 0, and ∓∞ at ±0.
            let near = a.rint(x);
            let distance = x - near;
            let angle = a.f(std::f64::consts::PI) * distance;
            let cotangent = a.f(std::f64::consts::PI) / tan(a, angle);
            let cotangent = a.select(a.eq(a.abs(distance), a.f(0.5)), a.f(0.0), cotangent);
            let pole = a.select(a.eq(x, a.f(0.0)), a.f(-1.0) / x, nan(a));
            [a.select(a.eq(distance, a.f(0.0)), pole, value - cotangent)]
        },
        #[inline(always)]
        |_| [value],
    );
    value
}

#[inline(always)]
fn digamma_below_8<A: Algebra>(a: &A, x: A::F) -> A::F {
    let one = a.f(1.0);
    let low = a.lt(x, one);
    // 1/(x − 1) + 1/(x − 2) + … down to 2 as one quotient, of which the denominator is below 7!; below 1 it is −1/x.
    let first = a.select(low, -one, a.f(0.0));
    let start = [a.select(low, x + one, x), first, a.select(low, x, one)];
    let goes_on = |a: &A, [x, _, _]: [A::F; 3]| a.lt(a.f(2.0), x);
    let [x, above, below] = a.repeat_while(
        7,
        start,
        goes_on,
        #[inline(always)]
        |a, [x, above, below]| {
            let next = x - a.f(1.0);
            [next, a.fma(above, next, below), below * next]
        },
    );
    let sum = above / below;
    let from_root = (x - a.f(ROOT.0)) - a.f(ROOT.1);
    let u = (x - a.f(1.5)) * a.f(2.0);
    a.fma(from_root, horner(a, u, &DIGAMMA), sum)
}

/// What ψ lacks of log x − 1/(2x), over −1/x², by 1/x² (DLMF 5.11.2).
pub(super) const DIGAMMA_TAIL: [f64; 10] = [
    1.0 / 12.0,
    -1.0 / 120.0,
    1.0 / 252.0,
    -1.0 / 240.0,
    1.0 / 132.0,
    -691.0 / 32_760.0,
    1.0 / 12.0,
    -3617.0 / 8160.0,
    43_867.0 / 14_364.0,
    -174_611.0 / 6_600.0,
];

#[inline(always)]
fn digamma_tail<A: Algebra>(a: &A, x: A::F) -> A::F {
    let inverse = a.f(1.0) / x;
    let square = inverse * inverse;
    log(a, x) - a.f(0.5) * inverse - square * horner(a, square, &DIGAMMA_TAIL)
}

/// Operands of a beta function none of which is a pole of Γ, the sign, and whether the function is infinite. Where one operand, n, is
/// a whole number that is not positive, B(n, b) = (−1)ᵇ B(1 − n − b, b) of whole b from 1 to −n, and infinite of all other b.
#[inline(always)]
fn beside_poles<A: Algebra>(a: &A, x: A::F, y: A::F) -> ([A::F; 2], A::F, A::B) {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let first = is_whole(a, x) & a.le(x, zero);
    let is_pole = first | (is_whole(a, y) & a.le(y, zero));
    let (n, b) = (a.select(first, x, y), a.select(first, y, x));
    let rest = one - n - b;
    let is_finite = is_pole & is_whole(a, b) & a.lt(zero, b) & a.lt(zero, rest);
    let sign = a.select(is_finite & is_odd(a, b), -one, one);
    let operands = [a.select(is_finite, rest, x), a.select(is_finite, b, y)];
    (operands, sign, is_pole & !is_finite & a.eq(b, b))
}

/// log |B(x, y)| everywhere: of operands below 0 by the reflection of Γ, which leaves operands above 0.
#[inline(always)]
pub fn betaln_at_all<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let ([x, y], _, is_endless) = beside_poles(a, x, y);
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let [q, p] = ordered(a, x, y);
    let Reflected { operands: [first, second], left, both, beyond } = reflected(a, p, q);
    let value = betaln(a, first, second);
    let value = when(
        a,
        left,
        value,
        #[inline(always)]
        |a| {
            let [of_p, of_q, of_sum] = sines(a, p, q);
            let pi = a.f(std::f64::consts::PI);
            // The factors of `beta`, with the logarithm of B of the operands above 0 added or taken away.
            let plain = pi / (of_p * q);
            let of_both = pi * of_sum / (of_p * of_q * (one - (p + q)));
            let factor = a.select(beyond, of_sum / of_p, a.select(both, of_both, plain));
            log(a, a.abs(factor)) + a.select(beyond, value, -value)
        },
    );
    // Where an operand is infinite, so is the logarithm.
    let endless = a.eq(q, infinity(a)) & a.lt(-infinity(a), p);
    let limit = a.select(left, infinity(a), -infinity(a));
    let value = a.select(endless, a.select(a.eq(p, zero), infinity(a), limit), value);
    a.select(is_endless, infinity(a), value)
}

/// Operands above 0 whose beta function has the value for p ≤ q (see [`beta`]), and on which sides of 0 those are.
struct Reflected<A: Algebra> {
    operands: [A::F; 2],
    left: A::B,
    both: A::B,
    beyond: A::B,
}

/// 1 − p and p + q where p < 0 and those are positive, 1 − p − q and q, 1 − p and 1 − q.
#[inline(always)]
fn reflected<A: Algebra>(a: &A, p: A::F, q: A::F) -> Reflected<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let sum = p + q;
    let (left, both) = (a.lt(p, zero), a.lt(q, zero));
    let beyond = left & !both & a.lt(sum, zero);
    let first = a.select(left, one - p, p);
    let second = a.select(left, a.select(both, one - q, sum), q);
    let operands = [a.select(beyond, one - sum, first), a.select(beyond, q, second)];
    Reflected { operands, left, both, beyond }
}

/// sin πp, sin πq and sin π(p + q), which is without the rounding of the sum.
#[inline(always)]
fn sines<A: Algebra>(a: &A, p: A::F, q: A::F) -> [A::F; 3] {
    let (sum, lost) = two_sum(p, q);
    let whole = a.rint(sum);
    let of_rest = sine_of_half_turns(a, (sum - whole) + lost);
    let of_sum = a.select(is_odd(a, whole), -of_rest, of_rest);
    [sine_of_half_turns(a, p), sine_of_half_turns(a, q), of_sum]
}

/// sin πx, with exact zeros, once in a GPU's kernel.
#[inline(always)]
fn sine_of_half_turns<A: Algebra>(a: &A, x: A::F) -> A::F {
    apart(
        a,
        [x],
        #[inline(always)]
        |a, [x]| {
            let whole = a.rint(x);
            let sine = sin(a, a.f(std::f64::consts::PI) * (x - whole));
            [a.select(is_odd(a, whole), -sine, sine)]
        },
    )[0]
}

/// log |B(p, q)| beside poles: by log Γ of small operands; where one or both are large, by what their logarithms have beyond Stirling's leading
/// terms (Didonato & Morris 1992).
#[inline(always)]
pub fn betaln<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let [q, p] = ordered(a, x, y);
    let sum = p + q;
    let large = a.le(a.f(8.0), q) & a.lt(a.f(0.0), p);
    let [value] = a.branch(
        large,
        #[inline(always)]
        |a| {
            let rest = stirling_rest(a, q) - stirling_rest(a, sum);
            let half = a.f(0.5);
            a.branch(
                a.le(a.f(8.0), p),
                #[inline(always)]
                |a| {
                    let h = p / q;
                    let u = (p - half) * log_apart(a, h / (a.f(1.0) + h));
                    let v = q * log1p_apart(a, h);
                    let rest = stirling_rest(a, p) + rest;
                    [half * -log_apart(a, q) + a.f(LOG_ROOT_2PI) + rest + u - v]
                },
                #[inline(always)]
                |a| {
                    let log_q = log_apart(a, q);
                    let v = (q + p - half) * log1p_apart(a, p / q);
                    [gammaln(a, p) + rest - v - p * (log_q - a.f(1.0))]
                },
            )
        },
        #[inline(always)]
        |a| [gammaln(a, p) + gammaln(a, q) - gammaln(a, sum)],
    );
    value
}

/// B(p, q): by Γ of small operands; else of positive ones by Stirling's series, of others by the reflection of Γ. It is infinite at
/// poles, with the sign of Γ(p) where q is infinite, and 0 where p + q alone is a pole.
#[inline(always)]
pub fn beta<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    let ([x, y], sign_of_pole, is_pole) = beside_poles(a, x, y);
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let [q, p] = ordered(a, x, y);
    let (sum, lost) = two_sum(p, q);
    let small = a.lt(a.f(-9.0), p) & a.lt(q, a.f(9.0));
    let [value] = a.branch(
        small & (a.lt(p, zero) | a.lt(sum, a.f(6.0))),
        #[inline(always)]
        |a| [gamma(a, p) * rgamma_of_moderate(a, sum) * gamma(a, q)],
        #[inline(always)]
        |a| {
            let Reflected { operands: [first, second], left, both, beyond } = reflected(a, p, q);
            let usual = a.lt(zero, first) & a.lt(zero, second);
            let usual = usual & a.lt(first, infinity(a)) & a.lt(second, infinity(a));
            let safe = |value: A::F| a.select(usual, value, one);
            // Where B of the reflected operands is a divisor, 1/B, which may be a normal number where B is not.
            let operands = [safe(first), safe(second)];
            let value = beta_times(a, operands, left & !beyond, one);
            let value = when(
                a,
                left,
                value,
                #[inline(always)]
                |a| {
                    let pi = a.f(std::f64::consts::PI);
                    let [of_p, of_q, of_sum] = sines(a, p, q);
                    let plain = pi / (of_p * q) * value;
                    let of_both = pi * of_sum / (of_p * of_q * (one - sum)) * value;
                    let value = a.select(beyond, of_sum / of_p * value, plain);
                    a.select(both, of_both, value)
                },
            );
            let value = a.select(usual, value, nan(a));
            // B(p, ∞) is 0 of positive p.
            let endless = a.eq(q, infinity(a)) & a.lt(-infinity(a), p);
            let limit = a.select(left, infinity(a) * gammasgn(a, p), zero);
            [a.select(endless, limit, value)]
        },
    );
    // A zero has the sign of Γ(p) Γ(q), as in SciPy.
    let value = when(
        a,
        a.le(sum, zero) & is_whole(a, sum) & a.eq(lost, zero),
        value,
        #[inline(always)]
        |a| zero * gammasgn(a, p) * gammasgn(a, q),
    );
    a.select(is_pole, infinity(a), sign_of_pole * value)
}

/// The sign of Γ.
#[inline(always)]
pub fn gammasgn<A: Algebra>(a: &A, x: A::F) -> A::F {
    let floor = a.floor(x);
    let negative = a.select(is_odd(a, floor), a.f(-1.0), a.f(1.0));
    let pole = a.eq(floor, x) & a.lt(x, a.f(0.0));
    // At ±0 it has the sign of zero.
    let at_zero = a.select(a.lt(a.f(1.0) / x, a.f(0.0)), a.f(-1.0), a.f(1.0));
    let value = a.select(a.lt(x, a.f(0.0)), negative, a.f(1.0));
    let value = a.select(a.eq(x, a.f(0.0)), at_zero, value);
    let value = a.select(pole, nan(a), value);
    a.select(a.eq(x, x), value, x)
}

/// 1 / Γ(x), which is 0 at the poles of Γ.
#[inline(always)]
pub fn rgamma<A: Algebra>(a: &A, x: A::F) -> A::F {
    let [value] = a.branch(
        a.lt(a.f(170.0), x) & a.lt(x, a.f(200.0)),
        #[inline(always)]
        |a| {
            // Where Γ overflows: by two factors.
            let below = x - a.f(20.0);
            let start = [a.f(0.0), a.f(1.0) / gamma(a, below)];
            let [_, product] = a.repeat_while(
                20,
                start,
                #[inline(always)]
                |a, [k, _]| a.lt(k, a.f(20.0)),
                #[inline(always)]
                |a, [k, product]| [k + a.f(1.0), product / (below + k)],
            );
            [product]
        },
        #[inline(always)]
        |a| [rgamma_of_moderate(a, x)],
    );
    value
}

/// The same where Γ does not overflow.
#[inline(always)]
fn rgamma_of_moderate<A: Algebra>(a: &A, x: A::F) -> A::F {
    let value = a.f(1.0) / gamma(a, x);
    let pole = a.le(x, a.f(0.0)) & is_whole(a, x);
    let value = a.select(pole, a.f(0.0), value);
    // Of ±0 the sign stays.
    a.select(a.eq(x, a.f(0.0)), x, value)
}

/// Γ(x + m) / Γ(x).
#[inline(always)]
pub fn poch<A: Algebra>(a: &A, x: A::F, m: A::F) -> A::F {
    let few = is_whole(a, m) & within(a, m, 0.0, 30.0);
    let [value] = a.branch(
        few,
        #[inline(always)]
        |a| {
            let start = [a.f(0.0), a.f(1.0)];
            let goes_on = |a: &A, [k, _]: [A::F; 2]| a.lt(k, m);
            let [_, product] = a.repeat_while(
                32,
                start,
                goes_on,
                #[inline(always)]
                |a, [k, product]| [k + a.f(1.0), product * (x + k)],
            );
            [product]
        },
        #[inline(always)]
        |a| {
            let (zero, one) = (a.f(0.0), a.f(1.0));
            let (sum, lost) = two_sum(x, m);
            // Infinite where Γ(x + m) alone is; between poles it is (−1)ᵐ Γ(1 − x)/Γ(1 − x − m).
            let (pole, pole_above) = (
                is_whole(a, x) & a.le(x, zero) & a.lt(-infinity(a), x),
                is_whole(a, sum) & a.le(sum, zero),
            );
            let exact = a.eq(lost, zero);
            let pole_above = pole_above & (exact | (pole & is_whole(a, m)));
            let between = pole & is_whole(a, m) & pole_above;
            let sign = a.select(between & is_odd(a, m), -one, one);
            let (x, sum) = (a.select(between, one - sum, x), a.select(between, one - x, sum));
            let small = a.lt(a.abs(x), a.f(20.0)) & a.lt(a.abs(sum), a.f(20.0));
            let [value] = a.branch(
                small & (exact | a.lt(zero, sum)),
                #[inline(always)]
                |a| [gamma(a, sum) * rgamma_of_moderate(a, x)],
                #[inline(always)]
                |a| [poch_of_large(a, x, m, sum)],
            );
            let value = a.select(pole & !between, zero, sign * value);
            [a.select(pole_above & !pole, infinity(a), value)]
        },
    );
    value
}

/// Γ(sum)/Γ(x), sum = x + m, beside poles: by log B, whose logarithms do not cancel, of operands above 0, which the reflection of Γ gives.
#[inline(always)]
fn poch_of_large<A: Algebra>(a: &A, x: A::F, m: A::F, sum: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let (left, left_above) = (a.lt(x, zero), a.lt(sum, zero));
    let one_side = (left & left_above) | !(left | left_above);
    let (own, above) = (a.select(left, one - x, x), a.select(left_above, one - sum, sum));
    // Γ(larger)/Γ(smaller) = Γ(|m|)/B(smaller, |m|), or the product of both.
    let [_, smaller] = ordered(a, own, above);
    let size = a.abs(m);
    // The quotient is below 1 where the larger one is the divisor.
    let falls = a.lt(m, zero);
    let [value] = a.branch(
        one_side & within(a, size, 1e-290, 100.0) & a.lt(smaller, infinity(a)),
        #[inline(always)]
        |a| {
            let of_size = gamma(a, size);
            let by = a.select(falls, one / of_size, of_size);
            [beta_times(a, [smaller, size], !falls, by)]
        },
        #[inline(always)]
        |a| {
            let together = gammaln(a, own) + gammaln(a, above);
            let quotient = gammaln(a, size) - betaln(a, smaller, size);
            let exponent = a.select(one_side, quotient, together);
            // Of two sides Γ is a divisor where the sum is below 0.
            let divides = a.select(one_side, m, sum);
            let divides = a.lt(divides, zero);
            let value = exp(a, a.select(divides, -exponent, exponent));
            let moderate = !one_side & a.lt(own, a.f(170.0)) & a.lt(above, a.f(170.0));
            let value = when(
                a,
                moderate,
                value,
                #[inline(always)]
                |a| {
                    let (first, second) = (gamma(a, own), gamma(a, above));
                    a.select(divides, one / first / second, first * second)
                },
            );
            [value]
        },
    );
    let value = when(
        a,
        left | left_above,
        value,
        #[inline(always)]
        |a| {
            let pi = a.f(std::f64::consts::PI);
            let [of_x, _, of_sum] = sines(a, x, m);
            let crossed = a.select(left, of_x / pi, pi / of_sum);
            value * a.select(one_side, of_x / of_sum, crossed)
        },
    );
    // Infinite operands: what the function tends to.
    let endless = a.eq(x, infinity(a)) | a.eq(size, infinity(a));
    let of_m = a.select(falls, zero, infinity(a));
    let limit = a.select(a.lt(-infinity(a), m), of_m, nan(a));
    a.select(endless & a.lt(zero, x), limit, a.select(endless, nan(a), value))
}

/// The binomial coefficient of real numbers: a product where `k`, or `n − k`, is a small whole number, else by the beta function.
#[inline(always)]
pub fn binom<A: Algebra>(a: &A, n: A::F, k: A::F) -> A::F {
    let one = a.f(1.0);
    let whole = is_whole(a, k);
    let mirrored = whole & is_whole(a, n) & a.lt(a.f(0.0), n) & a.lt(a.f(0.5) * n, k);
    let few = a.select(mirrored, n - k, k);
    let product = whole & within(a, few, 0.0, 30.0) & !a.eq(n, a.f(0.0));
    let [value] = a.branch(
        product,
        #[inline(always)]
        |a| {
            let start = [a.f(1.0), a.f(1.0)];
            let goes_on = |a: &A, [i, _]: [A::F; 2]| a.le(i, few);
            let [_, product] = a.repeat_while(
                32,
                start,
                goes_on,
                #[inline(always)]
                |a, [i, product]| [i + a.f(1.0), product * (n - few + i) / i],
            );
            [product]
        },
        #[inline(always)]
        |a| {
            let (up, down) = (k + one, n - k + one);
            let usual = a.lt(a.f(0.0), up) & a.lt(a.f(0.0), down);
            let large = a.lt(a.f(20.0), n) | !usual;
            a.branch(
                large,
                #[inline(always)]
                |a| [binom_of_large(a, n, k)],
                #[inline(always)]
                |a| [gamma(a, n + one) * rgamma_of_moderate(a, up) * rgamma_of_moderate(a, down)],
            )
        },
    );
    let refused = a.lt(n, a.f(0.0)) & is_whole(a, n);
    a.select(refused, nan(a), value)
}

/// The binomial coefficient by B of operands above 0: 1/((n + 1) B(n − k + 1, k + 1)), and where an operand is below 0 what the reflection
/// of Γ makes of it.
#[inline(always)]
fn binom_of_large<A: Algebra>(a: &A, n: A::F, k: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let (up, down, rest) = (k + one, n - k + one, k - n);
    let (left, below, above) = (a.lt(n + one, zero), a.le(k, -one), a.lt(n, k));
    let usual = a.lt(zero, up) & a.lt(zero, down);
    // n > −1: B(n + 1, −k) sin π(−k)/π, or with k − n in the place of −k.
    let first = a.select(usual, down, n + one);
    let second = a.select(usual, up, a.select(below, -k, rest));
    // n < −1: −sin π(k − n)/(sin πn (k − n) B(−n, k + 1)), −sin πk/(sin πn k B(−n, n − k + 1)) of k < n, and between n and −1
    // B(−k, k − n) sin πk sin π(k − n)/(π sin πn).
    let between = left & above & below;
    let first = a.select(left, a.select(between, -k, -n), first);
    let second = a.select(left, a.select(between, rest, a.select(above, up, down)), second);
    let sine_is_zero = is_whole(a, k) & (below | a.eq(n, k)) & !usual;
    let known = a.lt(zero, first) & a.lt(zero, second);
    let finite = a.lt(first, infinity(a)) & a.lt(second, infinity(a));
    let safe = |value: A::F| a.select(known & finite, value, one);
    let [factor] = a.branch(
        usual,
        #[inline(always)]
        |_| [one / (n + one)],
        #[inline(always)]
        |a| {
            let [of_k, of_n, of_rest] = sines(a, k, -n);
            let inverse_pi = a.f(std::f64::consts::FRAC_1_PI);
            let right = a.select(below, -of_k, of_rest) * inverse_pi;
            // `of_n` is sin π(−n).
            let outer = a.select(above, of_rest / (of_n * rest), of_k / (of_n * k));
            let inner = -(of_k * of_rest / of_n) * inverse_pi;
            [a.select(left, a.select(between, inner, outer), right)]
        },
    );
    let value = beta_times(a, [safe(first), safe(second)], usual | (left & !between), factor);
    // Infinite operands: what the function tends to.
    let of_n = a.select(a.lt(k, zero), zero, a.select(a.lt(k, n), n, nan(a)));
    let limit = a.select(a.eq(n, infinity(a)), of_n, a.select(a.lt(-one, n), zero, nan(a)));
    let value = a.select(finite, value, limit);
    let value = a.select(finite & (sine_is_zero | a.eq(factor, zero)), zero, value);
    a.select(a.eq(n, n) & a.eq(k, k), value, nan(a))
}

/// Hurwitz's ζ(s, q) of s > 1: some terms, then Euler's and Maclaurin's formula with fourteen (DLMF 25.11.28).
#[inline(always)]
pub fn zeta<A: Algebra>(a: &A, s: A::F, q: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let [value] = a.branch(
        a.lt(a.f(1e8), q),
        #[inline(always)]
        |a| [(one / (s - one) + a.f(0.5) / q) * pow(a, q, one - s)],
        #[inline(always)]
        |a| [zeta_sum(a, s, q)],
    );
    let plain = a.lt(one, s) & a.lt(zero, q);
    a.slow_path(
        !plain,
        #[inline(always)]
        |a| {
            let pole = a.le(q, zero) & is_whole(a, q);
            let refused = a.lt(s, one) | (a.le(q, zero) & !is_whole(a, s));
            let value = a.select(refused, nan(a), value);
            let value = a.select(pole & !a.lt(s, one), infinity(a), value);
            let value = a.select(a.eq(s, one), infinity(a), value);
            a.select(a.eq(s, s) & a.eq(q, q), value, nan(a))
        },
        value,
    )
}

/// The sum of [`zeta`], which holds for s > −10 too, where it is the analytic continuation: terms up to where Euler and Maclaurin's
/// formula with fourteen terms is exact.
#[inline(always)]
fn zeta_sum<A: Algebra>(a: &A, s: A::F, q: A::F) -> A::F {
    /// B(2k) / (2k)!, the last first.
    const TERMS: [f64; 14] = [
        -1.0 / 1.116_879_492_500_044_5e22,
        1.0 / 2.829_088_772_530_43e20,
        -1.0 / 7.166_165_256_175_667e18,
        1.0 / 1.815_210_540_194_354_7e17,
        -1.0 / 4.597_978_722_407_473e15,
        1.0 / 1.164_678_281_435_006_7e14,
        -1.0 / 2.950_130_727_918_164_5e12,
        1.0 / 7.47242496e10,
        -1.0 / 1_892_437_580.318_379_2,
        1.0 / 47_900_160.0,
        -1.0 / 1_209_600.0,
        1.0 / 30_240.0,
        -1.0 / 720.0,
        1.0 / 12.0,
    ];
    let one = a.f(1.0);
    // The sign of negative numbers to the power of an odd s.
    let sign = a.select_u(is_odd(a, s), a.u(1 << 63), a.u(0));
    let signed = |a: &A, power: A::F, x: A::F| a.float(a.bits(power) | (a.bits(x) & sign));
    let size = a.abs(q);
    // All numbers of the sum are in the table.
    let is_known = is_whole(a, q) & a.lt(size, a.f(48.0));
    let (high, low) = exponent(a, q, s, is_known);
    let power = exp(a, high);
    // What is infinite or 0 stays so.
    let power = a.select(a.lt(a.abs(high), a.f(709.0)), a.fma(power, low, power), power);
    let first = signed(a, power, q);
    // Nothing has a logarithm here.
    let first = a.select(a.lt(size, a.f(TINY)), infinity(a), first);
    // From here on the formula's next term is below the rounding of the sum; some terms are enough for that, too.
    let by_order = a.fma(a.abs(s), a.f(0.75), a.f(6.0));
    let count = a.select(a.lt(q, a.f(16.0)), a.f(6.0), a.f(7.0));
    let after_some = ordered(a, q, a.f(0.0))[0] + count;
    let enough = ordered(a, by_order, after_some)[1];
    // The first term, of q below 1 nearly all, is added last.
    let start = [q, first, a.f(0.0)];
    let least = a.f(1e-17) * a.abs(first);
    let goes_on = |a: &A, [at, term, _]: [A::F; 3]| a.lt(at, enough) & a.lt(least, a.abs(term));
    let [at, term, sum] = a.repeat_while(
        1200,
        start,
        goes_on,
        #[inline(always)]
        |a, [at, _, sum]| {
            let next = at + a.f(1.0);
            let (high, low) = exponent(a, next, s, is_known);
            let power = a.slow_path(
                !a.lt(a.abs(high), a.f(708.0)),
                #[inline(always)]
                |a| exp(a, high),
                exp_of_sum(a, high, low),
            );
            let term = signed(a, power, next);
            [next, term, sum + term]
        },
    );
    let inverse = one / at;
    let scaled = s * inverse;
    let mut series = a.f(TERMS[0]);
    for (number, &coefficient) in TERMS.iter().enumerate().skip(1) {
        // From the term of s + k − 2 to that of s + k, over the square of `at`.
        let k = 2.0 * (TERMS.len() - number) as f64;
        let ratio = a.fma(a.f(k - 1.0), inverse, scaled) * a.fma(a.f(k), inverse, scaled);
        series = a.fma(ratio, series, a.f(coefficient));
    }
    let rest = sum + term * (at / (s - one) - a.f(0.5) + scaled * series);
    // Where it does not hold the terms themselves were enough.
    first + a.select(a.lt(least, a.abs(term)), rest, sum)
}

/// −s log |x| as a sum of two floats. The logarithm is in a table where x is known to be a whole number below 64.
#[inline(always)]
fn exponent<A: Algebra>(a: &A, x: A::F, s: A::F, is_known: A::B) -> (A::F, A::F) {
    let size = a.abs(x);
    let [log, log_low] = a.branch(
        is_known,
        #[inline(always)]
        |a| {
            // The low bits of 2^52 + x are x.
            let index = a.bits(size + a.f(4_503_599_627_370_496.0)) & a.u(63);
            let word = |index| a.float(a.table(&LOGARITHMS, index));
            [word(index), word(index + a.u(64))]
        },
        #[inline(always)]
        |a| {
            let (log, log_low) = log_parts(a, size);
            [log, log_low]
        },
    );
    let high = -(s * log);
    (high, a.fma(-s, log_low, a.fma(-s, log, -high)))
}

/// Riemann's ζ(x) − 1: Hurwitz's ζ(x, 2) of x > 0; of negative x the reflection.
#[inline(always)]
pub fn zetac<A: Algebra>(a: &A, x: A::F) -> A::F {
    let [value] = a.branch(
        a.lt(x, a.f(0.0)),
        #[inline(always)]
        |a| {
            let s = a.f(1.0) - x;
            let of_mirror = a.f(1.0) + zeta_sum(a, s, a.f(2.0));
            // 2 (2π)^(x−1) sin(πx/2) Γ(1−x) ζ(1−x), the power and Γ in halves that do not overflow.
            let half_power = pow(a, a.f(std::f64::consts::TAU), a.f(-0.5) * s);
            let quarter = a.f(0.25) * x;
            let turn = quarter - a.rint(quarter);
            let sine = sin(a, a.f(std::f64::consts::TAU) * turn);
            let sine = a.select(is_whole(a, a.f(0.5) * x), a.f(0.0), sine);
            let big = a.lt(a.f(170.0), s);
            let of_gamma = half_power * gamma(a, s) * half_power;
            let of_log = exp(a, gammaln(a, s) - s * a.f(libm::log(std::f64::consts::TAU)));
            let value = a.f(2.0) * a.select(big, of_log, of_gamma) * sine * of_mirror;
            // At even numbers ζ is 0, where Γ may be infinite.
            [a.select(a.eq(sine, a.f(0.0)), a.f(0.0), value) - a.f(1.0)]
        },
        #[inline(always)]
        |a| [zeta_sum(a, x, a.f(2.0))],
    );
    let value = a.select(a.eq(x, a.f(1.0)), infinity(a), value);
    a.select(a.eq(x, -infinity(a)), nan(a), value)
}

/// The derivatives of ψ: (−1)^(n+1) n! ζ(n + 1, x).
#[inline(always)]
pub fn polygamma<A: Algebra>(a: &A, n: A::F, x: A::F) -> A::F {
    let [value] = a.branch(
        a.eq(n, a.f(0.0)),
        #[inline(always)]
        |a| [digamma(a, x)],
        #[inline(always)]
        |a| {
            let order = n + a.f(1.0);
            let sign = a.select(is_odd(a, n), a.f(1.0), a.f(-1.0));
            [sign * gamma(a, order) * zeta(a, order, x)]
        },
    );
    value
}

/// log Γ on the real line, NaN of negative numbers, where the complex function has an imaginary part. Where Stirling's leading term
/// counts several times as much as the sum, it takes the logarithm in two floats.
#[inline(always)]
pub fn loggamma<A: Algebra>(a: &A, x: A::F) -> A::F {
    let [value] = a.branch(
        within(a, x, 8.0, 1e15),
        #[inline(always)]
        |a| {
            let (one, half) = (a.f(1.0), a.f(0.5));
            let (log, log_low) = log_parts(a, x);
            // (x − 1/2) (log x − 1) + log √(2π) − 1/2 and what follows; both differences are exact.
            let factor = x - half;
            let rest = stirling_rest(a, x) + a.f(LOG_ROOT_2PI - 0.5);
            [a.fma(factor, log - one, a.fma(factor, log_low, rest))]
        },
        #[inline(always)]
        |a| [gammaln(a, x)],
    );
    a.select(a.lt(x, a.f(0.0)), nan(a), value)
}
