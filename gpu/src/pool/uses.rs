//! Whether work that may still use a freed block has completed.
//!
//! Time is the number of blocks freed so far. An event recorded in a stream at a time comes after the use of all blocks
//! freed by then, so one event a stream is enough for all blocks.

use crate::checked::CheckedDriver;
use crate::driver::Event;
use crate::stream::{StreamSet, Streams};

/// Which streams' work may still use a free block, and when it was freed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamUses {
    pub(crate) streams: StreamSet,
    pub(crate) freed: u64,
}

impl StreamUses {
    /// Of two blocks that become one.
    pub(crate) fn merge(&mut self, other: StreamUses) {
        self.streams |= other.streams;
        self.freed = self.freed.max(other.freed);
    }
}

/// The time up to which each stream is known to have completed.
#[derive(Debug)]
pub(crate) struct EventTracker {
    clock: u64,
    completed: [u64; 64],
    /// Events that are recorded and not known to have completed, with their times.
    events: [Option<(Event, u64)>; 64],
}

impl Default for EventTracker {
    fn default() -> Self {
        Self { clock: 0, completed: [0; 64], events: [None; 64] }
    }
}

impl EventTracker {
    /// The time of what is freed now, after work on these streams.
    pub(crate) fn freed(&mut self, streams: StreamSet) -> StreamUses {
        self.clock += 1;
        StreamUses { streams, freed: self.clock }
    }

    /// The time.
    pub(crate) fn now(&self) -> u64 {
        self.clock
    }

    /// Notes that all streams have completed their work up to a time.
    pub(crate) fn all_completed(&mut self, then: u64) {
        self.completed.iter_mut().for_each(|completed| *completed = (*completed).max(then));
    }

    /// Whether all work that uses a block has completed, but for work on the streams `own`, after which the caller
    /// runs. Streams of `asked` were polled just now and are not polled again.
    pub(crate) fn completed(
        &mut self,
        checked: &CheckedDriver,
        streams: &Streams,
        uses: &StreamUses,
        own: StreamSet,
        asked: &mut StreamSet,
    ) -> bool {
        let mut completed = true;
        let mut foreign = uses.streams & !own;
        while foreign != 0 {
            let number = foreign.trailing_zeros() as usize;
            foreign &= foreign - 1;
            if self.completed[number] < uses.freed && *asked >> number & 1 == 0 {
                *asked |= 1 << number;
                self.poll(checked, streams, number);
            }
            completed &= self.completed[number] >= uses.freed;
        }
        completed
    }

    /// Polls the event of a stream, and records one if there is none. The bit that many streams share has none: blocks
    /// that they used are free once the device has been waited for.
    #[cold]
    fn poll(&mut self, checked: &CheckedDriver, streams: &Streams, number: usize) {
        if let Some((event, time)) = self.events[number] {
            // SAFETY: events live as long as the device.
            if checked.attempt("allocate", |driver| unsafe { driver.is_completed(event) })
                != Ok(true)
            {
                return;
            }
            streams.keep(event);
            self.events[number] = None;
            self.completed[number] = self.completed[number].max(time);
            if time == self.clock {
                return;
            }
        }
        if let [stream] = streams.members(1 << number, None)[..]
            && let Ok(event) = streams.event(checked)
        {
            // SAFETY: streams and events live as long as the device; the event has no other user.
            match checked.attempt("allocate", |driver| unsafe { driver.record(event, stream) }) {
                Ok(()) => self.events[number] = Some((event, self.clock)),
                Err(_) => streams.keep(event),
            }
        }
    }

    /// Gives the events back.
    pub(crate) fn close(&mut self, streams: &Streams) {
        self.events.iter_mut().filter_map(Option::take).for_each(|(event, _)| streams.keep(event));
    }
}
