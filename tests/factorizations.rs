//! Factorizations of batches: what they promise of any matrix, and values that are unique beside the reference's.
//! `NDANY_PROPERTY_DEVICES` names devices, `"cuda:0 hip:0"` for instance. Vendors' libraries are tried on the software GPU,
//! where a library of the same shape in C stands for them.

#[path = "../gpu/tests/support/mod.rs"]
mod support;

use ndany::linalg::{Eig, Lu, Qr, Reflections, Svd, Triangle};
use ndany::{Array, DType, Device, Eye, Generator, checked, eye, linalg};

/// The CPU, or those that `NDANY_PROPERTY_DEVICES` asks for.
fn devices() -> Vec<Device> {
    let asked = std::env::var("NDANY_PROPERTY_DEVICES").ok();
    let names = asked.as_deref().unwrap_or("cpu").split_whitespace();
    names.map(|name| Device::open(name).expect("a device")).collect()
}

fn identity(n: usize, dtype: DType) -> Array {
    eye(Eye::new(n).dtype(dtype))
}

const DTYPES: [DType; 4] = [DType::F32, DType::F64, DType::C64, DType::C128];

/// Batches, rows and columns: a few threads and many, odd extents, more of either, matrices that fit a block's own
/// memory and ones that do not, and those that a vendor's library gets.
const SHAPES: [[usize; 3]; 10] = [
    [200, 8, 8],
    [3, 40, 30],
    [3, 30, 40],
    [9, 1, 1],
    [5, 7, 3],
    [2, 1, 6],
    [2, 17, 17],
    [2, 66, 70],
    [1, 270, 150],
    [1, 150, 270],
];

/// Those for a library's stand-in: of each kind one, as small as can be.
const FEW: [[usize; 3]; 4] = [[3, 7, 5], [2, 1, 6], [1, 130, 128], [1, 128, 130]];

fn shapes() -> &'static [[usize; 3]] {
    if support::task().is_empty() { &SHAPES } else { &FEW }
}

fn tolerance(dtype: DType) -> f64 {
    if dtype.part() == DType::F32 { 1e-4 } else { 1e-11 }
}

fn normal(dtype: DType, shape: &[usize]) -> Array {
    let draw = |seed| Generator::new(seed).dtype(dtype.part()).normal(0.0, 1.0, shape);
    if dtype.is_complex() {
        draw(1) + draw(2) * num_complex::Complex::new(0.0, 1.0)
    } else {
        draw(1)
    }
    .astype(dtype)
}

fn adjoint(a: &Array) -> Array {
    a.swapaxes(-1, -2).conj()
}

/// The largest difference between two arrays, beside the largest element of the second or 1.
#[track_caller]
fn assert_close(got: &Array, wanted: &Array, bound: f64, what: &str) {
    let most =
        |array: &Array| array.abs().max(..).astype(DType::F64).item::<f64>().expect("computed");
    assert_eq!(got.shape(), wanted.shape(), "{what}");
    let apart = most(&(got - wanted)) / most(wanted).max(1.0);
    assert!(apart <= bound, "{what}: {apart:e} apart, on {}", got.device().name());
}

#[track_caller]
fn unitary(columns: &Array, bound: f64, what: &str) {
    let one = identity(columns.shape()[columns.ndim() - 1], columns.dtype());
    let product = adjoint(columns).matmul(columns);
    assert_close(&product, &one.broadcast_to(product.shape()), bound, what);
}

fn lu_holds(a: &Array, bound: f64, what: &str) {
    let Lu { p: order, l, u } = linalg::lu(a);
    let rows = a.take_along_axis(&order.expand_dims(-1), -2);
    assert_close(&l.matmul(&u), &rows, bound, what);
}

fn svd_holds(a: &Array, bound: f64, what: &str) {
    let [m, n] = [a.shape()[a.ndim() - 2], a.shape()[a.ndim() - 1]];
    let Svd { u, s, vh } = linalg::svd_thin(a);
    assert_close(&(&u * s.i((ndany::Ellipsis, ndany::NewAxis, ..))).matmul(&vh), a, bound, what);
    unitary(&u, bound, &format!("{what}: u"));
    unitary(&adjoint(&vh), bound, &format!("{what}: vh"));
    let whole = linalg::svd(a);
    unitary(&whole.u, bound, &format!("{what}: all of u"));
    unitary(&adjoint(&whole.vh), bound, &format!("{what}: all of vh"));
    assert_eq!([whole.u.shape()[a.ndim() - 1], whole.vh.shape()[a.ndim() - 1]], [m, n]);
    assert_close(&whole.s, &s, bound, &format!("{what}: values with whole bases"));
    assert_close(&linalg::svdvals(a), &s, bound, &format!("{what}: values alone"));
}

