//! What a run came to, for a person (`text`, `html`) and for a machine (`json`).
//!
//! Here are the figures that all three share. Nothing is judged any more.

pub mod html;
pub mod json;
mod tables;
pub mod text;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::suite::{CaseResult, Comparison, DeviceRun};
use crate::worker::Status;

/// A finished run, of one device or of several side by side.
pub struct Report<'a> {
    /// Folder of the cases.
    pub folder: &'a str,
    /// Every device, in the order asked for; each has the same cases.
    pub runs: &'a [DeviceRun],
    /// The device that the others are compared with.
    pub baseline: usize,
    /// Time of the whole run, in seconds.
    pub seconds: f64,
    /// What each backend found on the machine: which devices, which drivers, and why others are missing.
    pub machine: &'a [ndany::Report],
}

impl<'a> Report<'a> {
    /// Whether there is a failure that is not a known one.
    pub fn fails(&self) -> bool {
        let failing = |run: &DeviceRun| run.results.iter().any(CaseResult::fails_the_run);
        self.runs.iter().any(failing)
            || self.comparisons().any(|(_, comparison)| {
                // A comparison of nothing proves nothing, so it does not pass.
                !comparison.differing.is_empty() || comparison.compared == 0
            })
    }

    /// The devices that are compared with the one at `baseline`, and how they compare.
    pub fn comparisons(&self) -> impl Iterator<Item = (&'a str, &'a Comparison)> + use<'a> {
        self.runs.iter().filter_map(|run| Some((run.device.as_str(), run.comparison.as_ref()?)))
    }

    /// The names of the devices.
    pub fn devices(&self) -> Vec<&'a str> {
        self.runs.iter().map(|run| run.device.as_str()).collect()
    }

    /// The name of the device that the others are compared with.
    pub fn with(&self) -> &'a str {
        &self.runs[self.baseline].device
    }

    /// What became of each case, device by device.
    pub fn cases(&self) -> impl Iterator<Item = Vec<&'a CaseResult>> + use<'a> {
        let runs = self.runs;
        let count = runs.first().map_or(0, |run| run.results.len());
        (0..count).map(move |number| runs.iter().map(|run| &run.results[number]).collect())
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
