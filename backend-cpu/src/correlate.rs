//! Correlations: a block of results stays in the L1 cache while the taps pass by, in the runs that the pattern promises.
//!
//! Elements under a run are widened to what they are added up in; then each step adds the products of some taps to all
//! results of the block that have them all, and one tap at a time to those at the ends of the sequence that have not.

use half::{bf16, f16};
use ndany_core::backend::{Correlate, RUN};
use ndany_core::{DType, Result};

use crate::loops::products::{Factor, Sum, TAPS, Truth};
use crate::loops::{Level, LoopFn, Loops};
use crate::pieces::Pieces;
use crate::threads::Threads;

/// Bytes of the sums of a block.
const BLOCK_BYTES: usize = 8 << 10;

/// The fewest results that are worth a block.
const LEAST: usize = 64;

pub(crate) fn correlate(wanted: &Correlate<'_>, level: Level, threads: &Threads) -> Result<()> {
    match wanted.dtype {
        DType::Bool => run::<Truth, Truth>(wanted, level, threads),
        DType::I8 | DType::U8 => run::<u8, u16>(wanted, level, threads),
        DType::I16 | DType::U16 => run::<u16, u16>(wanted, level, threads),
        DType::I32 | DType::U32 => run::<u32, u32>(wanted, level, threads),
        DType::I64 | DType::U64 => run::<u64, u64>(wanted, level, threads),
        DType::F16 => run::<f16, f32>(wanted, level, threads),
        DType::BF16 => run::<bf16, f32>(wanted, level, threads),
        DType::F32 => run::<f32, f32>(wanted, level, threads),
        DType::F64 => run::<f64, f64>(wanted, level, threads),
        DType::C64 => run::<[f32; 2], [f32; 2]>(wanted, level, threads),
        DType::C128 => run::<[f64; 2], [f64; 2]>(wanted, level, threads),
    }
}

/// What one thread works with.
struct Block<A> {
    totals: Vec<A>,
    sums: Vec<A>,
    elements: Vec<A>,
}

fn run<T: Factor<A>, A: Sum>(
    wanted: &Correlate<'_>,
    level: Level,
    threads: &Threads,
) -> Result<()> {
    let Correlate { dtype, length, outputs, before, .. } = *wanted;
    // SAFETY: core places both sequences, of this dtype, in their memories, and nobody writes them.
    let (long, short) = unsafe {
        (
            Pieces::new(&wanted.long, length, dtype).read::<T>(0),
            Pieces::new(&wanted.short, wanted.taps, dtype).read::<T>(0),
        )
    };
    let taps: Vec<A> = short.iter().map(|tap| tap.widen()).collect();
    let output = Pieces::new(&wanted.output, 1, dtype);
    let add = level.along::<A>();
    // A few blocks for each thread, where there are so many.
    let shared = outputs.div_ceil(4 * threads.count()).max(LEAST);
    let size = shared.min(BLOCK_BYTES / size_of::<A>());
    let effort = outputs.saturating_mul(taps.len()) / 4;
    threads.split(outputs, size, effort, |begin, end| {
        let mut block = Block {
            totals: vec![A::NONE; size],
            sums: vec![A::NONE; size],
            elements: vec![A::NONE; size + RUN],
        };
        for first in (begin..end).step_by(size) {
            let count = size.min(end - first);
            block.results(long, &taps, (first, count, before), add);
            for (number, &total) in block.totals[..count].iter().enumerate() {
                // SAFETY: blocks are given once, so nobody else has this result; `T` is the dtype's element.
                unsafe { output.write::<T>(first + number)[0] = T::narrow(total) };
            }
        }
        Ok(())
    })
}

impl<A: Sum> Block<A> {
    /// Makes `count` results from `first` on, `before` places in front of the sequence, in `totals`.
    fn results<T: Factor<A>>(
        &mut self,
        long: &[T],
        taps: &[A],
        (first, count, before): (usize, usize, usize),
        add: [LoopFn; 2],
    ) {
        let totals = &mut self.totals[..count];
        totals.fill(A::NONE);
        // The taps that have an element under some result of the block.
        let from = (before + 1).saturating_sub(first + count);
        let to = taps.len().min(long.len() + before - first);
        for run in (from / RUN * RUN..to).step_by(RUN) {
            let taps = &taps[run..taps.len().min(run + RUN)];
            // Under tap t of the run result j has element j + t, which is there from `low` to `high`.
            let width = count + taps.len() - 1;
            let low = before.saturating_sub(first + run);
            let high = width.min(long.len() + before - first - run);
            let there = &long[(first + run + low) - before..][..high - low];
            for (element, there) in self.elements[low..high].iter_mut().zip(there) {
                *element = there.widen();
            }
            let sums = &mut self.sums[..count];
            sums.fill(A::NONE);
            gain(sums, &self.elements[..width], (low, high), taps, add);
            for (total, &sum) in totals.iter_mut().zip(&*sums) {
                *total = total.plus(sum);
            }
        }
    }
}

/// Adds to sum j, for each tap t one after the other, the product of the tap with element j + t if that is from `low` to
/// `high`.
fn gain<A: Sum>(
    sums: &mut [A],
    elements: &[A],
    (low, high): (usize, usize),
    taps: &[A],
    [many, one]: [LoopFn; 2],
) {
    let mut run = |add: LoopFn, first: usize, last: usize, tap: usize, taps: &[A]| {
        if first >= last {
            return;
        }
        let (sums, elements) =
            (&mut sums[first..last], &elements[first + tap..last + tap + taps.len() - 1]);
        let args = [elements.as_ptr().cast(), taps.as_ptr().cast(), std::ptr::null()];
        // SAFETY: the contract of `Sum::along`: as many elements as sums and one more for each tap but the first, and the
        // number of taps that the loop is for, says the caller.
        unsafe { add(sums.as_mut_ptr().cast(), args, sums.len()) };
    };
    let count = elements.len() + 1 - taps.len();
    // The sums that have an element under both of two taps.
    let both =
        |tap: usize, last: usize| (low.saturating_sub(tap), high.saturating_sub(last).min(count));
    let whole = taps.len() / TAPS * TAPS;
    for tap in (0..whole).step_by(TAPS) {
        let (from, to) = both(tap, tap + TAPS - 1);
        // None has all: the taps go one by one.
        let (from, to) = if from < to { (from, to) } else { (0, 0) };
        run(many, from, to, tap, &taps[tap..tap + TAPS]);
        for tap in tap..tap + TAPS {
            let (first, last) = both(tap, tap);
            run(one, first, last.min(from), tap, &taps[tap..=tap]);
            run(one, first.max(to), last, tap, &taps[tap..=tap]);
        }
    }
    for tap in whole..taps.len() {
        let (first, last) = both(tap, tap);
        run(one, first, last, tap, &taps[tap..=tap]);
    }
}
