//! rocTX: ranges that AMD's profilers show.

use std::ffi::c_char;

use ndany_core::FoundLibrary;
use ndany_core::ranges::Ranges;
use ndany_gpu::ranges::{RangeFunctions, found};

use crate::library;

ndany_gpu::symbols! {
    /// rocTX.
    pub(crate) struct Roctx {
        fn roctxRangePushA(name: *const c_char) -> i32;
        fn roctxRangePop() -> i32;
    }
}

/// The profiler's library.
pub(crate) fn ranges() -> Ranges {
    let tool = library::ROCTX.get().map_err(ToString::to_string).map(|library| {
        let Roctx { roctxRangePushA, roctxRangePop } = library.symbols;
        // SAFETY: the functions that rocTX documents under these names, of a library that stays open.
        let functions = unsafe { RangeFunctions::new(roctxRangePushA, roctxRangePop) };
        (functions, FoundLibrary { version: "rocTX".to_string(), path: library.path.clone() })
    });
    found("rocTX", "ranges in AMD's profilers", tool)
}
