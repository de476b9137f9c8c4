//! Fast paths against the reference, at every level and with several threads: at lengths around vectors, blocks
//! and chunks, with NaN, zeros of both signs and infinities.

use ndany_array::exchange::View;
use ndany_array::{
    Arange, Array, BitOrder, Casting, DType, Device, Generator, Linspace, Shape, Side, checked,
    concatenate,
};
use num_complex::Complex;

ndany_core::providers![super::PROVIDER];

/// Lengths around the widths of vectors, accumulators, blocks and chunks.
const LENGTHS: [usize; 16] =
    [1, 2, 7, 8, 9, 31, 63, 65, 127, 129, 1000, 1024, 1025, 4095, 4097, 9001];

/// Of these lengths and of the flavours of values those that are left under an emulator, which takes a hundred times longer
/// (`NDANY_TEST_EMULATED`): every path is still taken.
const EMULATED: ([usize; 3], [usize; 1]) = ([9, 129, 9001], [1]);

/// Lengths and flavours of values.
fn inputs() -> (&'static [usize], &'static [usize]) {
    match std::env::var_os("NDANY_TEST_EMULATED") {
        Some(_) => (&EMULATED.0, &EMULATED.1),
        None => (&LENGTHS, &[0, 1, 2, 3]),
    }
}

/// Pseudorandom values: numbers only, with some special values, or mostly special values.
fn values(length: usize, flavour: usize) -> Vec<f64> {
    let rare = [f64::NAN, 0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e19, 3e9];
    let mut state = 0x9E37_79B9_7F4A_7C15u64 + length as u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 11
    };
    (0..length)
        .map(|_| {
            let (which, number) = (next() as usize, next() as f64 / 2f64.powi(52) - 1.0);
            match flavour {
                0 => number,
                1 if which.is_multiple_of(20) => rare[which / 20 % rare.len()],
                1 => number * 1000.0,
                2 => rare[which % 3],
                _ => rare[1 + which % 2],
            }
        })
        .collect()
}

/// All elements as bits; all NaNs are the same.
fn bits(array: &Array) -> Vec<u64> {
    let float = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    match array.dtype() {
        DType::C64 | DType::C128 => {
            let numbers = array.astype(DType::C128).to_vec::<Complex<f64>>().expect("numbers");
            numbers.into_iter().flat_map(|z| [float(z.re), float(z.im)]).collect()
        }
        DType::F32 | DType::F64 => {
            let numbers = array.astype(DType::F64).to_vec::<f64>().expect("numbers");
            numbers.into_iter().map(float).collect()
        }
        _ => array.astype(DType::U64).to_vec::<u64>().expect("numbers"),
    }
}

/// Compares the results of `work` for values of each length and flavour.
fn compare(work: impl Fn(&[f64]) -> Vec<Array>) {
    // On other CPUs than x86-64 the first has the loops of the third.
    let first = if cfg!(target_arch = "x86_64") { 0 } else { 2 };
    let devices: Vec<Device> =
        ["cpu:level=v1,threads=1", "cpu:level=v3,threads=1", "cpu:threads=1", "cpu:threads=3"]
            [first..]
            .iter()
            .filter_map(|name| Device::open(name).ok())
            .collect();
    let reference = Device::open("reference").expect("always there");
    let (lengths, flavours) = inputs();
    for &length in lengths {
        for &flavour in flavours {
            let values = values(length, flavour);
            let on = |device: &Device| {
                let _guard = device.enter();
                work(&values).iter().map(bits).collect::<Vec<_>>()
            };
            let expected = on(&reference);
            for device in &devices {
                for (number, (got, wanted)) in on(device).iter().zip(&expected).enumerate() {
                    let at = got.iter().zip(wanted).position(|(x, y)| x != y);
                    let name = device.description();
                    assert_eq!(
                        at, None,
                        "result {number} of {length} (flavour {flavour}) on {name}"
                    );
                    assert_eq!(got.len(), wanted.len(), "result {number} of {length} on {name}");
                }
            }
        }
    }
}

/// A 1-d array whose first element lies `begin` elements into its memory.
fn shifted(values: &[f64], begin: isize) -> Array {
    let zeros = ndany_array::zeros(begin as usize, DType::F64);
    concatenate(&[&zeros, &Array::from(values)], 0).i(begin..)
}

