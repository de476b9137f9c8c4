//! Graphs: what a thread has asked of a device, as a list of launches and calls of libraries, and its replays.
//!
//! - `recorder`: what the runtime tells of each call while a thread records
//! - `replay`: the list done again on other memories
//! - `exec`: the list as a graph of the driver, which one call launches; `driver` is what such a driver supplies
//!
//! Memory is numbered. A word of a launch that is an address is kept as a number and an offset, so a replay writes the
//! address that the memory has then. Memory of the recording is taken from the pool and given back at the same places of
//! the list as in the recorded run, so a replay needs as much memory as the run.

pub mod driver;
mod exec;
mod recorder;
mod replay;

use std::fmt;
use std::sync::Arc;

use ndany_core::backend::{Graphs, Interface, Recorded, RecordedStep, refusals};
use ndany_core::{DType, Result};
use smallvec::SmallVec;

pub(crate) use recorder::{
    Noted, Value, active, allocated, begun, deferred, fill, given, keep, launch, launch_with,
    library, paused, refuse, scratched, sealed,
};

use crate::GpuBackend;
use crate::blas::{Blas, Gemm};
use crate::deferred::Explain;
use crate::dft::{Dft, Plan};
use crate::driver::{Address, DriverResult, KernelLaunch, Stream};
use crate::memory::GpuMemory;
use crate::runtime::Runtime;
use crate::solver::{Pointers, Solver, SolverStep};
use crate::sparse::{Product, Sparse};

/// A piece of memory in a list: which one, and how many bytes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    memory: u32,
    offset: u64,
}

/// A word of a launch that is an address.
#[derive(Clone, Copy, Debug)]
struct Relocation {
    word: u16,
    place: Place,
}

/// A memory of a list.
enum MemoryKind {
    /// The input of this number.
    Input(usize),
    /// It is read as it is.
    Kept(Arc<GpuMemory>),
    /// An array of the replay, of this many bytes.
    Array(usize),
    /// Memory of launches, of this many bytes.
    Scratch(usize),
    /// The error words of a launch that may fail.
    Words(Arc<Explain>),
}

/// A kernel's launch.
struct KernelNode {
    name: &'static str,
    /// Its stream is that of the replay.
    launch: KernelLaunch,
    words: SmallVec<[u64; 24]>,
    relocations: SmallVec<[Relocation; 8]>,
    /// The word that a slot moves on.
    slot: Option<(u16, usize)>,
}

/// The value of a parameter of a kernel of a user's module.
enum Parameter {
    Bytes(Box<[u8]>),
    Address(Place),
}

/// A call of a vendor's library.
#[derive(Clone)]
pub(crate) enum LibraryCall {
    /// A product of matrices.
    Product { blas: Arc<dyn Blas>, gemm: Gemm },
    /// A step of a factorization.
    Solve {
        solver: Arc<dyn Solver>,
        step: SolverStep,
        dtype: DType,
        places: Pointers,
        workspace: (Address, usize),
    },
    /// A Fourier transform.
    Transform { dft: Arc<dyn Dft>, plan: Plan, from: Address, to: Address, workspace: Address },
    /// A product of a sparse array.
    Sparse { sparse: Arc<dyn Sparse>, product: Product },
}

impl LibraryCall {
    /// The operation that it is part of.
    pub(crate) fn op(&self) -> &'static str {
        match self {
            Self::Product { .. } | Self::Sparse { .. } => "matmul",
            Self::Solve { .. } => "linalg",
            Self::Transform { .. } => "fft",
        }
    }

    /// Submits it; `false` where the library does not take the matrices.
    ///
    /// # Safety
    /// As of [`Driver`](crate::driver::Driver): the memory is alive, and what is written has no other user, nor has the
    /// workspace, until the stream is past it.
    pub(crate) unsafe fn submit(&self, stream: Stream) -> DriverResult<bool> {
        match self {
            // SAFETY: the caller's.
            Self::Product { blas, gemm } => unsafe { blas.gemm(gemm, stream) }.map(|()| true),
            // SAFETY: the caller's.
            Self::Solve { solver, step, dtype, places, workspace } => unsafe {
                solver.run(step, *dtype, places, *workspace, stream)
            },
            &Self::Transform { ref dft, ref plan, from, to, workspace } => {
                // SAFETY: the caller's.
                unsafe { dft.transform(plan, from, to, workspace, stream) }.map(|()| true)
            }
            // SAFETY: the caller's; positions are those of the request, whose rules the code that opened the device keeps.
            Self::Sparse { sparse, product } => unsafe {
                sparse.multiply(product, stream).map(|()| true)
            },
        }
    }

    /// Whether a driver's graph can have it: not one that may wait, or answer otherwise for other values. Of sparse products not every
    /// vendor says so.
    fn is_captured(&self) -> bool {
        !matches!(self, Self::Solve { .. } | Self::Sparse { .. })
    }

    /// Its addresses.
    fn addresses(&mut self) -> SmallVec<[&mut Address; 6]> {
        match self {
            Self::Product { gemm: Gemm { left, right, out, workspace, .. }, .. } => {
                let matrices = [left, right, out].map(|matrix| &mut matrix.address);
                matrices.into_iter().chain([workspace]).collect()
            }
            Self::Solve { places: Pointers { a, b, c, d, status }, workspace, .. } => {
                [a, b, c, d, status, &mut workspace.0].into_iter().collect()
            }
            Self::Transform { from, to, workspace, .. } => {
                [from, to, workspace].into_iter().collect()
            }
            Self::Sparse {
                product: Product { indptr, indices, values, right, out, workspace, .. },
                ..
            } => [indptr, indices, values, right, out, workspace].into_iter().collect(),
        }
    }
}

