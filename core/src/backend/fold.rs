//! Folds that are not one reduction of a whole row: of its segments, and from left to right.
//!
//! Both take a program with one reduction, whose prologue is what was fused in front of it. What a
//! combination may rely on differs: [`Order::Plan`] is for those that may be applied in any order,
//! [`Order::Left`] and [`Recur`] are for the others (`((a - b) - c) - d`), which leave one row to one
//! thread and run beside other rows.
//!
//! Deliberately absent: empty segments (there is nothing that a segment of nothing is), and outputs of
//! what the prologue computes along the way.

use super::{Launch, StridedView};
pub use crate::program::Order;

/// A reduction of each segment of every row.
///
/// Segment `s` is the elements `starts[s] .. ends[s]` of the row; segments may overlap, leave elements
/// out and come in any sequence, the same for all rows.
///
/// # Errors
/// [`crate::Error::Index`] where not `0 <= start < end <= row` (with the offset that is outside): found
/// before anything is read or written by it. [`crate::Error::NegativePower`] from elements of segments;
/// core sees to it that elements outside have no say.
#[derive(Clone, Debug)]
pub struct SegmentedReduce<'a> {
    /// One reduction, outputs of domain `Row`, and a row of exactly one axis. In place of that axis an
    /// output steps from segment to segment; inputs of domain `Row` have stride 0 there.
    pub launch: Launch<'a>,
    /// How the elements of a segment combine.
    pub order: Order,
    /// Number of segments, at least one.
    pub segments: usize,
    /// First element of each segment: I64, one axis.
    pub starts: StridedView<'a>,
    /// The element behind the last of each segment: I64, one axis.
    pub ends: StridedView<'a>,
}

/// A fold of each row from left to right: `state = combine(state, element)`, in C order of the row.
///
/// The arguments of `combine` are the registers of the state, then those of `lifted`; its results are the
/// next state. It may fail with [`crate::Error::NegativePower`].
#[derive(Clone, Debug)]
pub struct Recur<'a> {
    /// One reduction and one output. Where `every` is set the output varies along the row and its
    /// registers name what the state starts from, as in [`super::Scan`]: each state, rounded to the
    /// output's dtype, is stored. Else the output is of domain `Row`.
    pub launch: Launch<'a>,
    /// Registers of the state, at most two.
    pub parts: usize,
    /// Does the state start from a value of the row? Then the last `parts` of `lifted` are its registers,
    /// of domain `Row`, and no arguments of `combine`. Else it starts as the first element, whose `lifted`
    /// is all of the state.
    pub starts: bool,
    /// Is every state stored, or the last one only?
    pub every: bool,
}
