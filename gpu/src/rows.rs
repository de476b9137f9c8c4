//! Plans reductions and rows: groups, chunks, and the steps of long rows.

use ndany_core::Result;
use ndany_core::backend::Launch;
use ndany_core::plan::CHUNK;
use ndany_core::program::Program;
use ndany_core::shape::Strides;
use ndany_kernels::columns::Columns;
use ndany_kernels::rows::{BLOCK, Part, Rows};
use ndany_kernels::steps::{Cut, From, Stages, of_chunks, stages, states};

use crate::job::Job;
use crate::map::map_operands;
use crate::operand::{Arguments, Operand, RowIndexMaps, is_wide, packed, row_index_maps, with_row};

/// Columns from which on threads stand side by side over them.
const SIDE_BY_SIDE: usize = 16;

/// Rows from which on one group per row is enough to keep the device busy, even if it has several chunks to do.
const MANY_ROWS: usize = 2048;

/// The most elements of rows that have a part of a warp each, where there are many. Longer ones are as fast by a block.
const REDUCED_IN_WARP: usize = 384;

/// The same where elements are read again after the reduction: a block keeps them on chip.
const FUSED_IN_WARP: usize = 128;

/// Bytes that a thread reads at once.
const PIECE: usize = 16;

/// Most packs that a group in a warp has of a run of lanes, per thread.
const PACKS: usize = 4;

/// Threads of a row that is read in packs and has more elements than the plan has lanes: few lanes each, of which several runs come in
/// together.
const LONG_GROUP: usize = 32;

/// The same where states are large, from as many elements on: what they exchange costs more.
const LARGE_GROUP: usize = 16;
const LARGE_LONG: usize = 1024;

/// Bytes of states that a thread holds at most.
const MOST_HELD: usize = 256;

/// The most elements of rows that have a thread each, wherever neighbours are: several rows share a line of the cache.
const MOST_IN_THREAD: usize = 8;

/// One step of a reduction.
#[derive(Clone, Copy)]
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

    /// Rows along the innermost axis in front of the row, if each has results of its own.
    fn columns(&self) -> Option<usize> {
        let (last, &columns) = self.outer().iter().enumerate().next_back()?;
        self.outputs.iter().all(|output| output.strides[last] != 0).then_some(columns)
    }

    /// Whether neighbours in the memory of most inputs belong to neighbouring rows, of which there are many.
    fn neighbours_are_rows(&self) -> bool {
        let Some(columns) = self.columns() else { return false };
        let (last, row) = (self.outer().len() - 1, self.shape.len() - 1);
        // What is the same for all neighbours along the other axis is small, and read from a cache.
        let moving = |axis: usize, other: usize| {
            let moves = |input: &&Operand| {
                input.strides[axis].unsigned_abs() == 1 && input.strides[other] != 0
            };
            self.inputs.iter().filter(moves).count()
        };
        columns >= SIDE_BY_SIDE && moving(last, row) > moving(row, last)
    }

    /// Whether rows are so short, and so many, that a thread each is best.
    fn rows_suit_threads(&self) -> bool {
        self.extent() <= MOST_IN_THREAD
            && self.columns().is_some_and(|columns| columns >= MANY_ROWS)
    }

    /// Neighbours along the row that a thread can read at once, of each input that has neighbours there: as many as the largest elements
    /// let in a piece. It is 1 if an input lies otherwise, or if the row has more axes.
    fn pack(&self) -> usize {
        let last = self.shape.len() - 1;
        let moving = || self.inputs.iter().filter(|input| input.strides[last] != 0);
        let Some(largest) = moving().map(|input| input.dtype.size()).max() else { return 1 };
        let pack = (PIECE / largest).clamp(1, PACKS);
        let is_aligned = |input: &Operand| {
            let (piece, size) = ((input.dtype.size() * pack).min(PIECE), input.dtype.size());
            let steps = &input.strides[..last];
            input.strides[last] == 1
                && input.address.is_multiple_of(piece as u64)
                && steps.iter().all(|step| (step.unsigned_abs() * size).is_multiple_of(piece))
        };
        let fits = self.row_axes == 1 && self.extent().is_multiple_of(pack);
        if fits && moving().all(is_aligned) { pack } else { 1 }
    }

    /// Inputs, and outputs unless states are written.
    fn operands(&self, states: bool) -> Vec<Operand> {
        let outputs = if states { &[] } else { self.outputs };
        self.inputs.iter().chain(outputs).cloned().collect()
    }

    fn extent(&self) -> usize {
        self.shape[self.shape.len() - self.row_axes..].iter().product()
    }
}

