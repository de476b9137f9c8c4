"""Polynomials of special functions: `python fits.py [NAME ...]` prints the coefficients that stand in sci/special/src/formulas.

Each is the interpolation at Chebyshev's points of a function on a range, as a polynomial in u, which is -1 to 1 on it, or in what is
left of a centre; coefficients are rounded to f64, the lowest degree first. Printed beside it: the error of the polynomial as it is computed in f64.
"""

import struct
import sys

import mpmath
from mpmath import mp, mpf

mp.dps = 60


def chebyshev(function, low, high, degree):
    """The coefficients of Chebyshev's polynomials that interpolate a function."""
    low, high = mpf(low), mpf(high)
    count = degree + 1
    angles = [mp.pi * (mpf(2 * k + 1)) / (2 * count) for k in range(count)]
    values = [function((low + high) / 2 + (high - low) / 2 * mp.cos(angle)) for angle in angles]
    return [(2 if k else 1) / mpf(count) * mp.fsum(v * mp.cos(k * angle) for v, angle in zip(values, angles)) for k in range(count)]


def monomial(coefficients):
    """The same in powers of u."""
    before, last = [mpf(1)], [mpf(0), mpf(1)]
    total = [mpf(0)] * len(coefficients)
    for k, c in enumerate(coefficients):
        basis = before if k == 0 else last
        for power, b in enumerate(basis):
            total[power] += c * b
        if k:
            following = [mpf(0)] + [2 * b for b in last]
            for power, b in enumerate(before):
                following[power] -= b
            before, last = last, following
    return total


def moved(coefficients, low, high, centre):
    """The same in powers of x - centre."""
    middle, half = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2
    by = (mpf(centre) - middle) / half
    total = [mpf(0)] * len(coefficients)
    for k, c in enumerate(coefficients):
        for power in range(k + 1):
            total[power] += c * mp.binomial(k, power) * by ** (k - power) / half**power
    return total


def fit(function, low, high, degree, centre=None):
    """Coefficients in f64 of u or of x - centre, and the largest relative error of Horner's scheme with fma over them in f64."""
    exact = monomial(chebyshev(function, low, high, degree))
    middle, half = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2
    found = [float(c) for c in (exact if centre is None else moved(exact, low, high, centre))]
    worst = 0.0
    for k in range(400):
        u = float(2 * mpf(k) / 399 - 1)
        if centre is not None:
            u = float(middle + half * mpf(u)) - centre
        x = middle + half * mpf(u) if centre is None else mpf(u) + centre
        value = 0.0
        for c in reversed(found):
            value = float(mpf(value) * mpf(u) + c)
        exact = function(x)
        worst = max(worst, abs(float((mpf(value) - exact) / exact)) / 2.0**-52 if exact else 0.0)
    return found, worst


def inverse_stirling(v):
    """√(2πs) (s/e)^s / Γ(s + 1) by v = 1/s."""
    if v == 0:
        return mpf(1)
    s = 1 / v
    return mp.exp(mp.log(2 * mp.pi) / 2 + (s + mpf(1) / 2) * mp.log(s) - s - mp.loggamma(s + 1))


def erfinv_of_w(w):
    """erfinv(x) / x by w = -log(1 - x²)."""
    if w == 0:
        return mp.sqrt(mp.pi) / 2
    if w < 30:
        with mp.workdps(mp.dps + int(w / 2.3) + 10):
            x = mp.sqrt(-mp.expm1(-w))
            return mp.erfinv(x) / x
    # erfc(t) = y where y (2 - y) = e^-w; divided by x = 1 - y.
    with mp.workdps(mp.dps + int(w / 2.3)):
        y = -mp.expm1(mp.log1p(-mp.exp(-w)) / 2)
    t = mp.sqrt(w - mp.log(mp.sqrt(mp.pi * w)))
    for _ in range(12):
        log_erfc = mp.log(mp.erfc(t))
        t -= (log_erfc - mp.log(y)) / (-2 / mp.sqrt(mp.pi) * mp.exp(-t * t) / mp.erfc(t))
    return t / (1 - y)


def lambert(v):
    """Lambert's W by log(1 + p), where p²/2 = 1 + e x."""
    p = mp.expm1(v)
    return mp.lambertw((p * p / 2 - 1) / mp.e).real if p > mpf(10) ** -20 else p - 1


ROOT = mp.findroot(mp.digamma, mpf("1.4616321449683623"))


