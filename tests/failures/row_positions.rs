//! Positions in rows: where the best of a row is, and numbers counted along rows that are none.

use ndany::{Array, DType, Generator, Result, Shape, arange, s};

use crate::{canonical, devices};

/// Rows of every length around what is compared, folded and chunked at a time.
const ROWS: [usize; 14] = [1, 2, 63, 64, 65, 127, 128, 129, 1000, 1025, 4095, 4096, 4097, 9000];

/// Few different values, so that most are met again; with NaNs, zeros of both signs or ends of the dtype.
fn rows(dtype: DType, length: usize, kind: usize) -> Array {
    let draws = Generator::new(7).integers(-3..4, Shape::new([5, length]).dtype(DType::I64));
    match kind {
        0 => draws.astype(dtype),
        // One NaN in a few rows.
        1 => ndany::where_(draws.cumsum(1).equal(5), f64::NAN, &draws).astype(dtype),
        2 => (draws.remainder(2).astype(DType::F64) * -0.0).astype(dtype),
        3 => arange(5 * length as i64).reshape([5, length]).astype(dtype),
        _ => (-arange(5 * length as i64)).reshape([5, length]).astype(dtype),
    }
}

#[test]
fn the_first_of_the_best_is_the_same_everywhere() -> Result<()> {
    for dtype in DType::ALL {
        let kinds = if dtype.is_float() || dtype.is_complex() { 0..5 } else { 0..1 };
        for kind in kinds {
            for length in
                ROWS.into_iter().filter(|length| kind == 0 || [65, 1025, 4097].contains(length))
            {
                let mut first: Option<[Vec<u8>; 4]> = None;
                for device in devices() {
                    let _guard = device.enter();
                    let values = rows(dtype, length, kind);
                    values.eval()?;
                    let found = [
                        canonical(&values.argmax(1)),
                        canonical(&values.argmin(1)),
                        canonical(&values.argmax(..)),
                        // Behind an operation, and where rows lie apart.
                        canonical(&(values.i(s![..;2]) + values.i(s![..;2])).argmin(1)),
                    ];
                    match &first {
                        None => first = Some(found),
                        Some(first) => {
                            assert!(*first == found, "{dtype} {length} {kind} on {device}")
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// A reduction over no axes has rows of one element, and a range counts over all of them.
#[test]
fn ranges_count_on_where_no_axis_is_reduced() -> Result<()> {
    for device in devices() {
        let _guard = device.enter();
        let range = || arange((3, 3 + 2 * 700, 2));
        let expected: Vec<i64> = (0..700).map(|k| 3 + 2 * k).collect();
        let none: [isize; 0] = [];
        // With and without something between.
        assert_eq!(range().sum(none).to_vec::<i64>()?, expected, "{device}");
        assert_eq!((range() + 0).max(none).to_vec::<i64>()?, expected, "{device}");
        let grid = range().reshape([7, 100]);
        assert_eq!(grid.sum(none).to_vec::<i64>()?, expected, "{device}");
        assert_eq!((range().reshape([700, 1]) * 1).sum(1).to_vec::<i64>()?, expected, "{device}");
        assert_eq!(range().reshape([700, 1]).sum(1).to_vec::<i64>()?, expected, "{device}");
        assert_eq!(range().reshape([1, 700]).sum(0).to_vec::<i64>()?, expected, "{device}");
        // A range that lies across the rows.
        let doubled: Vec<i64> = expected.iter().map(|value| 2 * value).collect();
        let across = range().reshape([700, 1]) + ndany::zeros([700, 2], DType::I64);
        assert_eq!(across.sum(1).to_vec::<i64>()?, doubled, "{device}");
    }
    Ok(())
}
