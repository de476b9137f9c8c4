//! The pool of a device's memory, as far as a program may want to know and steer it.

use std::sync::Arc;

use crate::error::Result;

/// What the pool of a device holds, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStatistics {
    /// Held by arrays and by work under way.
    pub live: usize,
    /// Obtained from the driver.
    pub reserved: usize,
    /// The most that was ever live.
    pub peak_live: usize,
    /// The most that was ever reserved.
    pub peak_reserved: usize,
}

/// What a pool did, as the methods of `cupy.cuda.MemoryHook`. Bytes are those of the pool, which rounds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryEvent {
    /// Memory was taken, by an array or by work.
    Take {
        /// How much.
        bytes: usize,
    },
    /// It was given back.
    Give {
        /// How much.
        bytes: usize,
    },
    /// Memory was obtained from the driver.
    Reserve {
        /// How much.
        bytes: usize,
    },
    /// It was returned to the driver.
    Release {
        /// How much.
        bytes: usize,
    },
}

/// A function that a pool calls with each event of its memory.
pub type MemoryHook = Arc<dyn Fn(MemoryEvent) + Send + Sync>;

/// A pool that keeps memory for later.
pub trait Pool {
    /// What it holds.
    fn statistics(&self) -> PoolStatistics;

    /// Free bytes: not held by the pool or another user of the device, and within the limit.
    fn free(&self) -> Result<usize>;

    /// The most that it may obtain from the driver from now on; what it has already it keeps. `None`: all there is.
    fn set_limit(&self, bytes: Option<usize>);

    /// Waits for the device and gives back what the pool keeps for later.
    fn release(&self) -> Result<()>;

    /// Tells the hook of all events from now on, on the thread where each happens.
    fn add_hook(&self, hook: MemoryHook);

    /// Tells the hook no more.
    fn remove_hook(&self, hook: &MemoryHook);
}
