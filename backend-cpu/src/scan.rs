//! Scans with a fused elementwise part, by the canonical plan: first the totals of all chunks, then each chunk
//! again, offset by the total of the chunks before it.

mod columns;
mod integer;
mod states;

use ndany_core::Result;
use ndany_core::backend::Scan;
use ndany_core::plan::{CHUNK, SEGMENT};
use ndany_core::program::{Combine, Domain, Op, Reg};
use smallvec::SmallVec;

use crate::interpreter::{BLOCK, BlockInterpreter, Phase, Positions, Space};
use crate::loops::{ACCUMULATORS, Level, LoopFn, Loops};
use crate::memory::{Address, Scratch};
use crate::program_cache;
use crate::strided_cursor::StridedCursor;
use crate::threads::Threads;
use crate::trace_strategy;

/// How a scan runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// Many rows side by side, of this register.
    Columns { lifted: Reg },
    /// Integers are added in one pass.
    IntegerSum,
    /// One row at a time, by the plan's chunks.
    Chunks,
    /// The same, with states that a body combines.
    States,
}

impl Strategy {
    /// The fastest strategy of a scan.
    pub(crate) fn of(scan: &Scan<'_>, level: Level) -> Self {
        if scan.launch.program.reads_running_states() {
            Strategy::States
        } else if let Some(lifted) = columns::applies(scan, level) {
            Strategy::Columns { lifted }
        } else if integer::applies(scan) {
            Strategy::IntegerSum
        } else {
            Strategy::Chunks
        }
    }
}

/// Runs a scan.
pub(crate) fn scan(scan: &Scan<'_>, level: Level, threads: &Threads) -> Result<()> {
    let strategy = Strategy::of(scan, level);
    trace_strategy("scan", &strategy);
    match strategy {
        Strategy::Columns { lifted } => columns::scan(scan, lifted, level, threads),
        Strategy::IntegerSum => integer::scan(scan, level, threads),
        Strategy::Chunks => by_chunks(scan, level, threads),
        Strategy::States => states::scan(scan, level, threads),
    }
}

