//! Reductions and scans that pass over NaN.
//!
//! Each is the plain one under a mask (or with NaN replaced), fused into the same pass, so that the order of
//! combination and the bits are those of the plain one. Arrays that cannot hold NaN go straight there.
//! `nanargmin` and `nanargmax` have no answer for a row of nothing but NaN: they look at the values.

use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxes, IntoAxis};
use crate::array::Array;
use crate::array::ufuncs as ufunc;
use crate::declare::array_functions;
use crate::elementwise::try_where;
use ndany_core::ops::reductions::{self as table, Masked, ReductionDef};
use ndany_core::{DType, Error, Kind, Result};

array_functions! {
    checked nans, free free_nans;

    /// Sums the elements that are not NaN, as `np.nansum`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: as [`Array::sum`](crate::Array::sum).
    /// - **Errors**: an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, f64::NAN]).nansum(..).to_string(), "1.0");
    /// ```
    nansum / try_nansum (self, axes: impl IntoAxes<SumOptions>) -> Array { self.nan_reduce(&table::SUM, axes.into_axes()) }
    /// Multiplies the elements that are not NaN, as `np.nanprod`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: as [`Array::prod`](crate::Array::prod).
    /// - **Errors**: an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([2.0, f64::NAN]).nanprod(..).to_string(), "2.0");
    /// ```
    nanprod / try_nanprod (self, axes: impl IntoAxes<SumOptions>) -> Array { self.nan_reduce(&table::PROD, axes.into_axes()) }
    /// Returns the smallest element that is not NaN, or NaN if all are, as `np.nanmin`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range or given twice, no elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([2.0, f64::NAN]).nanmin(..).to_string(), "2.0");
    /// ```
    nanmin / try_nanmin (self, axes: impl IntoAxes<ExtremumOptions>) -> Array {
        self.nan_extremum(&table::MIN, &ufunc::fmin, axes.into_axes())
    }
    /// Returns the largest element that is not NaN, or NaN if all are, as `np.nanmax`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range or given twice, no elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([2.0, f64::NAN]).nanmax(..).to_string(), "2.0");
    /// ```
    nanmax / try_nanmax (self, axes: impl IntoAxes<ExtremumOptions>) -> Array {
        self.nan_extremum(&table::MAX, &ufunc::fmax, axes.into_axes())
    }
    /// Returns the mean of the elements that are not NaN, or NaN if all are, as `np.nanmean`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: as [`Array::mean`](crate::Array::mean).
    /// - **Errors**: an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([2.0, f64::NAN, 4.0]).nanmean(..).to_string(), "3.0");
    /// ```
    nanmean / try_nanmean (self, axes: impl IntoAxes<MeanOptions>) -> Array {
        let options = axes.into_axes();
        self.inexact_as("nanmean", &options)?;
        self.mean_by(self.passing_nan("nanmean", options)?)
    }
    /// Returns the variance of the elements that are not NaN, as `np.nanvar`.
    ///
    /// The result is NaN where no degrees of freedom are left.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: as [`Array::var`](crate::Array::var).
    /// - **Errors**: an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::{Array, Device, over};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[1.0, f64::NAN, 3.0], [f64::NAN, f64::NAN, 5.0]]);
    /// assert_eq!(a.nansum(1).to_vec::<f64>()?, [4.0, 5.0]);
    /// assert_eq!(a.nanvar(over(..).ddof(1)).item::<f64>()?, 4.0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    nanvar / try_nanvar (self, axes: impl IntoAxes<SpreadOptions>) -> Array { self.nan_moment(&table::VAR, axes.into_axes()) }
    /// Returns the standard deviation of the elements that are not NaN, as `np.nanstd`.
    ///
    /// The result is NaN where no degrees of freedom are left.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: as [`Array::std`](crate::Array::std).
    /// - **Errors**: an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, f64::NAN, 3.0]).nanstd(..).to_string(), "1.0");
    /// ```
    nanstd / try_nanstd (self, axes: impl IntoAxes<SpreadOptions>) -> Array { self.nan_moment(&table::STD, axes.into_axes()) }
    /// Returns running sums with NaN as 0, as `np.nancumsum`.
    ///
    /// - **Shapes**: `(m, n) → (m, n)`, `(m, n) → (m · n,)` for `..`.
    /// - **Dtypes**: as [`Array::cumsum`](crate::Array::cumsum).
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, f64::NAN, 2.0]).nancumsum(0).to_string(), "[1. 1. 3.]");
    /// ```
    nancumsum / try_nancumsum (self, axis: impl IntoAxis<ScanOptions>) -> Array {
        self.without_nan(0.0)?.try_cumsum(axis)
    }
    /// Returns running products with NaN as 1, as `np.nancumprod`.
    ///
    /// - **Shapes**: `(m, n) → (m, n)`, `(m, n) → (m · n,)` for `..`.
    /// - **Dtypes**: as [`Array::cumprod`](crate::Array::cumprod).
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([2.0, f64::NAN, 3.0]).nancumprod(0).to_string(), "[2. 2. 6.]");
    /// ```
    nancumprod / try_nancumprod (self, axis: impl IntoAxis<ScanOptions>) -> Array {
        self.without_nan(1.0)?.try_cumprod(axis)
    }
    /// Returns the position of the first smallest element that is not NaN, as `np.nanargmin`.
    ///
    /// Where infinities are the only others, NaN may be that position, as in NumPy. Waits for the device.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: any; the result is int64.
    /// - **Errors**: an axis out of range or given twice; a row that is all NaN fails the result (ValueError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([f64::NAN, 2.0, 1.0]).nanargmin(..).to_string(), "2");
    /// ```
    nanargmin / try_nanargmin (self, axes: impl IntoAxes<KeepOptions>) -> Array {
        self.nan_position(&table::ARGMIN, f64::INFINITY, axes.into_axes())
    }
    /// Returns the position of the first largest element that is not NaN, as `np.nanargmax`.
    ///
    /// Where infinities are the only others, NaN may be that position, as in NumPy. Waits for the device.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: any; the result is int64.
    /// - **Errors**: an axis out of range or given twice; a row that is all NaN fails the result (ValueError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([f64::NAN, 2.0, 1.0]).nanargmax(..).to_string(), "1");
    /// ```
    nanargmax / try_nanargmax (self, axes: impl IntoAxes<KeepOptions>) -> Array {
        self.nan_position(&table::ARGMAX, f64::NEG_INFINITY, axes.into_axes())
    }
}

