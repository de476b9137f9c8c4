"""Computes the polynomial coefficients that stand in core/src/formulas.

    pip install mpmath
    python3 conformance/oracle/minimax.py [name ...]

Each coefficient list is a weighted minimax polynomial, fitted at 60 digits. The
coefficients are rounded to the target format one after the other, lowest degree first, and the
rest is fitted again after each rounding, so that later coefficients absorb what rounding cost.
Printed beside each list: the greatest weighted error of the rounded polynomial, as a power of two.
"""

import functools
import struct
import sys

from mpmath import (asin, atan, besseli, cos, cosh, erf, erfc, exp, expm1, fdot, log, log1p, loggamma, lu_solve,
                    matrix, mp, mpf, pi, polyval, sin, sinh, sqrt, tanh)

mp.dps = 60


def rounded(value, width):
    """The nearest float of that width, as an exact multiprecision number."""
    single = float(value)
    if width == 32:
        single = struct.unpack("f", struct.pack("f", single))[0]
    return mpf(single)


def minimax(function, weight, low, high, terms, first):
    """Minimax sum of c[i] x^(first+i), i < terms, for `function`, errors scaled by `weight`.

    Lawson's iteration: least squares, each point's share multiplied by its error again and again.
    Slower than an exchange, but it does not mind a weight or a basis that vanishes inside.
    """
    low, high = mpf(low), mpf(high)
    middle, radius = (high + low) / 2, (high - low) / 2
    count = 8 * terms + 41
    points = [middle - radius * cos(pi * (i + mpf("0.5")) / count) for i in range(count)]
    rows = [[weight(x) * x ** (first + i) for i in range(terms)] for x in points]
    values = [weight(x) * function(x) for x in points]
    shares = [mpf(1) / count] * count
    best = None
    for _ in range(40):
        system, right = matrix(terms, terms), matrix(terms, 1)
        for row, value, share in zip(rows, values, shares):
            for i in range(terms):
                scaled = share * row[i]
                right[i] += scaled * value
                for j in range(i, terms):
                    system[i, j] += scaled * row[j]
        for i in range(terms):
            for j in range(i):
                system[i, j] = system[j, i]
        solution = lu_solve(system, right)
        errors = [abs(v - fdot(zip(row, solution))) for row, v in zip(rows, values)]
        if best is None or max(errors) < best[0]:
            best = (max(errors), [solution[i] for i in range(terms)])
        total = fdot(zip(shares, errors))
        if total == 0:
            break
        # The floor keeps a point that is exact by chance in the game.
        shares = [s * (e / total + mpf("1e-6")) for s, e in zip(shares, errors)]
    return best[1]


def fit(function, weight, low, high, terms, width):
    """Rounded coefficients, lowest degree first, and log2 of the greatest weighted error."""
    function = functools.cache(function)
    done = []
    for index in range(terms):
        def rest(x):
            return function(x) - polyval(done[::-1], x) if done else function(x)

        done.append(rounded(minimax(rest, weight, low, high, terms - index, index)[0], width))
    low, high = mpf(low), mpf(high)
    worst = mpf(0)
    for index in range(2000):
        x = low + (high - low) * (2 * index + 1) / 4000
        worst = max(worst, abs(weight(x) * (function(x) - polyval(done[::-1], x))))
    return done, float(log(worst, 2))


HALF_LN2 = log(mpf(2)) / 2
# With this factor before e^(-2y) = t / TANH the polynomial in t that fits best has nearly 1 before t^5: so it is 1.
TANH = mpf("1.0625")
ROOT = sqrt(mpf(2))


def log_of_s(z):
    """(log((1+s)/(1-s)) - 2 s) / s^3 where s^2 = z."""
    s = sqrt(z)
    return (log1p(s) - log1p(-s) - 2 * s) / s**3


def atan_of(z):
    """(atan(t)/t - 1)/z where t^2 = z."""
    return (atan(sqrt(z)) / sqrt(z) - 1) / z


@functools.cache
def erfcx_of(q, middle):
    """(1 + 2x) e^(x^2) erfc x where (x - middle) / (x + middle) = q."""
    x = middle * (1 + q) / (1 - q)
    return (1 + 2 * x) * exp(x * x) * erfc(x)


