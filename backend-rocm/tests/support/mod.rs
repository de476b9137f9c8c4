//! What tests of the backend need: what those of every vendor do, and where its own libraries are looked for.

#![allow(unused_imports, reason = "each test file uses some of it")]

#[path = "../../../gpu/tests/support/mod.rs"]
mod shared;

use std::path::Path;

pub use shared::{Folder, every, task};

ndany_core::providers![ndany_rocm::PROVIDER];

/// Where the vendor's libraries are looked for.
pub const PLACES: shared::SearchVariables =
    shared::SearchVariables { libraries: "NDANY_ROCM_LIBRARIES", homes: ["ROCM_PATH", "HIP_PATH"] };

/// Runs the test `alone` of this program in a process of its own, in which only this folder has libraries; what it
/// printed, errors last.
#[allow(dead_code, reason = "each test file uses some of it")]
pub fn process(task: &str, libraries: Option<&Path>, variables: &[(&str, &str)]) -> String {
    shared::process_among(&PLACES, task, libraries, variables)
}

/// The same in a working directory.
#[allow(dead_code, reason = "each test file uses some of it")]
pub fn process_in(directory: &Path, task: &str, variables: &[(&str, &str)]) -> String {
    shared::process_within(Some(directory), &PLACES, task, None, variables)
}
