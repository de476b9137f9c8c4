"""The names of ``cupyx`` that are here: writes at places that repeat, ``rsqrt``, host memory, states, ``profiler`` and ``scipy``."""

import contextlib as _contextlib

import numpy as _numpy

from .. import _core

rsqrt = _core.function("cupyx.rsqrt")


def scatter_add(a, slices, value):
    """Adds at places that may be named twice."""
    _core.function("cupyx.scatter_add")(a, slices, value)


def scatter_max(a, slices, value):
    """Takes the larger at places that may be named twice."""
    _core.function("cupyx.scatter_max")(a, slices, value)


def scatter_min(a, slices, value):
    """Takes the smaller at places that may be named twice."""
    _core.function("cupyx.scatter_min")(a, slices, value)


# ---- Arrays of NumPy's in the host's memory ----

empty_pinned, zeros_pinned = _numpy.empty, _numpy.zeros
empty_like_pinned, zeros_like_pinned = _numpy.empty_like, _numpy.zeros_like


# ---- States, which change nothing here ----

@_contextlib.contextmanager
def allow_synchronize(allow):
    """Waiting for a device is never refused."""
    yield


def geterr():
    """Failures of linear algebra, and of what functions take in lists of values, are always raised."""
    return {"linalg": "raise", "fallback_mode": None}


def seterr(*, linalg=None, fallback_mode=None):
    """The state before. Only ``linalg="raise"`` is known."""
    if linalg not in (None, "raise"):
        raise NotImplementedError(f"linalg={linalg!r}: a failure of linear algebra is always raised")
    return geterr()


@_contextlib.contextmanager
def errstate(*, linalg=None, fallback_mode=None):
    """As `seterr`, for a block."""
    seterr(linalg=linalg, fallback_mode=fallback_mode)
    yield


def __getattr__(name):
    if name in ("profiler", "scipy"):
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
