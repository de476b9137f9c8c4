//! Kernels of threads and blocks, as functions of Rust.
//!
//! A function records what a thread does; the kernel then runs on every device: as machine code of the vendor's compiler on GPUs, in
//! lockstep on the CPU, and thread by thread on the reference device, which also finds races.

mod launch;
mod places;
mod recorder;
#[cfg(test)]
mod tests;
mod value;
mod words;

use std::fmt;
use std::sync::Arc;

use ndany_core::simt::Kernel as Code;
use ndany_core::{Error, Result};
use recorder::Recorder;

#[cfg(feature = "macros")]
pub use ndany_macros::{device, kernel};
pub use places::{View, ViewMut};
pub use value::{Float, Integer, Number, Real, Value};
pub use words::{
    ballot, barrier, block_size_x, block_size_y, block_size_z, block_x, block_y, block_z, ceil_div,
    exchange, exchange_down, exchange_up, exchange_xor, global_x, global_y, global_z, grid_size,
    grid_x, grid_y, grid_z, lane, lanes, shared, thread_x, thread_y, thread_z, warp,
};

/// What the attributes write: no word of a kernel.
#[doc(hidden)]
pub mod recording {
    pub use super::Kernel;
    pub use super::places::{Coordinate, IntoView, Position, View, ViewMut};
    pub use super::recorder::Recorder;
    pub use super::value::{
        IntoConstant, IntoValue, Join, Literal, Mutable, Number, Pair, Value, Variable,
    };
}

/// A kernel of threads and blocks.
#[derive(Clone)]
pub struct Kernel {
    name: &'static str,
    code: Result<Arc<Code>, Error>,
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({})", self.name)
    }
}

impl Kernel {
    /// Records a kernel: what the attribute `kernel` makes of a function.
    #[doc(hidden)]
    pub fn record(name: &'static str, unordered: bool, f: impl FnOnce(&Recorder)) -> Kernel {
        Kernel { name, code: recorder::record(name, unordered, f) }
    }

    /// The kernel of code that something else has made.
    #[doc(hidden)]
    pub fn of_code(code: Arc<Code>) -> Kernel {
        Kernel { name: code.name(), code: Ok(code) }
    }
}
