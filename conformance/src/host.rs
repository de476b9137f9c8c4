//! Arrays as the judge sees them: a dtype, a shape and little-endian bytes in C order.
//!
//! Deliberately independent of the engine: a judge that reads values through the code it judges
//! would share its mistakes. No arithmetic on arrays lives here, only decoding.

use std::fmt;

use half::{bf16, f16};

/// The fifteen dtypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Dtype {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Float16,
    Bfloat16,
    Float32,
    Float64,
    Complex64,
    Complex128,
}

/// What a dtype's parts are made of, which decides how they compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One byte, 0 or 1.
    Bool,
    /// Two's complement of this many bytes.
    Int(usize),
    /// Unsigned of this many bytes.
    Uint(usize),
    /// A binary float with this many stored significand bits in this many bytes.
    Float {
        /// Bytes.
        size: usize,
        /// Stored bits of the significand.
        significand: u32,
    },
}

impl Part {
    /// Bytes of one part.
    pub const fn size(self) -> usize {
        match self {
            Part::Bool => 1,
            Part::Int(size) | Part::Uint(size) | Part::Float { size, .. } => size,
        }
    }
}

impl Dtype {
    /// Every dtype, in promotion order.
    pub const ALL: [Dtype; 15] = [
        Dtype::Bool,
        Dtype::Int8,
        Dtype::Int16,
        Dtype::Int32,
        Dtype::Int64,
        Dtype::Uint8,
        Dtype::Uint16,
        Dtype::Uint32,
        Dtype::Uint64,
        Dtype::Float16,
        Dtype::Bfloat16,
        Dtype::Float32,
        Dtype::Float64,
        Dtype::Complex64,
        Dtype::Complex128,
    ];

