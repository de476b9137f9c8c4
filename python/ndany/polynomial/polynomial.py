"""Polynomials with the lowest power first: the functions of ``numpy.polynomial.polynomial``."""

from .. import _namespace

_namespace.fill(globals(), "np.polynomial.polynomial.")
