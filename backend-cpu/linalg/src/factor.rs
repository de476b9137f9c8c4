//! Factorizations by faer. Matrices arrive in row order, are copied into column order for faer, and the factors
//! are returned in row order.
//!
//! Each function returns LAPACK's `info`: 0, or the failure. Matrices near the ends of their dtype's range are
//! factored at a scale where neither squares nor reciprocals leave it (`scale`). This file has the direct
//! factorizations (`blocked_lu` those of several threads) and `eigen_svd` the iterative ones. `bidiagonal` (over `tall_skinny`) and `values_only` are
//! faster without vectors, `small` and `small_schur` serve matrices too small for the library, and
//! `interleaved_batch` many small matrices together.

mod bidiagonal;
#[cfg(not(target_family = "wasm"))]
mod blocked_lu;
mod eigen_svd;
mod interleaved_batch;
mod scale;
mod small;
mod small_schur;
mod tall_skinny;
mod values_only;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor as llt;
use faer::linalg::householder;
use faer::linalg::lu::partial_pivoting::{factor as lu, solve as lu_solve};
use faer::linalg::qr::no_pivoting::factor::{self as qr, QrParams};
use faer::{Auto, Conj, Mat, MatMut, MatRef, Par};
use num_complex::Complex;
use rayon::prelude::*;

pub use interleaved_batch::LANES;
pub use small::is as is_small;

use crate::par;
use scale::{Number, Scale};

/// The status of `eig` if a vector overflows its dtype: eigenvalues that are equal up to rounding share few
/// vectors. The caller then computes them with scaling.
pub const OVERFLOWED: i32 = -1;

/// Edge of the tiles that are copied between row and column order: both sides use each cache line fully
/// before it is evicted.
const TILE: usize = 16;
/// Rows or columns of a thread's strip.
const STRIP: usize = 4 * TILE;

/// Visits all places of a matrix, tile by tile.
fn tiles(m: usize, n: usize, mut place: impl FnMut(usize, usize)) {
    for i in (0..m).step_by(TILE) {
        for j in (0..n).step_by(TILE) {
            for j in j..n.min(j + TILE) {
                (i..m.min(i + TILE)).for_each(|i| place(i, j));
            }
        }
    }
}

/// A row-order matrix in column order.
fn columns<T: Number>(rows: &[T], m: usize, n: usize, threads: usize) -> Mat<T> {
    let mut matrix = Mat::zeros(m, n);
    let fill = |(number, mut strip): (usize, MatMut<'_, T>)| {
        let rows = &rows[number * STRIP..];
        tiles(m, strip.ncols(), |i, j| strip[(i, j)] = rows[i * n + j]);
    };
    match threads {
        #[cfg(not(target_family = "wasm"))]
        2.. => matrix.as_mut().par_col_chunks_mut(STRIP).enumerate().for_each(fill),
        _ => fill((0, matrix.as_mut())),
    }
    matrix
}

/// The diagonal of a Hermitian matrix is real; imaginary parts stored there are ignored.
fn real_diagonal<T: Number>(matrix: &mut Mat<T>) {
    for i in 0..matrix.nrows() {
        matrix[(i, i)] = T::from_real_impl(&T::real_part_impl(&matrix[(i, i)]));
    }
}

/// A column-order matrix in row order.
fn write<T: Number>(to: &mut [T], from: MatRef<'_, T>, threads: usize) {
    let n = from.ncols().max(1);
    let fill = |(number, to): (usize, &mut [T])| {
        tiles(to.len() / n, n, |i, j| to[i * n + j] = from[(number * STRIP + i, j)]);
    };
    match threads {
        1 => fill((0, to)),
        _ => to.par_chunks_mut(STRIP * n).enumerate().for_each(fill),
    }
}

