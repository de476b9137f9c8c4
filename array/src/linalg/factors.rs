//! Factorizations: LU, Cholesky, QR, singular values, eigenvalues.

use super::task::{extents, factor, inexact, square};
use crate::arguments::{Eye, OneOf, one_of, over};
use crate::array::{Array, try_eye, try_zeros};
use crate::declare::{array_functions, tuple_of};
use crate::elementwise::try_where;
use crate::recording;
use crate::scalar::Scalar;
use ndany_core::backend::{Factoring, Vectors};
use ndany_core::ops::reductions as table;
use ndany_core::shape::Shape;
use ndany_core::{DType, Result};

/// Which half of a Hermitian matrix counts; the other is not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Triangle {
    /// The diagonal and what is below.
    #[default]
    Lower,
    /// The diagonal and what is above.
    Upper,
}

one_of!(Triangle);

/// `a = q · r`.
#[derive(Clone, Debug)]
pub struct Qr {
    /// Columns that are orthogonal and of length 1.
    pub q: Array,
    /// Zero below the diagonal.
    pub r: Array,
}

/// `a = u · diag(s) · vh`.
#[derive(Clone, Debug)]
pub struct Svd {
    /// Left singular vectors, a column each.
    pub u: Array,
    /// Singular values, the largest first, of the dtype of the matrix's parts.
    pub s: Array,
    /// Right singular vectors, conjugated, one row each.
    pub vh: Array,
}

/// Eigenvalues and eigenvectors: what `np.linalg.eig` and `eigh` return.
#[derive(Clone, Debug)]
pub struct Eig {
    /// The eigenvalues, `(…, n)`; those of a Hermitian matrix are real and ascend.
    pub eigenvalues: Array,
    /// The eigenvectors, `(…, n, n)`: those of Hermitian matrices are orthonormal. Column `k` belongs to eigenvalue `k`.
    pub eigenvectors: Array,
}

/// `a[p] = l · u`: what `scipy.linalg.lu` returns with `p_indices=True`.
#[derive(Clone, Debug)]
pub struct Lu {
    /// Row of `a` that each row of `l · u` is, as I64.
    pub p: Array,
    /// Ones on the diagonal, zero above.
    pub l: Array,
    /// Zero below the diagonal.
    pub u: Array,
}

tuple_of! {
    Qr(q, r): (Array, Array);
    Svd(u, s, vh): (Array, Array, Array);
    Eig(eigenvalues, eigenvectors): (Array, Array);
    Lu(p, l, u): (Array, Array, Array);
}

