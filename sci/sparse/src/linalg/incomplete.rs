//! Preconditioners: the diagonal, and factorizations that leave out entries. They are made on the host, row by row, and applied on
//! the device.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ndany_array::{Array, DType, Element, Error, Result};
use num_complex::ComplexFloat;

use super::triangle::{Levels, Triangle};
use super::{LinearOperator, truth};
use crate::Sparse;
use crate::support::positions;

/// `L U` that is nearly a sparse array. It is a [`LinearOperator`] that solves, a preconditioner.
#[derive(Clone)]
pub struct Incomplete {
    triangles: Arc<[Triangle; 2]>,
    n: usize,
    dtype: DType,
    entries: usize,
}

impl fmt::Debug for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Incomplete({} by {}, {} entries of {})",
            self.n, self.n, self.entries, self.dtype
        )
    }
}

impl Incomplete {
    /// Solves `L U x = b`, as `solve` of SciPy's `SuperLU`, on the device.
    ///
    /// - **Shapes**: `(n,) → (n,)`, `(n, k) → (n, k)`.
    /// - **Dtypes**: the one to which `b` and the factors promote.
    /// - **Errors**: another shape, what fails on the device.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let inverse = sparse::linalg::spilu(&(sparse::eye_array(2) * 2.0), ..)?;
    /// assert_eq!(inverse.solve(&array([2.0, 4.0]))?.to_string(), "[1. 2.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn solve(&self, b: &Array) -> Result<Array> {
        let n = self.n;
        if !(1..=2).contains(&b.ndim()) || b.shape()[0] != n {
            let expected = format!("a vector or a matrix of {n} rows");
            return Err(Error::Shape { op: "solve", expected, got: b.shape().into() });
        }
        let [lower, upper] = &*self.triangles;
        upper.solve(&lower.solve(b)?)
    }

    /// Returns the number of entries of both factors, as `nnz` of SciPy's `SuperLU`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::linalg::spilu(&sparse::eye_array(3), ..)?.nnz(), 6);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn nnz(&self) -> usize {
        self.entries
    }
}

impl From<&Incomplete> for LinearOperator {
    fn from(factors: &Incomplete) -> Self {
        let own = factors.clone();
        let solve = move |x: &Array| ndany_array::extend::expect(own.solve(x));
        LinearOperator::new([factors.n; 2], factors.dtype, solve)
    }
}

/// Which entries an incomplete factorization keeps: `..` for SciPy's limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drop {
    /// Those at the places of the array, ILU(0).
    Fill,
    /// Those of at least `tol` times the norm of their row, and at most `fill` times as many as the array has.
    Small {
        /// SciPy's `drop_tol`.
        tol: f64,
        /// SciPy's `fill_factor`.
        fill: f64,
    },
}

impl From<std::ops::RangeFull> for Drop {
    fn from(_: std::ops::RangeFull) -> Self {
        Drop::Small { tol: 1e-4, fill: 10.0 }
    }
}

/// Factorizes nearly, as `scipy.sparse.linalg.spilu`; `Drop::Fill` is ILU(0).
///
/// Rows keep their order (Saad 1994); SciPy's pivots and permutes. It is made on the host in float64 or complex128, and
/// [`Incomplete::solve`] runs on the device, level by level.
///
/// - **Dtypes**: any; factors are floats or complex numbers.
/// - **Errors**: an array that is not square, a zero pivot, with its row.
///
/// ```
/// use ndany::prelude::*;
/// use ndany::sparse::linalg::{Drop, Iteration, gmres, spilu};
/// let a = sparse::csr_array(&array([[4.0, 1.0], [2.0, 3.0]]), ..);
/// let inverse = spilu(&a, Drop::Fill)?;
/// let found = gmres(&a, &array([1.0, 2.0]), Iteration::new().preconditioner(&inverse))?;
/// assert_eq!((format!("{:.4}", found.x), found.iterations), ("[0.1 0.6]".into(), 1));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn spilu(a: &Sparse, drop: impl Into<Drop>) -> Result<Incomplete> {
    let (rows, dtype) = Rows::of("spilu", a)?;
    match dtype.is_complex() {
        true => rows.ilu::<num_complex::Complex<f64>>(dtype, drop.into()),
        false => rows.ilu::<f64>(dtype, drop.into()),
    }
}

