//! Bessel functions of real order and complex argument, all by the modified ones of the right half plane.

use ndany_core::formulas::algebra::Algebra;

use super::bessel_order::{confluent, split};
use super::bessel_order_tables::{GAMMA_EVEN, GAMMA_ODD};
use super::derivatives::{HIGHEST, next_weight, order};
use super::plane::*;
use super::support::*;

const PI: f64 = std::f64::consts::PI;
const FRAC_PI_2: f64 = std::f64::consts::FRAC_PI_2;

/// The highest order of recurrences.
const MOST: u32 = 1000;

/// Where Temme's series ends.
const MIDDLE: f64 = 2.0;

/// e^(iπt).
#[inline(always)]
fn turn<A: Algebra>(a: &A, t: A::F) -> Pair<A> {
    let [sine, cosine] = sincos_pi(a, t);
    (cosine, sine)
}

/// K of the orders μ and μ + 1, |μ| ≤ 1/2, of 0 < |z| ≤ 2 by Temme's series (Temme 1975).
fn temme<A: Algebra>(a: &A, mu: A::F, z: Pair<A>) -> [Pair<A>; 2] {
    const SINH: [f64; 10] = [
        1.0,
        1.0 / 6.0,
        1.0 / 120.0,
        1.0 / 5040.0,
        1.0 / 362_880.0,
        1.0 / 39_916_800.0,
        1.0 / 6_227_020_800.0,
        1.0 / 1_307_674_368_000.0,
        1.0 / 355_687_428_096_000.0,
        1.0 / 121_645_100_408_832_000.0,
    ];
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let square = mu * mu;
    let (odd, even) = (horner(a, square, &GAMMA_ODD), horner(a, square, &GAMMA_EVEN));
    // 1/Γ(1 + μ) and 1/Γ(1 − μ).
    let (above, below) = (even - mu * odd, even + mu * odd);
    let log = minus(a, clog(a, times(a, z, half)));
    let sigma = times(a, log, mu);
    let power = cexp(a, sigma);
    let inverse = div(a, (one, zero), power);
    let sigma2 = mul(a, sigma, sigma);
    let near = a.lt(norm(a, sigma), one);
    let safe = choose(a, near, (one, zero), sigma);
    let far = times(a, div(a, sub(a, power, inverse), safe), half);
    let sinh = choose(a, near, horner_of_pair(a, sigma2, &SINH), far);
    let cosh = times(a, add(a, power, inverse), half);
    let f = add(a, times(a, cosh, odd), times(a, mul(a, sinh, log), even));
    let (fr, fi) = times(a, f, one / (above * below));
    let (pr, pi) = times(a, power, half / above);
    let (qr, qi) = times(a, inverse, half / below);
    let (tr, ti) = times(a, mul(a, z, z), a.f(0.25));
    let start = [zero, fr, fi, pr, pi, qr, qi, fr, fi, pr, pi];
    // f itself is 0 at some points.
    let goes_on = |a: &A, s: [A::F; 11]| {
        a.lt(a.f(1e-20) * (a.abs(s[7]) + a.abs(s[8])), a.abs(s[3]) + a.abs(s[4]))
    };
    let [_, _, _, _, _, _, _, sr, si, hr, hi] =
        a.repeat_while(20, start, goes_on, |a, [k, fr, fi, pr, pi, qr, qi, sr, si, hr, hi]| {
            let one = a.f(1.0);
            let k = k + one;
            let (tr, ti) = (tr / k, ti / k);
            let (lower, upper) = (one / (k - mu), one / (k + mu));
            let (sum_r, sum_i) = (a.fma(k, fr, pr + qr), a.fma(k, fi, pi + qi));
            let both = lower * upper;
            let (fr, fi) = mul(a, (tr, ti), (sum_r * both, sum_i * both));
            let (pr, pi) = mul(a, (tr, ti), (pr * lower, pi * lower));
            let (qr, qi) = mul(a, (tr, ti), (qr * upper, qi * upper));
            let (hr, hi) = (hr + a.fma(-k, fr, pr), hi + a.fma(-k, fi, pi));
            [k, fr, fi, pr, pi, qr, qi, sr + fr, si + fi, hr, hi]
        });
    let two_over_z = div(a, pair(a, 2.0, 0.0), z);
    [(sr, si), mul(a, (hr, hi), two_over_z)]
}

