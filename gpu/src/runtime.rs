//! One open device: everything that the patterns need, in one place.
//!
//! This file says in which order things are done; how each is done stands in `pool`, `modules`, `staging`, `stream`
//! and `fault`. Locks are held inside those only, and never while one of them calls another.

use std::fmt;
use std::hash::Hasher;
use std::sync::{Arc, Mutex, PoisonError};

use ndany_core::{DType, Error, PoolStatistics, Result};
use ndany_kernels::cut::{self, Cut};
use smallvec::SmallVec;
use tracing::debug_span;
use tracing::span::EnteredSpan;

use crate::blas::{Blas, Gemm};
use crate::cache::Cache;
use crate::dft::{Dft, Plan};
use crate::driver::{
    Address, CompileError, Compiler, Driver, DriverError, DriverResult, KernelLaunch, Stream,
};
use crate::fault::{Fault, FaultSet, FaultWords, Faults, PAGE_BYTES};
use crate::link::Link;
use crate::memory::{GpuMemory, Scratch};
use crate::modules::{Modules, Request};
use crate::pool::{Piece, Pool};
use crate::settings::Settings;
use crate::solver::{Places, Solver, Step};
use crate::staging::Staging;
use crate::stream::{Lane, StreamSet, Streams};

/// Words of a launch: devices take 4 KiB.
const MOST_WORDS: usize = 512;

/// The pattern of a kernel, for spans: `map` of `ndany_kernels::map::Map`.
fn kernel_name<K>() -> &'static str {
    let path = std::any::type_name::<K>();
    let path = path.split('<').next_back().unwrap_or(path);
    path.trim_end_matches('>').rsplit("::").next().unwrap_or(path)
}

/// One open device.
#[derive(Debug)]
pub(crate) struct Runtime<D: Driver> {
    link: Link<D>,
    streams: Streams,
    pool: Pool,
    modules: Modules,
    staging: Staging,
    faults: Faults,
    poison: bool,
    reserves: Reserves,
    /// Maximum number of threads of a launch.
    max_threads: u64,
    /// Maximum number of blocks of a launch.
    max_blocks: u32,
}

/// Gives back what is kept for speed alone; `false` where nothing was kept.
type Reserve = Arc<dyn Fn() -> bool + Send + Sync>;

/// Memory of the device that others than the pool keep for later.
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

impl<D: Driver> Runtime<D> {
    /// Prepares an opened device. Without a compiler it runs what the cache on disk holds.
    pub(crate) fn with(
        driver: D,
        compiler: Result<Box<dyn Compiler>, CompileError>,
        settings: Settings,
    ) -> Result<Arc<Self>> {
        let capabilities = driver.properties().capabilities;
        capabilities.check().map_err(|error| Error::NoDevice {
            name: driver.name().to_string(),
            reason: error.to_string(),
        })?;
        let link = Link::new(driver);
        Ok(Arc::new(Self {
            streams: Streams::new(&link)?,
            pool: Pool::new(&settings),
            modules: Modules::new(compiler, Cache::new(settings.cache)),
            staging: Staging::new(),
            faults: Faults::default(),
            poison: settings.poison,
            reserves: Reserves::default(),
            max_threads: capabilities.max_threads.min(settings.launch_limit.unwrap_or(u64::MAX)),
            max_blocks: capabilities.max_blocks,
            link,
        }))
    }

    /// The vendor's driver, for what the runtime does not do.
    pub(crate) fn driver(&self) -> &D {
        self.link.driver()
    }

    pub(crate) fn link(&self) -> &Link<D> {
        &self.link
    }

    pub(crate) fn streams(&self) -> &Streams {
        &self.streams
    }

    /// The calling thread's current stream on this device.
    pub(crate) fn stream(&self) -> Stream {
        self.streams.current().handle
    }

    /// What the pool holds.
    pub(crate) fn pool_statistics(&self) -> PoolStatistics {
        self.pool.statistics()
    }

