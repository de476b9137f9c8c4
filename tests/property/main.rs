//! Random programs on every device, against the reference, bit for bit.
//!
//! Each program runs on the reference with an evaluation after every step: that is the expectation.
//! It then runs on the reference lazily, and on every device of [`DEVICES`] both ways. Any NaN equals
//! any NaN; everything else must agree to the last bit, errors in their class. A new backend joins by
//! its name in [`DEVICES`]. One more device is the reference behind a mock that has short rows, fresh
//! memory full of NaNs, and an eye on what core promises to backends.
//!
//! `NDANY_PROPERTY_PROGRAMS` asks for more programs, `NDANY_PROPERTY_SEED` starts elsewhere,
//! `NDANY_PROPERTY_DEVICES` (names separated by spaces) runs on other devices. A failure prints the
//! program after it has been cut down, and the seed that makes it.

mod compare;
mod generate;
#[allow(dead_code, reason = "a device of another test, of which this one needs less")]
#[path = "../failures/mock.rs"]
mod mock;
mod program;
mod random;
mod run;
mod shrink;
mod values;

use std::collections::BTreeSet;
use std::io::Write;

use generate::{Size, generate};
use ndany::ops::{REDUCTIONS, Row};
use ndany::{Device, Statistics};
use program::Step;
use run::{Mode, Outcome, run};

/// Devices that promise the reference's bits; those that cannot be opened here are named and skipped.
const DEVICES: &[&str] = &[
    "cpu:threads=1",
    "cpu:threads=2",
    "cpu:threads=8",
    "cpu:level=v1",
    "cpu:level=v3",
    "cpu:level=v4",
];

/// Programs over small arrays, unless more are asked for; of the others a share.
const PROGRAMS: u64 = 2000;

/// Past the test harness, which keeps what a passing test prints to itself.
fn say(line: &str) {
    // A closed stderr is no reason to fail.
    let _ = writeln!(std::io::stderr(), "property: {line}");
}

fn devices() -> Vec<Device> {
    let asked = std::env::var("NDANY_PROPERTY_DEVICES");
    let names: Vec<&str> = match &asked {
        Ok(names) => names.split_whitespace().collect(),
        Err(_) => DEVICES.to_vec(),
    };
    let mut devices = Vec::new();
    for name in names {
        match Device::open(name) {
            Ok(device) => devices.push(device),
            Err(error) => say(&format!("skipped {name}: {error}")),
        }
    }
    devices.push(mock::with_row_limit(0xFF, 4).device);
    devices
}

fn number(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {text}")),
        Err(_) => default,
    }
}

/// Runs `count` programs of a size on every device.
fn agree(what: &str, size: Size, count: u64) {
    let reference = Device::open("reference").expect("always there");
    let devices = devices();
    let first = number("NDANY_PROPERTY_SEED", 0);
    let (mut compared, mut elements, mut failures) = (0u64, 0u64, 0u64);
    let mut names = BTreeSet::new();
    let before = Statistics::now();
    for seed in first..first + count {
        let program = generate(seed, size);
        names.extend(program.steps.iter().filter_map(|step| match step {
            Step::Call { name, .. } => Some(*name),
            Step::Leaf { .. } | Step::Set { .. } | Step::Update { .. } => None,
        }));
        let expected = run(&program, &reference, Mode::Eager);
        let runs = std::iter::once((&reference, Mode::Lazy))
            .chain(devices.iter().flat_map(|device| [(device, Mode::Lazy), (device, Mode::Eager)]));
        for (device, mode) in runs {
            let got = run(&program, device, mode);
            for (want, have) in expected.iter().zip(&got) {
                compared += 1;
                elements += want.size() as u64;
                if let Some(difference) = compare::difference(want, have) {
                    let (small, difference) =
                        shrink::shrink(&program, want.value(), device, mode, difference);
                    panic!(
                        "{device} ({mode:?}) differs from the reference, {what} seed {seed}:\n\
                         {small}{difference}\n\
                         again: NDANY_PROPERTY_SEED={seed} NDANY_PROPERTY_PROGRAMS=1"
                    );
                }
            }
        }
        failures +=
            expected.iter().filter(|outcome| matches!(outcome, Outcome::Failed(..))).count() as u64;
    }
    say(&format!(
        "{what}: {count} programs × {} devices, {compared} comparisons of {elements} elements \
         ({failures} outputs are errors on purpose)",
        devices.len()
    ));
    let Statistics { operations, maps, reductions, rows, scans, folds, products, .. } =
        Statistics::now().since(&before);
    say(&format!(
        "{what}: {operations} operations in {maps} maps, {reductions} reductions, {rows} rows, \
         {scans} scans, {folds} folds, {products} products"
    ));
    if count >= 1000 {
        // The rows of four operands belong to functions with keywords, and have cases of their own.
        let rows = Row::all().filter(|row| row.arity < 4).map(|row| row.numpy);
        let missing: Vec<&str> = rows
            .chain(REDUCTIONS.iter().map(|row| row.numpy))
            .filter(|name| !names.contains(name))
            .collect();
        assert!(missing.is_empty(), "never tried: {missing:?}");
    }
}

#[test]
fn programs_over_small_arrays() {
    agree("small", Size::Small, number("NDANY_PROPERTY_PROGRAMS", PROGRAMS));
}

#[test]
fn programs_over_thousands_of_elements() {
    agree("medium", Size::Medium, number("NDANY_PROPERTY_PROGRAMS", PROGRAMS).div_ceil(20));
}

#[test]
fn programs_over_many_chunks() {
    agree("large", Size::Large, number("NDANY_PROPERTY_PROGRAMS", PROGRAMS).div_ceil(100));
}

#[test]
fn programs_longer_than_a_tape() {
    agree("long", Size::Long, number("NDANY_PROPERTY_PROGRAMS", PROGRAMS).div_ceil(20));
}
