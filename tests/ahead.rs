//! Functions of sparse arrays on a GPU ask for their kernels before their first launch, so that no kernel waits for a number that
//! the host reads.

#![cfg(all(target_os = "linux", target_arch = "x86_64", feature = "cuda"))]

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Mutex;

use ndany::prelude::*;
use ndany::sparse::linalg::{self, Iteration, Spectrum};
use ndany::sparse::{Sparse, csgraph};
use support::{Folder, SearchVariables, process_among};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

#[test]
fn kernels_are_asked_for_before_the_first_launch() {
    const VARIABLES: SearchVariables =
        SearchVariables { libraries: "NDANY_CUDA_LIBRARIES", homes: ["CUDA_PATH", "CUDA_HOME"] };
    let folder = Folder::of_software_gpu("ahead", &["libcuda.so.1", "libnvrtc.so.13"]);
    let devices = (FUNCTIONS.len() + 1).to_string();
    // No cache on disk: each device compiles what it needs.
    let variables = [
        ("NDANY_SOFTGPU_DEVICES", devices.as_str()),
        ("NDANY_SOFTGPU_PROCESSORS", "132"),
        ("NDANY_CACHE_DIR", "none"),
        ("NDANY_COMPILE_THREADS", "2"),
    ];
    process_among(&VARIABLES, "ahead", Some(&folder.0), &variables);
}

/// Kernels that were compiled, by the device: for a dry run, and for a launch that found none.
static COMPILED: Mutex<BTreeMap<String, [Vec<String>; 2]>> = Mutex::new(BTreeMap::new());

struct Compilations;

#[derive(Default)]
struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}").trim_matches('"').to_string());
    }
}

impl Subscriber for Compilations {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.name() == "compile"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields::default();
        span.record(&mut fields);
        let Fields(fields) = fields;
        let mut compiled = COMPILED.lock().expect("no thread panicked");
        let [by_dry_runs, by_launches] = compiled.entry(fields["device"].clone()).or_default();
        let list = if fields["wanted_by"] == "dry_run" { by_dry_runs } else { by_launches };
        list.push(fields["kernel"].clone());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Four edges from each node, with columns that rise.
fn graph() -> Sparse {
    let count = 3000;
    let columns = |node: i32| {
        let mut columns = [1, 37, 531, 1187].map(|step| (node + step * (1 + node % 7)) % count);
        columns.sort_unstable();
        columns
    };
    let indices: Vec<i32> = (0..count).flat_map(columns).collect();
    let indptr: Vec<i32> = (0..=count).map(|node| 4 * node).collect();
    let data: Vec<f64> = (0..4 * count).map(|k| f64::from(k * 37 % 101 + 1) / 8.0).collect();
    let parts = (Array::from(data), Array::from(indices), Array::from(indptr));
    sparse::csr_array(parts, (count as usize, count as usize))
}

/// Poisson's equation on a line.
fn poisson() -> (Sparse, Array) {
    let (n, ones) = (1600, |count: usize| ndany::ones(count, F64));
    let diagonals = [-ones(n - 1), ones(n) * 2, -ones(n - 1)];
    let a = sparse::diags_array(diagonals.each_ref(), [-1i64, 0, 1], (n, n)).to_csr();
    (a, ones(n))
}

struct Inputs {
    graph: Sparse,
    /// The same graph, of which nothing is known together with the first one.
    other: Sparse,
    matrix: Sparse,
    right: Array,
}

/// A function, and how many kernels a launch may find that no dry run has asked for: a number of results that is not divisible by that of
/// the elements of a thread has another copy, and a table of integers is longer in a dry run.
type Function = (&'static str, fn(&Inputs) -> ndany::Result<Array>, usize);

fn steps() -> Iteration {
    Iteration::new().rtol(1e-300).maxiter(20)
}

const FUNCTIONS: [Function; 15] = [
    ("unique", |i| Ok(i.graph.data().unique(..)), 0),
    ("unique integers", |i| Ok(i.graph.indices().unique_counts(..).counts), 1),
    ("histogram", |i| Ok(i.graph.data().histogram(..).0), 0),
    ("breadth_first_order", |i| Ok(csgraph::breadth_first_order(&i.graph, 0, false)?.0), 0),
    ("laplacian", |i| Ok(csgraph::laplacian(&i.graph, ..)?.0.data()), 0),
    ("connected_components", |i| Ok(csgraph::connected_components(&i.graph, ..)?.1), 0),
    ("minimum_spanning_tree", |i| Ok(csgraph::minimum_spanning_tree(&i.graph)?.data()), 1),
    ("sum over axis 0", |i| Ok(i.graph.sum(0)), 0),
    ("sum", |i| Ok((&i.graph + &i.other).data()), 1),
    ("product", |i| Ok(i.matrix.matmul(&i.matrix).data()), 0),
    ("rmatmul", |i| Ok(i.matrix.rmatmul(&i.right)), 0),
    ("cg", |i| Ok(linalg::cg(&i.matrix, &i.right, steps())?.x), 0),
    ("gmres", |i| Ok(linalg::gmres(&i.matrix, &i.right, steps())?.x), 0),
    ("eigsh", |i| Ok(linalg::eigsh(&i.matrix, 3, Spectrum::new().tol(0.1))?.1), 0),
    ("lsqr", |i| Ok(linalg::lsqr(&i.matrix, &i.right, steps())?.x), 0),
];

/// Each function on a device of its own, which has compiled nothing but what makes the inputs.
#[test]
#[ignore = "run by the other"]
fn alone() {
    tracing::subscriber::set_global_default(Compilations).expect("the first one");
    let mut wrong = Vec::new();
    for (number, (name, function, most)) in FUNCTIONS.iter().enumerate() {
        let device = Device::open(&format!("cuda:{number}")).expect("a device");
        let _guard = device.enter();
        let (matrix, right) = poisson();
        let inputs = Inputs { graph: graph(), other: graph(), matrix, right };
        let [graph, other, matrix] =
            [&inputs.graph, &inputs.other, &inputs.matrix].map(Sparse::data);
        for array in [graph, other, matrix, inputs.right.clone()] {
            array.eval().expect("inputs");
        }
        device.synchronize().expect("a device");
        let compiled = || {
            let compiled = COMPILED.lock().expect("no thread panicked");
            compiled.get(&device.name()).cloned().unwrap_or_default()
        };
        let [before, by_launches_before] = compiled();
        function(&inputs).and_then(|result| result.eval()).expect(name);
        device.synchronize().expect("a device");
        let [asked, by_launches] = compiled();
        let missed = &by_launches[by_launches_before.len()..];
        println!("{name}: {} asked for, {missed:?} missed", asked.len() - before.len());
        if missed.len() > *most || asked.len() == before.len() {
            wrong.push(format!("{name}: {missed:?}, {} asked for", asked.len() - before.len()));
        }
    }
    assert!(wrong.is_empty(), "kernels that launches waited for: {wrong:#?}");
}
