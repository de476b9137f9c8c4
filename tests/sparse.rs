//! Sparse arrays: every device has the bits of the reference, and the reference has those of sums written out on the host.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../gpu/tests/support/mod.rs"]
mod support;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../gpu/tests/support/control.rs"]
mod control;

use ndany::prelude::*;
use ndany::sparse::linalg::{self, Iteration, Solution};
use ndany::sparse::{Format, Sparse, csgraph};

/// Numbers of a linear congruential generator.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn below(&mut self, count: usize) -> usize {
        ((self.next() * count as f64) as usize).min(count.saturating_sub(1))
    }
    fn value(&mut self) -> f64 {
        match self.below(10) {
            0 => 0.0,
            1 => -0.0,
            _ => (self.next() - 0.5) * (self.next() * 12.0 - 6.0).exp(),
        }
    }
    fn values(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.value()).collect()
    }
}

/// Entries of a random array: unsorted, with duplicates and explicit zeros, a third of the rows empty.
struct Entries {
    shape: [usize; 2],
    rows: Vec<i64>,
    columns: Vec<i64>,
    values: Vec<f64>,
}

fn random(numbers: &mut Numbers, shape: [usize; 2], count: usize) -> Entries {
    let count = if shape.contains(&0) { 0 } else { count };
    let places = |numbers: &mut Numbers, extent: usize| -> Vec<i64> {
        (0..count).map(|_| numbers.below(extent) as i64).collect()
    };
    let rows = places(numbers, shape[0]).into_iter().map(|row| row - i64::from(row % 3 == 1));
    let rows = rows.collect();
    let columns = places(numbers, shape[1]);
    Entries { shape, rows, columns, values: numbers.values(count) }
}

impl Entries {
    /// On the current device.
    fn coo(&self, dtype: DType, index: DType) -> Sparse {
        let [rows, columns] =
            [&self.rows, &self.columns].map(|part| Array::from(part.as_slice()).astype(index));
        let values = Array::from(self.values.as_slice()).astype(dtype);
        sparse::coo_array((values, (rows, columns)), self.shape)
    }

    /// The parts of compressed rows in the order of the entries.
    fn csr(&self, dtype: DType, index: DType) -> Sparse {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|&entry| self.rows[entry]);
        let mut indptr = vec![0i64; self.shape[0] + 1];
        for &row in &self.rows {
            indptr[row as usize + 1] += 1;
        }
        for row in 0..self.shape[0] {
            indptr[row + 1] += indptr[row];
        }
        let columns: Vec<i64> = order.iter().map(|&entry| self.columns[entry]).collect();
        let values: Vec<f64> = order.iter().map(|&entry| self.values[entry]).collect();
        let parts = [columns, indptr].map(|part| Array::from(part.as_slice()).astype(index));
        let [columns, indptr] = parts;
        sparse::csr_array(
            (Array::from(values.as_slice()).astype(dtype), columns, indptr),
            self.shape,
        )
    }

    /// The product as it is promised, in f64: runs of 64 from left to right, then the canonical plan.
    fn product(&self, x: &[f64]) -> Vec<f64> {
        let row = |row: usize| {
            let own = (0..self.rows.len()).filter(|&entry| self.rows[entry] == row as i64);
            let terms: Vec<f64> =
                own.map(|entry| self.values[entry] * x[self.columns[entry] as usize]).collect();
            let runs: Vec<f64> =
                terms.chunks(64).map(|run| run.iter().fold(0.0, |sum, term| sum + term)).collect();
            match runs.is_empty() {
                true => 0.0,
                false => ndany_core::plan::reduce(&runs, |a, b| a + b),
            }
        };
        (0..self.shape[0]).map(row).collect()
    }
}

fn bits(array: &Array) -> (DType, Vec<usize>, Vec<u8>) {
    let bytes = array.to_bytes().expect("values");
    (array.dtype(), array.shape().to_vec(), bytes)
}

const SHAPES: [([usize; 2], usize); 8] = [
    ([9, 7], 30),
    ([7, 200], 500),
    ([150, 5], 300),
    ([5, 4000], 9000),
    ([1, 1], 3),
    ([0, 4], 0),
    ([4, 0], 0),
    ([6, 3], 0),
];

const DTYPES: [DType; 10] = [F32, F64, C64, C128, F16, BF16, I8, U16, I64, Bool];

#[test]
fn products_add_in_the_order_that_is_promised() {
    for device in ["reference", "cpu"] {
        let device = Device::open(device).expect("a device");
        let _guard = device.enter();
        let mut numbers = Numbers(7);
        for (shape, count) in SHAPES {
            let entries = random(&mut numbers, shape, count);
            let x = numbers.values(shape[1]);
            let expected: Vec<u64> =
                entries.product(&x).iter().map(|value| value.to_bits()).collect();
            let dense = Array::from(x.as_slice());
            for index in [I32, I64] {
                for a in [entries.csr(F64, index), entries.coo(F64, index)] {
                    let y = a.matmul(&dense).to_vec::<f64>().expect("values");
                    let y: Vec<u64> = y.iter().map(|value| value.to_bits()).collect();
                    assert_eq!(y, expected, "{a:?} on {}", device.name());
                    let both = ndany::stack([&dense, &(&dense * 2.0)], 1);
                    let product = a.matmul(&both).to_vec::<f64>().expect("values");
                    let first: Vec<u64> =
                        product.iter().step_by(2).map(|value| value.to_bits()).collect();
                    assert_eq!(first, expected, "{a:?} times a matrix");
                }
            }
            // The transposed array has the entries of a column in their order, too.
            let turned = Entries {
                shape: [shape[1], shape[0]],
                rows: entries.columns.clone(),
                columns: entries.rows.clone(),
                values: entries.values.clone(),
            };
            let x = numbers.values(shape[0]);
            let expected: Vec<u64> =
                turned.product(&x).iter().map(|value| value.to_bits()).collect();
            let y = entries.coo(F64, I32).rmatmul(Array::from(x.as_slice()));
            let y: Vec<u64> =
                y.to_vec::<f64>().expect("values").iter().map(|value| value.to_bits()).collect();
            assert_eq!(y, expected, "transposed");
        }
    }
}

/// All that is made of an array, by name.
fn everything(
    entries: &Entries,
    other: &Entries,
    dtype: DType,
    index: DType,
) -> Vec<(String, Array)> {
    let mut made: Vec<(String, Array)> = Vec::new();
    let (csr, coo) = (entries.csr(dtype, index), entries.coo(dtype, index));
    let second = other.csr(dtype, index);
    let [m, n] = entries.shape;
    let mut numbers = Numbers(11);
    let dense = |numbers: &mut Numbers, shape: (usize, usize)| {
        let values = numbers.values(shape.0 * shape.1);
        Array::from(values.as_slice()).astype(dtype).reshape(shape)
    };
    let x = dense(&mut numbers, (n, 1)).reshape(n);
    let many = dense(&mut numbers, (n, 3));
    let left = dense(&mut numbers, (m, 1)).reshape(m);
    for (name, a) in [("csr", csr.clone()), ("coo", coo), ("csc", csr.to_csc())] {
        let mut add = |what: &str, array: Array| made.push((format!("{name} {what}"), array));
        add("matvec", a.matmul(&x));
        add("matmul", a.matmul(&many));
        add("rmatmul", a.rmatmul(&left));
        add("matvec of neighbours", a.i(s![1..-1, ..]).matmul(&x));
        let mut parts = |what: &str, a: &Sparse| {
            let (rows, columns) = a.coords();
            made.push((format!("{name} {what} rows"), rows));
            made.push((format!("{name} {what} columns"), columns));
            made.push((format!("{name} {what} values"), a.data().ravel()));
        };
        for format in [Format::Csr, Format::Csc, Format::Coo, Format::Dia, Format::Bsr] {
            // Each of its diagonals would be as long as a wide array.
            if format != Format::Dia || n < 1000 {
                parts(&format.to_string(), &a.asformat(format));
            }
        }
        parts("sum_duplicates", &a.sum_duplicates());
        parts("sort_indices", &a.sort_indices());
        parts("eliminate_zeros", &a.eliminate_zeros());
        parts("tril", &sparse::tril(&a, -1));
        parts("triu", &sparse::triu(&a, 1));
        parts("hstack", &sparse::hstack([&a, &second]));
        parts("vstack", &sparse::vstack([&a, &second]));
        parts("rows", &a.i(s![..;2, ..]));
        parts("columns", &a.i(s![.., ..;-1]));
        let middle = a.i(s![1..-1, ..]);
        parts("neighbours", &middle);
        parts("sum of neighbours", &(&middle + &middle));
        parts("sum", &(&a + &second));
        parts("product", &(&a * &second));
        parts("differ", &a.not_equal(&second));
        if dtype != Bool {
            parts("difference", &(&a - &second));
        }
        parts("matmul of sparse", &a.matmul(second.transpose()));
        let mut add = |what: &str, array: Array| made.push((format!("{name} {what}"), array));
        add("dense", a.to_dense());
        for k in [0, 1, -2] {
            add("diagonal", a.diagonal(k));
        }
        add("sum 0", a.sum(0));
        add("sum 1", a.sum(1));
        add("sum all", a.sum(..));
        add("count", a.count_nonzero(1));
        if !dtype.is_complex() && dtype != Bool && m > 0 && n > 0 {
            parts_of_extremes(&a, &mut add);
        }
    }
    made
}

fn parts_of_extremes(a: &Sparse, add: &mut dyn FnMut(&str, Array)) {
    add("max", a.max(1));
    add("min", a.min(0));
    add("least", a.min(..));
}

