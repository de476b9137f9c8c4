//! [`Device`]: the [`Driver`] made of a vendor's functions.
//!
//! Deliberately absent: what a code means, how a device is named in calls, what its architecture is called. A
//! [`Vendor`] says that.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

use ndany_kernels::Dialect;

use super::api::constants::*;
use super::api::{Api, Context, Vendor};
use super::table::Named;
use crate::driver::{
    Address, Driver, DriverError, DriverResult, Event, Function, FunctionAttribute, KernelLaunch,
    Module, Properties, Stream,
};
use crate::platform::OpenError;

/// An open device of a vendor.
#[derive(Debug)]
pub struct Device<V: Vendor> {
    context: Context<V>,
    /// The driver's number of the device.
    number: i32,
    dialect: &'static Dialect,
    name: String,
    properties: Properties,
    /// What drivers want kept, by module.
    images: Mutex<BTreeMap<u64, Box<[u8]>>>,
    /// Devices that were asked to be reached directly.
    peers: Mutex<BTreeSet<V::DeviceKey>>,
}

impl<V: Vendor> Device<V> {
    /// Opens the device of a number.
    ///
    /// # Errors
    /// Why there is no such device, and how to mend it.
    pub fn open(ordinal: u32) -> Result<Self, OpenError> {
        let count = Api::<V>::count()?;
        let number = i32::try_from(ordinal).ok().filter(|_| ordinal < count);
        let visibility = V::VISIBILITY;
        let number = number.ok_or(OpenError::NoSuch { count, title: V::TITLE, visibility })?;
        let api = Api::<V>::initialized()?;
        let device = V::device(api, number)?;
        let properties = api.properties(device)?;
        let dialect = V::dialect(&properties.capabilities)?;
        let place = V::device_key(api, device)?;
        let context = Context { api, place };
        let name = format!("{}:{ordinal}", V::FAMILY);
        let (images, peers) = Default::default();
        Ok(Self { context, number: device, dialect, name, properties, images, peers })
    }

    /// What a call to the device needs.
    pub fn context(&self) -> Context<V> {
        self.context
    }

    /// The driver's number of the device.
    pub(super) fn number(&self) -> i32 {
        self.number
    }

    /// The peer of a copy.
    fn of_peer(peer: &dyn Driver) -> &Self {
        match (peer as &dyn Any).downcast_ref() {
            Some(peer) => peer,
            None => unreachable!("peers are devices of one vendor"),
        }
    }

    /// Lets this device, the current one, reach the other's memory directly where it can; copies go through the host
    /// otherwise.
    fn reach(&self, peer: V::DeviceKey) {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        let enable = self.context.api.functions.peer_access.function;
        if let (true, Some(enable)) = (peers.insert(peer), enable) {
            // SAFETY: an open device, which stays open. Devices that cannot reach each other say so, and so do those
            // for which it was asked before.
            unsafe { enable(peer, 0) };
        }
    }
}

/// Calls a function of the table with the thread turned to the device; with `?` one that the library may lack.
macro_rules! call {
    ($self:ident.$function:ident?($($argument:expr),* $(,)?)) => {{
        let Context { api, .. } = $self.context;
        let Named { name, function } = api.functions.$function;
        let _current = $self.context.enter(name)?;
        let function = function.ok_or(DriverError::Missing { call: name })?;
        // SAFETY: as below.
        api.check(name, unsafe { function($($argument),*) })
    }};
    ($self:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        let Context { api, .. } = $self.context;
        let Named { name, function } = api.functions.$function;
        let _current = $self.context.enter(name)?;
        // SAFETY: arguments are numbers, places of this frame that the function fills, or handles and addresses that
        // the caller vouches for (see `Driver`); the vendor vouches for the function.
        api.check(name, unsafe { function($($argument),*) })
    }};
}

