//! Scans made of closures on the reference device: their order, their results, what they refuse.

use ndany_core::plan;

use crate::kernel::tests::{reference, values};
use crate::kernel::{Scan, elementwise, scan};
use crate::prelude::*;

/// y[i] = a[i] · y[i - 1] + b[i].
fn recurrence() -> Scan<2, 1> {
    scan("recurrence", |_, [a, b]| [a, b], |_, [a, b], [c, d]| [a * c, c * b + d], |_, [_, y]| [y])
}

#[test]
fn states_combine_by_the_canonical_plan_of_scans() {
    let _guard = reference();
    // Neither commutative nor associative: only this order gives these bits.
    let odd = scan("odd", |_, [x]| [x], |_, [a], [b]| [a * 0.75 - b], |_, state| state);
    for count in [1, 2, 31, 32, 33, 127, 1000, 4096, 4097, 9001] {
        let elements: Vec<f64> = (0..count).map(|k| f64::from(k * 37 % 101) / 7.0 - 6.0).collect();
        let expected = plan::scan(&elements, &mut |a, b| a * 0.75 - b);
        let [found] = odd.call([&Array::from(elements)], 0);
        assert_eq!(values::<f64>(&found), expected, "{count} elements");
    }
}

#[test]
fn running_results_along_each_axis_of_views() {
    let _guard = reference();
    let x = (arange(60) * 7 % 60).reshape((3, 4, 5)) - 30;
    let views = [x.clone(), x.t(), x.i(s![..;-1, 1..3, ..;2]), x.i(s![.., 0..0, ..])];
    let total = scan("total", |_, [x]| [x], |_, [a], [b]| [a + b], |_, [sum]| [sum, sum * 2]);
    for view in &views {
        for axis in -3..3 {
            let [sum, twice] = total.call([view], axis);
            assert_eq!(sum.shape(), view.shape());
            assert_eq!(values::<i64>(&sum), values::<i64>(&view.cumsum(axis)), "axis {axis}");
            assert_eq!(values::<i64>(&twice), values::<i64>(&(view.cumsum(axis) * 2)));
        }
    }
    // Operands broadcast, numbers among them, and what is pending in front of them joins the pass.
    let [y] = recurrence().call((2, &(array([[1], [2]]) * array([1, 1, 1]))), 1);
    assert_eq!(y.to_string(), "[[ 1  3  7]\n [ 2  6 14]]");
    // The first axis is the default.
    let [y] = recurrence().call((&array([2.0, 3.0]), 1.0), ..);
    assert_eq!(y.to_string(), "[1. 4.]");
}

#[test]
fn closures_have_positions_sizes_parameters_and_states_of_several_dtypes() {
    let _guard = reference();
    let mean = scan(
        "mean",
        |k, [x]| [x * k.param("scale"), x.zero().astype(I32) + 1],
        |_, [a, n], [b, m]| [a + b, n + m],
        |k, [sum, n]| [sum / n, k.index() - k.size(), n],
    )
    .param("scale", F64, 1);
    let x = array([[2.0, 4.0, 9.0], [1.0, 0.0, 2.0]]);
    let [means, left, counts] = mean.with("scale", 2).call([&x], 1);
    assert_eq!(means.to_string(), "[[ 4.  6. 10.]\n [ 2.  1.  2.]]");
    assert_eq!(left.to_string(), "[[-3 -2 -1]\n [-3 -2 -1]]");
    assert_eq!((counts.dtype(), counts.to_string().as_str()), (I32, "[[1 2 3]\n [1 2 3]]"));
    // A state whose parts change places, as the reference device has it.
    let swap = scan("swap", |_, [x]| [x, -x], |_, [a, b], [c, _]| [b, a + c], |_, state| state);
    let [first, second] = swap.call([&array([1, 2, 3])], 0);
    assert_eq!((first.to_string(), second.to_string()), ("[ 1 -1  3]".into(), "[-1  3  2]".into()));
    // Complex numbers are two values of the state.
    let product = scan("product", |_, [z]| [z], |_, [a], [b]| [a * b], |_, state| state);
    let z = array([Complex64::new(0.0, 1.0), Complex64::new(0.0, 2.0)]);
    assert_eq!(product.call([&z], 0)[0].to_string(), "[ 0.+1.j -2.+0.j]");
}

