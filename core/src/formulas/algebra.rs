//! The vocabulary of formulas: what a transcendental function may say.
//!
//! A formula is an ordinary generic function over an [`Algebra`]. It is written once and read twice:
//! as **data**, when the program builder runs it and records one primitive per step (this is what the
//! reference interprets and what a device printer prints), and as **code**, when [`Native`] runs it on
//! plain floats so that a loop around it becomes SIMD. Both readings use only operations that IEEE 754
//! defines to the last bit, so both give the same bits on every machine.
//!
//! Branches and loops that depend on data are [`Algebra::branch`] and [`Algebra::repeat_while`]: what an element gets
//! depends on that element alone. Deliberately absent: every library function.

use std::cell::Cell;
use std::num::Wrapping;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

use super::Code;

/// A binary float: each operator rounds once, to nearest even, in the format of the algebra.
pub trait Float:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
}

/// An unsigned integer as wide as the float: arithmetic wraps, shift counts are constants below the width.
pub trait Bits:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
}

/// A boolean.
pub trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {}

impl<T> Float for T where
    T: Copy
        + Add<Output = T>
        + Sub<Output = T>
        + Mul<Output = T>
        + Div<Output = T>
        + Neg<Output = T>
{
}
impl<T> Bits for T where
    T: Copy
        + Add<Output = T>
        + Sub<Output = T>
        + Mul<Output = T>
        + BitAnd<Output = T>
        + BitOr<Output = T>
        + BitXor<Output = T>
        + Not<Output = T>
        + Shl<usize, Output = T>
        + Shr<usize, Output = T>
{
}
impl<T> Mask for T where T: Copy + BitAnd<Output = T> + BitOr<Output = T> + Not<Output = T> {}

/// A constant table of words, indexed by a computed integer (for instance the bits of 2/π).
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// Name in device text.
    pub name: &'static str,
    /// The words; a 32-bit algebra uses their low halves.
    pub words: &'static [u64],
}

/// What a formula may do. `F` is a float of one format (32 or 64 bits), `U` the unsigned integer of
/// that width, `B` a boolean.
pub trait Algebra {
    /// Bits of the format: 32 or 64.
    const WIDTH: u32;
    /// Float values.
    type F: Float;
    /// Bit patterns.
    type U: Bits;
    /// Booleans.
    type B: Mask;

