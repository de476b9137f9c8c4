"""Rows that stand on formulas, apart from the first ones, which are in `elementwise`: logarithms to other
bases, angles, hyperbolic functions and their inverses, roots, logarithms of sums.

Values are correctly rounded by mpmath; NumPy says the dtypes, the refusals, and what becomes of zeros,
infinities and NaNs.
"""

import mpmath
import numpy as np

import exact
from arithmetic import bound, complex_bound, promote, widened
from inputs import (ALL, BOOL, COMPLEX, FLOATS, LIMITS, complex_specials, is_int, mixed, ordinary,
                    pairs, rng)
from store import BF16, EXACT, View, allclose, function, layouts

# Real and complex functions of mpmath.
REAL = {
    "log2": lambda x: mpmath.log(x, 2), "log10": mpmath.log10, "tan": mpmath.tan, "arcsin": mpmath.asin,
    "arccos": mpmath.acos, "arctan": mpmath.atan, "sinh": mpmath.sinh, "cosh": mpmath.cosh,
    "arcsinh": mpmath.asinh, "arccosh": mpmath.acosh, "arctanh": mpmath.atanh,
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "sinc": lambda x: mpmath.sinpi(x) / (mpmath.pi * x),
}
PLANE = {**REAL, "log2": lambda z: mpmath.log(z) / mpmath.log(2),
         "log10": lambda z: mpmath.log(z) / mpmath.log(10)}
UNBOUNDED = ("deg2rad", "rad2deg", "radians", "degrees")
BINARY = {
    "arctan2": mpmath.atan2, "hypot": mpmath.hypot,
    "logaddexp": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
    "logaddexp2": lambda x, y: mpmath.log(mpmath.power(2, x) + mpmath.power(2, y), 2),
}
# Thresholds, poles, ends of ranges, worst reductions.
EXTRA = {
    "log2": [0.99, 1.01, 0.999999, 2.0, 4.0, 8.0, 1024.0, 1e-3, 1e-30, 1e30, 0.7071, 1.4142, 60000.0],
    "log10": [0.99, 1.01, 0.999999, 10.0, 1000.0, 1e10, 1e22, 1e-3, 1e-30, 1e30, 0.7071, 1.4142, 60000.0],
    "tan": [3.1415927, 1.5707964, 0.7853982, 11.0, 355.0, 1e5, 1e10, 1e22, 2.0**100, 1e300, 1e-4, 1e-20],
    "arcsin": [0.49, 0.51, -0.51, 0.99, -0.999999, 1e-3, 1e-8, 1e-20],
    "arccos": [0.49, 0.51, -0.51, 0.99, -0.999999, 1e-3, 1e-8, 1e-20],
    "arctan": [0.414, 0.4143, 2.414, 2.4143, 1e-3, 1e-20, 1e10, -1e20, 1e300, -0.7],
    "sinh": [88.7, -89.4, 89.5, 709.7, 710.4, 710.5, 11.0, 11.8, 1e-3, 1e-8, 0.3, 1.1],
    "cosh": [88.7, -89.4, 89.5, 709.7, 710.4, 710.5, 11.0, 11.8, 1e-3, 1e-8, 0.3, 1.1],
    "arcsinh": [0.35, 0.36, -0.1, 1e-3, 1e-8, 1e-20, 1e10, 1e18, 2e18, 1e30, -1e300],
    "arccosh": [1.001, 1.0000002, 1.06, 1.07, 10.0, 1e10, 1e18, 2e18, 1e300],
    "arctanh": [0.17, 0.172, -0.9, 0.999, 0.9999999, 1e-3, 1e-8, 1e-20],
    "cbrt": [8.0, 27.0, -64.0, 0.125, 0.35, 2.83, 1e-30, 1e30, -1e300, 60000.0],
    "sinc": [0.25, 0.75, -1.25, 3.5, 1e-3, 1e-8, 1e-20, 100.25, 1000.5],
    **{name: [180.0, 90.0, 3.1415927, 1e-3, 360.0, 1e30] for name in UNBOUNDED},
}


def cases(store):
    for name in EXTRA:
        for dtype in ALL:
            unary(store, name, dtype)
        views(store, name)
    for name in (*BINARY, "float_power"):
        for dtype in ALL:
            binary(store, name, dtype)
        binary_views(store, name)
    whole_sinc(store)
    angles(store)


def one(special, evaluate, arguments, target):
    """A value: NumPy's where that is no ordinary number or comes of none, else mpmath's, rounded."""
    arguments = [float(x) for x in arguments]
    with np.errstate(all="ignore"):
        plain = float(special(*map(np.float64, arguments)))
    if plain == 0 or not np.isfinite(plain) or any(x == 0 or not np.isfinite(x) for x in arguments):
        return exact.round_fraction(exact.Fraction(plain), target) if np.isfinite(plain) and plain else plain
    with mpmath.workprec(1300):
        result = mpmath.mpf(evaluate(*map(mpmath.mpf, arguments)))
        rounded = exact.round_fraction(exact.fraction_of(result), target)
    return float(np.copysign(rounded, plain)) if rounded == 0 else rounded


