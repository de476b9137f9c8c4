//! Left folds: sequential along a row, parallel over rows.
//!
//! If there are several rows, they advance together, one element of each at a time, so that a step of the fold
//! is a loop over rows. A few rows run one after the other; the fused elementwise part still runs in blocks. A
//! single long row runs on one thread, as the definition of a left fold requires.

use ndany_core::Result;
use ndany_core::backend::FoldLeft;
use ndany_core::program::{Combine, Domain, Fault, Op, Reduction, Reg, RegType};
use smallvec::SmallVec;

use crate::accumulators::{MAX_PARTS, Reducer};
use crate::compiled::{CompiledProgram, Kind};
use crate::gathered::power;
use crate::interpreter::{BLOCK, BlockInterpreter, Phase, Positions, Sink, Space};
use crate::loops::{ACCUMULATORS, Level, LoopFn, running};
use crate::memory::Scratch;
use crate::program_cache;
use crate::reduce::{TILE_ROWS, finish};
use crate::threads::Threads;

/// Minimum number of rows that advance together.
const SIDE_BY_SIDE: usize = 4;

/// Runs a fold.
pub(crate) fn fold_left(fold_left: &FoldLeft<'_>, level: Level, threads: &Threads) -> Result<()> {
    let launch = &fold_left.launch;
    let program = launch.program;
    let reduction = &program.reductions[0];
    let code = program_cache::compiled(&program, level);
    let ty = |&reg: &Reg| program.instrs[usize::from(reg)].ty;
    let types = reduction.lifted[..fold_left.parts].iter().map(ty);
    let reducer = Reducer::new(reduction, types, level);
    let (rows, row) = (launch.rows(), launch.row_size());
    let given = reduction.lifted.len() - if fold_left.has_initial { fold_left.parts } else { 0 };
    let states: SmallVec<[Scratch; 2]> =
        reducer.types.iter().map(|ty| Scratch::new(rows * ty.size())).collect::<Result<_>>()?;
    let mut addresses = [std::ptr::null_mut(); MAX_PARTS];
    for (address, state) in addresses.iter_mut().zip(&states) {
        *address = state.address();
    }
    let job = Job {
        fold_left,
        code: &code,
        reducer: &reducer,
        given: reduction.lifted[..given].iter().map(|reg| (*reg, ty(reg))).collect(),
        primitive: primitive(reduction, fold_left.parts, given, reducer.types[0]),
        results: Shared(addresses),
        rows,
        row,
        level,
    };
    if rows >= SIDE_BY_SIDE {
        job.across(threads)?
    } else {
        job.along(threads)?
    }
    if fold_left.store_all {
        return Ok(());
    }
    let outer = launch.shape.len() - launch.row_axes;
    let reducers = std::slice::from_ref(&reducer);
    finish(launch, &code, reducers, &[&states], &launch.shape[..outer], level, threads)
}

/// The loop of a fold whose step is one primitive of the state and the element.
fn primitive(reduction: &Reduction, parts: usize, given: usize, ty: RegType) -> Option<LoopFn> {
    if parts != 1 || given != 1 {
        return None;
    }
    match &reduction.combine {
        Combine::Prim(prim) => running(*prim, ty),
        Combine::Body(body) => {
            let instr = body.instrs[usize::from(*body.results.first()?)];
            let argument = |arg: Reg, position: u16| {
                body.instrs[usize::from(arg)].op == Op::Argument(position)
            };
            match instr.op {
                Op::Prim(prim) if argument(instr.args[0], 0) && argument(instr.args[1], 1) => {
                    running(prim, ty)
                }
                _ => None,
            }
        }
    }
}

/// Shares the addresses of the final states among threads.
struct Shared([*mut u8; MAX_PARTS]);

// SAFETY: threads write the states of different rows, and nothing reads them before all threads are done.
unsafe impl Sync for Shared {}

struct Job<'j, 'l> {
    fold_left: &'j FoldLeft<'l>,
    code: &'j CompiledProgram,
    reducer: &'j Reducer,
    /// The registers of an element that a step reads.
    given: SmallVec<[(Reg, RegType); 4]>,
    /// The loop of a step that is one primitive of the state and the element.
    primitive: Option<LoopFn>,
    /// The final states of every row, packed.
    results: Shared,
    rows: usize,
    row: usize,
    level: Level,
}

type Pointers = [*mut u8; MAX_PARTS];

impl Job<'_, '_> {
    /// The registers' values at element `k` of the last block.
    fn values(&self, interpreter: &BlockInterpreter<'_>, k: usize) -> Pointers {
        let mut values = [std::ptr::null_mut(); MAX_PARTS];
        for (value, (reg, ty)) in values.iter_mut().zip(&self.given) {
            *value = interpreter.registers[usize::from(*reg)].wrapping_add(k * ty.size());
        }
        values
    }

