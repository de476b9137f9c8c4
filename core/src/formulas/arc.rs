//! Arcsine and arccosine.
//!
//! For |x| ≤ ½ by a polynomial in x²; above, by arcsin x = π/2 − 2 arcsin √((1 − x) / 2), with the root in
//! two floats. Both arguments of the polynomial lie in [0, ½], so that one evaluation serves either.

use super::algebra::Algebra;
use super::format::{polynomial, two_to, with_sign};

/// The constants of one format.
struct Arc<const N: usize> {
    /// π/2 in two parts.
    half_pi: [f64; 2],
    /// arcsin s = s + s³ A(s²) for s ≤ ½, from `conformance/oracle/minimax.py asin`.
    tail: [f64; N],
}

/// f32: A is good to 2^-31.6 of the result.
const ARC32: Arc<6> = Arc {
    half_pi: [1.5707963705062866, -4.371138828673793e-08],
    tail: [
        0.16666659712791443,
        0.0750051885843277,
        0.04451445862650871,
        0.03182646259665489,
        0.014373986050486565,
        0.037600111216306686,
    ],
};

/// f64: A is good to 2^-59.7 of the result.
const ARC64: Arc<13> = Arc {
    half_pi: [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17],
    tail: [
        0.16666666666666763,
        0.07499999999970164,
        0.04464285717519778,
        0.03038194268048224,
        0.022372215736925893,
        0.017351598877210644,
        0.013980974493854027,
        0.011397679110966058,
        0.010787028005040306,
        0.003681291221258099,
        0.02176749467292284,
        -0.021082641186650826,
        0.03268007810524531,
    ],
};

/// arcsin |x| for |x| ≤ ½, else 2 arcsin √((1 − |x|) / 2), as a sum of two floats.
struct Part<A: Algebra> {
    near: A::B,
    main: A::F,
    rest: A::F,
}

#[inline(always)]
fn part<A: Algebra, const N: usize>(a: &A, x: A::F, c: &Arc<N>) -> Part<A> {
    let half = a.f(0.5);
    let y = a.abs(x);
    let near = a.le(y, half);
    // Exact above ½.
    let rest = a.fma(y, -half, half);
    let z = a.select(near, y * y, rest);
    let root = a.sqrt(rest);
    // Nothing is added to the divisor of a root that is not zero.
    let root_low = a.fma(-root, root, rest) / (root + root + a.f(two_to(-100)));
    let s = a.select(near, y, root);
    let s_low = a.select(near, a.f(0.0), root_low);
    let tail = a.fma(s * z, polynomial(a, z, &c.tail), s_low);
    let scale = a.select(near, a.f(1.0), a.f(2.0));
    Part { near, main: s * scale, rest: tail * scale }
}

#[inline(always)]
fn asin<A: Algebra, const N: usize>(a: &A, x: A::F, c: &Arc<N>) -> A::F {
    let Part { near, main, rest } = part(a, x, c);
    let base = a.f(c.half_pi[0]);
    let sum = base - main;
    let lost = (base - sum) - main;
    let far = sum + (lost + (a.f(c.half_pi[1]) - rest));
    with_sign(a, a.select(near, main + rest, far), x)
}

#[inline(always)]
fn acos<A: Algebra, const N: usize>(a: &A, x: A::F, c: &Arc<N>) -> A::F {
    let Part { near, main, rest } = part(a, x, c);
    let zero = a.f(0.0);
    let left = a.lt(x, zero);
    // π/2 − arcsin x; 2 arcsin √… on the right, π less that on the left.
    let base = a.f(c.half_pi[0]);
    let base_low = a.f(c.half_pi[1]);
    let far = a.select(left, base + base, zero);
    let far_low = a.select(left, base_low + base_low, zero);
    let base = a.select(near, base, far);
    let base_low = a.select(near, base_low, far_low);
    let minus = (near & !left) | (!near & left);
    let main = a.select(minus, -main, main);
    let rest = a.select(minus, -rest, rest);
    let sum = base + main;
    let lost = (base - sum) + main;
    sum + (lost + (base_low + rest))
}

/// arcsin x.
/// Measured: at most 0.61 ulp over 2.5·10^8 inputs, every 17th of all.
#[inline(always)]
pub fn asin32<A: Algebra>(a: &A, x: A::F) -> A::F {
    asin(a, x, &ARC32)
}

/// arcsin x.
/// Measured: at most 0.60 ulp over 2·10^5 random inputs or more.
#[inline(always)]
pub fn asin64<A: Algebra>(a: &A, x: A::F) -> A::F {
    asin(a, x, &ARC64)
}

/// arccos x.
/// Measured: at most 0.60 ulp over 2.5·10^8 inputs, every 17th of all.
#[inline(always)]
pub fn acos32<A: Algebra>(a: &A, x: A::F) -> A::F {
    acos(a, x, &ARC32)
}

/// arccos x.
/// Measured: at most 0.59 ulp over 2·10^5 random inputs or more.
#[inline(always)]
pub fn acos64<A: Algebra>(a: &A, x: A::F) -> A::F {
    acos(a, x, &ARC64)
}
