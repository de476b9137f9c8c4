//! Factorizations: by a vendor's library on its device where there is one (cuDSS), else by faer on one thread of the host.
//!
//! A library chooses pivots within blocks of the array, and replaces those that are too small. So its factors are used where they have no
//! such pivot, and where a trial leaves a residual as small as partial pivoting does; else the host factorizes. There fill is reduced by
//! columns (COLAMD), and rows are pivoted.

use std::fmt;
use std::sync::{Arc, OnceLock};

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::lu::{LuRef, LuSymbolicParams, NumericLu, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Spec};
use ndany_array::extend::{CheckedRows, SparseFactor};
use ndany_array::{Array, DType, Device, Element, Error, Generator, Result};
use num_complex::Complex;

use super::{LinearOperator, truth};
use crate::Sparse;
use crate::support::positions;

/// The largest backward error of a trial by which factors of a library are used, in roundings: how far the array and the right side must
/// at least be changed for the solution to be exact, relative to their sizes (Rigal and Gaches 1967). Partial pivoting leaves a few.
const MOST_ERROR: f64 = 1000.0;

/// `A = Pᵣ L U P꜀` of a sparse array, as `scipy.sparse.linalg.SuperLU`. Clones share the factors.
#[derive(Clone)]
pub struct Lu {
    factors: Arc<Factors>,
    n: usize,
    dtype: DType,
}

/// Where the factors are.
enum Factors {
    Host(HostFactors),
    Device(DeviceFactors),
}

/// Factors of a library. The array is kept for systems that it refuses, which are solved on the host.
struct DeviceFactors {
    own: SparseFactor,
    a: Sparse,
    on_host: OnceLock<HostFactors>,
}

/// What a factorization on the host keeps.
struct HostFactors {
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
        write!(f, "Lu({n} by {n}, {dtype})", n = self.n, dtype = self.dtype)
    }
}

/// Factorizes a sparse array, as `scipy.sparse.linalg.splu` and `factorized`: [`Lu::solve`] then solves with it, again and again.
///
/// On a device with a vendor's library for it (cuDSS) the library factorizes it there, unless it had to replace a pivot or a trial has too
/// large a residual. Elsewhere, and then, the array is copied to the host, and factorized there on one thread. Both in float64 or
/// complex128.
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
    let [m, n] = a.shape();
    if m != n || n == 0 {
        let expected = "a square array with elements".to_string();
        return Err(Error::Shape { op: OP, expected, got: [m, n][..].into() });
    }
    match DeviceFactors::new(a)? {
        Some(factors) => Ok(Lu::of(a, Factors::Device(factors))),
        None => Ok(Lu::of(a, Factors::Host(HostFactors::new(OP, a)?))),
    }
}

/// Solves `A x = b` by a factorization, as `scipy.sparse.linalg.spsolve`; where, says [`splu`].
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

/// What is expected of an array that is factorized by the analysis of another.
const OTHER_PLACES: &str = "expected the places of the array that was analyzed";

/// Compressed columns on the host.
struct Columns {
    n: usize,
    indptr: Vec<usize>,
    indices: Vec<usize>,
    values: Array,
}

impl Columns {
    /// Of a square array.
    #[track_caller]
    fn of(a: &Sparse) -> Result<Self> {
        let own = a.to_csc().sum_duplicates();
        let (indptr, indices) = (positions(&own.indptr())?, positions(&own.indices())?);
        Ok(Self { n: a.shape()[0], indptr, indices, values: own.data() })
    }