fn eigh_holds(h: &Array, bound: f64, what: &str) {
    let Eig { eigenvalues: values, eigenvectors: vectors } = linalg::eigh(h, Triangle::Lower);
    let scaled = &vectors * values.i((ndany::Ellipsis, ndany::NewAxis, ..));
    assert_close(&h.matmul(&vectors), &scaled, bound, what);
    unitary(&vectors, bound, &format!("{what}: vectors"));
    assert_close(
        &linalg::eigvalsh(h, Triangle::Lower),
        &values,
        bound,
        &format!("{what}: values alone"),
    );
}

#[test]
fn factors_give_the_matrix_back() {
    for device in devices() {
        let _guard = device.enter();
        for dtype in DTYPES {
            for shape in shapes() {
                let (a, bound) = (normal(dtype, shape), tolerance(dtype));
                let what = |task: &str| format!("{task} of {dtype} {shape:?}");
                for Qr { q, r } in [linalg::qr(&a), linalg::qr_complete(&a)] {
                    assert_close(&q.matmul(&r), &a, bound, &what("qr"));
                    unitary(&q, bound, &what("qr"));
                    assert_close(&r.triu(0), &r, 0.0, &what("qr"));
                }
                lu_holds(&a, bound, &what("lu"));
                svd_holds(&a, bound, &what("svd"));
            }
        }
    }
}

/// The product of the reflections is unitary, and times the triangle it is the matrix.
fn reflections_hold(a: &Array, bound: f64, what: &str) {
    let Reflections { packed, factors } = linalg::qr_reflections(a);
    let [m, n] = [a.shape()[a.ndim() - 2], a.shape()[a.ndim() - 1]];
    let k = m.min(n) as isize;
    assert_eq!([packed.dtype(), factors.dtype()], [a.dtype(); 2], "{what}");
    let r = packed.i((ndany::Ellipsis, ..k, ..)).triu(0);
    let diagonal = r.diagonal(0, (-2, -1));
    assert_close(&diagonal.imag().astype(a.dtype()), &diagonal.zeros_like(), bound, what);
    let below = packed.i((ndany::Ellipsis, ..k)).tril(-1);
    let vectors = below + eye(Eye::new((m, k as usize)).dtype(a.dtype()));
    let mut q = vectors.zeros_like() + eye(Eye::new((m, k as usize)).dtype(a.dtype()));
    for j in (0..k).rev() {
        let v = vectors.i((ndany::Ellipsis, j..j + 1));
        let factor = factors.i((ndany::Ellipsis, j..j + 1)).expand_dims(-1);
        q = &q - factor * v.matmul(adjoint(&v).matmul(&q));
    }
    unitary(&q, bound, what);
    assert_close(&q.matmul(&r), a, bound, what);
}

#[test]
fn reflections_give_the_matrix_back() {
    for device in devices() {
        let _guard = device.enter();
        for dtype in DTYPES {
            for shape in shapes() {
                let (a, bound) = (normal(dtype, shape), tolerance(dtype));
                let what = format!("reflections of {dtype} {shape:?}");
                reflections_hold(&a, bound, &what);
                // Each column twice or thrice, so that the rest of two in three is nothing but roundings.
                let columns = ndany::arange(shape[2]).floor_divide(3);
                reflections_hold(&a.take(&columns, -1), bound, &format!("{what}, of low rank"));
                reflections_hold(&a.triu(0), bound, &format!("{what}, of a triangle"));
                reflections_hold(&a.zeros_like(), bound, &format!("{what}, of nothing"));
            }
        }
    }
}

