//! The data that the interpreters of one launch share: the program, and the layout of its inputs along the
//! space.

use std::sync::atomic::{AtomicU64, Ordering};

use ndany_core::Result;
use ndany_core::backend::Launch;
use ndany_core::plan::CHUNK;
use ndany_core::program::{Domain, Fault, Reg};
use smallvec::SmallVec;

use super::{BLOCK, Phase, SLOT};
use crate::compiled::{CompiledInstr, CompiledProgram, Kind};
use crate::gathered::GatheredInput;
use crate::loops::{Level, LoopFn, Loops};
use crate::memory::address;
use crate::strided_cursor::{Contiguity, StridedCursor, permuted};

/// The source of the position in the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Positions {
    /// The flat index modulo the row length.
    Along(usize),
    /// The flat index divided by the number of rows: the space has the row's axes first.
    Across(usize),
}

/// The data that the interpreters of one launch share.
#[derive(Debug)]
pub(crate) struct Space<'a> {
    pub(crate) code: &'a CompiledProgram,
    pub(crate) scalars: &'a [u64],
    /// The (real) part of each input along the space.
    pub(crate) inputs: SmallVec<[StridedCursor; 4]>,
    /// Inputs that share the memory of an output.
    pub(super) aliases_output: SmallVec<[bool; 4]>,
    /// Conversion of the 16-bit inputs.
    pub(super) widen: SmallVec<[Option<LoopFn>; 4]>,
    /// Deinterleaves packed complex inputs.
    pub(super) parts: SmallVec<[[LoopFn; 2]; 4]>,
    /// Computes positions in a row.
    pub(super) index: LoopFn,
    /// Computes random words.
    pub(super) philox: LoopFn,
    /// Repeats a value of 1, 2, 4 or 8 bytes.
    fill: [LoopFn; 4],
    /// The states of every row for each completed reduction, packed.
    pub(crate) reduced: &'a [SmallVec<[StridedCursor; 4]>],
    pub(crate) positions: Positions,
    /// The inputs of a program that reads some of them by position.
    pub(super) gathered: SmallVec<[GatheredInput; 2]>,
    /// The word of the fault that counts among those noted.
    pub(super) fault: AtomicU64,
}

impl<'a> Space<'a> {
    /// The space of a launch with its axes in the order given.
    pub(crate) fn new(
        launch: &Launch<'_>,
        code: &'a CompiledProgram,
        scalars: &'a [u64],
        axes: &[usize],
        level: Level,
        positions: Positions,
        reduced: &'a [SmallVec<[StridedCursor; 4]>],
    ) -> Self {
        let shape = permuted(&launch.shape, axes);
        let (mut inputs, mut aliases_output) = (SmallVec::new(), SmallVec::new());
        let (mut widen, mut parts) = (SmallVec::new(), SmallVec::new());
        for input in &launch.inputs {
            inputs.push(StridedCursor::along(input, axes, &shape, 0));
            let memory = address(input.memory);
            aliases_output
                .push(launch.outputs.iter().any(|output| address(output.memory) == memory));
            widen.push(level.widen(input.dtype));
            parts.push(level.deinterleave(input.dtype.part().size()));
        }
        let gathered = match launch.program.gathers() {
            true => launch.inputs.iter().map(GatheredInput::new).collect(),
            false => SmallVec::new(),
        };
        let (index, philox) = (level.iota(), level.philox());
        let fill = [1, 2, 4, 8].map(|size| level.fill(size));
        Self {
            code,
            scalars,
            inputs,
            aliases_output,
            widen,
            parts,
            index,
            philox,
            fill,
            reduced,
            positions,
            gathered,
            fault: AtomicU64::new(Fault::NONE.word()),
        }
    }