    #[track_caller]
    fn factorize(self, op: &'static str, symbolic: Arc<SymbolicLu<usize>>) -> Result<HostFactors> {
        let numeric = match self.values.dtype().is_complex() {
            true => Numeric::Complex(self.numeric(op, &symbolic, DType::C128)?),
            false => Numeric::Real(self.numeric(op, &symbolic, DType::F64)?),
        };
        let Self { n, indptr, indices, values } = self;
        let factors = HostFactors { n, indptr, indices, symbolic, numeric };
        // A factor with a zero pivot has no finite solution.
        let probe = {
            let _guard = values.device().enter();
            factors.solve(&ndany_array::ones(n, DType::F64), false)?
        };
        match truth(&probe.isfinite().all(..))? {
            true => Ok(factors),
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

impl HostFactors {
    #[track_caller]
    fn new(op: &'static str, a: &Sparse) -> Result<Self> {
        let columns = Columns::of(a)?;
        let (indptr, indices) = (&columns.indptr, &columns.indices);
        let pattern =
            SymbolicSparseColMatRef::new_checked(columns.n, columns.n, indptr, None, indices);
        let symbolic =
            faer::sparse::linalg::lu::factorize_symbolic_lu(pattern, LuSymbolicParams::default());
        let symbolic = symbolic.map_err(|error| failed(op, &format!("{error:?}")))?;
        columns.factorize(op, Arc::new(symbolic))
    }

    /// The factors of an array of the same places.
    #[track_caller]
    fn refactor(&self, op: &'static str, a: &Sparse) -> Result<Self> {
        let columns = Columns::of(a)?;
        if columns.indptr != self.indptr || columns.indices != self.indices {
            return Err(failed(op, OTHER_PLACES));
        }
        columns.factorize(op, self.symbolic.clone())
    }

    /// Solves a system whose shape was checked.
    #[track_caller]
    fn solve(&self, b: &Array, adjoint: bool) -> Result<Array> {
        let columns = if b.ndim() == 2 { b.shape()[1] } else { 1 };
        let real = |factor: &NumericLu<usize, f64>, b: &Array| {
            self.on_host(factor, b, columns, DType::F64, adjoint)
        };
        match &self.numeric {
            Numeric::Complex(factor) => self.on_host(factor, b, columns, DType::C128, adjoint),
            Numeric::Real(factor) if b.dtype().is_complex() => {
                // The parts of complex sides are sides of their own.
                let [re, im] = parts(b);
                Ok(whole([real(factor, &re)?, real(factor, &im)?]))
            }
            Numeric::Real(factor) => real(factor, b),
        }
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
        let n = self.n;
        // Columns lie together.
        let sides = b.reshape((n, columns)).t();
        let mut values: Vec<T> = sides.astype(dtype).ravel().to_vec()?;
        let symbolic = &self.symbolic;
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

impl DeviceFactors {
    /// Of a square array; nothing where its device has no library, or where the library's factors are not good enough.
    #[track_caller]
    fn new(a: &Sparse) -> Result<Option<Self>> {
        if !SparseFactor::is_there(a.device())? {
            return Ok(None);
        }
        let dtype = if a.dtype().is_complex() { DType::C128 } else { DType::F64 };
        let a = a.to_csr().sum_duplicates().astype(dtype);
        or_on_host(|| {
            let indptr = a.indptr();
            indptr.eval()?;
            let rows = CheckedRows::new(a.shape(), &indptr, &a.indices())?;
            match SparseFactor::new(rows, &a.data())? {
                Some(own) => Self::tried(own, a.clone()),
                None => Ok(None),
            }
        })
    }

    /// The factors, if a trial by them is good.
    #[track_caller]
    fn tried(own: SparseFactor, a: Sparse) -> Result<Option<Self>> {
        let _guard = a.device().enter();
        let dtype = a.dtype();
        let b = Generator::new(1).uniform(-1.0, 1.0, a.shape()[0]).astype(dtype);
        let Some(x) = own.solve(&b.reshape((1, -1)), false)? else { return Ok(None) };
        let x = x.ravel();
        let largest = |x: &Array| x.abs().max(..);
        let sums = a.with_data(a.data().abs()).sum(1);
        let size = largest(&sums) * largest(&x) + largest(&b);
        let error = largest(&(a.matmul(&x) - &b)) / size;
        let good = truth(&error.less_equal(MOST_ERROR * f64::EPSILON))?;
        Ok(good.then(|| Self { own, a, on_host: OnceLock::new() }))
    }

    /// The factors of an array of the same places, by the library or on the host.
    #[track_caller]
    fn refactor(&self, op: &'static str, a: &Sparse) -> Result<Factors> {
        let own = a.to_csr().sum_duplicates();
        let places = [[own.indptr(), self.a.indptr()], [own.indices(), self.a.indices()]];
        for [new, analyzed] in places {
            let new = new.to_device(analyzed.device())?;
            if new.shape() != analyzed.shape() || !truth(&new.equal(analyzed).all(..))? {
                return Err(failed(op, OTHER_PLACES));
            }
        }
        // The library has the places of one dtype on one device.
        let knows =
            a.device() == self.a.device() && a.dtype().is_complex() == self.a.dtype().is_complex();
        let made = if knows {
            let own = own.astype(self.a.dtype());
            or_on_host(|| Self::tried(self.own.with_values(&own.data())?, own.clone()))?
        } else {
            Self::new(a)?
        };
        match (made, self.on_host.get()) {
            (Some(made), _) => Ok(Factors::Device(made)),
            (None, Some(analyzed)) => Ok(Factors::Host(analyzed.refactor(op, a)?)),
            (None, None) => Ok(Factors::Host(HostFactors::new(op, a)?)),
        }
    }

    /// Solves a system whose shape was checked.
    #[track_caller]
    fn solve(&self, b: &Array, adjoint: bool) -> Result<Array> {
        let (home, device) = (b.device(), self.a.device());
        let _guard = device.enter();
        let (n, columns) = (self.a.shape()[0], if b.ndim() == 2 { b.shape()[1] } else { 1 });
        let own = b.to_device(device)?;
        let solved = |b: &Array| {
            let sides = b.astype(self.a.dtype()).reshape((n, columns)).t();
            self.own.solve(&sides, adjoint).map(|x| x.map(|x| x.t().reshape(b.shape())))
        };
        let split = own.dtype().is_complex() && !self.a.dtype().is_complex();
        let x = if split {
            let [re, im] = parts(&own);
            solved(&re)?.zip(solved(&im)?).map(|(re, im)| whole([re, im]))
        } else {
            solved(&own)?
        };
        match x {
            Some(x) => x.to_device(home),
            None => self.on_host()?.solve(b, adjoint),
        }
    }

    /// The factors on the host, which are made when they are first needed.
    #[track_caller]
    fn on_host(&self) -> Result<&HostFactors> {
        match self.on_host.get() {
            Some(made) => Ok(made),
            None => {
                let made = HostFactors::new("solve", &self.a)?;
                Ok(self.on_host.get_or_init(|| made))
            }
        }
    }
}

/// What a library made; nothing where its factors, of which those with a fixed order of sums are large, do not fit the device's memory.
fn or_on_host<T>(make: impl FnOnce() -> Result<Option<T>>) -> Result<Option<T>> {
    match make() {
        Err(Error::OutOfMemory { .. }) => Ok(None),
        made => made,
    }
}

/// The real and the imaginary parts.
#[track_caller]
fn parts(b: &Array) -> [Array; 2] {
    let wide = b.astype(DType::C128);
    [wide.real(), wide.imag()]
}

/// The complex numbers of these parts.
#[track_caller]
fn whole([re, im]: [Array; 2]) -> Array {
    let re = re.astype(DType::C128);
    let i = super::scalar(&re, 0.0) + Complex::new(0.0, 1.0);
    re + i * im
}

impl Lu {
    fn of(a: &Sparse, factors: Factors) -> Self {
        let dtype = DType::promote(a.dtype().to_inexact(), DType::F32);
        Self { factors: Arc::new(factors), n: a.shape()[0], dtype }
    }

    /// Returns the number of rows and columns, as `shape` of SciPy's `SuperLU`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// assert_eq!(sparse::linalg::splu(&sparse::eye_array(3))?.shape(), [3, 3]);
    /// # Ok::<(), ndany::Error>(())
    /// ```
    pub fn shape(&self) -> [usize; 2] {
        [self.n; 2]
    }

    /// Factorizes another array of the same places with the analysis of this one.
    ///
    /// A vendor's library has the factors of one of them at a time: of those that share an analysis the others are factorized again when
    /// they solve.
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
        if a.shape() != self.shape() {
            return Err(failed(OP, OTHER_PLACES));
        }
        let factors = match &*self.factors {
            Factors::Host(own) => Factors::Host(own.refactor(OP, a)?),
            Factors::Device(own) => own.refactor(OP, a)?,
        };
        Ok(Lu::of(a, factors))
    }

    /// Solves `A x = b`, as `solve` of SciPy's `SuperLU`, where the factors are; `x` is on the device of `b`.
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
        let n = self.n;
        if !(1..=2).contains(&b.ndim()) || b.shape()[0] != n {
            let expected = format!("a vector or a matrix of {n} rows");
            return Err(Error::Shape { op: "solve", expected, got: b.shape().into() });
        }
        let dtype = DType::promote(DType::promote(self.dtype, b.dtype()), DType::F32);
        let x = match &*self.factors {
            Factors::Host(own) => own.solve(b, adjoint)?,
            Factors::Device(own) => own.solve(b, adjoint)?,
        };
        Ok(x.astype(dtype))
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
