//! What can be wrong with an array file: one variant a cause.
//!
//! Texts quote the file, which is untrusted: every quotation is cut to a bounded length and
//! escaped where it is taken, so that a hostile name cannot write control characters to a
//! terminal or fill a log.

use std::io;
use std::path::PathBuf;

use super::MAX_NDIM;
use crate::dtype::DType;

/// Why a file could not be read or written.
///
/// ```
/// use ndany::io::{npy, IoError};
/// let error = npy::decode(b"GIF89a, and more of it").unwrap_err();
/// assert!(matches!(error, IoError::Magic { .. }));
/// assert_eq!(
///     error.to_string(),
///     "[load] this is not an npy file: expected it to begin with \\x93NUMPY, got GIF89a"
/// );
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IoError {
    /// The file could not be opened.
    #[error("[load] the file does not open: expected a readable file, got {path:?}: {source}")]
    Open {
        /// The path as given.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file could not be made.
    #[error("[save] the file cannot be made: expected a writable path, got {path:?}: {source}")]
    Create {
        /// The path as given.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The source gave an error while it was read.
    #[error("[load] reading failed: expected more bytes, got {0}")]
    Read(#[source] io::Error),
    /// The sink gave an error while it was written.
    #[error("[save] writing failed: expected the sink to take all bytes, got {0}")]
    Write(#[source] io::Error),
    /// The bytes end early.
    #[error("[load] the {what} is truncated: expected {expected} bytes, got {got}")]
    Truncated {
        /// Which part ends early.
        what: &'static str,
        /// Bytes that the part needs.
        expected: u64,
        /// Bytes that are there.
        got: u64,
    },
    /// The file is longer than its header says.
    #[error("[load] bytes follow the array: expected {expected} bytes of data, got {got}")]
    TrailingBytes {
        /// Bytes that the header declares.
        expected: u64,
        /// Bytes that are there.
        got: u64,
    },
    /// The file does not begin as an npy file does.
    #[error(
        "[load] this is not an npy file: expected it to begin with \\x93NUMPY, got {}",
        got.escape_ascii()
    )]
    Magic {
        /// The first six bytes.
        got: [u8; 6],
    },
    /// The format version is none that exists.
    #[error("[load] the npy version is unknown: expected 1.0, 2.0 or 3.0, got {major}.{minor}")]
    Version {
        /// The major number.
        major: u8,
        /// The minor number.
        minor: u8,
    },
    /// The header is longer than any header of a supported dtype.
    #[error("[load] the npy header is too long: expected at most {limit} bytes, got {got}")]
    HeaderTooLong {
        /// The most that is read.
        limit: u64,
        /// What the file declares.
        got: u64,
    },
    /// The header is not the dict literal that it must be.
    #[error("[load] the npy header is malformed at byte {at}: expected {expected}, got {got}")]
    HeaderSyntax {
        /// Offset into the header's text.
        at: usize,
        /// What the grammar allows here.
        expected: &'static str,
        /// The beginning of what is there, escaped.
        got: String,
    },
    /// The header has a key that the format does not know.
    #[error(
        "[load] the npy header has an unknown key: expected descr, fortran_order and shape, \
         got {key}"
    )]
    UnknownKey {
        /// The key, escaped.
        key: String,
    },
    /// The header has a key twice.
    #[error("[load] the npy header repeats a key: expected {key} once, got it twice")]
    RepeatedKey {
        /// The key.
        key: &'static str,
    },
    /// The header lacks a key.
    #[error(
        "[load] the npy header lacks a key: expected descr, fortran_order and shape, got no {key}"
    )]
    MissingKey {
        /// The key.
        key: &'static str,
    },
    /// The elements are of a type that is not read.
    #[error(
        "[load] the dtype is not supported: expected a bool, integer, float or complex descr \
         such as '<f4', got {descr} ({kind})"
    )]
    UnsupportedDescr {
        /// The descr, cut and escaped.
        descr: String,
        /// What the descr means.
        kind: &'static str,
    },
    /// An axis has a negative length.
    #[error("[load] axis {axis} has a negative length: expected 0 or more, got {got}")]
    NegativeDimension {
        /// The axis.
        axis: usize,
        /// The number, cut.
        got: String,
    },
    /// The array has too many axes.
    #[error("[load/save] too many dimensions: expected at most {MAX_NDIM}, got {got} or more")]
    TooManyDimensions {
        /// Axes counted when the limit was passed.
        got: usize,
    },
    /// The array cannot exist in the address space.
    #[error(
        "[load/save] the array is too big: expected at most {} bytes, got shape {shape} of {dtype:?}",
        isize::MAX
    )]
    ShapeOverflow {
        /// The shape, cut.
        shape: String,
        /// The element type.
        dtype: DType,
    },
    /// The memory for the data is not to be had.
    #[error("[load] out of memory: expected room for {bytes} bytes, got none")]
    OutOfMemory {
        /// Bytes that were asked for.
        bytes: u64,
    },
    /// The caller's buffer or data does not have the array's length.
    #[error("[load/save] the buffer does not fit the array: expected {expected} bytes, got {got}")]
    DataLength {
        /// Bytes that shape and dtype make.
        expected: u64,
        /// Bytes that were given.
        got: u64,
    },
    /// The file is no sound safetensors file.
    #[error("[load] this is no sound safetensors file: {0}")]
    SafeTensors(String),
    /// A dtype that ndany does not have.
    #[error("[load] the dtype is not supported: got {got}")]
    Dtype {
        /// The dtype's name.
        got: String,
    },
    /// The zip archive around the arrays is damaged, or of a kind that is not read.
    #[error("[load] the npz archive cannot be read: expected a zip archive, got {0}")]
    Archive(#[source] io::Error),
    /// Two entries have one name.
    #[error("[load/save] the npz archive repeats a name: expected {name} once, got it twice")]
    RepeatedName {
        /// The name, cut and escaped.
        name: String,
    },
    /// No entry has the name.
    #[error("[load] the npz archive has no such array: expected one of {names}, got {name}")]
    NoSuchName {
        /// The name that was asked for, cut and escaped.
        name: String,
        /// The names that are there, cut.
        names: String,
    },
    /// What an entry declares about its size contradicts itself or the archive.
    #[error(
        "[load] the npz entry lies about its size: expected {expected} bytes at most, \
         got a declared {got}"
    )]
    EntrySize {
        /// The most that is possible.
        expected: u64,
        /// What is declared.
        got: u64,
    },
    /// A compressed entry would become larger than the reader allows.
    #[error(
        "[load] the compressed npz entry is too big: expected at most {limit} bytes, got {got}; \
         raise npz::Reader::inflate_limit if the file is to be trusted"
    )]
    InflateLimit {
        /// The reader's limit.
        limit: u64,
        /// What the entry would become.
        got: u64,
    },
    /// One array of an archive is wrong.
    #[error("[load] npz entry {name}: {}", source.to_string().trim_start_matches("[load] "))]
    Entry {
        /// The entry's name, cut and escaped.
        name: String,
        /// What is wrong with it.
        source: Box<IoError>,
    },
}