def erfc_target(middle, high, width, terms):
    """The rise of `erfcx_of` from q = 0, over q; from x = 0.49 to `high`."""
    start = erfcx_of(mpf(0), middle)
    return (
        lambda q: (erfcx_of(q, middle) - start) / q, lambda q: q / erfcx_of(q, middle),
        (mpf("0.49") - middle) / (mpf("0.49") + middle), (mpf(high) - middle) / (mpf(high) + middle),
        {width: terms},
    )


def stirling(w):
    """What Stirling's formula lacks of log Gamma x, times x, where x^-2 = w."""
    x = 1 / sqrt(w)
    return (loggamma(x) - (x - mpf("0.5")) * log(x) + x - log(2 * pi) / 2) * x


def bessel_far(u):
    """I0(x) sqrt(x) / e^x where x = 1 / u."""
    return besseli(0, 1 / u) * exp(-1 / u) / sqrt(u)


# name: (function, weight, low, high, {width: terms})
TARGETS = {
    # e^r = 1 + r + r^2 Q(r); error relative to r, so that expm1 shares it.
    "exp": (
        lambda r: (expm1(r) - r) / r**2,
        lambda r: r,
        -HALF_LN2 * mpf("1.001"), HALF_LN2 * mpf("1.001"), {32: 6, 64: 11},
    ),
    # The same where r reaches from log(3/4) to log(3/2).
    "expm1": (
        lambda r: (expm1(r) - r) / r**2,
        lambda r: r,
        log(mpf("0.7495")), log(mpf("1.5005")), {32: 6, 64: 11},
    ),
    # log(1+f) = f - f^2/2 + f^3 P(f); error relative to the result.
    "log": (
        lambda f: (log1p(f) - f + f * f / 2) / f**3,
        lambda f: f**3 / log1p(f),
        1 / ROOT - 1, ROOT - 1, {32: 9},
    ),
    # log(1+f) = 2s + s^3 T(s^2), s = f/(2+f).
    "log_quotient": (
        log_of_s, lambda z: z / 2, mpf("1e-30"), (3 - 2 * ROOT) ** 2, {32: 4, 64: 7},
    ),
    # The same with 2/3 kept apart: T(z) = 2/3 + z P(z).
    "power_log": (
        lambda z: (log_of_s(z) - mpf(2) / 3) / z,
        lambda z: z * z / 2, mpf("1e-20"), (3 - 2 * ROOT) ** 2, {32: 4, 64: 8},
    ),
    # The same times 1 / log 2: the binary logarithm.
    "power_log2": (
        lambda z: (log_of_s(z) - mpf(2) / 3) / z / log(mpf(2)),
        lambda z: z * z * log(mpf(2)) / 2, mpf("1e-20"), (3 - 2 * ROOT) ** 2, {32: 3},
    ),
    # 2^r = 1 + r Q(r), |r| <= 1/2
    "exp2": (
        lambda r: (2**r - 1) / r, lambda r: r / 2**r, mpf("-0.501"), mpf("0.501"), {32: 6},
    ),
    # sinh r = r + r^3 S(r^2) and cosh r = 1 + r^2 C(r^2), |r| <= log(2) / 2
    "sinh_near": (
        lambda z: (sinh(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z, mpf("1e-30"), (HALF_LN2 * mpf("1.001")) ** 2, {32: 3, 64: 5},
    ),
    "cosh_near": (
        lambda z: (cosh(sqrt(z)) - 1) / z,
        lambda z: z, mpf("1e-30"), (HALF_LN2 * mpf("1.001")) ** 2, {32: 3, 64: 5},
    ),
    # tanh y = y + y^3 N(y^2), y <= 0.97
    "tanh_near": (
        lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z * sqrt(z) / tanh(sqrt(z)), mpf("1e-20"), mpf("0.97") ** 2, {32: 7},
    ),
    # TANH e^(-2r), |r| <= log(2) / 4
    "tanh_power": (
        lambda r: TANH * exp(-2 * r), lambda r: exp(2 * r) / TANH,
        -HALF_LN2 / 2 * mpf("1.001"), HALF_LN2 / 2 * mpf("1.001"), {32: 7},
    ),
    # tanh y = 1 - t (F(t) + t^4) with t = TANH e^(-2y), y >= 0.97
    "tanh_far": (
        lambda t: 2 / (TANH + t) - t**4, lambda t: t, 0, TANH * exp(mpf("-1.94")), {32: 4},
    ),
    # sin r = r + r^3 S(r^2)
    "sin": (
        lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z, mpf("1e-20"), mpf("0.8") ** 2, {32: 3, 64: 6},
    ),
    # cos r = 1 - r^2/2 + r^4 C(r^2)
    "cos": (
        lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2,
        lambda z: z**2, mpf("1e-20"), mpf("0.8") ** 2, {32: 3, 64: 6},
    ),
    # atan t = t + t^3 A(t^2), |t| <= tan(pi/8)
    "atan": (
        atan_of, lambda z: z, mpf("1e-20"), (ROOT - 1) ** 2 * mpf("1.0001"), {32: 5, 64: 11},
    ),
    # asin s = s + s^3 A(s^2), s <= 1/2
    "asin": (
        lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z,
        lambda z: z, mpf("1e-20"), mpf("0.25"), {32: 6, 64: 13},
    ),
    # erf x = x + x E(x^2), x <= 1
    "erf": (
        lambda z: erf(sqrt(z)) / sqrt(z) - 1, lambda z: sqrt(z) / erf(sqrt(z)),
        mpf("1e-20"), mpf(1), {32: 7, 64: 13},
    ),
    # (1 + 2x) e^(x^2) erfc x = c + q C(q), q = (x - 3) / (x + 3) and c = 7 e^9 erfc 3, from 1/2 to where f32
    # ends; f64 the same with 4 for 3
    "erfc_narrow": erfc_target(3, "10.1", 32, 10),
    "erfc_wide": erfc_target(4, "27.3", 64, 22),
    # log Gamma(2 + z) = z G(z), |z| <= 0.3
    "lgamma": (
        lambda z: loggamma(2 + z) / z, lambda z: z / loggamma(2 + z),
        mpf("-0.3"), mpf("0.3000001"), {32: 8},
    ),
    # log Gamma(2 + z) = z (1 + z) G(z), -1.05 <= z <= 0.2
    "lgamma_middle": (
        lambda z: loggamma(2 + z) / (z * (1 + z)), lambda z: z * (1 + z) / loggamma(2 + z),
        mpf("-1.0500001"), mpf("0.2000001"), {64: 24},
    ),
    # log Gamma x = (x - 1/2) log x - x + log(2 pi) / 2 + S(1/x^2) / x, x >= 4; f64: x >= 8
    "stirling_narrow": (stirling, sqrt, mpf("1e-12"), mpf(1) / 16, {32: 4}),
    "stirling_wide": (stirling, sqrt, mpf("1e-12"), mpf(1) / 64, {64: 7}),
    # I0(x) = B(x^2 / 4), x <= 8; f64: x <= 12
    "i0_narrow": (
        lambda z: besseli(0, 2 * sqrt(z)), lambda z: 1 / besseli(0, 2 * sqrt(z)), 0, 16, {32: 12},
    ),
    "i0_wide": (
        lambda z: besseli(0, 2 * sqrt(z)), lambda z: 1 / besseli(0, 2 * sqrt(z)), 0, 36, {64: 21},
    ),
    # I0(x) = e^x / sqrt(x) F(1/x), above
    "i0_far_narrow": (bessel_far, lambda u: 1 / bessel_far(u), mpf(1) / 100, mpf(1) / 8, {32: 7}),
    "i0_far_wide": (bessel_far, lambda u: 1 / bessel_far(u), mpf(1) / 720, mpf(1) / 12, {64: 19}),
    # m^(-1/3): where Newton's iteration starts.
    "cbrt": (
        lambda m: m ** (mpf(-1) / 3), lambda m: m ** (mpf(1) / 3), 1 / ROOT, ROOT, {32: 5, 64: 5},
    ),
}


def main():
    for name in sys.argv[1:] or TARGETS:
        function, weight, low, high, widths = TARGETS[name]
        for width, terms in widths.items():
            coefficients, worst = fit(function, weight, low, high, terms, width)
            print(f"{name} {width}: 2^{worst:.2f}")
            for value in coefficients:
                print(f"    {float(value)!r},")


if __name__ == "__main__":
    main()
