//! Puts a whole run together: every case twice in two orders, known failures, and two devices
//! against each other.
//!
//! No process is started here (`supervisor`) and no value compared (`compare`), except to say where
//! two devices part.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::argument::{Argument, Strength};
use crate::arrays::Arrays;
use crate::compare::{ExpectedValue, Outcome, judge};
use crate::engine::read;
use crate::host::{Dtype, HostArray};
use crate::known::{self, Known};
use crate::manifest::{Case, Expected};
use crate::supervisor::{self, RunError, Workers};
use crate::tolerance::Tolerance;
use crate::vendor::is_vendor_call;
use crate::worker::{Run, Status};

/// What became of a case, both runs taken together.
#[derive(Clone, Debug, Serialize)]
pub struct CaseResult {
    /// Its id.
    pub id: String,
    /// Its family.
    pub family: String,
    /// NumPy's name of the operation.
    pub op: String,
    /// The dtypes of its arrays, in order, each once.
    pub dtypes: Vec<String>,
    /// Judgement.
    pub status: Status,
    /// What is wrong or missing.
    pub message: String,
    /// Time of the first run, in milliseconds.
    pub ms: f64,
    /// Reason and issue, when the failure is a known one.
    pub known: Option<String>,
    #[serde(skip)]
    digest: Option<String>,
}

impl CaseResult {
    /// A result with nothing but these.
    #[cfg(test)]
    pub(crate) fn of_test(op: &str, family: &str, status: Status) -> Self {
        Self {
            id: op.to_owned(),
            family: family.to_owned(),
            op: op.to_owned(),
            dtypes: Vec::new(),
            status,
            message: String::new(),
            ms: 0.0,
            known: None,
            digest: None,
        }
    }

    /// Whether this result fails the run.
    pub fn fails_the_run(&self) -> bool {
        self.status == Status::Failed && self.known.is_none()
    }
}

/// Runs every case twice, in two orders, in different processes.
pub fn run(
    workers: &Workers,
    cases: &[&Case],
    known: &[Known],
) -> Result<Vec<CaseResult>, RunError> {
    let forward: Vec<usize> = (0..cases.len()).collect();
    let first = supervisor::run(workers, cases, &forward, false)?;
    let second = supervisor::run(workers, cases, &shuffled(cases.len()), false)?;
    let mut dtypes = DtypeReader::default();
    let missing = || Run::failed("was never run".to_owned());
    Ok(cases
        .iter()
        .zip(first.into_iter().zip(second))
        .map(|(case, (first, second))| {
            let (first, second) = (first.unwrap_or_else(missing), second.unwrap_or_else(missing));
            let ms = first.ms;
            let (status, message, digest) = merge(first, second);
            let known = known::find(known, &case.id, &workers.device);
            let result = CaseResult {
                id: case.id.clone(),
                family: case.family.clone(),
                op: case.op.clone(),
                dtypes: dtypes.of_case(case),
                status,
                message,
                ms,
                known: None,
                digest,
            };
            with_known(result, known)
        })
        .collect())
}

/// What became of all cases on one device.
#[derive(Clone, Debug)]
pub struct DeviceRun {
    /// Its name.
    pub device: String,
    /// Every case.
    pub results: Vec<CaseResult>,
    /// Against the device that the others are compared with; `None` of that device itself.
    pub comparison: Option<Comparison>,
}

/// Runs every case on every device and compares each with the one at `baseline`.
pub fn run_all(
    devices: &[Workers],
    baseline: usize,
    cases: &[&Case],
    known: &[Known],
) -> Result<Vec<DeviceRun>, RunError> {
    // Whether all of them open is said before the first takes its time.
    if devices.len() > 1 {
        devices.iter().try_for_each(supervisor::try_to_start)?;
    }
    let mut runs = Vec::new();
    for workers in devices {
        let results = run(workers, cases, known)?;
        runs.push(DeviceRun { device: workers.device.clone(), results, comparison: None });
    }
    for (number, workers) in devices.iter().enumerate() {
        if number != baseline {
            let results = [runs[number].results.as_slice(), runs[baseline].results.as_slice()];
            runs[number].comparison = Some(compare([workers, &devices[baseline]], cases, results)?);
        }
    }
    Ok(runs)
}

fn merge(first: Run, second: Run) -> (Status, String, Option<String>) {
    if first.status == second.status && first.digest == second.digest {
        return (first.status, first.message, first.digest);
    }
    let words = |run: &Run| match run.status {
        Status::Passed => "passed".to_owned(),
        Status::Failed => format!("failed ({})", run.message),
        Status::Unsupported => "was unsupported".to_owned(),
    };
    let message = if first.status == second.status {
        format!("not repeatable: two runs differ in bits; {}", words(&first))
    } else {
        format!("not repeatable: first it {}, then it {}", words(&first), words(&second))
    };
    (Status::Failed, message, None)
}

fn with_known(mut result: CaseResult, known: Option<&Known>) -> CaseResult {
    let Some(known) = known else { return result };
    let why = format!("{} ({})", known.reason, known.issue);
    match result.status {
        Status::Failed => result.known = Some(why),
        Status::Passed => {
            result.status = Status::Failed;
            result.message = format!("passes, although it is listed as a known failure: {why}");
        }
        Status::Unsupported => {}
    }
    result
}

/// Another order, the same in every run: Fisher and Yates with a multiplicative generator.
fn shuffled(count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for last in (1..count).rev() {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        order.swap(last, ((state >> 33) % (last as u64 + 1)) as usize);
    }
    order
}

/// Reads the dtypes of arrays, each array once.
#[derive(Default)]
struct DtypeReader {
    /// By archive and name.
    seen: BTreeMap<(Option<String>, String), Option<Dtype>>,
}

