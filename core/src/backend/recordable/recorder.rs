//! The recording of a thread, and its replays.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};

use super::super::{Backend, Interface, Memory, Recorded, RecordedStep, not_capturable, refusals};
use crate::error::{Error, Result};

thread_local! {
    /// The device that this thread records; null if it records none.
    static DEVICE: Cell<*const ()> = const { Cell::new(std::ptr::null()) };
    static RECORDING: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

/// A request that can be made again.
pub(super) type Run = Box<dyn Fn(&dyn Backend, &Memories, &[u64]) -> Result<()> + Send + Sync>;

/// A request that was kept.
pub(super) struct Step {
    name: RecordedStep,
    /// Numbers of its memories.
    uses: Vec<usize>,
    slot: Option<usize>,
    run: Run,
}

/// A memory of the recorded run.
enum Place {
    Outside,
    /// Of this many bytes.
    Own(usize),
}

/// A recording under way.
#[derive(Default)]
struct Recording {
    steps: Vec<Step>,
    places: Vec<Place>,
    /// Numbers of memories by their addresses.
    numbers: HashMap<*const (), usize>,
    /// Handles on memory of the recording, which keep the addresses from standing for other memory.
    handles: Vec<Weak<dyn Memory>>,
}

fn address(memory: &dyn Memory) -> *const () {
    std::ptr::from_ref(memory.of_device()).cast()
}

impl Recording {
    fn number(&mut self, memory: &dyn Memory) -> usize {
        let places = &mut self.places;
        *self.numbers.entry(address(memory)).or_insert_with(|| {
            places.push(Place::Outside);
            places.len() - 1
        })
    }
}

/// The device that the thread records.
#[inline]
pub(super) fn device() -> *const () {
    DEVICE.get()
}

fn with<T>(act: impl FnOnce(&mut Recording) -> T) -> T {
    RECORDING.with_borrow_mut(|recording| match recording {
        Some(recording) => act(recording),
        None => unreachable!("a thread that is active has a recording"),
    })
}

/// Where a request's memories get their numbers.
pub(super) struct Places<'r> {
    recording: &'r mut Recording,
    uses: Vec<usize>,
    outside: bool,
    slot: Option<usize>,
}

impl Places<'_> {
    /// The number of a memory that is read.
    pub(super) fn read(&mut self, memory: &dyn Memory) -> usize {
        let number = self.recording.number(memory);
        self.uses.push(number);
        number
    }

    /// Notes the slot that moves a launch's first scalar.
    pub(super) fn slot(&mut self, slot: Option<usize>) {
        self.slot = slot;
    }

    /// The number of a memory that is written.
    pub(super) fn written(&mut self, memory: &dyn Memory) -> usize {
        let number = self.read(memory);
        self.outside |= matches!(self.recording.places[number], Place::Outside);
        number
    }
}

