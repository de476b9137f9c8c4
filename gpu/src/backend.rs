//! The seam of core, over a driver.

use std::sync::Arc;

use ndany_core::backend::{
    Backend, Gather, Launch, Matmul, Memory, Recur, Scan, Scatter, Search, SegmentedReduce, Select,
    Sort,
};
use ndany_core::{Error, Result};

use crate::driver::{CompileError, Compiler, Driver};
use crate::job::Job;
use crate::memory::memory_of;
use crate::runtime::Runtime;
use crate::{map, moving, rows, scan, search, select, sort};

/// The longest row that `rows` keeps near: beyond, a row is better read by many teams.
const ROW_LIMIT: usize = 1 << 16;

/// A device of a GPU vendor.
#[derive(Debug)]
pub struct GpuBackend<D: Driver> {
    runtime: Arc<Runtime<D>>,
}

impl<D: Driver> GpuBackend<D> {
    /// A device with a driver and, if there is one, a compiler.
    ///
    /// # Errors
    /// The driver gives no stream or event.
    pub fn new(driver: D, compiler: Result<Box<dyn Compiler>, CompileError>) -> Result<Self> {
        Ok(Self { runtime: Runtime::new(driver, compiler)? })
    }
}

fn missing(op: &str) -> Error {
    Error::Unsupported { op: op.to_string(), reason: "not on this device yet".to_string() }
}

impl<D: Driver> Backend for GpuBackend<D> {
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

    fn write(&self, memory: &dyn Memory, bytes: &[u8]) -> Result<()> {
        self.runtime.write(memory_of(memory), bytes)
    }

    fn read(&self, memory: &dyn Memory, offset: usize, bytes: &mut [u8]) -> Result<()> {
        self.runtime.read(memory_of(memory), offset, bytes)
    }

    fn synchronize(&self) -> Result<()> {
        self.runtime.synchronize()
    }

    fn row_limit(&self) -> usize {
        ROW_LIMIT
    }

    fn map(&self, launch: &Launch<'_>) -> Result<()> {
        map::map(&Job::of_launch(&self.runtime, launch)?, launch)
    }

    fn reduce(&self, launch: &Launch<'_>) -> Result<()> {
        rows::rows(&Job::of_launch(&self.runtime, launch)?, launch, true)
    }

    fn rows(&self, launch: &Launch<'_>) -> Result<()> {
        rows::rows(&Job::of_launch(&self.runtime, launch)?, launch, false)
    }

    fn scan(&self, scan: &Scan<'_>) -> Result<()> {
        scan::scan(&Job::of_launch(&self.runtime, &scan.launch)?, scan)
    }

    fn segmented_reduce(&self, _reduce: &SegmentedReduce<'_>) -> Result<()> {
        Err(missing("segmented_reduce"))
    }

    fn recur(&self, _recur: &Recur<'_>) -> Result<()> {
        Err(missing("recur"))
    }

    fn sort(&self, sort: &Sort<'_>) -> Result<()> {
        sort::sort(&self.runtime, sort)
    }

    fn search(&self, search: &Search<'_>) -> Result<()> {
        search::search(&self.runtime, search)
    }

    fn matmul(&self, _product: &Matmul<'_>) -> Result<()> {
        Err(missing("matmul"))
    }

    fn gather(&self, gather: &Gather<'_>) -> Result<()> {
        moving::gather(&self.runtime, gather)
    }

    fn scatter(&self, scatter: &Scatter<'_>) -> Result<()> {
        moving::scatter(&self.runtime, scatter)
    }

    fn select(&self, wanted: &Select<'_>) -> Result<()> {
        let source = wanted.source.as_ref().map(|place| place.memory);
        let reads = [Some(wanted.mask.memory), source].into_iter().flatten();
        let job = Job::begin(&self.runtime, reads, [wanted.out.memory], &[], None)?;
        select::select(&job, wanted)
    }
}
