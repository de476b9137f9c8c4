//! Memory and copies. Addresses are the same on both sides.

use std::ffi::c_void;

use crate::codes::check;
use crate::context::{context, enter};
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
