"""What the class ``ndarray`` has beside its operators: methods, attributes and protocols."""

import builtins
import operator
import threading
import types

import numpy as np

from . import _core
from ._core import ndarray

_function = _core.function


def _functions(names):
    return {name: _function("np." + name) for name in names.split()}


_METHODS = _functions(
    "all any argmax argmin argpartition argsort choose clip compress conjugate cumprod cumsum dot max mean min nonzero "
    "prod ptp repeat round searchsorted std sum take trace var swapaxes squeeze diagonal"
)
_copy, _astype, _sort, _partition = _function("np.copy"), _function("astype"), _function("np.sort"), _function("np.partition")
_imag, _repr, _put = _function("np.imag"), _function("np.array_repr"), _function("np.put")
_str = _function("np.array_str")


def _add(function):
    setattr(ndarray, function.__name__, function)
    return function


def _attribute(function):
    setattr(ndarray, function.__name__, property(function))
    return function


def _forward(name, function):
    def method(self, *args, **kwargs):
        return function(self, *args, **kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"As ``ndany.{name}`` of this array."
    if hasattr(np.ndarray, name):
        # Where its signature is found.
        method.__wrapped__ = getattr(np.ndarray, name)
    setattr(ndarray, name, method)


for _name, _f in _METHODS.items():
    _forward(_name, _f)


@_add
def round(self, decimals=0, out=None):
    return _METHODS["round"](self, decimals, out=out)


@_add
def conj(self):
    return _METHODS["conjugate"](self)


@_add
def mean(self, axis=None, dtype=None, out=None, keepdims=False, **kwargs):
    return _METHODS["mean"](self, axis, dtype=dtype, out=out, keepdims=keepdims, **kwargs)


@_attribute
def mT(self):
    if self.ndim < 2:
        raise ValueError("matrix transpose with ndim < 2 is undefined")
    return self.swapaxes(-1, -2)


def _part(name, imaginary):
    def get(self):
        if self.dtype.kind == "c":
            return self._part(imaginary)
        return _readonly(_imag(self)) if imaginary else self

    def put(self, value):
        if self.dtype.kind != "c" and imaginary:
            raise TypeError("array does not have imaginary part to set")
        get(self)[...] = value

    setattr(ndarray, name, property(get, put))


def _readonly(array):
    return array._strided(array.shape, array.strides, 0, False)


_part("real", False)
_part("imag", True)


class flatiter:
    """The elements of an array in C order, as one sequence that can be read and written."""

    __slots__ = ("base", "_at")
    __hash__ = None

    def __init__(self, base):
        self.base, self._at = base, 0

    def _flat(self):
        """A view where one is possible, and whether it is one."""
        view = self.base._reshaped([self.base.size])
        return (self.base.ravel(), False) if view is None else (view, True)

    def __getitem__(self, key):
        return self._flat()[0][key].copy()

    def __setitem__(self, key, value):
        flat, is_view = self._flat()
        if not isinstance(value, (int, float, complex)):
            # Values are repeated, or cut, to fill what is written.
            part = flat[key]
            value = np.resize(value.get() if isinstance(value, ndarray) else value, part.shape)
        flat[key] = value
        if not is_view:
            self.base[...] = flat.reshape(self.base.shape)

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return iter(self._flat()[0])

    def __next__(self):
        if self._at >= self.base.size:
            raise StopIteration
        self._at += 1
        return self._flat()[0][self._at - 1]

    @property
    def index(self):
        return self._at

    @property
    def coords(self):
        return tuple(int(i) for i in np.unravel_index(self._at, self.base.shape))

    def copy(self):
        return self.base.flatten()

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.base.flatten(), dtype)

    def __eq__(self, other):
        return self.copy() == (other.copy() if isinstance(other, flatiter) else other)

    def __ne__(self, other):
        return self.copy() != (other.copy() if isinstance(other, flatiter) else other)


def _flat(self):
    return flatiter(self)


def _set_flat(self, value):
    flatiter(self)[:] = value


ndarray.flat = property(_flat, _set_flat)


class DeviceName(str):
    """The name of a device, which is also what CuPy's devices are: it has a number, and ``with`` makes it current."""

    __slots__ = ()

    @property
    def id(self):
        return self._device.id

    def __int__(self):
        return self.id

    @property
    def _device(self):
        from .cuda import Device

        return Device(self)

    def __enter__(self):
        device = self._device
        device.__enter__()
        _entered.devices.append(device)
        return self

    def __exit__(self, *error):
        if not _entered.devices:
            raise RuntimeError("a device is left that was not entered")
        _entered.devices.pop().__exit__(*error)

    def use(self):
        """Makes the device current for the rest of the thread."""
        self._device.use()

    def synchronize(self):
        """Waits for all work of the device."""
        self._device.synchronize()


