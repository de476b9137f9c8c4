//! What is AMD's own about HIP and its devices.
//!
//! Calls name a device by its number, which a thread makes its current one. Its primary context is everybody's, so memory
//! and streams can be shared with the libraries over HIP.

use std::ffi::CStr;

use ndany_core::ranges::Ranges;
use ndany_gpu::driver::{Capabilities, DriverError, DriverResult};
use ndany_gpu::library::LazyLibrary;
use ndany_gpu::platform::OpenError;
use ndany_gpu::vendor::api::constants::NO_DEVICE;
use ndany_gpu::vendor::api::{Api, Names};
use ndany_gpu::vendor::attributes::Row;
use ndany_gpu::vendor::{State, Vendor};
use ndany_kernels::{Dialect, HIP_32, HIP_64};

use crate::blas::Rocblas;
use crate::compiler::Hiprtc;
use crate::fft::Hipfft;
use crate::library;
use crate::solver::Hipsolver;
use crate::sparse::Hipsparse;

ndany_gpu::names! {
    pub(crate) const NAMES: api<i32>;
    init: hipInit,
    version: hipRuntimeGetVersion,
    count: hipGetDeviceCount,
    device_name: hipDeviceGetName,
    device_memory: hipDeviceTotalMem,
    attribute: hipDeviceGetAttribute,
    current: hipGetDevice,
    set_current: hipSetDevice,
    allocate: hipMalloc,
    free: hipFree,
    memory: hipMemGetInfo,
    allocate_host: hipHostMalloc,
    free_host: hipHostFree,
    upload: hipMemcpyHtoDAsync,
    download: hipMemcpyDtoHAsync,
    fill: hipMemsetD8Async,
    create_stream: hipStreamCreateWithFlags,
    destroy_stream: hipStreamDestroy,
    wait_for_stream: hipStreamSynchronize,
    stream_waits: hipStreamWaitEvent,
    create_event: hipEventCreateWithFlags,
    destroy_event: hipEventDestroy,
    record: hipEventRecord,
    is_completed: hipEventQuery,
    wait_for_event: hipEventSynchronize,
    elapsed: hipEventElapsedTime,
    is_idle: hipStreamQuery,
    priorities: hipDeviceGetStreamPriorityRange,
    create_stream_with_priority: hipStreamCreateWithPriority,
    allocate_managed: hipMallocManaged,
    prefetch: hipMemPrefetchAsync,
    advise: hipMemAdvise,
    allocation_of: hipMemGetAddressRange,
    ipc_handle: hipIpcGetMemHandle,
    open_ipc: hipIpcOpenMemHandle,
    close_ipc: hipIpcCloseMemHandle,
    call_host: hipLaunchHostFunc,
    load: hipModuleLoadData,
    unload: hipModuleUnload,
    function: hipModuleGetFunction,
    launch: hipModuleLaunchKernel,
    peer_copy: hipMemcpyPeerAsync,
    peer_access: hipDeviceEnablePeerAccess,
    launch_cooperative: hipModuleLaunchCooperativeKernel,
    function_attribute: hipFuncGetAttribute,
    // HIP's function takes functions of the host, and its kernels need not ask.
    set_function_attribute: ,
    occupancy: hipModuleOccupancyMaxActiveBlocksPerMultiprocessor,
    // HIP's function takes kernels of its libraries, which modules do not have.
    parameter: ,
    // HIP's nodes are another structure, and its graphs have not run on a card: lists are launched piece by piece.
    create_graph: ,
    destroy_graph: ,
    add_kernel: ,
    add_graph: ,
    begin_capture: ,
    end_capture: ,
    instantiate: ,
    destroy_exec: ,
    set_kernel: ,
    launch_graph: ,
    global: hipModuleGetGlobal,
}

ndany_gpu::symbols! {
    /// What no other vendor has alike.
    pub struct Own {
        optional fn hipGetErrorName(code: u32) -> *const u8;
        optional fn hipGetErrorString(code: u32) -> *const u8;
        // ROCm 6 has the second besides the first, of another layout.
        optional fn hipGetDeviceProperties(properties: *mut u8, device: i32) -> u32;
        optional fn hipGetDevicePropertiesR0600(properties: *mut u8, device: i32) -> u32;
    }
}

