"""Functions whose signatures the array API standard extends, or whose results are objects of Python."""

import collections as _collections
import sys as _sys

import numpy as _numpy

from . import _core
from ._array import _dtype
from ._core import function as _function
from ._core import ndarray as _ndarray

__all__ = []


def _public(function):
    __all__.append(function.__name__)
    function.__module__ = "ndany"
    return function


def _asarray(x):
    return _sys.modules["ndany"].asarray(x)


def _given(**kwargs):
    """The arguments that are not ``None``."""
    return {name: value for name, value in kwargs.items() if value is not None}


# ---- Dtypes ----

_can_cast, _result_type, _finfo, _iinfo = map(_function, ("np.can_cast", "np.result_type", "np.finfo", "np.iinfo"))


@_public
def astype(x, dtype, /, *, copy=True, device=None):
    """As ``numpy.astype``, with a device."""
    if not isinstance(x, _ndarray):
        raise TypeError(f"Input should be a NumPy array. It is a {type(x).__name__} instead.")
    moved = x if device is None else x.to_device(device)
    return moved.astype(dtype, copy=copy and moved is x)


@_public
def can_cast(from_, to, casting="safe"):
    """As ``numpy.can_cast``."""
    if not isinstance(from_, _ndarray):
        return _numpy.can_cast(from_, to, casting)
    return _numpy.can_cast(from_.dtype, to, casting)


@_public
def promote_types(type1, type2, /):
    """As ``numpy.promote_types``."""
    return _function("np.promote_types")(_dtype(type1), _dtype(type2))


@_public
def result_type(*arrays_and_dtypes):
    """As ``numpy.result_type``."""
    weak = (bool, int, float, complex)
    return _result_type(*(
        one if isinstance(one, (_ndarray, _numpy.ndarray, _numpy.generic)) or type(one) in weak else _dtype(one)
        for one in arrays_and_dtypes
    ))


@_public
class finfo:
    """Limits of a dtype of floats, as ``numpy.finfo``."""

    def __init__(self, dtype):
        of = dtype.dtype if isinstance(dtype, (_ndarray, _numpy.ndarray, _numpy.generic)) else _dtype(dtype)
        names = "eps epsneg max min smallest_normal smallest_subnormal resolution precision bits"
        for name, value in zip(names.split(), _finfo(of)):
            setattr(self, name, value)
        self._of, self.tiny = of, self.smallest_normal
        self.dtype = _numpy.dtype({"complex64": "float32", "complex128": "float64"}.get(of.name, of))

    def __getattr__(self, name):
        # Properties of the format, which NumPy and `ml_dtypes` know.
        if name in ("iexp", "machep", "maxexp", "minexp", "negep", "nexp", "nmant"):
            try:
                return getattr(_numpy.finfo(self._of), name)
            except ValueError:
                import ml_dtypes

                return getattr(ml_dtypes.finfo(self._of), name)
        raise AttributeError(f"'finfo' object has no attribute {name!r}")

    def __repr__(self):
        return f"finfo(resolution={self.resolution}, min={self.min}, max={self.max}, dtype={self.dtype})"


@_public
class iinfo:
    """Limits of a dtype of integers, as ``numpy.iinfo``."""

    def __init__(self, type):
        of = type.dtype if isinstance(type, (_ndarray, _numpy.ndarray, _numpy.generic)) else _dtype(type)
        self.min, self.max, self.bits = _iinfo(of)
        self.dtype, self.kind = of, of.kind

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


@_public
def isdtype(dtype, kind):
    """As ``numpy.isdtype``."""
    return _numpy.isdtype(dtype, kind)


# ---- Inspection ----

