//! Kernels of threads and blocks, where a device runs them.

use std::sync::Arc;

use smallvec::SmallVec;

use super::checked::{Check, Checked, Refusal};
use super::raw::LaunchLimits;
use super::{ContiguousView, Memory, Origin};
use crate::dtype::DType;
use crate::error::Result;
use crate::shape::Shape;
use crate::simt::{Kernel, Known, ParameterKind};

/// A launch of a kernel.
#[derive(Clone, Debug)]
pub struct SimtLaunch<'a> {
    /// The kernel.
    pub kernel: &'a Arc<Kernel>,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// One for each of the kernel's parameters.
    pub arguments: SmallVec<[SimtArgument<'a>; 8]>,
    /// What errors say of it.
    pub origin: Origin<'a>,
}

/// An argument of a launch.
#[derive(Clone, Debug)]
pub enum SimtArgument<'a> {
    /// Register bits of a number that is not complex.
    Scalar(u64),
    /// Register bits of both parts of a complex number.
    Complex([u64; 2]),
    /// An array in C order. If the kernel writes it, no other argument has its memory.
    Array {
        /// The memory.
        memory: &'a dyn Memory,
        /// First element.
        offset: usize,
        /// Extents.
        shape: Shape,
    },
}

impl SimtLaunch<'_> {
    /// Maximum number of threads of a block on any device.
    pub const MAX_THREADS: u32 = 1024;

    /// Returns an error unless a device with these limits has the shared memory, and blocks are of whole warps of `lanes` lanes
    /// if lanes exchange values.
    pub fn fits(&self, limits: &LaunchLimits, lanes: usize) -> Result<()> {
        let refusal = Refusal(self.kernel.name());
        let (shared, threads) = (self.kernel.shared_bytes(), self.threads());
        refusal.unless(shared <= limits.shared, || {
            format!("{shared} bytes of shared memory: expected at most {}", limits.shared)
        })?;
        refusal.unless(!self.kernel.exchanges() || threads.is_multiple_of(lanes), || {
            format!("a block of {threads} threads, whose lanes exchange values: expected a multiple of {lanes}")
        })
    }

    /// Whether no access can be out of bounds on a device with this number of lanes: an analysis of ranges says so, from the
    /// blocks, the extents and the integers of the launch.
    pub fn stays_inside(&self, lanes: u32) -> bool {
        let mut known = Known { grid: self.grid, block: self.block, lanes, ..Known::default() };
        for (argument, parameter) in self.arguments.iter().zip(self.kernel.parameters()) {
            match (argument, parameter.kind) {
                (SimtArgument::Array { shape, .. }, _) => {
                    known.extents.extend(shape.iter().map(|&extent| extent as u64));
                }
                (SimtArgument::Complex(_), _) => known.numbers.push(0),
                // Floats are no positions; one word keeps the order.
                (SimtArgument::Scalar(bits), ParameterKind::Scalar(dtype)) => {
                    known.numbers.push(if dtype.is_float() { 0 } else { *bits });
                }
                (SimtArgument::Scalar(_), ParameterKind::Array { .. }) => {}
            }
        }
        known.numbers.truncate(if self.kernel.takes_integers() { usize::MAX } else { 0 });
        self.kernel.stays_inside(known)
    }

    /// Threads of a block.
    pub fn threads(&self) -> usize {
        self.block.iter().map(|&extent| extent as usize).product()
    }

    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&extent| u64::from(extent)).product()
    }

    /// Extent of an axis of the array that is this argument.
    pub fn extent(&self, argument: usize, axis: usize) -> usize {
        match self.arguments.get(argument) {
            Some(SimtArgument::Array { shape, .. }) => shape.get(axis).copied().unwrap_or(0),
            _ => 0,
        }
    }
}

impl Check for SimtLaunch<'_> {
    fn check(&self) -> Result<()> {
        let refusal = Refusal(self.kernel.name());
        let parameters = self.kernel.parameters();
        refusal.unless(parameters.len() == self.arguments.len(), || {
            format!("{} arguments: expected {}", self.arguments.len(), parameters.len())
        })?;
        let threads = self.block.iter().map(|&extent| u64::from(extent)).product::<u64>();
        let most = u64::from(Self::MAX_THREADS);
        refusal.unless((1..=most).contains(&threads), || {
            format!("a block of {:?} threads: expected 1 to {most}", self.block)
        })?;
        for (&blocks, &threads) in self.grid.iter().zip(&self.block) {
            let along = u64::from(blocks) * u64::from(threads);
            refusal.unless(along > 0 && along < 1 << 32, || {
                format!("{along} threads along an axis: expected 1 to 4294967295")
            })?;
        }
        let mut memories: SmallVec<[(*const (), bool); 8]> = SmallVec::new();
        for (parameter, argument) in parameters.iter().zip(&self.arguments) {
            let name = parameter.name;
            match (parameter.kind, argument) {
                (ParameterKind::Scalar(dtype), SimtArgument::Complex(_)) if dtype.is_complex() => {}
                (ParameterKind::Scalar(dtype), SimtArgument::Scalar(bits))
                    if !dtype.is_complex() =>
                {
                    refusal.unless(dtype != DType::Bool || *bits < 2, || {
                        format!("{name}: expected a boolean")
                    })?;
                }
                (
                    ParameterKind::Array { dtype, rank, writes },
                    SimtArgument::Array { memory, offset, shape },
                ) => {
                    refusal.unless(shape.len() == usize::from(rank), || {
                        format!("{name} has {} axes: expected {rank}", shape.len())
                    })?;
                    let elements =
                        shape.iter().try_fold(1usize, |size, &extent| size.checked_mul(extent));
                    let view = ContiguousView { memory: *memory, offset: *offset };
                    let fits = elements.is_some_and(|elements| view.holds(1, elements, dtype));
                    refusal.unless(fits, || format!("{name} lies outside its memory"))?;
                    // Elements of bounds beyond 47 bits have no word as a fault.
                    refusal.unless(elements.is_some_and(|elements| elements < 1 << 47), || {
                        format!("{name} has too many elements")
                    })?;
                    let place = std::ptr::from_ref(memory.of_device()).cast::<()>();
                    let shared = memories
                        .iter()
                        .any(|&(other, written)| std::ptr::eq(other, place) && (writes || written));
                    refusal.unless(!shared, || {
                        format!("{name} is written, and is another argument, too")
                    })?;
                    memories.push((place, writes));
                }
                _ => return Err(refusal.because(format!("{name} is another kind of argument"))),
            }
        }
        Ok(())
    }
}

/// A device that runs kernels of threads and blocks.
pub trait SimtKernels {
    /// What launches may have; known since the device was opened.
    fn limits(&self) -> &LaunchLimits;

    /// Runs a kernel on the thread's stream. An access out of bounds is an error of the arrays that it writes, as soon as
    /// the device knows it.
    fn launch(&self, launch: Checked<&SimtLaunch<'_>>) -> Result<()>;
}
