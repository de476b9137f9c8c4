//! Error functions of complex numbers, made of Faddeeva's function.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::faddeeva::faddeeva;
use super::plane::*;
use super::support::*;

const FRAC_2_SQRT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;

/// w(z) = e^(−z²) erfc(−iz) of the upper half plane, by the values of the quadrant of x ≥ 0; far out it is i/(√π z).
#[inline(always)]
fn upper<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let (zero, one, limit) = (a.f(0.0), a.f(1.0), a.f(1e70));
    let size = a.abs(x);
    let inside = a.lt(size, limit) & a.lt(y, limit);
    let [re, im] = faddeeva(a, a.select(inside, size, one), a.select(inside, y, one));
    let scale = a.f(0.5 * FRAC_2_SQRT_PI);
    let far = div(a, (zero, scale), (size, y));
    let endless = a.eq(size, infinity(a)) | a.eq(y, infinity(a));
    let far = choose(a, endless, (zero, zero), far);
    let (re, im) = choose(a, inside, (re, im), far);
    let value = (re, signed(a, im, x));
    choose(a, has_nan(a, (x, y)), (nan(a), nan(a)), value)
}

/// Faddeeva's function: of the lower half plane 2 e^(−z²) − w(−z) (DLMF 7.4.3).
pub fn wofz<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let (re, im) = upper(a, (x, a.abs(y)));
    either(
        a,
        a.lt(y, a.f(0.0)),
        |a| {
            let (er, ei) = times_exp_square(a, pair(a, 2.0, 0.0), (x, y), -1.0);
            (er - re, ei + im)
        },
        |_| (re, im),
    )
}

/// e^(z²) erfc z = w(iz).
pub fn erfcx<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    wofz(a, times_i(a, z))
}

/// e^(−z²) w(iz) of the half plane x ≥ 0.
#[inline(always)]
fn erfc_of_right<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let w = upper(a, (-y, x));
    times_exp_square(a, w, (x, y), -1.0)
}

/// erfc z = e^(−z²) w(iz), on the left 2 − erfc(−z).
pub fn erfc<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let left = a.lt(z.0, a.f(0.0));
    let (re, im) = erfc_of_right(a, choose(a, left, minus(a, z), z));
    choose(a, left, (a.f(2.0) - re, -im), (re, im))
}

/// The terms (−1)^n / n! (2n + 1) of erf.
const ERF: [f64; 22] = {
    let mut terms = [1.0; 22];
    let (mut n, mut factorial) = (1, 1.0);
    while n < 22 {
        factorial *= -(n as f64);
        terms[n] = 1.0 / (factorial * (2 * n + 1) as f64);
        n += 1;
    }
    terms
};

/// erf z = 1 − erfc z on the right, and odd; by Taylor's series where |z| < 1.2.
pub fn erf<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let zero = a.f(0.0);
    let left = a.lt(z.0, zero);
    let right = choose(a, left, minus(a, z), z);
    let (re, im) = either(
        a,
        a.lt(norm(a, z), a.f(1.44)),
        |a| {
            let square = mul(a, right, right);
            let sum = horner_of_pair(a, square, &ERF);
            times(a, mul(a, sum, right), a.f(FRAC_2_SQRT_PI))
        },
        |a| {
            let (re, im) = erfc_of_right(a, right);
            (a.f(1.0) - re, -im)
        },
    );
    let (re, im) = choose(a, left, (-re, -im), (re, im));
    // The axes are mapped to themselves.
    let re = a.select(a.eq(z.0, zero) & !a.is_nan(z.1), z.0, re);
    (re, a.select(a.eq(z.1, zero) & !a.is_nan(z.0), z.1, im))
}

/// erfi z = −i erf iz.
pub fn erfi<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    over_i(a, erf(a, times_i(a, z)))
}

/// The terms (−2)^n / (2n + 1)!! of Dawson's integral.
const DAWSN: [f64; 24] = {
    let mut terms = [1.0; 24];
    let mut n = 1;
    while n < 24 {
        terms[n] = -terms[n - 1] * 2.0 / (2 * n + 1) as f64;
        n += 1;
    }
    terms
};

/// Dawson's integral: i √π/2 (e^(−z²) − w(z)) of the upper half plane, and odd; by Taylor's series where |z| < 1.2.
pub fn dawsn<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let zero = a.f(0.0);
    let below = a.lt(z.1, zero);
    let above = choose(a, below, minus(a, z), z);
    let (re, im) = either(
        a,
        a.lt(norm(a, z), a.f(1.44)),
        |a| mul(a, horner_of_pair(a, mul(a, above, above), &DAWSN), above),
        |a| {
            let w = upper(a, above);
            let e = times_exp_square(a, pair(a, 1.0, 0.0), above, -1.0);
            times(a, times_i(a, sub(a, e, w)), a.f(1.0 / FRAC_2_SQRT_PI))
        },
    );
    let (re, im) = choose(a, below, (-re, -im), (re, im));
    let re = a.select(a.eq(z.0, zero) & !a.is_nan(z.1), z.0, re);
    (re, a.select(a.eq(z.1, zero) & !a.is_nan(z.0), z.1, im))
}

/// e^(−z²/2) w(−iz/√2) / 2 of the half plane x ≤ 0.
#[inline(always)]
fn ndtr_of_left<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let t = times(a, z, a.f(std::f64::consts::FRAC_1_SQRT_2));
    let w = upper(a, (t.1, -t.0));
    times_exp_square(a, times(a, w, a.f(0.5)), z, -0.5)
}

