//! Maps: a program over every element, in blocks that stay in the cache. Threads share the blocks.

use std::fmt;

use ndany_core::Result;
use ndany_core::backend::Launch;
use ndany_core::program::{Domain, Reg};
use ndany_core::shape::size_of;
use smallvec::SmallVec;

use crate::compiled::{CompiledProgram, cost};
use crate::complex_map::PackedComplex;
use crate::copies::Copied;
use crate::interpreter::{BLOCK, BlockInterpreter, Phase, Positions, Sink, Space};
use crate::loops::Level;
use crate::masked::Masked;
use crate::strided_cursor::StridedCursor;
use crate::threads::Threads;
use crate::tiles;
use crate::trace_strategy;

/// How a map runs.
#[allow(clippy::large_enum_variant)] // One per launch, on the stack.
pub(crate) enum Strategy {
    /// One loop over packed complex numbers.
    Complex(PackedComplex),
    /// A copy without registers.
    Copy(Copied),
    /// Blocks of registers over square tiles of this axis and the last one.
    Tiles { axis: usize },
    /// Blocks of registers, of which those are left out that a mask leaves alone.
    Masked(Masked),
    /// Blocks of registers in the order of the space.
    Blocks,
}

impl Strategy {
    /// The fastest strategy of a launch.
    pub(crate) fn of(launch: &Launch<'_>, level: Level) -> Self {
        if let Some(complex) = PackedComplex::of(launch, level) {
            Strategy::Complex(complex)
        } else if let Some(copy) = Copied::of(launch) {
            Strategy::Copy(copy)
        } else if let Some(axis) = tiles::axis(launch) {
            Strategy::Tiles { axis }
        } else if let Some(masked) = Masked::of(launch) {
            Strategy::Masked(masked)
        } else {
            Strategy::Blocks
        }
    }
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strategy::Complex(complex) => write!(f, "Complex({:?})", complex.op),
            Strategy::Copy(copy) => write!(f, "Copy({:?})", copy.method),
            Strategy::Tiles { axis } => write!(f, "Tiles {{ axis: {axis} }}"),
            Strategy::Masked(_) => f.write_str("Masked"),
            Strategy::Blocks => f.write_str("Blocks"),
        }
    }
}

/// Runs a map.
pub(crate) fn map(launch: &Launch<'_>, level: Level, threads: &Threads) -> Result<()> {
    let strategy = Strategy::of(launch, level);
    trace_strategy("map", &strategy);
    let (axis, masked) = match strategy {
        Strategy::Complex(complex) => return complex.run(threads),
        Strategy::Copy(copy) => return copy.run(launch, threads),
        Strategy::Tiles { axis } => (Some(axis), None),
        Strategy::Masked(masked) => (None, Some(masked)),
        Strategy::Blocks => (None, None),
    };
    let code = CompiledProgram::of_map(&launch.program, level);
    let run =
        |launch: &Launch<'_>| over(launch, &code, masked, &[], Domain::Element, level, threads);
    match axis {
        Some(axis) => tiles::split(launch, axis).iter().try_for_each(run),
        None => run(launch),
    }
}

/// Runs a map, or the part of a program that has one value per row as a map over its rows. `reduced` holds
/// the results of the reductions, one for each element of this launch.
pub(crate) fn over(
    launch: &Launch<'_>,
    code: &CompiledProgram,
    masked: Option<Masked>,
    reduced: &[SmallVec<[StridedCursor; 4]>],
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
    // The registers that are computed directly in an output.
    let mut placed: SmallVec<[(Reg, &StridedCursor); 2]> = SmallVec::new();
    for sink in sinks.iter().filter(|sink| sink.in_place) {
        let (reg, cursor) = &sink.parts[0];
        if regs.contains(reg) && !placed.iter().any(|(other, _)| other == reg) {
            placed.push((*reg, cursor));
        }
    }
    // A store reads the line that it writes, too.
    let cost = cost(&launch.program, &regs, 16, size);
    let vary = wanted.iter().all(|reg| regs.contains(reg));
    let phase =
        Phase::new(code, regs, &wanted, |reg| placed.iter().any(|(other, _)| *other == reg));
    // A block's end interrupts hardware prefetching. A phase that fills no slot needs no blocks.
    let streams = masked.is_none()
        && vary
        && sinks.iter().all(|sink| sink.narrow.is_none())
        && space.streams(&phase);
    threads.split(size, BLOCK, cost, |begin, end| {
        let mut interpreter = BlockInterpreter::new(
            &space,
            phase.slots(),
            code.philox.len() * BlockInterpreter::WORDS,
        )?;
        interpreter.run_uniform(&once, 0, BLOCK.min(end - begin));
        let mut index = begin;
        while index < end {
            let block = if streams { space.packed_from(index).max(BLOCK) } else { BLOCK };
            let mut count = space.cut(index, block.min(end - index));
            if let Some(masked) = masked {
                let after = index + count;
                (index, count) = masked.part(&space.inputs, index, count);
                if count == 0 {
                    index = after;
                    continue;
                }
            }
            for (reg, cursor) in &placed {
                interpreter.registers[usize::from(*reg)] = cursor.at(index);
            }
            interpreter.run(&phase, index, count);
            for sink in &sinks {
                // SAFETY: blocks of different threads are disjoint, and core gives no other code access to an
                // output while its launch runs.
                unsafe { interpreter.store_output(sink, index, count) };
            }
            index += count;
        }
        interpreter.finish();
        Ok(())
    })?;
    space.outcome(launch)
}

/// The registers of all parts of all outputs.
pub(crate) fn registers(sinks: &[Sink]) -> impl Iterator<Item = Reg> {
    sinks.iter().flat_map(|sink| sink.parts.iter().map(|(reg, _)| *reg))
}
