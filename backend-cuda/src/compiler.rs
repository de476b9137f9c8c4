//! NVRTC as a [`Compiler`]: text to a cubin of the device's own architecture.
//!
//! A cubin rather than PTX, because PTX of a newer NVRTC does not load on an older driver, and no second compiler runs
//! when it is loaded. Deliberately absent: headers, and any flag that lets the compiler change bits.

use std::ffi::{CStr, CString};
use std::path::PathBuf;

use ndany_gpu::driver::{CompileError, Compiler};
use ndany_gpu::rtc::{Compiled, Rtc};

use crate::library::{self, Nvrtc};

/// No contraction, no fast-math, nothing flushed: what keeps the bits equal.
const FLAGS: [&CStr; 5] =
    [c"--fmad=false", c"--prec-div=true", c"--prec-sqrt=true", c"--ftz=false", c"--std=c++17"];

/// The run-time compiler.
#[derive(Debug)]
pub struct CudaCompiler {
    rtc: Rtc,
    path: Option<PathBuf>,
    version: String,
    /// Numbers of the architectures that it knows, where it says so.
    architectures: Option<Vec<i32>>,
}

/// The version of the library.
pub(crate) fn version(nvrtc: &Nvrtc) -> String {
    let [mut major, mut minor] = [0; 2];
    // SAFETY: it writes two numbers.
    unsafe { (nvrtc.nvrtcVersion)(&mut major, &mut minor) };
    format!("{major}.{minor}")
}

impl CudaCompiler {
    /// Finds NVRTC and asks it what it knows.
    ///
    /// # Errors
    /// [`CompileError::Absent`], with what was tried and how to mend it.
    pub fn open() -> Result<Self, CompileError> {
        let found = library::nvrtc()
            .map_err(|absent| CompileError::Absent { reason: absent.to_string() })?;
        let nvrtc = &found.symbols;
        let architectures = (|| {
            let [count, list] = [nvrtc.nvrtcGetNumSupportedArchs?, nvrtc.nvrtcGetSupportedArchs?];
            let mut length = 0;
            // SAFETY: it writes a number.
            let known = unsafe { count(&mut length) } == 0;
            let mut architectures = vec![0; usize::try_from(length).ok().filter(|_| known)?];
            // SAFETY: it writes as many numbers as it has just said.
            (unsafe { list(architectures.as_mut_ptr()) } == 0).then_some(architectures)
        })();
        let rtc = Rtc {
            create: nvrtc.nvrtcCreateProgram,
            destroy: nvrtc.nvrtcDestroyProgram,
            compile: nvrtc.nvrtcCompileProgram,
            log_size: nvrtc.nvrtcGetProgramLogSize,
            log: nvrtc.nvrtcGetProgramLog,
            image_size: nvrtc.nvrtcGetCUBINSize,
            image: nvrtc.nvrtcGetCUBIN,
            words: nvrtc.nvrtcGetErrorString,
        };
        Ok(Self {
            rtc,
            path: found.path.clone(),
            version: format!("NVRTC {}", version(nvrtc)),
            architectures,
        })
    }

    /// The library's file, where the loader says so.
    pub fn path(&self) -> Option<&PathBuf> {
        self.path.as_ref()
    }

    fn knows(&self, architecture: &str) -> bool {
        let number = architecture.strip_prefix("sm_").and_then(|number| number.parse().ok());
        match (&self.architectures, number) {
            (Some(known), Some(number)) => known.contains(&number),
            // It does not say, or the name has a letter: it is asked.
            _ => true,
        }
    }
}

impl Compiler for CudaCompiler {
    /// Machine code kept under it was made with the same flags.
    fn version(&self) -> String {
        let flags = FLAGS.map(CStr::to_string_lossy);
        format!("{} {}", self.version, flags.join(" "))
    }

    fn compile(&self, source: &str, architecture: &str) -> Result<Vec<u8>, CompileError> {
        if !self.knows(architecture) {
            return Err(self.too_old_or_new(architecture));
        }
        let target = CString::new(format!("--gpu-architecture={architecture}")).unwrap_or_default();
        let flags: Vec<&CStr> = FLAGS.into_iter().chain([&*target]).collect();
        // SAFETY: the vendor's functions, which a test compares with other bindings; the library is never closed.
        let Compiled { image, log } = unsafe { self.rtc.compile(source, c"ndany.cu", &flags) };
        if image.is_ok() && !log.is_empty() {
            tracing::debug!(architecture, log, "the compiler has remarks on a kernel");
        }
        image.map_err(|words| {
            if log.contains("gpu-architecture") {
                return self.too_old_or_new(architecture);
            }
            let path =
                self.path.as_ref().map_or(String::new(), |path| format!("{}: ", path.display()));
            CompileError::Refused {
                compiler: self.version.clone(),
                architecture: architecture.to_string(),
                log: format!("{path}{words}: {log}"),
            }
        })
    }
}

impl CudaCompiler {
    fn too_old_or_new(&self, architecture: &str) -> CompileError {
        let known = self.architectures.as_deref().unwrap_or_default();
        let wanted: i32 = architecture
            .trim_start_matches("sm_")
            .trim_end_matches(['a', 'f'])
            .parse()
            .unwrap_or(0);
        let remedy = match known.first() {
            Some(&oldest) if wanted < oldest => {
                "it has grown too old for this one: `pip install nvidia-cuda-nvrtc-cu12`, or list the folder of an \
                 older NVRTC in NDANY_CUDA_LIBRARIES"
            }
            _ => {
                "install a newer one: `pip install --upgrade nvidia-cuda-nvrtc`, or list its folder in \
                 NDANY_CUDA_LIBRARIES"
            }
        };
        CompileError::Architecture {
            compiler: self.version.clone(),
            architecture: architecture.to_string(),
            remedy: remedy.to_string(),
        }
    }
}
