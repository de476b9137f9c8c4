//! Reading by data: at positions along an axis, and where a mask is true.
//!
//! Thin layers over `gather`. Writing by the same means is in `put`, index expressions in `index`.

use crate::array::Array;
use crate::array::indexing::gather::{self, AdvancedIndex};
use std::ops::RangeFull;

use crate::arguments::Arrays;
use crate::arguments::IntoAxis;
pub use crate::arguments::choices::IndexMode;
use crate::arguments::options::*;
use crate::declare::array_functions;
use crate::device::Device;
use ndany_core::shape::{self, Shape, axis_index};
use ndany_core::{DType, Error, Kind, Result};

/// Positions: an array of integers, or what makes one (an integer, a slice, an array or a `Vec` of them).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of positions",
    label = "expected an integer, a list of integers or an array of them"
)]
pub trait IntoIndices {
    /// As an array of this device.
    ///
    /// # Errors
    /// The device has no memory left.
    #[doc(hidden)]
    fn into_indices(self, device: &Device) -> Result<Array>;
}

impl IntoIndices for &Array {
    fn into_indices(self, _: &Device) -> Result<Array> {
        Ok(self.clone())
    }
}
impl IntoIndices for Array {
    fn into_indices(self, _: &Device) -> Result<Array> {
        Ok(self)
    }
}

/// An array of positions that stand in the program, on a device.
#[track_caller]
pub(in crate::array) fn positions(
    values: &[i64],
    shape: &[usize],
    device: &Device,
) -> Result<Array> {
    let _guard = device.enter();
    Array::try_from_slice(values, shape)
}

macro_rules! indices {
    ($($int:ty),+) => {$(
        impl IntoIndices for $int {
            fn into_indices(self, device: &Device) -> Result<Array> {
                positions(&[self as i64], &[], device)
            }
        }
        impl IntoIndices for &[$int] {
            fn into_indices(self, device: &Device) -> Result<Array> {
                let values: Vec<i64> = self.iter().map(|&value| value as i64).collect();
                positions(&values, &[values.len()], device)
            }
        }
        impl IntoIndices for Vec<$int> {
            fn into_indices(self, device: &Device) -> Result<Array> { self.as_slice().into_indices(device) }
        }
        impl<const N: usize> IntoIndices for [$int; N] {
            fn into_indices(self, device: &Device) -> Result<Array> { self.as_slice().into_indices(device) }
        }
    )+};
}
indices!(i32, i64, isize, usize);

/// What becomes of positions out of range, one mode for all axes or one for each.
#[derive(Clone, Debug)]
pub struct IndexModes(Modes);

#[derive(Clone, Debug)]
enum Modes {
    All(IndexMode),
    Each(Vec<IndexMode>),
}

impl IndexModes {
    /// The mode of each axis; those that were given one by one may be of another number.
    pub(in crate::array) fn of_axes(self, ndim: usize) -> Vec<IndexMode> {
        match self.0 {
            Modes::All(mode) => vec![mode; ndim],
            Modes::Each(modes) => modes,
        }
    }
}
impl From<RangeFull> for IndexModes {
    fn from(_: RangeFull) -> Self {
        Self(Modes::All(IndexMode::Raise))
    }
}
impl From<IndexMode> for IndexModes {
    fn from(mode: IndexMode) -> Self {
        Self(Modes::All(mode))
    }
}
impl From<&[IndexMode]> for IndexModes {
    fn from(modes: &[IndexMode]) -> Self {
        Self(Modes::Each(modes.to_vec()))
    }
}

impl IndexMode {
    /// Positions on an axis of this extent, in range but where they raise. Lazy.
    #[track_caller]
    pub(in crate::array) fn resolve(self, index: &Array, extent: usize) -> Result<Array> {
        // Without elements there is nothing to wrap to: the gather finds that out.
        let extent = extent as i64;
        match self {
            IndexMode::Wrap if extent > 0 => index.try_remainder(extent),
            IndexMode::Clip if extent > 0 => index.try_maximum(0)?.try_minimum(extent - 1),
            IndexMode::Raise | IndexMode::Wrap | IndexMode::Clip => Ok(index.clone()),
        }
    }
}

/// Positions as I64.
#[track_caller]
pub(in crate::array) fn as_positions(op: &'static str, index: &Array) -> Result<Array> {
    match index.dtype().kind() {
        Kind::Int | Kind::Bool => index.try_astype(DType::I64),
        Kind::Float | Kind::Complex => {
            let dtypes = format!("indices of {}", index.dtype());
            Err(Error::DTypes { op, dtypes, remedy: "indices are integers: convert with astype" })
        }
    }
}

