//! Devices: opening them by name, the thread's current one, and the one hook through which backends
//! reach arrays, which name none of them.
//!
//! A device is opened once in a process and never destroyed. Discovery opens nothing.

mod event;
mod memory_hook;
mod stream;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::env::VarError;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::recording;
use ndany_core::backend::{
    Attribute, Backend, Control, NativeDevice, Pool, PoolStatistics, Priority, Recordable,
};
use ndany_core::ranges::Ranges;
use ndany_core::{Error, Provider, Report, Result};
use ndany_reference::Reference;

pub use event::Event;
pub use memory_hook::MemoryHookGuard;
pub use stream::{Stream, StreamGuard};

/// Where arrays live and operations run. A cheap handle; two handles of one device are equal.
///
/// ```
/// use ndany::Device;
/// let device = Device::open("reference")?;
/// assert_eq!(device.name(), "reference");
/// assert!(Device::open("abacus").is_err());
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone)]
pub struct Device {
    backend: Arc<dyn Backend>,
}

pub(crate) mod hook {
    //! The one place in this crate with `unsafe`: calls across the link-time hook.
    #![allow(unsafe_code)]

    use std::sync::Arc;

    use ndany_core::AnyTable;
    use ndany_core::backend::Backend;

    unsafe extern "Rust" {
        fn __ndany_providers_0_1() -> &'static [super::Provider];
        fn __ndany_tables_0_1() -> &'static [AnyTable];
    }

    pub(super) fn providers() -> &'static [super::Provider] {
        // SAFETY: the symbol is defined by the `providers!` macro alone, with exactly this signature,
        // and the function it defines is safe.
        unsafe { __ndany_providers_0_1() }
    }

    pub(crate) fn tables() -> &'static [AnyTable] {
        // SAFETY: as above.
        unsafe { __ndany_tables_0_1() }
    }

    pub(super) fn open(
        provider: &super::Provider,
        options: &str,
    ) -> super::Result<Arc<dyn Backend>> {
        // SAFETY: arrays do not hand out the backend. An array's buffer is written once, by the launch that computes it, or
        // in place while its only handle is held; results are claimed before they are read; and positions are known where
        // arrays have made them or looked at them. Raw kernels are launched by unsafe functions alone.
        unsafe { (provider.open)(options) }
    }
}

#[cfg(test)]
#[allow(unsafe_code)]
mod no_providers {
    //! This crate's own tests have the reference only.
    ndany_core::providers![];
}

/// What the backends that are compiled in find for a profiler's ranges.
pub(crate) fn range_tools() -> impl Iterator<Item = Ranges> {
    hook::providers().iter().filter_map(|provider| provider.ranges).map(|find| find())
}

type Opened = BTreeMap<String, Device>;

/// The devices that a process has opened, by name.
struct Registry {
    process: u32,
    /// Held while a device opens, so that it is opened once.
    opened: Mutex<Opened>,
    /// That of a child, which exists in the child alone.
    next: OnceLock<&'static Registry>,
}

impl Registry {
    fn new(process: u32, opened: Opened) -> Self {
        Self { process, opened: Mutex::new(opened), next: OnceLock::new() }
    }

    /// Of this process. A child that is forked while a device opens finds its parent's registry locked by a thread that it
    /// does not have, and would wait for ever. So it has one of its own, of what its parent had opened if that can be read.
    fn get() -> &'static Registry {
        static FIRST: OnceLock<Registry> = OnceLock::new();
        let process = std::process::id();
        let mut registry = FIRST.get_or_init(|| Self::new(process, Opened::new()));
        while registry.process != process {
            registry = registry.next.get_or_init(|| {
                let opened = registry.opened.try_lock().map(|opened| opened.clone());
                Box::leak(Box::new(Self::new(process, opened.unwrap_or_default())))
            });
        }
        registry
    }
}

thread_local! {
    /// The devices that this thread has entered and not left, with the numbers of their guards: the last is the current.
    static CURRENT: RefCell<Vec<(u64, Device)>> = const { RefCell::new(Vec::new()) };
}

