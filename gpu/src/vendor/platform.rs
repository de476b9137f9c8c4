//! The [`Platform`] of a [`Vendor`]: how devices of a driver of CUDA's shape are found, opened and reported.

use std::fmt;
use std::marker::PhantomData;
use std::sync::OnceLock;

use ndany_core::ranges::Ranges;
use ndany_core::{FoundLibrary, LibraryError, LibraryReport};

use super::api::{Api, Vendor};
use super::blas::{Library, Products};
use super::device::Device;
use super::rtc::{Rtc, Toolchain};
use super::{Factorizations, SparseMatrices, Transforms, dft, solver, sparse};
use crate::driver::{CompileError, Compiler};
use crate::library::{Absent, Found};
use crate::platform::{self, Libraries, OpenDevices, OpenError, Platform};

/// The process's state of a vendor's driver.
#[derive(Debug, Default)]
pub struct State {
    /// The outcome of the driver's initialization.
    pub(super) started: OnceLock<Result<(), OpenError>>,
    devices: OpenDevices,
}

impl State {
    /// Not initialized, no device open.
    pub const fn new() -> Self {
        Self { started: OnceLock::new(), devices: OpenDevices::new() }
    }
}

/// The platform of a vendor.
#[derive(Debug)]
pub struct VendorPlatform<V>(PhantomData<fn() -> V>);

impl<V: Vendor> Platform for VendorPlatform<V> {
    type Driver = Device<V>;

    const FAMILY: &'static str = V::FAMILY;
    const DRIVER: &'static str = V::DRIVER;
    const FALLBACK: &'static str = V::FALLBACK;
    const RANGES: Option<fn() -> Ranges> = Some(V::ranges);

    fn open_devices() -> &'static OpenDevices {
        &V::state().devices
    }

    fn count() -> Result<u32, OpenError> {
        Api::<V>::count()
    }

    fn open(ordinal: u32) -> Result<Device<V>, OpenError> {
        Device::open(ordinal)
    }

    fn compiler() -> Result<Box<dyn Compiler>, CompileError> {
        Rtc::<V::Toolchain>::open().map(|compiler| Box::new(compiler) as Box<dyn Compiler>)
    }

    fn libraries(driver: &Device<V>) -> Libraries {
        let context = driver.context();
        Libraries {
            blas: Some(Box::new(Library::<V::Products>::new(context))),
            dft: Some(Box::new(dft::Library::<V::Transforms>::new(context))),
            solver: Some(Box::new(solver::Library::<V::Factorizations>::new(context))),
            sparse: Some(Box::new(sparse::Library::<V::SparseMatrices>::new(context))),
            direct: V::direct_solver(context),
        }
    }

    fn describe(ordinal: u32) -> Result<Vec<(&'static str, String)>, OpenError> {
        let api = Api::<V>::initialized()?;
        let device = V::device(api, i32::try_from(ordinal).unwrap_or(i32::MAX))?;
        let properties = api.properties(device)?;
        Ok(vec![
            ("is a", properties.name),
            ("memory", format!("{:.1} GiB", properties.memory as f64 / f64::from(1 << 30))),
            (V::ARCHITECTURE, properties.architecture),
            ("multiprocessors", properties.multiprocessors.to_string()),
        ])
    }

    fn report_libraries() -> Vec<LibraryReport> {
        let started = Api::<V>::initialized();
        // A driver that does not start is reported as missing.
        let driver = found(V::library().get(), Api::version).and_then(|library| {
            started.map(|_| library).map_err(|error| LibraryError::new(error.to_string()))
        });
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
        let sparse = LibraryReport {
            name: V::SparseMatrices::NAME,
            purpose: "products of sparse arrays whose order of sums is free (`Unordered`)",
            without: "own kernels multiply, in the order that is promised",
            found: found(V::SparseMatrices::library().get(), |api| {
                V::SparseMatrices::version(&api.own)
            }),
        };
        let driver = platform::driver_report::<Self>(driver);
        let mut reports = vec![driver, compiler, products, transforms, factorizations, sparse];
        reports.extend(V::report_direct_solver());
        reports
    }
}

/// The report's entry of a library.
pub fn found<S: fmt::Debug>(
    library: Result<&Found<S>, &Absent>,
    version: impl FnOnce(&S) -> String,
) -> Result<FoundLibrary, LibraryError> {
    match library {
        Ok(found) => {
            Ok(FoundLibrary { version: version(&found.symbols), path: found.path.clone() })
        }
        Err(absent) => Err(LibraryError::new(absent.to_string())),
    }
}
