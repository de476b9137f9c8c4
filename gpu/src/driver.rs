//! What a GPU vendor supplies: two dozen thin functions over its driver, and a compiler.
//!
//! One value of a [`Driver`] is one device. Its functions validate nothing, cache nothing and log nothing: that is
//! done once, in this crate, for all vendors. They may be called from any thread (an implementation makes its
//! context current as its API needs). Handles are plain numbers; the creator of one destroys it.
//!
//! Deliberately absent: pools, ordering between streams, and any thought of arrays.

use std::any::Any;
use std::fmt::Debug;

use ndany_core::backend::LaunchLimits;
use ndany_kernels::Dialect;

pub use crate::control::{ControlDriver, HostCallback};
pub use crate::graph::driver::{ExecHandle, GraphDriver, GraphHandle, NodeHandle};
use crate::platform::OpenError;

/// An address in the memory of the device.
pub type Address = u64;

/// A vendor's stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream(pub u64);

/// A vendor's event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event(pub u64);

/// Loaded machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Module(pub u64);

/// A kernel of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Function(pub u64);

/// Why a call of the driver failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The device has not that much memory left.
    #[error("{call}: out of memory")]
    OutOfMemory {
        /// The vendor's function.
        call: &'static str,
    },
    /// The device does not answer any more, or its context is beyond repair (a fault of a kernel).
    #[error("{call}: the device is lost: {text} ({code})")]
    Lost {
        /// The vendor's function.
        call: &'static str,
        /// The vendor's number.
        code: u32,
        /// The vendor's words.
        text: String,
    },
    /// Any other failure.
    #[error("{call}: {text} ({code})")]
    Call {
        /// The vendor's function.
        call: &'static str,
        /// The vendor's number.
        code: u32,
        /// The vendor's words.
        text: String,
    },
    /// The library that was found does not have the function.
    #[error("the driver has no {call}: update it")]
    Missing {
        /// The vendor's function.
        call: &'static str,
    },
    /// A dry run does not reach the device.
    #[error("{call}: a dry run makes no call")]
    DryRun {
        /// The vendor's function.
        call: &'static str,
    },
    /// The process was forked after a device was opened, or while one was: no call may be made.
    #[error(
        "{call}: the device was opened before the process forked: open devices in the child only"
    )]
    Forked {
        /// The vendor's function.
        call: &'static str,
    },
    /// The process exits, and the driver's library may have gone first.
    #[error("{call}: the process exits: no device is called any more")]
    Exiting {
        /// The vendor's function.
        call: &'static str,
    },
}

/// [`std::result::Result`] of a driver.
pub type DriverResult<T> = std::result::Result<T, DriverError>;

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// The vendor's name of the product.
    pub name: String,
    /// What the compiler compiles for: `sm_90`, `gfx942`.
    pub architecture: String,
    /// Bytes of memory.
    pub memory: usize,
    /// Multiprocessors (AMD: compute units).
    pub multiprocessors: u32,
    /// Version of the driver, in the vendor's notation.
    pub driver_version: String,
    /// What kernels may use.
    pub capabilities: Capabilities,
    /// What launches of raw kernels may have.
    pub limits: LaunchLimits,
}

/// What kernels may use of a device. The driver says it, or the vendor's documentation of the architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Threads of a warp or wavefront.
    pub warp_size: u32,
    /// Maximum number of threads of a block.
    pub max_threads_per_block: u32,
    /// Maximum number of blocks of a launch. A longer launch is split.
    pub max_blocks: u32,
    /// Maximum number of threads of a launch. A longer launch is split.
    pub max_threads: u64,
    /// Arithmetic on 64-bit floats.
    pub float64: bool,
    /// Atomic operations on 64-bit integers in device memory.
    pub atomics64: bool,
}

