//! What every GPU backend shares.

mod backend;
pub mod driver;
mod fault;
mod job;
mod link;
mod map;
mod memory;
mod moving;
mod operand;
mod rows;
mod runtime;
mod scan;
mod search;
mod select;
mod sort;

pub use backend::GpuBackend;
