//! Dry runs: a thread calls a function on arrays without elements, and devices ask for its kernels but launch none.
//!
//! A function that reads a number and decides by it what comes next has its kernels compiled in turn. A dry run has them compiled
//! before the first launch, on several threads. During a dry run memory has an address and no bytes, launches only ask for their
//! kernels, and reads give zeros. Code that decides by a number that it reads may ask [`is_active`] and take a guess; a wrong guess
//! costs time and changes no result.
//!
//! The arrays of a dry run must not meet others: a pending value that it computes would be taken for computed. A device refuses
//! memory of a dry run after it.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Dry runs of all threads.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OWN: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in a dry run. While no thread is, this is one look at a word.
#[inline]
pub fn is_active() -> bool {
    ACTIVE.load(Ordering::Relaxed) > 0 && OWN.get()
}

/// The dry run of this thread, until it is dropped.
#[derive(Debug)]
pub struct DryRun {
    /// It belongs to its thread.
    only_here: std::marker::PhantomData<*const ()>,
}

impl DryRun {
    /// Begins one, unless this thread is in one.
    pub fn begin() -> Option<Self> {
        if OWN.replace(true) {
            return None;
        }
        ACTIVE.fetch_add(1, Ordering::Relaxed);
        Some(Self { only_here: std::marker::PhantomData })
    }
}

impl Drop for DryRun {
    fn drop(&mut self) {
        ACTIVE.fetch_sub(1, Ordering::Relaxed);
        OWN.set(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dry_run_is_of_one_thread_and_ends() {
        assert!(!is_active());
        let run = DryRun::begin();
        assert!(run.is_some() && is_active());
        assert!(DryRun::begin().is_none(), "there is one at a time");
        assert!(is_active(), "one that did not begin does not end another");
        assert!(!std::thread::spawn(is_active).join().unwrap());
        drop(run);
        assert!(!is_active());
    }
}
