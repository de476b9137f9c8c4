//! Streams and events.

use std::time::Duration;

use super::{code, current};
use crate::device::Machine;
use crate::exports::{exports, put};
use crate::failure::{Failure, Result};

/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: u32 = 1;

unsafe fn create_stream(to: *mut u64, flags: u32) -> Result<()> {
    let (device, machine) = (current()?, Machine::get()?);
    let name = machine.handle();
    machine.order().create_stream(name, device.ordinal, flags & NON_BLOCKING == 0);
    // SAFETY: the caller's.
    unsafe { put(to, name) }
}

unsafe fn elapsed(to: *mut f32, from: u64, until: u64) -> Result<()> {
    current()?;
    let order = Machine::get()?.order();
    let (from, until) = (order.time(from)?, order.time(until)?);
    let milliseconds = |time: Duration| time.as_secs_f32() * 1e3;
    let forwards = milliseconds(until.saturating_duration_since(from));
    let backwards = milliseconds(from.saturating_duration_since(until));
    // SAFETY: the caller's.
    unsafe { put(to, forwards - backwards) }
}

/// After a wait: what was waited for may have gone wrong.
fn whole() -> Result<()> {
    current().map(|_| ())
}

fn ready(is: bool) -> Result<()> {
    whole()?;
    is.then_some(()).ok_or(Failure::NotReady)
}

exports! { TABLE, code;
    /// A new stream.
    fn cuStreamCreate(to: *mut u64, flags: u32) {
        // SAFETY: the caller's.
        unsafe { create_stream(to, flags) }
    }
    /// A new stream; priorities are ignored.
    fn cuStreamCreateWithPriority(to: *mut u64, flags: u32, _priority: i32) {
        // SAFETY: the caller's.
        unsafe { create_stream(to, flags) }
    }
    /// Gives it back.
    fn cuStreamDestroy_v2(stream: u64) {
        let device = current()?.ordinal;
        Machine::get()?.order().destroy_stream(stream, device)
    }
    /// Waits for it.
    fn cuStreamSynchronize(stream: u64) {
        let device = current()?.ordinal;
        Machine::get()?.order().wait_for_stream(stream, device)?;
        whole()
    }
    /// Has it come to its end?
    fn cuStreamQuery(stream: u64) {
        let device = current()?.ordinal;
        ready(Machine::get()?.order().is_at_end(stream, device)?)
    }
    /// Lets it wait for an event.
    fn cuStreamWaitEvent(stream: u64, event: u64, _flags: u32) {
        let device = current()?.ordinal;
        Machine::get()?.order().stream_waits(stream, event, device)
    }
    /// A new event.
    fn cuEventCreate(to: *mut u64, _flags: u32) {
        let (device, machine) = (current()?, Machine::get()?);
        let name = machine.handle();
        machine.order().create_event(name, device.ordinal);
        // SAFETY: the caller's.
        unsafe { put(to, name) }
    }
    /// Gives it back.
    fn cuEventDestroy_v2(event: u64) {
        current()?;
        Machine::get()?.order().destroy_event(event)
    }
    /// Puts it behind what the stream has.
    fn cuEventRecord(event: u64, stream: u64) {
        let device = current()?.ordinal;
        Machine::get()?.order().record(event, stream, device)
    }
    /// Is it past?
    fn cuEventQuery(event: u64) {
        current()?;
        ready(Machine::get()?.order().is_past(event)?)
    }
    /// Waits until it is.
    fn cuEventSynchronize(event: u64) {
        current()?;
        Machine::get()?.order().wait_for_event(event)?;
        whole()
    }
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
