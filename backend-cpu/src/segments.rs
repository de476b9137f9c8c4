//! Reductions of segments of rows, each by the canonical plan or as a left fold.
//!
//! Long segments are cut into the plan's chunks, which threads share. The fused elementwise part runs over
//! blocks that adjacent short segments share. Rows are reduced one at a time: segments are too short for rows
//! side by side to be faster.

use ndany_core::backend::{CombineOrder, SegmentedReduce, StridedView};
use ndany_core::plan::CHUNK;
use ndany_core::program::{Domain, Fault, Reg};
use ndany_core::{Error, Result};
use smallvec::SmallVec;

use crate::accumulators::{MAX_PARTS, Reducer};
use crate::compiled::{CompiledProgram, Kind};
use crate::interpreter::{BLOCK, BlockInterpreter, Phase, Positions, Space};
use crate::loops::{ACCUMULATORS, Level};
use crate::memory::Scratch;
use crate::program_cache;
use crate::reduce::{finish, reducers};
use crate::strided_cursor::{StridedCursor, bits};
use crate::threads::Threads;

/// A part of a segment that one thread reduces: the whole segment, or a chunk.
#[derive(Clone, Copy, Debug)]
struct SegmentPart {
    start: usize,
    end: usize,
}

/// Runs a segmented reduction.
pub(crate) fn segmented_reduce(
    reduce: &SegmentedReduce<'_>,
    level: Level,
    threads: &Threads,
) -> Result<()> {
    let launch = &reduce.launch;
    let row = launch.row_size();
    let segments = segments(reduce, row)?;
    // The first piece of each segment; a left fold has one piece.
    let mut pieces: Vec<SegmentPart> = Vec::with_capacity(segments.len());
    let mut first: Vec<usize> = Vec::with_capacity(segments.len() + 1);
    for segment in &segments {
        first.push(pieces.len());
        let size = match reduce.order {
            CombineOrder::Plan => CHUNK,
            CombineOrder::Left => segment.end - segment.start,
        };
        pieces.extend(
            (segment.start..segment.end)
                .step_by(size)
                .map(|start| SegmentPart { start, end: (start + size).min(segment.end) }),
        );
    }
    first.push(pieces.len());
    let code = program_cache::compiled(&launch.program, level);
    let reducers = reducers(&launch.program, level);
    let reducer = &reducers[0];
    let rows = launch.rows();
    let scratch = |count: usize| -> Result<SmallVec<[Scratch; 4]>> {
        reducer.types.iter().map(|ty| Scratch::new(count * ty.size())).collect()
    };
    let partial = scratch(rows * pieces.len())?;
    let job = Job {
        reduce,
        code: &code,
        reducer,
        pieces: &pieces,
        states: Shared::new(&partial),
        rows,
        row,
        level,
    };
    job.reduce_pieces(threads)?;
    let mut space = launch.shape.clone();
    if let Some(last) = space.last_mut() {
        *last = segments.len();
    }
    if pieces.len() == segments.len() {
        return finish(launch, &code, &reducers, &[&partial], &space, level, threads);
    }
    let results = scratch(rows * segments.len())?;
    job.combine_pieces(&first, &Shared::new(&results), threads)?;
    finish(launch, &code, &reducers, &[&results], &space, level, threads)
}

/// The segments, checked to lie inside the row.
fn segments(reduce: &SegmentedReduce<'_>, row: usize) -> Result<Vec<SegmentPart>> {
    let read = |place: &StridedView<'_>| {
        let cursor = StridedCursor::new(place, &[reduce.segments], 0);
        // SAFETY: the place has an I64 for each segment, and nothing writes it meanwhile.
        (0..reduce.segments).map(move |index| unsafe { bits(cursor.at(index), 8) } as i64)
    };
    let outside = |offset: i64| Error::Index {
        op: "segmented_reduce",
        index: offset as isize,
        axis: 0,
        size: row,
    };
    read(&reduce.starts)
        .zip(read(&reduce.ends))
        .map(|(start, end)| {
            if start < 0 || start as usize >= row {
                return Err(outside(start));
            }
            if end <= start || end as usize > row {
                return Err(outside(end));
            }
            Ok(SegmentPart { start: start as usize, end: end as usize })
        })
        .collect()
}

