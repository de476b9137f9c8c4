//! Solvers of linear equations by iteration, and norms, as `scipy.sparse.linalg`.
//!
//! The scalars of an iteration stay on the device. An iteration that has converged is frozen there by a selection, and the host
//! looks at every eighth step: the result is that of the step at which the residual was small enough.

mod bicg;
mod bicgstab;
mod cg;
mod cgs;
mod eigs;
mod eigsh;
mod expm;
mod expm_multiply;
mod factor;
mod gcrotmk;
mod gmres;
mod incomplete;
mod inv;
mod laplacian_nd;
mod lobpcg;
mod lsmr;
mod lsqr;
mod minres;
mod norm;
mod onenormest;
mod operator;
mod qmr;
mod schur;
mod small;
mod tfqmr;
mod triangle;
mod triangular;

use ndany_array::extend::{Ahead, expect, guess};
use ndany_array::{Array, DType, Error, Result, where_, zeros};

use crate::Sparse;

pub use bicg::bicg;
pub use bicgstab::bicgstab;
pub use cg::cg;
pub use cgs::cgs;
pub use eigs::eigs;
pub use eigsh::{Spectrum, Which, eigsh, svds};
pub use expm::expm;
pub use expm_multiply::expm_multiply;
pub use factor::{Lu, splu, spsolve};
pub use gcrotmk::gcrotmk;
pub use gmres::{gmres, lgmres};
pub use incomplete::{Drop, Incomplete, ic0, jacobi, spilu};
pub use inv::inv;
pub use laplacian_nd::{Boundary, LaplacianNd};
pub use lobpcg::lobpcg;
pub use lsmr::lsmr;
pub use lsqr::lsqr;
pub use minres::minres;
pub use norm::{Norm, norm, spbandwidth};
pub use onenormest::onenormest;
pub use operator::{LinearOperator, Operator, aslinearoperator};
pub use qmr::qmr;
pub use tfqmr::tfqmr;
pub use triangular::{Triangular, spsolve_triangular};

/// Steps between two looks of the host.
const LOOK: usize = 8;

/// What a solver has found.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The solution.
    pub x: Array,
    /// Steps that were taken until it was found.
    pub iterations: usize,
    /// The norm of the residual at the end, as the iteration knows it.
    pub residual: f64,
    /// Whether the residual is within the tolerance.
    pub converged: bool,
}

/// Options of solvers: `..` for SciPy's defaults, or `Iteration::new()` with others.
///
/// ```
/// use ndany::prelude::*;
/// use ndany::sparse::linalg::{Iteration, cg};
/// let a = sparse::diags_array([&array([2.0, 4.0])], [0i64], ..).to_csr();
/// let found = cg(&a, &array([2.0, 8.0]), Iteration::new().rtol(1e-12).maxiter(10))?;
/// assert_eq!((found.x.to_string(), found.iterations), ("[1. 2.]".into(), 2));
/// # Ok::<(), ndany::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Iteration {
    rtol: f64,
    atol: f64,
    maxiter: Option<usize>,
    restart: usize,
    x0: Option<Array>,
    preconditioner: Option<LinearOperator>,
}

impl Default for Iteration {
    fn default() -> Self {
        Self { rtol: 1e-5, atol: 0.0, maxiter: None, restart: 20, x0: None, preconditioner: None }
    }
}

impl From<std::ops::RangeFull> for Iteration {
    fn from(_: std::ops::RangeFull) -> Self {
        Self::default()
    }
}

impl Iteration {
    /// Starts options with SciPy's defaults.
    ///
    /// ```
    /// let _ = ndany::sparse::linalg::Iteration::new().rtol(1e-8);
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the tolerance relative to the norm of the right side, 1e-5 by default.
    ///
    /// ```
    /// let _ = ndany::sparse::linalg::Iteration::new().rtol(1e-8);
    /// ```
    pub fn rtol(mut self, rtol: f64) -> Self {
        self.rtol = rtol;
        self
    }

