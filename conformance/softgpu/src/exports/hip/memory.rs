//! Memory and copies.

use std::ffi::c_void;

use super::{code, current, device};
use crate::device::Machine;
use crate::exports::copies::{address_of_host, allocate_host, copy, download, fill, free, upload};
use crate::exports::shared::{self, Handle};
use crate::exports::{exports, put};

exports! { TABLE, code;
    /// Memory of the device.
    fn hipMalloc(to: *mut u64, bytes: usize) {
        let address = current()?.heap().allocate(bytes as u64)?;
        // SAFETY: the caller's.
        unsafe { put(to, address) }
    }
    /// Gives it back.
    fn hipFree(address: u64) {
        free(current()?, address)
    }
    /// Bytes free and in all.
    fn hipMemGetInfo(free: *mut usize, total: *mut usize) {
        let memory = current()?.heap().memory();
        // SAFETY: the caller's.
        unsafe { put(free, memory[0] as usize).and_then(|()| put(total, memory[1] as usize)) }
    }
    /// Managed memory.
    fn hipMallocManaged(to: *mut u64, bytes: usize, flags: u32) {
        // SAFETY: the caller's.
        unsafe { shared::allocate_managed(current()?, to, bytes, flags) }
    }
    /// Moves it to a device or, with -1, to the host: a hint.
    fn hipMemPrefetchAsync(address: u64, bytes: usize, place: i32, _stream: u64) {
        shared::hint(current()?, address, bytes, place)
    }
    /// How it is used: a hint.
    fn hipMemAdvise(address: u64, bytes: usize, advice: u32, place: i32) {
        shared::advise(current()?, address, bytes, advice, place)
    }
    /// The allocation that has an address.
    fn hipMemGetAddressRange(first: *mut u64, bytes: *mut usize, address: u64) {
        // SAFETY: the caller's.
        unsafe { shared::allocation_of(current()?, first, bytes, address) }
    }
    /// A handle of an allocation for other processes.
    fn hipIpcGetMemHandle(to: *mut Handle, address: u64) {
        // SAFETY: the caller's.
        unsafe { shared::handle_of(current()?, to, address) }
    }
    /// Opens another process's allocation.
    fn hipIpcOpenMemHandle(to: *mut u64, handle: Handle, flags: u32) {
        // SAFETY: the caller's.
        unsafe { shared::open(current()?, to, handle, flags) }
    }
    /// Closes it.
    fn hipIpcCloseMemHandle(address: u64) {
        free(current()?, address)
    }
    /// Page-locked memory of the host.
    fn hipHostMalloc(to: *mut *mut c_void, bytes: usize, _flags: u32) {
        current()?;
        // SAFETY: the caller's.
        unsafe { allocate_host(to, bytes) }
    }
    /// Gives it back.
    fn hipHostFree(memory: *mut c_void) {
        current()?;
        Machine::get()?.host().free(memory as u64)
    }
    /// The device's address of it, which is the same.
    fn hipHostGetDevicePointer(to: *mut u64, memory: *mut c_void, _flags: u32) {
        current()?;
        // SAFETY: the caller's.
        unsafe { address_of_host(to, memory) }
    }
    /// To the device.
    fn hipMemcpyHtoDAsync(to: u64, from: *const c_void, bytes: usize, stream: u64) {
        // SAFETY: the caller's.
        unsafe { upload(current()?, to, from, bytes, stream) }
    }
    /// To the host.
    fn hipMemcpyDtoHAsync(to: *mut c_void, from: u64, bytes: usize, stream: u64) {
        // SAFETY: the caller's.
        unsafe { download(current()?, to, from, bytes, stream) }
    }
    /// Inside the device.
    fn hipMemcpyDtoDAsync(to: u64, from: u64, bytes: usize, stream: u64) {
        copy(current()?, to, from, bytes, stream)
    }
    /// Between devices.
    fn hipMemcpyPeerAsync(to: u64, to_device: i32, from: u64, from_device: i32, bytes: usize, stream: u64) {
        device(to_device).and_then(|_| device(from_device))?;
        copy(current()?, to, from, bytes, stream)
    }
    /// Sets bytes.
    fn hipMemsetD8Async(to: u64, value: u8, count: usize, stream: u64) {
        fill(current()?, to, [value], count, stream)
    }
}
