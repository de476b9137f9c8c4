//! Streams of a device, which of them is a thread's current one, and how one waits for others.
//!
//! Streams are numbered; a set of them is a mask of 64 bits, in which all from number 63 on share the last bit and
//! count as different from each other. Number 0 is the default. Nothing is recorded ahead of time: a user of memory
//! that other streams have used records an event in them at that moment, which comes after that use because memory is
//! passed on only after the calls that use it have returned. While there is no second stream, none of this is done.
//!
//! Deliberately absent: priorities, and any knowledge of memory (see `memory.rs`).

use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ndany_core::Result;
use ndany_core::backend::{self, EnteredStream};

use crate::checked::CheckedDriver;
use crate::driver::{Event, Stream};
use crate::runtime::Runtime;

/// The default stream's number.
const DEFAULT: usize = 0;

/// The bit that all further streams share.
const SHARED: usize = 63;

/// A set of streams.
pub(crate) type StreamSet = u64;

/// A stream and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamId {
    pub(crate) number: usize,
    pub(crate) handle: Stream,
}

impl StreamId {
    /// The set of this stream.
    pub(crate) fn bit(self) -> StreamSet {
        1 << self.number.min(SHARED)
    }

    /// The set of streams after whose work this one runs without an event: itself.
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
    stream_id: StreamId,
    /// The guard's number, by which it finds the entry wherever it stands: guards may go in any order.
    guard: u64,
}

/// The streams of one device.
#[derive(Debug)]
pub(crate) struct Streams {
    device: u64,
    default: Stream,
    /// Whether there was ever a second stream.
    several: AtomicBool,
    all: RwLock<Vec<Stream>>,
    /// Numbers of streams without a holder.
    idle: Mutex<Vec<usize>>,
    /// Unused events.
    events: Mutex<Vec<Event>>,
}

impl Streams {
    pub(crate) fn new(checked: &CheckedDriver) -> Result<Self> {
        static DEVICES: AtomicU64 = AtomicU64::new(0);
        let default = checked.call("open", |driver| driver.create_stream())?;
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
    pub(crate) fn current(&self) -> StreamId {
        let default = StreamId { number: DEFAULT, handle: self.default };
        if !self.several() {
            return default;
        }
        let find = |current: &RefCell<Vec<Current>>| {
            let current = current.borrow();
            current.iter().rfind(|entry| entry.device == self.device).map(|entry| entry.stream_id)
        };
        CURRENT.try_with(find).ok().flatten().unwrap_or(default)
    }

    /// Whether there is more than the default stream. A holder of memory that another stream has used sees that there
    /// is.
    pub(crate) fn several(&self) -> bool {
        self.several.load(Ordering::Relaxed)
    }

    /// A stream without a holder.
    fn obtain(&self, checked: &CheckedDriver) -> Result<StreamId> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(number) = idle {
            let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
            return Ok(StreamId { number, handle: all[number] });
        }
        let handle = checked.call("stream", |driver| driver.create_stream())?;
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        all.push(handle);
        self.several.store(true, Ordering::Relaxed);
        Ok(StreamId { number: all.len() - 1, handle })
    }

