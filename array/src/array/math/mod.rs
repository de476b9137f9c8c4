//! Mathematics beyond elementwise operations: differences, convolution, interpolation, limits, angles and phases.

pub(crate) mod angle;
pub(crate) mod convolve;
pub(crate) mod difference;
pub(crate) mod interpolate;
pub(crate) mod limits;
pub(crate) mod unwrap;
