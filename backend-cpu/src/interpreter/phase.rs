//! Registers that are computed together for a block, and the slots that hold them.

use ndany_core::program::Reg;
use smallvec::SmallVec;

use crate::compiled::CompiledProgram;

/// The registers of a phase, with their slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Phase {
    pub(super) regs: SmallVec<[Reg; 16]>,
    pub(super) slots: SmallVec<[u16; 16]>,
    /// Registers that are read after the phase.
    pub(super) kept: SmallVec<[Reg; 4]>,
    /// Number of slots.
    count: usize,
}

impl Phase {
    pub(super) fn steps(&self) -> impl Iterator<Item = (Reg, u16)> {
        self.regs.iter().copied().zip(self.slots.iter().copied())
    }

    /// Assigns slots to registers. Slots of `kept` registers stay assigned until the block is done. Registers
    /// for which `elsewhere` holds are written to an address that the caller sets.
    pub(crate) fn new(
        code: &CompiledProgram,
        regs: SmallVec<[Reg; 16]>,
        kept: &[Reg],
        elsewhere: impl Fn(Reg) -> bool,
    ) -> Self {
        let (slots, count) =
            assign_slots(&regs, |reg| code.args(reg), kept, elsewhere, code.instrs.len());
        Self { regs, slots, kept: SmallVec::from_slice(kept), count }
    }

    pub(crate) fn regs(&self) -> &[Reg] {
        &self.regs
    }

    /// Number of slots.
    pub(crate) fn slots(&self) -> usize {
        self.count
    }
}

/// Assigns slots to registers that are computed in this order, and returns them with their number. A slot is free for
/// others after the last step that reads it; those of `kept` registers stay assigned. Registers for which `elsewhere` holds
/// get none (`u16::MAX`). `known` is the number of all registers of the code.
pub(crate) fn assign_slots<'a>(
    regs: &[Reg],
    args: impl Fn(Reg) -> &'a [Reg],
    kept: &[Reg],
    elsewhere: impl Fn(Reg) -> bool,
    known: usize,
) -> (SmallVec<[u16; 16]>, usize) {
    let mut last_use: SmallVec<[usize; 32]> = SmallVec::from_elem(0, known);
    let mut owned: SmallVec<[u16; 32]> = SmallVec::from_elem(u16::MAX, known);
    for (time, &reg) in regs.iter().enumerate() {
        for &arg in args(reg) {
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
        if !elsewhere(reg) {
            owned[usize::from(reg)] = free.pop().unwrap_or_else(|| {
                count += 1;
                count - 1
            });
        }
        slots.push(owned[usize::from(reg)]);
        // An argument that is given twice is freed once.
        let args = args(reg);
        for (position, &arg) in args.iter().enumerate() {
            let slot = owned[usize::from(arg)];
            let repeated = args[..position].contains(&arg);
            if last_use[usize::from(arg)] == time && slot != u16::MAX && !repeated {
                free.push(slot);
            }
        }
    }
    (slots, usize::from(count))
}
