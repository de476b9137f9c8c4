//! Values of a kernel: NumPy's elementwise operations as methods and operators.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

use num_complex::Complex;
use smallvec::SmallVec;

use ndany_core::ops::lowering::LoweredValue;
use ndany_core::ops::rows;
use ndany_core::program::SsaValue;
use ndany_core::{DType, binary_table, unary_table};

use super::Scope;
use crate::scalar::Scalar;

/// A value of a kernel: what the closure computes with in place of an element.
///
/// All elementwise operations of NumPy are its methods, under the names that [`Array`](crate::Array) has; the operators are
/// those of arrays, with numbers on either side.
#[derive(Clone, Copy, Debug)]
pub struct Val<'k> {
    pub(super) scope: &'k Scope,
    pub(super) value: LoweredValue<'k>,
    pub(super) dtype: DType,
    /// The loop in which it was made.
    pub(super) region: u32,
    /// Which operand it is, if that is read by position and has no value of its own.
    pub(super) operand: Option<u8>,
}

/// What an operation of a kernel takes: a value or a number.
#[derive(Clone, Copy, Debug)]
pub enum KernelOperand<'k> {
    /// A value.
    Val(Val<'k>),
    /// A number, weak unless typed.
    Scalar(Scalar),
}

impl<'k> From<Val<'k>> for KernelOperand<'k> {
    fn from(value: Val<'k>) -> Self {
        KernelOperand::Val(value)
    }
}
impl<T: Into<Scalar>> From<T> for KernelOperand<'_> {
    fn from(number: T) -> Self {
        KernelOperand::Scalar(number.into())
    }
}

impl<'k> Val<'k> {
    /// Returns the dtype.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let f = elementwise("f", |_, [x]| {
    ///     assert_eq!(x.dtype(), F32);
    ///     [x.less(1)]
    /// });
    /// assert_eq!(f.call([&array([0.5f32])])[0].dtype(), Bool);
    /// ```
    pub fn dtype(self) -> DType {
        self.dtype
    }

    /// Converts to another dtype, as `np.ndarray.astype`.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let whole = elementwise("whole", |_, [x]| [x.astype(I64)]);
    /// assert_eq!(whole.call([&array([1.5, -1.5])])[0].to_string(), "[ 1 -1]");
    /// ```
    pub fn astype(self, dtype: DType) -> Val<'k> {
        self.scope.convert(self, dtype)
    }

    /// Returns a zero of the same dtype.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let f = elementwise("f", |_, [x]| [x.zero()]);
    /// assert_eq!(f.call([&array([1.5, 2.5])])[0].to_string(), "[0. 0.]");
    /// ```
    pub fn zero(self) -> Val<'k> {
        self.scope.number(&Scalar::from(0), self.dtype)
    }

    /// Returns a one of the same dtype.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let f = elementwise("f", |_, [x]| [x.one()]);
    /// assert_eq!(f.call([&array([1.5, 2.5])])[0].to_string(), "[1. 1.]");
    /// ```
    pub fn one(self) -> Val<'k> {
        self.scope.number(&Scalar::from(1), self.dtype)
    }

    /// Takes `yes` where the value is true (not zero), else `no`, as `np.where`; both are computed.
    ///
    /// ```
    /// use ndany::{kernel::elementwise, prelude::*};
    /// let f = elementwise("f", |_, [x]| [x.less(0).select(-x, 10 * x)]);
    /// assert_eq!(f.call([&array([-1, 2])])[0].to_string(), "[ 1 20]");
    /// ```
    pub fn select(
        self,
        yes: impl Into<KernelOperand<'k>>,
        no: impl Into<KernelOperand<'k>>,
    ) -> Val<'k> {
        self.scope.choose(self, yes.into(), no.into())
    }

    /// Its registers.
    pub(super) fn terms(self) -> SmallVec<[SsaValue<'k>; 2]> {
        self.value.terms()
    }
}

