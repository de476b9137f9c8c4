//! The core of ndany.
pub mod io;
pub mod ops;
