//! Host memory for arrays, aligned for SIMD. Large blocks are reused.
//!
//! Fresh pages cost more than the arithmetic on them, and an aligned allocation of a few kilobytes costs more
//! than an operation on it. Freed blocks of at least [`KEEP_FROM`] bytes therefore wait in a list of the
//! device, up to [`KEEP_AT_MOST`] bytes in all, for a request of the same rounded size.

use std::alloc::{Layout, alloc, dealloc};
use std::any::Any;
use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use ndany_core::backend::{ForeignMemory, Memory, Owner};
use ndany_core::host::Lack;
use ndany_core::{Element, Error, Result};

/// The cache line, and the width of the widest registers.
pub(crate) const ALIGN: usize = 64;
/// Smaller blocks return to the allocator at once.
const KEEP_FROM: usize = 512;
/// Sizes from here on are rounded to pages; smaller sizes to powers of two, so that few sizes wait.
const PAGES_FROM: usize = 1 << 16;
/// A large page, and the alignment of blocks from [`LARGE_FROM`] on.
const LARGE_PAGE: usize = 2 << 20;
/// Blocks from here on ask for large pages. A transposition touches a page per element, more than the TLB
/// holds; with small pages it takes twice as long.
const LARGE_FROM: usize = 2 * LARGE_PAGE;
/// Maximum number of bytes that wait for reuse.
const KEEP_AT_MOST: usize = 1 << 30;

/// A block of memory. Dropping it returns it to its origin.
#[derive(Debug)]
pub(crate) struct HostMemory {
    start: NonNull<u8>,
    /// Bytes that were asked for, of no fewer that are there.
    bytes: usize,
    origin: Origin,
}

/// Where memory came from.
#[derive(Debug)]
enum Origin {
    /// A pool, with this size in bytes.
    Pool(Arc<Pool>, usize),
    /// An adopted `Vec`: its capacity, and the function that rebuilds and drops it.
    Vec { capacity: usize, free: unsafe fn(*mut u8, usize) },
    /// Another library, which has it back when this is dropped. Nothing here writes it.
    Foreign { _owner: Mutex<Owner> },
}

// SAFETY: the block is plain bytes, owned by this value. Core orders accesses: an output is not read before
// the call that writes it has returned.
unsafe impl Send for HostMemory {}
// SAFETY: as above; shared handles give the address only, and each use of it states its exclusivity.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// The first byte.
    pub(crate) fn address(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Adopts the elements of a `Vec` without a copy. Views begin at any element, so loops require only that
    /// elements are aligned for their size (a complex number as one word), and bytes may be read as words. A
    /// `Vec` with less alignment is returned.
    pub(crate) fn adopt<T: Element>(values: Vec<T>) -> Result<Self, Vec<T>> {
        /// # Safety
        /// `start` and `capacity` are those of a `Vec<T>` that has no other owner.
        unsafe fn free<T>(start: *mut u8, capacity: usize) {
            // SAFETY: the caller upholds this; no element is read, since elements are plain numbers.
            drop(unsafe { Vec::<T>::from_raw_parts(start.cast(), 0, capacity) });
        }
        if !values.is_empty() && !values.as_ptr().addr().is_multiple_of(size_of::<u64>()) {
            return Err(values);
        }
        let mut values = ManuallyDrop::new(values);
        let bytes = size_of_val(values.as_slice());
        let start = NonNull::from(values.as_mut_slice()).cast();
        let origin = Origin::Vec { capacity: values.capacity(), free: free::<T> };
        Ok(Self { start, bytes, origin })
    }
}

impl HostMemory {
    /// Memory of another library, and the number of its bytes before the address: it begins at a multiple of a word.
    /// `None` at the address 0.
    pub(crate) fn foreign(memory: ForeignMemory) -> Option<(Self, usize)> {
        let (start, before) = memory.aligned(size_of::<u64>() as u64);
        let start = NonNull::new(std::ptr::with_exposed_provenance_mut(start as usize))?;
        let bytes = before + memory.bytes;
        let origin = Origin::Foreign { _owner: Mutex::new(memory.owner) };
        Some((Self { start, bytes, origin }, before))
    }
}

impl Memory for HostMemory {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn of_device(&self) -> &dyn Memory {
        self
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        match &self.origin {
            Origin::Pool(pool, bytes) => pool.give_back(self.start, *bytes),
            // SAFETY: `adopt` made both from one `Vec`, which this value has owned since.
            Origin::Vec { capacity, free } => unsafe { free(self.start.as_ptr(), *capacity) },
            Origin::Foreign { .. } => {}
        }
    }
}

/// The address of memory that core passes.
pub(crate) fn address(memory: &dyn Memory) -> *mut u8 {
    match (memory as &dyn Any).downcast_ref::<HostMemory>() {
        Some(memory) => memory.address(),
        None => unreachable!("memory of another device"),
    }
}

/// An address that threads share.
pub(crate) struct Address<T>(pub(crate) *mut T);

// SAFETY: an address; each use of it states why it is allowed.
unsafe impl<T> Sync for Address<T> {}

impl<T> Address<T> {
    /// The address advanced by `elements`.
    pub(crate) fn at(&self, elements: usize) -> *mut T {
        self.0.wrapping_add(elements)
    }
}

/// Prefetches a cache line.
#[inline(always)]
pub(crate) fn prefetch(line: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64; a prefetch does not access memory and cannot fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// Freed blocks by size.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    pieces: BTreeMap<usize, Vec<FreeBlock>>,
    bytes: usize,
}

#[derive(Debug)]
struct FreeBlock(NonNull<u8>);

// SAFETY: the list that holds a freed block owns it.
unsafe impl Send for FreeBlock {}

impl Pool {
    /// Uninitialized memory of at least this many bytes; `None` if there is none.
    pub(crate) fn take(self: &Arc<Self>, bytes: usize) -> Option<HostMemory> {
        let asked = bytes;
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
                // The blocks that wait may be the memory that is missing.
                self.release();
                fresh(bytes)
            })?,
        };
        Some(HostMemory { start, bytes: asked, origin: Origin::Pool(self.clone(), bytes) })
    }

    fn give_back(&self, start: NonNull<u8>, bytes: usize) {
        if bytes >= KEEP_FROM {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.bytes + bytes <= KEEP_AT_MOST {
                kept.bytes += bytes;
                kept.pieces.entry(bytes).or_default().push(FreeBlock(start));
                return;
            }
        }
        free(start, bytes);
    }

    /// Returns all waiting blocks to the system.
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

/// Rounds up so that similar requests share a size.
fn rounded(bytes: usize) -> Option<usize> {
    match bytes {
        LARGE_FROM.. => {
            // The last part of a block that does not fill a large page lies in small pages.
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
        // The advice is a hint. If the system refuses it nothing else changes, so the result is ignored.
        // SAFETY: the range is this allocation, and the advice leaves its bytes as they are.
        unsafe { libc::madvise(start.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
    }
    Some(start)
}

fn free(start: NonNull<u8>, bytes: usize) {
    if let Some(layout) = layout(bytes) {
        // SAFETY: `start` came from `fresh(bytes)`, with the same layout, and its owner is gone.
        unsafe { dealloc(start.as_ptr(), layout) };
    }
}

/// The error of work that finds no memory for its buffers. Core adds the operation's name.
pub(crate) fn lack(Lack(bytes): Lack) -> Error {
    Error::OutOfMemory { op: "allocate", device: "cpu".to_string(), requested: bytes, memory: None }
}

/// A thread's buffer: aligned, uninitialized, freed when dropped.
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
