//! Reductions and scans that pass over NaN.
//!
//! Each is the plain one under a mask (or with NaN replaced), fused into the same pass, so that the order of
//! combination and the bits are those of the plain one. Arrays that cannot hold NaN go straight there.
//! `nanargmin` and `nanargmax` have no answer for a row of nothing but NaN: they look at the values.

use super::Array;
use super::reduce::Over;
use crate::declare::array_functions;
use crate::dtype::Kind;
use crate::error::{Error, Result};
use crate::ops::reductions::{self as table, Reduce, ReductionRow};
use crate::ops::rows::{try_where, ufunc};

array_functions! {
    checked nans;

    /// The sum of what is not NaN, as `np.nansum`.
    nansum / try_nansum (self, over: impl Into<Over>) -> Array { self.nan_reduce(&table::SUM, over.into()) }
    /// The product of what is not NaN, as `np.nanprod`.
    nanprod / try_nanprod (self, over: impl Into<Over>) -> Array { self.nan_reduce(&table::PROD, over.into()) }
    /// The smallest element that is not NaN, as `np.nanmin`; NaN where there is no other.
    nanmin / try_nanmin (self, over: impl Into<Over>) -> Array {
        self.nan_extremum(&table::MIN, &ufunc::fmin, over.into())
    }
    /// The largest element that is not NaN, as `np.nanmax`; NaN where there is no other.
    nanmax / try_nanmax (self, over: impl Into<Over>) -> Array {
        self.nan_extremum(&table::MAX, &ufunc::fmax, over.into())
    }
    /// The mean of what is not NaN, as `np.nanmean`; NaN where there is nothing else.
    nanmean / try_nanmean (self, over: impl Into<Over>) -> Array { self.nan_reduce(&table::MEAN, over.into()) }
    /// The variance of what is not NaN, as `np.nanvar`; NaN where no degrees of freedom are left.
    ///
    /// ```
    /// use ndany::{Array, Device, over};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[1.0, f64::NAN, 3.0], [f64::NAN, f64::NAN, 5.0]]);
    /// assert_eq!(a.nansum(1).to_vec::<f64>()?, [4.0, 5.0]);
    /// assert_eq!(a.nanvar(over(..).correction(1.0)).item::<f64>()?, 4.0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    nanvar / try_nanvar (self, over: impl Into<Over>) -> Array { self.nan_spread(&table::VAR, over.into()) }
    /// The standard deviation of what is not NaN, as `np.nanstd`; NaN where no degrees of freedom are left.
    nanstd / try_nanstd (self, over: impl Into<Over>) -> Array { self.nan_spread(&table::STD, over.into()) }
    /// Running sums with NaN as 0, as `np.nancumsum`.
    nancumsum / try_nancumsum (self, over: impl Into<Over>) -> Array {
        self.without_nan(0.0)?.try_cumsum(over)
    }
    /// Running products with NaN as 1, as `np.nancumprod`.
    nancumprod / try_nancumprod (self, over: impl Into<Over>) -> Array {
        self.without_nan(1.0)?.try_cumprod(over)
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
    fn passing_nan(&self, op: &'static str, over: Over) -> Result<Over> {
        if !self.may_hold_nan() {
            return Ok(over);
        }
        let numbers = self.try_isnan()?.try_logical_not()?;
        let mask = match over.mask_of(op, self)? {
            Some(mask) => mask.try_logical_and(numbers)?,
            None => numbers,
        };
        Ok(over.where_(&mask))
    }

    #[track_caller]
    fn nan_reduce(&self, row: &'static ReductionRow, over: Over) -> Result<Array> {
        // A row that starts from its first element cannot be masked: that element may be NaN.
        match row.kind {
            Reduce::Sum if over.is_from_first() => return self.without_nan(0.0)?.reduce(row, over),
            Reduce::Prod if over.is_from_first() => {
                return self.without_nan(1.0)?.reduce(row, over);
            }
            _ => {}
        }
        self.reduce(row, self.passing_nan(row.name, over)?)
    }

    #[track_caller]
    fn nan_extremum(
        &self,
        row: &'static ReductionRow,
        numbers: &super::ufunc::Ufunc,
        over: Over,
    ) -> Result<Array> {
        if !self.may_hold_nan() || over.asked_dtype().is_some() {
            return self.reduce(row, over);
        }
        numbers.try_reduce(self, over)
    }

    #[track_caller]
    fn nan_spread(&self, row: &'static ReductionRow, over: Over) -> Result<Array> {
        let correction = over.correction_value();
        let over = self.passing_nan(row.name, over)?;
        let spread = self.reduce(row, over.clone())?;
        if !self.may_hold_nan() || correction <= 1.0 {
            // Fewer than one degree of freedom means no distance from the mean: 0 / 0 is NaN anyway.
            return Ok(spread);
        }
        let Some(counted) = over.mask_of(row.name, self)? else { return Ok(spread) };
        let none_left = counted.reduce(&table::SUM, over.geometry())?.try_less_equal(correction)?;
        try_where(none_left, f64::NAN, spread)
    }

    /// Position of the first smallest element that is not NaN, as `np.nanargmin` (where infinities are the
    /// only others, NaN may be that position, as in NumPy).
    ///
    /// # Errors
    /// A row of nothing but NaN; an axis that the array has not; nothing to reduce; what failed on the way.
    #[track_caller]
    pub fn nanargmin(&self, over: impl Into<Over>) -> Result<Array> {
        self.nan_position(&table::ARGMIN, f64::INFINITY, over.into())
    }

    /// Position of the first largest element that is not NaN, as `np.nanargmax`.
    ///
    /// # Errors
    /// As [`Array::nanargmin`].
    #[track_caller]
    pub fn nanargmax(&self, over: impl Into<Over>) -> Result<Array> {
        self.nan_position(&table::ARGMAX, f64::NEG_INFINITY, over.into())
    }

    #[track_caller]
    fn nan_position(&self, row: &'static ReductionRow, instead: f64, over: Over) -> Result<Array> {
        let position = self.without_nan(instead)?.reduce(row, over.clone())?;
        if self.may_hold_nan() && self.size() > 0 {
            let nothing_else = self.try_isnan()?.try_all(over.geometry())?;
            if nothing_else.try_any(..)?.item::<bool>()? {
                return Err(Error::AllNan { op: row.name });
            }
        }
        Ok(position)
    }
}
