//! The pool of a device: memory comes from segments that are kept, and goes back in the order of the streams.
//!
//! A block that is freed may still be in use by work under way. Its own stream takes it again at once, because what
//! follows there runs after that work; other streams, and the driver, take it when an event after the work has
//! completed. Events are recorded on demand, one for all blocks that are free by then, so a device with one stream
//! never records any. When there is no memory left the pool waits for the device, gives back what is unused, and tries
//! again before it reports an error. No lock is held while the driver allocates or frees.
//!
//! Deliberately absent: moving live blocks, and memory of the host (see `staging.rs`).

mod arena;
pub(crate) mod hooks;
mod uses;

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ndany_core::backend::{MemoryEvent, Owner};
use ndany_core::{Error, MemoryState, PoolStatistics, Result};
use smallvec::SmallVec;

use crate::checked::CheckedDriver;
use crate::driver::{Address, Driver, DriverError};
use crate::settings::{PoolMode, Settings};
use crate::stream::{StreamId, StreamSet, Streams};

use arena::{Arena, BlockId, segment_for};
use hooks::Hooks;
use uses::{EventTracker, StreamUses};

pub(crate) use arena::rounded;

/// Bytes of which an allocation has whole ones: the smallest that kernels combine in, around a narrower element.
const WORD: usize = 4;

/// Bytes that are too few to care about.
const SLACK: usize = 16 << 20;

/// More is obtained from the driver.
fn reserve(figures: &mut PoolStatistics, bytes: usize) {
    figures.reserved += bytes;
    figures.peak_reserved = figures.peak_reserved.max(figures.reserved);
}

/// More is held.
fn enliven(figures: &mut PoolStatistics, bytes: usize) {
    figures.live += bytes;
    figures.peak_live = figures.peak_live.max(figures.live);
}

/// Which of the driver's memories a pool holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PoolKind {
    /// Memory of the device.
    #[default]
    Device,
    /// Memory that the driver moves between the device and the host.
    Managed,
}

/// Memory that was taken and has to be given back to where it comes from.
#[derive(Debug, Default)]
pub(crate) struct Allocation {
    pub(crate) address: Address,
    /// Bytes of it, which are no fewer than were asked for.
    bytes: usize,
    /// Its block, unless it is an allocation of its own.
    block: Option<BlockId>,
    /// Whose it is.
    pub(crate) source: AllocationSource,
}

/// Who takes memory back.
#[derive(Default)]
pub(crate) enum AllocationSource {
    /// A pool of the device's.
    Pool(PoolKind),
    /// An allocator of the program's, by what gives it back when it is dropped.
    Owner(Mutex<Owner>),
    /// None: memory of a dry run has no bytes.
    DryRun,
    /// None.
    #[default]
    Nobody,
}

impl fmt::Debug for AllocationSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pool(PoolKind::Device) => "Device",
            Self::Pool(PoolKind::Managed) => "Managed",
            Self::Owner(_) => "Owner",
            Self::DryRun => "DryRun",
            Self::Nobody => "Nobody",
        })
    }
}

impl Allocation {
    /// Memory of a dry run: it has an address, as others are aligned, and no bytes.
    pub(crate) fn without_bytes(bytes: usize) -> Self {
        const ALIGNMENT: u64 = 512;
        static NEXT: AtomicU64 = AtomicU64::new(1 << 40);
        let room = (bytes as u64).next_multiple_of(ALIGNMENT) + ALIGNMENT;
        let address = NEXT.fetch_add(room, Ordering::Relaxed);
        Self { address, bytes, source: AllocationSource::DryRun, ..Self::default() }
    }

    /// Memory that is no pool's and goes back when its owner is dropped.
    pub(crate) fn owned(address: Address, owner: Owner) -> Self {
        Self { address, source: AllocationSource::Owner(Mutex::new(owner)), ..Self::default() }
    }
}

/// The pool of one device.
#[derive(Debug)]
pub(crate) struct Pool {
    kind: PoolKind,
    mode: PoolMode,
    /// Bytes that it may obtain from the driver.
    limit: AtomicUsize,
    state: Mutex<State>,
    hooks: Arc<Hooks>,
}

/// Blocks that are kept as they were.
const RECENT: usize = 4;

