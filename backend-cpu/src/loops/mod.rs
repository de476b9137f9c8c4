//! The loops: what each step of a program does to a block of values.
//!
//! A loop is a type ([`Loop`]) whose body is plain scalar Rust; instantiated inside a function with the
//! target features of a CPU level it becomes SIMD. `table` says which loop runs which step, `scalars`
//! what one value means. Levels change speed only: every loop gives the same bits at each.

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

pub(crate) use fold::{LANES, Rows};
pub(crate) use fused::Sources;
pub(crate) use table::running;

use enum_dispatch::enum_dispatch;
use ndany_core::DType;
use ndany_core::program::{Known, Op, Prim, Ty};

use crate::lanes::MAX_PARTS;

/// A loop over a block: `out[i] = f(args[0][i], …)` for `i < count`. Returns whether some element had
/// no answer (a negative integer power).
///
/// # Safety
/// Every pointer the loop uses is aligned for its type and good for `count` values; `out` overlaps no
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

/// `left[i] = combine(left[i], right[i])` for `count` states, each part of the state an array.
///
/// # Safety
/// Each pointer of a part is aligned and good for `count` values of its type; left and right do not
/// overlap.
pub(crate) type StateFn =
    unsafe fn(left: &[*mut u8; MAX_PARTS], right: &[*mut u8; MAX_PARTS], count: usize);

/// The body of a combination of states.
pub(crate) trait Combination {
    /// Runs it.
    ///
    /// # Safety
    /// As [`StateFn`].
    unsafe fn combine(left: &[*mut u8; MAX_PARTS], right: &[*mut u8; MAX_PARTS], count: usize);

    /// Folds `count` values into [`LANES`] lanes, value `i` into lane `i % LANES`. Values come later in
    /// the row than what the lanes hold, and later ones later still.
    ///
    /// # Safety
    /// As [`StateFn`], with LANES values in each array of `lanes`.
    unsafe fn fold(lanes: &[*mut u8; MAX_PARTS], values: &[*mut u8; MAX_PARTS], count: usize);
}

/// Folds `count` values that are numbered from `first` on into one state of (value, number), which comes
/// before them.
///
/// # Safety
/// `state[0]` is one value and `state[1]` one i64, `values` are `count` of the state's type; all aligned,
/// the state apart from the values.
pub(crate) type LocateFn =
    unsafe fn(state: &[*mut u8; MAX_PARTS], values: *const u8, count: usize, first: i64);

/// A combination of values with their numbers that needs no numbers in memory where they count up.
pub(crate) trait Locate: Combination {
    /// Runs it.
    ///
    /// # Safety
    /// As [`LocateFn`].
    unsafe fn locate(state: &[*mut u8; MAX_PARTS], values: *const u8, count: usize, first: i64);
}

/// [`Combination::combine`] and [`Combination::fold`] for a level, and [`Locate::locate`] where there is
/// that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateFns {
    pub(crate) combine: StateFn,
    pub(crate) fold: StateFn,
    pub(crate) locate: Option<LocateFn>,
}

/// A set of instructions that a CPU has.
pub(crate) trait Simd {
    /// Has it fused multiplication and addition? Where not, a formula is slow whichever way it runs, and
    /// the loop without rare paths is not worth its code.
    const FUSED: bool;
    /// The level at which formulas of many steps are compiled: twice as long registers save them less than
    /// their code costs everybody.
    type Long: Simd;
    /// The loop compiled for this level.
    fn compiled<L: Loop>() -> LoopFn;
    /// The combination compiled for this level.
    fn combining<C: Combination>() -> StateFns;
    /// As [`Simd::combining`], of a combination that locates.
    fn locating<C: Locate>() -> StateFns;
}

