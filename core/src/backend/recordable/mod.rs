//! Recordings of devices whose calls return when their work is done.
//!
//! A request is done, then kept as a closure that makes it again on other memories. Memory is numbered: that of the recording is
//! taken anew in each replay when it is first used, and given back after its last use.
//!
//! - `recorder`: the recording of a thread, and its replays
//! - `requests`: a request of each kind, done and kept

mod recorder;
mod requests;

use std::sync::Arc;

use super::*;
use recorder::Places;

/// A device whose calls return when their work is done, with recordings.
///
/// Outside of recordings a call is that of the device, after one look at a word of the thread.
#[derive(Debug)]
pub struct Recordable<B> {
    device: Arc<B>,
}

impl<B: Backend + 'static> Recordable<B> {
    /// The device, which records what threads ask of it.
    pub fn new(device: B) -> Self {
        Self { device: Arc::new(device) }
    }

    /// Whether the calling thread records.
    #[inline]
    fn records(&self) -> bool {
        recorder::device().cast() == Arc::as_ptr(&self.device)
    }

    /// Returns the error of what a replay cannot do, if the thread records.
    #[inline]
    fn refuse(&self, op: &'static str, reason: &'static str) -> Result<()> {
        if self.records() { Err(not_capturable(op, reason)) } else { Ok(()) }
    }

    /// Does a request and keeps it.
    fn keep<R: requests::Kept>(
        &self,
        request: &R,
        done: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let step = recorder::step(|places: &mut Places<'_>| request.keep(places))?;
        done()?;
        recorder::push(step);
        Ok(())
    }
}

/// Forwards a request to the device, and keeps it where the thread records.
macro_rules! forward {
    ($($name:ident: $request:ty;)*) => {
        $(
            #[inline]
            fn $name(&self, request: Checked<&$request>) -> Result<()> {
                match self.records() {
                    false => self.device.$name(request),
                    true => self.keep(&**request, || self.device.$name(request)),
                }
            }
        )*
    };
}

impl<B: Backend + 'static> Backend for Recordable<B> {
    fn name(&self) -> String {
        self.device.name()
    }

    fn description(&self) -> String {
        self.device.description()
    }

    #[inline]
    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>> {
        let memory = self.device.allocate(bytes)?;
        if self.records() {
            recorder::taken(&memory);
        }
        Ok(memory)
    }

    fn adopt(&self, dtype: DType, values: HostValues) -> Result<Arc<dyn Memory>, HostValues> {
        // They are written instead, so that each replay has them.
        if self.records() { Err(values) } else { self.device.adopt(dtype, values) }
    }

    fn foreign(&self, memory: ForeignMemory) -> Result<(Arc<dyn Memory>, usize)> {
        // It is memory from outside, which a graph holds.
        self.device.foreign(memory)
    }

    fn lend(
        &self,
        memory: &dyn Memory,
        stream: Option<&dyn Stream>,
        access: Access,
    ) -> Result<u64> {
        self.refuse("lend", refusals::LOANS)?;
        self.device.lend(memory, stream, access)
    }

    fn write(&self, memory: &dyn Memory, bytes: &[u8]) -> Result<()> {
        match self.records() {
            false => self.device.write(memory, bytes),
            true => {
                self.keep(&requests::Written { memory, bytes }, || self.device.write(memory, bytes))
            }
        }
    }

    fn read(&self, memory: &dyn Memory, offset: usize, bytes: &mut [u8]) -> Result<()> {
        self.refuse("read", refusals::READS)?;
        self.device.read(memory, offset, bytes)
    }

    fn copy_from(
        &self,
        memory: &dyn Memory,
        from: &dyn Memory,
        offset: usize,
        bytes: usize,
    ) -> Result<bool> {
        self.refuse("to_device", refusals::MOVES)?;
        self.device.copy_from(memory, from, offset, bytes)
    }

    fn synchronize(&self) -> Result<()> {
        self.refuse("synchronize", refusals::WAITS)?;
        self.device.synchronize()
    }

    fn pool(&self) -> Option<&dyn Pool> {
        self.device.pool()
    }

    fn control(&self) -> Option<&dyn Control> {
        self.device.control()
    }

    fn profile(&self) -> DeviceProfile {
        self.device.profile()
    }

    fn row_limit(&self) -> usize {
        self.device.row_limit()
    }

    fn partition_three_way(
        &self,
        partition: Checked<&PartitionThreeWay<'_>>,
    ) -> Result<Option<PartSizes>> {
        self.refuse("partition", refusals::SIZES)?;
        self.device.partition_three_way(partition)
    }

    fn linear_algebra(&self) -> Option<&dyn LinearAlgebra> {
        self.device.linear_algebra().map(|_| self as &dyn LinearAlgebra)
    }

    fn fourier(&self) -> Option<&dyn Fourier> {
        self.device.fourier().map(|_| self as &dyn Fourier)
    }

    fn raw(&self) -> Option<&dyn RawKernels> {
        self.device.raw()
    }

    fn simt(&self) -> Option<&dyn SimtKernels> {
        self.device.simt().map(|_| self as &dyn SimtKernels)
    }

    fn graphs(&self) -> Option<&dyn Graphs> {
        Some(self)
    }

    forward! {
        map: Map<'_, '_>;
        reduce: Reduce<'_, '_>;
        fused_rowwise: FusedRowwise<'_, '_>;
        scan: Scan<'_>;
        segmented_reduce: SegmentedReduce<'_>;
        fold_left: FoldLeft<'_>;
        sort: Sort<'_>;
        nth_element: NthElement<'_>;
        search: Search<'_>;
        matmul: Matmul<'_>;
        correlate: Correlate<'_>;
        gather: Gather<'_>;
        scatter: Scatter<'_>;
        select: Select<'_>;
    }
}

