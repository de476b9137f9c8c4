//! A launch under way: its memories are in order, its error word (if it may fail) is there, and its kernels run one
//! after the other.

use std::cell::OnceCell;
use std::sync::Arc;

use ndany_core::backend::{Launch, Memory, Origin, StridedView};
use ndany_core::program::{Combine, Fault, Program};
use ndany_core::shape::Strides;
use ndany_core::{DType, Error, Result};
use smallvec::SmallVec;

use crate::deferred::{DeferredError, DeferredErrors, Outcome};
use crate::driver::Address;
use crate::memory::{GpuMemory, Scratch, memory_of};
use crate::operand::{Arguments, Operand};
use crate::runtime::{Launched, Runtime};

/// Maximum number of blocks, which kernels count in 31 bits; more would not fit a device's memory.
const MOST_BLOCKS: usize = (1 << 31) - 1;

/// A launch under way.
pub(crate) struct Job<'l> {
    pub(crate) runtime: &'l Arc<Runtime>,
    scalars: &'l [u64],
    slot: Option<usize>,
    deferred: Option<DeferredError>,
    /// The memories that its launches write.
    writes: SmallVec<[&'l GpuMemory; 2]>,
    /// The outcome of its launches that are put off.
    outcome: OnceCell<Arc<Outcome>>,
}

impl<'l> Job<'l> {
    /// Of a program.
    pub(crate) fn of_launch(runtime: &'l Arc<Runtime>, launch: &'l Launch<'_>) -> Result<Self> {
        let deferred = match fails(&launch.program) {
            true => {
                let failed = failed(launch.origin);
                let (program, scalars) = (Program::clone(&launch.program), launch.scalars.clone());
                let cause = move |words: &[u64; 4]| {
                    let fault = Fault::of_word(words[0]);
                    fault.error(&program, &scalars).unwrap_or(Error::NegativePower)
                };
                runtime.deferred_if_launched(move |words| failed(cause(words)))?
            }
            false => None,
        };
        // One by one: collecting costs small launches more than the rest of this function.
        let (mut reads, mut writes) = (SmallVec::<[_; 4]>::new(), SmallVec::<[_; 2]>::new());
        launch.inputs.iter().for_each(|place| reads.push(memory_at(place)));
        launch.outputs.iter().for_each(|place| writes.push(memory_at(place)));
        runtime.begin(&reads, &writes, &launch.made_of, deferred.as_ref())?;
        let (scalars, slot) = (&launch.scalars, launch.slot);
        Ok(Self { runtime, scalars, slot, deferred, writes, outcome: OnceCell::new() })
    }

    /// Of anything else. Errors that `reads` carry count in their order.
    pub(crate) fn begin(
        runtime: &'l Arc<Runtime>,
        reads: impl IntoIterator<Item = &'l dyn Memory>,
        writes: impl IntoIterator<Item = &'l dyn Memory>,
        scalars: &'l [u64],
        deferred: Option<DeferredError>,
    ) -> Result<Self> {
        let reads: SmallVec<[_; 4]> = reads.into_iter().map(memory_of).collect();
        let writes: SmallVec<[_; 2]> = writes.into_iter().map(memory_of).collect();
        runtime.begin(&reads, &writes, &[], deferred.as_ref())?;
        Ok(Self { runtime, scalars, slot: None, deferred, writes, outcome: OnceCell::new() })
    }

    /// The address of the error word.
    pub(crate) fn error_word(&self) -> Option<u64> {
        self.deferred.as_ref().map(DeferredError::address)
    }

    /// Memory for the time of the launch.
    pub(crate) fn scratch(&self, bytes: usize) -> Result<Scratch> {
        self.runtime.scratch(bytes)
    }

    /// Arrays for the time of the launch: one of each dtype, of this many elements that lie by these strides.
    pub(crate) fn arrays(
        &self,
        dtypes: impl IntoIterator<Item = DType>,
        size: usize,
        strides: &Strides,
    ) -> Result<(Vec<Scratch>, Vec<Operand>)> {
        let (mut held, mut operands) = (Vec::new(), Vec::new());
        for dtype in dtypes {
            let scratch = self.scratch(size * dtype.size())?;
            operands.push(Operand { address: scratch.address(), dtype, strides: strides.clone() });
            held.push(scratch);
        }
        Ok((held, operands))
    }

    /// The same, of zeros.
    pub(crate) fn cleared(&self, bytes: usize) -> Result<Scratch> {
        let scratch = self.scratch(bytes)?;
        self.fill(scratch.address(), 0, bytes)?;
        Ok(scratch)
    }

    /// Sets bytes of memory of the launch.
    pub(crate) fn fill(&self, address: Address, byte: u8, bytes: usize) -> Result<()> {
        match self.runtime.checked().is_behind() {
            true => self.runtime.put_off_fill(address, byte, bytes, &|| self.outcome()),
            false => self.runtime.fill(address, byte, bytes),
        }
    }

    /// The outcome of launches that are put off; from the first on, what is written carries it.
    fn outcome(&self) -> Arc<Outcome> {
        let make = || {
            let outcome = Arc::new(self.runtime.outcome());
            for memory in &self.writes {
                DeferredErrors::carry(&mut memory.deferred(), outcome.token());
            }
            outcome
        };
        self.outcome.get_or_init(make).clone()
    }

    /// Launches a kernel of a program over this many blocks: the scalars and the error word follow `arguments`.
    pub(crate) fn run(
        &self,
        kernel: &dyn Launched,
        blocks: usize,
        block: u32,
        mut arguments: Arguments,
    ) -> Result<()> {
        arguments.scalars(self.scalars, self.slot);
        arguments.places(self.error_word());
        self.launch(kernel, blocks, block, &arguments)
    }

    /// Runs a kernel with these arguments.
    pub(crate) fn launch(
        &self,
        kernel: &dyn Launched,
        blocks: usize,
        block: u32,
        arguments: &Arguments,
    ) -> Result<()> {
        debug_assert!(blocks > 0, "an empty launch is core's to leave out");
        if blocks > MOST_BLOCKS {
            let reason = format!("a launch has {blocks} blocks: expected at most {MOST_BLOCKS}");
            return Err(Error::Unsupported { op: "launch".to_string(), reason });
        }
        self.runtime.launch(kernel, blocks as u32, block, arguments, &|| self.outcome())
    }
}

fn memory_at<'p>(place: &StridedView<'p>) -> &'p GpuMemory {
    memory_of(place.memory)
}

/// Words an error of a launch that turns up when it is read.
pub(crate) fn failed(origin: Option<Origin<'_>>) -> impl Fn(Error) -> Error + Send + Sync + use<> {
    let failed = origin.map(Origin::keep);
    move |cause| match &failed {
        Some(failed) => failed(cause),
        None => cause,
    }
}

/// Whether an element may have no result.
fn fails(program: &Program) -> bool {
    let bodies = program.reductions.iter().filter_map(|reduction| match &reduction.combine {
        Combine::Body(body) => Some(body),
        Combine::Prim(_) => None,
    });
    program.fails() || bodies.into_iter().any(|body| body.fails())
}
