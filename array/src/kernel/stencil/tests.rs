//! Stencils on the reference device: each boundary against a padded array, all shapes, what they refuse.

use crate::kernel::tests::{reference, values};
use crate::kernel::{Boundary, Stencil, stencil};
use crate::prelude::*;
use crate::{Pad, Reflection};

/// Weighs neighbours of two axes differently, beyond the edges by two and by one.
fn weighing(boundary: Boundary) -> Stencil<1, 1> {
    stencil("weighing", |_, [u]| {
        let around = u.at([-2, 0]) * 2 + u.at([1, -1]) * 3 + u.at([0, 2]) * 5;
        [around - u.at([0, 0])]
    })
    .boundary(boundary)
}

/// The same over an array that is padded by 2 on all sides.
fn of_padded(padded: &Array, shape: &[usize]) -> Array {
    let (m, n) = (shape[0] as isize, shape[1] as isize);
    let at = |i: isize, j: isize| padded.i(s![2 + i..2 + i + m, 2 + j..2 + j + n]);
    at(-2, 0) * 2 + at(1, -1) * 3 + at(0, 2) * 5 - at(0, 0)
}

#[test]
fn boundaries_are_those_of_pad() {
    let _guard = reference();
    let modes = [
        (Boundary::Constant(Scalar::from(7)), Pad::Constant(crate::Pairs::All(Scalar::from(7)))),
        (Boundary::Edge, Pad::Edge),
        (Boundary::Reflect, Pad::Reflect(Reflection::Even)),
        (Boundary::Symmetric, Pad::Symmetric(Reflection::Even)),
        (Boundary::Wrap, Pad::Wrap),
    ];
    for (m, n) in [(1, 1), (1, 5), (2, 3), (3, 2), (4, 4), (6, 9), (9, 64), (64, 9)] {
        let x = (arange(m * n) * 37 % 101).reshape((m, n));
        let views = [x.clone(), x.t(), x.i(s![..;-1, ..;-1])];
        for ((boundary, mode), view) in
            modes.iter().flat_map(|mode| views.iter().map(move |view| (mode, view)))
        {
            let [found] = weighing(*boundary).call([view]);
            let expected = of_padded(&view.pad(2, mode.clone()), view.shape());
            let shape = view.shape();
            assert_eq!(values::<i64>(&found), values::<i64>(&expected), "{boundary:?} {shape:?}");
        }
        let [found] = weighing(Boundary::Valid).call([&x]);
        let shape = [(m as usize).saturating_sub(3), (n as usize).saturating_sub(3)];
        assert_eq!(found.shape(), shape);
        if found.size() > 0 {
            let all = values::<i64>(&weighing(Boundary::Wrap).call([&x])[0].i(s![2..-1, 1..-2]));
            assert_eq!(values::<i64>(&found), all);
        }
    }
    let empty = zeros((0, 3), I64);
    assert_eq!(weighing(Boundary::Wrap).call([&empty])[0].shape(), [0, 3]);
}

#[test]
fn operands_broadcast_parameters_change_and_there_are_several_results() {
    let _guard = reference();
    let both = stencil("both", |k, [u, w]| {
        let sum = u.at([0, -1]) + w.at([0, 1]) * k.param("scale");
        [sum, sum.greater(k.extent(0)), w.at([0, 0]) + k.size()]
    })
    .param("scale", F64, 1);
    let (u, w) = (arange(6.0).reshape((2, 3)), array([[10.0, 20.0, 30.0]]));
    let [sum, greater, sizes] = both.with("scale", 2).call((&u, &w));
    assert_eq!(sum.to_string(), "[[40. 60.  1.]\n [40. 63.  4.]]");
    assert_eq!(greater.to_string(), "[[ True  True False]\n [ True  True  True]]");
    assert_eq!(sizes.to_string(), "[[16. 26. 36.]\n [16. 26. 36.]]");
    // Loops read what stands around them; values that a loop asks for first are known outside.
    let looped = stencil("looped", |k, [x]| {
        let [sum, _] = k.repeat_while(
            3,
            [x.at([0]), k.value(0)],
            |[sum, _]| sum.less(x.at([1])),
            |[sum, n]| [sum + x.at([-1]), n + 1],
        );
        [sum]
    });
    assert_eq!(looped.call([&array([1, 2, 9])])[0].to_string(), "[1 5 9]");
}

#[test]
fn windows_are_all_elements_around() {
    let _guard = reference();
    let median = stencil("median", |_, [x]| {
        let mut window = x.window([3, 3]);
        // The middle of a sorted window, by exchanges.
        for last in (1..window.len()).rev() {
            for k in 0..last {
                let (low, high) =
                    (window[k].minimum(window[k + 1]), window[k].maximum(window[k + 1]));
                (window[k], window[k + 1]) = (low, high);
            }
        }
        [window[4]]
    })
    .boundary(Boundary::Edge);
    let x = (arange(35) * 17 % 35).reshape((5, 7));
    let [found] = median.call([&x]);
    let padded = x.pad(1, Pad::Edge);
    for (i, j) in (0..5).flat_map(|i| (0..7).map(move |j| (i, j))) {
        let window = padded.i(s![i..i + 3, j..j + 3]);
        let mut sorted = values::<i64>(&window);
        sorted.sort();
        assert_eq!(found.i(s![i, j]).item::<i64>().expect("a value"), sorted[4], "{i} {j}");
    }
    // Of an even number the middle is right of the centre.
    let sum = stencil("sum", |_, [x]| [x.window([2]).into_iter().reduce(|a, b| a + b).unwrap()]);
    assert_eq!(sum.call([&array([1, 2, 4])])[0].to_string(), "[1 3 6]");
}

