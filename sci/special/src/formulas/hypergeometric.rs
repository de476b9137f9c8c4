//! Hypergeometric functions of real operands: power series in numbers of two floats, which cancellation may use up to the first one;
//! transformations and asymptotic series where these would be too long. Where no method of few hundred steps has digits, the value
//! is NaN.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::gamma::{digamma, gammasgn};
use super::support::*;

/// A number as a sum of two floats.
type Pair<A> = [<A as Algebra>::F; 2];

/// The exact sum of two floats.
fn sum_of<A: Algebra>(x: A::F, y: A::F) -> Pair<A> {
    let sum = x + y;
    let part = sum - x;
    [sum, (x - (sum - part)) + (y - part)]
}

/// The exact sum of two floats, of which the first is the larger one.
fn renewed<A: Algebra>(high: A::F, low: A::F) -> Pair<A> {
    let sum = high + low;
    [sum, low - (sum - high)]
}

fn times<A: Algebra>(a: &A, x: Pair<A>, y: Pair<A>) -> Pair<A> {
    let product = x[0] * y[0];
    let rest = a.fma(x[0], y[0], -product);
    renewed::<A>(product, a.fma(x[0], y[1], a.fma(x[1], y[0], rest)))
}

fn over<A: Algebra>(a: &A, x: Pair<A>, y: Pair<A>) -> Pair<A> {
    let quotient = x[0] / y[0];
    let rest = a.fma(-quotient, y[0], x[0]);
    let rest = a.fma(-quotient, y[1], rest) + x[1];
    renewed::<A>(quotient, rest / y[0])
}

fn plus<A: Algebra>(x: Pair<A>, y: Pair<A>) -> Pair<A> {
    let [sum, rest] = sum_of::<A>(x[0], y[0]);
    renewed::<A>(sum, rest + (x[1] + y[1]))
}

/// How many terms a series may have.
const TERMS: u32 = 640;
/// Of the digits of two floats so much may cancel.
const LOSS: f64 = 1e19;

fn is_pole<A: Algebra>(a: &A, x: A::F) -> A::B {
    a.le(x, a.f(0.0)) & is_whole(a, x)
}

/// Σ (a₁)ₖ … / ((c)ₖ k!) zᵏ; NaN where it does not converge in time, or where all digits cancel.
fn series<A: Algebra, const N: usize>(a: &A, above: [A::F; N], below: A::F, z: Pair<A>) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    // Behind a parameter's change of sign terms may grow once more.
    let mut guard = -below;
    for parameter in above {
        guard = ordered(a, guard, -parameter)[0];
    }
    let state = [zero, one, zero, one, zero, one];
    let goes_on = |a: &A, [k, term, _, sum, _, _]: [A::F; 6]| {
        let small = a.le(a.abs(term), a.f(1e-18) * a.abs(sum)) & a.le(guard, k);
        !small & !a.eq(term, a.f(0.0)) & a.lt(a.abs(sum), infinity(a))
    };
    let [k, term, _, sum, _, most] =
        a.repeat_while(TERMS, state, goes_on, |a, [k, high, low, sum, rest, most]| {
            let next = k + a.f(1.0);
            let mut factor = z;
            for parameter in above {
                factor = times(a, factor, sum_of::<A>(parameter, k));
            }
            let divisor = sum_of::<A>(below, k);
            // A sum that ends has a zero above too.
            let divisor = [a.select(a.eq(divisor[0], a.f(0.0)), a.f(1.0), divisor[0]), divisor[1]];
            let divisor = times(a, divisor, [next, a.f(0.0)]);
            let [high, low] = times(a, [high, low], over(a, factor, divisor));
            let [sum, rest] = plus::<A>([sum, rest], [high, low]);
            [next, high, low, sum, rest, ordered(a, a.abs(high), most)[0]]
        });
    let ended = a.le(a.abs(term), a.f(1e-17) * a.abs(sum)) & a.le(guard, k);
    let ended = ended | a.eq(term, zero);
    // At a zero, what is left of terms that are not large is the error of their sum.
    let at_zero = a.lt(most, a.f(1e4)) & a.le(a.abs(sum), a.f(1e-29) * most);
    let known = ended & (a.lt(most, a.f(LOSS) * a.abs(sum)) | at_zero);
    let endless = a.eq(a.abs(sum), infinity(a));
    a.select(known | endless, sum, nan(a))
}

