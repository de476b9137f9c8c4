//! Complex functions, as generic functions on pairs (re, im).
//!
//! Products and quotients are promised to the bit and use no fma: (ac − bd, ad + bc) without recovery
//! of infinities, and Smith's division in the order in which NumPy takes it. The rest call real
//! formulas; their bounds stand in [`BOUNDS`]. Special values are those of C99, Annex G, where NumPy
//! follows it; those of `expm1` and `tanh` are the array API standard's.
//!
//! Deliberately absent: branch cuts other than what signed zeros give, and componentwise bounds: where
//! a component is the small difference of large parts, only the result as a point of the plane is good.

use super::algebra::Algebra;
use super::code;
use super::format::{infinity, two_to, with_sign};

/// A complex number: its real and its imaginary part.
pub type Pair<A> = (<A as Algebra>::F, <A as Algebra>::F);

/// The promised error of each function as a point of the plane: |computed − exact| in units of the
/// last place of |exact|. Products and quotients are promised to the bit, and the error of powers grows
/// with the size of the exponent: neither is in the list. Measured against mpmath at 4·10^4 points
/// each, both formats: abs 0.5, exp 1.6, expm1 2.3, log 2.0, log1p 2.4, sqrt 1.6, sin and sinh 2.1, cos
/// and cosh 2.3, tanh 3.8; at 6·10^3 points each, of which a fifth lie beside branch points: tan 3.1, log2,
/// log10 and the inverse functions 2.3.
pub const BOUNDS: &[(&str, u32)] = &[
    ("abs", 1),
    ("exp", 2),
    ("expm1", 3),
    ("log", 3),
    ("log1p", 3),
    ("sqrt", 2),
    ("sin", 3),
    ("cos", 3),
    ("sinh", 3),
    ("cosh", 3),
    ("tanh", 5),
    ("tan", 5),
    ("log2", 3),
    ("log10", 3),
    ("asin", 3),
    ("acos", 3),
    ("atan", 3),
    ("asinh", 3),
    ("acosh", 3),
    ("atanh", 3),
];

/// A constant of each format.
#[inline(always)]
fn by_width<A: Algebra>(a: &A, narrow: f64, wide: f64) -> A::F {
    a.f(if A::WIDTH == 32 { narrow } else { wide })
}

/// Up to here e^±x is a normal number.
#[inline(always)]
fn normal_exponent<A: Algebra>(a: &A) -> A::F {
    by_width(a, 87.25, 708.0)
}

/// `x`, or +0 where it is NaN: devices differ in the sign of the NaNs that arithmetic makes, so no result
/// may depend on it.
#[inline(always)]
pub(super) fn numeric<A: Algebra>(a: &A, x: A::F) -> A::F {
    a.select(a.eq(x, x), x, a.f(0.0))
}

#[inline(always)]
fn is_finite<A: Algebra>(a: &A, x: A::F) -> A::B {
    a.lt(a.abs(x), infinity(a))
}

/// x · y.
#[inline(always)]
pub fn mul<A: Algebra>(_: &A, x: Pair<A>, y: Pair<A>) -> Pair<A> {
    (x.0 * y.0 - x.1 * y.1, x.0 * y.1 + x.1 * y.0)
}

/// x / y by Smith's method (1962): the smaller part of y over the larger first, so that nothing is
/// squared.
#[inline(always)]
pub fn div<A: Algebra>(a: &A, x: Pair<A>, y: Pair<A>) -> Pair<A> {
    let (real, imaginary) = (a.abs(y.0), a.abs(y.1));
    let flat = a.le(imaginary, real);
    let large = a.select(flat, y.0, y.1);
    let small = a.select(flat, y.1, y.0);
    let ratio = small / large;
    let scale = a.f(1.0) / (large + small * ratio);
    let re = a.select(flat, x.0, x.1) + a.select(flat, x.1, x.0) * ratio;
    let im = a.select(flat, x.1 - x.0 * ratio, x.1 * ratio - x.0);
    // By zero: infinities or NaNs, part by part.
    let zero = a.eq(real, a.f(0.0)) & a.eq(imaginary, a.f(0.0));
    (a.select(zero, x.0 / real, re * scale), a.select(zero, x.1 / real, im * scale))
}

/// 1 / z by Smith's method; NaN of zero.
#[inline(always)]
pub fn reciprocal<A: Algebra>(a: &A, (re, im): Pair<A>) -> Pair<A> {
    let one = a.f(1.0);
    let flat = a.le(a.abs(im), a.abs(re));
    let large = a.select(flat, re, im);
    let small = a.select(flat, im, re);
    let ratio = small / large;
    let divisor = large + small * ratio;
    (a.select(flat, one, ratio) / divisor, -(a.select(flat, ratio, one) / divisor))
}

