//! Element types: the fifteen dtypes, what each is made of, and NEP 50 promotion between them.
//!
//! This file knows types only. Values and their weak or strong kind are in `scalar`.

use std::borrow::Cow;
use std::fmt;

use half::slice::{HalfBitsSliceExt, HalfFloatSliceExt};
use half::vec::HalfBitsVecExt;
use half::{bf16, f16};
use num_complex::Complex;

/// The kind of a dtype, in promotion order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Booleans.
    Bool,
    /// Signed and unsigned integers.
    Int,
    /// Binary floats.
    Float,
    /// Pairs of floats.
    Complex,
}

/// Which conversions between dtypes are allowed, as NumPy's `casting`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Casting {
    /// None but to the same dtype.
    No,
    /// As [`Casting::No`]: the byte order is always the machine's.
    Equiv,
    /// Those that keep every value.
    Safe,
    /// Those, and those within a kind or to a later one (float64 to float32; not float to integer).
    #[default]
    SameKind,
    /// All.
    Unsafe,
}

impl Casting {
    /// The rule that NumPy calls `name`.
    #[doc(hidden)]
    pub fn from_name(name: &str) -> Option<Casting> {
        match name {
            "no" => Some(Casting::No),
            "equiv" => Some(Casting::Equiv),
            "safe" => Some(Casting::Safe),
            "same_kind" => Some(Casting::SameKind),
            "unsafe" => Some(Casting::Unsafe),
            _ => None,
        }
    }
}

macro_rules! dtypes {
    ($($name:ident $rust:ty, $text:literal, $size:literal, $kind:ident;)+) => {
        /// The type of an array's elements.
        ///
        /// ```
        /// use ndany::DType;
        /// assert_eq!(DType::F32.name(), "float32");
        /// assert_eq!("complex64".parse::<DType>().ok(), Some(DType::C64));
        /// assert_eq!(DType::promote(DType::I8, DType::U8), DType::I16);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum DType { $(#[doc = concat!("`", $text, "`")] $name,)+ }

        impl DType {
            /// Every dtype.
            pub const ALL: [DType; 15] = [$(DType::$name,)+];

            /// Returns NumPy's name of the dtype, as `np.dtype.name`.
            ///
            /// ```
            /// use ndany::prelude::*;
            /// assert_eq!(F32.name(), "float32");
            /// ```
            pub const fn name(self) -> &'static str { match self { $(DType::$name => $text,)+ } }

            /// Returns the bytes of one element, as `np.dtype.itemsize`.
            ///
            /// ```
            /// use ndany::prelude::*;
            /// assert_eq!(F32.size(), 4);
            /// ```
            pub const fn size(self) -> usize { match self { $(DType::$name => $size,)+ } }

            /// Returns the kind of the dtype: bool, integer, float or complex, as `np.dtype.kind`.
            ///
            /// ```
            /// use ndany::prelude::*;
            /// assert_eq!(F32.kind(), ndany::Kind::Float);
            /// ```
            pub const fn kind(self) -> Kind { match self { $(DType::$name => Kind::$kind,)+ } }
        }

        $(
            impl sealed::Sealed for $rust {}
            impl Element for $rust { const DTYPE: DType = DType::$name; }
        )+
    };
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that is the element of an array.
///
/// Implemented for `bool`, `i8`–`i64`, `u8`–`u64`, the 16-bit floats of the crate `half`, `f32`, `f64`,
/// `Complex<f32>` and `Complex<f64>`.
pub trait Element: Bytes + Copy + Send + Sync + fmt::Debug + 'static + sealed::Sealed {
    /// Its dtype.
    const DTYPE: DType;
}

/// The dtypes.
///
/// Calls the macro `$callback` with all entries: a dtype, its Rust type, NumPy's name, the bytes of one element, the kind.
#[macro_export]
macro_rules! dtype_table {
    ($callback:ident) => {
        $callback! {
            Bool bool, "bool", 1, Bool;
            I8 i8, "int8", 1, Int;
            I16 i16, "int16", 2, Int;
            I32 i32, "int32", 4, Int;
            I64 i64, "int64", 8, Int;
            U8 u8, "uint8", 1, Int;
            U16 u16, "uint16", 2, Int;
            U32 u32, "uint32", 4, Int;
            U64 u64, "uint64", 8, Int;
            F16 $crate::f16, "float16", 2, Float;
            BF16 $crate::bf16, "bfloat16", 2, Float;
            F32 f32, "float32", 4, Float;
            F64 f64, "float64", 8, Float;
            C64 $crate::Complex32, "complex64", 8, Complex;
            C128 $crate::Complex64, "complex128", 16, Complex;
        }
    };
}
dtype_table!(dtypes);

