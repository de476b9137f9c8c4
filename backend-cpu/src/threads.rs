//! Sharing work among the threads of a device.

use std::any::Any;
use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
#[cfg(unix)]
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use ndany_core::Result;
use ndany_core::backend::apart;

/// Minimum cost, in steps of half a nanosecond or so, of work for several threads. Waking a thread takes tens
/// of microseconds, ten of them on the thread that wakes it.
const PARALLEL_THRESHOLD: usize = 1 << 17;

/// Minimum cost of the share of a thread, some microseconds. A worker that is awake takes one or two of them to begin.
const SHARE: usize = 1 << 14;

/// Threads that each starting thread wakes. One thread that wakes all of them is busy with it longer than small work takes.
const FAN_OUT: usize = 2;

/// How long a worker looks for the next work before it sleeps: about as long as it takes to wake it.
const LINGER: Duration = Duration::from_micros(50);

/// Maximum number of spinning workers; a step has fewer parts.
const MAX_SPINNING: usize = 8;
/// Spin iterations before a spinning worker stops waiting for the others to start (tens of microseconds).
const SPIN_LIMIT: usize = 1000;

/// How often the process is a fork of the one that began: a child has none of its parent's threads.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Has forks counted.
fn watch_forks() {
    #[cfg(unix)]
    {
        static WATCHED: Once = Once::new();
        extern "C" fn forked() {
            FORKS.fetch_add(1, Ordering::Relaxed);
        }
        WATCHED.call_once(|| {
            // SAFETY: the handler lives as long as the process and does nothing but an atomic operation, which a child of a process
            // with threads may do. If there is no memory for it, forks go unnoticed.
            unsafe { libc::pthread_atfork(None, None, Some(forked)) };
        });
    }
}

/// The threads of a device. In a forked child all work runs on the calling thread.
#[derive(Debug)]
pub(crate) struct Threads {
    pool: Option<rayon::ThreadPool>,
    count: usize,
    /// [`FORKS`] when the pool was made.
    forks: u32,
    /// Where workers that are awake find the next work. `None` if there are more threads than processors: workers that
    /// wait awake would take the time of those that work.
    offers: Option<Arc<Offers>>,
}

impl Threads {
    /// Creates a pool of `count` threads. With 1, or if the system gives no threads, work runs on the calling
    /// thread.
    pub(crate) fn new(count: usize) -> Self {
        watch_forks();
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
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let offers = (1 < count && count <= processors).then(Arc::default);
        Self { pool, count, forks: FORKS.load(Ordering::Relaxed), offers }
    }

    /// The pool, if it has threads in this process.
    fn pool(&self) -> Option<&rayon::ThreadPool> {
        self.pool.as_ref().filter(|_| FORKS.load(Ordering::Relaxed) == self.forks)
    }

    pub(crate) fn count(&self) -> usize {
        if self.pool().is_some() { self.count } else { 1 }
    }

    /// The number of tasks into which work is best cut: two for each thread, or one on a single thread.
    pub(crate) fn task_count(&self) -> usize {
        if self.count() == 1 { 1 } else { 2 * self.count }
    }

