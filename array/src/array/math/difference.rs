//! Differences along an axis: `diff`, `ediff1d`, `gradient`.
//!
//! Compositions of views and elementwise operations, lazy as those are; nothing here touches a device.

use crate::arguments::Arrays;
use crate::arguments::options::*;
use crate::arguments::{IntoAxes, IntoAxis};
use crate::array::{Array, try_concatenate};
use crate::declare::array_functions;
use crate::elementwise::checked_binary::{
    add as try_add, divide as try_divide, multiply as try_multiply,
};
use crate::graph::Operand;
use crate::scalar::Scalar;
use ndany_core::shape::{Shape, axis_index, axis_indices};
use ndany_core::{DType, Error, Kind, Result};

/// How far apart the samples of an axis lie.
#[derive(Clone, Debug)]
pub enum Spacing {
    /// All equally far.
    Step(f64),
    /// All equally far, by a 0-d array, or at these coordinates, by a 1-d one.
    Array(Array),
}

impl From<f64> for Spacing {
    fn from(step: f64) -> Self {
        Spacing::Step(step)
    }
}
impl From<&Array> for Spacing {
    fn from(coordinates: &Array) -> Self {
        Spacing::Array(coordinates.clone())
    }
}

/// The distances of the samples of each axis: `..` for 1, one number or array for all axes or the only one, or a list.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how far apart samples are",
    label = "expected `..`, a number, an array of coordinates, or `&[Spacing::from(…), …]` with one for each axis"
)]
pub trait IntoSpacings {
    /// The list.
    #[doc(hidden)]
    fn spacings(self) -> Vec<Spacing>;
}
impl IntoSpacings for std::ops::RangeFull {
    fn spacings(self) -> Vec<Spacing> {
        Vec::new()
    }
}
impl IntoSpacings for &[Spacing] {
    fn spacings(self) -> Vec<Spacing> {
        self.to_vec()
    }
}
impl<const N: usize> IntoSpacings for &[Spacing; N] {
    fn spacings(self) -> Vec<Spacing> {
        self.to_vec()
    }
}
macro_rules! one_spacing {
    ($($ty:ty, $spacing:ident => $to:expr;)+) => {$(
        impl IntoSpacings for $ty {
            fn spacings(self) -> Vec<Spacing> {
                let $spacing = self;
                vec![$to]
            }
        }
    )+};
}
one_spacing! {
    f64, step => step.into();
    f32, step => f64::from(step).into();
    i32, step => f64::from(step).into();
    &Array, coordinates => coordinates.into();
    Array, coordinates => Spacing::Array(coordinates);
    Spacing, spacing => spacing;
}

