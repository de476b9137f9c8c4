//! Streams and events.
//!
//! Work is done when it is asked for, in the order of the calls, so every stream is always at its end. What this file
//! holds is who exists, and when events were recorded.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use crate::failure::{Failure, Result};

/// The streams and events of a device.
#[derive(Debug, Default)]
pub struct Order {
    streams: HashSet<u64>,
    events: HashMap<u64, Option<Instant>>,
}

/// Streams that exist without being made: the default ones.
const DEFAULT_STREAMS: u64 = 2;

impl Order {
    /// A stream by the name of a number that nobody else has.
    pub fn create_stream(&mut self, name: u64) {
        self.streams.insert(name);
    }

    /// Forgets a stream.
    pub fn destroy_stream(&mut self, stream: u64) -> Result<()> {
        self.streams.remove(&stream).then_some(()).ok_or(Failure::InvalidHandle("stream"))
    }

    /// Is there such a stream?
    pub fn check_stream(&self, stream: u64) -> Result<()> {
        let there = stream <= DEFAULT_STREAMS || self.streams.contains(&stream);
        there.then_some(()).ok_or(Failure::InvalidHandle("stream"))
    }

    /// An event by the name of a number that nobody else has.
    pub fn create_event(&mut self, name: u64) {
        self.events.insert(name, None);
    }

    /// Forgets an event.
    pub fn destroy_event(&mut self, event: u64) -> Result<()> {
        self.events.remove(&event).map(|_| ()).ok_or(Failure::InvalidHandle("event"))
    }

    /// When the event was recorded, if it was.
    pub fn event(&self, event: u64) -> Result<Option<Instant>> {
        self.events.get(&event).copied().ok_or(Failure::InvalidHandle("event"))
    }

    /// Puts an event behind what a stream has.
    pub fn record(&mut self, event: u64, stream: u64) -> Result<()> {
        self.check_stream(stream)?;
        let at = self.events.get_mut(&event).ok_or(Failure::InvalidHandle("event"))?;
        *at = Some(Instant::now());
        Ok(())
    }

    /// Streams and events that are alive.
    pub fn live(&self) -> [u64; 2] {
        [self.streams.len() as u64, self.events.len() as u64]
    }
}
