//! What is hipRTC's own: the flags, and which architectures it may be asked for.
//!
//! hipRTC aborts the process when it is asked for an architecture that it does not know. So names that every version
//! knows go straight to it. For any other the library that makes its machine code, amd_comgr, is asked for the names that
//! it knows; only where that is not to be had is a name tried in a child process. The answer is kept.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::sync::{Mutex, PoisonError};

use ndany_gpu::library::{Found, LazyLibrary};
use ndany_gpu::vendor::Toolchain;
use ndany_gpu::vendor::rtc::{Api, Names};

use crate::{comgr, library};

ndany_gpu::names! {
    pub(crate) const NAMES: rtc;
    version: hiprtcVersion,
    create: hiprtcCreateProgram,
    destroy: hiprtcDestroyProgram,
    compile: hiprtcCompileProgram,
    log_size: hiprtcGetProgramLogSize,
    log: hiprtcGetProgramLog,
    image_size: hiprtcGetCodeSize,
    image: hiprtcGetCode,
    add_expression: hiprtcAddNameExpression,
    lowered_name: hiprtcGetLoweredName,
}

ndany_gpu::symbols! {
    /// What other compilers do not have alike.
    pub struct Own {
        optional fn hiprtcGetErrorString(code: u32) -> *const u8;
    }
}

/// What hipRTC of ROCm 5.2 and all newer ones knows.
const KNOWN: [&str; 13] = [
    "gfx900", "gfx906", "gfx908", "gfx90a", "gfx1010", "gfx1011", "gfx1012", "gfx1030", "gfx1031",
    "gfx1032", "gfx1033", "gfx1034", "gfx1035",
];

/// AMD's run-time compiler.
#[derive(Debug)]
pub struct Hiprtc {
    /// Architectures that were asked about, and what came of it.
    tried: Mutex<BTreeMap<String, bool>>,
}

// SAFETY: a test compares signatures with the vendor's headers.
unsafe impl Toolchain for Hiprtc {
    type Own = Own;

    const NAME: &'static str = "hipRTC";
    const NAMES: Names = NAMES;
    const FLAGS: &'static [&'static CStr] = &[
        c"-O3",
        c"-std=c++17",
        c"-ffp-contract=off",
        c"-fno-fast-math",
        c"-fhip-fp32-correctly-rounded-divide-sqrt",
        c"-fno-gpu-flush-denormals-to-zero",
    ];
    const CONTRACTION: [&'static CStr; 2] = [c"-ffp-contract=off", c"-ffp-contract=fast"];
    const TARGET: &'static str = "--offload-arch=";
    const FILE: &'static CStr = c"ndany.hip";
    const LOCKS: bool = false;

    fn library() -> &'static LazyLibrary<Api<Self>> {
        &library::HIPRTC
    }

    fn new(_: &Api<Self>) -> Self {
        Self { tried: Mutex::default() }
    }

    /// The number is that of the interface: some of ROCm 5 say 9.0. The file's name, with links followed, has the number
    /// of the build: libamdhip64.so.5.2.21153.
    fn version(found: &Found<Api<Self>>, number: String) -> String {
        let file = found.path.as_ref().and_then(|path| path.canonicalize().ok());
        let name = file.as_ref().and_then(|path| path.file_name());
        let name = name.map_or("?".into(), |name| name.to_string_lossy());
        format!("{number} ({name})")
    }

    fn error_strings(own: &Own) -> Option<unsafe extern "C" fn(u32) -> *const u8> {
        own.hiprtcGetErrorString
    }

    fn knows(&self, architecture: &str, compiles: &dyn Fn() -> bool) -> bool {
        if KNOWN.contains(&architecture) {
            return true;
        }
        // What is no name of an architecture at all need not be tried.
        if architecture.strip_prefix("gfx").is_none_or(str::is_empty) {
            return false;
        }
        // Held during a trial: other threads that compile for this device wait here, so none of them is inside the compiler when the
        // child is made.
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = tried.get(architecture) {
            return known;
        }
        let known = match comgr::architectures() {
            Some(names) => names.contains(architecture),
            None => child::succeeds(compiles),
        };
        tried.insert(architecture.to_string(), known);
        known
    }

    fn refuses_architecture(_: &str) -> bool {
        false
    }

    fn hint(&self, _: &str) -> String {
        "install a newer ROCm, or one that still has this card".to_string()
    }
}

#[cfg(unix)]
mod child {
    use std::io::{PipeReader, Read, Write};
    use std::os::fd::AsRawFd;
    use std::time::{Duration, Instant};

    /// How long the child of each attempt may take: a compilation takes a second. A child that takes longer ends itself.
    const TIMEOUTS: [Duration; 3] =
        [Duration::from_secs(5), Duration::from_secs(10), Duration::from_secs(30)];

