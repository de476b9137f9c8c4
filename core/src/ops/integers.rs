//! Meanings of integers: common divisors and multiples, counting bits.
//!
//! Signed numbers go by their magnitude as unsigned ones, so the least integer is no special case; a
//! result that the signed type cannot hold wraps, as NumPy's does.

use super::lowering::LoweredValue;
use crate::program::{Builder, Prim, SsaValue};
use LoweredValue::Real;

/// The magnitude, as the unsigned type of the same width.
fn unsigned(x: SsaValue<'_>) -> SsaValue<'_> {
    let magnitude = if x.ty().is_signed() { x.builder().prim(Prim::Abs, &[x]) } else { x };
    magnitude.bitcast(x.ty().bits_type())
}

/// The greatest common divisor; of 0 and x it is |x|.
pub fn gcd<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let (x, y) = (v[0].real(), v[1].real());
    Real(b.prim(Prim::Gcd, &[unsigned(x), unsigned(y)]).bitcast(x.ty()))
}

/// The least common multiple, wrapping; 0 where either is 0.
pub fn lcm<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let (x, y) = (unsigned(v[0].real()), unsigned(v[1].real()));
    // A divisor of 0 means that both are 0, and 0 / 0 is 0.
    let multiple = (x / b.prim(Prim::Gcd, &[x, y])) * y;
    Real(multiple.bitcast(v[0].ty()))
}

/// How many bits of |x| are set, as U8: pairs, then nibbles, then bytes add up their bits.
pub fn bitwise_count<'b>(b: &'b Builder, v: &[LoweredValue<'b>]) -> LoweredValue<'b> {
    let x = unsigned(v[0].real());
    let (ty, width) = (x.ty(), 8 * x.ty().size());
    let repeated = |byte: u64| b.constant(ty, (byte * 0x0101_0101_0101_0101) >> (64 - width));
    let pairs = x - ((x >> 1) & repeated(0x55));
    let nibbles = (pairs & repeated(0x33)) + ((pairs >> 2) & repeated(0x33));
    let bytes = (nibbles + (nibbles >> 4)) & repeated(0x0F);
    // The product's highest byte is the sum of all bytes.
    let total = if width == 8 { bytes } else { (bytes * repeated(0x01)) >> (width - 8) };
    Real(total.cast(crate::program::RegType::U8))
}
