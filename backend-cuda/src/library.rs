//! NVIDIA's libraries: where they lie, which of their functions are used, and what is there.
//!
//! The tables of functions are the project's own, on addresses that the loader gives, rather than cudarc's, because
//! 1. cudarc panics when a library or a function is missing;
//! 2. it asks the loader for the unversioned names first, so what it opens may be another file than the one that was
//!    found and checked (a stub of a toolkit, an NVRTC of another version), and nobody can tell it otherwise;
//! 3. its result codes are enums, and a code that a newer driver invents would be undefined behaviour. Here it is a
//!    number.
//!
//! Tests compare every signature and constant with cudarc's.

use std::sync::OnceLock;

use ndany_gpu::library::{Absent, Found, Places, Wanted};

#[cfg(test)]
use cudarc::{cublas::sys as cublas, driver::sys as driver, nvrtc::sys as nvrtc};

/// The driver comes with the kernel module, not with the toolkit, whose copies are stubs.
static DRIVER_PLACES: Places = Places {
    variable: "NDANY_CUDA_LIBRARIES",
    homes: &[],
    prefixes: &[
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/lib/wsl/lib",
        "/usr/local/nvidia/lib64",
        "/run/opengl-driver/lib",
    ],
    wheels: &[],
};

static TOOLKIT_PLACES: Places = Places {
    variable: "NDANY_CUDA_LIBRARIES",
    homes: &["CUDA_PATH", "CUDA_HOME"],
    prefixes: &[
        "/usr/local/cuda/lib64",
        "/usr/local/cuda*/lib64",
        "/opt/cuda/lib64",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
    ],
    wheels: &["nvidia/cu13/lib", "nvidia/*/lib"],
};

ndany_gpu::symbols! {
    /// The driver. Devices are numbers from 0; contexts, streams, events, modules and functions are handles.
    pub(crate) struct Cuda checked by driver {
        fn cuInit(flags: u32) -> u32;
        fn cuDriverGetVersion(version: *mut i32) -> u32;
        fn cuDeviceGetCount(count: *mut i32) -> u32;
        fn cuDeviceGet(device: *mut i32, ordinal: i32) -> u32;
        fn cuDeviceGetName(name: *mut u8, length: i32, device: i32) -> u32;
        fn cuDeviceTotalMem_v2(bytes: *mut usize, device: i32) -> u32;
        fn cuDeviceGetAttribute(value: *mut i32, attribute: u32, device: i32) -> u32;
        fn cuDevicePrimaryCtxRetain(context: *mut u64, device: i32) -> u32;
        fn cuCtxGetCurrent(context: *mut u64) -> u32;
        fn cuCtxSetCurrent(context: u64) -> u32;
        fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> u32;
        fn cuMemFree_v2(address: u64) -> u32;
        fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> u32;
        fn cuMemHostAlloc(memory: *mut *mut u8, bytes: usize, flags: u32) -> u32;
        fn cuMemFreeHost(memory: *mut u8) -> u32;
        fn cuMemHostGetDevicePointer_v2(address: *mut u64, memory: *mut u8, flags: u32) -> u32;
        fn cuMemcpyHtoDAsync_v2(to: u64, from: *const u8, bytes: usize, stream: u64) -> u32;
        fn cuMemcpyDtoHAsync_v2(to: *mut u8, from: u64, bytes: usize, stream: u64) -> u32;
        fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: u64) -> u32;
        fn cuMemsetD8Async(to: u64, byte: u8, bytes: usize, stream: u64) -> u32;
        fn cuStreamCreate(stream: *mut u64, flags: u32) -> u32;
        fn cuStreamDestroy_v2(stream: u64) -> u32;
        fn cuStreamSynchronize(stream: u64) -> u32;
        fn cuStreamWaitEvent(stream: u64, event: u64, flags: u32) -> u32;
        fn cuEventCreate(event: *mut u64, flags: u32) -> u32;
        fn cuEventDestroy_v2(event: u64) -> u32;
        fn cuEventRecord(event: u64, stream: u64) -> u32;
        fn cuEventQuery(event: u64) -> u32;
        fn cuEventSynchronize(event: u64) -> u32;
        fn cuModuleLoadData(module: *mut u64, image: *const u8) -> u32;
        fn cuModuleUnload(module: u64) -> u32;
        fn cuModuleGetFunction(function: *mut u64, module: u64, name: *const u8) -> u32;
        fn cuLaunchKernel(
            function: u64, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
            shared: u32, stream: u64, parameters: *const *const u64, extra: *const u8,
        ) -> u32;
        fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
            blocks: *mut i32, function: u64, block: i32, shared: usize,
        ) -> u32;
        optional fn cuGetErrorName(code: u32, text: *mut *const u8) -> u32;
        optional fn cuGetErrorString(code: u32, text: *mut *const u8) -> u32;
        optional fn cuFuncSetAttribute(function: u64, attribute: u32, value: i32) -> u32;
        // CUDA 13 has the second name besides the first, of the same meaning.
        optional fn cuEventElapsedTime(milliseconds: *mut f32, from: u64, to: u64) -> u32;
        optional fn cuEventElapsedTime_v2(milliseconds: *mut f32, from: u64, to: u64) -> u32;
        optional fn cuMemcpyPeerAsync(
            to: u64, to_context: u64, from: u64, from_context: u64, bytes: usize, stream: u64,
        ) -> u32;
        optional fn cuCtxEnablePeerAccess(context: u64, flags: u32) -> u32;
    }
}

