//! Loops of the canonical plan: folding into lanes, and segments of a scan.

use std::marker::PhantomData;

use ndany_core::plan;

use super::Loop;
use super::scalars::Op2;

/// Lanes of the plan.
pub(crate) const LANES: usize = plan::LANES;

/// `lane[i % LANES] = f(lane[i % LANES], value[i])`.
pub(super) struct Fold<O>(PhantomData<O>);

impl<T: Copy, O: Op2<In = T, Out = T>> Loop for Fold<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives LANES values at `out`, aligned, and nobody else uses them.
        let lanes = unsafe { &mut *out.cast::<[T; LANES]>() };
        // SAFETY: the caller gives `count` values at `args[0]`, aligned, which do not overlap `out`.
        let values = unsafe { std::slice::from_raw_parts(args[0].cast::<T>(), count) };
        // Two runs at a time halve the traffic of the lanes; the order in a lane stays left to right.
        let mut pairs = values.chunks_exact(2 * LANES);
        for pair in &mut pairs {
            let (first, second) = pair.split_at(LANES);
            for lane in 0..LANES {
                lanes[lane] = O::apply(O::apply(lanes[lane], first[lane]), second[lane]);
            }
        }
        let mut runs = pairs.remainder().chunks_exact(LANES);
        for run in &mut runs {
            for lane in 0..LANES {
                lanes[lane] = O::apply(lanes[lane], run[lane]);
            }
        }
        for (lane, &value) in lanes.iter_mut().zip(runs.remainder()) {
            *lane = O::apply(*lane, value);
        }
        false
    }
}

/// `out[i] = f(out[i], a[i])`, in place.
pub(super) struct Accumulate<O>(PhantomData<O>);

impl<T: Copy, O: Op2<In = T, Out = T>> Loop for Accumulate<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives `count` values at `out`, aligned, which nobody else uses.
        let states = unsafe { std::slice::from_raw_parts_mut(out.cast::<T>(), count) };
        // SAFETY: the caller gives `count` values at `args[0]`, aligned, which do not overlap `out`.
        let values = unsafe { std::slice::from_raw_parts(args[0].cast::<T>(), count) };
        for (state, &value) in states.iter_mut().zip(values) {
            *state = O::apply(*state, value);
        }
        false
    }
}

/// `out[i] = f(out[i], out[LANES / 2 + i])`, then in the first half, and so on.
pub(super) struct Halves<O>(PhantomData<O>);

impl<T: Copy, O: Op2<In = T, Out = T>> Loop for Halves<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, _: [*const u8; 3], _: usize) -> bool {
        // SAFETY: the caller gives LANES values at `out`, aligned, which nobody else uses.
        let lanes = unsafe { &mut *out.cast::<[T; LANES]>() };
        let mut step = LANES / 2;
        while step > 0 {
            let (left, right) = lanes.split_at_mut(step);
            for (left, &right) in left.iter_mut().zip(&*right) {
                *left = O::apply(*left, right);
            }
            step /= 2;
        }
        false
    }
}

/// `lane[i % LANES] += a[i] * b[i]`, each rounded by itself.
pub(super) struct FoldProducts<T>(PhantomData<T>);

/// Rows to add up, one after the other: a fraction of the traffic of sums, and several streams for a core to read ahead.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) values: [*const u8; Rows::MOST],
    /// How many there are, from 1 on.
    pub(crate) count: usize,
    /// Are the sums the first row's values before the others come?
    pub(crate) fresh: bool,
}

impl Rows {
    /// Rows at most.
    pub(crate) const MOST: usize = 4;
}

/// `out[i]` plus the value of each row, from the first on; at `args[0]` are [`Rows`].
pub(super) struct SumOfRows<T>(PhantomData<T>);

macro_rules! sums {
    ($($ty:ty),+) => {$(
        impl Loop for FoldProducts<$ty> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                // SAFETY: the caller gives LANES values at `out`, aligned, and nobody else uses them.
                let lanes = unsafe { &mut *out.cast::<[$ty; LANES]>() };
                let values = |arg: *const u8| {
                    // SAFETY: the caller gives `count` values at both, aligned, which do not overlap `out`.
                    unsafe { std::slice::from_raw_parts(arg.cast::<$ty>(), count) }
                };
                let (x, y) = (values(args[0]), values(args[1]));
                let (mut xs, mut ys) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
                for (x, y) in (&mut xs).zip(&mut ys) {
                    for lane in 0..LANES {
                        lanes[lane] += x[lane] * y[lane];
                    }
                }
                let rest = xs.remainder().iter().zip(ys.remainder());
                for (lane, (&x, &y)) in lanes.iter_mut().zip(rest) {
                    *lane += x * y;
                }
                false
            }
        }

        impl SumOfRows<$ty> {
            /// # Safety
            /// As [`LoopFn`](super::LoopFn): `count` values at `out` and in each of `N` rows.
            #[inline(always)]
            unsafe fn add<const N: usize>(out: *mut u8, rows: &Rows, count: usize) {
                // SAFETY: the caller's promise; nobody else uses what is at `out`.
                let sums = unsafe { std::slice::from_raw_parts_mut(out.cast::<$ty>(), count) };
                let rows_of: [&[$ty]; N] = std::array::from_fn(|row| {
                    // SAFETY: the caller's promise.
                    unsafe { std::slice::from_raw_parts(rows.values[row].cast(), count) }
                });
                for i in 0..count {
                    let start = if rows.fresh { rows_of[0][i] } else { sums[i] + rows_of[0][i] };
                    sums[i] = rows_of[1..].iter().fold(start, |sum, row| sum + row[i]);
                }
            }
        }

        impl Loop for SumOfRows<$ty> {
            #[inline(always)]
            unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
                // SAFETY: the caller gives rows, of `count` values each, which do not overlap `out`.
                unsafe {
                    let rows = &*args[0].cast::<Rows>();
                    match rows.count {
                        1 => Self::add::<1>(out, rows, count),
                        2 => Self::add::<2>(out, rows, count),
                        3 => Self::add::<3>(out, rows, count),
                        _ => Self::add::<{ Rows::MOST }>(out, rows, count),
                    }
                }
                false
            }
        }
    )+};
}
sums!(f32, f64);

/// `out[i + 1] = f(out[i], a[i])`: one value after the other, from `out[0]`.
pub(super) struct Running<O>(PhantomData<O>);

impl<T: Copy, O: Op2<In = T, Out = T>> Loop for Running<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives `count + 1` values at `out`, aligned, which nobody else uses.
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

/// Each segment of a scan folded from left to right, in place. Several segments advance together, so
/// that one addition does not wait for the one before.
pub(super) struct Segments<O>(PhantomData<O>);

/// Segments that advance together.
const TOGETHER: usize = 8;

impl<T: Copy, O: Op2<In = T, Out = T>> Loop for Segments<O> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, _: [*const u8; 3], count: usize) -> bool {
        // SAFETY: the caller gives `count` values at `out`, aligned, and nobody else uses them.
        let values = unsafe { std::slice::from_raw_parts_mut(out.cast::<T>(), count) };
        let mut groups = values.chunks_exact_mut(TOGETHER * plan::SEGMENT);
        for group in &mut groups {
            let mut folds: [T; TOGETHER] =
                std::array::from_fn(|segment| group[segment * plan::SEGMENT]);
            for position in 1..plan::SEGMENT {
                for segment in 0..TOGETHER {
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
