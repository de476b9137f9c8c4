"""Polynomials: the functions of NumPy's main namespace, and those of numpy.polynomial that ndany has."""

import numpy as np

from inputs import ALL, BF16, BOOL, COMPLEX, FLOATS, INTS, ordinary
from store import ANY_ZERO, EXACT, View, allclose

F32, F64, C64, C128 = (np.dtype(n) for n in ("float32", "float64", "complex64", "complex128"))
NEAR = allclose(1e-12, 1e-12)
NUMPY = [dtype for dtype in ALL if dtype != BF16]
P = "np.polynomial.polynomial."
U = "np.polynomial.polyutils."


def cases(store):
    arithmetic(store)
    values(store)
    rising(store)
    zeros_and_series(store)
    roots(store)
    fits(store)


def small(dtype, count, name):
    """Numbers whose sums and products are exact."""
    values = np.resize([3, 1, 0, 2, 5, 1, 4], count)
    if dtype == BOOL:
        return values > 1
    if dtype.kind == "c":
        return (values - 2 + 1j * values[::-1]).astype(dtype)
    return values.astype(dtype) if dtype.kind == "u" else (values - 2).astype(dtype)


def arithmetic(store):
    for dtype in NUMPY:
        a, b = small(dtype, 4, "a"), small(dtype, 2, "b")
        for op in ("polyadd", "polysub", "polymul"):
            store.add(f"{op}/{dtype.name}", f"np.{op}", [a, b], tolerance=ANY_ZERO)
            store.add(f"{op}/{dtype.name}/swapped", f"np.{op}", [b, a], tolerance=ANY_ZERO)
    x = np.array([0.0, 0.0, 1.5, -2.0, 0.0])
    for op in ("polyadd", "polysub", "polymul"):
        for label, args in {
            "mixed": [np.array([1, 2, 3], np.int8), np.array([0.5, 4.0], np.float32)],
            "zeros_in_front": [x, x[::-1].copy()], "numbers": [np.array(3.0), np.array(2)], "list": [[1, 2], [3, 4, 5]],
            "same": [x, x], "all_zero": [x[:2], x], "view": [View(x, ("slice", [slice(None, None, -2)])), x],
        }.items():
            store.add(f"{op}/{label}", f"np.{op}", args, tolerance=ANY_ZERO)
    store.add("polyadd/empty", "np.polyadd", [x[:0], x])
    for label, (u, v) in {
        "even": ([3.0, 5.0, 2.0], [2.0, 1.0]), "exact": ([1.0, -3.0, 2.0], [1.0, -1.0]), "short": ([1.0, 2.0], [1.0, 2.0, 3.0]),
        "constant": ([4.0, 2.0, 6.0], [2.0]), "long": ([1.0, 0.0, -3.0, 5.0, 7.0, 2.0], [2.0, 0.0, 1.0]),
        "integers": ([3, 5, 2], [2, 1]), "zero": ([0.0, 0.0], [1.0]), "numbers": (6.0, 4.0),
    }.items():
        store.add(f"polydiv/{label}", "np.polydiv", [np.array(u), np.array(v)], tolerance=NEAR)
    for dtype in (F32, C64, C128):
        u, v = np.array([2, 1, -4, 8], dtype), np.array([2, 4], dtype)
        store.add(f"polydiv/{dtype.name}", "np.polydiv", [u, v], tolerance=allclose(1e-6, 1e-6))
    for dtype in NUMPY:
        p = small(dtype, 4, "p")
        store.add(f"polyder/{dtype.name}", "np.polyder", [p])
        store.add(f"polyint/{dtype.name}", "np.polyint", [p], tolerance=allclose(1e-3 if dtype.itemsize == 2 else 1e-7, 0))
    p = np.array([1.0, 2.5, -3.0, 0.5, 7.0])
    for m in (0, 1, 2, 4, 5, 7):
        store.add(f"polyder/m={m}", "np.polyder", [p, m])
    for m in (0, 1, 2, 3):
        store.add(f"polyint/m={m}", "np.polyint", [p], {"m": m}, tolerance=NEAR)
    store.add("polyder/negative", "np.polyder", [p, -1])
    store.add("polyint/negative", "np.polyint", [p, -1])
    for label, m, k in (("one", 1, 6), ("one_for_all", 3, [2.0]), ("each", 3, [6, 5, 3]), ("too_few", 3, [1, 2]), ("number", 2, 1.5)):
        store.add(f"polyint/k/{label}", "np.polyint", [p, m], {"k": k}, tolerance=NEAR)
    for label, args in {"plain": [[1, 2, 3]], "zeros_in_front": [[0.0, 0.0, 2.0, 1.0]], "nothing": [np.zeros(3)], "roots": [[1.0, 2.0], True],
                        "number": [np.array(2.5)]}.items():
        store.add(f"poly1d/{label}", "np.poly1d", args, expected=np.poly1d(*args).coeffs, tolerance=NEAR)