/// Compares everything on a device with the reference, and what can be with dense arrays.
fn compare(device: &str, shapes: &[([usize; 2], usize)], dtypes: &[DType]) {
    let mut numbers = Numbers(3);
    let (reference, device) = ("reference", device);
    for &(shape, count) in shapes {
        let [entries, other] = [(); 2].map(|()| random(&mut numbers, shape, count));
        for (number, &dtype) in dtypes.iter().enumerate() {
            // The largest array is for two dtypes.
            if count > 1000 && number > 1 {
                continue;
            }
            let index = [I32, I64][number % 2];
            let on = |name: &str| {
                let device = Device::open(name).expect("a device");
                let _guard = device.enter();
                let made = everything(&entries, &other, dtype, index);
                made.into_iter().map(|(name, array)| (name, bits(&array))).collect::<Vec<_>>()
            };
            let [expected, found] = [reference, device].map(on);
            assert_eq!(expected.len(), found.len());
            for ((name, expected), (_, found)) in expected.iter().zip(&found) {
                assert!(
                    expected == found,
                    "{name} of {shape:?}, {dtype}, on {device}: {expected:?}, {found:?}"
                );
            }
        }
    }
}

#[test]
fn the_cpu_has_the_bits_of_the_reference() {
    compare("cpu", &SHAPES, &DTYPES);
}

/// Products and sums by both axes, and what else reads entries in the order of columns, by name.
fn by_both_axes(a: &Sparse, x: &Array, y: &Array) -> Vec<(&'static str, Array)> {
    let csc = a.to_csc();
    vec![
        ("matmul", a.matmul(y)),
        ("rmatmul", a.rmatmul(x)),
        ("transposed", a.transpose().matmul(x)),
        ("sum 0", a.sum(0)),
        ("sum 1", a.sum(1)),
        ("csc data", csc.data()),
        ("csc indices", csc.indices()),
        ("csc indptr", csc.indptr()),
        ("csr data", csc.to_csr().data()),
        ("twice transposed", a.transpose().transpose().to_dense()),
        ("of coordinates", a.to_coo().transpose().matmul(x)),
        ("least", a.min(0)),
    ]
}

#[test]
fn rows_become_columns_in_the_order_of_the_host() {
    for device in ["reference", "cpu"] {
        let _guard = Device::open(device).expect("a device").enter();
        turns();
    }
}

#[test]
fn transposes_share_what_is_known_of_places() {
    for device in ["reference", "cpu"] {
        let _guard = Device::open(device).expect("a device").enter();
        shared_places(&[Format::Csr, Format::Csc, Format::Coo, Format::Dia, Format::Bsr]);
    }
}

/// Compares sums on the current device with those of the host: entries that meet and such that do not, at the edges of tiles of 1,024
/// entries, many rows without entries, and one long row.
fn unions() {
    use std::collections::BTreeMap;
    type Places = BTreeMap<(usize, usize), f64>;
    // Places of a matrix of `n` columns: every `step`-th one from `first` on.
    let strided = |first: usize, step: usize, count: usize, n: usize| -> Places {
        let place = |k: usize| first + k * step;
        (0..count).map(|k| ((place(k) / n, place(k) % n), (k % 97 + 1) as f64)).collect()
    };
    let of = |places: &Places, shape: [usize; 2]| {
        let mut indptr = vec![0i32; shape[0] + 1];
        places.keys().for_each(|&(row, _)| indptr[row + 1] += 1);
        (0..shape[0]).for_each(|row| indptr[row + 1] += indptr[row]);
        let indices: Vec<i32> = places.keys().map(|&(_, column)| column as i32).collect();
        let data: Vec<f64> = places.values().copied().collect();
        sparse::csr_array((Array::from(data), Array::from(indices), Array::from(indptr)), shape)
    };
    // Shape, then the first place, the distance and the number of those of each array.
    let cases = [
        ([40, 100], [(0, 1, 1536), (0, 1, 1536)]),
        ([40, 100], [(0, 2, 512), (1, 2, 512)]),
        ([40, 100], [(1, 1, 1024), (0, 1, 1024)]),
        ([40, 100], [(0, 3, 1300), (0, 2, 1999)]),
        ([1, 9000], [(0, 1, 4095), (4095, 1, 4095)]),
        ([1, 9000], [(4095, 1, 4097), (0, 1, 4095)]),
        ([9000, 1], [(0, 4, 2250), (0, 6, 1500)]),
        ([50_000, 3], [(149_999, 1, 1), (70_001, 7, 9000)]),
        ([50_000, 3], [(0, 1, 1), (149_000, 1, 1000)]),
        ([3, 400], [(0, 1, 1023), (1022, 1, 1)]),
        ([3, 400], [(1022, 1, 2), (0, 1, 1024)]),
    ];
    for (shape, [left, right]) in cases {
        let made = |(first, step, count)| strided(first, step, count, shape[1]);
        let (left_places, right_places) = (made(left), made(right));
        let mut expected = left_places.clone();
        for (&place, &value) in &right_places {
            *expected.entry(place).or_insert(0.0) += value;
        }
        let found = of(&left_places, shape) + of(&right_places, shape);
        let expected = of(&expected, shape);
        for (name, found, expected) in [
            ("indptr", found.indptr(), expected.indptr()),
            ("indices", found.indices(), expected.indices()),
            ("data", found.data(), expected.data()),
        ] {
            assert!(bits(&found) == bits(&expected), "{name} of {shape:?}, {left:?} and {right:?}");
        }
        let difference = of(&left_places, shape) - of(&left_places, shape);
        assert_eq!(difference.nnz(), 0);
    }
}

/// Compares conversions from rows to columns on the current device with those of the host: rows and columns without entries at both ends,
/// at the edges of blocks of 512 and 1,024 entries, and values of 2, 4, 8 and 16 bytes whose bits are random.
fn turns() {
    let mut numbers = Numbers(17);
    let cases = [
        ([3, 5], 1),
        ([1, 70_000], 1023),
        ([70_000, 1], 1025),
        ([40, 300], 511),
        ([40, 300], 512),
        ([2000, 90], 2048),
        ([2, 90_000], 4096),
        ([5000, 70_000], 3000),
        // Columns of three digits.
        ([900, 2_000_000], 5000),
        ([900, 2_300_000], 5000),
        // Few columns for several tiles of a sort, and one.
        ([800, 1000], 2100),
        ([2, 4], 40_000),
        ([3, 1], 70_000),
    ];
    for (number, (shape, count)) in cases.into_iter().enumerate() {
        let mut places: Vec<[usize; 2]> = (0..count)
            .map(|_| shape.map(|extent| extent / 4 + numbers.below(extent / 2 + 1)))
            .collect();
        places.iter_mut().for_each(|place| {
            (0..2).for_each(|axis| place[axis] = place[axis].min(shape[axis] - 1))
        });
        // Stable: entries of a row keep their order, and a place may come twice.
        places.sort_by_key(|place| place[0]);
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&entry| places[entry][1]);
        let offsets = |axis: usize| {
            let mut offsets = vec![0i32; shape[axis] + 1];
            places.iter().for_each(|place| offsets[place[axis] + 1] += 1);
            (0..shape[axis]).for_each(|at| offsets[at + 1] += offsets[at]);
            Array::from(offsets)
        };
        let indices: Vec<i32> = places.iter().map(|place| place[1] as i32).collect();
        let majors: Vec<i32> = order.iter().map(|&entry| places[entry][0] as i32).collect();
        let words: Vec<u64> = (0..count).map(|_| numbers.next().to_bits().rotate_left(7)).collect();
        // Each is another kernel or none; the first cases take all.
        let dtypes = [F64, F32, I64, C64, U32, I16, C128];
        let dtypes = if number < 2 { &dtypes[..] } else { &dtypes[..2] };
        for &dtype in dtypes {
            let per_value = dtype.size().div_ceil(8);
            let of = |order: &[usize]| {
                let values = order.iter().flat_map(|&entry| (0..per_value).map(move |_| entry));
                let values: Vec<u64> = values.map(|entry| words[entry]).collect();
                match dtype.size() {
                    size @ 8.. => Array::from(values).view(if size == 8 { dtype } else { C128 }),
                    4 => Array::from(values).astype(U32).view(dtype),
                    _ => Array::from(values).astype(U16).view(dtype),
                }
            };
            let data = of(&(0..count).collect::<Vec<_>>());
            let parts = (data, Array::from(indices.as_slice()), offsets(0));
            let found = sparse::csr_array(parts, shape).to_csc();
            for (name, found, expected) in [
                ("indptr", found.indptr(), offsets(1)),
                ("indices", found.indices(), Array::from(majors.as_slice())),
                ("data", found.data(), of(&order)),
            ] {
                assert!(bits(&found) == bits(&expected), "{name} of {count} of {shape:?}, {dtype}");
            }
        }
    }
}

/// Compares steps of `gmres` on a device with those of the CPU, for bases of one vector to those of as many as kernels take, and one more.
fn steps_of_gmres(device: &str) {
    for (dtype, restart) in [(F64, 33), (F32, 20)] {
        let solutions = |device: &str| -> Vec<Array> {
            let _guard = Device::open(device).expect("a device").enter();
            let a = grid(60, 4.0, 1.0).astype(dtype);
            let b = ndany::arange(a.shape()[0]).sin().astype(dtype);
            let options = |steps| Iteration::new().rtol(1e-300).restart(restart).maxiter(steps);
            let steps = [1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 20, 31, 32, 33, 34];
            steps.map(|steps| linalg::gmres(&a, &b, options(steps)).expect("steps").x).into()
        };
        for (number, (found, expected)) in
            solutions(device).iter().zip(&solutions("cpu")).enumerate()
        {
            assert!(bits(found) == bits(expected), "solution {number} on {device}, {dtype}");
        }
    }
}

