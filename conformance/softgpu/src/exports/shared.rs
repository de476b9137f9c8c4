//! Memory that others use, too: managed memory, which the host uses, and allocations of other processes.
//!
//! A handle for other processes names a file in memory with a copy of the allocation, as it is when the handle is made; opening one
//! copies the file into memory of the device. So what one process writes later the other does not see, which programs that wait
//! before they make a handle, and write nothing after, cannot tell from one memory.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::{Mutex, PoisonError};

use super::put;
use crate::device::{Device, Machine};
use crate::failure::{Failure, Result};

/// A vendor's handle, which is passed by value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Handle(pub [u8; 64]);

/// What a handle begins with.
const MAGIC: u64 = u64::from_ne_bytes(*b"softgpu\0");

/// What is open for other processes, as long as this one lives.
static FILES: Mutex<Vec<File>> = Mutex::new(Vec::new());

/// Managed memory.
///
/// # Safety
/// The result can be written.
pub(super) unsafe fn allocate_managed(
    device: &Device,
    to: *mut u64,
    bytes: usize,
    flags: u32,
) -> Result<()> {
    if !matches!(flags, 1 | 2) {
        return Err(Failure::InvalidValue("managed memory is for all streams or for the host"));
    }
    let address = device.heap().allocate_beside(bytes as u64, true)?;
    // The host may write it, which is not seen.
    Machine::get()?.written(address, bytes as u64);
    // SAFETY: the caller's.
    unsafe { put(to, address) }
}

fn expect_managed(device: &Device, address: u64, bytes: usize) -> Result<()> {
    let heap = device.heap();
    if bytes > 0 && heap.holds(address, bytes as u64) && heap.is_managed(address) {
        return Ok(());
    }
    Err(Failure::InvalidValue("a range that no managed memory holds"))
}

/// A hint, which is checked and changes nothing.
pub(super) fn hint(device: &Device, address: u64, bytes: usize, place: i32) -> Result<()> {
    if place != -1 {
        Machine::get()?.device(place.into())?;
    }
    expect_managed(device, address, bytes)
}

/// Advice, the same.
pub(super) fn advise(
    device: &Device,
    address: u64,
    bytes: usize,
    advice: u32,
    place: i32,
) -> Result<()> {
    if !(1..=6).contains(&advice) {
        return Err(Failure::InvalidValue("no such advice"));
    }
    hint(device, address, bytes, place)
}

/// The allocation that has an address.
///
/// # Safety
/// The results can be written.
pub(super) unsafe fn allocation_of(
    device: &Device,
    first: *mut u64,
    bytes: *mut usize,
    address: u64,
) -> Result<()> {
    let around = device.heap().around(address);
    let found = around.filter(|(first, bytes)| address < first + bytes);
    let (start, length) = found.ok_or(Failure::NotFound("an allocation there".to_string()))?;
    // SAFETY: the caller's.
    unsafe { put(first, start).and_then(|()| put(bytes, length as usize)) }
}

/// A handle by which another process opens an allocation.
///
/// # Safety
/// The result can be written.
pub(super) unsafe fn handle_of(device: &Device, to: *mut Handle, address: u64) -> Result<()> {
    const REFUSED: Failure = Failure::InvalidValue("expected an allocation that is not managed");
    let heap = device.heap();
    let (first, bytes) = heap.around(address).ok_or(REFUSED)?;
    if first != address || heap.is_managed(address) {
        return Err(REFUSED);
    }
    // SAFETY: a name; without flags a file that another process may open.
    let number = unsafe { libc::memfd_create(c"softgpu".as_ptr(), 0) };
    if number < 0 {
        return Err(Failure::OutOfMemory(bytes, 0));
    }
    // SAFETY: it was just made, and has no other owner.
    let mut file = unsafe { File::from_raw_fd(number) };
    // SAFETY: a live allocation, which may be read.
    let memory = unsafe { std::slice::from_raw_parts(address as *const u8, bytes as usize) };
    file.write_all(memory).map_err(|_| Failure::OutOfMemory(bytes, 0))?;
    let mut handle = Handle([0; 64]);
    let words = [MAGIC, std::process::id().into(), file.as_raw_fd() as u64];
    for (place, word) in handle.0.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
    FILES.lock().unwrap_or_else(PoisonError::into_inner).push(file);
    // SAFETY: the caller's.
    unsafe { put(to, handle) }
}

/// Opens an allocation of another process.
///
/// # Safety
/// The result can be written.
pub(super) unsafe fn open(device: &Device, to: *mut u64, handle: Handle, flags: u32) -> Result<()> {
    // That of CUDA, and of HIP since ROCm 6, whose functions this library has.
    if flags != 1 {
        return Err(Failure::InvalidValue("expected the flag of peers that reach the memory"));
    }
    let (words, _) = handle.0.as_chunks::<8>();
    let [magic, process, number] = [words[0], words[1], words[2]].map(u64::from_ne_bytes);
    if magic != MAGIC {
        return Err(Failure::InvalidValue("no handle of this library"));
    }
    if process == u64::from(std::process::id()) {
        return Err(Failure::InvalidContext);
    }
    let bytes = std::fs::read(format!("/proc/{process}/fd/{number}"))
        .map_err(|_| Failure::InvalidValue("a handle of memory that is gone"))?;
    let address = device.heap().allocate_beside(bytes.len() as u64, false)?;
    // SAFETY: a fresh allocation of as many bytes.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) };
    Machine::get()?.written(address, bytes.len() as u64);
    // SAFETY: the caller's.
    unsafe { put(to, address) }
}
