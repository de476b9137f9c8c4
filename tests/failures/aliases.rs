//! Values, not aliases: what a write does to an array does not depend on which other handles live. Windows
//! (`sliding_window_view`, `as_strided`) show elements more than once, so writing through them in place would write at
//! places that the index does not name.
//!
//! `NDANY_PROPERTY_DEVICES` names devices beside the CPU's, as in `tests/property`.

use ndany::{
    Array, Casting, Device, Ellipsis, Generator, Result, Statistics, arange, attempt, checked, s,
    ufunc,
};

fn devices() -> Vec<Device> {
    let named = std::env::var("NDANY_PROPERTY_DEVICES").unwrap_or_default();
    let named = named.split_whitespace().map(|name| Device::open(name).expect("a device"));
    crate::devices().into_iter().chain(named).collect()
}

fn rows(array: &Array) -> Vec<i64> {
    array.to_vec::<i64>().expect("a value")
}

#[test]
fn a_window_whose_base_has_gone_is_written_as_one_whose_base_lives() {
    for device in devices() {
        let _guard = device.enter();
        let mut w = arange(5).sliding_window_view(3, ..);
        w.set(s![0, 2], 100);
        assert_eq!(rows(&w), [0, 1, 100, 1, 2, 3, 2, 3, 4], "set, base gone, {device}");
        let base = arange(5);
        let mut w = base.sliding_window_view(3, ..);
        w.set(s![0, 2], 100);
        assert_eq!(rows(&w), [0, 1, 100, 1, 2, 3, 2, 3, 4], "set, base alive, {device}");
        assert_eq!(rows(&base), [0, 1, 2, 3, 4]);

        let mut w = arange(5).sliding_window_view(3, ..);
        *w.view_mut(s![.., ..]) += &Array::from([[1i64, 2, 3], [4, 5, 6], [7, 8, 9]]);
        assert_eq!(rows(&w), [1, 3, 5, 5, 7, 9, 9, 11, 13], "+=, {device}");

        let mut w = arange(5).sliding_window_view(3, ..);
        w.view_mut(s![.., ..]).assign(arange((10, 19)).reshape([3, 3]));
        assert_eq!(rows(&w), (10..19).collect::<Vec<i64>>(), "assign, {device}");

        let mut w = Array::from([1i64, 2, 3]).as_strided(&[2, 2], &[1, 1]);
        w.set(s![0, 1], 9);
        assert_eq!(rows(&w), [1, 9, 2, 3], "as_strided, {device}");
    }
}

