//! Elementwise operations as functions of arrays: each entry of the tables in [`ndany_core::ops`] as a method, as a free
//! function, and as a function with errors as values.

pub mod pairs;

use ndany_core::ops::{UfuncDef, rows};
use ndany_core::{Result, binary_table, unary_table};

use crate::Array;
use crate::declare::expect;
use crate::extend;
use crate::graph::{self, Operand, promote, promote_scalars};

/// Asks for an elementwise operation. The operands are taken out of the slice. Where the operation has real operands alone and one is
/// complex, a function that another crate has for these takes its place.
#[track_caller]
pub(crate) fn elementwise(row: &'static UfuncDef, operands: &mut [Operand]) -> Result<Array> {
    let refused = match graph::resolve(row, operands) {
        Ok((dtypes, output)) => {
            return graph::elementwise_as(row, operands, dtypes, output, None);
        }
        Err(refused) => refused,
    };
    let complex = promote(operands).is_complex().then(|| extend::of_complex(row.numpy)).flatten();
    match complex {
        Some(function) => Ok(function.try_call(operands.iter().cloned())?.remove(0)),
        None => Err(refused),
    }
}

/// The dtypes that an operation of this signature takes and returns, for its documentation.
macro_rules! dtypes {
    (ANY) => {
        "every dtype is taken, and is the result's"
    };
    (NUMBERS) => {
        "every dtype but bool is taken, and is the result's"
    };
    (WIDENED) => {
        "every dtype is taken, bool as int8, and is the result's"
    };
    (WIDENED_REAL) => {
        "every real dtype is taken, bool as int8, and is the result's"
    };
    (REAL) => {
        "every real dtype is taken, and is the result's"
    };
    (INEXACT) => {
        "every dtype is taken; floats and complex numbers keep theirs, bool and integers of 8 bits give float16, of 16 bits \
         float32, wider ones float64"
    };
    (INEXACT_REAL) => {
        "every real dtype is taken; floats keep theirs, bool and integers of 8 bits give float16, of 16 bits float32, wider \
         ones float64"
    };
    (DIVISION) => {
        "every dtype is taken; floats and complex numbers keep theirs, bool and integers give float64"
    };
    (DIVISION_REAL) => {
        "every real dtype is taken; floats keep theirs, bool and integers give float64"
    };
    (WIDEST) => {
        "every dtype is taken; complex numbers give complex128, all others float64"
    };
    (SPECIAL) => {
        "every real dtype is taken; float32 stays, all others give float64"
    };
    (TRUTH) => {
        "every dtype is taken; the result is bool"
    };
    (TRUTH_REAL) => {
        "every real dtype is taken; the result is bool"
    };
    (BITS) => {
        "bool and integers are taken, and are the result's"
    };
    (SHIFTS) => {
        "integers and bool as int8 are taken, and are the result's"
    };
    (INTEGERS) => {
        "integers are taken, and are the result's"
    };
    (SCALED) => {
        "`x` is real and the exponent an integer; the result has the dtype of `x`, or the float that `np.sqrt` makes of an \
         integer"
    };
    (COUNTED) => {
        "integers and bool are taken; the result is uint8"
    };
    (MAGNITUDE) => {
        "every dtype is taken, and is the result's, but complex numbers give the dtype of their parts"
    };
}

/// What an operation of this signature refuses because of a dtype, for its documentation.
macro_rules! refused {
    (NUMBERS) => {
        "bool"
    };
    (INTEGERS) => {
        "bool, floats and complex numbers"
    };
    (BITS) => {
        "floats and complex numbers"
    };
    (SHIFTS) => {
        "floats and complex numbers"
    };
    (COUNTED) => {
        "floats and complex numbers"
    };
    (SCALED) => {
        "complex numbers, and an exponent that is not an integer"
    };
    (WIDENED_REAL) => {
        "complex numbers"
    };
    (REAL) => {
        "complex numbers"
    };
    (INEXACT_REAL) => {
        "complex numbers"
    };
    (DIVISION_REAL) => {
        "complex numbers"
    };
    (SPECIAL) => {
        "complex numbers"
    };
    (TRUTH_REAL) => {
        "complex numbers"
    };
    ($any:ident) => {
        "no dtype"
    };
}

/// How the form with errors as values is reached: by the name in `checked`, or by `attempt`.
macro_rules! reported {
    (attempt) => {
        "Panics; [`attempt`](fn@crate::attempt) returns the error."
    };
    ($checked:ident) => {
        concat!(
            "Panics; [`checked::",
            stringify!($checked),
            "`](fn@crate::checked::",
            stringify!($checked),
            ") returns the error."
        )
    };
}

