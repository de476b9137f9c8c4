"""Exact values, rounded once: rationals, elementary functions by mpmath, sums and their like.

Rounding is to nearest, ties to even, with subnormals, in integers; no hardware rounding takes part.
"""

from fractions import Fraction

import mpmath
import numpy as np

from store import BF16

# Bits of the significand (hidden one included), least exponent of a subnormal's unit, overflow exponent.
FORMATS = {"float16": (11, -24, 16), "bfloat16": (8, -133, 128), "float32": (24, -149, 128),
           "float64": (53, -1074, 1024)}
EPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}
PART = {"complex64": "float32", "complex128": "float64"}


def part_name(dtype):
    return PART.get(np.dtype(dtype).name, np.dtype(dtype).name)


def eps(dtype):
    return EPS[part_name(dtype)]


def round_fraction(value, name):
    """The number of format `name` nearest to a rational, as a Python float."""
    if value == 0:
        return 0.0
    significand, unit, overflow = FORMATS[name]
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    step = Fraction(2) ** max(exponent - significand + 1, unit)
    rounded = round(magnitude / step) * step  # Python's round takes ties to even.
    result = float("inf") if rounded >= Fraction(2) ** overflow else float(rounded)
    return -result if value < 0 else result


def array_of(values, shape, dtype):
    """Python floats that the dtype holds exactly, as an array."""
    return np.array(values, np.float64).reshape(shape).astype(dtype)


def fraction_of(value):
    """An mpmath number as a rational."""
    sign, man, exp, _ = value._mpf_
    magnitude = Fraction(int(man)) * Fraction(2) ** int(exp)
    return -magnitude if sign else magnitude


# Values at 0, +inf and -inf; a sign of zero is kept where the value is "same".
ENDS = {"exp": (1.0, np.inf, 0.0), "exp2": (1.0, np.inf, 0.0), "expm1": ("same", np.inf, -1.0), "log": (-np.inf, np.inf, np.nan),
        "log1p": ("same", np.inf, np.nan), "sin": ("same", np.nan, np.nan),
        "cos": (1.0, np.nan, np.nan), "tanh": ("same", 1.0, -1.0)}


# What mpmath has no name for.
FUNCTIONS = {"exp2": lambda x: mpmath.power(2, x)}


def elementary(name, x, out):
    """A real elementary function of an array, correctly rounded to the dtype `out`."""
    at_zero, at_inf, at_minus_inf = ENDS[name]
    target = part_name(out)

    def one(value):
        value = float(value)
        if np.isnan(value):
            return value
        if np.isinf(value):
            return at_inf if value > 0 else at_minus_inf
        if value == 0:
            return value if at_zero == "same" else at_zero
        if name == "log" and value < 0 or name == "log1p" and value < -1:
            return np.nan
        if name == "log1p" and value == -1:
            return -np.inf
        if name in ("exp", "exp2", "expm1") and abs(value) > 1e4:
            return (np.inf if value > 0 else at_minus_inf)
        if name == "tanh" and abs(value) > 1e4:
            return float(np.copysign(1.0, value))
        # Near 1, log loses as many bits as the argument has: 1200 bits cover every double.
        with mpmath.workprec(1300):
            result = FUNCTIONS.get(name, getattr(mpmath, name, None))(mpmath.mpf(value))
            rounded = round_fraction(fraction_of(result), target)
        return float(np.copysign(rounded, -1.0)) if result < 0 and rounded == 0 else rounded

    return array_of([one(v) for v in np.asarray(x, np.float64).ravel()], np.shape(x), out)


def power(x, y, out):
    """x**y of floats, correctly rounded; the special values are those of IEEE 754."""
    target = part_name(out)

    def one(x, y):
        special = np.power(np.float64(x), np.float64(y))
        if x == 0 or x == 1 or y == 0 or not np.isfinite(x) or not np.isfinite(y):
            return float(special)
        if x < 0 and y != np.floor(y):
            return np.nan
        negative = x < 0 and y % 2 == 1
        size = y * np.log2(abs(x))
        if abs(size) > 5000:
            magnitude = np.inf if size > 0 else 0.0
        else:
            with mpmath.workprec(400):
                exact = mpmath.power(mpmath.mpf(abs(x)), mpmath.mpf(y))
                magnitude = round_fraction(fraction_of(exact), target)
        return -magnitude if negative else magnitude

    pairs = zip(np.asarray(x, np.float64).ravel(), np.asarray(y, np.float64).ravel())
    return array_of([one(float(a), float(b)) for a, b in pairs], np.shape(x), out)


def complex_function(name, x, out, y=None):
    """A complex function of finite numbers, each part correctly rounded."""
    target = part_name(out)
    functions = {"sqrt": mpmath.sqrt, "exp": mpmath.exp, "log": mpmath.log, "sin": mpmath.sin,
                 "cos": mpmath.cos, "tanh": mpmath.tanh,
                 "exp2": lambda z: mpmath.power(2, z), "expm1": lambda z: mpmath.exp(z) - 1,
                 "log1p": lambda z: mpmath.log(1 + z), "reciprocal": lambda z: 1 / z,
                 "sign": lambda z: z / abs(z) if z else z}

    def one(z, w):
        with mpmath.workprec(300):
            z = mpmath.mpc(complex(z))
            if name == "divide":
                value = z / mpmath.mpc(complex(w))
            elif name == "power":
                value = mpmath.power(z, mpmath.mpc(complex(w)))
            else:
                value = mpmath.mpc(functions[name](z))
            return complex(*(round_fraction(fraction_of(p), target) for p in (value.real, value.imag)))

    others = np.zeros_like(x) if y is None else y
    values = [one(z, w) for z, w in zip(np.ravel(x), np.ravel(others))]
    return np.array(values, np.complex128).reshape(np.shape(x)).astype(out)


def hypot(x, out):
    """|z| of complex numbers, correctly rounded."""
    def one(z):
        z = complex(z)
        if np.isinf(z.real) or np.isinf(z.imag):
            return np.inf
        if np.isnan(z.real) or np.isnan(z.imag):
            return np.nan
        with mpmath.workprec(1300):
            root = mpmath.sqrt(mpmath.mpf(z.real) ** 2 + mpmath.mpf(z.imag) ** 2)
            return round_fraction(fraction_of(root), part_name(out))

    return array_of([one(z) for z in np.ravel(x)], np.shape(x), out)


def root(value, name):
    """The square root of a rational, rounded once."""
    with mpmath.workprec(400):
        exact = mpmath.sqrt(mpmath.mpf(value.numerator) / value.denominator)
        return round_fraction(fraction_of(exact), name)


def as_fractions(array):
    """An array of finite numbers as rationals; complex numbers are pairs and not taken here."""
    flat = [Fraction(int(v)) if np.issubdtype(array.dtype, np.integer) or array.dtype == bool
            else Fraction(float(v)) for v in array.ravel()]
    out = np.empty(array.shape, object)
    out.ravel()[:] = flat
    return out


def parts(function, array, out, *args):
    """Applies an exact function to real and imaginary parts, and rounds to the dtype `out`."""
    name = part_name(out)

    def rounded(part):
        exact = np.asarray(function(as_fractions(part), *args))
        return np.array([round_fraction(Fraction(v), name) for v in exact.ravel()],
                        np.float64).reshape(exact.shape)

    if np.iscomplexobj(array):
        return (rounded(array.real) + 1j * rounded(array.imag)).astype(out)
    return rounded(array if array.dtype != BF16 else array.astype(np.float32)).astype(out)
