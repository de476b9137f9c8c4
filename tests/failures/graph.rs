//! Graphs too long or too deep for a stack.

use ndany::{Array, DType, Device, Result, zeros};

const MANY: usize = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };

/// Runs on a small stack, as a thread of a server may have it.
fn on_a_small_stack(test: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(test);
    thread.expect("a thread").join().expect("no panic")
}

#[test]
fn a_chain_of_very_many_operations() -> Result<()> {
    on_a_small_stack(|| {
        let _guard = Device::open("cpu")?.enter();
        let mut a = zeros(2, DType::I64);
        for _ in 0..MANY {
            a += 1;
        }
        assert_eq!(a.to_vec::<i64>()?, [MANY as i64; 2]);
        // And dropped without having been computed.
        let mut a = zeros(2, DType::F32);
        for _ in 0..MANY {
            a = &a * 2.0;
        }
        drop(a);
        Ok(())
    })
}

#[test]
fn very_many_arrays_that_are_never_computed() -> Result<()> {
    on_a_small_stack(|| {
        let _guard = Device::open("cpu")?.enter();
        let a = Array::from([1.0f32, 2.0]);
        let pending: Vec<Array> = (0..MANY).map(|i| &a + i as f32).collect();
        assert!(format!("{:?}", pending[MANY - 1]).contains("pending"));
        drop(pending);
        assert_eq!(a.to_vec::<f32>()?, [1.0, 2.0]);
        Ok(())
    })
}

#[test]
fn graphs_whose_paths_double_with_each_step() -> Result<()> {
    on_a_small_stack(|| {
        for name in ["reference", "cpu"] {
            let _guard = Device::open(name)?.enter();
            let mut a = Array::from([1i64]);
            for _ in 0..62 {
                a = &a + &a;
            }
            assert_eq!(a.item::<i64>()?, 1 << 62);
            // The same, where every step is kept.
            let mut steps = vec![Array::from([1u64])];
            for step in 0..500 {
                let next = &steps[step] + &steps[step / 2];
                steps.push(next);
            }
            drop(steps.drain(100..400));
            steps[steps.len() - 1].eval()?;
        }
        Ok(())
    })
}

#[test]
fn a_ladder_of_reductions() -> Result<()> {
    on_a_small_stack(|| {
        for name in ["reference", "cpu"] {
            let _guard = Device::open(name)?.enter();
            let mut a = Array::from([[1.0f64, 3.0], [5.0, 7.0]]);
            let rounds = MANY / 100;
            for _ in 0..rounds {
                a = &a - a.mean(ndany::over(1).keepdims()) + 1;
            }
            assert_eq!(a.to_vec::<f64>()?, [0.0, 2.0, 0.0, 2.0]);
        }
        Ok(())
    })
}
