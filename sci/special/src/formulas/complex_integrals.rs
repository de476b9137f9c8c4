//! Exponential, sine and cosine integrals, the dilogarithm and Lambert's W of complex numbers; spherical harmonics.

use ndany_core::formulas::algebra::Algebra;
use ndany_core::formulas::code;

use super::integrals::real_lambertw;
use super::legendre::sph_legendre_p;
use super::plane::*;
use super::support::*;

const PI: f64 = std::f64::consts::PI;

/// Σ z^n / (n n!) from n = 1 on.
#[inline(always)]
fn exponential_series<A: Algebra>(a: &A, (x, y): Pair<A>) -> Pair<A> {
    let goes_on = |a: &A, s: [A::F; 5]| {
        a.lt(a.f(1e-18) * (a.abs(s[3]) + a.abs(s[4])), a.abs(s[1]) + a.abs(s[2]))
    };
    let start = [a.f(1.0), x, y, x, y];
    let [_, _, _, sr, si] = a.repeat_while(200, start, goes_on, |a, [n, tr, ti, sr, si]| {
        let n = n + a.f(1.0);
        let (tr, ti) = mul(a, (tr, ti), (x / n, y / n));
        let inverse = a.f(1.0) / n;
        [n, tr, ti, a.fma(tr, inverse, sr), a.fma(ti, inverse, si)]
    });
    (sr, si)
}

/// E1: the power series where |z| < 1 and along the negative axis, there from |z| = 38 on the asymptotic series; elsewhere the continued
/// fraction (DLMF 6.6.2, 6.12.1, 6.9.1), whose length is by its rate of convergence.
fn e1<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let size = modulus(a, z);
    let (x, y) = z;
    // |z| + x without cancellation.
    let sum = a.select(a.lt(x, zero), y * (y / (size - x)), size + x);
    let beside = a.lt(sum, a.f(0.6));
    let near = a.lt(size, one);
    either(
        a,
        near | beside,
        |a| {
            let series = near | a.lt(size, a.f(38.0));
            either(
                a,
                series,
                |a| {
                    let log = clog(a, z);
                    let sum = exponential_series(a, minus(a, z));
                    // The sum of −(−z)^n / (n n!), less log z and Euler's constant.
                    (-sum.0 - log.0 - a.f(EULER), -sum.1 - log.1)
                },
                |a| {
                    let inverse = div(a, pair(a, -1.0, 0.0), z);
                    let goes_on = |a: &A, s: [A::F; 5]| {
                        a.lt(a.f(1e-17), a.abs(s[1]) + a.abs(s[2])) & a.lt(s[0], a.f(38.0))
                    };
                    let start = [zero, one, zero, one, zero];
                    let [_, _, _, sr, si] =
                        a.repeat_while(40, start, goes_on, |a, [n, tr, ti, sr, si]| {
                            let n = n + a.f(1.0);
                            let (tr, ti) = mul(a, (tr, ti), times(a, inverse, n));
                            [n, tr, ti, sr + tr, si + ti]
                        });
                    let main = times_exp(a, div(a, (sr, si), z), minus(a, z));
                    (main.0, main.1 - signed(a, a.f(PI), y))
                },
            )
        },
        |a| {
            let terms = a.floor(a.f(190.0) / sum) + a.f(10.0);
            let goes_on = |a: &A, [n, ..]: [A::F; 3]| a.lt(a.f(0.0), n);
            let (xx, yy) = (x + a.f(1.0), y);
            let start = [terms, zero, zero];
            let [_, fr, fi] = a.repeat_while(330, start, goes_on, |a, [n, fr, fi]| {
                // n² / (z + 2n + 1 − f).
                let (dr, di) = (xx + n + n - fr, yy - fi);
                let scale = n * n / a.fma(dr, dr, di * di);
                [n - a.f(1.0), dr * scale, -di * scale]
            });
            let value = div(a, (one, zero), (xx - fr, yy - fi));
            times_exp(a, value, minus(a, z))
        },
    )
}

