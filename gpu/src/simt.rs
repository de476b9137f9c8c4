//! Launches kernels of threads and blocks.
//!
//! An access out of bounds writes the error word of the launch, so the error is one of the arrays that the kernel writes. A launch
//! whose accesses are known to be inside has no such word.

use std::sync::Arc;

use ndany_core::backend::{Checked, LaunchLimits, SimtArgument, SimtKernels, SimtLaunch};
use ndany_core::program::Fault;
use ndany_core::shape::Shape;
use ndany_core::simt::ParameterKind;
use ndany_core::{Error, Result, dry_run};
use ndany_kernels::simt::{STATIC_SHARED, SimtKernel};
use smallvec::SmallVec;

use crate::GpuBackend;
use crate::backlog::PutOff;
use crate::checked::CheckedDriver;
use crate::deferred::{DeferredError, DeferredErrors};
use crate::driver::KernelLaunch;
use crate::memory::{GpuMemory, memory_of};
use crate::modules::Lookup;
use crate::operand::{Arguments, WIDE};
use crate::runtime::Runtime;

/// The error word of a launch whose accesses may be out of bounds.
fn error_word(runtime: &Runtime, launch: &SimtLaunch<'_>) -> Result<DeferredError> {
    let failed = launch.origin.keep();
    let code = launch.kernel.clone();
    let shapes = launch.arguments.iter().map(|argument| match argument {
        SimtArgument::Array { shape, .. } => shape.clone(),
        SimtArgument::Scalar(_) | SimtArgument::Complex(_) => Shape::new(),
    });
    let shapes: SmallVec<[Shape; 4]> = shapes.collect();
    runtime.deferred(move |words| {
        let fault = Fault::of_word(words[0]).of_position().unwrap_or_default();
        let (number, axis, position) = fault;
        let extent = |argument: usize, axis: usize| {
            shapes.get(argument).and_then(|shape| shape.get(axis)).copied().unwrap_or(0)
        };
        failed(code.out_of_bounds(number, axis, position, extent))
    })
}

pub(crate) fn run(runtime: &Arc<Runtime>, launch: &SimtLaunch<'_>) -> Result<()> {
    let properties = runtime.driver().properties();
    launch.fits(&properties.limits, properties.capabilities.warp_size as usize)?;
    let op = launch.kernel.name();
    let mut words = Arguments::default();
    let (mut reads, mut writes) =
        (SmallVec::<[&GpuMemory; 8]>::new(), SmallVec::<[&GpuMemory; 4]>::new());
    let mut wide = false;
    for (argument, parameter) in launch.arguments.iter().zip(launch.kernel.parameters()) {
        match (argument, parameter.kind) {
            (
                SimtArgument::Array { memory, offset, shape },
                ParameterKind::Array { dtype, writes: written, .. },
            ) => {
                let memory = memory_of(*memory);
                words.address(memory.address() + (offset * dtype.size()) as u64);
                words.extend(shape.iter().map(|&extent| extent as u64));
                wide |= shape.iter().any(|&extent| extent >= WIDE);
                reads.push(memory);
                if written {
                    writes.push(memory);
                }
            }
            (SimtArgument::Scalar(bits), _) => words.push(*bits),
            (SimtArgument::Complex(bits), _) => words.extend(*bits),
            (SimtArgument::Array { .. }, ParameterKind::Scalar(_)) => {
                unreachable!("a launch was checked")
            }
        }
    }
    let kernel = SimtKernel { kernel: launch.kernel.clone(), block: launch.block, wide };
    if dry_run::is_active() {
        runtime.ask_for(&kernel);
        return Ok(());
    }
    let deferred = match launch.stays_inside(properties.capabilities.warp_size) {
        true => None,
        false => Some(error_word(runtime, launch)?),
    };
    // A kernel whose accesses are all inside does not touch the word.
    words.address(deferred.as_ref().map_or(0, DeferredError::address));
    let shared = launch.kernel.shared_bytes();
    let dynamic = if shared > STATIC_SHARED { shared } else { 0 };
    // The driver is asked for dynamic shared memory before the launch.
    let ahead = dynamic == 0 && runtime.may_put_off();
    let found = runtime.find(&kernel, ahead)?;
    let checked = runtime.checked();
    let (grid, block, stream) = (launch.grid, launch.block, runtime.stream());
    let call = move |function| {
        let (shared, cooperative) = (dynamic as u32, false);
        KernelLaunch { function, grid, block, shared, cooperative, stream }
    };
    let location = launch.origin.location;
    match found {
        Lookup::Ready(function) if !(ahead && checked.is_behind()) => {
            if dynamic > 0 {
                runtime.allow_shared(op, function, dynamic as u32)?;
            }
            checked.suspect(op, location);
            runtime.begin(&reads, &writes, &[], deferred.as_ref())?;
            // SAFETY: the kernel stays within the arrays and shared memory that it checks, whose memory the caller holds and which
            // is given back in the order of the stream; the words are what its text asks for.
            unsafe { runtime.raw_launch(op, &call(function), &words) }
        }
        found => {
            runtime.begin(&reads, &writes, &[], deferred.as_ref())?;
            let outcome = Arc::new(runtime.outcome());
            for memory in &writes {
                DeferredErrors::carry(&mut memory.deferred(), outcome.token());
            }
            // SAFETY: as above; calls that give memory back, or to another stream, come after this one.
            let later = unsafe { runtime.launch_later(op, found, call, words.as_slice()) };
            let failed = launch.origin.keep();
            let submit = move |checked: &CheckedDriver| {
                checked.suspect(op, location);
                later(checked).map_err(failed)
            };
            runtime.put_off(PutOff { submit: Box::new(submit), outcome });
            Ok(())
        }
    }
}

impl SimtKernels for GpuBackend {
    fn limits(&self) -> &LaunchLimits {
        &self.runtime().driver().properties().limits
    }

    fn launch(&self, launch: Checked<&SimtLaunch<'_>>) -> Result<()> {
        run(self.runtime(), &launch).map_err(|error| match error {
            // The call that made them says where it is.
            refused @ (Error::Launch { .. } | Error::Arguments { .. }) => refused,
            failed => launch.origin.failed(failed),
        })
    }
}
