//! Writing by data: at positions, and where a mask is true.
//!
//! Functions that change an array in place take it as `&mut` and return a `Result` at once, as
//! [`Array::set`] does: whether they succeed depends on data. Other handles keep the old values.

use crate::arguments::IntoAxis;
use crate::arguments::options::*;
use crate::array::Array;
use crate::array::indexing::gather::{self, AdvancedIndex};
use crate::array::indexing::take::{
    IndexMode, IntoIndices, along, as_positions, beside, beside_axis,
};
use crate::array::indexing::window::fit;
use crate::graph::node::Expr;
use crate::graph::{self, Operand};
use ndany_core::shape::{self, Layout, Shape};
use ndany_core::{Casting, DType, Error, Kind, Result};

/// What is written, as an array of the target's device and dtype. Rust numbers are weak.
#[track_caller]
fn converted(op: &'static str, target: &Array, values: Operand) -> Result<Array> {
    match values {
        Operand::Array(array) => {
            gather::same_device(op, target, &array)?;
            array.try_astype(target.dtype())
        }
        Operand::Scalar(scalar) => {
            let constant = graph::constant(op, &scalar, target.dtype())?;
            Ok(graph::filled(Shape::new(), constant, target.device().clone()))
        }
    }
}

/// The same where NumPy lets arrays lose nothing.
#[track_caller]
fn values_for(op: &'static str, target: &Array, values: Operand) -> Result<Array> {
    if let Operand::Array(array) = &values {
        castable(op, array.dtype(), target.dtype(), Casting::Safe)?;
    }
    converted(op, target, values)
}

fn castable(op: &'static str, from: DType, to: DType, casting: Casting) -> Result<()> {
    if from.can_cast(to, casting) {
        return Ok(());
    }
    let dtypes = format!("{from} written into {to}");
    Err(Error::DTypes { op, dtypes, remedy: "convert the values with astype first" })
}

/// The first `count` of the elements of `values`, in C order and over and over.
#[track_caller]
pub(in crate::array) fn cycled(values: &Array, count: usize) -> Result<Array> {
    let (flat, size) = (values.try_ravel()?, values.size());
    if size == 1 {
        return flat.try_broadcast_to(count);
    }
    if count <= size {
        return flat.try_i(..count);
    }
    let _guard = values.device().enter();
    let positions = crate::array::try_arange(count as i64)?.try_remainder(size as i64)?;
    gather::gather("take", &flat, &AdvancedIndex::along(&flat, 0, &positions)?)
}

/// A mask of as many elements as the array, in the array's shape.
#[track_caller]
fn mask_for(op: &'static str, array: &Array, mask: &Array) -> Result<Array> {
    gather::same_device(op, array, mask)?;
    if mask.size() != array.size() {
        let expected = format!("a mask of {} elements", array.size());
        return Err(Error::Shape { op, expected, got: mask.shape().into() });
    }
    let shape: Vec<isize> = array.shape().iter().map(|&extent| extent as isize).collect();
    mask.try_astype(DType::Bool)?.try_reshape(shape.as_slice())
}

impl Array {
    /// Writes values, repeated as needed, at positions in C order over all axes, as `np.put`.
    ///
    /// Where a position comes twice, the last value stays. No values change nothing. The mode says what becomes of a position out
    /// of range (`..`: an error).
    ///
    /// - **Errors**: a position out of range (it stays with the array), indices that are no integers, two devices, what fails
    ///   on the device.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let mut a = Array::from([0, 1, 2, 3]);
    /// a.put([0, -1], Array::from([7, 8]), ..);
    /// assert_eq!(a.to_vec::<i32>()?, [7, 1, 2, 8]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`checked::put`](fn@crate::checked::put) returns an error, but for one of memory or the device, and one that a value
    /// brings along: these stay with the array.
    #[track_caller]
    pub fn put(
        &mut self,
        indices: impl IntoIndices,
        values: impl Into<Operand>,
        mode: impl Into<IndexMode>,
    ) {
        let outcome = self.try_put(indices, values, mode);
        self.settle("put", outcome);
    }