/// LU of `a` in place; `order[i]` is the row that became row `i`.
fn factor_lu<T: Number>(a: &mut Mat<T>, threads: usize) -> (Vec<usize>, i32) {
    let (m, n) = a.shape();
    let order = exchanged_lu(a, threads);
    let zero = (0..m.min(n)).position(|i| a[(i, i)] == T::zero_impl());
    (order, zero.map_or(0, |i| i as i32 + 1))
}

fn exchanged_lu<T: Number>(a: &mut Mat<T>, threads: usize) -> Vec<usize> {
    let (m, n) = a.shape();
    #[cfg(not(target_family = "wasm"))]
    if blocked_lu::is_worthwhile(m, n, threads) {
        return blocked_lu::factor(a, threads);
    }
    let (mut order, mut back) = (vec![0usize; m], vec![0usize; m]);
    let mut memory =
        MemBuffer::new(lu::lu_in_place_scratch::<usize, T>(m, n, par(threads), Default::default()));
    let stack = MemStack::new(&mut memory);
    lu::lu_in_place(a.as_mut(), &mut order, &mut back, par(threads), stack, Default::default());
    order
}

/// LU with row exchanges, which `pivots` receives in LAPACK's form.
fn lu_of<T: Number>(
    a: &[T],
    m: usize,
    n: usize,
    out: &mut [T],
    pivots: &mut [i32],
    threads: usize,
) -> i32 {
    if small::is(m, n) {
        out.copy_from_slice(a);
        return small::lu(out, m, n, pivots);
    }
    let (mut factors, scale) = (columns(a, m, n, threads), Scale::of_any(a));
    scale.divide(&mut factors);
    let (order, status) = factor_lu(&mut factors, threads);
    // L does not depend on the scale; U has it.
    for j in 0..n {
        (0..=j.min(m - 1)).for_each(|i| factors[(i, j)] = scale.times(factors[(i, j)]));
    }
    write(out, factors.as_ref(), threads);
    exchanges(&order, pivots);
    status
}

/// Row exchanges that produce this order, in LAPACK's form.
fn exchanges(order: &[usize], pivots: &mut [i32]) {
    // The current place of each row, and the row at each place.
    let mut at: Vec<usize> = (0..order.len()).collect();
    let mut here = at.clone();
    for (i, pivot) in pivots.iter_mut().enumerate() {
        let from = at[order[i]];
        *pivot = from as i32 + 1;
        here.swap(i, from);
        at[here[i]] = i;
        at[here[from]] = from;
    }
}

/// The diagonal of U, and the exchanges.
fn pivots_of<T: Number>(
    a: &[T],
    n: usize,
    diagonal: &mut [T],
    pivots: &mut [i32],
    threads: usize,
) -> i32 {
    if small::is(n, n) {
        let mut all = a.to_vec();
        let status = small::lu(&mut all, n, n, pivots);
        diagonal.iter_mut().zip(all.iter().step_by(n + 1)).for_each(|(to, &x)| *to = x);
        return status;
    }
    // Read in column order, rows are the transpose.
    let (mut factors, scale) =
        (MatRef::from_column_major_slice(a, n, n).to_owned(), Scale::of_any(a));
    scale.divide(&mut factors);
    let (order, status) = factor_lu(&mut factors, threads);
    diagonal.iter_mut().enumerate().for_each(|(i, to)| *to = scale.times(factors[(i, i)]));
    exchanges(&order, pivots);
    status
}

fn cholesky_of<T: Number>(a: &[T], n: usize, out: &mut [T], threads: usize) -> i32 {
    if small::is(n, n) {
        return small::cholesky(a, n, out);
    }
    // The upper triangle is not read.
    let below = (0..n).map(|i| &a[i * n..][..=i]);
    let (mut l, scale) = (columns(a, n, n, threads), Scale::of(below).unwrap_or_default());
    real_diagonal(&mut l);
    scale.divide(&mut l);
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
    // The upper half still holds input.
    for j in 0..n {
        (0..j).for_each(|i| l[(i, j)] = T::zero_impl());
    }
    let whole = (0..n).all(|i| T::is_finite_impl(&l[(i, i)]));
    scale.root().multiply(l.as_mut());
    write(out, l.as_ref(), threads);
    match done {
        Ok(_) if whole => 0,
        Ok(_) => 1,
        Err(llt::LltError::NonPositivePivot { index }) => index as i32 + 1,
    }
}

