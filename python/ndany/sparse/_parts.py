"""From objects to the values of sparse arrays."""

import operator

import numpy as _numpy

import ndany as _nd
from ndany import _core
from ndany._array import _dtype

_Sparse, _ndarray = _core._Sparse, _core.ndarray
_FORMATS = ("csr", "csc", "coo", "dia", "bsr")


def _is_own(x):
    """Whether an object is a sparse array of this package."""
    return hasattr(type(x), "_now")


def _is_foreign(x):
    """Whether an object is a sparse array of SciPy or CuPy."""
    return hasattr(x, "format") and hasattr(x, "tocsr") and not _is_own(x)


def _is_number(x):
    return isinstance(x, (int, float, complex, _numpy.generic)) or (isinstance(x, (_ndarray, _numpy.ndarray)) and x.ndim == 0)


def _dense(x, device=None):
    """A dense array on a device."""
    made = _nd.asarray(x)
    return made if device is None else made.to_device(device)


def _indices(x):
    """A list of positions. What is not yet an array of ndany gets int32 if the values fit, as SciPy's index arrays do."""
    if isinstance(x, _ndarray):
        return x
    if not isinstance(x, (list, tuple, range, _numpy.ndarray)):
        # They are checked once, so that memory of others is copied.
        return _nd.array(x)
    x = _numpy.asarray(x)
    if x.size == 0:
        return _nd.asarray(x.astype("int32"))
    if x.dtype.kind in "iu" and x.dtype != "int32":
        limits = _numpy.iinfo("int32")
        x = x.astype("int32" if limits.min <= x.min() and x.max() <= limits.max else "int64")
    return _nd.asarray(x)


# The numbers of axes that an array may have, where it is not two.
_AXES = {"coo": range(1, 65), "csr": (1, 2)}


def _extents(shape, kind=None):
    """Extents, as many as arrays of a format may have, or ``None``."""
    if shape is None:
        return None
    try:
        shape = [operator.index(extent) for extent in shape]
    except TypeError:
        raise TypeError(f"[sparse] shape: expected integers, got {shape!r}") from None
    if len(shape) not in _AXES.get(kind, (2,)):
        expected = {"coo": "one extent or more", "csr": "one extent or two"}.get(kind, "two extents")
        raise ValueError(f"[sparse] shape: expected {expected}, got {tuple(shape)}")
    if min(shape) < 0:
        raise ValueError(f"[sparse] shape: expected extents of 0 or more, got {tuple(shape)}")
    return shape


def _is_shape(x):
    return isinstance(x, tuple) and len(x) > 0 and all(isinstance(one, (int, _numpy.integer)) for one in x)


def _values(x, copy):
    """Values of another library's array, whose memory is shared where `copy` is false and it can be."""
    if copy is False:
        try:
            return _nd.asarray(x, copy=False).to_device(_core.current_device())
        except (ValueError, TypeError, BufferError):
            pass
    return _nd.array(x, device=_core.current_device())


def _from_foreign(x, copy):
    """The value of a sparse array of SciPy or CuPy. Index arrays are copied: they are checked once, and SciPy sorts its own in place."""
    kind = x.format
    if kind not in _FORMATS:
        kind = "csr" if len(x.shape) == 2 else "coo"
        x = x.asformat(kind)
    shape, data = [int(extent) for extent in x.shape], _values(x.data, copy)
    if kind == "coo":
        coords = x.coords if hasattr(x, "coords") else (x.row, x.col)
        return _Sparse.coordinates(data, [_indices(part) for part in coords], shape)
    if kind == "dia":
        return _Sparse.diagonals(data, [int(offset) for offset in x.offsets], shape)
    return _compressed(kind, [data, _indices(x.indices), _indices(x.indptr)], shape)


def _compressed(kind, parts, shape):
    """The value of compressed parts; an array of one axis is one row."""
    if shape is None or len(shape) == 2:
        return _Sparse.compressed(kind, parts, shape)
    return _Sparse.compressed(kind, parts, (1, *shape)).shaped(shape)


