//! Memory of arrays and of launches: which streams use it, which faults it carries; given back when dropped.
//!
//! What is known about streams is a few masks, kept only while there are several streams. Memory changes hands after
//! the calls that use it have returned, so an event recorded by who meets it stands behind all use. Only who holds it
//! alone writes it, so a write may forget who used it before.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ndany_core::backend::Memory;

use crate::driver::{Address, Driver};
use crate::fault::FaultSet;
use crate::pool::Piece;
use crate::runtime::Runtime;
use crate::stream::{Lane, StreamSet};

/// A piece of the pool that goes back when it is dropped.
struct Held<D: Driver> {
    runtime: Arc<Runtime<D>>,
    piece: Piece,
}

/// The memory of an array.
pub(crate) struct GpuMemory<D: Driver> {
    held: Held<D>,
    /// The stream that wrote it last.
    writer: AtomicU64,
    /// Streams that run behind that write already.
    ordered: AtomicU64,
    /// Streams that have used it since.
    users: AtomicU64,
    faults: Mutex<FaultSet>,
}

impl<D: Driver> GpuMemory<D> {
    /// Memory that was taken for work on a stream.
    pub(crate) fn new(runtime: Arc<Runtime<D>>, piece: Piece, lane: Lane) -> Self {
        Self {
            held: Held { runtime, piece },
            writer: AtomicU64::new(lane.bit()),
            ordered: AtomicU64::new(0),
            users: AtomicU64::new(lane.bit()),
            faults: Mutex::default(),
        }
    }

    /// The first byte, as the device sees it.
    pub(crate) fn address(&self) -> Address {
        self.held.piece.address
    }

    /// The device that it is of.
    pub(crate) fn runtime(&self) -> &Runtime<D> {
        &self.held.runtime
    }

    /// The faults that its values may have.
    pub(crate) fn faults(&self) -> MutexGuard<'_, FaultSet> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Streams that a read has to run behind.
    pub(crate) fn before_read(&self, lane: Lane) -> StreamSet {
        let ordered = self.ordered.load(Ordering::Relaxed) & lane.own() != 0;
        if ordered { 0 } else { self.writer.load(Ordering::Relaxed) & !lane.own() }
    }

    /// Streams that a write has to run behind.
    pub(crate) fn before_write(&self, lane: Lane) -> StreamSet {
        (self.users.load(Ordering::Relaxed) | self.writer.load(Ordering::Relaxed)) & !lane.own()
    }

    /// It is read in a stream from now on, which runs behind the write.
    pub(crate) fn read_in(&self, lane: Lane) {
        self.ordered.fetch_or(lane.own(), Ordering::Relaxed);
        self.users.fetch_or(lane.bit(), Ordering::Relaxed);
    }

    /// It is written in a stream from now on, which runs behind all use.
    pub(crate) fn written_in(&self, lane: Lane) {
        self.writer.store(lane.bit(), Ordering::Relaxed);
        self.ordered.store(0, Ordering::Relaxed);
        self.users.store(lane.bit(), Ordering::Relaxed);
    }
}

impl<D: Driver> Memory for GpuMemory<D> {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<D: Driver> fmt::Debug for GpuMemory<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GpuMemory({:?})", self.held.piece)
    }
}

impl<D: Driver> Drop for GpuMemory<D> {
    fn drop(&mut self) {
        let users = *self.users.get_mut() | *self.writer.get_mut();
        self.held.runtime.give_back(std::mem::take(&mut self.held.piece), users);
    }
}

/// Memory of a launch, of one stream.
pub(crate) struct Scratch<D: Driver> {
    held: Held<D>,
    lane: Lane,
}

impl<D: Driver> Scratch<D> {
    /// Memory that was taken for work on a stream.
    pub(crate) fn new(runtime: Arc<Runtime<D>>, piece: Piece, lane: Lane) -> Self {
        Self { held: Held { runtime, piece }, lane }
    }

    /// The first byte, as the device sees it.
    pub(crate) fn address(&self) -> Address {
        self.held.piece.address
    }
}

impl<D: Driver> fmt::Debug for Scratch<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scratch({:?})", self.held.piece)
    }
}

impl<D: Driver> Drop for Scratch<D> {
    fn drop(&mut self) {
        self.held.runtime.give_back(std::mem::take(&mut self.held.piece), self.lane.bit());
    }
}

/// The memory behind core's handle.
pub(crate) fn memory_of<D: Driver>(memory: &dyn Memory) -> &GpuMemory<D> {
    match memory.as_any().downcast_ref() {
        Some(memory) => memory,
        None => unreachable!("memory of another device"),
    }
}
