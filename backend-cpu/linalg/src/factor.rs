//! Factorizations by faer: matrices come in rows, are copied into columns, which it wants, and the factors go out in rows.
//!
//! Each function returns LAPACK's `info`: 0, or what went wrong.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor as llt;
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::linalg::householder;
use faer::linalg::lu::partial_pivoting::{factor as lu, solve as lu_solve};
use faer::linalg::qr::no_pivoting::factor as qr;
use faer::linalg::svd::{self, ComputeSvdVectors};
use faer::traits::ComplexField;
use faer::{Conj, Mat, MatMut, MatRef, Par};
use num_complex::Complex;

fn par(threads: usize) -> Par {
    if threads > 1 { Par::rayon(threads) } else { Par::Seq }
}

fn columns<T: ComplexField>(rows: &[T], m: usize, n: usize) -> Mat<T> {
    MatRef::from_row_major_slice(rows, m, n).to_owned()
}

fn write<T: ComplexField>(to: &mut [T], from: MatRef<'_, T>) {
    MatMut::from_row_major_slice_mut(to, from.nrows(), from.ncols()).copy_from(from);
}

/// LU of `a` in its place; `order[i]` is the row that became row `i`.
fn factor_lu<T: ComplexField>(a: &mut Mat<T>, threads: usize) -> (Vec<usize>, Vec<usize>, i32) {
    let (m, n) = a.shape();
    let (mut order, mut back) = (vec![0usize; m], vec![0usize; m]);
    let mut memory =
        MemBuffer::new(lu::lu_in_place_scratch::<usize, T>(m, n, par(threads), Default::default()));
    let stack = MemStack::new(&mut memory);
    lu::lu_in_place(a.as_mut(), &mut order, &mut back, par(threads), stack, Default::default());
    let zero = (0..m.min(n)).position(|i| a[(i, i)] == T::zero_impl());
    (order, back, zero.map_or(0, |i| i as i32 + 1))
}

/// LU with exchanges of rows, which `pivots` get as LAPACK counts them.
fn lu_of<T: ComplexField>(
    a: &[T],
    m: usize,
    n: usize,
    out: &mut [T],
    pivots: &mut [i32],
    threads: usize,
) -> i32 {
    let mut factors = columns(a, m, n);
    let (order, _, status) = factor_lu(&mut factors, threads);
    write(out, factors.as_ref());
    // Where each row is and which row is where, as the exchanges go on.
    let (mut at, mut here): (Vec<usize>, Vec<usize>) = ((0..m).collect(), (0..m).collect());
    for (i, pivot) in pivots.iter_mut().enumerate() {
        let from = at[order[i]];
        *pivot = from as i32 + 1;
        here.swap(i, from);
        at[here[i]] = i;
        at[here[from]] = from;
    }
    status
}

fn cholesky_of<T: ComplexField>(a: &[T], n: usize, out: &mut [T], threads: usize) -> i32 {
    let mut l = Mat::<T>::zeros(n, n);
    l.copy_from_triangular_lower(MatRef::from_row_major_slice(a, n, n));
    let mut memory =
        MemBuffer::new(llt::cholesky_in_place_scratch::<T>(n, par(threads), Default::default()));
    let stack = MemStack::new(&mut memory);
    let done = llt::cholesky_in_place(
        l.as_mut(),
        Default::default(),
        par(threads),
        stack,
        Default::default(),
    );
    // Its upper half holds what was in the way.
    for j in 0..n {
        (0..j).for_each(|i| l[(i, j)] = T::zero_impl());
    }
    let whole = (0..n).all(|i| T::is_finite_impl(&l[(i, i)]));
    write(out, l.as_ref());
    match done {
        Ok(_) if whole => 0,
        Ok(_) => 1,
        Err(llt::LltError::NonPositivePivot { index }) => index as i32 + 1,
    }
}

fn solve_of<T: ComplexField>(
    a: &[T],
    b: &[T],
    n: usize,
    right: usize,
    x: &mut [T],
    threads: usize,
) -> i32 {
    let mut factors = columns(a, n, n);
    let (order, back, status) = factor_lu(&mut factors, threads);
    if status != 0 {
        return status;
    }
    let mut solved = columns(b, n, right);
    let order = faer::perm::PermRef::new_checked(&order, &back, n);
    let mut memory =
        MemBuffer::new(lu_solve::solve_in_place_scratch::<usize, T>(n, right, par(threads)));
    let stack = MemStack::new(&mut memory);
    let both = factors.as_ref();
    lu_solve::solve_in_place_with_conj(
        both,
        both,
        order,
        Conj::No,
        solved.as_mut(),
        par(threads),
        stack,
    );
    write(x, solved.as_ref());
    0
}

