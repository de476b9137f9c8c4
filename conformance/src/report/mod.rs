//! What a run came to, for a person (`text`, `html`) and for a machine (`json`).
//!
//! Here are the figures that all three share. Nothing is judged any more.

pub mod html;
pub mod json;
pub mod text;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::suite::{CaseResult, Comparison};
use crate::worker::Status;

/// A finished run.
pub struct Report<'a> {
    /// The device.
    pub device: &'a str,
    /// Folder of the cases.
    pub folder: &'a str,
    /// Every case.
    pub results: &'a [CaseResult],
    /// A second device, its results, and how the two compare.
    pub against: Option<(&'a str, &'a [CaseResult], &'a Comparison)>,
    /// Time of the whole run, in seconds.
    pub seconds: f64,
}

impl Report<'_> {
    /// Is anything wrong that is not known?
    pub fn fails(&self) -> bool {
        let failing = |results: &[CaseResult]| results.iter().any(CaseResult::fails_the_run);
        failing(self.results)
            || self.against.is_some_and(|(_, results, comparison)| {
                // A comparison of nothing proves nothing, so it does not pass.
                failing(results) || !comparison.differing.is_empty() || comparison.compared == 0
            })
    }
}

/// The three figures, and how much of the second is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// As expected.
    pub passed: usize,
    /// Not as expected, known or not.
    pub failed: usize,
    /// Not done by the engine.
    pub unsupported: usize,
    /// Failures that are listed as known.
    pub known: usize,
    /// Time of the calls.
    pub ms: f64,
}

impl Figures {
    /// Adds a case.
    pub fn add(&mut self, result: &CaseResult) {
        match result.status {
            Status::Passed => self.passed += 1,
            Status::Failed => self.failed += 1,
            Status::Unsupported => self.unsupported += 1,
        }
        self.known += usize::from(result.known.is_some());
        self.ms += result.ms;
    }

    /// Cases in all.
    pub fn total(&self) -> usize {
        self.passed + self.failed + self.unsupported
    }

    /// The figures of all these cases.
    pub fn of(results: &[CaseResult]) -> Self {
        let mut figures = Figures::default();
        results.iter().for_each(|result| figures.add(result));
        figures
    }
}

/// Figures by family, in the order in which the families first occur.
pub fn by_family(results: &[CaseResult]) -> Vec<(&str, Figures)> {
    let mut order: Vec<&str> = Vec::new();
    let mut figures: BTreeMap<&str, Figures> = BTreeMap::new();
    for result in results {
        let family = figures.entry(&result.family).or_insert_with(|| {
            order.push(&result.family);
            Figures::default()
        });
        family.add(result);
    }
    order.into_iter().map(|family| (family, figures[family])).collect()
}

/// The column of the matrix in which a case counts.
pub fn column(result: &CaseResult) -> &str {
    match result.dtypes.as_slice() {
        [] => "none",
        [one] => one,
        [_, _, ..] => "mixed",
    }
}
