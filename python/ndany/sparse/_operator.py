"""Linear maps by functions of vectors."""

import operator as _operator

import numpy as _numpy

import ndany as _nd
from ndany._array import _dtype

from ._base import _wrap, sparray as _sparray
from ._parts import _as_sparse, _is_foreign, _is_number


class LinearOperator:
    """A linear map by functions of vectors, as ``scipy.sparse.linalg.LinearOperator``.

    Subclasses define ``_matvec``, and ``_rmatvec`` where they have an adjoint; they call ``super().__init__(dtype, shape)``.
    """

    __array_ufunc__ = None
    shape: tuple
    ndim: int
    dtype: _numpy.dtype

    def __init__(self, shape, matvec=None, rmatvec=None, matmat=None, dtype=None, rmatmat=None):
        if isinstance(matvec, (tuple, list)):
            # Subclasses call it with dtype and shape, as those of SciPy's class.
            shape, matvec, dtype = matvec, None, shape
        m, n = (_operator.index(extent) for extent in shape)
        if m < 0 or n < 0:
            raise ValueError(f"invalid shape {shape!r} (must be 2-d)")
        self.shape, self.ndim = (m, n), 2
        if matvec is not None:
            self._matvec = matvec
        elif matmat is not None:
            self._matvec = lambda x: _nd.asarray(matmat(x.reshape(-1, 1))).reshape(-1)
        elif type(self)._matvec is LinearOperator._matvec:
            raise TypeError("[LinearOperator] expected a function: matvec or matmat")
        if rmatvec is not None:
            self._rmatvec = rmatvec
        elif rmatmat is not None:
            self._rmatvec = lambda x: _nd.asarray(rmatmat(x.reshape(-1, 1))).reshape(-1)
        if matmat is not None:
            self._matmat = matmat
        if rmatmat is not None:
            self._rmatmat = rmatmat
        # Without a dtype it is that of a product.
        self.dtype = _numpy.result_type(_nd.asarray(self._matvec(_nd.zeros(n))).dtype, "float32") if dtype is None else _dtype(dtype)

    def _matvec(self, x):
        raise NotImplementedError("[LinearOperator] the class has no function _matvec")

    _rmatvec = None

    def _matmat(self, X):
        return _nd.stack([_nd.asarray(self._matvec(X[:, j])).reshape(-1) for j in range(X.shape[1])], axis=1)

    def _rmatmat(self, X):
        return _nd.stack([_nd.asarray(self._adjoint_of(X[:, j])).reshape(-1) for j in range(X.shape[1])], axis=1)

    def _adjoint_of(self, x):
        if self._rmatvec is None:
            raise NotImplementedError("rmatvec is not defined")
        return self._rmatvec(x)

    def _vector(self, x, length, function):
        x = _nd.asarray(x)
        if x.shape not in ((length,), (length, 1)):
            raise ValueError("dimension mismatch")
        return _nd.asarray(function(x.reshape(-1))).reshape((-1,) + x.shape[1:])

    def matvec(self, x):
        """The product with a vector."""
        return self._vector(x, self.shape[1], self._matvec)

    def rmatvec(self, x):
        """The product of the adjoint with a vector."""
        return self._vector(x, self.shape[0], self._adjoint_of)

    def _matrix(self, X, length, function):
        X = _nd.asarray(X)
        if X.ndim != 2 or X.shape[0] != length:
            raise ValueError(f"dimension mismatch: {self.shape}, {X.shape}")
        return _nd.asarray(function(X))

    def matmat(self, X):
        """The product with a matrix."""
        return self._matrix(X, self.shape[1], self._matmat)

    def rmatmat(self, X):
        """The product of the adjoint with a matrix."""
        return self._matrix(X, self.shape[0], self._rmatmat)

    def dot(self, x):
        """The product with an operator, a number, a vector or a matrix."""
        if isinstance(x, LinearOperator):
            return _product(self, x)
        if _is_number(x):
            return _scaled(self, x)
        x = _nd.asarray(x)
        return self.matvec(x) if x.ndim == 1 else self.matmat(x)

    def __call__(self, x):
        return self.dot(x)

    def __matmul__(self, other):
        if _is_number(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self.dot(other)

    def __mul__(self, other):
        return self.dot(other)

    def __rmul__(self, other):
        return _scaled(self, other) if _is_number(other) else NotImplemented

    def __neg__(self):
        return _scaled(self, -1)

    def __add__(self, other):
        return _sum(self, other) if isinstance(other, LinearOperator) else NotImplemented

    def __sub__(self, other):
        return _sum(self, -other) if isinstance(other, LinearOperator) else NotImplemented

    def __pow__(self, power):
        result = LinearOperator(self.shape, lambda x: x, lambda x: x, dtype=self.dtype)
        for _ in range(_operator.index(power)):
            result = _product(self, result)
        return result

    def adjoint(self):
        """The adjoint operator."""
        return LinearOperator(self.shape[::-1], self._adjoint_of, self._matvec, dtype=self.dtype)

    H = property(adjoint)

    def transpose(self):
        """The transposed operator."""
        return LinearOperator(
            self.shape[::-1],
            lambda x: _nd.asarray(self._adjoint_of(x.conj())).conj(),
            lambda x: _nd.asarray(self._matvec(x.conj())).conj(),
            dtype=self.dtype,
        )

    T = property(transpose)

    def __repr__(self):
        m, n = self.shape
        return f"<{m}x{n} {type(self).__name__} with dtype={self.dtype}>"


def _product(a, b):
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"cannot multiply {a!r} and {b!r}: shape mismatch")
    return LinearOperator(
        (a.shape[0], b.shape[1]),
        lambda x: a._matvec(_nd.asarray(b._matvec(x))),
        lambda x: b._adjoint_of(_nd.asarray(a._adjoint_of(x))),
        dtype=_numpy.result_type(a.dtype, b.dtype),
    )


def _scaled(a, number):
    back = number.conjugate() if hasattr(number, "conjugate") else number
    return LinearOperator(
        a.shape,
        lambda x: _nd.asarray(a._matvec(x)) * number,
        lambda x: _nd.asarray(a._adjoint_of(x)) * back,
        dtype=_numpy.result_type(a.dtype, number),
    )


def _sum(a, b):
    if a.shape != b.shape:
        raise ValueError(f"cannot add {a!r} and {b!r}: shape mismatch")
    return LinearOperator(
        a.shape,
        lambda x: _nd.asarray(a._matvec(x)) + _nd.asarray(b._matvec(x)),
        lambda x: _nd.asarray(a._adjoint_of(x)) + _nd.asarray(b._adjoint_of(x)),
        dtype=_numpy.result_type(a.dtype, b.dtype),
    )


def aslinearoperator(A):
    """An array, or what multiplies by vectors, as a ``LinearOperator``."""
    if isinstance(A, LinearOperator):
        return A
    if isinstance(A, _sparray) or _is_foreign(A):
        A = A if isinstance(A, _sparray) else _wrap(_as_sparse(A))
        return LinearOperator(A.shape, lambda x: A @ x, lambda x: A.conj(copy=False).T @ x, lambda x: A @ x, A.dtype)
    if hasattr(A, "matvec") and hasattr(A, "shape"):
        return LinearOperator(A.shape, A.matvec, getattr(A, "rmatvec", None), dtype=getattr(A, "dtype", None))
    A = _nd.atleast_2d(_nd.asarray(A))
    if A.ndim != 2:
        raise ValueError("array must have ndim <= 2")
    return LinearOperator(A.shape, lambda x: A @ x, lambda x: A.conj().T @ x, lambda x: A @ x, A.dtype)