/// The first `inner` columns of q, and as many rows of r.
fn qr_of<T: ComplexField>(
    a: &[T],
    [m, n]: [usize; 2],
    inner: usize,
    q: &mut [T],
    r: &mut [T],
    threads: usize,
) -> i32 {
    let (mut factors, least, par) = (columns(a, m, n), m.min(n), par(threads));
    let block = qr::recommended_block_size::<T>(m, n);
    let mut coefficients = Mat::<T>::zeros(block, least);
    let need = qr::qr_in_place_scratch::<T>(m, n, block, par, Default::default());
    let mut memory = MemBuffer::new(need);
    let stack = MemStack::new(&mut memory);
    qr::qr_in_place(factors.as_mut(), coefficients.as_mut(), par, stack, Default::default());
    let mut basis = Mat::<T>::zeros(m, inner);
    (0..inner).for_each(|i| basis[(i, i)] = T::one_impl());
    let need = householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(
        m, block, inner,
    );
    let mut memory = MemBuffer::new(need);
    let stack = MemStack::new(&mut memory);
    householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
        factors.as_ref().subcols(0, least),
        coefficients.as_ref(),
        Conj::No,
        basis.as_mut(),
        par,
        stack,
    );
    write(q, basis.as_ref());
    for i in 0..inner {
        for j in 0..n {
            r[i * n + j] = if i <= j { factors[(i, j)].clone() } else { T::zero_impl() };
        }
    }
    0
}

fn finite<T: ComplexField>(a: &[T]) -> bool {
    a.iter().all(T::is_finite_impl)
}

/// Singular values, and as many columns of u and rows of the adjoint of v as there is room for.
fn svd_of<T: ComplexField>(
    a: &[T],
    [m, n]: [usize; 2],
    s: &mut [T::Real],
    vectors: Option<[&mut [T]; 2]>,
    threads: usize,
) -> i32 {
    if !finite(a) {
        return 1;
    }
    let (a, par, least) = (columns(a, m, n), par(threads), m.min(n));
    let [left, right] = vectors.as_ref().map_or([0, 0], |[u, vh]| [u.len() / m, vh.len() / n]);
    let wanted = match (&vectors, left == m && right == n) {
        (None, _) => ComputeSvdVectors::No,
        (Some(_), true) => ComputeSvdVectors::Full,
        (Some(_), false) => ComputeSvdVectors::Thin,
    };
    let mut values = Diag::<T>::zeros(least);
    let (mut u, mut v) = (Mat::<T>::zeros(m, left), Mat::<T>::zeros(n, right));
    let need = svd::svd_scratch::<T>(m, n, wanted, wanted, par, Default::default());
    let mut memory = MemBuffer::new(need);
    let stack = MemStack::new(&mut memory);
    let some = vectors.is_some();
    let done = svd::svd(
        a.as_ref(),
        values.as_mut(),
        some.then(|| u.as_mut()),
        some.then(|| v.as_mut()),
        par,
        stack,
        Default::default(),
    );
    if done.is_err() {
        return 1;
    }
    for (to, from) in s.iter_mut().zip(values.column_vector().iter()) {
        *to = T::real_part_impl(from);
    }
    if let Some([to_u, to_vh]) = vectors {
        write(to_u, u.as_ref());
        MatMut::from_row_major_slice_mut(to_vh, right, n).copy_from(v.adjoint());
    }
    0
}

fn eigh_of<T: ComplexField>(
    a: &[T],
    n: usize,
    w: &mut [T::Real],
    vectors: Option<&mut [T]>,
    threads: usize,
) -> i32 {
    let mut lower = columns(a, n, n);
    for j in 0..n {
        for i in 0..j {
            lower[(i, j)] = T::conj_impl(&lower[(j, i)]);
        }
    }
    if !(0..n).all(|j| (j..n).all(|i| T::is_finite_impl(&lower[(i, j)]))) {
        return 1;
    }
    let par = par(threads);
    let wanted = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let mut values = Diag::<T>::zeros(n);
    let mut v = Mat::<T>::zeros(n, if vectors.is_some() { n } else { 0 });
    let need = evd::self_adjoint_evd_scratch::<T>(n, wanted, par, Default::default());
    let mut memory = MemBuffer::new(need);
    let stack = MemStack::new(&mut memory);
    let some = vectors.is_some().then(|| v.as_mut());
    if evd::self_adjoint_evd(lower.as_ref(), values.as_mut(), some, par, stack, Default::default())
        .is_err()
    {
        return 1;
    }
    for (to, from) in w.iter_mut().zip(values.column_vector().iter()) {
        *to = T::real_part_impl(from);
    }
    if let Some(to) = vectors {
        write(to, v.as_ref());
    }
    0
}

/// Columns to length 1.
macro_rules! normalize {
    ($vectors:expr, $n:expr, $part:ty) => {
        for j in 0..$n {
            let squares: $part = (0..$n).map(|i| $vectors[i * $n + j].norm_sqr()).sum();
            let length = squares.sqrt();
            (0..$n).for_each(|i| $vectors[i * $n + j] /= length);
        }
    };
}