#[test]
fn extremes_along_and_across() {
    compare(|values| {
        let mut results = Vec::new();
        for x in [Array::from(values), shifted(values, 1), Array::from(values).astype(DType::F32)] {
            results.extend([x.max(..), x.min(..), x.nanmax(..), x.nanmin(..)]);
            results.extend([x.argmax(..), x.argmin(..)]);
            let x = x.i(..values.len().min(300) as isize);
            let rows = x.broadcast_to([130, x.size()]).copy();
            results.extend([rows.max(0), rows.nanmin(0), rows.nanmax(1), rows.argmax(1)]);
        }
        results
    });
}

/// Writes into a part of an array where a mask is true.
fn change(array: &mut Array, part: impl FnOnce(&Array) -> Array, new: &Array, mask: &Array) {
    let part = part(array);
    let view = View::of(&part, array).expect("a view");
    drop(part);
    view.change(array, |part| checked::copyto(part, new, Casting::SameKind, Some(mask)))
        .expect("written");
}

#[test]
fn changes_where_a_mask_is_true() {
    compare(|values| {
        let x = Array::from(values);
        let count = values.len() as i64;
        let places = ndany_array::arange(count);
        let mut results = Vec::new();
        // Every element, none, one, two far from each other, and many.
        let masks = [
            places.greater_equal(0),
            places.less(0),
            places.equal(count / 2),
            places.equal(count / 70).logical_or(places.equal(count - 1)),
            places.remainder(3).equal(0),
        ];
        for mask in masks {
            mask.eval().expect("computed");
            for dtype in [DType::F64, DType::F16, DType::I8, DType::Bool, DType::C64] {
                let new = x.flip(0).astype(dtype);
                let mut changed = x.astype(dtype);
                for array in [&new, &changed] {
                    array.eval().expect("computed");
                }
                changed.copyto(&new, Casting::SameKind, Some(&mask));
                // Rows with gaps between them, and every other element.
                let mut rows = x.astype(dtype).broadcast_to([3, x.size()]).copy();
                change(&mut rows, |rows| rows.i(1..), &new, &mask);
                let mut steps = x.astype(dtype).repeat(2, ..);
                change(&mut steps, |steps| steps.i(ndany_array::s![..;2]), &new, &mask);
                results.extend([changed, rows, steps]);
            }
        }
        results
    });
}

#[test]
fn signs_and_values_between_limits() {
    let limits = [
        (-1.0, 1.0),
        (0.0, 0.5),
        (-0.0, 0.25),
        (-0.5, 0.0),
        (-0.5, -0.0),
        (1.0, -1.0),
        (f64::NAN, 1.0),
    ];
    compare(|values| {
        let x = Array::from(values);
        let whole = (&x * 100.0).i(..).nan_to_num(..).clip(-1e4, 1e4).astype(DType::I64);
        let mut results = vec![whole.clip(-3, 50), whole.astype(DType::I8).clip(-3, 5)];
        for x in [shifted(values, 1), x.flip(0), x.i(ndany_array::s![..;2]), x.astype(DType::F32)] {
            results.extend([x.sign(), x.sign() * &x]);
            for (low, high) in limits {
                let inside = x.clip(low, high);
                results.extend([inside.sum(..), inside, x.clip(low, &x), x.maximum(low)]);
            }
        }
        results
    });
}

#[test]
fn sums_of_products_and_of_rows() {
    compare(|values| {
        let (x, y) = (Array::from(values), shifted(values, 3).flip(0).copy());
        let narrow = x.astype(DType::F32);
        let few = y.size().min(140) as isize;
        let rows = &x.i(..values.len().min(1025) as isize).reshape([-1, 1]) * &y.i(..few);
        let rows = rows.copy();
        vec![
            (&x * &y).sum(..),
            (&x * &x).sum(..),
            (&narrow * &narrow).sum(..),
            ((&x - 1.0) * &y).sum(..),
            (&x * 3.0).sum(..),
            rows.sum(0),
            rows.astype(DType::F32).sum(0),
            rows.mean(0),
        ]
    });
}

