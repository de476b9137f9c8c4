"""Functions that make sparse arrays, or join and take them apart."""

import math
import operator
import os

import numpy as _numpy

import ndany as _nd
from ndany import _core
from ndany._array import _dtype

from ._base import _CLASSES, _wrap, sparray
from ._parts import _as_sparse, _dense, _extents, _Sparse
from ._tensor import _at_places, _places, _unraveled


def _two_axes(name, x, kind="csr"):
    """The value of an array of two axes, or of one, which is a row."""
    value = _as_sparse(x, kind)
    if value.ndim > 2:
        raise ValueError(f"[{name}] expected at most two axes, got shape {value.shape}")
    return value if value.ndim == 2 else value.shaped((1, *value.shape))


def _result(value, format=None, dtype=None):
    made = _wrap(value)
    if dtype is not None:
        made = made.astype(dtype, copy=False)
    return made if format is None else made.asformat(format)


def eye_array(m, n=None, *, k=0, dtype=float, format=None):
    """An array with ones on a diagonal, as ``scipy.sparse.eye_array``; in diagonals unless `format` says another one."""
    shape = _extents((m, m if n is None else n))
    if not -shape[0] <= k <= shape[1]:
        raise ValueError(f"[eye_array] k: expected {-shape[0]} to {shape[1]}, got {k}")
    ones = _nd.ones((1, max(0, min(shape[0] + k, shape[1]))), dtype=_dtype(dtype))
    return _result(_Sparse.diagonals(ones, [operator.index(k)], shape), format)


def identity(n, dtype="d", format=None):
    """The square array with ones on the diagonal, as ``scipy.sparse.identity``."""
    return eye_array(n, dtype=dtype, format=format)


def diags_array(diagonals, /, *, offsets=0, shape=None, format=None, dtype=None):
    """An array of diagonals, each from its first element on, as ``scipy.sparse.diags_array``."""
    if not hasattr(offsets, "__len__") and not hasattr(offsets, "__array__"):
        one = not hasattr(diagonals, "__len__") or not len(diagonals) or _nd.asarray(diagonals[0]).ndim == 0
        diagonals = [_nd.atleast_1d(_dense(diagonals if one else diagonals[0]))]
        offsets = [offsets]
    else:
        diagonals = [_nd.atleast_1d(_dense(one)) for one in diagonals]
    offsets = [operator.index(one) for one in _numpy.asarray(_nd.asnumpy(offsets)).tolist()]
    if dtype is not None:
        diagonals = [one.astype(_dtype(dtype)) for one in diagonals]
    return _result(_Sparse.diags(diagonals, offsets, _extents(shape)), format)


def random_array(shape, *, density=0.01, format="coo", dtype=None, rng=None, data_sampler=None):
    """An array of random places and values, as ``scipy.sparse.random_array``; the places are those of ndany's generator.

    Values are floats from 0 to 1, integers over the whole range of their dtype, or what ``data_sampler(size=...)`` returns.
    """
    generator = rng if isinstance(rng, _core._Generator) else _nd.random.default_rng(rng)
    shape = _extents(shape, "coo")
    if len(shape) == 2:
        value = _Sparse.random(generator, shape, float(density))
    else:
        value = _Sparse.random(generator, (1, math.prod(shape)), float(density)).shaped(shape)
    dtype = None if dtype is None else _dtype(dtype)
    if data_sampler is not None:
        value = value.with_data(_dense(data_sampler(size=value.nnz), value.device))
    elif dtype is not None and dtype.kind in "iu":
        limits = _numpy.iinfo(dtype)
        value = value.with_data(generator.integers(limits.min, limits.max, size=value.nnz, dtype=dtype))
    elif dtype is not None and dtype.kind == "b":
        value = value.with_data(value.data < 0.5)
    return _result(value, format, dtype)


def kron(A, B, format=None):
    """The Kronecker product, as ``scipy.sparse.kron``."""
    a, b = _as_sparse(A, "coo"), _as_sparse(B, "coo")
    if a.ndim == b.ndim == 2:
        return _result(_Sparse.kron(a, b), format)
    a, b = a.to_format("coo"), b.to_format("coo").to_device(a.device)
    count = max(a.ndim, b.ndim)
    first, second = ((1,) * (count - value.ndim) + tuple(value.shape) for value in (a, b))
    shape = [one * other for one, other in zip(first, second)]
    coords = _unraveled(_places(a.coords, a.shape), first)
    own = _places([coord * extent for coord, extent in zip(coords, second)], shape)
    others = _places(_unraveled(_places(b.coords, b.shape), second), shape)
    places = (own.reshape(-1, 1) + others).reshape(-1)
    return _result(_at_places((a.data.reshape(-1, 1) * b.data).reshape(-1), places, shape), format)


def kronsum(A, B, format=None):
    """The Kronecker sum of square arrays, ``kron(I, A) + kron(B, I)``, as ``scipy.sparse.kronsum``."""
    return _result(_Sparse.kronsum(_as_sparse(A, "coo"), _as_sparse(B, "coo")), format)


def _array(A):
    return A if isinstance(A, sparray) else _wrap(_as_sparse(A, "coo"))


def _axes_of(name, A, axes):
    """Axes that count from 0."""
    axes = [operator.index(axis) for axis in axes]
    if any(not -A.ndim <= axis < A.ndim for axis in axes):
        raise ValueError(f"[{name}] expected axes of an array of {A.ndim}, got {tuple(axes)}")
    return [axis % A.ndim for axis in axes]


