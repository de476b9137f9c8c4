//! Values of a kernel of threads and blocks: what stands for numbers while the kernel is recorded.

use std::marker::PhantomData;
use std::panic::Location;

use ndany_core::ops::UfuncDef;
use ndany_core::ops::rows;
use ndany_core::program::{Op, Prim, Reg, RegType};
use ndany_core::{Complex32, Complex64, DType, bf16, f16};

use super::recorder::Recorder;
use crate::element::Element;
use crate::scalar::Scalar;

mod sealed {
    pub trait Sealed {}
}

/// A type of values in kernels of threads and blocks: `bool`, integers, floats and complex numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of values in a kernel",
    label = "expected a number or `bool`",
    note = "the types are `bool`, `i8`, `i16`, `i32`, `i64`, `u8`, `u16`, `u32`, `u64`, `f16`, `bf16`, `f32`, `f64`, `Complex32` and `Complex64`"
)]
pub trait Number: Element + Into<Scalar> + sealed::Sealed {
    /// Its zero, or `false`.
    #[track_caller]
    fn zero(k: &Recorder) -> Value<'_, Self> {
        k.literal(Literal::Int(0), Self::DTYPE)
    }

    /// Its one, or `true`.
    #[track_caller]
    fn one(k: &Recorder) -> Value<'_, Self> {
        k.literal(Literal::Int(1), Self::DTYPE)
    }
}

/// A type of values that have an order, a conversion by `as`, and for integers and `bool` bits: all but complex numbers.
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` have no order, no bits and no conversion by `as` in a kernel",
    label = "expected an integer, a float or `bool`",
    note = "complex numbers have `+`, `-`, `*`, `/`, `==`, `re()`, `im()`, `conj()` and `abs()`; a generic type needs the bound `T: Real`"
)]
pub trait Plain: Number {}

/// A type with `+`, `-`, `*` and `/`: integers, floats and complex numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no arithmetic in a kernel",
    label = "expected an integer, a float or a complex number",
    note = "a generic type needs the bound `T: Arithmetic` or `T: Real`"
)]
pub trait Arithmetic: Number {}

/// A type of real numbers: integers and floats.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of real numbers in a kernel",
    label = "expected an integer or a float",
    note = "the types are `i8`, `i16`, `i32`, `i64`, `u8`, `u16`, `u32`, `u64`, `f16`, `bf16`, `f32` and `f64`; a generic one needs the bound `T: Real`"
)]
pub trait Real: Arithmetic + Plain {}

/// A type of the parts of complex numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of the parts of a complex number",
    label = "expected `f32` or `f64`"
)]
pub trait Part: Float {
    /// The complex numbers.
    type Complex: Arithmetic;
}

impl Part for f32 {
    type Complex = Complex32;
}
impl Part for f64 {
    type Complex = Complex64;
}

/// A type of integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of integers in a kernel",
    label = "expected an integer",
    note = "the types are `i8`, `i16`, `i32`, `i64`, `u8`, `u16`, `u32` and `u64`; a generic one needs the bound `T: Integer`"
)]
pub trait Integer: Real {}

/// A type of floats.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of floats in a kernel",
    label = "expected a float",
    note = "the types are `f16`, `bf16`, `f32` and `f64`; a generic one needs the bound `T: Float`; convert with `as`"
)]
pub trait Float: Real {}

macro_rules! types {
    ($($ty:ty: $($kind:ident)+;)+) => {$(
        impl sealed::Sealed for $ty {}
        $(impl $kind for $ty {})+
        impl<'k> IntoValue<'k, $ty> for $ty {
            fn into_value(self, k: &'k Recorder) -> Value<'k, $ty> {
                k.constant(self)
            }
        }
        impl<'k> Pair<'k> for (Value<'k, $ty>, $ty) {
            type Number = $ty;
            fn pair(self, k: &'k Recorder) -> [Value<'k, $ty>; 2] {
                [self.0, k.constant(self.1)]
            }
        }
        impl<'k> Pair<'k> for ($ty, Value<'k, $ty>) {
            type Number = $ty;
            fn pair(self, k: &'k Recorder) -> [Value<'k, $ty>; 2] {
                [k.constant(self.0), self.1]
            }
        }
    )+};
}
types! {
    bool: Number Plain;
    i8: Number Plain Arithmetic Real Integer;
    i16: Number Plain Arithmetic Real Integer;
    i32: Number Plain Arithmetic Real Integer;
    i64: Number Plain Arithmetic Real Integer;
    u8: Number Plain Arithmetic Real Integer;
    u16: Number Plain Arithmetic Real Integer;
    u32: Number Plain Arithmetic Real Integer;
    u64: Number Plain Arithmetic Real Integer;
    f16: Number Plain Arithmetic Real Float;
    bf16: Number Plain Arithmetic Real Float;
    f32: Number Plain Arithmetic Real Float;
    f64: Number Plain Arithmetic Real Float;
    Complex32: Number Arithmetic;
    Complex64: Number Arithmetic;
}

/// A value of a thread.
#[derive(Debug)]
pub struct Value<'k, T> {
    pub(super) k: &'k Recorder,
    pub(super) reg: Reg,
    /// The imaginary part; the same register where there is none.
    pub(super) im: Reg,
    pub(super) ty: PhantomData<T>,
}

impl<T> Clone for Value<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Value<'_, T> {}

/// A number in the source of a kernel, which takes the type of the value that it meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// An integer.
    Int(i128),
    /// A float.
    Float(f64),
}

/// What becomes a value of a type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no value of type `{T}` in a kernel",
    note = "convert with `as`; a literal alone needs a type: `0u32`, `0.0f32`, `T::zero()`"
)]
pub trait IntoValue<'k, T> {
    /// The value.
    fn into_value(self, k: &'k Recorder) -> Value<'k, T>;
}

impl<'k, T: Number> IntoValue<'k, T> for Value<'k, T> {
    fn into_value(self, _: &'k Recorder) -> Value<'k, T> {
        self
    }
}
impl<'k, T: Number> IntoValue<'k, T> for Literal {
    #[track_caller]
    fn into_value(self, k: &'k Recorder) -> Value<'k, T> {
        k.literal(self, T::DTYPE)
    }
}

/// What becomes a number of Rust while the kernel is recorded: a `#[comptime]` argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known when the kernel is recorded: expected a constant of type `{T}`",
    note = "constants, `#[comptime]` parameters, const generics and what is made of them are known"
)]
pub trait IntoConstant<T> {
    /// The number.
    fn into_constant(self, k: &Recorder) -> T;
}

