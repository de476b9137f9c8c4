//! What a driver lets a program steer beside what arrays need: times of events, priorities of streams, functions of the
//! host.
//!
//! Drivers of several ages lack some of it. A function that is missing is an error of the call that needs it, not of
//! opening the device.

use std::ffi::c_void;

use ndany_core::backend::{Attribute, IPC_BYTES, MemoryAdvice, MemoryPlace, NativeDevice};

use crate::driver::{Address, DriverError, DriverResult, Event, Stream};

/// A function of the host that a stream calls.
pub type HostCallback = unsafe extern "C" fn(data: *mut c_void);

/// The answer of a driver without a function.
fn missing<T>(call: &'static str) -> DriverResult<T> {
    Err(DriverError::Missing { call })
}

/// What a driver may have beside the functions of [`Driver`](crate::driver::Driver). Without a function of its own, each
/// answers that it is missing.
///
/// # Safety
/// As of [`Driver`](crate::driver::Driver): functions that take handles or pointers are `unsafe`, and the caller guarantees
/// that these are alive.
pub trait ControlDriver {
    /// A new event that keeps the time at which it completes.
    fn create_timed_event(&self) -> DriverResult<Event> {
        missing("timed event")
    }

    /// Milliseconds between two timed events that have completed.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn elapsed(&self, from: Event, until: Event) -> DriverResult<f32> {
        let _ = (from, until);
        missing("time between events")
    }

    /// Whether the stream has no work left.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn is_idle(&self, stream: Stream) -> DriverResult<bool> {
        let _ = stream;
        missing("query of a stream")
    }

    /// The numbers of the least and of the most urgent priority; 0 is the normal one, and smaller ones are more urgent.
    fn priorities(&self) -> DriverResult<[i32; 2]> {
        missing("range of priorities")
    }

    /// A new stream of a priority, which waits for no other.
    fn create_stream_with_priority(&self, priority: i32) -> DriverResult<Stream> {
        let _ = priority;
        missing("stream with a priority")
    }

    /// Calls a function when the stream has done the work that it has now; further work waits for it.
    ///
    /// # Safety
    /// See the trait; and the function may be called with the data once, on any thread.
    unsafe fn call_host(
        &self,
        stream: Stream,
        function: HostCallback,
        data: *mut c_void,
    ) -> DriverResult<()> {
        let _ = (stream, function, data);
        missing("host function")
    }

    /// A fact about the device.
    fn attribute(&self, attribute: Attribute) -> DriverResult<u64> {
        let _ = attribute;
        missing("attribute of a device")
    }

    /// Fresh managed memory of at least one byte, aligned to 256, which [`free`](crate::driver::Driver::free) takes back.
    fn allocate_managed(&self, bytes: usize) -> DriverResult<Address> {
        let _ = bytes;
        missing("managed memory")
    }

    /// Moves bytes of managed memory to a place.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn prefetch(
        &self,
        address: Address,
        bytes: usize,
        place: MemoryPlace,
        stream: Stream,
    ) -> DriverResult<()> {
        let _ = (address, bytes, place, stream);
        missing("prefetch of managed memory")
    }

    /// Notes how bytes of managed memory are used.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn advise(
        &self,
        address: Address,
        bytes: usize,
        advice: MemoryAdvice,
    ) -> DriverResult<()> {
        let _ = (address, bytes, advice);
        missing("advice about managed memory")
    }

    /// The allocation that has an address: its first byte, and how many it has.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn allocation_of(&self, address: Address) -> DriverResult<(Address, usize)> {
        let _ = address;
        missing("allocation of an address")
    }

    /// A handle by which other processes open an allocation.
    ///
    /// # Safety
    /// See the trait; the address is an allocation's first one.
    unsafe fn ipc_handle(&self, allocation: Address) -> DriverResult<[u8; IPC_BYTES]> {
        let _ = allocation;
        missing("handle for other processes")
    }

    /// Opens an allocation of another process: its first byte here.
    fn open_ipc(&self, handle: &[u8; IPC_BYTES]) -> DriverResult<Address> {
        let _ = handle;
        missing("memory of another process")
    }

    /// Closes it.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn close_ipc(&self, allocation: Address) -> DriverResult<()> {
        let _ = allocation;
        missing("end of memory of another process")
    }

    /// What the vendor's interface calls the device.
    fn native(&self) -> NativeDevice {
        NativeDevice { device: 0, context: None }
    }
}
