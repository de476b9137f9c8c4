//! Functions that calls by name have and methods have not: another method or an operator does the same, or what they ask
//! has no answer in Rust, where values do not alias.

use crate::arguments::IntoAxis;
use crate::array::*;
use crate::graph;
use crate::graph::Operand;
use ndany_core::shape::{Layout, axis_index};
use ndany_core::{CallSite, DType, Error, Kind, Result};

impl Array {
    /// The first byte that the array takes of its memory and the one after the last, as `np.byte_bounds`, counted from
    /// the beginning of that memory: addresses are the device's.
    pub(crate) fn byte_bounds(&self) -> (usize, usize) {
        let size = self.dtype().size();
        match self.layout().span() {
            Some((low, high)) => (low * size, (high + 1) * size),
            None => (self.layout().offset * size, self.layout().offset * size),
        }
    }

    /// Whether both lie in one memory and the bytes between their bounds overlap, as `np.may_share_memory`. Writing never
    /// shows through another array all the same.
    pub(crate) fn may_share_memory(&self, other: &Array) -> bool {
        let ((low, high), (from, to)) = (self.byte_bounds(), other.byte_bounds());
        std::sync::Arc::ptr_eq(self.node(), other.node()) && low < to && from < high
    }

    /// Whether both have an element in common, as `np.shares_memory`: exact, at the cost of one check of each position of one of them
    /// where both have gaps.
    pub(crate) fn shares_memory(&self, other: &Array) -> bool {
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
        for place in buffer_positions(first).filter(|place| (low..=high).contains(place)) {
            taken[place - low] = true;
        }
        buffer_positions(second).any(|place| (low..=high).contains(&place) && taken[place - low])
    }

    /// Whether it lies in Fortran order, and not in C order as well, as `np.isfortran`.
    pub(crate) fn isfortran(&self) -> bool {
        self.is_f_contiguous() && !self.is_c_contiguous()
    }

    /// The array, if it has neither NaN nor infinities, as `np.asarray_chkfinite`. Waits for the device.
    ///
    /// # Errors
    /// There are some; what failed on the way.
    #[track_caller]
    pub(crate) fn asarray_chkfinite(&self) -> Result<Array> {
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

    /// The array in a dtype and an order, as `np.require`: itself, where it is so. Arrays own their memory and may be
    /// written, as far as anyone can tell, so there is nothing else to require.
    #[track_caller]
    pub(crate) fn try_require(&self, dtype: Option<DType>, order: Order) -> Result<Array> {
        self.try_astype_in(dtype.unwrap_or(self.dtype()), order)
    }

    /// An axis moved before the axis `start` (0 to the number of axes), as `np.rollaxis`. A view.
    #[track_caller]
    pub(crate) fn try_rollaxis(&self, axis: impl IntoAxis, start: isize) -> Result<Array> {
        const OP: &str = "rollaxis";
        let axis = axis_index(OP, axis.into_axis().one(OP)?, self.ndim())?;
        // One more position than there are axes: after the last one.
        let counted = if start < 0 { start + self.ndim() as isize } else { start };
        let start = usize::try_from(counted).ok().filter(|&start| start <= self.ndim());
        let start = start.ok_or(Error::Axis { op: OP, axis: counted, ndim: self.ndim() })? as isize;
        let axis = axis as isize;
        let target = if axis < start { start - 1 } else { start };
        self.try_moveaxis(axis, target)
    }

    /// An array of its own with the same values, lying in `order`, as `np.copy(a, order)`.
    #[track_caller]
    pub(crate) fn try_copy_in(&self, order: Order) -> Result<Array> {
        Ok(graph::cast(self, self.dtype(), order, CallSite::caller()))
    }

    /// [`Array::searchsorted`] in an array that is not sorted itself: `sorter` names its elements in sorted
    /// order, as `argsort` does. NumPy's `sorter`.
    #[track_caller]
    pub(crate) fn try_searchsorted_by(
        &self,
        sorter: &Array,
        values: impl Into<Operand>,
        side: Side,
    ) -> Result<Array> {
        const OP: &str = "searchsorted";
        let bad =
            |reason: &str| Error::ArgumentValue { op: OP.to_string(), reason: reason.to_string() };
        if !sorter.dtype().is_int() {
            let dtypes = format!("a sorter of {}", sorter.dtype());
            return Err(Error::DTypes { op: OP, dtypes, remedy: "a sorter holds integers" });
        }
        if sorter.ndim() != 1 {
            let reason = format!("a sorter of {} dimensions: expected one", sorter.ndim());
            return Err(Error::Arguments { op: OP.to_string(), reason });
        }
        if sorter.size() != self.size() {
            return Err(bad("the sorter must have as many elements as the array"));
        }
        let size = self.size() as i64;
        let outside = sorter.try_less(0)?.try_logical_or(sorter.try_greater_equal(size)?)?;
        if outside.try_any(..)?.item::<bool>()? {
            return Err(bad("the sorter has a position outside the array"));
        }
        self.try_take(sorter, 0)?.try_searchsorted(values, side)
    }
}

/// Flat arrays and numbers joined one after the other, as `np.r_[…]`: [`concatenate`](fn@crate::concatenate) along the
/// first axis, where a 0-d array counts as one element.
#[track_caller]
pub(crate) fn try_r_(arrays: &[&Array]) -> Result<Array> {
    let arrays = arrays.iter().map(|array| array.try_atleast_1d()).collect::<Result<Vec<_>>>()?;
    crate::array::try_concatenate(&arrays.iter().collect::<Vec<_>>(), 0)
}

/// Arrays side by side, flat ones as columns, as `np.c_[…]`.
#[track_caller]
pub(crate) fn try_c_(arrays: &[&Array]) -> Result<Array> {
    let column = |array: &&Array| match array.ndim() {
        0 => array.try_expand_dims([0, 1]),
        1 => array.try_expand_dims(1),
        _ => Ok((*array).clone()),
    };
    let arrays = arrays.iter().map(column).collect::<Result<Vec<_>>>()?;
    crate::array::try_concatenate(&arrays.iter().collect::<Vec<_>>(), -1)
}

/// Whether every position between the first and the last holds an element.
fn is_dense(layout: &Layout) -> bool {
    layout.is_contiguous() || layout.is_fortran()
}

/// The place of every element in the buffer.
fn buffer_positions(layout: &Layout) -> impl Iterator<Item = usize> + '_ {
    crate::array::functional::ndindex(layout.shape.as_slice()).map(|index| {
        let steps = index.iter().zip(&layout.strides).map(|(&at, &stride)| at as isize * stride);
        (layout.offset as isize + steps.sum::<isize>()) as usize
    })
}