/// A finite number that is not 0, or i in place of it.
#[inline(always)]
fn regular<A: Algebra>(a: &A, z: Pair<A>) -> (Pair<A>, A::B, A::B) {
    let zero = a.f(0.0);
    let finite = a.lt(a.abs(z.0), infinity(a)) & a.lt(a.abs(z.1), infinity(a));
    let origin = a.eq(z.0, zero) & a.eq(z.1, zero);
    (choose(a, finite & !origin, z, pair(a, 0.0, 1.0)), origin, !finite)
}

/// E1.
pub fn exp1<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let (inside, origin, endless) = regular(a, z);
    let value = e1(a, inside);
    let value = (value.0, a.select(a.eq(z.1, a.f(0.0)) & a.lt(a.f(0.0), z.0), a.f(0.0), value.1));
    let value = choose(a, origin, (infinity(a), a.f(0.0)), value);
    choose(a, endless, (nan(a), nan(a)), value)
}

/// Ei z = −E1(−z) ± iπ, above and below the real axis (DLMF 6.5.3), on which it is real.
pub fn expi<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let (inside, origin, endless) = regular(a, z);
    let (re, im) = e1(a, minus(a, inside));
    let im = signed(a, a.f(PI), z.1) - im;
    let im = a.select(a.eq(z.1, a.f(0.0)), z.1, im);
    let value = choose(a, origin, (-infinity(a), a.f(0.0)), (-re, im));
    choose(a, endless, (nan(a), nan(a)), value)
}

/// Shi z / z and Chi z − log z − γ by their series in z², or of the sign −1 those of Si and Ci.
fn odd_and_even_series<A: Algebra>(a: &A, z: Pair<A>, sign: f64) -> [Pair<A>; 2] {
    const ODD: [f64; 14] = integral_terms(1);
    const EVEN: [f64; 14] = integral_terms(2);
    let square = times(a, mul(a, z, z), a.f(sign));
    let even = mul(a, horner_of_pair(a, square, &EVEN), square);
    [horner_of_pair(a, square, &ODD), even]
}

/// 1 / (m m!) of m = first, first + 2, ….
const fn integral_terms(first: usize) -> [f64; 14] {
    let mut terms = [0.0; 14];
    let (mut k, mut factorial) = (0, 1.0);
    while k < 14 {
        let m = 2 * k + first;
        if k > 0 || first == 2 {
            factorial *= (m * (m - 1)) as f64;
        }
        terms[k] = 1.0 / (m as f64 * factorial);
        k += 1;
    }
    terms
}

/// Si and Ci of the right half plane by E1(±iz) (DLMF 6.5.5, 6.5.6), by series near 0; Si is odd, and Ci has ±iπ beside it on the left.
/// Of the sign +1 Shi and Chi, by z over ∓i.
#[inline(always)]
fn integrals<A: Algebra>(a: &A, z: Pair<A>, hyperbolic: bool) -> [Pair<A>; 2] {
    let (zero, half) = (a.f(0.0), a.f(0.5));
    let (inside, origin, endless) = regular(a, z);
    let small = a.lt(norm(a, inside), a.f(4.0));
    let sign = if hyperbolic { 1.0 } else { -1.0 };
    let [sr, si, cr, ci] = a.branch(
        small,
        |a| {
            let [odd, even] = odd_and_even_series(a, inside, sign);
            let odd = mul(a, odd, inside);
            let log = clog(a, inside);
            [odd.0, odd.1, even.0 + (log.0 + a.f(EULER)), even.1 + log.1]
        },
        |a| {
            let left = is_negative(a, inside.0);
            let right = choose(a, left, minus(a, inside), inside);
            // Along the imaginary axis Shi has E1 of both sides of its cut.
            let turned = if hyperbolic { right } else { times_i(a, right) };
            let (plus, other) = (e1(a, turned), e1(a, minus(a, turned)));
            let difference = sub(a, plus, other);
            let sum = times(a, add(a, plus, other), -half);
            let turn = signed(a, a.f(PI), turned.1);
            let (first, second) = if hyperbolic {
                let first = (half * difference.0, half * (difference.1 + turn));
                (first, (sum.0, sum.1 + half * turn))
            } else {
                // (E1(iz) − E1(−iz)) / 2i + π/2.
                let first = times(a, over_i(a, difference), half);
                ((first.0 + a.f(0.5 * PI), first.1), sum)
            };
            let first = choose(a, left, minus(a, first), first);
            let turn = a.select(left, signed(a, a.f(PI), z.1), a.f(0.0));
            [first.0, first.1, second.0, second.1 + turn]
        },
    );
    let real = a.eq(z.1, zero);
    // The real axis is mapped to itself, but for the second function's left half.
    let (first, second) = ((sr, a.select(real, z.1, si)), (cr, ci));
    let second = (cr, a.select(real & a.lt(zero, z.0), z.1, second.1));
    let first = choose(a, origin, (zero, zero), first);
    let second = choose(a, origin, (-infinity(a), zero), second);
    [choose(a, endless, (nan(a), nan(a)), first), choose(a, endless, (nan(a), nan(a)), second)]
}

