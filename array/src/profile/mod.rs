//! Times of a function on a device, and ranges with names in a profiler's picture.
//!
//! Spans of `tracing` say where time goes without a profiler (the page `docs/timeline.md`).

mod benchmark;
mod ranges;

pub use benchmark::{Benchmark, Outcome, Times, Timings, benchmark};
pub use ranges::{Range, range, status};
