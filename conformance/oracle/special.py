"""Special functions: erf, erfc, gamma, gammaln, i0, exp10, expit, logit, entr, xlogy, xlog1py, and SciPy's names of
what NumPy has too.

Values are correctly rounded by mpmath; SciPy says the dtypes and what becomes of zeros, infinities, NaNs
and poles. Inputs of 16 bits become what SciPy's loops take: float16 float64, and bfloat16, which SciPy does
not know, float32.
"""

import mpmath
import numpy as np
import scipy.special

import exact
from elementary import one
from inputs import ALL, COMPLEX, FLOATS, LIMITS, is_int, mixed, ordinary, pairs
from store import BF16, View, allclose, layouts, ulp

BF32 = np.dtype("float32")
# Function and bound in units of the last place.
UNARY = {
    "erf": (mpmath.erf, 1), "erfc": (mpmath.erfc, 2), "gamma": (mpmath.gamma, 2),
    "gammaln": (lambda x: mpmath.loggamma(x).real, None),
    "expit": (lambda x: 1 / (1 + mpmath.exp(-x)), 2), "logit": (lambda x: mpmath.log(x / (1 - x)), 2),
    "i0": (lambda x: mpmath.besseli(0, x), 3), "log1p": (mpmath.log1p, 1), "expm1": (mpmath.expm1, 1),
    "exp2": (lambda x: mpmath.power(2, x), 1), "exp10": (lambda x: mpmath.power(10, x), 1),
    "cbrt": (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), 1), "entr": (lambda x: -x * mpmath.log(x), 3),
}
BINARY = {"xlogy": (lambda x, y: x * mpmath.log(y), 3), "xlog1py": (lambda x, y: x * mpmath.log1p(y), 3)}
EXTRA = {
    "erf": [0.99, 1.01, -0.3, 1e-3, 1e-8, 1e-20, 3.9, 4.1, 5.9, 6.1],
    "erfc": [0.49, 0.51, -0.51, -5.0, 9.0, 9.3, 10.05, 10.1, 26.0, 26.6, 27.2, 27.3, 1e-8],
    "gamma": [1e-3, 1.46, 4.5, 8.5, 33.5, 35.04, 35.1, 170.5, 171.6, 171.7, -0.5, -1.5, -33.5, -40.5, -170.5,
              -180.5, -190.5, 1e-40, 1e-30],
    "gammaln": [1e-3, 1.0001, 0.999, 1.46, 1.9, 2.01, 8.5, 1000.0, 1e10, 1e30, 1e300, -0.5, -1.5, -33.5, -100.25,
                1e-40],
    "expit": [-87.0, -88.0, -103.0, -708.0, -745.0, 20.0, 40.0, 1e-8],
    "entr": [1e-3, 0.367, 0.368, 0.9999, 1.0001, 1e-8, 1e-30, 1e30, -1e-30],
    "logit": [0.24, 0.26, 0.5001, 0.74, 0.76, 0.999, 1e-8, 1e-30],
    "i0": [1e-4, 7.99, 8.01, 11.99, 12.01, 87.0, 88.0, 91.5, 92.5, 700.0, 709.0, 716.0, -3.0],
}


def result_dtype(*dtypes):
    """What SciPy's loops return: f32 of f32 alone, f64 of everything else."""
    common = np.result_type(*(BF32 if d == BF16 else d for d in dtypes))
    return BF32 if common == BF32 else np.dtype("float64")


def values(name, arrays, out):
    function, bound = (UNARY.get(name) or BINARY[name])
    arrays = np.broadcast_arrays(*(np.asarray(a, np.float64) for a in arrays))
    target = exact.part_name(out)
    found = [one(getattr(scipy.special, name), function, row, target) for row in zip(*map(np.ravel, arrays))]
    # Of negative numbers, log |gamma| has zeros where only the absolute error is small.
    tolerance = allclose(8 * exact.eps(out), 4 * exact.eps(out)) if bound is None else ulp(bound)
    return exact.array_of(found, arrays[0].shape, out), tolerance


def add(store, id, name, *arguments):
    arrays = [np.asarray(a.apply() if isinstance(a, View) else a) for a in arguments]
    out = result_dtype(*(a.dtype for a in arrays))
    expected, tolerance = values(name, [a.astype(out) for a in arrays], out)
    store.add(id, f"sp.special.{name}", list(arguments), expected=expected, tolerance=tolerance)


def small(name, x):
    """Without what mpmath needs too long for, or what overflows by far."""
    wide = np.abs(x.astype(np.float64))
    return x[(wide < 1e4) | ~np.isfinite(wide)] if name in ("gamma", "i0", "erfc") or is_int(x.dtype) else x


def cases(store):
    for name in UNARY:
        for dtype in ALL:
            unary(store, name, dtype)
        views(store, name)
    for name in BINARY:
        for dtype in ALL:
            if dtype in COMPLEX:
                continue
            x, y = pairs(dtype)
            step = max(1, len(x) // 90)
            add(store, f"special/{name}/{dtype.name}", name, x[::step], y[::step])
        base = np.abs(ordinary(np.dtype("float32"), 12)).reshape(3, 4)
        add(store, f"special/{name}/broadcast", name, View(base, ("transpose", [1, 0])),
            np.array([0.5, 2.0, 3.0], "float32"))
        add(store, f"special/{name}/mixed", name, base, np.array([1, 2, 3, 4], "int8"))
    numpy_i0(store)


def unary(store, name, dtype):
    id = f"special/{name}/{dtype.name}"
    if dtype in COMPLEX:
        if name in ("expit", "logit", "i0", "gammaln", "cbrt", "exp2", "exp10", "entr"):
            store.add(id, f"sp.special.{name}", [ordinary(dtype, 3)], expected=TypeError())
        return
    x = small(name, mixed(dtype))
    if name == "gammaln" and dtype == np.dtype("float64"):
        # SciPy overflows on the way.
        x = x[(x == 0) | ~(np.abs(x) < 1e-308)]
    if dtype in FLOATS and name in EXTRA:
        extra = np.array(EXTRA[name])
        x = np.concatenate([x, extra[np.abs(extra) < LIMITS[dtype.name][2]].astype(dtype)])
    add(store, id, name, x)


def views(store, name):
    base = ordinary(np.dtype("float32"), 60, "views").reshape(3, 4, 5)
    if name == "logit":
        base = np.abs(base) / np.float32(4.5)
    if name in ("log1p", "gamma", "gammaln"):
        base = np.abs(base)
    for label, view in {**layouts(base, base[:, :2]), "zero_d": View(base[0, 0, 0]), "empty": View(base[:, :0])}.items():
        add(store, f"special_views/{name}/{label}", name, view)


def numpy_i0(store):
    """np.i0 keeps 16-bit floats, and takes integers as float64."""
    for dtype in ALL:
        if dtype in COMPLEX:
            store.add(f"special/np.i0/{dtype.name}", "np.i0", [ordinary(dtype, 3)], expected=TypeError())
            continue
        x = small("i0", mixed(dtype))
        out = dtype if dtype in FLOATS else np.dtype("float64")
        expected = values("i0", [x.astype(out)], out)[0]
        store.add(f"special/np.i0/{dtype.name}", "np.i0", [x], expected=expected,
                  tolerance=ulp(3 if out.itemsize > 2 else 1))