#[test]
fn what_a_scan_refuses_names_it() {
    let _guard = reference();
    let x = array([1.0, 2.0]);
    let text = |found: crate::Result<[Array; 1]>| match found {
        Ok(_) => "no error".to_string(),
        Err(error) => error.to_string(),
    };
    let total = scan("total", |_, [x]| [x], |_, [a], [b]| [a + b], |_, state| state);
    let found = text(total.try_call([&x], 1));
    assert!(found.contains("[total]") && found.contains("axis 1"), "{found}");
    let scalar = x.sum(..);
    assert!(total.try_call([&scalar], 0).is_err(), "no axis of a 0-d array");
    let changes = scan("changes", |_, [x]| [x], |_, [a], [b]| [a.less(b)], |_, state| state);
    let found = text(changes.try_call([&x], 0));
    assert!(found.contains("[changes]") && found.contains("astype"), "{found}");
    let index = scan("index", |_, [x]| [x], |k, [a], [_]| [a * k.index()], |_, state| state);
    let found = text(index.try_call([&x], 0));
    assert!(found.contains("[index]") && found.contains("two states"), "{found}");
    let power = scan("power", |_, [x]| [x], |_, [a], [b]| [a.pow(b)], |_, state| state);
    let found = text(power.try_call([&array([1, 2])], 0));
    assert!(found.contains("[power]"), "{found}");
    let wide = scan("wide", |_, [x]| [x; 5], |_, a, _| a, |_, [a, ..]| [a]);
    let found = text(wide.try_call([&x], 0));
    assert!(found.contains("1 to 4 numbers, got 5"), "{found}");
    // A failure of an operand stays with the results.
    let bad = elementwise("bad", |_, [n]| [(n.zero() + 2).pow(n)]);
    let [pending] = bad.call([&array([-1])]);
    let [found] = total.call([&pending], 0);
    assert!(found.to_vec::<i64>().is_err());
}

#[test]
fn initial_elements_stand_in_front_of_every_row() {
    let _guard = reference();
    let total = scan("total", |_, [x]| [x], |_, [a], [b]| [a + b], |_, [sum]| [sum, sum * 2]);
    let total = total.initial([100]);
    let x = (arange(24) * 5 % 24).reshape((2, 3, 4)) - 9;
    for view in [x.clone(), x.t(), x.i(s![.., 0..0, ..])] {
        for axis in -3..3 {
            let [sum, twice] = total.call([&view], axis);
            assert_eq!(sum.shape(), view.shape());
            assert_eq!(values::<i64>(&sum), values::<i64>(&(view.cumsum(axis) + 100)));
            assert_eq!(values::<i64>(&twice), values::<i64>(&(&sum * 2)));
            let [before, _] = total.clone().exclusive().call([&view], axis);
            assert_eq!(before.shape(), view.shape());
            assert_eq!(values::<i64>(&before), values::<i64>(&(&sum - &view)), "axis {axis}");
        }
    }
    // Numbers among the operands, and states of several values.
    let [y] = recurrence().initial([0, 7]).exclusive().call((2, &array([[1, 2], [3, 4]])), 1);
    assert_eq!(y.to_string(), "[[ 7 15]\n [ 7 17]]");
    // Bits are those of the canonical plan over one element more.
    let odd = scan("odd", |_, [x]| [x], |_, [a], [b]| [a * 0.75 - b], |_, state| state);
    let elements: Vec<f64> = (0..4097).map(|k| f64::from(k * 37 % 101) / 7.0 - 6.0).collect();
    let expected = plan::scan(&elements, &mut |a, b| a * 0.75 - b);
    let rest = Array::from(elements[1..].to_vec());
    let [found] = odd.initial([elements[0]]).call([&rest], 0);
    assert_eq!(values::<f64>(&found), expected[1..]);
}

#[test]
fn wrong_initial_elements_are_refused() {
    let _guard = reference();
    let total = scan("total", |_, [x]| [x], |_, [a], [b]| [a + b], |_, state| state);
    let x = array([1u8, 2]);
    let refused = |scan: Scan<1, 1>| scan.try_call([&x], 0).expect_err("it is wrong").to_string();
    assert!(refused(total.clone().exclusive()).contains("set it with `initial`"));
    assert!(refused(total.initial([300])).contains("300"));
}
