//! The seam between the engine and a device.
//!
//! A backend speaks in execution patterns, not in operations: it is given a [`Program`] and the places
//! of its operands, and runs it over an iteration space. It never sees an `Array`, a shape that does
//! not fit, or a dtype rule.
//!
//! # Contract
//! - **Validation.** A backend is given requests as [`Checked`]: every element that a view names lies in its memory,
//!   numbers and dtypes of operands are the program's, and the program is well-formed. No request is checked twice, and
//!   none reaches a backend unchecked. That shapes broadcast and dtypes promote is core's. A backend
//!   that meets the contrary has found a bug of core: `unreachable!`. [`Backend::read`] and [`Backend::write`] refuse
//!   what does not lie in the memory. The code that opens a backend promises what no check sees:
//!   [`Provider::open`](crate::Provider::open).
//! - **Order.** Work of one thread runs as if in the order of the calls. A call may return before the
//!   work is done; [`Backend::read`] and [`Backend::synchronize`] wait.
//! - **Errors.** What a call can know it returns. What turns up later comes out of [`Backend::read`] of the
//!   memories that depend on it, and of no others: an output has the errors of the inputs that it is made of,
//!   the first of them in their order, then the launch's own. It is worded by the launch's [`Origin`], as core
//!   words an error that a call returns. After an out-of-memory the device goes on.
//! - **Aliasing.** An input may be the very memory of an output only if both have the same layout and
//!   dtype, so that each element is read before it is written (a donated buffer). Outputs may share a
//!   memory, each with elements of its own.
//! - **Bits.** Every primitive has one meaning (`crate::program::Prim`), every reduction and scan
//!   follows `crate::plan`, every correlation the order that the head of `correlate` states. Only
//!   [`Backend::matmul`] of floats is free, within its stated bound.
//! - **Memory** is not initialized; with `NDANY_POISON` set it is filled with 0xFF, which is NaN in
//!   every float dtype.
//!
//! Deliberately absent: events to be placed for order (a backend orders its own work, on its streams too; [`Control`] has
//! events for times and for foreign work), implicit copies between devices, and any method for a single operation.

mod apart;
mod attribute;
mod checked;
mod control;
mod correlate;
mod direct;
mod factor;
mod fold;
mod foreign;
mod fourier;
mod gather;
mod graphs;
mod launch;
mod matmul;
mod packed;
mod pool;
mod prepared;
mod profile;
mod raw;
mod recordable;
mod simt;
mod sort;
mod sparse;
mod stream;
mod transfer;

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

pub use apart::apart;
pub use attribute::{Attribute, NativeDevice};
pub use checked::{Check, Checked, check_bytes};
pub use control::Control;
pub use correlate::{Correlate, RUN};
pub use direct::{DirectSolver, SparseFactor, SparseMatrix, SparseSystem};
pub use factor::{Factor, Factoring, LinearAlgebra, Vectors};
pub use foreign::{Access, ForeignMemory, Owner};
pub use fourier::{Fourier, Transform, Transformation};
pub use gather::{Gather, Positions, Scatter, Select};
pub use graphs::{Graphs, Interface, Recorded, RecordedStep, not_capturable, refusals};
use smallvec::SmallVec;

pub use fold::{CombineOrder, FoldLeft, SegmentedReduce};
pub use launch::{FusedRowwise, Map, Reduce};
pub use packed::ContiguousView;
pub use pool::{
    Allocator, AllocatorError, EnteredSource, IPC_BYTES, MemoryAdvice, MemoryEvent, MemoryHook,
    MemoryPlace, MemorySource, Pool, PoolStatistics, SharedMemory,
};
pub use prepared::PreparedProgram;
pub use profile::DeviceProfile;
pub use raw::{
    KernelAttributes, LaunchLimits, RAW_WORDS, RawArgument, RawArray, RawBody, RawCode, RawKernels,
    RawKind, RawLaunch, RawParameter, RawText,
};
pub use recordable::Recordable;
pub use simt::{SimtArgument, SimtKernels, SimtLaunch};
pub use sparse::{SparseProduct, SparseProducts};
pub use stream::{EnteredStream, Event, HostFunction, Priority, Stream};
pub use transfer::{HostMemory, Transfer};

