//! Loops: what each instruction of a program does to a block of values.
//!
//! A loop is a type ([`Loop`]) whose body is scalar Rust. Inside a function with the target features of a CPU
//! level the compiler vectorizes it. `table` maps instructions to loops, `scalars` defines the operations on
//! single values. Levels change speed only: every loop gives the same bits at each.

mod complex;
mod each;
mod exists;
mod extremes;
mod fold;
mod formula;
mod fused;
mod limits;
mod narrow;
mod philox;
pub(crate) mod products;
mod ratio;
mod scalars;
mod state;
mod table;

pub(crate) use exists::Search;
pub(crate) use fold::{ACCUMULATORS, RowBatch};
pub(crate) use fused::Sources;
pub(crate) use table::running;

use enum_dispatch::enum_dispatch;
use ndany_core::DType;
use ndany_core::program::{Known, Op, Prim, RegType};

use crate::accumulators::MAX_PARTS;

/// A loop over a block: `out[i] = f(args[0][i], …)` for `i < count`. Returns whether some element failed (a
/// negative integer power).
///
/// # Safety
/// Every pointer that the loop uses is aligned for its type and valid for `count` values; `out` overlaps no
/// argument.
pub(crate) type LoopFn = unsafe fn(out: *mut u8, args: [*const u8; 3], count: usize) -> bool;

/// The body of a loop.
pub(crate) trait Loop {
    /// Runs it.
    ///
    /// # Safety
    /// As [`LoopFn`].
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool;
}

/// `left[i] = combine(left[i], right[i])` for `count` states, each part of the state an array. The last argument is
/// [`StateFns::flips`].
///
/// # Safety
/// Each pointer of a part is aligned and good for `count` values of its type; left and right do not
/// overlap.
pub(crate) type StateFn =
    unsafe fn(left: &[*mut u8; MAX_PARTS], right: &[*mut u8; MAX_PARTS], count: usize, flips: u64);

/// The body of a combination of states.
pub(crate) trait Combination {
    /// Runs it.
    ///
    /// # Safety
    /// As [`StateFn`].
    unsafe fn combine(
        left: &[*mut u8; MAX_PARTS],
        right: &[*mut u8; MAX_PARTS],
        count: usize,
        flips: u64,
    );

    /// Folds `count` values into [`ACCUMULATORS`] accumulators, value `i` into accumulator `i %
    /// ACCUMULATORS`. Values follow in the row after those already accumulated.
    ///
    /// # Safety
    /// As [`StateFn`], with ACCUMULATORS values in each array of `accumulators`.
    unsafe fn fold(
        accumulators: &[*mut u8; MAX_PARTS],
        values: &[*mut u8; MAX_PARTS],
        count: usize,
        flips: u64,
    );
}

/// Folds `count` values with positions from `first` on into one state of (value, position) that precedes
/// them.
///
/// # Safety
/// `state[0]` is one value and `state[1]` one i64, `values` are `count` of the state's type; all aligned, and
/// the state does not overlap the values.
pub(crate) type LocateFn =
    unsafe fn(state: &[*mut u8; MAX_PARTS], values: *const u8, count: usize, first: i64);

/// A fold of values with positions that computes consecutive positions by itself.
pub(crate) trait Locate {
    /// Runs it.
    ///
    /// # Safety
    /// As [`LocateFn`].
    unsafe fn locate(state: &[*mut u8; MAX_PARTS], values: *const u8, count: usize, first: i64);
}

/// [`Combination::combine`] and [`Combination::fold`] for a level, and [`Locate::locate`] where there is
/// one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateFns {
    pub(crate) combine: StateFn,
    pub(crate) fold: StateFn,
    pub(crate) locate: Option<LocateFn>,
    /// The bits of values that are flipped before values are compared: one loop serves types of one width, signed or not, and
    /// the smallest as well as the largest.
    pub(crate) flips: u64,
}

