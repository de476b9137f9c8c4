//! Memory that arrays and other libraries use together, on the CPU: pinned memory, foreign memory, views through layouts, parts changed in place, DLPack.

mod changes;
mod dlpack;
mod foreign;
mod pinned;
mod views;

use ndany::exchange::Export;
use ndany::{Array, Device, DeviceGuard};

/// Enters the CPU for the rest of the test.
fn on_cpu() -> DeviceGuard {
    Device::open("cpu").expect("compiled in").enter()
}

/// The elements of an export, read by their address as another library reads them.
fn seen<T: Copy>(export: &Export) -> Vec<T> {
    let layout = export.layout();
    let first = std::ptr::with_exposed_provenance::<T>(export.address() as usize);
    let mut values = Vec::new();
    let mut index = vec![0usize; layout.shape.len()];
    for _ in 0..layout.size() {
        let at: isize =
            index.iter().zip(&layout.strides).map(|(&i, &step)| i as isize * step).sum();
        // SAFETY: the export keeps the elements of its layout.
        values.push(unsafe { first.offset(at).read() });
        for axis in (0..index.len()).rev() {
            index[axis] += 1;
            if index[axis] < layout.shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    values
}

/// Writes an element of an export at a step from the first.
fn poke<T>(export: &Export, step: isize, value: T) {
    let first = std::ptr::with_exposed_provenance_mut::<T>(export.address() as usize);
    // SAFETY: the tests write elements of the export, while no call uses the array.
    unsafe { first.offset(step).write(value) };
}

fn is_pending(array: &Array) -> bool {
    format!("{array:?}").contains("pending")
}
