//! Seconds until the first result of a function with an empty cache of kernels, each function in a process of its own, beside the second
//! call; and how many kernels were compiled.
//!
//! `cargo run --release -p ndany-tests --example first_use -- --device cuda:0 --only poch,unique`; without `--only` all of them, and
//! `--list` prints their names. With `--spans NAME` one function runs, and what it waited for is printed: each compilation, wait and
//! transfer with its begin and end in milliseconds. A cold start of the device and the inputs are not part of the times.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use ndany::prelude::*;
use ndany::sparse::linalg::{self, Iteration, Spectrum, Which};
use ndany::sparse::{Sparse, csgraph};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Inputs, in memory of the device before anything is timed.
struct Inputs {
    /// Below 1, from 0.01.
    u: Array,
    /// From 0.1 to 50.
    x: Array,
    /// From 0.1 to 100.
    a: Array,
    /// Integers below 1,000.
    keys: Array,
    /// Three times as many rows as columns, in f32.
    points: Array,
    /// As many nodes as `x` has elements, four edges each.
    graph: Sparse,
    /// Poisson's equation in a square.
    poisson: Sparse,
    /// Its right side.
    right: Array,
}

/// A name, and what is timed.
type Row = (&'static str, fn(&Inputs) -> ndany::Result<Array>);

const ELEMENTS: usize = 1 << 16;

/// Points along an edge of the square.
const EXTENT: usize = 40;

/// Numbers that repeat after a long period, equal on all devices.
fn numbers(count: usize, low: f64, high: f64) -> Vec<f64> {
    let mut state = 1u64;
    let next = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        low + (state >> 11) as f64 / (1u64 << 53) as f64 * (high - low)
    };
    (0..count).map(next).collect()
}

/// Poisson's equation in a square, from values of the host.
fn poisson() -> Sparse {
    let n = EXTENT as i32;
    let (mut data, mut indices, mut indptr) = (Vec::new(), Vec::new(), vec![0]);
    for at in 0..n * n {
        let (row, column) = (at / n, at % n);
        let beside = [
            (row > 0, at - n, -1.0),
            (column > 0, at - 1, -1.0),
            (true, at, 4.0),
            (column + 1 < n, at + 1, -1.0),
            (row + 1 < n, at + n, -1.0),
        ];
        for (_, place, value) in beside.into_iter().filter(|(is_there, ..)| *is_there) {
            indices.push(place);
            data.push(value);
        }
        indptr.push(indices.len() as i32);
    }
    let parts = (Array::from(data), Array::from(indices), Array::from(indptr));
    sparse::csr_array(parts, (EXTENT * EXTENT, EXTENT * EXTENT))
}

/// Four edges from each node, with columns that rise.
fn graph() -> Sparse {
    let count = ELEMENTS as i32;
    let next = |node: i32| {
        let mut columns = [1, 37, 1031, 30011].map(|step| (node + step * (1 + node % 7)) % count);
        columns.sort_unstable();
        columns
    };
    let indices: Vec<i32> = (0..count).flat_map(next).collect();
    let indptr: Vec<i32> = (0..=count).map(|node| 4 * node).collect();
    let data = numbers(4 * ELEMENTS, 0.1, 1.0);
    let parts = (Array::from(data), Array::from(indices), Array::from(indptr));
    sparse::csr_array(parts, (ELEMENTS, ELEMENTS))
}

impl Inputs {
    fn new() -> ndany::Result<Self> {
        let keys: Vec<i64> = numbers(ELEMENTS, 0.0, 1e3).into_iter().map(|x| x as i64).collect();
        let points: Vec<f32> = numbers(ELEMENTS, -1.0, 1.0).into_iter().map(|x| x as f32).collect();
        let inputs = Self {
            u: Array::from(numbers(ELEMENTS, 0.01, 0.99)),
            x: Array::from(numbers(ELEMENTS, 0.1, 50.0)),
            a: Array::from(numbers(ELEMENTS, 0.1, 100.0)),
            keys: Array::from(keys),
            points: Array::from(points).reshape((-1, 2)),
            graph: graph(),
            poisson: poisson(),
            right: Array::from(numbers(EXTENT * EXTENT, -1.0, 1.0)),
        };
        Ok(inputs)
    }
}

/// One step of k-means.
fn nearest(x: &Array) -> Array {
    let c = x.i(s![..8]);
    let l = (x.i(s![.., NewAxis]) - &c).pow(2).sum(-1).argmin(1);
    concatenate((0..8).map(|j| x.i(l.equal(j)).mean(over(0).keepdims())), 0)
}

