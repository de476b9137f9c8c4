//! One open device: everything that the patterns need, in one place.
//!
//! This file says in which order things are done; how each is done stands in `pool`, `modules`, `staging`, `stream`
//! and `deferred error`. Locks are held inside those only, and never while one of them calls another.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hasher;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ndany_core::backend::{MemoryHook, RawCode, refusals};
use ndany_core::{DType, Error, PoolStatistics, Result, dry_run};
use ndany_kernels::cut::{self, Cut};
use ndany_kernels::map::Map;
use smallvec::SmallVec;
use tracing::debug_span;
use tracing::span::EnteredSpan;

use crate::backlog::PutOff;
use crate::cache::Cache;
use crate::checked::CheckedDriver;
use crate::deferred::{
    DeferredError, DeferredErrors, ErrorSet, ErrorWords, Explain, Outcome, PAGE_BYTES,
};
use crate::dft::{Dft, Plan};
use crate::driver::{
    Address, CompileError, Compiler, Driver, DriverError, DriverResult, Function, KernelLaunch,
    Stream,
};
use crate::foreign::Owners;
use crate::graph::{self, LibraryCall};
use crate::map;
use crate::memory::{GpuMemory, Scratch};
use crate::modules::{Lookup, Modules, RawModule, RawModules, Request};
use crate::operand::Arguments;
use crate::pool::{Allocation, AllocationSource, Pool, PoolKind};
use crate::settings::{Preference, Settings};
use crate::solver::{Solver, SolverStep};
use crate::sources::Sources;
use crate::sparse::{Product, Sparse};
use crate::staging::Staging;
use crate::stream::{StreamId, StreamSet, Streams};

/// Maximum number of argument words of a launch: devices take 4 KiB.
const MOST_WORDS: usize = 512;

/// The pattern of a kernel, for spans: `map` of `ndany_kernels::map::Map`.
fn kernel_name<K>() -> &'static str {
    let path = std::any::type_name::<K>();
    let path = path.split('<').next_back().unwrap_or(path);
    path.trim_end_matches('>').rsplit("::").next().unwrap_or(path)
}

/// One open device.
#[derive(Debug)]
pub(crate) struct Runtime {
    checked: CheckedDriver,
    streams: Streams,
    pool: Pool,
    /// Of managed memory.
    managed: Pool,
    sources: Sources,
    modules: Arc<Modules>,
    /// Whether other libraries see this device's streams or memory: what they submit would not be after what is put off.
    shared: AtomicBool,
    raw: RawModules,
    staging: Staging,
    deferred: DeferredErrors,
    poison: bool,
    /// Whether graphs are launched as the driver's.
    vendor_graphs: bool,
    reserves: Reserves,
    /// Functions that may have their dynamic shared memory.
    allowed: Mutex<HashSet<Function>>,
    owners: Owners,
    /// Maximum number of threads of a launch.
    max_threads: u64,
    /// Maximum number of blocks of a launch.
    max_blocks: u32,
}

/// Releases a cache of device memory; `false` if it was empty.
type Reserve = Arc<dyn Fn() -> bool + Send + Sync>;

/// Caches of device memory outside the pool.
#[derive(Default)]
struct Reserves(Mutex<Vec<Reserve>>);

impl fmt::Debug for Reserves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reserves").finish_non_exhaustive()
    }
}

impl Reserves {
    fn add(&self, reserve: Reserve) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(reserve);
    }

    /// Has all of it given back; `false` where there was none.
    fn release(&self) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        all.iter().filter(|reserve| reserve()).count() > 0
    }
}

/// A request as a launch needs it: the launch itself is compiled once for all kernels.
pub(crate) trait Launched {
    /// The pattern's name, for spans.
    fn name(&self) -> &'static str;

    /// The kernel's function, or what is coming of it if other threads compile (`ahead`).
    fn function(&self, modules: &Modules, checked: &CheckedDriver, ahead: bool) -> Result<Lookup>;

    /// The function of the same kernel for a launch in parts.
    fn function_of_parts(
        &self,
        modules: &Modules,
        checked: &CheckedDriver,
        ahead: bool,
    ) -> Result<Lookup>;

    /// Has other threads compile the kernel, or the one of a launch in parts.
    fn ask(&self, modules: &Modules, checked: &CheckedDriver, in_parts: bool);
}

impl<R: Request> Launched for R {
    fn name(&self) -> &'static str {
        kernel_name::<R::Kernel>()
    }

    fn function(&self, modules: &Modules, checked: &CheckedDriver, ahead: bool) -> Result<Lookup> {
        modules.look_up(checked, self, ahead)
    }

    fn function_of_parts(
        &self,
        modules: &Modules,
        checked: &CheckedDriver,
        ahead: bool,
    ) -> Result<Lookup> {
        modules.look_up(checked, &CutRequest(self), ahead)
    }

    fn ask(&self, modules: &Modules, checked: &CheckedDriver, in_parts: bool) {
        match in_parts {
            false => modules.ask(checked, self),
            true => modules.ask(checked, &CutRequest(self)),
        }
    }
}

/// A map that is loaded already.
pub(crate) struct LoadedMap(pub(crate) Function);

impl Launched for LoadedMap {
    fn name(&self) -> &'static str {
        kernel_name::<Map>()
    }

    fn function(&self, _: &Modules, _: &CheckedDriver, _: bool) -> Result<Lookup> {
        Ok(Lookup::Ready(self.0))
    }

    fn function_of_parts(&self, _: &Modules, _: &CheckedDriver, _: bool) -> Result<Lookup> {
        unreachable!("it is launched at once")
    }

    fn ask(&self, _: &Modules, _: &CheckedDriver, _: bool) {}
}

