//! Elements taken out of, and put between, those of an array.

use smallvec::SmallVec;

use crate::arguments::Arange;
use crate::arguments::options::*;
use crate::arguments::{IntoAxes, IntoAxis};
use crate::array::indexing::gather::{self, AdvancedIndex};
use crate::array::indexing::index::{Index, slice};
use crate::array::indexing::take::positions;
use crate::array::{Array, try_arange, try_concatenate, try_full, try_zeros};
use crate::declare::array_functions;
use crate::graph::{self, Operand};
use ndany_core::shape::{Shape, axis_index, axis_indices};
use ndany_core::{DType, Error, Kind, Result};

/// Positions along an axis, as `delete` and `insert` take them.
enum AxisPositions {
    One(isize),
    Many(Array),
    Mask(Array),
}

impl AxisPositions {
    #[track_caller]
    fn new(op: &'static str, array: &Array, axis: usize, index: Index) -> Result<AxisPositions> {
        let extent = array.shape()[axis];
        let array_of = |index: Array| match index.dtype().kind() {
            Kind::Bool => Ok(AxisPositions::Mask(index)),
            Kind::Int => Ok(AxisPositions::Many(index.try_astype(DType::I64)?)),
            Kind::Float | Kind::Complex => Err(Error::IndexDType { op, dtype: index.dtype() }),
        };
        match index {
            Index::At(position) => Ok(AxisPositions::One(position)),
            Index::Slice { step: 0, .. } => Err(Error::ZeroStep { op }),
            Index::Slice { start, stop, step } => {
                let (first, count) = slice(extent as isize, start, stop, step);
                let _guard = array.device().enter();
                let (first, step) = (first as i64, step as i64);
                let last = first.saturating_add(step.saturating_mul(count as i64));
                // Without a second position the step does not matter, and may be too large to count in.
                let step = if count > 1 { step } else { step.signum() };
                let last = if count > 1 { last } else { first + step * count as i64 };
                try_arange(Arange::of(first, last, step, Some(DType::I64))).map(AxisPositions::Many)
            }
            Index::Array(index) => {
                gather::same_device(op, array, &index)?;
                array_of(*index)
            }
            Index::List(list) => {
                let index = positions(&list.values, &list.shape, array.device())?;
                array_of(if list.is_mask { index.try_astype(DType::Bool)? } else { index })
            }
            Index::Bool(_) => Err(Error::ArgumentValue {
                op: op.to_string(),
                reason: "a mask has one axis and the extent of the array's".to_string(),
            }),
            Index::NewAxis | Index::Ellipsis => {
                let reason = "expected positions along one axis";
                Err(Error::IndexForm { op, reason, ndim: array.ndim() })
            }
        }
    }
}

/// The array and its axis: for `..`, its elements in C order.
#[track_caller]
fn along(op: &'static str, array: &Array, axis: Option<isize>) -> Result<(Array, usize)> {
    match axis {
        Some(axis) => Ok((array.clone(), axis_index(op, axis, array.ndim())?)),
        None => Ok((array.try_ravel()?, 0)),
    }
}

/// Items of an index that is `item` along one axis.
fn at_axis(axis: usize, item: Index) -> SmallVec<[Index; 4]> {
    std::iter::repeat_with(|| Index::from(..)).take(axis).chain([item]).collect()
}

/// The parts of an array for which a mask along an axis is true.
#[track_caller]
fn kept(op: &'static str, array: &Array, axis: usize, mask: &Array) -> Result<Array> {
    gather::gather(op, array, &AdvancedIndex::along(array, axis, &mask.try_flatnonzero()?)?)
}

