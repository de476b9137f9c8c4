//! Where the memory of arrays comes from: the device's pool, managed memory, an allocator of the program's own.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::foreign::extent;
use crate::array::Array;
use crate::device::Device;
use ndany_core::backend::{self, EnteredSource, Pool};
use ndany_core::{Error, Result};

pub use ndany_core::backend::{AllocatorError, MemoryAdvice, MemoryPlace};

/// Memory that a program obtains by itself, as the functions of `cupy.cuda.PythonFunctionAllocator`.
///
/// # Safety
/// What [`allocate`](Allocator::allocate) returns is memory of the device, of as many bytes as were asked for and with no other user,
/// until it is given to [`free`](Allocator::free). Work of the stream may use it at once.
pub unsafe trait Allocator: Send + Sync {
    /// Returns the address of fresh memory, a multiple of 256, for work in the stream of a vendor's handle.
    ///
    /// - **Errors**: there is no memory. It is asked once more when all work is done and memory that no array uses any more has been
    ///   given back; then the error is [`Error::Allocator`], with these words.
    ///
    /// ```
    /// use ndany::exchange::{Allocator, AllocatorError};
    /// struct Nothing;
    /// // SAFETY: it gives no memory.
    /// unsafe impl Allocator for Nothing {
    ///     fn allocate(&self, bytes: usize, _stream: u64) -> Result<u64, AllocatorError> {
    ///         Err(format!("{bytes} bytes are too many").into())
    ///     }
    ///     unsafe fn free(&self, _address: u64, _bytes: usize) {}
    /// }
    /// assert!(Nothing.allocate(512, 0).is_err());
    /// ```
    fn allocate(&self, bytes: usize, stream: u64) -> std::result::Result<u64, AllocatorError>;

    /// Takes memory back that no work uses any more, on any thread.
    ///
    /// # Safety
    /// [`allocate`](Allocator::allocate) has returned the address for so many bytes, and it is given back once.
    ///
    /// ```
    /// use ndany::exchange::{Allocator, AllocatorError};
    /// use std::alloc::{Layout, alloc, dealloc};
    /// /// Memory of this process, for a device that reaches it.
    /// struct OfTheHost;
    /// fn layout(bytes: usize) -> Result<Layout, AllocatorError> {
    ///     Ok(Layout::from_size_align(bytes, 256)?)
    /// }
    /// // SAFETY: fresh memory of the process.
    /// unsafe impl Allocator for OfTheHost {
    ///     fn allocate(&self, bytes: usize, _stream: u64) -> Result<u64, AllocatorError> {
    ///         // SAFETY: a device asks for 512 bytes at least.
    ///         Ok(unsafe { alloc(layout(bytes)?) }.expose_provenance() as u64)
    ///     }
    ///     unsafe fn free(&self, address: u64, bytes: usize) {
    ///         if let Ok(layout) = layout(bytes) {
    ///             let memory = std::ptr::with_exposed_provenance_mut(address as usize);
    ///             // SAFETY: it was allocated with this layout.
    ///             unsafe { dealloc(memory, layout) };
    ///         }
    ///     }
    /// }
    /// let address = OfTheHost.allocate(512, 0)?;
    /// // SAFETY: it was returned for as many bytes.
    /// unsafe { OfTheHost.free(address, 512) };
    /// # Ok::<(), AllocatorError>(())
    /// ```
    unsafe fn free(&self, address: u64, bytes: usize);
}

/// Where the memory of arrays and of work comes from; see [`allocate_from`].
#[derive(Clone)]
pub enum MemorySource {
    /// The device's pool, which is where memory comes from otherwise.
    Pool,
    /// Managed memory, as `cupy.cuda.malloc_managed`: the driver moves it between the device and the host as it is used, so arrays
    /// may be larger than the device's memory, and the host may read them where they are. A pool of its own keeps it. On the CPU
    /// all memory is such.
    Managed,
    /// An allocator of the program's own, as of `cupy.cuda.set_allocator`. It is asked for each piece, in multiples of 512 bytes;
    /// memory goes back to it when the work that uses it is done.
    Allocator(Arc<dyn Allocator>),
}

impl fmt::Debug for MemorySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pool => "Pool",
            Self::Managed => "Managed",
            Self::Allocator(_) => "Allocator",
        })
    }
}

/// A program's allocator for a device.
struct ByProgram(Arc<dyn Allocator>);

impl backend::Allocator for ByProgram {
    fn allocate(&self, bytes: usize, stream: u64) -> std::result::Result<u64, AllocatorError> {
        self.0.allocate(bytes, stream)
    }

    fn free(&self, address: u64, bytes: usize) {
        // SAFETY: a device gives back what it was given, once (`backend::Allocator`).
        unsafe { self.0.free(address, bytes) }
    }
}

