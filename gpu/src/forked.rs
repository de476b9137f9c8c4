//! Forks: a child may not call a driver that its parent has initialized.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::driver::{DriverError, DriverResult};

/// Set in a child that was forked after a driver was initialized.
static FORKED: AtomicBool = AtomicBool::new(false);

/// Watches for forks from now on, unless this process is a child in which nothing may be asked for any more: a driver is
/// about to be looked for. Locks and cells that are taken behind this are of this process's threads.
pub fn enter(call: &'static str) -> DriverResult<()> {
    static WATCHING: Once = Once::new();
    check(call)?;
    WATCHING.call_once(mark_forks);
    Ok(())
}

/// May this process make the call?
pub fn check(call: &'static str) -> DriverResult<()> {
    match FORKED.load(Ordering::Relaxed) {
        true => Err(DriverError::Forked { call }),
        false => Ok(()),
    }
}

#[cfg(unix)]
fn mark_forks() {
    extern "C" fn in_child() {
        FORKED.store(true, Ordering::Relaxed);
    }
    // SAFETY: the handler only stores a flag, which a child of a process with threads may do. Without memory for
    // the handler forks go unnoticed, and the driver answers with errors of its own.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
}

#[cfg(not(unix))]
fn mark_forks() {}