array_functions! {
    mod factors, checked;

    /// Returns the lower Cholesky factor of Hermitian positive definite matrices, as `np.linalg.cholesky`.
    ///
    /// Only the lower triangle is read; `l · lʰ` is the matrix. For `upper=True` take the adjoint. NaN gives NaN in the elements that
    /// depend on it. Waits for the device.
    ///
    /// - **Shapes**: `(…, n, n) → (…, n, n)`.
    /// - **Dtypes**: floats and complex numbers keep theirs; bool and integers give float64.
    /// - **Errors**: matrices that are not square, 16-bit floats (TypeError); a matrix that is not positive definite
    ///   fails the result (LinAlgError, which names the matrix of the batch).
    ///
    /// ```
    /// use ndany::{Array, Device, linalg};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[4.0, 2.0], [2.0, 5.0]]);
    /// assert_eq!(linalg::cholesky(&a).to_vec::<f64>()?, [2.0, 0.0, 1.0, 2.0]);
    /// assert!(linalg::cholesky(-a).eval().is_err());
    /// # Ok::<(), ndany::Error>(())
    /// ```
    cholesky / try_cholesky (self) -> Array {
        const OP: &str = "cholesky";
        let a = inexact(OP, self)?;
        let (_, n) = square(OP, &a)?;
        if n == 0 {
            return Ok(a);
        }
        let mut outcome = factor(OP, Factoring::Cholesky, &[&a], &[&[n, n]])?;
        // A graph that is recorded does not look for NaN beside which there is an answer.
        if recording::is_active() {
            return Ok(outcome.kept(OP, NOT_POSITIVE)?.swap_remove(0));
        }
        if outcome.all_succeeded()? {
            return Ok(outcome.outputs.swap_remove(0));
        }
        let nans = a.try_isnan()?.try_tril(0)?;
        match nans.try_any(..)?.item::<bool>()? {
            true => cholesky_beside_nan(OP, &a, &nans),
            false => Ok(outcome.kept(OP, NOT_POSITIVE)?.swap_remove(0)),
        }
    }


    /// Returns the reduced QR factorization, as `np.linalg.qr`; signs are the device's.
    ///
    /// - **Shapes**: `(…, m, n) → (…, m, k), (…, k, n)` with `k = min(m, n)`.
    /// - **Dtypes**: floats and complex numbers keep theirs; bool and integers give float64.
    /// - **Errors**: fewer than two axes, 16-bit floats (TypeError).
    ///
    /// ```
    /// use ndany::linalg::Qr;
    /// use ndany::{Array, Device, linalg};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[3.0, 1.0], [4.0, 2.0]]);
    /// let Qr { q, r } = linalg::qr(&a);
    /// assert!(q.matmul(&r).allclose(&a, ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    qr / try_qr (self) -> Qr {
        qr(self, false)
    }

    /// Returns the QR factorization with a square `q`, as `np.linalg.qr(mode="complete")`.
    ///
    /// - **Shapes**: `(…, m, n) → (…, m, m), (…, m, n)`.
    /// - **Dtypes**: floats and complex numbers keep theirs; bool and integers give float64.
    /// - **Errors**: fewer than two axes, 16-bit floats (TypeError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(linalg::qr_complete(&ones((3, 1), ..)).q.shape(), [3, 3]);
    /// ```
    qr_complete / try_qr_complete (self) -> Qr {
        qr(self, true)
    }

    /// Returns the `r` of [`qr`](crate::linalg::qr) alone, in less time, as `np.linalg.qr(mode="r")`.
    ///
    /// - **Shapes**: `(…, m, n) → (…, min(m, n), n)`.
    /// - **Dtypes**: floats and complex numbers keep theirs; bool and integers give float64.
    /// - **Errors**: fewer than two axes, 16-bit floats (TypeError).
    ///
    /// ```
    /// use ndany::{Array, Device, linalg};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[3.0, 0.0], [4.0, 5.0], [0.0, 1.0]]);
    /// assert_eq!(linalg::qr_r(&a).shape(), [2, 2]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    qr_r / try_qr_r (self) -> Array {
        const OP: &str = "qr";
        let a = inexact(OP, self)?;
        let (outer, [m, n]) = extents(OP, &a)?;
        let k = m.min(n);
        if k == 0 {
            return empty(&a, outer, &[k, n], a.dtype());
        }
        let mut outputs = factor(OP, Factoring::Qr(Vectors::None), &[&a], &[&[k, n]])?.outputs;
        Ok(outputs.swap_remove(0))
    }

    /// Returns singular values and as many vectors, as `np.linalg.svd(full_matrices=False)`.
    ///
    /// Infinities give NaN. Waits for the device.
    ///
    /// - **Shapes**: `(…, m, n) → (…, m, k), (…, k), (…, k, n)` with `k = min(m, n)`.
    /// - **Dtypes**: floats and complex numbers keep theirs, singular values are real; bool and integers give float64.
    /// - **Errors**: fewer than two axes, 16-bit floats (TypeError); NaN fails the result (LinAlgError).
    ///
    /// ```
    /// use ndany::linalg::Svd;
    /// use ndany::{Array, Device, linalg};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[3.0, 0.0], [0.0, 5.0], [0.0, 0.0]]);
    /// let Svd { u, s, vh } = linalg::svd_thin(&a);
    /// assert_eq!(s.to_vec::<f64>()?, [5.0, 3.0]);
    /// assert!((u * s).matmul(&vh).allclose(&a, ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    svd_thin / try_svd_thin (self) -> Svd {
        svd(self, Vectors::Reduced)
    }

    /// Returns singular values and whole bases of vectors, as `np.linalg.svd`.
    ///
    /// - **Shapes**: `(…, m, n) → (…, m, m), (…, min(m, n)), (…, n, n)`.
    /// - **Dtypes**: floats and complex numbers keep theirs, singular values are real; bool and integers give float64.
    /// - **Errors**: fewer than two axes, 16-bit floats (TypeError); NaN fails the result (LinAlgError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(linalg::svd(&ones((3, 2), ..)).u.shape(), [3, 3]);
    /// ```
    svd / try_svd (self) -> Svd {
        svd(self, Vectors::Full)
    }


    /// Returns the singular values, the largest first, as `np.linalg.svdvals`.
    ///
    /// - **Shapes**: `(…, m, n) → (…, min(m, n))`.
    /// - **Dtypes**: floats keep theirs, complex numbers give the dtype of their parts, bool and integers float64.
    /// - **Errors**: fewer than two axes, 16-bit floats (TypeError); NaN fails the result (LinAlgError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert!(linalg::svdvals(&array([[3.0, 0.0], [0.0, 4.0]])).allclose(&array([4.0, 3.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    svdvals / try_svdvals (self) -> Array {
        const OP: &str = "svdvals";
        let a = inexact(OP, self)?;
        let (outer, [m, n]) = extents(OP, &a)?;
        if m.min(n) == 0 {
            return empty(&a, outer, &[0], a.dtype().part());
        }
        let outcome = factor(OP, Factoring::Svd(Vectors::None), &[&a], &[&[m.min(n)]])?;
        Ok(outcome.checked_or_nan(OP, NOT_CONVERGED, &a)?.swap_remove(0))
    }

    /// Returns ascending eigenvalues and eigenvectors of Hermitian matrices, as `np.linalg.eigh`.
    ///
    /// Only one triangle of each matrix is read. Waits for the device.
    ///
    /// - **Shapes**: `(…, n, n) → (…, n), (…, n, n)`.
    /// - **Dtypes**: floats and complex numbers keep theirs, eigenvalues are real; bool and integers give float64.
    /// - **Errors**: matrices that are not square, 16-bit floats (TypeError).
    ///
    /// ```
    /// use ndany::linalg::Eig;
    /// use ndany::{Array, Device, linalg};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[2.0, 1.0], [1.0, 2.0]]);
    /// let Eig { eigenvalues: values, eigenvectors: vectors } = linalg::eigh(&a, ..);
    /// assert!(values.allclose(&Array::from([1.0, 3.0]), ..)?);
    /// assert!(a.matmul(&vectors).allclose(&(&vectors * &values), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    eigh / try_eigh (self, triangle: impl OneOf<Triangle>) -> Eig {
        const OP: &str = "eigh";
        let a = lower(&inexact(OP, self)?, triangle.or(Triangle::Lower))?;
        let (outer, n) = square(OP, &a)?;
        if n == 0 {
            let values = empty(&a, outer, &[0], a.dtype().part())?;
            return Ok(Eig { eigenvalues: values, eigenvectors: a });
        }
        let outcome = factor(OP, Factoring::Eigh { vectors: true }, &[&a], &[&[n], &[n, n]])?;
        let mut outputs = outcome.checked_or_nan(OP, NOT_CONVERGED, &a.try_tril(0)?)?;
        let vectors = outputs.swap_remove(1);
        Ok(Eig { eigenvalues: outputs.swap_remove(0), eigenvectors: vectors })
    }

    /// Returns the ascending eigenvalues of Hermitian matrices, as `np.linalg.eigvalsh`.
    ///
    /// - **Shapes**: `(…, n, n) → (…, n)`.
    /// - **Dtypes**: floats keep theirs, complex numbers give the dtype of their parts, bool and integers float64.
    /// - **Errors**: matrices that are not square, 16-bit floats (TypeError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let values = linalg::eigvalsh(&array([[2.0, 1.0], [1.0, 2.0]]), ..);
    /// assert!(values.allclose(&array([1.0, 3.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    eigvalsh / try_eigvalsh (self, triangle: impl OneOf<Triangle>) -> Array {
        const OP: &str = "eigvalsh";
        let a = lower(&inexact(OP, self)?, triangle.or(Triangle::Lower))?;
        let (outer, n) = square(OP, &a)?;
        if n == 0 {
            return empty(&a, outer, &[0], a.dtype().part());
        }
        let outcome = factor(OP, Factoring::Eigh { vectors: false }, &[&a], &[&[n]])?;
        Ok(outcome.checked_or_nan(OP, NOT_CONVERGED, &a.try_tril(0)?)?.swap_remove(0))
    }

    /// Returns eigenvalues, in no order, and eigenvectors of square matrices, as `np.linalg.eig`.
    ///
    /// Those of real matrices are real where no eigenvalue has an imaginary part, as in NumPy. Waits for the device.
    ///
    /// - **Shapes**: `(…, n, n) → (…, n), (…, n, n)`.
    /// - **Dtypes**: floats, or complex numbers where an eigenvalue is complex; bool and integers give float64.
    /// - **Errors**: matrices that are not square, 16-bit floats (TypeError), NaN and infinities (LinAlgError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let eig = linalg::eig(&array([[2.0, 0.0], [0.0, 3.0]]));
    /// assert!(eig.eigenvalues.real().sort(0).allclose(&array([2.0, 3.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    eig / try_eig (self) -> Eig {
        const OP: &str = "eig";
        let a = inexact(OP, self)?;
        let (outer, n) = square(OP, &a)?;
        if n == 0 {
            return Ok(Eig { eigenvalues: empty(&a, outer, &[0], a.dtype())?, eigenvectors: a });
        }
        let outcome = factor(OP, Factoring::Eig { vectors: true }, &[&a], &[&[n], &[n, n]])?;
        let mut outputs = outcome.checked(OP, NOT_CONVERGED)?;
        let (vectors, values) = (outputs.swap_remove(1), outputs.swap_remove(0));
        Ok(match are_real(&a, &values)? {
            true => Eig { eigenvalues: values.try_real()?, eigenvectors: vectors.try_real()? },
            false => Eig { eigenvalues: values, eigenvectors: vectors },
        })
    }

    /// Returns the eigenvalues of square matrices, in no order, as `np.linalg.eigvals`.
    ///
    /// - **Shapes**: `(…, n, n) → (…, n)`.
    /// - **Dtypes**: floats, or complex numbers where an eigenvalue is complex; bool and integers give float64.
    /// - **Errors**: matrices that are not square, 16-bit floats (TypeError), NaN and infinities (LinAlgError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let values = linalg::eigvals(&array([[2.0, 0.0], [0.0, 3.0]]));
    /// assert!(values.real().sort(0).allclose(&array([2.0, 3.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    eigvals / try_eigvals (self) -> Array {
        const OP: &str = "eigvals";
        let a = inexact(OP, self)?;
        let (outer, n) = square(OP, &a)?;
        if n == 0 {
            return empty(&a, outer, &[0], a.dtype());
        }
        let outcome = factor(OP, Factoring::Eig { vectors: false }, &[&a], &[&[n]])?;
        let values = outcome.checked(OP, NOT_CONVERGED)?.swap_remove(0);
        if are_real(&a, &values)? { values.try_real() } else { Ok(values) }
    }

    /// Returns the LU factorization with row exchanges, as `scipy.linalg.lu(p_indices=True)`.
    ///
    /// Row `p[i]` of the matrix is row `i` of `l · u`; SciPy's permutation is the inverse of this one.
    ///
    /// - **Shapes**: `(…, m, n) → (…, m), (…, m, k), (…, k, n)` with `k = min(m, n)`.
    /// - **Dtypes**: floats and complex numbers keep theirs; bool and integers give float64; the permutation is int64.
    /// - **Errors**: fewer than two axes, 16-bit floats (TypeError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let lu = linalg::lu(&array([[0.0, 1.0], [2.0, 0.0]]));
    /// assert_eq!(lu.u.to_string(), "[[2. 0.]\n [0. 1.]]");
    /// ```
    lu / try_lu (self) -> Lu {
        const OP: &str = "lu";
        let a = inexact(OP, self)?;
        let (outer, [m, n]) = extents(OP, &a)?;
        let k = m.min(n);
        let _guard = a.device().enter();
        let mut order = crate::array::try_arange((0i64, m as i64, 1i64))?;
        let shape: Shape = outer.iter().copied().chain([m]).collect();
        order = order.try_broadcast_to(shape.as_slice())?;
        if k == 0 {
            return Ok(Lu { p: order, l: empty(&a, outer, &[m, 0], a.dtype())?, u: empty(&a, outer, &[0, n], a.dtype())? });
        }
        let outputs = factor(OP, Factoring::Lu, &[&a], &[&[m, n], &[k]])?.outputs;
        let (lu, pivots) = (&outputs[0], outputs[1].try_astype(DType::I64)?);
        // One exchange after the other, each of all matrices at once.
        let places = crate::array::try_arange((0i64, m as i64, 1i64))?;
        for row in 0..k {
            let row = row as isize;
            let other = pivots.try_i((crate::Ellipsis, row..row + 1))?.try_subtract(1)?;
            let here = order.try_i((crate::Ellipsis, row..row + 1))?;
            let there = order.try_take_along_axis(&other, -1)?;
            let order_with = try_where(&places.try_equal(&other)?, &here, &order)?;
            order = try_where(&places.try_equal(row as i64)?, &there, &order_with)?;
        }
        let l = lu.try_i((crate::Ellipsis, .., ..k as isize))?.try_tril(-1)?;
        let l = l.try_add(&try_eye(Eye::of(m, k, 0, a.dtype()))?)?;
        let u = lu.try_i((crate::Ellipsis, ..k as isize, ..))?.try_triu(0)?;
        Ok(Lu { p: order, l, u })
    }
}

