//! Kernels made of closures: operands, sizes, numbers, operators, conversions and names.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ndany::kernel::{OutOfRange, elementwise};
use ndany::{Array, DType, Device, arange, attempt, s, zeros};

use crate::{cases, dtypes, is_gpu, message, numbers, same};

cases![
    whole_operands_give_what_elements_give,
    numbers_meet_arrays_of_every_dtype,
    kernels_are_recorded_once_for_each_dtype,
    the_size_is_that_of_operands_read_by_element,
    positions_and_extents_of_three_axes,
    copies_of_every_layout,
    shapes_that_do_not_broadcast_are_errors,
    names_may_be_any_text,
    operators_are_those_of_arrays,
    functions_of_one_operand_are_those_of_arrays,
    conversions_are_those_of_arrays,
    values_of_the_host_are_constants,
    results_of_several_dtypes,
    special_values_pass_through,
];

fn whole_operands_give_what_elements_give(_: &Device) {
    let (x, y) = (numbers(100, DType::F32), numbers(100, DType::F32).i(s![..;-1]) * 0.25);
    let [direct] = elementwise("direct", |_, [x, y]| [x + y]).call([&x, &y]);
    let read = elementwise("read", |k, [_, x, y]| [x.at(k.index()) + y.at(k.index())]);
    let [read] = read.whole(1).whole(2).call([&x, &x, &y]);
    same(Ok(read), Ok(direct), "read by position");
}

/// A number of the program takes the array's dtype where it can, and an array of no axes has its own.
fn numbers_meet_arrays_of_every_dtype(device: &Device) {
    let sum = elementwise("sum", |_, [x, y]| [x + y]);
    for &dtype in dtypes(device) {
        let x = numbers(24, dtype).reshape((2, 3, 4));
        let [found] = sum.call((&x, 2));
        same(Ok(found), Ok(&x + 2), &format!("{dtype} and 2"));
        for value in [-1, 1 << 32, i64::MAX, i64::MIN] {
            let number = Array::from([value]).reshape(()).astype(dtype);
            let [found] = sum.call((&x, &number));
            same(Ok(found), Ok(&x + &number), &format!("{dtype} and {value}"));
        }
    }
}

fn kernels_are_recorded_once_for_each_dtype(_: &Device) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let sum = elementwise("sum", move |_, [x, y]| {
        counted.fetch_add(1, Ordering::Relaxed);
        [x + y]
    });
    let times = || count.load(Ordering::Relaxed);
    let (x, y) = (numbers(100, DType::F32), numbers(60, DType::F32).reshape((3, 20)));
    assert_eq!(times(), 0);
    same(Ok(sum.call([&x, &x])[0].clone()), Ok(&x + &x), "once");
    assert_eq!(times(), 1);
    same(Ok(sum.call([&y, &y])[0].clone()), Ok(&y + &y), "of another shape");
    assert_eq!(times(), 1);
    let x = x.astype(DType::F64);
    same(Ok(sum.call([&x, &x])[0].clone()), Ok(&x + &x), "of another dtype");
    assert_eq!(times(), 2);
}

fn the_size_is_that_of_operands_read_by_element(_: &Device) {
    let table = arange(5) * 10;
    let kernel = elementwise("sizes", |k, [x, table]| {
        [x + table.at((k.index(), OutOfRange::Clamp)), k.size()]
    });
    let kernel = kernel.whole(1);
    let [sum, size] = kernel.call([&Array::from([1i64, 2]), &table]);
    assert_eq!((sum.to_string(), size.to_string()), ("[ 1 12]".into(), "[2 2]".into()));
    let [sum, size] = kernel.call([&zeros((2, 0), DType::I64), &table]);
    assert_eq!((sum.shape(), size.shape()), (&[2, 0][..], &[2, 0][..]));
    assert!(sum.to_vec::<i64>().expect("no values").is_empty());
    // Where no operand is read by element, the result has no axes; so it has beside a number.
    let [last] = elementwise("last", |_, [table]| [table.at(4)]).whole(0).call([&table]);
    assert_eq!((last.ndim(), last.item::<i64>().expect("a value")), (0, 40));
    let [sum, size] = kernel.call((7, &table));
    assert_eq!((sum.ndim(), sum.item::<i64>().expect("a value")), (0, 7));
    assert_eq!(size.item::<i64>().expect("a value"), 1);
}

fn positions_and_extents_of_three_axes(_: &Device) {
    let x = (arange(24) * 5 - 7).reshape((2, 3, 4)).astype(DType::I32);
    let kernel = elementwise("places", |k, [x, all]| {
        let n = k.index();
        let by_division = [n.floor_divide(12), n.floor_divide(4) % 3, n % 4];
        let by_axis = [k.coordinate(0), k.coordinate(1), k.coordinate(2)];
        let extents = k.extent(0) * 100 + k.extent(1) * 10 + k.extent(2);
        [all.at(n), all.at(by_division), all.at(by_axis), x, extents, k.size()]
    });
    let [flat, divided, axes, element, extents, size] = kernel.whole(1).call([&x, &x]);
    for (found, what) in
        [(flat, "flat"), (divided, "by division"), (axes, "by axes"), (element, "the element")]
    {
        same(Ok(found), Ok(x.clone()), what);
    }
    assert_eq!(extents.to_vec::<i64>().expect("values"), [234; 24]);
    assert_eq!(size.to_vec::<i64>().expect("values"), [24; 24]);
}

