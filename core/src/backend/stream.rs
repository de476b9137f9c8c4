//! Streams of a device, and events in them. A thread's work goes to its current stream, the default one if it has entered
//! none. Work of one stream runs in order; work in another stream waits only for the writes of the memory that it uses.
//! Events are for times, and for the order of work that this engine does not see.

use std::any::Any;
use std::fmt::Debug;
use std::ops::RangeFull;

use crate::error::Result;

/// How urgent the work of a stream is, as the priority of `cupy.cuda.Stream`. `..` is [`Priority::Normal`].
///
/// A device prefers blocks of kernels of the more urgent stream when it has room for new ones; it interrupts none. A driver
/// without a priority above or below the normal one has the normal one in its place: CUDA has none below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Priority {
    /// The most urgent that the driver has.
    High,
    /// The priority of the default stream.
    #[default]
    Normal,
    /// The least urgent that the driver has.
    Low,
}

impl From<RangeFull> for Priority {
    fn from(_: RangeFull) -> Self {
        Self::Normal
    }
}

/// Work for the host.
pub type HostFunction = Box<dyn FnOnce() + Send>;

/// A stream other than the default one. Its work goes on after it is dropped.
pub trait Stream: Any + Debug + Send + Sync {
    /// Makes it the thread's current stream on its device until the result is dropped.
    fn enter(&self) -> Box<dyn EnteredStream + '_>;

    /// Waits until all its work is done.
    fn synchronize(&self) -> Result<()>;

    /// Tests whether it has no work left.
    fn is_idle(&self) -> Result<bool>;

    /// Records an event after the work that it has now.
    fn record(&self) -> Result<Box<dyn Event>>;

    /// Makes its further work wait for an event, whose device may be another one. `false` says that this device cannot wait
    /// for the event; then nothing was done.
    fn wait(&self, event: &dyn Event) -> Result<bool>;

    /// Calls the function once, on a thread of the driver, when the work that it has now is done. Its further work waits for
    /// the function.
    fn then(&self, function: HostFunction) -> Result<()>;

    /// The vendor's handle.
    fn native(&self) -> u64;
}

/// A place in the work of a stream.
pub trait Event: Any + Debug + Send + Sync {
    /// Tests whether the stream has done all work before the event.
    fn is_completed(&self) -> Result<bool>;

    /// Waits until the event has completed.
    fn synchronize(&self) -> Result<()>;

    /// Seconds from the completion of another event of this device to that of this one; waits for both.
    fn elapsed_since(&self, earlier: &dyn Event) -> Result<f64>;
}

/// Keeps a stream current on this thread until it is dropped.
pub trait EnteredStream: Debug {}