/// Factorizes a Hermitian positive definite array at its own places, `L Lᴴ`, IC(0). Its lower triangle is read.
///
/// It is made on the host in float64 or complex128, and [`Incomplete::solve`] runs on the device, level by level.
///
/// - **Dtypes**: any; factors are floats or complex numbers.
/// - **Errors**: an array that is not square, a pivot that is not positive, with its row.
///
/// ```
/// use ndany::prelude::*;
/// use ndany::sparse::linalg::{Iteration, cg, ic0};
/// let a = sparse::csr_array(&array([[4.0, 1.0], [1.0, 3.0]]), ..);
/// let found = cg(&a, &array([1.0, 2.0]), Iteration::new().preconditioner(&ic0(&a)?))?;
/// assert_eq!((format!("{:.4}", found.x), found.iterations), ("[0.0909 0.6364]".into(), 1));
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn ic0(a: &Sparse) -> Result<Incomplete> {
    let (rows, dtype) = Rows::of("ic0", a)?;
    match dtype.is_complex() {
        true => rows.ic::<num_complex::Complex<f64>>(dtype),
        false => rows.ic::<f64>(dtype),
    }
}

/// Makes the inverse of the diagonal, Jacobi's preconditioner.
///
/// - **Dtypes**: that of the array, at least float32.
/// - **Errors**: an array that is not square, a zero on the diagonal.
///
/// ```
/// use ndany::prelude::*;
/// use ndany::sparse::linalg::{Operator, jacobi};
/// let a = sparse::csr_array(&array([[2.0, 1.0], [0.0, 4.0]]), ..);
/// assert_eq!(jacobi(&a)?.matvec(&array([2.0, 2.0])).to_string(), "[1.  0.5]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn jacobi(a: &Sparse) -> Result<LinearOperator> {
    const OP: &str = "jacobi";
    let shape @ [m, n] = a.shape();
    if m != n {
        let expected = "a square array".to_string();
        return Err(Error::Shape { op: OP, expected, got: shape[..].into() });
    }
    let dtype = DType::promote(a.dtype().to_inexact(), DType::F32);
    let diagonal = a.diagonal(0).astype(dtype);
    if truth(&diagonal.equal(0).any(..))? {
        let expected = "no zero on the diagonal";
        return Err(Error::Matrix { op: OP, expected, got: shape[..].into() });
    }
    let inverse = diagonal.reciprocal();
    super::run(&[&inverse])?;
    let adjoint = inverse.conj();
    Ok(LinearOperator::new(shape, dtype, move |x| x * &inverse).rmatvec(move |x| x * &adjoint))
}

/// Compressed rows with sorted columns on the host, but for the values.
struct Rows {
    op: &'static str,
    n: usize,
    indptr: Vec<usize>,
    indices: Vec<usize>,
    values: Array,
}

/// A factor: its rows without the diagonal, by column.
type Factor<T> = Vec<Vec<(usize, T)>>;

impl Rows {
    #[track_caller]
    fn of(op: &'static str, a: &Sparse) -> Result<(Self, DType)> {
        let shape @ [m, n] = a.shape();
        if m != n {
            let expected = "a square array".to_string();
            return Err(Error::Shape { op, expected, got: shape[..].into() });
        }
        let own = a.to_csr().sum_duplicates();
        let (indptr, indices) = (positions(&own.indptr())?, positions(&own.indices())?);
        let dtype = DType::promote(a.dtype().to_inexact(), DType::F32);
        Ok((Self { op, n, indptr, indices, values: own.data() }, dtype))
    }

