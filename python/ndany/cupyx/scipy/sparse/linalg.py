"""Solvers, as ``cupyx.scipy.sparse.linalg``."""

from ....sparse.linalg import *  # noqa: F401, F403
