//! Scans whose states are combined by a body, of which the outputs are made at each element.
//!
//! The states of a chunk are transposed: place `j` of all segments lies together, so that a step of the plan is one loop over
//! the segments.

use ndany_core::Result;
use ndany_core::backend::Scan;
use ndany_core::plan::{CHUNK, SEGMENT};
use ndany_core::program::{Domain, Reg, RegType};
use smallvec::SmallVec;

use crate::accumulators::{MAX_PARTS, Reducer};
use crate::compiled::{Kind, cost};
use crate::interpreter::{BLOCK, BlockInterpreter, Phase, Positions, Sink, Space};
use crate::loops::{ACCUMULATORS, Level};
use crate::map::registers;
use crate::memory::{Address, Scratch};
use crate::program_cache;
use crate::strided_cursor::{bits, splat};
use crate::threads::Threads;

type Pointers = [*mut u8; MAX_PARTS];

/// Runs a scan whose program reads running states.
pub(super) fn scan(scan: &Scan<'_>, level: Level, threads: &Threads) -> Result<()> {
    let launch = &scan.launch;
    let program = launch.program;
    let reduction = &program.reductions[0];
    let code = program_cache::compiled(&program, level);
    let types: SmallVec<[RegType; MAX_PARTS]> =
        reduction.lifted.iter().map(|&reg| program.instrs[usize::from(reg)].ty).collect();
    let states = States { reducer: Reducer::new(reduction, types.iter().copied(), level) };
    let axes: SmallVec<[usize; 8]> = (0..launch.shape.len()).collect();
    let (rows, row) = (launch.rows(), launch.row_size());
    let chunks = row.div_ceil(CHUNK);
    let space =
        Space::new(launch, &code, &launch.scalars, &axes, level, Positions::Along(row), &[]);
    let sinks = Sink::all(launch, &axes, Domain::Element, level);
    let lifted: SmallVec<[Reg; MAX_PARTS]> = reduction.lifted.iter().copied().collect();
    let outputs: SmallVec<[Reg; 4]> = registers(&sinks).collect();
    // Running states lie where the scan puts them.
    let running = |reg: Reg| matches!(code.instrs[usize::from(reg)].kind, Kind::Argument(_));
    let all = || lifted.iter().chain(&outputs).copied();
    let once = code.closure(all(), Domain::Row, running);
    let phase = |roots: &[Reg]| {
        let regs = code.closure(roots.iter().copied(), Domain::Element, running);
        Phase::new(&code, regs, roots, |_| false)
    };
    let (lift, finish) = (phase(&lifted), phase(&outputs));
    let slots = lift.slots().max(finish.slots());
    let memory = states.memory(rows * chunks)?;
    let totals = StateArrays::new(&memory);
    let total = |item: usize| totals.at(&states.reducer, item);
    let room = states.bytes();
    let width = BLOCK.min(row);
    // The states of a chunk come into `staged`.
    let begin_chunk = |interpreter: &mut BlockInterpreter<'_>, item: usize| -> (usize, usize) {
        let (number, chunk) = (item / chunks, item % chunks);
        let first = number * row + chunk * CHUNK;
        let count = CHUNK.min(row - chunk * CHUNK);
        interpreter.run_uniform(&once, first, width);
        let buffers = states.buffers(interpreter.extra(0));
        let mut done = 0;
        while done < count {
            let block = BLOCK.min(count - done);
            interpreter.run(&lift, first + done, block);
            let mut values = [std::ptr::null_mut(); MAX_PARTS];
            for (value, &reg) in values.iter_mut().zip(&lifted) {
                *value = interpreter.registers[usize::from(reg)];
            }
            // SAFETY: the registers hold a block; `staged` holds a chunk.
            unsafe { states.stage(&values, &buffers.staged, done, block) };
            done += block;
        }
        (first, count)
    };
    let regs: SmallVec<[Reg; 16]> = lift.regs().iter().chain(finish.regs()).copied().collect();
    let work = cost(&program, &regs, 32 * lifted.len(), rows * row);
    if chunks > 1 {
        threads.split(rows * chunks, 1, work, |begin, end| {
            let mut interpreter = BlockInterpreter::new(&space, slots, room)?;
            let buffers = states.buffers(interpreter.extra(0));
            for item in begin..end {
                let (_, count) = begin_chunk(&mut interpreter, item);
                // SAFETY: the buffers are this thread's own, and it alone has the total of the chunk.
                unsafe {
                    let segments = states.fold(&buffers, count);
                    let last = states.reducer.offset(&buffers.totals, segments - 1);
                    states.reducer.copy(&last, &total(item), 1);
                }
            }
            interpreter.finish();
            Ok(())
        })?;
        for number in 0..rows {
            // SAFETY: the totals of the row are complete and nothing else uses them.
            unsafe { states.scan(&total(number * chunks), chunks) }?;
        }
    }
    threads.split(rows * chunks, 1, work, |begin, end| {
        let mut interpreter = BlockInterpreter::new(&space, slots, room)?;
        let buffers = states.buffers(interpreter.extra(0));
        for item in begin..end {
            let (first, count) = begin_chunk(&mut interpreter, item);
            let ahead = (item % chunks > 0).then(|| total(item - 1));
            // SAFETY: the buffers are this thread's own; the totals are complete.
            unsafe {
                states.fold(&buffers, count);
                states.offset(&buffers, count, ahead.as_ref());
                states.unstage(&buffers.staged, &buffers.linear, count);
            }
            let mut done = 0;
            while done < count {
                let block = BLOCK.min(count - done);
                for (reg, compiled) in code.instrs.iter().enumerate() {
                    if let Kind::Argument(part) = compiled.kind {
                        interpreter.registers[reg] =
                            states.reducer.offset(&buffers.linear, done)[usize::from(part)];
                    }
                }
                interpreter.run(&finish, first + done, block);
                for sink in &sinks {
                    // SAFETY: chunks of different threads are disjoint in the outputs, to which core gives no other code
                    // access while its launch runs.
                    unsafe { interpreter.store_output(sink, first + done, block) };
                }
                done += block;
            }
        }
        interpreter.finish();
        Ok(())
    })?;
    space.outcome(launch)
}

