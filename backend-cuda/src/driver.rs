//! The CUDA driver as a [`Driver`]: one device, through its primary context.
//!
//! The primary context is the one that the CUDA runtime and every library over it use, so memory and streams can be
//! shared with them. It is retained once and kept until the process ends. Deliberately absent: whatever `gpu` does for
//! all vendors.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use ndany_gpu::driver::{
    Address, Call, Driver, DriverError, DriverResult, Event, Function, Module, Properties, Stream,
};
use ndany_kernels::{CUDA, Dialect};

use crate::library::{self, Cuda};

/// Constants of the driver's interface.
pub(crate) mod constants {
    pub(crate) const OUT_OF_MEMORY: u32 = 2;
    pub(crate) const NO_DEVICE: u32 = 100;
    pub(crate) const NOT_READY: u32 = 600;
    /// After these the context answers nothing any more.
    pub(crate) const LOST: [u32; 17] =
        [4, 46, 201, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721];
    pub(crate) const WARP_SIZE: u32 = 10;
    pub(crate) const PROCESSORS: u32 = 16;
    pub(crate) const SHARED_PER_BLOCK: u32 = 8;
    pub(crate) const THREADS_PER_PROCESSOR: u32 = 39;
    pub(crate) const CAPABILITY_MAJOR: u32 = 75;
    pub(crate) const CAPABILITY_MINOR: u32 = 76;
    /// Page-locked memory that every context may use, and that has an address on the device.
    pub(crate) const HOST_PORTABLE: u32 = 1;
    pub(crate) const HOST_MAPPED: u32 = 2;
    /// A stream that does not wait for the legacy one.
    pub(crate) const NON_BLOCKING: u32 = 1;
    pub(crate) const DISABLE_TIMING: u32 = 2;
    pub(crate) const MAX_DYNAMIC_SHARED: u32 = 8;
}
use constants::*;

/// Set in a child that was forked after the driver was initialized, which must not call it.
static FORKED: AtomicBool = AtomicBool::new(false);

/// The driver, initialized; once in a process. The error says what to do.
pub(crate) fn initialized() -> Result<&'static Cuda, String> {
    static STARTED: OnceLock<Result<(), String>> = OnceLock::new();
    let found = library::cuda().map_err(ToString::to_string)?;
    let cuda = &found.symbols;
    let started = STARTED.get_or_init(|| {
        mark_forks();
        // SAFETY: a plain number.
        let code = unsafe { (cuda.cuInit)(0) };
        let remedy = match code {
            0 => return Ok(()),
            34 => {
                "this is the toolkit's stub, not the driver: take its folder off the loader's path"
            }
            NO_DEVICE => "the driver sees no GPU (CUDA_VISIBLE_DEVICES may hide it)",
            803 | 804 => {
                "restart the machine after an update, or remove the compatibility libraries"
            }
            999 => "see whether nvidia-smi works",
            _ => "update the driver",
        };
        let path =
            found.path.as_ref().map_or(String::new(), |path| format!(" of {}", path.display()));
        Err(format!("cuInit{path}: {} ({code}): {remedy}", words(cuda, code)))
    });
    match started {
        Ok(()) if FORKED.load(Ordering::Relaxed) => {
            Err(DriverError::Forked { call: "cuInit" }.to_string())
        }
        Ok(()) => Ok(cuda),
        Err(reason) => Err(reason.clone()),
    }
}

#[cfg(unix)]
fn mark_forks() {
    extern "C" fn in_child() {
        FORKED.store(true, Ordering::Relaxed);
    }
    // SAFETY: the handler only stores a flag, which a child of a process with threads may do. Without memory for
    // the handler forks go unnoticed, and the driver answers with errors of its own.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
}

#[cfg(not(unix))]
fn mark_forks() {}

/// Number of devices; makes no context.
pub(crate) fn count() -> Result<i32, String> {
    let cuda = initialized()?;
    let mut count = 0;
    // SAFETY: it writes a number.
    check(cuda, "cuDeviceGetCount", unsafe { (cuda.cuDeviceGetCount)(&mut count) })
        .map_err(|error| error.to_string())?;
    Ok(count)
}