/// The two sums of the asymptotic series (DLMF 10.40.1, 10.40.2): those of I and K.
fn series_of_large<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> [Pair<A>; 2] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let square = a.f(4.0) * v * v;
    let (er, ei) = div(a, pair(a, 0.125, 0.0), z);
    let goes_on = |a: &A, s: [A::F; 7]| {
        a.lt(a.f(1e-17) * (a.abs(s[5]) + a.abs(s[6])), a.abs(s[1]) + a.abs(s[2]))
    };
    let start = [zero, one, zero, one, zero, one, zero];
    let [_, _, _, pr, pi, kr, ki] =
        a.repeat_while(100, start, goes_on, |a, [k, tr, ti, pr, pi, kr, ki]| {
            let k = k + a.f(1.0);
            let odd = k + k - a.f(1.0);
            let ratio = a.fma(-odd, odd, square) / k;
            let (tr, ti) = mul(a, (tr, ti), (er * ratio, ei * ratio));
            let flip = a.select(is_odd(a, k), a.f(-1.0), a.f(1.0));
            [k, tr, ti, a.fma(flip, tr, pr), a.fma(flip, ti, pi), kr + tr, ki + ti]
        });
    [(pr, pi), (kr, ki)]
}

/// e^−z I and e^z K of the order v ≥ 0 and of z of the right half plane, not 0.
pub(crate) fn modified<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> [Pair<A>; 2] {
    let size = modulus(a, z);
    let square = v * v;
    let large = a.le(a.f(30.0), size) & a.le(square, size + size);
    let large = large | (a.le(a.f(1000.0), size) & a.le(square, a.f(10.0) * size));
    let [ir, ii, kr, ki] = a.branch(
        large,
        |a| {
            let [first, second] = series_of_large(a, v, z);
            let root = csqrt(a, times(a, z, a.f(2.0 / PI)));
            let k = div(a, second, root);
            // The other exponential (DLMF 10.40.5), of the side on which z is.
            let main = times(a, div(a, first, root), a.f(1.0 / PI));
            let side = signed(a, a.f(1.0), z.1);
            let turned = times_i(a, turn(a, side * v));
            let other = mul(a, times(a, turned, side * a.f(1.0 / PI)), k);
            let other = times_exp(a, other, times(a, z, a.f(-2.0)));
            let i = add(a, main, other);
            [i.0, i.1, k.0, k.1]
        },
        |a| {
            let [(ir, ii), (kr, ki)] = by_recurrence(a, v, z, size);
            [ir, ii, kr, ki]
        },
    );
    let reached = large | (a.le(v, a.f(f64::from(MOST))) & a.le(size, a.f(1000.0)));
    let value = |part: A::F| a.select(reached, part, nan(a));
    [(value(ir), value(ii)), (value(kr), value(ki))]
}