impl<T> IntoConstant<T> for T {
    fn into_constant(self, _: &Recorder) -> T {
        self
    }
}

macro_rules! constants {
    ($($ty:ty)+; $($float:ty)+) => {
        $(impl IntoConstant<$ty> for Literal {
            #[track_caller]
            fn into_constant(self, k: &Recorder) -> $ty {
                let at = Location::caller();
                let number = match self {
                    Literal::Int(number) => <$ty>::try_from(number).ok(),
                    Literal::Float(_) => None,
                };
                number.unwrap_or_else(|| {
                    let number = match self {
                        Literal::Int(number) => number.to_string(),
                        Literal::Float(number) => format!("{number:?}"),
                    };
                    let reason = format!("the literal {number} is no {}", stringify!($ty));
                    k.refuse(at, &reason);
                    0
                })
            }
        })+
        $(impl IntoConstant<$float> for Literal {
            fn into_constant(self, _: &Recorder) -> $float {
                match self {
                    Literal::Int(number) => number as $float,
                    Literal::Float(number) => number as $float,
                }
            }
        })+
    };
}
constants! { i8 i16 i32 i64 u8 u16 u32 u64 usize; f32 f64 }

/// Two operands of one type, of which one may be a number of the source.
#[diagnostic::on_unimplemented(
    message = "the operands of this operation are not of one type: `{Self}`",
    note = "operands in a kernel have one type: convert with `as`"
)]
pub trait Pair<'k> {
    /// The type.
    type Number: Number;
    /// The operands as values.
    fn pair(self, k: &'k Recorder) -> [Value<'k, Self::Number>; 2];
}