    /// A float constant, rounded to the format (write constants that are exact in it).
    fn f(&self, value: f64) -> Self::F;
    /// An integer constant (its low bits).
    fn u(&self, value: u64) -> Self::U;
    /// `x * y + z`, rounded once.
    fn fma(&self, x: Self::F, y: Self::F, z: Self::F) -> Self::F;
    /// Square root, rounded once.
    fn sqrt(&self, x: Self::F) -> Self::F;
    /// Absolute value (clears the sign bit).
    fn abs(&self, x: Self::F) -> Self::F;
    /// `x < y`; false where either is NaN.
    fn lt(&self, x: Self::F, y: Self::F) -> Self::B;
    /// `x <= y`; false where either is NaN.
    fn le(&self, x: Self::F, y: Self::F) -> Self::B;
    /// `x == y`; false where either is NaN.
    fn eq(&self, x: Self::F, y: Self::F) -> Self::B;
    /// `condition ? yes : no`, both sides computed.
    fn select(&self, condition: Self::B, yes: Self::F, no: Self::F) -> Self::F;
    /// `condition ? yes : no` of integers.
    fn select_u(&self, condition: Self::B, yes: Self::U, no: Self::U) -> Self::U;
    /// As [`Algebra::select`], where `condition` almost never holds: a backend may skip `slow` when no
    /// element of a block needs it. `common` must be harmless (not necessarily right) where `condition` holds.
    fn slow_path(
        &self,
        condition: Self::B,
        slow: impl FnOnce(&Self) -> Self::F,
        common: Self::F,
    ) -> Self::F;
    /// What `yes` computes where `condition` holds, else what `no` computes. A backend skips a side that no element of a
    /// block takes, and computes each side for few elements besides those that take it. So a side may be long, and may have
    /// loops. Closures use the algebra that they are given.
    fn branch<const N: usize>(
        &self,
        condition: Self::B,
        yes: impl Fn(&Self) -> [Self::F; N],
        no: impl Fn(&Self) -> [Self::F; N],
    ) -> [Self::F; N];
    /// A loop: while `condition` holds of the state, at most `limit` times, `step` makes the next state of it. Returns the last
    /// state. An element whose condition does not hold keeps its state.
    fn repeat_while<const N: usize>(
        &self,
        limit: u32,
        state: [Self::F; N],
        condition: impl Fn(&Self, [Self::F; N]) -> Self::B,
        step: impl Fn(&Self, [Self::F; N]) -> [Self::F; N],
    ) -> [Self::F; N];
    /// Rounded to the nearest integer, halves to even.
    fn rint(&self, x: Self::F) -> Self::F;
    /// Largest integer that is not above `x`.
    fn floor(&self, x: Self::F) -> Self::F;
    /// The bit pattern of a float.
    fn bits(&self, x: Self::F) -> Self::U;
    /// The float with this bit pattern.
    fn float(&self, x: Self::U) -> Self::F;
    /// `x < y` as unsigned integers.
    fn lt_u(&self, x: Self::U, y: Self::U) -> Self::B;
    /// `x == y` as integers.
    fn eq_u(&self, x: Self::U, y: Self::U) -> Self::B;
    /// `x << (count mod width)`.
    fn shl(&self, x: Self::U, count: Self::U) -> Self::U;
    /// `x >> (count mod width)`, zeros shifted in.
    fn shr(&self, x: Self::U, count: Self::U) -> Self::U;
    /// The high half of the double-width product.
    fn mul_high(&self, x: Self::U, y: Self::U) -> Self::U;
    /// The value of `x`, taken as a **signed** integer, as a float (rounded to nearest even).
    #[allow(clippy::wrong_self_convention, reason = "`self` is the algebra, not the value")]
    fn from_int(&self, x: Self::U) -> Self::F;
    /// `table.words[index]`; an index past the end reads the last word.
    fn table(&self, table: &'static Table, index: Self::U) -> Self::U;
    /// Another formula (a builder keeps it whole, so that a backend may use its own loop).
    fn call<C: Code>(&self, formula: C, args: &[Self::F]) -> Self::F;

    /// `x` is a NaN.
    fn is_nan(&self, x: Self::F) -> Self::B {
        !self.eq(x, x)
    }
}

/// Formulas run as plain code on `T` (`f32` or `f64`).
///
/// With `SLOW_PATHS = false`, [`Algebra::slow_path`] takes the common side and remembers in [`Native::flagged`]
/// that some element would have needed the other: the caller then repeats the block with `SLOW_PATHS = true`.
/// So the loop that nearly always runs has no trace of slow paths in it.
///
/// With `FLAT`, both sides of an [`Algebra::branch`] and slow paths are computed and one is selected: a loop over values of a formula
/// that has no loops of its own is then straight code, which the compiler makes SIMD.
#[derive(Debug, Default)]
pub struct Native<T, const SLOW_PATHS: bool, const FLAT: bool = false> {
    flagged: Cell<bool>,
    marker: std::marker::PhantomData<T>,
}

impl<T, const SLOW_PATHS: bool, const FLAT: bool> Native<T, SLOW_PATHS, FLAT> {
    /// An algebra with the flag down.
    #[inline(always)]
    pub fn new() -> Self {
        Self { flagged: Cell::new(false), marker: std::marker::PhantomData }
    }

