//! Faddeeva's function w(z) = e^(−z²) erfc(−iz) of the upper half plane, and what is made of it.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::fresnel_tables::{AT_HALF, AT_WHOLE};
use super::support::*;

/// The step h = √(π/12) of the rule, π/h, and how many nodes of one sign it has.
const STEP: f64 = 0.511_663_353_973_244_3;
const INVERSE: f64 = 6.139_960_247_678_931;

/// The real and the imaginary part of w(x + iy), x ≥ 0, y ≥ 0, |x + iy| < 1e70: the trapezoidal rule of step h = √(π/12) on the integral
/// (DLMF 7.7.2), with nodes at (k + 1/2) h or at k h, whichever are farther from x, and the residue at the pole
/// (Hunter & Regan 1972; Al Azah & Chandler-Wilde 2021). Each part of the sum has one sign.
pub(crate) fn faddeeva<A: Algebra>(a: &A, x: A::F, y: A::F) -> [A::F; 2] {
    let (zero, one, two) = (a.f(0.0), a.f(1.0), a.f(2.0));
    let steps = x * a.f(1.0 / STEP);
    let phase = steps - a.rint(steps);
    let far = a.le(x, y) & a.le(a.f(INVERSE), y);
    let at_half = a.le(a.abs(phase), a.f(0.25)) | far;
    let shift = a.select(at_half, a.f(0.5 * STEP), zero);
    let squares = a.fma(x, x, y * y);
    let square_y = y * y;
    let (mut real, mut imaginary) = (zero, zero);
    for (k, (of_half, of_whole)) in AT_HALF.into_iter().zip(AT_WHOLE).enumerate() {
        let node = shift + a.f(k as f64 * STEP);
        let weight = a.select(at_half, a.f(of_half), a.f(of_whole));
        let (left, right) = (x - node, x + node);
        let below = a.fma(left, left, square_y) * a.fma(right, right, square_y);
        let share = weight / below;
        let square_node = node * node;
        real = a.fma(share, squares + square_node, real);
        imaginary = a.fma(share, squares - square_node, imaginary);
    }
    let scale = a.f(2.0 * STEP * std::f64::consts::FRAC_1_PI);
    let (real, imaginary) = (scale * y * real, scale * x * imaginary);
    // 2 e^(−z²) E / (E ± 1) of E = e^(2πiz/h), where the line of the integral passes the pole.
    let turn = a.f(std::f64::consts::TAU) * phase;
    let decay = exp(a, a.f(-2.0 * INVERSE) * y);
    let (cosine, sine) = (a.call(code::Cos, &[turn]), sin(a, turn));
    let sign = a.select(at_half, one, -one);
    // (|E|² ± E) / |E ± 1|².
    let (re, im) = (decay * cosine, decay * sine);
    let below = (re + sign) * (re + sign) + im * im;
    let (re, im) = ((decay * decay + sign * re) / below, sign * im / below);
    // e^(−z²) without decay: the decay is in the factor.
    let exponent = (y - x) * (y + x);
    let size = two * exp(a, a.select(far, zero, exponent));
    let size = a.select(far, zero, size);
    let angle = a.select(far, zero, two * x * y);
    let (c, s) = (a.call(code::Cos, &[angle]), sin(a, angle));
    [real + size * a.fma(re, c, im * s), imaginary + size * a.fma(im, c, -(re * s))]
}

/// Voigt's profile: the real part of w((x + iγ)/(σ√2)) / (σ√(2π)), which continues it to negative σ and γ; far out it is Cauchy's density.
pub fn voigt_profile<A: Algebra>(a: &A, x: A::F, sigma: A::F, gamma: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let (narrow, thin) = (a.lt(sigma, zero), a.lt(gamma, zero));
    let (sigma, gamma) = (a.abs(sigma), a.abs(gamma));
    let size = a.abs(x);
    let scale = a.f(std::f64::consts::FRAC_1_SQRT_2) / sigma;
    let (u, v) = (size * scale, gamma * scale);
    // NaN at none of both.
    let inside = a.lt(u, a.f(1e9)) & a.lt(v, a.f(1e9));
    let (safe_u, safe_v) = (a.select(inside, u, one), a.select(inside, v, one));
    let [real, _] = faddeeva(a, safe_u, safe_v);
    let value = real / sigma * a.f(0.398_942_280_401_432_7);
    // γ/π / (x² + γ²) by the larger one of the two.
    let [large, small] = ordered(a, size, gamma);
    let ratio = small / large;
    let cauchy =
        gamma / large * a.f(std::f64::consts::FRAC_1_PI) / a.fma(ratio, ratio, one) / large;
    let at_zero = a.select(a.eq(size, zero), infinity(a), zero);
    let cauchy = a.select(a.eq(gamma, zero), at_zero, cauchy);
    let endless = a.eq(size, infinity(a)) | a.eq(gamma, infinity(a));
    let cauchy = a.select(endless, zero, cauchy);
    let value = a.select(inside, value, cauchy);
    let value = when(a, narrow | thin, value, |a| {
        // w(x − iy) has the real part 2 e^(y² − x²) cos(2xy) − Re w(x + iy).
        let peak = exp(a, (v - u) * (v + u)) * a.call(code::Cos, &[(u + u) * v]);
        let peak = a.f(0.797_884_560_802_865_4) * peak / sigma;
        let flipped = !a.eq(sigma, a.f(0.0)) & ((narrow & !thin) | (thin & !narrow));
        let below = a.select(flipped, peak - value, value);
        // One sign of σ, which is that of γ where the profile is Cauchy's.
        let negative = narrow | a.eq(sigma, a.f(0.0));
        a.select(negative, -below, below)
    });
    let valid = a.eq(sigma, sigma) & a.eq(gamma, gamma) & a.eq(x, x);
    a.select(valid, value, nan(a))
}
