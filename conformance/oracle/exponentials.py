"""logsumexp, softmax and log_softmax of SciPy: dtypes, axes, layouts, infinities and NaNs.

Values of finite elements come from mpmath. SciPy says dtypes, errors, and what becomes of infinities, NaNs and no elements.
SciPy's softmax of narrow and unsigned integers wraps, so integers are those of 32 and 64 bits; bool and they count as float64.
"""

import mpmath
import numpy as np
import scipy.special

import exact
from inputs import ALL, BF16, COMPLEX, FLOATS, ordinary
from store import View, allclose, layouts

F32 = np.dtype("float32")
NAMES = ("logsumexp", "softmax", "log_softmax")
INTS = [np.dtype(name) for name in ("int32", "int64")]


def cases(store):
    for name in NAMES:
        for dtype in ALL:
            if dtype in FLOATS or dtype in INTS or dtype in COMPLEX or name == "logsumexp":
                by_dtype(store, name, dtype)
        views(store, name)
        extremes(store, name)
    store.add("exponentials/logsumexp/empty", "sp.special.logsumexp", [np.zeros((0, 3))], {"axis": 0},
              expected=np.full(3, -np.inf))
    for name in NAMES[1:]:
        store.add(f"exponentials/{name}/empty", f"sp.special.{name}", [np.zeros((0, 3))], {"axis": 0}, expected=ValueError())
    for name in NAMES:
        store.add(f"exponentials/{name}/no_axis", f"sp.special.{name}", [np.zeros((2, 3))], {"axis": 2},
                  expected=np.exceptions.AxisError(2, 2))


def by_dtype(store, name, dtype):
    x = ordinary(dtype, 24, name).reshape(2, 3, 4)
    if dtype in COMPLEX:
        if name != "softmax":
            store.add(f"exponentials/{name}/{dtype.name}", f"sp.special.{name}", [x], expected=TypeError())
        return
    for label, axis in {"all": None, "first": 0, "last": -1, "two": (0, 2)}.items():
        add(store, f"exponentials/{name}/{dtype.name}/{label}", name, x, axis=axis)


def views(store, name):
    base = ordinary(F32, 60, "layouts").reshape(3, 4, 5)
    for label, view in layouts(base).items():
        add(store, f"exponentials/{name}/{label}", name, view, axis=1)
    add(store, f"exponentials/{name}/zero_d", name, np.array(1.5), axis=None)
    if name == "logsumexp":
        add(store, "exponentials/logsumexp/keepdims", name, base, axis=(0, 1), keepdims=True)
    for dtype in (F32, np.dtype("float64")):
        far = np.array([[-1e4, -1e4, -1e4], [700.0, 710.0, -700.0], [0.0, -80.0, -900.0], [3e4, 1.0, 3e4]], dtype)
        add(store, f"exponentials/{name}/far/{dtype.name}", name, far, axis=1)


def extremes(store, name):
    rows = np.array([[np.inf, 1.0], [-np.inf, 1.0], [-np.inf, -np.inf], [np.inf, np.inf], [np.nan, 1.0], [1.0, np.nan],
                     [np.inf, -np.inf], [np.nan, np.inf]])
    for dtype in (F32, np.dtype("float64")):
        given = rows.astype(dtype)
        with np.errstate(all="ignore"):
            expected = getattr(scipy.special, name)(given, axis=1)
        store.add(f"exponentials/{name}/extremes/{dtype.name}", f"sp.special.{name}", [given], {"axis": 1}, expected=expected,
                  tolerance=allclose(4 * exact.eps(dtype), 4 * exact.eps(dtype)))


def add(store, id, name, array, axis, **kwargs):
    value = array.apply() if isinstance(array, View) else array
    out = value.dtype if value.dtype in FLOATS else np.dtype("float64")
    rows = value.astype(np.float64)
    axes = tuple(range(value.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    kept = [a for a in range(value.ndim) if a not in [b % value.ndim for b in axes]]
    reduced = [a % value.ndim for a in axes]
    moved = rows.transpose(kept + reduced)
    lines = moved.reshape(int(np.prod([value.shape[a] for a in kept], dtype=int)), -1)
    target = exact.part_name(out)

    def rounded(number):
        return exact.round_fraction(exact.fraction_of(mpmath.mpf(number)), target)

    results, logarithm = [], 0.0
    with mpmath.workprec(400):
        for line in lines:
            numbers = [mpmath.mpf(float(x)) for x in line]
            total = mpmath.log(mpmath.fsum(mpmath.exp(x) for x in numbers))
            logarithm = max(logarithm, abs(float(total) - max(float(x) for x in numbers)))
            if name == "logsumexp":
                results.append(rounded(total))
            else:
                shifted = [x - total for x in numbers]
                results += [rounded(mpmath.exp(x) if name == "softmax" else x) for x in shifted]
    if name == "logsumexp":
        shape = [value.shape[a] for a in kept]
        if kwargs.get("keepdims"):
            shape = [1 if a in reduced else n for a, n in enumerate(value.shape)]
        expected = exact.array_of(results, shape, out)
    else:
        back = np.argsort(kept + reduced) if value.ndim else []
        expected = exact.array_of(results, moved.shape, out).transpose(back)
    count, eps = lines.shape[1], exact.eps(out)
    if name == "softmax":
        # An exponential takes over the error of the difference that is its argument, where it does not underflow.
        spread = min(max(float(line.max() - line.min()) for line in lines), 750.0)
        tolerance = allclose(eps * (4 + count + spread / 2), np.finfo(F32 if out == BF16 else out).tiny)
    else:
        # Each combination of two partial sums rounds three times, and the logarithm is added to the largest element.
        tolerance = allclose(2 * eps, eps * (3 * count + logarithm))
    store.add(id, f"sp.special.{name}", [array], {"axis": axis, **kwargs}, expected=expected, tolerance=tolerance)
