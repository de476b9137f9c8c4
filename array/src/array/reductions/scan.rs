//! Scans: running sums, products and extrema along an axis.

use smallvec::{SmallVec, smallvec};

use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxis};
use crate::array::Array;
use crate::array::ufunc::Ufunc;
use crate::array::ufuncs as ufunc;
use crate::declare::array_functions;
use crate::graph::fold::{Fold, Pattern, fold};
use ndany_core::ops::reductions::{ReductionDef, ReductionOption, SUM, sum_prim};
use ndany_core::program::RegType;
use ndany_core::{Error, Result};

array_functions! {
    checked scans, free free_scans;

    /// Returns running sums along an axis, or over the raveled array (`..`), as `np.cumsum`.
    ///
    /// The order of summation is the canonical plan for scans. A pending operand is computed in the same pass.
    ///
    /// - **Shapes**: `(m, n) → (m, n)`, `(m, n) → (m · n,)` for `..`.
    /// - **Dtypes**: bool and integers add up and give 64 bits; floats and complex numbers keep theirs, or the option
    ///   `dtype`.
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2, 3]).cumsum(0).to_string(), "[1 3 6]");
    /// ```
    cumsum / try_cumsum (self, axis: impl IntoAxis<ScanOptions>) -> Array {
        let options = axis.into_axis();
        let (array, axis) = self.scanned("cumsum", &options)?;
        let dtype = SUM.dtypes(self.dtype(), options.dtype)?.output;
        let pattern = Pattern::Scan { combine: sum_prim(RegType::of(dtype)) };
        fold(&Fold { op: "cumsum", array: &array, dtype, axes: smallvec![axis], pattern })
    }

    /// Returns running products along an axis, or over the raveled array (`..`), as `np.cumprod`.
    ///
    /// Complex numbers multiply from left to right, all others by the canonical plan for scans.
    ///
    /// - **Shapes**: `(m, n) → (m, n)`, `(m, n) → (m · n,)` for `..`.
    /// - **Dtypes**: bool and integers give 64 bits; floats and complex numbers keep theirs, or the option `dtype`.
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2, 3]).cumprod(0).to_string(), "[1 2 6]");
    /// ```
    cumprod / try_cumprod (self, axis: impl IntoAxis<ScanOptions>) -> Array {
        self.accumulated("cumprod", &ufunc::multiply, &axis.into_axis())
    }

    /// Returns the largest element so far along an axis, NaN from the first one on, as `np.maximum.accumulate`.
    ///
    /// - **Shapes**: `(m, n) → (m, n)`, `(m, n) → (m · n,)` for `..`.
    /// - **Dtypes**: any; the result has the same, or the option `dtype`.
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 3, 2]).cummax(0).to_string(), "[1 3 3]");
    /// ```
    cummax / try_cummax (self, axis: impl IntoAxis<ScanOptions>) -> Array {
        self.accumulated("cummax", &ufunc::maximum, &axis.into_axis())
    }

    /// Returns the smallest element so far along an axis, NaN from the first one on, as `np.minimum.accumulate`.
    ///
    /// - **Shapes**: `(m, n) → (m, n)`, `(m, n) → (m · n,)` for `..`.
    /// - **Dtypes**: any; the result has the same, or the option `dtype`.
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([3, 1, 2]).cummin(0).to_string(), "[3 1 1]");
    /// ```
    cummin / try_cummin (self, axis: impl IntoAxis<ScanOptions>) -> Array {
        self.accumulated("cummin", &ufunc::minimum, &axis.into_axis())
    }

    /// Returns running sums along an axis, as `np.cumulative_sum` of the array API standard.
    ///
    /// `..` is the only axis of a 1-d array; the option `include_initial` puts a 0 in front.
    ///
    /// - **Shapes**: `(n,) → (n,)`, or `(n + 1,)` with `include_initial`.
    /// - **Dtypes**: as [`Array::cumsum`](crate::Array::cumsum).
    /// - **Errors**: an axis out of range, `..` for several axes.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).cumulative_sum(along(0).include_initial()).to_string(), "[0 1 3]");
    /// ```
    cumulative_sum / try_cumulative_sum (self, axis: impl IntoAxis<CumulativeOptions>) -> Array {
        self.cumulative("cumulative_sum", Array::try_cumsum, 0, axis.into_axis())
    }

    /// Returns running products along an axis, as `np.cumulative_prod` of the array API standard.
    ///
    /// `..` is the only axis of a 1-d array; the option `include_initial` puts a 1 in front.
    ///
    /// - **Shapes**: `(n,) → (n,)`, or `(n + 1,)` with `include_initial`.
    /// - **Dtypes**: as [`Array::cumprod`](crate::Array::cumprod).
    /// - **Errors**: an axis out of range, `..` for several axes.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([2, 3]).cumulative_prod(along(0).include_initial()).to_string(), "[1 2 6]");
    /// ```
    cumulative_prod / try_cumulative_prod (self, axis: impl IntoAxis<CumulativeOptions>) -> Array {
        self.cumulative("cumulative_prod", Array::try_cumprod, 1, axis.into_axis())
    }
}

impl Array {
    /// The array and the axis to scan along: `..` is that of the raveled array.
    fn scanned(&self, op: &'static str, options: &AxisOptions) -> Result<(Array, usize)> {
        options.only(op, &[ReductionOption::Dtype])?;
        // As NumPy's, a 0-d array counts as one element along an axis.
        match options.axis_index(op, self.ndim().max(1))? {
            Some(axis) if self.ndim() > 0 => Ok((self.clone(), axis)),
            _ => Ok((self.try_ravel()?, 0)),
        }
    }

    #[track_caller]
    fn accumulated(&self, op: &'static str, ufunc: &Ufunc, options: &AxisOptions) -> Result<Array> {
        let (array, axis) = self.scanned(op, options)?;
        let along = AxisOptions::from(Some(axis as isize)).dtype_or_default(options.dtype);
        ufunc.try_accumulate(&array, along)
    }

    #[track_caller]
    fn cumulative(
        &self,
        op: &'static str,
        scan: fn(&Array, AxisOptions) -> Result<Array>,
        identity: i64,
        options: AxisOptions,
    ) -> Result<Array> {
        options.only(op, &[ReductionOption::Dtype])?;
        let array = if self.ndim() == 0 { self.try_ravel()? } else { self.clone() };
        let axis = match options.axis_index(op, array.ndim())? {
            Some(axis) => axis,
            None if array.ndim() == 1 => 0,
            None => {
                let reason = "an array of several dimensions needs an axis".to_string();
                return Err(Error::ArgumentValue { op: op.to_string(), reason });
            }
        };
        let along = AxisOptions::from(Some(axis as isize)).dtype_or_default(options.dtype);
        let result = scan(&array, along)?;
        if !options.includes_initial() {
            return Ok(result);
        }
        let mut shape: SmallVec<[usize; 4]> = SmallVec::from_slice(result.shape());
        shape[axis] = 1;
        let _guard = result.device().enter();
        let first = crate::array::try_full(shape.as_slice(), identity, result.dtype())?;
        crate::array::try_concatenate(&[&first, &result], axis as isize)
    }
}
