//! The CPU backend of ndany: programs run in blocks that fit the L1 cache, threads share the blocks, and SIMD
//! loops are chosen once by the CPU's features. This is the default device.
//!
//! - `loops`: what one instruction does to a block, compiled for each CPU level
//! - `compiled`, `program_cache`: a compiled program; those that a thread keeps
//! - `interpreter`, `strided_cursor`: the registers of one thread; strided memory
//! - `map`, `reduce`, `fused_rowwise`, `scan`, `segments`, `fold_left`, `sort`, `matmul`, `correlate`, `gather`,
//!   `scatter`, `select`: the execution patterns of the backend trait; `strided_runs`: strided memory for those that move elements
//! - `complex_map`, `copies`, `complex_sum`, `count_true`, `compress`: fast paths that use no registers
//! - `memory`, `threads`: the resources of the device
//! - `fast_path_tests`: tests of the fast paths against the reference
//!
//! The results have the bits of [`ndany_reference`] at every level and with any number of threads, except
//! results of libraries: products, factorizations and transforms of floats.

mod accumulators;
mod batch;
mod compiled;
mod complex_map;
mod complex_sum;
#[cfg(target_arch = "x86_64")]
mod compress;
mod copies;
mod correlate;
mod count_true;
mod factor;
#[cfg(test)]
mod fast_path_tests;
mod fold_left;
mod fourier;
mod fused;
mod fused_rowwise;
mod gather;
mod gathered;
mod interpreter;
mod loops;
mod map;
mod masked;
mod matmul;
mod memory;
mod partition_three_way;
mod products;
mod program_cache;
mod reduce;
mod repeat;
mod scan;
mod scatter;
mod segments;
mod select;
mod simt;
mod sort;
#[cfg(test)]
mod strategy_tests;
mod strided_cursor;
mod strided_runs;
mod threads;
mod tiles;
mod transpose;

use std::fmt::Debug;
use std::sync::Arc;

use ndany_core::backend::{
    Access, Backend, Checked, Correlate, DeviceProfile, FoldLeft, ForeignMemory, Fourier,
    FusedRowwise, Gather, HostValues, LinearAlgebra, Map, Matmul, Memory, NthElement, PartSizes,
    PartitionThreeWay, Recordable, Reduce, Scan, Scatter, Search, SegmentedReduce, Select,
    SimtKernels, Sort, Stream, check_bytes,
};
use ndany_core::{DType, DeviceReport, Element, Error, Provider, Report, Result, dtype_table};

use loops::Level;
use memory::Pool;
use threads::Threads;

/// The provider of devices named `cpu`, or `cpu:threads=8,level=v3`.
pub const PROVIDER: Provider =
    Provider { name: "cpu", open, discover: || vec!["cpu".to_string()], report, ranges: None };

fn report() -> Report {
    let facts = vec![
        ("threads", default_threads().to_string()),
        ("level", Level::detect().name().to_string()),
    ];
    let device = DeviceReport { name: "cpu".to_string(), facts };
    Report { family: "cpu", devices: vec![device], libraries: Vec::new() }
}

fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn open(options: &str) -> Result<Arc<dyn Backend>> {
    let name = if options.is_empty() { "cpu".to_string() } else { format!("cpu:{options}") };
    let refused = |reason: String| Error::NoDevice { name: name.clone(), reason };
    let mut threads = default_threads();
    let mut level = Level::detect();
    for option in options.split(',').filter(|option| !option.is_empty()) {
        match option.split_once('=') {
            Some(("threads", count)) => {
                threads =
                    count.parse().ok().filter(|&count| (1..=1024).contains(&count)).ok_or_else(
                        || refused(format!("threads is a number from 1 to 1024, got {count:?}")),
                    )?;
            }
            Some(("level", wanted)) => {
                level = Level::named(wanted).ok_or_else(|| {
                    refused(format!(
                        "this CPU has level {}, not {wanted:?}; levels are v1, v3, v4",
                        level.name()
                    ))
                })?;
            }
            _ => {
                return Err(refused(format!(
                    "options are threads=N and level=v1|v3|v4, got {option:?}"
                )));
            }
        }
    }
    Ok(Arc::new(Recordable::new(Cpu::new(name, threads, level))))
}

/// Emits the strategy that a launch runs by, as a `tracing` event at level trace.
fn trace_strategy(pattern: &'static str, strategy: &dyn Debug) {
    tracing::trace!(target: "ndany_cpu::strategy", pattern, ?strategy);
}

/// The CPU as a device.
#[derive(Debug)]
struct Cpu {
    name: String,
    level: Level,
    threads: Threads,
    pool: Arc<Pool>,
    poison: bool,
    simt: simt::Kernels,
    /// Whether each thread has the buffers of the library of products.
    #[cfg(feature = "linalg")]
    prepared: std::sync::atomic::AtomicBool,
}

impl Cpu {
    fn new(name: String, threads: usize, level: Level) -> Self {
        let poison = std::env::var_os("NDANY_POISON").is_some();
        Self {
            name,
            level,
            threads: Threads::new(threads),
            pool: Arc::default(),
            poison,
            simt: simt::Kernels::default(),
            #[cfg(feature = "linalg")]
            prepared: std::sync::atomic::AtomicBool::new(false),
        }
    }
}

#[cfg(feature = "linalg")]
impl Cpu {
    /// Lets the library of products allocate its buffers for this thread.
    fn prepare(&self) -> Result<()> {
        ndany_linalg::prepare().map_err(|requested| Error::OutOfMemory {
            op: "allocate",
            device: self.name(),
            requested,
            memory: None,
        })
    }
}

