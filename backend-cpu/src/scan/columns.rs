//! Scans of rows that lie across memory: many side by side, an element of each at a time.
//!
//! First what each segment comes to, with the sums of a row of neighbours in the cache; then, while the elements are
//! still near, each again with what comes before it, written where it belongs. The order in a row is the plan's.

use ndany_core::Result;
use ndany_core::backend::Scan;
use ndany_core::plan::{CHUNK, SEGMENT};
use ndany_core::program::{Combine, Domain, Op, Reg};
use smallvec::SmallVec;

use super::Fold;
use crate::code::{Code, Kind, effort};
use crate::loops::{LANES, Level, LoopFn, Loops};
use crate::memory::Scratch;
use crate::threads::Threads;
use crate::walk::Walk;
use crate::worker::{Phase, Positions, Space, Worker};

/// Bytes of a chunk of rows side by side, which shall still be near when they are read again.
const NEAR: usize = 1 << 20;
/// Rows side by side at least: a few cache lines.
const LEAST: usize = 64;
/// And at most: what a register of a worker holds.
const MOST: usize = 1024;
/// Elements that are asked for before their turn comes, each as wide as that.
const AHEAD: usize = 2;

/// Runs a scan of rows that lie across memory. False, and nothing done, of any other.
pub(super) fn scanned(scan: &Scan<'_>, level: Level, threads: &Threads) -> Result<bool> {
    let launch = &scan.launch;
    let (inner, outer) = (launch.shape.len() - 1, launch.shape.len() - launch.row_axes);
    let [lifted] = *launch.program.reductions[0].lifted else { return Ok(false) };
    let out = &launch.outputs[0];
    let across = |strides: &[isize]| {
        outer > 0
            && strides[outer - 1] != 0
            && strides[outer - 1].unsigned_abs() < strides[inner].unsigned_abs()
    };
    let lies_across = launch.inputs.iter().any(|place| across(&place.strides));
    if !lies_across || !across(&out.strides) || launch.rows() < LEAST {
        return Ok(false);
    }
    if level.narrow(out.dtype).is_some() || launch.row_size() < 2 {
        return Ok(false);
    }
    Columns::run(scan, lifted, level, threads)?;
    Ok(true)
}

/// What the threads share.
struct Columns<'c> {
    phase: &'c Phase,
    lifted: Reg,
    fold: Fold,
    accumulate: LoopFn,
    rows: usize,
    row: usize,
    out: Walk,
}

