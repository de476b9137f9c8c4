//! What a thread records: the runtime tells of each call of the driver that a replay makes again.
//!
//! A thread that does not record pays for one look at a word of its own.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use ndany_core::Result;
use ndany_core::backend::{Interface, Memory, not_capturable, refusals};
use smallvec::SmallVec;

use super::exec::Compiled;
use super::{
    KernelNode, LibraryCall, MemoryKind, Node, Parameter, Place, RecordedGraph, Relocation,
};
use crate::deferred::Explain;
use crate::driver::{Address, KernelLaunch};
use crate::memory::GpuMemory;
use crate::operand::Arguments;
use crate::runtime::Runtime;

thread_local! {
    /// The device that this thread records; null if it records none, and while a recording pauses.
    static DEVICE: Cell<*const Runtime> = const { Cell::new(std::ptr::null()) };
    static RECORDING: RefCell<Option<Box<Recording>>> = const { RefCell::new(None) };
}

/// Memory as the recorded run has it.
enum RunMemory {
    /// It was there before, or another thread has made it.
    Outside {
        address: Address,
    },
    /// An array of the run.
    Array {
        bytes: usize,
        memory: Weak<GpuMemory>,
    },
    Scratch {
        bytes: usize,
    },
    Words(Arc<Explain>),
}

/// A recording under way.
struct Recording {
    device: *const Runtime,
    nodes: Vec<Node>,
    memories: Vec<RunMemory>,
    /// By its address: bytes and number of each memory that is there.
    live: BTreeMap<Address, (u64, u32)>,
    /// Memory of the engine's own that the run reads.
    kept: Vec<Arc<GpuMemory>>,
}

impl Recording {
    /// Numbers a memory.
    fn add(&mut self, address: Address, bytes: usize, memory: RunMemory) -> u32 {
        let number = self.memories.len() as u32;
        self.memories.push(memory);
        self.live.insert(address, (bytes.max(1) as u64, number));
        number
    }

    /// The memory around an address.
    fn find(&self, address: Address) -> Option<Place> {
        let (&base, &(bytes, memory)) = self.live.range(..=address).next_back()?;
        let offset = address - base;
        (offset < bytes).then_some(Place { memory, offset })
    }

    /// The place of an address; none of 0, which stands for nothing.
    fn place(&self, op: &'static str, address: Address) -> Result<Option<Place>> {
        if address == 0 {
            return Ok(None);
        }
        let unknown = || not_capturable(op, "it uses memory that the recording does not know");
        self.find(address).map(Some).ok_or_else(unknown)
    }

    /// The number of an array's memory.
    fn number(&mut self, memory: &GpuMemory) -> u32 {
        let address = memory.address();
        match self.find(address) {
            Some(Place { memory, offset: 0 }) => memory,
            // Memory that another thread, or a pause, has taken where memory of the recording was.
            _ => self.add(address, memory.bytes(), RunMemory::Outside { address }),
        }
    }

    fn is_outside(&self, number: u32) -> bool {
        matches!(self.memories[number as usize], RunMemory::Outside { .. })
    }
}

/// Whether this thread records what it asks of this device.
#[inline]
pub(crate) fn active(runtime: &Runtime) -> bool {
    std::ptr::eq(DEVICE.get(), runtime)
}

/// The recording of this thread.
fn with<T>(act: impl FnOnce(&mut Recording) -> T) -> T {
    RECORDING.with_borrow_mut(|recording| match recording {
        Some(recording) => act(recording),
        None => unreachable!("a thread that is active has a recording"),
    })
}

/// Runs what is not recorded.
pub(crate) fn paused<T>(act: impl FnOnce() -> T) -> T {
    struct Pause(*const Runtime);
    impl Drop for Pause {
        fn drop(&mut self) {
            DEVICE.set(self.0);
        }
    }
    let _pause = Pause(DEVICE.replace(std::ptr::null()));
    act()
}

/// Returns the error of what a replay cannot do, if this thread records.
#[inline]
pub(crate) fn refuse(runtime: &Runtime, op: &'static str, reason: &'static str) -> Result<()> {
    if active(runtime) { Err(not_capturable(op, reason)) } else { Ok(()) }
}

pub(super) fn begin(runtime: &Arc<Runtime>) -> Result<()> {
    RECORDING.with_borrow_mut(|recording| {
        if recording.is_some() {
            return Err(not_capturable("capture", refusals::TWICE));
        }
        let device = Arc::as_ptr(runtime);
        *recording = Some(Box::new(Recording {
            device,
            nodes: Vec::new(),
            memories: Vec::new(),
            live: BTreeMap::new(),
            kept: Vec::new(),
        }));
        DEVICE.set(device);
        Ok(())
    })
}

