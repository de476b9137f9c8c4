//! The table of elementwise operations with two results: each is two rows over the same operands.
//!
//! Both results are lazy by themselves. If both are read, one launch computes them: whichever is
//! evaluated first takes the other along (see `graph::pair`).

use super::fold::Fold;
use super::meaning;
use super::row::{Accuracy, Row};
use super::rows;
use super::signature::Signature;
use crate::Array;
use crate::declare::expect;
use crate::error::Result;
use crate::graph::{Operand, pair};

/// An elementwise operation of two results.
#[derive(Debug)]
pub struct PairRow {
    /// The method and the free function.
    pub name: &'static str,
    /// NumPy's name.
    pub numpy: &'static str,
    /// One line for the docs table.
    pub doc: &'static str,
    /// Number of operands.
    pub arity: usize,
    /// What makes each result.
    pub rows: [&'static Row; 2],
}

const fn half(
    name: &'static str,
    numpy: &'static str,
    signature: Signature,
    meaning: super::row::Meaning,
) -> Row {
    let (accuracy, probe) = (Accuracy::Exact, (-100.0, 100.0));
    Row { name, numpy, doc: "", arity: 1, signature, meaning, accuracy, fold: Fold::Left, probe }
}

static MODF_FRACTION: Row =
    half("modf", "np.modf", Signature::INEXACT_REAL, |b, _, v| meaning::modf_fraction(b, v));
static MODF_WHOLE: Row =
    half("modf", "np.modf", Signature::INEXACT_REAL, |b, _, v| meaning::trunc(b, v));
static FREXP_FRACTION: Row =
    half("frexp", "np.frexp", Signature::INEXACT_REAL, |b, _, v| meaning::frexp_fraction(b, v));
static FREXP_EXPONENT: Row =
    half("frexp", "np.frexp", Signature::EXPONENT, |b, _, v| meaning::frexp_exponent(b, v));

macro_rules! pairs {
    ($($(#[doc = $doc:literal])+ $name:ident $try_name:ident = $numpy:literal, $arity:literal ($($other:ident)?), $first:ident, $second:ident;)+) => {
        /// Operations with two results.
        pub static PAIRS: &[&PairRow] = &[$(&PairRow {
            name: stringify!($name), numpy: $numpy, doc: concat!($($doc),+), arity: $arity,
            rows: [&$first, &$second],
        }),+];

        impl Array { $(
            $(#[doc = $doc])+
            ///
            #[doc = concat!("Elementwise, as `", $numpy, "`; lazy, and one launch where both are read. Panics where [`checked::", stringify!($name), "`](fn@crate::checked::", stringify!($name), ") errs.")]
            #[track_caller]
            pub fn $name(&self $(, $other: impl Into<Operand>)?) -> (Array, Array) {
                expect(self.$try_name($($other)?))
            }

            #[track_caller]
            pub(crate) fn $try_name(&self $(, $other: impl Into<Operand>)?) -> Result<(Array, Array)> {
                pair([&$first, &$second], &mut [self.into() $(, $other.into())?])
            }
        )+ }

        /// The operations with two results as free functions.
        pub mod free { $(
            $(#[doc = $doc])+
            ///
            #[doc = concat!("As [`Array::", stringify!($name), "`](crate::Array::", stringify!($name), "); also takes scalars.")]
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
                super::pair([&super::$first, &super::$second], &mut [x.into() $(, $other.into())?])
            }
        )+ }
    };
}

use rows::{floor_divide as FLOOR_DIVIDE, remainder as REMAINDER};

pairs! {
    /// The fraction and the whole part, both with the sign of `x`.
    modf try_modf = "np.modf", 1 (), MODF_FRACTION, MODF_WHOLE;
    /// A fraction in [0.5, 1) and a binary exponent (int32) with `x = fraction * 2^exponent`.
    frexp try_frexp = "np.frexp", 1 (), FREXP_FRACTION, FREXP_EXPONENT;
    /// The quotient rounded down and the remainder with the sign of the divisor.
    divmod try_divmod = "np.divmod", 2 (other), FLOOR_DIVIDE, REMAINDER;
}
