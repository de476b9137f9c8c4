//! The checked driver of one device: a failed call becomes an error of the engine, and a device that is lost is not
//! called again.
//!
//! Everything in this crate reaches the driver through [`CheckedDriver::call`], and gives things back through
//! [`CheckedDriver::quietly`], which makes no call after a loss, in a forked child, and while the
//! process exits (the vendor's library may be unloaded already). Launches that were put off are submitted before the call,
//! unless no stream orders it ([`CheckedDriver::call_beside`]). Deliberately absent: what to do about an error.

use std::sync::{Mutex, OnceLock, PoisonError};

use ndany_core::{CallSite, Error, Result, dry_run};

use crate::backlog::{Backlog, PutOff};
use crate::driver::{Driver, DriverError, DriverResult};
use crate::process;

/// One device and whether it still answers.
#[derive(Debug)]
pub(crate) struct CheckedDriver {
    driver: Box<dyn Driver>,
    lost: OnceLock<String>,
    /// The user's kernel that was launched last, and where: what faults is more likely that than an own kernel.
    suspect: Mutex<Option<(&'static str, CallSite)>>,
    /// The process that opened the device; a forked child is another.
    process: u32,
    backlog: Backlog,
}

impl CheckedDriver {
    pub(crate) fn new(driver: Box<dyn Driver>) -> Self {
        let (lost, suspect, backlog) = Default::default();
        Self { driver, lost, suspect, process: process::watch(), backlog }
    }

    pub(crate) fn driver(&self) -> &dyn Driver {
        &*self.driver
    }

    /// Notes a launch of a user's kernel.
    pub(crate) fn suspect(&self, name: &'static str, location: CallSite) {
        *self.suspect.lock().unwrap_or_else(PoisonError::into_inner) = Some((name, location));
    }

    /// Calls the driver on behalf of `op`.
    pub(crate) fn call<T>(
        &self,
        op: &'static str,
        call: impl FnOnce(&dyn Driver) -> DriverResult<T>,
    ) -> Result<T> {
        self.refuse_in_a_dry_run(op).map_err(|error| self.error(op, error))?;
        self.submit_backlog();
        self.call_beside(op, call)
    }

    /// Calls the driver for a caller that handles its error.
    pub(crate) fn attempt<T>(
        &self,
        op: &'static str,
        call: impl FnOnce(&dyn Driver) -> DriverResult<T>,
    ) -> DriverResult<T> {
        self.refuse_in_a_dry_run(op)?;
        self.submit_backlog();
        self.attempt_beside(op, call)
    }

    /// A dry run reaches no stream: what it does not ask for is not done.
    #[inline]
    fn refuse_in_a_dry_run(&self, op: &'static str) -> DriverResult<()> {
        match dry_run::is_active() {
            true => Err(DriverError::DryRun { call: op }),
            false => Ok(()),
        }
    }

    /// Whether launches are put off.
    #[inline]
    pub(crate) fn is_behind(&self) -> bool {
        self.backlog.is_waiting()
    }

    /// Puts a call off until its machine code is there; returns whether there is room for another.
    pub(crate) fn put_off(&self, call: PutOff) -> bool {
        self.backlog.push(call)
    }

    /// Submits what was put off.
    #[inline]
    pub(crate) fn submit_backlog(&self) {
        // Threads that compile do not survive a fork, and stop when the process exits.
        if self.is_behind() && self.check("launch").is_ok() {
            self.backlog.submit(self);
        }
    }

    /// Checks that this process may call the driver.
    fn check(&self, op: &'static str) -> DriverResult<()> {
        if process::generation() != self.process {
            return Err(DriverError::Forked { call: op });
        }
        if process::exiting() {
            return Err(DriverError::Exiting { call: op });
        }
        Ok(())
    }

    /// Calls the driver on behalf of `op` for what no stream orders: what is put off stays so.
    pub(crate) fn call_beside<T>(
        &self,
        op: &'static str,
        call: impl FnOnce(&dyn Driver) -> DriverResult<T>,
    ) -> Result<T> {
        self.attempt_beside(op, call).map_err(|error| self.error(op, error))
    }

