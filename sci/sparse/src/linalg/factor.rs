//! Factorizations by faer on one thread of the host: fill is reduced by columns (COLAMD), and rows are pivoted.

use std::fmt;
use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::lu::{LuRef, LuSymbolicParams, NumericLu, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Spec};
use ndany_array::{Array, DType, Device, Element, Error, Result};
use num_complex::Complex;

use super::{LinearOperator, truth};
use crate::Sparse;
use crate::support::positions;

/// `A = Pᵣ L U P꜀` of a sparse array, as `scipy.sparse.linalg.SuperLU`; the factors are on the host. Clones share them.
#[derive(Clone)]
pub struct Lu {
    factors: Arc<Factors>,
    dtype: DType,
}

/// What a factorization keeps.
struct Factors {
    n: usize,
    /// The structure that was analyzed.
    indptr: Vec<usize>,
    indices: Vec<usize>,
    symbolic: Arc<SymbolicLu<usize>>,
    numeric: Numeric,
}

enum Numeric {
    Real(NumericLu<usize, f64>),
    Complex(NumericLu<usize, Complex<f64>>),
}

impl fmt::Debug for Lu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.factors.n;
        write!(f, "Lu({n} by {n}, {})", self.dtype)
    }
}

/// Factorizes a sparse array, as `scipy.sparse.linalg.splu` and `factorized`: [`Lu::solve`] then solves with it, again and again.
///
/// The array is copied to the host, and factorized there in float64 or complex128, on one thread.
///
/// - **Dtypes**: any; [`Lu::solve`] returns floats and complex numbers.
/// - **Errors**: an array that is not square, a singular one, no memory.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[0.0, 2.0], [4.0, 1.0]]), ..);
/// let lu = sparse::linalg::splu(&a)?;
/// assert_eq!(lu.solve(&array([2.0, 5.0]))?.to_string(), "[1. 1.]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn splu(a: &Sparse) -> Result<Lu> {
    const OP: &str = "splu";
    let columns = Columns::of(OP, a)?;
    let (indptr, indices) = (&columns.indptr, &columns.indices);
    let pattern = SymbolicSparseColMatRef::new_checked(columns.n, columns.n, indptr, None, indices);
    let symbolic =
        faer::sparse::linalg::lu::factorize_symbolic_lu(pattern, LuSymbolicParams::default());
    let symbolic = symbolic.map_err(|error| failed(OP, &format!("{error:?}")))?;
    columns.factorize(OP, a, Arc::new(symbolic))
}

/// Solves `A x = b` by a factorization, as `scipy.sparse.linalg.spsolve`; on the host, as [`splu`].
///
/// - **Shapes**: `(n, n), (n,) → (n,)`, `(n, n), (n, k) → (n, k)`.
/// - **Dtypes**: floats and complex numbers; integers are computed in float64.
/// - **Errors**: other shapes, a singular array.
///
/// ```
/// use ndany::prelude::*;
/// let a = sparse::csr_array(&array([[2.0, 0.0], [1.0, 4.0]]), ..);
/// assert_eq!(sparse::linalg::spsolve(&a, &array([2.0, 9.0]))?.to_string(), "[1. 2.]");
/// # Ok::<(), ndany::Error>(())
/// ```
#[track_caller]
pub fn spsolve(a: &Sparse, b: &Array) -> Result<Array> {
    splu(a)?.solve(b)
}

fn failed(op: &'static str, reason: &str) -> Error {
    Error::ArgumentValue {
        op: op.to_string(),
        reason: format!("the factorization failed: {reason}"),
    }
}

fn singular(op: &'static str, n: usize) -> Error {
    Error::Matrix { op, expected: "a matrix that is not singular", got: [n, n][..].into() }
}

/// Compressed columns on the host.
struct Columns {
    n: usize,
    indptr: Vec<usize>,
    indices: Vec<usize>,
    values: Array,
}

impl Columns {
    #[track_caller]
    fn of(op: &'static str, a: &Sparse) -> Result<Self> {
        let [m, n] = a.shape();
        if m != n || n == 0 {
            let expected = "a square array with elements".to_string();
            return Err(Error::Shape { op, expected, got: [m, n][..].into() });
        }
        let own = a.to_csc().sum_duplicates();
        let (indptr, indices) = (positions(&own.indptr())?, positions(&own.indices())?);
        Ok(Self { n, indptr, indices, values: own.data() })
    }

