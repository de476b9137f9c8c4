//! Loops of the canonical plan: folds into accumulators, and segments of a scan.

use std::marker::PhantomData;

use ndany_core::plan;

use super::Loop;
use super::extremes::{by_lanes, tree_fold};
use super::scalars::Op2;

/// Number of accumulators of the plan.
pub(crate) const ACCUMULATORS: usize = plan::ACCUMULATORS;

/// `accumulator[i % ACCUMULATORS] = f(accumulator[i % ACCUMULATORS], value[i])`.
pub(super) struct FoldLoop<O>(PhantomData<O>);

impl<T: Copy, O: Op2<In = T, Out = T>> Loop for FoldLoop<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives ACCUMULATORS values at `out`, aligned, and no other code uses them.
        let accumulators = unsafe { &mut *out.cast::<[T; ACCUMULATORS]>() };
        // SAFETY: the caller gives `count` values at `args[0]`, aligned, which do not overlap `out`.
        let values = unsafe { std::slice::from_raw_parts(args[0].cast::<T>(), count) };
        // Several runs at a time, so that accumulators are read and written once for all of them; the order within an accumulator
        // stays left to right.
        let (groups, rest) = values.as_chunks::<{ RUNS * ACCUMULATORS }>();
        for group in groups {
            for accumulator in 0..ACCUMULATORS {
                let mut state = accumulators[accumulator];
                for run in 0..RUNS {
                    state = O::apply(state, group[run * ACCUMULATORS + accumulator]);
                }
                accumulators[accumulator] = state;
            }
        }
        for run in rest.chunks(ACCUMULATORS) {
            for (accumulator, &value) in accumulators.iter_mut().zip(run) {
                *accumulator = O::apply(*accumulator, value);
            }
        }
        false
    }
}

/// Runs of values that are folded into the accumulators at a time.
const RUNS: usize = 4;

/// `out[0] = f(out[0], a[i])` for every `i`, in any order: integers, for which each order gives the same bits.
pub(super) struct FoldUnordered<O>(PhantomData<O>);

impl<T: Copy, O: Op2<In = T, Out = T>> FoldUnordered<O> {
    #[inline(always)]
    fn fold<const N: usize>(state: T, values: &[T]) -> T {
        let (runs, rest) = values.as_chunks::<N>();
        let Some((first, runs)) = runs.split_first() else {
            return rest.iter().fold(state, |state, &value| O::apply(state, value));
        };
        let mut lanes = *first;
        for run in runs {
            for lane in 0..N {
                lanes[lane] = O::apply(lanes[lane], run[lane]);
            }
        }
        let state = rest.iter().fold(state, |state, &value| O::apply(state, value));
        O::apply(state, tree_fold(lanes, O::apply))
    }
}

impl<T: Copy, O: Op2<In = T, Out = T>> Loop for FoldUnordered<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives one value at `out`, aligned, which no other code uses.
        let state = unsafe { &mut *out.cast::<T>() };
        // SAFETY: the caller gives `count` values at `args[0]`, aligned, which do not overlap `out`.
        let values = unsafe { std::slice::from_raw_parts(args[0].cast::<T>(), count) };
        *state = by_lanes!(T, N => Self::fold::<N>(*state, values));
        false
    }
}

/// `out[i] = f(out[i], a[i])`, in place.
pub(super) struct Accumulate<O>(PhantomData<O>);

impl<T: Copy, O: Op2<In = T, Out = T>> Loop for Accumulate<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives `count` values at `out`, aligned, which no other code uses.
        let states = unsafe { std::slice::from_raw_parts_mut(out.cast::<T>(), count) };
        // SAFETY: the caller gives `count` values at `args[0]`, aligned, which do not overlap `out`.
        let values = unsafe { std::slice::from_raw_parts(args[0].cast::<T>(), count) };
        for (state, &value) in states.iter_mut().zip(values) {
            *state = O::apply(*state, value);
        }
        false
    }
}

/// `out[i] = f(out[i], out[ACCUMULATORS / 2 + i])`, then likewise within the first half, and so on.
pub(super) struct TreeFold<O>(PhantomData<O>);

impl<T: Copy, O: Op2<In = T, Out = T>> Loop for TreeFold<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, _: [*const u8; 3], _: usize) -> bool {
        // SAFETY: the caller gives ACCUMULATORS values at `out`, aligned, which no other code uses.
        let accumulators = unsafe { &mut *out.cast::<[T; ACCUMULATORS]>() };
        let mut step = ACCUMULATORS / 2;
        while step > 0 {
            let (left, right) = accumulators.split_at_mut(step);
            for (left, &right) in left.iter_mut().zip(&*right) {
                *left = O::apply(*left, right);
            }
            step /= 2;
        }
        false
    }
}

/// `accumulator[i % ACCUMULATORS] += a[i] * b[i]`, each rounded by itself.
pub(super) struct FoldProducts<T>(PhantomData<T>);

/// Rows that are added together: the sums are read and written once, and the core prefetches several streams.
#[derive(Debug)]
pub(crate) struct RowBatch {
    pub(crate) values: [*const u8; RowBatch::MAX],
    /// Number of rows, at least 1.
    pub(crate) count: usize,
    /// Whether the first row initializes the sums.
    pub(crate) fresh: bool,
}