    /// Bytes that neither the pool nor anybody else holds, within the pool's limit.
    pub(crate) fn free_memory(&self) -> Result<usize> {
        self.link.call("memory", |driver| driver.memory())?;
        Ok(self.pool.memory(&self.link).free)
    }

    /// See [`Pool::set_limit`].
    pub(crate) fn limit_memory(&self, bytes: Option<usize>) {
        self.pool.set_limit(bytes);
    }

    /// Waits for the device and gives it back whatever memory nobody uses.
    pub(crate) fn release(&self) -> Result<()> {
        self.pool.wait(&self.link, &self.streams)?;
        self.pool.release(&self.link, &self.streams);
        Ok(())
    }

    /// Memory of an array, of at least one byte, aligned to 256, not initialized.
    pub(crate) fn allocate(self: &Arc<Self>, bytes: usize) -> Result<Arc<GpuMemory<D>>> {
        let (piece, lane) = self.take(bytes)?;
        let memory = GpuMemory::new(self.clone(), piece, lane);
        self.poison(memory.address(), bytes, lane)?;
        self.pad(memory.address(), bytes, lane)?;
        Ok(Arc::new(memory))
    }

    /// Memory of launches on the thread's stream: given back in the order of the stream when dropped.
    pub(crate) fn scratch(self: &Arc<Self>, bytes: usize) -> Result<Scratch<D>> {
        let (piece, lane) = self.take(bytes)?;
        let scratch = Scratch::new(self.clone(), piece, lane);
        self.poison(scratch.address(), bytes, lane)?;
        Ok(scratch)
    }

    fn take(&self, bytes: usize) -> Result<(Piece, Lane)> {
        let lane = self.streams.current();
        let take = || self.pool.take(&self.link, &self.streams, lane, bytes);
        let piece = match take() {
            Err(Error::OutOfMemory { .. }) if self.reserves.release() => take()?,
            taken => taken?,
        };
        Ok((piece, lane))
    }

    /// Adds what gives memory back that is kept for speed alone: it is asked when memory is short.
    pub(crate) fn add_reserve(&self, reserve: impl Fn() -> bool + Send + Sync + 'static) {
        self.reserves.add(Arc::new(reserve));
    }

    fn poison(&self, address: Address, bytes: usize, lane: Lane) -> Result<()> {
        if !self.poison {
            return Ok(());
        }
        // SAFETY: the memory is as long as it says and nobody else knows it yet.
        self.link.call("allocate", |driver| unsafe {
            driver.fill(address, 0xFF, bytes.max(1), lane.handle)
        })
    }

    /// Writes what an allocation of its own has behind the last byte, which is read with the word around that byte.
    fn pad(&self, address: Address, bytes: usize, lane: Lane) -> Result<()> {
        let padding = self.pool.padding(bytes);
        if padding == 0 {
            return Ok(());
        }
        // SAFETY: as above.
        self.link.call("allocate", |driver| unsafe {
            driver.fill(address + bytes as Address, 0, padding, lane.handle)
        })
    }

    /// Has the driver do something that takes memory of its own (machine code, stacks of threads, a library): if there
    /// is none, what the pool keeps for later is given back first.
    fn with_room<T>(&self, call: impl Fn() -> Result<T>) -> Result<T> {
        match call() {
            Err(Error::OutOfMemory { .. }) => {}
            other => return other,
        }
        tracing::debug!(device = self.driver().name(), "out of memory beside the pool");
        self.reserves.release();
        self.release()?;
        match call() {
            Err(Error::OutOfMemory { op, device, requested, .. }) => {
                let memory = Some(self.pool.memory(&self.link));
                Err(Error::OutOfMemory { op, device, requested, memory })
            }
            other => other,
        }
    }

    /// Takes memory back that work on these streams may still use.
    pub(crate) fn give_back(&self, piece: Piece, used_on: StreamSet) {
        self.pool.give(&self.link, &self.streams, piece, used_on);
    }

