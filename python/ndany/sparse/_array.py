"""The classes of sparse arrays: SciPy's names and argument orders over the engine's values."""

import operator

import numpy as _numpy

import ndany as _nd
from ndany import _core
from ndany._array import _dtype

_Sparse, _ndarray = _core._Sparse, _core.ndarray


# ---- From objects to the parts of arrays ----

def _is_foreign(x):
    """Whether an object is a sparse array of SciPy or CuPy."""
    return hasattr(x, "format") and hasattr(x, "tocsr") and not isinstance(x, sparray)


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


def _extents(shape):
    """Two extents, or ``None``."""
    if shape is None:
        return None
    try:
        shape = [operator.index(extent) for extent in shape]
    except TypeError:
        raise TypeError(f"[sparse] shape: expected two integers, got {shape!r}") from None
    if len(shape) != 2:
        raise ValueError(f"[sparse] shape: expected two extents, got {tuple(shape)}")
    if min(shape) < 0:
        raise ValueError(f"[sparse] shape: expected extents of 0 or more, got {tuple(shape)}")
    return shape


def _is_shape(x):
    return isinstance(x, (tuple, list)) and len(x) == 2 and all(isinstance(one, (int, _numpy.integer)) for one in x)


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
    if getattr(x, "ndim", 2) != 2:
        raise ValueError(f"[sparse] expected an array of two axes, got shape {x.shape}")
    kind = x.format
    if kind not in _CLASSES:
        x, kind = x.tocsr(), "csr"
    shape, data = _extents(x.shape), _values(x.data, copy)
    if kind == "coo":
        return _Sparse.coordinates([data, _values(x.row, True), _values(x.col, True)], shape)
    if kind == "dia":
        return _Sparse.diagonals(data, [int(offset) for offset in x.offsets], shape)
    return _Sparse.compressed(kind, [data, _values(x.indices, True), _values(x.indptr, True)], shape)


def _made(kind, arg1, shape, dtype, copy):
    """The value of one of SciPy's ways to say what an array is made of."""
    shape = _extents(shape)
    name = kind + "_array"
    if isinstance(arg1, sparray) or _is_foreign(arg1):
        value = arg1._now if isinstance(arg1, sparray) else _from_foreign(arg1, copy)
        value = value.to_format(kind)
    elif isinstance(arg1, (str, bytes)) or _is_number(arg1):
        raise ValueError(f"[{name}] expected an array or its parts, got {arg1!r}")
    elif _is_shape(arg1):
        shape = _extents(arg1)
        none = _nd.zeros(0, dtype=dtype or float)
        places = _nd.zeros(0, dtype="int32")
        return _Sparse.coordinates([none, places, places], shape).to_format(kind)
    elif isinstance(arg1, tuple):
        value = _of_parts(kind, name, arg1, shape)
    else:
        dense = _dense(arg1)
        if dense.ndim != 2:
            raise ValueError(f"[{name}] expected two axes, got shape {dense.shape}")
        value = _Sparse.of_dense(kind, dense)
    if shape is not None and tuple(shape) != value.shape:
        raise ValueError(f"[{name}] expected shape {tuple(shape)}, got {value.shape}")
    return value if dtype is None or _dtype(dtype) == value.dtype else value.astype(_dtype(dtype))


def _of_parts(kind, name, parts, shape):
    if len(parts) == 3 and kind in ("csr", "csc", "bsr"):
        data, indices, indptr = parts
        return _Sparse.compressed(kind, [_dense(data), _indices(indices), _indices(indptr)], shape)
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
            rows, columns = coords
        except (TypeError, ValueError):
            raise ValueError(f"[{name}] expected (data, (rows, columns)), got a tuple of other parts") from None
        return _Sparse.coordinates([_dense(data), _indices(rows), _indices(columns)], shape).to_format(kind)
    raise ValueError(f"[{name}] expected an array, a shape or a tuple of parts, got a tuple of {len(parts)}")


def _wrap(value):
    """The array of a value, of the class of its format."""
    made = object.__new__(_CLASSES[value.format])
    made._own, made._data = value, None
    return made


def _as_sparse(x, kind="csr"):
    """The value of a sparse array of any library, or of a dense one."""
    if isinstance(x, sparray):
        return x._now
    if _is_foreign(x):
        return _from_foreign(x, None)
    return _made(kind, x, None, None, None)


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


# ---- The classes ----

