"""Several rows of 33 to 128 elements: more than one warp takes together, less than a block would.

The lengths are where a device goes from one way of sharing rows out to the next: a warp, two, a block, with one
element too many and one missing. The numbers are random, so that every order of additions rounds otherwise; the
expected values are exact sums with a bound, and equal bits are what a run against `reference` demands.
"""

import numpy as np

import reductions
from inputs import BF16, BOOL, INTS, ordinary, rng
from sorting import both
from store import View

F16, F32, F64 = (np.dtype(n) for n in ("float16", "float32", "float64"))
C64 = np.dtype("complex64")
LENGTHS = (33, 63, 64, 65, 100, 127, 128)
ROWS = 5
NAMES = reductions.ROUNDED + ("min", "max", "argmin", "argmax")


def factors(dtype, count):
    """Numbers near 1, a hundred of which make a product that every dtype holds."""
    return rng(f"factors {dtype.name}").uniform(0.8, 1.2, count).astype(dtype)


def matrix(name, dtype, length, axis):
    """The rows along an axis: side by side, or one below the other."""
    count = ROWS * length
    values = factors(dtype, count) if name == "prod" and dtype.kind == "f" else ordinary(dtype, count, "rows")
    return values.reshape((ROWS, length) if axis else (length, ROWS))


def every(store, label, dtype, length, axis, names):
    for name in names:
        reductions.add(store, f"short_rows/np.{name}/{label}", name, matrix(name, dtype, length, axis), axis=axis)


def cases(store):
    for length in LENGTHS:
        for axis in (0, 1):
            label = f"float32/{length}/axis={axis}"
            every(store, label, F32, length, axis, NAMES)
            rows = matrix("", F32, length, axis)
            reductions.scan(store, f"short_rows/np.cumsum/{label}", rows, axis=axis)
            both(store, f"short_rows/{label}", rows, axis=axis)
            # Twice the same numbers: what comes first of equal ones shows.
            both(store, f"short_rows/ties/{label}", np.rint(rows), axis=axis)
    for length in (65, 100):
        for dtype in (F64, F16, BF16, C64, np.dtype("int32"), np.dtype("uint8")):
            names = ("sum", "min", "argmax", "mean") if dtype in INTS else ("sum", "max", "argmin", "var")
            every(store, f"{dtype.name}/{length}/axis=1", dtype, length, 1, names)
            rows = matrix("", dtype, length, 1)
            reductions.scan(store, f"short_rows/np.cumsum/{dtype.name}/{length}", rows, axis=1)
            both(store, f"short_rows/{dtype.name}/{length}", rows, axis=1)
    # A row more than blocks of whole teams take, and rows that do not lie side by side.
    many = ordinary(F32, 67 * 65, "many").reshape(67, 65)
    padded = View(ordinary(F32, 7 * 130, "padded").reshape(7, 130), ("slice", [slice(None), slice(1, 129, 2)]))
    backward = View(ordinary(F32, 7 * 65, "backward").reshape(7, 65), ("slice", [slice(None), slice(None, None, -1)]))
    mask = ordinary(BOOL, 7 * 65, "mask").reshape(7, 65)
    mask[:, 3] = True
    for name in NAMES:
        reductions.add(store, f"short_rows/np.{name}/many", name, many, axis=1)
        reductions.add(store, f"short_rows/np.{name}/every_second", name, padded, axis=1)
        reductions.add(store, f"short_rows/np.{name}/backward", name, backward, axis=1)
        if name not in ("argmin", "argmax", "min", "max", "prod"):
            reductions.add(store, f"short_rows/np.{name}/where", name, backward, axis=1, where=mask)
    for name in ("any", "all"):
        reductions.add(store, f"short_rows/np.{name}", name, mask, axis=1)
    reductions.scan(store, "short_rows/np.cumsum/many", many, axis=1)
    both(store, "short_rows/many", many, axis=1)
