//! Memory of an array in the hands of others: what is read and written while it is pinned.

use ndany::Operand;
use ndany::exchange::{Export, View};
use ndany::prelude::*;

use crate::{is_pending, on_cpu, poke, seen};

#[test]
fn what_one_side_writes_the_other_sees() {
    let _here = on_cpu();
    let mut a = arange(6).reshape([2, 3]);
    let export = Export::write(&mut a, None).expect("exported");
    let address = export.address();
    for step in 0..6 {
        poke(&export, step, 10 * step as i64);
    }
    assert_eq!(a.to_string(), "[[ 0 10 20]\n [30 40 50]]");
    a.set(s![1, ..], array([1i64, 2, 3]));
    a += 1;
    assert_eq!(seen::<i64>(&export), [1, 11, 21, 2, 3, 4]);
    // The same memory again, and so through a view.
    assert_eq!(Export::write(&mut a, None).expect("again").address(), address);
    let row = a.i(s![1, ..]);
    assert_eq!(Export::read(&row, None).expect("a view").address(), address + 24);
}

#[test]
fn what_reads_pinned_memory_is_computed_at_once() {
    let _here = on_cpu();
    let mut a = arange(4).astype(F64);
    let export = Export::write(&mut a, None).expect("exported");
    let (sum, chain) = (&a + 1.0, (&a * 2.0).sqrt().sum(..));
    let (view, total) = (a.i(s![..;-1]), a.sum(..));
    assert!(!is_pending(&sum) && !is_pending(&total));
    poke(&export, 0, 100.0);
    assert_eq!(sum.to_string(), "[1. 2. 3. 4.]");
    assert_eq!(total.to_string(), "6.0");
    assert_eq!(chain.to_string(), (array([0.0, 2.0, 4.0, 6.0]).sqrt().sum(..)).to_string());
    // A view is the memory.
    assert_eq!(view.to_string(), "[  3.   2.   1. 100.]");
    let copy = a.copy();
    poke(&export, 1, 200.0);
    assert_eq!(copy.to_string(), "[100.   1.   2.   3.]");
    // The rest is lazy, and everything is once nobody holds the export.
    assert!(is_pending(&(&sum + 1.0)));
    drop(export);
    assert!(is_pending(&(&a + 1.0)));
}

#[test]
fn other_handles_keep_their_values() {
    let _here = on_cpu();
    let mut a = arange(3);
    let before = a.clone();
    let pending = &a + 1;
    assert!(is_pending(&pending));
    let export = Export::write(&mut a, None).expect("exported");
    poke(&export, 0, 9i64);
    a.set(1, 8);
    assert_eq!(a.to_string(), "[9 8 2]");
    assert_eq!(before.to_string(), "[0 1 2]");
    assert_eq!(pending.to_string(), "[1 2 3]");
}

#[test]
fn memory_that_others_only_read_is_copied_by_a_write() {
    let _here = on_cpu();
    let mut a = arange(3);
    let export = Export::read(&a, None).expect("exported");
    a.set(0, 9);
    assert_eq!(a.to_string(), "[9 1 2]");
    assert_eq!(seen::<i64>(&export), [0, 1, 2]);
}

#[test]
fn an_array_outlives_its_export_and_the_export_its_array() {
    let _here = on_cpu();
    let mut a = arange(3);
    let export = Export::write(&mut a, None).expect("exported");
    drop(a);
    poke(&export, 0, 5i64);
    assert_eq!(seen::<i64>(&export), [5, 1, 2]);
    std::thread::spawn(move || drop(export)).join().expect("dropped elsewhere");
    // Values again: a write through one handle does not show in the other.
    let mut a = arange(3);
    drop(Export::write(&mut a, None).expect("exported"));
    let before = a.clone();
    a.set(0, 9);
    assert_eq!((a.to_string(), before.to_string()), ("[9 1 2]".into(), "[0 1 2]".into()));
    drop(before);
    let before = Statistics::now();
    a.set(1, 9);
    assert_eq!(Statistics::now().since(&before).copies, 0);
}

