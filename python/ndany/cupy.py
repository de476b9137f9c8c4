"""The names of ``cupy``: NumPy's as ``ndany`` has them, and what only CuPy has. ``import ndany.cupy as cp`` runs programs of CuPy."""

import builtins
import sys

import numpy

import ndany as _ndany
from ndany import *  # noqa: F401, F403
from ndany import cuda  # noqa: F401
from ndany import fft, linalg, ndarray, random  # noqa: F401
from ndany._fuse import fuse  # noqa: F401
from ndany._kernels import ElementwiseKernel, ReductionKernel  # noqa: F401
from ndany._raw import RawKernel, RawModule  # noqa: F401

bool_ = _ndany.bool_
bool = _ndany.bool


def __getattr__(name):
    return getattr(_ndany, name)


asnumpy = _ndany.asnumpy


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


def clear_memo():
    """Kernels are kept by the engine."""
