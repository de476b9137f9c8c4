//! Reductions with a fused elementwise part, by the canonical plan.
//!
//! The plan runs in one of two directions: along the row (one row at a time, the accumulators in adjacent
//! memory), or across rows (many rows side by side, one element of each at a time) where rows are short or
//! adjacent rows are closer in memory than adjacent elements. Threads share the chunks of long rows.

mod across;
mod along;
mod answers;

use std::fmt;
use std::sync::Arc;

use ndany_core::backend::{Launch, StridedView};
use ndany_core::plan::CHUNK;
use ndany_core::program::{Domain, Program, Reg};
use ndany_core::{Error, Result, shape};
use smallvec::SmallVec;

use crate::accumulators::{MAX_PARTS, Reducer};
use crate::compiled::{CompiledProgram, Kind, cost, parts_of};
use crate::complex_sum::ComplexSum;
use crate::count_true;
use crate::interpreter::{BlockInterpreter, Phase, Positions, Space};
use crate::loops::{ACCUMULATORS, Level, Loops};
use crate::map;
use crate::memory::{Scratch, address};
use crate::program_cache;
use crate::strided_cursor::{StridedCursor, splat};
use crate::threads::Threads;
use crate::trace_strategy;

/// Rows of a tile, which advance together in a reduction across rows.
pub(crate) const TILE_ROWS: usize = 1024;

/// The states of all chunks of all rows of one reduction: the state of row `r` and chunk `c` is at `r *
/// chunks + c`.
#[derive(Debug)]
struct States {
    parts: SmallVec<[Scratch; 4]>,
}

impl States {
    fn new(reducer: &Reducer, count: usize) -> Result<Self> {
        let parts = reducer.types.iter().map(|ty| Scratch::new(count * ty.size()));
        Ok(Self { parts: parts.collect::<Result<_>>()? })
    }

    fn pointers(&self) -> [*mut u8; MAX_PARTS] {
        let mut pointers = [std::ptr::null_mut(); MAX_PARTS];
        for (pointer, part) in pointers.iter_mut().zip(&self.parts) {
            *pointer = part.address();
        }
        pointers
    }
}

/// Shares the addresses of states among threads.
struct Shared<'a>(&'a [States]);

// SAFETY: threads write the states of different rows and chunks, and nothing reads them before all are done.
unsafe impl Sync for Shared<'_> {}

impl Shared<'_> {
    fn pointers(&self, reduction: usize) -> [*mut u8; MAX_PARTS] {
        self.0[reduction].pointers()
    }
}

/// Prints how each reduction folds along its rows.
struct RowFolds<'r>(&'r [Reducer]);

impl fmt::Debug for RowFolds<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(Reducer::row_fold)).finish()
    }
}

/// A program compiled for reductions, and which registers are computed where.
#[derive(Debug)]
pub(crate) struct ReduceCode {
    code: Arc<CompiledProgram>,
    reducers: SmallVec<[Reducer; 2]>,
    /// Registers that are computed once for a row, and for each block of one.
    once: SmallVec<[Reg; 16]>,
    phase: Phase,
}

impl ReduceCode {
    pub(crate) fn new(program: &Program, level: Level) -> Self {
        let code = program_cache::compiled(program, level);
        let reducers = reducers(program, level);
        let lifted: SmallVec<[Reg; 16]> =
            reducers.iter().flat_map(Reducer::read_along).copied().collect();
        let once = code.closure(lifted.iter().copied(), Domain::Row, |_| false);
        let regs = code.closure(lifted.iter().copied(), Domain::Element, |_| false);
        let phase = Phase::new(&code, regs, &lifted, |_| false);
        Self { code, reducers, once, phase }
    }
}

/// The compiled reductions of a program.
pub(crate) fn reducers(program: &Program, level: Level) -> SmallVec<[Reducer; 2]> {
    program
        .reductions
        .iter()
        .map(|reduction| {
            let types = reduction.lifted.iter().map(|&reg| program.instrs[usize::from(reg)].ty);
            Reducer::new(reduction, types, level).along_rows(program, reduction, level)
        })
        .collect()
}

