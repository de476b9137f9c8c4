//! Factors of matrices near the ends of their dtype's range equal those of the same matrix scaled by a power of
//! two to ordinary numbers. Also defective matrices, which have fewer vectors than columns.

use ndany_linalg::factor::{OVERFLOWED, c64s, c128s, f32s, f64s};
use num_complex::{Complex, Complex64};

/// A number of each dtype, converted from and to complex doubles.
trait Number: Copy {
    fn of(x: Complex64) -> Self;
    fn wide(self) -> Complex64;
}

macro_rules! numbers {
    ($($ty:ty, $x:ident => $of:expr, $own:ident => $wide:expr;)+) => {$(
        impl Number for $ty {
            fn of($x: Complex64) -> Self {
                $of
            }
            fn wide(self) -> Complex64 {
                let $own = self;
                $wide
            }
        }
    )+};
}

numbers! {
    f32, x => x.re as f32, own => Complex64::from(f64::from(own));
    f64, x => x.re, own => Complex64::from(own);
    Complex<f32>, x => Complex::new(x.re as f32, x.im as f32), own => Complex64::new(f64::from(own.re), f64::from(own.im));
    Complex<f64>, x => x, own => own;
}

/// Multiples of 1/16, so that scaling by powers of two is exact down to the smallest numbers; the diagonal is
/// larger.
fn ordinary(rows: usize, columns: usize) -> Vec<Complex64> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) % 33) as f64 / 16.0 - 1.0
    };
    let heavy = |place: usize| if place / columns == place % columns { 3.0 } else { 0.0 };
    (0..rows * columns).map(|place| Complex64::new(next() + heavy(place), next())).collect()
}

/// `a aʰ`, which is positive definite.
fn positive(n: usize, real: bool) -> Vec<Complex64> {
    let mut a = ordinary(n, n);
    a.iter_mut().filter(|_| real).for_each(|x| x.im = 0.0);
    let product = |place: usize| {
        let (i, j) = (place / n, place % n);
        (0..n).map(|k| a[i * n + k] * a[j * n + k].conj()).sum::<Complex64>() / 16.0
    };
    (0..n * n).map(product).collect()
}

/// Compares two results after scaling the second, part by part within `bound` of the largest.
fn assert_close<T: Number>(got: &[T], wanted: &[T], by: f64, bound: f64, what: &str) {
    let wanted: Vec<Complex64> = wanted.iter().map(|x| x.wide() * by).collect();
    let most = wanted.iter().fold(0.0, |most: f64, x| most.max(x.re.abs()).max(x.im.abs()));
    for (place, (got, wanted)) in got.iter().zip(&wanted).enumerate() {
        let far = got.wide() / most - wanted / most;
        let far = far.re.abs().max(far.im.abs());
        assert!(far <= bound, "{what}: place {place}: {:?}, not {wanted:?}", got.wide());
    }
}