#[derive(Debug, Default)]
struct State {
    arena: Arena,
    /// Blocks given back that the arena does not know of yet, the latest last. Programs ask for the same sizes again
    /// and again: such a block is handed out as it is, and is neither merged nor cut. As soon as another size is
    /// asked for, the arena gets them all.
    recent: SmallVec<[Recent; RECENT]>,
    tracker: EventTracker,
    /// Allocations of their own that work under way may still use, the oldest first.
    retired: VecDeque<(Address, usize, StreamUses)>,
    figures: PoolStatistics,
}

/// A block given back a moment ago.
#[derive(Debug)]
struct Recent {
    block: BlockId,
    address: Address,
    bytes: usize,
    uses: StreamUses,
}

impl State {
    /// The latest block of this size.
    fn recent(
        &mut self,
        bytes: usize,
        mut ready: impl FnMut(&mut EventTracker, &StreamUses) -> bool,
    ) -> Option<(BlockId, Address)> {
        let Self { recent, tracker, .. } = self;
        let place = recent
            .iter()
            .rposition(|recent| recent.bytes == bytes && ready(tracker, &recent.uses))?;
        let Recent { block, address, .. } = recent.remove(place);
        Some((block, address))
    }

    /// Tells the arena of all of them.
    fn merge_recent(&mut self) {
        for Recent { block, uses, .. } in self.recent.drain(..) {
            self.arena.give(block, uses);
        }
    }
}

impl Pool {
    /// The device's own.
    pub(crate) fn new(settings: &Settings) -> Self {
        let limit = AtomicUsize::new(settings.limit.unwrap_or(usize::MAX));
        let (kind, hooks) = Default::default();
        Self { kind, mode: settings.pool, limit, state: Mutex::default(), hooks }
    }

