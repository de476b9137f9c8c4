//! Elements as keys: unsigned integers, or tuples of them, in the order of the pattern `sort`.
//!
//! The bits of floats are ordered once those of negative floats are complemented. -0.0 takes the key of +0.0,
//! so a key does not distinguish them, and every NaN takes the largest key.

use super::words::Lane;

/// An element that sorts by a key.
pub(crate) trait Keyed: Copy + Send + Sync + 'static {
    /// Compares as the pattern orders.
    type Key: Ord + Copy + Send + Sync;
    /// The key of this element.
    fn key(self) -> Self::Key;
    /// Its value as f64, rounded; NaN for a complex number.
    fn number(self) -> f64;
    /// For an integer, the number of smaller values of its type.
    fn ordinal(self) -> Option<u64> {
        None
    }
}

/// An element whose key is an integer of its own size.
pub(crate) trait Word: Keyed<Key: Into<u64>> {
    /// The integer that is sorted in its place, of the element's size or larger.
    type Lane: Lane;
    /// The key, with -0.0 distinct from and before +0.0.
    fn word(self) -> u64;
    /// The inverse of [`Word::word`].
    fn of_word(word: u64) -> Self;
    /// The keys of both zeros, if there are two.
    const ZEROS: Option<[u64; 2]>;
}

macro_rules! integers {
    ($($ty:ty, $key:ty, $lane:ty, $flip:expr;)+) => {$(
        impl Keyed for $ty {
            type Key = $key;
            #[inline(always)]
            fn key(self) -> $key { self as $key ^ $flip }
            #[inline(always)]
            fn number(self) -> f64 { self as f64 }
            #[inline(always)]
            fn ordinal(self) -> Option<u64> { Some(self.key().into()) }
        }
        impl Word for $ty {
            type Lane = $lane;
            #[inline(always)]
            fn word(self) -> u64 { u64::from(self.key()) }
            #[inline(always)]
            fn of_word(word: u64) -> Self { (word as $key ^ $flip) as $ty }
            const ZEROS: Option<[u64; 2]> = None;
        }
    )+};
}
integers! {
    i8, u8, u32, 1 << 7;
    i16, u16, u32, 1 << 15;
    i32, u32, u32, 1 << 31;
    i64, u64, u64, 1 << 63;
    u8, u8, u32, 0;
    u16, u16, u32, 0;
    u32, u32, u32, 0;
    u64, u64, u64, 0;
}

/// A float by its bits; values beyond `$infinity`, the bits of +inf, are NaN.
macro_rules! floats {
    ($($(#[$meta:meta])* $name:ident $key:ident $signed:ty, $lane:ty, $infinity:expr, $number:expr;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name($key);

        impl $name {
            const SIGN: $key = 1 << ($key::BITS - 1);
        }
        impl Keyed for $name {
            type Key = $key;
            #[inline(always)]
            fn key(self) -> $key {
                let key = self.word() as $key;
                if self.0 == Self::SIGN { Self::SIGN } else { key }
            }
            #[inline(always)]
            fn number(self) -> f64 { $number(self.0) }
        }
        impl Word for $name {
            type Lane = $lane;
            #[inline(always)]
            fn word(self) -> u64 {
                // All ones for a negative number, the sign bit for others.
                let mask = (self.0 as $signed >> ($key::BITS - 1)) as $key | Self::SIGN;
                let nan = self.0 & !Self::SIGN > $infinity;
                u64::from(if nan { $key::MAX } else { self.0 ^ mask })
            }
            #[inline(always)]
            fn of_word(word: u64) -> Self {
                let word = word as $key;
                let mask = !(word as $signed >> ($key::BITS - 1)) as $key | Self::SIGN;
                $name(word ^ mask)
            }
            const ZEROS: Option<[u64; 2]> = Some([(Self::SIGN - 1) as u64, Self::SIGN as u64]);
        }
    )+};
}
floats! {
    /// IEEE half precision.
    F16 u16 i16, u32, 0x7C00, |bits| half::f16::from_bits(bits).to_f64();
    /// The upper half of an f32.
    BF16 u16 i16, u32, 0x7F80, |bits| half::bf16::from_bits(bits).to_f64();
    /// IEEE single precision.
    F32 u32 i32, u32, 0x7F80_0000, |bits| f64::from(f32::from_bits(bits));
    /// IEEE double precision.
    F64 u64 i64, u64, 0x7FF0_0000_0000_0000, f64::from_bits;
}

/// The part type of a complex number.
pub(super) trait Part: Keyed {
    /// The key of every NaN.
    const NAN: Self::Key;
}
impl Part for F32 {
    const NAN: u32 = u32::MAX;
}
impl Part for F64 {
    const NAN: u64 = u64::MAX;
}

/// A complex number of two such floats.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Complex<T>(T, T);

impl<T: Part> Keyed for Complex<T> {
    /// Which parts are NaN, then the parts.
    type Key = (u8, T::Key, T::Key);
    #[inline(always)]
    fn key(self) -> Self::Key {
        let (re, im) = (self.0.key(), self.1.key());
        (u8::from(re == T::NAN) * 2 + u8::from(im == T::NAN), re, im)
    }
    #[inline(always)]
    fn number(self) -> f64 {
        f64::NAN
    }
}

/// Calls `$body` with `$ty` as the type of an element of `$dtype`.
macro_rules! with_keyed {
    ($dtype:expr, $ty:ident => $body:expr, complex => $body_complex:expr) => {{
        use ndany_core::DType;
        use $crate::sort::keys::{BF16, Complex, F16, F32, F64};
        macro_rules! run {
            ($element:ty, $what:expr) => {{
                type $ty = $element;
                $what
            }};
        }
        match $dtype {
            DType::Bool | DType::U8 => run!(u8, $body),
            DType::I8 => run!(i8, $body),
            DType::I16 => run!(i16, $body),
            DType::I32 => run!(i32, $body),
            DType::I64 => run!(i64, $body),
            DType::U16 => run!(u16, $body),
            DType::U32 => run!(u32, $body),
            DType::U64 => run!(u64, $body),
            DType::F16 => run!(F16, $body),
            DType::BF16 => run!(BF16, $body),
            DType::F32 => run!(F32, $body),
            DType::F64 => run!(F64, $body),
            DType::C64 => run!(Complex<F32>, $body_complex),
            DType::C128 => run!(Complex<F64>, $body_complex),
        }
    }};
}
pub(super) use with_keyed;
