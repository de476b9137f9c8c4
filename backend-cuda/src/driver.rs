//! What is NVIDIA's own about its driver and its devices.
//!
//! Calls name a device by its primary context, which is the one that the CUDA runtime and every library over it use, so
//! memory and streams can be shared with them. It is retained once and kept until the process ends.

use std::ffi::CStr;

use ndany_gpu::driver::{DriverError, DriverResult, Function};
use ndany_gpu::library::Sought;
use ndany_gpu::vendor::api::constants::NO_DEVICE;
use ndany_gpu::vendor::api::{Api, Attributes, Context, Names};
use ndany_gpu::vendor::provider::State;
use ndany_gpu::vendor::{OpenError, Vendor};
use ndany_kernels::{CUDA, Dialect};

use crate::blas::Cublas;
use crate::compiler::Nvrtc;
use crate::fft::Cufft;
use crate::library;
use crate::solver::Cusolver;

#[cfg(test)]
use cudarc::driver::sys as bindings;

ndany_gpu::names! {
    const NAMES: api<u64>, compared with bindings by signatures_are_those_of_other_bindings;
    init: cuInit,
    version: cuDriverGetVersion,
    count: cuDeviceGetCount,
    device_name: cuDeviceGetName,
    device_memory: cuDeviceTotalMem_v2,
    attribute: cuDeviceGetAttribute,
    current: cuCtxGetCurrent,
    set_current: cuCtxSetCurrent,
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
    // CUDA 13 has the first besides the second, of the same meaning.
    milliseconds: cuEventElapsedTime_v2 | cuEventElapsedTime,
    load: cuModuleLoadData,
    unload: cuModuleUnload,
    function: cuModuleGetFunction,
    occupancy: cuOccupancyMaxActiveBlocksPerMultiprocessor,
    launch: cuLaunchKernel,
    peer_copy: cuMemcpyPeerAsync,
    peer_access: cuCtxEnablePeerAccess,
}

ndany_gpu::symbols! {
    /// What no other vendor has alike. Contexts are handles.
    pub struct Own checked by bindings {
        fn cuDeviceGet(device: *mut i32, ordinal: i32) -> u32;
        fn cuDevicePrimaryCtxRetain(context: *mut u64, device: i32) -> u32;
        optional fn cuGetErrorName(code: u32, text: *mut *const u8) -> u32;
        optional fn cuGetErrorString(code: u32, text: *mut *const u8) -> u32;
        optional fn cuFuncSetAttribute(function: u64, attribute: u32, value: i32) -> u32;
    }
}

/// The attributes of the compute capability.
const CAPABILITY: [u32; 2] = [75, 76];

/// The attribute of a function that says how much shared memory a launch may ask for.
const MAX_DYNAMIC_SHARED: u32 = 8;

/// NVIDIA, whose devices have contexts and warps of 32 lanes.
#[derive(Debug)]
pub struct Nvidia;

// SAFETY: tests compare signatures and numbers with bindings of someone else's making.
unsafe impl Vendor for Nvidia {
    type Place = u64;
    type Own = Own;
    type Toolchain = Nvrtc;
    type Products = Cublas;
    type Transforms = Cufft;
    type Factorizations = Cusolver;

    const FAMILY: &'static str = "cuda";
    const TITLE: &'static str = "CUDA";
    const DRIVER: &'static str = "driver";
    const WITHOUT: &'static str = "no CUDA device opens; the other devices run everything";
    const HIDES: &'static str = "CUDA_VISIBLE_DEVICES";
    const ARCHITECTURE: &'static str = "compute capability";
    const NAMES: Names = NAMES;
    /// The number of blocks alone is limited.
    const MOST_THREADS: u64 = u64::MAX;
    /// Those of which NVIDIA's documentation says that all further work fails and the process must be started anew, or that
    /// the context is gone. Not among them are 46, a device that is unavailable at the moment, since another process may hold
    /// it and give it back; and 999, an unknown error, which promises nothing: each later call answers for itself, with 999
    /// again if the context is gone, and no value is read without such an answer.
    const LOST: &'static [u32] =
        &[4, 201, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721];
    const ATTRIBUTES: Attributes =
        Attributes { lanes: 10, processors: 16, threads_per_processor: 39, shared_per_block: 8 };
    const NOWHERE: Option<u64> = Some(0);
    const KEEPS_IMAGES: bool = false;

