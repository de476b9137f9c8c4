//! What cannot be recorded, and what launches do not take.

use ndany::prelude::*;
use ndany::{Error, Graph};

/// Records a closure that has to be refused, and says why; the device goes on.
#[track_caller]
fn refused<const O: usize>(closure: impl Fn(Array) -> ndany::Result<[Array; O]>) -> String {
    let x = array([3.0, 1.0, 2.0]);
    let captured = Graph::capture("refused", [&x], |_, [x]| closure(x));
    let error = captured.expect_err("it cannot be recorded");
    let source = match &error {
        Error::Failed { source, .. } => source,
        other => other,
    };
    assert!(matches!(source, Error::NotCapturable { .. }), "{error}");
    assert_eq!((&x + 1.0).to_vec::<f64>().expect("the device goes on"), [4.0, 2.0, 3.0]);
    let graph =
        Graph::capture("after", [&x], |_, [x]| [x * 2.0]).expect("the thread records again");
    assert_eq!(
        graph.launch([&x]).expect("a launch")[0].to_vec::<f64>().expect("values"),
        [6.0, 2.0, 4.0]
    );
    error.to_string()
}

pub fn all() {
    reads();
    control();
    launches();
}

fn reads() {
    let host = "values come to the host";
    assert!(refused(|x| Ok([&x * x.sum(..).item::<f64>()?])).contains(host));
    assert!(refused(|x| Ok([&x + x.to_vec::<f64>()?[0]])).contains(host));
    assert!(refused(|x| Ok([x.i(x.greater(1.5))])).contains(host));
    assert!(refused(|x| Ok([x.nonzero()[0].clone()])).contains(host));
    assert!(refused(|x| Ok([x.unique(..)])).contains(host));
    assert!(refused(|x| Ok([if x.array_equal(&x)? { x } else { -x }])).contains(host));
    assert!(
        refused(|x| Ok([x + Generator::new(1).gamma(2.0, 1.0, 3)]))
            .contains("until none is refused")
    );
    assert!(
        refused(|x| Ok([x + Generator::new(1).integers(0..7, 3)]))
            .contains("until none is refused")
    );
    assert!(refused(|x| Ok([x + random::shared().random(3)])).contains("shared"));
    assert!(
        refused(|x| {
            let _ = format!("{x}");
            Ok([x.to_vec::<f64>().map(|_| x)?])
        })
        .contains(host)
    );
}

fn control() {
    let device = Device::current();
    assert!(refused(|x| device.synchronize().map(|()| [x])).contains("waits"));
    if device.name() != "cpu" && device.name() != "reference" {
        assert!(refused(|x| device.record().map(|_| [x])).contains("one place"));
        let stream = device.stream(..).expect("a stream");
        assert!(refused(|x| stream.synchronize().map(|()| [x])).contains("waits"));
        assert!(refused(|x| stream.then(|| {}).map(|()| [x])).contains("host"));
    }
    let reference = Device::open(if device.name() == "reference" { "cpu" } else { "reference" })
        .expect("a device");
    assert!(
        refused(|x| Ok([x.to_device(&reference)?.to_device(&x.device().clone())?]))
            .contains("recorded in a graph")
    );
    let x = array([3.0, 1.0, 2.0]);
    let inner = Graph::capture("inner", [&x], |_, [x]| [x]).expect("a graph");
    assert!(refused(|x| inner.launch([&x])).contains("within a graph"));
    assert!(
        refused(|x| Graph::capture("deep", [&x], |_, [x]| [x]).map(|_| [x])).contains("already")
    );
    // A panic of the closure goes on, and the thread records again.
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        Graph::capture("panics", [&x], |_, [_x]| -> [Array; 1] { panic!("as asked") })
    }));
    assert_eq!(panicked.expect_err("a panic").downcast_ref::<&str>(), Some(&"as asked"));
    assert!(Graph::capture("after", [&x], |_, [x]| [x]).is_ok());
    // Errors of calls are those of calls.
    let wrong = Graph::capture("wrong", [&x], |_, [x]| [x + zeros(4, ..)]);
    assert_eq!(
        wrong.expect_err("3 and 4").to_string(),
        "[add] shapes (3,) and (4,) do not broadcast"
    );
}

fn launches() {
    let x = zeros((2, 3), ..);
    let graph = Graph::capture("taken", [&x, &x], |_, [x, y]| [x + y]).expect("a graph");
    let of = |y: &Array| graph.launch([&x, y]).expect_err("another kind of array").to_string();
    assert_eq!(
        of(&zeros((3, 2), ..)),
        "[taken] wrong shape: expected input 1 of (2, 3), got (3, 2)"
    );
    assert_eq!(
        of(&zeros((2, 3), F32)),
        "[taken] bad arguments: input 1: expected float64, got float32: convert it with astype"
    );
    let other = Device::open(if x.device().name() == "reference" { "cpu" } else { "reference" })
        .expect("a device");
    let there = {
        let _guard = other.enter();
        zeros((2, 3), ..)
    };
    assert!(of(&there).contains("operands are on"), "{}", of(&there));
    let mut rng = Generator::new(1);
    let given = graph.launch((&mut rng, [&x, &x])).expect_err("a generator");
    assert!(given.to_string().contains("without a generator"), "{given}");
    let noise =
        Graph::capture("noise", (&rng, []), |k, []| [k.generator().random(3)]).expect("a graph");
    assert!(noise.launch([]).expect_err("none").to_string().contains("expected a generator"));
    let mut other = Generator::new(2);
    assert!(noise.launch((&mut other, [])).expect_err("a seed").to_string().contains("seed 1"));
    let spawns =
        Graph::capture("spawns", (&rng, []), |k, []| [k.generator().spawn(1)[0].random(3)]);
    assert!(spawns.expect_err("children").to_string().contains("spawn"));
    let none = attempt(|| Graph::capture("none", [&x], |k, [x]| [x + k.generator().random(3)]));
    assert!(
        none.and_then(|captured| captured.map(drop))
            .expect_err("none")
            .to_string()
            .contains("no generator")
    );
}
