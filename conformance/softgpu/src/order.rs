//! Streams and events of all devices: what waits, and in which order it is done.
//!
//! In the order `Now` work is done when it is asked for, so every stream is always at its end. In the order `Late` it
//! waits in its stream until the host waits for it, and so does what other streams wait for, and nothing else: a missing
//! wait, of a stream or of the host, shows as memory that is not written yet. With a seed, other streams advance
//! during a wait by a random amount: from none to all the work that was submitted, so that a
//! stream also overtakes those that it should have waited for. What is done in which order follows from the seed and the
//! calls alone.
//!
//! Work runs without this file's lock if nothing waits before it.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::time::Instant;

use crate::chance::Chance;
use crate::failure::{Failure, Result};
use crate::inject;

/// Something to do.
pub type Job = Box<dyn FnOnce() + Send>;

/// When work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// When it is asked for.
    Now,
    /// On a wait: only the awaited work runs, or, with a seed that is not 0, also a random amount of other work.
    Late(u32),
}

/// A point in time that an event marks: its number, and the stream it was recorded in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    ticket: u64,
    stream: u64,
}

enum Work {
    Do(Job),
    Record { event: u64, ticket: u64 },
    Wait { event: u64, mark: Mark },
}

struct Stream {
    device: usize,
    /// The call that made it.
    call: u64,
    /// Whether it waits for the default stream, and that one for it.
    blocking: bool,
    work: VecDeque<Work>,
}

#[derive(Debug)]
struct Event {
    device: usize,
    /// The call that made it.
    call: u64,
    /// What was recorded last.
    asked: Option<Mark>,
    /// Tickets of marks that are not passed yet. Those of one event may be in several streams, which pass them in any
    /// order.
    ahead: Vec<u64>,
    /// When a mark was passed last.
    at: Option<Instant>,
    alive: bool,
}

/// All streams and events.
pub struct Schedule {
    when: When,
    chance: Chance,
    streams: HashMap<u64, Stream>,
    events: HashMap<u64, Event>,
    tickets: u64,
}

/// Maximum eagerness of streams that are not waited for: 0 runs none of their work, this runs all of it.
const EAGER: u64 = 4;
/// The default streams, by the vendor's numbers.
const DEFAULT: u64 = 2;
const NO_STREAM: Failure = Failure::InvalidHandle("stream");
const NO_EVENT: Failure = Failure::InvalidHandle("event");

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {} streams, {} events", self.when, self.streams.len(), self.events.len())
    }
}

impl Schedule {
    /// Nothing yet.
    pub fn new(when: When) -> Self {
        let seed = match when {
            When::Now => 0,
            When::Late(seed) => seed,
        };
        let chance = Chance::of(seed.into());
        Self { when, chance, streams: HashMap::new(), events: HashMap::new(), tickets: 0 }
    }

    /// Begins a new order, made of the one that was asked for and a number; `false` if it is not random.
    pub fn begin(&mut self, seed: u64) -> bool {
        if let When::Late(order) = self.when {
            self.chance = Chance::of(seed << 32 ^ u64::from(order));
        }
        self.is_seeded()
    }

    /// A stream of a device under a unique number.
    pub fn create_stream(&mut self, name: u64, device: usize, blocking: bool) {
        let (call, work) = (inject::number(), VecDeque::new());
        self.streams.insert(name, Stream { device, call, blocking, work });
    }

    /// Forgets a stream, with what waits in it done.
    pub fn destroy_stream(&mut self, stream: u64, device: usize) -> Result<()> {
        if stream <= DEFAULT {
            return Err(NO_STREAM);
        }
        self.wait_for_stream(stream, device)?;
        self.streams.remove(&stream);
        Ok(())
    }

    /// Whether the device has such a stream.
    pub fn check_stream(&self, stream: u64, device: usize) -> Result<()> {
        let there = self.streams.get(&stream).is_some_and(|stream| stream.device == device);
        (stream <= DEFAULT || there).then_some(()).ok_or(NO_STREAM)
    }

    /// An event of a device under a unique number.
    pub fn create_event(&mut self, name: u64, device: usize) {
        let call = inject::number();
        let event = Event { device, call, asked: None, ahead: Vec::new(), at: None, alive: true };
        self.events.insert(name, event);
    }

    /// Destroys an event; waits that were submitted before stay.
    pub fn destroy_event(&mut self, event: u64) -> Result<()> {
        self.event_mut(event)?.alive = false;
        self.events.retain(|_, event| event.alive || !event.ahead.is_empty());
        Ok(())
    }

    fn event(&self, event: u64) -> Result<&Event> {
        self.events.get(&event).filter(|event| event.alive).ok_or(NO_EVENT)
    }

    fn event_mut(&mut self, event: u64) -> Result<&mut Event> {
        self.events.get_mut(&event).filter(|event| event.alive).ok_or(NO_EVENT)
    }

