//! Summaries made of reductions: counts, spans, weighted averages, areas under samples.

use smallvec::SmallVec;

use super::Array;
use super::norm::squares;
use super::reduce::Over;
use crate::declare::array_functions;
use crate::dtype::{DType, Kind};
use crate::error::{Error, Result};
use crate::graph::{Operand, elementwise};
use crate::ops::reductions::{self as table, Reduce, ReductionRow};
use crate::ops::rows;
use crate::shape::{self, axis_index};

array_functions! {
    checked summaries;

    /// How many elements are different from zero, as `np.count_nonzero`.
    count_nonzero / try_count_nonzero (self, over: impl Into<Over>) -> Array {
        let over = over.into();
        over.only_axes("count_nonzero")?;
        self.try_astype(DType::Bool)?.reduce(&table::SUM, over)
    }

    /// The largest element less the smallest, as `np.ptp`; integers wrap, NaN wins.
    ptp / try_ptp (self, over: impl Into<Over>) -> Array {
        let over = over.into();
        over.only_axes("ptp")?;
        let (high, low) = (self.reduce(&table::MAX, over.clone())?, self.reduce(&table::MIN, over)?);
        high.try_subtract(low)
    }

    /// The area under samples along an axis by the rule of trapezoids, as `np.trapezoid`. `x` is the
    /// distance of neighbours, or an array of the places of the samples: one axis for all, or one place an
    /// element.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let y = Array::from([1.0, 2.0, 3.0]);
    /// assert_eq!(y.trapezoid(2, -1).item::<f64>()?, 8.0);
    /// assert_eq!(y.trapezoid(Array::from([4.0, 6.0, 10.0]), -1).item::<f64>()?, 13.0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    trapezoid / try_trapezoid (self, x: impl Into<Operand>, axis: isize) -> Array {
        let axis = axis_index("trapezoid", axis, self.ndim())?;
        let distances = match x.into() {
            Operand::Array(x) if x.ndim() == 1 => {
                let mut shape: SmallVec<[isize; 4]> = SmallVec::from_elem(1, self.ndim());
                shape[axis] = -1;
                let distances = x.try_diff(1, 0)?;
                Operand::Array(distances.try_reshape(shape.as_slice())?)
            }
            Operand::Array(x) => {
                let axis = axis_index("trapezoid", axis as isize, x.ndim())?;
                Operand::Array(x.try_diff(1, axis as isize)?)
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
        let mut items: SmallVec<[super::Index; 4]> =
            (0..axis).map(|_| super::Index::from(..)).collect();
        items.push(super::Index::Slice { start, stop, step: 1 });
        self.try_i(items.as_slice())
    }

    /// The average along axes, weighted or plain, and the sum of the weights, as `np.average` with
    /// `returned=True`. Weights have the array's shape, or that of the axes averaged over, in their order.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([1.0, 2.0, 4.0]);
    /// let (average, weights) = a.average(.., Some(&Array::from([3, 0, 1])))?;
    /// assert_eq!((average.item::<f64>()?, weights.item::<f64>()?), (1.75, 4.0));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Errors
    /// Weights of another shape; weights that add up to zero; an axis that the array has not; what failed
    /// on the way.
    #[track_caller]
    pub fn average(
        &self,
        over: impl Into<Over>,
        weights: Option<&Array>,
    ) -> Result<(Array, Array)> {
        const OP: &str = "average";
        let over = over.into();
        over.only_axes(OP)?;
        let Some(weights) = weights else {
            let average = self.reduce(&table::MEAN, over)?;
            // NumPy divides the one number by the other.
            if average.size() == 0 {
                return Err(Error::ZeroWeights { op: OP });
            }
            let count = self.size() as f64 / average.size() as f64;
            let _guard = self.device().enter();
            let counts = super::try_full(average.shape(), count, average.dtype())?;
            return Ok((average, counts));
        };
        let weights = over.spread_weights(OP, self, weights)?;
        let common = DType::promote(self.dtype(), weights.dtype());
        let dtype = match self.dtype().kind() {
            Kind::Bool | Kind::Int => DType::promote(common, DType::F64),
            Kind::Float | Kind::Complex => common,
        };
        let weights = weights.try_astype(dtype)?;
        let total = weights.reduce(&table::SUM, over.clone())?;
        if total.try_equal(0)?.try_any(..)?.item::<bool>()? {
            return Err(Error::ZeroWeights { op: OP });
        }
        let sum = self.try_astype(dtype)?.try_multiply(&weights)?.reduce(&table::SUM, over)?;
        let average = sum.try_divide(&total)?;
        let total = total.try_broadcast_to(average.shape())?;
        Ok((average, total))
    }
}

impl Array {
    /// A variance or standard deviation about the mean that the options give.
    #[track_caller]
    pub(super) fn spread_about(&self, row: &ReductionRow, over: &Over) -> Result<Array> {
        let Some(mean) = over.given_mean() else { unreachable!("asked for with a mean") };
        let own = row.dtypes(self.dtype(), None)?.input;
        let dtypes = row.dtypes(DType::promote(own, mean.dtype()), over.asked_dtype())?;
        let mean = mean.try_astype(dtypes.input)?;
        let distances = self.try_astype(dtypes.input)?.try_subtract(&mean)?;
        if distances.shape() != self.shape() {
            let (left, right) = (self.shape().into(), mean.shape().into());
            return Err(Error::Broadcast { op: row.name, left, right });
        }
        let (squares, correction) = (squares(&distances)?, over.correction_value());
        let (degrees, total) = match over.mask_of(row.name, self)? {
            Some(mask) => {
                let count = mask.reduce(&table::SUM, over.geometry())?.try_astype(dtypes.output)?;
                let degrees = count.try_subtract(correction)?.try_maximum(0)?;
                let total = squares.reduce(&table::SUM, over.geometry().where_(&mask))?;
                (Operand::Array(degrees), total)
            }
            None => {
                let axes = over.reduced_axes(row.name, self.ndim(), row.kind)?;
                let count: usize = axes.iter().map(|&axis| self.shape()[axis]).product();
                let degrees = (count as f64 - correction).max(0.0);
                (Operand::from(degrees), squares.reduce(&table::SUM, over.geometry())?)
            }
        };
        let variance = total.try_divide(degrees)?;
        if row.kind == Reduce::Std { variance.try_sqrt() } else { Ok(variance) }
    }
}

impl Over {
    /// Weights of the shape of an array, or of its averaged axes, as a view that broadcasts to the array.
    pub(super) fn spread_weights(
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
