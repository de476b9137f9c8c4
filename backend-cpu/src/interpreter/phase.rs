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
            // After this step, slots of arguments without a later use are free. An argument given twice is
            // freed once.
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

    /// Number of slots.
    pub(crate) fn slots(&self) -> usize {
        self.count
    }
}
