//! A kernel's launch: its blocks one by one, a large launch on several threads of the host.
//!
//! - `block`: the threads of a block as coroutines, barriers, deadlocks
//! - `warp`: exchanges between lanes
//! - `chance`: in which order threads and blocks run
//! - `coroutine`: stacks, and the switch from one to the other
//! - `guarded`: dynamic shared memory
//! - `signals`: what becomes of a kernel that touches what it may not
//! - `local`: thread-local memory of a module, which is its shared memory

mod block;
mod chance;
mod coroutine;
mod guarded;
mod local;
mod signals;
mod warp;

use std::ffi::c_void;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub use block::hooks;
pub use local::Local;

use crate::failure::{Failure, Result};
use crate::module::{Kernel, Module};
use crate::settings::Settings;

/// Threads below which a launch stays on the thread that asks for it.
const LARGE: u64 = 1 << 14;

/// What a module calls, as `shim.h` writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    exchange: unsafe extern "C" fn(u32, u64, u64, u32) -> u64,
    barrier: unsafe extern "C" fn(u32) -> u32,
    trap: unsafe extern "C" fn(),
}

/// Where a thread of the device is, as `shim.h` writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Place {
    thread: [u32; 3],
    block: [u32; 3],
    block_dim: [u32; 3],
    grid_dim: [u32; 3],
    dynamic: *mut u8,
}

/// A launch with all that it needs, so that it can run later.
#[derive(Clone, Debug)]
pub struct Launch {
    /// What to run.
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
    /// The parameters, each in words of 16 bytes.
    pub arguments: Vec<Vec<u128>>,
}

/// Why a kernel came to no end.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stop {
    /// It touched an address.
    Address { address: u64, write: bool },
    /// It touched what is behind its dynamic shared memory.
    Shared { behind: usize, bytes: usize, write: bool },
    /// Anything else, in words.
    Said(String),
}

impl Launch {
    /// Runs it to its end. `locate` says what an address is, for the report.
    pub fn run(&self, locate: &dyn Fn(u64) -> String) -> Result<()> {
        signals::install();
        let blocks = self.grid.iter().map(|&n| u64::from(n)).product::<u64>();
        let threads = self.block.iter().map(|&n| u64::from(n)).product::<u64>();
        let helpers = if blocks * threads < LARGE { 1 } else { Settings::get().threads };
        let helpers = helpers.min(usize::try_from(blocks).unwrap_or(usize::MAX));
        let (next, stop) = (AtomicU64::new(0), Mutex::new(None));
        let chance = chance::Chance::new();
        let work = || {
            let stopped = block::Worker::with(|worker| {
                worker.begin(self);
                let taken = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                let mut mine = taken.take_while(|&block| block < blocks);
                let ran = mine.try_for_each(|block| {
                    match worker.run(self.position(chance.nth64(block, blocks))) {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(stop) => ControlFlow::Break((stop, worker.place())),
                    }
                });
                worker.end();
                ran.break_value()
            });
            if let Some(stopped) = stopped {
                next.store(blocks, Ordering::Relaxed);
                stop.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(stopped);
            }
        };
        if helpers <= 1 {
            work();
        } else {
            std::thread::scope(|scope| (0..helpers).for_each(|_| drop(scope.spawn(work))));
        }
        match stop.into_inner().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some((stop, place)) => Err(self.report(&stop, place, locate)),
        }
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
            Stop::Shared { behind, bytes, write } => Failure::IllegalAddress(format!(
                "kernel {name} {} {behind} bytes behind the end of its {bytes} bytes of dynamic shared memory ({at})",
                verb(write)
            )),
            Stop::Said(ref what) => Failure::LaunchFailed(format!("kernel {name} {what} ({at})")),
        }
    }

    /// Pointers to the parameters.
    fn parameters(&self) -> Vec<*mut c_void> {
        self.arguments.iter().map(|words| words.as_ptr().cast::<c_void>().cast_mut()).collect()
    }
}
