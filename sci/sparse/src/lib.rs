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

// The attribute `kernel` writes paths of the crate `ndany`, whose names these are.
extern crate ndany_array as ndany;

mod array;
mod builder;
mod construct;
mod convert;
mod create;
pub mod csgraph;
mod display;
mod host;
mod index;
mod kernels;
pub mod linalg;
mod math;
mod merge;
#[cfg(feature = "npz")]
mod npz;
mod products;
mod reduce;
mod rows;
mod support;
mod tensor;
mod threads;

pub use array::{Format, Sparse};
pub use builder::Builder;
pub use construct::{
    block_array, block_diag, diags_array, eye_array, find, hstack, kron, kronsum, random_array,
    tril, triu, vstack,
};
pub use create::{Extents, Source, bsr_array, coo_array, csc_array, csr_array, dia_array};
pub use merge::Other;
#[cfg(feature = "npz")]
pub use npz::{load_npz, save_npz};
pub use products::{Factor, Unordered};
pub use reduce::Along;
pub use tensor::{AxisList, Contracted, SparseNd};
