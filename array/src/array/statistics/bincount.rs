//! Counting small numbers, and adding up weights by number.
//!
//! Counts are added in no order, since integers do not mind. Weights are floats, whose order is the business of `weighted_bincount`.

use std::ops::RangeFull;

use crate::arguments::Arange;
use crate::array::Array;
use crate::array::sorting::search::{Side, place_counts};
use crate::array::statistics::weighted_bincount::WeightedBincount;
use crate::declare::array_functions;
use ndany_core::{DType, Error, Kind, Result};

const OP: &str = "bincount";

/// What [`Array::bincount`] counts: `..`, the least number of results by itself, or `Counts` with options.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    minlength: usize,
    weights: Option<Array>,
}

impl Counts {
    /// Starts the options of [`Array::bincount`](crate::Array::bincount) with NumPy's defaults.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0, 2]).bincount(ndany::Counts::new()).to_string(), "[1 0 1]");
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the least number of results, as `minlength` of `np.bincount`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0, 2]).bincount(ndany::Counts::new().minlength(5)).to_string(), "[1 0 1 0 0]");
    /// ```
    pub fn minlength(self, minlength: usize) -> Self {
        Self { minlength, ..self }
    }

    /// Sets a weight for each number, whose sums take the place of counts, as `weights` of `np.bincount`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0, 2]).bincount(ndany::Counts::new().weights(&array([0.5, 2.0]))).to_string(), "[0.5 0.  2. ]");
    /// ```
    pub fn weights(self, weights: impl AsRef<Array>) -> Self {
        Self { weights: Some(weights.as_ref().clone()), ..self }
    }
}

impl From<RangeFull> for Counts {
    fn from(_: RangeFull) -> Self {
        Self::default()
    }
}
impl From<usize> for Counts {
    fn from(minlength: usize) -> Self {
        Self::new().minlength(minlength)
    }
}

array_functions! {
    checked counting, free free_counting;

    /// Counts how often each number from 0 on occurs, as `np.bincount`; waits for the device.
    ///
    /// - **Shapes**: `(n,) → (max + 1,)`.
    /// - **Dtypes**: integers; the result is int64, or float64 with weights.
    /// - **Errors**: an array that is not 1-d, other dtypes, negative numbers, weights of another length.
    ///
    /// ```
    /// use ndany::{Array, Counts, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let numbers = Array::from([3, 1, 1]);
    /// assert_eq!(numbers.bincount(..).to_vec::<i64>()?, [0, 2, 0, 1]);
    /// assert_eq!(numbers.bincount(5).to_vec::<i64>()?, [0, 2, 0, 1, 0]);
    /// let weights = Array::from([0.5, 2.0, 1.0]);
    /// assert_eq!(numbers.bincount(Counts::new().weights(&weights)).to_vec::<f64>()?, [0.0, 3.0, 0.0, 0.5]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    bincount / try_bincount (self, counts: impl Into<Counts>) -> Array {
        match counts.into() {
            Counts { minlength, weights: Some(weights) } if self.shape() != [0] => {
                weighted(self, &weights, minlength)
            }
            // NumPy's answer to no numbers: counts, whatever was to be weighed.
            Counts { minlength, .. } => counted(self, minlength),
        }
    }
}

#[track_caller]
fn counted(array: &Array, minlength: usize) -> Result<Array> {
    let numbers = to_integers(array)?;
    // The length that the caller expects is mostly right, and counting shows whether it is: negative numbers, and those
    // beyond it, are counted in places of their own.
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

#[track_caller]
fn weighted(array: &Array, weights: &Array, minlength: usize) -> Result<Array> {
    if weights.dtype().is_complex() {
        let dtypes = format!("weights of {}", weights.dtype());
        return Err(Error::DTypes { op: OP, dtypes, remedy: "use real numbers" });
    }
    let numbers = to_integers(array)?;
    let length = length(&numbers, minlength)?;
    if weights.shape() != array.shape() {
        let expected = "as many weights as numbers".to_string();
        return Err(Error::Shape { op: OP, expected, got: weights.shape().into() });
    }
    sums_by_number(&numbers, &weights.try_astype(DType::F64)?, length)
}

/// The numbers as I64.
fn to_integers(array: &Array) -> Result<Array> {
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
    let every = crate::array::try_arange(Arange::of(0, length, 1, Some(DType::I64)))?;
    place_counts(OP, &every, numbers, Side::Right)
}

/// Adds up weights (F64, 1-d) by number, all of which are of `0..length`: +0.0 where there is none, with which NumPy begins.
pub(in crate::array) fn sums_by_number(
    numbers: &Array,
    weights: &Array,
    length: usize,
) -> Result<Array> {
    WeightedBincount { op: OP, numbers, weights, length, bounds_checked: true }.sums()?.try_add(0.0)
}

#[cfg(test)]
mod tests {
    use crate::{Array, Counts, DType, zeros};

    /// `np.bincount([], weights=[1.0], minlength=2)` counts.
    #[test]
    fn no_numbers_are_counted_whatever_they_weigh() {
        let counts = Counts::new().minlength(2).weights(Array::from([1.0]));
        let counted = zeros(0, DType::I64).bincount(counts);
        assert_eq!((counted.dtype(), counted.to_string().as_str()), (DType::I64, "[0 0]"));
    }
}