/// Keeps a source of memory on this thread; see [`allocate_from`]. Guards may go in any order: the source is that of the last one
/// that lives.
#[derive(Debug)]
#[must_use = "memory comes from the source while the guard lives"]
pub struct MemorySourceGuard {
    _entered: Option<Box<dyn EnteredSource>>,
    /// The guard belongs to its thread.
    only_here: PhantomData<*const ()>,
}

/// Takes memory for what this thread evaluates from a source, as `cupy.cuda.using_allocator`, until the guard is dropped.
///
/// Arrays are lazy: what is pending has no memory, and gets it where it is evaluated. Memory goes back to where it comes from,
/// whatever the source is then. [`Device::memory`] and the limit are of the device's pool alone; [`Device::on_memory`] tells of
/// managed memory, too.
///
/// - **Errors**: an allocator for a device without a driver: the CPU's memory is that of Rust's `#[global_allocator]`.
///
/// ```
/// use ndany::exchange::{MemorySource, allocate_from};
/// use ndany::prelude::*;
/// let device = Device::current();
/// let a = {
///     let _managed = allocate_from(&device, MemorySource::Managed)?;
///     let a = arange(1000) * 2;
///     a.eval()?;
///     a
/// };
/// assert_eq!(a.sum(..).item::<i64>()?, 999_000);
/// # Ok::<(), ndany::Error>(())
/// ```
pub fn allocate_from(device: &Device, source: MemorySource) -> Result<MemorySourceGuard> {
    let entered = match (device.backend().pool(), source) {
        (Some(pool), MemorySource::Pool) => Some(pool.enter(backend::MemorySource::Pool)),
        (Some(pool), MemorySource::Managed) => Some(pool.enter(backend::MemorySource::Managed)),
        (Some(pool), MemorySource::Allocator(allocator)) => {
            let allocator = Arc::new(ByProgram(allocator));
            Some(pool.enter(backend::MemorySource::Allocator(allocator)))
        }
        (None, MemorySource::Pool | MemorySource::Managed) => None,
        (None, MemorySource::Allocator(_)) => {
            return Err(Error::Unsupported {
                op: "allocate_from".to_string(),
                reason: format!("the memory of {device} is that of Rust's #[global_allocator]"),
            });
        }
    };
    Ok(MemorySourceGuard { _entered: entered, only_here: PhantomData })
}

/// Moves elements in managed memory to a place, as `cupy.cuda.runtime.memPrefetchAsync`.
///
/// That is work of the thread's current stream. It changes no value: work that needs them finds them there. What is pending is computed first. On the CPU, where all memory is
/// one, it does nothing.
///
/// - **Errors**: memory of the device's pool, a driver without managed memory, what failed on the way.
///
/// ```
/// use ndany::exchange::{MemoryPlace, MemorySource, allocate_from, prefetch};
/// use ndany::prelude::*;
/// let device = Device::current();
/// let a = {
///     let _managed = allocate_from(&device, MemorySource::Managed)?;
///     let a = zeros(1000, F32) + 1.0;
///     prefetch(&a, MemoryPlace::Device)?;
///     a
/// };
/// assert_eq!(a.sum(..).item::<f32>()?, 1000.0);
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn prefetch(array: &Array, place: MemoryPlace) -> Result<()> {
    of_elements("prefetch", array, |pool, memory, offset, bytes| {
        pool.prefetch(memory, offset, bytes, place)
    })
}

/// Tells the driver how the elements of an array in managed memory are used, as `cupy.cuda.runtime.memAdvise`.
///
/// It changes no value, and holds for whole pages. What is pending is computed first. On the CPU it does nothing.
///
/// - **Errors**: as [`prefetch`].
///
/// ```
/// use ndany::exchange::{MemoryAdvice, MemorySource, advise, allocate_from};
/// use ndany::prelude::*;
/// let table = {
///     let _managed = allocate_from(&Device::current(), MemorySource::Managed)?;
///     let table = arange(1000) * 3;
///     advise(&table, MemoryAdvice::ReadMostly(true))?;
///     table
/// };
/// assert_eq!(table.i(2).item::<i64>()?, 6);
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn advise(array: &Array, advice: MemoryAdvice) -> Result<()> {
    of_elements("advise", array, |pool, memory, offset, bytes| {
        pool.advise(memory, offset, bytes, advice)
    })
}

/// Asks something of the pool about the bytes from the first to the last element of an array, if there are any.
#[track_caller]
fn of_elements(
    op: &'static str,
    array: &Array,
    ask: impl FnOnce(&dyn Pool, &dyn backend::Memory, usize, usize) -> Result<()>,
) -> Result<()> {
    let buffer = array.buffer()?;
    let layout = array.layout();
    let Some(pool) = array.device().backend().pool().filter(|_| array.size() > 0) else {
        return Ok(());
    };
    let width = array.dtype().size();
    let (low, span) = extent(op, &layout.shape, &layout.strides)?;
    let first = layout.offset - low.unsigned_abs();
    ask(pool, buffer.memory(), first * width, span * width)
}
