//! The project's own golden cases as data: whole, small, and with a case for every row of the engine.
//!
//! What the engine makes of them is the runner's business, not this test's.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ndany_conformance::{engine, known, manifest};

fn home() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn cases() -> Vec<manifest::Case> {
    manifest::load(&home().join("golden")).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_row_has_a_golden_case() {
    let cases = cases();
    let covered: BTreeSet<&str> = cases.iter().map(|case| case.op.as_str()).collect();
    let rows = engine::row_names();
    assert!(!rows.is_empty(), "the engine names no rows, so nothing was tested");
    let bare: Vec<&String> = rows.iter().filter(|row| !covered.contains(row.as_str())).collect();
    assert!(
        bare.is_empty(),
        "rows without a golden case: {bare:?}; add them to conformance/oracle"
    );
}

#[test]
fn the_folder_holds_what_the_manifest_names_and_no_more() {
    let cases = cases();
    let named: BTreeSet<&str> = cases.iter().flat_map(manifest::files_of).collect();
    let mut size = 0;
    for entry in std::fs::read_dir(home().join("golden/data")).expect("the folder is there") {
        let entry = entry.expect("the folder can be read");
        let name = format!("data/{}", entry.file_name().to_string_lossy());
        assert!(named.contains(name.as_str()), "{name} belongs to no case");
        size += entry.metadata().expect("the file can be read").len();
    }
    assert!(size < 12_000_000, "{size} bytes of golden data: too much for a repository");
}

#[test]
fn every_known_failure_concerns_a_case() {
    let cases = cases();
    let list = known::load(&home().join("known-failures.json")).unwrap_or_else(|e| panic!("{e}"));
    for entry in &list {
        let one = std::slice::from_ref(entry);
        let concerned = cases.iter().any(|case| known::concerns(one, &case.id));
        assert!(concerned, "known failure {:?} concerns no case: remove it", entry.case);
    }
}