    #[track_caller]
    fn factorize(
        self,
        op: &'static str,
        a: &Sparse,
        symbolic: Arc<SymbolicLu<usize>>,
    ) -> Result<Lu> {
        let dtype = DType::promote(a.dtype().to_inexact(), DType::F32);
        let numeric = match dtype.is_complex() {
            true => Numeric::Complex(self.numeric(op, &symbolic, DType::C128)?),
            false => Numeric::Real(self.numeric(op, &symbolic, DType::F64)?),
        };
        let Self { n, indptr, indices, values } = self;
        let factors = Arc::new(Factors { n, indptr, indices, symbolic, numeric });
        let lu = Lu { factors, dtype };
        // A factor with a zero pivot has no finite solution.
        let probe = {
            let _guard = values.device().enter();
            lu.solve(&ndany_array::ones(n, dtype))?
        };
        match truth(&probe.isfinite().all(..))? {
            true => Ok(lu),
            false => Err(singular(op, n)),
        }
    }

    fn numeric<T: faer::traits::ComplexField + Element>(
        &self,
        op: &'static str,
        symbolic: &SymbolicLu<usize>,
        dtype: DType,
    ) -> Result<NumericLu<usize, T>> {
        let values: Vec<T> = self.values.astype(dtype).to_vec()?;
        let n = self.n;
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &self.indptr, None, &self.indices);
        let matrix = SparseColMatRef::new(pattern, &values);
        let scratch = symbolic.factorize_numeric_lu_scratch::<T>(Par::Seq, Spec::default());
        let memory = MemBuffer::try_new(scratch);
        let mut memory = memory.map_err(|_| failed(op, "no memory"))?;
        let mut numeric = NumericLu::new();
        let stack = MemStack::new(&mut memory);
        match symbolic.factorize_numeric_lu(&mut numeric, matrix, Par::Seq, stack, Spec::default())
        {
            Ok(_) => {}
            Err(faer::sparse::linalg::LuError::SymbolicSingular { .. }) => {
                return Err(singular(op, n));
            }
            Err(error) => return Err(failed(op, &format!("{error:?}"))),
        }
        Ok(numeric)
    }
}

