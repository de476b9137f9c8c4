//! Operations: rows, their meanings, and the formulas they are made of.

pub mod algebra;
pub mod derived;
mod float_parts;
pub(crate) mod fold;
mod integers;
pub(crate) mod meaning;
pub mod pairs;
pub mod reductions;
pub mod row;
pub mod rows;
pub mod signature;

pub use derived::Formula;
pub use fold::Fold;
pub use pairs::{PAIRS, PairDef};
pub use reductions::{REDUCTIONS, Reduce, ReductionDef};
pub use row::{Accuracy, UfuncDef};
