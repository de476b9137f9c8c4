//! The table of elementwise operations: one entry an operation, one macro an arity.
//!
//! From an entry come the method, the free function, the form with errors as values and the [`Row`] that the
//! engine, the reference, every backend, the docs table and the conformance suite read. Adding an
//! operation is adding an entry (and a formula, where its meaning is new).

use super::fold::Fold;
use super::meaning;
use super::row::{Accuracy, Row};
use super::signature::Signature;
use crate::Array;
use crate::declare::expect;
use crate::error::Result;
use crate::graph::{Operand, elementwise};

/// The method of an operation of one operand: under the row's name, under the one that the array API standard has (`as`), or
/// none (`as _`), where another method does the same.
macro_rules! unary_method {
    ($doc:tt $numpy:literal, $row:ident, $try_name:ident, _ $name:ident) => {};
    ($doc:tt $numpy:literal, $row:ident, $try_name:ident, special $name:ident) => {};
    ($doc:tt $numpy:literal, $row:ident, $try_name:ident, $method:ident $name:ident) => {
        unary_method! { $doc $numpy, $row, $try_name, $method }
    };
    ([$($doc:literal)+] $numpy:literal, $row:ident, $try_name:ident, $method:ident) => {
        $(#[doc = $doc])+
        ///
        #[doc = concat!("Elementwise, as `", $numpy, "`; lazy. Panics where [`checked::", stringify!($method), "`](fn@crate::checked::", stringify!($method), ") errs.")]
        #[doc(alias = $numpy)]
        #[track_caller]
        pub fn $method(&self) -> Array { expect(self.$try_name()) }

        #[track_caller]
        pub(crate) fn $try_name(&self) -> Result<Array> { elementwise(&$row, &mut [self.into()]) }
    };
}

/// The same for two operands.
macro_rules! binary_method {
    ($doc:tt $numpy:literal, $try_name:ident, _ $name:ident) => {};
    ($doc:tt $numpy:literal, $try_name:ident, special $name:ident) => {};
    ($doc:tt $numpy:literal, $try_name:ident, $method:ident $name:ident) => {
        binary_method! { $doc $numpy, $try_name, $method }
    };
    ([$($doc:literal)+] $numpy:literal, $try_name:ident, $method:ident) => {
        $(#[doc = $doc])+
        ///
        #[doc = concat!("Elementwise with broadcasting and promotion, as `", $numpy, "`; lazy. Panics where [`checked::", stringify!($method), "`](fn@crate::checked::", stringify!($method), ") errs.")]
        #[doc(alias = $numpy)]
        #[track_caller]
        pub fn $method(&self, other: impl Into<Operand>) -> Array { expect(self.$try_name(other)) }
    };
}

/// The function with errors as values, under the name of the method.
macro_rules! checked_unary {
    ($row:ident, _ $name:ident) => {};
    ($row:ident, special $name:ident) => {
        #[doc = concat!("[`special::", stringify!($name), "`](fn@crate::special::", stringify!($name), "), with errors as values.")]
        #[track_caller]
        pub fn $name(x: impl Into<super::Operand>) -> super::Result<super::Array> {
            super::elementwise(&super::$row, &mut [x.into()])
        }
    };
    ($row:ident, $method:ident $name:ident) => {
        checked_unary! { $row, $method }
    };
    ($row:ident, $method:ident) => {
        #[doc = concat!("[`Array::", stringify!($method), "`](crate::Array::", stringify!($method), "), with errors as values; also takes a scalar.")]
        #[track_caller]
        pub fn $method(x: impl Into<super::Operand>) -> super::Result<super::Array> {
            super::elementwise(&super::$row, &mut [x.into()])
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
            super::elementwise(&super::$row, &mut [x.into(), y.into()])
        }
    };
    ($row:ident, $method:ident $name:ident) => {
        checked_binary! { $row, $method }
    };
    ($row:ident, $method:ident) => {
        #[doc = concat!("[`Array::", stringify!($method), "`](crate::Array::", stringify!($method), "), with errors as values; either operand may be a scalar.")]
        #[track_caller]
        pub fn $method(x: impl Into<super::Operand>, y: impl Into<super::Operand>) -> super::Result<super::Array> {
            super::elementwise(&super::$row, &mut [x.into(), y.into()])
        }
    };
}

/// The function in free form: in the module `$module`, where the row belongs there.
macro_rules! free_unary {
    (numpy, $doc:tt $numpy:literal, special $name:ident) => {};
    (special, $doc:tt $numpy:literal, special $name:ident) => {
        free_unary! { $doc $name, concat!("Elementwise, as `", $numpy, "`; lazy.") }
    };
    ($module:ident, $doc:tt $numpy:literal, $method:tt $name:ident) => {
        free_unary! { $module, $doc $numpy, $name }
    };
    (special, $doc:tt $numpy:literal, $name:ident) => {};
    (numpy, $doc:tt $numpy:literal, $name:ident) => {
        free_unary! { $doc $name, concat!("As `", $numpy, "`: the method as a function, which also takes a scalar.") }
    };
    ([$($doc:literal)+] $name:ident, $line:expr) => {
        $(#[doc = $doc])+
        ///
        #[doc = $line]
        #[track_caller]
        pub fn $name(x: impl Into<super::Operand>) -> super::Array {
            super::expect(super::elementwise(&super::$name, &mut [x.into()]))
        }
    };
}

/// The same for two operands.
macro_rules! free_binary {
    (numpy, $doc:tt $numpy:literal, special $name:ident) => {};
    (special, $doc:tt $numpy:literal, special $name:ident) => {
        free_binary! { $doc $name, concat!("Elementwise with broadcasting and promotion, as `", $numpy, "`; lazy.") }
    };
    ($module:ident, $doc:tt $numpy:literal, $method:tt $name:ident) => {
        free_binary! { $module, $doc $numpy, $name }
    };
    (special, $doc:tt $numpy:literal, $name:ident) => {};
    (numpy, $doc:tt $numpy:literal, $name:ident) => {
        free_binary! { $doc $name, concat!("As `", $numpy, "`: the method as a function, either operand of which may be a scalar.") }
    };
    ([$($doc:literal)+] $name:ident, $line:expr) => {
        $(#[doc = $doc])+
        ///
        #[doc = $line]
        #[track_caller]
        pub fn $name(x: impl Into<super::Operand>, y: impl Into<super::Operand>) -> super::Array {
            super::expect(super::elementwise(&super::$name, &mut [x.into(), y.into()]))
        }
    };
}

macro_rules! unary {
    ($($(#[doc = $doc:literal])+ $name:ident $try_name:ident $(as $method:tt)? = $numpy:literal, $signature:ident, $accuracy:expr, $probe:expr $(, $format:ident)?;)+) => {
        $(
            #[allow(non_upper_case_globals)]
            pub(crate) static $name: Row = Row {
                name: stringify!($name), numpy: $numpy, doc: concat!($($doc),+), arity: 1,
                signature: Signature::$signature, meaning: meaning_of!($name $($format)?),
                accuracy: $accuracy, fold: Fold::Left, probe: $probe,
            };
        )+
        /// Operations of one operand.
        pub static UNARY: &[&Row] = &[$(&$name),+];

        impl Array { $(
            unary_method! { [$($doc)+] $numpy, $name, $try_name, $($method)? $name }
        )+ }

        /// The methods of each, by name.
        #[cfg(feature = "call")]
        pub(crate) static UNARY_METHODS: &[Method] = &[$(
            Method { name: concat!($numpy, ".at"), kind: MethodKind::UnaryAt, row: &$name },
            Method { name: concat!($numpy, ".reduce"), kind: MethodKind::BinaryOnly, row: &$name },
            Method { name: concat!($numpy, ".accumulate"), kind: MethodKind::BinaryOnly, row: &$name },
            Method { name: concat!($numpy, ".outer"), kind: MethodKind::BinaryOnly, row: &$name },
            Method { name: concat!($numpy, ".reduceat"), kind: MethodKind::BinaryOnly, row: &$name },
        )+];

        /// The operations of one operand as values.
        #[allow(non_upper_case_globals)]
        pub mod unary_ufuncs { $(
            #[doc = concat!("`", $numpy, "` as a value, with its method.")]
            pub static $name: crate::array::at::UnaryUfunc = crate::array::at::UnaryUfunc::new(&super::$name);
        )+ }

        /// The operations of one operand as free functions.
        pub mod unary { $(
            free_unary! { numpy, [$($doc)+] $numpy, $($method)? $name }
        )+ }

        /// Those of SciPy's module `special`.
        pub mod special_unary { $(
            free_unary! { special, [$($doc)+] $numpy, $($method)? $name }
        )+ }

        /// The operations of one operand with errors as values.
        pub mod checked_unary { $(
            checked_unary! { $name, $($method)? $name }
        )+ }
    };
}

/// A method of a row, as NumPy names it.
#[cfg(feature = "call")]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) kind: MethodKind,
    pub(crate) row: &'static Row,
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
    /// NumPy has the name, and an error behind it.
    BinaryOnly,
}

/// How a row folds: from left to right, where it does not say otherwise.
macro_rules! fold {
    () => {
        Fold::Left
    };
    ($fold:ident) => {
        Fold::$fold
    };
}

macro_rules! binary {
    ($($(#[doc = $doc:literal])+ $name:ident $try_name:ident $(as $method:tt)? = $numpy:literal, $signature:ident, $accuracy:expr, $probe:expr $(, $format:ident)? $(=> $fold:ident)?;)+) => {
        $(
            #[allow(non_upper_case_globals)]
            pub(crate) static $name: Row = Row {
                name: stringify!($name), numpy: $numpy, doc: concat!($($doc),+), arity: 2,
                signature: Signature::$signature, meaning: meaning_of!($name $($format)?),
                accuracy: $accuracy, fold: fold!($($fold)?), probe: $probe,
            };
        )+
        /// Operations of two operands.
        pub static BINARY: &[&Row] = &[$(&$name),+];

        impl Array { $(
            binary_method! { [$($doc)+] $numpy, $try_name, $($method)? $name }

            #[allow(dead_code, reason = "core does not use every operation itself")]
            #[track_caller]
            pub(crate) fn $try_name(&self, other: impl Into<Operand>) -> Result<Array> {
                elementwise(&$name, &mut [self.into(), other.into()])
            }
        )+ }

        /// The methods of each, by name.
        #[cfg(feature = "call")]
        pub(crate) static METHODS: &[Method] = &[$(
            Method { name: concat!($numpy, ".reduce"), kind: MethodKind::Reduce, row: &$name },
            Method { name: concat!($numpy, ".accumulate"), kind: MethodKind::Accumulate, row: &$name },
            Method { name: concat!($numpy, ".outer"), kind: MethodKind::Outer, row: &$name },
            Method { name: concat!($numpy, ".reduceat"), kind: MethodKind::Reduceat, row: &$name },
            Method { name: concat!($numpy, ".at"), kind: MethodKind::At, row: &$name },
        )+];

        /// The operations of two operands as values.
        #[allow(non_upper_case_globals)]
        pub mod binary_ufuncs { $(
            #[doc = concat!("`", $numpy, "` as a value, with its methods.")]
            pub static $name: crate::array::ufunc::Ufunc = crate::array::ufunc::Ufunc::new(&super::$name);
        )+ }

        /// The operations of two operands as free functions.
        pub mod binary { $(
            free_binary! { numpy, [$($doc)+] $numpy, $($method)? $name }
        )+ }

        /// Those of SciPy's module `special`.
        pub mod special_binary { $(
            free_binary! { special, [$($doc)+] $numpy, $($method)? $name }
        )+ }

        /// The operations of two operands with errors as values.
        pub mod checked_binary { $(
            checked_binary! { $name, $($method)? $name }
        )+ }
    };
}

/// A meaning; one that ends in `format` is told the dtype.
macro_rules! meaning_of {
    ($name:ident) => {
        |b, _, v| meaning::$name(b, v)
    };
    ($name:ident format) => {
        |b, dtype, v| meaning::$name(b, dtype, v)
    };
}

macro_rules! formula {
    ($formula:ident) => {
        Accuracy::Formula(super::Formula::$formula)
    };
}
const EXACT: Accuracy = Accuracy::Exact;
const WIDE: (f64, f64) = (-100.0, 100.0);

unary! {
    /// `-x`.
    negative try_negative = "np.negative", NUMBERS, EXACT, WIDE;
    /// `x` itself, of numbers.
    positive try_positive = "np.positive", NUMBERS, EXACT, WIDE;
    /// The absolute value; the modulus of a complex number.
    absolute try_absolute as abs = "np.absolute", MAGNITUDE, formula!(Hypot), WIDE;
    /// -1, 0 or 1; NaN of NaN; `z / |z|` of a complex number.
    sign try_sign = "np.sign", NUMBERS, EXACT, WIDE;
    /// `x * x`.
    square try_square = "np.square", WIDENED, EXACT, WIDE;
    /// `1 / x`; integers divide as integers.
    reciprocal try_reciprocal = "np.reciprocal", WIDENED, EXACT, WIDE;
    /// The square root, correctly rounded.
    sqrt try_sqrt = "np.sqrt", INEXACT, EXACT, (0.0, 100.0);
    /// `e^x`.
    exp try_exp = "np.exp", INEXACT, formula!(Exp), (-20.0, 20.0);
    /// `2^x`.
    exp2 try_exp2 = "np.exp2", INEXACT, formula!(Exp2), (-20.0, 20.0);
    /// `e^x - 1`, exact near zero.
    expm1 try_expm1 = "np.expm1", INEXACT, formula!(Expm1), (-5.0, 5.0);
    /// The natural logarithm.
    log try_log = "np.log", INEXACT, formula!(Log), (0.0, 100.0);
    /// `log(1 + x)`, exact near zero.
    log1p try_log1p = "np.log1p", INEXACT, formula!(Log1p), (-0.9, 10.0);
    /// The sine of radians, at any magnitude.
    sin try_sin = "np.sin", INEXACT, formula!(Sin), (-100.0, 100.0);
    /// The cosine of radians, at any magnitude.
    cos try_cos = "np.cos", INEXACT, formula!(Cos), (-100.0, 100.0);
    /// The hyperbolic tangent.
    tanh try_tanh = "np.tanh", INEXACT, formula!(Tanh), (-5.0, 5.0);
    /// The largest integer not above `x`.
    floor try_floor = "np.floor", REAL, EXACT, WIDE;
    /// The smallest integer not below `x`.
    ceil try_ceil = "np.ceil", REAL, EXACT, WIDE;
    /// `x` without its fraction.
    trunc try_trunc = "np.trunc", REAL, EXACT, WIDE;
    /// The nearest integer, halves to even.
    rint try_rint = "np.rint", INEXACT, EXACT, WIDE;
    /// Is it NaN?
    isnan try_isnan = "np.isnan", TRUTH, EXACT, WIDE;
    /// Is it infinite?
    isinf try_isinf = "np.isinf", TRUTH, EXACT, WIDE;
    /// Is it neither infinite nor NaN?
    isfinite try_isfinite = "np.isfinite", TRUTH, EXACT, WIDE;
    /// Is its sign bit set?
    signbit try_signbit = "np.signbit", TRUTH_REAL, EXACT, WIDE;
    /// Is it zero?
    logical_not try_logical_not = "np.logical_not", TRUTH, EXACT, WIDE;
    /// Each bit flipped; `not` of bool.
    invert try_invert as bitwise_invert = "np.invert", BITS, EXACT, WIDE;
    /// The complex conjugate.
    conjugate try_conjugate as conj = "np.conjugate", WIDENED, EXACT, WIDE;
    /// The real part.
    real try_real = "np.real", MAGNITUDE, EXACT, WIDE;
    /// The imaginary part.
    imag try_imag = "np.imag", MAGNITUDE, EXACT, WIDE;
    /// The absolute value, as a float.
    fabs try_fabs = "np.fabs", INEXACT_REAL, EXACT, WIDE;
    /// `x` without its fraction.
    fix try_fix as _ = "np.fix", REAL, EXACT, WIDE;
    /// The distance to the next number away from zero (of float16: to the next number above).
    spacing try_spacing = "np.spacing", INEXACT_REAL, EXACT, WIDE, format;
    /// Is it the positive infinity?
    isposinf try_isposinf = "np.isposinf", TRUTH_REAL, EXACT, WIDE;
    /// Is it the negative infinity?
    isneginf try_isneginf = "np.isneginf", TRUTH_REAL, EXACT, WIDE;
    /// Is its imaginary part zero?
    isreal try_isreal = "np.isreal", TRUTH, EXACT, WIDE;
    /// Is its imaginary part different from zero?
    iscomplex try_iscomplex = "np.iscomplex", TRUTH, EXACT, WIDE;
    /// How many bits of the absolute value are set.
    bitwise_count try_bitwise_count = "np.bitwise_count", COUNTED, EXACT, WIDE;

    // Formulas.
    /// The binary logarithm; exact at powers of two.
    log2 try_log2 = "np.log2", INEXACT, formula!(Log2), (0.0, 100.0);
    /// The decimal logarithm; exact at powers of ten.
    log10 try_log10 = "np.log10", INEXACT, formula!(Log10), (0.0, 100.0);
    /// The tangent of radians, at any magnitude.
    tan try_tan = "np.tan", INEXACT, formula!(Tan), (-100.0, 100.0);
    /// The angle from -π/2 to π/2 whose sine is `x`.
    arcsin try_arcsin as asin = "np.arcsin", INEXACT, formula!(Asin), (-1.0, 1.0);
    /// The angle from 0 to π whose cosine is `x`.
    arccos try_arccos as acos = "np.arccos", INEXACT, formula!(Acos), (-1.0, 1.0);
    /// The angle from -π/2 to π/2 whose tangent is `x`.
    arctan try_arctan as atan = "np.arctan", INEXACT, formula!(Atan), (-5.0, 5.0);
    /// The hyperbolic sine.
    sinh try_sinh = "np.sinh", INEXACT, formula!(Sinh), (-5.0, 5.0);
    /// The hyperbolic cosine.
    cosh try_cosh = "np.cosh", INEXACT, formula!(Cosh), (-5.0, 5.0);
    /// The inverse hyperbolic sine.
    arcsinh try_arcsinh as asinh = "np.arcsinh", INEXACT, formula!(Asinh), (-20.0, 20.0);
    /// The inverse hyperbolic cosine, not below 0.
    arccosh try_arccosh as acosh = "np.arccosh", INEXACT, formula!(Acosh), (1.0, 20.0);
    /// The inverse hyperbolic tangent.
    arctanh try_arctanh as atanh = "np.arctanh", INEXACT, formula!(Atanh), (-1.0, 1.0);
    /// The cube root, of negative numbers too.
    cbrt try_cbrt = "np.cbrt", INEXACT_REAL, formula!(Cbrt), WIDE;
    /// Degrees as radians: `x * (π / 180)`.
    deg2rad try_deg2rad = "np.deg2rad", INEXACT_REAL, EXACT, WIDE;
    /// Radians as degrees: `x * (180 / π)`.
    rad2deg try_rad2deg = "np.rad2deg", INEXACT_REAL, EXACT, WIDE;
    /// Degrees as radians: `x * (π / 180)`.
    radians try_radians as _ = "np.radians", INEXACT_REAL, EXACT, WIDE;
    /// Radians as degrees: `x * (180 / π)`.
    degrees try_degrees as _ = "np.degrees", INEXACT_REAL, EXACT, WIDE;
    /// `sin(πx) / (πx)`, 1 at zero and 0 at the other integers.
    sinc try_sinc = "np.sinc", DIVISION, formula!(Sinc), (-5.0, 5.0);
    /// The modified Bessel function of the first kind of order 0.
    i0 try_i0 = "np.i0", DIVISION_REAL, formula!(I0), (-20.0, 20.0);
    /// `10^x`.
    exp10 try_exp10 as special = "sp.special.exp10", SPECIAL, formula!(Pow), (-20.0, 20.0);
    /// The error function.
    erf try_erf as special = "sp.special.erf", SPECIAL, formula!(Erf), (-4.0, 4.0);
    /// `1 - erf(x)`, exact where that is small.
    erfc try_erfc as special = "sp.special.erfc", SPECIAL, formula!(Erfc), (-4.0, 9.0);
    /// The gamma function; NaN at the negative integers.
    gamma try_gamma as special = "sp.special.gamma", SPECIAL, formula!(Gamma), (-10.0, 30.0);
    /// The logarithm of the magnitude of the gamma function.
    gammaln try_gammaln as special = "sp.special.gammaln", SPECIAL, formula!(Lgamma), (0.0, 100.0);
    /// The logistic function `1 / (1 + e^-x)`.
    expit try_expit as special = "sp.special.expit", SPECIAL, formula!(Expit), (-20.0, 20.0);
    /// `log(x / (1 - x))`, the inverse of `expit`.
    logit try_logit as special = "sp.special.logit", SPECIAL, formula!(Logit), (0.0, 1.0);
}

binary! {
    /// `x + y`; `or` of bool.
    add try_add = "np.add", ANY, EXACT, WIDE => Zero;
    /// `x - y`.
    subtract try_subtract = "np.subtract", NUMBERS, EXACT, WIDE;
    /// `x * y`; `and` of bool.
    multiply try_multiply = "np.multiply", ANY, EXACT, WIDE => One;
    /// `x / y`; integers divide as float64.
    divide try_divide = "np.divide", DIVISION, EXACT, WIDE;
    /// The quotient rounded down; integers give 0 for a zero divisor.
    floor_divide try_floor_divide = "np.floor_divide", WIDENED_REAL, EXACT, WIDE;
    /// The remainder with the sign of the divisor; integers give 0 for a zero divisor.
    remainder try_remainder = "np.remainder", WIDENED_REAL, EXACT, WIDE;
    /// The remainder with the sign of the dividend, exact.
    fmod try_fmod = "np.fmod", WIDENED_REAL, EXACT, WIDE;
    /// `x` to the power `y`; of integers, wrapping, and an error for a negative exponent.
    power try_power as pow = "np.power", WIDENED, formula!(Pow), (0.0, 10.0);
    /// The larger of two; NaN wins, `-0.0` is less than `+0.0`.
    maximum try_maximum = "np.maximum", ANY, EXACT, WIDE => Any;
    /// The smaller of two; NaN wins, `-0.0` is less than `+0.0`.
    minimum try_minimum = "np.minimum", ANY, EXACT, WIDE => Any;
    /// `x == y`.
    equal try_equal = "np.equal", TRUTH, EXACT, (-3.0, 3.0);
    /// `x != y`.
    not_equal try_not_equal = "np.not_equal", TRUTH, EXACT, (-3.0, 3.0);
    /// `x < y`; complex numbers in lexicographic order.
    less try_less = "np.less", TRUTH, EXACT, (-3.0, 3.0);
    /// `x <= y`.
    less_equal try_less_equal = "np.less_equal", TRUTH, EXACT, (-3.0, 3.0);
    /// `x > y`.
    greater try_greater = "np.greater", TRUTH, EXACT, (-3.0, 3.0);
    /// `x >= y`.
    greater_equal try_greater_equal = "np.greater_equal", TRUTH, EXACT, (-3.0, 3.0);
    /// Both different from zero?
    logical_and try_logical_and = "np.logical_and", TRUTH, EXACT, (-1.0, 1.0) => One;
    /// Either different from zero?
    logical_or try_logical_or = "np.logical_or", TRUTH, EXACT, (-1.0, 1.0) => Zero;
    /// Exactly one different from zero?
    logical_xor try_logical_xor = "np.logical_xor", TRUTH, EXACT, (-1.0, 1.0) => Zero;
    /// `x & y`.
    bitwise_and try_bitwise_and = "np.bitwise_and", BITS, EXACT, WIDE => Ones;
    /// `x | y`.
    bitwise_or try_bitwise_or = "np.bitwise_or", BITS, EXACT, WIDE => Zero;
    /// `x ^ y`.
    bitwise_xor try_bitwise_xor = "np.bitwise_xor", BITS, EXACT, WIDE => Zero;
    /// `x << y`; 0 where `y` is outside the width.
    left_shift try_left_shift as bitwise_left_shift = "np.left_shift", SHIFTS, EXACT, (0.0, 9.0);
    /// `x >> y`; 0 or all sign bits where `y` is outside the width.
    right_shift try_right_shift as bitwise_right_shift = "np.right_shift", SHIFTS, EXACT, (0.0, 9.0);
    /// The greatest common divisor.
    gcd try_gcd = "np.gcd", INTEGERS, EXACT, WIDE => Zero;
    /// The least common multiple, wrapping.
    lcm try_lcm = "np.lcm", INTEGERS, EXACT, WIDE;
    /// The larger of two; a NaN loses.
    fmax try_fmax = "np.fmax", ANY, EXACT, WIDE => Any;
    /// The smaller of two; a NaN loses.
    fmin try_fmin = "np.fmin", ANY, EXACT, WIDE => Any;
    /// The magnitude of `x` with the sign of `y`.
    copysign try_copysign = "np.copysign", INEXACT_REAL, EXACT, WIDE;
    /// The next number after `x` in the direction of `y`.
    nextafter try_nextafter = "np.nextafter", INEXACT_REAL, EXACT, WIDE, format;
    /// `x * 2^n`, rounded once; the exponent `n` is an integer.
    ldexp try_ldexp = "np.ldexp", SCALED, EXACT, (-9.0, 9.0);
    /// 0 below zero, `y` at zero, 1 above.
    heaviside try_heaviside = "np.heaviside", INEXACT_REAL, EXACT, WIDE;

    // Formulas.
    /// The angle from -π to π of the point (`y`, `x`), which comes with its height first.
    arctan2 try_arctan2 as atan2 = "np.arctan2", INEXACT_REAL, formula!(Atan2), (-5.0, 5.0);
    /// `√(x² + y²)`, without overflow on the way.
    hypot try_hypot = "np.hypot", INEXACT_REAL, formula!(Hypot), WIDE => Zero;
    /// `log(e^x + e^y)`.
    logaddexp try_logaddexp = "np.logaddexp", INEXACT_REAL, formula!(LogAddExp), (-20.0, 20.0) => Bottom;
    /// `log₂(2^x + 2^y)`.
    logaddexp2 try_logaddexp2 = "np.logaddexp2", INEXACT_REAL, formula!(LogAddExp2), (-20.0, 20.0) => Bottom;
    /// `x * log(y)`, 0 where `x` is 0 and `y` not NaN.
    xlogy try_xlogy as special = "sp.special.xlogy", SPECIAL, formula!(Xlogy), (0.0, 10.0);
    /// `x * log(1 + y)`, 0 where `x` is 0 and `y` not NaN.
    xlog1py try_xlog1py as special = "sp.special.xlog1py", SPECIAL, formula!(Xlog1py), (0.0, 10.0);
    /// `x` to the power `y` in float64 or complex128, whatever the dtypes.
    float_power try_float_power = "np.float_power", WIDEST, formula!(Pow), (0.0, 10.0);
}

/// Operations as values with methods, under their names: `ufunc::add.reduce(&a, 0)`.
pub mod ufunc {
    pub use super::binary_ufuncs::*;
    pub use super::unary_ufuncs::*;
    pub use crate::array::at::UnaryUfunc;
    pub use crate::array::ufunc::Ufunc;
}

/// `condition ? x : y`, the condition converted to bool, the others promoted.
pub(crate) static WHERE: Row = Row {
    name: "where_",
    numpy: "np.where",
    doc: " The element of `x` where the condition holds, else of `y`.",
    arity: 3,
    signature: Signature::ANY,
    meaning: |b, _, v| meaning::choose(b, v),
    accuracy: EXACT,
    fold: Fold::Left,
    probe: WIDE,
};
/// NaN and infinities (in each part) replaced by the other operands, of the part's dtype.
pub(crate) static NAN_TO_NUM: Row = Row {
    name: "nan_to_num",
    numpy: "np.nan_to_num",
    doc: " NaN and infinities replaced by numbers.",
    arity: 4,
    signature: Signature::ANY,
    meaning: |b, _, v| meaning::nan_to_num(b, v),
    accuracy: EXACT,
    fold: Fold::Left,
    probe: WIDE,
};
/// Values between two limits. `np.clip` takes one limit, too, which is the extremum's then; so this is in no table.
pub(crate) static CLIP: Row = Row {
    name: "clip",
    numpy: "np.clip",
    doc: " Values brought between two limits.",
    arity: 3,
    signature: Signature::ANY,
    meaning: |b, _, v| meaning::clip(b, v),
    accuracy: EXACT,
    fold: Fold::Left,
    probe: WIDE,
};
/// Operations of three and more operands.
pub static TERNARY: &[&Row] = &[&WHERE, &NAN_TO_NUM];

/// Rounded to decimals: each part times a power of ten (or by it), rounded, and back.
const fn decimals(meaning: super::row::Meaning) -> Row {
    let (name, numpy, doc) = ("round", "np.round", " Rounded to decimals, halves to even.");
    let (signature, accuracy, probe) = (Signature::ANY, EXACT, WIDE);
    Row { name, numpy, doc, arity: 2, signature, meaning, accuracy, fold: Fold::Left, probe }
}
/// For decimals behind the point; `np.round` takes their number, so these are in no table.
pub(crate) static ROUND_FINE: Row =
    decimals(|b, dtype, v| meaning::round_decimals(b, dtype, v, true));
/// For decimals in front of the point.
pub(crate) static ROUND_COARSE: Row =
    decimals(|b, dtype, v| meaning::round_decimals(b, dtype, v, false));

/// The element of `x` where `condition` is true, else of `y`, broadcast and promoted as `np.where` does.
///
/// # Panics
/// Where [`checked::where_`](crate::checked::where_) errs.
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
    elementwise(&WHERE, &mut [condition.into(), x.into(), y.into()])
}