    /// Runs `work` on the pool, so that its rayon tasks stay there.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let Some(pool) = self.pool() else { return work() };
        let (mut work, mut value) = (Some(work), None);
        enter(pool, &mut || {
            let _busy = BusyGuard::new();
            value = work.take().map(|work| work());
        });
        match value {
            Some(value) => value,
            None => unreachable!("the pool has run it"),
        }
    }

    /// As [`install`](Self::install), for work of many short steps: the other threads spin for tasks
    /// meanwhile, since waking a thread takes longer than a step.
    pub(crate) fn install_spinning(&self, work: impl FnOnce() + Send) {
        self.install_with(&Arc::default(), work);
    }

    fn install_with(&self, state: &Arc<SpinState>, work: impl FnOnce() + Send) {
        let spinners = self.count().min(MAX_SPINNING) - 1;
        self.install(|| {
            for _ in 0..spinners {
                let state = state.clone();
                rayon::spawn(move || state.spin(spinners));
            }
            let _done = SetOnDrop(&state.done);
            work();
        });
    }

    /// Calls `work` once on each thread of the pool.
    #[cfg(feature = "linalg")]
    pub(crate) fn broadcast(&self, work: impl Fn() + Sync) {
        self.install(|| match self.pool().is_some() {
            true => drop(rayon::broadcast(|_| work())),
            false => work(),
        });
    }

    /// Whether work of this cost is worth more than one thread.
    pub(crate) fn is_parallel(&self, cost: usize) -> bool {
        cost >= PARALLEL_THRESHOLD && self.pool().is_some()
    }

    /// The number of threads that work of this cost is shared among.
    fn shares(&self, cost: usize) -> usize {
        if self.is_parallel(cost) { (cost / SHARE).min(self.count) } else { 1 }
    }

    /// Calls `work` for each number below `count`, on as many threads as work of this cost needs.
    pub(crate) fn for_each(&self, count: usize, cost: usize, work: impl Fn(usize) + Sync) {
        self.for_each_dyn(count, self.shares(cost), &work);
    }

    fn for_each_dyn(&self, count: usize, threads: usize, work: &(dyn Fn(usize) + Sync)) {
        match self.pool() {
            Some(pool) if threads.min(count) > 1 => {
                for_each_index(pool, threads, count, self.offers.as_ref(), work);
            }
            _ => (0..count).for_each(work),
        }
    }

    /// Calls `work(begin, end)` for ranges of `0..size` that start at multiples of `unit`; `cost` is the cost
    /// of the whole work. Returns the first error.
    pub(crate) fn split(
        &self,
        size: usize,
        unit: usize,
        cost: usize,
        work: impl Fn(usize, usize) -> Result<()> + Sync,
    ) -> Result<()> {
        self.split_dyn(size, unit, cost, &work)
    }

    fn split_dyn(
        &self,
        size: usize,
        unit: usize,
        cost: usize,
        work: &(dyn Fn(usize, usize) -> Result<()> + Sync),
    ) -> Result<()> {
        let threads = self.shares(cost);
        if threads == 1 || size <= unit {
            return if size > 0 { work(0, size) } else { Ok(()) };
        }
        // Several ranges per thread even out load from other processes.
        let units = size.div_ceil(unit);
        let stretch = units.div_ceil(threads * 8).max(1) * unit;
        let failure = OnceLock::new();
        self.for_each_dyn(size.div_ceil(stretch), threads, &|number| {
            if failure.get().is_none() {
                let done = work(number * stretch, ((number + 1) * stretch).min(size));
                done.unwrap_or_else(|error| drop(failure.set(error)));
            }
        });
        failure.into_inner().map_or(Ok(()), Err)
    }
}

/// State that the spinning workers of one call share. The work does not wait for them: one may never get a
/// thread, or may take another call's task. (If a part of that task waits for its own parts, rayon may run
/// any job on its thread meanwhile, a spinning worker included.)
#[derive(Default)]
struct SpinState {
    /// The work is finished, and spinning workers stop.
    done: AtomicBool,
    /// Number of spinning workers that have started.
    started: AtomicUsize,
}

impl SpinState {
    /// Runs the pool's tasks until the work is done.
    fn spin(&self, spinners: usize) {
        self.started.fetch_add(1, Ordering::Relaxed);
        let Some(_busy) = BusyGuard::unless_busy() else { return };
        // The oldest tasks of the pool are the other spinning workers, for threads that are still waking up.
        let mut spins_left = SPIN_LIMIT;
        while !self.done.load(Ordering::Relaxed) {
            if spins_left > 0 && self.started.load(Ordering::Relaxed) < spinners {
                spins_left -= 1;
                std::hint::spin_loop();
            } else if rayon::yield_now() != Some(rayon::Yield::Executed) {
                std::thread::yield_now();
            }
        }
    }
}

