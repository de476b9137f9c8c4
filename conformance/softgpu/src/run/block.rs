//! The threads of a block, as coroutines on one thread of the host.
//!
//! A stack runs thread after thread for as long as none waits, so a kernel without barriers is a plain loop. A thread
//! that waits keeps its stack; the scheduler goes on with one that may, or takes a fresh stack for those that have not
//! begun. If no thread can go on and some thread waits, that is a deadlock.

use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::coroutine::{Stack, switch};
use super::guarded::Guarded;
use super::together::Together;
use super::warp::{Kind, Warp, each};
use super::{Hooks, Launch, Stop, ThreadPosition};
use crate::chance::Chance;
use crate::device::Machine;
use crate::heap::POISON;
use crate::module::Entry;
use crate::settings::Settings;

/// The most dynamic shared memory of a block.
const DYNAMIC: usize = 228 << 10;

/// What a thread that has begun waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    Nothing,
    Barrier,
    Exchange,
}

/// A thread of the block.
#[derive(Clone, Copy, Debug)]
struct Thread {
    /// Where its stack waits, and which it is.
    pointer: usize,
    stack: usize,
    wait: Wait,
    /// Its number in x, y and z, its warp and its lane.
    at: [u32; 3],
    warp: u32,
    lane: u32,
}

/// Runs blocks of one launch, one after the other, on one thread of the host.
#[derive(Debug)]
pub(super) struct Worker {
    stacks: Vec<Stack>,
    free: Vec<usize>,
    threads: Vec<Thread>,
    warps: Vec<Warp>,
    ready: VecDeque<u32>,
    /// Threads that have not exited, and the first that has not begun.
    live: u32,
    fresh: u32,
    waiting: u32,
    predicates: u32,
    /// What the last barrier counted.
    counted: u32,
    current: u32,
    stack: usize,
    scheduler: usize,
    stop: Option<Stop>,
    launch: Shape,
    dynamic: Option<Guarded>,
    chance: Chance,
    /// The launch's blocks, while it runs.
    together: *const Together,
    /// Since when the current thread waits for other blocks.
    waits: Option<Instant>,
}

/// What the blocks of a launch have in common.
#[derive(Debug)]
struct Shape {
    entry: Option<Entry>,
    parameters: Vec<*mut c_void>,
    place: *mut ThreadPosition,
    local: Option<(*mut u8, usize)>,
    block: [u32; 3],
    grid: [u32; 3],
    count: u32,
    lanes: u32,
    shared: usize,
}

// SAFETY: the pointers are set when a launch begins, on the thread that runs it, and not used after its end.
unsafe impl Send for Worker {}

thread_local! {
    static CURRENT: Cell<*mut Worker> = const { Cell::new(std::ptr::null_mut()) };
}

static IDLE: Mutex<Vec<Worker>> = Mutex::new(Vec::new());

