//! Sparse arrays, as `scipy.sparse`, over the arrays of ndany: compressed rows and columns, coordinates, diagonals and blocks, with
//! the same bits on every device.
//!
//! ```
//! use ndany::prelude::*;
//! # let _guard = ndany::Device::open("reference")?.enter();
//! let (rows, columns) = (array([0, 1, 1]), array([1, 0, 2]));
//! let a = sparse::coo_array((array([1.0, 2.0, 3.0]), (&rows, &columns)), (2, 3)).to_csr();
//! assert_eq!(a.matmul(array([1.0, 10.0, 100.0])).to_string(), "[ 10. 302.]");
//! assert_eq!((&a * 2.0).sum(0).to_string(), "[4. 2. 6.]");
//! # Ok::<(), ndany::Error>(())
//! ```
//!
//! The parts of a sparse array are ordinary arrays: `data` may be pending, and elementwise functions of it fuse. Conversions sort,
//! search and scan on the device; what is read from it is the numbers of entries that say how large a result is.

#![forbid(unsafe_code)]

mod array;
mod construct;
mod convert;
mod create;
pub mod csgraph;
mod index;
mod kernels;
pub mod linalg;
mod math;
mod merge;
mod products;
mod reduce;
mod rows;
mod support;

pub use array::{Format, Sparse};
pub use construct::{
    block_array, diags_array, eye_array, find, hstack, kron, random_array, tril, triu, vstack,
};
pub use create::{Extents, Source, bsr_array, coo_array, csc_array, csr_array, dia_array};
pub use merge::Other;
pub use products::Factor;
pub use reduce::Along;
