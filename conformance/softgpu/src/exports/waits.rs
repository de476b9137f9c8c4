//! Streams and events, for every vendor's functions.

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
