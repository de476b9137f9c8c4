//! Reductions and scans along axes, with and without NaN.

pub(crate) mod nan;
pub(crate) mod reduce;
pub(crate) mod scan;
