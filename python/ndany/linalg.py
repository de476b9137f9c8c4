"""Linear algebra: the names of ``numpy.linalg``, and of the array API's extension."""

import collections as _collections

from numpy.linalg import LinAlgError  # noqa: F401

from . import _core, _namespace

_namespace.fill(globals(), "np.linalg.")

_EighResult = _collections.namedtuple("EighResult", "eigenvalues eigenvectors")
_EigResult = _collections.namedtuple("EigResult", "eigenvalues eigenvectors")
_QRResult = _collections.namedtuple("QRResult", "Q R")
_SlogdetResult = _collections.namedtuple("SlogdetResult", "sign logabsdet")
_SVDResult = _collections.namedtuple("SVDResult", "U S Vh")

_eig, _eigvals, _eigh, _qr, _slogdet, _svd, _norm = eig, eigvals, eigh, qr, slogdet, svd, norm  # noqa: F821
_matrix_rank, _pinv = matrix_rank, pinv  # noqa: F821


def _complex(x):
    """Complex eigenvalues also of real matrices, as the standard has them since 2025.12."""
    return x if x.dtype.kind == "c" else x.astype("complex64" if x.dtype.itemsize == 4 else "complex128")


def eig(a):
    """Eigenvalues and eigenvectors; the results are complex, as the array API asks."""
    values, vectors = _eig(a)
    return _EigResult(_complex(values), _complex(vectors))


def eigvals(a):
    """Eigenvalues; the result is complex, as the array API asks."""
    return _complex(_eigvals(a))


def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of Hermitian matrices, as ``numpy.linalg.eigh``."""
    return _EighResult(*_eigh(a, UPLO))


def qr(a, mode="reduced"):
    """QR factorization, as ``numpy.linalg.qr``."""
    result = _qr(a, mode)
    return _QRResult(*result) if mode in ("reduced", "complete") else result


def slogdet(a):
    """Sign and logarithm of determinants, as ``numpy.linalg.slogdet``."""
    return _SlogdetResult(*_slogdet(a))


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular value decomposition, as ``numpy.linalg.svd``."""
    result = _svd(a, full_matrices, compute_uv, hermitian)
    return _SVDResult(*result) if compute_uv else result


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """Ranks of matrices, as ``numpy.linalg.matrix_rank``."""
    given = {name: value for name, value in (("tol", tol), ("rtol", rtol)) if value is not None}
    return _matrix_rank(A, hermitian=hermitian, **given)


def pinv(a, rcond=None, hermitian=False, *, rtol=None):
    """Pseudo-inverses, as ``numpy.linalg.pinv``."""
    given = {name: value for name, value in (("rcond", rcond), ("rtol", rtol)) if value is not None}
    return _pinv(a, hermitian=hermitian, **given)


def diagonal(x, /, *, offset=0):
    """Diagonals of matrices, as ``numpy.linalg.diagonal``."""
    from . import asarray

    return asarray(x).diagonal(offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """Sums of diagonals of matrices, as ``numpy.linalg.trace``."""
    return _core.function("np.trace")(x, offset, -2, -1, dtype=dtype)


def matrix_transpose(x, /):
    """Matrices with rows and columns exchanged: a view."""
    from . import asarray

    return asarray(x).mT


def __getattr__(name):
    # What the array API's extension shares with the main namespace.
    if name in ("cross", "matmul", "outer", "tensordot", "vecdot"):
        return _core.function("np." + name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
