//! Kernels of threads and blocks in lockstep: all threads of a block take a step together.
//!
//! A register is a block of values, one a thread, and a step is the loop that maps run for it (`loops`). Branches are masks: both
//! sides run, each for its own threads, and a side without threads is left out. Steps run for all threads, since every
//! primitive is total; what stores, and what may be out of bounds, looks at the mask. A barrier is nothing: no thread is
//! ahead. Blocks run on all cores.
//!
//! - `compile`: a kernel as nodes, with a slot for each register
//! - `access`: elements of arrays and shared memory
//! - `run`: nodes for the threads of a block

mod access;
mod compile;
mod run;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use ndany_core::Result;
use ndany_core::backend::{Checked, LaunchLimits, SimtArgument, SimtKernels, SimtLaunch};
use ndany_core::program::Fault;
use ndany_core::simt::{Kernel, ParameterKind};
use smallvec::SmallVec;

use crate::Cpu;
use crate::loops::Level;
use crate::memory::address;
use compile::Compiled;
use run::{Array, Launched};

/// Lanes of a warp.
const LANES: usize = 32;

/// Compiled kernels.
#[derive(Debug, Default)]
pub(crate) struct Kernels(RwLock<HashMap<Arc<Kernel>, Arc<Compiled>>>);

impl Kernels {
    fn get(&self, kernel: &Arc<Kernel>, level: Level) -> Arc<Compiled> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(kernel).cloned();
        known.unwrap_or_else(|| {
            let compiled = Arc::new(Compiled::new(kernel, level));
            let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
            known.entry(kernel.clone()).or_insert(compiled).clone()
        })
    }
}

impl SimtKernels for Cpu {
    fn limits(&self) -> &LaunchLimits {
        &LaunchLimits::HOST
    }

    fn launch(&self, launch: Checked<&SimtLaunch<'_>>) -> Result<()> {
        let (kernel, threads) = (launch.kernel, launch.threads());
        launch.fits(self.limits(), LANES)?;
        let compiled = self.simt.get(kernel, self.level);
        let mut scalars: SmallVec<[[u64; 2]; 8]> = SmallVec::new();
        let mut arrays: SmallVec<[Array; 8]> = SmallVec::new();
        for (argument, parameter) in launch.arguments.iter().zip(kernel.parameters()) {
            let (bits, array) = match (argument, parameter.kind) {
                (
                    SimtArgument::Array { memory, offset, shape },
                    ParameterKind::Array { dtype, .. },
                ) => {
                    let start = address(*memory).wrapping_add(offset * dtype.size());
                    let mut extents = [1; 3];
                    extents[..shape.len()].copy_from_slice(shape);
                    ([0; 2], Array { start, extents })
                }
                (SimtArgument::Scalar(bits), _) => ([*bits, 0], Array::NONE),
                (SimtArgument::Complex(bits), _) => (*bits, Array::NONE),
                (SimtArgument::Array { .. }, ParameterKind::Scalar(_)) => {
                    unreachable!("a launch was checked")
                }
            };
            scalars.push(bits);
            arrays.push(array);
        }
        let fault = AtomicU64::new(0);
        let launched = Launched {
            code: &compiled,
            grid: launch.grid,
            block: launch.block,
            threads,
            scalars: &scalars,
            arrays: &arrays,
            fault: &fault,
        };
        let blocks = launch.blocks() as usize;
        let cost = blocks.saturating_mul(threads).saturating_mul(compiled.cost);
        self.threads.split(blocks, 1, cost, |begin, end| {
            let mut state = launched.state()?;
            // SAFETY: the launch was checked: elements below the extents lie in the memory of their array, which the caller
            // holds, and no other argument has the memory of an array that is written.
            (begin..end).for_each(|number| unsafe { state.run(number) });
            Ok(())
        })?;
        match Fault::of_word(fault.load(Ordering::Relaxed)).of_position() {
            Some((number, axis, position)) => {
                let extent = |argument, axis| launch.extent(argument, axis);
                Err(kernel.out_of_bounds(number, axis, position, extent))
            }
            None => Ok(()),
        }
    }
}
