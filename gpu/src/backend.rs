//! The seam of core, over a driver.

use std::any::Any;
use std::sync::Arc;

use ndany_core::backend::{
    self, Access, Backend, Checked, Control, Correlate, DeviceProfile, EnteredSource, Factor,
    Factoring, FoldLeft, ForeignMemory, Fourier, FusedRowwise, Gather, Graphs, IPC_BYTES,
    LinearAlgebra, Map, Matmul, Memory, MemoryAdvice, MemoryHook, MemoryPlace, MemorySource,
    NthElement, Owner, PartSizes, PartitionThreeWay, Pool, PoolStatistics, RawKernels, Reduce,
    Scan, Scatter, Search, SegmentedReduce, Select, SharedMemory, SimtKernels, Sort, SortPairs,
    SparseProducts, Stream, Transform, Transformation, check_bytes, refusals,
};
use ndany_core::{DType, Result, dry_run};

use crate::blas::Blas;
use crate::dft::{Dft, Plan};
use crate::direct::DirectSolver;
use crate::driver::{CompileError, Compiler, Driver};
use crate::job::{self, Job};
use crate::memory::{GpuMemory, memory_of};
use crate::platform::Libraries;
use crate::runtime::Runtime;
use crate::settings::{Preference, Settings};
use crate::solver::Solver;
use crate::sparse::Sparse;
use crate::stream::GpuStream;
use crate::twiddles::TwiddleCache;
use crate::{
    correlate, factor, folds, fourier, gather_scatter, graph, map, matmul, nth_element,
    partition_three_way, products, rows, scan, search, select, sort,
};

/// The longest row that `fused_rowwise` keeps in shared memory: a longer one is better read by many groups.
const ROW_LIMIT: usize = 1 << 16;

/// A device of a GPU vendor.
#[derive(Debug)]
pub struct GpuBackend {
    pub(crate) runtime: Arc<Runtime>,
    blas: Option<Arc<dyn Blas>>,
    dft: Option<Arc<dyn Dft>>,
    solver: Option<Arc<dyn Solver>>,
    pub(crate) sparse: Option<Arc<dyn Sparse>>,
    pub(crate) direct: Option<Arc<dyn DirectSolver>>,
    tf32: bool,
    tables: Arc<TwiddleCache>,
    transforms: Preference,
    factorizations: Preference,
}

impl GpuBackend {
    /// A device with a driver and, if there is one, a compiler.
    ///
    /// # Errors
    /// The device lacks something that kernels need, or the driver creates no stream.
    pub fn new(
        driver: impl Driver,
        compiler: Result<Box<dyn Compiler>, CompileError>,
    ) -> Result<Self> {
        Self::with(Box::new(driver), compiler, Settings::from_environment())
    }

    /// The same, whatever the environment says.
    pub(crate) fn with(
        driver: Box<dyn Driver>,
        compiler: Result<Box<dyn Compiler>, CompileError>,
        settings: Settings,
    ) -> Result<Self> {
        let Settings { tf32, transforms, factorizations, .. } = settings;
        let runtime = Runtime::with(driver, compiler, settings)?;
        let tables = Arc::new(TwiddleCache::default());
        // Not the tables themselves: their memory holds the runtime.
        let weak = Arc::downgrade(&tables);
        runtime.add_reserve(move || weak.upgrade().is_some_and(|tables| tables.release()));
        Ok(Self {
            runtime,
            blas: None,
            dft: None,
            solver: None,
            sparse: None,
            direct: None,
            tf32,
            tables,
            transforms,
            factorizations,
        })
    }

    /// The same, with a vendor's library for products of matrices, if it turns out to be there.
    #[must_use]
    pub fn with_blas(self, blas: Box<dyn Blas>) -> Self {
        Self { blas: Some(Arc::from(blas)), ..self }
    }

    /// The same, with a vendor's library for Fourier transforms, if it turns out to be there.
    #[must_use]
    pub fn with_dft(self, dft: Box<dyn Dft>) -> Self {
        let dft: Arc<dyn Dft> = Arc::from(dft);
        let kept = dft.clone();
        self.runtime.add_reserve(move || kept.release());
        Self { dft: Some(dft), ..self }
    }

