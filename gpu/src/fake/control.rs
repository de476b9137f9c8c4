//! What the fake device does when a program steers it. Its clock is the number of events that have passed.

use std::ffi::c_void;

use ndany_core::backend::{Attribute, IPC_BYTES, MemoryAdvice, MemoryPlace, NativeDevice};

use super::{Fake, Task};
use crate::driver::{
    Address, ControlDriver, Driver, DriverError, DriverResult, Event, HostCallback, Stream,
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

    fn allocate_managed(&self, bytes: usize) -> DriverResult<Address> {
        self.state().enter("allocate_managed")?;
        // There may be more of it than the device has.
        self.state().capacity += bytes;
        let address = self.allocate(bytes);
        let mut state = self.state();
        state.capacity -= bytes;
        if let Ok(address) = address {
            state.managed.insert(address, bytes);
        }
        address
    }

    unsafe fn prefetch(
        &self,
        address: Address,
        bytes: usize,
        place: MemoryPlace,
        _stream: Stream,
    ) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("prefetch")?;
        state.managed(address, bytes);
        state.hints.push(format!("{place:?}"));
        Ok(())
    }

    unsafe fn advise(
        &self,
        address: Address,
        bytes: usize,
        advice: MemoryAdvice,
    ) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("advise")?;
        state.managed(address, bytes);
        state.hints.push(format!("{advice:?}"));
        Ok(())
    }

    unsafe fn allocation_of(&self, address: Address) -> DriverResult<(Address, usize)> {
        let mut state = self.state();
        state.enter("allocation_of")?;
        match state.space.device.range(..=address).next_back() {
            Some((&first, &(bytes, _))) if address < first + bytes as u64 => Ok((first, bytes)),
            _ => {
                let text = "no allocation".to_string();
                Err(DriverError::Call { call: "allocation_of", code: 1, text })
            }
        }
    }

    unsafe fn ipc_handle(&self, allocation: Address) -> DriverResult<[u8; IPC_BYTES]> {
        let mut state = self.state();
        state.enter("ipc_handle")?;
        if !state.space.device.contains_key(&allocation) {
            state.space.violations.push(format!("{allocation:#x} begins no allocation"));
        }
        let mut handle = [0; IPC_BYTES];
        handle[..8].copy_from_slice(&allocation.to_ne_bytes());
        Ok(handle)
    }

    /// The memory of the other process is this one's.
    fn open_ipc(&self, handle: &[u8; IPC_BYTES]) -> DriverResult<Address> {
        let mut state = self.state();
        state.enter("open_ipc")?;
        let address = handle.first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes));
        state.opened.push(address);
        Ok(address)
    }

    unsafe fn close_ipc(&self, allocation: Address) -> DriverResult<()> {
        let mut state = self.state();
        state.enter("close_ipc")?;
        match state.opened.iter().position(|&opened| opened == allocation) {
            Some(place) => drop(state.opened.remove(place)),
            None => state.space.violations.push(format!("{allocation:#x} closed twice")),
        }
        Ok(())
    }

    fn native(&self) -> NativeDevice {
        NativeDevice { device: 0, context: Some(7) }
    }
}

impl Fake {
    /// What was asked for about managed memory, in order.
    pub(crate) fn hints(&self) -> Vec<String> {
        self.state().hints.clone()
    }

    /// Allocations of other processes that are open.
    pub(crate) fn opened(&self) -> usize {
        self.state().opened.len()
    }

    /// The priority that a stream was made with.
    pub(crate) fn priority(&self, stream: u64) -> Option<i32> {
        self.state().priorities.get(&stream).copied()
    }
}