impl Device {
    /// Opens a device by name: `"cpu"`, `"reference"`, `"cuda:0"`, `"hip:0"`, as `cupy.cuda.Device`.
    ///
    /// The CPU takes options, as in `"cpu:threads=8,level=v3"`. The same name gives the same device throughout the process.
    ///
    /// - **Errors**: no such backend is compiled in, or it finds no such device here; the error says what to do.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Device::open("reference")?.name(), "reference");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn open(name: &str) -> Result<Device> {
        let mut opened = Registry::get().opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = opened.get(name) {
            return Ok(device.clone());
        }
        let _span = tracing::debug_span!("open", device = name).entered();
        let (family, options) = name.split_once(':').unwrap_or((name, ""));
        let backend: Arc<dyn Backend> = match family {
            "reference" => Arc::new(Recordable::new(Reference::new())),
            _ => {
                let provider = hook::providers().iter().find(|provider| provider.name == family);
                match provider {
                    Some(provider) => hook::open(provider, options)?,
                    None => return Err(Device::unknown(name, family)),
                }
            }
        };
        let device = Device { backend };
        opened.insert(name.to_string(), device.clone());
        Ok(device)
    }

    fn unknown(name: &str, family: &str) -> Error {
        let known: Vec<&str> =
            hook::providers().iter().map(|provider| provider.name).chain(["reference"]).collect();
        let reason = match family {
            "cuda" | "hip" => {
                format!("this build has no {family} backend; use one of {}", known.join(", "))
            }
            _ => format!("known are {}", known.join(", ")),
        };
        Error::NoDevice { name: name.to_string(), reason }
    }

    /// Opens the best device of this machine, the first that any compiled-in backend discovers.
    ///
    /// - **Errors**: no device can be opened.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(Device::all().contains(&Device::best()?.name()));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn best() -> Result<Device> {
        match hook::providers().iter().flat_map(|provider| (provider.discover)()).next() {
            Some(name) => Device::open(&name),
            None => Device::open("reference"),
        }
    }

    /// Returns the names of all devices of this machine, the best first, the reference last; opens nothing.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Device::all().last().map(String::as_str), Some("reference"));
    /// ```
    pub fn all() -> Vec<String> {
        let found = hook::providers().iter().flat_map(|provider| (provider.discover)());
        found.chain(["reference".to_string()]).collect()
    }

    /// Returns what each compiled-in backend finds on this machine, as `cupy.show_config`.
    ///
    /// That is devices, libraries, their versions, what was tried where, and what works without what is missing. It opens no device,
    /// but may open libraries.
    ///
    /// ```
    /// for report in ndany::Device::reports() {
    ///     println!("{report}");
    /// }
    /// ```
    pub fn reports() -> Vec<Report> {
        hook::providers().iter().map(|provider| (provider.report)()).collect()
    }

    /// Makes a device of a backend that another crate implements.
    pub fn custom(backend: Arc<dyn Backend>) -> Device {
        Device { backend }
    }

    /// Returns the device on which this thread creates arrays, as `cupy.cuda.Device()`.
    ///
    /// It is that of the innermost [`Device::enter`], else of the variable `NDANY_DEVICE`, else [`Device::best`].
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let current = Device::current();
    /// assert_eq!(zeros(3, ..).device().name(), current.name());
    /// ```
    ///
    /// # Panics
    /// `NDANY_DEVICE` names a device that cannot be opened. [`attempt`](crate::attempt) returns the error.
    #[track_caller]
    pub fn current() -> Device {
        let last = |current: &Vec<(u64, Device)>| current.last().map(|(_, device)| device.clone());
        if let Some(device) = CURRENT.with_borrow(last) {
            return device;
        }
        static DEFAULT: OnceLock<Result<Device>> = OnceLock::new();
        let open = || match std::env::var("NDANY_DEVICE") {
            Ok(name) => Device::open(&name),
            Err(VarError::NotPresent) => Device::best(),
            Err(VarError::NotUnicode(name)) => Err(Error::NoDevice {
                name: name.to_string_lossy().into_owned(),
                reason: "NDANY_DEVICE is not UTF-8".to_string(),
            }),
        };
        // Opened before the cell is touched: a child that is forked meanwhile must not wait for a thread of its parent's.
        let default = DEFAULT.get().cloned().unwrap_or_else(open);
        let default = DEFAULT.get_or_init(|| default);
        match default {
            Ok(device) => device.clone(),
            Err(error) => crate::attempt::raise(error.clone()),
        }
    }

    /// Makes this the thread's current device until the guard is dropped, as `with cupy.cuda.Device(…)`.
    ///
    /// ```
    /// use ndany::Device;
    /// let device = Device::open("reference")?;
    /// let guard = device.enter();
    /// assert_eq!(Device::current(), device);
    /// drop(guard);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[must_use = "the device is current while the guard lives"]
    pub fn enter(&self) -> DeviceGuard {
        static GUARDS: AtomicU64 = AtomicU64::new(0);
        let number = GUARDS.fetch_add(1, Ordering::Relaxed);
        CURRENT.with_borrow_mut(|current| current.push((number, self.clone())));
        DeviceGuard { number, only_here: std::marker::PhantomData }
    }

    /// Returns the name under which the device was opened.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Device::open("reference")?.name(), "reference");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn name(&self) -> String {
        self.backend.name()
    }

    /// Returns a sentence about the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(!Device::current().description().is_empty());
    /// ```
    pub fn description(&self) -> String {
        self.backend.description()
    }

    /// Waits for all work of the device, as `cupy.cuda.Device.synchronize`.
    ///
    /// - **Errors**: what failed on the device since the last wait.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// Device::current().synchronize()?;
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn synchronize(&self) -> Result<()> {
        self.backend.synchronize()
    }

    /// Makes a stream, a queue of work beside the default one, as `cupy.cuda.Stream`.
    ///
    /// Its priority is `..`, the normal one, or [`Priority::High`] or [`Priority::Low`]. The CPU takes any and makes no difference.
    ///
    /// - **Errors**: what fails on the device; a driver without priorities, if one is asked for.
    ///
    /// ```
    /// use ndany::{Device, Priority};
    /// let device = Device::current();
    /// let (copies, work) = (device.stream(Priority::High)?, device.stream(..)?);
    /// work.synchronize()?;
    /// copies.synchronize()?;
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn stream(&self, priority: impl Into<Priority>) -> Result<Stream> {
        Stream::new(self.clone(), priority.into())
    }

    /// Records an event in the thread's current stream of this device, as `cupy.cuda.Event.record`.
    ///
    /// It comes after the work that the stream has now, which is the default one if the thread has entered none.
    ///
    /// - **Errors**: what failed on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let device = Device::current();
    /// let start = device.record()?;
    /// arange(1000).sum(..).eval()?;
    /// let seconds = device.record()?.elapsed_since(&start)?;
    /// assert!(seconds >= 0.0);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn record(&self) -> Result<Event> {
        let reason = "an event has one place: record it around the graph's launch";
        recording::refuse("record", reason)?;
        match self.backend.control() {
            Some(control) => Ok(Event::of_stream(self.clone(), control.record()?)),
            None => Ok(Event::now(self.clone())),
        }
    }

    fn pool(&self, op: &'static str) -> Result<&dyn Pool> {
        self.backend.pool().ok_or_else(|| Error::Unsupported {
            op: op.to_string(),
            reason: format!("{} keeps no pool of memory", self.name()),
        })
    }

    fn control(&self, op: &'static str) -> Result<&dyn Control> {
        self.backend.control().ok_or_else(|| Error::Unsupported {
            op: op.to_string(),
            reason: format!("{} has no driver", self.name()),
        })
    }

    /// Returns a fact about the device by name, as `cupy.cuda.Device.attributes`; truths are 0 and 1.
    ///
    /// The compute capability is [`Attribute::ComputeCapabilityMajor`] and [`Attribute::ComputeCapabilityMinor`]. Each call asks
    /// the driver.
    ///
    /// - **Errors**: a device without a driver (the CPU), a driver that does not know the attribute.
    ///
    /// ```
    /// use ndany::{Attribute, Device};
    /// let error = Device::open("reference")?.attribute(Attribute::WarpSize).unwrap_err();
    /// assert!(error.is_unsupported());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn attribute(&self, attribute: Attribute) -> Result<u64> {
        self.control("attribute")?.attribute(attribute)
    }

    /// Returns where the device is plugged in, `0000:01:00.0`, as `cupy.cuda.Device.pci_bus_id`.
    ///
    /// That is domain, bus and device in hexadecimal digits, and the function 0.
    ///
    /// - **Errors**: a device without a driver (the CPU), what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(Device::open("reference")?.pci_bus_id().is_err());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn pci_bus_id(&self) -> Result<String> {
        let control = self.control("pci_bus_id")?;
        let places = [Attribute::PciDomainId, Attribute::PciBusId, Attribute::PciDeviceId];
        let [domain, bus, device] = places.map(|attribute| control.attribute(attribute));
        Ok(format!("{:04x}:{:02x}:{:02x}.0", domain?, bus?, device?))
    }

    /// Returns what the vendor's interface calls the device, as `cupy.cuda.Device.id`; none of a device without a driver.
    ///
    /// Arrays, streams and events of other libraries in the same context can work together with those here.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(Device::open("reference")?.native(), None);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn native(&self) -> Option<NativeDevice> {
        self.backend.control().map(|control| control.native())
    }

    /// Returns the bytes in the device's memory pool: live, reserved, and the peaks of both, as `cupy.cuda.MemoryPool`.
    ///
    /// - **Errors**: a device without a pool: the CPU's memory is the system's.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(Device::open("reference")?.memory().is_err());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn memory(&self) -> Result<PoolStatistics> {
        Ok(self.pool("memory")?.statistics())
    }

    /// Returns the free bytes of the device, within the limit of its pool, as `cupy.cuda.Device.mem_info`.
    ///
    /// Memory that the pool or other programs hold is not free.
    ///
    /// - **Errors**: a device without a pool, what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(Device::open("reference")?.free_memory().is_err());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn free_memory(&self) -> Result<usize> {
        self.pool("free_memory")?.free()
    }

    /// Limits the bytes that the device's pool may hold from now on, as `cupy.cuda.MemoryPool.set_limit`.
    ///
    /// What needs more ends with [`Error::OutOfMemory`]. `None` takes the limit away. The variable `NDANY_POOL_LIMIT` sets one when the
    /// device is opened.
    ///
    /// - **Errors**: a device without a pool.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(Device::open("reference")?.limit_memory(Some(1 << 30)).is_err());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn limit_memory(&self, bytes: Option<usize>) -> Result<()> {
        self.pool("limit_memory")?.set_limit(bytes);
        Ok(())
    }

    /// Returns unused memory of the pool to the system, as `cupy.cuda.MemoryPool.free_all_blocks`; waits for the device.
    ///
    /// - **Errors**: a device without a pool, what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(Device::open("reference")?.release_memory().is_err());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn release_memory(&self) -> Result<()> {
        self.pool("release_memory")?.release()
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        self.backend.as_ref()
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.backend, &other.backend)
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.name())
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// Keeps a device current; see [`Device::enter`]. Guards may go in any order: what is current is the last device whose
/// guard lives.
#[derive(Debug)]
pub struct DeviceGuard {
    number: u64,
    /// The guard belongs to its thread.
    only_here: std::marker::PhantomData<*const ()>,
}

impl Drop for DeviceGuard {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(|current| current.retain(|(number, _)| *number != self.number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_may_go_in_any_order() {
        let outer = Device::custom(Arc::new(Reference::new())).enter();
        let before = Device::current();
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let devices = [(); 3].map(|()| Device::custom(Arc::new(Reference::new())));
            let mut guards = devices.each_ref().map(|device| Some(device.enter()));
            for gone in order {
                guards[gone] = None;
                let last = guards.iter().rposition(Option::is_some);
                assert_eq!(
                    &Device::current(),
                    last.map_or(&before, |last| &devices[last]),
                    "{order:?}"
                );
            }
        }
        drop(outer);
    }
}
