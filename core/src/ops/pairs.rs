//! The table of elementwise operations with two results: each is two rows over the same operands.
//!
//! Both results are lazy by themselves. If both are read, one launch computes them: whichever is
//! evaluated first takes the other along (see `graph::pair`).

use super::fold::FoldKind;
use super::lowering;
use super::row::{Accuracy, UfuncDef};
use super::rows;
use super::signature::Signature;

/// An elementwise operation of two results.
#[derive(Debug)]
pub struct PairDef {
    /// The method and the free function.
    pub name: &'static str,
    /// NumPy's name.
    pub numpy: &'static str,
    /// One line for the docs table.
    pub doc: &'static str,
    /// Number of operands.
    pub arity: usize,
    /// The lowering of each result.
    pub rows: [&'static UfuncDef; 2],
}

const fn half(
    name: &'static str,
    numpy: &'static str,
    signature: Signature,
    lower: super::row::LowerFn,
) -> UfuncDef {
    let (accuracy, test_range) = (Accuracy::Exact, (-100.0, 100.0));
    UfuncDef {
        name,
        numpy,
        doc: "",
        arity: 1,
        signature,
        lower,
        accuracy,
        fold: FoldKind::Left,
        test_range,
    }
}

static MODF_FRACTION: UfuncDef =
    half("modf", "np.modf", Signature::INEXACT_REAL, |b, _, v| lowering::modf_fraction(b, v));
static MODF_WHOLE: UfuncDef =
    half("modf", "np.modf", Signature::INEXACT_REAL, |b, _, v| lowering::trunc(b, v));
static FREXP_FRACTION: UfuncDef =
    half("frexp", "np.frexp", Signature::INEXACT_REAL, |b, _, v| lowering::frexp_fraction(b, v));
static FREXP_EXPONENT: UfuncDef =
    half("frexp", "np.frexp", Signature::EXPONENT, |b, _, v| lowering::frexp_exponent(b, v));

macro_rules! pairs {
    ($($(#[doc = $doc:literal])+ $name:ident $try_name:ident = $numpy:literal, $arity:literal ($($other:ident)?), $first:ident, $second:ident,
        $shapes:literal, $dtypes:literal, $refused:literal, ($x:tt $(, $y:tt)?) => ($shown_first:literal, $shown_second:literal);)+) => {
        $(
            #[doc = concat!("`", $numpy, "`.")]
            #[allow(non_upper_case_globals)]
            pub static $name: PairDef = PairDef {
                name: stringify!($name), numpy: $numpy, doc: concat!($($doc),+), arity: $arity,
                rows: [&$first, &$second],
            };
        )+
        /// Operations with two results.
        pub static PAIRS: &[&PairDef] = &[$(&$name),+];
    };
}

use rows::{floor_divide as FLOOR_DIVIDE, remainder as REMAINDER};

/// The operations with two results.
///
/// Calls the macro `$callback` with all entries. Those of a row: its name, the name of the form with errors as values, NumPy's
/// name, operands, the rows of the results; shapes, dtypes and what is refused; operands with their results.
#[macro_export]
macro_rules! pair_table { ($callback:ident) => { $callback! {
    /// Returns the fraction and the whole part, both with the sign of `x`
    modf try_modf = "np.modf", 1 (), MODF_FRACTION, MODF_WHOLE,
        "(…) → (…), (…)", "every real dtype is taken; floats keep theirs, integers become floats as in `np.sqrt`", "complex numbers",
        ([1.5, -2.25]) => ("[ 0.5  -0.25]", "[ 1. -2.]");
    /// Returns a fraction in [0.5, 1) and an exponent with `x = fraction * 2^exponent`
    frexp try_frexp = "np.frexp", 1 (), FREXP_FRACTION, FREXP_EXPONENT,
        "(…) → (…), (…)", "every real dtype is taken; floats keep theirs, integers become floats as in `np.sqrt`; the exponent is int32", "complex numbers",
        ([8.0, -3.0]) => ("[ 0.5  -0.75]", "[4 2]");
    /// Returns the quotient rounded down and the remainder with the sign of the divisor
    divmod try_divmod = "np.divmod", 2 (other), FLOOR_DIVIDE, REMAINDER,
        "(…), (…) → (…), (…)", "operands promote as NumPy's; every real dtype is taken, bool as int8, and is the result's",
        "complex numbers, shapes that do not broadcast, and operands on two devices",
        ([7, -7], [2, 2]) => ("[ 3 -4]", "[1 1]");
} } }
pair_table!(pairs);