    /// Sets the absolute tolerance, 0 by default.
    ///
    /// ```
    /// let _ = ndany::sparse::linalg::Iteration::new().atol(1e-8);
    /// ```
    pub fn atol(mut self, atol: f64) -> Self {
        self.atol = atol;
        self
    }

    /// Sets the largest number of steps, ten times the unknowns by default.
    ///
    /// ```
    /// let _ = ndany::sparse::linalg::Iteration::new().maxiter(100);
    /// ```
    pub fn maxiter(mut self, maxiter: usize) -> Self {
        self.maxiter = Some(maxiter);
        self
    }

    /// Sets the number of steps between restarts of [`gmres`](fn@gmres), 20 by default.
    ///
    /// ```
    /// let _ = ndany::sparse::linalg::Iteration::new().restart(50);
    /// ```
    pub fn restart(mut self, restart: usize) -> Self {
        self.restart = restart.max(1);
        self
    }

    /// Sets what the iteration starts from, zeros by default.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let _ = sparse::linalg::Iteration::new().x0(array([1.0, 2.0]));
    /// ```
    pub fn x0(mut self, x0: impl AsRef<Array>) -> Self {
        self.x0 = Some(x0.as_ref().clone());
        self
    }

    /// Sets an approximation of the inverse, SciPy's `M`.
    ///
    /// ```
    /// use ndany::prelude::*;
    /// let inverse = sparse::diags_array([&array([0.5, 0.25])], [0i64], ..).to_csr();
    /// let _ = sparse::linalg::Iteration::new().preconditioner(&inverse);
    /// ```
    pub fn preconditioner(mut self, inverse: impl Into<LinearOperator>) -> Self {
        self.preconditioner = Some(inverse.into());
        self
    }
}

/// What an iteration starts with, all in one float dtype.
struct Start {
    b: Array,
    x: Array,
    /// The tolerance of residuals; a 0-d array.
    tolerance: Array,
}

impl Iteration {
    #[track_caller]
    fn start(&self, op: &'static str, a: &dyn Operator, b: &Array) -> Result<Start> {
        let [_, n] = a.shape();
        let dtype = DType::promote(DType::promote(a.dtype(), b.dtype()).to_inexact(), DType::F32);
        let b = b.astype(dtype);
        let x = match &self.x0 {
            Some(x0) if x0.shape() == [n] => x0.astype(dtype),
            Some(x0) => {
                let expected = format!("{n} elements to start from");
                return Err(Error::Shape { op, expected, got: x0.shape().into() });
            }
            None => {
                let _guard = b.device().enter();
                zeros(n, dtype)
            }
        };
        let tolerance = (length(&b) * self.rtol).maximum(self.atol);
        Ok(Start { b, x, tolerance })
    }
}

impl Solution {
    /// What was found, given the norm of the residual, and whether the iteration would go on.
    fn new(x: Array, residual: &Array, goes_on: &Array, steps: &Array) -> Result<Self> {
        let iterations = steps.item::<i64>()? as usize;
        let goes_on = truth(goes_on)?;
        let residual = number(residual)?;
        Ok(Self { x, iterations, residual, converged: !goes_on && !residual.is_nan() })
    }
}

/// A system of equations as solvers start with it.
struct System<'a> {
    a: &'a dyn Operator,
    b: Array,
    x: Array,
    dtype: DType,
    /// The norm of the right side, and the tolerance of residuals; 0-d arrays.
    tolerance: Array,
    preconditioner: Option<LinearOperator>,
    maxiter: usize,
}

