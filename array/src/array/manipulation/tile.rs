//! Repeating and rotating: tile, repeat, resize, roll.
//!
//! What repeats evenly is a broadcast view under a longer shape, copied once, lazily; the rest is
//! assembled from boxes.

use smallvec::SmallVec;

use crate::Order;
use crate::arguments::Arange;
use crate::arguments::options::*;
use crate::arguments::{AxisOptions, Integers, IntoAxes, IntoAxis, IntoShape, extents};
use crate::array::manipulation::join::Assembly;
use crate::array::try_zeros;
use crate::array::{Array, Side, axis_order, try_arange};
use crate::declare::array_functions;
use ndany_core::shape::{self, Layout, Shape, axis_index, size_of};
use ndany_core::{Casting, DType, Error, Result};

/// How often elements are repeated.
#[derive(Clone, Debug)]
pub enum Repeats {
    /// Each this often.
    All(usize),
    /// Each as often as its number in an array says.
    Each(Array),
}

impl From<usize> for Repeats {
    fn from(times: usize) -> Self {
        Self::All(times)
    }
}
impl From<i32> for Repeats {
    /// A negative number is as many as no memory holds.
    fn from(times: i32) -> Self {
        Self::All(usize::try_from(times).unwrap_or(usize::MAX))
    }
}
impl<T: crate::Element, const N: usize> From<[T; N]> for Repeats {
    #[track_caller]
    fn from(times: [T; N]) -> Self {
        (&Array::from(times)).into()
    }
}
impl From<&Array> for Repeats {
    fn from(times: &Array) -> Self {
        Self::Each(times.clone())
    }
}

