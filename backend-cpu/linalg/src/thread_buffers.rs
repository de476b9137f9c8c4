//! The buffers that the library keeps for each thread. It allocates them in the thread's first product and
//! aborts the process if there is no memory.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::{Mutex, PoisonError};

use faer::{Accum, Mat, Par};
use gemm_common::cache::CACHE_INFO;

/// The minimum size of the L3 cache that the library assumes.
const LEAST_CACHE: usize = 2 << 20;
/// Upper bound of other allocations of a product: lists of jobs.
const MORE: usize = 1 << 20;

thread_local! {
    static READY: Cell<bool> = const { Cell::new(false) };
}

/// Lets the library allocate its buffers for the calling thread, if that has no buffers yet and there is
/// memory.
///
/// # Errors
/// The number of bytes that could not be allocated.
pub fn prepare() -> Result<(), usize> {
    if READY.get() {
        return Ok(());
    }
    static ONE: Mutex<()> = Mutex::new(());
    // One thread at a time, so that no thread takes the memory that another has found.
    let _turn = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    // Larger than matrices that are multiplied without packing. Allocated first: a thread's first small
    // allocation may make the allocator reserve an arena.
    const SIDE: usize = 48;
    let (square, mut out) = (Mat::<f64>::zeros(SIDE, SIDE), Mat::<f64>::zeros(SIDE, SIDE));
    // Packed parts of both operands, each as large as the L3 cache.
    let bytes = 2 * CACHE_INFO[2].cache_bytes.max(LEAST_CACHE) + MORE;
    let mut taken = Vec::<u8>::new();
    if taken.try_reserve_exact(bytes).is_err() {
        return Err(bytes);
    }
    black_box(taken.as_mut_ptr());
    drop(taken);
    faer::linalg::matmul::matmul(
        out.as_mut(),
        Accum::Replace,
        square.as_ref(),
        square.as_ref(),
        1.0,
        Par::Seq,
    );
    black_box(&mut out);
    READY.set(true);
    Ok(())
}
