//! What is NVIDIA's own about its driver and its devices.
//!
//! Calls name a device by its primary context, which is the one that the CUDA runtime and every library over it use, so
//! memory and streams can be shared with them. It is retained once and kept until the process ends.

use std::ffi::CStr;

use ndany_core::LibraryReport;
use ndany_core::backend::Attribute;
use ndany_core::ranges::Ranges;
use ndany_gpu::direct::DirectSolver;
use ndany_gpu::driver::{Capabilities, DriverResult};
use ndany_gpu::library::LazyLibrary;
use ndany_gpu::platform::OpenError;
use ndany_gpu::vendor::api::constants::NO_DEVICE;
use ndany_gpu::vendor::api::{Api, Context, Names};
use ndany_gpu::vendor::attributes::Row;
use ndany_gpu::vendor::{State, Vendor};
use ndany_kernels::{CUDA, Dialect};

use crate::blas::Cublas;
use crate::compiler::Nvrtc;
use crate::fft::Cufft;
use crate::solver::Cusolver;
use crate::sparse::Cusparse;
use crate::{direct, library};

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
    upload: cuMemcpyHtoDAsync_v2,
    download: cuMemcpyDtoHAsync_v2,
    fill: cuMemsetD8Async,
    create_stream: cuStreamCreate,
    destroy_stream: cuStreamDestroy_v2,
    wait_for_stream: cuStreamSynchronize,
    stream_waits: cuStreamWaitEvent,
    create_event: cuEventCreate,
    destroy_event: cuEventDestroy_v2,
    record: cuEventRecord,
    is_completed: cuEventQuery,
    wait_for_event: cuEventSynchronize,
    elapsed: cuEventElapsedTime,
    is_idle: cuStreamQuery,
    priorities: cuCtxGetStreamPriorityRange,
    create_stream_with_priority: cuStreamCreateWithPriority,
    allocate_managed: cuMemAllocManaged,
    prefetch: cuMemPrefetchAsync,
    advise: cuMemAdvise,
    allocation_of: cuMemGetAddressRange_v2,
    ipc_handle: cuIpcGetMemHandle,
    open_ipc: cuIpcOpenMemHandle_v2,
    close_ipc: cuIpcCloseMemHandle,
    call_host: cuLaunchHostFunc,
    load: cuModuleLoadData,
    unload: cuModuleUnload,
    function: cuModuleGetFunction,
    launch: cuLaunchKernel,
    peer_copy: cuMemcpyPeerAsync,
    peer_access: cuCtxEnablePeerAccess,
    launch_cooperative: cuLaunchCooperativeKernel,
    function_attribute: cuFuncGetAttribute,
    set_function_attribute: cuFuncSetAttribute,
    occupancy: cuOccupancyMaxActiveBlocksPerMultiprocessor,
    parameter: cuFuncGetParamInfo,
    create_graph: cuGraphCreate,
    destroy_graph: cuGraphDestroy,
    add_kernel: cuGraphAddKernelNode_v2,
    add_graph: cuGraphAddChildGraphNode,
    begin_capture: cuStreamBeginCapture_v2,
    end_capture: cuStreamEndCapture,
    instantiate: cuGraphInstantiateWithFlags,
    destroy_exec: cuGraphExecDestroy,
    set_kernel: cuGraphExecKernelNodeSetParams_v2,
    launch_graph: cuGraphLaunch,
    global: cuModuleGetGlobal_v2,
}

ndany_gpu::symbols! {
    /// What no other vendor has alike. Contexts are handles.
    pub struct Own checked by bindings {
        fn cuDeviceGet(device: *mut i32, ordinal: i32) -> u32;
        fn cuDevicePrimaryCtxRetain(context: *mut u64, device: i32) -> u32;
        optional fn cuGetErrorName(code: u32, text: *mut *const u8) -> u32;
        optional fn cuGetErrorString(code: u32, text: *mut *const u8) -> u32;
    }
}

/// `CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`.
const LAZY_PEER_ACCESS: u32 = 1;

/// The attributes of the compute capability.
const CAPABILITY: [Attribute; 2] =
    [Attribute::ComputeCapabilityMajor, Attribute::ComputeCapabilityMinor];

/// NVIDIA, whose devices have contexts and warps of 32 lanes.
#[derive(Debug)]
pub struct Nvidia;

// SAFETY: tests compare signatures and numbers with bindings of another project.
unsafe impl Vendor for Nvidia {
    type DeviceKey = u64;
    type Own = Own;
    type Toolchain = Nvrtc;
    type Products = Cublas;
    type Transforms = Cufft;
    type Factorizations = Cusolver;
    type SparseMatrices = Cusparse;

    const FAMILY: &'static str = "cuda";
    const TITLE: &'static str = "CUDA";
    const DRIVER: &'static str = "driver";
    const FALLBACK: &'static str = "no CUDA device opens; the other devices run everything";
    const VISIBILITY: &'static str = "CUDA_VISIBLE_DEVICES";
    const ARCHITECTURE: &'static str = "compute capability";
    const NAMES: Names = NAMES;
    /// The number of blocks alone is limited.
    const MAX_THREADS: u64 = u64::MAX;
    /// Those of which NVIDIA's documentation says that all further work fails and the process must be started anew, or that
    /// the context is gone. Not among them are 46, a device that is unavailable at the moment, since another process may hold
    /// it and give it back; and 999, an unknown error, which promises nothing: each later call answers for itself, with 999
    /// again if the context is gone, and no value is read without such an answer.
    const LOST: &'static [u32] =
        &[4, 201, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721];
    const NO_DEVICE: Option<u64> = Some(0);
    const ASKS_FOR_SHARED: bool = true;
    const KEEPS_IMAGES: bool = false;

