"""Sparse arrays, as ``cupyx.scipy.sparse``."""

from ....sparse import *  # noqa: F401, F403
from ....sparse import csgraph, linalg  # noqa: F401
