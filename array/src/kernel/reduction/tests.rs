//! Reductions made of closures on the reference device: their order, their results, how they fuse, what they refuse.

use ndany_core::plan;

use crate::kernel::tests::{reference, values};
use crate::kernel::{Reduction, elementwise, reduction};
use crate::prelude::*;
use crate::{Statistics, bf16};

fn ready(array: Array) -> Array {
    match array.eval() {
        Ok(()) => array,
        Err(error) => panic!("{error}"),
    }
}

/// The largest element, and the first position where it is.
fn first_max() -> Reduction<1, 2> {
    reduction(
        "first_max",
        |k, [x]| [x, k.index()],
        |_, [v, i], [w, j]| {
            let left = v.greater(w) | (v.equal(w) & i.less(j));
            [left.select(v, w), left.select(i, j)]
        },
        |_, state| state,
    )
}

#[test]
fn states_combine_by_the_canonical_plan() {
    let _guard = reference();
    // Neither commutative nor associative: only this order gives these bits.
    let odd = reduction("odd", |_, [x]| [x], |_, [a], [b]| [a * 0.75 - b], |_, state| state);
    for count in [1, 2, 127, 128, 129, 1000, 4096, 4097, 9001] {
        let elements: Vec<f64> = (0..count).map(|k| f64::from(k * 37 % 101) / 7.0 - 6.0).collect();
        let expected = plan::reduce(&elements, |a, b| a * 0.75 - b);
        let [found] = odd.call([&Array::from(elements)], 0);
        assert_eq!(values::<f64>(&found), [expected], "{count} elements");
    }
}

#[test]
fn several_results_of_several_dtypes_over_each_set_of_axes() {
    let _guard = reference();
    let x = ready((arange(24) * 7 % 24).reshape((2, 3, 4)));
    for axes in [vec![0], vec![1], vec![2], vec![0, 2], vec![-1, 1], vec![0, 1, 2]] {
        let [largest, place] = first_max().call([&x], axes.clone());
        assert_eq!(values::<i64>(&largest), values::<i64>(&x.max(axes.clone())), "{axes:?}");
        assert_eq!(values::<i64>(&place), values::<i64>(&x.argmax(axes.clone())), "{axes:?}");
        // Views are walked as they lie; positions count along their own axes.
        let [_, place] = first_max().call([&x.t()], axes.clone());
        assert_eq!(values::<i64>(&place), values::<i64>(&x.t().argmax(axes.clone())), "{axes:?}");
        let [largest, _] = first_max().call([&x], over(axes.clone()).keepdims());
        assert_eq!(largest.shape(), x.max(over(axes).keepdims()).shape());
    }
    // Over no axes each element is a row.
    let [same, place] = first_max().call([&x], [0isize; 0]);
    assert_eq!(values::<i64>(&same), values::<i64>(&x));
    assert_eq!(values::<i64>(&place), [0; 24]);
    // Rows of one element, and a number.
    let [same, place] = first_max().call([&x.reshape((24, 1))], 1);
    assert_eq!((values::<i64>(&same), values::<i64>(&place)), (values(&x.ravel()), vec![0; 24]));
    let [same, place] = first_max().call([&array(2.5)], ..);
    assert_eq!((values::<f64>(&same), values::<i64>(&place)), (vec![2.5], vec![0]));
}

#[test]
fn all_results_are_one_launch_and_fuse_with_what_is_in_front() {
    let _guard = reference();
    let x = ready((arange(12) * 5 % 12).reshape((3, 4)).astype(F64));
    let before = Statistics::now();
    let [largest, place] = first_max().call([&(&x * 2 - 1)], 1);
    assert_eq!(values::<f64>(&largest), [19.0, 21.0, 17.0]);
    assert_eq!(values::<i64>(&place), [2, 3, 1]);
    assert_eq!(Statistics::now().since(&before).launches(), 1);
}

#[test]
fn what_is_made_of_a_result_along_its_row_is_the_same_pass() {
    let _guard = reference();
    let x = ready((arange(12) * 5 % 12).reshape((3, 4)).astype(F64));
    let shares = reduction(
        "shares",
        |_, [x]| [x.exp(), x],
        |_, [a, m], [b, n]| [a + b, m.maximum(n)],
        |_, s| s,
    );
    let before = Statistics::now();
    let [total, largest] = shares.call([&x], over(1).keepdims());
    let share = x.exp() / &total - (&x - &largest);
    let found = values::<f64>(&share);
    assert_eq!(Statistics::now().since(&before).launches(), 1);
    let total = x.exp().sum(over(1).keepdims());
    let expected = x.exp() / total - (&x - x.max(over(1).keepdims()));
    assert_eq!(found, values::<f64>(&expected));
}

