//! Plans reductions of segments and left folds.

use ndany_core::backend::{self, CombineOrder, Launch, SegmentedReduce};
use ndany_core::program::Program;
use ndany_core::{Error, Result};
use ndany_kernels::folds::{BLOCK, CheckSegments, FoldLeft, GROUP, Segments};
use ndany_kernels::layout::IndexMap;

use crate::job::Job;
use crate::operand::{Arguments, Operand, is_wide, row_index_maps};

/// Which of a deferred error's words a program that can fail writes, where offsets take the first ones.
const POWER: u64 = 3;

/// What both patterns tell their kernels alike.
struct Space {
    outer: IndexMap,
    row: IndexMap,
    rows: usize,
    arguments: Arguments,
}

fn space(launch: &Launch<'_>, segments: usize) -> Space {
    let places = launch.inputs.iter().chain(&launch.outputs);
    let operands: Vec<Operand> = places.map(Operand::new).collect();
    // Outputs step through segments, of which there may be more than elements.
    let mut reach = launch.shape.clone();
    if let Some(last) = reach.last_mut() {
        *last = segments.max(*last);
    }
    let wide = is_wide(&reach, &operands);
    let maps = row_index_maps(&launch.shape, &operands, launch.row_axes, wide);
    let rows = launch.rows();
    let mut arguments = Arguments::default();
    arguments.extend([rows as u64, launch.row_size() as u64]);
    arguments.divisor(segments, wide);
    arguments.append(&maps.arguments);
    arguments.addresses(&operands);
    Space { outer: maps.outer, row: maps.row, rows, arguments }
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

pub(crate) fn segmented_reduce(job: &Job<'_>, request: &SegmentedReduce<'_>) -> Result<()> {
    let SegmentedReduce { launch, order, segments, starts, ends } = request;
    let (starts, ends) = (Operand::new(starts), Operand::new(ends));
    let error_word = job.error_word().unwrap_or_default();
    let strides = [starts.strides[0] as i64 as u64, ends.strides[0] as i64 as u64];
    for report in [false, true] {
        let mut arguments = Arguments::default();
        arguments.extend([*segments as u64, launch.row_size() as u64]);
        arguments.places([starts.address, ends.address]);
        arguments.extend(strides);
        arguments.address(error_word);
        let blocks = if report { 1 } else { segments.div_ceil(BLOCK as usize) };
        job.launch(&CheckSegments { report }, blocks, BLOCK, &arguments)?;
    }
    let Space { outer, row, rows, mut arguments } = space(launch, *segments);
    arguments.places([starts.address, ends.address]);
    arguments.extend(strides);
    arguments.address(error_word);
    arguments.scalars(&launch.scalars, launch.slot);
    arguments.address(error_word + POWER * size_of::<u64>() as u64);
    let kernel = Segments {
        program: Program::clone(&launch.program),
        left: Segments::is_left(*order),
        outer,
        row,
    };
    let (blocks, block) = match order {
        CombineOrder::Plan => (rows * segments, GROUP),
        CombineOrder::Left => ((rows * segments).div_ceil(BLOCK as usize), BLOCK),
    };
    job.launch(&kernel, blocks, block, &arguments)
}

pub(crate) fn fold_left(job: &Job<'_>, request: &backend::FoldLeft<'_>) -> Result<()> {
    let backend::FoldLeft { launch, parts, has_initial, store_all } = request;
    let Space { outer, row, rows, arguments } = space(launch, 1);
    let program = Program::clone(&launch.program);
    let kernel = FoldLeft {
        program,
        parts: *parts,
        has_initial: *has_initial,
        store_all: *store_all,
        outer,
        row,
    };
    job.run(&kernel, rows.div_ceil(BLOCK as usize), BLOCK, arguments)
}