/// Takes the recording of a device out.
fn take(runtime: &Runtime) -> Option<Box<Recording>> {
    RECORDING.with_borrow_mut(|recording| {
        let own =
            recording.as_ref().is_some_and(|recording| std::ptr::eq(recording.device, runtime));
        if !own {
            return None;
        }
        DEVICE.set(std::ptr::null());
        recording.take()
    })
}

pub(super) fn cancel(runtime: &Runtime) {
    drop(take(runtime));
}

/// The device's own type of a memory.
fn gpu_memory(memory: &Arc<dyn Memory>) -> Result<Arc<GpuMemory>> {
    let memory = memory.clone() as Arc<dyn Any + Send + Sync>;
    memory.downcast().map_err(|_| not_capturable("capture", "it uses memory of another device"))
}

pub(super) fn end(runtime: &Arc<Runtime>, interface: Interface) -> Result<RecordedGraph> {
    let Some(recording) = take(runtime) else {
        return Err(not_capturable("capture", refusals::NO_RECORDING));
    };
    let Recording { nodes, memories, kept, .. } = *recording;
    let all = |memories: &[Arc<dyn Memory>]| -> Result<Vec<Arc<GpuMemory>>> {
        memories.iter().map(gpu_memory).collect()
    };
    let (inputs, outputs) = (all(&interface.inputs)?, all(&interface.outputs)?);
    // What the closure used of other devices is theirs.
    let own = |memory: &Arc<dyn Memory>| gpu_memory(memory).ok();
    let outside = interface.outside.iter().filter_map(own);
    let outside: Vec<_> =
        outside.filter(|memory| std::ptr::eq(memory.runtime(), &**runtime)).chain(kept).collect();
    let at = |memories: &[Arc<GpuMemory>], address: Address| {
        memories.iter().position(|memory| memory.address() == address)
    };
    let mut numbers: Vec<Option<u32>> = vec![None; outputs.len()];
    let mut kinds = Vec::with_capacity(memories.len());
    for (number, memory) in memories.into_iter().enumerate() {
        kinds.push(match memory {
            RunMemory::Outside { address } => match (at(&inputs, address), at(&outside, address)) {
                (Some(input), _) => MemoryKind::Input(input),
                (None, Some(place)) => MemoryKind::Kept(outside[place].clone()),
                (None, None) => {
                    return Err(not_capturable("capture", refusals::NOT_HELD));
                }
            },
            RunMemory::Array { bytes, memory } => {
                let is =
                    |output: &Arc<GpuMemory>| std::ptr::eq(Arc::as_ptr(output), memory.as_ptr());
                for place in (0..outputs.len()).filter(|&place| is(&outputs[place])) {
                    numbers[place] = Some(number as u32);
                }
                MemoryKind::Array(bytes)
            }
            RunMemory::Scratch { bytes } => MemoryKind::Scratch(bytes),
            RunMemory::Words(explain) => MemoryKind::Words(explain),
        });
    }
    let outputs: Option<Vec<u32>> = numbers.into_iter().collect();
    let outputs = outputs.ok_or_else(|| not_capturable("capture", refusals::OUTPUT))?;
    let inputs = inputs.iter().map(|memory| memory.bytes()).collect();
    let slot = |node: &Node| match node {
        Node::Kernel(kernel) => kernel.slot.map(|(_, slot)| slot + 1),
        _ => None,
    };
    let slots = nodes.iter().filter_map(slot).max().unwrap_or(0);
    let (runtime, compiled) = (runtime.clone(), Compiled::default());
    Ok(RecordedGraph { runtime, memories: kinds, nodes, inputs, outputs, slots, compiled })
}

/// Notes an array's memory that this thread has taken.
pub(crate) fn allocated(memory: &Arc<GpuMemory>) {
    with(|recording| {
        let own = RunMemory::Array { bytes: memory.bytes(), memory: Arc::downgrade(memory) };
        let number = recording.add(memory.address(), memory.bytes(), own);
        recording.nodes.push(Node::Take(number));
    });
}

/// Notes memory of launches that this thread has taken.
pub(crate) fn scratched(address: Address, bytes: usize) {
    with(|recording| {
        let number = recording.add(address, bytes, RunMemory::Scratch { bytes });
        recording.nodes.push(Node::Take(number));
    });
}

/// Notes memory that was given back.
pub(crate) fn given(address: Address) {
    with(|recording| {
        if let Some(Place { memory, offset: 0 }) = recording.find(address)
            && !recording.is_outside(memory)
        {
            recording.live.remove(&address);
            recording.nodes.push(Node::Give(memory));
        }
    });
}

