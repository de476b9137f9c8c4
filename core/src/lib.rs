//! The core of ndany.
pub mod ops;
