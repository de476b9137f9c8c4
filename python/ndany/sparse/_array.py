"""The classes of sparse arrays, one for each format."""

import operator

import numpy as _numpy

import ndany as _nd

from ._base import _result, _wrap, sparray
from ._parts import _blocksize, _compressed, _indices, _made, _ndarray, _Sparse
from ._tensor import _contracted


def _readonly(array):
    return array._strided(array.shape, array.strides, 0, False)


class _compressed_array(sparray):
    """What formats with `indices` and `indptr` have."""

    __slots__ = ()

    def _with(self, indices, indptr):
        parts = [self._now.data, _indices(indices).to_device(self.device), _indices(indptr).to_device(self.device)]
        self._own = _compressed(self._format, parts, self.shape)

    @property
    def indices(self):
        """The column of each entry (of compressed columns the row), which cannot be written into."""
        return _readonly(self._own.indices)

    @indices.setter
    def indices(self, indices):
        self._with(indices, self._own.indptr)

    @property
    def indptr(self):
        """Where each row (of compressed columns each column) begins, and all end; it cannot be written into."""
        return _readonly(self._own.indptr)

    @indptr.setter
    def indptr(self, indptr):
        self._with(self._own.indices, indptr)

    @property
    def has_sorted_indices(self):
        """Whether the indices of each row (of compressed columns each column) do not decrease."""
        if self._own.is_canonical:
            return True
        indices, indptr = self._own.indices.astype("int64"), self._own.indptr
        major = _nd.searchsorted(indptr, _nd.arange(indices.size, device=self.device), side="right")
        places = major * (max(self.shape) + 1) + indices
        return bool((places[1:] >= places[:-1]).all())

    def sort_indices(self):
        """Sorts the indices of each row (of compressed columns each column), in place."""
        self._take(self._now.sort_indices())

    def sorted_indices(self):
        """A copy with sorted indices."""
        return _wrap(self._now.sort_indices())


class csr_array(_compressed_array):
    """An array of compressed rows, of one axis or two: of a dense or sparse array, a shape, ``(data, indices, indptr)`` or
    ``(data, (rows, columns))``."""

    __slots__ = ()
    _format = "csr"


class csc_array(_compressed_array):
    """An array of compressed columns: of a dense or sparse array, a shape, ``(data, indices, indptr)`` or ``(data, (rows, columns))``."""

    __slots__ = ()
    _format = "csc"


class bsr_array(_compressed_array):
    """An array of rows of dense blocks: as ``csr_array``, with data of three axes."""

    __slots__ = ()
    _format = "bsr"

    def __init__(self, arg1, shape=None, dtype=None, copy=None, blocksize=None):
        parts = isinstance(arg1, tuple) and len(arg1) == 3
        if parts or isinstance(arg1, bsr_array):
            super().__init__(arg1, shape, dtype, copy)
            if blocksize not in (None, self.blocksize):
                if parts:
                    raise ValueError(f"[bsr_array] expected blocks of {tuple(blocksize)}, got {self.blocksize}")
                self._own = self._own.to_bsr(tuple(blocksize))
            return
        value = _made("csr", arg1, shape, dtype, copy)
        self._own, self._data = value.to_bsr(_blocksize(value) if blocksize is None else tuple(blocksize)), None

    def _take(self, value):
        self._own, self._data = value.to_bsr(self.blocksize), None

    @property
    def blocksize(self):
        """The extents of a block."""
        return self._own.data.shape[1:]


class coo_array(sparray):
    """An array of coordinates, of one axis or more: of a dense or sparse array, a shape, or ``(data, coords)`` with indices of each axis."""

    __slots__ = ()
    _format = "coo"

    @property
    def coords(self):
        """The indices of the entries along each axis, which cannot be written into."""
        return tuple(_readonly(part) for part in self._own.coords)

    @coords.setter
    def coords(self, coords):
        coords = [_indices(part).to_device(self.device) for part in coords]
        if len(coords) != self.ndim:
            raise ValueError(f"[coo_array] coords: expected indices of {self.ndim} axes, got {len(coords)}")
        self._own = _Sparse.coordinates(self._now.data, coords, self.shape)

    @property
    def row(self):
        """The indices along the last axis but one, zeros if there is one axis; they cannot be written into."""
        return self.coords[-2] if self.ndim > 1 else _readonly(_nd.zeros_like(self._own.coords[0]))

    @row.setter
    def row(self, rows):
        if self.ndim < 2:
            raise ValueError("cannot set row attribute of a 1-dimensional sparse array")
        self.coords = *self.coords[:-2], rows, self.coords[-1]

    @property
    def col(self):
        """The indices along the last axis, which cannot be written into."""
        return self.coords[-1]

    @col.setter
    def col(self, columns):
        self.coords = *self.coords[:-1], columns

    def tensordot(self, other, axes=2):
        """The sums of products with another array along the last `axes` axes of this one and the first ones of the other, or along two
        lists of axes; sparse if the other array is sparse."""
        other = self._operand(other)
        if not isinstance(other, (_Sparse, _ndarray)):
            raise TypeError("[tensordot] expected a sparse or a dense array")
        return _result(_contracted(self._now, other, *_axes_to_sum(axes, self.ndim, other.ndim)))


def _axes_to_sum(axes, own, other):
    """Two lists of axes, which count from 0."""
    if isinstance(axes, (int, _numpy.integer)):
        if not 1 <= axes <= min(own, other):
            raise ValueError("axes integer is out of bounds for input arrays")
        return list(range(own - axes, own)), list(range(axes))
    if not isinstance(axes, (tuple, list)):
        raise TypeError("axes must be an integer or a tuple/list of integers")
    if len(axes) != 2:
        raise ValueError("axes must be a tuple/list of length 2")
    first, second = ([operator.index(axis) for axis in (listed if hasattr(listed, "__len__") else (listed,))] for listed in axes)
    if len(first) != len(second):
        raise ValueError("axes lists/tuples must be of the same length")
    if any(not -own <= axis < own for axis in first) or any(not -other <= axis < other for axis in second):
        raise ValueError("axes indices are out of bounds for input arrays")
    return [axis % own for axis in first], [axis % other for axis in second]


class dia_array(sparray):
    """An array of diagonals: of a dense or sparse array, a shape, or ``(data, offsets)``, where ``data[k, j]`` is in column j."""

    __slots__ = ()
    _format = "dia"

    @property
    def offsets(self):
        """The offset of each diagonal."""
        return _readonly(_nd.asarray(_numpy.asarray(self._own.offsets, "int32"), device=self.device))
