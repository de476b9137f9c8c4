//! Page-locked memory of programs, and copies that own it while the device may use it.
//!
//! The copies are asynchronous: a call returns when the driver has taken the copy. No one else has the memory until the
//! event after the copy has completed, so a program can neither write it nor free it too early. Memory that cannot be waited
//! for is not freed.
//!
//! Copies of pageable memory stand in `staging`.

use std::any::Any;
use std::sync::Arc;

use ndany_core::Result;
use ndany_core::backend::{HostMemory, Transfer};

use crate::deferred::ErrorSet;
use crate::driver::{Driver, DriverResult, Event};
use crate::graph;
use crate::memory::GpuMemory;
use crate::runtime::Runtime;
use crate::stream::StreamId;

/// Page-locked memory of a program.
#[derive(Debug)]
pub(crate) struct PinnedMemory {
    runtime: Arc<Runtime>,
    memory: *mut u8,
    bytes: usize,
    /// Whether it is given back.
    is_free: bool,
}

// SAFETY: the memory belongs to the value alone, and page-locked memory may be used by any thread.
unsafe impl Send for PinnedMemory {}
// SAFETY: shared, it is only read.
unsafe impl Sync for PinnedMemory {}

impl PinnedMemory {
    /// Memory of this many bytes, all zero.
    pub(crate) fn new(runtime: &Arc<Runtime>, bytes: usize) -> Result<Self> {
        let allocate = |driver: &dyn Driver| driver.allocate_host(bytes.max(1));
        let memory = runtime.checked().call("host_memory", allocate)?;
        // SAFETY: fresh memory of as many bytes.
        unsafe { memory.write_bytes(0, bytes) };
        Ok(Self { runtime: runtime.clone(), memory, bytes, is_free: true })
    }

    /// Does not give it back: the device may still use it.
    fn keep(&mut self) {
        self.is_free = false;
    }
}

impl HostMemory for PinnedMemory {
    fn bytes(&self) -> &[u8] {
        // SAFETY: live memory of as many bytes, written when it was made; copies to it own the value.
        unsafe { std::slice::from_raw_parts(self.memory, self.bytes) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the value is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.memory, self.bytes) }
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        if self.is_free {
            // SAFETY: no copy is under way: one would own the value, or has kept the memory.
            self.runtime.checked().quietly(|driver| unsafe { driver.free_host(self.memory) });
        }
    }
}

/// A copy under way.
#[derive(Debug)]
pub(crate) struct PinnedTransfer {
    runtime: Arc<Runtime>,
    /// None once it is given back.
    host: Option<Box<PinnedMemory>>,
    /// Recorded after the copy.
    event: Event,
    /// What the values that are read may carry.
    carried: ErrorSet,
    op: &'static str,
}

impl PinnedTransfer {
    /// Submits a copy of `host` and the event after it.
    fn submit(
        runtime: &Arc<Runtime>,
        op: &'static str,
        stream_id: StreamId,
        host: Box<PinnedMemory>,
        carried: ErrorSet,
        copy: impl FnOnce(&dyn Driver) -> DriverResult<()>,
    ) -> Result<Self> {
        let event = runtime.streams().event(runtime.checked())?;
        let mut transfer = Self { runtime: runtime.clone(), host: Some(host), event, carried, op };
        let submitted = runtime.checked().call(op, |driver| {
            copy(driver)?;
            // SAFETY: streams and events live as long as the device, and the event has no other user.
            unsafe { driver.record(event, stream_id.handle) }
        });
        if let Err(error) = submitted {
            // The copy may be under way although its event is not.
            let wait = |driver: &dyn Driver| {
                // SAFETY: streams live as long as the device.
                unsafe { driver.wait_for_stream(stream_id.handle) }
            };
            let is_done = runtime.checked().attempt(op, wait).is_ok();
            transfer.take(is_done, Err(error))?;
        }
        Ok(transfer)
    }

