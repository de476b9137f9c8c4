"""Cases of one special function: values by mpmath, rounded once, on points that the parts `sf_*` name.

A point at which an operand or SciPy's result is zero, infinite or no number has SciPy's value, unless the part states its
own. f32 is the same function of operands that are rounded to f32.
"""

import mpmath
import numpy as np
import scipy.special

import exact
from inputs import rng
from store import allclose, ulp

# Ends the name of what a function returns with `derivative=True`.
DERIVATIVE = "_derivative"
F32, F64 = np.dtype("float32"), np.dtype("float64")


def uniform(name, low, high, count):
    return rng(f"sf {name}").uniform(low, high, count)


def logarithmic(name, low, high, count):
    """Points whose logarithms are uniform; `low` and `high` are positive."""
    return np.exp(rng(f"sf {name} log").uniform(np.log(low), np.log(high), count))


def beside(*edges):
    """Each edge of a region, and its neighbours in f64."""
    return np.concatenate([[np.nextafter(e, -np.inf), e, np.nextafter(e, np.inf)] for e in map(float, edges)])


def scipys(name):
    """SciPy's function of floats, with whole degrees as integers."""
    if name.endswith(DERIVATIVE):
        own = getattr(scipy.special, name.removesuffix(DERIVATIVE))
        return lambda n, z: own(np.asarray(n).astype(np.int64), z, derivative=True)
    found = getattr(scipy.special, name, None)
    if name == "comb_with_repetition":
        return lambda n, k: scipy.special.comb(n, k, repetition=True)
    if name.startswith("factorial"):
        whole = name != "factorial"
        return np.vectorize(lambda n, *k: float(found(int(n) if whole else n, *map(int, k))), otypes=[np.float64])
    if name in ("jvp", "yvp", "ivp", "kvp", "multigammaln"):
        # The last operand is one integer.
        return np.vectorize(lambda *x: found(*x[:-1], int(x[-1])), otypes=[np.float64])
    if name in ("eval_hermite", "eval_hermitenorm", "yn", "kn", "spherical_yn", "smirnov", "smirnovi"):
        return lambda n, x: found(np.asarray(n).astype(np.int64), x)
    if name in ("assoc_legendre_p", "sph_legendre_p"):
        return lambda n, m, z: found(np.asarray(n).astype(np.int64), np.asarray(m).astype(np.int64), z)[0]
    return found


def value(name, evaluate, arguments, own, digits):
    """The exact value, rounded to f64: one for each result."""
    arguments = [float(x) for x in arguments]
    with mpmath.workdps(digits):
        stated = own(*arguments) if own else None
    if stated is not None:
        return list(np.atleast_1d(np.asarray(stated, np.float64)))
    with np.errstate(all="ignore"):
        plain = np.atleast_1d(np.asarray(scipys(name)(*map(np.float64, arguments)), np.float64))
    if any(x == 0 or not np.isfinite(x) for x in arguments) or not np.all(np.isfinite(plain)) or np.any(plain == 0):
        return list(plain)
    with mpmath.workdps(digits):
        found = evaluate(*map(mpmath.mpf, arguments))
        found = found if isinstance(found, (tuple, list)) else [found]
        return [mpmath.mpf(part.real if isinstance(part, mpmath.mpc) else part) for part in found]


def rounded(part, target):
    if isinstance(part, float) or not isinstance(part, mpmath.mpf):
        part = float(part)
        return exact.round_fraction(exact.Fraction(part), target) if np.isfinite(part) and part else part
    return exact.round_fraction(exact.fraction_of(part), target)