/// What a worker does beside single tasks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occupation {
    Idle,
    /// It looks for the next work for a while.
    Lingers,
    /// It spins for tasks, or runs work that others may wait for.
    Busy,
}

thread_local! {
    static OCCUPATION: Cell<Occupation> = const { Cell::new(Occupation::Idle) };
}

/// Marks the thread as occupied, so that it does not start to spin or to linger inside.
struct BusyGuard(Occupation);

impl BusyGuard {
    fn new() -> Self {
        Self(OCCUPATION.replace(Occupation::Busy))
    }

    /// `None` if the thread is busy already.
    fn unless_busy() -> Option<Self> {
        (OCCUPATION.get() != Occupation::Busy).then(Self::new)
    }

    /// Marks an idle thread as lingering; `None` if it is not idle.
    fn lingering() -> Option<Self> {
        (OCCUPATION.get() == Occupation::Idle)
            .then(|| Self(OCCUPATION.replace(Occupation::Lingers)))
    }
}

impl Drop for BusyGuard {
    fn drop(&mut self) {
        OCCUPATION.set(self.0);
    }
}

/// Work for workers that are awake: they take it without being woken.
#[derive(Debug, Default)]
struct Offers {
    /// The work, and the number of the helper that is wanted.
    waiting: Mutex<Vec<(Arc<Shared>, usize)>>,
    /// The length of `waiting`, so that a worker that looks takes no lock.
    count: AtomicUsize,
    /// Number of workers that look.
    lingering: AtomicUsize,
}

impl Offers {
    fn change<T>(&self, change: impl FnOnce(&mut Vec<(Arc<Shared>, usize)>) -> T) -> T {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = change(&mut waiting);
        self.count.store(waiting.len(), Ordering::Relaxed);
        changed
    }

    /// Offers work to the first `helpers`.
    fn offer(&self, shared: &Arc<Shared>, helpers: usize) {
        if helpers > 0 {
            self.change(|waiting| {
                waiting.extend((0..helpers).map(|number| (shared.clone(), number)));
            });
        }
    }

    /// Takes back what no worker has taken.
    fn withdraw(&self, shared: &Arc<Shared>) {
        if self.count.load(Ordering::Relaxed) > 0 {
            self.change(|waiting| waiting.retain(|(other, _)| !Arc::ptr_eq(shared, other)));
        }
    }

    fn take(&self) -> Option<(Arc<Shared>, usize)> {
        match self.count.load(Ordering::Relaxed) {
            0 => None,
            _ => self.change(Vec::pop),
        }
    }

