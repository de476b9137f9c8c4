//! Functions that are told what a device's pool does.

use std::fmt;
use std::sync::Arc;

use crate::device::Device;
use ndany_core::Result;
use ndany_core::backend::{MemoryEvent, MemoryHook};

/// Keeps a function told of what a device's pool does; see [`Device::on_memory`].
pub struct MemoryHookGuard {
    device: Device,
    hook: MemoryHook,
}

impl Device {
    /// Tells a function what the device's memory pool does until the guard is dropped, as `cupy.cuda.MemoryHook`.
    ///
    /// It is called on the thread where the event happens, which waits for it. Its own use of the device's memory calls no
    /// hook, and a panic in it ends the hook alone.
    ///
    /// - **Errors**: a device without a pool: the CPU's memory is the system's.
    ///
    /// ```
    /// use ndany::{Device, MemoryEvent};
    /// let print = |event: MemoryEvent| println!("{event:?}");
    /// assert!(Device::open("reference")?.on_memory(print).is_err());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn on_memory(
        &self,
        hook: impl Fn(MemoryEvent) + Send + Sync + 'static,
    ) -> Result<MemoryHookGuard> {
        let hook: MemoryHook = Arc::new(hook);
        self.pool("on_memory")?.add_hook(hook.clone());
        Ok(MemoryHookGuard { device: self.clone(), hook })
    }
}

impl fmt::Debug for MemoryHookGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryHookGuard").field("device", &self.device).finish_non_exhaustive()
    }
}

impl Drop for MemoryHookGuard {
    fn drop(&mut self) {
        if let Some(pool) = self.device.backend().pool() {
            pool.remove_hook(&self.hook);
        }
    }
}
