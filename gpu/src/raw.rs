//! Launches kernels of a user's own text.
//!
//! Extents of the launch and arguments were compared with the device before. What only the compiled kernel tells is
//! compared here: its threads, its shared memory, its parameters, and how many of its blocks run at the same time.

use std::sync::{Arc, PoisonError};

use ndany_core::backend::{
    ContiguousView, KernelAttributes, LaunchLimits, RawArgument, RawArray, RawCode, RawKernels,
    RawKind, RawLaunch, RawParameter, RawText,
};
use ndany_core::{Error, Result};
use smallvec::SmallVec;

use crate::GpuBackend;
use crate::deferred::ErrorWords;
use crate::driver::{DriverError, FunctionAttribute, KernelLaunch};
use crate::graph::Value;
use crate::memory::{GpuMemory, Scratch, memory_of};
use crate::modules::{NOT_FOUND, RawFunction, RawModule};
use crate::operand::{Arguments, first};
use crate::runtime::Runtime;

fn refused(op: &'static str, reason: String) -> Error {
    Error::Launch { op, reason }
}

/// A loaded kernel.
fn find(
    runtime: &Arc<Runtime>,
    code: &Arc<RawCode>,
    kernel: &'static str,
) -> Result<Arc<RawFunction>> {
    let (checked, module) = (runtime.checked(), runtime.raw_module(code)?);
    runtime.with_freed_memory(|| module.function(checked, code, kernel))
}

/// The address of an array's first element.
fn address(array: &RawArray<'_>) -> u64 {
    first(&ContiguousView { memory: array.memory, offset: array.offset }, array.dtype)
}

/// Compares a launch with the compiled kernel.
fn fits(runtime: &Runtime, launch: &RawLaunch<'_>, function: &RawFunction) -> Result<()> {
    let RawLaunch { kernel: op, block, shared, .. } = *launch;
    let limits = &runtime.driver().properties().limits;
    let threads: u32 = block.iter().product();
    if threads > function.max_threads {
        let most = function.max_threads;
        let reason = format!(
            "a block of {threads} threads: expected at most {most}, as registers and bounds of the kernel allow"
        );
        return Err(refused(op, reason));
    }
    if function.shared + shared > limits.shared {
        let reason = format!(
            "{shared} bytes of dynamic shared memory beside {} static ones: expected at most {} in all",
            function.shared, limits.shared
        );
        return Err(refused(op, reason));
    }
    let checked = runtime.checked();
    if function.shared + shared > limits.shared_unasked {
        let mut allowed = function.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        if shared > *allowed {
            // SAFETY: a function of a module that stays loaded.
            checked.call(op, |driver| unsafe {
                driver.allow_shared(function.function, shared as u32)
            })?;
            *allowed = shared;
        }
    }
    if launch.cooperative {
        // SAFETY: as above.
        let blocks = checked
            .call(op, |driver| unsafe { driver.occupancy(function.function, threads, shared) })?;
        let (asked, processors) =
            (launch.grid.iter().map(|&n| u64::from(n)), limits.multiprocessors);
        let (asked, most) = (asked.product::<u64>(), u64::from(blocks) * u64::from(processors));
        if asked > most {
            let reason = format!(
                "a cooperative grid of {asked} blocks: expected at most {most}, {blocks} on each of {processors} \
                 multiprocessors"
            );
            return Err(refused(op, reason));
        }
    }
    Ok(())
}

/// Compares arguments with the parameters that the driver knows of.
fn agree(launch: &RawLaunch<'_>, parameters: &[usize]) -> Result<()> {
    let op = launch.kernel;
    let given = launch.arguments.iter().map(|argument| match argument {
        RawArgument::Bytes(bytes) => bytes.len(),
        RawArgument::Array(_) => 8,
    });
    let given: SmallVec<[usize; 8]> = given.collect();
    if given.len() != parameters.len() {
        let (given, takes) = (given.len(), parameters.len());
        return Err(refused(op, format!("{given} parameters declared: the kernel takes {takes}")));
    }
    for (number, (given, takes)) in given.iter().zip(parameters).enumerate() {
        if given != takes {
            let reason = format!(
                "parameter {number} is declared with {given} bytes: the kernel takes {takes} bytes"
            );
            return Err(refused(op, reason));
        }
    }
    Ok(())
}