impl Array {
    /// Singular values and vectors of Hermitian matrices, by way of eigenvalues, which is faster. As
    /// `np.linalg.svd(hermitian=True)`.
    #[track_caller]
    pub(crate) fn try_svd_hermitian(&self) -> Result<Svd> {
        let Eig { eigenvalues: values, eigenvectors: vectors } = self.try_eigh(Triangle::Lower)?;
        // The sign of 0 is 1, so that vectors of the kernel keep their length.
        let signs = try_where(values.try_signbit()?, -1.0, 1.0)?.try_astype(values.dtype())?;
        let sizes = values.try_absolute()?;
        let order = sizes.try_argsort(-1)?.try_flip(-1)?;
        let s = sizes.try_take_along_axis(&order, -1)?;
        let signs = signs.try_take_along_axis(&order, -1)?.try_expand_dims(-2)?;
        let order = order.try_expand_dims(-2)?.try_broadcast_to(vectors.shape())?;
        let u = vectors.try_take_along_axis(&order, -1)?;
        let vh = adjoint(&u.try_multiply(&signs)?)?;
        Ok(Svd { u, s, vh })
    }
}

impl Array {
    /// The upper factor: `uʰ · u` is the matrix, of which only the upper triangle is read. As
    /// `np.linalg.cholesky(upper=True)`.
    #[track_caller]
    #[cfg(feature = "call")]
    pub(crate) fn try_cholesky_upper(&self) -> Result<Array> {
        adjoint(&adjoint(self)?.try_cholesky()?)
    }
}

