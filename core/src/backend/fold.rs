//! Folds that are not one reduction of a whole row: of its segments, and from left to right.
//!
//! Both take a program with one reduction, whose prologue is what was fused in front of it. What a
//! combination may rely on differs: [`CombineOrder::Plan`] is for those that may be applied in any order,
//! [`CombineOrder::Left`] and [`FoldLeft`] are for the others (`((a - b) - c) - d`), which leave one row to one
//! thread and run beside other rows.
//!
//! Deliberately absent: empty segments (there is nothing that a segment of nothing is), and outputs of
//! what the prologue computes along the way.

use super::checked::{Check, Refusal};
use super::{Launch, StridedView};
use crate::dtype::DType;
use crate::error::Result;
pub use crate::program::CombineOrder;
use crate::program::{Combine, Domain, Reg, RegType};

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
    pub order: CombineOrder,
    /// Number of segments, at least one.
    pub segments: usize,
    /// First element of each segment: I64, one axis.
    pub starts: StridedView<'a>,
    /// The element after the last of each segment: I64, one axis.
    pub ends: StridedView<'a>,
}

/// A fold of each row from left to right: `state = combine(state, element)`, in C order of the row.
///
/// The arguments of `combine` are the registers of the state, then those of `lifted`; its results are the
/// next state. It may fail with [`crate::Error::NegativePower`].
#[derive(Clone, Debug)]
pub struct FoldLeft<'a> {
    /// One reduction and one output. If `store_all` is set the output varies along the row and its
    /// registers name what the state starts from, as in [`super::Scan`]: each state, rounded to the
    /// output's dtype, is stored. Else the output is of domain `Row`.
    pub launch: Launch<'a>,
    /// Registers of the state, at most two.
    pub parts: usize,
    /// Whether the state starts from a value of the row\. Then the last `parts` of `lifted` are its registers,
    /// of domain `Row`, and no arguments of `combine`. Else it starts as the first element, whose `lifted`
    /// is all of the state.
    pub has_initial: bool,
    /// Whether every state is stored, or the last one only.
    pub store_all: bool,
}

impl Check for SegmentedReduce<'_> {
    fn check(&self) -> Result<()> {
        let refusal = Refusal("segmented_reduce");
        let Self { launch, segments, starts, ends, .. } = self;
        let of_rows = launch.program.outputs.iter().all(|output| output.domain == Domain::Row);
        let fits = launch.has_rows()
            && launch.row_axes == 1
            && launch.program.reductions.len() == 1
            && of_rows
            && launch.joins_states();
        refusal
            .unless(fits, || "expected a row of one axis, one reduction, outputs of rows".into())?;
        for (what, view) in [("starts", starts), ("ends", ends)] {
            refusal.dtype(what, view, DType::I64)?;
            refusal.shape(&[*segments])?;
            refusal.view(what, view, &[*segments])?;
        }
        let mut outputs = launch.shape.clone();
        if let Some(row) = outputs.last_mut() {
            *row = *segments;
        }
        refusal.shape(&outputs)?;
        launch.check(refusal.0, &outputs)
    }
}

impl Check for FoldLeft<'_> {
    fn check(&self) -> Result<()> {
        let refusal = Refusal("fold_left");
        let Self { ref launch, parts, has_initial, store_all } = *self;
        refusal.unless(launch.has_one_fold() && (1..=2).contains(&parts), || {
            format!("{parts} parts: expected 1 or 2, of one reduction of rows with one output")
        })?;
        let program = &*launch.program;
        let (reduction, output) = (&program.reductions[0], &program.outputs[0]);
        let lifted = &reduction.lifted;
        let ty = |reg: &Reg| program.instrs[usize::from(*reg)].ty;
        let given = lifted.len().checked_sub(if has_initial { parts } else { 0 });
        // The state has the types of what it starts from, and of the first values of an element.
        let state =
            given.filter(|given| (parts..=parts + 1).contains(given)).is_some_and(|given| {
                let start = if has_initial { &lifted[given..] } else { &lifted[..] };
                (has_initial || given == parts)
                    && start.iter().map(ty).eq(lifted[..parts].iter().map(ty))
            });
        let combines = || match &reduction.combine {
            Combine::Prim(_) => given == Some(parts),
            Combine::Body(body) => {
                body.results.len() == parts && body.reads_fewer_than(parts + given.unwrap_or(0))
            }
        };
        let stored = || {
            let ty_of = RegType::of(output.dtype);
            match store_all {
                true => lifted[..parts].iter().all(|reg| ty(reg) == ty_of),
                false => output.domain == Domain::Row,
            }
        };
        let of_parts = output.dtype.is_complex() == (parts == 2);
        refusal.unless(state && combines() && stored() && of_parts, || {
            format!("the state is not combined as {parts} parts of {}", output.dtype)
        })?;
        launch.check(refusal.0, &launch.shape)
    }
}