    #[track_caller]
    pub(crate) fn try_put(
        &mut self,
        indices: impl IntoIndices,
        values: impl Into<Operand>,
        mode: impl Into<IndexMode>,
    ) -> Result<()> {
        const OP: &str = "put";
        let index = indices.into_indices(self.device())?;
        castable(OP, index.dtype(), DType::I64, Casting::Safe)?;
        let index = as_positions(OP, &index)?.try_ravel()?;
        if self.size() == 0 && index.size() > 0 {
            let reason = "there is nothing to replace in an array without elements";
            return Err(Error::IndexForm { op: OP, reason, ndim: self.ndim() });
        }
        let values = converted(OP, self, values.into())?;
        if values.size() == 0 || index.size() == 0 {
            return Ok(());
        }
        let index = mode.into().resolve(&index, self.size())?;
        let values = cycled(&values, index.size())?;
        self.scatter_flat(OP, &index, &values)
    }

    /// Writes a value for each position counted in C order.
    #[track_caller]
    pub(in crate::array) fn scatter_flat(
        &mut self,
        op: &'static str,
        index: &Array,
        values: &Array,
    ) -> Result<()> {
        self.in_its_memory(|array| {
            if array.layout().reshape(&[array.size()]).is_none() {
                *array = array.try_copy()?;
            }
            gather::scatter(
                op,
                array,
                &|target| AdvancedIndex::along(&target.try_ravel()?, 0, index),
                values,
                None,
            )
        })
    }

    /// Writes values, broadcast, at positions along an axis, as `np.put_along_axis`.
    ///
    /// - **Errors**: those of [`Array::put`], shapes that do not broadcast.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut a = array([[1, 2], [3, 4]]);
    /// a.put_along_axis(&array([[0], [1]]), 9, 1);
    /// assert_eq!(a.to_string(), "[[9 2]\n [3 9]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`checked::put_along_axis`](fn@crate::checked::put_along_axis) returns an error, but for one of memory or the device, and one that a value
    /// brings along: these stay with the array.
    #[track_caller]
    pub fn put_along_axis(
        &mut self,
        indices: &Array,
        values: impl Into<Operand>,
        axis: impl IntoAxis<FlatAxis>,
    ) {
        let outcome = self.try_put_along_axis(indices, values, axis);
        self.settle("put_along_axis", outcome);
    }

    #[track_caller]
    pub(crate) fn try_put_along_axis(
        &mut self,
        indices: &Array,
        values: impl Into<Operand>,
        axis: impl IntoAxis<FlatAxis>,
    ) -> Result<()> {
        const OP: &str = "put_along_axis";
        let axis = axis.into_axis().axis(OP)?;
        let values = converted(OP, self, values.into())?;
        self.in_its_memory(|array| {
            if axis.is_none() && array.layout().reshape(&[array.size()]).is_none() {
                *array = array.try_copy()?;
            }
            let (view, number) = beside_axis(OP, array, indices, axis)?;
            let shape = beside(OP, &view, indices, number)?;
            let index = indices.try_astype(DType::I64)?;
            let values = fit(OP, &values, &shape)?;
            drop(view);
            let advanced_index = |target: &Array| {
                let (view, number) = along(OP, target, axis)?;
                Ok(AdvancedIndex::beside(&view, number, &index, &shape))
            };
            gather::scatter(OP, array, &advanced_index, &values, None)
        })
    }

    /// Writes values, repeated to the array's size, where a mask of as many elements is true, as `np.putmask`.
    ///
    /// Each place gets the value at the same place. No values change nothing.
    ///
    /// - **Errors**: a mask of another size, values whose dtype the array's cannot hold, two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut a = array([1, 2, 3, 4]);
    /// a.putmask(&array([false, true, false, true]), array([10, 20]));
    /// assert_eq!(a.to_string(), "[ 1 20  3 20]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`checked::putmask`](fn@crate::checked::putmask) returns an error, but for one of memory or the device, and one that a value
    /// brings along: these stay with the array.
    #[track_caller]
    pub fn putmask(&mut self, mask: &Array, values: impl Into<Operand>) {
        let outcome = self.try_putmask(mask, values);
        self.settle("putmask", outcome);
    }

    #[track_caller]
    pub(crate) fn try_putmask(&mut self, mask: &Array, values: impl Into<Operand>) -> Result<()> {
        const OP: &str = "putmask";
        let mask = mask_for(OP, self, mask)?;
        let values = values_for(OP, self, values.into())?;
        if values.size() == 0 {
            return Ok(());
        }
        let shape: Vec<isize> = self.shape().iter().map(|&extent| extent as isize).collect();
        let values = cycled(&values, self.size())?.try_reshape(shape.as_slice())?;
        self.replace_where(&mask, &values)
    }

