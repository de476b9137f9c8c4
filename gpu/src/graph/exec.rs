//! A list as the driver's own graph: one call launches all of it.
//!
//! Memory inside the list has fixed addresses, taken once; pieces that are not alive at the same time share it. Addresses of inputs
//! and results, of error words, and numbers that a slot moves are written into the nodes that have them, where they
//! differ from the launch before. Calls of libraries and fills, whose addresses cannot be written, are captured with memory of their own,
//! from and to which inputs and results are copied.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ndany_core::backend::Memory;
use ndany_core::{Error, Result};
use smallvec::SmallVec;

use super::driver::{ExecHandle, GraphHandle, NodeHandle};
use super::replay::{Held, Memories, bind, words};
use super::{KernelNode, MemoryKind, Node, RecordedGraph};
use crate::driver::{Driver, DriverResult, KernelLaunch, Stream};
use crate::map;
use crate::memory::GpuMemory;
use crate::runtime::Runtime;

/// What a list has of the driver.
#[derive(Debug, Default)]
pub(super) struct Compiled(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    #[default]
    New,
    /// It was launched once, as a list. The second launch makes the graph, which costs as much as some launches.
    Launched,
    Ready(Box<Exec>),
    /// The list stays a list.
    List,
}

/// The memory of a graph by its numbers.
type Fixed = Vec<Option<Arc<GpuMemory>>>;

/// A kernel of a graph, with the words that it has.
type KernelWords = (NodeHandle, SmallVec<[u64; 24]>);

/// A graph of the driver.
#[derive(Debug)]
struct Exec {
    runtime: Arc<Runtime>,
    /// It has to live as long as words of its nodes are written.
    graph: GraphHandle,
    exec: ExecHandle,
    /// The kernels in the order of the list, with the words that they have.
    kernels: Vec<KernelWords>,
    /// The memory of each number that has a fixed one.
    fixed: Fixed,
    bytes: usize,
}

impl Drop for Exec {
    fn drop(&mut self) {
        let checked = self.runtime.checked();
        // SAFETY: both are this value's; launches that are under way go on, and memory is given back in the order of streams.
        checked.quietly(|driver| unsafe { driver.destroy_exec(self.exec) });
        // SAFETY: as above.
        checked.quietly(|driver| unsafe { driver.destroy_graph(self.graph) });
    }
}

impl Compiled {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of memory that it has.
    pub(super) fn bytes(&self) -> usize {
        match &*self.state() {
            State::Ready(exec) => exec.bytes,
            State::New | State::Launched | State::List => 0,
        }
    }

    /// Launches the list as a graph; `None` where it is to be launched as a list.
    pub(super) fn launch(
        &self,
        list: &RecordedGraph,
        inputs: &[Arc<dyn Memory>],
        slots: &[u64],
    ) -> Option<Result<Vec<Arc<dyn Memory>>>> {
        let mut state = self.state();
        match &*state {
            State::New if list.suits() => *state = State::Launched,
            State::New => *state = State::List,
            State::Launched => match Exec::of(list) {
                Ok(Some(exec)) => *state = State::Ready(Box::new(exec)),
                Ok(None) => *state = State::List,
                Err(error) => return Some(Err(error)),
            },
            State::Ready(_) | State::List => {}
        }
        match &mut *state {
            State::Ready(exec) => Some(exec.launch(list, inputs, slots)),
            State::New | State::Launched | State::List => None,
        }
    }
}

impl RecordedGraph {
    /// Whether the driver's graphs have all that the list has.
    fn suits(&self) -> bool {
        let plain = |node: &Node| match node {
            Node::Kernel(kernel) => !kernel.launch.cooperative,
            Node::Library { call, .. } => call.is_captured(),
            Node::KernelWith { .. } => false,
            Node::Fill { .. } | Node::Take(_) | Node::Give(_) | Node::Begin { .. } => true,
        };
        self.runtime.vendor_graphs()
            && self.runtime.driver().has_graphs()
            && self.nodes.iter().any(|node| matches!(node, Node::Kernel(_)))
            && self.nodes.iter().all(plain)
    }

    /// Which memories calls use whose addresses cannot be written.
    fn captured(&self) -> Vec<bool> {
        let mut captured = vec![false; self.memories.len()];
        for node in &self.nodes {
            match node {
                Node::Fill { place, .. } => captured[place.memory as usize] = true,
                Node::Library { places, .. } => {
                    for place in places.iter().flatten() {
                        captured[place.memory as usize] = true;
                    }
                }
                _ => {}
            }
        }
        captured
    }

    fn is_output(&self, number: usize) -> bool {
        self.outputs.contains(&(number as u32))
    }
}

/// Memory of a graph under construction: what was given back is taken again.
struct Blocks<'r> {
    runtime: &'r Arc<Runtime>,
    free: Vec<Arc<GpuMemory>>,
    bytes: usize,
}

