//! Error texts, and functions by their names.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::{LazyLock, Mutex, PoisonError};

use super::{CODES, code, current_at_all, known, table};
use crate::exports::{exports, put, text};
use crate::failure::Failure;

/// Texts of faults of this process, which callers keep.
static TEXTS: LazyLock<Mutex<HashMap<String, &'static CStr>>> = LazyLock::new(Mutex::default);

/// A vendor's text, with what a device suffers from. It lives as long as the process.
pub(in crate::exports) fn described(plain: &'static CStr, fault: Option<Failure>) -> *const c_char {
    let Some(fault) = fault else { return plain.as_ptr() };
    let text = format!("{}: {fault}", plain.to_string_lossy());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = texts.entry(text.clone()).or_insert_with(|| {
        CString::new(text).map_or(c"", |text| Box::leak(text.into_boxed_c_str()))
    });
    kept.as_ptr()
}

exports! { TABLE, code;
    /// The name of an error.
    fn cuGetErrorName(number: u32, to: *mut *const c_char) {
        let name = known(number, |row| row.1.as_ptr());
        // SAFETY: the caller's.
        unsafe { put(to, name) }?;
        (!name.is_null()).then_some(()).ok_or(Failure::InvalidValue("no such error"))
    }
    /// The text of an error.
    fn cuGetErrorString(number: u32, to: *mut *const c_char) {
        let plain = CODES.iter().find(|row| row.0 == number).map(|row| row.2);
        let fault = current_at_all().ok().and_then(|device| device.fault());
        let fault = fault.filter(|fault| code(fault) == number);
        let text = plain.map_or(std::ptr::null(), |plain| described(plain, fault));
        // SAFETY: the caller's.
        unsafe { put(to, text) }?;
        (!text.is_null()).then_some(()).ok_or(Failure::InvalidValue("no such error"))
    }
    /// A function by its name without its version's ending.
    fn cuGetProcAddress_v2(
        symbol: *const c_char, to: *mut *const c_void, _version: i32, _flags: u64, status: *mut u32,
    ) {
        // SAFETY: the caller's.
        let symbol = unsafe { text(symbol) }?;
        let find = |name: &str| table().find(|export| export.name == name);
        let found = find(&format!("{symbol}_v2")).or_else(|| find(&symbol));
        let address = found.map_or(std::ptr::null(), |export| export.address.cast());
        if !status.is_null() {
            // SAFETY: the caller's, and not null.
            unsafe { put(status, u32::from(found.is_none())) }?;
        }
        // SAFETY: the caller's.
        unsafe { put(to, address) }?;
        found.map(|_| ()).ok_or(Failure::NotFound(symbol))
    }
}
