//! New shapes for the same elements, and joining.
//!
//! Everything but joining is a view wherever strides can say it.

use smallvec::SmallVec;

use super::Array;
use super::create::IntoShape;
use crate::backend::Buffer;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::graph::evaluate::evaluate_into;
use crate::graph::node::{Expr, Node};
use crate::shape::{self, Layout, Shape, axis_index, axis_indices, size_of};
use crate::statistics;
use crate::twins::{expect, twins};

/// A shape in which one extent may be -1, "what is left".
pub trait IntoReshape {
    /// The extents.
    fn into_reshape(self) -> SmallVec<[isize; 4]>;
}

macro_rules! reshapes {
    ($($int:ty),+) => {$(
        impl IntoReshape for $int {
            fn into_reshape(self) -> SmallVec<[isize; 4]> { SmallVec::from_slice(&[self as isize]) }
        }
        impl<const N: usize> IntoReshape for [$int; N] {
            fn into_reshape(self) -> SmallVec<[isize; 4]> { self.iter().map(|&extent| extent as isize).collect() }
        }
        impl IntoReshape for &[$int] {
            fn into_reshape(self) -> SmallVec<[isize; 4]> { self.iter().map(|&extent| extent as isize).collect() }
        }
        impl IntoReshape for ($int, $int) {
            fn into_reshape(self) -> SmallVec<[isize; 4]> { [self.0, self.1].into_reshape() }
        }
        impl IntoReshape for ($int, $int, $int) {
            fn into_reshape(self) -> SmallVec<[isize; 4]> { [self.0, self.1, self.2].into_reshape() }
        }
    )+};
}
reshapes!(i32, i64, isize, usize);

/// A list of axes: an axis, an array or slice of axes; `()` for the default.
pub trait IntoAxes {
    /// The axes, `None` for the default.
    fn into_axes(self) -> Option<SmallVec<[isize; 4]>>;
}

impl IntoAxes for () {
    fn into_axes(self) -> Option<SmallVec<[isize; 4]>> {
        None
    }
}
impl IntoAxes for isize {
    fn into_axes(self) -> Option<SmallVec<[isize; 4]>> {
        Some(SmallVec::from_slice(&[self]))
    }
}
impl<const N: usize> IntoAxes for [isize; N] {
    fn into_axes(self) -> Option<SmallVec<[isize; 4]>> {
        Some(SmallVec::from_slice(&self))
    }
}
impl IntoAxes for &[isize] {
    fn into_axes(self) -> Option<SmallVec<[isize; 4]>> {
        Some(SmallVec::from_slice(self))
    }
}

