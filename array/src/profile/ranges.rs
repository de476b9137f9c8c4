//! Ranges of time with names, in the profilers of the vendors whose backends are compiled in.

use std::ffi::CString;
use std::fmt;
use std::marker::PhantomData;
use std::sync::OnceLock;

use crate::device::range_tools;
use ndany_core::ranges::RangeTool;
use ndany_core::{LibraryReport, ranges};

/// What was found, once in a process.
struct Tools {
    found: Vec<Box<dyn RangeTool>>,
    reports: Vec<LibraryReport>,
}

/// Looks for profilers' libraries when it is first asked; later it is one atomic load.
fn tools() -> &'static Tools {
    static TOOLS: OnceLock<Tools> = OnceLock::new();
    TOOLS.get_or_init(|| {
        let of_backend = |ranges::Ranges { report, tool }| (report, tool);
        let (reports, found): (Vec<_>, Vec<_>) = range_tools().map(of_backend).unzip();
        Tools { found: found.into_iter().flatten().collect(), reports }
    })
}

/// Begins a range with a name that ends when the guard is dropped, as `cupyx.profiler.time_range`.
///
/// Profilers show it on the calling thread: NVIDIA's by NVTX, AMD's by rocTX. They are found when the first range begins. Without
/// one a range costs an atomic load, and `name` is not formatted. The macro [`range!`](crate::range) formats a name.
///
/// ```
/// use ndany::prelude::*;
/// let _range = ndany::profile::range("all of it");
/// for step in 0..3 {
///     let _range = ndany::range!("step {step}");
///     arange(10).sum(..).eval()?;
/// }
/// # Ok::<(), ndany::Error>(())
/// ```
#[must_use = "the range ends when the guard is dropped"]
pub fn range(name: impl fmt::Display) -> Range {
    let tools = &tools().found;
    if tools.is_empty() {
        return Range { tools, only_here: PhantomData };
    }
    begin(tools, &name)
}

#[cold]
fn begin(tools: &'static [Box<dyn RangeTool>], name: &dyn fmt::Display) -> Range {
    let name: String = name.to_string().chars().filter(|&letter| letter != '\0').collect();
    let name = CString::new(name).unwrap_or_default();
    tools.iter().for_each(|tool| tool.push(&name));
    Range { tools, only_here: PhantomData }
}

/// Begins a [range](crate::profile::range) whose name is formatted: `range!("step {k}")`.
///
/// ```
/// let k = 3;
/// let _range = ndany::range!("step {k}");
/// ```
#[macro_export]
macro_rules! range {
    ($($name:tt)+) => {
        $crate::profile::range(::core::format_args!($($name)+))
    };
}

/// A range under way; see [`range`]. Guards end in the reverse order of their beginning.
pub struct Range {
    tools: &'static [Box<dyn RangeTool>],
    /// A range belongs to its thread.
    only_here: PhantomData<*const ()>,
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Range").field("tools", &self.tools.len()).finish()
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        self.tools.iter().for_each(|tool| tool.pop());
    }
}

/// Returns which profilers' libraries take ranges, and why others do not.
///
/// There is a report for each backend that has such a library: NVTX with `cuda`, rocTX with `rocm`.
///
/// ```
/// for report in ndany::profile::status() {
///     match report.found {
///         Ok(library) => println!("{}: {}", report.name, library.version),
///         Err(reason) => println!("{}: {reason}", report.name),
///     }
/// }
/// ```
pub fn status() -> Vec<LibraryReport> {
    tools().reports.clone()
}
