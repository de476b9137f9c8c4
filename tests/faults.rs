//! Errors that turn up while work runs: they come out of each value that depends on what failed, and of no other, on
//! GPUs (the software GPU) as on the reference.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::{Array, Device, concatenate, ufunc};
use support::{Folder, LIBRARIES, process_of_all_vendors, task};

const DEVICES: [&str; 4] = ["reference", "cpu", "cuda:0", "hip:0"];

/// Runs a task of `alone` on software GPUs, in a process of its own.
fn on_devices(task: &str) {
    process_of_all_vendors(&Folder::of_software_gpu(task, &LIBRARIES), task, &[]);
}

#[test]
fn an_error_is_not_lost_beside_resolved_ones() {
    on_devices("settled");
}

#[test]
fn an_error_belongs_to_the_values_that_depend_on_it() {
    on_devices("beside");
}

#[test]
fn of_two_errors_each_device_reports_the_same() {
    on_devices("first");
}

#[test]
fn deferred_errors_say_what_was_asked_for_and_where() {
    on_devices("texts");
}

#[test]
#[ignore = "run by the others"]
fn alone() {
    let test = match task().as_str() {
        "settled" => settled,
        "beside" => beside,
        "first" => first_of_two,
        "texts" => texts,
        other => panic!("no task {other}"),
    };
    // What the reference says, all say.
    let mut said: Option<Vec<String>> = None;
    for name in DEVICES {
        let device = Device::open(name).expect("a device");
        let _guard = device.enter();
        let texts = test(name);
        assert_eq!(&texts, said.get_or_insert(texts.clone()), "on {name}");
    }
}

/// A sum whose operands may have failed, of which one was read meanwhile, meets an array that has failed.
fn settled(device: &str) -> Vec<String> {
    let table = Array::from((0..100).map(i64::from).collect::<Vec<_>>());
    let at = |positions: [i64; 3]| table.take(Array::from(positions.to_vec()), 0);
    let (first, second) = (at([1, 2, 3]), at([4, 5, 6]));
    let sum = &first + &second;
    sum.eval().expect("nothing is out of range");
    assert_eq!(first.to_vec::<i64>().expect("values"), [1, 2, 3], "on {device}");
    let bad = at([7, 8, 1000]);
    let errors = [&sum + &bad, &bad + &sum].map(|meeting| error_of(&meeting, "IndexError", device));
    assert_eq!(values(&sum, device), [5, 7, 9], "on {device}");
    errors.to_vec()
}

fn values(array: &Array, device: &str) -> Vec<i64> {
    array.to_vec().unwrap_or_else(|error| panic!("{error} on {device}"))
}

fn error_of(array: &Array, class: &str, device: &str) -> String {
    let error = array.to_vec::<i64>().expect_err(device);
    assert_eq!(error.class(), class, "{error} on {device}");
    error.to_string()
}

