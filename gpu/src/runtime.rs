//! One open device: everything that the patterns need, in one place.

use std::any::Any;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use ndany_core::{Error, Result};
use ndany_kernels::Kernel;

use crate::blas::{Blas, Gemm};
use crate::driver::{Address, Call, CompileError, Compiler, Driver, Function, Stream};
use crate::fault::{Fault, FaultWords};
use crate::link::Link;
use crate::memory::{GpuMemory, Scratch};

/// Functions by the hash of their kernel.
type Functions = HashMap<u64, Vec<(Box<dyn Any + Send + Sync>, Function)>>;

/// One open device.
#[derive(Debug)]
pub(crate) struct Runtime<D: Driver> {
    link: Link<D>,
    compiler: Result<Box<dyn Compiler>, CompileError>,
    stream: Stream,
    functions: Mutex<Functions>,
    hasher: RandomState,
    poison: bool,
}

impl<D: Driver> Runtime<D> {
    /// Prepares an opened device. Without a compiler it runs what the cache on disk holds.
    pub(crate) fn new(
        driver: D,
        compiler: Result<Box<dyn Compiler>, CompileError>,
    ) -> Result<Arc<Self>> {
        let link = Link::new(driver);
        let stream = link.call("open", |driver| driver.create_stream())?;
        let poison = std::env::var_os("NDANY_POISON").is_some();
        let (functions, hasher) = Default::default();
        Ok(Arc::new(Self { link, compiler, stream, functions, hasher, poison }))
    }

    /// The vendor's driver, for what the runtime does not do.
    pub(crate) fn driver(&self) -> &D {
        self.link.driver()
    }

    /// The calling thread's current stream on this device.
    pub(crate) fn stream(&self) -> Stream {
        self.stream
    }

    /// Memory of an array, of at least one byte, aligned to 256, not initialized.
    pub(crate) fn allocate(self: &Arc<Self>, bytes: usize) -> Result<Arc<GpuMemory<D>>> {
        let address = match self.driver().allocate(bytes.max(1)) {
            Ok(address) => address,
            Err(error) => return Err(self.link.error("allocate", error)),
        };
        let memory = Arc::new(GpuMemory::new(self.clone(), address, bytes));
        if self.poison {
            // SAFETY: the memory is as long as it says and nobody else knows it yet.
            self.link.call("allocate", |driver| unsafe {
                driver.fill(address, 0xFF, bytes.max(1), self.stream())
            })?;
        }
        Ok(memory)
    }

    /// Memory of launches on the thread's stream: given back in the order of the stream when dropped.
    pub(crate) fn scratch(self: &Arc<Self>, bytes: usize) -> Result<Scratch<D>> {
        self.allocate(bytes).map(Scratch::new)
    }

    pub(crate) fn give_back(&self, address: Address) {
        // SAFETY: the address came from `allocate`, is dropped once, and nothing of it is under way after the wait.
        self.link.quietly(|driver| unsafe {
            driver.wait_for_stream(self.stream)?;
            driver.free(address)
        });
    }

    /// Compiles (or finds) the kernel and launches it on the thread's stream with these argument words.
    pub(crate) fn launch<K: Kernel>(
        &self,
        kernel: &K,
        grid: [u32; 2],
        block: u32,
        words: &[u64],
    ) -> Result<()> {
        let function = self.function(kernel)?;
        let call = Call { function, grid, block, shared: 0, stream: self.stream() };
        // SAFETY: the function is loaded for good; the caller wrote the words as the kernel's text asks, about
        // memory that it holds and that is given back in the order of the stream.
        self.link.call("launch", |driver| unsafe { driver.launch(&call, words) })
    }

    /// Puts a product of matrices behind what the thread's stream has.
    pub(crate) fn product(&self, blas: &dyn Blas, gemm: &Gemm) -> Result<()> {
        // SAFETY: the job that asks holds the matrices, and the workspace until the stream is past it.
        self.link.call("matmul", |_| unsafe { blas.gemm(gemm, self.stream()) })
    }

