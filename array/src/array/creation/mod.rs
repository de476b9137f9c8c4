//! Creation: arrays from Rust values, filled, of ranges and grids, and of diagonals and triangles.

pub(crate) mod create;
pub(crate) mod diagonal;
pub(crate) mod grids;
pub(crate) mod ranges;
