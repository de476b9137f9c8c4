//! Inverse trigonometric and hyperbolic functions of complex numbers, and logarithms to other bases.
//!
//! After Kahan, "Branch cuts for complex elementary functions" (1987): everything comes from √(1 − z) and
//! √(1 + z), whose parts combine in sums without cancellation; the sign of a zero says on which side of
//! a cut a number lies. Where 1 vanishes beside z, the logarithm of 2z serves. Bounds stand in
//! [`super::complex::BOUNDS`].

use super::algebra::Algebra;
use super::code;
use super::complex::{Pair, div, log, log_length, numeric, sqrt, tanh};
use super::format::{infinity, two_to, with_sign};

/// log₂ z.
#[inline(always)]
pub fn log2<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let (re, im) = log(a, z);
    let e = a.f(std::f64::consts::LOG2_E);
    (re * e, im * e)
}

/// log₁₀ z.
#[inline(always)]
pub fn log10<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let (re, im) = log(a, z);
    let e = a.f(std::f64::consts::LOG10_E);
    (re * e, im * e)
}

/// tan z = −i tanh iz.
#[inline(always)]
pub fn tan<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let (re, im) = tanh(a, (-y, x));
    (im, -re)
}

/// Intermediate values of arcsine and arccosine.
struct Roots<A: Algebra> {
    /// Whether z is infinite, NaN, or so large that the 1 vanishes.
    large: A::B,
    /// The real parts of √(1 − z) and √(1 + z).
    re: Pair<A>,
    /// The real part of their product.
    product: A::F,
    /// The imaginary part of the arcsine.
    im: A::F,
}

#[inline(always)]
fn roots<A: Algebra>(a: &A, (x, y): Pair<A>) -> Roots<A> {
    let one = a.f(1.0);
    let edge = a.f(two_to(60));
    let large = !(a.lt(a.abs(x), edge) & a.lt(a.abs(y), edge));
    let (p, q) = sqrt(a, (one - x, -y));
    let (r, s) = sqrt(a, (one + x, y));
    let im = a.call(code::Asinh, &[p * s - q * r]);
    let im = a.slow_path(
        large,
        |a| {
            let two = a.f(std::f64::consts::LN_2);
            with_sign(a, a.abs(log_length(a, x, None, y) + two), numeric(a, y))
        },
        im,
    );
    Roots { large, re: (p, r), product: p * r - q * s, im }
}

/// arcsin z.
#[inline(always)]
pub fn asin<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let Roots { large, product, im, .. } = roots(a, (x, y));
    let re = a.call(code::Atan2, &[x, product]);
    let re = a.slow_path(
        large,
        |a| {
            let re = a.call(code::Atan2, &[x, a.abs(y)]);
            // On the imaginary axis even where y means nothing.
            a.select(a.eq(x, a.f(0.0)), x, re)
        },
        re,
    );
    (re, im)
}

/// arccos z.
#[inline(always)]
pub fn acos<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let Roots { large, re: (p, r), im, .. } = roots(a, (x, y));
    let half = a.call(code::Atan2, &[p, r]);
    let re = a.slow_path(
        large,
        |a| {
            let re = a.call(code::Atan2, &[a.abs(y), x]);
            a.select(a.eq(x, a.f(0.0)), a.f(std::f64::consts::FRAC_PI_2), re)
        },
        half + half,
    );
    (re, -im)
}

/// arsinh z: the arcsine with the parts of argument and result exchanged.
#[inline(always)]
pub fn asinh<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let (re, im) = asin(a, (y, x));
    (im, re)
}

/// arcosh z = ±i arccos z, in the right half-plane.
#[inline(always)]
pub fn acosh<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let (re, im) = acos(a, z);
    (a.abs(im), with_sign(a, re, numeric(a, z.1)))
}

/// artanh z: log(1 + 4 |x| / ((1 − |x|)² + y²)) / 4, with the sign of x, and half the angle of
/// 1 − |z|² + 2iy.
#[inline(always)]
pub fn atanh<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let (width, height) = (a.abs(x), a.abs(y));
    let edge = a.f(two_to(60));
    let large = !(a.lt(width, edge) & a.lt(height, edge));
    let near = one - width;
    let below = near * near + y * y;
    let pole = a.eq(near, zero) & a.lt(height, a.f(two_to(-50)));
    let re = a.call(code::Log1p, &[a.f(4.0) * width / below]) * a.f(0.25);
    let re = a.slow_path(
        large | pole,
        |a| {
            // Beside 1 it is log(2 / |y|) / 2.
            let half = a.f(0.5);
            let beside = a.call(code::Log, &[height * half]) * -half;
            let re = a.select(pole, beside, re);
            let far = a.abs(div(a, (one, zero), (width, height)).0);
            let endless = a.eq(width, infinity(a)) | a.eq(height, infinity(a));
            let far = a.select(endless | a.eq(width, zero), zero, far);
            a.select(large, far, re)
        },
        re,
    );
    let angle = a.call(code::Atan2, &[y + y, near * (one + width) - y * y]) * a.f(0.5);
    let im = a.slow_path(
        large,
        |a| {
            let quarter = with_sign(a, a.f(std::f64::consts::FRAC_PI_2), numeric(a, y));
            let lost = a.is_nan(y) | (a.is_nan(x) & !a.eq(height, infinity(a)));
            a.select(lost, x + y, quarter)
        },
        angle,
    );
    (with_sign(a, re, numeric(a, x)), im)
}

/// arctan z = −i artanh iz.
#[inline(always)]
pub fn atan<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let (re, im) = atanh(a, (-y, x));
    // A NaN says nothing of the sign.
    (im, a.select(a.is_nan(y), a.abs(re), -re))
}