    fn function<K: Kernel>(&self, kernel: &K) -> Result<Function> {
        let hash = self.hasher.hash_one((std::any::TypeId::of::<K>(), kernel));
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        let same = functions.entry(hash).or_default();
        for (known, function) in same.iter() {
            if known.downcast_ref::<K>() == Some(kernel) {
                return Ok(*function);
            }
        }
        let failed = |error: &CompileError| Error::Device {
            op: "compile",
            device: self.driver().name().to_string(),
            reason: error.to_string(),
        };
        let source = kernel.source(&D::DIALECT);
        let compiler = self.compiler.as_ref().map_err(failed)?;
        let architecture = &self.driver().properties().architecture;
        let image = compiler.compile(&source.text, architecture).map_err(|error| failed(&error))?;
        let module = self.link.call("load", |driver| driver.load(&image))?;
        // SAFETY: the module is loaded for good.
        let function =
            self.link.call("load", |driver| unsafe { driver.function(module, source.entry) })?;
        same.push((Box::new(kernel.clone()), function));
        Ok(function)
    }

    /// Sets bytes of memory that only the thread's stream uses.
    pub(crate) fn fill(&self, address: Address, byte: u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller holds the memory, which is that long, and gives it back in the order of the stream.
        self.link
            .call("launch", |driver| unsafe { driver.fill(address, byte, bytes, self.stream()) })
    }

    /// Copies host bytes to the start of a piece of memory.
    pub(crate) fn write(&self, memory: &GpuMemory<D>, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let stream = self.stream();
        // SAFETY: the memory holds as many bytes (core's promise) and lives until the wait is over.
        self.link.call("write", |driver| unsafe {
            driver.upload(memory.address(), bytes.as_ptr(), bytes.len(), stream)?;
            driver.wait_for_stream(stream)
        })
    }

    /// Copies from a piece of memory to the host; waits for the work that writes it and reports its faults.
    pub(crate) fn read(
        &self,
        memory: &GpuMemory<D>,
        offset: usize,
        bytes: &mut [u8],
    ) -> Result<()> {
        self.download(memory.address() + offset as u64, bytes)?;
        let faults = memory.faults.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for fault in faults {
            let mut bytes = [0; size_of::<FaultWords>()];
            self.download(fault.address(), &mut bytes)?;
            let mut words = FaultWords::default();
            for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_ne_bytes(*bytes);
            }
            if words != FaultWords::default() {
                return Err(fault.explain(&words));
            }
        }
        Ok(())
    }

    fn download(&self, from: Address, bytes: &mut [u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let stream = self.stream();
        // SAFETY: the memory holds as many bytes (core's promise) and lives until the wait is over.
        self.link.call("read", |driver| unsafe {
            driver.download(bytes.as_mut_ptr(), from, bytes.len(), stream)?;
            driver.wait_for_stream(stream)
        })
    }

    /// Waits for all work of the device and reports what failed.
    pub(crate) fn synchronize(&self) -> Result<()> {
        // SAFETY: the stream lives as long as the runtime.
        self.link.call("synchronize", |driver| unsafe { driver.wait_for_stream(self.stream) })
    }

    /// Error words for a launch that may fail: its kernels write something other than zeros, of which `explain`
    /// makes the error.
    pub(crate) fn fault(
        &self,
        explain: impl Fn(&FaultWords) -> Error + Send + Sync + 'static,
    ) -> Result<Fault> {
        let address =
            self.link.call("launch", |driver| driver.allocate(size_of::<FaultWords>()))?;
        // SAFETY: the memory is as long and nobody else knows it yet.
        self.link.call("launch", |driver| unsafe {
            driver.fill(address, 0, size_of::<FaultWords>(), self.stream())
        })?;
        Ok(Fault::new(address, explain))
    }

    /// Before a launch: orders the thread's stream behind the use of these memories on other streams, and hands the
    /// pending faults of what is read, and the launch's own, on to what is written.
    pub(crate) fn begin(
        &self,
        reads: &[&GpuMemory<D>],
        writes: &[&GpuMemory<D>],
        fault: Option<&Fault>,
    ) -> Result<()> {
        let mut faults: Vec<Fault> = fault.into_iter().cloned().collect();
        for memory in reads {
            faults.extend(
                memory.faults.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned(),
            );
        }
        for memory in writes {
            let mut known = memory.faults.lock().unwrap_or_else(PoisonError::into_inner);
            known.extend(faults.iter().cloned());
        }
        Ok(())
    }
}
