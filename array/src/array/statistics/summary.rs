//! Summaries made of reductions: counts, spans, weighted averages, areas under samples.

use smallvec::SmallVec;

use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxes, IntoAxis};
use crate::array::Array;
use crate::declare::array_functions;
use crate::elementwise::elementwise;
use crate::graph::Operand;
use ndany_core::ops::reductions::{self as table, ReductionDef};
use ndany_core::ops::rows;
use ndany_core::shape::{self, axis_index};
use ndany_core::{DType, Error, Kind, Result};

array_functions! {
    checked summaries, free free_summaries;

    /// Counts the elements that are different from zero, as `np.count_nonzero`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: any; the result is int64.
    /// - **Errors**: an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[0, 1], [2, 3]]).count_nonzero(0).to_string(), "[1 2]");
    /// ```
    count_nonzero / try_count_nonzero (self, axes: impl IntoAxes<KeepOptions>) -> Array {
        self.try_astype(DType::Bool)?.reduce(&table::SUM, axes.into_axes())
    }

    /// Returns the largest element less the smallest, as `np.ptp`; integers wrap, NaN wins.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: numbers; the result has the same.
    /// - **Errors**: bool, an axis out of range or given twice, no elements.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[1, 5], [3, 2]]).ptp(1).to_string(), "[4 1]");
    /// ```
    ptp / try_ptp (self, axes: impl IntoAxes<KeepOptions>) -> Array {
        let options = axes.into_axes();
        let (high, low) = (self.reduce(&table::MAX, options.clone())?, self.reduce(&table::MIN, options)?);
        high.try_subtract(low)
    }

    /// Returns the average over axes, weighted by the option `weights`, as `np.average`.
    ///
    /// Weights have the array's shape, or that of the axes averaged over, in their order.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0, `()` over `..`.
    /// - **Dtypes**: bool and integers give float64; with weights both promote.
    /// - **Errors**: an axis out of range or given twice, weights of another shape; weights that add up to zero fail the
    ///   result (ZeroDivisionError).
    ///
    /// ```
    /// use ndany::{Array, Device, over};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([1.0, 2.0, 4.0]);
    /// assert_eq!(a.average(over(..).weights(&Array::from([3, 0, 1]))).item::<f64>()?, 1.75);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    average / try_average (self, axes: impl IntoAxes<AverageOptions>) -> Array {
        Ok(self.average_and_weights(&axes.into_axes())?.0)
    }

    /// Integrates samples along an axis by the trapezoidal rule, as `np.trapezoid`.
    ///
    /// `x` is the distance of neighbours, or an array of the samples' positions: one axis for all, or one position an element.
    ///
    /// - **Shapes**: `(…, n) → (…)`.
    /// - **Dtypes**: bool and integers give float64; floats and complex numbers promote with `x`.
    /// - **Errors**: an axis out of range, positions that do not fit.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let y = Array::from([1.0, 2.0, 3.0]);
    /// assert_eq!(y.trapezoid(2, ..).item::<f64>()?, 8.0);
    /// assert_eq!(y.trapezoid(Array::from([4.0, 6.0, 10.0]), ..).item::<f64>()?, 13.0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    trapezoid / try_trapezoid (self, x: impl Into<Operand>, axis: impl IntoAxis<LastAxis>) -> Array {
        let axis = axis.into_axis().one("trapezoid")?;
        let axis = axis_index("trapezoid", axis, self.ndim())?;
        let distances = match x.into() {
            Operand::Array(x) if x.ndim() == 1 => {
                let mut shape: SmallVec<[isize; 4]> = SmallVec::from_elem(1, self.ndim());
                shape[axis] = -1;
                let distances = x.try_diff(..)?;
                Operand::Array(distances.try_reshape(shape.as_slice())?)
            }
            Operand::Array(x) => {
                let axis = axis_index("trapezoid", axis as isize, x.ndim())?;
                Operand::Array(x.try_diff(AxisOptions::from(Some(axis as isize)))?)
            }
            number => number,
        };
        trapezoid(self, distances, axis)
    }
}

/// The sum of `distances * (y[1:] + y[:-1]) / 2` along an axis.
#[track_caller]
pub(crate) fn trapezoid(y: &Array, distances: Operand, axis: usize) -> Result<Array> {
    let heights = y.past_first(axis)?.try_add(y.before_last(axis)?)?;
    let areas = elementwise(&rows::multiply, &mut [distances, heights.into()])?.try_divide(2.0)?;
    areas.try_sum(axis)
}

impl Array {
    /// Without the first element of an axis.
    fn past_first(&self, axis: usize) -> Result<Array> {
        self.part(axis, Some(1), None)
    }

    /// Without the last element of an axis.
    fn before_last(&self, axis: usize) -> Result<Array> {
        self.part(axis, None, Some(-1))
    }

    fn part(&self, axis: usize, start: Option<isize>, stop: Option<isize>) -> Result<Array> {
        let mut items: SmallVec<[crate::array::Index; 4]> =
            (0..axis).map(|_| crate::array::Index::from(..)).collect();
        items.push(crate::array::Index::Slice { start, stop, step: 1 });
        self.try_i(items.as_slice())
    }