#[test]
fn systems_are_solved_and_hermitian_ones_factored() {
    for device in devices() {
        let _guard = device.enter();
        for dtype in DTYPES {
            for &[batch, n, _] in shapes() {
                let bound = 10.0 * tolerance(dtype);
                let a =
                    normal(dtype, &[batch, n, n]) + identity(n, dtype) * (3.0 * (n as f64).sqrt());
                let what = |task: &str| format!("{task} of {dtype} {n}");
                let b = normal(dtype, &[batch, n, 3]);
                assert_close(&a.matmul(linalg::solve(&a, &b)), &b, bound, &what("solve"));
                assert_close(
                    &a.matmul(linalg::inv(&a)),
                    &identity(n, dtype).broadcast_to(a.shape()),
                    bound,
                    &what("inv"),
                );
                let h = a.matmul(adjoint(&a));
                let l = linalg::cholesky(&h);
                assert_close(&l.matmul(adjoint(&l)), &h, bound, &what("cholesky"));
                assert_close(&l.tril(0), &l, 0.0, &what("cholesky"));
                eigh_holds(&(&a + adjoint(&a)), bound, &what("eigh"));
            }
        }
    }
}

fn eig_holds(a: &Array, bound: f64, what: &str) {
    let Eig { eigenvalues: values, eigenvectors: vectors } = linalg::eig(a);
    let whole = vectors.dtype();
    let scaled = &vectors * values.i((ndany::Ellipsis, ndany::NewAxis, ..));
    assert_close(&a.astype(whole).matmul(&vectors), &scaled, bound, what);
    let lengths = (vectors.abs() * vectors.abs()).sum(-2);
    assert_close(&lengths, &(&lengths * 0.0 + 1.0), bound, &format!("{what}: lengths"));
    let alone = linalg::eigvals(a);
    assert_close(&alone.sum(-1), &values.sum(-1), bound, &format!("{what}: values alone"));
    let diagonal = a.diagonal(0, (-2, -1)).sum(-1).astype(alone.dtype());
    assert_close(&alone.sum(-1), &diagonal, bound, &format!("{what}: trace"));
}

#[test]
fn eigenvalues_of_any_matrix() {
    let reference = Device::open("reference").expect("always there");
    for device in devices().into_iter().chain([reference]) {
        let _guard = device.enter();
        for dtype in DTYPES {
            let bound = 10.0 * tolerance(dtype);
            for [batch, n] in [[20, 8], [3, 1], [3, 2], [2, 17], [1, 50]] {
                eig_holds(&normal(dtype, &[batch, n, n]), bound, &format!("{dtype} {n}"));
            }
            eig_holds(&identity(6, dtype), bound, &format!("identity of {dtype}"));
            // One value again and again with one vector: substitution grows without end.
            for n in [4, 12, 40] {
                eig_holds(
                    &eye(Eye::new(n).k(1).dtype(dtype)),
                    bound,
                    &format!("shift of {dtype} {n}"),
                );
            }
            // A cycle: the roots of 1, which shifts leave where they are.
            let cycle = eye(Eye::new(7).k(1).dtype(dtype)) + eye(Eye::new(7).k(-6).dtype(dtype));
            eig_holds(&cycle, bound, &format!("cycle of {dtype}"));
        }
    }
}

#[test]
fn values_are_those_of_the_reference() {
    let reference = Device::open("reference").expect("always there");
    for device in devices() {
        for dtype in DTYPES {
            for shape in [[200, 8, 8], [3, 12, 9]] {
                let values = |device: &Device| {
                    let _guard = device.enter();
                    let a = normal(dtype, &shape);
                    let h = a.matmul(adjoint(&a));
                    [linalg::svdvals(&a), linalg::eigvalsh(&h, Triangle::Lower)]
                };
                for (got, wanted) in values(&device).into_iter().zip(values(&reference)) {
                    let got = got.to_device(&reference).expect("moved");
                    assert_close(&got, &wanted, tolerance(dtype), &format!("{dtype} {shape:?}"));
                }
            }
        }
    }
}

/// The sign of a permutation, by its cycles.
fn sign(order: &[i64]) -> f64 {
    let mut seen = vec![false; order.len()];
    let mut even = true;
    for mut at in 0..order.len() {
        let mut cycle = 0;
        while !std::mem::replace(&mut seen[at], true) {
            at = order[at] as usize;
            cycle += 1;
        }
        even ^= cycle > 0 && cycle % 2 == 0;
    }
    if even { 1.0 } else { -1.0 }
}