class _Info:
    """What the namespace can do, as the array API's ``__array_namespace_info__``."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        return _core.current_device()

    def default_dtypes(self, *, device=None):
        names = {"real floating": "float64", "complex floating": "complex128", "integral": "int64", "indexing": "int64"}
        return {kind: _numpy.dtype(name) for kind, name in names.items()}

    def dtypes(self, *, device=None, kind=None):
        names = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
        dtypes = {name: _numpy.dtype(name) for name in names.split()}
        return {name: own for name, own in dtypes.items() if kind is None or _numpy.isdtype(own, kind)}

    def devices(self):
        return _sys.modules["ndany"].devices()


@_public
def __array_namespace_info__():
    """What the namespace can do, by the array API standard."""
    return _Info()


# ---- Creation ----

_arange, _eye, _diff, _clip = map(_function, ("np.arange", "np.eye", "np.diff", "np.clip"))


@_public
def frombuffer(buffer, dtype=None, count=-1, offset=0, *, device=None, like=None):
    """As ``numpy.frombuffer``: an array over the memory of an object of the host's, which a GPU copies."""
    seen = _numpy.frombuffer(buffer, _dtype(dtype), count, offset)
    if not seen.dtype.isnative:
        return _core.from_numpy(seen.astype(seen.dtype.newbyteorder("=")), device)
    with _sys.modules["ndany"].cuda.Device("cpu"):
        shared = _ndarray(seen.shape, seen.dtype, seen)
    return shared.to_device(_core.current_device() if device is None else device)


@_public
def arange(start=None, stop=None, step=None, dtype=None, *, device=None, like=None):
    """As ``numpy.arange``."""
    if start is None:
        if stop is None:
            raise TypeError("arange() requires stop to be specified.")
        start = 0
    elif stop is None:
        start, stop = 0, start
    given = _given(dtype=dtype, device=device)
    return _arange(start, stop, **given) if step is None else _arange(start, stop, step, **given)


@_public
def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """As ``numpy.eye``."""
    k = max(min(int(k), 2**62), -(2**62))
    return _eye(N, N if M is None else M, k, float if dtype is None else dtype, order, device=device)


@_public
def diff(a, n=1, axis=-1, prepend=_numpy._NoValue, append=_numpy._NoValue):
    """As ``numpy.diff``."""
    ends = {name: value for name, value in (("prepend", prepend), ("append", append)) if value is not None}
    return _diff(a, n, axis, **ends)


@_public
def clip(a, min=None, max=None, out=None, **kwargs):
    """As ``numpy.clip``, whose names ``a_min`` and ``a_max`` are taken too."""
    for name, bound in (("a_min", min), ("a_max", max)):
        if name in kwargs and bound is not None:
            raise ValueError("Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
    min, max = kwargs.pop("a_min", min), kwargs.pop("a_max", max)
    return _clip(a, min, max, out=out, **kwargs)


# ---- Reductions ----

def _deviation(name):
    function = _function("np." + name)

    def deviation(a, axis=None, dtype=None, out=None, ddof=0, keepdims=_numpy._NoValue, *, where=_numpy._NoValue,
                  mean=_numpy._NoValue, correction=_numpy._NoValue):
        if correction is not _numpy._NoValue:
            if ddof != 0:
                raise ValueError("ddof and correction can't be provided simultaneously.")
            ddof = correction
        return function(a, axis, dtype=dtype, out=out, ddof=ddof, keepdims=keepdims, where=where, mean=mean)

    deviation.__name__ = deviation.__qualname__ = name
    deviation.__doc__ = f"As ``numpy.{name}``."
    return deviation


for _name in ("std", "var", "nanstd", "nanvar"):
    globals()[_name] = _public(_deviation(_name))


@_public
def count_nonzero(a, axis=None, *, keepdims=False):
    """As ``numpy.count_nonzero``, as an array."""
    return _asarray(_function("np.count_nonzero")(a, axis, keepdims=keepdims))


# ---- Sorting and searching ----

_sort, _argsort = map(_function, ("np.sort", "np.argsort"))


@_public
def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """As ``numpy.sort``, also downwards; NaN is last in both directions."""
    return _sort(a, axis, kind, order, stable=stable, descending=bool(descending))


@_public
def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """As ``numpy.argsort``, also downwards; equal elements keep their order, and NaN is last."""
    return _argsort(a, axis, kind, order, stable=stable, descending=bool(descending))


@_public
def take(a, indices, axis=None, out=None, mode="raise"):
    """As ``numpy.take``."""
    return _function("np.take")(a, indices, axis, out=out, mode=mode)


def _named(name, fields):
    function = _function("np." + name)
    kind = _collections.namedtuple("".join(word.capitalize() for word in name.split("_")) + "Result", fields)

    def unique(x):
        return kind(*function(x))

    unique.__name__ = unique.__qualname__ = name
    unique.__doc__ = f"As ``numpy.{name}``."
    return unique


unique_all = _public(_named("unique_all", "values indices inverse_indices counts"))
unique_counts = _public(_named("unique_counts", "values counts"))
unique_inverse = _public(_named("unique_inverse", "values inverse_indices"))


# ---- Views, where the type of the result or the copies are NumPy's ----

_unstack, _broadcast_arrays, _fromfile = map(_function, ("np.unstack", "np.broadcast_arrays", "np.fromfile"))


@_public
def unstack(x, /, *, axis=0):
    """As ``numpy.unstack``: views."""
    return tuple(_unstack(_asarray(x), axis=axis))


@_public
def broadcast_arrays(*args, subok=False):
    """As ``numpy.broadcast_arrays``: views that cannot be written."""
    return tuple(_broadcast_arrays(*map(_asarray, args)))


@_public
def ravel(a, order="C"):
    """As ``numpy.ravel``: a view where the elements lie without gaps."""
    return _asarray(a).ravel(order)


@_public
def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, like=None):
    """As ``numpy.fromfile``, of a path or an open file."""
    dtype = _dtype(dtype)
    if hasattr(file, "read") or not dtype.isnative:
        plain = _numpy.fromfile(file, dtype, count, sep, offset)
        return _core.from_numpy(plain.astype(dtype.newbyteorder("="), copy=False))
    return _fromfile(str(file), dtype, count, sep, offset)


