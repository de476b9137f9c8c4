"""Cases of Bessel functions of any real order, of spherical ones and of Airy functions."""

import numpy as np
from mpmath import mp

from sf import beside, function, logarithmic, uniform

ENDS = np.array([0.0, -0.0, np.inf, -np.inf, np.nan])


def cases(store):
    plain(store)
    modified(store)
    spherical(store)
    airy(store)


def tables():
    orders = uniform("orders of j", 0, 20, 60)
    points = uniform("points of j", 0.1, 50, 60)
    return [
        (orders, points),
        (-orders[:30], points[:30]),
        (np.array([[0.0], [0.5], [1.0], [2.0], [7.5], [12.0]]), logarithmic("orders", 1e-3, 300, 20)),
        (np.array([[0.3], [1.5]]), beside(2)),
        (uniform("large orders", 20, 200, 30), uniform("large", 1, 300, 30)),
    ]


def plain(store):
    large = np.array([1200.0, 1800.5, 2500.25])
    own = tables() + [(large[:, None], np.array([800.0, 2000.0, 3500.0])), (large, large + np.array([3.0, -20.0, 160.0]))]
    ends = [
        (np.array([[0.0], [0.5], [-0.5], [-1.5], [2.0], [-3.0], [2.5], [np.nan]]), ENDS),
        (np.array([[2.0], [3.0], [-3.0], [2.5], [-2.5]]), np.array([-1.0, -30.0])),
    ]
    # Near zeros the error is absolute.
    for name in ("jv", "jn", "jve"):
        part = [own[0], *ends] if name == "jn" else own[:2] if name == "jve" else own + ends
        function(store, name, lambda v, x: mp.besselj(v, x, maxprec=50000), part, 64, absolute=2e-15)
    for name in ("yv", "yve"):
        part = own[:2] if name == "yve" else own + ends
        function(store, name, lambda v, x: mp.bessely(v, x, maxprec=50000), part, 64, absolute=2e-15)


def modified(store):
    own = tables()
    edges = [(np.array([[0.3], [7.5]]), beside(30)), (beside(40), 17.0)]
    ends = [(np.array([[0.0], [0.5], [2.0], [-3.0], [2.5], [np.nan]]), ENDS)]
    for name, evaluate in (
        ("iv", mp.besseli),
        ("ive", lambda v, x: mp.besseli(v, x) * mp.exp(-x)),
        ("kv", mp.besselk),
        ("kve", lambda v, x: mp.besselk(v, x) * mp.exp(x)),
    ):
        # SciPy has no value of K of no order at 0 and of a scaled K at infinity.
        stated = lambda v, x, name=name: np.nan if np.isnan(v) else 0.0 if name == "kve" and x == np.inf else None
        function(store, name, evaluate, own + edges + ends, 32, own=stated, digits=60)


def spherical(store):
    n = uniform("orders of spherical", 0, 40, 60).astype(np.int64)
    points = [
        (n, uniform("points of spherical", 0.1, 50, 60)),
        (np.array([[0.0], [1.0], [2.0], [5.0], [30.0]]), logarithmic("spherical", 1e-3, 300, 20)),
        (np.array([[0.0], [1.0], [2.0]]), ENDS),
    ]
    left = [(np.array([[0.0], [1.0], [2.0]]), np.array([-1.5, -20.0]))]
    half = mp.mpf("0.5")
    scale = lambda z: mp.sqrt(mp.pi / (2 * abs(z)))
    sign = lambda n, z: -1 if z < 0 and int(n) % 2 else 1
    function(store, "spherical_jn", lambda n, z: sign(n, z) * scale(z) * mp.besselj(n + half, abs(z)), points + left, 64, absolute=4e-16)
    function(store, "spherical_in", lambda n, z: sign(n, z) * scale(z) * mp.besseli(n + half, abs(z)), points + left, 32)
    function(store, "spherical_kn", lambda n, z: scale(z) * mp.besselk(n + half, z), points, 32)


def airy(store):
    # Near zeros the error is absolute.
    points = [uniform("airy", -20, 20, 150), -logarithmic("airy", 20, 1000, 20), beside(-2.5, 1.4, 10), np.array([0.0, 1e-20, np.inf, -np.inf, np.nan])]

    def plain_airy(x):
        return [mp.airyai(x), mp.airyai(x, derivative=1), mp.airybi(x), mp.airybi(x, derivative=1)]

    def scaled(x):
        ai, ai1, bi, bi1 = plain_airy(x)
        factor = mp.exp(2 * x * mp.sqrt(x) / 3) if x > 0 else mp.mpf(1)
        return [ai * factor, ai1 * factor, bi / factor, bi1 / factor]

    # SciPy's own Bi of negative numbers has fewer digits.
    def own(x):
        if not -1e9 < x < 0:
            return None
        return [np.nan, np.nan, float(mp.airybi(x)), float(mp.airybi(x, derivative=1))]

    function(store, "airy", plain_airy, [(x,) for x in points], 64, absolute=4e-16)
    function(store, "airye", scaled, [(np.abs(points[0]),), (points[1][:10],), *((x,) for x in points[2:])], 64, own=own, absolute=4e-16)