/// Si and Ci.
pub fn sici<A: Algebra>(a: &A, z: Pair<A>) -> [Pair<A>; 2] {
    integrals(a, z, false)
}

/// Shi and Chi.
pub fn shichi<A: Algebra>(a: &A, z: Pair<A>) -> [Pair<A>; 2] {
    integrals(a, z, true)
}

/// The dilogarithm of 1 − z: by the series in powers of a logarithm with Bernoulli numbers (Cohen, Lewin & Zagier 1992), after a reflection
/// where |z| ≤ 1 and Re z ≤ 1/2, after an inversion where |z| > 1 and |1 − z| > 1 (DLMF 25.12.4, 25.12.6).
pub fn spence<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    const TERMS: [f64; 12] = [
        0.027777777777777776,
        -0.0002777777777777778,
        4.72411186696901e-06,
        -9.185773074661964e-08,
        1.8978869988971e-09,
        -4.0647616451442256e-11,
        8.921691020456452e-13,
        -1.9939295860721074e-14,
        4.518980029619918e-16,
        -1.0356517612181247e-17,
        2.395218621026187e-19,
        -5.581785874325009e-21,
    ];
    let one = a.f(1.0);
    // π²/6 in two parts.
    let sixth = (a.f(PI * PI / 6.0), a.f(3.040_672_350_398_476e-17));
    let (inside, origin, endless) = regular(a, z);
    // 1 − z and its rounding.
    let (re, re_low) = two_sum(one, -inside.0);
    let reflected = a.le(norm(a, inside), one) & a.le(inside.0, a.f(0.5));
    let inverted = !reflected & a.lt(one, a.fma(re, re, inside.1 * inside.1));
    // log z, and the logarithm of 1 − z or, for the inversion, of z − 1.
    let first = clog(a, inside);
    let (x, y) = choose(a, inverted, (-re, inside.1), (re, -inside.1));
    let x_low = a.select(inverted, -re_low, re_low);
    let apart = a.eq(x, a.f(0.0)) & a.eq(y, a.f(0.0));
    let x = a.select(apart, one, x);
    let second = (log_length(a, x, Some(x_low), y), a.call(code::Atan2, &[y, x]));
    // −log(1 − t) of t = z, 1 − z or 1/(1 − z).
    let u = choose(a, reflected, minus(a, second), minus(a, first));
    let u = choose(a, inverted, sub(a, second, first), u);
    let square = mul(a, u, u);
    let cubic = mul(a, mul(a, horner_of_pair(a, square, &TERMS), square), u);
    let value = add(a, u, sub(a, cubic, times(a, square, a.f(0.25))));
    // π²/6 less the product of both logarithms, or −π²/6 less half the square of the second one.
    let factor = choose(a, inverted, times(a, second, a.f(0.5)), first);
    let sign = |x: A::F| a.select(inverted, -x, x);
    let re = dot(
        a,
        [(sign(sixth.0), one), (-factor.0, second.0), (factor.1, second.1), (-one, value.0)],
    );
    let im = dot(a, [(-factor.0, second.1), (-factor.1, second.0), (-one, value.1)]);
    let other = (re.0 + (re.1 + sign(sixth.1)), im.0 + im.1);
    let value = choose(a, reflected | inverted, other, value);
    let value = choose(a, origin, (sixth.0, a.f(0.0)), value);
    choose(a, endless, (nan(a), nan(a)), value)
}