#[test]
fn determinants_are_products_of_pivots() {
    for device in devices() {
        let _guard = device.enter();
        for dtype in DTYPES {
            for shape in [[50, 8, 8], [3, 33, 33], [2, 130, 130], [1, 270, 270]] {
                let what = format!("{dtype} {shape:?}");
                // Near one, so that the product stays in range: of the identity, with rows exchanged.
                let n = shape[1];
                let a = normal(dtype, &shape) * (0.3 / (n as f64).sqrt()) + identity(n, dtype);
                let order = Generator::new(n as u64).permutation(n);
                let a = a.take(&order, 1).astype(dtype);
                let Lu { p: order, u, .. } = linalg::lu(&a);
                let orders = order.to_vec::<i64>().expect("computed");
                let signs: Vec<f64> = orders.chunks(n).map(sign).collect();
                let product = u.diagonal(0, (-2, -1)).prod(-1) * Array::from(signs.as_slice());
                let near_one = &linalg::det(&a) / &product;
                assert_close(&near_one, &(&near_one * 0.0 + 1.0), tolerance(dtype), &what);
                let slogdet = linalg::slogdet(&a);
                let again = slogdet.sign * slogdet.logabsdet.exp() / &product;
                assert_close(&again, &(&again * 0.0 + 1.0), tolerance(dtype), &what);
            }
            // With two equal rows zero but for roundings, as of NumPy; spoiled.
            for n in [5, 40] {
                let whole = normal(dtype, &[n, n]);
                let mut flat = whole.copy();
                flat.set(n as isize - 1, whole.i(1));
                let part = linalg::det(&flat) / linalg::det(&whole);
                assert_close(
                    &part,
                    &(&part * 0.0),
                    10.0 * tolerance(dtype),
                    &format!("{dtype} {n}"),
                );
            }
            let mut bad = identity(40, dtype);
            bad.set((3, 4), f64::NAN);
            assert_eq!(linalg::det(&bad).isnan().item::<bool>().ok(), Some(true), "{dtype}");
        }
    }
}

#[test]
fn low_ranks_are_no_trouble() {
    for device in devices() {
        let _guard = device.enter();
        for dtype in DTYPES {
            let bound = tolerance(dtype);
            for [m, n] in [[6, 6], [9, 5], [5, 9], [33, 20], [140, 130]] {
                // Roundings are of the size of the values, which grows with the extents.
                let bound = bound * (m as f64 / 6.0);
                let what = |kind: &str| format!("{kind}, {dtype} {m} {n}");
                let flat = normal(dtype, &[4, m, 2]).matmul(normal(dtype, &[4, 2, n]));
                svd_holds(&flat, bound, &what("rank 2"));
                svd_holds(&(&flat * 0.0), bound, &what("zeros"));
                lu_holds(&flat, bound, &what("lu of rank 2"));
                lu_holds(&(&flat * 0.0), bound, &what("lu of zeros"));
                svd_holds(&(&flat * 0.0 + 1.0), bound, &what("ones"));
                svd_holds(&eye(Eye::new((m, n)).dtype(dtype)), bound, &what("identity"));
                let square = flat.matmul(adjoint(&flat));
                eigh_holds(&square, bound, &what("rank 2"));
                eigh_holds(&(&square * 0.0), bound, &what("zeros"));
            }
        }
    }
}

