//! What a vendor's provider is: devices that are open, and reports of what was found.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ndany_core::backend::Backend;
use ndany_core::{
    DeviceReport, Error, FoundLibrary, LibraryError, LibraryReport, Provider, Report, Result,
};

use super::api::{Api, Vendor};
use super::blas::{Library, Products};
use super::device::Device;
use super::rtc::{Rtc, Toolchain};
use super::{Factorizations, OpenError, Transforms, dft, solver};
use crate::GpuBackend;
use crate::driver::Compiler;
use crate::forked;
use crate::library::{Absent, Found};

/// What a process knows of a vendor: whether its driver starts, and the devices that are open, by their numbers.
#[derive(Debug)]
pub struct State {
    pub(super) started: OnceLock<std::result::Result<(), OpenError>>,
    devices: Mutex<BTreeMap<u32, Arc<dyn Backend>>>,
}

impl State {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self { started: OnceLock::new(), devices: Mutex::new(BTreeMap::new()) }
    }
}

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}

/// What the facade hands to core: the devices of a vendor.
pub const fn of<V: Vendor>() -> Provider {
    Provider { name: V::FAMILY, open: open::<V>, discover: discover::<V>, report: report::<V> }
}

/// Devices that are there. The driver is looked for once in a process; no context is made.
fn discover<V: Vendor>() -> Vec<String> {
    let count = Api::<V>::count().unwrap_or(0);
    (0..count).map(|ordinal| format!("{}:{ordinal}", V::FAMILY)).collect()
}

/// The device of a number; none is the first. It is opened if it is not.
fn open<V: Vendor>(options: &str) -> Result<Arc<dyn Backend>> {
    let refused = |error: OpenError| {
        let (name, reason) = (format!("{}:{options}", V::FAMILY), error.to_string());
        Error::NoDevice { name, reason }
    };
    let ordinal = match options {
        "" => 0,
        _ => options.parse().map_err(|_| refused(OpenError::NoNumber))?,
    };
    // First: the lock may be held by a thread that only the parent has.
    forked::enter("open").map_err(|error| refused(error.into()))?;
    let mut devices = V::state().devices.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(backend) = devices.get(&ordinal) {
        return Ok(backend.clone());
    }
    // A device takes a tenth of a second or more: long enough to open the compiler besides. Where there is none
    // there is nothing to compile for.
    Api::<V>::count().map_err(refused)?;
    let compiler = std::thread::Builder::new().spawn(Rtc::<V::Toolchain>::open);
    let driver = Device::<V>::open(ordinal).map_err(refused)?;
    let compiler = match compiler {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        // The system gives no thread: one thing after the other.
        Err(_) => Rtc::<V::Toolchain>::open(),
    };
    let compiler = compiler.map(|compiler| Box::new(compiler) as Box<dyn Compiler>);
    let products = Box::new(Library::<V::Products>::new(driver.context()));
    let transforms = Box::new(dft::Library::<V::Transforms>::new(driver.context()));
    let factorizations = Box::new(solver::Library::<V::Factorizations>::new(driver.context()));
    let backend = GpuBackend::new(driver, compiler)?.with_blas(products).with_dft(transforms);
    let backend: Arc<dyn Backend> = Arc::new(backend.with_solver(factorizations));
    devices.insert(ordinal, backend.clone());
    Ok(backend)
}

/// What there is, for a person; opens no device.
fn report<V: Vendor>() -> Report {
    if let Err(error) = forked::enter("report") {
        // Not even what was found may be looked at: a thread that only the parent has may have been at it.
        let driver = LibraryReport {
            name: V::DRIVER,
            purpose: "memory, order, launches",
            without: V::WITHOUT,
            found: Err(LibraryError::new(error.to_string())),
        };
        return Report { family: V::FAMILY, devices: Vec::new(), libraries: vec![driver] };
    }
    let started = Api::<V>::initialized();
    let devices = started.as_ref().map_or_else(
        |_| Vec::new(),
        |api| (0..Api::<V>::count().unwrap_or(0)).map(|ordinal| describe(api, ordinal)).collect(),
    );
    let driver = LibraryReport {
        name: V::DRIVER,
        purpose: "memory, order, launches",
        without: V::WITHOUT,
        // A driver that does not start is as good as none.
        found: found(V::library().get(), Api::version).and_then(|library| {
            started.map(|_| library).map_err(|error| LibraryError::new(error.to_string()))
        }),
    };
    let compiler = LibraryReport {
        name: V::Toolchain::NAME,
        purpose: "compiles kernels",
        without: "only kernels that were compiled before and kept run",
        found: found(V::Toolchain::library().get(), super::rtc::Api::version),
    };
    let products = LibraryReport {
        name: V::Products::NAME,
        purpose: "matrix products",
        without: "products run on own kernels, slower",
        found: found(V::Products::library().get(), |api| V::Products::version(&api.own)),
    };
    let transforms = LibraryReport {
        name: V::Transforms::NAME,
        purpose: "Fourier transforms",
        without: "transforms run on own kernels, slower for some lengths",
        found: found(V::Transforms::library().get(), dft::Api::version),
    };
    let factorizations = LibraryReport {
        name: V::Factorizations::NAME,
        purpose: "factorizations of matrices",
        without: "matrices are factored by own kernels, large ones much slower",
        found: found(V::Factorizations::library().get(), |api| {
            V::Factorizations::version(&api.own)
        }),
    };
    let libraries = vec![driver, compiler, products, transforms, factorizations];
    Report { family: V::FAMILY, devices, libraries }
}

fn describe<V: Vendor>(api: &Api<V>, ordinal: i32) -> DeviceReport {
    let facts = match V::device(api, ordinal).and_then(|device| api.properties(device)) {
        Ok(properties) => vec![
            ("is a", properties.name),
            ("memory", format!("{:.1} GiB", properties.memory as f64 / f64::from(1 << 30))),
            (V::ARCHITECTURE, properties.architecture),
            ("multiprocessors", properties.processors.to_string()),
        ],
        Err(error) => vec![("failed:", error.to_string())],
    };
    DeviceReport { name: format!("{}:{ordinal}", V::FAMILY), facts }
}

/// What a report says of a library.
fn found<S: fmt::Debug>(
    library: std::result::Result<&Found<S>, &Absent>,
    version: impl FnOnce(&S) -> String,
) -> std::result::Result<FoundLibrary, LibraryError> {
    match library {
        Ok(found) => {
            Ok(FoundLibrary { version: version(&found.symbols), path: found.path.clone() })
        }
        Err(absent) => Err(LibraryError::new(absent.to_string())),
    }
}
