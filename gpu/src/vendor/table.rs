//! Tables of functions that vendors have under names of their own.
//!
//! The signatures stand once, in the table's declaration; a vendor gives the names. A function that has several names
//! in the versions of a library gets them all, and the first that is there is taken.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;

use crate::library::{Incomplete, Library, Symbols, symbol};

/// A function of a library and its name there.
#[derive(Clone, Copy)]
pub struct Named<F> {
    /// As errors say it.
    pub name: &'static str,
    /// What to call.
    pub function: F,
}

/// The first of several names that a library has.
///
/// # Safety
/// `F` is a function pointer of the signature that the library's documentation gives all these names.
pub unsafe fn first<F: Copy>(
    library: &Library,
    names: &'static [&'static str],
) -> Named<Option<F>> {
    // SAFETY: the caller's.
    let found = names.iter().find_map(|name| Some((name, unsafe { symbol(library, name) }?)));
    match found {
        Some((name, function)) => Named { name, function: Some(function) },
        None => Named { name: names.first().unwrap_or(&""), function: None },
    }
}

/// A table of functions that vendors have under names of their own.
pub trait Table: Sized {
    /// What a vendor calls the functions.
    type Names;

    /// Takes the functions from a library.
    ///
    /// # Errors
    /// One that must be there is missing.
    ///
    /// # Safety
    /// The names are those of functions of the table's signatures.
    unsafe fn load(library: &Library, names: &Self::Names) -> Result<Self, Incomplete>;

    /// An address inside the library.
    fn anchor(&self) -> *const c_void;
}

/// What has a table's functions under names of its own.
///
/// # Safety
/// The names are those of functions of the table's signatures.
pub unsafe trait NamedBy<F: Table> {
    /// The names.
    const NAMES: F::Names;
}

/// A vendor's library: the functions that every vendor has, and those that no other vendor has alike.
pub struct Api<V, F, O> {
    /// What every vendor has.
    pub functions: F,
    /// What this one has.
    pub own: O,
    vendor: PhantomData<fn() -> V>,
}

impl<V, F, O> fmt::Debug for Api<V, F, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").finish_non_exhaustive()
    }
}

impl<V: NamedBy<F>, F: Table, O: Symbols> Symbols for Api<V, F, O> {
    fn load(library: &Library) -> Result<Self, Incomplete> {
        // SAFETY: the vendor vouches for its names.
        let functions = unsafe { F::load(library, &V::NAMES) }?;
        Ok(Self { functions, own: O::load(library)?, vendor: PhantomData })
    }

    fn anchor(&self) -> Option<*const c_void> {
        Some(self.functions.anchor())
    }
}

