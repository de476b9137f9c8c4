//! A device made of host memory, for the tests of this crate.
//!
//! It is as lazy as a device may be: work waits in its stream until the host waits for it (or [`Fake::progress`] is
//! called), so a missing wait shows as wrong values. It is strict: touching memory that is not there, freeing what
//! work under way still uses, and pageable memory in an asynchronous copy are [`Fake::violations`]. Any call can be
//! made to fail. Memory takes room on the host when it is touched, not before.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_void;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ndany_core::backend::LaunchLimits;
use ndany_kernels::{Dialect, Kernel, Source};

use crate::driver::{
    Address, Capabilities, CompileError, CompileRequest, CompiledModule, Compiler, DriverError,
    DriverResult, HostCallback, Properties, Stream,
};

mod control;
mod driver;

/// What a kernel of the fake does: it is given the device's memory and the words of the launch.
pub(crate) type Behaviour = Arc<dyn Fn(&mut Space, &[u64]) + Send + Sync>;

/// A handle on the fake device; the driver that a runtime owns and the one that a test keeps are the same device.
#[derive(Clone)]
pub(crate) struct Fake {
    properties: Arc<Properties>,
    name: Arc<str>,
    state: Arc<Mutex<State>>,
}

/// A launch, as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Launched {
    pub(crate) entry: String,
    pub(crate) grid: u32,
    pub(crate) block: u32,
    pub(crate) words: Vec<u64>,
    pub(crate) stream: Stream,
}

/// Memory that the device reaches.
#[derive(Default)]
pub(crate) struct Space {
    /// Device memory by address, made when touched.
    device: BTreeMap<Address, (usize, Option<Vec<u8>>)>,
    /// Page-locked memory by its pointer.
    host: BTreeMap<u64, Vec<u64>>,
    violations: Vec<String>,
}

enum Task {
    Copy { to: Address, from: Address, bytes: usize },
    Fill { to: Address, byte: u8, bytes: usize },
    Run { entry: String, words: Vec<u64> },
    Record { event: u64, time: u64 },
    Wait { event: u64, time: u64 },
    Host { function: HostCallback, data: usize },
}

#[derive(Default)]
struct State {
    space: Space,
    capacity: usize,
    used: usize,
    next: u64,
    streams: BTreeMap<u64, VecDeque<Task>>,
    /// Times recorded and times passed.
    events: BTreeMap<u64, (u64, u64)>,
    /// When timed events passed last, in milliseconds of the device: one a record.
    times: BTreeMap<u64, Option<u64>>,
    clock: u64,
    /// Streams that were made with a priority.
    priorities: BTreeMap<u64, i32>,
    /// Managed memory, by address.
    managed: BTreeMap<Address, usize>,
    hints: Vec<String>,
    /// Allocations of other processes.
    opened: Vec<Address>,
    modules: BTreeMap<u64, String>,
    behaviours: BTreeMap<String, Behaviour>,
    launched: Vec<Launched>,
    calls: BTreeMap<&'static str, usize>,
    total: usize,
    fail: Option<(Option<&'static str>, usize, DriverError)>,
    lost: bool,
    late: usize,
}

impl fmt::Debug for Fake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fake")
    }
}

impl Space {
    fn place(&mut self, address: Address, bytes: usize) -> Option<&mut [u8]> {
        let end = address + bytes as u64;
        if let Some((&start, (length, data))) = self.device.range_mut(..=address).next_back()
            && end <= start + *length as u64
        {
            let data = data.get_or_insert_with(|| vec![0xCD; *length]);
            return Some(&mut data[(address - start) as usize..(end - start) as usize]);
        }
        if let Some((&start, data)) = self.host.range_mut(..=address).next_back()
            && end <= start + 8 * data.len() as u64
        {
            let offset = (address - start) as usize;
            // SAFETY: a vector of words as bytes, which need no alignment and are all initialized; the runtime
            // leaves page-locked memory alone until it has waited for the work that touches it.
            let data: &mut [u8] = unsafe {
                std::slice::from_raw_parts_mut(data.as_mut_ptr().cast::<u8>(), 8 * data.len())
            };
            return Some(&mut data[offset..offset + bytes]);
        }
        self.violations.push(format!("{bytes} bytes at {address:#x} belong to no allocation"));
        None
    }

    /// Bytes of device or page-locked memory; zeros where there is none.
    pub(crate) fn get(&mut self, address: Address, bytes: usize) -> Vec<u8> {
        match self.place(address, bytes) {
            Some(place) => place.to_vec(),
            None => vec![0; bytes],
        }
    }