def scaled_erfc(u):
    """(1 + 2x) erfcx(x) by u = (x - 4) / (x + 4), u from -1 to 1."""
    if u == 1:
        return 2 / mp.sqrt(mp.pi)
    x = 4 * (1 + u) / (1 - u)
    if x > 1e6:
        t = 1 / (2 * x * x)
        return (1 + 2 * x) / (x * mp.sqrt(mp.pi)) * (1 - t + 3 * t * t - 15 * t**3)
    with mp.workdps(60):
        return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def dawson(x):
    if x > 40:
        t = 1 / (2 * x * x)
        return (1 + t * (1 + 3 * t * (1 + 5 * t * (1 + 7 * t * (1 + 9 * t * (1 + 11 * t * (1 + 13 * t))))))) / (2 * x)
    with mp.workdps(mp.dps + 20):
        return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


EXPI_ROOT = mp.findroot(mp.ei, mpf("0.3725074107813666"))


def scaled_e1(v):
    if v < mpf("0.012"):
        total, term = mpf(0), mpf(1)
        for k in range(1, 60):
            total += term
            term *= -k * v
        return total
    return mp.e1(1 / v) * mp.exp(1 / v) / v


def scaled_ei(v):
    if v < mpf("0.012"):
        total, term = mpf(0), mpf(1)
        for k in range(1, 60):
            total += term
            term *= k * v
        return total
    return mp.ei(1 / v) * mp.exp(-1 / v) / v


def sici_parts(v):
    """x f(x) and x² g(x) of the auxiliary functions by v = 1/x² (DLMF 6.2)."""
    if v < mpf("0.0002"):
        f = mp.fsum((-1) ** k * mp.factorial(2 * k) * v**k for k in range(25))
        g = mp.fsum((-1) ** k * mp.factorial(2 * k + 1) * v**k for k in range(25))
        return f, g
    x = 1 / mp.sqrt(v)
    with mp.workdps(80):
        ci, si = mp.ci(x), mp.si(x) - mp.pi / 2
        return x * (ci * mp.sin(x) - si * mp.cos(x)), x * x * (-ci * mp.cos(x) - si * mp.sin(x))


def y1_rest(t):
    if t == 0:
        t = mpf(10) ** -40
    x = mp.sqrt(t)
    with mp.workdps(110):
        return (mp.bessely(1, x) - mp.log(t) / mp.pi * mp.besselj(1, x) + 2 / (mp.pi * x)) / x


def asymptotic(order, z, sign):
    """The series of modified functions at infinity (DLMF 10.40), by z = 1/x."""
    total, term = mpf(0), mpf(1)
    for k in range(1, 80):
        total += term
        following = term * sign * (4 * order * order - (2 * k - 1) ** 2) / (8 * k) * z
        if abs(following) > abs(term):
            break
        term = following
    return total


def scaled_i(order, v):
    """√x e^−x I."""
    if v < mpf("0.006"):
        return asymptotic(order, v, -1) / mp.sqrt(2 * mp.pi)
    return mp.exp(-1 / v) * mp.besseli(order, 1 / v) / mp.sqrt(v)


def scaled_k(order, v):
    """√x e^x K."""
    if v < mpf("0.006"):
        return asymptotic(order, v, 1) * mp.sqrt(mp.pi / 2)
    return mp.exp(1 / v) * mp.besselk(order, 1 / v) / mp.sqrt(v)


def hankel(order, v):
    """P and x Q of the amplitudes at infinity (DLMF 10.17) by v = 1/x²."""
    if v < mpf("0.00003"):
        terms = [mpf(1)]
        for k in range(1, 60):
            terms.append(terms[-1] * (4 * order * order - (2 * k - 1) ** 2) / (8 * k))
        p = mp.fsum((-1) ** k * terms[2 * k] * v**k for k in range(20))
        q = mp.fsum((-1) ** k * terms[2 * k + 1] * v**k for k in range(20))
        return p, q
    x = 1 / mp.sqrt(v)
    with mp.workdps(90):
        angle = x - (2 * order + 1) * mp.pi / 4
        scale = mp.sqrt(mp.pi * x / 2)
        j, y = mp.besselj(order, x), mp.bessely(order, x)
        return scale * (j * mp.cos(angle) + y * mp.sin(angle)), x * scale * (y * mp.cos(angle) - j * mp.sin(angle))


