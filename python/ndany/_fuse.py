"""``cupy.fuse``: functions whose results are computed together."""

import functools

from . import _core


def arrays_in(value):
    """The arrays of a value, and of those that tuples, lists and dictionaries hold, as a list."""
    if isinstance(value, _core.ndarray):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (tuple, list)):
        return []
    return [array for one in value for array in arrays_in(one)]


def _fused(function, kernel_name=None):
    name = function.__name__ if kernel_name is None else kernel_name

    @functools.wraps(function)
    def call(*args, **kwargs):
        changing = [array for array in arrays_in((args, kwargs)) if not array._is_pending]
        results = function(*args, **kwargs)
        together = arrays_in(results) + [array for array in changing if array._is_pending]
        if len(together) > 1:
            with _core._Range(name):
                _core.eval_all(together)
        return results

    call.kernel_name = name
    return call


def fuse(*args, **kwargs):
    """A function of arrays, numbers and keyword arguments as one kernel, as ``cupy.fuse``: ``@fuse``, ``@fuse()``, ``fuse(f)``.

    Operations are fused without being asked to. A single result waits, and is fused with what is made of it; several results, and arguments
    that the function changes in place, are computed together when it returns: those of one shape in one launch, as a rule. Profilers
    show that launch in a range named ``kernel_name``, which is the function's name by default.
    """
    return _fused(*args, **kwargs) if args else functools.partial(_fused, **kwargs)
