//! Host memory for arrays: aligned for SIMD, kept for reuse when it is large.
//!
//! Fresh pages cost more than the arithmetic done in them, and an aligned request of a few kilobytes more
//! than an operation on them, so freed pieces of at least [`KEEP_FROM`] bytes wait in a list of the device,
//! up to [`KEEP_AT_MOST`] bytes in all, for a request of the same rounded size.

use std::alloc::{Layout, alloc, dealloc};
use std::any::Any;
use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use ndany_core::backend::Memory;
use ndany_core::host::Lack;
use ndany_core::{Element, Error, Result};

/// A cache line, and the width of the widest registers.
pub(crate) const ALIGN: usize = 64;
/// Pieces below this go back to the allocator at once.
const KEEP_FROM: usize = 512;
/// Pieces from here on are whole pages; below, powers of two, so that few sizes wait.
const PAGES_FROM: usize = 1 << 16;
/// A large page, and the alignment of pieces from [`LARGE_FROM`] on.
const LARGE_PAGE: usize = 2 << 20;
/// Pieces from here on ask for large pages. A walk across rows, as a transposition makes it, visits a page
/// for each element, and there is room in the processor's tables for few; small pages cost a factor of two.
const LARGE_FROM: usize = 2 * LARGE_PAGE;
/// Bytes that wait for reuse at most.
const KEEP_AT_MOST: usize = 1 << 30;

/// A piece of memory, given back to where it came from when dropped.
#[derive(Debug)]
pub(crate) struct HostMemory {
    start: NonNull<u8>,
    origin: Origin,
}

/// Where memory came from.
#[derive(Debug)]
enum Origin {
    /// A pool, by this many bytes.
    Pool(Arc<Pool>, usize),
    /// A `Vec` that was taken over: its capacity, and what makes it a `Vec` again and drops it.
    Vec { capacity: usize, free: unsafe fn(*mut u8, usize) },
}

// SAFETY: the piece is plain bytes, owned by this value; who writes to it when is ordered by core, which
// lets nobody read an output before the call that writes it has returned.
unsafe impl Send for HostMemory {}
// SAFETY: as above; shared handles give out the address only, and each use of it states its exclusivity.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// The first byte.
    pub(crate) fn address(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Takes the elements of a `Vec` over where they lie. Views begin at any element, so loops ask for
    /// no more than elements that are aligned for their size (complex numbers as one word), and bytes may be
    /// read again as words: a `Vec` that is not aligned for these comes back.
    pub(crate) fn adopt<T: Element>(values: Vec<T>) -> Result<Self, Vec<T>> {
        /// # Safety
        /// `start` and `capacity` are those of a `Vec<T>` that nobody else owns.
        unsafe fn free<T>(start: *mut u8, capacity: usize) {
            // SAFETY: the caller's promise; no element is looked at, since elements are plain numbers.
            drop(unsafe { Vec::<T>::from_raw_parts(start.cast(), 0, capacity) });
        }
        if !values.is_empty() && !values.as_ptr().addr().is_multiple_of(size_of::<u64>()) {
            return Err(values);
        }
        let mut values = ManuallyDrop::new(values);
        let start = NonNull::from(values.as_mut_slice()).cast();
        let origin = Origin::Vec { capacity: values.capacity(), free: free::<T> };
        Ok(Self { start, origin })
    }
}

impl Memory for HostMemory {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        match &self.origin {
            Origin::Pool(pool, bytes) => pool.give_back(self.start, *bytes),
            // SAFETY: `adopt` made both from one `Vec`, which this value has owned since.
            Origin::Vec { capacity, free } => unsafe { free(self.start.as_ptr(), *capacity) },
        }
    }
}

/// The address behind a handle of core's.
pub(crate) fn address(memory: &dyn Memory) -> *mut u8 {
    match memory.as_any().downcast_ref::<HostMemory>() {
        Some(memory) => memory.address(),
        None => unreachable!("memory of another device"),
    }
}

/// An address that threads share.
pub(crate) struct Address<T>(pub(crate) *mut T);

// SAFETY: an address; each use of it states why it is allowed.
unsafe impl<T> Sync for Address<T> {}

impl<T> Address<T> {
    /// The address so many elements further.
    pub(crate) fn at(&self, elements: usize) -> *mut T {
        self.0.wrapping_add(elements)
    }
}

/// Asks for a cache line that will be used.
#[inline(always)]
pub(crate) fn prefetch(line: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64; a prefetch reads nothing and faults nowhere.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// Freed pieces by size.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    pieces: BTreeMap<usize, Vec<Piece>>,
    bytes: usize,
}

#[derive(Debug)]
struct Piece(NonNull<u8>);

// SAFETY: a freed piece is owned by the list that holds it.
unsafe impl Send for Piece {}