/// What a device is known to have, since its wrapper is only handed out where it has it.
fn has<T>(part: Option<T>) -> T {
    match part {
        Some(part) => part,
        None => unreachable!("the device has it"),
    }
}

impl<B: Backend + 'static> LinearAlgebra for Recordable<B> {
    fn can(&self, task: Factoring) -> bool {
        has(self.device.linear_algebra()).can(task)
    }

    fn factor(&self, factor: Checked<&Factor<'_>>) -> Result<()> {
        let done = || has(self.device.linear_algebra()).factor(factor);
        if self.records() { self.keep(&**factor, done) } else { done() }
    }
}

impl<B: Backend + 'static> Fourier for Recordable<B> {
    fn takes_rows_side_by_side(&self) -> bool {
        has(self.device.fourier()).takes_rows_side_by_side()
    }

    fn writes_rows_side_by_side(
        &self,
        kind: Transformation,
        part: DType,
        length: usize,
        rows: usize,
    ) -> bool {
        has(self.device.fourier()).writes_rows_side_by_side(kind, part, length, rows)
    }

    fn transform(&self, transform: Checked<&Transform<'_>>) -> Result<()> {
        let done = || has(self.device.fourier()).transform(transform);
        if self.records() { self.keep(&**transform, done) } else { done() }
    }
}

impl<B: Backend + 'static> SimtKernels for Recordable<B> {
    fn limits(&self) -> &LaunchLimits {
        has(self.device.simt()).limits()
    }

    fn launch(&self, launch: Checked<&SimtLaunch<'_>>) -> Result<()> {
        let done = || has(self.device.simt()).launch(launch);
        if self.records() { self.keep(&**launch, done) } else { done() }
    }
}

impl<B: Backend + 'static> Graphs for Recordable<B> {
    fn begin(&self) -> Result<()> {
        recorder::begin(Arc::as_ptr(&self.device).cast())
    }

    fn end(&self, interface: Interface) -> Result<Box<dyn Recorded>> {
        let device = self.device.clone();
        recorder::end(Arc::as_ptr(&self.device).cast(), device, interface)
    }

    fn cancel(&self) {
        recorder::cancel(Arc::as_ptr(&self.device).cast());
    }
}