class sparray:
    """What all formats have in common. Arrays have two axes; elements that are not stored are zero."""

    __slots__ = ("_own", "_data", "__weakref__")
    __array_priority__ = 1000
    __hash__ = None
    __iter__ = None
    _format = None

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
            return _from_foreign(other, None)
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
        values = _nd.broadcast_to(values.astype(self.dtype), rows.shape) if values.size != rows.size else values.astype(self.dtype).reshape(-1)
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
    "greater": ("__gt__", "__lt__"), "greater_equal": ("__ge__", "__le__"), "maximum": ("maximum", "maximum"), "minimum": ("minimum", "minimum"),
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


def _readonly(array):
    return array._strided(array.shape, array.strides, 0, False)


def _blocksize(value):
    """The largest of some sizes of square blocks of which at least 70 elements of 100 are stored, 1 x 1 if none is."""
    m, n = value.shape
    for size in (6, 4, 3, 2):
        if value.nnz and m % size == 0 and n % size == 0 and value.nnz >= 0.7 * value.to_bsr((size, size)).nnz:
            return size, size
    return 1, 1


def _key(array, key):
    """What an index is: ``element``, ``pairs`` of positions, or a ``part`` by rows and columns, each along its axis."""
    if isinstance(key, sparray) or _is_foreign(key):
        mask = _wrap(_as_sparse(key))
        if mask.dtype != bool:
            raise IndexError(f"[index] expected a mask, got a sparse array of {mask.dtype}")
        if mask.shape != array.shape:
            raise IndexError(f"[index] expected a mask of shape {array.shape}, got {mask.shape}")
        return "pairs", mask.nonzero()
    items = key if isinstance(key, tuple) else (key,)
    items = [_item(one, array.device) for one in items]
    if len(items) == 1 and isinstance(items[0], _ndarray) and items[0].ndim == 2:
        mask = items[0]
        if mask.dtype != bool:
            raise IndexError("[index] expected two lists of positions, got one of two axes")
        if mask.shape != array.shape:
            raise IndexError(f"[index] expected a mask of shape {array.shape}, got {mask.shape}")
        return "pairs", mask.nonzero()
    if any(item is None for item in items):
        raise IndexError("[index] a sparse array has two axes, and no new one")
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("[index] an index can only have a single ellipsis")
    if Ellipsis in [item if item is Ellipsis else None for item in items]:
        at = next(number for number, item in enumerate(items) if item is Ellipsis)
        items[at : at + 1] = [slice(None)] * max(3 - len(items), 0)
    if len(items) > 2:
        raise IndexError(f"[index] expected at most two items, got {len(items)}")
    items += [slice(None)] * (2 - len(items))
    rows, columns = items
    if isinstance(rows, int) and isinstance(columns, int):
        return "element", (rows, columns)
    listed = [isinstance(item, _ndarray) for item in items]
    if any(listed) and all(isinstance(item, (int, _ndarray)) for item in items):
        rows, columns = (_positions(item, array.device) for item in items)
        if rows.ndim == 2 and columns.ndim == 2 and rows.shape[1] == 1 and columns.shape[0] == 1:
            return "part", (rows.reshape(-1), columns.reshape(-1))
        try:
            rows, columns = _nd.broadcast_arrays(rows, columns)
        except ValueError as error:
            raise IndexError(str(error)) from None
        if rows.ndim > 2:
            raise IndexError("[index] expected lists of positions of one or two axes")
        return "pairs", (rows, columns)
    for item in items:
        if isinstance(item, _ndarray) and item.ndim != 1:
            raise IndexError("[index] expected one axis of positions")
    return "part", tuple(items)


def _item(item, device):
    if isinstance(item, slice) or item is None or item is Ellipsis:
        return item
    if isinstance(item, (bool, _numpy.bool_)):
        raise IndexError("[index] expected positions, slices or masks, got a truth value")
    try:
        return operator.index(item)
    except TypeError:
        pass
    if isinstance(item, (float, complex, str, bytes)):
        raise IndexError(f"[index] expected positions, slices or masks, got {item!r}")
    listed = _indices(item)
    if listed.dtype.kind not in "iub":
        raise IndexError(f"[index] expected positions or a mask, got an array of {listed.dtype}")
    return listed.to_device(device)


def _positions(item, device):
    """Positions of an integer, a list or a mask."""
    if isinstance(item, int):
        return _nd.asarray(item, device=device)
    return _nd.flatnonzero(item) if item.dtype == bool else item


def _restored(kind, data, parts, shape):
    if kind == "coo":
        return _CLASSES[kind]((data, tuple(parts)), shape=shape)
    return _CLASSES[kind]((data, parts) if kind == "dia" else (data, *parts), shape=shape)


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


_CLASSES = {one._format: one for one in (csr_array, csc_array, coo_array, dia_array, bsr_array)}
