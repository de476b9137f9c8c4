//! Sine, cosine, tangent, and sin πx / πx.
//!
//! x = n π/2 + r with |r| not much above π/4. Up to `Trig::ordinary`, by Cody & Waite's subtraction of
//! n π/2 in three parts, with fma (Muller et al., Handbook of Floating-Point Arithmetic, 2nd edition,
//! chapter 10); above, by Payne & Hanek's product of x with the bits of 2/π that matter (1983).
//! Both give r as an unevaluated sum of two floats. Sine and cosine of r are polynomials in r², both
//! computed, and n picks one and its sign. The tangent is their quotient, each in two floats.

use super::algebra::{Algebra, Table};
use super::format::{Format, infinity, nan, polynomial, two_to, with_sign};

/// The constants of one format.
pub(super) struct Trig<const S: usize, const C: usize> {
    two_over_pi: f64,
    /// π/2 in three parts. The second is positive in both formats: its product with n = 0 is then +0,
    /// and a zero x keeps its sign.
    half_pi: [f64; 3],
    /// Largest |x| reduced by subtraction. The float nearest to 2/π is off by 2^-25.7 (2^-54.6) of
    /// itself: up to here that moves r by less than 0.011 beyond π/4, where the polynomials are still fitted.
    /// The first step is exact, since a multiple of the last place of π/2 below 1 is a float.
    ordinary: f64,
    /// sin r = r + r³ S(r²), from `conformance/oracle/minimax.py`.
    pub(super) sine: [f64; S],
    /// cos r = 1 − r²/2 + r⁴ C(r²), from the same.
    pub(super) cosine: [f64; C],
    bits: &'static Table,
}

/// f32: sine to 2^-27.8, cosine to 2^-32.9 of the result.
pub(super) const TRIG32: Trig<3, 3> = Trig {
    two_over_pi: 0.6366197466850281,
    half_pi: [1.570796251296997, 7.549790126404332e-08, -1.7151245100058819e-15],
    ordinary: 262_144.0,
    sine: [-0.16666653752326965, 0.00833209790289402, -0.00019506023090798408],
    cosine: [0.04166664555668831, -0.0013887290842831135, 2.4428645701846108e-05],
    bits: &TWO_OVER_PI_32,
};

/// f64: sine to 2^-57.6, cosine to 2^-63.7 of the result.
pub(super) const TRIG64: Trig<6, 6> = Trig {
    two_over_pi: std::f64::consts::FRAC_2_PI,
    half_pi: [std::f64::consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33],
    ordinary: 1_099_511_627_776.0,
    sine: [
        -0.16666666666666624,
        0.008333333333320325,
        -0.00019841269828065533,
        2.7557313068529067e-06,
        -2.505065811327821e-08,
        1.5890885158906554e-10,
    ],
    cosine: [
        0.04166666666666658,
        -0.0013888888888870863,
        2.4801587287407343e-05,
        -2.755731374361674e-07,
        2.0875639469139473e-09,
        -1.1355262690662825e-11,
    ],
    bits: &TWO_OVER_PI_64,
};

/// π in two parts.
pub(super) const PI32: [f64; 2] = [3.1415927410125732, -8.742277657347586e-08];
pub(super) const PI64: [f64; 2] = [std::f64::consts::PI, 1.2246467991473532e-16];

/// The binary digits of 2/π after one word of zeros.
static TWO_OVER_PI_32: Table = Table {
    name: "two_over_pi_32",
    words: &[
        0x0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
        0xdebbc561, 0xb7246e3a,
    ],
};

/// The binary digits of 2/π after one word of zeros.
static TWO_OVER_PI_64: Table = Table {
    name: "two_over_pi_64",
    words: &[
        0x0,
        0xa2f9836e4e441529,
        0xfc2757d1f534ddc0,
        0xdb6295993c439041,
        0xfe5163abdebbc561,
        0xb7246e3a424dd2e0,
        0x06492eea09d1921c,
        0xfe1deb1cb129a73e,
        0xe88235f52ebb4484,
        0xe99c7026b45f7e41,
        0x3991d639835339f4,
        0x9c845f8bbdf9283b,
        0x1ff897ffde05980f,
        0xef2f118b5a0a6d1f,
        0x6d367ecf27cb09b7,
        0x4f463f669e5fea2d,
        0x7527bac7ebe5f17b,
        0x3d0739f78a5292ea,
        0x6bfb5fb11f8d5d08,
        0x56033046fc7b6bab,
    ],
};

/// x = n π/2 + r − low; of n, the lowest bits.
struct Angle<A: Algebra> {
    n: A::U,
    r: A::F,
    low: A::F,
}