    /// Copies to the start of a piece of memory.
    pub(crate) fn upload(
        runtime: &Arc<Runtime>,
        memory: &GpuMemory,
        host: Box<PinnedMemory>,
    ) -> Result<Self> {
        let reason = "it copies from the host's memory once: make the array an input";
        graph::refuse(runtime, "upload", reason)?;
        runtime.begin(&[], &[memory], &[], None)?;
        let (from, bytes) = (host.memory.cast_const(), host.bytes);
        let stream_id = runtime.streams().current();
        let _span = span(runtime, "to_device", bytes);
        let copy = |driver: &dyn Driver| {
            // SAFETY: the memory holds as many bytes (`check_bytes`), the stream runs after all use of it, and the
            // transfer owns the host's memory until the copy is done.
            unsafe { driver.upload(memory.address(), from, bytes, stream_id.handle) }
        };
        Self::submit(runtime, "upload", stream_id, host, None, copy)
    }

    /// Copies from a piece of memory, `offset` bytes in.
    pub(crate) fn download(
        runtime: &Arc<Runtime>,
        memory: &GpuMemory,
        offset: usize,
        host: Box<PinnedMemory>,
    ) -> Result<Self> {
        let (stream_id, carried) = runtime.begin_read(memory)?;
        let (to, bytes) = (host.memory, host.bytes);
        let from = memory.address() + offset as u64;
        let _span = span(runtime, "to_host", bytes);
        let copy = |driver: &dyn Driver| {
            // SAFETY: as above; the stream runs after the write of the memory, which is given back in its order.
            unsafe { driver.download(to, from, bytes, stream_id.handle) }
        };
        Self::submit(runtime, "download", stream_id, host, carried, copy)
    }

    /// Waits until the copy is done.
    fn wait_for_copy(&self) -> Result<()> {
        let device = self.runtime.driver().name();
        let _span = tracing::debug_span!("wait", device, of = "transfer").entered();
        // SAFETY: events live as long as the device.
        let wait = |driver: &dyn Driver| unsafe { driver.wait_for_event(self.event) };
        self.runtime.checked().call(self.op, wait)
    }

    /// Waits until the copy is done, and takes the host's memory out. A wait that fails is tried once more: memory that cannot
    /// be waited for cannot be given back.
    fn end(&mut self) -> Result<Option<Box<PinnedMemory>>> {
        let waited = self.wait_for_copy();
        let is_done = waited.is_ok() || self.wait_for_copy().is_ok();
        self.take(is_done, waited)
    }

    /// Takes the host's memory out; memory that the device may still use is kept for good.
    fn take(&mut self, is_done: bool, waited: Result<()>) -> Result<Option<Box<PinnedMemory>>> {
        let mut host = self.host.take();
        if let (false, Some(host)) = (is_done, &mut host) {
            host.keep();
        }
        waited.map(|()| host)
    }
}

impl Transfer for PinnedTransfer {
    fn is_completed(&self) -> Result<bool> {
        // SAFETY: events live as long as the device.
        let is_completed = |driver: &dyn Driver| unsafe { driver.is_completed(self.event) };
        self.runtime.checked().call(self.op, is_completed)
    }

    fn wait(mut self: Box<Self>) -> Result<Box<dyn HostMemory>> {
        let host = self.end()?;
        // The work that writes the words is done, so any stream may read them.
        self.runtime.report_carried(self.runtime.streams().current(), &self.carried)?;
        match host {
            Some(host) => Ok(host),
            None => unreachable!("a transfer has its memory until it is waited for"),
        }
    }
}

impl Drop for PinnedTransfer {
    fn drop(&mut self) {
        if self.host.is_some() {
            let _ = self.end();
        }
        // A new record replaces this one.
        self.runtime.streams().keep(self.event);
    }
}

/// The span of a copy.
fn span(runtime: &Runtime, direction: &'static str, bytes: usize) -> tracing::span::EnteredSpan {
    let device = runtime.driver().name();
    tracing::debug_span!("transfer", device, direction, bytes).entered()
}

/// The host's memory as this device made it.
pub(crate) fn pinned(memory: Box<dyn HostMemory>) -> Box<PinnedMemory> {
    match (memory as Box<dyn Any>).downcast() {
        Ok(memory) => memory,
        Err(_) => unreachable!("host memory of another device"),
    }
}
