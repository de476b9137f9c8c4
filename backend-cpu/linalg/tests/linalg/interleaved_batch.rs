//! Matrices in SIMD lanes give the same results as single ones, for any neighbours, scale and rank.

use ndany_linalg::factor::{LANES, f32s, f64s, many_f32s, many_f64s};

macro_rules! side_by_side {
    ($($name:ident $one:ident $many:ident $ty:ident;)+) => {$(
        mod $name {
            use super::*;

            /// Difficult matrices of one kind each, with ordinary ones between them.
            fn matrix(m: usize, n: usize, number: usize) -> Vec<$ty> {
                let mut state = 11 * number as u64 + 3;
                let mut next = || {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    (state >> 40) as $ty / (1u64 << 23) as $ty - 1.0
                };
                let mut a: Vec<$ty> = (0..m * n).map(|_| next()).collect();
                match number {
                    1 => a.fill(0.0),
                    2 => a.iter_mut().enumerate().for_each(|(at, x)| *x = ((at / n + 1) * (at % n + 1)) as $ty),
                    3 => a.iter_mut().enumerate().for_each(|(at, x)| *x = if at / n == at % n { 2.0 } else { 0.0 }),
                    4 => a.iter_mut().for_each(|x| *x = 1.0),
                    5 => a.iter_mut().for_each(|x| *x *= <$ty>::MAX / 64.0),
                    6 => a.iter_mut().for_each(|x| *x *= <$ty>::MIN_POSITIVE * 8.0),
                    7 => a.iter_mut().enumerate().for_each(|(at, x)| *x *= (2.0 as $ty).powi(-((at % n) as i32 * 6))),
                    8 => a[(m * n) / 2] = <$ty>::NAN,
                    9 => a[0] = <$ty>::NEG_INFINITY,
                    _ => {}
                }
                a
            }

            fn symmetric(n: usize, number: usize) -> Vec<$ty> {
                let a = matrix(n, n, number);
                (0..n * n).map(|at| (a[at] + a[at % n * n + at / n]) / 2.0).collect()
            }

            fn assert_close(got: &[$ty], wanted: &[$ty], what: &str) {
                let most = wanted.iter().fold(<$ty>::MIN_POSITIVE, |most, x| most.max(x.abs()));
                for (got, wanted) in got.iter().zip(wanted) {
                    let apart = (got / most - wanted / most).abs();
                    assert!(apart <= 60.0 * <$ty>::EPSILON, "{what}: {got:e}, not {wanted:e}");
                }
            }

            /// Status and values of each matrix, then elements of vectors, for groups with and without unused
            /// lanes.
            fn each<R: PartialEq + std::fmt::Debug>(numbers: &[usize], group: impl Fn(&[usize]) -> Vec<R>) -> Vec<R> {
                let whole = group(numbers);
                let alone: Vec<R> = numbers.iter().flat_map(|&number| group(&[number])).collect();
                assert_eq!(whole, alone, "neighbours count");
                whole
            }

            #[test]
            fn values_of_each_are_those_of_one() {
                let numbers: Vec<usize> = (0..LANES).collect();
                for (m, n) in [(1, 1), (1, 3), (2, 2), (3, 2), (8, 8), (5, 16), (16, 5), (16, 16)] {
                    let least = m.min(n);
                    let singular = each(&numbers, |group| {
                        let a: Vec<_> = group.iter().map(|&number| matrix(m, n, number)).collect();
                        let mut s = vec![vec![0.0 as $ty; least]; a.len()];
                        let slices: Vec<&[$ty]> = a.iter().map(Vec::as_slice).collect();
                        let mut out: Vec<&mut [$ty]> = s.iter_mut().map(Vec::as_mut_slice).collect();
                        let status = $many::svdvals(&slices, [m, n], &mut out);
                        status.into_iter().zip(s).collect()
                    });
                    for (number, (status, values)) in singular.into_iter().enumerate() {
                        let mut wanted = vec![0.0; least];
                        assert_eq!($one::svd(&matrix(m, n, number), [m, n], &mut wanted, None, 1), status);
                        assert_eq!(status != 0, number == 8 || number == 9, "{number}");
                        assert_close(&values, &wanted, &format!("values of {number}, {m} x {n}"));
                    }
                }
            }

            #[test]
            fn eigenvectors_hold() {
                let numbers: Vec<usize> = (0..LANES).collect();
                for n in [1, 2, 3, 8, 13, 16] {
                    let own = |vectors: bool| each(&numbers, |group| {
                        let a: Vec<_> = group.iter().map(|&number| symmetric(n, number)).collect();
                        let (mut w, mut v) = (vec![vec![0.0 as $ty; n]; a.len()], vec![vec![0.0 as $ty; n * n]; a.len()]);
                        let slices: Vec<&[$ty]> = a.iter().map(Vec::as_slice).collect();
                        let mut values: Vec<&mut [$ty]> = w.iter_mut().map(Vec::as_mut_slice).collect();
                        let mut columns: Vec<&mut [$ty]> = v.iter_mut().filter(|_| vectors).map(Vec::as_mut_slice).collect();
                        let status = $many::eigh(&slices, n, &mut values, &mut columns);
                        status.into_iter().zip(w.into_iter().zip(v)).collect()
                    });
                    let alone = own(false);
                    for (number, (status, (w, v))) in own(true).into_iter().enumerate() {
                        assert_eq!((status, &w), (alone[number].0, &alone[number].1.0), "{number}");
                        let a = symmetric(n, number);
                        let mut wanted = vec![0.0; n];
                        assert_eq!($one::eigh(&a, n, &mut wanted, None, 1), status);
                        assert_eq!(status != 0, number == 8 || number == 9, "{number}");
                        if status != 0 {
                            continue;
                        }
                        let what = format!("{number}, {n} x {n}");
                        assert_close(&w, &wanted, &what);
                        let most = wanted.iter().fold(<$ty>::MIN_POSITIVE, |most, x| most.max(x.abs()));
                        for (i, j) in (0..n * n).map(|at| (at / n, at % n)) {
                            let column = |j: usize| (0..n).map(move |k| k * n + j);
                            let square: $ty = column(i).zip(column(j)).map(|(x, y)| v[x] * v[y]).sum();
                            let one = if i == j { 1.0 } else { 0.0 };
                            assert!((square - one).abs() <= 60.0 * <$ty>::EPSILON, "{what}: {square}");
                            let product: $ty = (0..n).map(|k| a[i * n + k] / most * v[k * n + j]).sum();
                            let scaled = v[i * n + j] * (w[j] / most);
                            assert!((product - scaled).abs() <= 60.0 * <$ty>::EPSILON, "{what}: {product}, not {scaled}");
                        }
                    }
                }
            }
        }
    )+};
}

side_by_side! {
    of_f32 f32s many_f32s f32;
    of_f64 f64s many_f64s f64;
}
