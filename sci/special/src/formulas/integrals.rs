//! Exponential, sine and cosine integrals; Lambert's W.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::coefficients::*;
use super::incomplete::reciprocal_fraction;
use super::support::*;

/// The zero of Ei, in two parts.
const EXPI_ROOT: (f64, f64) = (0.3725074107813666, 1.3140183414386028e-17);

/// E₁(x) of x > 0: the series at 0, then polynomials of 1/x of x e^x E₁.
#[inline(always)]
pub(crate) fn exp1_of_positive<A: Algebra>(a: &A, x: A::F) -> A::F {
    let [value] = a.branch(
        a.le(x, a.f(1.0)),
        #[inline(always)]
        |a| {
            let series = x * horner(a, a.fma(x, a.f(2.0), a.f(-1.0)), &EXP1_SERIES);
            [series - (log(a, x) + a.f(EULER))]
        },
        #[inline(always)]
        |a| {
            let v = a.f(1.0) / x;
            let [scaled] = a.branch(
                a.lt(x, a.f(4.0)),
                #[inline(always)]
                |a| [horner(a, (v - a.f(0.625)) * a.f(1.0 / 0.375), &EXP1_MIDDLE)],
                #[inline(always)]
                |a| [horner(a, (v - a.f(0.125)) * a.f(8.0), &EXP1_TAIL)],
            );
            [exp(a, -x) * v * scaled]
        },
    );
    value
}

/// Ei(x) of x > 0: about its zero, then polynomials of 1/x of x e^−x Ei.
#[inline(always)]
pub(crate) fn expi_of_positive<A: Algebra>(a: &A, x: A::F) -> A::F {
    let [value] = a.branch(
        a.le(x, a.f(6.0)),
        #[inline(always)]
        |a| {
            let distance = (x - a.f(EXPI_ROOT.0)) - a.f(EXPI_ROOT.1);
            // log(x/x₀) by the distance where that is small.
            let logarithm = log(a, x * a.f(1.0 / EXPI_ROOT.0));
            let near = a.lt(a.abs(distance), a.f(0.15));
            let logarithm = when(
                a,
                near,
                logarithm,
                #[inline(always)]
                |a| log1p(a, distance * a.f(1.0 / EXPI_ROOT.0)),
            );
            let series = horner(a, (x - a.f(3.0)) * a.f(1.0 / 3.0), &EXPI_SERIES);
            [a.fma(distance, series, logarithm)]
        },
        #[inline(always)]
        |a| {
            let v = a.f(1.0) / x;
            let scaled = horner(a, (v - a.f(1.0 / 48.0)) * a.f(48.0), &EXPI_24);
            let scaled = when(
                a,
                a.lt(x, a.f(24.0)),
                scaled,
                #[inline(always)]
                |a| horner(a, (v - a.f(1.0 / 16.0)) * a.f(48.0), &EXPI_12),
            );
            let scaled = when(
                a,
                a.lt(x, a.f(12.0)),
                scaled,
                #[inline(always)]
                |a| horner(a, (v - a.f(0.125)) * a.f(24.0), &EXPI_6),
            );
            // The exponential in halves, since x e^−x Ei is above 1 where e^x overflows.
            let half = exp(a, a.f(0.5) * x);
            [half * (v * scaled) * half]
        },
    );
    let value = a.select(a.eq(x, infinity(a)), x, value);
    a.select(a.lt(a.f(720.0), x), infinity(a), value)
}

/// E₁ of x ≥ 0; NaN of negative x, whose value is complex.
#[inline(always)]
pub fn exp1<A: Algebra>(a: &A, x: A::F) -> A::F {
    a.select(a.lt(x, a.f(0.0)), nan(a), real_exp1(a, x))
}

/// E₁, of negative x its real part.
#[inline(always)]
fn real_exp1<A: Algebra>(a: &A, x: A::F) -> A::F {
    let [value] = a.branch(
        a.lt(x, a.f(0.0)),
        #[inline(always)]
        |a| [-expi_of_positive(a, -x)],
        #[inline(always)]
        |a| [exp1_of_positive(a, x)],
    );
    let value = a.select(a.eq(x, a.f(0.0)), infinity(a), value);
    a.select(a.eq(x, infinity(a)), a.f(0.0), value)
}

/// Ei.
#[inline(always)]
pub fn expi<A: Algebra>(a: &A, x: A::F) -> A::F {
    -real_exp1(a, -x)
}

/// E_n(x) of the whole part of n ≥ 0: up to x = 2 by E₁ and the recurrence of n up to 20 (DLMF 8.19.12), else by the continued fraction
/// (DLMF 8.19.17), which takes few steps where x or n is large.
#[inline(always)]
pub fn expn<A: Algebra>(a: &A, n: A::F, x: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let n = truncated(a, n);
    let last = n - one;
    let power = exp(a, -x);
    let [value] = a.branch(
        a.le(x, a.f(2.0)) & a.le(n, a.f(20.0)),
        #[inline(always)]
        |a| {
            let [_, value] = a.repeat_while(
                20,
                [a.f(1.0), exp1_of_positive(a, x)],
                #[inline(always)]
                |a, [k, _]| a.lt(k, n),
                #[inline(always)]
                |a, [k, value]| [k + a.f(1.0), a.fma(-x, value, power) / k],
            );
            [value]
        },
        #[inline(always)]
        |a| {
            // e^−x / (x + n/(1 + 1/(x + (n + 1)/(1 + 2/(x + …))))), whose terms are positive, divided by x + n where they are large.
            let r = one / (x + n);
            let (shifted, below) = (last * r, x * r);
            let [fraction, _] = reciprocal_fraction(
                a,
                60,
                a.eq(one, one),
                below,
                #[inline(always)]
                |a, i| {
                    let by = i * r;
                    [[shifted + by, a.f(1.0)], [by, below]]
                },
            );
            [power * (r * fraction)]
        },
    );
    let of_zero = a.select(a.lt(one, n), one / last, infinity(a));
    let value = a.select(a.eq(n, zero), power / x, value);
    let value = a.select(a.eq(x, zero), of_zero, value);
    let value = a.select(a.eq(x, infinity(a)) | a.eq(n, infinity(a)), zero, value);
    a.select(a.le(zero, n) & a.le(zero, x), value, nan(a))
}

