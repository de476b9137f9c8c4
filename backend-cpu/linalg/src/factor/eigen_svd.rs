//! Singular values and eigenvalues, which need iteration. Matrices that are not finite are rejected first; the
//! others are scaled to an ordinary range, and their values scaled back.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{self, ComputeEigenvectors, EvdError, tridiag};
use faer::linalg::svd::{self, ComputeSvdVectors, SvdParams, bidiag};
use faer::{Mat, MatMut, MatRef, Par, Spec};
use num_complex::Complex;

use super::bidiagonal::{self, TwoDiagonals};
use super::scale::{Number, Part, Scale, largest, worse};
use super::small_schur::Schur;
use super::{
    OVERFLOWED, columns, panels, par, real_diagonal, reflected, small, values_only, write,
};

/// Singular values, and as many columns of u and rows of the adjoint of v as the slices hold.
pub(super) fn svd<T: Diagonal>(
    a: &[T],
    [m, n]: [usize; 2],
    s: &mut [T::P],
    vectors: Option<[&mut [T]; 2]>,
    threads: usize,
) -> i32 {
    if vectors.is_none() && svdvals(a, [m, n], s, threads).is_some() {
        return 0;
    }
    let Some(scale) = Scale::of([a]) else { return 1 };
    let (mut a, par, least) = (columns(a, m, n, threads), par(threads), m.min(n));
    scale.divide(&mut a);
    let [left, right] = vectors.as_ref().map_or([0, 0], |[u, vh]| [u.len() / m, vh.len() / n]);
    let wanted = match (&vectors, left == m && right == n) {
        (None, _) => ComputeSvdVectors::No,
        (Some(_), true) => ComputeSvdVectors::Full,
        (Some(_), false) => ComputeSvdVectors::Thin,
    };
    let mut values = Diag::<T>::zeros(least);
    let (mut u, mut v) = (Mat::<T>::zeros(m, left), Mat::<T>::zeros(n, right));
    let mut parameters = Spec::<SvdParams, T>::default();
    // With vectors, divide and conquer pays from fewer columns on than the library assumes.
    parameters.config.recursion_threshold = 64;
    parameters.config.qr = panels::<T>(m, n).1;
    let need = svd::svd_scratch::<T>(m, n, wanted, wanted, par, parameters);
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
        parameters,
    );
    if done.is_err() {
        return 1;
    }
    for (to, from) in s.iter_mut().zip(values.column_vector().iter()) {
        *to = scale.times(T::real_part_impl(from));
    }
    if let Some([to_u, to_vh]) = vectors {
        write(to_u, u.as_ref(), threads);
        // Columns of v are rows of its adjoint.
        for (row, column) in to_vh.chunks_exact_mut(n).zip(0..right) {
            row.iter_mut().zip(v.col_as_slice(column)).for_each(|(to, x)| *to = T::conj_impl(x));
        }
    }
    0
}

/// Reduction to a real bidiagonal or tridiagonal form: the diagonal and the adjacent one, by magnitude.
pub(super) trait Diagonal: Number {
    /// Of a matrix with at most as many columns as rows; the second diagonal is above the first.
    fn bidiagonal(a: Mat<Self>, threads: usize) -> [Vec<f64>; 2];

    /// Of a Hermitian matrix, of which the lower half is read.
    fn tridiagonal(a: Mat<Self>, threads: usize) -> [Vec<f64>; 2];
}

macro_rules! diagonal {
    ($($part:ty)+) => {$(
        impl Diagonal for $part {
            fn bidiagonal(mut a: Mat<Self>, threads: usize) -> [Vec<f64>; 2] {
                let TwoDiagonals { own, beside } = bidiagonal::bidiagonal(&mut a, threads);
                [own, beside].map(|x| x.into_iter().map(size).collect())
            }

            fn tridiagonal(mut a: Mat<Self>, threads: usize) -> [Vec<f64>; 2] {
                let TwoDiagonals { own, beside } = bidiagonal::tridiagonal(&mut a, threads);
                let own = own.into_iter().map(Part::wide).collect();
                [own, beside.into_iter().map(size).collect()]
            }
        }

        impl Diagonal for Complex<$part> {
            fn bidiagonal(mut a: Mat<Self>, threads: usize) -> [Vec<f64>; 2] {
                let ((m, n), par) = (a.shape(), par(threads));
                let [mut left, mut right] = [n, n.saturating_sub(1)].map(|n| Mat::<Self>::zeros(1, n));
                let need = bidiag::bidiag_in_place_scratch::<Self>(m, n, par, Default::default());
                let mut memory = MemBuffer::new(need);
                let stack = MemStack::new(&mut memory);
                let (left, right) = (left.as_mut(), right.as_mut());
                bidiag::bidiag_in_place(a.as_mut(), left, right, par, stack, Default::default());
                let own = (0..n).map(|i| size(a[(i, i)])).collect();
                [own, (1..n).map(|i| size(a[(i - 1, i)])).collect()]
            }

            fn tridiagonal(mut a: Mat<Self>, threads: usize) -> [Vec<f64>; 2] {
                let (n, par) = (a.nrows(), par(threads));
                let mut reflections = Mat::<Self>::zeros(1, n.saturating_sub(1));
                let need = tridiag::tridiag_in_place_scratch::<Self>(n, par, Default::default());
                let mut memory = MemBuffer::new(need);
                let stack = MemStack::new(&mut memory);
                let out = reflections.as_mut();
                tridiag::tridiag_in_place(a.as_mut(), out, par, stack, Default::default());
                let own = (0..n).map(|i| a[(i, i)].re.wide()).collect();
                [own, (1..n).map(|i| size(a[(i, i - 1)])).collect()]
            }
        }
    )+};
}

