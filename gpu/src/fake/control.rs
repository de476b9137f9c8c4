//! What the fake device does when a program steers it. Its clock is the number of events that have passed.

use std::ffi::c_void;

use ndany_core::backend::{Attribute, NativeDevice};

use super::{Fake, Task};
use crate::driver::{
    ControlDriver, Driver, DriverError, DriverResult, Event, HostCallback, Stream,
};

impl crate::driver::GraphDriver for Fake {}

impl ControlDriver for Fake {
    fn create_timed_event(&self) -> DriverResult<Event> {
        let mut state = self.state();
        state.enter("create_timed_event")?;
        let event = state.fresh();
        state.events.insert(event, (0, 0));
        state.times.insert(event, None);
        Ok(Event(event))
    }

    unsafe fn elapsed(&self, from: Event, until: Event) -> DriverResult<f32> {
        let mut state = self.state();
        state.enter("elapsed")?;
        let time = |event: Event| {
            let is_past = state.events.get(&event.0).is_some_and(|(asked, passed)| asked == passed);
            state.times.get(&event.0).copied().flatten().filter(|_| is_past)
        };
        match (time(from), time(until)) {
            (Some(from), Some(until)) => Ok(until as f32 - from as f32),
            _ => {
                let text = "an event without a time".to_string();
                Err(DriverError::Call { call: "elapsed", code: 600, text })
            }
        }
    }

    unsafe fn is_idle(&self, stream: Stream) -> DriverResult<bool> {
        let mut state = self.state();
        state.enter("is_idle")?;
        Ok(state.streams.get(&stream.0).is_none_or(|tasks| tasks.is_empty()))
    }

    fn priorities(&self) -> DriverResult<[i32; 2]> {
        self.state().enter("priorities")?;
        Ok([1, -2])
    }

    fn create_stream_with_priority(&self, priority: i32) -> DriverResult<Stream> {
        self.state().enter("create_stream_with_priority")?;
        let stream = self.create_stream()?;
        self.state().priorities.insert(stream.0, priority);
        Ok(stream)
    }

    unsafe fn call_host(
        &self,
        stream: Stream,
        function: HostCallback,
        data: *mut c_void,
    ) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("call_host")?;
        state.push(stream, Task::Host { function, data: data as usize });
        Ok(())
    }

    fn attribute(&self, attribute: Attribute) -> DriverResult<u64> {
        self.state().enter("attribute")?;
        Ok(attribute as u64)
    }

    fn native(&self) -> NativeDevice {
        NativeDevice { device: 0, context: Some(7) }
    }
}

impl Fake {
    /// The priority that a stream was made with.
    pub(crate) fn priority(&self, stream: u64) -> Option<i32> {
        self.state().priorities.get(&stream).copied()
    }
}
