"""Cases of Fresnel's integrals, the hyperbolic integrals and Voigt's profile."""

import numpy as np
from mpmath import mp

from sf import beside, function, logarithmic, uniform


def voigt(x, sigma, gamma):
    """By the complementary error function; far out by a continued fraction."""
    z = mp.mpc(abs(x), gamma) / (sigma * mp.sqrt(2))
    if abs(z) > 9:
        # Laplace's continued fraction, and the residue that it lacks at the real line.
        w = mp.mpf(0)
        for k in range(400, 0, -1):
            w = mp.mpf(k) / 2 / (z - w)
        w = 1j / mp.sqrt(mp.pi) / (z - w)
        w = w + (mp.exp(-z * z) if gamma == 0 else 0)
    else:
        with mp.workdps(mp.dps + 60):
            w = mp.exp(-z * z) * mp.erfc(-1j * z)
    return w.real / (sigma * mp.sqrt(2 * mp.pi))


def cases(store):
    edges = np.array([0.0, -0.0, np.inf, -np.inf, np.nan])
    points = [uniform("fresnel", 0, 8, 160), -uniform("fresnel", 0, 8, 20), logarithmic("fresnel", 1e-8, 1e4, 60), beside(1.5, 2.25), edges]
    # S of small operands, and the distance from 1/2, have no more than the digits of 1/2.
    function(store, "fresnel", lambda x: (mp.fresnels(x), mp.fresnelc(x)), [(x,) for x in points], 8, digits=50)
    points = [uniform("shichi", 0, 12, 160), -uniform("shichi", 0, 12, 20), logarithmic("shichi", 1e-8, 700, 80), beside(4, 6, 0.5238225713898644), edges]

    def own(x):
        if x == -np.inf:
            return (-np.inf, np.inf)
        return None

    function(store, "shichi", lambda x: (mp.shi(x), mp.chi(abs(x))), [(x,) for x in points], 16, own=own, digits=50)
    x, sigma = uniform("voigt x", -8, 8, 120), logarithmic("voigt sigma", 0.05, 20, 120)
    gamma = logarithmic("voigt gamma", 1e-6, 10, 120)
    ends = [np.array([0, 0, 1, np.inf, np.nan, 0, 0, 1e5]), np.array([0, 1.0, 0, 1, 1, np.inf, 1, 1]), np.array([0.0, 0, 0, 1, 1, 1, 0, 1])]
    function(store, "voigt_profile", voigt, [(x, 1.0, gamma), (x, sigma, gamma), (x / 3, 1.0, 0.0), (x[:30], 1.0, 1e-12), ends], 64, digits=50)