    /// The same, with a vendor's library for factorizations, if it turns out to be there.
    #[must_use]
    pub fn with_solver(self, solver: Box<dyn Solver>) -> Self {
        Self { solver: Some(Arc::from(solver)), ..self }
    }

    /// The same, with a vendor's library for products of sparse arrays, if it turns out to be there.
    #[must_use]
    pub fn with_sparse(self, sparse: Box<dyn Sparse>) -> Self {
        Self { sparse: Some(Arc::from(sparse)), ..self }
    }

    /// The same, with a vendor's library for factorizations of sparse arrays, if it turns out to be there.
    #[must_use]
    pub fn with_direct_solver(self, direct: Box<dyn DirectSolver>) -> Self {
        Self { direct: Some(Arc::from(direct)), ..self }
    }

    /// The same, with those libraries that there are.
    #[must_use]
    pub fn with_libraries(mut self, libraries: Libraries) -> Self {
        let Libraries { blas, dft, solver, sparse, direct } = libraries;
        if let Some(blas) = blas {
            self = self.with_blas(blas);
        }
        if let Some(dft) = dft {
            self = self.with_dft(dft);
        }
        if let Some(solver) = solver {
            self = self.with_solver(solver);
        }
        if let Some(sparse) = sparse {
            self = self.with_sparse(sparse);
        }
        match direct {
            Some(direct) => self.with_direct_solver(direct),
            None => self,
        }
    }
}

impl GpuBackend {
    pub(crate) fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }
}

impl Pool for GpuBackend {
    fn statistics(&self) -> PoolStatistics {
        self.runtime.pool_statistics()
    }

    fn free(&self) -> Result<usize> {
        self.runtime.free_memory()
    }

    fn set_limit(&self, bytes: Option<usize>) {
        self.runtime.limit_memory(bytes);
    }

    fn release(&self) -> Result<()> {
        self.runtime.release()
    }

    fn add_hook(&self, hook: MemoryHook) {
        self.runtime.add_memory_hook(hook);
    }

    fn remove_hook(&self, hook: &MemoryHook) {
        self.runtime.remove_memory_hook(hook);
    }

    fn enter(&self, source: MemorySource) -> Box<dyn EnteredSource> {
        Box::new(self.runtime.sources().enter(self.runtime.streams().device(), source))
    }

    fn prefetch(
        &self,
        memory: &dyn Memory,
        offset: usize,
        bytes: usize,
        place: MemoryPlace,
    ) -> Result<()> {
        check_bytes("prefetch", memory, offset, bytes)?;
        self.runtime.prefetch(memory_of(memory), offset, bytes, place)
    }

    fn is_host_accessible(&self, memory: &dyn Memory) -> bool {
        self.runtime.is_host_accessible(memory_of(memory))
    }

    fn advise(
        &self,
        memory: &dyn Memory,
        offset: usize,
        bytes: usize,
        advice: MemoryAdvice,
    ) -> Result<()> {
        check_bytes("advise", memory, offset, bytes)?;
        self.runtime.advise(memory_of(memory), offset, bytes, advice)
    }

    fn share(&self, address: u64) -> Result<SharedMemory> {
        self.runtime.allocation_for_others(address)
    }

    fn open(&self, handle: &[u8; IPC_BYTES]) -> Result<(u64, Owner)> {
        self.runtime.open_allocation(handle)
    }
}

impl GpuBackend {
    /// The library for transforms, if there is one. It is the faster one at every length that was measured
    /// (`benches/RESULTS.md`).
    fn dft(&self) -> Option<&Arc<dyn Dft>> {
        let library = self.dft.as_ref().filter(|_| self.transforms != Preference::Own);
        library.filter(|dft| dft.is_there())
    }
}

impl Fourier for GpuBackend {
    fn writes_rows_side_by_side(
        &self,
        kind: Transformation,
        part: DType,
        length: usize,
        rows: usize,
    ) -> bool {
        matches!(kind, Transformation::Forward | Transformation::Backward)
            && length <= fourier::LONGEST_ACROSS
            && self.dft().is_some_and(|dft| {
                let plan = Plan { kind, part, length, rows, across: true };
                matches!(self.runtime.plan(&**dft, &plan), Ok(Some(_)))
            })
    }

