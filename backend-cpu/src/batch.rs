//! Batches of contiguous items of one size (matrices to factor, rows to transform) that threads share.
//!
//! The caller assigns items to threads. Each unsafe call states why no two threads use the same item.

use ndany_core::DType;
use ndany_core::backend::ContiguousView;

use crate::memory::address;

/// Address and item size of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Batch {
    start: *mut u8,
    /// Bytes of an item.
    size: usize,
}

// SAFETY: an address and a number; each use of the address states why it is allowed.
unsafe impl Send for Batch {}
// SAFETY: as above.
unsafe impl Sync for Batch {}

impl Batch {
    /// A batch whose items have this many elements each.
    pub(crate) fn new(place: &ContiguousView<'_>, elements: usize, dtype: DType) -> Self {
        let start = address(place.memory).wrapping_add(place.offset * dtype.size());
        Self { start, size: elements * dtype.size() }
    }

    /// # Safety
    /// Nothing writes item `number` while the slice lives, and `T` is the element type.
    pub(crate) unsafe fn read<'a, T>(&self, number: usize) -> &'a [T] {
        let start = self.start.wrapping_add(number * self.size).cast_const().cast();
        // SAFETY: the caller upholds this; `Checked` places all items inside their memory, aligned for the dtype.
        unsafe { std::slice::from_raw_parts(start, self.size / size_of::<T>()) }
    }

    /// # Safety
    /// Nothing writes the first `count` items while the slice lives, and `T` is the element type.
    pub(crate) unsafe fn all<'a, T>(&self, count: usize) -> &'a [T] {
        // SAFETY: the caller upholds this; `Checked` places all items inside their memory, aligned for the dtype.
        unsafe {
            std::slice::from_raw_parts(
                self.start.cast_const().cast(),
                count * self.size / size_of::<T>(),
            )
        }
    }

    /// # Safety
    /// No other code reads or writes item `number` while the slice lives, and any bytes are a valid `T`.
    pub(crate) unsafe fn write<'a, T>(&self, number: usize) -> &'a mut [T] {
        let start = self.start.wrapping_add(number * self.size).cast();
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(start, self.size / size_of::<T>()) }
    }
}
