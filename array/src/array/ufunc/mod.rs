//! Operations of two operands as values with methods: `reduce`, `accumulate`, `outer`, `reduceat`, as
//! NumPy's ufuncs have them, for every row of the table alike.
//!
//! Rows that may be applied in any order follow the canonical plan, so `add.reduce` has the bits of
//! `sum`; all others fold from left to right, beside other rows. `at` stands in its own file.

pub(crate) mod at;
pub mod statics;
#[cfg(test)]
mod tests;

use smallvec::{SmallVec, smallvec};

use super::Array;
use crate::arguments::options::*;
use crate::arguments::{AxisOptions, IntoAxes, IntoAxis};
use crate::declare::expect;
use crate::elementwise::{elementwise, try_where};
use crate::graph::fold::{Fold, Pattern, fold};
use crate::graph::{self, Operand};
use crate::scalar::Scalar;
use ndany_core::ops::UfuncDef;
use ndany_core::ops::reductions::{self as table, ReductionDef, ReductionOption};
use ndany_core::program::Combine;
use ndany_core::{DType, Error, Kind, Result};

/// An operation of two operands, as a value: `np.add` where `add` is the function.
///
/// ```
/// use ndany::{Array, Device, over, ufunc};
/// # let _guard = Device::open("reference")?.enter();
/// let a = Array::from([[9.0, 3.0, 1.0], [8.0, 2.0, 2.0]]);
/// assert_eq!(ufunc::subtract.reduce(&a, 1).to_vec::<f64>()?, [5.0, 4.0]);
/// assert_eq!(ufunc::maximum.reduce(&a, over(0).keepdims()).shape(), [1, 3]);
/// assert_eq!(ufunc::divide.accumulate(&a, 1).to_vec::<f64>()?, [9.0, 3.0, 3.0, 8.0, 4.0, 2.0]);
/// let days = Array::from([1, 2, 3]);
/// assert_eq!(ufunc::power.outer(&days, &days).shape(), [3, 3]);
/// assert_eq!(ufunc::add.reduceat(&a, &Array::from([0, 2]), 1).shape(), [2, 2]);
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ufunc {
    pub(super) row: &'static UfuncDef,
}

/// The extents of an array's axes that are not among `axes`.
fn kept(array: &Array, axes: &[usize]) -> SmallVec<[usize; 4]> {
    (0..array.ndim()).filter(|axis| !axes.contains(axis)).map(|axis| array.shape()[axis]).collect()
}

impl Ufunc {
    pub(crate) const fn new(row: &'static UfuncDef) -> Self {
        Self { row }
    }

