//! Times of sparse arrays, in milliseconds: the first use, then the median of five runs.
//!
//! `cargo run --release -p ndany-tests --example sparse_times -- --device cuda:0 --scale 1 --only cg`; a scale divides the sizes, and
//! only rows whose names contain a text are timed.

use std::time::Instant;

use ndany::prelude::*;
use ndany::sparse::linalg::{self, Spectrum, Which};
use ndany::sparse::{Sparse, Unordered, csgraph};

/// A name, and what is timed.
type Row<'a> = (&'static str, Box<dyn Fn() -> ndany::Result<()> + 'a>);

/// An array with the same number of entries in each row, whose columns are sorted and random.
fn regular(
    rng: &mut Generator,
    rows: usize,
    columns: usize,
    entries: usize,
) -> ndany::Result<Sparse> {
    let count = rows * entries;
    let step = (columns / entries) as i64;
    // One column of each of as many parts as there are entries.
    let part = arange(entries as i64) * step;
    let indices = (rng.integers(0..step, (rows, entries)) + part).ravel().astype(I32);
    let indptr = (arange(rows as i64 + 1) * entries as i64).astype(I32);
    let data = rng.uniform(-1.0, 1.0, count);
    for array in [&indices, &indptr, &data] {
        array.eval()?;
    }
    let made = sparse::csr_array((data, indices, indptr), (rows, columns));
    made.has_canonical_format();
    Ok(made)
}

