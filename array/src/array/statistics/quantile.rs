//! Quantiles, percentiles and medians along axes, with and without NaNs.
//!
//! Rows are sorted, but for a single long row, of which only bands around the places asked for are (`sample_select`); where in a
//! row a quantile lies, NumPy's thirteen methods say, in the dtype in which NumPy computes it. NaN-skipping forms count the elements of each row that are not NaN, which stand in
//! front, and go by that number. Weights (`quantile_weights`) go with one of the methods.

use std::cell::OnceCell;

use super::{quantile_method, quantile_weights};
use crate::arguments::Arange;
use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxes};
use crate::array::Array;
use crate::array::sorting::sample_select;
use crate::declare::array_functions;
use crate::graph::Operand;
use crate::scalar::Scalar;
use ndany_core::shape::Shape;
use ndany_core::{DType, Error, Kind, Result};

pub use quantile_method::QuantileMethod;

array_functions! {
    checked quantiles, free free_quantiles;

    /// Returns the `q`-th quantile of the elements over axes, as `np.quantile`.
    ///
    /// `q` is a number from 0 to 1, or an array of them whose axes come first in the result. A row with a NaN gives NaN. A quantile
    /// between two elements is interpolated, by another of NumPy's methods where the option `method` says so. With the option
    /// `weights` (a weight for each element, or for each place along the axes, none of them negative) the method is
    /// [`QuantileMethod::InvertedCdf`].
    ///
    /// - **Shapes**: `(m, n), (q…) → (q…, n)` over axis 0.
    /// - **Dtypes**: real numbers; floats keep theirs, bool and integers give float64.
    /// - **Errors**: a `q` outside of 0 to 1, complex numbers, no elements, an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::{Array, Device, QuantileMethod, over};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[4.0, 1.0, 3.0], [5.0, 9.0, 6.0]]);
    /// assert_eq!(a.quantile(0.5, 1).to_vec::<f64>()?, [3.0, 6.0]);
    /// assert_eq!(a.quantile(0.25, ..).item::<f64>()?, 3.25);
    /// assert_eq!(a.quantile(0.25, over(..).method(QuantileMethod::Higher)).item::<f64>()?, 4.0);
    /// let weights = Array::from([1, 1, 8]);
    /// assert_eq!(a.quantile(0.5, over(1).weights(&weights)).to_vec::<f64>()?, [3.0, 6.0]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    quantile / try_quantile (self, q: impl Into<Operand>, axes: impl IntoAxes<QuantileOptions>) -> Array {
        quantiles_of("quantile", self, q.into(), &axes.into_axes(), false)
    }

    /// Returns the `q`-th quantile of the elements that are not NaN, as `np.nanquantile`.
    ///
    /// - **Shapes**: `(m, n), (q…) → (q…, n)` over axis 0.
    /// - **Dtypes**: as [`Array::quantile`](crate::Array::quantile).
    /// - **Errors**: those of [`Array::quantile`](crate::Array::quantile).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, f64::NAN, 3.0]).nanquantile(0.5, ..).to_string(), "2.0");
    /// ```
    nanquantile / try_nanquantile (self, q: impl Into<Operand>, axes: impl IntoAxes<QuantileOptions>) -> Array {
        quantiles_of("nanquantile", self, q.into(), &axes.into_axes(), true)
    }

    /// Returns the `q`-th percentile of the elements over axes, as `np.percentile`: the quantile of `q / 100`.
    ///
    /// - **Shapes**: `(m, n), (q…) → (q…, n)` over axis 0.
    /// - **Dtypes**: as [`Array::quantile`](crate::Array::quantile).
    /// - **Errors**: a `q` outside of 0 to 100, and those of [`Array::quantile`](crate::Array::quantile).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2, 3, 4]).percentile(50, ..).to_string(), "2.5");
    /// ```
    percentile / try_percentile (self, q: impl Into<Operand>, axes: impl IntoAxes<QuantileOptions>) -> Array {
        percentiles_of("percentile", self, q.into(), &axes.into_axes(), false)
    }

    /// Returns the `q`-th percentile of the elements that are not NaN, as `np.nanpercentile`.
    ///
    /// - **Shapes**: `(m, n), (q…) → (q…, n)` over axis 0.
    /// - **Dtypes**: as [`Array::quantile`](crate::Array::quantile).
    /// - **Errors**: a `q` outside of 0 to 100, and those of [`Array::quantile`](crate::Array::quantile).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, f64::NAN, 3.0]).nanpercentile(100, ..).to_string(), "3.0");
    /// ```
    nanpercentile / try_nanpercentile (self, q: impl Into<Operand>, axes: impl IntoAxes<QuantileOptions>) -> Array {
        percentiles_of("nanpercentile", self, q.into(), &axes.into_axes(), true)
    }

    /// Returns the median over axes, as `np.median`; NaN of a row that holds a NaN or nothing.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: real numbers; floats keep theirs, bool and integers give float64.
    /// - **Errors**: an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([3, 1, 2, 10]).median(..).to_string(), "2.5");
    /// ```
    median / try_median (self, axes: impl IntoAxes<KeepOptions>) -> Array {
        medians_of("median", self, &axes.into_axes(), false)
    }

    /// Returns the median of the elements that are not NaN, as `np.nanmedian`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: real numbers; floats keep theirs, bool and integers give float64.
    /// - **Errors**: an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([3.0, f64::NAN, 1.0]).nanmedian(..).to_string(), "2.0");
    /// ```
    nanmedian / try_nanmedian (self, axes: impl IntoAxes<KeepOptions>) -> Array {
        medians_of("nanmedian", self, &axes.into_axes(), true)
    }
}

