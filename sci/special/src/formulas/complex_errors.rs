//! Error functions of complex numbers, made of Faddeeva's function.

use ndany_core::formulas::algebra::Algebra;

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

/// The normal distribution's erfc(−z/√2)/2.
pub fn ndtr<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let t = times(a, z, a.f(-std::f64::consts::FRAC_1_SQRT_2));
    times(a, erfc(a, t), a.f(0.5))
}
