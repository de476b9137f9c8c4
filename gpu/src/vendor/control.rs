//! [`ControlDriver`] of a vendor's functions, each of which a driver may lack.

use std::ffi::c_void;

use ndany_core::backend::{Attribute, IPC_BYTES, MemoryAdvice, MemoryPlace, NativeDevice};

use super::api::constants::*;
use super::api::{Context, IpcHandle, Vendor};
use super::device::Device;
use super::table::Named;
use crate::driver::{
    Address, ControlDriver, DriverError, DriverResult, Event, HostCallback, Stream,
};

/// Calls a function of the table that may be missing, with the thread turned to the device; the code that it returns.
macro_rules! code {
    ($self:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        let Context { api, .. } = $self.context();
        let Named { name, function } = api.functions.$function;
        let function = function.ok_or(DriverError::Missing { call: name })?;
        let _current = $self.context().enter(name)?;
        // SAFETY: arguments are numbers, places of this frame that the function fills, or handles and pointers that the
        // caller vouches for (see `ControlDriver`); the vendor vouches for the function.
        (name, unsafe { function($($argument),*) })
    }};
}

/// The same, as a result.
macro_rules! call {
    ($self:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        let (name, code) = code!($self.$function($($argument),*));
        $self.context().api.check(name, code)
    }};
}

impl<V: Vendor> Device<V> {
    /// The driver's number of a place.
    fn place(&self, place: MemoryPlace) -> i32 {
        match place {
            MemoryPlace::Device => self.number(),
            MemoryPlace::Host => HOST,
        }
    }
}

impl<V: Vendor> ControlDriver for Device<V> {
    fn create_timed_event(&self) -> DriverResult<Event> {
        let mut event = 0;
        let Context { api, .. } = self.context();
        let Named { name, function } = api.functions.create_event;
        let _current = self.context().enter(name)?;
        // SAFETY: it writes a number.
        api.check(name, unsafe { function(&mut event, TIMING) })?;
        Ok(Event(event))
    }

    unsafe fn elapsed(&self, from: Event, until: Event) -> DriverResult<f32> {
        let mut milliseconds = 0.0;
        call!(self.elapsed(&mut milliseconds, from.0, until.0))?;
        Ok(milliseconds)
    }

    unsafe fn is_idle(&self, stream: Stream) -> DriverResult<bool> {
        // That it has work is an answer, for which no words are looked up.
        match code!(self.is_idle(stream.0)) {
            (_, NOT_READY) => Ok(false),
            (name, code) => self.context().api.check(name, code).map(|()| true),
        }
    }

    fn priorities(&self) -> DriverResult<[i32; 2]> {
        let (mut least, mut greatest) = (0, 0);
        call!(self.priorities(&mut least, &mut greatest))?;
        Ok([least, greatest])
    }

    fn create_stream_with_priority(&self, priority: i32) -> DriverResult<Stream> {
        let mut stream = 0;
        call!(self.create_stream_with_priority(&mut stream, NON_BLOCKING, priority))?;
        Ok(Stream(stream))
    }

    unsafe fn call_host(
        &self,
        stream: Stream,
        function: HostCallback,
        data: *mut c_void,
    ) -> DriverResult<()> {
        call!(self.call_host(stream.0, function, data))
    }

    fn attribute(&self, attribute: Attribute) -> DriverResult<u64> {
        let Context { api, .. } = self.context();
        let call = api.functions.attribute.name;
        // An attribute is asked for without a context, but not where no call may be made.
        let _current = self.context().enter(call)?;
        api.attribute(self.number(), attribute).map(u64::from)
    }

    fn allocate_managed(&self, bytes: usize) -> DriverResult<Address> {
        let mut address = 0;
        call!(self.allocate_managed(&mut address, bytes, ATTACH_GLOBAL))?;
        Ok(address)
    }

    unsafe fn prefetch(
        &self,
        address: Address,
        bytes: usize,
        place: MemoryPlace,
        stream: Stream,
    ) -> DriverResult<()> {
        call!(self.prefetch(address, bytes, self.place(place), stream.0))
    }

    unsafe fn advise(
        &self,
        address: Address,
        bytes: usize,
        advice: MemoryAdvice,
    ) -> DriverResult<()> {
        let [read_mostly, preferred, accessed] = ADVICE;
        let (number, begins, place) = match advice {
            MemoryAdvice::ReadMostly(begins) => (read_mostly, begins, MemoryPlace::Device),
            MemoryAdvice::PreferredPlace(Some(place)) => (preferred, true, place),
            MemoryAdvice::PreferredPlace(None) => (preferred, false, MemoryPlace::Device),
            MemoryAdvice::AccessedBy(place, begins) => (accessed, begins, place),
        };
        call!(self.advise(address, bytes, number + u32::from(!begins), self.place(place)))
    }

    unsafe fn allocation_of(&self, address: Address) -> DriverResult<(Address, usize)> {
        let (mut first, mut bytes) = (0, 0);
        call!(self.allocation_of(&mut first, &mut bytes, address))?;
        Ok((first, bytes))
    }

    unsafe fn ipc_handle(&self, allocation: Address) -> DriverResult<[u8; IPC_BYTES]> {
        let mut handle = IpcHandle([0; IPC_BYTES]);
        call!(self.ipc_handle(&mut handle, allocation))?;
        Ok(handle.0)
    }

    fn open_ipc(&self, handle: &[u8; IPC_BYTES]) -> DriverResult<Address> {
        let mut allocation = 0;
        let flags = V::lazy_peer_access(&self.context().api.own);
        call!(self.open_ipc(&mut allocation, IpcHandle(*handle), flags))?;
        Ok(allocation)
    }

    unsafe fn close_ipc(&self, allocation: Address) -> DriverResult<()> {
        call!(self.close_ipc(allocation))
    }

    fn native(&self) -> NativeDevice {
        NativeDevice { device: self.number(), context: V::native_context(self.context().place) }
    }
}