/// Positions for a gather: I32 as they are, others as I64.
#[track_caller]
fn as_read_positions(op: &'static str, index: &Array) -> Result<Array> {
    if index.dtype() == DType::I32 { Ok(index.clone()) } else { as_positions(op, index) }
}

/// An array and an axis of it: for `..`, its elements in C order and their one axis.
#[track_caller]
pub(in crate::array) fn along(
    op: &'static str,
    array: &Array,
    axis: Option<isize>,
) -> Result<(Array, usize)> {
    Ok(match axis {
        // A 0-d array is as good as one of one element.
        Some(axis) if array.ndim() == 0 => (array.try_ravel()?, axis_index(op, axis, 1)?),
        Some(axis) => (array.clone(), axis_index(op, axis, array.ndim())?),
        None => (array.try_ravel()?, 0),
    })
}

array_functions! {
    checked take, free free_take;

    /// Takes the elements at these positions along an axis, as `np.take`.
    ///
    /// Negative positions count from the end. The option `mode` says what becomes of a position out of range.
    ///
    /// - **Shapes**: `(…, n, …), (i, j) → (…, i, j, …)`; with `..` positions count in C order over all axes.
    /// - **Dtypes**: any, and integer positions; the result has the array's.
    /// - **Errors**: an axis out of range, positions that are no integers, an axis without elements; a position out of range
    ///   fails the result (IndexError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([10, 20, 30]).take([2, 0], 0).to_string(), "[30 10]");
    /// ```
    take / try_take (self, indices: impl IntoIndices, axis: impl IntoAxis<TakeOptions>) -> Array {
        const OP: &str = "take";
        let options = axis.into_axis();
        let mode = options.given_mode().unwrap_or_default();
        let (array, axis) = along(OP, self, options.axis(OP)?)?;
        let indices = indices.into_indices(self.device())?;
        let index = match mode {
            IndexMode::Raise => as_read_positions(OP, &indices)?,
            IndexMode::Wrap | IndexMode::Clip => as_positions(OP, &indices)?,
        };
        if array.shape()[axis] == 0 && index.size() > 0 {
            let reason = "there is nothing to take from an axis without elements";
            return Err(Error::IndexForm { op: OP, reason, ndim: array.ndim() });
        }
        let index = mode.resolve(&index, array.shape()[axis])?;
        gather::gather(OP, &array, &AdvancedIndex::along(&array, axis, &index)?)
    }

    /// Takes, for each element of `indices`, the element at that position along the axis, as `np.take_along_axis`.
    ///
    /// - **Shapes**: `(…, n), (…, k) → (…, k)`, other axes broadcast.
    /// - **Dtypes**: any, and integer indices; the result has the array's.
    /// - **Errors**: an axis out of range, shapes that do not broadcast; a position out of range fails the result
    ///   (IndexError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = array([3, 1, 2]);
    /// assert_eq!(a.take_along_axis(&a.argsort(..), ..).to_string(), "[1 2 3]");
    /// ```
    take_along_axis / try_take_along_axis (self, indices: &Array, axis: impl IntoAxis<LastAxis>) -> Array {
        const OP: &str = "take_along_axis";
        let (array, axis) = beside_axis(OP, self, indices, axis.into_axis().axis(OP)?)?;
        let shape = beside(OP, &array, indices, axis)?;
        let index = as_read_positions(OP, indices)?;
        gather::gather(OP, &array, &AdvancedIndex::beside(&array, axis, &index, &shape))
    }

    /// Returns the positions in C order of the elements that are not zero, as `np.flatnonzero`; waits for the device.
    ///
    /// - **Shapes**: `(…) → (count,)`.
    /// - **Dtypes**: any; the result is int64.
    /// - **Errors**: what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([0, 5, 7]).flatnonzero().to_string(), "[1 2]");
    /// ```
    flatnonzero / try_flatnonzero (self) -> Array {
        gather::flat_positions(&self.try_astype(DType::Bool)?)
    }

    /// Returns the positions of the elements that are not zero, an array for each axis, as `np.nonzero`.
    ///
    /// Waits for the device.
    ///
    /// - **Shapes**: `(m, n) → (count,), (count,)`.
    /// - **Dtypes**: any; the results are int64.
    /// - **Errors**: a 0-d array, what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[0, 5], [7, 0]]).nonzero()[1].to_string(), "[1 0]");
    /// ```
    nonzero / try_nonzero (self) -> Arrays {
        if self.ndim() == 0 {
            let expected = "at least one axis (use reshape(1))".to_string();
            return Err(Error::Shape { op: "nonzero", expected, got: self.shape().into() });
        }
        gather::coordinates(&self.try_flatnonzero()?, self.shape()).map(Arrays::from)
    }

    /// Returns the positions of the elements that are not zero as rows, as `np.argwhere`; waits for the device.
    ///
    /// - **Shapes**: `(m, n) → (count, 2)`.
    /// - **Dtypes**: any; the result is int64.
    /// - **Errors**: what failed on the way.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([[0, 5], [7, 0]]).argwhere().to_string(), "[[0 1]\n [1 0]]");
    /// ```
    argwhere / try_argwhere (self) -> Array {
        let flat = self.try_flatnonzero()?;
        let coordinates = gather::coordinates(&flat, self.shape())?;
        if coordinates.is_empty() {
            let _guard = self.device().enter();
            return crate::array::try_zeros([flat.size(), 0], DType::I64);
        }
        crate::array::try_stack(&coordinates.iter().collect::<Vec<_>>(), 1)
    }

    /// Selects the parts along an axis for which a condition is true, as `np.compress`; waits for the device.
    ///
    /// - **Shapes**: `(m, n), (k,) → (count, n)` for axis 0 and `k ≤ m`; with `..` elements in C order.
    /// - **Dtypes**: any; the result has the array's.
    /// - **Errors**: a condition that is not 1-d or too long, an axis out of range, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2, 3]).compress(&array([true, false, true]), 0).to_string(), "[1 3]");
    /// ```
    compress / try_compress (self, condition: &Array, axis: impl IntoAxis<FlatAxis>) -> Array {
        const OP: &str = "compress";
        if condition.ndim() != 1 {
            let expected = "a 1-d condition".to_string();
            return Err(Error::Shape { op: OP, expected, got: condition.shape().into() });
        }
        let (array, axis) = along(OP, self, axis.into_axis().axis(OP)?)?;
        let index = condition.try_flatnonzero()?;
        gather::gather(OP, &array, &AdvancedIndex::along(&array, axis, &index)?)
    }

    /// Selects the elements, in C order, for which a condition is true, as `np.extract`; waits for the device.
    ///
    /// - **Shapes**: `(…), (…) → (count,)`.
    /// - **Dtypes**: any; the result has the array's.
    /// - **Errors**: a condition that is true beyond the end of the array, operands on two devices.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = array([1, 5, 2]);
    /// assert_eq!(a.extract(&a.less(3)).to_string(), "[1 2]");
    /// ```
    extract / try_extract (self, condition: &Array) -> Array {
        let (mask, array) = (condition.try_astype(DType::Bool)?.try_ravel()?, self.try_ravel()?);
        if mask.shape() == array.shape() {
            return gather::select(&array, &mask);
        }
        gather::gather("extract", &array, &AdvancedIndex::along(&array, 0, &mask.try_flatnonzero()?)?)
    }
}