    /// Does offered work, and tasks of the pool, until there has been none for a while. The next launch then finds a
    /// worker awake.
    fn linger(&self) {
        let Some(_lingering) = BusyGuard::lingering() else { return };
        let mut since = Instant::now();
        self.lingering.fetch_add(1, Ordering::Relaxed);
        while since.elapsed() < LINGER {
            if let Some((shared, number)) = self.take() {
                self.lingering.fetch_sub(1, Ordering::Relaxed);
                shared.help(number);
                self.lingering.fetch_add(1, Ordering::Relaxed);
                since = Instant::now();
            } else if rayon::yield_now() == Some(rayon::Yield::Executed) {
                since = Instant::now();
            } else {
                std::thread::yield_now();
            }
        }
        self.lingering.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Sets a flag when dropped, also if work panics.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

// The code below takes the work as `dyn`: rayon's machinery compiled once for each closure made up half of
// this crate's code and of its build time.

/// Calls `work` for each number below `count`, on the caller's thread and on enough of the pool's to make up
/// `threads`.
///
/// The caller starts at once, and at the end waits only for threads that have started too: waking a sleeping
/// thread takes tens of microseconds, in which small work is done. Workers that are awake take what is offered;
/// others are woken, and wake each other, as a tree.
fn for_each_index(
    pool: &rayon::ThreadPool,
    threads: usize,
    count: usize,
    offers: Option<&Arc<Offers>>,
    work: &(dyn Fn(usize) + Sync),
) {
    let helpers = threads.min(count) - 1;
    let lingering = offers.map_or(0, |offers| offers.lingering.load(Ordering::Relaxed));
    let awake = lingering.min(helpers);
    let asked = helpers.min(awake + FAN_OUT);
    let shared = Arc::new(Shared::new(work, count, asked..helpers, offers.cloned()));
    if let Some(offers) = offers {
        offers.offer(&shared, awake);
    }
    for number in awake..asked {
        let shared = shared.clone();
        pool.spawn(move || shared.help(number));
    }
    let own = catch_unwind(AssertUnwindSafe(|| shared.run_tasks()));
    if let Some(offers) = offers {
        offers.withdraw(&shared);
    }
    shared.close();
    let theirs = shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(panic) = own.err().or(theirs) {
        resume_unwind(panic);
    }
}

/// Indices that threads take one after the other.
#[derive(Debug)]
struct Shared {
    /// Valid until [`Shared::close`] has returned.
    work: *const (dyn Fn(usize) + Sync),
    next: AtomicUsize,
    count: usize,
    /// The helpers that others wake, and where all of them look for other work after this.
    wanted: Range<usize>,
    offers: Option<Arc<Offers>>,
    /// Number of active helpers, plus [`CLOSED`] once no more may start.
    helpers: AtomicUsize,
    caller: Thread,
    /// The panic of a helper's work.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// No helper may start.
const CLOSED: usize = 1 << (usize::BITS - 1);

// SAFETY: what the address points to is `Sync`, and is used only as `help` states.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    fn new(
        work: &(dyn Fn(usize) + Sync),
        count: usize,
        wanted: Range<usize>,
        offers: Option<Arc<Offers>>,
    ) -> Self {
        // SAFETY: only the lifetime changes; `help` uses the reference only while the caller waits.
        let work: &'static (dyn Fn(usize) + Sync) = unsafe { std::mem::transmute(work) };
        Self {
            work,
            next: AtomicUsize::new(0),
            count,
            wanted,
            offers,
            helpers: AtomicUsize::new(0),
            caller: std::thread::current(),
            panic: Mutex::new(None),
        }
    }

    /// Works until no index is left. Called only between `new` and the end of `close`.
    fn run_tasks(&self) {
        // SAFETY: this is the caller's own call, or `help` while `close` waits for it: the work is still
        // alive.
        let work = unsafe { &*self.work };
        loop {
            // `helpers` orders the data that the indices stand for.
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.count {
                return;
            }
            work(number);
        }
    }

    /// Takes part if the work is still alive, as helper `number`. It is alive from when the number of
    /// helpers was raised, before it was closed, until that number is lowered.
    fn help(self: Arc<Self>, number: usize) {
        if self.helpers.fetch_add(1, Ordering::Acquire) & CLOSED == 0 {
            self.wake_others(number);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.run_tasks())) {
                self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
            }
        }
        if self.helpers.fetch_sub(1, Ordering::Release) == CLOSED + 1 {
            self.caller.unpark();
        }
        let offers = self.offers.clone();
        drop(self);
        if let Some(offers) = offers {
            offers.linger();
        }
    }

    /// Asks for the helpers that this one has to wake, if there is work left for them.
    fn wake_others(self: &Arc<Self>, number: usize) {
        let first = (number + 1) * FAN_OUT;
        for other in first.max(self.wanted.start)..self.wanted.end.min(first + FAN_OUT) {
            if self.next.load(Ordering::Relaxed) >= self.count {
                return;
            }
            let shared = self.clone();
            rayon::spawn(move || shared.help(other));
        }
    }

    /// Lets no more helpers start and waits for those that have.
    fn close(&self) {
        self.helpers.fetch_or(CLOSED, Ordering::AcqRel);
        let mut spins_left = CLOSE_SPIN_LIMIT;
        while self.helpers.load(Ordering::Acquire) != CLOSED {
            // Ranges are short: the last one ends sooner than a sleeping thread wakes.
            match spins_left.checked_sub(1) {
                Some(less) => {
                    spins_left = less;
                    std::hint::spin_loop();
                }
                None => std::thread::park(),
            }
        }
    }
}

