//! Copies between the host and the device.
//!
//! The host's own memory may move or be paged out, so a device copies it slowly if at all while the host does other
//! things. Values go through page-locked staging buffers instead, which are kept: threads fill (or empty) some while
//! the device copies others. A transfer that fits one buffer takes no other thread. An upload may return while the
//! device still copies from staging buffers; a download waits.
//!
//! Deliberately absent: the order of streams and deferred errors (see `runtime.rs`).

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use ndany_core::Result;
use ndany_core::backend::apart;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::checked::CheckedDriver;
use crate::driver::{Address, Event};
use crate::stream::{StreamId, Streams};

/// Bytes of a staging buffer for short transfers.
const SMALL: usize = 64 << 10;

/// Maximum number of them that are kept.
const MOST_SMALL: usize = 16;

/// Bytes of a staging buffer for long transfers. Smaller ones cost more calls, larger ones let the device wait for the
/// first.
const LARGE: usize = 2 << 20;

/// Transfers up to this many bytes are not worth other threads.
const ALONE: usize = LARGE;

/// Threads that copy. A few keep a bus busy; the others bring in pages of fresh memory, which takes longer.
const MOST_THREADS: usize = 16;

/// A staging buffer: page-locked memory of the host.
#[derive(Debug)]
struct StagingBuffer {
    memory: *mut u8,
    /// Event recorded after the last device use.
    event: Event,
    /// Whether the event may not have completed.
    busy: bool,
}

// SAFETY: the memory belongs to the buffer alone, and page-locked memory may be used by any thread.
unsafe impl Send for StagingBuffer {}

/// Staging buffers of one size.
#[derive(Debug)]
struct StagingPool {
    bytes: usize,
    /// How many are kept.
    most: usize,
    state: Mutex<StagingState>,
}

#[derive(Debug, Default)]
struct StagingState {
    /// Those that no transfer holds, the longest idle first.
    idle: VecDeque<StagingBuffer>,
    /// How many there are, held ones too.
    made: usize,
}

/// The page-locked memory of one device.
#[derive(Debug)]
pub(crate) struct Staging {
    small: StagingPool,
    large: StagingPool,
}

/// The threads that copy, for all devices. Without them, transfers are slower and no less right.
fn threads() -> Option<&'static ThreadPool> {
    static THREADS: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let build = || {
        let count =
            std::thread::available_parallelism().map_or(1, |count| count.get()).min(MOST_THREADS);
        let named = |k| format!("ndany-copy-{k}");
        let built = ThreadPoolBuilder::new().num_threads(count).thread_name(named).build();
        built.inspect_err(|error| tracing::warn!(%error, "no threads to copy with")).ok()
    };
    THREADS.get_or_init(build).as_ref()
}

/// Runs `work` on threads for a transfer of this many bytes; `false`, and it has not run, where one thread had better
/// do it all.
fn shared(bytes: usize, work: &mut (dyn FnMut() + Send)) -> bool {
    let Some(pool) = threads().filter(|_| bytes > ALONE) else { return false };
    if rayon::current_thread_index().is_none() {
        pool.install(work);
        return true;
    }
    // A worker of another pool would take up that pool's jobs meanwhile.
    apart(&mut || pool.install(&mut *work))
}

impl StagingPool {
    fn state(&self) -> MutexGuard<'_, StagingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A buffer that the device does not use.
    fn take(
        &self,
        checked: &CheckedDriver,
        streams: &Streams,
        op: &'static str,
    ) -> Result<StagingBuffer> {
        let mut state = self.state();
        let full = state.made >= self.most;
        let idle = state.idle.pop_front();
        drop(state);
        if let Some(mut buffer) = idle {
            // SAFETY: events live as long as the device.
            let free = checked.call(op, |driver| unsafe {
                if !buffer.busy || driver.is_completed(buffer.event)? {
                    return Ok(true);
                }
                if full {
                    driver.wait_for_event(buffer.event)?;
                }
                Ok(full)
            });
            buffer.busy &= !matches!(free, Ok(true));
            if matches!(free, Ok(true)) {
                return Ok(buffer);
            }
            self.state().idle.push_front(buffer);
            free?;
        }
        let memory = checked.call(op, |driver| driver.allocate_host(self.bytes))?;
        let event = streams.event(checked).inspect_err(|_| {
            // SAFETY: the memory has no other user.
            checked.quietly(|driver| unsafe { driver.free_host(memory) });
        })?;
        self.state().made += 1;
        Ok(StagingBuffer { memory, event, busy: false })
    }

    /// Takes a buffer back after the device's calls about it.
    fn give(
        &self,
        checked: &CheckedDriver,
        streams: &Streams,
        stream_id: StreamId,
        mut buffer: StagingBuffer,
        failed: bool,
    ) {
        if failed {
            // If the device may still use it, it is not used again.
            // SAFETY: streams live as long as the device.
            let waited = checked
                .attempt("copy", |driver| unsafe { driver.wait_for_stream(stream_id.handle) });
            if waited.is_err() {
                return;
            }
            buffer.busy = false;
        }
        let mut state = self.state();
        if state.made > self.most && !buffer.busy {
            state.made -= 1;
            drop(state);
            discard(checked, streams, &buffer);
        } else {
            state.idle.push_back(buffer);
        }
    }
}