fn solve_of<T: Number>(
    a: &[T],
    b: &[T],
    n: usize,
    right: usize,
    x: &mut [T],
    threads: usize,
) -> i32 {
    if small::is(n, 0) {
        x.copy_from_slice(b);
        return small::solve(&mut a.to_vec(), n, x, right);
    }
    let (mut factors, scale) = (columns(a, n, n, threads), Scale::of_any(a));
    scale.divide(&mut factors);
    let (order, status) = factor_lu(&mut factors, threads);
    if status != 0 {
        return status;
    }
    let (mut solved, given) = (columns(b, n, right, threads), Scale::of_any(b));
    given.divide(&mut solved);
    solve_by_lu(factors.as_ref(), &order, solved.as_mut(), threads);
    given.over(scale).multiply(solved.as_mut());
    write(x, solved.as_ref(), threads);
    0
}

/// The solutions for right sides in place, whose rows are not in order yet.
fn solve_by_lu<T: Number>(
    both: MatRef<'_, T>,
    order: &[usize],
    solved: MatMut<'_, T>,
    threads: usize,
) {
    let (n, right) = solved.shape();
    #[cfg(not(target_family = "wasm"))]
    if blocked_lu::has_stripes(n, right, threads) {
        return blocked_lu::solve(both, order, solved, threads);
    }
    let mut back = vec![0; n];
    order.iter().enumerate().for_each(|(to, &from)| back[from] = to);
    let order = faer::perm::PermRef::new_checked(order, &back, n);
    let mut memory =
        MemBuffer::new(lu_solve::solve_in_place_scratch::<usize, T>(n, right, par(threads)));
    let stack = MemStack::new(&mut memory);
    lu_solve::solve_in_place_with_conj(both, both, order, Conj::No, solved, par(threads), stack);
}

/// The panels of QR, for matrices that fit a core's own cache or nearly do. Columns of a panel are reflected
/// one by one: the library would split panels down to single columns, which costs more than block products
/// gain.
fn panels<T: Number>(m: usize, n: usize) -> (usize, QrParams) {
    let mut parameters = <QrParams as Auto<T>>::auto();
    let block = qr::recommended_block_size::<T>(m, n);
    let most = match m * n {
        0..=0x4_0000 => 16,
        0x4_0001..=0x40_0000 => 32,
        _ => return (block, parameters),
    };
    parameters.blocking_threshold = usize::MAX;
    (block.min(most), parameters)
}

/// Householder reflections in place of a matrix, with r above them; returns their factors.
fn reflected<T: Number>(a: &mut Mat<T>, par: Par) -> Mat<T> {
    let (m, n) = a.shape();
    let (block, parameters) = panels::<T>(m, n);
    let mut coefficients = Mat::<T>::zeros(block, m.min(n));
    let need = qr::qr_in_place_scratch::<T>(m, n, block, par, parameters.into());
    let mut memory = MemBuffer::new(need);
    let stack = MemStack::new(&mut memory);
    qr::qr_in_place(a.as_mut(), coefficients.as_mut(), par, stack, parameters.into());
    coefficients
}

/// The first columns of q, and as many rows of r.
fn qr_of<T: Number>(
    a: &[T],
    [m, n]: [usize; 2],
    q: Option<&mut [T]>,
    r: &mut [T],
    threads: usize,
) -> i32 {
    if small::is(m, n) {
        small::qr(&mut a.to_vec(), [m, n], q, r);
        return 0;
    }
    let inner = r.len() / n;
    let (mut factors, least, par) = (columns(a, m, n, threads), m.min(n), par(threads));
    let scale = Scale::of_any(a);
    scale.divide(&mut factors);
    let coefficients = reflected(&mut factors, par);
    let block = coefficients.nrows();
    tiles(inner, n, |i, j| {
        r[i * n + j] = if i <= j { scale.times(factors[(i, j)]) } else { T::zero_impl() };
    });
    let Some(q) = q else { return 0 };
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
    write(q, basis.as_ref(), threads);
    0
}

