//! Sets of elements: which are in another array, and in both, either or one of two.
//!
//! Built on `unique`, `searchsorted` and selection; arrays are taken flat, results are sorted and 1-d
//! where they are sets.

use crate::array::Array;
use crate::array::indexing::gather::select;
use crate::array::sets::integer_table::IntegerTable;
use crate::array::sets::unique::Find;
use crate::declare::{acted_on, array_functions};
use crate::graph::Operand;
use ndany_core::{DType, Error, Result};

array_functions! {
    checked sets, free free_sets;

    /// Tests whether each element occurs in the other array, as `np.isin`.
    ///
    /// Both meet in one dtype (int64 and uint64 by value); NaN occurs nowhere. Waits for the bounds of the other array where many
    /// integers are looked for.
    ///
    /// - **Shapes**: `(…), (…) → (…)`, the first one's.
    /// - **Dtypes**: any; the result is bool.
    /// - **Errors**: operands on two devices.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[1, 2], [3, 4]]);
    /// assert_eq!(a.isin([4, 1]).to_vec::<bool>()?, [true, false, false, true]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    isin / try_isin (self, elements: impl Into<Operand>) -> Array {
        let elements = {
            let _guard = self.device().enter();
            &acted_on(elements)
        };
        one_device("isin", self, elements)?;
        if let Some(found) = exactly(self, elements)? {
            return Ok(found);
        }
        let dtype = DType::promote(self.dtype(), elements.dtype());
        let (elements, wanted) = (elements.try_ravel()?.try_astype(dtype)?, self.try_astype(dtype)?);
        if elements.size() == 0 {
            let _guard = self.device().enter();
            return crate::array::try_zeros(self.shape(), DType::Bool);
        }
        if let Some(near) = IntegerTable::of(&elements, self.size() + elements.size())? {
            return near.has(&elements, &wanted);
        }
        let sorted = elements.try_sort(0)?;
        let place = sorted.try_searchsorted(&wanted, crate::array::Side::Left)?;
        let candidate = place.try_minimum(sorted.size() as i64 - 1)?;
        sorted.try_take(&candidate, 0)?.try_equal(&wanted)
    }

    /// Returns the distinct elements of both arrays, sorted, as `np.union1d`; waits for the device.
    ///
    /// - **Shapes**: `(…), (…) → (count,)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([3, 1]).union1d(&array([2, 1])).to_string(), "[1 2 3]");
    /// ```
    union1d / try_union1d (self, other: &Array) -> Array {
        join("union1d", &self.try_ravel()?, &other.try_ravel()?)?.try_unique(..)
    }

    /// Returns the distinct elements that occur in both arrays, sorted, as `np.intersect1d`; waits for the device.
    ///
    /// - **Shapes**: `(…), (…) → (count,)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([3, 1]).intersect1d(&array([2, 1])).to_string(), "[1]");
    /// ```
    intersect1d / try_intersect1d (self, other: &Array) -> Array {
        self.try_unique(..)?.try_intersect1d_of_unique(&other.try_unique(..)?)
    }

    /// Returns [`Array::intersect1d`] and where the elements occur first, as `np.intersect1d(…, return_indices=True)`.
    ///
    /// - **Shapes**: `(…), (…) → (count,), (count,), (count,)`.
    /// - **Dtypes**: any; operands promote as NumPy's, positions are int64.
    /// - **Errors**: operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([3, 1]).intersect1d_indices(&array([2, 1])).1.to_string(), "[1]");
    /// ```
    intersect1d_indices / try_intersect1d_indices (self, other: &Array) -> (Array, Array, Array) {
        let options = Find { index: true, ..Find::default() };
        let (left, right) = (self.unique_by(None, options)?, other.unique_by(None, options)?);
        let (values, first, second) = left.values.try_intersect1d_of_unique_with_indices(&right.values)?;
        let of = |index: Option<Array>, positions: &Array| match index {
            Some(index) => index.try_take(positions, 0),
            None => Ok(positions.clone()),
        };
        let (first, second) = (of(left.index, &first)?, of(right.index, &second)?);
        Ok((values, first, second))
    }

    /// Returns the distinct elements that do not occur in the other array, sorted, as `np.setdiff1d`.
    ///
    /// Waits for the device.
    ///
    /// - **Shapes**: `(…), (…) → (count,)`.
    /// - **Dtypes**: any; the result has this array's.
    /// - **Errors**: operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([3, 1]).setdiff1d(&array([2, 1])).to_string(), "[3]");
    /// ```
    setdiff1d / try_setdiff1d (self, other: &Array) -> Array {
        self.try_unique(..)?.try_setdiff1d_of_unique(other)
    }

    /// Returns the distinct elements that occur in exactly one of the arrays, sorted, as `np.setxor1d`.
    ///
    /// Waits for the device.
    ///
    /// - **Shapes**: `(…), (…) → (count,)`.
    /// - **Dtypes**: any; operands promote as NumPy's.
    /// - **Errors**: operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([3, 1]).setxor1d(&array([2, 1])).to_string(), "[2 3]");
    /// ```
    setxor1d / try_setxor1d (self, other: &Array) -> Array {
        self.try_unique(..)?.try_setxor1d_of_unique(&other.try_unique(..)?)
    }
}