/// What `hipInit` says of no device in ROCm 5; later it says what others say.
const INVALID_DEVICE: u32 = 101;

/// AMD, whose devices have numbers and wavefronts of 32 or 64 lanes. Its constants are those of ROCm 5, 6 and 7 alike, but for what is asked of
/// its functions.
#[derive(Debug)]
pub struct Amd;

// SAFETY: a test compares signatures and numbers with the vendor's headers.
unsafe impl Vendor for Amd {
    type DeviceKey = i32;
    type Own = Own;
    type Toolchain = Hiprtc;
    type Products = Rocblas;
    type Transforms = Hipfft;
    type Factorizations = Hipsolver;
    type SparseMatrices = Hipsparse;

    const FAMILY: &'static str = "hip";
    const TITLE: &'static str = "ROCm";
    const DRIVER: &'static str = "HIP";
    const FALLBACK: &'static str = "no ROCm device opens; the other devices run everything";
    const VISIBILITY: &'static str = "HIP_VISIBLE_DEVICES";
    const ARCHITECTURE: &'static str = "architecture";
    const NAMES: Names = NAMES;
    /// "gridDim x blockDim must be less than 2^32 in each dimension", say the docs of `hipModuleLaunchKernel`.
    const MAX_THREADS: u64 = u32::MAX as u64;
    const LOST: &'static [u32] = &[4, 201, 214, 700, 702, 709, 710, 719];
    const NO_DEVICE: Option<i32> = None;
    const ASKS_FOR_SHARED: bool = false;
    /// HIP does not promise that it copies an image, and may look into it when a function is first asked for.
    const KEEPS_IMAGES: bool = true;

    fn library() -> &'static LazyLibrary<Api<Self>> {
        &library::HIP
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
            NO_DEVICE | INVALID_DEVICE => {
                "HIP sees no AMD GPU: /dev/kfd must be there and open to this user (groups render and video), and \
                 HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES may hide it"
            }
            _ => "see whether rocminfo works",
        }
    }

    fn error_strings(own: &Own, code: u32) -> [Option<&'static CStr>; 2] {
        [own.hipGetErrorName, own.hipGetErrorString].map(|function| {
            // SAFETY: it takes any number, and gives a constant text or nothing.
            let text = unsafe { function?(code) };
            // SAFETY: a constant text.
            (!text.is_null()).then(|| unsafe { CStr::from_ptr(text.cast()) })
        })
    }

    /// It has another value since ROCm 6, and each release takes its own alone.
    fn lazy_peer_access(own: &Own) -> u32 {
        u32::from(own.hipGetDevicePropertiesR0600.is_some())
    }

    /// The version of HIP, which is that of ROCm; 0 where there is no device to ask for it.
    fn version(number: i32) -> String {
        let [major, minor] = [number / 10_000_000, number / 100_000 % 100];
        match number {
            0 => "HIP".to_string(),
            _ => format!("HIP {major}.{minor}.{}", number % 100_000),
        }
    }

    fn device(_: &Api<Self>, ordinal: i32) -> DriverResult<i32> {
        Ok(ordinal)
    }

    fn device_key(_: &Api<Self>, device: i32) -> DriverResult<i32> {
        Ok(device)
    }

    /// No attribute tells it: only a structure has it, whose layout and size changed between versions (and under one
    /// name of the function). So neither is relied on: the structure goes into memory of several times its size, and the
    /// name is looked for in it.
    fn architecture(api: &Api<Self>, device: i32) -> DriverResult<String> {
        let call = "hipGetDeviceProperties";
        let get = api.own.hipGetDevicePropertiesR0600.or(api.own.hipGetDeviceProperties);
        let get = get.ok_or(DriverError::Missing { call })?;
        // Aligned like any structure. The largest so far has 1472 bytes.
        let mut words = [0u64; 2048];
        // SAFETY: the memory is larger than the structure of any version.
        api.check(call, unsafe { get(words.as_mut_ptr().cast(), device) })?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        architecture_in(&bytes).ok_or_else(|| DriverError::Call {
            call,
            code: 0,
            text: "it names no architecture (gfx…)".to_string(),
        })
    }

    /// Every architecture that ROCm 5 and later compile for has both.
    fn float64_and_atomics64(_: &Api<Self>, _: i32) -> DriverResult<[bool; 2]> {
        Ok([true; 2])
    }

    fn attribute_number(row: &Row) -> u32 {
        row.hip
    }

    fn native_context(_: i32) -> Option<u64> {
        None
    }

    fn dialect(capabilities: &Capabilities) -> Result<&'static Dialect, OpenError> {
        match capabilities.warp_size {
            32 => Ok(&HIP_32),
            64 => Ok(&HIP_64),
            size => {
                let has = format!("wavefronts of {size}");
                Err(OpenError::Capability { need: "wavefronts of 32 or 64 threads", has })
            }
        }
    }
}

