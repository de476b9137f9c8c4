//! The error function's relatives: scaled, inverse, imaginary, of the normal distribution; Dawson's integral, Owen's T.

use ndany_core::formulas::algebra::Algebra;

use super::coefficients::*;
use super::support::*;

const FRAC_2_SQRT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;
/// 1/√2, and what it lacks.
const HALF_ROOT: (f64, f64) = (std::f64::consts::FRAC_1_SQRT_2, -4.833646656726457e-17);

/// e^(x²) erfc x: (1 + 2x) times it is a polynomial of (x − 4)/(x + 4) (Shepherd & Laframboise 1981); of negative x by
/// reflection.
#[inline(always)]
pub fn erfcx<A: Algebra>(a: &A, x: A::F) -> A::F {
    let size = a.abs(x);
    let value = erfcx_of_positive(a, size);
    let [reflected] = a.branch(
        a.lt(x, a.f(0.0)),
        #[inline(always)]
        |a| [a.f(2.0) * exp_of_square(a, size, 1.0) - value],
        #[inline(always)]
        |_| [value],
    );
    reflected
}

#[inline(always)]
pub(crate) fn erfcx_of_positive<A: Algebra>(a: &A, x: A::F) -> A::F {
    let u = (x - a.f(4.0)) / (x + a.f(4.0));
    let usual = horner(a, u, &ERFCX) / a.fma(a.f(2.0), x, a.f(1.0));
    // The first term of the asymptotic series, where the quotient above may be of infinities.
    a.select(a.lt(x, a.f(1e9)), usual, a.f(0.5 * FRAC_2_SQRT_PI) / x)
}

/// The same of x from 0 to 1e100, with one division.
#[inline(always)]
pub(crate) fn erfcx_of_moderate<A: Algebra>(a: &A, x: A::F) -> A::F {
    let (shifted, twice) = (x + a.f(4.0), a.fma(a.f(2.0), x, a.f(1.0)));
    let inverse = a.f(1.0) / (shifted * twice);
    let u = (x - a.f(4.0)) * (twice * inverse);
    horner(a, u, &ERFCX) * (shifted * inverse)
}

/// The probability that a standard normal variable is at most x: erfc(−x/√2)/2, with the rounding of the argument made good.
#[inline(always)]
pub fn ndtr<A: Algebra>(a: &A, x: A::F) -> A::F {
    let t = -x * a.f(HALF_ROOT.0);
    let rest = a.fma(-x, a.f(HALF_ROOT.0), -t) - x * a.f(HALF_ROOT.1);
    // What is beyond 40 is 0 or 1 whatever the rest is.
    let rest = a.select(a.lt(a.abs(x), a.f(40.0)), rest, a.f(0.0));
    let slope = a.f(FRAC_2_SQRT_PI) * exp(a, -(t * t));
    a.f(0.5) * (erfc(a, t) - slope * rest)
}

/// log ndtr x by the scaled function erfcx of |x|/√2: below 0 its logarithm less x²/2, above 0 the logarithm of 1 less the other tail.
#[inline(always)]
pub fn log_ndtr<A: Algebra>(a: &A, x: A::F) -> A::F {
    let half = a.f(0.5);
    let scaled = half * erfcx_of_positive(a, a.abs(x) * a.f(HALF_ROOT.0));
    // The operand of the logarithm, and what is taken away from it.
    let [operand, rest] = a.branch(
        a.lt(x, a.f(0.0)),
        #[inline(always)]
        |_| [scaled, half * x * x],
        #[inline(always)]
        |a| {
            // What is beyond 40 is 0.
            let x = a.select(a.lt(x, a.f(40.0)), x, a.f(40.0));
            let square = x * x;
            let rest = a.fma(x, x, -square);
            let power = exp(a, -half * square);
            let tail = scaled * a.fma(power, -half * rest, power);
            // What rounding takes from 1 − tail, over it: at most half a unit of the last place of 1, so a few terms are enough.
            let one = a.f(1.0);
            let operand = one - tail;
            let lost = tail - (one - operand);
            [operand, lost * (one + tail) * a.fma(tail, tail, one)]
        },
    );
    // Negated, since the logarithm of a probability of 1 is −0.
    let value = -(rest - log(a, operand));
    a.select(a.eq(x, x), value, x)
}