# ---- Shapes as numbers of Python ----

@_public
def shape(a):
    """As ``numpy.shape``."""
    return a.shape if isinstance(a, _ndarray) else _numpy.shape(a)


@_public
def ndim(a):
    """As ``numpy.ndim``."""
    return a.ndim if isinstance(a, _ndarray) else _numpy.ndim(a)


@_public
def size(a, axis=None):
    """As ``numpy.size``."""
    if not isinstance(a, _ndarray):
        return _numpy.size(a, axis)
    if axis is None:
        return a.size
    axes = axis if isinstance(axis, tuple) else (axis,)
    return int(_numpy.prod([a.shape[at] for at in axes]))


@_public
def iscomplexobj(x):
    """As ``numpy.iscomplexobj``."""
    return x.dtype.kind == "c" if isinstance(x, _ndarray) else _numpy.iscomplexobj(x)


@_public
def isrealobj(x):
    """As ``numpy.isrealobj``."""
    return not iscomplexobj(x)


@_public
def isscalar(element):
    """As ``numpy.isscalar``."""
    return _numpy.isscalar(element)


@_public
def iterable(y):
    """As ``numpy.iterable``."""
    return _numpy.iterable(y)


@_public
def may_share_memory(a, b, /, max_work=0):
    """Whether two arrays, of ndany or NumPy, may share memory, as ``numpy.may_share_memory``."""
    if _base_of(a) is not None and _base_of(a) is _base_of(b):
        return True
    seen = _seen(a), _seen(b)
    return seen[0] is not None and seen[1] is not None and _numpy.may_share_memory(*seen)


