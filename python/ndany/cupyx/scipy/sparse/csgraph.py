"""Graphs, as ``cupyx.scipy.sparse.csgraph``."""

from ....sparse.csgraph import *  # noqa: F401, F403
