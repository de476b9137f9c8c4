//! Streams of a device, which of them is a thread's current one, and how one waits for others.
//!
//! Streams are numbered; a set of them is a mask of 64 bits, in which all from number 63 on share the last bit and
//! count as different from each other. Number 0 is the default. Nothing is recorded ahead of time: a user of memory
//! that other streams have used records an event in them at that moment, which comes after that use because memory is
//! passed on only after the calls that use it have returned. While there is no second stream, none of this is done.
//!
//! A stream that another library has made takes part under a number of its own, until it is waited for and forgotten; it is
//! never destroyed here.
//!
//! Deliberately absent: any knowledge of memory (see `memory.rs`).

use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ndany_core::backend::{self, EnteredStream, HostFunction, Priority, refusals};
use ndany_core::{Error, Result};

use crate::checked::CheckedDriver;
use crate::driver::{Driver, DriverResult, Event, Stream};
use crate::event::GpuEvent;
use crate::graph;
use crate::host_function;
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

/// What a number of a stream stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbered {
    /// None where an external stream was and no other one is yet.
    handle: Option<Stream>,
    kind: StreamKind,
}

/// Whose a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamKind {
    /// Made here, with this priority.
    Own(Priority),
    /// Made, and destroyed, by another library.
    External,
}

/// The driver's number of the stream that is another one on each thread.
const PER_THREAD: u64 = 2;

/// The streams of one device.
#[derive(Debug)]
pub(crate) struct Streams {
    device: u64,
    default: Stream,
    /// Whether there was ever a second stream.
    several: AtomicBool,
    all: RwLock<Vec<Numbered>>,
    /// Numbers of own streams without a holder.
    idle: Mutex<Vec<usize>>,
    /// Unused events.
    events: Mutex<Vec<Event>>,
    /// Unused events that keep their times.
    timed: Mutex<Vec<Event>>,
}

/// A new stream of a priority.
fn create(driver: &dyn Driver, priority: Priority) -> DriverResult<Stream> {
    let number = |least_urgent: bool| {
        let [least, greatest] = driver.priorities()?;
        driver.create_stream_with_priority(if least_urgent { least } else { greatest })
    };
    match priority {
        Priority::Normal => driver.create_stream(),
        Priority::High => number(false),
        Priority::Low => number(true),
    }
}

impl Streams {
    pub(crate) fn new(checked: &CheckedDriver) -> Result<Self> {
        static DEVICES: AtomicU64 = AtomicU64::new(0);
        let default = checked.call("open", |driver| driver.create_stream())?;
        Ok(Self {
            device: DEVICES.fetch_add(1, Ordering::Relaxed),
            default,
            several: AtomicBool::new(false),
            all: RwLock::new(vec![Numbered {
                handle: Some(default),
                kind: StreamKind::Own(Priority::Normal),
            }]),
            idle: Mutex::default(),
            events: Mutex::default(),
            timed: Mutex::default(),
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

    /// Turns this thread's work to the default stream while the guard lives.
    pub(crate) fn enter_default(&self) -> StreamGuard<'_> {
        self.enter(StreamId { number: DEFAULT, handle: self.default })
    }

    fn enter(&self, stream_id: StreamId) -> StreamGuard<'_> {
        static GUARDS: AtomicU64 = AtomicU64::new(0);
        let (device, guard) = (self.device, GUARDS.fetch_add(1, Ordering::Relaxed));
        CURRENT.with_borrow_mut(|current| current.push(Current { device, stream_id, guard }));
        StreamGuard { guard, stream: PhantomData }
    }

    /// Whether there is more than the default stream. A holder of memory that another stream has used sees that there
    /// is.
    pub(crate) fn several(&self) -> bool {
        self.several.load(Ordering::Relaxed)
    }

    /// A stream of a priority without a holder.
    fn obtain(&self, checked: &CheckedDriver, priority: Priority) -> Result<StreamId> {
        let kind = StreamKind::Own(priority);
        if let Some(stream_id) = self.take_idle(kind) {
            return Ok(stream_id);
        }
        let handle = checked.call("stream", |driver| create(driver, priority))?;
        Ok(self.add(Numbered { handle: Some(handle), kind }))
    }

    /// An own stream that has no holder any more.
    fn take_idle(&self, kind: StreamKind) -> Option<StreamId> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        let at = idle.iter().rposition(|&number| all[number].kind == kind)?;
        let number = idle.remove(at);
        all[number].handle.map(|handle| StreamId { number, handle })
    }

