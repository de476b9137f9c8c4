//! Many threads that want overlapping parts of one graph at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use ndany::{Array, DType, Device, Result};

/// Longer than any of these tests takes, on a busy machine too.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Runs a test that may hang, and says so if it does.
fn watched(test: impl FnOnce() + Send + 'static) {
    let (done, wait) = channel();
    let thread = std::thread::spawn(move || {
        test();
        // The receiver is gone only if the test was given up.
        let _ = done.send(());
    });
    match wait.recv_timeout(TIMEOUT) {
        Err(RecvTimeoutError::Timeout) => panic!("deadlock: still at work after {TIMEOUT:?}"),
        Ok(()) | Err(RecvTimeoutError::Disconnected) => {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

/// A graph in layers, each node made of two of those before it; one of them fails if asked.
fn layered(seed: u64, fails: bool) -> Vec<Array> {
    let mut state = seed;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) as usize) % limit
    };
    let mut nodes: Vec<Array> =
        (0..4).map(|k| Array::from(vec![k + 1, k + 2, 3, 5]).reshape([2, 2])).collect();
    for step in 0..50 {
        let (a, b) = (nodes[next(nodes.len())].clone(), nodes[nodes.len() - 1 - next(3)].clone());
        nodes.push(match next(6) {
            0 => &a - &b,
            1 => a.maximum(&b) & 0xFF,
            2 => &a + b.transpose(..),
            3 => &a + b.sum(ndany::over(1).keepdims()),
            4 if fails && step == 30 => a.pow(&(b.abs().minimum(1) - 5)),
            _ => &a ^ &b,
        });
    }
    nodes
}

/// The values of a graph, or the classes of its errors.
fn values(nodes: &[Array]) -> Vec<std::result::Result<Vec<i32>, &'static str>> {
    nodes.iter().map(|node| node.to_vec::<i32>().map_err(|error| error.class())).collect()
}

#[test]
fn eight_threads_evaluate_one_graph_from_different_roots() {
    watched(|| {
        for name in ["reference", "cpu:threads=2"] {
            let device = Device::open(name).expect("always there");
            let rounds = if cfg!(debug_assertions) { 150 } else { 1500 };
            for round in 0..rounds {
                let _guard = device.enter();
                let fails = round % 4 == 0;
                let expected = values(&layered(round, fails));
                let nodes = Arc::new(layered(round, fails));
                let start = Arc::new(Barrier::new(8));
                let threads: Vec<_> = (0..8usize)
                    .map(|thread| {
                        let (nodes, start) = (nodes.clone(), start.clone());
                        std::thread::spawn(move || {
                            start.wait();
                            let count = nodes.len();
                            let step = [1, 3, 5, 7, 11, 13, 17, 19][thread] % count;
                            // From the end, so that roots have long ways back.
                            let order = (0..count).map(|k| count - 1 - (k * step) % count);
                            for position in order {
                                let _ = nodes[position].eval();
                            }
                        })
                    })
                    .collect();
                threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
                assert_eq!(values(&nodes), expected, "{name}, round {round}");
            }
        }
    });
}

/// Two roots: each meets at once the node that the other meets after a long way.
fn crossed() -> [Array; 2] {
    let x = Array::from([1i32, 2, 3]);
    let (v, w) = (&x + 1, &x * 3);
    let far = |node: &Array| (0..40).fold(node.clone(), |far, step| far + step);
    [&v + far(&w), &w + far(&v)]
}

#[test]
fn two_threads_that_want_each_others_claims_both_get_on() {
    watched(|| {
        let _guard = Device::open("reference").expect("always there").enter();
        let rounds = if cfg!(debug_assertions) { 3000 } else { 30_000 };
        let pairs: Vec<[Array; 2]> = (0..rounds).map(|_| crossed()).collect();
        let arrived = AtomicUsize::new(0);
        // Spinning, so that both begin a round within a few instructions of each other.
        let together = |round: usize| {
            arrived.fetch_add(1, Ordering::SeqCst);
            let mut spins = 0;
            while arrived.load(Ordering::SeqCst) < 2 * round + 2 {
                spins += 1;
                // On a machine that has no second core for this thread's partner.
                if spins % 10_000 == 0 {
                    std::thread::yield_now();
                }
                std::hint::spin_loop();
            }
        };
        std::thread::scope(|scope| {
            for side in 0..2 {
                let (pairs, together) = (&pairs, &together);
                scope.spawn(move || {
                    for (round, pair) in pairs.iter().enumerate() {
                        together(round);
                        pair[side].eval().expect("nothing fails");
                    }
                });
            }
        });
        let expected: Vec<Vec<i32>> =
            crossed().iter().map(|root| root.to_vec().expect("nothing fails")).collect();
        for pair in &pairs {
            let got: Vec<Vec<i32>> =
                pair.iter().map(|root| root.to_vec().expect("nothing fails")).collect();
            assert_eq!(got, expected);
        }
    });
}

#[test]
fn workers_of_rayon_evaluate_what_others_are_computing() {
    use rayon::prelude::*;
    watched(|| {
        let device = Device::open("cpu:threads=2").expect("always there");
        for _ in 0..20 {
            let _guard = device.enter();
            // Long enough for the device's own threads.
            let shared = (ndany::arange(400_000).astype(DType::F32) * 0.001).exp();
            let roots: Vec<Array> = (0..32).map(|k| (&shared + k).sum(..)).collect();
            let sums: Vec<Result<f32>> = roots.par_iter().map(Array::item::<f32>).collect();
            assert!(sums.iter().all(Result::is_ok));
        }
    });
}

#[test]
fn a_panic_in_a_backend_leaves_no_thread_waiting() {
    watched(|| {
        let mocked = crate::mock::poisoned(0xFF);
        let _guard = mocked.device.enter();
        let x = Array::from([1.0f32, 2.0]);
        let shared = &x + 1;
        let root = &shared * 2;
        mocked.log.panic_next();
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| root.eval()));
        assert!(panic.is_err(), "the panic reaches the caller");
        assert_eq!(root.eval().expect_err("never computed").class(), "RuntimeError");
        let shared = shared.clone();
        let other = std::thread::spawn(move || shared.eval().is_err());
        assert!(other.join().expect("no panic"), "what was computed along with it has failed too");
        assert_eq!((&x + 1).to_vec::<f32>().ok(), Some(vec![2.0, 3.0]));
    });
}
