//! What every GPU backend shares.

mod backend;
mod cache;
pub mod driver;
#[cfg(test)]
mod fake;
mod fault;
mod job;
mod link;
mod map;
mod memory;
mod modules;
mod moving;
mod operand;
mod pool;
mod rows;
mod runtime;
mod scan;
mod select;
mod settings;
mod staging;
mod stream;

pub use backend::GpuBackend;
pub use pool::PoolStatistics;
pub use stream::{GpuStream, StreamGuard};