/// Scans one row at a time, chunk by chunk.
fn by_chunks(scan: &Scan<'_>, level: Level, threads: &Threads) -> Result<()> {
    let launch = &scan.launch;
    let reduction = &launch.program.reductions[0];
    let Combine::Prim(prim) = reduction.combine else {
        unreachable!("scans combine by a primitive")
    };
    let parts: SmallVec<[Reg; 2]> = reduction.lifted.iter().copied().collect();
    let ty = launch.program.instrs[usize::from(parts[0])].ty;
    let (code, axes) = (
        program_cache::compiled(&launch.program, level),
        (0..launch.shape.len()).collect::<SmallVec<[usize; 8]>>(),
    );
    let (rows, row) = (launch.rows(), launch.row_size());
    let chunks = row.div_ceil(CHUNK);
    let space =
        Space::new(launch, &code, &launch.scalars, &axes, level, Positions::Along(row), &[]);
    let once = code.closure(parts.iter().copied(), Domain::Row, |_| false);
    let regs = code.closure(parts.iter().copied(), Domain::Element, |_| false);
    let steps = regs.len() + 3;
    let phase = Phase::new(&code, regs, &parts, |_| false);
    let combine = level.step(&Op::Prim(prim), ty, ty);
    let fold = ScanLoops { combine, segments: level.segments(prim, ty), size: ty.size() };
    let totals = Scratch::new(parts.len() * rows * chunks * ty.size())?;
    let addresses = Address(totals.address());
    let total = |part: usize, item: usize| addresses.at((part * rows * chunks + item) * ty.size());
    // A chunk's values, its segments' prefixes, and a temporary.
    let room = (CHUNK + 2 * ACCUMULATORS) * 8;
    let work =
        |interpreter: &mut BlockInterpreter<'_>, item: usize, part: usize| -> (usize, usize) {
            let (number, chunk) = (item / chunks, item % chunks);
            let first = number * row + chunk * CHUNK;
            let count = CHUNK.min(row - chunk * CHUNK);
            interpreter.run_uniform(&once, first, BLOCK.min(row));
            let mut done = 0;
            while done < count {
                let block = BLOCK.min(count - done);
                interpreter.run(&phase, first + done, block);
                let value = interpreter.registers[usize::from(parts[part])];
                // SAFETY: the register holds a block; the extra bytes hold a chunk.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        value,
                        interpreter.extra(done * fold.size),
                        block * fold.size,
                    )
                };
                done += block;
            }
            (first, count)
        };
    let cost = rows * row * steps;
    if chunks > 1 {
        threads.split(rows * chunks, 1, cost, |begin, end| {
            let mut interpreter = BlockInterpreter::new(&space, phase.slots(), room)?;
            for (item, part) in
                (begin..end).flat_map(|item| (0..parts.len()).map(move |part| (item, part)))
            {
                let (_, count) = work(&mut interpreter, item, part);
                let (values, before) = (interpreter.extra(0), interpreter.extra(CHUNK * 8));
                // SAFETY: the extra bytes hold a chunk, the segments' totals and a temporary; this thread
                // alone has the chunk's total.
                unsafe {
                    let segments = fold.chunk(values, count, before);
                    let last = before.add((segments - 1) * fold.size);
                    std::ptr::copy_nonoverlapping(last, total(part, item), fold.size);
                }
            }
            interpreter.finish();
            Ok(())
        })?;
        for (part, number) in
            (0..parts.len()).flat_map(|part| (0..rows).map(move |number| (part, number)))
        {
            // SAFETY: the row's totals are complete and no other code uses them.
            unsafe { fold.totals(total(part, number * chunks), chunks) }?;
        }
    }
    let out = &launch.outputs[0];
    let narrow = level.narrow(out.dtype);
    threads.split(rows * chunks, 1, cost, |begin, end| {
        let mut interpreter = BlockInterpreter::new(&space, phase.slots(), room)?;
        for (item, part) in
            (begin..end).flat_map(|item| (0..parts.len()).map(move |part| (item, part)))
        {
            let (first, count) = work(&mut interpreter, item, part);
            let (values, before) = (interpreter.extra(0), interpreter.extra(CHUNK * 8));
            let ahead = (item % chunks > 0).then(|| total(part, item - 1).cast_const());
            // SAFETY: as above; chunks of different threads are disjoint in the output, to which core gives
            // no other code access while its launch runs.
            unsafe {
                fold.chunk(values, count, before);
                fold.offset(values, count, before, ahead);
                let cursor = StridedCursor::new(out, &launch.shape, part);
                match narrow {
                    None => cursor.scatter(first, count, values),
                    Some(narrow) => {
                        let mut done = 0;
                        while done < count {
                            // ACCUMULATORS values at a time, in the buffer of the segments' totals.
                            let piece = ACCUMULATORS.min(count - done);
                            narrow(before, [values.add(done * fold.size).cast_const(); 3], piece);
                            cursor.scatter(first + done, piece, before);
                            done += piece;
                        }
                    }
                }
            }
        }
        interpreter.finish();
        Ok(())
    })?;
    space.outcome(launch)
}

/// The loops of a scan.
struct ScanLoops {
    combine: LoopFn,
    segments: LoopFn,
    size: usize,
}

impl ScanLoops {
    /// Folds the segments of a chunk in place and scans their totals into `before`. Returns the number of
    /// segments.
    ///
    /// # Safety
    /// `values` is valid for `count` values, `before` for twice ACCUMULATORS.
    unsafe fn chunk(&self, values: *mut u8, count: usize, before: *mut u8) -> usize {
        // SAFETY: the caller upholds this.
        unsafe {
            (self.segments)(values, [std::ptr::null(); 3], count);
            self.segment_totals(values, count, before)
        }
    }

