//! Scans: running sums, products and extrema along an axis.

use smallvec::{SmallVec, smallvec};

use super::Array;
use super::reduce::Choice;
use super::ufunc::Ufunc;
use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxis};
use crate::declare::array_functions;
use crate::error::{Error, Result};
use crate::graph::fold::{Fold, Pattern, fold};
use crate::ops::reductions::{SUM, sum_prim};
use crate::ops::rows::ufunc;
use crate::program::Ty;

array_functions! {
    checked scans;

    /// Running sums along an axis (`..`: over the raveled array), as `np.cumsum`, by the canonical plan
    /// for scans; bool and integers add up in 64 bits, 16-bit floats in f32. What is pending in front
    /// joins the same pass.
    cumsum / try_cumsum (self, axis: impl IntoAxis<ScanOptions>) -> Array {
        let options = axis.into_axis();
        let (array, axis) = self.scanned("cumsum", &options)?;
        let dtype = SUM.dtypes(self.dtype(), options.dtype)?.output;
        let pattern = Pattern::Scan { combine: sum_prim(Ty::of(dtype)) };
        fold(&Fold { op: "cumsum", array: &array, dtype, axes: smallvec![axis], pattern })
    }

    /// Running products along an axis, as `np.cumprod`; dtypes and order as those of
    /// [`Array::cumsum`](crate::Array::cumsum), but complex numbers multiply from left to right.
    cumprod / try_cumprod (self, axis: impl IntoAxis<ScanOptions>) -> Array {
        self.accumulated("cumprod", &ufunc::multiply, &axis.into_axis())
    }

    /// The largest element so far along an axis, NaN from the first one on, as `np.maximum.accumulate`.
    cummax / try_cummax (self, axis: impl IntoAxis<ScanOptions>) -> Array {
        self.accumulated("cummax", &ufunc::maximum, &axis.into_axis())
    }

    /// The smallest element so far along an axis, NaN from the first one on, as `np.minimum.accumulate`.
    cummin / try_cummin (self, axis: impl IntoAxis<ScanOptions>) -> Array {
        self.accumulated("cummin", &ufunc::minimum, &axis.into_axis())
    }

    /// Running sums as the array standard has them, as `np.cumulative_sum`: `..` is the only axis of an
    /// array, and the option `include_initial` puts a 0 in front.
    cumulative_sum / try_cumulative_sum (self, axis: impl IntoAxis<CumulativeOptions>) -> Array {
        self.cumulative("cumulative_sum", Array::try_cumsum, 0, axis.into_axis())
    }

    /// Running products as the array standard has them, as `np.cumulative_prod`: `..` is the only axis of
    /// an array, and the option `include_initial` puts a 1 in front.
    cumulative_prod / try_cumulative_prod (self, axis: impl IntoAxis<CumulativeOptions>) -> Array {
        self.cumulative("cumulative_prod", Array::try_cumprod, 1, axis.into_axis())
    }
}

impl Array {
    /// The array and the axis to scan along: `..` is that of the raveled array.
    fn scanned(&self, op: &'static str, options: &AxisOptions) -> Result<(Array, usize)> {
        options.only(op, &[Choice::Dtype])?;
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
        options.only(op, &[Choice::Dtype])?;
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
        let first = super::try_full(shape.as_slice(), identity, result.dtype())?;
        super::try_concatenate(&[&first, &result], axis as isize)
    }
}
