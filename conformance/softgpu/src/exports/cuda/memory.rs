//! Memory and copies. A range of a device that no allocation holds is an invalid value, found at the call.

use std::ffi::c_void;

use super::{code, current, device_of};
use crate::device::{Device, Machine};
use crate::exports::{exports, put};
use crate::failure::{Failure, Result};

const NOT_OURS: Failure = Failure::InvalidValue("a range that no allocation of a device holds");
const NO_HOST: Failure = Failure::InvalidValue("a null pointer of the host");

fn check_device(address: u64, bytes: usize) -> Result<()> {
    Machine::get()?.owner(address, bytes as u64).then_some(()).ok_or(NOT_OURS)
}

fn check_stream(stream: u64) -> Result<&'static Device> {
    let device = current()?;
    device.order().check_stream(stream)?;
    Ok(device)
}

unsafe fn upload(to: u64, from: *const c_void, bytes: usize, stream: u64) -> Result<()> {
    let device = check_stream(stream)?;
    if bytes == 0 {
        return Ok(());
    }
    check_device(to, bytes)?;
    if from.is_null() {
        return Err(NO_HOST);
    }
    // SAFETY: the caller's host memory, and a range of ours.
    unsafe { device.copy(to, from as u64, bytes as u64) };
    Ok(())
}

unsafe fn download(to: *mut c_void, from: u64, bytes: usize, stream: u64) -> Result<()> {
    let device = check_stream(stream)?;
    if bytes == 0 {
        return Ok(());
    }
    check_device(from, bytes)?;
    if to.is_null() {
        return Err(NO_HOST);
    }
    // SAFETY: the caller's host memory, and a range of ours.
    unsafe { device.copy(to as u64, from, bytes as u64) };
    Ok(())
}

unsafe fn copy(to: u64, from: u64, bytes: usize, stream: u64) -> Result<()> {
    let device = check_stream(stream)?;
    if bytes == 0 {
        return Ok(());
    }
    check_device(to, bytes)?;
    check_device(from, bytes)?;
    // SAFETY: both ranges are ours.
    unsafe { device.copy(to, from, bytes as u64) };
    Ok(())
}

/// Sets `count` values of a width, given by their bytes.
unsafe fn fill<const N: usize>(to: u64, value: [u8; N], count: usize, stream: u64) -> Result<()> {
    check_stream(stream)?;
    let bytes = count.checked_mul(N).ok_or(NOT_OURS)?;
    if bytes == 0 {
        return Ok(());
    }
    if !to.is_multiple_of(N as u64) {
        return Err(Failure::InvalidValue("an address that is no multiple of the width"));
    }
    check_device(to, bytes)?;
    // SAFETY: the range is ours.
    unsafe { std::slice::from_raw_parts_mut(to as *mut [u8; N], count) }.fill(value);
    Ok(())
}

unsafe fn allocate_host(to: *mut *mut c_void, bytes: usize) -> Result<()> {
    current()?;
    let address = Machine::get()?.host().allocate(bytes as u64)?;
    // SAFETY: the caller's.
    unsafe { put(to, address as *mut c_void) }
}

exports! { TABLE, code;
    /// Memory of the device.
    fn cuMemAlloc_v2(to: *mut u64, bytes: usize) {
        let address = current()?.heap().allocate(bytes as u64)?;
        // SAFETY: the caller's.
        unsafe { put(to, address) }
    }
    /// Gives it back.
    fn cuMemFree_v2(address: u64) {
        let device = current()?;
        if address == 0 {
            return Ok(());
        }
        let freed = device.heap().free(address);
        if let Err(fault @ Failure::IllegalAddress(_)) = &freed {
            device.suffer(fault.clone());
        }
        freed
    }
    /// Bytes free and in all.
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        let memory = current()?.heap().memory();
        // SAFETY: the caller's.
        unsafe { put(free, memory[0] as usize).and_then(|()| put(total, memory[1] as usize)) }
    }
    /// Page-locked memory of the host.
    fn cuMemHostAlloc(to: *mut *mut c_void, bytes: usize, _flags: u32) {
        // SAFETY: the caller's.
        unsafe { allocate_host(to, bytes) }
    }
    /// The same.
    fn cuMemAllocHost_v2(to: *mut *mut c_void, bytes: usize) {
        // SAFETY: the caller's.
        unsafe { allocate_host(to, bytes) }
    }
    /// Gives it back.
    fn cuMemFreeHost(memory: *mut c_void) {
        current()?;
        Machine::get()?.host().free(memory as u64)
    }
    /// The device's address of it, which is the same.
    fn cuMemHostGetDevicePointer_v2(to: *mut u64, memory: *mut c_void, _flags: u32) {
        current()?;
        if !Machine::get()?.host().holds(memory as u64, 1) {
            return Err(Failure::InvalidValue("memory that is not page-locked"));
        }
        // SAFETY: the caller's.
        unsafe { put(to, memory as u64) }
    }
    /// To the device, and waits.
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) {
        // SAFETY: the caller's.
        unsafe { upload(to, from, bytes, 0) }
    }
    /// To the device.
    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: u64) {
        // SAFETY: the caller's.
        unsafe { upload(to, from, bytes, stream) }
    }
    /// To the host, and waits.
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) {
        // SAFETY: the caller's.
        unsafe { download(to, from, bytes, 0) }
    }
    /// To the host.
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: u64) {
        // SAFETY: the caller's.
        unsafe { download(to, from, bytes, stream) }
    }
    /// Inside the device, and waits.
    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) {
        // SAFETY: the caller's.
        unsafe { copy(to, from, bytes, 0) }
    }
    /// Inside the device.
    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: u64) {
        // SAFETY: the caller's.
        unsafe { copy(to, from, bytes, stream) }
    }
    /// Between devices.
    fn cuMemcpyPeerAsync(to: u64, to_context: u64, from: u64, from_context: u64, bytes: usize, stream: u64) {
        device_of(to_context)?;
        device_of(from_context)?;
        // SAFETY: the caller's.
        unsafe { copy(to, from, bytes, stream) }
    }
    /// Sets bytes.
    fn cuMemsetD8Async(to: u64, value: u8, count: usize, stream: u64) {
        // SAFETY: the caller's.
        unsafe { fill(to, [value], count, stream) }
    }
    /// Sets words of 4 bytes.
    fn cuMemsetD32Async(to: u64, value: u32, count: usize, stream: u64) {
        // SAFETY: the caller's.
        unsafe { fill(to, value.to_ne_bytes(), count, stream) }
    }
}