/// The addresses of arrays of one register of many states each.
struct StateArrays(SmallVec<[Address<u8>; MAX_PARTS]>);

impl StateArrays {
    fn new(memory: &[Scratch]) -> Self {
        Self(memory.iter().map(|array| Address(array.address())).collect())
    }

    /// Pointers to a state.
    fn at(&self, reducer: &Reducer, index: usize) -> Pointers {
        let mut pointers = [std::ptr::null_mut(); MAX_PARTS];
        for ((pointer, address), ty) in pointers.iter_mut().zip(&self.0).zip(&reducer.types) {
            *pointer = address.at(index * ty.size());
        }
        pointers
    }
}

/// What a thread works in.
struct Buffers {
    /// A chunk: place `j` of segment `s` is at `j · ACCUMULATORS + s`.
    staged: Pointers,
    /// The same chunk in order.
    linear: Pointers,
    /// The totals of the segments.
    totals: Pointers,
    /// What comes before each segment.
    before: Pointers,
    moved: Pointers,
    temporary: *mut u8,
}

/// The steps of the plan, for states of several registers.
struct States {
    reducer: Reducer,
}

impl States {
    /// Memory for states, part by part.
    fn memory(&self, count: usize) -> Result<SmallVec<[Scratch; MAX_PARTS]>> {
        self.reducer.types.iter().map(|ty| Scratch::new(count * ty.size())).collect()
    }

    /// Bytes of [`States::buffers`].
    fn bytes(&self) -> usize {
        let parts = self.reducer.parts();
        parts * (2 * CHUNK + 3 * ACCUMULATORS) * 8 + self.reducer.temporaries(ACCUMULATORS)
    }

