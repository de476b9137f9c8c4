//! Sorting along an axis: values, positions, several keys.
//!
//! One sort serves all of NumPy's kinds: it is stable. Partitions, sets and counting stand in other files.

use crate::arguments::IntoAxis;
use crate::arguments::list;
use crate::arguments::options::*;
use crate::array::Array;
use crate::buffer::Buffer;
use crate::declare::{array_functions, expect};
use crate::graph::node::Node;
use crate::launch_counts;
use ndany_core::backend::{Checked, Sort, Sorted, StridedView};
use ndany_core::shape::{self, Shape, axis_index};
use ndany_core::{DType, Error, Kind, Result, ShapeText};

array_functions! {
    checked sorts, free free_sorts;

    /// Sorts along an axis, the last one for `..`, as `np.sort`.
    ///
    /// The sort is ascending, or with `along(axis).descending()` descending, and stable; NaN last in both, -0.0 equal to +0.0, complex
    /// numbers by real and then imaginary part.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: a 0-d array, an axis out of range.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[3, 1], [2, 5]]);
    /// assert_eq!(a.sort(..).to_vec::<i32>()?, [1, 3, 2, 5]);
    /// assert_eq!(a.sort(0).to_vec::<i32>()?, [2, 1, 3, 5]);
    /// assert_eq!(a.ravel().sort(..).to_vec::<i32>()?, [1, 2, 3, 5]); // np.sort(a, axis=None)
    /// # Ok::<(), ndany::Error>(())
    /// ```
    sort / try_sort (self, axis: impl IntoAxis<SortOptions>) -> Array {
        let options = axis.into_axis();
        let axis = options.axis("sort")?;
        match options.descends() {
            false => self.sorted_along("sort", axis, Sorted::Values),
            true => self.backwards()?.sorted_along("sort", axis, Sorted::Values)?.backwards(),
        }
    }

    /// Returns the positions of the elements in sorted order along an axis, the last one for `..`, as `np.argsort`.
    ///
    /// Equal elements keep their order, as with `stable=True`, in a descending sort (`along(axis).descending()`) too. `a.sort(axis)` is `a.take_along_axis(a.argsort(axis), axis)`.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result is int64.
    /// - **Errors**: an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([3, 1, 2]).argsort(..).to_string(), "[1 2 0]");
    /// ```
    argsort / try_argsort (self, axis: impl IntoAxis<SortOptions>) -> Array {
        let options = axis.into_axis();
        let keys = if options.descends() { self.backwards()? } else { self.clone() };
        keys.at_least_1d()?.sorted_along("argsort", options.axis("argsort")?, Sorted::Positions)
    }

    /// Sorts along the last axis as complex numbers, as `np.sort_complex`.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: complex numbers stay; 8- and 16-bit integers give complex64, other real numbers complex128.
    /// - **Errors**: a 0-d array.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([2.0, 1.0]).sort_complex().real().to_string(), "[1. 2.]");
    /// ```
    sort_complex / try_sort_complex (self) -> Array {
        let dtype = match self.dtype() {
            complex @ (DType::C64 | DType::C128) => complex,
            DType::I8 | DType::U8 | DType::I16 | DType::U16 => DType::C64,
            _ => DType::C128,
        };
        self.try_astype(dtype)?.try_sort(-1)
    }
}

impl Array {
    /// Numbers in the opposite order, NaN last as before. It is its own inverse.
    fn backwards(&self) -> Result<Array> {
        match self.dtype().kind() {
            Kind::Bool => self.try_logical_not(),
            Kind::Int => self.try_invert(),
            Kind::Float | Kind::Complex => self.try_negative(),
        }
    }

    /// As `argsort` and `argpartition` take a 0-d array.
    pub(in crate::array) fn at_least_1d(&self) -> Result<Array> {
        if self.ndim() == 0 { self.try_expand_dims(0) } else { Ok(self.clone()) }
    }

    /// Sorts along the one axis, or raveled.
    #[track_caller]
    fn sorted_along(&self, op: &'static str, axis: Option<isize>, write: Sorted) -> Result<Array> {
        self.along_rows(op, axis, |rows| rows.sorted_rows(op, write))
    }

    /// What is made of rows, along the one axis or raveled.
    #[track_caller]
    pub(in crate::array) fn along_rows(
        &self,
        op: &'static str,
        axis: Option<isize>,
        make: impl FnOnce(&Array) -> Result<Array>,
    ) -> Result<Array> {
        let axis = axis.map(|axis| axis_index(op, axis, self.ndim())).transpose()?;
        match axis {
            Some(axis) => {
                make(&self.try_moveaxis(axis as isize, -1)?)?.try_moveaxis(-1, axis as isize)
            }
            None => make(&self.try_ravel()?),
        }
    }

    /// Sorts the rows of the last axis, of an array of at least one.
    #[track_caller]
    pub(in crate::array) fn sorted_rows(&self, op: &'static str, write: Sorted) -> Result<Array> {
        self.arranged_rows(op, write, |Arranged { rows, length, source, output }| {
            let _span = crate::spans::launch_of(self.device().backend(), "sort", &[rows, length]);
            let sort = Sort { rows, length, source, output, write };
            self.device().backend().sort(Checked::new(&sort)?)
        })
    }

