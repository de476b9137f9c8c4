//! Recording what a thread asks of a device, and replaying it.
//!
//! # Contract
//! - From [`Graphs::begin`] to [`Graphs::end`] or [`Graphs::cancel`], what the calling thread asks of the device is done as always,
//!   and recorded. What other threads ask is not recorded.
//! - Memory that the thread allocates meanwhile is the recording's own: each replay has memory of its own in its place. All
//!   other memory is outside: replays read it as it is then, so [`Interface::outside`] has to hold all of it that the recorded
//!   work reads. Inputs are memory from outside in whose place each replay has another one.
//! - Bytes that [`Backend::write`](super::Backend::write) copies to memory of the recording are kept, and each replay begins with them.
//! - Refused while a thread records, with [`Error::NotCapturable`](crate::Error::NotCapturable): what waits for the device or brings
//!   values to the host, copies between devices, writes to memory from outside, and what a replay cannot repeat (events,
//!   functions of the host). Nothing is done then, and the recording goes on.
//! - A replay has the bits and the errors of the same calls made anew, in the calling thread's current stream. Errors that the
//!   device finds later are told as those of the recorded calls, at the places of these.

use std::fmt::Debug;
use std::sync::Arc;

use super::Memory;
use crate::error::{Error, Result};

/// Returns the error of what a graph cannot repeat.
pub fn not_capturable(op: &str, reason: &str) -> Error {
    Error::NotCapturable { op: op.to_string(), reason: reason.to_string() }
}

/// Why requests are refused while a thread records: the same words on every device.
pub mod refusals {
    /// Of reads.
    pub const READS: &str =
        "values come to the host: read them after the graph's launch, or compute with arrays";
    /// Of waiting for the device.
    pub const WAITS: &str = "it waits for the device: wait after the graph's launch";
    /// Of loans to other libraries.
    pub const LOANS: &str = "another library's work is not recorded: lend after the graph's launch";
    /// Of solutions by a library's factors.
    pub const FACTORS: &str =
        "a library's factors are not recorded: solve before or after the graph";
    /// Of copies between devices.
    pub const MOVES: &str = "it moves values between devices: do that before the graph";
    /// Of partitions.
    pub const SIZES: &str = "it waits for the sizes of parts: sort in its place";
    /// Of writes to memory from outside.
    pub const WRITES: &str = "it writes to an array from outside of the closure: make that an input and return the result";
    /// Of launches of graphs.
    pub const NESTED: &str = "a graph within a graph: call its closure in its place";
    /// Of a second recording.
    pub const TWICE: &str = "this thread records a graph already";
    /// Of an end without a beginning.
    pub const NO_RECORDING: &str = "this thread records no graph of the device";
    /// Of a recording that uses memory which its [`Interface`](super::Interface) does not hold.
    pub const NOT_HELD: &str = "it uses memory that nothing holds after the recording";
    /// Of an output from outside.
    pub const OUTPUT: &str = "an output is not of the recording";
}

/// A device that records what a thread asks of it.
pub trait Graphs {
    /// Begins to record what the calling thread asks of the device. A thread records once at a time.
    fn begin(&self) -> Result<()>;

    /// Ends the calling thread's recording. After an error there is none any more.
    fn end(&self, interface: Interface) -> Result<Box<dyn Recorded>>;

    /// Ends the calling thread's recording, if there is one, and forgets it.
    fn cancel(&self);
}

/// What a recording has in common with its surroundings.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// Memory from outside in whose place each replay has another one of as many bytes.
    pub inputs: Vec<Arc<dyn Memory>>,
    /// Memory of the recording whose counterparts a replay returns.
    pub outputs: Vec<Arc<dyn Memory>>,
    /// All other memory from outside that the recorded work may read. It is kept.
    pub outside: Vec<Arc<dyn Memory>>,
}

/// A piece of recorded work, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedStep {
    /// What it is: the execution pattern, or the kernel's name.
    pub name: String,
    /// Blocks of a kernel's launch; zeros for what is no kernel.
    pub grid: [u32; 3],
    /// Threads of a block; zeros for what is no kernel.
    pub block: [u32; 3],
    /// Bytes of the host that it keeps.
    pub bytes: usize,
}

/// What a thread has asked of a device.
pub trait Recorded: Debug + Send + Sync {
    /// Does it again, in the calling thread's current stream, and returns the memories of the outputs.
    ///
    /// `inputs` is memory of the device, one for each input, of as many bytes. `slots` has for each slot that a recorded
    /// [`Launch::slot`](super::Launch::slot) names what is added, wrapping, to the first scalar of those launches.
    fn replay(&self, inputs: &[Arc<dyn Memory>], slots: &[u64]) -> Result<Vec<Arc<dyn Memory>>>;

    /// What is done, in its order.
    fn steps(&self) -> Vec<RecordedStep>;

    /// Bytes of memory that it keeps between replays, but for memory from outside.
    fn bytes(&self) -> usize;
}