const NOT_POSITIVE: &str = "is not positive definite";

/// Cholesky factors of matrices of which some have NaN in the lower triangle, at `nans`. Devices take a pivot of NaN for
/// one that is not positive; LAPACK goes on, and so NumPy returns NaN where an element depends on one: in the first row
/// with a NaN from there on, and in each row below from its own first NaN on, at the latest from the column of that first
/// row's pivot on. What stands in front of these is the factor of the leading rows and the solution of a system with it.
#[track_caller]
fn cholesky_beside_nan(op: &'static str, a: &Array, nans: &Array) -> Result<Array> {
    let (_, n) = square(op, a)?;
    let _guard = a.device().enter();
    let below = nans.try_any(-1)?.try_cummax(-1)?;
    let (rows, columns) = (below.try_expand_dims(-1)?, below.try_expand_dims(-2)?);
    let outside = rows.try_logical_or(&columns)?;
    let leading = try_where(&outside, try_eye(Eye::of(n, n, 0, a.dtype()))?, a)?;
    let leading = factor(op, Factoring::Cholesky, &[&leading], &[&[n, n]])?;
    let leading = leading.checked(op, NOT_POSITIVE)?.swap_remove(0);
    let spoiled = nans.try_cummax(-1)?.try_logical_or(&columns)?;
    let known = rows.try_logical_and(spoiled.try_logical_not()?)?;
    let right = try_where(&known, a, Scalar::typed(a.dtype(), 0))?;
    let solved = adjoint(&leading.try_solve(&adjoint(&right)?)?)?;
    // A pivot has no imaginary part.
    let pivot = Scalar::typed(a.dtype(), f64::NAN);
    let lost = match a.dtype().is_complex() {
        true => Scalar::typed(a.dtype(), Scalar::weak_complex(f64::NAN, f64::NAN)),
        false => pivot,
    };
    let lost = try_where(&try_eye(Eye::of(n, n, 0, DType::Bool))?, pivot, lost)?;
    let rest = try_where(&known, solved, lost)?;
    try_where(&rows, rest, leading)?.try_tril(0)
}