/// Compares eigenvectors that `eigsh` finds on a device with those of the CPU, in bases that its kernels take and in a larger one.
fn steps_of_lanczos(device: &str) {
    use ndany::sparse::linalg::{Spectrum, Which};
    for (dtype, ncv) in [(F64, 9), (F64, 33), (F32, 32)] {
        let found = |device: &str| {
            let _guard = Device::open(device).expect("a device").enter();
            let a = grid(60, 4.0, 0.0).astype(dtype);
            let options = Spectrum::new().which(Which::Largest).ncv(ncv).tol(0.01);
            linalg::eigsh(&a, 3, options).expect("converged").1
        };
        assert!(bits(&found(device)) == bits(&found("cpu")), "{ncv} vectors on {device}, {dtype}");
    }
}

/// Compares arrays whose places are known by both axes with such that are made anew for each result, on the current device.
fn shared_places(formats: &[Format]) {
    let mut numbers = Numbers(13);
    for (shape, count) in [([9, 7], 30), ([7, 200], 500), ([1, 1], 3), ([6, 3], 0)] {
        let entries = random(&mut numbers, shape, count);
        let [x, y] = [shape[0], shape[1]]
            .map(|extent| Array::from(numbers.values(extent).as_slice()).reshape(extent));
        for (format, index) in formats.iter().flat_map(|&format| [(format, I32), (format, I64)]) {
            let build = |entries: &Entries| match format {
                Format::Coo => entries.coo(F64, index),
                format => entries.csr(F64, index).asformat(format),
            };
            let expect_same = |what: &str, known: &Sparse, fresh: &dyn Fn() -> Sparse| {
                for (number, (name, array)) in by_both_axes(known, &x, &y).into_iter().enumerate() {
                    let expected = &by_both_axes(&fresh(), &x, &y)[number].1;
                    assert!(bits(&array) == bits(expected), "{name} of {format} {shape:?}, {what}");
                }
            };
            let known = build(&entries);
            for round in ["first", "second"] {
                expect_same(round, &known, &|| build(&entries));
            }
            let turned = known.transpose();
            for (number, (name, array)) in by_both_axes(&turned, &y, &x).into_iter().enumerate() {
                let expected = &by_both_axes(&build(&entries).transpose(), &y, &x)[number].1;
                assert!(bits(&array) == bits(expected), "{name} of {format} {shape:?}, transposed");
            }
            let other = known.with_data(known.data() * 3.0 - 1.0);
            expect_same("other data", &other, &|| {
                let own = build(&entries);
                own.with_data(own.data() * 3.0 - 1.0)
            });
            expect_same("other dtype", &known.astype(F32), &|| build(&entries).astype(F32));
            let mut changed = known.clone();
            changed.set(s![0, ..], 5.0);
            expect_same("after set", &changed, &|| {
                let mut changed = build(&entries);
                changed.set(s![0, ..], 5.0);
                changed
            });
            expect_same("not changed", &known, &|| build(&entries));
            // Sorted by row says nothing of the order by column.
            let canonical = known.to_csr().sum_duplicates().to_coo();
            assert!(canonical.has_canonical_format());
            let (rows, columns) = canonical.transpose().coords();
            let rises =
                sparse::coo_array((canonical.data(), (rows, columns)), [shape[1], shape[0]]);
            assert_eq!(canonical.transpose().has_canonical_format(), rises.has_canonical_format());
            assert!(canonical.transpose().transpose().has_canonical_format());
        }
    }
}

#[test]
fn arrays_agree_with_dense_arithmetic() {
    let device = Device::open("cpu").expect("a device");
    let _guard = device.enter();
    let mut numbers = Numbers(5);
    // Small integers, whose sums are exact in any order.
    for (shape, count) in SHAPES {
        let [mut entries, mut other] = [(); 2].map(|()| random(&mut numbers, shape, count));
        for value in entries.values.iter_mut().chain(&mut other.values) {
            *value = (*value * 4.0).round().clamp(-9.0, 9.0) + 0.0;
        }
        let dense = |entries: &Entries| {
            let mut dense = vec![0.0; shape[0] * shape[1]];
            for ((row, column), value) in
                entries.rows.iter().zip(&entries.columns).zip(&entries.values)
            {
                dense[*row as usize * shape[1] + *column as usize] += value;
            }
            Array::from(dense.as_slice()).reshape(shape)
        };
        let (x, y) = (dense(&entries), dense(&other));
        let same = |what: &str, sparse: &Array, dense: &Array| {
            assert!(
                sparse.array_equal(dense).expect("values"),
                "{what} of {shape:?}: {sparse} is not {dense}"
            );
        };
        for format in [Format::Csr, Format::Csc, Format::Coo, Format::Dia, Format::Bsr] {
            if format == Format::Dia && shape[1] > 1000 {
                continue;
            }
            let a = entries.coo(F64, I32).asformat(format);
            let b = other.coo(F64, I64).asformat(format);
            assert_eq!((a.format(), a.shape()), (format, shape));
            let name = |what: &str| format!("{what} of {format}");
            same(&name("dense"), &a.to_dense(), &x);
            same(&name("transposed"), &a.transpose().to_dense(), &x.t());
            same(&name("sum"), &(&a + &b).to_dense(), &(&x + &y));
            same(&name("difference"), &(&a - &b).to_dense(), &(&x - &y));
            same(&name("product"), &(&a * &b).to_dense(), &(&x * &y));
            same(&name("dense product"), &(&a * &y).to_dense(), &(&x * &y));
            same(&name("maximum"), &a.maximum(&b).to_dense(), &x.maximum(&y));
            same(&name("less"), &a.less(&b).to_dense(), &x.less(&y));
            same(&name("matmul"), &a.matmul(b.transpose()).to_dense(), &x.matmul(y.t()));
            same(&name("matmul of dense"), &a.matmul(y.t()), &x.matmul(y.t()));
            same(&name("rmatmul"), &a.rmatmul(y.t()), &y.t().matmul(&x));
            same(&name("sum 0"), &a.sum(0), &x.sum(0));
            same(&name("sum 1"), &a.sum(1), &x.sum(1));
            same(
                &name("kron"),
                &sparse::kron(a.i(s![..2, ..3]), b.i(s![..3, ..2])).to_dense(),
                &kron(&x.i(s![..2, ..3]), &y.i(s![..3, ..2])),
            );
            same(
                &name("hstack"),
                &sparse::hstack([&a, &b]).to_dense(),
                &ndany::concatenate([&x, &y], 1),
            );
            same(
                &name("vstack"),
                &sparse::vstack([&a, &b]).to_dense(),
                &ndany::concatenate([&x, &y], 0),
            );
            same(&name("tril"), &sparse::tril(&a, 1).to_dense(), &x.tril(1));
            same(&name("triu"), &sparse::triu(&a, -1).to_dense(), &x.triu(-1));
            same(&name("rows"), &a.i(s![..;-2, ..]).to_dense(), &x.i(s![..;-2, ..]));
            same(&name("columns"), &a.i(s![.., 1..3]).to_dense(), &x.i(s![.., 1..3]));
            for rows in [s![1.., ..], s![..-1, ..], s![-2..9, ..], s![3..1, ..]] {
                let (mut part, dense) = (a.i(rows.clone()), x.i(rows));
                same(&name("neighbours"), &part.to_dense(), &dense);
                if part.data().size() > 0 {
                    part.set(s![.., ..], 2.5);
                    same(&name("neighbours, written"), &part.to_dense(), &dense.full_like(2.5));
                    same(&name("what they are of"), &a.to_dense(), &x);
                }
            }
            same(&name("diagonal"), &a.diagonal(1), &x.diagonal(1, ..));
            if shape.contains(&0) {
                continue;
            }
            same(&name("min"), &a.min(0), &x.min(0));
            same(&name("max"), &a.max(1), &x.max(1));
            let (i, j) = (shape[0] as isize - 1, -1);
            same(&name("element"), &a.get(i, j), &x.i((i, j)));
            same(&name("list"), &a.i(s![[0, 0], ..]).to_dense(), &x.i(s![[0, 0], ..]));
            let (rows, columns, values) = sparse::find(&a);
            let mut again = ndany::zeros(shape[0] * shape[1], F64);
            if values.size() > 0 {
                again.put(rows.astype(I64) * shape[1] as i64 + columns.astype(I64), values, ..);
            }
            same(&name("find"), &again.reshape(shape), &x);
            assert!(
                a.sum_duplicates().has_canonical_format()
                    || matches!(format, Format::Dia | Format::Bsr)
            );
        }
    }
}

/// The Kronecker product of dense matrices.
fn kron(a: &Array, b: &Array) -> Array {
    a.kron(b)
}