/// A method with the documentation that follows from its row.
macro_rules! documented {
    ([($x:tt) $shown:literal $($doc:literal)+] $method:ident; $($function:tt)+) => {
        #[doc = concat!($($doc),+, ".")]
        ///
        /// ```
        /// use ndany::{kernel::elementwise, prelude::*};
        #[doc = concat!("let f = elementwise(\"f\", |_, [x]| [x.", stringify!($method), "()]);")]
        #[doc = concat!("let [y] = f.call([&array(", stringify!($x), ")]);")]
        #[doc = concat!("assert_eq!(y.to_string(), \"", $shown, "\");")]
        /// ```
        $($function)+
    };
    ([($x:tt, $y:tt) $shown:literal $($doc:literal)+] $method:ident; $($function:tt)+) => {
        #[doc = concat!($($doc),+, ".")]
        ///
        /// ```
        /// use ndany::{kernel::elementwise, prelude::*};
        #[doc = concat!("let f = elementwise(\"f\", |_, [x, y]| [x.", stringify!($method), "(y)]);")]
        #[doc = concat!("let [z] = f.call((&array(", stringify!($x), "), &array(", stringify!($y), ")));")]
        #[doc = concat!("assert_eq!(z.to_string(), \"", $shown, "\");")]
        /// ```
        $($function)+
    };
}

macro_rules! unary_method {
    ($facts:tt $row:ident _ $name:ident) => {};
    ($facts:tt $row:ident special $name:ident) => {
        unary_method! { $facts $row $name }
    };
    ($facts:tt $row:ident $method:ident $name:ident) => {
        unary_method! { $facts $row $method }
    };
    ($facts:tt $row:ident $method:ident) => {
        documented! { $facts $method;
            pub fn $method(self) -> Val<'k> { self.scope.apply(&rows::$row, &[self.into()]) }
        }
    };
}

macro_rules! binary_method {
    ($facts:tt $row:ident _ $name:ident) => {};
    ($facts:tt $row:ident special $name:ident) => {
        binary_method! { $facts $row $name }
    };
    ($facts:tt $row:ident $method:ident $name:ident) => {
        binary_method! { $facts $row $method }
    };
    ($facts:tt $row:ident $method:ident) => {
        documented! { $facts $method;
            pub fn $method(self, other: impl Into<KernelOperand<'k>>) -> Val<'k> {
                self.scope.apply(&rows::$row, &[self.into(), other.into()])
            }
        }
    };
}

macro_rules! unary {
    ($($(#[doc = $doc:literal])+ $name:ident $try_name:ident $(as $method:tt)? = $numpy:literal, $signature:ident, $accuracy:expr, $probe:expr, $operands:tt => $shown:literal $(, $format:ident)?;)+) => {
        /// Operations of one operand.
        impl<'k> Val<'k> { $(
            unary_method! { [$operands $shown $($doc)+] $name $($method)? $name }
        )+ }
    };
}
unary_table!(unary);

macro_rules! binary {
    ($($(#[doc = $doc:literal])+ $name:ident $try_name:ident $(as $method:tt)? = $numpy:literal, $signature:ident, $accuracy:expr, $probe:expr, $operands:tt => $shown:literal $(, $format:ident)? $(=> $fold:ident)?;)+) => {
        /// Operations of two operands.
        #[allow(clippy::should_implement_trait)] // The operators are there, too.
        impl<'k> Val<'k> { $(
            binary_method! { [$operands $shown $($doc)+] $name $($method)? $name }
        )+ }
    };
}
binary_table!(binary);

macro_rules! operators {
    ($($trait:ident $method:ident $row:ident;)+) => {$(
        impl<'k, T: Into<KernelOperand<'k>>> $trait<T> for Val<'k> {
            type Output = Val<'k>;
            fn $method(self, other: T) -> Val<'k> {
                self.scope.apply(&rows::$row, &[self.into(), other.into()])
            }
        }
        with_numbers!($trait $method $row: bool, i32, i64, f32, f64, Complex<f32>, Complex<f64>, Scalar);
    )+};
}
macro_rules! with_numbers {
    ($trait:ident $method:ident $row:ident: $($number:ty),+) => {$(
        impl<'k> $trait<Val<'k>> for $number {
            type Output = Val<'k>;
            fn $method(self, other: Val<'k>) -> Val<'k> {
                other.scope.apply(&rows::$row, &[self.into(), other.into()])
            }
        }
    )+};
}
operators! {
    Add add add;
    Sub sub subtract;
    Mul mul multiply;
    Div div divide;
    Rem rem remainder;
    BitAnd bitand bitwise_and;
    BitOr bitor bitwise_or;
    BitXor bitxor bitwise_xor;
    Shl shl left_shift;
    Shr shr right_shift;
}

impl<'k> Neg for Val<'k> {
    type Output = Val<'k>;
    fn neg(self) -> Val<'k> {
        self.scope.apply(&rows::negative, &[self.into()])
    }
}
impl<'k> Not for Val<'k> {
    type Output = Val<'k>;
    fn not(self) -> Val<'k> {
        self.scope.apply(&rows::invert, &[self.into()])
    }
}
