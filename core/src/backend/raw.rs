//! Kernels of a user's own text, where a device compiles and launches them.
//!
//! A [`RawCode`] says what is compiled: a body around which the engine writes the signature, a whole module, or machine
//! code. A [`RawLaunch`] says how a kernel of it runs. What can be known without the device was compared before:
//! numbers, dtypes and layouts of arguments, and extents with [`LaunchLimits`].
//!
//! Deliberately absent: any check of what the text does. The caller of the launch vouches for that: arrays let only callers
//! of unsafe functions do so, which [`Provider::open`](crate::Provider::open) has them promise.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use smallvec::SmallVec;

use super::{Memory, Origin};
use crate::dtype::DType;
use crate::error::Result;
use crate::shape::{Shape, Strides};

/// Words that a body may not declare again: those that stand in front of it, and some of C++. In order.
pub const RAW_WORDS: [&str; 66] = [
    "Args",
    "Array",
    "DEVICE",
    "EXCHANGES_WIDER",
    "KERNEL",
    "LANES",
    "SHARED",
    "TABLE",
    "ballot",
    "barrier",
    "bf16",
    "block_size_x",
    "block_size_y",
    "block_size_z",
    "block_x",
    "block_y",
    "block_z",
    "bool",
    "c128",
    "c64",
    "ceil_",
    "char",
    "const",
    "double",
    "f16",
    "f32",
    "f64",
    "fence",
    "float",
    "floor_",
    "for",
    "fused",
    "global_x",
    "global_y",
    "global_z",
    "grid_barrier",
    "grid_size",
    "grid_x",
    "grid_y",
    "grid_z",
    "i16",
    "i32",
    "i64",
    "i8",
    "if",
    "int",
    "long",
    "return",
    "rint_",
    "root",
    "shared_memory",
    "short",
    "shuffle",
    "shuffle_down",
    "shuffle_up",
    "thread",
    "thread_x",
    "thread_y",
    "thread_z",
    "trunc_",
    "u16",
    "u32",
    "u64",
    "u8",
    "unsigned",
    "void",
];

/// What is compiled. Equal values share their machine code.
#[derive(Debug)]
pub struct RawCode {
    /// Name of the kernel, or of the module in errors.
    pub name: &'static str,
    /// The text.
    pub text: RawText,
    /// Whether `a * b + c` may be rounded once.
    pub contract: bool,
    /// Further options of the compiler.
    pub options: Vec<String>,
    /// Names of instances of templates that the module has to have: `scale<float>`.
    pub expressions: Vec<String>,
    hash: u64,
}

/// The text of a [`RawCode`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RawText {
    /// The body of one kernel.
    Body(RawBody),
    /// A whole module, compiled as it is.
    Module(String),
    /// Machine code, or text of the driver's own compiler.
    Binary(Vec<u8>),
}

/// The body of a kernel, and what the engine writes around it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RawBody {
    /// The parameters in order.
    pub parameters: Vec<RawParameter>,
    /// Names of types: `using T = f32`.
    pub types: Vec<(&'static str, DType)>,
    /// Macros: `#define TILE 16`.
    pub defines: Vec<(&'static str, String)>,
    /// Text in front of the kernel.
    pub preamble: String,
    /// Statements of the kernel.
    pub body: String,
    /// Whether the kernel has `grid_barrier()`.
    pub cooperative: bool,
    /// Whether accesses through the accessors are compared with the extents.
    pub checked: bool,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RawParameter {
    /// Its name in the body.
    pub name: &'static str,
    /// What it is.
    pub kind: RawKind,
}

/// What a parameter is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RawKind {
    /// A number.
    Scalar(DType),
    /// A structure of a type that the text declares, by value.
    Structure {
        /// The name of the type in the text.
        name: &'static str,
        /// Its size in bytes.
        bytes: usize,
    },
    /// An array.
    Array {
        /// Type of the elements.
        dtype: DType,
        /// Number of axes by which the body indexes; 0 if by position alone.
        rank: usize,
        /// Whether the array may lie in any way.
        strided: bool,
        /// Whether the kernel writes it.
        writes: bool,
    },
}

impl RawCode {
    /// Code with these texts and options.
    pub fn new(
        name: &'static str,
        text: RawText,
        contract: bool,
        options: Vec<String>,
        expressions: Vec<String>,
    ) -> Self {
        let mut hasher = DefaultHasher::new();
        (name, &text, contract, &options, &expressions).hash(&mut hasher);
        Self { name, text, contract, options, expressions, hash: hasher.finish() }
    }
}

impl PartialEq for RawCode {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
            || self.hash == other.hash
                && (self.name, self.contract) == (other.name, other.contract)
                && self.text == other.text
                && self.options == other.options
                && self.expressions == other.expressions
    }
}