/// Code with vectors of a level's own width, for which a level is compiled.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Kernel {
    /// What it returns.
    type Output;
    /// Runs it. Implementations are `#[inline(always)]`, so that they are compiled for the level.
    ///
    /// # Safety
    /// The CPU has the level; the kernel states the rest.
    unsafe fn run(self) -> Self::Output;
}

/// An instruction set.
pub(crate) trait Simd {
    /// Whether it has fused multiply-add. Without it formulas are slow in any form, and the loop without rare
    /// paths is not worth its code size.
    const FUSED: bool;
    /// The level at which long formulas are compiled: wider registers save less time in them than their code
    /// costs in size.
    type Long: Simd;
    /// The loop compiled for this level.
    fn compiled<L: Loop>() -> LoopFn;
    /// The combination compiled for this level.
    fn combining<C: Combination>() -> StateFns;
    /// The fold of values with positions compiled for this level.
    fn locating<C: Locate>() -> LocateFn;
    /// Runs a kernel compiled for this level.
    ///
    /// # Safety
    /// As [`Kernel::run`].
    #[cfg(target_arch = "x86_64")]
    unsafe fn run<K: Kernel>(kernel: K) -> K::Output;
}

/// The loops of a program's instructions, at one level.
#[enum_dispatch]
pub(crate) trait Loops {
    /// The loop of an instruction.
    fn step(&self, op: &Op, ty: RegType, arg: RegType) -> LoopFn;
    /// Folds a run of values into accumulators: `out` holds [`ACCUMULATORS`] values, `args[0]` `count`
    /// values; value `i` goes to accumulator `i % ACCUMULATORS`.
    fn fold(&self, prim: Prim, ty: RegType) -> LoopFn;
    /// Combines `count` values of `args[0]` into those at `out`, in place.
    fn accumulate(&self, prim: Prim, ty: RegType) -> LoopFn;
    /// Folds `count` values of `args[0]` into the one at `out`, if any order gives the same bits: extrema, and sums of
    /// integers.
    fn unordered(&self, prim: Prim, ty: RegType) -> Option<LoopFn>;
    /// [`Loops::fold`], [`Loops::accumulate`] and [`Loops::unordered`] of the larger (or smaller) of two floats
    /// where NaN loses.
    fn of_numbers(&self, largest: bool, ty: RegType) -> [LoopFn; 3];
    /// Combines [`ACCUMULATORS`] values at `out` as a tree, into the first of them. Extrema of floats,
    /// which have [`Loops::unordered`], have none.
    fn tree_fold(&self, prim: Prim, ty: RegType) -> Option<LoopFn>;
    /// [`Loops::fold`] by addition of the products of `args[0]` and `args[1]`, floats.
    fn sum_of_products(&self, ty: RegType) -> LoopFn;
    /// Finds a comparison result: see [`exists::AnyCompared`]; `None` for other primitives.
    fn exists(&self, prim: Prim, arg: RegType) -> Option<LoopFn>;
    /// Finds a boolean: see [`exists::AnyTrue`].
    fn any_true(&self) -> LoopFn;
    /// Sums of several rows of floats: see [`fold::SumRows`].
    fn sum_of_rows(&self, ty: RegType) -> LoopFn;
    /// Real and imaginary parts, of `size` bytes, of the `count` complex numbers at `args[0]`.
    fn deinterleave(&self, size: usize) -> [LoopFn; 2];
    /// Complex numbers from `count` real parts at `args[0]` and imaginary parts at `args[1]`.
    fn interleave(&self, size: usize) -> LoopFn;
    /// Products of the `count` complex numbers at `args[0]` and at `args[1]`, with parts of `size` bytes.
    fn complex_product(&self, size: usize) -> LoopFn;
    /// Quotients of the `count` complex numbers at `args[0]` by those at `args[1]`, with parts of `size`
    /// bytes.
    fn complex_quotient(&self, size: usize) -> LoopFn;
    /// Conjugates of the `count` complex numbers at `args[0]`, with parts of `size` bytes.
    fn conjugate(&self, size: usize) -> LoopFn;
    /// Absolute values of the `count` complex numbers at `args[0]`, with parts of `size` bytes.
    fn complex_abs(&self, size: usize) -> LoopFn;
    /// Random words of `count` counters: see [`philox::Words`].
    fn philox(&self) -> LoopFn;
    /// The sign of floats: see [`limits::Sign`].
    fn sign(&self, ty: RegType) -> LoopFn;
    /// Values clamped between two limits: see [`limits::Clamp`].
    fn clamp(&self, ty: RegType) -> LoopFn;
    /// A range (64-bit types that are not floats are I64), with or without another value in one place: see
    /// [`fused::Range`].
    fn range(&self, ty: RegType, except: bool) -> LoopFn;
    /// Unpacks bits of bytes into words, or packs them: see [`fused::UnpackBits`] and [`fused::PackBits`].
    fn bits(&self, spread: bool) -> LoopFn;
    /// `count` times the value of `size` bytes (1, 2, 4 or 8) at `args[0]`.
    fn fill(&self, size: usize) -> LoopFn;
    /// Consecutive i64 values from the one at `args[0]`.
    fn iota(&self) -> LoopFn;
    /// Combines states of several registers, the first of type `ty`.
    fn known(&self, known: Known, ty: RegType) -> StateFns;
    /// Adds products to rows of sums: see [`products::Sum::gain`].
    fn gain<T: products::Sum>(&self) -> LoopFn;
    /// Adds products of taps with elements: see [`products::Sum::along`].
    fn along<T: products::Sum>(&self) -> [LoopFn; 2];
    /// Folds each segment of 32 of `count` values from left to right, in place at `out`.
    fn segments(&self, prim: Prim, ty: RegType) -> LoopFn;
    /// Loads 16-bit floats as f32; `None` for dtypes whose registers have the elements' type.
    fn widen(&self, dtype: DType) -> Option<LoopFn>;
    /// Stores f32 registers that hold values of a 16-bit float as its elements.
    fn narrow(&self, dtype: DType) -> Option<LoopFn>;
}

