//! `+ - * / %`, `& | ^ << >>`, unary `-` and `!`, and their assigning forms, on arrays and scalars.
//!
//! On the left of an array one type of integer and one of float are taken, so that a literal has a type
//! at once and `(1.0 - &x).exp()` compiles; other numbers go there by `Scalar::from`.
//!
//! An array given by value lends its memory to the result where it was the last handle.

use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign,
    Mul, MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

use num_complex::Complex;

use super::{Array, Ellipsis};
use crate::declare::expect;
use crate::elementwise::elementwise;
use crate::graph::Operand;
use crate::scalar::Scalar;
use ndany_core::ops::{UfuncDef, rows};
use ndany_core::{Casting, Error, Result};

macro_rules! with_scalars {
    ($trait:ident $method:ident $row:ident: $($scalar:ty),+) => {$(
        impl $trait<&Array> for $scalar {
            type Output = Array;
            #[track_caller]
            fn $method(self, other: &Array) -> Array {
                expect(elementwise(&rows::$row, &mut [self.into(), other.into()]))
            }
        }
        impl $trait<Array> for $scalar {
            type Output = Array;
            #[track_caller]
            fn $method(self, other: Array) -> Array {
                expect(elementwise(&rows::$row, &mut [self.into(), other.into()]))
            }
        }
    )+};
}

macro_rules! binary {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident $row:ident;)+) => {$(
        impl<T: Into<Operand>> $trait<T> for &Array {
            type Output = Array;
            #[track_caller]
            fn $method(self, other: T) -> Array {
                expect(elementwise(&rows::$row, &mut [self.into(), other.into()]))
            }
        }
        impl<T: Into<Operand>> $trait<T> for Array {
            type Output = Array;
            #[track_caller]
            fn $method(self, other: T) -> Array {
                expect(elementwise(&rows::$row, &mut [self.into(), other.into()]))
            }
        }
        with_scalars!($trait $method $row: bool, i32, f64, Complex<f32>, Complex<f64>, Scalar);
        impl<T: Into<Operand>> $assign<T> for Array {
            /// In place where this is the only handle; the dtype stays, as NumPy's in-place operators.
            #[track_caller]
            fn $assign_method(&mut self, other: T) {
                expect(update(self, &rows::$row, other.into()));
            }
        }
    )+};
}

binary! {
    Add add AddAssign add_assign add;
    Sub sub SubAssign sub_assign subtract;
    Mul mul MulAssign mul_assign multiply;
    Div div DivAssign div_assign divide;
    Rem rem RemAssign rem_assign remainder;
    BitAnd bitand BitAndAssign bitand_assign bitwise_and;
    BitOr bitor BitOrAssign bitor_assign bitwise_or;
    BitXor bitxor BitXorAssign bitxor_assign bitwise_xor;
    Shl shl ShlAssign shl_assign left_shift;
    Shr shr ShrAssign shr_assign right_shift;
}

/// `array = row(array, other)`, lazily; the old value lends its memory if there is no other handle.
#[track_caller]
fn update(array: &mut Array, row: &'static UfuncDef, other: Operand) -> Result<()> {
    if array.node().is_pinned() {
        return array.view_mut(Ellipsis).update(row, other);
    }
    let (dtype, shape) = (array.dtype(), array.layout().shape.clone());
    let value = elementwise(row, &mut [Operand::from(&*array), other])?;
    if value.shape() != shape.as_slice() {
        let (left, right) = (shape.as_slice().into(), value.shape().into());
        return Err(Error::Broadcast { op: row.name, left, right });
    }
    if !value.dtype().can_cast(dtype, Casting::SameKind) {
        let dtypes = format!("{} assigned to {dtype}", value.dtype());
        return Err(Error::DTypes {
            op: row.name,
            dtypes,
            remedy: "convert the array with astype first",
        });
    }
    *array = value.try_astype(dtype)?;
    Ok(())
}

impl Neg for &Array {
    type Output = Array;
    #[track_caller]
    fn neg(self) -> Array {
        self.negative()
    }
}
impl Neg for Array {
    type Output = Array;
    #[track_caller]
    fn neg(self) -> Array {
        expect(elementwise(&rows::negative, &mut [self.into()]))
    }
}
impl Not for &Array {
    type Output = Array;
    #[track_caller]
    fn not(self) -> Array {
        self.bitwise_invert()
    }
}
impl Not for Array {
    type Output = Array;
    #[track_caller]
    fn not(self) -> Array {
        expect(elementwise(&rows::invert, &mut [self.into()]))
    }
}
