//! NVRTC: the functions that hipRTC's stand on.

use std::ffi::{CString, c_char};
use std::sync::OnceLock;

use crate::cuda::of_the_driver;
use crate::library::{find, functions};

functions! {
    /// The run-time compiler.
    Nvrtc {
        fn nvrtcVersion(*mut i32, *mut i32);
        fn nvrtcCreateProgram(
            *mut u64, *const c_char, *const c_char, i32, *const *const c_char, *const *const c_char,
        );
        fn nvrtcDestroyProgram(*mut u64);
        fn nvrtcCompileProgram(u64, i32, *const *const c_char);
        fn nvrtcGetProgramLogSize(u64, *mut usize);
        fn nvrtcGetProgramLog(u64, *mut c_char);
        fn nvrtcGetCUBINSize(u64, *mut usize);
        fn nvrtcGetCUBIN(u64, *mut c_char);
        fn nvrtcAddNameExpression(u64, *const c_char);
        fn nvrtcGetLoweredName(u64, *const c_char, *mut *const c_char);
    }
}

/// What a call of a compiler that is not there comes to.
pub(crate) const INTERNAL_ERROR: u32 = 11;

static NVRTC: OnceLock<Result<Nvrtc, CString>> = OnceLock::new();

fn start() -> Result<Nvrtc, CString> {
    let files = of_the_driver(["libnvrtc.so.13", "libnvrtc.so.12"]);
    find(&files, Some("libnvrtc-builtins.so."), Nvrtc::load)
        .map_err(|reason| CString::new(format!("NVRTC is not there: {reason}")).unwrap_or_default())
}

/// The compiler; looked for by the first call.
pub(crate) fn nvrtc() -> Result<&'static Nvrtc, u32> {
    NVRTC.get_or_init(start).as_ref().map_err(|_| INTERNAL_ERROR)
}

/// What is said of its absence.
pub(crate) fn absence() -> Option<*const c_char> {
    NVRTC.get()?.as_ref().err().map(|reason| reason.as_ptr())
}
