//! What formulas of both widths share: the layout of a format, and words built from primitives.

use super::algebra::Algebra;

/// The layout of a binary float format, as constants a formula can use for either width.
pub(super) struct Format {
    /// Stored significand bits: the shift that brings an integer into the exponent field.
    pub(super) mantissa: usize,
    /// 1.5 · 2^mantissa. Adding it rounds a small float to an integer, which then stands in the low
    /// bits of the sum; subtracting it again gives that integer as a float.
    pub(super) magic: f64,
    /// The exponent bias.
    pub(super) bias: u64,
    /// The bits of 1.
    pub(super) one: u64,
    /// The bits of infinity.
    pub(super) infinity: u64,
    /// The bits of the smallest normal number.
    pub(super) normal: u64,
    /// The sign bit.
    pub(super) sign: u64,
}

impl Format {
    /// The format of a width.
    #[inline(always)]
    pub(super) const fn of(width: u32) -> Self {
        if width == 32 {
            Self {
                mantissa: 23,
                magic: 12_582_912.0,
                bias: 127,
                one: 0x3f80_0000,
                infinity: 0x7f80_0000,
                normal: 0x0080_0000,
                sign: 0x8000_0000,
            }
        } else {
            Self {
                mantissa: 52,
                magic: 6_755_399_441_055_744.0,
                bias: 1023,
                one: 0x3ff0_0000_0000_0000,
                infinity: 0x7ff0_0000_0000_0000,
                normal: 0x0010_0000_0000_0000,
                sign: 0x8000_0000_0000_0000,
            }
        }
    }
}

/// 2^power, for a power among the normal numbers.
#[inline(always)]
pub(super) const fn two_to(power: i32) -> f64 {
    f64::from_bits(((power + 1023) as u64) << 52)
}

/// c[0] + c[1] x + … by Horner's rule, which has the fewest steps: loops over arrays have enough
/// independent elements in flight to hide its latency.
#[inline(always)]
pub(super) fn polynomial<A: Algebra, const N: usize>(a: &A, x: A::F, c: &[f64; N]) -> A::F {
    let mut sum = a.f(c[N - 1]);
    for i in (0..N - 1).rev() {
        sum = a.fma(sum, x, a.f(c[i]));
    }
    sum
}

/// `value`, which is not negative, with the sign of `of`.
#[inline(always)]
pub(super) fn with_sign<A: Algebra>(a: &A, value: A::F, of: A::F) -> A::F {
    let sign = a.u(Format::of(A::WIDTH).sign);
    a.float(a.bits(value) | (a.bits(of) & sign))
}

/// Positive infinity.
#[inline(always)]
pub(super) fn infinity<A: Algebra>(a: &A) -> A::F {
    a.float(a.u(Format::of(A::WIDTH).infinity))
}

/// A NaN.
#[inline(always)]
pub(super) fn nan<A: Algebra>(a: &A) -> A::F {
    let format = Format::of(A::WIDTH);
    a.float(a.u(format.infinity | (1 << (format.mantissa - 1))))
}
