//! Scans with what is fused in front, by the canonical plan: totals of all chunks first, then each
//! chunk again with what comes before it.

mod columns;
mod whole;

use ndany_core::Result;
use ndany_core::backend::Scan;
use ndany_core::plan::{CHUNK, SEGMENT};
use ndany_core::program::{Combine, Domain, Op, Reg};
use smallvec::SmallVec;

use crate::code::Code;
use crate::loops::{LANES, Level, LoopFn, Loops};
use crate::memory::{Address, Scratch};
use crate::threads::Threads;
use crate::walk::Walk;
use crate::worker::{BLOCK, Phase, Positions, Space, Worker};

/// Runs a scan.
pub(crate) fn scan(scan: &Scan<'_>, level: Level, threads: &Threads) -> Result<()> {
    if columns::scanned(scan, level, threads)? || whole::scanned(scan, level, threads)? {
        return Ok(());
    }
    let launch = &scan.launch;
    let reduction = &launch.program.reductions[0];
    let Combine::Prim(prim) = reduction.combine else {
        unreachable!("scans combine by a primitive")
    };
    let parts: SmallVec<[Reg; 2]> = reduction.lifted.iter().copied().collect();
    let ty = launch.program.instrs[usize::from(parts[0])].ty;
    let (code, axes) = (
        Code::new(launch.program, level),
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
    let fold = Fold { combine, segments: level.segments(prim, ty), size: ty.size() };
    let totals = Scratch::new(parts.len() * rows * chunks * ty.size())?;
    let addresses = Address(totals.address());
    let total = |part: usize, item: usize| addresses.at((part * rows * chunks + item) * ty.size());
    // A chunk's values, what precedes its segments, and a temporary.
    let room = (CHUNK + 2 * LANES) * 8;
    let work = |worker: &mut Worker<'_>, item: usize, part: usize| -> (usize, usize) {
        let (number, chunk) = (item / chunks, item % chunks);
        let first = number * row + chunk * CHUNK;
        let count = CHUNK.min(row - chunk * CHUNK);
        worker.once(&once, first, BLOCK.min(row));
        let mut done = 0;
        while done < count {
            let block = BLOCK.min(count - done);
            worker.run(&phase, first + done, block);
            let value = worker.registers[usize::from(parts[part])];
            // SAFETY: the register holds a block; the extra room holds a chunk.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    value,
                    worker.extra(done * fold.size),
                    block * fold.size,
                )
            };
            done += block;
        }
        (first, count)
    };
    let effort = rows * row * steps;
    if chunks > 1 {
        threads.split(rows * chunks, 1, effort, |begin, end| {
            let mut worker = Worker::new(&space, phase.slots(), room)?;
            for (item, part) in
                (begin..end).flat_map(|item| (0..parts.len()).map(move |part| (item, part)))
            {
                let (_, count) = work(&mut worker, item, part);
                let (values, before) = (worker.extra(0), worker.extra(CHUNK * 8));
                // SAFETY: the extra room holds a chunk, and the segments' totals and a temporary after it;
                // the chunk's total is this worker's.
                unsafe {
                    let segments = fold.chunk(values, count, before);
                    let last = before.add((segments - 1) * fold.size);
                    std::ptr::copy_nonoverlapping(last, total(part, item), fold.size);
                }
            }
            worker.finish()
        })?;
        for (part, number) in
            (0..parts.len()).flat_map(|part| (0..rows).map(move |number| (part, number)))
        {
            // SAFETY: the row's totals are complete and nobody else uses them.
            unsafe { fold.totals(total(part, number * chunks), chunks) }?;
        }
    }
    let out = &launch.outputs[0];
    let narrow = level.narrow(out.dtype);
    threads.split(rows * chunks, 1, effort, |begin, end| {
        let mut worker = Worker::new(&space, phase.slots(), room)?;
        for (item, part) in
            (begin..end).flat_map(|item| (0..parts.len()).map(move |part| (item, part)))
        {
            let (first, count) = work(&mut worker, item, part);
            let (values, before) = (worker.extra(0), worker.extra(CHUNK * 8));
            let ahead = (item % chunks > 0).then(|| total(part, item - 1).cast_const());
            // SAFETY: as above; chunks of different workers are disjoint in the output, which core lets
            // nobody else use while its launch runs.
            unsafe {
                fold.chunk(values, count, before);
                fold.offset(values, count, before, ahead);
                let walk = Walk::new(out, &launch.shape, part);
                match narrow {
                    None => walk.scatter(first, count, values),
                    Some(narrow) => {
                        let mut done = 0;
                        while done < count {
                            // In pieces, through the room of the segments' totals.
                            let piece = LANES.min(count - done);
                            narrow(before, [values.add(done * fold.size).cast_const(); 3], piece);
                            walk.scatter(first + done, piece, before);
                            done += piece;
                        }
                    }
                }
            }
        }
        worker.finish()
    })
}

/// The loops of a scan.
struct Fold {
    combine: LoopFn,
    segments: LoopFn,
    size: usize,
}

impl Fold {
    /// Folds the segments of a chunk in place and scans their totals into `before`; returns their number.
    ///
    /// # Safety
    /// `values` is good for `count` values, `before` for twice LANES.
    unsafe fn chunk(&self, values: *mut u8, count: usize, before: *mut u8) -> usize {
        // SAFETY: the caller's promise.
        unsafe {
            (self.segments)(values, [std::ptr::null(); 3], count);
            self.segment_totals(values, count, before)
        }
    }

    /// Scans the totals of folded segments into `before`; returns their number.
    ///
    /// # Safety
    /// As [`Fold::chunk`].
    unsafe fn segment_totals(&self, values: *const u8, count: usize, before: *mut u8) -> usize {
        let segments = count.div_ceil(SEGMENT);
        let size = self.size;
        // SAFETY: the caller's promise.
        unsafe {
            for segment in 0..segments {
                let last = (segment * SEGMENT + SEGMENT).min(count) - 1;
                std::ptr::copy_nonoverlapping(
                    values.add(last * size),
                    before.add(segment * size),
                    size,
                );
            }
            let temporary = before.add(LANES * size);
            let mut step = 1;
            while step < LANES {
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

    /// Combines what precedes each segment into it: `ahead` of the chunk, then the segments before.
    ///
    /// # Safety
    /// As [`Fold::chunk`], whose totals `before` holds; `ahead` is good for reading one value.
    unsafe fn offset(
        &self,
        values: *mut u8,
        count: usize,
        before: *mut u8,
        ahead: Option<*const u8>,
    ) {
        let size = self.size;
        // SAFETY: the caller's promise; the temporaries are the second half of `before`.
        unsafe {
            let offset = before.add(LANES * size);
            let result = before.add((LANES + SEGMENT) * size);
            let single = before.add((LANES + 2 * SEGMENT) * size);
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
                crate::walk::splat(offset, size, crate::walk::bits(from, size), length);
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
        let scratch = Scratch::new(2 * LANES * size)?;
        let chunks = count.div_ceil(CHUNK);
        let above = Scratch::new(chunks * size)?;
        // SAFETY: the caller's promise; the scratch buffers are this call's own.
        unsafe {
            let before = scratch.address();
            // Folded in place, the values are local; their chunk totals are scanned one level up.
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
                // The segments' totals again, from the folded segments.
                self.segment_totals(values, length, before);
                let ahead =
                    (chunk > 0).then(|| above.address().add((chunk - 1) * size).cast_const());
                self.offset(values, length, before, ahead);
            }
        }
        Ok(())
    }
}
