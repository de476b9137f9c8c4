//! Input and output: NumPy's files, texts, raw bytes, printed values, arrays of the crate `ndarray`, page-locked memory of the
//! host, memory of other libraries.

pub(crate) mod display;
pub(crate) mod file;
pub(crate) mod foreign;
pub(crate) mod host_buffer;
#[cfg(feature = "ndarray")]
pub(crate) mod interchange;
pub(crate) mod text;