/// A request for the same kernel in parts.
struct CutRequest<'r, R>(&'r R);

impl<R: Request> Request for CutRequest<'_, R> {
    type Kernel = Cut<R::Kernel>;

    fn hash_into<H: Hasher>(&self, state: &mut H) {
        self.0.hash_into(state);
    }

    fn is(&self, Cut(kernel): &Self::Kernel) -> bool {
        self.0.is(kernel)
    }

    fn kernel(&self) -> Self::Kernel {
        Cut(self.0.kernel())
    }
}

impl Runtime {
    /// Prepares an opened device. Without a compiler it runs what the cache on disk holds.
    pub(crate) fn with(
        driver: Box<dyn Driver>,
        compiler: Result<Box<dyn Compiler>, CompileError>,
        settings: Settings,
    ) -> Result<Arc<Self>> {
        let capabilities = driver.properties().capabilities;
        capabilities.check().map_err(|error| Error::NoDevice {
            name: driver.name().to_string(),
            reason: error.to_string(),
        })?;
        let checked = CheckedDriver::new(driver);
        let pool = Pool::new(&settings);
        Ok(Arc::new(Self {
            streams: Streams::new(&checked)?,
            managed: pool.managed(),
            pool,
            sources: Sources::new(settings.managed),
            modules: Arc::new(Modules::new(
                compiler,
                Cache::of(&settings),
                settings.compile_threads,
            )),
            shared: AtomicBool::new(false),
            raw: RawModules::default(),
            staging: Staging::new(),
            deferred: DeferredErrors::default(),
            poison: settings.poison,
            vendor_graphs: settings.graphs != Preference::Own,
            reserves: Reserves::default(),
            allowed: Mutex::default(),
            owners: Owners::default(),
            max_threads: capabilities.max_threads.min(settings.launch_limit.unwrap_or(u64::MAX)),
            max_blocks: capabilities.max_blocks,
            checked,
        }))
    }

    /// Whether graphs are launched as the driver's, where it has such.
    pub(crate) fn vendor_graphs(&self) -> bool {
        self.vendor_graphs
    }

    /// The vendor's driver, for what the runtime does not do.
    pub(crate) fn driver(&self) -> &dyn Driver {
        self.checked.driver()
    }

    pub(crate) fn checked(&self) -> &CheckedDriver {
        &self.checked
    }

    pub(crate) fn streams(&self) -> &Streams {
        &self.streams
    }

    /// The owners of foreign memory that nothing uses any more.
    pub(crate) fn owners(&self) -> &Owners {
        &self.owners
    }

    /// The calling thread's current stream on this device.
    pub(crate) fn stream(&self) -> Stream {
        self.streams.current().handle
    }

    /// The sources of memory that threads have entered.
    pub(crate) fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The pool of managed memory.
    pub(crate) fn managed(&self) -> &Pool {
        &self.managed
    }

    /// What the pool holds.
    pub(crate) fn pool_statistics(&self) -> PoolStatistics {
        self.pool.statistics()
    }

    /// Bytes that are free on the device, within the pool's limit.
    pub(crate) fn free_memory(&self) -> Result<usize> {
        self.checked.call_beside("memory", |driver| driver.memory())?;
        Ok(self.pool.memory(&self.checked).free)
    }

    /// See [`Pool::set_limit`].
    pub(crate) fn limit_memory(&self, bytes: Option<usize>) {
        self.pool.set_limit(bytes);
    }

    /// Tells a hook of what the pools do from now on.
    pub(crate) fn add_memory_hook(&self, hook: MemoryHook) {
        self.pool.hooks().add(hook);
    }

    /// Tells it no more.
    pub(crate) fn remove_memory_hook(&self, hook: &MemoryHook) {
        self.pool.hooks().remove(hook);
    }

    /// Waits for the device and returns all unused memory to the driver.
    pub(crate) fn release(&self) -> Result<()> {
        self.wait()?;
        self.owners.sweep(&self.checked, &self.streams);
        self.pool.release(&self.checked, &self.streams);
        self.managed.release(&self.checked, &self.streams);
        Ok(())
    }

    /// Memory of an array, of at least one byte, aligned to 256, not initialized.
    pub(crate) fn allocate(self: &Arc<Self>, bytes: usize) -> Result<Arc<GpuMemory>> {
        let (piece, stream_id) = self.take(bytes)?;
        let memory = GpuMemory::new(self.clone(), piece, bytes, stream_id);
        self.poison(memory.address(), bytes, stream_id)?;
        self.pad(memory.address(), bytes, stream_id)?;
        let memory = Arc::new(memory);
        if graph::active(self) {
            graph::allocated(&memory);
        }
        Ok(memory)
    }

    /// Memory of launches on the thread's stream: given back in the order of the stream when dropped.
    pub(crate) fn scratch(self: &Arc<Self>, bytes: usize) -> Result<Scratch> {
        let (piece, stream_id) = self.take(bytes)?;
        let scratch = Scratch::new(self.clone(), piece, stream_id);
        self.poison(scratch.address(), bytes, stream_id)?;
        if graph::active(self) {
            graph::scratched(scratch.address(), bytes);
        }
        Ok(scratch)
    }

