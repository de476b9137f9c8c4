//! Rows side by side, one element of each at a time: for rows that are short or whose neighbours are closer in
//! memory than their elements.

use ndany_core::Result;
use ndany_core::plan::CHUNK;
use ndany_core::program::{Domain, Reg};
use smallvec::SmallVec;

use super::{Job, TILE_ROWS};
use crate::accumulators::Reducer;
use crate::compiled::Kind;
use crate::interpreter::{BlockInterpreter, Phase, Positions};
use crate::loops::{ACCUMULATORS, LoopFn, RowBatch};
use crate::threads::Threads;

/// Prefetch distance in elements of the row. A larger distance is slower, since a core has few outstanding
/// requests.
const PREFETCH_DISTANCE: usize = 1;

/// Maximum number of accumulators at a time: complete subtrees that wait for their sibling, and the current
/// one.
const DEPTH: usize = ACCUMULATORS.ilog2() as usize + 1;

/// The accumulator of a step. In bit-reversed order, accumulators that combine first are adjacent.
fn bit_reversed(step: usize) -> usize {
    step.reverse_bits() >> (usize::BITS - ACCUMULATORS.ilog2())
}

impl Job<'_, '_> {
    /// Many rows side by side, one element of each at a time.
    pub(super) fn across(&self, threads: &Threads) -> Result<()> {
        // With the row's axes first, adjacent elements of the space belong to adjacent rows.
        let outer = self.launch.shape.len() - self.launch.row_axes;
        let axes: SmallVec<[usize; 8]> = (outer..self.launch.shape.len()).chain(0..outer).collect();
        let space = self.space(&axes, Positions::Across(self.rows));
        let lifted: SmallVec<[Reg; 16]> =
            self.reducers.iter().flat_map(|reducer| reducer.lifted.iter().copied()).collect();
        let once = self.code.closure(lifted.iter().copied(), Domain::Row, |_| false);
        // Values of a row differ between adjacent rows, unless they are constants.
        let code = self.code;
        let constant = |reg: Reg| {
            matches!(code.instrs[usize::from(reg)].kind, Kind::Scalar(_) | Kind::Const(_))
        };
        let once: SmallVec<[Reg; 16]> = once.into_iter().filter(|&reg| constant(reg)).collect();
        let mut regs = code.closure(lifted.iter().copied(), Domain::Row, constant);
        regs.extend(code.closure(lifted.iter().copied(), Domain::Element, |_| false));
        regs.sort_unstable();
        let phase = Phase::new(code, regs, &lifted, |_| false);
        // Adds several rows at a time if they are contiguous.
        let together = match self.reducers {
            [reducer] if space.is_direct(&phase, self.rows) => {
                reducer.sum_of_rows(&self.launch.program.reductions[0], self.level)
            }
            _ => None,
        };
        let packed = together.and_then(|_| space.packed(lifted[0]));
        // In memory order with one accumulator, if order does not matter.
        let any_order = self.reducers.iter().all(Reducer::is_order_free);
        let apart = if any_order { 1 } else { ACCUMULATORS };
        // Smaller tiles if that gives every thread one.
        let tile_rows =
            TILE_ROWS.min(self.rows.div_ceil(threads.task_count()).next_multiple_of(ACCUMULATORS));
        let tiles = self.rows.div_ceil(tile_rows);
        let cost = self.cost(&phase);
        threads.split(tiles * self.chunks, 1, cost, |begin, end| {
            let mut interpreter =
                BlockInterpreter::new(&space, phase.slots(), self.extra_bytes(DEPTH, tile_rows))?;
            let (accumulators, temporary) = self.accumulators(&interpreter, DEPTH, tile_rows);
            interpreter.run_uniform(&once, 0, tile_rows);
            let mut waiting =
                RowBatch { values: [std::ptr::null(); RowBatch::MAX], count: 0, fresh: true };
            for item in begin..end {
                let (tile, chunk) = (item / self.chunks, item % self.chunks);
                let first = tile * tile_rows;
                let width = tile_rows.min(self.rows - first);
                let elements = chunk * CHUNK..((chunk + 1) * CHUNK).min(self.row);
                let filled = elements.len().min(apart);
                // Accumulator by accumulator, left to right in each. The plan combines accumulators as a
                // tree; in this order each subtree is complete when its sibling is, and few are kept at a
                // time.
                let accumulator_of =
                    |step: usize| if any_order { step } else { bit_reversed(step) };
                let positions = (0..apart)
                    .map(accumulator_of)
                    .filter(|&accumulator| accumulator < filled)
                    .flat_map(|accumulator| (accumulator..elements.len()).step_by(apart));
                // The core prefetches streams by itself, and several rows are several streams.
                let asks = together.is_none() && !any_order;
                let mut ahead = positions.skip(PREFETCH_DISTANCE);
                let index = |position| (elements.start + position) * self.rows + first;
                // Adds the waiting rows to an accumulator's sums.
                let add = |sum: LoopFn, waiting: &mut RowBatch, own: usize| {
                    let sums = self.reducers[0].offset(&accumulators[0], own);
                    // SAFETY: the accumulators hold DEPTH * tile_rows values; each waiting value is a row of
                    // `width`.
                    unsafe { sum(sums[0], [(&raw const *waiting).cast(); 3], width) };
                    (waiting.count, waiting.fresh) = (0, false);
                };
                let mut kept: SmallVec<[bool; DEPTH]> = SmallVec::new();
                for step in 0..apart {
                    let accumulator = accumulator_of(step);
                    let own = kept.len() * width;
                    waiting.fresh = true;
                    for position in (accumulator..elements.len()).step_by(apart) {
                        if asks && let Some(position) = ahead.next() {
                            interpreter.prefetch(index(position), width);
                        }
                        let index = index(position);
                        if let Some(sum) = together {
                            let value = match packed {
                                Some(cursor) => cursor.at(index),
                                None => {
                                    interpreter.run(&phase, index, width);
                                    self.values(&interpreter, &self.reducers[0].lifted)[0]
                                }
                            };
                            waiting.values[waiting.count] = value.cast_const();
                            waiting.count += 1;
                            if waiting.count == RowBatch::MAX {
                                add(sum, &mut waiting, own);
                            }
                            continue;
                        }
                        interpreter.run(&phase, index, width);
                        for (reducer, accumulators) in self.reducers.iter().zip(&accumulators) {
                            let state = reducer.offset(accumulators, own);
                            let values = self.values(&interpreter, &reducer.lifted);
                            // SAFETY: the accumulators hold DEPTH * tile_rows values; values are a block of
                            // `width`.
                            unsafe {
                                if position == accumulator {
                                    reducer.copy(&values, &state, width);
                                } else {
                                    reducer.combine(&state, &values, width, temporary);
                                }
                            }
                        }
                    }
                    if let Some(sum) = together
                        && waiting.count > 0
                    {
                        add(sum, &mut waiting, own);
                    }
                    kept.push(accumulator < filled);
                    for _ in 0..step.trailing_ones() {
                        let right = kept.pop().unwrap_or(false);
                        let at = kept.len() * width;
                        for (reducer, accumulators) in
                            self.reducers.iter().zip(&accumulators).filter(|_| right)
                        {
                            let (left, right) = (
                                reducer.offset(accumulators, at - width),
                                reducer.offset(accumulators, at),
                            );
                            // SAFETY: as above; both subtrees are complete.
                            unsafe { reducer.combine(&left, &right, width, temporary) };
                        }
                    }
                }
                for (number, (reducer, accumulators)) in
                    self.reducers.iter().zip(&accumulators).enumerate()
                {
                    let states = self.states.pointers(number);
                    // SAFETY: as above; this thread alone has the states of these rows and this chunk.
                    unsafe {
                        if self.chunks == 1 {
                            reducer.copy(accumulators, &reducer.offset(&states, first), width);
                            continue;
                        }
                        for row in 0..width {
                            let state = (first + row) * self.chunks + chunk;
                            let state = reducer.offset(&states, state);
                            reducer.copy(&reducer.offset(accumulators, row), &state, 1);
                        }
                    }
                }
            }
            interpreter.finish();
            Ok(())
        })?;
        space.outcome(self.launch)
    }
}