type Write = (&'static str, fn(&mut Array) -> Result<()>);

/// Every way in which an array of two axes is written in place.
fn writes() -> Vec<Write> {
    fn mask(w: &Array) -> Array {
        w.remainder(3).equal(1)
    }
    fn values(w: &Array) -> Array {
        (arange(w.size()) * 7 + 1000).reshape([w.shape()[0] as isize, w.shape()[1] as isize])
    }
    vec![
        ("set a number", |w| checked::set(w, s![0, 1], 100)),
        ("set a row", |w| checked::set(w, s![1], 100)),
        ("set a slice", |w| checked::set(w, s![.., ..;2], values(&w.copy()).i(s![.., ..;2]))),
        ("set all", |w| checked::set(w, Ellipsis, values(&w.copy()))),
        ("set positions", |w| {
            checked::set(w, s![[0, 1, 0], [1, 1, 0]], Array::from([100i64, 200, 300]))
        }),
        ("set a mask", |w| checked::set(w, mask(&w.copy()), 100)),
        ("set a mask's places", |w| {
            let mask = mask(&w.copy());
            let count = mask.sum(..).item::<i64>()?;
            checked::set(w, mask, arange((1000, 1000 + count)))
        }),
        ("view_mut +=", |w| {
            let values = values(w).copy();
            *w.view_mut(s![..]) += &values;
            Ok(())
        }),
        ("view_mut *= of a column", |w| {
            *w.view_mut(s![.., 1]) *= 3;
            Ok(())
        }),
        ("view_mut += at positions", |w| {
            *w.view_mut(s![[1, 0]]) += 50;
            Ok(())
        }),
        ("view_mut += where", |w| {
            let mask = mask(&w.copy());
            *w.view_mut(mask) += 50;
            Ok(())
        }),
        ("view_mut assign", |w| {
            let values = values(w);
            checked::assign(&mut w.view_mut(s![..;-1]), values)
        }),
        ("+=", |w| {
            let values = values(w);
            *w += values;
            Ok(())
        }),
        ("+= a number", |w| {
            *w += 5;
            Ok(())
        }),
        ("into", |w| {
            let values = values(w);
            checked::store(&values + &values, w)
        }),
        ("into, with a mask", |w| {
            let (values, mask) = (values(w), mask(&w.copy()));
            checked::store(&values + &values, w.masked(&mask))
        }),
        ("two into", |w| {
            let mut other = w.copy();
            let (quotient, remainder) = values(w).divmod(7);
            checked::store(quotient, &mut other)?;
            checked::store(remainder, w)
        }),
        ("put", |w| checked::put(w, [0, 4, 5], Array::from([100i64, 200, 300]), ..)),
        ("put_along_axis", |w| {
            let index = Array::from([[1i64], [0]]);
            let rows = w.shape()[0];
            let index = index.tile(rows.div_ceil(2)).i(0).reshape([-1, 1]).i(..1);
            checked::put_along_axis(w, &index.broadcast_to([rows, 1]), 100, 1)
        }),
        ("putmask", |w| {
            let (mask, values) = (mask(&w.copy()), values(w));
            checked::putmask(w, &mask, values)
        }),
        ("place", |w| {
            let mask = mask(&w.copy());
            checked::place(w, &mask, Array::from([100i64, 200]))
        }),
        ("copyto", |w| {
            let values = values(w);
            checked::copyto(w, values, Casting::SameKind, None)
        }),
        ("copyto where", |w| {
            let (mask, values) = (mask(&w.copy()), values(w));
            checked::copyto(w, values, Casting::SameKind, Some(&mask))
        }),
        ("fill_diagonal", |w| checked::fill_diagonal(w, 100, false)),
        ("fill_diagonal, wrapped", |w| checked::fill_diagonal(w, Array::from([100i64, 200]), true)),
        ("add.at", |w| {
            attempt(|| ufunc::add.at(w, s![[0, 1, 1], [0, 1, 1]], Array::from([100i64, 200, 300])))
        }),
        ("floor_divide.at", |w| attempt(|| ufunc::floor_divide.at(w, s![[0, 1, 1], 1], 2))),
        ("negative.at", |w| attempt(|| ufunc::negative.at(w, s![[0, 1, 1, 1]]))),
        ("maximum.at", |w| attempt(|| ufunc::maximum.at(w, s![[0, 1], 0], 100))),
        ("shuffle", |w| attempt(|| Generator::new(3).shuffle(w, 0))),
        ("shuffle columns", |w| attempt(|| Generator::new(3).shuffle(w, 1))),
    ]
}

/// Its name, what makes a base, and what makes the view of the base.
type View = (&'static str, fn() -> Array, fn(&Array) -> Array);

/// Views that show elements more than once.
fn views() -> Vec<View> {
    vec![
        ("windows", || arange(7), |base| base.sliding_window_view(3, ..)),
        ("windows backward", || arange(7), |base| base.flip(..).sliding_window_view(4, ..)),
        ("turned windows", || arange(7), |base| base.sliding_window_view(4, ..).transpose(..)),
        ("equal strides", || arange(14), |base| base.as_strided(&[4, 4], &[2, 2])),
        ("strides that cross", || arange(20), |base| base.as_strided(&[3, 4], &[4, 2])),
        ("one row", || arange(5), |base| base.broadcast_to([3, 5])),
        ("windows of a slice", || arange(20), |base| base.i(s![1..;3]).sliding_window_view(3, ..)),
        (
            "part of windows",
            || arange(30).reshape([5, 6]),
            |base| base.sliding_window_view([2, 3], ..).i(s![1, .., 1, ..]),
        ),
        ("many windows", || arange(70_002), |base| base.sliding_window_view(3, ..)),
    ]
}

#[test]
fn no_write_depends_on_which_handles_live() {
    for device in devices() {
        let _guard = device.enter();
        for (view_name, base, view) in views() {
            for (write_name, write) in writes() {
                let at = format!("{write_name} of {view_name} on {device}");
                // The definition: a copy has no second handle and no second place for any element.
                let mut expected = view(&base()).copy();
                expected.eval().expect("a value");
                if let Err(error) = write(&mut expected) {
                    panic!("{at}: {error}");
                }
                let expected = rows(&expected);
                let mut gone = view(&base());
                write(&mut gone).unwrap_or_else(|error| panic!("{at}: {error}"));
                assert_eq!(rows(&gone), expected, "{at}, base gone");
                let evaluated = base();
                evaluated.eval().expect("a value");
                let mut gone = view(&evaluated);
                drop(evaluated);
                write(&mut gone).unwrap_or_else(|error| panic!("{at}: {error}"));
                assert_eq!(rows(&gone), expected, "{at}, base computed and gone");
                let kept = base();
                let before = rows(&kept);
                let mut alive = view(&kept);
                write(&mut alive).unwrap_or_else(|error| panic!("{at}: {error}"));
                assert_eq!(rows(&alive), expected, "{at}, base alive");
                assert_eq!(rows(&kept), before, "{at}: the base");
            }
        }
    }
}

/// A five-point stencil's steps through windows: what they copied, and the field.
fn stencil(steps: usize, held: bool) -> (u64, Array) {
    let mut field = (arange(400) % 7).astype(ndany::DType::F64).reshape([20, 20]).copy();
    field.eval().expect("a value");
    let before = Statistics::now();
    for _ in 0..steps {
        let centre = field.i(s![1..-1, 1..-1]);
        let sides = field.i(s![..-2, 1..-1]) + field.i(s![2.., 1..-1]);
        let lap = sides + field.i(s![1..-1, ..-2]) + field.i(s![1..-1, 2..]) - centre * 4.0;
        let other = held.then(|| field.clone());
        *field.view_mut(s![1..-1, 1..-1]) += &lap * 0.1;
        drop(other);
    }
    (Statistics::now().since(&before).copies, field)
}

#[test]
fn a_stencil_written_through_a_window_copies_nothing() {
    for device in devices() {
        let _guard = device.enter();
        let (copies, field) = stencil(10, false);
        let (copies_held, field_held) = stencil(10, true);
        assert_eq!(field.to_bytes().expect("values"), field_held.to_bytes().expect("values"));
        assert_eq!(copies_held, 10, "another handle holds the field, {device}");
        // The same by whole arrays.
        let mut values: Vec<f64> = (0..400).map(|k| f64::from(k % 7)).collect();
        for _ in 0..10 {
            let old = values.clone();
            for at in (1..19).flat_map(|i| (1..19).map(move |j| 20 * i + j)) {
                let sides = (old[at - 20] + old[at + 20]) + old[at - 1] + old[at + 1];
                values[at] += (sides - old[at] * 4.0) * 0.1;
            }
        }
        assert_eq!(field.to_vec::<f64>().expect("values"), values, "{device}");
        assert_eq!(copies, 0, "{device}");
    }
}

#[test]
fn copies_are_counted() {
    let _guard = Device::open("reference").expect("always there").enter();
    let copies = |write: &dyn Fn(&mut Array), mut array: Array| {
        array.eval().expect("a value");
        let before = Statistics::now();
        write(&mut array);
        Statistics::now().since(&before).copies
    };
    let number = |array: &mut Array| array.set(s![0], 7);
    assert_eq!(copies(&number, arange(9)), 0);
    assert_eq!(copies(&number, arange(9).sliding_window_view(3, ..)), 1);
    let kept = arange(9);
    assert_eq!(copies(&number, kept.clone()), 1);
    let assign = |array: &mut Array| {
        let value = array.i(s![1..]) * 2;
        array.view_mut(s![..-1]).assign(value);
    };
    assert_eq!(copies(&assign, arange(9)), 0);
}