pub(super) const NOT_CONVERGED: &str = "did not converge: are there NaN or infinities in it?";

/// The conjugated transpose.
pub(super) fn adjoint(array: &Array) -> Result<Array> {
    let turned = array.try_swapaxes(-1, -2)?;
    if turned.dtype().is_complex() { turned.try_conjugate() } else { Ok(turned) }
}

fn lower(array: &Array, triangle: Triangle) -> Result<Array> {
    match triangle {
        Triangle::Upper if array.ndim() >= 2 => adjoint(array),
        Triangle::Lower | Triangle::Upper => Ok(array.clone()),
    }
}

pub(super) fn empty(like: &Array, outer: &[usize], tail: &[usize], dtype: DType) -> Result<Array> {
    let _guard = like.device().enter();
    let shape: Shape = outer.iter().chain(tail).copied().collect();
    try_zeros(shape.as_slice(), dtype)
}

/// Whether all eigenvalues of a real matrix are real. Waits for the device.
fn are_real(matrix: &Array, values: &Array) -> Result<bool> {
    if matrix.dtype().is_complex() {
        return Ok(false);
    }
    values.try_imag()?.try_equal(0)?.reduce(&table::ALL, over(..))?.item::<bool>()
}

fn qr(array: &Array, complete: bool) -> Result<Qr> {
    const OP: &str = "qr";
    let a = inexact(OP, array)?;
    let (outer, [m, n]) = extents(OP, &a)?;
    let inner = if complete { m } else { m.min(n) };
    if m.min(n) == 0 {
        let _guard = a.device().enter();
        let shape: Shape = outer.iter().copied().chain([m, inner]).collect();
        let q = try_eye(Eye::of(m, inner, 0, a.dtype()))?.try_broadcast_to(shape.as_slice())?;
        return Ok(Qr { q, r: empty(&a, outer, &[inner, n], a.dtype())? });
    }
    let tails: [&[usize]; 2] = [&[m, inner], &[inner, n]];
    let vectors = if complete { Vectors::Full } else { Vectors::Reduced };
    let mut outputs = factor(OP, Factoring::Qr(vectors), &[&a], &tails)?.outputs;
    let r = outputs.swap_remove(1);
    Ok(Qr { q: outputs.swap_remove(0), r })
}

fn svd(array: &Array, vectors: Vectors) -> Result<Svd> {
    const OP: &str = "svd";
    let a = inexact(OP, array)?;
    let (outer, [m, n]) = extents(OP, &a)?;
    let k = m.min(n);
    let [left, right] = if vectors == Vectors::Full { [m, n] } else { [k, k] };
    if k == 0 {
        let _guard = a.device().enter();
        let eye = |rows: usize, columns: usize| {
            let shape: Shape = outer.iter().copied().chain([rows, columns]).collect();
            try_eye(Eye::of(rows, columns, 0, a.dtype()))?.try_broadcast_to(shape.as_slice())
        };
        let s = empty(&a, outer, &[0], a.dtype().part())?;
        return Ok(Svd { u: eye(m, left)?, s, vh: eye(right, n)? });
    }
    let tails: [&[usize]; 3] = [&[m, left], &[k], &[right, n]];
    let mut outputs = factor(OP, Factoring::Svd(vectors), &[&a], &tails)?.checked_or_nan(
        OP,
        NOT_CONVERGED,
        &a,
    )?;
    let vh = outputs.swap_remove(2);
    let s = outputs.swap_remove(1);
    Ok(Svd { u: outputs.swap_remove(0), s, vh })
}
