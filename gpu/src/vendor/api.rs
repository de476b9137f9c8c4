//! A vendor's driver as a table of functions: what a [`Vendor`] says of it, and how a thread's calls come to go to a
//! device.

use std::ffi::{CStr, c_void};
use std::fmt;

use ndany_core::LibraryReport;
use ndany_core::backend::{Attribute, IPC_BYTES, LaunchLimits};
use ndany_core::ranges::Ranges;
use ndany_kernels::Dialect;

use super::attributes;
use super::platform::State;
use super::table::{self, Named, NamedBy, functions};
use super::{Factorizations, Products, SparseMatrices, Toolchain, Transforms};
use crate::direct::DirectSolver;
use crate::driver::{Capabilities, DriverError, DriverResult, HostCallback, Properties};
use crate::library::{LazyLibrary, Symbols};
use crate::platform::OpenError;
use crate::process;

/// Numbers that mean the same to all vendors; tests of theirs compare them with their headers.
pub mod constants {
    /// There is not that much memory.
    pub const OUT_OF_MEMORY: u32 = 2;
    /// There is no device.
    pub const NO_DEVICE: u32 = 100;
    /// The event is not past.
    pub const NOT_READY: u32 = 600;
    /// Page-locked memory that every context may use.
    pub const HOST_PORTABLE: u32 = 1;
    /// A stream that does not wait for the legacy one.
    pub const NON_BLOCKING: u32 = 1;
    /// An event with the time.
    pub const TIMING: u32 = 0;
    /// An event without the time.
    pub const DISABLE_TIMING: u32 = 2;
    /// Managed memory that every stream may use.
    pub const ATTACH_GLOBAL: u32 = 1;
    /// The host, in the place of a device.
    pub const HOST: i32 = -1;
    /// Whether a place has copies of what is mostly read, where bytes had better lie, and who uses them: what begins each, after
    /// which comes what ends it.
    pub const ADVICE: [u32; 3] = [1, 3, 5];
    /// A capture that takes what its own thread submits, and leaves other threads alone.
    pub const CAPTURE_THREAD: u32 = 1;
}
use constants::*;

/// `CUipcMemHandle` and `hipIpcMemHandle_t`, which are passed by value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct IpcHandle(pub [u8; IPC_BYTES]);

/// A kernel as a node of a graph: the fields of `CUDA_KERNEL_NODE_PARAMS_v2`, of which an older driver reads the first ones.
#[derive(Debug)]
#[repr(C)]
#[allow(missing_docs, reason = "as CUDA calls them")]
pub struct KernelNode {
    pub function: u64,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub parameters: *const *const u8,
    pub extra: *const u8,
    pub kernel: u64,
    pub context: u64,
}

