//! What every GPU backend shares.

mod backend;
pub mod blas;
pub mod driver;
mod fault;
mod job;
pub mod library;
mod link;
mod map;
mod memory;
mod moving;
mod operand;
mod rows;
mod runtime;
mod scan;
mod select;

pub use backend::GpuBackend;
