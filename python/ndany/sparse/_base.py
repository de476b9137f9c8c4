"""What the classes of sparse arrays have in common: SciPy's names and argument orders over the engine's values."""

import operator

import numpy as _numpy

import ndany as _nd
from ndany._array import _dtype

from ._index import _key
from ._parts import _as_sparse, _blocksize, _dense, _from_foreign, _is_foreign, _is_number, _made, _ndarray, _Sparse


# The class of each format.
_CLASSES = {}


def _wrap(value):
    """The array of a value, of the class of its format."""
    made = object.__new__(_CLASSES[value.format])
    made._own, made._data = value, None
    return made


def issparse(x):
    """Whether an object is a sparse array of ndany."""
    return isinstance(x, sparray)


def _unary(name, method=None):
    def function(self):
        return _wrap(self._now.unary(method or name))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As ``{name}`` of SciPy's sparse arrays: of the stored values."
    return function


def _comparison(name):
    def function(self, other):
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if isinstance(other, _ndarray) and other.ndim:
            return getattr(_nd, name)(self.toarray(), other)
        return _wrap(self._now.compare(name, other))

    return function


class sparray:
    """What all formats have in common. Arrays have two axes; elements that are not stored are zero."""

    __slots__ = ("_own", "_data", "__weakref__")
    __array_priority__ = 1000
    __hash__ = None
    __iter__ = None
    _format = None

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "_format" in vars(cls):
            _CLASSES[cls._format] = cls

    def __init__(self, arg1, shape=None, dtype=None, copy=None):
        if self._format is None:
            raise TypeError("[sparray] make an array of one of the formats, as csr_array")
        self._own, self._data = _made(self._format, arg1, shape, dtype, copy), None

    @property
    def _now(self):
        """The value, with what was written into `data`."""
        if self._data is not None:
            changed = self._own.synced(self._data)
            if changed is not None:
                self._own = changed
        return self._own

    def _take(self, value):
        """Becomes another value of the same format."""
        self._own, self._data = value.to_format(self._format), None

    def _operand(self, other):
        """The other operand: a sparse value, a dense array, a number, or ``None`` for what is none of them."""
        if isinstance(other, sparray):
            return other._now
        if _is_foreign(other):
            other = _from_foreign(other, None)
            return other if other.device == self.device else other.to_device(self.device)
        if isinstance(other, (int, float, complex, _numpy.generic)):
            return other
        if isinstance(other, (_ndarray, _numpy.ndarray, list, tuple)) or hasattr(other, "__array__") or hasattr(other, "__dlpack__"):
            other = _dense(other, self.device)
            return other if other.ndim else other.get()[()]
        return None

    # Attributes.

    shape = property(lambda self: self._own.shape)
    ndim = property(lambda self: 2)
    nnz = property(lambda self: self._own.nnz)
    size = property(lambda self: self._own.nnz)
    format = property(lambda self: self._format)
    device = property(lambda self: self._own.device)

    @property
    def dtype(self):
        return self._now.dtype

    @property
    def data(self):
        """The stored values. What is written into them changes the array."""
        if self._data is None:
            self._data = self._own.data
        return self._data

    @data.setter
    def data(self, values):
        self._own, self._data = self._own.with_data(_dense(values, self.device)), None

    @property
    def T(self):
        return self.transpose()

    @property
    def mT(self):
        return self.transpose()

    @property
    def real(self):
        return _wrap(self._now.with_data(self.data.real))

    @property
    def imag(self):
        return _wrap(self._now.with_data(self.data.imag))

    @property
    def has_canonical_format(self):
        """Whether places are sorted and none comes twice."""
        return self._own.is_canonical

    def __repr__(self):
        return "\n".join(str(self._own).split("\n")[:2])

    def __str__(self):
        return str(self._now)

    def __len__(self):
        raise TypeError("sparse array length is ambiguous; use nnz or shape[0]")

    def __bool__(self):
        if self.shape != (1, 1):
            raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all().")
        return bool(self[0, 0])

    def __reduce__(self):
        value = self._now
        if self._format == "coo":
            parts = [part._numpy() for part in value.coords]
        elif self._format == "dia":
            parts = value.offsets
        else:
            parts = [value.indices._numpy(), value.indptr._numpy()]
        return _restored, (self._format, value.data._numpy(), parts, self.shape)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    # Conversions.

    def asformat(self, format, copy=False):
        """The array in another format; itself if it has it and `copy` is false."""
        if format is None or format == self._format:
            return self.copy() if copy else self
        if format not in _CLASSES:
            raise ValueError(f"Format {format} is unknown.")
        if format == "bsr":
            return self.tobsr()
        return _wrap(self._now.to_format(format))

    def tocsr(self, copy=False):
        """The array in compressed rows."""
        return self.asformat("csr", copy)

    def tocsc(self, copy=False):
        """The array in compressed columns."""
        return self.asformat("csc", copy)

    def tocoo(self, copy=True):
        """The array in coordinates."""
        return self.asformat("coo", copy)

    def todia(self, copy=False):
        """The array in diagonals."""
        return self.asformat("dia", copy)

    def tobsr(self, blocksize=None, copy=False):
        """The array in rows of dense blocks; without a size the largest of some by which blocks are mostly full."""
        if self._format == "bsr" and blocksize in (None, self.blocksize):
            return self.copy() if copy else self
        value = self._now
        return _wrap(value.to_bsr(_blocksize(value) if blocksize is None else tuple(blocksize)))

    def toarray(self, order=None, out=None):
        """The dense array."""
        dense = self._now.to_dense()
        if out is not None:
            if out.shape != self.shape or out.dtype != self.dtype:
                raise ValueError("out array must be same dtype and shape as sparse array")
            out[...] = dense if isinstance(out, _ndarray) else dense.get()
            return out
        return dense if order in (None, "C") else _nd.asarray(dense, order=order)

    todense = toarray

    def get(self, stream=None):
        """A copy in the host's memory, as an array of SciPy."""
        import scipy.sparse

        value, data = self._now, self._now.data.get()
        made = getattr(scipy.sparse, self._format + "_array")
        if self._format == "coo":
            return made((data, tuple(part.get() for part in value.coords)), shape=self.shape)
        if self._format == "dia":
            return made((data, value.offsets), shape=self.shape)
        return made((data, value.indices.get(), value.indptr.get()), shape=self.shape)

    def to_device(self, device):
        """The array on another device."""
        return self if str(device) == self.device else _wrap(self._now.to_device(str(device)))

    def astype(self, dtype, casting="unsafe", copy=True):
        """The array with values of another dtype."""
        dtype = _dtype(dtype)
        if dtype == self.dtype:
            return self.copy() if copy else self
        return _wrap(self._now.with_data(self.data.astype(dtype, casting=casting)))

    def copy(self):
        """A copy, which does not change with this array."""
        return _wrap(self._now.with_data(self._now.data.copy("K")))

    def conj(self, copy=True):
        """The complex conjugate."""
        if self.dtype.kind != "c":
            return self.copy() if copy else self
        return _wrap(self._now.with_data(self.data.conj()))

    conjugate = conj

    def transpose(self, axes=None, copy=False):
        """The array with rows and columns exchanged: compressed rows become compressed columns, and nothing moves."""
        if axes not in (None, (1, 0), (-1, 0), (1, -2), (-1, -2)):
            raise ValueError("Sparse arrays do not support an 'axes' parameter other than (1, 0), which exchanges the axes.")
        return _wrap(self._now.transpose())

    def reshape(self, *shape, order="C", copy=False):
        """The elements, in the order of rows, in another shape of two axes; one extent may be -1."""
        if order != "C":
            raise ValueError(f"[reshape] order: expected 'C', got {order!r}")
        shape = shape[0] if len(shape) == 1 and hasattr(shape[0], "__len__") else shape
        shape = [operator.index(extent) for extent in shape]
        if len(shape) != 2:
            raise ValueError(f"[reshape] expected two extents, got {tuple(shape)}")
        if shape.count(-1) == 1:
            other = shape[shape.index(-1) - 1]
            size = self.shape[0] * self.shape[1]
            if other == 0 or size % other:
                raise ValueError(f"cannot reshape array of size {size} into shape {tuple(shape)}")
            shape[shape.index(-1)] = size // other
        if min(shape) < 0:
            raise ValueError(f"'shape' elements cannot be negative: {tuple(shape)}")
        return _wrap(self._now.reshape(shape)).asformat(self.format)

    def nonzero(self):
        """Rows and columns of elements that are not zero."""
        return self._now.find()[:2]

    # Changes in place.

    def eliminate_zeros(self):
        """Removes stored zeros, in place."""
        self._take(self._now.eliminate_zeros())

    def sum_duplicates(self):
        """Adds the entries of one place to one, in place."""
        self._take(self._now.sum_duplicates())

    def setdiag(self, values, k=0):
        """Sets elements of a diagonal, in place."""
        m, n = self.shape
        row, column = max(-k, 0), max(k, 0)
        if (k > 0 and k >= n) or (k < 0 and -k >= m):
            raise ValueError("k exceeds array dimensions")
        count = min(m - row, n - column)
        values = _dense(values, self.device)
        if values.ndim:
            count = min(count, values.size)
            values = values[:count]
        at = _nd.arange(count, device=self.device)
        self._put_at(at + row, at + column, values)

    # Reductions. Along an axis they are dense arrays.

    def _reduce(self, name, axis, dtype=None, out=None):
        result = self._now.reduce(name, _axis(axis))
        if dtype is not None:
            result = result.astype(dtype)
        return _into(result, out)

    def sum(self, axis=None, dtype=None, out=None):
        """Sums of elements."""
        own = self if dtype is None else self.astype(dtype, copy=False)
        return own._reduce("sum", axis, dtype, out)

    def mean(self, axis=None, dtype=None, out=None):
        """Means of elements."""
        return self._reduce("mean", axis, dtype, out)

    def min(self, axis=None, out=None):
        """The least elements."""
        return self._reduce("min", axis, None, out)

    def max(self, axis=None, out=None):
        """The largest elements."""
        return self._reduce("max", axis, None, out)

    def nanmin(self, axis=None, out=None):
        """The least elements that are not NaN."""
        return self._reduce("nanmin", axis, None, out)

    def nanmax(self, axis=None, out=None):
        """The largest elements that are not NaN."""
        return self._reduce("nanmax", axis, None, out)

    def argmin(self, axis=None, out=None):
        """Positions of the least elements."""
        return self._reduce("argmin", axis, None, out)

    def argmax(self, axis=None, out=None):
        """Positions of the largest elements."""
        return self._reduce("argmax", axis, None, out)

    def count_nonzero(self, axis=None):
        """Numbers of elements that are not zero."""
        return self._reduce("count_nonzero", axis)

    def diagonal(self, k=0):
        """A diagonal."""
        return self._now.diagonal(k)

    def trace(self, offset=0):
        """The sum of a diagonal."""
        return self._now.trace(offset)

    # Operators.

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        """NumPy's operators and functions are those of this class, `out` is a dense array."""
        name = ufunc.__name__
        if method != "__call__" or kwargs or getattr(_numpy, name, None) is not ufunc:
            return NotImplemented
        first, *others = inputs
        if not others:
            function = {"absolute": "__abs__", "negative": "__neg__", "conjugate": "conj"}.get(name, name)
            if function not in _UNARY:
                return NotImplemented
            result = getattr(first, function)()
        elif name in _BINARY:
            forth, back = _BINARY[name]
            own, function, other = (first, forth, others[0]) if isinstance(first, sparray) else (others[0], back, first)
            result = getattr(own, function)(other)
        else:
            return NotImplemented
        if out is None or result is NotImplemented:
            return result
        dense = result.toarray() if isinstance(result, sparray) else result
        for target in out:
            if isinstance(target, sparray):
                return NotImplemented
            if target.shape != dense.shape:
                raise ValueError(f"[{name}] out: expected shape {dense.shape}, got {target.shape}")
            if not _numpy.can_cast(dense.dtype, target.dtype, "same_kind"):
                raise TypeError(f"Cannot cast output from {dense.dtype!r} to {target.dtype!r} with casting rule 'same_kind'")
            target[...] = dense if isinstance(target, _ndarray) else dense.get()
        return out[0]

    def __neg__(self):
        if self.dtype == bool:
            raise NotImplementedError("negating a boolean sparse array is not supported")
        return _wrap(self._now.unary("negative"))

    def __abs__(self):
        return _wrap(self._now.unary("abs"))

    def _added(self, other, name, reflected=False):
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if isinstance(other, _Sparse):
            return _wrap(self._now.merge(name, other))
        own = self
        if not isinstance(other, _ndarray):
            if other != 0:
                what = "adding a nonzero scalar to" if name == "add" else "subtracting a nonzero scalar from"
                raise NotImplementedError(f"{what} a sparse array is not supported")
            return -own if reflected and name == "subtract" else own.copy()
        pair = (other, own.toarray()) if reflected else (own.toarray(), other)
        return getattr(_nd, name)(*pair)

    def __add__(self, other):
        return self._added(other, "add")

    def __radd__(self, other):
        return self._added(other, "add", True)

    def __sub__(self, other):
        return self._added(other, "subtract")

    def __rsub__(self, other):
        if isinstance(other, sparray) or _is_foreign(other):
            return _wrap(_as_sparse(other).merge("subtract", self._now))
        return self._added(other, "subtract", True)

    def multiply(self, other):
        """The product of elements with those of a sparse or a dense array, or with a number."""
        other = self._operand(other)
        if other is None:
            return NotImplemented
        own = self._now
        if isinstance(other, (_Sparse, _ndarray)) and other.shape != own.shape:
            try:
                shape = _numpy.broadcast_shapes(own.shape, other.shape)
            except ValueError:
                raise ValueError(f"[multiply] shapes {own.shape} and {other.shape} do not broadcast") from None
            if len(shape) > 2:
                raise ValueError(f"[multiply] expected at most two axes, got shape {other.shape}")
            own = own if shape == own.shape else _broadcast(own, shape)
            other = _broadcast(other, shape) if isinstance(other, _Sparse) else other
        return _wrap(own.multiply(other))

    __mul__ = __rmul__ = multiply

    def __imul__(self, other):
        if not _is_number(other):
            return NotImplemented
        values = self.data
        values *= other
        return self

    def __truediv__(self, other):
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if isinstance(other, _Sparse):
            return _nd.divide(self.toarray(), other.to_dense())
        if isinstance(other, _ndarray):
            return self.multiply(_nd.divide(1, other))
        return _wrap(self._now.divide(other))

    def __rtruediv__(self, other):
        return NotImplemented

    def __itruediv__(self, other):
        if not _is_number(other):
            return NotImplemented
        values = self.data
        values /= other
        return self

    def power(self, n, dtype=None):
        """Powers of the elements by a number."""
        if not _is_number(n):
            raise NotImplementedError("input is not scalar")
        if not n:
            raise NotImplementedError("zero power is not supported as it would densify the array.")
        own = self if dtype is None else self.astype(dtype, copy=False)
        return _wrap(own._now.power(n))

    def __pow__(self, other, modulus=None):
        return NotImplemented if modulus is not None else self.power(other)

    def __rpow__(self, other):
        return NotImplemented

    def maximum(self, other):
        """The larger ones of elements and those of another array, or a number."""
        return self._extreme_of("maximum", other)

    def minimum(self, other):
        """The smaller ones of elements and those of another array, or a number."""
        return self._extreme_of("minimum", other)

    def _extreme_of(self, name, other):
        other = self._operand(other)
        if isinstance(other, _Sparse):
            return _wrap(self._now.merge(name, other))
        if other is None:
            raise TypeError(f"[{name}] expected an array or a number")
        function = getattr(_nd, name)
        if isinstance(other, _ndarray):
            return function(self.toarray(), other)
        if function(_nd.zeros((), self.dtype), other) == 0:
            own = self._now.sum_duplicates()
            return _wrap(own.with_data(function(own.data, other)).eliminate_zeros())
        return type(self)(function(self.toarray(), other))

    __eq__, __ne__ = _comparison("equal"), _comparison("not_equal")
    __lt__, __le__ = _comparison("less"), _comparison("less_equal")
    __gt__, __ge__ = _comparison("greater"), _comparison("greater_equal")

    def __matmul__(self, other):
        if _is_number(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        other = self._operand(other)
        if other is None:
            return NotImplemented
        product = self._now.matmul(other)
        return _wrap(product) if isinstance(product, _Sparse) else product

    def __rmatmul__(self, other):
        if _is_number(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if isinstance(other, _Sparse):
            return _wrap(other.matmul(self._now))
        return self._now.rmatmul(other)

    def dot(self, other):
        """The matrix product, or the product with a number."""
        return self.multiply(other) if _is_number(other) else self @ other

    # Parts by position.

    def __getitem__(self, key):
        kind, key = _key(self, key)
        if kind == "element":
            return self._now.get(*key)
        if kind == "pairs":
            rows, columns = key
            values = self._now.at(rows.reshape(-1), columns.reshape(-1))
            return values if rows.ndim == 1 else _CLASSES["csr"](values.reshape(rows.shape))
        for item in key:
            if isinstance(item, int):
                raise IndexError(
                    "[index] an integer leaves one axis, and sparse arrays have two: use a slice of one, a[i:i + 1], or a list, a[[i]]"
                )
        return _wrap(self._now.select(key))

    def __setitem__(self, key, value):
        kind, key = _key(self, key)
        value = self._operand(value)
        if value is None:
            raise TypeError("[set] expected a sparse array, a dense one or a number")
        if kind == "pairs":
            if isinstance(value, _Sparse):
                value = value.to_dense()
            self._put_at(*key, _dense(value, self.device))
        else:
            self._take(self._now.replaced(key, value))

    def _put_at(self, rows, columns, values):
        """Sets elements at pairs of positions; of a place that comes several times the last value counts."""
        m, n = self.shape
        rows, columns = rows.reshape(-1).astype("int64"), columns.reshape(-1).astype("int64")
        values = values.astype(self.dtype)
        values = values.reshape(-1) if values.size == rows.size else _nd.broadcast_to(values, rows.shape)
        if not rows.size:
            return
        # Positions out of range are an error here.
        self._now.at(rows, columns)
        rows, columns = _nd.where(rows < 0, rows + m, rows), _nd.where(columns < 0, columns + n, columns)
        places, last = _nd.unique((rows * n + columns)[::-1], return_index=True)
        values = values[::-1][last]
        own = self._now.sum_duplicates()
        own_rows, own_columns = own.to_format("coo").coords
        own_places = own_rows.astype("int64") * n + own_columns
        kept = _nd.flatnonzero(~_nd.isin(own_places, places))
        places = _nd.concatenate([own_places[kept], places])
        values = _nd.concatenate([own.to_format("coo").data[kept], values])
        index = own_rows.dtype
        parts = [values, (places // n).astype(index), (places % n).astype(index)]
        self._take(_Sparse.coordinates(parts, self.shape).sum_duplicates())


for _name in "sqrt sin tan sinh tanh expm1 log1p floor ceil trunc rint sign deg2rad rad2deg".split():
    setattr(sparray, _name, _unary(_name))
for _name in "sin tan sinh tanh".split():
    setattr(sparray, "arc" + _name, _unary("arc" + _name, "a" + _name))


# Methods for NumPy's functions, with the sparse array as the first operand and as the second one.
_UNARY = {"__abs__", "__neg__", "conj"} | {key for key, value in vars(sparray).items() if callable(value) and key in dir(_numpy)}
_BINARY = {
    "add": ("__add__", "__radd__"), "subtract": ("__sub__", "__rsub__"), "multiply": ("__mul__", "__rmul__"),
    "divide": ("__truediv__", "__rtruediv__"), "matmul": ("__matmul__", "__rmatmul__"), "power": ("__pow__", "__rpow__"),
    "equal": ("__eq__", "__eq__"), "not_equal": ("__ne__", "__ne__"), "less": ("__lt__", "__gt__"), "less_equal": ("__le__", "__ge__"),
    "greater": ("__gt__", "__lt__"), "greater_equal": ("__ge__", "__le__"), "maximum": ("maximum", "maximum"),
    "minimum": ("minimum", "minimum"),
}


def _axis(axis):
    if axis is None:
        return None
    if isinstance(axis, tuple):
        if len(axis) == 1:
            return _axis(axis[0])
        if len(axis) == 2 and sorted(operator.index(one) % 2 for one in axis) == [0, 1]:
            return None
        raise ValueError(f"[sparse] axis: expected one axis or both, got {axis}")
    return operator.index(axis)


def _into(result, out):
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError("dimensions do not match")
    out[...] = result if isinstance(out, _ndarray) else result.get()
    return out


def _broadcast(value, shape):
    """A sparse array of one row, one column or both, repeated, in its format where it has one for any shape."""
    made = _Sparse.of_dense("csr", _nd.broadcast_to(value.to_dense(), shape))
    return made.to_format(value.format if value.format in ("csc", "coo") else "csr")


def _restored(kind, data, parts, shape):
    if kind == "coo":
        return _CLASSES[kind]((data, tuple(parts)), shape=shape)
    return _CLASSES[kind]((data, parts) if kind == "dia" else (data, *parts), shape=shape)
