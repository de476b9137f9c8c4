"""Functions of the engine's tables under NumPy's names, with NumPy's signatures."""

import inspect

import numpy as np

from . import _core

_FUNCTION, _UFUNC = _core.function, _core.ufunc


def _of_numpy(name):
    """NumPy's function of a name as the tables have it, as ``np.linalg.norm``."""
    found = np
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def _signature(self):
    """NumPy's signature where it tells one, else that of the engine's table."""
    try:
        return inspect.signature(_of_numpy(self._name))
    except (TypeError, ValueError):
        pass
    kinds, parameters = inspect.Parameter, []
    for word in self._parameters:
        kind = kinds.VAR_POSITIONAL if word[0] == "*" else kinds.POSITIONAL_OR_KEYWORD
        if word.endswith("=="):
            kind = kinds.KEYWORD_ONLY
        default = None if word.endswith("=") else kinds.empty
        parameters.append(kinds(word.strip("*="), kind, default=default))
    return inspect.Signature(parameters)


def _doc(self):
    return f"As ``{self._name.replace('np.', 'numpy.')}``, on arrays of ndany."


def _reduce(self):
    """Pickled by the name under which a module has it, else by that of the tables."""
    import sys

    module = sys.modules.get(getattr(self, "__module__", None))
    is_there = getattr(module, getattr(self, "__name__", ""), None) is self
    return self.__name__ if is_there else (_unpickled, (self._name,))


def _unpickled(name):
    return make(name, "ndany")


_FUNCTION.__reduce__ = _reduce
_FUNCTION.__signature__ = property(_signature)
_FUNCTION.__doc__ = property(_doc)


# Ufuncs: the methods by the name of the operation, what describes them from NumPy's own.
def _method(name):
    def call(self, *args, **kwargs):
        methods = self.__dict__
        if name not in methods:
            methods[name] = _FUNCTION(f"{self._name}.{name}")
        return methods[name](*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"As ``numpy.ufunc.{name}``."
    return call


def _described(name):
    def get(self):
        return getattr(_of_numpy(self._name), name)

    get.__doc__ = f"As ``numpy.ufunc.{name}``."
    return property(get)


for _name in "reduce accumulate outer reduceat at".split():
    setattr(_UFUNC, "_" + _name, _method(_name))
    # A method in the instance's dictionary hides this one, and is found faster.
    setattr(_UFUNC, _name, _method(_name))
for _name in "nin nout nargs ntypes types identity signature".split():
    setattr(_UFUNC, _name, _described(_name))


def make(name, module):
    """The function of a name of the tables."""
    function = (_UFUNC if _core.is_elementwise(name) else _FUNCTION)(name)
    function.__name__ = function.__qualname__ = name.rsplit(".", 1)[-1]
    function.__module__ = module
    return function


def fill(space, prefix, skip=()):
    """Gives a module every function whose name is a prefix and one word."""
    module = space["__name__"]
    for name in _core.names():
        if name.startswith(prefix):
            short = name[len(prefix):]
            if "." not in short and short not in space and short not in skip:
                space[short] = make(name, module)