impl<'k, T: Number> Pair<'k> for (Value<'k, T>, Value<'k, T>) {
    type Number = T;
    fn pair(self, _: &'k Recorder) -> [Value<'k, T>; 2] {
        [self.0, self.1]
    }
}
impl<'k, T: Number> Pair<'k> for (Value<'k, T>, Literal) {
    type Number = T;
    #[track_caller]
    fn pair(self, k: &'k Recorder) -> [Value<'k, T>; 2] {
        [self.0, k.literal(self.1, T::DTYPE)]
    }
}
impl<'k, T: Number> Pair<'k> for (Literal, Value<'k, T>) {
    type Number = T;
    #[track_caller]
    fn pair(self, k: &'k Recorder) -> [Value<'k, T>; 2] {
        [k.literal(self.0, T::DTYPE), self.1]
    }
}

/// A variable of a thread: `let mut x = …;`.
#[derive(Debug)]
pub struct Variable<'k, T> {
    pub(super) k: &'k Recorder,
    pub(super) number: u16,
    /// That of the imaginary part; the same where there is none.
    pub(super) im: u16,
    pub(super) ty: PhantomData<T>,
}

impl<T> Clone for Variable<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Variable<'_, T> {}

impl<'k, T: Number> Variable<'k, T> {
    /// Its value now.
    pub fn get(self) -> Value<'k, T> {
        self.k.read(self)
    }

    /// Gives it another value.
    #[track_caller]
    pub fn set(self, value: impl IntoValue<'k, T>) {
        let value = value.into_value(self.k);
        self.k.write(self, value);
    }
}

/// What `let mut` makes of a value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no variable of a kernel",
    note = "a literal that becomes a variable needs a type: `0u32`, `0.0f32`, `T::zero()`"
)]
pub trait Mutable<'k> {
    /// The variable.
    type Variable;
    /// Makes the variable.
    fn mutable(self, k: &'k Recorder) -> Self::Variable;
}

impl<'k, T: Number> Mutable<'k> for Value<'k, T> {
    type Variable = Variable<'k, T>;
    fn mutable(self, k: &'k Recorder) -> Variable<'k, T> {
        k.variable(self)
    }
}

