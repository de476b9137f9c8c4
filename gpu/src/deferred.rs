//! Deferred errors: errors that kernels find while they run.
//!
//! A launch that may fail is given four words of device memory, zeros, and writes other values into them if it fails.
//! Its outputs carry an error token, and so do arrays computed from them: [`DeferredErrors::inherit`] passes a set of
//! tokens on with every launch. A read of an array polls the words of its tokens and drops those whose words are zeros.
//! An array never reports an error that it does not derive from. While no error is pending, all this costs one load.
//!
//! A set is in the order in which errors count: those of operands in the order in which the operation reads them, then
//! its own. The first error of the set is the array's, as on a device where each call returns its error. A launch over
//! arrays that have failed still runs; its outputs carry the error on.
//!
//! Errors that no array was read for are kept for `synchronize`, the first [`MOST_UNREAD`] of them. What was launched
//! over failed arrays and failed too is no error of its own, as the words may come of values that are undefined.
//!
//! Words lie in device memory, not in the host's, because kernels change them atomically, which not every bus allows.
//! Deliberately absent: waiting for the launches (see `runtime.rs`).

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ndany_core::{Error, Result};
use smallvec::SmallVec;

use crate::checked::CheckedDriver;
use crate::driver::Address;
use crate::graph;
use crate::stream::StreamId;

/// The error words of a launch: what each says is between its kernels and its `explain`.
pub(crate) type ErrorWords = [u64; 4];

/// Maximum number of unresolved tokens of an array; beyond it, a launch waits and resolves them.
const MOST_CARRIED: usize = 64;

/// Maximum number of pending errors of a device; beyond it, a launch waits and resolves them.
const MOST_PENDING: usize = 4096;

/// Errors that are kept for `synchronize`.
const MOST_UNREAD: usize = 16;

/// Sets of words in a page.
const PAGE: usize = 128;

/// Bytes of a page.
pub(crate) const PAGE_BYTES: usize = PAGE * size_of::<ErrorWords>();

/// Makes an error of what the kernel wrote.
pub(crate) type Explain = dyn Fn(&ErrorWords) -> Error + Send + Sync;

/// The error words of a launch that is being submitted. While it lives, zeros in them do not count as success.
#[derive(Debug)]
pub(crate) struct DeferredError(ErrorToken);

/// A token of a launch's error words, which arrays carry.
#[derive(Clone)]
pub(crate) struct ErrorToken(Arc<Record>);

struct Record {
    /// Its number in the order of launches.
    number: usize,
    /// The deferred errors of what the launch read, as long as it is pending.
    after: Mutex<SmallVec<[ErrorToken; 2]>>,
    /// None of a launch that was put off: its outcome is the host's to tell.
    words: Option<Words>,
    /// Whether every kernel that may write the words was launched.
    sealed: AtomicBool,
    /// The outcome, once the launch was waited for and its words were polled.
    outcome: OnceLock<Option<Error>>,
    /// Whether the error was reported to a caller.
    reported: AtomicBool,
    common: Arc<Common>,
}

/// The words of a launch, and what they mean.
struct Words {
    slot: Slot,
    explain: Arc<Explain>,
}

/// The outcome of a job's launches that were put off, whose outputs carry its token. It is success once the last launch is
/// submitted and none has failed.
#[derive(Debug)]
pub(crate) struct Outcome(ErrorToken);

impl Outcome {
    /// What outputs carry.
    pub(crate) fn token(&self) -> &ErrorToken {
        &self.0
    }

    /// One of the launches cannot be made; the first error counts.
    pub(crate) fn fail(&self, error: &Error) {
        self.0.settle(|| Some(error.clone()));
    }

    /// One of the launches is not made because of an error of another job, which tells it.
    pub(crate) fn fail_after(&self, error: &Error) {
        self.0.settle(|| {
            self.0.0.reported.store(true, Ordering::Relaxed);
            Some(error.clone())
        });
    }
}

impl Drop for Outcome {
    fn drop(&mut self) {
        let panics = || Error::Device {
            op: "launch",
            device: String::new(),
            reason: "a launch that was put off has panicked".to_string(),
        };
        self.0.settle(|| std::thread::panicking().then(panics));
    }
}

/// A slot for the words of one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    page: Address,
    offset: u64,
}

/// What the deferred errors of a device have in common.
#[derive(Debug, Default)]
struct Common {
    idle: Mutex<Idle>,
    /// Errors for `synchronize`, by number, in the order of time.
    unread: Mutex<Vec<(usize, Error)>>,
    /// Deferred errors that may be errors: not polled yet, or found to be.
    open: AtomicUsize,
}

