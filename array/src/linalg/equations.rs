//! Systems of equations: solutions, inverses, least squares.

use std::ops::RangeFull;

use super::factors::{NOT_CONVERGED, Svd, adjoint, empty};
use super::task::{factor, inexact, square};
use crate::Ellipsis;
use crate::arguments::over;
use crate::array::squares;
use crate::array::{Array, try_concatenate, try_ones};
use crate::declare::array_functions;
use crate::elementwise::try_where;
use ndany_core::backend::Factoring;
use ndany_core::ops::reductions as table;
use ndany_core::shape::{self, Shape, axis_index, size_of};
use ndany_core::{DType, Error, Result};

/// Which singular values count as zero: what NumPy takes as `tol`, `rtol` or `rcond`, and `hermitian`. `..` is the
/// default; a number by itself is NumPy's argument in this place: the part of the largest below which one counts as zero
/// (`rcond`), but for `matrix_rank` the value itself (`tol`).
#[derive(Clone, Debug, Default)]
pub struct Cutoff {
    pub(super) relative: Option<Array>,
    pub(super) absolute: Option<Array>,
    pub(super) number: Option<f64>,
    pub(super) hermitian: bool,
}

impl Cutoff {
    /// Starts the options of [`pinv`](fn@crate::linalg::pinv) and [`lstsq`](fn@crate::linalg::lstsq) with NumPy's defaults.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(linalg::matrix_rank(&eye(2), linalg::Cutoff::new()).item::<i64>()?, 2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn new() -> Self {
        Cutoff::default()
    }

    /// Sets the part of the largest singular value below which one counts as zero, as `rtol` of `np.linalg.pinv`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = array([[1.0, 0.0], [0.0, 1e-3]]);
    /// assert_eq!(linalg::matrix_rank(&a, linalg::Cutoff::new().rtol(&Array::scalar(0.1))).item::<i64>()?, 1);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn rtol(mut self, part: &Array) -> Self {
        self.relative = Some(part.clone());
        self
    }

    /// Sets the singular value below which one counts as zero, as `tol` of `np.linalg.matrix_rank`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = array([[1.0, 0.0], [0.0, 1e-3]]);
    /// assert_eq!(linalg::matrix_rank(&a, linalg::Cutoff::new().atol(&Array::scalar(0.1))).item::<i64>()?, 1);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn atol(mut self, value: &Array) -> Self {
        self.absolute = Some(value.clone());
        self
    }

    /// Takes the matrices as Hermitian, which is faster, as `hermitian=True` of `np.linalg.pinv`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(linalg::matrix_rank(&eye(2), linalg::Cutoff::new().hermitian()).item::<i64>()?, 2);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn hermitian(mut self) -> Self {
        self.hermitian = true;
        self
    }

    /// The values up to which singular values count as zero, with an axis for them. `s` has the largest first.
    pub(super) fn of(&self, s: &Array, default: f64) -> Result<Array> {
        if let Some(absolute) = &self.absolute {
            return absolute.try_expand_dims(-1);
        }
        let largest = s.reduce(&table::MAX, over(-1).keepdims().initial(0))?;
        match (&self.relative, self.number) {
            (Some(relative), _) => largest.try_multiply(relative.try_expand_dims(-1)?),
            (None, part) => largest.try_multiply(part.unwrap_or(default)),
        }
    }
}

impl From<RangeFull> for Cutoff {
    fn from(_: RangeFull) -> Self {
        Self::default()
    }
}
impl From<f64> for Cutoff {
    fn from(number: f64) -> Self {
        Self { number: Some(number), ..Self::default() }
    }
}

/// The solution of a system in the sense of least squares.
#[derive(Clone, Debug)]
pub struct Lstsq {
    /// What makes `|b - a · x|` least; of several the shortest.
    pub x: Array,
    /// Sums of squared differences, one for each column of `b`; none where the rank is not the number of columns, or there
    /// are no more rows than columns.
    pub residuals: Array,
    /// How many singular values count.
    pub rank: usize,
    /// Singular values of `a`, the largest first.
    pub s: Array,
}

