//! [`Handles`]: what a vendor's library on one device is called by, and what its codes come to.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::api::{Context, Vendor};
use super::table::Named;
use crate::driver::{DriverError, DriverResult};

/// A function that makes a handle.
pub(super) type Create = Named<unsafe extern "C" fn(*mut u64) -> u32>;

/// What NVIDIA's libraries say when they cannot set themselves up on the device, for which there mostly is no memory.
/// AMD's do not use the number for this.
const NOT_INITIALIZED: u32 = 1;

/// Handles that are made when they are first asked for. A library that does not start is asked again the next time.
#[derive(Debug, Default)]
pub(super) struct Handles {
    made: Mutex<BTreeMap<u64, u64>>,
    /// Whether the warning that the library does not start was given.
    reported: AtomicBool,
}

/// A locked handle. Calls set its stream first, so the caller keeps the lock until its last call.
#[derive(Debug)]
pub(super) struct LockedHandle<'h> {
    pub(super) handle: u64,
    #[expect(dead_code, reason = "it is there to be dropped")]
    guard: MutexGuard<'h, BTreeMap<u64, u64>>,
}

impl Handles {
    /// The handle of a key; nothing where the library does not start, for other reasons than too little memory.
    /// `prepare` is for what is set once.
    ///
    /// # Safety
    /// `create` writes a handle of the current device.
    pub(super) unsafe fn hold<V: Vendor>(
        &self,
        context: &Context<V>,
        create: &Create,
        (library, memory_error): (&str, u32),
        key: u64,
        prepare: impl FnOnce(u64),
    ) -> DriverResult<Option<LockedHandle<'_>>> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&handle) = made.get(&key) {
            return Ok(Some(LockedHandle { handle, guard: made }));
        }
        let _current = context.enter(create.name)?;
        let mut handle = 0;
        // SAFETY: the caller's.
        match unsafe { (create.function)(&mut handle) } {
            0 => {}
            code if code == memory_error || code == NOT_INITIALIZED => {
                return Err(DriverError::OutOfMemory { call: create.name });
            }
            code => {
                if !self.reported.swap(true, Ordering::Relaxed) {
                    tracing::warn!(code, "{library} does not start; own kernels take its place");
                }
                return Ok(None);
            }
        }
        prepare(handle);
        made.insert(key, handle);
        Ok(Some(LockedHandle { handle, guard: made }))
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
