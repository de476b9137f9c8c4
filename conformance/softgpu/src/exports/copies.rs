//! Copies and fills, for every vendor's functions. A range of a device that no allocation holds is an invalid value, found
//! at the call.

use std::ffi::c_void;
use std::sync::Arc;

use super::put;
use crate::device::{Device, Machine};
use crate::failure::{Failure, Result};
use crate::outcomes;

const NOT_OURS: Failure = Failure::InvalidValue("a range that no allocation of a device holds");
const NO_HOST: Failure = Failure::InvalidValue("a null pointer of the host");

fn check_device(address: u64, bytes: usize) -> Result<()> {
    Machine::get()?.owner(address, bytes as u64).then_some(()).ok_or(NOT_OURS)
}

/// Where copies read and write, as numbers that can be sent to the thread that runs them.
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
        let _turn = outcomes::turn();
        // SAFETY: the caller's. Ranges may overlap.
        unsafe { std::ptr::copy(self.from as *const u8, self.to as *mut u8, self.bytes) };
    }

    /// The same from the host: what arrives is written.
    ///
    /// # Safety
    /// See `copy`.
    unsafe fn upload(self) {
        // SAFETY: the caller's.
        unsafe { self.copy() };
        if let Ok(machine) = Machine::get() {
            machine.written(self.to, self.bytes as u64);
        }
    }
}

/// Work on ranges of a device's memory, which are checked now and again when it runs.
fn task(
    device: &'static Device,
    ranges: &'static str,
    check: impl Fn() -> Result<()> + Send + Sync + 'static,
    work: impl Fn() + Send + Sync + 'static,
) -> Result<impl Fn() + Send + Sync + 'static> {
    check()?;
    Ok(move || match (device.fault(), check()) {
        (Some(_), _) => {}
        (None, Ok(())) => work(),
        (None, Err(_)) => device.suffer(Failure::IllegalAddress(format!(
            "{ranges} of memory that was freed before its turn"
        ))),
    })
}

/// To the device.
///
/// # Safety
/// Checks that this number of bytes can be read.
pub(super) unsafe fn upload(
    device: &'static Device,
    to: u64,
    from: *const c_void,
    bytes: usize,
    stream: u64,
) -> Result<()> {
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
        let copied = task(
            device,
            "a copy",
            move || ours().and_then(|()| check_device(range.from, bytes)),
            move || unsafe { range.upload() },
        );
        return machine.submit(device, stream, Box::new(copied?));
    }
    // Pageable memory is the caller's again when this returns.
    // SAFETY: the caller's.
    let values = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), bytes) }.to_vec();
    let copied = task(device, "a copy", ours, move || {
        let range = Range { to, from: values.as_ptr() as u64, bytes };
        // SAFETY: one range is ours, one is `values`.
        unsafe { range.upload() }
    });
    machine.submit(device, stream, Box::new(copied?))
}

/// To the host; memory that is not page-locked is filled when this returns.
///
/// # Safety
/// Checks that this number of bytes can be written until the stream has passed the copy.
pub(super) unsafe fn download(
    device: &'static Device,
    to: *mut c_void,
    from: u64,
    bytes: usize,
    stream: u64,
) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    if to.is_null() {
        return Err(NO_HOST);
    }
    let (machine, range) = (Machine::get()?, Range { to: to as u64, from, bytes });
    let locked = machine.host().holds(range.to, bytes as u64);
    let copy = move || match machine.check_written("a copy to the host", from, bytes as u64) {
        // SAFETY: the caller's host memory, which lives until the copy is done: if it is not page-locked, that is at the
        // end of this function.
        Ok(()) => unsafe { range.copy() },
        Err(fault) => device.suffer(fault),
    };
    let check = move || {
        check_device(from, bytes)?;
        if locked { check_device(range.to, bytes) } else { Ok(()) }
    };
    machine.submit(device, stream, Box::new(task(device, "a copy", check, copy)?))?;
    if !locked {
        machine.order().wait_for_stream(stream, device.ordinal)?;
        device.works()?;
    }
    Ok(())
}

/// Inside a device, or between two.
pub(super) fn copy(
    device: &'static Device,
    to: u64,
    from: u64,
    bytes: usize,
    stream: u64,
) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let (range, check) = (Range { to, from, bytes }, move || {
        check_device(to, bytes).and_then(|()| check_device(from, bytes))
    });
    let copied = task(device, "a copy", check, move || {
        // SAFETY: both ranges are ours.
        unsafe { range.copy() };
        if let Ok(machine) = Machine::get() {
            machine.copied(to, from, bytes as u64);
        }
    });
    Machine::get()?.perform(device, stream, Arc::new(copied?))
}

/// Sets `count` values of a width, given by their bytes.
pub(super) fn fill<const N: usize>(
    device: &'static Device,
    to: u64,
    value: [u8; N],
    count: usize,
    stream: u64,
) -> Result<()> {
    let bytes = count.checked_mul(N).ok_or(NOT_OURS)?;
    if bytes == 0 {
        return Ok(());
    }
    if !to.is_multiple_of(N as u64) {
        return Err(Failure::InvalidValue("an address that is no multiple of the width"));
    }
    let filled = task(
        device,
        "a fill",
        move || check_device(to, bytes),
        move || {
            let _turn = outcomes::turn();
            // SAFETY: the range is ours.
            unsafe { std::slice::from_raw_parts_mut(to as *mut [u8; N], count) }.fill(value);
            if let Ok(machine) = Machine::get() {
                machine.written(to, bytes as u64);
            }
        },
    );
    Machine::get()?.perform(device, stream, Arc::new(filled?))
}

/// Waits for a synchronous copy.
pub(super) fn wait(device: &'static Device) -> Result<()> {
    Machine::get()?.order().wait_for_stream(0, device.ordinal)?;
    device.works()
}

/// Gives memory of a device back.
pub(super) fn free(device: &'static Device, address: u64) -> Result<()> {
    if address == 0 {
        return Ok(());
    }
    let freed = device.heap().free(address);
    if let Err(fault @ Failure::IllegalAddress(_)) = &freed {
        device.suffer(fault.clone());
    }
    freed
}

/// Page-locked memory of the host.
///
/// # Safety
/// The result can be written.
pub(super) unsafe fn allocate_host(to: *mut *mut c_void, bytes: usize) -> Result<()> {
    let address = Machine::get()?.host().allocate(bytes as u64)?;
    // SAFETY: the caller's.
    unsafe { put(to, address as *mut c_void) }
}

/// A device's address of page-locked memory, which is the same.
///
/// # Safety
/// The result can be written.
pub(super) unsafe fn address_of_host(to: *mut u64, memory: *mut c_void) -> Result<()> {
    if !Machine::get()?.host().holds(memory as u64, 1) {
        return Err(Failure::InvalidValue("memory that is not page-locked"));
    }
    // SAFETY: the caller's.
    unsafe { put(to, memory as u64) }
}
