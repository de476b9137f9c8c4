//! Counts of what was asked for and what ran, for a person who wonders what fusion did.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters since the program started.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) operations: AtomicU64,
    pub(crate) maps: AtomicU64,
    pub(crate) reductions: AtomicU64,
    pub(crate) rows: AtomicU64,
    pub(crate) scans: AtomicU64,
    pub(crate) products: AtomicU64,
}

static COUNTERS: Counters = Counters {
    operations: AtomicU64::new(0),
    maps: AtomicU64::new(0),
    reductions: AtomicU64::new(0),
    rows: AtomicU64::new(0),
    scans: AtomicU64::new(0),
    products: AtomicU64::new(0),
};

pub(crate) fn count(which: impl FnOnce(&'static Counters) -> &'static AtomicU64) {
    which(&COUNTERS).fetch_add(1, Ordering::Relaxed);
}

/// What the whole process has asked for and launched so far.
///
/// ```
/// use ndany_core::Statistics;
/// let before = Statistics::now();
/// let during = Statistics::now().since(&before);
/// assert!(during.launches() <= during.operations);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Operations asked for: elementwise, conversions, reductions, scans, products.
    pub operations: u64,
    /// Launches of fused elementwise programs.
    pub maps: u64,
    /// Launches of reductions with what was fused in front.
    pub reductions: u64,
    /// Launches that map, reduce and map again in one pass.
    pub rows: u64,
    /// Launches of scans.
    pub scans: u64,
    /// Launches of matrix products.
    pub products: u64,
}

impl Statistics {
    /// The counts so far.
    pub fn now() -> Self {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Self {
            operations: read(&COUNTERS.operations),
            maps: read(&COUNTERS.maps),
            reductions: read(&COUNTERS.reductions),
            rows: read(&COUNTERS.rows),
            scans: read(&COUNTERS.scans),
            products: read(&COUNTERS.products),
        }
    }

    /// The counts since an earlier reading.
    pub fn since(&self, earlier: &Statistics) -> Statistics {
        Statistics {
            operations: self.operations - earlier.operations,
            maps: self.maps - earlier.maps,
            reductions: self.reductions - earlier.reductions,
            rows: self.rows - earlier.rows,
            scans: self.scans - earlier.scans,
            products: self.products - earlier.products,
        }
    }

    /// Launches of every kind: passes over memory.
    pub fn launches(&self) -> u64 {
        self.maps + self.reductions + self.rows + self.scans + self.products
    }

    /// Passes that would have been made without fusion, and were not.
    pub fn saved(&self) -> u64 {
        self.operations.saturating_sub(self.launches())
    }
}
