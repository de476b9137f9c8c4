//! A device that runs nothing and remembers the kernels it was asked for, so that they can be compiled and read
//! without a GPU.
//!
//! All its memory reads as zeros, so programs whose course depends on values take the course of zeros. Deliberately
//! absent: values, times, deferred errors.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ndany_core::Result;
use ndany_core::backend::{Backend, LaunchLimits};
use ndany_kernels::Dialect;

use crate::GpuBackend;
use crate::driver::{
    Address, Capabilities, CompileError, CompileRequest, CompiledModule, Compiler, ControlDriver,
    Driver, DriverResult, Event, Function, FunctionAttribute, GraphDriver, KernelLaunch, Module,
    Properties, Stream,
};

use crate::settings::Settings;

/// Kernels by name and text, each once.
pub type Kernels = BTreeSet<(String, String)>;

/// A launch, as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    /// The kernel's name.
    pub entry: String,
    /// The text that it is in.
    pub text: Arc<str>,
    /// Blocks.
    pub grid: u32,
    /// Threads of a block.
    pub block: u32,
    /// The words of its parameter.
    pub words: Vec<u64>,
}

/// What a recording device was asked for.
#[derive(Clone, Debug, Default)]
pub struct Recording(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Texts of the modules loaded.
    modules: Vec<Arc<str>>,
    kernels: Kernels,
    /// Functions by their number: name and text.
    functions: Vec<(String, Arc<str>)>,
    launches: usize,
    /// Those not taken yet, unless launches are only counted.
    kept: Vec<Launched>,
    counts_only: bool,
    handles: u64,
    /// Sizes of page-locked memory by its address.
    host: BTreeMap<usize, usize>,
}

impl Recording {
    /// A device of an architecture, whose kernels are written in a dialect, and what it will be asked for.
    ///
    /// # Errors
    /// None that a real device would not have.
    pub fn device(
        architecture: &str,
        dialect: &'static Dialect,
    ) -> Result<(Arc<dyn Backend>, Recording)> {
        let recording = Recording::default();
        let properties = Properties {
            name: "recording".to_string(),
            architecture: architecture.to_string(),
            memory: 1 << 40,
            multiprocessors: 132,
            driver_version: "none".to_string(),
            capabilities: Capabilities {
                warp_size: dialect.warp_size,
                max_threads_per_block: 1024,
                max_blocks: i32::MAX as u32,
                // As AMD's.
                max_threads: if dialect.name == "hip" { u64::from(u32::MAX) } else { u64::MAX },
                float64: true,
                atomics64: true,
            },
            limits: LaunchLimits {
                grid: [i32::MAX as u32, 65_535, 65_535],
                block: [1024, 1024, 64],
                threads_per_block: 1024,
                threads: u64::MAX,
                shared: 227 << 10,
                shared_unasked: 48 << 10,
                constant: 64 << 10,
                multiprocessors: 132,
                cooperative: true,
            },
        };
        let driver = RecordingDriver { recording: recording.clone(), dialect, properties };
        // Nothing is kept on disk, nor taken from there.
        let backend =
            GpuBackend::with(Box::new(driver), Ok(Box::new(Verbatim)), Settings::default())?;
        Ok((Arc::new(backend), recording))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The kernels asked for until now.
    pub fn kernels(&self) -> Kernels {
        self.state().kernels.clone()
    }

    /// How many launches there were until now.
    pub fn launches(&self) -> usize {
        self.state().launches
    }

    /// The launches since the last call of this.
    pub fn take_launches(&self) -> Vec<Launched> {
        std::mem::take(&mut self.state().kept)
    }

    /// Keeps no launches from now on, so that a launch costs what it costs on a device and not what it costs to
    /// remember it.
    pub fn count_only(&self) {
        self.state().counts_only = true;
    }

    fn handle(&self) -> u64 {
        let mut state = self.state();
        state.handles += 1;
        state.handles
    }
}

/// Gives the text back as machine code.
#[derive(Debug)]
struct Verbatim;

impl Compiler for Verbatim {
    fn version(&self) -> String {
        "recording".to_string()
    }

