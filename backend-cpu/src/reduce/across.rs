//! Rows side by side, one element of each at a time: for rows that are short or lie across memory.

use ndany_core::Result;
use ndany_core::plan::CHUNK;
use ndany_core::program::{Domain, Reg};
use smallvec::SmallVec;

use super::{ABREAST, Job};
use crate::code::Kind;
use crate::lanes::Reducer;
use crate::loops::{LANES, LoopFn, Rows};
use crate::threads::Threads;
use crate::worker::{Phase, Positions, Worker};

/// Elements that are asked for before their turn comes, each as wide as that. (More than one is slower:
/// a core has few requests under way.)
const AHEAD: usize = 1;

/// Halves of lanes that wait for their other one at most, and the lane at work.
const DEPTH: usize = LANES.ilog2() as usize + 1;

/// The lane whose turn it is when lanes are taken so that those that combine first come one behind the other: its number
/// with its bits in turned order.
fn turned(turn: usize) -> usize {
    turn.reverse_bits() >> (usize::BITS - LANES.ilog2())
}

impl Job<'_, '_> {
    /// Many rows side by side, one element of each at a time.
    pub(super) fn across(&self, threads: &Threads) -> Result<()> {
        // The row's axes first: neighbours in the space are neighbouring rows.
        let outer = self.launch.shape.len() - self.launch.row_axes;
        let axes: SmallVec<[usize; 8]> = (outer..self.launch.shape.len()).chain(0..outer).collect();
        let space = self.space(&axes, Positions::Across(self.rows));
        let (once, _) = self.phases(|reducer| &reducer.lifted);
        let lifted: SmallVec<[Reg; 16]> =
            self.reducers.iter().flat_map(|reducer| reducer.lifted.iter().copied()).collect();
        // Values of a row vary from neighbour to neighbour here, unless they are constants.
        let code = self.code;
        let constant = |reg: Reg| {
            matches!(code.instrs[usize::from(reg)].kind, Kind::Scalar(_) | Kind::Const(_))
        };
        let once: SmallVec<[Reg; 16]> = once.into_iter().filter(|&reg| constant(reg)).collect();
        let mut regs = code.closure(lifted.iter().copied(), Domain::Row, constant);
        regs.extend(code.closure(lifted.iter().copied(), Domain::Element, |_| false));
        regs.sort_unstable();
        let phase = Phase::new(code, regs, &lifted, |_| false);
        // Several rows at a time, where they lie as they are wanted.
        let together = match self.reducers {
            [reducer] if space.is_direct(&phase, self.rows) => {
                reducer.sum_of_rows(&self.launch.program.reductions[0], self.level)
            }
            _ => None,
        };
        let packed = together.and_then(|_| space.packed(lifted[0]));
        // One row after the other as they lie, where that comes to the same: then there is one lane.
        let in_order = self.reducers.iter().all(Reducer::in_any_order);
        let apart = if in_order { 1 } else { LANES };
        // Fewer abreast where that gives every thread a tile.
        let abreast = ABREAST.min(self.rows.div_ceil(threads.pieces()).next_multiple_of(LANES));
        let tiles = self.rows.div_ceil(abreast);
        let effort = self.effort(&phase);
        threads.split(tiles * self.chunks, 1, effort, |begin, end| {
            let mut worker = Worker::new(&space, phase.slots(), self.extra_bytes(DEPTH, abreast))?;
            let (lanes, temporary) = self.lanes(&worker, DEPTH, abreast);
            worker.once(&once, 0, abreast);
            let mut waiting =
                Rows { values: [std::ptr::null(); Rows::MOST], count: 0, fresh: true };
            for item in begin..end {
                let (tile, chunk) = (item / self.chunks, item % self.chunks);
                let first = tile * abreast;
                let width = abreast.min(self.rows - first);
                let elements = chunk * CHUNK..((chunk + 1) * CHUNK).min(self.row);
                let filled = elements.len().min(apart);
                // Lane by lane, in a lane from left to right. The plan combines lanes by halves: in this order
                // each half is complete when its other one is, and few are kept at a time.
                let lane_of = |turn: usize| if in_order { turn } else { turned(turn) };
                let positions = (0..apart)
                    .map(lane_of)
                    .filter(|&lane| lane < filled)
                    .flat_map(|lane| (lane..elements.len()).step_by(apart));
                // A core by itself reads ahead in streams, of which several rows are several.
                let asks = together.is_none() && !in_order;
                let mut ahead = positions.skip(AHEAD);
                let index = |position| (elements.start + position) * self.rows + first;
                // Adds the rows that wait to the sums of a lane.
                let add = |sum: LoopFn, waiting: &mut Rows, own: usize| {
                    let sums = self.reducers[0].offset(&lanes[0], own);
                    // SAFETY: lanes hold DEPTH * abreast values; each value that waits is a row of `width`.
                    unsafe { sum(sums[0], [(&raw const *waiting).cast(); 3], width) };
                    (waiting.count, waiting.fresh) = (0, false);
                };
                let mut kept: SmallVec<[bool; DEPTH]> = SmallVec::new();
                for turn in 0..apart {
                    let lane = lane_of(turn);
                    let own = kept.len() * width;
                    waiting.fresh = true;
                    for position in (lane..elements.len()).step_by(apart) {
                        if asks && let Some(position) = ahead.next() {
                            worker.announce(index(position), width);
                        }
                        let index = index(position);
                        if let Some(sum) = together {
                            let value = match packed {
                                Some(walk) => walk.at(index),
                                None => {
                                    worker.run(&phase, index, width);
                                    self.values(&worker, &self.reducers[0].lifted)[0]
                                }
                            };
                            waiting.values[waiting.count] = value.cast_const();
                            waiting.count += 1;
                            if waiting.count == Rows::MOST {
                                add(sum, &mut waiting, own);
                            }
                            continue;
                        }
                        worker.run(&phase, index, width);
                        for (reducer, lanes) in self.reducers.iter().zip(&lanes) {
                            let state = reducer.offset(lanes, own);
                            let values = self.values(&worker, &reducer.lifted);
                            // SAFETY: lanes hold DEPTH * abreast values; values are a block of `width`.
                            unsafe {
                                if position == lane {
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
                    kept.push(lane < filled);
                    for _ in 0..turn.trailing_ones() {
                        let right = kept.pop().unwrap_or(false);
                        let at = kept.len() * width;
                        for (reducer, lanes) in self.reducers.iter().zip(&lanes).filter(|_| right) {
                            let (left, right) =
                                (reducer.offset(lanes, at - width), reducer.offset(lanes, at));
                            // SAFETY: as above; both are halves that are complete.
                            unsafe { reducer.combine(&left, &right, width, temporary) };
                        }
                    }
                }
                for (number, (reducer, lanes)) in self.reducers.iter().zip(&lanes).enumerate() {
                    let states = self.states.pointers(number);
                    // SAFETY: as above; the states of these rows and this chunk are this worker's.
                    unsafe {
                        if self.chunks == 1 {
                            reducer.copy(lanes, &reducer.offset(&states, first), width);
                            continue;
                        }
                        for row in 0..width {
                            let state = (first + row) * self.chunks + chunk;
                            let state = reducer.offset(&states, state);
                            reducer.copy(&reducer.offset(lanes, row), &state, 1);
                        }
                    }
                }
            }
            worker.finish()
        })
    }
}