    /// That of managed memory beside it, with the same hooks and no limit: managed memory may be more than the device has.
    pub(crate) fn managed(&self) -> Self {
        Self {
            kind: PoolKind::Managed,
            mode: self.mode,
            limit: AtomicUsize::new(usize::MAX),
            state: Mutex::default(),
            hooks: self.hooks.clone(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who is told of what happens.
    pub(crate) fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    fn allocation(&self, address: Address, bytes: usize, block: Option<BlockId>) -> Allocation {
        Allocation { address, bytes, block, source: AllocationSource::Pool(self.kind) }
    }

    pub(crate) fn statistics(&self) -> PoolStatistics {
        self.state().figures
    }

    fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// From now on it obtains no more than this; what it has it keeps.
    pub(crate) fn set_limit(&self, bytes: Option<usize>) {
        self.limit.store(bytes.unwrap_or(usize::MAX), Ordering::Relaxed);
    }

    /// Bytes of padding after a direct allocation, up to the end of its last word.
    pub(crate) fn padding(&self, bytes: usize) -> usize {
        match self.mode {
            PoolMode::Cached => 0,
            PoolMode::Direct => bytes.next_multiple_of(WORD) - bytes,
        }
    }

    /// Memory for work on a stream.
    pub(crate) fn take(
        &self,
        checked: &CheckedDriver,
        streams: &Streams,
        stream_id: StreamId,
        bytes: usize,
    ) -> Result<Allocation> {
        let taken = self.find(checked, streams, stream_id, bytes)?;
        self.hooks.tell(MemoryEvent::Take { bytes: taken.bytes });
        Ok(taken)
    }

    fn find(
        &self,
        checked: &CheckedDriver,
        streams: &Streams,
        stream_id: StreamId,
        bytes: usize,
    ) -> Result<Allocation> {
        let wanted = match self.mode {
            PoolMode::Cached => rounded(bytes),
            PoolMode::Direct => bytes.max(1).checked_next_multiple_of(WORD),
        };
        let Some(wanted) = wanted.filter(|wanted| *wanted <= isize::MAX as usize) else {
            return Err(self.exhausted(checked, bytes));
        };
        if let Some(piece) = self.reuse(checked, streams, stream_id, wanted) {
            return Ok(piece);
        }
        self.trim(checked, streams, wanted, self.segment(wanted))?;
        match self.obtain(checked, wanted, self.segment(wanted)) {
            Err(DriverError::OutOfMemory { .. }) => {}
            other => return other.map_err(|error| checked.error("allocate", error)),
        }
        tracing::debug!(
            device = checked.driver().name(),
            bytes,
            "out of memory: what is cached is given back"
        );
        self.wait(checked, streams)?;
        if let Some(piece) = self.reuse(checked, streams, stream_id, wanted) {
            return Ok(piece);
        }
        self.release(checked, streams);
        for segment in [self.segment(wanted), wanted] {
            match self.obtain(checked, wanted, segment) {
                Err(DriverError::OutOfMemory { .. }) => {}
                other => return other.map_err(|error| checked.error("allocate", error)),
            }
        }
        Err(self.exhausted(checked, bytes))
    }

    /// Takes back a piece that work on these streams may still use.
    pub(crate) fn give(
        &self,
        checked: &CheckedDriver,
        streams: &Streams,
        piece: Allocation,
        used_on: StreamSet,
    ) {
        self.hooks.tell(MemoryEvent::Give { bytes: piece.bytes });
        let mut state = self.state();
        state.figures.live -= piece.bytes;
        let uses = state.tracker.freed(used_on);
        match piece.block {
            Some(block) => {
                if state.recent.len() == RECENT {
                    let Recent { block, uses, .. } = state.recent.remove(0);
                    state.arena.give(block, uses);
                }
                let Allocation { address, bytes, .. } = piece;
                state.recent.push(Recent { block, address, bytes, uses });
            }
            None => {
                state.retired.push_back((piece.address, piece.bytes, uses));
                drop(state);
                self.sweep(checked, streams);
            }
        }
    }

    /// Gives the driver back whatever is free and passed by all streams.
    pub(crate) fn release(&self, checked: &CheckedDriver, streams: &Streams) {
        self.release_some(checked, streams, usize::MAX);
        self.sweep(checked, streams);
    }

    fn release_some(&self, checked: &CheckedDriver, streams: &Streams, enough: usize) {
        let mut state = self.state();
        state.merge_recent();
        let State { arena, tracker, figures, .. } = &mut *state;
        let mut asked = 0;
        let ready = |uses: &StreamUses| tracker.completed(checked, streams, uses, 0, &mut asked);
        let segments = arena.release(enough, ready);
        figures.reserved -= segments.iter().map(|(_, bytes)| bytes).sum::<usize>();
        drop(state);
        for (address, bytes) in segments {
            tracing::debug!(device = checked.driver().name(), bytes, "segment given back");
            // SAFETY: nothing in the segment is live, all streams are past its use, and the arena has forgotten it.
            checked.quietly(|driver| unsafe { driver.free(address) });
            self.hooks.tell(MemoryEvent::Release { bytes });
        }
    }

    /// Before the pool grows: if it holds much more than was ever live, it gives back free segments, whose sizes are no
    /// longer asked for. Programs that allocate the same sizes repeatedly never come here.
    fn trim(
        &self,
        checked: &CheckedDriver,
        streams: &Streams,
        wanted: usize,
        segment: usize,
    ) -> Result<()> {
        let excess = {
            let mut state = self.state();
            state.merge_recent();
            let live = (state.figures.live + wanted).max(state.figures.peak_live);
            let bound = live + live / 20 * 3 + SLACK;
            let reserved = state.figures.reserved + segment;
            if reserved <= bound || !state.arena.any_idle() {
                return Ok(());
            }
            reserved - bound
        };
        // Streams that run beside each other are not stopped for this; what they are past can still go.
        if !streams.several() {
            self.wait(checked, streams)?;
        }
        self.release_some(checked, streams, excess);
        Ok(())
    }

    /// Waits for the device; afterwards no work uses what was free before.
    pub(crate) fn wait(&self, checked: &CheckedDriver, streams: &Streams) -> Result<()> {
        self.wait_by(checked, streams, || streams.wait_for_all(checked, "synchronize"))
    }

    /// The same by something that waits for the device.
    pub(crate) fn wait_by(
        &self,
        checked: &CheckedDriver,
        streams: &Streams,
        wait: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let now = self.state().tracker.now();
        wait()?;
        self.state().tracker.all_completed(now);
        self.sweep(checked, streams);
        Ok(())
    }

    /// Gives everything back to the driver; nothing is live and nothing under way.
    pub(crate) fn close(&mut self, checked: &CheckedDriver, streams: &Streams) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let now = state.tracker.now();
        state.tracker.all_completed(now);
        state.tracker.close(streams);
        self.release(checked, streams);
    }

    /// Bytes of the segment for a request.
    fn segment(&self, wanted: usize) -> usize {
        match self.mode {
            PoolMode::Cached => segment_for(wanted),
            PoolMode::Direct => wanted,
        }
    }

    /// A piece of what is there.
    fn reuse(
        &self,
        checked: &CheckedDriver,
        streams: &Streams,
        stream_id: StreamId,
        wanted: usize,
    ) -> Option<Allocation> {
        match self.mode {
            PoolMode::Cached => {
                let mut state = self.state();
                let mut asked = 0;
                let mut ready = |tracker: &mut EventTracker, uses: &StreamUses| {
                    tracker.completed(checked, streams, uses, stream_id.own(), &mut asked)
                };
                let (block, address) = state.recent(wanted, &mut ready).or_else(|| {
                    state.merge_recent();
                    let State { arena, tracker, .. } = &mut *state;
                    arena.take(wanted, |uses| ready(tracker, uses))
                })?;
                enliven(&mut state.figures, wanted);
                Some(self.allocation(address, wanted, Some(block)))
            }
            PoolMode::Direct => {
                self.sweep(checked, streams);
                None
            }
        }
    }

    /// A piece of new memory of the driver.
    fn obtain(
        &self,
        checked: &CheckedDriver,
        wanted: usize,
        segment: usize,
    ) -> Result<Allocation, DriverError> {
        {
            let figures = &mut self.state().figures;
            if figures.reserved.saturating_add(segment) > self.limit() {
                return Err(DriverError::OutOfMemory { call: "NDANY_POOL_LIMIT" });
            }
            reserve(figures, segment);
        }
        let span =
            tracing::debug_span!("segment", device = checked.driver().name(), bytes = segment);
        let call = |driver: &dyn Driver| match self.kind {
            PoolKind::Device => driver.allocate(segment),
            PoolKind::Managed => driver.allocate_managed(segment),
        };
        let address = span.in_scope(|| checked.attempt_beside("allocate", call));
        let mut state = self.state();
        let address = match address {
            Ok(address) => address,
            Err(error) => {
                state.figures.reserved -= segment;
                return Err(error);
            }
        };
        enliven(&mut state.figures, wanted);
        let block = match self.mode {
            PoolMode::Cached => Some(state.arena.add_segment(address, segment, wanted)),
            PoolMode::Direct => None,
        };
        drop(state);
        self.hooks.tell(MemoryEvent::Reserve { bytes: segment });
        Ok(self.allocation(address, wanted, block))
    }

    /// Frees allocations of their own that all streams are past.
    fn sweep(&self, checked: &CheckedDriver, streams: &Streams) {
        loop {
            let mut state = self.state();
            let State { tracker, retired, figures, .. } = &mut *state;
            let Some(&(address, bytes, uses)) = retired.front() else { return };
            if !tracker.completed(checked, streams, &uses, 0, &mut 0) {
                return;
            }
            retired.pop_front();
            figures.reserved -= bytes;
            drop(state);
            // SAFETY: the memory has no user, all work on it has completed, and the queue has forgotten it.
            checked.quietly(|driver| unsafe { driver.free(address) });
            self.hooks.tell(MemoryEvent::Release { bytes });
        }
    }

    fn exhausted(&self, checked: &CheckedDriver, requested: usize) -> Error {
        let memory = Some(self.memory(checked));
        let device = checked.driver().name().to_string();
        Error::OutOfMemory { op: "allocate", device, requested, memory }
    }

    /// Where the memory is.
    pub(crate) fn memory(&self, checked: &CheckedDriver) -> MemoryState {
        let figures = self.statistics();
        let free =
            checked.attempt_beside("memory", |driver| driver.memory()).map_or(0, |[free, _]| free);
        MemoryState {
            live: figures.live,
            cached: figures.reserved - figures.live,
            free: free.min(self.limit().saturating_sub(figures.reserved)),
        }
    }
}

#[cfg(test)]
mod tests;