    /// Returns the operation's entry in the table: names, dtypes, accuracy.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ndany::ufunc::add.row().numpy, "np.add");
    /// ```
    pub fn row(&self) -> &'static UfuncDef {
        self.row
    }

    /// Folds the elements over axes into one, as `np.ufunc.reduce`.
    ///
    /// Operations that may be applied in any order (`add`, `logical_or`, `hypot`, …) are lazy. The others (`subtract`, `power`,
    /// `less`, …) go from left to right along one axis. `..` is axis 0, as in NumPy; all axes at once are `sum`, `prod` and their
    /// kin, or `reduce(&x.ravel(), 0)`.
    ///
    /// - **Shapes**: `(m, n) → (n,)` over axis 0.
    /// - **Dtypes**: as the operation; sums and products of bool and integers give 64 bits, logical operations give bool.
    /// - **Errors**: an axis out of range, several axes where the order counts, dtypes whose result is not of the operands'
    ///   dtype (comparisons of numbers), no elements where there is no identity.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ufunc::add.reduce(&array([[1, 2], [3, 4]]), 0).to_string(), "[4 6]");
    /// ```
    ///
    /// # Panics
    /// Where one of these is met.
    #[track_caller]
    pub fn reduce(&self, array: &Array, axes: impl IntoAxes<ReduceOptions>) -> Array {
        expect(self.try_reduce(array, axes))
    }

    #[track_caller]
    pub(crate) fn try_reduce(
        &self,
        array: &Array,
        axes: impl IntoAxes<ReduceOptions>,
    ) -> Result<Array> {
        let (options, row) = (axes.into_axes(), self.row);
        let dtype = row.folded_dtype(array.dtype(), options.dtype)?;
        match row.name {
            "add" => array.reduce(&table::SUM, options),
            "multiply" => array.reduce(&table::PROD, options),
            "minimum" => array.try_astype(dtype)?.reduce(&table::MIN, options.without_dtype()),
            "maximum" => array.try_astype(dtype)?.reduce(&table::MAX, options.without_dtype()),
            _ if row.commutes(dtype) => array.reduce(row, options),
            _ => self.reduce_left(array, &options, dtype),
        }
    }

    #[track_caller]
    fn reduce_left(&self, array: &Array, options: &AxisOptions, dtype: DType) -> Result<Array> {
        let (row, op) = (self.row, self.row.name);
        let facts = row.facts();
        options.only(op, facts.options)?;
        let axes = options.reduced_axes(op, array.ndim(), facts.takes_axis_of_scalar)?;
        if axes.len() > 1 && !row.fold.reorders() {
            return Err(Error::ArgumentValue {
                op: op.to_string(),
                reason: format!("its order counts: expected one axis at most, got {}", axes.len()),
            });
        }
        let initial = options.initial;
        let mask = options.mask_of(op, array)?;
        let empty = axes.iter().any(|&axis| array.shape()[axis] == 0);
        let kept = kept(array, &axes);
        if initial.is_none() && (mask.is_some() || empty) {
            return Err(Error::EmptyReduction { op, shape: array.shape().into() });
        }
        let reduced = if axes.is_empty() {
            // One element each: nothing is folded but what they start from.
            let own = array.try_astype(dtype)?;
            let Some(initial) = initial else { return Ok(own) };
            let start = Scalar::typed(dtype, initial);
            let next = elementwise(row, &mut [start.into(), own.into()])?;
            match &mask {
                Some(mask) => try_where(mask, next, start)?,
                None => next,
            }
        } else if empty {
            let _guard = array.device().enter();
            super::try_full(kept.as_slice(), initial.unwrap_or(0.into()), dtype)?
        } else {
            let start = initial.map(|initial| graph::constant(op, &initial, dtype)).transpose()?;
            let combine = row.combine(dtype, mask.is_some());
            let pattern =
                Pattern::FoldLeft { combine, start, mask: mask.as_ref(), store_all: false };
            fold(&Fold { op, array, dtype, axes: axes.clone(), pattern })?
        };
        options.expanded(reduced, &axes)
    }

    /// Returns every running value along an axis, the first one for `..`, as `np.ufunc.accumulate`.
    ///
    /// It goes by the canonical plan for scans where one primitive is the operation and its order does not count, otherwise from
    /// left to right.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: as in [`Ufunc::reduce`].
    /// - **Errors**: a 0-d array, several axes, dtypes as in [`Ufunc::reduce`].
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ufunc::multiply.accumulate(&array([1, 2, 3]), 0).to_string(), "[1 2 6]");
    /// ```
    ///
    /// # Panics
    /// Where one of these is met.
    #[track_caller]
    pub fn accumulate(&self, array: &Array, axis: impl IntoAxis<AccumulateOptions>) -> Array {
        expect(self.try_accumulate(array, axis))
    }

    #[track_caller]
    pub(crate) fn try_accumulate(
        &self,
        array: &Array,
        axis: impl IntoAxis<AccumulateOptions>,
    ) -> Result<Array> {
        let (options, row, op) = (axis.into_axis(), self.row, self.row.name);
        let axis = self.axis(array, &options, "accumulate")?;
        let dtype = row.folded_dtype(array.dtype(), options.dtype)?;
        let pattern = match row.combine(dtype, false) {
            Combine::Prim(combine) if row.fold.reorders() => Pattern::Scan { combine },
            combine => Pattern::FoldLeft { combine, start: None, mask: None, store_all: true },
        };
        fold(&Fold { op, array, dtype, axes: smallvec![axis], pattern })
    }

    /// The one axis of a method that takes no other option but a dtype.
    fn axis(&self, array: &Array, options: &AxisOptions, method: &str) -> Result<usize> {
        let op = format!("{}.{method}", self.row.name);
        let type_error = |reason: &str| Error::Arguments { op: op.clone(), reason: reason.into() };
        if array.ndim() == 0 {
            return Err(type_error("expected an array of at least one dimension"));
        }
        options.only(&op, &[ReductionOption::Dtype])?;
        match options.reduced_axes(self.row.name, array.ndim(), true)?.as_slice() {
            [axis] => Ok(*axis),
            axes => Err(Error::ArgumentValue {
                op,
                reason: format!("expected one axis, got {}", axes.len()),
            }),
        }
    }

    /// Applies the operation to every pair of elements, as `np.ufunc.outer`; lazy.
    ///
    /// - **Shapes**: `(a…), (b…) → (a…, b…)`.
    /// - **Dtypes**: as the operation.
    /// - **Errors**: dtypes on which the operation is not defined, two devices, too many dimensions.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ufunc::add.outer(array([1, 2]), array([10, 20])).to_string(), "[[11 21]\n [12 22]]");
    /// ```
    ///
    /// # Panics
    /// Where one of these is met.
    #[track_caller]
    pub fn outer(&self, x: impl Into<Operand>, y: impl Into<Operand>) -> Array {
        expect(self.try_outer(x, y))
    }

    #[track_caller]
    pub(crate) fn try_outer(&self, x: impl Into<Operand>, y: impl Into<Operand>) -> Result<Array> {
        elementwise(self.row, &mut pairs(x.into(), y.into())?)
    }

    /// Folds slices of an axis, the first one for `..`, as `np.ufunc.reduceat`.
    ///
    /// Element `i` of the result is the fold of `indices[i] .. indices[i + 1]` (the last one to the end), or, where the next index
    /// is not larger, the element at `indices[i]` alone. Slices are folded in the order that [`Ufunc::reduce`] has, without an
    /// identity.
    ///
    /// - **Shapes**: `(n, …), (k,) → (k, …)` for axis 0.
    /// - **Dtypes**: as in [`Ufunc::reduce`].
    /// - **Errors**: a 0-d array, several axes, indices that are not a sequence of integers, dtypes as in [`Ufunc::reduce`];
    ///   an index outside the axis fails the result.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(ufunc::add.reduceat(&array([1, 2, 3, 4]), &array([0, 2]), 0).to_string(), "[3 7]");
    /// ```
    ///
    /// # Panics
    /// Where one of these is met.
    #[track_caller]
    pub fn reduceat(
        &self,
        array: &Array,
        indices: &Array,
        axis: impl IntoAxis<AccumulateOptions>,
    ) -> Array {
        expect(self.try_reduceat(array, indices, axis))
    }

    #[track_caller]
    pub(crate) fn try_reduceat(
        &self,
        array: &Array,
        indices: &Array,
        axis: impl IntoAxis<AccumulateOptions>,
    ) -> Result<Array> {
        let (options, row, op) = (axis.into_axis(), self.row, self.row.name);
        let axis = self.axis(array, &options, "reduceat")?;
        let starts = offsets(op, indices)?;
        let dtype = row.folded_dtype(array.dtype(), options.dtype)?;
        let (count, size) = (starts.size(), array.shape()[axis]);
        if count == 0 {
            let mut shape: SmallVec<[usize; 4]> = SmallVec::from_slice(array.shape());
            shape[axis] = 0;
            let _guard = array.device().enter();
            return super::try_full(shape.as_slice(), 0, dtype);
        }
        if array.size() == 0 {
            // Nothing will run that could find an index outside.
            let within = |index: &i64| usize::try_from(*index).is_ok_and(|index| index < size);
            if let Some(index) = starts.to_vec::<i64>()?.into_iter().find(|index| !within(index)) {
                return Err(Error::Index { op, index: index as isize, axis, size });
            }
        }
        let last = {
            let _guard = array.device().enter();
            super::try_full(1, size as i64, DType::I64)?
        };
        let next = super::try_concatenate(&[&starts.try_i(1..)?, &last], 0)?;
        let ends = try_where(next.try_greater(&starts)?, &next, starts.try_add(1)?)?;
        let (order, combine) = (row.order(dtype), row.combine(dtype, false));
        let pattern = Pattern::Segments { combine, order, starts: &starts, ends: &ends };
        fold(&Fold { op, array, dtype, axes: smallvec![axis], pattern })
    }
}

