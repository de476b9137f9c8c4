//! Fused rowwise programs: maps, reductions and further maps over rows that stay in one thread's cache.
//!
//! Each stage is one pass over a row. Stage `s` folds the reductions that depend on `s` earlier ones; the last
//! stage stores the outputs. Values that a later stage reads again are kept for the row.

use ndany_core::Result;
use ndany_core::backend::Launch;
use ndany_core::program::{Domain, Reg};
use smallvec::SmallVec;

use crate::accumulators::{MAX_PARTS, Reducer, Streaming};
use crate::compiled::{CompiledProgram, Kind, cost};
use crate::interpreter::{BLOCK, BlockInterpreter, Phase, Positions, Sink, Space};
use crate::loops::{ACCUMULATORS, Level};
use crate::map::registers;
use crate::program_cache;
use crate::reduce::{TILE_ROWS, reducers};
use crate::threads::Threads;

/// Longest row that stays in the cache.
pub(crate) const ROW_LIMIT: usize = 1 << 16;

/// One pass over a row.
struct Stage {
    /// Registers of the row that become known before the pass.
    once: SmallVec<[Reg; 16]>,
    phase: Phase,
    /// Reductions that the pass completes.
    reductions: SmallVec<[usize; 4]>,
    /// Kept registers that the pass writes or reads.
    kept: SmallVec<[usize; 4]>,
}

/// A register kept for the row.
struct Kept {
    reg: Reg,
    size: usize,
    /// Byte offset of its values among the kept ones.
    offset: usize,
}

/// For each register the stage that can compute it, and for each reduction the stage that completes it.
fn stages_of(
    code: &CompiledProgram,
    reducers: &[Reducer],
) -> (SmallVec<[usize; 32]>, SmallVec<[usize; 4]>) {
    let mut stage: SmallVec<[usize; 32]> = SmallVec::from_elem(0, code.instrs.len());
    let mut of_reduction: SmallVec<[usize; 4]> = SmallVec::from_elem(0, reducers.len());
    for position in 0..code.instrs.len() {
        let compiled = &code.instrs[position];
        stage[position] = match compiled.kind {
            Kind::Reduced { reduction, .. } => {
                let number = usize::from(reduction);
                let lifted = reducers[number].lifted.iter().map(|&reg| stage[usize::from(reg)]);
                of_reduction[number] = lifted.max().unwrap_or(0);
                of_reduction[number] + 1
            }
            Kind::Step(_)
            | Kind::Table(_)
            | Kind::Gather { .. }
            | Kind::BoundsCheck { .. }
            | Kind::Loop(_)
            | Kind::LoopState { .. } => {
                let args = code.args(position as Reg).iter();
                args.map(|&arg| stage[usize::from(arg)]).max().unwrap_or(0)
            }
            Kind::Load { .. }
            | Kind::Scalar(_)
            | Kind::Const(_)
            | Kind::Index
            | Kind::Argument(_)
            | Kind::Word { .. }
            | Kind::Fused(_) => 0,
        };
    }
    (stage, of_reduction)
}

struct Job<'j> {
    row: usize,
    reducers: &'j [Reducer],
    stages: Vec<Stage>,
    kept: Vec<Kept>,
    element_sinks: &'j [Sink],
    row_sinks: &'j [Sink],
    /// Registers of the first stage that are the same for every row.
    constants: SmallVec<[Reg; 16]>,
    /// Registers of the row that only its outputs read.
    last: SmallVec<[Reg; 16]>,
}

