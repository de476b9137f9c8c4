//! Airy functions and spherical Bessel functions of complex numbers, by Bessel functions of real order.

use ndany_core::formulas::algebra::Algebra;

use super::complex_bessel::{iv, jv, kv, modified, not_zero, yv};
use super::plane::*;
use super::support::*;

/// 1/π, √3/π and 1/√3.
const FRAC_1_PI: f64 = std::f64::consts::FRAC_1_PI;
const ROOT_3_PI: f64 = 0.551_328_895_421_792_1;
const FRAC_1_ROOT_3: f64 = 0.577_350_269_189_625_7;

/// Ai, Ai′, Bi and Bi′, of which the first two are times e^ζ and the others times e^−|Re ζ| where `scaled`, ζ = 2/3 z^(3/2): in the upper
/// half plane, by K and I of the orders 1/3 and 2/3 of ζ where the angle of z is at most π/3, beyond by J of those orders at −z (DLMF 9.6.1
/// to 9.6.9).
#[inline(always)]
fn all<A: Algebra>(a: &A, z: Pair<A>, scaled: bool) -> [Pair<A>; 4] {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let below = is_negative(a, z.1);
    let upper = (z.0, a.abs(z.1));
    let tiny = a.lt(a.abs(upper.0) + upper.1, a.f(1e-100));
    let upper = choose(a, tiny, (one, zero), upper);
    // Whether the angle is at most π/3.
    let right = a.le(zero, upper.0) & a.le(upper.1, a.f(1.732_050_807_568_877_2) * upper.0);
    let base = choose(a, right, upper, minus(a, upper));
    let base = (base.0, a.select(right, base.1, -upper.1));
    let root = csqrt(a, base);
    let power = times(a, mul(a, base, root), a.f(2.0 / 3.0));
    let w = choose(a, right, power, times_i(a, power));
    // Rounding may bring it over the axis.
    let w = not_zero(a, (a.abs(w.0), w.1));
    // I and K of 1/3 and 2/3 by one piece of code.
    let start = [zero; 9];
    let goes_on = |a: &A, state: [A::F; 9]| a.lt(state[0], a.f(2.0));
    let [_, ir, ii, kr, ki, lr, li, mr, mi] =
        a.repeat_while(2, start, goes_on, |a, [n, ir, ii, kr, ki, ..]| {
            let n = n + a.f(1.0);
            let [i, k] = modified(a, n / a.f(3.0), w);
            [n, i.0, i.1, k.0, k.1, ir, ii, kr, ki]
        });
    // Of 2/3, and of 1/3.
    let (i2, k2) = ((ir, ii), (kr, ki));
    let (i1, k1) = ((lr, li), (mr, mi));
    let twice = times(a, w, a.f(-2.0));
    // The other exponential of I of a negative order, over e^w.
    let other1 = times(a, times_exp(a, k1, twice), a.f(ROOT_3_PI));
    let other2 = times(a, times_exp(a, k2, twice), a.f(ROOT_3_PI));
    let values = a.branch(
        right,
        |a| {
            let root = times(a, root, a.f(FRAC_1_ROOT_3));
            let point = times(a, base, a.f(FRAC_1_ROOT_3));
            let ai = times(a, mul(a, root, k1), a.f(FRAC_1_PI));
            let slope = times(a, mul(a, point, k2), a.f(-FRAC_1_PI));
            let bi = mul(a, root, add(a, add(a, i1, i1), other1));
            let bi_slope = mul(a, point, add(a, add(a, i2, i2), other2));
            [ai.0, ai.1, slope.0, slope.1, bi.0, bi.1, bi_slope.0, bi_slope.1]
        },
        |a| {
            // J(±ν) is e^(∓iπν/2) I(±ν).
            let half = a.f(0.866_025_403_784_438_6);
            let (sixth, third) = ((half, a.f(0.5)), (a.f(0.5), half));
            let conjugate = |z: Pair<A>| (z.0, -z.1);
            let plus1 = mul(a, conjugate(sixth), i1);
            let minus1 = mul(a, sixth, add(a, i1, other1));
            let plus2 = mul(a, conjugate(third), i2);
            let minus2 = mul(a, third, add(a, i2, other2));
            let root = times(a, root, a.f(1.0 / 3.0));
            let point = times(a, base, a.f(1.0 / 3.0));
            let ai = mul(a, root, add(a, plus1, minus1));
            let slope = mul(a, point, sub(a, plus2, minus2));
            let root_3 = a.f(1.732_050_807_568_877_2);
            let bi = times(a, mul(a, root, sub(a, minus1, plus1)), root_3);
            let bi_slope = times(a, mul(a, point, add(a, plus2, minus2)), root_3);
            [ai.0, ai.1, slope.0, slope.1, bi.0, bi.1, bi_slope.0, bi_slope.1]
        },
    );
    // So far Ai is over e^−w, or over e^w on the left, and Bi is over e^w.
    let grown = if scaled { (zero, w.1) } else { w };
    let own = choose(a, right, minus(a, w), w);
    let own = if scaled { (zero, zero) } else { own };
    const AT_ZERO: [f64; 4] =
        [0.3550280538878172, -0.2588194037928068, 0.6149266274460007, 0.4482883573538264];
    std::array::from_fn(|number| {
        let value = (values[2 * number], values[2 * number + 1]);
        let value = times_exp(a, value, if number < 2 { own } else { grown });
        let value = (value.0, a.select(below, -value.1, value.1));
        let value = choose(a, tiny, (a.f(AT_ZERO[number]), zero), value);
        choose(a, has_nan(a, z), (nan(a), nan(a)), value)
    })
}