FITS = {
    "LAMBERT": (lambert, 0, 6, 10, 3),
    "ERFINV": (erfinv_of_w, 0, 6.25, 25, 1.25),
    "ERFINV_TAIL_1": (lambda s: erfinv_of_w(s * s), 2.5, 4, 19),
    # By 1/s, of the value divided by s.
    "ERFINV_TAIL_2": (lambda r: erfinv_of_w(1 / (r * r)) * r, 0.125, 0.25, 20),
    "ERFINV_TAIL_3": (lambda r: erfinv_of_w(1 / (r * r)) * r, 0.035, 0.125, 20),
    "DIGAMMA": (lambda x: mp.digamma(x) / (x - ROOT) if x != ROOT else mp.polygamma(1, x), 1, 2, 20),
    "DAWSN_1": (lambda t: dawson(mp.sqrt(t)) / mp.sqrt(t) if t else mpf(1), 0, 6.25, 20),
    "DAWSN_2": (lambda x: dawson(x), 2.5, 5, 27),
    "DAWSN_3": (lambda v: dawson(1 / mp.sqrt(v)) / mp.sqrt(v) if v else mpf(1) / 2, 0, 0.04, 22),
    "EXP1_SERIES": (lambda x: (mp.e1(x) + mp.euler + mp.log(x)) / x if x else mpf(1), 0, 1, 13),
    # x e^x E1(x) by 1/x.
    "EXP1_MIDDLE": (lambda v: mp.e1(1 / v) * mp.exp(1 / v) / v, 0.25, 1, 22),
    "EXP1_TAIL": (scaled_e1, 0, 0.25, 34),
    "EXPI_SERIES": (lambda x: (mp.ei(x) - mp.log(x / EXPI_ROOT)) / (x - EXPI_ROOT) if x else (mp.euler + mp.log(EXPI_ROOT)) / -EXPI_ROOT, 0, 6, 27),
    # x e^-x Ei(x) by 1/x.
    "EXPI_6": (lambda v: mp.ei(1 / v) * mp.exp(-1 / v) / v, mpf(1) / 12, mpf(1) / 6, 18),
    "EXPI_12": (lambda v: mp.ei(1 / v) * mp.exp(-1 / v) / v, mpf(1) / 24, mpf(1) / 12, 20),
    "EXPI_24": (scaled_ei, 0, mpf(1) / 24, 20),
    "SI_SERIES": (lambda t: mp.si(mp.sqrt(t)) / mp.sqrt(t) if t else mpf(1), 0, 16, 16),
    "CI_SERIES": (lambda t: (mp.ci(mp.sqrt(t)) - mp.euler - mp.log(t) / 2) / t if t else mpf(-1) / 4, 0, 16, 16),
    "SICI_F_4": (lambda v: sici_parts(v)[0], mpf(1) / 64, mpf(1) / 16, 20),
    "SICI_F_8": (lambda v: sici_parts(v)[0], 0, mpf(1) / 64, 24),
    "SICI_G_4": (lambda v: sici_parts(v)[1], mpf(1) / 64, mpf(1) / 16, 20),
    "SICI_G_8": (lambda v: sici_parts(v)[1], 0, mpf(1) / 64, 24),
    "ELLIPK_FACTOR": (lambda p: (mp.ellipk(p) / mp.pi - mpf(1) / 2) / p if p else mpf(1) / 8, 0, 0.5, 18),
    "ELLIPK_LOG": (lambda p: (mp.ellipk(1 - p) + mp.log(p) * mp.ellipk(p) / mp.pi - mp.log(4)) / p if p else (mp.log(4) - 1) / 4, 0, 0.5, 18),
    "ELLIPE": (mp.ellipe, 0, 0.5, 19),
    "ELLIPE_LOG": (lambda p: mp.ellipe(1 - p) + mp.log(p) * (mp.ellipk(p) - mp.ellipe(p)) / mp.pi if p else mpf(1), 0, 0.5, 18),
    "ELLIP_DIFFERENCE": (lambda p: (mp.ellipk(p) - mp.ellipe(p)) / p if p else mp.pi / 4, 0, 0.5, 20),
    "J0_SERIES": (lambda t: mp.besselj(0, mp.sqrt(t)), 0, 64, 24),
    "J1_SERIES": (lambda t: mp.besselj(1, mp.sqrt(t)) / mp.sqrt(t) if t else mpf(1) / 2, 0, 64, 24),
    "Y0_SERIES": (lambda t: mp.bessely(0, mp.sqrt(t)) - mp.log(t) * mp.besselj(0, mp.sqrt(t)) / mp.pi if t else 2 / mp.pi * (mp.euler - mp.log(2)), 0, 64, 24),
    "J0_SMALL": (lambda t: (mp.besselj(0, mp.sqrt(t)) - 1) / t if t else mpf(-1) / 4, 0, 1, 8),
    "Y0_SMALL": (lambda t: (mp.bessely(0, mp.sqrt(t)) - (mp.log(t) / mp.pi + 2 / mp.pi * (mp.euler - mp.log(2))) * mp.besselj(0, mp.sqrt(t))) / t if t else 1 / (2 * mp.pi), 0, 1, 8),
    "Y1_SERIES": (lambda t: y1_rest(t), 0, 64, 24),
    "P0_TAIL": (lambda v: hankel(0, v)[0], 0, mpf(1) / 64, 18),
    "Q0_TAIL": (lambda v: hankel(0, v)[1], 0, mpf(1) / 64, 18),
    "P1_TAIL": (lambda v: hankel(1, v)[0], 0, mpf(1) / 64, 18),
    "Q1_TAIL": (lambda v: hankel(1, v)[1], 0, mpf(1) / 64, 18),
    "I0E_SERIES": (lambda x: mp.exp(-x) * mp.besseli(0, x), 0, 8, 30),
    "I1E_SERIES": (lambda x: mp.exp(-x) * mp.besseli(1, x) / x if x else mpf(1) / 2, 0, 8, 30),
    "I0E_TAIL": (lambda v: scaled_i(0, v), 0, 0.125, 26),
    "I1E_TAIL": (lambda v: scaled_i(1, v), 0, 0.125, 26),
    "I0_SERIES": (lambda t: mp.besseli(0, mp.sqrt(t)), 0, 1, 9),
    "I1_SERIES": (lambda t: mp.besseli(1, mp.sqrt(t)) / mp.sqrt(t) if t else mpf(1) / 2, 0, 1, 9),
    "K0_SERIES": (lambda t: mp.besselk(0, mp.sqrt(t)) + mp.log(t) / 2 * mp.besseli(0, mp.sqrt(t)) if t else mp.log(2) - mp.euler, 0, 1, 9),
    "K1_SERIES": (lambda t: (mp.besselk(1, mp.sqrt(t)) - 1 / mp.sqrt(t) - mp.log(t) / 2 * mp.besseli(1, mp.sqrt(t))) / mp.sqrt(t) if t else (2 * mp.euler - 1 - 2 * mp.log(2)) / 4, 0, 1, 9),
    "K0E_TAIL": (lambda v: scaled_k(0, v), 0, 1, 42),
    "K1E_TAIL": (lambda v: scaled_k(1, v), 0, 1, 42),
    "LGAM1P": (lambda x: mp.loggamma(1 + x) / x if x else -mp.euler, 0, mpf("1.1"), 21),
    "INVERSE_STIRLING": (inverse_stirling, 0, mpf(1) / 3, 12),
    "RGAMMA1P": (lambda x: mp.rgamma(1 + x), 0, 1, 15),
    "ERFCX": (scaled_erfc, -1, 1, 26),
}


