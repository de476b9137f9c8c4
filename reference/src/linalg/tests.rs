//! The plain algorithms by what their results must be.

use super::*;

/// Numbers that look random and are the same every time.
fn numbers(rows: usize, columns: usize, complex: bool) -> Dense {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / f64::from(1u32 << 30) - 1.0
    };
    let at = (0..rows * columns).map(|_| C::new(next(), if complex { next() } else { 0.0 }));
    Dense::new(rows, columns, at.collect())
}

fn assert_close(x: &Dense, y: &Dense, what: &str) {
    assert_eq!((x.rows, x.columns), (y.rows, y.columns), "{what}");
    let apart = x.at.iter().zip(&y.at).map(|(x, y)| (x - y).norm()).fold(0.0, f64::max);
    assert!(apart < 1e-11, "{what}: {apart}");
}

fn run(task: Factoring, a: &Dense, real: bool) -> Vec<Vec<C>> {
    let (outputs, status) = factor(task, vec![a.clone()], real);
    assert_eq!(status, 0, "{task:?}");
    outputs
}

fn diagonal(values: &[C], rows: usize, columns: usize) -> Dense {
    let mut d = Dense::zeros(rows, columns);
    values.iter().enumerate().for_each(|(i, &x)| d[(i, i)] = x);
    d
}

const SHAPES: [(usize, usize); 7] = [(1, 1), (2, 2), (5, 5), (7, 3), (3, 7), (8, 8), (1, 4)];

#[test]
fn qr_and_svd_give_the_matrix_back() {
    for (m, n) in SHAPES {
        for complex in [false, true] {
            let (a, k) = (numbers(m, n, complex), m.min(n));
            for (vectors, inner) in [(Vectors::Reduced, k), (Vectors::Full, m)] {
                let [q, r] = run(Factoring::Qr(vectors), &a, !complex).try_into().expect("two");
                let (q, r) = (Dense::new(m, inner, q), Dense::new(inner, n, r));
                assert_close(&q.times(&r), &a, "q r");
                assert_close(&q.adjoint().times(&q), &Dense::identity(inner), "qʰ q");
                assert!((0..inner).all(|i| (0..i.min(n)).all(|j| r[(i, j)] == C::ZERO)));
                let [alone] =
                    run(Factoring::Qr(Vectors::None), &a, !complex).try_into().expect("one");
                assert!(alone[..] == r.at[..k * n], "r without q");
            }
            for (vectors, left, right) in [(Vectors::Reduced, k, k), (Vectors::Full, m, n)] {
                let [u, s, vh] =
                    run(Factoring::Svd(vectors), &a, !complex).try_into().expect("three");
                let (u, vh) = (Dense::new(m, left, u), Dense::new(right, n, vh));
                assert_close(&u.times(&diagonal(&s, left, right)).times(&vh), &a, "u s vh");
                assert_close(&u.adjoint().times(&u), &Dense::identity(left), "uʰ u");
                assert_close(&vh.times(&vh.adjoint()), &Dense::identity(right), "vh v");
                assert!(s.windows(2).all(|pair| pair[0].re >= pair[1].re), "{s:?}");
            }
        }
    }
}

#[test]
fn eigenvalues_and_vectors_go_together() {
    for n in [1, 2, 3, 6, 9] {
        for complex in [false, true] {
            let a = numbers(n, n, complex);
            let h = a.times(&a.adjoint());
            let [w, v] =
                run(Factoring::Eigh { vectors: true }, &h, !complex).try_into().expect("two");
            let v = Dense::new(n, n, v);
            assert_close(&h.times(&v), &v.times(&diagonal(&w, n, n)), "h v");
            assert_close(&v.adjoint().times(&v), &Dense::identity(n), "vʰ v");
            let [w, v] =
                run(Factoring::Eig { vectors: true }, &a, !complex).try_into().expect("two");
            let v = Dense::new(n, n, v);
            assert_close(&a.times(&v), &v.times(&diagonal(&w, n, n)), "a v");
            let trace: C = (0..n).map(|i| a[(i, i)]).sum();
            assert!((w.iter().sum::<C>() - trace).norm() < 1e-11);
        }
    }
    // A rotation has a pair; a triangle has what stands on its diagonal, twice the same.
    let turn = Dense::new(2, 2, [0.0, -1.0, 1.0, 0.0].map(C::from).to_vec());
    let w = &run(Factoring::Eig { vectors: false }, &turn, true)[0];
    assert!(w.iter().all(|w| w.re.abs() < 1e-15 && (w.im.abs() - 1.0).abs() < 1e-15), "{w:?}");
    let triangle = Dense::new(2, 2, [3.0, 1.0, 0.0, 3.0].map(C::from).to_vec());
    let w = &run(Factoring::Eig { vectors: true }, &triangle, true)[0];
    assert!(w.iter().all(|w| w.im == 0.0 && (w.re - 3.0).abs() < 1e-15), "{w:?}");
}

