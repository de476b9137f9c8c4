//! Where arrays lie: shared memory, what is known of an array without its values, and requirements on both.

use super::{Array, Order};
use crate::declare::{array_functions, functions};
use crate::dtype::{DType, Kind};
use crate::error::{Error, Result};
use crate::graph::node::Node;
use crate::shape::{self, Layout, Shape};

impl Array {
    /// The first byte that the array takes of its memory and the one behind the last, as `np.byte_bounds`, counted from
    /// the beginning of that memory: addresses are the device's.
    pub fn byte_bounds(&self) -> (usize, usize) {
        let size = self.dtype().size();
        match self.layout().span() {
            Some((low, high)) => (low * size, (high + 1) * size),
            None => (self.layout().offset * size, self.layout().offset * size),
        }
    }

    /// The same bytes as elements of another dtype, in C order and of a shape that takes as many bytes; a copy only where
    /// the elements do not lie so. It shares this array's memory without knowing of it: what is computed of it must be
    /// there before this array can change, and must not be of its dtype, or the memory would be taken for its result.
    #[track_caller]
    pub(super) fn reread(&self, op: &'static str, dtype: DType, shape: Shape) -> Result<Array> {
        let (own, other) = (self.dtype().size(), dtype.size());
        debug_assert_eq!(self.size() * own, shape::size_of(&shape) * other);
        let fits = |layout: &Layout| {
            let first =
                (layout.offset * own).is_multiple_of(other).then_some(layout.offset * own / other);
            first.filter(|_| layout.is_contiguous())
        };
        let (array, offset) = match fits(self.layout()) {
            Some(offset) => (self.clone(), offset),
            None => (self.try_copy()?, 0),
        };
        let outcome = array.buffer();
        let whole = Node::done(op, shape.clone(), dtype, self.device().clone(), outcome);
        Ok(Array::of_node(whole).with_layout(Layout { offset, ..Layout::contiguous(&shape) }))
    }

    /// Do both lie in one memory, where the bytes between their bounds overlap? As `np.may_share_memory`. Writing never
    /// shows through another array all the same.
    ///
    /// ```
    /// use ndany::{Device, arange, s};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = arange(0, 8, 1);
    /// let (even, odd) = (a.i(s![..;2]), a.i(s![1..;2]));
    /// assert!(even.may_share_memory(&odd) && !even.shares_memory(&odd));
    /// assert!(a.shares_memory(&odd));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn may_share_memory(&self, other: &Array) -> bool {
        let ((low, high), (from, to)) = (self.byte_bounds(), other.byte_bounds());
        std::sync::Arc::ptr_eq(self.node(), other.node()) && low < to && from < high
    }

    /// Is there an element of both? As `np.shares_memory`: exact, at the cost of a look at each position of one of them
    /// where both have gaps.
    pub fn shares_memory(&self, other: &Array) -> bool {
        if !self.may_share_memory(other) {
            return false;
        }
        let (first, second) = (self.layout(), other.layout());
        if is_dense(first) && is_dense(second) {
            return true;
        }
        let ((low, high), (from, to)) = match (first.span(), second.span()) {
            (Some(first), Some(second)) => (first, second),
            (None, _) | (_, None) => return false,
        };
        let (low, high) = (low.max(from), high.min(to));
        let mut taken = vec![false; high + 1 - low];
        for place in places(first).filter(|place| (low..=high).contains(place)) {
            taken[place - low] = true;
        }
        places(second).any(|place| (low..=high).contains(&place) && taken[place - low])
    }

    /// Does it lie in Fortran order, and not in C order as well? As `np.isfortran`.
    pub fn isfortran(&self) -> bool {
        self.is_f_contiguous() && !self.is_c_contiguous()
    }

    /// Are the elements of a complex dtype? As `np.iscomplexobj`.
    pub fn iscomplexobj(&self) -> bool {
        self.dtype().is_complex()
    }

    /// Are the elements of a dtype that is not complex? As `np.isrealobj`.
    pub fn isrealobj(&self) -> bool {
        !self.dtype().is_complex()
    }

    /// The array, if it has neither NaN nor infinities, as `np.asarray_chkfinite`. Waits for the device.
    ///
    /// # Errors
    /// There are some; what failed on the way.
    #[track_caller]
    pub fn asarray_chkfinite(&self) -> Result<Array> {
        const OP: &str = "asarray_chkfinite";
        let finite = match self.dtype().kind() {
            Kind::Bool | Kind::Int => true,
            Kind::Float | Kind::Complex => self.try_isfinite()?.try_all(..)?.item::<bool>()?,
        };
        if finite {
            return Ok(self.clone());
        }
        let reason = "the array has NaN or infinities".to_string();
        Err(Error::ArgumentValue { op: OP.to_string(), reason })
    }
}

