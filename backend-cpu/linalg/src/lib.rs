//! Linear algebra by `faer`, in a separate crate so that its generic code is compiled once, optimized in every
//! profile, and optional.
//!
//! Functions take plain slices and strides. The crate does not depend on ndany.

pub mod factor;
mod products;
mod thread_buffers;

use faer::Par;

pub use products::*;
pub use thread_buffers::prepare;

/// A strided matrix.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<T> {
    /// The element of row 0 and column 0.
    pub start: *const T,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Elements from one row to the next.
    pub row_stride: isize,
    /// Elements from one column to the next.
    pub column_stride: isize,
}

/// How the library divides work among the threads of the calling rayon pool. On WebAssembly it has no threads.
fn par(threads: usize) -> Par {
    match threads {
        #[cfg(not(target_family = "wasm"))]
        2.. => Par::rayon(threads),
        _ => Par::Seq,
    }
}