#[test]
fn blocks_of_several_elements_and_joined_blocks_are_dense_ones() {
    let dense = Array::from([
        [1.0, 0.0, 0.0, 2.0],
        [0.0, 0.0, 3.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
        [4.0, 5.0, 0.0, 0.0],
    ]);
    let a = sparse::bsr_array(&dense, ..).to_bsr((2, 2));
    assert_eq!((a.data().shape(), a.nnz()), (&[3, 2, 2][..], 12));
    assert!(a.to_dense().array_equal(&dense).expect("values"));
    let x = Array::from([1.0, 10.0, 100.0, 1000.0]);
    assert_eq!(a.matmul(&x).to_string(), "[2001.  300.    0.   54.]");
    let [b, c] =
        [dense.i(s![..2, ..]), dense.i(s![2.., ..1])].map(|part| sparse::csr_array(&part, ..));
    let joined = sparse::block_array([[Some(&b), None], [None, Some(&c)]]);
    assert_eq!(joined.shape(), [4, 5]);
    assert_eq!(joined.to_dense().i(s![3, 4]).item::<f64>().expect("a value"), 4.0);
}

#[test]
fn products_of_filled_arrays_are_made_in_parts() {
    // 20 million products, in two parts, of which the second begins within the array.
    let dense = |shape: (usize, usize)| {
        (arange((shape.0 * shape.1) as i64) % 7 - 3).reshape(shape).astype(F64)
    };
    let (a, b) = (dense((320, 250)), dense((250, 260)));
    let product = sparse::csr_array(&a, ..).matmul(&sparse::csr_array(&b, ..));
    assert_eq!(bits(&product.to_dense()), bits(&a.matmul(&b)));
    assert!(product.has_canonical_format());
    let columns = sparse::csc_array(&a, ..).matmul(&sparse::csc_array(&b, ..));
    assert_eq!((columns.format(), bits(&columns.to_dense())), (Format::Csc, bits(&a.matmul(&b))));
}

#[test]
fn functions_of_values_are_lazy_and_fuse() {
    let a = sparse::csr_array(Array::from([[0.0, 0.25], [4.0, 0.0]]), ..);
    let values = a.data();
    values.eval().expect("values");
    let before = Statistics::now();
    let pending = (a.with_data(&values) * 4.0).sqrt();
    assert_eq!(Statistics::now().since(&before).launches(), 0, "nothing has run");
    pending.data().eval().expect("values");
    assert_eq!(Statistics::now().since(&before).maps, 1);
    assert_eq!(pending.data().to_vec::<f64>().expect("values"), [1.0, 4.0]);
}

#[test]
fn wrong_parts_are_refused_by_name() {
    let of = |indices: &[i32], indptr: &[i32], shape: (usize, usize)| {
        let data = Array::from([1.0, 2.0]);
        let made = ndany::attempt(|| {
            sparse::csr_array((&data, Array::from(indices), Array::from(indptr)), shape)
        });
        made.map(drop).expect_err("wrong parts").to_string()
    };
    let says = |text: String, expected: &str| assert!(text.contains(expected), "{text}");
    says(of(&[0, 3], &[0, 1, 2], (2, 3)), "indices: expected 0 to 2, got 3");
    says(of(&[0, -1], &[0, 1, 2], (2, 3)), "indices: expected 0 or more, got -1");
    says(of(&[0, 1], &[0, 2, 1, 2], (3, 3)), "indptr: expected a sequence that does not decrease");
    says(of(&[0, 1], &[1, 1, 2], (2, 3)), "indptr: expected 0 first, got 1");
    says(of(&[0, 1], &[0, 1], (2, 3)), "indptr: expected 3 elements, got 2");
    says(of(&[0, 1], &[0, 1, 1], (2, 3)), "indptr: expected the number of entries, 2, last, got 1");
    says(of(&[0], &[0, 1, 1], (2, 3)), "indices: expected as many as values, 2, got 1");
}

/// Loops that the CPU runs as sums of products, and loops that are nearly such: all have the bits of the reference.
#[test]
fn loops_that_resemble_products_are_what_they_say() {
    use ndany::kernel::{OutOfRange, Val, elementwise};

    type Step = for<'k> fn([Val<'k>; 2], [Val<'k>; 3]) -> [Val<'k>; 2];
    fn at<'k>(whole: Val<'k>, position: Val<'k>) -> Val<'k> {
        whole.at((position, OutOfRange::fill(0)))
    }
    let steps: [(&str, Step); 9] = [
        ("product", |[s, p], [a, i, x]| [s + at(a, p) * at(x, at(i, p)), p + 1]),
        ("turned", |[s, p], [a, i, x]| [at(x, at(i, p)) * at(a, p) + s, 1 + p]),
        ("difference", |[s, p], [a, i, x]| [s - at(a, p) * at(x, at(i, p)), p + 1]),
        ("steps of two", |[s, p], [a, i, x]| [s + at(a, p) * at(x, at(i, p)), p + 2]),
        ("rows", |[s, p], [a, i, x]| [s + at(a, p) * at(x, at(i, p).astype(I64) * 3 + 1), p + 1]),
        ("another place", |[s, p], [a, i, x]| [s + at(a, p + 1) * at(x, at(i, p)), p + 1]),
        ("ones outside", |[s, p], [a, i, x]| {
            [s + a.at((p, OutOfRange::fill(1))) * at(x, at(i, p)), p + 1]
        }),
        ("clamped", |[s, p], [a, i, x]| {
            [s + a.at((p, OutOfRange::Clamp)) * x.at((at(i, p), OutOfRange::Wrap)), p + 1]
        }),
        ("state", |[s, p], [a, i, x]| [s + s * at(x, at(i, p)) + at(a, p), p + 1]),
    ];
    let mut numbers = Numbers(26);
    let count = 3000;
    let mut values = numbers.values(count);
    (values[7], values[70], values[700]) = (f64::NAN, f64::INFINITY, f64::NEG_INFINITY);
    let positions = |numbers: &mut Numbers, low: i64, width: usize| -> Vec<i64> {
        (0..count).map(|_| low + numbers.below(width) as i64).collect()
    };
    // Some places are beyond the ends.
    let begins = positions(&mut numbers, -5, count + 10);
    let lengths = positions(&mut numbers, -3, 90);
    let indices = positions(&mut numbers, -9, count + 30);
    for (name, step) in steps {
        for limit in [64, u32::MAX] {
            let kernel = elementwise("loop", move |k, [begin, end, a, i, x]| {
                let start = [a.zero(), begin];
                let [sum, last] = k.repeat_while(
                    limit,
                    start,
                    |[_, p]| p.less(end),
                    |state| step(state, [a, i, x]),
                );
                [sum, last]
            });
            let kernel = kernel.whole(2).whole(3).whole(4);
            for (dtype, index) in
                [(F64, I32), (F64, I64), (F32, I32), (F32, I64), (C128, I32), (I32, I64)]
            {
                let on = |device: &str| {
                    let _guard = Device::open(device).expect("a device").enter();
                    let [begin, length, i] =
                        [&begins, &lengths, &indices].map(|part| Array::from(part.as_slice()));
                    let (a, i) = (Array::from(values.as_slice()).astype(dtype), i.astype(index));
                    let end = &begin + &length;
                    let results = kernel.call([&begin, &end, &a, &i, &a]);
                    results.map(|result| bits(&result))
                };
                assert!(on("cpu") == on("reference"), "{name}, {limit}, {dtype}, {index}");
            }
        }
    }
}

/// A matrix of a grid of points, each joined to its neighbours, with this on the diagonal and a wind along the rows.
fn grid(extent: usize, middle: f64, wind: f64) -> Sparse {
    let ones = |count: usize| ndany::full(count, 1.0, F64);
    let along = |middle: f64, wind: f64| {
        let parts = [
            ones(extent) * middle,
            ones(extent - 1) * (wind - 1.0),
            ones(extent - 1) * (-wind - 1.0),
        ];
        sparse::diags_array(&parts, [0, 1, -1], ..)
    };
    let one = sparse::eye_array(extent);
    let (rows, columns) = (along(middle, wind), along(middle, 0.0));
    sparse::kron(&rows, &one).to_csr() + sparse::kron(&one, &columns).to_csr()
}

/// The norm of the residual over that of the right side.
fn relative(a: &Sparse, x: &Array, b: &Array) -> f64 {
    let norm = |x: &Array| x.abs().square().sum(..).item::<f64>().expect("a norm").sqrt();
    norm(&(a.matmul(x) - b)) / norm(b)
}

type Solver = fn(&Sparse, &Array, Iteration) -> ndany::Result<Solution>;

const SOLVERS: [(&str, Solver); 12] = [
    ("cg", |a, b, options| linalg::cg(a, b, options)),
    ("minres", |a, b, options| linalg::minres(a, b, options)),
    ("bicgstab", |a, b, options| linalg::bicgstab(a, b, options)),
    ("gmres", |a, b, options| linalg::gmres(a, b, options)),
    ("lsqr", |a, b, options| linalg::lsqr(a, b, options)),
    ("lsmr", |a, b, options| linalg::lsmr(a, b, options)),
    ("cgs", |a, b, options| linalg::cgs(a, b, options)),
    ("bicg", |a, b, options| linalg::bicg(a, b, options)),
    ("qmr", |a, b, options| linalg::qmr(a, b, options)),
    ("tfqmr", |a, b, options| linalg::tfqmr(a, b, options)),
    ("lgmres", |a, b, options| linalg::lgmres(a, b, options)),
    ("gcrotmk", |a, b, options| linalg::gcrotmk(a, b, options)),
];

#[test]
fn solvers_end_where_the_residual_is_small() {
    for device in ["reference", "cpu"] {
        let _guard = Device::open(device).expect("a device").enter();
        let mut numbers = Numbers(21);
        let b = Array::from(numbers.values(144).as_slice());
        for (number, (name, solve)) in SOLVERS.into_iter().enumerate() {
            // The others need no symmetry.
            let a = grid(12, 2.0, if number < 2 { 0.0 } else { 0.3 });
            let options = Iteration::new().rtol(1e-9).maxiter(900);
            let found = solve(&a, &b, options.clone()).expect("a solution");
            let error = relative(&a, &found.x, &b);
            assert!(found.converged && error < 1.01e-9, "{name} on {device}: {found:?}, {error:e}");
            assert!(found.iterations > 8, "{name}: {}", found.iterations);
            // Of the steps after that nothing is seen.
            let again = solve(&a, &b, options.maxiter(found.iterations)).expect("a solution");
            assert_eq!(again.iterations, found.iterations, "{name}");
            assert_eq!(bits(&again.x), bits(&found.x), "{name} on {device}");
            let few = solve(&a, &b, Iteration::new().rtol(1e-9).maxiter(3)).expect("no solution");
            assert!(!few.converged && few.iterations == 3, "{name}: {few:?}");
            let nothing = solve(&a, &b.zeros_like(), Iteration::new()).expect("a solution");
            assert!(nothing.converged && nothing.iterations == 0, "{name}: {nothing:?}");
            assert_eq!(nothing.x.abs().max(..).item::<f64>().expect("a number"), 0.0, "{name}");
            // From the solution there is nothing to do.
            let options = Iteration::new().rtol(1e-6).x0(&found.x);
            assert_eq!(solve(&a, &b, options).expect("a solution").iterations, 0, "{name}");
        }
    }
}

