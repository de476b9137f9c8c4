//! Hyperbolic functions. x = k ln 2 + r as for e^x, then sinh and cosh of the sum follow from those of k ln 2,
//! which are powers of two, and of r, which are polynomials: nothing is divided and nothing cancels. tanh has
//! 1 − e^(−2x) in double length (Dekker 1971), or in f32 two polynomials.

use super::algebra::Algebra;
use super::exp::{EXP32, EXP64, Exp, Reduced, exp_reduced, reduce, scale, scale_down};
use super::format::{Format, infinity, polynomial, with_sign};

/// tanh x, from two polynomials, each of which falls below the true value where the other holds: so the larger of
/// them is right. Their coefficients are from `conformance/oracle/minimax.py`.
/// Measured: at most 0.93 ulp over all 2^32 inputs.
#[inline(always)]
pub fn tanh32<A: Algebra>(a: &A, x: A::F) -> A::F {
    // tanh y = y + y³ N(y²) while y < 1, good to 2^-28.3: `tanh_near`.
    const NEAR: [f64; 7] = [
        -0.3333330750465393,
        0.13332608342170715,
        -0.053898971527814865,
        0.021550439298152924,
        -0.008052902296185493,
        0.002388933440670371,
        -0.00038641170249320567,
    ];
    // 1.0625 e^(-2r) for |r| ≤ (ln 2) / 4, good to 2^-28.2: `tanh_power`.
    const POWER: [f64; 7] = [
        1.0625,
        -2.125,
        2.124999761581421,
        -1.416654348373413,
        0.7083595991134644,
        -0.28453341126441956,
        0.09399513155221939,
    ];
    // tanh y = 1 - t F(t) with t = 1.0625 e^(-2y) while y > 0.97, good to 2^-27.1: `tanh_far`. The factor 1.0625
    // is there so that F ends in t⁴ times 1.
    const FAR: [f64; 5] =
        [1.8823517560958862, -1.7714859247207642, 1.6625906229019165, -1.4989241361618042, 1.0];
    const TWICE_LOG2_E: f64 = 2.0 * std::f64::consts::LOG2_E;
    const HALF_LN_2: f64 = 0.5 * std::f64::consts::LN_2;

    // Beyond 10 the result is 1. A NaN fails the comparison and stays.
    let y = a.abs(x);
    let y = a.select(a.lt(a.f(10.0), y), a.f(10.0), y);
    // What one float lacks of (ln 2) / 2 times k is little beside 1, which t is subtracted from.
    let magic = a.f(Format::of(32).magic);
    let shifted = a.fma(y, a.f(-TWICE_LOG2_E), magic);
    let r = a.fma(shifted - magic, a.f(HALF_LN_2), y);
    let t = scale(a, polynomial(a, r, &POWER), shifted);
    let z = y * y;
    let near = a.fma(z * y, polynomial(a, z, &NEAR), y);
    let far = a.fma(-t, polynomial(a, t, &FAR), a.f(1.0));
    with_sign(a, a.select(a.lt(near, far), far, near), x)
}