    /// Compiles (or finds) the kernel and launches it on the thread's stream with these argument words.
    pub(crate) fn launch<R: Request>(
        &self,
        kernel: &R,
        grid: u32,
        block: u32,
        words: &[u64],
    ) -> Result<()> {
        let most = (self.max_threads / u64::from(block)).clamp(1, u64::from(self.max_blocks));
        if u64::from(grid) > most {
            return self.launch_in_parts(kernel, grid, block, words, most);
        }
        self.launch_at_once(kernel, grid, block, words)
    }

    /// Launches a kernel part by part, of at most so many blocks each.
    #[cold]
    fn launch_in_parts<R: Request>(
        &self,
        kernel: &R,
        grid: u32,
        block: u32,
        words: &[u64],
        most: u64,
    ) -> Result<()> {
        let blocks = u64::from(grid);
        let mut own: SmallVec<[u64; 32]> = smallvec::smallvec![0; cut::WORDS];
        own.extend_from_slice(words);
        for first in (0..blocks).step_by(most as usize) {
            own[..cut::WORDS].copy_from_slice(&[first, blocks]);
            let part = (blocks - first).min(most) as u32;
            self.launch_at_once(&CutRequest(kernel), part, block, &own)?;
        }
        Ok(())
    }

    fn launch_at_once<R: Request>(
        &self,
        kernel: &R,
        grid: u32,
        block: u32,
        words: &[u64],
    ) -> Result<()> {
        if words.len() > MOST_WORDS {
            let reason =
                format!("a launch of {} words: at most {MOST_WORDS} are possible", words.len());
            return Err(Error::Unsupported { op: "launch".to_string(), reason });
        }
        let function = self.with_room(|| self.modules.function(&self.link, kernel))?;
        let _span = debug_span!(
            "kernel",
            device = self.driver().name(),
            kernel = kernel_name::<R::Kernel>(),
            grid,
            block
        )
        .entered();
        let launch = KernelLaunch { function, grid, block, stream: self.stream() };
        // SAFETY: the function stays loaded; the caller wrote the words as the kernel's text asks, about memory that
        // it holds and that is given back in the order of the stream.
        self.with_room(|| {
            self.link.call("launch", |driver| unsafe { driver.launch(&launch, words) })
        })
    }

    /// Is a vendor's library there? It starts at the first question. Where it finds no memory for that, what is kept for
    /// later is given back and it is asked again; where that does not help, own kernels do this task, and the library is
    /// asked again for the next.
    pub(crate) fn starts(
        &self,
        op: &'static str,
        is_there: impl Fn() -> DriverResult<bool>,
    ) -> Result<bool> {
        match self.with_room(|| self.link.call(op, |_| is_there())) {
            Err(Error::OutOfMemory { .. }) => {
                tracing::debug!(op, "no memory for a library: own kernels take its place once");
                Ok(false)
            }
            answer => answer,
        }
    }

    /// Puts a product of matrices behind what the thread's stream has.
    pub(crate) fn product(&self, blas: &dyn Blas, gemm: &Gemm) -> Result<()> {
        let _span = self.library_call("matmul");
        // SAFETY: the job that asks holds the matrices, and the workspace until the stream is past it.
        self.with_room(|| self.link.call("matmul", |_| unsafe { blas.gemm(gemm, self.stream()) }))
    }

    /// What workspace a library wants for a step; nothing where it does not take its sizes.
    pub(crate) fn solver_workspace(
        &self,
        solver: &dyn Solver,
        step: &Step,
        dtype: DType,
    ) -> Result<Option<usize>> {
        let stream = self.stream();
        self.with_room(|| self.taken("linalg", |_| solver.workspace(step, dtype, stream)))
    }