/// The patterns `reduce` and `fused_rowwise`.
pub(crate) fn rows(job: &Job<'_>, launch: &Launch<'_>, long: bool) -> Result<()> {
    let inputs: Vec<Operand> = launch.inputs.iter().map(Operand::new).collect();
    let outputs: Vec<Operand> = launch.outputs.iter().map(Operand::new).collect();
    let step = Step {
        program: &launch.program,
        shape: &launch.shape,
        row_axes: launch.row_axes,
        inputs: &inputs,
        outputs: &outputs,
    };
    if !long
        && step.neighbours_are_rows()
        && let Some(stages) = stages(&launch.program)
    {
        return by_steps(job, &step, &stages);
    }
    reduce(job, &step, long)
}

/// Runs a step and those after it; only a program of the pattern `reduce` may have `long` rows.
fn reduce(job: &Job<'_>, step: &Step<'_>, long: bool) -> Result<()> {
    let (rows_count, extent) = (step.outer().iter().product::<usize>(), step.extent());
    let columns = long && (step.neighbours_are_rows() || step.rows_suit_threads());
    let part = match extent.div_ceil(CHUNK) {
        1 => Part::Chunk,
        _ if columns => Part::State,
        _ if !long || rows_count >= MANY_ROWS => Part::Chunks,
        _ => Part::State,
    };
    let run = |written: &[Operand]| match columns {
        true => run_columns(job, step, part == Part::State, written),
        false => run_rows(job, step, part, long, written),
    };
    if part != Part::State {
        return run(step.outputs);
    }
    let chunks = extent.div_ceil(CHUNK);
    let outer = step.outer();
    let mut strides = packed(outer, chunks);
    strides.push(1);
    let (_held, states) = job.arrays(states(step.program), rows_count * chunks, &strides)?;
    run(&states)?;
    // What is left steps along the outer axes only.
    let along = |operand: &Operand| -> Operand {
        let mut own: Strides = Strides::from_slice(&operand.strides[..outer.len()]);
        own.push(0);
        operand.along(&own)
    };
    let cut = of_chunks(step.program);
    let mut next_state = states.iter().cloned();
    let inputs: Vec<Operand> = cut
        .inputs
        .iter()
        .filter_map(|from| match from {
            From::State { .. } => next_state.next(),
            From::Input(input) => Some(along(&step.inputs[*input])),
        })
        .collect();
    let outputs: Vec<Operand> = step.outputs.iter().map(along).collect();
    let shape = with_row(outer, chunks);
    let next = Step {
        program: &cut.program,
        shape: &shape,
        row_axes: 1,
        inputs: &inputs,
        outputs: &outputs,
    };
    reduce(job, &next, true)
}

/// A program of the pattern `fused_rowwise` in steps, where neighbours in memory belong to neighbouring rows.
fn by_steps(job: &Job<'_>, step: &Step<'_>, stages: &Stages) -> Result<()> {
    let outer = step.outer();
    let rows: usize = outer.iter().product();
    let mut strides = packed(outer, 1);
    strides.extend(std::iter::repeat_n(0, step.row_axes));
    let mut held = Vec::new();
    let mut known: Vec<(usize, Vec<Operand>)> = Vec::new();
    let inputs_of = |cut: &Cut, known: &[(usize, Vec<Operand>)]| -> Vec<Operand> {
        let input = |from: &From| match *from {
            From::Input(input) => step.inputs[input].clone(),
            From::State { reduction, part } => {
                match known.iter().find(|(number, _)| *number == reduction) {
                    Some((_, parts)) => parts[part].clone(),
                    None => unreachable!("stages come in order"),
                }
            }
        };
        cut.inputs.iter().map(input).collect()
    };
    for (cut, numbers) in &stages.reductions {
        let dtypes = cut.program.outputs.iter().map(|output| output.dtype);
        let (scratch, states) = job.arrays(dtypes, rows, &strides)?;
        held.extend(scratch);
        let (inputs, program) = (inputs_of(cut, &known), &cut.program);
        reduce(job, &Step { program, inputs: &inputs, outputs: &states, ..*step }, true)?;
        let mut states = states.into_iter();
        for &number in numbers {
            let parts = step.program.reductions[number].lifted.len();
            known.push((number, states.by_ref().take(parts).collect()));
        }
    }
    for (cut, shape) in [(&stages.elements, step.shape), (&stages.rows, outer)] {
        if let Some(cut) = cut {
            let outputs = cut.outputs.iter().map(|&output| step.outputs[output].clone());
            let operands: Vec<Operand> =
                inputs_of(cut, &known).into_iter().chain(outputs).collect();
            let axes = shape.len();
            let operands: Vec<Operand> =
                operands.iter().map(|operand| operand.along(&operand.strides[..axes])).collect();
            map_operands(job, &cut.program, shape, &operands)?;
        }
    }
    Ok(())
}

