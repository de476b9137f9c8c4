//! What every vendor's provider does alike: devices that are open, and reports of what was found.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ndany_core::backend::Backend;
use ndany_core::{DeviceReport, Error, FoundLibrary, Result};

use crate::GpuBackend;
use crate::blas::Blas;
use crate::driver::{CompileError, Compiler, Driver, DriverResult, Properties};
use crate::library::{Absent, Found};

/// A vendor's devices that are open in this process, by their numbers.
#[derive(Debug)]
pub struct Opened {
    /// The part of a name before the colon.
    family: &'static str,
    devices: Mutex<BTreeMap<u32, Arc<dyn Backend>>>,
}

impl Opened {
    /// None yet.
    pub const fn of(family: &'static str) -> Self {
        Self { family, devices: Mutex::new(BTreeMap::new()) }
    }

    /// The device of a number (none is the first), opened if it is not: `count` sees whether there is any at all
    /// before the compiler is looked for, `blas` adds the library of products.
    pub fn open<D: Driver, C: Compiler>(
        &self,
        options: &str,
        count: impl FnOnce() -> std::result::Result<i32, String>,
        driver: impl FnOnce(u32) -> std::result::Result<D, String>,
        compiler: fn() -> std::result::Result<C, CompileError>,
        blas: impl FnOnce(&D) -> Box<dyn Blas>,
    ) -> Result<Arc<dyn Backend>> {
        let refused =
            |reason: String| Error::NoDevice { name: format!("{}:{options}", self.family), reason };
        let ordinal = match options {
            "" => 0,
            _ => options.parse().map_err(|_| {
                refused("the number of a device is expected behind the colon".into())
            })?,
        };
        let mut devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(backend) = devices.get(&ordinal) {
            return Ok(backend.clone());
        }
        // A device takes a tenth of a second or more: long enough to open the compiler besides. Where there is none
        // there is nothing to compile for.
        count().map_err(refused)?;
        let compiler = std::thread::spawn(compiler);
        let driver = driver(ordinal).map_err(refused)?;
        let compiler = compiler.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let compiler = compiler.map(|compiler| Box::new(compiler) as Box<dyn Compiler>);
        let blas = blas(&driver);
        let backend: Arc<dyn Backend> =
            Arc::new(GpuBackend::new(driver, compiler)?.with_blas(blas));
        devices.insert(ordinal, backend.clone());
        Ok(backend)
    }

    /// What a report says of a device that nobody need have opened.
    pub fn describe(
        &self,
        ordinal: i32,
        properties: DriverResult<Properties>,
        architecture: &'static str,
    ) -> DeviceReport {
        let facts = match properties {
            Ok(properties) => vec![
                ("is a", properties.name),
                ("memory", format!("{:.1} GiB", properties.memory as f64 / f64::from(1 << 30))),
                (architecture, properties.architecture),
                ("multiprocessors", properties.processors.to_string()),
            ],
            Err(error) => vec![("failed:", error.to_string())],
        };
        DeviceReport { name: format!("{}:{ordinal}", self.family), facts }
    }
}

/// What a report says of a library.
pub fn found<S: fmt::Debug>(
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
