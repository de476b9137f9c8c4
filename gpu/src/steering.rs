//! The seam's control of a device, over a driver.

use ndany_core::Result;
use ndany_core::backend::{
    Attribute, Control, Event, HostMemory, Memory, NativeDevice, Priority, Stream, Transfer,
    check_bytes,
};

use crate::GpuBackend;
use crate::event::GpuEvent;
use crate::memory::memory_of;
use crate::pinned::{PinnedMemory, PinnedTransfer, pinned};
use crate::stream::GpuStream;

impl Control for GpuBackend {
    fn stream(&self, priority: Priority) -> Result<Box<dyn Stream>> {
        Ok(Box::new(GpuStream::new(&self.runtime, priority)?))
    }

    fn external(&self, handle: u64) -> Result<Box<dyn Stream>> {
        Ok(Box::new(GpuStream::external(&self.runtime, handle)?))
    }

    fn record(&self) -> Result<Box<dyn Event>> {
        Ok(Box::new(GpuEvent::record(&self.runtime, self.runtime.stream())?))
    }

    fn host_memory(&self, bytes: usize) -> Result<Box<dyn HostMemory>> {
        Ok(Box::new(PinnedMemory::new(&self.runtime, bytes)?))
    }

    fn upload(&self, memory: &dyn Memory, from: Box<dyn HostMemory>) -> Result<Box<dyn Transfer>> {
        let host = pinned(from);
        check_bytes("upload", memory, 0, host.bytes().len())?;
        Ok(Box::new(PinnedTransfer::upload(&self.runtime, memory_of(memory), host)?))
    }

    fn download(
        &self,
        memory: &dyn Memory,
        offset: usize,
        to: Box<dyn HostMemory>,
    ) -> Result<Box<dyn Transfer>> {
        let host = pinned(to);
        check_bytes("download", memory, offset, host.bytes().len())?;
        Ok(Box::new(PinnedTransfer::download(&self.runtime, memory_of(memory), offset, host)?))
    }

    fn attribute(&self, attribute: Attribute) -> Result<u64> {
        self.runtime.checked().call("attribute", |driver| driver.attribute(attribute))
    }

    /// Launches may be put off all the same: streams and memory of this device reach others by calls of their own.
    fn native(&self) -> NativeDevice {
        self.runtime.driver().native()
    }
}
