//! What a group keeps of a row between two passes over it, so that the row is read and its expensive parts computed
//! once.
//!
//! Between two stages of reductions, and in front of what is written, the values that later passes start from are
//! known: they stay in shared memory, each thread accesses its own elements only.

use std::collections::BTreeMap;

use ndany_core::program::{Domain, Op, Reg, RegType};

use crate::text::{Code, type_of};

/// Bytes of shared memory that a block may use for it, so that several blocks fit a multiprocessor.
const MOST_BYTES: usize = 36 << 10;

/// Shared memory for one value per element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    number: usize,
    ty: RegType,
}

impl Slot {
    /// Its name in the text.
    pub(crate) fn name(self) -> String {
        format!("kept{}", self.number)
    }
}

/// The kept values that each pass reads, and those that it stores.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowCache {
    slots: Vec<Slot>,
    /// For each pass, the last being that which writes: registers that are there already.
    pub(crate) found: Vec<BTreeMap<Reg, Slot>>,
    /// For each stage: registers to put away.
    pub(crate) left: Vec<Vec<(Reg, Slot)>>,
}

impl RowCache {
    /// No value is kept: passes read and compute again.
    pub(crate) fn nothing(stages: u32) -> Self {
        let stages = stages as usize;
        Self {
            slots: Vec::new(),
            found: vec![BTreeMap::new(); stages + 1],
            left: vec![Vec::new(); stages],
        }
    }

    /// What to keep of rows of up to `capacity` elements; nothing if it does not fit.
    pub(crate) fn plan(code: &Code, capacity: usize) -> Self {
        let stages = code.stage_count();
        let outputs = code.program.outputs.iter().filter(|output| output.domain == Domain::Element);
        let written: Vec<Reg> = outputs.flat_map(|output| output.parts).collect();
        let lifted = |stage: u32| code.state_fields(stage).into_iter().map(|field| field.lifted);
        let mut roots: Vec<Vec<Reg>> = (0..stages).map(|stage| lifted(stage).collect()).collect();
        roots.push(written);
        let mut keep = Self { slots: Vec::new(), found: vec![BTreeMap::new()], left: Vec::new() };
        let mut here: BTreeMap<Reg, Slot> = BTreeMap::new();
        for stage in 0..stages as usize {
            let computed = needed_registers(code, &roots[stage], |reg| here.contains_key(&reg)).0;
            let later: Vec<Reg> = roots[stage + 1..].concat();
            let known = |reg: Reg| computed[usize::from(reg)] || here.contains_key(&reg);
            let wanted = needed_registers(code, &later, known).1;
            let mut next: BTreeMap<Reg, Slot> = here.clone();
            next.retain(|reg, _| wanted.contains(reg));
            let mut left = Vec::new();
            for &reg in wanted.iter().filter(|reg| !here.contains_key(reg)) {
                let ty = code.program.instrs[usize::from(reg)].ty;
                let free = |slot: &&Slot| slot.ty == ty && !next.values().any(|used| used == *slot);
                let slot = keep
                    .slots
                    .iter()
                    .find(free)
                    .copied()
                    .unwrap_or(Slot { number: keep.slots.len(), ty });
                if slot.number == keep.slots.len() {
                    keep.slots.push(slot);
                }
                next.insert(reg, slot);
                left.push((reg, slot));
            }
            here = next;
            keep.left.push(left);
            keep.found.push(here.clone());
        }
        let bytes: usize = keep.slots.iter().map(|slot| slot.ty.size()).sum();
        if bytes * capacity > MOST_BYTES { Self::nothing(stages) } else { keep }
    }

    /// Declarations of the slots.
    pub(crate) fn declare(&self, capacity: usize) -> String {
        let slots = self.slots.iter();
        slots
            .map(|slot| format!("SHARED {} {}[{capacity}];\n", type_of(slot.ty), slot.name()))
            .collect()
    }
}

/// Walks back from registers over what has one value per element, up to what is known: what has to be computed, and
/// where that search ended. Positions are never worth keeping, and a loop has no value to keep: the registers of its state
/// have.
fn needed_registers(
    code: &Code,
    roots: &[Reg],
    known: impl Fn(Reg) -> bool,
) -> (Vec<bool>, Vec<Reg>) {
    let instrs = &code.program.instrs;
    let mut needed = vec![false; instrs.len()];
    roots.iter().for_each(|&reg| needed[usize::from(reg)] = true);
    let (mut computed, mut ends) = (vec![false; instrs.len()], Vec::new());
    for position in (0..instrs.len()).rev() {
        let kept = !matches!(instrs[position].op, Op::Index | Op::Loop(_));
        if !needed[position] || code.domains[position] == Domain::Row {
            continue;
        }
        if kept && known(position as Reg) {
            ends.push(position as Reg);
            continue;
        }
        computed[position] = true;
        let args = code.program.args(position as Reg);
        args.iter().for_each(|&arg| needed[usize::from(arg)] = true);
    }
    (computed, ends)
}