    /// The buffers in memory of [`States::bytes`] bytes, aligned for every register.
    fn buffers(&self, memory: *mut u8) -> Buffers {
        let parts = self.reducer.parts();
        let mut next = memory;
        let mut arrays = |count: usize| {
            let mut pointers = [std::ptr::null_mut(); MAX_PARTS];
            for pointer in pointers.iter_mut().take(parts) {
                *pointer = next;
                next = next.wrapping_add(count * 8);
            }
            pointers
        };
        let (staged, linear) = (arrays(CHUNK), arrays(CHUNK));
        let (totals, before, moved) =
            (arrays(ACCUMULATORS), arrays(ACCUMULATORS), arrays(ACCUMULATORS));
        Buffers { staged, linear, totals, before, moved, temporary: next }
    }

    /// Number of segments that have an element at place `j`, of a chunk of `count` elements.
    fn width(count: usize, j: usize) -> usize {
        count.saturating_sub(j).div_ceil(SEGMENT)
    }

    /// Puts `count` states in order, from element `first` of the chunk on, at their transposed places.
    ///
    /// # Safety
    /// `values` hold `count` states; `staged` has room for a chunk, in which these elements are.
    unsafe fn stage(&self, values: &Pointers, staged: &Pointers, first: usize, count: usize) {
        for (part, ty) in self.reducer.types.iter().enumerate() {
            let (from, to) = (values[part].cast_const(), staged[part]);
            // SAFETY: the caller upholds this.
            unsafe {
                match ty.size() {
                    1 => stage::<u8>(from, to, first, count),
                    2 => stage::<u16>(from, to, first, count),
                    4 => stage::<u32>(from, to, first, count),
                    _ => stage::<u64>(from, to, first, count),
                }
            }
        }
    }

    /// Puts the states of a chunk in order.
    ///
    /// # Safety
    /// `staged` holds `count` states of a chunk; `linear` has room for as many.
    unsafe fn unstage(&self, staged: &Pointers, linear: &Pointers, count: usize) {
        for (part, ty) in self.reducer.types.iter().enumerate() {
            let (from, to) = (staged[part].cast_const(), linear[part]);
            // SAFETY: the caller upholds this.
            unsafe {
                match ty.size() {
                    1 => unstage::<u8>(from, to, count),
                    2 => unstage::<u16>(from, to, count),
                    4 => unstage::<u32>(from, to, count),
                    _ => unstage::<u64>(from, to, count),
                }
            }
        }
    }

    /// Folds the segments of a staged chunk in place, and scans their totals. Returns the number of segments.
    ///
    /// # Safety
    /// The buffers are as [`States::buffers`] lays them out, `staged` holds `count` states, at least one.
    unsafe fn fold(&self, buffers: &Buffers, count: usize) -> usize {
        let (reducer, totals) = (&self.reducer, &buffers.totals);
        let segments = count.div_ceil(SEGMENT);
        // SAFETY: the caller upholds this; a width is at most ACCUMULATORS.
        unsafe {
            reducer.copy(&buffers.staged, totals, segments);
            for j in 1..SEGMENT.min(count) {
                let width = Self::width(count, j);
                let place = reducer.offset(&buffers.staged, j * ACCUMULATORS);
                reducer.combine(totals, &place, width, buffers.temporary);
                reducer.copy(totals, &place, width);
            }
            let mut step = 1;
            while step < segments {
                let (moved, to) = (segments - step, reducer.offset(totals, step));
                reducer.copy(totals, &buffers.moved, moved);
                reducer.combine(&buffers.moved, &to, moved, buffers.temporary);
                reducer.copy(&buffers.moved, &to, moved);
                step *= 2;
            }
        }
        segments
    }