/// By subtraction, for ordinary x.
#[inline(always)]
fn subtract<A: Algebra, const S: usize, const C: usize>(
    a: &A,
    x: A::F,
    c: &Trig<S, C>,
) -> Angle<A> {
    let magic = a.f(Format::of(A::WIDTH).magic);
    let shifted = a.fma(x, a.f(c.two_over_pi), magic);
    let k = shifted - magic;
    let rest = a.fma(k, a.f(-c.half_pi[0]), x);
    // The second product in two exact parts, since r may cancel down to its size.
    let second = k * a.f(c.half_pi[1]);
    let second_low = a.fma(k, a.f(c.half_pi[1]), -second);
    let r = rest - second;
    let low = second_low - ((rest - r) - second);
    Angle { n: a.bits(shifted), r, low: a.fma(k, a.f(c.half_pi[2]), low) }
}

/// By the bits of 2/π, for finite x above `Trig::ordinary`.
#[inline(always)]
fn multiply<A: Algebra, const S: usize, const C: usize>(
    a: &A,
    x: A::F,
    c: &Trig<S, C>,
) -> Angle<A> {
    let format = Format::of(A::WIDTH);
    let width = A::WIDTH as usize;
    let field = a.bits(a.abs(x));
    // |x| = significand 2^(exponent - bias - mantissa). Digits of 2/π whose product with it is a
    // multiple of 4 whole quadrants do not matter: the window starts after them. The word of zeros in
    // front of the table serves those x that need no digit dropped.
    let significand = (field & a.u(format.normal - 1)) | a.u(format.normal);
    let start =
        (field >> format.mantissa) - a.u(format.bias + format.mantissa as u64 + 2 - width as u64);
    let word = start >> (width.trailing_zeros() as usize);
    let shift = start & a.u(width as u64 - 1);
    let back = a.u(width as u64 - 1) - shift;
    let window = |i: u64| {
        let high = a.table(c.bits, word + a.u(i));
        let low = a.table(c.bits, word + a.u(i + 1));
        // In two steps, since a shift by the whole width is none.
        a.shl(high, shift) | a.shr(low >> 1, back)
    };
    let (first, second, third) = (window(0), window(1), window(2));
    // The product modulo 4 quadrants: two bits of n, then binary digits of the fraction.
    let middle = significand * second;
    let below = middle + a.mul_high(significand, third);
    let carry = a.select_u(a.lt_u(below, middle), a.u(1), a.u(0));
    let above = significand * first + a.mul_high(significand, second) + carry;
    // To the nearest quadrant; the fraction as a sign and a magnitude (short by one in the last digit).
    let n = (above + a.u(1 << (width - 3))) >> (width - 2);
    let above = above - (n << (width - 2));
    let negative = !a.eq_u(above >> (width - 1), a.u(0));
    let above = a.select_u(negative, !above, above);
    let below = a.select_u(negative, !below, below);
    // The magnitude in three parts that are exact floats, whatever cancelled in front.
    let extra = width - format.mantissa - 1;
    let rest = format.mantissa + 1 - extra;
    let unit = |bits: usize| two_to(-(bits as i32));
    let high = a.from_int(above >> extra) * a.f(unit(width - 2 - extra));
    let middle = ((above & a.u((1 << extra) - 1)) << rest) | (below >> (width - rest));
    let middle = a.from_int(middle) * a.f(unit(width - 2 + rest));
    let low = a.from_int(below & a.u((1 << (width - rest)) - 1)) * a.f(unit(2 * width - 2));
    let fraction = high + middle;
    let fraction_low = (middle - (fraction - high)) + low;
    // Times π/2, in two parts.
    let r = fraction * a.f(c.half_pi[0]);
    let lost = a.fma(fraction, a.f(c.half_pi[0]), -r);
    let lost = a.fma(fraction, a.f(c.half_pi[1]), lost);
    let low = a.fma(fraction_low, a.f(c.half_pi[0]), lost);
    // The signs of the fraction and of x.
    let below_zero = a.lt(x, a.f(0.0));
    let flipped = (negative & !below_zero) | (!negative & below_zero);
    let n = a.select_u(below_zero, a.u(0) - n, n);
    Angle { n, r: a.select(flipped, -r, r), low: a.select(flipped, low, -low) }
}

/// Sine and cosine of r − low: each a large part and what it misses.
struct Waves<A: Algebra> {
    sine: (A::F, A::F),
    cosine: (A::F, A::F),
}

