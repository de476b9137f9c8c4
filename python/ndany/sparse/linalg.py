"""Linear equations, eigenvalues and norms of sparse arrays: the names of ``scipy.sparse.linalg``.

Operators are sparse arrays, dense ones, and ``LinearOperator`` over functions of Python, which get and return arrays.
"""

import operator as _operator

import numpy as _numpy

import ndany as _nd
from ndany import _core

from ._array import csc_array as _csc_array
from ._base import _wrap, sparray as _sparray
from ._construct import eye_array as _eye, matrix_power, vstack as _vstack  # noqa: F401
from ._operator import LinearOperator, aslinearoperator
from ._parts import _as_sparse, _dense, _is_foreign, _Sparse
from ._tensor import _matrix

_ndarray = _core.ndarray


# ---- Operands ----

def _linear(A):
    """What the engine multiplies by."""
    if isinstance(A, _sparray) or _is_foreign(A):
        return _as_sparse(A)
    if not isinstance(A, LinearOperator) and hasattr(A, "matvec"):
        A = aslinearoperator(A)
    if isinstance(A, LinearOperator):
        back = None if A._rmatvec is None else lambda x: _flat(A._rmatvec(x))
        return _core._Linear(A.shape, A.dtype, lambda x: _flat(A._matvec(x)), back)
    return _nd.asarray(A)


def _inverse(M):
    """A preconditioner: an operator, or factors that solve."""
    if isinstance(M, SuperLU):
        M = LinearOperator(M.shape, M.solve, lambda x: M.solve(x, "H"), dtype="float64")
    return None if M is None else _linear(M)


def _flat(x):
    """A vector of a function, which may be a matrix of one column."""
    x = _nd.asarray(x)
    return x.reshape(-1) if x.ndim == 2 and 1 in x.shape else x


def _side(b, device=None):
    """The right side of a system as a vector."""
    b = _dense(b, device)
    return b.reshape(-1) if b.ndim == 2 and b.shape[1] == 1 else b


def _device(A):
    return A.device if isinstance(A, (_Sparse, _ndarray)) else None


# ---- Systems by iteration ----

def _solve(name, A, b, x0, rtol, atol, maxiter, M, restart=None):
    """A solution, and 0 or the number of steps after which it had not converged."""
    A = _linear(A)
    b = _side(b, _device(A))
    inverse = _inverse(M)
    if x0 is not None:
        x0 = _side(x0, b.device)
    maxiter = None if maxiter is None else _operator.index(maxiter)
    x, steps, _, converged = _core._iterate(name, A, b, (float(rtol), float(atol), maxiter, restart), x0, inverse)
    return x, 0 if converged else max(steps, 1)


def _solver(name, method):
    def function(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None):
        return _solve(name, A, b, x0, rtol, atol, maxiter, M)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Solves a square system by {method}, as ``scipy.sparse.linalg.{name}``: the solution, and 0 or the number of steps taken in vain."
    )
    return function


cg = _solver("cg", "conjugate gradients")
cgs = _solver("cgs", "conjugate gradients squared")
bicg = _solver("bicg", "biconjugate gradients")
bicgstab = _solver("bicgstab", "stabilized biconjugate gradients")
tfqmr = _solver("tfqmr", "quasi-minimal residuals without the adjoint")


def minres(A, b, x0=None, *, rtol=1e-5, maxiter=None, M=None):
    """Solves a symmetric system by minimal residuals, as ``scipy.sparse.linalg.minres``."""
    return _solve("minres", A, b, x0, rtol, 0.0, maxiter, M)


def qmr(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M1=None):
    """Solves a square system by quasi-minimal residuals, as ``scipy.sparse.linalg.qmr``."""
    return _solve("qmr", A, b, x0, rtol, atol, maxiter, M1)


def gmres(A, b, x0=None, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, M=None):
    """Solves a square system by generalized minimal residuals; `maxiter` counts restarts, as ``scipy.sparse.linalg.gmres``."""
    restart = 20 if restart is None else _operator.index(restart)
    return _solve("gmres", A, b, x0, rtol, atol, None if maxiter is None else maxiter * restart, M, restart)


def lgmres(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=1000, M=None, inner_m=30):
    """Solves a square system by "loose" minimal residuals; `maxiter` counts restarts, as ``scipy.sparse.linalg.lgmres``."""
    inner_m = _operator.index(inner_m)
    return _solve("lgmres", A, b, x0, rtol, atol, maxiter * inner_m, M, inner_m)