impl Worker {
    /// Lends a worker, with the stacks it has.
    pub(super) fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let worker = idle().pop();
        let mut worker = worker.unwrap_or_else(Self::new);
        let result = work(&mut worker);
        idle().push(worker);
        result
    }

    fn new() -> Self {
        Self {
            stacks: Vec::new(),
            free: Vec::new(),
            threads: Vec::new(),
            warps: Vec::new(),
            ready: VecDeque::new(),
            live: 0,
            fresh: 0,
            waiting: 0,
            predicates: 0,
            counted: 0,
            current: 0,
            stack: 0,
            scheduler: 0,
            stop: None,
            launch: Shape {
                entry: None,
                parameters: Vec::new(),
                place: std::ptr::null_mut(),
                local: None,
                block: [1; 3],
                grid: [1; 3],
                count: 1,
                lanes: 32,
                shared: 0,
            },
            dynamic: None,
            chance: Chance::of(0),
            together: std::ptr::null(),
            waits: None,
        }
    }

    /// Prepares for the blocks of a launch.
    pub(super) fn begin(&mut self, launch: &Launch, seed: u64, together: &Together) {
        (self.together, self.waits) = (together, None);
        let count = launch.block.iter().product::<u32>();
        // SAFETY: the module's function, which returns an address.
        let place = unsafe { (launch.kernel.place)() };
        let as_before = self.launch.block == launch.block && self.launch.lanes == launch.lanes;
        self.launch = Shape {
            entry: Some(launch.kernel.entry),
            parameters: launch.parameters(),
            place,
            local: launch.kernel.local.map(|local| local.range(place)),
            block: launch.block,
            grid: launch.grid,
            count,
            lanes: launch.lanes,
            shared: launch.shared as usize,
        };
        if self.launch.shared > 0 && self.dynamic.is_none() {
            self.dynamic = Guarded::new(DYNAMIC);
        }
        self.chance = Chance::of(seed);
        if as_before && !self.threads.is_empty() {
            self.threads.iter_mut().for_each(|thread| thread.wait = Wait::Nothing);
            return;
        }
        let ([x, y, _], lanes) = (launch.block, launch.lanes);
        let thread = |k: u32| Thread {
            pointer: 0,
            stack: 0,
            wait: Wait::Nothing,
            at: [k % x, k / x % y, k / x / y],
            warp: k / lanes,
            lane: k % lanes,
        };
        self.threads.clear();
        self.threads.extend((0..count).map(thread));
        self.warps.resize(count.div_ceil(launch.lanes) as usize, Warp::new(launch.lanes));
    }

    /// Ends what `begin` began.
    pub(super) fn end(&mut self) {
        CURRENT.set(std::ptr::null_mut());
        self.launch.parameters.clear();
        self.together = std::ptr::null();
    }

    /// Block and thread that ran last.
    pub(super) fn place(&self) -> [[u32; 3]; 2] {
        // SAFETY: set by `begin`, on this thread.
        unsafe { [(*self.launch.place).block, (*self.launch.place).thread] }
    }

    /// Runs a block to its end.
    pub(super) fn run(&mut self, position: [u32; 3]) -> Result<(), Stop> {
        self.reset(position);
        // The kernel's hooks use the worker while this function is asleep in `switch`.
        let this = &raw mut *self;
        CURRENT.set(this);
        loop {
            if let Some(pointer) = self.next() {
                // SAFETY: the thread waits, and was not resumed since.
                unsafe { switch(&raw mut (*this).scheduler, pointer) };
            } else if self.fresh < self.launch.count {
                let Some(stack) = self.free.pop().or_else(|| self.grow()) else {
                    return Err(Stop::Said("finds no memory for its stacks".to_owned()));
                };
                self.stack = stack;
                let pointer = self.stacks[stack].begin(threads);
                // SAFETY: an unused stack, at its begin.
                unsafe { switch(&raw mut (*this).scheduler, pointer) };
            } else {
                break;
            }
            if self.stop.is_some() {
                break;
            }
        }
        match self.stop.take() {
            Some(stop) => Err(stop),
            None if self.live > 0 => Err(self.deadlock()),
            None => Ok(()),
        }
    }

    fn reset(&mut self, position: [u32; 3]) {
        let Shape { count, lanes, shared, place, local, block, grid, .. } = self.launch;
        self.live = count;
        (self.fresh, self.waiting, self.predicates, self.stop) = (0, 0, 0, None);
        self.ready.clear();
        self.free.clear();
        self.free.extend((0..self.stacks.len()).rev());
        for (warp, k) in self.warps.iter_mut().zip(0..) {
            warp.reset((count - k * lanes).min(lanes));
        }
        let dynamic = self.dynamic.as_ref().map_or(std::ptr::null_mut(), |all| all.last(shared));
        // SAFETY: this thread's own memory of the module, and this worker's; no thread runs.
        unsafe {
            if let Some((at, bytes)) = local {
                at.write_bytes(POISON, bytes);
            }
            if !dynamic.is_null() {
                dynamic.write_bytes(POISON, shared);
            }
            place.write(ThreadPosition {
                thread: [0; 3],
                block: position,
                block_dim: block,
                grid_dim: grid,
                dynamic,
            });
        }
    }

    fn grow(&mut self) -> Option<usize> {
        self.stacks.push(Stack::new()?);
        Some(self.stacks.len() - 1)
    }

    /// Makes a thread the current one.
    fn enter(&mut self, thread: u32) {
        self.current = thread;
        // SAFETY: set by `begin`, on this thread.
        unsafe { (*self.launch.place).thread = self.threads[thread as usize].at };
    }

    /// The current thread exits; those that waited for it only go on.
    fn exit(&mut self) {
        self.live -= 1;
        let (warp, lane) = self.lane();
        let released = self.warps[warp].exit(lane);
        self.release(warp, released);
        self.try_barrier();
    }

    fn lane(&self) -> (usize, u32) {
        let Thread { warp, lane, .. } = self.threads[self.current as usize];
        (warp as usize, lane)
    }

    fn release(&mut self, warp: usize, lanes: u64) {
        let first = warp as u32 * self.launch.lanes;
        self.ready.extend(each(lanes).map(|lane| first + lane));
    }

    /// The next thread that may go on, made the current one: where its stack waits.
    fn next(&mut self) -> Option<usize> {
        let thread = self.chance.take(&mut self.ready)?;
        self.enter(thread);
        let Thread { pointer, stack, .. } = self.threads[thread as usize];
        self.stack = stack;
        Some(pointer)
    }

    /// Resumes all threads at the barrier once all have arrived.
    fn try_barrier(&mut self) {
        if self.waiting == 0 || self.waiting != self.live {
            return;
        }
        self.counted = self.predicates;
        (self.waiting, self.predicates) = (0, 0);
        let waits = |&k: &u32| self.threads[k as usize].wait == Wait::Barrier;
        self.ready.extend((0..self.launch.count).filter(waits));
    }

    fn deadlock(&self) -> Stop {
        let at = |wait: Wait| {
            let all = self.threads.iter().zip(0u32..).filter(|(thread, _)| thread.wait == wait);
            let all: Vec<u32> = all.map(|(_, k)| k).collect();
            all.first().map(|first| (all.len(), *first))
        };
        let mut what = Vec::new();
        if let Some((count, first)) = at(Wait::Barrier) {
            what.push(format!("{count} threads (the first: {first}) wait at a barrier"));
        }
        if let Some((count, first)) = at(Wait::Exchange) {
            what.push(format!(
                "{count} threads (the first: {first}) wait for lanes of their masks"
            ));
        }
        Stop::Said(format!("is in a deadlock: {}", what.join(", ")))
    }
}

