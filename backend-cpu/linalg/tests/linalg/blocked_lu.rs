//! LU and its solutions on several threads, of matrices that are factored by panels.

use ndany_linalg::Matrix;
use ndany_linalg::factor::{c128s, f32s, f64s};
use ndany_linalg::{matmul_c128, matmul_f32, matmul_f64};
use num_complex::Complex;

const SHAPES: [[usize; 2]; 5] = [[256, 256], [300, 300], [700, 257], [257, 700], [640, 641]];

/// Parts of numbers between -1 and 1.
fn random() -> impl FnMut() -> f64 {
    let mut state = 7u64;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A matrix in row order.
fn matrix<T>(start: *const T, rows: usize, columns: usize) -> Matrix<T> {
    Matrix { start, rows, columns, row_stride: columns as isize, column_stride: 1 }
}

/// The rows in their order after exchanges in LAPACK's form.
fn order_of(pivots: &[i32], rows: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    for (i, &pivot) in pivots.iter().enumerate() {
        order.swap(i, pivot as usize - 1);
    }
    order
}

/// Compares `l u` with the rows in their order. The bound is that of Higham's theorem 9.3, for elements of `l` and `u`
/// of at most 1 and `growth`.
macro_rules! check {
    ($a:expr, $shape:expr, $threads:expr, $unit:expr, $lu:path, $matmul:path, $zero:expr, $one:expr, $norm:expr) => {{
        let (a, [m, n], threads) = (&$a, $shape, $threads);
        let least = m.min(n);
        let (mut factors, mut pivots) = (vec![$zero; m * n], vec![0; least]);
        assert_eq!($lu(a, m, n, &mut factors, &mut pivots, threads), 0);
        let order = order_of(&pivots, m);
        let (mut l, mut u) = (vec![$zero; m * least], vec![$zero; least * n]);
        for i in 0..m {
            for j in 0..n {
                let factor = factors[i * n + j];
                if i > j {
                    l[i * least + j] = factor;
                } else {
                    u[i * n + j] = factor;
                }
            }
            if i < least {
                l[i * least + i] = $one;
            }
        }
        let norm = $norm;
        let largest = |all: &[_]| all.iter().map(|&x| norm(x)).fold(0.0, f64::max);
        assert!(largest(&l) <= 1.5, "{m} {n}: rows are exchanged");
        let mut product = vec![$zero; m * n];
        // SAFETY: the vectors have these elements, and nothing else uses them.
        unsafe {
            $matmul(
                matrix(product.as_mut_ptr().cast_const(), m, n),
                matrix(l.as_ptr(), m, least),
                matrix(u.as_ptr(), least, n),
            );
        }
        let bound = 4.0 * least as f64 * $unit * largest(&u);
        for i in 0..m {
            for j in 0..n {
                let difference = norm(product[i * n + j] - a[order[i] * n + j]);
                assert!(difference <= bound, "{m} {n}, {threads} threads: {difference} at {i} {j}");
            }
        }
        let mut rows = order;
        rows.sort_unstable();
        assert!(rows.into_iter().eq(0..m), "each row once");
    }};
}

#[test]
fn factors_are_those_of_the_matrix() {
    for [m, n] in SHAPES {
        let mut next = random();
        let real: Vec<f64> = (0..m * n).map(|_| next()).collect();
        let single: Vec<f32> = real.iter().map(|&x| x as f32).collect();
        let complex: Vec<_> = (0..m * n).map(|_| Complex::new(next(), next())).collect();
        let (zero, one) = (Complex::new(0.0, 0.0), Complex::new(1.0, 0.0));
        // Of the larger part of a complex number.
        let norm = |x: Complex<f64>| x.re.abs().max(x.im.abs());
        for threads in [2, 7] {
            let unit = f64::EPSILON;
            check!(real, [m, n], threads, unit, f64s::lu, matmul_f64, 0.0, 1.0, f64::abs);
            check!(complex, [m, n], threads, 2.0 * unit, c128s::lu, matmul_c128, zero, one, norm);
            let (unit, norm) = (f64::from(f32::EPSILON), |x: f32| f64::from(x.abs()));
            check!(single, [m, n], threads, unit, f32s::lu, matmul_f32, 0.0, 1.0, norm);
        }
    }
}

#[test]
fn a_zero_column_has_a_zero_pivot() {
    for zero in [0, 63, 64, 200, 299] {
        let mut next = random();
        let a: Vec<f64> =
            (0..300 * 300).map(|at| if at % 300 == zero { 0.0 } else { next() }).collect();
        let (mut factors, mut pivots) = (vec![0.0; 300 * 300], vec![0; 300]);
        let status = f64s::lu(&a, 300, 300, &mut factors, &mut pivots, 3);
        assert_eq!(status, zero as i32 + 1);
        assert_eq!((0..300).position(|i| factors[i * 300 + i] == 0.0), Some(zero));
    }
}

#[test]
fn solutions_solve() {
    let mut next = random();
    // Dominant diagonals, so that the condition is small.
    let (n, right) = (300, 50);
    let mut a: Vec<f64> = (0..n * n).map(|_| next()).collect();
    (0..n).for_each(|i| a[i * n + (i + n - 5) % n] += 30.0);
    let x: Vec<f64> = (0..n * right).map(|_| next()).collect();
    let (mut b, mut solved) = (vec![0.0; n * right], vec![f64::NAN; n * right]);
    // SAFETY: the vectors have these elements, and nothing else uses them.
    unsafe {
        matmul_f64(
            matrix(b.as_mut_ptr().cast_const(), n, right),
            matrix(a.as_ptr(), n, n),
            matrix(x.as_ptr(), n, right),
        );
    }
    assert_eq!(f64s::solve(&a, &b, n, right, &mut solved, 4), 0);
    for (found, expected) in solved.iter().zip(&x) {
        assert!((found - expected).abs() < 1e-11, "{found} {expected}");
    }
}
