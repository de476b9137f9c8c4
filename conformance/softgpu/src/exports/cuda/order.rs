//! Streams and events.

use std::time::Duration;

use super::{code, current};
use crate::device::{Device, Machine};
use crate::exports::{exports, put};
use crate::failure::{Failure, Result};

fn stream(stream: u64) -> Result<&'static Device> {
    let device = current()?;
    device.order().check_stream(stream)?;
    Ok(device)
}

unsafe fn create_stream(to: *mut u64) -> Result<()> {
    let (device, name) = (current()?, Machine::get()?.handle());
    device.order().create_stream(name);
    // SAFETY: the caller's.
    unsafe { put(to, name) }
}

unsafe fn elapsed(to: *mut f32, from: u64, until: u64) -> Result<()> {
    let device = current()?;
    let order = device.order();
    match (order.event(from)?, order.event(until)?) {
        (Some(from), Some(until)) => {
            let backwards = from.saturating_duration_since(until);
            let time = until.saturating_duration_since(from);
            let milliseconds = |time: Duration| time.as_secs_f32() * 1e3;
            // SAFETY: the caller's.
            unsafe { put(to, milliseconds(time) - milliseconds(backwards)) }
        }
        _ => Err(Failure::InvalidHandle("recorded event")),
    }
}

exports! { TABLE, code;
    /// A new stream.
    fn cuStreamCreate(to: *mut u64, _flags: u32) {
        // SAFETY: the caller's.
        unsafe { create_stream(to) }
    }
    /// A new stream; priorities are ignored.
    fn cuStreamCreateWithPriority(to: *mut u64, _flags: u32, _priority: i32) {
        // SAFETY: the caller's.
        unsafe { create_stream(to) }
    }
    /// Gives it back.
    fn cuStreamDestroy_v2(stream: u64) { current()?.order().destroy_stream(stream) }
    /// Waits for it.
    fn cuStreamSynchronize(name: u64) { stream(name).map(|_| ()) }
    /// Has it come to its end?
    fn cuStreamQuery(name: u64) { stream(name).map(|_| ()) }
    /// Lets it wait for an event; one that was never recorded is past.
    fn cuStreamWaitEvent(name: u64, event: u64, _flags: u32) {
        stream(name)?.order().event(event).map(|_| ())
    }
    /// A new event.
    fn cuEventCreate(to: *mut u64, _flags: u32) {
        let (device, name) = (current()?, Machine::get()?.handle());
        device.order().create_event(name);
        // SAFETY: the caller's.
        unsafe { put(to, name) }
    }
    /// Gives it back.
    fn cuEventDestroy_v2(event: u64) { current()?.order().destroy_event(event) }
    /// Puts it behind what the stream has.
    fn cuEventRecord(event: u64, stream: u64) { current()?.order().record(event, stream) }
    /// Is it past?
    fn cuEventQuery(event: u64) { current()?.order().event(event).map(|_| ()) }
    /// Waits until it is.
    fn cuEventSynchronize(event: u64) { current()?.order().event(event).map(|_| ()) }
    /// Milliseconds between two.
    fn cuEventElapsedTime(to: *mut f32, from: u64, until: u64) {
        // SAFETY: the caller's.
        unsafe { elapsed(to, from, until) }
    }
    /// The same.
    fn cuEventElapsedTime_v2(to: *mut f32, from: u64, until: u64) {
        // SAFETY: the caller's.
        unsafe { elapsed(to, from, until) }
    }
}
