//! Kernels of one's own, made of closures: elementwise functions and reductions that fuse with the operations around them and
//! give the same bits on every device.
//!
//! A closure over [`Val`]s is run for each combination of dtypes, once or twice. It records what it does as a program, which then is the
//! kernel of every device: no text in another language, no compiler on the CPU. All of NumPy's elementwise operations are
//! methods of a [`Val`], numbers follow the dtype of the value that they meet (NEP 50), and 16-bit floats round after each
//! operation, as in arrays.
//!
//! ```
//! use ndany::{kernel::elementwise, prelude::*};
//! # let _guard = Device::open("reference")?.enter();
//! let squared_distance = elementwise("squared_distance", |_, [x, y]| [(x - y).square()]);
//! let [d] = squared_distance.call((&array([1.0, 2.0]), 0.5));
//! assert_eq!(d.sum(0).item::<f64>()?, 2.5);          // one pass over memory
//! # Ok::<(), ndany::Error>(())
//! ```
//!
//! # What a closure may do
//!
//! - **Branches** are selections: `x.less(0).select(-x, x)`. Both sides are computed.
//! - **Loops** over Rust's ranges are unrolled. A loop whose length depends on values is [`Scope::repeat_while`].
//! - **Numbers of the program** that the closure captures are constants of the kernel: another number is another kernel. A
//!   number that changes from call to call is a [parameter](Elementwise::param).
//! - **Positions**: [`Scope::index`] is the position of the element in the result, [`Scope::coordinate`] that along an axis;
//!   [`Scope::size`] and [`Scope::extent`] count elements.
//! - **Other elements**: an operand that is declared [whole](Elementwise::whole) is read [at positions](Val::at): stencils, tables,
//!   searches.
//! - **Neighbours** at constant offsets are a [`stencil`](fn@stencil), whose interior is as fast as memory.
//! - **Running results** along an axis are a [`scan`](fn@scan).
//!
//! ```
//! use ndany::{kernel::elementwise, prelude::*};
//! # let _guard = Device::open("reference")?.enter();
//! // Steps until |z| > 2 of z ← z² + c, at most 100: a loop with state.
//! let mandelbrot = elementwise("mandelbrot", |k, [re, im]| {
//!     let state = [re.zero(), im.zero(), k.value(0)];
//!     let [.., steps] = k.repeat_while(
//!         100,
//!         state,
//!         |[x, y, _]| (x * x + y * y).less_equal(4.0),
//!         |[x, y, n]| [x * x - y * y + re, 2.0 * x * y + im, n + 1],
//!     );
//!     [steps]
//! });
//! let [steps] = mandelbrot.call((&array([0.0, 1.0, -0.75]), &array([0.0, 1.0, 0.5])));
//! assert_eq!(steps.to_string(), "[100   2   6]");
//! # Ok::<(), ndany::Error>(())
//! ```
//!
//! What a closure cannot say (shared memory, barriers, atomics, a grid of one's own) is a function in the language of [`simt`], which runs
//! on every device, or a [`RawKernel`] or a [`RawModule`] of C++ text, which runs on GPUs alone.

mod elementwise;
mod folds;
mod operands;
mod params;
mod raw;
mod record;
mod reduction;
mod scan;
mod scope;
pub mod simt;
mod stencil;
#[cfg(test)]
mod tests;
mod val;
mod whole;

pub use elementwise::{Elementwise, elementwise};
pub use ndany_core::backend::KernelAttributes;
pub use operands::Operands;
pub use raw::{
    Argument, Definition, Extents, Init, RawArguments, RawKernel, RawLayout, RawModule, RawOperand,
    RawType, Structure,
};
pub use reduction::{Reduction, reduction};
pub use scan::{Scan, scan};
pub use scope::Scope;
pub use stencil::{Boundary, Stencil, stencil};
pub use val::{KernelOperand, Val};
pub use whole::{IntoKernelPositions, KernelPositions, OutOfRange};
