"""Polynomials, as ``numpy.polynomial``."""

from . import polynomial, polyutils  # noqa: F401
