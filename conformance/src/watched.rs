//! What functions make a device do in golden cases, beside what the table of support says of them.
//!
//! A device that counts stands around the reference. It counts what the table can be wrong about: whether a call waits for
//! the device, and whether matrices are multiplied or factored, or rows transformed, before the result is there. Which of a
//! function's kernels are its own, and which are other functions', no device can tell.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ndany::Device;
use ndany::Result;
use ndany::call::support::{Means, first_name, means, synchronizes};
use ndany_core::DType;
use ndany_core::backend::{
    Backend, Checked, Correlate, Factor, Factoring, FoldLeft, Fourier, FusedRowwise, Gather,
    LinearAlgebra, Map, Matmul, Memory, NthElement, Reduce, Scan, Scatter, Search, SegmentedReduce,
    Select, Sort, Transform, Transformation,
};
use ndany_reference::Reference;

use crate::compare::Outcome;
use crate::engine::{Engine, Moment, read};
use crate::manifest::{self, Case, files_of};

/// How often something was done.
#[derive(Debug, Default)]
struct Count(AtomicUsize);

impl Count {
    fn more(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// The reference, watched.
#[derive(Debug, Default)]
struct Watched {
    inner: Reference,
    waits: Count,
    kernels: Count,
    products: Count,
    factorizations: Count,
    transforms: Count,
}

macro_rules! kernels {
    ($($pattern:ident($request:ty)),* $(,)?) => {
        $(fn $pattern(&self, request: Checked<&$request>) -> Result<()> {
            self.kernels.more();
            self.inner.$pattern(request)
        })*
    };
}

impl Backend for Watched {
    fn name(&self) -> String {
        "watched".to_owned()
    }

    fn description(&self) -> String {
        "watched: the reference, and what it is asked for".to_owned()
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>> {
        self.inner.allocate(bytes)
    }

    fn write(&self, memory: &dyn Memory, bytes: &[u8]) -> Result<()> {
        self.inner.write(memory, bytes)
    }

    fn read(&self, memory: &dyn Memory, offset: usize, bytes: &mut [u8]) -> Result<()> {
        self.waits.more();
        self.inner.read(memory, offset, bytes)
    }

    fn synchronize(&self) -> Result<()> {
        self.waits.more();
        self.inner.synchronize()
    }

    fn row_limit(&self) -> usize {
        self.inner.row_limit()
    }

    kernels! {
        map(Map<'_, '_>), reduce(Reduce<'_, '_>), fused_rowwise(FusedRowwise<'_, '_>), scan(Scan<'_>), segmented_reduce(SegmentedReduce<'_>),
        fold_left(FoldLeft<'_>), sort(Sort<'_>), nth_element(NthElement<'_>), search(Search<'_>), correlate(Correlate<'_>), gather(Gather<'_>), scatter(Scatter<'_>),
        select(Select<'_>),
    }

    fn matmul(&self, product: Checked<&Matmul<'_>>) -> Result<()> {
        self.products.more();
        self.inner.matmul(product)
    }

    fn linear_algebra(&self) -> Option<&dyn LinearAlgebra> {
        Some(self)
    }

    fn fourier(&self) -> Option<&dyn Fourier> {
        Some(self)
    }
}

impl LinearAlgebra for Watched {
    fn can(&self, task: Factoring) -> bool {
        LinearAlgebra::can(&self.inner, task)
    }

    fn factor(&self, factor: Checked<&Factor<'_>>) -> Result<()> {
        self.factorizations.more();
        self.inner.factor(factor)
    }
}

impl Fourier for Watched {
    fn takes_rows_side_by_side(&self) -> bool {
        self.inner.takes_rows_side_by_side()
    }

    fn writes_rows_side_by_side(
        &self,
        kind: Transformation,
        part: DType,
        length: usize,
        rows: usize,
    ) -> bool {
        self.inner.writes_rows_side_by_side(kind, part, length, rows)
    }

    fn transform(&self, transform: Checked<&Transform<'_>>) -> Result<()> {
        self.transforms.more();
        self.inner.transform(transform)
    }
}

/// What the cases of a function did: how many there were, and how many of them did each.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    cases: usize,
    waited: usize,
    computed: usize,
    multiplied: usize,
    factored: usize,
    transformed: usize,
}

/// Runs all cases that expect a result.
fn seen() -> BTreeMap<String, Seen> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let cases = manifest::load(&folder).expect("sound manifests");
    let watched = Arc::new(Watched::default());
    let engine = Engine::on(Device::custom(watched.clone()));
    let mut all: BTreeMap<String, Seen> = BTreeMap::new();
    let mut known = HashMap::new();
    // Names of arrays are made of what they hold, so that those of two archives may be taken for one.
    let empty = |known: &mut HashMap<String, bool>, case: &Case, file: &str| {
        let read = || read(&case.arrays, file).expect("an array of a case");
        *known.entry(file.to_owned()).or_insert_with(|| read().shape().contains(&0))
    };
    for case in &cases {
        let counts = || {
            let Watched { kernels, products, factorizations, transforms, .. } = &*watched;
            [kernels, products, factorizations, transforms].map(Count::get)
        };
        let (mut waits, mut before) = ([0; 2], counts());
        let outcome = engine
            .run_watched(case, |moment| match moment {
                Moment::Called => (waits[0], before) = (watched.waits.get(), counts()),
                Moment::Returned => waits[1] = watched.waits.get(),
            })
            .expect("whole files");
        if matches!(outcome, Outcome::Error { .. } | Outcome::Unsupported(_)) {
            continue;
        }
        // Where there is nothing to compute, what is done says little.
        if files_of(case).into_iter().any(|file| empty(&mut known, case, file)) {
            continue;
        }
        let after = counts();
        let more = |number: usize| usize::from(after[number] > before[number]);
        let name = match case.op.ends_with(".at") {
            // One function, whatever the row.
            true => "np.add.at",
            false => first_name(&case.op),
        };
        let seen = all.entry(name.to_owned()).or_default();
        seen.cases += 1;
        seen.waited += usize::from(waits[1] > waits[0]);
        seen.computed += more(0);
        seen.multiplied += more(1);
        seen.factored += more(2);
        seen.transformed += more(3);
    }
    all
}

/// Fewer cases than these need not show both of what a function sometimes does.
const FEW: usize = 8;

impl Seen {
    /// What is wrong with the words on when a call waits.
    fn against_waits(&self, words: Option<&str>) -> Option<&'static str> {
        match words {
            None => (self.waited > 0).then_some("it waits"),
            Some("always") => (self.waited < self.cases).then_some("it does not always wait"),
            Some(_) if self.cases < FEW => None,
            Some(_) if self.waited == 0 => Some("it does not wait"),
            Some(_) => (self.waited == self.cases).then_some("it always waits"),
        }
    }

    /// What is wrong with what it is said to be computed by.
    fn against_means(&self, means: Means) -> Option<&'static str> {
        let Seen { cases, computed, multiplied, factored, transformed, .. } = *self;
        if (transformed > 0) != (means == Means::Transformed) {
            return Some("transforms are what makes it one");
        }
        match means {
            Means::Factored => (factored == 0).then_some("it does not factor"),
            // Powers of matrices, say, factor where they are negative.
            _ if 2 * factored >= cases => Some("it factors"),
            Means::Library => (multiplied == 0).then_some("it multiplies no matrices"),
            Means::Native => (multiplied > 0).then_some("it multiplies matrices"),
            Means::View | Means::Host => (multiplied > 0).then_some("it multiplies matrices"),
            Means::Transformed => None,
            Means::Composed => (computed + multiplied == 0).then_some("it computes nothing"),
        }
    }
}

#[test]
fn the_table_of_support_says_what_functions_do() {
    let mut wrong = Vec::new();
    for (name, seen) in seen() {
        // The table is of calls by name, which have no sparse arrays.
        #[cfg(feature = "sparse")]
        if crate::sparse::parts(&name).is_some() {
            continue;
        }
        let (means, waits) = (means(&name), synchronizes(&name));
        wrong.extend(
            seen.against_means(means).map(|why| format!("{name}, {means:?}: {why}; {seen:?}")),
        );
        wrong.extend(
            seen.against_waits(waits).map(|why| format!("{name} waits {waits:?}: {why}; {seen:?}")),
        );
    }
    assert!(
        wrong.is_empty(),
        "facts of functions in array/src/call/ say otherwise than golden cases do:\n{}",
        wrong.join("\n")
    );
}