/// Poisson's equation on a cube.
fn poisson(extent: usize) -> Sparse {
    let line = |extent: usize| {
        let off = ndany::full(extent - 1, -1.0, F64);
        sparse::diags_array([&ndany::full(extent, 2.0, F64), &off, &off], [0, 1, -1], ..)
    };
    let (a, one) = (line(extent), sparse::eye_array(extent));
    let plane = sparse::kron(sparse::kron(&a, &one), &one).to_csr();
    let other = sparse::kron(sparse::kron(&one, &a), &one).to_csr();
    let last = sparse::kron(sparse::kron(&one, &one), &a).to_csr();
    &(&plane + &other) + &last
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (mut device, mut scale, mut only) = (String::from("cpu"), 1, String::new());
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or("each option has a value")?;
        match argument.as_str() {
            "--device" => device = value,
            "--scale" => scale = value.parse()?,
            "--only" => only = value,
            other => return Err(format!("no option is called {other}").into()),
        }
    }
    let device = Device::open(&device)?;
    println!("{}; milliseconds: first use, median of five", device.description());
    let _guard = device.enter();
    let mut rng = Generator::new(1);
    let million = 1_000_000 / scale;
    let a = regular(&mut rng, million, million, 16)?;
    let b = regular(&mut rng, million, million, 16)?;
    let x = rng.random(million);
    let many = rng.random((million, 16));
    let small = regular(&mut rng, 200_000 / scale, 200_000 / scale, 8)?;
    let graph = regular(&mut rng, million, million, 4)?;
    let graph = graph.with_data(graph.data().abs());
    let (rows, columns) = a.coords();
    let order = rng.permutation(rows.size());
    let rows = rows.take(&order, ..);
    let columns = columns.take(&order, ..);
    let data = a.data().take(&order, ..);
    let cube = |extent: usize| {
        let scaled = ((extent * extent * extent / scale) as f64).cbrt().round() as usize;
        poisson(scaled.max(3))
    };
    let (poisson, half, quarter) = (cube(128), cube(64), cube(32));
    let [right, half_right, quarter_right] =
        [&poisson, &half, &quarter].map(|of| ndany::ones(of.shape()[0], F64));
    let graph_data = graph.data();
    for array in
        [&x, &many, &rows, &columns, &data, &right, &half_right, &quarter_right, &graph_data]
    {
        array.eval()?;
    }
    let run = |array: Array| array.eval();
    let steps = |count: usize| linalg::Iteration::new().rtol(1e-300).maxiter(count);
    let lu = linalg::splu(&quarter)?;
    let factors = linalg::ic0(&half)?;
    let smallest = Spectrum::new().which(Which::Smallest).tol(1e-6);
    let timed: Vec<Row<'_>> = vec![
        ("matvec, 1M rows of 16", Box::new(|| run(a.matmul(&x)))),
        ("matvec in any order (a vendor's library)", Box::new(|| run(a.matmul(Unordered(&x))))),
        ("matmul with 16 columns in any order", Box::new(|| run(a.matmul(Unordered(&many))))),
        ("matvec of the transposed array", Box::new(|| run(a.rmatmul(&x)))),
        ("matmul with 16 columns", Box::new(|| run(a.matmul(&many)))),
        ("product of 200k rows of 8", Box::new(|| run(small.matmul(&small).data()))),
        ("sum of 1M rows of 16", Box::new(|| run((&a + &b).data()))),
        (
            "16M coordinates to rows",
            Box::new(|| {
                run(sparse::coo_array((&data, (&rows, &columns)), a.shape()).to_csr().data())
            }),
        ),
        ("rows to columns", Box::new(|| run(a.with_data(a.data()).to_csc().data()))),
        (
            "rows to columns, parts checked and nothing known of them",
            Box::new(|| {
                let parts = (a.data(), a.indices(), a.indptr());
                run(sparse::csr_array(parts, a.shape()).to_csc().data())
            }),
        ),
        ("sum over axis 0", Box::new(|| run(a.sum(0)))),
        ("every second row", Box::new(|| run(a.i(s![..;2, ..]).data()))),
        (
            "half of the rows, neighbours",
            Box::new(|| {
                let (first, last) = (million as isize / 1000, million as isize / 2);
                let part = a.i(s![first..last, ..]);
                [part.indptr(), part.indices(), part.data()].iter().try_for_each(Array::eval)
            }),
        ),
        (
            "cg, Poisson of a cube of 128, 100 steps",
            Box::new(|| run(linalg::cg(&poisson, &right, steps(100))?.x)),
        ),
        (
            "gmres, the same, 40 steps",
            Box::new(|| run(linalg::gmres(&poisson, &right, steps(40))?.x)),
        ),
        (
            "eigsh, 6 smallest, a cube of 64",
            Box::new(|| run(linalg::eigsh(&half, 6, smallest.clone())?.0)),
        ),
        ("splu, a cube of 32", Box::new(|| linalg::splu(&quarter).map(|_| ()))),
        ("solve by splu", Box::new(|| run(lu.solve(&quarter_right)?))),
        ("solve by ic0, a cube of 64", Box::new(|| run(factors.solve(&half_right)?))),
        (
            "connected components, 1M rows of 4",
            Box::new(|| run(csgraph::connected_components(&graph, ..)?.1)),
        ),
        (
            "minimum spanning tree, the same",
            Box::new(|| run(csgraph::minimum_spanning_tree(&graph)?.data())),
        ),
        (
            "breadth-first order, the same",
            Box::new(|| run(csgraph::breadth_first_order(&graph, 0, false)?.0)),
        ),
    ];
    let libraries = Device::reports().into_iter().flat_map(|family| family.libraries);
    for library in libraries.filter(|library| library.name.ends_with("SPARSE")) {
        match library.found {
            Ok(found) => println!("{} {}", library.name, found.version),
            Err(error) => println!("{error}"),
        }
    }
    // How far products in any order are from those in the promised one.
    let sizes = a.with_data(a.data().abs());
    for operand in [&x, &many] {
        let (ordered, free) = (a.matmul(operand), a.matmul(Unordered(operand)));
        let bound = sizes.matmul(operand.abs()) * (16.0 * f64::EPSILON);
        let apart = ((&free - &ordered).abs() / bound).max(..).item::<f64>()?;
        let same = free.equal(&ordered).all(..).item::<bool>()?;
        println!("in any order, {:?}: {apart:.3} of the bound (1), equal: {same}", operand.shape());
        if apart.is_nan() || apart > 1.0 {
            return Err("a product in any order is beyond its bound".into());
        }
    }
    for (name, timed) in timed.into_iter().filter(|(name, _)| name.contains(&only)) {
        let once = || -> ndany::Result<f64> {
            let start = Instant::now();
            timed()?;
            device.synchronize()?;
            Ok(start.elapsed().as_secs_f64() * 1e3)
        };
        let first = once()?;
        let mut later = [(); 5].map(|()| once());
        let mut times: Vec<f64> = Vec::new();
        for time in &mut later {
            times.push(std::mem::replace(time, Ok(0.0))?);
        }
        times.sort_by(f64::total_cmp);
        println!("{name}: {first:.2}, {:.2}", times[2]);
    }
    Ok(())
}