/// Declares a table whose functions return 0 or a code, in a module of its own: the table, the vendor's `Names` for it,
/// and `Signatures`, with which tests of a vendor compare other bindings of these functions.
macro_rules! functions {
    ($(#[$meta:meta])* pub struct $table:ident$(<$place:ident>)? {
        $(fn $field:ident($($arg:ident: $ty:ty),* $(,)?);)*
        $(optional fn $maybe:ident($($marg:ident: $mty:ty),*);)*
    }) => {
        $(#[$meta])*
        #[allow(missing_docs, reason = "their names say what they do")]
        pub struct $table$(<$place>)? {
            $(pub $field: $crate::vendor::table::Named<unsafe extern "C" fn($($ty),*) -> u32>,)*
            $(pub $maybe: $crate::vendor::table::Named<Option<unsafe extern "C" fn($($mty),*) -> u32>>,)*
        }

        /// What a vendor calls the functions; the best name first.
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs, reason = "as above")]
        pub struct Names {
            $(pub $field: &'static [&'static str],)*
            $(pub $maybe: &'static [&'static str],)*
        }

        impl$(<$place>)? $crate::vendor::table::Table for $table$(<$place>)? {
            type Names = Names;

            unsafe fn load(
                library: &$crate::library::Library,
                names: &Names,
            ) -> Result<Self, $crate::library::Incomplete> {
                use $crate::library::Incomplete;
                use $crate::vendor::table::{Named, first};
                // SAFETY: the caller's.
                unsafe {
                    Ok(Self {
                        $($field: {
                            let Named { name, function } = first(library, names.$field);
                            Named { name, function: function.ok_or(Incomplete { function: name })? }
                        },)*
                        $($maybe: first(library, names.$maybe),)*
                    })
                }
            }

            fn anchor(&self) -> *const std::ffi::c_void {
                let [anchor, ..] = [$(self.$field.function as *const std::ffi::c_void),*];
                anchor
            }
        }

        impl$(<$place>)? std::fmt::Debug for $table$(<$place>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($table)).finish_non_exhaustive()
            }
        }

        /// The signatures, for tests of vendors; `P` is what calls name a device by.
        #[derive(Debug, Default)]
        pub struct Signatures<P>(std::marker::PhantomData<P>);

        // Arguments' names serve as names of the types that other bindings give them.
        #[allow(non_camel_case_types, missing_docs, clippy::too_many_arguments, reason = "as above")]
        impl<P> Signatures<P> {
            $(functions! { @same $field($($arg: $ty),*) })*
            $(functions! { @same $maybe($($marg: $mty),*) })*
        }

        impl Names {
            /// The functions by all their names: whether one must be there, and the bytes of its result and arguments.
            #[allow(unused_parens, reason = "of tables that name no devices")]
            pub fn signatures$(<$place>)?(&self) -> Vec<(&'static str, bool, Vec<usize>)> {
                let needed = [$((self.$field, vec![4, $(size_of::<$ty>()),*])),*];
                let optional: Vec<(&[&str], Vec<usize>)> =
                    vec![$((self.$maybe, vec![4, $(size_of::<$mty>()),*])),*];
                // Of several names each alone may be missing.
                let needed = needed.into_iter().flat_map(|(names, sizes)| {
                    names.iter().map(move |name| (*name, names.len() == 1, sizes.clone()))
                });
                let optional = optional
                    .into_iter()
                    .flat_map(|(names, sizes)| names.iter().map(move |name| (*name, false, sizes.clone())));
                needed.chain(optional).collect()
            }
        }
    };
    (@same $field:ident($($arg:ident: $ty:ty),*)) => {
        pub fn $field<$($arg,)* Code>(&self, _: unsafe fn($($arg),*) -> Code) -> bool {
            [$((size_of::<$arg>(), size_of::<$ty>()),)* (size_of::<Code>(), size_of::<u32>())]
                .iter()
                .all(|(theirs, ours)| theirs == ours)
        }
    };
}
pub(crate) use functions;

/// Lists a vendor's names for the functions of a table: `names! { pub(crate) const DRIVER: device<u64>; init: cuInit, …
/// }`, of several names for one function `elapsed: new | old`, of an optional function that the vendor lacks none. With `, compared with MODULE by TEST` in front of the
/// semicolon a test of that name compares the signatures with the bindings in the module.
#[macro_export]
macro_rules! names {
    ($(#[$meta:meta])* $vis:vis const $names:ident: $table:ident$(<$place:ty>)?$(, compared with $bindings:ident by $test:ident)?;
        $($field:ident: $($function:ident)|*),* $(,)?) => {
        $(#[$meta])*
        $vis const $names: $crate::vendor::$table::Names = $crate::vendor::$table::Names {
            $($field: &[$(stringify!($function)),*],)*
        };

        $crate::names! { @test ($($bindings $test)?) $table ($($place)?) $($field: $($function)|*,)* }
    };
    (@test () $($rest:tt)*) => {};
    (@test ($bindings:ident $test:ident) $table:ident ($($place:ty)?)
        $($field:ident: $($function:ident)|*,)*) => {
        #[cfg(test)]
        #[test]
        fn $test() {
            let signatures = $crate::vendor::$table::Signatures::<($($place)?)>::default();
            $($(assert!(signatures.$field($bindings::$function), stringify!($function));)*)*
        }
    };
}