/// Asks for large pages: a download mostly fills fresh memory, and mapping it page by page would take several times as
/// long as the copy. The advice may be ignored.
fn ask_for_large_pages(bytes: &mut [u8]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4 << 10;
        let skipped = bytes.as_ptr().align_offset(PAGE);
        if let Some(inside) = bytes.get_mut(skipped..) {
            let whole = inside.len() / PAGE * PAGE;
            // SAFETY: whole pages of a live slice; the advice changes no byte.
            unsafe { libc::madvise(inside.as_mut_ptr().cast(), whole, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

fn discard(checked: &CheckedDriver, streams: &Streams, buffer: &StagingBuffer) {
    streams.keep(buffer.event);
    // SAFETY: the device has finished with it and no transfer holds it.
    checked.quietly(|driver| unsafe { driver.free_host(buffer.memory) });
}

impl Staging {
    pub(crate) fn new() -> Self {
        let staging_pool = |bytes, most| StagingPool { bytes, most, state: Mutex::default() };
        Self {
            small: staging_pool(SMALL, MOST_SMALL),
            large: staging_pool(LARGE, 2 * MOST_THREADS),
        }
    }

    /// Copies to the device, in the order of the stream. The bytes have been read when it returns.
    ///
    /// # Safety
    /// `to..to + bytes.len()` is one live allocation that the stream may write.
    pub(crate) unsafe fn upload(
        &self,
        checked: &CheckedDriver,
        streams: &Streams,
        stream_id: StreamId,
        to: Address,
        bytes: &[u8],
    ) -> Result<()> {
        // A forked child has no threads to ask.
        checked.call("write", |_| Ok(()))?;
        let (staging_pool, piece) = self.staging_pool(bytes.len());
        let upload = |(k, part): (usize, &[u8])| {
            let mut buffer = staging_pool.take(checked, streams, "write")?;
            // SAFETY: a chunk has at least as many bytes as a part, and is held here alone; the addresses are the
            // caller's, and the event says when the device has read the chunk.
            let done = checked.call("write", |driver| unsafe {
                std::ptr::copy_nonoverlapping(part.as_ptr(), buffer.memory, part.len());
                driver.upload(
                    to + (k * piece) as u64,
                    buffer.memory,
                    part.len(),
                    stream_id.handle,
                )?;
                driver.record(buffer.event, stream_id.handle)
            });
            buffer.busy = true;
            staging_pool.give(checked, streams, stream_id, buffer, done.is_err());
            done
        };
        let mut done = Ok(());
        let mut work = || done = bytes.par_chunks(piece).enumerate().try_for_each(upload);
        match shared(bytes.len(), &mut work) {
            true => done,
            false => bytes.chunks(piece).enumerate().try_for_each(upload),
        }
    }

    /// Copies to the host, in the order of the stream, and waits.
    ///
    /// # Safety
    /// `from..from + bytes.len()` is one live allocation that the stream may read.
    pub(crate) unsafe fn download(
        &self,
        checked: &CheckedDriver,
        streams: &Streams,
        stream_id: StreamId,
        from: Address,
        bytes: &mut [u8],
    ) -> Result<()> {
        // A forked child has no threads to ask.
        checked.call("read", |_| Ok(()))?;
        let device = checked.driver().name();
        let (staging_pool, piece) = self.staging_pool(bytes.len());
        let download = |(k, part): (usize, &mut [u8])| {
            let buffer = staging_pool.take(checked, streams, "read")?;
            // SAFETY: a chunk has at least as many bytes as a part, and is held here alone; the addresses are the
            // caller's, and the chunk is read after the wait for the event recorded after the copy.
            let done = checked.call("read", |driver| unsafe {
                driver.download(
                    buffer.memory,
                    from + (k * piece) as u64,
                    part.len(),
                    stream_id.handle,
                )?;
                driver.record(buffer.event, stream_id.handle)?;
                let span = tracing::debug_span!("wait", device, of = "transfer");
                span.in_scope(|| driver.wait_for_event(buffer.event))?;
                std::ptr::copy_nonoverlapping(buffer.memory, part.as_mut_ptr(), part.len());
                Ok(())
            });
            staging_pool.give(checked, streams, stream_id, buffer, done.is_err());
            done
        };
        let length = bytes.len();
        if length > ALONE {
            ask_for_large_pages(bytes);
        }
        let mut done = Ok(());
        let mut work = || done = bytes.par_chunks_mut(piece).enumerate().try_for_each(download);
        match shared(length, &mut work) {
            true => done,
            false => bytes.chunks_mut(piece).enumerate().try_for_each(download),
        }
    }

    /// The staging buffers for a transfer, and the bytes of its parts.
    fn staging_pool(&self, bytes: usize) -> (&StagingPool, usize) {
        match bytes {
            0..=SMALL => (&self.small, SMALL),
            _ => (&self.large, LARGE.min(bytes.div_ceil(2 * MOST_THREADS)).max(LARGE / 8)),
        }
    }

    /// Gives everything back; nothing is under way.
    pub(crate) fn close(&mut self, checked: &CheckedDriver, streams: &Streams) {
        for staging_pool in [&mut self.small, &mut self.large] {
            let state = staging_pool.state.get_mut().unwrap_or_else(PoisonError::into_inner);
            state.idle.drain(..).for_each(|buffer| discard(checked, streams, &buffer));
        }
    }
}

#[cfg(test)]
mod tests;
