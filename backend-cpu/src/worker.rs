//! One thread's way through a program: registers as blocks of values in slots of a scratch buffer.

use ndany_core::backend::Launch;
use ndany_core::plan::CHUNK;
use ndany_core::program::{Domain, Reg};
use ndany_core::{Error, Result};
use smallvec::SmallVec;
use std::cell::Cell;

use crate::code::{Code, Kind, Ready};
use crate::lanes::MAX_PARTS;
use crate::loops::{Level, LoopFn, Loops, Sources};
use crate::memory::{Scratch, address};
use crate::walk::{Lie, Walk, bits, splat};

/// Values of a block: a multiple of the lanes, and a divisor of a chunk, of the canonical plan.
pub(crate) const BLOCK: usize = 1024;
/// Bytes of a slot: a block of the widest values.
const SLOT: usize = BLOCK * 8;

/// Where the position in the row comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Positions {
    /// The flat index modulo the row.
    Along(usize),
    /// The flat index divided by the number of rows: the space has the row's axes first.
    Across(usize),
}

/// What the workers of one launch share.
#[derive(Debug)]
pub(crate) struct Space<'a> {
    pub(crate) code: &'a Code,
    pub(crate) scalars: &'a [u64],
    /// For each input its (real) part along the space.
    inputs: SmallVec<[Walk; 4]>,
    /// Inputs that lie in the memory of an output.
    lent: SmallVec<[bool; 4]>,
    /// Conversion of the 16-bit inputs.
    widen: SmallVec<[Option<LoopFn>; 4]>,
    /// Parts of packed complex inputs.
    parts: SmallVec<[[LoopFn; 2]; 4]>,
    /// Positions in a row.
    index: LoopFn,
    /// Random words.
    philox: LoopFn,
    /// For each reduction the states of every row, packed, where they are known.
    pub(crate) reduced: &'a [SmallVec<[Walk; 4]>],
    pub(crate) positions: Positions,
}

impl<'a> Space<'a> {
    /// The space of a launch with its axes in the order given.
    pub(crate) fn new(
        launch: &Launch<'_>,
        code: &'a Code,
        scalars: &'a [u64],
        axes: &[usize],
        level: Level,
        positions: Positions,
        reduced: &'a [SmallVec<[Walk; 4]>],
    ) -> Self {
        let shape: SmallVec<[usize; 8]> = axes.iter().map(|&axis| launch.shape[axis]).collect();
        let inputs = launch
            .inputs
            .iter()
            .map(|place| {
                let mut place = place.clone();
                place.strides = axes.iter().map(|&axis| place.strides[axis]).collect();
                Walk::new(&place, &shape, 0)
            })
            .collect();
        let widen = launch.inputs.iter().map(|place| level.widen(place.dtype)).collect();
        let parts =
            launch.inputs.iter().map(|place| level.part(place.dtype.part().size())).collect();
        let lent = launch
            .inputs
            .iter()
            .map(|input| {
                let mut outputs = launch.outputs.iter();
                outputs.any(|output| address(output.memory) == address(input.memory))
            })
            .collect();
        let (index, philox) = (level.index(), level.philox());
        Self { code, scalars, inputs, lent, widen, parts, index, philox, reduced, positions }
    }

    /// Does a phase nothing but read places in memory and write to those that registers were given? Then it takes
    /// as many elements as [`Space::packed_from`] says; else [`BLOCK`] at most.
    pub(crate) fn streams(&self, phase: &Phase) -> bool {
        phase.regs.iter().zip(&phase.slots).all(|(&reg, &slot)| {
            let ready = &self.code.instrs[usize::from(reg)];
            match ready.kind {
                Kind::Load { input, part: 0 } => {
                    let input = usize::from(input);
                    self.widen[input].is_none() && !self.lent[input]
                }
                // Of what is computed once there is no more than a block.
                Kind::Step(_) => slot == u16::MAX && (ready.single || self.varies(ready.args())),
                _ => false,
            }
        })
    }

    fn varies(&self, regs: &[Reg]) -> bool {
        regs.iter().all(|&reg| self.code.domains[usize::from(reg)] == Domain::Element)
    }