impl<V: Vendor> Driver for Device<V> {
    fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: usize) -> DriverResult<Address> {
        let mut address = 0;
        call!(self.allocate(&mut address, bytes))?;
        Ok(address)
    }

    unsafe fn free(&self, address: Address) -> DriverResult<()> {
        call!(self.free(address))
    }

    fn memory(&self) -> DriverResult<[usize; 2]> {
        let (mut free, mut total) = (0, 0);
        call!(self.memory(&mut free, &mut total))?;
        Ok([free, total])
    }

    fn allocate_host(&self, bytes: usize) -> DriverResult<*mut u8> {
        let mut memory = std::ptr::null_mut();
        call!(self.allocate_host(&mut memory, bytes, HOST_PORTABLE))?;
        Ok(memory)
    }

    unsafe fn free_host(&self, memory: *mut u8) -> DriverResult<()> {
        call!(self.free_host(memory))
    }

    unsafe fn upload(
        &self,
        to: Address,
        from: *const u8,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()> {
        call!(self.upload(to, from, bytes, stream.0))
    }

    unsafe fn download(
        &self,
        to: *mut u8,
        from: Address,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()> {
        call!(self.download(to, from, bytes, stream.0))
    }

    unsafe fn copy_from_peer(
        &self,
        to: Address,
        from: Address,
        peer: &dyn Driver,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()> {
        let Context { api, place: own } = self.context;
        let Named { name, function } = api.functions.peer_copy;
        let _current = self.context.enter(name)?;
        let copy = function.ok_or(DriverError::Missing { call: name })?;
        let other = Self::of_peer(peer).context.place;
        self.reach(other);
        // SAFETY: the caller's; open devices stay open.
        let code = unsafe { copy(to, own, from, other, bytes, stream.0) };
        api.check(name, code)
    }

    unsafe fn fill(&self, to: Address, byte: u8, bytes: usize, stream: Stream) -> DriverResult<()> {
        call!(self.fill(to, byte, bytes, stream.0))
    }

    fn create_stream(&self) -> DriverResult<Stream> {
        let mut stream = 0;
        call!(self.create_stream(&mut stream, NON_BLOCKING))?;
        Ok(Stream(stream))
    }

    unsafe fn destroy_stream(&self, stream: Stream) -> DriverResult<()> {
        call!(self.destroy_stream(stream.0))
    }

    unsafe fn wait_for_stream(&self, stream: Stream) -> DriverResult<()> {
        call!(self.wait_for_stream(stream.0))
    }

    fn create_event(&self) -> DriverResult<Event> {
        let mut event = 0;
        call!(self.create_event(&mut event, DISABLE_TIMING))?;
        Ok(Event(event))
    }

    unsafe fn destroy_event(&self, event: Event) -> DriverResult<()> {
        call!(self.destroy_event(event.0))
    }

    unsafe fn record(&self, event: Event, stream: Stream) -> DriverResult<()> {
        call!(self.record(event.0, stream.0))
    }

    unsafe fn is_completed(&self, event: Event) -> DriverResult<bool> {
        let Context { api, .. } = self.context;
        let Named { name, function } = api.functions.is_completed;
        let _current = self.context.enter(name)?;
        // SAFETY: the caller's. That it is not past is an answer, for which no words are looked up.
        match unsafe { function(event.0) } {
            NOT_READY => Ok(false),
            code => api.check(name, code).map(|()| true),
        }
    }

    unsafe fn wait_for_event(&self, event: Event) -> DriverResult<()> {
        call!(self.wait_for_event(event.0))
    }

    unsafe fn stream_waits(&self, stream: Stream, event: Event) -> DriverResult<()> {
        call!(self.stream_waits(stream.0, event.0, 0))
    }

    fn load(&self, image: &[u8]) -> DriverResult<Module> {
        let mut module = 0;
        if V::KEEPS_IMAGES {
            let image: Box<[u8]> = image.into();
            call!(self.load(&mut module, image.as_ptr()))?;
            self.images.lock().unwrap_or_else(PoisonError::into_inner).insert(module, image);
        } else {
            call!(self.load(&mut module, image.as_ptr()))?;
        }
        Ok(Module(module))
    }

    unsafe fn unload(&self, module: Module) -> DriverResult<()> {
        // The image is dropped after the module, and kept if the module stays loaded. Taken out first: a module that
        // another thread loads meanwhile may get the same number.
        let image = match V::KEEPS_IMAGES {
            true => self.images.lock().unwrap_or_else(PoisonError::into_inner).remove(&module.0),
            false => None,
        };
        let unloaded = call!(self.unload(module.0));
        if unloaded.is_err() {
            std::mem::forget(image);
        }
        unloaded
    }

    unsafe fn function(&self, module: Module, name: &str) -> DriverResult<Function> {
        let name = CString::new(name).unwrap_or_default();
        let mut function = 0;
        call!(self.function(&mut function, module.0, name.as_ptr().cast()))?;
        Ok(Function(function))
    }

    #[inline]
    unsafe fn launch(&self, launch: &KernelLaunch, arguments: &[u64]) -> DriverResult<()> {
        // The driver copies the words before it returns.
        let parameters = [arguments.as_ptr().cast()];
        // SAFETY: the caller's: the kernel's one parameter is these words.
        unsafe { self.launch_with(launch, &parameters) }
    }

    #[inline]
    unsafe fn launch_with(
        &self,
        launch: &KernelLaunch,
        parameters: &[*const u8],
    ) -> DriverResult<()> {
        let KernelLaunch { function, grid: [x, y, z], block, shared, cooperative, stream } =
            *launch;
        let [block_x, block_y, block_z] = block;
        let values = parameters.as_ptr();
        if cooperative {
            let launch = call!(self.launch_cooperative?(
                function.0, x, y, z, block_x, block_y, block_z, shared, stream.0, values
            ));
            return launch;
        }
        let extra = std::ptr::null();
        call!(self.launch(
            function.0,
            x,
            y,
            z,
            block_x,
            block_y,
            block_z,
            shared,
            stream.0,
            values.cast(),
            extra
        ))
    }

    unsafe fn function_attribute(
        &self,
        function: Function,
        attribute: FunctionAttribute,
    ) -> DriverResult<u32> {
        // The numbers of both vendors.
        let number = match attribute {
            FunctionAttribute::MaxThreads => 0,
            FunctionAttribute::SharedBytes => 1,
            FunctionAttribute::ConstantBytes => 2,
            FunctionAttribute::LocalBytes => 3,
            FunctionAttribute::Registers => 4,
        };
        let mut value = 0;
        call!(self.function_attribute?(&mut value, number, function.0))?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    unsafe fn allow_shared(&self, function: Function, bytes: u32) -> DriverResult<()> {
        if !V::ASKS_FOR_SHARED {
            return Ok(());
        }
        // The number of the attribute of the most dynamic shared memory.
        call!(self.set_function_attribute?(function.0, 8, bytes as i32))
    }

    unsafe fn occupancy(&self, function: Function, block: u32, shared: usize) -> DriverResult<u32> {
        let mut blocks = 0;
        call!(self.occupancy?(&mut blocks, function.0, block as i32, shared))?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    unsafe fn parameters(&self, function: Function) -> DriverResult<Option<Vec<usize>>> {
        let Context { api, .. } = self.context;
        let Named { name, function: parameter } = api.functions.parameter;
        let Some(parameter) = parameter else { return Ok(None) };
        let _current = self.context.enter(name)?;
        let mut sizes = Vec::new();
        loop {
            let (mut offset, mut bytes) = (0, 0);
            // SAFETY: the caller's function; it writes two numbers.
            match unsafe { parameter(function.0, sizes.len(), &mut offset, &mut bytes) } {
                // The number of one parameter too many is an invalid value.
                1 => return Ok(Some(sizes)),
                code => api.check(name, code)?,
            }
            sizes.push(bytes);
        }
    }

    unsafe fn global(&self, module: Module, name: &str) -> DriverResult<(Address, usize)> {
        let name = CString::new(name).unwrap_or_default();
        let (mut address, mut bytes) = (0, 0);
        call!(self.global?(&mut address, &mut bytes, module.0, name.as_ptr().cast()))?;
        Ok((address, bytes))
    }
}
