//! What a device is, which one a thread uses, and what errors are called.

use std::ffi::{CStr, c_char};

use super::{CURRENT, VERSION, architecture, code, current, device, machine};
use crate::device::Machine;
use crate::exports::cuda::{CODES, entry::described};
use crate::exports::{exports, put};
use crate::failure::Failure;
use crate::settings::Settings;

/// The attributes that are not zero, by the numbers of `hipDeviceAttribute_t`.
fn attribute(number: i32, ordinal: i32) -> i32 {
    match number {
        2 => 2,                                  // copy engines
        3 | 8 | 9 | 78 | 85 => 1, // mapped host memory, concurrent kernels, managed memory for both at once, priorities, one address space
        5 => 1_700_000,           // clock in kHz
        19 => 8 << 20,            // second cache
        23 => 9,                  // capability, major; the minor is 0
        59 => 4096,               // width of the memory's bus in bits
        60 => 1_600_000,          // clock of the memory in kHz
        67 => ordinal + 1,        // bus
        71 | 72 => 64 << 10,      // registers of a block, of a multiprocessor
        10_002 => super::module::SHARED as i32, // shared memory of a multiprocessor
        10 => 1,                  // cooperative launches
        56 | 26 | 27 => 1024,     // threads of a block, in x, in y
        28 => 64,                 // in z
        29 => i32::MAX,           // blocks in x
        30 | 31 => 65_535,        // in y, in z
        57 => 2048,               // threads of a multiprocessor
        63 => Settings::get().processors as i32, // multiprocessors
        74 => super::module::SHARED as i32, // shared memory of a block
        83 => 64 << 10,           // constant memory
        87 => Settings::get().lanes as i32, // lanes
        _ => 0,
    }
}

const NAME: &CStr = c"ndany softgpu";

/// Bytes of `hipDeviceProp_t` since version 6, and where in it the architecture's name is.
const PROPERTIES: usize = 1472;
const ARCHITECTURE_AT: usize = 1160;

exports! { TABLE, code;
    /// Begins, which need not be asked for.
    fn hipInit(flags: u32) {
        if flags != 0 {
            return Err(Failure::InvalidValue("hipInit takes no flags"));
        }
        machine().map(|_| ())
    }
    /// The version.
    fn hipRuntimeGetVersion(to: *mut i32) {
        // SAFETY: the caller's.
        unsafe { put(to, VERSION) }
    }
    /// How many devices.
    fn hipGetDeviceCount(to: *mut i32) {
        // SAFETY: the caller's.
        unsafe { put(to, machine()?.devices.len() as i32) }
    }
    /// The thread's device.
    fn hipGetDevice(to: *mut i32) {
        machine()?;
        // SAFETY: the caller's.
        unsafe { put(to, CURRENT.get() as i32) }
    }
    /// Chooses it.
    fn hipSetDevice(ordinal: i32) {
        CURRENT.set(device(ordinal)?.ordinal);
        Ok(())
    }
    /// Its name, cut off where the caller's memory ends.
    fn hipDeviceGetName(to: *mut c_char, bytes: i32, ordinal: i32) {
        device(ordinal)?;
        let name = NAME.to_bytes();
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
    fn hipDeviceGetAttribute(to: *mut i32, number: i32, ordinal: i32) {
        device(ordinal)?;
        // SAFETY: the caller's.
        unsafe { put(to, attribute(number, ordinal)) }
    }
    /// Bytes of memory.
    fn hipDeviceTotalMem(to: *mut usize, ordinal: i32) {
        // SAFETY: the caller's.
        unsafe { put(to, device(ordinal)?.heap().memory()[1] as usize) }
    }
    /// The structure of version 6, in which only the names are filled in.
    fn hipGetDevicePropertiesR0600(to: *mut [u8; PROPERTIES], ordinal: i32) {
        device(ordinal)?;
        let mut bytes = [0; PROPERTIES];
        let name = format!("{}:sramecc+:xnack-", architecture());
        bytes[..NAME.count_bytes()].copy_from_slice(NAME.to_bytes());
        bytes[ARCHITECTURE_AT..ARCHITECTURE_AT + name.len()].copy_from_slice(name.as_bytes());
        // SAFETY: the caller's.
        unsafe { put(to, bytes) }
    }
    /// Whether it may use the memory of another device. All may.
    fn hipDeviceCanAccessPeer(to: *mut i32, ordinal: i32, peer: i32) {
        device(ordinal).and_then(|_| device(peer))?;
        // SAFETY: the caller's.
        unsafe { put(to, i32::from(ordinal != peer)) }
    }
    /// Lets the current device use a device's memory.
    fn hipDeviceEnablePeerAccess(peer: i32, _flags: u32) {
        let (own, peer) = (current()?, device(peer)?);
        if own.ordinal == peer.ordinal {
            return Err(Failure::InvalidDevice(peer.ordinal as i64));
        }
        own.peers().insert(peer.ordinal).then_some(()).ok_or(Failure::PeerAlready)
    }
    /// Waits for everything.
    fn hipDeviceSynchronize() {
        let device = current()?;
        Machine::get()?.order().wait_for_device(device.ordinal);
        // What it waited for may have gone wrong.
        device.works()
    }
}

/// The name of an error.
#[unsafe(no_mangle)]
pub extern "C" fn hipGetErrorName(number: u32) -> *const c_char {
    match number {
        0 => c"hipSuccess",
        1 => c"hipErrorInvalidValue",
        2 => c"hipErrorOutOfMemory",
        3 => c"hipErrorNotInitialized",
        100 => c"hipErrorNoDevice",
        101 => c"hipErrorInvalidDevice",
        200 => c"hipErrorInvalidImage",
        209 => c"hipErrorNoBinaryForGpu",
        400 => c"hipErrorInvalidHandle",
        500 => c"hipErrorNotFound",
        600 => c"hipErrorNotReady",
        700 => c"hipErrorIllegalAddress",
        701 => c"hipErrorLaunchOutOfResources",
        704 => c"hipErrorPeerAccessAlreadyEnabled",
        705 => c"hipErrorPeerAccessNotEnabled",
        719 => c"hipErrorLaunchFailure",
        720 => c"hipErrorCooperativeLaunchTooLarge",
        _ => c"hipErrorUnknown",
    }
    .as_ptr()
}

/// The text of an error, with what the thread's device suffers from, if that is what the number means.
#[unsafe(no_mangle)]
pub extern "C" fn hipGetErrorString(number: u32) -> *const c_char {
    let fault = machine().ok().and_then(|m| m.device(CURRENT.get() as i64).ok()?.fault());
    let plain = CODES.iter().find(|row| row.0 == number).map_or(c"unknown error", |row| row.2);
    described(plain, fault.filter(|fault| code(fault) == number))
}