/// Notes the error words of a launch that this thread is about to make.
pub(crate) fn deferred(address: Address, bytes: usize, explain: &Arc<Explain>) {
    with(|recording| {
        let number = recording.add(address, bytes, RunMemory::Words(explain.clone()));
        recording.nodes.push(Node::Take(number));
    });
}

/// Notes that every kernel that writes these error words was launched.
pub(crate) fn sealed(address: Address) {
    if !DEVICE.get().is_null() {
        given(address);
    }
}

/// Holds memory of the engine's own that launches are about to read.
pub(crate) fn keep(memory: &Arc<GpuMemory>) {
    with(|recording| {
        if !recording.kept.iter().any(|kept| Arc::ptr_eq(kept, memory)) {
            recording.kept.push(memory.clone());
        }
    });
}

/// Notes that launches begin which read and write these memories; or says that they must not.
pub(crate) fn begun(
    reads: &[&GpuMemory],
    writes: &[&GpuMemory],
    made_of: &[SmallVec<[u16; 8]>],
    words: Option<Address>,
) -> Result<()> {
    with(|recording| {
        let writes: SmallVec<[u32; 2]> =
            writes.iter().map(|memory| recording.number(memory)).collect();
        if writes.iter().any(|&number| recording.is_outside(number)) {
            return Err(not_capturable("write", refusals::WRITES));
        }
        let reads = reads.iter().map(|memory| recording.number(memory)).collect();
        let words = match words {
            Some(address) => recording.place("capture", address)?.map(|place| place.memory),
            None => None,
        };
        recording.nodes.push(Node::Begin { reads, writes, made_of: made_of.to_vec(), words });
        Ok(())
    })
}

/// A launch as a node: to be [pushed](Noted::done) once the driver has taken it.
pub(crate) struct Noted(Node);

impl Noted {
    pub(crate) fn done(self) {
        with(|recording| recording.nodes.push(self.0));
    }
}

/// Notes the launch of a kernel with one structure of words.
pub(crate) fn launch(
    name: &'static str,
    launch: &KernelLaunch,
    arguments: &Arguments,
) -> Result<Noted> {
    with(|recording| {
        let words = arguments.as_slice();
        let mut relocations = SmallVec::new();
        let (addresses, scalars) = (arguments.address_positions(), arguments.scalar_positions());
        for (position, &word) in words.iter().enumerate() {
            let at = position as u16;
            if addresses.contains(&at) {
                let place = recording.place(name, word)?;
                relocations.extend(place.map(|place| Relocation { word: at, place }));
            } else if !scalars.contains(&position) && recording.find(word).is_some() {
                // An address that was not pushed as one would stay what it is.
                return Err(not_capturable(
                    name,
                    "one of its numbers is an address of the recording",
                ));
            }
        }
        let slot = arguments.slot().map(|slot| (scalars.start as u16, slot));
        let words = SmallVec::from_slice(words);
        let node = KernelNode { name, launch: *launch, words, relocations, slot };
        Ok(Noted(Node::Kernel(node)))
    })
}

/// The value of a parameter of a kernel of a user's module.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'v> {
    Bytes(&'v [u8]),
    Address(Address),
}

/// Notes the launch of a kernel with these parameters.
pub(crate) fn launch_with(
    name: &'static str,
    launch: &KernelLaunch,
    values: &[Value<'_>],
) -> Result<Noted> {
    with(|recording| {
        let parameter = |value: &Value<'_>| match *value {
            Value::Bytes(bytes) => Ok(Parameter::Bytes(bytes.into())),
            Value::Address(address) => match recording.place(name, address)? {
                Some(place) => Ok(Parameter::Address(place)),
                None => Ok(Parameter::Bytes(address.to_ne_bytes().into())),
            },
        };
        let parameters = values.iter().map(parameter).collect::<Result<_>>()?;
        Ok(Noted(Node::KernelWith { name, launch: *launch, parameters }))
    })
}

/// Notes that bytes are set.
pub(crate) fn fill(address: Address, byte: u8, bytes: usize) -> Result<Noted> {
    with(|recording| match recording.place("fill", address)? {
        Some(place) => Ok(Noted(Node::Fill { place, byte, bytes })),
        None => Err(not_capturable("fill", "it has no memory")),
    })
}

/// Notes a call of a library that has answered.
pub(crate) fn library(mut call: LibraryCall, answer: bool) -> Result<()> {
    with(|recording| {
        let name = call.op();
        let places = call.addresses().into_iter().map(|address| recording.place(name, *address));
        let places = places.collect::<Result<_>>()?;
        recording.nodes.push(Node::Library { call, places, answer });
        Ok(())
    })
}