    fn transform(&self, transform: Checked<&Transform<'_>>) -> Result<()> {
        if dry_run::is_active() {
            // Tables that are kept would have no elements.
            return Ok(());
        }
        if let Some(dft) = self.dft()
            && fourier::by_library(&self.runtime, dft, &transform)?
        {
            return Ok(());
        }
        fourier::transform(&self.runtime, &self.tables, &transform)
    }
}

impl Backend for GpuBackend {
    fn name(&self) -> String {
        self.runtime.driver().name().to_string()
    }

    fn description(&self) -> String {
        let properties = self.runtime.driver().properties();
        format!(
            "{}, {}, {:.1} GiB, driver {}",
            properties.name,
            properties.architecture,
            properties.memory as f64 / f64::from(1 << 30),
            properties.driver_version
        )
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>> {
        Ok(self.runtime.allocate(bytes)?)
    }

    fn foreign(&self, memory: ForeignMemory) -> Result<(Arc<dyn Memory>, usize)> {
        let (memory, before) = self.runtime.foreign(memory);
        Ok((memory, before))
    }

    fn lend(
        &self,
        memory: &dyn Memory,
        stream: Option<&dyn Stream>,
        access: Access,
    ) -> Result<u64> {
        let Some(stream) = stream else { unreachable!("a device with streams is given one") };
        let stream_id = GpuStream::id_on(stream, &self.runtime);
        self.runtime.lend(memory_of(memory), stream_id, access)
    }

    fn write(&self, memory: &dyn Memory, bytes: &[u8]) -> Result<()> {
        check_bytes("write", memory, 0, bytes.len())?;
        self.runtime.write(memory_of(memory), bytes)
    }

    fn read(&self, memory: &dyn Memory, offset: usize, bytes: &mut [u8]) -> Result<()> {
        check_bytes("read", memory, offset, bytes.len())?;
        self.runtime.read(memory_of(memory), offset, bytes)
    }

    fn copy_from(
        &self,
        memory: &dyn Memory,
        from: &dyn Memory,
        offset: usize,
        bytes: usize,
    ) -> Result<bool> {
        // Another vendor's memory is out of reach.
        let there = (from as &dyn Any).downcast_ref::<GpuMemory>();
        let of_vendor = |there: &&GpuMemory| {
            let [driver, peer] = [self.runtime.driver(), there.runtime().driver()];
            (driver as &dyn Any).type_id() == (peer as &dyn Any).type_id()
        };
        let Some(there) = there.filter(of_vendor) else { return Ok(false) };
        check_bytes("copy", from, offset, bytes)?;
        check_bytes("copy", memory, 0, bytes)?;
        self.runtime.copy_from(memory_of(memory), there, offset, bytes)?;
        Ok(true)
    }

    fn synchronize(&self) -> Result<()> {
        self.runtime.synchronize()
    }

    fn pool(&self) -> Option<&dyn Pool> {
        Some(self)
    }

    fn control(&self) -> Option<&dyn Control> {
        Some(self)
    }

    fn compiles_ahead(&self) -> bool {
        self.runtime.compiles_ahead()
    }

    fn profile(&self) -> DeviceProfile {
        DeviceProfile::ASYNCHRONOUS
    }

    fn row_limit(&self) -> usize {
        ROW_LIMIT
    }

    fn map(&self, map: Checked<&Map<'_, '_>>) -> Result<()> {
        map::map(&Job::of_launch(&self.runtime, map.launch)?, map.launch)
    }

    fn reduce(&self, reduce: Checked<&Reduce<'_, '_>>) -> Result<()> {
        rows::rows(&Job::of_launch(&self.runtime, reduce.launch)?, reduce.launch, true)
    }

    fn fused_rowwise(&self, rows: Checked<&FusedRowwise<'_, '_>>) -> Result<()> {
        rows::rows(&Job::of_launch(&self.runtime, rows.launch)?, rows.launch, false)
    }

    fn scan(&self, scan: Checked<&Scan<'_>>) -> Result<()> {
        scan::scan(&Job::of_launch(&self.runtime, &scan.launch)?, &scan)
    }

    fn segmented_reduce(&self, reduce: Checked<&SegmentedReduce<'_>>) -> Result<()> {
        let launch = &reduce.launch;
        let size = launch.row_size();
        let failed = job::failed(launch.origin);
        let explain = move |words: &_| failed(folds::explain(words, size));
        let deferred = self.runtime.deferred_if_launched(explain)?;
        let offsets = [&reduce.starts, &reduce.ends].map(|place| place.memory);
        let reads = offsets.into_iter().chain(launch.inputs.iter().map(|place| place.memory));
        let writes = launch.outputs.iter().map(|place| place.memory);
        let job = Job::begin(&self.runtime, reads, writes, &[], deferred)?;
        folds::segmented_reduce(&job, &reduce)
    }

    fn fold_left(&self, fold_left: Checked<&FoldLeft<'_>>) -> Result<()> {
        folds::fold_left(&Job::of_launch(&self.runtime, &fold_left.launch)?, &fold_left)
    }

    fn sort(&self, sort: Checked<&Sort<'_>>) -> Result<()> {
        sort::sort(&self.runtime, &sort)
    }

    fn sort_pairs(&self, pairs: Checked<&SortPairs<'_>>) -> Result<bool> {
        sort::sort_pairs(&self.runtime, &pairs)?;
        Ok(true)
    }

    fn partition_three_way(
        &self,
        request: Checked<&PartitionThreeWay<'_>>,
    ) -> Result<Option<PartSizes>> {
        graph::refuse(&self.runtime, "partition", refusals::SIZES)?;
        partition_three_way::partition_three_way(&self.runtime, &request)
    }

    fn nth_element(&self, request: Checked<&NthElement<'_>>) -> Result<()> {
        nth_element::nth_element(&self.runtime, &request)
    }

    fn search(&self, search: Checked<&Search<'_>>) -> Result<()> {
        search::search(&self.runtime, &search)
    }

    fn matmul(&self, product: Checked<&Matmul<'_>>) -> Result<()> {
        let reads = [product.left.memory, product.right.memory];
        let job = Job::begin(&self.runtime, reads, [product.out.memory], &[], None)?;
        if let Some(blas) = &self.blas {
            let gemms = products::plan(&product, self.tf32);
            if !gemms.is_empty() && self.runtime.starts("matmul", || blas.is_there())? {
                return products::run(&job, blas, gemms);
            }
        }
        matmul::matmul(&job, &product)
    }

    fn correlate(&self, request: Checked<&Correlate<'_>>) -> Result<()> {
        correlate::correlate(&self.runtime, &request)
    }

    fn fourier(&self) -> Option<&dyn Fourier> {
        Some(self)
    }

    fn linear_algebra(&self) -> Option<&dyn LinearAlgebra> {
        Some(self)
    }

    fn sparse(&self) -> Option<&dyn SparseProducts> {
        self.sparse.as_ref().map(|_| self as &dyn SparseProducts)
    }

    fn direct_solver(&self) -> Option<&dyn backend::DirectSolver> {
        self.direct.as_ref().map(|_| self as &dyn backend::DirectSolver)
    }

    fn raw(&self) -> Option<&dyn RawKernels> {
        Some(self)
    }

    fn simt(&self) -> Option<&dyn SimtKernels> {
        Some(self)
    }

    fn graphs(&self) -> Option<&dyn Graphs> {
        Some(self)
    }

    fn gather(&self, gather: Checked<&Gather<'_>>) -> Result<()> {
        gather_scatter::gather(&self.runtime, &gather)
    }

    fn scatter(&self, scatter: Checked<&Scatter<'_>>) -> Result<()> {
        gather_scatter::scatter(&self.runtime, &scatter)
    }

    fn select(&self, request: Checked<&Select<'_>>) -> Result<()> {
        let source = request.source.as_ref().map(|place| place.memory);
        let reads = [Some(request.mask.memory), source].into_iter().flatten();
        let job = Job::begin(&self.runtime, reads, [request.out.memory], &[], None)?;
        select::select(&job, &request)
    }
}

impl LinearAlgebra for GpuBackend {
    fn can(&self, _: Factoring) -> bool {
        true
    }

    fn factor(&self, request: Checked<&Factor<'_>>) -> Result<()> {
        if dry_run::is_active() {
            // It reads whether it may go on.
            return Ok(());
        }
        let solver = self.solver.as_ref();
        factor::factor(&self.runtime, solver, self.factorizations, &request)
    }
}
