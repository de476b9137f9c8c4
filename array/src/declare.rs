//! One declaration, four functions: a method that panics, the form with errors as values that it calls, the same form as a
//! function of [`checked`](crate::checked), and the method in free form as a function of [`numpy`](crate::numpy).

use ndany_core::shape::Shape;

use crate::Array;
use crate::attempt::raise;
use crate::device::Device;
use crate::graph::{self, Operand};

/// The value, or the error raised at the caller of the short form.
#[track_caller]
pub fn expect<T>(result: crate::Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => raise(error),
    }
}

/// The array that a function in free form acts on: the operand, a number as an array without axes.
#[track_caller]
pub(crate) fn acted_on(x: impl Into<Operand>) -> Array {
    match x.into() {
        Operand::Array(array) => array,
        Operand::Scalar(scalar) => {
            let constant = expect(graph::constant("array", &scalar, scalar.natural_dtype()));
            graph::filled(Shape::new(), constant, Device::current())
        }
    }
}

/// Declares methods of `Array` that raise the error of the `try_` form, the latter as functions of the module `$checked`, and the
/// methods in free form as functions of the module `$free`.
/// With `mod $module`, functions of that module in place of the methods.
macro_rules! array_functions {
    (mod $module:ident, $checked:ident; $(
        $(#[doc = $doc:literal])+
        $name:ident / $try_name:ident ($self:ident $(, $arg:ident : $ty:ty)*) -> $ret:ty $body:block
    )+) => {
        impl crate::Array { $(
            #[track_caller]
            pub(crate) fn $try_name(&$self $(, $arg: $ty)*) -> crate::Result<$ret> $body
        )+ }

        /// The functions.
        pub mod $module {
            #[allow(unused_imports)]
            use super::*;
            $(
                $(#[doc = $doc])+
                ///
                /// # Panics
                #[doc = concat!("Where [`checked::", stringify!($name), "`](fn@crate::checked::", stringify!($name), ") returns an error.")]
                #[track_caller]
                pub fn $name(x: impl AsRef<crate::Array> $(, $arg: $ty)*) -> $ret {
                    $crate::declare::expect(x.as_ref().$try_name($($arg),*))
                }
            )+
        }

        /// The same with errors as values.
        pub mod $checked {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[doc = concat!("`", stringify!($name), "`, with errors as values.")]
                #[track_caller]
                pub fn $name(x: impl AsRef<crate::Array> $(, $arg: $ty)*) -> crate::Result<$ret> {
                    x.as_ref().$try_name($($arg),*)
                }
            )+
        }
    };
    (checked $checked:ident, free $free:ident; $(
        $(#[doc = $doc:literal])+
        $name:ident / $try_name:ident ($self:ident $(, $arg:ident : $ty:ty)*) -> $ret:ty $body:block
    )+) => {
        impl crate::Array { $(
            $(#[doc = $doc])+
            ///
            /// # Panics
            #[doc = concat!("Where [`checked::", stringify!($name), "`](fn@crate::checked::", stringify!($name), ") returns an error.")]
            #[track_caller]
            pub fn $name(&$self $(, $arg: $ty)*) -> $ret {
                $crate::declare::expect($self.$try_name($($arg),*))
            }

            #[track_caller]
            pub(crate) fn $try_name(&$self $(, $arg: $ty)*) -> crate::Result<$ret> $body
        )+ }

        /// The same with errors as values.
        pub mod $checked {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[doc = concat!("[`Array::", stringify!($name), "`](crate::Array::", stringify!($name), "), with errors as values.")]
                #[track_caller]
                pub fn $name(x: &crate::Array $(, $arg: $ty)*) -> crate::Result<$ret> { x.$try_name($($arg),*) }
            )+
        }

        /// The same in free form.
        #[allow(dead_code, reason = "where NumPy's order of arguments is another one, `numpy` has a function of its own")]
        pub mod $free {
            #[allow(unused_imports)]
            use super::*;
            $(
                #[doc = concat!("[`Array::", stringify!($name), "`](crate::Array::", stringify!($name), ") in free form.")]
                #[track_caller]
                pub fn $name(x: impl Into<crate::Operand> $(, $arg: $ty)*) -> $ret {
                    $crate::declare::expect($crate::declare::acted_on(x).$try_name($($arg),*))
                }
            )+
        }
    };
}
pub(crate) use array_functions;

/// Declares functions that raise the error of the `try_` form: for what makes or joins arrays rather than acting on one.
/// [`checked`](crate::checked), or the module of it that is named, has the `try_` form under the short name.
macro_rules! functions {
    (in $module:ident; $($functions:tt)+) => {
        crate::declare::functions! { @ concat!("checked::", stringify!($module), "::"); $($functions)+ }
    };
    (@ $path:expr; $(
        $(#[doc = $doc:literal])+
        $name:ident / $try_name:ident ($($arg:ident : $ty:ty),*) -> $ret:ty $body:block
    )+) => { $(
        $(#[doc = $doc])+
        ///
        /// # Panics
        #[doc = concat!("Where [`", $path, stringify!($name), "`](fn@crate::", $path, stringify!($name), ") returns an error.")]
        #[track_caller]
        pub fn $name($($arg: $ty),*) -> $ret {
            $crate::declare::expect($try_name($($arg),*))
        }

        #[doc = concat!("`", stringify!($name), "`, with errors as values.")]
        #[track_caller]
        pub fn $try_name($($arg: $ty),*) -> crate::Result<$ret> $body
    )+ };
    ($($functions:tt)+) => {
        crate::declare::functions! { @ "checked::"; $($functions)+ }
    };
}
pub(crate) use functions;

/// Makes tuples of results that have fields, in the order of NumPy's tuples.
macro_rules! tuple_of {
    ($($result:ident($($field:ident),+): $tuple:ty;)+) => {$(
        impl From<$result> for $tuple {
            fn from(result: $result) -> Self {
                ($(result.$field),+)
            }
        }
    )+};
}
pub(crate) use tuple_of;
