//! Writes and additions at positions that repeat: the same bits with any number of threads as on the reference, in every way in
//! which the CPU's threads share them.

use ndany::{Array, Counts, DType, Device, Generator, Shape, ufunc};

/// Devices whose threads partition values from four on; many threads have fewer slices than threads.
fn devices() -> Vec<Device> {
    let asked = std::env::var("NDANY_PROPERTY_DEVICES").ok();
    let cpu = "cpu cpu:threads=1 cpu:threads=3 cpu:threads=4 cpu:threads=6 cpu:threads=16";
    let names = asked.as_deref().unwrap_or(cpu).split_whitespace();
    names.map(|name| Device::open(name).expect("a device")).collect()
}

/// Evaluates on each device what `make` returns there, and compares it with the reference's bytes.
#[track_caller]
fn same(what: &str, make: impl Fn(&mut Generator) -> Array) {
    let on = |device: &Device| {
        let _guard = device.enter();
        make(&mut Generator::new(7)).to_bytes().expect("computed")
    };
    let expected = on(&Device::open("reference").expect("always there"));
    for device in devices() {
        assert!(on(&device) == expected, "{what} on {}", device.name());
    }
}

/// `count` positions below `extent`, a third of them counted from the end, many of them in a few places if `crowded`.
fn positions(rng: &mut Generator, count: usize, extent: usize, crowded: bool) -> Array {
    let at = rng.integers(0..extent as i64, count);
    let at =
        if crowded { ndany::where_(at.remainder(3).equal(0), at.remainder(5), &at) } else { at };
    ndany::where_(at.remainder(7).less(2), &at - extent as i64, &at)
}

fn values(rng: &mut Generator, shape: &[usize], dtype: DType) -> Array {
    rng.integers(0..1 << 20, Shape::new(shape).dtype(DType::I64)).astype(dtype)
}

/// Values, around the number from which threads share them (2^15) and the size of a batch of four threads (2^18).
const COUNTS: [usize; 6] = [(1 << 15) - 1, 1 << 15, 100_003, (1 << 18) - 1, 1 << 18, (1 << 18) + 1];

#[test]
fn the_last_write_wins() {
    for dtype in [DType::U8, DType::I16, DType::F32, DType::F64, DType::C128] {
        let counts = if dtype == DType::F64 { &COUNTS[..] } else { &COUNTS[1..3] };
        for (number, &count) in counts.iter().enumerate() {
            for extent in [5, 1000, 200_000] {
                same(&format!("{count} of {dtype} at {extent}"), |rng| {
                    let mut a = values(rng, &[extent], dtype);
                    let at = positions(rng, count, extent, number % 2 == 0);
                    a.set(&at, values(rng, &[count], dtype));
                    a
                });
            }
        }
    }
}

#[test]
fn every_layout_is_written() {
    for (rows, width) in [(40_000, 1), (20_000, 7), (9000, 31), (9000, 32), (300, 500)] {
        same(&format!("{rows} rows of {width}"), |rng| {
            let mut a = values(rng, &[777, width], DType::F64);
            let at = positions(rng, rows, 777, true);
            a.set(&at, values(rng, &[rows, width], DType::F64));
            a
        });
        same(&format!("{rows} columns of {width}"), |rng| {
            let mut a = values(rng, &[width, 777], DType::I32);
            let at = positions(rng, rows, 777, true);
            a.set((.., &at), values(rng, &[width, rows], DType::I32));
            a
        });
    }
    // An index of its own for each row, or each column, which repeats elements in it.
    for (axis, shape) in [(1, [70, 600]), (0, [600, 70]), (1, [3, 20_000]), (0, [20_000, 3])] {
        same(&format!("along axis {axis} of {shape:?}"), |rng| {
            let mut a = values(rng, &shape, DType::F64);
            let at = positions(rng, shape[0] * shape[1], shape[axis], true).reshape(shape);
            a.put_along_axis(&at, values(rng, &shape, DType::F64), axis as isize);
            a
        });
    }
    same("two indices", |rng| {
        let mut a = values(rng, &[90, 70], DType::F32);
        let [x, y] = [90, 70].map(|extent| positions(rng, 50_000, extent, true));
        a.set((&x, &y), values(rng, &[50_000], DType::F32));
        a
    });
    same("one value", |rng| {
        let mut a = values(rng, &[5000], DType::F32);
        a.set(positions(rng, 100_000, 4000, false), 7.5);
        a
    });
    same("turned axes", |rng| {
        let a = values(rng, &[90, 1000], DType::F64);
        let mut a = a.transpose(..);
        let at = positions(rng, 600, 1000, true);
        a.set(&at, values(rng, &[600, 90], DType::F64));
        a
    });
}

#[test]
fn every_combination_counts_each_value() {
    for count in COUNTS {
        for extent in [3, 1000, 30_000] {
            let what = |op: &str| format!("{op} of {count} at {extent}");
            same(&what("add.at"), |rng| {
                let mut a = rng.standard_normal(extent);
                let at = positions(rng, count, extent, true);
                ufunc::add.at(&mut a, &at, rng.standard_normal(count));
                a
            });
            if extent == 1000 {
                same(&what("add.at of f32"), |rng| {
                    let mut a = rng.standard_normal(extent).astype(DType::F32);
                    let at = positions(rng, count, extent, false);
                    ufunc::add.at(&mut a, &at, rng.standard_normal(count).astype(DType::F32));
                    a
                });
                same(&what("maximum.at"), |rng| {
                    let mut a = values(rng, &[extent], DType::I16);
                    let at = positions(rng, count, extent, false);
                    ufunc::maximum.at(&mut a, &at, values(rng, &[count], DType::I16));
                    a
                });
            }
            same(&what("bincount"), |rng| {
                let at = rng.integers(0..extent as i64, count);
                at.bincount(Counts::new().weights(rng.standard_normal(count)))
            });
        }
    }
}

#[test]
fn an_index_out_of_range_writes_nothing() {
    for device in devices() {
        let _guard = device.enter();
        let mut rng = Generator::new(3);
        let mut at = positions(&mut rng, 100_000, 5000, true);
        at.set(99_999, 5000);
        let mut a = ndany::zeros(5000, DType::F64);
        let error = ndany::checked::set(&mut a, &at, 1.0).expect_err("5000 is out of range");
        assert_eq!(error.class(), "IndexError", "{error}");
        assert!(!a.any(..).item::<bool>().expect("computed"), "on {}", device.name());
    }
}
