//! The ROCm backend of ndany: what `ndany-gpu` asks of a vendor, for AMD.
//!
//! - `library`: where AMD's libraries are, and the functions used of them
//! - `driver`, `compiler`, `blas`: HIP, hipRTC and rocBLAS behind the traits of `ndany-gpu`
//!
//! Nothing of ROCm is needed to build this, and nothing of it but HIP to open a device. A missing library or function
//! is an error that says what was tried and how to mend it, never a panic.

mod blas;
mod compiler;
mod driver;
mod library;

use std::sync::Arc;

pub use compiler::RocmCompiler;
pub use driver::{Rocm, RocmDriver};
use ndany_core::backend::Backend;
use ndany_core::{LibraryReport, Provider, Report, Result};
use ndany_gpu::provider::{Opened, found};

use blas::RocmBlas;

/// What the facade hands to core: devices named `hip:0`, `hip:1`, …
pub const PROVIDER: Provider = Provider { name: "hip", open, discover, report };

static OPENED: Opened = Opened::of("hip");

/// Devices that are there. HIP is looked for once in a process; no context is made.
fn discover() -> Vec<String> {
    (0..driver::count().unwrap_or(0)).map(|ordinal| format!("hip:{ordinal}")).collect()
}

/// Opens a device; `hip` and `hip:0` are one.
fn open(options: &str) -> Result<Arc<dyn Backend>> {
    OPENED.open(options, driver::count, Rocm::open, RocmCompiler::open, |driver: &RocmDriver| {
        Box::new(RocmBlas::new(driver.vendor().context()))
    })
}

fn report() -> Report {
    let mut devices = Vec::new();
    if let Ok(hip) = driver::initialized() {
        for ordinal in 0..driver::count().unwrap_or(0) {
            let properties = driver::properties(hip, ordinal);
            devices.push(OPENED.describe(ordinal, properties, "architecture"));
        }
    }
    let hip = LibraryReport {
        name: "HIP",
        purpose: "memory, order, launches",
        without: "no ROCm device opens; the other devices run everything",
        found: found(library::hip(), driver::version).and_then(|library| {
            // A HIP that does not start is as good as none.
            driver::initialized().map(|_| library)
        }),
    };
    let hiprtc = LibraryReport {
        name: "hipRTC",
        purpose: "compiles kernels",
        without: "only kernels that were compiled before and kept run",
        found: found(library::hiprtc(), compiler::version),
    };
    let rocblas = LibraryReport {
        name: "rocBLAS",
        purpose: "matrix products",
        without: "products run on own kernels, slower",
        found: found(library::rocblas(), blas::version),
    };
    Report { family: "hip", devices, libraries: vec![hip, hiprtc, rocblas] }
}
