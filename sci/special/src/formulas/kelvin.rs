//! Kelvin functions: the modified Bessel functions of the order 0 of w = x e^(iπ/4), and their derivatives by x.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::bessel_order::confluent;
use super::support::*;

/// Where the series end.
const MIDDLE: f64 = 2.0;
/// 1/√2 in two parts.
const ROOT: [f64; 2] = [std::f64::consts::FRAC_1_SQRT_2, -4.833_646_656_726_457e-17];
/// cos π/8 and sin π/8.
const EIGHTH: [f64; 2] = [0.923_879_532_511_286_7, 0.382_683_432_365_089_8];

type Complex<F> = [F; 2];

fn times<A: Algebra>(a: &A, [xr, xi]: Complex<A::F>, [yr, yi]: Complex<A::F>) -> Complex<A::F> {
    [a.fma(xr, yr, -(xi * yi)), a.fma(xr, yi, xi * yr)]
}

fn quotient<A: Algebra>(a: &A, x: Complex<A::F>, [yr, yi]: Complex<A::F>) -> Complex<A::F> {
    let square = a.fma(yr, yr, yi * yi);
    let [re, im] = times(a, x, [yr, -yi]);
    [re / square, im / square]
}

/// The coefficients of u^m, u = (x/2)⁴, of Σ t^k/(k!)² in its real part (`odd` 0) or its imaginary part over (x/2)² (`odd` 1), where
/// t = i (x/2)²; the weight of a term is 1, k, the k-th
/// harmonic number H, or k H.
const fn terms(odd: usize, weight: u32) -> [f64; 8] {
    let mut result = [0.0; 8];
    let (mut term, mut harmonic) = (1.0, 0.0);
    let mut k = 0;
    while k < 16 {
        if k > 0 {
            term /= (k * k) as f64;
            harmonic += 1.0 / k as f64;
        }
        if k % 2 == odd {
            let sign = if (k / 2) % 2 == 0 { 1.0 } else { -1.0 };
            let factor = match weight {
                0 => 1.0,
                1 => k as f64,
                2 => harmonic,
                _ => k as f64 * harmonic,
            };
            result[k / 2] = sign * term * factor;
        }
        k += 1;
    }
    result
}

/// The sum of such a series, the imaginary part over (x/2)².
fn sum<A: Algebra, const WEIGHT: u32>(a: &A, square: A::F) -> Complex<A::F> {
    let u = square * square;
    let (real, imaginary) = const { (terms(0, WEIGHT), terms(1, WEIGHT)) };
    [horner(a, u, &real), horner(a, u, &imaginary)]
}

/// The derivative by x of a series whose terms have the degree 2k.
fn slope<A: Algebra, const WEIGHT: u32>(a: &A, x: A::F, square: A::F) -> Complex<A::F> {
    let u = square * square;
    let (real, imaginary) = const { (terms(0, WEIGHT), terms(1, WEIGHT)) };
    let half = a.f(0.5) * x;
    [half * square * horner(a, u, &real[1..]), half * horner(a, u, &imaginary)]
}

/// (x/2)².
fn quarter_square<A: Algebra>(a: &A, x: A::F) -> A::F {
    a.f(0.25) * x * x
}

/// Of w: e^(x/√2) and the sine and cosine of x/√2; S of [`confluent`] and K₁/K₀.
fn parts<A: Algebra>(a: &A, x: A::F) -> [A::F; 7] {
    let [high, rest] = ROOT.map(|part| a.f(part));
    let angle = x * high;
    let low = a.fma(x, rest, a.fma(x, high, -angle));
    let z = angle + angle;
    let [sr, si, hr, hi] = confluent(a, a.f(0.0), [z, z], x, 190.0);
    let (s, c) = (sin(a, angle), a.call(code::Cos, &[angle]));
    let (s, c) = (a.fma(c, low, s), a.fma(-s, low, c));
    let half = exp(a, a.f(0.5) * angle);
    let half = a.fma(half, a.f(0.5) * low, half);
    // 1 + (1/2 − h)/w.
    let ratio = times(a, [a.f(0.5) - hr, -hi], over_w(a, x));
    [half, s, c, sr, si, a.f(1.0) + ratio[0], ratio[1]]
}

/// 1/w.
fn over_w<A: Algebra>(a: &A, x: A::F) -> Complex<A::F> {
    let part = a.f(ROOT[0]) / x;
    [part, -part]
}

/// I₀(w) and its derivative by x, of x > 0: beyond 2 from K, the continued fraction of I₁/I₀ and the Wronskian (DLMF 10.28.2, 10.33.1).
fn first<A: Algebra>(a: &A, x: A::F) -> [A::F; 4] {
    a.branch(
        a.lt(x, a.f(MIDDLE)),
        |a| {
            let square = quarter_square(a, x);
            let ([re, im], [dr, di]) = (sum::<A, 0>(a, square), slope::<A, 1>(a, x, square));
            [re, square * im, dr, di]
        },
        |a| {
            let [half, s, c, sr, si, kr, ki] = parts(a, x);
            let terms = a.floor(a.sqrt(x * a.f(56.0))) + a.f(12.0);
            let twice = over_w(a, x).map(|part| part + part);
            let goes_on = |a: &A, state: [A::F; 3]| a.lt(a.f(0.0), state[0]);
            let start = [terms, a.f(0.0), a.f(0.0)];
            let [_, rr, ri] = a.repeat_while(260, start, goes_on, |a, [k, rr, ri]| {
                let (dr, di) = (a.fma(k, twice[0], rr), a.fma(k, twice[1], ri));
                let square = a.fma(dr, dr, di * di);
                [k - a.f(1.0), dr / square, -di / square]
            });
            // e^w S / (√(πw/2) (K₁/K₀ + I₁/I₀)).
            let [cosine, sine] = EIGHTH.map(|part| a.f(part));
            let scale = a.sqrt(a.f(std::f64::consts::FRAC_2_PI) / x);
            let turned = times(a, [c, s], [cosine, -sine]);
            let value = times(a, turned, [sr, si]);
            let value = quotient(a, value, [kr + rr, ki + ri]);
            let root = a.f(ROOT[0]);
            let slope = times(a, value, [root * (rr - ri), root * (rr + ri)]);
            [value[0], value[1], slope[0], slope[1]].map(|part| half * (part * scale) * half)
        },
    )
}

