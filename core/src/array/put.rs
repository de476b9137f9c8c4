//! Writing by data: at positions, and where a mask is true.
//!
//! Functions that change an array in place take it as `&mut` and return a `Result` at once, as
//! [`Array::set`] does: whether they succeed depends on data. Other handles keep the old values.

use super::Array;
use super::gather::{self, Route};
use super::take::{IndexMode, IntoAxis, IntoIndices, along, as_positions, beside};
use super::window::fit;
use crate::error::{Error, Result};
use crate::graph::Operand;

/// What is written, as an array of the target's device and dtype (Rust numbers are weak).
#[track_caller]
pub(super) fn values_for(op: &'static str, target: &Array, values: Operand) -> Result<Array> {
    match values {
        Operand::Array(array) if array.device() != target.device() => {
            let (left, right) = (target.device().name(), array.device().name());
            Err(Error::TwoDevices { op, left, right })
        }
        Operand::Array(array) => array.try_astype(target.dtype()),
        Operand::Scalar(scalar) => {
            let _guard = target.device().enter();
            super::try_full((), scalar, target.dtype())
        }
    }
}

/// The first `count` of the elements of `values`, in C order and over and over.
#[track_caller]
pub(super) fn cycled(values: &Array, count: usize) -> Result<Array> {
    let (flat, size) = (values.try_ravel()?, values.size());
    if size == 1 {
        return flat.try_broadcast_to(count);
    }
    if count <= size {
        return flat.try_i(..count);
    }
    let _guard = values.device().enter();
    let positions = super::try_arange(0, count as i64, 1, None)?.try_remainder(size as i64)?;
    gather::gather("take", &flat, &Route::along(&flat, 0, &positions)?)
}

impl Array {
    /// Writes `values`, over and over, at these positions, counted in C order over all axes, as `np.put`;
    /// where a position comes twice, the last value stays. No values change nothing.
    ///
    /// ```
    /// use ndany::{Array, Device};
    /// # let _guard = Device::open("reference")?.enter();
    /// let mut a = Array::from([0, 1, 2, 3]);
    /// a.put([0, -1], [7, 8])?;
    /// assert_eq!(a.to_vec::<i32>()?, [7, 1, 2, 8]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    ///
    /// # Errors
    /// A position out of range (nothing is changed then); indices that are no integers; two devices; what
    /// fails on the device.
    #[track_caller]
    pub fn put(&mut self, indices: impl IntoIndices, values: impl Into<Operand>) -> Result<()> {
        self.put_with(indices, values, IndexMode::Raise)
    }

    /// [`Array::put`] with a choice of what becomes of positions out of range, as `np.put(…, mode=…)`.
    ///
    /// # Errors
    /// As [`Array::put`].
    #[track_caller]
    pub fn put_with(
        &mut self,
        indices: impl IntoIndices,
        values: impl Into<Operand>,
        mode: IndexMode,
    ) -> Result<()> {
        const OP: &str = "put";
        let index = as_positions(OP, &indices.into_indices(self.device())?)?.try_ravel()?;
        let values = values_for(OP, self, values.into())?;
        if values.size() == 0 || index.size() == 0 {
            return Ok(());
        }
        let index = mode.bring(&index, self.size())?;
        let values = cycled(&values, index.size())?;
        self.scatter_flat(OP, &index, &values)
    }

    /// Writes a value for each position counted in C order.
    #[track_caller]
    pub(super) fn scatter_flat(
        &mut self,
        op: &'static str,
        index: &Array,
        values: &Array,
    ) -> Result<()> {
        if self.layout().reshape(&[self.size()]).is_none() {
            *self = self.try_copy()?;
        }
        gather::scatter(
            op,
            self,
            |target| Route::along(&target.try_ravel()?, 0, index),
            values,
            None,
        )
    }

    /// Writes `values`, broadcast, at the positions along an axis that [`Array::take_along_axis`] reads, as
    /// `np.put_along_axis`.
    ///
    /// # Errors
    /// As [`Array::put`]; shapes that do not broadcast.
    #[track_caller]
    pub fn put_along_axis(
        &mut self,
        indices: &Array,
        values: impl Into<Operand>,
        axis: impl IntoAxis,
    ) -> Result<()> {
        const OP: &str = "put_along_axis";
        let axis = axis.into_axis();
        if axis.is_none() && self.layout().reshape(&[self.size()]).is_none() {
            *self = self.try_copy()?;
        }
        let (view, number) = along(OP, self, axis)?;
        let (index, shape) = beside(OP, &view, indices, number)?;
        let values = fit(OP, &values_for(OP, self, values.into())?, &shape)?;
        drop(view);
        let route = |target: &Array| {
            let (view, number) = along(OP, target, axis)?;
            Ok(Route::beside(&view, number, &index, &shape))
        };
        gather::scatter(OP, self, route, &values, None)
    }
}
