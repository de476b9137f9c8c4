//! CUDA's driver as a vendor of [`Device`]s: what is NVIDIA's own about a device and the calls to it.
//!
//! The primary context is the one that the CUDA runtime and every library over it use, so memory and streams can be
//! shared with them. It is retained once and kept until the process ends. Deliberately absent: whatever `gpu` does for
//! all vendors.

use std::ffi::CStr;
use std::sync::OnceLock;

use ndany_gpu::calls::constants::NO_DEVICE;
use ndany_gpu::calls::{self, Calls, Device, Named, PeerCopy, Questions, Vendor};
use ndany_gpu::driver::{DriverError, DriverResult, Function, Properties};
use ndany_gpu::forked;
use ndany_kernels::CUDA;

use crate::library::{self, Cuda};

/// Constants of the driver's interface that are not every vendor's.
pub(crate) mod constants {
    /// After these the context answers nothing any more.
    pub(crate) const LOST: [u32; 17] =
        [4, 46, 201, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721];
    pub(crate) const WARP_SIZE: u32 = 10;
    pub(crate) const PROCESSORS: u32 = 16;
    pub(crate) const SHARED_PER_BLOCK: u32 = 8;
    pub(crate) const THREADS_PER_PROCESSOR: u32 = 39;
    pub(crate) const CAPABILITY_MAJOR: u32 = 75;
    pub(crate) const CAPABILITY_MINOR: u32 = 76;
    pub(crate) const MAX_DYNAMIC_SHARED: u32 = 8;
}
use constants::*;

/// The driver, initialized; once in a process. The error says what to do.
pub(crate) fn initialized() -> Result<&'static Cuda, String> {
    static STARTED: OnceLock<Result<(), String>> = OnceLock::new();
    let found = library::cuda().map_err(ToString::to_string)?;
    let cuda = &found.symbols;
    let started = STARTED.get_or_init(|| {
        forked::watch();
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
    started.clone()?;
    forked::check("cuInit").map_err(|error| error.to_string())?;
    Ok(cuda)
}

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
    calls::check(call, code, &LOST, |code| words(cuda, code))
}

/// The driver and a device's context: what a call needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    cuda: &'static Cuda,
    handle: u64,
}

/// While it lives, the thread's current context is the device's.
#[derive(Debug)]
pub struct Current {
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
        forked::check(call)?;
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
pub type CudaDriver = Device<Nvidia>;

/// What is NVIDIA's own about a device.
#[derive(Debug)]
pub struct Nvidia {
    context: Context,
    calls: Calls,
}

impl Nvidia {
    /// Opens a device by its number.
    ///
    /// # Errors
    /// Why there is no such device, and how to mend it.
    pub fn open(ordinal: u32) -> Result<CudaDriver, String> {
        let there = count()?;
        let ordinal = i32::try_from(ordinal).ok().filter(|&ordinal| ordinal < there);
        let ordinal = ordinal.ok_or_else(|| {
            format!("there are {there} CUDA devices, numbered from 0 (CUDA_VISIBLE_DEVICES may hide some)")
        })?;
        let cuda = initialized()?;
        let (device, properties) = properties(cuda, ordinal).map_err(|error| error.to_string())?;
        // One of them is in every driver.
        let elapsed = cuda.cuEventElapsedTime_v2.or(cuda.cuEventElapsedTime);
        let elapsed = elapsed.ok_or("the driver lacks cuEventElapsedTime: update it")?;
        let mut handle = 0;
        // SAFETY: a device of the driver; it writes a handle.
        check(cuda, "cuDevicePrimaryCtxRetain", unsafe {
            (cuda.cuDevicePrimaryCtxRetain)(&mut handle, device)
        })
        .map_err(|error| error.to_string())?;
        let calls = ndany_gpu::calls! {
            cuda;
            allocate: cuMemAlloc_v2,
            free: cuMemFree_v2,
            memory: cuMemGetInfo_v2,
            allocate_host: cuMemHostAlloc,
            free_host: cuMemFreeHost,
            address_of_host: cuMemHostGetDevicePointer_v2,
            upload: cuMemcpyHtoDAsync_v2,
            download: cuMemcpyDtoHAsync_v2,
            copy: cuMemcpyDtoDAsync_v2,
            fill: cuMemsetD8Async,
            create_stream: cuStreamCreate,
            destroy_stream: cuStreamDestroy_v2,
            wait_for_stream: cuStreamSynchronize,
            stream_waits: cuStreamWaitEvent,
            create_event: cuEventCreate,
            destroy_event: cuEventDestroy_v2,
            record: cuEventRecord,
            is_past: cuEventQuery,
            wait_for_event: cuEventSynchronize,
            load: cuModuleLoadData,
            unload: cuModuleUnload,
            function: cuModuleGetFunction,
            occupancy: cuOccupancyMaxActiveBlocksPerMultiprocessor,
            launch: cuLaunchKernel;
            milliseconds = Named { name: "cuEventElapsedTime", function: elapsed }
        };
        let vendor = Self { context: Context { cuda, handle }, calls };
        Ok(Device::new(vendor, &CUDA, format!("cuda:{ordinal}"), properties))
    }

