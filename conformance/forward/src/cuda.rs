//! CUDA's driver: the functions that HIP's stand on.

use std::ffi::{CString, c_char, c_void};
use std::sync::OnceLock;

use crate::library::{find, functions};
use crate::{Done, codes};

/// A handle of an allocation for other processes, which is passed by value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct IpcHandle([u8; 64]);

functions! {
    /// The driver, initialized.
    Cuda {
        fn cuInit(u32);
        fn cuDriverGetVersion(*mut i32);
        fn cuGetErrorString(u32, *mut *const c_char);
        fn cuDeviceGetCount(*mut i32);
        fn cuDeviceGetName(*mut c_char, i32, i32);
        fn cuDeviceTotalMem_v2(*mut usize, i32);
        fn cuDeviceGetAttribute(*mut i32, u32, i32);
        fn cuDevicePrimaryCtxRetain(*mut u64, i32);
        fn cuCtxGetCurrent(*mut u64);
        fn cuCtxSetCurrent(u64);
        fn cuCtxEnablePeerAccess(u64, u32);
        fn cuMemAlloc_v2(*mut u64, usize);
        fn cuMemFree_v2(u64);
        fn cuMemGetInfo_v2(*mut usize, *mut usize);
        fn cuMemHostAlloc(*mut *mut c_void, usize, u32);
        fn cuMemFreeHost(*mut c_void);
        fn cuMemcpyHtoDAsync_v2(u64, *const c_void, usize, u64);
        fn cuMemcpyDtoHAsync_v2(*mut c_void, u64, usize, u64);
        fn cuMemcpyPeerAsync(u64, u64, u64, u64, usize, u64);
        fn cuMemsetD8Async(u64, u8, usize, u64);
        fn cuMemAllocManaged(*mut u64, usize, u32);
        fn cuMemPrefetchAsync(u64, usize, i32, u64);
        fn cuMemAdvise(u64, usize, u32, i32);
        fn cuMemGetAddressRange_v2(*mut u64, *mut usize, u64);
        fn cuIpcGetMemHandle(*mut IpcHandle, u64);
        fn cuIpcOpenMemHandle_v2(*mut u64, IpcHandle, u32);
        fn cuIpcCloseMemHandle(u64);
        fn cuStreamCreate(*mut u64, u32);
        fn cuStreamDestroy_v2(u64);
        fn cuStreamSynchronize(u64);
        fn cuStreamWaitEvent(u64, u64, u32);
        fn cuEventCreate(*mut u64, u32);
        fn cuEventDestroy_v2(u64);
        fn cuEventRecord(u64, u64);
        fn cuEventQuery(u64);
        fn cuEventSynchronize(u64);
        fn cuEventElapsedTime(*mut f32, u64, u64);
        fn cuStreamQuery(u64);
        fn cuCtxGetStreamPriorityRange(*mut i32, *mut i32);
        fn cuStreamCreateWithPriority(*mut u64, u32, i32);
        fn cuLaunchHostFunc(u64, *const c_void, *mut c_void);
        fn cuModuleLoadData(*mut u64, *const c_void);
        fn cuModuleUnload(u64);
        fn cuModuleGetFunction(*mut u64, u64, *const c_char);
        fn cuModuleGetGlobal_v2(*mut u64, *mut usize, u64, *const c_char);
        fn cuFuncGetAttribute(*mut i32, u32, u64);
        fn cuFuncSetAttribute(u64, u32, i32);
        fn cuOccupancyMaxActiveBlocksPerMultiprocessor(*mut i32, u64, i32, usize);
        fn cuLaunchCooperativeKernel(
            u64, u32, u32, u32, u32, u32, u32, u32, u64, *mut *mut c_void,
        );
        fn cuLaunchKernel(
            u64, u32, u32, u32, u32, u32, u32, u32, u64, *mut *mut c_void, *mut *mut c_void,
        );
    }
}

/// Why there is no driver.
struct Absent {
    code: u32,
    reason: CString,
}

fn start() -> Result<Cuda, Absent> {
    let cuda = find(&["libcuda.so.1"], None, Cuda::load).map_err(|reason| Absent {
        code: codes::INSUFFICIENT_DRIVER,
        reason: CString::new(format!("NVIDIA's driver is not there: {reason}")).unwrap_or_default(),
    })?;
    // SAFETY: a plain number.
    codes::check(unsafe { (cuda.cuInit)(0) })
        .map_err(|code| Absent { code, reason: c"cuInit failed".to_owned() })?;
    Ok(cuda)
}

static CUDA: OnceLock<Result<Cuda, Absent>> = OnceLock::new();

/// The driver; looked for and initialized by the first call.
#[inline]
pub(crate) fn cuda() -> Done<&'static Cuda> {
    CUDA.get_or_init(start).as_ref().map_err(|absent| absent.code)
}

/// What is said of the driver's absence, if that is what a number means.
pub(crate) fn absence(code: u32) -> Option<*const c_char> {
    let absent = CUDA.get()?.as_ref().err()?;
    (absent.code == code).then(|| absent.reason.as_ptr())
}

/// Names of a library of CUDA 13 and of CUDA 12, that of the driver's generation first: an older driver may refuse what
/// a newer compiler makes. Without a driver any will do.
pub(crate) fn of_the_driver([newer, older]: [&'static str; 2]) -> [&'static str; 2] {
    let mut version = 0;
    // SAFETY: it writes a number.
    let known = cuda().is_ok_and(|cuda| unsafe { (cuda.cuDriverGetVersion)(&mut version) } == 0);
    if known && version < 13_000 { [older, newer] } else { [newer, older] }
}
