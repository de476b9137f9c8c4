//! Kernels on the reference device: what closures record, what they refuse, and how results fuse.

use super::{Val, elementwise};
use crate::prelude::*;
use crate::{Statistics, attempt, bf16};

pub(super) fn reference() -> crate::DeviceGuard {
    match Device::open("reference") {
        Ok(device) => device.enter(),
        Err(error) => panic!("{error}"),
    }
}

pub(super) fn values<T: crate::Element>(array: &Array) -> Vec<T> {
    match array.to_vec() {
        Ok(values) => values,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn operands_promote_and_numbers_follow() {
    let _guard = reference();
    let f = elementwise("f", |_, [x, y]| [x * 2 + y, x.less(y)]);
    let [sum, less] = f.call((&array([1.0f32, 5.0]), &array([3i64, 4])));
    assert_eq!((sum.dtype(), less.dtype()), (F64, Bool));
    assert_eq!(values::<f64>(&sum), [5.0, 14.0]);
    assert_eq!(values::<bool>(&less), [true, false]);
    // A number beside an array takes the array's dtype.
    let [sum, _] = f.call((&array([1.0f32]), 2));
    assert_eq!(sum.dtype(), F32);
}

#[test]
fn shapes_broadcast_and_results_are_one_pass() {
    let _guard = reference();
    let f = elementwise("f", |_, [x, y]| [(x - y).square()]);
    let (x, y) = (arange(6).reshape((2, 3)).astype(F64), array([1.0, 2.0, 3.0]));
    x.eval().and_then(|()| y.eval()).unwrap_or_else(|error| panic!("{error}"));
    let before = Statistics::now();
    let [d] = f.call((&x, &y));
    let total = (d + 1).sum(1);
    assert_eq!(values::<f64>(&total), [6.0, 15.0]);
    assert_eq!(Statistics::now().since(&before).launches(), 1);
}

#[test]
fn several_results_are_one_launch() {
    let _guard = reference();
    let f = elementwise("f", |_, [x]| [x.sin(), x.cos(), x.astype(I32)]);
    let x = array([0.5, 1.5]);
    x.eval().unwrap_or_else(|error| panic!("{error}"));
    let before = Statistics::now();
    let [sin, cos, whole] = f.call([&x]);
    assert_eq!(values::<f64>(&sin), values::<f64>(&x.sin()));
    let after = Statistics::now();
    assert_eq!(values::<i32>(&whole), [0, 1]);
    assert_eq!(values::<f64>(&cos).len(), 2);
    // The others came along; the reading of `x.sin()` was a launch of its own.
    assert_eq!(Statistics::now().since(&after).launches(), 0);
    assert_eq!(after.since(&before).launches(), 2);
}

#[test]
fn loops_stop_element_by_element() {
    let _guard = reference();
    // The Collatz sequence: steps until 1, at most 50.
    let collatz = elementwise("collatz", |k, [n]| {
        let [_, steps] = k.repeat_while(
            50,
            [n, n.zero()],
            |[n, _]| n.greater(1),
            |[n, steps]| [(n % 2).equal(0).select(n / 2, 3 * n + 1).astype(I64), steps + 1],
        );
        [steps]
    });
    let n: Vec<i64> = (1..40).collect();
    let expected = |mut n: i64| {
        let mut steps = 0;
        while n > 1 && steps < 50 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        steps
    };
    let [steps] = collatz.call([&Array::from(n.clone())]);
    assert_eq!(values::<i64>(&steps), n.iter().map(|&n| expected(n)).collect::<Vec<_>>());
    // 27 takes 111 steps: the limit counts.
    assert_eq!(expected(27), 50);
}

#[test]
fn loops_within_loops_and_values_around_them() {
    let _guard = reference();
    // The sum of j·x over 0 <= j < i < n.
    let f = elementwise("f", |k, [n, x]| {
        let [_, total] = k.repeat_while(
            100,
            [n.zero(), x.zero()],
            |[i, _]| i.less(n),
            |[i, total]| {
                let [_, inner] = k.repeat_while(
                    100,
                    [i.zero(), total],
                    |[j, _]| j.less(i),
                    |[j, sum]| [j + 1, sum + j * x],
                );
                [i + 1, inner]
            },
        );
        [total]
    });
    let (n, x) = (array([0i64, 3, 5]), array([1.0, 2.0, 0.5]));
    let [total] = f.call((&n, &x));
    let expected =
        |n: i64, x: f64| (0..n).flat_map(|i| (0..i).map(move |j| j as f64 * x)).sum::<f64>();
    assert_eq!(values::<f64>(&total), [expected(0, 1.0), expected(3, 2.0), expected(5, 0.5)]);
}

#[test]
fn narrow_floats_round_in_each_step() {
    let _guard = reference();
    let f = elementwise("f", |k, [x]| {
        let [sum, _] =
            k.repeat_while(10, [x, k.value(0)], |[_, n]| n.less(9), |[sum, n]| [sum + x, n + 1]);
        [sum]
    });
    let [sum] = f.call([&array([bf16::from_f32(0.3)])]);
    let x = bf16::from_f32(0.3);
    let expected = (0..9).fold(x, |sum, _| bf16::from_f32(sum.to_f32() + x.to_f32()));
    assert_eq!(values::<bf16>(&sum), [expected]);
}

#[test]
fn complex_states() {
    let _guard = reference();
    let f = elementwise("f", |k, [z]| {
        let [w, _] = k.repeat_while(
            3,
            [z, k.value(0)],
            |[w, _]| w.abs().less(1e6),
            |[w, n]| [w * w + z, n + 1],
        );
        [w]
    });
    let z = Complex64::new(0.5, -1.0);
    let [w] = f.call([&array([z])]);
    let expected = (0..3).fold(z, |w, _| w * w + z);
    assert!((values::<Complex64>(&w)[0] - expected).norm_sqr() < 1e-24);
}

#[test]
fn positions_count_in_the_result() {
    let _guard = reference();
    let f = elementwise("f", |k, [x]| [x + k.index()]);
    let x = arange(6).reshape((2, 3));
    // Of a transposed view, too: in C order of what is asked for.
    let [y] = f.call([&x.t()]);
    assert_eq!(values::<i64>(&y), [0, 4, 3, 7, 6, 10]);
    // What is made of it is computed after it, and by rows as well.
    let [y] = f.call([&x]);
    assert_eq!(values::<i64>(&(y * 2).sum(1)), [12, 48]);
    // A reduction in front of it is not part of its rows.
    let [y] = f.call([&(&x - x.max(over(1).keepdims()))]);
    assert_eq!(values::<i64>(&y), [-2, 0, 2, 1, 3, 5]);
}

#[test]
fn parameters_do_not_record_again() {
    let _guard = reference();
    let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let seen = count.clone();
    let axpy = elementwise("axpy", move |k, [x, y]| {
        seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        [k.param("a") * x + y]
    })
    .param("a", F32, 2);
    let (x, y) = (array([1.0f32, 2.0]), array([1.0f32, 1.0]));
    for a in [2.0, 3.0, -1.0] {
        let [z] = axpy.with("a", a).call([&x, &y]);
        assert_eq!(z.dtype(), F32);
        assert_eq!(values::<f32>(&z), [a as f32 + 1.0, 2.0 * a as f32 + 1.0]);
    }
    assert_eq!(count.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[test]
fn what_a_closure_may_not_do_is_an_error_at_the_call() {
    let _guard = reference();
    let x = array([1.0, 2.0]);
    let refused = |result: crate::Result<[Array; 1]>, text: &str| match result {
        Err(error) => assert!(error.to_string().contains(text), "{error}"),
        Ok(_) => panic!("expected: {text}"),
    };
    let bits = elementwise("bits", |_, [x]| [x & 1]);
    refused(bits.try_call([&x]), "[bitwise_and]");
    let dtype =
        elementwise("dtype", |k, [x]| k.repeat_while(3, [x], |[x]| x.less(1), |[x]| [x.less(1)]));
    refused(dtype.try_call([&x]), "value 0 of the state is float64, the step makes it bool");
    let condition =
        elementwise("condition", |k, [x]| k.repeat_while(3, [x], |[x]| x, |[x]| [x + 1]));
    refused(condition.try_call([&x]), "a condition is bool, not float64");
    let unknown = elementwise("unknown", |k, [x]| [x + k.param("b")]);
    refused(unknown.try_call([&x]), "no parameter \"b\"");
    let escapes = elementwise("escapes", |k, [x]| {
        let kept: std::cell::Cell<Option<Val<'_>>> = std::cell::Cell::new(None);
        let [y] = k.repeat_while(
            3,
            [x],
            |[x]| x.less(1),
            |[x]| {
                kept.set(Some(x + 1));
                [x * 2]
            },
        );
        [y + kept.get().unwrap_or(y)]
    });
    refused(escapes.try_call([&x]), "a value made in a loop is used after it");
    let deep = elementwise("deep", |_, [x]| [(0..5000).fold(x, |x, k| x + k)]);
    refused(deep.try_call([&x]), "at most 4096 operations");
    let broadcast = elementwise("pair", |_, [x, y]| [x + y]);
    refused(
        broadcast.try_call((&x, &array([1.0, 2.0, 3.0]))),
        "[pair] shapes (2,) and (3,) do not broadcast",
    );
    assert!(attempt(|| broadcast.call((&x, &array([1.0, 2.0, 3.0])))).is_err());
}

#[test]
fn faults_of_steps_that_are_not_taken_do_not_count() {
    let _guard = reference();
    // 2 to the power of a number that goes down: below zero it would be an error.
    let f = elementwise("f", |k, [n]| {
        let [_, sum] = k.repeat_while(
            10,
            [n, n.zero()],
            |[n, _]| n.greater_equal(0),
            |[n, sum]| [n - 1, sum + (n.zero() + 2).pow(n)],
        );
        [sum]
    });
    let [sum] = f.call([&array([3i64, 0, -5])]);
    assert_eq!(values::<i64>(&sum), [15, 1, 0]);
    let g = elementwise("g", |_, [n]| [(n.zero() + 2).pow(n)]);
    let [power] = g.call([&array([3i64, -1])]);
    assert!(power.to_vec::<i64>().is_err());
}
