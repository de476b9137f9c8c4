//! A kernel's launch: its blocks one by one, a large launch on several threads of the host.
//!
//! - `block`: the threads of a block as coroutines, barriers, deadlocks
//! - `warp`: exchanges between lanes
//! - `coroutine`: stacks, and the switch from one to the other
//! - `guarded`: dynamic shared memory
//! - `signals`: what becomes of a kernel that touches what it may not
//! - `noted`: what atomics touch
//! - `together`: blocks of a cooperative launch
//! - `local`: thread-local memory of a module, which is its shared memory

mod block;
mod coroutine;
mod guarded;
mod local;
mod noted;
mod signals;
mod together;
mod warp;

use std::ffi::c_void;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub use block::hooks;
pub use local::Local;
pub use noted::Noted;

use crate::chance::Chance;
use crate::device::Machine;
use crate::failure::{Failure, Result};
use crate::module::{Kernel, Module};
use crate::settings::Settings;
use crate::states::{FRESH, States};

use together::Together;

/// Threads below which a launch stays on the thread that asks for it.
const LARGE: u64 = 1 << 14;

/// What a module calls, as `shim.h` writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    exchange: unsafe extern "C" fn(u32, u64, u64, u32) -> u64,
    barrier: unsafe extern "C" fn(u32) -> u32,
    trap: unsafe extern "C" fn(),
    /// Called by a thread that waits for other blocks.
    pause: unsafe extern "C" fn(),
    /// Called before an atomic operation, if there is a listener.
    noted: Option<unsafe extern "C" fn(u64, u32)>,
    /// What is said instead of an access that is wrong, where bytes are checked: address, bytes, is it a write?
    wrong: unsafe extern "C" fn(u64, u64, u32),
    /// Where the states of bytes are.
    states: *const States,
    count: u32,
}

/// Where a thread of the device is, as `shim.h` writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ThreadPosition {
    thread: [u32; 3],
    block: [u32; 3],
    block_dim: [u32; 3],
    grid_dim: [u32; 3],
    dynamic: *mut u8,
}

/// A launch with all that it needs, so that it can run later.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program and its operands.
    pub kernel: Arc<Kernel>,
    /// Whose code it is.
    pub module: Arc<Module>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Lanes of a warp.
    pub lanes: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Whether all blocks run at the same time, each on a thread of its own.
    pub cooperative: bool,
    /// The parameters, each in words of 16 bytes.
    pub arguments: Vec<Vec<u128>>,
}

/// In which way a launch is run.
#[derive(Clone, Copy, Debug, Default)]
pub struct How<'w> {
    /// What the order of blocks and threads is made of.
    pub seed: u64,
    /// On the thread that asks, so that the order is made of the seed alone.
    pub alone: bool,
    /// What to watch; for a launch that is alone.
    pub watch: Option<&'w Watch>,
}

/// A byte that is looked at after each block.
#[derive(Debug)]
pub struct Watch {
    address: u64,
    value: AtomicU8,
    found: Mutex<Option<[u32; 3]>>,
}

impl Watch {
    /// Of an address in a live allocation.
    pub fn new(address: u64) -> Self {
        let (value, found) = Default::default();
        let watch = Self { address, value, found };
        watch.value.store(watch.now(), Ordering::Relaxed);
        watch
    }

    fn now(&self) -> u8 {
        // SAFETY: the watching thread keeps the allocation alive.
        unsafe { (self.address as *const u8).read_volatile() }
    }

    fn look(&self, block: [u32; 3]) {
        let now = self.now();
        if self.value.swap(now, Ordering::Relaxed) != now {
            *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(block);
        }
    }