/// The normal distribution: erfc(−z/√2)/2, on the right 1 less that of −z.
pub fn ndtr<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let right = a.lt(a.f(0.0), z.0);
    let (re, im) = ndtr_of_left(a, choose(a, right, minus(a, z), z));
    choose(a, right, (a.f(1.0) - re, -im), (re, im))
}

/// The principal logarithm of [`ndtr`]: log(w(it)/2) − t² of t = −z/√2, with the argument within −π and π; on the right by its distance
/// from 1.
pub fn log_ndtr<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let half = a.f(0.5);
    // Where the other tail is in the range.
    let height = a.abs(z.1);
    let right = a.lt(a.f(0.0), z.0) & a.lt((height - z.0) * (height + z.0), a.f(1300.0));
    either(
        a,
        right,
        |a| clog1p(a, minus(a, ndtr_of_left(a, minus(a, z)))),
        |a| {
            let t = times(a, z, a.f(-std::f64::consts::FRAC_1_SQRT_2));
            let (re, im) = clog(a, wofz(a, (-t.1, t.0)));
            let square = (half * z.0) * z.0 - (half * z.1) * z.1;
            let angle = im - z.0 * z.1;
            let (s, c) = (sin(a, angle), a.call(code::Cos, &[angle]));
            (re - square - a.f(std::f64::consts::LN_2), a.call(code::Atan2, &[s, c]))
        },
    )
}

/// S and C: the series where |z| < 1.2; else by erf of √π/2 (1 ± i) z (DLMF 7.5.8), whose
/// exponential is of the exact square.
pub fn fresnel<A: Algebra>(a: &A, z: Pair<A>) -> [Pair<A>; 2] {
    const SINE: [f64; 13] = fresnel_terms(1);
    const COSINE: [f64; 13] = fresnel_terms(0);
    let (zero, half, half_pi) = (a.f(0.0), a.f(0.5), std::f64::consts::FRAC_PI_2);
    let [sr, si, cr, ci] = a.branch(
        a.lt(norm(a, z), a.f(1.44)),
        |a| {
            let square = mul(a, z, z);
            let fourth = mul(a, square, square);
            let c = mul(a, horner_of_pair(a, fourth, &COSINE), z);
            let s = mul(a, mul(a, horner_of_pair(a, fourth, &SINE), square), z);
            [s.0, s.1, c.0, c.1]
        },
        |a| {
            let scaled = times(a, z, a.f(0.886_226_925_452_758));
            // e^(∓iπz²/2), of the exact squares.
            let (p, q) = (z.0 * z.0, z.1 * z.1);
            let (phase, low) = two_sum(p, -q);
            let low = low + (a.fma(z.0, z.0, -p) - a.fma(z.1, z.1, -q));
            let [hs, hc] = sincos_pi(a, half * phase);
            let [ls, lc] = sincos_pi(a, half * low);
            let turn = mul(a, (hc, hs), (lc, ls));
            let product = z.0 * z.1;
            let growth = a.f(half_pi) * product;
            let rest = a.fma(a.f(half_pi), product, -growth)
                + a.f(6.123_233_995_736_766e-17) * product
                + a.f(half_pi) * a.fma(z.0, z.1, -product);
            // Both by one piece of code: (1 + i) z, then (1 − i) z.
            let goes_on = |a: &A, state: [A::F; 5]| a.lt(state[0], a.f(2.0));
            let [_, ur, ui, vr, vi] =
                a.repeat_while(2, [zero; 5], goes_on, |a, [n, ur, ui, ..]| {
                    let sign = a.f(1.0) - (n + n);
                    let t = (scaled.0 - sign * scaled.1, scaled.1 + sign * scaled.0);
                    let left = a.lt(t.0, a.f(0.0));
                    let t = choose(a, left, minus(a, t), t);
                    let w = mul(a, upper(a, (-t.1, t.0)), (turn.0, -sign * turn.1));
                    let (re, im) = times_root_twice(a, w, sign * growth, sign * rest);
                    let (re, im) = (a.f(1.0) - re, -im);
                    let (re, im) = choose(a, left, (-re, -im), (re, im));
                    [n + a.f(1.0), re, im, ur, ui]
                });
            // C − iS = (1 − i)/2 erf((1 + i) …), C + iS = (1 + i)/2 erf((1 − i) …).
            let lower = times(a, mul(a, (vr, vi), pair(a, 1.0, -1.0)), half);
            let upper = times(a, mul(a, (ur, ui), pair(a, 1.0, 1.0)), half);
            let c = times(a, add(a, lower, upper), half);
            let s = over_i(a, times(a, sub(a, upper, lower), half));
            [s.0, s.1, c.0, c.1]
        },
    );
    // The real axis is mapped to itself.
    let real = a.eq(z.1, zero) & !a.is_nan(z.0);
    let side = |value: A::F| a.select(real, z.1, value);
    [(sr, side(si)), (cr, side(ci))]
}

/// The terms (−1)^n (π/2)^(2n + s) / (2n + s)! (4n + 2s + 1) of the integral of the cosine, s = 0, and of the sine, s = 1.
const fn fresnel_terms(first: usize) -> [f64; 13] {
    let half_pi = std::f64::consts::FRAC_PI_2;
    let mut terms = [0.0; 13];
    let mut size = if first == 1 { half_pi } else { 1.0 };
    let mut n = 0;
    while n < 13 {
        let k = 2 * n + first;
        terms[n] = size / (2 * k + 1) as f64;
        size *= -half_pi * half_pi / ((k + 1) * (k + 2)) as f64;
        n += 1;
    }
    terms
}
