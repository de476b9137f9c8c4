"""Cases of Bessel functions of the orders 0 and 1."""

import numpy as np
from mpmath import mp

from sf import beside, function, logarithmic, uniform


def cases(store):
    positive = [uniform("bessel", 0, 60, 250), logarithmic("bessel", 1e-8, 1e5, 80), beside(8)]
    ends = np.array([0.0, np.inf, np.nan])
    # Near zeros the error is absolute.
    for name, evaluate in (("j0", lambda x: mp.besselj(0, x)), ("j1", lambda x: mp.besselj(1, x))):
        function(store, name, evaluate, [(x,) for x in (*positive, -positive[0][:60], ends)], 8, absolute=6e-16)
    for name, evaluate in (("y0", lambda x: mp.bessely(0, x)), ("y1", lambda x: mp.bessely(1, x))):
        function(store, name, evaluate, [(x,) for x in (*positive, ends, np.array([-1.0]))], 8, absolute=6e-16)
    # Whole orders, by recurrence: the error grows with the order; near zeros it is absolute.
    n = np.array([[0.0], [1.0], [2.0], [5.0], [12.0]])
    points = uniform("orders", 0.3, 40, 60)
    function(store, "yn", lambda n, x: mp.bessely(int(n), x), [(n, points), (-n[1:3], points[:10])], 128, absolute=8e-15)
    function(store, "kn", lambda n, x: mp.besselk(int(n), x), [(n, points)], 64)
    function(store, "spherical_yn", lambda n, x: mp.sqrt(mp.pi / (2 * x)) * mp.bessely(int(n) + mp.mpf("0.5"), x), [(n, points)], 128, absolute=8e-15)
    both = [uniform("modified", -40, 40, 200), logarithmic("modified", 1e-8, 600, 80), beside(8), ends]
    for name, evaluate in (("i0e", lambda x: mp.exp(-abs(x)) * mp.besseli(0, x)), ("i1", lambda x: mp.besseli(1, x)), ("i1e", lambda x: mp.exp(-abs(x)) * mp.besseli(1, x))):
        function(store, name, evaluate, [(x,) for x in both], 8, own=lambda x, n=name: x if n == "i1" and np.isinf(x) else None)
    second = [uniform("second", 0, 30, 200), logarithmic("second", 1e-8, 600, 80), beside(1), ends, np.array([-1.0])]
    for name, evaluate in (("k0", lambda x: mp.besselk(0, x)), ("k1", lambda x: mp.besselk(1, x)), ("k0e", lambda x: mp.exp(x) * mp.besselk(0, x)), ("k1e", lambda x: mp.exp(x) * mp.besselk(1, x))):
        function(store, name, evaluate, [(x,) for x in second], 8)
