//! Reduction of real matrices to bidiagonal or tridiagonal form by Householder reflections, for values without
//! vectors.
//!
//! Several steps make a block. The updates of its reflections are kept as two panels, `a - l rᵀ`, until a
//! matrix product applies them at the block's end, as in LAPACK (Dongarra, Sorensen & Hammarling, "Block
//! reduction of matrices to condensed forms", 1989). So a step reads the matrix and does not write it. It reads
//! it once: a column's product with the left reflection is the next element of the row, and the column, while
//! cached, is added with that factor to the product with the right one (Howell, Demmel et al., "Cache efficient
//! bidiagonalization using BLAS 2.5 operators", 2008).
//!
//! The result does not depend on the number of threads, since the parts of the columns do not.

use faer::linalg::matmul::{matmul, triangular};
use faer::traits::pulp::WithSimd;
use faer::{Accum, Mat};

use super::par;
use super::tall_skinny::{Bidiagonal, Symmetric, Wide, add, column, dispatch, dots, line, product};

/// Steps of a block.
const BLOCK: usize = 32;
/// Maximum number of parts of a step's columns, and minimum columns of a part.
const PARTS: usize = 4;
const LEAST: usize = 64;
/// Minimum elements of a step for several threads.
const SHARED: usize = 1 << 16;

/// The diagonal and the adjacent one.
pub(super) struct TwoDiagonals<P> {
    pub(super) own: Vec<P>,
    pub(super) beside: Vec<P>,
}

impl<P> TwoDiagonals<P> {
    fn of(n: usize) -> Self {
        Self { own: Vec::with_capacity(n), beside: Vec::with_capacity(n) }
    }
}

/// A reflection `1 - tau v vᵀ`.
struct Reflection<P> {
    /// The first element after the reflection; the others are zero.
    size: P,
    tau: P,
    /// The factor that scaled the vector to `v` (whose first element is 1); zero if there is nothing to
    /// reflect.
    scale: P,
}

/// The reflection that maps a vector to a multiple of the first axis; the vector becomes `v`.
fn reflection<P: Wide>(x: &mut [P]) -> Reflection<P> {
    let (head, tail) = (x[0], &mut x[1..]);
    let square = product(tail, tail);
    x[0] = P::ONE;
    if square == P::ZERO {
        return Reflection { size: head, tau: P::ZERO, scale: P::ZERO };
    }
    let size = P::ZERO - (head * head + square).root().signed(head);
    let scale = P::ONE / (head - size);
    x[1..].iter_mut().for_each(|x| *x *= scale);
    Reflection { size, tau: (size - head) / size, scale }
}

/// Stores a vector in a column, from `row` on.
fn store<P: Wide>(panel: &mut Mat<P>, j: usize, row: usize, from: &[P]) {
    panel.col_as_slice_mut(j)[row..].copy_from_slice(&from[row..]);
}

/// Runs the parts of a step. Rayon's threads take parts dynamically, so a thread that is delayed does not
/// delay the step by a fixed share.
fn each<W: WithSimd<Output = ()> + Send>(mut parts: Vec<W>, shared: bool) {
    if !shared || parts.len() == 1 {
        return parts.into_iter().for_each(dispatch);
    }
    let rest = parts.split_off(parts.len() / 2);
    rayon::join(|| each(parts, shared), || each(rest, shared));
}

/// Adds all vectors into the first, each from its row on.
fn gather<P: Wide>(sums: &mut [Vec<P>], rows: &[usize]) {
    let Some((all, others)) = sums.split_first_mut() else { return };
    for (other, &row) in others.iter().zip(&rows[1..]) {
        all[row..].iter_mut().zip(&other[row..]).for_each(|(to, &x)| *to += x);
    }
}

