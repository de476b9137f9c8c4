//! Sharing work among the threads of a device.

use std::sync::OnceLock;

use ndany_core::Result;
use rayon::prelude::*;

/// Below this many steps of elements a second thread costs more than it brings.
const WORTH_A_THREAD: usize = 1 << 17;

/// The threads of a device.
#[derive(Debug)]
pub(crate) struct Threads {
    pool: Option<rayon::ThreadPool>,
    count: usize,
}

impl Threads {
    /// As many threads; one means the caller's own. Falls back to the caller's where the system gives
    /// no threads.
    pub(crate) fn new(count: usize) -> Self {
        let pool = (count > 1)
            .then(|| {
                let name = |thread| format!("ndany-cpu-{thread}");
                rayon::ThreadPoolBuilder::new().num_threads(count).thread_name(name).build()
            })
            .and_then(|pool| match pool {
                Ok(pool) => Some(pool),
                Err(error) => {
                    tracing::warn!(%error, "no thread pool: the CPU device runs on the calling thread");
                    None
                }
            });
        let count = if pool.is_some() { count } else { 1 };
        Self { pool, count }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Runs `work` on the pool, so that what it starts on rayon stays there.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let Some(pool) = &self.pool else { return work() };
        let (mut work, mut value) = (Some(work), None);
        enter(pool, &mut || value = work.take().map(|work| work()));
        match value {
            Some(value) => value,
            None => unreachable!("the pool has run it"),
        }
    }

    /// Is this much work, in steps of elements, worth more than one thread?
    pub(crate) fn worth(&self, effort: usize) -> bool {
        self.pool.is_some() && effort >= WORTH_A_THREAD
    }

    /// Calls `work` for each number below `count`, on all threads.
    pub(crate) fn each(&self, count: usize, work: impl Fn(usize) + Sync) {
        match &self.pool {
            Some(pool) => numbers(pool, count, &work),
            None => (0..count).for_each(work),
        }
    }

    /// Calls `work(begin, end)` for stretches of `0..size` that start at multiples of `unit`; `effort`
    /// is the whole work in steps of elements. The first error counts.
    pub(crate) fn split(
        &self,
        size: usize,
        unit: usize,
        effort: usize,
        work: impl Fn(usize, usize) -> Result<()> + Sync,
    ) -> Result<()> {
        let Some(pool) = self.pool.as_ref().filter(|_| effort >= WORTH_A_THREAD && size > unit)
        else {
            return if size > 0 { work(0, size) } else { Ok(()) };
        };
        // Several stretches a thread even out what others on the machine take away.
        let units = size.div_ceil(unit);
        let stretch = units.div_ceil(self.count * 8).max(1) * unit;
        let failure = OnceLock::new();
        numbers(pool, size.div_ceil(stretch), &|number| {
            if failure.get().is_none() {
                let done = work(number * stretch, ((number + 1) * stretch).min(size));
                done.unwrap_or_else(|error| drop(failure.set(error)));
            }
        });
        failure.into_inner().map_or(Ok(()), Err)
    }
}

// What follows knows the work as `dyn` only: rayon's machinery compiled once for each closure was half of this
// crate's code, and of the time that it took to build.

/// Calls `work` for each number below `count`, on all threads of the pool.
fn numbers(pool: &rayon::ThreadPool, count: usize, work: &(dyn Fn(usize) + Sync)) {
    enter(pool, &mut || (0..count).into_par_iter().for_each(work));
}

/// Runs `work` on the pool and does nothing else meanwhile.
///
/// A caller that is itself a worker of rayon would take up its own pool's other jobs while it waits,
/// and one of them may need the very array that this call is computing: it would wait for itself.
fn enter(pool: &rayon::ThreadPool, work: &mut (dyn FnMut() + Send)) {
    if rayon::current_thread_index().is_none() {
        return pool.install(work);
    }
    std::thread::scope(|scope| match scope.spawn(|| pool.install(work)).join() {
        Ok(()) => {}
        Err(panic) => std::panic::resume_unwind(panic),
    })
}
