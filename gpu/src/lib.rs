//! What every GPU backend shares.

mod backend;
pub mod blas;
pub mod driver;
#[cfg(test)]
mod fake;
mod fault;
mod folds;
mod job;
pub mod library;
mod link;
mod map;
mod matmul;
mod memory;
mod moving;
mod operand;
mod products;
mod rows;
mod runtime;
mod scan;
mod search;
mod select;
mod sort;

pub use backend::GpuBackend;