impl Lu {
    /// Returns the number of rows and columns, as `shape` of SciPy's `SuperLU`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::linalg::splu(&sparse::eye_array(3))?.shape(), [3, 3]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn shape(&self) -> [usize; 2] {
        [self.factors.n; 2]
    }

    /// Factorizes another array of the same places with the analysis of this one.
    ///
    /// - **Dtypes**: as [`splu`].
    /// - **Errors**: other places, and as [`splu`].
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[0.0, 2.0], [4.0, 1.0]]), ..);
    /// let lu = sparse::linalg::splu(&a)?.refactor(&(&a * 2.0))?;
    /// assert_eq!(lu.solve(&array([4.0, 10.0]))?.to_string(), "[1. 1.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn refactor(&self, a: &Sparse) -> Result<Lu> {
        const OP: &str = "refactor";
        let columns = Columns::of(OP, a)?;
        if columns.indptr != self.factors.indptr || columns.indices != self.factors.indices {
            return Err(failed(OP, "expected the places of the array that was analyzed"));
        }
        columns.factorize(OP, a, self.factors.symbolic.clone())
    }

    /// Solves `A x = b`, as `solve` of SciPy's `SuperLU`; `b` is copied to the host, and `x` to the device of `b`.
    ///
    /// - **Shapes**: `(n,) → (n,)`, `(n, k) → (n, k)`.
    /// - **Dtypes**: the one to which `b` and the array promote, a float or complex one.
    /// - **Errors**: another shape.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let lu = sparse::linalg::splu(&(sparse::eye_array(2) * 2.0))?;
    /// assert_eq!(lu.solve(&array([[2.0, 4.0], [6.0, 8.0]]))?.to_string(), "[[1. 2.]\n [3. 4.]]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn solve(&self, b: &Array) -> Result<Array> {
        self.solved(b, false)
    }

    /// Solves `Aᴴ x = b`, as `solve(b, "H")` of SciPy's `SuperLU`.
    ///
    /// - **Shapes**: as [`Lu::solve`].
    /// - **Dtypes**: as [`Lu::solve`].
    /// - **Errors**: as [`Lu::solve`].
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let a = sparse::csr_array(&array([[1.0, 2.0], [0.0, 1.0]]), ..);
    /// assert_eq!(sparse::linalg::splu(&a)?.solve_adjoint(&array([1.0, 3.0]))?.to_string(), "[1. 1.]");
    /// # Ok::<(), ndany::Error>(())
    /// ```
    #[track_caller]
    pub fn solve_adjoint(&self, b: &Array) -> Result<Array> {
        self.solved(b, true)
    }

    #[track_caller]
    fn solved(&self, b: &Array, adjoint: bool) -> Result<Array> {
        let n = self.factors.n;
        if !(1..=2).contains(&b.ndim()) || b.shape()[0] != n {
            let expected = format!("a vector or a matrix of {n} rows");
            return Err(Error::Shape { op: "solve", expected, got: b.shape().into() });
        }
        let dtype = DType::promote(DType::promote(self.dtype, b.dtype()), DType::F32);
        let columns = if b.ndim() == 2 { b.shape()[1] } else { 1 };
        let real = |factor: &NumericLu<usize, f64>, b: &Array| {
            self.on_host(factor, b, columns, DType::F64, adjoint)
        };
        let x = match &self.factors.numeric {
            Numeric::Complex(factor) => self.on_host(factor, b, columns, DType::C128, adjoint)?,
            Numeric::Real(factor) if b.dtype().is_complex() => {
                // The parts of complex sides are sides of their own.
                let wide = b.astype(DType::C128);
                let [re, im] = [real(factor, &wide.real())?, real(factor, &wide.imag())?];
                let i = super::scalar(&wide, 0.0) + Complex::new(0.0, 1.0);
                re.astype(DType::C128) + i * im
            }
            Numeric::Real(factor) => real(factor, b)?,
        };
        Ok(x.astype(dtype))
    }

    #[track_caller]
    fn on_host<T: faer::traits::ComplexField + Element>(
        &self,
        factor: &NumericLu<usize, T>,
        b: &Array,
        columns: usize,
        dtype: DType,
        adjoint: bool,
    ) -> Result<Array> {
        let n = self.factors.n;
        // Columns lie together.
        let sides = b.reshape((n, columns)).t();
        let mut values: Vec<T> = sides.astype(dtype).ravel().to_vec()?;
        let symbolic = &self.factors.symbolic;
        let scratch = match adjoint {
            true => symbolic.solve_transpose_in_place_scratch::<T>(columns, Par::Seq),
            false => symbolic.solve_in_place_scratch::<T>(columns, Par::Seq),
        };
        let mut memory = MemBuffer::try_new(scratch).map_err(|_| failed("solve", "no memory"))?;
        let stack = MemStack::new(&mut memory);
        let lu = LuRef::new_unchecked(symbolic, factor);
        let sides = MatMut::from_column_major_slice_mut(&mut values, n, columns);
        match adjoint {
            true => lu.solve_transpose_in_place_with_conj(Conj::Yes, sides, Par::Seq, stack),
            false => lu.solve_in_place_with_conj(Conj::No, sides, Par::Seq, stack),
        }
        let device: &Device = b.device();
        let _guard = device.enter();
        let x = Array::from(values.as_slice()).reshape((columns, n)).t();
        Ok(x.reshape(b.shape()))
    }
}

impl From<&Lu> for LinearOperator {
    /// The inverse, as a preconditioner or as the solver of [`Spectrum::sigma`](super::Spectrum::sigma).
    fn from(lu: &Lu) -> Self {
        let (first, second) = (lu.clone(), lu.clone());
        let solved = |x: Result<Array>| ndany_array::extend::expect(x);
        LinearOperator::new(lu.shape(), lu.dtype, move |x| solved(first.solve(x)))
            .rmatvec(move |x| solved(second.solve_adjoint(x)))
    }
}
