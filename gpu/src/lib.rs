//! What every GPU backend shares.

// The patterns, which use the run-time half, come next.
#![allow(dead_code)]

pub mod driver;
#[cfg(test)]
mod fake;
mod fault;
mod link;
mod memory;
mod runtime;
