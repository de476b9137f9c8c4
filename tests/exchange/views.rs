//! Parts of an array's memory through layouts, and memory seen as another dtype.

use ndany::exchange::{Export, Layout, Shape, Strides, View};
use ndany::prelude::*;

use crate::on_cpu;

fn layout(shape: &[usize], strides: &[isize], offset: usize) -> Layout {
    Layout { shape: Shape::from_slice(shape), strides: Strides::from_slice(strides), offset }
}

#[test]
fn results_that_are_views_say_where_they_lie() {
    let _here = on_cpu();
    let a = arange(24).reshape([2, 3, 4]);
    let place = |part: Array| View::of(&part, &a).map(|view| view.layout);
    assert_eq!(place(a.clone()), Some(layout(&[2, 3, 4], &[12, 4, 1], 0)));
    assert_eq!(place(a.i(s![1, ..;-1, 2])), Some(layout(&[3], &[-4], 22)));
    assert_eq!(place(a.transpose(..)), Some(layout(&[4, 3, 2], &[1, 4, 12], 0)));
    assert_eq!(place(a.ravel()), Some(layout(&[24], &[1], 0)));
    assert_eq!(place(a.reshape([6, 4]).i(5)), Some(layout(&[4], &[1], 20)));
    assert_eq!(place(a.broadcast_to([5, 2, 3, 4])), Some(layout(&[5, 2, 3, 4], &[0, 12, 4, 1], 0)));
    assert_eq!(place(a.diagonal(0, (0, 1))), Some(layout(&[4, 2], &[1, 16], 0)));
    assert_eq!(place(a.expand_dims(0)).map(|layout| layout.shape.len()), Some(4));
    // Copies and results.
    assert_eq!(place(a.transpose(..).ravel()), None);
    assert_eq!(place(a.copy()), None);
    assert_eq!(place(&a + 0), None);
    assert_eq!(place(a.i(array([0i64]))), None);
}

#[test]
fn views_are_read_and_written_in_place() {
    let _here = on_cpu();
    let mut a = arange(12).reshape([3, 4]);
    a.eval().expect("computed");
    let before = Statistics::now();
    let parts = [
        (layout(&[3], &[4], 1), "[1 5 9]"),
        (layout(&[2, 2], &[-4, 2], 4), "[[4 6]\n [0 2]]"),
        (layout(&[], &[], 11), "11"),
        (layout(&[0, 7], &[1, 1], 99), "[]"),
    ];
    for (layout, text) in &parts {
        let view = View { dtype: I64, layout: layout.clone() };
        assert_eq!(view.read(&a).expect("inside").to_string(), *text);
        let doubled = view.read(&a).expect("inside") * 2;
        view.write(&mut a, &doubled).expect("written");
        let same = view.read(&a).expect("inside") + 0;
        view.write(&mut a, same).expect("written");
    }
    assert_eq!(a.to_string(), "[[ 0  2  4  3]\n [ 8 10 12  7]\n [ 8 18 10 22]]");
    // A value that reads the base through the very layout that is written copies nothing.
    assert_eq!(Statistics::now().since(&before).copies, 0);
    // Other handles keep their values.
    let held = a.clone();
    let row = View { dtype: I64, layout: layout(&[4], &[1], 4) };
    row.write(&mut a, 0).expect("written");
    assert_eq!((held.i(s![1, 0]).to_string(), a.i(s![1, 0]).to_string()), ("8".into(), "0".into()));
    // An array that lies in Fortran order keeps its layout.
    let mut turned = arange(6).reshape([2, 3]).transpose(..) + 0;
    let _held = turned.clone();
    let whole = View::of(&turned, &turned).expect("itself");
    whole.write(&mut turned, array([[1i64], [2], [3]])).expect("written");
    assert_eq!(turned.to_string(), "[[1 1]\n [2 2]\n [3 3]]");
}

#[test]
fn parts_of_complex_numbers_are_written_through_another_dtype() {
    let _here = on_cpu();
    let mut a = array([1.0, 2.0, 3.0]).astype(C128);
    let parts = View::of(&a.view(F64), &a).expect("the same memory");
    assert_eq!(parts.layout.shape.as_slice(), [6]);
    let imaginary = View { dtype: F64, layout: layout(&[3], &[2], 1) };
    imaginary.write(&mut a, array([7.0, 8.0, 9.0])).expect("written");
    assert_eq!(a.to_string(), "[1.+7.j 2.+8.j 3.+9.j]");
    assert_eq!(imaginary.read(&a).expect("inside").to_string(), "[7. 8. 9.]");
    // The same of pinned memory.
    let export = Export::write(&mut a, None).expect("exported");
    let reals = View { dtype: F64, layout: layout(&[3], &[2], 0) };
    let turned = View { dtype: F64, layout: layout(&[3], &[-2], 5) };
    let backwards = turned.read(&a).expect("inside");
    reals.write(&mut a, backwards).expect("written");
    assert_eq!(a.to_string(), "[9.+7.j 8.+8.j 7.+9.j]");
    assert_eq!(crate::seen::<[f64; 2]>(&export)[0], [9.0, 7.0]);
}

