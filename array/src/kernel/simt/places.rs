//! Arrays of a kernel: parameters and shared memory.

use std::marker::PhantomData;
use std::panic::Location;

use ndany_core::program::{Reg, RegType};
use ndany_core::simt::{Atomic, Builtin, Place as At, Statement};
use smallvec::SmallVec;

use super::recorder::Recorder;
use super::value::{Integer, IntoConstant, IntoValue, Literal, Mutable, Number, Real, Value};

/// An array that is read: `&[T]`, `&Matrix<T>`, `&Tensor<T, 3>`.
#[derive(Debug)]
pub struct View<'k, T, const RANK: usize> {
    k: &'k Recorder,
    at: At,
    ty: PhantomData<T>,
}

/// An array that is read and written: `&mut [T]`, `&mut Matrix<T>`, `&mut Tensor<T, 3>`, and shared memory.
#[derive(Debug)]
pub struct ViewMut<'k, T, const RANK: usize> {
    k: &'k Recorder,
    at: At,
    ty: PhantomData<T>,
}

macro_rules! copies {
    ($($name:ident)+) => {$(
        impl<T, const RANK: usize> Clone for $name<'_, T, RANK> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T, const RANK: usize> Copy for $name<'_, T, RANK> {}

        impl<'k, T: Number, const RANK: usize> $name<'k, T, RANK> {
            pub(super) fn array(k: &'k Recorder, parameter: u16) -> Self {
                Self { k, at: At::Array(parameter), ty: PhantomData }
            }

            /// The array itself, as variables have their value.
            pub fn get(self) -> Self {
                self
            }

            /// The extent of an axis, which is known when the kernel is recorded.
            #[track_caller]
            pub fn extent(self, axis: impl IntoConstant<usize>) -> Value<'k, u32> {
                extent(self.k, self.at, axis.into_constant(self.k), RANK)
            }

            /// The element at a position; zero, and an error of the launch, where there is none.
            #[track_caller]
            pub fn at(self, position: impl Position<'k, RANK>) -> Value<'k, T> {
                let at = position.registers(self.k);
                self.k.of_each_part(|part| {
                    let result = self.k.register(RegType::of(T::DTYPE));
                    let (part, at) = (part as u8, at.clone());
                    self.k.push(Statement::Load { result, place: self.at, part, at });
                    result
                })
            }
        }

        impl<'k, T: Number> $name<'k, T, 1> {
            /// The number of elements.
            #[allow(clippy::len_without_is_empty, reason = "a value of the kernel, not a number")]
            pub fn len(self) -> Value<'k, u32> {
                self.extent(0usize)
            }
        }

        impl<'k, T: Number> $name<'k, T, 2> {
            /// The number of rows.
            pub fn rows(self) -> Value<'k, u32> {
                self.extent(0usize)
            }

            /// The number of columns.
            pub fn columns(self) -> Value<'k, u32> {
                self.extent(1usize)
            }
        }
    )+};
}
copies! { View ViewMut }

/// An extent as a 32-bit number. Longer arrays have 64-bit positions, which a kernel makes by `as u64`.
#[track_caller]
fn extent<'k>(k: &'k Recorder, at: At, axis: usize, rank: usize) -> Value<'k, u32> {
    if axis >= rank {
        let reason = format!("there is no axis {axis} of an array of {rank}");
        k.refuse(Location::caller(), &reason);
    }
    match at {
        At::Shared(number) => k.constant(k.shared_size(number)),
        At::Array(parameter) => {
            let axis = axis.min(rank - 1) as u8;
            let extent: Value<'k, i64> = k.builtin(Builtin::Extent { parameter, axis });
            k.cast(extent)
        }
    }
}

impl<'k, T: Number> ViewMut<'k, T, 1> {
    pub(super) fn shared(k: &'k Recorder, number: u16) -> Self {
        Self { k, at: At::Shared(number), ty: PhantomData }
    }
}

impl<'k, T: Number, const RANK: usize> ViewMut<'k, T, RANK> {
    /// Writes the element at a position; nothing, and an error of the launch, where there is none.
    #[track_caller]
    pub fn put(self, position: impl Position<'k, RANK>, value: impl IntoValue<'k, T>) {
        let (at, value) = (position.registers(self.k), value.into_value(self.k));
        if T::DTYPE.is_complex() {
            let (at, value) = (at.clone(), value.im);
            self.k.push(Statement::Store { place: self.at, part: 1, at, value });
        }
        self.k.push(Statement::Store { place: self.at, part: 0, at, value: value.reg });
    }

    #[track_caller]
    fn atomic(
        self,
        op: Atomic,
        position: impl Position<'k, RANK>,
        value: impl IntoValue<'k, T>,
        expected: Option<Reg>,
    ) -> Value<'k, T> {
        let caller = Location::caller();
        let (at, value) = (position.registers(self.k), value.into_value(self.k).reg);
        if !op.takes(T::DTYPE) {
            let reason = format!(
                "no such atomic operation of {}: expected numbers of 32 or 64 bits",
                T::DTYPE
            );
            self.k.refuse(caller, &reason);
            return Value::of(self.k, value);
        }
        if RegType::of(T::DTYPE).is_float() && op == Atomic::Add && !self.k.is_unordered() {
            self.k.refuse(
                caller,
                "an atomic sum of floats depends on the order of the threads: say #[kernel(unordered)]",
            );
        }
        let (result, expected) =
            (self.k.register(RegType::of(T::DTYPE)), expected.unwrap_or(value));
        self.k.push(Statement::Atomic { result, op, place: self.at, at, value, expected });
        Value::of(self.k, result)
    }
}

