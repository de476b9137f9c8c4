//! What the workers of one launch share: the program, and where its inputs lie along the space.

use ndany_core::backend::Launch;
use ndany_core::plan::CHUNK;
use ndany_core::program::{Domain, Reg};
use smallvec::SmallVec;

use super::{BLOCK, Phase, SLOT};
use crate::code::{Code, Kind, Ready};
use crate::loops::{Level, LoopFn, Loops};
use crate::memory::address;
use crate::walk::{Lie, Walk};

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
    pub(super) inputs: SmallVec<[Walk; 4]>,
    /// Inputs that lie in the memory of an output.
    pub(super) lent: SmallVec<[bool; 4]>,
    /// Conversion of the 16-bit inputs.
    pub(super) widen: SmallVec<[Option<LoopFn>; 4]>,
    /// Parts of packed complex inputs.
    pub(super) parts: SmallVec<[[LoopFn; 2]; 4]>,
    /// Positions in a row.
    pub(super) index: LoopFn,
    /// Random words.
    pub(super) philox: LoopFn,
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