/// A function with the documentation that follows from its row: `[facts] reported-by, import, text before the operands and
/// after them; function`.
macro_rules! documented {
    ([$numpy:literal $signature:ident ($x:tt) $shown:literal $($doc:literal)+] $checked:ident, $import:literal, $before:expr, $after:expr; $($function:tt)+) => {
        #[doc = concat!($($doc),+, ", as `", $numpy, "`.")]
        ///
        /// - **Shapes**: `(…) → (…)`, element by element; lazy.
        #[doc = concat!("- **Dtypes**: ", dtypes!($signature), ".")]
        #[doc = concat!("- **Errors**: refuses ", refused!($signature), ". ", reported!($checked))]
        ///
        /// ```
        #[doc = concat!("use ndany::", $import, ";")]
        #[doc = concat!("let y = ", $before, "array(", stringify!($x), ")", $after, ";")]
        #[doc = concat!("assert_eq!(y.to_string(), \"", $shown, "\");")]
        /// ```
        #[doc(alias = $numpy)]
        #[track_caller]
        $($function)+
    };
    ([$numpy:literal $signature:ident ($x:tt, $y:tt) $shown:literal $($doc:literal)+] $checked:ident, $import:literal, $before:expr, $between:expr; $($function:tt)+) => {
        #[doc = concat!($($doc),+, ", as `", $numpy, "`.")]
        ///
        /// - **Shapes**: `(…), (…) → (…)`, broadcast, element by element; lazy.
        #[doc = concat!("- **Dtypes**: operands promote as NumPy's; then ", dtypes!($signature), ".")]
        #[doc = concat!("- **Errors**: refuses ", refused!($signature), ", shapes that do not broadcast, and operands on two devices. ", reported!($checked))]
        ///
        /// ```
        #[doc = concat!("use ndany::", $import, ";")]
        #[doc = concat!("let z = ", $before, "array(", stringify!($x), ")", $between, "array(", stringify!($y), "));")]
        #[doc = concat!("assert_eq!(z.to_string(), \"", $shown, "\");")]
        /// ```
        #[doc(alias = $numpy)]
        #[track_caller]
        $($function)+
    };
}

/// The method of an operation of one operand: under the row's name, under the one that the array API standard has (`as`), or
/// none (`as _`), where another method does the same.
macro_rules! unary_method {
    ($facts:tt $row:ident, $try_name:ident, _ $name:ident) => {};
    ($facts:tt $row:ident, $try_name:ident, special $name:ident) => {};
    ($facts:tt $row:ident, $try_name:ident, $method:ident $name:ident) => {
        unary_method! { $facts $row, $try_name, $method }
    };
    ($facts:tt $row:ident, $try_name:ident, $method:ident) => {
        documented! { $facts $method, "prelude::*", "", concat!(".", stringify!($method), "()");
            pub fn $method(&self) -> Array { expect(self.$try_name()) }
        }

        #[track_caller]
        pub(crate) fn $try_name(&self) -> Result<Array> {
            elementwise(&rows::$row, &mut [self.into()])
        }
    };
}

/// The same for two operands.
macro_rules! binary_method {
    ($facts:tt $try_name:ident, _ $name:ident) => {};
    ($facts:tt $try_name:ident, special $name:ident) => {};
    ($facts:tt $try_name:ident, $method:ident $name:ident) => {
        binary_method! { $facts $try_name, $method }
    };
    ($facts:tt $try_name:ident, $method:ident) => {
        documented! { $facts $method, "prelude::*", "", concat!(".", stringify!($method), "(");
            pub fn $method(&self, other: impl Into<Operand>) -> Array { expect(self.$try_name(other)) }
        }
    };
}

/// The function with errors as values, under the name of the method.
macro_rules! checked_unary {
    ($row:ident, _ $name:ident) => {};
    ($row:ident, special $name:ident) => {
        #[doc = concat!("[`special::", stringify!($name), "`](fn@crate::special::", stringify!($name), "), with errors as values.")]
        #[track_caller]
        pub fn $name(x: impl Into<super::Operand>) -> super::Result<super::Array> {
            super::elementwise(&super::rows::$row, &mut [x.into()])
        }
    };
    ($row:ident, $method:ident $name:ident) => {
        checked_unary! { $row, $method }
    };
    ($row:ident, $method:ident) => {
        #[doc = concat!("[`Array::", stringify!($method), "`](crate::Array::", stringify!($method), "), with errors as values; also takes a scalar.")]
        #[track_caller]
        pub fn $method(x: impl Into<super::Operand>) -> super::Result<super::Array> {
            super::elementwise(&super::rows::$row, &mut [x.into()])
        }
    };
}