    /// Scans the totals of folded segments into `before`. Returns the number of segments.
    ///
    /// # Safety
    /// As [`ScanLoops::chunk`].
    unsafe fn segment_totals(&self, values: *const u8, count: usize, before: *mut u8) -> usize {
        let segments = count.div_ceil(SEGMENT);
        let size = self.size;
        // SAFETY: the caller upholds this.
        unsafe {
            for segment in 0..segments {
                let last = (segment * SEGMENT + SEGMENT).min(count) - 1;
                std::ptr::copy_nonoverlapping(
                    values.add(last * size),
                    before.add(segment * size),
                    size,
                );
            }
            let temporary = before.add(ACCUMULATORS * size);
            let mut step = 1;
            while step < ACCUMULATORS {
                if segments > step {
                    let moved = segments - step;
                    let args = [
                        before.cast_const(),
                        before.add(step * size).cast_const(),
                        std::ptr::null(),
                    ];
                    (self.combine)(temporary, args, moved);
                    std::ptr::copy_nonoverlapping(temporary, before.add(step * size), moved * size);
                }
                step *= 2;
            }
        }
        segments
    }

    /// Combines into each segment what precedes it: `ahead` of the chunk, then the segments before it.
    ///
    /// # Safety
    /// As [`ScanLoops::chunk`], whose totals `before` holds; `ahead` is valid for a read of one value.
    unsafe fn offset(
        &self,
        values: *mut u8,
        count: usize,
        before: *mut u8,
        ahead: Option<*const u8>,
    ) {
        let size = self.size;
        // SAFETY: the caller upholds this; the temporaries are the second half of `before`.
        unsafe {
            let offset = before.add(ACCUMULATORS * size);
            let result = before.add((ACCUMULATORS + SEGMENT) * size);
            let single = before.add((ACCUMULATORS + 2 * SEGMENT) * size);
            for segment in 0..count.div_ceil(SEGMENT) {
                let inside = (segment > 0).then(|| before.add((segment - 1) * size).cast_const());
                let from = match (ahead, inside) {
                    (None, None) => continue,
                    (Some(ahead), None) => ahead,
                    (None, Some(inside)) => inside,
                    (Some(ahead), Some(inside)) => {
                        (self.combine)(single, [ahead, inside, std::ptr::null()], 1);
                        single.cast_const()
                    }
                };
                let length = SEGMENT.min(count - segment * SEGMENT);
                crate::strided_cursor::splat(
                    offset,
                    size,
                    crate::strided_cursor::bits(from, size),
                    length,
                );
                let target = values.add(segment * SEGMENT * size);
                (self.combine)(
                    result,
                    [offset.cast_const(), target.cast_const(), std::ptr::null()],
                    length,
                );
                std::ptr::copy_nonoverlapping(result, target, length * size);
            }
        }
    }

    /// Scans the totals of a row's chunks in place, by the same plan.
    ///
    /// # Safety
    /// `totals` is good for `count` values.
    unsafe fn totals(&self, totals: *mut u8, count: usize) -> Result<()> {
        let size = self.size;
        let scratch = Scratch::new(2 * ACCUMULATORS * size)?;
        let chunks = count.div_ceil(CHUNK);
        let above = Scratch::new(chunks * size)?;
        // SAFETY: the caller upholds this; the scratch buffers are this call's own.
        unsafe {
            let before = scratch.address();
            // The values become prefixes within their chunk; the chunk totals are scanned one level up.
            for chunk in 0..chunks {
                let length = CHUNK.min(count - chunk * CHUNK);
                let values = totals.add(chunk * CHUNK * size);
                let segments = self.chunk(values, length, before);
                let last = before.add((segments - 1) * size);
                std::ptr::copy_nonoverlapping(last, above.address().add(chunk * size), size);
            }
            if chunks > 1 {
                self.totals(above.address(), chunks)?;
            }
            for chunk in 0..chunks {
                let length = CHUNK.min(count - chunk * CHUNK);
                let values = totals.add(chunk * CHUNK * size);
                // Recomputes the segments' totals from the folded segments.
                self.segment_totals(values, length, before);
                let ahead =
                    (chunk > 0).then(|| above.address().add((chunk - 1) * size).cast_const());
                self.offset(values, length, before, ahead);
            }
        }
        Ok(())
    }
}
