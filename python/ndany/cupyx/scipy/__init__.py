"""The modules of ``cupyx.scipy`` that are here: ``fft``, ``linalg``, ``sparse``, ``special`` and ``stats``."""

import sys as _sys

from ... import ndarray as _ndarray


def get_array_module(*args):
    """This package if an argument is an array of ndany, or a sparse one, else SciPy."""
    from ...sparse import issparse

    if any(isinstance(one, _ndarray) or issparse(one) for one in args):
        return _sys.modules[__name__]
    import scipy

    return scipy


def __getattr__(name):
    if name in ("fft", "linalg", "sparse", "special", "stats"):
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