/// What two branches of an `if` come to.
#[diagnostic::on_unimplemented(
    message = "the branches of this `if` have no common value: `{Self}` and `{B}`",
    note = "both branches have values of one type; a literal needs a type if the other one is a literal, too: `0.0f32`"
)]
pub trait Join<'k, B> {
    /// The value after the branches.
    type Joined;
    /// Where both keep it.
    type Kept: Copy;
    /// Keeps that of the first branch.
    fn keep_first(self, k: &'k Recorder) -> Self::Kept;
    /// Keeps that of the second branch.
    fn keep_second(second: B, kept: Self::Kept, k: &'k Recorder);
    /// The value after them.
    fn joined(kept: Self::Kept) -> Self::Joined;
}

impl<'k> Join<'k, ()> for () {
    type Joined = ();
    type Kept = ();
    fn keep_first(self, _: &'k Recorder) {}
    fn keep_second((): (), (): (), _: &'k Recorder) {}
    fn joined((): ()) {}
}

macro_rules! join {
    ($($first:ty, $second:ty;)+) => {$(
        impl<'k, T: Number> Join<'k, $second> for $first {
            type Joined = Value<'k, T>;
            type Kept = Variable<'k, T>;
            #[track_caller]
            fn keep_first(self, k: &'k Recorder) -> Variable<'k, T> {
                let value: Value<'k, T> = self.into_value(k);
                k.variable(value)
            }
            #[track_caller]
            fn keep_second(second: $second, kept: Variable<'k, T>, _: &'k Recorder) {
                kept.set(second);
            }
            fn joined(kept: Variable<'k, T>) -> Value<'k, T> {
                kept.get()
            }
        }
    )+};
}
join! {
    Value<'k, T>, Value<'k, T>;
    Value<'k, T>, Literal;
    Literal, Value<'k, T>;
}

macro_rules! join_tuples {
    ($($first:ident $second:ident $number:tt),+) => {
        impl<'k, $($first: Join<'k, $second>, $second),+> Join<'k, ($($second,)+)> for ($($first,)+) {
            type Joined = ($($first::Joined,)+);
            type Kept = ($($first::Kept,)+);
            fn keep_first(self, k: &'k Recorder) -> Self::Kept {
                ($(self.$number.keep_first(k),)+)
            }
            fn keep_second(second: ($($second,)+), kept: Self::Kept, k: &'k Recorder) {
                $($first::keep_second(second.$number, kept.$number, k);)+
            }
            fn joined(kept: Self::Kept) -> Self::Joined {
                ($($first::joined(kept.$number),)+)
            }
        }
    };
}
join_tuples!(A B 0, C D 1);
join_tuples!(A B 0, C D 1, E F 2);
join_tuples!(A B 0, C D 1, E F 2, G H 3);

impl<'k, T: Number> Value<'k, T> {
    /// A value of the same recorder.
    pub(super) fn of(k: &'k Recorder, reg: Reg) -> Self {
        Self::of_parts(k, [reg; 2])
    }

    /// The same of both parts: of what is not complex the first counts.
    pub(super) fn of_parts(k: &'k Recorder, [reg, im]: [Reg; 2]) -> Self {
        Value { k, reg, im, ty: PhantomData }
    }

    /// Its registers.
    pub(super) fn parts(self) -> [Reg; 2] {
        [self.reg, self.im]
    }

    /// Its value, as variables have it.
    pub fn get(self) -> Self {
        self
    }

    fn row(self, row: &'static UfuncDef) -> Self {
        self.k.apply(row, &[self.reg], T::DTYPE)
    }

    fn with(self, row: &'static UfuncDef, other: Self) -> Self {
        self.k.apply(row, &[self.reg, other.reg], T::DTYPE)
    }
}

impl<'k> Value<'k, bool> {
    /// One of two values; both are computed.
    pub fn select<P: Pair<'k>>(self, yes_and_no: P) -> Value<'k, P::Number> {
        let [yes, no] = yes_and_no.pair(self.k);
        let ty = RegType::of(P::Number::DTYPE);
        self.k.of_each_part(|part| {
            let [yes, no] = [yes, no].map(|value| value.parts()[part]);
            self.k.prim(Prim::Select, ty, &[self.reg, yes, no])
        })
    }
}

macro_rules! methods {
    ($bound:ident: $($(#[doc = $doc:literal])+ $name:ident $row:ident;)+) => {
        impl<'k, T: $bound> Value<'k, T> {$(
            $(#[doc = $doc])+
            pub fn $name(self) -> Self {
                self.row(&rows::$row)
            }
        )+}
    };
}
macro_rules! methods_of_two {
    ($bound:ident: $($(#[doc = $doc:literal])+ $name:ident $row:ident;)+) => {
        #[allow(clippy::should_implement_trait, reason = "the names of Rust's numbers")]
        impl<'k, T: $bound> Value<'k, T> {$(
            $(#[doc = $doc])+
            #[track_caller]
            pub fn $name(self, other: impl IntoValue<'k, T>) -> Self {
                let other = other.into_value(self.k);
                self.with(&rows::$row, other)
            }
        )+}
    };
}
methods! { Real:
    /// The absolute value.
    abs absolute;
    /// -1, 0 or 1; of a NaN itself.
    signum sign;
}
methods_of_two! { Real:
    /// The smaller one; a NaN wins, as in NumPy.
    min minimum;
    /// The larger one; a NaN wins, as in NumPy.
    max maximum;
}
methods! { Float:
    /// The square root.
    sqrt sqrt;
    /// The cube root.
    cbrt cbrt;
    /// The largest integer that is not above.
    floor floor;
    /// The smallest integer that is not below.
    ceil ceil;
    /// The integer towards zero.
    trunc trunc;
    /// The nearest integer, halves to even ones.
    round_ties_even rint;
    /// One divided by it.
    recip reciprocal;
    /// e to its power.
    exp exp;
    /// 2 to its power.
    exp2 exp2;
    /// e to its power, minus one.
    exp_m1 expm1;
    /// The natural logarithm.
    ln log;
    /// The logarithm of one plus it.
    ln_1p log1p;
    /// The logarithm to base 2.
    log2 log2;
    /// The logarithm to base 10.
    log10 log10;
    /// The sine.
    sin sin;
    /// The cosine.
    cos cos;
    /// The tangent.
    tan tan;
    /// The arcsine.
    asin arcsin;
    /// The arccosine.
    acos arccos;
    /// The arctangent.
    atan arctan;
    /// The hyperbolic sine.
    sinh sinh;
    /// The hyperbolic cosine.
    cosh cosh;
    /// The hyperbolic tangent.
    tanh tanh;
    /// The error function.
    erf erf;
    /// The gamma function.
    gamma gamma;
}
methods_of_two! { Float:
    /// Its power.
    powf power;
    /// The angle of the point (x, y), of which this is y.
    atan2 arctan2;
    /// The hypotenuse.
    hypot hypot;
    /// This one with the sign of the other.
    copysign copysign;
}

impl<'k, T: Float> Value<'k, T> {
    /// `self * a + b`, rounded once.
    #[track_caller]
    pub fn mul_add(self, a: impl IntoValue<'k, T>, b: impl IntoValue<'k, T>) -> Self {
        let [a, b] = [a.into_value(self.k), b.into_value(self.k)];
        let ty = RegType::of(T::DTYPE);
        Value::of(
            self.k,
            self.k.rounded(self.k.prim(Prim::Fma, ty, &[self.reg, a.reg, b.reg]), T::DTYPE),
        )
    }

    /// Whether it is no number.
    pub fn is_nan(self) -> Value<'k, bool> {
        let equal = self.k.prim(Prim::Eq, RegType::Bool, &[self.reg, self.reg]);
        Value::of(self.k, self.k.prim(Prim::Not, RegType::Bool, &[equal]))
    }
}

macro_rules! complex {
    ($($ty:ty, $part:ty;)+) => {$(
        impl<'k> Value<'k, $ty> {
            /// The real part.
            pub fn re(self) -> Value<'k, $part> {
                Value::of(self.k, self.reg)
            }

            /// The imaginary part.
            pub fn im(self) -> Value<'k, $part> {
                Value::of(self.k, self.im)
            }

            /// The complex conjugate.
            pub fn conj(self) -> Self {
                self.k.apply_complex(&rows::conjugate, &[self.parts()], <$ty>::DTYPE)
            }

            /// The modulus.
            pub fn abs(self) -> Value<'k, $part> {
                self.k.apply_complex(&rows::absolute, &[self.parts()], <$ty>::DTYPE)
            }
        }
    )+};
}
complex! { Complex32, f32; Complex64, f64; }

impl<'k> Value<'k, f32> {
    /// Its bits.
    pub fn to_bits(self) -> Value<'k, u32> {
        Value::of(
            self.k,
            self.k.step(Op::Bitcast { from: RegType::F32 }, RegType::U32, &[self.reg]),
        )
    }
}
impl<'k> Value<'k, f64> {
    /// Its bits.
    pub fn to_bits(self) -> Value<'k, u64> {
        Value::of(
            self.k,
            self.k.step(Op::Bitcast { from: RegType::F64 }, RegType::U64, &[self.reg]),
        )
    }
}
impl<'k> Value<'k, u32> {
    /// The high half of the product.
    #[track_caller]
    pub fn mul_high(self, other: impl IntoValue<'k, u32>) -> Self {
        let other = other.into_value(self.k);
        Value::of(self.k, self.k.prim(Prim::MulHigh, RegType::U32, &[self.reg, other.reg]))
    }
}

impl<'k, T: Integer> Value<'k, T> {
    /// Its ones in binary, of its absolute value.
    pub fn count_ones(self) -> Value<'k, u32> {
        let ones: Value<'k, u8> = self.k.apply(&rows::bitwise_count, &[self.reg], T::DTYPE);
        self.k.cast(ones)
    }
}

/// The dtype of a value.
impl<T: Number> Value<'_, T> {
    /// Its dtype.
    pub fn dtype(self) -> DType {
        T::DTYPE
    }
}

/// Where the caller of a recorder is.
pub(super) type Place = &'static Location<'static>;
