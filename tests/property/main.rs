//! Random programs on every device, against the reference, bit for bit.
//!
//! Each program runs on the reference with an evaluation after every step: that is the expectation.
//! It then runs on the reference lazily, and on every device of [`DEVICES`] both ways. Any NaN equals
//! any NaN; everything else must agree to the last bit, errors in their class. A new backend joins by
//! its name in [`DEVICES`]. One more device is the reference in a mock that has short rows, fresh
//! memory full of NaNs, and an eye on what core promises to backends.
//!
//! Each step has a thread and a stream, too (`program::StepSchedule`): a third way to run a program is with its steps there at
//! the same time, and on devices with streams a fourth one is there, one after the other. Under
//! `NDANY_SOFTGPU_ORDER=late:N` the software GPU then does what is in the streams in an order of chance, made anew for
//! each program of N and its seed: with steps one after the other, a seed does the same each time.
//!
//! `NDANY_PROPERTY_PROGRAMS` asks for more programs, `NDANY_PROPERTY_EACH` for this number of each size,
//! `NDANY_PROPERTY_SEED` starts elsewhere, `NDANY_PROPERTY_DEVICES` (names separated by spaces) runs on other devices,
//! `NDANY_PROPERTY_STRUCTURES` (for small arrays; for others a share) lets programs differ in their elements, threads and
//! streams only, but for this number of structures: a device then compiles kernels of those and no more.
//! `NDANY_PROPERTY_MODES` (of `lazy eager turn beside graph`) only so. A failure prints the program after it has been cut
//! down, and the seed that makes it.

mod compare;
mod composed;
mod concurrent;
mod generate;
mod kernels;
#[allow(dead_code, reason = "a device of another test, of which this one needs less")]
#[path = "../failures/mock.rs"]
mod mock;
mod program;
mod random;
mod run;
mod shrink;
mod target;
mod values;

use std::collections::BTreeSet;
use std::io::Write;

use generate::{Size, generate};
use ndany::{Device, Statistics};
use ndany_core::ops::{REDUCTIONS, UfuncDef};
use program::Step;
use run::{Mode, Outcome, run};
use target::Target;

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

fn targets(size: Size) -> Vec<Target> {
    let asked = std::env::var("NDANY_PROPERTY_DEVICES");
    let names: Vec<&str> = match &asked {
        Ok(names) => names.split_whitespace().collect(),
        Err(_) => DEVICES.to_vec(),
    };
    let mut devices = Vec::new();
    for name in names {
        match Device::open(name) {
            Ok(device) => devices.push(Target::new(device)),
            Err(error) => say(&format!("skipped {name}: {error}")),
        }
    }
    // It has no linear algebra.
    if size != Size::Streams {
        devices.push(Target::new(mock::with_row_limit(0xFF, 4).device));
    }
    devices
}

/// The ways to run on a device.
fn modes(target: &Target) -> Vec<Mode> {
    let asked = std::env::var("NDANY_PROPERTY_MODES");
    let of = |name: &str| match name {
        "lazy" => Mode::Lazy,
        "eager" => Mode::Eager,
        "turn" => Mode::InTurn,
        "beside" => Mode::Beside,
        "graph" => Mode::Graph,
        other => {
            panic!("NDANY_PROPERTY_MODES: expected lazy, eager, turn, beside or graph, got {other}")
        }
    };
    match asked {
        Ok(names) => names.split_whitespace().map(of).collect(),
        Err(_) if target.is_gpu() => {
            vec![Mode::Lazy, Mode::Eager, Mode::InTurn, Mode::Beside, Mode::Graph]
        }
        Err(_) => vec![Mode::Lazy, Mode::Eager, Mode::Beside, Mode::Graph],
    }
}

fn number(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {text}")),
        Err(_) => default,
    }
}

/// Runs a number of programs of a size on every device, unless others are asked for: of `NDANY_PROPERTY_PROGRAMS` a share.
fn agree(what: &str, size: Size, share: u64) {
    let count = number("NDANY_PROPERTY_PROGRAMS", PROGRAMS).div_ceil(share);
    let count = number("NDANY_PROPERTY_EACH", count);
    let reference = Target::new(Device::open("reference").expect("always there"));
    let targets = targets(size);
    let first = number("NDANY_PROPERTY_SEED", 0);
    let structures = std::env::var("NDANY_PROPERTY_STRUCTURES").ok().map(|_| {
        let share = match size {
            Size::Small => 1,
            Size::Medium | Size::Large | Size::Streams => 3,
            Size::Long => 15,
        };
        number("NDANY_PROPERTY_STRUCTURES", 1).div_ceil(share)
    });
    let (mut compared, mut elements, mut failures) = (0u64, 0u64, 0u64);
    let mut names = BTreeSet::new();
    let before = Statistics::now();
    let ways: Vec<(&Target, Mode)> = std::iter::once((&reference, Mode::Lazy))
        .chain(
            targets
                .iter()
                .flat_map(|target| modes(target).into_iter().map(move |mode| (target, mode))),
        )
        .collect();
    for seed in first..first + count {
        let program = generate(seed, size, structures);
        names.extend(program.steps.iter().filter_map(|step| match step {
            Step::Call { name, .. } => Some(*name),
            Step::Leaf { .. }
            | Step::Composed { .. }
            | Step::Kernel { .. }
            | Step::Set { .. }
            | Step::Update { .. } => None,
        }));
        let expected = run(&program, &reference, Mode::Eager);
        for &(target, mode) in &ways {
            assert!(target.begin(seed), "{} is lost before {what} seed {seed}", target.device);
            let got = run(&program, target, mode);
            for (want, have) in expected.iter().zip(&got) {
                compared += 1;
                elements += want.size() as u64;
                if let Some(difference) = compare::difference(want, have) {
                    let value = want.value();
                    let first = difference.to_string();
                    let (small, difference) = shrink::shrink(
                        &program,
                        value,
                        [&reference, target],
                        (mode, seed),
                        difference,
                    );
                    panic!(
                        "{} ({mode:?}) differs from the reference, {what} seed {seed}: {first}\n\
                         {small}{difference}\n\
                         again: NDANY_PROPERTY_SEED={seed} NDANY_PROPERTY_PROGRAMS=1, and the other variables as they were",
                        target.device
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
        targets.len()
    ));
    let Statistics { operations, maps, reductions, rows, scans, folds, products, .. } =
        Statistics::now().since(&before);
    say(&format!(
        "{what}: {operations} operations in {maps} maps, {reductions} reductions, {rows} rows, \
         {scans} scans, {folds} folds, {products} products"
    ));
    if count >= 1000 && size == Size::Small {
        // The rows of four operands belong to functions with keywords, and have cases of their own.
        let rows = UfuncDef::all().filter(|row| row.arity < 4).map(|row| row.numpy);
        let missing: Vec<&str> = rows
            .chain(REDUCTIONS.iter().map(|row| row.facts().numpy))
            .filter(|name| !names.contains(name))
            .collect();
        assert!(missing.is_empty(), "never tried: {missing:?}");
    }
}

#[test]
fn programs_over_small_arrays() {
    agree("small", Size::Small, 1);
}

#[test]
fn programs_over_thousands_of_elements() {
    agree("medium", Size::Medium, 20);
}

#[test]
fn programs_over_many_chunks() {
    agree("large", Size::Large, 100);
}

#[test]
fn programs_longer_than_a_tape() {
    agree("long", Size::Long, 20);
}

#[test]
fn programs_over_several_streams() {
    agree("streams", Size::Streams, 20);
}