def gauss(count):
    """The nodes and weights of Gauss's rule on 0 to 1, as bits."""
    import numpy

    # Newton's steps from the nodes in f64.
    roots = [mpf(float(x)) for x in numpy.polynomial.legendre.leggauss(count)[0]]
    for _ in range(4):
        roots = [x - mp.legendre(count, x) * (1 - x * x) / (count * (mp.legendre(count - 1, x) - x * mp.legendre(count, x))) for x in roots]
    slope = [count * (mp.legendre(count - 1, x)) / (1 - x * x) for x in roots]
    return [(1 + x) / 2 for x in roots], [1 / ((1 - x * x) * d * d) for x, d in zip(roots, slope)]


def temme():
    """The coefficients of powers of eta in those of 1/a of the uniform expansion of the incomplete gamma function (DLMF 8.12)."""
    count = 44
    # mu by eta: mu mu' = eta (1 + mu).
    mu = [mpf(0), mpf(1)]
    for n in range(2, count + 2):
        known = sum((mu[i] * (n + 1 - i) * mu[n + 1 - i] for i in range(2, n)), mpf(0))
        mu.append((mu[n - 1] - known) / (n + 1))
    # eta / mu.
    inverse = [mpf(1)]
    for n in range(1, count):
        inverse.append(-sum(mu[k + 1] * inverse[n - k] for k in range(1, n + 1)))
    # Stirling's series of the gamma function, by that of its logarithm.
    logs = [mpf(0)] * 16
    for j in range(1, 8):
        logs[2 * j - 1] = mp.bernoulli(2 * j) / (2 * j * (2 * j - 1))
    stirling = [mpf(1)]
    for k in range(1, 12):
        stirling.append(sum(j * logs[j] * stirling[k - j] for j in range(1, k + 1)) / k)
    rows = [inverse[1:]]
    for k in range(1, 12):
        before = rows[-1]
        sign = (-1) ** k * stirling[k]
        rows.append([(n + 2) * before[n + 2] + sign * inverse[n + 1] for n in range(len(before) - 2)])
    return rows


