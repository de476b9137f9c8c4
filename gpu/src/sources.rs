//! Where memory comes from beside the device's pool: managed memory, allocators of the program's own, other processes.
//!
//! A thread enters a source as it enters a stream. Memory of an allocator goes back to it as foreign memory goes back to its owner
//! (`foreign`): after the work that uses it. Managed memory has a pool of its own.

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use ndany_core::backend::{
    Allocator, Attribute, EnteredSource, IPC_BYTES, MemoryAdvice, MemoryPlace, MemorySource, Owner,
    SharedMemory,
};
use ndany_core::{Error, Result};

use crate::checked::CheckedDriver;
use crate::driver::{Address, Driver};
use crate::foreign::ALIGNMENT;
use crate::graph;
use crate::memory::GpuMemory;
use crate::pool::{Allocation, rounded};
use crate::runtime::Runtime;
use crate::stream::StreamId;

thread_local! {
    /// The sources that this thread has entered and not left: the current one of a device is its last.
    static ENTERED: RefCell<Vec<Entered>> = const { RefCell::new(Vec::new()) };
}

/// A source that a thread has entered.
struct Entered {
    device: u64,
    source: MemorySource,
    /// The guard's number: guards may go in any order.
    guard: u64,
}

/// The sources of one device.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// Whether there was ever one: without, memory costs one load more.
    any: AtomicBool,
    /// Whether a thread that has entered none gets managed memory.
    managed: bool,
}

impl Sources {
    /// Sources of a device whose arrays get managed memory, or that of the device's pool, where a thread has entered no other.
    pub(crate) fn new(managed: bool) -> Self {
        Self { any: AtomicBool::new(managed), managed }
    }

    /// The thread's current source; none if it is the device's pool.
    #[inline]
    pub(crate) fn current(&self, device: u64) -> Option<MemorySource> {
        if !self.any.load(Ordering::Relaxed) {
            return None;
        }
        ENTERED.with_borrow(|entered| {
            match entered.iter().rfind(|entry| entry.device == device).map(|last| &last.source) {
                None => self.managed.then_some(MemorySource::Managed),
                Some(MemorySource::Pool) => None,
                Some(source) => Some(source.clone()),
            }
        })
    }

    /// Has the device's pool give what this thread asks for until the result is dropped: memory that the device keeps for itself
    /// is no memory of a program's source.
    pub(crate) fn leave(&self, device: u64) -> Option<SourceGuard> {
        self.any.load(Ordering::Relaxed).then(|| self.enter(device, MemorySource::Pool))
    }

    /// Makes a source the thread's current one on a device until the result is dropped.
    pub(crate) fn enter(&self, device: u64, source: MemorySource) -> SourceGuard {
        static GUARDS: AtomicU64 = AtomicU64::new(0);
        let guard = GUARDS.fetch_add(1, Ordering::Relaxed);
        self.any.store(true, Ordering::Relaxed);
        ENTERED.with_borrow_mut(|entered| entered.push(Entered { device, source, guard }));
        SourceGuard { guard, only_here: PhantomData }
    }
}

/// Keeps a source current; see [`Sources::enter`].
#[derive(Debug)]
pub(crate) struct SourceGuard {
    guard: u64,
    /// The guard belongs to its thread.
    only_here: PhantomData<*const ()>,
}

impl EnteredSource for SourceGuard {}

impl Drop for SourceGuard {
    fn drop(&mut self) {
        // Dropped after the borrow: the allocator is code of the program.
        let left = ENTERED.with_borrow_mut(|entered| {
            let place = entered.iter().position(|entry| entry.guard == self.guard)?;
            Some(entered.remove(place))
        });
        drop(left);
    }
}

/// Memory of an allocator of the program's, which gets it back when this is dropped.
struct Allocated {
    allocator: Arc<dyn Allocator>,
    address: Address,
    bytes: usize,
}

impl Drop for Allocated {
    fn drop(&mut self) {
        let free = || self.allocator.free(self.address, self.bytes);
        // Memory is given back by values that are dropped, where no panic may go on.
        if catch_unwind(AssertUnwindSafe(free)).is_err() {
            tracing::error!(bytes = self.bytes, "an allocator of the program panicked");
        }
    }
}

/// An allocation of another process, which is closed when this is dropped.
pub(crate) struct OpenedMemory {
    runtime: Weak<Runtime>,
    address: Address,
    is_closed: AtomicBool,
}

impl OpenedMemory {
    /// Closes it, once.
    pub(crate) fn close(&self, checked: &CheckedDriver) {
        if !self.is_closed.swap(true, Ordering::Relaxed) {
            // SAFETY: the driver has opened it, and nothing uses it any more.
            checked.quietly_beside(|driver| unsafe { driver.close_ipc(self.address) });
        }
    }
}

impl Drop for OpenedMemory {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.upgrade() {
            self.close(runtime.checked());
        }
    }
}

impl fmt::Debug for OpenedMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpenedMemory({:#x})", self.address)
    }
}

impl Runtime {
    /// Memory for work on a stream, of a source that is not the device's pool.
    #[cold]
    pub(crate) fn take_from(
        &self,
        source: &MemorySource,
        stream_id: StreamId,
        bytes: usize,
    ) -> Result<Allocation> {
        match source {
            MemorySource::Allocator(allocator) => self.ask(allocator, stream_id, bytes),
            MemorySource::Managed | MemorySource::Pool => {
                self.managed().take(self.checked(), self.streams(), stream_id, bytes)
            }
        }
    }