def real(name, table, arrays, out):
    target = exact.part_name(out)
    arrays = np.broadcast_arrays(*(np.asarray(array, np.float64) for array in arrays))
    values = [one(getattr(np, name), table[name], row, target) for row in zip(*map(np.ravel, arrays))]
    return exact.array_of(values, arrays[0].shape, out)


def plane(name, x, out):
    target = exact.part_name(out)

    def point(z):
        with mpmath.workprec(1300):
            value = mpmath.mpc(PLANE[name](mpmath.mpc(complex(z))))
            return complex(*(exact.round_fraction(exact.fraction_of(p), target) for p in (value.real, value.imag)))

    return np.array([point(z) for z in np.ravel(x)], np.complex128).reshape(np.shape(x)).astype(out)


def apply(name, *arrays):
    """The result and its tolerance, or NumPy's refusal."""
    arrays = [np.asarray(array) for array in arrays]
    common = promote(*(array.dtype for array in arrays))
    arrays = [widened(array) for array in arrays]
    try:
        result = function(f"np.{name}")(*arrays)
    except TypeError as error:
        return error, EXACT
    out = BF16 if common == BF16 and result.dtype == np.float32 else result.dtype
    if name in UNBOUNDED:
        return result.astype(out), EXACT
    arrays = [array.astype(out) for array in arrays]
    if name == "float_power":
        x, y = np.broadcast_arrays(*arrays)
        if out.kind == "c":
            return exact.complex_function("power", x, out, y), complex_bound(out)
        return exact.power(x, y, out), bound(out)
    if out.kind == "c":
        tolerance = allclose(16 * exact.eps(out), 8 * exact.eps(out)) if name == "sinc" else complex_bound(out)
        return plane(name, arrays[0], out), tolerance
    return real(name, BINARY if name in BINARY else REAL, arrays, out), bound(out)


def add(store, id, name, *arguments):
    values = [a.apply() if isinstance(a, View) else a for a in arguments]
    expected, tolerance = apply(name, *values)
    store.add(id, f"np.{name}", list(arguments), expected=expected, tolerance=tolerance)


def domain(name, x):
    """Without what has a case of its own."""
    if name == "sinc":
        with np.errstate(all="ignore"):
            return x[(x == 0) | (x != np.floor(widened(x))) | ~np.isfinite(widened(x))] if x.dtype.kind != "c" else x
    return x


def unary(store, name, dtype):
    id = f"elementary/np.{name}/{dtype.name}"
    x = mixed(dtype)
    if dtype in FLOATS:
        extra = np.array(EXTRA[name])
        x = np.concatenate([x, extra[np.abs(extra) < LIMITS[dtype.name][2]].astype(dtype)])
    if dtype == BOOL or is_int(dtype):
        # What a format of 64 bits cannot tell from its neighbours says nothing about a tangent.
        x = x[np.abs(x.astype(float)) < 1e15]
    x = domain(name, x)
    add(store, id, name, x)
    if dtype not in COMPLEX or name == "cbrt" or name in UNBOUNDED:
        return
    g = rng(f"points {name}")
    corner = np.array([1, -1, 1j, -1j])
    near = np.repeat(corner, 3) * (1 + g.uniform(-0.01, 0.01, 12)) + (0.01 + 0.01j) * g.uniform(-1, 1, 12) ** 3
    small = (g.uniform(-1, 1, 6) + 1j * g.uniform(-1, 1, 6)) * 1e-4
    add(store, f"{id}/near_points", name, np.concatenate([near, small]).astype(dtype))
    if name == "sinc":
        return
    z = complex_specials(dtype)
    result = getattr(np, name)(z)
    # Beside a NaN, C99 leaves the signs of zeros and infinities open.
    keep = ~((np.isnan(z.real) | np.isnan(z.imag) | np.isnan(result.real) | np.isnan(result.imag))
             & (np.isinf(result.real) | np.isinf(result.imag)))
    store.add(f"{id}/specials", f"np.{name}", [z[keep]], expected=result[keep],
              tolerance=allclose(16 * exact.eps(dtype), 4 * exact.eps(dtype)))


def views(store, name):
    base = ordinary(np.dtype("float32"), 60, "views").reshape(3, 4, 5)
    if name.startswith("log"):
        base = np.abs(base)
    if name in ("arcsin", "arccos", "arctanh"):
        base = base / np.float32(4.5)
    if name == "arccosh":
        base = np.abs(base) + np.float32(1)
    id = f"elementary_views/np.{name}"
    more = {"zero_d": View(base[0, 0, 0]), "empty": View(base[:, :0]), "one": View(base[:1, :1, :1])}
    for label, view in {**layouts(base), **more}.items():
        add(store, f"{id}/{label}", name, view)


