"""The names of ``cupyx`` that are here: writes at places that repeat, ``rsqrt``, and the module ``profiler``."""

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


def __getattr__(name):
    if name == "profiler":
        import importlib

        return importlib.import_module(".profiler", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