/// ₀F₁(; v; z): the series, or Hankel's asymptotic series of the Bessel functions that it is (DLMF 10.16.9, 10.17.3, 10.40.1).
pub fn hyp0f1<A: Algebra>(a: &A, v: A::F, z: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let size = a.abs(z);
    let root = a.sqrt(size);
    let order = v - one;
    let square = a.f(4.0) * order * order;
    let far = a.lt(a.f(400.0), size) & a.lt(square, a.f(32.0) * root) & !is_pole(a, v);
    let finite = a.lt(size, infinity(a));
    let [value] = a.branch(
        far & finite,
        |a| {
            let one = a.f(1.0);
            let x = root + root;
            let negative = a.lt(z, a.f(0.0));
            // The terms with the signs of I: the even ones, and the odd ones.
            let inverse = a.f(-0.125) / x;
            let goes_on =
                |a: &A, [_, term, even, _]: [A::F; 4]| a.lt(a.f(1e-18) * even, a.abs(term));
            let state = [one, one, one, a.f(0.0)];
            let [_, _, even, odd] =
                a.repeat_while(48, state, goes_on, |a, [k, term, even, odd]| {
                    let twice = k + k;
                    let before = twice - a.f(1.0);
                    let ratio = (square - before * before) * inverse / k;
                    let turned = a.select(negative, -ratio, ratio);
                    // Two terms at once.
                    let first = term * ratio;
                    let after = (square - (twice + a.f(1.0)) * (twice + a.f(1.0))) * inverse;
                    let second = term * turned * after / (k + a.f(1.0));
                    [k + a.f(2.0), second, even + second, odd + first]
                });
            // What the root lacks.
            let rest = a.fma(-root, root, size) / root;
            let quarter = a.f(0.5) * order + a.f(0.25);
            let quarter = quarter - a.f(2.0) * a.rint(a.f(0.5) * quarter);
            let angle = a.fma(quarter, a.f(std::f64::consts::PI), -rest);
            let (s, c) = (sin(a, x), a.call(code::Cos, &[x]));
            let (s2, c2) = (sin(a, angle), a.call(code::Cos, &[angle]));
            let cosine = c * c2 + s * s2;
            let sine = s * c2 - c * s2;
            // −Q is the odd sum.
            let of_j = a.f(2.0) * (cosine * even + sine * odd);
            let power = gamma(a, v)
                * pow(a, root, a.f(0.5) - v)
                * a.f(0.25 * std::f64::consts::FRAC_2_SQRT_PI);
            let half = exp(a, a.select(negative, a.f(0.0), root + a.f(0.5) * rest));
            [a.select(negative, of_j, even + odd) * half * power * half]
        },
        |a| [series(a, [], v, [a.select(finite, z, zero), zero])],
    );
    let value = a.select(a.eq(z, zero), one, value);
    let value = a.select(a.eq(z, infinity(a)), z, value);
    let value = a.select(a.eq(z, -infinity(a)), nan(a), value);
    a.select(a.eq(v, v) & a.eq(z, z) & !is_pole(a, v), value, nan(a))
}

