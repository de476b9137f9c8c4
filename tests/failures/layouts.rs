//! Every operation over every layout: a view must give what a packed copy of it gives.

use ndany::call::{Value, call};
use ndany::{Array, DType, arange, s};
use ndany_core::ops::UfuncDef;

use crate::canonical;

/// Elements of a dtype that are neither trivial nor all alike; ten of them, with edges.
pub fn sample(dtype: DType) -> Array {
    let base = Array::from([0.0f64, 1.0, 2.5, -3.0, 7.0, -0.5, 100.0, 3.0, 0.25, 5.0]);
    match dtype {
        DType::C64 | DType::C128 => {
            let imaginary = Array::scalar(ndany::Scalar::weak_complex(0.0, 1.0));
            (&base + base.flip(..) * imaginary).astype(dtype)
        }
        _ if dtype.is_unsigned() => base.abs().astype(dtype),
        _ => base.astype(dtype),
    }
}

/// Each row, reduction and scan on each dtype that takes it, by name.
pub fn every_operation() -> Vec<(String, Array)> {
    let mut results = Vec::new();
    for dtype in DType::ALL {
        let x = sample(dtype).reshape([2, 5]);
        // Small and not negative, so that powers and shifts have answers.
        let y = Array::from([1u8, 2, 0, 3, 2]).astype(dtype);
        for (name, args) in operations(&x, &y) {
            if let Ok(result) = call(name, &args, &[]) {
                let array = result.into_array().expect("an array");
                results.push((format!("{name} of {dtype}"), array));
            }
        }
    }
    results
}

/// Calls of every row, reduction and scan on `x`, with `y` as the second operand.
fn operations(x: &Array, y: &Array) -> Vec<(&'static str, Vec<Value>)> {
    let (x, y) = (Value::from(x), Value::from(y));
    let rows = UfuncDef::all().map(|row| {
        let operands = match row.arity {
            1 => vec![x.clone()],
            2 => vec![x.clone(), y.clone()],
            _ => vec![y.clone(), x.clone(), y.clone()],
        };
        (row.numpy, operands)
    });
    let reductions = ndany_core::ops::REDUCTIONS.iter().flat_map(|row| {
        let numpy = row.facts().numpy;
        let along = |axis: i64| (numpy, vec![x.clone(), Value::from(axis)]);
        [(numpy, vec![x.clone()]), along(0), along(-1)]
    });
    let rest = [("np.cumsum", vec![x.clone(), Value::from(1)]), ("np.copy", vec![x.clone()])];
    rows.chain(reductions).chain(rest).collect()
}

/// Views of one shape (2, 5) that lie in memory in every way.
fn views(dtype: DType) -> Vec<(&'static str, Array)> {
    let wide = |extent: usize| {
        let picks = (arange(extent) % 10).astype(DType::I64);
        // Gathers do not exist yet: pick elements by comparing positions.
        let mut values = ndany::zeros(extent, dtype);
        for position in 0..10usize {
            let here = picks.equal(position as i64);
            values = sample(dtype).i(position).where_(&here, &values);
        }
        values.eval().expect("memory enough");
        values
    };
    vec![
        ("packed", wide(10).reshape([2, 5])),
        ("negative steps", wide(10).reshape([2, 5]).i(s![..;-1, ..;-1])),
        ("every third", wide(36).reshape([2, 18]).i(s![.., 2..17;3])),
        ("offset", wide(31).i(7..17).reshape([2, 5])),
        ("transposed", wide(10).reshape([5, 2]).transpose(..)),
        ("inner transposed", wide(60).reshape([5, 6, 2]).transpose([2, 1, 0]).i(s![.., 3, ..])),
        ("repeated rows", wide(5).broadcast_to((2, 5))),
        ("repeated columns", wide(2).reshape([2, 1]).broadcast_to((2, 5))),
        ("one element", wide(1).broadcast_to((2, 5))),
        ("rows backwards", wide(20).reshape([2, 10]).i(s![..;-1, ..;2])),
    ]
}

#[test]
fn row_20_a_strided_view_gives_what_its_packed_copy_gives() {
    let mut compared = 0;
    for device in crate::devices() {
        let _guard = device.enter();
        for dtype in DType::ALL {
            for (layout, view) in views(dtype) {
                let packed = view.copy();
                packed.eval().expect("memory enough");
                assert_eq!(packed.shape(), [2, 5], "{layout}");
                // Not negative and small, and as strided as the other operand.
                let other = Array::from([[1u8, 9, 2], [0, 9, 9], [3, 9, 1], [2, 9, 1], [1, 9, 2]]);
                let other = other.astype(dtype).transpose(..).i(s![..;2, ..]);
                for ((name, strided), (_, plain)) in
                    operations(&view, &other).into_iter().zip(operations(&packed, &other.copy()))
                {
                    let results = (call(name, &strided, &[]), call(name, &plain, &[]));
                    match results {
                        (Ok(strided), Ok(plain)) => {
                            let array = |value: Value| value.into_array().expect("an array");
                            let (strided, plain) = (array(strided), array(plain));
                            assert_eq!(
                                canonical(&strided),
                                canonical(&plain),
                                "{name} of {dtype}, {layout}, on {device}"
                            );
                            compared += 1;
                        }
                        (Err(_), Err(_)) => {}
                        _ => panic!("{name} of {dtype}, {layout}: only one of both is an error"),
                    }
                }
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn row_20_writing_through_a_window_leaves_its_neighbours_alone() {
    for device in crate::devices() {
        let _guard = device.enter();
        for dtype in DType::ALL {
            let index = s![1..5;2, ..;-2];
            let mut a = (arange(42) % 10).astype(dtype).reshape([6, 7]);
            let before = a.copy();
            a.set(&index, sample(dtype).i(0..4));
            let window = a.i(&index);
            assert_eq!(canonical(&window.i(0)), canonical(&sample(dtype).i(0..4)));
            let mut mask = ndany::zeros((6, 7), DType::Bool);
            mask.set(&index, true);
            let restored = before.where_(&mask, &a);
            assert_eq!(canonical(&restored), canonical(&before), "{dtype} on {device}");
        }
    }
}

#[test]
fn operands_that_lie_across_each_other_in_tiles_and_edges() {
    // Neither extent is a multiple of a tile's, and there is an axis besides.
    let compute = |dtype: DType| -> Vec<Array> {
        let a = (arange(3 * 193 * 131) % 251).astype(dtype).reshape([3, 193, 131]);
        let swapped = a.transpose([0, 2, 1]);
        let turned = a.transpose([2, 0, 1]);
        let mut written = ndany::zeros((3, 193, 131), dtype);
        written.set(s![..;-1, .., ..], swapped.copy().transpose([0, 2, 1]));
        vec![
            swapped.copy(),
            turned.copy(),
            &swapped + &turned.transpose([1, 0, 2]).copy(),
            swapped.i(s![.., 1.., ..;-2]).multiply(3),
            written,
        ]
    };
    for dtype in
        [DType::Bool, DType::I16, DType::F16, DType::F32, DType::F64, DType::C64, DType::C128]
    {
        let expected: Vec<Vec<u8>> = {
            let _guard = ndany::Device::open("reference").expect("always there").enter();
            compute(dtype).iter().map(canonical).collect()
        };
        for device in crate::devices() {
            let _guard = device.enter();
            for (number, array) in compute(dtype).iter().enumerate() {
                assert!(canonical(array) == expected[number], "{number} of {dtype} on {device:?}");
            }
        }
    }
}