/// How a reduction runs.
pub(crate) enum Strategy {
    /// Counts the true elements of one row.
    CountTrue,
    /// Adds one row of packed complex numbers.
    ComplexSum(ComplexSum),
    /// Many rows side by side.
    Across,
    /// One row at a time.
    Along,
}

impl Strategy {
    /// The fastest strategy of a launch.
    pub(crate) fn of(launch: &Launch<'_>, level: Level) -> Self {
        if count_true::applies(launch) {
            Strategy::CountTrue
        } else if let Some(sum) = ComplexSum::of(launch, level) {
            Strategy::ComplexSum(sum)
        } else if rows_side_by_side(launch) {
            Strategy::Across
        } else {
            Strategy::Along
        }
    }
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::CountTrue => "CountTrue",
            Strategy::ComplexSum(_) => "ComplexSum",
            Strategy::Across => "Across",
            Strategy::Along => "Along",
        })
    }
}

/// Whether many rows side by side are faster than one row at a time.
fn rows_side_by_side(launch: &Launch<'_>) -> bool {
    let axes = launch.shape.len();
    let (inner, outer) = (axes - 1, axes - launch.row_axes);
    if launch.rows() < ACCUMULATORS || outer == 0 {
        return false;
    }
    let across = launch.inputs.iter().any(|place| {
        let (along, across) =
            (place.strides[inner].unsigned_abs(), place.strides[outer - 1].unsigned_abs());
        across != 0 && across < along
    });
    across || launch.row_size() < ACCUMULATORS / 2
}

/// Runs a launch whose reductions do not depend on each other and whose outputs are one value per row.
pub(crate) fn reduce(launch: &Launch<'_>, level: Level, threads: &Threads) -> Result<()> {
    let strategy = Strategy::of(launch, level);
    trace_strategy("reduce", &strategy);
    let across = match strategy {
        Strategy::CountTrue => return count_true::count_row(launch, threads),
        Strategy::ComplexSum(sum) => return sum.run(launch, threads),
        Strategy::Across => true,
        Strategy::Along => false,
    };
    let own = program_cache::reduce_code(&launch.program, level);
    let ReduceCode { code, reducers, .. } = &*own;
    let (rows, row) = (launch.rows(), launch.row_size());
    let chunk = match across {
        true => CHUNK,
        false => along::run_of_a_state(reducers, rows, row, threads),
    };
    let chunks = row.div_ceil(chunk);
    let states: SmallVec<[States; 2]> = reducers
        .iter()
        .map(|reducer| States::new(reducer, rows * chunks))
        .collect::<Result<_>>()?;
    let job =
        Job { launch, code, reducers, states: Shared(&states), rows, row, chunk, chunks, level };
    if across {
        job.across(threads)?
    } else {
        trace_strategy("fold", &RowFolds(reducers));
        job.along(&own.once, &own.phase, threads)?
    }
    job.combine_chunks(threads)?;
    let rows: SmallVec<[&[Scratch]; 2]> = states.iter().map(|states| &states.parts[..]).collect();
    let outer = launch.shape.len() - launch.row_axes;
    finish(launch, code, reducers, &rows, &launch.shape[..outer], level, threads)
}