    /// The same for a caller that handles its error.
    pub(crate) fn attempt_beside<T>(
        &self,
        op: &'static str,
        call: impl FnOnce(&dyn Driver) -> DriverResult<T>,
    ) -> DriverResult<T> {
        self.check(op)?;
        if let Some(text) = self.lost.get() {
            return Err(DriverError::Lost { call: op, code: 0, text: text.clone() });
        }
        call(&*self.driver).inspect_err(|error| {
            if matches!(error, DriverError::Lost { .. }) {
                self.lost.get_or_init(|| {
                    let suspect = *self.suspect.lock().unwrap_or_else(PoisonError::into_inner);
                    match suspect {
                        Some((name, location)) => format!(
                            "{error}; the raw kernel that was launched last is {name}, at {location}"
                        ),
                        None => error.to_string(),
                    }
                });
            }
        })
    }

    /// Calls the driver to give something back; an error is logged.
    pub(crate) fn quietly(&self, call: impl FnOnce(&dyn Driver) -> DriverResult<()>) {
        self.submit_backlog();
        self.quietly_beside(call);
    }

    /// The same for what no stream orders.
    pub(crate) fn quietly_beside(&self, call: impl FnOnce(&dyn Driver) -> DriverResult<()>) {
        if let Err(error) = self.attempt_beside("free", call) {
            tracing::debug!(device = self.driver.name(), %error, "not given back");
        }
    }

    /// An error of the driver as one of the engine.
    pub(crate) fn error(&self, op: &'static str, error: DriverError) -> Error {
        let device = self.driver.name().to_string();
        match error {
            DriverError::OutOfMemory { .. } => {
                Error::OutOfMemory { op, device, requested: 0, memory: None }
            }
            DriverError::Lost { .. } => {
                let reason = match self.lost.get() {
                    Some(first) => format!("{first}; start the process anew"),
                    None => error.to_string(),
                };
                Error::Device { op, device, reason }
            }
            DriverError::Call { .. }
            | DriverError::Missing { .. }
            | DriverError::DryRun { .. }
            | DriverError::Forked { .. }
            | DriverError::Exiting { .. } => {
                Error::Device { op, device, reason: error.to_string() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    fn lost() -> DriverError {
        DriverError::Lost { call: "launch", code: 700, text: "an illegal address".to_string() }
    }

    #[test]
    fn a_lost_device_is_called_no_more() {
        let fake = Fake::new(1 << 20);
        let checked = CheckedDriver::new(Box::new(fake.clone()));
        fake.fail(Some("allocate"), 0, lost());
        let first = checked.call("exp", |driver| driver.allocate(1)).unwrap_err();
        let calls = fake.total();
        let second = checked.call("add", |driver| driver.allocate(1)).unwrap_err();
        checked.quietly(|driver| driver.allocate(1).map(|_| ()));
        assert_eq!(fake.total(), calls);
        assert!(
            first.to_string().contains("[exp] device fake:0 failed: launch: the device is lost")
        );
        assert!(second.to_string().contains("an illegal address"), "{second}");
        assert_eq!(second.class(), "RuntimeError");
    }

    #[cfg(unix)]
    #[test]
    fn no_call_is_made_while_the_process_exits() {
        let fake = Fake::new(1 << 20);
        // SAFETY: the child makes a device of its own, says that it exits, asks, and ends without running anything
        // else.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let checked = CheckedDriver::new(Box::new(fake.clone()));
            let before = checked.call("exp", |driver| driver.allocate(1)).is_ok();
            process::exit_in_a_test();
            let calls = fake.total();
            let error = checked.call("exp", |driver| driver.allocate(1));
            let reported =
                matches!(&error, Err(Error::Device { reason, .. }) if reason.contains("exits"));
            // SAFETY: it ends this process and nothing else.
            unsafe { libc::_exit(if before && reported && fake.total() == calls { 0 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: `child` is a child of this process and `status` may be written.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(status, 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_forked_child_gets_an_error_and_makes_no_call() {
        let fake = Fake::new(1 << 20);
        let checked = CheckedDriver::new(Box::new(fake.clone()));
        // SAFETY: the child only counts, formats a text, and ends without running what belongs to its parent.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let error = checked.call("exp", |driver| driver.allocate(1));
            let reported =
                matches!(&error, Err(Error::Device { reason, .. }) if reason.contains("forked"));
            // SAFETY: it ends this process and nothing else.
            unsafe { libc::_exit(if reported && fake.total() == 0 { 0 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: `child` is a child of this process and `status` may be written.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(status, 0);
        assert!(checked.call("exp", |driver| driver.allocate(1)).is_ok());
    }
}