    /// Puts work into a stream. It comes back if it is to be done at once, by the caller.
    pub fn submit(&mut self, stream: u64, device: usize, job: Job) -> Result<Option<Job>> {
        self.check_stream(stream, device)?;
        match (self.when, self.streams.get_mut(&stream)) {
            (When::Late(_), Some(stream)) => {
                stream.work.push_back(Work::Do(job));
                Ok(None)
            }
            // The default stream comes after all that was asked for before.
            (When::Late(_), None) => {
                self.wait_for_stream(stream, device)?;
                Ok(Some(job))
            }
            (When::Now, _) => Ok(Some(job)),
        }
    }

    /// Records an event after the work that a stream has.
    pub fn record(&mut self, event: u64, stream: u64, device: usize) -> Result<()> {
        self.check_stream(stream, device)?;
        if self.event(event)?.device != device {
            return Err(NO_EVENT);
        }
        self.tickets += 1;
        let mark = Mark { ticket: self.tickets, stream };
        let found = self.event_mut(event)?;
        found.asked = Some(mark);
        found.ahead.push(mark.ticket);
        match (self.when, self.streams.get_mut(&stream)) {
            (When::Late(_), Some(stream)) => {
                stream.work.push_back(Work::Record { event, ticket: mark.ticket });
            }
            (When::Late(_), None) => {
                self.wait_for_stream(stream, device)?;
                self.pass(event, mark.ticket);
            }
            (When::Now, _) => self.pass(event, mark.ticket),
        }
        Ok(())
    }

    fn pass(&mut self, event: u64, ticket: u64) {
        if let Some(event) = self.events.get_mut(&event) {
            event.ahead.retain(|&other| other != ticket);
            event.at = Some(Instant::now());
        }
    }

    /// Lets a stream's further work wait for an event; one that was never recorded is past.
    pub fn stream_waits(&mut self, stream: u64, event: u64, device: usize) -> Result<()> {
        self.check_stream(stream, device)?;
        let found = self.event(event)?;
        let Some(mark) = found.asked.filter(|mark| found.is_ahead(mark.ticket)) else {
            return Ok(());
        };
        match self.streams.get_mut(&stream) {
            Some(stream) => stream.work.push_back(Work::Wait { event, mark }),
            None => self.advance(mark.stream, Some((event, mark.ticket))),
        }
        Ok(())
    }

    /// Does all that a stream has.
    pub fn wait_for_stream(&mut self, stream: u64, device: usize) -> Result<()> {
        self.check_stream(stream, device)?;
        if stream > DEFAULT {
            self.advance(stream, None);
            return Ok(());
        }
        self.wait_for_all(device, |stream| stream.blocking);
        Ok(())
    }

    /// Does all that a device has.
    pub fn wait_for_device(&mut self, device: usize) {
        self.wait_for_all(device, |_| true);
    }

    fn wait_for_all(&mut self, device: usize, which: impl Fn(&Stream) -> bool) {
        let of_device = |stream: &&Stream| stream.device == device && which(stream);
        let mut names: Vec<u64> = self
            .streams
            .iter()
            .filter(|(_, stream)| of_device(stream))
            .map(|(name, _)| *name)
            .collect();
        names.sort_unstable();
        while let Some(stream) = self.take_next(&mut names) {
            self.advance(stream, None);
        }
    }

    /// Takes the next of these streams: the first, or a random one.
    fn take_next(&mut self, streams: &mut Vec<u64>) -> Option<u64> {
        match streams.len() as u64 {
            0 => None,
            count => Some(streams.remove(match self.is_seeded() {
                true => self.chance.below(count) as usize,
                false => 0,
            })),
        }
    }

    fn is_seeded(&self) -> bool {
        !matches!(self.when, When::Now | When::Late(0))
    }

    /// Does the next thing of any stream that need not wait for another one. Returns whether there was such a thing.
    fn wander(&mut self) -> bool {
        let ready = |stream: &Stream| match stream.work.front() {
            None => false,
            Some(&Work::Wait { event, mark }) => self.passed(event, mark.ticket),
            Some(Work::Do(_) | Work::Record { .. }) => true,
        };
        let found = self.streams.iter().filter(|(_, stream)| ready(stream));
        let mut names: Vec<u64> = found.map(|(name, _)| *name).collect();
        names.sort_unstable();
        let stream = self.take_next(&mut names);
        stream.into_iter().for_each(|stream| self.step(stream));
        stream.is_some()
    }

    /// Lets other streams come along for a while.
    fn wander_off(&mut self, eagerness: u64) {
        while self.chance.below(EAGER) < eagerness && self.wander() {}
    }

