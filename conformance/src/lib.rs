//! The conformance suite of ndany: golden cases made outside this code, replayed on any device.
//!
//! A parent process (`supervisor`) hands cases to worker processes (`worker`) that run them through
//! `engine` and judge them with `compare`; `suite` puts the runs together and `report` shows them.
//! The judge shares no code with the engine. No golden value is made here: `oracle/generate.py` does.

pub mod argument;
pub mod arrays;
pub mod choose;
pub mod command;
pub mod compare;
pub mod digest;
pub mod distribution;
pub mod engine;
pub mod host;
pub mod known;
pub mod manifest;
mod matrix;
pub mod npy;
pub mod programs;
pub mod property;
pub mod report;
#[cfg(feature = "sparse")]
mod sparse;
pub mod suite;
pub mod supervisor;
pub mod tolerance;
pub mod vendor;
#[cfg(test)]
mod watched;
pub mod worker;
