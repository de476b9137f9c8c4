//! What formulas of complex numbers use: pairs of a real and an imaginary part.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;
pub(crate) use ndany_core::formulas::complex::{
    Pair, div, exp as cexp, expm1 as expm1_of_pair, log as clog, log_length, log1p as clog1p, mul,
    sqrt as csqrt,
};

use super::support::*;

/// A complex constant.
#[inline(always)]
pub(crate) fn pair<A: Algebra>(a: &A, re: f64, im: f64) -> Pair<A> {
    (a.f(re), a.f(im))
}

#[inline(always)]
pub(crate) fn add<A: Algebra>(_: &A, x: Pair<A>, y: Pair<A>) -> Pair<A> {
    (x.0 + y.0, x.1 + y.1)
}

#[inline(always)]
pub(crate) fn sub<A: Algebra>(_: &A, x: Pair<A>, y: Pair<A>) -> Pair<A> {
    (x.0 - y.0, x.1 - y.1)
}

#[inline(always)]
pub(crate) fn minus<A: Algebra>(_: &A, x: Pair<A>) -> Pair<A> {
    (-x.0, -x.1)
}

/// A real multiple.
#[inline(always)]
pub(crate) fn times<A: Algebra>(_: &A, x: Pair<A>, y: A::F) -> Pair<A> {
    (x.0 * y, x.1 * y)
}

/// z times i.
#[inline(always)]
pub(crate) fn times_i<A: Algebra>(_: &A, z: Pair<A>) -> Pair<A> {
    (-z.1, z.0)
}

/// z over i.
#[inline(always)]
pub(crate) fn over_i<A: Algebra>(_: &A, z: Pair<A>) -> Pair<A> {
    (z.1, -z.0)
}

/// A sum of products in two floats.
#[inline(always)]
pub(crate) fn dot<A: Algebra, const N: usize>(a: &A, products: [(A::F, A::F); N]) -> (A::F, A::F) {
    let zero = a.f(0.0);
    products.into_iter().fold((zero, zero), |(sum, low), (x, y)| {
        let product = x * y;
        let (sum, lost) = two_sum(sum, product);
        (sum, low + (lost + a.fma(x, y, -product)))
    })
}

/// |z|², where it is in the range.
#[inline(always)]
pub(crate) fn norm<A: Algebra>(a: &A, z: Pair<A>) -> A::F {
    a.fma(z.0, z.0, z.1 * z.1)
}

/// |z|.
#[inline(always)]
pub(crate) fn modulus<A: Algebra>(a: &A, z: Pair<A>) -> A::F {
    a.call(code::Hypot, &[z.0, z.1])
}

#[inline(always)]
pub(crate) fn choose<A: Algebra>(a: &A, condition: A::B, yes: Pair<A>, no: Pair<A>) -> Pair<A> {
    (a.select(condition, yes.0, no.0), a.select(condition, yes.1, no.1))
}

/// One of two values, of which only those are computed that an element takes.
#[inline(always)]
pub(crate) fn either<A: Algebra>(
    a: &A,
    condition: A::B,
    yes: impl Fn(&A) -> Pair<A>,
    no: impl Fn(&A) -> Pair<A>,
) -> Pair<A> {
    let [re, im] = a.branch(
        condition,
        #[inline(always)]
        |a| {
            let (re, im) = yes(a);
            [re, im]
        },
        #[inline(always)]
        |a| {
            let (re, im) = no(a);
            [re, im]
        },
    );
    (re, im)
}

/// `size` with the sign of `of`, which may be a zero.
#[inline(always)]
pub(crate) fn signed<A: Algebra>(a: &A, size: A::F, of: A::F) -> A::F {
    let sign = a.bits(a.f(-0.0));
    a.float((a.bits(size) & !sign) | (a.bits(of) & sign))
}

/// Whether the sign of a number, which may be a zero, is negative.
#[inline(always)]
pub(crate) fn is_negative<A: Algebra>(a: &A, x: A::F) -> A::B {
    a.lt(signed(a, a.f(1.0), x), a.f(0.0))
}

