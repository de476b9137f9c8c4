//! Events: places in the work of a stream, for times and for the order of work that arrays do not know.

use std::fmt;
use std::time::Instant;

use crate::device::Device;
use ndany_core::backend;
use ndany_core::{Error, Result};

/// A place in the work of a stream, which completes when the work before it is done, as `cupy.cuda.Event`.
///
/// [`Stream::record`](crate::Stream::record) and [`Device::record`] make events. An event keeps the time at which it completes. On
/// a device whose calls return when their work is done (the CPU) an event has completed when it is made, and its time is the
/// host's.
///
/// ```
/// use ndany::prelude::*;
/// let device = Device::current();
/// let start = device.record()?;
/// let total = arange(1000).sum(..);
/// total.eval()?;
/// let end = device.record()?;
/// assert!(end.elapsed_since(&start)? >= 0.0);
/// # Ok::<(), ndany::Error>(())
/// ```
pub struct Event {
    device: Device,
    kind: EventKind,
}

/// Where an event is.
enum EventKind {
    /// In a stream.
    Device(Box<dyn backend::Event>),
    /// It had completed when it was made, at this time.
    Host(Instant),
}

impl Event {
    /// An event in a stream of a device.
    pub(super) fn of_stream(device: Device, event: Box<dyn backend::Event>) -> Event {
        Event { device, kind: EventKind::Device(event) }
    }

    /// An event after work that is done.
    pub(super) fn now(device: Device) -> Event {
        Event { device, kind: EventKind::Host(Instant::now()) }
    }

    /// The event of a stream; none if it completed when it was made.
    pub(super) fn in_stream(&self) -> Option<&dyn backend::Event> {
        match &self.kind {
            EventKind::Device(event) => Some(event.as_ref()),
            EventKind::Host(_) => None,
        }
    }

    /// Tests whether the stream has done all work before the event, as `cupy.cuda.Event.done`; does not wait.
    ///
    /// - **Errors**: what failed on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let event = Device::current().record()?;
    /// event.synchronize()?;
    /// assert!(event.is_completed()?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn is_completed(&self) -> Result<bool> {
        self.in_stream().map_or(Ok(true), |event| event.is_completed())
    }

    /// Waits until the stream has done all work before the event, as `cupy.cuda.Event.synchronize`.
    ///
    /// - **Errors**: what failed on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// Device::current().record()?.synchronize()?;
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn synchronize(&self) -> Result<()> {
        self.in_stream().map_or(Ok(()), |event| event.synchronize())
    }

    /// Returns the seconds from the completion of `earlier` to that of this event, as `cupy.cuda.get_elapsed_time`.
    ///
    /// Waits for both. The number is negative if `earlier` completed later, as an event in another stream may. A GPU counts in
    /// steps of about half a microsecond.
    ///
    /// - **Errors**: events of two devices, what failed on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let device = Device::current();
    /// let (start, end) = (device.record()?, device.record()?);
    /// let seconds = end.elapsed_since(&start)?;
    /// assert_eq!(start.elapsed_since(&end)?, -seconds);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn elapsed_since(&self, earlier: &Event) -> Result<f64> {
        let two_devices = || Error::Arguments {
            op: "elapsed_since".to_string(),
            reason: format!(
                "expected two events of one device, got events of {} and {}",
                self.device, earlier.device
            ),
        };
        if self.device != earlier.device {
            return Err(two_devices());
        }
        match (&self.kind, &earlier.kind) {
            (EventKind::Device(end), EventKind::Device(start)) => end.elapsed_since(start.as_ref()),
            (EventKind::Host(end), EventKind::Host(start)) => {
                let forwards = end.saturating_duration_since(*start).as_secs_f64();
                let backwards = start.saturating_duration_since(*end).as_secs_f64();
                Ok(forwards - backwards)
            }
            // One device has events of one kind.
            (EventKind::Device(_), EventKind::Host(_))
            | (EventKind::Host(_), EventKind::Device(_)) => Err(two_devices()),
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("device", &self.device).finish_non_exhaustive()
    }
}