array_functions! {
    mod equations, checked;

    /// Solves `a · x = b` for square matrices, as `np.linalg.solve`.
    ///
    /// The result is a vector where `b` has one axis, otherwise a matrix whose columns are solutions. Waits for the device.
    ///
    /// - **Shapes**: `(…, n, n), (n,) → (…, n)`, `(…, n, n), (…, n, k) → (…, n, k)`, batches broadcast.
    /// - **Dtypes**: floats and complex numbers promote; bool and integers give float64.
    /// - **Errors**: matrices that are not square, extents that differ, 16-bit floats (TypeError); a singular matrix
    ///   fails the result (LinAlgError, which names the matrix of the batch).
    ///
    /// ```
    /// use ndany::{Array, Device, linalg};
    /// # let _guard = Device::open("reference")?.enter();
    /// let a = Array::from([[2.0, 0.0], [0.0, 4.0]]);
    /// assert_eq!(linalg::solve(&a, &Array::from([2.0, 2.0])).to_vec::<f64>()?, [1.0, 0.5]);
    /// let error = linalg::solve(&a - &a, &a).eval().unwrap_err();
    /// assert_eq!(error.class(), "LinAlgError");
    /// assert!(error.to_string().starts_with("[solve] the matrix is singular"));
    /// # Ok::<(), ndany::Error>(())
    /// ```
    solve / try_solve (self, b: &Array) -> Array {
        solution("solve", self, b)
    }

    /// Inverts square matrices, as `np.linalg.inv`; waits for the device.
    ///
    /// - **Shapes**: `(…, n, n) → (…, n, n)`.
    /// - **Dtypes**: floats and complex numbers keep theirs; bool and integers give float64.
    /// - **Errors**: matrices that are not square, 16-bit floats (TypeError), a singular matrix fails the result (LinAlgError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(linalg::inv(&array([[2.0, 0.0], [0.0, 4.0]])).to_string(), "[[0.5  0.  ]\n [0.   0.25]]");
    /// ```
    inv / try_inv (self) -> Array {
        inv("inv", self)?.kept("inv", SINGULAR).map(|mut outputs| outputs.swap_remove(0))
    }

    /// Returns the Moore–Penrose pseudo-inverse by singular values, as `np.linalg.pinv`.
    ///
    /// Singular values up to a part of the largest, by default 1e-15, count as zero.
    ///
    /// - **Shapes**: `(…, m, n) → (…, n, m)`.
    /// - **Dtypes**: floats and complex numbers keep theirs; bool and integers give float64.
    /// - **Errors**: fewer than two axes, 16-bit floats (TypeError); NaN fails the result (LinAlgError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let inverse = linalg::pinv(&array([[2.0, 0.0], [0.0, 4.0]]), ..);
    /// assert!(inverse.allclose(&array([[0.5, 0.0], [0.0, 0.25]]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pinv / try_pinv (self, cutoff: impl Into<Cutoff>) -> Array {
        const OP: &str = "pinv";
        let (a, cutoff) = (inexact(OP, self)?, cutoff.into());
        if a.ndim() < 2 {
            return Err(Error::Matrix { op: OP, expected: "at least two axes", got: a.shape().into() });
        }
        let (outer, [m, n]) = super::task::extents(OP, &a)?;
        if m * n == 0 {
            // NumPy keeps the dtype of these.
            return empty(&a, outer, &[n, m], self.dtype());
        }
        let Svd { u, s, vh } = if cutoff.hermitian { a.try_svd_hermitian()? } else { a.try_svd_thin()? };
        let counts = s.try_greater(cutoff.of(&s, 1e-15)?)?;
        let inverted = try_where(&counts, &s.try_reciprocal()?, 0)?;
        let scaled = adjoint(&u)?.try_multiply(inverted.try_expand_dims(-1)?)?;
        adjoint(&vh)?.try_matmul(&scaled)
    }

    /// Solves `a · x = b` by least squares for one matrix, as `np.linalg.lstsq`; waits for the device.
    ///
    /// Singular values up to `cutoff` of the largest count as zero, by default the roundoff times the larger extent.
    ///
    /// - **Shapes**: `(m, n), (m,) → (n,)`, `(m, n), (m, k) → (n, k)`, with residuals, rank and singular values.
    /// - **Dtypes**: floats and complex numbers promote; bool and integers give float64.
    /// - **Errors**: an `a` that is no matrix, extents that differ, 16-bit floats (TypeError); NaN fails the result (LinAlgError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let line = linalg::lstsq(&array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]), &array([1.0, 3.0, 5.0]), ..);
    /// assert!(line.x.allclose(&array([2.0, 1.0]), ..)?);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    lstsq / try_lstsq (self, b: &Array, cutoff: impl Into<Cutoff>) -> Lstsq {
        least_squares(self, b, &cutoff.into())
    }

    /// Solves `tensordot(a, x, x.ndim()) = b`, as `np.linalg.tensorsolve`.
    ///
    /// `a` has the axes of `b` and then those of `x`; `axes` of `a` are moved to the end first. Waits for the device.
    ///
    /// - **Shapes**: `(b…, x…), (b…) → (x…)`.
    /// - **Dtypes**: floats and complex numbers promote; bool and integers give float64.
    /// - **Errors**: axes of `a` that do not make a square matrix, an axis out of range, a singular matrix fails the result (LinAlgError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(linalg::tensorsolve(&eye(2), &array([3.0, 4.0]), &[]).to_string(), "[3. 4.]");
    /// ```
    tensorsolve / try_tensorsolve (self, b: &Array, axes: &[isize]) -> Array {
        const OP: &str = "tensorsolve";
        let mut a = self.clone();
        if !axes.is_empty() {
            let mut order: Vec<usize> = (0..a.ndim()).collect();
            for &axis in axes {
                let axis = axis_index(OP, axis, a.ndim())?;
                order.retain(|&other| other != axis);
                order.push(axis);
            }
            let order: Vec<isize> = order.iter().map(|&axis| axis as isize).collect();
            a = a.try_transpose(order.as_slice())?;
        }
        let sought = a.shape()[b.ndim().min(a.ndim())..].to_vec();
        let size = size_of(&sought);
        if a.size() != size * size {
            return Err(Error::Matrix {
                op: OP,
                expected: "as many elements in the first axes as in the last",
                got: a.shape().into(),
            });
        }
        let matrix = a.try_reshape([size as isize, size as isize])?;
        let x = solution(OP, &matrix, &b.try_ravel()?)?;
        x.try_reshape(Shape::from_slice(&sought).as_slice())
    }

    /// Inverts an array for `tensordot(·, ·, first)`, as `np.linalg.tensorinv`.
    ///
    /// The first axes are the rows of a matrix, the others its columns. Waits for the device.
    ///
    /// - **Shapes**: `(a…, b…) → (b…, a…)`.
    /// - **Dtypes**: floats and complex numbers keep theirs; bool and integers give float64.
    /// - **Errors**: no axis among the rows, axes that do not make a square matrix, a singular matrix fails the result (LinAlgError).
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(linalg::tensorinv(&(eye(2) * 2), 1).to_string(), "[[0.5 0. ]\n [0.  0.5]]");
    /// ```
    tensorinv / try_tensorinv (self, first: usize) -> Array {
        const OP: &str = "tensorinv";
        if first == 0 {
            let reason = "at least one axis must be of the rows".to_string();
            return Err(Error::ArgumentValue { op: OP.to_string(), reason });
        }
        let (rows, columns) = self.shape().split_at(first.min(self.ndim()));
        let matrix = self.try_reshape([size_of(rows) as isize, size_of(columns) as isize])?;
        let inverse = inv(OP, &matrix)?.kept(OP, SINGULAR)?.swap_remove(0);
        let shape: Shape = columns.iter().chain(rows).copied().collect();
        inverse.try_reshape(shape.as_slice())
    }
}

