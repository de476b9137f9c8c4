//! Rounding to f16 and bf16 in integer arithmetic, once, ties to even.
//!
//! `half` rounds f64 to f16 by way of f32 on some machines (two roundings, and not the same on every
//! CPU), so the conversions that promise bits are our own. Source of the method: IEEE 754-2019, 4.3.1.

use half::{bf16, f16};

/// Rounds the magnitude `bits` of a binary float with `mantissa` fraction bits and exponent bias
/// `bias` to one with `to_mantissa` fraction bits and bias `to_bias`; no NaN.
const fn narrow(bits: u64, mantissa: u32, bias: i32, to_mantissa: u32, to_bias: i32) -> u16 {
    let exponent = (bits >> mantissa) as i32;
    let fraction = bits & ((1 << mantissa) - 1);
    let infinity = ((2 * to_bias + 1) as u16) << to_mantissa;
    // The target's biased exponent; a subnormal source is far below either target's range or (bf16 of
    // f32) is subnormal in both, where exponents 0 and 1 mean the same power of two.
    let (significand, exponent) =
        if exponent == 0 { (fraction, 1) } else { (fraction | 1 << mantissa, exponent) };
    let target = exponent - bias + to_bias;
    // Bits to drop: the difference of the formats, and more where the result is subnormal.
    let drop = mantissa - to_mantissa + if target < 1 { (1 - target) as u32 } else { 0 };
    if drop > mantissa + 1 {
        return 0; // less than half of the smallest subnormal
    }
    let kept = significand >> drop;
    let rest = significand & ((1 << drop) - 1);
    let half = 1 << (drop - 1);
    let up = (rest > half || (rest == half && kept & 1 == 1)) as u64;
    // A carry out of the fraction moves into the exponent, as the encoding is monotone.
    let base = if target < 1 { 0 } else { (target as u64 - 1) << to_mantissa };
    let rounded = base + kept + up;
    if rounded >= infinity as u64 { infinity } else { rounded as u16 }
}

/// f64 to f16, rounded once.
pub fn f64_to_f16(value: f64) -> f16 {
    let sign = (value.to_bits() >> 48) as u16 & 0x8000;
    if value.is_nan() {
        return f16::NAN;
    }
    f16::from_bits(sign | narrow(value.abs().to_bits(), 52, 1023, 10, 15))
}

/// f64 to bf16, rounded once.
pub fn f64_to_bf16(value: f64) -> bf16 {
    let sign = (value.to_bits() >> 48) as u16 & 0x8000;
    if value.is_nan() {
        return bf16::NAN;
    }
    bf16::from_bits(sign | narrow(value.abs().to_bits(), 52, 1023, 7, 127))
}

/// f32 to f16, rounded once.
pub fn f32_to_f16(value: f32) -> f16 {
    let sign = (value.to_bits() >> 16) as u16 & 0x8000;
    if value.is_nan() {
        return f16::NAN;
    }
    f16::from_bits(sign | narrow(u64::from(value.abs().to_bits()), 23, 127, 10, 15))
}

/// f32 to bf16, rounded once.
pub fn f32_to_bf16(value: f32) -> bf16 {
    let sign = (value.to_bits() >> 16) as u16 & 0x8000;
    if value.is_nan() {
        return bf16::NAN;
    }
    bf16::from_bits(sign | narrow(u64::from(value.abs().to_bits()), 23, 127, 7, 127))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_f16_and_bf16_survives_the_way_up_and_down() {
        for bits in 0..=u16::MAX {
            let half = f16::from_bits(bits);
            let brain = bf16::from_bits(bits);
            if !half.is_nan() {
                assert_eq!(f64_to_f16(half.to_f64()).to_bits(), bits);
                assert_eq!(f32_to_f16(half.to_f32()).to_bits(), bits);
            }
            if !brain.is_nan() {
                assert_eq!(f64_to_bf16(brain.to_f64()).to_bits(), bits);
                assert_eq!(f32_to_bf16(brain.to_f32()).to_bits(), bits);
            }
        }
    }

    #[test]
    fn ties_go_to_even_and_only_one_rounding_happens() {
        // Halfway between 1 and the next f16, plus a bit that f32 would lose.
        let above_tie = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        assert_eq!(f64_to_f16(above_tie).to_bits(), 0x3c01);
        assert_eq!(f64_to_f16(1.0 + 2f64.powi(-11)).to_bits(), 0x3c00);
        assert_eq!(f64_to_f16(1.0 + 3.0 * 2f64.powi(-11)).to_bits(), 0x3c02);
        assert_eq!(f64_to_f16(65519.999).to_bits(), 0x7bff);
        assert_eq!(f64_to_f16(65520.0).to_bits(), 0x7c00);
        assert_eq!(f64_to_f16(2f64.powi(-25)).to_bits(), 0);
        assert_eq!(f64_to_f16(2f64.powi(-25) * 1.0001).to_bits(), 1);
        assert_eq!(f64_to_f16(-1e-300).to_bits(), 0x8000);
        assert_eq!(f64_to_bf16(f64::MAX).to_bits(), 0x7f80);
    }

    #[test]
    fn agrees_with_half_from_f32() {
        for step in 0..1u32 << 20 {
            let value = f32::from_bits(step.wrapping_mul(4099));
            if !value.is_nan() {
                assert_eq!(
                    f32_to_f16(value).to_bits(),
                    f16::from_f32(value).to_bits(),
                    "{value:e}"
                );
                assert_eq!(
                    f32_to_bf16(value).to_bits(),
                    bf16::from_f32(value).to_bits(),
                    "{value:e}"
                );
            }
        }
    }
}