functions! {
    /// A driver's functions. What most do stands at [`Driver`](crate::driver::Driver)'s functions of these names;
    /// `current` and `set_current` ask and say which device the thread's calls go to.
    pub struct Calls<P> {
        fn init(flags: u32);
        fn version(version: *mut i32);
        fn count(count: *mut i32);
        fn device_name(name: *mut u8, length: i32, device: i32);
        fn device_memory(bytes: *mut usize, device: i32);
        fn attribute(value: *mut i32, number: u32, device: i32);
        fn current(place: *mut P);
        fn set_current(place: P);
        fn allocate(address: *mut u64, bytes: usize);
        fn free(address: u64);
        fn memory(free: *mut usize, total: *mut usize);
        fn allocate_host(memory: *mut *mut u8, bytes: usize, flags: u32);
        fn free_host(memory: *mut u8);
        fn upload(to: u64, from: *const u8, bytes: usize, stream: u64);
        fn download(to: *mut u8, from: u64, bytes: usize, stream: u64);
        fn fill(to: u64, byte: u8, bytes: usize, stream: u64);
        fn create_stream(stream: *mut u64, flags: u32);
        fn destroy_stream(stream: u64);
        fn wait_for_stream(stream: u64);
        fn stream_waits(stream: u64, event: u64, flags: u32);
        fn create_event(event: *mut u64, flags: u32);
        fn destroy_event(event: u64);
        fn record(event: u64, stream: u64);
        fn is_completed(event: u64);
        fn wait_for_event(event: u64);
        fn load(module: *mut u64, image: *const u8);
        fn unload(module: u64);
        fn function(function: *mut u64, module: u64, name: *const u8);
        fn launch(
            function: u64, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
            shared: u32, stream: u64, parameters: *const *const u64, extra: *const u8
        );
        optional fn elapsed(milliseconds: *mut f32, from: u64, until: u64);
        optional fn is_idle(stream: u64);
        optional fn priorities(least: *mut i32, greatest: *mut i32);
        optional fn create_stream_with_priority(stream: *mut u64, flags: u32, priority: i32);
        optional fn allocate_managed(address: *mut u64, bytes: usize, flags: u32);
        optional fn prefetch(address: u64, bytes: usize, device: i32, stream: u64);
        optional fn advise(address: u64, bytes: usize, advice: u32, device: i32);
        optional fn allocation_of(first: *mut u64, bytes: *mut usize, address: u64);
        optional fn ipc_handle(handle: *mut IpcHandle, allocation: u64);
        optional fn open_ipc(allocation: *mut u64, handle: IpcHandle, flags: u32);
        optional fn close_ipc(allocation: u64);
        optional fn call_host(stream: u64, function: HostCallback, data: *mut c_void);
        optional fn peer_copy(to: u64, to_place: P, from: u64, from_place: P, bytes: usize, stream: u64);
        optional fn peer_access(place: P, flags: u32);
        optional fn launch_cooperative(
            function: u64, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
            shared: u32, stream: u64, parameters: *const *const u8
        );
        optional fn function_attribute(value: *mut i32, number: u32, function: u64);
        optional fn set_function_attribute(function: u64, number: u32, value: i32);
        optional fn occupancy(blocks: *mut i32, function: u64, block: i32, shared: usize);
        optional fn parameter(function: u64, number: usize, offset: *mut usize, bytes: *mut usize);
        optional fn create_graph(graph: *mut u64, flags: u32);
        optional fn destroy_graph(graph: u64);
        optional fn add_kernel(node: *mut u64, graph: u64, after: *const u64, count: usize, kernel: *const KernelNode);
        optional fn add_graph(node: *mut u64, graph: u64, after: *const u64, count: usize, child: u64);
        optional fn begin_capture(stream: u64, mode: u32);
        optional fn end_capture(stream: u64, graph: *mut u64);
        optional fn instantiate(exec: *mut u64, graph: u64, flags: u64);
        optional fn destroy_exec(exec: u64);
        optional fn set_kernel(exec: u64, node: u64, kernel: *const KernelNode);
        optional fn launch_graph(exec: u64, stream: u64);
        optional fn global(address: *mut u64, bytes: *mut usize, module: u64, name: *const u8);
    }
}

/// A vendor's driver: its functions, and those that no other vendor has alike.
pub type Api<V> = table::Api<V, Calls<<V as Vendor>::DeviceKey>, <V as Vendor>::Own>;

// SAFETY: an implementation of `Vendor` guarantees its names.
unsafe impl<V: Vendor> NamedBy<Calls<V::DeviceKey>> for V {
    const NAMES: Names = <V as Vendor>::NAMES;
}

