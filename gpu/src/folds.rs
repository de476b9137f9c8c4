//! Plans reductions of segments and left folds.

use ndany_core::backend::{FoldLeft as Folded, Launch, Order, SegmentedReduce};
use ndany_core::program::Program;
use ndany_core::{Error, Result};
use ndany_kernels::folds::{BLOCK, CheckSegments, FoldLeft, Segments, TEAM};
use ndany_kernels::layout::IndexMap;

use crate::driver::Driver;
use crate::job::Job;
use crate::operand::{Arguments, Operand, is_wide, row_walks};

/// Which of a deferred error's words a program that can fail writes, where offsets take the first ones.
const POWER: u64 = 3;

/// What both patterns tell their kernels alike.
struct Space {
    outer: IndexMap,
    row: IndexMap,
    rows: usize,
    words: Arguments,
}

fn space<D: Driver>(launch: &Launch<'_>, segments: usize) -> Space {
    let places = launch.inputs.iter().chain(&launch.outputs);
    let operands: Vec<Operand> = places.map(Operand::new::<D>).collect();
    // Outputs step through segments, of which there may be more than elements.
    let mut reach = launch.shape.clone();
    if let Some(last) = reach.last_mut() {
        *last = segments.max(*last);
    }
    let wide = is_wide(&reach, &operands);
    let walks = row_walks(&launch.shape, &operands, launch.row_axes, wide);
    let rows = launch.rows();
    let mut words = Arguments::default();
    words.extend([rows as u64, launch.row_size() as u64]);
    words.divisor(segments, wide);
    words.append(&walks.words);
    words.addresses(&operands);
    Space { outer: walks.outer, row: walks.row, rows, words }
}

/// The error that the words of a deferred error of segments stand for.
pub(crate) fn explain(words: &[u64; 4], size: usize) -> Error {
    match words[0] {
        0 => Error::NegativePower,
        _ => {
            Error::Index { op: "segmented_reduce", index: words[1] as i64 as isize, axis: 0, size }
        }
    }
}

pub(crate) fn segmented_reduce<D: Driver>(
    job: &Job<'_, D>,
    wanted: &SegmentedReduce<'_>,
) -> Result<()> {
    let SegmentedReduce { launch, order, segments, starts, ends } = wanted;
    let (starts, ends) = (Operand::new::<D>(starts), Operand::new::<D>(ends));
    let error_word = job.error_word().unwrap_or_default();
    let strides = [starts.strides[0] as i64 as u64, ends.strides[0] as i64 as u64];
    for report in [false, true] {
        let mut words = Arguments::default();
        words.extend([*segments as u64, launch.row_size() as u64, starts.address, ends.address]);
        words.extend(strides);
        words.push(error_word);
        let blocks = if report { 1 } else { segments.div_ceil(BLOCK as usize) };
        job.launch(&CheckSegments { report }, blocks, BLOCK, &words)?;
    }
    let Space { outer, row, rows, mut words } = space::<D>(launch, *segments);
    words.extend([starts.address, ends.address]);
    words.extend(strides);
    words.push(error_word);
    words.extend(launch.scalars.iter().copied());
    words.push(error_word + POWER * size_of::<u64>() as u64);
    let kernel = Segments {
        program: Program::clone(&launch.program),
        left: Segments::is_left(*order),
        outer,
        row,
    };
    let (blocks, block) = match order {
        Order::Plan => (rows * segments, TEAM),
        Order::Left => ((rows * segments).div_ceil(BLOCK as usize), BLOCK),
    };
    job.launch(&kernel, blocks, block, &words)
}

pub(crate) fn fold_left<D: Driver>(job: &Job<'_, D>, wanted: &Folded<'_>) -> Result<()> {
    let Folded { launch, parts, starts, every } = wanted;
    let Space { outer, row, rows, words } = space::<D>(launch, 1);
    let program = Program::clone(&launch.program);
    let kernel = FoldLeft { program, parts: *parts, starts: *starts, every: *every, outer, row };
    job.run(&kernel, rows.div_ceil(BLOCK as usize), BLOCK, words)
}
