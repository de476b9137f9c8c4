//! CUDA's driver, version 13.0: a device of compute capability 9.0.
//!
//! Handles are numbers, not pointers. Managed memory, arrays and textures are
//! not here: their functions are missing, as in an older driver.

pub mod context;
pub mod device;
pub mod entry;
pub mod graph;
pub mod memory;
pub mod module;
pub mod order;

use std::cell::RefCell;
use std::ffi::{CStr, c_char};

use super::Export;
use crate::device::{Device, Machine};
use crate::failure::{Failure, Result};

/// The version that the driver says it is.
pub const VERSION: i32 = 13_000;
/// The architecture.
pub const ARCHITECTURE: &str = "sm_90";
/// Lanes of a warp.
const LANES: u32 = 32;

/// The numbers of `CUresult`, with name and text.
pub const CODES: &[(u32, &CStr, &CStr)] = &[
    (0, c"CUDA_SUCCESS", c"no error"),
    (1, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
    (2, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
    (3, c"CUDA_ERROR_NOT_INITIALIZED", c"initialization error"),
    (4, c"CUDA_ERROR_DEINITIALIZED", c"driver shutting down"),
    (34, c"CUDA_ERROR_STUB_LIBRARY", c"CUDA driver is a stub library"),
    (100, c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
    (101, c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
    (200, c"CUDA_ERROR_INVALID_IMAGE", c"device kernel image is invalid"),
    (201, c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context"),
    (
        209,
        c"CUDA_ERROR_NO_BINARY_FOR_GPU",
        c"no kernel image is available for execution on the device",
    ),
    (218, c"CUDA_ERROR_INVALID_PTX", c"a PTX JIT compilation failed"),
    (400, c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle"),
    (500, c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
    (600, c"CUDA_ERROR_NOT_READY", c"device not ready"),
    (700, c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
    (701, c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", c"too many resources requested for launch"),
    (702, c"CUDA_ERROR_LAUNCH_TIMEOUT", c"the launch timed out and was terminated"),
    (704, c"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", c"peer access is already enabled"),
    (705, c"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", c"peer access has not been enabled"),
    (709, c"CUDA_ERROR_CONTEXT_IS_DESTROYED", c"context is destroyed"),
    (719, c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure"),
    (720, c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", c"too many blocks in cooperative launch"),
    (801, c"CUDA_ERROR_NOT_SUPPORTED", c"operation not supported"),
    (999, c"CUDA_ERROR_UNKNOWN", c"unknown error"),
];

/// The number of a failure.
pub fn code(failure: &Failure) -> u32 {
    match failure {
        Failure::InvalidValue(_) => 1,
        Failure::OutOfMemory(..) => 2,
        Failure::NotInitialized => 3,
        Failure::InvalidDevice(_) => 101,
        Failure::InvalidImage(_) => 200,
        Failure::InvalidContext => 201,
        Failure::WrongArchitecture(_) => 209,
        Failure::InvalidHandle(_) => 400,
        Failure::NotFound(_) => 500,
        Failure::NotReady => 600,
        Failure::IllegalAddress(_) => 700,
        Failure::OutOfResources(..) => 701,
        Failure::TooManyBlocks(..) => 720,
        Failure::PeerAlready => 704,
        Failure::PeerNotEnabled => 705,
        Failure::LaunchFailed(_) | Failure::Lost => 719,
        Failure::Injected(code) => *code,
    }
}

thread_local! {
    /// The devices whose contexts are current on this thread, the last on top.
    static CURRENT: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Handles of contexts begin here.
const CONTEXTS: u64 = 0x0c00_0000;

fn context_of(ordinal: usize) -> u64 {
    CONTEXTS + 16 * ordinal as u64
}

fn device_of(context: u64) -> Result<&'static Device> {
    let ordinal = context.checked_sub(CONTEXTS).filter(|n| n % 16 == 0);
    let ordinal = ordinal.and_then(|n| i64::try_from(n / 16).ok());
    let device = ordinal.map(|ordinal| Machine::get()?.device(ordinal));
    device.and_then(Result::ok).ok_or(Failure::InvalidContext)
}

/// The device that is current, whatever it suffers from.
fn current_at_all() -> Result<&'static Device> {
    let machine = Machine::get()?;
    let ordinal = CURRENT.with_borrow(|all| all.last().copied()).ok_or(Failure::InvalidContext)?;
    machine.device(ordinal as i64)
}

/// The device that is current, if its context works.
fn current() -> Result<&'static Device> {
    let device = current_at_all()?;
    device.works().map(|()| device)
}

/// All functions of this library by their names.
pub fn table() -> impl Iterator<Item = &'static Export> {
    [
        device::TABLE,
        context::TABLE,
        memory::TABLE,
        order::TABLE,
        module::TABLE,
        entry::TABLE,
        graph::TABLE,
    ]
    .into_iter()
    .flatten()
}

/// A text that lives as long as the process, or null.
fn known(
    code: u32,
    pick: impl Fn(&(u32, &'static CStr, &'static CStr)) -> *const c_char,
) -> *const c_char {
    CODES.iter().find(|row| row.0 == code).map_or(std::ptr::null(), pick)
}
