//! Streams and events.

use std::ffi::c_void;

use super::{code, current};
use crate::device::Machine;
use crate::exports::exports;
use crate::exports::waits::{
    HostFunction, call_host, create_event, create_stream, create_stream_with_priority, elapsed,
    priorities, ready,
};

exports! { TABLE, code;
    /// A new stream.
    fn hipStreamCreateWithFlags(to: *mut u64, flags: u32) {
        // SAFETY: the caller's.
        unsafe { create_stream(current()?, to, flags) }
    }
    /// A new stream of a priority.
    fn hipStreamCreateWithPriority(to: *mut u64, flags: u32, priority: i32) {
        // SAFETY: the caller's.
        unsafe { create_stream_with_priority(current()?, to, flags, priority) }
    }
    /// The least and the most urgent priority.
    fn hipDeviceGetStreamPriorityRange(least: *mut i32, greatest: *mut i32) {
        current()?;
        // SAFETY: the caller's.
        unsafe { priorities(least, greatest) }
    }
    /// Calls a function of the host.
    fn hipLaunchHostFunc(stream: u64, function: Option<HostFunction>, data: *mut c_void) {
        // SAFETY: the caller's.
        unsafe { call_host(current()?, stream, function, data) }
    }
    /// Gives it back.
    fn hipStreamDestroy(stream: u64) {
        let device = current()?.ordinal;
        Machine::get()?.order().destroy_stream(stream, device)
    }
    /// Waits for it.
    fn hipStreamSynchronize(stream: u64) {
        let device = current()?;
        Machine::get()?.order().wait_for_stream(stream, device.ordinal)?;
        device.works()
    }
    /// Whether it has completed.
    fn hipStreamQuery(stream: u64) {
        let device = current()?;
        ready(device, Machine::get()?.order().is_at_end(stream, device.ordinal)?)
    }
    /// Lets it wait for an event.
    fn hipStreamWaitEvent(stream: u64, event: u64, _flags: u32) {
        let device = current()?.ordinal;
        Machine::get()?.order().stream_waits(stream, event, device)
    }
    /// A new event.
    fn hipEventCreateWithFlags(to: *mut u64, _flags: u32) {
        // SAFETY: the caller's.
        unsafe { create_event(current()?, to) }
    }
    /// Gives it back.
    fn hipEventDestroy(event: u64) {
        current()?;
        Machine::get()?.order().destroy_event(event)
    }
    /// Records it after the work that the stream has.
    fn hipEventRecord(event: u64, stream: u64) {
        let device = current()?.ordinal;
        Machine::get()?.order().record(event, stream, device)
    }
    /// Whether it has completed.
    fn hipEventQuery(event: u64) {
        let device = current()?;
        ready(device, Machine::get()?.order().is_past(event)?)
    }
    /// Waits until it is.
    fn hipEventSynchronize(event: u64) {
        let device = current()?;
        Machine::get()?.order().wait_for_event(event)?;
        device.works()
    }
    /// Milliseconds between two.
    fn hipEventElapsedTime(to: *mut f32, from: u64, until: u64) {
        current()?;
        // SAFETY: the caller's.
        unsafe { elapsed(to, from, until) }
    }
}
