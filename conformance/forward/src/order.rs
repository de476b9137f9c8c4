//! Streams and events. Numbers of the null stream and of the thread's own are the same on both sides.

use std::ffi::c_void;

use crate::codes::check;
use crate::context::enter;
use crate::{exports, same};

/// What CUDA knows of HIP's flags of events: the others say how far their memory is seen, which is all of it here.
const EVENT_FLAGS: u32 = 7;

same! {
    enter, check;
    /// A new stream.
    fn hipStreamCreateWithFlags(to: *mut u64, flags: u32) = cuStreamCreate;
    /// Gives it back.
    fn hipStreamDestroy(stream: u64) = cuStreamDestroy_v2;
    /// Waits for it.
    fn hipStreamSynchronize(stream: u64) = cuStreamSynchronize;
    /// Lets it wait for an event.
    fn hipStreamWaitEvent(stream: u64, event: u64, flags: u32) = cuStreamWaitEvent;
    /// Gives it back.
    fn hipEventDestroy(event: u64) = cuEventDestroy_v2;
    /// Records it after the work that the stream has.
    fn hipEventRecord(event: u64, stream: u64) = cuEventRecord;
    /// Whether it has completed.
    fn hipEventQuery(event: u64) = cuEventQuery;
    /// Waits until it is.
    fn hipEventSynchronize(event: u64) = cuEventSynchronize;
    /// Milliseconds between two.
    fn hipEventElapsedTime(to: *mut f32, from: u64, until: u64) = cuEventElapsedTime;
    /// Whether it has no work left.
    fn hipStreamQuery(stream: u64) = cuStreamQuery;
    /// The least and the most urgent priority.
    fn hipDeviceGetStreamPriorityRange(least: *mut i32, greatest: *mut i32) = cuCtxGetStreamPriorityRange;
    /// A new stream of a priority.
    fn hipStreamCreateWithPriority(to: *mut u64, flags: u32, priority: i32) = cuStreamCreateWithPriority;
    /// Calls a function of the host.
    fn hipLaunchHostFunc(stream: u64, function: *const c_void, data: *mut c_void) = cuLaunchHostFunc;
}

exports! {
    /// A new event.
    fn hipEventCreateWithFlags(to: *mut u64, flags: u32) {
        // SAFETY: the caller's.
        check(unsafe { (enter()?.cuEventCreate)(to, flags & EVENT_FLAGS) })
    }
}