/// What the words of a checked kernel say: argument, position, extent, axis.
fn explain(op: &'static str, names: &[&'static str], words: &ErrorWords) -> Error {
    let [number, at, extent, axis] = *words;
    let name = names.get(number as usize - 1).copied().unwrap_or("an array");
    let along = match axis {
        0 => String::new(),
        axis => format!(" along axis {}", axis - 1),
    };
    refused(op, format!("index {} of {name}{along} is out of bounds for {extent}", at as i64))
}

/// The words of a kernel with a body; the memory of its barrier comes along.
fn words(
    runtime: &Arc<Runtime>,
    launch: &RawLaunch<'_>,
    parameters: &[RawParameter],
    error: Option<u64>,
) -> Result<(Arguments, Option<Scratch>)> {
    let mut words = Arguments::default();
    for (argument, parameter) in launch.arguments.iter().zip(parameters) {
        match argument {
            RawArgument::Bytes(bytes) => words.extend(bytes.chunks(8).map(|part| {
                let mut word = [0; 8];
                word[..part.len()].copy_from_slice(part);
                u64::from_ne_bytes(word)
            })),
            RawArgument::Array(array) => {
                let (rank, strided) = match parameter.kind {
                    RawKind::Array { rank, strided, .. } => (rank, strided),
                    RawKind::Scalar(_) | RawKind::Structure { .. } => (0, false),
                };
                words.address(address(array));
                words.push(array.shape.iter().product::<usize>() as u64);
                words.extend(array.shape[..rank].iter().map(|&extent| extent as u64));
                if strided {
                    words.extend(array.strides[..rank].iter().map(|&step| step as i64 as u64));
                }
            }
        }
    }
    let barrier = match launch.cooperative {
        true => {
            let scratch = runtime.scratch(8)?;
            runtime.fill(scratch.address(), 0, 8)?;
            words.address(scratch.address());
            Some(scratch)
        }
        false => None,
    };
    words.places(error);
    if words.as_slice().is_empty() {
        words.push(0);
    }
    Ok((words, barrier))
}

/// What a parameter gets.
fn value<'v>(argument: &'v RawArgument<'_>) -> Value<'v> {
    match argument {
        RawArgument::Bytes(bytes) => Value::Bytes(bytes),
        RawArgument::Array(array) => Value::Address(address(array)),
    }
}

