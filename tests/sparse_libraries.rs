//! Sparse products whose order of sums is free: a vendor's library does them where there is one, own kernels elsewhere. On the software
//! GPU a library of the same shape in C stands for it.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::prelude::*;
use ndany::sparse::{Sparse, Unordered};
use ndany::{Capture, Graph};

/// An array of random places, with duplicates, in no order.
fn random(rows: usize, columns: usize, entries: usize, indices: DType, dtype: DType) -> Sparse {
    let mut rng = Generator::new(3);
    let places = [rows, columns].map(|extent| rng.integers(0..extent as i64, entries));
    let values = rng.uniform(-1.0, 1.0, entries);
    let values = match dtype.is_complex() {
        true => values * num_complex::Complex::new(1.0, -0.5),
        false => values,
    };
    let [rows_of, columns_of] = places.map(|places| places.astype(indices));
    sparse::coo_array((values.astype(dtype), (&rows_of, &columns_of)), (rows, columns))
}

fn bits(array: &Array) -> Vec<u64> {
    let parts = match array.dtype().is_complex() {
        true => [array.real(), array.imag()].map(|part| part.astype(F64)).to_vec(),
        false => vec![array.astype(F64)],
    };
    let values = parts.iter().flat_map(|part| part.ravel().to_vec::<f64>().expect("values"));
    values.map(f64::to_bits).collect()
}

/// How far two products are from each other, in roundings of the sums of their terms' magnitudes.
fn apart(a: &Sparse, x: &Array, got: &Array) -> f64 {
    let wanted = a.matmul(x);
    assert_eq!((got.shape(), got.dtype()), (wanted.shape(), wanted.dtype()));
    let epsilon = if a.dtype().part() == F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let sizes = a.with_data(a.data().abs()).matmul(x.abs()) * epsilon + f64::MIN_POSITIVE;
    ((got - wanted).abs() / sizes).max(..).astype(F64).item().expect("a number")
}

#[test]
fn devices_without_a_library_have_the_promised_order() {
    for name in ["cpu", "reference"] {
        let _guard = Device::open(name).expect("a device").enter();
        let a = random(40, 30, 400, I32, F64);
        for x in [Generator::new(1).random(30), Generator::new(1).random((30, 3))] {
            assert_eq!(bits(&a.matmul(Unordered(&x))), bits(&a.matmul(&x)), "{name}");
        }
        let wrong = attempt(|| a.matmul(Unordered(Generator::new(1).random(40))));
        assert!(wrong.expect_err("extents").to_string().contains("do not meet"));
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn libraries_multiply_where_any_order_is_allowed() {
    use support::{Folder, LIBRARIES, process_of_all_vendors};
    let folder = Folder::of_software_gpu("sparse-libraries", &LIBRARIES);
    let text = include_str!("sparse_libraries.c");
    for (library, prefix, driver, wait, rows) in [
        ("libcusparse.so.12", "cusparse", LIBRARIES[0], "cuStreamSynchronize", 2),
        ("libhipsparse.so.1", "hipsparse", LIBRARIES[2], "hipStreamSynchronize", 1),
    ] {
        let there = folder.0.join(driver);
        let words = format!(
            "#define PREFIX {prefix}\n#define WAIT \"{wait}\"\n#define DRIVER {there:?}\n#define ROWS {rows}\n"
        );
        folder.compile(library, &(words + text));
    }
    let text = process_of_all_vendors(&folder, "libraries", &[]);
    assert!(!text.contains("a handle of two streams"), "{text}");
    for line in text.lines().filter(|line| line.starts_with("Sp")) {
        // A product has three operands, and no descriptor stays.
        assert!(line.ends_with("live 3"), "{line}");
    }
    for asked in [
        // Vectors: of both dtypes of indices, of each dtype of values.
        "SpMV of 50 by 40, 446 entries, dtype 1, wide 0, order 1",
        "SpMV of 50 by 40, 446 entries, dtype 1, wide 1, order 1",
        "SpMV of 50 by 40, 500 entries, dtype 0, wide 0, order 1",
        "SpMV of 50 by 40, 446 entries, dtype 5, wide 0, order 1",
        "SpMV of 40 by 50, 446 entries, dtype 1, wide 0, order 1",
        // Matrices, in the order of each vendor.
        "SpMM of 50 by 40, 446 entries, dtype 1, wide 0, order 2",
        "SpMM of 50 by 40, 446 entries, dtype 1, wide 0, order 1",
    ] {
        assert!(text.contains(asked), "{asked}\n{text}");
    }
    assert!(!text.contains("dtype 4"), "{text}");
    assert!(text.contains("reports cuSPARSE 0.1.2 and hipSPARSE"), "{text}");
}

#[test]
#[ignore = "run by the other"]
fn alone() {
    for name in ["cuda:0", "hip:0"] {
        let device = Device::open(name).expect("a device");
        let _guard = device.enter();
        for (indices, dtype) in [(I32, F64), (I64, F64), (I32, F32), (I32, C128), (I32, C64)] {
            let coordinates = random(50, 40, 500, indices, dtype);
            let draw = |shape: &[usize]| Generator::new(5).normal(0.0, 1.0, shape).astype(dtype);
            for a in [coordinates.to_csr(), coordinates.to_csc(), coordinates] {
                let (tall, wide) = (draw(&[43]), draw(&[7, 40]));
                // A part of a larger array, one in another order, and numbers of another dtype.
                for x in [tall.i(s![3..]), tall.i(s![3..]).flip(0), wide.t(), draw(&[40, 1])] {
                    let got = a.matmul(Unordered(&x));
                    assert!(apart(&a, &x, &got) < 20.0, "{name} {indices} {dtype}");
                    if dtype == C64 {
                        assert_eq!(bits(&got), bits(&a.matmul(&x)), "refused: own kernels");
                    }
                }
            }
        }
        let a = random(50, 40, 500, I32, F64).to_csr();
        let x = Generator::new(7).random(40);
        let halves = x.astype(F32);
        assert!(apart(&a, &halves, &a.matmul(Unordered(&halves))) < 20.0, "{name}");
        let back = a.transpose();
        let y = Generator::new(8).random(50);
        assert!(apart(&back, &y, &back.matmul(Unordered(&y))) < 20.0, "{name}");
        // Other streams have handles of their own.
        for _ in 0..2 {
            let stream = device.stream(..).expect("a stream");
            let _here = stream.enter();
            assert!(apart(&a, &x, &a.matmul(Unordered(&x))) < 20.0, "{name}");
        }
        // A graph does the product again with other values.
        a.matmul(&x).eval().expect("what is read of rows is read");
        let product = Graph::capture("product", [&x], |_: &mut Capture, [x]| {
            [a.matmul(Unordered(&(x * 2.0))) + 1.0]
        });
        let product = product.expect("a graph");
        let other = Generator::new(9).random(40);
        let [got] = product.launch([&other]).expect("launched");
        assert!(apart(&a, &(&other * 2.0), &(got - 1.0)) < 40.0, "{name}");
    }
    let reports: Vec<_> = Device::reports().into_iter().collect();
    let version = |name: &str| {
        let libraries = reports.iter().flat_map(|family| &family.libraries);
        let mut libraries = libraries.filter(|library| library.name == name);
        let found = libraries.next().and_then(|library| library.found.as_ref().ok());
        found.map(|found| format!("{name} {}", found.version)).unwrap_or_default()
    };
    println!("reports {} and {}", version("cuSPARSE"), version("hipSPARSE"));
}