/// The current thread waits until another makes it ready.
///
/// # Safety
/// The worker is the current one, and has no other borrow.
unsafe fn wait(worker: *mut Worker, wait: Wait) {
    // SAFETY: the caller's; no borrow is held across the switch; the next coroutine waits, and if there is none, the scheduler waits
    // where it switched to a stack of its block.
    unsafe {
        let (stack, current) = ((*worker).stack, (*worker).current);
        let threads = &mut (*worker).threads;
        let thread = threads.as_mut_ptr().add(current as usize);
        (*thread).stack = stack;
        (*thread).wait = wait;
        let next = (*worker).next().unwrap_or((*worker).scheduler);
        // The one that all others waited for may be the first to go on.
        if (*worker).current != current || next == (*worker).scheduler {
            switch(&raw mut (*thread).pointer, next);
        }
        (*thread).wait = Wait::Nothing;
    }
}

/// What the running kernel's worker is; hooks are called by kernels only.
fn current() -> &'static mut Worker {
    // SAFETY: set by `run` for as long as kernels run on this thread; the scheduler's own borrow is asleep in `switch`.
    unsafe { &mut *CURRENT.get() }
}

/// Runs thread after thread, on a stack of its own.
unsafe extern "sysv64" fn threads() -> ! {
    loop {
        let worker = current();
        if worker.fresh == worker.launch.count {
            worker.free.push(worker.stack);
            let mut nowhere = 0;
            // SAFETY: the scheduler waits; this stack is not resumed before its `begin`.
            unsafe { switch(&raw mut nowhere, worker.scheduler) };
            continue;
        }
        worker.enter(worker.chance.nth(worker.fresh, worker.launch.count));
        worker.fresh += 1;
        let parameters = worker.launch.parameters.as_ptr();
        if let Some(entry) = worker.launch.entry {
            // SAFETY: a kernel of this crate's compiler, and pointers to what its parameters are.
            unsafe { entry(parameters) };
        }
        current().exit();
    }
}

