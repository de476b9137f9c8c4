//! Solvers over sparse arrays, dense ones, and functions of Python.

use std::cell::RefCell;
use std::panic::resume_unwind;

use ndany::sparse::linalg::{
    self, Boundary, Drop, Incomplete, Iteration, LaplacianNd, LinearOperator, Lu, Norm, Operator,
    Solution, Spectrum, Triangular, Which,
};
use ndany::{Array, Complex64, Error};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::{Sparse, read, unknown};
use crate::cell::NdArray;
use crate::device::current;
use crate::error::Raised;
use crate::{callback, numpy, site, value};

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Linear>()?;
    module.add_class::<Factors>()?;
    module.add_function(wrap_pyfunction!(_iterate, module)?)?;
    module.add_function(wrap_pyfunction!(_eigsh, module)?)?;
    module.add_function(wrap_pyfunction!(_eigs, module)?)?;
    module.add_function(wrap_pyfunction!(_svds, module)?)?;
    module.add_function(wrap_pyfunction!(_lobpcg, module)?)?;
    module.add_function(wrap_pyfunction!(_factorize, module)?)?;
    module.add_function(wrap_pyfunction!(_spsolve_triangular, module)?)?;
    module.add_function(wrap_pyfunction!(_expm_multiply, module)?)?;
    module.add_function(wrap_pyfunction!(_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(_laplacian_nd, module)?)?;
    module.add_function(wrap_pyfunction!(_spbandwidth, module)?)?;
    module.add_function(wrap_pyfunction!(_onenormest, module)?)?;
    module.add_function(wrap_pyfunction!(_norm, module)?)
}

thread_local! {
    /// The exception that a function of an operator has raised in a solver of this thread.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Runs a solver on a device without Python's lock. An exception of an operator's function is raised as it is.
fn solve<T: Send>(
    py: Python<'_>,
    device: &ndany::Device,
    work: impl FnOnce() -> ndany::Result<T> + Send,
) -> PyResult<T> {
    let _site = site::enter(py);
    let outcome = py.detach(|| {
        let _guard = device.enter();
        ndany::attempt(work).and_then(|outcome| outcome)
    });
    match RAISED.take() {
        Some(raised) if outcome.is_err() => Err(raised),
        _ => outcome.raised(py),
    }
}

/// An operator of functions of Python.
#[pyclass(module = "ndany", name = "_Linear", frozen)]
pub(crate) struct Linear {
    operator: LinearOperator,
}

/// A function of Python as one of the engine. The engine's error stands for an exception until the solver has ended.
fn function_of(function: Py<PyAny>, length: usize) -> impl Fn(&Array) -> Array + Send + Sync {
    move |x| {
        let called = Python::attach(|py| {
            let device = x.device().clone();
            let argument = NdArray::own(x.clone());
            let arguments = PyTuple::new(py, [argument])?;
            let result = callback::call(function.bind(py), &arguments)?;
            let result = value::array_of(&result, &device)?;
            match result.shape() {
                &[found] if found == length => Ok(result),
                shape => Err(PyValueError::new_err(format!(
                    "[LinearOperator] expected a result of shape ({length},), got {}",
                    ndany::ShapeText::from(shape)
                ))),
            }
        });
        called.unwrap_or_else(|error| {
            RAISED.set(Some(error));
            let reason = "the function raised an exception".to_string();
            resume_unwind(Box::new(Error::ArgumentValue {
                op: "LinearOperator".to_string(),
                reason,
            }))
        })
    }
}

#[pymethods]
impl Linear {
    #[new]
    #[pyo3(signature = (shape, dtype, matvec, rmatvec=None))]
    fn new(
        shape: [usize; 2],
        dtype: &Bound<'_, PyAny>,
        matvec: Py<PyAny>,
        rmatvec: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let [m, n] = shape;
        let dtype = value::dtype_named(dtype)?;
        let operator = LinearOperator::new(shape, dtype, function_of(matvec, m));
        let operator = match rmatvec {
            Some(rmatvec) => operator.rmatvec(function_of(rmatvec, n)),
            None => operator,
        };
        Ok(Linear { operator })
    }

    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.operator.shape().into()
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy::dtype_object(py, self.operator.dtype())
    }

    fn apply(&self, py: Python<'_>, x: &Bound<'_, NdArray>, is_adjoint: bool) -> PyResult<NdArray> {
        let x = read(py, x)?;
        let result = solve(py, x.device(), || {
            Ok(match is_adjoint {
                true => Operator::rmatvec(&self.operator, &x),
                false => self.operator.matvec(&x),
            })
        });
        result.map(NdArray::own)
    }
}

