//! What backends of ndany need, apart from arrays and the graph: dtypes, shapes and errors, the tables of operations and
//! their meanings, programs, the canonical plan of reductions, and the seam to devices.
//!
//! A backend starts at [`backend`], an operation at [`ops`]. The crate `ndany-array` has the arrays; applications use the crate
//! `ndany`, which adds the backends.

#![forbid(unsafe_code)]

pub mod backend;
mod call_site;
pub mod dry_run;
mod dtype;
mod error;
pub mod float;
pub mod formulas;
pub mod host;
mod limits;
mod names;
mod number;
pub mod ops;
pub mod plan;
pub mod program;
mod provider;
pub mod ranges;
mod report;
pub mod shape;
pub mod simt;

pub use backend::PoolStatistics;
pub use call_site::{CallSite, CallSiteGuard};
pub use dtype::{Bytes, Casting, DType, Element, Kind};
pub use error::{Error, IoError, MemoryState, Result, ShapeText};
/// The types of elements that Rust itself does not have.
pub use half::{bf16, f16};
pub use limits::{FInfo, IInfo, finfo, iinfo};
pub use num_complex::{Complex32, Complex64};
pub use number::{Number, read_number};
pub use provider::{AnyTable, Provider};
pub use report::{DeviceReport, FoundLibrary, LibraryError, LibraryReport, Report};