macro_rules! kinds {
    ($($module:ident $ty:ty, $part:ty, $eig:ident;)+) => {$(
        #[doc = concat!("Factorizations of matrices of `", stringify!($ty), "`, in rows. Each gives LAPACK's `info`.")]
        pub mod $module {
            use super::*;

            /// LU and the exchanges of rows, counted from 1.
            pub fn lu(a: &[$ty], m: usize, n: usize, out: &mut [$ty], pivots: &mut [i32], threads: usize) -> i32 {
                lu_of(a, m, n, out, pivots, threads)
            }

            /// The lower factor.
            pub fn cholesky(a: &[$ty], n: usize, out: &mut [$ty], threads: usize) -> i32 {
                cholesky_of(a, n, out, threads)
            }

            /// The solution of `a x = b`.
            pub fn solve(a: &[$ty], b: &[$ty], n: usize, right: usize, x: &mut [$ty], threads: usize) -> i32 {
                solve_of(a, b, n, right, x, threads)
            }

            /// Columns of q and rows of r, `inner` of each.
            pub fn qr(a: &[$ty], shape: [usize; 2], inner: usize, q: &mut [$ty], r: &mut [$ty], threads: usize) -> i32 {
                qr_of(a, shape, inner, q, r, threads)
            }

            /// Singular values, and vectors: as many as there is room for.
            pub fn svd(a: &[$ty], shape: [usize; 2], s: &mut [$part], vectors: Option<[&mut [$ty]; 2]>, threads: usize) -> i32 {
                svd_of(a, shape, s, vectors, threads)
            }

            /// Eigenvalues of a Hermitian matrix, ascending, and vectors.
            pub fn eigh(a: &[$ty], n: usize, w: &mut [$part], vectors: Option<&mut [$ty]>, threads: usize) -> i32 {
                eigh_of(a, n, w, vectors, threads)
            }

            /// Eigenvalues of any matrix, and vectors of length 1.
            pub fn eig(a: &[$ty], n: usize, w: &mut [Complex<$part>], vectors: Option<&mut [Complex<$part>]>, threads: usize) -> i32 {
                $eig!(a, n, w, vectors, threads, $ty, $part)
            }
        }
    )+};
}

/// Of a real matrix faer gives real and imaginary parts, and of a pair's vectors the same in two columns.
macro_rules! real {
    ($a:expr, $n:expr, $w:expr, $vectors:expr, $threads:expr, $ty:ty, $part:ty) => {{
        let (a, n, w, vectors, par) = ($a, $n, $w, $vectors, par($threads));
        if !finite(a) {
            return 1;
        }
        let some = vectors.is_some();
        let [no, yes] = [ComputeEigenvectors::No, ComputeEigenvectors::Yes];
        let need =
            evd::evd_scratch::<$ty>(n, no, if some { yes } else { no }, par, Default::default());
        let mut memory = MemBuffer::new(need);
        let stack = MemStack::new(&mut memory);
        let (mut re, mut im) = (Diag::<$ty>::zeros(n), Diag::<$ty>::zeros(n));
        let mut v = Mat::<$ty>::zeros(n, if some { n } else { 0 });
        let done = evd::evd_real(
            columns(a, n, n).as_ref(),
            re.as_mut(),
            im.as_mut(),
            None,
            some.then(|| v.as_mut()),
            par,
            stack,
            Default::default(),
        );
        if done.is_err() {
            return 1;
        }
        for (j, to) in w.iter_mut().enumerate() {
            *to = Complex::new(re[j], im[j]);
        }
        if let Some(vectors) = vectors {
            let mut j = 0;
            while j < n {
                let pair = im[j] != 0.0;
                for i in 0..n {
                    if pair {
                        let value = Complex::new(v[(i, j)], v[(i, j + 1)]);
                        vectors[i * n + j] = value;
                        vectors[i * n + j + 1] = value.conj();
                    } else {
                        vectors[i * n + j] = Complex::new(v[(i, j)], 0.0);
                    }
                }
                j += if pair { 2 } else { 1 };
            }
            normalize!(vectors, n, $part);
        }
        0
    }};
}

macro_rules! complex {
    ($a:expr, $n:expr, $w:expr, $vectors:expr, $threads:expr, $ty:ty, $part:ty) => {{
        let (a, n, w, vectors, par) = ($a, $n, $w, $vectors, par($threads));
        if !finite(a) {
            return 1;
        }
        let some = vectors.is_some();
        let [no, yes] = [ComputeEigenvectors::No, ComputeEigenvectors::Yes];
        let need =
            evd::evd_scratch::<$ty>(n, no, if some { yes } else { no }, par, Default::default());
        let mut memory = MemBuffer::new(need);
        let stack = MemStack::new(&mut memory);
        let mut values = Diag::<$ty>::zeros(n);
        let mut v = Mat::<$ty>::zeros(n, if some { n } else { 0 });
        let done = evd::evd_cplx(
            columns(a, n, n).as_ref(),
            values.as_mut(),
            None,
            some.then(|| v.as_mut()),
            par,
            stack,
            Default::default(),
        );
        if done.is_err() {
            return 1;
        }
        for (j, to) in w.iter_mut().enumerate() {
            *to = values[j];
        }
        if let Some(vectors) = vectors {
            write(vectors, v.as_ref());
            normalize!(vectors, n, $part);
        }
        0
    }};
}

kinds! {
    f32s f32, f32, real;
    f64s f64, f64, real;
    c64s Complex<f32>, f32, complex;
    c128s Complex<f64>, f64, complex;
}