    /// How many elements from `index` on lie packed in every input.
    pub(crate) fn packed_from(&self, index: usize) -> usize {
        self.inputs.iter().map(|walk| walk.packed_from(index)).min().unwrap_or(0)
    }

    /// Where the input lies that a register holds, if that is packed.
    pub(crate) fn packed(&self, reg: Reg) -> Option<&Walk> {
        match self.code.instrs[usize::from(reg)].kind {
            Kind::Load { input, part: 0 } => {
                Some(&self.inputs[usize::from(input)]).filter(|walk| walk.lie == Lie::Packed)
            }
            _ => None,
        }
    }

    /// How many of `count` elements from `index` on make a good block.
    pub(crate) fn cut(&self, index: usize, count: usize) -> usize {
        self.inputs.iter().fold(count, |count, walk| walk.cut(index, count))
    }

    /// Does a phase do nothing but name places in memory, for any stretch of a row that has `row` elements?
    pub(crate) fn is_direct(&self, phase: &Phase, row: usize) -> bool {
        phase.steps().all(|(reg, slot)| self.names(reg, slot, row))
    }

    /// The longest stretches of a row of `row` elements that a phase takes where it reads no register from before it: what
    /// only names places in memory takes any, and slots hold more of what is small.
    pub(crate) fn stretch(&self, phase: &Phase, row: usize) -> usize {
        let longest = |(reg, slot)| match self.code.instrs[usize::from(reg)] {
            _ if self.names(reg, slot, row) => CHUNK,
            Ready { kind: Kind::Step(_), ty, .. } => CHUNK.min(SLOT / ty.size()),
            _ => BLOCK,
        };
        phase.steps().map(longest).min().unwrap_or(BLOCK)
    }

    /// Is a register just a name of a place in memory?
    fn names(&self, reg: Reg, slot: u16, row: usize) -> bool {
        let Kind::Load { input, part: 0 } = self.code.instrs[usize::from(reg)].kind else {
            return false;
        };
        let input = usize::from(input);
        let named = self.widen[input].is_none() && !self.lent[input];
        named && slot != u16::MAX && self.inputs[input].holds_rows(row)
    }
}

/// Registers to run for a block, with the slots they use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Phase {
    regs: SmallVec<[Reg; 16]>,
    slots: SmallVec<[u16; 16]>,
    /// Registers that are read after the phase.
    kept: SmallVec<[Reg; 4]>,
    /// Slots it needs.
    count: usize,
}

impl Phase {
    fn steps(&self) -> impl Iterator<Item = (Reg, u16)> {
        self.regs.iter().copied().zip(self.slots.iter().copied())
    }

    /// Gives slots to registers; those of `kept` stay until the block is done. Registers for which
    /// `elsewhere` holds are written to an address of the caller's choice.
    pub(crate) fn new(
        code: &Code,
        regs: SmallVec<[Reg; 16]>,
        kept: &[Reg],
        elsewhere: impl Fn(Reg) -> bool,
    ) -> Self {
        let mut last_use: SmallVec<[usize; 32]> = SmallVec::from_elem(0, code.instrs.len());
        for (time, &reg) in regs.iter().enumerate() {
            for &arg in code.args(reg) {
                last_use[usize::from(arg)] = time;
            }
        }
        for &reg in kept {
            last_use[usize::from(reg)] = usize::MAX;
        }
        let mut free: SmallVec<[u16; 8]> = SmallVec::new();
        let mut slots: SmallVec<[u16; 16]> = SmallVec::new();
        let mut count = 0;
        for (time, &reg) in regs.iter().enumerate() {
            if elsewhere(reg) {
                slots.push(u16::MAX);
            } else {
                slots.push(free.pop().unwrap_or_else(|| {
                    count += 1;
                    count - 1
                }));
            }
            // After this step the slots of arguments that nobody needs any more are free. An argument
            // given twice is freed once.
            let args = code.args(reg);
            for (position, &arg) in args.iter().enumerate() {
                let repeated = args[..position].contains(&arg);
                let Some(owner) = regs.iter().position(|&owner| owner == arg) else { continue };
                if last_use[usize::from(arg)] == time && !repeated && slots[owner] != u16::MAX {
                    free.push(slots[owner]);
                }
            }
        }
        Self { regs, slots, kept: SmallVec::from_slice(kept), count: usize::from(count) }
    }