/// Which loops run the steps of a program; one set for each level.
#[enum_dispatch]
pub(crate) trait Loops {
    /// The loop of a step that computes from its arguments.
    fn step(&self, op: &Op, ty: Ty, arg: Ty) -> LoopFn;
    /// Folds a run of values into lanes: `out` holds [`LANES`] values, `args[0]` `count` values, value
    /// `i` going to lane `i % LANES`.
    fn fold(&self, prim: Prim, ty: Ty) -> LoopFn;
    /// Combines `count` values of `args[0]` into those at `out`, in place.
    fn accumulate(&self, prim: Prim, ty: Ty) -> LoopFn;
    /// Folds `count` values of `args[0]` into the one at `out`, where any order gives the same bits: extremes of floats.
    fn extreme(&self, prim: Prim, ty: Ty) -> Option<LoopFn>;
    /// [`Loops::fold`], [`Loops::accumulate`] and [`Loops::extreme`] of the larger (or smaller) of two floats where NaN
    /// loses.
    fn of_numbers(&self, largest: bool, ty: Ty) -> [LoopFn; 3];
    /// Combines [`LANES`] values at `out` by halves, into the first of them.
    fn halves(&self, prim: Prim, ty: Ty) -> LoopFn;
    /// [`Loops::fold`] by addition of the products of `args[0]` and `args[1]`, floats.
    fn sum_of_products(&self, ty: Ty) -> LoopFn;
    /// Is there a pair of `args[0]` and `args[1]` that compares so? See [`exists::Exists`]; `None` of what is no comparison.
    fn exists(&self, prim: Prim, arg: Ty) -> Option<LoopFn>;
    /// Is there such a truth value among `args[0]`? See [`exists::ExistsTruth`].
    fn exists_truth(&self) -> LoopFn;
    /// Sums of several rows of floats: see [`fold::SumOfRows`].
    fn sum_of_rows(&self, ty: Ty) -> LoopFn;
    /// Real and imaginary parts, of so many bytes, of the `count` complex numbers at `args[0]`.
    fn part(&self, size: usize) -> [LoopFn; 2];
    /// Complex numbers of `count` real parts at `args[0]` and imaginary ones at `args[1]`.
    fn pair(&self, size: usize) -> LoopFn;
    /// Products of the `count` complex numbers at `args[0]` and at `args[1]`, of parts of so many bytes.
    fn complex_product(&self, size: usize) -> LoopFn;
    /// Quotients of the `count` complex numbers at `args[0]` by those at `args[1]`, of parts of so many bytes.
    fn complex_quotient(&self, size: usize) -> LoopFn;
    /// Conjugates of the `count` complex numbers at `args[0]`, of parts of so many bytes.
    fn conjugate(&self, size: usize) -> LoopFn;
    /// Lengths of the `count` complex numbers at `args[0]`, of parts of so many bytes.
    fn length(&self, size: usize) -> LoopFn;
    /// Random words of `count` counters: see [`philox::Words`].
    fn philox(&self) -> LoopFn;
    /// The sign of floats: see [`limits::Sign`].
    fn sign(&self, ty: Ty) -> LoopFn;
    /// Values brought between two limits: see [`limits::Between`].
    fn between(&self, ty: Ty) -> LoopFn;
    /// A range of numbers (all of 64 bits that are no floats are I64), with another one in it or not: see [`fused::Range`].
    fn range(&self, ty: Ty, except: bool) -> LoopFn;
    /// Bits of bytes spread over words, or gathered from them: see [`fused::Spread`] and [`fused::Gathered`].
    fn bits(&self, spread: bool) -> LoopFn;
    /// Counts up in i64 from the one value at `args[0]`.
    fn index(&self) -> LoopFn;
    /// Combines states of several registers, the first of type `ty`.
    fn known(&self, known: Known, ty: Ty) -> StateFns;
    /// Adds products to rows of sums of type `T`: see [`products::Sum::gain`].
    fn gain<T: products::Sum>(&self) -> LoopFn;
    /// Adds products of taps with elements under them: see [`products::Sum::along`].
    fn along<T: products::Sum>(&self) -> [LoopFn; 2];
    /// Folds each segment of 32 of `count` values from left to right, in place at `out`.
    fn segments(&self, prim: Prim, ty: Ty) -> LoopFn;
    /// Reads 16-bit floats as f32; `None` for dtypes whose registers are their elements.
    fn widen(&self, dtype: DType) -> Option<LoopFn>;
    /// Writes f32 registers that hold values of a 16-bit float as its elements.
    fn narrow(&self, dtype: DType) -> Option<LoopFn>;
}

macro_rules! levels {
    ($($(#[$meta:meta])* $level:ident $name:ident $features:literal $fused:literal $long:ident;)+) => {
        $($(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $level;

        $(#[$meta])*
        impl Simd for $level {
            const FUSED: bool = $fused;
            type Long = $long;
            fn compiled<L: Loop>() -> LoopFn {
                #[target_feature(enable = $features)]
                unsafe fn $name<L: Loop>(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                    // SAFETY: the caller keeps the contract of `LoopFn`.
                    unsafe { L::run(out, args, count) }
                }
                // The CPU has the features: `Level::detect` and `Level::named` make no other level.
                $name::<L>
            }

            fn combining<C: Combination>() -> StateFns {
                #[target_feature(enable = $features)]
                unsafe fn combine<C: Combination>(
                    left: &[*mut u8; MAX_PARTS],
                    right: &[*mut u8; MAX_PARTS],
                    count: usize,
                ) {
                    // SAFETY: the caller keeps the contract of `StateFn`.
                    unsafe { C::combine(left, right, count) }
                }
                #[target_feature(enable = $features)]
                unsafe fn fold<C: Combination>(
                    lanes: &[*mut u8; MAX_PARTS],
                    values: &[*mut u8; MAX_PARTS],
                    count: usize,
                ) {
                    // SAFETY: the caller keeps the contract of `Combination::fold`.
                    unsafe { C::fold(lanes, values, count) }
                }
                // As above.
                StateFns { combine: combine::<C>, fold: fold::<C>, locate: None }
            }

            fn locating<C: Locate>() -> StateFns {
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
                StateFns { locate: Some(locate::<C>), ..Self::combining::<C>() }
            }
        })+
    };
}

#[cfg(target_arch = "x86_64")]
levels! {
    /// x86-64 as of 2003.
    V1 v1 "sse2" false V1;
    /// With AVX2 and FMA (2013).
    V3 v3 "avx2,fma,bmi1,bmi2,f16c,lzcnt,movbe,popcnt" true V3;
    /// With AVX-512 (2017).
    V4 v4 "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,f16c,lzcnt,movbe,popcnt" true V3;
}

#[cfg(not(target_arch = "x86_64"))]
mod generic {
    use super::{Combination, Locate, Loop, LoopFn, Simd, StateFns};

    /// Whatever the compiler assumes of the architecture.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct V1;

    impl Simd for V1 {
        const FUSED: bool = true;
        type Long = V1;
        fn compiled<L: Loop>() -> LoopFn {
            L::run
        }

        fn combining<C: Combination>() -> StateFns {
            StateFns { combine: C::combine, fold: C::fold, locate: None }
        }

        fn locating<C: Locate>() -> StateFns {
            StateFns { locate: Some(C::locate), ..Self::combining::<C>() }
        }
    }
}
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use generic::V1;

/// The level in use: chosen once, when the device is opened.
#[enum_dispatch(Loops)]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    /// What every CPU has.
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