def values(store):
    for dtype in NUMPY:
        x = small(dtype, 6, "x").reshape(2, 3)
        for other in dict.fromkeys([dtype, F64, np.dtype("int64")]):
            store.add(f"polyval/{dtype.name}/{other.name}", "np.polyval", [small(other, 3, "p"), x], tolerance=ANY_ZERO)
    x = np.array([0.0, -1.5, 2.0, np.inf, -np.inf, np.nan, 1e200])
    p = np.array([2.0, -1.0, 0.5, 3.0])
    store.add("polyval/specials", "np.polyval", [p, x], tolerance=ANY_ZERO)
    store.add("polyval/none", "np.polyval", [p[:0], x])
    store.add("polyval/number", "np.polyval", [p, 1.5])
    store.add("polyval/empty", "np.polyval", [p, x[:0]])
    store.add("polyval/view", "np.polyval", [View(p, ("slice", [slice(None, None, -1)])), View(x[:4].reshape(2, 2), ("transpose", [1, 0]))],
              tolerance=ANY_ZERO)
    store.add("polyval/long", "np.polyval", [np.ones(80), np.array([0.5, 1.0, -1.0])], tolerance=NEAR)
    store.add("polyval/complex", "np.polyval", [p, np.array([1j, 1 + 2j])], tolerance=NEAR)


def rising(store):
    x = np.array([[0.5, -1.0, 2.0], [np.inf, 0.0, np.nan]])
    c = np.array([1.0, -2.0, 0.5, 3.0])
    op = P + "polyval"
    for dtype in NUMPY:
        store.add(f"rising/polyval/{dtype.name}", op, [small(dtype, 3, "x"), small(dtype, 4, "c")], tolerance=ANY_ZERO)
    two = np.array([[1, 2], [3, 4], [5, 6]])
    for label, args, kwargs in (("plain", [x, c], {}), ("several", [x[0], two], {}), ("paired", [np.array([1.0, 2.0]), two], {"tensor": False}),
                                ("number", [2.5, c], {}), ("one", [x, [4]], {}), ("empty", [x, c[:0]], {}), ("no_broadcast", [x[0], two], {"tensor": False})):
        store.add(f"rising/polyval/{label}", op, args, kwargs, tolerance=ANY_ZERO)
    op = P + "polyvalfromroots"
    for label, args, kwargs in (("plain", [np.array([1.0, 4.0, 2.0]), [1, 2]], {}), ("several", [x[0], two], {}), ("empty", [x[0], c[:0]], {}),
                                ("paired", [np.array([1.0, 2.0]), two], {"tensor": False}), ("refused", [x, c], {"tensor": False}),
                                ("complex", [np.array([1j, 2.0]), np.array([1.0, 1j])], {})):
        store.add(f"polyvalfromroots/{label}", op, args, kwargs, tolerance=ANY_ZERO)
    for dtype in (F32, C64, np.dtype("int8")):
        store.add(f"polyvalfromroots/{dtype.name}", op, [small(dtype, 3, "x"), small(dtype, 2, "r")], tolerance=ANY_ZERO)
    op = P + "polyvander"
    for dtype in NUMPY:
        store.add(f"polyvander/{dtype.name}", op, [small(dtype, 3, "x"), 3], tolerance=ANY_ZERO)
    for label, args in {"0": [c, 0], "1": [c, 1], "number": [2.0, 3], "two_d": [x, 2], "empty": [c[:0], 2], "negative": [c, -1]}.items():
        store.add(f"polyvander/{label}", op, args, tolerance=ANY_ZERO)
    op = P + "polycompanion"
    for label, c in {"1": [1.0, 2.0], "2": [1.0, 2.0, 4.0], "3": [6, -5, 3, 2], "zeros_behind": [1.0, 2.0, 0.0], "0": [3.0], "complex": np.array([1j, 2.0, 1 + 1j]),
                     "float32": np.array([2, 4, 8], np.float32), "empty": np.zeros(0), "two_d": np.ones((2, 2))}.items():
        store.add(f"polycompanion/{label}", op, [c], tolerance=NEAR)


