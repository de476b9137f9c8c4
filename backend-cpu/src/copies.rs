//! Copies of complex numbers that lie anyhow, each moved whole.
//!
//! On registers of their parts a number is two strided reads and two writes. Copies of real numbers are as quick there as
//! here, and stay there.

use ndany_core::Result;
use ndany_core::backend::{Launch, Place};
use ndany_core::program::{Domain, Op};
use ndany_core::shape::size_of;

use crate::gather::stretch;
use crate::memory::address;
use crate::threads::Threads;
use crate::tiles;
use crate::tour::{Operand, Tour, by_size};
use crate::worker::BLOCK;

/// What a map copies, if it is nothing but a copy of complex numbers to another memory.
pub(crate) fn source<'l>(launch: &'l Launch<'_>) -> Option<&'l Place<'l>> {
    let program = launch.program;
    let [output] = program.outputs.as_slice() else { return None };
    let &[re, im] = output.parts.as_slice() else { return None };
    let loads = [re, im].map(|reg| program.instrs[usize::from(reg)].op);
    let [Op::Load { input, part: 0 }, Op::Load { input: other, part: 1 }] = loads else {
        return None;
    };
    let (from, to) = (&launch.inputs[usize::from(input)], launch.outputs.first()?);
    let whole = input == other && from.dtype == to.dtype && program.reductions.is_empty();
    let apart = address(from.memory) != address(to.memory);
    (whole && apart && output.domain == Domain::Element).then_some(from)
}

/// Runs a map of which [`source`] says that it is a copy.
pub(crate) fn copy(launch: &Launch<'_>, threads: &Threads) -> Result<()> {
    let run = |launch: &Launch<'_>| match source(launch) {
        Some(from) => by_size!(from.dtype, T => copy_as::<T>(launch, from, threads)),
        None => unreachable!("a part of a copy is one"),
    };
    match tiles::split(launch) {
        Some(launches) => launches.iter().try_for_each(run),
        None => run(launch),
    }
}

fn copy_as<T: Copy>(launch: &Launch<'_>, from: &Place<'_>, threads: &Threads) -> Result<()> {
    let (from, to) = (Operand::<T>::new(from), Operand::<T>::new(&launch.outputs[0]));
    let tour = Tour::new(&launch.shape, [from.strides(), to.strides()]);
    let size = size_of(&launch.shape);
    threads.split(size, BLOCK, size / 2, |begin, end| {
        let copied = tour.stretches(begin, end, |offsets, length| {
            // SAFETY: core places every element of the space in its memory, stretches of different threads are disjoint,
            // and nobody else uses the output meanwhile.
            unsafe { stretch(&from, &to, &[], offsets, length) }
        });
        match copied {
            Ok(()) => Ok(()),
            Err(_) => unreachable!("there are no positions"),
        }
    })
}
