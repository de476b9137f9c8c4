//! Copies between the host and the device.
//!
//! The host's own memory may move or be paged out, so a device copies it slowly if at all while the host does other
//! things. Values go through page-locked chunks instead, which are kept: threads fill (or empty) some while the
//! device copies others. A transfer that fits a chunk takes one and no thread. An upload may return while the device
//! still copies from chunks; a download waits.
//!
//! Deliberately absent: the order of streams and faults (see `runtime.rs`).

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use ndany_core::Result;
use ndany_core::backend::apart;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::driver::{Address, Driver, Event};
use crate::link::Link;
use crate::stream::{Lane, Streams};

/// Bytes of a chunk for short transfers.
const SMALL: usize = 64 << 10;

/// How many of them are kept.
const MOST_SMALL: usize = 16;

/// Bytes of a chunk for long transfers. Smaller ones cost more calls, larger ones let the device wait for the first.
const LARGE: usize = 2 << 20;

/// Transfers up to this many bytes are not worth other threads.
const ALONE: usize = LARGE;

/// Threads that copy. A few keep a bus busy; the others bring in pages of fresh memory, which takes longer.
const MOST_THREADS: usize = 16;

/// Page-locked memory.
#[derive(Debug)]
struct Chunk {
    memory: *mut u8,
    /// Stands behind the device's last use of it.
    event: Event,
    /// May the device still use it?
    busy: bool,
}

// SAFETY: the memory belongs to the chunk alone, and page-locked memory may be used by any thread.
unsafe impl Send for Chunk {}

/// Chunks of one size.
#[derive(Debug)]
struct Shelf {
    bytes: usize,
    /// How many are kept.
    most: usize,
    state: Mutex<Stock>,
}

#[derive(Debug, Default)]
struct Stock {
    /// Those that no transfer holds, the longest idle first.
    idle: VecDeque<Chunk>,
    /// How many there are, held ones too.
    made: usize,
}

/// The page-locked memory of one device.
#[derive(Debug)]
pub(crate) struct Staging {
    small: Shelf,
    large: Shelf,
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

/// Runs `work` on threads for a transfer of this many bytes; `false`, and it has not run, where one thread had better do
/// it all.
fn shared(bytes: usize, work: &mut (dyn FnMut() + Send)) -> bool {
    let Some(pool) = threads().filter(|_| bytes > ALONE) else { return false };
    if rayon::current_thread_index().is_none() {
        pool.install(work);
        return true;
    }
    // A worker of another pool would take up that pool's jobs meanwhile.
    apart(&mut || pool.install(&mut *work))
}

impl Shelf {
    fn stock(&self) -> MutexGuard<'_, Stock> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A chunk that the device does not use.
    fn take<D: Driver>(
        &self,
        link: &Link<D>,
        streams: &Streams,
        op: &'static str,
    ) -> Result<Chunk> {
        let mut stock = self.stock();
        let full = stock.made >= self.most;
        let idle = stock.idle.pop_front();
        drop(stock);
        if let Some(mut chunk) = idle {
            // SAFETY: events live as long as the device.
            let free = link.call(op, |driver| unsafe {
                if !chunk.busy || driver.is_past(chunk.event)? {
                    return Ok(true);
                }
                if full {
                    driver.wait_for_event(chunk.event)?;
                }
                Ok(full)
            });
            chunk.busy &= !matches!(free, Ok(true));
            if matches!(free, Ok(true)) {
                return Ok(chunk);
            }
            self.stock().idle.push_front(chunk);
            free?;
        }
        let memory = link.call(op, |driver| driver.allocate_host(self.bytes))?;
        let event = streams.event(link).inspect_err(|_| {
            // SAFETY: nobody else knows the memory.
            link.quietly(|driver| unsafe { driver.free_host(memory) });
        })?;
        self.stock().made += 1;
        Ok(Chunk { memory, event, busy: false })
    }