/// e^γ of Euler's constant γ.
const EXP_EULER: f64 = 1.781_072_417_990_198;

/// Si and Ci, of which negative x gives the real part: the series up to 4, then the auxiliary functions f and g (DLMF 6.2).
#[inline(always)]
pub fn sici<A: Algebra>(a: &A, x: A::F) -> [A::F; 2] {
    let size = a.abs(x);
    let [si, ci] = a.branch(
        a.lt(size, a.f(4.0)),
        #[inline(always)]
        |a| {
            let t = size * size;
            let u = (t - a.f(8.0)) * a.f(0.125);
            let si = size * horner(a, u, &SI_SERIES);
            // log x + γ is log(x e^γ).
            let main = log(a, size * a.f(EXP_EULER));
            let ci = a.fma(t, horner(a, u, &CI_SERIES), main);
            [si, ci]
        },
        #[inline(always)]
        |a| {
            let v = a.f(1.0) / size;
            let square = v * v;
            let u = (square - a.f(1.0 / 128.0)) * a.f(128.0);
            let (f, g) = (horner(a, u, &SICI_F_8), horner(a, u, &SICI_G_8));
            let near = a.lt(size, a.f(8.0));
            let u = (square - a.f(5.0 / 128.0)) * a.f(128.0 / 3.0);
            let f = when(
                a,
                near,
                f,
                #[inline(always)]
                |a| horner(a, u, &SICI_F_4),
            ) * v;
            let g = when(
                a,
                near,
                g,
                #[inline(always)]
                |a| horner(a, u, &SICI_G_4),
            ) * square;
            let (s, c) = (sin(a, size), a.call(code::Cos, &[size]));
            let si = a.f(std::f64::consts::FRAC_PI_2) - f * c - g * s;
            [si, f * s - g * c]
        },
    );
    let endless = a.eq(size, infinity(a));
    let si = a.select(endless, a.f(std::f64::consts::FRAC_PI_2), si);
    let ci = a.select(endless, a.f(0.0), ci);
    let ci = a.select(a.eq(x, -infinity(a)), nan(a), ci);
    [a.select(a.lt(x, a.f(0.0)), -si, si), ci]
}

/// The principal branch of Lambert's W on the real line, NaN below −1/e, from the series at the branch point, or from logarithms
/// (Corless et al. 1996).
#[inline(always)]
pub(crate) fn real_lambertw<A: Algebra>(a: &A, x: A::F) -> A::F {
    let one = a.f(1.0);
    // e x + 1 with the rounding of e made good.
    let e = std::f64::consts::E;
    let above = a.fma(x, a.f(e), one) + x * a.f(1.4456468917292502e-16);
    let above = a.select(a.lt(above, a.f(0.0)) & a.lt(a.f(-1e-16), above), a.f(0.0), above);
    let p = a.sqrt(above + above);
    // The series about the branch point (DLMF 4.13.6).
    const BRANCH: [f64; 10] = [
        -1.0,
        1.0,
        -1.0 / 3.0,
        11.0 / 72.0,
        -43.0 / 540.0,
        769.0 / 17_280.0,
        -221.0 / 8_505.0,
        680_863.0 / 43_545_600.0,
        -1_963.0 / 204_120.0,
        226_287_557.0 / 37_623_398_400.0,
    ];
    let series = horner(a, x, &[1.0, -1.0, 1.5, -8.0 / 3.0, 125.0 / 24.0]);
    // W is smooth in log(1 + p), up to x = 29788.
    let guess = horner(a, log(a, p + one) - a.f(3.0), &LAMBERT);
    let guess = a.select(a.lt(a.abs(x), a.f(0.04)), x * series, guess);
    let large = !a.lt(x, a.f(29_000.0));
    let guess = when(
        a,
        large,
        guess,
        #[inline(always)]
        |a| {
            let log_x = log(a, x);
            let second = log(a, log_x);
            log_x - second + second / log_x
        },
    );
    // One step of Fritsch, Shafer & Crowley (1973), of the fourth order; two of a large number.
    let count = a.select(large, a.f(2.0), one);
    let [w, _] = a.repeat_while(
        2,
        [guess, a.f(0.0)],
        #[inline(always)]
        |a, [_, done]| a.lt(done, count),
        #[inline(always)]
        |a, [w, done]| {
            let ratio = x / w;
            let z = (log(a, ratio) - w) + a.fma(-ratio, w, x) / x;
            let up = w + a.f(1.0);
            let q = (up + up) * a.fma(z, a.f(2.0 / 3.0), up);
            let change = z * (q - z) / (up * (q - (z + z)));
            [a.fma(w, change, w), done + a.f(1.0)]
        },
    );
    let w = a.select(a.lt(p, a.f(0.03)), horner(a, p, &BRANCH), w);
    let w = a.select(a.eq(x, infinity(a)), x, w);
    a.select(a.lt(a.abs(x), a.f(1e-300)), x, w)
}
