//! hipRTC as a [`Compiler`]: text to a code object of the device's own architecture.
//!
//! hipRTC aborts the process when it is asked for an architecture that it does not know. So names that every version
//! knows go straight to it; any other is first tried in a child process, once.
//!
//! Deliberately absent: headers, and any flag that lets the compiler change bits.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use ndany_gpu::driver::{CompileError, Compiler};
use ndany_gpu::rtc::{Compiled, Rtc};

use crate::library::{self, Hiprtc};

/// No contraction, no fast-math, divisions and roots rounded, nothing flushed: what keeps the bits equal.
const FLAGS: [&CStr; 6] = [
    c"-O3",
    c"-std=c++17",
    c"-ffp-contract=off",
    c"-fno-fast-math",
    c"-fhip-fp32-correctly-rounded-divide-sqrt",
    c"-fno-gpu-flush-denormals-to-zero",
];

/// What hipRTC of ROCm 5.2 and all newer ones knows.
const KNOWN: [&str; 13] = [
    "gfx900", "gfx906", "gfx908", "gfx90a", "gfx1010", "gfx1011", "gfx1012", "gfx1030", "gfx1031",
    "gfx1032", "gfx1033", "gfx1034", "gfx1035",
];

/// The run-time compiler.
#[derive(Debug)]
pub struct RocmCompiler {
    rtc: Rtc,
    path: Option<PathBuf>,
    version: String,
    /// Architectures that were tried in a child, and what came of it.
    tried: Mutex<BTreeMap<String, bool>>,
}

/// The version of the library. It is that of its interface: some of ROCm 5 say 9.0.
pub(crate) fn version(hiprtc: &Hiprtc) -> String {
    let [mut major, mut minor] = [0; 2];
    // SAFETY: it writes two numbers.
    unsafe { (hiprtc.hiprtcVersion)(&mut major, &mut minor) };
    format!("{major}.{minor}")
}

impl RocmCompiler {
    /// Finds hipRTC.
    ///
    /// # Errors
    /// [`CompileError::Absent`], with what was tried and how to mend it.
    pub fn open() -> Result<Self, CompileError> {
        let found = library::hiprtc()
            .map_err(|absent| CompileError::Absent { reason: absent.to_string() })?;
        let hiprtc = &found.symbols;
        let rtc = Rtc {
            create: hiprtc.hiprtcCreateProgram,
            destroy: hiprtc.hiprtcDestroyProgram,
            compile: hiprtc.hiprtcCompileProgram,
            log_size: hiprtc.hiprtcGetProgramLogSize,
            log: hiprtc.hiprtcGetProgramLog,
            image_size: hiprtc.hiprtcGetCodeSize,
            image: hiprtc.hiprtcGetCode,
            words: hiprtc.hiprtcGetErrorString,
        };
        // Its own version says too little to tell machine code of one release from another's. The file's name, with
        // links followed, has the number of the build: libamdhip64.so.5.2.21153.
        let file = found.path.as_ref().and_then(|path| path.canonicalize().ok());
        let file =
            file.as_ref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy());
        let version = format!("hipRTC {} ({})", version(hiprtc), file.as_deref().unwrap_or("?"));
        Ok(Self { rtc, path: found.path.clone(), version, tried: Mutex::default() })
    }

    /// The library's file, where the loader says so.
    pub fn path(&self) -> Option<&PathBuf> {
        self.path.as_ref()
    }

    fn knows(&self, architecture: &str) -> bool {
        if KNOWN.contains(&architecture) {
            return true;
        }
        // What is no name of an architecture at all need not be tried.
        if architecture.strip_prefix("gfx").is_none_or(str::is_empty) {
            return false;
        }
        // Held during the trial: others who compile for this device wait here, so none of them is inside the compiler
        // when the child is made.
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = tried.get(architecture) {
            return known;
        }
        let known = child::succeeds(|| {
            let text = "extern \"C\" __global__ void empty() {}";
            self.run(text, architecture).image.is_ok()
        });
        tried.insert(architecture.to_string(), known);
        known
    }

    fn run(&self, source: &str, architecture: &str) -> Compiled {
        let target = CString::new(format!("--offload-arch={architecture}")).unwrap_or_default();
        let flags: Vec<&CStr> = FLAGS.into_iter().chain([&*target]).collect();
        // SAFETY: the vendor's functions, which a test compares with its headers; the library is never closed.
        unsafe { self.rtc.compile(source, c"ndany.hip", &flags) }
    }
}

