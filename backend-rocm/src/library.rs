//! AMD's libraries: where they lie, which of their functions are used, and what is there.
//!
//! The tables of functions are the project's own: hip-sys needs ROCm's headers to build and links, takes result codes
//! as enums, in which a code of a newer ROCm would be undefined behaviour, and knows one layout of the devices'
//! properties. For the same reasons it cannot serve even in a test of a machine without ROCm; instead a test has the C
//! compiler compare every signature with the vendor's own headers, where `NDANY_TEST_HIP_HEADERS` lists their folders.
//!
//! ROCm 5, 6 and 7 are served. What not all of them have is optional.

use std::sync::OnceLock;

use ndany_gpu::library::{Absent, Found, Places, Wanted};

static PLACES: Places = Places {
    variable: "NDANY_ROCM_LIBRARIES",
    homes: &["ROCM_PATH", "HIP_PATH"],
    prefixes: &[
        "/opt/rocm/lib",
        "/opt/rocm*/lib",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib64",
        "/usr/lib64/rocm/lib",
    ],
    wheels: &["_rocm_sdk_*/lib"],
};

ndany_gpu::symbols! {
    /// HIP. Devices are numbers from 0; streams, events, modules and functions are handles.
    pub(crate) struct Hip {
        fn hipInit(flags: u32) -> u32;
        fn hipRuntimeGetVersion(version: *mut i32) -> u32;
        fn hipGetDeviceCount(count: *mut i32) -> u32;
        fn hipDeviceGetName(name: *mut u8, length: i32, device: i32) -> u32;
        fn hipDeviceTotalMem(bytes: *mut usize, device: i32) -> u32;
        fn hipDeviceGetAttribute(value: *mut i32, attribute: u32, device: i32) -> u32;
        fn hipGetDevice(device: *mut i32) -> u32;
        fn hipSetDevice(device: i32) -> u32;
        fn hipMalloc(address: *mut u64, bytes: usize) -> u32;
        fn hipFree(address: u64) -> u32;
        fn hipMemGetInfo(free: *mut usize, total: *mut usize) -> u32;
        fn hipHostMalloc(memory: *mut *mut u8, bytes: usize, flags: u32) -> u32;
        fn hipHostFree(memory: *mut u8) -> u32;
        fn hipHostGetDevicePointer(address: *mut u64, memory: *mut u8, flags: u32) -> u32;
        fn hipMemcpyHtoDAsync(to: u64, from: *const u8, bytes: usize, stream: u64) -> u32;
        fn hipMemcpyDtoHAsync(to: *mut u8, from: u64, bytes: usize, stream: u64) -> u32;
        fn hipMemcpyDtoDAsync(to: u64, from: u64, bytes: usize, stream: u64) -> u32;
        fn hipMemsetD8Async(to: u64, byte: u8, bytes: usize, stream: u64) -> u32;
        fn hipStreamCreateWithFlags(stream: *mut u64, flags: u32) -> u32;
        fn hipStreamDestroy(stream: u64) -> u32;
        fn hipStreamSynchronize(stream: u64) -> u32;
        fn hipStreamWaitEvent(stream: u64, event: u64, flags: u32) -> u32;
        fn hipEventCreateWithFlags(event: *mut u64, flags: u32) -> u32;
        fn hipEventDestroy(event: u64) -> u32;
        fn hipEventRecord(event: u64, stream: u64) -> u32;
        fn hipEventQuery(event: u64) -> u32;
        fn hipEventSynchronize(event: u64) -> u32;
        fn hipEventElapsedTime(milliseconds: *mut f32, from: u64, to: u64) -> u32;
        fn hipModuleLoadData(module: *mut u64, image: *const u8) -> u32;
        fn hipModuleUnload(module: u64) -> u32;
        fn hipModuleGetFunction(function: *mut u64, module: u64, name: *const u8) -> u32;
        fn hipModuleLaunchKernel(
            function: u64, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
            shared: u32, stream: u64, parameters: *const *const u64, extra: *const u8,
        ) -> u32;
        fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
            blocks: *mut i32, function: u64, block: i32, shared: usize,
        ) -> u32;
        optional fn hipGetErrorName(code: u32) -> *const u8;
        optional fn hipGetErrorString(code: u32) -> *const u8;
        // ROCm 6 has the second besides the first, of another layout.
        optional fn hipGetDeviceProperties(properties: *mut u8, device: i32) -> u32;
        optional fn hipGetDevicePropertiesR0600(properties: *mut u8, device: i32) -> u32;
        optional fn hipMemcpyPeerAsync(
            to: u64, to_device: i32, from: u64, from_device: i32, bytes: usize, stream: u64,
        ) -> u32;
        optional fn hipDeviceEnablePeerAccess(device: i32, flags: u32) -> u32;
    }
}