impl Array {
    fn may_hold_nan(&self) -> bool {
        matches!(self.dtype().kind(), Kind::Float | Kind::Complex)
    }

    /// The array with another value for NaN.
    #[track_caller]
    pub(crate) fn without_nan(&self, value: f64) -> Result<Array> {
        match self.may_hold_nan() {
            true => try_where(self.try_isnan()?, value, self),
            false => Ok(self.clone()),
        }
    }

    /// The options, with NaN masked out.
    #[track_caller]
    fn passing_nan(&self, op: &'static str, mut options: AxisOptions) -> Result<AxisOptions> {
        if !self.may_hold_nan() {
            return Ok(options);
        }
        let numbers = self.try_isnan()?.try_logical_not()?;
        // NumPy adds up by a ufunc here, to which a 0-d array has an axis 0; other means and variances have none.
        if self.ndim() == 0 && matches!(options.axes.as_deref(), Some([0 | -1])) {
            options.axes = None;
        }
        let mask = match options.mask_of(op, self)? {
            Some(mask) => mask.try_logical_and(numbers)?,
            None => numbers,
        };
        Ok(options.where_(&mask))
    }

    /// Refuses an average of floats in a dtype that is neither float nor complex.
    fn inexact_as(&self, op: &'static str, options: &AxisOptions) -> Result<()> {
        match options.dtype.map(DType::kind) {
            Some(Kind::Bool | Kind::Int) if self.may_hold_nan() => {
                let reason = "the average of floats needs a float dtype".to_string();
                Err(Error::Arguments { op: op.to_string(), reason })
            }
            _ => Ok(()),
        }
    }

    #[track_caller]
    fn nan_reduce(&self, row: &'static dyn ReductionDef, options: AxisOptions) -> Result<Array> {
        // A row that starts from its first element cannot be masked: that element may be NaN.
        if let (true, Masked::Identity(_, identity)) =
            (options.from_first, row.masked_as(self.dtype()))
        {
            return self.without_nan(identity as f64)?.reduce(row, options);
        }
        self.reduce(row, self.passing_nan(row.name(), options)?)
    }

    #[track_caller]
    fn nan_extremum(
        &self,
        row: &'static dyn ReductionDef,
        numbers: &crate::array::ufunc::Ufunc,
        options: AxisOptions,
    ) -> Result<Array> {
        if !self.may_hold_nan() || options.dtype.is_some() {
            return self.reduce(row, options);
        }
        numbers.try_reduce(self, options)
    }

    #[track_caller]
    fn nan_moment(&self, row: &'static dyn ReductionDef, options: AxisOptions) -> Result<Array> {
        self.inexact_as(row.name(), &options)?;
        let correction = options.ddof.unwrap_or(0.0);
        let options = self.passing_nan(row.name(), options)?;
        let moment = self.reduce(row, options.clone())?;
        if !self.may_hold_nan() || correction <= 1.0 {
            // Fewer than one degree of freedom means no distance from the mean: 0 / 0 is NaN anyway.
            return Ok(moment);
        }
        let Some(counted) = options.mask_of(row.name(), self)? else { return Ok(moment) };
        let none_left =
            counted.reduce(&table::SUM, options.geometry())?.try_less_equal(correction)?;
        try_where(none_left, f64::NAN, moment)
    }

    #[track_caller]
    fn nan_position(
        &self,
        row: &'static dyn ReductionDef,
        instead: f64,
        options: AxisOptions,
    ) -> Result<Array> {
        let position = self.without_nan(instead)?.reduce(row, options.clone())?;
        if self.may_hold_nan() && self.size() > 0 {
            let nothing_else = self.try_isnan()?.try_all(options.geometry())?;
            if nothing_else.try_any(..)?.item::<bool>()? {
                return Ok(position.with_error(row.name(), Error::AllNan { op: row.name() }));
            }
        }
        Ok(position)
    }
}