def positive_sum(name, x, y):
    """Pairs whose sum of powers is not near 1, where all that is promised is an absolute error."""
    large = np.maximum(widened(x).astype(float), widened(y).astype(float))
    return (large >= 0) | (large < -20) | ~np.isfinite(large)


def binary(store, name, dtype):
    x, y = pairs(dtype)
    if dtype not in COMPLEX and name.startswith("logaddexp"):
        keep = positive_sum(name, x, y)
        x, y = x[keep], y[keep]
    if dtype == BOOL or is_int(dtype):
        keep = (np.abs(x.astype(float)) < 1e15) & (np.abs(y.astype(float)) < 1e15)
        x, y = x[keep], y[keep]
    add(store, f"elementary/np.{name}/{dtype.name}", name, x, y)
    if dtype == np.dtype("float32"):
        for other in (BOOL, np.dtype("int8"), np.dtype("int32"), np.dtype("float16"), BF16, np.dtype("float64")):
            add(store, f"elementary/np.{name}/mixed/{other.name}", name, np.abs(ordinary(dtype, 8)),
                ordinary(other, 8))
        store_weak(store, name, np.abs(ordinary(dtype, 8)))


def store_weak(store, name, x):
    out = np.dtype("float64" if name == "float_power" else "float32")
    expected, tolerance = apply(name, x.astype(out), np.full(8, 1.5, out))
    store.add(f"elementary/np.{name}/weak", f"np.{name}", [x, 1.5], expected=expected, tolerance=tolerance)


def binary_views(store, name):
    base = np.abs(ordinary(np.dtype("float32"), 60, "left").reshape(3, 4, 5))
    other = ordinary(np.dtype("float32"), 60, "right").reshape(5, 3, 4)
    id, backward = f"elementary_views/np.{name}", slice(None, None, -1)
    for label, left, right in [
        ("transposed", View(base), View(other, ("transpose", [1, 2, 0]))),
        ("negative", View(base, ("slice", [backward, slice(None, None, 2), backward])),
         View(other, ("transpose", [1, 2, 0]), ("slice", [slice(None), slice(0, None, 2)]))),
        ("row_column", View(base[:, :1, 0]), View(other[0, 0])),
        ("broadcast", View(base[0, :, :1], ("broadcast_to", [4, 3])),
         View(other[0, :, 0], ("slice", [backward]))),
        ("empty", View(base[:, :0, :1]), View(other[:, 0, 0])),
        ("zero_d", View(base[0, 0, 0]), View(other[0, 0, 0])),
    ]:
        add(store, f"{id}/{label}", name, left, right)
    store.add(f"{id}/do_not_broadcast", f"np.{name}", [base, other])


def whole_sinc(store):
    """Whole numbers, where sinc is zero and NumPy's, of a rounded π, nearly so."""
    for dtype in [*FLOATS, np.dtype("int8"), np.dtype("int64")]:
        x = np.array([1, 2, -3, 4, 100], dtype)
        out = BF16 if dtype == BF16 else np.sinc(x).dtype
        store.add(f"elementary/np.sinc/{dtype.name}/whole", "np.sinc", [x], expected=np.zeros(5, out),
                  tolerance=allclose(0, exact.eps(out)))


def angles(store):
    """np.angle, which is arctan2 of the parts, in radians or degrees."""
    for dtype in [d for d in ALL if d != BOOL]:
        x = complex_specials(dtype) if dtype in COMPLEX else mixed(dtype)
        x = x[np.isfinite(widened(x).real) & np.isfinite(widened(x).imag)]
        for degrees in (False, True):
            result = np.angle(widened(x), deg=degrees)
            out = BF16 if dtype == BF16 else result.dtype
            kwargs = {"deg": degrees} if degrees else {}
            store.add(f"angle/{dtype.name}/{'degrees' if degrees else 'radians'}", "np.angle", [x], kwargs,
                      expected=result.astype(out), tolerance=allclose(4 * exact.eps(out), 4 * exact.eps(out)))
    z = ordinary(np.dtype("complex64"), 12).reshape(3, 4)
    for label, view in {"transposed": View(z, ("transpose", [1, 0])), "empty": View(z[:0]),
                        "zero_d": View(z[0, 0]), "negative": View(z, ("slice", [slice(None, None, -1)]))}.items():
        store.add(f"angle/views/{label}", "np.angle", [view],
                  tolerance=allclose(4 * exact.eps(z.dtype), 4 * exact.eps(z.dtype)))
