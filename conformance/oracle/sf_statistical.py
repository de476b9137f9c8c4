"""Cases of probabilities and quantiles of distributions, as functions."""

import numpy as np
import scipy.special
from mpmath import mp

from sf import function, logarithmic, uniform
from store import allclose


def lower(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def upper(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def beta(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def kolmogorov(x):
    return 2 * mp.nsum(lambda j: (-1) ** (int(j) - 1) * mp.exp(-2 * j * j * x * x), [1, mp.inf], method="d") if x > 0.6 else \
        1 - mp.sqrt(2 * mp.pi) / x * mp.fsum(mp.exp(-((2 * k - 1) ** 2) * mp.pi**2 / (8 * x * x)) for k in range(1, 12))


def inverses(store):
    """Quantiles: SciPy's values, which are good to 1e-10. (Of 0 its `stdtrit` has the wrong sign, and of 1 its `pdtri` no number.)"""
    p = np.concatenate([uniform("level", 0.001, 0.999, 60), np.array([0.0, 1.0, 0.5])])
    a, b = uniform("inverse a", 0.5, 60, 63), uniform("inverse b", 0.5, 60, 63)
    k, n = np.floor(uniform("inverse k", 0, 20, 63)), np.floor(uniform("inverse n", 21, 60, 63))
    for name, operands in {
        "gammaincinv": (a, p), "gammainccinv": (a, p), "betaincinv": (a, b, p), "betainccinv": (a, b, p), "chdtri": (a, p), "gdtria": (p[:60], a[:60], b[:60]), "gdtrix": (a, b, p),
        "pdtri": (k[:60], p[:60]), "bdtri": (k, n, p), "nbdtri": (k, n, p), "fdtri": (a[:60], b[:60], p[:60]), "stdtrit": (a[:60], p[:60]), "kolmogi": (p,),
    }.items():
        expected = getattr(scipy.special, name)(*operands)
        store.add(f"special/{name}/float64", f"sp.special.{name}", list(operands), expected=expected, tolerance=allclose(1e-10, 1e-13))


def cases(store):
    v, x = uniform("degrees", 0.5, 60, 120), uniform("chi", 0.01, 90, 120)
    function(store, "chdtr", lambda v, x: lower(v / 2, x / 2), [(v, x)], 256, digits=60)
    function(store, "chdtrc", lambda v, x: upper(v / 2, x / 2), [(v, x)], 256, digits=60)
    rate, shape = uniform("rate", 0.2, 4, 120), uniform("shape", 0.2, 30, 120)
    # The product of rate and x is rounded, as in SciPy.
    function(store, "gdtr", lambda a, b, x: lower(b, a * x), [(rate, shape, x[:120] / 4)], 1024, digits=60)
    function(store, "gdtrc", lambda a, b, x: upper(b, a * x), [(rate, shape, x[:120] / 4)], 1024, digits=60)
    k, m = np.floor(uniform("count", 0, 60, 120)), uniform("mean", 0.1, 60, 120)
    function(store, "pdtr", lambda k, m: upper(mp.floor(k) + 1, m), [(k, m), (np.array([-1.0, 1.5, 0.0]), np.array([1.0, 2.0, 0.0]))], 256, digits=60)
    function(store, "pdtrc", lambda k, m: lower(mp.floor(k) + 1, m), [(k, m), (np.array([-1.0, 1.5]), np.array([1.0, 2.0]))], 2048, digits=60)
    n = np.floor(uniform("trials", 1, 60, 120))
    part, p = np.floor(n * uniform("part", 0, 1, 120)), uniform("probability", 0.01, 0.99, 120)
    function(store, "bdtr", lambda k, n, p: beta(n - k, k + 1, 1 - p), [(part, n, p)], 512, digits=60)
    function(store, "bdtrc", lambda k, n, p: beta(k + 1, n - k, p), [(part, n, p)], 512, digits=60)
    function(store, "nbdtr", lambda k, n, p: beta(n, k + 1, p), [(part, n, p)], 512, digits=60)
    function(store, "nbdtrc", lambda k, n, p: beta(k + 1, n, 1 - p), [(part, n, p)], 512, digits=60)
    a, b, f = uniform("dfn", 0.5, 40, 120), uniform("dfd", 0.5, 40, 120), logarithmic("F", 0.05, 20, 120)
    function(store, "fdtr", lambda a, b, x: beta(a / 2, b / 2, a * x / (b + a * x)), [(a, b, f)], 1024, digits=60)
    function(store, "fdtrc", lambda a, b, x: beta(b / 2, a / 2, b / (b + a * x)), [(a, b, f)], 1024, digits=60)
    df, t = logarithmic("df", 0.5, 200, 160), uniform("t", -8, 8, 160)

    def student(df, t):
        tail = beta(df / 2, mp.mpf(1) / 2, df / (df + t * t)) / 2
        return 1 - tail if t > 0 else tail

    function(store, "stdtr", student, [(df, t), (np.array([1.0, 2.0, -1.0, np.inf]), np.array([np.inf, -np.inf, 1.0, 1.0]))], 512, digits=60)
    inverses(store)
    function(store, "kolmogorov", kolmogorov, [(uniform("kolmogorov", 0.2, 3, 120),), (np.array([0.0, -1.0, np.inf, np.nan, 10.0]),)], 64, own=lambda x: 1.0 if x <= 0 else None, absolute=1e-15)
