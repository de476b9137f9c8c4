//! Maps: a program over every element, in blocks that stay in the cache. Threads share the blocks.

use std::fmt;

use ndany_core::Result;
use ndany_core::backend::Launch;
use ndany_core::program::{Domain, Program, Reg};
use ndany_core::shape::size_of;
use smallvec::SmallVec;

use crate::compiled::{CompiledProgram, bytes_per_element, cost_of};
use crate::complex_map::PackedComplex;
use crate::copies::Copied;
use crate::interpreter::{BLOCK, BlockInterpreter, Phase, Positions, Sink, Space};
use crate::loops::Level;
use crate::masked::Masked;
use crate::program_cache;
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
    let run = |launch: &Launch<'_>| over(launch, masked, &[], Domain::Element, level, threads);
    match axis {
        Some(axis) => tiles::split(launch, axis).iter().try_for_each(run),
        None => run(launch),
    }
}

/// A program compiled for the outputs of one domain, and where its registers are.
#[derive(Debug)]
pub(crate) struct MapCode {
    code: CompiledProgram,
    /// Registers that are computed once.
    once: SmallVec<[Reg; 16]>,
    /// Registers that are computed for each block.
    phase: Phase,
    /// Registers that are computed in the memory of an output, and the number of this output.
    placed: SmallVec<[(Reg, u16); 2]>,
    /// Whether each output's registers are computed for each block.
    vary: bool,
    /// The cost of an element.
    bytes: usize,
}

/// Bytes that storing an element costs: a store reads the line that it writes, too.
const STORE: usize = 16;

impl MapCode {
    /// The code of the outputs of `domain`; those of one value per row are a map over rows. `in_place` has a bit for each output
    /// whose memory may hold its register.
    pub(crate) fn new(program: &Program, domain: Domain, in_place: u64, level: Level) -> Self {
        let code = match domain {
            Domain::Element => CompiledProgram::of_map(program, level),
            Domain::Row => program_cache::compiled(program, level).over_rows(program),
        };
        let outputs = || (0..).zip(&program.outputs).filter(|(_, output)| output.domain == domain);
        let parts = outputs().flat_map(|(_, output)| {
            output.parts.into_iter().take(if output.dtype.is_complex() { 2 } else { 1 })
        });
        let wanted: SmallVec<[Reg; 4]> = parts.collect();
        let once = code.closure(wanted.iter().copied(), Domain::Row, |_| false);
        let regs = code.closure(wanted.iter().copied(), Domain::Element, |_| false);
        let mut placed: SmallVec<[(Reg, u16); 2]> = SmallVec::new();
        for (number, output) in outputs().filter(|&(number, _)| bit(number) & in_place != 0) {
            let reg = output.parts[0];
            if regs.contains(&reg) && !placed.iter().any(|&(other, _)| other == reg) {
                placed.push((reg, number));
            }
        }
        let vary = wanted.iter().all(|reg| regs.contains(reg));
        let bytes = bytes_per_element(program, &regs) + STORE;
        let elsewhere = |reg| placed.iter().any(|&(other, _)| other == reg);
        let phase = Phase::new(&code, regs, &wanted, elsewhere);
        Self { code, once, phase, placed, vary, bytes }
    }
}

/// The bit of an output; those beyond 64 have none.
fn bit(output: u16) -> u64 {
    1u64.checked_shl(u32::from(output)).unwrap_or(0)
}

/// Runs a map, or the part of a program that has one value per row as a map over its rows. `reduced` holds
/// the results of the reductions, one for each element of this launch.
pub(crate) fn over(
    launch: &Launch<'_>,
    masked: Option<Masked>,
    reduced: &[SmallVec<[StridedCursor; 4]>],
    domain: Domain,
    level: Level,
    threads: &Threads,
) -> Result<()> {
    let axes: SmallVec<[usize; 8]> = (0..launch.shape.len()).collect();
    let size = size_of(&launch.shape);
    let sinks = Sink::all(launch, &axes, domain, level);
    let in_place = sinks.iter().filter(|sink| sink.in_place);
    let in_place = in_place.fold(0, |bits, sink| bits | bit(sink.output));
    let map_code = program_cache::map_code(&launch.program, domain, in_place, level);
    let MapCode { code, once, phase, placed, vary, bytes } = map_code.as_ref();
    let space =
        Space::new(launch, code, &launch.scalars, &axes, level, Positions::Along(size), reduced);
    // The registers that are computed directly in an output.
    let placed: SmallVec<[(Reg, &StridedCursor); 2]> = placed
        .iter()
        .filter_map(|&(reg, output)| {
            let sink = sinks.iter().find(|sink| sink.output == output)?;
            Some((reg, &sink.parts[0].1))
        })
        .collect();
    // A block's end interrupts hardware prefetching. A phase that fills no slot needs no blocks.
    let streams = masked.is_none()
        && *vary
        && sinks.iter().all(|sink| sink.narrow.is_none())
        && space.streams(phase);
    threads.split(size, BLOCK, cost_of(*bytes, size), |begin, end| {
        let mut interpreter = BlockInterpreter::new(
            &space,
            phase.slots(),
            code.philox.len() * BlockInterpreter::WORDS,
        )?;
        interpreter.run_uniform(once, 0, BLOCK.min(end - begin));
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
            interpreter.run(phase, index, count);
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
