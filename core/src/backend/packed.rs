//! Pieces of one size, one after the other: matrices of linear algebra, rows of Fourier transforms.
//!
//! How many there are, and of what, the request says that they are part of.

use super::Memory;

/// Pieces of one size, each of packed elements, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct ContiguousView<'a> {
    /// The device's memory.
    pub memory: &'a dyn Memory,
    /// Elements in front of the first piece.
    pub offset: usize,
}