impl Capabilities {
    /// Checks that kernels can be written for the device: they are written for warps of 32 or 64 threads and have
    /// blocks of up to [`MAX_BLOCK`](ndany_kernels::MAX_BLOCK) threads, their shared text has functions of 64-bit
    /// floats, and deferred errors and scatters are 64-bit atomics.
    ///
    /// # Errors
    /// [`OpenError::Capability`] names the first thing that is missing.
    pub fn check(&self) -> std::result::Result<(), OpenError> {
        let missing = |need, has: String| Err(OpenError::Capability { need, has });
        if !matches!(self.warp_size, 32 | 64) {
            return missing("warps of 32 or 64 threads", format!("warps of {}", self.warp_size));
        }
        if self.max_threads_per_block < ndany_kernels::MAX_BLOCK {
            let has = format!("blocks of at most {}", self.max_threads_per_block);
            return missing("blocks of 512 threads", has);
        }
        if !self.float64 {
            return missing("64-bit floats", "none".to_string());
        }
        if !self.atomics64 {
            return missing("64-bit atomic operations", "none".to_string());
        }
        Ok(())
    }
}

/// A kernel launch.
#[derive(Clone, Copy, Debug)]
pub struct KernelLaunch {
    /// The kernel.
    pub function: Function,
    /// Blocks of the grid along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
    /// Whether all blocks run at the same time.
    pub cooperative: bool,
    /// The stream that runs it.
    pub stream: Stream,
}

impl KernelLaunch {
    /// A launch in one dimension, without dynamic shared memory.
    #[inline]
    pub fn linear(function: Function, grid: u32, block: u32, stream: Stream) -> Self {
        let [grid, block] = [[grid, 1, 1], [block, 1, 1]];
        Self { function, grid, block, shared: 0, cooperative: false, stream }
    }
}

/// What a driver says of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionAttribute {
    /// Maximum number of threads of a block.
    MaxThreads,
    /// Bytes of static shared memory of a block.
    SharedBytes,
    /// Bytes of constant memory.
    ConstantBytes,
    /// Bytes of local memory of a thread.
    LocalBytes,
    /// Registers of a thread.
    Registers,
}

/// A device of a vendor.
///
/// # Safety
/// Functions that take addresses, pointers or handles are `unsafe`: the caller guarantees that they are alive, and that
/// written memory has no other user until the stream has executed the call.
pub trait Driver: ControlDriver + GraphDriver + Any + Debug + Send + Sync {
    /// How device text is written for this device.
    fn dialect(&self) -> &'static Dialect;

    /// The device's name in `Device::open`: `cuda:0`.
    fn name(&self) -> &str;

    /// What the device is.
    fn properties(&self) -> &Properties;

    /// Fresh memory of at least one byte, aligned to 256.
    fn allocate(&self, bytes: usize) -> DriverResult<Address>;

    /// Gives memory back; waits for nothing that the caller has not waited for.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn free(&self, address: Address) -> DriverResult<()>;

    /// Bytes free and bytes in all, as the driver sees them.
    fn memory(&self) -> DriverResult<[usize; 2]>;

    /// Page-locked memory of the host.
    fn allocate_host(&self, bytes: usize) -> DriverResult<*mut u8>;

    /// Gives it back.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn free_host(&self, memory: *mut u8) -> DriverResult<()>;

    /// Copies to the device; asynchronous from page-locked memory.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn upload(
        &self,
        to: Address,
        from: *const u8,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()>;

    /// Copies to the host; asynchronous to page-locked memory.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn download(
        &self,
        to: *mut u8,
        from: Address,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()>;

    /// Copies from the memory of another device of this vendor: the peer has the same type.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn copy_from_peer(
        &self,
        to: Address,
        from: Address,
        peer: &dyn Driver,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()>;

    /// Sets bytes.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn fill(&self, to: Address, byte: u8, bytes: usize, stream: Stream) -> DriverResult<()>;

    /// A new stream, which waits for no other.
    fn create_stream(&self) -> DriverResult<Stream>;

    /// Gives a stream back.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn destroy_stream(&self, stream: Stream) -> DriverResult<()>;

    /// Waits until the stream has no work left.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn wait_for_stream(&self, stream: Stream) -> DriverResult<()>;

    /// A new event, without timing.
    fn create_event(&self) -> DriverResult<Event>;

    /// Gives an event back.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn destroy_event(&self, event: Event) -> DriverResult<()>;

    /// Records the event after the work that the stream has now.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn record(&self, event: Event, stream: Stream) -> DriverResult<()>;

