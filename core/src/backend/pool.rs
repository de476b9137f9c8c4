//! The pool of a device's memory, as far as a program may want to know and steer it.

use std::fmt;
use std::sync::Arc;

use super::{Memory, Owner};
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

/// Why an allocator of a program has no memory, in its own words.
pub type AllocatorError = Box<dyn std::error::Error + Send + Sync>;

/// An allocator of a program. The code that opens the backend promises that what it gives is memory of the device, of as many bytes
/// as were asked for, with no other user until it is given back ([`Provider::open`](crate::Provider::open)).
pub trait Allocator: Send + Sync {
    /// The address of fresh memory for work in a stream of the vendor's.
    fn allocate(&self, bytes: usize, stream: u64) -> std::result::Result<u64, AllocatorError>;

    /// Takes memory back that no work uses any more: an address that it has returned for so many bytes, once, on any thread.
    fn free(&self, address: u64, bytes: usize);
}

/// Where the memory of arrays and of work comes from.
#[derive(Clone)]
pub enum MemorySource {
    /// The device's pool, which holds memory of the device.
    Pool,
    /// Managed memory, which the driver moves between the device and the host as it is used; a pool of the device's own holds it.
    Managed,
    /// An allocator of the program's own, which is asked for each piece of memory.
    Allocator(Arc<dyn Allocator>),
}

impl fmt::Debug for MemorySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pool => "Pool",
            Self::Managed => "Managed",
            Self::Allocator(_) => "Allocator",
        })
    }
}

/// Keeps a source of memory on a thread until it is dropped.
pub trait EnteredSource: fmt::Debug {}

/// Where managed memory can lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryPlace {
    /// In the memory of the device.
    Device,
    /// In the memory of the host.
    Host,
}

/// What a program knows of its use of managed memory, as the numbers of `cupy.cuda.runtime.memAdvise`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryAdvice {
    /// Whether it is read much more often than written, so that each place may have a copy.
    ReadMostly(bool),
    /// Where it had better lie, if anywhere.
    PreferredPlace(Option<MemoryPlace>),
    /// Whether this place uses it, and had better reach it without faults.
    AccessedBy(MemoryPlace, bool),
}

/// Bytes of a handle by which another process opens memory of a device.
pub const IPC_BYTES: usize = 64;

/// Memory of a device as another process can open it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedMemory {
    /// The driver's handle of the whole allocation.
    pub handle: [u8; IPC_BYTES],
    /// Where the memory begins in the allocation.
    pub offset: usize,
    /// Bytes of the allocation.
    pub bytes: usize,
}

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

    /// Takes the memory of arrays and of work that this thread asks for from a source, until the result is dropped.
    fn enter(&self, source: MemorySource) -> Box<dyn EnteredSource>;

    /// Moves bytes of managed memory to a place, in the thread's current stream.
    fn prefetch(
        &self,
        memory: &dyn Memory,
        offset: usize,
        bytes: usize,
        place: MemoryPlace,
    ) -> Result<()>;

    /// Whether the host may use the memory where it is, also while the device works.
    fn is_host_accessible(&self, memory: &dyn Memory) -> bool;

    /// Tells the driver how bytes of managed memory are used.
    fn advise(
        &self,
        memory: &dyn Memory,
        offset: usize,
        bytes: usize,
        advice: MemoryAdvice,
    ) -> Result<()>;

    /// What another process needs to open the allocation that has this address.
    fn share(&self, address: u64) -> Result<SharedMemory>;

    /// Opens an allocation of another process: its first address, and what closes it when it is dropped.
    fn open(&self, handle: &[u8; IPC_BYTES]) -> Result<(u64, Owner)>;
}