use crate::dtype::DType;
use crate::error::{Error, Result};
pub use crate::error::{Origin, PositionMeaning};
use crate::program::Program;
use crate::shape::{Shape, Strides};

pub use sort::{
    Found, NthElement, Pairs, PartSizes, PartitionThreeWay, Search, Sort, SortPairs, Sorted,
};

/// A piece of device memory. Dropping it gives it back.
pub trait Memory: Any + Debug + Send + Sync {
    /// Number of bytes.
    fn bytes(&self) -> usize;

    /// The memory that the device made: `self`, but for what stands around another one. Only this reaches the device,
    /// which finds its own type by `&dyn Any`, so no other type can pass for it.
    fn of_device(&self) -> &dyn Memory;
}

/// An array as a backend sees it: memory and a walk through it along the launch's axes.
#[derive(Clone, Debug)]
pub struct StridedView<'a> {
    /// The memory.
    pub memory: &'a dyn Memory,
    /// Type of the elements.
    pub dtype: DType,
    /// First element.
    pub offset: usize,
    /// Step of each axis of the launch, in elements; 0 where the array does not vary.
    pub strides: Strides,
}

/// A program and where to run it.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// What to compute for each element.
    pub program: Checked<&'a Program>,
    /// The same program, where it is kept to be launched again.
    pub prepared: Option<&'a PreparedProgram>,
    /// The iteration space: outer axes, then the axes of the row. No extent is 0, and none is 1 but
    /// that of a row of one element.
    pub shape: Shape,
    /// How many trailing axes form a row (0 for a map).
    pub row_axes: usize,
    /// One for each of the program's inputs. One that is read by position only has strides of 0.
    pub inputs: SmallVec<[StridedView<'a>; 4]>,
    /// Register bits for each of the program's scalars.
    pub scalars: SmallVec<[u64; 4]>,
    /// One for each of the program's outputs; those of domain `Row` have stride 0 along the row. Those after the
    /// first are written whole.
    pub outputs: SmallVec<[StridedView<'a>; 2]>,
    /// For each output, the inputs that it is made of, in the order in which errors that they carry count. Empty:
    /// each output is made of all inputs, in their order.
    pub made_of: Vec<SmallVec<[u16; 8]>>,
    /// What the first output is. What can fail of the program itself ([`Program::fails`](crate::program::Program::fails))
    /// is its operation, so it fails the first output and no other.
    pub origin: Option<Origin<'a>>,
    /// While the launch is recorded: the slot whose number a replay adds, wrapping, to the first scalar's bits.
    pub slot: Option<usize>,
}

impl Launch<'_> {
    /// Number of rows (1 for a map over no axes).
    pub fn rows(&self) -> usize {
        self.shape[..self.shape.len() - self.row_axes].iter().product()
    }

    /// Elements of a row.
    pub fn row_size(&self) -> usize {
        self.shape[self.shape.len() - self.row_axes..].iter().product()
    }
}

/// A scan along the row (all its trailing axes in C order): the program's only reduction, inclusively.
///
/// There are two kinds. A program that reads running states ([`Op::Running`](crate::program::Op::Running)) combines by a body
/// that does not fail, and its outputs, all of domain `Element`, are made of the running state at each element. In any other
/// program the reduction is by a primitive, applied to each part of the value (two of a complex number). The scanned parts,
/// rounded to the output's dtype, are what is stored at the one output, which varies along the row; the output's registers
/// name the unscanned value.
#[derive(Clone, Debug)]
pub struct Scan<'a> {
    /// The prologue, the combination, and what is made of running states.
    pub launch: Launch<'a>,
}

/// A batch of matrix products `out[b] = left[b] · right[b]`, all of one dtype.
#[derive(Clone, Debug)]
pub struct Matmul<'a> {
    /// Extents of the batch axes.
    pub batch: Shape,
    /// Rows of the left matrix.
    pub m: usize,
    /// Columns of the left, rows of the right.
    pub k: usize,
    /// Columns of the right matrix.
    pub n: usize,
    /// Axes: batch, m, k.
    pub left: StridedView<'a>,
    /// Axes: batch, k, n.
    pub right: StridedView<'a>,
    /// Axes: batch, m, n.
    pub out: StridedView<'a>,
}

