"""What the classes of sparse arrays have in common: SciPy's names and argument orders over the engine's values."""

import math
import operator

import numpy as _numpy

import ndany as _nd
from ndany._array import _dtype
from ndany._array import named_device as _named_device

from ._index import _key, _plan
from ._parts import _as_sparse, _blocksize, _dense, _from_foreign, _is_foreign, _is_number, _made, _ndarray, _Sparse
from ._tensor import _at_places, _broadcast, _chosen_places, _contracted, _extreme_of_stored, _matrix, _parted, _places, _product, _summed, _taken


# The class of each format.
_CLASSES = {}


def _wrap(value):
    """The array of a value, of the class of its format."""
    made = object.__new__(_CLASSES[value.format])
    made._own, made._data = value, None
    return made


def _result(value):
    """A sparse array of a value, or a dense array as it is."""
    return _wrap(value) if isinstance(value, _Sparse) else value


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
        if isinstance(other, _Sparse) and other.shape != self.shape:
            if name in ("equal", "not_equal"):
                return name == "not_equal"
            raise ValueError(f"[{name}] inconsistent shapes: {self.shape} and {other.shape}")
        return _wrap(self._now.compare(name, other))

    return function


class sparray:
    """What all formats have in common. Elements that are not stored are zero.

    Arrays have two axes; those of coordinates may have any number of axes but none, and those of compressed rows one.
    """

    __slots__ = ("_own", "_data", "__weakref__")
    __array_priority__ = 1000
    __hash__ = None
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
    ndim = property(lambda self: self._own.ndim)
    nnz = property(lambda self: self._own.nnz)
    size = property(lambda self: self._own.nnz)
    format = property(lambda self: self._format)
    device = property(lambda self: _named_device(self._own.device))

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
        if self.ndim < 2:
            raise ValueError("[mT] expected two axes or more, got one")
        return self.transpose((*range(self.ndim - 2), -1, -2)) if self.ndim > 2 else self.transpose()

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

    def __iter__(self):
        for at in range(self.shape[0]):
            part = self[at]
            yield part.asformat("csr") if self._format == "csr" and isinstance(part, sparray) else part

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
        if format == "bsr" and self.ndim == 2:
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
        if value.ndim != 2:
            raise ValueError(f"Cannot convert. BSR format must be 2D. Got {value.ndim}D")
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
        """The array with its axes in another order, reversed without one: compressed rows become compressed columns, and nothing moves."""
        own = self.copy() if copy else self
        count = self.ndim
        if axes is None:
            order = list(range(count))[::-1]
        else:
            if not hasattr(axes, "__len__") or len(axes) != count:
                raise ValueError("axes don't match matrix dimensions")
            axes = [operator.index(axis) for axis in axes]
            if any(not -count <= axis < count for axis in axes):
                raise ValueError(f"[transpose] axes: expected axes of an array of {count}, got {tuple(axes)}")
            order = [axis % count for axis in axes]
            if len(set(order)) != count:
                raise ValueError("repeated axis in transpose")
            if count == 2 and order == [0, 1] and self._format != "coo":
                raise ValueError("Sparse arrays do not support an 'axes' parameter other than (1, 0), which exchanges the axes.")
        if order == list(range(count)):
            return _wrap(own._now)
        return _wrap(own._now.transpose() if count == 2 else own._now.permuted(order))

    def reshape(self, *shape, order="C", copy=False):
        """The elements, in C order or Fortran's, in another shape, in coordinates; one extent may be -1."""
        if order not in ("C", "F"):
            raise ValueError(f"[reshape] order: expected 'C' or 'F', got {order!r}")
        shape = shape[0] if len(shape) == 1 and hasattr(shape[0], "__len__") else shape
        shape = [operator.index(extent) for extent in shape]
        if not shape:
            raise ValueError("[reshape] expected one extent or more, got none")
        size = math.prod(self.shape)
        if shape.count(-1) > 1:
            raise ValueError("can only specify one unknown dimension")
        if -1 in shape:
            other = math.prod(extent for extent in shape if extent != -1)
            if other <= 0 or size % other:
                raise ValueError(f"cannot reshape array of size {size} into shape {tuple(shape)}")
            shape[shape.index(-1)] = size // other
        if min(shape) < 0:
            raise ValueError(f"'shape' elements cannot be negative: {tuple(shape)}")
        if math.prod(shape) != size:
            raise ValueError(f"cannot reshape array of size {size} into shape {tuple(shape)}")
        if tuple(shape) == self.shape:
            return self.copy() if copy else self
        value = (self.copy() if copy else self)._now.to_format("coo")
        if order == "C":
            return _wrap(value.shaped(shape))
        turned = value.permuted(range(self.ndim)[::-1]).shaped(shape[::-1])
        return _wrap(turned.permuted(range(len(shape))[::-1]))

    def nonzero(self):
        """The indices along each axis of elements that are not zero."""
        if self.ndim == 2:
            return self._now.find()[:2]
        return self._now.sum_duplicates().eliminate_zeros().coords

    # Changes in place.

    def eliminate_zeros(self):
        """Removes stored zeros, in place."""
        self._take(self._now.eliminate_zeros())

    def sum_duplicates(self):
        """Adds the entries of one place to one, in place."""
        self._take(self._now.sum_duplicates())

    def setdiag(self, values, k=0):
        """Sets elements of a diagonal, in place."""
        if self.ndim != 2:
            raise ValueError("setting a diagonal requires two dimensions")
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
        self._put((at + row) * n + at + column, values)

    # Reductions. Along axes they are dense arrays, but extremes, which are sparse ones.

    def _reduce(self, name, axis, dtype=None, out=None):
        value, axes = self._now, _axes(axis, self.ndim)
        if value.ndim == 2:
            result = value.reduce(name, None if axes is None else axes[0])
        elif name in ("sum", "mean", "count_nonzero"):
            result = _summed(name, value, axes)
        else:
            matrix, kept = (_matrix(value), ()) if axes is None else _parted(value, axes)
            result = matrix.reduce(name, 1).reshape(kept)
        if dtype is not None:
            result = result.astype(dtype)
        return _into(result, out)

    def _extreme(self, name, axis, out, explicit):
        if out is not None:
            raise ValueError(f"Sparse {name} does not support an 'out' parameter.")
        if explicit:
            return _result(_extreme_of_stored(name, self._now, _axes(axis, self.ndim)))
        result = self._reduce(name, axis)
        return _wrap(_Sparse.of_dense("coo", result)) if result.ndim else result

    def _position(self, name, axis, out):
        if out is not None:
            raise ValueError(f"Sparse {name} does not support an 'out' parameter.")
        return self._reduce(name, axis)

    def sum(self, axis=None, dtype=None, out=None):
        """Sums of elements."""
        own = self if dtype is None else self.astype(dtype, copy=False)
        return own._reduce("sum", axis, dtype, out)

    def mean(self, axis=None, dtype=None, out=None):
        """Means of elements."""
        return self._reduce("mean", axis, dtype, out)

    def min(self, axis=None, out=None, *, explicit=False):
        """The least elements; of stored ones alone if `explicit` is true."""
        return self._extreme("min", axis, out, explicit)

    def max(self, axis=None, out=None, *, explicit=False):
        """The largest elements; of stored ones alone if `explicit` is true."""
        return self._extreme("max", axis, out, explicit)

    def nanmin(self, axis=None, out=None, *, explicit=False):
        """The least elements that are not NaN; of stored ones alone if `explicit` is true."""
        return self._extreme("nanmin", axis, out, explicit)

    def nanmax(self, axis=None, out=None, *, explicit=False):
        """The largest elements that are not NaN; of stored ones alone if `explicit` is true."""
        return self._extreme("nanmax", axis, out, explicit)

    def argmin(self, axis=None, out=None):
        """Positions of the least elements."""
        return self._position("argmin", axis, out)

    def argmax(self, axis=None, out=None):
        """Positions of the largest elements."""
        return self._position("argmax", axis, out)

    def count_nonzero(self, axis=None):
        """Numbers of elements that are not zero."""
        return self._reduce("count_nonzero", axis)

    def diagonal(self, k=0):
        """A diagonal."""
        if self.ndim != 2:
            raise ValueError("diagonal requires two dimensions")
        return self._now.diagonal(k)

    def trace(self, offset=0):
        """The sum of a diagonal."""
        if self.ndim != 2:
            raise ValueError("diagonal requires two dimensions")
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
                if own.ndim > 2 or isinstance(other, _Sparse):
                    raise ValueError("inconsistent shapes: >2D multiply() does not yet support broadcasting")
                return _nd.multiply(self.toarray(), other)
            own = own if shape == own.shape else _repeated(own, shape)
            other = _repeated(other, shape) if isinstance(other, _Sparse) and shape != other.shape else other
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
        return _result(_product(self._now, other))

    def __rmatmul__(self, other):
        if _is_number(other):
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        other = self._operand(other)
        if other is None:
            return NotImplemented
        return _result(_product(other, self._now))

    def dot(self, other):
        """The sums of products along the last axis and the last but one of the other array, or the product with a number."""
        if _is_number(other):
            return self.multiply(other)
        other = self._operand(other)
        if other is None:
            raise TypeError("[dot] expected a sparse array, a dense one or a number")
        if not isinstance(other, (_Sparse, _ndarray)):
            return self.multiply(other)
        at = max(0, other.ndim - 2)
        if self.shape[-1] != other.shape[at]:
            raise ValueError(f"shapes {self.shape} and {other.shape} are not aligned for n-D dot")
        if max(self.ndim, other.ndim) < 3:
            return _result(_product(self._now, other))
        return _result(_contracted(self._now, other, [self.ndim - 1], [at]))

    # Parts by position.

    def __getitem__(self, key):
        if self._format == "coo" or self.ndim != 2:
            return self._part(_plan(self, key))
        kind, key = _key(self, key)
        if kind == "new":
            return self._with_new_axes(_plan(self, key))
        if kind == "element":
            return self._now.get(*key)
        if kind in ("pairs", "line"):
            rows, columns = key
            values = self._now.at(rows.reshape(-1), columns.reshape(-1))
            if kind == "line":
                return _CLASSES["coo"](values.reshape(rows.shape))
            return values if rows.ndim == 1 else _CLASSES["csr"](values.reshape(rows.shape))
        number = next((axis for axis, item in enumerate(key) if isinstance(item, int)), None)
        if number is None:
            return _wrap(self._now.select(key))
        # A position leaves the other axis.
        at, extent = key[number], self.shape[number]
        if not -extent <= at < extent:
            raise IndexError(f"index ({at}) out of range")
        one = slice(at % extent, at % extent + 1)
        part = self._now.select((one, key[1]) if number == 0 else (key[0], one))
        return _wrap(part.to_format("coo").shaped((part.shape[1 - number],)))

    def _part(self, plan):
        """The part by a plan: an element, or a sparse array, of compressed rows if this one is and the part may be."""
        value, is_compressed = self._now, self._format == "csr"
        if is_compressed and len(plan.shape) > 2:
            raise IndexError("Indexing that leads to >2D is not supported by csr format. Try converting to COO format")
        if all(isinstance(item, int) for item in plan.index):
            if self.ndim == 2:
                element = value.get(*plan.index)
            else:
                place = sum(at * math.prod(self.shape[axis + 1 :]) for axis, at in enumerate(plan.index))
                element = _matrix(value).get(0, place)
            return type(self)(element.reshape(plan.shape)) if plan.shape else element
        part = _wrap(_taken(value.to_format("coo"), plan))
        return part.asformat("csr") if is_compressed and not plan.has_new else part

    def _with_new_axes(self, plan):
        """The part of an array of two axes by a key that may make axes."""
        if len(plan.shape) > 2:
            raise IndexError(f"Indexing that leads to >2D is not supported by {self._format} format. Try converting to COO format")
        part = self[tuple(plan.index)].reshape(plan.shape)
        return part.asformat(self._format) if isinstance(part, sparray) and part.ndim == 2 else part

    def __setitem__(self, key, value):
        value = self._operand(value)
        if value is None:
            raise TypeError("[set] expected a sparse array, a dense one or a number")
        kind, key = _key(self, key) if self.ndim == 2 else ("new", key)
        if kind == "new":
            self._put_part(_plan(self, key), value)
            return
        if kind in ("pairs", "line"):
            rows, columns = (part.astype("int64") for part in key)
            # Positions out of range are an error here.
            self._now.at(rows.reshape(-1), columns.reshape(-1))
            m, n = self.shape
            rows, columns = _nd.where(rows < 0, rows + m, rows), _nd.where(columns < 0, columns + n, columns)
            self._put(rows * n + columns, _dense(value.to_dense() if isinstance(value, _Sparse) else value, self.device))
            return
        if getattr(value, "ndim", 2) == 1:
            value = value.to_dense() if isinstance(value, _Sparse) else value
            # One column takes its elements from above to below.
            value = value.reshape((-1, 1)) if isinstance(key[1], int) and not isinstance(key[0], int) else value
        self._take(self._now.replaced(key, value))

    def _put_part(self, plan, value):
        """Sets the elements that a plan chooses."""
        values = _dense(value.to_dense() if isinstance(value, _Sparse) else value, self.device)
        while values.ndim > len(plan.shape) and values.shape[0] == 1:
            values = values.reshape(values.shape[1:])
        if values.ndim > len(plan.shape):
            raise ValueError(f"[set] expected values that broadcast to {plan.shape}, got shape {values.shape}")
        values = _nd.broadcast_to(values, plan.shape)
        self._put(_chosen_places(plan, self.shape, self.device), values)

    def _put(self, places, values):
        """Sets elements at places in C order; of a place that comes several times the last value counts."""
        places, values = places.reshape(-1), values.astype(self.dtype)
        values = values.reshape(-1) if values.size == places.size else _nd.broadcast_to(values, places.shape)
        if not places.size:
            return
        places, last = _nd.unique(places[::-1], return_index=True)
        values = values[::-1][last]
        own = self._now.to_format("coo").sum_duplicates()
        own_places = _places(own.coords, self.shape)
        kept = _nd.flatnonzero(~_nd.isin(own_places, places))
        places = _nd.concatenate([own_places[kept], places])
        values = _nd.concatenate([own.data[kept], values])
        if self.ndim > 2:
            # As in SciPy, zeros are not stored.
            kept = _nd.flatnonzero(values)
            places, values = places[kept], values[kept]
        self._take(_at_places(values, places, self.shape).sum_duplicates())


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


