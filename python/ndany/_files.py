"""Arrays in files, as NumPy's functions: of paths and of open files."""

import collections.abc
import os

import numpy

from . import _core

_save, _load = _core.function("np.save"), _core.function("np.load")


def _host(value):
    return value.get() if isinstance(value, _core.ndarray) else value


def _is_path(file):
    return isinstance(file, (str, os.PathLike))


def save(file, arr, allow_pickle=True):
    """As ``numpy.save``."""
    if _is_path(file):
        _save(os.fspath(file), arr)
    else:
        numpy.save(file, _host(arr), allow_pickle=False)


def savez(file, *args, allow_pickle=True, **kwds):
    """As ``numpy.savez``."""
    numpy.savez(file, *map(_host, args), allow_pickle=False, **{name: _host(value) for name, value in kwds.items()})


def savez_compressed(file, *args, allow_pickle=True, **kwds):
    """As ``numpy.savez_compressed``."""
    arrays = {name: _host(value) for name, value in kwds.items()}
    numpy.savez_compressed(file, *map(_host, args), allow_pickle=False, **arrays)


class _Attributes:
    """The arrays of an ``npz`` file as attributes."""

    def __init__(self, opened):
        self._opened = opened

    def __getattr__(self, name):
        try:
            return self._opened[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self):
        return list(self._opened)


class NpzFile(collections.abc.Mapping):
    """The arrays of an ``npz`` file by their names; each is read where it is asked for."""

    def __init__(self, opened):
        self._opened, self.files, self.f = opened, opened.files, _Attributes(self)

    def __getitem__(self, name):
        return _core.from_numpy(self._opened[name])

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def close(self):
        self._opened.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __repr__(self):
        return f"NpzFile with keys: {', '.join(self.files)}"


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *, max_header_size=10000):
    """As ``numpy.load``. What is mapped is copied where an array is made of it."""
    if _is_path(file) and mmap_mode is None and os.fspath(file).endswith(".npy"):
        return _load(os.fspath(file))
    found = numpy.load(file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size)
    return _core.from_numpy(found) if isinstance(found, numpy.ndarray) else NpzFile(found)


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
    """As ``numpy.savetxt``."""
    numpy.savetxt(fname, _host(X), fmt, delimiter, newline, header, footer, comments, encoding)


def loadtxt(fname, dtype=float, *args, like=None, **kwargs):
    """As ``numpy.loadtxt``."""
    return _core.from_numpy(numpy.loadtxt(fname, dtype, *args, **kwargs))


loadtxt.__wrapped__ = numpy.loadtxt


def genfromtxt(fname, dtype=float, *args, like=None, **kwargs):
    """As ``numpy.genfromtxt``."""
    return _core.from_numpy(numpy.genfromtxt(fname, dtype, *args, **kwargs))


genfromtxt.__wrapped__ = numpy.genfromtxt


def fromiter(iter, dtype, count=-1, *, like=None):
    """As ``numpy.fromiter``."""
    return _core.from_numpy(numpy.fromiter(iter, dtype, count))