/// What solvers multiply by: a sparse array, a dense one, an operator.
fn operator_of(given: &Bound<'_, PyAny>) -> PyResult<LinearOperator> {
    let py = given.py();
    if let Ok(sparse) = given.cast::<Sparse>() {
        return Ok(linalg::aslinearoperator(sparse.get().matrix()?));
    }
    if let Ok(linear) = given.cast::<Linear>() {
        return Ok(linear.get().operator.clone());
    }
    let dense = read(py, given.cast::<NdArray>()?)?;
    super::run(py, || {
        // A matrix of other axes is refused here.
        Operator::shape(&dense);
        linalg::aslinearoperator(&dense)
    })
}

fn options(
    py: Python<'_>,
    (rtol, atol, maxiter, restart): (f64, f64, Option<usize>, Option<usize>),
    x0: Option<&Bound<'_, NdArray>>,
    inverse: Option<&Bound<'_, PyAny>>,
) -> PyResult<Iteration> {
    let mut options = Iteration::new().rtol(rtol).atol(atol);
    if let Some(maxiter) = maxiter {
        options = options.maxiter(maxiter);
    }
    if let Some(restart) = restart {
        options = options.restart(restart);
    }
    if let Some(x0) = x0 {
        options = options.x0(read(py, x0)?);
    }
    if let Some(inverse) = inverse {
        options = options.preconditioner(operator_of(inverse)?);
    }
    Ok(options)
}

/// A solver by its name: the solution, the steps, the norm of the residual, and whether it has converged.
#[pyfunction]
fn _iterate(
    py: Python<'_>,
    name: &str,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, NdArray>,
    limits: (f64, f64, Option<usize>, Option<usize>),
    x0: Option<&Bound<'_, NdArray>>,
    inverse: Option<&Bound<'_, PyAny>>,
) -> PyResult<(NdArray, usize, f64, bool)> {
    type Solver = fn(&LinearOperator, &Array, Iteration) -> ndany::Result<Solution>;
    let solver: Solver = match name {
        "cg" => linalg::cg,
        "cgs" => linalg::cgs,
        "bicg" => linalg::bicg,
        "bicgstab" => linalg::bicgstab,
        "gmres" => linalg::gmres,
        "lgmres" => linalg::lgmres,
        "gcrotmk" => linalg::gcrotmk,
        "minres" => linalg::minres,
        "qmr" => linalg::qmr,
        "tfqmr" => linalg::tfqmr,
        "lsqr" => linalg::lsqr,
        "lsmr" => linalg::lsmr,
        _ => return Err(unknown(name)),
    };
    let (a, b, options) = (operator_of(a)?, read(py, b)?, options(py, limits, x0, inverse)?);
    let found = solve(py, b.device(), || {
        let found = solver(&a, &b, options)?;
        found.x.eval()?;
        Ok(found)
    })?;
    Ok((NdArray::own(found.x), found.iterations, found.residual, found.converged))
}

fn spectrum(
    py: Python<'_>,
    which: &str,
    (tol, maxiter, ncv): (f64, Option<usize>, Option<usize>),
    v0: Option<&Bound<'_, NdArray>>,
) -> PyResult<Spectrum> {
    let which = match which {
        "LM" => Which::LargestMagnitude,
        "SM" => Which::SmallestMagnitude,
        "LA" | "LR" => Which::Largest,
        "SA" | "SR" => Which::Smallest,
        "LI" => Which::LargestImaginary,
        "SI" => Which::SmallestImaginary,
        _ => {
            return Err(PyValueError::new_err(format!(
                "which: expected LM, SM, and LA or SA of eigsh, LR, SR, LI or SI of eigs, got {which}"
            )));
        }
    };
    let mut options = Spectrum::new().which(which).tol(tol);
    if let Some(maxiter) = maxiter {
        options = options.maxiter(maxiter);
    }
    if let Some(ncv) = ncv {
        options = options.ncv(ncv);
    }
    if let Some(v0) = v0 {
        options = options.v0(read(py, v0)?);
    }
    Ok(options)
}

/// The device that an operator computes on: that of its array, or the current one.
fn device_of(py: Python<'_>, a: &Bound<'_, PyAny>) -> PyResult<ndany::Device> {
    if let Ok(sparse) = a.cast::<Sparse>() {
        return Ok(sparse.get().inner.device().clone());
    }
    match a.cast::<NdArray>() {
        Ok(array) => Ok(array.get().device_of(py)),
        Err(_) => current(py),
    }
}

/// The right operator of a generalized problem, and its solver.
type General<'py> = (Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);

fn generalized(mut options: Spectrum, general: Option<General<'_>>) -> PyResult<Spectrum> {
    let Some((m, solver)) = general else { return Ok(options) };
    options = options.m(operator_of(&m)?);
    Ok(match solver {
        Some(solver) => options.minv(operator_of(&solver)?),
        None => options,
    })
}

