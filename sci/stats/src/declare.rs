//! One declaration of a family: its functions as data, its entry in the tables, and the function that makes a distribution of it.

use ndany_array::api::Error;

/// An argument that the function does not take.
pub(crate) fn wrong(op: &str, reason: impl Into<String>) -> Error {
    Error::Arguments { op: op.into(), reason: reason.into() }
}

/// Declares families: `/// One line` then `name(shape: "what it is", …) = continuous Type, [example parameters], "probability";`.
macro_rules! families {
    ($($(#[doc = $doc:literal])+ $name:ident($($shape:ident),*) = $kind:ident $ty:ty, $shown:literal;)+) => {
        $(
            family! { [$($doc)+] $name ($($shape),*) $kind $ty, $shown }
        )+

        /// Every family.
        pub static FAMILIES: &[&Family] = &[$(&$name::FAMILY),+];

        /// The functions of every family, for calls by name.
        pub static FUNCTIONS: &[&[&Function]] = &[$($name::FUNCTIONS),+];
    };
}

macro_rules! family {
    ([$($doc:literal)+] $name:ident ($($shape:ident),*) $kind:ident $ty:ty, $shown:literal) => {
        pub(crate) mod $name {
            use super::*;

            const SHAPES: &[&str] = &[$(stringify!($shape)),*];

            methods! { $kind $name $ty, [$($shape)*]
                pdf 1, logpdf 1, cdf 1, sf 1, logcdf 1, logsf 1, ppf 1, isf 1;
                mean 0, var 0, skew 0, kurtosis 0, entropy 0, median 0
            }

            pub(crate) static FAMILY: Family = Family {
                name: stringify!($name),
                shapes: SHAPES,
                discrete: is_discrete!($kind),
                methods: METHODS,
                moments: MOMENTS,
            };
        }

        $(#[doc = $doc])+
        ///
        /// ```
        /// use ndany::prelude::*;
        #[doc = concat!("assert_eq!(stats::", stringify!($name), $shown, ");")]
        /// ```
        #[doc(alias = "scipy.stats")]
        pub fn $name($($shape: impl Into<Operand>),*) -> Distribution {
            Distribution::new(&$name::FAMILY, smallvec::smallvec![$($shape.into()),*])
        }
    };
}

macro_rules! is_discrete {
    (continuous) => {
        false
    };
    (discrete) => {
        true
    };
}

/// The statics of the methods of a family: the formula and the function of each.
macro_rules! methods {
    ($kind:ident $name:ident $ty:ty, $shapes:tt $($method:ident $variable:tt),+; $($moment:ident $none:tt),+) => {
        $( method! { $kind $name $ty, $shapes $method $variable } )+
        $( method! { $kind $name $ty, $shapes $moment $none } )+
        const METHODS: [&Function; 8] = [$(&$method::FUNCTION),+];
        const MOMENTS: [&Function; 6] = [$(&$moment::FUNCTION),+];
        pub(crate) const FUNCTIONS: &[&Function] = &[$(&$method::FUNCTION,)+ $(&$moment::FUNCTION),+];
    };
}

macro_rules! method {
    (continuous $name:ident $ty:ty, $shapes:tt $method:ident $variable:tt) => {
        statics! { $name $method $method $shapes $variable, 2,
        |a, v| crate::family::Methods::<$ty>::$method(a, v), " loc? scale?", &[0.0, 1.0] }
    };
    (discrete $name:ident $ty:ty, $shapes:tt pdf $variable:tt) => {
        statics! { $name pdf pmf $shapes $variable, 1,
        |a, v| crate::family::Counts::<$ty>::pdf(a, &with_scale(a, v)), " loc?", &[0.0] }
    };
    (discrete $name:ident $ty:ty, $shapes:tt logpdf $variable:tt) => {
        statics! { $name logpdf logpmf $shapes $variable, 1,
        |a, v| crate::family::Counts::<$ty>::logpdf(a, &with_scale(a, v)), " loc?", &[0.0] }
    };
    (discrete $name:ident $ty:ty, $shapes:tt $method:ident $variable:tt) => {
        statics! { $name $method $method $shapes $variable, 1,
        |a, v| crate::family::Counts::<$ty>::$method(a, &with_scale(a, v)), " loc?", &[0.0] }
    };
}

macro_rules! statics {
    ($name:ident $method:ident $shown:ident $shapes:tt $variable:tt, $rest:literal, |$a:ident, $v:ident| $body:expr, $loc:tt, $defaults:expr) => {
        mod $method {
            #[allow(unused_imports)]
            use super::*;
            use ndany_core::formulas::algebra::{Algebra, Native};
            use ndany_core::program::OpenFormula;
            use ndany_core::program::{State, Words};

            fn expand<A: Algebra>($a: &A, $v: &[A::F]) -> A::F {
                $body
            }

            static FORMULA: OpenFormula = OpenFormula::new(
                concat!(stringify!($name), ".", stringify!($shown)),
                $variable + SHAPES.len() + $rest,
                1,
                |b, args| State::from_slice(&[expand(&Words::<64>(b), args)]),
                None,
                [1, 64],
            );

            pub(crate) static FUNCTION: Function = Function::new(
                concat!(stringify!($name), ".", stringify!($shown)),
                concat!("sp.stats.", stringify!($name), ".", stringify!($shown)),
        parameters!($variable $shapes $loc),
                &FORMULA,
                |args, results| results[0] = expand(&Native::<f64, true>::new(), args),
            )
            .with_defaults($defaults);
        }
    };
}

/// The parameters of a method: the variable, the shapes, and what may be left out.
macro_rules! parameters {
    (1 [$($shape:ident)*] $rest:literal) => {
        concat!("x", $(" ", stringify!($shape),)* $rest)
    };
    (0 [$first:ident $($shape:ident)*] $rest:literal) => {
        concat!(stringify!($first), $(" ", stringify!($shape),)* $rest)
    };
    (0 [] " loc? scale?") => {
        "loc? scale?"
    };
}