/// A NaN in a part?
#[inline(always)]
pub(crate) fn has_nan<A: Algebra>(a: &A, z: Pair<A>) -> A::B {
    a.is_nan(z.0) | a.is_nan(z.1)
}

/// A polynomial with real coefficients by Horner's scheme, the lowest degree first.
#[inline(always)]
pub(crate) fn horner_of_pair<A: Algebra>(a: &A, u: Pair<A>, coefficients: &[f64]) -> Pair<A> {
    let mut terms = coefficients.iter().rev();
    let highest = (a.f(terms.next().copied().unwrap_or(0.0)), a.f(0.0));
    terms.fold(highest, |(re, im), &c| {
        (a.fma(re, u.0, a.fma(-im, u.1, a.f(c))), a.fma(re, u.1, im * u.0))
    })
}

/// sin πx and cos πx, with exact zeros.
#[inline(always)]
pub(crate) fn sincos_pi<A: Algebra>(a: &A, x: A::F) -> [A::F; 2] {
    let whole = a.rint(x);
    let rest = x - whole;
    let pi = a.f(std::f64::consts::PI);
    let odd = is_odd(a, whole);
    let (sine, cosine) = (sin(a, pi * rest), sin(a, pi * (a.f(0.5) - a.abs(rest))));
    [a.select(odd, -sine, sine), a.select(odd, -cosine, cosine)]
}

/// w e^(f z²), where the factor f is ±1 or ±1/2: the rounding of the squares is made good, and the product is finite where the
/// exponential alone is not.
#[inline(always)]
pub(crate) fn times_exp_square<A: Algebra>(
    a: &A,
    w: Pair<A>,
    (x, y): Pair<A>,
    factor: f64,
) -> Pair<A> {
    let (zero, limit) = (a.f(0.0), a.f(1e70));
    let usual = a.lt(a.abs(x), limit) & a.lt(a.abs(y), limit);
    let (p, q) = (x * x, y * y);
    let (size, size_low) = two_sum(p, -q);
    let size_low = size_low + (a.fma(x, x, -p) - a.fma(y, y, -q));
    let size = a.select(usual, size, (x - y) * (x + y));
    let angle = (x + x) * y;
    let angle_low = a.select(usual, a.fma(x + x, y, -angle), zero);
    let size_low = a.select(usual, size_low, zero);
    let (half, factor) = (a.f(0.5 * factor), a.f(factor));
    let (angle, angle_low) = (factor * angle, factor * angle_low);
    let (s, c) = (sin(a, angle), a.call(code::Cos, &[angle]));
    let turn = (a.fma(-s, angle_low, c), a.fma(c, angle_low, s));
    times_root_twice(a, mul(a, w, turn), half * size, half * size_low)
}

/// z e^(2r) of a sum r of two floats.
#[inline(always)]
pub(crate) fn times_root_twice<A: Algebra>(a: &A, z: Pair<A>, r: A::F, low: A::F) -> Pair<A> {
    let zero = a.f(0.0);
    let root = exp(a, r);
    let root = a.fma(root, low, root);
    let root = a.select(a.lt(root, infinity(a)), root, infinity(a));
    // An infinite root times a part that is 0 is 0, and so is any part times a root that is 0.
    let scaled = |part: A::F| {
        let value = a.select(a.eq(root, zero), zero, part * root * root);
        a.select(a.eq(part, zero), part, value)
    };
    (scaled(z.0), scaled(z.1))
}

/// z e^w, finite where e^w alone is not.
#[inline(always)]
pub(crate) fn times_exp<A: Algebra>(a: &A, z: Pair<A>, w: Pair<A>) -> Pair<A> {
    let turn = (a.call(code::Cos, &[w.1]), sin(a, w.1));
    times_root_twice(a, mul(a, z, turn), a.f(0.5) * w.0, a.f(0.0))
}
