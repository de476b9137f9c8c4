//! Small matrices in large numbers: loops over rows in place, without a copy into columns, blocks or scratch
//! memory. LU, Cholesky and Householder QR (Golub & Van Loan, "Matrix Computations", 3.4, 4.2, 5.2; signs as in
//! LAPACK). Divisions are by elements, never by their squares or reciprocals, so only lengths need a scale.

use super::scale::{Number, Part, worse};

/// Maximum rows and columns of a small matrix.
const FEW: usize = 16;

/// Whether a matrix of `m` rows and `n` columns is small.
pub fn is(m: usize, n: usize) -> bool {
    m <= FEW && n <= FEW
}

/// `to -= factor · from`.
fn subtract<T: Number>(to: &mut [T], factor: T, from: &[T]) {
    to.iter_mut().zip(from).for_each(|(to, &from)| *to -= factor * from);
}

/// Two rows of a matrix with `n` columns, in ascending order.
fn pair<T>(a: &mut [T], n: usize, first: usize, second: usize) -> (&mut [T], &mut [T]) {
    let (head, tail) = a.split_at_mut(second * n);
    (&mut head[first * n..][..n], &mut tail[..n])
}

/// LU in place, the row exchanges counted from 1; returns the first zero pivot.
pub(super) fn lu<T: Number>(a: &mut [T], m: usize, n: usize, pivots: &mut [i32]) -> i32 {
    let mut status = 0;
    for k in 0..m.min(n) {
        let mut place = k;
        let mut most = a[k * n + k].abs1();
        for i in k + 1..m {
            let size = a[i * n + k].abs1();
            if size > most {
                (place, most) = (i, size);
            }
        }
        pivots[k] = place as i32 + 1;
        if place != k {
            let (above, below) = pair(a, n, k, place);
            above.swap_with_slice(below);
        }
        let pivot = a[k * n + k];
        if pivot == T::zero_impl() {
            status = if status == 0 { k as i32 + 1 } else { status };
            continue;
        }
        for i in k + 1..m {
            let (above, below) = pair(a, n, k, i);
            let factor = below[k].over(pivot);
            below[k] = factor;
            subtract(&mut below[k + 1..], factor, &above[k + 1..]);
        }
    }
    status
}

/// The solution of `a x = b`, in place of b.
pub(super) fn solve<T: Number>(a: &mut [T], n: usize, x: &mut [T], right: usize) -> i32 {
    let mut pivots = [0; FEW];
    let status = lu(a, n, n, &mut pivots);
    if status != 0 {
        return status;
    }
    for (k, &pivot) in pivots[..n].iter().enumerate() {
        let place = pivot as usize - 1;
        if place != k {
            let (above, below) = pair(x, right, k, place);
            above.swap_with_slice(below);
        }
    }
    // All exchanges are applied to the rows of L, so they are applied to the right sides before any
    // subtraction.
    for k in 0..n {
        for i in k + 1..n {
            let (above, below) = pair(x, right, k, i);
            subtract(below, a[i * n + k], above);
        }
    }
    for k in (0..n).rev() {
        let pivot = a[k * n + k];
        x[k * right..][..right].iter_mut().for_each(|x| *x = x.over(pivot));
        for i in 0..k {
            let (above, below) = pair(x, right, i, k);
            subtract(above, a[i * n + k], below);
        }
    }
    0
}

/// The lower factor of the matrix whose lower triangle is given; returns the first leading minor that is not
/// positive.
pub(super) fn cholesky<T: Number>(a: &[T], n: usize, out: &mut [T]) -> i32 {
    // Computed as the upper factor in row order, where subtractions run along contiguous memory.
    for i in 0..n {
        for j in i..n {
            out[i * n + j] = T::conj_impl(&a[j * n + i]);
        }
    }
    for k in 0..n {
        let left = T::real_part_impl(&out[k * n + k]).wide();
        // The negation includes NaN, which is not positive.
        if left.is_nan() || left <= 0.0 || left.is_infinite() {
            return k as i32 + 1;
        }
        let pivot = T::from_real_impl(&T::P::of(left.sqrt()));
        out[k * n..][k..n].iter_mut().for_each(|x| *x = x.over(pivot));
        out[k * n + k] = pivot;
        for i in k + 1..n {
            let (above, below) = pair(out, n, k, i);
            let factor = T::conj_impl(&above[i]);
            subtract(&mut below[i..], factor, &above[i..]);
        }
    }
    for i in 0..n {
        for j in i + 1..n {
            out[j * n + i] = T::conj_impl(&out[i * n + j]);
            out[i * n + j] = T::zero_impl();
        }
    }
    0
}

