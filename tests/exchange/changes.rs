//! Functions that change an array, on parts of another array's memory: in place, and as they change a copy.

use ndany::call::{Value, resolve};
use ndany::checked;
use ndany::exchange::{CallSite, Export, View};
use ndany::prelude::*;

use crate::on_cpu;

type Change = fn(&mut Array) -> ndany::Result<()>;

/// Writes of a few elements, and those that put another array in the place of the one they change.
fn changes() -> Vec<(&'static str, Change)> {
    vec![
        ("set at places", |part| checked::set(part, array([0i64, 1]), 7)),
        ("set under a mask", |part| {
            let mask = part.remainder(2).equal(0);
            checked::set(part, &mask, -1)
        }),
        ("set all", |part| checked::set(part, s![..], 5)),
        ("put", |part| checked::put(part, [0, -1], [8, 9], ..)),
        ("putmask", |part| {
            let mask = part.greater(4);
            checked::putmask(part, &mask, 3)
        }),
        ("place", |part| {
            let mask = part.greater(4);
            checked::place(part, &mask, array([1i64, 2]))
        }),
        ("a new array", |part| {
            *part = &*part * 10;
            Ok(())
        }),
        ("add.at", |part| {
            let at = [Value::None, array([0i64, 0]).into(), 100.into()];
            resolve("np.add.at")?.change(part, &at, &[])
        }),
        ("nothing", |_| Ok(())),
    ]
}

fn parts(base: &Array) -> Vec<(&'static str, Array)> {
    vec![
        ("all", base.clone()),
        ("a row", base.i(1)),
        ("a column", base.i(s![.., 2])),
        ("backwards", base.i(s![..;-1, ..;-1])),
        ("every second", base.i(s![.., ..;2])),
        ("turned", base.transpose(..)),
        ("flat", base.ravel()),
        ("an axis more", base.expand_dims(1)),
    ]
}

#[test]
fn parts_change_as_copies_do_and_in_place() {
    let _here = on_cpu();
    for pinned in [false, true] {
        for held in [false, true] {
            for (kind, change) in changes() {
                for number in 0..8 {
                    let mut base = arange(24).reshape([4, 6]) + 0;
                    base.eval().expect("computed");
                    let export = pinned.then(|| Export::write(&mut base, None).expect("exported"));
                    let other = held.then(|| base.clone());
                    let (name, part) = parts(&base).swap_remove(number);
                    let view = View::of(&part, &base).expect("a view");
                    let mut copy = part.copy();
                    copy.eval().expect("computed");
                    drop(part);
                    change(&mut copy).expect("changed");
                    let mut expected = base.copy();
                    expected.eval().expect("computed");
                    view.write(&mut expected, &copy).expect("written");
                    let layout = View::of(&base, &base);
                    view.change(&mut base, change).expect("changed");
                    let case = format!("{kind} of {name}, pinned {pinned}, held {held}");
                    assert_eq!(base.to_string(), expected.to_string(), "{case}");
                    assert_eq!(View::of(&base, &base), layout, "{case}");
                    if let Some(export) = export {
                        let bytes = base.to_vec::<i64>().expect("values");
                        assert_eq!(crate::seen::<i64>(&export), bytes, "{case}");
                    }
                    if let Some(other) = other.filter(|_| !pinned) {
                        assert_eq!(
                            other.to_string(),
                            arange(24).reshape([4, 6]).to_string(),
                            "{case}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_few_elements_of_a_part_are_written_without_a_copy() {
    let _here = on_cpu();
    let mut base = zeros(1000, F64) + 0;
    base.eval().expect("computed");
    let part = View::of(&base.i(s![10..;3]), &base).expect("a view");
    let (at, values) = (array([1i64, 2]), array([5.0, 6.0]));
    let before = Statistics::now();
    part.change(&mut base, |part| checked::set(part, &at, &values)).expect("changed");
    part.change(&mut base, |part| checked::put(part, &at, &values, ..)).expect("changed");
    let put = [Value::None, (&at).into(), (&values).into()];
    let put_function = resolve("np.put").expect("known");
    part.change(&mut base, |part| put_function.change(part, &put, &[])).expect("changed");
    put_function.change(&mut base, &put, &[]).expect("changed");
    let during = Statistics::now().since(&before);
    assert_eq!((during.copies, during.scatters), (0, 4));
    assert_eq!(base.i(array([1i64, 2, 13, 16])).to_string(), "[5. 6. 5. 6.]");
    // A column has no flat view: its positions are those of a copy, which is written back.
    let mut table = zeros((50, 4), F64) + 0;
    table.eval().expect("computed");
    let column = View::of(&table.i(s![.., 1]), &table).expect("a view");
    column.change(&mut table, |part| checked::put(part, &at, &values, ..)).expect("changed");
    assert_eq!(
        (table.i(s![1, 1]).to_string(), table.sum(..).to_string()),
        ("5.0".into(), "11.0".into())
    );
}

#[test]
fn a_failed_change_leaves_the_array_as_it_is() {
    let _here = on_cpu();
    let mut base = arange(12).reshape([3, 4]) + 0;
    base.eval().expect("computed");
    let text = base.to_string();
    for number in 0..3 {
        let part = vec![base.i(1), base.i(s![.., 1]), base.transpose(..)].swap_remove(number);
        let view = View::of(&part, &base).expect("a view");
        drop(part);
        let error = view.change(&mut base, |part| checked::put(part, [99], 1, ..));
        assert_eq!(error.expect_err("out of range").class(), "IndexError");
        let put = [Value::None, 99.into(), 1.into()];
        let error =
            resolve("np.put").and_then(|put_function| put_function.change(&mut base, &put, &[]));
        assert_eq!(error.expect_err("out of range").class(), "IndexError");
        assert_eq!(base.to_string(), text);
    }
    let repeated = View::of(&base.broadcast_to([2, 3, 4]), &base).expect("a view");
    assert_eq!(
        repeated.change(&mut base, |_| Ok(())).expect_err("shares places").class(),
        "ValueError"
    );
    let error = resolve("np.sin").and_then(|sin| sin.change(&mut base, &[], &[]));
    assert!(error.expect_err("changes nothing").to_string().contains("changes an array"));
    assert_eq!(base.to_string(), text);
}

#[test]
fn a_part_of_another_dtype_is_read_and_written_back() {
    let _here = on_cpu();
    let mut a = array([1.0, 2.0, 3.0]).astype(C128);
    a.eval().expect("computed");
    let mut view = View::of(&a.view(F64), &a).expect("the same memory");
    view.layout = view.layout.reshape(&[3, 2]).expect("pairs");
    view.change(&mut a, |pairs| checked::set(pairs, (array([0i64, 2]), 1), 9)).expect("changed");
    assert_eq!(a.to_string(), "[1.+9.j 2.+0.j 3.+9.j]");
}

#[test]
fn errors_name_the_line_of_a_binding_s_program() {
    let _here = on_cpu();
    let row = array([1i64, 2, 3]);
    let site = CallSite::of_program("model.py", 12).enter();
    let (taken, power) = (row.take(array([7i64]), ..), row.pow(array([1i64, -1, 1])));
    drop(site);
    let elsewhere = row.take(array([7i64]), ..);
    for late in [&taken + 1, power.sum(..), taken.i(0).sqrt()] {
        let error = late.eval().and_then(|()| late.to_bytes().map(drop)).expect_err("late");
        assert!(error.to_string().ends_with("asked for at model.py:12)"), "{error}");
    }
    let error = elsewhere.to_bytes().expect_err("late").to_string();
    assert!(error.contains("changes.rs:"), "{error}");
}
