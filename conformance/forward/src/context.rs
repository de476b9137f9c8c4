//! A thread's device, which CUDA has no word for: HIP's calls go to it, CUDA's to the thread's current context.
//!
//! A device's context is its primary one, retained by the first call about it and for the life of the process, as the
//! CUDA runtime does. Other code in the thread may make another context current, so every call looks, and leaves the
//! device's own current: libraries over HIP find it there.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cuda::{Cuda, cuda};
use crate::{Done, codes};

/// More devices than a machine has.
const DEVICES: usize = 64;

/// Primary contexts by their devices; 0 is none yet.
static CONTEXTS: [AtomicU64; DEVICES] = [const { AtomicU64::new(0) }; DEVICES];

thread_local! {
    /// The first until the thread chooses another.
    static DEVICE: Cell<i32> = const { Cell::new(0) };
}

/// The thread's device.
pub(crate) fn device() -> i32 {
    DEVICE.get()
}

/// Chooses it.
pub(crate) fn choose(device: i32) -> Done {
    context(cuda()?, device)?;
    DEVICE.set(device);
    enter().map(|_| ())
}

/// A device's context.
#[inline]
pub(crate) fn context(cuda: &Cuda, device: i32) -> Done<u64> {
    let place = usize::try_from(device).ok().and_then(|device| CONTEXTS.get(device));
    let place = place.ok_or(codes::INVALID_DEVICE)?;
    match place.load(Ordering::Acquire) {
        0 => retain(cuda, device, place),
        context => Ok(context),
    }
}

#[cold]
fn retain(cuda: &Cuda, device: i32, place: &AtomicU64) -> Done<u64> {
    let mut context = 0;
    // SAFETY: it writes a handle; a number that is no device's is refused. Threads that come at once retain the same one
    // more than once, which costs nothing: it is never released.
    codes::check(unsafe { (cuda.cuDevicePrimaryCtxRetain)(&mut context, device) })?;
    place.store(context, Ordering::Release);
    Ok(context)
}

/// The driver, turned to the thread's device.
#[inline]
pub(crate) fn enter() -> Done<&'static Cuda> {
    let cuda = cuda()?;
    let wanted = context(cuda, DEVICE.get())?;
    let mut current = 0;
    // SAFETY: it writes a handle.
    codes::check(unsafe { (cuda.cuCtxGetCurrent)(&mut current) })?;
    if current != wanted {
        // SAFETY: a context that is never released.
        codes::check(unsafe { (cuda.cuCtxSetCurrent)(wanted) })?;
    }
    Ok(cuda)
}
