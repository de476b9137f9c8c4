"""Fourier transforms, as ``cupyx.scipy.fft``."""

from ... import _namespace

_namespace.fill(globals(), "fft.")