/// tanh x. With t = 1 - e^(-2|x|) as a sum of two floats, tanh |x| = t / (2 - t): one division gives the
/// reciprocal, and the remainder of the quotient repairs it.
/// Measured: at most 0.90 ulp over 2·10^8 random inputs of all binades.
#[inline(always)]
pub fn tanh64<A: Algebra>(a: &A, x: A::F) -> A::F {
    let (one, two) = (a.f(1.0), a.f(2.0));
    // Beyond 20 the result is 1. A NaN fails the comparison and stays.
    let y = a.abs(x);
    let y = a.select(a.lt(a.f(20.0), y), a.f(20.0), y);
    // -2y = k ln 2 - 2 (r + low), in halves: so nothing is doubled.
    let magic = a.f(Format::of(64).magic);
    let shifted = a.fma(y, a.f(-2.0 * EXP64.log2_e), magic);
    let k = shifted - magic;
    let high = a.fma(k, a.f(0.5 * EXP64.ln2_high), y);
    let r = a.fma(k, a.f(0.5 * EXP64.ln2_low), high);
    let low = a.fma(k, a.f(0.5 * EXP64.ln2_low), high - r);
    // t = (1 - 2^k) + 2^(k + 1) (r + r² Q(r) + low). The first product is exact, and r the smaller, or 1 - 2^k is
    // zero and nothing is lost.
    let power = scale(a, two, shifted);
    let base = a.fma(a.f(-0.5), power, one);
    let base_low = a.fma(a.f(-0.5), power, one - base);
    let main = power * r;
    let sum = base + main;
    let lost = main - (sum - base) + base_low;
    let z = r * r;
    let q = a.fma(r, polynomial(a, z, &ODD), polynomial(a, z, &EVEN));
    let rest = a.fma(power, a.fma(z, q, low), lost);
    let t = sum + rest;
    let t_low = rest - (t - sum);
    let inverse = one / (two - t);
    let quotient = t * inverse;
    // t - quotient (2 - t), whose first difference is exact.
    let remainder = a.fma(quotient, t, a.fma(-two, quotient, t));
    let remainder = a.fma(quotient, t_low, remainder) + t_low;
    with_sign(a, a.fma(remainder, inverse, quotient), x)
}

/// Every second coefficient of Q of e^r from `start` on, for (1 - e^(-2r)) / 2 = r + r² Q(r): times a power of -2.
const fn halves<const N: usize>(start: usize) -> [f64; N] {
    let mut halves = [0.0; N];
    let mut factor = if start == 0 { -2.0 } else { 4.0 };
    let mut i = 0;
    while i < N {
        halves[i] = factor * EXP64.q[2 * i + start];
        factor *= 4.0;
        i += 1;
    }
    halves
}

const EVEN: [f64; 6] = halves(0);
const ODD: [f64; 5] = halves(1);

/// e^x / 2 for x so large that e^-x vanishes beside it: the half comes first, to stay finite as long as
/// the result is.
#[inline(always)]
fn half_exp<A: Algebra, const N: usize>(a: &A, x: A::F, c: &Exp<N>, most: f64) -> A::F {
    let Reduced { shifted, r, low, .. } = reduce(a, x, c);
    let p = exp_reduced(a, r, low, c);
    let y = p * scale(a, a.f(1.0), shifted - a.f(2.0)) * a.f(2.0);
    a.select(a.lt(a.f(most), x), infinity(a), y)
}

/// sinh r = r + r³ S(r²) and cosh r = 1 + r² C(r²) for |r| ≤ ln 2 / 2, from `conformance/oracle/minimax.py
/// sinh_near cosh_near`.
struct IntegerTable<const N: usize> {
    s: [f64; N],
    c: [f64; N],
}

/// f32: S is good to 2^-34.3 of r, C to 2^-33.2.
const NEAR32: IntegerTable<3> = IntegerTable {
    s: [0.1666666716337204, 0.00833317544311285, 0.00019974067981820554],
    c: [0.5, 0.041666459292173386, 0.0013935437891632318],
};

/// f64: S is good to 2^-61.7 of r, C to 2^-58.0.
const NEAR64: IntegerTable<5> = IntegerTable {
    s: [
        0.16666666666666677,
        0.008333333333321421,
        0.00019841269886656358,
        2.7557243673729813e-06,
        2.5109224974819453e-08,
    ],
    c: [
        0.5000000000000013,
        0.04166666666651106,
        0.0013888888948078014,
        2.480148889859542e-05,
        2.7631638489404686e-07,
    ],
};

/// y = k ln 2 + r + low, and what the functions of both parts are.
struct Sum<A: Algebra> {
    /// 2^(k - 1) and 2^(-k - 1), whose difference and sum are sinh and cosh of k ln 2.
    up: A::F,
    down: A::F,
    r: A::F,
    /// sinh (r + low) - r.
    sinh_rest: A::F,
    /// cosh r - 1.
    cosh_rest: A::F,
}