class _Entered(threading.local):
    """The devices that a thread has entered by their names."""

    def __init__(self):
        self.devices = []


_entered = _Entered()
_device_of, _names = ndarray.device.__get__, {}


def named_device(name):
    """The name of a device as the one object that stands for it."""
    return _names.get(name) or _names.setdefault(name, DeviceName(name))


@_attribute
def device(self):
    """The name of the device on which the array lies."""
    return named_device(_device_of(self))


class flagsobj:
    """How an array lies in memory."""

    __slots__ = ("_array", "_values")
    _NAMES = ("c_contiguous", "f_contiguous", "owndata", "writeable", "aligned", "writebackifcopy")
    _LETTERS = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata", "W": "writeable", "A": "aligned",
                "X": "writebackifcopy", "CA": "carray", "FA": "farray", "B": "behaved"}

    def __init__(self, array):
        shape, strides, step = array.shape, array.strides, array.itemsize

        def packed(axes):
            expected = step
            for extent, stride in axes:
                if extent != 1:
                    if stride != expected:
                        return False
                    expected *= extent
            return True

        axes = list(zip(shape, strides))
        c, f = (array.size == 0 or packed(order) for order in (reversed(axes), axes))
        self._array, self._values = array, (c, f, array.base is None)

    c_contiguous, f_contiguous = property(lambda self: self._values[0]), property(lambda self: self._values[1])
    owndata, aligned = property(lambda self: self._values[2]), property(lambda self: True)
    writebackifcopy = property(lambda self: False)

    @property
    def writeable(self):
        return self._array._is_writeable

    @writeable.setter
    def writeable(self, value):
        self._array._set_writeable(bool(value))

    fnc = property(lambda self: self.f_contiguous and not self.c_contiguous)
    forc = property(lambda self: self.f_contiguous or self.c_contiguous)
    behaved = property(lambda self: self.aligned and self.writeable)
    carray = property(lambda self: self.c_contiguous and self.behaved)
    farray = property(lambda self: self.fnc and self.behaved)
    contiguous, fortran = property(lambda self: self.c_contiguous), property(lambda self: self.f_contiguous)

    def __getitem__(self, name):
        try:
            return getattr(self, self._LETTERS.get(name, name).lower())
        except AttributeError:
            raise KeyError("Unknown flag") from None

    def __setitem__(self, name, value):
        if str(name).lower() not in ("w", "writeable"):
            raise KeyError("Unknown flag")
        self.writeable = value

    def __repr__(self):
        return "\n".join(f"  {name.upper()} : {self[name]}" for name in self._NAMES)


_attribute_flags = property(flagsobj)
ndarray.flags = _attribute_flags


@_add
def setflags(self, write=None, align=None, uic=None):
    if write is not None:
        self.flags.writeable = write


@_add
def item(self, *index):
    if not index:
        return self._item()
    if len(index) == 1 and isinstance(index[0], tuple):
        index = index[0]
    if len(index) == 1 and self.ndim != 1:
        return self.reshape(-1)[index[0]]._item()
    if len(index) != self.ndim:
        raise ValueError("incorrect number of indices for array")
    return self[tuple(index)]._item()


@_add
def tolist(self):
    return self._numpy().tolist()


@_add
def tobytes(self, order="C"):
    if order not in ("C", None) and not (order == "A" and not self.flags.fnc):
        return self.ravel("F").tobytes()
    return self._bytes()


@_add
def tofile(self, fid, sep="", format="%s"):
    self._numpy().tofile(fid, sep, format)


@_add
def dump(self, file):
    import pickle

    with open(file, "wb") as opened:
        pickle.dump(self, opened, protocol=2)


@_add
def dumps(self):
    import pickle

    return pickle.dumps(self, protocol=2)


@_add
def copy(self, order="C"):
    return _copy(self, order)._fresh()


@_add
def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    dtype = _dtype(dtype)
    if self.dtype.kind == "c" and dtype.kind in "iuf":
        import warnings

        warnings.warn("Casting complex values to real discards the imaginary part", np.exceptions.ComplexWarning, stacklevel=2)
    if not copy and dtype == self.dtype and (order in ("K", "A") or self.flags[order]):
        return self
    return _astype(self, dtype, order=order, casting=casting)