    fn compile(&self, source: &str, _architecture: &str) -> Result<Vec<u8>, CompileError> {
        Ok(source.as_bytes().to_vec())
    }

    fn compile_with(
        &self,
        source: &str,
        architecture: &str,
        request: &CompileRequest<'_>,
    ) -> Result<CompiledModule, CompileError> {
        let image = self.compile(source, architecture)?;
        Ok(CompiledModule { image, names: request.expressions.to_vec() })
    }
}

#[derive(Debug)]
struct RecordingDriver {
    recording: Recording,
    dialect: &'static Dialect,
    properties: Properties,
}

impl ControlDriver for RecordingDriver {}

impl GraphDriver for RecordingDriver {}

impl Driver for RecordingDriver {
    fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    fn name(&self) -> &str {
        "recording"
    }

    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: usize) -> DriverResult<Address> {
        // Addresses of their own, as far apart as they are long.
        let mut state = self.recording.state();
        let address = (state.handles + 1) << 12;
        state.handles += bytes.div_ceil(1 << 12) as u64 + 1;
        Ok(address)
    }

    unsafe fn free(&self, _address: Address) -> DriverResult<()> {
        Ok(())
    }

    fn memory(&self) -> DriverResult<[usize; 2]> {
        Ok([self.properties.memory; 2])
    }

    fn allocate_host(&self, bytes: usize) -> DriverResult<*mut u8> {
        let Ok(layout) = Layout::from_size_align(bytes.max(1), 4096) else {
            return Err(crate::driver::DriverError::OutOfMemory { call: "allocate_host" });
        };
        // SAFETY: the layout is of at least one byte.
        let memory = unsafe { alloc_zeroed(layout) };
        if memory.is_null() {
            return Err(crate::driver::DriverError::OutOfMemory { call: "allocate_host" });
        }
        self.recording.state().host.insert(memory.addr(), layout.size());
        Ok(memory)
    }

    unsafe fn free_host(&self, memory: *mut u8) -> DriverResult<()> {
        let size = self.recording.state().host.remove(&memory.addr());
        if let Some(layout) = size.and_then(|size| Layout::from_size_align(size, 4096).ok()) {
            // SAFETY: it was allocated with this layout, and given back once, as its entry was there.
            unsafe { dealloc(memory, layout) };
        }
        Ok(())
    }

    unsafe fn upload(
        &self,
        _to: Address,
        _from: *const u8,
        _bytes: usize,
        _stream: Stream,
    ) -> DriverResult<()> {
        Ok(())
    }

    unsafe fn download(
        &self,
        to: *mut u8,
        _from: Address,
        bytes: usize,
        _stream: Stream,
    ) -> DriverResult<()> {
        // SAFETY: the caller gives as many bytes to write to.
        unsafe { to.write_bytes(0, bytes) };
        Ok(())
    }

    unsafe fn copy_from_peer(
        &self,
        _to: Address,
        _from: Address,
        _peer: &dyn Driver,
        _bytes: usize,
        _stream: Stream,
    ) -> DriverResult<()> {
        Ok(())
    }

    unsafe fn fill(
        &self,
        _to: Address,
        _byte: u8,
        _bytes: usize,
        _stream: Stream,
    ) -> DriverResult<()> {
        Ok(())
    }

    fn create_stream(&self) -> DriverResult<Stream> {
        Ok(Stream(self.recording.handle()))
    }

    unsafe fn destroy_stream(&self, _stream: Stream) -> DriverResult<()> {
        Ok(())
    }

    unsafe fn wait_for_stream(&self, _stream: Stream) -> DriverResult<()> {
        Ok(())
    }

    fn create_event(&self) -> DriverResult<Event> {
        Ok(Event(self.recording.handle()))
    }

    unsafe fn destroy_event(&self, _event: Event) -> DriverResult<()> {
        Ok(())
    }

