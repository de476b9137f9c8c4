//! The project's own golden cases as data: whole, small, and with a case for every row of the engine.
//!
//! What the engine makes of them is the runner's business, not this test's.

use std::collections::{BTreeMap, BTreeSet};
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
fn the_folder_holds_what_the_manifests_name_and_no_more() {
    let mut named: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut held: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let cases = cases();
    for case in &cases {
        let archive = case.arrays.archive().expect("golden arrays are in archives").to_owned();
        held.entry(archive.clone()).or_insert_with(|| case.arrays.entries().collect());
        named.entry(archive).or_default().extend(manifest::files_of(case));
    }
    for (archive, held) in &held {
        let surplus: Vec<_> = held.difference(&named[archive]).collect();
        assert!(surplus.is_empty(), "{archive}: {surplus:?} belong to no case");
    }
    // Of NumPy's side and of SciPy's.
    let mut sizes = [0, 0];
    let mut expected: BTreeSet<String> = held.into_keys().collect();
    expected.extend(expected.clone().iter().map(|name| name.replace(".zip", ".json")));
    for entry in std::fs::read_dir(home().join("golden")).expect("the folder is there") {
        let entry = entry.expect("the folder can be read");
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(expected.remove(&name), "{name} is no manifest, and no manifest's archive");
        if name.ends_with(".zip") {
            let side = usize::from(name.starts_with("sf_") || name.starts_with("sparse"));
            sizes[side] += entry.metadata().expect("the file can be read").len();
        }
    }
    assert!(sizes[0] < 10_000_000, "{sizes:?} bytes of golden data: too much for a repository");
    assert!(sizes[1] < 6_000_000, "{sizes:?} bytes of golden data of SciPy's side: too much");
}

#[test]
fn golden_files_are_few() {
    let files = std::fs::read_dir(home().join("golden")).expect("the folder is there").count();
    assert!(files <= 200, "{files} files slow every clone, index and search");
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
