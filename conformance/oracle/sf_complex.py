"""Cases of functions of complex numbers."""

import numpy as np
from mpmath import mp, mpc, mpf

from sf import complex_function, logarithmic, uniform


def turned(name, low, high, count):
    """Points of every direction, whose moduli have uniform logarithms."""
    return logarithmic(f"modulus {name}", low, high, count) * np.exp(1j * uniform(f"angle {name}", -np.pi, np.pi, count))


def square(name, x, y, count):
    """Points of a rectangle about zero."""
    return uniform(f"re {name}", -x, x, count) + 1j * uniform(f"im {name}", -y, y, count)


def axes(*sizes):
    """Points of both axes."""
    return np.array([s * unit for s in sizes for unit in (1, -1, 1j, -1j)])


def w(z):
    return mp.exp(-z * z) * mp.erfc(mpc(z.imag, -z.real))


def dawsn(z):
    if abs(z) > 1e4 and z.imag == 0:
        return 1 / (2 * z) * (1 + 1 / (2 * z * z))
    return mp.sqrt(mp.pi) / 2 * mp.exp(-z * z) * mp.erfi(z)


def cases(store):
    plane = [(turned("errors", 1e-3, 1.5, 40),), (square("errors", 5, 5, 90),), (square("wide errors", 20, 6, 40),), (axes(0.3, 2.0, 5.5),)]
    high = [(turned("far errors", 6, 1e4, 40).real + 1j * np.abs(turned("far errors", 6, 1e4, 40).imag),)]
    nothing = [(np.array([np.nan + 1j, 1 + 1j * np.nan]),)]
    lost = lambda z: complex(np.nan, np.nan) if np.isnan(z) else None
    complex_function(store, "wofz", "C", w, plane + high + nothing, 24, own=lost, digits=300)
    turn = lambda points: [(-1j * x[0],) for x in points]
    complex_function(store, "erfcx", "C", lambda z: mp.exp(z * z) * mp.erfc(z), plane + turn(high), 24, digits=300)
    complex_function(store, "erfc", "C", mp.erfc, plane, 32, digits=100)
    complex_function(store, "erf", "C", mp.erf, plane, 32, digits=100)
    complex_function(store, "erfi", "C", mp.erfi, plane, 32, digits=100)
    complex_function(store, "dawsn", "C", dawsn, plane, 32, digits=300)
    complex_function(store, "ndtr", "C", lambda z: mp.erfc(-z / mp.sqrt(2)) / 2, plane[:2] + [(axes(0.3, 2.0),)], 64, digits=100)
    complex_function(store, "log_ndtr", "C", log_ndtr, plane[:2] + [(axes(0.3, 2.0),), (square("tails", 30, 8, 30),)], 64, digits=300)
    complex_function(store, "fresnel", "C", lambda z: [mp.fresnels(z), mp.fresnelc(z)], [(turned("fresnel", 1e-3, 1.5, 40),), (square("fresnel", 5, 5, 60),), (axes(0.3, 2.0, 7.5),)], 64, digits=60)
    gammas(store)
    integrals(store)


def log_ndtr(z):
    return mp.log(mp.erfc(-z / mp.sqrt(2)) / 2)


def gammas(store):
    plane = [(turned("gamma", 1e-3, 3, 50),), (square("gamma", 10, 10, 90),), (square("wide gamma", 60, 3, 40),), (turned("far gamma", 10, 150, 40),),
             (1 + turned("gamma at 1", 1e-4, 0.6, 15),), (2 + turned("gamma at 2", 1e-4, 0.8, 15),), (axes(0.3, 2.5, 7.25),)]
    complex_function(store, "loggamma", "C", mp.loggamma, plane + [(turned("large gamma", 100, 1e10, 20),)], 32)
    complex_function(store, "gamma", "C", mp.gamma, plane, 512)
    complex_function(store, "rgamma", "C", mp.rgamma, plane, 512)
    for name in ("digamma", "psi"):
        complex_function(store, name, "C", mp.digamma, (plane if name == "digamma" else plane[:1]) + [(1.4616321449683622 + turned("root of psi", 1e-4, 0.7, 15),)], 32)


def shichi(z):
    return [mp.shi(z), mp.chi(z)]


def lambertw(z, k):
    return mp.lambertw(z, int(k))


def spence(z):
    return mp.polylog(2, 1 - z)


