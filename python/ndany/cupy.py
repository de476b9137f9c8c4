"""The names of ``cupy``: NumPy's as ``ndany`` has them, and what only CuPy has. ``import ndany.cupy as cp`` runs programs of CuPy."""

import builtins
import functools
import sys

import numpy

import ndany as _ndany
from ndany import _core
from ndany import *  # noqa: F401, F403
from ndany import cuda  # noqa: F401
from ndany import _cupy_random as random
from ndany import fft, linalg, ndarray  # noqa: F401
from ndany._fuse import fuse  # noqa: F401
from ndany._kernels import ElementwiseKernel, ReductionKernel  # noqa: F401
from ndany._raw import RawKernel, RawModule  # noqa: F401

bool_ = _ndany.bool_
bool = _ndany.bool


def __getattr__(name):
    return getattr(_ndany, name)


asnumpy, fromDlpack = _ndany.asnumpy, _core.from_capsule


def get_array_module(*args):
    """``ndany.cupy`` if an argument is an array of ndany, else NumPy."""
    if builtins.any(isinstance(one, ndarray) for one in args):
        return sys.modules[__name__]
    return numpy


def get_default_memory_pool():
    """The pool of the current device."""
    return cuda.MemoryPool()


def get_default_pinned_memory_pool():
    """The pool of the current device."""
    return cuda.PinnedMemoryPool()


def is_available():
    """Whether there is a GPU."""
    return cuda.is_available()


def memoize(for_each_device=False):
    """A decorator that keeps a function's results by its arguments, also by the current device if it is asked to."""

    def decorate(function):
        kept = {}
        _kept.append(kept)

        @functools.wraps(function)
        def called(*args, **kwargs):
            key = (args, frozenset(kwargs.items()), cuda.Device().name if for_each_device else None)
            if key not in kept:
                kept[key] = function(*args, **kwargs)
            return kept[key]

        return called

    return decorate


# The results of all functions that `memoize` has decorated.
_kept = []


def clear_memo():
    """Forgets what `memoize` has kept. Kernels are kept by the engine."""
    for one in _kept:
        one.clear()