    unsafe fn record(&self, _event: Event, _stream: Stream) -> DriverResult<()> {
        Ok(())
    }

    unsafe fn is_completed(&self, _event: Event) -> DriverResult<bool> {
        Ok(true)
    }

    unsafe fn wait_for_event(&self, _event: Event) -> DriverResult<()> {
        Ok(())
    }

    unsafe fn stream_waits(&self, _stream: Stream, _event: Event) -> DriverResult<()> {
        Ok(())
    }

    fn load(&self, image: &[u8]) -> DriverResult<Module> {
        let mut state = self.recording.state();
        state.modules.push(String::from_utf8_lossy(image).into());
        Ok(Module(state.modules.len() as u64 - 1))
    }

    unsafe fn unload(&self, _module: Module) -> DriverResult<()> {
        Ok(())
    }

    unsafe fn function(&self, module: Module, name: &str) -> DriverResult<Function> {
        let mut state = self.recording.state();
        let text = state.modules[module.0 as usize].clone();
        state.kernels.insert((name.to_string(), text.to_string()));
        state.functions.push((name.to_string(), text));
        Ok(Function(state.functions.len() as u64 - 1))
    }

    unsafe fn launch(&self, launch: &KernelLaunch, arguments: &[u64]) -> DriverResult<()> {
        let mut state = self.recording.state();
        state.launches += 1;
        if !state.counts_only {
            let (entry, text) = state.functions[launch.function.0 as usize].clone();
            let (grid, block) = (launch.grid[0], launch.block[0]);
            let words = arguments.to_vec();
            state.kept.push(Launched { entry, text, grid, block, words });
        }
        Ok(())
    }

    unsafe fn launch_with(&self, launch: &KernelLaunch, _: &[*const u8]) -> DriverResult<()> {
        // SAFETY: no word is read.
        unsafe { self.launch(launch, &[]) }
    }

    unsafe fn function_attribute(
        &self,
        _: Function,
        attribute: FunctionAttribute,
    ) -> DriverResult<u32> {
        Ok(if attribute == FunctionAttribute::MaxThreads { 1024 } else { 0 })
    }

    unsafe fn allow_shared(&self, _: Function, _: u32) -> DriverResult<()> {
        Ok(())
    }

    unsafe fn occupancy(&self, _: Function, block: u32, _: usize) -> DriverResult<u32> {
        Ok(2048 / block.max(1))
    }

    unsafe fn parameters(&self, _: Function) -> DriverResult<Option<Vec<usize>>> {
        Ok(None)
    }

    unsafe fn global(&self, _: Module, _: &str) -> DriverResult<(Address, usize)> {
        Ok((1 << 12, 0))
    }
}

#[cfg(test)]
mod tests {
    use ndany_array::{Array, DType, Device};
    use ndany_kernels::CUDA;

    use super::*;

    ndany_core::providers![];

    #[test]
    fn memory_of_no_interest_is_not_written_before_it_is_read() {
        let (backend, recording) = Recording::device("sm_90", &CUDA).expect("a device");
        let _guard = Device::custom(backend).enter();
        let blank = ndany_array::empty(1 << 20, DType::F32);
        blank.eval().expect("memory");
        assert_eq!(recording.launches(), 0);
        assert_eq!(blank.to_vec::<f32>().expect("zeros"), vec![0.0; 1 << 20]);
        assert_eq!(recording.launches(), 1);
    }

    #[test]
    fn kernels_are_remembered_once() {
        let (backend, recording) = Recording::device("sm_90", &CUDA).expect("a device");
        let _guard = Device::custom(backend).enter();
        let x = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
        for _ in 0..2 {
            let sum = (&x * &x).sum(1).to_vec::<f32>().expect("zeros");
            assert_eq!(sum, [0.0, 0.0]);
        }
        let kernels = recording.kernels();
        assert_eq!(kernels.len(), 1, "{kernels:?}");
        assert!(kernels.iter().all(|(name, text)| text.contains(&format!(" {name}("))));
        assert_eq!(recording.launches(), 2);
    }
}
