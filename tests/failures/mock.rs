//! A backend written outside the engine, around the reference: it counts what is alive, records what is
//! launched, poisons fresh memory, guards its end, and fails what it is told to fail.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ndany::{Device, Error, Result};
use ndany_core::backend::{
    Backend, Checked, Correlate, DeviceProfile, FoldLeft, FusedRowwise, Gather, Launch, Map,
    Matmul, Memory, NthElement, Reduce, Scan, Scatter, Search, SegmentedReduce, Select, Sort,
};
use ndany_reference::Reference;

/// Bytes after every piece of memory that must not be written.
const GUARD: [u8; 32] = [0xA5; 32];

/// What a device has done.
#[derive(Debug, Default)]
pub struct Log {
    live: AtomicUsize,
    allocations: AtomicUsize,
    overruns: AtomicUsize,
    /// Allocations that still succeed before one fails; `usize::MAX` for no failure.
    until_failure: AtomicUsize,
    panics: AtomicBool,
    launches: Mutex<Vec<Launched>>,
}

/// One launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    pub pattern: &'static str,
    pub outputs: usize,
    pub reductions: usize,
}

#[derive(Debug)]
struct Mock {
    inner: Reference,
    log: Arc<Log>,
    poison: u8,
    row_limit: usize,
}

#[derive(Debug)]
struct Counted {
    memory: Arc<dyn Memory>,
    bytes: usize,
    log: Arc<Log>,
}

impl Memory for Counted {
    fn bytes(&self) -> usize {
        self.bytes
    }

    /// The reference finds what it made.
    fn of_device(&self) -> &dyn Memory {
        self.memory.as_ref()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut guard = [0; GUARD.len()];
        let read = Reference::new().read(self.memory.as_ref(), self.bytes, &mut guard);
        if read.is_err() || guard != GUARD {
            self.log.overruns.fetch_add(1, Ordering::SeqCst);
        }
        self.log.live.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A mock device and what it does.
pub struct Mocked {
    pub device: Device,
    pub log: Arc<Log>,
}

/// A device whose fresh memory is full of `poison`.
pub fn poisoned(poison: u8) -> Mocked {
    with_row_limit(poison, usize::MAX)
}

/// A device that keeps rows of up to `row_limit` elements.
pub fn with_row_limit(poison: u8, row_limit: usize) -> Mocked {
    with_profile(poison, row_limit, DeviceProfile::SYNCHRONOUS)
}

/// The same, for which core chooses as for a device with this profile.
pub fn with_profile(poison: u8, row_limit: usize, profile: DeviceProfile) -> Mocked {
    let log = Arc::new(Log { until_failure: AtomicUsize::new(usize::MAX), ..Log::default() });
    let inner = Reference::with_profile(profile);
    let mock = Mock { inner, log: log.clone(), poison, row_limit };
    Mocked { device: Device::custom(Arc::new(mock)), log }
}

impl Log {
    /// Pieces of memory that are alive.
    pub fn live(&self) -> usize {
        self.live.load(Ordering::SeqCst)
    }

    /// Pieces of memory ever made.
    pub fn allocations(&self) -> usize {
        self.allocations.load(Ordering::SeqCst)
    }

    /// Pieces of memory that were written past their end.
    pub fn overruns(&self) -> usize {
        self.overruns.load(Ordering::SeqCst)
    }

    /// Lets `count` more allocations succeed and the one after them fail.
    pub fn fail_after(&self, count: usize) {
        self.until_failure.store(count, Ordering::SeqCst);
    }

    /// Whether the requested failure happened. Clears it if not.
    pub fn failed(&self) -> bool {
        self.until_failure.swap(usize::MAX, Ordering::SeqCst) == usize::MAX
    }

    /// Makes the next launch panic.
    pub fn panic_next(&self) {
        self.panics.store(true, Ordering::SeqCst);
    }

    /// The launches since the last call.
    pub fn launches(&self) -> Vec<Launched> {
        std::mem::take(&mut self.launches.lock().expect("no panic while it is held"))
    }

    /// The patterns of the launches since the last call.
    pub fn patterns(&self) -> Vec<&'static str> {
        self.launches().iter().map(|launched| launched.pattern).collect()
    }

    fn record_plain(&self, pattern: &'static str) {
        let launched = Launched { pattern, outputs: 1, reductions: 0 };
        self.launches.lock().expect("no panic while it is held").push(launched);
    }

    fn record(&self, pattern: &'static str, launch: &Launch<'_>) {
        let outputs = launch.outputs.len();
        let reductions = launch.program.reductions.len();
        let launched = Launched { pattern, outputs, reductions };
        self.launches.lock().expect("no panic while it is held").push(launched);
        assert!(!self.panics.swap(false, Ordering::SeqCst), "a panic that was asked for");
    }
}

impl Backend for Mock {
    fn name(&self) -> String {
        "mock".to_string()
    }

    fn description(&self) -> String {
        "mock: the reference, watched".to_string()
    }