def in_chebyshev(powers):
    """The coefficients of Chebyshev's polynomials of a polynomial in powers."""
    total = [mpf(0)] * len(powers)
    for k, c in enumerate(powers):
        for j in range(k // 2 + 1):
            weight = mp.binomial(k, j) * mpf(2) ** (1 - k)
            total[k - 2 * j] += c * (weight / 2 if k == 2 * j else weight)
    return total


def economized(rows, largest, ends, limit):
    """A polynomial in powers of x (columns), |x| up to `ends`, and of v (rows), from 0 to `largest`, as one in powers of x and of
    2 v / largest - 1, without the products of Chebyshev's polynomials that are below the limit."""
    columns = [in_chebyshev([c * ends**k for k, c in enumerate(row)]) for row in rows]
    total = {}
    for j in range(len(columns[0])):
        # In powers of t, v = largest (1 + t) / 2.
        powers = [mpf(0)] * len(rows)
        for k, row in enumerate(columns):
            for i in range(k + 1):
                powers[i] += (row[j] if j < len(row) else mpf(0)) * largest**k * mp.binomial(k, i) / mpf(2) ** k
        for i, c in enumerate(in_chebyshev(powers)):
            if abs(c) < limit:
                continue
            for p, x in enumerate(monomial([mpf(k == i) for k in range(i + 1)])):
                for q, y in enumerate(monomial([mpf(k == j) for k in range(j + 1)])):
                    if x and y:
                        total[p, q] = total.get((p, q), mpf(0)) + c * x * y / ends**q
    highest = max(p for p, _ in total)
    return [[total.get((p, q), mpf(0)) for q in range(1 + max(q for k, q in total if k == p))] for p in range(highest + 1)]


def print_temme():
    rows = economized(temme(), mpf(1) / 20, mpf("1.01"), mpf("2e-17"))
    print("/// Temme's expansion: powers of η, the lowest first, in powers of 40/a − 1, for a ≥ 20 and |η| ≤ 1.01.")
    print(f"const TEMME: [&[f64]; {len(rows)}] = [")
    for row in rows:
        print("    &[" + ", ".join(repr(float(c)) for c in row) + "],")
    print("];")


def print_gauss(count):
    print("/// Points of Gauss's rule.")
    print(f"const GAUSS_COUNT: u32 = {count};")
    for name, values in zip(("GAUSS_NODES", "GAUSS_WEIGHTS"), gauss(count)):
        print(f"/// {name.split('_')[1].capitalize()} on 0 to 1, as bits of f64.")
        print(f"static {name}: Table = Table {{ name: \"{name.lower()}\", words: &[")
        for value in values:
            print(f"    {struct.unpack('<Q', struct.pack('<d', float(value)))[0]:#018x},")
        print("] };")


def print_logarithms(count):
    """Logarithms of the whole numbers, each in two floats: the first ones, then the second ones."""
    values = [mp.log(n) if n else mpf(0) for n in range(count)]
    words = [struct.unpack("<Q", struct.pack("<d", float(v)))[0] for v in values]
    words += [struct.unpack("<Q", struct.pack("<d", float(v - float(v))))[0] for v in values]
    print("LOGARITHMS:")
    for start in range(0, len(words), 4):
        print("        " + ", ".join(f"{word:#x}" for word in words[start:start + 4]) + ",")


def main():
    for name in sys.argv[1:] or FITS:
        found, worst = fit(*FITS[name])
        print(f"/// Largest error in f64: {worst:.2f} units of the last place.")
        print(f"const {name}: [f64; {len(found)}] = [")
        for c in found:
            print(f"    {c!r},")
        print("];")
    if not sys.argv[1:]:
        print_gauss(32)
        print_temme()
        print_logarithms(64)


if __name__ == "__main__":
    main()
