//! Functions of the host that a stream calls when it comes to them.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ndany_core::Result;
use ndany_core::backend::HostFunction;

use crate::checked::CheckedDriver;
use crate::driver::{Driver, DriverError, Stream};

/// Calls a function that [`submit`] has handed to the driver. A panic ends here: the frames below are the driver's.
///
/// # Safety
/// `data` is the pointer that `submit` made, and is given once.
unsafe extern "C" fn call(data: *mut c_void) {
    // SAFETY: the caller's: the box is owned by nothing else.
    let function = unsafe { Box::from_raw(data.cast::<HostFunction>()) };
    if catch_unwind(AssertUnwindSafe(*function)).is_err() {
        tracing::error!("a host function of a stream panicked");
    }
}

/// Lets a stream call a function after the work that it has now.
pub(crate) fn submit(
    checked: &CheckedDriver,
    stream: Stream,
    function: HostFunction,
) -> Result<()> {
    let data = Box::into_raw(Box::new(function));
    let submitted = checked.attempt("then", |driver: &dyn Driver| {
        // SAFETY: streams live as long as the device, and `call` takes the box over when it is called, once.
        unsafe { driver.call_host(stream, call, data.cast()) }
    });
    submitted.map_err(|error| {
        // A device that was lost in the call may have taken the function before: then the box is kept for good.
        if !matches!(error, DriverError::Lost { .. }) {
            // SAFETY: the driver has refused the call, so the box is this function's.
            drop(unsafe { Box::from_raw(data) });
        }
        checked.error("then", error)
    })
}