#[test]
fn a_step_of_gmres_reads_the_basis_twice() {
    for extent in [40, 800] {
        let a = grid(extent, 4.0, 0.0);
        let b = ndany::ones(a.shape()[0], F64);
        let reductions = |steps: usize| {
            let before = ndany::Statistics::now();
            let options = Iteration::new().rtol(1e-300).maxiter(steps);
            assert_eq!(linalg::gmres(&a, &b, options).unwrap().iterations, steps);
            ndany::Statistics::now().since(&before).reductions
        };
        reductions(1);
        // The products of the basis with two vectors, the sum of its vectors, a length; and two small ones.
        assert_eq!(reductions(16) - reductions(8), 8 * 5);
    }
}

#[test]
fn solvers_take_complex_numbers_and_preconditioners() {
    let _guard = Device::open("cpu").expect("a device").enter();
    let mut numbers = Numbers(22);
    let part = |numbers: &mut Numbers| Array::from(numbers.values(64).as_slice());
    let i = ndany::full(1, Complex64::new(0.0, 1.0), C128);
    let b = part(&mut numbers) + &i * part(&mut numbers);
    // A Hermitian matrix: an imaginary wind.
    let real = grid(8, 2.5, 0.0).astype(C128);
    let wind = (grid(8, 0.0, 1.0) - grid(8, 0.0, 0.0)).astype(C128);
    let a = &real + wind.with_data(wind.data() * &i * 0.25);
    assert!((&a - a.transpose().conj()).nnz() == 0);
    let scaled =
        sparse::diags_array([&(ndany::ones(64, F64) / a.diagonal(0).real())], [0], ..).to_csr();
    for (name, solve) in SOLVERS {
        for preconditioned in [false, true] {
            let mut options = Iteration::new().rtol(1e-8).maxiter(500);
            if preconditioned {
                options = options.preconditioner(&scaled);
            }
            let found = solve(&a, &b, options).expect("a solution");
            let error = relative(&a, &found.x, &b);
            // With a preconditioner `minres` has the residual in another norm.
            let most = if name == "minres" && preconditioned { 1e-6 } else { 1.01e-8 };
            assert!(found.converged && error < most, "{name}: {found:?}, {error:e}");
        }
    }
}

#[test]
fn least_squares_are_those_of_the_normal_equations() {
    let _guard = Device::open("cpu").expect("a device").enter();
    let mut numbers = Numbers(23);
    let entries = random(&mut numbers, [120, 15], 700);
    let a = entries.csr(F64, I32);
    let b = Array::from(numbers.values(120).as_slice());
    let found = linalg::lsqr(&a, &b, Iteration::new().rtol(1e-12)).expect("a solution");
    let gradient =
        a.rmatmul(&b - a.matmul(&found.x)).abs().max(..).item::<f64>().expect("a number");
    let scale = a.data().abs().max(..).item::<f64>().expect("a number");
    assert!(found.converged && gradient < 1e-8 * scale * scale, "{found:?}, {gradient:e}");
    assert!(found.residual > 1e-3);
}

#[test]
fn eigenvalues_without_symmetry_have_their_vectors() {
    use linalg::{LinearOperator, Spectrum, Which};
    for device in ["reference", "cpu"] {
        let _guard = Device::open(device).expect("a device").enter();
        let mut numbers = Numbers(26);
        let n = 150;
        let entries = random(&mut numbers, [n; 2], 900);
        let real = entries.csr(F64, I32).sum_duplicates();
        let i = ndany::full(1, Complex64::new(0.0, 1.0), C128);
        let complex = real.with_data(real.data() + &i * (real.data() * 0.5 + 1.0));
        for a in [&real, &complex] {
            let size = linalg::norm(a, ..).item::<f64>().expect("a norm");
            let check = |what: &str, (values, x): (Array, Array), k: usize| {
                assert_eq!((values.shape(), x.shape()), (&[k][..], &[n, k][..]), "{what}");
                assert_eq!((values.dtype(), x.dtype()), (C128, C128), "{what}");
                let rest = a.matmul(&x) - &x * &values;
                let rest = rest.abs().max(..).item::<f64>().expect("a number");
                assert!(rest < 1e-11 * size, "{what} on {device}: {rest:e} of {size}");
                let lengths = x.abs().square().sum(0);
                let apart = (lengths - 1).abs().max(..).item::<f64>().expect("a number");
                assert!(apart < 1e-12, "{what}: {apart:e}");
            };
            let all = ndany::linalg::eigvals(a.to_dense().astype(C128));
            for which in
                [Which::LargestMagnitude, Which::Largest, Which::Smallest, Which::LargestImaginary]
            {
                let options = Spectrum::new().which(which).tol(1e-13);
                let found = linalg::eigs(a, 5, options).expect("eigenvalues");
                // None beyond the last one is left out.
                let key = |values: &Array| match which {
                    Which::LargestMagnitude => values.abs(),
                    Which::Largest => values.real(),
                    Which::Smallest => -values.real(),
                    _ if a.dtype() == F64 => values.imag().abs(),
                    _ => values.imag(),
                };
                let wanted = key(&all).sort(..).flip(0).i(ndany::s![..5]);
                let apart = (key(&found.0) - wanted).abs().max(..).item::<f64>().expect("one");
                assert!(apart < 1e-9 * size, "{which:?} on {device}: {apart:e}");
                check(&format!("{which:?}"), found, 5);
            }
            let sigma = Complex64::new(0.4, 0.3);
            let shifted = a - sparse::eye_array(n).to_csr().astype(C128) * sigma;
            let lu = linalg::splu(&shifted).expect("factors");
            let found = linalg::eigs(a, 4, Spectrum::new().sigma(sigma, &lu)).expect("values");
            let nearest = (&all - sigma).abs().sort(..).i(ndany::s![..4]);
            let apart = ((&found.0 - sigma).abs() - nearest).abs().max(..).item::<f64>();
            assert!(apart.expect("a number") < 1e-9 * size);
            check("near a number", found, 4);
        }
        // Far from a normal matrix: the inverse is some 10¹⁰ times as large as the eigenvalues that are found.
        let wind = grid(40, 2.0, 0.5);
        let shifted = &wind - sparse::eye_array(1600).to_csr();
        let lu = linalg::splu(&shifted).expect("factors");
        let options = Spectrum::new().sigma(1.0, &lu);
        let (values, x) = linalg::eigs(&wind, 4, options).expect("eigenvalues");
        let rest = (wind.matmul(&x) - &x * &values).abs().max(..);
        let rest = rest.item::<f64>().expect("a number");
        assert!(rest < 1e-14, "{rest:e} on {device}");
        // A rotation of all axes: all eigenvalues have one length.
        let turn = LinearOperator::new([12, 12], F64, |x| x.roll(1, ..));
        let start = ndany::zeros(12, F64);
        let mut start = start;
        start.set(0, 1.0);
        let (values, _) = linalg::eigs(&turn, 11, Spectrum::new().v0(&start)).expect("values");
        let twelfth = (values.pow(12.0) - 1).abs().max(..).item::<f64>().expect("a number");
        assert!(twelfth < 1e-12, "{twelfth:e}");
        // A basis that is invariant goes on with another vector.
        let halves = sparse::diags_array([&ndany::full(30, 2.0, F64)], [0i64], ..).to_csr();
        let (values, _) = linalg::eigs(&halves, 4, ..).expect("values");
        assert!((values - 2).abs().max(..).item::<f64>().expect("a number") < 1e-14);
        let refused =
            |result: ndany::Result<(Array, Array)>| result.expect_err("it is refused").to_string();
        let few = refused(linalg::eigs(&real, 3, Spectrum::new().ncv(4).maxiter(1)));
        assert!(few.contains("eigs") && few.contains('1'), "{few}");
        let text = refused(linalg::eigs(&real, 3, Spectrum::new().ncv(3)));
        assert_eq!(text, "[eigs] bad argument: expected ncv of more than k, 3, got 3");
        let small = linalg::splu(&sparse::eye_array(5).to_csr()).expect("factors");
        let text = refused(linalg::eigs(&real, 3, Spectrum::new().sigma(0.0, &small)));
        assert!(text.contains("a solver of the operator's shape"), "{text}");
        let text = refused(linalg::eigsh(&real, 3, Spectrum::new().which(Which::LargestImaginary)));
        assert!(text.contains("no imaginary parts"), "{text}");
        let lu = linalg::splu(&(&real + sparse::eye_array(n).to_csr() * 40.0)).expect("factors");
        let text = refused(linalg::eigsh(&real, 3, Spectrum::new().sigma(Complex64::I, &lu)));
        assert!(text.contains("a real sigma"), "{text}");
    }
}