impl<'a> System<'a> {
    /// Checks shapes and brings all to one float dtype.
    #[track_caller]
    fn new(op: &'static str, a: &'a dyn Operator, b: &Array, options: Iteration) -> Result<Self> {
        let [m, n] = a.shape();
        if m != n || b.shape() != [m] {
            let expected = format!("a square operator and a vector of its {n} columns");
            return Err(Error::Shape { op, expected, got: b.shape().into() });
        }
        let Start { b, x, tolerance } = options.start(op, a, b)?;
        tolerance.eval()?;
        let (dtype, maxiter) = (b.dtype(), options.maxiter.unwrap_or(10 * n.max(1)));
        Ok(Self { a, b, x, dtype, tolerance, preconditioner: options.preconditioner, maxiter })
    }

    /// The residual of where the iteration starts.
    #[track_caller]
    fn residual(&self) -> Array {
        &self.b - self.a.matvec(&self.x)
    }

    #[track_caller]
    fn precondition(&self, r: &Array) -> Array {
        match &self.preconditioner {
            Some(inverse) => inverse.matvec(r).astype(self.dtype),
            None => r.clone(),
        }
    }

    /// What was found, given the residual.
    fn finish(&self, x: Array, r: &Array, steps: &Array) -> Result<Solution> {
        let residual = length(r);
        Solution::new(x, &residual, &self.is_active(&residual), steps)
    }

    /// The adjoint of the preconditioner.
    #[track_caller]
    fn precondition_adjoint(&self, r: &Array) -> Array {
        match &self.preconditioner {
            Some(inverse) => inverse.rmatvec(r).astype(self.dtype),
            None => r.clone(),
        }
    }
}

/// Two vectors of zeros.
#[track_caller]
fn vectors(like: &Array) -> [Array; 2] {
    [(); 2].map(|()| like.zeros_like())
}

/// A number of the dtype and the device of an array.
#[track_caller]
fn scalar(like: &Array, value: f64) -> Array {
    let _guard = like.device().enter();
    (zeros((), like.dtype()) + value).astype(like.dtype())
}

/// Whether all numbers of 0-d arrays are finite.
#[track_caller]
fn are_finite<const N: usize>(numbers: &[&Array; N]) -> Array {
    let finite = numbers.map(|number| number.isfinite());
    finite[1..].iter().fold(finite[0].clone(), |all, one| all.logical_and(one))
}

/// `Σ conj(x) y`.
#[track_caller]
fn dot(x: &Array, y: &Array) -> Array {
    match x.dtype().is_complex() {
        true => (x.conj() * y).sum(..),
        false => (x * y).sum(..),
    }
}

/// Rows of zeros that are as long as a vector, of its dtype and on its device.
#[track_caller]
fn rows_of_zeros(count: usize, like: &Array) -> Array {
    let _guard = like.device().enter();
    zeros((count, like.size()), like.dtype())
}

/// The conjugate; real numbers are not copied.
#[track_caller]
fn conj(x: &Array) -> Array {
    if x.dtype().is_complex() { x.conj() } else { x.clone() }
}

/// `Σ conj(x) y` of each row `x` of a basis: sums in the order of all reductions, so that every device has the same bits, which
/// products of dense matrices have not.
#[track_caller]
fn inner(basis: &Array, y: &Array) -> Array {
    (conj(basis) * y).sum(1)
}

/// The same with two vectors, in one read of the basis, computed.
#[track_caller]
fn inner_of_two(basis: &Array, x: &Array, y: &Array) -> Result<[Array; 2]> {
    if let Some(products) = crate::threads::inner_of_two(basis, x, y)? {
        run(&[&products])?;
        let rows = basis.shape()[0] as isize;
        return Ok([products.i(ndany_array::s![..rows]), products.i(ndany_array::s![rows..])]);
    }
    let products = crate::kernels::INNER_OF_TWO.call((conj(basis), x, y), 1);
    run(&[&products[0], &products[1]])?;
    Ok(products)
}

/// The sum of the rows of a basis times a number each.
#[track_caller]
fn combination(numbers: &Array, basis: &Array) -> Array {
    (numbers.reshape((-1, 1)) * basis).sum(0)
}