/// What is a vendor's own about its driver and its devices.
///
/// # Safety
/// Names are those of the vendor's functions with the signatures of [`Calls`] and the meaning that
/// [`Driver`](crate::driver::Driver) gives them.
pub unsafe trait Vendor: fmt::Debug + Send + Sync + Sized + 'static {
    /// What calls name a device by: a context or a number.
    type DeviceKey: Copy + Default + Ord + fmt::Debug + Send + Sync;
    /// The driver's functions that no other vendor has alike.
    type Own: Symbols + Send + Sync;
    /// The run-time compiler.
    type Toolchain: Toolchain;
    /// The library for products of matrices.
    type Products: Products<Vendor = Self>;
    /// The library for Fourier transforms.
    type Transforms: Transforms<Vendor = Self>;
    /// The library for factorizations.
    type Factorizations: Factorizations<Vendor = Self>;
    /// The library for products of sparse arrays.
    type SparseMatrices: SparseMatrices<Vendor = Self>;

    /// The part of a device's name before the colon.
    const FAMILY: &'static str;
    /// What people call its devices: `CUDA`.
    const TITLE: &'static str;
    /// What people call the driver.
    const DRIVER: &'static str;
    /// What happens without it, in reports.
    const FALLBACK: &'static str;
    /// The environment variable that hides devices.
    const VISIBILITY: &'static str;
    /// What its names of architectures are.
    const ARCHITECTURE: &'static str;
    /// What it calls its functions.
    const NAMES: Names;
    /// Maximum number of threads of a launch in x.
    const MAX_THREADS: u64;
    /// Codes after which a device answers nothing any more.
    const LOST: &'static [u32];
    /// What `current` says of a thread that no device was chosen for.
    const NO_DEVICE: Option<Self::DeviceKey>;
    /// Whether a function has to ask for dynamic shared memory beyond what all may have.
    const ASKS_FOR_SHARED: bool;
    /// Whether an image must stay in memory as long as its module is loaded.
    const KEEPS_IMAGES: bool;

    /// The library for factorizations of sparse arrays, for a device, where the vendor has one.
    fn direct_solver(_context: Context<Self>) -> Option<Box<dyn DirectSolver>> {
        None
    }

    /// The report's entry of that library.
    fn report_direct_solver() -> Option<LibraryReport> {
        None
    }

    /// The driver's library.
    fn library() -> &'static LazyLibrary<Api<Self>>;

    /// What this process knows of the vendor.
    fn state() -> &'static State;

    /// Looks for the library of the vendor's profilers.
    fn ranges() -> Ranges;

    /// How to mend a driver that does not start.
    fn hint(code: u32) -> &'static str;

    /// What the driver calls a code: its name and its words, where it says them.
    fn error_strings(own: &Self::Own, code: u32) -> [Option<&'static CStr>; 2];

    /// A version's number in words.
    fn version(number: i32) -> String;

    /// The one flag with which the driver opens memory of another process: peers of its device may reach it.
    fn lazy_peer_access(own: &Self::Own) -> u32;

    /// The handle of a device.
    fn device(api: &Api<Self>, ordinal: i32) -> DriverResult<i32>;

    /// What calls name it by, from now until the process ends.
    fn device_key(api: &Api<Self>, device: i32) -> DriverResult<Self::DeviceKey>;

    /// For what its kernels are compiled.
    fn architecture(api: &Api<Self>, device: i32) -> DriverResult<String>;

    /// Whether a device has 64-bit floats, and whether it has 64-bit atomic operations, by its architecture.
    fn float64_and_atomics64(api: &Api<Self>, device: i32) -> DriverResult<[bool; 2]>;

    /// The vendor's number of an attribute.
    fn attribute_number(row: &attributes::Row) -> u32;

    /// The handle of the context in which calls name a device, if there is one.
    fn native_context(key: Self::DeviceKey) -> Option<u64>;

    /// The dialect in which kernels are written for a device.
    ///
    /// # Errors
    /// [`OpenError::Capability`]: there is none for its warps.
    fn dialect(capabilities: &Capabilities) -> Result<&'static Dialect, OpenError>;
}

