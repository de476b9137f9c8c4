"""Special functions, as ``cupyx.scipy.special``."""

from ...special import *  # noqa: F401, F403