    /// Columns and values of a row.
    fn row<'a, T: Copy>(
        &'a self,
        values: &'a [T],
        row: usize,
    ) -> impl Iterator<Item = (usize, T)> + 'a {
        let own = self.indptr[row]..self.indptr[row + 1];
        own.map(|p| (self.indices[p], values[p]))
    }

    fn pivot<T>(&self, row: usize, expected: &str) -> Result<T> {
        let reason = format!("the pivot of row {row} is not {expected}");
        Err(Error::ArgumentValue { op: self.op.to_string(), reason })
    }

    /// The factors on the device; `pivots` are those of the upper and of the lower one.
    fn factored<T: Element>(
        &self,
        dtype: DType,
        factors: [(Factor<T>, Option<&[T]>); 2],
    ) -> Result<Incomplete> {
        let _guard = self.values.device().enter();
        let mut entries = 2 * self.n;
        let sent = |values: Vec<T>| Array::from(values).astype(dtype);
        let mut triangle = |(rows, pivots): (Factor<T>, Option<&[T]>), is_upper: bool| {
            let mut indptr = vec![0];
            let (mut indices, mut data) = (Vec::new(), Vec::new());
            for row in &rows {
                indices.extend(row.iter().map(|&(column, _)| column));
                data.extend(row.iter().map(|&(_, value)| value));
                indptr.push(indices.len());
            }
            entries += data.len();
            let levels = Levels::of(&indptr, &indices, is_upper);
            let pivots = pivots.map(|pivots| sent(levels.rows(pivots)));
            let data = sent(levels.entries(&data));
            Triangle::of(levels, data, pivots)
        };
        let [lower, upper] = factors;
        let triangles = Arc::new([triangle(lower, false)?, triangle(upper, true)?]);
        Ok(Incomplete { triangles, n: self.n, dtype, entries })
    }

    /// Eliminates row by row (Saad 2003, algorithms 10.4 and 10.6).
    fn ilu<T: ComplexFloat<Real = f64> + Element>(
        &self,
        dtype: DType,
        drop: Drop,
    ) -> Result<Incomplete> {
        let wide = if dtype.is_complex() { DType::C128 } else { DType::F64 };
        let values: Vec<T> = self.values.astype(wide).to_vec()?;
        let (mut lower, mut upper) = (Factor::<T>::new(), Factor::<T>::new());
        let mut pivots: Vec<T> = Vec::with_capacity(self.n);
        for i in 0..self.n {
            let mut row: BTreeMap<usize, T> = self.row(&values, i).collect();
            let size = row.values().map(|value| value.abs().powi(2)).sum::<f64>().sqrt();
            let (least, most) = match drop {
                Drop::Fill => (0.0, usize::MAX),
                Drop::Small { tol, fill } => {
                    (tol * size, (fill * row.len().max(1) as f64 / 2.0).ceil() as usize)
                }
            };
            let mut own = Vec::new();
            while let Some((&k, _)) = row.range(..i).next() {
                let Some(value) = row.remove(&k) else { break };
                let factor = value / pivots[k];
                if drop != Drop::Fill && (factor * pivots[k]).abs() < least {
                    continue;
                }
                for &(column, value) in &upper[k] {
                    match row.get_mut(&column) {
                        Some(place) => *place = *place - factor * value,
                        None if drop == Drop::Fill => {}
                        None => {
                            row.insert(column, -(factor * value));
                        }
                    }
                }
                own.push((k, factor));
            }
            let pivot = row.remove(&i).unwrap_or_else(T::zero);
            if pivot == T::zero() || !pivot.abs().is_finite() {
                return self.pivot(i, "a finite number that is not zero");
            }
            let rest = row.into_iter().filter(|(_, value)| value.abs() >= least).collect();
            lower.push(largest(own, most));
            upper.push(largest(rest, most));
            pivots.push(pivot);
        }
        self.factored(dtype, [(lower, None), (upper, Some(&pivots))])
    }

    /// Cholesky's factor at the places of the lower triangle, row by row.
    fn ic<T: ComplexFloat<Real = f64> + Element>(&self, dtype: DType) -> Result<Incomplete> {
        let wide = if dtype.is_complex() { DType::C128 } else { DType::F64 };
        let values: Vec<T> = self.values.astype(wide).to_vec()?;
        let mut lower = Factor::<T>::new();
        let mut pivots: Vec<T> = Vec::with_capacity(self.n);
        for i in 0..self.n {
            let mut own: Vec<(usize, T)> = Vec::new();
            let mut diagonal = T::zero();
            for (j, value) in self.row(&values, i).filter(|&(column, _)| column <= i) {
                if j == i {
                    diagonal = value;
                    continue;
                }
                let value = (value - inner(&own, &lower[j])) / pivots[j].conj();
                own.push((j, value));
            }
            let square =
                diagonal.re() - own.iter().map(|(_, value)| value.abs().powi(2)).sum::<f64>();
            if !(square > 0.0 && square.is_finite()) {
                return self.pivot(i, "positive");
            }
            let Some(pivot) = T::from(square.sqrt()) else { return self.pivot(i, "positive") };
            lower.push(own);
            pivots.push(pivot);
        }
        let mut upper: Factor<T> = vec![Vec::new(); self.n];
        for (row, own) in lower.iter().enumerate() {
            own.iter().for_each(|&(column, value)| upper[column].push((row, value.conj())));
        }
        self.factored(dtype, [(lower, Some(&pivots)), (upper, Some(&pivots))])
    }
}

/// `Σ x conj(y)` over the columns of both.
fn inner<T: ComplexFloat>(x: &[(usize, T)], y: &[(usize, T)]) -> T {
    let (mut sum, mut rest) = (T::zero(), y);
    for &(column, value) in x {
        let skipped = rest.partition_point(|&(other, _)| other < column);
        rest = &rest[skipped..];
        if let Some(&(_, other)) = rest.first().filter(|(other, _)| *other == column) {
            sum = sum + value * other.conj();
        }
    }
    sum
}

/// The largest of a row, by column; of equal ones the first.
fn largest<T: ComplexFloat<Real = f64>>(mut row: Vec<(usize, T)>, most: usize) -> Vec<(usize, T)> {
    if row.len() > most {
        row.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        row.truncate(most);
        row.sort_by_key(|&(column, _)| column);
    }
    row
}
