//! What is NVRTC's own: the flags, and which architectures it knows.
//!
//! It makes a cubin rather than PTX, because PTX of a newer NVRTC does not load on an older driver, and no second compiler
//! runs when a cubin is loaded.

use std::ffi::CStr;

use ndany_gpu::library::{Found, LazyLibrary};
use ndany_gpu::vendor::Toolchain;
use ndany_gpu::vendor::rtc::{Api, Names};

use crate::library;

#[cfg(test)]
use cudarc::nvrtc::sys as bindings;

ndany_gpu::names! {
    const NAMES: rtc, compared with bindings by signatures_are_those_of_other_bindings;
    version: nvrtcVersion,
    create: nvrtcCreateProgram,
    destroy: nvrtcDestroyProgram,
    compile: nvrtcCompileProgram,
    log_size: nvrtcGetProgramLogSize,
    log: nvrtcGetProgramLog,
    image_size: nvrtcGetCUBINSize,
    image: nvrtcGetCUBIN,
    add_expression: nvrtcAddNameExpression,
    lowered_name: nvrtcGetLoweredName,
}

ndany_gpu::symbols! {
    /// What other compilers do not have alike.
    pub struct Own checked by bindings {
        optional fn nvrtcGetErrorString(code: u32) -> *const u8;
        optional fn nvrtcGetNumSupportedArchs(count: *mut i32) -> u32;
        optional fn nvrtcGetSupportedArchs(architectures: *mut i32) -> u32;
    }
}

/// NVIDIA's run-time compiler.
#[derive(Debug)]
pub struct Nvrtc {
    /// Numbers of the architectures that it knows, where it says so.
    architectures: Option<Vec<i32>>,
}

// SAFETY: a test compares signatures with bindings of another project.
unsafe impl Toolchain for Nvrtc {
    type Own = Own;

    const NAME: &'static str = "NVRTC";
    const NAMES: Names = NAMES;
    const FLAGS: &'static [&'static CStr] =
        &[c"--fmad=false", c"--prec-div=true", c"--prec-sqrt=true", c"--ftz=false", c"--std=c++17"];
    const CONTRACTION: [&'static CStr; 2] = [c"--fmad=false", c"--fmad=true"];
    const TARGET: &'static str = "--gpu-architecture=";
    const FILE: &'static CStr = c"ndany.cu";
    // Measured: threads of one library compile one after the other.
    const LOCKS: bool = true;

    fn library() -> &'static LazyLibrary<Api<Self>> {
        &library::NVRTC
    }

    fn new(api: &Api<Self>) -> Self {
        let architectures = (|| {
            let [count, list] =
                [api.own.nvrtcGetNumSupportedArchs?, api.own.nvrtcGetSupportedArchs?];
            let mut length = 0;
            // SAFETY: it writes a number.
            let known = unsafe { count(&mut length) } == 0;
            let mut architectures = vec![0; usize::try_from(length).ok().filter(|_| known)?];
            // SAFETY: it writes as many numbers as it has just said.
            (unsafe { list(architectures.as_mut_ptr()) } == 0).then_some(architectures)
        })();
        Self { architectures }
    }

    fn version(_: &Found<Api<Self>>, number: String) -> String {
        number
    }

    fn error_strings(own: &Own) -> Option<unsafe extern "C" fn(u32) -> *const u8> {
        own.nvrtcGetErrorString
    }

    fn knows(&self, architecture: &str, _: &dyn Fn() -> bool) -> bool {
        let number = architecture.strip_prefix("sm_").and_then(|number| number.parse().ok());
        match (&self.architectures, number) {
            (Some(known), Some(number)) => known.contains(&number),
            // It does not say, or the name has a letter: it is asked.
            _ => true,
        }
    }

    fn refuses_architecture(log: &str) -> bool {
        log.contains("gpu-architecture")
    }

    fn hint(&self, architecture: &str) -> String {
        let known = self.architectures.as_deref().unwrap_or_default();
        let wanted = architecture.trim_start_matches("sm_").trim_end_matches(['a', 'f']);
        let wanted: i32 = wanted.parse().unwrap_or(0);
        let hint = match known.first() {
            Some(&oldest) if wanted < oldest => {
                "it has grown too old for this one: `pip install nvidia-cuda-nvrtc-cu12`, or list the folder of an \
                 older NVRTC in NDANY_CUDA_LIBRARIES"
            }
            _ => {
                "install a newer one: `pip install --upgrade nvidia-cuda-nvrtc`, or list its folder in \
                 NDANY_CUDA_LIBRARIES"
            }
        };
        hint.to_string()
    }
}