fn copies_of_every_layout(device: &Device) {
    let copy = elementwise("copy", |_, [x]| [x]);
    for &dtype in dtypes(device) {
        for shape in [vec![2, 3, 4], vec![0, 3, 4], vec![4, 0], vec![]] {
            let x = numbers(shape.iter().product(), dtype).reshape(&shape[..]);
            let mut views = vec![x.clone(), x.t()];
            if !shape.is_empty() {
                views.push(x.i(s![..;-1]));
                views.push(x.t().copy().t());
            }
            for view in views {
                let [found] = copy.call([&view]);
                same(Ok(found), Ok(view), &format!("{dtype} of shape {shape:?}"));
            }
        }
    }
}

fn shapes_that_do_not_broadcast_are_errors(_: &Device) {
    let sum = elementwise("sum", |_, [x, y]| [x + y]);
    for [left, right] in [[vec![2], vec![3]], [vec![2], vec![0]], [vec![3, 2], vec![3, 3]]] {
        let (x, y) = (zeros(&left[..], DType::F32), zeros(&right[..], DType::F32));
        let text = message(sum.try_call([&x, &y]));
        assert!(text.starts_with("[sum] shapes ") && text.ends_with(" do not broadcast"), "{text}");
    }
}

/// A name stands in messages alone, so it need not be one of C++.
fn names_may_be_any_text(_: &Device) {
    let x = numbers(10, DType::F32);
    for name in ["1", "", "two words", "line\nbreak", "*/ \" \\ { π"] {
        let [found] = elementwise(name, |_, [x]| [x * 2]).call([&x]);
        same(Ok(found), Ok(&x * 2), name);
    }
}

/// Compares methods of values with those of arrays of the same names.
macro_rules! compare {
    ($x:expr, $y:expr, $($method:ident)+) => {$(
        let found = elementwise(stringify!($method), |_, [x, y]| [x.$method(y)]).try_call([$x, $y]);
        let expected = attempt(|| $x.$method($y));
        same(
            found.map(|[found]| found),
            expected,
            &format!("{} of {} and {}", stringify!($method), $x.dtype(), $y.dtype()),
        );
    )+};
}

fn operators_are_those_of_arrays(device: &Device) {
    for &left in dtypes(device) {
        for &right in dtypes(device) {
            if is_gpu(device) && left != right {
                continue;
            }
            let (x, y) = (numbers(40, left), numbers(40, right).i(s![..;-1]));
            compare!(&x, &y, add subtract multiply divide maximum minimum less not_equal);
            compare!(&x, &y, bitwise_and bitwise_left_shift floor_divide);
            if !is_gpu(device) {
                compare!(&x, &y, remainder fmod pow hypot equal less_equal greater greater_equal);
                compare!(&x, &y, bitwise_or bitwise_xor bitwise_right_shift);
            }
        }
    }
}

fn functions_of_one_operand_are_those_of_arrays(device: &Device) {
    macro_rules! compare_one {
        ($x:expr, $($method:ident)+) => {$(
            let found = elementwise(stringify!($method), |_, [x]| [x.$method()]).try_call([$x]);
            let what = format!("{} of {}", stringify!($method), $x.dtype());
            same(found.map(|[found]| found), attempt(|| $x.$method()), &what);
        )+};
    }
    for &dtype in dtypes(device) {
        let x = numbers(40, dtype);
        compare_one!(&x, negative reciprocal square sin bitwise_invert logical_not);
        if !is_gpu(device) {
            compare_one!(&x, cos tan exp log sqrt abs sign floor ceil rint isnan conj real imag);
        }
    }
}

fn conversions_are_those_of_arrays(device: &Device) {
    for &from in dtypes(device) {
        for &to in dtypes(device) {
            let x = numbers(40, from);
            let found = elementwise("convert", move |_, [x]| [x.astype(to)]).try_call([&x]);
            let expected = attempt(|| x.astype(to));
            same(found.map(|[found]| found), expected, &format!("{from} to {to}"));
        }
    }
}

fn values_of_the_host_are_constants(_: &Device) {
    struct Settings {
        shift: i64,
    }
    let (x, y) = (numbers(60, DType::I64), numbers(60, DType::I64).i(s![..;-1]));
    for shift in [8, 10] {
        let settings = Settings { shift };
        let kernel = elementwise("shifted", move |_, [x, y]| [x - y + settings.shift]);
        same(Ok(kernel.call([&x, &y])[0].clone()), Ok(&x - &y + shift), "a field");
    }
}

fn results_of_several_dtypes(_: &Device) {
    let (x, y) = (arange(5), arange((5, 10)));
    let kernel = elementwise("both", |_, [x, y]| {
        // Names may be given anew, tuples taken apart.
        let (x, y) = (y, x);
        let ((a, b), mut c) = ((x, y), x);
        c = c * a + b;
        [x + y, x / y, c, x.less(y)]
    });
    let [sum, quotient, product, less] = kernel.call([&x, &y]);
    same(Ok(sum), Ok(&x + &y), "a sum");
    same(Ok(quotient), Ok(&y / &x), "a quotient");
    same(Ok(product), Ok(&y * &y + &x), "a product");
    same(Ok(less), Ok(y.less(&x)), "a comparison");
}

fn special_values_pass_through(_: &Device) {
    let x =
        Array::from([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MIN_POSITIVE / 4.0]);
    let kernel = elementwise("special", |_, [x]| {
        [x, x.isnan().select(f32::INFINITY, x), x.isinf().select(f32::NAN, x), -x]
    });
    let [kept, infinite, none, negative] = kernel.call([&x]);
    same(Ok(kept), Ok(x.clone()), "kept");
    let infinite = infinite.to_vec::<f32>().expect("values");
    assert_eq!(infinite[..3], [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY]);
    assert!(none.to_vec::<f32>().expect("values")[..3].iter().all(|x| x.is_nan()));
    same(Ok(negative), Ok(-&x), "negative");
}