array_functions! {
    checked tile, free free_tile;

    /// Repeats the whole array along each axis, as `np.tile`.
    ///
    /// New axes come first where there are more numbers than axes.
    ///
    /// - **Shapes**: `(m, n) → (m · r₀, n · r₁)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: a negative number, more than 64 axes.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([1, 2]);
    /// assert_eq!(a.tile([2, 2]).to_string(), "[[1 2 1 2]\n [1 2 1 2]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    tile / try_tile (self, repeats: impl Integers) -> Array {
        const OP: &str = "tile";
        let mut repeats = repeats.integers();
        // Nothing, repeated less than not at all, is nothing.
        for (repeat, &own) in repeats.iter_mut().rev().zip(self.shape().iter().rev()) {
            *repeat = if own == 0 { (*repeat).max(0) } else { *repeat };
        }
        let repeats = extents(OP, &repeats)?;
        shape::checked_size(OP, &repeats, DType::U8)?;
        let ndim = repeats.len().max(self.ndim());
        let missing = ndim - self.ndim();
        let own = |axis: usize| if axis < missing { 1 } else { self.shape()[axis - missing] };
        let times = |axis: usize| {
            (axis + repeats.len()).checked_sub(ndim).map_or(1, |axis| repeats[axis])
        };
        let mut shape = Shape::new();
        for axis in 0..ndim {
            shape.push(own(axis).saturating_mul(times(axis)));
        }
        shape::checked_size(OP, &shape, self.dtype())?;
        // Each repeated axis is two: which repetition, and where in it.
        let (mut split, mut stretched) = (SmallVec::<[isize; 4]>::new(), Shape::new());
        for axis in 0..ndim {
            if times(axis) != 1 {
                split.push(1);
                stretched.push(times(axis));
            }
            split.push(own(axis) as isize);
            stretched.push(own(axis));
        }
        if stretched.len() > shape::MAX_NDIM {
            return Err(Error::TooManyDimensions { op: OP, ndim: stretched.len() });
        }
        let array = self.try_reshape(split.as_slice())?.try_broadcast_to(stretched.as_slice())?;
        array.try_copy()?.try_reshape(&*shape)
    }

    /// Repeats each element along an axis, as `np.repeat`.
    ///
    /// Takes one number for all, or an array of integers with a number for each, which is read at once.
    ///
    /// - **Shapes**: `(n, …) → (n · times, …)` for axis 0; with `..` elements in C order.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: negative numbers, a number of numbers that does not fit, an axis out of range.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).repeat(2, ..).to_string(), "[1 1 2 2]");
    /// ```
    repeat / try_repeat (self, times: impl Into<Repeats>, axis: impl IntoAxis<FlatAxis>) -> Array {
        const OP: &str = "repeat";
        let axis = axis.into_axis();
        let times = match times.into() {
            Repeats::All(times) => times,
            Repeats::Each(times) => return self.repeated_each(&times, axis),
        };
        let Some(axis) = axis.axis(OP)? else { return self.try_ravel()?.try_repeat(times, 0) };
        let array = if self.ndim() == 0 { self.try_expand_dims(0)? } else { self.clone() };
        let axis = axis_index(OP, axis, array.ndim())?;
        let mut shape = Shape::from_slice(array.shape());
        shape[axis] = shape[axis].saturating_mul(times);
        shape::checked_size(OP, &shape, self.dtype())?;
        if array.ndim() == shape::MAX_NDIM {
            return Err(Error::TooManyDimensions { op: OP, ndim: array.ndim() + 1 });
        }
        let mut stretched = Shape::from_slice(array.shape());
        stretched.insert(axis + 1, times);
        let array = array.try_expand_dims(axis as isize + 1)?.try_broadcast_to(stretched.as_slice())?;
        let shape: Vec<isize> = shape.iter().map(|&extent| extent as isize).collect();
        array.try_copy()?.try_reshape(shape.as_slice())
    }


    /// Returns an array of a new shape filled with the elements in C order, repeated as needed, as `np.resize`.
    ///
    /// - **Shapes**: `(…) → shape`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: a shape that is too large or negative.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2]).resize((2, 3)).to_string(), "[[1 2 1]\n [2 1 2]]");
    /// ```
    resize / try_resize (self, shape: impl IntoShape) -> Array {
        const OP: &str = "resize";
        let shape = shape.into_shape().extents(OP)?;
        shape::checked_size(OP, &shape, self.dtype())?;
        let (size, own) = (size_of(&shape), self.size());
        let _guard = self.device().enter();
        if own == 0 {
            return try_zeros(shape.as_slice(), self.dtype());
        }
        let flat = self.try_ravel()?;
        let (whole, rest) = (size / own, size % own);
        let mut resized = Assembly::new(OP, &[size], self.dtype(), self.device(), None)?;
        let rows = Layout::contiguous(&[whole, own]);
        resized.put(&rows, &flat.try_broadcast_to([whole, own])?);
        resized.put(&resized.window(&[whole * own], &[rest]), &flat.try_i(..rest)?);
        let shape: Vec<isize> = shape.iter().map(|&extent| extent as isize).collect();
        resized.finish().try_reshape(shape.as_slice())
    }

    /// Moves elements along axes; those that leave come in at the other end, as `np.roll`.
    ///
    /// Takes one shift for all axes or one for each; an axis given twice moves twice; `..` moves the elements in C order.
    ///
    /// - **Shapes**: `(…) → (…)`.
    /// - **Dtypes**: any; the result has the same.
    /// - **Errors**: an axis out of range, numbers of shifts and axes that differ.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(array([1, 2, 3]).roll(1, 0).to_string(), "[3 1 2]");
    /// ```
    roll / try_roll (self, shifts: impl Integers, axes: impl IntoAxes) -> Array {
        const OP: &str = "roll";
        let shifts = shifts.integers();
        let Some(axes) = axes.into_axes().axes else {
            return self.try_ravel()?.try_roll(shifts.as_slice(), 0)?.try_reshape(self.shape());
        };
        let axes: SmallVec<[usize; 4]> =
            axes.iter().map(|&axis| axis_index(OP, axis, self.ndim())).collect::<Result<_>>()?;
        let count = match (shifts.len(), axes.len()) {
            (1, count) | (count, 1) => count,
            (left, right) if left == right => left,
            (left, right) => return Err(Error::Lengths { op: OP, left, right }),
        };
        let mut moves: SmallVec<[i64; 4]> = SmallVec::from_elem(0, self.ndim());
        let pick = |position: usize, len: usize| if len == 1 { 0 } else { position };
        for position in 0..count {
            let axis = axes[pick(position, axes.len())];
            let extent = (self.shape()[axis] as i64).max(1);
            let shift = (shifts[pick(position, shifts.len())] as i64).rem_euclid(extent);
            moves[axis] = (moves[axis] + shift) % extent;
        }
        let order = axis_order(self.layout(), Order::K);
        let mut rolled = Assembly::new(OP, self.shape(), self.dtype(), self.device(), order)?;
        // Along each axis the box before the cut and the one after it: all their combinations.
        let moved: SmallVec<[usize; 4]> = (0..self.ndim()).filter(|&axis| moves[axis] != 0).collect();
        for choice in 0..1usize << moved.len() {
            let mut target: Shape = Shape::from_elem(0, self.ndim());
            let mut shape = Shape::from_slice(self.shape());
            let mut source = self.layout().clone();
            for (bit, &axis) in moved.iter().enumerate() {
                let (extent, shift) = (shape[axis], moves[axis] as usize);
                let (from, to, length) = match choice >> bit & 1 {
                    0 => (0, shift, extent - shift),
                    _ => (extent - shift, 0, shift),
                };
                (target[axis], shape[axis], source.shape[axis]) = (to, length, length);
                source.offset = (source.offset as isize + from as isize * source.strides[axis]) as usize;
            }
            if size_of(&shape) > 0 {
                rolled.put(&rolled.window(&target, &shape), &self.with_layout(source));
            }
        }
        Ok(rolled.finish())
    }
}