#[inline(always)]
fn waves<A: Algebra, const S: usize, const C: usize>(
    a: &A,
    angle: &Angle<A>,
    c: &Trig<S, C>,
) -> Waves<A> {
    let &Angle { r, low, .. } = angle;
    let one = a.f(1.0);
    let z = r * r;
    let half = z * a.f(0.5);
    // 1 - z/2 with the error of the subtraction.
    let main = one - half;
    let lost = (one - main) - half;
    let cosine = lost + a.fma(z * z, polynomial(a, z, &c.cosine), r * low);
    // What is subtracted from r is never -0: sin(-0) is -0.
    let sine = a.fma(z * r, -polynomial(a, z, &c.sine), low * main);
    Waves { sine: (r, -sine), cosine: (main, cosine) }
}

/// Sine of the angle for `turn` = 0, cosine for 1.
#[inline(always)]
fn turned<A: Algebra, const S: usize, const C: usize>(
    a: &A,
    angle: Angle<A>,
    turn: u64,
    c: &Trig<S, C>,
) -> A::F {
    let Waves { sine, cosine } = waves(a, &angle, c);
    let n = angle.n + a.u(turn);
    let even = a.eq_u(n & a.u(1), a.u(0));
    let value = a.select(even, sine.0 + sine.1, cosine.0 + cosine.1);
    let sign = (n & a.u(2)) << (A::WIDTH as usize - 2);
    a.float(a.bits(value) ^ sign)
}

/// The quotient of two sums of two floats, with the sign that the larger parts say.
#[inline(always)]
pub(super) fn quotient<A: Algebra>(a: &A, above: (A::F, A::F), below: (A::F, A::F)) -> A::F {
    let inverse = a.f(1.0) / below.0;
    let first = above.0 * inverse;
    let rest = a.fma(-first, below.0, above.0) + a.fma(-first, below.1, above.1);
    with_sign(a, a.abs(a.fma(rest, inverse, first)), first)
}

#[inline(always)]
fn tan<A: Algebra, const S: usize, const C: usize>(a: &A, x: A::F, c: &Trig<S, C>) -> A::F {
    let ratio = |angle: Angle<A>| {
        let Waves { sine, cosine } = waves(a, &angle, c);
        let sum = |(main, rest): (A::F, A::F)| {
            let sum = main + rest;
            (sum, rest - (sum - main))
        };
        let (sine, cosine) = (sum(sine), sum(cosine));
        // A quarter turn on, -cos over sin.
        let even = a.eq_u(angle.n & a.u(1), a.u(0));
        let above = (a.select(even, sine.0, -cosine.0), a.select(even, sine.1, -cosine.1));
        let below = (a.select(even, cosine.0, sine.0), a.select(even, cosine.1, sine.1));
        quotient(a, above, below)
    };
    let usual = a.le(a.abs(x), a.f(c.ordinary));
    a.slow_path(
        !usual,
        #[inline(always)]
        |a| a.select(a.lt(a.abs(x), infinity(a)), ratio(multiply(a, x, c)), nan(a)),
        ratio(subtract(a, x, c)),
    )
}

/// sin πy for y ≥ 0, as a large part and what it misses, and whether y has no fraction at all or is no
/// number. The rest of y to a half is exact.
struct SinPi<A: Algebra> {
    sine: (A::F, A::F),
    whole: A::B,
}

#[inline(always)]
fn sin_pi_parts<A: Algebra, const S: usize, const C: usize>(
    a: &A,
    y: A::F,
    [pi, pi_low]: [f64; 2],
    c: &Trig<S, C>,
) -> SinPi<A> {
    let format = Format::of(A::WIDTH);
    let (zero, half, two) = (a.f(0.0), a.f(0.5), a.f(2.0));
    let magic = a.f(format.magic);
    let usual = a.lt(y, a.f((1u64 << (format.mantissa - 2)) as f64));
    // Less the even numbers, which are whole turns.
    let unit = a.f((1u64 << format.mantissa) as f64);
    let count = y * half;
    let rest = y - ((count + unit) - unit) * two;
    let rest = a.select(a.lt(count, unit), rest, zero);
    let rest = a.slow_path(!usual, |_| rest, y);
    let shifted = a.fma(rest, two, magic);
    let f = a.fma(shifted - magic, -half, rest);
    let r = f * a.f(pi);
    let low = -a.fma(f, a.f(pi_low), a.fma(f, a.f(pi), -r));
    let n = a.bits(shifted);
    let Waves { sine, cosine } = waves(a, &Angle { n, r, low }, c);
    let even = a.eq_u(n & a.u(1), a.u(0));
    let sign = (n & a.u(2)) << (A::WIDTH as usize - 2);
    let signed = |x: A::F| a.float(a.bits(x) ^ sign);
    let sine = (signed(a.select(even, sine.0, cosine.0)), signed(a.select(even, sine.1, cosine.1)));
    SinPi { sine, whole: !a.lt(y, unit + unit) }
}

