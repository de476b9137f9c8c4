//! Streams: queues of work beside a device's default one, and which of them is a thread's current one.
//!
//! Order between streams needs no care: work on an array waits for what makes it, wherever that runs. Events and functions of
//! the host are for times, and for work that arrays do not know.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::event::Event;
use crate::device::Device;
use ndany_core::backend::{self, EnteredStream, Priority};
use ndany_core::{Error, Result};

/// A queue of work of a device. Work of several streams may run at the same time; work on an array waits by itself for
/// what makes it in another stream. On a device without queues (the CPU) a call returns when its work is done, and a
/// stream changes nothing.
///
/// Arrays are lazy: what is pending is in no stream until it is evaluated ([`Array::eval`](crate::Array::eval)).
///
/// ```
/// use ndany::{Device, arange};
/// let device = Device::open("reference")?;
/// let _here = device.enter();
/// let stream = device.stream(..)?;
/// let total = {
///     let _guard = stream.enter();
///     let total = arange(1000).sum(..);
///     total.eval()?; // in the stream
///     total
/// };
/// assert_eq!((total + 1).item::<i64>()?, 499_501); // after it
/// stream.synchronize()?;
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Debug)]
pub struct Stream {
    device: Device,
    stream: Option<Box<dyn backend::Stream>>,
}

impl Stream {
    pub(crate) fn new(device: Device, priority: Priority) -> Result<Stream> {
        let stream = device.backend().control().map(|control| control.stream(priority));
        let stream = stream.transpose()?;
        Ok(Stream { device, stream })
    }