impl Backend for Cpu {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn description(&self) -> String {
        format!("CPU, {} threads, level {}", self.threads.count(), self.level.name())
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>> {
        let memory = self.pool.take(bytes).ok_or_else(|| Error::OutOfMemory {
            op: "allocate",
            device: self.name(),
            requested: bytes,
            memory: None,
        })?;
        if self.poison {
            // SAFETY: the allocation has at least `bytes` bytes and no other owner.
            unsafe { std::ptr::write_bytes(memory.address(), 0xFF, bytes) };
        }
        Ok(Arc::new(memory))
    }

    fn adopt(&self, dtype: DType, values: HostValues) -> Result<Arc<dyn Memory>, HostValues> {
        fn of<T: Element>(values: HostValues) -> Result<Arc<dyn Memory>, HostValues> {
            let values = values.downcast::<Vec<T>>()?;
            match memory::HostMemory::adopt(*values) {
                Ok(memory) => Ok(Arc::new(memory)),
                Err(values) => Err(Box::new(values)),
            }
        }
        macro_rules! of_dtype {
            ($($name:ident $rust:ty, $text:literal, $size:literal, $kind:ident;)+) => {
                match dtype { $(DType::$name => of::<$rust>(values),)+ }
            };
        }
        dtype_table!(of_dtype)
    }

    fn foreign(&self, memory: ForeignMemory) -> Result<(Arc<dyn Memory>, usize)> {
        match memory::HostMemory::foreign(memory) {
            Some((memory, before)) => Ok((Arc::new(memory), before)),
            None => Err(Error::Arguments {
                op: "from_device".to_string(),
                reason: "expected the address of memory, got 0".to_string(),
            }),
        }
    }

    fn lend(&self, memory: &dyn Memory, _: Option<&dyn Stream>, _: Access) -> Result<u64> {
        // Every call has done its work when it returns.
        Ok(memory::address(memory).expose_provenance() as u64)
    }

    fn write(&self, memory: &dyn Memory, bytes: &[u8]) -> Result<()> {
        check_bytes("write", memory, 0, bytes.len())?;
        // SAFETY: the memory has as many bytes, and no other code uses it meanwhile (`Provider::open`).
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory::address(memory), bytes.len())
        };
        Ok(())
    }

    fn read(&self, memory: &dyn Memory, offset: usize, bytes: &mut [u8]) -> Result<()> {
        check_bytes("read", memory, offset, bytes.len())?;
        // SAFETY: the memory has these bytes, and nothing writes them meanwhile (`Provider::open`).
        unsafe {
            let start = memory::address(memory).add(offset);
            std::ptr::copy_nonoverlapping(start.cast_const(), bytes.as_mut_ptr(), bytes.len());
        }
        Ok(())
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn profile(&self) -> DeviceProfile {
        DeviceProfile::SYNCHRONOUS
    }

    fn simt(&self) -> Option<&dyn SimtKernels> {
        Some(self)
    }

    fn row_limit(&self) -> usize {
        fused_rowwise::ROW_LIMIT
    }

    fn map(&self, map: Checked<&Map<'_, '_>>) -> Result<()> {
        map::map(map.launch, self.level, &self.threads)
    }

    fn reduce(&self, reduce: Checked<&Reduce<'_, '_>>) -> Result<()> {
        reduce::reduce(reduce.launch, self.level, &self.threads)
    }

    fn fused_rowwise(&self, rows: Checked<&FusedRowwise<'_, '_>>) -> Result<()> {
        fused_rowwise::fused_rowwise(rows.launch, self.level, &self.threads)
    }

    fn scan(&self, scan: Checked<&Scan<'_>>) -> Result<()> {
        scan::scan(&scan, self.level, &self.threads)
    }

    fn segmented_reduce(&self, reduce: Checked<&SegmentedReduce<'_>>) -> Result<()> {
        segments::segmented_reduce(&reduce, self.level, &self.threads)
    }

    fn fold_left(&self, fold_left: Checked<&FoldLeft<'_>>) -> Result<()> {
        fold_left::fold_left(&fold_left, self.level, &self.threads)
    }

    fn sort(&self, sort: Checked<&Sort<'_>>) -> Result<()> {
        sort::sort(&sort, self.level, &self.threads)
    }

    fn partition_three_way(
        &self,
        partition: Checked<&PartitionThreeWay<'_>>,
    ) -> Result<Option<PartSizes>> {
        partition_three_way::partition_three_way(&partition, self.level, &self.threads)
    }

    fn nth_element(&self, nth_element: Checked<&NthElement<'_>>) -> Result<()> {
        partition_three_way::nth_element(&nth_element, self.level, &self.threads)
    }

    fn search(&self, search: Checked<&Search<'_>>) -> Result<()> {
        sort::search(&search, self.level, &self.threads)
    }

    fn matmul(&self, product: Checked<&Matmul<'_>>) -> Result<()> {
        matmul::matmul(&product, self)
    }

    fn correlate(&self, wanted: Checked<&Correlate<'_>>) -> Result<()> {
        correlate::correlate(&wanted, self.level, &self.threads)
    }

    fn linear_algebra(&self) -> Option<&dyn LinearAlgebra> {
        Some(self)
    }

    fn fourier(&self) -> Option<&dyn Fourier> {
        Some(self)
    }

    fn gather(&self, gather: Checked<&Gather<'_>>) -> Result<()> {
        gather::gather(&gather, &self.threads)
    }

    fn scatter(&self, scatter: Checked<&Scatter<'_>>) -> Result<()> {
        scatter::scatter(&scatter, self)
    }

    fn select(&self, select: Checked<&Select<'_>>) -> Result<()> {
        select::select(&select, self.level, &self.threads)
    }
}