/// Two operands of which each element meets each: the first has axes of extent 1 where the second has its own.
pub(crate) fn pairs(x: Operand, y: Operand) -> Result<[Operand; 2]> {
    let x = match (x, &y) {
        (Operand::Array(x), Operand::Array(y)) => {
            let after: SmallVec<[isize; 4]> =
                (0..y.ndim()).map(|axis| (x.ndim() + axis) as isize).collect();
            Operand::Array(x.try_expand_dims(after.as_slice())?)
        }
        (x, _) => x,
    };
    Ok([x, y])
}

/// One dimension of integers, as I64.
fn offsets(op: &'static str, indices: &Array) -> Result<Array> {
    if indices.ndim() != 1 {
        let expected = "one dimension of indices".to_string();
        return Err(Error::Shape { op, expected, got: indices.shape().into() });
    }
    match indices.dtype().kind() {
        Kind::Bool | Kind::Int if indices.dtype() != DType::U64 => indices.try_astype(DType::I64),
        // NumPy lets an empty list of floats pass.
        _ if indices.size() == 0 => indices.try_astype(DType::I64),
        Kind::Bool | Kind::Int | Kind::Float | Kind::Complex => {
            let remedy = "convert the indices with astype(int64)";
            Err(Error::DTypes { op, dtypes: indices.dtype().to_string(), remedy })
        }
    }
}
