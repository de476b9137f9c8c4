//! HIP's run-time compiler, in front of the host's.
//!
//! What it hands out as a code object is an image of this library.

use std::ffi::c_char;

use super::hip::architecture;
use super::rtc::{
    COMPILATION, INVALID_INPUT, INVALID_OPTION, INVALID_PROGRAM, add, build, code, create, destroy,
    lowered, output, size,
};
use super::{exports, put};
use crate::compiler::Options;
use crate::settings::Settings;

/// What the options ask for; the first that is not known is an error. (AMD's aborts where the architecture is not.)
fn options(given: &[String]) -> Result<Options, String> {
    let mut options = Options { lanes: Settings::get().lanes, ..Options::default() };
    options.architecture = architecture().to_owned();
    options.defines.push("SOFTGPU_HIP".to_owned());
    for option in given {
        match option.split_once('=').unwrap_or((option, "")) {
            ("--offload-arch", name) => {
                if !name.starts_with("gfx") {
                    return Err(format!("invalid target ID {name}"));
                }
                options.architecture = name.split(':').next().unwrap_or(name).to_owned();
            }
            ("-ffp-contract", "off") => options.contract = false,
            ("-ffp-contract", "on" | "fast" | "fast-honor-pragmas") => options.contract = true,
            ("-ffast-math", _) => return Err("the software GPU has no fast math".to_owned()),
            // What these ask for is what a host does, or no concern of results.
            (
                "-O1"
                | "-O2"
                | "-O3"
                | "-std"
                | "-fno-fast-math"
                | "-fno-gpu-flush-denormals-to-zero"
                | "-fhip-fp32-correctly-rounded-divide-sqrt"
                | "-w",
                _,
            ) => {}
            _ => match option.strip_prefix("-D") {
                Some(define) => options.defines.push(define.to_owned()),
                None => return Err(format!("unknown argument: {option}")),
            },
        }
    }
    Ok(options)
}

exports! { TABLE, code;
    /// The interface's version.
    fn hiprtcVersion(major: *mut i32, minor: *mut i32) {
        // SAFETY: the caller's.
        unsafe { put(major, 9).and_then(|()| put(minor, 0)) }
    }
    /// A program of a text; headers are not taken.
    fn hiprtcCreateProgram(
        to: *mut u64, source: *const c_char, _name: *const c_char, count: i32,
        _headers: *const *const c_char, _names: *const *const c_char,
    ) {
        // SAFETY: the caller's.
        unsafe { create(to, source, count) }
    }
    /// Compiles it; whether that worked is in the log.
    fn hiprtcCompileProgram(program: u64, count: i32, given: *const *const c_char) {
        // SAFETY: the caller's.
        unsafe { build(program, count, given, options) }
    }
    /// Bytes of machine code.
    fn hiprtcGetCodeSize(program: u64, to: *mut usize) {
        // SAFETY: the caller's.
        unsafe { size(program, to, |program| &program.image) }
    }
    /// Machine code.
    fn hiprtcGetCode(program: u64, to: *mut c_char) {
        // SAFETY: the caller's.
        unsafe { output(program, to, |program| &program.image) }
    }
    /// Bytes of the log, its end included.
    fn hiprtcGetProgramLogSize(program: u64, to: *mut usize) {
        // SAFETY: the caller's.
        unsafe { size(program, to, |program| &program.log) }
    }
    /// The log.
    fn hiprtcGetProgramLog(program: u64, to: *mut c_char) {
        // SAFETY: the caller's.
        unsafe { output(program, to, |program| &program.log) }
    }
    /// Adds the name of an instance of a template.
    fn hiprtcAddNameExpression(program: u64, name: *const c_char) {
        // SAFETY: the caller's.
        unsafe { add(program, name) }
    }
    /// What it is called in the machine code.
    fn hiprtcGetLoweredName(program: u64, name: *const c_char, to: *mut *const c_char) {
        // SAFETY: the caller's.
        unsafe { lowered(program, name, to) }
    }
    /// Forgets a program.
    fn hiprtcDestroyProgram(program: *mut u64) {
        // SAFETY: the caller's.
        unsafe { destroy(program) }
    }
}

/// The text of a result.
#[unsafe(no_mangle)]
pub extern "C" fn hiprtcGetErrorString(result: u32) -> *const c_char {
    let text = match result {
        0 => c"HIPRTC_SUCCESS",
        1 => c"HIPRTC_ERROR_OUT_OF_MEMORY",
        2 => c"HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
        INVALID_INPUT => c"HIPRTC_ERROR_INVALID_INPUT",
        INVALID_PROGRAM => c"HIPRTC_ERROR_INVALID_PROGRAM",
        INVALID_OPTION => c"HIPRTC_ERROR_INVALID_OPTION",
        COMPILATION => c"HIPRTC_ERROR_COMPILATION",
        7 => c"HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        11 => c"HIPRTC_ERROR_INTERNAL_ERROR",
        _ => c"HIPRTC_ERROR unknown",
    };
    text.as_ptr()
}