#[test]
fn numbers_whose_squares_are_none_are_no_trouble() {
    let reference = Device::open("reference").expect("always there");
    for device in devices().into_iter().chain([reference]) {
        let _guard = device.enter();
        for dtype in DTYPES {
            let bound = tolerance(dtype);
            let exponent = if dtype.part() == DType::F32 { 30 } else { 250 };
            for ([m, n], exponent) in [[6, 6], [9, 5], [5, 9], [140, 130]]
                .map(|shape| [(shape, exponent), (shape, -exponent)])
                .concat()
            {
                let what = |task: &str| format!("{task} of {dtype} {m} {n} e{exponent}");
                let (a, scale) = (normal(dtype, &[2, m, n]), 10f64.powi(exponent));
                assert_close(
                    &(linalg::svdvals(&(&a * scale)) / scale),
                    &linalg::svdvals(&a),
                    bound,
                    &what("svd"),
                );
                let h = a.matmul(adjoint(&a));
                let (w, scaled) = (
                    linalg::eigvalsh(&h, Triangle::Lower),
                    linalg::eigvalsh(&(&h * scale), Triangle::Lower),
                );
                assert_close(&(scaled / scale), &w, bound, &what("eigh"));
                let Qr { q, r } = linalg::qr(&(&a * scale));
                assert_close(&q.matmul(&(&r / scale)), &a, bound, &what("qr"));
                let alone = linalg::qr_r(&(&a * scale));
                assert_close(&(alone / scale), &(r / scale), bound, &what("qr without q"));
                let positive = h + 5.0 * identity(m, dtype);
                let root = linalg::cholesky(&(&positive * scale));
                let root = root / scale.sqrt();
                assert_close(&root, &linalg::cholesky(&positive), bound, &what("cholesky"));
                assert_close(
                    &linalg::solve(&(&positive * scale), &(&a * scale)),
                    &linalg::solve(&positive, &a),
                    bound,
                    &what("solve"),
                );
                assert_close(
                    &(linalg::inv(&(&positive * scale)) * scale),
                    &linalg::inv(&positive),
                    bound,
                    &what("inv"),
                );
            }
        }
    }
}

/// A column is reflected by its own length, however small it is beside others.
#[test]
fn columns_of_unlike_lengths_are_no_trouble() {
    let reference = Device::open("reference").expect("always there");
    for device in devices().into_iter().chain([reference]) {
        let _guard = device.enter();
        for dtype in DTYPES {
            let (bound, most) =
                (tolerance(dtype), if dtype.part() == DType::F32 { 15 } else { 150 });
            for [m, n] in [[3, 5], [6, 6], [9, 5], [20, 17]] {
                let what = format!("qr of {dtype} {m} {n}");
                let lengths: Vec<f64> =
                    (0..n).map(|column| 10f64.powi([0, most, -most, -most][column % 4])).collect();
                let lengths = Array::from(lengths).astype(dtype);
                let a = normal(dtype, &[2, m, n]);
                let Qr { q, r } = linalg::qr(&(&a * &lengths));
                unitary(&q, bound, &what);
                assert_close(&q.matmul(&(&r / &lengths)), &a, bound, &what);
                let alone = linalg::qr_r(&(&a * &lengths));
                assert_close(&(alone / &lengths), &(r / &lengths), bound, &what);
            }
        }
    }
}

#[test]
fn least_squares_of_many_rows_have_any_scales() {
    let reference = Device::open("reference").expect("always there");
    for device in devices().into_iter().chain([reference]) {
        let _guard = device.enter();
        for dtype in DTYPES {
            let exponent = if dtype.part() == DType::F32 { 17 } else { 140 };
            for [m, n, right] in [[20, 4, 1], [140, 33, 3], [9, 4, 1]] {
                let (a, x) = (normal(dtype, &[m, n]), normal(dtype, &[n, right]));
                let b = a.matmul(&x);
                for [of_a, of_b] in [[0, 0], [exponent, -exponent], [-exponent, exponent]] {
                    let what = format!("{m} {n} {right} of {dtype}, e{of_a} and e{of_b}");
                    let scales = [of_a, of_b].map(|exponent| 10f64.powi(exponent));
                    let solved = linalg::lstsq(&(&a * scales[0]), &(&b * scales[1]), ..);
                    let found = solved.x * scales[0] / scales[1];
                    assert_close(&found, &x, tolerance(dtype), &what);
                    assert_eq!(solved.rank, n, "{what}");
                    let values = solved.s / scales[0];
                    assert_close(&values, &linalg::svdvals(&a), tolerance(dtype), &what);
                }
            }
            // A vector, and what no equation contradicts; nothing on the right.
            let (a, b) = (normal(dtype, &[30, 5]), normal(dtype, &[30]));
            let solved = linalg::lstsq(&a, &b, ..);
            let rest = &b - a.matmul(&solved.x);
            assert_close(
                &adjoint(&a).matmul(&rest),
                &(&rest.i(..5) * 0.0),
                tolerance(dtype),
                "orthogonal",
            );
            assert_eq!(solved.residuals.shape(), [1]);
            let zeros = linalg::lstsq(&a, &(&b * 0.0), ..).x;
            assert_eq!(zeros.equal(0).all(..).item::<bool>().ok(), Some(true));
            // Each right side by itself: far apart, and one that is not finite.
            let by = 10f64.powi(exponent);
            let (a, x) = (normal(dtype, &[200, 16]), normal(dtype, &[16, 3]));
            let mut b = a.matmul(&x) * Array::from([by, 1.0 / by, 1.0]);
            b.set((7, 2), f64::NAN);
            let big = 10f64.powi(exponent + 5);
            let solved = linalg::lstsq((&a * big).astype(dtype), &b.astype(dtype), ..);
            let found = solved.x * big / Array::from([by, 1.0 / by, 1.0]);
            let alone = |array: &Array| array.i((.., ..2));
            assert_close(&alone(&found.astype(dtype)), &alone(&x), tolerance(dtype), "right sides");
            assert_eq!(found.i((.., 2)).isnan().all(..).item::<bool>().ok(), Some(true));
            assert_eq!(solved.rank, 16);
        }
    }
}