/// Threads of a group, and lanes of the plan that each has. A group is within a warp, or it is the block: several in one block would
/// share one shared memory.
fn group_of(extent: usize, many: bool, most_in_warp: usize, warp: usize) -> (u32, u32) {
    let lanes = extent.next_power_of_two().min(BLOCK as usize) as u32;
    if many && extent > MOST_IN_THREAD && extent <= most_in_warp {
        // Reads of one thread do not wait for each other, and what is within a thread needs no exchange.
        let each = if lanes <= 32 { 4 } else { 8 };
        (lanes / each, each)
    } else if extent <= warp {
        (lanes, 1)
    } else {
        (BLOCK, 1)
    }
}

/// The same for rows of which a thread reads so many neighbours at once. The group is within a warp.
fn group_of_packs(extent: usize, pack: usize, state_bytes: usize) -> (u32, u32) {
    let lanes = extent.next_power_of_two().min(BLOCK as usize);
    let each = match state_bytes {
        ..=8 if extent > lanes => lanes / LONG_GROUP,
        9.. if extent >= LARGE_LONG => lanes / LARGE_GROUP,
        _ => PACKS * pack,
    };
    let each = if each * state_bytes > MOST_HELD { (each / 2).max(pack) } else { each };
    ((lanes / each) as u32, each as u32)
}

fn run_rows(
    job: &Job<'_>,
    step: &Step<'_>,
    part: Part,
    long: bool,
    written: &[Operand],
) -> Result<()> {
    let (rows_count, extent) = (step.outer().iter().product::<usize>(), step.extent());
    let operands = step.operands(part == Part::State);
    let wide = is_wide(step.shape, &operands);
    let RowIndexMaps { outer, row, arguments: mapped } =
        row_index_maps(step.shape, &operands, step.row_axes, wide);
    let warp = job.runtime.driver().properties().capabilities.warp_size as usize;
    let most_in_warp = if long { REDUCED_IN_WARP } else { FUSED_IN_WARP };
    let chunks = extent.div_ceil(CHUNK);
    let items = if part == Part::State { rows_count * chunks } else { rows_count };
    let pack = match part {
        Part::Chunk | Part::State if long && items >= MANY_ROWS && extent > MOST_IN_THREAD => {
            step.pack()
        }
        Part::Chunk | Part::Chunks | Part::State => 1,
    };
    let (group, each) = match pack {
        1 => group_of(extent, rows_count >= MANY_ROWS, most_in_warp, warp),
        _ => {
            let state_bytes = states(step.program).iter().map(|dtype| dtype.size()).sum();
            group_of_packs(extent, pack, state_bytes)
        }
    };
    // Where nothing is kept, extents must not make kernels differ.
    let capacity = match part {
        Part::Chunk if !long && group == BLOCK => extent.next_power_of_two().max(BLOCK as usize),
        Part::Chunk | Part::Chunks | Part::State => 0,
    };
    let (program, pack) = (step.program.clone(), pack as u32);
    let kernel = Rows { program, outer, row, group, each, pack, part, capacity };
    let mut arguments = Arguments::default();
    arguments.extend([items as u64, extent as u64]);
    arguments.divisor(chunks, wide);
    arguments.append(&mapped);
    arguments.addresses(step.inputs);
    arguments.addresses(written);
    let blocks = items.div_ceil((BLOCK / group) as usize);
    job.run(&kernel, blocks, BLOCK, arguments)
}

