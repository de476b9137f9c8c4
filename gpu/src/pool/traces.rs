//! Whether work that may still use a freed block is past.
//!
//! Time is a count of what was freed. An event that is recorded in a stream at a time stands behind the use of all
//! that was freed by then, so one event a stream is enough for all blocks.

use crate::driver::{Driver, Event};
use crate::link::Link;
use crate::stream::{StreamSet, Streams};

/// Which streams' work may still use a free block, and when it was freed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traces {
    pub(crate) streams: StreamSet,
    pub(crate) freed: u64,
}

impl Traces {
    /// Of two blocks that become one.
    pub(crate) fn merge(&mut self, other: Traces) {
        self.streams |= other.streams;
        self.freed = self.freed.max(other.freed);
    }
}

/// How far each stream is known to have come.
#[derive(Debug)]
pub(crate) struct Watches {
    clock: u64,
    past: [u64; 64],
    /// Events that are recorded and not known to be past, with their time.
    events: [Option<(Event, u64)>; 64],
}

impl Default for Watches {
    fn default() -> Self {
        Self { clock: 0, past: [0; 64], events: [None; 64] }
    }
}

impl Watches {
    /// The time of what is freed now, after work on these streams.
    pub(crate) fn freed(&mut self, streams: StreamSet) -> Traces {
        self.clock += 1;
        Traces { streams, freed: self.clock }
    }

    /// The time.
    pub(crate) fn now(&self) -> u64 {
        self.clock
    }

    /// All streams have come to where they were then.
    pub(crate) fn all_past(&mut self, then: u64) {
        self.past.iter_mut().for_each(|past| *past = (*past).max(then));
    }

    /// Is a block free of work for who runs behind the streams `own`? If not, it will be seen when it is. Streams of
    /// `asked` have been looked at just now and are not again.
    pub(crate) fn past<D: Driver>(
        &mut self,
        link: &Link<D>,
        streams: &Streams,
        traces: &Traces,
        own: StreamSet,
        asked: &mut StreamSet,
    ) -> bool {
        let mut past = true;
        let mut foreign = traces.streams & !own;
        while foreign != 0 {
            let number = foreign.trailing_zeros() as usize;
            foreign &= foreign - 1;
            if self.past[number] < traces.freed && *asked >> number & 1 == 0 {
                *asked |= 1 << number;
                self.look(link, streams, number);
            }
            past &= self.past[number] >= traces.freed;
        }
        past
    }

    /// Finds out how far a stream has come, as its event says; records one if there is none. The bit that many
    /// streams share has none: what they used is free when the device has been waited for.
    #[cold]
    fn look<D: Driver>(&mut self, link: &Link<D>, streams: &Streams, number: usize) {
        if let Some((event, time)) = self.events[number] {
            // SAFETY: events live as long as the device.
            if link.attempt("allocate", |driver| unsafe { driver.is_past(event) }) != Ok(true) {
                return;
            }
            streams.keep(event);
            self.events[number] = None;
            self.past[number] = self.past[number].max(time);
            if time == self.clock {
                return;
            }
        }
        if let [stream] = streams.members(1 << number, None)[..]
            && let Ok(event) = streams.event(link)
        {
            // SAFETY: streams and events live as long as the device; the event is nobody else's.
            match link.attempt("allocate", |driver| unsafe { driver.record(event, stream) }) {
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
