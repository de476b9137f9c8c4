//! Combinations of states of several registers, for those that programs use most. The others run their
//! body step by step, with the same bits and an eighth of the speed.

use std::marker::PhantomData;
use std::ops::{BitOr, BitXor};

use ndany_core::plan::CHUNK;

use super::extremes::halved;
use super::{Combination, LANES, Locate};
use crate::lanes::MAX_PARTS;

/// A register type that is ordered.
pub(super) trait Ordered: Copy {
    /// The unsigned integer as wide as this type, so that choices of both take the same mask.
    type Number: Copy + Into<u64> + BitOr<Output = Self::Number> + BitXor<Output = Self::Number>;
    /// Not equal to itself?
    fn is_nan(self) -> bool;
    /// Less? Never so of a NaN.
    fn less(self, other: Self) -> bool;
    /// Equal?
    fn equal(self, other: Self) -> bool;
    /// A small number.
    fn number(number: u8) -> Self::Number;
    /// Every bit, or none.
    fn mask(truth: bool) -> Self::Number;
}

macro_rules! ordered {
    ($($ty:ty as $number:ty),+) => {$(
        impl Ordered for $ty {
            type Number = $number;
            #[inline(always)]
            #[allow(clippy::eq_op)]
            fn is_nan(self) -> bool { self != self }
            #[inline(always)]
            fn less(self, other: Self) -> bool { self < other }
            #[inline(always)]
            fn equal(self, other: Self) -> bool { self == other }
            #[inline(always)]
            fn number(number: u8) -> $number { number.into() }
            #[inline(always)]
            fn mask(truth: bool) -> $number { <$number>::from(truth).wrapping_neg() }
        }
    )+};
}
ordered!(
    u8 as u8, u16 as u16, u32 as u32, u64 as u64, i8 as u8, i16 as u16, i32 as u32, i64 as u64,
    f32 as u32, f64 as u64
);

/// (value, position): the first of the largest, or of the smallest.
pub(super) struct First<T, const LARGEST: bool>(PhantomData<T>);

impl<T: Ordered, const LARGEST: bool> Combination for First<T, LARGEST> {
    #[inline(always)]
    unsafe fn combine(left: &[*mut u8; MAX_PARTS], right: &[*mut u8; MAX_PARTS], count: usize) {
        // SAFETY: the caller gives `count` values of T and as many i64, aligned, left and right apart.
        let (values, positions, other_values, other_positions) = unsafe {
            (
                std::slice::from_raw_parts_mut(left[0].cast::<T>(), count),
                std::slice::from_raw_parts_mut(left[1].cast::<i64>(), count),
                std::slice::from_raw_parts(right[0].cast_const().cast::<T>(), count),
                std::slice::from_raw_parts(right[1].cast_const().cast::<i64>(), count),
            )
        };
        for k in 0..count {
            let (here, there) = (values[k], other_values[k]);
            let better = if LARGEST { here.less(there) } else { there.less(here) };
            let tie = (here.is_nan() & there.is_nan()) | here.equal(there);
            let wins = (!here.is_nan() & (there.is_nan() | better))
                | (tie & (other_positions[k] < positions[k]));
            values[k] = if wins { there } else { here };
            positions[k] = if wins { other_positions[k] } else { positions[k] };
        }
    }

    #[inline(always)]
    unsafe fn fold(lanes: &[*mut u8; MAX_PARTS], values: &[*mut u8; MAX_PARTS], count: usize) {
        // SAFETY: the caller gives LANES states and `count` values, aligned, apart.
        let (best, positions, values, indices) = unsafe {
            (
                &mut *lanes[0].cast::<[T; LANES]>(),
                &mut *lanes[1].cast::<[i64; LANES]>(),
                std::slice::from_raw_parts(values[0].cast_const().cast::<T>(), count),
                std::slice::from_raw_parts(values[1].cast_const().cast::<i64>(), count),
            )
        };
        for (values, indices) in values.chunks(RUNS * LANES).zip(indices.chunks(RUNS * LANES)) {
            // Which run holds the best, rather than where that is: as wide as the values, it moves with
            // them in the same registers.
            let mut chosen = [T::number(NONE); LANES];
            for (number, run) in values.chunks(LANES).enumerate() {
                let number = T::number(number as u8);
                let mut take = |lane: usize, value: T| {
                    let wins = Self::replaces(best[lane], value);
                    best[lane] = if wins { value } else { best[lane] };
                    chosen[lane] = if wins { number } else { chosen[lane] };
                };
                // A whole run has a length that the compiler knows.
                match <&[T; LANES]>::try_from(run) {
                    Ok(run) => (0..LANES).for_each(|lane| take(lane, run[lane])),
                    Err(_) => run.iter().enumerate().for_each(|(lane, &value)| take(lane, value)),
                }
            }
            // Without a branch: which lanes found something better cannot be foreseen.
            let last = indices.len() - 1;
            for (lane, (position, chosen)) in positions.iter_mut().zip(chosen).enumerate() {
                let number: u64 = chosen.into();
                let there = indices[(number as usize * LANES + lane).min(last)];
                *position = if number == u64::from(NONE) { *position } else { there };
            }
        }
    }
}