    #[inline]
    fn take(&self, bytes: usize) -> Result<(Allocation, StreamId)> {
        let stream_id = self.streams.current();
        if dry_run::is_active() {
            return Ok((Allocation::without_bytes(bytes), stream_id));
        }
        self.owners.sweep(&self.checked, &self.streams);
        let take = || match self.sources.current(self.streams.device()) {
            None => self.pool.take(&self.checked, &self.streams, stream_id, bytes),
            Some(source) => self.take_from(&source, stream_id, bytes),
        };
        let piece = match take() {
            Err(Error::OutOfMemory { .. }) if self.reserves.release() => take()?,
            taken => taken?,
        };
        Ok((piece, stream_id))
    }

    /// Adds what gives memory back that is kept for speed alone: it is asked when memory is short.
    pub(crate) fn add_reserve(&self, reserve: impl Fn() -> bool + Send + Sync + 'static) {
        self.reserves.add(Arc::new(reserve));
    }

    fn poison(&self, address: Address, bytes: usize, stream_id: StreamId) -> Result<()> {
        if !self.poison || dry_run::is_active() {
            return Ok(());
        }
        // SAFETY: the memory has `bytes` bytes and no other user yet.
        self.checked.call("allocate", |driver| unsafe {
            driver.fill(address, 0xFF, bytes.max(1), stream_id.handle)
        })
    }

    /// Zeroes the padding after the last byte of a direct allocation: kernels read the whole word around that byte.
    fn pad(&self, address: Address, bytes: usize, stream_id: StreamId) -> Result<()> {
        let padding = self.pool.padding(bytes);
        if padding == 0 || dry_run::is_active() {
            return Ok(());
        }
        // SAFETY: as above.
        self.checked.call("allocate", |driver| unsafe {
            driver.fill(address + bytes as Address, 0, padding, stream_id.handle)
        })
    }

    /// Makes a call for which the driver needs memory of its own (machine code, stacks of threads, a library); out of
    /// memory, it releases the pool's free memory and tries again.
    pub(crate) fn with_freed_memory<T>(&self, call: impl Fn() -> Result<T>) -> Result<T> {
        match call() {
            Err(Error::OutOfMemory { .. }) => {}
            other => return other,
        }
        tracing::debug!(device = self.driver().name(), "out of memory beside the pool");
        self.reserves.release();
        self.release()?;
        match call() {
            Err(Error::OutOfMemory { op, device, requested, .. }) => {
                let memory = Some(self.pool.memory(&self.checked));
                Err(Error::OutOfMemory { op, device, requested, memory })
            }
            other => other,
        }
    }

    /// Takes memory back that work on these streams may still use.
    pub(crate) fn give_back(&self, piece: Allocation, used_on: StreamSet) {
        if graph::active(self) {
            graph::given(piece.address);
        }
        let pool = match piece.source {
            AllocationSource::Pool(PoolKind::Device) => &self.pool,
            AllocationSource::Pool(PoolKind::Managed) => &self.managed,
            AllocationSource::Owner(owner) => {
                let owner = owner.into_inner().unwrap_or_else(PoisonError::into_inner);
                return self.retire_owner(owner, used_on);
            }
            AllocationSource::DryRun | AllocationSource::Nobody => return,
        };
        pool.give(&self.checked, &self.streams, piece, used_on);
    }

    /// Waits for the device; afterwards no work uses what was free before.
    pub(crate) fn wait(&self) -> Result<()> {
        self.managed
            .wait_by(&self.checked, &self.streams, || self.pool.wait(&self.checked, &self.streams))
    }

    /// Maximum number of blocks of a launch.
    #[inline]
    pub(crate) fn most_blocks(&self, block: u32) -> u64 {
        (self.max_threads / u64::from(block)).clamp(1, u64::from(self.max_blocks))
    }

    /// The machine code of the device.
    pub(crate) fn modules(&self) -> &Modules {
        &self.modules
    }

    /// Compiles (or finds) the kernel and launches it on the thread's stream with these arguments; or puts that off, as part of
    /// what has this outcome.
    pub(crate) fn launch(
        &self,
        kernel: &dyn Launched,
        grid: u32,
        block: u32,
        arguments: &Arguments,
        outcome: &dyn Fn() -> Arc<Outcome>,
    ) -> Result<()> {
        let most = self.most_blocks(block);
        if u64::from(grid) > most {
            if dry_run::is_active() {
                kernel.ask(&self.modules, &self.checked, true);
                return Ok(());
            }
            return self.launch_in_parts([grid, block], arguments, most, |shape, arguments| {
                self.launch_at_once(kernel, true, shape, arguments, outcome)
            });
        }
        self.launch_at_once(kernel, false, [grid, block], arguments, outcome)
    }

    /// Launches a kernel in parts of at most `most` blocks each.
    #[cold]
    fn launch_in_parts(
        &self,
        [grid, block]: [u32; 2],
        arguments: &Arguments,
        most: u64,
        launch: impl Fn([u32; 2], &Arguments) -> Result<()>,
    ) -> Result<()> {
        let blocks = u64::from(grid);
        for first in (0..blocks).step_by(most as usize) {
            let mut own = Arguments::default();
            let words: [u64; cut::WORDS] = [first, blocks];
            own.extend(words);
            own.append(arguments);
            let part = (blocks - first).min(most) as u32;
            launch([part, block], &own)?;
        }
        Ok(())
    }

