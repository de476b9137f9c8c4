//! Run-time compilers whose interface has the shape of NVRTC's, as hipRTC's has.
//!
//! A vendor lists the functions, the flags and what its machine code is called; everything between is here.
//! Deliberately absent: headers, and which architectures a compiler knows.

use std::ffi::{CStr, CString};
use std::fmt;

/// The functions of such a compiler. Those that return a number return 0 or a code.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "their names say what they do")]
pub struct Rtc {
    pub create: unsafe extern "C" fn(
        *mut u64,
        *const u8,
        *const u8,
        i32,
        *const *const u8,
        *const *const u8,
    ) -> u32,
    pub destroy: unsafe extern "C" fn(*mut u64) -> u32,
    pub compile: unsafe extern "C" fn(u64, i32, *const *const u8) -> u32,
    pub log_size: unsafe extern "C" fn(u64, *mut usize) -> u32,
    pub log: unsafe extern "C" fn(u64, *mut u8) -> u32,
    pub image_size: unsafe extern "C" fn(u64, *mut usize) -> u32,
    pub image: unsafe extern "C" fn(u64, *mut u8) -> u32,
    pub words: Option<unsafe extern "C" fn(u32) -> *const u8>,
}

impl fmt::Debug for Rtc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rtc").finish_non_exhaustive()
    }
}

/// What a compilation came to.
#[derive(Debug)]
pub struct Compiled {
    /// Machine code, or what the compiler calls the failure.
    pub image: Result<Vec<u8>, String>,
    /// What it remarks.
    pub log: String,
}

/// A program, given back when it goes.
struct Program<'a> {
    rtc: &'a Rtc,
    handle: u64,
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `create` and not given back before.
        unsafe { (self.rtc.destroy)(&mut self.handle) };
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
}

impl Rtc {
    /// Compiles a text that errors call `name`.
    ///
    /// # Safety
    /// The functions are the vendor's, and loaded.
    pub unsafe fn compile(&self, source: &str, name: &CStr, flags: &[&CStr]) -> Compiled {
        let Ok(text) = CString::new(source) else {
            let image = Err("the text holds a zero".to_string());
            return Compiled { image, log: String::new() };
        };
        let flags: Vec<*const u8> = flags.iter().map(|flag| flag.as_ptr().cast()).collect();
        let mut handle = 0;
        let none = std::ptr::null();
        // SAFETY: texts end with zeros and outlive the call; there are no headers; it writes the handle.
        let code = unsafe {
            (self.create)(&mut handle, text.as_ptr().cast(), name.as_ptr().cast(), 0, none, none)
        };
        if code != 0 {
            // There is none to give back.
            return Compiled { image: Err(self.words(code)), log: String::new() };
        }
        let program = Program { rtc: self, handle };
        // SAFETY: the program is alive, and so are as many flags as are said to be.
        let code = unsafe { (self.compile)(handle, flags.len() as i32, flags.as_ptr()) };
        let log = program.bytes(self.log_size, self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).to_string();
        let image = match code {
            0 => program.bytes(self.image_size, self.image),
            _ => Err(code),
        };
        Compiled { image: image.map_err(|code| self.words(code)), log }
    }

    fn words(&self, code: u32) -> String {
        let Some(function) = self.words else { return format!("error {code}") };
        // SAFETY: it takes any number, and gives a constant text or nothing.
        let text = unsafe { function(code) };
        match text.is_null() {
            true => format!("error {code}"),
            // SAFETY: a constant text.
            false => unsafe { CStr::from_ptr(text.cast()) }.to_string_lossy().into_owned(),
        }
    }
}
