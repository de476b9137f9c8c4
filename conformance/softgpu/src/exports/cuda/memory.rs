//! Memory and copies. A range of a device that no allocation holds is an invalid value, found at the call.

use std::ffi::c_void;

use super::{code, current, device_of};
use crate::device::Machine;
use crate::exports::{exports, put};
use crate::failure::{Failure, Result};

const NOT_OURS: Failure = Failure::InvalidValue("a range that no allocation of a device holds");
const NO_HOST: Failure = Failure::InvalidValue("a null pointer of the host");

fn check_device(address: u64, bytes: usize) -> Result<()> {
    Machine::get()?.owner(address, bytes as u64).then_some(()).ok_or(NOT_OURS)
}

/// Where copies read and write, as numbers that can go to whoever runs them.
#[derive(Clone, Copy, Debug)]
struct Range {
    to: u64,
    from: u64,
    bytes: usize,
}

impl Range {
    /// # Safety
    /// What is of the host can be read and written; what is of a device is checked once more, since it may be gone.
    unsafe fn copy(self) {
        // SAFETY: the caller's. Ranges may overlap.
        unsafe { std::ptr::copy(self.from as *const u8, self.to as *mut u8, self.bytes) };
    }
}

/// Runs work on a device's memory in a stream; the ranges are checked again when it runs.
fn submit(
    stream: u64,
    ranges: &'static str,
    check: impl Fn() -> Result<()> + Send + 'static,
    work: impl FnOnce() + Send + 'static,
) -> Result<()> {
    let device = current()?;
    check()?;
    let job = move || match (device.fault(), check()) {
        (Some(_), _) => {}
        (None, Ok(())) => work(),
        (None, Err(_)) => device.suffer(Failure::IllegalAddress(format!(
            "{ranges} of memory that was freed before its turn"
        ))),
    };
    Machine::get()?.submit(device, stream, Box::new(job))
}

unsafe fn upload(to: u64, from: *const c_void, bytes: usize, stream: u64) -> Result<()> {
    current()?;
    if bytes == 0 {
        return Ok(());
    }
    if from.is_null() {
        return Err(NO_HOST);
    }
    let ours = move || check_device(to, bytes);
    let machine = Machine::get()?;
    if machine.host().holds(from as u64, bytes as u64) {
        let range = Range { to, from: from as u64, bytes };
        // SAFETY: both ranges are ours.
        return submit(
            stream,
            "a copy",
            move || ours().and_then(|()| check_device(range.from, bytes)),
            move || unsafe { range.copy() },
        );
    }
    // Pageable memory is the caller's again when this returns.
    // SAFETY: the caller's.
    let values = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), bytes) }.to_vec();
    submit(stream, "a copy", ours, move || {
        let range = Range { to, from: values.as_ptr() as u64, bytes };
        // SAFETY: one range is ours, one is `values`.
        unsafe { range.copy() }
    })
}

unsafe fn download(to: *mut c_void, from: u64, bytes: usize, stream: u64) -> Result<()> {
    let device = current()?;
    if bytes == 0 {
        return Ok(());
    }
    if to.is_null() {
        return Err(NO_HOST);
    }
    let (machine, range) = (Machine::get()?, Range { to: to as u64, from, bytes });
    let locked = machine.host().holds(range.to, bytes as u64);
    // SAFETY: the caller's host memory, which lives until the copy is done: if it is not page-locked, that is at the end
    // of this function.
    let copy = move || unsafe { range.copy() };
    let check = move || {
        check_device(from, bytes)?;
        if locked { check_device(range.to, bytes) } else { Ok(()) }
    };
    submit(stream, "a copy", check, copy)?;
    if !locked {
        machine.order().wait_for_stream(stream, device.ordinal)?;
        current()?;
    }
    Ok(())
}

unsafe fn copy(to: u64, from: u64, bytes: usize, stream: u64) -> Result<()> {
    current()?;
    if bytes == 0 {
        return Ok(());
    }
    let (range, check) = (Range { to, from, bytes }, move || {
        check_device(to, bytes).and_then(|()| check_device(from, bytes))
    });
    // SAFETY: both ranges are ours.
    submit(stream, "a copy", check, move || unsafe { range.copy() })
}

/// Sets `count` values of a width, given by their bytes.
unsafe fn fill<const N: usize>(to: u64, value: [u8; N], count: usize, stream: u64) -> Result<()> {
    current()?;
    let bytes = count.checked_mul(N).ok_or(NOT_OURS)?;
    if bytes == 0 {
        return Ok(());
    }
    if !to.is_multiple_of(N as u64) {
        return Err(Failure::InvalidValue("an address that is no multiple of the width"));
    }
    submit(
        stream,
        "a fill",
        move || check_device(to, bytes),
        move || {
            // SAFETY: the range is ours.
            unsafe { std::slice::from_raw_parts_mut(to as *mut [u8; N], count) }.fill(value);
        },
    )
}

/// Waits for a synchronous copy.
fn wait() -> Result<()> {
    let device = current()?.ordinal;
    Machine::get()?.order().wait_for_stream(0, device)?;
    current().map(|_| ())
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
        unsafe { upload(to, from, bytes, 0) }?;
        wait()
    }
    /// To the device.
    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: u64) {
        // SAFETY: the caller's.
        unsafe { upload(to, from, bytes, stream) }
    }
    /// To the host, and waits.
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) {
        // SAFETY: the caller's.
        unsafe { download(to, from, bytes, 0) }?;
        wait()
    }
    /// To the host.
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: u64) {
        // SAFETY: the caller's.
        unsafe { download(to, from, bytes, stream) }
    }
    /// Inside the device, and waits.
    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) {
        // SAFETY: the caller's.
        unsafe { copy(to, from, bytes, 0) }?;
        wait()
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