/// ₁F₁(p; c; x): the series, of negative x after Kummer's transformation, or the asymptotic series (DLMF 13.2.39, 13.7.2).
pub fn hyp1f1<A: Algebra>(a: &A, p: A::F, c: A::F, x: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let flipped = a.lt(x, zero) & !is_pole(a, p);
    let q = a.select(flipped, c - p, p);
    let y = a.select(flipped, -x, x);
    let (first, second) = (c - q, one - q);
    let product = a.abs(first) * a.abs(second);
    let spread = a.abs(first) + a.abs(second);
    // Where the smallest term of the asymptotic series is below the last digit.
    let enough = a.lt(a.fma(a.f(5.0), spread, a.f(40.0)), y)
        | (a.lt(a.f(200.0), y) & a.lt(a.fma(a.f(2.0), spread, a.f(40.0)), y));
    let far = a.lt(a.f(50.0), y) & a.lt(product, y) & enough;
    let far = far & !is_pole(a, q) & !is_pole(a, c) & a.lt(y, infinity(a));
    let power = exp(a, a.select(flipped, a.select(far, zero, x), a.select(far, x, zero)));
    let [value] = a.branch(
        far,
        |a| {
            let one = a.f(1.0);
            let state = [a.f(0.0), one, one];
            let goes_on =
                |a: &A, [_, term, sum]: [A::F; 3]| a.lt(a.f(1e-18) * a.abs(sum), a.abs(term));
            let [.., sum] = a.repeat_while(100, state, goes_on, |a, [k, term, sum]| {
                let next = k + a.f(1.0);
                let term = term * ((first + k) * (second + k) / (next * y));
                [next, term, sum + term]
            });
            let sign = gammasgn(a, c) * gammasgn(a, q);
            let exponent = gammaln(a, c) - gammaln(a, q) - first * log(a, y);
            // In halves, which do not overflow before the value does.
            let half = exp(a, a.f(0.5) * exponent);
            [sign * sum * half * power * half]
        },
        |a| [series(a, [q], c, [y, a.f(0.0)]) * power],
    );
    // The sum that ends not behind the pole of c has a value.
    let ends = is_pole(a, p) & a.le(c, p) & !a.eq(c, zero);
    let value = a.select(a.eq(x, zero) | a.eq(p, zero), one, value);
    let value = a.select(is_pole(a, c) & !ends, infinity(a), value);
    let growing = a.lt(zero, p) & a.lt(zero, c);
    let value = a.select(growing & a.eq(x, infinity(a)), x, value);
    let value = a.select(growing & a.eq(x, -infinity(a)), zero, value);
    let valid = a.eq(p, p) & a.eq(c, c) & a.eq(x, x);
    a.select(valid, value, nan(a))
}

/// The gamma function of several operands, ∞ at its poles.
pub(crate) fn gammas<A: Algebra, const N: usize>(a: &A, operands: [A::F; N]) -> [A::F; N] {
    // In a loop, so that the text of one stands for all.
    let goes_on = |a: &A, _: [A::F; N]| a.eq(a.f(0.0), a.f(0.0));
    a.repeat_while(N as u32, operands, goes_on, |a, state| {
        let value = a.select(is_pole(a, state[0]), infinity(a), gamma(a, state[0]));
        let mut next = state;
        next.rotate_left(1);
        next[N - 1] = value;
        next
    })
}

/// ₂F₁(p, q; c; z) of z ≤ 1, or of sums that end: Pfaff's transformation below 0, the series up to 9/10, beyond the one in 1 − z
/// (DLMF 15.8.1, 15.8.4), with logarithms where c − p − q is whole (DLMF 15.8.10). Beside whole c − p − q digits are lost.
pub fn hyp2f1<A: Algebra>(a: &A, p: A::F, q: A::F, c: A::F, z: A::F) -> A::F {
    hyp2f1_of_parts(a, [p, q, c], [z, a.f(1.0) - z])
}

