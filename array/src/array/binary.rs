//! Booleans eight to a byte and back, and numbers written with digits of another base.
//!
//! Eight booleans are the bytes of a word: a multiplication by a word with eight bits set brings those that count side
//! by side into the highest byte, or spreads a byte over all eight (as chess programs turn lines of their boards).

use super::{Array, try_full};
use crate::arguments::options::*;
use crate::arguments::{IntoAxis, OneOf, one_of};
use crate::declare::{array_functions, functions};
use ndany_core::host;
use ndany_core::shape::{Shape, axis_index};
use ndany_core::{DType, Error, Kind, Result};

/// Which bit of a byte the first element is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BitOrder {
    /// The highest.
    #[default]
    Big,
    /// The lowest.
    Little,
}

one_of!(BitOrder);

impl BitOrder {
    /// From NumPy's name.
    pub(crate) fn from_name(name: &str) -> Option<BitOrder> {
        match name {
            "big" => Some(BitOrder::Big),
            "little" => Some(BitOrder::Little),
            _ => None,
        }
    }

    /// Whether the first of the eight bytes of a word in memory is that of the lowest bit.
    fn ascends(self) -> bool {
        (self == BitOrder::Little) == cfg!(target_endian = "little")
    }

    /// The word whose product with a word of bytes 0 and 1 has them as the bits of its highest byte: no two pairs of bits
    /// meet, so nothing is carried.
    fn gathering(self) -> u64 {
        if self.ascends() { 0x0102_0408_1020_4080 } else { 0x8040_2010_0804_0201 }
    }

    /// Bytes (as U64) to words whose bytes are their bits.
    #[track_caller]
    fn unpack(self, bytes: &Array) -> Result<Array> {
        let shown = if self.ascends() {
            // In all bytes of the word, of which each keeps its own bit; 127 more, and its highest one is set if that was.
            let own = bytes.try_multiply(ONES)?.try_bitwise_and(0x8040_2010_0804_0201u64)?;
            own.try_add(0x7f * ONES)?
        } else {
            // Side by side nine bits apart, so that the highest bit of each byte of the word is another one.
            bytes.try_multiply(0x8040_2010_0804_0201u64)?
        };
        shown.try_right_shift(7)?.try_bitwise_and(ONES)
    }
}

/// The lowest bit of each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

array_functions! {
    checked bits, free free_bits;

    /// Packs elements that are not zero as the bits of bytes along an axis (`..`: flat), as `np.packbits`.
    ///
    /// Zeros fill the last byte.
    ///
    /// - **Shapes**: `(…, n) → (…, ⌈n / 8⌉)`.
    /// - **Dtypes**: bool and integers; the result is uint8.
    /// - **Errors**: floats and complex numbers, an axis out of range.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let bits = Array::from([true, false, true]);
    /// let bytes = bits.packbits(.., ..);
    /// assert_eq!(bytes.to_vec::<u8>()?, [0b1010_0000]);
    /// assert_eq!(bytes.unpackbits(.., Some(3), ..).to_vec::<u8>()?, [1, 0, 1]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    packbits / try_packbits (self, axis: impl IntoAxis<FlatAxis>, order: impl OneOf<BitOrder>) -> Array {
        const OP: &str = "packbits";
        let order = order.or(BitOrder::Big);
        match self.dtype().kind() {
            Kind::Bool | Kind::Int => {}
            Kind::Float | Kind::Complex => {
                let dtypes = self.dtype().to_string();
                return Err(Error::DTypes { op: OP, dtypes, remedy: "compare with zero first" });
            }
        }
        let (array, axis) = along(OP, self, axis)?;
        let _guard = array.device().enter();
        let (axis, mut bits) = (axis as isize, array.try_astype(DType::Bool)?.try_moveaxis(axis as isize, -1)?);
        let last = bits.ndim() - 1;
        let bytes = bits.shape()[last].div_ceil(8);
        if bits.shape()[last] != 8 * bytes {
            bits = filled_up(&bits, last, 8 * bytes)?;
        }
        let mut shape = Shape::from_slice(bits.shape());
        shape[last] = bytes;
        let words = bits.reread(OP, DType::U64, shape)?;
        let packed = words.try_multiply(order.gathering())?.try_right_shift(56)?.try_astype(DType::U8)?;
        // The words are the memory of the bits, which another handle may change next.
        packed.eval()?;
        packed.try_moveaxis(-1, axis)
    }

    /// Unpacks the bits of bytes into elements 0 and 1 along an axis (`..`: flat), as `np.unpackbits`.
    ///
    /// `count` is the number of elements: zeros fill up. A negative one is the number of elements to leave out at the end.
    ///
    /// - **Shapes**: `(…, n) → (…, 8 n)`, or `(…, count)`.
    /// - **Dtypes**: uint8; the result is uint8.
    /// - **Errors**: another dtype, an axis out of range, more elements left out than there are.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([5u8]).unpackbits(.., None, ..).to_string(), "[0 0 0 0 0 1 0 1]");
    /// ```
    unpackbits / try_unpackbits (self, axis: impl IntoAxis<FlatAxis>, count: Option<isize>, order: impl OneOf<BitOrder>) -> Array {
        const OP: &str = "unpackbits";
        let order = order.or(BitOrder::Big);
        if self.dtype() != DType::U8 {
            let dtypes = self.dtype().to_string();
            return Err(Error::DTypes { op: OP, dtypes, remedy: "expected uint8" });
        }
        let (array, axis) = along(OP, self, axis)?;
        let _guard = array.device().enter();
        let bytes = array.try_moveaxis(axis as isize, -1)?;
        let mut shape = Shape::from_slice(bytes.shape());
        shape[bytes.ndim() - 1] *= 8;
        let words = order.unpack(&bytes.try_astype(DType::U64)?)?;
        let bits = words.reread(OP, DType::U8, shape)?.try_moveaxis(-1, axis as isize)?;
        let there = bits.shape()[axis] as isize;
        let wanted = match count {
            None => there,
            Some(count) if count >= 0 => count,
            Some(short) if short >= -there => there + short,
            Some(short) => {
                let short = short.unsigned_abs();
                let reason = format!("{short} elements cannot be taken from {there}");
                return Err(Error::ArgumentValue { op: OP.to_string(), reason });
            }
        };
        if wanted > there {
            return filled_up(&bits, axis, wanted as usize);
        }
        let mut items = vec![super::Index::from(..); axis];
        items.push(super::Index::from(..wanted));
        bits.try_i(items.as_slice())
    }
}

