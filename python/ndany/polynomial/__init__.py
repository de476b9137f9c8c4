"""Polynomials, as ``numpy.polynomial``."""

from . import polynomial, polyutils  # noqa: F401
from ._series import Chebyshev, Hermite, HermiteE, Laguerre, Legendre, Polynomial  # noqa: F401