/// Slots without a deferred error.
#[derive(Debug, Default)]
struct Idle {
    zeros: Vec<Slot>,
    /// With the words of an earlier error.
    written: Vec<Slot>,
}

impl Common {
    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unread(&self) -> MutexGuard<'_, Vec<(usize, Error)>> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A set of deferred errors that an array carries, in the order in which they count.
pub(crate) type ErrorSet = Option<Arc<[ErrorToken]>>;

impl DeferredError {
    /// The words in memory that the device reaches, zeros before the launch.
    pub(crate) fn address(&self) -> Address {
        self.0.address()
    }
}

impl Drop for DeferredError {
    fn drop(&mut self) {
        self.0.0.sealed.store(true, Ordering::Release);
        graph::sealed(self.address());
    }
}

impl ErrorToken {
    /// Where its words are; 0 of what has none.
    fn address(&self) -> Address {
        self.0.words.as_ref().map_or(0, |words| words.slot.page + words.slot.offset)
    }

    /// The error it is known to be.
    fn error(&self) -> Option<&Error> {
        self.0.outcome.get().and_then(Option::as_ref)
    }

    /// The error it is known to be, for a caller.
    fn tell(&self) -> Option<Error> {
        let error = self.error()?;
        if !self.0.reported.swap(true, Ordering::Relaxed) {
            self.0.common.unread().retain(|(number, _)| *number != self.0.number);
        }
        Some(error.clone())
    }

    fn after(&self) -> MutexGuard<'_, SmallVec<[ErrorToken; 2]>> {
        self.0.after.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it may be an error.
    fn open(&self) -> bool {
        !matches!(self.0.outcome.get(), Some(None))
    }

    /// Whether every kernel that may write the words was launched.
    fn sealed(&self) -> bool {
        self.0.sealed.load(Ordering::Acquire)
    }

    /// Whether it must be polled.
    fn pending(&self) -> bool {
        self.0.words.is_some() && self.0.outcome.get().is_none() && self.sealed()
    }

    fn resolve(&self, explain: &Explain, words: &ErrorWords) {
        self.settle(|| (*words != ErrorWords::default()).then(|| explain(words)));
    }