diagonal! { f32 f64 }

/// The absolute value of a number whose square is finite.
fn size<T: Number>(x: T) -> f64 {
    T::real_part_impl(&x).wide().hypot(T::imag_part_impl(&x).wide())
}

/// Singular values without vectors; `None` if the iteration does not converge.
fn svdvals<T: Diagonal>(a: &[T], [m, n]: [usize; 2], s: &mut [T::P], threads: usize) -> Option<()> {
    let scale = Scale::by::<T::P>(largest(a))?;
    let mut a = columns(a, m, n, threads);
    scale.divide(&mut a);
    if m < n {
        a = a.transpose().to_owned();
    }
    let ((m, n), par) = (a.shape(), par(threads));
    if 6 * m > 11 * n {
        // A triangle takes fewer reflections.
        reflected(&mut a, par);
        a = Mat::from_fn(n, n, |i, j| if i <= j { a[(i, j)] } else { T::zero_impl() });
    }
    let [diagonal, beside] = T::bidiagonal(a, threads);
    let values = values_only::bidiagonal(&diagonal, &beside)?;
    s.iter_mut().zip(values.iter().rev()).for_each(|(to, &x)| *to = scale.times(T::P::of(x)));
    Some(())
}

/// Eigenvalues without vectors; `None` if the iteration does not converge. The matrix is overwritten.
fn eigvalsh<T: Diagonal>(a: Mat<T>, w: &mut [T::P], scale: Scale, threads: usize) -> Option<()> {
    let [diagonal, beside] = T::tridiagonal(a, threads);
    let values = values_only::tridiagonal(&diagonal, &beside)?;
    w.iter_mut().zip(values).for_each(|(to, x)| *to = scale.times(T::P::of(x)));
    Some(())
}

pub(super) fn eigh<T: Diagonal>(
    a: &[T],
    n: usize,
    w: &mut [T::P],
    vectors: Option<&mut [T]>,
    threads: usize,
) -> i32 {
    // Only the lower triangle is read.
    let below = (0..n).map(|i| &a[i * n..][..=i]);
    let Some(scale) = Scale::of(below) else { return 1 };
    let par = par(threads);
    let lower = || {
        let mut lower = columns(a, n, n, threads);
        real_diagonal(&mut lower);
        scale.divide(&mut lower);
        lower
    };
    if vectors.is_none() && eigvalsh(lower(), w, scale, threads).is_some() {
        return 0;
    }
    let lower = lower();
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
        *to = scale.times(T::real_part_impl(from));
    }
    if let Some(to) = vectors {
        write(to, v.as_ref(), threads);
    }
    0
}

/// A common interface to faer's real and complex eigenvalue functions.
pub(super) trait Eigen: Number {
    /// Eigenvalues into `w`, and vectors in the form of [`Eigen::vectors`].
    fn eigen(
        a: MatRef<'_, Self>,
        w: &mut [Complex<Self::P>],
        v: Option<MatMut<'_, Self>>,
        par: Par,
        stack: &mut MemStack,
    ) -> Result<(), EvdError>;

    /// The Schur form of a small matrix divided by its scale; `None` if the library should compute it.
    fn schur(a: &[Self], n: usize, scale: Scale, vectors: bool) -> Option<Schur>;

