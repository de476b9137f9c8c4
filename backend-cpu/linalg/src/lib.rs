//! Linear algebra by `faer`, in a crate of its own so that its generic code is compiled once, optimized
//! in every profile, and left out by those who do not want it.
//!
//! Functions here take plain slices and strides. Nothing of ndany is known.

pub mod factor;
mod products;
mod room;

pub use products::*;
pub use room::prepare;

/// A matrix as it lies in memory.
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