    /// Whether this succeeds in a child process, which may abort.
    ///
    /// A child has a copy of all locks, those included that another thread held at the fork, and nobody releases them there:
    /// such a child does not answer. The other thread goes on in this process, so a new child is likely to answer.
    pub(super) fn succeeds(task: impl Fn() -> bool) -> bool {
        answered(&task, &TIMEOUTS)
    }

    /// The answer of the first child that gives one, with a timeout for each; none is no.
    fn answered(task: &dyn Fn() -> bool, timeouts: &[Duration]) -> bool {
        for &timeout in timeouts {
            match attempt(task, timeout) {
                Answer::Known(known) => return known,
                Answer::Silent => tracing::warn!(?timeout, "a trial of the compiler did not end"),
            }
        }
        false
    }

    /// What came of one child.
    enum Answer {
        /// Whether the task succeeded. In a child that ended without an answer it did not.
        Known(bool),
        /// It did not end in time.
        Silent,
    }

    /// The child says whether the task succeeded through a pipe. Its exit status would not do: the program may ignore
    /// SIGCHLD, or have a thread that waits for all children, and then this process does not learn it.
    fn attempt(task: &dyn Fn() -> bool, timeout: Duration) -> Answer {
        let Ok((reader, mut writer)) = std::io::pipe() else {
            tracing::warn!("no pipe for a trial of the compiler");
            return Answer::Known(false);
        };
        // SAFETY: the child runs the task and ends without running anything of the parent's (`_exit`). Other threads
        // are not in it: the memory allocator is made usable by the C library, and a lock that one of them held in the
        // compiler shows as a child that does not end.
        let child = unsafe { libc::fork() };
        match child {
            0 => {
                quiet(timeout);
                let known = std::panic::catch_unwind(std::panic::AssertUnwindSafe(task));
                let known = known.unwrap_or(false);
                // Without a reader the answer is not needed.
                let _ = writer.write_all(&[u8::from(known)]);
                // SAFETY: it does not return.
                unsafe { libc::_exit(0) }
            }
            1.. => {
                drop(writer);
                let answer = read_answer(reader, timeout);
                // SAFETY: another thread, or the system, may have waited for it, and then this is an error. A child that has
                // closed its end is about to exit, and one that goes on is ended by its alarm.
                unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
                answer
            }
            _ => {
                tracing::warn!("no child process for a trial of the compiler");
                Answer::Known(false)
            }
        }
    }

    /// No message of an abort, no file of its memory, and an end to it.
    fn quiet(timeout: Duration) {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: plain numbers, a constant name and structures of this frame, of which a set of signals may be zeros
        // until it is emptied.
        unsafe {
            libc::setrlimit(libc::RLIMIT_CORE, &none);
            let null = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
            libc::dup2(null, 1);
            libc::dup2(null, 2);
            libc::signal(libc::SIGALRM, libc::SIG_DFL);
            // What the compiler starts by itself can be waited for.
            libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            let mut alarm: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut alarm);
            libc::sigaddset(&mut alarm, libc::SIGALRM);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &alarm, std::ptr::null_mut());
            libc::alarm(timeout.as_secs() as libc::c_uint);
        }
    }

    /// What the child says; a pipe that is closed without a word is no. (A process that another thread forks meanwhile may hold
    /// the pipe open, and then an aborted child looks like one that does not end.)
    fn read_answer(mut reader: PipeReader, timeout: Duration) -> Answer {
        let end = Instant::now() + timeout;
        loop {
            let left = end.saturating_duration_since(Instant::now()).as_millis();
            let mut pipe =
                libc::pollfd { fd: reader.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: one structure of this frame.
            match unsafe { libc::poll(&mut pipe, 1, left as libc::c_int) } {
                // A signal came.
                -1 if left > 0 => {}
                1 => {
                    let mut byte = [0];
                    let known = matches!(reader.read(&mut byte), Ok(1)) && byte == [1];
                    return Answer::Known(known);
                }
                _ => return Answer::Silent,
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use std::sync::{Mutex, mpsc};
        use std::time::Duration;

        use super::{answered, succeeds};

        #[test]
        fn a_child_may_succeed_fail_abort_and_panic() {
            assert!(succeeds(|| true));
            assert!(!succeeds(|| false));
            assert!(!succeeds(|| std::process::abort()));
            assert!(!succeeds(|| panic!("in the child")));
        }

        /// Another thread holds a lock at the first fork, and releases it before the second.
        #[test]
        fn a_child_that_waits_for_a_lock_for_ever_is_followed_by_another() {
            let lock = Mutex::new(());
            let task = || lock.lock().is_ok();
            let [short, long] = [1, 60].map(Duration::from_secs);
            let (held, begun) = mpsc::channel();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let _lock = lock.lock().expect("a lock");
                    held.send(()).expect("a receiver");
                    std::thread::sleep(Duration::from_millis(500));
                });
                begun.recv().expect("a sender");
                assert!(answered(&task, &[short, long]));
            });
            let _lock = lock.lock().expect("a lock");
            assert!(!answered(&task, &[short]));
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
