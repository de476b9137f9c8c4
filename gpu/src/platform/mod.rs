//! Opening, discovery and reports of the devices of a platform, whatever shape its driver has.
//!
//! A [`Platform`] says how many devices there are, opens one, and describes what it found.
//! [`provider!`](crate::provider) makes of it what core asks for: each device is opened once in a process, the compiler is opened beside it, and a forked child
//! gets an error in place of a device. `vendor` implements this for drivers of CUDA's shape; another vendor implements
//! it itself.

mod error;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ndany_core::backend::Backend;
use ndany_core::ranges::Ranges;
use ndany_core::{DeviceReport, Error, LibraryError, LibraryReport, Result};
#[doc(hidden)]
pub use ndany_core::{Provider, Report};

pub use error::OpenError;

use crate::GpuBackend;
use crate::blas::Blas;
use crate::dft::Dft;
use crate::direct::DirectSolver;
use crate::driver::{CompileError, Compiler, Driver};
use crate::process;
use crate::solver::Solver;
use crate::sparse::Sparse;

/// The open devices of a platform, by their numbers.
#[derive(Debug, Default)]
pub struct OpenDevices(Mutex<BTreeMap<u32, Arc<dyn Backend>>>);

impl OpenDevices {
    /// None.
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }
}

/// The vendor's libraries for a device, where the platform has them.
#[derive(Default)]
pub struct Libraries {
    /// Products of matrices.
    pub blas: Option<Box<dyn Blas>>,
    /// Fourier transforms.
    pub dft: Option<Box<dyn Dft>>,
    /// Factorizations.
    pub solver: Option<Box<dyn Solver>>,
    /// Products of sparse arrays.
    pub sparse: Option<Box<dyn Sparse>>,
    /// Factorizations of sparse arrays.
    pub direct: Option<Box<dyn DirectSolver>>,
}

impl fmt::Debug for Libraries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Libraries").finish_non_exhaustive()
    }
}

/// A family of devices that one driver serves.
pub trait Platform: 'static {
    /// An open device.
    type Driver: Driver;

    /// The part of a device's name before the colon.
    const FAMILY: &'static str;
    /// The name of the driver in reports.
    const DRIVER: &'static str;
    /// The text of reports if the driver is missing.
    const FALLBACK: &'static str;
    /// Looks for the library of the vendor's profilers.
    const RANGES: Option<fn() -> Ranges>;

    /// The devices of this platform that the process has opened.
    fn open_devices() -> &'static OpenDevices;

    /// Number of devices; opens none.
    ///
    /// # Errors
    /// The driver is missing or fails.
    fn count() -> std::result::Result<u32, OpenError>;

    /// Opens the device of a number.
    ///
    /// # Errors
    /// There is no such device, or the driver fails.
    fn open(ordinal: u32) -> std::result::Result<Self::Driver, OpenError>;

    /// Opens the run-time compiler.
    ///
    /// # Errors
    /// [`CompileError::Absent`]: there is none.
    fn compiler() -> std::result::Result<Box<dyn Compiler>, CompileError>;

    /// The vendor's libraries for an open device; each may turn out to be missing when it is first used.
    fn libraries(driver: &Self::Driver) -> Libraries;

    /// Facts about the device of a number, for a report; opens nothing.
    ///
    /// # Errors
    /// The driver is missing or fails.
    fn describe(ordinal: u32) -> std::result::Result<Vec<(&'static str, String)>, OpenError>;

    /// What was found of the driver, the compiler and the libraries; the driver comes first.
    fn report_libraries() -> Vec<LibraryReport>;
}

/// The provider of a platform's devices, which the facade hands to core.
///
/// Its functions are of the crate that asks, which is then compiled before the facade is, and once.
#[macro_export]
macro_rules! provider {
    ($platform:ty) => {{
        fn open(options: &str) -> $crate::platform::Opened {
            $crate::platform::open::<$platform>(options)
        }
        fn discover() -> ::std::vec::Vec<::std::string::String> {
            $crate::platform::discover::<$platform>()
        }
        fn report() -> $crate::platform::Report {
            $crate::platform::report::<$platform>()
        }
        let name = <$platform as $crate::platform::Platform>::FAMILY;
        let ranges = <$platform as $crate::platform::Platform>::RANGES;
        $crate::platform::Provider { name, open, discover, report, ranges }
    }};
}

/// What opening a device comes to.
#[doc(hidden)]
pub type Opened = Result<Arc<dyn Backend>>;

/// Names of the devices that are there; opens none.
#[doc(hidden)]
pub fn discover<P: Platform>() -> Vec<String> {
    let count = P::count().unwrap_or(0);
    (0..count).map(|ordinal| format!("{}:{ordinal}", P::FAMILY)).collect()
}

/// The device of a number, opened when it is first asked for; without a number the first device.
#[doc(hidden)]
pub fn open<P: Platform>(options: &str) -> Opened {
    let refused = |error: OpenError| {
        let (name, reason) = (format!("{}:{options}", P::FAMILY), error.to_string());
        Error::NoDevice { name, reason }
    };
    let ordinal = match options {
        "" => 0,
        _ => options.parse().map_err(|_| refused(OpenError::NoNumber))?,
    };
    // First: a thread that only the parent process has may hold the lock.
    process::enter("open").map_err(|error| refused(error.into()))?;
    let mut devices = P::open_devices().0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(backend) = devices.get(&ordinal) {
        return Ok(backend.clone());
    }
    // Without a device there is nothing to compile for.
    P::count().map_err(refused)?;
    // Opening a device takes a tenth of a second or more, so the compiler is opened at the same time.
    let compiler = std::thread::Builder::new().spawn(P::compiler);
    let driver = P::open(ordinal).map_err(refused)?;
    let compiler = match compiler {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        // The system starts no thread: one after the other.
        Err(_) => P::compiler(),
    };
    let libraries = P::libraries(&driver);
    let backend = GpuBackend::new(driver, compiler)?.with_libraries(libraries);
    let backend: Arc<dyn Backend> = Arc::new(backend);
    devices.insert(ordinal, backend.clone());
    Ok(backend)
}

/// A report for users; opens no device.
#[doc(hidden)]
pub fn report<P: Platform>() -> Report {
    if let Err(error) = process::enter("report") {
        // What was found may not even be looked at: a thread that only the parent process has may hold its lock.
        let driver = driver_report::<P>(Err(LibraryError::new(error.to_string())));
        return Report { family: P::FAMILY, devices: Vec::new(), libraries: vec![driver] };
    }
    let describe = |ordinal| DeviceReport {
        name: format!("{}:{ordinal}", P::FAMILY),
        facts: P::describe(ordinal).unwrap_or_else(|error| vec![("failed:", error.to_string())]),
    };
    let devices = (0..P::count().unwrap_or(0)).map(describe).collect();
    Report { family: P::FAMILY, devices, libraries: P::report_libraries() }
}

/// The report on a platform's driver.
pub(crate) fn driver_report<P: Platform>(
    found: std::result::Result<ndany_core::FoundLibrary, LibraryError>,
) -> LibraryReport {
    LibraryReport {
        name: P::DRIVER,
        purpose: "memory, streams, launches",
        without: P::FALLBACK,
        found,
    }
}
