"""The classes of ``numpy.polynomial``: coefficients are NumPy's, in the host's memory; values are computed where an array lies."""

import numpy.polynomial as _polynomial
from numpy.polynomial import polyutils as _polyutils

from .._core import ndarray as _ndarray


def _host(value):
    return value.get() if isinstance(value, _ndarray) else value


def _series(name):
    base = getattr(_polynomial, name)

    class Series(base):
        def __init__(self, coef, domain=None, window=None, symbol="x"):
            super().__init__(_host(coef), _host(domain), _host(window), symbol)

        def __call__(self, arg):
            if not isinstance(arg, _ndarray):
                return super().__call__(arg)
            offset, scale = _polyutils.mapparms(self.domain, self.window)
            return self._val(offset + scale * arg, self.coef)

        @classmethod
        def fit(cls, x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"):
            return super().fit(_host(x), _host(y), deg, _host(domain), rcond, full, _host(w), _host(window), symbol)

        @classmethod
        def fromroots(cls, roots, domain=[], window=None, symbol="x"):  # noqa: B006  (NumPy's: the domain of the roots)
            return super().fromroots(_host(roots), _host(domain), _host(window), symbol)

    Series.__name__ = Series.__qualname__ = name
    Series.__module__ = "ndany.polynomial"
    Series.__doc__ = f"As ``numpy.polynomial.{name}``; samples and roots of ndany's arrays are read."
    Series.fit.__func__.__doc__ = f"As ``numpy.polynomial.{name}.fit``."
    Series.fromroots.__func__.__doc__ = f"As ``numpy.polynomial.{name}.fromroots``."
    return Series


Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre = map(
    _series, ("Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre")
)
