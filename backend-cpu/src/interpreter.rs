//! Execution of a program on one thread: each register is a block of values in a slot of a scratch buffer.

mod phase;
mod sink;
mod space;

use std::cell::Cell;
use std::sync::atomic::Ordering;

use ndany_core::Result;
use ndany_core::program::{Fault, Reg};
use smallvec::SmallVec;

use crate::accumulators::MAX_PARTS;
use crate::compiled::Kind;
use crate::gathered::{by_position, power};
use crate::loops::{LoopFn, Sources};
use crate::memory::{ALIGN, Scratch};
use crate::repeat::look_up;
use crate::strided_cursor::{Contiguity, StridedCursor, bits};

pub(crate) use phase::{Phase, assign_slots};
pub(crate) use sink::Sink;
pub(crate) use space::{Positions, Space};

/// Elements of a block: a multiple of the plan's accumulators and a divisor of its chunk.
pub(crate) const BLOCK: usize = 1024;
/// Bytes of a slot: a block of the widest type.
const SLOT: usize = BLOCK * 8;

thread_local! {
    /// The scratch buffer of this thread's last interpreter.
    static SPARE: Cell<Option<(Scratch, usize)>> = const { Cell::new(None) };
}

/// The registers of one thread. An address in `registers` is valid from when the register has been computed
/// (or placed) until its slot is reused.
pub(crate) struct BlockInterpreter<'s> {
    space: &'s Space<'s>,
    pub(crate) registers: SmallVec<[*mut u8; 16]>,
    /// The scratch buffer and its bytes; it returns to the thread when the interpreter is dropped.
    scratch: Option<(Scratch, usize)>,
    base: *mut u8,
    /// First slot of the registers computed once per row.
    row_slots: usize,
    /// Slot for elements before widening or after narrowing.
    raw: usize,
    /// First byte after the slots.
    extra: usize,
    /// First byte of the memory of the program's loops, after the extra bytes.
    loops: usize,
    /// The results of reductions that `run_uniform` reads.
    pub(crate) reduced: SmallVec<[[*mut u8; MAX_PARTS]; 2]>,
    fault: Fault,
}