ndany_gpu::symbols! {
    /// The run-time compiler.
    pub(crate) struct Nvrtc checked by nvrtc {
        fn nvrtcVersion(major: *mut i32, minor: *mut i32) -> u32;
        fn nvrtcCreateProgram(
            program: *mut u64, source: *const u8, name: *const u8, count: i32, headers: *const *const u8,
            names: *const *const u8,
        ) -> u32;
        fn nvrtcDestroyProgram(program: *mut u64) -> u32;
        fn nvrtcCompileProgram(program: u64, count: i32, options: *const *const u8) -> u32;
        fn nvrtcGetProgramLogSize(program: u64, bytes: *mut usize) -> u32;
        fn nvrtcGetProgramLog(program: u64, log: *mut u8) -> u32;
        fn nvrtcGetCUBINSize(program: u64, bytes: *mut usize) -> u32;
        fn nvrtcGetCUBIN(program: u64, image: *mut u8) -> u32;
        optional fn nvrtcGetErrorString(code: u32) -> *const u8;
        optional fn nvrtcGetNumSupportedArchs(count: *mut i32) -> u32;
        optional fn nvrtcGetSupportedArchs(architectures: *mut i32) -> u32;
    }
}

ndany_gpu::symbols! {
    /// Products of matrices.
    pub(crate) struct Cublas checked by cublas {
        fn cublasCreate_v2(handle: *mut u64) -> u32;
        fn cublasGetProperty(kind: u32, value: *mut i32) -> u32;
        fn cublasSetStream_v2(handle: u64, stream: u64) -> u32;
        fn cublasSetWorkspace_v2(handle: u64, memory: u64, bytes: usize) -> u32;
        fn cublasSetMathMode(handle: u64, mode: u32) -> u32;
        fn cublasGemmStridedBatchedEx(
            handle: u64, transpose_a: u32, transpose_b: u32, m: i32, n: i32, k: i32, alpha: *const u8,
            a: u64, a_type: u32, a_leading: i32, a_step: i64, b: u64, b_type: u32, b_leading: i32, b_step: i64,
            beta: *const u8, c: u64, c_type: u32, c_leading: i32, c_step: i64,
            batch: i32, compute: u32, algorithm: i32,
        ) -> u32;
        optional fn cublasGetStatusString(code: u32) -> *const u8;
        optional fn cublasGemmStridedBatchedEx_64(
            handle: u64, transpose_a: u32, transpose_b: u32, m: i64, n: i64, k: i64, alpha: *const u8,
            a: u64, a_type: u32, a_leading: i64, a_step: i64, b: u64, b_type: u32, b_leading: i64, b_step: i64,
            beta: *const u8, c: u64, c_type: u32, c_leading: i64, c_step: i64,
            batch: i64, compute: u32, algorithm: i32,
        ) -> u32;
    }
}

/// What a search came to, once in a process.
pub(crate) type Once<S> = OnceLock<Result<Found<S>, Absent>>;

/// The driver.
pub(crate) fn cuda() -> Result<&'static Found<Cuda>, &'static Absent> {
    static CUDA: Once<Cuda> = OnceLock::new();
    let wanted = Wanted {
        name: "the NVIDIA driver (libcuda)",
        files: &["libcuda.so.1"],
        beside: &[],
        places: &DRIVER_PLACES,
        remedy: "install the NVIDIA driver, of CUDA 12 or newer (nvidia-smi tells)",
    };
    CUDA.get_or_init(|| wanted.find()).as_ref()
}

/// The run-time compiler: of the driver's own generation if there is one, because a driver may refuse what a newer
/// one makes.
pub(crate) fn nvrtc() -> Result<&'static Found<Nvrtc>, &'static Absent> {
    static NVRTC: Once<Nvrtc> = OnceLock::new();
    let wanted = Wanted {
        name: "NVRTC (libnvrtc)",
        files: &of_the_driver(["libnvrtc.so.13", "libnvrtc.so.12"]),
        beside: &["libnvrtc-builtins.so."],
        places: &TOOLKIT_PLACES,
        remedy: "install CUDA's toolkit, or `pip install nvidia-cuda-nvrtc`",
    };
    NVRTC.get_or_init(|| wanted.find()).as_ref()
}

/// Products of matrices.
pub(crate) fn cublas() -> Result<&'static Found<Cublas>, &'static Absent> {
    static CUBLAS: Once<Cublas> = OnceLock::new();
    let wanted = Wanted {
        name: "cuBLAS (libcublas)",
        files: &of_the_driver(["libcublas.so.13", "libcublas.so.12"]),
        beside: &["libcublasLt.so."],
        places: &TOOLKIT_PLACES,
        remedy: "install CUDA's toolkit, or `pip install nvidia-cublas`",
    };
    CUBLAS.get_or_init(|| wanted.find()).as_ref()
}

/// The names of a library of CUDA 13 and 12, that of the driver's generation first.
fn of_the_driver(names: [&'static str; 2]) -> [&'static str; 2] {
    let mut version = 0;
    if let Ok(found) = cuda() {
        // SAFETY: it writes a number, and may be called before all other functions.
        unsafe { (found.symbols.cuDriverGetVersion)(&mut version) };
    }
    match version {
        1..13000 => [names[1], names[0]],
        _ => names,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_other_bindings() {
        let functions =
            Cuda::signatures_agree() + Nvrtc::signatures_agree() + Cublas::signatures_agree();
        assert_eq!(functions, 41 + 11 + 8);
    }
}