/// Rows of r, and as many columns of q as its slice holds. The matrix is overwritten.
pub(super) fn qr<T: Number>(a: &mut [T], [m, n]: [usize; 2], q: Option<&mut [T]>, r: &mut [T]) {
    let inner = r.len() / n;
    let zero = T::zero_impl();
    let steps = m.min(n);
    let mut taus = [zero; FEW];
    let mut v = [zero; FEW];
    for k in 0..steps {
        // The elements below the diagonal become v, whose first element is 1.
        let v = &mut v[k..m];
        v.iter_mut().enumerate().for_each(|(i, v)| *v = a[(k + i) * n + k]);
        let first = v[0];
        if v[1..].iter().all(|&x| x == zero) && T::imag_part_impl(&first).wide() == 0.0 {
            continue;
        }
        let length = length(v);
        let negative = T::real_part_impl(&first).wide() > 0.0;
        let pivot = T::from_real_impl(&T::P::of(if negative { -length } else { length }));
        let tau = (pivot - first).over(pivot);
        let scale = first - pivot;
        v.iter_mut().for_each(|x| *x = x.over(scale));
        v[0] = T::one_impl();
        reflect(&mut a[k * n..], n, k + 1, v, T::conj_impl(&tau));
        a[k * n + k] = pivot;
        (1..v.len()).for_each(|i| a[(k + i) * n + k] = v[i]);
        taus[k] = tau;
    }
    for (i, r) in r.chunks_exact_mut(n).enumerate() {
        let (below, above) = r.split_at_mut(i.min(n));
        below.fill(zero);
        above.copy_from_slice(&a[i * n + below.len()..(i + 1) * n]);
    }
    let Some(q) = q else { return };
    q.fill(zero);
    (0..inner).for_each(|i| q[i * inner + i] = T::one_impl());
    for k in (0..steps).rev() {
        let v = &mut v[k..m];
        v.iter_mut().enumerate().for_each(|(i, v)| *v = a[(k + i) * n + k]);
        v[0] = T::one_impl();
        reflect(&mut q[k * inner..], inner, k, v, taus[k]);
    }
}

/// `rows -= tau v vʰ rows`, in the columns from `first` on.
fn reflect<T: Number>(rows: &mut [T], width: usize, first: usize, v: &[T], tau: T) {
    let mut sums = [T::zero_impl(); FEW];
    let first = first.min(width);
    let sums = &mut sums[first..width];
    for (row, v) in rows.chunks_exact(width).zip(v) {
        let factor = T::conj_impl(v);
        sums.iter_mut().zip(&row[first..]).for_each(|(sum, &x)| *sum += factor * x);
    }
    for (row, &v) in rows.chunks_exact_mut(width).zip(v) {
        subtract(&mut row[first..], tau * v, sums);
    }
}

/// The length of a column, relative to its largest part if squares are not finite.
fn length<T: Number>(x: &[T]) -> f64 {
    let parts = |x: &T| [T::real_part_impl(x).wide(), T::imag_part_impl(x).wide()];
    let sum: f64 = x.iter().map(parts).map(|[re, im]| re * re + im * im).sum();
    if (1e-280..1e280).contains(&sum) || sum.is_nan() {
        return sum.sqrt();
    }
    let most = x.iter().fold(0.0, |most, &x| worse(most, x.largest()));
    if most == 0.0 || !most.is_finite() {
        return most;
    }
    let scaled = x.iter().map(parts).map(|parts| parts.map(|x| x / most));
    scaled.map(|[re, im]| re * re + im * im).sum::<f64>().sqrt() * most
}
