//! What a device with streams lets a program steer, beside the patterns that it runs.

use crate::backend::{
    Attribute, Event, HostMemory, Memory, NativeDevice, Priority, Stream, Transfer,
};
use crate::error::Result;

/// Streams and events of a device. A device whose calls return when their work is done has none of it
/// ([`Backend::control`](super::Backend::control)): there an event has completed when it is made.
pub trait Control {
    /// A new stream.
    fn stream(&self, priority: Priority) -> Result<Box<dyn Stream>>;

    /// A stream that another library has made, and destroys. The code that opens the backend promises that it lives as
    /// long as the result ([`Provider::open`](crate::Provider::open)).
    fn external(&self, handle: u64) -> Result<Box<dyn Stream>>;

    /// Records an event after the work that the thread's current stream has now.
    fn record(&self) -> Result<Box<dyn Event>>;

    /// Page-locked memory of the host of this many bytes.
    fn host_memory(&self, bytes: usize) -> Result<Box<dyn HostMemory>>;

    /// Copies all of the host's memory, of this device, to the start of a piece of memory, in the thread's current stream.
    fn upload(&self, memory: &dyn Memory, from: Box<dyn HostMemory>) -> Result<Box<dyn Transfer>>;

    /// Copies from a piece of memory, `offset` bytes in, to all of the host's memory, of this device, in the thread's current
    /// stream.
    fn download(
        &self,
        memory: &dyn Memory,
        offset: usize,
        to: Box<dyn HostMemory>,
    ) -> Result<Box<dyn Transfer>>;

    /// A fact about the device.
    fn attribute(&self, attribute: Attribute) -> Result<u64>;

    /// What the vendor's interface calls the device.
    fn native(&self) -> NativeDevice;
}
