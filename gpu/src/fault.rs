//! Errors that kernels find while they run.
//!
//! A launch that may fail is given four words of device memory, zeros, and writes something else into them if it
//! fails. What it writes carries the fault, and so does what is computed from that: [`Faults::inherit`] hands a set of
//! faults on with every launch. Who waits for an array looks at the words of its faults; those that are zeros are
//! forgotten. A fault of one array is never seen on another that does not derive from it. While no fault is pending,
//! all this costs one load.
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

use crate::driver::{Address, Driver};
use crate::link::Link;
use crate::stream::Lane;

/// The error words of a launch: what each says is between its kernels and its `explain`.
pub(crate) type FaultWords = [u64; 4];

/// Faults that one array may carry before somebody has to wait for them.
const MOST_CARRIED: usize = 64;

/// Faults that may be pending before somebody has to wait for them.
const MOST_PENDING: usize = 4096;

/// Errors that are kept for `synchronize`.
const MOST_UNREAD: usize = 16;

/// Sets of words in a page.
const PAGE: usize = 128;

/// Bytes of a page.
pub(crate) const PAGE_BYTES: usize = PAGE * size_of::<FaultWords>();

/// Makes an error of what the kernel wrote.
type Explain = dyn Fn(&FaultWords) -> Error + Send + Sync;

/// The error words of a launch that is being made. While it lives, nobody takes zeros in them for success.
#[derive(Debug)]
pub(crate) struct Fault(Carried);

/// The error words of a launch, as arrays carry them.
#[derive(Clone)]
pub(crate) struct Carried(Arc<Record>);

struct Record {
    /// Where in time.
    number: usize,
    /// The faults of what the launch read, as long as it is pending.
    after: Mutex<SmallVec<[Carried; 2]>>,
    slot: Slot,
    explain: Box<Explain>,
    /// Has everything been launched that may write the words?
    sealed: AtomicBool,
    /// What it came to: nothing until somebody has waited and looked.
    outcome: OnceLock<Option<Error>>,
    /// Has the error been given to a caller?
    told: AtomicBool,
    common: Arc<Common>,
}

/// A place for words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    page: Address,
    offset: u64,
}

/// What the faults of a device have in common.
#[derive(Debug, Default)]
struct Common {
    idle: Mutex<Idle>,
    /// Errors for `synchronize`, by number, in the order of time.
    unread: Mutex<Vec<(usize, Error)>>,
    /// Faults that may be errors: not yet looked at, or found to be.
    open: AtomicUsize,
}

/// Places without a fault.
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

/// A set of faults that an array carries, in the order in which they count.
pub(crate) type FaultSet = Option<Arc<[Carried]>>;

impl Fault {
    /// The words in memory that the device reaches, zeros before the launch.
    pub(crate) fn address(&self) -> Address {
        self.0.address()
    }
}

impl Drop for Fault {
    fn drop(&mut self) {
        self.0.0.sealed.store(true, Ordering::Release);
    }
}

impl Carried {
    fn address(&self) -> Address {
        self.0.slot.page + self.0.slot.offset
    }

    /// The error it is known to be.
    fn error(&self) -> Option<&Error> {
        self.0.outcome.get().and_then(Option::as_ref)
    }

    /// The error it is known to be, for a caller.
    fn tell(&self) -> Option<Error> {
        let error = self.error()?;
        if !self.0.told.swap(true, Ordering::Relaxed) {
            self.0.common.unread().retain(|(number, _)| *number != self.0.number);
        }
        Some(error.clone())
    }

    fn after(&self) -> MutexGuard<'_, SmallVec<[Carried; 2]>> {
        self.0.after.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// May it be an error?
    fn open(&self) -> bool {
        !matches!(self.0.outcome.get(), Some(None))
    }

    /// Has everything been launched that may write the words?
    fn sealed(&self) -> bool {
        self.0.sealed.load(Ordering::Acquire)
    }

    /// Is it to be looked at?
    fn pending(&self) -> bool {
        self.0.outcome.get().is_none() && self.sealed()
    }

