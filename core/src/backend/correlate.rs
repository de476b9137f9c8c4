//! The pattern `correlate`: the sums of products of a short sequence laid along a long one.
//!
//! The order of additions is promised, so that the bits are, on every device: taps stand in runs of [`RUN`], counted
//! from tap 0; a sum of each run begins with its first product that exists and gains the others one after the other;
//! the result begins with the sum of the first run that has any and gains the others' likewise. Products are rounded
//! before they are added. (To begin with -0.0 comes to the same as to begin with what is there: it changes nothing that
//! is added to it.)
//!
//! Floats of 16 bits are multiplied and added in f32 and rounded once, at the end. Integers wrap; a boolean is
//! whether both are true anywhere. A product of complex numbers is `(ac - bd, ad + bc)`, each step rounded.
//!
//! Deliberately absent: several axes, steps between places, and which of the two is turned around or conjugated, which
//! is core's.

use super::ContiguousView;
use super::checked::{Check, Refusal};
use crate::dtype::DType;
use crate::error::Result;

/// Taps whose products are added up by themselves, before the sum of them is.
pub const RUN: usize = 64;

/// `out[i] = Σ long[i + k - before] · short[k]` over those k for which there is such a place; every i has one. What
/// lies beside the long sequence has no part, not even as zero times infinity.
#[derive(Clone, Debug)]
pub struct Correlate<'a> {
    /// Of all three.
    pub dtype: DType,
    /// Elements of the long sequence, at least `taps`.
    pub length: usize,
    /// Elements of the short sequence, at least 1.
    pub taps: usize,
    /// Results, at least 1.
    pub outputs: usize,
    /// Places in front of the long sequence at which the first result begins, fewer than `taps`.
    pub before: usize,
    /// The long sequence.
    pub long: ContiguousView<'a>,
    /// The short one.
    pub short: ContiguousView<'a>,
    /// The results. Neither of the two.
    pub output: ContiguousView<'a>,
}

impl Check for Correlate<'_> {
    fn check(&self) -> Result<()> {
        let refusal = Refusal("correlate");
        let Self { dtype, length, taps, outputs, before, .. } = *self;
        // Every result has a product, of a place of the long sequence.
        let last = length.checked_add(before);
        let fits = (1..=length).contains(&taps) && before < taps;
        refusal.unless(fits && outputs > 0 && last.is_some_and(|last| outputs <= last), || {
            format!(
                "{outputs} results of {length} elements and {taps} taps, {before} before the first"
            )
        })?;
        refusal.pieces("long", &self.long, [1, length], dtype)?;
        refusal.pieces("short", &self.short, [1, taps], dtype)?;
        refusal.pieces("output", &self.output, [1, outputs], dtype)
    }
}
