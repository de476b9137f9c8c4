//! What goes on from launch to launch, and what does not.

use ndany::Graph;
use ndany::prelude::*;

use super::bytes;

pub fn all() {
    state_to_state();
    values_stay();
    parameters();
    inputs_of_any_layout();
    errors_of_values();
    errors_of_matrices();
    threads();
}

fn state_to_state() {
    let step = |u: &Array, v: &Array| {
        let next = u * 0.99 + v.roll(1, ..) * 0.1;
        let other = v - &next * 0.01;
        [next, other]
    };
    let start = [Generator::new(1).random(64), Generator::new(2).random(64)];
    let graph =
        Graph::capture("step", start.each_ref(), |_, [u, v]| step(&u, &v)).expect("a graph");
    let (mut replayed, mut eager) = (start.clone(), start);
    for _ in 0..20 {
        replayed = graph.launch(replayed.each_ref()).expect("a launch");
        eager = step(&eager[0], &eager[1]);
    }
    assert_eq!(bytes(&replayed), bytes(&eager));
}

/// Arrays of one launch are not written by the next one, nor are inputs, constants and what the closure captured.
fn values_stay() {
    let weights = array([1.0, 2.0, 3.0]);
    let graph = Graph::capture("weighted", [&zeros(3, ..)], |_, [x]| [&x * &weights, x + &weights])
        .expect("a graph");
    let inputs: Vec<Array> = (0..4).map(|k| full(3, f64::from(k), ..)).collect();
    let all: Vec<[Array; 2]> =
        inputs.iter().map(|x| graph.launch([x]).expect("a launch")).collect();
    for (k, [product, sum]) in all.iter().enumerate() {
        let k = k as f64;
        assert_eq!(product.to_vec::<f64>().expect("values"), [k, 2.0 * k, 3.0 * k]);
        assert_eq!(sum.to_vec::<f64>().expect("values"), [k + 1.0, k + 2.0, k + 3.0]);
    }
    // Outputs may be written in place: no other array sees it.
    let [mut product, _] = graph.launch([&inputs[1]]).expect("a launch");
    product += 1.0;
    let [again, _] = graph.launch([&inputs[1]]).expect("a launch");
    assert_eq!(again.to_vec::<f64>().expect("values"), [1.0, 2.0, 3.0]);
    assert_eq!(product.to_vec::<f64>().expect("values"), [2.0, 3.0, 4.0]);
    assert_eq!(weights.to_vec::<f64>().expect("values"), [1.0, 2.0, 3.0]);
    // An output that is an input is that input's value, whoever writes it later.
    let same = Graph::capture("same", [&inputs[2]], |_, [x]| [x.clone(), x]).expect("a graph");
    let [mut first, second] = same.launch([&inputs[3]]).expect("a launch");
    first += 5.0;
    assert_eq!(second.to_vec::<f64>().expect("values"), [3.0; 3]);
    assert_eq!(inputs[3].to_vec::<f64>().expect("values"), [3.0; 3]);
    // An array that is an input and captured, too, is a constant where it is captured.
    let both = Graph::capture("both", [&inputs[1], &inputs[1]], |_, [x, y]| [x * &inputs[1] + y])
        .expect("a graph");
    let [made] = both.launch([&inputs[3], &inputs[2]]).expect("a launch");
    assert_eq!(made.to_vec::<f64>().expect("values"), [5.0; 3]);
    // The graph holds what it captured, as it was: a write to it afterwards is a copy.
    let mut weights = weights;
    weights += 100.0;
    let [product, _] = graph.launch([&inputs[2]]).expect("a launch");
    assert_eq!(product.to_vec::<f64>().expect("values"), [2.0, 4.0, 6.0]);
    weights.set(s![0], -1.0);
    let moved = weights * 2.0;
    moved.eval().expect("values");
    drop(moved);
    let [product, _] = graph.launch([&inputs[2]]).expect("a launch");
    assert_eq!(product.to_vec::<f64>().expect("values"), [2.0, 4.0, 6.0]);
}

fn parameters() {
    let x = arange(4);
    let graph = Graph::capture("line", [&x], |k, [x]| {
        let (a, b) = (k.param("a", I64, 2), k.param("b", F32, 0.5));
        [&x * a, x + b]
    });
    let graph = graph.expect("a graph");
    // Its steps are listed.
    let text = graph.to_string();
    assert!(text.starts_with("line on ") && text.lines().count() > 2, "{text}");
    for (a, b) in [(2, 0.5), (-3, 8.0), (0, -0.25)] {
        let made = graph.with("a", a).with("b", b).launch([&x]).expect("a launch");
        assert_eq!(bytes(&made), bytes(&[&x * a, &x + zeros((), F32) + full((), b, F32)]));
    }
    let made = graph.launch([&x]).expect("a launch");
    assert_eq!(made[0].to_vec::<i64>().expect("values"), [0, 2, 4, 6]);
    let unknown = attempt(|| graph.with("c", 1)).expect_err("no such parameter").to_string();
    assert_eq!(unknown, "[line] bad arguments: there is no parameter \"c\"");
    let twice =
        Graph::capture("twice", [&x], |k, [x]| [x * k.param("a", I64, 1) * k.param("a", I64, 1)]);
    assert!(twice.expect_err("one name").to_string().contains("declared twice"));
}