/// The same by recurrences: K goes upward from orders next to 0; I comes from K, the continued fraction of I(v + 1)/I(v) and the
/// Wronskian (DLMF 10.28.2, 10.33.1).
fn by_recurrence<A: Algebra>(a: &A, v: A::F, z: Pair<A>, size: A::F) -> [Pair<A>; 2] {
    let zero = a.f(0.0);
    let [n, mu] = split(a, v);
    let [k0r, k0i, k1r, k1i] = a.branch(
        a.lt(size, a.f(MIDDLE)),
        |a| {
            let [k0, k1] = temme(a, mu, z);
            let scale = cexp(a, z);
            let (k0, k1) = (mul(a, k0, scale), mul(a, k1, scale));
            [k0.0, k0.1, k1.0, k1.1]
        },
        |a| {
            let [sr, si, hr, hi] = confluent(a, mu, [z.0 + z.0, z.1 + z.1], size, 300.0);
            let root = csqrt(a, times(a, z, a.f(1.0 / FRAC_PI_2)));
            let k0 = div(a, (a.f(1.0), a.f(0.0)), mul(a, root, (sr, si)));
            let k1 = div(a, (z.0 + (mu + a.f(0.5) - hr), z.1 - hi), z);
            let k1 = mul(a, k0, k1);
            [k0.0, k0.1, k1.0, k1.1]
        },
    );
    let (tr, ti) = div(a, pair(a, 2.0, 0.0), z);
    // K of the orders above and at k + μ.
    let start = [zero, k1r, k1i, k0r, k0i];
    let goes_on =
        |a: &A, s: [A::F; 5]| a.lt(s[0], n) & a.lt(a.abs(s[1]) + a.abs(s[2]), infinity(a));
    let [reached, above_r, above_i, kr, ki] =
        a.repeat_while(MOST, start, goes_on, |a, [k, kr, ki, lr, li]| {
            let k = k + a.f(1.0);
            let order = k + mu;
            let (fr, fi) = (tr * order, ti * order);
            let (pr, pi) = mul(a, (fr, fi), (kr, ki));
            [k, pr + lr, pi + li, kr, ki]
        });
    // Where orders are below |z|, the fraction starts above it.
    let beyond = a.select(a.lt(v, size), size - v, zero);
    let terms = a.floor(beyond + a.sqrt(size * a.f(40.0))) + a.f(14.0);
    let goes_on = |a: &A, s: [A::F; 3]| a.lt(a.f(0.0), s[0]);
    let [_, rr, ri] = a.repeat_while(1300, [terms, zero, zero], goes_on, |a, [k, rr, ri]| {
        let order = v + k;
        let (dr, di) = (a.fma(order, tr, rr), a.fma(order, ti, ri));
        let scale = a.f(1.0) / a.fma(dr, dr, di * di);
        [k - a.f(1.0), dr * scale, -di * scale]
    });
    // Scaled against overflow.
    let scale = a.f(1.0 / (1u64 << 40) as f64);
    let at = (kr * scale, ki * scale);
    let sum = add(a, mul(a, (rr, ri), at), (above_r * scale, above_i * scale));
    let i = div(a, (scale, zero), mul(a, z, sum));
    let endless = a.lt(reached, n) | !a.lt(a.abs(sum.0) + a.abs(sum.1), infinity(a));
    let lost = a.lt(reached, n) | !a.lt(a.abs(kr) + a.abs(ki), infinity(a));
    [choose(a, endless, (zero, zero), i), choose(a, lost, (infinity(a), zero), (kr, ki))]
}

/// e^−w I and e^w K of a real order and of w of the right half plane: I of negative orders by reflection (DLMF 10.27.2).
fn of_right<A: Algebra>(a: &A, v: A::F, w: Pair<A>) -> [Pair<A>; 2] {
    let order = a.abs(v);
    let [i, k] = modified(a, order, w);
    let whole = is_whole(a, v);
    let i = either(
        a,
        a.lt(v, a.f(0.0)) & !whole,
        |a| {
            let sine = sincos_pi(a, order)[0];
            let other = times_exp(a, k, times(a, w, a.f(-2.0)));
            add(a, i, times(a, other, sine * a.f(2.0 / PI)))
        },
        |_| i,
    );
    [i, k]
}

/// What a function is at 0, where |z| is 0; NaN of NaNs and infinities.
#[inline(always)]
fn with_ends<A: Algebra>(a: &A, v: A::F, z: Pair<A>, value: Pair<A>, at_zero: Pair<A>) -> Pair<A> {
    let zero = a.f(0.0);
    let origin = a.eq(z.0, zero) & a.eq(z.1, zero) & !a.is_nan(v);
    let finite = a.lt(a.abs(z.0), infinity(a)) & a.lt(a.abs(z.1), infinity(a));
    let value = choose(a, finite & !a.is_nan(v), value, (nan(a), nan(a)));
    choose(a, origin, at_zero, value)
}

/// A number in place of 0.
#[inline(always)]
pub(crate) fn not_zero<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let zero = a.f(0.0);
    (a.select(a.eq(z.0, zero) & a.eq(z.1, zero), a.f(1.0), z.0), z.1)
}

/// The function of the first kind at 0.
#[inline(always)]
fn first_at_zero<A: Algebra>(a: &A, v: A::F) -> Pair<A> {
    let zero = a.f(0.0);
    let negative = a.lt(v, zero) & !is_whole(a, v);
    let value = a.select(a.eq(v, zero), a.f(1.0), zero);
    (a.select(negative, nan(a), value), a.select(negative, nan(a), zero))
}

/// I, times e^−|Re z| where `scaled`: on the left by continuation (DLMF 10.34.1).
#[inline(always)]
fn first_modified<A: Algebra>(a: &A, v: A::F, z: Pair<A>, scaled: bool) -> Pair<A> {
    let zero = a.f(0.0);
    let left = a.lt(z.0, zero);
    let w = not_zero(a, choose(a, left, minus(a, z), z));
    let [i, _] = of_right(a, v, w);
    let value = times_exp(a, i, (if scaled { zero } else { w.0 }, w.1));
    let side = a.select(a.le(zero, z.1), v, -v);
    let value = choose(a, left, mul(a, value, turn(a, side)), value);
    with_ends(a, v, z, value, first_at_zero(a, v))
}