/// A `Vec` of some element type, on its way into the memory of a device.
pub type HostValues = Box<dyn Any + Send + Sync>;

/// A device that runs programs. See the module for the contract.
pub trait Backend: Debug + Send + Sync {
    /// The name of this device, as in `Device::open`.
    fn name(&self) -> String;

    /// A description for users: hardware, threads, SIMD level.
    fn description(&self) -> String;

    /// Memory of this many bytes (0 is allowed), aligned for every dtype.
    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>>;

    /// Takes ownership of host values as memory, without a copy: a `Vec` of the Rust type of `dtype`. A
    /// device that cannot gives them back, as this default does; then they are written instead.
    fn adopt(&self, dtype: DType, values: HostValues) -> Result<Arc<dyn Memory>, HostValues> {
        let _ = dtype;
        Err(values)
    }

    /// Takes memory that another library has allocated on this device, without a copy. Returns it and the number of its
    /// bytes before the address: memory begins where the device wants it aligned. The values are there for work of the
    /// thread's current stream. The owner is dropped after all work that uses the memory, or by the call that errs. The
    /// code that opens the backend promises that the memory is there until then, and that nothing writes it
    /// ([`Provider::open`](crate::Provider::open)). A device whose memory has no addresses errs, as this default.
    fn foreign(&self, memory: ForeignMemory) -> Result<(Arc<dyn Memory>, usize)> {
        drop(memory);
        Err(self.without_addresses("from_device"))
    }

    /// Returns the address of a piece of memory for another library's work in a stream of this device. That work comes after
    /// what it has to come after, and later work of this device on the memory comes after the stream's; reports what failed
    /// in the work that makes the values. Until the other library has submitted its work, the caller keeps the memory, and
    /// everyone else from writing it ([`Access::Read`]) or using it ([`Access::Write`]). A device without streams is given
    /// none.
    fn lend(
        &self,
        memory: &dyn Memory,
        stream: Option<&dyn Stream>,
        access: Access,
    ) -> Result<u64> {
        let _ = (memory, stream, access);
        Err(self.without_addresses("lend"))
    }

    /// The error of a device whose memory no other library can use.
    fn without_addresses(&self, op: &str) -> Error {
        let reason = format!(
            "memory of {} has no address that another library can use: use to_vec and from_vec",
            self.name()
        );
        Error::Unsupported { op: op.to_string(), reason }
    }

    /// Copies host bytes to the start of a piece of memory.
    fn write(&self, memory: &dyn Memory, bytes: &[u8]) -> Result<()>;

    /// Copies from a piece of memory, `offset` bytes in, to the host; waits for the work that writes it.
    fn read(&self, memory: &dyn Memory, offset: usize, bytes: &mut [u8]) -> Result<()>;

    /// Copies from the memory of another device, `offset` bytes in, to the start of a piece of memory of this one,
    /// without the host between them; waits for nothing but what it must to report what failed. `false` says that
    /// this device does not reach the other, as this default does; then nothing was done.
    fn copy_from(
        &self,
        memory: &dyn Memory,
        from: &dyn Memory,
        offset: usize,
        bytes: usize,
    ) -> Result<bool> {
        let _ = (memory, from, offset, bytes);
        Ok(false)
    }

    /// Waits for all work of this device and reports what failed.
    fn synchronize(&self) -> Result<()>;

    /// The pool that its memory comes from, if there is one.
    fn pool(&self) -> Option<&dyn Pool> {
        None
    }

    /// Its streams and events; `None` if every call returns when its work is done, so that streams have no use.
    fn control(&self) -> Option<&dyn Control> {
        None
    }

    /// Whether a [dry run](crate::dry_run) on this thread has other threads compile what it asks for. A device whose launches wait for
    /// no compilation has no use for one, as this default says.
    fn compiles_ahead(&self) -> bool {
        false
    }

