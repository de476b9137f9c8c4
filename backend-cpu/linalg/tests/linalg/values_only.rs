//! Values without vectors equal those with vectors, for values that are far apart, clustered, equal, or zero.

use ndany_linalg::factor::{c64s, f32s, f64s};
use num_complex::Complex;

/// A difficult matrix of one kind.
fn matrix(m: usize, n: usize, kind: usize) -> Vec<f64> {
    let mut state = 5 * kind as u64 + 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let random: Vec<f64> = (0..m * n).map(|_| next()).collect();
    let at = |place: usize| (place / n, place % n);
    let made = (0..m * n).map(|place| {
        let ((i, j), x) = (at(place), random[place]);
        match kind {
            0 => x,
            1 => 0.0,
            2 => f64::from(i == j),
            3 => 1.0,
            // Rank two, with rounding-level noise.
            4 => (i + j) as f64 + 1e-17 * x,
            5 => x * 0.5f64.powi((i + j) as i32),
            6 => x * 0.5f64.powi((m + n - i - j) as i32),
            // Bidiagonal, with some pairs that nearly split off.
            7 => match i.abs_diff(j) {
                0 => 2.0,
                1 => {
                    if i.min(j) % 5 == 0 {
                        1e-12
                    } else {
                        -1.0
                    }
                }
                _ => 0.0,
            },
            // Wilkinson's matrix, with close pairs.
            8 => match i.abs_diff(j) {
                0 => (i as f64 - (n / 2) as f64).abs(),
                1 => 1.0,
                _ => 0.0,
            },
            9 => x * 1e200,
            _ => x * 1e-200,
        }
    });
    made.collect()
}

fn assert_close(got: &[f64], wanted: &[f64], bound: f64, what: &str) {
    let most = wanted.iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
    for (got, wanted) in got.iter().zip(wanted) {
        assert!((got / most - wanted / most).abs() <= bound, "{what}: {got:e}, not {wanted:e}");
    }
}

const KINDS: usize = 11;

#[test]
fn singular_values_alone() {
    for (m, n) in
        [(1, 1), (2, 2), (1, 5), (17, 17), (60, 40), (40, 60), (90, 20), (20, 90), (130, 130)]
    {
        for kind in 0..KINDS {
            let (a, k) = (matrix(m, n, kind), m.min(n));
            let (mut alone, mut values) = (vec![0.0; k], vec![0.0; k]);
            let (mut u, mut v) = (vec![0.0; m * k], vec![0.0; k * n]);
            assert_eq!(f64s::svd(&a, [m, n], &mut alone, None, 1), 0);
            assert_eq!(f64s::svd(&a, [m, n], &mut values, Some([&mut u, &mut v]), 1), 0);
            assert_close(&alone, &values, 4e-14, &format!("kind {kind}, {m} x {n}"));
            assert!(alone.is_sorted_by(|a, b| a >= b), "{alone:?}");
        }
    }
}

#[test]
fn eigenvalues_alone() {
    for n in [1, 2, 3, 17, 40, 130] {
        for kind in 0..KINDS {
            let a = matrix(n, n, kind);
            let (mut alone, mut values, mut v) = (vec![0.0; n], vec![0.0; n], vec![0.0; n * n]);
            assert_eq!(f64s::eigh(&a, n, &mut alone, None, 1), 0);
            assert_eq!(f64s::eigh(&a, n, &mut values, Some(&mut v), 1), 0);
            assert_close(&alone, &values, 4e-14, &format!("kind {kind}, {n}"));
            assert!(alone.is_sorted(), "{alone:?}");
        }
    }
}

/// Blocks of steps, parts of blocks and the edges of both, in both precisions; the number of threads changes
/// nothing.
#[test]
fn large_matrices_on_threads() {
    for (m, n) in [(31, 31), (32, 32), (33, 33), (65, 64), (301, 300), (420, 397), (517, 517)] {
        let what = format!("{m} x {n}");
        let mut a = matrix(m, n, 0);
        // Some steps have nothing to reflect.
        (0..m * n)
            .filter(|at| at / n < 3 && at % n > 5 || at % n < 3 && at / n > 5)
            .for_each(|at| a[at] = 0.0);
        let symmetric: Vec<f64> =
            (0..n * n).map(|at| a[(at / n).max(at % n) * n + (at / n).min(at % n)]).collect();
        let short = |x: &[f64]| x.iter().map(|&x| x as f32).collect::<Vec<f32>>();
        let wide = |x: &[f32]| x.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
        let [mut one, mut many, mut values] = [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
        let [mut u, mut v] = [vec![0.0; m * n], vec![0.0; n * n]];
        let mut singles = vec![0f32; n];
        assert_eq!(f64s::svd(&a, [m, n], &mut one, None, 1), 0);
        assert_eq!(f64s::svd(&a, [m, n], &mut many, None, 2), 0);
        assert_eq!(f64s::svd(&a, [m, n], &mut values, Some([&mut u, &mut v]), 1), 0);
        assert_eq!(f32s::svd(&short(&a), [m, n], &mut singles, None, 1), 0);
        assert_eq!(one, many, "{what}");
        assert_close(&one, &values, 1e-13, &what);
        assert_close(&wide(&singles), &values, 1e-5, &what);
        assert_eq!(f64s::eigh(&symmetric, n, &mut one, None, 1), 0);
        assert_eq!(f64s::eigh(&symmetric, n, &mut many, None, 2), 0);
        assert_eq!(f64s::eigh(&symmetric, n, &mut values, Some(&mut v), 1), 0);
        assert_eq!(f32s::eigh(&short(&symmetric), n, &mut singles, None, 1), 0);
        assert_eq!(one, many, "{what}");
        assert_close(&one, &values, 1e-13, &what);
        assert_close(&wide(&singles), &values, 1e-5, &what);
    }
}

/// The off-diagonal elements are complex if the dtype is.
#[test]
fn values_of_complex_matrices() {
    let n = 30;
    let part = |kind: usize| matrix(n, n, kind).into_iter().map(|x| x as f32);
    let a: Vec<Complex<f32>> =
        part(0).zip(part(4)).map(|(re, im)| Complex::new(re, im / 60.0)).collect();
    let wide = |x: &[f32]| x.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
    let zero = Complex::new(0f32, 0.0);
    let (mut alone, mut values) = (vec![0f32; n], vec![0f32; n]);
    let [mut u, mut v] = [vec![zero; n * n], vec![zero; n * n]];
    assert_eq!(c64s::svd(&a, [n, n], &mut alone, None, 1), 0);
    assert_eq!(c64s::svd(&a, [n, n], &mut values, Some([&mut u, &mut v]), 1), 0);
    assert_close(&wide(&alone), &wide(&values), 1e-5, "svd");
    assert_eq!(c64s::eigh(&a, n, &mut alone, None, 1), 0);
    assert_eq!(c64s::eigh(&a, n, &mut values, Some(&mut v), 1), 0);
    assert_close(&wide(&alone), &wide(&values), 1e-5, "eigh");
}

#[test]
fn what_is_not_finite_has_no_values() {
    for x in [f64::NAN, f64::INFINITY] {
        let mut a = matrix(20, 20, 0);
        a[20] = x;
        let mut values = vec![0.0; 20];
        assert_eq!(f64s::svd(&a, [20, 20], &mut values, None, 1), 1);
        assert_eq!(f64s::eigh(&a, 20, &mut values, None, 1), 1);
    }
}
