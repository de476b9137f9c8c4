//! Maps: a program over every element, in blocks that stay in the cache, threads over the blocks.

use ndany_core::Result;
use ndany_core::backend::Launch;
use ndany_core::program::{Domain, Reg};
use ndany_core::shape::size_of;
use smallvec::SmallVec;

use crate::code::{Code, effort};
use crate::complex::Pairs;
use crate::copies;
use crate::loops::Level;
use crate::threads::Threads;
use crate::tiles;
use crate::walk::Walk;
use crate::worker::{BLOCK, Phase, Positions, Sink, Space, Worker};

/// Runs a map.
pub(crate) fn map(launch: &Launch<'_>, level: Level, threads: &Threads) -> Result<()> {
    if let Some(pairs) = Pairs::of(launch, level) {
        return pairs.run(threads);
    }
    if copies::copied(launch, threads)? {
        return Ok(());
    }
    let code = Code::of_map(launch.program, level);
    let run = |launch: &Launch<'_>| over(launch, &code, &[], Domain::Element, level, threads);
    match tiles::split(launch) {
        Some(launches) => launches.iter().try_for_each(run),
        None => run(launch),
    }
}

/// Runs a map, or the part of a program that has one value a row over its rows: `reduced` holds the
/// results of the reductions, one for each element of this launch.
pub(crate) fn over(
    launch: &Launch<'_>,
    code: &Code,
    reduced: &[SmallVec<[Walk; 4]>],
    domain: Domain,
    level: Level,
    threads: &Threads,
) -> Result<()> {
    let axes: SmallVec<[usize; 8]> = (0..launch.shape.len()).collect();
    let size = size_of(&launch.shape);
    let space =
        Space::new(launch, code, &launch.scalars, &axes, level, Positions::Along(size), reduced);
    let sinks = Sink::all(launch, &axes, domain, level);
    let wanted: SmallVec<[Reg; 4]> = registers(&sinks).collect();
    let once = code.closure(wanted.iter().copied(), Domain::Row, |_| false);
    let regs = code.closure(wanted.iter().copied(), Domain::Element, |_| false);
    // The register of each output that is computed where it belongs.
    let mut placed: SmallVec<[(Reg, &Walk); 2]> = SmallVec::new();
    for sink in sinks.iter().filter(|sink| sink.in_place) {
        let (reg, walk) = &sink.parts[0];
        if regs.contains(reg) && !placed.iter().any(|(other, _)| other == reg) {
            placed.push((*reg, walk));
        }
    }
    let effort = effort(launch.program, &regs, 8, size);
    let vary = wanted.iter().all(|reg| regs.contains(reg));
    let phase =
        Phase::new(code, regs, &wanted, |reg| placed.iter().any(|(other, _)| *other == reg));
    // The ends of blocks keep a core from reading ahead: where no register is filled there need be none.
    let streams = vary && sinks.iter().all(|sink| sink.narrow.is_none()) && space.streams(&phase);
    threads.split(size, BLOCK, effort, |begin, end| {
        let mut worker = Worker::new(&space, phase.slots(), code.philox.len() * Worker::WORDS)?;
        worker.once(&once, 0, BLOCK.min(end - begin));
        let mut index = begin;
        while index < end {
            let block = if streams { space.packed_from(index).max(BLOCK) } else { BLOCK };
            let count = space.cut(index, block.min(end - index));
            for (reg, walk) in &placed {
                worker.registers[usize::from(*reg)] = walk.at(index);
            }
            worker.run(&phase, index, count);
            for sink in &sinks {
                // SAFETY: blocks of different workers are disjoint, and core lets nobody else use an
                // output while its launch runs.
                unsafe { worker.put(sink, index, count) };
            }
            index += count;
        }
        worker.finish()
    })
}

/// The registers of all parts of all outputs.
pub(crate) fn registers(sinks: &[Sink]) -> impl Iterator<Item = Reg> {
    sinks.iter().flat_map(|sink| sink.parts.iter().map(|(reg, _)| *reg))
}
