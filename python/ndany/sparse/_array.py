"""The classes of sparse arrays, one for each format."""

import numpy as _numpy

import ndany as _nd

from ._base import _wrap, sparray
from ._parts import _blocksize, _indices, _made, _Sparse


def _readonly(array):
    return array._strided(array.shape, array.strides, 0, False)


class _compressed(sparray):
    """What formats with `indices` and `indptr` have."""

    __slots__ = ()

    def _with(self, indices, indptr):
        parts = [self._now.data, _indices(indices).to_device(self.device), _indices(indptr).to_device(self.device)]
        self._own = _Sparse.compressed(self._format, parts, self.shape)

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


class csr_array(_compressed):
    """An array of compressed rows: of a dense or sparse array, a shape, ``(data, indices, indptr)`` or ``(data, (rows, columns))``."""

    __slots__ = ()
    _format = "csr"


class csc_array(_compressed):
    """An array of compressed columns: of a dense or sparse array, a shape, ``(data, indices, indptr)`` or ``(data, (rows, columns))``."""

    __slots__ = ()
    _format = "csc"


class bsr_array(_compressed):
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
    """An array of coordinates: of a dense or sparse array, a shape, or ``(data, (rows, columns))``."""

    __slots__ = ()
    _format = "coo"

    @property
    def coords(self):
        """Rows and columns of the entries, which cannot be written into."""
        return tuple(_readonly(part) for part in self._own.coords)

    @coords.setter
    def coords(self, coords):
        rows, columns = (_indices(part).to_device(self.device) for part in coords)
        self._own = _Sparse.coordinates([self._now.data, rows, columns], self.shape)

    @property
    def row(self):
        """The rows of the entries, which cannot be written into."""
        return self.coords[0]

    @row.setter
    def row(self, rows):
        self.coords = rows, self.coords[1]

    @property
    def col(self):
        """The columns of the entries, which cannot be written into."""
        return self.coords[1]

    @col.setter
    def col(self, columns):
        self.coords = self.coords[0], columns


class dia_array(sparray):
    """An array of diagonals: of a dense or sparse array, a shape, or ``(data, offsets)``, where ``data[k, j]`` is in column j."""

    __slots__ = ()
    _format = "dia"

    @property
    def offsets(self):
        """The offset of each diagonal."""
        return _readonly(_nd.asarray(_numpy.asarray(self._own.offsets, "int32"), device=self.device))
