//! x^y for real x and y.
//!
//! |x|^y = e^(y log |x|), where an error of the logarithm counts y times: so the logarithm is an
//! unevaluated sum of two floats, good to about 2^-65 (f32: 2^-36) of itself, and so is its product
//! with y (the plan of Cody & Waite 1980, chapter 7, in double-length arithmetic after Dekker 1971). In f32
//! both are binary: 2^(y log₂ |x|) needs no multiple of ln 2, neither of the logarithm nor of the power.
//! x = 2^k m and s = (m − 1) / (m + 1) as in the logarithm, and log m = 2s + s³ (⅔ + s² P(s²)), with s,
//! s³ and the bracket in double length.

use super::algebra::Algebra;
use super::exp::{EXP64, Reduced, exp_reduced, reduce, scale, scale_twice};
use super::format::{Format, infinity, nan, polynomial, two_to};
use super::log::{LOG32, LOG64, Log, split};

/// The constants of one format, beside those of the exponential and the logarithm.
struct Power<const N: usize> {
    /// ⅔ in two parts.
    two_thirds: [f64; 2],
    /// log((1 + s) / (1 − s)) = 2s + s³ (⅔ + s² P(s²)), from `conformance/oracle/minimax.py power_log`.
    p: [f64; N],
}

/// f32: P is good to 2^-43.7 of the logarithm.
const POWER32: Power<4> = Power {
    two_thirds: [0.6666666865348816, -1.9868215517249155e-08],
    p: [0.3999999761581421, 0.28571972250938416, 0.22179719805717468, 0.19556984305381775],
};

/// f64: P is good to 2^-73.5 of the logarithm.
const POWER64: Power<8> = Power {
    two_thirds: [0.6666666666666666, 3.700743415417188e-17],
    p: [
        0.3999999999999998,
        0.2857142857144384,
        0.22222222217789814,
        0.1818181884396922,
        0.15384558431160644,
        0.1333626436507577,
        0.11675783954635015,
        0.1198172320592849,
    ],
};

/// log(2^k m) as a sum of two floats.
#[inline(always)]
fn long_log<A: Algebra, const N: usize>(
    a: &A,
    k: A::F,
    m: A::F,
    log: &Log,
    c: &Power<N>,
) -> (A::F, A::F) {
    let two = a.f(2.0);
    // s = f / (2 + f) with its error: the remainder of the quotient and what the denominator lost.
    let f = m - a.f(1.0);
    let below = two + f;
    let below_low = f - (below - two);
    let inverse = a.f(1.0) / below;
    let s = f * inverse;
    let s_low = a.fma(-s, below_low, a.fma(-s, below, f)) * inverse;
    let z = s * s;
    let z_low = a.fma(two * s, s_low, a.fma(s, s, -z));
    let cube = z * s;
    let cube_low = a.fma(s, z_low, a.fma(z, s_low, a.fma(z, s, -cube)));
    let [high, low] = c.two_thirds;
    let p = polynomial(a, z, &c.p);
    let rest = z * p;
    let rest_low = a.fma(z_low, p, a.fma(z, p, -rest));
    let bracket = a.f(high) + rest;
    let bracket_low = (rest - (bracket - a.f(high))) + (a.f(low) + rest_low);
    let tail = cube * bracket;
    let tail_low = a.fma(cube_low, bracket, a.fma(cube, bracket_low, a.fma(cube, bracket, -tail)));
    // k ln 2 + 2s + tail, each the larger of what follows, or k is zero.
    let base = k * a.f(log.ln2_high);
    let twice = s + s;
    let first = base + twice;
    let first_low = (base - first) + twice;
    let second = first + tail;
    let second_low = (first - second) + tail;
    let low = first_low + second_low + a.fma(k, a.f(log.ln2_low), a.fma(two, s_low, tail_low));
    let sum = second + low;
    (sum, low - (sum - second))
}

/// log x of a positive normal number as a sum of two floats.
#[inline(always)]
pub fn log_parts<A: Algebra>(a: &A, x: A::F) -> (A::F, A::F) {
    if A::WIDTH == 32 {
        let (k, m) = split(a, a.bits(x), &LOG32);
        long_log(a, k, a.float(m), &LOG32, &POWER32)
    } else {
        let (k, m) = split(a, a.bits(x), &LOG64);
        long_log(a, k, a.float(m), &LOG64, &POWER64)
    }
}