/// What the driver calls a result.
fn words(cuda: &Cuda, code: u32) -> String {
    let text = |function: Option<unsafe extern "C" fn(u32, *mut *const u8) -> u32>| {
        let mut text = std::ptr::null();
        // SAFETY: it takes any number and writes the address of a constant text, or none.
        let known = unsafe { function?(code, &mut text) } == 0 && !text.is_null();
        // SAFETY: so it is one.
        known.then(|| unsafe { CStr::from_ptr(text.cast()) }.to_string_lossy().into_owned())
    };
    match (text(cuda.cuGetErrorName), text(cuda.cuGetErrorString)) {
        (Some(name), Some(words)) => format!("{name}: {words}"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => "an error that the driver does not name".to_string(),
    }
}

fn check(cuda: &Cuda, call: &'static str, code: u32) -> DriverResult<()> {
    match code {
        0 => Ok(()),
        OUT_OF_MEMORY => Err(DriverError::OutOfMemory { call }),
        _ if LOST.contains(&code) => Err(DriverError::Lost { call, code, text: words(cuda, code) }),
        _ => Err(DriverError::Call { call, code, text: words(cuda, code) }),
    }
}

/// The driver and a device's context: what a call needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    cuda: &'static Cuda,
    handle: u64,
}

/// While it lives, the thread's current context is the device's.
#[derive(Debug)]
pub(crate) struct Current {
    cuda: &'static Cuda,
    before: u64,
}

impl Context {
    /// Makes the context current where it is not.
    ///
    /// The thread's current context is asked for every time: that costs nanoseconds, and a memo would be wrong as
    /// soon as another library of the process changed it. A context of somebody else is put back afterwards; where
    /// there was none, ours stays.
    pub(crate) fn enter(&self, call: &'static str) -> DriverResult<Current> {
        if FORKED.load(Ordering::Relaxed) {
            return Err(DriverError::Forked { call });
        }
        let mut before = 0;
        // SAFETY: it writes a handle.
        check(self.cuda, call, unsafe { (self.cuda.cuCtxGetCurrent)(&mut before) })?;
        if before == self.handle {
            return Ok(Current { cuda: self.cuda, before: 0 });
        }
        // SAFETY: a context that was retained for the life of the process.
        check(self.cuda, call, unsafe { (self.cuda.cuCtxSetCurrent)(self.handle) })?;
        Ok(Current { cuda: self.cuda, before })
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        if self.before != 0 {
            // SAFETY: it was current a moment ago. That it should fail concerns its owner alone.
            unsafe { (self.cuda.cuCtxSetCurrent)(self.before) };
        }
    }
}

/// A CUDA device.
#[derive(Debug)]
pub struct CudaDriver {
    context: Context,
    name: String,
    properties: Properties,
    /// Contexts whose memory this device reaches directly.
    peers: Mutex<BTreeSet<u64>>,
}

/// Calls a function of the driver in the device's context.
macro_rules! call {
    ($self:ident.$function:ident($($argument:expr),* $(,)?)) => {{
        let cuda = $self.context.cuda;
        let call = stringify!($function);
        let _current = $self.context.enter(call)?;
        // SAFETY: arguments are numbers, places of this frame that the function fills, or handles and addresses that
        // the caller vouches for (see `Driver`); the signature is the vendor's (see `library`).
        check(cuda, call, unsafe { (cuda.$function)($($argument),*) })
    }};
}

impl CudaDriver {
    /// Opens a device by its number.
    ///
    /// # Errors
    /// Why there is no such device, and how to mend it.
    pub fn open(ordinal: u32) -> Result<Self, String> {
        let there = count()?;
        let ordinal = i32::try_from(ordinal).ok().filter(|&ordinal| ordinal < there);
        let ordinal = ordinal.ok_or_else(|| {
            format!("there are {there} CUDA devices, numbered from 0 (CUDA_VISIBLE_DEVICES may hide some)")
        })?;
        let cuda = initialized()?;
        let (device, properties) = properties(cuda, ordinal).map_err(|error| error.to_string())?;
        let mut handle = 0;
        // SAFETY: a device of the driver; it writes a handle.
        check(cuda, "cuDevicePrimaryCtxRetain", unsafe {
            (cuda.cuDevicePrimaryCtxRetain)(&mut handle, device)
        })
        .map_err(|error| error.to_string())?;
        let context = Context { cuda, handle };
        Ok(Self { context, name: format!("cuda:{ordinal}"), properties, peers: Mutex::default() })
    }

