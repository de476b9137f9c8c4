//! Kernels made of closures: conditions and loops.

use ndany::kernel::elementwise;
use ndany::{Array, DType, Device};

use crate::{cases, dtypes, numbers, same};

cases![
    conditions_choose_by_element,
    loops_run_until_their_condition_fails,
    loops_count_as_ranges_do,
    loops_of_the_host_are_unrolled,
    expressions_of_three_operands,
];

fn conditions_choose_by_element(_: &Device) {
    let x = Array::from([1i64, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    let kernel = elementwise("choices", |_, [x]| {
        let (even, third) = ((x % 2).equal(0), (x % 3).equal(0));
        [even.select(x, -x), even.select(x, 0), even.select(x, third.select(-x, 0))]
    });
    let [both, one, chain] = kernel.call([&x]);
    assert_eq!(both.to_string(), "[-1  2 -3  4 -5  6 -7  8 -9 10]");
    assert_eq!(one.to_string(), "[ 0  2  0  4  0  6  0  8  0 10]");
    assert_eq!(chain.to_string(), "[ 0  2 -3  4  0  6  0  8 -9 10]");
    // A number takes the dtype of the value beside it.
    let x = Array::from([0.5f32, -0.25, 1.75, -1.5]);
    let [positive] = elementwise("positive", |_, [x]| [x.greater(0.0).select(x, 0.0)]).call([&x]);
    assert_eq!(
        (positive.dtype(), positive.to_string()),
        (DType::F32, "[0.5  0.   1.75 0.  ]".into())
    );
}

fn loops_run_until_their_condition_fails(_: &Device) {
    let x = Array::from([1i64, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    let kernel = elementwise("down", |k, [x]| {
        let [_, sum] =
            k.repeat_while(100, [x, x.zero()], |[x, _]| x.greater(0), |[x, sum]| [x - 1, sum + x]);
        [sum]
    });
    let [sum] = kernel.call([&x]);
    assert_eq!(sum.to_string(), "[ 1  3  6 10 15 21 28 36 45 55]");
}

/// Ends that are numbers, elements and products of elements, steps of both signs, ends that move.
fn loops_count_as_ranges_do(_: &Device) {
    let range = elementwise("range", |k, [first, end, step]| {
        let [last, sum] = k.repeat_while(
            100,
            [first, first.zero()],
            |[i, _]| (step.greater(0) & i.less(end)) | (step.less(0) & i.greater(end)),
            |[i, sum]| [i + step, sum + i * i],
        );
        [last, sum]
    });
    let (first, end, step) =
        ([0i64, 1, 2, 3, 4, 5], [-21i64, -23, -19, 17, 27, 24], [-3i64, -2, -1, 1, 2, 3]);
    let [last, sum] = range.call([&Array::from(first), &Array::from(end), &Array::from(step)]);
    for n in 0..6 {
        let (mut i, mut expected) = (first[n], 0);
        while (step[n] > 0 && i < end[n]) || (step[n] < 0 && i > end[n]) {
            expected += i * i;
            i += step[n];
        }
        let found =
            (last.to_vec::<i64>().expect("values")[n], sum.to_vec::<i64>().expect("values")[n]);
        assert_eq!(found, (i, expected), "range {n}");
    }
    let moving = elementwise("moving", |k, [x]| {
        let [_, left, sum] = k.repeat_while(
            100,
            [x.zero(), x, x.zero()],
            |[i, left, _]| i.less(left),
            |[i, left, sum]| [i + 1, left - 1, sum + i],
        );
        let [_, product] = k.repeat_while(
            100,
            [x.zero(), x.zero()],
            |[i, _]| i.less(x * x),
            |[i, sum]| [i + 1, sum + i],
        );
        [left, sum, product]
    });
    let [left, sum, product] = moving.call([&Array::from([0i64, 1, 2, 3, 4, 7])]);
    assert_eq!(left.to_string(), "[0 0 1 1 2 3]");
    assert_eq!(sum.to_string(), "[0 0 0 1 1 6]");
    assert_eq!(product.to_string(), "[   0    0    6   36  120 1176]");
}

fn loops_of_the_host_are_unrolled(_: &Device) {
    let x = Array::from([1i64, 2, 3]);
    let kernel = elementwise("unrolled", |_, [x]| {
        let mut last = 0;
        let mut sum = x;
        for i in 3..10 {
            sum = sum + i;
            last = i;
        }
        [sum, x + last]
    });
    let [sum, last] = kernel.call([&x]);
    assert_eq!((sum.to_string(), last.to_string()), ("[43 44 45]".into(), "[10 11 12]".into()));
}

fn expressions_of_three_operands(device: &Device) {
    let kernel = elementwise("three", |_, [a, b, c]| {
        let y = a + b * c.pow(a);
        let b = y + c * a;
        [a + b + c]
    });
    for &dtype in dtypes(device).iter().filter(|&&dtype| dtype != DType::Bool) {
        // Powers of integers have no negative exponents.
        let [a, b, c] = [3, 5, 7].map(|by| (numbers(60, DType::I64) * by % 4).abs().astype(dtype));
        let y = &a + &b * c.pow(&a);
        let expected = &a + (y + &c * &a) + &c;
        same(Ok(kernel.call([&a, &b, &c])[0].clone()), Ok(expected), &dtype.to_string());
    }
}