impl<V: Vendor> Api<V> {
    /// The driver, initialized; once in a process.
    ///
    /// # Errors
    /// It is not there, it does not start, or this is the child of a process that has asked for it. The error says what
    /// to do.
    pub fn initialized() -> Result<&'static Self, OpenError> {
        // First: a thread that only the parent has may have been about to look for the library, or to start it.
        process::enter(V::NAMES.init.first().unwrap_or(&"open"))?;
        let found = V::library().get().map_err(Clone::clone)?;
        let api = &found.symbols;
        let Named { name: call, function: init } = api.functions.init;
        let started = V::state().started.get_or_init(|| {
            // SAFETY: a plain number.
            let code = unsafe { init(0) };
            if code == 0 {
                return Ok(());
            }
            let (path, text, hint) = (found.path.clone(), api.error_strings(code), V::hint(code));
            Err(OpenError::Start { call, path, code, text, hint })
        });
        started.clone().map(|()| api)
    }

    /// Number of devices; makes no context.
    ///
    /// # Errors
    /// As of [`Api::initialized`], or the driver fails.
    pub fn count() -> Result<u32, OpenError> {
        let api = Self::initialized()?;
        let Named { name, function } = api.functions.count;
        let mut count = 0;
        // SAFETY: it writes a number.
        match unsafe { function(&mut count) } {
            NO_DEVICE => Ok(0),
            code => Ok(api.check(name, code).map(|()| u32::try_from(count).unwrap_or(0))?),
        }
    }

    /// The version of the driver.
    pub fn version(&self) -> String {
        let mut number = 0;
        // SAFETY: it writes a number, and may be called before all other functions.
        unsafe { (self.functions.version.function)(&mut number) };
        V::version(number)
    }

    /// What the driver calls a code.
    fn error_strings(&self, code: u32) -> String {
        match V::error_strings(&self.own, code).map(|text| text.map(CStr::to_string_lossy)) {
            // Some drivers have no words but the names.
            [Some(name), Some(words)] if name != words => format!("{name}: {words}"),
            [Some(one), _] | [None, Some(one)] => one.into_owned(),
            [None, None] => "an error without a name".to_string(),
        }
    }

    /// What a code of the driver comes to.
    pub fn check(&self, call: &'static str, code: u32) -> DriverResult<()> {
        match code {
            0 => Ok(()),
            OUT_OF_MEMORY => Err(DriverError::OutOfMemory { call }),
            _ if V::LOST.contains(&code) => {
                Err(DriverError::Lost { call, code, text: self.error_strings(code) })
            }
            _ => Err(DriverError::Call { call, code, text: self.error_strings(code) }),
        }
    }

    /// A fact about a device.
    pub fn attribute(&self, device: i32, attribute: Attribute) -> DriverResult<u32> {
        let Named { name, function } = self.functions.attribute;
        let row = attributes::row(attribute).ok_or(DriverError::Missing { call: name })?;
        let number = V::attribute_number(row);
        let mut value = 0;
        // SAFETY: plain numbers; it writes one.
        self.check(name, unsafe { function(&mut value, number, device) })?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// What a device is; makes no context.
    pub fn properties(&self, device: i32) -> DriverResult<Properties> {
        let (mut text, mut memory) = ([0u8; 256], 0);
        let Named { name, function } = self.functions.device_name;
        // SAFETY: plain numbers; the last byte stays zero whatever it writes.
        self.check(name, unsafe { function(text.as_mut_ptr(), 255, device) })?;
        let Named { name, function } = self.functions.device_memory;
        // SAFETY: it writes a number.
        self.check(name, unsafe { function(&mut memory, device) })?;
        Ok(Properties {
            name: CStr::from_bytes_until_nul(&text).unwrap_or(c"").to_string_lossy().into_owned(),
            architecture: V::architecture(self, device)?,
            memory,
            multiprocessors: self.attribute(device, Attribute::MultiprocessorCount)?,
            driver_version: self.version(),
            capabilities: self.capabilities(device)?,
            limits: self.limits(device)?,
        })
    }

    fn limits(&self, device: i32) -> DriverResult<LaunchLimits> {
        let fact = |attribute| self.attribute(device, attribute);
        let unasked = fact(Attribute::MaxSharedMemoryPerBlock)? as usize;
        let asked = match V::ASKS_FOR_SHARED {
            true => fact(Attribute::MaxSharedMemoryPerBlockOptin)? as usize,
            false => unasked,
        };
        Ok(LaunchLimits {
            grid: [
                self.extent(device, Attribute::MaxGridDimX)?,
                self.extent(device, Attribute::MaxGridDimY)?,
                self.extent(device, Attribute::MaxGridDimZ)?,
            ],
            block: [
                self.extent(device, Attribute::MaxBlockDimX)?,
                self.extent(device, Attribute::MaxBlockDimY)?,
                self.extent(device, Attribute::MaxBlockDimZ)?,
            ],
            threads_per_block: fact(Attribute::MaxThreadsPerBlock)?,
            threads: V::MAX_THREADS,
            shared: asked.max(unasked),
            shared_unasked: unasked,
            constant: fact(Attribute::TotalConstantMemory)? as usize,
            multiprocessors: fact(Attribute::MultiprocessorCount)?,
            cooperative: fact(Attribute::CooperativeLaunch)? != 0,
        })
    }

    /// A limit of an extent. HIP has answered with a number beyond 31 bits, which does not fit the result, for devices without
    /// a limit.
    fn extent(&self, device: i32, attribute: Attribute) -> DriverResult<u32> {
        match self.attribute(device, attribute)? {
            0 => Ok(i32::MAX as u32),
            extent => Ok(extent),
        }
    }

    fn capabilities(&self, device: i32) -> DriverResult<Capabilities> {
        let [float64, atomics64] = V::float64_and_atomics64(self, device)?;
        Ok(Capabilities {
            warp_size: self.attribute(device, Attribute::WarpSize)?,
            max_threads_per_block: self.attribute(device, Attribute::MaxThreadsPerBlock)?,
            max_blocks: self.extent(device, Attribute::MaxGridDimX)?,
            max_threads: V::MAX_THREADS,
            float64,
            atomics64,
        })
    }
}

