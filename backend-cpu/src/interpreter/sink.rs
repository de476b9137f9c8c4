//! The outputs of a launch.

use ndany_core::backend::Launch;
use ndany_core::program::{Domain, Reg};
use smallvec::SmallVec;

use crate::loops::{Level, LoopFn, Loops};
use crate::memory::address;
use crate::strided_cursor::{Contiguity, StridedCursor, permuted};

/// An output of a launch along a space.
#[derive(Debug)]
pub(crate) struct Sink {
    /// Registers and their destinations: one part, or two of a complex number (or of two interleaved
    /// outputs).
    pub(crate) parts: SmallVec<[(Reg, StridedCursor); 2]>,
    pub(crate) narrow: Option<LoopFn>,
    /// The number of the (first) output.
    pub(crate) output: u16,
    /// Stores both parts at once, if they are packed.
    pub(super) pair: Option<LoopFn>,
    /// Whether registers can be computed directly in the output: it is packed, needs no conversion, and
    /// shares no input's memory.
    pub(crate) in_place: bool,
}

impl Sink {
    /// Whether an output of these parts interleaves with this one.
    fn takes(&self, parts: &[(Reg, StridedCursor)], narrow: Option<LoopFn>) -> bool {
        match (self.parts.as_slice(), parts) {
            ([(_, here)], [(_, next)]) => {
                self.narrow.is_none() && narrow.is_none() && here.interleaves_with(next)
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
        let shape = permuted(&launch.shape, axes);
        let mut sinks: SmallVec<[Sink; 2]> = SmallVec::new();
        for (number, (output, place)) in
            (0..).zip(launch.program.outputs.iter().zip(&launch.outputs))
        {
            if output.domain != domain {
                continue;
            }
            let apart =
                launch.inputs.iter().all(|input| address(input.memory) != address(place.memory));
            let narrow = level.narrow(place.dtype);
            let count = if place.dtype.is_complex() { 2 } else { 1 };
            let mut parts: SmallVec<[(Reg, StridedCursor); 2]> = SmallVec::new();
            for part in 0..count {
                parts.push((output.parts[part], StridedCursor::along(place, axes, &shape, part)));
            }
            let in_place = apart
                && narrow.is_none()
                && count == 1
                && parts[0].1.contiguity == Contiguity::Packed;
            let pair = || level.interleave(place.dtype.part().size());
            match sinks.last_mut() {
                // Outputs of random draws: the even and the odd elements of one memory.
                Some(before) if before.takes(&parts, narrow) => {
                    before.pair = Some(pair());
                    before.parts.extend(parts);
                }
                _ => {
                    let pair =
                        (count == 2 && parts[0].1.contiguity == Contiguity::Interleaved).then(pair);
                    sinks.push(Sink { parts, narrow, output: number, pair, in_place });
                }
            }
        }
        sinks
    }
}