def _made(kind, arg1, shape, dtype, copy):
    """The value of one of SciPy's ways to say what an array is made of."""
    shape = _extents(shape, kind)
    name = kind + "_array"
    if _is_own(arg1) or _is_foreign(arg1):
        value = arg1._now if _is_own(arg1) else _from_foreign(arg1, copy)
        value = value.to_format(kind)
    elif isinstance(arg1, (str, bytes)) or _is_number(arg1):
        raise ValueError(f"[{name}] expected an array or its parts, got {arg1!r}")
    elif _is_shape(arg1):
        shape = _extents(arg1, kind)
        none = _nd.zeros(0, dtype=dtype or float)
        places = _nd.zeros(0, dtype="int32")
        return _Sparse.coordinates(none, [places] * len(shape), shape).to_format(kind)
    elif isinstance(arg1, tuple):
        value = _of_parts(kind, name, arg1, shape)
    else:
        dense = _dense(arg1)
        if dense.ndim not in _AXES.get(kind, (2,)):
            expected = {"coo": "one axis or more", "csr": "one axis or two"}.get(kind, "two axes")
            raise ValueError(f"[{name}] expected {expected}, got shape {dense.shape}")
        value = _Sparse.of_dense(kind, dense)
    if shape is not None and tuple(shape) != value.shape:
        raise ValueError(f"[{name}] expected shape {tuple(shape)}, got {value.shape}")
    return value if dtype is None or _dtype(dtype) == value.dtype else value.astype(_dtype(dtype))


def _is_wide(value, *indices):
    """Whether 64 bits are more than indices need that have been checked: SciPy's have 32 then, and products are faster with them."""
    return any(one.dtype.itemsize == 8 for one in indices) and max(*value.shape, value.nnz) < 2**31


def _of_parts(kind, name, parts, shape):
    if len(parts) == 3 and kind in ("csr", "csc", "bsr"):
        data, indices, indptr = parts
        indices, indptr = _indices(indices), _indices(indptr)
        value = _compressed(kind, [_dense(data), indices, indptr], shape)
        if not _is_wide(value, indices, indptr):
            return value
        return _compressed(kind, [value.data, indices.astype("int32"), indptr.astype("int32")], value.shape)
    if len(parts) == 2 and kind == "dia":
        data, offsets = parts
        if shape is None:
            raise ValueError("[dia_array] expected a shape, got none")
        data = _dense(data)
        offsets = [operator.index(offset) for offset in _numpy.atleast_1d(_nd.asnumpy(offsets)).tolist()]
        return _Sparse.diagonals(data if data.ndim == 2 else data.reshape(1, -1), offsets, shape)
    if len(parts) == 2:
        data, coords = parts
        try:
            coords = [_indices(part) for part in coords]
        except TypeError:
            raise ValueError(f"[{name}] expected (data, (rows, columns)), got a tuple of other parts") from None
        axes = _AXES.get(kind, (2,))
        if len(coords) not in axes or (shape is not None and len(coords) != len(shape)):
            expected = len(shape) if shape is not None else "two" if 1 not in axes else "one or more"
            raise ValueError(f"[{name}] expected indices of {expected} axes, got {len(coords)}")
        if shape is None and len(coords) != 2:
            if any(part.size == 0 for part in coords):
                raise ValueError("cannot infer dimensions from zero sized index arrays")
            shape = [int(part.max()) + 1 for part in coords]
        value = _Sparse.coordinates(_dense(data), coords, shape)
        if len(coords) == 2 and _is_wide(value, *coords):
            value = _Sparse.coordinates(value.data, [part.astype("int32") for part in coords], value.shape)
        return value.to_format(kind)
    raise ValueError(f"[{name}] expected an array, a shape or a tuple of parts, got a tuple of {len(parts)}")


def _as_sparse(x, kind="csr"):
    """The value of a sparse array of any library, or of a dense one."""
    if _is_own(x):
        return x._now
    if _is_foreign(x):
        return _from_foreign(x, None)
    return _made(kind, x, None, None, None)


def _blocksize(value):
    """The largest of some sizes of square blocks of which at least 70 elements of 100 are stored, 1 x 1 if none is."""
    m, n = value.shape
    for size in (6, 4, 3, 2):
        if value.nnz and m % size == 0 and n % size == 0 and value.nnz >= 0.7 * value.to_bsr((size, size)).nnz:
            return size, size
    return 1, 1
