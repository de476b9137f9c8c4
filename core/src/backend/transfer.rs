//! Copies between the host and a device that own the host's memory while they are under way.

use std::any::Any;
use std::fmt::Debug;

use crate::error::Result;

/// Page-locked memory of the host. It begins as zeros, aligned for every dtype; dropping it gives it back.
pub trait HostMemory: Any + Debug + Send + Sync {
    /// The bytes.
    fn bytes(&self) -> &[u8];

    /// The bytes, to be written.
    fn bytes_mut(&mut self) -> &mut [u8];
}

/// A copy under way. Dropping it waits.
pub trait Transfer: Debug + Send + Sync {
    /// Tests whether the copy is done.
    fn is_completed(&self) -> Result<bool>;

    /// Waits until the copy is done, and returns the memory. A copy from the device reports what failed in the work that
    /// makes the values.
    fn wait(self: Box<Self>) -> Result<Box<dyn HostMemory>>;
}