#[test]
fn complex_numbers() {
    compare(|values| {
        let (re, im) = (Array::from(values), Array::from(values).flip(0));
        let z = (&re + &im * Complex::<f64>::I).copy();
        let w = z.flip(0).copy();
        let mut results = Vec::new();
        for (z, w) in [(z.clone(), w.clone()), (z.astype(DType::C64), w.astype(DType::C64))] {
            let part = z.i(1..);
            results.extend([&z * &w, &z * &z, &z + &w, z.conj() * &w, &part * w.i(1..)]);
            results.extend([&z / &w, &z / &z, &part / w.i(1..), z.conj() / &w, &z / z.i(0)]);
            // Divisions by zeros and infinities, also of these.
            let (zeros, far) = ((&z * 0.0).copy(), (&z * 1e300 * 1e300).copy());
            results.extend([&zeros / &zeros, &z / &zeros, &zeros / &z]);
            results.extend([&far / &far, &z / &far, &far / &z]);
            results.extend([&z * &w * &z, z.flip(0) * &w, &z * z.i(0), z.copy(), z.abs()]);
            results.extend([z.real() * 2.0, z.imag() + 1.0, part.imag() * 2.0]);
            results.extend([z.conj(), part.conj(), z.flip(0).conj()]);
            // Copies of views, small ones and in tiles.
            let many = z.tile(19_500 / values.len() + 1).i(..19_500).reshape([150, 130]);
            results.extend([z.flip(0).copy(), z.i(ndany_array::s![..;3]).copy()]);
            results.extend([many.transpose(..).copy(), many.flip(1).transpose(..).copy()]);
            results.push(many.reshape([30, 65, 10]).swapaxes(0, 1).copy());
            results.extend([z.sum(..), part.sum(..), many.sum(..), many.sum(1), z.flip(0).sum(..)]);
        }
        results
    });
}

#[test]
fn formulas_over_stretches() {
    compare(|values| {
        let mut results = Vec::new();
        for dtype in [DType::F64, DType::F32] {
            let [x, y] = [Array::from(values), shifted(values, 3)].map(|x| x.astype(dtype));
            let (part, other) = (x.i(1..), y.flip(0).i(1..));
            // Operands of formulas are evaluated first, so that they lie in memory.
            results.extend([x.clone(), y.clone()]);
            results.extend([x.exp(), x.sin(), x.tanh(), part.exp(), x.flip(0).cosh()]);
            results.extend([x.hypot(&y), x.pow(&y), part.atan2(&other), x.hypot(y.i(0))]);
        }
        results
    });
}

#[test]
fn masks_and_counts() {
    compare(|values| {
        let x = Array::from(values);
        let mask = x.greater(0.1);
        let numbers = x.astype(DType::I64).remainder(values.len() as i64 + 3);
        let mut results = Vec::from(mask.nonzero());
        results.push(x.i(&mask));
        results.push(shifted(values, 1).i(&mask));
        results.push(x.astype(DType::F32).i(&mask));
        results.push(x.astype(DType::I64).i(&mask));
        results.push(numbers.bincount(..));
        for first in [-3, 0, 2] {
            for dtype in [DType::I64, DType::I8, DType::U8, DType::I32] {
                let row = (ndany_array::arange(values.len().min(40) as i64) + first).astype(dtype);
                let needles = (&numbers - 5).astype(dtype);
                if dtype != DType::U8 || first >= 0 {
                    results.push(row.searchsorted(&needles, Side::Left));
                    results.push(row.searchsorted(&needles, Side::Right));
                }
            }
        }
        results
    });
}

#[test]
fn conversions_and_copies() {
    use DType::{I8, I16, I32, I64, U8, U16, U32, U64};
    compare(|values| {
        let x = Array::from(values);
        let mut results: Vec<Array> = [I8, I16, I32, I64, U8, U16, U32, U64]
            .into_iter()
            .flat_map(|dtype| [x.astype(dtype), x.astype(DType::F32).astype(dtype)])
            .collect();
        let half = x.i(..(values.len() / 2) as isize);
        results.extend([
            concatenate(&[&x, &half, &x], 0),
            x.tile(3),
            &x.tile(3) + 1.0,
            x.astype(DType::F32),
        ]);
        for times in [1, 2, 3, 15, 16, 17] {
            results.push(half.repeat(times, ..));
            results.push(x.flip(0).repeat(times, ..));
        }
        results.push(x.kron(x.i(..values.len().min(5) as isize)));
        results.push(x.roll(3, ..) - &x);
        results
    });
}