    /// Gives a stream a number: one that an external stream had before, or a new one.
    fn add(&self, numbered: Numbered) -> StreamId {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        self.several.store(true, Ordering::Relaxed);
        let number = match all.iter().position(|other| other.handle.is_none()) {
            Some(number) => {
                all[number] = numbered;
                number
            }
            None => {
                all.push(numbered);
                all.len() - 1
            }
        };
        StreamId { number, handle: numbered.handle.unwrap_or(self.default) }
    }

    /// Forgets an external stream, whose work has been waited for: what it used needs no order after it.
    fn forget(&self, stream_id: StreamId) {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        all[stream_id.number].handle = None;
    }

    /// Whether a stream is another library's.
    fn is_external(&self, stream_id: StreamId) -> bool {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all[stream_id.number].kind == StreamKind::External
    }

    /// The streams of a set, but for `except`.
    pub(crate) fn members(&self, set: StreamSet, except: Option<StreamId>) -> Vec<Stream> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        let in_set = |number: usize| set >> number.min(SHARED) & 1 == 1;
        let except = except.map(|stream_id| stream_id.handle);
        let members = all.iter().enumerate().filter(|(number, _)| in_set(*number));
        members
            .filter_map(|(_, numbered)| numbered.handle)
            .filter(|stream| Some(*stream) != except)
            .collect()
    }

    /// Makes a stream's further work wait for what other streams have now.
    pub(crate) fn order(
        &self,
        checked: &CheckedDriver,
        stream_id: StreamId,
        others: StreamSet,
    ) -> Result<()> {
        let others = others & !stream_id.own();
        if others == 0 {
            return Ok(());
        }
        for stream in self.members(others, Some(stream_id)) {
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

    /// The device's number, which no other device of this process has.
    pub(crate) fn device(&self) -> u64 {
        self.device
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

    /// An unused event that keeps its time.
    pub(crate) fn timed_event(&self, checked: &CheckedDriver) -> Result<Event> {
        let kept = self.timed.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match kept {
            Some(event) => Ok(event),
            None => checked.call("record", |driver| driver.create_timed_event()),
        }
    }

    /// Takes such an event back, as [`Streams::keep`].
    pub(crate) fn keep_timed(&self, event: Event) {
        self.timed.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    /// Gives everything back to the driver.
    pub(crate) fn close(&mut self, checked: &CheckedDriver) {
        let events = self.events.get_mut().unwrap_or_else(PoisonError::into_inner);
        let timed = self.timed.get_mut().unwrap_or_else(PoisonError::into_inner);
        for event in events.drain(..).chain(timed.drain(..)) {
            // SAFETY: the event is unused.
            checked.quietly(|driver| unsafe { driver.destroy_event(event) });
        }
        let streams = self.all.get_mut().unwrap_or_else(PoisonError::into_inner);
        for Numbered { handle, kind } in streams.drain(..) {
            if let (Some(stream), StreamKind::Own(_)) = (handle, kind) {
                // SAFETY: the device is closed: the stream is unused.
                checked.quietly(|driver| unsafe { driver.destroy_stream(stream) });
            }
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
    pub(crate) fn new(runtime: &Arc<Runtime>, priority: Priority) -> Result<Self> {
        let stream_id = runtime.streams().obtain(runtime.checked(), priority)?;
        Ok(Self { runtime: runtime.clone(), stream_id })
    }

    /// The stream of core's handle; it is of this device.
    pub(crate) fn id_on(stream: &dyn backend::Stream, runtime: &Runtime) -> StreamId {
        match (stream as &dyn Any).downcast_ref::<Self>() {
            Some(stream) if std::ptr::eq(&*stream.runtime, runtime) => stream.stream_id,
            _ => unreachable!("a stream of another device"),
        }
    }

    /// A stream that another library has made, and that lives as long as the result.
    pub(crate) fn external(runtime: &Arc<Runtime>, handle: u64) -> Result<Self> {
        if handle == PER_THREAD {
            let reason = "expected a stream that is one on all threads, got the stream of each thread: make \
                          a stream and give its handle";
            return Err(Error::Arguments {
                op: "external".to_string(),
                reason: reason.to_string(),
            });
        }
        runtime.share();
        let numbered = Numbered { handle: Some(Stream(handle)), kind: StreamKind::External };
        Ok(Self { runtime: runtime.clone(), stream_id: runtime.streams().add(numbered) })
    }

    /// Makes it the thread's current stream on its device until the guard goes.
    pub(crate) fn enter(&self) -> StreamGuard<'_> {
        self.runtime.streams().enter(self.stream_id)
    }

    /// Waits until the stream has no work left.
    pub(crate) fn synchronize(&self) -> Result<()> {
        graph::refuse(&self.runtime, "synchronize", refusals::WAITS)?;
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

    fn is_idle(&self) -> Result<bool> {
        // SAFETY: streams live as long as the device.
        let is_idle = |driver: &dyn Driver| unsafe { driver.is_idle(self.stream_id.handle) };
        self.runtime.checked().call("is_idle", is_idle)
    }

    fn record(&self) -> Result<Box<dyn backend::Event>> {
        Ok(Box::new(GpuEvent::record(&self.runtime, self.stream_id.handle)?))
    }

    fn wait(&self, event: &dyn backend::Event) -> Result<bool> {
        // A driver knows the events of its own devices.
        let reason = "an event has one place: wait for it before the graph's launch";
        graph::refuse(&self.runtime, "wait", reason)?;
        let event = (event as &dyn Any).downcast_ref::<GpuEvent>();
        let of_vendor = |event: &&GpuEvent| {
            let [driver, other] = [self.runtime.driver(), event.runtime().driver()];
            (driver as &dyn Any).type_id() == (other as &dyn Any).type_id()
        };
        let Some(event) = event.filter(of_vendor) else { return Ok(false) };
        // SAFETY: streams and events live as long as their devices, and a wait means the record that stands now.
        let wait = |driver: &dyn Driver| unsafe {
            driver.stream_waits(self.stream_id.handle, event.handle())
        };
        self.runtime.checked().call("wait", wait).map(|()| true)
    }

    fn then(&self, function: HostFunction) -> Result<()> {
        let reason = "a function of the host is called once: call it after the graph's launch";
        graph::refuse(&self.runtime, "then", reason)?;
        host_function::submit(self.runtime.checked(), self.stream_id.handle, function)
    }

    fn native(&self) -> u64 {
        self.runtime.share();
        self.stream_id.handle.0
    }
}

impl Drop for GpuStream {
    fn drop(&mut self) {
        let streams = self.runtime.streams();
        if !streams.is_external(self.stream_id) {
            // Its work goes on; the next holder's work comes after it.
            let mut idle = streams.idle.lock().unwrap_or_else(PoisonError::into_inner);
            return idle.push(self.stream_id.number);
        }
        // Its owner may destroy it from now on, so no event can be recorded in it later. A wait that fails is tried once
        // more: it is the last order that memory gets after this stream.
        let stream = self.stream_id.handle;
        let wait = || {
            // SAFETY: the stream is alive: its owner has promised that.
            self.runtime
                .checked()
                .attempt("external", |driver| unsafe { driver.wait_for_stream(stream) })
        };
        if let Err(error) = wait().or_else(|_| wait()) {
            tracing::debug!(device = self.runtime.driver().name(), %error, "an external stream fails");
        }
        streams.forget(self.stream_id);
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
