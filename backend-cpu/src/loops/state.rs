//! Specialized combinations of states of several registers. Other combinations run instruction by instruction,
//! with the same bits at an eighth of the speed.

use std::marker::PhantomData;
use std::ops::{BitOr, BitXor};

use ndany_core::plan::CHUNK;
use ndany_core::program::RegType;

use super::extremes::{best, by_lanes};
use super::{ACCUMULATORS, Combination, Locate};
use crate::accumulators::MAX_PARTS;

/// A register type that is ordered.
pub(super) trait Ordered: Copy {
    /// The unsigned integer of the same width, so that selections of both take the same mask.
    type Number: Copy + Into<u64> + BitOr<Output = Self::Number> + BitXor<Output = Self::Number>;
    /// Whether the value is NaN.
    fn is_nan(self) -> bool;
    /// Whether the value is less; false for NaN.
    fn less(self, other: Self) -> bool;
    /// Whether the values are equal.
    fn equal(self, other: Self) -> bool;
    /// A small number.
    fn number(number: u8) -> Self::Number;
    /// All bits set, or none.
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

/// A type whose extrema are located: signed integers and floats. Bits of values are flipped so that the extremum wanted is the
/// largest: for the smallest, those of an integer or the sign of a float; and the first bit of unsigned integers.
pub(super) trait Flipped: Ordered {
    /// The value with these bits flipped.
    fn flipped(self, flips: u64) -> Self;
}

macro_rules! flipped {
    ($($ty:ty as $number:ty;)+) => {$(
        impl Flipped for $ty {
            #[inline(always)]
            fn flipped(self, flips: u64) -> Self {
                let bits = <$number>::from_ne_bytes(self.to_ne_bytes());
                <$ty>::from_ne_bytes((bits ^ flips as $number).to_ne_bytes())
            }
        }
    )+};
}
flipped! { i8 as u8; i16 as u16; i32 as u32; i64 as u64; f32 as u32; f64 as u64; }

/// The bits to flip, for [`Flipped`], to locate an extremum of this type.
pub(super) fn flips(ty: RegType, largest: bool) -> u64 {
    let first = 1 << (8 * ty.size() - 1);
    let all = !0 >> (64 - 8 * ty.size());
    let smallest = if ty.is_float() { first } else { all };
    let unsigned = if ty.is_float() || ty.is_signed() { 0 } else { first };
    unsigned ^ if largest { 0 } else { smallest }
}

/// (value, position): the first maximum, or minimum, by the bits that are flipped.
pub(super) struct ArgExtremum<T>(PhantomData<T>);

impl<T: Flipped> Combination for ArgExtremum<T> {
    #[inline(always)]
    unsafe fn combine(
        left: &[*mut u8; MAX_PARTS],
        right: &[*mut u8; MAX_PARTS],
        count: usize,
        flips: u64,
    ) {
        // SAFETY: the caller gives `count` values of T and as many i64, aligned; left and right do not
        // overlap.
        let (values, positions, other_values, other_positions) = unsafe {
            (
                std::slice::from_raw_parts_mut(left[0].cast::<T>(), count),
                std::slice::from_raw_parts_mut(left[1].cast::<i64>(), count),
                std::slice::from_raw_parts(right[0].cast_const().cast::<T>(), count),
                std::slice::from_raw_parts(right[1].cast_const().cast::<i64>(), count),
            )
        };
        for k in 0..count {
            let (here, there) = (values[k].flipped(flips), other_values[k].flipped(flips));
            let tie = (here.is_nan() & there.is_nan()) | here.equal(there);
            let wins = (!here.is_nan() & (there.is_nan() | here.less(there)))
                | (tie & (other_positions[k] < positions[k]));
            values[k] = if wins { other_values[k] } else { values[k] };
            positions[k] = if wins { other_positions[k] } else { positions[k] };
        }
    }

