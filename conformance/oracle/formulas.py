"""Makes core/tests/data/formulas.txt: correctly rounded values of every formula.

    pip install mpmath
    python3 conformance/oracle/formulas.py > core/tests/data/formulas.txt

One line a point: name, width, bits of each argument, bits of the result (hexadecimal). Arguments
are pseudo-random from a fixed seed, spread over the magnitudes at which the function does something,
with the places where formulas change their path. Zeros, infinities and NaNs are not here: they stand
as a table in core/tests/formulas.rs.
"""

import random
import struct

from mpmath import mp

mp.prec = 240
POINTS = 300
CODES = {32: ("<f", "<I"), 64: ("<d", "<Q")}


def bits_of(value, width):
    """The bits of a Python float that is exact in the format."""
    code, integer = CODES[width]
    return struct.unpack(integer, struct.pack(code, value))[0]


def float_of(bits, width):
    """The Python float with these bits."""
    code, integer = CODES[width]
    return struct.unpack(code, struct.pack(integer, bits))[0]


def nearest(value, width):
    """`value` (a Python float) rounded into the format."""
    return struct.unpack(CODES[width][0], struct.pack(CODES[width][0], value))[0]


def rounded(value, width):
    """The bits of the float nearest to a multiprecision value, ties to even, overflow to infinity."""
    mantissa, least, most = {32: (23, -126, 127), 64: (52, -1022, 1023)}[width]
    sign, man, exp, count = mp.mpf(value)._mpf_
    if man == 0:
        return 0
    exponent = max(exp + count - 1, least)
    shift = exponent - mantissa - exp
    if shift > 0:
        whole, rest = man >> shift, man & ((1 << shift) - 1)
        half = 1 << (shift - 1)
        whole += rest > half or (rest == half and whole & 1)
    else:
        whole = int(man) << -shift
    # A carry out of the significand moves into the exponent field by itself.
    bits = int(whole) + ((exponent - least) << mantissa)
    if bits >= (most - least + 2) << mantissa:
        bits = (most - least + 2) << mantissa
    return bits | (int(sign) << (width - 1))


def around(*values):
    """Arguments next to the given ones, on both sides."""

    def make(chance, width, index, _):
        bits = bits_of(nearest(values[index % len(values)], width), width)
        return float_of(bits + chance.randrange(-3, 4), width)

    return make


def between(low, high):
    """Uniform arguments; a pair of bounds is by width (32, 64)."""

    def make(chance, width, *_):
        pick = (lambda bound: bound[width == 64] if isinstance(bound, tuple) else bound)
        return nearest(chance.uniform(pick(low), pick(high)), width)

    return make


def sized(low, high, signed=True):
    """Arguments spread evenly over the binades 2^low to 2^high; a pair of bounds is by width."""

    def make(chance, width, *_):
        pick = (lambda bound: bound[width == 64] if isinstance(bound, tuple) else bound)
        exponent = chance.randint(pick(low), pick(high) - 1)
        # Drawn as bits, so that every place of the significand is random.
        value = nearest(chance.random() + 1.0, width)
        value = min(value, 2.0 - 2.0 ** (-23 if width == 32 else -52))
        value = mp.ldexp(value, exponent)
        value = nearest(float(value), width)
        return -value if signed and chance.random() < 0.5 else value

    return make


def exponent(chance, width, _, before):
    """Exponents that bring the base already drawn anywhere into the range of the format."""
    size = abs(mp.log(abs(before[0]))) or 1
    # Half of them near the ends, where an error of the logarithm counts most.
    share = chance.uniform(-1, 1) if chance.random() < 0.5 else chance.choice([-0.99, 0.98])
    return nearest(float(share * (88 if width == 32 else 709) / size), width)


def whole(chance, *_):
    """Whole exponents."""
    return float(chance.randint(-30, 30))


def whole_power(base):
    """Powers whose logarithm is a whole number, where the format holds them."""

    def make(chance, width, *_):
        low, high = {2: ((-149, 127), (-1074, 1023)), 10: ((0, 10), (0, 22))}[base][width == 64]
        return nearest(float(base) ** chance.randint(low, high), width)

    return make


SUBNORMAL = (-149, -1074)
LEAST = (-126, -1022)
MOST = (128, 1024)
PI = 3.141592653589793

