//! Rows that hold every integer of a range, as tables of counts have: a difference is the place.

use std::marker::PhantomData;

use super::Way;
use super::keys::Keyed;
use crate::loops::{Loop, LoopFn};

/// Needles whose places are found together, in a buffer that stays in the nearest cache.
const TOGETHER: usize = 512;

/// Such a row, and the side on which needles go that are equal to one of its elements.
pub(super) struct Consecutive {
    /// Ordinals are clamped to be no less than the first of these, which is then taken off, and no more than the second;
    /// the third is added.
    bounds: [u64; 3],
    places: LoopFn,
}

impl Consecutive {
    /// A row, if each integer follows the one before it.
    pub(super) fn of<T: Keyed>(sorted: &[T], after_equal: bool, way: Way) -> Option<Self> {
        let first = sorted.first()?.ordinal()?;
        let follows = |(i, element): (usize, &T)| element.ordinal() == first.checked_add(i as u64);
        let (length, ends) = (sorted.len() as u64, u64::from(after_equal));
        sorted.iter().enumerate().all(follows).then(|| Self {
            bounds: match first.checked_sub(ends) {
                Some(base) => [base, length, 0],
                // Nothing is less than the least of all.
                None => [first, length - ends, ends],
            },
            places: way.compiled::<Places<T>>(),
        })
    }

    /// Calls `found` with the places of needles, which are at most the length of the row, stretch by stretch.
    #[inline(always)]
    pub(super) fn places<T: Keyed>(&self, needles: &[T], mut found: impl FnMut(&[u64])) {
        let mut places = [0; TOGETHER];
        for stretch in needles.chunks(TOGETHER) {
            let args = [stretch.as_ptr().cast(), self.bounds.as_ptr().cast(), std::ptr::null()];
            // SAFETY: as many needles as places, and three bounds; the level is this CPU's.
            unsafe { (self.places)(places.as_mut_ptr().cast(), args, stretch.len()) };
            found(&places[..stretch.len()]);
        }
    }
}

/// Places (u64, at `out`) of the `count` needles at `args[0]` by the three bounds at `args[1]`.
struct Places<T>(PhantomData<T>);

impl<T: Keyed> Loop for Places<T> {
    #[inline(always)]
    unsafe fn run(out: *mut u8, args: [*const u8; 3], count: usize) -> bool {
        // SAFETY: this loop's contract; what is read is not written.
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
