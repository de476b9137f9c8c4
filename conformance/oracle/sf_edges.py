"""Cases of special functions where their regions end: operands that are negative, zero, whole or half, in all combinations, and beside
the points where a function changes its method.

Values are mpmath's where a function is given here, with the conventions of `docs/special.md`; else SciPy's. Points of `SKIP` have no case:
SciPy's value is an accident there.
"""

import itertools

import mpmath
import numpy as np
import scipy.special
from mpmath import mp

import exact
from sf import beside, scipys
from store import allclose

SMALL = np.array([-3.0, -2.0, -1.0, -0.5, 0.0, 0.3, 0.5, 1.0, 2.0, 3.0, 10.0])
TINY = np.array([-2.0, -0.5, 0.0, 0.4, 1.0, 2.0, 5.0])
WIDE = np.array([-50.0, -7.5, -3.0, -2.0, -1.0, -0.5, 0.0, 1e-8, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 7.5, 50.0])
INSIDE = np.concatenate([beside(-1, 0, 1), [-0.999, -0.3, 0.3, 0.999]])
PARTS = np.concatenate([[-0.5, 0.0, 0.3, 0.5, 1.0, 1.5], beside(1)[:1]])
SKIP = object()


def whole(x):
    return x == mp.floor(x)


def pole(x):
    return x <= 0 and whole(x)


def signed(x):
    return mp.inf if x > 0 else -mp.inf if x < 0 else mp.nan


def product(*grids):
    return [np.ravel(part) for part in np.meshgrid(*grids, indexing="ij")]


def nothing(value):
    """A sum of which no digit is left is 0."""
    return mp.mpf(0) if abs(value) < mp.mpf(2) ** -800 else value


def hyp2f1(a, b, c, z):
    ends = [-p for p in (a, b) if pole(p)]
    if z == 0:
        return mp.mpf(1)
    if pole(c) and not (ends and min(ends) <= -c):
        return mp.inf
    if ends:
        return mp.fsum(mp.rf(a, k) * mp.rf(b, k) / mp.rf(c, k) / mp.factorial(k) * z**k for k in range(int(min(ends)) + 1))
    if z > 1:
        # Of whole powers of 1 − z Euler's transformation ends.
        finite = whole(c - a - b) and (pole(c - a) or pole(c - b))
        return (1 - z) ** (c - a - b) * hyp2f1(c - a, c - b, c, z) if finite else mp.nan
    if z == 1 and c - a - b <= 0:
        # Where the power of 1 − z has no coefficient, the value is finite.
        coefficient = mp.rgamma(a) * mp.rgamma(b) * mp.gamma(c)
        return signed(coefficient) if coefficient else SKIP
    if pole(c - a) or pole(c - b):
        return (1 - z) ** (c - a - b) * hyp2f1(c - a, c - b, c, z)
    return mp.hyp2f1(a, b, c, z)


def hyp1f1(a, b, x):
    if pole(b) and not (pole(a) and a >= b and b != 0):
        return mp.inf if x else SKIP
    return nothing(mp.hyp1f1(a, b, x, zeroprec=900)) if not pole(a) else mp.fsum(mp.rf(a, k) / mp.rf(b, k) / mp.factorial(k) * x**k for k in range(int(-a) + 1))


def hyperu(a, b, x):
    """Polynomials, and values at 0."""
    if pole(a):
        n = int(-a)
        return mp.fsum((-1) ** (n - k) * mp.binomial(n, k) * mp.rf(b + k, n - k) * x**k for k in range(n + 1)) if x >= 0 else SKIP
    if x:
        return SKIP
    return mp.gamma(1 - b) * mp.rgamma(a - b + 1) if b < 1 else mp.inf


def gauss(a, b, c, x):
    """Of (1 − x)/2."""
    return hyp2f1(a, b, c, (1 - x) / 2)


def legendre(n, x):
    if n < -0.5:
        n = -n - 1
    if whole(n) and x < 0:
        return (-1) ** int(n) * gauss(-n, n + 1, mp.mpf(1), -x)
    return gauss(-n, n + 1, mp.mpf(1), x)


def chebyt(n, x):
    if whole(n):
        n = abs(n)
        return (-1) ** int(n) * mp.cosh(n * mp.acosh(-x)) if x < -1 else mp.re(mp.cos(n * mp.acos(x)))
    return mp.nan if x < -1 else mp.re(mp.cos(n * mp.acos(x)))


