//! Runs along the last axis that several strided operands have in common, with each operand's offset at the
//! start of a run.
//!
//! For patterns that move elements. Blocks of registers use `strided_cursor`.

use ndany_core::backend::StridedView;
use smallvec::SmallVec;

use crate::memory::address;

/// An operand: the address of its first element, and strides in elements of `T`.
#[derive(Clone, Debug)]
pub(crate) struct TypedView<T> {
    start: *mut T,
    strides: SmallVec<[isize; 4]>,
}

// SAFETY: an address and numbers; each use of the address states why it is allowed.
unsafe impl<T> Send for TypedView<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for TypedView<T> {}

impl<T> TypedView<T> {
    /// `T` has the size of the place's elements.
    pub(crate) fn new(place: &StridedView<'_>) -> Self {
        debug_assert_eq!(place.dtype.size(), size_of::<T>());
        let start = address(place.memory).cast::<T>().wrapping_add(place.offset);
        Self { start, strides: place.strides.iter().copied().collect() }
    }

    /// Its stride along the last axis of the space; 0 in a space without axes.
    pub(crate) fn step(&self) -> isize {
        self.strides.last().copied().unwrap_or(0)
    }

    /// The address `offset` elements from the first.
    #[inline(always)]
    pub(crate) fn at(&self, offset: isize) -> *mut T {
        self.start.wrapping_offset(offset)
    }

    /// The operand with its first element moved by `offset`.
    pub(crate) fn moved(mut self, offset: isize) -> Self {
        self.start = self.at(offset);
        self
    }

    pub(crate) fn strides(&self) -> &[isize] {
        &self.strides
    }
}

/// An iteration space and the strides of its operands.
#[derive(Clone, Debug)]
pub(crate) struct StridedRuns<'a> {
    shape: &'a [usize],
    /// Steps of each operand.
    strides: SmallVec<[&'a [isize]; 4]>,
}

impl<'a> StridedRuns<'a> {
    pub(crate) fn new(shape: &'a [usize], strides: impl IntoIterator<Item = &'a [isize]>) -> Self {
        Self { shape, strides: strides.into_iter().collect() }
    }

    /// Calls `visit(offsets, length)` for each run of elements `begin..end` (in C order) along the last axis;
    /// `offsets` are the operands' offsets at the run's start, in elements.
    pub(crate) fn for_each<E>(
        &self,
        begin: usize,
        end: usize,
        mut visit: impl FnMut(&[isize], usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut run = self.run_at(begin);
        let mut done = begin;
        while done < end {
            let length = run.length(self).min(end - done);
            visit(&run.offsets, length)?;
            done += length;
            run.advance(self);
        }
        Ok(())
    }

    // These are not compiled again with each function that visits runs.

    /// The rest of the run that has this element.
    #[inline(never)]
    fn run_at(&self, element: usize) -> Run {
        let mut offsets: SmallVec<[isize; 6]> = SmallVec::from_elem(0, self.strides.len());
        let mut coordinates: SmallVec<[usize; 6]> = SmallVec::from_elem(0, self.shape.len());
        let mut rest = element;
        for axis in (0..self.shape.len()).rev() {
            coordinates[axis] = rest % self.shape[axis];
            rest /= self.shape[axis];
            for (offset, strides) in offsets.iter_mut().zip(&self.strides) {
                *offset += coordinates[axis] as isize * strides[axis];
            }
        }
        Run { offsets, coordinates }
    }
}

/// A run of an iteration space: its first element.
struct Run {
    /// Of each operand.
    offsets: SmallVec<[isize; 6]>,
    coordinates: SmallVec<[usize; 6]>,
}

impl Run {
    /// Number of its elements: 1 in a space without axes.
    #[inline]
    fn length(&self, runs: &StridedRuns<'_>) -> usize {
        match (runs.shape, &*self.coordinates) {
            ([.., extent], [.., first]) => extent - first,
            _ => 1,
        }
    }

    /// Goes on to the next run: the last axis restarts, an outer axis advances.
    #[inline(never)]
    fn advance(&mut self, StridedRuns { shape, strides }: &StridedRuns<'_>) {
        let Self { offsets, coordinates } = self;
        let Some(last) = shape.len().checked_sub(1) else { return };
        for (offset, strides) in offsets.iter_mut().zip(strides) {
            *offset -= coordinates[last] as isize * strides[last];
        }
        coordinates[last] = 0;
        for axis in (0..last).rev() {
            coordinates[axis] += 1;
            let wraps = coordinates[axis] == shape[axis];
            let steps = if wraps { 1 - shape[axis] as isize } else { 1 };
            for (offset, strides) in offsets.iter_mut().zip(strides) {
                *offset += steps * strides[axis];
            }
            if !wraps {
                break;
            }
            coordinates[axis] = 0;
        }
    }
}

/// Evaluates `$body` with `$T` as an unsigned type of the size of `$dtype`'s elements.
macro_rules! by_size {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype.size() {
            1 => {
                type $T = u8;
                $body
            }
            2 => {
                type $T = u16;
                $body
            }
            4 => {
                type $T = u32;
                $body
            }
            8 => {
                type $T = u64;
                $body
            }
            _ => {
                type $T = [u64; 2];
                $body
            }
        }
    };
}
pub(crate) use by_size;
