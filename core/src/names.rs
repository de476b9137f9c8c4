//! NumPy's words for dtypes and rules of casting: `"float32".parse::<DType>()`.

use std::str::FromStr;

use crate::dtype::{Casting, DType};

/// Implements `FromStr` by the function `from_name` of each type.
#[doc(hidden)]
#[macro_export]
macro_rules! names {
    ($($ty:ident: $what:literal;)+) => {$(
        impl FromStr for $ty {
            type Err = $crate::Error;

            #[doc = concat!("The ", $what, " that NumPy calls by this name.")]
            ///
            /// # Errors
            /// NumPy has no such name, or what it names is not here.
            fn from_str(name: &str) -> $crate::Result<Self> {
                Self::from_name(name).ok_or_else(|| $crate::Error::ArgumentValue {
                    op: stringify!($ty).to_string(),
                    reason: format!(concat!("{:?} is no ", $what), name),
                })
            }
        }
    )+};
}
names! {
    Casting: "rule of casting";
    DType: "dtype";
}