def gcrotmk(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=1000, M=None, m=20):
    """Solves a square system by conjugate residuals that keep `m` directions; `maxiter` counts cycles, as ``scipy.sparse.linalg.gcrotmk``."""
    m = _operator.index(m)
    return _solve("gcrotmk", A, b, x0, rtol, atol, maxiter * m, M, m)


def _least_squares(name, A, b, damp, atol, btol, maxiter, x0):
    """The solution, why the method ended, its steps, and the norm of the residual."""
    A = _linear(A)
    b = _side(b, _device(A))
    m, n = A.shape
    damp = float(damp)
    system, side = A, b
    if damp:
        # The rows below those of the array hold the solution down.
        if isinstance(A, _Sparse):
            system = _vstack([_wrap(A), _eye(n, dtype=_numpy.result_type(A.dtype, "float32")) * damp], "csr")._now
        else:
            own = A if isinstance(A, _core._Linear) else None
            forth = (lambda x: own.apply(x, False)) if own else (lambda x: A @ x)
            back = (lambda x: own.apply(x, True)) if own else (lambda x: A.conj().T @ x)
            system = _core._Linear(
                (m + n, n), A.dtype,
                lambda x: _nd.concatenate([forth(x), x * damp]), lambda x: back(x[:m]) + x[m:] * damp,
            )
        side = _nd.concatenate([b, _nd.zeros(n, b.dtype, device=b.device)])
    if x0 is not None:
        x0 = _side(x0, b.device)
    rtol = min(float(atol), float(btol))
    x, steps, residual, converged = _core._iterate(name, system, side, (rtol, 0.0, maxiter, None), x0, None)
    size = float(_nd.linalg.norm(side))
    if not size:
        why = 0
    elif not converged:
        why = 7
    else:
        why = 1 if residual <= rtol * size else 2
    if damp:
        residual = max(residual**2 - (damp * float(_nd.linalg.norm(x))) ** 2, 0.0) ** 0.5
    return x, why, steps, residual


def lsqr(A, b, damp=0.0, atol=1e-6, btol=1e-6, *, iter_lim=None, x0=None):
    """Least squares by bidiagonalization: the first four results of ``scipy.sparse.linalg.lsqr``, x, istop, itn and r1norm."""
    return _least_squares("lsqr", A, b, damp, atol, btol, iter_lim, x0)


def lsmr(A, b, damp=0.0, atol=1e-6, btol=1e-6, *, maxiter=None, x0=None):
    """Least squares of least gradients: the first four results of ``scipy.sparse.linalg.lsmr``, x, istop, itn and normr."""
    return _least_squares("lsmr", A, b, damp, atol, btol, maxiter, x0)


# ---- Eigenvalues ----

def _limits(tol, maxiter, ncv):
    return float(tol), None if maxiter is None else _operator.index(maxiter), None if ncv is None else _operator.index(ncv)


def _solver(a, *dtypes):
    """A sparse array's factors as an operator that solves."""
    lu = splu(a)
    dtype = _numpy.result_type(a.dtype, "float32", *dtypes)
    return LinearOperator(a.shape, lu.solve, lambda x: lu.solve(x, "H"), dtype=dtype)


def _shifted(name, A, M, sigma, OPinv):
    """A shift, if there is one, and the solver of the operator less this shift, which is a multiple of M."""
    if sigma is None:
        if OPinv is not None:
            raise ValueError(f"[{name}] OPinv: expected sigma beside it")
        return None
    if OPinv is None:
        if not isinstance(A, _Sparse) or not (M is None or isinstance(M, _Sparse)):
            raise ValueError(f"[{name}] sigma: expected sparse arrays, or OPinv")
        own = _wrap(A)
        number = complex(sigma)
        number = number if number.imag else number.real
        kind = "complex64" if isinstance(number, complex) else "float32"
        if M is None:
            other = _eye(own.shape[0], dtype=_numpy.result_type(own.dtype, "float32", type(number)))
        else:
            other = _wrap(M)
        OPinv = _solver(own - other * number, kind)
    return sigma, _linear(OPinv)