def _dtype(dtype):
    if isinstance(dtype, str) and dtype == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(dtype)


@_add
def fill(self, value):
    if np.ndim(value) if not isinstance(value, ndarray) else value.ndim:
        raise ValueError("setting an array element with a sequence.")
    self[...] = value


@_add
def sort(self, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    self._put(_sort(self, axis, kind, order, stable=stable, descending=bool(descending)))


@_add
def partition(self, kth, axis=-1, kind="introselect", order=None):
    self._put(_partition(self, kth, axis, kind, order))


@_add
def put(self, indices, values, mode="raise"):
    _put(self, indices, values, mode)


@_add
def byteswap(self, inplace=False):
    swapped = _core.from_numpy(self._numpy().byteswap(), self.device)
    if inplace:
        self._put(swapped)
        return self
    return swapped


def _extents(shape):
    if len(shape) == 1:
        if shape[0] is None:
            raise TypeError("'NoneType' object cannot be interpreted as an integer")
        try:
            return [operator.index(shape[0])]
        except TypeError:
            shape = shape[0]
    return [operator.index(extent) for extent in shape]


def _complete(shape, size, of):
    """A shape with the extent that -1 stands for."""
    if shape.count(-1) > 1 or any(extent < -1 for extent in shape):
        raise ValueError("can only specify one unknown dimension")
    known = 1
    for extent in shape:
        known *= 1 if extent == -1 else extent
    if -1 in shape:
        if known == 0 or size % known:
            raise ValueError(f"cannot reshape array of size {size} into shape {_shape_text(shape)}")
        shape = [size // known if extent == -1 else extent for extent in shape]
    elif known != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {_shape_text(shape)}")
    if len(shape) > 64:
        raise ValueError(f"maximum supported dimension for an ndarray is currently 64, found {len(shape)}")
    return shape


def _shape_text(shape):
    return "(" + ",".join(str(extent) for extent in shape) + ("," if len(shape) == 1 else "") + ")"


any = builtins.any


@_add
def reshape(self, *shape, order="C", copy=None):
    shape = _complete(_extents(shape), self.size, self)
    if order not in ("C", "F", "A", "c", "f", "a"):
        if order is None:
            order = "C"
        else:
            raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    order = order.upper()
    if order == "F" or (order == "A" and self.flags.fnc):
        return self.T.reshape(shape[::-1], copy=copy).T
    if not copy:
        view = self._reshaped(shape)
        if view is not None:
            return view
        if copy is False:
            raise ValueError("Unable to avoid creating a copy while reshaping.")
    return self.copy()._reshaped(shape)._fresh()


@_add
def ravel(self, order="C"):
    if order == "K":
        axes = sorted(range(self.ndim), key=lambda axis: -abs(self.strides[axis]))
        return self.ravel() if self.flags.c_contiguous else self.transpose(axes).ravel()
    flat = self.reshape(-1, order=order)
    # Elements with gaps between them are copied, as NumPy does.
    return flat if flat.size < 2 or flat.strides[0] == flat.itemsize else flat.copy()


@_add
def flatten(self, order="C"):
    return self.copy().ravel(order).copy() if order == "C" else self.ravel(order).copy()


@_add
def transpose(self, *axes):
    if len(axes) == 1 and (axes[0] is None or not isinstance(axes[0], (int, np.integer, ndarray))):
        axes = axes[0]
    return self.T if not axes and (axes is None or self.ndim) else self._permuted([operator.index(axis) for axis in axes])


@_add
def view(self, dtype=None, type=None):
    if dtype is None or (isinstance(dtype, builtins.type) and issubclass(dtype, ndarray)):
        return self[...]
    dtype = _dtype(dtype)
    if dtype == self.dtype:
        return self[...]
    return self._viewed(dtype)


@_add
def resize(self, *new_shape, refcheck=True):
    shape = tuple(_extents(new_shape)) if new_shape else self.shape
    if shape != self.shape:
        raise ValueError("cannot resize this array: ndany's arrays keep their size, use ndany.resize")


@_add
def to_device(self, device, /, *, stream=None):
    if stream is not None:
        raise ValueError("only the default stream can be asked for")
    if str(device) == self.device:
        return self
    return self._to_device(str(device))


# What CuPy's arrays have.
@_add
def get(self, stream=None, order="C", out=None, blocking=True):
    array = np.asarray(self._numpy(), order=None if order == "A" else order)
    if out is None:
        return array
    out[...] = array
    return out


@_add
def set(self, arr, stream=None):
    self[...] = arr


@_add
def toDlpack(self):
    return self.__dlpack__()


for _name in ("scatter_add", "scatter_max", "scatter_min"):
    _forward(_name, _function("cupyx." + _name))


@_add
def reduced_view(self, dtype=None):
    return self[...]


# Printing. The engine reads only what it prints; it knows NumPy's default options.
_DEFAULTS = np.get_printoptions()


def _text(own, numpy_s):
    def text(self):
        return own(self) if np.get_printoptions() == _DEFAULTS else numpy_s(self._numpy())

    return text


ndarray.__repr__, ndarray.__str__ = _text(_repr, np.array_repr), _text(_str, np.array_str)


@_add
def __format__(self, spec):
    return format(self._item(), spec) if self.ndim == 0 else object.__format__(self, spec)


# Copies and pickles.
@_add
def __copy__(self):
    return _copy(self, "K")._fresh()


@_add
def __deepcopy__(self, memo):
    return _copy(self, "K")._fresh()


def _restored(array, device):
    try:
        return _core.from_numpy(array, device)
    except Exception:
        # Another machine may lack the device.
        return _core.from_numpy(array)


@_add
def __reduce__(self):
    return _restored, (self._numpy(), str(self.device))


@_add
def __reduce_ex__(self, protocol):
    return _restored, (self._numpy(), str(self.device))


@_add
def __sizeof__(self):
    # As NumPy's: with the memory, where that is the array's own.
    return object.__sizeof__(self) + (self.nbytes if self.base is None else 0)


def _number(self, name):
    if self.ndim:
        raise TypeError(f"type ndany.ndarray of {self.ndim} axes doesn't define {name} method: use ndany.round or ndany.trunc")
    return self._item()


# Elements are numbers of NumPy's there, which have these.
@_add
def __round__(self, ndigits=None):
    return builtins.round(_number(self, "__round__"), ndigits)


@_add
def __trunc__(self):
    return int(_number(self, "__trunc__"))


@_add
def __contains__(self, value):
    return bool((self == value).any())


@_add
def __reversed__(self):
    return iter(self[::-1])


# `ndarray[shape, dtype]` in annotations.
ndarray.__class_getitem__ = classmethod(types.GenericAlias)
ndarray.__hash__ = None
ndarray.__array_priority__ = 100


@_attribute
def ctypes(self):
    return self.__array__().ctypes


@_attribute
def data(self):
    """A buffer over the memory; on a GPU its address, as CuPy's."""
    if self.device.startswith(("cuda", "hip")):
        from .cuda.memory import _pointer_to

        return _pointer_to(self)
    return self.__array__().data


# Protocols.
@_add
def __array__(self, dtype=None, copy=None):
    if not (self.device.startswith("cpu") or self.device == "reference"):
        raise TypeError(
            f"implicit conversion of an array of {self.device} to NumPy's is not allowed: use `.get()` or ndany.asnumpy"
        )
    if dtype is not None and np.dtype(dtype) != self.dtype:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return self._numpy().astype(dtype)
    return self._numpy() if copy else self._shared()


_API_VERSIONS = (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


@_add
def __array_namespace__(self, /, *, api_version=None):
    import ndany

    if api_version not in _API_VERSIONS:
        raise ValueError(f"the version {api_version!r} of the array API is not known: the newest here is {_API_VERSIONS[-1]}")
    return ndany


def _namespace(function):
    """The module of this package for one of NumPy's."""
    import ndany

    space = ndany
    for part in (getattr(function, "__module__", None) or "numpy").split(".")[1:]:
        if part.startswith("_") or part == "core":
            continue
        space = getattr(space, part, None)
        if space is None:
            return None
    # Some of NumPy's functions are named after the file in which they are.
    return space if hasattr(space, function.__name__) else ndany


@_add
def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
    import ndany

    own = getattr(ndany, ufunc.__name__, None)
    if getattr(np, ufunc.__name__, None) is not ufunc or not isinstance(own, _core.function):
        return NotImplemented
    for one in inputs + tuple(kwargs.get("out") or ()):
        if not isinstance(one, (ndarray, np.ndarray, np.generic, int, float, complex, list, tuple, type(None))) and hasattr(
            type(one), "__array_ufunc__"
        ):
            return NotImplemented
    if method != "__call__":
        own = getattr(own, method, None)
        if own is None:
            return NotImplemented
    return own(*inputs, **kwargs)


@_add
def __array_function__(self, function, types, args, kwargs):
    own = getattr(_namespace(function), function.__name__, None)
    if own is None or own is function:
        return NotImplemented
    return own(*args, **kwargs)
