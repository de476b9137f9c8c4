//! hipRTC. Its programs are NVRTC's, with `prelude.h` in front of the text; what it hands out as a code object is a cubin.

use std::ffi::{CStr, CString, c_char};
use std::sync::OnceLock;

use crate::nvrtc::{INTERNAL_ERROR, absence, nvrtc};
use crate::{Done, exports, put, same};

/// What hipRTC calls a wrong argument. NVRTC's numbers are the same.
const INVALID_INPUT: u32 = 3;

/// How names of architectures begin, in front of the digits of `sm_90`.
pub(crate) const ARCHITECTURE: &str = "gfx-sm";

/// HIP's words.
const PRELUDE: &str = include_str!("prelude.h");

/// Added to NVRTC's version, so that it is no version of hipRTC: machine code is kept by it.
const VERSION: i32 = 1000;

/// Tells preludes apart, on which machine code depends too: the second part of the version. It is even.
const fn prelude_hash() -> i32 {
    let (mut hash, mut at) = (0x811c_9dc5_u32, 0);
    while at < PRELUDE.len() {
        hash = (hash ^ PRELUDE.as_bytes()[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash >> 1 & !1) as i32
}

/// Whether kernels use the card's own minimum and maximum of two floats, which AMD's text does not have. Then NVRTC makes the same
/// machine code of HIP's text as of CUDA's. By default HIP's text stays as it is.
fn extremes() -> bool {
    static ASKED: OnceLock<bool> = OnceLock::new();
    *ASKED.get_or_init(|| {
        std::env::var_os("NDANY_FORWARD_EXTREMES").is_some_and(|value| value == "1")
    })
}

/// NVRTC's option of one of hipRTC's; nothing for what NVRTC does anyway. What is not known stays, and NVRTC refuses
/// it.
fn option(given: &CStr) -> Vec<CString> {
    let same = || vec![given.to_owned()];
    let Ok(text) = given.to_str() else { return same() };
    if let Some(number) = text
        .strip_prefix("--offload-arch=")
        .and_then(|architecture| architecture.strip_prefix(ARCHITECTURE))
    {
        let option = format!("--gpu-architecture=sm_{number}");
        return CString::new(option).map_or_else(|_| same(), |option| vec![option]);
    }
    let options: &[&CStr] = match text {
        "-O1" | "-O2" | "-O3" | "-fno-fast-math" => &[],
        "-std=c++17" => &[c"--std=c++17"],
        "-std=c++20" => &[c"--std=c++20"],
        "-ffp-contract=off" => &[c"--fmad=false"],
        "-ffp-contract=fast" => &[c"--fmad=true"],
        "-fhip-fp32-correctly-rounded-divide-sqrt" => &[c"--prec-div=true", c"--prec-sqrt=true"],
        "-fno-gpu-flush-denormals-to-zero" => &[c"--ftz=false"],
        _ => return same(),
    };
    options.iter().map(|&option| option.to_owned()).collect()
}

/// A result of NVRTC, which hipRTC calls by the same number.
fn check(code: u32) -> Done {
    if code == 0 { Ok(()) } else { Err(code) }
}

same! {
    nvrtc, check;
    /// Forgets a program.
    fn hiprtcDestroyProgram(program: *mut u64) = nvrtcDestroyProgram;
    /// Bytes of the log, its end included.
    fn hiprtcGetProgramLogSize(program: u64, to: *mut usize) = nvrtcGetProgramLogSize;
    /// The log.
    fn hiprtcGetProgramLog(program: u64, to: *mut c_char) = nvrtcGetProgramLog;
    /// Bytes of machine code.
    fn hiprtcGetCodeSize(program: u64, to: *mut usize) = nvrtcGetCUBINSize;
    /// Machine code.
    fn hiprtcGetCode(program: u64, to: *mut c_char) = nvrtcGetCUBIN;
    /// Adds the name of an instance of a template.
    fn hiprtcAddNameExpression(program: u64, name: *const c_char) = nvrtcAddNameExpression;
    /// What it is called in the machine code.
    fn hiprtcGetLoweredName(program: u64, name: *const c_char, to: *mut *const c_char) = nvrtcGetLoweredName;
}

exports! {
    /// NVRTC's version, as one that hipRTC does not have.
    fn hiprtcVersion(major: *mut i32, minor: *mut i32) {
        let mut version = [0; 2];
        let [own_major, own_minor] = &mut version;
        // SAFETY: it writes two numbers.
        check(unsafe { (nvrtc()?.nvrtcVersion)(own_major, own_minor) })?;
        let [own_major, own_minor] = version;
        // SAFETY: the caller's.
        unsafe {
            put(major, VERSION + 10 * own_major + own_minor)?;
            put(minor, const { prelude_hash() } | i32::from(extremes()))
        }
    }
    /// A program of a text.
    fn hiprtcCreateProgram(
        to: *mut u64, source: *const c_char, name: *const c_char, count: i32,
        headers: *const *const c_char, names: *const *const c_char,
    ) {
        if source.is_null() {
            return Err(INVALID_INPUT);
        }
        // SAFETY: the caller's: a C string.
        let text = unsafe { CStr::from_ptr(source) };
        let asked: &[u8] = if extremes() { b"#define FORWARD_EXTREMES\n" } else { b"" };
        let text = [asked, PRELUDE.as_bytes(), text.to_bytes()].concat();
        let text = CString::new(text).map_err(|_| INVALID_INPUT)?;
        // SAFETY: the caller's; the text is copied.
        check(unsafe { (nvrtc()?.nvrtcCreateProgram)(to, text.as_ptr(), name, count, headers, names) })
    }
    /// Compiles it; whether that worked is in the log.
    fn hiprtcCompileProgram(program: u64, count: i32, given: *const *const c_char) {
        let count = usize::try_from(count).unwrap_or(0);
        // SAFETY: the caller's: `count` pointers to C strings.
        let given = (0..count).map(|k| unsafe { CStr::from_ptr(*given.add(k)) });
        let options: Vec<CString> = given.flat_map(option).collect();
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the caller's program, and that many C strings, which are alive.
        check(unsafe { (nvrtc()?.nvrtcCompileProgram)(program, pointers.len() as i32, pointers.as_ptr()) })
    }
}

/// The text of a result.
#[unsafe(no_mangle)]
pub extern "C" fn hiprtcGetErrorString(code: u32) -> *const c_char {
    if let (INTERNAL_ERROR, Some(reason)) = (code, absence()) {
        return reason;
    }
    match code {
        0 => c"HIPRTC_SUCCESS",
        1 => c"HIPRTC_ERROR_OUT_OF_MEMORY",
        2 => c"HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
        INVALID_INPUT => c"HIPRTC_ERROR_INVALID_INPUT",
        4 => c"HIPRTC_ERROR_INVALID_PROGRAM",
        5 => c"HIPRTC_ERROR_INVALID_OPTION",
        6 => c"HIPRTC_ERROR_COMPILATION",
        7 => c"HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        INTERNAL_ERROR => c"HIPRTC_ERROR_INTERNAL_ERROR",
        _ => c"HIPRTC_ERROR unknown",
    }
    .as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_nvrtcs() {
        let given = [c"-O3", c"-ffp-contract=off", c"--offload-arch=gfx-sm90", c"-fnothing"];
        let options: Vec<_> = given.into_iter().flat_map(option).collect();
        assert_eq!(
            options,
            [c"--fmad=false", c"--gpu-architecture=sm_90", c"-fnothing"].map(CString::from)
        );
        // AMD's own architectures are nothing that NVRTC knows.
        assert_eq!(option(c"--offload-arch=gfx1030"), [CString::from(c"--offload-arch=gfx1030")]);
    }
}
