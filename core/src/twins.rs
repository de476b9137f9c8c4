//! One declaration, four functions: a method and its `try_` twin, and both as free functions.

/// Panics with the error, at the caller of the short form.
#[track_caller]
pub(crate) fn expect<T>(result: crate::Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// Declares methods of `Array` whose short form panics with the error of the `try_` form, and the same
/// two as free functions in module `$module`.
macro_rules! twins {
    (mod $module:ident; $(
        $(#[doc = $doc:literal])+
        $name:ident / $try_name:ident ($self:ident $(, $arg:ident : $ty:ty)*) -> $ret:ty $body:block
    )+) => {
        impl crate::Array { $(
            $(#[doc = $doc])+
            ///
            /// # Panics
            #[doc = concat!("Where [`Array::", stringify!($try_name), "`](crate::Array::", stringify!($try_name), ") errs.")]
            #[track_caller]
            pub fn $name(&$self $(, $arg: $ty)*) -> $ret {
                $crate::twins::expect($self.$try_name($($arg),*))
            }

            #[doc = concat!("[`Array::", stringify!($name), "`](crate::Array::", stringify!($name), "), with errors as values.")]
            #[track_caller]
            pub fn $try_name(&$self $(, $arg: $ty)*) -> crate::Result<$ret> $body
        )+ }

        /// The same as free functions.
        pub mod $module {
            #[allow(unused_imports)]
            use super::*;
            $(
                $(#[doc = $doc])+
                ///
                #[doc = concat!("As [`Array::", stringify!($name), "`](crate::Array::", stringify!($name), ").")]
                #[track_caller]
                pub fn $name(x: &crate::Array $(, $arg: $ty)*) -> $ret { x.$name($($arg),*) }

                #[doc = concat!("[`", stringify!($name), "`](fn@", stringify!($name), "), with errors as values.")]
                #[track_caller]
                pub fn $try_name(x: &crate::Array $(, $arg: $ty)*) -> crate::Result<$ret> { x.$try_name($($arg),*) }
            )+
        }
    };
}
pub(crate) use twins;

/// Declares free functions whose short form panics with the error of the `try_` form: for what makes or
/// joins arrays rather than acting on one.
macro_rules! functions {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident / $try_name:ident ($($arg:ident : $ty:ty),*) -> $ret:ty $body:block
    )+) => { $(
        $(#[doc = $doc])+
        ///
        /// # Panics
        #[doc = concat!("Where [`", stringify!($try_name), "`](fn@", stringify!($try_name), ") errs.")]
        #[track_caller]
        pub fn $name($($arg: $ty),*) -> $ret {
            $crate::twins::expect($try_name($($arg),*))
        }

        #[doc = concat!("[`", stringify!($name), "`](fn@", stringify!($name), "), with errors as values.")]
        #[track_caller]
        pub fn $try_name($($arg: $ty),*) -> crate::Result<$ret> $body
    )+ };
}
pub(crate) use functions;
