//! 16-bit floats: rounding, loads and stores by integer operations on wider floats, so that loops vectorize on
//! processors without these formats.

use std::marker::PhantomData;

use super::scalars::Op1;

/// Roundings to 16-bit formats; `T` is a marker for the format.
pub(super) struct F16;
pub(super) struct Bf16;
pub(super) struct Round<T>(PhantomData<T>);
pub(super) struct Narrow<T>(PhantomData<T>);
pub(super) struct Load16<T>(PhantomData<T>);
pub(super) struct Store16<T>(PhantomData<T>);

/// 2^-14, the least normal f16.
const LEAST_F16: f32 = 1.0 / 16384.0;

/// The magnitude of an f32 rounded to the nearest f16 value, by its bits: above 2^-14 thirteen fraction bits
/// are dropped; below, adding and subtracting 0.5 leaves multiples of 2^-24.
#[inline(always)]
fn round_magnitude_f16(magnitude: f32) -> f32 {
    let bits = magnitude.to_bits();
    let kept = (bits + 0xFFF + ((bits >> 13) & 1)) & !0x1FFF;
    let normal = if kept >= 0x4780_0000 { f32::INFINITY } else { f32::from_bits(kept) };
    let tiny = (magnitude + 0.5) - 0.5;
    if magnitude < LEAST_F16 { tiny } else { normal }
}

impl Op1 for Round<F16> {
    type In = f32;
    type Out = f32;
    #[inline(always)]
    fn apply(x: f32) -> f32 {
        let rounded = round_magnitude_f16(x.abs()).copysign(x);
        if x.is_nan() { x } else { rounded }
    }
}

impl Op1 for Round<Bf16> {
    type In = f32;
    type Out = f32;
    #[inline(always)]
    fn apply(x: f32) -> f32 {
        let bits = x.to_bits();
        let rounded = bits.wrapping_add(0x7FFF + ((bits >> 16) & 1)) & 0xFFFF_0000;
        if x.is_nan() { x } else { f32::from_bits(rounded) }
    }
}

/// An f64 without its last `gone` fraction bits, rounded to nearest even. `finite` maps the magnitude and the
/// kept bits to the value of the format.
#[inline(always)]
fn narrowed(x: f64, gone: u32, finite: impl Fn(f64, f64) -> f64) -> f32 {
    let magnitude = x.abs();
    let bits = magnitude.to_bits();
    let half = (1u64 << (gone - 1)) - 1 + ((bits >> gone) & 1);
    let kept = f64::from_bits(bits.wrapping_add(half) & !((1 << gone) - 1));
    let rounded = finite(magnitude, kept);
    (if x.is_nan() { x } else { rounded.copysign(x) }) as f32
}

impl Op1 for Narrow<F16> {
    type In = f64;
    type Out = f32;
    #[inline(always)]
    fn apply(x: f64) -> f32 {
        narrowed(x, 42, |magnitude, kept| {
            let normal = if kept >= 65536.0 { f64::INFINITY } else { kept };
            let tiny = (magnitude + 268_435_456.0) - 268_435_456.0; // 2^28: multiples of 2^-24
            if magnitude < f64::from(LEAST_F16) { tiny } else { normal }
        })
    }
}

impl Op1 for Narrow<Bf16> {
    type In = f64;
    type Out = f32;
    #[inline(always)]
    fn apply(x: f64) -> f32 {
        // Values from 2^128 on, which `kept` may reach by rounding up, become infinite as f32.
        narrowed(x, 45, |magnitude, kept| {
            // 2^-126 is the least normal value. Below it, adding and subtracting 2^(52-133) leaves multiples
            // of 2^-133.
            let magic = f64::from_bits((1023 - 81) << 52);
            let tiny = (magnitude + magic) - magic;
            let least = f64::from_bits((1023 - 126) << 52);
            if magnitude < least { tiny } else { kept }
        })
    }
}

impl Op1 for Load16<F16> {
    type In = u16;
    type Out = f32;
    #[inline(always)]
    fn apply(x: u16) -> f32 {
        let magnitude = u32::from(x & 0x7FFF) << 13;
        // Exponents differ by 112; the product also normalizes subnormal values.
        let scaled = f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23);
        let special = f32::from_bits(magnitude | 0x7F80_0000);
        let value = if magnitude >= 0x0F80_0000 { special } else { scaled };
        f32::from_bits(value.to_bits() | (u32::from(x & 0x8000) << 16))
    }
}

impl Op1 for Load16<Bf16> {
    type In = u16;
    type Out = f32;
    #[inline(always)]
    fn apply(x: u16) -> f32 {
        f32::from_bits(u32::from(x) << 16)
    }
}

impl Op1 for Store16<F16> {
    type In = f32;
    type Out = u16;
    #[inline(always)]
    fn apply(x: f32) -> u16 {
        let sign = (x.to_bits() >> 16) as u16 & 0x8000;
        let rounded = round_magnitude_f16(x.abs());
        let normal = (rounded.to_bits().wrapping_sub(112 << 23) >> 13) as u16;
        // In the binade of 0.5, a unit in the last place is 2^-24.
        let tiny = ((rounded + 0.5).to_bits() & 0x7FF) as u16;
        let finite = if rounded < LEAST_F16 { tiny } else { normal };
        let value = if rounded == f32::INFINITY { 0x7C00 } else { finite };
        if x.is_nan() { 0x7E00 } else { value | sign }
    }
}

impl Op1 for Store16<Bf16> {
    type In = f32;
    type Out = u16;
    #[inline(always)]
    fn apply(x: f32) -> u16 {
        let rounded = (Round::<Bf16>::apply(x).to_bits() >> 16) as u16;
        if x.is_nan() { 0x7FC0 } else { rounded }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scalars::samples;
    use super::*;
    use ndany_core::float as round;

    #[test]
    fn narrow_formats_round_as_the_reference_does() {
        for bits in samples() {
            let x = f32::from_bits(bits as u32);
            // Exponents near the 16-bit range, which uniform bits rarely have.
            let near =
                f64::from_bits((bits & 0x800F_FFFF_FFFF_FFFF) | (((bits >> 52) % 60 + 990) << 52));
            let small =
                f64::from_bits((bits & 0x800F_FFFF_FFFF_FFFF) | (((bits >> 52) % 20 + 885) << 52));
            if x.is_nan() {
                continue;
            }
            assert_eq!(Store16::<F16>::apply(x), round::f32_to_f16(x).to_bits(), "{x:e}");
            assert_eq!(Store16::<Bf16>::apply(x), round::f32_to_bf16(x).to_bits(), "{x:e}");
            for y in [near, small, f64::from_bits(bits)] {
                if !y.is_nan() {
                    assert_eq!(
                        Narrow::<F16>::apply(y).to_bits(),
                        round::f64_to_f16(y).to_f32().to_bits(),
                        "{y:e}"
                    );
                    assert_eq!(
                        Narrow::<Bf16>::apply(y).to_bits(),
                        round::f64_to_bf16(y).to_f32().to_bits(),
                        "{y:e}"
                    );
                    let z = y as f32;
                    assert_eq!(
                        Round::<F16>::apply(z).to_bits(),
                        round::f32_to_f16(z).to_f32().to_bits(),
                        "{z:e}"
                    );
                }
            }
        }
        for bits in 0..=u16::MAX {
            let half = half::f16::from_bits(bits);
            if !half.is_nan() {
                assert_eq!(Load16::<F16>::apply(bits).to_bits(), half.to_f32().to_bits());
                assert_eq!(Store16::<F16>::apply(half.to_f32()), bits);
            }
        }
    }
}
