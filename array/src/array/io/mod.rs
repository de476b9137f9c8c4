//! Input and output: NumPy's files, texts, raw bytes, printed values, arrays of the crate `ndarray`.

pub(crate) mod display;
pub(crate) mod file;
#[cfg(feature = "ndarray")]
pub(crate) mod interchange;
pub(crate) mod text;
