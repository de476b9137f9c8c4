//! Streams: queues of work beside a device's default one, and which of them is a thread's current one.
//!
//! Order between streams needs no care: work on an array waits for what makes it, wherever that runs. Deliberately
//! absent: priorities, and events to be placed by hand.

use std::marker::PhantomData;

use crate::device::Device;
use ndany_core::Result;
use ndany_core::backend::{self, EnteredStream};

/// A queue of work of a device. Work of several streams may run at the same time; work on an array waits by itself for
/// what makes it in another stream. On a device without queues (the CPU) a call returns when its work is done, and a
/// stream changes nothing.
///
/// ```
/// use ndany::{Device, arange};
/// let device = Device::open("reference")?;
/// let _here = device.enter();
/// let stream = device.stream()?;
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
    pub(crate) fn new(device: Device) -> Result<Stream> {
        let stream = device.backend().stream()?;
        Ok(Stream { device, stream })
    }

    /// Returns the device whose work the stream takes.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// if let Ok(stream) = Device::current().stream() {
    ///     assert_eq!(stream.device().name(), Device::current().name());
    /// }
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
    /// if let Ok(stream) = Device::current().stream() {
    ///     let _guard = stream.enter();
    ///     arange(3).eval()?;
    /// }
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
    /// if let Ok(stream) = Device::current().stream() {
    ///     stream.synchronize()?;
    /// }
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn synchronize(&self) -> Result<()> {
        self.stream.as_ref().map_or(Ok(()), |stream| stream.synchronize())
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
