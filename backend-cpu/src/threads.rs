//! Sharing work among the threads of a device.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Thread;

use ndany_core::Result;
use ndany_core::backend::apart;

/// Below this many steps of elements, which take half a nanosecond each or so, a second thread costs more than it brings:
/// waking one takes tens of microseconds, and the one that wakes it some ten.
const WORTH_A_THREAD: usize = 1 << 17;

/// Threads that are kept awake at most: steps have fewer parts.
const AWAKE: usize = 8;
/// How often a looker looks whether the others are there: some tens of microseconds.
const PATIENCE: usize = 1000;

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

    /// How many pieces work had better have, so that no thread is left without: two for each, or one for a single one.
    pub(crate) fn pieces(&self) -> usize {
        if self.count == 1 { 1 } else { 2 * self.count }
    }

    /// Runs `work` on the pool, so that what it starts on rayon stays there.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let Some(pool) = &self.pool else { return work() };
        let (mut work, mut value) = (Some(work), None);
        enter(pool, &mut || {
            let _busy = Busy::new();
            value = work.take().map(|work| work());
        });
        match value {
            Some(value) => value,
            None => unreachable!("the pool has run it"),
        }
    }

    /// As [`install`](Self::install), for work of many short steps: other threads look for parts of steps meanwhile instead
    /// of sleeping, since to wake one takes longer than a step.
    pub(crate) fn install_awake(&self, work: impl FnOnce() + Send) {
        self.awake(&Arc::default(), work);
    }

    fn awake(&self, awake: &Arc<Awake>, work: impl FnOnce() + Send) {
        let lookers = self.count.min(AWAKE) - 1;
        self.install(|| {
            for _ in 0..lookers {
                let awake = awake.clone();
                rayon::spawn(move || awake.look(lookers));
            }
            let _done = AtEnd(&awake.done);
            work();
        });
    }

    /// Calls `work` once on each thread that may take part in work of the pool.
    #[cfg(feature = "linalg")]
    pub(crate) fn on_each(&self, work: impl Fn() + Sync) {
        self.install(|| match self.pool.is_some() {
            true => drop(rayon::broadcast(|_| work())),
            false => work(),
        });
    }

    /// Is this much work, in steps of elements, worth more than one thread?
    pub(crate) fn worth(&self, effort: usize) -> bool {
        self.pool.is_some() && effort >= WORTH_A_THREAD
    }

    /// Calls `work` for each number below `count`, on all threads.
    pub(crate) fn each(&self, count: usize, work: impl Fn(usize) + Sync) {
        match &self.pool {
            Some(pool) => numbers(pool, self.count, count, &work),
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
        numbers(pool, self.count, size.div_ceil(stretch), &|number| {
            if failure.get().is_none() {
                let done = work(number * stretch, ((number + 1) * stretch).min(size));
                done.unwrap_or_else(|error| drop(failure.set(error)));
            }
        });
        failure.into_inner().map_or(Ok(()), Err)
    }
}

/// What the lookers of one work know. The work does not wait for them: one may never get a thread, or find another's work on the
/// way. (Where a part of that waits for its own parts, rayon may give its thread any job meanwhile, and so a looker, too.)
#[derive(Default)]
struct Awake {
    /// The work is, and who looks for parts of it may stop.
    done: AtomicBool,
    /// Lookers that have or had a thread.
    begun: AtomicUsize,
}

impl Awake {
    /// Runs what the pool has to do until the work is done.
    fn look(&self, lookers: usize) {
        self.begun.fetch_add(1, Ordering::Relaxed);
        let Some(_busy) = Busy::unless() else { return };
        // What is oldest in the pool are the other lookers: they are for threads that are still waking up.
        let mut patience = PATIENCE;
        while !self.done.load(Ordering::Relaxed) {
            if patience > 0 && self.begun.load(Ordering::Relaxed) < lookers {
                patience -= 1;
                std::hint::spin_loop();
            } else if rayon::yield_now() != Some(rayon::Yield::Executed) {
                std::thread::yield_now();
            }
        }
    }
}

thread_local! {
    /// Does this thread look for work, or has it some that others may wait for?
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// A time in which a thread is not to begin to look for others' work.
struct Busy(bool);

impl Busy {
    fn new() -> Self {
        Self(BUSY.replace(true))
    }

    /// Unless it is such a time already.
    fn unless() -> Option<Self> {
        (!BUSY.get()).then(Self::new)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        BUSY.set(self.0);
    }
}

/// Says so when dropped, also where work panics.
struct AtEnd<'a>(&'a AtomicBool);

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

// What follows knows the work as `dyn` only: rayon's machinery compiled once for each closure was half of this
// crate's code, and of the time that it took to build.

/// Calls `work` for each number below `count`, on the caller's thread and as many of the pool's as make up `threads`.
///
/// The caller begins at once, and at the end it waits for those threads only that have begun too: one that sleeps takes
/// tens of microseconds to wake, in which small work is done.
fn numbers(pool: &rayon::ThreadPool, threads: usize, count: usize, work: &(dyn Fn(usize) + Sync)) {
    let shared = Arc::new(Shared::new(work, count));
    for _ in 1..threads.min(count) {
        let shared = shared.clone();
        pool.spawn(move || shared.help());
    }
    let own = catch_unwind(AssertUnwindSafe(|| shared.take_part()));
    shared.close();
    let theirs = shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(panic) = own.err().or(theirs) {
        resume_unwind(panic);
    }
}