#[test]
fn generalized_eigenvalues_have_their_vectors() {
    use ndany::sparse::linalg::{Spectrum, Which, eigs, eigsh, splu};
    for device in ["cpu", "reference"] {
        let _guard = Device::open(device).expect("a device").enter();
        let a = grid(6, 4.0, 0.0);
        let n = a.shape()[0];
        let [weights, off] = [ndany::linspace(1.0, 3.0, n), ndany::full(n - 1, 0.2, F64)];
        let m = sparse::diags_array([&weights, &off, &off], [0, 1, -1], ..).to_csr();
        let inverse = splu(&m).expect("factors");
        let near = splu(&(&a - &(&m * 2.5))).expect("factors");
        let worst = |array: Array| array.abs().max(..).item::<f64>().expect("a number");
        let cases = [
            Spectrum::new().m(&m).minv(&inverse),
            Spectrum::new().m(&m).minv(&inverse).which(Which::Smallest),
            Spectrum::new().m(&m).sigma(2.5, &near),
        ];
        // All of them, by the square root of M's inverse on neither side: the dense matrix has no symmetry.
        let dense = ndany::linalg::solve(m.to_dense(), &a.to_dense());
        let exact: Vec<f64> = ndany::linalg::eigvals(&dense).real().sort(0).to_vec().unwrap();
        for (number, options) in cases.into_iter().enumerate() {
            let (values, vectors) = eigsh(&a, 4, options.clone()).expect("converged");
            assert!(worst(a.matmul(&vectors) - m.matmul(&vectors) * &values) < 1e-9, "{number}");
            let products = vectors.t().matmul(m.matmul(&vectors)) - ndany::eye(4);
            assert!(worst(products) < 1e-9, "{number}");
            let mut wanted = exact.clone();
            let key = |value: f64| match number {
                0 => -value.abs(),
                1 => value,
                _ => (value - 2.5).abs(),
            };
            wanted.sort_by(|&x, &y| key(x).total_cmp(&key(y)));
            wanted.truncate(4);
            wanted.sort_by(f64::total_cmp);
            assert!(worst(&values - array(wanted)) < 1e-9, "{number}: {values}");
            let wind = grid(6, 4.0, 1.0);
            let options = match number {
                2 => Spectrum::new().m(&m).sigma(2.5, &splu(&(&wind - &(&m * 2.5))).unwrap()),
                _ => options,
            };
            let (values, vectors) = eigs(&wind, 3, options).expect("converged");
            assert!(worst(wind.matmul(&vectors) - m.matmul(&vectors) * &values) < 1e-8, "{number}");
        }
        let alone = eigsh(&a, 2, Spectrum::new().m(&m)).expect_err("no solver").to_string();
        assert!(alone.contains("expected minv (splu(&m) is one)"), "{alone}");
        let other = eigsh(&a, 2, Spectrum::new().m(&sparse::eye_array(3)).minv(&inverse));
        assert!(other.expect_err("a shape").to_string().contains("M of the operator's shape"));
        assert!(linalg::svds(&a, 2, Spectrum::new().m(&m)).is_err());
    }
}

#[test]
fn eigenvectors_are_orthogonal_beside_a_value_that_is_far_from_all_others() {
    use ndany::sparse::linalg::{Spectrum, Which, eigsh, splu};
    let _guard = Device::open("cpu").expect("a device").enter();
    let a = grid(16, 4.0, 0.0);
    let options = Spectrum::new().which(Which::Smallest);
    let (values, _) = eigsh(&a, 5, options).expect("converged");
    // The inverse has a value of 1e9, and others below ten: rounding of the first is more than what steps leave of vectors.
    let sigma = values.i(3).item::<f64>().expect("a number") + 1e-9;
    let solver = splu(&(&a - sparse::eye_array(a.shape()[0]) * sigma)).expect("factors");
    let (values, vectors) = eigsh(&a, 6, Spectrum::new().sigma(sigma, &solver)).expect("converged");
    let worst = |array: Array| array.abs().max(..).item::<f64>().expect("a number");
    assert!(worst(vectors.t().matmul(&vectors) - ndany::eye(6)) < 1e-11);
    assert!(worst(a.matmul(&vectors) - &vectors * &values) < 1e-5);
}

#[test]
fn laplacians_of_grids_have_their_eigenvalues() {
    use linalg::{Boundary, LaplacianNd};
    let _guard = Device::open("cpu").expect("a device").enter();
    let shapes: [&[usize]; 6] = [&[1], &[2], &[7], &[3, 4], &[2, 1, 5], &[3, 2, 2, 2]];
    for shape in shapes {
        for boundary in [Boundary::Neumann, Boundary::Dirichlet, Boundary::Periodic] {
            let grid = LaplacianNd::new(shape.iter().copied(), boundary);
            let a = grid.to_sparse();
            assert_eq!((a.dtype(), a.shape()), (I8, [shape.iter().product(); 2]));
            let values = ndany::linalg::eigvalsh(a.to_dense().astype(F64), ..);
            let apart = (values - grid.eigenvalues()).abs().max(..);
            let apart = apart.item::<f64>().expect("a number");
            assert!(apart < 1e-13, "{shape:?} {boundary:?}: {apart:e}");
            // Rows sum to zero, but beside zeros.
            let sums = a.sum(1).abs().max(..).item::<i64>().expect("a number");
            assert_eq!(sums == 0, boundary != Boundary::Dirichlet, "{shape:?} {boundary:?}");
        }
    }
    // SciPy's: neighbours along the last axis are next to each other.
    let grid = LaplacianNd::new([2, 3], Boundary::Dirichlet).to_sparse();
    assert_eq!(grid.to_dense().i(1).to_string(), "[ 1 -4  1  0  1  0]");
    let empty = ndany::attempt(|| LaplacianNd::new([2, 0], Boundary::Neumann));
    assert!(empty.expect_err("no points").to_string().contains("expected axes with points"));
}

#[test]
fn triangles_are_solved_row_by_row() {
    for device in ["reference", "cpu"] {
        let _guard = Device::open(device).expect("a device").enter();
        let mut numbers = Numbers(25);
        let entries = random(&mut numbers, [60, 60], 500);
        for upper in [false, true] {
            for unit in [false, true] {
                let shifted = entries.coo(F64, I32).to_csr() + sparse::eye_array(60) * 8.0;
                let dense = shifted.to_dense().to_vec::<f64>().expect("values");
                let b = numbers.values(60);
                let mut options = linalg::Triangular::new();
                options = if upper { options.upper() } else { options };
                options = if unit { options.unit_diagonal() } else { options };
                let mut x = vec![0.0; 60];
                for step in 0..60 {
                    let row = if upper { 59 - step } else { step };
                    let own = if upper { row + 1..60 } else { 0..row };
                    let sum =
                        own.fold(0.0, |sum, column| sum + dense[row * 60 + column] * x[column]);
                    x[row] = b[row] - sum;
                    if !unit {
                        x[row] /= dense[row * 60 + row];
                    }
                }
                let b = Array::from(b.as_slice());
                let found = linalg::spsolve_triangular(&shifted, &b, options).expect("a solution");
                assert_eq!(found.to_vec::<f64>().expect("values"), x, "{options:?} on {device}");
                let many = ndany::stack([&b, &(&b * 0.5)], 1);
                let found =
                    linalg::spsolve_triangular(&shifted, &many, options).expect("a solution");
                assert_eq!(found.i(s![.., 0]).to_vec::<f64>().expect("values"), x, "a matrix");
            }
        }
        let singular = sparse::csr_array(Array::from([[1.0, 0.0], [1.0, 0.0]]), ..);
        let error = linalg::spsolve_triangular(&singular, &Array::from([1.0, 1.0]), ..);
        assert_eq!(error.expect_err("a zero").class(), "LinAlgError");
    }
}

#[test]
fn components_are_numbered_by_their_first_node() {
    for device in ["reference", "cpu"] {
        let _guard = Device::open(device).expect("a device").enter();
        let mut numbers = Numbers(24);
        let line = Entries {
            shape: [300; 2],
            rows: (0..299).rev().collect(),
            columns: (1..300).rev().collect(),
            values: vec![1.0; 299],
        };
        let mut graphs = vec![line];
        for (nodes, edges) in [(1, 0), (7, 3), (200, 90), (200, 190), (500, 600), (300, 1200)] {
            graphs.push(random(&mut numbers, [nodes; 2], edges));
        }
        for graph in graphs {
            let nodes = graph.shape[0];
            let mut label: Vec<usize> = (0..nodes).collect();
            let root = |label: &Vec<usize>, mut node: usize| {
                while label[node] != node {
                    node = label[node];
                }
                node
            };
            for (&row, &column) in graph.rows.iter().zip(&graph.columns) {
                let (a, b) = (root(&label, row as usize), root(&label, column as usize));
                label[a.max(b)] = a.min(b);
            }
            let roots: Vec<usize> = (0..nodes).map(|node| root(&label, node)).collect();
            let firsts: Vec<usize> = (0..nodes).filter(|&node| roots[node] == node).collect();
            let expected: Vec<i32> = roots
                .iter()
                .map(|root| firsts.iter().position(|first| first == root).expect("a root") as i32)
                .collect();
            let (count, labels) =
                csgraph::connected_components(&graph.coo(F64, I32), ..).expect("components");
            assert_eq!((count, labels.to_vec::<i32>().expect("labels")), (firsts.len(), expected));
        }
    }
}

/// Edges of a graph without symmetry, whose weights differ.
fn graph(numbers: &mut Numbers, nodes: usize, edges: usize) -> Sparse {
    let mut entries = random(numbers, [nodes; 2], edges);
    entries.values = (0..edges).map(|edge| 1.0 + edge as f64 + numbers.next()).collect();
    entries.coo(F64, I32).to_csr()
}

