//! Memory that crosses the border: of other libraries, used here; of this device, lent to other libraries.
//!
//! Whoever has allocated foreign memory may free it once its owner is dropped. That is after all work that uses it: when the
//! last array over it goes, an event is recorded in each stream that has used it, and the owner is dropped by one of the
//! next calls that find these events completed. An owner whose work cannot be waited for is never dropped.
//!
//! Owners are dropped while no lock is held: they are code of the program, and may use this device.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ndany_core::Result;
use ndany_core::backend::{Access, ForeignMemory, Owner, refusals};
use smallvec::SmallVec;

use crate::checked::CheckedDriver;
use crate::driver::{Address, Driver, Event, Stream};
use crate::graph;
use crate::memory::GpuMemory;
use crate::runtime::Runtime;
use crate::sources::OpenedMemory;
use crate::stream::{StreamId, StreamSet, Streams};

/// As the memory of the pool is aligned. Drivers allocate no finer, so what is read of the words around an element is of the
/// same allocation.
pub(crate) const ALIGNMENT: u64 = 256;

/// An owner whose memory work under way may use.
struct Retired {
    /// Recorded after that work.
    events: SmallVec<[Event; 2]>,
    owner: Owner,
}

/// The owners of foreign memory that no array uses any more.
#[derive(Default)]
pub(crate) struct Owners {
    retired: Mutex<Vec<Retired>>,
    /// How many they are.
    count: AtomicUsize,
}

impl fmt::Debug for Owners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owners").field("count", &self.count).finish()
    }
}

impl Owners {
    /// Takes an owner whose memory was used on these streams.
    fn retire(&self, checked: &CheckedDriver, streams: &Streams, owner: Owner, used_on: StreamSet) {
        let mut events = SmallVec::new();
        for stream in streams.members(used_on, None) {
            match event_after(checked, streams, stream) {
                Some(Ok(event)) => events.push(event),
                Some(Err(())) => {}
                None => {
                    tracing::debug!(device = checked.driver().name(), "foreign memory is kept");
                    // The device may use the memory for ever.
                    std::mem::forget(owner);
                    events.into_iter().for_each(|event| streams.keep(event));
                    return;
                }
            }
        }
        let mut retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        retired.push(Retired { events, owner });
        self.count.store(retired.len(), Ordering::Relaxed);
        drop(retired);
        self.sweep(checked, streams);
    }

    /// Drops the owners whose work is done.
    pub(crate) fn sweep(&self, checked: &CheckedDriver, streams: &Streams) {
        if self.count.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        let is_completed = |event: &Event| {
            // SAFETY: events live as long as the device.
            let ask = |driver: &dyn Driver| unsafe { driver.is_completed(*event) };
            checked.attempt("from_device", ask).unwrap_or(false)
        };
        let all = std::mem::take(&mut *retired);
        let (done, kept): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|retired| retired.events.iter().all(is_completed));
        self.count.store(kept.len(), Ordering::Relaxed);
        *retired = kept;
        drop(retired);
        done.into_iter().for_each(|retired| release(checked, streams, retired));
    }

    /// Drops all owners, since all work is done; if it cannot be waited for, keeps them for ever.
    pub(crate) fn close(&mut self, checked: &CheckedDriver, streams: &Streams, is_done: bool) {
        let retired = self.retired.get_mut().unwrap_or_else(PoisonError::into_inner);
        for retired in retired.drain(..) {
            match is_done {
                true => release(checked, streams, retired),
                false => std::mem::forget(retired.owner),
            }
        }
    }
}

/// Drops an owner, and keeps its events for others.
fn release(checked: &CheckedDriver, streams: &Streams, Retired { events, owner }: Retired) {
    events.into_iter().for_each(|event| streams.keep(event));
    if let Some(opened) = owner.downcast_ref::<OpenedMemory>() {
        // A device that closes cannot be reached from its owners.
        opened.close(checked);
    }
    drop(owner);
}

/// An event after what a stream has now; without an event, the stream is waited for (`Err`). `None` if that fails too.
fn event_after(
    checked: &CheckedDriver,
    streams: &Streams,
    stream: Stream,
) -> Option<Result<Event, ()>> {
    if let Ok(event) = streams.event(checked) {
        // SAFETY: streams and events live as long as the device, and the event has no other user.
        let record = |driver: &dyn Driver| unsafe { driver.record(event, stream) };
        if checked.attempt("from_device", record).is_ok() {
            return Some(Ok(event));
        }
        streams.keep(event);
    }
    // SAFETY: as above.
    let wait = |driver: &dyn Driver| unsafe { driver.wait_for_stream(stream) };
    checked.attempt("from_device", wait).ok().map(|()| Err(()))
}

impl Runtime {
    /// Takes memory of another library, which begins at a multiple of 256 and this many bytes before the address.
    pub(crate) fn foreign(self: &Arc<Self>, memory: ForeignMemory) -> (Arc<GpuMemory>, usize) {
        self.share();
        self.owners().sweep(self.checked(), self.streams());
        let (start, before): (Address, usize) = memory.aligned(ALIGNMENT);
        let ForeignMemory { bytes, owner, .. } = memory;
        let stream_id = self.streams().current();
        let memory = GpuMemory::foreign(self.clone(), start, before + bytes, owner, stream_id);
        (Arc::new(memory), before)
    }

    /// Drops the owner of memory after the work on these streams.
    pub(crate) fn retire_owner(&self, owner: Owner, used_on: StreamSet) {
        self.owners().retire(self.checked(), self.streams(), owner, used_on);
    }

    /// Puts another library's work in a stream into the order of a piece of memory, and returns its address.
    ///
    /// The stream counts as a user from now on. Whoever uses the memory next in another stream records an event in this one at
    /// that moment, which is after the other library has submitted its work.
    pub(crate) fn lend(
        &self,
        memory: &GpuMemory,
        stream_id: StreamId,
        access: Access,
    ) -> Result<Address> {
        graph::refuse(self, "lend", refusals::LOANS)?;
        self.share();
        self.report(self.streams().current(), memory)?;
        match access {
            Access::Read => self.order(stream_id, &[memory], &[])?,
            Access::Write => self.order(stream_id, &[], &[memory])?,
        }
        Ok(memory.address())
    }
}