unsafe extern "C" fn barrier(predicate: u32) -> u32 {
    let worker = current();
    worker.waits = None;
    worker.waiting += 1;
    worker.predicates += predicate;
    let thread = worker.current as usize;
    worker.threads[thread].wait = Wait::Barrier;
    worker.try_barrier();
    // The last one is among those that are ready: it waits too, so that all go on in the order of their numbers.
    // SAFETY: the current worker, which this function does not use any more.
    unsafe { wait(worker, Wait::Barrier) };
    current().counted
}

unsafe extern "C" fn exchange(kind: u32, mask: u64, value: u64, source: u32) -> u64 {
    let worker = current();
    let (warp, lane) = worker.lane();
    let Some(kind) = Kind::of(kind) else { return worker.warps[warp].live() };
    if mask >> lane & 1 == 0 {
        leave(format!("exchanges in lane {lane} under the mask {mask:#x}, which does not name it"));
    }
    let released = worker.warps[warp].arrive(lane, kind, mask, value, source);
    worker.release(warp, released);
    // SAFETY: the current worker, which this function does not use any more.
    unsafe { wait(worker, Wait::Exchange) };
    current().warps[warp].result(lane)
}

unsafe extern "C" fn pause() {
    let worker = current();
    // SAFETY: set by `begin` until `end`; the launch waits for its workers.
    let Some(together) = (unsafe { worker.together.as_ref() }) else { return };
    if let Err(why) = together.wait(&mut worker.waits) {
        leave(why.to_owned());
    }
}

unsafe extern "C" fn trap() {
    leave("traps".to_owned());
}

unsafe extern "C" fn wrong(address: u64, bytes: u64, write: u32) {
    leave_with(Stop::Wrong { address, bytes, write: write != 0 });
}

/// Ends the launch.
fn leave(what: String) -> ! {
    leave_with(Stop::Said(what))
}

fn leave_with(stop: Stop) -> ! {
    let worker = current();
    worker.stop = Some(stop);
    let mut nowhere = 0;
    // SAFETY: the scheduler waits; it resumes no thread of a stopped launch.
    unsafe { switch(&raw mut nowhere, worker.scheduler) };
    unreachable!("a stack goes on after its launch has stopped")
}

/// For the handler of signals: notes what happened, and says where the scheduler waits; nothing if no kernel runs.
pub(super) fn stop(what: &str) -> Option<usize> {
    stop_with(|_| Stop::Said(what.to_owned()))
}

/// The same, after an address was touched.
pub(super) fn stop_at_address(address: u64, write: bool) -> Option<usize> {
    stop_with(|worker| {
        if worker.stacks.iter().any(|stack| stack.guards(address)) {
            return Stop::Said("overruns its stack".to_owned());
        }
        match worker.dynamic.as_ref().and_then(|dynamic| dynamic.after(address)) {
            None => Stop::Address { address, write },
            Some(after) => Stop::Shared { after, bytes: worker.launch.shared, write },
        }
    })
}

fn stop_with(why: impl FnOnce(&Worker) -> Stop) -> Option<usize> {
    let worker = CURRENT.get();
    // SAFETY: null, or set by `run` for as long as kernels run on this thread, which is the one that the signal met.
    let worker = unsafe { worker.as_mut() }?;
    worker.stop = Some(why(worker));
    Some(worker.scheduler)
}

/// What modules of this device call.
pub fn hooks() -> Hooks {
    let noted = (Settings::get().seeds > 1).then_some(super::noted::note as _);
    let states = Machine::get().map_or(&[][..], Machine::states);
    Hooks {
        exchange,
        barrier,
        trap,
        pause,
        noted,
        wrong,
        states: states.as_ptr(),
        count: states.len() as u32,
    }
}
