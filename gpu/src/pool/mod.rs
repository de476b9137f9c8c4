//! The pool of a device: memory comes from segments that are kept, and goes back in the order of the streams.
//!
//! A block that is freed may still be in use by work under way. Its own stream takes it again at once, because what
//! follows there runs behind that work; other streams, and the driver, take it when an event behind the work is past.
//! Events are recorded when somebody asks, one for all blocks that are free by then, so a device with one stream never
//! records any. When there is no memory left the pool waits for the device, gives back what nobody uses, and tries
//! again before it reports an error. No lock is held while the driver allocates or frees.
//!
//! Deliberately absent: moving live blocks, and memory of the host (see `staging.rs`).

mod arena;
mod traces;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ndany_core::{Error, MemoryState, PoolStatistics, Result};
use smallvec::SmallVec;

use crate::driver::{Address, Driver, DriverError};
use crate::link::Link;
use crate::settings::{PoolMode, Settings};
use crate::stream::{Lane, StreamSet, Streams};

use arena::{Arena, BlockId, rounded, segment_for};
use traces::{Traces, Watches};

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

/// Memory that was taken from a pool and has to be given back to it.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) address: Address,
    /// Bytes of it, which are no fewer than were asked for.
    bytes: usize,
    /// Its block, unless it is an allocation of its own.
    block: Option<BlockId>,
}

/// The pool of one device.
#[derive(Debug)]
pub(crate) struct Pool {
    mode: PoolMode,
    /// Bytes that it may obtain from the driver.
    limit: AtomicUsize,
    state: Mutex<State>,
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
    watches: Watches,
    /// Allocations of their own that work under way may still use, the oldest first.
    retired: VecDeque<(Address, usize, Traces)>,
    figures: PoolStatistics,
}

/// A block given back a moment ago.
#[derive(Debug)]
struct Recent {
    block: BlockId,
    address: Address,
    bytes: usize,
    traces: Traces,
}

impl State {
    /// The latest block of this size.
    fn recent(
        &mut self,
        bytes: usize,
        mut ready: impl FnMut(&mut Watches, &Traces) -> bool,
    ) -> Option<Piece> {
        let Self { recent, watches, .. } = self;
        let place = recent
            .iter()
            .rposition(|recent| recent.bytes == bytes && ready(watches, &recent.traces))?;
        let Recent { block, address, bytes, .. } = recent.remove(place);
        Some(Piece { address, bytes, block: Some(block) })
    }

    /// Tells the arena of all of them.
    fn settle(&mut self) {
        for Recent { block, traces, .. } in self.recent.drain(..) {
            self.arena.give(block, traces);
        }
    }
}

