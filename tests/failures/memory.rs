//! Memory that runs out, that was never written, that is not freed.

use ndany::{Array, DType, Result, checked, concatenate, s};

use crate::canonical;
use crate::mock::{self, Mocked};

/// Something of everything; what a user's function does, with every error passed on.
fn workload() -> Result<Vec<Vec<u8>>> {
    let x = Array::try_from_slice(&[1.0f32, -2.0, 3.0, 0.5, 0.25, -4.0], (2, 3))?;
    let w = Array::try_from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], (3, 2))?;
    let shared = checked::exp(&x)?;
    let softmax = checked::divide(&shared, checked::sum(&shared, ndany::over(1).keepdims())?)?;
    let mut changed = softmax.clone();
    changed.set(s![0, ..], 7);
    let doubled = checked::multiply(&changed.try_i(s![.., 1])?, 2)?;
    changed.set(s![.., 1], &doubled);
    let running = checked::cumsum(&x, 1)?;
    let product = checked::add(&checked::matmul(&x, &w)?, 1)?;
    let joined = checked::concatenate(&[&x, &running], 0)?;
    let turned = checked::reshape(&checked::transpose(&joined, ..)?, [12])?;
    let moments = (checked::mean(&x, 0)?, checked::var(&x, 0)?);
    let whole = checked::argmax(&checked::astype(&x, DType::I32)?, ..)?;
    let all =
        [&shared, &softmax, &changed, &running, &product, &turned, &moments.0, &moments.1, &whole];
    all.iter().map(|array| array.to_bytes()).collect()
}

#[test]
fn row_13_an_allocation_that_fails_leaves_everything_usable() {
    let Mocked { device, log } = mock::poisoned(0xFF);
    let _guard = device.enter();
    let expected = workload().expect("memory enough");
    assert_eq!(log.live(), 0);
    let mut failures = 0;
    for after in 0.. {
        log.fail_after(after);
        let outcome = workload();
        if !log.failed() {
            break;
        }
        failures += 1;
        let error = match outcome {
            Ok(_) => panic!("allocation {after} failed without an error"),
            Err(error) => error,
        };
        assert_eq!(error.class(), "MemoryError", "allocation {after}: {error}");
        let text = error.to_string();
        assert!(text.contains("requested") && !text.contains("[allocate]"), "{text}");
        assert_eq!(log.live(), 0, "allocation {after} left memory allocated");
        assert_eq!(workload().expect("memory enough again"), expected, "after {after}");
    }
    assert!(failures > 8, "{failures} allocations");
    assert_eq!((log.live(), log.overruns()), (0, 0));
}

#[test]
fn row_13_work_that_ran_out_of_memory_can_be_asked_for_again() -> Result<()> {
    let Mocked { device, log } = mock::poisoned(0xFF);
    let _guard = device.enter();
    let x = Array::from([1.0f32, 2.0]);
    let shared = &x * 2;
    let first = &shared + 1;
    log.fail_after(0);
    let error = first.eval().expect_err("no memory");
    let text = error.to_string();
    assert!(
        text.contains("add") && text.contains("float32") && text.contains("memory.rs"),
        "{text}"
    );
    // What failed has failed; what it was made of is still to be had.
    assert_eq!(first.eval().expect_err("kept").class(), "MemoryError");
    assert_eq!(shared.to_vec::<f32>()?, [2.0, 4.0]);
    assert_eq!((&shared + 1).to_vec::<f32>()?, [3.0, 5.0]);
    Ok(())
}

#[test]
fn row_1_and_14_an_error_reaches_what_is_derived_and_holds_no_memory() {
    let Mocked { device, log } = mock::poisoned(0xFF);
    let _guard = device.enter();
    let errors: Vec<ndany::Error> = (0..5)
        .map(|round| {
            let base = Array::from([2i32, 3]);
            let failed = base.pow(&(&base - 10));
            let derived = (&failed + 1).astype(DType::F32);
            let summed = derived.sum(..);
            let running = derived.cumsum(0);
            let joined = concatenate(&[&derived, &derived], 0);
            let viewed = derived.i(0);
            if round % 2 == 0 {
                // The same whether the failed one was asked first or not.
                assert_eq!(failed.eval().expect_err("a negative power").class(), "ValueError");
            }
            for array in [&summed, &running, &joined, &viewed, &derived] {
                assert_eq!(array.to_bytes().expect_err("derived").class(), "ValueError");
            }
            let mut written = Array::from([1.0f32, 2.0]);
            assert_eq!(
                checked::set(&mut written, .., &derived).expect_err("derived").class(),
                "ValueError"
            );
            assert!(format!("{summed:?}").contains("failed"));
            summed.eval().expect_err("kept")
        })
        .collect();
    assert_eq!(log.live(), 0, "{errors:?}");
    assert_eq!(log.overruns(), 0);
}

#[test]
fn row_23_nothing_is_left_behind() -> Result<()> {
    let Mocked { device, log } = mock::poisoned(0xFF);
    let _guard = device.enter();
    let kept = Array::from([1.0f64, 2.0, 3.0]);
    let baseline = log.live();
    for _ in 0..200 {
        workload()?;
        let pending = (&kept * 2).exp();
        let view = kept.i(s![..;-1]);
        let _ = (&view + &pending).sum(0);
        let mut copy = kept.clone();
        copy.set(0, 5);
        drop(pending);
    }
    assert_eq!((log.live(), log.overruns()), (baseline, 0));
    Ok(())
}

#[test]
fn row_8_and_4_every_operation_gives_the_same_twice_and_on_any_fresh_memory() {
    let mut expected: Vec<(String, Vec<u8>)> = Vec::new();
    for poison in [0x00, 0xFF, 0x55] {
        let Mocked { device, log } = mock::poisoned(poison);
        let _guard = device.enter();
        for _ in 0..2 {
            let results = crate::layouts::every_operation();
            let results: Vec<(String, Vec<u8>)> =
                results.into_iter().map(|(name, array)| (name, canonical(&array))).collect();
            if expected.is_empty() {
                expected = results;
                continue;
            }
            for ((name, want), (_, have)) in expected.iter().zip(&results) {
                assert_eq!(want, have, "{name} on memory full of {poison:#x}");
            }
        }
        assert_eq!((log.live(), log.overruns()), (0, 0));
    }
    assert!(expected.len() > 400, "{} operations", expected.len());
}