    /// Whether an element needed a slow path that was skipped.
    #[inline(always)]
    pub fn flagged(&self) -> bool {
        self.flagged.get()
    }
}

macro_rules! native {
    ($float:ty, $bits:ty, $wide:ty, $signed:ty) => {
        impl<const SLOW_PATHS: bool, const FLAT: bool> Algebra
            for Native<$float, SLOW_PATHS, FLAT>
        {
            const WIDTH: u32 = <$bits>::BITS;
            type F = $float;
            type U = Wrapping<$bits>;
            type B = bool;

            #[inline(always)]
            fn f(&self, value: f64) -> $float {
                value as $float
            }
            #[inline(always)]
            fn u(&self, value: u64) -> Self::U {
                Wrapping(value as $bits)
            }
            #[inline(always)]
            fn fma(&self, x: $float, y: $float, z: $float) -> $float {
                x.mul_add(y, z)
            }
            #[inline(always)]
            fn sqrt(&self, x: $float) -> $float {
                x.sqrt()
            }
            #[inline(always)]
            fn abs(&self, x: $float) -> $float {
                x.abs()
            }
            #[inline(always)]
            fn lt(&self, x: $float, y: $float) -> bool {
                x < y
            }
            #[inline(always)]
            fn le(&self, x: $float, y: $float) -> bool {
                x <= y
            }
            #[inline(always)]
            fn eq(&self, x: $float, y: $float) -> bool {
                x == y
            }
            #[inline(always)]
            fn select(&self, condition: bool, yes: $float, no: $float) -> $float {
                if condition { yes } else { no }
            }
            #[inline(always)]
            fn select_u(&self, condition: bool, yes: Self::U, no: Self::U) -> Self::U {
                if condition { yes } else { no }
            }
            #[inline(always)]
            fn slow_path(
                &self,
                condition: bool,
                slow: impl FnOnce(&Self) -> $float,
                common: $float,
            ) -> $float {
                if SLOW_PATHS && FLAT {
                    let slow = slow(self);
                    if condition { slow } else { common }
                } else if SLOW_PATHS {
                    if condition { slow(self) } else { common }
                } else {
                    self.flagged.set(self.flagged.get() | condition);
                    common
                }
            }
            #[inline(always)]
            fn branch<const N: usize>(
                &self,
                condition: bool,
                yes: impl Fn(&Self) -> [$float; N],
                no: impl Fn(&Self) -> [$float; N],
            ) -> [$float; N] {
                if FLAT {
                    let (yes, no) = (yes(self), no(self));
                    return std::array::from_fn(|k| if condition { yes[k] } else { no[k] });
                }
                if condition { yes(self) } else { no(self) }
            }
            #[inline(always)]
            fn repeat_while<const N: usize>(
                &self,
                limit: u32,
                mut state: [$float; N],
                condition: impl Fn(&Self, [$float; N]) -> bool,
                step: impl Fn(&Self, [$float; N]) -> [$float; N],
            ) -> [$float; N] {
                if FLAT && limit == 1 {
                    let (holds, next) = (condition(self, state), step(self, state));
                    return std::array::from_fn(|k| if holds { next[k] } else { state[k] });
                }
                for _ in 0..limit {
                    if !condition(self, state) {
                        break;
                    }
                    state = step(self, state);
                }
                state
            }
            #[inline(always)]
            fn rint(&self, x: $float) -> $float {
                x.round_ties_even()
            }
            #[inline(always)]
            fn floor(&self, x: $float) -> $float {
                x.floor()
            }
            #[inline(always)]
            fn bits(&self, x: $float) -> Self::U {
                Wrapping(x.to_bits())
            }
            #[inline(always)]
            fn float(&self, x: Self::U) -> $float {
                <$float>::from_bits(x.0)
            }
            #[inline(always)]
            fn lt_u(&self, x: Self::U, y: Self::U) -> bool {
                x < y
            }
            #[inline(always)]
            fn eq_u(&self, x: Self::U, y: Self::U) -> bool {
                x == y
            }
            #[inline(always)]
            fn shl(&self, x: Self::U, count: Self::U) -> Self::U {
                Wrapping(x.0.wrapping_shl(count.0 as u32))
            }
            #[inline(always)]
            fn shr(&self, x: Self::U, count: Self::U) -> Self::U {
                Wrapping(x.0.wrapping_shr(count.0 as u32))
            }
            #[inline(always)]
            fn mul_high(&self, x: Self::U, y: Self::U) -> Self::U {
                Wrapping(((<$wide>::from(x.0) * <$wide>::from(y.0)) >> <$bits>::BITS) as $bits)
            }
            #[inline(always)]
            fn from_int(&self, x: Self::U) -> $float {
                x.0 as $signed as $float
            }
            #[inline(always)]
            fn table(&self, table: &'static Table, index: Self::U) -> Self::U {
                let last = table.words.len() - 1;
                let index = index.0 as usize;
                let word = table.words.get(if index < last { index } else { last });
                // Never absent, but a panic here would keep a loop from becoming SIMD.
                Wrapping(word.copied().unwrap_or(0) as $bits)
            }
            #[inline(always)]
            fn call<C: Code>(&self, _: C, args: &[$float]) -> $float {
                C::expand(self, args)
            }
        }
    };
}

native!(f32, u32, u64, i32);
native!(f64, u64, u128, i64);
