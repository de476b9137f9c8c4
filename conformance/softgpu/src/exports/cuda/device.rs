//! What a device is.

use std::ffi::c_char;

use super::{VERSION, code};
use crate::device::Machine;
use crate::exports::{exports, put};
use crate::failure::{Failure, Result};
use crate::settings::Settings;

/// The attributes that are not zero, by the numbers of `CUdevice_attribute`.
fn attribute(number: i32, ordinal: i32) -> i32 {
    match number {
        1 => 1024,                               // threads of a block
        2 | 3 => 1024,                           // in x, in y
        4 => 64,                                 // in z
        5 => i32::MAX,                           // blocks in x
        6 | 7 => 65_535,                         // in y, in z
        8 => 48 << 10,                           // shared memory of a block
        9 => 64 << 10,                           // constant memory
        10 => 32,                                // lanes
        11 => i32::MAX,                          // pitch
        12 | 82 => 64 << 10,                     // registers of a block, of a multiprocessor
        13 => 1_980_000,                         // clock in kHz
        14 => 512,                               // alignment of textures
        15 | 19 | 31 | 41 => 1, // overlap, mapped host memory, concurrent kernels, one address space
        16 => Settings::get().processors as i32, // multiprocessors
        33 => ordinal + 1,      // bus
        36 => 2_619_000,        // clock of the memory in kHz
        37 => 5120,             // width of the memory's bus in bits
        38 => 50 << 20,         // second cache
        39 => 2048,             // threads of a multiprocessor
        40 => 3,                // copy engines
        75 => 9,                // capability, major; the minor is 0
        78..=80 => 1,           // priorities of streams, caches
        81 => 228 << 10,        // shared memory of a multiprocessor
        89 | 95 => 1,           // managed memory for both at once, cooperative launches
        97 => 227 << 10,        // shared memory of a block that asks
        106 => 32,              // blocks of a multiprocessor
        111 => 1024,            // shared memory of a block that the driver takes
        _ => 0,
    }
}

fn device(ordinal: i32) -> Result<&'static crate::device::Device> {
    Machine::get()?.device(ordinal.into())
}

unsafe fn uuid(to: *mut [u8; 16], ordinal: i32) -> Result<()> {
    device(ordinal)?;
    let mut bytes = *b"ndany softgpu\0\0\0";
    bytes[15] = ordinal as u8;
    // SAFETY: the caller's.
    unsafe { put(to, bytes) }
}

exports! { TABLE, code;
    /// Begins.
    fn cuInit(flags: u32) {
        if flags != 0 {
            return Err(Failure::InvalidValue("cuInit takes no flags"));
        }
        if Machine::initialize().devices.is_empty() {
            return Err(Failure::Injected(100));
        }
        Ok(())
    }
    /// The driver's version.
    fn cuDriverGetVersion(to: *mut i32) {
        // SAFETY: the caller's.
        unsafe { put(to, VERSION) }
    }
    /// How many devices.
    fn cuDeviceGetCount(to: *mut i32) {
        // SAFETY: the caller's.
        unsafe { put(to, Machine::get()?.devices.len() as i32) }
    }
    /// A device by its number.
    fn cuDeviceGet(to: *mut i32, ordinal: i32) {
        device(ordinal)?;
        // SAFETY: the caller's.
        unsafe { put(to, ordinal) }
    }
    /// Its name, cut off where the caller's memory ends.
    fn cuDeviceGetName(to: *mut c_char, bytes: i32, ordinal: i32) {
        device(ordinal)?;
        let name = c"ndany softgpu".to_bytes();
        let Some(room) = usize::try_from(bytes).ok().filter(|&room| room > 0 && !to.is_null()) else {
            return Err(Failure::InvalidValue("no memory for a name"));
        };
        let kept = name.len().min(room - 1);
        // SAFETY: the caller's: `bytes` bytes may be written.
        unsafe {
            to.cast::<u8>().copy_from_nonoverlapping(name.as_ptr(), kept);
            to.add(kept).write(0);
        }
        Ok(())
    }
    /// An attribute.
    fn cuDeviceGetAttribute(to: *mut i32, number: i32, ordinal: i32) {
        device(ordinal)?;
        // SAFETY: the caller's.
        unsafe { put(to, attribute(number, ordinal)) }
    }
    /// Bytes of memory.
    fn cuDeviceTotalMem_v2(to: *mut usize, ordinal: i32) {
        // SAFETY: the caller's.
        unsafe { put(to, device(ordinal)?.heap().memory()[1] as usize) }
    }
    /// What tells it from others.
    fn cuDeviceGetUuid(to: *mut [u8; 16], ordinal: i32) {
        // SAFETY: the caller's.
        unsafe { uuid(to, ordinal) }
    }
    /// The same.
    fn cuDeviceGetUuid_v2(to: *mut [u8; 16], ordinal: i32) {
        // SAFETY: the caller's.
        unsafe { uuid(to, ordinal) }
    }
    /// Where it is plugged in.
    fn cuDeviceGetPCIBusId(to: *mut c_char, bytes: i32, ordinal: i32) {
        device(ordinal)?;
        let name = format!("0000:{:02x}:00.0\0", ordinal + 1);
        if to.is_null() || usize::try_from(bytes).map_or(true, |room| room < name.len()) {
            return Err(Failure::InvalidValue("no memory for a name"));
        }
        // SAFETY: the caller's: `bytes` bytes may be written.
        unsafe { to.cast::<u8>().copy_from_nonoverlapping(name.as_ptr(), name.len()) };
        Ok(())
    }
    /// Its capability.
    fn cuDeviceComputeCapability(major: *mut i32, minor: *mut i32, ordinal: i32) {
        device(ordinal)?;
        // SAFETY: the caller's.
        unsafe { put(major, attribute(75, ordinal)).and_then(|()| put(minor, attribute(76, ordinal))) }
    }
    /// Whether it may use the memory of another device. All may.
    fn cuDeviceCanAccessPeer(to: *mut i32, ordinal: i32, peer: i32) {
        device(ordinal).and_then(|_| device(peer))?;
        // SAFETY: the caller's.
        unsafe { put(to, i32::from(ordinal != peer)) }
    }
}