/// NumPy's names beside [`DType::name`]: those of C's types on 64-bit Linux, and of Python's.
fn long_name(name: &str) -> Option<DType> {
    Some(match name {
        "bool_" => DType::Bool,
        "byte" => DType::I8,
        "short" => DType::I16,
        "intc" => DType::I32,
        "int" | "int_" | "intp" | "long" | "longlong" => DType::I64,
        "ubyte" => DType::U8,
        "ushort" => DType::U16,
        "uintc" => DType::U32,
        "uint" | "uintp" | "ulong" | "ulonglong" => DType::U64,
        "half" => DType::F16,
        "single" => DType::F32,
        "float" | "double" => DType::F64,
        "csingle" => DType::C64,
        "complex" | "cdouble" => DType::C128,
        _ => return None,
    })
}

/// NumPy's character codes.
fn short_name(name: &str) -> Option<DType> {
    Some(match name {
        "?" => DType::Bool,
        "b" => DType::I8,
        "h" => DType::I16,
        "i" => DType::I32,
        "l" | "q" | "p" | "n" => DType::I64,
        "B" => DType::U8,
        "H" => DType::U16,
        "I" => DType::U32,
        "L" | "Q" | "P" | "N" => DType::U64,
        "e" => DType::F16,
        "f" => DType::F32,
        "d" => DType::F64,
        "F" => DType::C64,
        "D" => DType::C128,
        _ => return None,
    })
}

/// A kind with a number of bytes.
fn sized_name(name: &str) -> Option<DType> {
    Some(match name {
        "b1" => DType::Bool,
        "i1" => DType::I8,
        "i2" => DType::I16,
        "i4" => DType::I32,
        "i8" => DType::I64,
        "u1" => DType::U8,
        "u2" => DType::U16,
        "u4" => DType::U32,
        "u8" => DType::U64,
        "f2" => DType::F16,
        "f4" => DType::F32,
        "f8" => DType::F64,
        "c8" => DType::C64,
        "c16" => DType::C128,
        _ => return None,
    })
}

impl DType {
    /// The dtype that `np.dtype(name)` is on 64-bit Linux: a name (`"float32"`, `"intp"`, `"single"`), a character code
    /// (`"f"`, `"?"`) or a kind with a size in bytes (`"f4"`), codes with a byte order in front where that is the
    /// machine's (`"<f4"`). `None` for every other text, dtypes that ndany does not have among them.
    #[doc(hidden)]
    pub fn from_name(name: &str) -> Option<DType> {
        let long = |name: &str| DType::ALL.into_iter().find(|dtype| dtype.name() == name);
        long(name).or_else(|| long_name(name)).or_else(|| {
            let code = |name: &str| short_name(name).or_else(|| sized_name(name));
            match name.strip_prefix(['<', '=', '|']) {
                Some(bare) => code(bare),
                // A single byte has no order.
                None => match name.strip_prefix('>') {
                    Some(bare) => code(bare).filter(|dtype| dtype.size() == 1),
                    None => code(name),
                },
            }
        })
    }

    /// Tests for complex numbers, as `np.iscomplexobj` of a dtype.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(C64.is_complex() && !F64.is_complex());
    /// ```
    pub const fn is_complex(self) -> bool {
        matches!(self.kind(), Kind::Complex)
    }

