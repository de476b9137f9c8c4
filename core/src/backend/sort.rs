//! The patterns `sort` and `search`: rows put into order, and places found in rows that are.
//!
//! The order is NumPy's: numbers by value, -0.0 equal to +0.0, complex numbers by real and then imaginary
//! part, and what holds a NaN last, complex numbers first those with a real number in front (by it), then
//! those with an imaginary one (by it), then those with none. Elements that this order does not tell
//! apart keep the order in which they stand, so there is one answer only.
//!
//! A search that counts is a histogram; its additions of integers depend on no order.
//!
//! Deliberately absent: sorts by several keys (core sorts by one after the other), and any order but the ascending one.
//! A long row is partitioned by two limits, which core finds.

use super::checked::{Check, Refusal};
use super::{ContiguousView, StridedView};
use crate::dtype::DType;
use crate::error::Result;
use crate::shape::Shape;

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

/// Sorts keys, ascending and stable, and puts what goes along with them into the same order (as CUB's `SortPairs`).
#[derive(Clone, Debug)]
pub struct SortPairs<'a> {
    /// How many keys, at least 1 and less than 2³².
    pub count: usize,
    /// How many bits the keys have. A device may leave higher bits out of the order.
    pub bits: u32,
    /// The dtype of wide words: U32 or U64.
    pub wide_dtype: DType,
    /// The keys as they are given, and their words.
    pub source: Pairs<'a>,
    /// The sorted keys and their words, in other memory.
    pub sorted: Pairs<'a>,
}

/// Keys, and two words for each.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    /// The keys, of U32.
    pub keys: ContiguousView<'a>,
    /// Words of U32.
    pub narrow: ContiguousView<'a>,
    /// Wide words.
    pub wide: ContiguousView<'a>,
}

/// What a search writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The insertion position of each needle. Axes of the output: rows (step `count`), needles (step 1).
    Positions,
    /// The number of needles at each insertion position. Axes of the output: rows (step `length + 1`), places (step
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
    /// Whether elements equal to the needle come before it (NumPy's `side="right"`).
    pub after_equal: bool,
    /// What to write.
    pub write: Found,
}

/// A stable three-way partition of a row of real numbers by two limits: first the elements below `low`, then those
/// within both, then those above `high`.
#[derive(Clone, Debug)]
pub struct PartitionThreeWay<'a> {
    /// Elements of the row, at least 1.
    pub length: usize,
    /// Axes: one row, the elements (step 1).
    pub source: StridedView<'a>,
    /// One element of the source's dtype, without axes; nothing is below no limit.
    pub low: Option<StridedView<'a>>,
    /// Likewise, not below `low`; if it is, no element is within both, and what is below `low` is in the first part.
    pub high: Option<StridedView<'a>>,
    /// Axes: one row, as many elements. Not the memory of the source.
    pub output: StridedView<'a>,
    /// What to write.
    pub write: Sorted,
}

/// The sizes of the first two parts of a three-way partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartSizes {
    /// Below both limits.
    pub below: usize,
    /// Within both.
    pub inside: usize,
}

/// A stable partition of each row of real numbers about its nth element: first the elements less than it, then those
/// equal to it, then the others. Each part keeps the order of its elements.
#[derive(Clone, Debug)]
pub struct NthElement<'a> {
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

impl Refusal {
    /// Rows of packed elements, that lie in their memory; of any step, or of this one.
    fn rows(
        &self,
        what: &str,
        view: &StridedView<'_>,
        [rows, length]: [usize; 2],
        step: Option<usize>,
    ) -> Result<()> {
        self.shape(&[rows, length])?;
        self.unless(is_packed(view, [rows, length], step), || {
            let strides = &view.strides;
            format!("{what} of {rows} rows of {length} elements: expected packed rows, got strides {strides:?}")
        })?;
        self.view(what, view, &[rows, length])
    }

    /// What is written of elements: them, or positions.
    fn written(&self, output: &StridedView<'_>, source: DType, write: Sorted) -> Result<()> {
        let dtype = match write {
            Sorted::Values => source,
            Sorted::Positions => DType::I64,
        };
        self.dtype("output", output, dtype)
    }

