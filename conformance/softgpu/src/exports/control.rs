//! Functions of our own, for tests that have this library in their hands.

use std::ffi::{CString, c_char};

use crate::device::Machine;
use crate::inject;

/// Makes the `nth` call of a function from now on (1 is the next) end with a code.
///
/// # Safety
/// `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ndany_softgpu_fail(name: *const c_char, nth: u64, code: u32) {
    // SAFETY: the caller's.
    if let Ok(name) = unsafe { super::text(name) } {
        inject::fail(&name, nth, code);
    }
}

/// How often a function was called.
///
/// # Safety
/// `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ndany_softgpu_calls(name: *const c_char) -> u64 {
    // SAFETY: the caller's.
    unsafe { super::text(name) }.map_or(0, |name| inject::calls(&name))
}

/// Allocations of a device that are alive; 0 if there is no such device.
#[unsafe(no_mangle)]
pub extern "C" fn ndany_softgpu_allocations(device: u32) -> u64 {
    let machine = Machine::get();
    machine.and_then(|m| m.device(device.into()).map(|device| device.heap().live()[0])).unwrap_or(0)
}

/// Streams and events of a device that are alive; 0 if there is no such device.
#[unsafe(no_mangle)]
pub extern "C" fn ndany_softgpu_handles(device: u32) -> u64 {
    let [streams, events] = Machine::get().map_or([0; 2], |m| m.order().live(device as usize));
    streams + events
}

/// What the device's context suffers from, in words, or null. The text is the caller's for good.
#[unsafe(no_mangle)]
pub extern "C" fn ndany_softgpu_fault(device: u32) -> *const c_char {
    let fault = Machine::get().ok().and_then(|m| m.device(device.into()).ok()?.fault());
    match fault.and_then(|fault| CString::new(fault.to_string()).ok()) {
        Some(text) => text.into_raw(),
        None => std::ptr::null(),
    }
}