fn filtered(x: &Array) -> Array {
    let n = along(-1).n(2 * ELEMENTS);
    let k = (-0.2 * arange(31)).exp();
    fft::irfft(fft::rfft(x, &n) * fft::rfft(&k, &n), &n)
}

const ROWS: &[Row] = &[
    ("add", |i| Ok(&i.x + &i.u)),
    ("gammaln", |i| Ok(special::gammaln(&i.x))),
    ("digamma", |i| Ok(special::digamma(&i.x))),
    ("erfinv", |i| Ok(special::erfinv(&i.u))),
    ("ndtri", |i| Ok(special::ndtri(&i.u))),
    ("j0", |i| Ok(special::j0(&i.x))),
    ("jv", |i| Ok(special::jv(2.5, &i.x))),
    ("gammainc", |i| Ok(special::gammainc(&i.a, &i.x))),
    ("gammaincinv", |i| Ok(special::gammaincinv(&i.a, &i.u))),
    ("betainc", |i| Ok(special::betainc(&i.a, &i.x, &i.u))),
    ("betaincinv", |i| Ok(special::betaincinv(&i.a, &i.x, &i.u))),
    ("expn", |i| Ok(special::expn(3.0, &i.x))),
    ("zeta", |i| Ok(special::zeta(&i.x + 1.0, 2.0))),
    ("lambertw", |i| Ok(special::lambertw(&i.x, 0.0))),
    ("poch", |i| Ok(special::poch(&i.a, &i.x))),
    ("norm.ppf", |i| Ok(stats::norm().ppf(&i.u))),
    ("gamma.ppf", |i| Ok(stats::gamma(&i.a).ppf(&i.u))),
    ("beta.ppf", |i| Ok(stats::beta(&i.a, &i.x).ppf(&i.u))),
    ("t.ppf", |i| Ok(stats::t(&i.a).ppf(&i.u))),
    ("sort", |i| Ok(i.x.sort(..))),
    ("argsort", |i| Ok(i.x.argsort(..))),
    ("unique", |i| Ok(i.keys.unique(..))),
    ("bincount", |i| Ok(i.keys.bincount(..))),
    ("median", |i| Ok(i.x.median(..))),
    ("histogram", |i| Ok(i.x.histogram(ndany::Bins::new(100)).0)),
    ("fft convolution", |i| Ok(filtered(&i.x))),
    ("k-means step", |i| Ok(nearest(&i.points))),
    ("matvec", |i| Ok(i.poisson.matmul(&i.right))),
    ("rmatvec", |i| Ok(i.poisson.rmatmul(&i.right))),
    ("sparse product", |i| Ok(i.poisson.matmul(&i.poisson).data())),
    ("sparse sum", |i| Ok((&i.graph + &i.graph.transpose().to_csr()).data())),
    ("to_csc", |i| Ok(i.graph.to_csc().data())),
    ("sum over axis 0", |i| Ok(i.graph.sum(0))),
    ("every second row", |i| Ok(i.graph.i(s![..;2, ..]).data())),
    ("cg", |i| Ok(linalg::cg(&i.poisson, &i.right, Iteration::new().maxiter(20))?.x)),
    ("gmres", |i| Ok(linalg::gmres(&i.poisson, &i.right, Iteration::new().maxiter(20))?.x)),
    ("bicgstab", |i| Ok(linalg::bicgstab(&i.poisson, &i.right, Iteration::new().maxiter(20))?.x)),
    ("minres", |i| Ok(linalg::minres(&i.poisson, &i.right, Iteration::new().maxiter(20))?.x)),
    ("lsqr", |i| Ok(linalg::lsqr(&i.poisson, &i.right, Iteration::new().maxiter(20))?.x)),
    ("eigsh", |i| {
        let options = Spectrum::new().which(Which::Smallest).tol(1e-6);
        Ok(linalg::eigsh(&i.poisson, 2, options)?.0)
    }),
    ("ic0 and solve", |i| linalg::ic0(&i.poisson)?.solve(&i.right)),
    ("connected_components", |i| Ok(csgraph::connected_components(&i.graph, ..)?.1)),
    ("minimum_spanning_tree", |i| Ok(csgraph::minimum_spanning_tree(&i.graph)?.data())),
    ("breadth_first_order", |i| Ok(csgraph::breadth_first_order(&i.graph, 0, false)?.0)),
    ("bellman_ford", |i| {
        Ok(csgraph::bellman_ford(&i.graph, csgraph::Route::new().indices([0]))?.distances)
    }),
    ("laplacian", |i| Ok(csgraph::laplacian(&i.graph, ..)?.0.data())),
];

