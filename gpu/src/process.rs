//! The state of this process that forbids calls of a driver: it was forked, or it exits.
//!
//! This is the only watcher of both. A driver's threads and its connection to the device do not survive a fork, so a
//! child may not call a driver that its parent has started; and while the process exits, the driver's library may be
//! gone.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, Once, PoisonError};
#[cfg(unix)]
use std::time::Duration;

use crate::driver::{DriverError, DriverResult};

/// Number of forks between the first watched process and this one.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// The generation in which a vendor's driver was first looked for, or [`NEVER`].
static STARTED: AtomicU32 = AtomicU32::new(NEVER);

/// No driver was looked for yet.
const NEVER: u32 = u32::MAX;

/// Set when the process begins to exit.
static EXITING: AtomicBool = AtomicBool::new(false);

/// Begins to watch, and returns the process's generation: a later value of [`generation`] differs in a forked child.
pub(crate) fn watch() -> u32 {
    static WATCHING: Once = Once::new();
    WATCHING.call_once(register);
    generation()
}

/// The process's generation.
#[inline]
pub(crate) fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// Returns whether the process exits.
#[inline]
pub(crate) fn exiting() -> bool {
    EXITING.load(Ordering::Relaxed)
}

/// Notes that a vendor's driver is about to be looked for, and watches for forks from now on. Locks taken after this
/// are held by threads of this process only.
///
/// # Errors
/// [`DriverError::Forked`]: a parent of this process has looked for a driver.
pub(crate) fn enter(call: &'static str) -> DriverResult<()> {
    check(call)?;
    let own = watch();
    let _ = STARTED.compare_exchange(NEVER, own, Ordering::Relaxed, Ordering::Relaxed);
    check(call)
}

/// Checks that this process may call a driver that was started by [`enter`].
///
/// # Errors
/// [`DriverError::Forked`]: a parent of this process has started it.
#[inline]
pub(crate) fn check(call: &'static str) -> DriverResult<()> {
    let started = STARTED.load(Ordering::Relaxed);
    match started == NEVER || started == generation() {
        true => Ok(()),
        false => Err(DriverError::Forked { call }),
    }
}

/// Threads inside of a library, which the process waits for when it exits: the library's own handlers must not run meanwhile.
#[derive(Debug)]
pub(crate) struct Busy;

static BUSY: Mutex<usize> = Mutex::new(0);
static IDLE: Condvar = Condvar::new();

/// The longest wait for busy threads; a compilation takes some seconds at most.
#[cfg(unix)]
const LONGEST_EXIT: Duration = Duration::from_secs(20);

fn busy_threads() -> MutexGuard<'static, usize> {
    BUSY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Busy {
    /// Counts this thread; nothing if the process exits.
    pub(crate) fn begin() -> Option<Self> {
        let mut busy = busy_threads();
        if exiting() {
            return None;
        }
        *busy += 1;
        Some(Self)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        *busy_threads() -= 1;
        IDLE.notify_all();
    }
}

/// Has the exit of the process wait for busy threads before it runs the handlers that are registered by now: those of the
/// libraries that are open.
pub(crate) fn wait_at_exit() {
    #[cfg(unix)]
    {
        static OWNER: AtomicU32 = AtomicU32::new(NEVER);
        extern "C" fn wait() {
            EXITING.store(true, Ordering::Relaxed);
            // A forked child has no busy threads, and one of its parent's may have held the lock.
            if OWNER.load(Ordering::Relaxed) == generation() {
                let busy = busy_threads();
                let _ = IDLE.wait_timeout_while(busy, LONGEST_EXIT, |busy| *busy > 0);
            }
        }
        OWNER.store(generation(), Ordering::Relaxed);
        // SAFETY: the handler lives as long as the process and locks nothing that a thread holds while it exits. If there is no
        // memory for it, the exit does not wait.
        unsafe { libc::atexit(wait) };
    }
}

#[cfg(unix)]
fn register() {
    extern "C" fn forked() {
        GENERATION.fetch_add(1, Ordering::Relaxed);
    }
    extern "C" fn exit() {
        EXITING.store(true, Ordering::Relaxed);
    }
    // SAFETY: both handlers are functions that live as long as the process and do nothing but an atomic operation,
    // which a child of a process with threads may do. If there is no memory for a handler, forks or the exit go
    // unnoticed, and the driver answers with errors of its own.
    unsafe {
        libc::pthread_atfork(None, None, Some(forked));
        libc::atexit(exit);
    }
}

#[cfg(not(unix))]
fn register() {}

/// Acts as if the process began to exit.
#[cfg(test)]
pub(crate) fn exit_in_a_test() {
    EXITING.store(true, Ordering::Relaxed);
}