    /// Combines into each element of a folded chunk what comes before its segment: the chunks `ahead`, then the segments before.
    ///
    /// # Safety
    /// As [`States::fold`], which has run; `ahead` is one state.
    unsafe fn offset(&self, buffers: &Buffers, count: usize, ahead: Option<&Pointers>) {
        let (reducer, before) = (&self.reducer, &buffers.before);
        let segments = count.div_ceil(SEGMENT);
        let start = usize::from(ahead.is_none());
        // SAFETY: the caller upholds this.
        unsafe {
            let after = reducer.offset(before, 1);
            match ahead {
                None => reducer.copy(&buffers.totals, &after, segments - 1),
                Some(ahead) => {
                    for (part, ty) in reducer.types.iter().enumerate() {
                        let value = bits(ahead[part].cast_const(), ty.size());
                        splat(before[part], ty.size(), value, segments);
                    }
                    reducer.combine(&after, &buffers.totals, segments - 1, buffers.temporary);
                }
            }
            for j in 0..SEGMENT.min(count) {
                let width = Self::width(count, j);
                if width <= start {
                    break;
                }
                let place = reducer.offset(&buffers.staged, j * ACCUMULATORS + start);
                reducer.copy(&reducer.offset(before, start), &buffers.moved, width - start);
                reducer.combine(&buffers.moved, &place, width - start, buffers.temporary);
                reducer.copy(&buffers.moved, &place, width - start);
            }
        }
    }

    /// Scans `count` states in place, by the plan.
    ///
    /// # Safety
    /// `values` hold `count` states, which nothing else uses.
    unsafe fn scan(&self, values: &Pointers, count: usize) -> Result<()> {
        let memory = Scratch::new(self.bytes())?;
        let buffers = self.buffers(memory.address());
        let chunks = count.div_ceil(CHUNK);
        let above_memory = self.memory(chunks)?;
        let above = StateArrays::new(&above_memory);
        let chunk_of = |chunk: usize| {
            (self.reducer.offset(values, chunk * CHUNK), CHUNK.min(count - chunk * CHUNK))
        };
        // SAFETY: the caller upholds this; the buffers are this call's own.
        unsafe {
            for chunk in 0..chunks {
                let (values, length) = chunk_of(chunk);
                self.stage(&values, &buffers.staged, 0, length);
                let segments = self.fold(&buffers, length);
                let last = self.reducer.offset(&buffers.totals, segments - 1);
                self.reducer.copy(&last, &above.at(&self.reducer, chunk), 1);
            }
            if chunks > 1 {
                self.scan(&above.at(&self.reducer, 0), chunks)?;
            }
            for chunk in 0..chunks {
                let (values, length) = chunk_of(chunk);
                self.stage(&values, &buffers.staged, 0, length);
                self.fold(&buffers, length);
                let ahead = (chunk > 0).then(|| above.at(&self.reducer, chunk - 1));
                self.offset(&buffers, length, ahead.as_ref());
                self.unstage(&buffers.staged, &values, length);
            }
        }
        Ok(())
    }
}

/// The transposed place of an element of a chunk.
fn place(element: usize) -> usize {
    element % SEGMENT * ACCUMULATORS + element / SEGMENT
}

/// # Safety
/// As [`States::stage`], for one register of type `T`, whose pointers are aligned.
unsafe fn stage<T: Copy>(from: *const u8, to: *mut u8, first: usize, count: usize) {
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    for k in 0..count {
        // SAFETY: the caller upholds this; the place is in the chunk.
        unsafe { to.add(place(first + k)).write(from.add(k).read()) };
    }
}

/// # Safety
/// As [`States::unstage`], for one register of type `T`, whose pointers are aligned.
unsafe fn unstage<T: Copy>(from: *const u8, to: *mut u8, count: usize) {
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    for k in 0..count {
        // SAFETY: the caller upholds this; the place is in the chunk.
        unsafe { to.add(k).write(from.add(place(k)).read()) };
    }
}
