//! Formats of floats: what a dtype keeps of a number, and rounding to it.
//!
//! A narrow float (16 bits) is computed in f32 and rounded at every step. `half` rounds f64 to f16 by way of f32 on some
//! machines (two roundings, and not the same on every CPU), so the conversions that promise bits are the project's own, in
//! integer arithmetic: once, ties to even. Source of the method: IEEE 754-2019, 4.3.1.

use crate::dtype::DType;
use half::{bf16, f16};

/// The format of a binary float of IEEE 754's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The bits of the fraction, without the leading one.
    pub fraction: u32,
    /// The exponent's bias, which is the exponent of the largest power of two.
    pub bias: i32,
}

impl Format {
    /// The format of a dtype of floats; `None` for every other dtype.
    pub const fn of(dtype: DType) -> Option<Format> {
        Some(match dtype {
            DType::F16 => Format { fraction: 10, bias: 15 },
            DType::BF16 => Format { fraction: 7, bias: 127 },
            DType::F32 => Format { fraction: 23, bias: 127 },
            DType::F64 => Format { fraction: 52, bias: 1023 },
            _ => return None,
        })
    }

    /// The distance from 1 to the next number.
    pub fn epsilon(self) -> f64 {
        2f64.powi(-(self.fraction as i32))
    }

    /// The largest finite number.
    pub fn largest(self) -> f64 {
        2f64.powi(self.bias) * (2.0 - self.epsilon())
    }

    /// The smallest positive number.
    pub fn smallest(self) -> f64 {
        // In two steps: the inverse of the least power of f64 is infinite.
        2f64.powi(1 - self.bias) * self.epsilon()
    }
}

/// Whether this is a float that is computed in f32 and rounded at every step.
pub const fn is_narrow(dtype: DType) -> bool {
    matches!(Format::of(dtype), Some(format) if format.fraction < 23)
}

/// The nearest value of a dtype of floats. A number of another dtype stays as it is.
pub fn rounded(dtype: DType, value: f64) -> f64 {
    match Format::of(dtype) {
        Some(_) => from_bits(dtype, to_bits(dtype, value)),
        None => value,
    }
}

/// The bits of the nearest value of a dtype of floats, or of complex numbers' parts.
#[inline]
pub fn to_bits(dtype: DType, value: f64) -> u64 {
    match dtype.part() {
        DType::F16 => u64::from(f64_to_f16(value).to_bits()),
        DType::BF16 => u64::from(f64_to_bf16(value).to_bits()),
        DType::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// The value of these bits of a dtype of floats, or of complex numbers' parts.
pub fn from_bits(dtype: DType, bits: u64) -> f64 {
    match (widened(dtype, bits as u16), dtype.part()) {
        (Some(value), _) => value.into(),
        (None, DType::F32) => f64::from(f32::from_bits(bits as u32)),
        (None, _) => f64::from_bits(bits),
    }
}

/// The value of these bits of a narrow float, in the f32 in which it is computed; `None` for every other dtype.
#[inline]
pub fn widened(dtype: DType, bits: u16) -> Option<f32> {
    match dtype {
        DType::F16 => Some(f16::from_bits(bits).to_f32()),
        DType::BF16 => Some(bf16::from_bits(bits).to_f32()),
        _ => None,
    }
}

/// The bits of a narrow float next to this f32; `None` for every other dtype.
#[inline]
pub fn narrowed(dtype: DType, value: f32) -> Option<u16> {
    match dtype {
        DType::F16 => Some(f32_to_f16(value).to_bits()),
        DType::BF16 => Some(f32_to_bf16(value).to_bits()),
        _ => None,
    }
}

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
    fn formats_say_the_extremes_of_their_types() {
        let of = |dtype| Format::of(dtype).expect("a float");
        assert_eq!(of(DType::F16).largest(), f16::MAX.to_f64());
        assert_eq!(of(DType::BF16).largest(), bf16::MAX.to_f64());
        assert_eq!(of(DType::F32).largest(), f64::from(f32::MAX));
        assert_eq!(of(DType::F64).largest(), f64::MAX);
        for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
            assert_eq!(of(dtype).smallest(), from_bits(dtype, 1), "{dtype}");
            assert_eq!(of(dtype).epsilon(), from_bits(dtype, to_bits(dtype, 1.0) + 1) - 1.0);
            assert_eq!(rounded(dtype, 1.0 / 3.0), from_bits(dtype, to_bits(dtype, 1.0 / 3.0)));
        }
        assert_eq!(Format::of(DType::I32), None);
        assert_eq!(rounded(DType::I32, 0.1), 0.1);
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
