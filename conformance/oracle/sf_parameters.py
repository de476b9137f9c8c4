"""Cases of parameters of distributions at which a probability is a given one: mpmath's root beside SciPy's value."""

import numpy as np
import scipy.special
from mpmath import mp

from sf import function, uniform


def lower(s, x):
    return mp.gammainc(s, 0, x, regularized=True)


def beta(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def root(name, equation):
    """The parameter by secant steps from SciPy's value; its zeros and its failures are left to SciPy."""

    def find(*operands):
        start = mp.mpf(float(getattr(scipy.special, name)(*map(float, operands))))
        return mp.findroot(lambda s: equation(s, *operands), (start, start * (1 + mp.mpf(10) ** -6)), tol=1e-40, maxsteps=12)

    return find


def cases(store):
    p = np.concatenate([uniform("parameter level", 0.001, 0.999, 30), np.array([0.01, 0.99])])
    x, b, part = uniform("parameter x", 0.5, 30, 32), uniform("parameter b", 0.5, 20, 32), uniform("parameter part", 0.05, 0.95, 32)
    n, k = np.floor(uniform("parameter n", 20, 60, 32)), np.floor(uniform("parameter k", 0, 15, 32))
    tail = uniform("parameter tail", 0.3, 3, 32)
    between = scipy.special.stdtr(uniform("parameter df", 0.5, 30, 32), tail)
    for name, equation, operands in (
        ("chdtriv", lambda v, p, x: lower(v / 2, x / 2) - p, (p, x)),
        ("gdtrib", lambda s, a, p, x: lower(s, a * x) - p, (2.0, p, x)),
        ("pdtrik", lambda k, p, m: 1 - lower(k + 1, m) - p, (p, x + 8)),
        ("btdtria", lambda s, p, b, x: beta(s, b, x) - p, (p, b, part)),
        ("btdtrib", lambda s, a, p, x: beta(a, s, x) - p, (b, p, part)),
        ("bdtrik", lambda k, y, n, q: beta(n - k, k + 1, 1 - q) - y, (p, n, part)),
        ("bdtrin", lambda n, k, y, q: beta(n - k, k + 1, 1 - q) - y, (k, p, part)),
        ("nbdtrik", lambda k, y, n, q: beta(n, k + 1, q) - y, (p, n, part / 2)),
        ("nbdtrin", lambda n, k, y, q: beta(n, k + 1, q) - y, (k + 1, p, part)),
        ("fdtridfd", lambda d, a, p, x: beta(a / 2, d / 2, a * x / (a * x + d)) - p, (b, scipy.special.fdtr(b, x, 1 + tail / 4), 1 + tail / 4)),
        ("stdtridf", lambda d, p, t: 1 - beta(d / 2, mp.mpf(1) / 2, d / (d + t * t)) / 2 - p, (between, tail)),
    ):
        points = [operands, (np.array([0.0, 0.3, 0.999]), 0.0)] if name == "pdtrik" else [operands]
        function(store, name, root(name, equation), points, 1024, digits=40)
    function(store, "nrdtrimn", lambda p, s, x: x - s * mp.sqrt(2) * mp.erfinv(2 * p - 1), [(p, tail, x)], 8, absolute=2e-15)
    function(store, "nrdtrisd", lambda m, p, x: (x - m) / (mp.sqrt(2) * mp.erfinv(2 * p - 1)), [(b, p, x)], 16)