def _axes(axis, count):
    """The axes of a reduction, which count from 0, or ``None`` for all."""
    if axis is None:
        return None
    axes = []
    if axis == ():
        raise ValueError("sparse does not accept 0D axis (). Either use toarray (for dense) or copy (for sparse).")
    for one in axis if isinstance(axis, tuple) else (axis,):
        try:
            one = operator.index(one)
        except TypeError:
            raise TypeError(f"axis must be an integer/tuple of ints, not {type(one)}") from None
        if not -count <= one < count:
            raise ValueError("axis out of range for ndim")
        if one % count in axes:
            raise ValueError("duplicate value in axis")
        axes.append(one % count)
    return None if len(axes) == count else axes


def _into(result, out):
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError("dimensions do not match")
    out[...] = result if isinstance(out, _ndarray) else result.get()
    return out


def _repeated(value, shape):
    """A sparse array, repeated along axes, in its format where it has one for any shape."""
    made = _broadcast(value, shape)
    return made if len(shape) > 2 else made.to_format(value.format if value.format in ("csc", "coo") else "csr")


def _restored(kind, data, parts, shape):
    if kind == "coo":
        return _CLASSES[kind]((data, tuple(parts)), shape=shape)
    return _CLASSES[kind]((data, parts) if kind == "dia" else (data, *parts), shape=shape)