    /// Takes a stream of another library by its handle, as `cupy.cuda.Stream.from_external`.
    ///
    /// It is one of the streams of the device: what is evaluated in it is in order with work elsewhere, and
    /// [`Device::synchronize`] waits for it. It is never destroyed here. Dropping the result waits for the stream, after which its
    /// owner may destroy it. Work that the other library submits has an order by events alone ([`Stream::record`],
    /// [`Stream::wait`]).
    ///
    /// - **Errors**: a device without streams; the handle 2, which is another stream on each thread.
    ///
    /// # Safety
    /// `handle` is a `CUstream` of the device's primary context (`cuda:…`), or a `hipStream_t` of the device (`hip:…`), and lives
    /// as long as the result. 0 is the driver's own default stream.
    ///
    /// ```
    /// use ndany::{Device, Stream};
    /// let device = Device::open("reference")?;
    /// // SAFETY: the reference has no streams, so the handle is not used.
    /// let stream = unsafe { Stream::external(&device, 0) };
    /// assert!(stream.is_err());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[allow(
        unsafe_code,
        reason = "the caller's promise is passed on to the backend (`Provider::open`)"
    )]
    pub unsafe fn external(device: &Device, handle: u64) -> Result<Stream> {
        let Some(control) = device.backend().control() else {
            return Err(Error::Unsupported {
                op: "external".to_string(),
                reason: format!(
                    "{device} has no streams: its calls return when their work is done"
                ),
            });
        };
        Ok(Stream { device: device.clone(), stream: Some(control.external(handle)?) })
    }

    /// The backend's stream; none of a device without streams.
    pub(crate) fn of_backend(&self) -> Option<&dyn backend::Stream> {
        self.stream.as_deref()
    }

    /// Returns the device whose work the stream takes.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let stream = Device::current().stream(..)?;
    /// assert_eq!(stream.device().name(), Device::current().name());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Makes this the thread's current stream on its device until the guard is dropped, as `with cupy.cuda.Stream()`.
    ///
    /// What is evaluated meanwhile runs in it.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let stream = Device::current().stream(..)?;
    /// let _guard = stream.enter();
    /// arange(3).eval()?;
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[must_use = "the stream is current while the guard lives"]
    pub fn enter(&self) -> StreamGuard<'_> {
        StreamGuard {
            entered: self.stream.as_ref().map(|stream| stream.enter()),
            only_here: PhantomData,
        }
    }

    /// Waits until the stream has no work left, as `cupy.cuda.Stream.synchronize`.
    ///
    /// - **Errors**: what failed on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// Device::current().stream(..)?.synchronize()?;
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn synchronize(&self) -> Result<()> {
        self.stream.as_ref().map_or(Ok(()), |stream| stream.synchronize())
    }

    /// Tests whether the stream has no work left, as `cupy.cuda.Stream.done`; does not wait.
    ///
    /// - **Errors**: what failed on the device; a driver that cannot say.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let stream = Device::current().stream(..)?;
    /// stream.synchronize()?;
    /// assert!(stream.is_idle()?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn is_idle(&self) -> Result<bool> {
        self.stream.as_ref().map_or(Ok(true), |stream| stream.is_idle())
    }

    /// Records an event after the work that the stream has now, as `cupy.cuda.Stream.record`.
    ///
    /// - **Errors**: what failed on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let stream = Device::current().stream(..)?;
    /// let start = stream.record()?;
    /// assert!(stream.record()?.elapsed_since(&start)? >= 0.0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn record(&self) -> Result<Event> {
        match &self.stream {
            Some(stream) => Ok(Event::of_stream(self.device.clone(), stream.record()?)),
            None => Ok(Event::now(self.device.clone())),
        }
    }

    /// Makes the stream's further work wait for an event, as `cupy.cuda.Stream.wait_event`.
    ///
    /// Arrays need no such order: this is for memory that other libraries use. The event may be of another device. The host
    /// waits only for an event that the stream's driver does not know: one of another vendor.
    ///
    /// - **Errors**: what failed on a device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let device = Device::current();
    /// let (one, two) = (device.stream(..)?, device.stream(..)?);
    /// two.wait(&one.record()?)?;
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn wait(&self, event: &Event) -> Result<()> {
        let Some(awaited) = event.in_stream() else { return Ok(()) };
        let waits = self.stream.as_ref().map_or(Ok(false), |stream| stream.wait(awaited))?;
        if waits { Ok(()) } else { awaited.synchronize() }
    }

    /// Calls a function of the host when the stream has done what it has now, as `cupy.cuda.Stream.launch_host_func`.
    ///
    /// The stream's further work waits for the function, which runs once, on a thread of the driver; on the CPU it has run when
    /// this returns. It must not use a device: no array, no stream, no event. Send values to a thread that does. A panic ends the
    /// function and nothing else. A device that is lost calls it no more.
    ///
    /// - **Errors**: what failed on the device; a driver that has no such function.
    ///
    /// ```
    /// use std::sync::mpsc::channel;
    /// use ndany::prelude::*;
    /// let (done, reached) = channel();
    /// let stream = Device::current().stream(..)?;
    /// stream.then(move || done.send("here").expect("a receiver"))?;
    /// stream.synchronize()?;
    /// assert_eq!(reached.recv(), Ok("here"));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn then(&self, function: impl FnOnce() + Send + 'static) -> Result<()> {
        if let Some(stream) = &self.stream {
            return stream.then(Box::new(function));
        }
        // As on other devices, where the driver's frames are between the caller and the function.
        if catch_unwind(AssertUnwindSafe(function)).is_err() {
            tracing::error!("a host function of a stream panicked");
        }
        Ok(())
    }

    /// Returns the vendor's handle of the stream, a `CUstream` or `hipStream_t`, as `cupy.cuda.Stream.ptr`.
    ///
    /// It is valid while the stream lives. None of a device without streams.
    ///
    /// ```
    /// use ndany::Device;
    /// assert_eq!(Device::open("reference")?.stream(..)?.native(), None);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn native(&self) -> Option<u64> {
        self.stream.as_ref().map(|stream| stream.native())
    }
}

/// Keeps a stream current; see [`Stream::enter`].
#[derive(Debug)]
pub struct StreamGuard<'s> {
    #[expect(dead_code, reason = "it is there to be dropped")]
    entered: Option<Box<dyn EnteredStream + 's>>,
    /// The guard belongs to its thread.
    only_here: PhantomData<*const ()>,
}