/// W at the branch point, in powers of p = √(2 (e z + 1)) (Corless et al. 1996).
const AT_BRANCH: [f64; 16] = [
    -1.0,
    1.0,
    -0.3333333333333333,
    0.1527777777777778,
    -0.07962962962962963,
    0.044502314814814814,
    -0.02598471487360376,
    0.01563563253233392,
    -0.009616892024299432,
    0.006014543252956118,
    -0.0038112980348919993,
    0.0024408779911439826,
    -0.0015769303446867841,
    0.0010262633205076071,
    -0.0006720616311561362,
    0.0004424730618146209,
];

/// W with one more of Newton's steps, where |W + 1| < 1 or |W| < 0.8: there the residual is a series without cancellation. Beside the branch point,
/// with W = δ − 1, it is 1 + (δ − 1) e^δ less e z + 1; beside 0 it is W − z and W (e^W − 1).
#[inline(always)]
fn polished<A: Algebra>(a: &A, w: Pair<A>, z: Pair<A>, above: Pair<A>) -> Pair<A> {
    let one = a.f(1.0);
    let delta = (w.0 + one, w.1);
    let size = norm(a, w);
    let beside_branch = a.lt(norm(a, delta), one) & a.lt(a.f(0.25), size);
    let beside_zero = !beside_branch & a.lt(size, a.f(0.64));
    let x = choose(a, beside_branch, delta, w);
    let x = choose(a, beside_branch | beside_zero, x, (one, a.f(0.0)));
    // Over x²: Σ xⁿ (n + 1)/(n + 2)! and Σ xⁿ/(n + 1)!.
    let mut sum = (a.f(0.0), a.f(0.0));
    for n in (0..RESIDUAL.len()).rev() {
        let [of_branch, of_zero] = RESIDUAL[n].map(|value| a.f(value));
        let term = a.select(beside_branch, of_branch, of_zero);
        sum = (a.fma(sum.0, x.0, a.fma(-sum.1, x.1, term)), a.fma(sum.0, x.1, sum.1 * x.0));
    }
    let term = mul(a, mul(a, x, x), sum);
    // The slopes are δ e^δ and (1 + W) e^W; e^δ is e z/W and e^W is z/W.
    let first = choose(a, beside_branch, minus(a, above), sub(a, w, z));
    let residual = add(a, first, term);
    let scale = choose(a, beside_branch, (above.0 - one, above.1), z);
    let slope = mul(a, delta, scale);
    let step = div(a, mul(a, residual, w), slope);
    let near = (delta.0 - step.0, delta.1 - step.1);
    let near = choose(a, beside_branch, (near.0 - one, near.1), sub(a, w, step));
    choose(a, beside_branch | beside_zero, near, w)
}

/// (n + 1)/(n + 2)! and 1/(n + 1)!.
const RESIDUAL: [[f64; 2]; 20] = {
    let mut terms = [[0.0; 2]; 20];
    let (mut n, mut factorial) = (0, 1.0);
    while n < terms.len() {
        factorial *= (n + 1) as f64;
        terms[n] = [(n + 1) as f64 / (factorial * (n + 2) as f64), 1.0 / factorial];
        n += 1;
    }
    terms
};

/// The solution of w = g(w), where g is z e^−w, by Halley's steps; the start itself where it is said to be exact.
#[inline(always)]
fn halley<A: Algebra>(
    a: &A,
    start: Pair<A>,
    is_exact: A::B,
    power: impl Fn(&A, Pair<A>) -> Pair<A>,
) -> Pair<A> {
    let state = [start.0, start.1, a.f(1.0), a.f(0.0)];
    let goes_on = |a: &A, [wr, wi, sr, si]: [A::F; 4]| {
        let size = a.abs(wr) + a.abs(wi);
        !is_exact & a.lt(a.f(1e-9) * size, a.abs(sr) + a.abs(si))
    };
    let [wr, wi, _, _] = a.repeat_while(40, state, goes_on, |a, [wr, wi, _, _]| {
        let f = sub(a, (wr, wi), power(a, (wr, wi)));
        let up = (wr + a.f(1.0), wi);
        let curve = div(a, mul(a, (wr + a.f(2.0), wi), f), (up.0 + up.0, up.1 + up.1));
        let step = div(a, f, sub(a, up, curve));
        [wr - step.0, wi - step.1, step.0, step.1]
    });
    (wr, wi)
}