impl Pool {
    pub(crate) fn new(settings: &Settings) -> Self {
        let limit = AtomicUsize::new(settings.limit.unwrap_or(usize::MAX));
        Self { mode: settings.pool, limit, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Bytes behind those asked for that belong to their last word, where nothing else says what is in them.
    pub(crate) fn padding(&self, bytes: usize) -> usize {
        match self.mode {
            PoolMode::Cached => 0,
            PoolMode::Direct => bytes.next_multiple_of(WORD) - bytes,
        }
    }

    /// Memory for work on a stream.
    pub(crate) fn take<D: Driver>(
        &self,
        link: &Link<D>,
        streams: &Streams,
        lane: Lane,
        bytes: usize,
    ) -> Result<Piece> {
        let wanted = match self.mode {
            PoolMode::Cached => rounded(bytes),
            PoolMode::Direct => bytes.max(1).checked_next_multiple_of(WORD),
        };
        let Some(wanted) = wanted.filter(|wanted| *wanted <= isize::MAX as usize) else {
            return Err(self.exhausted(link, bytes));
        };
        if let Some(piece) = self.reuse(link, streams, lane, wanted) {
            return Ok(piece);
        }
        self.trim(link, streams, wanted, self.segment(wanted))?;
        match self.obtain(link, wanted, self.segment(wanted)) {
            Err(DriverError::OutOfMemory { .. }) => {}
            other => return other.map_err(|error| link.error("allocate", error)),
        }
        tracing::debug!(
            device = link.driver().name(),
            bytes,
            "out of memory: what is cached is given back"
        );
        self.wait(link, streams)?;
        if let Some(piece) = self.reuse(link, streams, lane, wanted) {
            return Ok(piece);
        }
        self.release(link, streams);
        for segment in [self.segment(wanted), wanted] {
            match self.obtain(link, wanted, segment) {
                Err(DriverError::OutOfMemory { .. }) => {}
                other => return other.map_err(|error| link.error("allocate", error)),
            }
        }
        Err(self.exhausted(link, bytes))
    }

    /// Takes back a piece that work on these streams may still use.
    pub(crate) fn give<D: Driver>(
        &self,
        link: &Link<D>,
        streams: &Streams,
        piece: Piece,
        used_on: StreamSet,
    ) {
        let mut state = self.state();
        state.figures.live -= piece.bytes;
        let traces = state.watches.freed(used_on);
        match piece.block {
            Some(block) => {
                if state.recent.len() == RECENT {
                    let Recent { block, traces, .. } = state.recent.remove(0);
                    state.arena.give(block, traces);
                }
                let Piece { address, bytes, .. } = piece;
                state.recent.push(Recent { block, address, bytes, traces });
            }
            None => {
                state.retired.push_back((piece.address, piece.bytes, traces));
                drop(state);
                self.sweep(link, streams);
            }
        }
    }

    /// Gives the driver back whatever is free and passed by all streams.
    pub(crate) fn release<D: Driver>(&self, link: &Link<D>, streams: &Streams) {
        self.release_some(link, streams, usize::MAX);
        self.sweep(link, streams);
    }

    fn release_some<D: Driver>(&self, link: &Link<D>, streams: &Streams, enough: usize) {
        let mut state = self.state();
        state.settle();
        let State { arena, watches, figures, .. } = &mut *state;
        let mut asked = 0;
        let ready = |traces: &Traces| watches.past(link, streams, traces, 0, &mut asked);
        let segments = arena.release(enough, ready);
        figures.reserved -= segments.iter().map(|(_, bytes)| bytes).sum::<usize>();
        drop(state);
        for (address, bytes) in segments {
            tracing::debug!(device = link.driver().name(), bytes, "segment given back");
            // SAFETY: nothing in the segment is live, all streams are past its use, and the arena has forgotten it.
            link.quietly(|driver| unsafe { driver.free(address) });
        }
    }

    /// Before the pool grows: if it holds much more than was ever live, segments of sizes that nobody asks for any
    /// more are given back. Those who ask for the same sizes again and again never come here.
    fn trim<D: Driver>(
        &self,
        link: &Link<D>,
        streams: &Streams,
        wanted: usize,
        segment: usize,
    ) -> Result<()> {
        let excess = {
            let mut state = self.state();
            state.settle();
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
            self.wait(link, streams)?;
        }
        self.release_some(link, streams, excess);
        Ok(())
    }

    /// Waits for the device; what is free by then is nobody's any more.
    pub(crate) fn wait<D: Driver>(&self, link: &Link<D>, streams: &Streams) -> Result<()> {
        let now = self.state().watches.now();
        streams.wait_for_all(link, "synchronize")?;
        self.state().watches.all_past(now);
        self.sweep(link, streams);
        Ok(())
    }

    /// Gives everything back to the driver; nothing is live and nothing under way.
    pub(crate) fn close<D: Driver>(&mut self, link: &Link<D>, streams: &Streams) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let now = state.watches.now();
        state.watches.all_past(now);
        state.watches.close(streams);
        self.release(link, streams);
    }

    /// Bytes of the segment for a request.
    fn segment(&self, wanted: usize) -> usize {
        match self.mode {
            PoolMode::Cached => segment_for(wanted),
            PoolMode::Direct => wanted,
        }
    }

    /// A piece of what is there.
    fn reuse<D: Driver>(
        &self,
        link: &Link<D>,
        streams: &Streams,
        lane: Lane,
        wanted: usize,
    ) -> Option<Piece> {
        match self.mode {
            PoolMode::Cached => {
                let mut state = self.state();
                let mut asked = 0;
                let mut ready = |watches: &mut Watches, traces: &Traces| {
                    watches.past(link, streams, traces, lane.own(), &mut asked)
                };
                let piece = state.recent(wanted, &mut ready).or_else(|| {
                    state.settle();
                    let State { arena, watches, .. } = &mut *state;
                    let (block, address) = arena.take(wanted, |traces| ready(watches, traces))?;
                    Some(Piece { address, bytes: wanted, block: Some(block) })
                })?;
                enliven(&mut state.figures, wanted);
                Some(piece)
            }
            PoolMode::Direct => {
                self.sweep(link, streams);
                None
            }
        }
    }

    /// A piece of new memory of the driver.
    fn obtain<D: Driver>(
        &self,
        link: &Link<D>,
        wanted: usize,
        segment: usize,
    ) -> Result<Piece, DriverError> {
        {
            let figures = &mut self.state().figures;
            if figures.reserved.saturating_add(segment) > self.limit() {
                return Err(DriverError::OutOfMemory { call: "NDANY_POOL_LIMIT" });
            }
            reserve(figures, segment);
        }
        let span = tracing::debug_span!("segment", device = link.driver().name(), bytes = segment);
        let address = span.in_scope(|| link.attempt("allocate", |driver| driver.allocate(segment)));
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
        Ok(Piece { address, bytes: wanted, block })
    }

    /// Frees allocations of their own that all streams are past.
    fn sweep<D: Driver>(&self, link: &Link<D>, streams: &Streams) {
        loop {
            let mut state = self.state();
            let State { watches, retired, figures, .. } = &mut *state;
            let Some(&(address, bytes, traces)) = retired.front() else { return };
            if !watches.past(link, streams, &traces, 0, &mut 0) {
                return;
            }
            retired.pop_front();
            figures.reserved -= bytes;
            drop(state);
            // SAFETY: the memory is nobody's, all streams are past its use, and the queue has forgotten it.
            link.quietly(|driver| unsafe { driver.free(address) });
        }
    }

    fn exhausted<D: Driver>(&self, link: &Link<D>, requested: usize) -> Error {
        let memory = Some(self.memory(link));
        let device = link.driver().name().to_string();
        Error::OutOfMemory { op: "allocate", device, requested, memory }
    }

    /// Where the memory is.
    pub(crate) fn memory<D: Driver>(&self, link: &Link<D>) -> MemoryState {
        let figures = self.statistics();
        let free = link.attempt("memory", |driver| driver.memory()).map_or(0, |[free, _]| free);
        MemoryState {
            live: figures.live,
            cached: figures.reserved - figures.live,
            free: free.min(self.limit().saturating_sub(figures.reserved)),
        }
    }
}

#[cfg(test)]
mod tests;
