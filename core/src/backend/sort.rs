//! The patterns `sort` and `search`: rows put into order, and places found in rows that are.
//!
//! The order is NumPy's: numbers by value, -0.0 equal to +0.0, complex numbers by real and then imaginary
//! part, and what holds a NaN last, complex numbers first those with a real number in front (by it), then
//! those with an imaginary one (by it), then those with none. Elements that this order does not tell
//! apart keep the order in which they stand, so there is one answer only.
//!
//! A search that counts is a histogram; its additions of integers depend on no order.
//!
//! Deliberately absent: partial sorts (a sorted row is a partitioned one), sorts by several keys (core
//! sorts by one after the other), and any order but the ascending one.

use super::Place;

/// What a sort writes for each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sorted {
    /// The elements, in their dtype. A NaN may come out as any other NaN.
    Values,
    /// Their positions in the row, as I64.
    Positions,
}

/// Sorts each row, ascending and stable.
#[derive(Clone, Debug)]
pub struct Sort<'a> {
    /// Number of rows, at least 1.
    pub rows: usize,
    /// Elements of a row, at least 1.
    pub length: usize,
    /// Axes: rows (any step), the elements of a row (step 1).
    pub source: Place<'a>,
    /// Axes: rows (step `length`), the elements of a row (step 1). Not the memory of the source.
    pub output: Place<'a>,
    /// What to write.
    pub write: Sorted,
}

/// What a search writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// For each needle its place. Axes of the output: rows (step `count`), needles (step 1).
    Places,
    /// For each place how many needles have it. Axes of the output: rows (step `length + 1`), places (step
    /// 1).
    Counts,
}

/// For each needle the number of elements of its row that come before it, its place: where it could be
/// inserted, from 0 to `length`.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    /// Number of rows, at least 1.
    pub rows: usize,
    /// Elements of a sorted row; 0 is allowed.
    pub length: usize,
    /// Needles of a row, at least 1.
    pub count: usize,
    /// The sorted rows. Axes: rows (any step, 0 where all needles go into one row), elements (step 1).
    /// In a row that is not sorted, places are any numbers from 0 to `length`.
    pub sorted: Place<'a>,
    /// The needles, of the same dtype. Axes: rows (any step), needles (step 1).
    pub needles: Place<'a>,
    /// The results, as I64.
    pub output: Place<'a>,
    /// Do elements equal to the needle come before it (NumPy's `side="right"`)?
    pub after_equal: bool,
    /// What to write.
    pub write: Found,
}