    /// Tests for real floats, as `np.issubdtype(dtype, np.floating)`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(F32.is_float() && !C64.is_float());
    /// ```
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Float)
    }

    /// Tests for integers, which bool is not, as `np.issubdtype(dtype, np.integer)`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(U8.is_int() && !Bool.is_int());
    /// ```
    pub const fn is_int(self) -> bool {
        matches!(self.kind(), Kind::Int)
    }

    /// Tests for unsigned integers, as `np.issubdtype(dtype, np.unsignedinteger)`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(U8.is_unsigned() && !I8.is_unsigned());
    /// ```
    pub const fn is_unsigned(self) -> bool {
        matches!(self, DType::U8 | DType::U16 | DType::U32 | DType::U64)
    }

    /// Returns the float of the parts of a complex dtype; every other dtype is its own part.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!((C64.part(), I32.part()), (F32, I32));
    /// ```
    pub const fn part(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }

    /// The least and the greatest of an integer dtype.
    #[doc(hidden)]
    pub const fn int_range(self) -> (i128, i128) {
        let bits = 8 * self.size() as u32;
        if self.is_unsigned() {
            (0, (1i128 << bits) - 1)
        } else {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        }
    }

    /// The complex dtype whose parts are this float.
    #[doc(hidden)]
    pub const fn to_complex(self) -> DType {
        match self {
            DType::F64 | DType::C128 => DType::C128,
            DType::I32 | DType::I64 | DType::U32 | DType::U64 => DType::C128,
            _ => DType::C64,
        }
    }

    /// Returns the float dtype in which NumPy computes a function such as `sqrt` of this dtype.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!((I64.to_inexact(), I8.to_inexact(), F32.to_inexact()), (F64, F16, F32));
    /// ```
    pub const fn to_inexact(self) -> DType {
        match self {
            DType::Bool | DType::I8 | DType::U8 => DType::F16,
            DType::I16 | DType::U16 => DType::F32,
            DType::I32 | DType::I64 | DType::U32 | DType::U64 => DType::F64,
            other => other,
        }
    }

    /// Returns the smallest dtype to which both convert, as `np.promote_types` (NEP 50, strong operands).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(DType::promote(I32, F32), F64);
    /// ```
    pub fn promote(a: DType, b: DType) -> DType {
        use DType::*;
        if a == b {
            return a;
        }
        let (low, high) = if a.kind() <= b.kind() { (a, b) } else { (b, a) };
        match (low.kind(), high.kind()) {
            (Kind::Bool, _) => high,
            (Kind::Int, Kind::Int) => match (low.is_unsigned(), high.is_unsigned()) {
                (false, false) | (true, true) => {
                    if low.size() >= high.size() {
                        low
                    } else {
                        high
                    }
                }
                (true, false) => DType::promote_signed(high, low),
                (false, true) => DType::promote_signed(low, high),
            },
            (Kind::Int, Kind::Float) => match (low.size(), high) {
                (1, float) => float,
                (2, F16 | BF16) => F32,
                (2, float) => float,
                (_, _) => F64,
            },
            (Kind::Int, Kind::Complex) => {
                if low.size() <= 2 {
                    high
                } else {
                    C128
                }
            }
            (Kind::Float, Kind::Float) => match (low, high) {
                (F16, BF16) | (BF16, F16) => F32,
                (low, high) => {
                    if low.size() >= high.size() {
                        low
                    } else {
                        high
                    }
                }
            },
            (Kind::Float, Kind::Complex) => {
                if low == F64 {
                    C128
                } else {
                    high
                }
            }
            (Kind::Complex, _) => C128,
            (Kind::Int | Kind::Float, _) => unreachable!("kinds are ordered"),
        }
    }

    /// Returns the dtype to which all these promote, in any order, as `np.result_type`; `None` of no dtypes.
    ///
    /// Those of the highest kind meet first, so that integers do not widen each other before they meet floats.
    ///
    /// ```
    /// use ndany::DType;
    /// assert_eq!(DType::promote_all([DType::I8, DType::U8, DType::F16]), Some(DType::F16));
    /// assert_eq!(DType::promote_all([]), None);
    /// ```
    pub fn promote_all<I>(dtypes: I) -> Option<DType>
    where
        I: IntoIterator<Item = DType, IntoIter: Clone>,
    {
        let dtypes = dtypes.into_iter();
        let kind = dtypes.clone().map(DType::kind).max()?;
        let highest = dtypes.clone().filter(|dtype| dtype.kind() == kind).reduce(DType::promote)?;
        Some(dtypes.filter(|dtype| dtype.kind() != kind).fold(highest, DType::promote))
    }

    /// Tests whether arrays of this dtype may become `to` by a rule, as `np.can_cast`.
    ///
    /// ```
    /// use ndany::{Casting, DType};
    /// assert!(DType::I32.can_cast(DType::F64, Casting::Safe));
    /// assert!(!DType::I32.can_cast(DType::F32, Casting::Safe));
    /// assert!(!DType::F32.can_cast(DType::I32, Casting::SameKind));
    /// ```
    pub fn can_cast(self, to: DType, casting: Casting) -> bool {
        match casting {
            Casting::No | Casting::Equiv => self == to,
            Casting::Safe => DType::promote(self, to) == to,
            Casting::SameKind => match (self.kind(), to.kind()) {
                (Kind::Int, Kind::Int) => self.is_unsigned() || !to.is_unsigned(),
                (from, to) => from <= to,
            },
            Casting::Unsafe => true,
        }
    }

    fn promote_signed(signed: DType, unsigned: DType) -> DType {
        match unsigned {
            _ if signed.size() > unsigned.size() => signed,
            DType::U8 => DType::I16,
            DType::U16 => DType::I32,
            DType::U32 => DType::I64,
            _ => DType::F64,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The bytes of an element, little-endian: how values cross between Rust and a buffer without `unsafe`.
pub trait Bytes: Sized {
    /// Reads one element from exactly its size in bytes, little-endian.
    ///
    /// ```
    /// assert_eq!(<u16 as ndany::Bytes>::read(&[1, 0]), 1);
    /// ```
    fn read(bytes: &[u8]) -> Self;
    /// Writes one element into exactly its size in bytes, little-endian.
    ///
    /// ```
    /// let mut bytes = [0; 2];
    /// ndany::Bytes::write(1u16, &mut bytes);
    /// assert_eq!(bytes, [1, 0]);
    /// ```
    fn write(self, bytes: &mut [u8]);
    /// Returns the elements as little-endian bytes, without a copy on little-endian machines.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(<u16 as ndany::Bytes>::as_bytes(&[1, 2]), &[1, 0, 2, 0][..]);
    /// ```
    fn as_bytes(values: &[Self]) -> Cow<'_, [u8]>;
    /// Makes elements whose little-endian bytes `fill` writes.
    ///
    /// - **Errors**: those of `fill`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let fill = |bytes: &mut [u8]| Ok::<(), ndany::Error>(bytes.copy_from_slice(&[1, 0, 2, 0]));
    /// assert_eq!(<u16 as ndany::Bytes>::filled(2, fill)?, [1, 2]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    fn filled<E>(
        count: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<Vec<Self>, E>;
    /// Returns the elements that lie in bytes, which are aligned for them and in this machine's order.
    ///
    /// # Panics
    /// The bytes are not aligned, or are no elements: other numbers than 0 and 1 as booleans.
    #[doc(hidden)]
    fn view(bytes: &[u8]) -> &[Self];
    /// [`Bytes::view`], to be written.
    #[doc(hidden)]
    fn view_mut(bytes: &mut [u8]) -> &mut [Self];
}

/// [`Bytes::as_bytes`] of any machine.
fn written<T: Bytes + Copy>(values: &[T]) -> Cow<'_, [u8]> {
    let mut bytes = vec![0; size_of_val(values)];
    for (value, bytes) in values.iter().zip(bytes.chunks_exact_mut(size_of::<T>())) {
        value.write(bytes);
    }
    bytes.into()
}

/// [`Bytes::filled`] of any machine and any element, one that not every pattern of bits is, too.
fn read<T: Bytes, E>(
    count: usize,
    fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
) -> Result<Vec<T>, E> {
    let mut bytes = vec![0; count * size_of::<T>()];
    fill(&mut bytes)?;
    Ok(bytes.chunks_exact(size_of::<T>()).map(T::read).collect())
}

/// [`Bytes::filled`] where the elements are to lie, without a copy.
fn filled<T: Bytes + bytemuck::Pod, E>(
    count: usize,
    fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
) -> Result<Vec<T>, E> {
    if cfg!(target_endian = "big") {
        return read(count, fill);
    }
    let mut values = bytemuck::zeroed_vec(count);
    fill(bytemuck::cast_slice_mut(&mut values))?;
    Ok(values)
}

macro_rules! plain_bytes {
    () => {
        fn as_bytes(values: &[Self]) -> Cow<'_, [u8]> {
            match cfg!(target_endian = "little") {
                true => bytemuck::cast_slice(values).into(),
                false => written(values),
            }
        }
        fn filled<E>(
            count: usize,
            fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
        ) -> Result<Vec<Self>, E> {
            filled(count, fill)
        }
        fn view(bytes: &[u8]) -> &[Self] {
            bytemuck::cast_slice(bytes)
        }
        fn view_mut(bytes: &mut [u8]) -> &mut [Self] {
            bytemuck::cast_slice_mut(bytes)
        }
    };
}