/// Every way to write into an array.
#[test]
fn every_write_goes_into_pinned_memory() {
    type Write = fn(&mut Array);
    let writes: [(&str, Write); 26] = [
        ("element", |a| a.set(s![1, 2], 9.5)),
        ("row", |a| a.set(s![1, ..], array([1.0, 2.0, 3.0, 4.0]))),
        ("all", |a| a.set(ndany::Ellipsis, 2.0)),
        ("pending value", |a| {
            let value = arange(4).astype(F64) * 2.0 + 1.0;
            a.set(s![0, ..], value);
        }),
        ("own values", |a| {
            let value = &*a * 2.0;
            a.set(ndany::Ellipsis, value);
        }),
        ("shifted", |a| {
            let value = a.i(s![..-1, ..]);
            a.set(s![1.., ..], value);
        }),
        ("shifted back", |a| {
            let value = a.i(s![1.., ..]);
            a.set(s![..-1, ..], value);
        }),
        ("turned", |a| {
            let value = a.i(s![.., ..;-1]);
            a.set(ndany::Ellipsis, value);
        }),
        ("mask", |a| {
            let mask = a.greater(4.0);
            a.set(&mask, -1.0);
        }),
        ("mask of values", |a| {
            let mask = a.greater(4.0);
            let values = a.i(&mask) * 10.0;
            a.set(&mask, values);
        }),
        ("index array", |a| a.set(array([0i64, 2]), array([7.0, 8.0, 9.0, 10.0]))),
        ("own rows", |a| {
            let rows = a.i(array([2i64, 0, 1]));
            a.set(array([0i64, 1, 2]), rows);
        }),
        ("window", |a| *a.view_mut(s![.., 1]) *= 3.0),
        ("window of a mask", |a| {
            let mask = a.less(3.0);
            *a.view_mut(&mask) += 0.5;
        }),
        ("operator", |a| *a += 1.0),
        ("operator with itself", |a| {
            let other = a.i(s![..;-1, ..]);
            *a *= other;
        }),
        ("put", |a| a.put(array([0i64, 5, 11]), array([1.5, 2.5]), ..)),
        ("putmask", |a| {
            let mask = a.greater(2.0);
            a.putmask(&mask, array([1.0, 2.0, 3.0]));
        }),
        ("place", |a| {
            let mask = a.greater(2.0);
            a.place(&mask, array([1.0, 2.0]));
        }),
        ("copyto", |a| {
            let mask = a.greater(2.0);
            a.copyto(0.25, ndany::Casting::SameKind, Some(&mask));
        }),
        ("put along", |a| a.put_along_axis(&array([[1i64], [0], [3]]), 0.125, 1)),
        ("diagonal", |a| a.fill_diagonal(array([1.0, 2.0]), false)),
        ("at", |a| ufunc::add.at(a, array([0i64, 0, 2]), 1.0)),
        ("at in order", |a| ufunc::divide.at(a, array([0i64, 0, 2]), 2.0)),
        ("store", |a| (arange(12).reshape([3, 4]) * 2).astype(F64).store(a)),
        ("store where", |a| {
            let mask = a.greater(5.0);
            arange(4).astype(F64).store(a.masked(&mask));
        }),
    ];
    let _here = on_cpu();
    // As it lies, turned, a part, and in Fortran order.
    type Shown = fn(&Array) -> Array;
    let layouts: [Shown; 4] = [
        |a| a.i(s![..3, ..4]),
        |a| a.i(s![..3, ..4]).transpose([1, 0]).transpose([1, 0]),
        |a| a.i(s![2.., 1..;2]),
        |a| a.i(s![..;2, 1..5]).i(s![..;-1, ..;-1]),
    ];
    for (number, shown) in layouts.iter().enumerate() {
        for (name, write) in &writes {
            let base = || arange(45).astype(F64).reshape([5, 9]);
            let mut value = shown(&base());
            let mut pinned = base();
            let export = Export::write(&mut pinned, None).expect("exported");
            let mut part = shown(&pinned);
            write(&mut value);
            write(&mut part);
            let expected = value.to_vec::<f64>().expect("computed");
            let context = format!("{name} through layout {number}");
            assert_eq!(part.to_vec::<f64>().expect("computed"), expected, "{context}");
            // The base shows it, in the memory of the export.
            assert_eq!(shown(&pinned).to_vec::<f64>().expect("computed"), expected, "{context}");
            let all = pinned.to_vec::<f64>().expect("computed");
            assert_eq!(seen::<f64>(&export), all, "{context}");
            assert!(View::of(&part, &pinned).is_some(), "{context}");
        }
    }
}

#[test]
fn operands_that_lie_in_the_memory_written_are_copied_first() {
    let _here = on_cpu();
    // Positions that are the array itself.
    let mut a = array([2i64, 0, 1, 3]);
    let _export = Export::write(&mut a, None).expect("exported");
    let places = a.clone();
    a.set(&places, array([10i64, 11, 12, 13]));
    assert_eq!(a.to_string(), "[11 12 10 13]");
    // A scan of the own values.
    let shifted = a.i(s![..-1]);
    a.set(s![1..], Operand::from(shifted));
    assert_eq!(a.to_string(), "[11 11 12 10]");
}

#[test]
fn elements_that_share_places_are_not_written() {
    let _here = on_cpu();
    let mut a = arange(3);
    let _export = Export::write(&mut a, None).expect("exported");
    let mut repeated = a.broadcast_to([2, 3]);
    let error = ndany::checked::set(&mut repeated, s![0, 0], 9).expect_err("shared places");
    assert_eq!(error.class(), "ValueError");
    assert!(Export::write(&mut repeated, None).is_err());
    assert_eq!(a.to_string(), "[0 1 2]");
}

#[test]
fn threads_write_their_parts_of_pinned_memory() {
    let _here = on_cpu();
    let mut a = zeros((8, 1000), F64);
    let export = Export::write(&mut a, None).expect("exported");
    std::thread::scope(|scope| {
        for row in 0..8usize {
            let mut own = a.i(s![row, ..]);
            scope.spawn(move || {
                for round in 0..20 {
                    own.set(ndany::Ellipsis, round as f64 + row as f64 / 10.0);
                }
            });
        }
    });
    let all = seen::<f64>(&export);
    for row in 0..8 {
        assert!(all[row * 1000..][..1000].iter().all(|&value| value == 19.0 + row as f64 / 10.0));
    }
}
