//! Why a device does not open.

use std::path::PathBuf;

use crate::driver::DriverError;
use crate::library::Absent;

/// Why a device does not open, or cannot be looked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The driver's library is not there, or not whole.
    #[error(transparent)]
    Absent(#[from] Absent),
    /// The driver does not start.
    #[error("{call}{}: {text} ({code}): {hint}", path.as_ref().map(|path| format!(" of {}", path.display())).unwrap_or_default())]
    Start {
        /// The vendor's function.
        call: &'static str,
        /// The library's file, where known.
        path: Option<PathBuf>,
        /// The vendor's number.
        code: u32,
        /// The vendor's error string.
        text: String,
        /// What the user can do about it.
        hint: &'static str,
    },
    /// A call of the driver failed.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// There is no device of this number.
    #[error("there are {count} {title} devices, numbered from 0 ({visibility} may hide some)")]
    NoSuch {
        /// How many devices there are.
        count: u32,
        /// Product names.
        title: &'static str,
        /// The environment variable that hides devices.
        visibility: &'static str,
    },
    /// The text after the colon of a device's name is not a number.
    #[error("the number of a device is expected after the colon")]
    NoNumber,
    /// The device lacks something that kernels need.
    #[error("kernels need {need}, and the device has {has}")]
    Capability {
        /// What is needed.
        need: &'static str,
        /// What the device has.
        has: String,
    },
}