array_functions! {
    checked edit, free free_edit;

    /// Removes the parts at these positions along an axis, as `np.delete`.
    ///
    /// Takes a position, a range, an index array, or a mask.
    ///
    /// - **Shapes**: `(n, …) → (n - k, …)` for axis 0; with `..` elements in C order.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: a position or an axis out of range, a mask of another length.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2, 3]).delete(1, ..).to_string(), "[1 3]");
    /// ```
    delete / try_delete (self, index: impl Into<Index>, axis: impl IntoAxis<FlatAxis>) -> Array {
        const OP: &str = "delete";
        let (array, axis) = along(OP, self, axis.into_axis().axis(OP)?)?;
        let extent = array.shape()[axis];
        match AxisPositions::new(OP, &array, axis, index.into())? {
            AxisPositions::One(index) => {
                let position = if index < 0 { index + extent as isize } else { index };
                if position < 0 || position >= extent as isize {
                    return Err(Error::Index { op: OP, index, axis, size: extent });
                }
                let before = array.try_i(at_axis(axis, Index::from(..position)).as_slice())?;
                let after = array.try_i(at_axis(axis, Index::from(position + 1..)).as_slice())?;
                try_concatenate(&[&before, &after], axis as isize)
            }
            AxisPositions::Mask(mask) if mask.shape() == [extent] => {
                kept(OP, &array, axis, &mask.try_logical_not()?)
            }
            AxisPositions::Mask(mask) => {
                let expected = format!("a mask of shape ({extent},)");
                Err(Error::Shape { op: OP, expected, got: mask.shape().into() })
            }
            AxisPositions::Many(index) => {
                let mut mask = {
                    let _guard = array.device().enter();
                    try_full(extent, true, DType::Bool)?
                };
                mask.try_set(&index, false)?;
                kept(OP, &array, axis, &mask)
            }
        }
    }

    /// Inserts values before these positions along an axis, as `np.insert`.
    ///
    /// Takes a position, a range, an index array, or a mask. Before one position there may be several values; before several
    /// positions the values broadcast.
    ///
    /// - **Shapes**: `(n, …) → (n + k, …)` for axis 0; with `..` elements in C order.
    /// - **Dtypes**: any; the values are converted to the array's.
    /// - **Errors**: a position or an axis out of range, values that do not fit.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2, 3]).insert(1, 9, ..).to_string(), "[1 9 2 3]");
    /// ```
    insert / try_insert (self, index: impl Into<Index>, values: impl Into<Operand>, axis: impl IntoAxis<FlatAxis>) -> Array {
        const OP: &str = "insert";
        let (array, axis) = along(OP, self, axis.into_axis().axis(OP)?)?;
        let extent = array.shape()[axis];
        let mut values = match values.into() {
            Operand::Array(values) => values.try_astype(array.dtype())?,
            Operand::Scalar(scalar) => {
                let constant = graph::constant(OP, &scalar, array.dtype())?;
                graph::filled(Shape::new(), constant, array.device().clone())
            }
        };
        let places = match AxisPositions::new(OP, &array, axis, index.into())? {
            AxisPositions::Mask(mask) if mask.ndim() == 1 => AxisPositions::Many(mask.try_flatnonzero()?),
            AxisPositions::Mask(wrong) => {
                let expected = "positions of one dimension".to_string();
                return Err(Error::Shape { op: OP, expected, got: wrong.shape().into() });
            }
            AxisPositions::Many(one) if one.ndim() == 0 => AxisPositions::One(one.item::<i64>()? as isize),
            places => places,
        };
        let index = match places {
            AxisPositions::Many(index) | AxisPositions::Mask(index) if index.size() != 1 => index,
            one => {
                let (index, alone) = match one {
                    AxisPositions::One(index) => (index, true),
                    AxisPositions::Many(index) | AxisPositions::Mask(index) => (index.try_ravel()?.item::<i64>()? as isize, false),
                };
                let position = if index < 0 { index + extent as isize } else { index };
                if position < 0 || position > extent as isize {
                    return Err(Error::Index { op: OP, index, axis, size: extent });
                }
                while values.ndim() < array.ndim() {
                    values = values.try_expand_dims([0isize])?;
                }
                if alone {
                    values = values.try_moveaxis([0isize], [axis as isize])?;
                }
                return between(&array, axis, position as usize, &values);
            }
        };
        if index.ndim() > 1 {
            let expected = "positions of one dimension".to_string();
            return Err(Error::Shape { op: OP, expected, got: index.shape().into() });
        }
        // Each position moves on by how many are put before it.
        let index = crate::elementwise::try_where(index.try_less(0)?, &index.try_add(extent as i64)?, &index)?;
        let rank = index.try_argsort(-1)?.try_argsort(-1)?;
        let index = index.try_add(&rank)?;
        let mut shape = Shape::from_slice(array.shape());
        shape[axis] += index.size();
        let (mut result, mut mask) = {
            let _guard = array.device().enter();
            (try_zeros(shape.as_slice(), array.dtype())?, try_full(shape[axis], true, DType::Bool)?)
        };
        // Positions are looked at where the mask is read, on every device: a bad one is the mask's error.
        mask.try_set(&index, false)?;
        let rest = mask.try_flatnonzero()?;
        result.try_set(at_axis(axis, Index::from(&index)).as_slice(), &values)?;
        result.try_set(at_axis(axis, Index::from(rest)).as_slice(), &array)?;
        Ok(result)
    }

    /// Removes the zeros at the front, at the back, or both, along these axes, as `np.trim_zeros`; a view.
    ///
    /// The result is the smallest box that holds all elements that are not zero. Waits for the device.
    ///
    /// - **Shapes**: `(n,) → (k,)`, `k ≤ n`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range or given twice.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0, 1, 2, 0]).trim_zeros(true, true, ..).to_string(), "[1 2]");
    /// ```
    trim_zeros / try_trim_zeros (self, front: bool, back: bool, axes: impl IntoAxes) -> Array {
        const OP: &str = "trim_zeros";
        let axes: SmallVec<[usize; 4]> = match axes.into_axes().axes {
            None => (0..self.ndim()).collect(),
            Some(axes) => axis_indices(OP, &axes, self.ndim())?,
        };
        let mask = self.try_astype(DType::Bool)?;
        let mut items: SmallVec<[Index; 4]> = std::iter::repeat_with(|| Index::from(..)).take(self.ndim()).collect();
        for axis in axes {
            let others: SmallVec<[isize; 4]> =
                (0..self.ndim()).filter(|&other| other != axis).map(|other| other as isize).collect();
            let line = mask.try_any(others.as_slice())?;
            line.eval()?;
            if self.size() == 0 || !line.try_any(..)?.item::<bool>()? {
                items[axis] = Index::from(..0isize);
                continue;
            }
            let first = if front { line.try_argmax(..)?.item::<i64>()? as isize } else { 0 };
            let skipped = if back { line.try_flip([0isize])?.try_argmax(..)?.item::<i64>()? as isize } else { 0 };
            items[axis] = Index::from(first..self.shape()[axis] as isize - skipped);
        }
        self.try_i(items.as_slice())
    }
}

/// Values between the parts of an array before and after a position.
#[track_caller]
fn between(array: &Array, axis: usize, position: usize, values: &Array) -> Result<Array> {
    let count = values.shape().get(axis).copied().unwrap_or(1);
    let mut shape = Shape::from_slice(array.shape());
    shape[axis] = count;
    let values = crate::array::indexing::window::fit("insert", values, &shape)?;
    let before = array.try_i(at_axis(axis, Index::from(..position)).as_slice())?;
    let after = array.try_i(at_axis(axis, Index::from(position..)).as_slice())?;
    try_concatenate(&[&before, &values, &after], axis as isize)
}
