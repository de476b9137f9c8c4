//! Scans of rows whose neighbours are closer in memory than their elements: many rows side by side, one element
//! of each at a time.
//!
//! First the totals of each segment, with the sums of adjacent rows in the cache. Then, while the elements are
//! still cached, each is computed again, combined with the prefix before it, and stored. The order within a row
//! is the plan's.

use ndany_core::Result;
use ndany_core::backend::Scan;
use ndany_core::plan::{CHUNK, SEGMENT};
use ndany_core::program::{Combine, Domain, Op, Reg};
use smallvec::SmallVec;

use super::ScanLoops;
use crate::compiled::{Kind, cost};
use crate::interpreter::{BlockInterpreter, Phase, Positions, Space};
use crate::loops::{ACCUMULATORS, Level, LoopFn, Loops};
use crate::memory::Scratch;
use crate::program_cache;
use crate::strided_cursor::StridedCursor;
use crate::threads::Threads;

/// Bytes of a chunk of a tile, which stays cached until it is read again.
const CHUNK_BYTES: usize = 1 << 20;
/// Minimum rows of a tile: a few cache lines.
const MIN_TILE_ROWS: usize = 64;
/// Maximum rows of a tile: a register's block.
const MAX_TILE_ROWS: usize = 1024;
/// Prefetch distance in elements of the row.
const PREFETCH_DISTANCE: usize = 2;

/// The register that is scanned, if rows side by side are faster than one row at a time.
pub(super) fn applies(scan: &Scan<'_>, level: Level) -> Option<Reg> {
    let launch = &scan.launch;
    let (inner, outer) = (launch.shape.len() - 1, launch.shape.len() - launch.row_axes);
    let [lifted] = *launch.program.reductions[0].lifted else { return None };
    let out = &launch.outputs[0];
    let across = |strides: &[isize]| {
        outer > 0
            && strides[outer - 1] != 0
            && strides[outer - 1].unsigned_abs() < strides[inner].unsigned_abs()
    };
    let applies = launch.inputs.iter().any(|place| across(&place.strides))
        && across(&out.strides)
        && launch.rows() >= MIN_TILE_ROWS
        && level.narrow(out.dtype).is_none()
        && launch.row_size() >= 2;
    applies.then_some(lifted)
}

/// Scans rows side by side.
pub(super) fn scan(scan: &Scan<'_>, lifted: Reg, level: Level, threads: &Threads) -> Result<()> {
    Columns::run(scan, lifted, level, threads)
}

/// Data that the threads share.
struct Columns<'c> {
    phase: &'c Phase,
    lifted: Reg,
    fold: ScanLoops,
    accumulate: LoopFn,
    rows: usize,
    row: usize,
    out: StridedCursor,
}

