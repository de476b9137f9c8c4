//! Numbers of every kind, as values.

use crate::dtype::{DType, Kind};
use crate::float;

/// The value of a scalar, exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A boolean.
    Bool(bool),
    /// Any 64-bit integer, signed or unsigned.
    Int(i128),
    /// A float.
    Float(f64),
    /// A complex number.
    Complex(f64, f64),
}

/// The value of one element.
pub fn read_number(dtype: DType, element: &[u8]) -> Number {
    let part = dtype.part().size();
    let bits = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..part].copy_from_slice(&bytes[..part]);
        u64::from_le_bytes(word)
    };
    let float = |bytes: &[u8]| float::from_bits(dtype, bits(bytes));
    match dtype.kind() {
        Kind::Bool => Number::Bool(element[0] != 0),
        Kind::Int if dtype.is_unsigned() => Number::Int(bits(element).into()),
        Kind::Int => {
            let above = 64 - 8 * part;
            Number::Int(((bits(element) << above) as i64 >> above).into())
        }
        Kind::Float => Number::Float(float(element)),
        Kind::Complex => Number::Complex(float(element), float(&element[part..])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_every_dtype_are_read() {
        let cases: [(DType, &[u8], Number); 9] = [
            (DType::Bool, &[1], Number::Bool(true)),
            (DType::I8, &[0xff], Number::Int(-1)),
            (DType::U8, &[0xff], Number::Int(255)),
            (DType::I16, &[0, 0x80], Number::Int(-32768)),
            (DType::I64, &[0xff; 8], Number::Int(-1)),
            (DType::U64, &[0xff; 8], Number::Int(u64::MAX.into())),
            (DType::F16, &[0, 0x3c], Number::Float(1.0)),
            (DType::BF16, &[0x80, 0xbf], Number::Float(-1.0)),
            (DType::C64, &[0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0], Number::Complex(1.0, -2.0)),
        ];
        for (dtype, element, value) in cases {
            assert_eq!(read_number(dtype, element), value, "{dtype}");
        }
    }
}