twins! {
    mod manipulate;

    /// The same elements in C order under another shape, as `np.reshape`; one extent may be -1 (any negative number), "what is left".
    /// A view where strides can say it, else a copy.
    reshape / try_reshape (self, shape: impl IntoReshape) -> Array {
        let asked = shape.into_reshape();
        let failure = || Error::Reshape {
            op: "reshape", from: self.shape().into(), size: self.size(), to: format!("{:?}", asked.as_slice()),
        };
        let inferred = asked.iter().filter(|&&extent| extent < 0).count();
        if inferred > 1 {
            return Err(failure());
        }
        let known: SmallVec<[usize; 4]> =
            asked.iter().filter(|&&extent| extent >= 0).map(|&extent| extent as usize).collect();
        let known = shape::checked_size("reshape", &known, DType::U8)?;
        let rest = match (inferred, known) {
            (0, _) => 1,
            (_, 0) => return Err(failure()),
            (_, known) => self.size() / known,
        };
        let shape: Shape = asked.iter().map(|&extent| if extent < 0 { rest } else { extent as usize }).collect();
        shape::checked_size("reshape", &shape, self.dtype())?;
        if size_of(&shape) != self.size() {
            return Err(failure());
        }
        Ok(match self.layout().reshape(&shape) {
            Some(layout) => self.with_layout(layout),
            None => {
                let copy = self.copy();
                copy.with_layout(Layout::contiguous(&shape))
            }
        })
    }

    /// The elements in C order as one axis, as `np.ravel`. A view where strides can say it.
    ravel / try_ravel (self) -> Array {
        self.try_reshape(-1isize)
    }

    /// The axes in another order, as `np.transpose`; `()` reverses them. A view.
    transpose / try_transpose (self, axes: impl IntoAxes) -> Array {
        let axes = match axes.into_axes() {
            None => (0..self.ndim()).rev().collect(),
            Some(axes) if axes.len() != self.ndim() => {
                let expected = format!("{} dimensions for {} axes", axes.len(), axes.len());
                return Err(Error::Shape { op: "transpose", expected, got: self.shape().into() });
            }
            Some(axes) => axis_indices("transpose", &axes, self.ndim())?,
        };
        Ok(self.with_layout(self.layout().permute(&axes)))
    }

    /// Axes moved to new positions, the others in their order, as `np.moveaxis`. A view.
    moveaxis / try_moveaxis (self, source: impl IntoAxes, destination: impl IntoAxes) -> Array {
        let ndim = self.ndim();
        let axes = |axes: Option<SmallVec<[isize; 4]>>| axis_indices("moveaxis", &axes.unwrap_or_default(), ndim);
        let (source, destination) = (axes(source.into_axes())?, axes(destination.into_axes())?);
        if source.len() != destination.len() {
            let expected = format!("{} destinations", source.len());
            return Err(Error::Shape { op: "moveaxis", expected, got: destination.as_slice().into() });
        }
        let mut rest = (0..ndim).filter(|axis| !source.contains(axis));
        let order: SmallVec<[usize; 4]> = (0..ndim)
            .filter_map(|position| match destination.iter().position(|&to| to == position) {
                Some(moved) => Some(source[moved]),
                None => rest.next(),
            })
            .collect();
        Ok(self.with_layout(self.layout().permute(&order)))
    }

    /// Two axes exchanged, as `np.swapaxes`. A view.
    swapaxes / try_swapaxes (self, first: isize, second: isize) -> Array {
        let first = axis_index("swapaxes", first, self.ndim())?;
        let second = axis_index("swapaxes", second, self.ndim())?;
        let mut order: SmallVec<[usize; 4]> = (0..self.ndim()).collect();
        order.swap(first, second);
        Ok(self.with_layout(self.layout().permute(&order)))
    }

    /// Without axes of extent 1 (`()` for all of them), as `np.squeeze`. A view.
    squeeze / try_squeeze (self, axes: impl IntoAxes) -> Array {
        let shape = self.shape();
        let dropped: SmallVec<[usize; 4]> = match axes.into_axes() {
            None => (0..self.ndim()).filter(|&axis| shape[axis] == 1).collect(),
            Some(axes) => axis_indices("squeeze", &axes, self.ndim())?,
        };
        if dropped.iter().any(|&axis| shape[axis] != 1) {
            let expected = "extent 1 in every axis to squeeze".to_string();
            return Err(Error::Shape { op: "squeeze", expected, got: shape.into() });
        }
        let kept: SmallVec<[usize; 4]> = (0..self.ndim()).filter(|axis| !dropped.contains(axis)).collect();
        Ok(self.with_layout(self.layout().permute(&kept)))
    }

    /// New axes of extent 1 at these positions of the result, as `np.expand_dims`. A view.
    expand_dims / try_expand_dims (self, axes: impl IntoAxes) -> Array {
        let axes = axes.into_axes().unwrap_or_default();
        let ndim = self.ndim() + axes.len();
        if ndim > shape::MAX_NDIM {
            return Err(Error::TooManyDimensions { op: "expand_dims", ndim });
        }
        let new = axis_indices("expand_dims", &axes, ndim)?;
        let mut layout = self.layout().clone();
        for axis in (0..ndim).filter(|axis| new.contains(axis)) {
            layout.shape.insert(axis, 1);
            layout.strides.insert(axis, 0);
        }
        Ok(self.with_layout(layout))
    }

    /// Repeated along axes of extent 1 and new leading ones, as `np.broadcast_to`. A view.
    broadcast_to / try_broadcast_to (self, shape: impl IntoShape) -> Array {
        let shape = shape.into_shape();
        shape::checked_size("broadcast_to", &shape, self.dtype())?;
        if shape::broadcast("broadcast_to", self.shape(), &shape)? != shape {
            let (left, right) = (self.shape().into(), shape.as_slice().into());
            return Err(Error::Broadcast { op: "broadcast_to", left, right });
        }
        Ok(self.broadcast_view(&shape))
    }

    /// Reversed along these axes (`()` for all), as `np.flip`. A view.
    flip / try_flip (self, axes: impl IntoAxes) -> Array {
        let axes = match axes.into_axes() {
            None => (0..self.ndim()).collect(),
            Some(axes) => axis_indices("flip", &axes, self.ndim())?,
        };
        let mut layout = self.layout().clone();
        for axis in axes.into_iter().filter(|&axis| self.shape()[axis] > 0) {
            let last = (layout.shape[axis] - 1) as isize * layout.strides[axis];
            layout.offset = (layout.offset as isize + last) as usize;
            layout.strides[axis] = -layout.strides[axis];
        }
        Ok(self.with_layout(layout))
    }
}

