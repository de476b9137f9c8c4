//! Drivers whose interface has the shape of CUDA's, as HIP's has: other names, the same arguments in the same order.
//!
//! A vendor lists its functions in a table ([`calls!`](crate::calls!)) and says what is its own: how a thread gets to a
//! device, what its codes mean, how devices reach each other. [`Device`] is the [`Driver`] made of that.
//!
//! Deliberately absent: finding and opening devices, which no two vendors do alike.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, CString};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use ndany_kernels::Dialect;

use crate::driver::{
    Address, Call, Driver, DriverError, DriverResult, Event, Function, Module, Properties, Stream,
};

/// Numbers that mean the same to all vendors; tests of theirs compare them with their headers.
pub mod constants {
    /// There is not that much memory.
    pub const OUT_OF_MEMORY: u32 = 2;
    /// There is no device.
    pub const NO_DEVICE: u32 = 100;
    /// The event is not past.
    pub const NOT_READY: u32 = 600;
    /// Page-locked memory that every context may use,
    pub const HOST_PORTABLE: u32 = 1;
    /// and that has an address on the device.
    pub const HOST_MAPPED: u32 = 2;
    /// A stream that does not wait for the legacy one.
    pub const NON_BLOCKING: u32 = 1;
    /// An event without the time.
    pub const DISABLE_TIMING: u32 = 2;
}
use constants::*;

/// A function of a library and its name there.
#[derive(Clone, Copy)]
pub struct Named<F> {
    /// As errors say it.
    pub name: &'static str,
    /// What to call.
    pub function: F,
}

macro_rules! table {
    ($($field:ident: fn($($ty:ty),*);)*) => {
        /// The functions of such an interface. Each gives 0 or a code.
        #[allow(missing_docs, reason = "what they do stands at `Driver`'s functions of these names")]
        pub struct Calls {
            $(pub $field: Named<unsafe extern "C" fn($($ty),*) -> u32>,)*
        }
    };
}

table! {
    allocate: fn(*mut u64, usize);
    free: fn(u64);
    memory: fn(*mut usize, *mut usize);
    allocate_host: fn(*mut *mut u8, usize, u32);
    free_host: fn(*mut u8);
    address_of_host: fn(*mut u64, *mut u8, u32);
    upload: fn(u64, *const u8, usize, u64);
    download: fn(*mut u8, u64, usize, u64);
    copy: fn(u64, u64, usize, u64);
    fill: fn(u64, u8, usize, u64);
    create_stream: fn(*mut u64, u32);
    destroy_stream: fn(u64);
    wait_for_stream: fn(u64);
    stream_waits: fn(u64, u64, u32);
    create_event: fn(*mut u64, u32);
    destroy_event: fn(u64);
    record: fn(u64, u64);
    is_past: fn(u64);
    wait_for_event: fn(u64);
    milliseconds: fn(*mut f32, u64, u64);
    load: fn(*mut u64, *const u8);
    unload: fn(u64);
    function: fn(*mut u64, u64, *const u8);
    occupancy: fn(*mut i32, u64, i32, usize);
    launch: fn(u64, u32, u32, u32, u32, u32, u32, u32, u64, *const *const u64, *const u8);
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calls").field("allocate", &self.allocate.name).finish_non_exhaustive()
    }
}

/// A function that copies bytes between devices: to where and on which, from where and on which, how many, the stream.
pub type PeerCopy<P> = unsafe extern "C" fn(u64, P, u64, P, usize, u64) -> u32;

/// Lists a vendor's functions: `calls!(table; allocate: hipMalloc, …)`, and behind `;` those that are not simply in its
/// table.
#[macro_export]
macro_rules! calls {
    ($table:expr; $($field:ident: $function:ident),* $(,)? $(; $other:ident = $named:expr)?) => {
        $crate::calls::Calls {
            $($field: $crate::calls::Named { name: stringify!($function), function: $table.$function },)*
            $($other: $named,)?
        }
    };
}

/// What a code of a driver comes to; `words` says what the vendor calls it.
pub fn check(
    call: &'static str,
    code: u32,
    lost: &[u32],
    words: impl FnOnce(u32) -> String,
) -> DriverResult<()> {
    match code {
        0 => Ok(()),
        OUT_OF_MEMORY => Err(DriverError::OutOfMemory { call }),
        _ if lost.contains(&code) => Err(DriverError::Lost { call, code, text: words(code) }),
        _ => Err(DriverError::Call { call, code, text: words(code) }),
    }
}