/// Values that one launch computes beside others, of which some fail: by themselves, or by what they read.
fn beside(device: &str) -> Vec<String> {
    let x = Array::from(vec![1i64, 2, 3]);
    let y = Array::from(vec![10i64, 20, 30]);
    let bad = y.take(Array::from(vec![0i64, 1, 1000]), 0);
    let negative = Array::from(vec![1i64, -1, 2]);
    let mut texts = Vec::new();
    // A sum of two arrays, of many steps, so that it is written along; then what fails.
    for failing in ["power", "take"] {
        let mut inner = &x * &y;
        for k in 0..12 {
            inner = &inner * 3 + k;
        }
        let expected = values(&(&inner + 0), "reference");
        let mut inner = &x * &y;
        for k in 0..12 {
            inner = &inner * 3 + k;
        }
        let root = match failing {
            "power" => &inner + &x.pow(&negative),
            _ => &inner + &bad,
        };
        let class = if failing == "power" { "ValueError" } else { "IndexError" };
        texts.push(error_of(&root, class, device));
        assert_eq!(values(&inner, device), expected, "beside {failing} on {device}");
    }
    // Of two powers in one expression, one fails.
    let (good, failed) = (x.pow(&y), x.pow(&negative));
    let sum = &good + &failed;
    texts.push(error_of(&sum, "ValueError", device));
    texts.push(error_of(&failed, "ValueError", device));
    assert_eq!(values(&good, device)[..2], [1, 1 << 20], "on {device}");
    // Both results of one operation, of which neither fails, and a sum of one of them that does.
    let (quotient, remainder) = y.divmod(&x);
    let sum = &quotient + &bad;
    texts.push(error_of(&sum, "IndexError", device));
    assert_eq!(values(&remainder, device), [0, 0, 0], "on {device}");
    assert_eq!(values(&quotient, device), [10, 10, 10], "on {device}");
    // A row's sum, returned to its elements, beside what fails.
    let rows = Array::from([[1i64, 2, 3], [4, 5, 6]]);
    let sums = rows.sum(1);
    let shares = &rows - &sums.expand_dims(1);
    let failed = &shares + &bad;
    texts.push(error_of(&failed, "IndexError", device));
    assert_eq!(values(&sums, device), [6, 15], "on {device}");
    assert_eq!(values(&shares, device), [-5, -4, -3, -11, -10, -9], "on {device}");
    texts
}

/// The first operand's error counts, whatever was read before and whatever is computed together.
fn first_of_two(device: &str) -> Vec<String> {
    let x = Array::from(vec![1i64, 2, 3]);
    let negative = Array::from(vec![1i64, -1, 2]);
    let mut texts = Vec::new();
    for read_first in [None, Some(0), Some(1), Some(2)] {
        let power = x.pow(&negative);
        let take = x.take(Array::from(vec![0i64, -7, 1]), 0);
        let other = x.take(Array::from(vec![0i64, 1, 1000]), 0);
        let failed = [power, take, other];
        if let Some(number) = read_first {
            assert!(failed[number].to_vec::<i64>().is_err(), "on {device}");
        }
        let classes = ["ValueError", "IndexError", "IndexError"];
        for (left, right) in [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)] {
            let sum = &failed[left] * 2 + &failed[right];
            texts.push(error_of(&sum, classes[left], device));
            let product = failed[left].matmul(&failed[right]);
            texts.push(error_of(&product, classes[left], device));
            let taken = failed[left].take(&failed[right], 0);
            texts.push(error_of(&taken, classes[left], device));
            let both = concatenate(&[&failed[left], &failed[right]], 0);
            texts.push(error_of(&both, classes[left], device));
        }
    }
    texts
}

/// Operation, shapes, dtype and call of what failed first.
fn texts(device: &str) -> Vec<String> {
    let x = Array::from(vec![1i64, 2, 3]);
    let here = |line: u32| format!("asked for at {}:{line}:", file!());
    let at = Array::from(vec![0i64, 1, 1000]);
    let (taken, line) = (x.take(&at, 0), line!());
    let error = error_of(&(&taken + 1), "IndexError", device);
    let words = "[take] index 1000 is out of bounds for axis 0 with size 3 (in take of shape (3,) and dtype int64, ";
    assert!(error.starts_with(words) && error.contains(&here(line)), "{error} on {device}");
    let (power, line) = (x.pow(Array::from(vec![1i64, -1, 1])), line!());
    let power_error = error_of(&(&power + 1), "ValueError", device);
    let words = "(in power of shape (3,) and dtype int64, ";
    assert!(
        power_error.contains(words) && power_error.contains(&here(line)),
        "{power_error} on {device}"
    );
    let sums = ufunc::add.reduceat(&x, &Array::from(vec![0i64, 3]), 0);
    let folded = ufunc::power.accumulate(&Array::from(vec![2i64, -1]), 0);
    vec![
        error,
        power_error,
        error_of(&sums, "IndexError", device),
        error_of(&folded, "ValueError", device),
    ]
}