impl Eq for RawCode {}

impl Hash for RawCode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// A launch of a kernel.
#[derive(Debug)]
pub struct RawLaunch<'a> {
    /// What it is in.
    pub code: &'a Arc<RawCode>,
    /// Its name there.
    pub kernel: &'static str,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub shared: usize,
    /// Whether all blocks run at the same time.
    pub cooperative: bool,
    /// The arguments in the order of the parameters.
    pub arguments: SmallVec<[RawArgument<'a>; 8]>,
    /// What errors say of it.
    pub origin: Origin<'a>,
}

/// An argument of a launch.
#[derive(Clone, Debug)]
pub enum RawArgument<'a> {
    /// The bytes of a number or a structure.
    Bytes(SmallVec<[u8; 16]>),
    /// An array.
    Array(RawArray<'a>),
}

/// An array as an argument. Its elements lie in its memory.
#[derive(Clone, Debug)]
pub struct RawArray<'a> {
    /// The memory.
    pub memory: &'a dyn Memory,
    /// Type of the elements.
    pub dtype: DType,
    /// First element.
    pub offset: usize,
    /// Extents.
    pub shape: &'a Shape,
    /// Step of each axis in elements.
    pub strides: &'a Strides,
    /// Whether the kernel writes it; then no other argument has this memory.
    pub writes: bool,
}

/// What a launch may have on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchLimits {
    /// Maximum number of blocks along x, y and z.
    pub grid: [u32; 3],
    /// Maximum number of threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Maximum number of threads of a block.
    pub threads_per_block: u32,
    /// Maximum number of threads of a launch along each axis.
    pub threads: u64,
    /// Maximum number of bytes of shared memory of a block.
    pub shared: usize,
    /// Bytes of shared memory of a block that no function has to ask for.
    pub shared_unasked: usize,
    /// Bytes of constant memory.
    pub constant: usize,
    /// Multiprocessors (AMD: compute units).
    pub multiprocessors: u32,
    /// Whether all blocks of a launch may run at the same time.
    pub cooperative: bool,
}

impl LaunchLimits {
    /// What launches may have on a device that runs kernels on the host: what they may on most devices.
    pub const HOST: LaunchLimits = LaunchLimits {
        grid: [i32::MAX as u32, 65535, 65535],
        block: [1024, 1024, 64],
        threads_per_block: 1024,
        threads: u32::MAX as u64,
        shared: 232_448,
        shared_unasked: 49_152,
        constant: 65_536,
        multiprocessors: 1,
        cooperative: false,
    };
}

/// What a compiled kernel is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelAttributes {
    /// Maximum number of threads of a block, which registers limit.
    pub max_threads_per_block: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of static shared memory of a block.
    pub shared_bytes: usize,
    /// Bytes of constant memory.
    pub constant_bytes: usize,
    /// Bytes of local memory of a thread: what does not fit into registers.
    pub local_bytes: usize,
    /// Blocks that a multiprocessor runs at the same time, of the block and the dynamic shared memory asked about.
    pub blocks_per_multiprocessor: u32,
    /// Multiprocessors of the device.
    pub multiprocessors: u32,
}

/// A device that compiles and launches text.
pub trait RawKernels {
    /// What launches may have; known since the device was opened.
    fn limits(&self) -> &LaunchLimits;

    /// Compiles the code if it is not yet, and says what a kernel of it is.
    fn attributes(
        &self,
        code: &Arc<RawCode>,
        kernel: &'static str,
        block: u32,
        shared: usize,
    ) -> Result<KernelAttributes>;

    /// Launches a kernel on the thread's stream. The caller vouches for the text with these arguments: it stays within
    /// their memories, writes those alone that it declares, and ends.
    fn launch(&self, launch: &RawLaunch<'_>) -> Result<()>;

    /// Number of bytes of a variable of a module.
    fn global_bytes(&self, code: &Arc<RawCode>, name: &str) -> Result<usize>;

    /// Writes a variable of a module in the order of the thread's stream. There are as many bytes as it has.
    fn write_global(&self, code: &Arc<RawCode>, name: &str, bytes: &[u8]) -> Result<()>;

    /// Reads a variable of a module; waits for the thread's stream. There are as many bytes as it has.
    fn read_global(&self, code: &Arc<RawCode>, name: &str, bytes: &mut [u8]) -> Result<()>;
}
