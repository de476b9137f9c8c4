//! Operations: the tables of rows, and their lowering to primitives.

mod float_parts;
pub mod fold;
mod integers;
pub mod lowering;
pub mod pairs;
pub mod reductions;
pub mod row;
pub mod rows;
pub mod signature;

pub use crate::formulas::Formula;
pub use fold::FoldKind;
pub use pairs::{PAIRS, PairDef};
pub use reductions::{REDUCTIONS, ReductionDef};
pub use row::{Accuracy, UfuncDef};