#[test]
fn what_cannot_be_factored_is_named() {
    for device in devices() {
        let _guard = device.enter();
        for dtype in DTYPES {
            let with_of = |n: usize, place: (isize, isize, isize, isize), value: f64| {
                let mut bad = identity(n, dtype).broadcast_to([2usize, 3, n, n]).copy();
                bad.set(place, value);
                bad
            };
            let with = |place, value| with_of(5, place, value);
            let named = |outcome: Result<Array, ndany::Error>| {
                // What is wrong with data stays with the result.
                let error = outcome.and_then(|result| result.eval()).expect_err("refused");
                assert_eq!(error.class(), "LinAlgError");
                assert!(error.to_string().contains("[1, 2]"), "{error}");
            };
            named(checked::inv(with((1, 2, 3, 3), 0.0)));
            named(checked::cholesky(with((1, 2, 3, 3), -1.0)));
            for value in [f64::NAN, f64::INFINITY] {
                let bad = with((1, 2, 3, 1), value);
                named(checked::eigvals(&bad));
                assert!(checked::eigvalsh(&bad, Triangle::Upper).is_ok(), "not read");
                let values = [
                    checked::svd_thin(&bad).map(|svd| svd.s),
                    checked::svdvals(&bad),
                    checked::eigh(&bad, Triangle::Lower).map(|eigh| eigh.eigenvalues),
                ];
                for values in values {
                    if value.is_nan() {
                        named(values);
                        continue;
                    }
                    // As in NumPy, infinities make NaN of their own matrix's values.
                    let spoiled = values.expect("NaN").isnan();
                    let counts = spoiled.sum(-1).to_vec::<i64>().expect("read");
                    assert_eq!(counts, [0, 0, 0, 0, 0, 5]);
                }
            }
            // NaN passes through what has no iteration.
            let sizes: &[usize] = if support::task().is_empty() { &[5, 300] } else { &[5] };
            for &n in sizes {
                let spoiled = with_of(n, (1, 2, 3, 1), f64::NAN);
                let (qr, lu) = (linalg::qr(&spoiled), linalg::lu(&spoiled));
                let passed = [
                    ("inv", linalg::inv(&spoiled)),
                    ("qr", qr.q.matmul(qr.r)),
                    ("lu", lu.l.matmul(lu.u)),
                ];
                for (what, passed) in passed {
                    let spoiled = passed.isnan().any(..).item::<bool>().expect("read");
                    assert!(spoiled, "{what} of {dtype}, {n} rows");
                }
            }
        }
    }
}