/// Runs a launch of any kind row by row, or many rows side by side if rows are short.
pub(crate) fn fused_rowwise(launch: &Launch<'_>, level: Level, threads: &Threads) -> Result<()> {
    let code = program_cache::compiled(&launch.program, level);
    let reducers = reducers(&launch.program, level);
    let (rows, row) = (launch.rows(), launch.row_size());
    let across = row < ACCUMULATORS && rows >= ACCUMULATORS;
    let outer = launch.shape.len() - launch.row_axes;
    let (axes, positions): (SmallVec<[usize; 8]>, _) = if across {
        ((outer..launch.shape.len()).chain(0..outer).collect(), Positions::Across(rows))
    } else {
        ((0..launch.shape.len()).collect(), Positions::Along(row))
    };
    let element_sinks = Sink::all(launch, &axes, Domain::Element, level);
    let row_sinks = Sink::all(launch, &axes, Domain::Row, level);
    let job = Job::plan(row, &code, &reducers, &element_sinks, &row_sinks);
    let space = Space::new(launch, &code, &launch.scalars, &axes, level, positions, &[]);
    let slots = job.stages.iter().map(|stage| stage.phase.slots()).max().unwrap_or(0);
    let stages = job.stages.iter();
    let cost = stages.map(|stage| cost(&launch.program, stage.phase.regs(), 8, rows * row)).sum();
    if across {
        let tiles = rows.div_ceil(TILE_ROWS);
        let work = |begin, end| job.run_across(&space, slots, rows, begin, end);
        threads.split(tiles, 1, cost, work)?;
    } else {
        threads.split(rows, 1, cost, |begin, end| job.run(&space, slots, begin, end))?;
    }
    space.outcome(launch)
}

impl<'j> Job<'j> {
    fn plan(
        row: usize,
        code: &CompiledProgram,
        reducers: &'j [Reducer],
        element_sinks: &'j [Sink],
        row_sinks: &'j [Sink],
    ) -> Self {
        let (stage, of_reduction) = stages_of(code, reducers);
        let outputs: SmallVec<[Reg; 4]> = registers(element_sinks).collect();
        let row_outputs: SmallVec<[Reg; 4]> = registers(row_sinks).collect();
        let last = outputs
            .iter()
            .map(|&reg| stage[usize::from(reg)])
            .chain(of_reduction.iter().copied())
            .max()
            .unwrap_or(0);
        let is_element = |reg: Reg| code.domains[usize::from(reg)] == Domain::Element;
        // A register that a stage computes and the own instructions of a later stage read is kept; loads are
        // repeated.
        let mut kept: Vec<Kept> = Vec::new();
        let mut offset = 0;
        let mut keep = |reg: Reg| {
            let position = usize::from(reg);
            let computed = matches!(
                code.instrs[position].kind,
                Kind::Step(_) | Kind::Table(_) | Kind::LoopState { .. }
            );
            if is_element(reg) && computed && !kept.iter().any(|kept| kept.reg == reg) {
                let size = code.instrs[position].ty.size();
                kept.push(Kept { reg, size, offset });
                offset += (row * size).next_multiple_of(64);
            }
        };
        for position in 0..code.instrs.len() {
            for &arg in code.args(position as Reg) {
                if is_element(position as Reg) && stage[usize::from(arg)] < stage[position] {
                    keep(arg);
                }
            }
        }
        for &reg in &outputs {
            if stage[usize::from(reg)] < last {
                keep(reg);
            }
        }
        for (reducer, &at) in reducers.iter().zip(&of_reduction) {
            for &reg in reducer.lifted.iter().filter(|&&reg| stage[usize::from(reg)] < at) {
                keep(reg);
            }
        }
        let mut known: SmallVec<[bool; 32]> = SmallVec::from_elem(false, code.instrs.len());
        let mut stages = Vec::with_capacity(last + 1);
        for number in 0..=last {
            let reductions: SmallVec<[usize; 4]> = (0..reducers.len())
                .filter(|&reduction| of_reduction[reduction] == number)
                .collect();
            let mut wanted: SmallVec<[Reg; 16]> = reductions
                .iter()
                .flat_map(|&reduction| reducers[reduction].lifted.iter().copied())
                .collect();
            if number == last {
                wanted.extend(outputs.iter().copied());
            }
            // Kept values are computed in their own stage, even if only later stages read them.
            let own = |kept: &Kept| stage[usize::from(kept.reg)] == number;
            wanted.extend(kept.iter().filter(|kept| own(kept)).map(|kept| kept.reg));
            let earlier = |reg: Reg| {
                kept.iter().any(|kept| kept.reg == reg) && stage[usize::from(reg)] < number
            };
            let once: SmallVec<[Reg; 16]> = code
                .closure(wanted.iter().copied(), Domain::Row, earlier)
                .into_iter()
                .filter(|&reg| !known[usize::from(reg)])
                .collect();
            once.iter().for_each(|&reg| known[usize::from(reg)] = true);
            let regs = code.closure(wanted.iter().copied(), Domain::Element, earlier);
            let is_kept = |reg: Reg| kept.iter().any(|kept| kept.reg == reg);
            let phase = Phase::new(code, regs, &wanted, is_kept);
            let kept = (0..kept.len())
                .filter(|&position| stage[usize::from(kept[position].reg)] <= number)
                .collect();
            stages.push(Stage { once, phase, reductions, kept });
        }
        let mut last_once: SmallVec<[Reg; 16]> = code
            .closure(row_outputs.iter().copied(), Domain::Row, |reg| known[usize::from(reg)])
            .into_iter()
            .collect();
        let constant = |reg: &Reg| {
            matches!(code.instrs[usize::from(*reg)].kind, Kind::Scalar(_) | Kind::Const(_))
        };
        let mut constants: SmallVec<[Reg; 16]> = SmallVec::new();
        let lists = stages.iter_mut().map(|stage| &mut stage.once).chain([&mut last_once]);
        for list in lists {
            constants.extend(list.iter().copied().filter(constant));
            list.retain(|reg| !constant(reg));
        }
        Self { row, reducers, stages, kept, element_sinks, row_sinks, constants, last: last_once }
    }