    /// The initial state, if the row has one.
    fn start(&self, interpreter: &BlockInterpreter<'_>) -> Option<Pointers> {
        self.fold_left.has_initial.then(|| {
            let mut values = [std::ptr::null_mut(); MAX_PARTS];
            for (value, &reg) in values.iter_mut().zip(&self.reducer.lifted[self.given.len()..]) {
                *value = interpreter.registers[usize::from(reg)];
            }
            values
        })
    }

    /// Buffers for `width` states, followed by temporaries.
    fn states(&self, interpreter: &BlockInterpreter<'_>, width: usize) -> (Pointers, *mut u8) {
        let mut states = [std::ptr::null_mut(); MAX_PARTS];
        for (part, state) in states.iter_mut().enumerate().take(self.reducer.parts()) {
            *state = interpreter.extra(part * width * 8);
        }
        (states, interpreter.extra(self.reducer.parts() * width * 8))
    }

    /// Bytes of [`Job::states`], followed by `width` narrowed values.
    fn extra_bytes(&self, width: usize, step: usize) -> usize {
        (self.reducer.parts() + 1) * width * 8 + self.reducer.temporaries(step)
    }

    /// Stores states as elements `index..index + count` of a space.
    ///
    /// # Safety
    /// `states` hold `count` values, `raw` has room for as many, and this thread alone uses the elements.
    unsafe fn store(
        &self,
        sink: &Sink,
        states: &Pointers,
        raw: *mut u8,
        index: usize,
        count: usize,
    ) {
        for ((_, cursor), state) in sink.parts.iter().zip(states) {
            // SAFETY: the caller upholds this.
            unsafe {
                match sink.narrow {
                    None => cursor.scatter(index, count, state.cast_const()),
                    Some(narrow) => {
                        narrow(raw, [state.cast_const(); 3], count);
                        cursor.scatter(index, count, raw);
                    }
                }
            }
        }
    }

    fn sink(&self, axes: &[usize]) -> Option<Sink> {
        let sinks = Sink::all(&self.fold_left.launch, axes, Domain::Element, self.level);
        sinks.into_iter().next().filter(|_| self.fold_left.store_all)
    }

    /// Rows side by side, one element of each at a time.
    fn across(&self, threads: &Threads) -> Result<()> {
        let launch = &self.fold_left.launch;
        let outer = launch.shape.len() - launch.row_axes;
        let axes: SmallVec<[usize; 8]> = (outer..launch.shape.len()).chain(0..outer).collect();
        let positions = Positions::Across(self.rows);
        let scalars = &launch.scalars;
        let space = Space::new(launch, self.code, scalars, &axes, self.level, positions, &[]);
        // Values of a row differ between adjacent rows, unless they are constants.
        let constant = |reg: Reg| {
            let kind = self.code.instrs[usize::from(reg)].kind;
            matches!(kind, Kind::Scalar(_) | Kind::Const(_))
        };
        let lifted = &self.reducer.lifted;
        let code = self.code;
        let once = code.closure(lifted.iter().copied(), Domain::Row, |_| false);
        let once: SmallVec<[Reg; 16]> = once.into_iter().filter(|&reg| constant(reg)).collect();
        let mut regs = code.closure(lifted.iter().copied(), Domain::Row, constant);
        regs.extend(code.closure(lifted.iter().copied(), Domain::Element, |_| false));
        regs.sort_unstable();
        let phase = Phase::new(code, regs, lifted, |_| false);
        let sink = self.sink(&axes);
        let tile_rows =
            TILE_ROWS.min(self.rows.div_ceil(4 * threads.count()).next_multiple_of(ACCUMULATORS));
        let cost = self.rows * self.row * (phase.regs().len() + 2);
        threads.split(self.rows.div_ceil(tile_rows), 1, cost, |begin, end| {
            let extra = self.extra_bytes(tile_rows, tile_rows);
            let mut interpreter = BlockInterpreter::new(&space, phase.slots(), extra)?;
            let (states, raw) = self.states(&interpreter, tile_rows);
            let temporary = raw.wrapping_add(tile_rows * 8);
            interpreter.run_uniform(&once, 0, tile_rows);
            let mut fault = Fault::NONE;
            for tile in begin..end {
                let first = tile * tile_rows;
                let width = tile_rows.min(self.rows - first);
                for element in 0..self.row {
                    interpreter.run(&phase, element * self.rows + first, width);
                    let values = self.values(&interpreter, 0);
                    // SAFETY: states and temporaries have room for `tile_rows` values; the elements and the
                    // initial state are blocks of `width` values; this thread alone has the rows of this
                    // tile.
                    unsafe {
                        match (element, self.start(&interpreter)) {
                            (0, None) => self.reducer.copy(&values, &states, width),
                            (0, Some(start)) => {
                                self.reducer.copy(&start, &states, width);
                                let own = self.reducer.combine(&states, &values, width, temporary);
                                fault = fault.or(own);
                            }
                            _ => {
                                let own = self.reducer.combine(&states, &values, width, temporary);
                                fault = fault.or(own);
                            }
                        }
                        if let Some(sink) = &sink {
                            self.store(sink, &states, raw, element * self.rows + first, width);
                        }
                    }
                }
                // SAFETY: as above.
                unsafe { self.reducer.copy(&states, &self.result(first), width) };
            }
            interpreter.finish_with(fault);
            Ok(())
        })?;
        space.outcome(launch)
    }