    /// Writes the first value at the first true place of a mask, the second at the second, …, as `np.place`.
    ///
    /// The mask has as many elements as the array; the values are repeated as needed.
    ///
    /// - **Errors**: those of [`Array::putmask`], no values although there are places.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut a = array([1, 2, 3, 4]);
    /// a.place(&array([false, true, false, true]), array([10, 20]));
    /// assert_eq!(a.to_string(), "[ 1 10  3 20]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`checked::place`](fn@crate::checked::place) returns an error, but for one of memory or the device, and one that a value
    /// brings along: these stay with the array.
    #[track_caller]
    pub fn place(&mut self, mask: &Array, values: impl Into<Operand>) {
        let outcome = self.try_place(mask, values);
        self.settle("place", outcome);
    }

    #[track_caller]
    pub(crate) fn try_place(&mut self, mask: &Array, values: impl Into<Operand>) -> Result<()> {
        const OP: &str = "place";
        let mask = mask_for(OP, self, mask)?;
        let values = values_for(OP, self, values.into())?;
        let index = mask.try_flatnonzero()?;
        match (index.size(), values.size()) {
            (0, _) => Ok(()),
            (_, 0) => {
                let reason = "no values for the places of the mask".to_string();
                Err(Error::ArgumentValue { op: OP.to_string(), reason })
            }
            (count, _) => self.scatter_flat(OP, &index, &cycled(&values, count)?),
        }
    }

    /// Writes values, broadcast, where a mask is true or everywhere, as `np.copyto`.
    ///
    /// - **Errors**: a conversion that `casting` does not allow, shapes that do not broadcast, two devices, what fails on the
    ///   device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut a = array([1, 2, 3]);
    /// a.copyto(0, ndany::Casting::SameKind, Some(&array([true, false, true])));
    /// assert_eq!(a.to_string(), "[0 2 0]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`checked::copyto`](fn@crate::checked::copyto) returns an error, but for one of memory or the device, and one that a value
    /// brings along: these stay with the array.
    #[track_caller]
    pub fn copyto(&mut self, source: impl Into<Operand>, casting: Casting, mask: Option<&Array>) {
        let outcome = self.try_copyto(source, casting, mask);
        self.settle("copyto", outcome);
    }

    #[track_caller]
    pub(crate) fn try_copyto(
        &mut self,
        source: impl Into<Operand>,
        casting: Casting,
        mask: Option<&Array>,
    ) -> Result<()> {
        const OP: &str = "copyto";
        let source = source.into();
        match &source {
            Operand::Array(array) => castable(OP, array.dtype(), self.dtype(), casting)?,
            Operand::Scalar(scalar) => {
                // Weak numbers have a kind only. Two rules of NumPy's ask for more all the same.
                let exact = match casting {
                    Casting::No => scalar.kind() == Kind::Bool,
                    Casting::Equiv => true,
                    Casting::Safe | Casting::SameKind | Casting::Unsafe => false,
                };
                if exact || scalar.dtype().is_some() || scalar.kind() > self.dtype().kind() {
                    castable(OP, scalar.natural_dtype(), self.dtype(), casting)?;
                }
            }
        }
        let source = fit(OP, &converted(OP, self, source)?, self.shape())?;
        match mask {
            None => self.try_set(crate::array::Ellipsis, &source),
            Some(mask) => {
                castable(OP, mask.dtype(), DType::Bool, Casting::Safe)?;
                // Unlike the source, a mask does not lose axes of one element in front.
                if mask.ndim() > self.ndim() {
                    let (left, right) = (mask.shape().into(), self.shape().into());
                    return Err(Error::Broadcast { op: OP, left, right });
                }
                let mask = fit(OP, mask, self.shape())?;
                self.replace_where(&mask, &source)
            }
        }
    }

    /// Writes values, repeated as needed, along the main diagonal, as `np.fill_diagonal`.
    ///
    /// In a tall matrix the diagonal ends with the columns or, with `wrap`, begins again a row below. No values change nothing.
    ///
    /// - **Errors**: fewer than two axes, three or more axes that differ, two devices, what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let mut a = zeros((2, 2), I32);
    /// a.fill_diagonal(5, false);
    /// assert_eq!(a.to_string(), "[[5 0]\n [0 5]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`checked::fill_diagonal`](fn@crate::checked::fill_diagonal) returns an error, but for one of memory or the device, and one that a value
    /// brings along: these stay with the array.
    #[track_caller]
    pub fn fill_diagonal(&mut self, values: impl Into<Operand>, wrap: bool) {
        let outcome = self.try_fill_diagonal(values, wrap);
        self.settle("fill_diagonal", outcome);
    }

