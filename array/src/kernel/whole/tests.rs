//! Operands that are read by position, on the reference device.

use crate::kernel::tests::{reference, values};
use crate::kernel::{Elementwise, OutOfRange, elementwise};
use crate::numpy::where_;
use crate::prelude::*;
use crate::{Error, IndexMode, Result, Statistics, attempt, bf16, full};
use num_complex::Complex64;

/// A kernel that reads operand 1 at the positions that operand 0 holds.
fn lookup(outside: fn() -> OutOfRange<'static>) -> Elementwise<2, 1> {
    elementwise("lookup", move |_, [i, table]| [table.at((i, outside()))]).whole(1)
}

/// The same shapes and values.
fn array_equal(left: &Array, right: impl std::borrow::Borrow<Array>) -> bool {
    left.array_equal(right.borrow()).unwrap_or_else(|error| panic!("{error}"))
}

fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
    match result {
        Ok(value) => panic!("{value:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_dtype_is_read_as_take_reads_it() {
    let _guard = reference();
    let positions = array([[2i64, 0], [1, 2]]);
    let all = [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, C64, C128];
    for dtype in all {
        let table = array([0.0, 1.5, 2.0]).astype(dtype);
        let [found] = lookup(|| OutOfRange::Error).call([&positions, &table]);
        let expected = table.take(&positions, ..);
        assert_eq!(found.dtype(), dtype);
        assert!(array_equal(&found, &expected), "{dtype}: {found}");
    }
    let table = array([Complex64::new(1.0, 2.0), Complex64::new(3.0, -4.0)]);
    let [found] = lookup(|| OutOfRange::Error).call([&array([1i64]), &table]);
    assert_eq!(values::<Complex64>(&found), [Complex64::new(3.0, -4.0)]);
    let narrow = array([bf16::from_f32(0.5), bf16::from_f32(-3.0)]);
    let [found] = lookup(|| OutOfRange::Error).call([&array([1u8]), &narrow]);
    assert_eq!(values::<bf16>(&found), [bf16::from_f32(-3.0)]);
}

#[test]
fn positions_out_of_range_follow_the_rule() {
    let _guard = reference();
    let positions = arange((-7, 12));
    let table = array([10.0, 20.0, 30.0, 40.0]);
    let [clamped] = lookup(|| OutOfRange::Clamp).call([&positions, &table]);
    assert!(array_equal(&clamped, table.take(&positions, along(0).mode(IndexMode::Clip))));
    let [wrapped] = lookup(|| OutOfRange::Wrap).call([&positions, &table]);
    assert!(array_equal(&wrapped, table.take(&positions, along(0).mode(IndexMode::Wrap))));
    let [filled] = lookup(|| OutOfRange::fill(-1)).call([&positions, &table]);
    let inside = positions.greater_equal(0) & positions.less(4);
    assert!(array_equal(&filled, where_(&inside, &clamped, -1)));
    // Along each axis: what lies inside in C order, and outside of its row, is outside.
    let image = arange(6).reshape((2, 3));
    let near = elementwise("near", |k, [step, all]| {
        let (i, j) = (k.coordinate(0), k.coordinate(1));
        [
            all.at(([i, j + step], OutOfRange::Clamp)),
            all.at(([i - step, j], OutOfRange::Wrap)),
            all.at(([i, j - step], OutOfRange::fill(-1))),
        ]
    })
    .whole(1);
    let [right, below, left] = near.call((&full((2, 3), 1, ..), &image));
    assert_eq!(right.to_string(), "[[1 2 2]\n [4 5 5]]");
    assert_eq!(below.to_string(), "[[3 4 5]\n [0 1 2]]");
    assert_eq!(left.to_string(), "[[-1  0  1]\n [-1  3  4]]");
}

#[test]
fn a_position_out_of_range_is_an_error_of_the_result() {
    let _guard = reference();
    let table = array([1.0, 2.0, 3.0]);
    let kernel = lookup(|| OutOfRange::Error);
    // The call itself does not fail; of several positions one is told, whatever the order.
    for positions in [array([0i64, 5, 3, -1]), array([3i64, -1, 5, 0])] {
        let [found] = kernel.call([&positions, &table]);
        let text = message(found.to_vec::<f64>());
        let wanted = "position 3 is out of bounds for operand 1 with size 3";
        assert!(text.contains(wanted) && text.contains("lookup"), "{text}");
    }
    let [found] = kernel.call([&array([-1i64]), &table]);
    let error = found.eval().map(|()| found).map_err(|error| (error.class(), error.to_string()));
    assert!(
        matches!(error, Err(("IndexError", ref text)) if text.contains("position -1 ")),
        "{error:?}"
    );
    let rows = elementwise("rows", |_, [i, all]| [all.at([i, i])]).whole(1);
    let [found] = rows.call([&array([1i64, 2]), &arange(6).reshape((2, 3))]);
    let text = message(found.to_vec::<i64>());
    assert!(
        text.contains("position 2 is out of bounds for axis 0 of operand 1 with size 2"),
        "{text}"
    );
}

#[test]
fn elements_that_are_done_read_nothing() {
    let _guard = reference();
    // The first element that is not less, by bisection: `np.searchsorted`.
    let bisect = elementwise("bisect", |k, [x, sorted]| {
        let size = k.value(9);
        let [low, _] = k.repeat_while(
            5,
            [k.value(0), size],
            |[low, high]| low.less(high),
            |[low, high]| {
                let middle = (low + high) >> 1;
                let less = sorted.at(middle).less(x);
                [less.select(middle + 1, low), less.select(high, middle)]
            },
        );
        [low]
    })
    .whole(1);
    let sorted = array([0.0, 0.5, 1.0, 1.0, 2.0, 3.5, 4.0, 4.5, 9.0]);
    let x = linspace(-1.0, 10.0, 50);
    let [found] = bisect.call([&x, &sorted]);
    assert!(array_equal(&found, sorted.searchsorted(&x, ..)), "{found}");
    // A step that is taken reads out of range; for the other elements it is not.
    let walk = elementwise("walk", |k, [n, next]| {
        let [i, _] =
            k.repeat_while(4, [n, n.zero()], |[i, _]| i.less(3), |[i, s]| [next.at(i), s + 1]);
        [i]
    })
    .whole(1);
    let next = array([2i64, 5, -7]);
    let [end] = walk.call([&array([1i64, 3, 77]), &next]);
    assert_eq!(values::<i64>(&end), [5, 3, 77]);
    let [end] = walk.call([&array([1i64, 0]), &next]);
    let text = message(end.to_vec::<i64>());
    assert!(text.contains("position -7 is out of bounds for operand 1 with size 3"), "{text}");
}

#[test]
fn whole_operands_may_lie_anyhow() {
    let _guard = reference();
    let kernel = lookup(|| OutOfRange::Clamp);
    let base = arange(12).reshape((3, 4));
    let i = array([0i64, 3, 5]);
    let check = |whole: &Array| {
        let [found] = kernel.call([&i, whole]);
        assert!(
            array_equal(&found, whole.ravel().take(&i, along(0).mode(IndexMode::Clip))),
            "{whole}"
        );
    };
    check(&base.t());
    check(&base.i(s![1.., 1..3]));
    check(&base.i(s![2]));
    check(&(&base + 1));
    check(&full((2, 2), 7, ..));
    check(&base.i(s![0, 0]).broadcast_to((2, 3)));
    check(&array([5i64]).reshape(()));
    let [found] = lookup(|| OutOfRange::fill(3)).call([&i, &zeros(0, I64)]);
    assert_eq!(values::<i64>(&found), [3, 3, 3]);
    // One array element by element and whole, and twice.
    let both =
        elementwise("both", |k, [x, a, b]| [x + a.at(k.index()) + b.at(k.size() - 1 - k.index())]);
    let x = array([1i64, 2, 3]);
    let [sum] = both.whole(1).whole(2).call([&x, &x, &x]);
    assert_eq!(values::<i64>(&sum), [5, 6, 7]);
}

#[test]
fn what_cannot_fail_fuses() {
    let _guard = reference();
    let x = arange(20).reshape((4, 5)).astype(F64);
    x.eval().unwrap_or_else(|error| panic!("{error}"));
    let blur = elementwise("blur", |k, [x, all]| {
        let (i, j) = (k.coordinate(0), k.coordinate(1));
        [x + all.at(([i, j - 1], OutOfRange::fill(0))) + all.at(([i, j + 1], OutOfRange::fill(0)))]
    })
    .whole(1);
    let gather = lookup(|| OutOfRange::Wrap);
    let i = arange(20).reshape((4, 5)).copy();
    i.eval().unwrap_or_else(|error| panic!("{error}"));
    let before = Statistics::now();
    let [y] = gather.call([&i, &x]);
    let total = (y * 2.0).sum(1);
    total.eval().unwrap_or_else(|error| panic!("{error}"));
    // The kernel, the product and the sum are one launch.
    assert_eq!(Statistics::now().since(&before).launches(), 1);
    assert!(array_equal(&total, (&x * 2.0).sum(1)));
    let [y] = blur.call([&x, &x]);
    assert_eq!(y.i(s![0]).to_string(), "[1. 3. 6. 9. 7.]");
}

#[test]
fn an_array_may_be_written_with_what_is_read_of_it() {
    let _guard = reference();
    let reverse = elementwise("reverse", |k, [_, all]| [all.at(k.size() - 1 - k.index())]).whole(1);
    let mut x = array([1i64, 2, 3]);
    let [y] = reverse.call([&x, &x]);
    y.store(&mut x);
    assert_eq!(values::<i64>(&x), [3, 2, 1]);
    let [y] = reverse.call([&x, &x]);
    x += y;
    assert_eq!(values::<i64>(&x), [4, 4, 4]);
    let mut x = arange(6);
    let [y] = reverse.call([&x.i(s![..3]), &x]);
    *x.view_mut(s![3..]) += y;
    assert_eq!(values::<i64>(&x), [0, 1, 2, 5, 5, 5]);
}

#[test]
fn bad_uses_say_what_to_do() {
    let _guard = reference();
    let (x, i) = (array([1.0, 2.0]), array([0i64, 1]));
    let plain = elementwise("f", |_, [x, y]| [x + y]).whole(1);
    let text = message(plain.try_call([&x, &x]));
    assert!(text.contains("operand 1 is whole: read it at a position, with at"), "{text}");
    let returned = elementwise("f", |_, [_, y]| [y]).whole(1);
    assert!(message(returned.try_call([&x, &x])).contains("operand 1 is whole"));
    let element = elementwise("f", |_, [x, y]| [x.at(y)]);
    assert!(message(element.try_call([&x, &i])).contains("declare the operand with whole"));
    let float = lookup(|| OutOfRange::Clamp);
    let text = message(float.try_call([&x, &x]));
    assert!(text.contains("position of float64: expected an integer"), "{text}");
    let text = message(float.try_call((&i, 2.0)));
    assert!(text.contains("operand 1 is whole: expected an array, got a number"), "{text}");
    let text = message(float.try_call([&i, &zeros(0, ..)]));
    assert!(text.contains("operand 1 has no elements: shape (0,)"), "{text}");
    let two = elementwise("f", |_, [i, y]| [y.at([i, i])]).whole(1);
    let text = message(two.try_call([&i, &x]));
    assert!(text.contains("read at 2 positions: expected as many axes, got shape (2,)"), "{text}");
    let none = elementwise("f", |_, [x, _y]| [x]).whole(7);
    assert!(message(none.try_call([&x, &x])).contains("expected one of 2 operands"));
    let fold = lookup(|| OutOfRange::Clamp);
    let text = message(attempt(|| fold.reduce(&i, 0)));
    assert!(text.contains("has no operands read by position"), "{text}");
    let other = Device::custom(std::sync::Arc::new(ndany_reference::Reference::new()));
    let far = {
        let _guard = other.enter();
        array([1.0])
    };
    assert!(matches!(float.try_call([&i, &far]), Err(Error::TwoDevices { .. })));
}
