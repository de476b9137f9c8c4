//! Streams of a device. A thread's work goes to its current stream, the default one if it has entered none. Work of one
//! stream runs in order; work in another stream waits only for the writes of the memory that it uses.

use std::fmt::Debug;

use crate::error::Result;

/// A stream other than the default one. Its work goes on after it is dropped.
pub trait Stream: Debug + Send + Sync {
    /// Makes it the thread's current stream on its device until the result is dropped.
    fn enter(&self) -> Box<dyn EnteredStream + '_>;

    /// Waits until all its work is done.
    fn synchronize(&self) -> Result<()>;
}

/// Keeps a stream current on this thread until it is dropped.
pub trait EnteredStream: Debug {}
