"""Cases of hypergeometric functions of real operands."""

import numpy as np
import scipy.special
from mpmath import mp

from sf import function, logarithmic, uniform


def beside_one(p, q, c, z):
    """The value where SciPy has none, though there is one."""
    if np.isfinite(scipy.special.hyp2f1(p, q, c, z)) or not 0.9 < z < 1:
        return None
    with mp.workdps(60):
        return float(mp.hyp2f1(p, q, c, z))


def cases(store):
    nan, inf = np.nan, np.inf
    v, z = uniform("0f1 v", 0.2, 12, 100), uniform("0f1 z", -90, 90, 100)
    ends = (np.array([1.0, -1.0, nan, 2.0]), np.array([0.0, 1.0, 1.0, nan]))
    function(store, "hyp0f1", mp.hyp0f1, [(v, z), (v[:30] / 4, -logarithmic("0f1 far", 500, 1e5, 30)), (v[:30] / 4, logarithmic("0f1 up", 500, 9e4, 30)), (-v[:20], z[:20] / 8), ends], 1024, digits=60)
    p, c, x = uniform("1f1 a", 0.1, 8, 100), uniform("1f1 b", 0.1, 8, 100), uniform("1f1 x", -30, 30, 100)
    ends = (np.array([-1.0, -2.0, 1.0, 0.0, nan, 1.0, 1.0]), np.array([-2.0, -1.0, 0.0, 2.0, 1.0, 2.0, 2.0]), np.array([1.0, 1.0, 1.0, inf, 1.0, inf, -inf]))
    function(store, "hyp1f1", mp.hyp1f1, [(0.5, 1.5, x), (p, c, x), (p[:40], c[:40], 10 * x[:40]), (-p[:40], c[:40], x[:40] / 3), (np.floor(-p[:20]), c[:20], x[:20]), ends], 4096, digits=60)
    q, w = uniform("2f1 b", 0.1, 8, 100), uniform("2f1 z", -1, 1, 100)
    near = 1 - logarithmic("2f1 near", 1e-9, 0.1, 40)
    ends = (np.array([-1.0, -2.0, 1.0, 1.0, 1.0, nan]), np.array([1.0, 1.0, 0.0, 1.0, 0.5, 1.0]), np.array([-3.0, -1.0, -1.0, -1.0, 2.0, 1.0]), np.array([0.5, 0.5, 0.5, 0.5, 1.0, 0.5]))
    points = [(0.5, 1.5, 2.5, w), (p, q, c, w), (p[:40], q[:40], c[:40], near), (p[:40], 1.0, p[:40] + np.floor(q[:40]) - 3, near), (p[:40], q[:40], c[:40], -logarithmic("2f1 down", 1, 1e6, 40)), (np.floor(-p[:20]), q[:20], c[:20], 4 * w[:20]), ends]
    function(store, "hyp2f1", mp.hyp2f1, points, 4096, own=beside_one, digits=60)
    r = logarithmic("u x", 0.01, 100, 100)
    ends = (np.array([1.0, 1.0, 0.0, 1.0, 1.0, nan]), np.array([0.5, 2.0, 2.0, 2.0, 2.0, 1.0]), np.array([0.0, 0.0, inf, inf, -1.0, 1.0]))
    function(store, "hyperu", mp.hyperu, [(p, c, r), (p[:40] / 4, c[:40] - 4, r[:40]), (-p[:40], c[:40], 1 + r[:40]), (np.floor(-p[:20]), c[:20], r[:20]), ends], 4096, digits=60)