    /// Stores bytes.
    pub(crate) fn set(&mut self, address: Address, bytes: &[u8]) {
        if let Some(place) = self.place(address, bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }

    /// A word.
    pub(crate) fn word(&mut self, address: Address) -> u64 {
        u64::from_ne_bytes(self.get(address, 8).try_into().expect("eight bytes"))
    }
}

impl State {
    /// Notes bytes that are not managed memory.
    fn managed(&mut self, address: Address, bytes: usize) {
        let found = self.managed.range(..=address).next_back();
        let holds =
            |(&first, &length): (&Address, &usize)| address + bytes as u64 <= first + length as u64;
        if !found.is_some_and(holds) {
            self.space.violations.push(format!("{bytes} bytes at {address:#x} are not managed"));
        }
    }

    fn enter(&mut self, call: &'static str) -> DriverResult<()> {
        self.total += 1;
        *self.calls.entry(call).or_default() += 1;
        if self.lost {
            self.late += 1;
            return Err(lost(call));
        }
        if let Some((only, left, error)) = &mut self.fail
            && only.is_none_or(|only| only == call)
        {
            if *left == 0 {
                let error = error.clone();
                self.lost = matches!(error, DriverError::Lost { .. });
                self.fail = None;
                return Err(error);
            }
            *left -= 1;
        }
        Ok(())
    }

    fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Runs a stream until it has nothing left, and what it waits for.
    fn run(&mut self, stream: u64) {
        while let Some(task) = self.streams.get_mut(&stream).and_then(VecDeque::pop_front) {
            match task {
                Task::Copy { to, from, bytes } => {
                    let data = self.space.get(from, bytes);
                    self.space.set(to, &data);
                }
                Task::Fill { to, byte, bytes } => self.space.set(to, &vec![byte; bytes]),
                Task::Run { entry, words } => {
                    if let Some(behaviour) = self.behaviours.get(&entry).cloned() {
                        behaviour(&mut self.space, &words);
                    }
                }
                Task::Record { event, time } => {
                    if let Some(state) = self.events.get_mut(&event) {
                        state.1 = state.1.max(time);
                    }
                    self.clock += 1;
                    if let Some(passed) = self.times.get_mut(&event) {
                        *passed = Some(self.clock);
                    }
                }
                Task::Wait { event, time } => self.run_until(event, time),
                // SAFETY: the caller of `call_host` promises that it may be called once, and a task runs once.
                Task::Host { function, data } => unsafe { function(data as *mut c_void) },
            }
        }
    }

    /// Runs whatever stream the record of an event waits in.
    fn run_until(&mut self, event: u64, time: u64) {
        let waits = |tasks: &VecDeque<Task>| {
            tasks.iter().any(|task| matches!(task, Task::Record { event: e, time: t } if *e == event && *t == time))
        };
        let found = self.streams.iter().find(|(_, tasks)| waits(tasks)).map(|(stream, _)| *stream);
        if let Some(stream) = found {
            self.run(stream);
        }
    }

    fn push(&mut self, stream: Stream, task: Task) {
        match self.streams.get_mut(&stream.0) {
            Some(tasks) => tasks.push_back(task),
            None => self
                .space
                .violations
                .push(format!("work for a stream {} that is not there", stream.0)),
        }
    }

    fn touched(&self, start: u64, end: u64) -> bool {
        let hits = |at: u64, bytes: usize| at < end && start < at + bytes as u64;
        self.streams.values().flatten().any(|task| match task {
            Task::Copy { to, from, bytes } => hits(*to, *bytes) || hits(*from, *bytes),
            Task::Fill { to, bytes, .. } => hits(*to, *bytes),
            Task::Run { words, .. } => words.iter().any(|&word| hits(word, 1)),
            Task::Record { .. } | Task::Wait { .. } | Task::Host { .. } => false,
        })
    }
}

fn lost(call: &'static str) -> DriverError {
    DriverError::Lost { call, code: 700, text: "an illegal address was met".to_string() }
}

impl Fake {
    /// A device with this many bytes.
    pub(crate) fn new(capacity: usize) -> Self {
        Self::with(capacity, |capabilities| capabilities)
    }