    /// Whether the stream has completed its work. Each call makes it execute one more task.
    pub fn is_at_end(&mut self, stream: u64, device: usize) -> Result<bool> {
        self.check_stream(stream, device)?;
        let Some(found) = self.streams.get_mut(&stream) else {
            self.wait_for_stream(stream, device)?;
            return Ok(true);
        };
        if found.work.is_empty() {
            return Ok(true);
        }
        self.look_at(stream);
        Ok(false)
    }

    /// Whether the event has completed. Each call makes its stream execute one more task.
    pub fn is_past(&mut self, event: u64) -> Result<bool> {
        let found = self.event(event)?;
        let asked = found.asked.filter(|mark| found.is_ahead(mark.ticket));
        if let Some(mark) = asked {
            self.look_at(mark.stream);
        }
        Ok(asked.is_none())
    }

    /// Does what an event waits for.
    pub fn wait_for_event(&mut self, event: u64) -> Result<()> {
        if let Some(mark) = self.event(event)?.asked {
            self.advance(mark.stream, Some((event, mark.ticket)));
        }
        Ok(())
    }

    /// When an event was passed; `NotReady` if it is not yet.
    pub fn time(&self, event: u64) -> Result<Instant> {
        let event = self.event(event)?;
        if !event.is_past() {
            return Err(Failure::NotReady);
        }
        event.at.ok_or(Failure::InvalidHandle("recorded event"))
    }

    /// A query of a stream: it, or another stream that is picked at random, executes one more task.
    fn look_at(&mut self, stream: u64) {
        if !(self.is_seeded() && self.chance.below(2) == 0 && self.wander()) {
            self.step(stream);
        }
    }

    /// Does the next thing of a stream. A wait is not over before what it waits for is, since others may come along
    /// meanwhile.
    fn step(&mut self, stream: u64) {
        let front = self.streams.get(&stream).and_then(|stream| stream.work.front());
        if let Some(&Work::Wait { event, mark }) = front
            && !self.passed(event, mark.ticket)
        {
            return self.advance(mark.stream, Some((event, mark.ticket)));
        }
        let next = self.streams.get_mut(&stream).and_then(|stream| stream.work.pop_front());
        match next {
            Some(Work::Do(job)) => job(),
            Some(Work::Record { event, ticket }) => self.pass(event, ticket),
            Some(Work::Wait { .. }) | None => {}
        }
    }

    fn passed(&self, event: u64, ticket: u64) -> bool {
        self.events.get(&event).is_none_or(|event| !event.is_ahead(ticket))
    }

    /// Does what a stream has, up to a mark or its end. A wait goes to work that was asked for earlier, so this ends.
    fn advance(&mut self, stream: u64, until: Option<(u64, u64)>) {
        let eagerness = if self.is_seeded() { self.chance.below(EAGER + 1) } else { 0 };
        let mut goals = vec![(stream, until)];
        while let Some(&(stream, until)) = goals.last() {
            let arrived = until.is_some_and(|(event, ticket)| self.passed(event, ticket));
            if eagerness > 0 && !arrived {
                self.wander_off(eagerness);
            }
            let arrived = until.is_some_and(|(event, ticket)| self.passed(event, ticket));
            let next = self.streams.get(&stream).and_then(|stream| stream.work.front());
            match next {
                _ if arrived => drop(goals.pop()),
                None => drop(goals.pop()),
                Some(&Work::Wait { event, mark }) if !self.passed(event, mark.ticket) => {
                    goals.push((mark.stream, Some((event, mark.ticket))));
                }
                Some(_) => self.step(stream),
            }
        }
    }

    /// Forgets what a device has, undone.
    pub fn clear(&mut self, device: usize) {
        self.streams.retain(|_, stream| stream.device != device);
        self.events.retain(|_, event| event.device != device);
    }

    /// Streams and events of a device that are alive.
    pub fn live(&self, device: usize) -> [u64; 2] {
        let streams = self.streams.values().filter(|stream| stream.device == device).count();
        let events =
            self.events.values().filter(|event| event.device == device && event.alive).count();
        [streams as u64, events as u64]
    }

    /// Leaks: what it is, of which device, made by which call.
    pub(crate) fn leaks(&self) -> Vec<(&'static str, usize, u64)> {
        let streams = self.streams.values().map(|stream| ("a stream", stream.device, stream.call));
        let events = self.events.values().filter(|event| event.alive);
        let mut all: Vec<_> =
            streams.chain(events.map(|event| ("an event", event.device, event.call))).collect();
        all.sort_by_key(|(.., call)| *call);
        all
    }
}

impl Event {
    fn is_ahead(&self, ticket: u64) -> bool {
        self.ahead.contains(&ticket)
    }

    fn is_past(&self) -> bool {
        self.asked.is_none_or(|mark| !self.is_ahead(mark.ticket))
    }
}

#[cfg(test)]
mod tests;