# name: (function, one list of makers for each argument)
FORMULAS = {
    "exp": (mp.exp, [[
        between((-104.0, -746.0), (89.0, 710.0)), sized(-30, 6), between(-1.0, 1.0),
        around(-0.34657, 0.34657, -87.25, 87.25, -708.0, 708.0, 88.72283, 709.782712893384),
    ]]),
    "exp2": (lambda x: mp.power(2, x), [[
        between((-149.0, -1074.0), (128.0, 1024.0)), sized(-30, 6), between(-1.0, 1.0),
        around(-0.5, 0.5, -125.5, 125.5, -1021.5, 1021.5, 127.99, 1023.99),
    ]]),
    "expm1": (mp.expm1, [[
        between((-20.0, -40.0), (89.0, 710.0)), sized((-60, -80), 4), between(-1.0, 1.0),
        around(-0.2876821, 0.4054651, 87.25, 708.0, 88.72283, 709.782712893384, -17.3, -37.4),
    ]]),
    "log": (mp.log, [[
        sized(LEAST, MOST, False), between(0.5, 2.0), sized(SUBNORMAL, LEAST, False),
        around(1.0, 1.0, 0.70710678, 1.41421356),
    ]]),
    "log1p": (mp.log1p, [[
        sized(-40, 8, False), between(-0.999, 1.0), sized(-70, MOST, False),
        around(-0.29289322, 0.41421356, -0.9999, 1e-7, -1e-16, 1.2676506e30),
    ]]),
    "sin": (mp.sin, [[
        between(-10.0, 10.0), sized(-30, 18), sized(18, MOST),
        around(PI, PI / 2, PI / 4, 1000 * PI, 262144.0, 1099511627776.0, 355.0, 1e22),
    ]]),
    "cos": (mp.cos, [[
        between(-10.0, 10.0), sized(-30, 18), sized(18, MOST),
        around(PI, PI / 2, PI / 4, 1000.5 * PI, 262144.0, 1099511627776.0, 355.0, 1e22),
    ]]),
    "tanh": (mp.tanh, [[
        between(-2.0, 2.0), sized((-60, -80), 4), between((-10.0, -20.0), (10.0, 20.0)),
        around(0.1438410, 0.2027325, 9.01, 19.06),
    ]]),
    "sinh": (mp.sinh, [[
        between(-2.0, 2.0), sized((-60, -80), 4), between((-89.4, -710.4), (89.4, 710.4)),
        around(0.4054651, 1.0986123, 87.25, 708.0, 89.4, 710.4),
    ]]),
    "cosh": (mp.cosh, [[
        between(-2.0, 2.0), sized(-30, 4), between((-89.4, -710.4), (89.4, 710.4)),
        around(0.4054651, 1.0986123, 87.25, 708.0, 89.4, 710.4),
    ]]),
    # y is made from x, so that the results spread over all magnitudes.
    "pow": (mp.power, [
        [sized(LEAST, MOST, False), between(0.5, 2.0), around(1.0, 1.0), between(-20.0, 20.0),
         sized(SUBNORMAL, LEAST, False), around(2.0, 10.0, 3.0, 0.70710678)],
        [exponent, exponent, exponent, whole, exponent, exponent],
    ]),
    "hypot": (mp.hypot, [
        [sized(-20, 20), sized(SUBNORMAL, MOST), between(-1.0, 1.0), sized((100, 990), (127, 1023))],
        [sized(-20, 20), sized(SUBNORMAL, MOST), between(-1.0, 1.0), sized((100, 990), (127, 1023))],
    ]),
    "atan2": (mp.atan2, [
        [sized(-20, 20), sized(SUBNORMAL, MOST), between(-1.0, 1.0), sized((100, 990), MOST),
         around(0.41421356, -0.41421356, 1.0, -1.0, 2.41421356)],
        [sized(-20, 20), sized(SUBNORMAL, MOST), between(-1.0, 1.0), sized((100, 990), MOST),
         around(1.0, -1.0)],
    ]),
}


def sinc(x):
    """sin(pi x) / (pi x), exact at whole numbers."""
    return mp.sinpi(x) / (mp.pi * x)