    fn profile(&self) -> DeviceProfile {
        self.inner.profile()
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>> {
        let left = self.log.until_failure.load(Ordering::SeqCst);
        if left != usize::MAX {
            let next = left.checked_sub(1).unwrap_or(usize::MAX);
            self.log.until_failure.store(next, Ordering::SeqCst);
        }
        if left == 0 {
            let (op, device) = ("allocate", self.name());
            return Err(Error::OutOfMemory { op, device, requested: bytes, memory: None });
        }
        let memory = self.inner.allocate(bytes + GUARD.len())?;
        let fresh: Vec<u8> = std::iter::repeat_n(self.poison, bytes).chain(GUARD).collect();
        self.inner.write(memory.as_ref(), &fresh)?;
        self.log.live.fetch_add(1, Ordering::SeqCst);
        self.log.allocations.fetch_add(1, Ordering::SeqCst);
        Ok(Arc::new(Counted { memory, bytes, log: self.log.clone() }))
    }

    fn write(&self, memory: &dyn Memory, bytes: &[u8]) -> Result<()> {
        self.inner.write(memory, bytes)
    }

    fn read(&self, memory: &dyn Memory, offset: usize, bytes: &mut [u8]) -> Result<()> {
        self.inner.read(memory, offset, bytes)
    }

    fn synchronize(&self) -> Result<()> {
        self.inner.synchronize()
    }

    fn row_limit(&self) -> usize {
        self.row_limit
    }

    fn map(&self, map: Checked<&Map<'_, '_>>) -> Result<()> {
        let launch = map.launch;
        assert!(launch.row_axes == 0 && launch.program.reductions.is_empty(), "a map has no rows");
        self.log.record("map", launch);
        self.inner.map(map)
    }

    fn reduce(&self, reduce: Checked<&Reduce<'_, '_>>) -> Result<()> {
        let launch = reduce.launch;
        assert!(launch.row_axes > 0 && !launch.program.reductions.is_empty());
        self.log.record("reduce", launch);
        self.inner.reduce(reduce)
    }

    fn fused_rowwise(&self, rows: Checked<&FusedRowwise<'_, '_>>) -> Result<()> {
        let launch = rows.launch;
        assert!(launch.row_axes > 0 && !launch.program.reductions.is_empty());
        assert!(launch.row_size() <= self.row_limit, "rows are kept on chip");
        self.log.record("fused_rowwise", launch);
        self.inner.fused_rowwise(rows)
    }

    fn scan(&self, scan: Checked<&Scan<'_>>) -> Result<()> {
        let program = &scan.launch.program;
        assert!(program.reductions.len() == 1 && scan.launch.outputs.len() == 1);
        self.log.record("scan", &scan.launch);
        self.inner.scan(scan)
    }

    fn segmented_reduce(&self, reduce: Checked<&SegmentedReduce<'_>>) -> Result<()> {
        assert!(reduce.launch.row_axes == 1 && reduce.launch.program.reductions.len() == 1);
        self.log.record("segmented_reduce", &reduce.launch);
        self.inner.segmented_reduce(reduce)
    }

    fn fold_left(&self, fold_left: Checked<&FoldLeft<'_>>) -> Result<()> {
        let program = &fold_left.launch.program;
        assert!(program.reductions.len() == 1 && fold_left.launch.outputs.len() == 1);
        self.log.record("fold_left", &fold_left.launch);
        self.inner.fold_left(fold_left)
    }

    fn sort(&self, sort: Checked<&Sort<'_>>) -> Result<()> {
        self.log.record_plain("sort");
        self.inner.sort(sort)
    }

    fn nth_element(&self, nth_element: Checked<&NthElement<'_>>) -> Result<()> {
        assert!(nth_element.place < nth_element.length, "core has looked at places");
        self.log.record_plain("nth_element");
        self.inner.nth_element(nth_element)
    }

    fn search(&self, search: Checked<&Search<'_>>) -> Result<()> {
        self.log.record_plain("search");
        self.inner.search(search)
    }

    fn matmul(&self, product: Checked<&Matmul<'_>>) -> Result<()> {
        self.log.record_plain("matmul");
        self.inner.matmul(product)
    }

    fn correlate(&self, correlate: Checked<&Correlate<'_>>) -> Result<()> {
        assert!(correlate.before < correlate.taps && correlate.taps <= correlate.length);
        self.log.record_plain("correlate");
        self.inner.correlate(correlate)
    }

    fn gather(&self, gather: Checked<&Gather<'_>>) -> Result<()> {
        assert!(!gather.positions.is_empty(), "a copy is a map");
        self.log.record_plain("gather");
        self.inner.gather(gather)
    }

    fn scatter(&self, scatter: Checked<&Scatter<'_>>) -> Result<()> {
        assert!(!scatter.positions.is_empty(), "a copy is a map");
        self.log.record_plain("scatter");
        self.inner.scatter(scatter)
    }

    fn select(&self, select: Checked<&Select<'_>>) -> Result<()> {
        self.log.record_plain("select");
        self.inner.select(select)
    }
}