impl Array {
    /// [`Array::intersect1d`] of arrays none of which has an element twice (NumPy's `assume_unique`; if one
    /// has, what comes out are elements that stand side by side when both are sorted together).
    #[track_caller]
    pub(crate) fn try_intersect1d_of_unique(&self, other: &Array) -> Result<Array> {
        let sorted = join("intersect1d", &self.try_ravel()?, &other.try_ravel()?)?.try_sort(0)?;
        let (before, after) = pairs(&sorted)?;
        select(&before, &before.try_equal(&after)?)
    }

    /// [`Array::intersect1d_of_unique`] with where the elements occur.
    #[track_caller]
    pub(crate) fn try_intersect1d_of_unique_with_indices(
        &self,
        other: &Array,
    ) -> Result<(Array, Array, Array)> {
        let both = join("intersect1d", &self.try_ravel()?, &other.try_ravel()?)?;
        let order = both.try_argsort(0)?;
        let (before, after) = pairs(&both.try_take(&order, 0)?)?;
        let (first, second) = pairs(&order)?;
        let common = before.try_equal(&after)?;
        let second = select(&second, &common)?.try_subtract(self.size() as i64)?;
        Ok((select(&before, &common)?, select(&first, &common)?, second))
    }

    /// The elements that do not occur in the other array, as they stand, as `np.setdiff1d` with
    /// `assume_unique`.
    #[track_caller]
    pub(crate) fn try_setdiff1d_of_unique(&self, other: &Array) -> Result<Array> {
        let flat = self.try_ravel()?;
        select(&flat, &flat.try_isin(other)?.try_logical_not()?)
    }

    /// [`Array::setxor1d`] of arrays none of which has an element twice (NumPy's `assume_unique`).
    #[track_caller]
    pub(crate) fn try_setxor1d_of_unique(&self, other: &Array) -> Result<Array> {
        let joined = join("setxor1d", &self.try_ravel()?, &other.try_ravel()?)?;
        if joined.size() == 0 {
            return Ok(joined);
        }
        let sorted = joined.try_sort(0)?;
        let (before, after) = pairs(&sorted)?;
        let differs = before.try_not_equal(&after)?;
        let _guard = sorted.device().enter();
        let end = crate::array::try_ones(1, DType::Bool)?;
        let bounds = crate::array::try_concatenate(&[&end, &differs, &end], 0)?;
        let (left, right) = pairs(&bounds)?;
        select(&sorted, &left.try_logical_and(&right)?)
    }
}

/// Every element but the last, and every one but the first.
fn pairs(array: &Array) -> Result<(Array, Array)> {
    Ok((array.try_i(crate::s![..-1])?, array.try_i(crate::s![1..])?))
}

fn join(op: &'static str, left: &Array, right: &Array) -> Result<Array> {
    one_device(op, left, right)?;
    crate::array::try_concatenate(&[left, right], 0)
}

fn one_device(op: &'static str, left: &Array, right: &Array) -> Result<()> {
    if left.device() == right.device() {
        return Ok(());
    }
    Err(Error::TwoDevices { op, left: left.device().name(), right: right.device().name() })
}

/// `isin` of integers that meet in no integer: by value all the same. Those beyond the other's dtype, which
/// would wrap in it, are nowhere in it.
#[track_caller]
fn exactly(wanted: &Array, elements: &Array) -> Result<Option<Array>> {
    let (own, other) = (wanted.dtype(), elements.dtype());
    let meet = own.is_int() && other.is_int() && DType::promote(own, other).is_float();
    if !meet {
        return Ok(None);
    }
    let (common, shared) = match own {
        DType::U64 => (DType::I64, wanted.try_less_equal(i64::MAX)?),
        _ => (DType::U64, wanted.try_greater_equal(0)?),
    };
    let found = wanted.try_astype(common)?.try_isin(&elements.try_astype(common)?)?;
    found.try_logical_and(&shared).map(Some)
}