impl Compiler for RocmCompiler {
    /// Machine code kept under it was made with the same flags.
    fn version(&self) -> String {
        let flags = FLAGS.map(CStr::to_string_lossy);
        format!("{} {}", self.version, flags.join(" "))
    }

    fn compile(&self, source: &str, architecture: &str) -> Result<Vec<u8>, CompileError> {
        let (compiler, name) = (self.version.clone(), architecture.to_string());
        if !self.knows(architecture) {
            let remedy = "install a newer ROCm, or one that still has this card".to_string();
            return Err(CompileError::Architecture { compiler, architecture: name, remedy });
        }
        let Compiled { image, log } = self.run(source, architecture);
        if image.is_ok() && !log.is_empty() {
            tracing::debug!(architecture, log, "the compiler has remarks on a kernel");
        }
        image.map_err(|words| {
            let path =
                self.path.as_ref().map_or(String::new(), |path| format!("{}: ", path.display()));
            let log = format!("{path}{words}: {log}");
            CompileError::Refused { compiler, architecture: name, log }
        })
    }
}

#[cfg(unix)]
mod child {
    use std::time::{Duration, Instant};

    /// A compilation takes a second.
    const PATIENCE: Duration = Duration::from_secs(30);

    /// Does this succeed in a child process, which may abort? A child that does not end is ended.
    pub(super) fn succeeds(task: impl Fn() -> bool) -> bool {
        // SAFETY: the child runs the task and ends without running anything of the parent's (`_exit`). Other threads
        // are not in it: the memory allocator is made usable by the C library, and a lock that one of them held in the
        // compiler shows as a child that does not end.
        let child = unsafe { libc::fork() };
        match child {
            0 => {
                quiet();
                let known = std::panic::catch_unwind(std::panic::AssertUnwindSafe(task));
                // SAFETY: it does not return.
                unsafe { libc::_exit(i32::from(!known.unwrap_or(false))) }
            }
            1.. => wait(child),
            _ => {
                tracing::warn!("no child process for a trial of the compiler");
                false
            }
        }
    }

    /// No message of an abort, and no file of its memory.
    fn quiet() {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: plain numbers, a constant name and a structure of this frame.
        unsafe {
            libc::setrlimit(libc::RLIMIT_CORE, &none);
            let null = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
            libc::dup2(null, 1);
            libc::dup2(null, 2);
        }
    }

    fn wait(child: libc::pid_t) -> bool {
        let began = Instant::now();
        let mut status = 0;
        loop {
            // SAFETY: a child of this process that nobody else knows; it writes a number.
            match unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } {
                0 if began.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(5)),
                0 => {
                    // SAFETY: it has not been waited for, so the number is still its own.
                    unsafe {
                        libc::kill(child, libc::SIGKILL);
                        libc::waitpid(child, &mut status, 0);
                    }
                    return false;
                }
                ended => {
                    return ended == child
                        && libc::WIFEXITED(status)
                        && libc::WEXITSTATUS(status) == 0;
                }
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::succeeds;

        #[test]
        fn a_child_may_succeed_fail_abort_and_panic() {
            assert!(succeeds(|| true));
            assert!(!succeeds(|| false));
            assert!(!succeeds(|| std::process::abort()));
            assert!(!succeeds(|| panic!("in the child")));
        }
    }
}

#[cfg(not(unix))]
mod child {
    /// There is no fork to try it in.
    pub(super) fn succeeds(_: impl Fn() -> bool) -> bool {
        false
    }
}
