//! Streams and events, for every vendor's functions.

use std::ffi::c_void;
use std::time::Duration;

use super::put;
use crate::device::{Device, Machine};
use crate::failure::{Failure, Result};

/// `CU_STREAM_NON_BLOCKING`, `hipStreamNonBlocking`.
const NON_BLOCKING: u32 = 1;

/// A new stream.
///
/// # Safety
/// The result can be written.
pub(super) unsafe fn create_stream(device: &Device, to: *mut u64, flags: u32) -> Result<()> {
    let machine = Machine::get()?;
    let name = machine.handle();
    machine.order().create_stream(name, device.ordinal, flags & NON_BLOCKING == 0);
    // SAFETY: the caller's.
    unsafe { put(to, name) }
}

/// A new event.
///
/// # Safety
/// The result can be written.
pub(super) unsafe fn create_event(device: &Device, to: *mut u64) -> Result<()> {
    let machine = Machine::get()?;
    let name = machine.handle();
    machine.order().create_event(name, device.ordinal);
    // SAFETY: the caller's.
    unsafe { put(to, name) }
}

/// Milliseconds between two events.
///
/// # Safety
/// The result can be written.
pub(super) unsafe fn elapsed(to: *mut f32, from: u64, until: u64) -> Result<()> {
    let order = Machine::get()?.order();
    let (from, until) = (order.time(from)?, order.time(until)?);
    let milliseconds = |time: Duration| time.as_secs_f32() * 1e3;
    let forwards = milliseconds(until.saturating_duration_since(from));
    let backwards = milliseconds(from.saturating_duration_since(until));
    // SAFETY: the caller's.
    unsafe { put(to, forwards - backwards) }
}

/// Whether something is over; what was waited for may have gone wrong.
pub(super) fn ready(device: &Device, is: bool) -> Result<()> {
    device.works()?;
    is.then_some(()).ok_or(Failure::NotReady)
}

/// The least and the most urgent priority: less urgent than normal is nothing, as with CUDA.
pub(super) const PRIORITIES: [i32; 2] = [0, -5];

/// Writes both.
///
/// # Safety
/// Each place is null or can be written.
pub(super) unsafe fn priorities(least: *mut i32, greatest: *mut i32) -> Result<()> {
    for (to, value) in [least, greatest].into_iter().zip(PRIORITIES) {
        if !to.is_null() {
            // SAFETY: the caller's, and not null.
            unsafe { put(to, value) }?;
        }
    }
    Ok(())
}

/// A new stream of a priority, by which nothing here is ordered; one outside the range is taken to its nearest end, as
/// drivers do.
///
/// # Safety
/// The result can be written.
pub(super) unsafe fn create_stream_with_priority(
    device: &Device,
    to: *mut u64,
    flags: u32,
    _priority: i32,
) -> Result<()> {
    // SAFETY: the caller's.
    unsafe { create_stream(device, to, flags) }
}

/// A function of the host.
pub type HostFunction = unsafe extern "C" fn(data: *mut c_void);

/// Calls a function of the host when a stream has done what it has now. It is not called where the device suffers from a
/// fault by then, as with CUDA.
///
/// # Safety
/// The function may be called once with the data, on any thread.
pub(super) unsafe fn call_host(
    device: &'static Device,
    stream: u64,
    function: Option<HostFunction>,
    data: *mut c_void,
) -> Result<()> {
    let function = function.ok_or(Failure::InvalidValue("a null pointer for a host function"))?;
    let data = data as usize;
    let job = move || {
        if device.fault().is_none() {
            // SAFETY: the caller's, and a job is done once.
            unsafe { function(data as *mut c_void) };
        }
    };
    Machine::get()?.submit(device, stream, Box::new(job))
}