/// K₀(w) and its derivative by x, of x > 0.
fn second<A: Algebra>(a: &A, x: A::F) -> [A::F; 4] {
    a.branch(
        a.lt(x, a.f(MIDDLE)),
        |a| {
            // DLMF 10.31.2 and its derivative.
            let square = quarter_square(a, x);
            let ([re, im], derivative) = (sum::<A, 0>(a, square), slope::<A, 1>(a, x, square));
            let ([hr, hi], [dr, di]) = (sum::<A, 2>(a, square), slope::<A, 3>(a, x, square));
            let factor = [log(a, a.f(0.5) * x) + a.f(EULER), a.f(std::f64::consts::FRAC_PI_4)];
            let [pr, pi] = times(a, [re, square * im], factor);
            let [qr, qi] = times(a, derivative, factor);
            let above = a.f(-0.25) * x * im;
            [hr - pr, a.fma(square, hi, -pi), dr - re / x - qr, above + (di - qi)]
        },
        |a| {
            let [half, s, c, sr, si, kr, ki] = parts(a, x);
            let [cosine, sine] = EIGHTH.map(|part| a.f(part));
            let scale = a.sqrt(a.f(std::f64::consts::FRAC_PI_2) / x);
            let turned = times(a, [c, -s], [cosine, -sine]);
            let value = quotient(a, turned, [sr, si]);
            let root = a.f(-ROOT[0]);
            let slope = times(a, value, [root * (kr - ki), root * (kr + ki)]);
            [value[0], value[1], slope[0], slope[1]].map(|part| part * scale / half / half)
        },
    )
}

/// A part of [`first`], of |x|.
fn of_first<A: Algebra>(a: &A, x: A::F, part: usize, at_zero: f64) -> A::F {
    let size = a.abs(x);
    let value = first(a, size)[part];
    let value = a.select(a.eq(x, a.f(0.0)), a.f(at_zero), value);
    a.select(a.lt(size, infinity(a)), value, nan(a))
}

/// A part of [`second`], NaN of negative x.
fn of_second<A: Algebra>(a: &A, x: A::F, part: usize, at_zero: f64) -> A::F {
    let value = second(a, x)[part];
    let value = a.select(a.eq(x, a.f(0.0)), a.f(at_zero), value);
    a.select(a.le(a.f(0.0), x) & a.lt(x, infinity(a)), value, nan(a))
}

/// ber.
pub fn ber<A: Algebra>(a: &A, x: A::F) -> A::F {
    of_first(a, x, 0, 1.0)
}

/// bei.
pub fn bei<A: Algebra>(a: &A, x: A::F) -> A::F {
    of_first(a, x, 1, 0.0)
}

/// The derivative of ber, an odd function.
pub fn berp<A: Algebra>(a: &A, x: A::F) -> A::F {
    let value = of_first(a, x, 2, 0.0);
    a.select(a.lt(x, a.f(0.0)), -value, value)
}

/// The derivative of bei, an odd function.
pub fn beip<A: Algebra>(a: &A, x: A::F) -> A::F {
    let value = of_first(a, x, 3, 0.0);
    a.select(a.lt(x, a.f(0.0)), -value, value)
}

/// ker.
pub fn ker<A: Algebra>(a: &A, x: A::F) -> A::F {
    of_second(a, x, 0, f64::INFINITY)
}

/// kei.
pub fn kei<A: Algebra>(a: &A, x: A::F) -> A::F {
    of_second(a, x, 1, -std::f64::consts::FRAC_PI_4)
}

/// The derivative of ker.
pub fn kerp<A: Algebra>(a: &A, x: A::F) -> A::F {
    of_second(a, x, 2, f64::NEG_INFINITY)
}

/// The derivative of kei.
pub fn keip<A: Algebra>(a: &A, x: A::F) -> A::F {
    of_second(a, x, 3, 0.0)
}

/// Kelvin's functions as complex numbers: ber + i bei, ker + i kei, and their derivatives; the second and the last are NaN of negative x.
pub fn kelvin<A: Algebra>(a: &A, x: A::F) -> [(A::F, A::F); 4] {
    let zero = a.f(0.0);
    let size = a.abs(x);
    let (origin, finite) = (a.eq(x, zero), a.lt(size, infinity(a)));
    let left = a.lt(x, zero);
    let (first, second) = (first(a, size), second(a, size));
    let at = |part: A::F, at_zero: f64, valid: A::B| {
        a.select(valid, a.select(origin, a.f(at_zero), part), nan(a))
    };
    let odd = |part: A::F| a.select(left, -part, part);
    let right = finite & a.le(zero, x);
    let endless = f64::INFINITY;
    [
        (at(first[0], 1.0, finite), at(first[1], 0.0, finite)),
        (at(second[0], endless, right), at(second[1], -std::f64::consts::FRAC_PI_4, right)),
        (odd(at(first[2], 0.0, finite)), odd(at(first[3], 0.0, finite))),
        (at(second[2], -endless, right), at(second[3], 0.0, right)),
    ]
}