@_public
def shares_memory(a, b, /, max_work=-1):
    """Whether two arrays, of ndany or NumPy, share an element, as ``numpy.shares_memory``."""
    base = _base_of(a)
    if base is None or base is not _base_of(b):
        seen = _seen(a), _seen(b)
        return seen[0] is not None and seen[1] is not None and _numpy.shares_memory(*seen, max_work=max_work)
    places = _sys.modules["ndany"].arange(base.size)

    def of(view):
        if view.base is None:
            return places
        first = view._offset
        return places._strided(list(view.shape), [s // view.itemsize * 8 for s in view.strides], first * 8, False)

    return bool(_function("np.isin")(of(a), of(b)).any())


def _base_of(array):
    """The array of ndany whose memory another shows."""
    if isinstance(array, _ndarray):
        return array if array.base is None else array.base


def _seen(array):
    """The memory as NumPy sees it, ``None`` where it sees none: what was never lent is no other's."""
    if isinstance(array, _ndarray):
        on_host = not array.device.startswith(("cuda", "hip"))
        return array._shared() if on_host and array._is_shared else None
    return array


@_public
def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """As ``numpy.einsum_path``, from the shapes alone."""
    def described(one):
        return _numpy.broadcast_to(_numpy.empty((), bool), one.shape) if isinstance(one, _ndarray) else one

    return _numpy.einsum_path(*map(described, operands), optimize=optimize, einsum_call=einsum_call)


_pad = _function("np.pad")


@_public
def pad(array, pad_width, mode="constant", **kwargs):
    """As ``numpy.pad``, also with a function of Python that fills the ends of each row."""
    np = _sys.modules["ndany"]
    if isinstance(pad_width, dict):
        # Widths of the axes that are named.
        array, named = np.asarray(array), pad_width
        pad_width = [(0, 0)] * array.ndim
        for axis, width in named.items():
            pad_width[axis] = tuple(width) if isinstance(width, (tuple, list)) else (width, width)
    if not callable(mode):
        return _pad(array, pad_width, mode, **kwargs)
    padded = _pad(array, pad_width)
    widths = _numpy.broadcast_to(_numpy.asarray(pad_width), (padded.ndim, 2)).tolist()
    for axis, width in enumerate(widths):
        rows = np.moveaxis(padded, axis, -1)
        for place in _numpy.ndindex(rows.shape[:-1]):
            mode(rows[place], tuple(width), axis, kwargs)
    return padded


# ---- Objects of indexing ----

class _Grid:
    def __init__(self, name):
        self._function, self._name = _function(name), name

    def __getitem__(self, key):
        return self._function(*(key if isinstance(key, tuple) else (key,)))

    def __len__(self):
        return 0

    def __repr__(self):
        return f"<ndany {self._name[3:]}>"


for _name in ("mgrid", "ogrid", "r_", "c_"):
    globals()[_name] = _Grid("np." + _name)
    __all__.append(_name)


# ---- What calls functions of Python ----

@_public
def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """As ``numpy.fromfunction``: a function of whole index arrays."""
    return function(*_function("np.indices")(shape, dtype=dtype), **kwargs)


_piecewise = _function("np.piecewise")


@_public
def piecewise(x, condlist, funclist, *args, **kw):
    """As ``numpy.piecewise``: values, or functions of Python of the elements, where conditions hold."""
    if not any(callable(one) for one in funclist):
        return _piecewise(x, condlist, funclist)
    np = _sys.modules["ndany"]
    x = np.asarray(x)
    # One condition may stand by itself.
    single = np.isscalar(condlist) or x.ndim > 0 and not isinstance(condlist[0], (list, tuple)) and getattr(condlist[0], "ndim", 0) == 0
    conditions = [np.asarray(one, dtype=bool) for one in ([condlist] if single else condlist)]
    if len(funclist) == len(conditions) + 1:
        conditions.append(~np.any(np.stack(conditions), axis=0))
    if len(funclist) != len(conditions):
        raise ValueError(f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} functions are expected")
    result = np.zeros_like(x)
    for condition, function in zip(conditions, funclist):
        if callable(function):
            part = x[condition]
            if part.size:
                result[condition] = function(part, *args, **kw)
        else:
            result[condition] = function
    return result


@_public
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """As ``numpy.apply_along_axis``: a function of Python for each row."""
    np = _sys.modules["ndany"]
    arr = np.moveaxis(np.asarray(arr), axis, -1)
    places = list(_numpy.ndindex(arr.shape[:-1]))
    if not places:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = [np.asarray(func1d(arr[place], *args, **kwargs)) for place in places]
    own = results[0].ndim
    whole = np.stack(results).reshape(arr.shape[:-1] + results[0].shape)
    for step in range(own):
        whole = np.moveaxis(whole, whole.ndim - 1, axis % arr.ndim)
    return whole


@_public
def apply_over_axes(func, a, axes):
    """As ``numpy.apply_over_axes``."""
    np = _sys.modules["ndany"]
    val = np.asarray(a)
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        result = func(val, axis)
        val = result if result.ndim == val.ndim else np.expand_dims(result, axis)
    return val


@_public
def ndenumerate(arr):
    """As ``numpy.ndenumerate``; the array is read once."""
    return _numpy.ndenumerate(_asarray(arr).get())


ndindex = _numpy.ndindex
__all__.append("ndindex")


class vectorize(_numpy.vectorize):
    """As ``numpy.vectorize``; the function is called on the host, element by element."""

    def __call__(self, *args, **kwargs):
        def host(value):
            return value.get() if isinstance(value, _ndarray) else value

        result = super().__call__(*map(host, args), **{key: host(value) for key, value in kwargs.items()})
        if result is self:
            # It decorates a function.
            return self
        if isinstance(result, tuple):
            return tuple(map(_asarray, result))
        return _asarray(result)


_public(vectorize)


@_public
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """As ``numpy.histogramdd``."""
    counts, *edges = _function("np.histogramdd")(sample, bins, range, density, weights)
    return counts, edges[0] if len(edges) == 1 and isinstance(edges[0], (list, tuple)) else edges


@_public
def resize(a, new_shape):
    """As ``numpy.resize``: repeated copies fill a new shape."""
    np = _sys.modules["ndany"]
    new_shape = (new_shape,) if not hasattr(new_shape, "__iter__") else tuple(new_shape)
    if any(n < 0 for n in new_shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    a, size = np.ravel(a), int(_numpy.prod(new_shape, dtype=object)) if new_shape else 1
    if a.size == 0 or size == 0:
        return np.zeros(new_shape, a.dtype)
    return np.tile(a, -(-size // a.size))[:size].reshape(new_shape)


@_public
def mask_indices(n, mask_func, k=0):
    """As ``numpy.mask_indices``."""
    np = _sys.modules["ndany"]
    return np.nonzero(mask_func(np.ones((n, n), int), k) != 0)


def _printed(name):
    function, plain, defaults = _function("np." + name), getattr(_numpy, name), _numpy.get_printoptions()

    def text(a, *args, **kwargs):
        # The engine reads only what it prints; NumPy has what is printed by functions of Python, and other options.
        is_own = _numpy.get_printoptions() == defaults and kwargs.get("formatter") is None and kwargs.get("legacy") is None
        return function(a, *args, **kwargs) if is_own else plain(a.get() if isinstance(a, _ndarray) else a, *args, **kwargs)

    text.__name__ = text.__qualname__ = name
    text.__doc__ = f"As ``numpy.{name}``."
    text.__wrapped__ = plain
    return text


for _name in ("array2string", "array_repr", "array_str"):
    globals()[_name] = _public(_printed(_name))


@_public
def get_printoptions():
    """As ``numpy.get_printoptions``."""
    return _numpy.get_printoptions()


# ---- Polynomials ----

_POLYNOMIALS = {name: _function("np." + name) for name in ("poly", "polyadd", "polysub", "polymul", "polydiv", "polyder", "polyint", "polyval", "roots")}


@_public
class poly1d:
    """A polynomial of one variable, the highest power first, as ``numpy.poly1d``."""

    __hash__ = None
    __array_ufunc__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        np = _sys.modules["ndany"]
        if isinstance(c_or_r, (poly1d, _numpy.poly1d)):
            self._variable = c_or_r.variable if variable is None else variable
            self._coeffs = np.array(c_or_r.coeffs)
            return
        coeffs = _POLYNOMIALS["poly"](c_or_r) if r else np.atleast_1d(np.asarray(c_or_r))
        if coeffs.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        # Leading zeros are no powers; to know them the coefficients are read.
        first = _numpy.flatnonzero(coeffs.get())
        self._coeffs = coeffs[int(first[0]):].copy() if len(first) else np.zeros(1, coeffs.dtype)
        self._variable = "x" if variable is None else variable

    variable = property(lambda self: self._variable)
    order = o = property(lambda self: self._coeffs.size - 1)
    roots = r = property(lambda self: _POLYNOMIALS["roots"](self._coeffs))

    @property
    def coeffs(self):
        return self._coeffs

    @coeffs.setter
    def coeffs(self, value):
        if value is not self._coeffs:
            raise AttributeError("Cannot set attribute")

    c = coef = coefficients = coeffs

    def __array__(self, dtype=None, copy=None):
        return _numpy.asarray(self._coeffs.get(), dtype)

    def get(self, stream=None, order="C", out=None, blocking=True):
        """The same as a polynomial of NumPy's."""
        return _numpy.poly1d(self._coeffs.get(), variable=self._variable)

    def set(self, polyin, stream=None):
        """Takes the coefficients of a polynomial over."""
        other = poly1d(polyin)
        self._coeffs, self._variable = other._coeffs, other._variable

    def __repr__(self):
        return f"poly1d({repr(self._coeffs)[6:-1]})"

    def __str__(self):
        return str(self.get())

    def __len__(self):
        return self.order

    def __iter__(self):
        return iter(self._coeffs)

    def __call__(self, val):
        if isinstance(val, poly1d):
            result = poly1d([0])
            for coefficient in self._coeffs:
                result = result * val + coefficient
            return result
        return _POLYNOMIALS["polyval"](self._coeffs, val)

    def __getitem__(self, power):
        at = self.order - power
        if power < 0 or at < 0:
            return _asarray(self._coeffs.dtype.type(0))
        return self._coeffs[at].copy()

    def __setitem__(self, key, value):
        if key < 0:
            raise ValueError("Does not support negative powers.")
        if key > self.order:
            np = _sys.modules["ndany"]
            self._coeffs = np.concatenate([np.zeros(key - self.order, self._coeffs.dtype), self._coeffs])
        self._coeffs[self.order - key] = value

    def _with(self, name, other, reflected=False):
        if isinstance(other, (str, bytes)) or other is None:
            return NotImplemented
        other = poly1d(other)._coeffs
        pair = (other, self._coeffs) if reflected else (self._coeffs, other)
        result = _POLYNOMIALS[name](*pair)
        return tuple(map(poly1d, result)) if name == "polydiv" else poly1d(result)

    def __neg__(self):
        return poly1d(-self._coeffs)

    def __pos__(self):
        return self

    def __add__(self, other):
        return self._with("polyadd", other)

    __radd__ = __add__

    def __sub__(self, other):
        return self._with("polysub", other)

    def __rsub__(self, other):
        return self._with("polysub", other, True)

    def __mul__(self, other):
        if _numpy.ndim(other) == 0 and not isinstance(other, poly1d):
            return poly1d(self._coeffs * other)
        return self._with("polymul", other)

    def __rmul__(self, other):
        return poly1d(self._coeffs * other) if _numpy.ndim(other) == 0 else self._with("polymul", other, True)

    def __truediv__(self, other):
        if _numpy.ndim(other) == 0 and not isinstance(other, poly1d):
            return poly1d(self._coeffs / other)
        return self._with("polydiv", other)

    def __rtruediv__(self, other):
        return poly1d(other / self._coeffs) if _numpy.ndim(other) == 0 else self._with("polydiv", other, True)

    def __pow__(self, power):
        if not _numpy.isscalar(power) or int(power) != power or power < 0:
            raise ValueError("Power to non-negative integers only.")
        result = poly1d([1])
        for _ in range(int(power)):
            result = result * self
        return result

    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        if self._coeffs.shape != other._coeffs.shape:
            return False
        return bool((self._coeffs == other._coeffs).all())

    def __ne__(self, other):
        return NotImplemented if not isinstance(other, poly1d) else not self == other

    def deriv(self, m=1):
        """The derivative, as ``numpy.poly1d.deriv``."""
        return poly1d(_POLYNOMIALS["polyder"](self._coeffs, m))

    def integ(self, m=1, k=0):
        """The integral, as ``numpy.poly1d.integ``."""
        return poly1d(_POLYNOMIALS["polyint"](self._coeffs, m, k))


def _polynomial(name):
    """A function of coefficients that gives a polynomial where it is given one."""
    function = _POLYNOMIALS[name]

    def of(*args, **kwargs):
        given = [one._coeffs if isinstance(one, poly1d) else one for one in args]
        result = function(*given, **kwargs)
        if name in ("roots", "poly") or not any(isinstance(one, poly1d) for one in args):
            return result
        return tuple(map(poly1d, result)) if isinstance(result, tuple) else poly1d(result)

    of.__name__ = of.__qualname__ = name
    of.__doc__ = f"As ``numpy.{name}``."
    of.__wrapped__ = getattr(_numpy, name)
    return of


for _name in ("polyadd", "polysub", "polymul", "polydiv", "polyder", "polyint", "roots"):
    globals()[_name] = _public(_polynomial(_name))


@_public
def polyval(p, x):
    """As ``numpy.polyval``."""
    if isinstance(x, poly1d):
        return (p if isinstance(p, poly1d) else poly1d(p))(x)
    return _POLYNOMIALS["polyval"](p._coeffs if isinstance(p, poly1d) else p, x)


@_public
class broadcast:
    """Arrays broadcast against each other, as ``numpy.broadcast``; their views are ``values``, as CuPy has them."""

    def __init__(self, *arrays):
        self.values = tuple(_broadcast_arrays(*map(_asarray, arrays)))
        self.shape = self.values[0].shape if self.values else ()
        self.nd = self.ndim = len(self.shape)
        self.size = int(_numpy.prod(self.shape, dtype=object))
        self.numiter = len(self.values)