/// The same for two operands.
macro_rules! checked_binary {
    ($row:ident, _ $name:ident) => {};
    ($row:ident, special $name:ident) => {
        #[doc = concat!("[`special::", stringify!($name), "`](fn@crate::special::", stringify!($name), "), with errors as values.")]
        #[track_caller]
        pub fn $name(x: impl Into<super::Operand>, y: impl Into<super::Operand>) -> super::Result<super::Array> {
            super::elementwise(&super::rows::$row, &mut [x.into(), y.into()])
        }
    };
    ($row:ident, $method:ident $name:ident) => {
        checked_binary! { $row, $method }
    };
    ($row:ident, $method:ident) => {
        #[doc = concat!("[`Array::", stringify!($method), "`](crate::Array::", stringify!($method), "), with errors as values; either operand may be a scalar.")]
        #[track_caller]
        pub fn $method(x: impl Into<super::Operand>, y: impl Into<super::Operand>) -> super::Result<super::Array> {
            super::elementwise(&super::rows::$row, &mut [x.into(), y.into()])
        }
    };
}

/// The function in free form: in the module `$module`, where the row belongs there.
macro_rules! free_unary {
    (numpy, $facts:tt special $name:ident) => {};
    (special, $facts:tt special $name:ident) => {
        free_unary! { $facts $name $name, "prelude::*", "special::" }
    };
    ($module:ident, $facts:tt $method:tt $name:ident) => {
        free_unary! { $module, $facts $name }
    };
    (special, $facts:tt $name:ident) => {};
    (numpy, $facts:tt $name:ident) => {
        free_unary! { $facts $name attempt, "{numpy, prelude::*}", "numpy::" }
    };
    ($facts:tt $name:ident $checked:ident, $import:literal, $path:literal) => {
        documented! { $facts $checked, $import, concat!($path, stringify!($name), "("), ")";
            pub fn $name(x: impl Into<super::Operand>) -> super::Array {
                super::expect(super::elementwise(&super::rows::$name, &mut [x.into()]))
            }
        }
    };
}

/// The same for two operands.
macro_rules! free_binary {
    (numpy, $facts:tt special $name:ident) => {};
    (special, $facts:tt special $name:ident) => {
        free_binary! { $facts $name $name, "prelude::*", "special::" }
    };
    ($module:ident, $facts:tt $method:tt $name:ident) => {
        free_binary! { $module, $facts $name }
    };
    (special, $facts:tt $name:ident) => {};
    (numpy, $facts:tt $name:ident) => {
        free_binary! { $facts $name attempt, "{numpy, prelude::*}", "numpy::" }
    };
    ($facts:tt $name:ident $checked:ident, $import:literal, $path:literal) => {
        documented! { $facts $checked, $import, concat!($path, stringify!($name), "("), ", ";
            pub fn $name(x: impl Into<super::Operand>, y: impl Into<super::Operand>) -> super::Array {
                super::expect(super::elementwise(&super::rows::$name, &mut [x.into(), y.into()]))
            }
        }
    };
}

