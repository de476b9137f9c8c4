//! Repeating and rotating: tile, repeat, resize, roll.
//!
//! What repeats evenly is a broadcast view under a longer shape, copied once, lazily; the rest is
//! assembled from boxes.

use smallvec::SmallVec;

use super::join::Assembly;
use super::manipulate::IntoReshape;
use super::{Array, Side, axis_order, try_arange};
use crate::Order;
use crate::array::try_zeros;
use crate::declare::array_functions;
use crate::dtype::{Casting, DType};
use crate::error::{Error, Result};
use crate::shape::{self, Layout, Shape, axis_index, size_of};

/// How far elements move: one number, or one for each axis.
pub trait IntoShifts {
    /// The numbers.
    fn into_shifts(self) -> SmallVec<[i64; 4]>;
}

impl IntoShifts for i32 {
    fn into_shifts(self) -> SmallVec<[i64; 4]> {
        SmallVec::from_slice(&[i64::from(self)])
    }
}
impl IntoShifts for i64 {
    fn into_shifts(self) -> SmallVec<[i64; 4]> {
        SmallVec::from_slice(&[self])
    }
}
impl IntoShifts for &[i64] {
    fn into_shifts(self) -> SmallVec<[i64; 4]> {
        SmallVec::from_slice(self)
    }
}
impl<const N: usize> IntoShifts for [i64; N] {
    fn into_shifts(self) -> SmallVec<[i64; 4]> {
        SmallVec::from_slice(&self)
    }
}

/// A shape of which no extent is negative.
fn extents(op: &'static str, asked: &[isize], dtype: DType) -> Result<Shape> {
    let extent = |&extent: &isize| {
        usize::try_from(extent).map_err(|_| Error::Range { op, reason: "a negative extent" })
    };
    let shape: Shape = asked.iter().map(extent).collect::<Result<_>>()?;
    shape::checked_size(op, &shape, dtype)?;
    Ok(shape)
}

array_functions! {
    checked tile;

    /// The array repeated along each axis, new axes in front where there are more numbers, as `np.tile`.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([1, 2]);
    /// assert_eq!(a.tile([2, 2]).to_string(), "[[1 2 1 2]\n [1 2 1 2]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    tile / try_tile (self, repeats: impl IntoReshape) -> Array {
        const OP: &str = "tile";
        let mut repeats = repeats.into_reshape();
        // Nothing, repeated less than not at all, is nothing.
        for (repeat, &own) in repeats.iter_mut().rev().zip(self.shape().iter().rev()) {
            *repeat = if own == 0 { (*repeat).max(0) } else { *repeat };
        }
        let repeats = extents(OP, &repeats, DType::U8)?;
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
        array.try_copy()?.try_reshape(shape.iter().map(|&extent| extent as isize).collect::<Vec<_>>().as_slice())
    }

    /// Each element along an axis (or of the flat array) this many times, as `np.repeat` with one
    /// number.
    repeat / try_repeat (self, times: usize, axis: Option<isize>) -> Array {
        const OP: &str = "repeat";
        let Some(axis) = axis else { return self.try_ravel()?.try_repeat(times, Some(0)) };
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

    /// Each element along an axis (or of the flat array) as many times as an array of integers says: one
    /// number for each, or one for all, as `np.repeat`. Reads how many elements there will be.
    repeat_each / try_repeat_each (self, times: &Array, axis: Option<isize>) -> Array {
        const OP: &str = "repeat";
        let Some(axis) = axis else { return self.try_ravel()?.try_repeat_each(times, Some(0)) };
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
            return Err(Error::Broadcast { op: OP, left: times.shape().into(), right: (&[extent][..]).into() });
        }
        let times = times.try_astype(DType::I64)?.try_broadcast_to([extent])?;
        if times.try_less(0)?.try_any(..)?.item::<bool>()? {
            return Err(Error::Range { op: OP, reason: "a negative count" });
        }
        // Where each element's run ends; a place belongs to the first run that ends behind it.
        let ends = times.try_cumsum(0)?;
        let total = if extent == 0 { 0 } else { ends.try_i(-1)?.item::<i64>()? };
        let mut shape = Shape::from_slice(array.shape());
        shape[axis] = total as usize;
        shape::checked_size(OP, &shape, self.dtype())?;
        let _guard = self.device().enter();
        let places = try_arange(0, total, 1, Some(DType::I64))?;
        array.try_take(&ends.try_searchsorted(&places, Side::Right)?, axis as isize)
    }

    /// The flat elements, again and again or as many as needed, under a new shape, as `np.resize`.
    resize / try_resize (self, shape: impl IntoReshape) -> Array {
        const OP: &str = "resize";
        let shape = extents(OP, &shape.into_reshape(), self.dtype())?;
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

    /// Elements moved along axes, those that leave coming in at the other end, as `np.roll`: one shift
    /// for all axes or one for each, an axis given twice moving twice; without axes the flat elements.
    roll / try_roll (self, shifts: impl IntoShifts, axes: Option<&[isize]>) -> Array {
        const OP: &str = "roll";
        let shifts = shifts.into_shifts();
        let Some(axes) = axes else {
            let shape: Vec<isize> = self.shape().iter().map(|&extent| extent as isize).collect();
            return self.try_ravel()?.try_roll(shifts.as_slice(), Some(&[0]))?.try_reshape(shape.as_slice());
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
            let shift = shifts[pick(position, shifts.len())].rem_euclid(extent);
            moves[axis] = (moves[axis] + shift) % extent;
        }
        let order = axis_order(self.layout(), Order::K);
        let mut rolled = Assembly::new(OP, self.shape(), self.dtype(), self.device(), order)?;
        // Along each axis the box before the cut and the one behind it: all their combinations.
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