/// erf⁻¹ x, of y = 1 − |x|.
#[inline(always)]
fn erfinv_of<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    erfinv_by(a, x, -log(a, y * (a.f(2.0) - y)))
}

/// erf⁻¹ x: x times polynomials of w = −log(1 − x²) up to 816 and of its root (in the manner of Giles 2010).
#[inline(always)]
fn erfinv_by<A: Algebra>(a: &A, x: A::F, w: A::F) -> A::F {
    let ratio = horner(a, w - a.f(1.25), &ERFINV);
    let beyond = |ends: f64| !a.lt(w, a.f(ends));
    let ratio = when(
        a,
        beyond(6.25),
        ratio,
        #[inline(always)]
        |a| {
            let s = a.sqrt(w);
            let r = a.f(1.0) / s;
            let value = horner(a, (s - a.f(3.25)) * a.f(1.0 / 0.75), &ERFINV_TAIL_1);
            let value = when(
                a,
                !a.lt(s, a.f(4.0)),
                value,
                #[inline(always)]
                |a| s * horner(a, (r - a.f(0.1875)) * a.f(16.0), &ERFINV_TAIL_2),
            );
            when(
                a,
                !a.lt(s, a.f(8.0)),
                value,
                #[inline(always)]
                |a| s * horner(a, (r - a.f(0.08)) * a.f(1.0 / 0.045), &ERFINV_TAIL_3),
            )
        },
    );
    x * a.select(a.eq(w, infinity(a)), w, ratio)
}

/// The inverse of erf.
#[inline(always)]
pub fn erfinv<A: Algebra>(a: &A, x: A::F) -> A::F {
    erfinv_of(a, x, a.f(1.0) - a.abs(x))
}

/// The inverse of erfc.
#[inline(always)]
pub fn erfcinv<A: Algebra>(a: &A, y: A::F) -> A::F {
    let x = a.f(1.0) - y;
    erfinv_of(a, x, a.select(a.lt(a.f(1.0), y), a.f(2.0) - y, y))
}

/// √2 times a number.
#[inline(always)]
fn times_root_2<A: Algebra>(a: &A, x: A::F) -> A::F {
    let product = a.fma(x, a.f(std::f64::consts::SQRT_2), x * a.f(-9.667293313452913e-17));
    a.select(a.lt(a.abs(x), infinity(a)), product, x)
}

/// The inverse of [`ndtr`].
#[inline(always)]
pub fn ndtri<A: Algebra>(a: &A, p: A::F) -> A::F {
    // −log(1 − x²) of x = 2p − 1, which is exact where it is small.
    let w = -log(a, a.f(4.0) * p * (a.f(1.0) - p));
    times_root_2(a, erfinv_by(a, p + p - a.f(1.0), w))
}

/// The inverse of [`log_ndtr`]: by the quantile of the smaller tail, whose logarithm is exact; below −800 Newton's steps on the
/// logarithm.
#[inline(always)]
pub fn ndtri_exp<A: Algebra>(a: &A, y: A::F) -> A::F {
    let (one, half) = (a.f(1.0), a.f(0.5));
    let (p, other) = (exp(a, y), -expm1(a, y));
    // 2p − 1, exact where it is small.
    let x = a.select(a.lt(p, half), p + p - one, one - (other + other));
    // −log(4 p (1 − p)): of a small p by its logarithm.
    let small = a.lt(y, a.f(-2.0));
    let log_p = a.select(small, y, log(a, p));
    let w = -(log_p + a.f(2.0 * std::f64::consts::LN_2) + log(a, other));
    let value = times_root_2(a, erfinv_by(a, x, w));
    let far = a.lt(y, a.f(-800.0));
    let start = when(
        a,
        far,
        value,
        #[inline(always)]
        |a| {
            // log ndtr(−t) is near −t²/2 − log(t √(2π)).
            let t = a.sqrt(a.f(-2.0) * y);
            -a.sqrt(a.f(-2.0) * (y + log(a, t) + a.f(super::gamma::LOG_ROOT_2PI)) + a.f(1.0))
        },
    );
    let state = [start, one];
    let [x, _] = a.repeat_while(
        12,
        state,
        #[inline(always)]
        |a, [x, step]| far & a.lt(a.f(1e-15) * a.abs(x), a.abs(step)),
        #[inline(always)]
        |a, [x, _]| {
            let scaled = erfcx_of_positive(a, -x * a.f(HALF_ROOT.0));
            let found = log(a, half * scaled) - half * x * x;
            // The slope of the logarithm is φ/Φ = √(2/π) / erfcx.
            let step = (found - y) * scaled * a.f(1.0 / 0.797_884_560_802_865_4);
            [x - step, step]
        },
    );
    a.select(a.eq(y, a.f(f64::NEG_INFINITY)), y, x)
}

