//! Streams of a device, which of them is a thread's current one, and how one waits for others.
//!
//! Streams are numbered; a set of them is a mask of 64 bits, in which all from number 63 on share the last bit and
//! count as strangers to each other. Number 0 is the default. Nothing is recorded ahead of time: who meets memory
//! that other streams have used records an event there and then, which stands behind that use because memory changes
//! hands only after the calls that use it have returned. While there is no second stream, none of this is done.
//!
//! Deliberately absent: priorities, and any knowledge of memory (see `memory.rs`).

use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ndany_core::Result;
use ndany_core::backend::{Entered, Queue};

use crate::driver::{Driver, Event, Stream};
use crate::link::Link;
use crate::runtime::Runtime;

/// The default stream's number.
const DEFAULT: usize = 0;

/// The bit that all further streams share.
const SHARED: usize = 63;

/// A set of streams.
pub(crate) type StreamSet = u64;

/// A stream and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) number: usize,
    pub(crate) handle: Stream,
}

impl Lane {
    /// The set of this stream.
    pub(crate) fn bit(self) -> StreamSet {
        1 << self.number.min(SHARED)
    }

    /// The set of streams whose work this one runs behind by itself.
    pub(crate) fn own(self) -> StreamSet {
        if self.number < SHARED { self.bit() } else { 0 }
    }
}

thread_local! {
    /// The streams that this thread has entered and not left: the current one of a device is its last.
    static CURRENT: RefCell<Vec<Current>> = const { RefCell::new(Vec::new()) };
}

/// A stream that a thread has entered.
#[derive(Clone, Copy, Debug)]
struct Current {
    device: u64,
    lane: Lane,
    /// The guard's number, by which it finds the entry wherever it stands: guards may go in any order.
    guard: u64,
}

/// The streams of one device.
#[derive(Debug)]
pub(crate) struct Streams {
    device: u64,
    default: Stream,
    /// Is there a second stream? Never taken back.
    several: AtomicBool,
    all: RwLock<Vec<Stream>>,
    /// Numbers of streams that nobody holds.
    idle: Mutex<Vec<usize>>,
    /// Events that nobody uses.
    events: Mutex<Vec<Event>>,
}

impl Streams {
    pub(crate) fn new<D: Driver>(link: &Link<D>) -> Result<Self> {
        static DEVICES: AtomicU64 = AtomicU64::new(0);
        let default = link.call("open", |driver| driver.create_stream())?;
        Ok(Self {
            device: DEVICES.fetch_add(1, Ordering::Relaxed),
            default,
            several: AtomicBool::new(false),
            all: RwLock::new(vec![default]),
            idle: Mutex::default(),
            events: Mutex::default(),
        })
    }

    /// The calling thread's stream.
    pub(crate) fn current(&self) -> Lane {
        let default = Lane { number: DEFAULT, handle: self.default };
        if !self.several() {
            return default;
        }
        let find = |current: &RefCell<Vec<Current>>| {
            let current = current.borrow();
            current.iter().rfind(|entry| entry.device == self.device).map(|entry| entry.lane)
        };
        CURRENT.try_with(find).ok().flatten().unwrap_or(default)
    }

    /// Is there more than the default stream? Whoever holds memory that another stream has used sees that there is.
    pub(crate) fn several(&self) -> bool {
        self.several.load(Ordering::Relaxed)
    }