/// I.
pub fn iv<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> Pair<A> {
    first_modified(a, v, z, false)
}

/// e^−|Re z| I.
pub fn ive<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> Pair<A> {
    first_modified(a, v, z, true)
}

/// K, times e^z where `scaled`: on the left by continuation (DLMF 10.34.2).
#[inline(always)]
fn second_modified<A: Algebra>(a: &A, v: A::F, z: Pair<A>, scaled: bool) -> Pair<A> {
    let zero = a.f(0.0);
    let v = a.abs(v);
    let left = a.lt(z.0, zero);
    let w = not_zero(a, choose(a, left, minus(a, z), z));
    let [i, k] = of_right(a, v, w);
    let value = either(
        a,
        left,
        |a| {
            let side = a.select(a.le(a.f(0.0), z.1), a.f(1.0), a.f(-1.0));
            let other = mul(a, turn(a, -side * v), k);
            let other = times_exp(a, other, times(a, w, a.f(-2.0)));
            let main = times_i(a, times(a, i, -side * a.f(PI)));
            add(a, other, main)
        },
        |_| k,
    );
    let value = if scaled { value } else { times_exp(a, value, minus(a, z)) };
    with_ends(a, v, z, value, (nan(a), nan(a)))
}

/// K.
pub fn kv<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> Pair<A> {
    second_modified(a, v, z, false)
}

/// e^z K.
pub fn kve<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> Pair<A> {
    second_modified(a, v, z, true)
}

/// What J, Y and Hankel's functions are made of (DLMF 10.27.6, 10.27.8): w = ∓iz of the right half plane, of Im z ≥ 0 and below;
/// e^−w J, and e^w H of the first kind above, of the second below.
struct Waves<A: Algebra> {
    above: A::B,
    w: Pair<A>,
    first: Pair<A>,
    hankel: Pair<A>,
}

#[inline(always)]
fn waves<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> Waves<A> {
    let above = a.le(a.f(0.0), z.1);
    let w = not_zero(a, choose(a, above, over_i(a, z), times_i(a, z)));
    let [i, k] = of_right(a, v, w);
    let half = a.f(0.5) * v;
    let side = a.select(above, half, -half);
    let first = mul(a, i, turn(a, side));
    // ±2/(πi) e^(∓iπv/2).
    let hankel = times(a, mul(a, k, turn(a, -side)), a.f(2.0 / PI));
    let hankel = over_i(a, hankel);
    let hankel = choose(a, above, hankel, minus(a, hankel));
    Waves { above, w, first, hankel }
}

/// J, times e^−|Im z| where `scaled`.
#[inline(always)]
fn first_kind<A: Algebra>(a: &A, v: A::F, z: Pair<A>, scaled: bool) -> Pair<A> {
    let Waves { w, first, .. } = waves(a, v, z);
    let value = times_exp(a, first, (if scaled { a.f(0.0) } else { w.0 }, w.1));
    with_ends(a, v, z, value, first_at_zero(a, v))
}

/// J.
pub fn jv<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> Pair<A> {
    first_kind(a, v, z, false)
}

/// e^−|Im z| J.
pub fn jve<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> Pair<A> {
    first_kind(a, v, z, true)
}

/// Y, times e^−|Im z| where `scaled`: ∓i (H − J).
#[inline(always)]
fn second_kind<A: Algebra>(a: &A, v: A::F, z: Pair<A>, scaled: bool) -> Pair<A> {
    let zero = a.f(0.0);
    let Waves { above, w, first, hankel } = waves(a, v, z);
    let shift = if scaled { w.0 } else { zero };
    let first = times_exp(a, first, (w.0 - shift, w.1));
    let hankel = times_exp(a, hankel, (-w.0 - shift, -w.1));
    let value = over_i(a, sub(a, hankel, first));
    let value = choose(a, above, value, minus(a, value));
    let below = a.lt(v, zero);
    let odd = is_whole(a, v) & is_odd(a, v);
    let endless = a.select(below & odd, infinity(a), -infinity(a));
    let endless = a.select(below & !is_whole(a, v), nan(a), endless);
    with_ends(a, v, z, value, (endless, zero))
}