    /// The last block that changed it.
    pub fn found(&self) -> Option<[u32; 3]> {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a kernel came to no end.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stop {
    /// It touched an address.
    Address { address: u64, write: bool },
    /// It accessed memory after its dynamic shared memory.
    Shared { after: usize, bytes: usize, write: bool },
    /// Its check of an access found it wrong.
    Wrong { address: u64, bytes: u64, write: bool },
    /// Anything else, in words.
    Said(String),
}

impl Launch {
    /// Runs it to its end. `locate` says what an address is, for the report.
    pub fn run(&self, how: &How<'_>, locate: &dyn Fn(u64) -> String) -> Result<()> {
        signals::install();
        let blocks = self.grid.iter().map(|&n| u64::from(n)).product::<u64>();
        let threads = self.block.iter().map(|&n| u64::from(n)).product::<u64>();
        let small = how.alone || blocks * threads < LARGE;
        let helpers = match self.cooperative {
            // Shared memory is of a thread of the host, so each block that is alive has one.
            true => usize::MAX,
            false if small => 1,
            false => Settings::get().threads,
        };
        let helpers = helpers.min(usize::try_from(blocks).unwrap_or(usize::MAX));
        let together = Together::default();
        let (next, stop) = (AtomicU64::new(0), Mutex::new(None));
        let chance = Chance::of(how.seed);
        let work = || {
            let stopped = block::Worker::with(|worker| {
                worker.begin(self, how.seed, &together);
                let taken = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                let mut mine = taken.take_while(|&block| block < blocks);
                let ran = mine.try_for_each(|block| {
                    let position = self.position(chance.nth64(block, blocks));
                    let done = worker.run(position);
                    how.watch.into_iter().for_each(|watch| watch.look(position));
                    match done {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(stop) => ControlFlow::Break((stop, worker.place())),
                    }
                });
                worker.end();
                ran.break_value()
            });
            if let Some(stopped) = stopped {
                next.store(blocks, Ordering::Relaxed);
                together.stop();
                stop.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(stopped);
            }
        };
        if helpers <= 1 {
            work();
        } else {
            std::thread::scope(|scope| {
                (0..helpers).for_each(|_| drop(scope.spawn(|| self.cooperate(&work))));
            });
        }
        match stop.into_inner().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some((stop, place)) => Err(self.report(&stop, place, locate)),
        }
    }

    /// Does a thread's part of the work. Blocks of a cooperative launch touch what they may not on threads that can run
    /// the handler.
    fn cooperate(&self, work: &impl Fn()) {
        if self.cooperative {
            signals::install();
        }
        work();
    }

    fn position(&self, block: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [block % x, block / x % y, block / x / y].map(|at| at as u32)
    }

    fn report(
        &self,
        stop: &Stop,
        [block, thread]: [[u32; 3]; 2],
        locate: &dyn Fn(u64) -> String,
    ) -> Failure {
        let name = &self.kernel.name;
        let at = format!("block {block:?}, thread {thread:?}");
        let verb = |write: bool| if write { "writes" } else { "reads" };
        match *stop {
            Stop::Address { address, write } => {
                let (verb, what) = (verb(write), locate(address));
                Failure::IllegalAddress(format!("kernel {name} {verb} {what} ({at})"))
            }
            Stop::Shared { after, bytes, write } => Failure::IllegalAddress(format!(
                "kernel {name} {} {after} bytes past the end of its {bytes} bytes of dynamic shared memory ({at})",
                verb(write)
            )),
            Stop::Wrong { address, bytes, write } => {
                let (verb, what) = (verb(write), locate(address));
                let states = Machine::get().map_or(&[][..], Machine::states);
                let fresh =
                    states.iter().find_map(|states| states.get(address, 1)) == Some(&[FRESH]);
                if fresh && !write {
                    let what = format!(
                        "kernel {name} reads {bytes} bytes that nothing wrote, {what} ({at})"
                    );
                    return Failure::LaunchFailed(what);
                }
                Failure::IllegalAddress(format!(
                    "kernel {name} {verb} {bytes} bytes, {what} ({at})"
                ))
            }
            Stop::Said(ref what) => Failure::LaunchFailed(format!("kernel {name} {what} ({at})")),
        }
    }

    /// The words of 8 bytes of the parameters: which parameter, which of its words where it has several, and what it is.
    pub fn words(&self) -> impl Iterator<Item = (usize, Option<usize>, u64)> {
        let sizes = self.kernel.sizes.iter().copied();
        self.arguments.iter().zip(sizes).enumerate().flat_map(|(argument, (words, bytes))| {
            let halves = words.iter().flat_map(|&word| [word as u64, (word >> 64) as u64]);
            let several = bytes > 8;
            let all = halves.take(bytes / 8).enumerate();
            all.map(move |(at, word)| (argument, several.then_some(at), word))
        })
    }

    /// Pointers to the parameters.
    fn parameters(&self) -> Vec<*mut c_void> {
        self.arguments.iter().map(|words| words.as_ptr().cast::<c_void>().cast_mut()).collect()
    }
}