impl RowBatch {
    /// Maximum number of rows.
    pub(crate) const MAX: usize = 4;
}

/// `out[i]` plus the value of each row, from the first on; at `args[0]` are [`RowBatch`].
pub(super) struct SumRows<T>(PhantomData<T>);

macro_rules! sums {
    ($($ty:ty),+) => {$(
        impl Loop for FoldProducts<$ty> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                // SAFETY: the caller gives ACCUMULATORS values at `out`, aligned, and no other code uses
                // them.
                let accumulators = unsafe { &mut *out.cast::<[$ty; ACCUMULATORS]>() };
                let values = |arg: *const u8| {
                    // SAFETY: the caller gives `count` values at both, aligned, which do not overlap `out`.
                    unsafe { std::slice::from_raw_parts(arg.cast::<$ty>(), count) }
                };
                let (x, y) = (values(args[0]), values(args[1]));
                // As in `FoldLoop`.
                let (xs, x) = x.as_chunks::<{ RUNS * ACCUMULATORS }>();
                let (ys, y) = y.as_chunks::<{ RUNS * ACCUMULATORS }>();
                for (x, y) in xs.iter().zip(ys) {
                    for accumulator in 0..ACCUMULATORS {
                        let mut sum = accumulators[accumulator];
                        for run in 0..RUNS {
                            let place = run * ACCUMULATORS + accumulator;
                            sum += x[place] * y[place];
                        }
                        accumulators[accumulator] = sum;
                    }
                }
                for (x, y) in x.chunks(ACCUMULATORS).zip(y.chunks(ACCUMULATORS)) {
                    for (accumulator, (&x, &y)) in accumulators.iter_mut().zip(x.iter().zip(y)) {
                        *accumulator += x * y;
                    }
                }
                false
            }
        }

        impl SumRows<$ty> {
            /// # Safety
            /// As [`LoopFn`](super::LoopFn): `count` values at `out` and in each of `N` rows.
            #[inline(always)]
            unsafe fn add<const N: usize>(out: *mut u8, rows: &RowBatch, count: usize) {
                // SAFETY: the caller upholds this; no other code uses what is at `out`.
                let sums = unsafe { std::slice::from_raw_parts_mut(out.cast::<$ty>(), count) };
                let rows_of: [&[$ty]; N] = std::array::from_fn(|row| {
                    // SAFETY: the caller upholds this.
                    unsafe { std::slice::from_raw_parts(rows.values[row].cast(), count) }
                });
                for i in 0..count {
                    let start = if rows.fresh { rows_of[0][i] } else { sums[i] + rows_of[0][i] };
                    sums[i] = rows_of[1..].iter().fold(start, |sum, row| sum + row[i]);
                }
            }
        }

        impl Loop for SumRows<$ty> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                // SAFETY: the caller gives rows, of `count` values each, which do not overlap `out`.
                unsafe {
                    let rows = &*args[0].cast::<RowBatch>();
                    match rows.count {
                        1 => Self::add::<1>(out, rows, count),
                        2 => Self::add::<2>(out, rows, count),
                        3 => Self::add::<3>(out, rows, count),
                        _ => Self::add::<{ RowBatch::MAX }>(out, rows, count),
                    }
                }
                false
            }
        }
    )+};
}
sums!(f32, f64);

/// `out[i + 1] = f(out[i], a[i])`, from `out[0]` on.
pub(super) struct RunningFold<O>(PhantomData<O>);

impl<T: Copy, O: Op2<In = T, Out = T>> Loop for RunningFold<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives `count + 1` values at `out`, aligned, which no other code uses.
        let states = unsafe { std::slice::from_raw_parts_mut(out.cast::<T>(), count + 1) };
        // SAFETY: the caller gives `count` values at `args[0]`, aligned, which do not overlap `out`.
        let values = unsafe { std::slice::from_raw_parts(args[0].cast::<T>(), count) };
        let (first, rest) = states.split_at_mut(1);
        let mut state = first[0];
        for (next, &value) in rest.iter_mut().zip(values) {
            state = O::apply(state, value);
            *next = state;
        }
        false
    }
}

/// Folds each segment of a scan from left to right, in place. Several segments advance together, so that an
/// addition does not wait for the one before.
pub(super) struct Segments<O>(PhantomData<O>);

/// Segments that advance together.
const INTERLEAVED: usize = 8;

impl<T: Copy, O: Op2<In = T, Out = T>> Loop for Segments<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, _: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives `count` values at `out`, aligned, and no other code uses them.
        let values = unsafe { std::slice::from_raw_parts_mut(out.cast::<T>(), count) };
        let mut groups = values.chunks_exact_mut(INTERLEAVED * plan::SEGMENT);
        for group in &mut groups {
            let mut folds = [group[0]; INTERLEAVED];
            for segment in 1..INTERLEAVED {
                folds[segment] = group[segment * plan::SEGMENT];
            }
            for position in 1..plan::SEGMENT {
                for segment in 0..INTERLEAVED {
                    let value = &mut group[segment * plan::SEGMENT + position];
                    folds[segment] = O::apply(folds[segment], *value);
                    *value = folds[segment];
                }
            }
        }
        for segment in groups.into_remainder().chunks_mut(plan::SEGMENT) {
            for position in 1..segment.len() {
                segment[position] = O::apply(segment[position - 1], segment[position]);
            }
        }
        false
    }
}
