"""Several long rows, sorted: numbers that fill their dtype, and ones that differ in their lowest digits only, so that a sort by
digits has little to do and stops early.
"""

import numpy as np

from inputs import rng
from sorting import both

LENGTH = 4200


def cases(store):
    for dtype in ("int16", "int32", "int64", "float32"):
        for limit in (50, 60_000):
            if dtype == "int16" and limit > 50:
                continue
            rows = rng(f"long rows {dtype} {limit}").integers(0, limit, (2, LENGTH)).astype(dtype)
            both(store, f"long_rows/{dtype}/{limit}", rows, axis=1)
    rows = rng("long rows across").integers(0, 50, (LENGTH, 2)).astype(np.int32)
    both(store, "long_rows/across/int32/50", rows, axis=0)