/// |x|^y before it is brought to scale: p 2^k.
struct Scaled<A: Algebra> {
    p: A::F,
    /// k plus the format's magic number: its low bits are k as an integer.
    steps: A::F,
    /// k.
    exponent: A::F,
    /// The logarithm of the result, to a base of its own.
    log: A::F,
}

/// Limits of [`Scaled::log`]: results are normal numbers while its magnitude is at most the first; all zero and all
/// infinite below and above the others.
struct Limits {
    normal: f64,
    least: f64,
    most: f64,
}

/// x^y, where `power` is k, m and y to (2^k m)^y for a positive normal number 2^k m.
#[inline(always)]
fn pow<A: Algebra>(
    a: &A,
    x: A::F,
    y: A::F,
    splitting: &Log,
    limits: &Limits,
    power: impl Fn(&A, A::F, A::F, A::F) -> Scaled<A>,
) -> A::F {
    let format = Format::of(A::WIDTH);
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let base = a.abs(x);
    let size = a.abs(y);

    let span = a.u(format.infinity - format.normal);
    let special = !a.lt_u(a.bits(base) - a.u(format.normal), span);
    let small = a.lt(base, a.float(a.u(format.normal)));
    let lifted =
        a.slow_path(special, |a| a.select(small, base * a.f(two_to(splitting.lift)), base), base);
    let (k, m) = split(a, a.bits(lifted), splitting);
    let k = a.slow_path(special, |a| a.select(small, k - a.f(f64::from(splitting.lift)), k), k);
    let Scaled { p, steps, exponent, log } = power(a, k, a.float(m), y);

    // A whole y: rounding changes nothing, and the last bit of the rounded says whether it is odd. That
    // holds below a quarter of the magic number's binade; larger y are rare.
    let countable = a.lt(size, a.f((1u64 << (format.mantissa - 1)) as f64));
    let shifted = y + a.f(format.magic);
    let whole = a.eq(shifted - a.f(format.magic), y);
    let odd = a.bits(shifted) & a.u(1);
    let negative = a.lt(x, zero);

    let sign = (a.bits(x) & a.u(format.sign)) & (odd << (A::WIDTH as usize - 1));
    let value = a.float(a.bits(scale(a, p, steps)) | sign);
    let value = a.select(negative & !whole, nan(a), value);
    let usual = a.le(a.abs(log), a.f(limits.normal)) & countable & !special;
    a.slow_path(
        !usual,
        #[inline(always)]
        |a| {
            // Whole and odd, for all y. Up to 2^mantissa the last place of y is one half; there the
            // next bit decides. From 2^(mantissa + 1) on, infinity included, y is even.
            let unit = a.f((1u64 << format.mantissa) as f64);
            let word = a.bits(y);
            let halves = a.lt(size, unit);
            let fraction = a.select_u(halves, word & a.u(1), a.u(0));
            let whole = (countable & whole) | (!countable & a.eq_u(fraction, a.u(0)));
            let last = a.select_u(halves, word >> 1, word) & a.u(1);
            let odd = a.select_u(countable, odd, last);
            let odd = a.select_u(whole & a.lt(size, unit + unit), odd, a.u(0));

            let value = scale_twice(a, p, steps, exponent);
            let value = a.select(a.lt(log, a.f(limits.least)), zero, value);
            let value = a.select(a.lt(a.f(limits.most), log), infinity(a), value);
            // Bases of zero and infinity, and infinite exponents: zero or infinity by what grows.
            let up = a.lt(zero, y);
            let zero_base = a.eq(base, zero);
            let infinite_base = a.eq(base, infinity(a));
            let infinite_size = a.eq(size, infinity(a));
            let above_one = a.lt(one, base);
            let extreme = zero_base | infinite_base | infinite_size;
            let grows = (above_one & up) | (!above_one & !up);
            let value = a.select(extreme, a.select(grows, infinity(a), zero), value);
            let value = a.select(infinite_size & a.eq(base, one), one, value);
            let sign = (a.bits(x) & a.u(format.sign)) & (odd << (A::WIDTH as usize - 1));
            let value = a.float(a.bits(value) | sign);
            let value = a.select(negative & !whole & !extreme, nan(a), value);
            let value = a.select(a.is_nan(x) | a.is_nan(y), nan(a), value);
            // 1 to any power and anything to the power 0, NaN included.
            a.select(a.eq(y, zero) | a.eq(x, one), one, value)
        },
        value,
    )
}