/// Numbers that threads take one after the other.
struct Shared {
    /// Good until [`Shared::close`] has returned.
    work: *const (dyn Fn(usize) + Sync),
    next: AtomicUsize,
    count: usize,
    /// Helpers at work, and [`CLOSED`] once there may be no more.
    helpers: AtomicUsize,
    caller: Thread,
    /// What a helper's work panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// No helper may begin.
const CLOSED: usize = 1 << (usize::BITS - 1);

// SAFETY: what the address points to may be shared, and is used only as `help` says.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    fn new(work: &(dyn Fn(usize) + Sync), count: usize) -> Self {
        // SAFETY: the same address under a longer life; `help` uses it only while the caller waits.
        let work: &'static (dyn Fn(usize) + Sync) = unsafe { std::mem::transmute(work) };
        Self {
            work,
            next: AtomicUsize::new(0),
            count,
            helpers: AtomicUsize::new(0),
            caller: std::thread::current(),
            panic: Mutex::new(None),
        }
    }

    /// Works until no number is left. Only between `new` and the end of `close`.
    fn take_part(&self) {
        // SAFETY: the caller's own call, or `help` while `close` waits for it: the work is still there.
        let work = unsafe { &*self.work };
        loop {
            // What numbers stand for is ordered by `helpers`.
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.count {
                return;
            }
            work(number);
        }
    }

    /// Takes part if the work is still there: it is from when the number of helpers was raised before it was closed until
    /// that number is lowered.
    fn help(&self) {
        if self.helpers.fetch_add(1, Ordering::Acquire) & CLOSED == 0
            && let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.take_part()))
        {
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
        if self.helpers.fetch_sub(1, Ordering::Release) == CLOSED + 1 {
            self.caller.unpark();
        }
    }

    /// Lets no more helpers in and waits for those that are.
    fn close(&self) {
        self.helpers.fetch_or(CLOSED, Ordering::AcqRel);
        let mut patience = SPINS;
        while self.helpers.load(Ordering::Acquire) != CLOSED {
            // Stretches are short: the last one ends sooner than a thread that sleeps wakes.
            match patience.checked_sub(1) {
                Some(less) => {
                    patience = less;
                    std::hint::spin_loop();
                }
                None => std::thread::park(),
            }
        }
    }
}

/// How often a caller looks again before it sleeps: some ten microseconds.
const SPINS: usize = 1000;

/// Runs `work` on the pool and does nothing else meanwhile.
fn enter(pool: &rayon::ThreadPool, work: &mut (dyn FnMut() + Send)) {
    // A worker of another pool would take up that pool's jobs (see `apart`). Where there is no thread to wait in its place,
    // the work runs where it is: what it starts on rayon goes to that pool.
    if rayon::current_thread_index().is_none() {
        pool.install(work);
    } else if !apart(&mut || pool.install(&mut *work)) {
        work();
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// Adds up the numbers below `count` on these threads.
    fn sum(threads: &Threads, count: usize) -> usize {
        let sum = AtomicUsize::new(0);
        threads.each(count, |number| {
            sum.fetch_add(number + 1, Ordering::Relaxed);
        });
        sum.into_inner()
    }

    #[test]
    fn every_number_comes_once() {
        let threads = Threads::new(3);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for count in (0..2000).map(|count| count % 50) {
                        assert_eq!(sum(&threads, count), count * (count + 1) / 2);
                    }
                });
            }
        });
    }

    #[test]
    fn work_inside_of_work_ends() {
        let (threads, total) = (Threads::new(2), AtomicUsize::new(0));
        threads.each(20, |number| {
            total.fetch_add(sum(&threads, number), Ordering::Relaxed);
        });
        assert_eq!(
            total.into_inner(),
            (0..20).map(|number| number * (number + 1) / 2).sum::<usize>()
        );
    }

    /// Adds up the numbers of a range in halves.
    fn halves(range: std::ops::Range<usize>) -> usize {
        if range.len() < 4 {
            return range.sum();
        }
        let middle = range.start + range.len() / 2;
        let (low, high) = rayon::join(|| halves(range.start..middle), || halves(middle..range.end));
        low + high
    }

    #[test]
    fn steps_of_many_callers_end_while_others_look_for_them() {
        for threads in [1, 2, 3] {
            let threads = Threads::new(threads);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        for count in 0..200 {
                            let mut sum = 0;
                            threads.install_awake(|| {
                                sum = (0..5).map(|_| halves(0..count)).sum();
                            });
                            assert_eq!(sum, 5 * (0..count).sum::<usize>());
                        }
                    });
                }
            });
        }
    }

    #[test]
    fn nobody_looks_on_after_a_panic() {
        let threads = Threads::new(3);
        for number in 0..20 {
            let awake = Arc::new(Awake::default());
            let work = AssertUnwindSafe(|| {
                threads.awake(&awake, || resume_unwind(Box::new(number)));
            });
            let panic = catch_unwind(work).expect_err("it panics");
            assert_eq!(panic.downcast_ref(), Some(&number));
            // Lookers end by and by, and each has a share of this.
            let begun = Instant::now();
            while Arc::strong_count(&awake) > 1 {
                assert!(begun.elapsed() < Duration::from_secs(60), "somebody looks on");
                std::thread::yield_now();
            }
        }
        assert_eq!(sum(&threads, 100), 5050);
    }

    #[test]
    fn panics_reach_the_caller_when_nobody_works_any_more() {
        let (threads, working) = (Threads::new(2), AtomicUsize::new(0));
        for bad in 0..200 {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                threads.each(200, |number| {
                    working.fetch_add(1, Ordering::Relaxed);
                    let fails = number == bad;
                    std::thread::yield_now();
                    working.fetch_sub(1, Ordering::Relaxed);
                    if fails {
                        resume_unwind(Box::new(number));
                    }
                });
            }));
            let panic = outcome.expect_err("one number fails");
            assert_eq!(panic.downcast_ref(), Some(&bad));
            assert_eq!(working.load(Ordering::Relaxed), 0);
        }
    }
}
