//! Errors that kernels find while they run.
//!
//! A launch that may fail is given four words of device memory, zeros, and writes something else into them if it
//! fails. What it writes carries the fault, and so does what is computed from that: [`Faults::inherit`] hands a set of
//! faults on with every launch. Who waits for an array looks at the words of its faults; those that are zeros are
//! forgotten. A fault of one array is never seen on another that does not derive from it. While no fault is pending,
//! all this costs one load.
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
    /// Where in time: the first of two faults is the one with the lower number.
    number: usize,
    slot: Slot,
    explain: Box<Explain>,
    /// Has everything been launched that may write the words?
    sealed: AtomicBool,
    /// What it came to: nothing until somebody has waited and looked.
    outcome: OnceLock<Option<Error>>,
    /// Has the error been given to a caller?
    told: AtomicBool,
    slots: Arc<Slots>,
}

/// A place for words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    page: Address,
    offset: u64,
    /// Are there words of an earlier fault in it?
    used: bool,
}

#[derive(Debug, Default)]
struct Slots {
    idle: Mutex<Vec<Slot>>,
    /// Faults that may be errors: not yet looked at, or found to be.
    open: AtomicUsize,
}

impl Slots {
    fn idle(&self) -> MutexGuard<'_, Vec<Slot>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A set of faults that an array carries, in the order of time.
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
        self.error().inspect(|_| self.0.told.store(true, Ordering::Relaxed)).cloned()
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
            self.0.slots.open.fetch_sub(1, Ordering::Relaxed);
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
        if let Some(outcome) = self.outcome.get() {
            let slot = Slot { used: outcome.is_some(), ..self.slot };
            self.slots.idle().push(slot);
        }
        if !matches!(self.outcome.get(), Some(None)) {
            self.slots.open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// The faults of one device.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    slots: Arc<Slots>,
    book: Mutex<Book>,
}

#[derive(Debug, Default)]
struct Book {
    pages: Vec<Address>,
    number: usize,
    /// Those that `synchronize` has to look at: nobody may have looked at them yet.
    pending: Vec<Carried>,
    /// How many may be pending before those that are not any more are left out.
    bound: usize,
}

impl Book {
    fn tidy(&mut self) {
        // Errors that nobody was told stay, so that `synchronize` tells them.
        self.pending.retain(|fault| fault.open() && !fault.0.told.load(Ordering::Relaxed));
        self.bound = (2 * self.pending.len()).max(256);
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
        self.slots.open.load(Ordering::Relaxed) > 0
    }

    /// A new fault for a launch in a stream.
    pub(crate) fn create<D: Driver>(
        &self,
        link: &Link<D>,
        lane: Lane,
        explain: Box<Explain>,
    ) -> Result<Fault> {
        let slot = loop {
            let idle = self.slots.idle().pop();
            match idle {
                Some(slot) => break slot,
                None => self.make_place(link, lane)?,
            }
        };
        if slot.used {
            let address = slot.page + slot.offset;
            // SAFETY: the words are nobody's; the launch that they are for is in the same stream.
            let cleared = link.call("launch", |driver| unsafe {
                driver.fill(address, 0, size_of::<FaultWords>(), lane.handle)
            });
            if let Err(error) = cleared {
                self.slots.idle().push(slot);
                return Err(error);
            }
        }
        self.slots.open.fetch_add(1, Ordering::Relaxed);
        let mut book = self.book();
        book.number += 1;
        let fault = Carried(Arc::new(Record {
            number: book.number,
            slot,
            explain,
            sealed: AtomicBool::new(false),
            outcome: OnceLock::new(),
            told: AtomicBool::new(false),
            slots: self.slots.clone(),
        }));
        book.pending.push(fault.clone());
        if book.pending.len() > book.bound {
            book.tidy();
        }
        Ok(Fault(fault))
    }

    /// Sees to it that there is a place for words: a page of zeros has many.
    pub(crate) fn make_place<D: Driver>(&self, link: &Link<D>, lane: Lane) -> Result<()> {
        if !self.slots.idle().is_empty() {
            return Ok(());
        }
        let page = link.call("launch", |driver| driver.allocate(PAGE_BYTES))?;
        self.book().pages.push(page);
        // SAFETY: the page is new and nobody else's. The wait is for launches in other streams that get its places.
        link.call("launch", |driver| unsafe {
            driver.fill(page, 0, PAGE_BYTES, lane.handle)?;
            driver.wait_for_stream(lane.handle)
        })?;
        let slot =
            |k: usize| Slot { page, offset: (k * size_of::<FaultWords>()) as u64, used: false };
        self.slots.idle().extend((0..PAGE).rev().map(slot));
        Ok(())
    }

    /// Are there so many pending that somebody had better wait for them?
    pub(crate) fn crowded(&self) -> bool {
        self.any() && self.book().pending.len() > MOST_PENDING
    }

    /// The set that the outputs of a launch carry: what its inputs carry, and its own. If an input is known to have
    /// failed, so has the launch. `look` is needed when there are too many to carry on.
    pub(crate) fn inherit(
        &self,
        carried: &[Arc<[Carried]>],
        own: Option<&Fault>,
        look: impl Look,
    ) -> Result<FaultSet> {
        let mut all: SmallVec<[&Carried; 8]> =
            carried.iter().flat_map(|set| set.iter()).filter(|fault| fault.open()).collect();
        all.sort_by_key(|fault| fault.0.number);
        all.dedup_by_key(|fault| fault.0.number);
        if all.len() >= MOST_CARRIED {
            settle(all.iter().copied(), look)?;
            all.retain(|fault| fault.open());
        }
        if let Some(error) = all.iter().find_map(|fault| fault.tell()) {
            return Err(error);
        }
        if own.is_none()
            && let Some(same) = carried.iter().find(|set| is_union(set, &all))
        {
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
        self.book().pending.iter().filter(|fault| fault.open() && fault.sealed()).cloned().collect()
    }

    /// Looks at what was pending before the device was waited for; the first error that nobody was told comes out.
    /// Other errors stay with their arrays.
    pub(crate) fn check_all(&self, mut pending: Vec<Carried>, look: impl Look) -> Result<()> {
        settle(&pending, look)?;
        pending.retain(|fault| !fault.0.told.load(Ordering::Relaxed));
        let first = pending.iter().find_map(Carried::tell);
        pending.iter().for_each(|fault| drop(fault.tell()));
        self.tidy();
        first.map_or(Ok(()), Err)
    }

    /// Looks at what was pending before the device was waited for, and tells nobody.
    pub(crate) fn settle_all(&self, pending: Vec<Carried>, look: impl Look) -> Result<()> {
        settle(&pending, look)?;
        self.tidy();
        Ok(())
    }

    /// Leaves out what need not be looked at any more.
    fn tidy(&self) {
        self.book().tidy();
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

/// Is this set the open faults `all`, no more and no fewer? Both are in the order of time. (A set of as many may hold
/// closed ones instead.)
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
