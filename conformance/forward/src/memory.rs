//! Memory and copies. Addresses are the same on both sides.

use std::ffi::c_void;

use crate::codes::check;
use crate::context::{context, enter};
use crate::cuda::IpcHandle;
use crate::{exports, put, same};

/// What CUDA knows of HIP's flags of the host's memory; the others choose between kinds that it has one of.
const HOST_FLAGS: u32 = 7;

same! {
    enter, check;
    /// Bytes free and in all.
    fn hipMemGetInfo(free: *mut usize, total: *mut usize) = cuMemGetInfo_v2;
    /// To the device.
    fn hipMemcpyHtoDAsync(to: u64, from: *const c_void, bytes: usize, stream: u64) = cuMemcpyHtoDAsync_v2;
    /// To the host.
    fn hipMemcpyDtoHAsync(to: *mut c_void, from: u64, bytes: usize, stream: u64) = cuMemcpyDtoHAsync_v2;
    /// Managed memory. Flags and advice have CUDA's numbers.
    fn hipMallocManaged(to: *mut u64, bytes: usize, flags: u32) = cuMemAllocManaged;
    /// Moves it.
    fn hipMemPrefetchAsync(address: u64, bytes: usize, device: i32, stream: u64) = cuMemPrefetchAsync;
    /// How it is used.
    fn hipMemAdvise(address: u64, bytes: usize, advice: u32, device: i32) = cuMemAdvise;
    /// The allocation that has an address.
    fn hipMemGetAddressRange(first: *mut u64, bytes: *mut usize, address: u64) = cuMemGetAddressRange_v2;
    /// A handle for other processes.
    fn hipIpcGetMemHandle(to: *mut IpcHandle, address: u64) = cuIpcGetMemHandle;
    /// Opens another process's allocation.
    fn hipIpcOpenMemHandle(to: *mut u64, handle: IpcHandle, flags: u32) = cuIpcOpenMemHandle_v2;
    /// Closes it.
    fn hipIpcCloseMemHandle(address: u64) = cuIpcCloseMemHandle;
    /// Sets bytes.
    fn hipMemsetD8Async(to: u64, value: u8, bytes: usize, stream: u64) = cuMemsetD8Async;
}

exports! {
    /// Memory of the device; of no bytes it is null, where CUDA's driver refuses.
    fn hipMalloc(to: *mut u64, bytes: usize) {
        let cuda = enter()?;
        match bytes {
            // SAFETY: the caller's.
            0 => unsafe { put(to, 0) },
            // SAFETY: the caller's.
            bytes => check(unsafe { (cuda.cuMemAlloc_v2)(to, bytes) }),
        }
    }
    /// Gives it back; null is nothing.
    fn hipFree(address: u64) {
        let cuda = enter()?;
        match address {
            0 => Ok(()),
            // SAFETY: the caller's.
            address => check(unsafe { (cuda.cuMemFree_v2)(address) }),
        }
    }
    /// Page-locked memory of the host.
    fn hipHostMalloc(to: *mut *mut c_void, bytes: usize, flags: u32) {
        let cuda = enter()?;
        match bytes {
            // SAFETY: the caller's.
            0 => unsafe { put(to, std::ptr::null_mut()) },
            // SAFETY: the caller's.
            bytes => check(unsafe { (cuda.cuMemHostAlloc)(to, bytes, flags & HOST_FLAGS) }),
        }
    }
    /// Gives it back; null is nothing.
    fn hipHostFree(memory: *mut c_void) {
        let cuda = enter()?;
        if memory.is_null() {
            return Ok(());
        }
        // SAFETY: the caller's.
        check(unsafe { (cuda.cuMemFreeHost)(memory) })
    }
    /// Between devices.
    fn hipMemcpyPeerAsync(to: u64, to_device: i32, from: u64, from_device: i32, bytes: usize, stream: u64) {
        let cuda = enter()?;
        let (there, here) = (context(cuda, to_device)?, context(cuda, from_device)?);
        // SAFETY: the caller's.
        check(unsafe { (cuda.cuMemcpyPeerAsync)(to, there, from, here, bytes, stream) })
    }
}
