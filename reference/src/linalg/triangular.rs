//! LU by columns with exchanges of rows, Cholesky, Householder's QR (Golub & Van Loan, "Matrix Computations", 3.4, 4.2,
//! 5.2; signs as LAPACK's).

use num_complex::Complex64 as C;

use super::{Dense, dot, length, quotient};

/// L and U in one matrix, the exchanges counted from 1, and the first pivot that is zero.
pub(super) fn lu(mut a: Dense) -> (Dense, Vec<usize>, i32) {
    let steps = a.rows.min(a.columns);
    let (mut pivots, mut status) = (Vec::new(), 0);
    for k in 0..steps {
        let size = |x: C| x.re.abs() + x.im.abs();
        let mut pivot = k;
        for i in k + 1..a.rows {
            if size(a[(i, k)]) > size(a[(pivot, k)]) {
                pivot = i;
            }
        }
        pivots.push(pivot + 1);
        if a[(pivot, k)] == C::ZERO {
            if status == 0 {
                status = k as i32 + 1;
            }
            continue;
        }
        for j in 0..a.columns {
            let (x, y) = (a[(k, j)], a[(pivot, j)]);
            (a[(k, j)], a[(pivot, j)]) = (y, x);
        }
        for i in k + 1..a.rows {
            let factor = quotient(a[(i, k)], a[(k, k)]);
            a[(i, k)] = factor;
            for j in k + 1..a.columns {
                let x = a[(k, j)];
                a[(i, j)] -= factor * x;
            }
        }
    }
    (a, pivots, status)
}

/// The solution of `a x = b`.
pub(super) fn solve(a: Dense, mut b: Dense) -> (Dense, i32) {
    let (lu, pivots, status) = lu(a);
    if status != 0 {
        return (b, status);
    }
    let n = lu.rows;
    for j in 0..b.columns {
        for (i, pivot) in pivots.iter().enumerate() {
            let (x, y) = (b[(i, j)], b[(pivot - 1, j)]);
            (b[(i, j)], b[(pivot - 1, j)]) = (y, x);
        }
        for i in 0..n {
            let known: C = (0..i).map(|k| lu[(i, k)] * b[(k, j)]).sum();
            b[(i, j)] -= known;
        }
        for i in (0..n).rev() {
            let known: C = (i + 1..n).map(|k| lu[(i, k)] * b[(k, j)]).sum();
            b[(i, j)] = quotient(b[(i, j)] - known, lu[(i, i)]);
        }
    }
    (b, 0)
}

/// The lower factor, and the first leading minor that is not positive.
pub(super) fn cholesky(a: Dense) -> (Dense, i32) {
    let n = a.rows;
    let mut l = Dense::zeros(n, n);
    for j in 0..n {
        let taken: f64 = (0..j).map(|k| l[(j, k)].norm_sqr()).sum();
        let left = a[(j, j)].re - taken;
        // Not "at most zero": NaN is not positive either.
        if left.is_nan() || left <= 0.0 {
            return (l, j as i32 + 1);
        }
        let pivot = left.sqrt();
        l[(j, j)] = C::from(pivot);
        for i in j + 1..n {
            let taken: C = (0..j).map(|k| l[(i, k)] * l[(j, k)].conj()).sum();
            l[(i, j)] = (a[(i, j)] - taken) / pivot;
        }
    }
    (l, 0)
}

/// Householder's reflections one after the other, and what they are applied to.
pub(super) fn qr(mut a: Dense, complete: bool) -> (Dense, Dense) {
    let (m, n, k) = (a.rows, a.columns, a.rows.min(a.columns));
    let mut q = Dense::identity(m);
    for j in 0..k {
        let x: Vec<C> = (j..m).map(|i| a[(i, j)]).collect();
        if length(&x[1..]) == 0.0 && x[0].im == 0.0 {
            continue;
        }
        let norm = length(&x);
        let pivot = if x[0].re > 0.0 { -norm } else { norm };
        // I - tau v vʰ turns x into a multiple of the first axis.
        let tau = (C::from(pivot) - x[0]) / pivot;
        let scale = x[0] - pivot;
        let mut v: Vec<C> = x.iter().map(|&x| quotient(x, scale)).collect();
        v[0] = C::ONE;
        for column in j..n {
            let below: Vec<C> = (j..m).map(|i| a[(i, column)]).collect();
            let part = tau.conj() * dot(&v, &below);
            for (i, v) in v.iter().enumerate() {
                a[(j + i, column)] -= part * v;
            }
        }
        for row in 0..m {
            let part: C = v.iter().enumerate().map(|(i, v)| q[(row, j + i)] * v).sum();
            for (i, v) in v.iter().enumerate() {
                q[(row, j + i)] -= part * tau * v.conj();
            }
        }
        a[(j, j)] = C::from(pivot);
        (j + 1..m).for_each(|i| a[(i, j)] = C::ZERO);
    }
    if complete { (q, a) } else { (q.corner(m, k), a.corner(k, n)) }
}