    /// Copies vectors into the columns of `to`.
    fn vectors(v: MatRef<'_, Self>, w: &[Complex<Self::P>], to: &mut [Complex<Self::P>]);
}

macro_rules! eigen {
    ($($part:ty)+) => {$(
        impl Eigen for $part {
            fn eigen(
                a: MatRef<'_, Self>,
                w: &mut [Complex<$part>],
                v: Option<MatMut<'_, Self>>,
                par: Par,
                stack: &mut MemStack,
            ) -> Result<(), EvdError> {
                let (mut re, mut im) = (Diag::<$part>::zeros(w.len()), Diag::<$part>::zeros(w.len()));
                evd::evd_real(a, re.as_mut(), im.as_mut(), None, v, par, stack, Default::default())?;
                w.iter_mut().enumerate().for_each(|(j, to)| *to = Complex::new(re[j], im[j]));
                Ok(())
            }

            fn schur(a: &[Self], n: usize, scale: Scale, vectors: bool) -> Option<Schur> {
                if !small::is(n, n) {
                    return None;
                }
                Schur::of(a.iter().map(|x| x.wide() / scale.0).collect(), n, vectors)
            }

            /// The vectors of a pair are stored as real and imaginary parts.
            fn vectors(v: MatRef<'_, Self>, w: &[Complex<$part>], to: &mut [Complex<$part>]) {
                let n = w.len();
                let mut j = 0;
                while j < n {
                    let pair = w[j].im != 0.0;
                    for i in 0..n {
                        let value = Complex::new(v[(i, j)], if pair { v[(i, j + 1)] } else { 0.0 });
                        to[i * n + j] = value;
                        if pair {
                            to[i * n + j + 1] = value.conj();
                        }
                    }
                    j += if pair { 2 } else { 1 };
                }
            }
        }

        impl Eigen for Complex<$part> {
            fn eigen(
                a: MatRef<'_, Self>,
                w: &mut [Self],
                v: Option<MatMut<'_, Self>>,
                par: Par,
                stack: &mut MemStack,
            ) -> Result<(), EvdError> {
                let mut values = Diag::<Self>::zeros(w.len());
                evd::evd_cplx(a, values.as_mut(), None, v, par, stack, Default::default())?;
                w.iter_mut().enumerate().for_each(|(j, to)| *to = values[j]);
                Ok(())
            }

            fn schur(_: &[Self], _: usize, _: Scale, _: bool) -> Option<Schur> {
                None
            }

            fn vectors(v: MatRef<'_, Self>, _: &[Self], to: &mut [Self]) {
                write(to, v, 1);
            }
        }
    )+};
}

eigen! { f32 f64 }

pub(super) fn eig<T: Eigen>(
    a: &[T],
    n: usize,
    w: &mut [Complex<T::P>],
    vectors: Option<&mut [Complex<T::P>]>,
    threads: usize,
) -> i32
where
    Complex<T::P>: Number<P = T::P>,
{
    let Some(scale) = Scale::by::<T::P>(largest(a)) else { return 1 };
    if let Some(schur) = T::schur(a, n, scale, vectors.is_some()) {
        return eig_small(&schur, w, vectors, scale);
    }
    let (mut a, par) = (columns(a, n, n, threads), par(threads));
    scale.divide(&mut a);
    let some = vectors.is_some();
    let [no, yes] = [ComputeEigenvectors::No, ComputeEigenvectors::Yes];
    let wanted = if some { yes } else { no };
    let need = evd::evd_scratch::<T>(n, no, wanted, par, Default::default());
    let mut memory = MemBuffer::new(need);
    let stack = MemStack::new(&mut memory);
    let mut v = Mat::<T>::zeros(n, if some { n } else { 0 });
    if T::eigen(a.as_ref(), w, some.then(|| v.as_mut()), par, stack).is_err() {
        return 1;
    }
    let whole = vectors.is_none_or(|vectors| {
        T::vectors(v.as_ref(), w, vectors);
        (0..n).all(|j| normalize(vectors, j, n))
    });
    w.iter_mut().for_each(|value| *value = scale.times(*value));
    if whole { 0 } else { OVERFLOWED }
}

/// Eigenvalues and vectors from a small matrix's Schur form.
fn eig_small<P: Part>(
    schur: &Schur,
    w: &mut [Complex<P>],
    vectors: Option<&mut [Complex<P>]>,
    scale: Scale,
) -> i32
where
    Complex<P>: Number<P = P>,
{
    let part = |x: Complex<f64>| Complex::new(P::of(x.re), P::of(x.im));
    let n = w.len();
    w.iter_mut().zip(schur.values()).for_each(|(to, &value)| *to = part(value * scale.0));
    let Some(vectors) = vectors else { return 0 };
    for (j, value) in schur.values().iter().enumerate() {
        if value.im < 0.0 {
            // The conjugate of the vector before.
            (0..n).for_each(|i| vectors[i * n + j] = vectors[i * n + j - 1].conj());
            continue;
        }
        let mut vector = schur.vector(j);
        if !normalize::<f64>(&mut vector, 0, 1) {
            return OVERFLOWED;
        }
        vector.iter().enumerate().for_each(|(i, &x)| vectors[i * n + j] = part(x));
    }
    0
}

/// Scales a column to length 1, unless it is zero or not finite: in doubles and relative to its largest part,
/// so that squares are finite.
fn normalize<P: Part>(vectors: &mut [Complex<P>], j: usize, step: usize) -> bool
where
    Complex<P>: Number<P = P>,
{
    let places = || (j..vectors.len()).step_by(step);
    let largest = places().fold(0.0, |most, place| worse(most, vectors[place].largest()));
    if !largest.is_finite() || largest == 0.0 {
        return false;
    }
    let parts = |x: Complex<P>| [x.re.wide() / largest, x.im.wide() / largest];
    let square = |[re, im]: [f64; 2]| re * re + im * im;
    let length = places().map(|place| square(parts(vectors[place]))).sum::<f64>().sqrt();
    for place in places() {
        let [re, im] = parts(vectors[place]);
        vectors[place] = Complex::new(P::of(re / length), P::of(im / length));
    }
    true
}