def integrals(store):
    plane = [(turned("integrals", 1e-3, 3, 40),), (square("integrals", 12, 12, 90),), (square("wide integrals", 60, 4, 40),), (turned("far integrals", 10, 600, 30),)]
    for name, evaluate in (("exp1", mp.e1), ("expi", mp.ei)):
        complex_function(store, name, "C", evaluate, plane + [(axes(0.3, 2.5, 41.0),)], 32)
    complex_function(store, "sici", "C", lambda z: [mp.si(z), mp.ci(z)], plane, 64)
    complex_function(store, "shichi", "C", shichi, plane, 64)
    complex_function(store, "spence", "C", spence, plane + [(1 + turned("spence at 1", 1e-4, 1.2, 30),), (np.array([0.0, -1.0, -3.0, 0.5, 2.0, 1j]),)], 4)
    strip = uniform("x of omega", -30, 5, 40) + 1j * uniform("y of omega", -3.1, 3.1, 40)
    branch = (-1 + turned("branch points of omega", 1e-3, 1.2, 16)) + 1j * np.pi * np.array([1, -1] * 8)
    complex_function(store, "wrightomega", "C", omega, [(square("omega", 10, 15, 60),), (strip,), (branch,), (turned("wide omega", 10, 1e6, 20),)], 64, digits=60)
    polynomials(store)
    elliptic(store)
    branches = np.array([-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0])[:, None]
    points = [
        (turned("lambertw", 1e-2, 10, 25), branches),
        (turned("wide lambertw", 1e-8, 1e8, 10), branches),
        (-np.exp(-1) + turned("branch point", 1e-3, 0.6, 12), branches[2:5]),
        (np.array([-0.2, -1.0, -3.0, 0.5, 2.0, 100.0]), branches),
    ]
    complex_function(store, "lambertw", "CR", lambertw, points, 4)
    degrees = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, -1.0], [2.0, 2.0], [5.0, -3.0], [10.0, 7.0]]).T[:, :, None]
    angles = uniform("theta", 0, np.pi, 12), uniform("phi", -np.pi, 2 * np.pi, 12)
    complex_function(store, "sph_harm_y", "RRRR", harmonic, [(degrees[0], degrees[1], *angles)], 128)
    both = square("x log y", 3, 3, 40), square("y of x log y", 5, 5, 40)
    complex_function(store, "xlogy", "CC", lambda x, y: x * mp.log(y), [both, (np.array([0.0, 1j]), 2.0 + 0j)], 8)
    complex_function(store, "xlog1py", "CC", lambda x, y: x * mp.log(1 + y), [both, (np.array([0.0, 1j]), 2.0 + 0j)], 8)


def omega(z):
    turns = mp.ceil((z.imag - mp.pi) / (2 * mp.pi))
    return mp.lambertw(mp.exp(z), int(turns))


def polynomials(store):
    x = turned("polynomials", 0.1, 2, 12)
    n = np.array([[0.0], [1.0], [2.0], [7.0], [20.0]])
    for name, evaluate in (
        ("legendre", mp.legendre),
        ("chebyt", mp.chebyt),
        ("chebyu", mp.chebyu),
        ("chebyc", lambda n, x: 2 * mp.chebyt(n, x / 2)),
        ("chebys", lambda n, x: mp.chebyu(n, x / 2)),
        ("laguerre", lambda n, x: mp.laguerre(n, 0, x)),
        ("sh_legendre", lambda n, x: mp.legendre(n, 2 * x - 1)),
        ("sh_chebyt", lambda n, x: mp.chebyt(n, 2 * x - 1)),
        ("sh_chebyu", lambda n, x: mp.chebyu(n, 2 * x - 1)),
    ):
        complex_function(store, f"eval_{name}", "RC", evaluate, [(n, x)], 256)
    a = uniform("parameter of polynomials", -0.4, 2, 12)
    complex_function(store, "eval_genlaguerre", "RRC", mp.laguerre, [(n, a, x)], 256)
    complex_function(store, "eval_gegenbauer", "RRC", mp.gegenbauer, [(n, a, x)], 256)
    complex_function(store, "eval_jacobi", "RRRC", mp.jacobi, [(n, a, a[::-1], x)], 256)
    shifted = lambda n, p, q, x: mp.jacobi(n, p - q, q - 1, 2 * x - 1) / mp.binomial(2 * n + p - 1, n)
    complex_function(store, "eval_sh_jacobi", "RRRC", shifted, [(n, a + 2, a + 1, x)], 256)


def elliptic(store):
    points = [turned(f"elliptic {k}", 0.1, 10, 40) for k in range(3)]
    # Off the negative axis.
    points = [np.where(np.abs(np.angle(x)) < 2.5, x, -x) for x in points]
    complex_function(store, "elliprf", "CCC", mp.elliprf, [tuple(points)], 64)
    complex_function(store, "elliprd", "CCC", mp.elliprd, [tuple(points)], 4)
    complex_function(store, "elliprc", "CC", mp.elliprc, [tuple(points[:2])], 64)


def harmonic(n, m, theta, phi):
    n, m = int(n), int(m)
    factor = mp.sqrt((2 * n + 1) / (4 * mp.pi) * mp.factorial(n - m) / mp.factorial(n + m))
    return factor * mp.legenp(n, m, mp.cos(theta), type=2) * mp.exp(1j * m * phi)