impl Pool {
    /// Memory of at least this many bytes, not initialized; `None` if there is none.
    pub(crate) fn take(self: &Arc<Self>, bytes: usize) -> Option<HostMemory> {
        let bytes = rounded(bytes)?;
        let reused = if bytes >= KEEP_FROM {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let piece = kept.pieces.get_mut(&bytes).and_then(Vec::pop);
            kept.bytes -= if piece.is_some() { bytes } else { 0 };
            piece
        } else {
            None
        };
        let start = match reused {
            Some(piece) => piece.0,
            None => fresh(bytes).or_else(|| {
                // What waits for reuse may be what is missing.
                self.release();
                fresh(bytes)
            })?,
        };
        Some(HostMemory { start, origin: Origin::Pool(self.clone(), bytes) })
    }

    fn give_back(&self, start: NonNull<u8>, bytes: usize) {
        if bytes >= KEEP_FROM {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.bytes + bytes <= KEEP_AT_MOST {
                kept.bytes += bytes;
                kept.pieces.entry(bytes).or_default().push(Piece(start));
                return;
            }
        }
        free(start, bytes);
    }

    /// Gives everything that waits back to the system.
    fn release(&self) {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        for (bytes, pieces) in kept.pieces {
            for piece in pieces {
                free(piece.0, bytes);
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.release();
    }
}

/// Rounded up so that similar requests share.
fn rounded(bytes: usize) -> Option<usize> {
    match bytes {
        LARGE_FROM.. => {
            // The end of a piece lies in small pages where it does not fill a large one.
            let whole = bytes.checked_next_multiple_of(LARGE_PAGE)?;
            if whole - bytes <= bytes / 8 {
                Some(whole)
            } else {
                bytes.checked_next_multiple_of(4096)
            }
        }
        PAGES_FROM.. => bytes.checked_next_multiple_of(4096),
        KEEP_FROM.. => Some(bytes.next_power_of_two()),
        _ => Some(bytes.max(1).next_multiple_of(ALIGN)),
    }
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes, if bytes >= LARGE_FROM { LARGE_PAGE } else { ALIGN }).ok()
}

fn fresh(bytes: usize) -> Option<NonNull<u8>> {
    // SAFETY: `rounded` makes the size positive.
    let start = NonNull::new(unsafe { alloc(layout(bytes)?) })?;
    #[cfg(target_os = "linux")]
    if bytes >= LARGE_FROM {
        // A wish: where the system does not grant it nothing else changes, so the answer is not read.
        // SAFETY: the range is this very allocation, and the advice leaves its bytes as they are.
        unsafe { libc::madvise(start.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
    }
    Some(start)
}

fn free(start: NonNull<u8>, bytes: usize) {
    if let Some(layout) = layout(bytes) {
        // SAFETY: `start` came from `fresh(bytes)`, with this very layout, and its owner is gone.
        unsafe { dealloc(start.as_ptr(), layout) };
    }
}

/// The error of work that finds no memory beside its operands. Core says for which operation.
pub(crate) fn lack(Lack(bytes): Lack) -> Error {
    Error::OutOfMemory { op: "allocate", device: "cpu".to_string(), requested: bytes, memory: None }
}

/// A buffer of a worker: aligned, not initialized, gone with the worker.
#[derive(Debug)]
pub(crate) struct Scratch {
    start: NonNull<u8>,
    bytes: usize,
}

impl Scratch {
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn new(bytes: usize) -> Result<Self> {
        let rounded = rounded(bytes);
        let made = rounded.and_then(|bytes| Some(Self { start: fresh(bytes)?, bytes }));
        made.ok_or_else(|| lack(Lack(bytes)))
    }

    pub(crate) fn address(&self) -> *mut u8 {
        self.start.as_ptr()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        free(self.start, self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vec_stays_where_it_is() {
        let mut values = vec![1.5f64, 2.5];
        values.reserve(100);
        let address = values.as_mut_ptr().cast::<u8>();
        assert_eq!(HostMemory::adopt(values).expect("aligned").address(), address);
        drop(HostMemory::adopt(Vec::<bool>::new()).expect("aligned"));
    }

    #[test]
    fn scratch_that_no_memory_holds_is_an_error() {
        for bytes in [1 << 60, isize::MAX as usize, usize::MAX] {
            let error = Scratch::new(bytes).expect_err("too much");
            assert_eq!(error.class(), "MemoryError", "{error}");
        }
        assert!(Scratch::new(0).is_ok());
    }

    #[test]
    fn large_pieces_are_reused_and_small_ones_are_not_kept() {
        let pool = Arc::new(Pool::default());
        let first = pool.take(1 << 20).expect("a megabyte");
        let address = first.address();
        drop(first);
        assert_eq!(pool.take((1 << 20) - 5).expect("the same").address(), address);
        drop(pool.take(100).expect("a hundred bytes"));
        let kept = pool.kept.lock().expect("no panic").bytes;
        assert_eq!(kept, 1 << 20);
        assert!(pool.take(isize::MAX as usize).is_none());
    }
}