    /// A device with this many bytes and other capabilities.
    pub(crate) fn with(capacity: usize, change: impl FnOnce(Capabilities) -> Capabilities) -> Self {
        let properties = Properties {
            name: "Fake".to_string(),
            architecture: "fake_1".to_string(),
            memory: capacity,
            multiprocessors: 4,
            driver_version: "1.0".to_string(),
            capabilities: change(Capabilities {
                warp_size: 32,
                max_threads_per_block: 1024,
                max_blocks: i32::MAX as u32,
                max_threads: u64::MAX,
                float64: true,
                atomics64: true,
            }),
            limits: LaunchLimits {
                grid: [i32::MAX as u32, 65_535, 65_535],
                block: [1024, 1024, 64],
                threads_per_block: 1024,
                threads: u64::from(u32::MAX),
                shared: 100 << 10,
                shared_unasked: 48 << 10,
                constant: 64 << 10,
                multiprocessors: 4,
                cooperative: true,
            },
        };
        let state = State { capacity, next: 100, ..State::default() };
        Self {
            properties: Arc::new(properties),
            name: "fake:0".into(),
            state: Arc::new(Mutex::new(state)),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the `nth` of the coming calls (of `call` only, if named) fail once; a device that is lost stays so.
    pub(crate) fn fail(&self, call: Option<&'static str>, nth: usize, error: DriverError) {
        self.state().fail = Some((call, nth, error));
    }

    /// Takes back what [`Fake::fail`] asked for; was it still to come?
    pub(crate) fn spare(&self) -> bool {
        self.state().fail.take().is_some()
    }

    /// What kernels of this entry do.
    pub(crate) fn teach(
        &self,
        entry: &str,
        behaviour: impl Fn(&mut Space, &[u64]) + Send + Sync + 'static,
    ) {
        self.state().behaviours.insert(entry.to_string(), Arc::new(behaviour));
    }

    /// How often a function was called.
    pub(crate) fn calls(&self, call: &str) -> usize {
        self.state().calls.get(call).copied().unwrap_or(0)
    }

    /// How many calls there were after the device was lost.
    pub(crate) fn late(&self) -> usize {
        self.state().late
    }

    /// How many calls there were.
    pub(crate) fn total(&self) -> usize {
        self.state().total
    }

    /// The launches so far.
    pub(crate) fn launched(&self) -> Vec<Launched> {
        self.state().launched.clone()
    }

    /// What no driver would have forgiven.
    pub(crate) fn violations(&self) -> Vec<String> {
        self.state().space.violations.clone()
    }

    /// Bytes of device memory, and pieces of page-locked memory, streams, events and modules, that were not freed.
    pub(crate) fn leaks(&self) -> [usize; 5] {
        let state = self.state();
        [
            state.used,
            state.space.host.len(),
            state.streams.len(),
            state.events.len(),
            state.modules.len(),
        ]
    }

    /// Does all work that is under way.
    pub(crate) fn progress(&self) {
        let mut state = self.state();
        let streams: Vec<u64> = state.streams.keys().copied().collect();
        streams.into_iter().for_each(|stream| state.run(stream));
    }

    /// Looks at device memory as it is now.
    pub(crate) fn peek(&self, address: Address, bytes: usize) -> Vec<u8> {
        self.state().space.get(address, bytes)
    }
}

/// A compiler whose machine code is the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct FakeCompiler {
    /// The texts it was given.
    pub(crate) compiled: Arc<Mutex<Vec<String>>>,
}

impl Compiler for FakeCompiler {
    fn version(&self) -> String {
        "fake compiler 1.0".to_string()
    }

    fn compile(&self, source: &str, architecture: &str) -> Result<Vec<u8>, CompileError> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner).push(source.to_string());
        if source.contains("refuse") {
            return Err(CompileError::Refused {
                compiler: self.version(),
                architecture: architecture.to_string(),
                log: "line 1: refused".to_string(),
            });
        }
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

/// A compiler that does something with each text first.
pub(crate) struct FakeCompilerAfter<F>(pub(crate) F);

impl<F> fmt::Debug for FakeCompilerAfter<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FakeCompilerAfter")
    }
}

impl<F: Fn(&str) + Send + Sync + 'static> Compiler for FakeCompilerAfter<F> {
    fn version(&self) -> String {
        FakeCompiler::default().version()
    }

    fn compile(&self, source: &str, architecture: &str) -> Result<Vec<u8>, CompileError> {
        (self.0)(source);
        FakeCompiler::default().compile(source, architecture)
    }

    fn compile_with(
        &self,
        source: &str,
        architecture: &str,
        request: &CompileRequest<'_>,
    ) -> Result<CompiledModule, CompileError> {
        FakeCompiler::default().compile_with(source, architecture, request)
    }
}

/// A kernel whose text is its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Named(pub(crate) &'static str);

impl Kernel for Named {
    fn source(&self, _: &Dialect) -> Source {
        Source { text: format!("kernel {}", self.0), entry: self.0 }
    }
}