def chebyu(n, x):
    order = n + 1
    if abs(x) == 1:
        if x == 1:
            return order
        return order * (-1) ** int(n) if whole(n) else signed(mp.sinpi(order))
    if x < -1:
        return (-1) ** int(n) * chebyu(n, -x) if whole(n) else mp.nan
    angle = mp.acos(x)
    return mp.re(mp.sin(order * angle) / mp.sin(angle))


def binomial(n, k):
    """The coefficient of a function of real degree k; none where it is infinite or has no limit."""
    if pole(n + 1):
        return None
    return mp.gamma(n + 1) * mp.rgamma(k + 1) * mp.rgamma(n - k + 1)


def scaled(coefficient, value):
    if coefficient is None or value is SKIP or (coefficient == 0 and not mp.isfinite(value)):
        return SKIP
    return coefficient * value


def laguerre(n, alpha, x):
    if n >= 0 and whole(n):
        return mp.fsum((-x) ** k / mp.factorial(k) * mp.rf(alpha + k + 1, int(n) - k) / mp.factorial(int(n) - k) for k in range(int(n) + 1))
    if alpha <= -1:
        return SKIP
    return scaled(binomial(n + alpha, n), hyp1f1(-n, alpha + 1, x))


def gegenbauer(n, alpha, x):
    if n >= 0 and whole(n):
        return mp.fsum((-1) ** k * mp.rf(alpha, int(n) - k) / mp.factorial(k) / mp.factorial(int(n) - 2 * k) * (2 * x) ** (int(n) - 2 * k)
                       for k in range(int(n) // 2 + 1))
    return scaled(binomial(n + 2 * alpha - 1, n), gauss(-n, n + 2 * alpha, alpha + 0.5, x))


def jacobi(n, alpha, beta, x):
    if n >= 0 and whole(n):
        n = int(n)
        below, above = (x - 1) / 2, (x + 1) / 2
        choose = lambda top, k: mp.fprod((top - j) / (j + 1) for j in range(k))
        return mp.fsum(choose(n + alpha, n - s) * choose(n + beta, s) * below**s * above ** (n - s) for s in range(n + 1))
    # Rounded parameters have no whole difference, with which the value is real.
    if x < -1:
        return SKIP
    return scaled(binomial(n + alpha, n), gauss(-n, n + alpha + beta + 1, alpha + 1, x))


def sh_jacobi(n, p, q, x):
    value = jacobi(n, p - q, q - 1, 2 * x - 1)
    top = 2 * n + p - 1
    leading = mp.fprod((top - j) / (j + 1) for j in range(int(n))) if n >= 0 and whole(n) else binomial(top, n)
    return SKIP if value is SKIP or not leading else value / leading


def lpmv(m, v, x):
    if not whole(m):
        return mp.nan
    v, order = -v - 1 if v < -0.5 else v, int(abs(m))
    if abs(x) > 1 and m:
        return mp.nan
    if whole(v) and order > v:
        return mp.nan if m < 0 else mp.mpf(0)
    if order == 0:
        return legendre(v, x)
    factor = mp.fprod(-(v + k) * (v - k + 1) for k in range(1, order + 1)) if m > 0 else mp.mpf(1)
    size = mp.mpf(1) if x == -1 and not whole(v) else ((1 - x) * (1 + x)) ** (mp.mpf(order) / 2) / mp.mpf(2) ** order / mp.factorial(order)
    if x == 1 or (x == -1 and whole(v)):
        return mp.mpf(0)
    return factor * size * gauss(order - v, order + v + 1, mp.mpf(order + 1), x)


def voigt(x, sigma, gamma):
    if sigma == 0:
        return SKIP if gamma == 0 else gamma / mp.pi / (x * x + gamma * gamma)
    z = mp.mpc(x, gamma) / sigma / mp.sqrt(2)
    w = mp.exp(-z * z) * mp.erfc(-1j * z)
    return mp.re(w) / sigma / mp.sqrt(2 * mp.pi)


def expn(n, x):
    n = mp.mpf(int(n))
    if n < 0 or x < 0:
        return mp.nan
    if x == 0:
        return 1 / (n - 1) if n > 1 else mp.inf
    return mp.re(mp.expint(n, x))


def kn(n, x):
    return mp.nan if x < 0 else mp.inf if x == 0 else mp.besselk(int(n), x)


def yn(n, x):
    n = int(n)
    if x <= 0:
        return mp.nan if x < 0 else mp.inf if n < 0 and n % 2 else -mp.inf
    return mp.bessely(n, x)


def incomplete_first(phi, m):
    if m > 1:
        return SKIP
    if m == 1 and abs(phi) >= mp.pi / 2:
        return signed(phi)
    return mp.re(mp.ellipf(phi, m))


def incomplete_second(phi, m):
    return SKIP if m > 1 else mp.re(mp.ellipe(phi, m))


def carlson(name):
    """SciPy's, which mpmath makes exact where it has a value."""
    own, precise = getattr(scipy.special, name), getattr(mp, name)
    return lambda *x: mp.re(precise(*x)) if np.isfinite(own(*map(float, x))) and (name != "elliprg" or all(x)) else mp.mpf(float(own(*map(float, x))))


def counted(name, skip=lambda *row: False):
    """SciPy's value, but for accidents."""
    own = scipys(name) if name.startswith("smirnov") else getattr(scipy.special, name)
    return lambda *row: SKIP if skip(*row) else mp.mpf(float(own(*map(float, row))))


def add(store, name, evaluate, points, bound, absolute=0.0):
    """Case `special/NAME/edges`: points are lists of operands, in f64."""
    operands = [np.concatenate(parts) for parts in zip(*points)]
    rows, values = [], []
    for row in zip(*operands):
        with mp.workdps(60), np.errstate(all="ignore"):
            found = evaluate(*map(mpmath.mpf, map(float, row)))
            if found is SKIP:
                continue
            rows.append(row)
            finite = mp.isfinite(found) and found != 0
            values.append(exact.round_fraction(exact.fraction_of(mp.mpf(found)), "float64") if finite else float(found))
    operands = [np.array(column) for column in zip(*rows)]
    expected = exact.array_of(values, (len(values),), np.dtype("float64"))
    store.add(f"special/{name}/edges", f"sp.special.{name}", operands, expected=expected, tolerance=allclose(bound * 2.0**-52, absolute))


def polynomials(store):
    degrees = np.concatenate([WIDE[1:], [5.25, 20.0, -21.0]])
    two = [product(degrees, SMALL), product(degrees, INSIDE)]
    shifted = [product(degrees, SMALL), product(degrees, 0.5 + 0.5 * INSIDE)]
    for name, evaluate, points in [
        ("eval_legendre", legendre, two), ("eval_chebyt", chebyt, two), ("eval_chebyu", chebyu, two),
        ("eval_chebyc", lambda n, x: 2 * chebyt(n, x / 2), two), ("eval_chebys", lambda n, x: chebyu(n, x / 2), two),
        ("eval_sh_legendre", lambda n, x: legendre(n, 2 * x - 1), shifted),
        ("eval_sh_chebyt", lambda n, x: chebyt(n, 2 * x - 1), shifted), ("eval_sh_chebyu", lambda n, x: chebyu(n, 2 * x - 1), shifted),
        ("eval_laguerre", lambda n, x: laguerre(n, mp.mpf(0), x), [product(degrees[1:], SMALL)]),
    ]:
        add(store, name, evaluate, points, 65536, 1e-12)
    add(store, "eval_genlaguerre", laguerre, [product(SMALL, SMALL, SMALL)], 65536, 1e-12)
    add(store, "eval_gegenbauer", gegenbauer, [product(SMALL, SMALL, SMALL), product(SMALL, SMALL, INSIDE[::4])], 65536, 1e-12)
    add(store, "eval_jacobi", jacobi, [product(TINY, TINY, TINY, TINY), product(TINY, TINY, TINY, INSIDE[::5])], 65536, 1e-12)
    add(store, "eval_sh_jacobi", sh_jacobi, [product(TINY, TINY, TINY, TINY)], 65536, 1e-12)
    add(store, "lpmv", lpmv, [product(SMALL, SMALL, SMALL), product(SMALL, SMALL, INSIDE)], 65536, 1e-12)


def hypergeometric(store):
    add(store, "hyp2f1", hyp2f1, [product(TINY, TINY, TINY, TINY), product(TINY, TINY, TINY[3:], np.concatenate([beside(-1, 1, 0.9), [-1e-8, 1e-8]]))], 65536, 1e-13)
    add(store, "hyp1f1", hyp1f1, [product(SMALL, SMALL, SMALL), product(TINY, TINY, np.array([-60.0, -1e-8, 1e-8, 60.0]))], 65536, 1e-13)
    add(store, "hyperu", hyperu, [product(SMALL, SMALL, SMALL)], 65536, 1e-13)


def orders(store):
    add(store, "expn", expn, [product(WIDE, WIDE), product(WIDE, beside(1))], 256)
    add(store, "kn", kn, [product(WIDE[1:-1], WIDE)], 256)
    add(store, "yn", yn, [product(WIDE[1:-1], WIDE)], 4096, 1e-14)
    add(store, "smirnov", counted("smirnov"), [product(np.array([-1.0, 0.0, 1.0, 4.0]), np.array([-0.5, 0.0, 0.25, 0.5, 1.0, 1.5]))], 1024)


def distributions(store):
    counts = np.array([-3.0, -1.0, -0.5, 0.0, 0.3, 0.5, 1.0, 2.0, 2.7, 10.0])
    # Below no trials at all SciPy counts what is not there.
    for name in ("bdtr", "bdtrc"):
        add(store, name, counted(name), [product(counts, counts, PARTS)], 4096)
    add(store, "bdtri", counted("bdtri"), [product(counts, counts, PARTS)], 4.6e5, 1e-13)
    for name in ("nbdtr", "nbdtrc"):
        add(store, name, counted(name), [product(counts, counts, PARTS)], 4096)
    # Beside 1 SciPy has no digits.
    add(store, "nbdtri", counted("nbdtri", lambda k, n, y: n < 1 and k > -1 and y in (0, 1)), [product(counts, counts, PARTS[:-1])], 4.6e5, 1e-13)
    # SciPy's mean of probability 1 is no number.
    add(store, "pdtri", counted("pdtri", lambda k, y: y >= 1), [product(counts, PARTS)], 4.6e5, 1e-13)
    add(store, "fdtri", counted("fdtri"), [product(SMALL, SMALL, PARTS)], 4.6e5, 1e-13)
    # Of a degenerate distribution SciPy has values outside of 0 to 1, and beside 0 the inverse of 1.
    outside = lambda a, p: a == 0 and not 0.1 < p < 0.99
    for name in ("gammaincinv", "gammainccinv"):
        add(store, name, counted(name, outside), [product(SMALL, PARTS)], 4.6e5, 1e-13)
    add(store, "gdtrix", counted("gdtrix", lambda a, b, p: a == 0 or b == 0 and p > 0.99), [product(SMALL, SMALL, PARTS)], 4.6e5, 1e-13)
    add(store, "gdtria", counted("gdtria", lambda p, b, x: b == 0 and p > 0.99), [product(PARTS, SMALL, SMALL)], 4.6e5, 1e-13)
    add(store, "gdtrib", counted("gdtrib", lambda a, p, x: 0 < p < 1 and 0.99 < p), [product(SMALL, PARTS, SMALL)], 4.6e5, 1e-9)
    add(store, "chndtr", counted("chndtr", lambda x, df, nc: nc > 0 and df == 0), [product(SMALL, SMALL, SMALL)], 4.6e5, 1e-13)
    add(store, "btdtria", counted("btdtria", lambda p, b, x: x > 1 or p not in (0, 1)), [product(PARTS, SMALL, SMALL)], 4.6e5)
    add(store, "btdtrib", counted("btdtrib", lambda a, p, x: x > 1 or p not in (0, 1)), [product(SMALL, PARTS, SMALL)], 4.6e5)


def integrals(store):
    add(store, "ellipkinc", incomplete_first, [product(WIDE, WIDE), product(SMALL, beside(1, 0)[:-1])], 4096, 1e-13)
    add(store, "ellipeinc", incomplete_second, [product(WIDE, WIDE), product(SMALL, beside(1, 0)[:-1])], 4096, 1e-13)
    add(store, "elliprc", carlson("elliprc"), [product(WIDE, WIDE)], 64)
    for name in ("elliprf", "elliprd", "elliprg"):
        add(store, name, carlson(name), [product(SMALL, SMALL, SMALL)], 256)
    add(store, "elliprj", counted("elliprj"), [product(TINY, TINY, TINY, TINY)], 4096, 1e-13)
    add(store, "voigt_profile", voigt, [product(SMALL, SMALL[:-1], SMALL[:-1])], 4096, 1e-13)


def cases(store):
    polynomials(store)
    hypergeometric(store)
    orders(store)
    distributions(store)
    integrals(store)
