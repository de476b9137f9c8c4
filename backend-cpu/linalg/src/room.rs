//! What the library keeps for each thread that multiplies: it takes it at the thread's first product, in a way that ends the
//! process where there is no memory.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::{Mutex, PoisonError};

use faer::{Accum, Mat, Par};
use gemm_common::cache::CACHE_INFO;

/// The size of the third cache that the library assumes at least.
const LEAST_CACHE: usize = 2 << 20;
/// What else a product takes, at most: lists of jobs.
const MORE: usize = 1 << 20;

thread_local! {
    static READY: Cell<bool> = const { Cell::new(false) };
}

/// Lets the library take what it keeps for the calling thread, if that has not multiplied yet and there is room.
///
/// # Errors
/// How many bytes there is no room for.
pub fn prepare() -> Result<(), usize> {
    if READY.get() {
        return Ok(());
    }
    static ONE: Mutex<()> = Mutex::new(());
    // One after the other, so that none takes what another has found.
    let _turn = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    // More than what is multiplied without packing. Taken first: a thread's first small piece may make the allocator reserve
    // a region for it.
    const SIDE: usize = 48;
    let (square, mut out) = (Mat::<f64>::zeros(SIDE, SIDE), Mat::<f64>::zeros(SIDE, SIDE));
    // Packed parts of both operands, each as large as the third cache.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_prepares_once() {
        assert_eq!(prepare(), Ok(()));
        assert!(READY.get());
        assert_eq!(prepare(), Ok(()));
    }
}
