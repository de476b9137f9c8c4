//! Sorted rows that hold every integer of a range, such as edges of counts: the place is a difference.

use std::marker::PhantomData;

use super::SortContext;
use super::keys::Keyed;
use crate::loops::{Loop, LoopFn};

/// Such a row, and the side for needles that equal an element.
pub(super) struct Consecutive {
    /// Ordinals are clamped to at least the first of these, which is then subtracted, and to at most the
    /// second; the third is added.
    bounds: [u64; 3],
    places: LoopFn,
}

impl Consecutive {
    /// Recognizes a row whose integers are consecutive.
    pub(super) fn of<T: Keyed>(
        sorted: &[T],
        after_equal: bool,
        context: SortContext,
    ) -> Option<Self> {
        let first = sorted.first()?.ordinal()?;
        let follows = |(i, element): (usize, &T)| element.ordinal() == first.checked_add(i as u64);
        let (length, ends) = (sorted.len() as u64, u64::from(after_equal));
        sorted.iter().enumerate().all(follows).then(|| Self {
            bounds: match first.checked_sub(ends) {
                Some(base) => [base, length, 0],
                // No value is less than the type's minimum.
                None => [first, length - ends, ends],
            },
            places: context.compiled::<PositionsLoop<T>>(),
        })
    }

    /// Writes the place of each needle. A place is at most the length of the row.
    pub(super) fn positions<T: Keyed>(&self, needles: &[T], places: &mut [u64]) {
        let count = needles.len().min(places.len());
        let args = [needles.as_ptr().cast(), self.bounds.as_ptr().cast(), std::ptr::null()];
        // SAFETY: as many needles as places, and three bounds; the CPU has the level's features.
        unsafe { (self.places)(places.as_mut_ptr().cast(), args, count) };
    }
}

/// Positions (u64, at `out`) of the `count` needles at `args[0]` by the three bounds at `args[1]`.
struct PositionsLoop<T>(PhantomData<T>);

impl<T: Keyed> Loop for PositionsLoop<T> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: this loop's contract; inputs and output do not overlap.
        let (places, needles, [base, limit, more]) = unsafe {
            (
                std::slice::from_raw_parts_mut(out.cast::<u64>(), count),
                std::slice::from_raw_parts(args[0].cast::<T>(), count),
                *args[1].cast::<[u64; 3]>(),
            )
        };
        for (place, needle) in places.iter_mut().zip(needles) {
            let ordinal = needle.ordinal().unwrap_or(base);
            *place = (ordinal.max(base) - base).min(limit) + more;
        }
        false
    }
}