/// The functions that say what a device is, and the numbers by which they are asked.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "their names say what they do")]
pub struct Questions {
    pub name: Named<unsafe extern "C" fn(*mut u8, i32, i32) -> u32>,
    pub memory: Named<unsafe extern "C" fn(*mut usize, i32) -> u32>,
    pub attribute: Named<unsafe extern "C" fn(*mut i32, u32, i32) -> u32>,
    pub lanes: u32,
    pub processors: u32,
    pub threads_per_processor: u32,
    pub shared_per_block: u32,
}

impl Questions {
    /// A number that a device has.
    ///
    /// # Safety
    /// The functions are the vendor's, and the device is one of its own.
    pub unsafe fn attribute(
        &self,
        device: i32,
        number: u32,
        check: impl Fn(&'static str, u32) -> DriverResult<()>,
    ) -> DriverResult<u32> {
        let mut value = 0;
        // SAFETY: the caller's; it writes a number.
        check(self.attribute.name, unsafe {
            (self.attribute.function)(&mut value, number, device)
        })?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// What a device is; makes no context.
    ///
    /// # Safety
    /// As of [`Questions::attribute`].
    pub unsafe fn properties(
        &self,
        device: i32,
        architecture: String,
        driver_version: String,
        check: impl Fn(&'static str, u32) -> DriverResult<()> + Copy,
    ) -> DriverResult<Properties> {
        let mut name = [0u8; 256];
        // SAFETY: the caller's, here and below; the last byte stays zero whatever it writes.
        check(self.name.name, unsafe { (self.name.function)(name.as_mut_ptr(), 255, device) })?;
        let mut memory = 0;
        // SAFETY: as above; it writes a number.
        check(self.memory.name, unsafe { (self.memory.function)(&mut memory, device) })?;
        // SAFETY: as above.
        let attribute = |number: u32| unsafe { self.attribute(device, number, check) };
        Ok(Properties {
            name: CStr::from_bytes_until_nul(&name).unwrap_or(c"").to_string_lossy().into_owned(),
            architecture,
            memory,
            processors: attribute(self.processors)?,
            lanes: attribute(self.lanes)?,
            threads_per_processor: attribute(self.threads_per_processor)?,
            shared_per_block: attribute(self.shared_per_block)? as usize,
            driver_version,
        })
    }
}

/// What is a vendor's own about an open device.
///
/// # Safety
/// The table's functions are the vendor's, of the meaning that [`Driver`] gives their names, and stay loaded.
pub unsafe trait Vendor: fmt::Debug + Send + Sync + 'static {
    /// While it lives, the thread's calls go to the device.
    type Current;

    /// What calls name a device by.
    type Place: Copy + Ord + fmt::Debug + Send + Sync;

    /// Does the driver want an image to stay where it is as long as the module is loaded?
    const KEEPS_IMAGES: bool = false;

    /// The functions.
    fn calls(&self) -> &Calls;

    /// Turns the thread's calls to the device.
    fn enter(&self, call: &'static str) -> DriverResult<Self::Current>;

    /// What a code means.
    fn check(&self, call: &'static str, code: u32) -> DriverResult<()>;

    /// By what calls name a device.
    fn place(&self) -> Self::Place;

    /// The function that copies between devices, where there is one.
    fn peer_copy(&self) -> Named<Option<PeerCopy<Self::Place>>>;

    /// The function that lets the current device reach another one's memory directly, where there is one.
    fn peer_access(&self) -> Option<unsafe extern "C" fn(Self::Place, u32) -> u32>;

    /// Prepares a launch with more shared memory than a block has without asking.
    ///
    /// # Safety
    /// See [`Driver`].
    unsafe fn ask_for_shared(&self, function: Function, bytes: u32) -> DriverResult<()>;
}

/// An open device of such a vendor.
#[derive(Debug)]
pub struct Device<V: Vendor> {
    vendor: V,
    dialect: &'static Dialect,
    name: String,
    properties: Properties,
    /// What drivers want kept, by module.
    images: Mutex<BTreeMap<u64, Box<[u8]>>>,
    /// Devices that were asked to be reached directly.
    peers: Mutex<BTreeSet<V::Place>>,
}

impl<V: Vendor> Device<V> {
    /// A device that a vendor has opened.
    pub fn new(vendor: V, dialect: &'static Dialect, name: String, properties: Properties) -> Self {
        let (images, peers) = Default::default();
        Self { vendor, dialect, name, properties, images, peers }
    }

    /// What is the vendor's own.
    pub fn vendor(&self) -> &V {
        &self.vendor
    }

    /// Lets this device, the current one, reach the other's memory directly where it can; copies go through the host
    /// otherwise.
    fn reach(&self, peer: V::Place) {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if let (true, Some(enable)) = (peers.insert(peer), self.vendor.peer_access()) {
            // SAFETY: an open device, which stays open. Devices that cannot reach each other say so, and so do those for
            // which somebody has already asked.
            unsafe { enable(peer, 0) };
        }
    }
}

/// Calls a function of the table with the thread turned to the device.
macro_rules! call {
    ($self:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        let Named { name, function } = $self.vendor.calls().$function;
        let _current = $self.vendor.enter(name)?;
        // SAFETY: arguments are numbers, places of this frame that the function fills, or handles and addresses that
        // the caller vouches for (see `Driver`); the vendor vouches for the function.
        $self.vendor.check(name, unsafe { function($($argument),*) })
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
        call!(self.allocate_host(&mut memory, bytes, HOST_PORTABLE | HOST_MAPPED))?;
        Ok(memory)
    }

    unsafe fn free_host(&self, memory: *mut u8) -> DriverResult<()> {
        call!(self.free_host(memory))
    }

    unsafe fn address_of_host(&self, memory: *mut u8) -> DriverResult<Address> {
        let mut address = 0;
        call!(self.address_of_host(&mut address, memory, 0))?;
        Ok(address)
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

    unsafe fn copy(
        &self,
        to: Address,
        from: Address,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()> {
        call!(self.copy(to, from, bytes, stream.0))
    }

    unsafe fn copy_from_peer(
        &self,
        to: Address,
        from: Address,
        peer: &Self,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()> {
        let Named { name, function } = self.vendor.peer_copy();
        let _current = self.vendor.enter(name)?;
        let copy = function.ok_or(DriverError::Missing { call: name })?;
        let (own, other) = (self.vendor.place(), peer.vendor.place());
        self.reach(other);
        // SAFETY: the caller's; open devices stay open.
        let code = unsafe { copy(to, own, from, other, bytes, stream.0) };
        self.vendor.check(name, code)
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

    fn create_event(&self, timed: bool) -> DriverResult<Event> {
        let mut event = 0;
        call!(self.create_event(&mut event, if timed { 0 } else { DISABLE_TIMING }))?;
        Ok(Event(event))
    }

    unsafe fn destroy_event(&self, event: Event) -> DriverResult<()> {
        call!(self.destroy_event(event.0))
    }

    unsafe fn record(&self, event: Event, stream: Stream) -> DriverResult<()> {
        call!(self.record(event.0, stream.0))
    }

    unsafe fn is_past(&self, event: Event) -> DriverResult<bool> {
        match call!(self.is_past(event.0)) {
            Ok(()) => Ok(true),
            Err(DriverError::Call { code: NOT_READY, .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    unsafe fn wait_for_event(&self, event: Event) -> DriverResult<()> {
        call!(self.wait_for_event(event.0))
    }

    unsafe fn stream_waits(&self, stream: Stream, event: Event) -> DriverResult<()> {
        call!(self.stream_waits(stream.0, event.0, 0))
    }

    unsafe fn milliseconds(&self, from: Event, to: Event) -> DriverResult<f32> {
        let mut milliseconds = 0.0;
        call!(self.milliseconds(&mut milliseconds, from.0, to.0))?;
        Ok(milliseconds)
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
        // The image goes behind the module, and stays where that does not go. Taken out first: a module that another
        // thread loads meanwhile may get the same number.
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

    unsafe fn occupancy(&self, function: Function, block: u32, shared: u32) -> DriverResult<u32> {
        let mut blocks = 0;
        call!(self.occupancy(&mut blocks, function.0, block as i32, shared as usize))?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    unsafe fn launch(&self, call: &Call, arguments: &[u64]) -> DriverResult<()> {
        // The driver copies the words before it returns.
        let parameters = [arguments.as_ptr()];
        let Call { function, grid, block, shared, stream } = *call;
        if shared as usize > self.properties.shared_per_block {
            // SAFETY: the caller's.
            unsafe { self.vendor.ask_for_shared(function, shared) }?;
        }
        let ([x, y], words) = (grid, parameters.as_ptr());
        let extra = std::ptr::null();
        call!(self.launch(function.0, x, y, 1, block, 1, 1, shared, stream.0, words, extra))
    }
}
