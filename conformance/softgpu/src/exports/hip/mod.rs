//! HIP, version 6.2: a device of 64 lanes, as AMD's accelerators are, or of 32.
//!
//! Nothing has to be initialized, each thread has a current device (the first until it chooses), and there are no
//! contexts to hold. What is not used by a backend is missing, as in an older version.

pub mod device;
pub mod memory;
pub mod module;
pub mod order;

use std::cell::Cell;

pub use super::cuda::code;
use crate::device::{Device, Machine};
use crate::failure::{Failure, Result};
use crate::settings::Settings;

/// The version that it says it is.
pub const VERSION: i32 = 60_241_000;

/// The architecture.
pub(super) fn architecture() -> &'static str {
    &Settings::get().architecture
}

thread_local! {
    /// The thread's device.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// All devices.
fn machine() -> Result<&'static Machine> {
    let machine = Machine::initialize();
    // `hipErrorNoDevice`.
    if machine.devices.is_empty() { Err(Failure::Injected(100)) } else { Ok(machine) }
}

/// A device by its number.
fn device(ordinal: i32) -> Result<&'static Device> {
    machine()?.device(ordinal.into())
}

/// The thread's device, if it works.
fn current() -> Result<&'static Device> {
    let device = machine()?.device(CURRENT.get() as i64)?;
    device.works().map(|()| device)
}