fn inputs_of_any_layout() {
    let graph = Graph::capture("sum", [&zeros((3, 4), ..)], |_, [x]| [&x + 1.0, x.sum(0)])
        .expect("a graph");
    let wide = arange(48).astype(F64).reshape((6, 8));
    for x in [wide.i(s![..;2, 1..5]), wide.i(s![..4, ..3]).transpose(..), wide.i(s![1..4, ..4])] {
        let made = graph.launch([&x]).expect("a launch");
        assert_eq!(bytes(&made), bytes(&[&x + 1.0, x.sum(0)]));
    }
    // Pending, broadcast, and the same array twice.
    let pending = (wide.i(s![..3, ..4]) * 2.0).exp();
    assert_eq!(
        bytes(&graph.launch([&pending]).expect("a launch")),
        bytes(&[&pending + 1.0, pending.sum(0)])
    );
    let row = arange(4).astype(F64).broadcast_to((3, 4));
    assert_eq!(bytes(&graph.launch([&row]).expect("a launch")), bytes(&[&row + 1.0, row.sum(0)]));
}

/// A fault of one launch is that launch's.
fn errors_of_values() {
    let x = arange(5);
    let graph =
        Graph::capture("faulty", [&x, &x], |_, [x, y]| [x.pow(&y), &x + &y]).expect("a graph");
    for round in 0..9 {
        let y = if round == 6 { array([1i64, 2, -3, 4, 5]) } else { full(5, round, I64) };
        let made = graph.launch([&x, &y]);
        let expected = attempt(|| [x.pow(&y), &x + &y]).expect("it is pending");
        match (made, round) {
            (Ok(made), _) => {
                let (made, expected) = (bytes(&made), bytes(&expected));
                assert_eq!(made[1], expected[1]);
                assert_eq!(made[0].is_err(), round == 6, "{made:?}");
                if round != 6 {
                    assert_eq!(made[0], expected[0]);
                }
            }
            // A device whose calls return when their work is done tells it at once.
            (Err(error), 6) => assert!(error.to_string().contains("negative"), "{error}"),
            (Err(error), _) => panic!("{error}"),
        }
    }
    // What failed in an input fails what is made of it.
    let failed = x.pow(array([-1i64, 1, 1, 1, 1]));
    let made = graph.launch([&failed, &x]).and_then(|made| made[1].to_bytes());
    assert!(made.expect_err("a failed input").to_string().contains("negative"));
}

/// A singular matrix of one launch is that launch's error, and says which one it was.
fn errors_of_matrices() {
    let stacked = |second: [[f64; 2]; 2]| array([[[2.0, 0.0], [1.0, 3.0]], second]);
    let b = array([[[1.0], [2.0]], [[3.0], [4.0]]]);
    let first = stacked([[1.0, 0.0], [0.0, 1.0]]);
    let graph = Graph::capture("solve", [&first, &b], |_, [a, b]| {
        [linalg::solve(&a, &b), linalg::inv(&a), &a + 1.0]
    });
    let graph = graph.expect("a graph");
    for k in 0..4 {
        let second =
            if k == 2 { [[1.0, 2.0], [2.0, 4.0]] } else { [[4.0, f64::from(k)], [1.0, 2.0]] };
        let a = stacked(second);
        let expected =
            attempt(|| [linalg::solve(&a, &b), linalg::inv(&a), &a + 1.0]).expect("arrays");
        match graph.launch([&a, &b]) {
            Ok(made) => {
                let (made, expected) = (bytes(&made), bytes(&expected));
                assert_eq!(made[2], expected[2]);
                for (made, expected) in made[..2].iter().zip(&expected) {
                    match (made, expected) {
                        (Ok(made), Ok(expected)) => assert_eq!(made, expected),
                        (Err(made), Err(expected)) => {
                            let says =
                                |text: &str| text.contains("matrix [1] of the batch is singular");
                            assert!(k == 2 && says(made) && says(expected), "{made}\n{expected}");
                        }
                        _ => panic!("{made:?} for {expected:?}"),
                    }
                }
            }
            Err(error) => {
                let says = error.to_string().contains("matrix [1] of the batch is singular");
                assert!(k == 2 && says && error.class() == "LinAlgError", "{error}");
            }
        }
    }
}

/// Threads launch one graph at the same time.
fn threads() {
    let graph = Graph::capture("squares", [&zeros(1000, ..)], |_, [x]| [(&x * &x).cumsum(0)])
        .expect("a graph");
    let device = Device::current();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (graph, device) = (&graph, &device);
            scope.spawn(move || {
                let _guard = device.enter();
                let stream = device.stream(..).expect("a stream");
                let _stream = (thread % 2 == 1).then(|| stream.enter());
                for k in 0..10 {
                    let x = full(1000, f64::from(k + thread), ..);
                    let made = graph.launch([&x]).expect("a launch");
                    assert_eq!(bytes(&made), bytes(&[(&x * &x).cumsum(0)]));
                }
            });
        }
    });
}