fn run(runtime: &Arc<Runtime>, launch: &RawLaunch<'_>) -> Result<()> {
    let RawLaunch { kernel: op, grid, block, shared, cooperative, .. } = *launch;
    let function = find(runtime, launch.code, op)?;
    fits(runtime, launch, &function)?;
    let body = match &launch.code.text {
        RawText::Body(body) => Some(body),
        RawText::Module(_) | RawText::Binary(_) => None,
    };
    if let (None, Some(parameters)) = (body, &function.parameters) {
        agree(launch, parameters)?;
    }
    let deferred = match body.filter(|body| body.checked) {
        Some(body) => {
            let names: Vec<_> = body.parameters.iter().map(|parameter| parameter.name).collect();
            let failed = launch.origin.keep();
            Some(runtime.deferred(move |words| failed(explain(op, &names, words)))?)
        }
        None => None,
    };
    let error = deferred.as_ref().map(|deferred| deferred.address());
    // One by one: collecting costs more than the rest of this function.
    let (mut reads, mut writes) =
        (SmallVec::<[&GpuMemory; 8]>::new(), SmallVec::<[&GpuMemory; 4]>::new());
    for argument in &launch.arguments {
        let RawArgument::Array(array) = argument else { continue };
        reads.push(memory_of(array.memory));
        if array.writes {
            writes.push(memory_of(array.memory));
        }
    }
    let call = KernelLaunch {
        function: function.function,
        grid,
        block,
        shared: shared as u32,
        cooperative,
        stream: runtime.stream(),
    };
    runtime.checked().suspect(op, launch.origin.location);
    if let Some(body) = body {
        let (words, _barrier) = words(runtime, launch, &body.parameters, error)?;
        runtime.begin(&reads, &writes, &[], deferred.as_ref())?;
        // SAFETY: the caller of the launch vouches for the text; the words are what the engine wrote around it asks for,
        // about memory that the caller holds and that is given back in the order of the stream.
        return unsafe { runtime.raw_launch(op, &call, &words) };
    }
    let values: SmallVec<[Value<'_>; 8]> = launch.arguments.iter().map(value).collect();
    runtime.begin(&reads, &writes, &[], None)?;
    // SAFETY: the caller of the launch vouches for the kernel and its parameters, which were compared where the driver
    // knows them; each place has a value of its size.
    unsafe { runtime.raw_launch_with(op, &call, &values) }
}

impl RawKernels for GpuBackend {
    fn limits(&self) -> &LaunchLimits {
        &self.runtime().driver().properties().limits
    }

    fn attributes(
        &self,
        code: &Arc<RawCode>,
        kernel: &'static str,
        block: u32,
        shared: usize,
    ) -> Result<KernelAttributes> {
        let runtime = self.runtime();
        let function = find(runtime, code, kernel)?;
        let checked = runtime.checked();
        let attribute = |attribute| {
            // SAFETY: a function of a module that stays loaded.
            checked.call(kernel, |driver| unsafe {
                driver.function_attribute(function.function, attribute)
            })
        };
        // SAFETY: as above.
        let blocks = checked
            .call(kernel, |driver| unsafe { driver.occupancy(function.function, block, shared) })?;
        Ok(KernelAttributes {
            max_threads_per_block: function.max_threads,
            registers: attribute(FunctionAttribute::Registers)?,
            shared_bytes: function.shared,
            constant_bytes: attribute(FunctionAttribute::ConstantBytes)? as usize,
            local_bytes: attribute(FunctionAttribute::LocalBytes)? as usize,
            blocks_per_multiprocessor: blocks,
            multiprocessors: self.limits().multiprocessors,
        })
    }

    fn launch(&self, launch: &RawLaunch<'_>) -> Result<()> {
        run(self.runtime(), launch).map_err(|error| match error {
            // The call that made them says where it is.
            refused @ (Error::Launch { .. } | Error::Arguments { .. }) => refused,
            failed => launch.origin.failed(failed),
        })
    }

    fn global_bytes(&self, code: &Arc<RawCode>, name: &str) -> Result<usize> {
        Ok(global(self.runtime(), code, name)?.1)
    }

    fn write_global(&self, code: &Arc<RawCode>, name: &str, bytes: &[u8]) -> Result<()> {
        let runtime = self.runtime();
        let (address, size) = global(runtime, code, name)?;
        debug_assert_eq!(size, bytes.len());
        runtime.write_address(address, bytes)
    }

    fn read_global(&self, code: &Arc<RawCode>, name: &str, bytes: &mut [u8]) -> Result<()> {
        let runtime = self.runtime();
        let (address, size) = global(runtime, code, name)?;
        debug_assert_eq!(size, bytes.len());
        runtime.read_address(address, bytes)
    }
}

/// Address and bytes of a variable of a module.
fn global(runtime: &Arc<Runtime>, code: &Arc<RawCode>, name: &str) -> Result<(u64, usize)> {
    let module: Arc<RawModule> = runtime.raw_module(code)?;
    // SAFETY: the module stays loaded.
    let found =
        runtime.checked().attempt("global", |driver| unsafe { driver.global(module.module, name) });
    found.map_err(|error| match error {
        DriverError::Call { code: NOT_FOUND, .. } => Error::Arguments {
            op: code.name.to_string(),
            reason: format!("the module has no variable {name}"),
        },
        other => runtime.checked().error("global", other),
    })
}

#[cfg(test)]
mod tests;