    pub(crate) fn context(&self) -> Context {
        self.context
    }

    /// Lets this device reach the other's memory directly where it can; copies go through the host otherwise.
    fn reach(&self, peer: u64) {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if let (true, Some(enable)) = (peers.insert(peer), self.context.cuda.cuCtxEnablePeerAccess)
        {
            // SAFETY: a context that was retained for the life of the process; ours is current. Devices that cannot
            // reach each other say so, and so do those for which somebody has already asked.
            unsafe { enable(peer, 0) };
        }
    }
}

/// The newest CUDA that the driver serves.
pub(crate) fn version(cuda: &Cuda) -> String {
    let mut version = 0;
    // SAFETY: it writes a number, and may be called before all other functions.
    unsafe { (cuda.cuDriverGetVersion)(&mut version) };
    format!("CUDA {}.{}", version / 1000, version % 1000 / 10)
}

/// What a device is, and its handle; makes no context.
pub(crate) fn properties(cuda: &Cuda, ordinal: i32) -> DriverResult<(i32, Properties)> {
    let mut device = 0;
    // SAFETY: here and below: plain numbers, and places of this frame that are filled.
    check(cuda, "cuDeviceGet", unsafe { (cuda.cuDeviceGet)(&mut device, ordinal) })?;
    let attribute = |attribute: u32| -> DriverResult<u32> {
        let mut value = 0;
        // SAFETY: as above.
        let code = unsafe { (cuda.cuDeviceGetAttribute)(&mut value, attribute, device) };
        check(cuda, "cuDeviceGetAttribute", code)?;
        Ok(u32::try_from(value).unwrap_or(0))
    };
    let mut name = [0u8; 256];
    // SAFETY: as above; the last byte stays zero whatever it writes.
    let code = unsafe { (cuda.cuDeviceGetName)(name.as_mut_ptr(), 255, device) };
    check(cuda, "cuDeviceGetName", code)?;
    let mut memory = 0;
    // SAFETY: as above.
    check(cuda, "cuDeviceTotalMem_v2", unsafe { (cuda.cuDeviceTotalMem_v2)(&mut memory, device) })?;
    let [major, minor] = [attribute(CAPABILITY_MAJOR)?, attribute(CAPABILITY_MINOR)?];
    let properties = Properties {
        name: CStr::from_bytes_until_nul(&name).unwrap_or(c"").to_string_lossy().into_owned(),
        architecture: format!("sm_{major}{minor}"),
        memory,
        processors: attribute(PROCESSORS)?,
        lanes: attribute(WARP_SIZE)?,
        threads_per_processor: attribute(THREADS_PER_PROCESSOR)?,
        shared_per_block: attribute(SHARED_PER_BLOCK)? as usize,
        driver_version: version(cuda),
    };
    Ok((device, properties))
}

