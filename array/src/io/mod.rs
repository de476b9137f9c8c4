//! NumPy's array files as bytes: `.npy` ([`npy`]), and `.npz` (`npz`, with the feature `npz`).
//!
//! These codecs know headers, byte order and element order, and nothing of arrays, devices or
//! laziness: what they hand out is a [`Raw`], and the caller gives it meaning. A file is
//! untrusted input. Everything that a file declares is checked against what is there before
//! memory is taken for it, no length is believed by itself, and every failure is an [`IoError`]
//! that names its cause. Deliberately absent: pickled objects, structured and string dtypes,
//! memory mapping.

mod error;
mod fortran;
mod header;
pub mod npy;
#[cfg(feature = "npz")]
pub mod npz;
#[cfg(feature = "safetensors")]
pub mod safetensors;
#[cfg(test)]
mod tests;
pub mod text;

use crate::DType;
pub use error::IoError;
pub use header::Header;

/// What the functions of this module return.
pub type Result<T, E = IoError> = std::result::Result<T, E>;

/// The most dimensions an array has, as in NumPy 2.
pub const MAX_DIMS: usize = 64;

/// How the entries of an `.npz` archive are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// As they are, like `np.savez`.
    Stored,
    /// Deflated, like `np.savez_compressed`.
    Deflated,
}

/// An array as it came from a file: element type, shape and plain bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    /// The element type.
    pub dtype: DType,
    /// The lengths of the axes; empty for a 0-d array.
    pub shape: Vec<usize>,
    /// The elements, little-endian and in C order, whatever the file had; a bool is 0 or 1.
    /// The length is the product of `shape` times `dtype.size()`.
    pub data: Vec<u8>,
}
