"""Cases of associated Legendre functions, shifted polynomials, Dirichlet's kernel, Spence's and Wright's functions."""

import numpy as np
from mpmath import mp

from sf import beside, function, logarithmic, uniform


def associated(n, m, z):
    return mp.legenp(int(n), int(m), z)


def spherical(n, m, theta):
    n, m = int(n), int(m)
    order = abs(m)
    if order > n:
        return mp.mpf(0)
    size = mp.sqrt((2 * n + 1) / (4 * mp.pi) * mp.factorial(n - order) / mp.factorial(n + order))
    value = size * mp.legenp(n, order, mp.cos(theta)) * (-1 if m < 0 and m % 2 else 1)
    return value.real if isinstance(value, mp.mpc) else value


def dirichlet(x, n):
    return mp.sin(n * x / 2) / (n * mp.sin(x / 2))


def wright(a, b, x):
    return mp.nsum(lambda k: x**k / mp.factorial(k) * mp.rgamma(a * k + b), [0, mp.inf], method="d")


def cases(store):
    u = uniform("shifted", 0, 1, 30)
    n, m = np.array([[0.0], [1.0], [2.0], [5.0], [12.0], [30.0]]), np.array([[[0.0]], [[1.0]], [[2.0]], [[-1.0]], [[-2.0]], [[4.0]]])
    # Near zeros of a polynomial the error is absolute.
    function(store, "assoc_legendre_p", associated, [(n[:5], m, 2 * u[:6] - 1), (n[:5], 0.0, 1 + u[:4])], 1024, absolute=2e-10)
    function(store, "sph_legendre_p", spherical, [(n, m, 3.1 * u[:4])], 256, absolute=1e-13)
    function(store, "eval_sh_legendre", lambda n, x: mp.legendre(int(n), 2 * x - 1), [(n, u)], 256, absolute=2e-13)
    function(store, "eval_sh_chebyt", lambda n, x: mp.chebyt(int(n), 2 * x - 1), [(n, u)], 256, absolute=2e-13)
    function(store, "eval_sh_chebyu", lambda n, x: mp.chebyu(int(n), 2 * x - 1), [(n, u)], 256, absolute=1e-11)
    function(store, "eval_chebyc", lambda n, x: 2 * mp.chebyt(int(n), x / 2), [(n, 4 * u - 2)], 256, absolute=2e-13)
    function(store, "eval_chebys", lambda n, x: mp.chebyu(int(n), x / 2), [(n, 4 * u - 2)], 256, absolute=1e-11)
    shifted = lambda n, p, q, x: mp.jacobi(int(n), p - q, q - 1, 2 * x - 1) / mp.binomial(2 * int(n) + p - 1, int(n))
    function(store, "eval_sh_jacobi", shifted, [(n[:5], 3.0, 1.5, u)], 1024, absolute=1e-14)
    whole = np.array([[1.0], [2.0], [3.0], [8.0], [31.0]])
    ends = (np.array([0.0, np.inf, 1.0, 1.0, np.nan]), np.array([3.0, 3.0, 0.0, 2.5, 1.0]))
    function(store, "diric", dirichlet, [(uniform("dirichlet", -20, 20, 40), whole), ends], 64, absolute=4e-15)
    points = [uniform("spence", 0, 4, 120), logarithmic("spence", 1e-10, 1e10, 60), 1 + logarithmic("spence 1", 1e-12, 0.4, 30), beside(0.5, 2), np.array([0.0, 1.0, -1.0, np.nan])]
    function(store, "spence", lambda z: mp.polylog(2, 1 - z).real, [(x,) for x in points], 16, digits=50)
    a, b, x = uniform("wright a", 0, 4, 60), uniform("wright b", 0, 6, 60), logarithmic("wright x", 1e-2, 300, 60)
    ends = (np.array([0.0, 1.0, 1.0, -1.0, 1.0]), np.array([1.0, 0.0, 1.0, 1.0, np.nan]), np.array([1.0, 0.0, np.inf, 1.0, 1.0]))
    function(store, "wright_bessel", wright, [(a, b, x), (0.0, b[:10], x[:10]), (a[:10] / 8, b[:10], x[:10] / 2), ends], 1024, digits=30)