ndany_gpu::symbols! {
    /// The run-time compiler.
    pub(crate) struct Hiprtc {
        fn hiprtcVersion(major: *mut i32, minor: *mut i32) -> u32;
        fn hiprtcCreateProgram(
            program: *mut u64, source: *const u8, name: *const u8, count: i32, headers: *const *const u8,
            names: *const *const u8,
        ) -> u32;
        fn hiprtcDestroyProgram(program: *mut u64) -> u32;
        fn hiprtcCompileProgram(program: u64, count: i32, options: *const *const u8) -> u32;
        fn hiprtcGetProgramLogSize(program: u64, bytes: *mut usize) -> u32;
        fn hiprtcGetProgramLog(program: u64, log: *mut u8) -> u32;
        fn hiprtcGetCodeSize(program: u64, bytes: *mut usize) -> u32;
        fn hiprtcGetCode(program: u64, image: *mut u8) -> u32;
        optional fn hiprtcGetErrorString(code: u32) -> *const u8;
    }
}

ndany_gpu::symbols! {
    /// Products of matrices.
    pub(crate) struct Rocblas {
        fn rocblas_create_handle(handle: *mut u64) -> u32;
        fn rocblas_get_version_string(text: *mut u8, bytes: usize) -> u32;
        fn rocblas_set_stream(handle: u64, stream: u64) -> u32;
        fn rocblas_set_workspace(handle: u64, memory: u64, bytes: usize) -> u32;
        fn rocblas_set_atomics_mode(handle: u64, mode: u32) -> u32;
        fn rocblas_gemm_strided_batched_ex(
            handle: u64, transpose_a: u32, transpose_b: u32, m: i32, n: i32, k: i32, alpha: *const u8,
            a: u64, a_type: u32, a_leading: i32, a_step: i64, b: u64, b_type: u32, b_leading: i32, b_step: i64,
            beta: *const u8, c: u64, c_type: u32, c_leading: i32, c_step: i64,
            d: u64, d_type: u32, d_leading: i32, d_step: i64,
            batch: i32, compute: u32, algorithm: u32, solution: i32, flags: u32,
        ) -> u32;
        // Of ROCm 6 and newer.
        optional fn rocblas_gemm_strided_batched_ex_64(
            handle: u64, transpose_a: u32, transpose_b: u32, m: i64, n: i64, k: i64, alpha: *const u8,
            a: u64, a_type: u32, a_leading: i64, a_step: i64, b: u64, b_type: u32, b_leading: i64, b_step: i64,
            beta: *const u8, c: u64, c_type: u32, c_leading: i64, c_step: i64,
            d: u64, d_type: u32, d_leading: i64, d_step: i64,
            batch: i64, compute: u32, algorithm: u32, solution: i32, flags: u32,
        ) -> u32;
        optional fn rocblas_status_to_string(code: u32) -> *const u8;
    }
}

/// What a search came to, once in a process.
type Once<S> = OnceLock<Result<Found<S>, Absent>>;

/// HIP.
pub(crate) fn hip() -> Result<&'static Found<Hip>, &'static Absent> {
    static HIP: Once<Hip> = OnceLock::new();
    let wanted = Wanted {
        name: "AMD's HIP (libamdhip64)",
        // The name without a number is that of wheels, which bring their own.
        files: &["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"],
        beside: &[],
        places: &PLACES,
        remedy: "install ROCm 5 or newer (rocminfo tells)",
    };
    HIP.get_or_init(|| wanted.find()).as_ref()
}

/// The run-time compiler: of HIP's own generation if there is one. ROCm 5 has it in HIP's library, ROCm 6 there too.
pub(crate) fn hiprtc() -> Result<&'static Found<Hiprtc>, &'static Absent> {
    static HIPRTC: Once<Hiprtc> = OnceLock::new();
    let files = of_hip(&[
        ("7", "libhiprtc.so.7"),
        ("6", "libhiprtc.so.6"),
        ("6", "libamdhip64.so.6"),
        ("5", "libhiprtc.so.5"),
        ("5", "libamdhip64.so.5"),
    ]);
    let wanted = Wanted {
        name: "hipRTC (libhiprtc)",
        files: &files,
        beside: &["libamd_comgr.so.", "libhiprtc-builtins.so."],
        places: &PLACES,
        remedy: "install ROCm's hiprtc (Debian: libhiprtc-builtins5)",
    };
    HIPRTC.get_or_init(|| wanted.find()).as_ref()
}

/// Products of matrices.
pub(crate) fn rocblas() -> Result<&'static Found<Rocblas>, &'static Absent> {
    static ROCBLAS: Once<Rocblas> = OnceLock::new();
    let wanted = Wanted {
        name: "rocBLAS (librocblas)",
        // It counts by itself.
        files: &of_hip(&[
            ("7", "librocblas.so.5"),
            ("6", "librocblas.so.4"),
            ("5", "librocblas.so.0"),
        ]),
        beside: &[],
        places: &PLACES,
        remedy: "install ROCm's rocblas",
    };
    ROCBLAS.get_or_init(|| wanted.find()).as_ref()
}

/// Files by the generation of ROCm that they are of, that of HIP itself first: two generations do not go together in
/// one process.
fn of_hip(files: &[(&str, &'static str)]) -> Vec<&'static str> {
    let path = hip().ok().and_then(|found| found.path.as_ref()?.to_str());
    let version = path.and_then(|path| path.rsplit_once(".so.")).map(|(_, version)| version);
    let hip = version.and_then(|version| version.split('.').next());
    let mut files = files.to_vec();
    files.sort_by_key(|&(generation, _)| Some(generation) != hip);
    files.into_iter().map(|(_, file)| file).collect()
}

#[cfg(test)]
mod tests;