impl Blocks<'_> {
    fn take(&mut self, bytes: usize) -> Result<Arc<GpuMemory>> {
        let fits = |block: &&Arc<GpuMemory>| block.bytes() >= bytes && block.bytes() <= 2 * bytes;
        let best = self.free.iter().filter(fits).map(|block| block.bytes()).min();
        if let Some(place) = self.free.iter().position(|block| Some(block.bytes()) == best) {
            return Ok(self.free.swap_remove(place));
        }
        self.bytes += bytes;
        self.runtime.allocate(bytes)
    }
}

impl Exec {
    /// The graph of a list; `None` where the driver does not make it, or has no memory for it.
    fn of(list: &RecordedGraph) -> Result<Option<Self>> {
        let built = match Self::memory(list) {
            Ok((fixed, bytes)) => Self::build(list, fixed, bytes),
            Err(error @ Error::OutOfMemory { .. }) => Err(error),
            Err(error) => return Err(error),
        };
        if let Err(error) = &built {
            tracing::debug!(%error, "a graph is launched piece by piece");
        }
        Ok(built.ok())
    }

    /// Takes memory, and says how many bytes.
    fn memory(list: &RecordedGraph) -> Result<(Fixed, usize)> {
        let captured = list.captured();
        let mut blocks = Blocks { runtime: &list.runtime, free: Vec::new(), bytes: 0 };
        let mut fixed: Fixed = vec![None; list.memories.len()];
        for (number, memory) in list.memories.iter().enumerate() {
            match memory {
                MemoryKind::Input(input) if captured[number] => {
                    fixed[number] = Some(blocks.take(list.inputs[*input])?);
                }
                MemoryKind::Kept(memory) => fixed[number] = Some(memory.clone()),
                _ => {}
            }
        }
        for node in &list.nodes {
            match *node {
                Node::Take(number) => {
                    let place = number as usize;
                    fixed[place] = match &list.memories[place] {
                        MemoryKind::Array(_) if list.is_output(place) && !captured[place] => None,
                        MemoryKind::Array(bytes) | MemoryKind::Scratch(bytes) => {
                            Some(blocks.take(*bytes)?)
                        }
                        _ => None,
                    };
                }
                Node::Give(number) if !list.is_output(number as usize) => {
                    let given = matches!(
                        list.memories[number as usize],
                        MemoryKind::Array(_) | MemoryKind::Scratch(_)
                    );
                    blocks.free.extend(fixed[number as usize].clone().filter(|_| given));
                }
                _ => {}
            }
        }
        Ok((fixed, blocks.bytes))
    }

    fn build(list: &RecordedGraph, fixed: Fixed, bytes: usize) -> Result<Self> {
        let runtime = &list.runtime;
        let addresses =
            fixed.iter().map(|memory| memory.as_ref().map_or(0, |memory| memory.address()));
        let memories = Memories { held: Vec::new(), addresses: addresses.collect() };
        let checked = runtime.checked();
        let build = |driver: &dyn Driver| build(driver, list, &memories);
        let (graph, exec, kernels) =
            runtime.with_freed_memory(|| checked.call("capture", build))?;
        Ok(Self { runtime: runtime.clone(), graph, exec, kernels, fixed, bytes })
    }

    fn launch(
        &mut self,
        list: &RecordedGraph,
        inputs: &[Arc<dyn Memory>],
        slots: &[u64],
    ) -> Result<Vec<Arc<dyn Memory>>> {
        let runtime = &list.runtime;
        let inputs = bind(list, inputs, slots)?;
        let count = list.memories.len();
        let mut held: Vec<Held<'_>> = Vec::with_capacity(count);
        for (number, memory) in list.memories.iter().enumerate() {
            held.push(match (memory, &self.fixed[number]) {
                (MemoryKind::Input(input), Some(copy)) => {
                    *copy.deferred() = None;
                    map::copy(runtime, inputs[*input].memory(), copy, list.inputs[*input])?;
                    Held::Array(copy.clone())
                }
                (MemoryKind::Input(input), None) => inputs[*input].held(),
                (_, Some(memory)) => Held::Array(memory.clone()),
                (MemoryKind::Array(bytes), None) => Held::Array(runtime.allocate(*bytes)?),
                (_, None) => Held::Nothing,
            });
        }
        let addresses = held.iter().map(Held::address).collect();
        let mut memories = Memories { held, addresses };
        let mut kernels = self.kernels.iter_mut();
        for node in &list.nodes {
            match node {
                &Node::Take(number) => {
                    let place = number as usize;
                    match (&list.memories[place], &memories.held[place]) {
                        (MemoryKind::Words(explain), _) => {
                            let words = runtime.deferred_as(explain.clone())?;
                            memories.addresses[place] = words.address();
                            memories.held[place] = Held::Words(words);
                        }
                        // What an earlier user of the block has left.
                        (_, Held::Array(memory)) => *memory.deferred() = None,
                        _ => {}
                    }
                }
                Node::Begin { .. } => memories.begin(runtime, node)?,
                Node::Kernel(kernel) => {
                    let Some((handle, known)) = kernels.next() else {
                        unreachable!("the graph has a node for each kernel")
                    };
                    let words = words(kernel, &memories, slots);
                    if words != *known {
                        let set = |driver: &dyn Driver| {
                            // SAFETY: the graph and its nodes are this value's; the words are as in a launch of the list.
                            unsafe { driver.set_kernel(self.exec, *handle, &kernel.launch, &words) }
                        };
                        runtime.checked().call("launch", set)?;
                        *known = words;
                    }
                }
                _ => {}
            }
        }
        let stream = runtime.stream();
        let device = runtime.driver().name();
        let _span = tracing::debug_span!("graph", device, nodes = self.kernels.len()).entered();
        // SAFETY: all memory is held here, or by this value, until the stream is past the launch.
        let launch = |driver: &dyn Driver| unsafe { driver.launch_graph(self.exec, stream) };
        runtime.with_freed_memory(|| runtime.checked().call("launch", launch))?;
        let output = |&number: &u32| -> Result<Arc<dyn Memory>> {
            let Held::Array(memory) = &memories.held[number as usize] else {
                unreachable!("an output is an array")
            };
            match (&self.fixed[number as usize], &list.memories[number as usize]) {
                (Some(fixed), &MemoryKind::Array(bytes)) => {
                    let out = runtime.allocate(bytes)?;
                    map::copy(runtime, fixed, &out, bytes)?;
                    Ok(out)
                }
                _ => Ok(memory.clone()),
            }
        };
        list.outputs.iter().map(output).collect()
    }
}