/// The logarithm, once in a GPU's kernel.
fn clog_apart<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let [re, im] = apart(a, [z.0, z.1], |a, [x, y]| <[A::F; 2]>::from(clog(a, (x, y))));
    (re, im)
}

/// Wright's ω, the branch k of Lambert's W of e^z with k the number of turns of Im z: the series at the branch points −1 ± iπ, or
/// Halley's steps from e^z or z − log z (Lawrence, Corless & Jeffrey 2012).
pub fn wrightomega<A: Algebra>(a: &A, z: Pair<A>) -> Pair<A> {
    let (zero, one, pi) = (a.f(0.0), a.f(1.0), a.f(PI));
    let (inside, origin, endless) = regular(a, z);
    let inside = choose(a, origin, (zero, zero), inside);
    let height = a.abs(inside.1);
    // From the branch point of the own half plane, with the rounding of π made good; e z + 1 is −(e^δ − 1).
    let delta = (inside.0 + one, (height - pi) - a.f(1.224_646_799_147_353_2e-16));
    let beside = a.lt(norm(a, delta), a.f(1.0));
    let safe = choose(a, beside, delta, (zero, zero));
    let less = expm1_of_pair(a, safe);
    let p = csqrt(a, times(a, less, a.f(-2.0)));
    // csqrt has its cut where δ is positive: from below it is the principal branch, and beyond the other one with the sign turned.
    let p = choose(a, a.lt(zero, delta.1), minus(a, p), p);
    let series = horner_of_pair(a, p, &AT_BRANCH);
    let series = (series.0, signed_like(a, series.1, inside.1));
    let at_point = beside & a.lt(norm(a, p), a.f(0.0169));
    // In the strip on the left from e^z, elsewhere from logarithms.
    let strip = a.le(height, pi) & a.lt(inside.0, one);
    let limited = choose(a, strip, inside, (zero, zero));
    let first = clog1p(a, cexp(a, limited));
    let share = div(a, clog_apart(a, (first.0 + one, first.1)), (first.0 + a.f(2.0), first.1));
    let usual = mul(a, first, (one - share.0, -share.1));
    let tiny = a.lt(norm(a, inside), a.f(1e-4));
    let far = sub(a, inside, clog_apart(a, choose(a, tiny, (one, zero), inside)));
    let start = choose(a, strip, usual, far);
    let start = choose(a, beside, series, start);
    let value =
        halley(a, start, at_point, |a, w| times_exp(a, (a.f(1.0), a.f(0.0)), sub(a, inside, w)));
    let value = (value.0, a.select(a.eq(z.1, zero), z.1, value.1));
    // Far on the left of the strip it is e^z, and 0 at the end.
    let small = strip & a.lt(inside.0, a.f(-40.0));
    let value = choose(a, small, cexp(a, limited), value);
    let none = a.eq(z.0, -infinity(a)) & a.le(a.abs(z.1), pi);
    let value = choose(a, endless, z, value);
    let value = choose(a, none, (zero, zero), value);
    choose(a, has_nan(a, z), (nan(a), nan(a)), value)
}

/// The negative of `x` where `of` is negative.
#[inline(always)]
fn signed_like<A: Algebra>(a: &A, x: A::F, of: A::F) -> A::F {
    a.select(is_negative(a, of), -x, x)
}

/// The branch k of Lambert's W: the series at the branch point, or Halley's steps from it or from logarithms (Corless et al. 1996).
pub fn lambertw<A: Algebra>(a: &A, z: Pair<A>, k: A::F) -> Pair<A> {
    // The principal branch is real from −1/e on.
    let real =
        a.eq(k, a.f(0.0)) & a.eq(z.1, a.f(0.0)) & a.le(a.f(-std::f64::consts::E.recip()), z.0);
    let [re, im] = a.branch(
        real,
        #[inline(always)]
        |a| [real_lambertw(a, z.0), z.1],
        |a| {
            let (re, im) = lambertw_in_plane(a, z, k);
            [re, im]
        },
    );
    (re, im)
}

