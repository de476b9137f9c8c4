//! Selects: the true elements of a mask counted block by block, then each block's written from where
//! the blocks before it end.
//!
//! Writing has no branches on the mask (a random one would be mispredicted every other time): every
//! element is written and the place moves on by the truth of its mask.

use ndany_core::Result;
use ndany_core::backend::Select;
use ndany_core::shape::size_of;

use crate::threads::Threads;
use crate::tour::{Operand, Tour, by_size};

/// Elements that are counted together. Their values wait on the stack until it is known that all fit.
const BLOCK: usize = 4096;

pub(crate) fn select(select: &Select<'_>, threads: &Threads) -> Result<()> {
    by_size!(select.out.dtype, T => select_as::<T>(select, threads))
}

/// An element, and what stands for a position in the form without a source.
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
// Positions are I64, so the other sizes never stand for one.
words! {
    u8: position => position as u8;
    u16: position => position as u16;
    u32: position => position as u32;
    u64: position => position as u64;
    [u64; 2]: position => [position as u64, 0];
}

fn select_as<T: Word>(select: &Select<'_>, threads: &Threads) -> Result<()> {
    let size = size_of(&select.shape);
    let mask = Operand::<u8>::new(&select.mask);
    let blocks = size.div_ceil(BLOCK);
    let counts: Vec<std::sync::atomic::AtomicUsize> =
        (0..blocks).map(|_| Default::default()).collect();
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    let tour = Tour::new(&select.shape, [mask.strides()]);
    threads.split(blocks, 1, size / 4, |begin, end| {
        for (block, count) in counts.iter().enumerate().take(end).skip(begin) {
            let range = (block * BLOCK, ((block + 1) * BLOCK).min(size));
            let mut shown = 0;
            let _: Result<(), std::convert::Infallible> =
                tour.stretches(range.0, range.1, |offsets, length| {
                    // SAFETY: core places every element of the space in the mask's memory.
                    shown += unsafe { truths(mask.at(offsets[0]), mask.step(), length) };
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
    let tour = Tour::new(&select.shape, strides.into_iter().flatten());
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
                tour.stretches(first, last, |offsets, length| {
                    // SAFETY: core places every element of the space in its memory, and a block has room
                    // for as many values as it has elements.
                    unsafe {
                        let truth = |item: isize| {
                            usize::from(*mask.at(offsets[0] + item * mask.step()) != 0)
                        };
                        let value = |item: isize| match &source {
                            Some(source) => *source.at(offsets[1] + item * source.step()),
                            None => T::of_position(position + item as usize),
                        };
                        for item in 0..length as isize {
                            waiting[filled] = value(item);
                            filled += truth(item);
                        }
                    }
                    position += length;
                    Ok(())
                });
            // SAFETY: the output has room for every true element of the mask; this block's are its own.
            unsafe {
                let to = out.at(starts[block] as isize);
                std::ptr::copy_nonoverlapping(waiting.as_ptr(), to, count);
            }
        }
        Ok(())
    })
}

/// How many of `length` truth values, `step` apart, are true.
///
/// # Safety
/// They are good for reading.
unsafe fn truths(start: *const u8, step: isize, length: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        if step == 1 {
            let bytes = std::slice::from_raw_parts(start, length);
            return bytes.iter().map(|&byte| usize::from(byte != 0)).sum();
        }
        (0..length as isize).map(|item| usize::from(*start.offset(item * step) != 0)).sum()
    }
}