    #[track_caller]
    pub(crate) fn try_fill_diagonal(
        &mut self,
        values: impl Into<Operand>,
        wrap: bool,
    ) -> Result<()> {
        const OP: &str = "fill_diagonal";
        let shape = Shape::from_slice(self.shape());
        let wrong = |expected: &str| Error::Shape {
            op: OP,
            expected: expected.to_string(),
            got: shape.as_slice().into(),
        };
        let (step, end) = match shape.as_slice() {
            [] | [_] => return Err(wrong("at least two axes")),
            [_, columns] if wrap => (columns + 1, self.size()),
            [_, columns] => (columns + 1, self.size().min(columns * columns)),
            [first, rest @ ..] if rest.iter().any(|extent| extent != first) => {
                return Err(wrong("axes of one extent"));
            }
            _ => (shape::contiguous_strides(&shape).iter().sum::<isize>() as usize, self.size()),
        };
        let values = converted(OP, self, values.into())?;
        if values.size() == 0 || end == 0 {
            return Ok(());
        }
        let count = end.div_ceil(step);
        let values = Expr::Cast(cycled(&values, count)?);
        let diagonal = |array: &Array| {
            let flat = array.layout().reshape(&[array.size()])?;
            Some(Layout {
                shape: Shape::from_slice(&[count]),
                strides: flat.strides.iter().map(|stride| stride * step as isize).collect(),
                offset: flat.offset,
            })
        };
        self.in_its_memory(|array| {
            if diagonal(array).is_none() {
                *array = array.try_copy()?;
            }
            array.make_sole()?;
            match diagonal(array) {
                Some(diagonal) => array.write(&diagonal, &values),
                None => unreachable!("a copy lies in C order"),
            }
        })
    }
}

/// Writes with errors as values, for [`crate::checked`]: an array is as it was where one is returned.
pub mod checked_writes {
    use super::*;
    use crate::array::indexing::index::IntoIndex;
    use crate::array::indexing::window::Window;

    /// [`Window::assign`], with errors as values.
    #[track_caller]
    pub fn assign(window: &mut Window<'_>, value: impl Into<Operand>) -> Result<()> {
        window.try_assign(value)
    }

    /// [`Array::put`], with errors as values.
    #[track_caller]
    pub fn put(
        array: &mut Array,
        indices: impl IntoIndices,
        values: impl Into<Operand>,
        mode: impl Into<IndexMode>,
    ) -> Result<()> {
        array.try_put(indices, values, mode)
    }

    /// [`Array::put_along_axis`], with errors as values.
    #[track_caller]
    pub fn put_along_axis(
        array: &mut Array,
        indices: &Array,
        values: impl Into<Operand>,
        axis: impl IntoAxis<FlatAxis>,
    ) -> Result<()> {
        array.try_put_along_axis(indices, values, axis)
    }

    /// [`Array::putmask`], with errors as values.
    #[track_caller]
    pub fn putmask(array: &mut Array, mask: &Array, values: impl Into<Operand>) -> Result<()> {
        array.try_putmask(mask, values)
    }

    /// [`Array::place`], with errors as values.
    #[track_caller]
    pub fn place(array: &mut Array, mask: &Array, values: impl Into<Operand>) -> Result<()> {
        array.try_place(mask, values)
    }

    /// [`Array::copyto`], with errors as values.
    #[track_caller]
    pub fn copyto(
        array: &mut Array,
        source: impl Into<Operand>,
        casting: Casting,
        mask: Option<&Array>,
    ) -> Result<()> {
        array.try_copyto(source, casting, mask)
    }

    /// [`Array::fill_diagonal`], with errors as values.
    #[track_caller]
    pub fn fill_diagonal(array: &mut Array, values: impl Into<Operand>, wrap: bool) -> Result<()> {
        array.try_fill_diagonal(values, wrap)
    }

    /// [`Array::set`], with errors as values.
    #[track_caller]
    pub fn set(array: &mut Array, index: impl IntoIndex, value: impl Into<Operand>) -> Result<()> {
        array.try_set(index, value)
    }
}