const SINGULAR: &str = "is singular";

/// Both arrays in the dtype of both.
fn alike(op: &'static str, a: &Array, b: &Array) -> Result<[Array; 2]> {
    let (a, b) = (inexact(op, a)?, inexact(op, b)?);
    if a.device() != b.device() {
        let (left, right) = (a.device().name(), b.device().name());
        return Err(Error::TwoDevices { op, left, right });
    }
    let dtype = DType::promote(a.dtype(), b.dtype());
    Ok([a.try_astype(dtype)?, b.try_astype(dtype)?])
}

/// The solution of a system, which holds the error where a matrix is singular.
#[track_caller]
fn solution(op: &'static str, a: &Array, b: &Array) -> Result<Array> {
    let (x, failure) = solve(op, a, b)?;
    Ok(match failure {
        None => x,
        Some(error) => x.with_error(op, error),
    })
}

#[track_caller]
fn solve(op: &'static str, a: &Array, b: &Array) -> Result<(Array, Option<Error>)> {
    let [a, b] = alike(op, a, b)?;
    let (outer, n) = square(op, &a)?;
    let vector = b.ndim() == 1;
    let b = if vector { b.try_expand_dims(-1)? } else { b };
    let [after @ .., rows, right] = b.shape() else {
        return Err(Error::Shape {
            op,
            expected: "a vector or matrices".into(),
            got: b.shape().into(),
        });
    };
    if *rows != n {
        let expected = format!("a right side of {n} rows");
        return Err(Error::Shape { op, expected, got: b.shape().into() });
    }
    let (right, batch) = (*right, shape::broadcast(op, outer, after)?);
    let full = |rows: usize, columns: usize| -> Shape {
        batch.iter().copied().chain([rows, columns]).collect()
    };
    let (failure, x) = if n == 0 || right == 0 {
        // There is nothing to solve, but a singular matrix is an error all the same.
        let failure = match n {
            0 => None,
            _ => factor(op, Factoring::Pivots, &[&a], &[&[n], &[n]])?.failure(op, SINGULAR)?,
        };
        (failure, empty(&a, &batch, &[n, right], a.dtype())?)
    } else {
        let a = a.try_broadcast_to(full(n, n).as_slice())?;
        let shared = b.size() == n * right;
        let b = match shared {
            true => b.try_reshape([n as isize, right as isize])?,
            false => b.try_broadcast_to(full(n, right).as_slice())?,
        };
        let task = Factoring::Solve { right, shared };
        let mut outcome = factor(op, task, &[&a, &b], &[&[n, right]])?;
        (outcome.failure(op, SINGULAR)?, outcome.outputs.swap_remove(0))
    };
    let x = if vector { x.try_squeeze(-1)? } else { x };
    Ok((x, failure))
}

