"""Assertions of ``numpy.testing`` on arrays of ndany, which are copied to the host."""

import functools as _functools

import numpy.testing as _testing

from ._core import ndarray as _ndarray


def _host(value):
    if isinstance(value, _ndarray):
        return value.get()
    if isinstance(value, (list, tuple)):
        return type(value)(_host(item) for item in value) if type(value) in (list, tuple) else value
    return value


def _assertion(name):
    function = getattr(_testing, name)

    @_functools.wraps(function)
    def check(*args, **kwargs):
        return function(*map(_host, args), **{key: _host(value) for key, value in kwargs.items()})

    return check


for _name in (
    "assert_allclose assert_almost_equal assert_approx_equal assert_array_almost_equal assert_array_almost_equal_nulp "
    "assert_array_equal assert_array_less assert_array_max_ulp assert_equal"
).split():
    globals()[_name] = _assertion(_name)
assert_raises, assert_raises_regex = _testing.assert_raises, _testing.assert_raises_regex


def __getattr__(name):
    # What compares no arrays is NumPy's own.
    return getattr(_testing, name)