type Pointers = [*mut u8; MAX_PARTS];

/// Shares the addresses of states among threads.
struct Shared(Pointers);

// SAFETY: threads write the states of different pieces, and nothing reads them before all are done.
unsafe impl Sync for Shared {}

impl Shared {
    fn new(parts: &[Scratch]) -> Self {
        let mut pointers = [std::ptr::null_mut(); MAX_PARTS];
        for (pointer, part) in pointers.iter_mut().zip(parts) {
            *pointer = part.address();
        }
        Self(pointers)
    }

    fn at(&self, reducer: &Reducer, index: usize) -> Pointers {
        reducer.offset(&self.0, index)
    }
}

struct Job<'j, 'l> {
    reduce: &'j SegmentedReduce<'l>,
    code: &'j CompiledProgram,
    reducer: &'j Reducer,
    pieces: &'j [SegmentPart],
    /// The state of piece `p` of row `r` is at `r * pieces + p`.
    states: Shared,
    rows: usize,
    row: usize,
    level: Level,
}

impl Job<'_, '_> {
    fn reduce_pieces(&self, threads: &Threads) -> Result<()> {
        let launch = &self.reduce.launch;
        let axes: SmallVec<[usize; 8]> = (0..launch.shape.len()).collect();
        let positions = Positions::Along(self.row);
        let scalars = &launch.scalars;
        let space = Space::new(launch, self.code, scalars, &axes, self.level, positions, &[]);
        let lifted = &self.reducer.lifted;
        let once = self.code.closure(lifted.iter().copied(), Domain::Row, |_| false);
        let regs = self.code.closure(lifted.iter().copied(), Domain::Element, |_| false);
        let phase = Phase::new(self.code, regs, lifted, |_| false);
        let reads =
            |reg: &Reg| matches!(self.code.instrs[usize::from(*reg)].kind, Kind::Load { .. });
        let every_row = once.iter().any(reads);
        let elements: usize = self.pieces.iter().map(|piece| piece.end - piece.start).sum();
        let cost = self.rows * (elements + 16 * self.pieces.len()) * (phase.regs().len() + 1);
        let parts = self.reducer.parts();
        let count = self.pieces.len();
        threads.split(self.rows * count, 1, cost, |begin, end| {
            let extra = parts * ACCUMULATORS * 8 + self.reducer.temporaries(ACCUMULATORS);
            let mut interpreter = BlockInterpreter::new(&space, phase.slots(), extra)?;
            let mut accumulators = [std::ptr::null_mut(); MAX_PARTS];
            for (part, accumulator) in accumulators.iter_mut().enumerate().take(parts) {
                *accumulator = interpreter.extra(part * ACCUMULATORS * 8);
            }
            let temporary = interpreter.extra(parts * ACCUMULATORS * 8);
            let width = BLOCK.min(self.row);
            interpreter.run_uniform(&once, begin / count * self.row, width);
            let mut block = Block { index: 0, count: 0 };
            let mut fault = Fault::NONE;
            for item in begin..end {
                let (row, number) = (item / count, item % count);
                let piece = self.pieces[number];
                if every_row && item > begin && number == 0 {
                    interpreter.run_uniform(&once, row * self.row, width);
                }
                let state = self.states.at(self.reducer, item);
                let (first, last) = (row * self.row + piece.start, row * self.row + piece.end);
                let mut filled = 0;
                let mut index = first;
                while index < last {
                    if !block.holds(index, last) {
                        let count = self.reach(number, row * self.row, index) - index;
                        block = Block { index, count };
                        interpreter.run(&phase, block.index, block.count);
                    }
                    let length = block.end().min(last) - index;
                    let values = self.values(&interpreter, index - block.index);
                    // SAFETY: accumulators and temporaries were laid out for this reducer; `length` values
                    // lie in the block from `index` on; this thread alone has the state of the piece.
                    unsafe {
                        match self.reduce.order {
                            CombineOrder::Plan => {
                                let before = filled;
                                filled = self.reducer.fold(
                                    &accumulators,
                                    &values,
                                    length,
                                    before,
                                    temporary,
                                );
                            }
                            CombineOrder::Left => {
                                for k in 0..length {
                                    let value = self.reducer.offset(&values, k);
                                    if index + k == first {
                                        self.reducer.copy(&value, &accumulators, 1);
                                    } else {
                                        let own = self.reducer.combine(
                                            &accumulators,
                                            &value,
                                            1,
                                            temporary,
                                        );
                                        fault = fault.or(own);
                                    }
                                }
                            }
                        }
                    }
                    index += length;
                }
                // SAFETY: as above.
                unsafe {
                    if self.reduce.order == CombineOrder::Plan {
                        self.reducer.gather(&accumulators, filled, 1, temporary);
                    }
                    self.reducer.copy(&accumulators, &state, 1);
                }
            }
            interpreter.finish_with(fault);
            Ok(())
        })?;
        space.outcome(launch)
    }