#[test]
fn random_words() {
    compare(|values| {
        // A key of two nonzero words.
        let mut rng = Generator::new(0xFEDC_BA98_7654_3210 ^ values.len() as u64);
        let size = values.len();
        let mut results = vec![rng.random(size), rng.standard_normal(size)];
        for dtype in [DType::F32, DType::F16] {
            results.push(rng.random(Shape::new(size).dtype(dtype)).astype(DType::F64));
            results
                .push(rng.standard_exponential(Shape::new(size).dtype(dtype)).astype(DType::F64));
        }
        for dtype in [DType::U8, DType::I16, DType::U32, DType::I64] {
            results.push(rng.integers(0..100i64, Shape::new(size).dtype(dtype)));
            results.push(rng.integers(.., Shape::new(size).dtype(dtype)));
        }
        // Rejected every second time, and drawn in several attempts.
        results.push(rng.integers(0..(1i64 << 62) + 1, size));
        results.extend([rng.gamma(0.5, 2.0, size), rng.poisson(30.0, size)]);
        results.push(rng.choice(size, size, ..));
        results
    });
}

#[test]
fn quotients_of_whole_numbers() {
    let edges = [50, 51, 52, 53, 62, 63].map(|bits| 1i64.wrapping_shl(bits));
    let edges = edges.iter().flat_map(|&x: &i64| {
        let negative = x.wrapping_neg();
        let beside = [x, negative].map(|x| [x, x.wrapping_sub(1), x.wrapping_add(1)]);
        beside.into_iter().flatten().chain([0, 1, -1, 7])
    });
    let edges: Vec<i64> = edges.collect();
    compare(|values| {
        let mut results = Vec::new();
        let x = &Array::from(values) * 1e6;
        for dtype in [DType::I64, DType::U64, DType::I32, DType::U32] {
            let dividend = x.astype(dtype);
            // Divisors of every size, including zeros.
            let few = (x.flip(0) / 1e5).astype(dtype);
            let large = x.flip(0).astype(dtype);
            let wide = Array::from(edges.as_slice()).astype(dtype);
            let pairs = [
                (dividend.clone(), few.clone()),
                (dividend, large),
                (wide.reshape([-1, 1]).copy(), wide.i(..)),
                (wide.reshape([-1, 1]).copy(), few.i(..values.len().min(40) as isize)),
            ];
            for (x, y) in pairs {
                results.extend([x.floor_divide(&y), x.remainder(&y), x.fmod(&y)]);
            }
        }
        results
    });
}

#[test]
fn choices() {
    compare(|values| {
        let (x, y) = (Array::from(values), shifted(values, 1).flip(0).copy());
        let mask = x.less(&y);
        let dtypes = [DType::F64, DType::F32, DType::I16, DType::U8];
        let on = |dtype| ndany_array::where_(&mask, x.astype(dtype), y.astype(dtype));
        dtypes.into_iter().map(on).collect()
    });
}

#[test]
fn running_sums_of_whole_numbers_and_counts() {
    compare(|values| {
        let x = &(&Array::from(values) * 1e3).nan_to_num(..);
        let mut results = Vec::new();
        for dtype in [DType::I8, DType::U16, DType::I32, DType::U64, DType::Bool] {
            let whole = x.astype(dtype);
            let turned = whole.flip(0);
            let columns = whole.i(..values.len() as isize / 3 * 3).reshape([-1, 3]);
            for array in [&whole, &turned] {
                results.push(array.cumsum(0));
                results.push((array * 3).cumsum(0));
            }
            results.extend([columns.cumsum(0), columns.cumsum(1)]);
        }
        let mask = x.greater(0.5);
        let places = mask.i(ndany_array::s![1..;2]);
        results.extend([mask.count_nonzero(..), mask.flip(0).sum(..), places.sum(..)]);
        results.push(mask.i(..values.len() as isize / 3 * 3).reshape([-1, 3]).sum(..));
        results
    });
}