/// Ai, Ai′, Bi and Bi′.
pub fn airy<A: Algebra>(a: &A, z: Pair<A>) -> [Pair<A>; 4] {
    all(a, z, false)
}

/// The same scaled: Ai and Ai′ times e^ζ, the others times e^−|Re ζ|, ζ = 2/3 z^(3/2).
pub fn airye<A: Algebra>(a: &A, z: Pair<A>) -> [Pair<A>; 4] {
    all(a, z, true)
}

/// √(π/(2z)) times a function of the order n + 1/2, at z of the right half plane; on the left by parity.
#[inline(always)]
fn spherical<A: Algebra>(
    a: &A,
    n: A::F,
    z: Pair<A>,
    odd: bool,
    at_zero: f64,
    function: impl Fn(&A, A::F, Pair<A>) -> Pair<A>,
) -> Pair<A> {
    let zero = a.f(0.0);
    let left = a.lt(z.0, zero);
    let w = choose(a, left, minus(a, z), z);
    let value = function(a, n + a.f(0.5), not_zero(a, w));
    let root = csqrt(a, times(a, not_zero(a, w), a.f(std::f64::consts::FRAC_2_PI)));
    let value = div(a, value, root);
    let flips = if odd { !is_odd(a, n) } else { is_odd(a, n) };
    let value = choose(a, left & flips, minus(a, value), value);
    let origin = a.eq(z.0, zero) & a.eq(z.1, zero);
    let first = a.select(a.eq(n, zero), a.f(at_zero), zero);
    let first = if at_zero == 1.0 { first } else { nan(a) };
    let value = choose(a, origin, (first, zero), value);
    let valid = is_whole(a, n) & a.le(zero, n);
    choose(a, valid, value, (nan(a), nan(a)))
}

/// The spherical Bessel function of the first kind.
pub fn spherical_jn<A: Algebra>(a: &A, n: A::F, z: Pair<A>) -> Pair<A> {
    spherical(a, n, z, false, 1.0, jv)
}

/// The spherical Bessel function of the second kind.
pub fn spherical_yn<A: Algebra>(a: &A, n: A::F, z: Pair<A>) -> Pair<A> {
    spherical(a, n, z, true, f64::NAN, yv)
}

/// The modified spherical Bessel function of the first kind.
pub fn spherical_in<A: Algebra>(a: &A, n: A::F, z: Pair<A>) -> Pair<A> {
    spherical(a, n, z, false, 1.0, iv)
}

/// The modified spherical Bessel function of the second kind: with the principal root of π/(2z).
pub fn spherical_kn<A: Algebra>(a: &A, n: A::F, z: Pair<A>) -> Pair<A> {
    let zero = a.f(0.0);
    // A zero has the side of the function of real order.
    let z = (z.0, z.1 + zero);
    let value = kv(a, n + a.f(0.5), z);
    let root = csqrt(a, times(a, not_zero(a, z), a.f(std::f64::consts::FRAC_2_PI)));
    let valid = is_whole(a, n) & a.le(zero, n);
    choose(a, valid, div(a, value, root), (nan(a), nan(a)))
}