/// Spin iterations before the caller parks (about ten microseconds).
const CLOSE_SPIN_LIMIT: usize = 1000;

/// Runs `work` on the pool while this thread only waits.
fn enter(pool: &rayon::ThreadPool, work: &mut (dyn FnMut() + Send)) {
    // A worker of another pool would run that pool's jobs meanwhile (see `apart`). If there is no thread to
    // wait in its place, the work runs here: its rayon tasks go to that pool.
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

    /// A cost that all threads share.
    const ALL: usize = 1 << 30;

    /// The sum of `1..=count`, computed on these threads.
    fn sum(threads: &Threads, count: usize) -> usize {
        let sum = AtomicUsize::new(0);
        threads.for_each(count, ALL, |number| {
            sum.fetch_add(number + 1, Ordering::Relaxed);
        });
        sum.into_inner()
    }

    #[test]
    fn few_threads_share_small_work() {
        let threads = Threads::new(16);
        let costs = [PARALLEL_THRESHOLD - 1, PARALLEL_THRESHOLD, 12 * SHARE, 1 << 20];
        assert_eq!(costs.map(|cost| threads.shares(cost)), [1, 8, 12, 16]);
        // Ranges are as many as their threads take.
        let ranges = AtomicUsize::new(0);
        let count = |_, _| {
            ranges.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        threads.split(1 << 20, 1, PARALLEL_THRESHOLD, count).expect("nothing fails");
        assert_eq!(ranges.into_inner(), 64);
    }

    #[test]
    fn threads_wake_each_other() {
        // Each number waits until all threads have one.
        let threads = Threads::new(9);
        let working = AtomicUsize::new(0);
        threads.for_each(9, ALL, |_| {
            working.fetch_add(1, Ordering::Relaxed);
            let started = Instant::now();
            while working.load(Ordering::Relaxed) < 9 {
                assert!(started.elapsed() < Duration::from_secs(60), "a thread was not woken");
                std::thread::yield_now();
            }
        });
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
        threads.for_each(20, ALL, |number| {
            total.fetch_add(sum(&threads, number), Ordering::Relaxed);
        });
        assert_eq!(
            total.into_inner(),
            (0..20).map(|number| number * (number + 1) / 2).sum::<usize>()
        );
    }

    /// The sum of a range, computed by halves.
    fn halves(range: std::ops::Range<usize>) -> usize {
        if range.len() < 4 {
            return range.sum();
        }
        let middle = range.start + range.len() / 2;
        let (low, high) = rayon::join(|| halves(range.start..middle), || halves(middle..range.end));
        low + high
    }

    #[test]
    fn steps_of_many_callers_end_while_workers_spin() {
        for threads in [1, 2, 3] {
            let threads = Threads::new(threads);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        for count in 0..200 {
                            let mut sum = 0;
                            threads.install_spinning(|| {
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
    fn workers_stop_spinning_after_a_panic() {
        let threads = Threads::new(3);
        for number in 0..20 {
            let state = Arc::new(SpinState::default());
            let work = AssertUnwindSafe(|| {
                threads.install_with(&state, || resume_unwind(Box::new(number)));
            });
            let panic = catch_unwind(work).expect_err("it panics");
            assert_eq!(panic.downcast_ref(), Some(&number));
            // Each spinning worker holds a reference until it ends.
            let started = Instant::now();
            while Arc::strong_count(&state) > 1 {
                assert!(started.elapsed() < Duration::from_secs(60), "a worker still spins");
                std::thread::yield_now();
            }
        }
        assert_eq!(sum(&threads, 100), 5050);
    }

    #[test]
    fn panics_reach_the_caller_after_all_work_has_ended() {
        let (threads, working) = (Threads::new(2), AtomicUsize::new(0));
        for bad in 0..200 {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                threads.for_each(200, ALL, |number| {
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
