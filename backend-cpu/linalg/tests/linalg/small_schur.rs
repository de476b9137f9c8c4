//! Eigenvalues and vectors of small matrices satisfy their definition, for difficult matrices of one kind each.

use ndany_linalg::factor::{f32s, f64s};
use num_complex::{Complex, Complex64};

const KINDS: usize = 12;

fn matrix(n: usize, kind: usize) -> Vec<f64> {
    let mut state = 7 * kind as u64 + 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let random: Vec<f64> = (0..n * n).map(|_| next()).collect();
    let made = (0..n * n).map(|place| {
        let (i, j, x) = (place / n, place % n, random[place]);
        match kind {
            0 => x,
            1 => 0.0,
            2 => f64::from(i == j),
            // A cyclic permutation: all values have absolute value 1, and shifts by the last rows stagnate.
            3 => f64::from((i + 1) % n == j),
            // A Jordan block, with a single vector.
            4 => f64::from(i == j) * 3.0 + f64::from(i + 1 == j),
            5 => f64::from(i == j) * 3.0 + f64::from(i == j + 1),
            6 => (random[i * n + j] + random[j * n + i]) / 2.0,
            // Complex pairs only.
            7 => random[i * n + j] - random[j * n + i],
            8 => x * 0.01f64.powi((i + j) as i32),
            9 => x * 1e300,
            10 => x * 1e-300,
            _ => (i * n + j) as f64,
        }
    });
    made.collect()
}

/// Both are compared relative to the largest element.
fn holds(a: &[f64], n: usize, w: &[Complex64], v: &[Complex64], bound: f64, what: &str) {
    let most = a.iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
    let trace: f64 = (0..n).map(|i| a[i * n + i] / most).sum();
    let sum: Complex64 = w.iter().map(|w| w / most).sum();
    assert!((sum - trace).norm() <= bound, "{what}: {sum} and {trace}");
    for j in 0..n {
        let column: Vec<Complex64> = (0..n).map(|i| v[i * n + j]).collect();
        let length: f64 = column.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
        assert!((length - 1.0).abs() <= bound, "{what}: {length}");
        for i in 0..n {
            let product: Complex64 = (0..n).map(|k| column[k] * (a[i * n + k] / most)).sum();
            let far = (product - column[i] * (w[j] / most)).norm();
            assert!(far <= bound, "{what}: vector {j} is {far:e} apart");
        }
        if w[j].im == 0.0 {
            assert!(column.iter().all(|x| x.im == 0.0), "{what}: {column:?}");
        } else if w[j].im > 0.0 {
            assert_eq!(w[j + 1], w[j].conj(), "{what}");
            assert!((0..n).all(|i| v[i * n + j + 1] == column[i].conj()), "{what}");
        }
    }
}

#[test]
fn vectors_are_of_their_values() {
    for n in 1..=17 {
        for kind in 0..KINDS {
            let (a, zero) = (matrix(n, kind), Complex64::ZERO);
            let (mut w, mut v, mut alone) = (vec![zero; n], vec![zero; n * n], vec![zero; n]);
            assert_eq!(f64s::eig(&a, n, &mut w, Some(&mut v), 1), 0, "kind {kind}, {n}");
            holds(&a, n, &w, &v, 1e-13, &format!("kind {kind}, {n}"));
            assert_eq!(f64s::eig(&a, n, &mut alone, None, 1), 0);
            assert!(n > 16 || alone == w, "kind {kind}, {n}: {alone:?}, not {w:?}");
        }
    }
}

#[test]
fn vectors_in_single_precision() {
    for n in [2, 5, 8, 16] {
        for kind in (0..KINDS).filter(|kind| ![9, 10].contains(kind)) {
            let a: Vec<f32> = matrix(n, kind).into_iter().map(|x| x as f32).collect();
            let zero = Complex::new(0f32, 0.0);
            let (mut w, mut v) = (vec![zero; n], vec![zero; n * n]);
            assert_eq!(f32s::eig(&a, n, &mut w, Some(&mut v), 1), 0);
            let wide = |x: &Complex<f32>| Complex64::new(x.re.into(), x.im.into());
            let [w, v] = [w, v].map(|x| x.iter().map(wide).collect::<Vec<_>>());
            let a: Vec<f64> = a.into_iter().map(f64::from).collect();
            holds(&a, n, &w, &v, 1e-5, &format!("kind {kind}, {n}"));
        }
    }
}

#[test]
fn what_is_not_finite_has_no_vectors() {
    for x in [f64::NAN, f64::NEG_INFINITY] {
        let (mut a, mut w) = (matrix(5, 0), vec![Complex64::ZERO; 5]);
        a[7] = x;
        assert_eq!(f64s::eig(&a, 5, &mut w, None, 1), 1);
    }
}
