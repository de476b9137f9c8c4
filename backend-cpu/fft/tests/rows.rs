//! Transforms of rows beside their definition, and the cache of plans. The crate has no unit tests, so that it is compiled once.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ndany_fft::{Kind, PLAN_BYTES, f32s, f64s, kept};
use num_complex::Complex;

/// Held by each test: all share the cache of plans.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The transform by its definition.
fn plain(row: &[f64]) -> Vec<Complex<f64>> {
    let turn = -std::f64::consts::TAU / row.len() as f64;
    let root = |k: usize| Complex::cis(turn * (k % row.len()) as f64);
    let at = |k: usize| row.iter().enumerate().map(|(i, &x)| root(i * k) * x).sum();
    (0..=row.len() / 2).map(at).collect()
}

#[test]
fn rows_of_all_lengths() {
    let _alone = alone();
    for length in (1..70).chain([510, 512, 514, 516, 1000, 1022, 1026, 1030]) {
        let row: Vec<f64> = (0..length).map(|i| (i as f64 * 1.7).sin() + 0.1).collect();
        let wanted = plain(&row);
        let mut found = vec![Complex::new(f64::NAN, f64::NAN); wanted.len()];
        f64s::RowTransform::new(Kind::RealToHalf, length)
            .expect("memory")
            .to_half(&row, &mut found, 1.0);
        for (k, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
            assert!((found - wanted).norm() < 1e-11, "{k} of {length}: {found}, not {wanted}");
        }

        let row: Vec<f32> = row.iter().map(|&x| x as f32).collect();
        let mut found = vec![Complex::new(f32::NAN, f32::NAN); wanted.len()];
        f32s::RowTransform::new(Kind::RealToHalf, length)
            .expect("memory")
            .to_half(&row, &mut found, 1.0);
        for (k, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
            let found = Complex::new(f64::from(found.re), f64::from(found.im));
            assert!((found - wanted).norm() < 1e-3, "{k} of {length}: {found}, not {wanted}");
        }
    }
}

/// Makes the plan for a length, or finds it.
fn plan(length: usize) {
    f64s::RowTransform::new(Kind::Forward, length).expect("memory");
}

#[test]
fn plans_are_shared_and_bounded() {
    let _alone = alone();
    // A plan larger than the cache stays while it is the last used, and alone.
    let too_long = PLAN_BYTES / 64 + 1;
    plan(too_long);
    assert_eq!(kept().0, 1);
    assert!(kept().1 > PLAN_BYTES);
    let short = 8;
    plan(short);
    let (count, bytes_of_short) = kept();
    assert_eq!(count, 1, "the long plan has gone");
    // The same plan again is found.
    plan(short);
    assert_eq!(kept(), (1, bytes_of_short));
    // Each takes nearly a quarter of the cache.
    let long = |number: usize| PLAN_BYTES / 4 / 64 - 1024 + 16 * number;
    for number in 0..4 {
        plan(long(number));
    }
    assert_eq!(kept().0, 5);
    // The short plan is used again, so the first of the long ones is the least recently used.
    plan(short);
    plan(long(4));
    assert_eq!(kept().0, 5);
    assert!(kept().1 <= PLAN_BYTES, "{:?}", kept());
    let bytes = kept().1;
    plan(short);
    plan(long(4));
    assert_eq!(kept(), (5, bytes), "both are there");
    // The first long plan is made again, and the second has gone for it: it was shorter than those after it.
    plan(long(0));
    assert!(kept().1 < bytes, "{:?}", kept());
    // Nothing has dropped the short plan.
    let bytes = kept().1;
    plan(short);
    assert_eq!(kept(), (5, bytes));
}