/// The rows of a quantile along a last axis, and which axes they were made of.
pub(in crate::array) struct QuantileRows {
    as_they_are: Array,
    sorted: OnceCell<Array>,
    axes: Vec<usize>,
    length: usize,
    /// How many elements of each row are no NaN (I64, with a last axis of 1), where that matters.
    valid: Option<Array>,
}

impl QuantileRows {
    fn of(op: &'static str, array: &Array, options: &AxisOptions, skip_nan: bool) -> Result<Self> {
        let axes = options.reduced_axes(op, array.ndim(), false)?.to_vec();
        let as_they_are = Self::laid(op, array, options)?;
        let length = as_they_are.shape().last().copied().unwrap_or(1);
        let mut rows = Self { as_they_are, sorted: OnceCell::new(), axes, length, valid: None };
        if skip_nan && rows.have_nans() {
            let counted = rows.sorted()?.try_isnan()?.try_logical_not()?;
            rows.valid = Some(counted.try_sum(crate::over(-1).keepdims())?);
        }
        Ok(rows)
    }

    /// The reduced axes as one, the last.
    pub(in crate::array) fn laid(
        op: &'static str,
        array: &Array,
        options: &AxisOptions,
    ) -> Result<Array> {
        let axes = options.reduced_axes(op, array.ndim(), false)?.to_vec();
        let last: Vec<isize> = (0..axes.len()).map(|k| k as isize - axes.len() as isize).collect();
        let source: Vec<isize> = axes.iter().map(|&axis| axis as isize).collect();
        let moved = array.try_moveaxis(source.as_slice(), last.as_slice())?;
        let (outer, row) = moved.shape().split_at(array.ndim() - axes.len());
        let length: usize = row.iter().product();
        let shape: Vec<isize> =
            outer.iter().chain([&length]).map(|&extent| extent as isize).collect();
        moved.try_reshape(shape.as_slice())
    }

    pub(in crate::array) fn as_they_are(&self) -> &Array {
        &self.as_they_are
    }

    pub(in crate::array) fn valid(&self) -> Option<&Array> {
        self.valid.as_ref()
    }

    pub(in crate::array) fn length(&self) -> usize {
        self.length
    }

    fn have_nans(&self) -> bool {
        matches!(self.as_they_are.dtype().kind(), Kind::Float | Kind::Complex)
    }

    pub(in crate::array) fn sorted(&self) -> Result<&Array> {
        if let Some(sorted) = self.sorted.get() {
            return Ok(sorted);
        }
        let sorted = self.as_they_are.try_sort(-1)?;
        Ok(self.sorted.get_or_init(|| sorted))
    }

    /// The elements at places of the sorted rows: of each row, or (a single axis) the same of all.
    fn at(&self, places: &Array) -> Result<Array> {
        if self.valid.is_some() {
            return self.sorted()?.try_take_along_axis(places, -1);
        }
        match self.without_a_sort(places)? {
            Some(found) => Ok(found),
            None => self.sorted()?.try_take(places, -1),
        }
    }

    /// The elements at places of a long row that is not sorted yet, if a sample finds them.
    fn without_a_sort(&self, places: &Array) -> Result<Option<Array>> {
        match self.sorted.get() {
            Some(_) => Ok(None),
            None => sample_select::elements(&self.as_they_are, places),
        }
    }

