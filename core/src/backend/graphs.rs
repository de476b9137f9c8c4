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
use crate::error::Result;

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