    /// A stream that nobody holds.
    fn obtain<D: Driver>(&self, link: &Link<D>) -> Result<Lane> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(number) = idle {
            let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
            return Ok(Lane { number, handle: all[number] });
        }
        let handle = link.call("stream", |driver| driver.create_stream())?;
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        all.push(handle);
        self.several.store(true, Ordering::Relaxed);
        Ok(Lane { number: all.len() - 1, handle })
    }

    /// The streams of a set, but for `except`.
    pub(crate) fn members(&self, set: StreamSet, except: Option<Lane>) -> Vec<Stream> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        let in_set = |number: usize| set >> number.min(SHARED) & 1 == 1;
        let except = except.map(|lane| lane.handle);
        let members = all.iter().enumerate().filter(|(number, _)| in_set(*number));
        members.map(|(_, stream)| *stream).filter(|stream| Some(*stream) != except).collect()
    }

    /// Makes a stream's further work wait for what other streams have now.
    pub(crate) fn order<D: Driver>(
        &self,
        link: &Link<D>,
        lane: Lane,
        behind: StreamSet,
    ) -> Result<()> {
        let behind = behind & !lane.own();
        if behind == 0 {
            return Ok(());
        }
        for stream in self.members(behind, Some(lane)) {
            let event = self.event(link)?;
            // SAFETY: streams and events live as long as the device; the event is nobody else's until it is kept
            // again, and a wait means the record that stands when it is asked for.
            let waits = link.call("launch", |driver| unsafe {
                driver.record(event, stream)?;
                driver.stream_waits(lane.handle, event)
            });
            self.keep(event);
            waits?;
        }
        Ok(())
    }

    /// Waits on the host until all streams have nothing left.
    pub(crate) fn wait_for_all<D: Driver>(&self, link: &Link<D>, op: &'static str) -> Result<()> {
        let _span =
            tracing::debug_span!("wait", device = link.driver().name(), of = "device").entered();
        for stream in self.members(StreamSet::MAX, None) {
            // SAFETY: streams live as long as the device.
            link.call(op, |driver| unsafe { driver.wait_for_stream(stream) })?;
        }
        Ok(())
    }

    /// An event that nobody uses.
    pub(crate) fn event<D: Driver>(&self, link: &Link<D>) -> Result<Event> {
        let kept = self.events.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match kept {
            Some(event) => Ok(event),
            None => link.call("launch", |driver| driver.create_event()),
        }
    }

    /// Takes an event back. It may still be recorded or waited for: a new record replaces the old one.
    pub(crate) fn keep(&self, event: Event) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    /// Gives everything back to the driver.
    pub(crate) fn close<D: Driver>(&mut self, link: &Link<D>) {
        let events = self.events.get_mut().unwrap_or_else(PoisonError::into_inner);
        for event in events.drain(..) {
            // SAFETY: the event is nobody's.
            link.quietly(|driver| unsafe { driver.destroy_event(event) });
        }
        let streams = self.all.get_mut().unwrap_or_else(PoisonError::into_inner);
        for stream in streams.drain(..) {
            // SAFETY: the device is closed: nobody uses the stream any more.
            link.quietly(|driver| unsafe { driver.destroy_stream(stream) });
        }
    }
}

/// A queue of work beside the default one.
#[derive(Debug)]
pub(crate) struct GpuStream<D: Driver> {
    runtime: Arc<Runtime<D>>,
    lane: Lane,
}

impl<D: Driver> GpuStream<D> {
    /// A stream of a device; work in it waits for nothing but what it uses.
    pub(crate) fn new(runtime: &Arc<Runtime<D>>) -> Result<Self> {
        let lane = runtime.streams().obtain(runtime.link())?;
        Ok(Self { runtime: runtime.clone(), lane })
    }

    /// Makes it the thread's current stream on its device until the guard goes.
    pub(crate) fn enter(&self) -> StreamGuard<'_> {
        static GUARDS: AtomicU64 = AtomicU64::new(0);
        let device = self.runtime.streams().device;
        let guard = GUARDS.fetch_add(1, Ordering::Relaxed);
        CURRENT.with_borrow_mut(|current| current.push(Current { device, lane: self.lane, guard }));
        StreamGuard { guard, stream: PhantomData }
    }

    /// Waits until it has nothing left.
    pub(crate) fn synchronize(&self) -> Result<()> {
        let device = self.runtime.driver().name();
        let _span = tracing::debug_span!("wait", device, of = "stream").entered();
        // SAFETY: streams live as long as the device.
        self.runtime
            .link()
            .call("synchronize", |driver| unsafe { driver.wait_for_stream(self.lane.handle) })
    }
}

impl<D: Driver> Queue for GpuStream<D> {
    fn enter(&self) -> Box<dyn Entered + '_> {
        Box::new(GpuStream::enter(self))
    }

    fn synchronize(&self) -> Result<()> {
        GpuStream::synchronize(self)
    }
}

impl<D: Driver> Drop for GpuStream<D> {
    fn drop(&mut self) {
        // Its work goes on; the next to obtain it works behind that.
        let idle = &self.runtime.streams().idle;
        idle.lock().unwrap_or_else(PoisonError::into_inner).push(self.lane.number);
    }
}

/// Keeps a stream current; see [`GpuStream::enter`].
#[derive(Debug)]
pub(crate) struct StreamGuard<'s> {
    guard: u64,
    /// The guard belongs to its thread and goes before its stream.
    stream: PhantomData<(&'s (), *const ())>,
}

impl Entered for StreamGuard<'_> {}

impl Drop for StreamGuard<'_> {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(|current| current.retain(|entry| entry.guard != self.guard));
    }
}
