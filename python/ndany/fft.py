"""Fourier transforms: the names of ``numpy.fft``."""

from . import _namespace

_namespace.fill(globals(), "np.fft.")


def _frequencies(name):
    function = globals()[name]

    def frequencies(n, d=1.0, device=None, *, dtype=None):
        result = function(n, d, device=device)
        return result if dtype is None else result.astype(dtype, copy=False)

    frequencies.__name__ = frequencies.__qualname__ = name
    frequencies.__doc__ = f"As ``numpy.fft.{name}``, with the dtype that the array API adds."
    return frequencies


fftfreq, rfftfreq = _frequencies("fftfreq"), _frequencies("rfftfreq")