    /// Memory of an allocator of the program's.
    fn ask(
        &self,
        allocator: &Arc<dyn Allocator>,
        stream_id: StreamId,
        requested: usize,
    ) -> Result<Allocation> {
        let refused = |reason: String| {
            let device = self.driver().name().to_string();
            Error::Allocator { op: "allocate", device, requested, reason }
        };
        let bytes = rounded(requested).filter(|&bytes| bytes <= isize::MAX as usize);
        let Some(bytes) = bytes else {
            return Err(refused("expected fewer bytes than a process can address".to_string()));
        };
        // What other streams may be told of must not come after what is put off.
        self.share();
        let allocate = || {
            let asked =
                catch_unwind(AssertUnwindSafe(|| allocator.allocate(bytes, stream_id.handle.0)));
            match asked {
                Ok(Ok(address)) => Ok(address),
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err("it panicked".to_string()),
            }
        };
        let address = match allocate() {
            Ok(address) => address,
            Err(_) => {
                // What it has given may come back yet.
                self.wait()?;
                self.owners().sweep(self.checked(), self.streams());
                allocate().map_err(refused)?
            }
        };
        if address == 0 {
            return Err(refused("expected an address, got 0".to_string()));
        }
        let allocated = Allocated { allocator: allocator.clone(), address, bytes };
        if !address.is_multiple_of(ALIGNMENT) {
            // It gets back what it gave.
            drop(allocated);
            return Err(refused(format!(
                "expected an address that is a multiple of {ALIGNMENT}, got {address:#x}"
            )));
        }
        Ok(Allocation::owned(address, Box::new(allocated)))
    }

    /// Checks that memory may be managed: that of other libraries may, the device's own is not.
    fn expect_managed(&self, op: &'static str, memory: &GpuMemory) -> Result<()> {
        if memory.may_be_managed() {
            return Ok(());
        }
        let reason = "expected managed memory, got memory of the device's pool: compute the array while MemorySource::Managed is entered";
        Err(Error::ArgumentValue { op: op.to_string(), reason: reason.to_string() })
    }

    /// Whether the host may use the memory where it is, also while the device works: it is managed, and the driver allows that.
    pub(crate) fn is_host_accessible(&self, memory: &GpuMemory) -> bool {
        let allowed = |driver: &dyn Driver| driver.attribute(Attribute::ConcurrentManagedAccess);
        memory.is_managed()
            && self.checked().attempt_beside("attribute", allowed).is_ok_and(|value| value != 0)
    }

    /// Moves bytes of managed memory to a place, after the work that makes them.
    pub(crate) fn prefetch(
        &self,
        memory: &GpuMemory,
        offset: usize,
        bytes: usize,
        place: MemoryPlace,
    ) -> Result<()> {
        const OP: &str = "prefetch";
        graph::refuse(self, OP, "it is no work of arrays: call it before the graph's launch")?;
        self.expect_managed(OP, memory)?;
        let stream_id = self.streams().current();
        self.order(stream_id, &[memory], &[])?;
        let from = memory.address() + offset as Address;
        // SAFETY: the bytes lie in the memory, which the caller holds and which is given back in the order of the stream.
        let call =
            |driver: &dyn Driver| unsafe { driver.prefetch(from, bytes, place, stream_id.handle) };
        self.checked().call(OP, call)
    }

    /// Tells the driver how bytes of managed memory are used.
    pub(crate) fn advise(
        &self,
        memory: &GpuMemory,
        offset: usize,
        bytes: usize,
        advice: MemoryAdvice,
    ) -> Result<()> {
        const OP: &str = "advise";
        self.expect_managed(OP, memory)?;
        let from = memory.address() + offset as Address;
        // SAFETY: the bytes lie in the memory, which the caller holds.
        let call = |driver: &dyn Driver| unsafe { driver.advise(from, bytes, advice) };
        self.checked().call_beside(OP, call)
    }

    /// What another process needs to open the allocation that has this address.
    pub(crate) fn allocation_for_others(&self, address: Address) -> Result<SharedMemory> {
        const OP: &str = "share";
        graph::refuse(self, OP, "it waits for the values: share the graph's outputs")?;
        self.share();
        // SAFETY: the caller holds the memory.
        let find = |driver: &dyn Driver| unsafe { driver.allocation_of(address) };
        let (first, bytes) = self.checked().call(OP, find)?;
        // SAFETY: as above.
        let make = |driver: &dyn Driver| unsafe { driver.ipc_handle(first) };
        let handle = self.checked().call(OP, make)?;
        Ok(SharedMemory { handle, offset: (address - first) as usize, bytes })
    }

    /// Opens an allocation of another process.
    pub(crate) fn open_allocation(
        self: &Arc<Self>,
        handle: &[u8; IPC_BYTES],
    ) -> Result<(Address, Owner)> {
        self.share();
        let address = self.checked().call("open", |driver| driver.open_ipc(handle))?;
        let runtime = Arc::downgrade(self);
        let opened = OpenedMemory { runtime, address, is_closed: AtomicBool::new(false) };
        Ok((address, Box::new(opened)))
    }
}
