"""What of `cupyx` CuPy's tests of arrays import."""

from ndany.cupy import rsqrt, scatter_add, scatter_max, scatter_min  # noqa: F401

from . import scipy  # noqa: F401