    #[inline(always)]
    unsafe fn fold(
        accumulators: &[*mut u8; MAX_PARTS],
        values: &[*mut u8; MAX_PARTS],
        count: usize,
        flips: u64,
    ) {
        // SAFETY: the caller gives ACCUMULATORS states and `count` values, aligned, without overlap.
        let (best, positions, values, indices) = unsafe {
            (
                &mut *accumulators[0].cast::<[T; ACCUMULATORS]>(),
                &mut *accumulators[1].cast::<[i64; ACCUMULATORS]>(),
                std::slice::from_raw_parts(values[0].cast_const().cast::<T>(), count),
                std::slice::from_raw_parts(values[1].cast_const().cast::<i64>(), count),
            )
        };
        for best in best.iter_mut() {
            *best = best.flipped(flips);
        }
        for (values, indices) in
            values.chunks(RUNS * ACCUMULATORS).zip(indices.chunks(RUNS * ACCUMULATORS))
        {
            // Records the run that holds the extremum instead of its position: it has the values' width and
            // moves with them in the same registers.
            let mut chosen = [T::number(NONE); ACCUMULATORS];
            for (number, run) in values.chunks(ACCUMULATORS).enumerate() {
                let number = T::number(number as u8);
                let mut take = |accumulator: usize, value: T| {
                    let value = value.flipped(flips);
                    let wins = Self::replaces(best[accumulator], value);
                    best[accumulator] = if wins { value } else { best[accumulator] };
                    chosen[accumulator] = if wins { number } else { chosen[accumulator] };
                };
                // The length of a full run is known at compile time.
                match <&[T; ACCUMULATORS]>::try_from(run) {
                    Ok(run) => (0..ACCUMULATORS)
                        .for_each(|accumulator| take(accumulator, run[accumulator])),
                    Err(_) => run
                        .iter()
                        .enumerate()
                        .for_each(|(accumulator, &value)| take(accumulator, value)),
                }
            }
            // Without a branch: which accumulators improve is unpredictable.
            let last = indices.len() - 1;
            for (accumulator, (position, chosen)) in positions.iter_mut().zip(chosen).enumerate() {
                let number: u64 = chosen.into();
                let there = indices[(number as usize * ACCUMULATORS + accumulator).min(last)];
                *position = if number == u64::from(NONE) { *position } else { there };
            }
        }
        for best in best.iter_mut() {
            *best = best.flipped(flips);
        }
    }
}

/// Runs that are folded at a time.
const RUNS: usize = 8;

/// No run improved the accumulator.
const NONE: u8 = u8::MAX;

impl<T: Flipped> ArgExtremum<T> {
    /// Whether a later value replaces the current one; the bits of both are flipped.
    #[inline(always)]
    fn replaces(here: T, there: T) -> bool {
        !here.is_nan() & (there.is_nan() | here.less(there))
    }
}

/// The position of the first maximum or minimum of values in a row.
pub(super) struct FirstExtremum<T, const LARGEST: bool>(PhantomData<T>);

/// The extremum of a chunk is found without its position; its position is searched where it beats what came before, in few of the
/// chunks of a long row. The first extremum does not depend on the order of the search.
impl<T: Ordered, const LARGEST: bool> Locate for FirstExtremum<T, LARGEST> {
    #[inline(always)]
    unsafe fn locate(state: &[*mut u8; MAX_PARTS], values: *const u8, count: usize, first: i64) {
        // SAFETY: the caller gives one value, one i64 and `count` values, aligned; the state does not overlap
        // the values.
        let (state, position, values) = unsafe {
            (
                &mut *state[0].cast::<T>(),
                &mut *state[1].cast::<i64>(),
                std::slice::from_raw_parts(values.cast::<T>(), count),
            )
        };
        for (number, chunk) in values.chunks(CHUNK).enumerate() {
            if state.is_nan() {
                return;
            }
            if let Some(place) = Self::first_best(*state, chunk) {
                (*state, *position) = (chunk[place], first + (number * CHUNK + place) as i64);
            }
        }
    }
}

impl<T: Ordered, const LARGEST: bool> FirstExtremum<T, LARGEST> {
    /// The position of the first extremum, if it beats the value before.
    #[inline(always)]
    fn first_best(before: T, values: &[T]) -> Option<usize> {
        let (best, nan) = by_lanes!(T, N => best::<T, LARGEST, true, N>(before, values));
        if nan {
            return find(values, T::is_nan);
        }
        let better = if LARGEST { before.less(best) } else { best.less(before) };
        if better { find(values, |value| value.equal(best)) } else { None }
    }
}

/// The position of the first value for which `is` holds.
#[inline(always)]
pub(super) fn find<T: Ordered>(values: &[T], is: impl Fn(T) -> bool) -> Option<usize> {
    // Values are combined without a branch inside a stretch.
    let stretch = if size_of::<T>() == 1 { 1024 } else { 256 };
    let holds = |run: &[T]| {
        let any = run.iter().fold(T::mask(false), |any, &value| any | T::mask(is(value)));
        any.into() != 0
    };
    let (number, run) = values.chunks(stretch).enumerate().find(|(_, run)| holds(run))?;
    Some(number * stretch + run.iter().position(|&value| is(value))?)
}

/// (count, mean, sum of squared deviations).
pub(super) struct Moments<T>(PhantomData<T>);

macro_rules! moments {
    ($($ty:ty),+) => {$(
        impl Combination for Moments<$ty> {
            #[inline(always)]
            unsafe fn combine(
                left: &[*mut u8; MAX_PARTS],
                right: &[*mut u8; MAX_PARTS],
                count: usize,
                _: u64,
            ) {
                // SAFETY: the caller gives `count` values of this type in each of three parts, aligned; left
                // and right do not overlap.
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
                accumulators: &[*mut u8; MAX_PARTS],
                values: &[*mut u8; MAX_PARTS],
                count: usize,
                own: u64,
            ) {
                let mut run = *values;
                for done in (0..count).step_by(ACCUMULATORS) {
                    // SAFETY: the caller upholds this; a run ends with the values.
                    unsafe { Self::combine(accumulators, &run, ACCUMULATORS.min(count - done), own) };
                    for part in &mut run[..3] {
                        *part = part.wrapping_add(ACCUMULATORS * size_of::<$ty>());
                    }
                }
            }
        }
    )+};
}
moments!(f32, f64);

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn the_first_value_is_found_and_little_more_is_read() {
        for size in [1, 255, 256, 257, 5000] {
            for place in [0, size / 2, size - 1] {
                let mut values = vec![0i32; size];
                values[place..].fill(7);
                let looks = Cell::new(0);
                let is = |value: i32| {
                    looks.set(looks.get() + 1);
                    value == 7
                };
                assert_eq!(find(&values, is), Some(place), "of {size}");
                assert!(looks.get() <= place + 512, "{} looks of {size}", looks.get());
            }
            assert_eq!(find(&vec![0i32; size], |value| value == 7), None);
        }
    }

    #[test]
    fn first_extrema_of_long_rows() {
        for size in [1, 15, 16, 33, CHUNK, CHUNK + 1, 3 * CHUNK + 5] {
            for place in [0, size / 2, size - 1] {
                for other in [place, (place + 1) % size, size - 1] {
                    let mut values = vec![-3.5f32; size];
                    (values[place], values[other]) = (8.0, 8.0);
                    let (mut value, mut position) = (values[0], 0i64);
                    let state = crate::loops::located(&raw mut value, &raw mut position);
                    // SAFETY: a value, a position and `size` values.
                    unsafe {
                        FirstExtremum::<f32, true>::locate(&state, values.as_ptr().cast(), size, 0)
                    };
                    assert_eq!((value, position), (8.0, place.min(other) as i64), "of {size}");
                }
            }
        }
    }
}
