//! The outputs of a launch.

use ndany_core::backend::Launch;
use ndany_core::program::{Domain, Reg};
use smallvec::SmallVec;

use crate::loops::{Level, LoopFn, Loops};
use crate::memory::address;
use crate::strided_cursor::{Contiguity, StridedCursor};

/// An output of a launch along a space.
#[derive(Debug)]
pub(crate) struct Sink {
    /// Registers and their destinations: one part, or two of a complex number (or of two interleaved
    /// outputs).
    pub(crate) parts: SmallVec<[(Reg, StridedCursor); 2]>,
    pub(crate) narrow: Option<LoopFn>,
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
            let parts: SmallVec<[(Reg, StridedCursor); 2]> = (0..count)
                .map(|part| (output.parts[part], StridedCursor::new(&place, &shape, part)))
                .collect();
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
                    sinks.push(Sink { parts, narrow, pair, in_place });
                }
            }
        }
        sinks
    }
}
