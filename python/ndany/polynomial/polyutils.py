"""What is done with coefficients: the functions of ``numpy.polynomial.polyutils``."""

from .. import _namespace

_namespace.fill(globals(), "np.polynomial.polyutils.")