/// A device and the functions to reach it: what a call needs.
pub struct Context<V: Vendor> {
    /// The functions.
    pub api: &'static Api<V>,
    pub(super) place: V::DeviceKey,
}

// Not derived: that would ask the same of the vendor.
impl<V: Vendor> Clone for Context<V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Vendor> Copy for Context<V> {}

impl<V: Vendor> fmt::Debug for Context<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Context").field(&self.place).finish()
    }
}

/// While it lives, the thread's calls go to a device.
#[derive(Debug)]
pub struct Current<V: Vendor> {
    /// The device and where the thread was before, if it was elsewhere.
    left: Option<(Context<V>, V::DeviceKey)>,
}

impl<V: Vendor> Context<V> {
    /// Turns the thread's calls to the device.
    ///
    /// Where they go is asked for every time: that costs nanoseconds, and a cached answer would be wrong as soon as
    /// other code in the thread chose another device. What was chosen before is chosen again afterwards; where nothing
    /// was, this device stays.
    pub fn enter(&self, call: &'static str) -> DriverResult<Current<V>> {
        process::check(call)?;
        let Self { api, place } = *self;
        let mut before = V::DeviceKey::default();
        // SAFETY: it writes where calls go.
        api.check(call, unsafe { (api.functions.current.function)(&mut before) })?;
        if before == place {
            return Ok(Current { left: None });
        }
        // SAFETY: a device that stays open until the process ends.
        api.check(call, unsafe { (api.functions.set_current.function)(place) })?;
        Ok(Current { left: (Some(before) != V::NO_DEVICE).then_some((*self, before)) })
    }
}

impl<V: Vendor> Drop for Current<V> {
    fn drop(&mut self) {
        if let Some((context, before)) = self.left {
            // SAFETY: it was current a moment ago. That it should fail concerns its owner alone.
            unsafe { (context.api.functions.set_current.function)(before) };
        }
    }
}