/// sin πy for y ≥ 0 as a sum of two floats; zero for whole numbers, NaN for infinity and NaN.
#[inline(always)]
pub(super) fn sine_of_pi<A: Algebra>(a: &A, y: A::F) -> (A::F, A::F) {
    let SinPi { sine, whole } = if A::WIDTH == 32 {
        sin_pi_parts(a, y, PI32, &TRIG32)
    } else {
        sin_pi_parts(a, y, PI64, &TRIG64)
    };
    let sum = sine.0 + sine.1;
    let low = sine.1 - (sum - sine.0);
    let zero = a.f(0.0);
    let sum = a.slow_path(whole, |a| a.select(a.lt(y, infinity(a)), zero, nan(a)), sum);
    (sum, low)
}

/// sin πx / πx, with πx in two floats.
#[inline(always)]
fn sinc<A: Algebra, const S: usize, const C: usize>(
    a: &A,
    x: A::F,
    pi: [f64; 2],
    c: &Trig<S, C>,
) -> A::F {
    let (zero, one) = (a.f(0.0), a.f(1.0));
    let y = a.abs(x);
    let SinPi { sine, whole } = sin_pi_parts(a, y, pi, c);
    let [pi, pi_low] = pi.map(|part| a.f(part));
    let below = y * pi;
    let below_low = a.fma(y, pi_low, a.fma(y, pi, -below));
    // Below this the square of πx vanishes beside 1.
    let small = a.lt(y, a.f(two_to(-30)));
    let above = (a.select(small, one, sine.0), a.select(small, zero, sine.1));
    let below = (a.select(small, one, below), a.select(small, zero, below_low));
    let value = quotient(a, above, below);
    a.slow_path(whole, |a| a.select(a.lt(y, infinity(a)), zero, nan(a)), value)
}

#[inline(always)]
fn wave<A: Algebra, const S: usize, const C: usize>(
    a: &A,
    x: A::F,
    turn: u64,
    c: &Trig<S, C>,
) -> A::F {
    let usual = a.le(a.abs(x), a.f(c.ordinary));
    a.slow_path(
        !usual,
        #[inline(always)]
        |a| {
            let y = turned(a, multiply(a, x, c), turn, c);
            a.select(a.lt(a.abs(x), infinity(a)), y, nan(a))
        },
        turned(a, subtract(a, x, c), turn, c),
    )
}

/// sin x. Measured: at most 0.85 ulp over all 2^32 inputs.
#[inline(always)]
pub fn sin32<A: Algebra>(a: &A, x: A::F) -> A::F {
    wave(a, x, 0, &TRIG32)
}

/// sin x. Measured: at most 0.81 ulp over 2·10^8 random inputs of all binades.
#[inline(always)]
pub fn sin64<A: Algebra>(a: &A, x: A::F) -> A::F {
    wave(a, x, 0, &TRIG64)
}

/// cos x. Measured: at most 0.85 ulp over all 2^32 inputs.
#[inline(always)]
pub fn cos32<A: Algebra>(a: &A, x: A::F) -> A::F {
    wave(a, x, 1, &TRIG32)
}

/// cos x. Measured: at most 0.81 ulp over 2·10^8 random inputs of all binades.
#[inline(always)]
pub fn cos64<A: Algebra>(a: &A, x: A::F) -> A::F {
    wave(a, x, 1, &TRIG64)
}

/// tan x.
/// Measured: at most 0.99 ulp over inputs spread evenly among all 2^32.
#[inline(always)]
pub fn tan32<A: Algebra>(a: &A, x: A::F) -> A::F {
    tan(a, x, &TRIG32)
}

/// tan x.
/// Measured: at most 0.89 ulp over 2·10^5 random inputs or more.
#[inline(always)]
pub fn tan64<A: Algebra>(a: &A, x: A::F) -> A::F {
    tan(a, x, &TRIG64)
}

/// sin πx / πx, 1 at zero.
/// Measured: at most 1.00 ulp over 2.5·10^8 inputs, every 17th of all.
#[inline(always)]
pub fn sinc32<A: Algebra>(a: &A, x: A::F) -> A::F {
    sinc(a, x, PI32, &TRIG32)
}

/// sin πx / πx, 1 at zero.
/// Measured: at most 0.89 ulp over 2·10^5 random inputs or more.
#[inline(always)]
pub fn sinc64<A: Algebra>(a: &A, x: A::F) -> A::F {
    sinc(a, x, PI64, &TRIG64)
}