    /// The average along axes and the sum of the weights, as `np.average` with `returned=True`.
    #[track_caller]
    pub(crate) fn average_and_weights(&self, options: &AxisOptions) -> Result<(Array, Array)> {
        const OP: &str = "average";
        let plain = options.geometry();
        let Some(weights) = options.given_weights() else {
            let average = self.reduce(&table::MEAN, plain)?;
            // NumPy divides the one number by the other.
            if average.size() == 0 {
                return Err(Error::ZeroWeights { op: OP });
            }
            let count = self.size() as f64 / average.size() as f64;
            let _guard = self.device().enter();
            let counts = crate::array::try_full(average.shape(), count, average.dtype())?;
            return Ok((average, counts));
        };
        let weights = options.broadcast_weights(OP, self, weights)?;
        let common = DType::promote(self.dtype(), weights.dtype());
        let dtype = match self.dtype().kind() {
            Kind::Bool | Kind::Int => DType::promote(common, DType::F64),
            Kind::Float | Kind::Complex => common,
        };
        let weights = weights.try_astype(dtype)?;
        let total = weights.reduce(&table::SUM, plain.clone())?;
        let none = total.try_equal(0)?.try_any(..)?.item::<bool>()?;
        let sum = self.try_astype(dtype)?.try_multiply(&weights)?.reduce(&table::SUM, plain)?;
        let average = sum.try_divide(&total)?;
        let total = total.try_broadcast_to(average.shape())?;
        if none {
            let failed = |array: Array| array.with_error(OP, Error::ZeroWeights { op: OP });
            return Ok((failed(average), failed(total)));
        }
        Ok((average, total))
    }
}

impl Array {
    /// A variance or standard deviation about the mean that the options give.
    #[track_caller]
    pub(in crate::array) fn moment_about(
        &self,
        row: &'static dyn ReductionDef,
        options: &AxisOptions,
    ) -> Result<Array> {
        let (facts, op) = (row.facts(), row.name());
        let own = row.dtypes(self.dtype(), None)?.input;
        let mean = match options.given_mean() {
            Some(Operand::Array(mean)) => mean,
            // A number takes the dtype of the elements.
            Some(Operand::Scalar(mean)) => {
                let _guard = self.device().enter();
                crate::array::try_full((), mean, mean.promote_with(own))?
            }
            None => unreachable!("asked for with a mean"),
        };
        let dtypes = row.dtypes(DType::promote(own, mean.dtype()), options.dtype)?;
        let mean = mean.try_astype(dtypes.input)?;
        let distances = self.try_astype(dtypes.input)?.try_subtract(&mean)?;
        if distances.shape() != self.shape() {
            let (left, right) = (self.shape().into(), mean.shape().into());
            return Err(Error::Broadcast { op, left, right });
        }
        let (squares, correction) = (squares(&distances)?, options.ddof.unwrap_or(0.0));
        let (degrees, total) = match options.mask_of(op, self)? {
            Some(mask) => {
                let count =
                    mask.reduce(&table::SUM, options.geometry())?.try_astype(dtypes.output)?;
                let degrees = count.try_subtract(correction)?.try_maximum(0)?;
                let total = squares.reduce(&table::SUM, options.geometry().where_(&mask))?;
                (Operand::Array(degrees), total)
            }
            None => {
                let axes = options.reduced_axes(op, self.ndim(), facts.takes_axis_of_scalar)?;
                let count: usize = axes.iter().map(|&axis| self.shape()[axis]).product();
                let degrees = (count as f64 - correction).max(0.0);
                (Operand::from(degrees), squares.reduce(&table::SUM, options.geometry())?)
            }
        };
        let variance = total.try_divide(degrees)?;
        match facts.then {
            Some(then) => elementwise(then, &mut [variance.into()]),
            None => Ok(variance),
        }
    }
}

impl AxisOptions {
    /// Weights of the shape of an array, or of its averaged axes, as a view that broadcasts to the array.
    pub(in crate::array) fn broadcast_weights(
        &self,
        op: &'static str,
        array: &Array,
        weights: &Array,
    ) -> Result<Array> {
        if weights.shape() == array.shape() {
            return Ok(weights.clone());
        }
        let Some(axes) = self.axes_in_order(op, array.ndim())? else {
            let reason = "weights of another shape need an axis".to_string();
            return Err(Error::Arguments { op: op.to_string(), reason });
        };
        let wanted: SmallVec<[usize; 4]> = axes.iter().map(|&axis| array.shape()[axis]).collect();
        if wanted.as_slice() != weights.shape() {
            let expected = shape::Shape::from_slice(&wanted);
            let expected = format!("weights of shape {:?}", expected.as_slice());
            return Err(Error::Shape { op, expected, got: weights.shape().into() });
        }
        let mut order: SmallVec<[isize; 4]> = (0..axes.len() as isize).collect();
        order.sort_by_key(|&position| axes[position as usize]);
        let extents: SmallVec<[usize; 4]> = (0..array.ndim())
            .map(|axis| if axes.contains(&axis) { array.shape()[axis] } else { 1 })
            .collect();
        weights.try_transpose(order.as_slice())?.try_reshape(extents.as_slice())
    }
}

/// `|x|²`, without a root on the way.
pub(crate) fn squares(x: &Array) -> Result<Array> {
    match x.dtype().is_complex() {
        true => x.try_conjugate()?.try_multiply(x)?.try_real(),
        false => x.try_square(),
    }
}
