//! Selections by a mask: a first pass counts each block's true elements, a second pass writes each block's
//! elements after those of the blocks before it.
//!
//! Writes do not branch on the mask, since a random mask would be mispredicted every other time: every element
//! is written, and the place advances by the mask's value.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

use ndany_core::Result;
use ndany_core::backend::Select;
use ndany_core::shape::size_of;

use crate::count_true;
use crate::loops::Level;
use crate::strided_runs::{StridedRuns, TypedView, by_size};
use crate::threads::Threads;

/// Elements of a block. Its selected values are collected on the stack before they are copied to the output.
const BLOCK: usize = 4096;

pub(crate) fn select(select: &Select<'_>, level: Level, threads: &Threads) -> Result<()> {
    by_size!(select.out.dtype, T => select_as::<T>(select, level, threads))
}

/// An element, or a position in the form without a source.
trait Word: Copy + Default + Send + Sync {
    fn of_position(position: usize) -> Self;
}

macro_rules! words {
    ($($ty:ty: $position:ident => $value:expr;)+) => {$(
        impl Word for $ty {
            #[inline(always)]
            fn of_position($position: usize) -> Self { $value }
        }
    )+};
}
// Positions are I64, so the other sizes never hold one.
words! {
    u8: position => position as u8;
    u16: position => position as u16;
    u32: position => position as u32;
    u64: position => position as u64;
    [u64; 2]: position => [position as u64, 0];
}

fn select_as<T: Word>(select: &Select<'_>, level: Level, threads: &Threads) -> Result<()> {
    let size = size_of(&select.shape);
    let mask = TypedView::<u8>::new(&select.mask);
    let counts = true_counts(select, &mask, threads)?;
    let mut total = 0;
    let starts = counts.iter().map(|count| {
        let start = total;
        total += count;
        start
    });
    let starts: Vec<usize> = starts.collect();
    select.check_shown(total)?;
    let out = TypedView::<T>::new(&select.out);
    let source = select.source.as_ref().map(TypedView::<T>::new);
    let strides = [Some(mask.strides()), source.as_ref().map(TypedView::strides)];
    let runs = StridedRuns::new(&select.shape, strides.into_iter().flatten());
    threads.split(counts.len(), 1, size * 2, |begin, end| {
        let mut selected = [T::default(); BLOCK];
        for block in begin..end {
            let (first, last) = (block * BLOCK, ((block + 1) * BLOCK).min(size));
            let count = counts[block];
            if count == 0 {
                continue;
            }
            let (mut position, mut filled) = (first, 0);
            let _: Result<(), Infallible> = runs.for_each(first, last, |offsets, length| {
                let mask = Mask { start: mask.at(offsets[0]), step: mask.step() };
                let source = source.as_ref().map(|source| (source.at(offsets[1]), source.step()));
                let run = Run { mask, source, position, length };
                // SAFETY: `Checked` places every element of the space in its memory; a block has room for as many
                // values as it has elements.
                filled += unsafe { run.select(level, &mut selected[filled..]) };
                position += length;
                Ok(())
            });
            // SAFETY: the output has room for `count` elements, which is how many the mask shows; this thread alone has this
            // block's places.
            unsafe {
                let to = out.at(starts[block] as isize);
                std::ptr::copy_nonoverlapping(selected.as_ptr(), to, count);
            }
        }
        Ok(())
    })
}

/// The number of true elements of each block of a mask.
fn true_counts(select: &Select<'_>, mask: &TypedView<u8>, threads: &Threads) -> Result<Vec<usize>> {
    let size = size_of(&select.shape);
    let counts: Vec<AtomicUsize> = (0..size.div_ceil(BLOCK)).map(|_| AtomicUsize::new(0)).collect();
    let runs = StridedRuns::new(&select.shape, [mask.strides()]);
    threads.split(counts.len(), 1, size / 4, |begin, end| {
        for (block, count) in counts.iter().enumerate().take(end).skip(begin) {
            let (first, last) = (block * BLOCK, ((block + 1) * BLOCK).min(size));
            let mut shown = 0;
            let _: Result<(), Infallible> = runs.for_each(first, last, |offsets, length| {
                // SAFETY: `Checked` places every element of the space in the mask's memory.
                shown += unsafe { count_true::count(mask.at(offsets[0]), mask.step(), length) };
                Ok(())
            });
            count.store(shown, Ordering::Relaxed);
        }
        Ok(())
    })?;
    Ok(counts.into_iter().map(AtomicUsize::into_inner).collect())
}