/// The diagonal and superdiagonal of a matrix with at most as many columns as rows. The matrix is
/// overwritten.
pub(super) fn bidiagonal<P: Wide>(a: &mut Mat<P>, threads: usize) -> TwoDiagonals<P> {
    let (m, n) = a.shape();
    let (mut l, mut r) = (Mat::<P>::zeros(m, 2 * BLOCK), Mat::<P>::zeros(n, 2 * BLOCK));
    let mut made = TwoDiagonals::of(n);
    let mut v = vec![P::ZERO; m];
    let (mut taken, mut left) = (vec![P::ZERO; n], vec![P::ZERO; n]);
    let mut sums = vec![vec![P::ZERO; m]; PARTS];
    for begin in (0..n).step_by(BLOCK) {
        let end = n.min(begin + BLOCK);
        for k in begin..end {
            let (known, from) = (2 * (k - begin), line(k));
            v[from..].copy_from_slice(&column(a.as_ref(), k)[from..]);
            add(&l, known, from, |c| P::ZERO - r[(k, c)], &mut v);
            v[from..k].fill(P::ZERO);
            let down = reflection(&mut v[k..]);
            made.own.push(down.size);
            if k + 1 == n {
                break;
            }
            store(&mut l, known, from, &v);
            let (next, start) = (k + 1, line(k + 1));
            let products = dots(&l, known, from, &v);
            let mut late = [vec![P::ZERO; n], vec![P::ZERO; n]];
            add(&r, known, start, |c| products[c], &mut late[0]);
            add(&r, known, start, |c| l[(k, c)], &mut late[1]);
            let size = (n - next).div_ceil(PARTS).next_multiple_of(4).max(LEAST);
            let late = late.each_ref().map(Vec::as_slice);
            let columns = taken[next..].chunks_mut(size).zip(left[next..].chunks_mut(size));
            let parts = columns.zip(&mut sums).zip((next..).step_by(size));
            let parts: Vec<_> = parts
                .map(|(((taken, left), sum), first)| {
                    let (matrix, v, tau) = (a.as_ref(), &v, down.tau);
                    Bidiagonal { matrix, row: k, first, v, tau, late, taken, left, sum }
                })
                .collect();
            let count = parts.len();
            each(parts, threads > 1 && (m - k) * (n - k) > SHARED);
            gather(&mut sums[..count], &[from; PARTS]);
            taken[start..next].fill(P::ZERO);
            left[start..next].fill(P::ZERO);
            store(&mut r, known, start, &taken);
            let right = reflection(&mut left[next..]);
            made.beside.push(right.size);
            store(&mut r, known + 1, start, &left);
            // The product with the row becomes the product with its reflection.
            let sum = &mut sums[0];
            let column = column(a.as_ref(), next);
            for (to, &x) in sum[from..].iter_mut().zip(&column[from..]) {
                *to = right.scale * (*to - right.size * x);
            }
            let products = dots(&r, known + 1, start, &left);
            add(&l, known + 1, from, |c| P::ZERO - products[c], sum);
            sum[from..].iter_mut().for_each(|x| *x *= right.tau);
            sum[from..next].fill(P::ZERO);
            store(&mut l, known + 1, from, sum);
        }
        let rest = a.as_mut().get_mut(end.., end..);
        let (l, r) = (l.get(end.., ..2 * (end - begin)), r.get(end.., ..2 * (end - begin)));
        matmul(rest, Accum::Add, l, r.transpose(), P::ZERO - P::ONE, par(threads));
    }
    made
}

/// The diagonal and subdiagonal of a symmetric matrix. Its lower half is read and overwritten.
pub(super) fn tridiagonal<P: Wide>(a: &mut Mat<P>, threads: usize) -> TwoDiagonals<P> {
    use triangular::BlockStructure::{Rectangular, TriangularLower};
    let n = a.nrows();
    let (mut l, mut r) = (Mat::<P>::zeros(n, 2 * BLOCK), Mat::<P>::zeros(n, 2 * BLOCK));
    let mut made = TwoDiagonals::of(n);
    let mut v = vec![P::ZERO; n];
    let mut sums = vec![vec![P::ZERO; n]; PARTS];
    for begin in (0..n).step_by(BLOCK) {
        let end = n.min(begin + BLOCK);
        for k in begin..end {
            let (known, from) = (2 * (k - begin), line(k));
            v[from..].copy_from_slice(&column(a.as_ref(), k)[from..]);
            add(&l, known, from, |c| P::ZERO - r[(k, c)], &mut v);
            made.own.push(v[k]);
            if k + 1 == n {
                break;
            }
            let (next, from) = (k + 1, line(k + 1));
            v[line(k)..next].fill(P::ZERO);
            let Reflection { size, tau, .. } = reflection(&mut v[next..]);
            made.beside.push(size);
            // Parts of equal numbers of elements: columns become shorter.
            let count = if n - from < PARTS * LEAST { 1 } else { PARTS };
            let first = |part: usize| {
                let left = ((count - part) as f64 / count as f64).sqrt() * (n - from) as f64;
                if part == count { n } else { line(n - left as usize).max(from) }
            };
            let mut products = vec![P::ZERO; known];
            let width = known.div_ceil(count).next_multiple_of(4).max(4);
            let mut shares = products.chunks_mut(width);
            let parts: Vec<_> = (sums[..count].iter_mut().enumerate())
                .map(|(part, sum)| Symmetric {
                    matrix: a.as_ref(),
                    first: first(part),
                    end: first(part + 1),
                    v: &v,
                    sum,
                    panel: (r.as_ref(), part * width),
                    row: from,
                    products: shares.next().unwrap_or_default(),
                })
                .collect();
            each(parts, threads > 1 && (n - k) * (n - k) / 2 > SHARED);
            let rows: Vec<usize> = (0..count).map(first).collect();
            gather(&mut sums[..count], &rows);
            let sum = &mut sums[0];
            add(&l, known, from, |c| P::ZERO - products[c], sum);
            sum[from..next].fill(P::ZERO);
            let share = tau * product(&sum[next..], &v[next..]) / (P::ONE + P::ONE);
            for (x, &v) in sum[next..].iter_mut().zip(&v[next..]) {
                *x = tau * (*x - share * v);
            }
            for (panel, [first, second]) in [(&mut l, [&v, &*sum]), (&mut r, [&*sum, &v])] {
                store(panel, known, from, first);
                store(panel, known + 1, from, second);
            }
        }
        let rest = a.as_mut().get_mut(end.., end..);
        let (l, r) = (l.get(end.., ..2 * (end - begin)), r.get(end.., ..2 * (end - begin)));
        let minus = P::ZERO - P::ONE;
        let [whole, half] = [Rectangular, TriangularLower];
        triangular::matmul(
            rest,
            half,
            Accum::Add,
            l,
            whole,
            r.transpose(),
            whole,
            minus,
            par(threads),
        );
    }
    made
}
