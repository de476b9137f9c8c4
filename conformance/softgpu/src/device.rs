//! The devices of this process: memory, order, and what a device's context suffers from.
//!
//! A fault of a kernel is kept and comes out at the next call that needs the context, and at every call after that until
//! the context is reset.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::failure::{Failure, Result};
use crate::graphs::{Graphs, Task};
use crate::heap::{Heap, Placement};
use crate::leaks;
use crate::module::{Kernel, Module};
use crate::order::{Job, Schedule};
use crate::outcomes;
use crate::run::Launch;
use crate::settings::Settings;
use crate::states::{States, WRITTEN};

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
    /// Modules by their handles, with the calls that loaded them.
    pub modules: HashMap<u64, (Arc<Module>, u64)>,
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
    /// Of all heaps, if bytes are checked.
    states: Vec<States>,
    order: Mutex<Schedule>,
    graphs: Mutex<Graphs>,
    handles: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

static MACHINE: OnceLock<Machine> = OnceLock::new();

impl Machine {
    /// The machine, once it is initialized.
    pub fn get() -> Result<&'static Self> {
        MACHINE.get().ok_or(Failure::NotInitialized)
    }

    /// Loses the devices, where there are some: what needs one fails until it is reset.
    pub fn lose() {
        let devices = MACHINE.get().map_or(&[][..], |machine| &machine.devices);
        devices.iter().for_each(|device| device.suffer(Failure::Lost));
    }

    /// Makes it.
    pub fn initialize() -> &'static Self {
        MACHINE.get_or_init(|| {
            leaks::watch();
            let settings = Settings::get();
            let heap = |limit: u64, place, of_host: bool| match settings.bytes {
                true => Heap::new(limit, place).with_states(of_host),
                false => Heap::new(limit, place),
            };
            let device = |ordinal| Device {
                ordinal,
                heap: Mutex::new(heap(settings.memory, settings.place, false)),
                loaded: Mutex::default(),
                peers: Mutex::default(),
                fault: Mutex::default(),
                retained: AtomicU64::new(0),
            };
            let devices: Vec<Device> = (0..settings.devices).map(device).collect();
            let host = heap(16 << 30, Placement::Apart, true);
            let of_devices = devices.iter().filter_map(|device| device.heap().states());
            let states = of_devices.chain(host.states()).collect();
            Self {
                devices,
                host: Mutex::new(host),
                states,
                order: Mutex::new(Schedule::new(settings.order)),
                graphs: Mutex::default(),
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
    pub fn order(&self) -> MutexGuard<'_, Schedule> {
        lock(&self.order)
    }

    /// Graphs.
    pub fn graphs(&self) -> MutexGuard<'_, Graphs> {
        lock(&self.graphs)
    }

    /// Does work in a stream of a device, leaves it there, or makes it a part of a graph.
    pub fn perform(&self, device: &Device, stream: u64, task: Task) -> Result<()> {
        let task = self.graphs().capture(stream, task);
        match task {
            Some(task) => self.submit(device, stream, Box::new(move || task())),
            None => Ok(()),
        }
    }

    /// Does work in a stream of a device, or leaves it there.
    pub fn submit(&self, device: &Device, stream: u64, job: Job) -> Result<()> {
        if self.graphs().captures(stream) {
            return Err(Failure::InvalidValue("work that a graph cannot have"));
        }
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
            let after = place.offset - place.bytes as i64;
            return if place.freed {
                format!("at byte {} of {block}, which was freed", place.offset)
            } else if place.offset < 0 {
                format!("{} bytes in front of {block}", -place.offset)
            } else if after >= 0 {
                format!("{after} bytes past the end of {block}")
            } else {
                format!("at byte {} of {block}", place.offset)
            };
        }
        format!("at {address:#x}, which is no memory of a device")
    }

    /// What is known of bytes, of all heaps.
    pub fn states(&self) -> &[States] {
        &self.states
    }

    /// These bytes were written by a copy or a fill.
    pub fn written(&self, address: u64, bytes: u64) {
        self.states.iter().for_each(|states| states.set(address, bytes, WRITTEN));
    }

    /// These bytes were copied: what is known of them goes along.
    pub fn copied(&self, to: u64, from: u64, bytes: u64) {
        let known =
            self.states.iter().find_map(|states| states.get(from, bytes)).map(<[u8]>::to_vec);
        if let Some(known) = known {
            self.states.iter().for_each(|states| states.put(to, &known));
        }
    }

    /// Fails if something here is read, by whom is said, that nothing wrote.
    pub fn check_written(&self, who: &str, address: u64, bytes: u64) -> Result<()> {
        let known = self.states.iter().find_map(|states| states.get(address, bytes));
        let fresh = known.and_then(|known| known.iter().position(|&state| state != WRITTEN));
        fresh.map_or(Ok(()), |at| {
            let place = self.locate(address + at as u64);
            Err(Failure::LaunchFailed(format!("{who} reads what nothing wrote, {place}")))
        })
    }

    /// Memory of devices to which some word of a launch's arguments points, and variables of its module: first bytes and
    /// sizes.
    pub fn named(&self, launch: &Launch) -> Vec<(u64, u64)> {
        let around = |address| self.devices.iter().find_map(|device| device.heap().around(address));
        let globals = launch.module.globals().iter().filter(|global| !global.constant);
        let globals = globals.map(|global| (global.address, global.bytes));
        let all = launch.words().filter_map(|(.., word)| around(word)).chain(globals);
        let mut all: Vec<_> = all.collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Which word of a launch's arguments points to the allocation of an address, for people.
    fn pointer(&self, launch: &Launch, address: u64) -> String {
        let heaps = self.devices.iter().map(|device| &device.heap).chain([&self.host]);
        let around = heaps.into_iter().find_map(|heap| {
            // An address before an allocation, or after its end, is of that allocation too.
            let heap = lock(heap);
            let place = heap.locate(address)?;
            Some((address.wrapping_sub_signed(place.offset), place.bytes))
        });
        let Some((first, bytes)) = around else { return String::new() };
        // A word that is the end of the allocation may be the start of the next one.
        let into = launch.words().find(|&(.., word)| (first..first + bytes).contains(&word));
        match into.or_else(|| launch.words().find(|&(.., word)| word == first + bytes)) {
            Some((argument, Some(at), _)) => {
                format!(", to which word {at} of argument {argument} points")
            }
            Some((argument, None, _)) => format!(", to which argument {argument} points"),
            None => ", to which no argument points".to_owned(),
        }
    }

    /// Describes an address, for reports on a launch.
    pub fn locate_for(&self, launch: &Launch, address: u64) -> String {
        self.locate(address) + &self.pointer(launch, address)
    }

    /// Whose memory holds the range, if any's does.
    pub fn owner(&self, address: u64, bytes: u64) -> bool {
        self.devices
            .iter()
            .map(|device| &device.heap)
            .chain([&self.host])
            .any(|heap| lock(heap).holds(address, bytes))
            || self.devices.iter().any(|device| {
                device.loaded().modules.values().any(|(module, _)| module.holds(address, bytes))
            })
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

    /// Adds one user of its context, or removes one, and returns how many there are.
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

    /// Whether the context has no error.
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
            machine.graphs().clear(self.ordinal);
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
        let done = MACHINE.get().map_or(Ok(()), |machine| outcomes::run(machine, launch));
        if let Err(fault) = done {
            self.suffer(fault);
        }
    }
}