impl<'s> BlockInterpreter<'s> {
    /// An interpreter with slots for a phase, for every register of the row, and `extra_bytes` more bytes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn new(
        space: &'s Space<'s>,
        phase_slots: usize,
        extra_bytes: usize,
    ) -> Result<Self> {
        let count = space.code.instrs.len();
        let rows = space.code.row_count;
        let extra = phase_slots + rows + 1;
        let loops = extra * SLOT + extra_bytes.next_multiple_of(ALIGN);
        let bytes = loops + space.code.loops().iter().map(|own| own.bytes(BLOCK)).sum::<usize>();
        let scratch = match SPARE.take() {
            Some((scratch, capacity)) if capacity >= bytes => (scratch, capacity),
            _ => (Scratch::new(bytes)?, bytes),
        };
        let registers = SmallVec::from_elem(std::ptr::null_mut(), count);
        Ok(Self {
            space,
            registers,
            base: scratch.0.address(),
            scratch: Some(scratch),
            row_slots: phase_slots,
            raw: phase_slots + rows,
            extra: extra * SLOT,
            loops,
            reduced: SmallVec::new(),
            fault: Fault::NONE,
        })
    }

    /// Bytes of the four random words of a block's elements, at the start of the extra bytes.
    pub(crate) const WORDS: usize = 4 * BLOCK * 4;

    pub(crate) fn slot(&self, slot: usize) -> *mut u8 {
        // SAFETY: the scratch buffer holds every slot.
        unsafe { self.base.add(slot * SLOT) }
    }

    /// Address of byte `offset` of the extra bytes.
    pub(crate) fn extra(&self, offset: usize) -> *mut u8 {
        // SAFETY: callers stay within the extra bytes that they requested.
        unsafe { self.base.add(self.extra + offset) }
    }

    /// Computes the row's registers `regs` for the row of element `index`, as blocks of `count` equal values.
    pub(crate) fn run_uniform(&mut self, regs: &[Reg], index: usize, count: usize) {
        for &reg in regs {
            let position = usize::from(reg);
            let compiled = &self.space.code.instrs[position];
            let size = compiled.ty.size();
            let out = self.row_slot(position);
            self.registers[position] = out;
            // SAFETY: slots hold BLOCK values of any size and `count` is at most that; arguments are
            // registers computed before; loads stay inside their operand.
            unsafe {
                match compiled.kind {
                    Kind::Scalar(scalar) => {
                        self.space.splat(out, size, self.space.scalars[usize::from(scalar)], count)
                    }
                    Kind::Const(value) => self.space.splat(out, size, value, count),
                    Kind::Load { input, part } => {
                        self.load_into(input, part, index, 1, out);
                        self.space.splat(out, size, bits(out, size), count);
                    }
                    Kind::Reduced { reduction, part } => {
                        let state = self.reduced[usize::from(reduction)][usize::from(part)];
                        self.space.splat(out, size, bits(state, size), count);
                    }
                    Kind::Step(run) => {
                        let args = self.arguments(compiled.args);
                        self.fault = self.fault.or(power(run(out, args, 1)));
                        self.space.splat(out, size, bits(out, size), count);
                    }
                    Kind::Table(table) => {
                        let [index, ..] = self.arguments(compiled.args);
                        look_up(table, size, out, index, 1);
                        self.space.splat(out, size, bits(out, size), count);
                    }
                    Kind::Gather { .. } | Kind::BoundsCheck { .. } => {
                        self.by_position(position, 1);
                        self.space.splat(out, size, bits(out, size), count);
                    }
                    Kind::Loop(number) => self.run_loop(number, 1),
                    Kind::LoopState { number, part } => {
                        self.space.splat(
                            out,
                            size,
                            bits(self.loop_state(number, part), size),
                            count,
                        );
                    }
                    Kind::Index | Kind::Argument(_) | Kind::Word { .. } | Kind::Fused(_) => {
                        unreachable!("varies along the row")
                    }
                }
            }
        }
    }

    /// Computes the row's registers `regs` for `count` adjacent rows, whose first elements start at `index`.
    /// Constants have been computed before.
    pub(crate) fn run_per_row(&mut self, regs: &[Reg], index: usize, count: usize) {
        for &reg in regs {
            let position = usize::from(reg);
            let compiled = &self.space.code.instrs[position];
            let out = self.row_slot(position);
            self.registers[position] = out;
            // SAFETY: as in `run_uniform`; reductions have one state for each row.
            unsafe {
                match compiled.kind {
                    Kind::Load { input, part } => self.load_into(input, part, index, count, out),
                    Kind::Reduced { reduction, part } => {
                        self.registers[position] =
                            self.reduced[usize::from(reduction)][usize::from(part)];
                    }
                    Kind::Step(run) => {
                        let args = self.arguments(compiled.args);
                        self.fault = self.fault.or(power(run(out, args, count)));
                    }
                    Kind::Table(table) => {
                        let [index, ..] = self.arguments(compiled.args);
                        look_up(table, compiled.ty.size(), out, index, count);
                    }
                    Kind::Gather { .. } | Kind::BoundsCheck { .. } => {
                        self.by_position(position, count)
                    }
                    Kind::Scalar(_) | Kind::Const(_) => unreachable!("computed once"),
                    Kind::Loop(number) => self.run_loop(number, count),
                    Kind::LoopState { number, part } => {
                        let (size, state) = (compiled.ty.size(), self.loop_state(number, part));
                        out.copy_from_nonoverlapping(state, count * size);
                    }
                    Kind::Index | Kind::Argument(_) | Kind::Word { .. } | Kind::Fused(_) => {
                        unreachable!("varies along the row")
                    }
                }
            }
        }
    }

    /// Runs a loop of the program for `count` elements, whose operands are there.
    ///
    /// # Safety
    /// The operands are computed, for at least `count` elements, which are at most [`BLOCK`].
    unsafe fn run_loop(&mut self, number: u16, count: usize) {
        let own = &self.space.code.loops()[usize::from(number)];
        let operand = |&reg: &Reg| self.registers[usize::from(reg)].cast_const();
        let operands: SmallVec<[*const u8; 8]> = own.operands.iter().map(operand).collect();
        let inputs = &self.space.gathered;
        let memory = self.loop_memory(number);
        // SAFETY: the caller upholds this; the loop has memory of its own for a block; `Checked` places what is read by position
        // in the memory of its input.
        self.fault = self.fault.or(unsafe { own.run(inputs, &operands, count, BLOCK, memory) });
    }

    /// Computes a register that reads by position, or checks a position, for `count` elements.
    ///
    /// # Safety
    /// The register's arguments are computed, for at least `count` elements, and it has room for as many values.
    unsafe fn by_position(&mut self, register: usize, count: usize) {
        let compiled = &self.space.code.instrs[register];
        let [positions, size, _] = self.arguments(compiled.args);
        let (args, out) = ([positions, size], self.registers[register]);
        // SAFETY: the caller upholds this; `Checked` places elements below the size in the memory of the input, and nothing
        // writes them while this launch reads.
        let fault = unsafe { by_position(compiled.kind, &self.space.gathered, args, count, out) };
        self.fault = self.fault.or(fault);
    }

    /// Where a loop keeps its results and works.
    fn loop_memory(&self, number: u16) -> *mut u8 {
        let before = &self.space.code.loops()[..usize::from(number)];
        let offset: usize = before.iter().map(|own| own.bytes(BLOCK)).sum();
        self.base.wrapping_add(self.loops + offset)
    }

    /// A register of the final state of a loop that has run.
    fn loop_state(&self, number: u16, part: u8) -> *mut u8 {
        let own = &self.space.code.loops()[usize::from(number)];
        own.result(self.loop_memory(number), part, BLOCK)
    }

    /// The slot of a register of the row is its rank among these registers.
    fn row_slot(&self, position: usize) -> *mut u8 {
        self.slot(self.row_slots + usize::from(self.space.code.row_slots[position]))
    }

    fn arguments(&self, args: [Reg; 3]) -> [*const u8; 3] {
        args.map(|arg| self.registers[usize::from(arg)].cast_const())
    }

    /// Loads elements of an input into a register.
    ///
    /// # Safety
    /// `out` is valid for writes of `count` values, at most BLOCK.
    unsafe fn load_into(&self, input: u16, part: u8, index: usize, count: usize, out: *mut u8) {
        let cursor = &self.space.inputs[usize::from(input)];
        if cursor.contiguity == Contiguity::Interleaved {
            let pairs = cursor.at(index).cast_const();
            // SAFETY: the cursor is over real parts, each followed by its imaginary part; nothing writes them
            // while this launch reads.
            unsafe {
                self.space.parts[usize::from(input)][usize::from(part)](out, [pairs; 3], count)
            };
            return;
        }
        let imaginary = (part == 1).then(|| cursor.next_part());
        let cursor = imaginary.as_ref().unwrap_or(cursor);
        // SAFETY: the raw slot holds a block; nothing writes the operand's elements while this launch reads.
        unsafe {
            match self.space.widen[usize::from(input)] {
                None => cursor.gather(index, count, out),
                Some(widen) => {
                    let raw = cursor.direct(index, count).unwrap_or_else(|| {
                        let raw = self.slot(self.raw);
                        cursor.gather(index, count, raw);
                        raw
                    });
                    widen(out, [raw.cast_const(); 3], count);
                }
            }
        }
    }

    /// Prefetches the inputs' elements `index..index + count`.
    pub(crate) fn prefetch(&self, index: usize, count: usize) {
        self.space.inputs.iter().for_each(|cursor| cursor.prefetch(index, count));
    }

    /// Runs a phase for `count` elements from `index` on. Registers placed outside the slots must have their
    /// address already.
    pub(crate) fn run(&mut self, phase: &Phase, index: usize, count: usize) {
        for (&reg, &slot) in phase.regs.iter().zip(&phase.slots) {
            let position = usize::from(reg);
            let compiled = &self.space.code.instrs[position];
            if slot != u16::MAX {
                self.registers[position] = self.slot(usize::from(slot));
            }
            let out = self.registers[position];
            // SAFETY: slots hold BLOCK values of any size and `count` is at most that; a register placed
            // elsewhere has room by its caller's contract; arguments were computed before this step.
            unsafe {
                match compiled.kind {
                    Kind::Load { input, part } => {
                        let cursor = &self.space.inputs[usize::from(input)];
                        let plain = self.space.widen[usize::from(input)].is_none() && part == 0;
                        // A value that is itself an output must not change when another output is stored over
                        // it.
                        let moves = self.space.aliases_output[usize::from(input)]
                            && phase.kept.contains(&reg);
                        match cursor.direct(index, count) {
                            Some(address) if plain && !moves && slot != u16::MAX => {
                                self.registers[position] = address;
                            }
                            _ => self.load_into(input, part, index, count, out),
                        }
                    }
                    Kind::Index => match self.space.positions {
                        Positions::Along(row) => {
                            let first = (index % row) as i64;
                            let first: *const i64 = &first;
                            (self.space.index)(out, [first.cast(); 3], count);
                        }
                        Positions::Across(rows) => {
                            self.space.splat(out, 8, (index / rows) as u64, count)
                        }
                    },
                    Kind::Step(run) => {
                        let args = self.arguments(compiled.args);
                        self.fault = self.fault.or(power(run(out, args, count)));
                    }
                    Kind::Table(table) => {
                        let [index, ..] = self.arguments(compiled.args);
                        look_up(table, compiled.ty.size(), out, index, count);
                    }
                    Kind::Gather { .. } | Kind::BoundsCheck { .. } => {
                        self.by_position(position, count)
                    }
                    Kind::Fused(number) => {
                        let fused = &self.space.code.fused[usize::from(number)];
                        let mut sources = Sources::new(index);
                        for (source, &reg) in sources.registers.iter_mut().zip(&fused.sources) {
                            *source = self.registers[usize::from(reg)].cast_const();
                        }
                        (fused.run)(out, [(&raw const sources).cast(); 3], count);
                    }
                    Kind::Reduced { reduction, part } => {
                        let cursor = &self.space.reduced[usize::from(reduction)][usize::from(part)];
                        cursor.gather(index, count, out);
                    }
                    Kind::Word { philox, word } => {
                        let known = usize::from(philox);
                        let words = self.extra(known * Self::WORDS);
                        if compiled.args[0] == reg {
                            let sources = self.space.code.philox[known].sources;
                            let sources: [*const u8; 6] =
                                sources.map(|reg| self.registers[usize::from(reg)].cast_const());
                            let sources: *const [*const u8; 6] = &sources;
                            (self.space.philox)(words, [sources.cast(); 3], count);
                        }
                        self.registers[position] = words.add(usize::from(word) * BLOCK * 4);
                    }
                    Kind::Loop(number) => self.run_loop(number, count),
                    Kind::LoopState { number, part } => {
                        let state = self.loop_state(number, part);
                        match slot {
                            // A register that is placed elsewhere is written there.
                            u16::MAX => {
                                out.copy_from_nonoverlapping(state, count * compiled.ty.size());
                            }
                            _ => self.registers[position] = state,
                        }
                    }
                    Kind::Scalar(_) | Kind::Const(_) | Kind::Argument(_) => {
                        unreachable!("computed once")
                    }
                }
            }
        }
    }

    /// Stores a register's values into an output.
    ///
    /// # Safety
    /// No other code uses the elements meanwhile.
    pub(crate) unsafe fn store(
        &self,
        reg: Reg,
        cursor: &StridedCursor,
        narrow: Option<LoopFn>,
        index: usize,
        count: usize,
    ) {
        let value = self.registers[usize::from(reg)].cast_const();
        // SAFETY: the register holds `count` values; the raw slot holds a block.
        unsafe {
            let direct = cursor.direct(index, count);
            match (narrow, direct) {
                (None, Some(address)) if address.cast_const() == value => {}
                (None, Some(address)) => {
                    std::ptr::copy_nonoverlapping(value, address, count * cursor.size());
                }
                (None, None) => cursor.scatter(index, count, value),
                (Some(narrow), Some(address)) => {
                    narrow(address, [value; 3], count);
                }
                (Some(narrow), None) => {
                    let raw = self.slot(self.raw);
                    narrow(raw, [value; 3], count);
                    cursor.scatter(index, count, raw);
                }
            }
        }
    }

    /// Stores an output's values of a block.
    ///
    /// # Safety
    /// No other code uses the elements meanwhile.
    pub(crate) unsafe fn store_output(&self, sink: &Sink, index: usize, count: usize) {
        if let (Some(pair), [(re, cursor), (im, _)]) = (sink.pair, sink.parts.as_slice()) {
            let [re, im] = [re, im].map(|&reg| self.registers[usize::from(reg)].cast_const());
            // SAFETY: the registers hold `count` values; the cursor is over real parts, each followed by its
            // imaginary part.
            unsafe { pair(cursor.at(index), [re, im, std::ptr::null()], count) };
            return;
        }
        for (reg, cursor) in &sink.parts {
            // SAFETY: the caller upholds this.
            unsafe { self.store(*reg, cursor, sink.narrow, index, count) };
        }
    }

    /// Notes the fault of the elements that failed, if any did, for [`Space::outcome`].
    pub(crate) fn finish(self) {
        self.finish_with(Fault::NONE);
    }

    /// [`BlockInterpreter::finish`], where a step outside the program may have failed too.
    pub(crate) fn finish_with(self, fault: Fault) {
        let fault = fault.or(self.fault);
        if fault.is_some() {
            self.space.fault.fetch_max(fault.word(), Ordering::Relaxed);
        }
    }
}

impl Drop for BlockInterpreter<'_> {
    fn drop(&mut self) {
        SPARE.set(self.scratch.take());
    }
}