    /// Puts a step of a factorization by a library behind what the thread's stream has; `false` where the matrix is not
    /// for it.
    pub(crate) fn solve(
        &self,
        solver: &dyn Solver,
        step: &Step,
        dtype: DType,
        places: &Places,
        workspace: (Address, usize),
    ) -> Result<bool> {
        let (stream, _span) = (self.stream(), self.library_call("linalg"));
        // SAFETY: the job that asks holds the matrices and the workspace until the stream is past it.
        let call = |_: &D| unsafe { solver.run(step, dtype, places, workspace, stream) };
        self.with_room(|| self.link.call("linalg", call))
    }

    /// The span of a call of a vendor's library.
    fn library_call(&self, op: &'static str) -> EnteredSpan {
        debug_span!("library", device = self.driver().name(), op).entered()
    }

    /// What a library answers; nothing where it refuses.
    fn taken<T>(
        &self,
        op: &'static str,
        call: impl FnOnce(&D) -> DriverResult<T>,
    ) -> Result<Option<T>> {
        match self.link.attempt(op, call) {
            Ok(answer) => Ok(Some(answer)),
            // Too large for it, or too many.
            Err(DriverError::Call { .. }) => Ok(None),
            Err(error) => Err(self.link.error(op, error)),
        }
    }

    /// Makes a library's plan, and says what workspace it wants; nothing where the library does not take it.
    pub(crate) fn plan(&self, dft: &dyn Dft, plan: &Plan) -> Result<Option<usize>> {
        self.with_room(|| self.taken("fft", |_| dft.workspace(plan)))
    }

    /// Puts transforms by a library behind what the thread's stream has.
    pub(crate) fn transform(
        &self,
        dft: &dyn Dft,
        plan: &Plan,
        from: Address,
        to: Address,
        workspace: Address,
    ) -> Result<()> {
        let (stream, _span) = (self.stream(), self.library_call("fft"));
        // SAFETY: the job that asks holds the rows, and the workspace until the stream is past it.
        let call = |_: &D| unsafe { dft.transform(plan, from, to, workspace, stream) };
        self.with_room(|| self.link.call("fft", call))
    }

    /// Sets bytes of memory that only the thread's stream uses.
    pub(crate) fn fill(&self, address: Address, byte: u8, bytes: usize) -> Result<()> {
        let stream = self.stream();
        // SAFETY: the caller holds the memory, which is that long, and gives it back in the order of the stream.
        self.link.call("launch", |driver| unsafe { driver.fill(address, byte, bytes, stream) })
    }

    /// Copies host bytes to the start of a piece of memory.
    pub(crate) fn write(&self, memory: &GpuMemory<D>, bytes: &[u8]) -> Result<()> {
        self.begin(&[], &[memory], &[], None)?;
        let lane = self.streams.current();
        let _span = self.transfer("to_device", bytes.len());
        // SAFETY: the memory holds as many bytes (core's promise), and the stream runs behind all use of it.
        unsafe { self.staging.upload(&self.link, &self.streams, lane, memory.address(), bytes) }
    }

    /// Copies from a piece of memory to the host; waits for the work that writes it and reports its faults.
    pub(crate) fn read(
        &self,
        memory: &GpuMemory<D>,
        offset: usize,
        bytes: &mut [u8],
    ) -> Result<()> {
        let lane = self.streams.current();
        self.order(lane, &[memory], &[])?;
        let from = memory.address() + offset as u64;
        let span = self.transfer("to_host", bytes.len());
        // SAFETY: the memory holds as many bytes (core's promise), and the stream runs behind the write of it.
        unsafe { self.staging.download(&self.link, &self.streams, lane, from, bytes)? };
        drop(span);
        self.report(lane, memory)
    }

    /// The span of a transfer.
    fn transfer(&self, direction: &'static str, bytes: usize) -> EnteredSpan {
        debug_span!("transfer", device = self.driver().name(), direction, bytes).entered()
    }

    /// Reports the faults that the values of a piece of memory have; waits only if there may be some.
    fn report(&self, lane: Lane, memory: &GpuMemory<D>) -> Result<()> {
        if !self.faults.any() {
            return Ok(());
        }
        let carried = memory.faults().clone();
        match carried {
            Some(carried) => {
                self.faults.check(&carried, |page, words| self.look(lane, page, words))
            }
            None => Ok(()),
        }
    }