    fn direct_solver(context: Context<Self>) -> Option<Box<dyn DirectSolver>> {
        Some(Box::new(direct::Solver::new(context)))
    }

    fn report_direct_solver() -> Option<LibraryReport> {
        Some(direct::report())
    }

    fn library() -> &'static LazyLibrary<Api<Self>> {
        &library::CUDA
    }

    fn state() -> &'static State {
        static STATE: State = State::new();
        &STATE
    }

    fn ranges() -> Ranges {
        crate::ranges::ranges()
    }

    fn hint(code: u32) -> &'static str {
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

    fn error_strings(own: &Own, code: u32) -> [Option<&'static CStr>; 2] {
        [own.cuGetErrorName, own.cuGetErrorString].map(|function| {
            let mut text = std::ptr::null();
            // SAFETY: it takes any number and writes the address of a constant text, or none.
            let known = unsafe { function?(code, &mut text) } == 0 && !text.is_null();
            // SAFETY: so it is one.
            known.then(|| unsafe { CStr::from_ptr(text.cast()) })
        })
    }

    fn lazy_peer_access(_: &Own) -> u32 {
        LAZY_PEER_ACCESS
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

    fn device_key(api: &Api<Self>, device: i32) -> DriverResult<u64> {
        let mut context = 0;
        // SAFETY: a device of the driver; it writes a handle.
        let code = unsafe { (api.own.cuDevicePrimaryCtxRetain)(&mut context, device) };
        api.check("cuDevicePrimaryCtxRetain", code)?;
        Ok(context)
    }

    fn architecture(api: &Api<Self>, device: i32) -> DriverResult<String> {
        let [major, minor] = CAPABILITY.map(|attribute| api.attribute(device, attribute));
        Ok(format!("sm_{}{}", major?, minor?))
    }

    /// 64-bit floats came with compute capability 1.3, 64-bit atomic minima and maxima with 3.5.
    fn float64_and_atomics64(api: &Api<Self>, device: i32) -> DriverResult<[bool; 2]> {
        let [major, minor] = CAPABILITY.map(|attribute| api.attribute(device, attribute));
        let capability = (major?, minor?);
        Ok([capability >= (1, 3), capability >= (3, 5)])
    }

    fn attribute_number(row: &Row) -> u32 {
        row.cuda
    }

    fn native_context(context: u64) -> Option<u64> {
        Some(context)
    }

    fn dialect(_: &Capabilities) -> Result<&'static Dialect, OpenError> {
        Ok(&CUDA)
    }
}

#[cfg(test)]
mod tests {
    use cudarc::driver::sys;

    use ndany_gpu::vendor::api::constants as shared;
    use ndany_gpu::vendor::attributes::ROWS;

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
        // Their bindings have no list of names: the names here find the numbers.
        macro_rules! numbers {
            ($($name:ident)+) => { [$((stringify!($name), Attribute::$name as u32)),+] };
        }
        let theirs = numbers! {
            CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT
            CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY
            CU_DEVICE_ATTRIBUTE_CLOCK_RATE
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
            CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS
            CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS
            CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH
            CU_DEVICE_ATTRIBUTE_ECC_ENABLED
            CU_DEVICE_ATTRIBUTE_INTEGRATED
            CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT
            CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE
            CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY
            CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X
            CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y
            CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z
            CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR
            CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X
            CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y
            CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z
            CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK
            CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
            CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK
            CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR
            CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH
            CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE
            CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED
            CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
            CU_DEVICE_ATTRIBUTE_PCI_BUS_ID
            CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID
            CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID
            CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED
            CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY
            CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING
            CU_DEVICE_ATTRIBUTE_WARP_SIZE
        };
        for (row, (name, number)) in ROWS.iter().zip(theirs) {
            let ours = (format!("CU_DEVICE_ATTRIBUTE_{}", row.cuda_name), row.cuda);
            assert_eq!(ours, (name.to_string(), number));
        }
        assert_eq!(ROWS.len(), theirs.len());
        assert_eq!(shared::HOST_PORTABLE, sys::CU_MEMHOSTALLOC_PORTABLE);
        assert_eq!(shared::NON_BLOCKING, sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32);
        assert_eq!(shared::ATTACH_GLOBAL, sys::CUmemAttach_flags_enum::CU_MEM_ATTACH_GLOBAL as u32);
        use sys::CUmem_advise_enum as Advice;
        let begins = [
            Advice::CU_MEM_ADVISE_SET_READ_MOSTLY,
            Advice::CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
            Advice::CU_MEM_ADVISE_SET_ACCESSED_BY,
        ];
        let ends = [
            Advice::CU_MEM_ADVISE_UNSET_READ_MOSTLY,
            Advice::CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION,
            Advice::CU_MEM_ADVISE_UNSET_ACCESSED_BY,
        ];
        assert_eq!(shared::ADVICE, begins.map(|advice| advice as u32));
        assert_eq!(shared::ADVICE.map(|number| number + 1), ends.map(|advice| advice as u32));
        let lazy = sys::CUipcMem_flags_enum::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS as u32;
        assert_eq!(LAZY_PEER_ACCESS, lazy);
        assert_eq!(size_of::<sys::CUipcMemHandle>(), ndany_core::backend::IPC_BYTES);
        assert_eq!(shared::TIMING, sys::CUevent_flags_enum::CU_EVENT_DEFAULT as u32);
        assert_eq!(shared::DISABLE_TIMING, sys::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING as u32);
    }
}