/// The same of any number.
fn lambertw_in_plane<A: Algebra>(a: &A, z: Pair<A>, k: A::F) -> Pair<A> {
    let (zero, one, half) = (a.f(0.0), a.f(1.0), a.f(0.5));
    let (inside, origin, _) = regular(a, z);
    let e = std::f64::consts::E;
    let above = a.fma(inside.0, a.f(e), one) + inside.0 * a.f(1.445_646_891_729_250_2e-16);
    let square = (above + above, inside.1 * a.f(2.0 * e));
    let p = csqrt(a, square);
    let below = is_negative(a, inside.1);
    let principal = a.eq(k, zero);
    let lower = (a.eq(k, -one) & !below) | (a.eq(k, one) & below);
    let p = choose(a, lower, minus(a, p), p);
    let beside = (principal | lower) & a.lt(norm(a, square), a.f(2.7));
    let at_point = beside & a.lt(norm(a, p), a.f(0.0169));
    let series = horner_of_pair(a, p, &AT_BRANCH);
    // From logarithms.
    let log = clog_apart(a, inside);
    let log = (log.0, a.fma(k, a.f(2.0 * PI), log.1));
    let tiny = a.lt(norm(a, log), a.f(1e-4));
    let far = sub(a, log, clog_apart(a, choose(a, tiny, (one, zero), log)));
    let far = choose(a, tiny, pair(a, 0.567, 0.0), far);
    let first = clog_apart(a, (inside.0 + one, inside.1));
    let share = div(a, clog_apart(a, (first.0 + one, first.1)), (first.0 + a.f(2.0), first.1));
    let usual = mul(a, first, (one - share.0, -share.1));
    let right = principal & a.lt(a.f(-0.3), inside.0) & a.lt(norm(a, inside), a.f(9.0));
    let start = choose(a, right, usual, far);
    let start = choose(a, beside, series, start);
    let found = halley(a, start, at_point, |a, w| times_exp(a, inside, minus(a, w)));
    let (wr, wi) = choose(a, at_point, found, polished(a, found, inside, (above, half * square.1)));
    // The branches 0, and −1 or 1 beside the cut, are real on parts of the axis.
    let axis = a.eq(z.1, zero) & a.le(zero, above) & (principal | (lower & a.lt(z.0, zero)));
    let wi = a.select(axis, a.select(principal, z.1, zero), wi);
    let value = choose(a, principal & a.lt(norm(a, inside), a.f(1e-280)), inside, (wr, wi));
    let at_zero = a.select(principal, zero, -infinity(a));
    let value = choose(a, origin, (at_zero, zero), value);
    let endless = a.eq(a.abs(z.0), infinity(a)) | a.eq(a.abs(z.1), infinity(a));
    let angle = a.fma(k, a.f(2.0 * PI), a.call(code::Atan2, &[z.1, z.0]));
    let value = choose(a, endless, (infinity(a), angle), value);
    let lost = has_nan(a, z) | !is_whole(a, k) | !a.lt(a.abs(k), infinity(a));
    choose(a, lost, (nan(a), nan(a)), value)
}

/// The spherical harmonic of degree n and order m: the normalized Legendre function of cos θ, times e^(imφ) (DLMF 14.30.1).
pub fn sph_harm_y<A: Algebra>(a: &A, n: A::F, m: A::F, theta: A::F, phi: A::F) -> Pair<A> {
    let size = sph_legendre_p(a, n, m, theta);
    let angle = m * phi;
    let low = a.fma(m, phi, -angle);
    let (s, c) = (sin(a, angle), a.call(code::Cos, &[angle]));
    (size * a.fma(-s, low, c), size * a.fma(c, low, s))
}

/// x log y, 0 where x is 0 and y a number.
pub fn xlogy<A: Algebra>(a: &A, x: Pair<A>, y: Pair<A>) -> Pair<A> {
    product_with_log(a, x, y, clog(a, y))
}

/// x log(1 + y), 0 where x is 0 and y a number.
pub fn xlog1py<A: Algebra>(a: &A, x: Pair<A>, y: Pair<A>) -> Pair<A> {
    product_with_log(a, x, y, clog1p(a, y))
}

#[inline(always)]
fn product_with_log<A: Algebra>(a: &A, x: Pair<A>, y: Pair<A>, log: Pair<A>) -> Pair<A> {
    let zero = a.f(0.0);
    let none = a.eq(x.0, zero) & a.eq(x.1, zero) & !has_nan(a, y);
    choose(a, none, (zero, zero), mul(a, x, log))
}