/// Arrays one after the other along an axis, promoted to one dtype, as `np.concatenate`.
///
/// ```
/// use ndany::{Array, Device, concatenate};
/// # let _guard = Device::open("reference")?.enter();
/// let joined = concatenate(&[&Array::from([1, 2]), &Array::from([3])], 0);
/// assert_eq!(joined.to_vec::<i32>()?, [1, 2, 3]);
/// # Ok::<(), ndany::Error>(())
/// ```
///
/// # Panics
/// Where [`try_concatenate`] errs.
#[track_caller]
pub fn concatenate(arrays: &[&Array], axis: isize) -> Array {
    expect(try_concatenate(arrays, axis))
}

/// [`concatenate`], with no arrays, shapes that differ besides the axis, and two devices as errors.
#[track_caller]
pub fn try_concatenate(arrays: &[&Array], axis: isize) -> Result<Array> {
    const OP: &str = "concatenate";
    let first = arrays.first().ok_or(Error::NoArrays { op: OP })?;
    let axis = match axis_index(OP, axis, first.ndim()) {
        Err(_) if first.ndim() == 0 => {
            let expected = "at least one axis".to_string();
            return Err(Error::Shape { op: OP, expected, got: first.shape().into() });
        }
        other => other?,
    };
    let dtype = arrays.iter().map(|array| array.dtype()).fold(first.dtype(), DType::promote);
    let mut shape = Shape::from_slice(first.shape());
    shape[axis] = 0;
    for array in arrays {
        let fits = array.ndim() == shape.len()
            && (0..shape.len()).all(|other| other == axis || array.shape()[other] == shape[other]);
        if !fits {
            let expected = format!("{:?} besides axis {axis}", first.shape());
            return Err(Error::Shape { op: OP, expected, got: array.shape().into() });
        }
        if array.device() != first.device() {
            let (left, right) = (first.device().name(), array.device().name());
            return Err(Error::TwoDevices { op: OP, left, right });
        }
        shape[axis] += array.shape()[axis];
    }
    let size = shape::checked_size(OP, &shape, dtype)?;
    let device = first.device().clone();
    let buffer = Buffer::allocate(OP, device.backend(), size * dtype.size())?;
    let whole = Layout::contiguous(&shape);
    let mut start = 0;
    let mut outcome = Ok(());
    for array in arrays {
        let window = Layout {
            shape: Shape::from_slice(array.shape()),
            strides: whole.strides.clone(),
            offset: start * whole.strides[axis] as usize,
        };
        start += array.shape()[axis];
        let expr = Expr::Cast((*array).clone());
        statistics::count(|counts| &mut counts.operations);
        outcome = outcome.and_then(|()| evaluate_into(&device, &expr, dtype, &buffer, &window));
    }
    Ok(Array::of_node(Node::done(OP, shape, dtype, device, outcome.map(|()| buffer))))
}

/// Arrays of one shape along a new axis, as `np.stack`.
///
/// # Panics
/// Where [`try_stack`] errs.
#[track_caller]
pub fn stack(arrays: &[&Array], axis: isize) -> Array {
    expect(try_stack(arrays, axis))
}

/// [`stack`], with no arrays, different shapes, and two devices as errors.
#[track_caller]
pub fn try_stack(arrays: &[&Array], axis: isize) -> Result<Array> {
    let first = arrays.first().ok_or(Error::NoArrays { op: "stack" })?;
    if let Some(other) = arrays.iter().find(|array| array.shape() != first.shape()) {
        let expected = format!("{:?}", first.shape());
        return Err(Error::Shape { op: "stack", expected, got: other.shape().into() });
    }
    let expanded: Vec<Array> =
        arrays.iter().map(|array| array.try_expand_dims(axis)).collect::<Result<_>>()?;
    try_concatenate(&expanded.iter().collect::<Vec<_>>(), axis)
}
