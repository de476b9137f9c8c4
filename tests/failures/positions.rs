//! Elements moved by data: the same on every device and for any number of threads, in memory and in error.

use ndany::{Array, DType, arange, attempt, checked, s, ufunc};

use crate::{canonical, devices};

/// Whole numbers that look random, below `bound`.
fn scrambled(size: usize, bound: i64, seed: i64) -> Array {
    let mixed = (arange(size as i64) + seed) * 0x9E37_79B9_7F4A_7C15_u64 as i64;
    (mixed.bitwise_right_shift(20)).remainder(bound)
}

/// What every device makes of it is what the first one makes of it.
fn same_everywhere(what: &str, make: impl Fn() -> Array) {
    let mut first: Option<Vec<u8>> = None;
    for device in devices() {
        let _guard = device.enter();
        let bytes = canonical(&make());
        match &first {
            None => first = Some(bytes),
            Some(first) => assert!(*first == bytes, "{what} on {device}"),
        }
    }
}

const DTYPES: [DType; 5] = [DType::U8, DType::F16, DType::F32, DType::F64, DType::C128];

#[test]
fn row_6_large_takes_are_alike() {
    for dtype in DTYPES {
        same_everywhere("take", || {
            arange(5000).astype(dtype).take(&(scrambled(100_000, 10_000, 1) - 5000), 0)
        });
        same_everywhere("take of rows", || {
            let a = arange(3000).astype(dtype).reshape([100, 30]);
            a.i(s![..;-1, ..;3]).take(scrambled(9000, 100, 2), 0)
        });
        same_everywhere("take of columns", || {
            let a = arange(60_000).astype(dtype).reshape([200, 300]);
            a.transpose(..).take(scrambled(500, 200, 3), 1)
        });
        same_everywhere("take_along_axis", || {
            let a = arange(60_000).astype(dtype).reshape([200, 300]);
            a.take_along_axis(&scrambled(60_000, 200, 4).reshape([200, 300]), 0)
        });
    }
}

#[test]
fn row_25_the_last_writer_is_the_same_for_any_number_of_threads() {
    for dtype in DTYPES {
        // Few places and many writers.
        for places in [7, 3000] {
            same_everywhere("put", || {
                let mut a = ndany::zeros(places, dtype);
                let values = arange(100_000).astype(dtype);
                a.put(scrambled(100_000, places as i64, 5), &values, ..);
                a
            });
        }
        same_everywhere("put_along_axis, a long axis beside", || {
            let mut a = ndany::zeros((60, 700), dtype);
            let values = arange(70_000).astype(dtype).reshape([100, 700]);
            checked::put_along_axis(
                &mut a,
                &scrambled(70_000, 60, 6).reshape([100, 700]),
                &values,
                0,
            )
            .expect("in range");
            a
        });
    }
}

#[test]
fn large_masks_pick_alike() {
    for dtype in DTYPES {
        for kept in [0, 3, 50, 100] {
            same_everywhere("extract", || {
                let a = arange(120_000).astype(dtype).reshape([300, 400]);
                let mask = scrambled(120_000, 100, 7).less(kept).reshape([400, 300]);
                a.i(s![..;-1, ..]).extract(&mask.transpose(..))
            });
        }
    }
    same_everywhere("flatnonzero", || scrambled(150_000, 3, 8).flatnonzero());
}

#[test]
fn row_15_an_index_out_of_range_names_the_first_one_and_writes_nothing() {
    for device in devices() {
        let _guard = device.enter();
        let mut index = scrambled(100_000, 50, 9).to_vec::<i64>().expect("numbers");
        (index[41_234], index[77_777]) = (-51, 50);
        let index = Array::from(index);
        let mut a = arange(50);
        let error = a.take(&index, 0).to_vec::<i64>().expect_err("out of range");
        assert_eq!(error.class(), "IndexError");
        assert!(error.to_string().contains("index -51 is out of bounds"), "{error} on {device}");
        let error = checked::put(&mut a, &index, 7, ..).expect_err("out of range");
        assert!(error.to_string().contains("index -51 is out of bounds"), "{error} on {device}");
        assert_eq!(a.to_vec::<i64>().expect("as before"), (0..50).collect::<Vec<_>>());
    }
}

#[test]
fn many_integers_add_up_at_few_places() {
    for dtype in [DType::I8, DType::U16, DType::I32, DType::U64] {
        for places in [3, 4000] {
            same_everywhere("add.at", || {
                let mut a = arange(places).astype(dtype);
                let values = arange(100_000).astype(dtype);
                let positions = scrambled(100_000, 2 * places, 6) - places;
                ufunc::add.at(&mut a, &positions, &values);
                a
            });
        }
    }
    same_everywhere("bincount", || scrambled(100_000, 1000, 7).bincount(1200));
    for device in devices() {
        let _guard = device.enter();
        let mut a = arange(10);
        let mut positions = scrambled(100_000, 10, 8);
        positions.set(77_777, 10);
        let error = attempt(|| ufunc::add.at(&mut a, &positions, 1)).expect_err("out of range");
        assert_eq!(error.class(), "IndexError");
        assert_eq!(a.to_vec::<i64>().expect("a value"), (0..10).collect::<Vec<_>>(), "{device}");
    }
}
