//! One declaration, everything about a function: its formula as data and as code for single numbers, the function over arrays
//! with its documentation, and the entry of the table of names.

/// Declares functions.
///
/// `/// One line without the full stop` then `name(x, y) = "sp.special.name", path::of::formula, ulp, [array, array] => "printed";`. The
/// formula takes the algebra and as many values, and returns one value. After the bound, `flat` or `scalar` asks for code that the
/// CPU runs in place of the formula's steps: without branches, for formulas without loops; or element by element. Of several results: `name(x) -> 2 = …,` where the formula
/// returns an array of values, and as many printed results stand in parentheses.
macro_rules! special {
    ($table:ident; $($(#[doc = $doc:literal])+ $name:ident($($arg:ident),+) $(-> $count:literal)? = $numpy:literal, $formula:path, $ulp:literal $($code:ident)?, [$($example:expr),+] => $shown:tt;)+) => {
        $(
            special_function! { [$($doc)+] $name ($($arg),+) [$($count)?] $numpy, $formula, $ulp $($code)?, [$($example),+] => $shown }
        )+

        /// The functions of this subject.
        pub(crate) static $table: &[&ndany_array::extend::Function] = &[$(&$name::FUNCTION),+];
    };
}

macro_rules! special_function {
    ([$($doc:literal)+] $name:ident ($($arg:ident),+) [] $numpy:literal, $formula:path, $ulp:literal $($code:ident)?, [$($example:expr),+] => $shown:literal) => {
        special_data! { $name ($($arg),+) 1, $numpy, $formula, $ulp $($code)?, |value| [value] }

        #[doc = concat!($($doc),+, ", as `scipy.special.", stringify!($name), "`.")]
        ///
        /// - **Shapes**: `(…) → (…)`, broadcast, element by element; lazy.
        /// - **Dtypes**: every real dtype is taken; float32 stays, all others give float64.
        /// - **Errors**: refuses complex numbers, shapes that do not broadcast, and operands on two devices. Panics;
        ///   [`attempt`](fn@ndany_array::attempt) returns the error.
        ///
        /// ```
        /// use ndany::prelude::*;
        #[doc = concat!("let y = special::", stringify!($name), "(", $(stringify!($example), ", "),+ , ");")]
        #[doc = concat!("assert_eq!(y.to_string(), \"", $shown, "\");")]
        /// ```
        #[doc(alias = $numpy)]
        #[track_caller]
        pub fn $name($($arg: impl Into<ndany_array::Operand>),+) -> ndany_array::Array {
            let results = $name::FUNCTION.try_call([$($arg.into()),+]);
            let [result] = ndany_array::extend::results(ndany_array::extend::expect(results));
            result
        }
    };
    ([$($doc:literal)+] $name:ident ($($arg:ident),+) [$count:literal] $numpy:literal, $formula:path, $ulp:literal $($code:ident)?, [$($example:expr),+] => ($($shown:literal),+)) => {
        special_data! { $name ($($arg),+) $count, $numpy, $formula, $ulp $($code)?, |values| values }

        #[doc = concat!($($doc),+, ", as `scipy.special.", stringify!($name), "`.")]
        ///
        /// - **Shapes**: `(…) → (…)` each, broadcast, element by element; lazy, and computed in one launch.
        /// - **Dtypes**: every real dtype is taken; float32 stays, all others give float64.
        /// - **Errors**: refuses complex numbers, shapes that do not broadcast, and operands on two devices. Panics;
        ///   [`attempt`](fn@ndany_array::attempt) returns the error.
        ///
        /// ```
        /// use ndany::prelude::*;
        #[doc = concat!("let y = special::", stringify!($name), "(", $(stringify!($example), ", "),+ , ");")]
        #[doc = concat!("assert_eq!(y.map(|y| y.to_string()), [", $("\"", $shown, "\", "),+ , "]);")]
        /// ```
        #[doc(alias = $numpy)]
        #[track_caller]
        pub fn $name($($arg: impl Into<ndany_array::Operand>),+) -> [ndany_array::Array; $count] {
            let results = $name::FUNCTION.try_call([$($arg.into()),+]);
            ndany_array::extend::results(ndany_array::extend::expect(results))
        }
    };
}

macro_rules! special_code {
    ([], $($rest:tt)+) => {};
    ([flat], [$($arg:ident),+], $count:literal) => {
        ndany_core::block_code! { flat, true, [$($arg),+], $count, expand }
    };
    ([scalar], [$($arg:ident),+], $count:literal) => {
        ndany_core::block_code! { scalar, false, [$($arg),+], $count, expand }
    };
}

/// The statics of a function, in a module of its name.
macro_rules! special_data {
    ($name:ident ($($arg:ident),+) $count:literal, $numpy:literal, $formula:path, $ulp:literal $($code:ident)?, $several:expr) => {
        #[allow(non_snake_case)]
        pub(crate) mod $name {
            #[allow(unused_imports)]
            use super::*;
            use ndany_array::extend::Function;
            use ndany_core::formulas::algebra::{Algebra, Native};
            use ndany_core::program::OpenFormula;
            use ndany_core::program::{State, Words};

            #[inline(always)]
            fn expand<A: Algebra>(a: &A, args: &[A::F]) -> [A::F; $count] {
                let &[$($arg),+] = args else { unreachable!("operands of {}", $numpy) };
                ($several)($formula(a, $($arg),+))
            }

            static FORMULA: OpenFormula = OpenFormula::new(
                stringify!($name),
                [$(stringify!($arg)),+].len(),
                $count,
                |b, args| State::from_slice(&expand(&Words::<64>(b), args)),
                None,
                [1, $ulp],
            )$(.with_code($code))?;
            special_code! { [$($code)?], [$($arg),+], $count }

            pub(crate) static FUNCTION: Function = Function::new(
                stringify!($name),
                $numpy,
                concat!($(stringify!($arg), " "),+, "out=None * where=True dtype=None casting=same_kind order=K subok~"),
                &FORMULA,
                |args, results| results.copy_from_slice(&expand(&Native::<f64, true>::new(), args)),
            );
        }
    };
}
