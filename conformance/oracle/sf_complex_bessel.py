"""Cases of Bessel and Hankel functions of complex numbers."""

import numpy as np
from mpmath import mp

from sf import complex_function, uniform
from sf_complex import axes, square, turned


def cases(store):
    points = [
        (uniform("orders of j z", -3, 20, 30), turned("bessel", 1e-2, 3, 30)),
        (uniform("orders of wide j z", 0, 20, 40), square("bessel", 30, 30, 40)),
        (np.array([[0.0], [1.0], [0.5], [7.0]]), turned("bessel", 1, 100, 10)),
        (uniform("large orders of j z", 20, 100, 10), turned("large bessel", 1, 150, 10)),
        (np.array([[0.0], [2.5], [-1.0], [-0.5]]), axes(0.7, 3.0, 40.0)),
    ]
    fewer = [points[0], points[2]]
    left = lambda z: mp.exp(-abs(mp.re(z)))
    low = lambda z: mp.exp(-abs(mp.im(z)))
    for name, evaluate in (
        ("jv", mp.besselj),
        ("jn", mp.besselj),
        ("jve", lambda v, z: mp.besselj(v, z) * low(z)),
        ("yv", mp.bessely),
        ("yve", lambda v, z: mp.bessely(v, z) * low(z)),
        ("iv", mp.besseli),
        ("ive", lambda v, z: mp.besseli(v, z) * left(z)),
        ("kv", mp.besselk),
        ("kve", lambda v, z: mp.besselk(v, z) * mp.exp(z)),
        ("hankel1", mp.hankel1),
        ("hankel1e", lambda v, z: mp.hankel1(v, z) * mp.exp(-1j * z)),
        ("hankel2", mp.hankel2),
        ("hankel2e", lambda v, z: mp.hankel2(v, z) * mp.exp(1j * z)),
    ):
        complex_function(store, name, "RC", evaluate, points if name in ("jv", "yv", "iv", "kv", "hankel1", "hankel2") else fewer, 256)
