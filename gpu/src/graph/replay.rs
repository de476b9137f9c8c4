//! A replay: the list done again, in the calling thread's stream, on memory of its own.

use std::any::Any;
use std::sync::Arc;

use ndany_core::backend::{Memory, not_capturable};
use ndany_core::{Error, Result};
use smallvec::SmallVec;

use super::{KernelNode, MemoryKind, Node, Parameter, Place, RecordedGraph};
use crate::deferred::DeferredError;
use crate::driver::{Address, KernelLaunch};
use crate::map;
use crate::memory::{GpuMemory, Scratch};
use crate::runtime::Runtime;

/// What stands for a memory of the list.
pub(super) enum Held<'g> {
    Nothing,
    Lent(&'g GpuMemory),
    Array(Arc<GpuMemory>),
    Scratch(Scratch),
    Words(DeferredError),
}

impl Held<'_> {
    pub(super) fn address(&self) -> Address {
        match self {
            Self::Nothing => 0,
            Self::Lent(memory) => memory.address(),
            Self::Array(memory) => memory.address(),
            Self::Scratch(scratch) => scratch.address(),
            Self::Words(words) => words.address(),
        }
    }

    fn array(&self) -> &GpuMemory {
        match self {
            Self::Lent(memory) => memory,
            Self::Array(memory) => memory,
            _ => unreachable!("launches read and write arrays that are there"),
        }
    }
}

/// The memories of a replay.
pub(super) struct Memories<'g> {
    pub(super) held: Vec<Held<'g>>,
    pub(super) addresses: Vec<Address>,
}

impl Memories<'_> {
    pub(super) fn at(&self, place: Place) -> Address {
        self.addresses[place.memory as usize] + place.offset
    }

    fn arrays(&self, numbers: &[u32]) -> SmallVec<[&GpuMemory; 4]> {
        numbers.iter().map(|&number| self.held[number as usize].array()).collect()
    }

    /// Puts launches in order that begin.
    pub(super) fn begin(&self, runtime: &Runtime, node: &Node) -> Result<()> {
        let Node::Begin { reads, writes, made_of, words } = node else {
            unreachable!("it begins no launches")
        };
        let words = match words.map(|words| &self.held[words as usize]) {
            Some(Held::Words(words)) => Some(words),
            _ => None,
        };
        let [reads, writes] = [&reads[..], &writes[..]].map(|them| self.arrays(them));
        runtime.begin(&reads, &writes, made_of, words)
    }
}

/// What stands for an input: itself, or a copy where kernels could not read it in pieces.
pub(super) enum Bound<'i> {
    Lent(&'i GpuMemory),
    Copy(Arc<GpuMemory>),
}

impl<'i> Bound<'i> {
    pub(super) fn memory(&self) -> &GpuMemory {
        match self {
            Self::Lent(memory) => memory,
            Self::Copy(memory) => memory,
        }
    }

    pub(super) fn held(&self) -> Held<'i> {
        match self {
            Self::Lent(memory) => Held::Lent(memory),
            Self::Copy(memory) => Held::Array(memory.clone()),
        }
    }
}

/// Alignment of memory that the engine takes, on which texts of kernels rely.
const ALIGNMENT: u64 = 256;

/// The device's own type of what stands for the inputs.
pub(super) fn bind<'i>(
    graph: &RecordedGraph,
    inputs: &'i [Arc<dyn Memory>],
    slots: &[u64],
) -> Result<Vec<Bound<'i>>> {
    let runtime = &graph.runtime;
    let refused = |reason: String| Error::Launch { op: "replay", reason };
    if slots.len() < graph.slots {
        return Err(refused(format!("{} slots: expected {}", slots.len(), graph.slots)));
    }
    if inputs.len() != graph.inputs.len() {
        let (expected, got) = (graph.inputs.len(), inputs.len());
        return Err(refused(format!("{got} inputs: expected {expected}")));
    }
    let bind = |(number, (memory, &bytes)): (usize, (&'i Arc<dyn Memory>, &usize))| {
        let own = (memory.of_device() as &dyn Any).downcast_ref::<GpuMemory>();
        match own {
            Some(own) if std::ptr::eq(own.runtime(), &**runtime) && own.bytes() == bytes => {
                if own.address().is_multiple_of(ALIGNMENT) {
                    return Ok(Bound::Lent(own));
                }
                let copy = runtime.allocate(bytes)?;
                map::copy(runtime, own, &copy, bytes).map(|()| Bound::Copy(copy))
            }
            _ => Err(refused(format!("input {number}: expected {bytes} bytes of the device"))),
        }
    };
    inputs.iter().zip(&graph.inputs).enumerate().map(bind).collect()
}