macro_rules! kinds {
    ($($module:ident $ty:ty, $part:ty;)+) => {$(
        #[doc = concat!("Factorizations of matrices of `", stringify!($ty), "`, in rows. Each gives LAPACK's `info`.")]
        pub mod $module {
            use super::*;

            /// LU and the row exchanges, counted from 1.
            pub fn lu(a: &[$ty], m: usize, n: usize, out: &mut [$ty], pivots: &mut [i32], threads: usize) -> i32 {
                lu_of(a, m, n, out, pivots, threads)
            }

            /// The diagonal of U and the exchanges, of the matrix or of its transpose.
            pub fn pivots(a: &[$ty], n: usize, diagonal: &mut [$ty], pivots: &mut [i32], threads: usize) -> i32 {
                pivots_of(a, n, diagonal, pivots, threads)
            }

            /// The lower factor.
            pub fn cholesky(a: &[$ty], n: usize, out: &mut [$ty], threads: usize) -> i32 {
                cholesky_of(a, n, out, threads)
            }

            /// The solution of `a x = b`.
            pub fn solve(a: &[$ty], b: &[$ty], n: usize, right: usize, x: &mut [$ty], threads: usize) -> i32 {
                solve_of(a, b, n, right, x, threads)
            }

            /// r, and q with as many columns as its slice holds.
            pub fn qr(a: &[$ty], shape: [usize; 2], q: Option<&mut [$ty]>, r: &mut [$ty], threads: usize) -> i32 {
                qr_of(a, shape, q, r, threads)
            }

            /// Singular values, and as many vectors as the slices hold.
            pub fn svd(a: &[$ty], shape: [usize; 2], s: &mut [$part], vectors: Option<[&mut [$ty]; 2]>, threads: usize) -> i32 {
                eigen_svd::svd(a, shape, s, vectors, threads)
            }

            /// Eigenvalues of a Hermitian matrix, ascending, and vectors.
            pub fn eigh(a: &[$ty], n: usize, w: &mut [$part], vectors: Option<&mut [$ty]>, threads: usize) -> i32 {
                eigen_svd::eigh(a, n, w, vectors, threads)
            }

            /// Eigenvalues of any matrix, and unit vectors; [`OVERFLOWED`] if these cannot be computed here.
            pub fn eig(a: &[$ty], n: usize, w: &mut [Complex<$part>], vectors: Option<&mut [Complex<$part>]>, threads: usize) -> i32 {
                eigen_svd::eig(a, n, w, vectors, threads)
            }
        }
    )+};
}

macro_rules! interleaved_batches {
    ($($module:ident $many:ident $ty:ident;)+) => {$(
        #[doc = concat!("Up to [`LANES`] small matrices of `", stringify!($ty), "` together.")]
        pub mod $many {
            use super::*;

            /// As [`svd`](super::$module::svd) of each matrix, without vectors.
            pub fn svdvals(a: &[&[$ty]], shape: [usize; 2], s: &mut [&mut [$ty]]) -> [i32; LANES] {
                interleaved_batch::svdvals(a, shape, s)
            }

            /// As [`eigh`](super::$module::eigh) of each matrix, with vectors if `v` is not empty.
            pub fn eigh(a: &[&[$ty]], n: usize, w: &mut [&mut [$ty]], v: &mut [&mut [$ty]]) -> [i32; LANES] {
                interleaved_batch::eigh(a, n, w, v)
            }
        }
    )+};
}

interleaved_batches! {
    f32s many_f32s f32;
    f64s many_f64s f64;
}

kinds! {
    f32s f32, f32;
    f64s f64, f64;
    c64s Complex<f32>, f32;
    c128s Complex<f64>, f64;
}