    /// Takes a chunk back after a call of the device about it.
    fn give<D: Driver>(
        &self,
        link: &Link<D>,
        streams: &Streams,
        lane: Lane,
        mut chunk: Chunk,
        failed: bool,
    ) {
        if failed {
            // Is the device still at it? If that cannot be known, nobody has it again.
            // SAFETY: streams live as long as the device.
            let waited =
                link.attempt("copy", |driver| unsafe { driver.wait_for_stream(lane.handle) });
            if waited.is_err() {
                return;
            }
            chunk.busy = false;
        }
        let mut stock = self.stock();
        if stock.made > self.most && !chunk.busy {
            stock.made -= 1;
            drop(stock);
            discard(link, streams, &chunk);
        } else {
            stock.idle.push_back(chunk);
        }
    }
}

/// Fresh memory is mostly what a download fills, and to bring its pages in one by one would take several times as long as
/// the copy. Nobody minds if it is not done.
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

fn discard<D: Driver>(link: &Link<D>, streams: &Streams, chunk: &Chunk) {
    streams.keep(chunk.event);
    // SAFETY: the device is past its use and nobody holds it.
    link.quietly(|driver| unsafe { driver.free_host(chunk.memory) });
}

impl Staging {
    pub(crate) fn new() -> Self {
        let shelf = |bytes, most| Shelf { bytes, most, state: Mutex::default() };
        Self { small: shelf(SMALL, MOST_SMALL), large: shelf(LARGE, 2 * MOST_THREADS) }
    }

    /// Copies to the device, in the order of the stream. The bytes have been read when it returns.
    ///
    /// # Safety
    /// There are so many bytes at the address, and the stream may write them.
    pub(crate) unsafe fn upload<D: Driver>(
        &self,
        link: &Link<D>,
        streams: &Streams,
        lane: Lane,
        to: Address,
        bytes: &[u8],
    ) -> Result<()> {
        // A forked child has no threads to ask.
        link.call("write", |_| Ok(()))?;
        let (shelf, piece) = self.shelf(bytes.len());
        let upload = |(k, part): (usize, &[u8])| {
            let mut chunk = shelf.take(link, streams, "write")?;
            // SAFETY: a chunk has at least as many bytes as a part, and is held here alone; the addresses are the
            // caller's, and the event says when the device has read the chunk.
            let done = link.call("write", |driver| unsafe {
                std::ptr::copy_nonoverlapping(part.as_ptr(), chunk.memory, part.len());
                driver.upload(to + (k * piece) as u64, chunk.memory, part.len(), lane.handle)?;
                driver.record(chunk.event, lane.handle)
            });
            chunk.busy = true;
            shelf.give(link, streams, lane, chunk, done.is_err());
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
    /// There are so many bytes at the address, and the stream may read them.
    pub(crate) unsafe fn download<D: Driver>(
        &self,
        link: &Link<D>,
        streams: &Streams,
        lane: Lane,
        from: Address,
        bytes: &mut [u8],
    ) -> Result<()> {
        // A forked child has no threads to ask.
        link.call("read", |_| Ok(()))?;
        let device = link.driver().name();
        let (shelf, piece) = self.shelf(bytes.len());
        let download = |(k, part): (usize, &mut [u8])| {
            let chunk = shelf.take(link, streams, "read")?;
            // SAFETY: a chunk has at least as many bytes as a part, and is held here alone; the addresses are the
            // caller's, and the chunk is read after the wait for the event behind the copy.
            let done = link.call("read", |driver| unsafe {
                driver.download(
                    chunk.memory,
                    from + (k * piece) as u64,
                    part.len(),
                    lane.handle,
                )?;
                driver.record(chunk.event, lane.handle)?;
                let span = tracing::debug_span!("wait", device, of = "transfer");
                span.in_scope(|| driver.wait_for_event(chunk.event))?;
                std::ptr::copy_nonoverlapping(chunk.memory, part.as_mut_ptr(), part.len());
                Ok(())
            });
            shelf.give(link, streams, lane, chunk, done.is_err());
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

    /// The chunks for a transfer, and the bytes of its parts.
    fn shelf(&self, bytes: usize) -> (&Shelf, usize) {
        match bytes {
            0..=SMALL => (&self.small, SMALL),
            _ => (&self.large, LARGE.min(bytes.div_ceil(2 * MOST_THREADS)).max(LARGE / 8)),
        }
    }

    /// Gives everything back; nothing is under way.
    pub(crate) fn close<D: Driver>(&mut self, link: &Link<D>, streams: &Streams) {
        for shelf in [&mut self.small, &mut self.large] {
            let stock = shelf.state.get_mut().unwrap_or_else(PoisonError::into_inner);
            stock.idle.drain(..).for_each(|chunk| discard(link, streams, &chunk));
        }
    }
}

#[cfg(test)]
mod tests;
