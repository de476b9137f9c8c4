//! Hooks: functions that are called with each event of a pool's memory. Hooks are called without the pool's lock, on the thread that uses memory.

use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ndany_core::backend::{MemoryEvent, MemoryHook};

/// The hooks of a pool.
#[derive(Default)]
pub(crate) struct Hooks {
    /// Whether there are any: without hooks, an event is one load.
    any: AtomicBool,
    all: Mutex<Vec<MemoryHook>>,
}

thread_local! {
    /// Whether this thread is in a hook, whose own use of memory calls no hook.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

impl Hooks {
    fn all(&self) -> MutexGuard<'_, Vec<MemoryHook>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, hook: MemoryHook) {
        let mut all = self.all();
        all.push(hook);
        self.any.store(true, Ordering::Relaxed);
    }

    pub(crate) fn remove(&self, hook: &MemoryHook) {
        let mut all = self.all();
        if let Some(at) = all.iter().position(|other| Arc::ptr_eq(other, hook)) {
            all.remove(at);
        }
        self.any.store(!all.is_empty(), Ordering::Relaxed);
    }

    /// Tells all hooks of an event.
    #[inline]
    pub(super) fn tell(&self, event: MemoryEvent) {
        if self.any.load(Ordering::Relaxed) {
            self.tell_all(event);
        }
    }

    #[cold]
    fn tell_all(&self, event: MemoryEvent) {
        if INSIDE.replace(true) {
            return;
        }
        // Not under the lock: a hook may add or remove one.
        let all = self.all().clone();
        for hook in all {
            // Memory is given back by values that are dropped, where no panic may go on.
            if catch_unwind(AssertUnwindSafe(|| hook(event))).is_err() {
                tracing::error!(?event, "a hook of a memory pool panicked");
            }
        }
        INSIDE.set(false);
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("any", &self.any).finish_non_exhaustive()
    }
}