#[test]
fn running_sums_of_several_pieces() {
    let whole: Vec<i64> =
        (0..200_001).map(|at: i64| at.wrapping_mul(0x1E37_79B9_7F4A_7C15)).collect();
    let sums = |whole: &[i64]| {
        let add = |sum: &mut i64, x: &i64| {
            *sum = sum.wrapping_add(*x);
            Some(*sum)
        };
        whole.iter().scan(0, add).collect::<Vec<i64>>()
    };
    for name in ["cpu:level=v1,threads=1", "cpu:threads=1", "cpu:threads=3"] {
        let Ok(device) = Device::open(name) else { continue };
        let _guard = device.enter();
        let found = Array::from(whole.as_slice()).cumsum(0).to_vec::<i64>().expect("computed");
        assert!(found == sums(&whole), "{name}");
        let rows = Array::from(&whole[..200_000]).reshape([2, 100_000]).cumsum(1);
        let found = rows.ravel().to_vec::<i64>().expect("computed");
        let expected: Vec<i64> = whole[..200_000].chunks(100_000).flat_map(sums).collect();
        assert!(found == expected, "rows on {name}");
        let mask = Array::from(whole.as_slice()).less(0);
        let count = whole.iter().filter(|&&x| x < 0).count() as i64;
        assert_eq!(mask.sum(..).item::<i64>().expect("computed"), count, "{name}");
    }
}

#[test]
fn copies_that_lie_across_and_repeat() {
    use ndany_array::s;
    compare(|values| {
        let x = Array::from(values);
        let mut results = Vec::new();
        let dtypes = [DType::U8, DType::I16, DType::F32, DType::F64, DType::C64, DType::C128];
        for dtype in dtypes {
            // Edges of blocks and of bands, in both directions, and several planes.
            for (rows, columns) in [(8, 8), (9, 33), (40, 31), (130, 65)] {
                let size = rows * columns;
                let flat = x.tile(size / values.len() + 1).i(..size as isize).astype(dtype);
                let m = flat.reshape([rows, columns]);
                let cube = flat.reshape([rows * columns / size, rows, columns]);
                results.extend([
                    m.transpose(..).copy(),
                    m.flip(1).transpose(..).copy(),
                    m.rot90(1, [0, 1]).copy(),
                    m.rot90(3, [0, 1]).copy(),
                    m.i(s![1.., ..;2]).transpose(..).copy(),
                    cube.transpose([2, 0, 1]).copy(),
                    cube.transpose([1, 2, 0]).copy(),
                ]);
            }
            let few = x.i(..values.len().min(200) as isize).astype(dtype);
            for times in [2, 4, 5, 8, 9, 16] {
                results.push(few.repeat(times, ..));
                results.push(few.flip(0).repeat(times, ..));
                results.push(few.i(s![1..;2]).repeat(times, ..));
            }
        }
        let cube = x.tile(9000 / values.len() + 1).i(..8568).reshape([12, 42, 17]);
        for axes in [[2, 0, 1], [2, 1, 0], [1, 2, 0], [0, 2, 1]] {
            results.push(cube.transpose(axes).copy());
            results.push(cube.flip(2).transpose(axes).copy());
        }
        let square = x.tile(40_000 / values.len() + 1).i(..40_000).reshape([200, 200]).copy();
        results.push(&square + square.transpose(..));
        results
    });
}

