//! Memory of arrays and of launches: which streams use it, which deferred errors it carries; given back when dropped.
//!
//! The streams that use a memory are a few masks, kept only while there are several streams. Memory is passed on after
//! the calls that use it have returned, so an event recorded by the next user comes after all use. Only the sole holder
//! of a memory writes it, so a write may forget the earlier users.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ndany_core::backend::{Memory, Owner};

use crate::deferred::ErrorSet;
use crate::driver::Address;
use crate::pool::{Allocation, AllocationSource, PoolKind};
use crate::runtime::Runtime;
use crate::stream::{StreamId, StreamSet};

/// An allocation that returns to the pool when it is dropped.
struct PoolMemory {
    runtime: Arc<Runtime>,
    piece: Allocation,
}

/// The memory of an array.
pub(crate) struct GpuMemory {
    held: PoolMemory,
    /// Bytes that were asked for.
    bytes: usize,
    /// The stream that wrote it last.
    writer: AtomicU64,
    /// Streams that are already ordered after that write.
    ordered: AtomicU64,
    /// Streams that have used it since.
    users: AtomicU64,
    deferred: Mutex<ErrorSet>,
}

impl GpuMemory {
    /// Memory that was taken for work on a stream.
    pub(crate) fn new(
        runtime: Arc<Runtime>,
        piece: Allocation,
        bytes: usize,
        stream_id: StreamId,
    ) -> Self {
        Self {
            held: PoolMemory { runtime, piece },
            bytes,
            writer: AtomicU64::new(stream_id.bit()),
            ordered: AtomicU64::new(0),
            users: AtomicU64::new(stream_id.bit()),
            deferred: Mutex::default(),
        }
    }

    /// Memory of another library, whose values are there for work on a stream.
    pub(crate) fn foreign(
        runtime: Arc<Runtime>,
        address: Address,
        bytes: usize,
        owner: Owner,
        stream_id: StreamId,
    ) -> Self {
        Self::new(runtime, Allocation::owned(address, owner), bytes, stream_id)
    }

    /// Whether it is of the device's pool of managed memory.
    pub(crate) fn is_managed(&self) -> bool {
        matches!(self.held.piece.source, AllocationSource::Pool(PoolKind::Managed))
    }

    /// Whether the driver may move it between the device and the host: that of the device's pool it does not.
    pub(crate) fn may_be_managed(&self) -> bool {
        match self.held.piece.source {
            AllocationSource::Pool(kind) => kind == PoolKind::Managed,
            AllocationSource::DryRun => false,
            AllocationSource::Owner(_) | AllocationSource::Nobody => true,
        }
    }

    /// Whether it is of a dry run, and has no bytes.
    pub(crate) fn is_of_dry_run(&self) -> bool {
        matches!(self.held.piece.source, AllocationSource::DryRun)
    }

    /// The first byte, as the device sees it.
    pub(crate) fn address(&self) -> Address {
        self.held.piece.address
    }

    /// The device that it is of.
    pub(crate) fn runtime(&self) -> &Runtime {
        &self.held.runtime
    }

    /// The deferred errors that its values may have.
    pub(crate) fn deferred(&self) -> MutexGuard<'_, ErrorSet> {
        self.deferred.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Streams that a read has to be ordered after.
    pub(crate) fn before_read(&self, stream_id: StreamId) -> StreamSet {
        let ordered = self.ordered.load(Ordering::Relaxed) & stream_id.own() != 0;
        if ordered { 0 } else { self.writer.load(Ordering::Relaxed) & !stream_id.own() }
    }

    /// Streams that a write has to be ordered after.
    pub(crate) fn before_write(&self, stream_id: StreamId) -> StreamSet {
        (self.users.load(Ordering::Relaxed) | self.writer.load(Ordering::Relaxed))
            & !stream_id.own()
    }

    /// Notes a read in a stream that is ordered after the write.
    pub(crate) fn read_in(&self, stream_id: StreamId) {
        self.ordered.fetch_or(stream_id.own(), Ordering::Relaxed);
        self.users.fetch_or(stream_id.bit(), Ordering::Relaxed);
    }

    /// Notes a write in a stream that is ordered after all use.
    pub(crate) fn written_in(&self, stream_id: StreamId) {
        self.writer.store(stream_id.bit(), Ordering::Relaxed);
        self.ordered.store(0, Ordering::Relaxed);
        self.users.store(stream_id.bit(), Ordering::Relaxed);
    }
}

impl Memory for GpuMemory {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn of_device(&self) -> &dyn Memory {
        self
    }
}

impl fmt::Debug for GpuMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GpuMemory({:?})", self.held.piece)
    }
}

impl Drop for GpuMemory {
    fn drop(&mut self) {
        let users = *self.users.get_mut() | *self.writer.get_mut();
        self.held.runtime.give_back(std::mem::take(&mut self.held.piece), users);
    }
}

/// Memory of a launch, of one stream.
pub(crate) struct Scratch {
    held: PoolMemory,
    stream_id: StreamId,
}

impl Scratch {
    /// Memory that was taken for work on a stream.
    pub(crate) fn new(runtime: Arc<Runtime>, piece: Allocation, stream_id: StreamId) -> Self {
        Self { held: PoolMemory { runtime, piece }, stream_id }
    }

    /// The first byte, as the device sees it.
    pub(crate) fn address(&self) -> Address {
        self.held.piece.address
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scratch({:?})", self.held.piece)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.held.runtime.give_back(std::mem::take(&mut self.held.piece), self.stream_id.bit());
    }
}

/// The memory of core's handle.
pub(crate) fn memory_of(memory: &dyn Memory) -> &GpuMemory {
    match (memory as &dyn Any).downcast_ref() {
        Some(memory) => memory,
        None => unreachable!("memory of another device"),
    }
}