/// |z|.
#[inline(always)]
pub fn abs<A: Algebra>(a: &A, z: Pair<A>) -> A::F {
    a.call(code::Hypot, &[z.0, z.1])
}

/// e^z = e^x (cos y + i sin y).
#[inline(always)]
pub fn exp<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let power = a.call(code::Exp, &[x]);
    let sine = a.call(code::Sin, &[y]);
    let cosine = a.call(code::Cos, &[y]);
    let outside = !a.le(a.abs(x), normal_exponent(a));
    // The product can be finite where e^x is not: in two halves.
    let halves = |a: &A, wave: A::F| {
        let half = a.call(code::Exp, &[x * a.f(0.5)]);
        half * wave * half
    };
    let lost = !is_finite(a, y);
    let re = a.slow_path(
        outside,
        |a| {
            let re = halves(a, cosine);
            // An infinite x decides where the angle means nothing.
            a.select(lost & a.eq(a.abs(x), infinity(a)), power, re)
        },
        power * cosine,
    );
    let im = a.slow_path(
        outside,
        |a| {
            let im = halves(a, sine);
            let im =
                a.select(lost & a.eq(x, -infinity(a)), with_sign(a, a.f(0.0), numeric(a, y)), im);
            a.select(a.eq(y, a.f(0.0)), y, im)
        },
        power * sine,
    );
    (re, im)
}

/// 2^z = e^(z log 2).
#[inline(always)]
pub fn exp2<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let ln2 = a.f(if A::WIDTH == 32 { 0.693_147_182_464_599_6 } else { std::f64::consts::LN_2 });
    exp(a, (x * ln2, y * ln2))
}

/// e^z − 1: the real part is (e^x − 1) cos y − 2 sin² (y / 2). Where a part is not finite it is e^z, of which 1 is
/// taken: those are the special values of the array API standard. NumPy's differ, as it multiplies e^x by the
/// sine and cosine of an infinite angle. The real part of ±0 is +0, which adding +0 makes of −0.
#[inline(always)]
pub fn expm1<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let less = a.call(code::Expm1, &[x]);
    let half = a.call(code::Sin, &[y * a.f(0.5)]);
    let cosine = a.call(code::Cos, &[y]);
    let near = less * cosine - (half + half) * half + a.f(0.0);
    let (far, im) = exp(a, (x, y));
    let large = !a.le(a.abs(x), normal_exponent(a)) | !is_finite(a, y);
    (a.slow_path(large, |a| far - a.f(1.0), near), im)
}

/// log of the length of (x + x_low, y): where the length is near 1, by log(1 + (x² + y² − 1)) / 2 with
/// x² + y² − 1 in twice the format's length.
#[inline(always)]
pub fn log_length<A: Algebra>(a: &A, x: A::F, x_low: Option<A::F>, y: A::F) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let low = x_low.unwrap_or(zero);
    let sum = |p: A::F, q: A::F| {
        let total = p + q;
        let of_q = total - p;
        (total, (p - (total - of_q)) + (q - of_q))
    };
    let x_square = x * x;
    let x_rest = a.fma(x + x, low, a.fma(x, x, -x_square));
    let y_square = y * y;
    let y_rest = a.fma(y, y, -y_square);
    let steep = a.lt(a.abs(x), a.abs(y));
    let large = a.select(steep, y_square, x_square);
    let small = a.select(steep, x_square, y_square);
    let (first, first_low) = sum(large, -one);
    let (second, second_low) = sum(first, small);
    let excess = second + (second_low + first_low + a.fma(low, low, x_rest + y_rest));
    let near = a.call(code::Log1p, &[excess]) * a.f(0.5);

    // Elsewhere the logarithm of the length, scaled where the length would leave the normal numbers.
    let extent = a.select(steep, a.abs(y), a.abs(x));
    let power = if A::WIDTH == 32 { 60 } else { 600 };
    let tiny = a.lt(extent, by_width(a, two_to(-100), two_to(-900)));
    let usual = !tiny & a.lt(extent, by_width(a, two_to(120), two_to(1000)));
    let factor = a.select(tiny, a.f(two_to(power)), a.f(two_to(-power)));
    let scaled_x = a.slow_path(!usual, |_| x * factor, x);
    let scaled_y = a.slow_path(!usual, |_| y * factor, y);
    let length = a.call(code::Hypot, &[scaled_x, scaled_y]);
    let far = a.call(code::Log, &[length]);
    let far = a.slow_path(
        !usual,
        |a| {
            let shift = by_width(a, 41.588_830_833_596_72, 415.888_308_335_967_2);
            a.select(tiny, far - shift, far + shift)
        },
        far,
    );
    // The low part of x, by the derivative; there is none where both squares could vanish.
    let far = match x_low {
        None => far,
        Some(low) => {
            let turn = x * low / (x_square + y_square);
            far + a.select(a.eq(low, zero), zero, turn)
        }
    };
    let close = a.lt(a.f(-0.5), excess) & a.lt(excess, one);
    a.select(close, near, far)
}

