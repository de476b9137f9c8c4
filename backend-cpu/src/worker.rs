//! One thread's way through a program: registers as blocks of values in slots of a scratch buffer.

mod phase;
mod sink;
mod space;

use ndany_core::program::{Domain, Reg};
use ndany_core::{Error, Result};
use smallvec::SmallVec;
use std::cell::Cell;

use crate::code::Kind;
use crate::lanes::MAX_PARTS;
use crate::loops::{LoopFn, Sources};
use crate::memory::Scratch;
use crate::walk::{Lie, Walk, bits, splat};

pub(crate) use phase::Phase;
pub(crate) use sink::Sink;
pub(crate) use space::{Positions, Space};

/// Values of a block: a multiple of the lanes, and a divisor of a chunk, of the canonical plan.
pub(crate) const BLOCK: usize = 1024;
/// Bytes of a slot: a block of the widest values.
const SLOT: usize = BLOCK * 8;

thread_local! {
    /// The scratch buffer of this thread's last worker.
    static SPARE: Cell<Option<(Scratch, usize)>> = const { Cell::new(None) };
}

/// Registers of one thread. Addresses in `registers` are valid from when the register has been computed
/// (or placed) until its slot is reused.
pub(crate) struct Worker<'s> {
    space: &'s Space<'s>,
    pub(crate) registers: SmallVec<[*mut u8; 16]>,
    /// The scratch buffer and its bytes; it goes back to the thread with the worker.
    scratch: Option<(Scratch, usize)>,
    base: *mut u8,
    /// First slot of the registers computed once a row.
    row_slots: usize,
    /// Slot for elements on their way to or from 16 bits.
    raw: usize,
    /// First byte of what was asked for besides slots.
    extra: usize,
    /// Where `once` finds the results of reductions.
    pub(crate) reduced: SmallVec<[[*mut u8; MAX_PARTS]; 2]>,
    fault: bool,
}