/// What searches of graphs and solvers make, by name.
fn of_graphs() -> Vec<(String, Array)> {
    let mut made: Vec<(String, Array)> = Vec::new();
    let mut numbers = Numbers(31);
    for (nodes, edges) in [(1, 0), (30, 40), (60, 900)] {
        let graph = graph(&mut numbers, nodes, edges);
        let mut add = |name: &str, array: Array| made.push((format!("{name} of {nodes}"), array));
        for directed in [true, false] {
            let route = csgraph::Route::new().directed(directed);
            let paths = csgraph::bellman_ford(&graph, route.clone()).expect("paths");
            add("distances", paths.distances);
            add("predecessors", paths.predecessors);
            let paths = csgraph::floyd_warshall(&graph, route).expect("paths");
            add("distances of pairs", paths.distances);
            let (order, before) =
                csgraph::breadth_first_order(&graph, 0, directed).expect("an order");
            add("order", order);
            add("before", before);
        }
        add("tree", csgraph::minimum_spanning_tree(&graph).expect("a tree").to_dense());
        add("laplacian", csgraph::laplacian(&graph, ..).expect("a laplacian").0.to_dense());
        add("components", csgraph::connected_components(&graph, ..).expect("components").1);
    }
    let a = grid(7, 2.0, 0.2);
    let b = Array::from(numbers.values(49).as_slice());
    for (name, solve) in &SOLVERS[2..] {
        let found = solve(&a, &b, Iteration::new().rtol(1e-6).maxiter(40)).expect("a solution");
        made.push((name.to_string(), found.x));
    }
    let symmetric = grid(7, 2.0, 0.0);
    let inverse = linalg::spilu(&a, linalg::Drop::Fill).expect("factors");
    made.push(("ilu".to_string(), inverse.solve(&b).expect("a solution")));
    let inverse = linalg::ic0(&symmetric).expect("factors");
    made.push(("ic".to_string(), inverse.solve(&b).expect("a solution")));
    let exponential = linalg::expm_multiply(&a, &b, -0.5).expect("an exponential");
    made.push(("exponential".to_string(), exponential));
    made.push(("eigenvalues".to_string(), linalg::eigsh(&symmetric, 3, ..).expect("values").0));
    // More than one restart, of a basis that stays real and of a complex one.
    let turned = (&a + sparse::triu(&a, 1).to_csr() * 3.0).astype(F64);
    for (name, own) in [("real", turned.clone()), ("complex", turned.astype(C128))] {
        let options = linalg::Spectrum::new().ncv(9).which(linalg::Which::Largest);
        let (values, vectors) = linalg::eigs(&own, 3, options).expect("values");
        made.push((format!("{name} eigenvalues without symmetry"), values));
        made.push((format!("{name} eigenvectors without symmetry"), vectors));
    }
    // Duplicates, unsorted places, and sums of more than one run of 64.
    let part = |numbers: &mut Numbers, extent: usize| {
        Array::from((0..400).map(|_| numbers.below(extent) as i64).collect::<Vec<_>>().as_slice())
    };
    let coords = [part(&mut numbers, 6), part(&mut numbers, 3), part(&mut numbers, 40)];
    let values = Array::from(numbers.values(400).as_slice());
    let many = sparse::SparseNd::new(&values, &coords, [6, 3, 40]);
    made.push(("elements of three axes".to_string(), many.to_dense()));
    made.push(("sums of two axes".to_string(), many.sum([1, 2])));
    made.push(("axes in another order".to_string(), many.transpose([2, 0, 1]).to_dense()));
    let product = many.tensordot(&many, [0, 2], [0, 2]);
    made.push(("products along two axes".to_string(), product.to_dense()));
    let product = many.tensordot(&values.i(ndany::s![..120]).reshape((40, 3)), [2], [0]);
    made.push(("products with a dense array".to_string(), product));
    made.push(("inverse".to_string(), linalg::inv(&a).expect("an inverse").to_dense()));
    let matrix = linalg::expm(&(&a * -2.0)).expect("an exponential");
    made.push(("exponential of a matrix".to_string(), matrix.to_dense()));
    let start = Array::from(numbers.values(98).as_slice()).reshape((49, 2));
    let options = Iteration::new().maxiter(5);
    made.push((
        "lobpcg".to_string(),
        linalg::lobpcg(&symmetric, &start, options).expect("values").0,
    ));
    made
}

#[test]
fn arrays_of_other_than_two_axes_are_printed_as_scipy_prints_them() {
    let a = sparse::SparseNd::from(&array([[[0, 5], [0, 0]], [[7, 0], [0, 1]]]));
    let text = "<COOrdinate sparse array of dtype 'int32'\n\twith 3 stored elements and shape (2, 2, 2)>\n  Coords\tValues\n  \
                (0, 0, 1)\t5\n  (1, 0, 0)\t7\n  (1, 1, 1)\t1";
    assert_eq!(a.to_string(), text);
}

#[test]
fn sums_along_axes_need_no_memory_for_all_places() {
    let places = [array([0i64, 1, 1]), array([1i64 << 30, 5, 5]), array([3i64, 1 << 29, 0])];
    let a = sparse::SparseNd::new(array([1.0, 2.0, 4.0]), &places, [2, 1 << 31, 1 << 30]);
    assert_eq!(a.sum(..).to_string(), "7.0");
    assert_eq!(a.sum([1, 2]).to_string(), "[1. 6.]");
    assert_eq!(a.transpose([2, 0, 1]).sum([0, 2]).to_string(), "[1. 6.]");
}

#[test]
fn the_cpu_has_the_graphs_of_the_reference() {
    compare_graphs("cpu");
}

fn compare_graphs(device: &str) {
    let on = |name: &str| {
        let _guard = Device::open(name).expect("a device").enter();
        of_graphs().into_iter().map(|(name, array)| (name, bits(&array))).collect::<Vec<_>>()
    };
    for (own, reference) in on(device).into_iter().zip(on("reference")) {
        assert!(own == reference, "{} on {device}", own.0);
    }
}

#[test]
fn preconditioners_save_steps() {
    let _guard = Device::open("cpu").expect("a device").enter();
    let mut numbers = Numbers(41);
    let a = grid(20, 2.0, 0.0);
    let b = Array::from(numbers.values(400).as_slice());
    let options = Iteration::new().rtol(1e-10);
    let plain = linalg::cg(&a, &b, options.clone()).expect("a solution");
    let factors = linalg::ic0(&a).expect("factors");
    let found = linalg::cg(&a, &b, options.clone().preconditioner(&factors)).expect("a solution");
    assert!(found.converged && relative(&a, &found.x, &b) < 1.1e-10, "{found:?}");
    assert!(2 * found.iterations < plain.iterations, "{} {}", found.iterations, plain.iterations);
    let wind = grid(20, 2.0, 0.3);
    let plain = linalg::gmres(&wind, &b, options.clone()).expect("a solution");
    let mut before = plain.iterations;
    for drop in [linalg::Drop::Fill, linalg::Drop::Small { tol: 1e-4, fill: 10.0 }] {
        let inverse = linalg::spilu(&wind, drop).expect("factors");
        let own = options.clone().preconditioner(&inverse);
        let found = linalg::gmres(&wind, &b, own).expect("a solution");
        assert!(found.converged && relative(&wind, &found.x, &b) < 1.1e-10, "{found:?}");
        assert!(found.iterations < before, "{drop:?}: {}, {before}", found.iterations);
        before = found.iterations;
    }
    let inverse = linalg::jacobi(&wind).expect("an inverse");
    let own = options.preconditioner(&inverse);
    assert!(linalg::bicg(&wind, &b, own.clone()).expect("a solution").converged);
    assert!(linalg::qmr(&wind, &b, own).expect("a solution").converged);
    let negative = linalg::ic0(&(&a * -1.0)).expect_err("a negative pivot").to_string();
    assert_eq!(negative, "[ic0] bad argument: the pivot of row 0 is not positive");
    let hole = sparse::csr_array(Array::from([[0.0, 1.0], [1.0, 0.0]]), ..);
    let zero = linalg::spilu(&hole, linalg::Drop::Fill).expect_err("a zero pivot").to_string();
    assert!(zero.contains("the pivot of row 0"), "{zero}");
}

#[test]
fn flows_are_conserved_and_matchings_match() {
    let _guard = Device::open("cpu").expect("a device").enter();
    let mut numbers = Numbers(51);
    for (nodes, edges) in [(6, 14), (20, 90)] {
        let own = graph(&mut numbers, nodes, edges).astype(I64).sum_duplicates();
        let found = csgraph::maximum_flow(&own, 0, nodes - 1).expect("a flow");
        let flow = found.flow.to_dense();
        assert!((&flow + flow.t()).equal(0).all(..).item::<bool>().expect("a number"));
        assert!(flow.less_equal(own.to_dense()).all(..).item::<bool>().expect("a number"));
        let sums = flow.sum(1).to_vec::<i64>().expect("sums");
        assert_eq!((sums[0], sums[nodes - 1]), (found.value, -found.value));
        assert!(sums[1..nodes - 1].iter().all(|&sum| sum == 0), "{sums:?}");
        let matched = csgraph::maximum_bipartite_matching(&own).expect("a matching");
        let matched = matched.to_vec::<i32>().expect("columns");
        let dense = own.to_dense().to_vec::<i64>().expect("values");
        let mut columns: Vec<usize> = Vec::new();
        for (row, &column) in matched.iter().enumerate() {
            if column >= 0 {
                assert_ne!(dense[row * nodes + column as usize], 0);
                columns.push(column as usize);
            }
        }
        columns.sort_unstable();
        let count = columns.len();
        columns.dedup();
        assert_eq!(columns.len(), count);
        let rank = csgraph::structural_rank(&own).expect("a rank");
        assert_eq!(rank, count);
        let order = csgraph::reverse_cuthill_mckee(&own).expect("an order");
        let mut order = order.to_vec::<i32>().expect("an order");
        order.sort_unstable();
        assert_eq!(order, (0..nodes as i32).collect::<Vec<_>>());
    }
}

