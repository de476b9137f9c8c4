//! The Rust types of elements.

use std::fmt;

use ndany_core::{Bytes, DType, dtype_table};

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that is the element of an array.
///
/// Implemented for `bool`, `i8`–`i64`, `u8`–`u64`, the 16-bit floats of the crate `half`, `f32`, `f64`,
/// `Complex<f32>` and `Complex<f64>`.
// A trait of this crate, in contrast to `ndany_core::Element`, so that the compiler knows that no list of elements is an
// element.
pub trait Element: Bytes + Copy + Send + Sync + fmt::Debug + 'static + sealed::Sealed {
    /// Its dtype.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($name:ident $rust:ty, $text:literal, $size:literal, $kind:ident;)+) => {$(
        impl sealed::Sealed for $rust {}
        impl Element for $rust {
            const DTYPE: DType = DType::$name;
        }
    )+};
}
dtype_table!(elements);
