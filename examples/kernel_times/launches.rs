//! What a launch costs: small kernels back to back, until the device is done with all of them.

use ndany::kernel::{RawKernel, elementwise, reduction};
use ndany::prelude::*;

use crate::support::Outcome;

/// Launches that are timed together.
const LAUNCHES: u32 = 5000;

/// Elements of each array.
const SIZE: usize = 1000;

pub(super) fn run(device: &Device) -> Outcome {
    let (x, y) = (ones(SIZE, F32), ones(SIZE, F32));
    x.eval()?;
    y.eval()?;
    let operation = each(device, || (&x - &y).eval())?;
    let difference = elementwise("difference", |_, [x, y]| [x - y]);
    let kernel = each(device, || {
        let [difference] = difference.call([&x, &y]);
        difference.eval()
    })?;
    let sum = reduction("sum", |_, [x]| [x], |_, [a], [b]| [a + b], |_, state| state);
    let reduced = each(device, || {
        let [sum] = sum.call([&x], 0);
        sum.eval()
    })?;
    let built_in = each(device, || x.sum(0).eval())?;
    println!(
        "a launch of {SIZE} float32, back to back: an operation {operation:.2} µs, a kernel {kernel:.2} µs, a sum {built_in:.2} µs, \
         a reduction {reduced:.2} µs"
    );
    let text = "if (global_x() < y.size) y[global_x()] = x[global_x()] - y[global_x()];";
    let raw = RawKernel::new("difference", text).input("x", F32).inout("y", F32);
    let mut out = ones(SIZE, F32);
    // SAFETY: a thread stays below the size of both arrays, which is the same.
    let mut launch = || unsafe { raw.launch(device, 4, 256, (&x, &mut out)) };
    match launch() {
        Ok(_) => {
            let raw = each(device, || launch().map(drop))?;
            println!("  a raw kernel of one line {raw:.2} µs");
        }
        Err(error) if error.is_unsupported() => {}
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// Microseconds of a call.
fn each(device: &Device, work: impl FnMut() -> ndany::Result<()>) -> Outcome<f64> {
    Ok(crate::support::each(device, LAUNCHES, work)? * 1e6)
}
