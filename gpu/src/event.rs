//! Events of programs: each keeps the time at which it completes.
//!
//! The device's own events, of its pool and of the order between streams, keep no time and are others (`stream`).

use std::any::Any;
use std::sync::Arc;

use ndany_core::backend;
use ndany_core::{Error, Result};

use crate::driver::{Driver, Event, Stream};
use crate::graph;
use crate::runtime::Runtime;

/// An event that was recorded in a stream of a device.
#[derive(Debug)]
pub(crate) struct GpuEvent {
    runtime: Arc<Runtime>,
    event: Event,
}

impl GpuEvent {
    /// Records an event after the work that a stream has now.
    pub(crate) fn record(runtime: &Arc<Runtime>, stream: Stream) -> Result<Self> {
        graph::refuse(
            runtime,
            "record",
            "an event has one place: record it around the graph's launch",
        )?;
        let event = runtime.streams().timed_event(runtime.checked())?;
        let recorded = Self { runtime: runtime.clone(), event };
        // SAFETY: streams and events live as long as the device, and the event has no other user.
        let record = |driver: &dyn Driver| unsafe { driver.record(event, stream) };
        runtime.checked().call("record", record)?;
        Ok(recorded)
    }

    /// The vendor's event.
    pub(crate) fn handle(&self) -> Event {
        self.event
    }

    /// The device whose stream it was recorded in.
    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }
}

impl backend::Event for GpuEvent {
    fn is_completed(&self) -> Result<bool> {
        // SAFETY: events live as long as the device.
        let is_completed = |driver: &dyn Driver| unsafe { driver.is_completed(self.event) };
        self.runtime.checked().call("is_completed", is_completed)
    }

    fn synchronize(&self) -> Result<()> {
        let device = self.runtime.driver().name();
        let _span = tracing::debug_span!("wait", device, of = "event").entered();
        // SAFETY: events live as long as the device.
        let wait = |driver: &dyn Driver| unsafe { driver.wait_for_event(self.event) };
        self.runtime.checked().call("synchronize", wait)
    }

    fn elapsed_since(&self, earlier: &dyn backend::Event) -> Result<f64> {
        let earlier = (earlier as &dyn Any).downcast_ref::<Self>();
        let same = earlier.filter(|earlier| Arc::ptr_eq(&earlier.runtime, &self.runtime));
        let Some(earlier) = same else {
            let of = |event: Option<&Self>| match event {
                Some(event) => event.runtime.driver().name().to_string(),
                None => "another backend".to_string(),
            };
            let reason = format!(
                "expected two events of one device, got events of {} and {}",
                of(Some(self)),
                of(earlier)
            );
            return Err(Error::Arguments { op: "elapsed_since".to_string(), reason });
        };
        for event in [earlier, self] {
            backend::Event::synchronize(event)?;
        }
        // SAFETY: both have completed, and live as long as the device.
        let elapsed = |driver: &dyn Driver| unsafe { driver.elapsed(earlier.event, self.event) };
        let milliseconds = self.runtime.checked().call("elapsed_since", elapsed)?;
        Ok(f64::from(milliseconds) / 1e3)
    }
}

impl Drop for GpuEvent {
    fn drop(&mut self) {
        // A wait that was asked for means the record that stood then, so the event may be recorded anew.
        self.runtime.streams().keep_timed(self.event);
    }
}
