//! CUDA's run-time compiler, version 13.0, in front of the host's.
//!
//! What it hands out as a cubin, and as PTX, is an image of this library.

use std::ffi::c_char;

use super::rtc::{
    COMPILATION, INVALID_INPUT, INVALID_OPTION, INVALID_PROGRAM, add, build, code, create, destroy,
    lowered, output, size,
};
use super::{exports, put};
use crate::compiler::Options;

/// The architectures of NVRTC 13.0.
const ARCHITECTURES: [i32; 11] = [75, 80, 86, 87, 88, 89, 90, 100, 103, 120, 121];

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
        // SAFETY: the caller's.
        unsafe { create(to, source, count) }
    }
    /// Compiles it; whether that worked is in the log.
    fn nvrtcCompileProgram(program: u64, count: i32, given: *const *const c_char) {
        // SAFETY: the caller's.
        unsafe { build(program, count, given, options) }
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
    /// Adds the name of an instance of a template.
    fn nvrtcAddNameExpression(program: u64, name: *const c_char) {
        // SAFETY: the caller's.
        unsafe { add(program, name) }
    }
    /// What it is called in the machine code.
    fn nvrtcGetLoweredName(program: u64, name: *const c_char, to: *mut *const c_char) {
        // SAFETY: the caller's.
        unsafe { lowered(program, name, to) }
    }
    /// Forgets a program.
    fn nvrtcDestroyProgram(program: *mut u64) {
        // SAFETY: the caller's.
        unsafe { destroy(program) }
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