/// Of a small graph, all that there is.
#[test]
fn several_paths_and_light_matchings_are_the_best_of_all() {
    let _guard = Device::open("cpu").expect("a device").enter();
    let mut numbers = Numbers(52);
    for round in 0..20 {
        let n = 6;
        let own = graph(&mut numbers, n, 17).sum_duplicates();
        let dense: Vec<f64> = own.to_dense().ravel().to_vec().expect("weights");
        // All paths over no node twice, by a walk over them.
        let mut all: Vec<(f64, Vec<usize>)> = Vec::new();
        let mut open = vec![(0.0, vec![0usize])];
        while let Some((length, path)) = open.pop() {
            let last = path[path.len() - 1];
            if last == n - 1 {
                all.push((length, path));
                continue;
            }
            for next in 0..n {
                let weight = dense[last * n + next];
                if weight != 0.0 && !path.contains(&next) {
                    let whole = path.iter().copied().chain([next]).collect();
                    open.push((length + weight, whole));
                }
            }
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        for k in [1, 3, 100] {
            let found = csgraph::yen(&own, 0, n - 1, k, ..).expect("paths");
            let expected: Vec<f64> = all.iter().take(k).map(|path| path.0).collect();
            assert_eq!(found.distances.to_vec::<f64>().expect("lengths"), expected, "{round}");
            let before = found.predecessors.ravel().to_vec::<i32>().expect("nodes");
            for (row, (_, path)) in all.iter().take(k).enumerate() {
                for pair in path.windows(2) {
                    assert_eq!(before[row * n + pair[1]], pair[0] as i32);
                }
                let on_path = before[row * n..][..n].iter().filter(|&&node| node >= 0).count();
                assert_eq!(on_path, path.len() - 1);
            }
        }
        // The lightest of all permutations.
        let mut least: Option<f64> = None;
        let mut orders = vec![Vec::<usize>::new()];
        while let Some(order) = orders.pop() {
            let row = order.len();
            if row == n {
                let sum = order.iter().enumerate().map(|(row, &to)| dense[row * n + to]).sum();
                least = Some(least.map_or(sum, |least| f64::min(least, sum)));
                continue;
            }
            for to in (0..n).filter(|to| dense[row * n + to] != 0.0 && !order.contains(to)) {
                orders.push(order.iter().copied().chain([to]).collect());
            }
        }
        match (csgraph::min_weight_full_bipartite_matching(&own), least) {
            (Ok((rows, columns)), Some(least)) => {
                let sum = own.at(rows, columns).sum(..).item::<f64>().expect("a sum");
                assert!((sum - least).abs() < 1e-12 * least, "{sum} {least}");
            }
            (found, least) => assert!(found.is_err() && least.is_none(), "{found:?} {least:?}"),
        }
    }
}

#[test]
fn archives_are_those_of_scipy() {
    let _guard = Device::open("cpu").expect("a device").enter();
    let path = std::env::temp_dir().join(format!("ndany-sparse-{}.npz", std::process::id()));
    let mut numbers = Numbers(61);
    let entries = random(&mut numbers, [6, 8], 20);
    for format in [Format::Csr, Format::Csc, Format::Coo, Format::Dia, Format::Bsr] {
        for compression in [ndany::Compression::Stored, ndany::Compression::Deflated] {
            let own = entries.coo(F32, I32).asformat(format);
            sparse::save_npz(&path, &own, compression).expect("written");
            let back = sparse::load_npz(&path).expect("read");
            assert_eq!((back.format(), back.shape(), back.dtype()), (format, [6, 8], F32));
            assert_eq!(bits(&back.to_dense()), bits(&own.to_dense()));
        }
    }
    // Every cut and every changed byte of a file is read as it stands, or refused.
    sparse::save_npz(&path, &entries.coo(F32, I32).to_csr(), ndany::Compression::Stored)
        .expect("written");
    let whole = std::fs::read(&path).expect("there");
    for at in (0..whole.len()).step_by(7) {
        std::fs::write(&path, &whole[..at]).expect("written");
        assert!(sparse::load_npz(&path).is_err(), "cut at {at}");
        let mut changed = whole.clone();
        changed[at] ^= 0x55;
        std::fs::write(&path, &changed).expect("written");
        if let Ok(read) = sparse::load_npz(&path) {
            assert!(read.shape()[0] <= 1 << 32);
        }
    }
    std::fs::remove_file(path).expect("just written");
}

#[test]
fn printed_arrays_are_those_of_scipy() {
    let _guard = Device::open("cpu").expect("a device").enter();
    let a = sparse::csr_array(Array::from([[0.0, 5.5], [7.0, 0.0]]), ..);
    assert_eq!(
        a.to_string(),
        "<Compressed Sparse Row sparse array of dtype 'float64'\n\twith 2 stored elements and shape (2, 2)>\n  \
         Coords\tValues\n  (0, 1)\t5.5\n  (1, 0)\t7.0"
    );
    assert_eq!(sparse::eye_array(60).astype(I32).to_csr().to_string().lines().count(), 3 + 50 + 1,);
    assert!(sparse::eye_array(2).to_string().contains("(1 diagonals) and shape (2, 2)>"));
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn software_gpus_have_the_bits_of_the_reference() {
    use support::{Folder, LIBRARIES, process_of_all_vendors};

    let folder = Folder::of_software_gpu("sparse", &LIBRARIES);
    process_of_all_vendors(&folder, "alone", &[]);
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn steps_launch_no_more_than_they_must() {
    use support::{Folder, SearchVariables, process_among};

    const VARIABLES: SearchVariables =
        SearchVariables { libraries: "NDANY_CUDA_LIBRARIES", homes: ["CUDA_PATH", "CUDA_HOME"] };
    let folder = Folder::of_software_gpu("launches", &["libcuda.so.1", "libnvrtc.so.13"]);
    process_among(&VARIABLES, "launches", Some(&folder.0), &[]);
}

/// Launches and reads of the host that a function asks the software GPU for, after it was called once: the fewest of some calls, since
/// the words of errors that a read waits for lie in one page of the device or, at its end, in two.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn launches_and_reads(run: impl Fn()) -> [usize; 2] {
    let folder = std::env::var_os("NDANY_CUDA_LIBRARIES").expect("set for this process");
    let control = control::Control::of(&std::path::Path::new(&folder).join("libcuda.so.1"));
    run();
    let mut fewest = [usize::MAX; 2];
    for _ in 0..4 {
        let before = control.calls();
        run();
        let names: Vec<String> =
            (before + 1..=control.calls()).map(|number| control.name(number)).collect();
        let found = ["cuLaunchKernel", "cuEventSynchronize"]
            .map(|wanted| names.iter().filter(|name| *name == wanted).count());
        fewest = [0, 1].map(|kind| fewest[kind].min(found[kind]));
    }
    fewest
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn count_launches() {
    use ndany::sparse::linalg::{Spectrum, Which};
    let _guard = Device::open("cuda:0").expect("a device").enter();
    // More rows than a block keeps, as in problems that are worth a GPU.
    let a = grid(270, 4.0, 0.0);
    let b = ndany::ones(a.shape()[0], F64);
    let options = |steps: usize| Iteration::new().rtol(1e-300).maxiter(steps);
    let each = |few: [usize; 2], many: [usize; 2]| [0, 1].map(|kind| many[kind] - few[kind]);
    let cg = [8, 16].map(|steps| {
        launches_and_reads(|| {
            linalg::cg(&a, &b, options(steps)).expect("steps");
        })
    });
    let gmres = [8, 16].map(|steps| {
        launches_and_reads(|| {
            linalg::gmres(&a, &b, options(steps)).expect("steps");
        })
    });
    let spectrum = |ncv: usize| Spectrum::new().which(Which::Smallest).ncv(ncv).maxiter(1);
    let eigsh = [12, 20].map(|ncv| {
        launches_and_reads(|| {
            linalg::eigsh(&a, 2, spectrum(ncv)).expect_err("one round is not enough");
        })
    });
    let rows = launches_and_reads(|| a.i(s![..;2, ..]).data().eval().expect("rows"));
    // Of eight steps, and of a slice of rows: launches, and how often the host waits (one look each eighth step, for a value and for what
    // it depends on).
    for (what, found, most) in [
        ("cg", each(cg[0], cg[1]), [58, 2]),
        ("gmres", each(gmres[0], gmres[1]), [83, 2]),
        ("eigsh", each(eigsh[0], eigsh[1]), [72, 0]),
        ("rows", rows, [7, 1]),
    ] {
        assert!((0..2).all(|kind| found[kind] <= most[kind]), "{what}: {found:?}, not {most:?}");
    }
}

/// Everything on the devices of `NDANY_PROPERTY_DEVICES`, else on those that are built.
#[test]
#[ignore = "run by the other"]
fn alone() {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    if support::task() == "launches" {
        return count_launches();
    }
    let named = std::env::var("NDANY_PROPERTY_DEVICES").ok();
    let built = [("cuda:0", cfg!(feature = "cuda")), ("hip:0", cfg!(feature = "rocm"))];
    match &named {
        Some(named) => named.split(' ').for_each(|device| compare(device, &SHAPES, &DTYPES)),
        // Both vendors have one text: each takes some dtypes.
        None => {
            let dtypes: [&[DType]; 2] = [&[F64, I8], &[C64]];
            for ((device, _), dtypes) in built.iter().filter(|(_, built)| *built).zip(dtypes) {
                compare(device, &SHAPES[..2], dtypes);
                compare_graphs(device);
            }
            // Rows of several runs, which a block stages in several parts.
            if cfg!(feature = "cuda") {
                // They are run where a device has a context of its own.
                assert!(Device::open("cuda:0").expect("a device").native().is_some());
                compare("cuda:0", &SHAPES[2..4], &[F64]);
                compare("cuda:0", &SHAPES[..3], &[F32]);
                // No entries, and one alone.
                compare("cuda:0", &SHAPES[4..], &[F64]);
                steps_of_gmres("cuda:0");
                steps_of_lanczos("cuda:0");
                let _guard = Device::open("cuda:0").expect("a device").enter();
                shared_places(&[Format::Csr]);
                unions();
                turns();
            }
        }
    }
}
