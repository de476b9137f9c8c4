"""Makes core/tests/data/complex.txt: values of the complex formulas.

    pip install mpmath numpy==2.4.6
    python3 conformance/oracle/complex_formulas.py > core/tests/data/complex.txt

One line a point: kind, name, width, bits of each argument's parts, bits of the result's parts.
Kinds: `near`, correctly rounded by mpmath, both parts; `bits`, by the definition that is promised to
the bit (division is also compared with NumPy's here); `special`, zeros, infinities and NaNs by NumPy, those of
expm1, and of tanh and tan beside infinities, by the array API standard.
"""

import itertools
import math
import random
import struct

import numpy
from mpmath import mp, mpc

from formulas import bits_of, nearest, rounded

# Enough for 1 + z with the least z.
POINTS = 120
FUNCTIONS = {
    "abs": lambda z: mpc(mp.sqrt(z.real**2 + z.imag**2), 0),
    "exp": mp.exp,
    "expm1": lambda z: mp.exp(z) - 1,
    "log": mp.log,
    "log1p": lambda z: mp.log(1 + z),
    "sqrt": mp.sqrt,
    "sin": mp.sin,
    "cos": mp.cos,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "tan": mp.tan,
    "log2": lambda z: mp.log(z) / mp.log(2),
    "log10": lambda z: mp.log(z) / mp.log(10),
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "asinh": mp.asinh,
    "acosh": mp.acosh,
    "atanh": mp.atanh,
}
WIDE = {"abs", "log", "log1p", "sqrt", "log2", "log10", "asin", "acos", "atan", "asinh", "acosh", "atanh"}
# Functions whose poles and branch points are 1 and -1, or i and -i.
REAL_POINTS = {"asin", "acos", "acosh", "atanh"}


def line(kind, name, width, words):
    digits = width // 4
    print(kind, name, width, *(f"{word:0{digits}x}" for word in words))


def sized(chance, low, high):
    """A float of either sign, spread evenly over the binades 2^low to 2^high."""
    return math.ldexp(1 + chance.random(), chance.randrange(low, high)) * chance.choice([-1, 1])


def point(chance, name, width, index):
    """Arguments where the formulas do something."""
    top = 88.0 if width == 32 else 708.5
    kind = index % 6
    if kind == 0:
        return chance.uniform(-3, 3), chance.uniform(-3, 3)
    if kind == 1:
        return sized(chance, -60, 4), sized(chance, -4, 4)
    if kind == 2:
        return sized(chance, -4, 4), sized(chance, -60, 4)
    if kind == 3:
        # Around the circle on which the real part of the logarithm vanishes.
        radius = 1 + chance.uniform(-1, 1) * 2.0 ** -chance.randrange(30)
        angle = chance.uniform(0, 2 * math.pi)
        if name in REAL_POINTS or name in {"atan", "asinh"}:
            # Around the branch points.
            x = chance.choice([-1, 1]) + chance.choice([0, sized(chance, -40, 0)])
            y = sized(chance, -60, 0)
            return (x, y) if name in REAL_POINTS else (y, x)
        return radius * math.cos(angle) - (name == "log1p"), radius * math.sin(angle)
    if kind == 4 and name in WIDE:
        low, high = (-149, 127) if width == 32 else (-1074, 1023)
        return sized(chance, low, high), sized(chance, low, high)
    return chance.uniform(-top, top), chance.uniform(-top, top)


def smith(a, b, c, d, one):
    """(a + ib) / (c + id), every step rounded in the type of the arguments."""
    if abs(c) >= abs(d):
        ratio = d / c
        scale = one / (c + d * ratio)
        return (a + b * ratio) * scale, (b - a * ratio) * scale
    ratio = c / d
    scale = one / (c * ratio + d)
    return (a * ratio + b) * scale, (b * ratio - a) * scale


def expm1(z):
    """The special cases of the standard; NumPy's own are made of parts that do not know Annex G."""
    a, b = z.real, z.imag
    if math.isinf(a) and a < 0:
        # The standard leaves the sign of the zero open for an angle that is none.
        turn = complex(math.cos(b), math.sin(b)) if math.isfinite(b) else complex(0.0, -1.0 if b < 0 else 1.0)
        return complex(0.0 * turn.real - 1.0, 0.0 * turn.imag)
    if b == 0.0:
        # A zero is positive, whatever the sign of a.
        return complex(numpy.expm1(a) or 0.0, b)
    if math.isinf(a) and math.isfinite(b):
        return complex(a * math.cos(b), a * math.sin(b))
    if math.isinf(a):
        return complex(a, math.nan)
    return complex(math.nan, math.nan)


def main():
    mp.prec = 1300
    for name, function in FUNCTIONS.items():
        for width in (32, 64):
            chance = random.Random(f"{name} {width}")
            for index in range(POINTS):
                x, y = (nearest(v, width) for v in point(chance, name, width, index))
                exact = function(mpc(x, y))
                words = [bits_of(x, width), bits_of(y, width)]
                words += [rounded(exact.real, width), rounded(exact.imag, width)]
                line("near", name, width, words)

    for name, width in itertools.product(("mul", "div"), (32, 64)):
        chance = random.Random(f"{name} {width}")
        real = numpy.float32 if width == 32 else numpy.float64
        for _ in range(POINTS):
            a, b, c, d = parts = [real(sized(chance, -20, 20)) for _ in range(4)]
            if name == "mul":
                result = (a * c - b * d, a * d + b * c)
            else:
                result = smith(a, b, c, d, real(1))
                whole = numpy.dtype(f"c{width // 4}").type
                quotient = numpy.divide(whole(complex(a, b)), whole(complex(c, d)))
                assert result == (quotient.real, quotient.imag)
            line("bits", name, width, [bits_of(float(v), width) for v in (*parts, *result)])

    numpy.seterr(all="ignore")
    values = [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan]
    numpy_names = {name: "arc" + name[1:] for name in FUNCTIONS if name[0] == "a" and name != "abs"}
    for name in FUNCTIONS:
        for x, y in itertools.product(values, values):
            z = complex(x, y)
            if name == "expm1":
                if math.isfinite(x) and math.isfinite(y) and z != 0:
                    continue
                result = expm1(z)
            else:
                result = getattr(numpy, numpy_names.get(name, name))(numpy.array([z]))[0]
            # Positive NaNs, so that the file does not depend on the machine.
            parts = [abs(v) if math.isnan(v) else v for v in (result.real, result.imag)]
            words = [bits_of(float(v), 64) for v in (x, y, *parts)]
            line("special", name, 64, words)
    # The standard gives the zero beside the 1 the sign of the finite part, C99 that of sin 2y; they differ at 2.
    for endless, y in itertools.product((math.inf, -math.inf), (2.0, -2.0)):
        one, zero = math.copysign(1.0, endless), math.copysign(0.0, y)
        line("special", "tanh", 64, [bits_of(v, 64) for v in (endless, y, one, zero)])
        line("special", "tan", 64, [bits_of(v, 64) for v in (y, endless, zero, one)])


if __name__ == "__main__":
    main()