macro_rules! bytes {
    ($($ty:ty),+) => {$(
        impl Bytes for $ty {
            #[inline]
            fn read(bytes: &[u8]) -> Self {
                <$ty>::from_le_bytes(bytes.try_into().expect("the size of the element"))
            }
            #[inline]
            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }
            plain_bytes!();
        }
    )+};
}
bytes!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

/// 16-bit floats are the words of their bits.
macro_rules! half_bytes {
    ($($ty:ty),+) => {$(
        impl Bytes for $ty {
            #[inline]
            fn read(bytes: &[u8]) -> Self {
                <$ty>::from_bits(u16::read(bytes))
            }
            #[inline]
            fn write(self, bytes: &mut [u8]) {
                self.to_bits().write(bytes);
            }
            fn as_bytes(values: &[Self]) -> Cow<'_, [u8]> {
                u16::as_bytes(values.reinterpret_cast())
            }
            fn filled<E>(
                count: usize,
                fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
            ) -> Result<Vec<Self>, E> {
                u16::filled(count, fill).map(|words| words.reinterpret_into())
            }
            fn view(bytes: &[u8]) -> &[Self] {
                u16::view(bytes).reinterpret_cast()
            }
            fn view_mut(bytes: &mut [u8]) -> &mut [Self] {
                u16::view_mut(bytes).reinterpret_cast_mut()
            }
        }
    )+};
}
half_bytes!(f16, bf16);