/// log z = log |z| + i arg z.
#[inline(always)]
pub fn log<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    (log_length(a, x, None, y), a.call(code::Atan2, &[y, x]))
}

/// log(1 + z).
#[inline(always)]
pub fn log1p<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let one = a.f(1.0);
    let sum = one + x;
    let of_x = sum - one;
    let low = (one - (sum - of_x)) + (x - of_x);
    // Nothing is lost of infinities and of what is too large for the 1 to matter.
    let low = a.select(a.lt(a.abs(x), a.f(two_to(60))), low, a.f(0.0));
    (log_length(a, sum, Some(low), y), a.call(code::Atan2, &[y, sum]))
}

/// √z, in the right half-plane: √((|x| + |z|) / 2) and |y| over twice that are its parts, in the order
/// that the sign of x says.
#[inline(always)]
pub fn sqrt<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let (width, height) = (a.abs(x), a.abs(y));
    let extent = a.select(a.lt(width, height), height, width);
    let tiny = a.lt(extent, by_width(a, two_to(-100), two_to(-900)));
    let usual = !tiny & a.lt(extent, by_width(a, two_to(120), two_to(1000)));
    // Powers of 4 around, powers of 2 back.
    let power = if A::WIDTH == 32 { 24 } else { 54 };
    let factor = a.select(tiny, a.f(two_to(2 * power)), a.f(two_to(-2 * power)));
    let back = a.select(tiny, a.f(two_to(-power)), a.f(two_to(power)));
    let scaled_width = a.slow_path(!usual, |_| width * factor, width);
    let scaled_height = a.slow_path(!usual, |_| height * factor, height);
    let length = a.call(code::Hypot, &[scaled_width, scaled_height]);
    let large = a.sqrt((scaled_width + length) * a.f(0.5));
    let small = scaled_height / (large + large);
    let endless = a.eq(height, infinity(a));
    let large = a.slow_path(!usual, |a| a.select(endless, height, large * back), large);
    let small = a.slow_path(
        !usual,
        |a| {
            let small = a.select(a.eq(extent, a.f(0.0)) & !a.is_nan(y), height, small * back);
            a.select(endless, height, small)
        },
        small,
    );
    let left = a.lt(x, a.f(0.0));
    (a.select(left, small, large), with_sign(a, a.select(left, large, small), numeric(a, y)))
}

/// sinh z = sinh x cos y + i cosh x sin y.
#[inline(always)]
pub fn sinh<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let zero = a.f(0.0);
    let sine = a.call(code::Sin, &[y]);
    let cosine = a.call(code::Cos, &[y]);
    let odd = a.call(code::Sinh, &[x]);
    let even = a.call(code::Cosh, &[x]);
    let (re, im) = (odd * cosine, even * sine);
    let large = a.lt(normal_exponent(a), a.abs(x));
    let lost = !is_finite(a, y);
    let outside = large | lost | a.is_nan(x);
    let re = a.slow_path(
        outside,
        |a| {
            let sign = a.bits(x) & a.bits(-zero);
            let half = a.float(a.bits(growing(a, x, cosine)) ^ sign);
            let re = a.select(large, half, re);
            // A real part of zero or infinity stays where the angle means nothing.
            a.select(lost & (a.eq(x, zero) | a.eq(a.abs(x), infinity(a))), x, re)
        },
        re,
    );
    let im = a.slow_path(
        outside,
        |a| {
            let im = a.select(large, growing(a, x, sine), im);
            a.select(a.eq(y, zero), y, im)
        },
        im,
    );
    (re, im)
}

/// cosh z = cosh x cos y + i sinh x sin y.
#[inline(always)]
pub fn cosh<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let zero = a.f(0.0);
    let sine = a.call(code::Sin, &[y]);
    let cosine = a.call(code::Cos, &[y]);
    let odd = a.call(code::Sinh, &[x]);
    let even = a.call(code::Cosh, &[x]);
    let (re, im) = (even * cosine, odd * sine);
    let large = a.lt(normal_exponent(a), a.abs(x));
    let lost = !is_finite(a, y);
    let outside = large | lost | a.is_nan(x);
    let re = a.slow_path(
        outside,
        |a| {
            let re = a.select(large, growing(a, x, cosine), re);
            a.select(lost & a.eq(a.abs(x), infinity(a)), infinity(a), re)
        },
        re,
    );
    let im = a.slow_path(
        outside,
        |a| {
            let sign = a.bits(x) & a.bits(-zero);
            let half = growing(a, x, sine);
            let im = a.select(large, a.float(a.bits(half) ^ sign), im);
            let im = a.select(a.eq(y, zero), a.float(a.bits(y) ^ sign), im);
            a.select(lost & a.eq(x, zero), zero, im)
        },
        im,
    );
    (re, im)
}