    fn library() -> &'static Sought<Api<Self>> {
        &library::CUDA
    }

    fn state() -> &'static State {
        static STATE: State = State::new();
        &STATE
    }

    fn remedy(code: u32) -> &'static str {
        match code {
            34 => {
                "this is the toolkit's stub, not the driver: take its folder off the loader's path"
            }
            NO_DEVICE => "the driver sees no GPU (CUDA_VISIBLE_DEVICES may hide it)",
            803 | 804 => {
                "restart the machine after an update, or remove the compatibility libraries"
            }
            999 => "see whether nvidia-smi works",
            _ => "update the driver",
        }
    }

    fn words(own: &Own, code: u32) -> [Option<&'static CStr>; 2] {
        [own.cuGetErrorName, own.cuGetErrorString].map(|function| {
            let mut text = std::ptr::null();
            // SAFETY: it takes any number and writes the address of a constant text, or none.
            let known = unsafe { function?(code, &mut text) } == 0 && !text.is_null();
            // SAFETY: so it is one.
            known.then(|| unsafe { CStr::from_ptr(text.cast()) })
        })
    }

    /// The newest CUDA that the driver serves.
    fn version(number: i32) -> String {
        format!("CUDA {}.{}", number / 1000, number % 1000 / 10)
    }

    fn device(api: &Api<Self>, ordinal: i32) -> DriverResult<i32> {
        let mut device = 0;
        // SAFETY: a number; it writes one.
        api.check("cuDeviceGet", unsafe { (api.own.cuDeviceGet)(&mut device, ordinal) })?;
        Ok(device)
    }

    fn place(api: &Api<Self>, device: i32) -> DriverResult<u64> {
        let mut context = 0;
        // SAFETY: a device of the driver; it writes a handle.
        let code = unsafe { (api.own.cuDevicePrimaryCtxRetain)(&mut context, device) };
        api.check("cuDevicePrimaryCtxRetain", code)?;
        Ok(context)
    }

    fn architecture(api: &Api<Self>, device: i32) -> DriverResult<String> {
        let [major, minor] = CAPABILITY.map(|number| api.attribute(device, number));
        Ok(format!("sm_{}{}", major?, minor?))
    }

    fn dialect(_: u32) -> Result<&'static Dialect, OpenError> {
        Ok(&CUDA)
    }

    unsafe fn ask_for_shared(
        at: &Context<Self>,
        function: Function,
        bytes: u32,
    ) -> DriverResult<()> {
        let call = "cuFuncSetAttribute";
        let _current = at.enter(call)?;
        let set = at.api.own.cuFuncSetAttribute.ok_or(DriverError::Missing { call })?;
        // SAFETY: the caller's.
        let code = unsafe { set(function.0, MAX_DYNAMIC_SHARED, bytes as i32) };
        at.api.check(call, code)
    }
}

#[cfg(test)]
mod tests {
    use cudarc::driver::sys;

    use ndany_gpu::vendor::api::constants as shared;

    use super::*;

    #[test]
    fn constants_are_those_of_other_bindings() {
        use sys::CUdevice_attribute_enum as Attribute;
        use sys::cudaError_enum as Code;
        assert_eq!(shared::OUT_OF_MEMORY, Code::CUDA_ERROR_OUT_OF_MEMORY as u32);
        assert_eq!(shared::NO_DEVICE, Code::CUDA_ERROR_NO_DEVICE as u32);
        assert_eq!(shared::NOT_READY, Code::CUDA_ERROR_NOT_READY as u32);
        let lost = [
            Code::CUDA_ERROR_DEINITIALIZED,
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
        assert_eq!(Nvidia::LOST, lost.map(|code| code as u32));
        for passing in [Code::CUDA_ERROR_DEVICE_UNAVAILABLE, Code::CUDA_ERROR_UNKNOWN] {
            assert!(!Nvidia::LOST.contains(&(passing as u32)), "{passing:?}");
        }
        let attributes = [
            (Nvidia::ATTRIBUTES.lanes, Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE),
            (Nvidia::ATTRIBUTES.processors, Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
            (
                Nvidia::ATTRIBUTES.shared_per_block,
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
            ),
            (
                Nvidia::ATTRIBUTES.threads_per_processor,
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
            ),
            (CAPABILITY[0], Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
            (CAPABILITY[1], Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
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
        assert_eq!(MAX_DYNAMIC_SHARED, dynamic as u32);
    }
}
