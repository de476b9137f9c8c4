//! Elementwise operations with two results, as functions of arrays.

use ndany_core::ops::pairs as table;
use ndany_core::{Result, pair_table};

use crate::Array;
use crate::declare::expect;
use crate::graph::{Operand, pair};

macro_rules! pairs {
    ($($(#[doc = $doc:literal])+ $name:ident $try_name:ident = $numpy:literal, $arity:literal ($($other:ident)?), $first:ident, $second:ident,
        $shapes:literal, $dtypes:literal, $refused:literal, ($x:tt $(, $y:tt)?) => ($shown_first:literal, $shown_second:literal);)+) => {
        impl Array { $(
            #[doc = concat!($($doc),+, ", as `", $numpy, "`.")]
            ///
            #[doc = concat!("- **Shapes**: `", $shapes, "`, element by element; lazy, and one launch where both are read.")]
            #[doc = concat!("- **Dtypes**: ", $dtypes, ".")]
            #[doc = concat!("- **Errors**: refuses ", $refused, ". Panics; [`checked::", stringify!($name), "`](fn@crate::checked::", stringify!($name), ") returns the error.")]
            ///
            /// ```
            /// use ndany::prelude::*;
            #[doc = concat!("let (first, second) = array(", stringify!($x), ").", stringify!($name), "(", $("array(", stringify!($y), ")",)? ");")]
            #[doc = concat!("assert_eq!(first.to_string(), \"", $shown_first, "\");")]
            #[doc = concat!("assert_eq!(second.to_string(), \"", $shown_second, "\");")]
            /// ```
            #[doc(alias = $numpy)]
            #[track_caller]
            pub fn $name(&self $(, $other: impl Into<Operand>)?) -> (Array, Array) {
                expect(self.$try_name($($other)?))
            }

            #[track_caller]
            pub(crate) fn $try_name(&self $(, $other: impl Into<Operand>)?) -> Result<(Array, Array)> {
                pair(table::$name.rows, &mut [self.into() $(, $other.into())?])
            }
        )+ }

        /// The operations with two results as free functions.
        pub mod free { $(
            #[doc = concat!($($doc),+, ", as `", $numpy, "`; also takes scalars.")]
            ///
            #[doc = concat!("- **Shapes**: `", $shapes, "`, element by element; lazy, and one launch where both are read.")]
            #[doc = concat!("- **Dtypes**: ", $dtypes, ".")]
            #[doc = concat!("- **Errors**: refuses ", $refused, ". Panics; [`checked::", stringify!($name), "`](fn@crate::checked::", stringify!($name), ") returns the error.")]
            ///
            /// ```
            /// use ndany::{numpy, prelude::*};
            #[doc = concat!("let (first, second) = numpy::", stringify!($name), "(array(", stringify!($x), ")", $(", array(", stringify!($y), ")",)? ");")]
            #[doc = concat!("assert_eq!(first.to_string(), \"", $shown_first, "\");")]
            #[doc = concat!("assert_eq!(second.to_string(), \"", $shown_second, "\");")]
            /// ```
            #[track_caller]
            pub fn $name(x: impl Into<super::Operand> $(, $other: impl Into<super::Operand>)?) -> (super::Array, super::Array) {
                super::expect(super::checked::$name(x $(, $other)?))
            }
        )+ }

        /// The operations with two results, with errors as values.
        pub mod checked { $(
            #[doc = concat!("[`Array::", stringify!($name), "`](crate::Array::", stringify!($name), "), with errors as values; also takes scalars.")]
            #[track_caller]
            pub fn $name(x: impl Into<super::Operand> $(, $other: impl Into<super::Operand>)?) -> super::Result<(super::Array, super::Array)> {
                super::pair(super::table::$name.rows, &mut [x.into() $(, $other.into())?])
            }
        )+ }
    };
}

pair_table!(pairs);