#[test]
fn operands_broadcast_and_numbers_follow() {
    let _guard = reference();
    let dot = reduction("dot", |_, [x, y, z]| [x * y + z], |_, [a], [b]| [a + b], |_, state| state);
    let x = arange(6).reshape((2, 3)).astype(F32);
    let [found] = dot.call((&x, &array([1.0f32, 10.0, 100.0]), 1), 1);
    assert_eq!(found.dtype(), F32);
    assert_eq!(values::<f32>(&found), [213.0, 546.0]);
    let [found] = dot.call((&x.t(), &array([[1.0f32, 2.0]]), 0), 0);
    assert_eq!(values::<f32>(&found), [3.0, 24.0]);
}

#[test]
fn sizes_parameters_and_dtypes_of_results() {
    let _guard = reference();
    let mean = reduction(
        "mean",
        |k, [x]| [(x - k.param("about")) / k.size()],
        |_, [a], [b]| [a + b],
        |k, [a]| [a + k.param("about"), k.size()],
    )
    .param("about", F64, 0)
    .outputs([F64, I32]);
    let x = array([[1.0f32, 2.0], [3.0, 6.0]]);
    for about in [0, 10] {
        let [found, size] = mean.with("about", about).call([&x], ..);
        assert_eq!((values::<f64>(&found), values::<i32>(&size)), (vec![3.0], vec![4]));
    }
    // Positions and sizes within loops.
    let gaps = elementwise("gaps", |k, [x]| {
        let [sum, _] = k.repeat_while(
            20,
            [x.zero(), x.zero()],
            |[_, n]| n.less(k.index()),
            |[sum, n]| [sum + k.size() + k.coordinate(-1) * k.extent(0), n + 1],
        );
        [sum]
    });
    let [found] = gaps.call([&zeros((2, 3), I64)]);
    // index · (6 + 2 · column)
    assert_eq!(values::<i64>(&found), [0, 8, 20, 18, 32, 50]);
}

#[test]
fn complex_and_narrow_states() {
    let _guard = reference();
    let products = reduction(
        "products",
        |_, [z]| [z, z.zero() + 1],
        |_, [a, m], [b, n]| [a * b, m + n],
        |_, s| s,
    );
    let z = Complex64::new(0.5, -1.0);
    let [product, count] = products.call([&array([z, z, z])], 0);
    assert!((values::<Complex64>(&product)[0] - z * z * z).norm_sqr() < 1e-30);
    assert_eq!(values::<Complex64>(&count), [Complex64::new(3.0, 0.0)]);
    // 16-bit floats round after each operation; an accumulator in float32 is asked for.
    let (x, terms) = (bf16::from_f32(0.3), 10);
    let narrow = reduction("narrow", |_, [x]| [x], |_, [a], [b]| [a + b], |_, state| state);
    let wide = reduction("wide", |_, [x]| [x.astype(F32)], |_, [a], [b]| [a + b], |_, s| s)
        .outputs([BF16]);
    let x = Array::from(vec![x; terms]);
    let expected =
        plan::reduce(&values::<bf16>(&x), |a, b| bf16::from_f32(a.to_f32() + b.to_f32()));
    assert_eq!(values::<bf16>(&narrow.call([&x], 0)[0]), [expected]);
    assert_eq!(values::<bf16>(&wide.call([&x], 0)[0]), values::<bf16>(&x.sum(0)));
}

#[test]
fn ordered_states_combine_from_the_first_element_to_the_last() {
    let _guard = reference();
    let odd = reduction(
        "odd",
        |k, [x, w]| [x, w * k.index()],
        |_, [a, m], [b, n]| [a * 0.75 - b, m * 0.5 + n],
        |k, [a, m]| [m, a.less(k.size())],
    )
    .ordered();
    let x = ready(arange(24).reshape((2, 3, 4)).astype(F64) - 7);
    let element = |k: usize| k as f64 - 7.0;
    let of = |places: Vec<usize>| {
        let states = places.iter().enumerate().map(|(index, &k)| (element(k), 2.0 * index as f64));
        let last = states.reduce(|(a, m), (b, n)| (a * 0.75 - b, m * 0.5 + n));
        last.map(|(a, m)| (m, a < places.len() as f64))
    };
    let rows: [(Vec<isize>, Vec<Vec<usize>>); 4] = [
        (vec![2], (0..6).map(|r| (4 * r..4 * r + 4).collect()).collect()),
        (vec![0], (0..12).map(|r| vec![r, r + 12]).collect()),
        (
            vec![2, 0],
            (0..3).map(|r| (0..8).map(|k| k / 4 * 12 + r * 4 + k % 4).collect()).collect(),
        ),
        (vec![0, 1, 2], vec![(0..24).collect()]),
    ];
    for (axes, places) in rows {
        let [m, less] = odd.call((&(&x + 0), 2), axes);
        let expected: Vec<_> = places.into_iter().filter_map(of).collect();
        let found: Vec<_> = values::<f64>(&m).into_iter().zip(values::<bool>(&less)).collect();
        assert_eq!(found, expected);
    }
    let [m, _] = odd.call((&x, 2), over(vec![0isize; 0]).keepdims());
    assert_eq!((m.shape(), values::<f64>(&m)), (x.shape(), vec![0.0; 24]));
    let [m, less] = odd.call((&array(2.5), 2), ..);
    assert_eq!((values::<f64>(&m), values::<bool>(&less)), (vec![0.0], vec![false]));
    assert!(odd.try_call((&zeros((3, 0), F64), 2), 1).is_err());
    assert_eq!(odd.call((&zeros((0, 3), F64), 2), 1)[0].shape(), [0]);
}