/// The same with z and 1 − z, of which the smaller one may be the exact one.
pub(crate) fn hyp2f1_of_parts<A: Algebra>(
    a: &A,
    [p, q, c]: [A::F; 3],
    [z, other]: [A::F; 2],
) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    // The smaller parameter is the first, or that of the sum that ends first.
    let [q, p] = ordered(a, p, q);
    let swapped = is_pole(a, q);
    let (p, q) = (a.select(swapped, q, p), a.select(swapped, p, q));
    let polynomial = is_pole(a, p);
    let negative = a.lt(z, zero) & !polynomial;
    // Pfaff: (1 − z)^−p F(p, c − q; c; z/(z − 1)).
    let second = a.select(negative, c - q, q);
    let y = a.select(negative, one / other, other);
    let w = a.select(negative, -(z / other), z);
    let excess = a.select(negative, q - p, (c - p) - q);
    // Euler: y^(c − p − q) F(c − p, c − q; c; z).
    let finite = is_pole(a, c - p) | is_pole(a, c - second);
    let turned = a.lt(excess, zero) & (a.lt(y, a.f(0.1)) | finite) & !polynomial;
    let power = a.select(negative, -p, excess);
    let power = a.select(negative | turned, power, zero);
    let base = a.select(negative, other, a.select(turned, y, one));
    let prefix = pow(a, base, power);
    let (p, q) = (a.select(turned, c - p, p), a.select(turned, c - second, second));
    let excess = a.abs(a.select(turned, -excess, excess));
    let ended = polynomial | is_pole(a, p) | is_pole(a, q);
    let near = a.lt(y, a.f(0.1)) & a.le(zero, y) & !ended & !is_pole(a, c);
    let [value] = a.branch(
        near,
        |a| [beside_one(a, [p, q, c], y, excess)],
        |a| {
            let inside = a.lt(a.abs(w), a.f(1.0)) | ended;
            // What the rounding of z/(z − 1) lost.
            let rest = a.select(negative, -a.fma(w, other, z) / other, a.f(0.0));
            let sum = series(a, [p, q], c, [a.select(inside, w, a.f(0.0)), rest]);
            [a.select(inside, sum, nan(a))]
        },
    );
    let value = value * prefix;
    // The sum that ends not behind the pole of c has a value (DLMF 15.2.6).
    let value = a.select(is_pole(a, c) & !(polynomial & a.le(c, p)), infinity(a), value);
    let value = a.select(a.eq(p, zero) | a.eq(q, zero), prefix, value);
    let value = a.select(a.eq(z, zero), one, value);
    let valid = a.eq(p, p) & a.eq(q, q) & a.eq(c, c) & a.eq(z, z);
    a.select(valid, value, nan(a))
}

/// F by the sums in y = 1 − z, 0 ≤ y ≤ 1/10, with c − p − q = s ≥ 0.
fn beside_one<A: Algebra>(a: &A, [p, q, c]: [A::F; 3], y: A::F, s: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let m = a.rint(s);
    let whole = a.le(a.abs(s - m), a.f(1e-13) * (one + a.abs(c)));
    let s = a.select(whole, m, s);
    let (cp, cq) = (q + s, p + s);
    // ψ(m + 1), ψ(p + m), ψ(q + m), where they are needed.
    let start = [s + one, cq, cp];
    let digammas = a.repeat_while(
        3,
        start,
        |_, _| whole,
        |a, [x, second, third]| [second, third, digamma(a, x)],
    );
    let logarithm = log(a, y + a.f(TINY));
    let euler = a.f(EULER);
    let with_log = logarithm + euler - digammas[0] + digammas[1] + digammas[2];
    let bracket = a.select(whole, with_log, one);
    let start = [s, m, bracket, zero];
    let [first, second] = both_series(a, 600, start, whole, y, |a, k| {
        let one = a.f(1.0);
        [(p + k) * (q + k), (cp + k) * (cq + k), one / (cp + k) + one / (cq + k)]
    });
    let [gc, gs, g1, gcp, gcq, gp, gq] = gammas(a, [c, s, s + one, cp, cq, p, q]);
    let reflected = reflected(a, s, m, whole, g1);
    let first = a.select(whole & a.eq(m, zero), zero, gc / gcp * (gs / gcq) * first);
    let coefficient = gc / gp * reflected / gq;
    let second = coefficient * second * pow(a, y, s);
    let second = a.select(a.eq(y, zero) & a.lt(zero, s), zero, second);
    let sum = first + second;
    // The two parts cancel all digits.
    let lost = a.lt(a.f(1e8) * a.abs(sum), a.abs(first));
    // That of the logarithm.
    let endless = a.select(a.lt(zero, coefficient), -infinity(a), infinity(a));
    let sum = a.select(a.eq(y, zero) & a.eq(s, zero), endless, sum);
    a.select(lost, nan(a), sum)
}