    /// The end of a block from element `index` of piece `number`: it continues through following pieces as
    /// long as there is no gap. Elements outside segments are not computed.
    fn reach(&self, number: usize, row: usize, index: usize) -> usize {
        let mut reach = row + self.pieces[number].end;
        for next in &self.pieces[number + 1..] {
            if reach >= index + BLOCK || row + next.start != reach {
                break;
            }
            reach = row + next.end;
        }
        reach.min(index + BLOCK)
    }

    fn values(&self, interpreter: &BlockInterpreter<'_>, k: usize) -> Pointers {
        let mut values = [std::ptr::null_mut(); MAX_PARTS];
        for (value, &reg) in values.iter_mut().zip(&self.reducer.lifted) {
            *value = interpreter.registers[usize::from(reg)];
        }
        self.reducer.offset(&values, k)
    }

    /// Combines the pieces of each segment, by the same plan, into its place of `results`.
    fn combine_pieces(&self, first: &[usize], results: &Shared, threads: &Threads) -> Result<()> {
        let segments = first.len() - 1;
        let cost = self.rows * self.pieces.len() * 4;
        threads.split(self.rows * segments, 1, cost, |begin, end| {
            let parts = self.reducer.parts();
            let scratch =
                Scratch::new(parts * ACCUMULATORS * 8 + self.reducer.temporaries(ACCUMULATORS))?;
            let mut accumulators = [std::ptr::null_mut(); MAX_PARTS];
            for (part, accumulator) in accumulators.iter_mut().enumerate().take(parts) {
                *accumulator = scratch.address().wrapping_add(part * ACCUMULATORS * 8);
            }
            let temporary = scratch.address().wrapping_add(parts * ACCUMULATORS * 8);
            for item in begin..end {
                let (row, segment) = (item / segments, item % segments);
                let (from, to) = (first[segment], first[segment + 1]);
                let states = self.states.at(self.reducer, row * self.pieces.len() + from);
                // SAFETY: this thread alone has the states of a segment's pieces, its result, the
                // accumulators and the temporaries.
                unsafe {
                    self.reducer.reduce_states(&states, to - from, &accumulators, temporary);
                    self.reducer.copy(&states, &results.at(self.reducer, item), 1);
                }
            }
            Ok(())
        })
    }
}

/// The elements that the interpreter's registers hold.
#[derive(Clone, Copy, Debug)]
struct Block {
    index: usize,
    count: usize,
}

impl Block {
    fn end(self) -> usize {
        self.index + self.count
    }

    /// Whether the block holds all elements from `index` to `last`.
    fn holds(self, index: usize, last: usize) -> bool {
        self.index <= index && last <= self.end()
    }
}
