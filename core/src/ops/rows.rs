//! The table of elementwise operations: one entry an operation, one macro an arity.
//!
//! From an entry come the [`UfuncDef`] that the engine, the reference, every backend, the docs table and the conformance
//! suite read, and, in the crate of arrays, the method, the free function and the form with errors as values. Adding an
//! operation is adding an entry (and a formula, where its lowering is new).
//!
//! The tables are macros that hand their entries to a macro of the caller's: [`unary_table!`](crate::unary_table) and
//! [`binary_table!`](crate::binary_table).

use super::fold::FoldKind;
use super::lowering;
use super::row::{Accuracy, UfuncDef};
use super::signature::Signature;

macro_rules! unary {
    ($($(#[doc = $doc:literal])+ $name:ident $try_name:ident $(as $method:tt)? = $numpy:literal, $signature:ident, $accuracy:expr, $test_range:expr, $operands:tt => $shown:literal $(, $format:ident)?;)+) => {
        $(
            #[doc = concat!("`", $numpy, "`.")]
            #[allow(non_upper_case_globals)]
            pub static $name: UfuncDef = UfuncDef {
                name: stringify!($name), numpy: $numpy, doc: concat!($($doc),+), arity: 1,
                signature: Signature::$signature, lower: lowering_of!($name $($format)?),
                accuracy: $accuracy, fold: FoldKind::Left, test_range: $test_range,
            };
        )+
        /// Operations of one operand.
        pub static UNARY: &[&UfuncDef] = &[$(&$name),+];
    };
}

/// How a row folds: from left to right, where it does not say otherwise.
macro_rules! fold {
    () => {
        FoldKind::Left
    };
    ($fold:ident) => {
        FoldKind::$fold
    };
}

macro_rules! binary {
    ($($(#[doc = $doc:literal])+ $name:ident $try_name:ident $(as $method:tt)? = $numpy:literal, $signature:ident, $accuracy:expr, $test_range:expr, $operands:tt => $shown:literal $(, $format:ident)? $(=> $fold:ident)?;)+) => {
        $(
            #[doc = concat!("`", $numpy, "`.")]
            #[allow(non_upper_case_globals)]
            pub static $name: UfuncDef = UfuncDef {
                name: stringify!($name), numpy: $numpy, doc: concat!($($doc),+), arity: 2,
                signature: Signature::$signature, lower: lowering_of!($name $($format)?),
                accuracy: $accuracy, fold: fold!($($fold)?), test_range: $test_range,
            };
        )+
        /// Operations of two operands.
        pub static BINARY: &[&UfuncDef] = &[$(&$name),+];
    };
}

/// The lowering of a row; one that ends in `format` takes the dtype.
macro_rules! lowering_of {
    ($name:ident) => {
        |b, _, v| lowering::$name(b, v)
    };
    ($name:ident format) => {
        |b, dtype, v| lowering::$name(b, dtype, v)
    };
}

macro_rules! formula {
    ($formula:ident) => {
        Accuracy::Formula(super::Formula::$formula)
    };
}
const EXACT: Accuracy = Accuracy::Exact;
const WIDE: (f64, f64) = (-100.0, 100.0);

/// The operations of one operand.
///
/// Calls the macro `$callback` with all entries. Those of a row: its name, the name of the form with errors as values, the
/// method's name where that differs (`as`), NumPy's name, dtypes, accuracy, range for tests, and operands with their result.
#[macro_export]
macro_rules! unary_table { ($callback:ident) => { $callback! {
    /// Returns `-x`
    negative try_negative = "np.negative", NUMBERS, EXACT, WIDE, ([1, -2]) => "[-1  2]";
    /// Returns `x` unchanged; bool is refused
    positive try_positive = "np.positive", NUMBERS, EXACT, WIDE, ([1, -2]) => "[ 1 -2]";
    /// Returns the absolute value, or the modulus of a complex number
    absolute try_absolute as abs = "np.absolute", MAGNITUDE, formula!(Hypot), WIDE, ([1, -2]) => "[1 2]";
    /// Returns -1, 0 or 1, NaN for NaN, and `z / |z|` for a complex number
    sign try_sign = "np.sign", NUMBERS, EXACT, WIDE, ([3.0, 0.0, -2.0]) => "[ 1.  0. -1.]";
    /// Returns `x * x`
    square try_square = "np.square", WIDENED, EXACT, WIDE, ([3, -4]) => "[ 9 16]";
    /// Returns `1 / x`; integers divide as integers
    reciprocal try_reciprocal = "np.reciprocal", WIDENED, EXACT, WIDE, ([2.0, 4.0]) => "[0.5  0.25]";
    /// Returns the square root, correctly rounded
    sqrt try_sqrt = "np.sqrt", INEXACT, EXACT, (0.0, 100.0), ([4.0, 2.0]) => "[2.         1.41421356]";
    /// Returns `e^x`
    exp try_exp = "np.exp", INEXACT, formula!(Exp), (-20.0, 20.0), ([0.0, 1.0]) => "[1.         2.71828183]";
    /// Returns `2^x`
    exp2 try_exp2 = "np.exp2", INEXACT, formula!(Exp2), (-20.0, 20.0), ([3.0, 0.5]) => "[8.         1.41421356]";
    /// Returns `e^x - 1`, accurate near zero
    expm1 try_expm1 = "np.expm1", INEXACT, formula!(Expm1), (-5.0, 5.0), ([0.0, 1.0]) => "[0.         1.71828183]";
    /// Returns the natural logarithm
    log try_log = "np.log", INEXACT, formula!(Log), (0.0, 100.0), ([1.0, 10.0]) => "[0.         2.30258509]";
    /// Returns `log(1 + x)`, accurate near zero
    log1p try_log1p = "np.log1p", INEXACT, formula!(Log1p), (-0.9, 10.0), ([0.0, 1.0]) => "[0.         0.69314718]";
    /// Returns the sine of an angle in radians
    sin try_sin = "np.sin", INEXACT, formula!(Sin), (-100.0, 100.0), ([0.0, 1.0]) => "[0.         0.84147098]";
    /// Returns the cosine of an angle in radians
    cos try_cos = "np.cos", INEXACT, formula!(Cos), (-100.0, 100.0), ([0.0, 1.0]) => "[1.         0.54030231]";
    /// Returns the hyperbolic tangent
    tanh try_tanh = "np.tanh", INEXACT, formula!(Tanh), (-5.0, 5.0), ([0.0, 1.0]) => "[0.         0.76159416]";
    /// Returns the largest integer that is not above `x`
    floor try_floor = "np.floor", REAL, EXACT, WIDE, ([1.5, -1.5]) => "[ 1. -2.]";
    /// Returns the smallest integer that is not below `x`
    ceil try_ceil = "np.ceil", REAL, EXACT, WIDE, ([1.5, -1.5]) => "[ 2. -1.]";
    /// Returns `x` without its fraction
    trunc try_trunc = "np.trunc", REAL, EXACT, WIDE, ([1.5, -1.5]) => "[ 1. -1.]";
    /// Returns the nearest integer, halves to even
    rint try_rint = "np.rint", INEXACT, EXACT, WIDE, ([1.5, 2.5]) => "[2. 2.]";
    /// Tests whether an element is NaN
    isnan try_isnan = "np.isnan", TRUTH, EXACT, WIDE, ([1.0, f64::NAN]) => "[False  True]";
    /// Tests whether an element is infinite
    isinf try_isinf = "np.isinf", TRUTH, EXACT, WIDE, ([1.0, f64::INFINITY]) => "[False  True]";
    /// Tests whether an element is neither infinite nor NaN
    isfinite try_isfinite = "np.isfinite", TRUTH, EXACT, WIDE, ([1.0, f64::NAN]) => "[ True False]";
    /// Tests whether the sign bit is set
    signbit try_signbit = "np.signbit", TRUTH_REAL, EXACT, WIDE, ([0.0, -0.0]) => "[False  True]";
    /// Tests whether an element is zero
    logical_not try_logical_not = "np.logical_not", TRUTH, EXACT, WIDE, ([0, 2]) => "[ True False]";
    /// Flips every bit; bool is negated
    invert try_invert as bitwise_invert = "np.invert", BITS, EXACT, WIDE, ([0, 5]) => "[-1 -6]";
    /// Returns the complex conjugate
    conjugate try_conjugate as conj = "np.conjugate", WIDENED, EXACT, WIDE, ([Complex64::new(1.0, 2.0)]) => "[1.-2.j]";
    /// Returns the real part
    real try_real = "np.real", MAGNITUDE, EXACT, WIDE, ([Complex64::new(1.0, 2.0)]) => "[1.]";
    /// Returns the imaginary part
    imag try_imag = "np.imag", MAGNITUDE, EXACT, WIDE, ([Complex64::new(1.0, 2.0)]) => "[2.]";
    /// Returns the absolute value as a float
    fabs try_fabs = "np.fabs", INEXACT_REAL, EXACT, WIDE, ([1, -2]) => "[1. 2.]";
    /// Returns `x` without its fraction
    fix try_fix as _ = "np.fix", REAL, EXACT, WIDE, ([1.5, -1.5]) => "[ 1. -1.]";
    /// Returns the distance to the next number away from zero (of float16: to the next number above)
    spacing try_spacing = "np.spacing", INEXACT_REAL, EXACT, WIDE, ([1.0, 1e16]) => "[2.22044605e-16 2.00000000e+00]", format;
    /// Tests whether an element is positive infinity
    isposinf try_isposinf = "np.isposinf", TRUTH_REAL, EXACT, WIDE, ([1.0, f64::INFINITY]) => "[False  True]";
    /// Tests whether an element is negative infinity
    isneginf try_isneginf = "np.isneginf", TRUTH_REAL, EXACT, WIDE, ([1.0, f64::INFINITY]) => "[False False]";
    /// Tests whether the imaginary part is zero
    isreal try_isreal = "np.isreal", TRUTH, EXACT, WIDE, ([Complex64::new(1.0, 2.0), Complex64::new(1.0, 0.0)]) => "[False  True]";
    /// Tests whether the imaginary part is different from zero
    iscomplex try_iscomplex = "np.iscomplex", TRUTH, EXACT, WIDE, ([Complex64::new(1.0, 2.0), Complex64::new(1.0, 0.0)]) => "[ True False]";
    /// Counts the bits of the absolute value that are set
    bitwise_count try_bitwise_count = "np.bitwise_count", COUNTED, EXACT, WIDE, ([7, -8]) => "[3 1]";

    // Formulas.
    /// Returns the binary logarithm, exact at powers of two
    log2 try_log2 = "np.log2", INEXACT, formula!(Log2), (0.0, 100.0), ([8.0, 10.0]) => "[3.         3.32192809]";
    /// Returns the decimal logarithm, exact at powers of ten
    log10 try_log10 = "np.log10", INEXACT, formula!(Log10), (0.0, 100.0), ([100.0, 2.0]) => "[2.      0.30103]";
    /// Returns the tangent of an angle in radians
    tan try_tan = "np.tan", INEXACT, formula!(Tan), (-100.0, 100.0), ([0.0, 1.0]) => "[0.         1.55740772]";
    /// Returns the angle from -π/2 to π/2 whose sine is `x`
    arcsin try_arcsin as asin = "np.arcsin", INEXACT, formula!(Asin), (-1.0, 1.0), ([0.0, 1.0]) => "[0.         1.57079633]";
    /// Returns the angle from 0 to π whose cosine is `x`
    arccos try_arccos as acos = "np.arccos", INEXACT, formula!(Acos), (-1.0, 1.0), ([0.0, 1.0]) => "[1.57079633 0.        ]";
    /// Returns the angle from -π/2 to π/2 whose tangent is `x`
    arctan try_arctan as atan = "np.arctan", INEXACT, formula!(Atan), (-5.0, 5.0), ([0.0, 1.0]) => "[0.         0.78539816]";
    /// Returns the hyperbolic sine
    sinh try_sinh = "np.sinh", INEXACT, formula!(Sinh), (-5.0, 5.0), ([0.0, 1.0]) => "[0.         1.17520119]";
    /// Returns the hyperbolic cosine
    cosh try_cosh = "np.cosh", INEXACT, formula!(Cosh), (-5.0, 5.0), ([0.0, 1.0]) => "[1.         1.54308063]";
    /// Returns the inverse hyperbolic sine
    arcsinh try_arcsinh as asinh = "np.arcsinh", INEXACT, formula!(Asinh), (-20.0, 20.0), ([0.0, 1.0]) => "[0.         0.88137359]";
    /// Returns the inverse hyperbolic cosine, which is not below 0
    arccosh try_arccosh as acosh = "np.arccosh", INEXACT, formula!(Acosh), (1.0, 20.0), ([1.0, 2.0]) => "[0.        1.3169579]";
    /// Returns the inverse hyperbolic tangent
    arctanh try_arctanh as atanh = "np.arctanh", INEXACT, formula!(Atanh), (-1.0, 1.0), ([0.0, 0.5]) => "[0.         0.54930614]";
    /// Returns the cube root, of negative numbers too
    cbrt try_cbrt = "np.cbrt", INEXACT_REAL, formula!(Cbrt), WIDE, ([8.0, -27.0]) => "[ 2. -3.]";
    /// Converts degrees to radians: `x * (π / 180)`
    deg2rad try_deg2rad = "np.deg2rad", INEXACT_REAL, EXACT, WIDE, ([180.0, 90.0]) => "[3.14159265 1.57079633]";
    /// Converts radians to degrees: `x * (180 / π)`
    rad2deg try_rad2deg = "np.rad2deg", INEXACT_REAL, EXACT, WIDE, ([1.0, 2.0]) => "[ 57.29577951 114.59155903]";
    /// Converts degrees to radians: `x * (π / 180)`
    radians try_radians as _ = "np.radians", INEXACT_REAL, EXACT, WIDE, ([180.0, 90.0]) => "[3.14159265 1.57079633]";
    /// Converts radians to degrees: `x * (180 / π)`
    degrees try_degrees as _ = "np.degrees", INEXACT_REAL, EXACT, WIDE, ([1.0, 2.0]) => "[ 57.29577951 114.59155903]";
    /// Returns `sin(πx) / (πx)`: 1 at zero, 0 at the other integers
    sinc try_sinc = "np.sinc", DIVISION, formula!(Sinc), (-5.0, 5.0), ([0.0, 0.5]) => "[1.         0.63661977]";
    /// Returns the modified Bessel function of the first kind of order 0
    i0 try_i0 = "np.i0", DIVISION_REAL, formula!(I0), (-20.0, 20.0), ([0.0, 1.0]) => "[1.         1.26606588]";
    /// Returns `10^x`
    exp10 try_exp10 as special = "sp.special.exp10", SPECIAL, formula!(Pow), (-20.0, 20.0), ([2.0, 0.5]) => "[100.           3.16227766]";
    /// Returns the error function
    erf try_erf as special = "sp.special.erf", SPECIAL, formula!(Erf), (-4.0, 4.0), ([0.0, 1.0]) => "[0.         0.84270079]";
    /// Returns `1 - erf(x)`, accurate where that is small
    erfc try_erfc as special = "sp.special.erfc", SPECIAL, formula!(Erfc), (-4.0, 9.0), ([0.0, 1.0]) => "[1.         0.15729921]";
    /// Returns the gamma function; NaN at the negative integers
    gamma try_gamma as special = "sp.special.gamma", SPECIAL, formula!(Gamma), (-10.0, 30.0), ([5.0, 0.5]) => "[24.          1.77245385]";
    /// Returns the logarithm of the magnitude of the gamma function
    gammaln try_gammaln as special = "sp.special.gammaln", SPECIAL, formula!(Lgamma), (0.0, 100.0), ([1.0, 10.0]) => "[ 0.         12.80182748]";
    /// Returns the logistic function `1 / (1 + e^-x)`
    expit try_expit as special = "sp.special.expit", SPECIAL, formula!(Expit), (-20.0, 20.0), ([0.0, 1.0]) => "[0.5        0.73105858]";
    /// Returns `log(x / (1 - x))`, the inverse of `expit`
    logit try_logit as special = "sp.special.logit", SPECIAL, formula!(Logit), (0.0, 1.0), ([0.5, 0.9]) => "[0.         2.19722458]";
    /// Returns the entropy `-x log(x)`: 0 at zero, minus infinity below
    entr try_entr as special = "sp.special.entr", SPECIAL, formula!(Xlogy), (0.0, 10.0), ([0.0, 0.5]) => "[0.         0.34657359]";
} } }
unary_table!(unary);

/// The operations of two operands.
///
/// Calls the macro `$callback` with all entries. Those of a row: its name, the name of the form with errors as values, the
/// method's name where that differs (`as`), NumPy's name, dtypes, accuracy, range for tests, and operands with their result.
#[macro_export]
macro_rules! binary_table { ($callback:ident) => { $callback! {
    /// Returns `x + y`; of bool `or`
    add try_add = "np.add", ANY, EXACT, WIDE, ([1, 2], [10, 20]) => "[11 22]" => Zero;
    /// Returns `x - y`
    subtract try_subtract = "np.subtract", NUMBERS, EXACT, WIDE, ([1, 2], [10, 20]) => "[ -9 -18]";
    /// Returns `x * y`; of bool `and`
    multiply try_multiply = "np.multiply", ANY, EXACT, WIDE, ([1, 2], [10, 20]) => "[10 40]" => One;
    /// Returns `x / y`; integers divide as float64
    divide try_divide = "np.divide", DIVISION, EXACT, WIDE, ([1, 2], [4, 4]) => "[0.25 0.5 ]";
    /// Returns the quotient rounded down; a zero divisor gives 0 for integers
    floor_divide try_floor_divide = "np.floor_divide", WIDENED_REAL, EXACT, WIDE, ([7, -7], [2, 2]) => "[ 3 -4]";
    /// Returns the remainder with the sign of the divisor; a zero divisor gives 0 for integers
    remainder try_remainder = "np.remainder", WIDENED_REAL, EXACT, WIDE, ([7, -7], [3, 3]) => "[1 2]";
    /// Returns the remainder with the sign of the dividend
    fmod try_fmod = "np.fmod", WIDENED_REAL, EXACT, WIDE, ([7, -7], [3, 3]) => "[ 1 -1]";
    /// Returns `x` to the power `y`; powers of integers wrap
    power try_power as pow = "np.power", WIDENED, formula!(Pow), (0.0, 10.0), ([2, 3], [10, 2]) => "[1024    9]";
    /// Returns the larger of two elements; NaN wins, and `-0.0` is less than `+0.0`
    maximum try_maximum = "np.maximum", ANY, EXACT, WIDE, ([1, 5], [3, 2]) => "[3 5]" => Any;
    /// Returns the smaller of two elements; NaN wins, and `-0.0` is less than `+0.0`
    minimum try_minimum = "np.minimum", ANY, EXACT, WIDE, ([1, 5], [3, 2]) => "[1 2]" => Any;
    /// Tests `x == y`
    equal try_equal = "np.equal", TRUTH, EXACT, (-3.0, 3.0), ([1, 2], [1, 3]) => "[ True False]";
    /// Tests `x != y`
    not_equal try_not_equal = "np.not_equal", TRUTH, EXACT, (-3.0, 3.0), ([1, 2], [1, 3]) => "[False  True]";
    /// Tests `x < y`; complex numbers are ordered by real part, then by imaginary part
    less try_less = "np.less", TRUTH, EXACT, (-3.0, 3.0), ([1, 2], [1, 3]) => "[False  True]";
    /// Tests `x <= y`; complex numbers are ordered as by `less`
    less_equal try_less_equal = "np.less_equal", TRUTH, EXACT, (-3.0, 3.0), ([1, 4], [1, 3]) => "[ True False]";
    /// Tests `x > y`; complex numbers are ordered as by `less`
    greater try_greater = "np.greater", TRUTH, EXACT, (-3.0, 3.0), ([1, 4], [1, 3]) => "[False  True]";
    /// Tests `x >= y`; complex numbers are ordered as by `less`
    greater_equal try_greater_equal = "np.greater_equal", TRUTH, EXACT, (-3.0, 3.0), ([1, 2], [1, 3]) => "[ True False]";
    /// Tests whether both elements are different from zero
    logical_and try_logical_and = "np.logical_and", TRUTH, EXACT, (-1.0, 1.0), ([0, 1, 2], [1, 0, 1]) => "[False False  True]" => One;
    /// Tests whether one of two elements is different from zero
    logical_or try_logical_or = "np.logical_or", TRUTH, EXACT, (-1.0, 1.0), ([0, 1, 0], [1, 0, 0]) => "[ True  True False]" => Zero;
    /// Tests whether exactly one of two elements is different from zero
    logical_xor try_logical_xor = "np.logical_xor", TRUTH, EXACT, (-1.0, 1.0), ([0, 1, 2], [1, 0, 1]) => "[ True  True False]" => Zero;
    /// Returns `x & y`
    bitwise_and try_bitwise_and = "np.bitwise_and", BITS, EXACT, WIDE, ([12, 10], [10, 3]) => "[8 2]" => Ones;
    /// Returns `x | y`
    bitwise_or try_bitwise_or = "np.bitwise_or", BITS, EXACT, WIDE, ([12, 10], [10, 3]) => "[14 11]" => Zero;
    /// Returns `x ^ y`
    bitwise_xor try_bitwise_xor = "np.bitwise_xor", BITS, EXACT, WIDE, ([12, 10], [10, 3]) => "[6 9]" => Zero;
    /// Returns `x << y`; 0 where `y` is outside the width
    left_shift try_left_shift as bitwise_left_shift = "np.left_shift", SHIFTS, EXACT, (0.0, 9.0), ([1, 3], [4, 1]) => "[16  6]";
    /// Returns `x >> y`; 0 or all sign bits where `y` is outside the width
    right_shift try_right_shift as bitwise_right_shift = "np.right_shift", SHIFTS, EXACT, (0.0, 9.0), ([16, 7], [4, 1]) => "[1 3]";
    /// Returns the greatest common divisor
    gcd try_gcd = "np.gcd", INTEGERS, EXACT, WIDE, ([12, 7], [18, 3]) => "[6 1]" => Zero;
    /// Returns the least common multiple, wrapping
    lcm try_lcm = "np.lcm", INTEGERS, EXACT, WIDE, ([4, 7], [6, 3]) => "[12 21]";
    /// Returns the larger of two elements; a NaN loses
    fmax try_fmax = "np.fmax", ANY, EXACT, WIDE, ([1.0, f64::NAN], [3.0, 2.0]) => "[3. 2.]" => Any;
    /// Returns the smaller of two elements; a NaN loses
    fmin try_fmin = "np.fmin", ANY, EXACT, WIDE, ([1.0, f64::NAN], [3.0, 2.0]) => "[1. 2.]" => Any;
    /// Returns the magnitude of `x` with the sign of `y`
    copysign try_copysign = "np.copysign", INEXACT_REAL, EXACT, WIDE, ([1.0, 2.0], [-0.0, 5.0]) => "[-1.  2.]";
    /// Returns the next number after `x` in the direction of `y`
    nextafter try_nextafter = "np.nextafter", INEXACT_REAL, EXACT, WIDE, ([0.0], [1.0]) => "[5.e-324]", format;
    /// Returns `x * 2^n`, rounded once; the exponent `n` is an integer
    ldexp try_ldexp = "np.ldexp", SCALED, EXACT, (-9.0, 9.0), ([0.5, 3.0], [4, -1]) => "[8.  1.5]";
    /// Returns 0 below zero, `y` at zero, and 1 above
    heaviside try_heaviside = "np.heaviside", INEXACT_REAL, EXACT, WIDE, ([-1.0, 0.0, 2.0], [0.5, 0.5, 0.5]) => "[0.  0.5 1. ]";

    // Formulas.
    /// Returns the angle from -π to π of the point (`y`, `x`), whose height `y` comes first
    arctan2 try_arctan2 as atan2 = "np.arctan2", INEXACT_REAL, formula!(Atan2), (-5.0, 5.0), ([1.0, -1.0], [1.0, -1.0]) => "[ 0.78539816 -2.35619449]";
    /// Returns `√(x² + y²)` without intermediate overflow
    hypot try_hypot = "np.hypot", INEXACT_REAL, formula!(Hypot), WIDE, ([3.0, 5.0], [4.0, 12.0]) => "[ 5. 13.]" => Zero;
    /// Returns `log(e^x + e^y)`
    logaddexp try_logaddexp = "np.logaddexp", INEXACT_REAL, formula!(LogAddExp), (-20.0, 20.0), ([0.0, 1.0], [0.0, 2.0]) => "[0.69314718 2.31326169]" => Bottom;
    /// Returns `log₂(2^x + 2^y)`
    logaddexp2 try_logaddexp2 = "np.logaddexp2", INEXACT_REAL, formula!(LogAddExp2), (-20.0, 20.0), ([0.0, 1.0], [0.0, 2.0]) => "[1.        2.5849625]" => Bottom;
    /// Returns `x * log(y)`; 0 where `x` is 0 and `y` is not NaN
    xlogy try_xlogy as special = "sp.special.xlogy", SPECIAL, formula!(Xlogy), (0.0, 10.0), ([0.0, 2.0], [0.0, 3.0]) => "[0.         2.19722458]";
    /// Returns `x * log(1 + y)`; 0 where `x` is 0 and `y` is not NaN
    xlog1py try_xlog1py as special = "sp.special.xlog1py", SPECIAL, formula!(Xlog1py), (0.0, 10.0), ([0.0, 2.0], [-1.0, 3.0]) => "[0.         2.77258872]";
    /// Returns `x` to the power `y` in float64 or complex128 for every dtype
    float_power try_float_power = "np.float_power", WIDEST, formula!(Pow), (0.0, 10.0), ([2, 4], [3, -1]) => "[8.   0.25]";
} } }
binary_table!(binary);

/// `condition ? x : y`, the condition converted to bool, the others promoted.
pub static WHERE: UfuncDef = UfuncDef {
    name: "where_",
    numpy: "np.where",
    doc: " Selects the element of `x` where the condition holds, else of `y`",
    arity: 3,
    signature: Signature::ANY,
    lower: |b, _, v| lowering::choose(b, v),
    accuracy: EXACT,
    fold: FoldKind::Left,
    test_range: WIDE,
};
/// NaN and infinities (in each part) replaced by the other operands, of the part's dtype.
pub static NAN_TO_NUM: UfuncDef = UfuncDef {
    name: "nan_to_num",
    numpy: "np.nan_to_num",
    doc: " Replaces NaN and infinities by numbers",
    arity: 4,
    signature: Signature::ANY,
    lower: |b, _, v| lowering::nan_to_num(b, v),
    accuracy: EXACT,
    fold: FoldKind::Left,
    test_range: WIDE,
};
/// Values between two limits. `np.clip` takes one limit, too, which is the extremum's then; so this is in no table.
pub static CLIP: UfuncDef = UfuncDef {
    name: "clip",
    numpy: "np.clip",
    doc: " Limits values to a range",
    arity: 3,
    signature: Signature::ANY,
    lower: |b, _, v| lowering::clip(b, v),
    accuracy: EXACT,
    fold: FoldKind::Left,
    test_range: WIDE,
};
/// Operations of three and more operands.
pub static TERNARY: &[&UfuncDef] = &[&WHERE, &NAN_TO_NUM];

/// Rounded to decimals: each part times a power of ten (or by it), rounded, and back.
const fn decimals(lower: super::row::LowerFn) -> UfuncDef {
    let (name, numpy, doc) = ("round", "np.round", " Rounds to decimals, halves to even");
    let (signature, accuracy, test_range) = (Signature::ANY, EXACT, WIDE);
    UfuncDef {
        name,
        numpy,
        doc,
        arity: 2,
        signature,
        lower,
        accuracy,
        fold: FoldKind::Left,
        test_range,
    }
}
/// For decimals after the point; `np.round` takes their number, so these are in no table.
pub static ROUND_FINE: UfuncDef =
    decimals(|b, dtype, v| lowering::round_decimals(b, dtype, v, true));
/// For decimals in front of the point.
pub static ROUND_COARSE: UfuncDef =
    decimals(|b, dtype, v| lowering::round_decimals(b, dtype, v, false));