def _general(name, M, Minv, sigma):
    """The right operator of a generalized problem, if there is one, and its solver, which a shift does without."""
    if M is None:
        if Minv is not None:
            raise ValueError(f"[{name}] Minv: expected M beside it")
        return None
    M = _linear(M)
    if sigma is None and Minv is None:
        if not isinstance(M, _Sparse):
            raise ValueError(f"[{name}] M: expected a sparse array, Minv, or sigma")
        Minv = _solver(_wrap(M))
    return M, None if Minv is None else _linear(Minv)


def eigs(A, k=6, M=None, sigma=None, which="LM", v0=None, ncv=None, maxiter=None, tol=0, return_eigenvectors=True, Minv=None, OPinv=None):
    """Eigenvalues of an operator, the most wanted first, and their vectors, as ``scipy.sparse.linalg.eigs``.

    With `sigma`, which may be complex, they are those next to it; `OPinv` solves with ``A - sigma M``, which is factorized without it.
    With `M` they are those of ``A x = w M x``; `Minv` solves with `M`, which is factorized without it.
    """
    A = _linear(A)
    general = _general("eigs", M, Minv, sigma)
    shifted = _shifted("eigs", A, None if general is None else general[0], sigma, OPinv)
    if shifted is not None:
        number = complex(sigma)
        shifted = (number.real, number.imag), shifted[1]
    v0 = None if v0 is None else _side(v0, _device(A))
    values, vectors = _core._eigs(A, _operator.index(k), which, _limits(tol, maxiter, ncv), v0, shifted, general)
    return (values, vectors) if return_eigenvectors else values


def eigsh(A, k=6, M=None, sigma=None, which="LM", v0=None, ncv=None, maxiter=None, tol=0, return_eigenvectors=True, Minv=None, OPinv=None):
    """Eigenvalues of a Hermitian operator, the least first, and their vectors, as ``scipy.sparse.linalg.eigsh``.

    With `sigma` they are those next to it; `OPinv` solves with ``A - sigma M``, which is factorized without it. With `M` they are those of
    ``A x = w M x``, of a positive definite `M`, in whose inner products vectors are orthonormal; `Minv` solves with `M`, which is
    factorized without it.
    """
    A = _linear(A)
    general = _general("eigsh", M, Minv, sigma)
    shifted = _shifted("eigsh", A, None if general is None else general[0], None if sigma is None else float(sigma), OPinv)
    v0 = None if v0 is None else _side(v0, _device(A))
    values, vectors = _core._eigsh(A, _operator.index(k), which, _limits(tol, maxiter, ncv), v0, shifted, general)
    return (values, vectors) if return_eigenvectors else values


def svds(A, k=6, ncv=None, tol=0, which="LM", v0=None, maxiter=None, return_singular_vectors=True):
    """Singular values, the largest first, between their left and their right vectors, as ``scipy.sparse.linalg.svds``."""
    if which not in ("LM", "SM"):
        raise ValueError("`which` must be in {'LM', 'SM'}")
    A = _linear(A)
    v0 = None if v0 is None else _side(v0, _device(A))
    u, s, vt = _core._svds(A, _operator.index(k), which, _limits(tol, maxiter, ncv), v0)
    if return_singular_vectors == "u":
        return u, s, None
    if return_singular_vectors == "vh":
        return None, s, vt
    return (u, s, vt) if return_singular_vectors else s


def lobpcg(A, X, *, M=None, tol=None, maxiter=None, largest=True):
    """The largest eigenvalues of a symmetric operator, or the smallest, and their vectors, as ``scipy.sparse.linalg.lobpcg``."""
    A = _linear(A)
    X = _dense(X, _device(A))
    if not largest:
        if isinstance(A, _Sparse):
            A = A.unary("negative")
        elif isinstance(A, _ndarray):
            A = -A
        else:
            own = A
            A = _core._Linear(own.shape, own.dtype, lambda x: -own.apply(x, False), lambda x: -own.apply(x, True))
    limits = (1e-5, 0.0) if tol is None else (0.0, float(tol))
    inverse = _inverse(M)
    values, vectors = _core._lobpcg(A, X, limits + (None if maxiter is None else _operator.index(maxiter), None), inverse)
    return (values if largest else -values), vectors


# ---- Factorizations ----