/// The array and the axis, or the flat array and its only one.
fn along(op: &'static str, array: &Array, axis: impl IntoAxis<FlatAxis>) -> Result<(Array, usize)> {
    match axis.into_axis().axis(op)? {
        Some(axis) => {
            let array = array.try_atleast_1d()?;
            let axis = axis_index(op, axis, array.ndim())?;
            Ok((array, axis))
        }
        None => Ok((array.try_ravel()?, 0)),
    }
}

/// Zeros after the elements of an axis.
fn filled_up(array: &Array, axis: usize, extent: usize) -> Result<Array> {
    let mut shape = Shape::from_slice(array.shape());
    shape[axis] = extent - array.shape()[axis];
    let zeros = try_full(shape.as_slice(), 0, array.dtype())?;
    super::try_concatenate(&[array, &zeros], axis as isize)
}

/// Digits with as many of one letter in front as the width asks for. (A width of `format!` ends at 65,535.)
fn padded(op: &'static str, fill: char, width: usize, digits: String) -> Result<String> {
    let missing = width.saturating_sub(digits.len());
    if missing == 0 {
        return Ok(digits);
    }
    host::ensure_memory(op, width)?;
    let mut text = String::with_capacity(width);
    text.extend(std::iter::repeat_n(fill, missing));
    text.push_str(&digits);
    Ok(text)
}

functions! {
    /// Returns the binary digits of an integer, as `np.binary_repr`.
    ///
    /// Negative integers have a minus sign, or with a width their two's complement.
    ///
    /// - **Errors**: a width that is too small, or beyond the host's memory.
    ///
    /// ```
    /// use ndany::{base_repr, binary_repr};
    /// assert_eq!(binary_repr(-3, None), "-11");
    /// assert_eq!(binary_repr(-3, Some(5)), "11101");
    /// assert_eq!(base_repr(6, 5, 3), "00011");
    /// ```
    binary_repr / try_binary_repr (number: i64, width: Option<usize>) -> String {
        let digits = format!("{:b}", number.unsigned_abs());
        let Some(width) = width else {
            return Ok(if number < 0 { format!("-{digits}") } else { digits });
        };
        let narrow = |needed: usize| {
            let reason = format!("{number} has {needed} binary digits, more than {width}");
            Err(Error::ArgumentValue { op: "binary_repr".to_string(), reason })
        };
        if number >= 0 {
            if digits.len() > width && !(number == 0 && width == 0) {
                return narrow(digits.len());
            }
            return padded("binary_repr", '0', width, digits);
        }
        // A power of two needs no bit more for the sign.
        let needed = if number.unsigned_abs().is_power_of_two() { digits.len() } else { digits.len() + 1 };
        if needed > width {
            return narrow(needed);
        }
        let complement = (1i128 << needed) + i128::from(number);
        let text = format!("{complement:0>needed$b}");
        padded("binary_repr", '1', width, text)
    }

    /// Returns the digits of an integer in a base from 2 to 36, after `padding` zeros, as `np.base_repr`.
    ///
    /// - **Errors**: another base, padding beyond the host's memory.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::base_repr(255, 16, 0), "FF");
    /// ```
    base_repr / try_base_repr (number: i64, base: u32, padding: usize) -> String {
        const OP: &str = "base_repr";
        if !(2..=36).contains(&base) {
            let reason = format!("the base is {base}, not 2 to 36");
            return Err(Error::ArgumentValue { op: OP.to_string(), reason });
        }
        let mut digits = Vec::new();
        let mut rest = number.unsigned_abs();
        while rest > 0 {
            let digit = (rest % u64::from(base)) as u32;
            digits.push(char::from_digit(digit, base).unwrap_or('?').to_ascii_uppercase());
            rest /= u64::from(base);
        }
        if digits.is_empty() && padding == 0 {
            digits.push('0');
        }
        let width = padding.saturating_add(digits.len());
        let mut text = padded(OP, '0', width, digits.iter().rev().collect())?;
        if number < 0 {
            text.insert(0, '-');
        }
        Ok(text)
    }
}
