//! What every GPU backend shares.

mod backend;
pub mod driver;
#[cfg(test)]
mod fake;
mod fault;
mod folds;
mod job;
mod link;
mod map;
mod matmul;
mod memory;
mod moving;
mod operand;
mod rows;
mod runtime;
mod scan;
mod select;

pub use backend::GpuBackend;
