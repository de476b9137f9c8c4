"""Random numbers as ``cupy.random``: the names of ``ndany.random``, of which the functions take a dtype."""

from . import random as _random
from .random import *  # noqa: F401, F403


def _with_dtype(name):
    function = getattr(_random, name)
    parameters = function._parameters
    # The position after the last one; what takes all extents has none.
    place = None if parameters[-1].startswith("*") else len(parameters)

    def draw(*args, dtype=None, **kwargs):
        if len(args) - 1 == place:
            *args, dtype = args
        drawn = function(*args, **kwargs)
        return drawn if dtype is None else drawn.astype(dtype, copy=False)

    draw.__name__ = draw.__qualname__ = name
    draw.__doc__ = f"As ``cupy.random.{name}``."
    return draw


for _name in dir(_random):
    _function = getattr(_random, _name)
    if not _name.startswith("_") and getattr(_function, "_parameters", [""])[-1] in ("size=", "*args", "method==") and _name != "randint":
        globals()[_name] = _with_dtype(_name)


def __getattr__(name):
    return getattr(_random, name)
