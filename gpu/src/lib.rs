//! What every GPU backend shares.

mod backend;
pub mod blas;
mod cache;
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
mod modules;
mod moving;
mod operand;
mod pool;
mod products;
pub mod recording;
mod rows;
mod runtime;
mod scan;
mod search;
mod select;
mod settings;
mod sort;
mod staging;
mod stream;

pub use backend::GpuBackend;
pub use pool::PoolStatistics;
pub use stream::{GpuStream, StreamGuard};
