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

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

pub use compiler::CudaCompiler;
pub use driver::CudaDriver;
use ndany_core::backend::Backend;
use ndany_core::{DeviceReport, Error, FoundLibrary, LibraryReport, Provider, Report, Result};
use ndany_gpu::GpuBackend;
use ndany_gpu::driver::Compiler;
use ndany_gpu::library::{Absent, Found};

use blas::CudaBlas;

/// What the facade hands to core: devices named `cuda:0`, `cuda:1`, …
pub const PROVIDER: Provider = Provider { name: "cuda", open, discover, report };

/// Devices that are there. The driver is looked for once in a process; no context is made.
fn discover() -> Vec<String> {
    (0..driver::count().unwrap_or(0)).map(|ordinal| format!("cuda:{ordinal}")).collect()
}

/// Opens a device; `cuda` and `cuda:0` are one.
fn open(options: &str) -> Result<Arc<dyn Backend>> {
    static OPENED: Mutex<BTreeMap<u32, Arc<dyn Backend>>> = Mutex::new(BTreeMap::new());
    let refused = |reason: String| Error::NoDevice { name: format!("cuda:{options}"), reason };
    let ordinal = match options {
        "" => 0,
        _ => options
            .parse()
            .map_err(|_| refused("the number of a device is expected behind the colon".into()))?,
    };
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(backend) = opened.get(&ordinal) {
        return Ok(backend.clone());
    }
    // A context takes a tenth of a second or more: long enough to open the compiler besides. Where there is no driver
    // there is nothing to compile for.
    driver::count().map_err(refused)?;
    let compiler = std::thread::spawn(CudaCompiler::open);
    let driver = CudaDriver::open(ordinal).map_err(refused)?;
    let compiler = compiler.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let compiler = compiler.map(|compiler| Box::new(compiler) as Box<dyn Compiler>);
    let blas = Box::new(CudaBlas::new(driver.context()));
    let backend: Arc<dyn Backend> = Arc::new(GpuBackend::new(driver, compiler)?.with_blas(blas));
    opened.insert(ordinal, backend.clone());
    Ok(backend)
}

fn report() -> Report {
    let mut devices = Vec::new();
    if let Ok(cuda) = driver::initialized() {
        for ordinal in 0..driver::count().unwrap_or(0) {
            let facts = match driver::properties(cuda, ordinal) {
                Ok((_, properties)) => vec![
                    ("is a", properties.name),
                    ("memory", format!("{:.1} GiB", properties.memory as f64 / f64::from(1 << 30))),
                    ("compute capability", properties.architecture),
                    ("multiprocessors", properties.processors.to_string()),
                ],
                Err(error) => vec![("failed:", error.to_string())],
            };
            devices.push(DeviceReport { name: format!("cuda:{ordinal}"), facts });
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

fn found<S: fmt::Debug>(
    library: std::result::Result<&Found<S>, &Absent>,
    version: impl FnOnce(&S) -> String,
) -> std::result::Result<FoundLibrary, String> {
    match library {
        Ok(found) => {
            Ok(FoundLibrary { version: version(&found.symbols), path: found.path.clone() })
        }
        Err(absent) => Err(absent.to_string()),
    }
}
