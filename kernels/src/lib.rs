//! Device code of ndany: what to run, as C++ text that NVRTC, hipRTC and a host's compiler take.
//!
//! - `text`: instructions and combinations of a program
//! - `branches`: the order of registers, and slow paths in branches
//! - `functions`: large loops that stand several times, as functions
//! - `constants`: float64 literals in constant memory
//! - `layout`: how arrays lie, as far as text depends on it
//! - `map`, `reduce`, …: one file per execution pattern, with the order of its arguments
//! - `cut`: any of them for launches that are cut into parts
//! - `device/`: the meaning of primitives and what kernels share, in C++; one file of words a vendor
//!
//! A [`Kernel`] is a value that says everything its text depends on; equal values are one kernel. No GPU interface is
//! known here, and no vendor but by its [`Dialect`].

#![forbid(unsafe_code)]

mod branches;
pub mod columns;
mod constants;
pub mod correlate;
pub mod cut;
mod dialect;
pub mod factor;
pub mod folds;
pub mod fourier;
mod functions;
pub mod gather_scatter;
pub mod gemm;
mod indent;
pub mod layout;
mod lines;
pub mod map;
pub mod nth_element;
pub mod pack;
pub mod partition_three_way;
pub mod raw;
mod row_cache;
pub mod rows;
pub mod scan;
pub mod search;
pub mod select;
pub mod simt;
pub mod sort;
pub mod steps;
mod text;
pub mod tiles;

use std::fmt::Debug;
use std::hash::Hash;

use indent::indented;

pub use dialect::{CUDA, Dialect, HIP_32, HIP_64};

/// Maximum number of threads of a block in any kernel.
pub const MAX_BLOCK: u32 = 512;

/// What a kernel's text depends on.
pub trait Kernel: Debug + Clone + Eq + Hash + Send + Sync + 'static {
    /// The text for a vendor.
    fn source(&self, dialect: &Dialect) -> Source;
}

/// A kernel as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// All of it.
    pub text: String,
    /// The name of the kernel.
    pub entry: &'static str,
}

impl Source {
    /// A kernel of a text whose generated lines are not indented yet.
    pub(crate) fn new(text: &str, entry: &'static str) -> Self {
        Self { text: indented(&constants::pooled(text)), entry }
    }

    /// The words and meanings that stand in front of every kernel.
    fn begin(dialect: &Dialect) -> String {
        [dialect.preamble, include_str!("device/prelude.h"), constants::PLACE].concat()
    }
}