/// The sums of the solutions of exponents 0 and s at a singularity, of terms whose factors from k to k + 1 have these numerators, over
/// k + 1 − s and k + 1 + s. Of whole s = m the first one ends before the divisor is 0, and the terms of the second one are times a
/// bracket with a logarithm, to which the reciprocals of the numerators' factors less those of the divisors' are added. At least
/// `least` terms are summed.
fn both_series<A: Algebra>(
    a: &A,
    limit: u32,
    [s, m, bracket, least]: [A::F; 4],
    whole: A::B,
    x: A::F,
    numerators: impl Fn(&A, A::F) -> [A::F; 3],
) -> [A::F; 2] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let state = [zero, one, one, a.select(whole & a.eq(m, zero), zero, one), bracket, bracket];
    let goes_on = |a: &A, [k, first, second, sum, other, bracket]: [A::F; 6]| {
        let small = a.le(a.abs(first), a.f(1e-18) * a.abs(sum));
        let small_too = a.le(a.abs(second * bracket), a.f(1e-18) * a.abs(other));
        !(small & small_too & a.le(least, k))
    };
    let [_, _, _, first, second, _] =
        a.repeat_while(limit, state, goes_on, |a, [k, first, second, sum, other, bracket]| {
            let next = k + a.f(1.0);
            let over = x / next;
            let [above, above_too, reciprocals] = numerators(a, k);
            let divisor = next - s;
            let ends = whole & a.le(a.f(0.0), divisor);
            let divisor = a.select(ends, a.f(1.0), divisor);
            let first = a.select(ends, a.f(0.0), first * (above / divisor * over));
            let up = s + next;
            let second = second * (above_too / up * over);
            let step = reciprocals - a.f(1.0) / next - a.f(1.0) / up;
            let bracket = bracket + a.select(whole, step, a.f(0.0));
            [next, first, second, sum + first, a.fma(second, bracket, other), bracket]
        });
    [first, second]
}

