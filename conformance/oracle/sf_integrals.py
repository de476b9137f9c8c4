"""Cases of exponential, sine and cosine integrals, of Lambert's W, elliptic integrals and orthogonal polynomials."""

import numpy as np
from mpmath import mp

from sf import beside, function, logarithmic, uniform


def rd(x, y, z):
    return mp.elliprd(x, y, z)


def beside_root(x):
    """Ei beside its zero, where SciPy has 0."""
    if not 0.37 < x < 0.373:
        return None
    with mp.workdps(50):
        return float(mp.ei(mp.mpf(x)))


def cases(store):
    positive = [uniform("integrals", 0, 30, 150), logarithmic("integrals", 1e-10, 600, 120), beside(1, 4, 6, 12, 24)]
    edges = np.array([0.0, np.inf, np.nan])
    function(store, "exp1", lambda x: mp.e1(x), [(x,) for x in (*positive, edges)], 8)
    function(store, "expi", lambda x: mp.ei(x), [(x,) for x in (*positive, -positive[0], beside(0.3725074107813666), edges)], 8, own=beside_root)
    function(store, "expn", lambda n, x: mp.expint(int(n), x), [(np.array([[1.0], [2.0], [3.0], [7.0], [30.0]]), np.concatenate([uniform("expn", 0.01, 3, 40), logarithmic("expn", 1e-3, 300, 40), beside(1)])), (np.array([0.0, 2.0, -1.0, 1.0, 5.0]), np.array([1.0, 0.0, 1.0, np.inf, -1.0]))], 64)
    function(store, "sici", lambda x: (mp.si(x), mp.ci(x)), [(x,) for x in (uniform("sici", 0, 60, 200), logarithmic("sici", 1e-6, 1e4, 80), beside(4, 8))], 16, absolute=4e-16)
    m = [uniform("parameter", -3, 1, 200), 1 - logarithmic("parameter", 1e-14, 0.5, 80), beside(0.5), np.array([0.0, 1.0, 2.0, np.nan])]
    function(store, "ellipk", mp.ellipk, [(x,) for x in m], 4, digits=60)
    function(store, "ellipe", mp.ellipe, [(x,) for x in m], 4, digits=60)
    function(store, "ellipkm1", lambda p: mp.ellipk(1 - p), [(x,) for x in (logarithmic("complement", 1e-100, 2, 200), np.array([0.0, 1.0, -1.0]))], 4, digits=140)
    phi, part = uniform("phi", -6, 6, 120), uniform("incomplete m", -2, 0.95, 120)
    function(store, "ellipkinc", mp.ellipf, [(phi, part)], 16, digits=40)
    function(store, "ellipeinc", mp.ellipe, [(phi, part)], 16, digits=40)
    x, y, z = (logarithmic(f"carlson {name}", 1e-3, 1e3, 120) for name in "xyz")
    function(store, "elliprc", mp.elliprc, [(x, y)], 8)
    function(store, "elliprf", mp.elliprf, [(x, y, z)], 8)
    function(store, "elliprd", rd, [(x, y, z)], 16)
    function(store, "elliprg", mp.elliprg, [(x, y, z)], 16)
    n = np.array([[0.0], [1.0], [2.0], [5.0], [12.0], [30.0]])
    u = uniform("polynomial", -1, 1, 40)
    hermite = (n[:5], u + 3)
    function(store, "eval_hermitenorm", lambda n, x: mp.hermite(int(n), x / mp.sqrt(2)) * mp.mpf(2) ** (-mp.mpf(int(n)) / 2), [hermite], 1024, absolute=1e-8)
    orders = np.array([[0.0], [1.0], [2.0], [5.0], [-1.0], [-3.0]])
    function(store, "lpmv", lambda m, v, x: mp.legenp(int(v), int(m), x), [(orders, np.array([[[3.0]], [[8.0]]]), u[:20])], 1024, absolute=1e-10)
    # Near zeros of a polynomial the error is absolute.
    function(store, "eval_legendre", lambda n, x: mp.legendre(int(n), x), [(n, u)], 64, absolute=2e-14)
    function(store, "eval_chebyt", lambda n, x: mp.chebyt(int(n), x), [(n, u)], 64, absolute=2e-14)
    function(store, "eval_chebyu", lambda n, x: mp.chebyu(int(n), x), [(n, u)], 64, absolute=1e-12)
    function(store, "eval_hermite", lambda n, x: mp.hermite(int(n), x), [(n[:5], u + 3)], 1024, absolute=1e-6)
    function(store, "eval_laguerre", lambda n, x: mp.laguerre(int(n), 0, x), [(n[:5], np.abs(u) * 4)], 1024, absolute=1e-11)
    function(store, "eval_genlaguerre", lambda n, a, x: mp.laguerre(int(n), a, x), [(n[:5], 1.5, np.abs(u) * 4)], 1024, absolute=1e-10)
    function(store, "eval_gegenbauer", lambda n, a, x: mp.gegenbauer(int(n), a, x), [(n[:5], 1.5, u)], 1024, absolute=1e-11)
    function(store, "eval_jacobi", lambda n, a, b, x: mp.jacobi(int(n), a, b, x), [(n[:5], 1.5, 0.5, u)], 1024, absolute=1e-11)