/// A step of a request, unless it writes memory from outside.
pub(super) fn step(keep: impl FnOnce(&mut Places<'_>) -> (RecordedStep, Run)) -> Result<Step> {
    with(|recording| {
        let mut places = Places { recording, uses: Vec::new(), outside: false, slot: None };
        let (name, run) = keep(&mut places);
        let Places { uses, outside, slot, .. } = places;
        if outside {
            return Err(not_capturable("write", refusals::WRITES));
        }
        Ok(Step { name, uses, slot, run })
    })
}

/// Keeps a step that was done.
pub(super) fn push(step: Step) {
    with(|recording| recording.steps.push(step));
}

/// Notes memory that the thread has taken.
pub(super) fn taken(memory: &Arc<dyn Memory>) {
    with(|recording| {
        recording.handles.push(Arc::downgrade(memory));
        recording.places.push(Place::Own(memory.bytes()));
        recording.numbers.insert(address(&**memory), recording.places.len() - 1);
    });
}

pub(super) fn begin(device: *const ()) -> Result<()> {
    RECORDING.with_borrow_mut(|recording| {
        if recording.is_some() {
            return Err(not_capturable("capture", refusals::TWICE));
        }
        *recording = Some(Recording::default());
        DEVICE.set(device);
        Ok(())
    })
}

fn take(device: *const ()) -> Option<Recording> {
    if DEVICE.get() != device {
        return None;
    }
    DEVICE.set(std::ptr::null());
    RECORDING.take()
}

pub(super) fn cancel(device: *const ()) {
    drop(take(device));
}

pub(super) fn end(
    device: *const (),
    backend: Arc<dyn Backend>,
    interface: Interface,
) -> Result<Box<dyn Recorded>> {
    let Some(Recording { steps, places, numbers, .. }) = take(device) else {
        return Err(not_capturable("capture", refusals::NO_RECORDING));
    };
    let number = |memory: &Arc<dyn Memory>| numbers.get(&address(&**memory)).copied();
    let mut sources: Vec<Source> = places
        .iter()
        .map(|place| match place {
            Place::Own(bytes) => Source::Own(*bytes),
            Place::Outside => Source::Nothing,
        })
        .collect();
    for memory in &interface.outside {
        if let Some(number) = number(memory) {
            sources[number] = Source::Kept(memory.clone());
        }
    }
    for (input, memory) in interface.inputs.iter().enumerate() {
        if let Some(number) = number(memory) {
            sources[number] = Source::Input(input);
        }
    }
    if steps
        .iter()
        .flat_map(|step| &step.uses)
        .any(|&number| matches!(sources[number], Source::Nothing))
    {
        return Err(not_capturable("capture", refusals::NOT_HELD));
    }
    let own = |memory: &Arc<dyn Memory>| {
        number(memory).filter(|&number| matches!(sources[number], Source::Own(_)))
    };
    let outputs: Option<Vec<usize>> = interface.outputs.iter().map(own).collect();
    let outputs = outputs.ok_or_else(|| not_capturable("capture", refusals::OUTPUT))?;
    // Where each memory is used last; outputs stay.
    let mut last = vec![0; sources.len()];
    for (place, step) in steps.iter().enumerate() {
        step.uses.iter().for_each(|&number| last[number] = place);
    }
    outputs.iter().for_each(|&number| last[number] = usize::MAX);
    let inputs = interface.inputs.iter().map(|memory| memory.bytes()).collect();
    let slots = steps.iter().filter_map(|step| step.slot).map(|slot| slot + 1).max().unwrap_or(0);
    Ok(Box::new(List { backend, steps, sources, last, inputs, outputs, slots }))
}

/// What stands for a memory in a replay.
enum Source {
    Nothing,
    Input(usize),
    Kept(Arc<dyn Memory>),
    /// Memory of the replay, of this many bytes.
    Own(usize),
}

/// The memories of a replay.
pub(super) struct Memories(Vec<Option<Arc<dyn Memory>>>);

impl Memories {
    /// A memory that is there.
    pub(super) fn at(&self, number: usize) -> &dyn Memory {
        match &self.0[number] {
            Some(memory) => memory.of_device(),
            None => unreachable!("memory is there from its first use to its last"),
        }
    }
}

/// A recording that has ended.
struct List {
    backend: Arc<dyn Backend>,
    steps: Vec<Step>,
    sources: Vec<Source>,
    last: Vec<usize>,
    /// Bytes of each input.
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    /// How many slots move something.
    slots: usize,
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "List({} steps, {} memories)", self.steps.len(), self.sources.len())
    }
}

impl List {
    fn fits(&self, inputs: &[Arc<dyn Memory>], slots: &[u64]) -> Result<()> {
        let refused = |reason: String| Err(Error::Launch { op: "replay", reason });
        if slots.len() < self.slots {
            return refused(format!("{} slots: expected {}", slots.len(), self.slots));
        }
        if inputs.len() != self.inputs.len() {
            return refused(format!("{} inputs: expected {}", inputs.len(), self.inputs.len()));
        }
        for (number, (memory, &bytes)) in inputs.iter().zip(&self.inputs).enumerate() {
            if memory.bytes() != bytes {
                return refused(format!(
                    "input {number} of {} bytes: expected {bytes}",
                    memory.bytes()
                ));
            }
        }
        Ok(())
    }
}

impl Recorded for List {
    fn replay(&self, inputs: &[Arc<dyn Memory>], slots: &[u64]) -> Result<Vec<Arc<dyn Memory>>> {
        if !DEVICE.get().is_null() {
            return Err(not_capturable("launch", refusals::NESTED));
        }
        self.fits(inputs, slots)?;
        let given = |source: &Source| match source {
            Source::Input(input) => Some(inputs[*input].clone()),
            Source::Kept(memory) => Some(memory.clone()),
            Source::Own(_) | Source::Nothing => None,
        };
        let mut memories = Memories(self.sources.iter().map(given).collect());
        let take = |memories: &mut Memories, number: usize| -> Result<()> {
            if let (Source::Own(bytes), None) = (&self.sources[number], &memories.0[number]) {
                memories.0[number] = Some(self.backend.allocate(*bytes)?);
            }
            Ok(())
        };
        for (place, step) in self.steps.iter().enumerate() {
            for &number in &step.uses {
                take(&mut memories, number)?;
            }
            (step.run)(&*self.backend, &memories, slots)?;
            for &number in step.uses.iter().filter(|&&number| self.last[number] == place) {
                memories.0[number] = None;
            }
        }
        let output = |&number: &usize| {
            take(&mut memories, number)?;
            match &memories.0[number] {
                Some(memory) => Ok(memory.clone()),
                None => unreachable!("an output stays"),
            }
        };
        self.outputs.iter().map(output).collect()
    }

    fn steps(&self) -> Vec<RecordedStep> {
        self.steps.iter().map(|step| step.name.clone()).collect()
    }

    fn bytes(&self) -> usize {
        // Bytes that were written are kept in the steps.
        self.steps.iter().map(|step| step.name.bytes).sum()
    }
}