# Inverse functions near the ends of their ranges; sums of powers where nothing cancels.
FORMULAS |= {
    "log2": (lambda x: mp.log(x, 2), [[
        sized(LEAST, MOST, False), between(0.5, 2.0), sized(SUBNORMAL, LEAST, False),
        around(1.0, 1.0, 0.70710678, 1.41421356), whole_power(2),
    ]]),
    "log10": (mp.log10, [[
        sized(LEAST, MOST, False), between(0.5, 2.0), sized(SUBNORMAL, LEAST, False),
        around(1.0, 1.0, 0.70710678, 1.41421356), whole_power(10),
    ]]),
    "tan": (mp.tan, [[
        between(-10.0, 10.0), sized(-30, 18), sized(18, MOST),
        around(PI, PI / 2, PI / 4, 1000 * PI, 262144.0, 1099511627776.0, 355.0, 11.0, 1e22),
    ]]),
    "asin": (mp.asin, [[between(-1.0, 1.0), sized(-60, 0), around(0.5, -0.5, 0.999999, -0.9999)]]),
    "acos": (mp.acos, [[between(-1.0, 1.0), sized(-60, 0), around(0.5, -0.5, 0.999999, -0.9999)]]),
    "atan": (mp.atan, [[
        between(-3.0, 3.0), sized(SUBNORMAL, MOST), sized(-10, 10),
        around(0.41421356, 2.41421356, 1.0, -1.0, 2.0**-96, 2.0**120),
    ]]),
    "asinh": (mp.asinh, [[
        between(-3.0, 3.0), sized(SUBNORMAL, MOST), sized(-10, 10),
        around(0.353553, 0.35, 1.0, 2.0**60, -(2.0**60)),
    ]]),
    "acosh": (mp.acosh, [[
        between(1.0, 3.0), sized(0, MOST, False), around(1.0000005, 1.06066, 2.0**60),
        lambda chance, width, *_: nearest(1 + 2.0 ** -chance.uniform(1, 23 if width == 32 else 50), width),
    ]]),
    "atanh": (mp.atanh, [[
        between(-1.0, 1.0), sized((-149, -1074), 0), around(0.171572, 0.5, 0.999999, -0.99999),
    ]]),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), [[
        sized(SUBNORMAL, MOST), between(-30.0, 30.0), around(1.0, 8.0, 27.0, 0.125, 1000.0),
    ]]),
    "sinc": (sinc, [[
        between(-5.0, 5.0), sized(-40, 4), sized(4, (22, 51)), around(0.25, 0.75, 1.25, 2.5, 1000.5),
    ]]),
    "logaddexp": (lambda x, y: mp.log(mp.exp(x) + mp.exp(y)), [
        [between(0.0, 30.0), sized(-40, 20, False), between(0.0, 3.0), between(-90.0, -60.0)],
        [between(-60.0, 30.0), sized(-40, 20), between(-3.0, 3.0), between(-90.0, -60.0)],
    ]),
    "logaddexp2": (lambda x, y: mp.log(mp.power(2, x) + mp.power(2, y), 2), [
        [between(0.0, 30.0), sized(-40, 20, False), between(0.0, 3.0), between(-90.0, -60.0)],
        [between(-60.0, 30.0), sized(-40, 20), between(-3.0, 3.0), between(-90.0, -60.0)],
    ]),
}

# Special functions.
FORMULAS |= {
    "expit": (lambda x: 1 / (1 + mp.exp(-x)), [[
        between(-20.0, 20.0), sized(-40, 4), between((-103.0, -744.0), (20.0, 40.0)),
    ]]),
    "logit": (lambda x: mp.log(x / (1 - x)), [[
        between(0.0, 1.0), sized((-149, -1074), 0, False), around(0.25, 0.75, 0.4999, 0.5001, 0.999999),
    ]]),
    "xlogy": (lambda x, y: x * mp.log(y), [
        [between(-30.0, 30.0), sized(-40, 40), between(0.0, 2.0)],
        [between(0.0, 30.0), sized(-40, 40, False), between(0.5, 2.0)],
    ]),
    "xlog1py": (lambda x, y: x * mp.log1p(y), [
        [between(-30.0, 30.0), sized(-40, 40), between(0.0, 2.0)],
        [between(-0.9, 30.0), sized(-40, 40, False), between(-0.5, 0.5)],
    ]),
    "erf": (mp.erf, [[
        between(-3.0, 3.0), sized(SUBNORMAL, 2), between((-4.0, -6.0), (4.0, 6.0)), around(0.75, -0.75),
    ]]),
    "erfc": (mp.erfc, [[
        between(-6.0, 6.0), sized(-60, 2), between(0.0, (10.05, 27.2)), around(0.5, -0.5, 9.1875, 26.54),
    ]]),
    "gamma": (mp.gamma, [[
        between(0.0, 10.0), between(0.0, (35.0, 171.6)), sized((-120, -1000), 3, False), between(-8.0, 0.0),
        between((-37.0, -182.0), -8.0), around(1.0, 2.0, 4.0, 8.0, 32.0, 168.0, 1.4616),
    ]]),
    "lgamma": (lambda x: mp.loggamma(x).real, [[
        between(0.0, 10.0), sized((-120, -1000), (120, 1000), False), between(0.5, 2.5), between(10.0, 200.0),
        around(0.7, 1.3, 1.7, 2.3, 4.0, 8.0, 1.001, 0.999, 2.0001, 1.9999),
    ]]),
    "i0": (lambda x: mp.besseli(0, x), [[
        between(-8.0, 8.0), between(0.0, (91.0, 713.0)), sized(-20, 3), around(8.0, 12.0, 87.25, 708.0),
    ]]),
}


def main():
    for name, (function, arguments) in FORMULAS.items():
        for width in (32, 64):
            chance = random.Random(f"{name} {width}")
            done = 0
            while done < POINTS:
                values = []
                for makers in arguments:
                    make = makers[done % len(makers)]
                    values.append(make(chance, width, done // len(makers), values))
                try:
                    exact = function(*map(mp.mpf, values))
                except (ValueError, ZeroDivisionError):
                    continue
                if not isinstance(exact, mp.mpf) or not mp.isfinite(exact):
                    continue
                words = [bits_of(value, width) for value in values] + [rounded(exact, width)]
                digits = width // 4
                print(name, width, *(f"{word:0{digits}x}" for word in words))
                done += 1


if __name__ == "__main__":
    main()