    /// Sets the outcome, if there is none yet.
    fn settle(&self, outcome: impl FnOnce() -> Option<Error>) {
        let mut first = false;
        let outcome = self.0.outcome.get_or_init(|| {
            first = true;
            outcome()
        });
        if first && outcome.is_none() {
            self.0.common.open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl fmt::Debug for ErrorToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ErrorToken({:#x}, {:?})", self.address(), self.0.outcome.get())
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        // A running kernel may still write words that were not polled: their slot is not used again.
        match (&self.words, self.outcome.get()) {
            (Some(words), Some(None)) => self.common.idle().zeros.push(words.slot),
            (Some(words), Some(Some(_))) => self.common.idle().written.push(words.slot),
            _ => {}
        }
        if !matches!(self.outcome.get(), Some(None)) {
            self.common.open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// The deferred errors of one device.
#[derive(Debug, Default)]
pub(crate) struct DeferredErrors {
    common: Arc<Common>,
    registry: Mutex<Registry>,
}

#[derive(Debug, Default)]
struct Registry {
    pages: Vec<Address>,
    number: usize,
    /// Errors that were not polled, in the order of launches, and some that were polled since the last tidying.
    pending: Vec<ErrorToken>,
    /// How many may be there before those that were looked at are left out.
    bound: usize,
}

impl Registry {
    /// Removes what was polled; unreported errors are noted for `synchronize`.
    fn tidy(&mut self, common: &Common) {
        self.pending.retain(|deferred| {
            let Some(outcome) = deferred.0.outcome.get() else { return true };
            let after = std::mem::take(&mut *deferred.after());
            let of_its_own = || !after.iter().any(|before| before.error().is_some());
            if let Some(error) = outcome
                && !deferred.0.reported.load(Ordering::Relaxed)
                && of_its_own()
            {
                let mut unread = common.unread();
                if unread.len() < MOST_UNREAD {
                    unread.push((deferred.0.number, error.clone()));
                }
            }
            false
        });
        self.bound = (2 * self.pending.len()).max(256);
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // The last first: each holds those before it, and they would go one within the other.
        while self.pending.pop().is_some() {}
    }
}

/// Copies a page of words to the host and waits for it.
pub(crate) trait Poll: FnMut(Address, &mut [u8; PAGE_BYTES]) -> Result<()> {}

impl<F: FnMut(Address, &mut [u8; PAGE_BYTES]) -> Result<()>> Poll for F {}

impl DeferredErrors {
    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether any deferred error may be an error.
    pub(crate) fn any(&self) -> bool {
        self.common.open.load(Ordering::Relaxed) > 0
    }

    /// Deferred errors that are kept though no array may carry them.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.registry().tidy(&self.common);
        self.registry().pending.len() + self.common.unread().len()
    }

    /// A new deferred error for a launch in a stream.
    pub(crate) fn create(
        &self,
        checked: &CheckedDriver,
        stream_id: StreamId,
        explain: Arc<Explain>,
    ) -> Result<DeferredError> {
        let slot = loop {
            let idle = self.common.idle().zeros.pop();
            match idle {
                Some(slot) => break slot,
                None => self.make_place(checked, stream_id)?,
            }
        };
        Ok(DeferredError(self.add(Some(Words { slot, explain }))))
    }

    /// The outcome of launches that are put off.
    pub(crate) fn outcome(&self) -> Outcome {
        Outcome(self.add(None))
    }

    fn add(&self, words: Option<Words>) -> ErrorToken {
        self.common.open.fetch_add(1, Ordering::Relaxed);
        let mut registry = self.registry();
        registry.number += 1;
        let deferred = ErrorToken(Arc::new(Record {
            number: registry.number,
            words,
            sealed: AtomicBool::new(false),
            outcome: OnceLock::new(),
            reported: AtomicBool::new(false),
            after: Mutex::default(),
            common: self.common.clone(),
        }));
        registry.pending.push(deferred.clone());
        if registry.pending.len() > registry.bound {
            registry.tidy(&self.common);
        }
        deferred
    }

    /// Sees to it that there is a place for words: a page of zeros has many. Places of earlier errors are cleared
    /// together.
    pub(crate) fn make_place(&self, checked: &CheckedDriver, stream_id: StreamId) -> Result<()> {
        let mut written = {
            let mut idle = self.common.idle();
            if !idle.zeros.is_empty() {
                return Ok(());
            }
            std::mem::take(&mut idle.written)
        };
        if written.is_empty() {
            return self.new_page(checked, stream_id);
        }
        written.sort_unstable_by_key(|slot| slot.page + slot.offset);
        let address = |slot: &Slot| slot.page + slot.offset;
        let size = size_of::<ErrorWords>();
        // A driver may place one page right after another, and refuses a call that reaches over both.
        let runs =
            written.chunk_by(|a, b| a.page == b.page && address(a) + size as u64 == address(b));
        // SAFETY: the slots have no user. The wait is for launches in other streams that get them.
        let cleared = checked.call("launch", |driver| unsafe {
            for run in runs.clone() {
                driver.fill(address(&run[0]), 0, run.len() * size, stream_id.handle)?;
            }
            driver.wait_for_stream(stream_id.handle)
        });
        let mut idle = self.common.idle();
        match &cleared {
            Ok(()) => idle.zeros.extend(written.iter().rev()),
            Err(_) => idle.written.extend(&written),
        }
        cleared
    }

    fn new_page(&self, checked: &CheckedDriver, stream_id: StreamId) -> Result<()> {
        let page = checked.call_beside("launch", |driver| driver.allocate(PAGE_BYTES))?;
        self.registry().pages.push(page);
        // SAFETY: the page is new and has no other user. The wait is for launches in other streams that get its places.
        checked.call_beside("launch", |driver| unsafe {
            driver.fill(page, 0, PAGE_BYTES, stream_id.handle)?;
            driver.wait_for_stream(stream_id.handle)
        })?;
        let slot = |k: usize| Slot { page, offset: (k * size_of::<ErrorWords>()) as u64 };
        self.common.idle().zeros.extend((0..PAGE).rev().map(slot));
        Ok(())
    }

    /// Whether more errors are pending than [`MOST_PENDING`].
    pub(crate) fn crowded(&self) -> bool {
        if !self.any() {
            return false;
        }
        let mut registry = self.registry();
        if registry.pending.len() > MOST_PENDING {
            registry.tidy(&self.common);
        }
        registry.pending.len() > MOST_PENDING
    }

    /// The set that an output of a launch carries: these sets, in their order, and the launch's own deferred error.
    /// `look` is needed when there are too many to carry on.
    pub(crate) fn inherit<'s>(
        &self,
        carried: impl IntoIterator<Item = &'s Arc<[ErrorToken]>>,
        own: Option<&DeferredError>,
        poll: impl Poll,
    ) -> Result<ErrorSet> {
        let sets: SmallVec<[&Arc<[ErrorToken]>; 4]> = carried.into_iter().collect();
        let mut all = first_of_each(sets.iter().flat_map(|set| set.iter()));
        if all.len() >= MOST_CARRIED {
            resolve(all.iter().copied(), poll)?;
            all.retain(|deferred| deferred.open());
        }
        // After an error that is known nothing counts any more.
        if let Some(known) = all.iter().position(|deferred| deferred.error().is_some()) {
            all.truncate(known + 1);
        }
        if let Some(own) = own {
            own.0.after().extend(all.iter().map(|deferred| (*deferred).clone()));
        } else if let Some(same) = sets.into_iter().find(|set| is_union(set, &all)) {
            return Ok(Some(same.clone()));
        }
        let all: Arc<[ErrorToken]> =
            all.into_iter().chain(own.map(|own| &own.0)).cloned().collect();
        Ok((!all.is_empty()).then_some(all))
    }

    /// The set with a further token, which counts last.
    pub(crate) fn carry(set: &mut ErrorSet, token: &ErrorToken) {
        let carried = set.iter().flat_map(|set| set.iter());
        *set = Some(carried.chain([token]).cloned().collect());
    }

    /// Looks at the deferred errors of an array that has been waited for; the first error is the array's.
    pub(crate) fn check(&self, set: &[ErrorToken], poll: impl Poll) -> Result<()> {
        resolve(set, poll)?;
        set.iter().find_map(ErrorToken::tell).map_or(Ok(()), Err)
    }

    /// The deferred errors to look at once the device has been waited for: those whose launches are all made by now. A
    /// launch that is made after this call is not waited for, so its words must not be read as its outcome.
    pub(crate) fn pending(&self) -> Vec<ErrorToken> {
        if !self.any() {
            return Vec::new();
        }
        self.registry().pending.iter().filter(|deferred| deferred.pending()).cloned().collect()
    }

    /// Looks at what was pending before the device was waited for; returns the first unreported error.
    /// Other errors stay with their arrays.
    pub(crate) fn check_all(&self, pending: Vec<ErrorToken>, poll: impl Poll) -> Result<()> {
        self.resolve_all(pending, poll)?;
        let unread = std::mem::take(&mut *self.common.unread());
        unread.into_iter().next().map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Polls what was pending before the device was waited for, without reporting errors.
    pub(crate) fn resolve_all(&self, pending: Vec<ErrorToken>, poll: impl Poll) -> Result<()> {
        resolve(&pending, poll)?;
        self.registry().tidy(&self.common);
        Ok(())
    }

    /// Gives the pages back; nothing is under way.
    pub(crate) fn close(&mut self, checked: &CheckedDriver) {
        let registry = self.registry.get_mut().unwrap_or_else(PoisonError::into_inner);
        for page in registry.pages.drain(..) {
            // SAFETY: there are no further launches.
            checked.quietly(|driver| unsafe { driver.free(page) });
        }
    }
}

/// Those that may be errors, each once, where it comes first.
fn first_of_each<'f>(
    deferred: impl Iterator<Item = &'f ErrorToken>,
) -> SmallVec<[&'f ErrorToken; 8]> {
    let mut all: SmallVec<[(usize, &ErrorToken); 8]> =
        deferred.filter(|deferred| deferred.open()).enumerate().collect();
    all.sort_by_key(|(_, deferred)| deferred.0.number);
    all.dedup_by_key(|(_, deferred)| deferred.0.number);
    all.sort_unstable_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, deferred)| deferred).collect()
}

/// Whether this set is the open deferred errors `all`, no more and no fewer, in their order. (A set of as many may hold
/// closed ones instead.)
fn is_union(set: &[ErrorToken], all: &[&ErrorToken]) -> bool {
    set.len() == all.len()
        && set.iter().zip(all).all(|(own, deferred)| Arc::ptr_eq(&own.0, &deferred.0))
}

/// Looks at those that are pending, one look a page.
fn resolve<'f>(
    deferred: impl IntoIterator<Item = &'f ErrorToken>,
    mut poll: impl Poll,
) -> Result<()> {
    let pending = deferred.into_iter().filter(|deferred| deferred.pending());
    let words = |deferred: &'f ErrorToken| Some((deferred, deferred.0.words.as_ref()?));
    let mut pending: Vec<(&ErrorToken, &Words)> = pending.filter_map(words).collect();
    pending.sort_by_key(|(_, words)| words.slot.page);
    let mut bytes = [0; PAGE_BYTES];
    for same_page in pending.chunk_by(|(_, a), (_, b)| a.slot.page == b.slot.page) {
        poll(same_page[0].1.slot.page, &mut bytes)?;
        for (deferred, Words { slot, explain }) in same_page {
            let own = &bytes[slot.offset as usize..];
            let mut words = ErrorWords::default();
            for (word, bytes) in words.iter_mut().zip(own.as_chunks().0) {
                *word = u64::from_ne_bytes(*bytes);
            }
            deferred.resolve(&**explain, &words);
        }
    }
    Ok(())
}