impl Driver for CudaDriver {
    fn dialect(&self) -> &'static Dialect {
        &CUDA
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: usize) -> DriverResult<Address> {
        let mut address = 0;
        call!(self.cuMemAlloc_v2(&mut address, bytes))?;
        Ok(address)
    }

    unsafe fn free(&self, address: Address) -> DriverResult<()> {
        call!(self.cuMemFree_v2(address))
    }

    fn memory(&self) -> DriverResult<[usize; 2]> {
        let (mut free, mut total) = (0, 0);
        call!(self.cuMemGetInfo_v2(&mut free, &mut total))?;
        Ok([free, total])
    }

    fn allocate_host(&self, bytes: usize) -> DriverResult<*mut u8> {
        let mut memory = std::ptr::null_mut();
        call!(self.cuMemHostAlloc(&mut memory, bytes, HOST_PORTABLE | HOST_MAPPED))?;
        Ok(memory)
    }

    unsafe fn free_host(&self, memory: *mut u8) -> DriverResult<()> {
        call!(self.cuMemFreeHost(memory))
    }

    unsafe fn address_of_host(&self, memory: *mut u8) -> DriverResult<Address> {
        let mut address = 0;
        call!(self.cuMemHostGetDevicePointer_v2(&mut address, memory, 0))?;
        Ok(address)
    }

    unsafe fn upload(
        &self,
        to: Address,
        from: *const u8,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()> {
        call!(self.cuMemcpyHtoDAsync_v2(to, from, bytes, stream.0))
    }

    unsafe fn download(
        &self,
        to: *mut u8,
        from: Address,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()> {
        call!(self.cuMemcpyDtoHAsync_v2(to, from, bytes, stream.0))
    }

    unsafe fn copy(
        &self,
        to: Address,
        from: Address,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()> {
        call!(self.cuMemcpyDtoDAsync_v2(to, from, bytes, stream.0))
    }

    unsafe fn copy_from_peer(
        &self,
        to: Address,
        from: Address,
        peer: &Self,
        bytes: usize,
        stream: Stream,
    ) -> DriverResult<()> {
        let call = "cuMemcpyPeerAsync";
        let _current = self.context.enter(call)?;
        let Context { cuda, handle } = self.context;
        let copy = cuda.cuMemcpyPeerAsync.ok_or(DriverError::Missing { call })?;
        self.reach(peer.context.handle);
        // SAFETY: the caller's, as in `call!`; both contexts live as long as the process.
        check(cuda, call, unsafe { copy(to, handle, from, peer.context.handle, bytes, stream.0) })
    }

    unsafe fn fill(&self, to: Address, byte: u8, bytes: usize, stream: Stream) -> DriverResult<()> {
        call!(self.cuMemsetD8Async(to, byte, bytes, stream.0))
    }

    fn create_stream(&self) -> DriverResult<Stream> {
        let mut stream = 0;
        call!(self.cuStreamCreate(&mut stream, NON_BLOCKING))?;
        Ok(Stream(stream))
    }

    unsafe fn destroy_stream(&self, stream: Stream) -> DriverResult<()> {
        call!(self.cuStreamDestroy_v2(stream.0))
    }

    unsafe fn wait_for_stream(&self, stream: Stream) -> DriverResult<()> {
        call!(self.cuStreamSynchronize(stream.0))
    }

    fn create_event(&self, timed: bool) -> DriverResult<Event> {
        let mut event = 0;
        call!(self.cuEventCreate(&mut event, if timed { 0 } else { DISABLE_TIMING }))?;
        Ok(Event(event))
    }

    unsafe fn destroy_event(&self, event: Event) -> DriverResult<()> {
        call!(self.cuEventDestroy_v2(event.0))
    }

    unsafe fn record(&self, event: Event, stream: Stream) -> DriverResult<()> {
        call!(self.cuEventRecord(event.0, stream.0))
    }

    unsafe fn is_past(&self, event: Event) -> DriverResult<bool> {
        match call!(self.cuEventQuery(event.0)) {
            Ok(()) => Ok(true),
            Err(DriverError::Call { code: NOT_READY, .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    unsafe fn wait_for_event(&self, event: Event) -> DriverResult<()> {
        call!(self.cuEventSynchronize(event.0))
    }

    unsafe fn stream_waits(&self, stream: Stream, event: Event) -> DriverResult<()> {
        call!(self.cuStreamWaitEvent(stream.0, event.0, 0))
    }

    unsafe fn milliseconds(&self, from: Event, to: Event) -> DriverResult<f32> {
        let call = "cuEventElapsedTime";
        let _current = self.context.enter(call)?;
        let cuda = self.context.cuda;
        let elapsed = cuda.cuEventElapsedTime_v2.or(cuda.cuEventElapsedTime);
        let elapsed = elapsed.ok_or(DriverError::Missing { call })?;
        let mut milliseconds = 0.0;
        // SAFETY: the caller's, as in `call!`.
        check(cuda, call, unsafe { elapsed(&mut milliseconds, from.0, to.0) })?;
        Ok(milliseconds)
    }

    fn load(&self, image: &[u8]) -> DriverResult<Module> {
        let mut module = 0;
        call!(self.cuModuleLoadData(&mut module, image.as_ptr()))?;
        Ok(Module(module))
    }

    unsafe fn unload(&self, module: Module) -> DriverResult<()> {
        call!(self.cuModuleUnload(module.0))
    }

    unsafe fn function(&self, module: Module, name: &str) -> DriverResult<Function> {
        let name = CString::new(name).unwrap_or_default();
        let mut function = 0;
        call!(self.cuModuleGetFunction(&mut function, module.0, name.as_ptr().cast()))?;
        Ok(Function(function))
    }

    unsafe fn occupancy(&self, function: Function, block: u32, shared: u32) -> DriverResult<u32> {
        let mut blocks = 0;
        let (block, shared) = (block as i32, shared as usize);
        call!(self.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &mut blocks,
            function.0,
            block,
            shared
        ))?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    unsafe fn launch(&self, call: &Call, arguments: &[u64]) -> DriverResult<()> {
        // The driver copies the words before it returns.
        let parameters = [arguments.as_ptr()];
        let Call { function, grid, block, shared, stream } = *call;
        if shared as usize > self.properties.shared_per_block {
            let call = "cuFuncSetAttribute";
            let _current = self.context.enter(call)?;
            let cuda = self.context.cuda;
            let set = cuda.cuFuncSetAttribute.ok_or(DriverError::Missing { call })?;
            // SAFETY: the caller's, as in `call!`.
            check(cuda, call, unsafe { set(function.0, MAX_DYNAMIC_SHARED, shared as i32) })?;
        }
        call!(self.cuLaunchKernel(
            function.0,
            grid[0],
            grid[1],
            1,
            block,
            1,
            1,
            shared,
            stream.0,
            parameters.as_ptr(),
            std::ptr::null()
        ))
    }
}

#[cfg(test)]
mod tests {
    use cudarc::driver::sys;

    use super::constants;

    #[test]
    fn constants_are_those_of_other_bindings() {
        use sys::CUdevice_attribute_enum as Attribute;
        use sys::cudaError_enum as Code;
        assert_eq!(constants::OUT_OF_MEMORY, Code::CUDA_ERROR_OUT_OF_MEMORY as u32);
        assert_eq!(constants::NO_DEVICE, Code::CUDA_ERROR_NO_DEVICE as u32);
        assert_eq!(constants::NOT_READY, Code::CUDA_ERROR_NOT_READY as u32);
        let lost = [
            Code::CUDA_ERROR_DEINITIALIZED,
            Code::CUDA_ERROR_DEVICE_UNAVAILABLE,
            Code::CUDA_ERROR_INVALID_CONTEXT,
            Code::CUDA_ERROR_ECC_UNCORRECTABLE,
            Code::CUDA_ERROR_NVLINK_UNCORRECTABLE,
            Code::CUDA_ERROR_CONTAINED,
            Code::CUDA_ERROR_ILLEGAL_ADDRESS,
            Code::CUDA_ERROR_LAUNCH_TIMEOUT,
            Code::CUDA_ERROR_CONTEXT_IS_DESTROYED,
            Code::CUDA_ERROR_ASSERT,
            Code::CUDA_ERROR_HARDWARE_STACK_ERROR,
            Code::CUDA_ERROR_ILLEGAL_INSTRUCTION,
            Code::CUDA_ERROR_MISALIGNED_ADDRESS,
            Code::CUDA_ERROR_INVALID_ADDRESS_SPACE,
            Code::CUDA_ERROR_INVALID_PC,
            Code::CUDA_ERROR_LAUNCH_FAILED,
            Code::CUDA_ERROR_TENSOR_MEMORY_LEAK,
        ];
        assert_eq!(constants::LOST, lost.map(|code| code as u32));
        let attributes = [
            (constants::WARP_SIZE, Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE),
            (constants::PROCESSORS, Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
            (
                constants::SHARED_PER_BLOCK,
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
            ),
            (
                constants::THREADS_PER_PROCESSOR,
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
            ),
            (constants::CAPABILITY_MAJOR, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
            (constants::CAPABILITY_MINOR, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        ];
        for (ours, theirs) in attributes {
            assert_eq!(ours, theirs as u32, "{theirs:?}");
        }
        assert_eq!(constants::HOST_PORTABLE, sys::CU_MEMHOSTALLOC_PORTABLE);
        assert_eq!(constants::HOST_MAPPED, sys::CU_MEMHOSTALLOC_DEVICEMAP);
        assert_eq!(
            constants::NON_BLOCKING,
            sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32
        );
        assert_eq!(
            constants::DISABLE_TIMING,
            sys::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING as u32
        );
        let shared =
            sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        assert_eq!(constants::MAX_DYNAMIC_SHARED, shared as u32);
    }
}