/// A run of a selection.
struct Run<T> {
    mask: Mask,
    /// The first element and the step between elements; positions are selected where there is no source.
    source: Option<(*mut T, isize)>,
    /// Position of the first element in the space.
    position: usize,
    length: usize,
}

impl<T: Word> Run<T> {
    /// Writes the selected elements, or positions, contiguously to `room`. Returns their number.
    ///
    /// # Safety
    /// The run's mask values and elements are valid for reads, and `room` has at least `length` places.
    #[inline(always)]
    unsafe fn select(self, level: Level, room: &mut [T]) -> usize {
        let Run { mask, source, position, length } = self;
        let contiguous = mask.step == 1 && source.is_none_or(|(_, step)| step == 1);
        let (mut done, mut kept) = (0, 0);
        if contiguous {
            let elements = source.map(|(start, _)| start);
            // SAFETY: the caller upholds this.
            (done, kept) =
                unsafe { compressed(level, mask.start, elements, position, length, room) };
        }
        let (room, length) = (&mut room[kept..], length - done);
        let moved = |step: isize| done as isize * step;
        let mask = Mask { start: mask.start.wrapping_offset(moved(mask.step)), ..mask };
        // SAFETY: the caller upholds this, for the elements after the first `done`.
        let rest = unsafe {
            match source.map(|(start, step)| (start.wrapping_offset(moved(step)), step)) {
                // The common case, with steps that are constants for the compiler.
                Some((start, 1)) if mask.step == 1 => {
                    let mask = Mask { step: 1, ..mask };
                    mask.compact(room, length, |item| *start.offset(item))
                }
                Some((start, step)) => {
                    mask.compact(room, length, |item| *start.offset(item * step))
                }
                None => mask
                    .compact(room, length, |item| T::of_position(position + done + item as usize)),
            }
        };
        kept + rest
    }
}

/// Compresses as many elements as fill whole vectors of the level. Returns how many it has read and how many
/// it has written to `room`. Mask and elements are contiguous; without elements, it writes positions from
/// `first` on.
///
/// # Safety
/// `length` mask values (and elements) are valid for reads, and `room` is valid for writes of as many.
unsafe fn compressed<T: Word>(
    level: Level,
    mask: *const u8,
    elements: Option<*mut T>,
    first: usize,
    length: usize,
    room: &mut [T],
) -> (usize, usize) {
    #[cfg(target_arch = "x86_64")]
    if let Level::V4(_) = level
        && std::mem::size_of::<T>() == 8
    {
        let room = room.as_mut_ptr().cast();
        // SAFETY: the level implies AVX-512; the caller upholds the rest.
        return unsafe {
            match elements {
                Some(from) => {
                    crate::compress::words::<false>(mask, from.cast_const().cast(), 0, length, room)
                }
                None => crate::compress::words::<true>(
                    mask,
                    std::ptr::null(),
                    first as u64,
                    length,
                    room,
                ),
            }
        };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (level, mask, elements, first, length, room);
    (0, 0)
}

/// The mask's values of a run.
#[derive(Clone, Copy)]
struct Mask {
    start: *const u8,
    step: isize,
}

impl Mask {
    /// Writes the values whose mask is true contiguously. Returns their number.
    ///
    /// # Safety
    /// `length` mask values are valid for reads, `value` accepts indices below `length`, and `room` has at
    /// least that many places.
    #[inline(always)]
    unsafe fn compact<T>(self, room: &mut [T], length: usize, value: impl Fn(isize) -> T) -> usize {
        debug_assert!(length <= room.len());
        let places = room.as_mut_ptr();
        let mut filled = 0;
        for item in 0..length as isize {
            // SAFETY: the caller upholds this; at most as many values as items before have been kept.
            unsafe {
                places.add(filled).write(value(item));
                filled += usize::from(*self.start.offset(item * self.step) != 0);
            }
        }
        filled
    }
}
