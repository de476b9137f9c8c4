//! Counts of what was asked for and what ran, for users who ask what fusion did.
//!
//! They are the calling thread's own: evaluation happens on the thread that asks for it.

use std::cell::Cell;

thread_local! {
    static COUNTS: Cell<Statistics> = const { Cell::new(Statistics {
        operations: 0, maps: 0, reductions: 0, rows: 0, scans: 0, folds: 0, sorts: 0, products: 0,
        gathers: 0, scatters: 0, selects: 0, copies: 0,
    }) };
}

/// Adds one to a counter of this thread.
pub(crate) fn count(which: impl FnOnce(&mut Statistics) -> &mut u64) {
    let mut counts = COUNTS.get();
    *which(&mut counts) += 1;
    COUNTS.set(counts);
}

/// Sets the counters of this thread back to what they were.
pub(crate) fn set(counts: Statistics) {
    COUNTS.set(counts);
}

/// What this thread has asked for and launched so far.
///
/// ```
/// use ndany::Statistics;
/// let before = Statistics::now();
/// let during = Statistics::now().since(&before);
/// assert_eq!(during.launches(), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Operations asked for: elementwise, conversions, reductions, scans, products, gathers, scatters,
    /// selects, and copies into place (one of `set`, one of each array that `concatenate` joins).
    pub operations: u64,
    /// Launches of fused elementwise programs.
    pub maps: u64,
    /// Launches of reductions with what was fused in front.
    pub reductions: u64,
    /// Launches that map, reduce and map again in one pass.
    pub rows: u64,
    /// Launches of scans.
    pub scans: u64,
    /// Launches of folds: of segments, or from left to right.
    pub folds: u64,
    /// Launches of sorts, and of searches in what is sorted.
    pub sorts: u64,
    /// Launches of matrix products, and of sequences laid along others.
    pub products: u64,
    /// Launches that read at positions.
    pub gathers: u64,
    /// Launches that write at positions.
    pub scatters: u64,
    /// Launches that pick what a mask shows.
    pub selects: u64,
    /// Arrays that were copied as a whole before a part was written, as another handle or a pending operation held
    /// them too, or as they showed an element twice. (Each is a launch of a map as well.)
    pub copies: u64,
}

impl Statistics {
    /// Returns the counts of this thread so far.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let before = Statistics::now();
    /// arange(3).eval()?;
    /// assert!(Statistics::now().launches() > before.launches());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn now() -> Self {
        COUNTS.get()
    }

    /// Returns the counts since an earlier reading on the same thread.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let before = Statistics::now();
    /// assert_eq!(Statistics::now().since(&before).launches(), 0);
    /// ```
    pub fn since(&self, earlier: &Statistics) -> Statistics {
        Statistics {
            operations: self.operations - earlier.operations,
            maps: self.maps - earlier.maps,
            reductions: self.reductions - earlier.reductions,
            rows: self.rows - earlier.rows,
            scans: self.scans - earlier.scans,
            folds: self.folds - earlier.folds,
            sorts: self.sorts - earlier.sorts,
            products: self.products - earlier.products,
            gathers: self.gathers - earlier.gathers,
            scatters: self.scatters - earlier.scatters,
            selects: self.selects - earlier.selects,
            copies: self.copies - earlier.copies,
        }
    }

    /// Returns the number of launches of every kind, each a pass over memory.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let before = Statistics::now();
    /// (arange(3) + 1).eval()?;
    /// assert_eq!(Statistics::now().since(&before).launches(), 1);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn launches(&self) -> u64 {
        let folding = self.reductions + self.rows + self.scans + self.folds;
        self.maps
            + folding
            + self.sorts
            + self.products
            + self.gathers
            + self.scatters
            + self.selects
    }

    /// Returns the number of passes over memory that fusion saved.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let before = Statistics::now();
    /// (array([1.0, 4.0]).sqrt() + 1.0).eval()?;
    /// assert_eq!(Statistics::now().since(&before).saved(), 1);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn saved(&self) -> u64 {
        self.operations.saturating_sub(self.launches())
    }
}

impl std::ops::AddAssign for Statistics {
    /// The counts of two stretches of work together.
    fn add_assign(&mut self, other: Statistics) {
        self.operations += other.operations;
        self.maps += other.maps;
        self.reductions += other.reductions;
        self.rows += other.rows;
        self.scans += other.scans;
        self.folds += other.folds;
        self.sorts += other.sorts;
        self.products += other.products;
        self.gathers += other.gathers;
        self.scatters += other.scatters;
        self.selects += other.selects;
        self.copies += other.copies;
    }
}