#[test]
fn ranges_and_bits() {
    compare(|values| {
        let size = values.len() as i64;
        let mut results = vec![
            ndany_array::arange(size),
            ndany_array::arange((5, 5 - 3 * size, -3)),
            ndany_array::arange((0.5, 0.5 + size as f64, 1.0)),
            ndany_array::arange(size).equal(size / 2),
            ndany_array::linspace(-1.5, 7.25, values.len()),
            ndany_array::linspace(3.0, 3.0, values.len()),
            ndany_array::linspace(-0.0, -5.0, values.len()),
            ndany_array::linspace(0.0, 5e-324, values.len()),
            ndany_array::linspace(f64::NEG_INFINITY, 1.0, values.len()),
        ];
        for dtype in [DType::F32, DType::F16, DType::I64] {
            results.push(
                checked::arange(Arange::new((0, 3 * size, 3)).dtype(dtype)).expect("a range"),
            );
            for endpoint in [true, false] {
                let spacing =
                    Linspace { endpoint, dtype: Some(dtype), ..Linspace::new(values.len()) };
                let line = checked::linspace(0.1, 9.7, spacing);
                results.push(line.expect("a range"));
            }
        }
        // Bits of constant values.
        let (word, byte) = (ndany_array::full(values.len(), 3, DType::U64), [0, 5, 255]);
        results.push(((word * 5) >> 2).astype(DType::U8));
        for byte in byte {
            let bytes = ndany_array::full(values.len(), byte, DType::U8);
            for order in [BitOrder::Big, BitOrder::Little] {
                results.extend([bytes.unpackbits(0, None, order), bytes.packbits(0, order)]);
            }
        }
        // Another value in the middle, at both ends, nowhere; steps other than 1.
        for step in [1, 2, 0, -1] {
            let range = ndany_array::arange(size);
            let key = &range * step;
            let line = ndany_array::arange((0.25, 0.25 + size as f64, 1.0));
            for place in [0, size / 2, size - 1, size, -3] {
                results.push(ndany_array::where_(key.equal(place), -7.5, &line));
            }
        }
        let other = ndany_array::arange((3, 3 + 5 * size, 5));
        let line = ndany_array::arange(size);
        results.push(ndany_array::where_(other.equal(3 + 5 * (size / 2)), 9, &line));
        let bytes = (&Array::from(values) * 50.0).astype(DType::I64).astype(DType::U8);
        for order in [ndany_array::BitOrder::Big, ndany_array::BitOrder::Little] {
            let bits = bytes.unpackbits(0, None, order);
            results.extend([
                bits.packbits(0, order),
                bits,
                bytes.flip(0).unpackbits(0, Some(7), order),
            ]);
            results.push(bytes.greater(20).packbits(0, order));
        }
        results
    });
}

#[test]
fn columns_reduced_and_scanned() {
    compare(|values| {
        let x = Array::from(values);
        let mut results = Vec::new();
        for columns in [65, 130, 1100] {
            let rows = values.len().min(120_000 / columns);
            let m = (&x.i(..rows as isize).reshape([-1, 1])
                * &x.tile(columns / values.len() + 1).i(..columns as isize))
                .copy();
            let whole = (&m * 10.0).nan_to_num(..).astype(DType::I32);
            results.extend([
                m.sum(0),
                m.max(0),
                m.nanmin(0),
                m.mean(0),
                whole.sum(0),
                whole.min(0),
            ]);
            results.extend([(&m + 1.0).max(0), m.astype(DType::F32).sum(0), m.flip(0).sum(0)]);
            if columns == 65 {
                results.extend([m.cumsum(0), (&m * 0.5).cumprod(0), whole.cumsum(0)]);
                results.extend([m.flip(0).cumsum(0), m.astype(DType::F32).cumsum(0)]);
                results.push(m.astype(DType::F16).cumsum(0));
                results.push(m.flip(1).cumsum(0));
            }
        }
        let cube = x.tile(60_000 / values.len() + 1).i(..59_220).reshape([6, 70, 141]);
        results.extend([cube.cumsum(0), cube.cumsum(1), cube.sum(1), cube.max(0)]);
        results.push(cube.transpose([2, 0, 1]).cumsum(1));
        // More than one chunk, and more than one tile.
        if values.len() == 9001 {
            let m = (&x.reshape([-1, 1]) * &x.i(..66)).copy();
            results.extend([m.cumsum(0), m.max(0), m.sum(0)]);
        }
        results
    });
}

#[test]
fn tables_of_short_and_odd_rows() {
    compare(|values| {
        let x = Array::from(values);
        let mut results = Vec::new();
        for columns in [3, 10, 16, 300, 1000, 1500] {
            let rows = (4000 / columns).max(3);
            let flat = x.tile(rows * columns / values.len() + 1).i(..(rows * columns) as isize);
            let m = flat.reshape([rows, columns]).copy();
            results.extend([m.tril(0), m.triu(1), &m - m.i(0), &m * m.i((.., 0)).reshape([-1, 1])]);
        }
        let small = x.i(..values.len().min(12) as isize);
        results.extend([x.kron(&small), small.reshape([1, -1]).kron(x.reshape([-1, 1]))]);
        // Several writes to one place, of which the last wins.
        let places = (&x * 1e3).nan_to_num(..).astype(DType::I64).remainder(values.len() as i64);
        let mut put = x.copy();
        put.set(&places, x.flip(0));
        results.push(put);
        results
    });
}

