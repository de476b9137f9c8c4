//! The plan cache of the process, shared by all threads and bounded in bytes.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Maximum bytes of cached plans, by estimate. The last used plan stays, whatever its size.
pub const PLAN_BYTES: usize = 64 << 20;

/// The key of a plan: bytes of a real number, kind of transform, length.
pub(crate) type Key = (usize, crate::Kind, usize);

struct Entry {
    plan: Arc<dyn Any + Send + Sync>,
    bytes: usize,
    used: u64,
}

#[derive(Default)]
struct Plans {
    entries: HashMap<Key, Entry>,
    bytes: usize,
    clock: u64,
}

fn plans() -> MutexGuard<'static, Plans> {
    static PLANS: OnceLock<Mutex<Plans>> = OnceLock::new();
    // A panic leaves only whole entries.
    PLANS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Number of cached plans, and their bytes by estimate.
pub fn kept() -> (usize, usize) {
    let plans = plans();
    (plans.entries.len(), plans.bytes)
}

/// The plan for a key, created if it is not cached. If two threads create the same plan, one of both is kept.
pub(crate) fn try_plan<T: Send + Sync + 'static, E>(
    key: Key,
    bytes: usize,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<Arc<T>, E> {
    if let Some(found) = take(key) {
        return Ok(found);
    }
    let made = Arc::new(make()?);
    keep(key, bytes, made.clone());
    Ok(made)
}

fn take<T: Send + Sync + 'static>(key: Key) -> Option<Arc<T>> {
    let mut plans = plans();
    plans.clock += 1;
    let now = plans.clock;
    let entry = plans.entries.get_mut(&key)?;
    entry.used = now;
    entry.plan.clone().downcast().ok()
}

fn keep(key: Key, bytes: usize, plan: Arc<dyn Any + Send + Sync>) {
    let mut plans = plans();
    let used = plans.clock;
    if let Some(old) = plans.entries.insert(key, Entry { plan, bytes, used }) {
        plans.bytes -= old.bytes;
    }
    plans.bytes += bytes;
    while plans.bytes > PLAN_BYTES && plans.entries.len() > 1 {
        let others = plans.entries.iter().filter(|(other, _)| **other != key);
        let Some(oldest) = others.min_by_key(|(_, entry)| entry.used).map(|(&key, _)| key) else {
            break;
        };
        if let Some(gone) = plans.entries.remove(&oldest) {
            plans.bytes -= gone.bytes;
        }
    }
}
