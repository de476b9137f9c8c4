//! HIP's kernels as they run on an NVIDIA card: NVRTC takes their text with HIP's words in front, through the ROCm
//! backend's own compiler and the library that forwards.

use std::path::PathBuf;

use ndany_kernels::HIP_32;
use ndany_rocm::RocmCompiler;

use super::{Options, collect, compile, refuses};
use crate::stand_ins;

/// An H100.
const ARCHITECTURE: &str = "gfx-sm90";

/// Where the backend finds the library, which is built.
pub(super) fn place() -> Result<(&'static str, PathBuf), String> {
    Ok(("NDANY_ROCM_LIBRARIES", stand_ins::FORWARD.prepare()?))
}

/// Collects kernels, compiles them, and prints how many and how long.
pub(super) fn run(options: &Options) -> Result<(), String> {
    let compiler = RocmCompiler::open().map_err(|error| error.to_string())?;
    refuses(&compiler, ARCHITECTURE)?;
    let kernels = collect(options, ARCHITECTURE, &HIP_32)?;
    compile(&compiler, &[ARCHITECTURE], &kernels)
}