impl Columns<'_> {
    fn run(scan: &Scan<'_>, lifted: Reg, level: Level, threads: &Threads) -> Result<()> {
        let launch = &scan.launch;
        let Combine::Prim(prim) = launch.program.reductions[0].combine else {
            unreachable!("scans combine by a primitive")
        };
        let ty = launch.program.instrs[usize::from(lifted)].ty;
        let outer = launch.shape.len() - launch.row_axes;
        // The row's axes first: neighbours in the space are neighbouring rows.
        let axes: SmallVec<[usize; 8]> = (outer..launch.shape.len()).chain(0..outer).collect();
        let (rows, row) = (launch.rows(), launch.row_size());
        let code = Code::new(launch.program, level);
        let positions = Positions::Across(rows);
        let space = Space::new(launch, &code, &launch.scalars, &axes, level, positions, &[]);
        // Values of a row vary from neighbour to neighbour here, unless they are constants.
        let constant = |reg: Reg| {
            matches!(code.instrs[usize::from(reg)].kind, Kind::Scalar(_) | Kind::Const(_))
        };
        let mut once = code.closure([lifted], Domain::Row, |_| false);
        once.retain(|reg| constant(*reg));
        let mut regs = code.closure([lifted], Domain::Row, constant);
        regs.extend(code.closure([lifted], Domain::Element, |_| false));
        regs.sort_unstable();
        let effort = effort(launch.program, &regs, 3 * ty.size(), 2 * rows * row);
        let phase = Phase::new(&code, regs, &[lifted], |_| false);
        let mut out = launch.outputs[0].clone();
        out.strides = axes.iter().map(|&axis| out.strides[axis]).collect();
        let shape: SmallVec<[usize; 8]> = axes.iter().map(|&axis| launch.shape[axis]).collect();
        let columns = Columns {
            phase: &phase,
            lifted,
            fold: Fold {
                combine: level.step(&Op::Prim(prim), ty, ty),
                segments: level.segments(prim, ty),
                size: ty.size(),
            },
            accumulate: level.accumulate(prim, ty),
            rows,
            row,
            out: Walk::new(&out, &shape, 0),
        };
        let near = NEAR / ty.size() / row.min(CHUNK);
        let few = rows.div_ceil(threads.pieces()).next_multiple_of(LEAST);
        let abreast = (near / LEAST * LEAST).clamp(LEAST, MOST).min(few);
        threads.split(rows.div_ceil(abreast), 1, effort, |begin, end| {
            let width = abreast * ty.size();
            let mut worker = Worker::new(&space, phase.slots(), (LANES + 4) * width)?;
            worker.once(&once, 0, abreast);
            for tile in begin..end {
                let first = tile * abreast;
                columns.tile(&mut worker, first, abreast.min(rows - first), width)?;
            }
            worker.finish()
        })
    }

    /// Scans `count` rows from `first` on; a row of values of theirs takes `width` bytes.
    fn tile(
        &self,
        worker: &mut Worker<'_>,
        first: usize,
        count: usize,
        width: usize,
    ) -> Result<()> {
        let (size, chunks) = (self.fold.size, self.row.div_ceil(CHUNK));
        let totals = Scratch::new(chunks * count * size)?;
        // Those of a row's chunks lie side by side.
        let total =
            |row: usize, chunk: usize| totals.address().wrapping_add((row * chunks + chunk) * size);
        if chunks > 1 {
            for chunk in 0..chunks {
                let last = self.segments(worker, first, count, width, chunk) - 1;
                for row in 0..count {
                    let from = worker.extra(last * width + row * size);
                    // SAFETY: both are values of this tile's own.
                    unsafe { std::ptr::copy_nonoverlapping(from, total(row, chunk), size) };
                }
            }
            for row in 0..count {
                // SAFETY: the row's totals are complete.
                unsafe { self.fold.totals(total(row, 0), chunks) }?;
            }
        }
        for chunk in 0..chunks {
            self.segments(worker, first, count, width, chunk);
            let ahead = (chunk > 0).then(|| worker.extra((LANES + 2) * width));
            for row in 0..count {
                if let Some(ahead) = ahead {
                    let from = total(row, chunk - 1);
                    // SAFETY: there is room for a value of each row.
                    unsafe { std::ptr::copy_nonoverlapping(from, ahead.add(row * size), size) };
                }
            }
            self.write(worker, first, count, width, chunk, ahead.map(<*mut u8>::cast_const));
        }
        Ok(())
    }

    /// The positions of a segment of a chunk.
    fn positions(&self, chunk: usize, segment: usize) -> std::ops::Range<usize> {
        let first = chunk * CHUNK + segment * SEGMENT;
        let end = (first + SEGMENT).min((chunk + 1) * CHUNK).min(self.row);
        first..end.max(first)
    }

    /// Scans the totals of the segments of a chunk, each row of them `width` bytes behind the one before in a worker's extra
    /// room, and says how many there are. Of a row of one chunk nobody asks for the last one.
    fn segments(
        &self,
        worker: &mut Worker<'_>,
        first: usize,
        count: usize,
        width: usize,
        chunk: usize,
    ) -> usize {
        let length = CHUNK.min(self.row - chunk * CHUNK);
        let segments = length.div_ceil(SEGMENT) - usize::from(self.row <= CHUNK);
        for segment in 0..segments {
            let total = worker.extra(segment * width);
            let positions = self.positions(chunk, segment);
            for position in positions.clone() {
                worker.announce((position + AHEAD).min(self.row - 1) * self.rows + first, count);
                self.take(worker, position, positions.start, first, count, total);
            }
        }
        let temporary = worker.extra(LANES * width);
        let mut step = 1;
        while step < segments {
            for segment in (step..segments).rev() {
                let (before, total) =
                    (worker.extra((segment - step) * width), worker.extra(segment * width));
                let args = [before.cast_const(), total.cast_const(), std::ptr::null()];
                // SAFETY: rows of `count` values in the worker's room, the temporary one apart.
                unsafe {
                    (self.fold.combine)(temporary, args, count);
                    std::ptr::copy_nonoverlapping(temporary, total, count * self.fold.size);
                }
            }
            step *= 2;
        }
        segments
    }

    /// Combines the values at a position into `state`, or begins with them at the first position.
    fn take(
        &self,
        worker: &mut Worker<'_>,
        position: usize,
        begins: usize,
        first: usize,
        count: usize,
        state: *mut u8,
    ) {
        worker.run(self.phase, position * self.rows + first, count);
        let values = worker.registers[usize::from(self.lifted)].cast_const();
        // SAFETY: the register holds `count` values, and the state is a row of as many in the worker's room.
        unsafe {
            if position == begins {
                std::ptr::copy_nonoverlapping(values, state, count * self.fold.size);
            } else {
                (self.accumulate)(state, [values; 3], count);
            }
        }
    }

    /// Writes a chunk's elements, with what [`Columns::segments`] left: a row of what comes before the chunk is `ahead`.
    fn write(
        &self,
        worker: &mut Worker<'_>,
        first: usize,
        count: usize,
        width: usize,
        chunk: usize,
        ahead: Option<*const u8>,
    ) {
        let [local, beside, both] =
            [LANES, LANES + 1, LANES + 3].map(|row| worker.extra(row * width));
        let length = CHUNK.min(self.row - chunk * CHUNK);
        for segment in 0..length.div_ceil(SEGMENT) {
            let inside = segment.checked_sub(1).map(|last| worker.extra(last * width).cast_const());
            let before = match (ahead, inside) {
                (Some(ahead), Some(inside)) => {
                    // SAFETY: rows of `count` values in the worker's room.
                    unsafe { (self.fold.combine)(both, [ahead, inside, ahead], count) };
                    Some(both.cast_const())
                }
                (ahead, inside) => ahead.or(inside),
            };
            let positions = self.positions(chunk, segment);
            for position in positions.clone() {
                self.take(worker, position, positions.start, first, count, local);
                let index = position * self.rows + first;
                let direct = self.out.direct(index, count);
                let to = direct.unwrap_or(beside);
                // SAFETY: rows of `count` values, of which those of different tiles are disjoint in the output, which core
                // lets nobody else use while its launch runs.
                unsafe {
                    match before {
                        Some(before) => {
                            (self.fold.combine)(to, [before, local.cast_const(), before], count);
                        }
                        None => std::ptr::copy_nonoverlapping(local, to, count * self.fold.size),
                    }
                    if direct.is_none() {
                        self.out.scatter(index, count, beside);
                    }
                }
            }
        }
    }
}
