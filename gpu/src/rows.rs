//! Planning reductions and rows: teams, chunks, and the steps of long rows.

use ndany_core::Result;
use ndany_core::backend::Launch;
use ndany_core::plan::CHUNK;
use ndany_core::program::Program;
use ndany_core::shape::Strides;
use ndany_kernels::rows::{self, BLOCK, Part, Rows};

use crate::driver::Driver;
use crate::job::Job;
use crate::memory::Scratch;
use crate::operand::{Operand, Words, is_wide, packed, walk, with_row};

/// Rows from which on one team a row is enough to keep the device busy, even if it has several chunks to do.
const MANY_ROWS: usize = 2048;

/// One step of a reduction.
struct Step<'s> {
    program: &'s Program,
    /// Outer axes, then those of the row.
    shape: &'s [usize],
    row_axes: usize,
    inputs: &'s [Operand],
    outputs: &'s [Operand],
}

impl Step<'_> {
    fn outer(&self) -> &[usize] {
        &self.shape[..self.shape.len() - self.row_axes]
    }

    fn extent(&self) -> usize {
        self.shape[self.shape.len() - self.row_axes..].iter().product()
    }
}

/// The patterns `reduce` and `rows`.
pub(crate) fn rows<D: Driver>(job: &Job<'_, D>, launch: &Launch<'_>, long: bool) -> Result<()> {
    let inputs: Vec<Operand> = launch.inputs.iter().map(Operand::new::<D>).collect();
    let outputs: Vec<Operand> = launch.outputs.iter().map(Operand::new::<D>).collect();
    let step = Step {
        program: launch.program,
        shape: &launch.shape,
        row_axes: launch.row_axes,
        inputs: &inputs,
        outputs: &outputs,
    };
    reduce(job, &step, long)
}

/// Runs a step and those behind it; only a program of the pattern `reduce` may have `long` rows.
fn reduce<D: Driver>(job: &Job<'_, D>, step: &Step<'_>, long: bool) -> Result<()> {
    let (rows_count, extent) = (step.outer().iter().product::<usize>(), step.extent());
    let part = match extent.div_ceil(CHUNK) {
        1 => Part::Chunk,
        _ if !long || rows_count >= MANY_ROWS => Part::Chunks,
        _ => Part::State,
    };
    if part != Part::State {
        return run(job, step, part, step.outputs);
    }
    let chunks = extent.div_ceil(CHUNK);
    let outer = step.outer();
    let mut strides = packed(outer, chunks);
    strides.push(1);
    let held: Vec<(Scratch<D>, Operand)> = rows::states(step.program)
        .into_iter()
        .map(|dtype| {
            let scratch = job.scratch(rows_count * chunks * dtype.size())?;
            let operand = Operand { address: scratch.address(), dtype, strides: strides.clone() };
            Ok((scratch, operand))
        })
        .collect::<Result<_>>()?;
    let states: Vec<Operand> = held.iter().map(|(_, operand)| operand.clone()).collect();
    run(job, step, part, &states)?;
    let (program, kept) = rows::second(step.program);
    // What is left steps along the outer axes only.
    let along = |operand: &Operand| -> Operand {
        let mut own: Strides = Strides::from_slice(&operand.strides[..outer.len()]);
        own.push(0);
        operand.along(&own)
    };
    let mut inputs = states;
    inputs.extend(kept.iter().map(|&input| along(&step.inputs[input])));
    let outputs: Vec<Operand> = step.outputs.iter().map(along).collect();
    let shape = with_row(outer, chunks);
    let next =
        Step { program: &program, shape: &shape, row_axes: 1, inputs: &inputs, outputs: &outputs };
    reduce(job, &next, true)
}

fn run<D: Driver>(
    job: &Job<'_, D>,
    step: &Step<'_>,
    part: Part,
    written: &[Operand],
) -> Result<()> {
    let (outer_axes, axes) = (step.outer().len(), step.shape.len());
    let (rows_count, extent) = (step.outer().iter().product::<usize>(), step.extent());
    let stepping = step.inputs.iter().chain(if part == Part::State { &[] } else { step.outputs });
    let operands: Vec<Operand> = stepping.cloned().collect();
    let wide = is_wide(step.shape, &operands);
    let (outer, outer_words) = walk(step.shape, &operands, 0..outer_axes, wide);
    let (row, row_words) = walk(step.shape, &operands, outer_axes..axes, wide);
    let team = (extent.next_power_of_two() as u32).min(BLOCK);
    let kernel = Rows { program: step.program.clone(), outer, row, team, part };
    let chunks = extent.div_ceil(CHUNK);
    let items = if part == Part::State { rows_count * chunks } else { rows_count };
    let mut words = Words::default();
    words.extend([items as u64, extent as u64]);
    words.divisor(chunks, wide);
    words.extend(outer_words.as_slice().iter().copied());
    words.extend(row_words.as_slice().iter().copied());
    words.addresses(step.inputs);
    words.addresses(written);
    let blocks = items.div_ceil((BLOCK / team) as usize);
    job.run(&kernel, blocks, BLOCK, words)
}
