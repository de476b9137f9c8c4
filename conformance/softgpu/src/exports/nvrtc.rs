//! CUDA's run-time compiler, version 13.0, in front of the host's.
//!
//! What it hands out as a cubin, and as PTX, is an image of this library.

use std::collections::HashMap;
use std::ffi::c_char;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::{exports, put, text};
use crate::compiler::{Image, Options, Refusal, compile};
use crate::failure::{Failure, Result};

/// The architectures of NVRTC 13.0.
const ARCHITECTURES: [i32; 11] = [75, 80, 86, 87, 88, 89, 90, 100, 103, 120, 121];

const INVALID_INPUT: u32 = 3;
const INVALID_PROGRAM: u32 = 4;
const INVALID_OPTION: u32 = 5;
const COMPILATION: u32 = 6;

/// The number of a failure that has no number of its own.
fn code(failure: &Failure) -> u32 {
    match failure {
        Failure::Injected(code) => *code,
        Failure::InvalidHandle(_) => INVALID_PROGRAM,
        _ => INVALID_INPUT,
    }
}

#[derive(Debug, Default)]
struct Program {
    source: String,
    image: Vec<u8>,
    log: Vec<u8>,
}

static PROGRAMS: LazyLock<Mutex<HashMap<u64, Program>>> = LazyLock::new(Mutex::default);
static NEXT: AtomicU64 = AtomicU64::new(0x2000);

fn programs() -> MutexGuard<'static, HashMap<u64, Program>> {
    PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with<T>(program: u64, work: impl FnOnce(&mut Program) -> Result<T>) -> Result<T> {
    work(programs().get_mut(&program).ok_or(Failure::InvalidHandle("program"))?)
}

/// What the options ask for; the first that is not known is an error.
fn options(given: &[String]) -> std::result::Result<Options, String> {
    let mut options = Options::default();
    let mut rest = given.iter();
    while let Some(option) = rest.next() {
        let (name, value) =
            option.split_once('=').map_or((option.as_str(), None), |(n, v)| (n, Some(v)));
        let on = value == Some("true");
        match (name, value) {
            ("--gpu-architecture" | "-arch", Some(architecture)) => {
                let plain = architecture.replace("compute_", "sm_");
                let number = plain.strip_prefix("sm_").map(|n| n.trim_end_matches(['a', 'f']));
                let known =
                    number.and_then(|n| n.parse().ok()).is_some_and(|n| ARCHITECTURES.contains(&n));
                if !known {
                    return Err(format!("invalid value for --gpu-architecture: {architecture}"));
                }
                options.architecture = plain;
            }
            ("--fmad" | "-fmad", Some("true" | "false")) => options.contract = on,
            ("--use_fast_math" | "-use_fast_math", _) => {
                return Err("the software GPU has no fast math".to_owned());
            }
            // What these ask for is what a host does, or no concern of results.
            ("--prec-div" | "-prec-div" | "--prec-sqrt" | "-prec-sqrt", Some("true")) => {}
            ("--ftz" | "-ftz", Some("false")) => {}
            ("--std" | "-std", Some("c++17" | "c++20")) => {}
            ("--device-as-default-execution-space" | "-default-device" | "--dopt" | "-dopt", _) => {
            }
            ("--generate-line-info" | "-lineinfo" | "--disable-warnings" | "-w", None) => {}
            (
                "--extra-device-vectorization"
                | "--split-compile"
                | "--minimal"
                | "--no-source-include",
                _,
            ) => {}
            ("--define-macro" | "-D", None) => options.defines.extend(rest.next().cloned()),
            ("--define-macro", Some(define)) => options.defines.push(define.to_owned()),
            _ => match option.strip_prefix("-D") {
                Some(define) => options.defines.push(define.to_owned()),
                None => return Err(format!("unrecognized option {option}")),
            },
        }
    }
    Ok(options)
}

unsafe fn output(
    program: u64,
    to: *mut c_char,
    pick: impl FnOnce(&Program) -> &[u8],
) -> Result<()> {
    with(program, |program| {
        let bytes = pick(program);
        if to.is_null() {
            return Err(Failure::InvalidValue("a null pointer for a result"));
        }
        // SAFETY: the caller's: as many bytes as the function of the size says.
        unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    })
}

unsafe fn size(program: u64, to: *mut usize, pick: impl FnOnce(&Program) -> &[u8]) -> Result<()> {
    let size = with(program, |program| Ok(pick(program).len()))?;
    // SAFETY: the caller's.
    unsafe { put(to, size) }
}