    /// Copies from memory of another device into memory that only the thread's stream uses. The copy runs there,
    /// behind the work of the other device that writes `from` and before its work that uses that memory again.
    pub(crate) fn copy_from(
        &self,
        memory: &GpuMemory<D>,
        from: &GpuMemory<D>,
        offset: usize,
        bytes: usize,
    ) -> Result<()> {
        let there = from.runtime();
        let (lane, lane_there) = (self.streams.current(), there.streams.current());
        there.order(lane_there, &[from], &[])?;
        self.begin(&[], &[memory], &[], None)?;
        // Faults stand in pages of the device they happened on; they do not travel.
        there.report(lane_there, from)?;
        if bytes == 0 {
            return Ok(());
        }
        let address = from.address() + offset as u64;
        let _span = self.transfer("from_peer", bytes);
        Self::behind(&there.streams, &there.link, lane_there, &self.link, lane)?;
        // SAFETY: both memories hold as many bytes (core's promise) and are held by the caller; the stream runs behind
        // all use of them, and the other device's behind the copy.
        self.link.call("to_device", |driver| unsafe {
            let peer = there.driver();
            driver.copy_from_peer(memory.address(), address, peer, bytes, lane.handle)
        })?;
        // If this fails, so does the whole: the source may then be used again before it is read, but what is read ends in
        // memory that no array gets (core drops it), and that memory is given back in the order of this stream.
        Self::behind(&self.streams, &self.link, lane, &there.link, lane_there)
    }

    /// Makes a stream of one device wait for what a stream of another has now.
    fn behind(
        streams: &Streams,
        link: &Link<D>,
        first: Lane,
        other: &Link<D>,
        then: Lane,
    ) -> Result<()> {
        let event = streams.event(link)?;
        let record = |driver: &D| {
            // SAFETY: streams and events live as long as their devices, which outlive the memory that the callers hold;
            // the event is nobody else's until it is kept again.
            unsafe { driver.record(event, first.handle) }
        };
        let wait = |driver: &D| {
            // SAFETY: as above, and a wait means the record that stands when it is asked for.
            unsafe { driver.stream_waits(then.handle, event) }
        };
        let waits = link.call("to_device", record).and_then(|()| other.call("to_device", wait));
        streams.keep(event);
        waits
    }

    /// Waits for all work of the device and reports what failed.
    pub(crate) fn synchronize(&self) -> Result<()> {
        let pending = self.faults.pending();
        self.pool.wait(&self.link, &self.streams)?;
        let lane = self.streams.current();
        self.faults.check_all(pending, |page, words| self.look(lane, page, words))
    }

    /// Error words for a launch that may fail: its kernels write something other than zeros, of which `explain`
    /// makes the error. The fault has to live until all of them are launched.
    pub(crate) fn fault(
        &self,
        explain: impl Fn(&FaultWords) -> Error + Send + Sync + 'static,
    ) -> Result<Fault> {
        let lane = self.streams.current();
        if self.faults.crowded() {
            let pending = self.faults.pending();
            self.pool.wait(&self.link, &self.streams)?;
            self.faults.settle_all(pending, |page, words| self.look(lane, page, words))?;
        }
        self.with_room(|| self.faults.make_place(&self.link, lane))?;
        self.faults.create(&self.link, lane, Box::new(explain))
    }

    /// Before a launch: orders the thread's stream behind the use of these memories on other streams, and hands the
    /// faults of what is read, and the launch's own, on to what is written. They count in the order of `reads`; the
    /// launch's own comes last. `made_of` and whose the launch's own fault is are as in
    /// [`Launch`](ndany_core::backend::Launch).
    pub(crate) fn begin(
        &self,
        reads: &[&GpuMemory<D>],
        writes: &[&GpuMemory<D>],
        made_of: &[SmallVec<[u16; 8]>],
        fault: Option<&Fault>,
    ) -> Result<()> {
        let lane = self.streams.current();
        self.order(lane, reads, writes)?;
        if self.faults.any() {
            self.inherit(lane, reads, writes, made_of, fault)?;
        }
        Ok(())
    }