/// What the headers call the numbers.
#[cfg(test)]
pub(crate) const CONSTANTS: [(&str, u32); 21] = {
    use ndany_gpu::vendor::api::constants::*;
    let lost = Amd::LOST;
    [
        ("hipErrorOutOfMemory", OUT_OF_MEMORY),
        ("hipErrorNoDevice", NO_DEVICE),
        ("hipErrorNotReady", NOT_READY),
        ("hipHostMallocPortable", HOST_PORTABLE),
        ("hipStreamNonBlocking", NON_BLOCKING),
        ("hipMemAttachGlobal", ATTACH_GLOBAL),
        ("hipCpuDeviceId", HOST as u32),
        ("hipMemAdviseSetReadMostly", ADVICE[0]),
        ("hipMemAdviseSetPreferredLocation", ADVICE[1]),
        ("hipMemAdviseSetAccessedBy", ADVICE[2]),
        ("hipEventDefault", TIMING),
        ("hipEventDisableTiming", DISABLE_TIMING),
        ("hipErrorInvalidDevice", INVALID_DEVICE),
        ("hipErrorDeinitialized", lost[0]),
        ("hipErrorInvalidContext", lost[1]),
        ("hipErrorECCNotCorrectable", lost[2]),
        ("hipErrorIllegalAddress", lost[3]),
        ("hipErrorLaunchTimeOut", lost[4]),
        ("hipErrorContextIsDestroyed", lost[5]),
        ("hipErrorAssert", lost[6]),
        ("hipErrorLaunchFailure", lost[7]),
    ]
};

/// The name in a structure of properties: `gfx90a` of `gfx90a:sramecc+:xnack-`, because machine code without a word
/// about such modes runs in all of them.
fn architecture_in(properties: &[u8]) -> Option<String> {
    // In all layouts the product's name comes first, which may hold the letters too ("AMD Radeon gfx90c").
    let rest = properties.get(256..)?;
    let at = rest.windows(3).position(|letters| letters == b"gfx")?;
    let name = rest[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-');
    let name: String = name.map(|&byte| char::from(byte)).collect();
    (name.len() > 3).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_architecture_is_found_in_every_layout() {
        // Offsets in the old layout, in that of ROCm 6, and in an invented one.
        for offset in [396, 1160, 3000] {
            for (name, found) in [
                ("gfx90a:sramecc+:xnack-", "gfx90a"),
                ("gfx1030", "gfx1030"),
                ("gfx9-4-generic", "gfx9-4-generic"),
            ] {
                let mut bytes = vec![0u8; 4096];
                let product = b"AMD Radeon Graphics gfx90c";
                bytes[..product.len()].copy_from_slice(product);
                bytes[300..304].copy_from_slice(&1030u32.to_ne_bytes());
                bytes[offset..offset + name.len()].copy_from_slice(name.as_bytes());
                assert_eq!(architecture_in(&bytes).as_deref(), Some(found), "{offset}");
            }
        }
        assert_eq!(architecture_in(&[0; 4096]), None);
        assert_eq!(architecture_in(b"gfx906"), None);
    }

    #[test]
    fn the_wavefront_size_chooses_the_dialect() {
        let of = |warp_size| Capabilities {
            warp_size,
            max_threads_per_block: 1024,
            max_blocks: 1 << 30,
            max_threads: 1 << 31,
            float64: true,
            atomics64: true,
        };
        for size in [32, 64] {
            assert_eq!(Amd::dialect(&of(size)).expect("a dialect").warp_size, size);
            assert_eq!(of(size).check(), Ok(()));
        }
        let error = Amd::dialect(&of(16)).expect_err("no such device").to_string();
        assert_eq!(
            error,
            "kernels need wavefronts of 32 or 64 threads, and the device has wavefronts of 16"
        );
    }
}
