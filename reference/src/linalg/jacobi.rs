//! Jacobi's rotations: of pairs of columns for singular values (Hestenes 1958), of pairs of rows and columns for
//! eigenvalues of Hermitian matrices (Jacobi 1846); the rotation as in Rutishauser 1966.

use num_complex::Complex64 as C;

use super::{Dense, MAX_ITERATIONS, dot, length};

/// Turns two columns: `p' = c p - s z̄ q`, `q' = s p + c z̄ q`.
#[derive(Clone, Copy)]
struct Rotation {
    cosine: f64,
    sine: f64,
    phase: C,
}

impl Rotation {
    /// What makes the element between p and q zero, where `apart` is the difference of the two on the diagonal.
    fn of(between: C, apart: f64) -> Self {
        let size = between.norm();
        let zeta = apart / (2.0 * size);
        let tangent = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
        let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
        Self { cosine, sine: cosine * tangent, phase: between / size }
    }

    fn columns(&self, a: &mut Dense, p: usize, q: usize) {
        for i in 0..a.rows {
            let (x, y) = (a[(i, p)], a[(i, q)] * self.phase.conj());
            a[(i, p)] = x * self.cosine - y * self.sine;
            a[(i, q)] = x * self.sine + y * self.cosine;
        }
    }

    fn rows(&self, a: &mut Dense, p: usize, q: usize) {
        for j in 0..a.columns {
            let (x, y) = (a[(p, j)], a[(q, j)] * self.phase);
            a[(p, j)] = x * self.cosine - y * self.sine;
            a[(q, j)] = x * self.sine + y * self.cosine;
        }
    }
}

/// Length at which a column of a scaled matrix, whose largest part is between 1 and 2, is nothing but the roundings of
/// others: it has no direction, so no rotation can settle it.
const NOTHING: f64 = f64::EPSILON * f64::EPSILON;

/// u, the singular values from the largest down, and the adjoint of v; nothing for NaN and infinities.
pub(super) fn svd(a: Dense, full: bool) -> Option<(Dense, Vec<f64>, Dense)> {
    if a.rows < a.columns {
        let (u, s, vh) = svd(a.adjoint(), full)?;
        return Some((vh.adjoint(), s, u.adjoint()));
    }
    let (m, n) = (a.rows, a.columns);
    let (mut w, scale) = a.scaled()?;
    let mut v = Dense::identity(n);
    let mut turned = true;
    for _ in 0..MAX_ITERATIONS {
        turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let (x, y) = (w.column(p), w.column(q));
                let (between, px, qy) = (dot(&x, &y), length(&x), length(&y));
                if between.norm() <= f64::EPSILON * px * qy || px.min(qy) <= NOTHING {
                    continue;
                }
                turned = true;
                let rotation = Rotation::of(between, qy * qy - px * px);
                rotation.columns(&mut w, p, q);
                rotation.columns(&mut v, p, q);
            }
        }
        if !turned {
            break;
        }
    }
    if turned {
        return None;
    }
    let lengths: Vec<f64> = (0..n).map(|j| length(&w.column(j))).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&p, &q| lengths[q].total_cmp(&lengths[p]));
    let columns = if full { m } else { n };
    let mut basis: Vec<Vec<C>> = Vec::new();
    let largest = order.first().map_or(0.0, |&j| lengths[j]);
    for &j in &order {
        // What is left of a column of nothing but roundings points anywhere: it is made anew, orthogonal to the rest.
        let known = lengths[j] > largest * f64::EPSILON * f64::EPSILON;
        let unit = w.column(j).iter().map(|x| x / lengths[j]).collect();
        basis.push(if known { unit } else { Vec::new() });
    }
    basis.resize(columns, Vec::new());
    complete(&mut basis, m);
    let mut u = Dense::zeros(m, columns);
    for (j, column) in basis.iter().enumerate() {
        column.iter().enumerate().for_each(|(i, &x)| u[(i, j)] = x);
    }
    let mut vh = Dense::zeros(n, n);
    for (row, &j) in order.iter().enumerate() {
        (0..n).for_each(|i| vh[(row, i)] = v[(i, j)].conj());
    }
    Some((u, order.iter().map(|&j| lengths[j] * scale).collect(), vh))
}

/// Fills in the columns that are missing, orthogonal to all others, of length 1.
fn complete(basis: &mut [Vec<C>], rows: usize) {
    for j in 0..basis.len() {
        if !basis[j].is_empty() {
            continue;
        }
        let mut best = Vec::new();
        for axis in 0..rows {
            let mut column = vec![C::ZERO; rows];
            column[axis] = C::ONE;
            // Twice is enough (Parlett, "The Symmetric Eigenvalue Problem", 6.9).
            for _ in 0..2 {
                for other in basis.iter().filter(|other| !other.is_empty()) {
                    let part = dot(other, &column);
                    column.iter_mut().zip(other).for_each(|(x, y)| *x -= part * y);
                }
            }
            if best.is_empty() || length(&column) > length(&best) {
                best = column;
            }
            if length(&best) > 0.7 {
                break;
            }
        }
        let size = length(&best);
        basis[j] = best.iter().map(|x| x / size).collect();
    }
}

/// Eigenvalues, ascending, and the vectors in columns, of which only the lower triangle of the matrix is read.
pub(super) fn eigh(mut a: Dense) -> Option<(Vec<f64>, Dense)> {
    let n = a.rows;
    for i in 0..n {
        a[(i, i)] = C::from(a[(i, i)].re);
        (0..i).for_each(|j| a[(j, i)] = a[(i, j)].conj());
    }
    let (mut a, scale) = a.scaled()?;
    let mut v = Dense::identity(n);
    let mut turned = true;
    for _ in 0..MAX_ITERATIONS {
        turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let (between, x, y) = (a[(p, q)], a[(p, p)].re, a[(q, q)].re);
                let near = f64::EPSILON * (x.abs() * y.abs()).sqrt();
                if between.norm() <= near.max(NOTHING) {
                    continue;
                }
                turned = true;
                let rotation = Rotation::of(between, y - x);
                rotation.columns(&mut a, p, q);
                rotation.rows(&mut a, p, q);
                (a[(p, q)], a[(q, p)]) = (C::ZERO, C::ZERO);
                rotation.columns(&mut v, p, q);
            }
        }
        if !turned {
            break;
        }
    }
    if turned {
        return None;
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&p, &q| a[(p, p)].re.total_cmp(&a[(q, q)].re));
    let mut sorted = Dense::zeros(n, n);
    for (column, &j) in order.iter().enumerate() {
        (0..n).for_each(|i| sorted[(i, column)] = v[(i, j)]);
    }
    Some((order.iter().map(|&j| a[(j, j)].re * scale).collect(), sorted))
}