    /// The facts on which core's choices of algorithm depend. The default is right for every device: it promises
    /// nothing.
    fn profile(&self) -> DeviceProfile {
        DeviceProfile::ASYNCHRONOUS
    }

    /// The longest row that [`Backend::fused_rowwise`] keeps on chip; longer ones core splits into passes.
    fn row_limit(&self) -> usize;

    /// Runs a program without reductions over every element.
    fn map(&self, map: Checked<&Map<'_, '_>>) -> Result<()>;

    /// Runs a program whose outputs are all of domain `Row`, with reductions that do not need each
    /// other's results.
    fn reduce(&self, reduce: Checked<&Reduce<'_, '_>>) -> Result<()>;

    /// Runs a program with reductions whose results return to the elements of the same row.
    fn fused_rowwise(&self, rows: Checked<&FusedRowwise<'_, '_>>) -> Result<()>;

    /// Scans rows.
    fn scan(&self, scan: Checked<&Scan<'_>>) -> Result<()>;

    /// Reduces segments of rows.
    fn segmented_reduce(&self, reduce: Checked<&SegmentedReduce<'_>>) -> Result<()>;

    /// Folds rows from left to right.
    fn fold_left(&self, fold_left: Checked<&FoldLeft<'_>>) -> Result<()>;

    /// Sorts rows.
    fn sort(&self, sort: Checked<&Sort<'_>>) -> Result<()>;

    /// Sorts keys and what goes along with them; `false` if the device does not implement this pattern, as this default. Then nothing is
    /// done, and core reads what goes along in the order of the keys.
    fn sort_pairs(&self, _pairs: Checked<&SortPairs<'_>>) -> Result<bool> {
        Ok(false)
    }

    /// Partitions a row by two limits, and waits for the sizes of the three parts. Returns `None` if an element has no
    /// order (a NaN), or if the device does not implement this pattern, as this default: then core sorts, and the
    /// content of the output does not matter. (A sorted row is also partitioned, but its bits differ from those of a
    /// stable partition, so devices that must agree with others implement this.)
    fn partition_three_way(
        &self,
        _partition: Checked<&PartitionThreeWay<'_>>,
    ) -> Result<Option<PartSizes>> {
        Ok(None)
    }

    /// Partitions each row about its nth element.
    fn nth_element(&self, nth_element: Checked<&NthElement<'_>>) -> Result<()>;

    /// Finds insertion positions in sorted rows.
    fn search(&self, search: Checked<&Search<'_>>) -> Result<()>;

    /// Multiplies matrices.
    fn matmul(&self, product: Checked<&Matmul<'_>>) -> Result<()>;

    /// Correlates a long sequence with a short one.
    fn correlate(&self, correlate: Checked<&Correlate<'_>>) -> Result<()>;

    /// Linear algebra, where the device has it.
    fn linear_algebra(&self) -> Option<&dyn LinearAlgebra> {
        None
    }

    /// Fourier transforms, where the device has them.
    fn fourier(&self) -> Option<&dyn Fourier> {
        None
    }

    /// Sparse products by a vendor's library, where the device may have one.
    fn sparse(&self) -> Option<&dyn SparseProducts> {
        None
    }

    /// Factorizations of sparse arrays by a vendor's library, where the device may have one.
    fn direct_solver(&self) -> Option<&dyn DirectSolver> {
        None
    }

    /// Kernels of a user's own text, where the device compiles them.
    fn raw(&self) -> Option<&dyn RawKernels> {
        None
    }

    /// Kernels of threads and blocks, where the device runs them.
    fn simt(&self) -> Option<&dyn SimtKernels> {
        None
    }

    /// Recordings of what a thread asks of the device, where there are such.
    fn graphs(&self) -> Option<&dyn Graphs> {
        None
    }

    /// Reads elements at positions.
    fn gather(&self, gather: Checked<&Gather<'_>>) -> Result<()>;

    /// Writes elements at positions.
    fn scatter(&self, scatter: Checked<&Scatter<'_>>) -> Result<()>;

    /// Selects the elements at which a mask is true.
    fn select(&self, select: Checked<&Select<'_>>) -> Result<()>;
}
