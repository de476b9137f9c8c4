//! One row at a time, the accumulators in adjacent memory.

use ndany_core::Result;
use ndany_core::plan::CHUNK;
use ndany_core::program::{Domain, Reg};
use smallvec::SmallVec;

use super::Job;
use super::answers::Answers;
use crate::accumulators::Reducer;
use crate::interpreter::{BLOCK, BlockInterpreter, Phase, Positions};
use crate::loops::ACCUMULATORS;
use crate::threads::Threads;

/// Elements of the next block to prefetch. Otherwise memory would be idle at the end of a block and of a row.
const PREFETCH: usize = 384;

/// Elements of a row that one state takes: a chunk of the plan, or as many as give every thread several runs, if the order does not
/// matter.
pub(super) fn run_of_a_state(
    reducers: &[Reducer],
    rows: usize,
    row: usize,
    threads: &Threads,
) -> usize {
    if row <= CHUNK || !reducers.iter().all(Reducer::takes_any_run) {
        return CHUNK;
    }
    let runs = match threads.count() {
        1 => 1,
        count => (RUNS_OF_A_THREAD * count).div_ceil(rows.max(1)),
    };
    row.div_ceil(runs).next_multiple_of(CHUNK)
}

/// Runs of a row for each thread, which even out load from other processes.
const RUNS_OF_A_THREAD: usize = 8;

/// Elements that are read between looks at what other threads have found.
const LOOK: usize = 16 * CHUNK;

impl Job<'_, '_> {
    /// One row, one chunk at a time.
    pub(super) fn along(&self, once: &[Reg], phase: &Phase, threads: &Threads) -> Result<()> {
        let axes: SmallVec<[usize; 8]> = (0..self.launch.shape.len()).collect();
        let space = self.space(&axes, Positions::Along(self.row));
        let every_row = self.reads_rows(once);
        let stops = self.reducers.iter().all(Reducer::stops);
        let answers = Answers::new(if stops && self.chunks > 1 { self.rows } else { 0 });
        // A block's end interrupts hardware prefetching, so blocks are as long as possible: a sum of 64 MB
        // takes 2.7 ms by chunks rather than 4.0 ms on one thread.
        let most = if answers.are_shared() { self.chunk.min(LOOK) } else { self.chunk };
        let varies = |reg: Reg| self.code.domains[usize::from(reg)] == Domain::Element;
        let any_run = once.is_empty()
            || space.is_direct(phase, self.row)
                && self.reducers.iter().all(|reducer| reducer.reads_uniform_runs(varies));
        let block = if any_run { space.stretch(phase, self.row, most) } else { BLOCK };
        let cost = self.cost(phase);
        threads.split(self.rows * self.chunks, 1, cost, |begin, end| {
            let mut interpreter =
                BlockInterpreter::new(&space, phase.slots(), self.extra_bytes(ACCUMULATORS, 1))?;
            let (accumulators, temporary) = self.accumulators(&interpreter, ACCUMULATORS, 1);
            let width = BLOCK.min(self.row);
            interpreter.run_uniform(once, (begin / self.chunks) * self.row, width);
            for item in begin..end {
                let (row, chunk) = (item / self.chunks, item % self.chunks);
                let first = row * self.row + chunk * self.chunk;
                let last = row * self.row + ((chunk + 1) * self.chunk).min(self.row);
                if every_row && item > begin {
                    interpreter.run_uniform(once, first, width);
                }
                let each = || self.reducers.iter().zip(&accumulators);
                for (reducer, accumulators) in each() {
                    // SAFETY: the accumulators were laid out for these reducers.
                    unsafe { reducer.begin_along(accumulators, chunk > 0 && item > begin) };
                }
                // Whether this run has the row's result.
                let known = || {
                    // SAFETY: as above.
                    stops && each().all(|(reducer, own)| unsafe { reducer.is_known(own) })
                };
                let mut filled = 0;
                let mut index = first;
                while index < last {
                    if known() {
                        break;
                    }
                    if answers.is_before(row, chunk) {
                        for (reducer, accumulators) in each() {
                            // SAFETY: as above.
                            unsafe { reducer.skip_along(accumulators) };
                        }
                        break;
                    }
                    let count = block.min(last - index);
                    let next = index + count;
                    if next < last || item + 1 < end {
                        interpreter.prefetch(next, PREFETCH.min(self.rows * self.row - next));
                    }
                    interpreter.run(phase, index, count);
                    let before = filled;
                    for (reducer, accumulators) in each() {
                        let values = self.values(&interpreter, reducer.read_along());
                        let position = index - row * self.row;
                        // SAFETY: accumulators and temporaries were laid out for these reducers; values are a
                        // block of `count`.
                        filled = unsafe {
                            reducer.fold_along(
                                accumulators,
                                &values,
                                count,
                                before,
                                temporary,
                                position,
                            )
                        };
                    }
                    index = next;
                }
                if known() {
                    answers.found(row, chunk);
                }
                for (number, (reducer, accumulators)) in each().enumerate() {
                    let state = reducer.offset(&self.states.pointers(number), item);
                    // SAFETY: as above; this thread alone has the state of this row and chunk.
                    unsafe {
                        reducer.gather_along(accumulators, filled, temporary);
                        reducer.copy(accumulators, &state, 1);
                    }
                }
            }
            interpreter.finish();
            Ok(())
        })?;
        space.outcome(self.launch)
    }
}