    fn result(&self, row: usize) -> Pointers {
        self.reducer.offset(&self.results.0, row)
    }

    /// One row at a time.
    fn along(&self, threads: &Threads) -> Result<()> {
        let launch = &self.fold_left.launch;
        let axes: SmallVec<[usize; 8]> = (0..launch.shape.len()).collect();
        let positions = Positions::Along(self.row);
        let scalars = &launch.scalars;
        let space = Space::new(launch, self.code, scalars, &axes, self.level, positions, &[]);
        let lifted = &self.reducer.lifted;
        let once = self.code.closure(lifted.iter().copied(), Domain::Row, |_| false);
        let regs = self.code.closure(lifted.iter().copied(), Domain::Element, |_| false);
        let phase = Phase::new(self.code, regs, lifted, |_| false);
        let sink = self.sink(&axes);
        let cost = self.rows * self.row * (phase.regs().len() + 8);
        threads.split(self.rows, 1, cost, |begin, end| {
            let extra = self.extra_bytes(BLOCK + 1, 1);
            let mut interpreter = BlockInterpreter::new(&space, phase.slots(), extra)?;
            // The state before a block and after each of its elements.
            let (states, raw) = self.states(&interpreter, BLOCK + 1);
            let temporary = raw.wrapping_add((BLOCK + 1) * 8);
            let mut fault = Fault::NONE;
            for row in begin..end {
                let first = row * self.row;
                interpreter.run_uniform(&once, first, BLOCK.min(self.row));
                let mut done = 0;
                while done < self.row {
                    let count = BLOCK.min(self.row - done);
                    interpreter.run(&phase, first + done, count);
                    // SAFETY: states and temporaries have room for a block and for a step; the elements are a
                    // block of `count` values; this thread alone has the row.
                    unsafe {
                        let mut taken = 0;
                        if done == 0 {
                            let start = self.start(&interpreter);
                            taken = usize::from(start.is_none());
                            let from = start.unwrap_or_else(|| self.values(&interpreter, 0));
                            let to = self.reducer.offset(&states, taken);
                            self.reducer.copy(&from, &to, 1);
                        }
                        let own = self.steps(&interpreter, &states, taken, count, temporary);
                        fault = fault.or(own);
                        let after = self.reducer.offset(&states, 1);
                        if let Some(sink) = &sink {
                            self.store(sink, &after, raw, first + done, count);
                        }
                        self.reducer.copy(&self.reducer.offset(&states, count), &states, 1);
                    }
                    done += count;
                }
                // SAFETY: as above.
                unsafe { self.reducer.copy(&states, &self.result(row), 1) };
            }
            interpreter.finish_with(fault);
            Ok(())
        })?;
        space.outcome(launch)
    }

    /// Runs the steps of elements `from..count` of a block: element `k` takes state `k` to state `k + 1`.
    ///
    /// # Safety
    /// `states` has room for `count + 1` values, of which value `from` is initialized; the interpreter's
    /// registers hold `count` values; `temporary` has room for the temporaries of one step.
    unsafe fn steps(
        &self,
        interpreter: &BlockInterpreter<'_>,
        states: &Pointers,
        from: usize,
        count: usize,
        temporary: *mut u8,
    ) -> Fault {
        if let Some(running) = self.primitive {
            let (out, values) =
                (self.reducer.offset(states, from)[0], self.values(interpreter, from)[0]);
            // SAFETY: the caller upholds this.
            return power(unsafe { running(out, [values.cast_const(); 3], count - from) });
        }
        let mut fault = Fault::NONE;
        for k in from..count {
            let (state, next) =
                (self.reducer.offset(states, k), self.reducer.offset(states, k + 1));
            // SAFETY: the caller upholds this.
            unsafe {
                self.reducer.copy(&state, &next, 1);
                let values = self.values(interpreter, k);
                fault = fault.or(self.reducer.combine(&next, &values, 1, temporary));
            }
        }
        fault
    }
}