/// Splits y ≥ 0 while 2^(k - 1) is a normal number, and 2^(-k - 1) one or, far below it, +0.0.
#[inline(always)]
fn split<A: Algebra, const E: usize, const N: usize>(
    a: &A,
    y: A::F,
    exp: &Exp<E>,
    c: &IntegerTable<N>,
) -> Sum<A> {
    let Reduced { shifted, r, low, .. } = reduce(a, y, exp);
    let half = a.f(0.5);
    let z = r * r;
    let sinh_rest = a.fma(r * z, polynomial(a, z, &c.s), low);
    let cosh_rest = z * polynomial(a, z, &c.c);
    Sum { up: scale(a, half, shifted), down: scale_down(a, half, shifted), r, sinh_rest, cosh_rest }
}

/// large (1 + cosh_rest) + small (r + sinh_rest), where `large` is `up` plus or minus `down`, rounded, and `small`
/// the other; |large| ≥ |small r|, or `large` is zero.
#[inline(always)]
fn addition<A: Algebra>(a: &A, [large, lost]: [A::F; 2], small: A::F, sum: &Sum<A>) -> A::F {
    let main = small * sum.r;
    let main_low = a.fma(small, sum.r, -main);
    let total = large + main;
    let rest = (main - (total - large)) + main_low + lost;
    total + a.fma(large, sum.cosh_rest, a.fma(small, sum.sinh_rest, rest))
}

/// sinh |x| with |x| = k ln 2 + r: sinh (k ln 2) cosh r + cosh (k ln 2) sinh r. Neither half of it is divided by
/// anything, and where k is zero sinh r is left.
#[inline(always)]
fn sinh<A: Algebra, const E: usize, const N: usize>(
    a: &A,
    x: A::F,
    exp: &Exp<E>,
    c: &IntegerTable<N>,
    [normal, most]: [f64; 2],
) -> A::F {
    let y = a.abs(x);
    let sum = split(a, y, exp, c);
    let large = sum.up - sum.down;
    let lost = (sum.up - large) - sum.down;
    let value = addition(a, [large, lost], sum.up + sum.down, &sum);
    let usual = a.le(y, a.f(normal));
    with_sign(a, a.slow_path(!usual, |a| half_exp(a, y, exp, most), value), x)
}

/// cosh |x| with |x| = k ln 2 + r: cosh (k ln 2) cosh r + sinh (k ln 2) sinh r.
#[inline(always)]
fn cosh<A: Algebra, const E: usize, const N: usize>(
    a: &A,
    x: A::F,
    exp: &Exp<E>,
    c: &IntegerTable<N>,
    [normal, most]: [f64; 2],
) -> A::F {
    let y = a.abs(x);
    let sum = split(a, y, exp, c);
    let large = sum.up + sum.down;
    let lost = (sum.up - large) + sum.down;
    let value = addition(a, [large, lost], sum.up - sum.down, &sum);
    let usual = a.le(y, a.f(normal));
    a.slow_path(!usual, |a| half_exp(a, y, exp, most), value)
}

/// sinh x. Measured: at most 0.94 ulp over all 2^32 inputs.
#[inline(always)]
pub fn sinh32<A: Algebra>(a: &A, x: A::F) -> A::F {
    sinh(a, x, &EXP32, &NEAR32, [87.25, 90.0])
}

/// sinh x. Measured: at most 0.84 ulp over 2·10^8 random inputs of all binades.
#[inline(always)]
pub fn sinh64<A: Algebra>(a: &A, x: A::F) -> A::F {
    sinh(a, x, &EXP64, &NEAR64, [708.0, 711.0])
}

/// cosh x. Measured: at most 0.75 ulp over all 2^32 inputs.
#[inline(always)]
pub fn cosh32<A: Algebra>(a: &A, x: A::F) -> A::F {
    cosh(a, x, &EXP32, &NEAR32, [87.25, 90.0])
}

/// cosh x. Measured: at most 0.89 ulp over 2·10^8 random inputs of all binades.
#[inline(always)]
pub fn cosh64<A: Algebra>(a: &A, x: A::F) -> A::F {
    cosh(a, x, &EXP64, &NEAR64, [708.0, 711.0])
}