/// Kummer's U(p, c, x) of x > 0: its integral over e^−xt t^(p−1) (1 + t)^(c−p−1) (DLMF 13.4.4) by the trapezoidal rule after the
/// double exponential change t = exp(u − e^−u) (Takahasi & Mori 1974), for p and p + 1, p ≥ 1; of smaller p the recurrence
/// downward (DLMF 13.3.7), of c < 1 after Kummer's transformation (DLMF 13.2.40). Of p < 0 and x < 2 it loses as
/// many digits as Γ(c − 1) x^(1−c) has: there `beside_zero` takes its place, unless c is so near to a whole number that this loses more.
pub fn hyperu<A: Algebra>(a: &A, p: A::F, c: A::F, x: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let inside = a.lt(zero, x) & a.lt(x, infinity(a));
    let argument = a.select(inside, x, one);
    let flipped = a.lt(c, one) & a.lt(p, one);
    let top = a.select(flipped, one + p - c, p);
    let bottom = a.select(flipped, a.f(2.0) - c, c);
    let steps = -a.floor(top);
    let steps = a.select(a.lt(top, one), steps + one, zero);
    let start = top + steps;
    // The variable t is τ / scale.
    let scale = a.select(a.lt(one, argument), argument, one);
    let rate = argument / scale;
    let exponent = bottom - start - one;
    let [grown, _] = ordered(a, a.abs(bottom), start);
    let width = a.f(0.22) / a.sqrt(one + grown * a.f(0.1));
    let highest = log(a, (a.f(45.0) + a.f(3.0) * grown) / rate);
    let shift = gammaln(a, start);
    let log_scale = log(a, scale);
    let state = [highest, zero, zero, one];
    let goes_on = |a: &A, [u, sum, _, term]: [A::F; 4]| {
        a.lt(a.f(1e-18) * sum, term) | a.lt(a.f(-1.0), u) & a.eq(u, u)
    };
    let [last, sum, next_sum, _] =
        a.repeat_while(500, state, goes_on, |a, [u, sum, next_sum, _]| {
            let decay = exp(a, -u);
            let log_tau = u - decay;
            let tau = exp(a, log_tau);
            let t = tau / scale;
            // The exponential in two parts: the larger one has the rounding of no sum.
            let powers = a.fma(start, log_tau, a.fma(exponent, log1p(a, t), -shift));
            let term = exp(a, powers - rate * tau) * (a.f(1.0) + decay);
            [u - width, sum + term, a.fma(term, t / (a.f(1.0) + t), next_sum), term]
        });
    let common = width * exp(a, -(start * log_scale));
    let (value, above) = (sum * common, next_sum * common / start);
    // Polynomials start with 1.
    let polynomial = is_pole(a, top);
    let start = a.select(polynomial, zero, start);
    let steps = a.select(polynomial, -top, steps);
    let state = [zero, a.select(polynomial, one, value), above];
    let goes_on = |a: &A, [k, ..]: [A::F; 3]| a.lt(k, steps);
    let [k, value, _] = a.repeat_while(500, state, goes_on, |a, [k, value, above]| {
        let at = start - k;
        let factor = a.fma(a.f(2.0), at, argument) - bottom;
        let last = at * (at - bottom + a.f(1.0));
        [k + a.f(1.0), factor * value - last * above, value]
    });
    let value = a.select(a.le(steps, k) & (a.lt(last, one) | polynomial), value, nan(a));
    let excess = bottom - one;
    let distance = a.abs(excess - a.rint(excess));
    let whole = a.lt(distance, a.f(1e-13));
    let rising = pow(a, argument, -excess);
    let lost = whole | a.lt(a.f(100.0), gamma(a, excess) * rising * distance);
    let near = lost & a.lt(argument, a.f(2.0)) & a.lt(top, zero) & !polynomial;
    let value = when(a, near, value, |a| beside_zero(a, top, excess, argument, rising));
    let power = pow(a, argument, one - c);
    let value = a.select(flipped, value * power, value);
    // At 0: Γ(1 − c)/Γ(p − c + 1) of c < 1; of a polynomial (−1)ⁿ (c)ₙ, p = −n.
    let value = when(a, a.eq(x, zero), value, |a| {
        let one = a.f(1.0);
        let [above, below, ended, own] = gammas(a, [one - c, p - c + one, c - p, c]);
        let ended = a.select(is_odd(a, p), -ended, ended) / own;
        let ended = a.select(is_pole(a, p), ended, infinity(a));
        a.select(a.lt(c, one), above / below, ended)
    });
    let value = a.select(a.lt(x, zero) | !a.eq(x, x), nan(a), value);
    let of_end = a.select(a.lt(p, zero), infinity(a), zero);
    let of_end = a.select(a.eq(p, zero), one, of_end);
    let value = a.select(a.eq(x, infinity(a)), of_end, value);
    let value = a.select(a.eq(p, zero) & a.le(zero, x), one, value);
    a.select(a.eq(p, p) & a.eq(c, c), value, nan(a))
}

