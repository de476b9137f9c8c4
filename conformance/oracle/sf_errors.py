"""Cases of error functions and of the normal distribution."""

import mpmath
import numpy as np
from mpmath import mp, mpf

from sf import beside, function, logarithmic, uniform

SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5])


def erfcx(x):
    return mp.exp(x * x) * mp.erfc(x)


def log_ndtr(x):
    return mp.log(mp.erfc(-x / mp.sqrt(2)) / 2)


def ndtri(p):
    x = mpmath.sqrt(2) * mp.erfinv(2 * p - 1) if 1e-30 < p < 1 - mpf(10) ** -14 else -mp.sqrt(-2 * mp.log(p))
    for _ in range(60):
        log_p = log_ndtr(x)
        slope = mp.exp(-x * x / 2 - log_p) / mp.sqrt(2 * mp.pi)
        step = (log_p - mp.log(p)) / slope
        x -= step
        if abs(step) < abs(x) * mpf(10) ** -25:
            break
    return x


def ndtri_exp(y):
    x = -mp.sqrt(-2 * y) if y < -3 else mp.sqrt(2) * mp.erfinv(2 * mp.exp(y) - 1)
    for _ in range(60):
        log_p = log_ndtr(x)
        step = (log_p - y) / (mp.exp(-x * x / 2 - log_p) / mp.sqrt(2 * mp.pi))
        x -= step
        if abs(step) < abs(x) * mpf(10) ** -25:
            break
    return x


def dawsn(x):
    if abs(x) > 1e4:
        return 1 / (2 * x) * (1 + 1 / (2 * x * x))
    with mp.workdps(mp.dps + int(float(x * x) / 2.3) + 5 if abs(x) < 30 else 40):
        return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def erfi(x):
    return mp.erfi(x)


def owens_t(h, a):
    return mp.quad(lambda x: mp.exp(-h * h * (1 + x * x) / 2) / (1 + x * x), mp.linspace(0, a, 3)) / (2 * mp.pi)


def erfinv(y):
    return ndtri((y + 1) / 2) / mp.sqrt(2) if abs(y) > 0.9 else mp.erfinv(y)


def cases(store):
    both = [uniform("errors", -6, 6, 150), logarithmic("small", 1e-12, 1, 40), -logarithmic("small", 1e-12, 1, 40), SPECIAL]
    function(store, "erfcx", erfcx, [(x,) for x in (*both, uniform("erfcx", 0, 60, 60), logarithmic("wide", 1, 1e12, 60), uniform("left", -26, 0, 40), beside(1e9, 4))], 4)
    function(store, "dawsn", dawsn, [(x,) for x in (*both, uniform("dawsn", 0, 30, 80), beside(2.5, 5, -2.5), logarithmic("dawsn", 1, 1e6, 40))], 4)
    function(store, "erfi", erfi, [(x,) for x in (*both, uniform("erfi", 5, 26, 60), beside(2.5, 5))], 6, digits=60)
    function(store, "ndtr", lambda x: mp.erfc(-x / mp.sqrt(2)) / 2, [(x,) for x in (*both, uniform("ndtr", -37, 9, 150), beside(0.5, -0.5))], 4)
    function(store, "log_ndtr", log_ndtr, [(x,) for x in (*both, uniform("log_ndtr", -40, 20, 150), -logarithmic("log_ndtr", 10, 1e6, 60))], 5, digits=120)
    inside = [uniform("probability", 0, 1, 150), logarithmic("probability", 1e-300, 1, 120), 1 - logarithmic("rest", 1e-15, 1, 60), beside(0.5, 0.001, 0.025),
              np.array([0.0, 1.0, -0.5, 1.5, np.nan, 5e-324, 1e-310])]
    function(store, "ndtri", ndtri, [(x,) for x in inside], 4)
    function(store, "ndtri_exp", ndtri_exp, [(-x,) for x in (uniform("log", 0, 30, 120), logarithmic("log", 1e-10, 1e5, 120), np.array([0.0, np.inf, np.nan]))], 8,
             own=lambda y: {0.0: np.inf, -np.inf: -np.inf}.get(y))
    signed = [uniform("erfinv", -1, 1, 200), 1 - logarithmic("near one", 1e-16, 0.1, 80), logarithmic("small", 1e-12, 1, 40), np.array([0.0, -0.0, 1.0, -1.0, 1.5, -1.5, np.nan]), beside(0.99, 0.998)]
    # The function is odd: SciPy loses the sign of zero.
    function(store, "erfinv", erfinv, [(x,) for x in signed], 3, own=lambda y: y if y == 0 else None)
    function(store, "erfcinv", lambda y: -ndtri(y / 2) / mp.sqrt(2), [(x,) for x in (uniform("erfcinv", 0, 2, 150), logarithmic("erfcinv", 1e-300, 1, 120), np.array([0.0, 2.0, 1.0, -1.0, 3.0, np.nan]))], 4, own=lambda y: 0.0 if y == 1.0 else None)
    function(store, "owens_t", owens_t, [(uniform("h", -6, 6, 120), uniform("a", -4, 4, 120)), (np.array([0.0, 1.0, 2.0, np.inf, 0.5]), np.array([1.0, 0.0, 1.0, 1.0, np.inf]))], 64)