exports! { TABLE, code;
    /// The compiler's version.
    fn nvrtcVersion(major: *mut i32, minor: *mut i32) {
        // SAFETY: the caller's.
        unsafe { put(major, 13).and_then(|()| put(minor, 0)) }
    }
    /// How many architectures it knows.
    fn nvrtcGetNumSupportedArchs(to: *mut i32) {
        // SAFETY: the caller's.
        unsafe { put(to, ARCHITECTURES.len() as i32) }
    }
    /// Which.
    fn nvrtcGetSupportedArchs(to: *mut i32) {
        for (k, architecture) in ARCHITECTURES.into_iter().enumerate() {
            // SAFETY: the caller's: room for all of them.
            unsafe { put(to.wrapping_add(k), architecture) }?;
        }
        Ok(())
    }
    /// A program of a text; headers are not taken.
    fn nvrtcCreateProgram(
        to: *mut u64, source: *const c_char, _name: *const c_char, count: i32,
        _headers: *const *const c_char, _names: *const *const c_char,
    ) {
        if count != 0 {
            return Err(Failure::InvalidValue("the software GPU takes no headers"));
        }
        // SAFETY: the caller's.
        let source = unsafe { text(source) }?;
        let handle = NEXT.fetch_add(16, Ordering::Relaxed);
        programs().insert(handle, Program { source, log: vec![0], ..Program::default() });
        // SAFETY: the caller's.
        unsafe { put(to, handle) }
    }
    /// Compiles it; whether that worked is in the log.
    fn nvrtcCompileProgram(program: u64, count: i32, given: *const *const c_char) {
        let source = with(program, |program| Ok(program.source.clone()))?;
        // SAFETY: the caller's: so many pointers to texts.
        let given = (0..count.max(0) as usize).map(|k| unsafe { text(*given.add(k)) });
        let given = given.collect::<Result<Vec<String>>>()?;
        let (done, log) = match options(&given) {
            Err(log) => (Err(Failure::Injected(INVALID_OPTION)), format!("nvrtc: error: {log}\n")),
            Ok(options) => match compile(&source, &options).as_ref().map(Image::bytes) {
                Ok(image) => (Ok(image), String::new()),
                Err(Refusal(log)) => (Err(Failure::Injected(COMPILATION)), log.clone()),
            },
        };
        with(program, |program| {
            program.log = [log.as_bytes(), &[0]].concat();
            program.image = done?;
            Ok(())
        })
    }
    /// Bytes of machine code.
    fn nvrtcGetCUBINSize(program: u64, to: *mut usize) {
        // SAFETY: the caller's.
        unsafe { size(program, to, |program| &program.image) }
    }
    /// Machine code.
    fn nvrtcGetCUBIN(program: u64, to: *mut c_char) {
        // SAFETY: the caller's.
        unsafe { output(program, to, |program| &program.image) }
    }
    /// Bytes of PTX.
    fn nvrtcGetPTXSize(program: u64, to: *mut usize) {
        // SAFETY: the caller's.
        unsafe { size(program, to, |program| &program.image) }
    }
    /// PTX.
    fn nvrtcGetPTX(program: u64, to: *mut c_char) {
        // SAFETY: the caller's.
        unsafe { output(program, to, |program| &program.image) }
    }
    /// Bytes of the log, its end included.
    fn nvrtcGetProgramLogSize(program: u64, to: *mut usize) {
        // SAFETY: the caller's.
        unsafe { size(program, to, |program| &program.log) }
    }
    /// The log.
    fn nvrtcGetProgramLog(program: u64, to: *mut c_char) {
        // SAFETY: the caller's.
        unsafe { output(program, to, |program| &program.log) }
    }
    /// Forgets a program.
    fn nvrtcDestroyProgram(program: *mut u64) {
        if program.is_null() {
            return Err(Failure::InvalidHandle("program"));
        }
        // SAFETY: the caller's, and not null.
        let handle = unsafe { program.replace(0) };
        programs().remove(&handle).map(|_| ()).ok_or(Failure::InvalidHandle("program"))
    }
}

/// The text of a result.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetErrorString(result: u32) -> *const c_char {
    let text = match result {
        0 => c"NVRTC_SUCCESS",
        1 => c"NVRTC_ERROR_OUT_OF_MEMORY",
        2 => c"NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        INVALID_INPUT => c"NVRTC_ERROR_INVALID_INPUT",
        INVALID_PROGRAM => c"NVRTC_ERROR_INVALID_PROGRAM",
        INVALID_OPTION => c"NVRTC_ERROR_INVALID_OPTION",
        COMPILATION => c"NVRTC_ERROR_COMPILATION",
        7 => c"NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        11 => c"NVRTC_ERROR_INTERNAL_ERROR",
        _ => c"NVRTC_ERROR unknown",
    };
    text.as_ptr()
}
