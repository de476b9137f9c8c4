//! Times and ranges.

use std::cell::Cell;

use ndany::profile::{benchmark, range, status};
use ndany::{Array, DType, Device, Error, arange};

use crate::{cases, is_gpu, message, numbers};

cases![
    functions_run_as_often_as_said,
    errors_of_a_function_end_its_benchmark,
    what_a_function_returns_is_evaluated,
    times_are_of_the_device_that_is_named,
    ranges_end_with_their_guards,
];

fn functions_run_as_often_as_said(device: &Device) {
    // Warming up takes as many runs, but no more than ten.
    for (repeat, runs) in [(1, 2), (3, 6), (12, 22)] {
        let count = Cell::new(0);
        let times = benchmark("counts", || count.set(count.get() + 1)).repeat(repeat).run(device);
        let times = times.expect("times");
        assert_eq!((times.cpu.all.len(), count.get()), (repeat, runs));
        assert_eq!(times.gpu.map(|gpu| gpu.all.len()), is_gpu(device).then_some(repeat));
        assert!(times.cpu.all.iter().all(|&seconds| seconds >= 0.0));
        // A mean of equal numbers is rounded.
        let slack = 1.0 + f64::EPSILON * repeat as f64;
        assert!(times.cpu.min <= times.cpu.mean * slack && times.cpu.mean <= times.cpu.max * slack);
    }
    let text = message(benchmark("none", || ()).repeat(0).run(device));
    assert!(text.contains("at least one repetition"), "{text}");
}

fn errors_of_a_function_end_its_benchmark(device: &Device) {
    let count = Cell::new(0);
    let fails = || {
        count.set(count.get() + 1);
        ndany::checked::add(arange(3), arange(4))
    };
    let error = benchmark("fails", fails).repeat(5).run(device).expect_err("shapes");
    assert!(matches!(error, Error::Broadcast { .. }), "{error}");
    assert_eq!(count.get(), 1);
    // An error that comes with the values.
    let late = || Array::from([1.0, 2.0]).take([7], ..);
    let failed = benchmark("late", late).repeat(1).run(device);
    let text = message(failed.map(|_| ()).and_then(|()| late().to_vec::<f64>().map(|_| ())));
    assert!(text.contains('7'), "{text}");
}

fn what_a_function_returns_is_evaluated(device: &Device) {
    let x = numbers(1000, DType::F32);
    let times = benchmark("pair", || (&x + 1, x.sum(..))).repeat(3).run(device).expect("times");
    let text = times.to_string();
    assert!(text.starts_with(&format!("pair on {device}, 3 runs\n")), "{text}");
    assert_eq!(text.lines().count(), if is_gpu(device) { 3 } else { 2 }, "{text}");
    assert_eq!(times.name, "pair");
}

fn times_are_of_the_device_that_is_named(device: &Device) {
    let other = Device::open("reference").expect("always there");
    let seen = Cell::new(None);
    let look = || seen.set(Some(Device::current()));
    for wanted in [device, &other] {
        let times = benchmark("device", look).repeat(1).run(wanted).expect("times");
        assert_eq!(seen.take().as_ref(), Some(wanted));
        assert_eq!(times.device, wanted.name());
        assert_eq!(times.gpu.is_some(), is_gpu(wanted));
    }
    // The thread's device is again the one it was.
    assert_eq!(Device::current(), *device);
}

/// With and without a profiler, ranges nest, cross errors and panics, and end with their guards.
fn ranges_end_with_their_guards(_: &Device) {
    let work = || {
        let _range = range("work");
        (arange(10) * 2).sum(..).item::<i64>()
    };
    let _outer = range("outer");
    assert_eq!(work().expect("a value"), 90);
    let failed = std::panic::catch_unwind(|| {
        let _range = ndany::range!("step {}", 7);
        std::panic::resume_unwind(Box::new("a panic of a test"));
    });
    assert!(failed.is_err());
    assert_eq!(work().expect("a value"), 90);
    assert!(!status().is_empty());
}