    /// The elements at places `first .. end` of each sorted row.
    fn between(&self, first: isize, end: isize) -> Result<Array> {
        let _guard = self.as_they_are.device().enter();
        let places = crate::array::try_arange(Arange::of(first, end, 1, Some(DType::I64)))?;
        match self.without_a_sort(&places)? {
            Some(found) => Ok(found),
            None => self.sorted()?.try_i((crate::array::Ellipsis, crate::Index::from(first..end))),
        }
    }

    /// The quantiles `flat` (1-d) by a method, one after another along the last axis.
    fn by_method(&self, flat: &Array, weak: bool, method: QuantileMethod) -> Result<Array> {
        let count = match &self.valid {
            Some(valid) => Operand::from(valid),
            None => Operand::from(self.length as i64),
        };
        // Places of integers among integers are integers in NumPy, and so no share is left between two.
        let exact = !weak
            && matches!(flat.dtype().kind(), Kind::Bool | Kind::Int)
            && self.as_they_are.dtype().is_int();
        let interpolates = matches!(
            method,
            QuantileMethod::AveragedInvertedCdf
                | QuantileMethod::InterpolatedInvertedCdf
                | QuantileMethod::Weibull
        );
        if exact && interpolates {
            // NumPy interpolates by that share of nothing all the same, in the dtype of both.
            let share = if flat.dtype() == DType::Bool { DType::I64 } else { flat.dtype() };
            let found = self.by_method(flat, weak, QuantileMethod::Linear)?;
            return found.try_astype(DType::promote(found.dtype(), share));
        }
        let place = quantile_method::place(method, &count, flat)?;
        match place.share {
            None => self.at(&place.before),
            Some((after, share)) => {
                let both =
                    self.at(&crate::array::try_concatenate(&[&place.before, &after], -1)?)?;
                let count = place.before.shape().last().map_or(1, |&count| count as isize);
                let before = both.try_i((crate::array::Ellipsis, crate::Index::from(..count)))?;
                let after = both.try_i((crate::array::Ellipsis, crate::Index::from(count..)))?;
                let share = match (weak, before.dtype().is_float()) {
                    (true, true) => share.try_astype(before.dtype())?,
                    (true, false) | (false, _) => share,
                };
                let step = after.try_subtract(&before)?;
                let near = before.try_add(step.try_multiply(&share)?)?;
                let rest = share.try_negative()?.try_add(1)?;
                let far = after.try_subtract(step.try_multiply(rest)?)?;
                crate::elementwise::try_where(share.try_greater_equal(0.5)?, far, near)
            }
        }
    }

    /// Medians, but for rows of nothing but complex NaN: of an array that is one row NumPy returns the last element as
    /// it is, of others NaN as the real part.
    fn nothing_but_nan(&self, array: &Array, valid: &Array, medians: Array) -> Result<Array> {
        let lost = match self.axes.len() == array.ndim() {
            true => self.as_they_are.try_i((crate::array::Ellipsis, -1isize))?,
            false => medians.try_full_like(Scalar::typed(array.dtype(), f64::NAN))?,
        };
        crate::elementwise::try_where(valid.try_equal(0)?.try_squeeze(-1)?, lost, medians)
    }

    /// `results`, but NaN for rows that hold one, which is then their last element.
    fn spoiled(&self, results: Array) -> Result<Array> {
        // Without sorted rows there was no NaN.
        let Some(sorted) = self.sorted.get() else { return Ok(results) };
        if !self.have_nans() || self.valid.is_some() {
            return Ok(results);
        }
        let last = sorted.try_i((crate::array::Ellipsis, -1isize, crate::array::NewAxis))?;
        crate::elementwise::try_where(
            last.try_isnan()?,
            last.try_astype(results.dtype())?,
            &results,
        )
    }
}

fn percentiles_of(
    op: &'static str,
    array: &Array,
    q: Operand,
    options: &AxisOptions,
    skip_nan: bool,
) -> Result<Array> {
    let weak = is_weak(&q);
    let _guard = array.device().enter();
    // A hundred is weak: floats stay what they are.
    let share = as_array(q)?.try_divide(100)?;
    run(op, array, &share, weak, options, skip_nan)
}