/// A piece of the list.
enum Node {
    /// A memory is taken from here on.
    Take(u32),
    /// It is given back.
    Give(u32),
    /// Launches begin that read and write these memories; the last is the number of their error words.
    Begin {
        reads: SmallVec<[u32; 4]>,
        writes: SmallVec<[u32; 2]>,
        made_of: Vec<SmallVec<[u16; 8]>>,
        words: Option<u32>,
    },
    Kernel(KernelNode),
    KernelWith {
        name: &'static str,
        launch: KernelLaunch,
        parameters: Vec<Parameter>,
    },
    Fill {
        place: Place,
        byte: u8,
        bytes: usize,
    },
    /// A call, where its addresses are, and what it answered.
    Library {
        call: LibraryCall,
        places: SmallVec<[Option<Place>; 6]>,
        answer: bool,
    },
}

/// A recording that has ended.
pub(crate) struct RecordedGraph {
    runtime: Arc<Runtime>,
    memories: Vec<MemoryKind>,
    nodes: Vec<Node>,
    /// Bytes of each input.
    inputs: Vec<usize>,
    /// Numbers of the outputs.
    outputs: Vec<u32>,
    /// How many slots move something.
    slots: usize,
    compiled: exec::Compiled,
}

impl fmt::Debug for RecordedGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (nodes, memories) = (self.nodes.len(), self.memories.len());
        write!(f, "RecordedGraph({nodes} nodes, {memories} memories)")
    }
}

impl Recorded for RecordedGraph {
    fn replay(
        &self,
        inputs: &[Arc<dyn ndany_core::backend::Memory>],
        slots: &[u64],
    ) -> Result<Vec<Arc<dyn ndany_core::backend::Memory>>> {
        refuse(&self.runtime, "launch", refusals::NESTED)?;
        match self.compiled.launch(self, inputs, slots) {
            Some(launched) => launched,
            None => replay::replay(self, inputs, slots),
        }
    }

    fn steps(&self) -> Vec<RecordedStep> {
        let step = |node: &Node| {
            let (name, grid, block) = match node {
                Node::Kernel(KernelNode { name, launch, .. })
                | Node::KernelWith { name, launch, .. } => (*name, launch.grid, launch.block),
                Node::Fill { .. } => ("fill", [0; 3], [0; 3]),
                Node::Library { call, .. } => (call.op(), [0; 3], [0; 3]),
                Node::Take(_) | Node::Give(_) | Node::Begin { .. } => return None,
            };
            Some(RecordedStep { name: name.to_string(), grid, block, bytes: 0 })
        };
        self.nodes.iter().filter_map(step).collect()
    }

    fn bytes(&self) -> usize {
        let kept = |memory: &MemoryKind| match memory {
            MemoryKind::Kept(memory) => ndany_core::backend::Memory::bytes(&**memory),
            _ => 0,
        };
        self.memories.iter().map(kept).sum::<usize>() + self.compiled.bytes()
    }
}

impl Graphs for GpuBackend {
    fn begin(&self) -> Result<()> {
        recorder::begin(self.runtime())
    }

    fn end(&self, interface: Interface) -> Result<Box<dyn Recorded>> {
        Ok(Box::new(recorder::end(self.runtime(), interface)?))
    }

    fn cancel(&self) {
        recorder::cancel(self.runtime());
    }
}
