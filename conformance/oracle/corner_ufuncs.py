"""Corners of ufuncs and reductions, each of which was wrong once."""

import itertools

import numpy as np

from complex_formulas import expm1
from inputs import ordinary
from store import allclose

FLOATS = [np.dtype(n) for n in ("float16", "float32", "float64")]
EDGES = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 2.5]


def cases(store):
    nothing(store)
    dtypes(store)
    limits(store)
    specials(store)
    arguments(store)


def nothing(store):
    """Rows without elements have no extremum, also where there is no row; slices begin inside, also where there is none."""
    for shape in ((0, 0), (3, 0, 0), (0, 3)):
        empty = np.zeros(shape)
        for op in ("max", "min", "ptp", "argmax", "argmin", "nanmax", "nanmin", "maximum.reduce", "subtract.reduce",
                   "divide.reduce", "sum", "prod", "any"):
            store.add(f"corner/nothing/np.{op}/{shape}", f"np.{op}", [empty], {"axis": 1})
        store.add(f"corner/nothing/np.max/{shape}/initial", "np.max", [empty], {"axis": 1, "initial": 2.0})
    for index in ([5], [0, 3], [-1]):
        store.add(f"corner/nothing/np.add.reduceat/{index}", "np.add.reduceat", [np.zeros((0, 4)), np.array(index)],
                  {"axis": 1})
        store.add(f"corner/nothing/np.subtract.reduceat/{index}", "np.subtract.reduceat",
                  [np.zeros((2, 4, 0)), np.array(index)], {"axis": 1})


def dtypes(store):
    """The dtype of a result where signed and unsigned integers meet in a function of floats; large weak integers."""
    small = [np.dtype(n) for n in ("bool", "int8", "uint8", "int16", "uint16")]
    for left, right in itertools.product(small, small):
        if left != right:
            store.add(f"corner/mixed/np.copysign/{left}_{right}", "np.copysign",
                      [ordinary(left, 4), ordinary(right, 4)])
    store.add("corner/mixed/np.arctan2/weak", "np.copysign", [ordinary(np.dtype(np.int8), 4), 2])
    store.add("corner/mixed/np.copysign/bool_weak", "np.copysign", [np.array([True, False]), 2])
    numbers = np.array([1.5, -2.0, 1e20, np.inf])
    for value in (2**64, -2**64, 10**30):
        for op in ("add", "multiply", "maximum", "less", "greater_equal", "equal"):
            store.add(f"corner/large/np.{op}/{value}", f"np.{op}", [numbers, value])
        for dtype in ("int8", "uint64"):
            integers = np.array([0, 5, 127], dtype)
            store.add(f"corner/large/np.less/{dtype}/{value}", "np.less", [integers, value])
    for op, dtype in (("negative", "int8"), ("positive", "float32"), ("sign", "int16")):
        store.add(f"corner/dtype/np.{op}", f"np.{op}", [np.array([True, False])], {"dtype": np.dtype(dtype)})
    truths = [np.array([True, False, True]), np.array([True, True, False])]
    for op, dtype in (("subtract", "int32"), ("subtract", "float64"), ("gcd", "int8"), ("lcm", "uint16")):
        store.add(f"corner/dtype/np.{op}/{dtype}", f"np.{op}", truths, {"dtype": np.dtype(dtype)})


def limits(store):
    """Values that equal a limit."""
    for dtype in FLOATS:
        x = np.array(EDGES, dtype)
        for low, high in ((0, 2), (0.0, 1.0), (-1, -0.0), (-0.0, 0.0), (1, 0), (np.nan, 1.0), (0.0, np.nan)):
            store.add(f"corner/clip/{dtype}/{low}_{high}", "np.clip", [x, low, high])
            store.add(f"corner/clip/{dtype}/{low}_{high}/strided", "np.clip", [np.repeat(x, 2)[::2], low, high])
    for dtype in (np.complex64, np.complex128):
        z = np.array([complex(a, b) for a in EDGES for b in EDGES], dtype)
        for low, high in ((0, 2), (-0.0, 0.0), (1, 1), (1, 0), (-1.0, np.nan)):
            store.add(f"corner/clip/{np.dtype(dtype)}/{low}_{high}", "np.clip", [z, low, high])
    x = ordinary(np.dtype(np.float32), 6)
    store.add("corner/clip/out", "np.clip", [x, -1, 1], {"out": np.zeros(6)})
    store.add("corner/clip/out/dtype", "np.clip", [x, -1, 1], {"out": np.zeros(6, np.int32)})
    store.add("corner/clip/dtype", "np.clip", [x, 0, 1], {"dtype": np.dtype(np.int32)})
    store.add("corner/clip/dtype/unsafe", "np.clip", [np.array([0.5, 3.5]), 0, 2],
              {"dtype": np.dtype(np.int32), "casting": "unsafe"})
    store.add("corner/round/out", "np.round", [x, 1], {"out": np.zeros(6, np.float32)})
    zeros = np.array([0.0, -0.0, 1.0, -1.0], np.float16)
    store.add("corner/nextafter/float16", "np.nextafter", [zeros[:, None], zeros[None, :]])


def specials(store):
    """Complex numbers with parts that are infinite, zero or no numbers."""
    for dtype in (np.complex64, np.complex128):
        z = np.array([complex(a, b) for a in EDGES for b in EDGES], dtype)
        near = allclose(2e-6, 2e-6) if dtype == np.complex64 else allclose(1e-13, 1e-13)
        largest = np.finfo(dtype).max
        store.add(f"corner/sign/{np.dtype(dtype)}", "np.sign", [z], tolerance=near)
        store.add(f"corner/sign/{np.dtype(dtype)}/large", "np.sign",
                  [np.array([complex(largest / 2, largest), complex(-largest, largest)], dtype)])
        store.add(f"corner/reciprocal/{np.dtype(dtype)}", "np.reciprocal", [z], tolerance=near)
        # NumPy's special values are not the array API standard's, which are these.
        finite = np.isfinite(z.real) & np.isfinite(z.imag)
        expected = np.where(finite, np.expm1(z), np.array([expm1(complex(x)) for x in z], dtype))
        store.add(f"corner/expm1/{np.dtype(dtype)}", "np.expm1", [z], expected=expected, tolerance=near)


def arguments(store):
    """What is an axis, and conversions by name."""
    x = ordinary(np.dtype(np.float32), 6).reshape(2, 3)
    for op in ("sum", "max", "mean", "std", "all", "ptp", "nansum", "count_nonzero", "add.reduce", "argmax", "cumsum",
               "squeeze", "average", "median", "flip"):
        for label, axis in (("list", [0]), ("truth", True)):
            if (op, label) != ("squeeze", "truth"):
                store.add(f"corner/axis/np.{op}/{label}", f"np.{op}", [x], {"axis": axis})
    store.add("corner/axis/np.take/truth", "np.take", [x, 0], {"axis": True})
    store.add("corner/axis/np.concatenate/truth", "np.concatenate", [(x, x)], {"axis": True})
    for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
        for to in ("float32", "float64", "float16", "int32"):
            store.add(f"corner/astype/{casting}/{to}", "astype", [x, np.dtype(to)], {"casting": casting})
    store.add("corner/astype/order", "astype", [x, np.dtype(np.float64)], {"order": "F", "copy": False})
    store.add("corner/unwrap/complex", "np.unwrap", [np.array([1j, 2j])])