macro_rules! unary {
    ($($(#[doc = $doc:literal])+ $name:ident $try_name:ident $(as $method:tt)? = $numpy:literal, $signature:ident, $accuracy:expr, $test_range:expr, $operands:tt => $shown:literal $(, $format:ident)?;)+) => {
        impl Array { $(
            unary_method! { [$numpy $signature $operands $shown $($doc)+] $name, $try_name, $($method)? $name }
        )+ }

        /// The methods of each, by name.
        #[cfg(feature = "call")]
        pub(crate) static UNARY_METHODS: &[Method] = &[$(
            Method { name: concat!($numpy, ".at"), kind: MethodKind::UnaryAt, row: &rows::$name },
            Method { name: concat!($numpy, ".reduce"), kind: MethodKind::BinaryOnly, row: &rows::$name },
            Method { name: concat!($numpy, ".accumulate"), kind: MethodKind::BinaryOnly, row: &rows::$name },
            Method { name: concat!($numpy, ".outer"), kind: MethodKind::BinaryOnly, row: &rows::$name },
            Method { name: concat!($numpy, ".reduceat"), kind: MethodKind::BinaryOnly, row: &rows::$name },
        )+];

        /// The operations of one operand as free functions.
        pub mod unary { $(
            free_unary! { numpy, [$numpy $signature $operands $shown $($doc)+] $($method)? $name }
        )+ }

        /// Those of SciPy's module `special`.
        pub mod special_unary { $(
            free_unary! { special, [$numpy $signature $operands $shown $($doc)+] $($method)? $name }
        )+ }

        /// The operations of one operand with errors as values.
        pub mod checked_unary { $(
            checked_unary! { $name, $($method)? $name }
        )+ }
    };
}

macro_rules! binary {
    ($($(#[doc = $doc:literal])+ $name:ident $try_name:ident $(as $method:tt)? = $numpy:literal, $signature:ident, $accuracy:expr, $test_range:expr, $operands:tt => $shown:literal $(, $format:ident)? $(=> $fold:ident)?;)+) => {
        impl Array { $(
            binary_method! { [$numpy $signature $operands $shown $($doc)+] $try_name, $($method)? $name }

            #[allow(dead_code, reason = "this crate does not use every operation itself")]
            #[track_caller]
            pub(crate) fn $try_name(&self, other: impl Into<Operand>) -> Result<Array> {
                elementwise(&rows::$name, &mut [self.into(), other.into()])
            }
        )+ }

        /// The methods of each, by name.
        #[cfg(feature = "call")]
        pub(crate) static METHODS: &[Method] = &[$(
            Method { name: concat!($numpy, ".reduce"), kind: MethodKind::Reduce, row: &rows::$name },
            Method { name: concat!($numpy, ".accumulate"), kind: MethodKind::Accumulate, row: &rows::$name },
            Method { name: concat!($numpy, ".outer"), kind: MethodKind::Outer, row: &rows::$name },
            Method { name: concat!($numpy, ".reduceat"), kind: MethodKind::Reduceat, row: &rows::$name },
            Method { name: concat!($numpy, ".at"), kind: MethodKind::At, row: &rows::$name },
        )+];

        /// The operations of two operands as free functions.
        pub mod binary { $(
            free_binary! { numpy, [$numpy $signature $operands $shown $($doc)+] $($method)? $name }
        )+ }

        /// Those of SciPy's module `special`.
        pub mod special_binary { $(
            free_binary! { special, [$numpy $signature $operands $shown $($doc)+] $($method)? $name }
        )+ }

        /// The operations of two operands with errors as values.
        pub mod checked_binary { $(
            checked_binary! { $name, $($method)? $name }
        )+ }
    };
}

unary_table!(unary);
binary_table!(binary);

/// A method of a row, as NumPy names it.
#[cfg(feature = "call")]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) kind: MethodKind,
    pub(crate) row: &'static ndany_core::ops::UfuncDef,
}

/// Which method.
#[cfg(feature = "call")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MethodKind {
    Reduce,
    Accumulate,
    Outer,
    Reduceat,
    At,
    UnaryAt,
    /// NumPy has the name, which raises an error.
    BinaryOnly,
}

/// Selects the element of `x` where a condition is true, else of `y`, as `np.where`.
///
/// - **Shapes**: `(…), (…), (…) → (…)`, broadcast.
/// - **Dtypes**: a condition of any dtype; `x` and `y` promote as NumPy's; a number that their dtype does not hold wraps.
/// - **Errors**: shapes that do not broadcast, operands on two devices.
///
/// ```
/// use ndany::prelude::*;
/// assert_eq!(where_(array([true, false]), array([1, 2]), 0).to_string(), "[1 0]");
/// ```
///
/// # Panics
/// Where [`checked::where_`](crate::checked::where_) returns an error.
#[track_caller]
pub fn where_(
    condition: impl Into<Operand>,
    x: impl Into<Operand>,
    y: impl Into<Operand>,
) -> Array {
    expect(try_where(condition, x, y))
}

/// [`where_`], with shapes that do not broadcast or operands on two devices as errors.
#[track_caller]
pub fn try_where(
    condition: impl Into<Operand>,
    x: impl Into<Operand>,
    y: impl Into<Operand>,
) -> Result<Array> {
    where_of([condition.into(), x.into(), y.into()])
}

#[track_caller]
fn where_of(mut operands: [Operand; 3]) -> Result<Array> {
    promote_scalars(rows::WHERE.name, &mut operands[1..])?;
    elementwise(&rows::WHERE, &mut operands)
}
