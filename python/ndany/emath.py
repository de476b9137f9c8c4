"""Functions whose results are complex where those of real numbers would be NaN, as ``numpy.emath``."""

import sys as _sys

from . import _core

__all__ = ["sqrt", "log", "log2", "log10", "logn", "power", "arccos", "arcsin", "arctanh"]


# Of these NumPy makes complex64.
_SINGLE = ("float32", "int8", "int16", "uint8", "uint16")


def _complex_if(x, is_outside):
    """The array, as complex numbers if a real element is outside of the function's domain, which is read."""
    np = _sys.modules["ndany"]
    x = np.asarray(x)
    if x.dtype.kind == "c" or not bool(is_outside(x).any()):
        return x
    return x.astype("complex64" if x.dtype.name in _SINGLE else "complex128")


def _is_negative(x):
    return x < 0


def _is_beyond_one(x):
    return abs(x) > 1


def _of(name, is_outside):
    function = _core.function("np." + name)

    def of(x):
        return function(_complex_if(x, is_outside))

    of.__name__ = of.__qualname__ = name
    of.__doc__ = f"As ``numpy.emath.{name}``."
    return of


sqrt, log, log2, log10 = (_of(name, _is_negative) for name in ("sqrt", "log", "log2", "log10"))
arccos, arcsin, arctanh = (_of(name, _is_beyond_one) for name in ("arccos", "arcsin", "arctanh"))


def logn(n, x):
    """As ``numpy.emath.logn``."""
    return log(x) / log(n)


def power(x, p):
    """As ``numpy.emath.power``."""
    np = _sys.modules["ndany"]
    p = np.asarray(p)
    if p.dtype.kind in "iu" and bool((p < 0).any()):
        p = p.astype(float)
    return _core.function("np.power")(_complex_if(x, _is_negative), p)
