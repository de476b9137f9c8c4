//! What needs no more than the crate's public functions. It has no unit tests, so that it is compiled once.

mod blocked_lu;
mod extremes;
mod interleaved_batch;
mod products;
mod small_schur;
mod thread_buffers;
mod values_only;
