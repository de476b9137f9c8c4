"""NumPy's arrays and functions on CPUs and GPUs, lazy and fused, with the same bits on each.

``import ndany as np`` is the intent: names, signatures, dtypes and errors are NumPy's, and the array API standard is a subset.
"""

import builtins as _builtins
import collections as _collections
import operator as _operator

import numpy as _numpy
from numpy import (  # noqa: F401  (dtypes and constants are NumPy's own)
    bool, bool_, byte, cdouble, complex64, complex128, complexfloating, csingle, double, dtype, dtypes, e, euler_gamma, exceptions,
    float16, float32, float64, floating, generic, half, index_exp, inexact, inf, int8, int16, int32, int64, int_, intc, integer,
    intp, issubdtype, long, longlong, nan, newaxis, number, pi, s_, short, signedinteger, single, ubyte, uint, uint8, uint16,
    uint32, uint64, uintc, uintp, ulong, ulonglong, unsignedinteger, ushort, False_, True_, ScalarType, errstate, geterr,
    get_printoptions, little_endian, mintypecode, printoptions, sctypeDict, set_printoptions, seterr, typecodes, typename,
)
# Programs ask whether a dtype is of these classes, of which there are no arrays here.
from numpy import (  # noqa: F401
    bytes_, character, clongdouble, datetime64, flexible, longdouble, object_, str_, timedelta64, void,
)

from . import _core
from ._core import ndarray, ufunc  # noqa: F401
from . import _array
from ._array import _dtype, flatiter  # noqa: F401
from . import _namespace, emath, fft, linalg, random  # noqa: F401

__version__ = _core.__version__
__array_api_version__ = "2025.12"


def devices():
    """The names of the devices of this machine, the best first."""
    return tuple(name for name in _core.devices() if name != "reference")


def _host(device):
    return device.startswith("cpu") or device == "reference"


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """A copy in the host's memory, as an array of NumPy's."""
    if isinstance(a, ndarray):
        return a.get(stream, order, out, blocking)
    array = _numpy.asarray(a, order=order)
    if out is None:
        return array
    out[...] = array
    return out


# ---- From objects to arrays ----

_array_of = _core.function("np.array")


def _has_own(obj):
    """Whether a nested sequence holds arrays of ndany, by its first leaf and those beside."""
    return isinstance(obj, (list, tuple)) and _builtins.any(isinstance(one, ndarray) or _has_own(one) for one in obj[:8])


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None, blocking=False):
    """The array of an object, as ``numpy.asarray``: itself if it is one of ndany."""
    if dtype is not None:
        dtype = _dtype(dtype)
    if isinstance(a, ndarray):
        moved = a if device is None else a.to_device(device)
        fits = dtype is None or dtype == a.dtype
        ordered = order in (None, "K", "A") or moved.flags[order]
        if fits and ordered:
            return moved.copy("K") if copy and moved is a else moved
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return moved.astype(moved.dtype if dtype is None else dtype, order=order or "K")
    if _has_own(a):
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        made = _array_of(a, **({} if dtype is None else {"dtype": dtype}))
        return asarray(made, None, order, device=device)
    if copy is False and not hasattr(a, "__dlpack__") and not hasattr(a, "__array_interface__"):
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    if isinstance(a, flatiter):
        a = a.copy()
        return asarray(a, dtype, order, device=device)
    made = _exchanged(a, device, copy)
    if made is not None:
        return asarray(made, dtype, order)
    array = _numpy.asarray(a, dtype=dtype, order=None if order == "K" else order)
    if array.dtype == object and dtype is None and isinstance(a, int):
        raise OverflowError("Python integer too large to convert to an array")
    return _core.from_numpy(array, device)


def _exchanged(a, device, copy):
    """An array over the memory of another library's, ``None`` where NumPy is to read the object."""
    plain = isinstance(a, (_numpy.ndarray, _numpy.generic, list, tuple, int, float, complex))
    if plain and copy is not False:
        return None
    if hasattr(a, "__dlpack__"):
        try:
            return from_dlpack(a, device=device, copy=copy)
        except (BufferError, RuntimeError):
            if copy is False:
                raise ValueError("Unable to avoid copy while creating an array as requested.") from None
            return None
    if not plain and hasattr(a, "__cuda_array_interface__"):
        current = _core.current_device()
        shared = _core.share(a, current if current.startswith("cuda") else "cuda:0")
        shared = shared if device is None else shared.to_device(device)
        return shared.copy("K") if copy else shared
    return None


def array(object, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, like=None, blocking=False, device=None):
    """A new array of an object, as ``numpy.array``."""
    if isinstance(object, ndarray) and copy and (dtype is None or _dtype(dtype) == object.dtype):
        made = object.copy(order or "K")
    else:
        made = asarray(object, dtype, order, device=device, copy=copy)
    if made.ndim < ndmin:
        made = made[(None,) * (ndmin - made.ndim) + (Ellipsis,)]
    return made


def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """As ``asarray``."""
    return asarray(a, dtype, order, device=device, copy=copy)


def ascontiguousarray(a, dtype=None, *, like=None):
    """An array in C order of at least one axis, as ``numpy.ascontiguousarray``."""
    made = asarray(a, dtype, "C")
    return made if made.ndim else made.reshape(1)


def asfortranarray(a, dtype=None, *, like=None):
    """An array in Fortran's order of at least one axis, as ``numpy.asfortranarray``."""
    made = asarray(a, dtype, "F")
    return made if made.ndim else made.reshape(1)


def from_dlpack(x, /, *, device=None, copy=None):
    """The array of an object with ``__dlpack__``."""
    if isinstance(x, ndarray):
        return asarray(x, device=device, copy=copy)
    kind = x.__dlpack_device__()[0]
    # On a GPU, the default stream of the driver is what the producer's work comes before.
    given = {"stream": {2: 1, 13: 1, 10: 0}[kind]} if kind in (2, 13, 10) else {}
    try:
        capsule = x.__dlpack__(max_version=(1, 2), copy=copy, **given)
    except TypeError:
        # A producer of an earlier version of the protocol.
        capsule = x.__dlpack__(**given)
    return _core.from_capsule(capsule, device, copy)


def copy(a, order="K", subok=False):
    """A copy, as ``numpy.copy``."""
    return array(a, order=order)


# ---- Parts of complex numbers, which are views ----

def real(val):
    """As ``numpy.real``: a view where one is possible."""
    return asarray(val).real


def imag(val):
    """As ``numpy.imag``: a view where one is possible."""
    return asarray(val).imag


class lib:
    """As ``numpy.lib``."""

    array_utils = _numpy.lib.array_utils
    scimath = emath

    class stride_tricks:
        """As ``numpy.lib.stride_tricks``."""


from ._standard import *  # noqa: E402, F401, F403
from ._files import fromiter, genfromtxt, load, loadtxt, save, savetxt, savez, savez_compressed  # noqa: E402, F401

_namespace.fill(globals(), "np.")
for _name in ("as_strided", "sliding_window_view"):
    setattr(lib.stride_tricks, _name, _core.function("np.lib.stride_tricks." + _name))
for _name in ("broadcast_arrays", "broadcast_shapes", "broadcast_to"):
    setattr(lib.stride_tricks, _name, globals()[_name])


def __getattr__(name):
    # What costs time to import waits until it is asked for.
    if name in ("cupy", "cupyx", "cuda", "polynomial", "sparse", "special", "stats", "testing", "typing"):
        import importlib

        return importlib.import_module("ndany." + name)
    if name == "bfloat16":
        from ml_dtypes import bfloat16

        return bfloat16
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