    fn order(&self, lane: Lane, reads: &[&GpuMemory<D>], writes: &[&GpuMemory<D>]) -> Result<()> {
        if !self.streams.several() {
            return Ok(());
        }
        let before_reads = reads.iter().fold(0, |set, memory| set | memory.before_read(lane));
        let before =
            writes.iter().fold(before_reads, |set, memory| set | memory.before_write(lane));
        self.streams.order(&self.link, lane, before)?;
        reads.iter().for_each(|memory| memory.read_in(lane));
        writes.iter().for_each(|memory| memory.written_in(lane));
        Ok(())
    }

    fn inherit(
        &self,
        lane: Lane,
        reads: &[&GpuMemory<D>],
        writes: &[&GpuMemory<D>],
        made_of: &[SmallVec<[u16; 8]>],
        fault: Option<&Fault>,
    ) -> Result<()> {
        type Sets = SmallVec<[FaultSet; 4]>;
        let look = |page, words: &mut _| self.look(lane, page, words);
        let carried: Sets = reads.iter().map(|memory| memory.faults().clone()).collect();
        if let [first, others @ ..] = made_of {
            // Outputs are made of different inputs, and those after the first are written whole: what their memory
            // carried goes.
            let of = |inputs: &[u16], own: FaultSet, fault| {
                let behind = inputs.iter().map(|&input| &carried[usize::from(input)]);
                self.faults.inherit([&own].into_iter().chain(behind).flatten(), fault, look)
            };
            let own = self.before(reads, writes[0]);
            let sets: SmallVec<[Result<FaultSet>; 8]> = [of(first, own, fault)]
                .into_iter()
                .chain(others.iter().map(|inputs| of(inputs, None, None)))
                .collect();
            for (memory, set) in writes.iter().zip(sets) {
                *memory.faults() = set?;
            }
            return Ok(());
        }
        let common = self.faults.inherit(carried.iter().flatten(), fault, look)?;
        for memory in writes {
            let set = match self.before(reads, memory) {
                // What is written in part keeps what it had.
                Some(own) => self.faults.inherit(
                    [&own].into_iter().chain(carried.iter().flatten()),
                    fault,
                    look,
                )?,
                None => common.clone(),
            };
            *memory.faults() = set;
        }
        Ok(())
    }

    /// The faults that written memory carries already, unless the launch reads it: then they count where it is read.
    fn before(&self, reads: &[&GpuMemory<D>], memory: &GpuMemory<D>) -> FaultSet {
        match reads.iter().any(|read| std::ptr::eq(*read, memory)) {
            true => None,
            false => memory.faults().clone(),
        }
    }

    /// Copies a page of error words.
    fn look(&self, lane: Lane, page: Address, words: &mut [u8; PAGE_BYTES]) -> Result<()> {
        // SAFETY: a page has so many bytes, and is there as long as the device.
        unsafe { self.staging.download(&self.link, &self.streams, lane, page, words) }
    }
}

impl<D: Driver> Drop for Runtime<D> {
    fn drop(&mut self) {
        // All arrays are gone, but their work may not be done. A wait that fails is tried once more: what cannot be waited
        // for cannot be given back.
        let wait = || self.streams.wait_for_all(&self.link, "close");
        if let Err(error) = wait().or_else(|_| wait()) {
            tracing::debug!(%error, "a device's memory is not given back");
            return;
        }
        self.pool.close(&self.link, &self.streams);
        self.staging.close(&self.link, &self.streams);
        self.faults.close(&self.link);
        self.modules.close(&self.link);
        self.streams.close(&self.link);
    }
}

#[cfg(test)]
mod tests;
