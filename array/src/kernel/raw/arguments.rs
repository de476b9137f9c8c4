//! Arguments of raw kernels, and extents of their launches.

use std::fmt;

use bytemuck::NoUninit;
use ndany_core::DType;
use smallvec::SmallVec;

use crate::element::Element;
use crate::graph::Array;
use crate::scalar::Scalar;

/// Blocks of a grid or threads of a block along x, y and z: `256`, `(16, 16)` or `[8, 8, 4]`; what is left out is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extents(pub [u32; 3]);

impl From<u32> for Extents {
    fn from(x: u32) -> Self {
        Self([x, 1, 1])
    }
}
impl From<(u32, u32)> for Extents {
    fn from((x, y): (u32, u32)) -> Self {
        Self([x, y, 1])
    }
}
impl From<(u32, u32, u32)> for Extents {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self([x, y, z])
    }
}
impl From<[u32; 2]> for Extents {
    fn from([x, y]: [u32; 2]) -> Self {
        Self([x, y, 1])
    }
}
impl From<[u32; 3]> for Extents {
    fn from(extents: [u32; 3]) -> Self {
        Self(extents)
    }
}

/// What a new array of a launch holds before the kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Init {
    /// Zeros.
    Zeros,
    /// NaN, -1, the largest unsigned number or `true`: what a kernel forgets to write shows.
    Poison,
    /// Anything: the kernel writes every element.
    Uninit,
}

/// A structure as an argument: its bytes are passed by value.
#[derive(Clone, Copy, Debug)]
pub struct Structure<'a, T>(pub &'a T);

/// An argument of a raw kernel. Arrays and numbers become arguments by themselves; `([n, m], Init::Zeros)` is a new array.
pub enum Argument<'a> {
    /// A number of the dtype of its Rust type.
    Number(Scalar),
    /// The bytes of a structure.
    Structure(Vec<u8>),
    /// An array that the kernel reads.
    Input(&'a Array),
    /// An array that the kernel reads and writes.
    InOut(&'a mut Array),
    /// A new array of a shape, which the launch returns.
    Output(Vec<usize>, Init),
}

impl fmt::Debug for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what())
    }
}

impl Argument<'_> {
    /// What it is, in errors.
    pub(in crate::kernel) fn what(&self) -> String {
        match self {
            Argument::Number(scalar) => format!("a number of {}", scalar.natural_dtype()),
            Argument::Structure(bytes) => format!("a structure of {} bytes", bytes.len()),
            Argument::Input(_) => "an array to read (&x)".to_string(),
            Argument::InOut(_) => "an array to write (&mut x)".to_string(),
            Argument::Output(..) => "the shape of a new array".to_string(),
        }
    }

    /// The dtype that it has by itself.
    pub(super) fn dtype(&self) -> Option<DType> {
        match self {
            Argument::Number(scalar) => Some(scalar.natural_dtype()),
            Argument::Input(array) => Some(array.dtype()),
            Argument::InOut(array) => Some(array.dtype()),
            Argument::Structure(_) | Argument::Output(..) => None,
        }
    }

    pub(in crate::kernel) fn array(&self) -> Option<&Array> {
        match self {
            Argument::Input(array) => Some(array),
            Argument::InOut(array) => Some(array),
            Argument::Number(_) | Argument::Structure(_) | Argument::Output(..) => None,
        }
    }
}

impl<T: Element + Into<Scalar>> From<T> for Argument<'_> {
    fn from(value: T) -> Self {
        Argument::Number(Scalar::typed(T::DTYPE, value))
    }
}
impl<T: NoUninit> From<Structure<'_, T>> for Argument<'_> {
    fn from(Structure(value): Structure<'_, T>) -> Self {
        Argument::Structure(bytemuck::bytes_of(value).to_vec())
    }
}
impl<'a> From<&'a Array> for Argument<'a> {
    fn from(array: &'a Array) -> Self {
        Argument::Input(array)
    }
}
impl<'a> From<&'a mut Array> for Argument<'a> {
    fn from(array: &'a mut Array) -> Self {
        Argument::InOut(array)
    }
}
impl<const N: usize> From<([usize; N], Init)> for Argument<'_> {
    fn from((shape, init): ([usize; N], Init)) -> Self {
        Argument::Output(shape.to_vec(), init)
    }
}
impl From<(&[usize], Init)> for Argument<'_> {
    fn from((shape, init): (&[usize], Init)) -> Self {
        Argument::Output(shape.to_vec(), init)
    }
}

/// The arguments of a launch: a tuple of up to twelve, an array or a `Vec`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the arguments of a raw kernel",
    note = "one argument is `(&x,)`; numbers have the Rust type of their dtype: `2.0f32`"
)]
pub trait RawArguments<'a> {
    /// The arguments in order.
    #[doc(hidden)]
    fn arguments(self) -> SmallVec<[Argument<'a>; 8]>;
}

impl<'a> RawArguments<'a> for () {
    fn arguments(self) -> SmallVec<[Argument<'a>; 8]> {
        SmallVec::new()
    }
}
impl<'a> RawArguments<'a> for Vec<Argument<'a>> {
    fn arguments(self) -> SmallVec<[Argument<'a>; 8]> {
        self.into_iter().collect()
    }
}
impl<'a, T: Into<Argument<'a>>, const N: usize> RawArguments<'a> for [T; N] {
    fn arguments(self) -> SmallVec<[Argument<'a>; 8]> {
        self.into_iter().map(Into::into).collect()
    }
}

macro_rules! tuples {
    ($($($argument:ident)+;)+) => {$(
        impl<'a, $($argument: Into<Argument<'a>>),+> RawArguments<'a> for ($($argument,)+) {
            #[allow(non_snake_case)]
            fn arguments(self) -> SmallVec<[Argument<'a>; 8]> {
                let ($($argument,)+) = self;
                let mut all = SmallVec::new();
                $(all.push($argument.into());)+
                all
            }
        }
    )+};
}
tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
}