fn quantiles_of(
    op: &'static str,
    array: &Array,
    q: Operand,
    options: &AxisOptions,
    skip_nan: bool,
) -> Result<Array> {
    let weak = is_weak(&q);
    let _guard = array.device().enter();
    run(op, array, &as_array(q)?, weak, options, skip_nan)
}

/// A plain number, but no boolean: the result has the dtype that the array alone gives.
fn is_weak(q: &Operand) -> bool {
    matches!(q, Operand::Scalar(scalar) if scalar.dtype().is_none() && scalar.kind() != Kind::Bool)
}

/// Numbers in dtypes of their own.
fn as_array(q: Operand) -> Result<Array> {
    match q {
        Operand::Array(q) => Ok(q),
        Operand::Scalar(q) => crate::array::try_full((), q, q.natural_dtype()),
    }
}

fn run(
    op: &'static str,
    array: &Array,
    q: &Array,
    weak: bool,
    options: &AxisOptions,
    skip_nan: bool,
) -> Result<Array> {
    if array.dtype().is_complex() || q.dtype().is_complex() {
        let dtypes = format!("{} and a share of {}", array.dtype(), q.dtype());
        return Err(Error::DTypes { op, dtypes, remedy: "use real numbers" });
    }
    let wrong =
        |reason: &str| Error::ArgumentValue { op: op.to_string(), reason: reason.to_string() };
    if q.ndim() > 2 {
        return Err(wrong("q has more than two dimensions"));
    }
    let inside = q.try_greater_equal(0)?.try_logical_and(q.try_less_equal(1)?)?;
    if !inside.try_all(..)?.item::<bool>()? {
        return Err(wrong("a quantile is a share from 0 to 1, a percentile from 0 to 100"));
    }
    let method = options.given_method().unwrap_or_default();
    let weights = match options.given_weights() {
        Some(weights) => {
            if !matches!(options.given_method(), None | Some(QuantileMethod::InvertedCdf)) {
                return Err(wrong("weights go with the method \"inverted_cdf\" only"));
            }
            Some(quantile_weights::broadcast_weights(op, array, weights, options)?)
        }
        None => None,
    };
    if skip_nan && array.size() == 0 {
        return array.try_mean(options.geometry());
    }
    let rows = QuantileRows::of(op, array, options, skip_nan)?;
    if rows.length == 0 {
        return Err(Error::Index { op, index: -1, axis: 0, size: 0 });
    }
    let flat = q.try_ravel()?;
    let results = match &weights {
        None => rows.by_method(&flat, weak, method)?,
        Some(weights) => quantile_weights::elements(op, &rows, weights, &flat, options)?,
    };
    // The quantiles' axis goes to the front and becomes the axes of `q`.
    let results = rows.spoiled(results)?.try_moveaxis(-1, 0)?;
    let shape: Shape = q.shape().iter().chain(&results.shape()[1..]).copied().collect();
    let shape: Vec<isize> = shape.iter().map(|&extent| extent as isize).collect();
    let axes: Vec<usize> = rows.axes.iter().map(|axis| axis + q.ndim()).collect();
    options.expanded(results.try_reshape(shape.as_slice())?, &axes)
}

fn medians_of(
    op: &'static str,
    array: &Array,
    options: &AxisOptions,
    skip_nan: bool,
) -> Result<Array> {
    let rows = QuantileRows::of(op, array, options, skip_nan)?;
    if rows.length == 0 {
        return array.try_mean(options.geometry());
    }
    let length = rows.length as isize;
    let middle = match &rows.valid {
        None => rows.between((length - 1) / 2, length / 2 + 1)?.try_mean(-1)?,
        Some(valid) => {
            // Without any, the last element, which is replaced below.
            let low = valid.try_subtract(1)?.try_floor_divide(2)?;
            let (low, high) = (
                rows.at(&low)?,
                rows.at(&valid.try_floor_divide(2)?.try_minimum(length as i64 - 1)?)?,
            );
            let mean = crate::array::try_concatenate(&[&low, &high], -1)?.try_mean(-1)?;
            let odd = valid.try_remainder(2)?.try_equal(1)?.try_squeeze(-1)?;
            let middle = crate::elementwise::try_where(odd, low.try_squeeze(-1)?, mean)?;
            match array.dtype().is_complex() {
                true => rows.nothing_but_nan(array, valid, middle)?,
                false => middle,
            }
        }
    };
    let results = rows.spoiled(middle.try_expand_dims(-1)?)?.try_squeeze(-1)?;
    options.expanded(results, &rows.axes)
}