/// Files in a folder and those in it.
fn files(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let count = |entry: std::fs::DirEntry| match entry.path().is_dir() {
        true => files(&entry.path()),
        false => 1,
    };
    entries.filter_map(Result::ok).map(count).sum()
}

/// Number of spans, and those that are open: their texts and when they began.
#[derive(Default)]
struct Open {
    count: u64,
    spans: HashMap<u64, (String, f64)>,
}

/// Prints the spans that take time, in the order in which they end.
struct Spans {
    start: Instant,
    open: Mutex<Open>,
}

/// The fields of a span as a text.
struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() != "device" {
            self.0 += &format!(" {}={value:?}", field.name());
        }
    }
}

impl Spans {
    fn milliseconds(&self) -> f64 {
        1e3 * self.start.elapsed().as_secs_f64()
    }
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        ["compile", "wait", "transfer", "library"].contains(&metadata.name())
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields(span.metadata().name().to_string());
        span.record(&mut fields);
        let mut open = self.open.lock().expect("no thread panicked");
        open.count += 1;
        let id = open.count;
        open.spans.insert(id, (fields.0, self.milliseconds()));
        Id::from_u64(id)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, id: &Id) {
        let end = self.milliseconds();
        let ended = self.open.lock().expect("no thread panicked").spans.remove(&id.into_u64());
        if let Some((text, begin)) = ended {
            println!("{begin:9.1} .. {end:9.1} {text}");
        }
    }
}

/// Times one row in this process, whose cache is empty.
fn time(name: &str, device: &str, cache: &Path, spans: bool) -> Outcome {
    let (_, row) = ROWS.iter().find(|(own, _)| *own == name).ok_or("there is no such row")?;
    let device = Device::open(device)?;
    let _guard = device.enter();
    let inputs = Inputs::new()?;
    device.synchronize()?;
    let before = files(cache);
    let once = || -> ndany::Result<f64> {
        let start = Instant::now();
        row(&inputs)?.eval()?;
        device.synchronize()?;
        Ok(start.elapsed().as_secs_f64())
    };
    let first = match spans {
        true => {
            let start = Instant::now();
            let spans = Spans { start, open: Mutex::default() };
            // Kernels are compiled by threads of their own.
            tracing::subscriber::set_global_default(spans)?;
            once()?
        }
        false => once()?,
    };
    let kernels = files(cache) - before;
    let second = once()?;
    println!("{name:24} {first:8.3} s first  {second:8.4} s second  {kernels:4} kernels");
    Ok(())
}

fn main() -> Outcome {
    let mut arguments = std::env::args().skip(1);
    let mut device = String::from("cuda:0");
    let (mut only, mut alone, mut spans) = (None, None, false);
    while let Some(argument) = arguments.next() {
        if argument == "--list" {
            ROWS.iter().for_each(|(name, _)| println!("{name}"));
            return Ok(());
        }
        let value = arguments.next().ok_or("each option has a value")?;
        match argument.as_str() {
            "--device" => device = value,
            "--only" => only = Some(value),
            "--alone" => alone = Some(value),
            "--spans" => (alone, spans) = (Some(value), true),
            other => return Err(format!("no option is called {other}").into()),
        }
    }
    if let Some(name) = alone {
        let cache = std::env::var_os("NDANY_CACHE_DIR").ok_or("NDANY_CACHE_DIR is not set")?;
        return time(&name, &device, Path::new(&cache), spans);
    }
    let own = std::env::current_exe()?;
    for (name, _) in ROWS {
        if only.as_ref().is_some_and(|only| !only.split(',').any(|wanted| wanted == *name)) {
            continue;
        }
        let cache = std::env::temp_dir().join(format!("ndany-first-use-{}", std::process::id()));
        let mut command = Command::new(&own);
        command.args(["--alone", name, "--device", &device]).env("NDANY_CACHE_DIR", &cache);
        let status = command.status()?;
        let _ = std::fs::remove_dir_all(&cache);
        if !status.success() {
            println!("{name:24} failed: {status}");
        }
    }
    Ok(())
}
