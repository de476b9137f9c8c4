//! NVRTC as a [`Compiler`]: text to a cubin of the device's own architecture.
//!
//! A cubin rather than PTX, because PTX of a newer NVRTC does not load on an older driver, and no second compiler runs
//! when it is loaded. Deliberately absent: headers, and any flag that lets the compiler change bits.

use std::ffi::{CStr, CString};
use std::fmt;
use std::path::PathBuf;

use ndany_gpu::driver::{CompileError, Compiler};

use crate::library::{self, Nvrtc};

/// No contraction, no fast-math, nothing flushed: what keeps the bits equal.
const FLAGS: [&CStr; 5] =
    [c"--fmad=false", c"--prec-div=true", c"--prec-sqrt=true", c"--ftz=false", c"--std=c++17"];

/// The run-time compiler.
pub struct CudaCompiler {
    nvrtc: &'static Nvrtc,
    path: Option<PathBuf>,
    version: String,
    /// Numbers of the architectures that it knows, where it says so.
    architectures: Option<Vec<i32>>,
}

impl fmt::Debug for CudaCompiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaCompiler")
            .field("path", &self.path)
            .field("version", &self.version)
            .finish()
    }
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
        Ok(Self {
            nvrtc,
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

    fn words(&self, code: u32) -> String {
        let Some(function) = self.nvrtc.nvrtcGetErrorString else {
            return format!("error {code}");
        };
        // SAFETY: it takes any number, and gives a constant text or nothing.
        let text = unsafe { function(code) };
        match text.is_null() {
            true => format!("error {code}"),
            // SAFETY: a constant text.
            false => unsafe { CStr::from_ptr(text.cast()) }.to_string_lossy().into_owned(),
        }
    }
}

/// A program of NVRTC, given back when it goes.
struct Program<'a> {
    nvrtc: &'a Nvrtc,
    handle: u64,
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `nvrtcCreateProgram` and not given back before.
        unsafe { (self.nvrtc.nvrtcDestroyProgram)(&mut self.handle) };
    }
}

impl Program<'_> {
    /// Bytes of which the first function tells the number and the second the values.
    fn bytes(
        &self,
        size: unsafe extern "C" fn(u64, *mut usize) -> u32,
        get: unsafe extern "C" fn(u64, *mut u8) -> u32,
    ) -> Result<Vec<u8>, u32> {
        let mut length = 0;
        // SAFETY: the program is alive; it writes a number.
        let code = unsafe { size(self.handle, &mut length) };
        if code != 0 {
            return Err(code);
        }
        let mut bytes = vec![0; length];
        // SAFETY: it writes as many bytes as it has just said.
        match unsafe { get(self.handle, bytes.as_mut_ptr()) } {
            0 => Ok(bytes),
            code => Err(code),
        }
    }

    fn log(&self) -> String {
        let log = self.bytes(self.nvrtc.nvrtcGetProgramLogSize, self.nvrtc.nvrtcGetProgramLog);
        let log = log.unwrap_or_default();
        String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).to_string()
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
        let refused = |log: String| CompileError::Refused {
            compiler: self.version.clone(),
            architecture: architecture.to_string(),
            log,
        };
        let text =
            CString::new(source).map_err(|_| refused("the text holds a zero".to_string()))?;
        let target = CString::new(format!("--gpu-architecture={architecture}")).unwrap_or_default();
        let flags: Vec<*const u8> =
            FLAGS.iter().copied().chain([&*target]).map(|flag| flag.as_ptr().cast()).collect();
        let nvrtc = self.nvrtc;
        let mut program = Program { nvrtc, handle: 0 };
        // SAFETY: texts end with zeros and outlive the call; there are no headers; it writes the handle.
        let code = unsafe {
            (nvrtc.nvrtcCreateProgram)(
                &mut program.handle,
                text.as_ptr().cast(),
                c"ndany.cu".as_ptr().cast(),
                0,
                std::ptr::null(),
                std::ptr::null(),
            )
        };
        if code != 0 {
            // There is none to give back.
            std::mem::forget(program);
            return Err(refused(self.words(code)));
        }
        // SAFETY: the program is alive, and so are as many flags as are said to be.
        let code = unsafe {
            (nvrtc.nvrtcCompileProgram)(program.handle, flags.len() as i32, flags.as_ptr())
        };
        let log = program.log();
        if code != 0 {
            if log.contains("gpu-architecture") {
                return Err(self.too_old_or_new(architecture));
            }
            let path =
                self.path.as_ref().map_or(String::new(), |path| format!("{}: ", path.display()));
            return Err(refused(format!("{path}{}: {log}", self.words(code))));
        }
        if !log.is_empty() {
            tracing::debug!(architecture, log, "the compiler has remarks on a kernel");
        }
        program
            .bytes(nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN)
            .map_err(|code| refused(self.words(code)))
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
