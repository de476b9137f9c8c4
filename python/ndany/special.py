"""Special functions: the names of ``scipy.special`` that the engine has."""

from . import _core, _namespace

_namespace.fill(globals(), "sp.special.")