impl DtypeReader {
    fn of_case(&mut self, case: &Case) -> Vec<String> {
        let mut found = BTreeSet::new();
        let mut names = Vec::new();
        let arguments = case.args.iter().chain(case.kwargs.iter().map(|(_, argument)| argument));
        for argument in arguments {
            self.of_argument(&case.arrays, argument, &mut |dtype| {
                if found.insert(dtype) {
                    names.push(dtype.name().to_owned());
                }
            });
        }
        // A creation has no array among its arguments: it belongs to what it creates.
        if names.is_empty()
            && let Expected::Array(file) = &case.expected
        {
            names.extend(self.of_file(&case.arrays, file).map(|dtype| dtype.name().to_owned()));
        }
        names
    }

    fn of_argument(&mut self, arrays: &Arrays, argument: &Argument, add: &mut impl FnMut(Dtype)) {
        match argument {
            Argument::Array { file, view: _ } => {
                if let Some(dtype) = self.of_file(arrays, file) {
                    add(dtype);
                }
            }
            Argument::Scalar { strength: Strength::Strong(dtype), .. } | Argument::Dtype(dtype) => {
                add(*dtype);
            }
            Argument::Tuple(items) | Argument::List(items) => {
                items.iter().for_each(|item| self.of_argument(arrays, item, add));
            }
            Argument::Scalar { strength: Strength::Weak, .. }
            | Argument::Str(_)
            | Argument::Bool(_)
            | Argument::None
            | Argument::Slice(_)
            | Argument::NewAxis
            | Argument::Ellipsis => {}
        }
    }

    fn of_file(&mut self, arrays: &Arrays, file: &str) -> Option<Dtype> {
        let key = (arrays.archive().map(str::to_owned), file.to_owned());
        *self.seen.entry(key).or_insert_with(|| Some(read(arrays, file).ok()?.dtype()))
    }
}

/// Two devices, case by case.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Comparison {
    /// Cases of which both devices gave a result.
    pub compared: usize,
    /// Left out: calls of a vendor's library.
    pub excluded: usize,
    /// Left out: one device or both gave no repeatable result.
    pub without_result: usize,
    /// Cases whose bits, or texts of errors, differ, with the first difference.
    pub differing: Vec<(String, String)>,
}

/// Demands equal bits of two runs of the same cases.
pub fn compare(
    workers: [&Workers; 2],
    cases: &[&Case],
    results: [&[CaseResult]; 2],
) -> Result<Comparison, RunError> {
    let mut comparison = Comparison::default();
    let mut differing = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let of = |results: &[CaseResult]| match results[index].status {
            Status::Passed | Status::Failed => results[index].digest.clone(),
            Status::Unsupported => None,
        };
        if is_vendor_call(&case.op) {
            comparison.excluded += 1;
        } else if let (Some(left), Some(right)) = (of(results[0]), of(results[1])) {
            comparison.compared += 1;
            if left != right {
                differing.push(index);
            }
        } else {
            comparison.without_result += 1;
        }
    }
    // Only digests crossed so far; the arrays of what differs are fetched to say where.
    let left = supervisor::run(workers[0], cases, &differing, true)?;
    let right = supervisor::run(workers[1], cases, &differing, true)?;
    for index in differing {
        let text = difference(left[index].clone(), right[index].clone());
        comparison.differing.push((cases[index].id.clone(), text));
    }
    Ok(comparison)
}

fn difference(left: Option<Run>, right: Option<Run>) -> String {
    let arrays = |run: &Option<Run>| -> Option<Vec<HostArray>> {
        run.as_ref()?.kept.iter().cloned().map(|kept| kept.array()).collect()
    };
    let words = |run: &Option<Run>| run.as_ref().map_or("", |run| run.message.as_str()).to_owned();
    let (Some(expected), Some(got)) = (arrays(&left), arrays(&right)) else {
        return "the arrays did not arrive".to_owned();
    };
    let exact = Tolerance::Exact { signed_zero: true };
    match judge("", None, &Outcome::List(got), &ExpectedValue::List(expected), &exact) {
        Err(mismatch) => format!("first device as expected: {mismatch}"),
        Ok(()) => format!("first device: {:?}, second: {:?}", words(&left), words(&right)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_orders_hold_every_case() {
        let mut order = shuffled(1000);
        assert_ne!(order, (0..1000).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..1000).collect::<Vec<_>>());
        assert!(shuffled(0).is_empty());
    }

    #[test]
    fn runs_that_disagree_fail() {
        let run = |status, digest: &str| Run {
            status,
            message: String::new(),
            digest: Some(digest.to_owned()),
            ms: 1.0,
            kept: Vec::new(),
        };
        let merged = |a, b| merge(a, b).0;
        let passed = Status::Passed;
        assert_eq!(merged(run(passed, "a"), run(passed, "a")), Status::Passed);
        assert_eq!(merged(run(passed, "a"), run(passed, "b")), Status::Failed);
        assert_eq!(merged(run(passed, "a"), run(Status::Failed, "a")), Status::Failed);
        assert_eq!(merged(run(Status::Unsupported, "a"), run(passed, "b")), Status::Failed);
    }

    #[test]
    fn an_unexpected_pass_fails_the_run() {
        let result = |status| CaseResult::of_test("x", "", status);
        let known = Known {
            case: "x".to_owned(),
            device: "*".to_owned(),
            reason: "why".to_owned(),
            issue: "#1".to_owned(),
        };
        assert!(with_known(result(Status::Passed), Some(&known)).fails_the_run());
        assert!(!with_known(result(Status::Failed), Some(&known)).fails_the_run());
        assert!(with_known(result(Status::Failed), None).fails_the_run());
        assert!(!with_known(result(Status::Passed), None).fails_the_run());
    }
}
