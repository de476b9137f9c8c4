//! Several arrays computed in one launch: which share one, that values are those of arrays computed one by one, and errors.

use ndany::prelude::*;
use ndany::{DeviceGuard, Statistics, eval_all};

fn on(device: &str) -> DeviceGuard {
    Device::open(device).expect("compiled in").enter()
}

/// How many launches compute arrays together.
fn launches(arrays: &[&Array]) -> u64 {
    let before = Statistics::now();
    eval_all(arrays).expect("computed");
    Statistics::now().since(&before).launches()
}

fn operands() -> (Array, Array) {
    let (x, y) = (arange(12).astype(F64).reshape([3, 4]) + 0.5, ones((3, 4), F64) * 3);
    eval_all(&[&x, &y]).expect("computed");
    (x, y)
}

#[test]
fn results_of_one_shape_share_a_launch() {
    for device in ["cpu", "reference"] {
        let _here = on(device);
        let (x, y) = operands();
        let (sum, difference, larger) = (&x + &y, &x - &y, x.greater(&y));
        assert_eq!(launches(&[&sum, &difference, &larger]), 1, "on {device}");
        assert_eq!(sum.to_string(), (&x + &y).to_string());
        assert_eq!(difference.to_string(), (&x - &y).to_string());
        assert_eq!(larger.to_string(), x.greater(&y).to_string());
        assert_eq!(launches(&[&sum, &difference]), 0, "there are values already");
        // One is made of another, in either order, and one is named twice.
        let first = &x * 2;
        let second = first.sqrt() + &first;
        assert_eq!(launches(&[&first, &second, &first]), 1);
        let first = &x * 2;
        let second = (&first - 1).square();
        let third = &second + &first;
        assert_eq!(launches(&[&second, &third, &first]), 1);
        assert_eq!(third.to_string(), ((&x * 2 - 1).square() + &x * 2).to_string());
        // One reads the other backwards: it is a value of the same launch only where its elements are.
        let first = &x + 1;
        let turned = first.i(s![..;-1]) * 2;
        assert!(launches(&[&first, &turned]) <= 2);
        assert_eq!(turned.to_string(), ((&x + 1).i(s![..;-1]) * 2).to_string());
    }
}

#[test]
fn what_cannot_share_a_launch_has_its_own() {
    let _here = on("cpu");
    let (x, y) = operands();
    let (map, row, total) = (&x + &y, &x.i(0) * 2, x.sum(..));
    assert_eq!(launches(&[&map, &row, &total]), 3);
    assert_eq!(total.item::<f64>().expect("a number"), 72.0);
    // More results than one launch writes.
    let many: Vec<Array> = (0..20).map(|number| &x * number + &y).collect();
    let all: Vec<&Array> = many.iter().collect();
    let count = launches(&all);
    assert!((2..=4).contains(&count), "{count} launches");
    for (number, array) in many.iter().enumerate() {
        assert_eq!(array.to_string(), (&x * number as i64 + &y).to_string());
    }
    // Chains that are as long as a launch is allowed to be.
    let long = |start: &Array| (0..60).fold(start.clone(), |value, _| value * 1.5 - 0.25);
    let (one, other) = (long(&x), long(&y));
    assert_eq!(launches(&[&one, &other]), 2);
    assert_eq!(other.to_string(), long(&y).to_string());
    // Devices have launches of their own.
    let there = x.to_device(&Device::open("reference").expect("always there")).expect("copied");
    let (here, there) = (&x + 1, &there + 1);
    assert_eq!(launches(&[&here, &there]), 2);
    assert_eq!(here.to_string(), there.to_string());
    assert_eq!(launches(&[]), 0);
}

#[test]
fn an_error_is_that_of_its_own_array() {
    let _here = on("cpu");
    let x = array([1i64, 2, 3]);
    let power = x.pow(array([1i64, -1, 2]));
    let beside = &x + 1;
    let derived = &power * 2;
    let other = &x - 1;
    let error = eval_all(&[&beside, &power, &derived, &other]).expect_err("a negative power");
    assert_eq!(error.class(), "ValueError");
    assert_eq!((beside.to_string(), other.to_string()), ("[2 3 4]".into(), "[0 1 2]".into()));
    assert!(derived.to_vec::<i64>().is_err());
}

#[test]
fn random_graphs_are_what_they_are_one_by_one() {
    let _here = on("cpu");
    let mut state = 12345u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for _ in 0..200 {
        let steps: Vec<[usize; 3]> = (0..10).map(|_| [draw(5), draw(100), draw(100)]).collect();
        let build = || {
            let (x, y) = operands();
            let mut values = vec![x, y];
            for [kind, left, right] in &steps {
                let (left, right) = (&values[left % values.len()], &values[right % values.len()]);
                let value = match kind {
                    0 => left + right,
                    1 => left * 0.5 - right,
                    2 => left.maximum(right),
                    3 => left.transpose(..).copy().transpose(..) + right,
                    _ => left.sum(over(0).keepdims()) + right,
                };
                values.push(value);
            }
            values
        };
        let (together, alone) = (build(), build());
        let chosen: Vec<usize> = (0..4).map(|_| draw(12)).collect();
        let arrays: Vec<&Array> = chosen.iter().map(|&number| &together[number]).collect();
        eval_all(&arrays).expect("computed");
        for (ours, theirs) in together.iter().zip(&alone) {
            assert_eq!(ours.to_bytes().expect("bytes"), theirs.to_bytes().expect("bytes"));
        }
    }
}

#[test]
fn threads_compute_overlapping_sets() {
    for _ in 0..50 {
        let _here = on("cpu");
        let (x, y) = operands();
        let values: Vec<Array> = (0..8).map(|number| (&x + number) * &y).collect();
        let sums: Vec<Array> = (0..7).map(|number| &values[number] + &values[number + 1]).collect();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (values, sums) = (&values, &sums);
                scope.spawn(move || {
                    let mine: Vec<&Array> = values.iter().chain(sums).skip(thread * 2).collect();
                    eval_all(&mine).expect("computed");
                });
            }
        });
        assert_eq!(sums[3].to_string(), ((&x + 3) * &y + (&x + 4) * &y).to_string());
    }
}