/// Runs the part of a program that has one value per row, over a space of rows (whose last axis may count
/// segments of a row). `states` holds the parts of each reduction's results, packed.
pub(crate) fn finish(
    launch: &Launch<'_>,
    code: &CompiledProgram,
    reducers: &[Reducer],
    states: &[&[Scratch]],
    space: &[usize],
    level: Level,
    threads: &Threads,
) -> Result<()> {
    if shape::size_of(space) == 1
        && let Some(done) = single(launch, code, states, level)
    {
        return done;
    }
    let reduced: SmallVec<[SmallVec<[StridedCursor; 4]>; 2]> = states
        .iter()
        .zip(reducers)
        .map(|(parts, reducer)| {
            let cursor = |(part, ty): (&Scratch, &ndany_core::program::RegType)| {
                StridedCursor::packed(part.address(), ty.size(), space)
            };
            parts.iter().zip(&reducer.types).map(cursor).collect()
        })
        .collect();
    let over_rows = Launch {
        program: launch.program,
        prepared: None,
        shape: space.into(),
        row_axes: 0,
        inputs: launch.inputs.iter().map(|place| outer_part(place, space.len())).collect(),
        scalars: launch.scalars.clone(),
        outputs: launch.outputs.iter().map(|place| outer_part(place, space.len())).collect(),
        made_of: launch.made_of.clone(),
        origin: launch.origin,
        slot: launch.slot,
    };
    map::over(&over_rows, None, &reduced, Domain::Row, level, threads)
}

/// Computes the outputs of a single row one by one: a space for them costs more than a sum of some hundred
/// numbers. `None` if they read inputs.
fn single(
    launch: &Launch<'_>,
    code: &CompiledProgram,
    states: &[&[Scratch]],
    level: Level,
) -> Option<Result<()>> {
    let outputs = launch.program.outputs.iter().zip(&launch.outputs);
    let outputs = outputs.filter(|(output, _)| output.domain == Domain::Row);
    let mut values: SmallVec<[u64; 16]> = SmallVec::from_elem(0, code.instrs.len());
    let base: *mut u8 = values.as_mut_ptr().cast();
    let value = |reg: Reg| base.wrapping_add(usize::from(reg) * size_of::<u64>());
    let mut failed = false;
    for &reg in code.of_row_outputs(&launch.program) {
        let compiled = &code.instrs[usize::from(reg)];
        let (out, size) = (value(reg), compiled.ty.size());
        // SAFETY: every register has its own place, as wide as the widest type; a reduction has a state for
        // the row.
        unsafe {
            match compiled.kind {
                Kind::Const(bits) => splat(out, size, bits, 1),
                Kind::Scalar(scalar) => splat(out, size, launch.scalars[usize::from(scalar)], 1),
                Kind::Reduced { reduction, part } => {
                    let state = &states[usize::from(reduction)][usize::from(part)];
                    out.copy_from_nonoverlapping(state.address(), size);
                }
                Kind::Step(run) => {
                    failed |= run(out, compiled.args.map(|arg| value(arg).cast_const()), 1);
                }
                _ => return None,
            }
        }
    }
    for (output, place) in outputs {
        let size = place.dtype.part().size();
        let start = address(place.memory).wrapping_add(place.offset * place.dtype.size());
        for (part, &reg) in output.parts[..parts_of(place.dtype)].iter().enumerate() {
            let (value, to) = (value(reg).cast_const(), start.wrapping_add(part * size));
            // SAFETY: the output has this one element, which this launch alone writes.
            unsafe {
                match level.narrow(place.dtype) {
                    Some(narrow) => drop(narrow(to, [value; 3], 1)),
                    None => to.copy_from_nonoverlapping(value, size),
                }
            }
        }
    }
    Some(if failed { Err(Error::NegativePower) } else { Ok(()) })
}

fn outer_part<'a>(place: &StridedView<'a>, axes: usize) -> StridedView<'a> {
    let mut place = place.clone();
    place.strides.truncate(axes);
    place
}

struct Job<'j, 'l> {
    launch: &'j Launch<'l>,
    code: &'j CompiledProgram,
    reducers: &'j [Reducer],
    states: Shared<'j>,
    rows: usize,
    row: usize,
    /// Elements of a row that one state takes, and the number of these runs in a row.
    chunk: usize,
    chunks: usize,
    level: Level,
}

impl Job<'_, '_> {
    fn reads_rows(&self, once: &[Reg]) -> bool {
        once.iter().any(|&reg| matches!(self.code.instrs[usize::from(reg)].kind, Kind::Load { .. }))
    }

