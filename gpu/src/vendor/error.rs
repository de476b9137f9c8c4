//! Why a device of a vendor does not open.

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
    #[error("{call}{}: {text} ({code}): {remedy}", path.as_ref().map(|path| format!(" of {}", path.display())).unwrap_or_default())]
    Start {
        /// The vendor's function.
        call: &'static str,
        /// The library's file, where known.
        path: Option<PathBuf>,
        /// The vendor's number.
        code: u32,
        /// The vendor's words.
        text: String,
        /// How to mend it.
        remedy: &'static str,
    },
    /// A call of the driver failed.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// There is no device of this number.
    #[error("there are {there} {title} devices, numbered from 0 ({hides} may hide some)")]
    NoSuch {
        /// How many devices there are.
        there: i32,
        /// What people call them.
        title: &'static str,
        /// The variable that hides devices.
        hides: &'static str,
    },
    /// Behind the colon stands no number.
    #[error("the number of a device is expected behind the colon")]
    NoNumber,
    /// No kernels can be written for its wavefronts.
    #[error("its wavefronts have {lanes} lanes: 32 and 64 are known")]
    Lanes {
        /// How many lanes they have.
        lanes: u32,
    },
}