pub(super) fn replay(
    graph: &RecordedGraph,
    inputs: &[Arc<dyn Memory>],
    slots: &[u64],
) -> Result<Vec<Arc<dyn Memory>>> {
    let runtime = &graph.runtime;
    let inputs = bind(graph, inputs, slots)?;
    let given = |memory| match memory {
        &MemoryKind::Input(input) => inputs[input].held(),
        MemoryKind::Kept(memory) => Held::Lent(memory),
        _ => Held::Nothing,
    };
    let held: Vec<Held<'_>> = graph.memories.iter().map(given).collect();
    let addresses = held.iter().map(Held::address).collect();
    let mut memories = Memories { held, addresses };
    for node in &graph.nodes {
        match node {
            &Node::Take(number) => {
                let held = match &graph.memories[number as usize] {
                    MemoryKind::Array(bytes) => Held::Array(runtime.allocate(*bytes)?),
                    MemoryKind::Scratch(bytes) => Held::Scratch(runtime.scratch(*bytes)?),
                    MemoryKind::Words(explain) => {
                        Held::Words(runtime.deferred_as(explain.clone())?)
                    }
                    MemoryKind::Input(_) | MemoryKind::Kept(_) => {
                        unreachable!("memory from outside is there")
                    }
                };
                memories.addresses[number as usize] = held.address();
                memories.held[number as usize] = held;
            }
            &Node::Give(number) => memories.held[number as usize] = Held::Nothing,
            Node::Begin { .. } => memories.begin(runtime, node)?,
            other => run(runtime, other, &memories, slots)?,
        }
    }
    let output = |&number: &u32| match &memories.held[number as usize] {
        Held::Array(memory) => memory.clone() as Arc<dyn Memory>,
        _ => unreachable!("an output is there at the end"),
    };
    Ok(graph.outputs.iter().map(output).collect())
}

/// Makes a launch or a call.
fn run(runtime: &Arc<Runtime>, node: &Node, memories: &Memories<'_>, slots: &[u64]) -> Result<()> {
    match node {
        Node::Kernel(kernel) => {
            let words = words(kernel, memories, slots);
            let launch = KernelLaunch { stream: runtime.stream(), ..kernel.launch };
            // SAFETY: the function stays loaded; the words are those of the recorded launch, with the addresses of memory
            // that the replay holds in place of the recorded run's, and as many bytes.
            unsafe { runtime.submit_kernel("launch", kernel.name, &launch, &words) }
        }
        Node::KernelWith { name, launch, parameters } => {
            let addresses: SmallVec<[Address; 8]> = parameters
                .iter()
                .filter_map(|parameter| match parameter {
                    Parameter::Address(place) => Some(memories.at(*place)),
                    Parameter::Bytes(_) => None,
                })
                .collect();
            let mut next = addresses.iter();
            let place = |parameter: &Parameter| match parameter {
                Parameter::Bytes(bytes) => bytes.as_ptr(),
                Parameter::Address(_) => match next.next() {
                    Some(address) => std::ptr::from_ref(address).cast(),
                    None => unreachable!("there is an address for each"),
                },
            };
            let places: SmallVec<[*const u8; 8]> = parameters.iter().map(place).collect();
            let launch = KernelLaunch { stream: runtime.stream(), ..*launch };
            // SAFETY: as above; there is a value for each parameter of the recorded launch, of its size.
            unsafe { runtime.submit_kernel_with(name, &launch, &places) }
        }
        Node::Fill { place, byte, bytes } => runtime.fill(memories.at(*place), *byte, *bytes),
        Node::Library { call, places, answer } => {
            let mut call = call.clone();
            for (address, place) in call.addresses().into_iter().zip(places) {
                *address = place.map_or(0, |place| memories.at(place));
            }
            match runtime.library(&call)? == *answer {
                true => Ok(()),
                false => Err(not_capturable(
                    call.op(),
                    "the library takes another course for these values than for those recorded",
                )),
            }
        }
        Node::Take(_) | Node::Give(_) | Node::Begin { .. } => unreachable!("not a launch"),
    }
}

/// The words of a launch on these memories.
pub(super) fn words(
    kernel: &KernelNode,
    memories: &Memories<'_>,
    slots: &[u64],
) -> SmallVec<[u64; 24]> {
    let mut words = kernel.words.clone();
    for relocation in &kernel.relocations {
        words[usize::from(relocation.word)] = memories.at(relocation.place);
    }
    if let Some((word, slot)) = kernel.slot {
        let word = &mut words[usize::from(word)];
        *word = word.wrapping_add(slots.get(slot).copied().unwrap_or(0));
    }
    words
}
