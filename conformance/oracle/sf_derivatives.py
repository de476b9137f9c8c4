"""Cases of derivatives of Bessel functions, and of the multivariate gamma function."""

import numpy as np
from mpmath import mp, mpf

from sf import function, logarithmic, uniform


def derivative(evaluate, sign, v, z, n):
    n = int(n)
    return sum(sign**k * mp.binomial(n, k) * evaluate(v - n + 2 * k, z) for k in range(n + 1)) / mpf(2) ** n


def spherical(evaluate, signs, n, z):
    value = lambda n: mp.sqrt(mp.pi / (2 * z)) * evaluate(n + mpf("0.5"), z)
    return signs[1] * value(1) if n == 0 else signs[0] * value(n - 1) - (n + 1) / z * value(n)


def cases(store):
    count = np.arange(6.0)[:, None]
    points = [
        (uniform("orders of jvp", -6, 20, 25), uniform("points of jvp", 0.1, 40, 25), count),
        (np.array([0.0, 1.0, 2.5, 7.0] * 5), logarithmic("points of jvp", 1e-2, 100, 20), count),
        (np.array([1.0, 2.5]), np.array([2.0, np.nan]), 1.0),
    ]
    for name, evaluate, sign, absolute in (
        ("jvp", lambda v, x: mp.besselj(v, x, maxprec=50000), -1, 2e-15),
        ("yvp", lambda v, x: mp.bessely(v, x, maxprec=50000), -1, 2e-15),
        ("ivp", mp.besseli, 1, None),
        ("kvp", mp.besselk, 1, None),
    ):
        odd = lambda value, n, name=name: -value if name == "kvp" and int(n) % 2 else value
        exact = lambda v, z, n, e=evaluate, s=sign, o=odd: o(derivative(e, s, v, z, n), n)
        own = lambda v, z, n, e=exact: np.nan if np.isnan(z) else float(e(mpf(v), mpf(z), mpf(n))) if v == 0 or n == 0 else None
        function(store, name, exact, points, 64, own=own, absolute=absolute)
    function(store, "multigammaln", lambda a, d: d * (d - 1) / 4 * mp.log(mp.pi) + sum(mp.loggamma(a - mpf(j) / 2) for j in range(int(d))),
             [(logarithmic("multigammaln", 5, 1e5, 60), np.array([[1.0], [2.0], [3.0], [10.0]])), (np.array([1.6, 2.5, 3.0]), np.array([2.0, 3.0, 5.0]))], 16,
             absolute=4e-15)
    orders = uniform("orders of spherical derivatives", 0, 30, 50).astype(np.int64)
    points = [
        (orders, uniform("points of spherical derivatives", 0.1, 50, 50)),
        (np.array([[0.0], [1.0], [2.0], [9.0]]), logarithmic("spherical derivatives", 1e-3, 300, 20)),
    ]
    ends = [(np.array([0.0, 1.0, 2.0, 3.0]), 0.0)]
    at_zero = lambda n, z: (1 / 3 if n == 1 else 0.0) if z == 0 else None
    for name, evaluate, signs, own, absolute in (
        ("spherical_jn_derivative", mp.besselj, (1, -1), at_zero, 1e-15),
        ("spherical_yn_derivative", mp.bessely, (1, -1), lambda n, z: np.inf if z == 0 else None, 1e-15),
        ("spherical_in_derivative", mp.besseli, (1, 1), at_zero, None),
        ("spherical_kn_derivative", mp.besselk, (-1, -1), lambda n, z: -np.inf if z == 0 else None, None),
    ):
        function(store, name, lambda n, z, e=evaluate, s=signs: spherical(e, s, n, z), points + ends, 64, own=own, absolute=absolute)