array_functions! {
    checked requirements;

    /// The array in a dtype and an order, as `np.require`: itself, where it is so. Arrays own their memory and may be
    /// written, as far as anyone can tell, so there is nothing else to require.
    require / try_require (self, dtype: Option<DType>, order: Order) -> Array {
        self.try_astype_in(dtype.unwrap_or(self.dtype()), order)
    }

    /// One over the square root, as CuPy's `cupyx.rsqrt`: two roundings.
    rsqrt / try_rsqrt (self) -> Array {
        self.try_sqrt()?.try_reciprocal()
    }
}

functions! {
    /// The shape to which shapes broadcast, as `np.broadcast_shapes`, and `np.broadcast(…).shape`.
    ///
    /// ```
    /// assert_eq!(ndany::broadcast_shapes(&[&[3, 1], &[4]]).as_slice(), [3, 4]);
    /// assert!(ndany::checked::broadcast_shapes(&[&[3], &[4]]).is_err());
    /// ```
    broadcast_shapes / try_broadcast_shapes (shapes: &[&[usize]]) -> Shape {
        let mut whole = Shape::new();
        for shape in shapes {
            whole = shape::broadcast("broadcast_shapes", &whole, shape)?;
        }
        Ok(whole)
    }

    /// Flat arrays and numbers one behind the other, as `np.r_[…]`: [`concatenate`](fn@crate::concatenate) along the
    /// first axis, where a 0-d array counts as one element.
    r_ / try_r_ (arrays: &[&Array]) -> Array {
        let arrays = arrays.iter().map(|array| array.try_atleast_1d()).collect::<Result<Vec<_>>>()?;
        super::try_concatenate(&arrays.iter().collect::<Vec<_>>(), 0)
    }

    /// Arrays side by side, flat ones as columns, as `np.c_[…]`.
    ///
    /// ```
    /// use ndany::{Array, Device, c_};
    /// # let _guard = Device::open("reference")?.enter();
    /// let (x, y) = (Array::from([1, 2]), Array::from([3, 4]));
    /// assert_eq!(c_(&[&x, &y]).to_string(), "[[1 3]\n [2 4]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    c_ / try_c_ (arrays: &[&Array]) -> Array {
        let column = |array: &&Array| match array.ndim() {
            0 => array.try_expand_dims([0, 1]),
            1 => array.try_expand_dims(1),
            _ => Ok((*array).clone()),
        };
        let arrays = arrays.iter().map(column).collect::<Result<Vec<_>>>()?;
        super::try_concatenate(&arrays.iter().collect::<Vec<_>>(), -1)
    }
}

/// Does every place between the first and the last hold an element?
fn is_dense(layout: &Layout) -> bool {
    layout.is_contiguous() || layout.is_fortran()
}

/// The place of every element in the buffer.
fn places(layout: &Layout) -> impl Iterator<Item = usize> + '_ {
    super::functional::ndindex(layout.shape.as_slice()).map(|index| {
        let steps = index.iter().zip(&layout.strides).map(|(&at, &stride)| at as isize * stride);
        (layout.offset as isize + steps.sum::<isize>()) as usize
    })
}
