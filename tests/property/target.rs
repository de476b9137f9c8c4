//! A device that programs run on, with streams to spread them over.

use std::sync::Once;

use libloading::{Library, Symbol};
use ndany::{Device, Stream};

use crate::program::StepSchedule;

/// Sets by which order the software GPU goes on.
type SetOrder = unsafe extern "C" fn(u64) -> bool;

pub struct Target {
    pub device: Device,
    /// All but the default one.
    pub streams: Vec<Stream>,
    /// The software GPU's function, if it is one and its order is a seeded one.
    order: Option<SetOrder>,
}

impl Target {
    pub fn new(device: Device) -> Self {
        let streams = (1..StepSchedule::STREAMS).map(|_| device.stream(..));
        let streams = streams.collect::<ndany::Result<_>>().expect("streams");
        let library = match device.name().split(':').next() {
            Some("cuda") => Some("libcuda.so.1"),
            Some("hip") => Some("libamdhip64.so.6"),
            _ => None,
        };
        let order = library.and_then(set_order);
        Self { device, streams, order }
    }

    /// Whether it has streams that run concurrently.
    pub fn is_gpu(&self) -> bool {
        self.device.memory().is_ok()
    }

    /// Begins a program so that it goes as it goes by itself: on the software GPU nothing is left of those before. `false`
    /// where the device is lost: what happens there says nothing any more.
    pub fn begin(&self, seed: u64) -> bool {
        let Some(order) = self.order else { return true };
        if self.device.release_memory().is_err() {
            return false;
        }
        // SAFETY: the function is of a library that stays loaded, and takes any number.
        let seeded = unsafe { order(seed) };
        static ONCE: Once = Once::new();
        if !seeded {
            ONCE.call_once(|| crate::say("streams of the software GPU do not run late"));
        }
        true
    }
}

/// The function, if this name is a software GPU's.
fn set_order(library: &str) -> Option<SetOrder> {
    // SAFETY: the library is loaded already, by the backend, and stays.
    let library = unsafe { Library::new(library) }.ok()?;
    // SAFETY: the software GPU's function has this type; no other library has one of its name.
    let function = unsafe {
        let found: Result<Symbol<'_, SetOrder>, _> = library.get(b"ndany_softgpu_order\0");
        found.ok().map(|function| *function)
    };
    std::mem::forget(library);
    function
}