class SuperLU:
    """Factors of a sparse array, by which systems are solved. Their name is SciPy's; incomplete ones know their number of entries."""

    nnz: int

    def __init__(self, factors):
        self._factors = factors
        if factors.nnz is not None:
            self.nnz = factors.nnz

    @property
    def shape(self):
        return self._factors.shape

    def solve(self, rhs, trans="N"):
        """The solution of a system; of the transposed array with ``"T"``, and of the conjugate one with ``"H"``."""
        rhs = _dense(rhs)
        if trans == "N":
            return self._factors.solve(rhs)
        if trans not in ("T", "H"):
            raise ValueError("trans must be N, T, or H")
        solved = self._factors.solve_adjoint(rhs.conj() if trans == "T" else rhs)
        if solved is None:
            raise ValueError("[solve] trans: expected 'N' of an incomplete factorization")
        return solved.conj() if trans == "T" else solved

    def refactor(self, A):
        """Factors of another array with the same places, whose analysis is that of this one; of complete factorizations."""
        factors = self._factors.refactor(_as_sparse(A, "csc"))
        if factors is None:
            raise ValueError("[refactor] expected a complete factorization, got an incomplete one")
        return SuperLU(factors)

    def __repr__(self):
        return f"<SuperLU of shape {self.shape}>"


def _factors(name, A, *limits):
    return SuperLU(_core._factorize(name, _as_sparse(A, "csc"), *limits))


def splu(A):
    """The LU factorization of a square array, on the host, as ``scipy.sparse.linalg.splu``."""
    return _factors("splu", A)


def factorized(A):
    """A function that solves systems with an array, which is factorized once."""
    return splu(A).solve


def spilu(A, drop_tol=None, fill_factor=None):
    """An incomplete LU factorization, as ``scipy.sparse.linalg.spilu``. A `fill_factor` of 1 keeps the places of the array, ILU(0)."""
    if fill_factor == 1:
        return _factors("spilu", A)
    return _factors("spilu", A, (1e-4 if drop_tol is None else float(drop_tol), 10.0 if fill_factor is None else float(fill_factor)))


def ic0(A):
    """The incomplete Cholesky factorization of a positive definite array that keeps its places."""
    return _factors("ic0", A)


def jacobi(A):
    """The inverse of the diagonal, an operator."""
    A = _as_sparse(A)
    solve = _core._factorize("jacobi", A).solve
    return LinearOperator(A.shape, solve, lambda x: solve(x.conj()).conj(), dtype=_numpy.result_type(A.dtype, "float32"))


def spsolve(A, b):
    """The solution of a square system by a factorization, as ``scipy.sparse.linalg.spsolve``; sparse of sparse sides."""
    if isinstance(b, _sparray) or _is_foreign(b):
        b = b if isinstance(b, _sparray) else _wrap(_as_sparse(b))
        if b.ndim == 1:
            return spsolve(A, b.toarray())
        solved = splu(A).solve(b.toarray())
        return _csc_array(solved).asformat(b.format)
    A = _as_sparse(A, "csc")
    return splu(_wrap(A)).solve(_side(b, A.device))


def spsolve_triangular(A, b, lower=True, overwrite_A=False, overwrite_b=False, unit_diagonal=False):
    """The solution of a triangular system, as ``scipy.sparse.linalg.spsolve_triangular``; the other triangle is not read."""
    A = _as_sparse(A)
    return _core._spsolve_triangular(A, _dense(b, A.device), bool(lower), bool(unit_diagonal))


def inv(A):
    """The inverse of a square array, on the host, as ``scipy.sparse.linalg.inv``; mostly it is full."""
    return _wrap(_core._matrix("inv", _as_sparse(A)))


def expm(A):
    """The exponential of a square array, as ``scipy.sparse.linalg.expm``; mostly it is full."""
    return _wrap(_core._matrix("expm", _as_sparse(A)))


def expm_multiply(A, B, start=None, stop=None, num=None, endpoint=None):
    """The exponential of an array times a vector or a matrix; with `start` at each of `num` times, as ``scipy.sparse.linalg``'s."""
    A = _as_sparse(A)
    B = _dense(B, A.device)
    if all(one is None for one in (start, stop, num, endpoint)):
        return _core._expm_multiply(A, B, 1.0)
    if start is None or stop is None:
        raise ValueError("[expm_multiply] expected both start and stop of an interval")
    times = _numpy.linspace(start, stop, 50 if num is None else num, endpoint=True if endpoint is None else endpoint)
    return _nd.stack([_core._expm_multiply(A, B, float(time)) for time in times])