def zeros_and_series(store):
    x = np.array([0.0, 1.0, 0.0, 2.0, 0.0, 0.0])
    for label, seq in {"plain": x, "none": x[:4], "all": np.zeros(3), "one": np.zeros(1), "empty": np.zeros(0), "integers": np.array([3, 0]),
                       "nan": np.array([np.nan, 0.0]), "bool": np.array([True, False])}.items():
        store.add(f"trimseq/{label}", U + "trimseq", [seq])
    for label, args in {"plain": [[0, 0, 3, 0, 5, 0, 0]], "tolerance": [[0, 0, 1e-3, 0, 1e-5, 0, 0], 1e-3], "all": [[0.0, 0.0]], "small": [[1e-9, 1e-9], 1e-3],
                        "complex": [np.array([3e-4, 1e-3 * (1 - 1j), 5e-4, 2e-5 * (1 + 1j)]), 1e-3], "negative": [[1.0], -1.0], "empty": [np.zeros(0)]}.items():
        store.add(f"trimcoef/{label}", U + "trimcoef", args)
    for label, args, kwargs in (("mixed", [[np.array([1, 2, 0]), np.array([0.5, 1.0], np.float32)]], {}), ("kept", [[np.array([1.0, 0.0])]], {"trim": False}),
                                ("complex", [[np.array([1.0]), np.array([1j, 0])]], {}), ("numbers", [[1, 2.5]], {}), ("empty", [[np.zeros(0)]], {}),
                                ("half", [[np.array([1, 2], np.float16)]], {}), ("two_d", [[np.ones((2, 2))]], {}), ("bool", [[np.array([True])]], {})):
        # NumPy's answer is a list of arrays, or of numbers where it was given such.
        store.add(f"as_series/{label}", U + "as_series", args, kwargs)


def roots(store):
    # Roots come in no order, so a case has one that is not zero.
    for label, p in {"none": np.zeros(0), "zero": np.zeros(3), "constant": np.array([5.0]), "line": np.array([2.0, -3.0]), "integers": np.array([2, -3]),
                     "zeros_behind": np.array([2.0, -3.0, 0.0, 0.0]), "zeros_around": np.array([0.0, 2.0, -3.0, 0.0]), "float32": np.array([2, 5], np.float32),
                     "complex": np.array([1j, 2.0]), "only_zeros_behind": np.array([4.0, 0.0, 0.0]), "two_d": np.ones((2, 2))}.items():
        store.add(f"roots/{label}", "np.roots", [p], tolerance=allclose(1e-9, 1e-9))
    for label, r in {"two": [1.0, 2.0], "none": np.zeros(0), "float32": np.array([1, 2], np.float32), "integers": np.array([1, -2, 3]),
                     "half": np.array([1, 2], np.float16), "complex": np.array([1 + 2j, 3.0]), "pair": np.array([1 + 2j, 1 - 2j, 4.0]), "single": np.array([1j, -1j], np.complex64),
                     "matrix": np.array([[2.0, 0.0], [0.0, 3.0]]), "turned": np.array([[0.0, 1.0], [-1.0, 0.0]]), "wide": np.ones((2, 3)), "nothing": np.zeros((0, 0))}.items():
        store.add(f"poly/{label}", "np.poly", [r], tolerance=NEAR)


def fits(store):
    x = np.arange(8) / 4 - 1
    y = 2 - 3 * x + 0.5 * x**2 + np.array([1, -1, 2, 0, -2, 1, -1, 0]) / 16
    rows = np.stack([y, x**3], axis=1)
    near = allclose(1e-8, 1e-9)
    w = np.array([1.0, 2.0, 1.0, 0.5, 1.0, 1.0, 3.0, 1.0])
    for label, args, kwargs in (
            ("0", [x, y, 0], {}), ("1", [x, y, 1], {}), ("2", [x, y, 2], {}), ("5", [x, y, 5], {}), ("columns", [x, rows, 2], {}),
            ("weights", [x, y, 2], {"w": w}), ("weights/columns", [x, rows, 2], {"w": w}), ("full", [x, y, 2], {"full": True}),
            ("full/columns", [x, rows, 2, 1e-10, True], {}), ("cov", [x, y, 2], {"cov": True}), ("cov/columns", [x, rows, 1], {"cov": True}),
            ("cov/unscaled", [x, y, 1], {"w": w, "cov": "unscaled"}), ("cov/too_few", [x[:2], y[:2], 1], {"cov": True}),
            ("integers", [np.array([0, 1, 2, 3]), np.array([1, 0, 1, 4]), 2], {}), ("exact", [x[:3], y[:3], 2], {"full": True}),
            ("complex", [x, y + 1j * x, 2], {}), ("negative", [x, y, -1], {}), ("lengths", [x, y[:3], 1], {}), ("two_d", [rows, y, 1], {}),
            ("empty", [x[:0], y[:0], 1], {}), ("wrong_weights", [x, y, 1], {"w": w[:3]}), ("wrong_weights/two_d", [x, y, 1], {"w": rows}),
            ("three_d", [x, np.ones((8, 1, 1)), 1], {})):
        store.add(f"polyfit/{label}", "np.polyfit", args, kwargs, tolerance=near)
    y32 = y.astype(np.float32)
    store.add("polyfit/float32", "np.polyfit", [x.astype(np.float32), y32, 2], tolerance=allclose(1e-5, 1e-5))
