//! [`Handle`]: what a vendor's library on one device is called by, and what its codes come to.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::api::{Context, Vendor};
use super::table::Named;
use crate::driver::{DriverError, DriverResult};

/// A function that makes a handle.
pub(super) type Create = Named<unsafe extern "C" fn(*mut u64) -> u32>;

/// A handle that is made at the first question. Calls set its stream first, so they come one by one: who calls holds the
/// guard until the last call is made.
#[derive(Debug, Default)]
pub(super) struct Handle(OnceLock<Option<Mutex<u64>>>);

impl Handle {
    /// The handle; nothing where the library does not start. `prepare` is for what is set once.
    ///
    /// # Safety
    /// `create` writes a handle of the current device.
    pub(super) unsafe fn hold<V: Vendor>(
        &self,
        context: &Context<V>,
        create: &Create,
        library: &str,
        prepare: impl FnOnce(u64),
    ) -> Option<MutexGuard<'_, u64>> {
        let handle = self.0.get_or_init(|| {
            let _current = context.enter(create.name).ok()?;
            let mut handle = 0;
            // SAFETY: the caller's.
            let code = unsafe { (create.function)(&mut handle) };
            if code != 0 {
                tracing::warn!(code, "{library} does not start; own kernels take its place");
                return None;
            }
            prepare(handle);
            Some(Mutex::new(handle))
        });
        Some(handle.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a library's code comes to, where it has one for too little memory and no words for the others.
pub(super) fn check(call: &'static str, code: u32, memory_error: u32) -> DriverResult<()> {
    match code {
        0 => Ok(()),
        code if code == memory_error => Err(DriverError::OutOfMemory { call }),
        code => Err(DriverError::Call { call, code, text: String::new() }),
    }
}
