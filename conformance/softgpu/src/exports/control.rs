//! Functions of our own, for tests that have this library in their hands.

use std::ffi::{CString, c_char};

use crate::device::Machine;
use crate::inject::{self, Wish};
use crate::leaks;

/// In the place of a code: the devices are lost.
pub const LOST: u32 = u32::MAX;

/// Makes the `nth` call of a function from now on (1 is the next), or of any function if the name is `*`, end with a
/// code; with [`LOST`] the devices are lost before that call.
///
/// # Safety
/// `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ndany_softgpu_fail(name: *const c_char, nth: u64, code: u32) {
    // SAFETY: the caller's.
    if let Ok(name) = unsafe { super::text(name) } {
        inject::fail(&name, nth, if code == LOST { Wish::Lost } else { Wish::Code(code) });
    }
}

/// Takes back faults that were asked for and have not happened; how many.
#[unsafe(no_mangle)]
pub extern "C" fn ndany_softgpu_forgive() -> u64 {
    inject::forgive()
}

/// How often a function was called, or any function if the name is `*`.
///
/// # Safety
/// `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ndany_softgpu_calls(name: *const c_char) -> u64 {
    // SAFETY: the caller's.
    unsafe { super::text(name) }.map_or(0, |name| inject::calls(&name))
}

/// The function that the call of a number was of, counted from 1 over all functions; null if that is not known. The text
/// is the caller's for good.
#[unsafe(no_mangle)]
pub extern "C" fn ndany_softgpu_name(number: u64) -> *const c_char {
    let name = inject::name(number).and_then(|name| CString::new(name).ok());
    name.map_or(std::ptr::null(), |name| name.into_raw().cast_const())
}

/// Calls that were wrong by themselves: invalid values and handles, memory given back twice.
#[unsafe(no_mangle)]
pub extern "C" fn ndany_softgpu_misuses() -> u64 {
    inject::misuses()
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

/// All leaks: memory, streams, events, modules, graphs, programs. A line each, or null if there is
/// nothing. The text is the caller's for good.
#[unsafe(no_mangle)]
pub extern "C" fn ndany_softgpu_leaks() -> *const c_char {
    let lines = leaks::list();
    match CString::new(lines.join("\n")) {
        Ok(text) if !lines.is_empty() => text.into_raw(),
        Ok(_) | Err(_) => std::ptr::null(),
    }
}

/// Resets the devices to their state before first use: nothing allocated, loaded, waiting or broken;
/// and the compiler without programs.
#[unsafe(no_mangle)]
pub extern "C" fn ndany_softgpu_reset() {
    if let Ok(machine) = Machine::get() {
        machine.devices.iter().for_each(crate::device::Device::reset);
        machine.host().clear();
    }
    super::rtc::clear();
}

/// Lets streams go on in an order made of this number and of that in `NDANY_SOFTGPU_ORDER`, from now on; `false` where
/// none is there.
#[unsafe(no_mangle)]
pub extern "C" fn ndany_softgpu_order(seed: u64) -> bool {
    Machine::get().is_ok_and(|machine| machine.order().begin(seed))
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