#[test]
fn rows_without_elements() {
    let _guard = reference();
    let x = zeros((3, 0), F64);
    let error = first_max().try_call([&x], 1).err().map(|error| error.to_string());
    assert!(error.is_some_and(|text| text.contains("first_max") && text.contains("(3, 0)")));
    let [largest, place] = first_max().empty([-1, 7]).call([&x], over(1).keepdims());
    assert_eq!((largest.dtype(), place.dtype(), largest.shape()), (F64, I64, &[3, 1][..]));
    assert_eq!((values::<f64>(&largest), values::<i64>(&place)), (vec![-1.0; 3], vec![7; 3]));
    // No rows are no error.
    let [largest, _] = first_max().call([&x], 0);
    assert_eq!(largest.shape(), [0]);
}

#[test]
fn what_closures_may_not_do_is_an_error_at_the_call() {
    let _guard = reference();
    let x = array([1.0, 2.0]);
    let refused = |result: crate::Result<[Array; 1]>, text: &str| match result {
        Err(error) => assert!(error.to_string().contains(text), "{error}"),
        Ok(_) => panic!("expected: {text}"),
    };
    let dtype = reduction("dtype", |_, [x]| [x], |_, [a], [b]| [a.less(b)], |_, state| state);
    refused(
        dtype.try_call([&x], 0),
        "value 0 of the state is float64, the combination makes it bool",
    );
    let wide = reduction("wide", |_, [x]| [x; 5], |_, a: [_; 5], _| a, |_, [a, ..]| [a]);
    refused(wide.try_call([&x], 0), "a state has 1 to 4 numbers, got 5");
    let none = reduction("none", |_, [_x]| [], |_, a: [_; 0], _| a, |k, []| [k.value(1)]);
    refused(none.try_call([&x], 0), "a state has 1 to 4 numbers, got 0");
    let position = reduction("position", |_, [x]| [x], |k, [a], [b]| [a + b * k.index()], |_, s| s);
    refused(position.try_call([&x], 0), "a combination of two states has no index");
    let place = reduction("place", |_, [x]| [x], |_, [a], [b]| [a + b], |k, [a]| [a * k.index()]);
    refused(place.try_call([&x], 0), "the results of a row has no index");
    let extent = reduction("extent", |k, [x]| [x * k.extent(0)], |_, [a], [b]| [a + b], |_, s| s);
    refused(extent.try_call([&x], 0), "the state of an element has no extents");
    let param = reduction("param", |_, [x]| [x], |k, [a], [_]| [a * k.param("p")], |_, s| s);
    refused(
        param.param("p", F64, 1).try_call([&x], 0),
        "a combination of two states has no parameters",
    );
    let repeated = reduction(
        "repeated",
        |_, [x]| [x],
        |k, [a], [b]| k.repeat_while(3, [a], |[a]| a.less(b), |[a]| [a + 1]),
        |_, s| s,
    );
    refused(repeated.try_call([&x], 0), "a combination of two states has no loops");
    let powers = reduction("powers", |_, [x]| [x], |_, [a], [b]| [a.pow(b)], |_, s| s);
    refused(powers.try_call([&array([1, 2])], 0), "which a combination must have");
    let total = reduction("total", |_, [x]| [x], |_, [a], [b]| [a + b], |_, s| s);
    refused(total.try_call([&x], 1), "[total] axis 1");
    refused(total.try_call([&x], (0, 0)), "[total]");
    let axis = elementwise("axis", |k, [x]| [x * k.extent(1)]);
    refused(axis.try_call([&x]), "[axis] axis 1");
}

#[test]
fn a_fault_of_an_element_is_the_result_s_own() {
    let _guard = reference();
    let sum = reduction("sum", |_, [n]| [(n.zero() + 2).pow(n)], |_, [a], [b]| [a + b], |_, s| s);
    let n = array([[1i64, 2], [3, -1]]);
    let [powers] = sum.call([&n], 1);
    let others = n.sum(1);
    assert_eq!(values::<i64>(&others), [3, 2]);
    assert!(powers.to_vec::<i64>().is_err());
    assert_eq!(values::<i64>(&sum.call([&n.i(0)], 0)[0]), [6]);
}