/// A NaN spoils its row of Cholesky's factor from its place on, and below it what depends on that row's pivot; what stands
/// in front is the factor of the matrix without it. So LAPACK has it, and NumPy.
#[test]
fn nan_passes_through_cholesky() {
    let sizes: &[usize] = if support::task().is_empty() { &[4, 20, 300] } else { &[4, 20] };
    for device in devices() {
        let _guard = device.enter();
        for dtype in DTYPES {
            for &n in sizes {
                let g = normal(dtype, &[3, n, n]);
                let h = g.matmul(adjoint(&g)) + identity(n, dtype) * n as f64;
                let (row, column) = (n as isize / 2, n as isize / 4);
                for (row, column) in [(row, column), (row, row), (0, 0), (n as isize - 1, 0)] {
                    let what = format!("NaN at {row}, {column}, {dtype} {n}");
                    let mut bad = h.clone();
                    bad.set((1, row, column), f64::NAN);
                    // A pivot after the NaN is NaN, whatever else stands there.
                    if row + 1 < n as isize {
                        bad.set((1, row + 1, row + 1), -1.0);
                    }
                    let (l, clean) = (linalg::cholesky(&bad), linalg::cholesky(&h));
                    let (spoiled, n) = (l.isnan().to_vec::<bool>().expect("read"), n as isize);
                    for (place, spoiled) in spoiled.iter().enumerate() {
                        let place = place as isize;
                        let (matrix, i, j) = (place / (n * n), place / n % n, place % n);
                        let expected = matrix == 1
                            && j <= i
                            && (i == row && j >= column || i > row && j >= row);
                        assert_eq!(*spoiled, expected, "{what}: {matrix}, {i}, {j}");
                    }
                    let rest = |factor: &Array| {
                        let zero = Array::from([0.0]).astype(dtype);
                        zero.where_(&l.isnan(), factor)
                    };
                    assert_close(&rest(&l), &rest(&clean), tolerance(dtype), &what);
                    // One in front of it is not positive, and that comes first.
                    bad.set((1, 0, 0), -1.0);
                    if row > 0 {
                        let error = checked::cholesky(&bad)
                            .and_then(|l| l.eval())
                            .expect_err("not positive definite");
                        assert!(error.to_string().contains("[1]"), "{error}");
                    }
                }
            }
        }
    }
}

/// Everything above on a software GPU whose factorizations are a library's.
fn with_library(
    places: &support::SearchVariables,
    device: &str,
    files: [&str; 3],
    words: &str,
) -> String {
    let [driver, compiler, library] = files;
    let folder = support::Folder::of_one_software_gpu("factorizations", &[driver, compiler]);
    let there = folder.0.join(driver);
    let text = include_str!("factor_libraries.c");
    folder.compile(library, &format!("#define DRIVER {there:?}\n{words}\n{text}"));
    let variables = [("NDANY_LINALG", "library"), ("NDANY_PROPERTY_DEVICES", device)];
    support::process_among(places, device, Some(&folder.0), &variables)
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn libraries_factor_where_they_are_asked() {
    let places = support::SearchVariables {
        libraries: "NDANY_CUDA_LIBRARIES",
        homes: ["CUDA_PATH", "CUDA_HOME"],
    };
    let files = ["libcuda.so.1", "libnvrtc.so.13", "libcusolver.so.12"];
    let words = "#define PREFIX cusolverDn\n#define WAIT \"cuStreamSynchronize\"\n\
                 #define UPPER 1\n#define VECTORS 1\n#define POLAR";
    let text = with_library(&places, "cuda:0", files, words);
    let functions = ["potrf", "getrf", "getrs", "geqrf", "gesvd"]
        .map(|name| ["S", "Z"].map(|dtype| format!("{dtype}{name} of ")));
    for function in functions.iter().flatten() {
        assert!(text.contains(function.as_str()), "{function}\n{text}");
    }
    for function in
        ["Dorgqr of ", "Cungqr of ", "Dsyevd of ", "Cheevd of ", "Xgesvdp of 128\ndecomposed"]
    {
        assert!(text.contains(function), "{function}\n{text}");
    }
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn libraries_without_a_polar_decomposition_factor_as_well() {
    let places = support::SearchVariables {
        libraries: "NDANY_ROCM_LIBRARIES",
        homes: ["ROCM_PATH", "HIP_PATH"],
    };
    let files = ["libamdhip64.so.6", "libhiprtc.so.6", "libhipsolver.so.0"];
    let words = "#define PREFIX hipsolverDn\n#define WAIT \"hipStreamSynchronize\"\n\
                 #define UPPER 121\n#define VECTORS 202";
    let text = with_library(&places, "hip:0", files, words);
    assert!(text.contains("Dgesvd of 128") && text.contains("Zheevd of 130"), "{text}");
    assert!(!text.contains("Xgesvdp"), "{text}");
}

#[test]
#[ignore = "run by those about libraries"]
fn alone() {
    factors_give_the_matrix_back();
    systems_are_solved_and_hermitian_ones_factored();
    what_cannot_be_factored_is_named();
    nan_passes_through_cholesky();
}
