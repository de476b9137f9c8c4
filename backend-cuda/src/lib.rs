//! The CUDA backend of ndany: what `ndany-gpu` asks of a vendor, for NVIDIA.
//!
//! - `library`: where NVIDIA's libraries are, and the functions used of them
//! - `driver`, `compiler`, `blas`: the driver, NVRTC and cuBLAS behind the traits of `ndany-gpu`
//!
//! Nothing of CUDA is needed to build this, and nothing of it but the driver to open a device. A missing library or
//! function is an error that says what was tried and how to mend it, never a panic.

mod blas;
mod compiler;
mod driver;
mod library;

use std::sync::Arc;

pub use compiler::CudaCompiler;
pub use driver::{CudaDriver, Nvidia};
use ndany_core::backend::Backend;
use ndany_core::{LibraryReport, Provider, Report, Result};
use ndany_gpu::provider::{Opened, found};

use blas::CudaBlas;

/// What the facade hands to core: devices named `cuda:0`, `cuda:1`, …
pub const PROVIDER: Provider = Provider { name: "cuda", open, discover, report };

static OPENED: Opened = Opened::of("cuda");

/// Devices that are there. The driver is looked for once in a process; no context is made.
fn discover() -> Vec<String> {
    (0..driver::count().unwrap_or(0)).map(|ordinal| format!("cuda:{ordinal}")).collect()
}

/// Opens a device; `cuda` and `cuda:0` are one.
fn open(options: &str) -> Result<Arc<dyn Backend>> {
    OPENED.open(options, driver::count, Nvidia::open, CudaCompiler::open, |driver: &CudaDriver| {
        Box::new(CudaBlas::new(driver.vendor().context()))
    })
}

fn report() -> Report {
    let mut devices = Vec::new();
    if let Ok(cuda) = driver::initialized() {
        for ordinal in 0..driver::count().unwrap_or(0) {
            let properties = driver::properties(cuda, ordinal).map(|(_, properties)| properties);
            devices.push(OPENED.describe(ordinal, properties, "compute capability"));
        }
    }
    let driver = LibraryReport {
        name: "driver",
        purpose: "memory, order, launches",
        without: "no CUDA device opens; the other devices run everything",
        found: found(library::cuda(), driver::version).and_then(|library| {
            // A driver that does not start is as good as none.
            driver::initialized().map(|_| library)
        }),
    };
    let nvrtc = LibraryReport {
        name: "NVRTC",
        purpose: "compiles kernels",
        without: "only kernels that were compiled before and kept run",
        found: found(library::nvrtc(), compiler::version),
    };
    let cublas = LibraryReport {
        name: "cuBLAS",
        purpose: "matrix products",
        without: "products run on own kernels, slower",
        found: found(library::cublas(), blas::version),
    };
    Report { family: "cuda", devices, libraries: vec![driver, nvrtc, cublas] }
}
