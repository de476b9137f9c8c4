//! Factorizations of sparse arrays by a vendor's library, where there is one and its factors are good enough; else the host factorizes. On
//! the software GPU a library of cuDSS's shape in C stands for it.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::prelude::*;
use ndany::sparse::linalg::{Spectrum, eigsh, splu, spsolve};
use ndany::sparse::{self, Sparse};
use ndany::{Capture, Graph};
use num_complex::Complex;
use support::{Folder, LIBRARIES, process_of_all_vendors, task};

/// A random array whose diagonal is larger than the rest, so that no pivot is small.
fn random(n: usize, seed: u64, indices: DType, dtype: DType) -> Sparse {
    let mut rng = Generator::new(seed);
    let places = [n, n].map(|extent| rng.integers(0..extent as i64, 4 * n).astype(indices));
    let [rows, columns] = &places;
    let values = rng.uniform(-1.0, 1.0, 4 * n);
    let values = match dtype.is_complex() {
        true => values * Complex::new(1.0, -0.5),
        false => values,
    };
    let rest = sparse::coo_array((values.astype(dtype), (rows, columns)), (n, n)).to_csr();
    let diagonal = sparse::eye_array(n).to_csr().astype(dtype) * 40.0;
    let whole = rest + diagonal;
    let parts = (whole.data(), whole.indices().astype(indices), whole.indptr().astype(indices));
    sparse::csr_array(parts, (n, n))
}

/// The largest element of a residual, relative to the right side.
fn residual(a: &Sparse, x: &Array, b: &Array) -> f64 {
    let rest = (a.matmul(x) - b).abs().max(..) / b.abs().max(..);
    rest.astype(F64).item().expect("a number")
}

/// What the library was asked for in a process whose library fails so.
fn process(how: &str) -> String {
    let folder = Folder::of_software_gpu("direct-solvers", &LIBRARIES);
    let there = folder.0.join(LIBRARIES[0]);
    let words = format!("#define DRIVER {there:?}\n#define WAIT \"cuStreamSynchronize\"\n");
    folder.compile("libcudss.so.1", &(words + include_str!("direct_solvers.c")));
    process_of_all_vendors(&folder, how, &[("STANDIN", how)])
}

/// The lines of what it was asked for.
fn asked(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("direct: ")).collect()
}

#[test]
fn a_library_factorizes_and_solves() {
    let text = process("whole");
    let asked = asked(&text);
    let count = |what: &str| asked.iter().filter(|line| line.starts_with(what)).count();
    for line in [
        "analysis of 50 rows, 244 entries, dtype 1, wide 0",
        "analysis of 50 rows, 244 entries, dtype 1, wide 1",
        "analysis of 50 rows, 244 entries, dtype 5, wide 0",
        "solution of 50 rows, 244 entries, dtype 1, wide 0, mode 1",
        "solution of 50 rows, 244 entries, dtype 5, wide 0, mode 2",
    ] {
        assert!(asked.iter().any(|asked| asked.starts_with(line)), "{line}\n{text}");
    }
    assert!(!text.contains("the data do not know"), "{text}");
    // Each array has its configuration, its description and those of both sides, and no other is there.
    let calls = asked.iter().filter(|line| !line.starts_with("destroyed"));
    assert!(calls.clone().all(|line| line.ends_with("live 4")), "{text}");
    assert_eq!(count("destroyed"), count("analysis"), "{text}");
    assert!(text.contains("reports cuDSS 0.1.2"), "{text}");
    // Of the second array, of the first again, of the second, and of the first in the streams.
    assert_eq!(count("refactorization"), 4, "{text}");
}

#[test]
fn the_host_factorizes_what_a_library_does_not() {
    // Whether phases come that follow a refusal.
    for (how, factorizes, solves) in
        [("refused", false, false), ("memory", false, false), ("wrong", true, true)]
    {
        let text = process(how);
        let asked = asked(&text);
        let has = |what: &str| asked.iter().any(|line| line.starts_with(what));
        assert_eq!((has("factorization"), has("solution")), (factorizes, solves), "{how}\n{text}");
        assert!(asked.is_empty() || has("destroyed"), "{how}\n{text}");
    }
    let text = process("adjoint");
    assert!(asked(&text).iter().any(|line| line.starts_with("solution")), "{text}");
    assert!(!text.contains("mode 1"), "{text}");
}