/// An array and the axis beside whose others positions are given: 0-d arrays have none.
#[track_caller]
pub(in crate::array) fn beside_axis(
    op: &'static str,
    array: &Array,
    indices: &Array,
    axis: Option<isize>,
) -> Result<(Array, usize)> {
    match axis {
        Some(axis) => Ok((array.clone(), axis_index(op, axis, array.ndim())?)),
        None if indices.ndim() != 1 => {
            let expected = "indices of one dimension".to_string();
            Err(Error::Shape { op, expected, got: indices.shape().into() })
        }
        None => along(op, array, None),
    }
}

/// The common shape of positions for each element, which are integers of as many axes as the array, and of the array's other
/// axes, which broadcast.
#[track_caller]
pub(in crate::array) fn beside(
    op: &'static str,
    array: &Array,
    indices: &Array,
    axis: usize,
) -> Result<Shape> {
    if indices.dtype().kind() != Kind::Int {
        return Err(Error::IndexDType { op, dtype: indices.dtype() });
    }
    if indices.ndim() != array.ndim() {
        let expected = format!("indices of {} dimensions", array.ndim());
        return Err(Error::Shape { op, expected, got: indices.shape().into() });
    }
    let mut others = Shape::from_slice(array.shape());
    others[axis] = 1;
    let mismatch = |_| Error::IndexShapes {
        op,
        left: others.as_slice().into(),
        right: indices.shape().into(),
    };
    let shape = shape::broadcast(op, &others, indices.shape()).map_err(mismatch)?;
    shape::checked_size(op, &shape, array.dtype())?;
    Ok(shape)
}