    /// A dtype of numbers that have an order.
    fn real(&self, dtype: DType) -> Result<()> {
        let real = dtype != DType::Bool && !dtype.is_complex();
        self.unless(real, || format!("dtype of source: expected real numbers, got {dtype}"))
    }
}

fn is_packed(view: &StridedView<'_>, [rows, length]: [usize; 2], step: Option<usize>) -> bool {
    let &[down, along] = view.strides.as_slice() else { return false };
    let steps = || step.is_none_or(|step| usize::try_from(down) == Ok(step));
    (along == 1 || length == 1) && (rows == 1 || steps())
}

impl Check for Sort<'_> {
    fn check(&self) -> Result<()> {
        let (refusal, rows) = (Refusal("sort"), [self.rows, self.length]);
        refusal.written(&self.output, self.source.dtype, self.write)?;
        refusal.rows("source", &self.source, rows, None)?;
        refusal.rows("output", &self.output, rows, Some(self.length))
    }
}

impl Check for SortPairs<'_> {
    fn check(&self) -> Result<()> {
        let (refusal, row) = (Refusal("sort_pairs"), [1, self.count]);
        let Self { count, wide_dtype, .. } = *self;
        refusal.shape(&row)?;
        refusal.unless(u32::try_from(count).is_ok(), || {
            format!("{count} keys: expected fewer than 2^32")
        })?;
        refusal.unless(matches!(wide_dtype, DType::U32 | DType::U64), || {
            format!("dtype of wide words: expected u32 or u64, got {wide_dtype}")
        })?;
        for (which, pairs) in [("source", &self.source), ("sorted", &self.sorted)] {
            let Pairs { keys, narrow, wide } = pairs;
            refusal.pieces(&format!("keys of {which}"), keys, row, DType::U32)?;
            refusal.pieces(&format!("narrow words of {which}"), narrow, row, DType::U32)?;
            refusal.pieces(&format!("wide words of {which}"), wide, row, wide_dtype)?;
        }
        Ok(())
    }
}

impl Check for NthElement<'_> {
    fn check(&self) -> Result<()> {
        let (refusal, rows) = (Refusal("nth_element"), [self.rows, self.length]);
        let Self { length, place, .. } = *self;
        refusal.unless(place < length && u32::try_from(length).is_ok(), || {
            format!("place {place} of {length} elements: expected one of fewer than 2^32")
        })?;
        refusal.real(self.source.dtype)?;
        refusal.written(&self.output, self.source.dtype, self.write)?;
        refusal.rows("source", &self.source, rows, None)?;
        refusal.rows("output", &self.output, rows, Some(length))
    }
}

impl Check for PartitionThreeWay<'_> {
    fn check(&self) -> Result<()> {
        let (refusal, rows) = (Refusal("partition_three_way"), [1, self.length]);
        refusal.written(&self.output, self.source.dtype, self.write)?;
        refusal.rows("source", &self.source, rows, None)?;
        refusal.rows("output", &self.output, rows, None)?;
        for (what, limit) in [("low", &self.low), ("high", &self.high)] {
            if let Some(limit) = limit {
                refusal.dtype(what, limit, self.source.dtype)?;
                // It is one element, whatever its steps.
                let one = Shape::from_elem(1, limit.strides.len());
                refusal.view(what, limit, &one)?;
            }
        }
        Ok(())
    }
}

impl Check for Search<'_> {
    fn check(&self) -> Result<()> {
        let refusal = Refusal("search");
        let Self { rows, length, count, .. } = *self;
        refusal.dtype("needles", &self.needles, self.sorted.dtype)?;
        refusal.dtype("output", &self.output, DType::I64)?;
        // Rows of no elements have none in memory.
        if length > 0 {
            refusal.rows("sorted", &self.sorted, [rows, length], None)?;
        }
        refusal.rows("needles", &self.needles, [rows, count], None)?;
        let results = match self.write {
            Found::Positions => count,
            Found::Counts => length.saturating_add(1),
        };
        refusal.rows("output", &self.output, [rows, results], Some(results))
    }
}