macro_rules! extremes {
    ($($name:ident $kind:ident $ty:ty, $part:ty, $powers:expr;)+) => {$(
        #[test]
        fn $name() {
                        let numbers = |a: &[Complex64], by: f64| a.iter().map(|&x| <$ty>::of(x * by)).collect::<Vec<$ty>>();
            let zero = <$ty>::of(Complex64::ZERO);
            let none = Complex::<$part>::new(0.0, 0.0);
            // Small matrices have their own loops, larger ones use the library.
            for (power, order) in $powers.into_iter().flat_map(|power| [(power, 5), (power, 20)]) {
                let bound = 200.0 * (order * order) as f64 * f64::from(<$part>::EPSILON);
                let by = 2f64.powi(power / 2) * 2f64.powi(power / 2);
                let what = |name: &str| format!("{name} of {} {order} by 2^{power}", stringify!($ty));
                for (m, n) in [(order, order), (order + 4, order), (order, order + 4)] {
                    let a = ordinary(m, n);
                    let run = |by: f64| {
                        let a = numbers(&a, by);
                        let mut values = vec![0.0 as $part; order];
                        let (mut u, mut vh) = (vec![zero; m * order], vec![zero; order * n]);
                        assert_eq!($kind::svd(&a, [m, n], &mut values, Some([&mut u, &mut vh]), 1), 0);
                        let mut alone = vec![0.0 as $part; order];
                        assert_eq!($kind::svd(&a, [m, n], &mut alone, None, 1), 0);
                        let (mut q, mut r) = (vec![zero; m * order], vec![zero; order * n]);
                        assert_eq!($kind::qr(&a, [m, n], Some(&mut q), &mut r, 1), 0);
                        let (mut lu, mut pivots) = (vec![zero; m * n], vec![0; order]);
                        assert_eq!($kind::lu(&a, m, n, &mut lu, &mut pivots, 1), 0);
                        (values, alone, u, vh, q, r, lu, pivots)
                    };
                    let (got, wanted) = (run(by), run(1.0));
                    assert_close(&got.0, &wanted.0, by, bound, &what("s"));
                    assert_close(&got.1, &wanted.0, by, bound, &what("s alone"));
                    assert_close(&got.2, &wanted.2, 1.0, bound, &what("u"));
                    assert_close(&got.3, &wanted.3, 1.0, bound, &what("vh"));
                    assert_close(&got.4, &wanted.4, 1.0, bound, &what("q"));
                    assert_close(&got.5, &wanted.5, by, bound, &what("r"));
                    // L does not depend on the scale; U has it.
                    let below = |x: &[$ty], lower: bool| -> Vec<$ty> {
                        x.iter().enumerate().filter(|(at, _)| (at / n > at % n) == lower).map(|(_, &x)| x).collect()
                    };
                    assert_close(&below(&got.6, true), &below(&wanted.6, true), 1.0, bound, &what("l"));
                    assert_close(&below(&got.6, false), &below(&wanted.6, false), by, bound, &what("u of lu"));
                    assert_eq!(got.7, wanted.7, "{}", what("pivots"));
                }
                let a = ordinary(order, order);
                let h = positive(order, size_of::<$ty>() == size_of::<$part>());
                let run = |by: f64| {
                    let (a, h) = (numbers(&a, by), numbers(&h, by));
                    let (mut w, mut v) = (vec![0.0 as $part; order], vec![zero; order * order]);
                    assert_eq!($kind::eigh(&h, order, &mut w, Some(&mut v), 1), 0);
                    let mut alone = vec![0.0 as $part; order];
                    assert_eq!($kind::eigh(&h, order, &mut alone, None, 1), 0);
                    let (mut any, mut vectors) = (vec![none; order], vec![none; order * order]);
                    assert_eq!($kind::eig(&a, order, &mut any, Some(&mut vectors), 1), 0);
                    let mut lower = vec![zero; order * order];
                    assert_eq!($kind::cholesky(&h, order, &mut lower, 1), 0);
                    let mut x = vec![zero; order * 2];
                    assert_eq!($kind::solve(&a, &a[..order * 2], order, 2, &mut x, 1), 0);
                    (w, alone, v, any, vectors, lower, x)
                };
                let (got, wanted) = (run(by), run(1.0));
                assert_close(&got.0, &wanted.0, by, bound, &what("w of eigh"));
                assert_close(&got.1, &wanted.0, by, bound, &what("w of eigh alone"));
                assert_close(&got.2, &wanted.2, 1.0, bound, &what("v of eigh"));
                assert_close(&got.3, &wanted.3, by, bound, &what("w of eig"));
                assert_close(&got.4, &wanted.4, 1.0, bound, &what("v of eig"));
                assert_close(&got.5, &wanted.5, by.sqrt(), bound, &what("cholesky"));
                assert_close(&got.6, &wanted.6, 1.0, bound, &what("solve"));
            }
        }
    )+};
}

// All elements of the last one are below the least normal number.
extremes! {
    of_f32 f32s f32, f32, [60, 100, 122, -60, -100, -134];
    of_f64 f64s f64, f64, [500, 900, 1018, -500, -900, -1028];
    of_c64 c64s Complex<f32>, f32, [60, 100, 122, -60, -100, -134];
    of_c128 c128s Complex<f64>, f64, [500, 900, 1018, -500, -900, -1028];
}

/// Each vector of a Jordan block is the first axis. Substitution multiplies by the reciprocal of the rounding
/// unit in every step; a short block stays finite, a small one in doubles.
#[test]
fn vectors_out_of_range_are_reported() {
    let block = |n: usize| -> Vec<f32> {
        (0..n * n)
            .map(|at| {
                if at / n == at % n {
                    3.0
                } else if at / n + 1 == at % n {
                    1.0
                } else {
                    0.0
                }
            })
            .collect()
    };
    let none = Complex::new(0f32, 0.0);
    for (n, status) in [(4, 0), (12, 0), (24, OVERFLOWED)] {
        let (mut w, mut v) = (vec![none; n], vec![none; n * n]);
        assert_eq!(f32s::eig(&block(n), n, &mut w, Some(&mut v), 1), status, "{n}");
        assert!(w.iter().all(|w| w.im == 0.0 && (w.re - 3.0).abs() < 1e-6), "{w:?}");
        assert!(status != 0 || v.iter().all(|v| v.re.is_finite() && v.im == 0.0), "{v:?}");
        assert_eq!(f32s::eig(&block(n), n, &mut w, None, 1), 0);
    }
}

/// Rows are exchanged in every step, and the right sides must be exchanged before any subtraction.
#[test]
fn systems_are_solved_whose_rows_change_places() {
    let residual = |n: usize| {
        let mut a: Vec<f64> = ordinary(n, n).iter().map(|x| x.re).collect();
        a.rotate_right(2 * n);
        let b: Vec<f64> = ordinary(n, 3).iter().map(|x| x.im).collect();
        let mut x = vec![0.0; 3 * n];
        assert_eq!(f64s::solve(&a, &b, n, 3, &mut x, 1), 0);
        let product = |i: usize, j: usize| (0..n).map(|k| a[i * n + k] * x[k * 3 + j]).sum::<f64>();
        (0..3 * n).map(|at| (product(at / 3, at % 3) - b[at]).abs()).fold(0.0, f64::max)
    };
    for n in [2, 3, 8, 16, 17, 40] {
        assert!(residual(n) < 1e-12, "{n}: {:e}", residual(n));
    }
}