# ---- Norms ----

def norm(x, ord=None, axis=None):
    """A norm of a sparse array, or of its rows or columns, as ``scipy.sparse.linalg.norm``."""
    if not isinstance(x, _sparray) and not _is_foreign(x):
        raise TypeError("input is not sparse. use ndany.linalg.norm")
    value = _as_sparse(x)
    if value.ndim != 2:
        if axis is not None or ord not in (None, "f", "fro"):
            raise ValueError(f"[norm] expected no axis and no order of an array of {value.ndim} axes, got axis {axis!r} and order {ord!r}")
        return _core._norm(_matrix(value), "fro")
    if isinstance(axis, tuple) and len(axis) == 2:
        if sorted(one % 2 for one in axis) != [0, 1]:
            raise ValueError(f"Invalid axis {axis!r} for an array with shape {value.shape!r}")
        if ord in (1, -1, _numpy.inf, -_numpy.inf) and axis[0] % 2 == 1:
            ord = {1: _numpy.inf, -1: -_numpy.inf, _numpy.inf: 1, -_numpy.inf: -1}[ord]
        axis = None
    sizes = _wrap(value.unary("abs"))
    if axis is None:
        if ord in (None, "f", "fro"):
            return _core._norm(value, "fro")
        if ord in (1, _numpy.inf):
            return _core._norm(value, "1" if ord == 1 else "inf")
        if ord in (-1, -_numpy.inf):
            return sizes.sum(axis=0 if ord == -1 else 1).min()
        raise ValueError(f"Invalid norm order {ord!r} for sparse arrays: expected None, 'fro', 1, -1, inf or -inf")
    axis = axis[0] if isinstance(axis, tuple) else axis
    if ord == _numpy.inf:
        return sizes.max(axis=axis).toarray()
    if ord == -_numpy.inf:
        return sizes.min(axis=axis).toarray()
    if ord == 0:
        return sizes.count_nonzero(axis=axis)
    if ord == 1:
        return sizes.sum(axis=axis)
    if ord in (2, None):
        return _nd.sqrt(sizes.power(2).sum(axis=axis))
    raise ValueError(f"Invalid norm order {ord!r} for vectors: expected None, 0, 1, 2, inf or -inf")


class LaplacianNd(LinearOperator):
    """The Laplacian of a grid of points in C order, as ``scipy.sparse.linalg.LaplacianNd``, on the current device."""

    def __init__(self, grid_shape, *, boundary_conditions="neumann", dtype="int8"):
        if boundary_conditions not in ("dirichlet", "neumann", "periodic"):
            raise ValueError(f"Unknown value {boundary_conditions!r} is given for 'boundary_conditions' parameter. "
                             "The valid options are 'dirichlet', 'periodic', and 'neumann' (default).")
        self.grid_shape, self.boundary_conditions = tuple(_operator.index(one) for one in grid_shape), boundary_conditions
        made, self._values = _core._laplacian_nd(self.grid_shape, boundary_conditions)
        self._sparse = _wrap(made).astype(dtype, copy=False)
        super().__init__(self._sparse.shape, lambda x: self._sparse @ x, lambda x: self._sparse @ x, dtype=dtype)

    def tosparse(self):
        """The Laplacian as a sparse array."""
        return self._sparse.copy()

    def toarray(self):
        """The Laplacian as a dense array."""
        return self._sparse.toarray()

    def eigenvalues(self, m=None):
        """All eigenvalues, the least first, or the `m` largest ones."""
        return self._values if m is None else self._values[self._values.size - _operator.index(m):]


def spbandwidth(A):
    """How many diagonals below and above the main one reach to entries, as ``scipy.sparse.linalg.spbandwidth``."""
    return _core._spbandwidth(_as_sparse(A))


def is_sptriangular(A):
    """Whether no entry is above the main diagonal, and whether none is below it, as ``scipy.sparse.linalg.is_sptriangular``."""
    below, above = spbandwidth(A)
    return above == 0, below == 0


def onenormest(A):
    """A lower bound of the largest sum of absolute values of a column, as ``scipy.sparse.linalg.onenormest``."""
    return _core._onenormest(_linear(A))