def function(store, name, evaluate, points, bound, own=None, digits=40, absolute=None, plane=False, note=None):
    """Cases `special/NAME/float64` and `special/NAME/float32`.

    `points` is a list of tuples of arrays, one array for each operand, which broadcast. `bound` is in units of the last place in
    f64; in f32 it is 1, or `bound` where SciPy's own f32 is not the rounded f64. `note` says which points these are, where a function has several sets. `absolute` adds an absolute error, for functions
    with zeros: the tolerance is then `bound` eps relative and `absolute` absolute. `own(*arguments)` states a value, or None.
    """
    columns = [np.broadcast_arrays(*(np.asarray(x, np.float64) for x in operands)) for operands in points]
    operands = [np.concatenate([np.ravel(column[k]) for column in columns]) for k in range(len(columns[0]))]
    for dtype in (F64, F32):
        with np.errstate(all="ignore"):
            typed = [x.astype(dtype) for x in (operands if dtype == F64 else [x[::3] for x in operands])]
        wide = [x.astype(np.float64) for x in typed]
        found = [value(name, evaluate, row, own, digits) for row in zip(*wide)]
        target = exact.part_name(dtype)
        results = [exact.array_of([rounded(row[k], target) for row in found], (len(found),), dtype)
                   for k in range(len(found[0]))]
        limit = bound if dtype == F64 else 1
        eps = exact.eps(dtype)
        tolerance = ulp(limit) if absolute is None else allclose(limit * eps, max(absolute, 0 if dtype == F64 else eps / 2 * absolute / 2.0**-52))
        called, options = name, None
        if name.endswith(DERIVATIVE):
            called, options = name.removesuffix(DERIVATIVE), {"derivative": True}
        if name.endswith("_with_repetition"):
            called, options = name.removesuffix("_with_repetition"), {"repetition": True}
        store.add("/".join(filter(None, ["special", name, note, dtype.name])), f"sp.special.{called}", typed, options,
                  expected=results[0] if len(results) == 1 else results, tolerance=tolerance)


def complex_value(name, evaluate, arguments, own, digits):
    """The exact complex value, or SciPy's: one for each result."""
    with mpmath.workdps(digits):
        stated = own(*arguments) if own else None
    if stated is not None:
        return [complex(part) for part in np.atleast_1d(stated)]
    with np.errstate(all="ignore"):
        plain = np.atleast_1d(np.asarray(scipys_complex(name)(*arguments), np.complex128))
    if not np.all(np.isfinite(arguments)) or not np.all(np.isfinite(plain)) or np.any(plain == 0):
        return list(plain)
    with mpmath.workdps(digits):
        found = evaluate(*(mpmath.mpc(x) if isinstance(x, np.complexfloating) else mpmath.mpf(float(x)) for x in arguments))
        return [mpmath.mpc(part) for part in (found if isinstance(found, (tuple, list)) else [found])]


def scipys_complex(name):
    """SciPy's function; an order of a branch is an integer there."""
    found = getattr(scipy.special, name)
    if name == "lambertw":
        return lambda z, k: found(z, np.asarray(k).astype(np.int64))
    if name in ("jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp"):
        return np.vectorize(lambda v, z, n: found(v, z, int(n)), otypes=[np.complex128])
    if name.startswith("spherical_"):
        return lambda n, z: found(np.asarray(n).astype(np.int64), z)
    if name == "sph_harm_y":
        return lambda n, m, theta, phi: found(np.asarray(n).astype(np.int64), np.asarray(m).astype(np.int64), theta, phi)
    return found


def complex_operands(kinds, points, wide):
    """The operands of all points: complex ones where `kinds` has a C, in complex128 or complex64."""
    dtypes = [np.dtype({"C": "complex128", "R": "float64"}[kind]) for kind in kinds]
    columns = [np.broadcast_arrays(*(np.asarray(x, dtype) for x, dtype in zip(operands, dtypes))) for operands in points]
    operands = [np.concatenate([np.ravel(column[k]) for column in columns]) for k in range(len(kinds))]
    if wide:
        return operands
    narrow = {"C": np.complex64, "R": np.float32}
    with np.errstate(all="ignore"):
        return [x.astype(narrow[kind]) for x, kind in zip(operands, kinds)]


def complex_function(store, name, kinds, evaluate, points, bound, own=None, digits=40):
    """Cases `special/NAME/complex128` and `special/NAME/complex64`: `bound` is in eps of the value as a point of the plane; in complex64
    it is 1."""
    for dtype in (np.dtype("complex128"), np.dtype("complex64")):
        is_wide = dtype.itemsize == 16
        typed = complex_operands(kinds, points, is_wide)
        typed = typed if is_wide else [x[::3] for x in typed]
        wide = [x.astype({"C": np.complex128, "R": np.float64}[kind]) for x, kind in zip(typed, kinds)]
        found = [complex_value(name, evaluate, row, own, digits) for row in zip(*wide)]
        target = exact.part_name(dtype)
        results = [np.array([complex(rounded(row[k].real, target), rounded(row[k].imag, target)) for row in found]).astype(dtype)
                   for k in range(len(found[0]))]
        eps = exact.eps(dtype)
        tolerance = allclose((bound if is_wide else 1) * eps, 0.0)
        store.add(f"special/{name}/{dtype.name}", f"sp.special.{name}", typed,
                  expected=results[0] if len(results) == 1 else results, tolerance=tolerance)