    /// What a backend makes of the rows of the last axis, of an array of at least one.
    #[track_caller]
    pub(in crate::array) fn arranged_rows(
        &self,
        op: &'static str,
        write: Sorted,
        launch: impl FnOnce(Arranged<'_>) -> Result<()>,
    ) -> Result<Array> {
        let dtype = match write {
            Sorted::Values => self.dtype(),
            Sorted::Positions => DType::I64,
        };
        let (shape, device) = (Shape::from_slice(self.shape()), self.device().clone());
        shape::checked_size(op, &shape, dtype)?;
        launch_counts::count(|counts| &mut counts.operations);
        let outcome = self.launch_arranged(op, dtype, launch);
        Ok(Array::of_node(Node::done(op, shape, dtype, device, outcome)))
    }

    fn launch_arranged(
        &self,
        op: &'static str,
        dtype: DType,
        launch: impl FnOnce(Arranged<'_>) -> Result<()>,
    ) -> Result<Buffer> {
        let backend = self.device().backend();
        let size = self.size();
        if size == 0 {
            return Buffer::allocate(op, backend, 0);
        }
        let length = self.shape()[self.ndim() - 1];
        let rows = SortRows::of(self, size / length, length)?;
        let output = Buffer::allocate(op, backend, size * dtype.size())?;
        launch_counts::count(|counts| &mut counts.sorts);
        let (source, output_rows) = (rows.place(), contiguous_rows(&output, dtype, length));
        launch(Arranged { rows: size / length, length, source, output: output_rows })?;
        Ok(output)
    }
}

/// Rows that a backend puts in some order, as [`Sort`] has them.
pub(in crate::array) struct Arranged<'a> {
    pub(in crate::array) rows: usize,
    pub(in crate::array) length: usize,
    pub(in crate::array) source: StridedView<'a>,
    pub(in crate::array) output: StridedView<'a>,
}

/// Returns the positions that sort by several keys, the last key first, as `np.lexsort`.
///
/// Equal elements keep their order. A 0-d key is one element.
///
/// - **Shapes**: `(…), (…) → (…)`.
/// - **Dtypes**: any; the result is int64.
/// - **Errors**: no keys, keys of different shapes, an axis out of range.
///
/// ```
/// use ndany::{Array, Device, lexsort};
/// # let _guard = Device::open("reference")?.enter();
/// let (first, last) = (Array::from([9, 4, 4]), Array::from([1, 2, 1]));
/// assert_eq!(lexsort([&first, &last], ..).to_vec::<i64>()?, [2, 0, 1]);
/// # Ok::<(), ndany::Error>(())
/// ```
///
/// # Panics
/// Where [`checked::lexsort`](fn@crate::checked::lexsort) returns an error.
#[track_caller]
pub fn lexsort(
    keys: impl IntoIterator<Item: AsRef<Array>>,
    axis: impl IntoAxis<LastAxis>,
) -> Array {
    expect(try_lexsort(keys, axis))
}

/// [`lexsort`], with no keys, shapes that differ and an axis that is not there as errors.
#[track_caller]
pub fn try_lexsort(
    keys: impl IntoIterator<Item: AsRef<Array>>,
    axis: impl IntoAxis<LastAxis>,
) -> Result<Array> {
    const OP: &str = "lexsort";
    list!(keys);
    let axis = axis.into_axis().one(OP)?;
    let (first, others) = keys.split_first().ok_or(Error::NoKeys { op: OP })?;
    if let Some(other) = others.iter().find(|other| other.shape() != first.shape()) {
        let expected = format!("{} for every key", ShapeText::from(first.shape()));
        return Err(Error::Shape { op: OP, expected, got: other.shape().into() });
    }
    if first.ndim() == 0 {
        axis_index(OP, axis, 1)?;
        let _guard = first.device().enter();
        return crate::array::try_zeros((), DType::I64);
    }
    axis_index(OP, axis, first.ndim())?;
    let keys: Vec<Array> =
        keys.iter().map(|key| key.try_moveaxis(axis, -1)).collect::<Result<_>>()?;
    lexsorted(&keys.iter().collect::<Vec<_>>())?.try_moveaxis(-1, axis)
}

/// [`lexsort`] of some keys of one shape along their last axis: a stable sort by one key after the other.
#[track_caller]
pub(in crate::array) fn lexsorted(keys: &[&Array]) -> Result<Array> {
    let mut order = keys[0].try_argsort(-1)?;
    for key in &keys[1..] {
        let next = key.try_take_along_axis(&order, -1)?.try_argsort(-1)?;
        order = order.try_take_along_axis(&next, -1)?;
    }
    Ok(order)
}

/// An array as rows whose elements lie side by side.
pub(in crate::array) struct SortRows {
    array: Array,
    buffer: Buffer,
    offset: usize,
    step: isize,
}

impl SortRows {
    /// The array, or a copy where its strides do not say so. It has `rows * length` elements, some.
    pub(in crate::array) fn of(array: &Array, rows: usize, length: usize) -> Result<Self> {
        let shape = [rows, length];
        let fits = |array: &Array| {
            let layout = array.layout().reshape(&shape)?;
            let step = if rows == 1 { 0 } else { layout.strides[0] };
            (length == 1 || layout.strides[1] == 1).then_some((layout.offset, step))
        };
        let (array, (offset, step)) = match fits(array) {
            Some(found) => (array.clone(), found),
            None => (array.try_copy()?, (0, length as isize)),
        };
        let buffer = array.buffer()?;
        Ok(Self { array, buffer, offset, step })
    }

    /// For the backend: rows, elements.
    pub(in crate::array) fn place(&self) -> StridedView<'_> {
        let strides = [self.step, 1].into_iter().collect();
        let (memory, dtype) = (self.buffer.memory(), self.array.dtype());
        StridedView { memory, dtype, offset: self.offset, strides }
    }
}

/// Rows of a fresh buffer, one after the other.
pub(in crate::array) fn contiguous_rows(
    buffer: &Buffer,
    dtype: DType,
    length: usize,
) -> StridedView<'_> {
    let strides = [length as isize, 1].into_iter().collect();
    StridedView { memory: buffer.memory(), dtype, offset: 0, strides }
}
