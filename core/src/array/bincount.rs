//! Counting small numbers, and adding up weights by number.
//!
//! Counts are added in no order, since integers do not mind. Weights are floats, whose order is `sums`' business.

use super::Array;
use super::search::{Side, place_counts};
use super::sums::Weighed;
use crate::declare::array_functions;
use crate::dtype::{DType, Kind};
use crate::error::{Error, Result};

const OP: &str = "bincount";

array_functions! {
    checked counting;

    /// How often each number from 0 on occurs, as `np.bincount`: of a 1-d array of integers, none of them
    /// negative. I64, at least `minlength` elements.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// assert_eq!(Array::from([3, 1, 1]).bincount(0).to_vec::<i64>()?, [0, 2, 0, 1]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    bincount / try_bincount (self, minlength: usize) -> Array {
        let numbers = whole_numbers(self)?;
        // Who says how many numbers there are is mostly right, and counting shows whether: what is negative, or
        // beyond, has places of its own.
        if (1..=numbers.size()).contains(&minlength) {
            let counts = counts_below(&numbers, minlength + 1)?;
            let outside = counts.try_i(crate::s![..;(minlength as isize + 1)])?.to_vec::<i64>()?;
            if outside[0] > 0 {
                return Err(negative());
            }
            if outside[1] == 0 {
                return counts.try_i(crate::s![1..minlength as isize + 1]);
            }
        }
        let length = length(&numbers, minlength)?;
        counts_below(&numbers, length)?.try_i(crate::s![1..])
    }

    /// The sum of the weights of each number, as `np.bincount` with `weights`: F64.
    bincount_weighted / try_bincount_weighted (self, weights: &Array, minlength: usize) -> Array {
        if weights.dtype().is_complex() {
            let dtypes = format!("weights of {}", weights.dtype());
            return Err(Error::DTypes { op: OP, dtypes, remedy: "use real numbers" });
        }
        let numbers = whole_numbers(self)?;
        let length = length(&numbers, minlength)?;
        if weights.shape() != self.shape() {
            let expected = "as many weights as numbers".to_string();
            return Err(Error::Shape { op: OP, expected, got: weights.shape().into() });
        }
        sums_by_number(&numbers, &weights.try_astype(DType::F64)?, length)
    }
}

/// The numbers as I64.
fn whole_numbers(array: &Array) -> Result<Array> {
    if array.ndim() != 1 {
        let expected = "numbers in one dimension".to_string();
        return Err(Error::Shape { op: OP, expected, got: array.shape().into() });
    }
    if matches!(array.dtype().kind(), Kind::Float | Kind::Complex) {
        let dtypes = array.dtype().to_string();
        let remedy = "convert to integers with astype first";
        return Err(Error::DTypes { op: OP, dtypes, remedy });
    }
    array.try_astype(DType::I64)
}

/// How many numbers there may be: from 0 to the largest one.
fn length(numbers: &Array, minlength: usize) -> Result<usize> {
    if numbers.size() == 0 {
        return Ok(minlength);
    }
    // One pass finds both: negative numbers are the largest without a sign.
    let most = numbers.try_astype(DType::U64)?.try_max(..)?.item::<u64>()?;
    match i64::try_from(most) {
        Ok(most) => Ok(minlength.max(most as usize + 1)),
        Err(_) => Err(negative()),
    }
}

fn negative() -> Error {
    let reason = "the numbers must not be negative".to_string();
    Error::ArgumentValue { op: OP.to_string(), reason }
}

/// How many numbers are negative, then how often each of `0..length` occurs, those from `length - 1` on together.
fn counts_below(numbers: &Array, length: usize) -> Result<Array> {
    let _guard = numbers.device().enter();
    let every = super::try_arange(0, length, 1, Some(DType::I64))?;
    place_counts(OP, &every, numbers, Side::Right)
}

/// Adds up weights (F64, 1-d) by number, all of which are of `0..length`: +0.0 where there is none, with which NumPy begins.
pub(super) fn sums_by_number(numbers: &Array, weights: &Array, length: usize) -> Result<Array> {
    Weighed { op: OP, numbers, weights, length, known: true }.sums()?.try_add(0.0)
}
