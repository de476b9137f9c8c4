//! What several files use: errors, ranges, positions, and counts that are read from the device.

use ndany_array::extend::{expect, guess};
use ndany_array::{Array, DType, Error, Side, arange, concatenate, lexsort, s, zeros};

/// Raises an error of a wrong argument.
#[track_caller]
pub(crate) fn refuse<T>(op: &str, reason: String) -> T {
    expect(Err(Error::ArgumentValue { op: op.to_string(), reason }))
}

/// SciPy's dtype of indices (`get_index_dtype`): int32 where all arrays fit it and no value is larger.
pub(crate) fn index_dtype(arrays: &[&Array], largest: usize) -> DType {
    let fits = |array: &&Array| DType::promote(array.dtype(), DType::I32) == DType::I32;
    match i32::try_from(largest).is_ok() && arrays.iter().all(fits) {
        true => DType::I32,
        false => DType::I64,
    }
}

/// The numbers below `count`, as int64, on the device of an array.
#[track_caller]
pub(crate) fn below(count: usize, like: &Array) -> Array {
    let _guard = like.device().enter();
    arange(count as i64)
}

/// Zeros on the device of an array.
#[track_caller]
pub(crate) fn zeros_on(count: usize, dtype: DType, like: &Array) -> Array {
    let _guard = like.device().enter();
    zeros(count, dtype)
}

/// As int64.
#[track_caller]
pub(crate) fn wide(array: &Array) -> Array {
    array.astype(DType::I64)
}

/// Reads positions or numbers of entries, which are not negative, in the dtype that they have.
#[track_caller]
pub(crate) fn positions(array: &Array) -> ndany_array::Result<Vec<usize>> {
    if array.dtype() == DType::I32 {
        return Ok(array.to_vec::<i32>()?.into_iter().map(|value| value as usize).collect());
    }
    Ok(wide(array).to_vec::<i64>()?.into_iter().map(|value| value as usize).collect())
}

/// All but the last element.
#[track_caller]
pub(crate) fn init(array: &Array) -> Array {
    array.i(s![..-1])
}

/// All but the first element.
#[track_caller]
pub(crate) fn tail(array: &Array) -> Array {
    array.i(s![1..])
}

/// The number of elements before each segment and, last, that of all, of lengths in int64.
#[track_caller]
pub(crate) fn offsets(lengths: &Array) -> Array {
    let zero = zeros_on(1, DType::I64, lengths);
    concatenate([&zero, &lengths.cumsum(..)], 0)
}

/// The segment of each of `count` positions; segment `s` is `offsets[s] .. offsets[s + 1]`.
#[track_caller]
pub(crate) fn segment_of(offsets: &Array, count: usize) -> Array {
    match expect(crate::threads::segment_of(offsets, count)) {
        Some(found) => found,
        None => tail(offsets).searchsorted(below(count, offsets), Side::Right),
    }
}

/// The last element, which is read; in a dry run a guess of it.
#[track_caller]
pub(crate) fn last(array: &Array, guessed: usize) -> usize {
    let last: i64 = expect(array.i(s![-1]).item());
    guess(usize::try_from(last).unwrap_or(0), guessed)
}

/// Whether there are so few places that the number of one fits int64.
pub(crate) fn has_keys(shape: [usize; 2]) -> bool {
    let places = shape[0].checked_mul(shape[1]);
    places.is_some_and(|places| i64::try_from(places).is_ok())
}

/// The positions that sort places by `major`, then by `minor`, of which there are fewer than `extent`; equal ones keep their order.
#[track_caller]
pub(crate) fn order_by(major: &Array, minor: &Array, shape: [usize; 2]) -> Array {
    match has_keys(shape) {
        true => (wide(major) * shape[1] as i64 + wide(minor)).argsort(..),
        false => lexsort([minor, major], ..),
    }
}

/// The first position of each group of equal neighbours. Waits for the device, which counts them.
#[track_caller]
pub(crate) fn first_of_groups(sorted: &Array) -> Array {
    first_of(init(sorted).not_equal(tail(sorted)))
}

/// The same of places.
#[track_caller]
pub(crate) fn first_of_places(major: &Array, minor: &Array) -> Array {
    first_of(init(major).not_equal(tail(major)).logical_or(init(minor).not_equal(tail(minor))))
}

/// The first position, and those after which something begins.
#[track_caller]
fn first_of(begins: Array) -> Array {
    let _guard = begins.device().enter();
    let first = ndany_array::ones(1, DType::Bool);
    concatenate([&first, &begins], 0).flatnonzero()
}