    /// Bytes of `lanes` accumulators of every part, `width` rows wide, and of temporaries.
    fn extra_bytes(&self, accumulators: usize, width: usize) -> usize {
        let parts: usize = self.reducers.iter().map(Reducer::parts).sum();
        let temporaries =
            self.reducers.iter().map(|reducer| reducer.temporaries(width.max(ACCUMULATORS))).max();
        parts * accumulators * width * 8 + temporaries.unwrap_or(0)
    }

    /// The accumulators of each reduction, and the temporaries, in an interpreter's extra bytes.
    fn accumulators(
        &self,
        interpreter: &BlockInterpreter<'_>,
        count: usize,
        width: usize,
    ) -> (SmallVec<[[*mut u8; MAX_PARTS]; 2]>, *mut u8) {
        let mut offset = 0;
        let mut accumulators = SmallVec::new();
        for reducer in self.reducers {
            let mut pointers = [std::ptr::null_mut(); MAX_PARTS];
            for pointer in pointers.iter_mut().take(reducer.parts()) {
                *pointer = interpreter.extra(offset);
                offset += count * width * 8;
            }
            accumulators.push(pointers);
        }
        (accumulators, interpreter.extra(offset))
    }

    fn values(&self, interpreter: &BlockInterpreter<'_>, regs: &[Reg]) -> [*mut u8; MAX_PARTS] {
        let mut values = [std::ptr::null_mut(); MAX_PARTS];
        for (value, &reg) in values.iter_mut().zip(regs) {
            *value = interpreter.registers[usize::from(reg)];
        }
        values
    }

    /// The launch's space with its axes in this order.
    fn space(&self, axes: &[usize], positions: Positions) -> Space<'_> {
        let (launch, scalars) = (self.launch, &self.launch.scalars);
        Space::new(launch, self.code, scalars, axes, self.level, positions, &[])
    }

    /// The cost of a phase and of folding its values.
    fn cost(&self, phase: &Phase) -> usize {
        let states: usize = self.reducers.iter().map(|reducer| 8 * reducer.parts()).sum();
        cost(&self.launch.program, phase.regs(), states, self.rows * self.row)
    }

    /// Combines the chunks of each row, by the same plan, into the first places of the states.
    fn combine_chunks(&self, threads: &Threads) -> Result<()> {
        if self.chunks == 1 {
            return Ok(());
        }
        threads.split(self.rows, 1, self.rows * self.chunks, |begin, end| {
            for (number, reducer) in self.reducers.iter().enumerate() {
                let lanes_bytes = reducer.parts() * ACCUMULATORS * 8;
                let scratch = Scratch::new(lanes_bytes + reducer.temporaries(ACCUMULATORS))?;
                let mut accumulators = [std::ptr::null_mut(); MAX_PARTS];
                for (part, accumulator) in accumulators.iter_mut().enumerate().take(reducer.parts())
                {
                    *accumulator = scratch.address().wrapping_add(part * ACCUMULATORS * 8);
                }
                let temporary = scratch.address().wrapping_add(lanes_bytes);
                for row in begin..end {
                    let states = reducer.offset(&self.states.pointers(number), row * self.chunks);
                    // SAFETY: this thread alone has the row's states, the accumulators and the temporaries.
                    unsafe {
                        reducer.reduce_states(&states, self.chunks, &accumulators, temporary)
                    };
                }
            }
            Ok(())
        })?;
        // Row r's result moves to place r. Ascending order is safe, as a result only moves to a lower place.
        for (number, reducer) in self.reducers.iter().enumerate() {
            let states = self.states.pointers(number);
            for row in 1..self.rows {
                // SAFETY: both places lie in the states, which no other code uses now.
                unsafe {
                    reducer.copy(
                        &reducer.offset(&states, row * self.chunks),
                        &reducer.offset(&states, row),
                        1,
                    )
                };
            }
        }
        Ok(())
    }
}