/// Declares each level in a module of its own: the compiler makes the code of a module one unit, and units are what it
/// compiles in parallel.
#[cfg(target_arch = "x86_64")]
macro_rules! levels {
    ($($(#[$meta:meta])* $level:ident $name:ident $features:literal $fused:literal $long:ident;)+) => {$(
        mod $name {
            use super::*;

            $(#[$meta])*
            #[derive(Clone, Copy, Debug)]
            pub(crate) struct $level;

            impl Simd for $level {
                const FUSED: bool = $fused;
                type Long = $long;
                fn compiled<L: Loop>() -> LoopFn {
                    #[target_feature(enable = $features)]
                    unsafe fn $name<L: Loop>(
                        out: *mut u8,
                        args: [*const u8; 3],
                        count: usize,
                    ) -> bool {
                        // SAFETY: the caller keeps the contract of `LoopFn`.
                        unsafe { L::run(out, args, count) }
                    }
                    // The CPU has the features: `Level::detect` and `Level::named` return no other level.
                    $name::<L>
                }

                fn combining<C: Combination>() -> StateFns {
                    #[target_feature(enable = $features)]
                    unsafe fn combine<C: Combination>(
                        left: &[*mut u8; MAX_PARTS],
                        right: &[*mut u8; MAX_PARTS],
                        count: usize,
                        flips: u64,
                    ) {
                        // SAFETY: the caller keeps the contract of `StateFn`.
                        unsafe { C::combine(left, right, count, flips) }
                    }
                    #[target_feature(enable = $features)]
                    unsafe fn fold<C: Combination>(
                        accumulators: &[*mut u8; MAX_PARTS],
                        values: &[*mut u8; MAX_PARTS],
                        count: usize,
                        flips: u64,
                    ) {
                        // SAFETY: the caller keeps the contract of `Combination::fold`.
                        unsafe { C::fold(accumulators, values, count, flips) }
                    }
                    // As above.
                    StateFns { combine: combine::<C>, fold: fold::<C>, locate: None, flips: 0 }
                }

                fn locating<C: Locate>() -> LocateFn {
                    #[target_feature(enable = $features)]
                    unsafe fn locate<C: Locate>(
                        state: &[*mut u8; MAX_PARTS],
                        values: *const u8,
                        count: usize,
                        first: i64,
                    ) {
                        // SAFETY: the caller keeps the contract of `LocateFn`.
                        unsafe { C::locate(state, values, count, first) }
                    }
                    // As above.
                    locate::<C>
                }

                unsafe fn run<K: Kernel>(kernel: K) -> K::Output {
                    #[target_feature(enable = $features)]
                    unsafe fn run<K: Kernel>(kernel: K) -> K::Output {
                        // SAFETY: the caller keeps the contract of `Kernel::run`.
                        unsafe { kernel.run() }
                    }
                    // SAFETY: the caller states that the CPU has the features.
                    unsafe { run(kernel) }
                }
            }
        }
        pub(crate) use $name::$level;
    )+};
}

#[cfg(target_arch = "x86_64")]
levels! {
    /// x86-64 (2003).
    V1 v1 "sse2" false V1;
    /// With AVX2 and FMA (2013).
    V3 v3 "avx2,fma,bmi1,bmi2,f16c,lzcnt,movbe,popcnt" true V3;
    /// With AVX-512 (2017).
    V4 v4 "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,f16c,lzcnt,movbe,popcnt" true V3;
}

#[cfg(not(target_arch = "x86_64"))]
mod generic {
    use super::{Combination, Locate, LocateFn, Loop, LoopFn, Simd, StateFns};

    /// The architecture's baseline.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct V1;

    impl Simd for V1 {
        const FUSED: bool = true;
        type Long = V1;
        fn compiled<L: Loop>() -> LoopFn {
            L::run
        }

        fn combining<C: Combination>() -> StateFns {
            StateFns { combine: C::combine, fold: C::fold, locate: None, flips: 0 }
        }

        fn locating<C: Locate>() -> LocateFn {
            C::locate
        }
    }
}
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use generic::V1;

/// The level in use, chosen when the device is opened.
#[enum_dispatch(Loops)]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    /// The baseline.
    V1,
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    V3,
    /// AVX-512.
    #[cfg(target_arch = "x86_64")]
    V4,
}

impl Level {
    /// The best level of this CPU.
    pub(crate) fn detect() -> Level {
        ["v4", "v3"].iter().find_map(|name| Level::named(name)).unwrap_or(V1.into())
    }

    /// The level of this name, if this CPU has it.
    pub(crate) fn named(name: &str) -> Option<Level> {
        match name {
            "v1" => Some(V1.into()),
            #[cfg(target_arch = "x86_64")]
            "v3" if has_v3() => Some(V3.into()),
            #[cfg(target_arch = "x86_64")]
            "v4" if has_v3() && has_avx512() => Some(V4.into()),
            _ => None,
        }
    }

    /// Whether the CPU has what the [code of formulas](ndany_core::program::BlockFn) needs.
    pub(crate) fn is_fused(self) -> bool {
        match self {
            Level::V1(_) => V1::FUSED,
            #[cfg(target_arch = "x86_64")]
            Level::V3(_) | Level::V4(_) => true,
        }
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Level::V1(_) => "v1",
            #[cfg(target_arch = "x86_64")]
            Level::V3(_) => "v3",
            #[cfg(target_arch = "x86_64")]
            Level::V4(_) => "v4",
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_v3() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("movbe")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

/// The state of a search for a position: its value, and where it is. Pointers, as the caller reads both between two searches.
#[cfg(test)]
fn located<T>(value: *mut T, position: *mut i64) -> [*mut u8; MAX_PARTS] {
    let mut state = [std::ptr::null_mut(); MAX_PARTS];
    state[0] = value.cast();
    state[1] = position.cast();
    state
}