impl Bytes for bool {
    fn read(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }
    fn write(self, bytes: &mut [u8]) {
        bytes[0] = u8::from(self);
    }
    fn as_bytes(values: &[Self]) -> Cow<'_, [u8]> {
        bytemuck::cast_slice(values).into()
    }
    fn filled<E>(
        count: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<Vec<Self>, E> {
        read(count, fill)
    }
    fn view(bytes: &[u8]) -> &[Self] {
        bytemuck::checked::cast_slice(bytes)
    }
    fn view_mut(bytes: &mut [u8]) -> &mut [Self] {
        bytemuck::checked::cast_slice_mut(bytes)
    }
}

impl<T: Bytes + bytemuck::Pod> Bytes for Complex<T> {
    fn read(bytes: &[u8]) -> Self {
        let (re, im) = bytes.split_at(bytes.len() / 2);
        Complex::new(T::read(re), T::read(im))
    }
    fn write(self, bytes: &mut [u8]) {
        let half = bytes.len() / 2;
        let (re, im) = bytes.split_at_mut(half);
        self.re.write(re);
        self.im.write(im);
    }
    plain_bytes!();
}

#[cfg(test)]
mod tests {
    use super::DType::{self, *};

    /// Three dtypes whose two integers alone would need a wider float than each of them.
    #[test]
    fn many_promote_by_the_highest_kind_first() {
        let cases = [
            ([I8, U8, F16], F16),
            ([I8, U8, BF16], BF16),
            ([I8, U16, F16], F32),
            ([I8, U16, F32], F32),
            ([I8, U16, C64], C64),
            ([I16, U8, F16], F32),
            ([I16, U16, F16], F32),
            ([I16, U16, F32], F32),
            ([I16, U16, C64], C64),
            ([I8, U8, I16], I16),
            ([I8, U64, Bool], F64),
            ([F64, Bool, C64], C128),
        ];
        for ([a, b, c], expected) in cases {
            for dtypes in [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]] {
                assert_eq!(DType::promote_all(dtypes), Some(expected), "{dtypes:?}");
            }
        }
        for (a, b) in DType::ALL.into_iter().flat_map(|a| DType::ALL.map(|b| (a, b))) {
            assert_eq!(DType::promote_all([a, b]), Some(DType::promote(a, b)));
        }
    }
}