array_functions! {
    checked differences, free free_differences;

    /// Returns the differences of neighbours along an axis, the last one for `..`, as `np.diff`.
    ///
    /// The option `n` says how often they are taken; `prepend` and `append` put values at the ends first: arrays of the same shape
    /// but for the axis, or single numbers.
    ///
    /// - **Shapes**: `(…, m) → (…, m - n)`.
    /// - **Dtypes**: any; the result has the same (bool tests whether neighbours differ).
    /// - **Errors**: a 0-d array, an axis out of range, a negative `n`, values whose shapes do not fit.
    ///
    /// ```
    /// use ndany::{Array, Device, along};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([1, 2, 4, 7, 0]);
    /// assert_eq!(a.diff(..).to_vec::<i32>()?, [1, 2, 3, -7]);
    /// assert_eq!(a.diff(along(-1).n(2)).to_vec::<i32>()?, [1, 1, -10]);
    /// assert_eq!(a.diff(along(0).prepend(0)).to_vec::<i32>()?, [1, 1, 2, 3, -7]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    diff / try_diff (self, axis: impl IntoAxis<DifferenceOptions>) -> Array {
        const OP: &str = "diff";
        let options = axis.into_axis();
        let times = match options.given_n().as_deref() {
            None => 1,
            Some(&[times]) if times >= 0 => times,
            Some(times) => {
                let reason = format!("n is an integer that is not negative, got {times:?}");
                return Err(Error::ArgumentValue { op: OP.to_string(), reason });
            }
        };
        let (prepend, append) = (options.given_prepend(), options.given_append());
        if times == 0 {
            return Ok(self.clone());
        }
        if self.ndim() == 0 {
            let expected = "at least one dimension".to_string();
            return Err(Error::Shape { op: OP, expected, got: self.shape().into() });
        }
        let axis = axis_index(OP, options.one(OP)?, self.ndim())?;
        let mut array = self.clone();
        if prepend.is_some() || append.is_some() {
            let end = |values: Option<Operand>| values.map(|values| end(self, axis, values)).transpose();
            let (first, last) = (end(prepend)?, end(append)?);
            let pieces: Vec<&Array> = first.iter().chain([self]).chain(&last).collect();
            array = try_concatenate(&pieces, axis as isize)?;
        }
        for _ in 0..times {
            let count = array.shape()[axis];
            // Nothing has no differences but nothing: further ones are this array.
            if count == 0 {
                break;
            }
            let (later, earlier) = (part(&array, axis, 1, count)?, part(&array, axis, 0, count.saturating_sub(1))?);
            array = match array.dtype() {
                DType::Bool => later.try_not_equal(earlier)?,
                _ => later.try_subtract(earlier)?,
            };
        }
        Ok(array)
    }

    /// Returns the differences of neighbours in C order, between two lists of values, as `np.ediff1d`.
    ///
    /// - **Shapes**: `(…) → (begin + size - 1 + end,)`.
    /// - **Dtypes**: numbers; the result has the array's.
    /// - **Errors**: values that the array's dtype cannot hold, bool.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 4, 9]).ediff1d(None, None).to_string(), "[3 5]");
    /// ```
    ediff1d / try_ediff1d (self, to_end: Option<Operand>, to_begin: Option<Operand>) -> Array {
        const OP: &str = "ediff1d";
        let flat = self.try_ravel()?;
        let count = flat.size();
        let differences = part(&flat, 0, 1, count)?.try_subtract(part(&flat, 0, 0, count.saturating_sub(1))?)?;
        let end = |values: Option<Operand>| -> Result<Option<Array>> {
            let Some(values) = values else { return Ok(None) };
            let values = match values {
                Operand::Array(values) => values,
                Operand::Scalar(scalar) => {
                    let _guard = self.device().enter();
                    crate::array::try_full(1, scalar, scalar.promote_with(self.dtype()))?
                }
            };
            if values.dtype().kind() > self.dtype().kind() {
                let dtypes = format!("{} beside {}", values.dtype(), self.dtype());
                return Err(Error::DTypes { op: OP, dtypes, remedy: "convert with astype" });
            }
            values.try_ravel()?.try_astype(self.dtype()).map(Some)
        };
        let (first, last) = (end(to_begin)?, end(to_end)?);
        match (&first, &last) {
            (None, None) => Ok(differences),
            _ => {
                let pieces: Vec<&Array> = first.iter().chain([&differences]).chain(&last).collect();
                try_concatenate(&pieces, 0)
            }
        }
    }

    /// Returns the slopes along each of these axes (`..`: all), as `np.gradient`.
    ///
    /// Differences are central inside and one-sided at the ends, of the order that the option `edge_order` (1 or 2) says.
    /// `spacing` is `..` (distances of 1), one step for all axes, or one step or one array of coordinates for each axis. Coordinates
    /// are computed, since the device tests whether they are equally far apart.
    ///
    /// - **Shapes**: `(m, n) → (m, n), (m, n)`.
    /// - **Dtypes**: bool and integers give float64; floats and complex numbers keep theirs.
    /// - **Errors**: an axis shorter than `edge_order + 1`, numbers of spacings and axes that differ, coordinates of another
    ///   length.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1.0, 2.0, 4.0]).gradient(.., ..)[0].to_string(), "[1.  1.5 2. ]");
    /// assert_eq!(array([1.0, 2.0, 4.0]).gradient(0.5, ..)[0].to_string(), "[2. 3. 4.]");
    /// ```
    gradient / try_gradient (self, spacing: impl IntoSpacings, axes: impl IntoAxes<GradientOptions>) -> Arrays {
        const OP: &str = "gradient";
        let options = axes.into_axes();
        let edge_order = options.given_edge_order().unwrap_or(1);
        let axes: Vec<usize> = match &options.axes {
            None => (0..self.ndim()).collect(),
            Some(axes) => axis_indices(OP, axes, self.ndim())?.to_vec(),
        };
        // To NumPy an order of 0 is the second, too.
        let edge_order = if edge_order == 0 { 2 } else { edge_order };
        if edge_order > 2 {
            let reason = format!("edge_order is 1 or 2, got {edge_order}");
            return Err(Error::ArgumentValue { op: OP.to_string(), reason });
        }
        let spacing = spacing.spacings();
        let steps: Vec<Step> = match spacing.as_slice() {
            [] => vec![Step::Weak(1.0); axes.len()],
            [one] if is_step(one) => {
                let step = Step::new(self, one, 0)?;
                vec![step; axes.len()]
            }
            many if many.len() == axes.len() => {
                let pairs = many.iter().zip(&axes);
                pairs.map(|(spacing, &axis)| Step::new(self, spacing, self.shape()[axis])).collect::<Result<_>>()?
            }
            many => {
                let reason = format!("expected one spacing for each of {} axes, got {}", axes.len(), many.len());
                return Err(Error::Arguments { op: OP.to_string(), reason });
            }
        };
        let (array, dtype) = match self.dtype().kind() {
            Kind::Bool => (self.clone(), DType::F64),
            Kind::Int => (self.try_astype(DType::F64)?, DType::F64),
            Kind::Float | Kind::Complex => (self.clone(), self.dtype()),
        };
        axes.iter().zip(&steps).map(|(&axis, step)| slope(&array, axis, step, edge_order, dtype)).collect()
    }
}