#[test]
fn truths_along_rows() {
    compare(|values| {
        let x = Array::from(values);
        let mut results = Vec::new();
        // Equal except for one place: the first, the last or one between.
        for place in [0, values.len() / 2, values.len() - 1] {
            let mut other = values.to_vec();
            other[place] = -7.5;
            for dtype in [DType::F64, DType::F32, DType::I8, DType::U16, DType::I64, DType::Bool] {
                let cast = |x: &Array| x.nan_to_num(..).clip(0.0, 100.0).astype(dtype);
                let (x, y) = (cast(&x), cast(&Array::from(&*other)));
                results.extend([x.equal(&y).all(..), x.not_equal(&y).any(..)]);
                results.extend([x.less(&y).any(..), x.greater_equal(&y).all(..)]);
            }
            let y = shifted(&other, 1);
            results.extend([x.less_equal(&y).all(..), x.equal(&y).any(..), y.isnan().all(..)]);
            let rows = x.broadcast_to([3, x.size()]).copy();
            results.extend([rows.isnan().any(1), rows.equal(&y).all(1), rows.greater(&y).any(1)]);
            results.extend([rows.less(0.5).all(1), rows.flip(1).equal(&y).all(1)]);
            // Booleans in memory, and booleans of several instructions.
            let truths = rows.equal(&y).copy();
            results.extend([truths.all(1), truths.any(1), truths.logical_not().any(..)]);
            results.extend([rows.isnan().logical_or(rows.less(&y)).all(1), rows.any(1)]);
        }
        let empty = x.i(..0).isnan();
        results.extend([empty.any(..), empty.all(..)]);
        results
    });
}

/// Rows that several threads read, and that have their result early, late or several times.
#[test]
fn results_that_are_known_before_the_end_of_a_row() {
    let size = 1usize << 20;
    let devices = ["cpu:threads=1", "cpu:threads=3", "cpu:threads=16"];
    for device in devices.map(|name| Device::open(name).expect("a CPU")) {
        let _guard = device.enter();
        for places in [vec![], vec![0], vec![size - 1], vec![size / 2 + 5, size / 2, size - 9]] {
            let mut values = vec![false; size];
            places.iter().for_each(|&place| values[place] = true);
            let first = places.iter().min().copied();
            let truths = Array::from_vec(values, size);
            let rows = concatenate(&[&truths.flip(0), &truths], 0).reshape([2, size]);
            let number = |array: Array| array.to_vec::<i64>().expect("numbers");
            let truth = |array: Array| array.to_vec::<bool>().expect("booleans");
            let lies = truths.logical_not().copy();
            assert_eq!(number(truths.argmax(..)), [first.unwrap_or(0) as i64]);
            assert_eq!(number(lies.argmin(..)), [first.unwrap_or(0) as i64]);
            let last = places.iter().max().map_or(0, |last| size - 1 - last);
            assert_eq!(number(rows.argmax(1)), [last as i64, first.unwrap_or(0) as i64]);
            let any = first.is_some();
            assert_eq!(truth(truths.any(..)), [any]);
            assert_eq!(truth(truths.max(..)), [any]);
            assert_eq!(truth(lies.all(..)), [!any]);
            assert_eq!(truth(lies.min(..)), [!any]);
            assert_eq!(truth(rows.any(1)), [any, any]);
            let whole = truths.astype(DType::I64).copy();
            assert_eq!(number(whole.max(..)), [i64::from(any)]);
            assert_eq!(number(whole.sum(..)), [places.len() as i64]);
            assert_eq!(truth(whole.greater(0).any(..)), [any]);
            assert_eq!(truth(whole.less(1).all(..)), [!any]);
            assert_eq!(number(whole.greater(0).argmax(..)), [first.unwrap_or(0) as i64]);
        }
    }
}