#[test]
fn systems_are_solved_and_singular_ones_named() {
    for complex in [false, true] {
        let (a, b) = (numbers(6, 6, complex), numbers(6, 2, complex));
        let (x, status) = factor(
            Factoring::Solve { right: 2, shared: false },
            vec![a.clone(), b.clone()],
            !complex,
        );
        assert_eq!(status, 0);
        assert_close(&a.times(&Dense::new(6, 2, x[0].clone())), &b, "a x");
        let h = a.times(&a.adjoint());
        let l = Dense::new(6, 6, run(Factoring::Cholesky, &h, !complex)[0].clone());
        assert_close(&l.times(&l.adjoint()), &h, "l lʰ");
        let mut worse = h.clone();
        worse[(3, 3)] = C::from(-1.0);
        assert_eq!(factor(Factoring::Cholesky, vec![worse], !complex).1, 4);
    }
    let flat =
        Dense::new(3, 3, [1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 1.0, 1.0, 1.0].map(C::from).to_vec());
    let (lu, status) = factor(Factoring::Lu, vec![flat.clone()], true);
    assert_eq!(status, 3);
    let (pivots, status) = factor(Factoring::Pivots, vec![flat.clone()], true);
    assert_eq!(status, 3);
    assert_eq!(pivots, [vec![lu[0][0], lu[0][4], lu[0][8]], lu[1].clone()]);
    assert_eq!(
        factor(Factoring::Solve { right: 3, shared: false }, vec![flat, Dense::identity(3)], true)
            .1,
        3
    );
    let mut bad = Dense::identity(3);
    bad[(1, 2)] = C::from(f64::NAN);
    assert_eq!(factor(Factoring::Svd(Vectors::None), vec![bad.clone()], true).1, 1);
    assert_eq!(factor(Factoring::Eig { vectors: true }, vec![bad], true).1, 1);
}

/// Columns that are parallel leave one of roundings, which no rotation makes orthogonal to the rest.
#[test]
fn small_integers_of_any_rank_settle() {
    let check = |a: &Dense| {
        let (outputs, status) = factor(Factoring::Svd(Vectors::Reduced), vec![a.clone()], true);
        assert_eq!(status, 0, "{a:?}");
        let [u, s, vh] = outputs.try_into().expect("three");
        let k = a.rows.min(a.columns);
        let (u, vh) = (Dense::new(a.rows, k, u), Dense::new(k, a.columns, vh));
        assert_close(&u.times(&diagonal(&s, k, k)).times(&vh), a, "u s vh");
        assert_close(&u.adjoint().times(&u), &Dense::identity(k), "uʰ u");
        assert_close(&vh.times(&vh.adjoint()), &Dense::identity(k), "vh v");
    };
    for code in 0..256u32 {
        let digits = (0..4).map(|place| C::from(f64::from(code >> (2 * place) & 3)));
        check(&Dense::new(2, 2, digits.collect()));
    }
    let mut state = 1u64;
    let mut digit = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        C::from((state >> 33) as f64 % 7.0 - 3.0)
    };
    for n in 3..7 {
        for rank in 1..3 {
            for _ in 0..30 {
                let mut matrix =
                    |m: usize, n: usize| Dense::new(m, n, (0..m * n).map(|_| digit()).collect());
                check(&matrix(n, rank).times(&matrix(rank, n)));
            }
        }
    }
}

#[test]
fn a_matrix_of_low_rank_has_whole_bases() {
    let (x, y) = (numbers(5, 1, true), numbers(1, 4, true));
    let a = x.times(&y);
    let [u, s, vh] = run(Factoring::Svd(Vectors::Full), &a, false).try_into().expect("three");
    let (u, vh) = (Dense::new(5, 5, u), Dense::new(4, 4, vh));
    assert_close(&u.adjoint().times(&u), &Dense::identity(5), "uʰ u");
    assert_close(&u.times(&diagonal(&s, 5, 4)).times(&vh), &a, "u s vh");
    let zero = Dense::zeros(3, 2);
    let [u, s, _] = run(Factoring::Svd(Vectors::Full), &zero, true).try_into().expect("three");
    let u = Dense::new(3, 3, u);
    assert_close(&u.adjoint().times(&u), &Dense::identity(3), "of zeros");
    assert!(s.iter().all(|s| *s == C::ZERO));
}