/// Elements `from..to` of an axis.
fn part(array: &Array, axis: usize, from: usize, to: usize) -> Result<Array> {
    use crate::array::Index;
    let whole = Index::from(..);
    let mut items = vec![whole; axis];
    items.push(Index::from(from..to));
    array.try_i(items.as_slice())
}

/// Values before or after an array along an axis.
#[track_caller]
fn end(array: &Array, axis: usize, values: Operand) -> Result<Array> {
    let mut shape = Shape::from_slice(array.shape());
    shape[axis] = 1;
    match values {
        Operand::Array(values) if values.ndim() == 0 => values.try_broadcast_to(shape.as_slice()),
        Operand::Array(values) => Ok(values),
        Operand::Scalar(scalar) => {
            let _guard = array.device().enter();
            let dtype = scalar.dtype().unwrap_or(scalar.promote_with(array.dtype()));
            crate::array::try_full(shape.as_slice(), scalar, dtype)
        }
    }
}

/// The distances of an axis: one for all (weak, or a 0-d array), or each (one dimension).
#[derive(Clone, Debug)]
enum Step {
    Weak(f64),
    One(Array),
    Each(Array),
}

fn is_step(spacing: &Spacing) -> bool {
    match spacing {
        Spacing::Step(_) => true,
        Spacing::Array(array) => array.ndim() == 0,
    }
}

impl Step {
    #[track_caller]
    fn new(array: &Array, spacing: &Spacing, extent: usize) -> Result<Step> {
        let coordinates = match spacing {
            Spacing::Step(step) => return Ok(Step::Weak(*step)),
            Spacing::Array(step) if step.ndim() == 0 => return Ok(Step::One(step.clone())),
            Spacing::Array(coordinates) => coordinates,
        };
        if coordinates.shape() != [extent] {
            let expected = format!("{extent} coordinates in one dimension");
            let got = coordinates.shape().into();
            return Err(Error::Shape { op: "gradient", expected, got });
        }
        let coordinates = match coordinates.dtype().kind() {
            Kind::Int => coordinates.try_astype(DType::F64)?,
            Kind::Bool | Kind::Float | Kind::Complex => coordinates.clone(),
        };
        let distances = coordinates.try_diff(..)?;
        if array.size() == 0 || extent < 2 {
            return Ok(Step::Each(distances));
        }
        let first = distances.try_i(0)?;
        let even = distances.try_equal(&first)?.try_all(..)?.item::<bool>()?;
        Ok(if even { Step::One(first) } else { Step::Each(distances) })
    }

    /// The one distance times (or under) a number.
    fn scaled(&self, factor: f64, under: bool) -> Result<Operand> {
        let weak = |value: f64| Operand::Scalar(Scalar::from(value));
        Ok(match self {
            Step::Weak(step) if under => weak(factor / step),
            Step::Weak(step) => weak(factor * step),
            Step::One(step) if under => try_divide(factor, step)?.into(),
            Step::One(step) => try_multiply(factor, step)?.into(),
            Step::Each(_) => unreachable!("distances that differ are taken one by one"),
        })
    }

    /// The distance at one end.
    fn at(&self, position: isize) -> Result<Operand> {
        match self {
            Step::Weak(step) => Ok(Operand::Scalar(Scalar::from(*step))),
            Step::One(step) => Ok(step.into()),
            Step::Each(steps) => steps.try_i(position).map(Operand::from),
        }
    }
}

/// `a * x + b * y + c * z`.
#[track_caller]
fn weighted(weights: [Operand; 3], values: [Array; 3]) -> Result<Array> {
    let [a, b, c] = weights;
    let [x, y, z] = values;
    try_add(try_add(try_multiply(a, x)?, try_multiply(b, y)?)?, try_multiply(c, z)?)
}

