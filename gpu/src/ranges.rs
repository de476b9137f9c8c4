//! A profiler's two functions for ranges, whatever the vendor calls them.

use std::ffi::{CStr, c_char};

use ndany_core::ranges::{RangeTool, Ranges};
use ndany_core::{FoundLibrary, LibraryError, LibraryReport};

/// Begins a range of the thread.
pub type Push = unsafe extern "C" fn(name: *const c_char) -> i32;

/// Ends the last one.
pub type Pop = unsafe extern "C" fn() -> i32;

/// A library's functions for ranges. It stays open until the process ends.
#[derive(Clone, Copy, Debug)]
pub struct RangeFunctions {
    push: Push,
    pop: Pop,
}

impl RangeFunctions {
    /// These functions.
    ///
    /// # Safety
    /// They have the meaning that the types of their pointers say, and may be called by any thread until the process ends.
    pub unsafe fn new(push: Push, pop: Pop) -> Self {
        Self { push, pop }
    }
}

impl RangeTool for RangeFunctions {
    fn push(&self, name: &CStr) {
        // SAFETY: as of `new`; the name ends with a zero, and the function keeps no pointer to it.
        unsafe { (self.push)(name.as_ptr()) };
    }

    fn pop(&self) {
        // SAFETY: as of `new`.
        unsafe { (self.pop)() };
    }
}

/// What a vendor finds for ranges.
pub fn found(
    name: &'static str,
    purpose: &'static str,
    found: Result<(RangeFunctions, FoundLibrary), String>,
) -> Ranges {
    let report = |found| LibraryReport {
        name,
        purpose,
        without: "ranges are shown nowhere and cost nothing",
        found,
    };
    match found {
        Ok((functions, library)) => {
            Ranges { report: report(Ok(library)), tool: Some(Box::new(functions)) }
        }
        Err(reason) => Ranges { report: report(Err(LibraryError::new(reason))), tool: None },
    }
}