    fn launch_at_once(
        &self,
        kernel: &dyn Launched,
        in_parts: bool,
        [grid, block]: [u32; 2],
        arguments: &Arguments,
        outcome: &dyn Fn() -> Arc<Outcome>,
    ) -> Result<()> {
        let words = arguments.as_slice();
        if words.len() > MOST_WORDS {
            let reason = format!(
                "a kernel has {} words of arguments: expected at most {MOST_WORDS}",
                words.len()
            );
            return Err(Error::Unsupported { op: "launch".to_string(), reason });
        }
        if dry_run::is_active() {
            kernel.ask(&self.modules, &self.checked, in_parts);
            return Ok(());
        }
        let ahead = self.may_put_off();
        let found = self.with_freed_memory(|| match in_parts {
            false => kernel.function(&self.modules, &self.checked, ahead),
            true => kernel.function_of_parts(&self.modules, &self.checked, ahead),
        })?;
        let function = match found {
            Lookup::Ready(function) if !(ahead && self.checked.is_behind()) => function,
            found => {
                let stream = self.stream();
                let launch = move |function| KernelLaunch::linear(function, grid, block, stream);
                // SAFETY: as of a launch at once, below; calls that give memory back, or to another stream, come after this one.
                let submit = unsafe { self.launch_later(kernel.name(), found, launch, words) };
                self.put_off(PutOff { submit: Box::new(submit), outcome: outcome() });
                return Ok(());
            }
        };
        let device = self.driver().name();
        let _span = debug_span!("kernel", device, kernel = kernel.name(), grid, block).entered();
        let launch = KernelLaunch::linear(function, grid, block, self.stream());
        self.noted(
            || graph::launch(kernel.name(), &launch, arguments),
            || {
                // SAFETY: the function stays loaded; the caller wrote the words as the kernel's text asks, about memory
                // that it holds and that is given back in the order of the stream.
                let call = |driver: &dyn Driver| unsafe { driver.launch(&launch, words) };
                self.with_freed_memory(|| self.checked.call("launch", call))
            },
        )
    }

    /// Whether launches may be put off: no other library sees when they are submitted, and no recording lists their functions.
    #[inline]
    pub(crate) fn may_put_off(&self) -> bool {
        !self.shared.load(Ordering::Relaxed) && !graph::active(self)
    }

    /// Whether what a dry run asks for is compiled while launches are put off.
    pub(crate) fn compiles_ahead(&self) -> bool {
        self.modules.compile_ahead_of_launches() && self.may_put_off()
    }