/// Dawson's integral, by polynomials on three ranges.
#[inline(always)]
pub fn dawsn<A: Algebra>(a: &A, x: A::F) -> A::F {
    let size = a.abs(x);
    let [ratio] = a.branch(
        a.lt(size, a.f(2.5)),
        #[inline(always)]
        |a| [horner(a, (x * x - a.f(3.125)) * a.f(0.32), &DAWSN_1)],
        #[inline(always)]
        |a| {
            a.branch(
                a.lt(size, a.f(5.0)),
                #[inline(always)]
                |a| [horner(a, (size - a.f(3.75)) * a.f(0.8), &DAWSN_2) / size],
                #[inline(always)]
                |a| {
                    let inverse = a.f(1.0) / size;
                    let v = inverse * inverse;
                    [horner(a, (v - a.f(0.02)) * a.f(50.0), &DAWSN_3) * v]
                },
            )
        },
    );
    a.select(a.lt(size, a.f(1e100)), x * ratio, a.f(0.5) / x)
}

/// The imaginary error function: 2/√π e^(x²) times Dawson's integral.
#[inline(always)]
pub fn erfi<A: Algebra>(a: &A, x: A::F) -> A::F {
    let value = a.f(FRAC_2_SQRT_PI) * exp_of_square(a, x, 1.0) * dawsn(a, x);
    // Infinity times 0 at the ends.
    let end = a.select(a.lt(x, a.f(0.0)), -infinity(a), infinity(a));
    a.select(a.lt(a.f(27.0), a.abs(x)), end, value)
}

/// Owen's T: the integral that defines it, by Gauss's rule of 32 points for |a| ≤ 1, and by the reflection to 1/a beyond
/// (Owen 1956).
#[inline(always)]
pub fn owens_t<A: Algebra>(a: &A, h: A::F, slope: A::F) -> A::F {
    let (h, size) = (a.abs(h), a.abs(slope));
    let beyond = a.lt(a.f(1.0), size);
    let upper = a.select(beyond, h * size, h);
    let end = a.select(beyond, a.f(1.0) / size, size);
    let start = [a.f(0.0), a.f(0.0)];
    let goes_on = |a: &A, [_, sum]: [A::F; 2]| a.eq(sum, sum);
    let half = a.f(-0.5) * upper * upper;
    let [_, sum] = a.repeat_while(
        GAUSS_COUNT,
        start,
        goes_on,
        #[inline(always)]
        |a, [k, sum]| {
            // A float's bits, taken as an integer after 2^52 is added, are the index.
            let index = a.bits(k + a.f(4503599627370496.0)) & a.u(63);
            let x = end * a.float(a.table(&GAUSS_NODES, index));
            let weight = a.float(a.table(&GAUSS_WEIGHTS, index));
            let square = a.fma(x, x, a.f(1.0));
            [k + a.f(1.0), a.fma(weight / square, exp(a, half * square), sum)]
        },
    );
    let part = sum * end * a.f(1.0 / std::f64::consts::TAU);
    let (p, q) = (ndtr(a, -h), ndtr(a, -upper));
    // Φ(h) and Φ(ah) by their tails: what is left is T of the other slope.
    let reflected = a.f(0.5) * (p + q) - p * q - part;
    let value = a.select(beyond, reflected, part);
    let value = a.select(a.eq(size, infinity(a)), a.f(0.5) * p, value);
    a.select(a.lt(slope, a.f(0.0)), -value, value)
}
