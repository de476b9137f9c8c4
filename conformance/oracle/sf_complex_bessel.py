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
        (np.array([[0.5], [2.5]]), axes(1.0)),
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
    derivatives(store)
    airy(store)
    spherical(store)
    of_kelvin = (("kelvin", [(np.append(uniform("kelvin", 0.1, 30, 40), [0.5, 2.0, 7.0]),)]),)
    for name, points in of_kelvin:
        complex_function(store, name, "R", kelvin, points, 256)


def derivatives(store):
    points = [(uniform("orders of derivatives", -3, 12, 12), turned("derivatives", 0.1, 20, 12), np.array([[0.0], [1.0], [3.0]]))]

    def derivative(evaluate, sign, v, z, n):
        return sum(sign**k * mp.binomial(int(n), k) * evaluate(v - n + 2 * k, z) for k in range(int(n) + 1)) / 2 ** int(n)

    for name, evaluate, sign in (("jvp", mp.besselj, -1), ("yvp", mp.bessely, -1), ("ivp", mp.besseli, 1), ("h1vp", mp.hankel1, -1), ("h2vp", mp.hankel2, -1)):
        complex_function(store, name, "RCR", lambda v, z, n, e=evaluate, s=sign: derivative(e, s, v, z, n), points, 512)
    complex_function(store, "kvp", "RCR", lambda v, z, n: (-1) ** int(n) * derivative(mp.besselk, 1, v, z, n), points, 512)


def airy(store):
    points = [(turned("airy", 1e-3, 3, 40),), (square("airy", 12, 12, 60),), (axes(0.7, 4.0),), (1.5 * np.exp(1j * np.array([np.pi / 3, -np.pi / 3, 2 * np.pi / 3])),)]

    def plain(z):
        return [mp.airyai(z), mp.airyai(z, derivative=1), mp.airybi(z), mp.airybi(z, derivative=1)]

    def scaled(z):
        zeta = 2 * z * mp.sqrt(z) / 3
        first, second = mp.exp(zeta), mp.exp(-abs(mp.re(zeta)))
        return [value * factor for value, factor in zip(plain(z), (first, first, second, second))]

    complex_function(store, "airy", "C", plain, points, 64)
    complex_function(store, "airye", "C", scaled, points[:2], 64)


def spherical(store):
    n = np.array([[0.0], [1.0], [2.0], [9.0]])
    points = [(n, turned("spherical", 1e-2, 3, 8)), (n, square("spherical", 20, 20, 10))]
    scale = lambda z: mp.sqrt(mp.pi / (2 * z))
    for name, evaluate in (("jn", mp.besselj), ("yn", mp.bessely), ("in", mp.besseli), ("kn", mp.besselk)):
        complex_function(store, f"spherical_{name}", "RC", lambda n, z, e=evaluate: scale(z) * e(n + mp.mpf("0.5"), z), points, 256)


def kelvin(x):
    ber, bei, ker, kei = (lambda x, f=f: f(0, x) for f in (mp.ber, mp.bei, mp.ker, mp.kei))
    slope = lambda f: mp.diff(f, x, h=mp.mpf(10) ** -15)
    return [mp.mpc(ber(x), bei(x)), mp.mpc(ker(x), kei(x)), mp.mpc(slope(ber), slope(bei)), mp.mpc(slope(ker), slope(kei))]
