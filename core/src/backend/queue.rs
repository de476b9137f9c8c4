//! Queues of work of a device. A thread's work goes into its current one, the default queue if it has entered none.
//! Work of one queue runs in order; work in another waits for nothing but what wrote the memory it uses.

use std::fmt::Debug;

use crate::error::Result;

/// A queue of work beside the default one. Dropping it leaves its work to go on.
pub trait Queue: Debug + Send + Sync {
    /// Makes it the thread's current queue on its device until the result is dropped, which is before it is.
    fn enter(&self) -> Box<dyn Entered + '_>;

    /// Waits until it has nothing left.
    fn synchronize(&self) -> Result<()>;
}

/// While it lives, a queue is the thread's current one.
pub trait Entered: Debug {}