#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "those of SciPy")]
fn _eigsh(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    k: usize,
    which: &str,
    limits: (f64, Option<usize>, Option<usize>),
    v0: Option<&Bound<'_, NdArray>>,
    shifted: Option<(f64, Bound<'_, PyAny>)>,
    general: Option<General<'_>>,
) -> PyResult<(NdArray, NdArray)> {
    let mut options = generalized(spectrum(py, which, limits, v0)?, general)?;
    if let Some((sigma, solver)) = shifted {
        options = options.sigma(sigma, operator_of(&solver)?);
    }
    let (device, a) = (device_of(py, a)?, operator_of(a)?);
    let (values, vectors) = solve(py, &device, || linalg::eigsh(&a, k, options))?;
    Ok((NdArray::own(values), NdArray::own(vectors)))
}

#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "those of SciPy")]
fn _eigs(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    k: usize,
    which: &str,
    limits: (f64, Option<usize>, Option<usize>),
    v0: Option<&Bound<'_, NdArray>>,
    shifted: Option<((f64, f64), Bound<'_, PyAny>)>,
    general: Option<General<'_>>,
) -> PyResult<(NdArray, NdArray)> {
    let mut options = generalized(spectrum(py, which, limits, v0)?, general)?;
    if let Some(((re, im), solver)) = shifted {
        options = options.sigma(Complex64::new(re, im), operator_of(&solver)?);
    }
    let (device, a) = (device_of(py, a)?, operator_of(a)?);
    let (values, vectors) = solve(py, &device, || linalg::eigs(&a, k, options))?;
    Ok((NdArray::own(values), NdArray::own(vectors)))
}

#[pyfunction]
fn _svds(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    k: usize,
    which: &str,
    limits: (f64, Option<usize>, Option<usize>),
    v0: Option<&Bound<'_, NdArray>>,
) -> PyResult<(NdArray, NdArray, NdArray)> {
    let options = spectrum(py, which, limits, v0)?;
    let (device, a) = (device_of(py, a)?, operator_of(a)?);
    let (u, s, vt) = solve(py, &device, || linalg::svds(&a, k, options))?;
    Ok((NdArray::own(u), NdArray::own(s), NdArray::own(vt)))
}

#[pyfunction]
fn _lobpcg(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    x: &Bound<'_, NdArray>,
    limits: (f64, f64, Option<usize>, Option<usize>),
    inverse: Option<&Bound<'_, PyAny>>,
) -> PyResult<(NdArray, NdArray)> {
    let (a, x, options) = (operator_of(a)?, read(py, x)?, options(py, limits, None, inverse)?);
    let (values, vectors) = solve(py, x.device(), || linalg::lobpcg(&a, &x, options))?;
    Ok((NdArray::own(values), NdArray::own(vectors)))
}

/// Factors of an array, by which systems are solved.
#[pyclass(module = "ndany", name = "_Factors", frozen)]
pub(crate) struct Factors {
    factors: Kind,
    shape: [usize; 2],
}

enum Kind {
    Complete(Lu),
    Incomplete(Incomplete),
    /// A diagonal.
    Diagonal(LinearOperator),
}

#[pymethods]
impl Factors {
    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.shape.into()
    }

    /// The number of stored entries, where it is known.
    #[getter]
    fn nnz(&self) -> Option<usize> {
        match &self.factors {
            Kind::Complete(_) => None,
            Kind::Incomplete(factors) => Some(factors.nnz()),
            Kind::Diagonal(_) => Some(self.shape[0]),
        }
    }

    fn solve(&self, py: Python<'_>, b: &Bound<'_, NdArray>) -> PyResult<NdArray> {
        let b = read(py, b)?;
        let solved = solve(py, b.device(), || match &self.factors {
            Kind::Complete(lu) => lu.solve(&b),
            Kind::Incomplete(factors) => factors.solve(&b),
            Kind::Diagonal(inverse) => Ok(inverse.matvec(&b)),
        });
        solved.map(NdArray::own)
    }

    /// Solves with the conjugate transpose, `None` where the factors have no such solver.
    fn solve_adjoint(&self, py: Python<'_>, b: &Bound<'_, NdArray>) -> PyResult<Option<NdArray>> {
        let b = read(py, b)?;
        match &self.factors {
            Kind::Complete(lu) => {
                solve(py, b.device(), || lu.solve_adjoint(&b)).map(|x| Some(NdArray::own(x)))
            }
            Kind::Incomplete(_) | Kind::Diagonal(_) => Ok(None),
        }
    }

    /// Factors of another array of the same structure.
    fn refactor(&self, py: Python<'_>, a: &Bound<'_, Sparse>) -> PyResult<Option<Factors>> {
        let a = a.get().matrix()?;
        match &self.factors {
            Kind::Complete(lu) => {
                let factors = solve(py, a.device(), || lu.refactor(a).map(Kind::Complete))?;
                Ok(Some(Factors { factors, shape: a.shape() }))
            }
            Kind::Incomplete(_) | Kind::Diagonal(_) => Ok(None),
        }
    }
}

/// Factorizes by the name of a function. `small` are the limits of an incomplete one; without them it keeps the places of the array.
#[pyfunction]
#[pyo3(signature = (name, a, small=None))]
fn _factorize(
    py: Python<'_>,
    name: &str,
    a: &Bound<'_, Sparse>,
    small: Option<(f64, f64)>,
) -> PyResult<Factors> {
    let a = a.get().matrix()?;
    let factors = match name {
        "splu" => solve(py, a.device(), || linalg::splu(a).map(Kind::Complete)),
        "spilu" => {
            let drop = small.map_or(Drop::Fill, |(tol, fill)| Drop::Small { tol, fill });
            solve(py, a.device(), || linalg::spilu(a, drop).map(Kind::Incomplete))
        }
        "ic0" => solve(py, a.device(), || linalg::ic0(a).map(Kind::Incomplete)),
        "jacobi" => solve(py, a.device(), || linalg::jacobi(a).map(Kind::Diagonal)),
        _ => Err(unknown(name)),
    };
    Ok(Factors { factors: factors?, shape: a.shape() })
}

#[pyfunction]
fn _spsolve_triangular(
    py: Python<'_>,
    a: &Bound<'_, Sparse>,
    b: &Bound<'_, NdArray>,
    lower: bool,
    unit_diagonal: bool,
) -> PyResult<NdArray> {
    let (a, b) = (a.get().matrix()?, read(py, b)?);
    let mut options = Triangular::new();
    if !lower {
        options = options.upper();
    }
    if unit_diagonal {
        options = options.unit_diagonal();
    }
    solve(py, b.device(), || linalg::spsolve_triangular(a, &b, options)).map(NdArray::own)
}

#[pyfunction]
fn _expm_multiply(
    py: Python<'_>,
    a: &Bound<'_, Sparse>,
    b: &Bound<'_, NdArray>,
    t: f64,
) -> PyResult<NdArray> {
    let (a, b) = (a.get().matrix()?, read(py, b)?);
    solve(py, b.device(), || linalg::expm_multiply(a, &b, t)).map(NdArray::own)
}

/// A function of a square array that is an array, by its name.
#[pyfunction]
fn _matrix(py: Python<'_>, name: &str, a: &Bound<'_, Sparse>) -> PyResult<Sparse> {
    let a = a.get().matrix()?;
    let made = match name {
        "inv" => solve(py, a.device(), || linalg::inv(a)),
        "expm" => solve(py, a.device(), || linalg::expm(a)),
        _ => Err(unknown(name)),
    };
    made.map(super::made)
}

/// The Laplacian of a grid, and its eigenvalues.
#[pyfunction]
fn _laplacian_nd(
    py: Python<'_>,
    grid_shape: Vec<usize>,
    boundary: &str,
) -> PyResult<(Sparse, NdArray)> {
    let boundary = match boundary {
        "dirichlet" => Boundary::Dirichlet,
        "neumann" => Boundary::Neumann,
        "periodic" => Boundary::Periodic,
        _ => return Err(unknown(boundary)),
    };
    let (array, values) = solve(py, &current(py)?, || {
        let grid = LaplacianNd::new(grid_shape, boundary);
        Ok((grid.to_sparse(), grid.eigenvalues()))
    })?;
    Ok((super::made(array), NdArray::own(values)))
}

#[pyfunction]
fn _spbandwidth(py: Python<'_>, a: &Bound<'_, Sparse>) -> PyResult<(usize, usize)> {
    let a = a.get().matrix()?;
    solve(py, a.device(), || linalg::spbandwidth(a))
}

#[pyfunction]
fn _onenormest(py: Python<'_>, a: &Bound<'_, PyAny>) -> PyResult<f64> {
    let (device, a) = (device_of(py, a)?, operator_of(a)?);
    solve(py, &device, || linalg::onenormest(&a))
}

#[pyfunction]
fn _norm(py: Python<'_>, a: &Bound<'_, Sparse>, ord: &str) -> PyResult<NdArray> {
    let a = a.get().matrix()?;
    let ord = match ord {
        "fro" => Norm::Frobenius,
        "1" => Norm::One,
        "inf" => Norm::Infinity,
        _ => return Err(unknown(ord)),
    };
    solve(py, a.device(), || Ok(linalg::norm(a, ord))).map(NdArray::own)
}