    fn run(&self, space: &Space<'_>, slots: usize, begin: usize, end: usize) -> Result<()> {
        let row = self.row;
        let width = BLOCK.min(row);
        let kept_bytes = self.kept.last().map_or(0, |kept| kept.offset + row * kept.size);
        let mut interpreter = BlockInterpreter::new(space, slots, kept_bytes)?;
        let kept_start = interpreter.extra(0);
        let mut streams: SmallVec<[Streaming<'_>; 2]> = self
            .reducers
            .iter()
            .map(|reducer| Streaming::new(reducer, row))
            .collect::<Result<_>>()?;
        interpreter.reduced = streams.iter().map(Streaming::result).collect();
        interpreter.run_uniform(&self.constants, begin * row, width);
        for number in begin..end {
            let first = number * row;
            for (pass, stage) in self.stages.iter().enumerate() {
                interpreter.run_uniform(&stage.once, first, width);
                let mut start = 0;
                while start < row {
                    let count = BLOCK.min(row - start);
                    for kept in stage.kept.iter().map(|&position| &self.kept[position]) {
                        interpreter.registers[usize::from(kept.reg)] =
                            kept_start.wrapping_add(kept.offset + start * kept.size);
                    }
                    interpreter.run(&stage.phase, first + start, count);
                    for &reduction in &stage.reductions {
                        let mut values = [std::ptr::null_mut(); MAX_PARTS];
                        for (value, &reg) in values.iter_mut().zip(&self.reducers[reduction].lifted)
                        {
                            *value = interpreter.registers[usize::from(reg)];
                        }
                        // SAFETY: each register of the phase holds a block of `count` values.
                        unsafe { streams[reduction].feed(&values, count) };
                    }
                    if pass + 1 == self.stages.len() {
                        for sink in self.element_sinks {
                            // SAFETY: rows of different threads are disjoint, and core gives no other code
                            // access to an output while its launch runs.
                            unsafe { interpreter.store_output(sink, first + start, count) };
                        }
                    }
                    start += count;
                }
                for &reduction in &stage.reductions {
                    streams[reduction].finish();
                }
            }
            interpreter.run_uniform(&self.last, first, 1);
            for sink in self.row_sinks {
                // SAFETY: as above.
                unsafe { interpreter.store_output(sink, first, 1) };
            }
        }
        interpreter.finish();
        Ok(())
    }

    /// Tiles `begin..end` of rows with fewer elements than accumulators: each element of a row has its own
    /// accumulator.
    fn run_across(
        &self,
        space: &Space<'_>,
        slots: usize,
        rows: usize,
        begin: usize,
        end: usize,
    ) -> Result<()> {
        let row = self.row;
        let parts_count: usize = self.reducers.iter().map(Reducer::parts).sum();
        let temporaries =
            self.reducers.iter().map(|reducer| reducer.temporaries(ACCUMULATORS)).max();
        let kept_bytes =
            self.kept.last().map_or(0, |kept| kept.offset + row.next_multiple_of(64) * kept.size);
        let lane_bytes = row * TILE_ROWS * 8;
        let lanes_start = kept_bytes * TILE_ROWS;
        let temporaries_start = lanes_start + parts_count * lane_bytes;
        let mut interpreter =
            BlockInterpreter::new(space, slots, temporaries_start + temporaries.unwrap_or(0))?;
        let (kept_start, temporary) = (interpreter.extra(0), interpreter.extra(temporaries_start));
        let mut accumulators: SmallVec<[[*mut u8; MAX_PARTS]; 2]> = SmallVec::new();
        let mut next = lanes_start;
        for reducer in self.reducers {
            let mut pointers = [std::ptr::null_mut(); MAX_PARTS];
            for pointer in pointers.iter_mut().take(reducer.parts()) {
                *pointer = interpreter.extra(next);
                next += lane_bytes;
            }
            accumulators.push(pointers);
        }
        // After the accumulators have been combined, the first holds the rows' results.
        interpreter.reduced = accumulators.clone();
        interpreter.run_uniform(&self.constants, 0, TILE_ROWS.min(rows));
        for tile in begin..end {
            let first = tile * TILE_ROWS;
            let width = TILE_ROWS.min(rows - first);
            for (pass, stage) in self.stages.iter().enumerate() {
                interpreter.run_per_row(&stage.once, first, width);
                for element in 0..row {
                    let index = element * rows + first;
                    for kept in stage.kept.iter().map(|&position| &self.kept[position]) {
                        interpreter.registers[usize::from(kept.reg)] = kept_start
                            .wrapping_add(kept.offset * TILE_ROWS + element * width * kept.size);
                    }
                    interpreter.run(&stage.phase, index, width);
                    for &reduction in &stage.reductions {
                        let reducer = &self.reducers[reduction];
                        let mut values = [std::ptr::null_mut(); MAX_PARTS];
                        for (value, &reg) in values.iter_mut().zip(&reducer.lifted) {
                            *value = interpreter.registers[usize::from(reg)];
                        }
                        let accumulator = reducer.offset(&accumulators[reduction], element * width);
                        // SAFETY: the accumulators hold `row * TILE_ROWS` values of each part.
                        unsafe { reducer.copy(&values, &accumulator, width) };
                    }
                    if pass + 1 == self.stages.len() {
                        for sink in self.element_sinks {
                            // SAFETY: rows of different threads are disjoint, and core gives no other code
                            // access to an output while its launch runs.
                            unsafe { interpreter.store_output(sink, index, width) };
                        }
                    }
                }
                for &reduction in &stage.reductions {
                    // SAFETY: as above; a row has fewer elements than there are accumulators.
                    unsafe {
                        self.reducers[reduction].gather(
                            &accumulators[reduction],
                            row,
                            width,
                            temporary,
                        );
                    }
                }
            }
            interpreter.run_per_row(&self.last, first, width);
            for sink in self.row_sinks {
                // SAFETY: as above.
                unsafe { interpreter.store_output(sink, first, width) };
            }
        }
        interpreter.finish();
        Ok(())
    }
}
