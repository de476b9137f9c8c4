//! The golden cases of `np.random`, with eight times as many values: on the CPU, in this process.
//!
//! The runner judges the cases as they are, on any device, and compares the bits of two.

use std::path::PathBuf;

use ndany_conformance::argument::{Argument, Number};
use ndany_conformance::compare::judge;
use ndany_conformance::engine::{Engine, wanted};
use ndany_conformance::manifest::{self, Case};
use ndany_conformance::tolerance::Tolerance;

const MORE: usize = 8;

/// More values of a case whose size can be told: one number, by name.
fn enlarge(case: &mut Case) {
    let Tolerance::Distribution(wanted) = &mut case.tolerance else { return };
    let size = case.kwargs.iter_mut().find(|(name, _)| name == "size");
    if let Some((_, Argument::Scalar { number: Number::Int(size), .. })) = size {
        *size *= MORE as i128;
        wanted.shape[0] *= MORE;
    }
}

#[test]
fn samples_have_their_distributions() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden");
    let engine = Engine::open("cpu").expect("compiled in");
    let mut cases = manifest::load(&folder).unwrap_or_else(|error| panic!("{error}"));
    cases.retain(|case| case.family == "draws");
    assert!(cases.len() > 200, "{} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &mut cases {
        enlarge(case);
        let outcome = engine.run(case).expect("a good case");
        let wanted = wanted(case).expect("a good case");
        if let Err(mismatch) = judge(&case.op, None, &outcome, &wanted, &case.tolerance) {
            wrong.push(format!("{}: {mismatch}", case.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