/// The sum of the neighbours of cells that a mask opens; the reads stand in a branch.
fn masked() -> Stencil<2, 2> {
    stencil("masked", |k, [u, open]| {
        let [sum] = k.repeat_while(
            1,
            [u.at([0, 0]).zero()],
            |_| open.at([0, 0]),
            |_| [u.at([-1, 0]) + u.at([1, 0]) + u.at([0, -2]) + u.at([0, 1])],
        );
        [sum, u.at([0, 0]) * 2]
    })
    .boundary(Boundary::Error)
}

#[test]
fn reads_beyond_the_edges_are_errors_where_an_element_comes_to_them() {
    let _guard = reference();
    for (m, n) in [(3, 4), (5, 6), (9, 64), (64, 9), (1, 5), (2, 2)] {
        let u = (arange(m * n) * 37 % 101).reshape((m, n));
        let (rows, columns) = (arange(m).reshape((m, 1)), arange(n));
        let open = rows.greater(0) & rows.less(m - 1) & columns.greater(1) & columns.less(n - 1);
        for (u, open) in [(u.clone(), open.clone()), (u.i(s![..;-1, ..]), open.clone())] {
            let [sum, twice] = masked().call([&u, &open]);
            let zeros = masked().boundary(Boundary::default());
            let [expected, _] = zeros.call([&u, &open]);
            assert_eq!(values::<i64>(&sum), values::<i64>(&expected), "{m} {n}");
            assert_eq!(values::<i64>(&twice), values::<i64>(&(u * 2)));
        }
        // One more cell, at an edge. Of its reads the first axis counts, and positions after the end before those in front.
        for (i, j) in [(0, n / 2), (m - 1, 0), (m / 2, 1), (m / 2, n - 1), (m - 1, n - 1)] {
            let beyond =
                [(0, m, i + 1 >= m), (0, -1, i == 0), (1, n, j + 1 >= n), (1, j - 2, j < 2)];
            let Some((axis, position, _)) = beyond.into_iter().find(|(_, _, is)| *is) else {
                continue;
            };
            let mut open = zeros((m, n), DType::Bool);
            open.set(s![i, j], true);
            for result in &masked().call([&u, &open]) {
                let error = result.to_vec::<i64>().expect_err("a read beyond an edge");
                let size = [m, n][axis];
                let told = format!(
                    "position {position} is out of bounds for axis {axis} of operand 0 with size {size}"
                );
                let text = error.to_string();
                assert!(text.contains(&told) && text.contains("in masked of shape"), "{text}");
                assert_eq!(error.class(), "IndexError");
            }
        }
    }
    // Without a branch every element at an edge reads beyond it; of no elements none does.
    let next = stencil("next", |_, [x]| [x.at([1])]).boundary(Boundary::Error);
    let text = next.call([&arange(5)])[0].to_vec::<i64>().expect_err("the last one").to_string();
    assert!(
        text.contains("position 5 is out of bounds for axis 0 of operand 0 with size 5"),
        "{text}"
    );
    assert_eq!(next.call([&zeros(0, I64)])[0].shape(), [0]);
    let own = stencil("own", |_, [x]| [x.at([0]) + 1]).boundary(Boundary::Error);
    assert_eq!(own.call([&arange(3)])[0].to_string(), "[1 2 3]");
}

#[test]
fn what_a_stencil_refuses_names_it() {
    let _guard = reference();
    let x = array([[1.0, 2.0]]);
    let text = |kernel: &Stencil<1, 1>, x: &Array| match kernel.try_call([x]) {
        Ok(_) => "no error".to_string(),
        Err(error) => error.to_string(),
    };
    let next = stencil("next", |_, [x]| [x.at([1])]);
    assert!(
        text(&next, &x).contains("[next]") && text(&next, &x).contains("1 offsets: expected 2")
    );
    let number = next.try_call([1.0]).map(drop).expect_err("a number").to_string();
    assert!(number.contains("operand 0: expected an array"), "{number}");
    let computed = stencil("computed", |k, [x]| [x.at([k.size(), k.size()])]);
    assert!(text(&computed, &x).contains("constant integers"));
    let index = stencil("index", |k, [x]| [x.at([0, 0]) + k.index()]);
    assert!(text(&index, &x).contains("a stencil has no index"));
    let bare = stencil("bare", |_, [x]| [x]);
    assert!(text(&bare, &x).contains("operand 0 is whole"));
    let wide = stencil("wide", |_, [x]| [x.window([30, 30])[0]]);
    assert!(text(&wide, &x).contains("900 elements: expected 512 at most"));
    // A failure of an operand stays with the results.
    let bad = crate::kernel::elementwise("bad", |_, [n]| [(n.zero() + 2).pow(n)]);
    let [pending] = bad.call([&array([-1])]);
    assert!(next.call([&pending])[0].to_vec::<i64>().is_err());
}