macro_rules! atomics {
    ($($bound:ident: $(#[doc = $doc:literal])+ $name:ident $op:ident;)+) => {$(
        impl<'k, T: $bound, const RANK: usize> ViewMut<'k, T, RANK> {
            $(#[doc = $doc])+
            #[track_caller]
            pub fn $name(self, position: impl Position<'k, RANK>, value: impl IntoValue<'k, T>) -> Value<'k, T> {
                self.atomic(Atomic::$op, position, value, None)
            }
        }
    )+};
}
atomics! {
    Real:
    /// Adds to an element atomically, and returns what was there.
    atomic_add Add;
    Integer:
    /// Keeps the smaller of an element and a value atomically, and returns what was there.
    atomic_min Min;
    Integer:
    /// Keeps the larger of an element and a value atomically, and returns what was there.
    atomic_max Max;
    Integer:
    /// Combines the bits of an element and a value by `&` atomically, and returns what was there.
    atomic_and And;
    Integer:
    /// Combines the bits of an element and a value by `|` atomically, and returns what was there.
    atomic_or Or;
    Integer:
    /// Combines the bits of an element and a value by `^` atomically, and returns what was there.
    atomic_xor Xor;
    Real:
    /// Writes an element atomically, and returns what was there.
    atomic_exchange Exchange;
}

impl<'k, T: Integer, const RANK: usize> ViewMut<'k, T, RANK> {
    /// Writes an element atomically where it equals `expected`, and returns what was there.
    #[track_caller]
    pub fn atomic_compare_exchange(
        self,
        position: impl Position<'k, RANK>,
        expected: impl IntoValue<'k, T>,
        value: impl IntoValue<'k, T>,
    ) -> Value<'k, T> {
        let expected = expected.into_value(self.k).reg;
        self.atomic(Atomic::CompareExchange, position, value, Some(expected))
    }
}

impl<'k, T: Number, const RANK: usize> Mutable<'k> for ViewMut<'k, T, RANK> {
    type Variable = Self;
    fn mutable(self, _: &'k Recorder) -> Self {
        self
    }
}

/// What a function takes for `&[T]`, `&Matrix<T>` or `&Tensor<T, 3>`.
pub trait IntoView<'k, T, const RANK: usize> {
    /// The array.
    fn into_view(self) -> View<'k, T, RANK>;
}

impl<'k, T: Number, const RANK: usize> IntoView<'k, T, RANK> for View<'k, T, RANK> {
    fn into_view(self) -> Self {
        self
    }
}
impl<'k, T: Number, const RANK: usize> IntoView<'k, T, RANK> for ViewMut<'k, T, RANK> {
    fn into_view(self) -> View<'k, T, RANK> {
        View { k: self.k, at: self.at, ty: PhantomData }
    }
}

/// A position along an axis.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no position in an array: expected an integer"
)]
pub trait Coordinate<'k> {
    /// Its register.
    fn register(self, k: &'k Recorder) -> Reg;
}

impl<'k, T: Integer> Coordinate<'k> for Value<'k, T> {
    fn register(self, _: &'k Recorder) -> Reg {
        self.reg
    }
}
impl<'k> Coordinate<'k> for Literal {
    #[track_caller]
    fn register(self, k: &'k Recorder) -> Reg {
        let value: Value<'k, i32> = k.literal(self, ndany_core::DType::I32);
        value.reg
    }
}
macro_rules! coordinates {
    ($($ty:ty)+) => {$(
        impl<'k> Coordinate<'k> for $ty {
            fn register(self, k: &'k Recorder) -> Reg {
                k.constant(self).reg
            }
        }
    )+};
}
coordinates! { u32 i32 u64 i64 }

/// A position in an array: an integer, or one for each axis: `(i, j)`, `[i, j]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no position in an array of {RANK} axes",
    note = "a matrix is read as `m[(i, j)]`, a vector as `v[i]`"
)]
pub trait Position<'k, const RANK: usize> {
    /// The registers, one an axis.
    fn registers(self, k: &'k Recorder) -> SmallVec<[Reg; 3]>;
}

impl<'k, C: Coordinate<'k>> Position<'k, 1> for C {
    #[track_caller]
    fn registers(self, k: &'k Recorder) -> SmallVec<[Reg; 3]> {
        SmallVec::from_slice(&[self.register(k)])
    }
}
impl<'k, A: Coordinate<'k>, B: Coordinate<'k>> Position<'k, 2> for (A, B) {
    #[track_caller]
    fn registers(self, k: &'k Recorder) -> SmallVec<[Reg; 3]> {
        SmallVec::from_slice(&[self.0.register(k), self.1.register(k)])
    }
}
impl<'k, A: Coordinate<'k>, B: Coordinate<'k>, C: Coordinate<'k>> Position<'k, 3> for (A, B, C) {
    #[track_caller]
    fn registers(self, k: &'k Recorder) -> SmallVec<[Reg; 3]> {
        SmallVec::from_slice(&[self.0.register(k), self.1.register(k), self.2.register(k)])
    }
}
impl<'k, A: Coordinate<'k> + Copy> Position<'k, 2> for [A; 2] {
    #[track_caller]
    fn registers(self, k: &'k Recorder) -> SmallVec<[Reg; 3]> {
        self.into_iter().map(|one| one.register(k)).collect()
    }
}
impl<'k, A: Coordinate<'k> + Copy> Position<'k, 3> for [A; 3] {
    #[track_caller]
    fn registers(self, k: &'k Recorder) -> SmallVec<[Reg; 3]> {
        self.into_iter().map(|one| one.register(k)).collect()
    }
}
