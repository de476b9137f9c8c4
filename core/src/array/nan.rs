//! Reductions and scans that pass over NaN.
//!
//! Each is the plain one under a mask (or with NaN replaced), fused into the same pass, so that the order of
//! combination and the bits are those of the plain one. Arrays that cannot hold NaN go straight there.
//! `nanargmin` and `nanargmax` have no answer for a row of nothing but NaN: they look at the values.

use super::Array;
use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxes, IntoAxis};
use crate::declare::array_functions;
use crate::dtype::Kind;
use crate::error::{Error, Result};
use crate::ops::reductions::{self as table, Reduce, ReductionRow};
use crate::ops::rows::{try_where, ufunc};

array_functions! {
    checked nans;

    /// The sum of what is not NaN, as `np.nansum`.
    nansum / try_nansum (self, axes: impl IntoAxes<SumOptions>) -> Array { self.nan_reduce(&table::SUM, axes.into_axes()) }
    /// The product of what is not NaN, as `np.nanprod`.
    nanprod / try_nanprod (self, axes: impl IntoAxes<SumOptions>) -> Array { self.nan_reduce(&table::PROD, axes.into_axes()) }
    /// The smallest element that is not NaN, as `np.nanmin`; NaN where there is no other.
    nanmin / try_nanmin (self, axes: impl IntoAxes<ExtremumOptions>) -> Array {
        self.nan_extremum(&table::MIN, &ufunc::fmin, axes.into_axes())
    }
    /// The largest element that is not NaN, as `np.nanmax`; NaN where there is no other.
    nanmax / try_nanmax (self, axes: impl IntoAxes<ExtremumOptions>) -> Array {
        self.nan_extremum(&table::MAX, &ufunc::fmax, axes.into_axes())
    }
    /// The mean of what is not NaN, as `np.nanmean`; NaN where there is nothing else.
    nanmean / try_nanmean (self, axes: impl IntoAxes<MeanOptions>) -> Array { self.nan_reduce(&table::MEAN, axes.into_axes()) }
    /// The variance of what is not NaN, as `np.nanvar`; NaN where no degrees of freedom are left.
    ///
    /// ```
    /// use ndany::{Array, Device, over};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[1.0, f64::NAN, 3.0], [f64::NAN, f64::NAN, 5.0]]);
    /// assert_eq!(a.nansum(1).to_vec::<f64>()?, [4.0, 5.0]);
    /// assert_eq!(a.nanvar(over(..).ddof(1)).item::<f64>()?, 4.0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    nanvar / try_nanvar (self, axes: impl IntoAxes<SpreadOptions>) -> Array { self.nan_spread(&table::VAR, axes.into_axes()) }
    /// The standard deviation of what is not NaN, as `np.nanstd`; NaN where no degrees of freedom are left.
    nanstd / try_nanstd (self, axes: impl IntoAxes<SpreadOptions>) -> Array { self.nan_spread(&table::STD, axes.into_axes()) }
    /// Running sums with NaN as 0, as `np.nancumsum`.
    nancumsum / try_nancumsum (self, axis: impl IntoAxis<ScanOptions>) -> Array {
        self.without_nan(0.0)?.try_cumsum(axis)
    }
    /// Running products with NaN as 1, as `np.nancumprod`.
    nancumprod / try_nancumprod (self, axis: impl IntoAxis<ScanOptions>) -> Array {
        self.without_nan(1.0)?.try_cumprod(axis)
    }
    /// Position of the first smallest element that is not NaN, as `np.nanargmin` (where infinities are the
    /// only others, NaN may be that position, as in NumPy). A row of nothing but NaN is an error. Waits for the device.
    nanargmin / try_nanargmin (self, axes: impl IntoAxes<KeepOptions>) -> Array {
        self.nan_position(&table::ARGMIN, f64::INFINITY, axes.into_axes())
    }
    /// Position of the first largest element that is not NaN, as `np.nanargmax`; errors as those of
    /// [`Array::nanargmin`](crate::Array::nanargmin).
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
    fn passing_nan(&self, op: &'static str, options: AxisOptions) -> Result<AxisOptions> {
        if !self.may_hold_nan() {
            return Ok(options);
        }
        let numbers = self.try_isnan()?.try_logical_not()?;
        let mask = match options.mask_of(op, self)? {
            Some(mask) => mask.try_logical_and(numbers)?,
            None => numbers,
        };
        Ok(options.where_(&mask))
    }

    #[track_caller]
    fn nan_reduce(&self, row: &'static ReductionRow, options: AxisOptions) -> Result<Array> {
        // A row that starts from its first element cannot be masked: that element may be NaN.
        match row.kind {
            Reduce::Sum if options.from_first => {
                return self.without_nan(0.0)?.reduce(row, options);
            }
            Reduce::Prod if options.from_first => {
                return self.without_nan(1.0)?.reduce(row, options);
            }
            _ => {}
        }
        self.reduce(row, self.passing_nan(row.name, options)?)
    }

    #[track_caller]
    fn nan_extremum(
        &self,
        row: &'static ReductionRow,
        numbers: &super::ufunc::Ufunc,
        options: AxisOptions,
    ) -> Result<Array> {
        if !self.may_hold_nan() || options.dtype.is_some() {
            return self.reduce(row, options);
        }
        numbers.try_reduce(self, options)
    }

    #[track_caller]
    fn nan_spread(&self, row: &'static ReductionRow, options: AxisOptions) -> Result<Array> {
        let correction = options.ddof.unwrap_or(0.0);
        let options = self.passing_nan(row.name, options)?;
        let spread = self.reduce(row, options.clone())?;
        if !self.may_hold_nan() || correction <= 1.0 {
            // Fewer than one degree of freedom means no distance from the mean: 0 / 0 is NaN anyway.
            return Ok(spread);
        }
        let Some(counted) = options.mask_of(row.name, self)? else { return Ok(spread) };
        let none_left =
            counted.reduce(&table::SUM, options.geometry())?.try_less_equal(correction)?;
        try_where(none_left, f64::NAN, spread)
    }

    #[track_caller]
    fn nan_position(
        &self,
        row: &'static ReductionRow,
        instead: f64,
        options: AxisOptions,
    ) -> Result<Array> {
        let position = self.without_nan(instead)?.reduce(row, options.clone())?;
        if self.may_hold_nan() && self.size() > 0 {
            let nothing_else = self.try_isnan()?.try_all(options.geometry())?;
            if nothing_else.try_any(..)?.item::<bool>()? {
                return Err(Error::AllNan { op: row.name });
            }
        }
        Ok(position)
    }
}
