//! Selections by a mask: a first pass counts each block's true elements, a second pass writes each block's
//! elements after those of the blocks before it.
//!
//! Writes do not branch on the mask, since a random mask would be mispredicted every other time: every element
//! is written, and the place advances by the mask's value.

use ndany_core::Result;
use ndany_core::backend::Select;
use ndany_core::shape::size_of;

use crate::count_true;
use crate::loops::Level;
use crate::strided_runs::{Operand, StridedRuns, by_size};
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
    let mask = Operand::<u8>::new(&select.mask);
    let blocks = size.div_ceil(BLOCK);
    let counts: Vec<std::sync::atomic::AtomicUsize> =
        (0..blocks).map(|_| Default::default()).collect();
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    let runs = StridedRuns::new(&select.shape, [mask.strides()]);
    threads.split(blocks, 1, size / 4, |begin, end| {
        for (block, count) in counts.iter().enumerate().take(end).skip(begin) {
            let range = (block * BLOCK, ((block + 1) * BLOCK).min(size));
            let mut shown = 0;
            let _: Result<(), std::convert::Infallible> =
                runs.for_each(range.0, range.1, |offsets, length| {
                    // SAFETY: core places every element of the space in the mask's memory.
                    shown += unsafe { count_true::count(mask.at(offsets[0]), mask.step(), length) };
                    Ok(())
                });
            count.store(shown, relaxed);
        }
        Ok(())
    })?;
    let mut total = 0;
    let starts: Vec<usize> = counts
        .iter()
        .map(|count| {
            let start = total;
            total += count.load(relaxed);
            start
        })
        .collect();
    let out = Operand::<T>::new(&select.out);
    let source = select.source.as_ref().map(Operand::<T>::new);
    let strides = [Some(mask.strides()), source.as_ref().map(Operand::strides)];
    let runs = StridedRuns::new(&select.shape, strides.into_iter().flatten());
    threads.split(blocks, 1, size * 2, |begin, end| {
        let mut waiting = [T::default(); BLOCK];
        for block in begin..end {
            let (first, last) = (block * BLOCK, ((block + 1) * BLOCK).min(size));
            let count = counts[block].load(relaxed);
            if count == 0 {
                continue;
            }
            let mut position = first;
            let mut filled = 0;
            let _: Result<(), std::convert::Infallible> =
                runs.for_each(first, last, |offsets, length| {
                    let values = source.as_ref().map(|source| source.at(offsets[1]));
                    let together =
                        mask.step() == 1 && source.as_ref().is_none_or(|source| source.step() == 1);
                    let room = &mut waiting[filled..];
                    let (mut done, mut kept) = (0, 0);
                    if together {
                        // SAFETY: core places every element of the space in its memory; a block has room
                        // for as many values as it has elements.
                        (done, kept) = unsafe {
                            compressed(level, mask.at(offsets[0]), values, position, length, room)
                        };
                    }
                    filled += kept;
                    position += done;
                    let length = length - done;
                    let start = mask.at(offsets[0] + done as isize * mask.step());
                    let mask = Mask { start, step: mask.step() };
                    let room = &mut waiting[filled..];
                    // SAFETY: core places every element of the space in its memory; a block has room for as
                    // many values as it has elements.
                    filled += unsafe {
                        match &source {
                            Some(source) => {
                                let step = source.step();
                                let start = source.at(offsets[1] + done as isize * step);
                                match (mask.step, step) {
                                    // The common case, with steps that are constants for the compiler.
                                    (1, 1) => {
                                        let mask = Mask { step: 1, ..mask };
                                        mask.compact(room, length, |item| *start.offset(item))
                                    }
                                    _ => mask
                                        .compact(room, length, |item| *start.offset(item * step)),
                                }
                            }
                            None => mask.compact(room, length, |item| {
                                T::of_position(position + item as usize)
                            }),
                        }
                    };
                    position += length;
                    Ok(())
                });
            // SAFETY: the output has room for every true element of the mask; this thread alone has this
            // block's places.
            unsafe {
                let to = out.at(starts[block] as isize);
                std::ptr::copy_nonoverlapping(waiting.as_ptr(), to, count);
            }
        }
        Ok(())
    })
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