    pub(crate) fn regs(&self) -> &[Reg] {
        &self.regs
    }

    /// Slots it needs.
    pub(crate) fn slots(&self) -> usize {
        self.count
    }
}

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
    pub(crate) fn new(space: &'s Space<'s>, phase_slots: usize, extra_bytes: usize) -> Self {
        let count = space.code.instrs.len();
        let rows = space.code.domains.iter().filter(|&&domain| domain == Domain::Row).count();
        let extra = phase_slots + rows + 1;
        let bytes = extra * SLOT + extra_bytes;
        let scratch = match SPARE.take() {
            Some((scratch, capacity)) if capacity >= bytes => (scratch, capacity),
            _ => (Scratch::new(bytes), bytes),
        };
        let registers = SmallVec::from_elem(std::ptr::null_mut(), count);
        Self {
            space,
            registers,
            base: scratch.0.address(),
            scratch: Some(scratch),
            row_slots: phase_slots,
            raw: phase_slots + rows,
            extra: extra * SLOT,
            reduced: SmallVec::new(),
            fault: false,
        }
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

/// An output of a launch along a space.
#[derive(Debug)]
pub(crate) struct Sink {
    /// Registers and where they go: one part, or two of a complex number (or of two outputs, one between the other).
    pub(crate) parts: SmallVec<[(Reg, Walk); 2]>,
    pub(crate) narrow: Option<LoopFn>,
    /// Stores both parts at once, where they are packed.
    pair: Option<LoopFn>,
    /// Can values be computed where they belong: packed, as they are, and in no input's memory?
    pub(crate) in_place: bool,
}

impl Sink {
    /// Is this the output of one part whose elements lie between those of the one that is here?
    fn takes(&self, parts: &[(Reg, Walk)], narrow: Option<LoopFn>) -> bool {
        match (self.parts.as_slice(), parts) {
            ([(_, here)], [(_, next)]) => {
                self.narrow.is_none() && narrow.is_none() && here.alternates(next)
            }
            _ => false,
        }
    }

    /// The outputs of a launch of this domain, with their axes in the order given.
    pub(crate) fn all(
        launch: &Launch<'_>,
        axes: &[usize],
        domain: Domain,
        level: Level,
    ) -> SmallVec<[Sink; 2]> {
        let shape: SmallVec<[usize; 8]> = axes.iter().map(|&axis| launch.shape[axis]).collect();
        let mut sinks: SmallVec<[Sink; 2]> = SmallVec::new();
        for (output, place) in launch.program.outputs.iter().zip(&launch.outputs) {
            if output.domain != domain {
                continue;
            }
            let apart =
                launch.inputs.iter().all(|input| address(input.memory) != address(place.memory));
            let narrow = level.narrow(place.dtype);
            let mut place = place.clone();
            place.strides = axes.iter().map(|&axis| place.strides[axis]).collect();
            let count = if place.dtype.is_complex() { 2 } else { 1 };
            let parts: SmallVec<[(Reg, Walk); 2]> = (0..count)
                .map(|part| (output.parts[part], Walk::new(&place, &shape, part)))
                .collect();
            let in_place = apart && narrow.is_none() && count == 1 && parts[0].1.lie == Lie::Packed;
            let pair = || level.pair(place.dtype.part().size());
            match sinks.last_mut() {
                // What random draws write: every second element of one memory, and those between.
                Some(before) if before.takes(&parts, narrow) => {
                    before.pair = Some(pair());
                    before.parts.extend(parts);
                }
                _ => {
                    let pair = (count == 2 && parts[0].1.lie == Lie::Halves).then(pair);
                    sinks.push(Sink { parts, narrow, pair, in_place });
                }
            }
        }
        sinks
    }
}
