//! Streams and events.

use std::ffi::c_void;

use super::{code, current};
use crate::device::Machine;
use crate::exports::exports;
use crate::exports::waits::{
    HostFunction, call_host, create_event, create_stream, create_stream_with_priority, elapsed,
    ready,
};

exports! { TABLE, code;
    /// A new stream.
    fn cuStreamCreate(to: *mut u64, flags: u32) {
        // SAFETY: the caller's.
        unsafe { create_stream(current()?, to, flags) }
    }
    /// A new stream of a priority.
    fn cuStreamCreateWithPriority(to: *mut u64, flags: u32, priority: i32) {
        // SAFETY: the caller's.
        unsafe { create_stream_with_priority(current()?, to, flags, priority) }
    }
    /// Calls a function of the host.
    fn cuLaunchHostFunc(stream: u64, function: Option<HostFunction>, data: *mut c_void) {
        // SAFETY: the caller's.
        unsafe { call_host(current()?, stream, function, data) }
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
        current().map(|_| ())
    }
    /// Whether it has completed.
    fn cuStreamQuery(stream: u64) {
        let device = current()?;
        ready(device, Machine::get()?.order().is_at_end(stream, device.ordinal)?)
    }
    /// Lets it wait for an event.
    fn cuStreamWaitEvent(stream: u64, event: u64, _flags: u32) {
        let device = current()?.ordinal;
        Machine::get()?.order().stream_waits(stream, event, device)
    }
    /// A new event.
    fn cuEventCreate(to: *mut u64, _flags: u32) {
        // SAFETY: the caller's.
        unsafe { create_event(current()?, to) }
    }
    /// Gives it back.
    fn cuEventDestroy_v2(event: u64) {
        current()?;
        Machine::get()?.order().destroy_event(event)
    }
    /// Records it after the work that the stream has.
    fn cuEventRecord(event: u64, stream: u64) {
        let device = current()?.ordinal;
        Machine::get()?.order().record(event, stream, device)
    }
    /// Whether it has completed.
    fn cuEventQuery(event: u64) {
        let device = current()?;
        ready(device, Machine::get()?.order().is_past(event)?)
    }
    /// Waits until it is.
    fn cuEventSynchronize(event: u64) {
        let device = current()?;
        Machine::get()?.order().wait_for_event(event)?;
        device.works()
    }
    /// Milliseconds between two.
    fn cuEventElapsedTime(to: *mut f32, from: u64, until: u64) {
        current()?;
        // SAFETY: the caller's.
        unsafe { elapsed(to, from, until) }
    }
    /// The same.
    fn cuEventElapsedTime_v2(to: *mut f32, from: u64, until: u64) {
        current()?;
        // SAFETY: the caller's.
        unsafe { elapsed(to, from, until) }
    }
}
