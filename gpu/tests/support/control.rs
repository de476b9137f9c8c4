//! The software GPU's functions for tests, out of a library that is loaded by its path.

#![allow(dead_code, reason = "each user needs some of it")]

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;

macro_rules! functions {
    ($($field:ident: $ty:ty = $name:literal,)*) => {
        /// The software GPU's functions for tests.
        pub struct Control {
            $($field: $ty,)*
        }

        impl Control {
            /// Of a library that is loaded, or will be, by its path.
            pub fn of(path: &Path) -> Self {
                let name = CString::new(path.to_string_lossy().as_bytes()).expect("a path");
                // SAFETY: the software GPU, which is never closed.
                let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
                assert!(!library.is_null(), "{} is not loaded", path.display());
                let find = |name: &CStr| {
                    // SAFETY: a library that is loaded.
                    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
                    assert!(!address.is_null(), "{name:?}");
                    address
                };
                // SAFETY: the functions have these types.
                unsafe { Self { $($field: std::mem::transmute::<*mut c_void, $ty>(find($name)),)* } }
            }
        }
    };
}

functions! {
    fail: unsafe extern "C" fn(*const c_char, u64, u32) = c"ndany_softgpu_fail",
    forgive: unsafe extern "C" fn() -> u64 = c"ndany_softgpu_forgive",
    calls: unsafe extern "C" fn(*const c_char) -> u64 = c"ndany_softgpu_calls",
    name: unsafe extern "C" fn(u64) -> *const c_char = c"ndany_softgpu_name",
    misuses: unsafe extern "C" fn() -> u64 = c"ndany_softgpu_misuses",
    leaks: unsafe extern "C" fn() -> *const c_char = c"ndany_softgpu_leaks",
    reset: unsafe extern "C" fn() = c"ndany_softgpu_reset",
}

/// A C string, or nothing.
fn text(from: *const c_char) -> Option<String> {
    // SAFETY: what is not null is a C string that lives as long as the process.
    (!from.is_null()).then(|| unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned())
}

impl Control {
    /// Calls so far.
    pub fn calls(&self) -> u64 {
        // SAFETY: the library's function, and a C string.
        unsafe { (self.calls)(c"*".as_ptr()) }
    }

    /// The function of a call.
    pub fn name(&self, number: u64) -> String {
        // SAFETY: the library's function.
        text(unsafe { (self.name)(number) }).expect("a call")
    }

    /// Makes the `nth` call from now on end with a code.
    pub fn fail(&self, nth: u64, code: u32) {
        // SAFETY: the library's function, and a C string.
        unsafe { (self.fail)(c"*".as_ptr(), nth, code) };
    }

    /// Takes back what was asked for and has not happened; how much that was.
    pub fn forgive(&self) -> u64 {
        // SAFETY: the library's function.
        unsafe { (self.forgive)() }
    }

    /// Calls that were wrong by themselves.
    pub fn misuses(&self) -> u64 {
        // SAFETY: the library's function.
        unsafe { (self.misuses)() }
    }

    /// What was not freed.
    pub fn leaks(&self) -> Vec<String> {
        // SAFETY: the library's function.
        let all = text(unsafe { (self.leaks)() }).unwrap_or_default();
        all.lines().map(str::to_string).collect()
    }

    /// Resets the devices to their state before first use.
    pub fn reset(&self) {
        // SAFETY: the library's function; no thread uses a device.
        unsafe { (self.reset)() };
    }
}