/// Makes the driver's graph of a list.
fn build(
    driver: &dyn Driver,
    list: &RecordedGraph,
    memories: &Memories<'_>,
) -> DriverResult<(GraphHandle, ExecHandle, Vec<KernelWords>)> {
    let stream = driver.create_stream()?;
    let graph = match driver.create_graph() {
        Ok(graph) => graph,
        Err(error) => {
            // SAFETY: nothing runs in the stream.
            let _ = unsafe { driver.destroy_stream(stream) };
            return Err(error);
        }
    };
    let made = fill(driver, list, memories, graph, stream).and_then(|kernels| {
        // SAFETY: the graph is this function's.
        let exec = unsafe { driver.instantiate(graph) }?;
        Ok((graph, exec, kernels))
    });
    // SAFETY: nothing runs in the stream.
    let destroyed = unsafe { driver.destroy_stream(stream) };
    match (made, destroyed) {
        (Ok((graph, exec, _)), Err(error)) => {
            // SAFETY: both are this function's.
            unsafe {
                let _ = driver.destroy_exec(exec);
                let _ = driver.destroy_graph(graph);
            }
            Err(error)
        }
        (Err(error), _) => {
            // SAFETY: as above.
            let _ = unsafe { driver.destroy_graph(graph) };
            Err(error)
        }
        (made, Ok(())) => made,
    }
}

/// Adds the nodes of a list, one after the other.
fn fill(
    driver: &dyn Driver,
    list: &RecordedGraph,
    memories: &Memories<'_>,
    graph: GraphHandle,
    stream: Stream,
) -> DriverResult<Vec<KernelWords>> {
    let (mut kernels, mut last) = (Vec::new(), None);
    for node in &list.nodes {
        let handle = match node {
            Node::Kernel(kernel) => {
                let KernelNode { launch, .. } = kernel;
                let launch = KernelLaunch { stream, ..*launch };
                let words = words(kernel, memories, &[]);
                // SAFETY: the function stays loaded; a launch writes the words that are not known yet.
                let handle = unsafe { driver.add_kernel(graph, last, &launch, &words) }?;
                kernels.push((handle, words));
                handle
            }
            Node::Fill { .. } | Node::Library { .. } => {
                // SAFETY: the stream is this call's, and memory is fixed; nothing runs.
                let (submitted, child) = unsafe {
                    driver.begin_capture(stream)?;
                    (submit(driver, node, memories, stream), driver.end_capture(stream)?)
                };
                // SAFETY: the graphs are this function's; the child is copied.
                let added =
                    submitted.and_then(|()| unsafe { driver.add_graph(graph, last, child) });
                // SAFETY: as above.
                unsafe { driver.destroy_graph(child) }?;
                added?
            }
            _ => continue,
        };
        last = Some(handle);
    }
    Ok(kernels)
}

/// Submits a call that is captured.
///
/// # Safety
/// The stream captures, and the memories are fixed.
unsafe fn submit(
    driver: &dyn Driver,
    node: &Node,
    memories: &Memories<'_>,
    stream: Stream,
) -> DriverResult<()> {
    match node {
        Node::Fill { place, byte, bytes } => {
            // SAFETY: the caller's.
            unsafe { driver.fill(memories.at(*place), *byte, *bytes, stream) }
        }
        Node::Library { call, places, .. } => {
            let mut call = call.clone();
            for (address, place) in call.addresses().into_iter().zip(places) {
                *address = place.map_or(0, |place| memories.at(place));
            }
            // SAFETY: the caller's.
            unsafe { call.submit(stream) }.map(|_| ())
        }
        _ => unreachable!("other nodes are not captured"),
    }
}
