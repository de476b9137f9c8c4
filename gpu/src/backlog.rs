//! Launches that wait for machine code, and what was asked of the device after them.
//!
//! A launch whose kernel is still being compiled is put off, so that the caller goes on and other kernels are compiled at the
//! same time. What is put off is submitted in order before the next call that a stream orders
//! ([`CheckedDriver::attempt`](crate::checked::CheckedDriver::attempt) sees to that), so no caller can tell, but by time. What
//! is written by a launch that is put off carries a token of its [`Outcome`]; if machine code turns out to be refused, what was
//! put off after it is not run either, and whoever reads what it writes gets the error.
//!
//! While nothing is put off, a call of the driver pays for one look at a flag.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ndany_core::Result;

use crate::checked::CheckedDriver;
use crate::deferred::Outcome;

/// Maximum number of calls that are put off; they carry fewer tokens than an array may.
pub(crate) const MOST_PUT_OFF: usize = 48;

/// Submits a call; it waits for its machine code.
type Submit = dyn FnOnce(&CheckedDriver) -> Result<()> + Send;

/// A call that is put off.
pub(crate) struct PutOff {
    pub(crate) submit: Box<Submit>,
    /// Of the job that it is part of.
    pub(crate) outcome: Arc<Outcome>,
}

/// What one device has put off.
#[derive(Default)]
pub(crate) struct Backlog {
    waiting: AtomicBool,
    calls: Mutex<VecDeque<PutOff>>,
}

impl fmt::Debug for Backlog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Backlog").field("waiting", &self.waiting).finish_non_exhaustive()
    }
}

impl Backlog {
    fn calls(&self) -> MutexGuard<'_, VecDeque<PutOff>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether anything is put off.
    #[inline]
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting.load(Ordering::Acquire)
    }

    /// Puts a call off; returns whether there is room for another.
    pub(crate) fn push(&self, call: PutOff) -> bool {
        let mut calls = self.calls();
        calls.push_back(call);
        self.waiting.store(true, Ordering::Release);
        calls.len() < MOST_PUT_OFF
    }

    /// Submits everything in order. Another thread that comes meanwhile waits, so its call is not before any of these.
    #[cold]
    pub(crate) fn submit(&self, checked: &CheckedDriver) {
        let mut calls = self.calls();
        let mut failed = None;
        while let Some(PutOff { submit, outcome }) = calls.pop_front() {
            match &failed {
                Some(error) => outcome.fail_after(error),
                None => {
                    failed = submit(checked).err();
                    failed.iter().for_each(|error| outcome.fail(error));
                }
            }
        }
        self.waiting.store(false, Ordering::Release);
    }
}