/// e^|x| / 2 times `wave`, in two halves, since the product can be finite where e^|x| is not.
#[inline(always)]
fn growing<A: Algebra>(a: &A, x: A::F, wave: A::F) -> A::F {
    let half = a.call(code::Exp, &[a.abs(x) * a.f(0.5)]);
    (half * a.f(0.5)) * wave * half
}

/// sin z = −i sinh iz.
#[inline(always)]
pub fn sin<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let (re, im) = sinh(a, (-y, x));
    (im, -re)
}

/// cos z = cosh iz.
#[inline(always)]
pub fn cos<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    cosh(a, (-y, x))
}

/// tanh z = (sinh x cosh x + i sin y cos y) / (sinh² x + cos² y): every sum is of positive parts. Beside an
/// infinite x the imaginary part is a zero with the sign of y, as the array API standard has it; C99 and NumPy give it
/// the sign of sin 2y.
#[inline(always)]
pub fn tanh<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let sine = a.call(code::Sin, &[y]);
    let cosine = a.call(code::Cos, &[y]);
    let odd = a.call(code::Sinh, &[x]);
    let even = a.call(code::Cosh, &[x]);
    let below = odd * odd + cosine * cosine;
    let (re, im) = (odd * even / below, sine * cosine / below);
    let large = a.lt(by_width(a, 12.0, 24.0), a.abs(x));
    let lost = !is_finite(a, y);
    let outside = large | lost | a.is_nan(x);
    let endless = a.eq(a.abs(x), infinity(a));
    let re = a.slow_path(
        outside,
        |a| {
            // Where the angle means nothing, zeros and infinities of x still say the real part.
            let re = a.select(large & (!lost | endless), with_sign(a, one, numeric(a, x)), re);
            a.select(lost & a.eq(x, zero), x, re)
        },
        re,
    );
    let im = a.slow_path(
        outside,
        |a| {
            let half = a.call(code::Exp, &[-a.abs(x)]);
            let small = a.f(4.0) * (sine * half) * (cosine * half);
            let im = a.select(large, small, im);
            let im = a.select(endless, with_sign(a, zero, numeric(a, y)), im);
            a.select(a.eq(y, zero), y, im)
        },
        im,
    );
    (re, im)
}

/// z^w. Whole real exponents below 100 multiply, as NumPy does; the others take e^(w log z), whose
/// error is about |w log z| units of the last place.
#[inline(always)]
pub fn power<A: Algebra>(a: &A, z: Pair<A>, w: Pair<A>) -> Pair<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let general = exp(a, mul(a, w, log(a, z)));

    // Square and multiply, over the seven bits that a number below 100 can have.
    let size = a.abs(w.0);
    let magic = by_width(a, 12_582_912.0, 6_755_399_441_055_744.0);
    let shifted = size + magic;
    let whole = a.eq(shifted - magic, size) & a.lt(size, a.f(100.0)) & a.eq(w.1, zero);
    let count = a.bits(shifted);
    let mut square = z;
    let mut product = (one, zero);
    let mut none = a.eq(zero, zero);
    for bit in 0..7 {
        let set = !a.eq_u((count >> bit) & a.u(1), a.u(0));
        let next = mul(a, product, square);
        // The first factor is taken as it is: 1 times it would lose signs of zeros.
        let next = (a.select(none, square.0, next.0), a.select(none, square.1, next.1));
        product = (a.select(set, next.0, product.0), a.select(set, next.1, product.1));
        none = none & !set;
        if bit < 6 {
            square = mul(a, square, square);
        }
    }
    let inverse = div(a, (one, zero), product);
    let below = a.lt(w.0, zero);
    let re = a.select(whole, a.select(below, inverse.0, product.0), general.0);
    let im = a.select(whole, a.select(below, inverse.1, product.1), general.1);

    // A base of zero: zero to what has a positive real part, else NaN; anything to the power 0 is 1.
    let nothing = a.eq(z.0, zero) & a.eq(z.1, zero);
    let vanished = a.select(a.lt(zero, w.0), zero, super::format::nan(a));
    let re = a.select(nothing, vanished, re);
    let im = a.select(nothing, vanished, im);
    let unit = a.eq(w.0, zero) & a.eq(w.1, zero);
    (a.select(unit, one, re), a.select(unit, zero, im))
}
