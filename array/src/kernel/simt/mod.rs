//! Kernels of threads and blocks, as functions of Rust.
//!
//! A function with the attribute `#[kernel]` (feature `macros`) says what one thread does. It is rewritten to one that records, so
//! rustc checks its types and shows errors at their places; the kernel then runs on every device: as machine code of the vendor's
//! compiler on GPUs, in lockstep on the CPU, and thread by thread on the reference device, which also finds races.
//!
#![cfg_attr(feature = "macros", doc = "```")]
#![cfg_attr(not(feature = "macros"), doc = "```ignore")]
//! use ndany::{kernel::simt::*, prelude::*};
//!
//! #[kernel]
//! fn saxpy<T: Real>(a: T, x: &[T], y: &mut [T]) {
//!     let i = global_x();
//!     if i < y.len() {
//!         y[i] = a * x[i] + y[i];
//!     }
//! }
//!
//! let device = Device::open("reference")?;
//! # let _guard = device.enter();
//! let (x, mut y) = (array([1.0f32, 2.0, 3.0]), array([10.0f32, 20.0, 30.0]));
//! saxpy::<f32>().launch(&device, 1, 64, (2.0f32, &x, &mut y))?;
//! assert_eq!(y.to_string(), "[12. 24. 36.]");
//! # Ok::<(), ndany::Error>(())
//! ```
//!
//! # What a kernel contains
//!
//! | | meaning |
//! |---|---|
//! | `a: T`, `x: &[T]`, `y: &mut [T]` | parameters: a number, an array that is read, one that is written |
//! | `&Matrix<T>`, `&mut Matrix<T>`, `&Tensor<T, 3>` | arrays of two and three axes; only the attributes know these names |
//! | `#[comptime] n: u32`, const generics | known numbers: parameters of the function that makes the kernel |
//! | `let x = …`, `let (a, mut b) = …`, `let n: u32 = …` | values, variables, types; a variable that starts with a literal needs a type, `0u32` |
//! | `a + b`, `a < b`, `a && b`, `!a`, `x as u32` | operands have one type; a literal takes that of the other operand |
//! | `x[i]`, `m[(i, j)]`, `x[i] += v` | elements; a read out of bounds gives 0, a write does nothing, and the launch has an error |
//! | `if`, `match` on literals | branches, also as values |
//! | `while`, `loop`, `for i in a..b`, `for i in (a..b).step_by(s)` | loops; `for` between known ends is unrolled, up to 64 turns, unless it has `break` or `continue` |
//! | `break`, `continue`, `return` | leave a loop, its turn, or the function |
//! | `f(a, &x, &mut y)` | calls of words and of functions with the attribute `#[device]`, which return numbers |
//! | `x.sqrt()`, `x.max(y)` | the methods of [`Value`], [`View`] and [`ViewMut`] |
//!
//! What is made of literals, constants in upper case, const generics and `#[comptime]` parameters alone is Rust, computed when the
//! kernel is recorded: `if TILE > 8 { … }` chooses what is recorded, and `shared::<T>(TILE * TILE)` has a fixed size.
//! `#[comptime] let` takes any expression of Rust of these.
//!
//! # Words
//!
//! | | |
//! |---|---|
//! | [`thread_x`], [`block_x`], [`block_size_x`], [`grid_x`], [`global_x`], … `_y`, `_z`, [`grid_size`] | where a thread is |
//! | [`lane`], [`warp`], [`lanes`] | where it is in its warp |
//! | [`shared`] | an array in the shared memory of the block |
//! | [`barrier`] | waits for all threads of the block |
//! | [`exchange`], [`exchange_down`], [`exchange_up`], [`exchange_xor`], [`ballot`] | values of other lanes of the warp |
//! | [`ViewMut::atomic_add`] and others | atomic operations |
//! | [`ceil_div`], [`complex`], [`Number::zero`], [`Number::one`] | helpers |
//!
//! # What is refused
//!
//! - **At compile time**, all places at once, each with its remedy: closures, `?`, references outside of arguments, structures,
//!   strings, macros, labels, `a..=b`, recursion; and what rustc finds in types.
//! - **By `launch`**: a barrier that some threads of a block do not reach, or an exchange that some lanes of a warp do not reach, with
//!   the places of it and of the branch; atomic sums of floats without `#[kernel(unordered)]`.

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
pub use value::{Arithmetic, Float, Integer, Number, Part, Plain, Real, Value};
pub use words::{
    ballot, barrier, block_size_x, block_size_y, block_size_z, block_x, block_y, block_z, ceil_div,
    complex, exchange, exchange_down, exchange_up, exchange_xor, global_x, global_y, global_z,
    grid_size, grid_x, grid_y, grid_z, lane, lanes, shared, thread_x, thread_y, thread_z, warp,
};

/// What the attributes write: no word of a kernel.
#[doc(hidden)]
pub mod recording {
    pub use super::Kernel;
    pub use super::places::{Coordinate, IntoView, Position, View, ViewMut};
    pub use super::recorder::{Depth, Recorder};
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
