//! One declaration, everything about a function: its formula as data and as code for single numbers, the function over arrays
//! with its documentation, and the entry of the table of names.

/// Declares functions.
///
/// `/// One line without the full stop` then `name(x, y) = "sp.special.name", path::of::formula, ulp, [array, array] => "printed";`. The
/// formula takes the algebra and as many values, and returns one value. After the bound, `flat` or `scalar` asks for code that the
/// CPU runs in place of the formula's steps: without branches, for formulas without loops; or element by element. Of several results: `name(x) -> 2 = …,` where the formula
/// returns an array of values, and as many printed results stand in parentheses. Before the examples, `by "n z k?" [1.0]` writes the
/// parameters of calls by name with the values of the last ones, and `or "option" FUNCTION` names what is called where an option that
/// follows them is true. `with FUNCTION` names the function for complex operands, and
/// `whole FUNCTION` one with less code and the same values where the first operand is a whole number of the host. `as "text"` after SciPy's name says in words what SciPy calls it.
macro_rules! special {
    ($table:ident; $($(#[doc = $doc:literal])+ $name:ident($($arg:ident),+) $(-> $count:literal)? = $numpy:literal $(as $as:literal)?, $formula:path, $ulp:literal $($code:ident)? $(, by $parameters:literal [$($default:expr),*])? $(, or $option:literal $other:ident)? $(, with $complex:ident)? $(, whole $whole:ident)?, [$($example:expr),+] => $shown:tt;)+) => {
        $(
            special_data! { $name ($($arg),+) [$($count)?] $numpy, $formula, $ulp $($code)?, [$($parameters)?] [$($($default),*)?] [$($option, $other)?] [$($complex)?] [$($whole)?] }
            special_function! { [$($doc)+] $name ($($arg),+) [$($count)?] $numpy [$($as)?], [$($example),+] => $shown, [$($complex)?] }
        )+

        /// The functions of this subject.
        pub(crate) static $table: &[&ndany_array::extend::Function] = &[$(&$name::FUNCTION),+];
    };
}

macro_rules! special_function {
    ([$($doc:literal)+] $name:ident ($($arg:ident),+) [] $numpy:literal [$($as:literal)?], [$($example:expr),+] => $shown:literal, [$($complex:ident)?]) => {
        #[doc = concat!($($doc),+, special_as!($name $($as)?))]
        ///
        /// - **Shapes**: `(…) → (…)`, broadcast, element by element; lazy.
        #[doc = special_dtypes!($($complex)?)]
        #[doc = special_errors!($($complex)?)]
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
    ([$($doc:literal)+] $name:ident ($($arg:ident),+) [$count:literal] $numpy:literal [$($as:literal)?], [$($example:expr),+] => ($($shown:literal),+), [$($complex:ident)?]) => {
        #[doc = concat!($($doc),+, special_as!($name $($as)?))]
        ///
        /// - **Shapes**: `(…) → (…)` each, broadcast, element by element; lazy, and computed in one launch.
        #[doc = special_dtypes!($($complex)?)]
        #[doc = special_errors!($($complex)?)]
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

macro_rules! special_as {
    ($name:ident) => {
        concat!(", as `scipy.special.", stringify!($name), "`.")
    };
    ($name:ident $as:literal) => {
        concat!(", as ", $as, ".")
    };
}

macro_rules! special_dtypes {
    (complex_only) => {
        " - **Dtypes**: every dtype is taken; float32 and complex64 give complex64, all others complex128."
    };
    () => {
        " - **Dtypes**: every real dtype is taken; float32 stays, all others give float64."
    };
    ($complex:ident) => {
        " - **Dtypes**: every dtype is taken; float32 and complex64 stay, others give float64 or complex128."
    };
}

macro_rules! special_errors {
    () => {
        " - **Errors**: refuses complex numbers, shapes that do not broadcast, and operands on two devices. Panics;"
    };
    ($complex:ident) => {
        " - **Errors**: refuses shapes that do not broadcast, and operands on two devices. Panics;"
    };
}

macro_rules! special_parameters {
    ([] $($arg:ident),+) => {
        concat!($(stringify!($arg), " "),+, "out=None * where=True dtype=None casting=same_kind order=K subok~")
    };
    ([$parameters:literal] $($arg:ident),+) => {
        $parameters
    };
}

/// The statics of a function, in a module of its name.
macro_rules! special_data {
    ($name:ident ($($arg:ident),+) [] $($rest:tt)+) => {
        special_data! { $name ($($arg),+) 1, |value| [value], $($rest)+ }
    };
    ($name:ident ($($arg:ident),+) [$count:literal] $($rest:tt)+) => {
        special_data! { $name ($($arg),+) $count, |values| values, $($rest)+ }
    };
    ($name:ident ($($arg:ident),+) $count:literal, $several:expr, $numpy:literal, $formula:path, $ulp:literal $($code:ident)?, [$($parameters:literal)?] [$($default:expr),*] [$($option:literal, $other:ident)?] [$($complex:ident)?] [$($whole:ident)?]) => {
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
                special_parameters!([$($parameters)?] $($arg),+),
                &FORMULA,
                |args, results| results.copy_from_slice(&expand(&Native::<f64, true>::new(), args)),
            )
            .with_defaults(&[$($default),*])
            $(.with_option($option, &$other::FUNCTION))?
            $(.with_complex(&$complex::FUNCTION))?
            $(.with_whole(&$whole::FUNCTION))?;
        }
    };
}

/// Declares what functions call where the first operand is a whole number of the host: `name(n, x) = "sp.special.name", formula, ulp;`.
macro_rules! whole_forms {
    ($($name:ident($($arg:ident),+) = $numpy:literal, $formula:path, $ulp:literal;)+) => {
        $(special_data! { $name ($($arg),+) [] $numpy, $formula, $ulp, [] [] [] [] [] })+
    };
}

/// Declares functions with complex results, as `special!` does. Of each operand `name: C` says that it is complex, and `R` that it is real.
/// The formula takes pairs (real part, imaginary part) and numbers, and returns a pair.
macro_rules! complex {
    ($table:ident; $($(#[doc = $doc:literal])+ $name:ident($($arg:ident: $kind:ident),+) $(-> $count:literal)? = $numpy:literal, $formula:path, $ulp:literal $(, by $parameters:literal [$($default:expr),*])?, [$($example:expr),+] => $shown:tt;)+) => {
        $(
            complex_form! { $name ($($arg: $kind),+) [$($count)?] $numpy, $formula, $ulp, [$($parameters)?] [$($($default),*)?] }
            special_function! { [$($doc)+] $name ($($arg),+) [$($count)?] $numpy [], [$($example),+] => $shown, [complex_only] }
        )+

        /// The functions of this subject.
        pub(crate) static $table: &[&ndany_array::extend::Function] = &[$(&$name::FUNCTION),+];
    };
}

/// Declares what functions call where an operand is complex: `name(z: C) = "sp.special.name", formula, ulp;`.
macro_rules! complex_forms {
    ($table:ident; $($name:ident($($arg:ident: $kind:ident),+) $(-> $count:literal)? = $numpy:literal, $formula:path, $ulp:literal;)+) => {
        $(complex_form! { $name ($($arg: $kind),+) [$($count)?] $numpy, $formula, $ulp, [] [] })+

        /// The functions of this subject.
        pub(crate) static $table: &[&ndany_array::extend::Function] = &[$(&$name::FUNCTION),+];
    };
}

macro_rules! complex_form {
    ($name:ident ($($arg:ident: $kind:ident),+) [] $($rest:tt)+) => {
        complex_data! { $name ($($arg: $kind),+) 1, |pair| [pair], $($rest)+ }
    };
    ($name:ident ($($arg:ident: $kind:ident),+) [$count:literal] $($rest:tt)+) => {
        complex_data! { $name ($($arg: $kind),+) $count, |pairs| pairs, $($rest)+ }
    };
}

macro_rules! complex_operand {
    (C, $next:ident) => {
        ($next(), $next())
    };
    (R, $next:ident) => {
        $next()
    };
}

macro_rules! complex_flag {
    (C) => {
        true
    };
    (R) => {
        false
    };
}

/// The statics of a function with complex results, in a module of its name.
macro_rules! complex_data {
    ($name:ident ($($arg:ident: $kind:ident),+) $count:literal, $several:expr, $numpy:literal, $formula:path, $ulp:literal, [$($parameters:literal)?] [$($default:expr),*]) => {
        #[allow(non_snake_case)]
        pub(crate) mod $name {
            #[allow(unused_imports)]
            use super::*;
            use ndany_array::extend::Function;
            use ndany_core::formulas::algebra::{Algebra, Native};
            use ndany_core::program::OpenFormula;
            use ndany_core::program::{State, Words};

            const PARTS: &[bool] = &[$(complex_flag!($kind)),+];
            const ARITY: usize = 0 $(+ 1 + complex_flag!($kind) as usize)+;

            #[inline(always)]
            fn expand<A: Algebra>(a: &A, args: &[A::F]) -> [A::F; 2 * $count] {
                let mut rest = args.iter();
                let mut next = || match rest.next() {
                    Some(&part) => part,
                    None => unreachable!("operands of {}", $numpy),
                };
                $(let $arg = complex_operand!($kind, next);)+
                let pairs: [_; $count] = ($several)($formula(a, $($arg),+));
                std::array::from_fn(|part| if part % 2 == 0 { pairs[part / 2].0 } else { pairs[part / 2].1 })
            }

            static FORMULA: OpenFormula = OpenFormula::new(
                stringify!($name),
                ARITY,
                2 * $count,
                |b, args| State::from_slice(&expand(&Words::<64>(b), args)),
                None,
                [1, $ulp],
            );

            pub(crate) static FUNCTION: Function = Function::new(
                stringify!($name),
                $numpy,
                special_parameters!([$($parameters)?] $($arg),+),
                &FORMULA,
                |args, results| results.copy_from_slice(&expand(&Native::<f64, true>::new(), args)),
            )
            .with_defaults(&[$($default),*])
            .of_complex(PARTS);
        }
    };
}
