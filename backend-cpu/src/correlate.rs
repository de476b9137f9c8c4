//! Correlations: a block of results stays in the L1 cache while the taps are applied, in the runs that the seam
//! defines.
//!
//! Elements are first widened to the accumulation type. Each step adds the products of
//! [`TAPS`](crate::loops::products::TAPS) taps to all results of the block for which all these taps have an
//! element, and one tap at a time to the results at the ends of the sequence.

use half::{bf16, f16};
use ndany_core::backend::{Correlate, RUN};
use ndany_core::{DType, Result};

use crate::batch::Batch;
use crate::loops::products::{BoolOrAnd, Factor, Sum, TAPS};
use crate::loops::{Level, LoopFn, Loops};
use crate::threads::Threads;

/// Bytes of a block's accumulators.
const BLOCK_BYTES: usize = 8 << 10;

/// Minimum number of results per block.
const LEAST: usize = 64;

pub(crate) fn correlate(wanted: &Correlate<'_>, level: Level, threads: &Threads) -> Result<()> {
    match wanted.dtype {
        DType::Bool => run::<BoolOrAnd, BoolOrAnd>(wanted, level, threads),
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

/// Buffers of one thread.
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
    // SAFETY: `Checked` places both sequences, of this dtype, in their memories, and nothing writes them.
    let (long, short) = unsafe {
        (
            Batch::new(&wanted.long, length, dtype).read::<T>(0),
            Batch::new(&wanted.short, wanted.taps, dtype).read::<T>(0),
        )
    };
    let taps: Vec<A> = short.iter().map(|tap| tap.widen()).collect();
    let output = Batch::new(&wanted.output, 1, dtype);
    let add = level.along::<A>();
    // A few blocks for each thread, if there are enough results.
    let shared = outputs.div_ceil(4 * threads.count()).max(LEAST);
    let size = shared.min(BLOCK_BYTES / size_of::<A>());
    let cost = outputs.saturating_mul(taps.len()) / 4;
    threads.split(outputs, size, cost, |begin, end| {
        let mut block = Block {
            totals: vec![A::NONE; size],
            sums: vec![A::NONE; size],
            elements: vec![A::NONE; size + RUN],
        };
        for first in (begin..end).step_by(size) {
            let count = size.min(end - first);
            block.results(long, &taps, (first, count, before), add);
            for (number, &total) in block.totals[..count].iter().enumerate() {
                // SAFETY: each block is computed once, so this thread alone has this result; `T` is the
                // dtype's element.
                unsafe { output.write::<T>(first + number)[0] = T::narrow(total) };
            }
        }
        Ok(())
    })
}

impl<A: Sum> Block<A> {
    /// Computes `count` results from `first` on into `totals`; the first element lies `before` places in
    /// front of the sequence.
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
            // Under tap t of the run, result j has element j + t, which exists from `low` to `high`.
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

/// Adds to sum j, for each tap t in order, the product of the tap with element j + t if that lies between
/// `low` and `high`.
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
        // SAFETY: the contract of `Sum::along`: the caller gives as many elements as sums plus one for each
        // tap after the first, and as many taps as the loop is compiled for.
        unsafe { add(sums.as_mut_ptr().cast(), args, sums.len()) };
    };
    let count = elements.len() + 1 - taps.len();
    // The sums that have an element under both of two taps.
    let both =
        |tap: usize, last: usize| (low.saturating_sub(tap), high.saturating_sub(last).min(count));
    let whole = taps.len() / TAPS * TAPS;
    for tap in (0..whole).step_by(TAPS) {
        let (from, to) = both(tap, tap + TAPS - 1);
        // No sum has all taps: one tap at a time.
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