/// U(p, s + 1, x) of s ≥ 0 by both series in x (DLMF 13.2.42), with logarithms where s is whole (DLMF 13.2.9); `power` is x^−s.
fn beside_zero<A: Algebra>(a: &A, p: A::F, s: A::F, x: A::F, power: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let m = a.rint(s);
    let whole = a.lt(a.abs(s - m), a.f(1e-13));
    let s = a.select(whole, m, s);
    // ψ(m + 1), ψ(p), where they are needed.
    let start = [s + one, p];
    let digammas = a.repeat_while(2, start, |_, _| whole, |a, [x, second]| [second, digamma(a, x)]);
    let with_log = log(a, x) + a.f(EULER) + digammas[1] - digammas[0];
    let bracket = a.select(whole, with_log, one);
    let start = [s, m, bracket, -p];
    let [first, second] =
        both_series(a, TERMS, start, whole, x, |a, k| [p - s + k, p + k, a.f(1.0) / (p + k)]);
    let [gs, g1, gp, gps] = gammas(a, [s, s + one, p, p - s]);
    let first = a.select(whole & a.eq(m, zero), zero, gs / gp * power * first);
    a.fma(reflected(a, s, m, whole, g1) / gps, second, first)
}

/// Γ(−s) by Γ(s + 1); of whole s = m the factor −(−1)^m/m! of logarithms in its place.
fn reflected<A: Algebra>(a: &A, s: A::F, m: A::F, whole: A::B, above: A::F) -> A::F {
    let one = a.f(1.0);
    let sign = a.select(is_odd(a, m), one, -one);
    let distance = a.f(std::f64::consts::PI) * (s - m);
    let sine = sin(a, distance) * a.f(std::f64::consts::FRAC_1_PI);
    sign / above / a.select(whole, one, sine)
}

/// Wright's generalized Bessel function Σ xᵏ / (k! Γ(pk + q)) of p, q, x ≥ 0, whose terms are positive: from below the largest term
/// on. Sums of more than 1000 terms that count are NaN.
pub fn wright_bessel<A: Algebra>(a: &A, p: A::F, q: A::F, x: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let valid = a.le(zero, p) & a.le(zero, q) & a.le(zero, x);
    let valid = valid & a.lt(p, infinity(a)) & a.lt(q, infinity(a));
    let inside = valid & a.lt(zero, x) & a.lt(x, infinity(a));
    let safe = |value: A::F| a.select(inside, value, one);
    let (q_given, x_given) = (q, x);
    let (p, q, x) = (safe(p), safe(q), safe(x));
    let log_x = log(a, x);
    // The largest term, where k (pk)^p is about x.
    let log_p = a.select(a.eq(p, zero), zero, p * log(a, p + a.f(TINY)));
    let peak = exp(a, (log_x - log_p) / (one + p));
    let first = a.floor(peak - a.f(9.0) * a.sqrt(peak) - a.f(20.0) - q);
    let first = a.select(a.lt(first, zero), zero, first);
    let state = [first, zero, one];
    let goes_on =
        |a: &A, [k, sum, term]: [A::F; 3]| a.lt(a.f(1e-17) * sum, term) | a.le(k, peak + a.f(1.0));
    let [k, sum, term] = a.repeat_while(1000, state, goes_on, |a, [k, sum, _]| {
        let at = a.fma(p, k, q);
        let pole = a.eq(at, a.f(0.0));
        let at = a.select(pole, a.f(1.0), at);
        let exponent = k * log_x - gammaln(a, k + a.f(1.0)) - gammaln(a, at);
        let term = a.select(pole, a.f(0.0), exp(a, exponent));
        [k + a.f(1.0), sum + term, term]
    });
    let ended = a.le(term, a.f(1e-15) * sum) & a.lt(peak, k);
    let value = a.select(ended & inside, sum, nan(a));
    let value = a.select(a.eq(sum, infinity(a)) & inside, sum, value);
    let value = when(a, valid & !inside, value, |a| {
        let value = a.f(1.0) / gamma(a, q_given);
        let value = a.select(a.eq(q_given, a.f(0.0)), a.f(0.0), value);
        a.select(a.lt(a.f(0.0), x_given), infinity(a), value)
    });
    a.select(valid, value, nan(a))
}