/// A vector divided by the root of a number, which is taken where it is read, not in a launch of its own.
#[track_caller]
fn scaled(x: &Array, square: &Array) -> Array {
    let [scaled] = crate::kernels::SCALED.call((x, square));
    scaled
}

/// `w` less such a sum, computed.
#[track_caller]
fn less(w: &Array, numbers: &Array, basis: &Array) -> Result<Array> {
    if let Some(rest) = crate::threads::subtract(w, numbers, basis)? {
        return Ok(rest);
    }
    let rest = w - combination(numbers, basis);
    run(&[&rest])?;
    Ok(rest)
}

/// Several such sums, of rows of numbers.
#[track_caller]
fn combinations(numbers: &Array, basis: &Array) -> Array {
    let ([k, p], n) = ([numbers.shape()[0], basis.shape()[0]], basis.shape()[1]);
    (numbers.reshape((k, p, 1)) * basis.reshape((1, p, n))).sum(1)
}

/// `Σ x y` of all pairs of rows of two real matrices.
#[track_caller]
fn gram(a: &Array, b: &Array) -> Array {
    let ([p, n], q) = ([a.shape()[0], a.shape()[1]], b.shape()[0]);
    (a.reshape((p, 1, n)) * b.reshape((1, q, n))).sum(2)
}

/// The square of the Euclidean norm.
#[track_caller]
fn square(x: &Array) -> Array {
    match x.dtype().is_complex() {
        true => (x.real().square() + x.imag().square()).sum(..),
        false => x.square().sum(..),
    }
}

/// The Euclidean norm.
#[track_caller]
fn length(x: &Array) -> Array {
    square(x).sqrt()
}

/// `next` where the iteration is active, else `now`.
#[track_caller]
fn freeze(active: &Array, next: Array, now: &Array) -> Array {
    where_(active, next, now)
}

/// Runs all that is pending of these.
fn run(arrays: &[&Array]) -> Result<()> {
    arrays.iter().try_for_each(|array| array.eval())
}

/// Reads a number.
fn number(array: &Array) -> Result<f64> {
    array.astype(DType::F64).item()
}

/// How an iteration over a sparse array is called.
type Solver = fn(&Sparse, &Array, Iteration) -> Result<Solution>;

/// Has the kernels of an iteration compiled before its first launch, where all of them are known: closures have theirs.
fn ask_ahead(a: &impl Operator, b: &Array, options: &Iteration, solver: Solver) {
    static KERNELS: Ahead = Ahead::new();
    if let (Some(a), None) = (a.as_sparse(), &options.preconditioner) {
        // Few steps are enough: the first ones, some looks, and as many as come after the last look; or until the fifth look.
        let few = |steps: usize| match steps {
            0..=32 => steps,
            _ => 3 * LOOK + 1 + (steps - 1) % LOOK,
        };
        let options = (solver, options.restart, options.maxiter.map_or(4 * LOOK + 1, few));
        KERNELS.ask(&(a, b), options, |(a, b), (solver, restart, steps)| {
            solver(a, b, Iteration::new().restart(restart).maxiter(steps)).map(drop)
        });
    }
}

/// Whether an iteration has ended, at which the host looks at every eighth step. A dry run ends at the fifth look.
fn ends(step: usize, active: &Array) -> Result<bool> {
    Ok(step.is_multiple_of(LOOK) && !guess(truth(active)?, step < 4 * LOOK))
}

/// Reads a truth value.
fn truth(array: &Array) -> Result<bool> {
    array.item()
}

/// The numbers of one call, which counts steps on the device.
fn zero_of(like: &Array) -> Array {
    let _guard = like.device().enter();
    zeros((), DType::I64)
}

/// Raises the error of shapes at the caller of functions that return no result.
#[track_caller]
fn refuse_shape<T>(op: &'static str, expected: String, got: &[usize]) -> T {
    expect(Err(Error::Shape { op, expected, got: got.into() }))
}