    /// Fills `count` values of `size` bytes with one value's bits.
    ///
    /// # Safety
    /// As [`splat`](crate::strided_cursor::splat).
    pub(super) unsafe fn splat(&self, out: *mut u8, size: usize, bits: u64, count: usize) {
        let fill = self.fill[size.trailing_zeros().min(3) as usize];
        // The first bytes of the word in memory are the value.
        let word = bits.to_le();
        let word: *const u64 = &word;
        // SAFETY: the caller upholds this; the word has at least `size` bytes.
        unsafe { fill(out, [word.cast(); 3], count) };
    }

    /// The error of elements of this launch that had no result, once all interpreters have finished.
    pub(crate) fn outcome(&self, launch: &Launch<'_>) -> Result<()> {
        let fault = Fault::of_word(self.fault.load(Ordering::Relaxed));
        fault.outcome(&launch.program, &launch.scalars)
    }

    /// Whether a phase only reads operands in place and writes to registers that are placed in outputs. Such
    /// a phase takes as many elements as [`Space::packed_from`] says, any other at most [`BLOCK`].
    pub(crate) fn streams(&self, phase: &Phase) -> bool {
        phase.regs.iter().zip(&phase.slots).all(|(&reg, &slot)| {
            let compiled = &self.code.instrs[usize::from(reg)];
            match compiled.kind {
                Kind::Load { input, part: 0 } => {
                    let input = usize::from(input);
                    self.widen[input].is_none() && !self.aliases_output[input]
                }
                // Registers computed once hold a block at most.
                Kind::Step(_) => {
                    slot == u16::MAX && (compiled.single || self.varies(compiled.args()))
                }
                _ => false,
            }
        })
    }

    fn varies(&self, regs: &[Reg]) -> bool {
        regs.iter().all(|&reg| self.code.domains[usize::from(reg)] == Domain::Element)
    }

    /// The number of elements from `index` on that are contiguous in every input.
    pub(crate) fn packed_from(&self, index: usize) -> usize {
        self.inputs.iter().map(|cursor| cursor.packed_from(index)).min().unwrap_or(0)
    }

    /// The input that a register loads, if it is packed.
    pub(crate) fn packed(&self, reg: Reg) -> Option<&StridedCursor> {
        match self.code.instrs[usize::from(reg)].kind {
            Kind::Load { input, part: 0 } => Some(&self.inputs[usize::from(input)])
                .filter(|cursor| cursor.contiguity == Contiguity::Packed),
            _ => None,
        }
    }

    /// The best length of a block of at most `count` elements from `index` on.
    pub(crate) fn cut(&self, index: usize, count: usize) -> usize {
        self.inputs.iter().fold(count, |count, cursor| cursor.cut(index, count))
    }

    /// Whether a phase only takes addresses of operands, for any part of a row of `row` elements.
    pub(crate) fn is_direct(&self, phase: &Phase, row: usize) -> bool {
        phase.steps().all(|(reg, slot)| self.is_alias(reg, slot, row))
    }

    /// Maximum run, of up to `most` elements, within a row of `row` elements that a phase can process, if it reads no register from
    /// before it: addresses of operands allow any run, and slots hold more values of small types.
    pub(crate) fn stretch(&self, phase: &Phase, row: usize, most: usize) -> usize {
        let longest = |(reg, slot)| match self.code.instrs[usize::from(reg)] {
            _ if self.is_alias(reg, slot, row) => most,
            CompiledInstr { kind: Kind::Step(_), ty, .. } => CHUNK.min(SLOT / ty.size()),
            _ => BLOCK,
        };
        phase.steps().map(longest).min().unwrap_or(BLOCK)
    }

    /// Whether a register is an address inside an operand.
    fn is_alias(&self, reg: Reg, slot: u16, row: usize) -> bool {
        let Kind::Load { input, part: 0 } = self.code.instrs[usize::from(reg)].kind else {
            return false;
        };
        let input = usize::from(input);
        let named = self.widen[input].is_none() && !self.aliases_output[input];
        named && slot != u16::MAX && self.inputs[input].is_packed_per_row(row)
    }
}
