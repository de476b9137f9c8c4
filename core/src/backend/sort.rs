//! The patterns `sort` and `search`: rows put into order, and places found in rows that are.
//!
//! The order is NumPy's: numbers by value, -0.0 equal to +0.0, complex numbers by real and then imaginary
//! part, and what holds a NaN last, complex numbers first those with a real number in front (by it), then
//! those with an imaginary one (by it), then those with none. Elements that this order does not tell
//! apart keep the order in which they stand, so there is one answer only.
//!
//! A search that counts is a histogram; its additions of integers depend on no order.
//!
//! Deliberately absent: sorts by several keys (core sorts by one after the other), and any order but the ascending one. A
//! long row is partitioned by dividing it at two limits, which core finds.

use super::StridedView;

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
    pub source: StridedView<'a>,
    /// Axes: rows (step `length`), the elements of a row (step 1). Not the memory of the source.
    pub output: StridedView<'a>,
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
    pub sorted: StridedView<'a>,
    /// The needles, of the same dtype. Axes: rows (any step), needles (step 1).
    pub needles: StridedView<'a>,
    /// The results, as I64.
    pub output: StridedView<'a>,
    /// Do elements equal to the needle come before it (NumPy's `side="right"`)?
    pub after_equal: bool,
    /// What to write.
    pub write: Found,
}

/// Divides a row of real numbers by two limits: first the elements below `low`, then those within both, then those above
/// `high`; each part in the order in which its elements stand.
#[derive(Clone, Debug)]
pub struct Divide<'a> {
    /// Elements of the row, at least 1.
    pub length: usize,
    /// Axes: one row, the elements (step 1).
    pub source: StridedView<'a>,
    /// One element of the source's dtype, without axes; nothing is below no limit.
    pub low: Option<StridedView<'a>>,
    /// Likewise, not below `low`.
    pub high: Option<StridedView<'a>>,
    /// Axes: one row, as many elements. Not the memory of the source.
    pub output: StridedView<'a>,
    /// What to write.
    pub write: Sorted,
}

/// How many elements of a divided row are where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divided {
    /// Below both limits.
    pub below: usize,
    /// Within both.
    pub inside: usize,
}

/// Puts each row of real numbers into three parts: first what a sort would put before one element, then all that the order
/// does not tell apart from that one, then the others; each part in the order in which its elements stand.
#[derive(Clone, Debug)]
pub struct Partition<'a> {
    /// Number of rows, at least 1.
    pub rows: usize,
    /// Elements of a row, at least 1 and less than 2³².
    pub length: usize,
    /// Which element that is: the one that a sort puts at this place of its row, from 0.
    pub place: usize,
    /// Axes: rows (any step), the elements of a row (step 1).
    pub source: StridedView<'a>,
    /// Axes: rows (step `length`), the elements of a row (step 1). Not the memory of the source.
    pub output: StridedView<'a>,
    /// What to write.
    pub write: Sorted,
}