/// The inverses and what became of them.
#[track_caller]
pub(super) fn inv(op: &'static str, array: &Array) -> Result<super::task::Outcome> {
    let a = inexact(op, array)?;
    let (_, n) = square(op, &a)?;
    if n == 0 {
        return super::task::Outcome::empty(&a);
    }
    factor(op, Factoring::Inverse, &[&a], &[&[n, n]])
}

fn least_squares(a: &Array, b: &Array, cutoff: &Cutoff) -> Result<Lstsq> {
    const OP: &str = "lstsq";
    // A negative part is NumPy's old way to ask for the roundoff alone.
    let roundoff = Cutoff::from(f64::EPSILON);
    let cutoff = if cutoff.number.is_some_and(|part| part < 0.0) { &roundoff } else { cutoff };
    let [a, b] = alike(OP, a, b)?;
    let vector = b.ndim() == 1;
    let b = if vector { b.try_expand_dims(-1)? } else { b };
    let ([m, n], [rows, right]) = match (a.shape(), b.shape()) {
        (&[m, n], &[rows, right]) => ([m, n], [rows, right]),
        (&[_, _], got) => {
            return Err(Error::Matrix {
                op: OP,
                expected: "a vector or a matrix",
                got: got.into(),
            });
        }
        (got, _) => return Err(Error::Matrix { op: OP, expected: "a matrix", got: got.into() }),
    };
    if rows != m {
        return Err(Error::Matrix {
            op: OP,
            expected: "as many rows on both sides",
            got: b.shape().into(),
        });
    }
    let part = a.dtype().part();
    let roundoff = if part == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let cutoff = |s: &Array| cutoff.of(s, roundoff * m.max(n) as f64);
    let Solved { x, rank, s } = match is_tall([m, n], right) {
        true => by_triangle(&a, &b, cutoff)?,
        false => by_values(&a, &b, cutoff)?,
    };
    let residuals = match rank == n && m > n {
        true => squares(&b.try_subtract(a.try_matmul(&x)?)?)?.reduce(&table::SUM, over(0))?,
        false => empty(&a, &[], &[0], part)?,
    };
    let solution = if vector { x.try_i((Ellipsis, 0))? } else { x };
    Ok(Lstsq { x: solution, residuals, rank, s })
}

/// A solution of least squares, the rank and the singular values of its matrix.
struct Solved {
    x: Array,
    rank: usize,
    s: Array,
}

/// How many singular values count, and which.
#[track_caller]
fn rank_of(s: &Array, cutoff: impl Fn(&Array) -> Result<Array>) -> Result<(usize, Array)> {
    let counts = s.try_greater(cutoff(s)?)?;
    let rank = counts.reduce(&table::SUM, over(..))?.item::<i64>()?;
    // Values of what is not finite are none.
    if (rank as usize) < s.size() && s.try_isnan()?.reduce(&table::ANY, over(..))?.item::<bool>()? {
        return Err(Error::Factorization {
            op: "lstsq",
            reason: NOT_CONVERGED,
            matrix: Vec::new(),
        });
    }
    Ok((usize::try_from(rank).unwrap_or(0), counts))
}

