//! Blocks of a cooperative launch, which run at the same time and wait for each other.
//!
//! A thread that waits for other blocks says so; it ends when another block has stopped, and when it has waited for so
//! long that the others cannot come any more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest wait for other blocks.
const LONGEST: Duration = Duration::from_secs(20);

/// What the blocks of a launch have in common.
#[derive(Debug, Default)]
pub(super) struct Together {
    stopped: AtomicBool,
}

impl Together {
    /// A block has stopped.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Lets other blocks go on; why the wait has no end, if it has none. `since` is when it began.
    pub(super) fn wait(&self, since: &mut Option<Instant>) -> Result<(), &'static str> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err("waits for a block that has stopped");
        }
        if since.get_or_insert_with(Instant::now).elapsed() > LONGEST {
            return Err("is in a deadlock: a thread waits for other blocks");
        }
        std::thread::yield_now();
        Ok(())
    }
}