impl Array {
    /// Each element along an axis (`..`: of the elements in C order) as many times as an array of integers says: one
    /// number for each, or one for all, as `np.repeat`. Reads how many elements there will be.
    #[track_caller]
    fn repeated_each(&self, times: &Array, axis: AxisOptions) -> Result<Array> {
        const OP: &str = "repeat";
        let Some(axis) = axis.axis(OP)? else {
            return self.try_ravel()?.repeated_each(times, AxisOptions::from(Some(0)));
        };
        let array = self.try_atleast_1d()?;
        let axis = axis_index(OP, axis, array.ndim())?;
        if !times.dtype().can_cast(DType::I64, Casting::Safe) {
            let dtypes = format!("counts of dtype {}", times.dtype());
            return Err(Error::DTypes { op: OP, dtypes, remedy: "convert them with astype first" });
        }
        if times.ndim() > 1 {
            let expected = "counts along one axis".to_string();
            return Err(Error::Shape { op: OP, expected, got: times.shape().into() });
        }
        let extent = array.shape()[axis];
        if times.size() != 1 && times.size() != extent {
            return Err(Error::Broadcast {
                op: OP,
                left: times.shape().into(),
                right: (&[extent][..]).into(),
            });
        }
        let times = times.try_astype(DType::I64)?.try_broadcast_to([extent])?;
        if times.try_less(0)?.try_any(..)?.item::<bool>()? {
            return Err(Error::Range { op: OP, reason: "a negative count" });
        }
        // Where each element's run ends; a position belongs to the first run that ends after it.
        let ends = times.try_cumsum(0)?;
        let total = if extent == 0 { 0 } else { ends.try_i(-1)?.item::<i64>()? };
        let mut shape = Shape::from_slice(array.shape());
        shape[axis] = total as usize;
        shape::checked_size(OP, &shape, self.dtype())?;
        let _guard = self.device().enter();
        let places = try_arange(Arange::of(0, total, 1, Some(DType::I64)))?;
        array.try_take(&ends.try_searchsorted(&places, Side::Right)?, axis as isize)
    }
}
