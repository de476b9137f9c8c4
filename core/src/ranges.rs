//! Ranges of time with names, which a vendor's profiler shows.

use std::ffi::CStr;
use std::fmt::Debug;

use crate::report::LibraryReport;

/// A profiler's library for ranges.
pub trait RangeTool: Debug + Send + Sync {
    /// Begins a range of the calling thread, within those that it has begun and not ended.
    fn push(&self, name: &CStr);

    /// Ends the range that the calling thread has begun last.
    fn pop(&self);
}

/// What a backend finds for ranges.
#[derive(Debug)]
pub struct Ranges {
    /// What was found, or why there is nothing.
    pub report: LibraryReport,
    /// The library, if a profiler may read it.
    pub tool: Option<Box<dyn RangeTool>>,
}