/// Lanes keep their best and the run it was in, without a branch; NaNs are only noticed, and found where there are any. The
/// first of the best is the same whichever way one looks for it.
impl<T: Ordered, const LARGEST: bool> Locate for First<T, LARGEST> {
    #[inline(always)]
    unsafe fn locate(state: &[*mut u8; MAX_PARTS], values: *const u8, count: usize, first: i64) {
        // SAFETY: the caller gives one value, one i64 and `count` values, aligned, the state apart.
        let (state, position, values) = unsafe {
            (
                &mut *state[0].cast::<T>(),
                &mut *state[1].cast::<i64>(),
                std::slice::from_raw_parts(values.cast::<T>(), count),
            )
        };
        if state.is_nan() {
            return;
        }
        let found = match size_of::<T>() {
            8 => Self::first_best::<WIDE>(*state, values),
            _ => Self::first_best::<ABREAST>(*state, values),
        };
        if let Some(place) = found {
            (*state, *position) = (values[place], first + place as i64);
        }
    }
}

/// Values that are compared at a time where a best is located: those of 64 bits, and smaller ones.
const WIDE: usize = 32;
const ABREAST: usize = 64;

/// Runs of lanes that are folded at a time.
const RUNS: usize = 8;

/// Where no run was better than what the lane held.
const NONE: u8 = u8::MAX;

impl<T: Ordered, const LARGEST: bool> First<T, LARGEST> {
    /// Does a value that comes later in the row replace the one that is there?
    #[inline(always)]
    fn replaces(here: T, there: T) -> bool {
        let better = if LARGEST { here.less(there) } else { there.less(here) };
        !here.is_nan() & (there.is_nan() | better)
    }

    /// Where the first of the best is, if that is better than a number that comes before; `N` are compared at a time.
    #[inline(always)]
    fn first_best<const N: usize>(before: T, values: &[T]) -> Option<usize> {
        let Some(last) = values.len().checked_sub(N) else {
            let mut best = (before, None);
            for (place, &value) in values.iter().enumerate() {
                if Self::replaces(best.0, value) {
                    best = (value, Some(place));
                }
            }
            return best.1;
        };
        const { assert!(CHUNK / N < NONE as usize, "a lane counts runs in a byte") };
        debug_assert!(values.len() <= CHUNK, "rows come in chunks");
        let mut bests = [before; N];
        let mut chosen = [T::number(NONE); N];
        let mut nans = [T::mask(false); N];
        let mut take = |run: &[T; N], number: usize| {
            let number = T::number(number as u8);
            for lane in 0..N {
                let (here, there) = (bests[lane], run[lane]);
                let wins = if LARGEST { here.less(there) } else { there.less(here) };
                bests[lane] = if wins { there } else { here };
                chosen[lane] = if wins { number } else { chosen[lane] };
                nans[lane] = nans[lane] | T::mask(there.is_nan());
            }
        };
        let (runs, rest) = values.as_chunks::<N>();
        for (number, run) in runs.iter().enumerate() {
            take(run, number);
        }
        if let Some(run) = values.last_chunk().filter(|_| !rest.is_empty()) {
            // It begins among values that have been looked at; all are where they are.
            take(run, runs.len());
        }
        let any: u64 = halved(nans, |x, y| x | y).into();
        if any != 0 {
            return values.iter().position(|value| value.is_nan());
        }
        let best = halved(bests, |here, there| {
            let wins = if LARGEST { here.less(there) } else { there.less(here) };
            if wins { there } else { here }
        });
        let better = if LARGEST { before.less(best) } else { best.less(before) };
        let mut places = [usize::MAX; N];
        for lane in 0..N {
            let number: u64 = chosen[lane].into();
            let there = (number as usize * N).min(last) + lane;
            places[lane] = if bests[lane].equal(best) { there } else { usize::MAX };
        }
        better.then(|| halved(places, usize::min))
    }
}

/// (count, mean, sum of squared distances).
pub(super) struct Moments<T>(PhantomData<T>);

macro_rules! moments {
    ($($ty:ty),+) => {$(
        impl Combination for Moments<$ty> {
            #[inline(always)]
            unsafe fn combine(
                left: &[*mut u8; MAX_PARTS],
                right: &[*mut u8; MAX_PARTS],
                count: usize,
            ) {
                // SAFETY: the caller gives `count` values of this type in each of three parts, aligned,
                // left and right apart.
                let ([counts, means, squares], [other_counts, other_means, other_squares]) = unsafe {
                    (
                        [left[0], left[1], left[2]]
                            .map(|part| std::slice::from_raw_parts_mut(part.cast::<$ty>(), count)),
                        [right[0], right[1], right[2]].map(|part| {
                            std::slice::from_raw_parts(part.cast_const().cast::<$ty>(), count)
                        }),
                    )
                };
                for k in 0..count {
                    let (n, m) = (counts[k], other_counts[k]);
                    let total = n + m;
                    let share = m / if total == 0.0 { 1.0 } else { total };
                    let distance = other_means[k] - means[k];
                    counts[k] = total;
                    means[k] += distance * share;
                    squares[k] = (squares[k] + other_squares[k]) + (distance * distance) * (n * share);
                }
            }

            #[inline(always)]
            unsafe fn fold(
                lanes: &[*mut u8; MAX_PARTS],
                values: &[*mut u8; MAX_PARTS],
                count: usize,
            ) {
                let mut run = *values;
                for done in (0..count).step_by(LANES) {
                    // SAFETY: the caller's promise; a run ends with the values.
                    unsafe { Self::combine(lanes, &run, LANES.min(count - done)) };
                    for part in &mut run[..3] {
                        *part = part.wrapping_add(LANES * size_of::<$ty>());
                    }
                }
            }
        }
    )+};
}
moments!(f32, f64);