#[test]
fn whole_numbers_along_rows() {
    compare(|values| {
        let x = Array::from(values).nan_to_num(..).clip(-1e4, 1e4);
        let mut results = Vec::new();
        for dtype in [DType::I8, DType::U8, DType::I16, DType::U32, DType::I64, DType::U64] {
            let x = x.abs().astype(dtype);
            results.extend([x.sum(..), x.max(..), x.min(..), x.argmax(..), x.argmin(..)]);
            let rows = x.broadcast_to([3, x.size()]).copy();
            results.extend([rows.max(1), rows.min(1), rows.sum(1), rows.argmin(1)]);
            results.extend([rows.greater(100).any(1), rows.less_equal(100).all(1)]);
        }
        let y = x.astype(DType::I32);
        results.extend([y.max(..), y.min(..), y.argmax(..), y.argmin(..), y.prod(..)]);
        results
    });
}

#[test]
fn loops_of_kernels() {
    use ndany_array::kernel::elementwise;
    // Newton's iteration: elements stop after different numbers of steps, some never.
    let root = elementwise("root", |k, [a]| {
        let [x, _, steps] = k.repeat_while(
            12,
            [a, a.zero(), k.value(0)],
            |[x, before, _]| x.not_equal(before),
            |[x, _, steps]| [(x + a / x) / 2, x, steps + 1],
        );
        [x, steps]
    });
    // A state of a byte, which is the condition too; one loop within another; the sum of what both make.
    let nested = elementwise("nested", |k, [a]| {
        let [_, total, _] = k.repeat_while(
            9,
            [a.greater(0), a.zero(), a.floor()],
            |[on, ..]| on,
            |[_, total, left]| {
                let [_, inner] = k.repeat_while(
                    7,
                    [left, a.zero()],
                    |[left, _]| left.greater(1),
                    |[left, sum]| [left / 2, sum + left],
                );
                [left.greater(1), total + inner, left - 1]
            },
        );
        [total]
    });
    // Two states that change places.
    let fibonacci = elementwise("fibonacci", |k, [n]| {
        let [_, low, _] = k.repeat_while(
            60,
            [n, n.zero(), n.one()],
            |[n, ..]| n.greater(0),
            |[n, low, high]| [n - 1, high, low + high],
        );
        [low]
    });
    compare(|values| {
        let mut results = Vec::new();
        // A block and a bit: the reference takes its time.
        let values = &values[..values.len().min(1030)];
        for x in [shifted(values, 1), Array::from(values).astype(DType::F32)] {
            let [y, steps] = root.call([&x]);
            let [sum] = nested.call([&(&x * 0.01)]);
            let whole = (&x * 20.0).nan_to_num(..).clip(-3, 50).astype(DType::I32);
            let [f] = fibonacci.call([&whole]);
            // Fused with a reduction, and in the rows of one.
            let rows = x.i(..values.len().min(100) as isize).broadcast_to([17, x.size().min(100)]);
            let [of_rows, _] = root.call([&(&rows - rows.sum(ndany_array::over(1).keepdims()))]);
            results.extend([(&y + &sum).sum(..), of_rows.sum(0), of_rows.max(1)]);
            results.extend([y, steps, sum, f]);
        }
        results
    });
}

#[test]
fn faults_of_loops_are_those_of_steps_that_are_taken() {
    use ndany_array::kernel::elementwise;
    let powers = elementwise("powers", |k, [n]| {
        let [_, sum] = k.repeat_while(
            100,
            [n, n.zero()],
            |[n, _]| n.greater_equal(0),
            |[n, sum]| [n - 1, sum + (n.zero() + 3).pow(n)],
        );
        [sum]
    });
    let wrong = elementwise("wrong", |k, [n]| {
        let [_, sum] = k.repeat_while(
            3,
            [n, n.zero()],
            |[n, _]| n.less(2),
            |[n, sum]| [n + 1, sum + (n.zero() + 3).pow(n)],
        );
        [sum]
    });
    compare(|values| {
        let n = Array::from(values).nan_to_num(..).clip(-5, 30).astype(DType::I64);
        let [sum] = powers.call([&n]);
        vec![sum]
    });
    let device = Device::open("cpu").expect("always there");
    let _guard = device.enter();
    let [good] = wrong.call([&Array::from(vec![2i64, 0, 1, 7])]);
    assert_eq!(good.to_vec::<i64>().expect("values"), [0, 4, 3, 0]);
    let [bad] = wrong.call([&Array::from(vec![2i64, 0, -1, 7])]);
    assert!(bad.to_vec::<i64>().is_err());
}