#[track_caller]
fn slope(
    array: &Array,
    axis: usize,
    step: &Step,
    edge_order: usize,
    dtype: DType,
) -> Result<Array> {
    let count = array.shape()[axis];
    if count < edge_order + 1 {
        let expected = format!("at least {} elements along axis {axis}", edge_order + 1);
        return Err(Error::Shape { op: "gradient", expected, got: array.shape().into() });
    }
    // Along the axis, other axes after it.
    let after = array.ndim() - axis - 1;
    let along = |values: Array| -> Result<Operand> {
        let mut shape: Vec<isize> = vec![values.size() as isize];
        shape.extend(std::iter::repeat_n(1, after));
        values.try_reshape(shape.as_slice()).map(Operand::from)
    };
    let at = |from: usize| part(array, axis, from, from + 1);
    let (all, less) = (count.saturating_sub(2), |by: usize| count - by);
    let inner = match step {
        Step::Weak(_) | Step::One(_) => {
            let rise = part(array, axis, 2, count)?.try_subtract(part(array, axis, 0, all)?)?;
            try_divide(rise, step.scaled(2.0, false)?)?
        }
        Step::Each(steps) => {
            let (one, two) = (steps.try_i(..count - 2)?, steps.try_i(1..)?);
            let sum = one.try_add(&two)?;
            let a = two.try_negative()?.try_divide(one.try_multiply(&sum)?)?;
            let b = two.try_subtract(&one)?.try_divide(one.try_multiply(&two)?)?;
            let c = one.try_divide(two.try_multiply(&sum)?)?;
            let values = [
                part(array, axis, 0, all)?,
                part(array, axis, 1, all + 1)?,
                part(array, axis, 2, count)?,
            ];
            weighted([along(a)?, along(b)?, along(c)?], values)?
        }
    };
    let (first, last) = if edge_order == 1 {
        let rise = |later: usize, earlier: usize| at(later)?.try_subtract(at(earlier)?);
        (try_divide(rise(1, 0)?, step.at(0)?)?, try_divide(rise(less(1), less(2))?, step.at(-1)?)?)
    } else {
        let (front, back) = match step {
            Step::Weak(_) | Step::One(_) => (
                [step.scaled(-1.5, true)?, step.scaled(2.0, true)?, step.scaled(-0.5, true)?],
                [step.scaled(0.5, true)?, step.scaled(-2.0, true)?, step.scaled(1.5, true)?],
            ),
            Step::Each(steps) => (front(steps)?, back(steps)?),
        };
        (
            weighted(front, [at(0)?, at(1)?, at(2)?])?,
            weighted(back, [at(less(3))?, at(less(2))?, at(less(1))?])?,
        )
    };
    let pieces = [first, inner, last].map(|piece| piece.try_astype(dtype));
    let [first, inner, last] = pieces;
    try_concatenate(&[&first?, &inner?, &last?], axis as isize)
}

/// Weights of the first three values for a one-sided slope of second order at the first.
#[track_caller]
fn front(steps: &Array) -> Result<[Operand; 3]> {
    let (one, two) = (steps.try_i(0)?, steps.try_i(1)?);
    let sum = one.try_add(&two)?;
    let a = try_add(try_multiply(2.0, &one)?, &two)?.try_negative()?;
    Ok([
        a.try_divide(one.try_multiply(&sum)?)?.into(),
        sum.try_divide(one.try_multiply(&two)?)?.into(),
        one.try_negative()?.try_divide(two.try_multiply(&sum)?)?.into(),
    ])
}

/// Weights of the last three values for one at the last.
#[track_caller]
fn back(steps: &Array) -> Result<[Operand; 3]> {
    let (one, two) = (steps.try_i(-2)?, steps.try_i(-1)?);
    let sum = one.try_add(&two)?;
    let c = try_add(try_multiply(2.0, &two)?, &one)?;
    Ok([
        two.try_divide(one.try_multiply(&sum)?)?.into(),
        sum.try_negative()?.try_divide(one.try_multiply(&two)?)?.into(),
        c.try_divide(two.try_multiply(&sum)?)?.into(),
    ])
}

#[cfg(test)]
mod tests {
    use crate::{Array, over};

    /// `np.gradient(a, edge_order=0)` is of the second order.
    #[test]
    fn an_edge_order_of_zero_is_the_second() {
        let a = Array::from([1.0, 2.0, 4.0]);
        let slopes = |order: usize| a.gradient(&[], over(0).edge_order(order))[0].to_string();
        assert_eq!(slopes(0), "[0.5 1.5 2.5]");
        assert_eq!(slopes(1), "[1.  1.5 2. ]");
    }
}
