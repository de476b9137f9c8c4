//! The driver of one device behind a guard: what a call failed with becomes an error of the engine, and a device
//! that is lost is called no more.
//!
//! Everything in this crate reaches the driver through [`Link::call`], and gives things back through
//! [`Link::quietly`], which calls nobody when there is nobody left to call: after a loss, in a forked child, and
//! while the process exits. Deliberately absent: what to do about an error.

use std::sync::OnceLock;

use ndany_core::{Error, Result};

use crate::driver::{Driver, DriverError, DriverResult};

/// One device and whether it still answers.
#[derive(Debug)]
pub(crate) struct Link<D> {
    driver: D,
    lost: OnceLock<String>,
}

impl<D: Driver> Link<D> {
    pub(crate) fn new(driver: D) -> Self {
        Self { driver, lost: OnceLock::new() }
    }

    pub(crate) fn driver(&self) -> &D {
        &self.driver
    }

    /// Calls the driver on behalf of `op`.
    pub(crate) fn call<T>(
        &self,
        op: &'static str,
        call: impl FnOnce(&D) -> DriverResult<T>,
    ) -> Result<T> {
        if let Some(reason) = self.lost.get() {
            return Err(self.failure(op, reason.clone()));
        }
        call(&self.driver).map_err(|error| self.error(op, 0, error))
    }

    /// Calls the driver to give something back; there is nobody to tell about an error.
    pub(crate) fn quietly(&self, call: impl FnOnce(&D) -> DriverResult<()>) {
        if self.lost.get().is_none() {
            let _ = call(&self.driver).map_err(|error| self.error("free", 0, error));
        }
    }

    /// An error of the driver as one of the engine; remembers that the device is lost.
    pub(crate) fn error(&self, op: &'static str, requested: usize, error: DriverError) -> Error {
        match error {
            DriverError::OutOfMemory { .. } => {
                Error::OutOfMemory { op, device: self.driver.name().to_string(), requested }
            }
            DriverError::Lost { .. } => {
                let reason = self.lost.get_or_init(|| error.to_string());
                self.failure(op, reason.clone())
            }
            DriverError::Call { .. } | DriverError::Missing { .. } | DriverError::Forked { .. } => {
                self.failure(op, error.to_string())
            }
        }
    }

    fn failure(&self, op: &'static str, reason: String) -> Error {
        Error::Device { op, device: self.driver.name().to_string(), reason }
    }
}
