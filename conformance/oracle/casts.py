"""astype between all pairs of dtypes, of the values on which every platform agrees."""

from fractions import Fraction

import numpy as np

import exact
from inputs import ALL, BF16, COMPLEX, LIMITS, complex_specials, is_int, ordinary, specials
from store import View


def cases(store):
    for source in ALL:
        for target in ALL:
            x = values(source, target)
            store.add(f"cast/{source.name}_{target.name}", "astype", [x, target],
                      expected=convert(x, target))
    x = ordinary(np.dtype("float32"), 24).reshape(2, 3, 4)
    for label, argument in {
        "transposed": View(x, ("transpose", [2, 0, 1])),
        "negative": View(x, ("slice", [Ellipsis, slice(None, None, -2)])),
        "broadcast": View(x[0, :, :1], ("broadcast_to", [2, 3, 2])),
        "empty": View(x[:, :0]), "zero_d": View(x[0, 0, 0]),
    }.items():
        for target in ("float64", "int8", "float32", "float16"):
            store.add(f"cast/views/{label}/{target}", "astype", [argument, np.dtype(target)])
    rounding(store)


def values(source, target):
    if source in COMPLEX:
        x = np.concatenate([ordinary(source, 10), complex_specials(source)])
    else:
        x = np.concatenate([specials(source), ordinary(source, 10)])
    if source.kind in "biu" or not is_int(target):
        return x
    # From float to integer: what does not fit is the platform's.
    info, real = np.iinfo(target), np.real(x).astype(np.float64)
    with np.errstate(invalid="ignore"):
        fits = (np.trunc(real) >= info.min) & (np.trunc(real) < float(int(info.max) + 1))
    return x[fits]


def convert(x, target):
    if target != BF16 and x.dtype != BF16:
        return x.astype(target)
    if x.dtype == BF16:
        return x if target == BF16 else x.astype(np.float32).astype(target)
    return np.array([to_float(v, "bfloat16") for v in np.real(x).ravel()]).reshape(x.shape).astype(BF16)


def to_float(value, name):
    if isinstance(value, (np.integer, np.bool_)):
        return exact.round_fraction(Fraction(int(value)), name)
    value = float(value)
    if value == 0 or not np.isfinite(value):
        return value
    rounded = exact.round_fraction(Fraction(value), name)
    return float(np.copysign(rounded, value))


def rounding(store):
    """Values that come out wrong when they are rounded through float32 first."""
    for target in (np.dtype("float16"), BF16):
        significand = exact.FORMATS[target.name][0]
        tiny, normal, big, step = LIMITS[target.name]
        x = []
        for base in (1.0, 3.0, 1000.0, normal, big / 3):
            unit = 2.0 ** (np.floor(np.log2(base)) - significand + 1)
            for k in (0.5, 1.5, 2.5):
                for nudge in (0.0, 2.0**-40, -(2.0**-40)):
                    x.append(base + unit * (k + nudge))
        x += [tiny / 2, tiny * 0.5000001, tiny * (0.5 + 2.0**-40), tiny * 1.5, big + big * step / 4,
              big * (1 + step / 4 - 2.0**-45), normal - tiny / 2]
        x = np.array(x + [-v for v in x])
        expected = np.array([to_float(v, target.name) for v in x]).astype(target)
        store.add(f"cast/rounding/float64_{target.name}", "astype", [x, target], expected=expected,
                  note="rounds once")
        parts = (x + 1j).astype(np.complex128)
        store.add(f"cast/rounding/complex128_{target.name}", "astype", [parts, target], expected=expected,
                  note="rounds once")
    for source in ("int64", "uint64", "int32", "uint32"):
        width = np.dtype(source).itemsize * 8
        x = [2**k + 2 ** (k - 8) + d for k in (26, 28, 30) for d in (-1, 0, 1)]
        if width == 64:
            x += [2**k + 2 ** (k - 8) + d for k in (40, 53, 60, 62) for d in (-1, 0, 1)]
            x += [2**53 + 1, 2**53 + 3, 2**62 + 2**38 + 1, 2**62 + 2**9 + 1]
        x = np.array(x, source)
        for target in (BF16, np.dtype("float32"), np.dtype("float64")):
            expected = np.array([to_float(v, target.name) for v in x]).astype(target)
            store.add(f"cast/rounding/{source}_{target.name}", "astype", [x, target], expected=expected,
                      note="rounds once")