    pub(crate) fn context(&self) -> Context {
        self.context
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
    let questions = Questions {
        name: Named { name: "cuDeviceGetName", function: cuda.cuDeviceGetName },
        memory: Named { name: "cuDeviceTotalMem_v2", function: cuda.cuDeviceTotalMem_v2 },
        attribute: Named { name: "cuDeviceGetAttribute", function: cuda.cuDeviceGetAttribute },
        lanes: WARP_SIZE,
        processors: PROCESSORS,
        threads_per_processor: THREADS_PER_PROCESSOR,
        shared_per_block: SHARED_PER_BLOCK,
    };
    let check = |call, code| check(cuda, call, code);
    // SAFETY: as above.
    let attribute = |number| unsafe { questions.attribute(device, number, check) };
    let [major, minor] = [attribute(CAPABILITY_MAJOR)?, attribute(CAPABILITY_MINOR)?];
    let architecture = format!("sm_{major}{minor}");
    // SAFETY: as above.
    let properties = unsafe { questions.properties(device, architecture, version(cuda), check) }?;
    Ok((device, properties))
}

// SAFETY: the driver's functions, whose signatures a test compares with other bindings; libraries are never closed.
unsafe impl Vendor for Nvidia {
    type Current = Current;
    type Place = u64;

    fn calls(&self) -> &Calls {
        &self.calls
    }

    fn enter(&self, call: &'static str) -> DriverResult<Current> {
        self.context.enter(call)
    }

    fn check(&self, call: &'static str, code: u32) -> DriverResult<()> {
        check(self.context.cuda, call, code)
    }

    fn place(&self) -> u64 {
        self.context.handle
    }

    fn peer_copy(&self) -> Named<Option<PeerCopy<u64>>> {
        Named { name: "cuMemcpyPeerAsync", function: self.context.cuda.cuMemcpyPeerAsync }
    }

    fn peer_access(&self) -> Option<unsafe extern "C" fn(u64, u32) -> u32> {
        self.context.cuda.cuCtxEnablePeerAccess
    }

    unsafe fn ask_for_shared(&self, function: Function, bytes: u32) -> DriverResult<()> {
        let call = "cuFuncSetAttribute";
        let _current = self.enter(call)?;
        let cuda = self.context.cuda;
        let set = cuda.cuFuncSetAttribute.ok_or(DriverError::Missing { call })?;
        // SAFETY: the caller's.
        check(cuda, call, unsafe { set(function.0, MAX_DYNAMIC_SHARED, bytes as i32) })
    }
}

#[cfg(test)]
mod tests {
    use cudarc::driver::sys;

    use ndany_gpu::calls::constants as shared;

    use super::constants;

    #[test]
    fn constants_are_those_of_other_bindings() {
        use sys::CUdevice_attribute_enum as Attribute;
        use sys::cudaError_enum as Code;
        assert_eq!(shared::OUT_OF_MEMORY, Code::CUDA_ERROR_OUT_OF_MEMORY as u32);
        assert_eq!(shared::NO_DEVICE, Code::CUDA_ERROR_NO_DEVICE as u32);
        assert_eq!(shared::NOT_READY, Code::CUDA_ERROR_NOT_READY as u32);
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
        assert_eq!(shared::HOST_PORTABLE, sys::CU_MEMHOSTALLOC_PORTABLE);
        assert_eq!(shared::HOST_MAPPED, sys::CU_MEMHOSTALLOC_DEVICEMAP);
        assert_eq!(shared::NON_BLOCKING, sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32);
        assert_eq!(shared::DISABLE_TIMING, sys::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING as u32);
        let dynamic =
            sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        assert_eq!(constants::MAX_DYNAMIC_SHARED, dynamic as u32);
    }
}
