"""Distributions: the names of ``scipy.stats`` that the engine has, as ``ndany.stats.norm.pdf(x)``."""

import types as _types

from . import _core, _namespace


class _Distribution(_types.SimpleNamespace):
    """A family of distributions, with its functions."""

    def __repr__(self):
        return f"<ndany distribution {self.name}>"


for _name in _core.names():
    _parts = _name.split(".")
    if _parts[:2] == ["sp", "stats"] and len(_parts) == 4:
        _family = globals().setdefault(_parts[2], _Distribution(name=_parts[2]))
        setattr(_family, _parts[3], _namespace.make(_name, __name__))