    fn settle(&self, words: &FaultWords) {
        let explain = || (*words != FaultWords::default()).then(|| (self.0.explain)(words));
        let mut first = false;
        let outcome = self.0.outcome.get_or_init(|| {
            first = true;
            explain()
        });
        if first && outcome.is_none() {
            self.0.common.open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl fmt::Debug for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Carried({:#x}, {:?})", self.address(), self.0.outcome.get())
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        // Words that nobody has looked at may be written yet: their place is not used again.
        match self.outcome.get() {
            Some(None) => self.common.idle().zeros.push(self.slot),
            Some(Some(_)) => self.common.idle().written.push(self.slot),
            None => {}
        }
        if !matches!(self.outcome.get(), Some(None)) {
            self.common.open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// The faults of one device.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    common: Arc<Common>,
    book: Mutex<Book>,
}

#[derive(Debug, Default)]
struct Book {
    pages: Vec<Address>,
    number: usize,
    /// Those that nobody has looked at, in the order of time; and some that were looked at since the last tidying.
    pending: Vec<Carried>,
    /// How many may be there before those that were looked at are left out.
    bound: usize,
}

impl Book {
    /// Leaves out what was looked at; errors that nobody was told are noted for `synchronize`.
    fn tidy(&mut self, common: &Common) {
        self.pending.retain(|fault| {
            let Some(outcome) = fault.0.outcome.get() else { return true };
            let after = std::mem::take(&mut *fault.after());
            let of_its_own = || !after.iter().any(|before| before.error().is_some());
            if let Some(error) = outcome
                && !fault.0.told.load(Ordering::Relaxed)
                && of_its_own()
            {
                let mut unread = common.unread();
                if unread.len() < MOST_UNREAD {
                    unread.push((fault.0.number, error.clone()));
                }
            }
            false
        });
        self.bound = (2 * self.pending.len()).max(256);
    }
}

impl Drop for Book {
    fn drop(&mut self) {
        // The last first: each holds those before it, and they would go one within the other.
        while self.pending.pop().is_some() {}
    }
}

/// Copies a page of words to the host and waits for it.
pub(crate) trait Look: FnMut(Address, &mut [u8; PAGE_BYTES]) -> Result<()> {}

impl<F: FnMut(Address, &mut [u8; PAGE_BYTES]) -> Result<()>> Look for F {}

impl Faults {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// May any fault be an error?
    pub(crate) fn any(&self) -> bool {
        self.common.open.load(Ordering::Relaxed) > 0
    }

    /// Faults and errors that are kept though no array may carry them.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.book().tidy(&self.common);
        self.book().pending.len() + self.common.unread().len()
    }

    /// A new fault for a launch in a stream.
    pub(crate) fn create<D: Driver>(
        &self,
        link: &Link<D>,
        lane: Lane,
        explain: Box<Explain>,
    ) -> Result<Fault> {
        let slot = loop {
            let idle = self.common.idle().zeros.pop();
            match idle {
                Some(slot) => break slot,
                None => self.make_place(link, lane)?,
            }
        };
        self.common.open.fetch_add(1, Ordering::Relaxed);
        let mut book = self.book();
        book.number += 1;
        let fault = Carried(Arc::new(Record {
            number: book.number,
            slot,
            explain,
            sealed: AtomicBool::new(false),
            outcome: OnceLock::new(),
            told: AtomicBool::new(false),
            after: Mutex::default(),
            common: self.common.clone(),
        }));
        book.pending.push(fault.clone());
        if book.pending.len() > book.bound {
            book.tidy(&self.common);
        }
        Ok(Fault(fault))
    }

    /// Sees to it that there is a place for words: a page of zeros has many. Places of earlier errors are cleared
    /// together.
    pub(crate) fn make_place<D: Driver>(&self, link: &Link<D>, lane: Lane) -> Result<()> {
        let mut written = {
            let mut idle = self.common.idle();
            if !idle.zeros.is_empty() {
                return Ok(());
            }
            std::mem::take(&mut idle.written)
        };
        if written.is_empty() {
            return self.new_page(link, lane);
        }
        written.sort_unstable_by_key(|slot| slot.page + slot.offset);
        let address = |slot: &Slot| slot.page + slot.offset;
        let size = size_of::<FaultWords>();
        // A driver may place one page right behind another, and refuses a call that reaches over both.
        let runs =
            written.chunk_by(|a, b| a.page == b.page && address(a) + size as u64 == address(b));
        // SAFETY: the places are nobody's. The wait is for launches in other streams that get them.
        let cleared = link.call("launch", |driver| unsafe {
            for run in runs.clone() {
                driver.fill(address(&run[0]), 0, run.len() * size, lane.handle)?;
            }
            driver.wait_for_stream(lane.handle)
        });
        let mut idle = self.common.idle();
        match &cleared {
            Ok(()) => idle.zeros.extend(written.iter().rev()),
            Err(_) => idle.written.extend(&written),
        }
        cleared
    }

    fn new_page<D: Driver>(&self, link: &Link<D>, lane: Lane) -> Result<()> {
        let page = link.call("launch", |driver| driver.allocate(PAGE_BYTES))?;
        self.book().pages.push(page);
        // SAFETY: the page is new and nobody else's. The wait is for launches in other streams that get its places.
        link.call("launch", |driver| unsafe {
            driver.fill(page, 0, PAGE_BYTES, lane.handle)?;
            driver.wait_for_stream(lane.handle)
        })?;
        let slot = |k: usize| Slot { page, offset: (k * size_of::<FaultWords>()) as u64 };
        self.common.idle().zeros.extend((0..PAGE).rev().map(slot));
        Ok(())
    }

    /// Are there so many that nobody has looked at that somebody had better wait for them?
    pub(crate) fn crowded(&self) -> bool {
        if !self.any() {
            return false;
        }
        let mut book = self.book();
        if book.pending.len() > MOST_PENDING {
            book.tidy(&self.common);
        }
        book.pending.len() > MOST_PENDING
    }

    /// The set that an output of a launch carries: these sets, in their order, and the launch's own fault. `look` is
    /// needed when there are too many to carry on.
    pub(crate) fn inherit<'s>(
        &self,
        carried: impl IntoIterator<Item = &'s Arc<[Carried]>>,
        own: Option<&Fault>,
        look: impl Look,
    ) -> Result<FaultSet> {
        let sets: SmallVec<[&Arc<[Carried]>; 4]> = carried.into_iter().collect();
        let mut all = first_of_each(sets.iter().flat_map(|set| set.iter()));
        if all.len() >= MOST_CARRIED {
            settle(all.iter().copied(), look)?;
            all.retain(|fault| fault.open());
        }
        // After an error that is known nothing counts any more.
        if let Some(known) = all.iter().position(|fault| fault.error().is_some()) {
            all.truncate(known + 1);
        }
        if let Some(own) = own {
            own.0.after().extend(all.iter().map(|fault| (*fault).clone()));
        } else if let Some(same) = sets.into_iter().find(|set| is_union(set, &all)) {
            return Ok(Some(same.clone()));
        }
        let all: Arc<[Carried]> = all.into_iter().chain(own.map(|own| &own.0)).cloned().collect();
        Ok((!all.is_empty()).then_some(all))
    }

    /// Looks at the faults of an array that has been waited for; the first error is the array's.
    pub(crate) fn check(&self, set: &[Carried], look: impl Look) -> Result<()> {
        settle(set, look)?;
        set.iter().find_map(Carried::tell).map_or(Ok(()), Err)
    }

    /// The faults to look at once the device has been waited for: those whose launches are all made by now. A launch
    /// that is made after this call is not waited for, so its words must not be read as its outcome.
    pub(crate) fn pending(&self) -> Vec<Carried> {
        if !self.any() {
            return Vec::new();
        }
        self.book().pending.iter().filter(|fault| fault.pending()).cloned().collect()
    }

    /// Looks at what was pending before the device was waited for; the first error that nobody was told comes out.
    /// Other errors stay with their arrays.
    pub(crate) fn check_all(&self, pending: Vec<Carried>, look: impl Look) -> Result<()> {
        self.settle_all(pending, look)?;
        let unread = std::mem::take(&mut *self.common.unread());
        unread.into_iter().next().map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Looks at what was pending before the device was waited for, and tells nobody.
    pub(crate) fn settle_all(&self, pending: Vec<Carried>, look: impl Look) -> Result<()> {
        settle(&pending, look)?;
        self.book().tidy(&self.common);
        Ok(())
    }

    /// Gives the pages back; nothing is under way.
    pub(crate) fn close<D: Driver>(&mut self, link: &Link<D>) {
        let book = self.book.get_mut().unwrap_or_else(PoisonError::into_inner);
        for page in book.pages.drain(..) {
            // SAFETY: nobody launches any more.
            link.quietly(|driver| unsafe { driver.free(page) });
        }
    }
}

/// Those that may be errors, each once, where it comes first.
fn first_of_each<'f>(faults: impl Iterator<Item = &'f Carried>) -> SmallVec<[&'f Carried; 8]> {
    let mut all: SmallVec<[(usize, &Carried); 8]> =
        faults.filter(|fault| fault.open()).enumerate().collect();
    all.sort_by_key(|(_, fault)| fault.0.number);
    all.dedup_by_key(|(_, fault)| fault.0.number);
    all.sort_unstable_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, fault)| fault).collect()
}

/// Is this set the open faults `all`, no more and no fewer, in their order? (A set of as many may hold closed ones
/// instead.)
fn is_union(set: &[Carried], all: &[&Carried]) -> bool {
    set.len() == all.len() && set.iter().zip(all).all(|(own, fault)| Arc::ptr_eq(&own.0, &fault.0))
}

/// Looks at those that are pending, one look a page.
fn settle<'f>(faults: impl IntoIterator<Item = &'f Carried>, mut look: impl Look) -> Result<()> {
    let mut pending: Vec<&Carried> = faults.into_iter().filter(|fault| fault.pending()).collect();
    pending.sort_by_key(|fault| fault.0.slot.page);
    let mut bytes = [0; PAGE_BYTES];
    for same_page in pending.chunk_by(|a, b| a.0.slot.page == b.0.slot.page) {
        look(same_page[0].0.slot.page, &mut bytes)?;
        for fault in same_page {
            let own = &bytes[fault.0.slot.offset as usize..];
            let mut words = FaultWords::default();
            for (word, bytes) in words.iter_mut().zip(own.as_chunks().0) {
                *word = u64::from_ne_bytes(*bytes);
            }
            fault.settle(&words);
        }
    }
    Ok(())
}