#[test]
fn layouts_that_leave_the_memory_are_errors() {
    let _here = on_cpu();
    let mut a = arange(12);
    let class = |dtype, layout: Layout| {
        let view = View { dtype, layout };
        let read = view.read(&a).map(drop);
        (read.expect_err("outside").class(), view)
    };
    let mut refused = Vec::new();
    for (shape, strides, offset) in [
        (&[13][..], &[1][..], 0),
        (&[2], &[1], 11),
        (&[2], &[-1], 0),
        (&[2, 2], &[7, 5], 0),
        (&[2], &[isize::MAX], 0),
        (&[usize::MAX, 2], &[0, 0], 0),
        (&[1], &[1], usize::MAX),
        (&[1, 1], &[1], 0),
    ] {
        let (class, view) = class(I64, layout(shape, strides, offset));
        assert_eq!(class, "ValueError", "{view:?}");
        refused.push(view);
    }
    assert_eq!(class(Bool, layout(&[1], &[1], 0)).0, "NotImplementedError");
    assert_eq!(class(U8, layout(&[97], &[1], 0)).0, "ValueError");
    refused.push(View { dtype: I64, layout: layout(&[3], &[0], 1) });
    refused.push(View { dtype: I64, layout: layout(&[3, 3], &[1, 1], 1) });
    for view in refused {
        assert_eq!(view.write(&mut a, 0).expect_err("refused").class(), "ValueError", "{view:?}");
    }
    let mut truths = array([true, false]);
    let bytes = View { dtype: U8, layout: layout(&[2], &[1], 0) };
    assert!(bytes.write(&mut truths, 5).is_err_and(|error| error.is_unsupported()));
    let all = View { dtype: I64, layout: layout(&[3], &[1], 0) };
    assert_eq!(all.write(&mut a, array([1, 2])).expect_err("shapes").class(), "ValueError");
}

#[test]
fn reshapes_say_whether_they_are_views() {
    let all =
        |shape: &[usize], strides: &[isize]| View { dtype: F32, layout: layout(shape, strides, 3) };
    let reshaped = |view: &View, shape: &[usize], order| {
        view.reshape(shape, order).map(|view| view.layout.strides.to_vec())
    };
    let rows = all(&[4, 6], &[12, 1]);
    assert_eq!(reshaped(&rows, &[2, 2, 3, 2], Order::C), Some(vec![24, 12, 2, 1]));
    assert_eq!(reshaped(&rows, &[24], Order::C), None);
    assert_eq!(reshaped(&rows, &[4, 2, 3], Order::F), Some(vec![12, 1, 2]));
    assert_eq!(reshaped(&rows, &[5, 5], Order::C), None);
    let turned = all(&[3, 2], &[1, 3]);
    assert_eq!(reshaped(&turned, &[6], Order::F), Some(vec![1]));
    assert_eq!(reshaped(&turned, &[6], Order::A), Some(vec![1]));
    assert_eq!(reshaped(&turned, &[6], Order::C), None);
}

/// What NumPy 2.4 gives for the same bytes.
#[test]
fn views_as_another_dtype_follow_numpy() {
    let _here = on_cpu();
    let words = array([0x0403_0201u32, 0x0807_0605]);
    assert_eq!(words.view(U8).to_string(), "[1 2 3 4 5 6 7 8]");
    assert_eq!(words.view(U16).to_string(), "[ 513 1027 1541 2055]");
    assert_eq!(words.view(U64).to_string(), "[578437695752307201]");
    assert_eq!(array([1.0f32, -0.0]).view(I32).to_string(), "[ 1065353216 -2147483648]");
    assert_eq!(array(1.0f32).view(I32).to_string(), "1065353216");
    assert_eq!(array([true, false]).view(U8).to_string(), "[1 0]");
    assert_eq!(array([2u8, 0, 1]).view(Bool).to_string(), "[ True False  True]");
    let grid = arange(12).astype(I16).reshape([3, 4]);
    assert_eq!(grid.i(s![..;-1, ..]).view(I32).shape(), [3, 2]);
    assert_eq!(grid.i(s![..;2, 2..]).view(U32).shape(), [2, 1]);
    assert_eq!(grid.i(s![..;2, 2..]).view(I8).to_string(), "[[ 2  0  3  0]\n [10  0 11  0]]");
    // Steps that are no multiples of the new size: the values, in memory of their own.
    let odd = arange(10).astype(I16).reshape([2, 5]).i(s![.., 1..]);
    assert_eq!(odd.view(I32).to_string(), "[[131073 262147]\n [458758 589832]]");
    assert_eq!(zeros((3, 0), F64).view(F32).shape(), [3, 0]);
    for (a, dtype) in [
        (array(1.0), F32),
        (grid.transpose(..), I32),
        (grid.i(s![.., ..3]), I32),
        (grid.i(s![.., ..;2]), I8),
        (array([1u8, 2, 3]), U16),
    ] {
        let error = ndany::checked::view(&a, dtype).expect_err("refused");
        assert_eq!(error.class(), "ValueError", "{error}");
    }
    // One element along the last axis has no gaps.
    assert_eq!(grid.i(s![.., ..;4]).view(I8).shape(), [3, 2]);
    // Values: a write to the array does not show in what was made of it before.
    let mut a = array([1.0f32, 2.0]);
    let bits = a.view(U32);
    a.set(0, 0);
    assert_eq!(bits.to_string(), "[1065353216 1073741824]");
}