/// (2^k m)^y by the natural logarithm and e^x, in f64.
#[inline(always)]
fn power64<A: Algebra>(a: &A, k: A::F, m: A::F, y: A::F) -> Scaled<A> {
    let (log_high, log_low) = long_log(a, k, m, &LOG64, &POWER64);
    // y log x, reduced; its second part can be larger than what the reduction lost, so it is added to r.
    let high = y * log_high;
    let low = a.fma(y, log_low, a.fma(y, log_high, -high));
    let Reduced { shifted: steps, k: exponent, r: rough, low: lost } = reduce(a, high, &EXP64);
    let r = rough + low;
    let r_low = lost + (low - (r - rough));
    Scaled { p: exp_reduced(a, r, r_low, &EXP64), steps, exponent, log: high }
}

/// log₂(2^k m) in f32, as a sum of two floats whose second may reach into the last places of the first: log₂ m =
/// s (2 / log 2 + s² (⅔ / log 2 + s² P(s²))), where k needs no multiplication. From
/// `conformance/oracle/minimax.py power_log2`; good to 2^-36.8.
#[inline(always)]
fn long_log2<A: Algebra>(a: &A, k: A::F, m: A::F) -> (A::F, A::F) {
    const FIRST: [f64; 2] = [2.885390043258667, 3.851926067000022e-08];
    const THIRD: [f64; 2] = [0.9617967009544373, -7.028461812552678e-09];
    const P: [f64; 3] = [0.5770801901817322, 0.4118499159812927, 0.33782076835632324];
    let two = a.f(2.0);
    // s = f / (2 + f) with its error: f - s (2 + f), of which f - 2s is exact.
    let f = m - a.f(1.0);
    let inverse = a.f(1.0) / (two + f);
    let s = f * inverse;
    let s_low = a.fma(-s, f, a.fma(-two, s, f)) * inverse;
    let z = s * s;
    let z_low = a.fma(s + s, s_low, a.fma(s, s, -z));
    let rest = a.fma(z, polynomial(a, z, &P), a.f(THIRD[1]));
    let third = a.f(THIRD[0]) + rest;
    let third_low = rest - (third - a.f(THIRD[0]));
    let tail = z * third;
    let tail_low = a.fma(z_low, third, a.fma(z, third_low, a.f(FIRST[1])));
    let tail_low = a.fma(z, third, -tail) + tail_low;
    let slope = a.f(FIRST[0]) + tail;
    let slope_low = (tail - (slope - a.f(FIRST[0]))) + tail_low;
    let log = s * slope;
    let log_low = a.fma(s_low, slope, a.fma(s, slope_low, a.fma(s, slope, -log)));
    // k is the larger, or zero.
    let sum = k + log;
    (sum, ((k - sum) + log) + log_low)
}

/// (2^k m)^y by the binary logarithm and 2^x, in f32: what is left beside a whole exponent is exact.
#[inline(always)]
fn power32<A: Algebra>(a: &A, k: A::F, m: A::F, y: A::F) -> Scaled<A> {
    // 2^r = 1 + r Q(r), good to 2^-28.3, from `conformance/oracle/minimax.py exp2`.
    const Q: [f64; 6] = [
        0.6931471824645996,
        0.24022647738456726,
        0.055503591895103455,
        0.009618498384952545,
        0.001339118811301887,
        0.00015330102178268135,
    ];
    let (log_high, log_low) = long_log2(a, k, m);
    let high = y * log_high;
    let low = a.fma(y, log_low, a.fma(y, log_high, -high));
    let magic = a.f(Format::of(32).magic);
    let steps = high + magic;
    let exponent = steps - magic;
    let r = (high - exponent) + low;
    Scaled { p: a.fma(r, polynomial(a, r, &Q), a.f(1.0)), steps, exponent, log: high }
}

/// x^y. Measured: at most 0.94 ulp over 8·10^8 random pairs.
#[inline(always)]
pub fn pow32<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    // Beyond 160 the factors of the result overflow or vanish by themselves, or may not be made any more.
    const LIMITS: Limits = Limits { normal: 125.5, least: -160.0, most: 160.0 };
    pow(a, x, y, &LOG32, &LIMITS, power32)
}

/// x^y. Measured: at most 0.80 ulp over 2·10^8 random pairs.
#[inline(always)]
pub fn pow64<A: Algebra>(a: &A, x: A::F, y: A::F) -> A::F {
    const LIMITS: Limits = Limits { normal: 708.0, least: -746.0, most: 710.0 };
    pow(a, x, y, &LOG64, &LIMITS, power64)
}