    /// Whether the stream has executed all work before the event.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn is_completed(&self, event: Event) -> DriverResult<bool>;

    /// Waits on the host until the event has completed.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn wait_for_event(&self, event: Event) -> DriverResult<()>;

    /// Makes the stream's further work wait for the event.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn stream_waits(&self, stream: Stream, event: Event) -> DriverResult<()>;

    /// Loads machine code for this device's architecture.
    fn load(&self, image: &[u8]) -> DriverResult<Module>;

    /// Forgets it.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn unload(&self, module: Module) -> DriverResult<()>;

    /// A kernel by its name.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn function(&self, module: Module, name: &str) -> DriverResult<Function>;

    /// Launches a kernel whose one parameter is a structure of these words, passed by value.
    ///
    /// # Safety
    /// See the trait; and the words are what the kernel takes.
    unsafe fn launch(&self, launch: &KernelLaunch, arguments: &[u64]) -> DriverResult<()>;

    /// Launches a kernel whose parameters are the values at these places.
    ///
    /// # Safety
    /// See the trait; and there is a place for each parameter, with a value of its type.
    unsafe fn launch_with(
        &self,
        launch: &KernelLaunch,
        parameters: &[*const u8],
    ) -> DriverResult<()>;

    /// What a kernel is.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn function_attribute(
        &self,
        function: Function,
        attribute: FunctionAttribute,
    ) -> DriverResult<u32>;

    /// Lets a kernel have more dynamic shared memory than kernels have unasked.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn allow_shared(&self, function: Function, bytes: u32) -> DriverResult<()>;

    /// Blocks that a multiprocessor runs at the same time, of this many threads and bytes of dynamic shared memory.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn occupancy(&self, function: Function, block: u32, shared: usize) -> DriverResult<u32>;

    /// Number of bytes of each parameter of a kernel; nothing where the driver does not say it.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn parameters(&self, function: Function) -> DriverResult<Option<Vec<usize>>>;

    /// Address and number of bytes of a variable of a module.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn global(&self, module: Module, name: &str) -> DriverResult<(Address, usize)>;
}

/// Why there is no machine code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The text is not right for the compiler: a bug of this project.
    #[error("{compiler} refuses a kernel for {architecture}: {log}")]
    Refused {
        /// The compiler and its version.
        compiler: String,
        /// The architecture compiled for.
        architecture: String,
        /// What it says.
        log: String,
    },
    /// The compiler does not know the device.
    #[error("{compiler} does not know {architecture}: {hint}")]
    Architecture {
        /// The compiler and its version.
        compiler: String,
        /// The architecture asked for.
        architecture: String,
        /// What to do about it.
        hint: String,
    },
    /// There is no compiler.
    #[error("no run-time compiler: {reason}")]
    Absent {
        /// What was tried, and how to mend it.
        reason: String,
    },
}

/// What a compiler is asked for beside a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileRequest<'r> {
    /// Whether `a * b + c` may be rounded once.
    pub contract: bool,
    /// Further options, in the vendor's words.
    pub options: &'r [String],
    /// Names of instances of templates that the machine code has to have.
    pub expressions: &'r [String],
}

/// Machine code, and what the kernels of the expressions are called in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompiledModule {
    /// The machine code.
    pub image: Vec<u8>,
    /// A name for each expression.
    pub names: Vec<String>,
}

/// A run-time compiler.
pub trait Compiler: Debug + Send + Sync + 'static {
    /// Its name and version: part of the key under which machine code is kept.
    fn version(&self) -> String;

    /// Machine code of the text for an architecture, without contraction, fast-math or flushing.
    fn compile(&self, source: &str, architecture: &str) -> Result<Vec<u8>, CompileError>;

    /// The same compiler for a further thread, with which the threads compile at the same time; nothing if they do so with this
    /// one.
    fn another(&self) -> Option<Box<dyn Compiler>> {
        None
    }

    /// Machine code of a text that is compiled in another way.
    fn compile_with(
        &self,
        source: &str,
        architecture: &str,
        request: &CompileRequest<'_>,
    ) -> Result<CompiledModule, CompileError>;
}