fn run_columns(job: &Job<'_>, step: &Step<'_>, states: bool, written: &[Operand]) -> Result<()> {
    let last = step.outer().len() - 1;
    let (columns, extent) = (step.outer()[last], step.extent());
    let operands = step.operands(states);
    let wide = is_wide(step.shape, &operands);
    let RowIndexMaps { outer, row, arguments: mapped } =
        row_index_maps(step.shape, &operands, step.row_axes, wide);
    let rows: usize = step.outer().iter().product();
    let kernel = Columns::new(step.program.clone(), outer, row, rows, extent, states);
    let (column_blocks, chunks) = (columns.div_ceil(kernel.across()), extent.div_ceil(CHUNK));
    let mut arguments = Arguments::default();
    arguments.push(columns as u64);
    arguments.divisor(column_blocks, wide);
    arguments.divisor(chunks, wide);
    arguments.push(extent as u64);
    arguments.append(&mapped);
    arguments.addresses(step.inputs);
    arguments.addresses(written);
    let others: usize = step.outer()[..last].iter().product();
    job.run(&kernel, others * column_blocks * chunks, kernel.block(), arguments)
}

#[cfg(test)]
mod tests {
    use ndany_core::DType;

    use super::*;

    /// What a thread reads at once of rows of this extent, which lie so.
    fn pack(extent: usize, inputs: &[(u64, DType, [isize; 2])]) -> usize {
        let operand = |&(address, dtype, strides): &(u64, DType, [isize; 2])| Operand {
            address,
            dtype,
            strides: Strides::from_slice(&strides),
        };
        let inputs: Vec<Operand> = inputs.iter().map(operand).collect();
        let (program, shape) = (Program::default(), [4096, extent]);
        Step { program: &program, shape: &shape, row_axes: 1, inputs: &inputs, outputs: &[] }.pack()
    }

    #[test]
    fn rows_of_aligned_neighbours_are_read_in_packs() {
        use DType::{F16, F32, F64};
        assert_eq!(pack(12, &[(256, F32, [12, 1])]), 4);
        assert_eq!(pack(12, &[(264, F16, [12, 1])]), 4);
        assert_eq!(pack(14, &[(256, F64, [14, 1])]), 2);
        // The largest elements count; what is the same for all elements of a row, or for all rows, does not hinder.
        assert_eq!(pack(12, &[(256, F32, [12, 1]), (512, F64, [12, 1])]), 2);
        assert_eq!(pack(12, &[(256, F32, [12, 1]), (260, F32, [1, 0])]), 4);
        assert_eq!(pack(12, &[(256, F32, [0, 1])]), 4);
    }

    #[test]
    fn other_rows_are_read_by_elements() {
        use DType::{C128, F32};
        // Extents, strides and addresses that are no multiples; elements of 16 bytes; steps; nothing that varies.
        assert_eq!(pack(13, &[(256, F32, [13, 1])]), 1);
        assert_eq!(pack(12, &[(256, F32, [13, 1])]), 1);
        assert_eq!(pack(12, &[(260, F32, [12, 1])]), 1);
        assert_eq!(pack(12, &[(256, C128, [12, 1])]), 1);
        assert_eq!(pack(12, &[(256, F32, [24, 2])]), 1);
        assert_eq!(pack(12, &[(256, F32, [1, 0])]), 1);
        assert_eq!(pack(12, &[(256, F32, [12, 1]), (256, F32, [12, -1])]), 1);
    }

    #[test]
    fn a_group_has_the_lanes_of_its_row() {
        assert_eq!(group_of_packs(12, 4, 4), (1, 16));
        assert_eq!(group_of_packs(12, 4, 12), (1, 16));
        assert_eq!(group_of_packs(40, 4, 4), (4, 16));
        assert_eq!(group_of_packs(128, 2, 8), (16, 8));
        assert_eq!(group_of_packs(300, 4, 4), (32, 4));
        assert_eq!(group_of_packs(300, 4, 12), (8, 16));
        assert_eq!(group_of_packs(300, 4, 24), (16, 8));
        assert_eq!(group_of_packs(4096, 2, 24), (16, 8));
    }
}
