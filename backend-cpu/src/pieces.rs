//! Pieces of one size, one behind the other, as threads share them: matrices to factor, rows to transform.
//!
//! Who works on which piece is the caller's affair, and that no two do is what each use has to say.

use ndany_core::DType;
use ndany_core::backend::Packed;

use crate::memory::address;

/// Where the pieces of a batch lie.
#[derive(Clone, Copy)]
pub(crate) struct Pieces {
    start: *mut u8,
    /// Bytes of a piece.
    size: usize,
}

// SAFETY: an address and a number; each use of the address states why it is allowed.
unsafe impl Send for Pieces {}
// SAFETY: as above.
unsafe impl Sync for Pieces {}

impl Pieces {
    /// Pieces of so many elements each.
    pub(crate) fn new(place: &Packed<'_>, elements: usize, dtype: DType) -> Self {
        let start = address(place.memory).wrapping_add(place.offset * dtype.size());
        Self { start, size: elements * dtype.size() }
    }

    /// # Safety
    /// Nobody writes the piece of this number, and `T` is the element.
    pub(crate) unsafe fn read<'a, T>(&self, number: usize) -> &'a [T] {
        let start = self.start.wrapping_add(number * self.size).cast_const().cast();
        // SAFETY: the caller's; core places all pieces in their memory, aligned for the dtype.
        unsafe { std::slice::from_raw_parts(start, self.size / size_of::<T>()) }
    }

    /// # Safety
    /// Nobody writes any of the first pieces, so many, and `T` is the element.
    pub(crate) unsafe fn all<'a, T>(&self, count: usize) -> &'a [T] {
        // SAFETY: the caller's; core places all pieces in their memory, aligned for the dtype.
        unsafe {
            std::slice::from_raw_parts(
                self.start.cast_const().cast(),
                count * self.size / size_of::<T>(),
            )
        }
    }

    /// # Safety
    /// Nobody else reads or writes the piece of this number, and any bytes are a `T`.
    pub(crate) unsafe fn write<'a, T>(&self, number: usize) -> &'a mut [T] {
        let start = self.start.wrapping_add(number * self.size).cast();
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(start, self.size / size_of::<T>()) }
    }
}