/// By the pseudo-inverse.
#[track_caller]
fn by_values(a: &Array, b: &Array, cutoff: impl Fn(&Array) -> Result<Array>) -> Result<Solved> {
    let (n, right) = (a.shape()[1], b.shape()[1]);
    let Svd { u, s, vh } = a.try_svd_thin()?;
    let (rank, counts) = rank_of(&s, cutoff)?;
    let inverted = try_where(&counts, &s.try_reciprocal()?, 0)?.try_expand_dims(-1)?;
    let x = match a.size() {
        0 => empty(a, &[], &[n, right], a.dtype())?,
        _ => adjoint(&vh)?.try_matmul(&adjoint(&u)?.try_matmul(b)?.try_multiply(&inverted)?)?,
    };
    Ok(Solved { x, rank, s })
}

/// Whether a QR comes first: the matrix has many more rows than columns, and few right sides.
fn is_tall([m, n]: [usize; 2], right: usize) -> bool {
    n > 0 && right > 0 && m >= 2 * n && 4 * right <= n
}

/// By as many equations as unknowns: `r` of the matrix with the right side beside it, as LAPACK's `gelsd` begins. Where all
/// singular values count, nothing else is asked of them.
#[track_caller]
fn by_triangle(a: &Array, b: &Array, cutoff: impl Fn(&Array) -> Result<Array>) -> Result<Solved> {
    let _guard = a.device().enter();
    let (n, part) = (a.shape()[1], a.dtype().part());
    // A value that is not finite affects its own column only.
    let finite = b.try_isfinite()?.reduce(&table::ALL, over(0).keepdims())?;
    let b = try_where(&finite, b, 0)?.try_astype(a.dtype())?;
    // One QR has one scale: each right side is brought to the matrix's, in two steps, each of which is a number.
    let exponent = |largest: Array| largest.try_frexp().map(|(_, exponent)| exponent);
    let of_a = exponent(a.try_absolute()?.reduce(&table::MAX, over(..))?)?;
    let of_b = exponent(b.try_absolute()?.reduce(&table::MAX, over(0).keepdims())?)?;
    let most = if part == DType::F32 { 250 } else { 2000 };
    let apart = of_a.try_subtract(of_b)?.try_clip(-most, most)?;
    let half = apart.try_right_shift(1)?;
    let one = try_ones((), part)?;
    let scales = [one.try_ldexp(&half)?, one.try_ldexp(apart.try_subtract(&half)?)?];
    let b = b.try_multiply(&scales[0])?.try_multiply(&scales[1])?;
    let all = try_concatenate(&[a, &b], 1)?.try_qr_r()?;
    let end = n as isize;
    let (r, b) = (all.try_i(crate::s![..end, ..end])?, all.try_i(crate::s![..end, end..])?);
    let s = r.try_svdvals()?;
    let (rank, _) = rank_of(&s, &cutoff)?;
    let solved = match rank == n {
        true => match solve("lstsq", &r, &b)? {
            (x, None) => Solved { x, rank, s },
            // A zero on the diagonal, and a cutoff that counts what is left of it.
            (_, Some(_)) => by_values(&r, &b, cutoff)?,
        },
        false => by_values(&r, &b, cutoff)?,
    };
    let x = solved.x.try_divide(&scales[0])?.try_divide(&scales[1])?;
    let x = try_where(&finite, x, f64::NAN)?.try_astype(a.dtype())?;
    Ok(Solved { x, ..solved })
}

impl From<f32> for Cutoff {
    fn from(number: f32) -> Self {
        f64::from(number).into()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, linalg};

    /// `np.linalg.lstsq(a, b, rcond=-1)`: the roundoff alone makes a singular value count as zero.
    #[test]
    fn a_negative_cutoff_is_the_roundoff() {
        let (a, b) = (Array::from([[1.0, 0.0], [0.0, 3e-16]]), Array::from([1.0, 1.0]));
        assert_eq!(linalg::lstsq(&a, &b, -1.0).rank, 2);
        assert_eq!(linalg::lstsq(&a, &b, ..).rank, 1);
    }
}
