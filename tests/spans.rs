//! The spans that the engine emits, with their fields: `docs/timeline.md` lists them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use ndany::{Array, Device};
use ndany_gpu::recording::Recording;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The spans of a test: name and fields.
type Spans = Vec<(&'static str, BTreeMap<&'static str, String>)>;

#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Spans>>);

struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}").trim_matches('"').to_string());
    }
}

impl Subscriber for Collector {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields(BTreeMap::new());
        span.record(&mut fields);
        let mut spans = self.0.lock().expect("spans");
        spans.push((span.metadata().name(), fields.0));
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The spans of this thread during `work`.
fn spans_of(work: impl FnOnce()) -> Spans {
    let collector = Collector::default();
    tracing::subscriber::with_default(collector.clone(), work);
    let spans = collector.0.lock().expect("spans");
    spans.clone()
}

/// The fields of the spans of a name.
fn named<'s>(spans: &'s Spans, name: &str) -> Vec<&'s BTreeMap<&'static str, String>> {
    spans.iter().filter(|(own, _)| *own == name).map(|(_, fields)| fields).collect()
}

#[test]
fn a_gpu_shows_evaluation_launch_compilation_transfers_and_waits() {
    let (backend, _) = Recording::device("sm_90", &ndany_kernels::CUDA).expect("a device");
    let device = Device::custom(backend);
    let run = || {
        let _guard = device.enter();
        let x = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
        let sum = (x.exp() + 1.0).sum(1);
        assert_eq!(sum.to_vec::<f32>().expect("zeros"), [0.0, 0.0]);
        device.synchronize().expect("a device");
    };
    let first = spans_of(run);
    let all = |name| named(&first, name);
    let has = |name, field, value: &str| {
        assert!(all(name).iter().any(|fields| fields[field] == value), "{name} {field}: {first:?}");
    };
    has("evaluate", "op", "sum");
    has("evaluate", "shape", "[2]");
    has("evaluate", "dtype", "float32");
    has("launch", "pattern", "reduce");
    // A sum begins with the identity, which is added.
    has("launch", "operations", "exp add add reduce(add)");
    has("launch", "shape", "[2, 2]");
    has("allocate", "bytes", "8");
    has("segment", "device", "recording");
    has("compile", "kernel", "rows");
    has("compile", "architecture", "sm_90");
    has("kernel", "kernel", "Rows");
    has("transfer", "direction", "to_device");
    has("transfer", "direction", "to_host");
    has("transfer", "bytes", "16");
    has("wait", "of", "transfer");
    has("wait", "of", "device");
    assert!(first.iter().all(|(_, fields)| fields["device"] == "recording"), "{first:?}");
    // A known kernel is not compiled again, and a pool that has memory does not grow.
    let second = spans_of(run);
    let names: BTreeSet<&str> = second.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        names.into_iter().collect::<Vec<_>>(),
        ["allocate", "evaluate", "kernel", "launch", "transfer", "wait"]
    );
}

#[test]
fn every_device_shows_opening_evaluation_and_launches() {
    let spans = spans_of(|| {
        let device = Device::open("cpu:threads=1").expect("the CPU");
        let _guard = device.enter();
        let x = Array::from([3.0f64, 1.0, 2.0]);
        let largest = (x.sort(0) * 2.0).max(0);
        assert_eq!(largest.item::<f64>().expect("a value"), 6.0);
        let product = Array::from([[1.0f64, 2.0]]).matmul(Array::from([[3.0f64], [4.0]]));
        assert_eq!(product.to_vec::<f64>().expect("a value"), [11.0]);
        let taken = x.take(Array::from([2i64, 0]), 0).cumsum(0);
        assert_eq!(taken.to_vec::<f64>().expect("values"), [2.0, 5.0]);
    });
    assert_eq!(named(&spans, "open")[0]["device"], "cpu:threads=1");
    let patterns: BTreeSet<&str> =
        named(&spans, "launch").iter().map(|fields| fields["pattern"].as_str()).collect();
    for pattern in ["sort", "reduce", "matmul", "gather", "scan"] {
        assert!(patterns.contains(pattern), "{pattern}: {patterns:?}");
    }
    assert!(named(&spans, "evaluate").iter().any(|fields| fields["op"] == "max"), "{spans:?}");
    assert!(!named(&spans, "allocate").is_empty());
}

#[test]
fn below_their_level_no_span_is_made() {
    struct Quiet;
    impl Subscriber for Quiet {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            *metadata.level() <= tracing::Level::INFO
        }

        fn max_level_hint(&self) -> Option<tracing::level_filters::LevelFilter> {
            Some(tracing::level_filters::LevelFilter::INFO)
        }

        fn new_span(&self, span: &Attributes<'_>) -> Id {
            panic!("a span {}", span.metadata().name())
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, _: &Event<'_>) {}

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }
    tracing::subscriber::with_default(Quiet, || {
        assert_eq!(Array::from([1.0f64, 2.0]).sum(0).item::<f64>().expect("a value"), 3.0);
    });
}