def swapaxes(A, axis1, axis2):
    """The array with two axes exchanged, in coordinates, as ``scipy.sparse.swapaxes``."""
    A = _array(A)
    first, second = _axes_of("swapaxes", A, (axis1, axis2))
    order = list(range(A.ndim))
    order[first], order[second] = second, first
    return A.tocoo(copy=False).transpose(order)


def permute_dims(A, axes=None, copy=False):
    """The array with its axes in another order, as ``scipy.sparse.permute_dims``."""
    A = _array(A)
    axes = list(range(A.ndim))[::-1] if axes is None else _axes_of("permute_dims", A, axes)
    if sorted(axes) != list(range(A.ndim)):
        raise ValueError(f"[permute_dims] expected each axis once, got {tuple(axes)}")
    result = A if axes == list(range(A.ndim)) else A.transpose(axes)
    return result.copy() if copy else result


def expand_dims(A, /, *, axis=0):
    """The array with a new axis of one element, in coordinates, as ``scipy.sparse.expand_dims``."""
    A = _array(A)
    at, count = operator.index(axis), A.ndim
    if not -count - 1 <= at <= count:
        raise ValueError(f"Invalid axis {at} for N={count}. Must be in [-N-1, N].")
    at = at + count + 1 if at < 0 else at
    return A.tocoo(copy=False).reshape((*A.shape[:at], 1, *A.shape[at:]))


def hstack(blocks, format=None, dtype=None):
    """Arrays side by side, as ``scipy.sparse.hstack``."""
    return _result(_Sparse.joined("hstack", [_two_axes("hstack", one) for one in blocks]), format, dtype)


def vstack(blocks, format=None, dtype=None):
    """Arrays one above the other, as ``scipy.sparse.vstack``."""
    return _result(_Sparse.joined("vstack", [_two_axes("vstack", one) for one in blocks]), format, dtype)


def block_array(blocks, *, format=None, dtype=None):
    """An array of rows of arrays, as ``scipy.sparse.block_array``; ``None`` has no entries."""
    rows = [[None if one is None else _two_axes("block_array", one) for one in row] for row in blocks]
    return _result(_Sparse.blocks(rows), format, dtype)


def block_diag(mats, format=None, dtype=None):
    """Arrays along the diagonal, as ``scipy.sparse.block_diag``."""
    return _result(_Sparse.joined("block_diag", [_two_axes("block_diag", _matrix(one)) for one in mats]), format, dtype)


def _matrix(x):
    """Numbers and vectors as arrays of one row."""
    return x if isinstance(x, sparray) or hasattr(x, "tocsr") else _nd.atleast_2d(_dense(x))


def tril(A, k=0, format=None):
    """The elements on a diagonal and below it, as ``scipy.sparse.tril``."""
    return _result(_as_sparse(A, "coo").triangle(False, k), format)


def triu(A, k=0, format=None):
    """The elements on a diagonal and above it, as ``scipy.sparse.triu``."""
    return _result(_as_sparse(A, "coo").triangle(True, k), format)


def find(A):
    """Rows, columns and values of elements that are not zero, as ``scipy.sparse.find``."""
    return _two_axes("find", A, "coo").find()


def matrix_power(A, power):
    """The matrix product of an array with itself, as ``scipy.sparse.linalg.matrix_power``."""
    power = operator.index(power)
    if power < 0:
        raise ValueError("[matrix_power] expected a power of 0 or more: solve a system for an inverse")
    return _wrap(_as_sparse(A).matrix_power(power))


def _path(file):
    path = os.fspath(file)
    path = os.fsdecode(path)
    return path if path.endswith(".npz") else path + ".npz"


def save_npz(file, matrix, compressed=True):
    """Writes an array to a file that SciPy reads, too, as ``scipy.sparse.save_npz``; `file` is a path."""
    value, path = _as_sparse(matrix), _path(file)
    if value.ndim == 2:
        value.save(path, bool(compressed))
        return
    if value.format == "coo":
        parts = {"coords": _numpy.stack([part.get() for part in value.coords])}
    else:
        parts = {"indices": value.indices.get(), "indptr": value.indptr.get()}
    write = _numpy.savez_compressed if compressed else _numpy.savez
    write(path, **parts, format=value.format.encode("ascii"), shape=value.shape, data=value.data.get(), _is_array=True)


def load_npz(file):
    """Reads an array from a file of ``save_npz``, SciPy's or ndany's; `file` is a path."""
    path = os.fsdecode(os.fspath(file))
    try:
        return _wrap(_Sparse.load(path))
    except ValueError:
        with _numpy.load(path, allow_pickle=False) as parts:
            kind, shape = parts["format"].item(), parts["shape"]
            if shape.ndim != 1 or shape.dtype.kind != "i" or shape.size == 2 or kind not in (b"coo", b"csr"):
                raise
            names = ("data", "coords") if kind == b"coo" else ("data", "indices", "indptr")
            missing = [name for name in names if name not in parts]
            if missing:
                raise ValueError(f"[load_npz] the file has no entry {missing[0]}") from None
            data, *rest = (parts[name] for name in names)
            return _CLASSES[kind.decode()]((data, *rest), shape=tuple(shape.tolist()))