    /// NumPy's name.
    pub const fn name(self) -> &'static str {
        match self {
            Dtype::Bool => "bool",
            Dtype::Int8 => "int8",
            Dtype::Int16 => "int16",
            Dtype::Int32 => "int32",
            Dtype::Int64 => "int64",
            Dtype::Uint8 => "uint8",
            Dtype::Uint16 => "uint16",
            Dtype::Uint32 => "uint32",
            Dtype::Uint64 => "uint64",
            Dtype::Float16 => "float16",
            Dtype::Bfloat16 => "bfloat16",
            Dtype::Float32 => "float32",
            Dtype::Float64 => "float64",
            Dtype::Complex64 => "complex64",
            Dtype::Complex128 => "complex128",
        }
    }

    /// The dtype of this name.
    pub fn from_name(name: &str) -> Option<Dtype> {
        Dtype::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// What the parts are made of.
    pub const fn part(self) -> Part {
        match self {
            Dtype::Bool => Part::Bool,
            Dtype::Int8 => Part::Int(1),
            Dtype::Int16 => Part::Int(2),
            Dtype::Int32 => Part::Int(4),
            Dtype::Int64 => Part::Int(8),
            Dtype::Uint8 => Part::Uint(1),
            Dtype::Uint16 => Part::Uint(2),
            Dtype::Uint32 => Part::Uint(4),
            Dtype::Uint64 => Part::Uint(8),
            Dtype::Float16 => Part::Float { size: 2, significand: 10 },
            Dtype::Bfloat16 => Part::Float { size: 2, significand: 7 },
            Dtype::Float32 | Dtype::Complex64 => Part::Float { size: 4, significand: 23 },
            Dtype::Float64 | Dtype::Complex128 => Part::Float { size: 8, significand: 52 },
        }
    }

    /// Parts of one element: two for complex numbers, else one.
    pub const fn parts(self) -> usize {
        match self {
            Dtype::Complex64 | Dtype::Complex128 => 2,
            Dtype::Bool
            | Dtype::Int8
            | Dtype::Int16
            | Dtype::Int32
            | Dtype::Int64
            | Dtype::Uint8
            | Dtype::Uint16
            | Dtype::Uint32
            | Dtype::Uint64
            | Dtype::Float16
            | Dtype::Bfloat16
            | Dtype::Float32
            | Dtype::Float64 => 1,
        }
    }

    /// Bytes of one element.
    pub const fn size(self) -> usize {
        self.part().size() * self.parts()
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An array on the host. `bytes.len()` is `shape` times the dtype's size: [`HostArray::new`] checks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostArray {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// Bytes that do not fill a shape.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{got} bytes do not fill shape {shape:?} of {dtype}")]
pub struct WrongLength {
    dtype: Dtype,
    shape: Vec<usize>,
    got: usize,
}

impl HostArray {
    /// Bytes as an array.
    pub fn new(dtype: Dtype, shape: Vec<usize>, bytes: Vec<u8>) -> Result<Self, WrongLength> {
        let expected =
            shape.iter().try_fold(dtype.size(), |size, &extent| size.checked_mul(extent));
        if expected != Some(bytes.len()) {
            return Err(WrongLength { dtype, shape, got: bytes.len() });
        }
        Ok(Self { dtype, shape, bytes })
    }

    /// Its dtype.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Its shape.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.dtype.size()
    }

    /// No elements?
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bits of each part, zero-extended: one entry a real element, two a complex one.
    pub fn part_bits(&self) -> impl Iterator<Item = u64> + '_ {
        self.bytes.chunks_exact(self.dtype.part().size()).map(|bytes| {
            let mut wide = [0; 8];
            wide[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(wide)
        })
    }

    /// The value of each element as a complex double, for tolerances; 64-bit integers may round.
    pub fn complex_values(&self) -> Vec<(f64, f64)> {
        let part = self.dtype.part();
        let values: Vec<f64> =
            self.part_bits().map(|bits| part_value(part, self.dtype, bits)).collect();
        match self.dtype.parts() {
            2 => values.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect(),
            _ => values.into_iter().map(|value| (value, 0.0)).collect(),
        }
    }

    /// One element as text, for messages: floats as shortest round-trip decimals with their bits.
    pub fn element_text(&self, index: usize) -> String {
        let part = self.dtype.part();
        let texts: Vec<String> = self
            .part_bits()
            .skip(index * self.dtype.parts())
            .take(self.dtype.parts())
            .map(|bits| part_text(part, self.dtype, bits))
            .collect();
        match texts.as_slice() {
            [re, im] => format!("({re}, {im})"),
            [one] => one.clone(),
            _ => "(no such element)".to_owned(),
        }
    }

    /// The first elements as text.
    pub fn preview(&self, at_most: usize) -> String {
        let shown: Vec<String> =
            (0..self.len().min(at_most)).map(|index| self.element_text(index)).collect();
        let more = if self.len() > at_most { ", …" } else { "" };
        format!("{}{:?} [{}{more}]", self.dtype, self.shape, shown.join(", "))
    }
}

/// The signed value of two's complement bits of `size` bytes.
pub fn int_value(size: usize, bits: u64) -> i64 {
    let shift = 64 - 8 * size as u32;
    ((bits << shift) as i64) >> shift
}

fn part_value(part: Part, dtype: Dtype, bits: u64) -> f64 {
    match part {
        Part::Bool | Part::Uint(_) => bits as f64,
        Part::Int(size) => int_value(size, bits) as f64,
        Part::Float { size: 2, .. } if dtype == Dtype::Bfloat16 => {
            bf16::from_bits(bits as u16).to_f64()
        }
        Part::Float { size: 2, .. } => f16::from_bits(bits as u16).to_f64(),
        Part::Float { size: 4, .. } => f64::from(f32::from_bits(bits as u32)),
        Part::Float { .. } => f64::from_bits(bits),
    }
}

fn part_text(part: Part, dtype: Dtype, bits: u64) -> String {
    match part {
        Part::Bool => match bits {
            0 => "False".to_owned(),
            1 => "True".to_owned(),
            other => format!("bool byte {other:#04x}"),
        },
        Part::Uint(_) => bits.to_string(),
        Part::Int(size) => int_value(size, bits).to_string(),
        Part::Float { size, .. } => {
            let value = part_value(part, dtype, bits);
            if size == 8 { format!("{value:?}") } else { format!("{:?}", value as f32) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_must_be_filled() {
        assert!(HostArray::new(Dtype::Int16, vec![2, 3], vec![0; 12]).is_ok());
        assert!(HostArray::new(Dtype::Int16, vec![2, 3], vec![0; 11]).is_err());
        assert!(HostArray::new(Dtype::Int16, vec![usize::MAX, 3], vec![0; 12]).is_err());
        assert!(HostArray::new(Dtype::Int16, vec![usize::MAX, 0], Vec::new()).is_err());
    }

    #[test]
    fn values_are_decoded_by_dtype() {
        let of = |dtype, bytes: &[u8]| {
            HostArray::new(dtype, vec![], bytes.to_vec()).expect("fills").complex_values()[0]
        };
        assert_eq!(of(Dtype::Int8, &[0xff]), (-1.0, 0.0));
        assert_eq!(of(Dtype::Uint16, &[0xff, 0xff]), (65535.0, 0.0));
        assert_eq!(of(Dtype::Float16, &[0x00, 0x3c]), (1.0, 0.0));
        assert_eq!(of(Dtype::Bfloat16, &[0x80, 0x3f]), (1.0, 0.0));
        assert_eq!(of(Dtype::Complex64, &[0, 0, 0x80, 0x3f, 0, 0, 0, 0x40]), (1.0, 2.0));
    }
}