impl<'s> Worker<'s> {
    /// A worker with slots for a phase, for every register of the row, and `extra` more bytes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn new(
        space: &'s Space<'s>,
        phase_slots: usize,
        extra_bytes: usize,
    ) -> Result<Self> {
        let count = space.code.instrs.len();
        let rows = space.code.domains.iter().filter(|&&domain| domain == Domain::Row).count();
        let extra = phase_slots + rows + 1;
        let bytes = extra * SLOT + extra_bytes;
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
            reduced: SmallVec::new(),
            fault: false,
        })
    }

    /// Bytes that the four random words of a block's elements take of what is asked for as extra, from its start on.
    pub(crate) const WORDS: usize = 4 * BLOCK * 4;

    pub(crate) fn slot(&self, slot: usize) -> *mut u8 {
        // SAFETY: the scratch buffer holds every slot.
        unsafe { self.base.add(slot * SLOT) }
    }

    /// Address of `offset` bytes into what was asked for as extra.
    pub(crate) fn extra(&self, offset: usize) -> *mut u8 {
        // SAFETY: callers stay within the extra bytes they asked for.
        unsafe { self.base.add(self.extra + offset) }
    }

    /// Computes the row's registers `regs` for the row of element `index`, as blocks of `count` equal
    /// values.
    pub(crate) fn once(&mut self, regs: &[Reg], index: usize, count: usize) {
        for &reg in regs {
            let position = usize::from(reg);
            let ready = &self.space.code.instrs[position];
            let size = ready.ty.size();
            let out = self.row_slot(position);
            self.registers[position] = out;
            // SAFETY: slots hold BLOCK values of any size and `count` is at most that; arguments are
            // registers computed before; loads stay in their walk.
            unsafe {
                match ready.kind {
                    Kind::Scalar(scalar) => {
                        splat(out, size, self.space.scalars[usize::from(scalar)], count)
                    }
                    Kind::Const(value) => splat(out, size, value, count),
                    Kind::Load { input, part } => {
                        self.load_into(input, part, index, 1, out);
                        splat(out, size, bits(out, size), count);
                    }
                    Kind::Reduced { reduction, part } => {
                        let state = self.reduced[usize::from(reduction)][usize::from(part)];
                        splat(out, size, bits(state, size), count);
                    }
                    Kind::Step(run) => {
                        let args = self.arguments(ready.args);
                        self.fault |= run(out, args, 1);
                        splat(out, size, bits(out, size), count);
                    }
                    Kind::Index | Kind::Argument(_) | Kind::Word { .. } | Kind::Fused(_) => {
                        unreachable!("varies along the row")
                    }
                }
            }
        }
    }

    /// Computes the row's registers `regs` for `count` rows side by side, whose first elements lie from
    /// `index` on. Constants have been computed once.
    pub(crate) fn each(&mut self, regs: &[Reg], index: usize, count: usize) {
        for &reg in regs {
            let position = usize::from(reg);
            let ready = &self.space.code.instrs[position];
            let out = self.row_slot(position);
            self.registers[position] = out;
            // SAFETY: as in `once`; the states of reductions are as many as rows.
            unsafe {
                match ready.kind {
                    Kind::Load { input, part } => self.load_into(input, part, index, count, out),
                    Kind::Reduced { reduction, part } => {
                        self.registers[position] =
                            self.reduced[usize::from(reduction)][usize::from(part)];
                    }
                    Kind::Step(run) => {
                        let args = self.arguments(ready.args);
                        self.fault |= run(out, args, count);
                    }
                    Kind::Scalar(_) | Kind::Const(_) => unreachable!("computed once"),
                    Kind::Index | Kind::Argument(_) | Kind::Word { .. } | Kind::Fused(_) => {
                        unreachable!("varies along the row")
                    }
                }
            }
        }
    }

    /// Each register of the row has the slot of its rank among them.
    fn row_slot(&self, position: usize) -> *mut u8 {
        let domains = &self.space.code.domains[..position];
        let rank = domains.iter().filter(|&&domain| domain == Domain::Row).count();
        self.slot(self.row_slots + rank)
    }

    fn arguments(&self, args: [Reg; 3]) -> [*const u8; 3] {
        args.map(|arg| self.registers[usize::from(arg)].cast_const())
    }

    /// Reads elements of an input as registers.
    ///
    /// # Safety
    /// `out` is good for `count` values, at most BLOCK.
    unsafe fn load_into(&self, input: u16, part: u8, index: usize, count: usize, out: *mut u8) {
        let walk = &self.space.inputs[usize::from(input)];
        if walk.lie == Lie::Halves {
            let pairs = walk.at(index).cast_const();
            // SAFETY: the walk is over real parts, each with its imaginary one behind it; nobody writes them
            // while this launch reads.
            unsafe {
                self.space.parts[usize::from(input)][usize::from(part)](out, [pairs; 3], count)
            };
            return;
        }
        let imaginary = (part == 1).then(|| walk.next_part());
        let walk = imaginary.as_ref().unwrap_or(walk);
        // SAFETY: the raw slot holds a block; the walk's elements are not written while this launch reads.
        unsafe {
            match self.space.widen[usize::from(input)] {
                None => walk.gather(index, count, out),
                Some(widen) => {
                    let raw = walk.direct(index, count).unwrap_or_else(|| {
                        let raw = self.slot(self.raw);
                        walk.gather(index, count, raw);
                        raw
                    });
                    widen(out, [raw.cast_const(); 3], count);
                }
            }
        }
    }

    /// Says that a phase will be run for `count` elements from `index` on.
    pub(crate) fn announce(&self, index: usize, count: usize) {
        self.space.inputs.iter().for_each(|walk| walk.prefetch(index, count));
    }

    /// Runs a phase for `count` elements from `index` on. Registers placed elsewhere must have their
    /// address already.
    pub(crate) fn run(&mut self, phase: &Phase, index: usize, count: usize) {
        for (&reg, &slot) in phase.regs.iter().zip(&phase.slots) {
            let position = usize::from(reg);
            let ready = &self.space.code.instrs[position];
            if slot != u16::MAX {
                self.registers[position] = self.slot(usize::from(slot));
            }
            let out = self.registers[position];
            // SAFETY: slots hold BLOCK values of any size and `count` is at most that; a register placed
            // elsewhere has room by its caller's promise; arguments were computed before this step.
            unsafe {
                match ready.kind {
                    Kind::Load { input, part } => {
                        let walk = &self.space.inputs[usize::from(input)];
                        let plain = self.space.widen[usize::from(input)].is_none() && part == 0;
                        // A value that is itself an output must not change when another output is
                        // stored over it.
                        let moves =
                            self.space.lent[usize::from(input)] && phase.kept.contains(&reg);
                        match walk.direct(index, count) {
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
                        Positions::Across(rows) => splat(out, 8, (index / rows) as u64, count),
                    },
                    Kind::Step(run) => {
                        let args = self.arguments(ready.args);
                        self.fault |= run(out, args, count);
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
                        let walk = &self.space.reduced[usize::from(reduction)][usize::from(part)];
                        walk.gather(index, count, out);
                    }
                    Kind::Word { philox, word } => {
                        let known = usize::from(philox);
                        let words = self.extra(known * Self::WORDS);
                        if ready.args[0] == reg {
                            let sources = self.space.code.philox[known].sources;
                            let sources: [*const u8; 6] =
                                sources.map(|reg| self.registers[usize::from(reg)].cast_const());
                            let sources: *const [*const u8; 6] = &sources;
                            (self.space.philox)(words, [sources.cast(); 3], count);
                        }
                        self.registers[position] = words.add(usize::from(word) * BLOCK * 4);
                    }
                    Kind::Scalar(_) | Kind::Const(_) | Kind::Argument(_) => {
                        unreachable!("computed once")
                    }
                }
            }
        }
    }

    /// Puts values of a register where an output wants them.
    ///
    /// # Safety
    /// Nobody else uses the elements meanwhile.
    pub(crate) unsafe fn store(
        &self,
        reg: Reg,
        walk: &Walk,
        narrow: Option<LoopFn>,
        index: usize,
        count: usize,
    ) {
        let value = self.registers[usize::from(reg)].cast_const();
        // SAFETY: the register holds `count` values; the raw slot holds a block.
        unsafe {
            let direct = walk.direct(index, count);
            match (narrow, direct) {
                (None, Some(address)) if address.cast_const() == value => {}
                (None, Some(address)) => {
                    std::ptr::copy_nonoverlapping(value, address, count * walk.size());
                }
                (None, None) => walk.scatter(index, count, value),
                (Some(narrow), Some(address)) => {
                    narrow(address, [value; 3], count);
                }
                (Some(narrow), None) => {
                    let raw = self.slot(self.raw);
                    narrow(raw, [value; 3], count);
                    walk.scatter(index, count, raw);
                }
            }
        }
    }

    /// Puts what an output wants of a block where it belongs.
    ///
    /// # Safety
    /// Nobody else uses the elements meanwhile.
    pub(crate) unsafe fn put(&self, sink: &Sink, index: usize, count: usize) {
        if let (Some(pair), [(re, walk), (im, _)]) = (sink.pair, sink.parts.as_slice()) {
            let [re, im] = [re, im].map(|&reg| self.registers[usize::from(reg)].cast_const());
            // SAFETY: the registers hold `count` values; the walk is over real parts, each with its imaginary one
            // behind it.
            unsafe { pair(walk.at(index), [re, im, std::ptr::null()], count) };
            return;
        }
        for (reg, walk) in &sink.parts {
            // SAFETY: the caller's promise.
            unsafe { self.store(*reg, walk, sink.narrow, index, count) };
        }
    }

    /// The error of the elements that had no answer, if there were any.
    pub(crate) fn finish(self) -> Result<()> {
        self.finish_with(false)
    }

    /// [`Worker::finish`], where a step besides the program's may have had no answer either.
    pub(crate) fn finish_with(self, fault: bool) -> Result<()> {
        let fault = fault | self.fault;
        if fault { Err(Error::NegativePower) } else { Ok(()) }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        SPARE.set(self.scratch.take());
    }
}