#[test]
#[ignore = "run by the others"]
fn alone() {
    let cpu = Device::open("cpu").expect("a device");
    let device = Device::open("cuda:0").expect("a device");
    let _guard = device.enter();
    for (indices, dtype) in [(I32, F64), (I64, F64), (I32, F32), (I32, C128), (I32, I64)] {
        let a = random(50, 3, indices, if dtype == I64 { F64 } else { dtype });
        let a = if dtype == I64 { a.with_data((a.data() * 4.0).rint().astype(I64)) } else { a };
        let lu = splu(&a).expect("factors");
        let draw = |shape: &[usize]| Generator::new(5).normal(0.0, 1.0, shape);
        let bound = if dtype == F32 { 1e-5 } else { 1e-12 };
        let (tall, wide) = (draw(&[53]), draw(&[3, 50]));
        // A part of a larger array, one in another order, several, and one on another device.
        for b in [tall.i(s![3..]), tall.i(s![3..]).flip(0), wide.t()] {
            let x = lu.solve(&b).expect("a solution");
            assert!(residual(&a, &x, &b) < bound, "{indices} {dtype}");
            let x = lu.solve_adjoint(&b).expect("a solution");
            assert!(residual(&a.transpose().conj(), &x, &b) < bound, "{indices} {dtype}");
            let sides =
                b.astype(C128) * Complex::new(1.0, 2.0) + b.flip(0) * Complex::new(0.0, 1.0);
            let x = lu.solve(&sides).expect("a solution");
            assert!(residual(&a.astype(C128), &x, &sides) < bound, "{indices} {dtype}");
        }
        let b = draw(&[50]);
        let away = lu.solve(&b.to_device(&cpu).expect("a copy")).expect("a solution");
        assert_eq!(away.device(), &cpu);
        let x = lu.solve(&b).expect("a solution");
        assert_eq!(away.to_vec::<f64>().ok(), x.to_vec::<f64>().ok());
    }
    // Two arrays of one analysis, in turn.
    let a = random(50, 3, I32, F64);
    let b = Generator::new(7).normal(0.0, 1.0, 50);
    let lu = splu(&a).expect("factors");
    let other = &a * 3.0;
    let turned = lu.refactor(&other).expect("factors");
    for _ in 0..2 {
        assert!(residual(&other, &turned.solve(&b).expect("a solution"), &b) < 1e-12);
    }
    assert!(residual(&a, &lu.solve(&b).expect("a solution"), &b) < 1e-12);
    assert!(residual(&other, &turned.solve(&b).expect("a solution"), &b) < 1e-12);
    let places = lu.refactor(&random(50, 4, I32, F64)).expect_err("other places");
    assert!(places.to_string().contains("expected the places of the array"), "{places}");
    // Of the other kind of numbers, and on another device.
    for (new, device) in [(a.astype(C128), &device), (a.clone(), &cpu)] {
        let here = |a: &Sparse| a.to_device(device);
        let (new, b) = (here(&new), b.to_device(device).expect("a copy"));
        let x = lu.refactor(&new).expect("factors").solve(&b).expect("a solution");
        assert!(residual(&new, &x, &b.astype(new.dtype())) < 1e-12, "{device}");
        let others = here(&random(50, 4, I32, new.dtype()));
        let places = lu.refactor(&others).expect_err("other places").to_string();
        assert!(places.contains("expected the places of the array"), "{device}: {places}");
    }
    // In streams of their own, in which the factors are made in turn.
    for nth in 1..4 {
        let stream = device.stream(..).expect("a stream");
        let _here = stream.enter();
        let scaled = &b * f64::from(nth);
        assert!(residual(&a, &lu.solve(&scaled).expect("a solution"), &scaled) < 1e-12);
    }
    // Pivots that a library replaces: the host exchanges rows, and finds what is singular.
    let turned = sparse::csr_array(array([[0.0, 2.0], [4.0, 1.0]]), ..);
    assert_eq!(spsolve(&turned, &array([2.0, 5.0])).expect("a solution").to_string(), "[1. 1.]");
    let singular = sparse::csr_array(array([[1.0, 2.0], [2.0, 4.0]]), ..);
    let error = splu(&singular).expect_err("singular");
    assert!(error.to_string().contains("not singular"), "{error}");
    // As the solver of a shifted array.
    let shifted = splu(&(&a - sparse::eye_array(50) * 30.0)).expect("factors");
    let symmetric = &a + a.transpose();
    let solver = splu(&(&symmetric - sparse::eye_array(50) * 70.0)).expect("factors");
    let (near, _) = eigsh(&symmetric, 2, Spectrum::new().sigma(70.0, &solver)).expect("values");
    let all = ndany::linalg::eigvalsh(symmetric.to_dense(), ..);
    let distance = (&all - 70.0).abs().sort(..);
    assert!(
        ((&near - 70.0).abs().sort(..) - distance.i(s![..2]))
            .abs()
            .max(..)
            .item::<f64>()
            .expect("a number")
            < 1e-9
    );
    assert_eq!(shifted.shape(), [50, 50]);
    // Nothing of a recording.
    let said = std::cell::RefCell::new(String::new());
    let _ = Graph::capture("solution", [&b], |_: &mut Capture, [b]| {
        *said.borrow_mut() = lu.solve(&b).expect_err("factors are not recorded").to_string();
        [b + 1.0]
    });
    let said = said.into_inner();
    assert!(
        said.contains("solve before or after the graph") || said.contains("come to the host"),
        "{said}"
    );
    if task() == "whole" {
        let found: Vec<_> = Device::reports();
        let libraries = found.iter().flat_map(|family| &family.libraries);
        let mut versions = libraries.filter(|library| library.name == "cuDSS");
        let found = versions.next().and_then(|library| library.found.as_ref().ok());
        println!("reports cuDSS {}", found.map_or_else(String::new, |found| found.version.clone()));
    }
    drop((lu, shifted, solver));
    // Factors are given back by one of the next calls that find their work done.
    device.synchronize().expect("done");
    for _ in 0..2 {
        let next = splu(&a).expect("factors");
        drop(next);
        device.synchronize().expect("done");
    }
}