    /// From now on launches are submitted when they are asked for, since another library is about to see this device's streams
    /// or memory.
    pub(crate) fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
        self.checked.submit_backlog();
    }

    /// The outcome of launches that are put off.
    pub(crate) fn outcome(&self) -> Outcome {
        self.deferred.outcome()
    }

    /// Puts a call off.
    pub(crate) fn put_off(&self, call: PutOff) {
        if !self.checked.put_off(call) {
            self.checked.submit_backlog();
        }
    }

    /// A launch that waits for its function, to be put off.
    ///
    /// # Safety
    /// As [`Driver::launch`], of the function of `found`, when it is submitted.
    #[cold]
    pub(crate) unsafe fn launch_later<L>(
        &self,
        name: &'static str,
        found: Lookup,
        launch: L,
        words: &[u64],
    ) -> impl FnOnce(&CheckedDriver) -> Result<()> + Send + use<L>
    where
        L: FnOnce(Function) -> KernelLaunch + Send + 'static,
    {
        let (modules, words) = (self.modules.clone(), words.to_vec());
        move |checked| {
            let launch = launch(found.wait(&modules, checked)?);
            let (device, [grid, block]) = (checked.driver().name(), [launch.grid, launch.block]);
            let _span = debug_span!("kernel", device, kernel = name, ?grid, ?block).entered();
            // SAFETY: the function stays loaded; the rest is the caller's.
            checked.call_beside("launch", |driver| unsafe { driver.launch(&launch, &words) })
        }
    }

    /// Sets bytes after the launches that are put off.
    pub(crate) fn put_off_fill(
        &self,
        address: Address,
        byte: u8,
        bytes: usize,
        outcome: &dyn Fn() -> Arc<Outcome>,
    ) -> Result<()> {
        if !self.may_put_off() || dry_run::is_active() {
            return self.fill(address, byte, bytes);
        }
        let stream = self.stream();
        let submit = move |checked: &CheckedDriver| {
            // SAFETY: as of a fill at once; calls that give memory back, or to another stream, come after this one.
            let fill = |driver: &dyn Driver| unsafe { driver.fill(address, byte, bytes, stream) };
            checked.call_beside("launch", fill)
        };
        self.put_off(PutOff { submit: Box::new(submit), outcome: outcome() });
        Ok(())
    }

    /// Does what a recording has noted before, and lists once it is done.
    #[inline]
    fn noted(
        &self,
        note: impl FnOnce() -> Result<graph::Noted>,
        act: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if !graph::active(self) {
            return act();
        }
        let noted = note()?;
        act()?;
        noted.done();
        Ok(())
    }

    /// Submits a kernel with one structure of words; errors tell of `op`.
    ///
    /// # Safety
    /// As [`Driver::launch`].
    pub(crate) unsafe fn submit_kernel(
        &self,
        op: &'static str,
        kernel: &'static str,
        launch: &KernelLaunch,
        words: &[u64],
    ) -> Result<()> {
        let (device, [grid, block]) = (self.driver().name(), [launch.grid, launch.block]);
        let _span = debug_span!("kernel", device, kernel, ?grid, ?block).entered();
        // SAFETY: the caller's.
        let call = |driver: &dyn Driver| unsafe { driver.launch(launch, words) };
        self.with_freed_memory(|| self.checked.call(op, call))
    }

    /// The same with a value for each parameter.
    ///
    /// # Safety
    /// As [`Driver::launch_with`].
    pub(crate) unsafe fn submit_kernel_with(
        &self,
        kernel: &'static str,
        launch: &KernelLaunch,
        places: &[*const u8],
    ) -> Result<()> {
        let (device, [grid, block]) = (self.driver().name(), [launch.grid, launch.block]);
        let _span = debug_span!("kernel", device, kernel, ?grid, ?block).entered();
        // SAFETY: the caller's.
        let call = |driver: &dyn Driver| unsafe { driver.launch_with(launch, places) };
        self.with_freed_memory(|| self.checked.call(kernel, call))
    }

    /// The loaded function of a kernel.
    #[cfg(test)]
    pub(crate) fn kernel_function(&self, kernel: &dyn Launched) -> Result<Function> {
        self.find(kernel, false)?.wait(&self.modules, &self.checked)
    }

    /// Has other threads compile a kernel.
    pub(crate) fn ask_for(&self, kernel: &dyn Launched) {
        kernel.ask(&self.modules, &self.checked, false);
    }

    /// The function of a kernel, or what is coming of it if other threads compile (`ahead`).
    pub(crate) fn find(&self, kernel: &dyn Launched, ahead: bool) -> Result<Lookup> {
        self.with_freed_memory(|| kernel.function(&self.modules, &self.checked, ahead))
    }

    /// Allows a function this dynamic shared memory, which is the same at every launch of it: the driver is called once.
    pub(crate) fn allow_shared(
        &self,
        op: &'static str,
        function: Function,
        bytes: u32,
    ) -> Result<()> {
        let allowed = || self.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        if !allowed().contains(&function) {
            // SAFETY: a function of a module that stays loaded.
            self.checked.call(op, |driver| unsafe { driver.allow_shared(function, bytes) })?;
            allowed().insert(function);
        }
        Ok(())
    }

    /// The loaded code of a user.
    pub(crate) fn raw_module(&self, code: &Arc<RawCode>) -> Result<Arc<RawModule>> {
        self.with_freed_memory(|| self.raw.get(&self.modules, &self.checked, code))
    }

    /// Launches a kernel of a user's code with one structure of words.
    ///
    /// # Safety
    /// The words are what the kernel takes, about memory that the caller holds and that is given back in the order of the
    /// stream.
    pub(crate) unsafe fn raw_launch(
        &self,
        op: &'static str,
        launch: &KernelLaunch,
        arguments: &Arguments,
    ) -> Result<()> {
        self.noted(
            || graph::launch(op, launch, arguments),
            // SAFETY: the function stays loaded, and the caller's.
            || unsafe { self.submit_kernel(op, op, launch, arguments.as_slice()) },
        )
    }

    /// The same with these parameters.
    ///
    /// # Safety
    /// As above, with a value for each parameter, of its size.
    pub(crate) unsafe fn raw_launch_with(
        &self,
        op: &'static str,
        launch: &KernelLaunch,
        values: &[graph::Value<'_>],
    ) -> Result<()> {
        let place = |value: &graph::Value<'_>| match value {
            graph::Value::Bytes(bytes) => bytes.as_ptr(),
            graph::Value::Address(address) => std::ptr::from_ref(address).cast(),
        };
        let places: SmallVec<[*const u8; 8]> = values.iter().map(place).collect();
        self.noted(
            || graph::launch_with(op, launch, values),
            // SAFETY: the function stays loaded, and the caller's; the values outlive the call.
            || unsafe { self.submit_kernel_with(op, launch, &places) },
        )
    }

    /// Writes memory that the driver gave to a module, while no work is under way.
    pub(crate) fn write_address(&self, to: Address, bytes: &[u8]) -> Result<()> {
        graph::refuse(self, "set_global", "it waits for the device: set it before the graph")?;
        self.pool.wait(&self.checked, &self.streams)?;
        let stream_id = self.streams.current();
        // SAFETY: a variable of a loaded module, of that many bytes; nothing else uses it.
        unsafe { self.staging.upload(&self.checked, &self.streams, stream_id, to, bytes)? };
        // Work on other streams is not ordered after the copy.
        self.pool.wait(&self.checked, &self.streams)
    }

    /// Reads memory that the driver gave to a module, once no work is under way.
    pub(crate) fn read_address(&self, from: Address, bytes: &mut [u8]) -> Result<()> {
        graph::refuse(self, "global", refusals::READS)?;
        self.pool.wait(&self.checked, &self.streams)?;
        let stream_id = self.streams.current();
        // SAFETY: a variable of a loaded module, of that many bytes.
        unsafe { self.staging.download(&self.checked, &self.streams, stream_id, from, bytes) }
    }

    /// Whether a vendor's library is present; the first call starts it. If the device has no memory for it, caches are
    /// released and it is started again; if that does not help, own kernels do this task, and the next task tries
    /// again.
    pub(crate) fn starts(
        &self,
        op: &'static str,
        is_there: impl Fn() -> DriverResult<bool>,
    ) -> Result<bool> {
        match self.with_freed_memory(|| self.checked.call_beside(op, |_| is_there())) {
            Err(Error::OutOfMemory { .. }) => {
                tracing::debug!(op, "no memory for a library: own kernels take its place once");
                Ok(false)
            }
            answer => answer,
        }
    }

    /// Submits a call of a library to the thread's stream; `false` if the library does not take these matrices.
    pub(crate) fn library(&self, call: &LibraryCall) -> Result<bool> {
        if dry_run::is_active() {
            return Ok(true);
        }
        let (stream, op) = (self.stream(), call.op());
        let _span = debug_span!("library", device = self.driver().name(), op).entered();
        // SAFETY: the job that asks holds the matrices or rows, and the workspace until the stream is past it.
        let answer =
            self.with_freed_memory(|| self.checked.call(op, |_| unsafe { call.submit(stream) }))?;
        if graph::active(self) {
            graph::library(call.clone(), answer)?;
        }
        Ok(answer)
    }

    /// What workspace a library wants for a step; nothing where it does not take its sizes.
    pub(crate) fn solver_workspace(
        &self,
        solver: &dyn Solver,
        step: &SolverStep,
        dtype: DType,
    ) -> Result<Option<usize>> {
        let stream = self.stream();
        self.with_freed_memory(|| self.taken("linalg", |_| solver.workspace(step, dtype, stream)))
    }

    /// What workspace a library wants for a product of a sparse array; nothing where it does not take it.
    pub(crate) fn sparse_workspace(
        &self,
        sparse: &dyn Sparse,
        product: &Product,
    ) -> Result<Option<usize>> {
        let stream = self.stream();
        self.with_freed_memory(|| self.taken("matmul", |_| sparse.workspace(product, stream)))
    }

    /// What a library for direct solutions answers; nothing where it refuses.
    pub(crate) fn direct<T>(
        &self,
        call: impl Fn(&dyn Driver) -> DriverResult<T>,
    ) -> Result<Option<T>> {
        let _span = debug_span!("library", device = self.driver().name(), op = "splu").entered();
        self.with_freed_memory(|| self.taken("splu", &call))
    }

    /// What a library answers; nothing where it refuses.
    fn taken<T>(
        &self,
        op: &'static str,
        call: impl FnOnce(&dyn Driver) -> DriverResult<T>,
    ) -> Result<Option<T>> {
        match self.checked.attempt(op, call) {
            Ok(answer) => Ok(Some(answer)),
            // Too large for it, or too many.
            Err(DriverError::Call { .. }) => Ok(None),
            Err(error) => Err(self.checked.error(op, error)),
        }
    }

    /// Makes a library's plan, and says what workspace it wants; nothing where the library does not take it.
    pub(crate) fn plan(&self, dft: &dyn Dft, plan: &Plan) -> Result<Option<usize>> {
        self.with_freed_memory(|| self.taken("fft", |_| dft.workspace(plan)))
    }

    /// Sets bytes of memory that only the thread's stream uses.
    pub(crate) fn fill(&self, address: Address, byte: u8, bytes: usize) -> Result<()> {
        if dry_run::is_active() {
            return Ok(());
        }
        self.noted(
            || graph::fill(address, byte, bytes),
            || {
                let stream = self.stream();
                // SAFETY: the caller holds the memory, which is that long, and gives it back in the order of the stream.
                let fill =
                    |driver: &dyn Driver| unsafe { driver.fill(address, byte, bytes, stream) };
                self.checked.call("launch", fill)
            },
        )
    }

    /// Copies host bytes to the start of a piece of memory. A recording keeps them, and a replay begins with them.
    pub(crate) fn write(self: &Arc<Self>, memory: &GpuMemory, bytes: &[u8]) -> Result<()> {
        if dry_run::is_active() {
            return Ok(());
        }
        if graph::active(self) {
            let kept = graph::paused(|| {
                let kept = self.allocate(bytes.len())?;
                self.write(&kept, bytes).map(|()| kept)
            })?;
            graph::keep(&kept);
            return map::copy(self, &kept, memory, bytes.len());
        }
        self.begin(&[], &[memory], &[], None)?;
        let stream_id = self.streams.current();
        let _span = self.transfer("to_device", bytes.len());
        // SAFETY: the memory holds as many bytes (`Checked`, `check_bytes`), and the stream runs after all use of it.
        unsafe {
            self.staging.upload(&self.checked, &self.streams, stream_id, memory.address(), bytes)
        }
    }

    /// Copies from a piece of memory to the host; waits for the work that writes it and reports its deferred errors.
    pub(crate) fn read(&self, memory: &GpuMemory, offset: usize, bytes: &mut [u8]) -> Result<()> {
        if dry_run::is_active() {
            bytes.fill(0);
            return Ok(());
        }
        graph::refuse(self, "read", refusals::READS)?;
        let stream_id = self.streams.current();
        self.order(stream_id, &[memory], &[])?;
        let from = memory.address() + offset as u64;
        let span = self.transfer("to_host", bytes.len());
        // SAFETY: the memory holds as many bytes (`Checked`, `check_bytes`), and the stream runs after the write of it.
        unsafe { self.staging.download(&self.checked, &self.streams, stream_id, from, bytes)? };
        drop(span);
        self.report(stream_id, memory)
    }

    /// The span of a transfer.
    fn transfer(&self, direction: &'static str, bytes: usize) -> EnteredSpan {
        debug_span!("transfer", device = self.driver().name(), direction, bytes).entered()
    }

    /// Orders the thread's stream after the write of memory that it is about to read; the stream, and the deferred errors
    /// that the values may have.
    pub(crate) fn begin_read(&self, memory: &GpuMemory) -> Result<(StreamId, ErrorSet)> {
        graph::refuse(self, "read", refusals::READS)?;
        let stream_id = self.streams.current();
        self.order(stream_id, &[memory], &[])?;
        Ok((stream_id, memory.deferred().clone()))
    }

    /// Reports the deferred errors that the values of a piece of memory have; waits only if there may be some.
    pub(crate) fn report(&self, stream_id: StreamId, memory: &GpuMemory) -> Result<()> {
        self.checked.submit_backlog();
        if !self.deferred.any() {
            return Ok(());
        }
        let carried = memory.deferred().clone();
        self.report_carried(stream_id, &carried)
    }

    /// Reports deferred errors that values carry.
    pub(crate) fn report_carried(&self, stream_id: StreamId, carried: &ErrorSet) -> Result<()> {
        match carried {
            Some(carried) => {
                self.deferred.check(carried, |page, words| self.poll(stream_id, page, words))
            }
            None => Ok(()),
        }
    }

    /// Copies from memory of another device into memory that only the thread's stream uses. The copy runs there,
    /// after the work of the other device that writes `from` and before its work that uses that memory again.
    pub(crate) fn copy_from(
        &self,
        memory: &GpuMemory,
        from: &GpuMemory,
        offset: usize,
        bytes: usize,
    ) -> Result<()> {
        let there = from.runtime();
        for device in [self, there] {
            graph::refuse(device, "to_device", refusals::MOVES)?;
        }
        let (stream_id, stream_id_there) = (self.streams.current(), there.streams.current());
        there.order(stream_id_there, &[from], &[])?;
        self.begin(&[], &[memory], &[], None)?;
        // Deferred errors are in pages of the device they happened on; they are not copied.
        there.report(stream_id_there, from)?;
        if bytes == 0 {
            return Ok(());
        }
        let address = from.address() + offset as u64;
        let _span = self.transfer("from_peer", bytes);
        Self::order_after(
            &there.streams,
            &there.checked,
            stream_id_there,
            &self.checked,
            stream_id,
        )?;
        // SAFETY: both memories hold as many bytes (`Checked`, `check_bytes`) and are held by the caller; the stream
        // runs after all use of them, and the other device's after the copy.
        self.checked.call("to_device", |driver| unsafe {
            let peer = there.driver();
            driver.copy_from_peer(memory.address(), address, peer, bytes, stream_id.handle)
        })?;
        // If this fails, so does the whole: the source may then be used again before it is read, but what is read ends
        // in memory that no array gets (core drops it), and that memory is given back in the order of this stream.
        Self::order_after(&self.streams, &self.checked, stream_id, &there.checked, stream_id_there)
    }

    /// Makes a stream of one device wait for what a stream of another has now.
    fn order_after(
        streams: &Streams,
        checked: &CheckedDriver,
        first: StreamId,
        other: &CheckedDriver,
        then: StreamId,
    ) -> Result<()> {
        let event = streams.event(checked)?;
        let record = |driver: &dyn Driver| {
            // SAFETY: streams and events live as long as their devices, which outlive the memory that the callers hold;
            // no other thread has the event until it is kept again.
            unsafe { driver.record(event, first.handle) }
        };
        let wait = |driver: &dyn Driver| {
            // SAFETY: as above, and a wait means the record that stands when it is asked for.
            unsafe { driver.stream_waits(then.handle, event) }
        };
        let waits = checked.call("to_device", record).and_then(|()| other.call("to_device", wait));
        streams.keep(event);
        waits
    }

    /// Waits for all work of the device and reports what failed.
    pub(crate) fn synchronize(&self) -> Result<()> {
        if dry_run::is_active() {
            return Ok(());
        }
        graph::refuse(self, "synchronize", refusals::WAITS)?;
        let pending = self.deferred.pending();
        self.wait()?;
        self.owners.sweep(&self.checked, &self.streams);
        let stream_id = self.streams.current();
        self.deferred.check_all(pending, |page, words| self.poll(stream_id, page, words))
    }

    /// Error words for a launch that may fail: its kernels write something other than zeros, of which `explain`
    /// makes the error. The deferred error has to live until all of them are launched.
    pub(crate) fn deferred(
        &self,
        explain: impl Fn(&ErrorWords) -> Error + Send + Sync + 'static,
    ) -> Result<DeferredError> {
        self.deferred_as(Arc::new(explain))
    }

    /// The same for a launch that a dry run may ask for: then there are none.
    pub(crate) fn deferred_if_launched(
        &self,
        explain: impl Fn(&ErrorWords) -> Error + Send + Sync + 'static,
    ) -> Result<Option<DeferredError>> {
        match dry_run::is_active() {
            true => Ok(None),
            false => self.deferred(explain).map(Some),
        }
    }

    /// The same with a shared explanation.
    pub(crate) fn deferred_as(&self, explain: Arc<Explain>) -> Result<DeferredError> {
        let stream_id = self.streams.current();
        if self.deferred.crowded() {
            let pending = self.deferred.pending();
            self.pool.wait(&self.checked, &self.streams)?;
            self.deferred.resolve_all(pending, |page, words| self.poll(stream_id, page, words))?;
        }
        self.with_freed_memory(|| self.deferred.make_place(&self.checked, stream_id))?;
        let deferred = self.deferred.create(&self.checked, stream_id, explain.clone())?;
        if graph::active(self) {
            graph::deferred(deferred.address(), size_of::<ErrorWords>(), &explain);
        }
        Ok(deferred)
    }

    /// Before a launch: orders the thread's stream after the use of these memories on other streams, and passes the
    /// deferred errors of what is read, and the launch's own, on to what is written. They count in the order of
    /// `reads`; the launch's own comes last. `made_of` and whose the launch's own deferred error is are as in
    /// [`Launch`](ndany_core::backend::Launch).
    pub(crate) fn begin(
        &self,
        reads: &[&GpuMemory],
        writes: &[&GpuMemory],
        made_of: &[SmallVec<[u16; 8]>],
        deferred: Option<&DeferredError>,
    ) -> Result<()> {
        if graph::active(self) {
            graph::begun(reads, writes, made_of, deferred.map(DeferredError::address))?;
        }
        let stream_id = self.streams.current();
        self.order(stream_id, reads, writes)?;
        if self.deferred.any() {
            self.inherit(stream_id, reads, writes, made_of, deferred)?;
        }
        Ok(())
    }

    /// Checks that this thread is in a dry run: its memory has no bytes, so nothing else may use it.
    #[cold]
    fn expect_dry_run() -> Result<()> {
        if dry_run::is_active() {
            return Ok(());
        }
        let reason = "an array of a dry run has no elements: it may not leave the function that is called on stand-ins";
        Err(Error::Unsupported { op: "launch".to_string(), reason: reason.to_string() })
    }

    pub(crate) fn order(
        &self,
        stream_id: StreamId,
        reads: &[&GpuMemory],
        writes: &[&GpuMemory],
    ) -> Result<()> {
        let own = |memory: &&GpuMemory| std::ptr::eq(memory.runtime(), self);
        let all = || reads.iter().chain(writes);
        assert!(all().all(own), "memory of another device");
        if all().any(|memory| memory.is_of_dry_run()) {
            Runtime::expect_dry_run()?;
        }
        if !self.streams.several() {
            return Ok(());
        }
        let before_reads = reads.iter().fold(0, |set, memory| set | memory.before_read(stream_id));
        let before =
            writes.iter().fold(before_reads, |set, memory| set | memory.before_write(stream_id));
        self.streams.order(&self.checked, stream_id, before)?;
        reads.iter().for_each(|memory| memory.read_in(stream_id));
        writes.iter().for_each(|memory| memory.written_in(stream_id));
        Ok(())
    }

    fn inherit(
        &self,
        stream_id: StreamId,
        reads: &[&GpuMemory],
        writes: &[&GpuMemory],
        made_of: &[SmallVec<[u16; 8]>],
        deferred: Option<&DeferredError>,
    ) -> Result<()> {
        type Sets = SmallVec<[ErrorSet; 4]>;
        let poll = |page, words: &mut _| self.poll(stream_id, page, words);
        let carried: Sets = reads.iter().map(|memory| memory.deferred().clone()).collect();
        if let [first, others @ ..] = made_of {
            // Outputs are made of different inputs, and those after the first are written whole: what their memory
            // carried goes.
            let of = |inputs: &[u16], own: ErrorSet, deferred| {
                let of_inputs = inputs.iter().map(|&input| &carried[usize::from(input)]);
                self.deferred.inherit([&own].into_iter().chain(of_inputs).flatten(), deferred, poll)
            };
            let own = self.before(reads, writes[0]);
            let sets: SmallVec<[Result<ErrorSet>; 8]> = [of(first, own, deferred)]
                .into_iter()
                .chain(others.iter().map(|inputs| of(inputs, None, None)))
                .collect();
            for (memory, set) in writes.iter().zip(sets) {
                *memory.deferred() = set?;
            }
            return Ok(());
        }
        let common = self.deferred.inherit(carried.iter().flatten(), deferred, poll)?;
        for memory in writes {
            let set = match self.before(reads, memory) {
                // What is written in part keeps what it had.
                Some(own) => self.deferred.inherit(
                    [&own].into_iter().chain(carried.iter().flatten()),
                    deferred,
                    poll,
                )?,
                None => common.clone(),
            };
            *memory.deferred() = set;
        }
        Ok(())
    }

    /// The deferred errors that written memory carries already, unless the launch reads it: then they count where it is
    /// read.
    fn before(&self, reads: &[&GpuMemory], memory: &GpuMemory) -> ErrorSet {
        match reads.iter().any(|read| std::ptr::eq(*read, memory)) {
            true => None,
            false => memory.deferred().clone(),
        }
    }

    /// Copies a page of error words.
    fn poll(&self, stream_id: StreamId, page: Address, words: &mut [u8; PAGE_BYTES]) -> Result<()> {
        // SAFETY: a page has `PAGE_BYTES` bytes and lives as long as the device.
        unsafe { self.staging.download(&self.checked, &self.streams, stream_id, page, words) }
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // All arrays are gone, but their work may not be done. A wait that fails is tried once more: what cannot be
        // waited for cannot be given back.
        let wait = || self.streams.wait_for_all(&self.checked, "close");
        if let Err(error) = wait().or_else(|_| wait()) {
            tracing::debug!(%error, "a device's memory is not given back");
            self.owners.close(&self.checked, &self.streams, false);
            return;
        }
        self.owners.close(&self.checked, &self.streams, true);
        self.managed.close(&self.checked, &self.streams);
        self.pool.close(&self.checked, &self.streams);
        self.staging.close(&self.checked, &self.streams);
        self.deferred.close(&self.checked);
        self.modules.close(&self.checked);
        self.streams.close(&self.checked);
    }
}

#[cfg(test)]
mod tests;
