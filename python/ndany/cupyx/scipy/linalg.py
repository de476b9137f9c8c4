"""Linear algebra, as ``cupyx.scipy.linalg``."""

from ... import _namespace
from ...linalg import LinAlgError  # noqa: F401

_namespace.fill(globals(), "sp.linalg.")
