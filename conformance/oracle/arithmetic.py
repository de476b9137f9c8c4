"""Elementwise operations as the design defines them, where NumPy has no dtype or a platform's freedom.

bfloat16 computes in float32 and rounds once; complex products are (ac - bd, ad + bc) without fusing;
elementary functions are correctly rounded. Everything else is NumPy's own.
"""

import numpy as np

import exact
from inputs import is_int
from store import BF16, EXACT, allclose, function, ulp

ELEMENTARY = ("exp", "exp2", "log", "log1p", "expm1", "sin", "cos", "tanh")
COMPLEX_BOUNDED = ELEMENTARY + ("sqrt", "reciprocal", "sign", "divide", "power")


def promote(*dtypes):
    """NumPy's promotion, with bfloat16 where float16 of the same width stands (as ml_dtypes does)."""
    result = dtypes[0]
    for dtype in dtypes[1:]:
        if BF16 not in (result, dtype) or result == dtype:
            result = np.promote_types(result, dtype)
            continue
        other = dtype if result == BF16 else result
        if other == bool or is_int(other) and other.itemsize == 1:
            result = BF16
        elif other == np.float16 or is_int(other) and other.itemsize == 2:
            result = np.dtype(np.float32)
        elif is_int(other):
            result = np.dtype(np.float64)
        else:
            result = other
    return result


class Refused(Exception):
    """NumPy's own refusal, apart from mistakes of this generator."""


def widened(array):
    return array.astype(np.float32) if array.dtype == BF16 else array


def apply(op, *arrays):
    """The result of an elementwise operation on arrays, and its tolerance; exceptions are raised."""
    name = op.removeprefix("np.")
    arrays = [np.asarray(array) for array in arrays]
    common = promote(*(array.dtype for array in arrays))
    if any(array.dtype == BF16 for array in arrays):
        arrays = [widened(array.astype(common)) if common == BF16 else array.astype(common)
                  for array in map(widened, arrays)]
    try:
        result = function(op)(*arrays)
    except Exception as error:
        raise Refused from error
    out = BF16 if common == BF16 and result.dtype == np.float32 else result.dtype
    if out.kind == "c" and name in COMPLEX_BOUNDED:
        values = [array.astype(out) for array in np.broadcast_arrays(*arrays)]
        return exact.complex_function(name, values[0], out, *values[1:]), complex_bound(out)
    if name == "absolute" and common.kind == "c":
        return exact.hypot(arrays[0], out), allclose(4 * exact.eps(out), 0)
    if out.kind == "c" and name in ("multiply", "square"):
        return product(arrays[0].astype(out), arrays[-1].astype(out)), EXACT
    if name in ELEMENTARY:
        return exact.elementary(name, arrays[0].astype(out), out), bound(out)
    if name == "power" and out.kind not in "biu":
        x, y = np.broadcast_arrays(*(array.astype(out) for array in arrays))
        return exact.power(x, y, out), bound(out)
    return result.astype(out), EXACT


def bound(dtype):
    return ulp(2 if dtype.itemsize > 2 else 1)


def complex_bound(dtype):
    return allclose(16 * exact.eps(dtype), 4 * exact.eps(dtype))


def product(a, b):
    """Complex products, part by part: NumPy's vector loops may fuse, which the design forbids."""
    a, b = np.broadcast_arrays(a, b)
    out = np.empty(a.shape, a.dtype)
    out.real = a.real * b.real - a.imag * b.imag
    out.imag = a.real * b.imag + a.imag * b.real
    return out


def add(store, id, op, *arguments, arrays=None, note=None):
    """A case of an elementwise operation; `arrays` are the values when the arguments are views."""
    values = [a.apply() if hasattr(a, "apply") else a for a in arguments] if arrays is None else arrays
    try:
        expected, tolerance = apply(op, *values)
    except Refused as refusal:
        expected, tolerance = refusal.__cause__, EXACT
    store.add(id, op, list(arguments), expected=expected, tolerance=tolerance, note=note)
