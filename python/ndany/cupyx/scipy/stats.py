"""Distributions, as ``cupyx.scipy.stats``."""

from ...stats import *  # noqa: F401, F403