/// Y.
pub fn yv<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> Pair<A> {
    second_kind(a, v, z, false)
}

/// e^−|Im z| Y.
pub fn yve<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> Pair<A> {
    second_kind(a, v, z, true)
}

/// H of the first kind (`kind` 1) or the second (−1), times e^(∓iz) where `scaled`. On the side where it is not K's own, it is 2 J less
/// the other one.
#[inline(always)]
fn third_kind<A: Algebra>(a: &A, v: A::F, z: Pair<A>, kind: f64, scaled: bool) -> Pair<A> {
    let Waves { above, w, first, hankel } = waves(a, v, z);
    let own = if kind > 0.0 { above } else { !above };
    let decay = minus(a, w);
    // The other side has e^w for e^−w, also in the scale.
    let value = either(
        a,
        own,
        |a| if scaled { hankel } else { times_exp(a, hankel, decay) },
        |a| {
            let twice = times(a, first, a.f(2.0));
            if scaled {
                sub(a, twice, times_exp(a, hankel, times(a, decay, a.f(2.0))))
            } else {
                sub(a, times_exp(a, twice, w), times_exp(a, hankel, decay))
            }
        },
    );
    with_ends(a, v, z, value, (nan(a), nan(a)))
}

/// Hankel's function of the first kind.
pub fn hankel1<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> Pair<A> {
    third_kind(a, v, z, 1.0, false)
}

/// e^−iz times Hankel's function of the first kind.
pub fn hankel1e<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> Pair<A> {
    third_kind(a, v, z, 1.0, true)
}

/// Hankel's function of the second kind.
pub fn hankel2<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> Pair<A> {
    third_kind(a, v, z, -1.0, false)
}

/// e^iz times Hankel's function of the second kind.
pub fn hankel2e<A: Algebra>(a: &A, v: A::F, z: Pair<A>) -> Pair<A> {
    third_kind(a, v, z, -1.0, true)
}

/// The n-th derivative of a cylinder function of complex numbers, as of real ones (DLMF 10.6.7, 10.29.5). NaN unless n is a whole number
/// from 0 to 32.
#[inline(always)]
fn derivative<A: Algebra>(
    a: &A,
    v: A::F,
    n: A::F,
    alternating: bool,
    function: impl Fn(&A, A::F) -> Pair<A>,
) -> Pair<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let (n, valid) = order(a, n);
    let start = [zero, one, one, zero, zero];
    let goes_on = |a: &A, state: [A::F; 5]| a.le(state[0], n);
    let [_, _, scale, re, im] =
        a.repeat_while(HIGHEST + 1, start, goes_on, |a, [k, weight, scale, re, im]| {
            let value = function(a, v - n + k + k);
            let (re, im) = (a.fma(weight, value.0, re), a.fma(weight, value.1, im));
            let next = k + a.f(1.0);
            let weight = next_weight::<A>(weight, n, k, next, alternating);
            [next, weight, a.select(a.lt(k, n), scale * a.f(0.5), scale), re, im]
        });
    choose(a, valid, (re * scale, im * scale), (nan(a), nan(a)))
}

macro_rules! derivatives {
    ($($(#[doc = $doc:literal])+ $name:ident, $function:ident, $alternating:literal;)+) => {$(
        $(#[doc = $doc])+
        pub fn $name<A: Algebra>(a: &A, v: A::F, z: Pair<A>, n: A::F) -> Pair<A> {
            derivative(a, v, n, $alternating, |a, v| $function(a, v, z))
        }
    )+};
}
derivatives! {
    /// The n-th derivative of J.
    jvp, jv, true;
    /// The n-th derivative of Y.
    yvp, yv, true;
    /// The n-th derivative of I.
    ivp, iv, false;
    /// The n-th derivative of Hankel's function of the first kind.
    h1vp, hankel1, true;
    /// The n-th derivative of Hankel's function of the second kind.
    h2vp, hankel2, true;
}

/// The n-th derivative of K, which has the sign of (−1)^n.
pub fn kvp<A: Algebra>(a: &A, v: A::F, z: Pair<A>, n: A::F) -> Pair<A> {
    let value = derivative(a, v, n, false, |a, v| kv(a, v, z));
    choose(a, is_odd(a, n), minus(a, value), value)
}