    /// The streams of a set, but for `except`.
    pub(crate) fn members(&self, set: StreamSet, except: Option<StreamId>) -> Vec<Stream> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        let in_set = |number: usize| set >> number.min(SHARED) & 1 == 1;
        let except = except.map(|stream_id| stream_id.handle);
        let members = all.iter().enumerate().filter(|(number, _)| in_set(*number));
        members.map(|(_, stream)| *stream).filter(|stream| Some(*stream) != except).collect()
    }

    /// Makes a stream's further work wait for what other streams have now.
    pub(crate) fn order(
        &self,
        checked: &CheckedDriver,
        stream_id: StreamId,
        behind: StreamSet,
    ) -> Result<()> {
        let behind = behind & !stream_id.own();
        if behind == 0 {
            return Ok(());
        }
        for stream in self.members(behind, Some(stream_id)) {
            let event = self.event(checked)?;
            // SAFETY: streams and events live as long as the device; no other thread has the event until it is kept
            // again, and a wait means the record that stands when it is asked for.
            let waits = checked.call("launch", |driver| unsafe {
                driver.record(event, stream)?;
                driver.stream_waits(stream_id.handle, event)
            });
            self.keep(event);
            waits?;
        }
        Ok(())
    }

    /// Waits on the host until all streams have no work left.
    pub(crate) fn wait_for_all(&self, checked: &CheckedDriver, op: &'static str) -> Result<()> {
        let _span =
            tracing::debug_span!("wait", device = checked.driver().name(), of = "device").entered();
        for stream in self.members(StreamSet::MAX, None) {
            // SAFETY: streams live as long as the device.
            checked.call(op, |driver| unsafe { driver.wait_for_stream(stream) })?;
        }
        Ok(())
    }

    /// An unused event.
    pub(crate) fn event(&self, checked: &CheckedDriver) -> Result<Event> {
        let kept = self.events.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match kept {
            Some(event) => Ok(event),
            None => checked.call("launch", |driver| driver.create_event()),
        }
    }

    /// Takes an event back. It may still be recorded or waited for: a new record replaces the old one.
    pub(crate) fn keep(&self, event: Event) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    /// Gives everything back to the driver.
    pub(crate) fn close(&mut self, checked: &CheckedDriver) {
        let events = self.events.get_mut().unwrap_or_else(PoisonError::into_inner);
        for event in events.drain(..) {
            // SAFETY: the event is unused.
            checked.quietly(|driver| unsafe { driver.destroy_event(event) });
        }
        let streams = self.all.get_mut().unwrap_or_else(PoisonError::into_inner);
        for stream in streams.drain(..) {
            // SAFETY: the device is closed: the stream is unused.
            checked.quietly(|driver| unsafe { driver.destroy_stream(stream) });
        }
    }
}

/// A stream beside the default one.
#[derive(Debug)]
pub(crate) struct GpuStream {
    runtime: Arc<Runtime>,
    stream_id: StreamId,
}

impl GpuStream {
    /// A stream of a device; work in it waits for nothing but what it uses.
    pub(crate) fn new(runtime: &Arc<Runtime>) -> Result<Self> {
        let stream_id = runtime.streams().obtain(runtime.checked())?;
        Ok(Self { runtime: runtime.clone(), stream_id })
    }

    /// Makes it the thread's current stream on its device until the guard goes.
    pub(crate) fn enter(&self) -> StreamGuard<'_> {
        static GUARDS: AtomicU64 = AtomicU64::new(0);
        let device = self.runtime.streams().device;
        let guard = GUARDS.fetch_add(1, Ordering::Relaxed);
        CURRENT.with_borrow_mut(|current| {
            current.push(Current { device, stream_id: self.stream_id, guard })
        });
        StreamGuard { guard, stream: PhantomData }
    }

    /// Waits until the stream has no work left.
    pub(crate) fn synchronize(&self) -> Result<()> {
        let device = self.runtime.driver().name();
        let _span = tracing::debug_span!("wait", device, of = "stream").entered();
        // SAFETY: streams live as long as the device.
        self.runtime
            .checked()
            .call("synchronize", |driver| unsafe { driver.wait_for_stream(self.stream_id.handle) })
    }
}

impl backend::Stream for GpuStream {
    fn enter(&self) -> Box<dyn EnteredStream + '_> {
        Box::new(GpuStream::enter(self))
    }

    fn synchronize(&self) -> Result<()> {
        GpuStream::synchronize(self)
    }
}

impl Drop for GpuStream {
    fn drop(&mut self) {
        // Its work goes on; the next holder's work comes after it.
        let idle = &self.runtime.streams().idle;
        idle.lock().unwrap_or_else(PoisonError::into_inner).push(self.stream_id.number);
    }
}

/// Keeps a stream current; see [`GpuStream::enter`].
#[derive(Debug)]
pub(crate) struct StreamGuard<'s> {
    guard: u64,
    /// The guard belongs to its thread and goes before its stream.
    stream: PhantomData<(&'s (), *const ())>,
}

impl EnteredStream for StreamGuard<'_> {}

impl Drop for StreamGuard<'_> {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(|current| current.retain(|entry| entry.guard != self.guard));
    }
}