impl Columns<'_> {
    fn run(scan: &Scan<'_>, lifted: Reg, level: Level, threads: &Threads) -> Result<()> {
        let launch = &scan.launch;
        let Combine::Prim(prim) = launch.program.reductions[0].combine else {
            unreachable!("scans combine by a primitive")
        };
        let ty = launch.program.instrs[usize::from(lifted)].ty;
        let outer = launch.shape.len() - launch.row_axes;
        // With the row's axes first, adjacent elements of the space belong to adjacent rows.
        let axes: SmallVec<[usize; 8]> = (outer..launch.shape.len()).chain(0..outer).collect();
        let (rows, row) = (launch.rows(), launch.row_size());
        let code = program_cache::compiled(&launch.program, level);
        let positions = Positions::Across(rows);
        let space = Space::new(launch, &code, &launch.scalars, &axes, level, positions, &[]);
        // Values of a row differ between adjacent rows, unless they are constants.
        let constant = |reg: Reg| {
            matches!(code.instrs[usize::from(reg)].kind, Kind::Scalar(_) | Kind::Const(_))
        };
        let mut once = code.closure([lifted], Domain::Row, |_| false);
        once.retain(|reg| constant(*reg));
        let mut regs = code.closure([lifted], Domain::Row, constant);
        regs.extend(code.closure([lifted], Domain::Element, |_| false));
        regs.sort_unstable();
        let cost = cost(&launch.program, &regs, 3 * ty.size(), 2 * rows * row);
        let phase = Phase::new(&code, regs, &[lifted], |_| false);
        let mut out = launch.outputs[0].clone();
        out.strides = axes.iter().map(|&axis| out.strides[axis]).collect();
        let shape: SmallVec<[usize; 8]> = axes.iter().map(|&axis| launch.shape[axis]).collect();
        let columns = Columns {
            phase: &phase,
            lifted,
            fold: ScanLoops {
                combine: level.step(&Op::Prim(prim), ty, ty),
                segments: level.segments(prim, ty),
                size: ty.size(),
            },
            accumulate: level.accumulate(prim, ty),
            rows,
            row,
            out: StridedCursor::new(&out, &shape, 0),
        };
        let fitting = CHUNK_BYTES / ty.size() / row.min(CHUNK);
        let few = rows.div_ceil(threads.task_count()).next_multiple_of(MIN_TILE_ROWS);
        let tile_rows =
            (fitting / MIN_TILE_ROWS * MIN_TILE_ROWS).clamp(MIN_TILE_ROWS, MAX_TILE_ROWS).min(few);
        threads.split(rows.div_ceil(tile_rows), 1, cost, |begin, end| {
            let width = tile_rows * ty.size();
            let mut interpreter =
                BlockInterpreter::new(&space, phase.slots(), (ACCUMULATORS + 4) * width)?;
            interpreter.run_uniform(&once, 0, tile_rows);
            for tile in begin..end {
                let first = tile * tile_rows;
                columns.tile(&mut interpreter, first, tile_rows.min(rows - first), width)?;
            }
            interpreter.finish();
            Ok(())
        })?;
        space.outcome(launch)
    }

    /// Scans `count` rows from `first` on; a value of each of them takes `width` bytes.
    fn tile(
        &self,
        interpreter: &mut BlockInterpreter<'_>,
        first: usize,
        count: usize,
        width: usize,
    ) -> Result<()> {
        let (size, chunks) = (self.fold.size, self.row.div_ceil(CHUNK));
        let totals = Scratch::new(chunks * count * size)?;
        // The totals of a row's chunks are contiguous.
        let total =
            |row: usize, chunk: usize| totals.address().wrapping_add((row * chunks + chunk) * size);
        if chunks > 1 {
            for chunk in 0..chunks {
                let last = self.segments(interpreter, first, count, width, chunk) - 1;
                for row in 0..count {
                    let from = interpreter.extra(last * width + row * size);
                    // SAFETY: both are values of this tile.
                    unsafe { std::ptr::copy_nonoverlapping(from, total(row, chunk), size) };
                }
            }
            for row in 0..count {
                // SAFETY: the row's totals are complete.
                unsafe { self.fold.totals(total(row, 0), chunks) }?;
            }
        }
        for chunk in 0..chunks {
            self.segments(interpreter, first, count, width, chunk);
            let ahead = (chunk > 0).then(|| interpreter.extra((ACCUMULATORS + 2) * width));
            for row in 0..count {
                if let Some(ahead) = ahead {
                    let from = total(row, chunk - 1);
                    // SAFETY: there is room for a value of each row.
                    unsafe { std::ptr::copy_nonoverlapping(from, ahead.add(row * size), size) };
                }
            }
            self.write(interpreter, first, count, width, chunk, ahead.map(<*mut u8>::cast_const));
        }
        Ok(())
    }

    /// The positions of a segment of a chunk.
    fn positions(&self, chunk: usize, segment: usize) -> std::ops::Range<usize> {
        let first = chunk * CHUNK + segment * SEGMENT;
        let end = (first + SEGMENT).min((chunk + 1) * CHUNK).min(self.row);
        first..end.max(first)
    }

    /// Scans the totals of a chunk's segments into the interpreter's extra bytes, `width` bytes for each
    /// segment, and returns their number. In a row of one chunk the last total is not needed and not
    /// computed.
    fn segments(
        &self,
        interpreter: &mut BlockInterpreter<'_>,
        first: usize,
        count: usize,
        width: usize,
        chunk: usize,
    ) -> usize {
        let length = CHUNK.min(self.row - chunk * CHUNK);
        let segments = length.div_ceil(SEGMENT) - usize::from(self.row <= CHUNK);
        for segment in 0..segments {
            let total = interpreter.extra(segment * width);
            let positions = self.positions(chunk, segment);
            for position in positions.clone() {
                interpreter.prefetch(
                    (position + PREFETCH_DISTANCE).min(self.row - 1) * self.rows + first,
                    count,
                );
                self.take(interpreter, position, positions.start, first, count, total);
            }
        }
        let temporary = interpreter.extra(ACCUMULATORS * width);
        let mut step = 1;
        while step < segments {
            for segment in (step..segments).rev() {
                let (before, total) = (
                    interpreter.extra((segment - step) * width),
                    interpreter.extra(segment * width),
                );
                let args = [before.cast_const(), total.cast_const(), std::ptr::null()];
                // SAFETY: rows of `count` values in the interpreter's extra bytes; the temporary row does not
                // overlap the others.
                unsafe {
                    (self.fold.combine)(temporary, args, count);
                    std::ptr::copy_nonoverlapping(temporary, total, count * self.fold.size);
                }
            }
            step *= 2;
        }
        segments
    }

    /// Combines the values at a position into `state`, or initializes it at the first position.
    fn take(
        &self,
        interpreter: &mut BlockInterpreter<'_>,
        position: usize,
        begins: usize,
        first: usize,
        count: usize,
        state: *mut u8,
    ) {
        interpreter.run(self.phase, position * self.rows + first, count);
        let values = interpreter.registers[usize::from(self.lifted)].cast_const();
        // SAFETY: the register holds `count` values, and the state is a row of as many in the interpreter's
        // extra bytes.
        unsafe {
            if position == begins {
                std::ptr::copy_nonoverlapping(values, state, count * self.fold.size);
            } else {
                (self.accumulate)(state, [values; 3], count);
            }
        }
    }

    /// Writes a chunk's elements after [`Columns::segments`]; `ahead` is the row of prefixes before the
    /// chunk.
    fn write(
        &self,
        interpreter: &mut BlockInterpreter<'_>,
        first: usize,
        count: usize,
        width: usize,
        chunk: usize,
        ahead: Option<*const u8>,
    ) {
        let [local, beside, both] = [ACCUMULATORS, ACCUMULATORS + 1, ACCUMULATORS + 3]
            .map(|row| interpreter.extra(row * width));
        let length = CHUNK.min(self.row - chunk * CHUNK);
        for segment in 0..length.div_ceil(SEGMENT) {
            let inside =
                segment.checked_sub(1).map(|last| interpreter.extra(last * width).cast_const());
            let before = match (ahead, inside) {
                (Some(ahead), Some(inside)) => {
                    // SAFETY: rows of `count` values in the interpreter's extra bytes.
                    unsafe { (self.fold.combine)(both, [ahead, inside, ahead], count) };
                    Some(both.cast_const())
                }
                (ahead, inside) => ahead.or(inside),
            };
            let positions = self.positions(chunk, segment);
            for position in positions.clone() {
                self.take(interpreter, position, positions.start, first, count, local);
                let index = position * self.rows + first;
                let direct = self.out.direct(index, count);
                let to = direct.unwrap_or(beside);
                // SAFETY: rows of `count` values; those of different tiles are disjoint in the output, to
                // which core gives no other code access while its launch runs.
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
