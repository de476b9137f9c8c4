//! Reductions made of closures: shapes, axes, views and names.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ndany::kernel::{Reduction, reduction};
use ndany::{Array, DType, Device, over};

use crate::{cases, is_gpu, message, numbers, same};

cases![
    sums_of_bytes_wrap,
    sums_over_axes_of_views,
    reductions_are_recorded_once_for_each_dtype,
    axes_that_are_none_are_errors,
    names_may_be_any_text,
    operations_around_reductions,
];

/// A sum that keeps the dtype of its operand.
fn sum() -> Reduction<1, 1> {
    reduction("sum", |_, [x]| [x], |_, [a], [b]| [a + b], |_, state| state).empty([0])
}

fn bytes(shape: &[usize]) -> Array {
    numbers(shape.iter().product(), DType::I8).reshape(shape)
}

/// Compares with a sum of 64 bits, of which eight are kept.
#[track_caller]
fn check(x: &Array, axes: &[isize]) {
    let found = sum().try_call([x], axes).map(|[found]| found);
    same(found, Ok(x.sum(axes).astype(DType::I8)), &format!("{:?} over {axes:?}", x.shape()));
}

/// Rows and columns of lengths around the powers of two.
fn sums_of_bytes_wrap(device: &Device) {
    for power in (1..10).step_by(if is_gpu(device) { 4 } else { 1 }) {
        for length in [(1 << power) - 1, 1 << power, (1 << power) + 1] {
            check(&bytes(&[length]), &[0]);
            check(&bytes(&[length, 300]), &[0]);
            check(&bytes(&[300, length]), &[1]);
        }
    }
    check(&bytes(&[513, 1025]), &[0]);
    check(&bytes(&[513, 1025]), &[1]);
    // As many rows as no grid has blocks along an axis, of one element each.
    check(&bytes(&[70_000, 1]), &[1]);
    check(&bytes(&[70_000, 1]), &[0]);
}

fn sums_over_axes_of_views(_: &Device) {
    check(&bytes(&[2, 4, 3]).t(), &[0, 1]);
    check(&bytes(&[2, 4, 5, 3]).t(), &[1, 2]);
    check(&bytes(&[2, 4, 3]).t(), &[1, 2]);
    check(&bytes(&[0, 4, 3]).t(), &[0, 1]);
    check(&bytes(&[2, 4, 3]).t(), &[0, 1, 2]);
    let x = bytes(&[4, 3, 2, 4, 3, 2, 2]);
    let [found] = sum().call([&x], over((1, 4, 3, 6)).keepdims());
    same(Ok(found), Ok(x.sum(over((1, 4, 3, 6)).keepdims()).astype(DType::I8)), "kept axes");
}

fn reductions_are_recorded_once_for_each_dtype(_: &Device) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let sum = reduction(
        "sum",
        move |_, [x]| {
            counted.fetch_add(1, Ordering::Relaxed);
            [x]
        },
        |_, [a], [b]| [a + b],
        |_, state| state,
    );
    let times = || count.load(Ordering::Relaxed);
    let x = numbers(10, DType::I64);
    assert_eq!(times(), 0);
    same(Ok(sum.call([&x], ..)[0].clone()), Ok(x.sum(..)), "once");
    let once = times();
    assert!(once > 0);
    same(Ok(sum.call([&x], ..)[0].clone()), Ok(x.sum(..)), "again");
    assert_eq!(times(), once);
    let x = x.astype(DType::F32);
    same(Ok(sum.call([&x], ..)[0].clone()), Ok(x.sum(..)), "of another dtype");
    assert_eq!(times(), 2 * once);
}

fn axes_that_are_none_are_errors(_: &Device) {
    let x = bytes(&[2, 2]);
    for axes in [&[2][..], &[-3], &[0, 7]] {
        let error = sum().try_call([&x], axes).expect_err("no such axis");
        assert_eq!(error.class(), "AxisError", "{error}");
    }
    for axes in [[1, 1], [0, -2]] {
        let text = message(sum().try_call([&x], axes));
        assert!(text.starts_with("[sum] axis ") && text.ends_with(" is given twice"), "{text}");
    }
}

/// A name stands in messages alone, so it need not be one of C++.
fn names_may_be_any_text(_: &Device) {
    let x = numbers(10, DType::F32);
    for name in ["1", "", "line\nbreak", "*/ \" \\ { π"] {
        let total = reduction(name, |_, [x]| [x], |_, [a], [b]| [a + b], |_, state| state);
        same(Ok(total.call([&x], ..)[0].clone()), Ok(x.sum(..)), name);
    }
}

/// What stands in front of a reduction and what is made of it, along each axis and over all.
fn operations_around_reductions(_: &Device) {
    let total = reduction("total", |_, [x, y]| [x * y], |_, [a], [b]| [a + b], |_, [s]| [s + 1]);
    let (x, y) = (numbers(12, DType::I64).reshape((3, 4)), numbers(4, DType::I64));
    let whole: [Option<isize>; 3] = [None, Some(0), Some(1)];
    for axis in whole {
        let (found, expected) = match axis {
            None => (total.call([&(&x + 2), &y], ..), ((&x + 2) * &y).sum(..) + 1),
            Some(axis) => (total.call([&(&x + 2), &y], axis), ((&x + 2) * &y).sum(axis) + 1),
        };
        let [found] = found;
        same(Ok(&found * 3 - 1), Ok(expected * 3 - 1), &format!("{axis:?}"));
    }
    // A reduction of a reduction, and both beside what they were made of.
    let largest = reduction("largest", |_, [x]| [x], |_, [a], [b]| [a.maximum(b)], |_, s| s);
    let [rows] = largest.call([&x], over(1).keepdims());
    let [all] = largest.call([&(&rows * 2)], ..);
    same(Ok(&x - &rows + &all), Ok(&x - x.max(over(1).keepdims()) + x.max(..) * 2), "two stages");
}
