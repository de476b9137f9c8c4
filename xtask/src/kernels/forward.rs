//! HIP's kernels as they run on an NVIDIA card: NVRTC takes their text with HIP's words in front, through the ROCm
//! backend's own compiler and the library that forwards.

use ndany_kernels::HIP_32;
use ndany_rocm::RocmCompiler;

use super::nvrtc::{again, compile, has_nvrtc, refuses};
use super::{Options, collect, part};
use crate::stand_ins;

/// An H100.
const ARCHITECTURE: &str = "gfx-sm90";

/// Collects kernels, compiles them, and prints how many and how long.
pub(super) fn run(options: &Options) -> Result<(), String> {
    if !has_nvrtc() {
        // Where the backend finds the library, which is built.
        let place = ("NDANY_ROCM_LIBRARIES", stand_ins::FORWARD.prepare()?);
        return again(options, "--forward", &[place]);
    }
    let compiler = RocmCompiler::open().map_err(|error| error.to_string())?;
    refuses(&compiler, ARCHITECTURE)?;
    let kernels = collect(options, ARCHITECTURE, &HIP_32, "hip")?;
    compile(&compiler, &[ARCHITECTURE], &part(&kernels, options.every, 0))
}
