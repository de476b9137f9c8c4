//! The devices of this process: memory, order, and what a device's context suffers from.
//!
//! A fault of a kernel is kept and comes out at the next call that needs the context, and at every call after that until
//! the context is reset.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::failure::{Failure, Result};
use crate::heap::Heap;
use crate::module::{Kernel, Module};
use crate::order::{Job, Order};
use crate::run::Launch;
use crate::settings::Settings;

/// A kernel of a module, as a handle means it.
#[derive(Clone, Debug)]
pub struct Function {
    /// Whose it is.
    pub module: Arc<Module>,
    /// The kernel.
    pub kernel: Arc<Kernel>,
}

/// What is loaded.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Modules by their handles.
    pub modules: HashMap<u64, Arc<Module>>,
    /// Kernels by their handles, with their modules' handles.
    pub functions: HashMap<u64, (u64, Function)>,
    /// What functions may have of dynamic shared memory, where it was raised.
    pub dynamic: HashMap<u64, u32>,
}

/// One device.
#[derive(Debug)]
pub struct Device {
    /// Its number.
    pub ordinal: usize,
    heap: Mutex<Heap>,
    loaded: Mutex<Loaded>,
    peers: Mutex<HashSet<usize>>,
    fault: Mutex<Option<Failure>>,
    retained: AtomicU64,
}

/// All of it.
#[derive(Debug)]
pub struct Machine {
    /// The devices.
    pub devices: Vec<Device>,
    host: Mutex<Heap>,
    order: Mutex<Order>,
    handles: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

static MACHINE: OnceLock<Machine> = OnceLock::new();

impl Machine {
    /// The machine, once somebody has initialized it.
    pub fn get() -> Result<&'static Self> {
        MACHINE.get().ok_or(Failure::NotInitialized)
    }

    /// Makes it.
    pub fn initialize() -> &'static Self {
        MACHINE.get_or_init(|| {
            let settings = Settings::get();
            let device = |ordinal| Device {
                ordinal,
                heap: Mutex::new(Heap::new(settings.memory)),
                loaded: Mutex::default(),
                peers: Mutex::default(),
                fault: Mutex::default(),
                retained: AtomicU64::new(0),
            };
            Self {
                devices: (0..settings.devices).map(device).collect(),
                host: Mutex::new(Heap::new(16 << 30)),
                order: Mutex::new(Order::new(settings.order)),
                handles: AtomicU64::new(0x1000),
            }
        })
    }

    /// A device by its number.
    pub fn device(&self, ordinal: i64) -> Result<&Device> {
        let at = usize::try_from(ordinal).ok().and_then(|at| self.devices.get(at));
        at.ok_or(Failure::InvalidDevice(ordinal))
    }

    /// A number that no handle has.
    pub fn handle(&self) -> u64 {
        self.handles.fetch_add(16, Ordering::Relaxed)
    }

    /// Page-locked memory of the host, which every device reaches.
    pub fn host(&self) -> MutexGuard<'_, Heap> {
        lock(&self.host)
    }

    /// Streams and events.
    pub fn order(&self) -> MutexGuard<'_, Order> {
        lock(&self.order)
    }

    /// Does work in a stream of a device, or leaves it there.
    pub fn submit(&self, device: &Device, stream: u64, job: Job) -> Result<()> {
        let now = self.order().submit(stream, device.ordinal, job)?;
        if let Some(job) = now {
            job();
        }
        Ok(())
    }

    /// What an address is, for people.
    pub fn locate(&self, address: u64) -> String {
        let heaps =
            self.devices.iter().map(|device| (&device.heap, format!("device {}", device.ordinal)));
        for (heap, whose) in heaps.chain([(&self.host, "the host's page-locked memory".to_owned())])
        {
            let heap = lock(heap);
            let Some(place) = heap.locate(address) else {
                if heap.spans(address) {
                    return format!("at {address:#x} of {whose}, where no allocation is");
                }
                continue;
            };
            let block = format!("allocation #{} ({} bytes, {whose})", place.serial, place.bytes);
            let behind = place.offset - place.bytes as i64;
            return if place.freed {
                format!("at byte {} of {block}, which was freed", place.offset)
            } else if place.offset < 0 {
                format!("{} bytes in front of {block}", -place.offset)
            } else if behind >= 0 {
                format!("{behind} bytes behind the end of {block}")
            } else {
                format!("at byte {} of {block}", place.offset)
            };
        }
        format!("at {address:#x}, which is no memory of a device")
    }

    /// Whose memory holds the range, if any's does.
    pub fn owner(&self, address: u64, bytes: u64) -> bool {
        self.devices
            .iter()
            .map(|device| &device.heap)
            .chain([&self.host])
            .any(|heap| lock(heap).holds(address, bytes))
    }
}

impl Device {
    /// Its memory.
    pub fn heap(&self) -> MutexGuard<'_, Heap> {
        lock(&self.heap)
    }

    /// Its modules.
    pub fn loaded(&self) -> MutexGuard<'_, Loaded> {
        lock(&self.loaded)
    }

    /// The devices whose memory it may use.
    pub fn peers(&self) -> MutexGuard<'_, HashSet<usize>> {
        lock(&self.peers)
    }

    /// One more, or one fewer, who has its context; how many there are.
    pub fn retain(&self, more: bool) -> u64 {
        if more {
            return self.retained.fetch_add(1, Ordering::Relaxed) + 1;
        }
        let less = |count: u64| Some(count.saturating_sub(1));
        let before = self.retained.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        before.unwrap_or_else(|count| count).saturating_sub(1)
    }

    /// What the context suffers from, without end.
    pub fn fault(&self) -> Option<Failure> {
        lock(&self.fault).clone()
    }

    /// Does the context suffer from nothing?
    pub fn works(&self) -> Result<()> {
        self.fault().map_or(Ok(()), Err)
    }

    /// Keeps a fault; the first one stays.
    pub fn suffer(&self, fault: Failure) {
        lock(&self.fault).get_or_insert(fault);
    }

    /// Begins afresh: nothing is allocated, loaded or broken.
    pub fn reset(&self) {
        self.heap().clear();
        if let Some(machine) = MACHINE.get() {
            machine.order().clear(self.ordinal);
        }
        *self.loaded() = Loaded::default();
        self.peers().clear();
        *lock(&self.fault) = None;
    }

    /// Runs a kernel; what it does wrong comes out later.
    pub fn launch(&self, launch: &Launch) {
        // A context that suffers does nothing more.
        if self.fault().is_some() {
            return;
        }
        let done =
            launch.run(&|address| MACHINE.get().map_or_else(String::new, |m| m.locate(address)));
        if let Err(fault) = done {
            self.suffer(fault);
        }
    }
}
