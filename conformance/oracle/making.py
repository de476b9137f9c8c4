"""Ranges between arrays, logarithmic and geometric ones, likenesses, grids, windows, arrays of sequences."""

import numpy as np

from inputs import ALL, BF16, FLOATS, INTS
from store import EXACT, View, allclose

CLOSE = allclose(1e-14, 1e-15)
X = np.arange(6, dtype=np.int32).reshape(2, 3)


def near(dtype):
    """The bound of a computation in a dtype."""
    dtype = np.dtype(dtype)
    return {2: allclose(2e-3, 2e-3), 4: allclose(1e-6, 1e-6)}.get(dtype.itemsize // (2 if dtype.kind == "c" else 1), CLOSE)


def cases(store):
    ranges(store)
    likes(store)
    grids(store)
    sequences(store)
    for op in ("np.bartlett", "np.blackman", "np.hamming", "np.hanning"):
        for count in (-1, 0, 1, 2, 3, 7, 10, 2.5):
            store.add(f"making/{op}/{count}", op, [count], tolerance=allclose(1e-14, 2e-16))
    for beta in (0, 5.0, 8.6, -14, 100.0):
        for count in (-1, 0, 0.5, 1, 2, 3, 7, 10, 2.5):
            store.add(f"making/np.kaiser/{count}/{beta}", "np.kaiser", [count, beta], tolerance=allclose(1e-14, 2e-16))
    store.add("making/np.kaiser/overflow", "np.kaiser", [4, 1000.0], tolerance=allclose(1e-14, 2e-16))


def ranges(store):
    def add(op, label, *args, tolerance=None, **kwargs):
        if tolerance is None:
            result = getattr(np, op)(*(a.apply() if isinstance(a, View) else a for a in args),
                                     **{k: v for k, v in kwargs.items() if k != "retstep"})
            tolerance = near(kwargs.get("dtype", result.dtype)) if np.dtype(kwargs.get("dtype", result.dtype)).kind in "fc" else EXACT
        store.add(f"making/np.{op}/{label}", f"np.{op}", list(args), kwargs, tolerance=tolerance)

    row, column = np.array([1.0, 2.0, 4.0]), np.array([[1.0], [10.0]])
    for op in ("linspace", "logspace", "geomspace"):
        add(op, "default", 1, 3)
        for label, args in {"few": (1, 3, 4), "down": (3.0, 0.5, 5), "one": (1, 2, 1), "two": (1, 2, 2), "none": (1, 2, 0), "same": (2, 2, 3),
                            "floats": (0.1, 0.9, 7)}.items():
            add(op, label, *args)
            add(op, f"{label}_open", *args, endpoint=False)
        for label, args in {"stops": (1.0, row, 4), "starts": (row, 5, 3), "both": (row, row[::-1] + 1, 4), "broadcast": (row, column, 3),
                            "matrix": (X + 1, 10, 2)}.items():
            add(op, f"arrays/{label}", *args)
            add(op, f"arrays/{label}/last", *args, axis=-1)
        add(op, "arrays/middle", row, column, 3, axis=1)
        add(op, "arrays/view", View(row, ("slice", [slice(None, None, -1)])), 8, 3)
        add(op, "arrays/open", row, column, 3, endpoint=False, axis=2)
        add(op, "arrays/float32", row.astype(np.float32), 8, 4)
        add(op, "arrays/int8", X.astype(np.int8) + 1, 8, 4)
        add(op, "arrays/complex", row + 1j, 2, 3)
        add(op, "typed", np.float32(1), np.float32(3), 4)
        for dtype in FLOATS:
            if dtype != BF16:
                add(op, f"dtype/{dtype.name}", 1, 4, 4, dtype=dtype)
        add(op, "dtype/complex64", 1, 4, 4, dtype=np.dtype("complex64"))
    for label, args in {"axis": (row, 2, 3), "axis_scalar": (1, 2, 3)}.items():
        store.add(f"making/np.linspace/error/{label}", "np.linspace", list(args), {"axis": 2})
    for op in ("np.linspace", "np.logspace", "np.geomspace"):
        store.add(f"making/{op}/error/negative", op, [1, 2, -1])
    for dtype in INTS:
        for label, args in {"up": (0, 10, 6), "steps": (1, 8, 4), "fine": (0, 3, 8)}.items():
            store.add(f"making/np.linspace/int/{dtype.name}/{label}", "np.linspace", list(args), {"dtype": dtype})
    store.add("making/np.linspace/int/down", "np.linspace", [0, -7, 5], {"dtype": np.dtype("int16")})
    store.add("making/np.linspace/int/arrays", "np.linspace", [np.array([0, -5]), 7, 4], {"dtype": np.dtype("int64"), "axis": 1})
    store.add("making/np.logspace/int", "np.logspace", [0, 2, 3], {"dtype": np.dtype("int64"), "base": 2})
    store.add("making/np.geomspace/int", "np.geomspace", [1, 1000, 4], {"dtype": np.dtype("int64")})
    for label, args, kwargs in (("plain", (0, 1, 5), {}), ("open", (0, 1, 5), {"endpoint": False}), ("one", (2, 5, 1), {}), ("one_open", (2, 5, 1), {"endpoint": False}),
                                ("none", (2, 5, 0), {}), ("arrays", (row, 8, 4), {}), ("same", (2, 2, 3), {}), ("single", (np.float32(1), np.float32(2), 3), {})):
        store.add(f"making/np.linspace/retstep/{label}", "np.linspace", list(args), {"retstep": True, **kwargs}, tolerance=near(np.result_type(args[0], 1.0)))
    add("linspace", "tiny_among_others", np.array([0, 1.0]), np.array([0, 2.0]), 5)
    add("linspace", "subnormal", np.array([0.0, 0.0]), np.array([5e-324, 1.0]), 4)
    for label, kwargs in {"two": {"base": 2}, "e": {"base": np.e}, "array": {"base": np.array([2.0, 10.0])}, "array_last": {"base": np.array([2.0, 10.0]), "axis": -1},
                          "zero": {"base": 0.5}, "column": {"base": np.array([[2.0], [3.0]])}}.items():
        add("logspace", f"base/{label}", 0, 3, 4, **kwargs)
    add("logspace", "base/with_ends", row, 3, 4, base=np.array([2.0, 3.0, 5.0]))
    for label, args in {"negative": (-1, -1000, 4), "imaginary": (1j, 1000j, 4), "around": (1, -1 + 0j, 5), "negative_arrays": (np.array([-1.0, 2.0]), np.array([-8.0, 16.0]), 4)}.items():
        add("geomspace", label, *args, tolerance=allclose(1e-13, 1e-13))
    for label, args in {"zero": (0, 5), "to_zero": (5, 0.0), "among": (np.array([1.0, 0.0]), 5)}.items():
        store.add(f"making/np.geomspace/error/{label}", "np.geomspace", list(args))


def likes(store):
    views = {"plain": X, "transposed": View(X, ("transpose", [1, 0])), "empty": X[:0], "zero_d": np.array(2.5)}
    for op, rest in (("np.zeros_like", []), ("np.ones_like", []), ("np.full_like", [7])):
        for label, array in views.items():
            store.add(f"making/{op}/{label}", op, [array, *rest])
        for order in "CFAK":
            store.add(f"making/{op}/order={order}", op, [views["transposed"], *rest], {"order": order})
        store.add(f"making/{op}/shape", op, [X, *rest], {"shape": (4,)})
        store.add(f"making/{op}/shape_int", op, [X, *rest], {"shape": 3, "order": "F"})
        for dtype in ALL:
            store.add(f"making/{op}/dtype/{dtype.name}", op, [X, *rest], {"dtype": dtype})
    store.add("making/np.full_like/array", "np.full_like", [X, np.array([1, 2, 3])])
    store.add("making/np.full_like/array_float", "np.full_like", [X, np.array([1.7, -2.7, 3])])
    store.add("making/np.full_like/wrong", "np.full_like", [X, np.array([1, 2])])
    store.add("making/np.full_like/overflow", "np.full_like", [X.astype(np.uint8), 300])
    store.add("making/np.full_like/float_to_int", "np.full_like", [X, 2.9])
    for op, rest in (("np.zeros", []), ("np.ones", []), ("np.full", [3])):
        store.add(f"making/{op}/order=F", op, [(2, 3), *rest], {"order": "F"})
        store.add(f"making/{op}/order=K", op, [(2, 3), *rest], {"order": "K"})
    store.add("making/np.full/list", "np.full", [(2, 2), [1, 2.5]])
    store.add("making/np.full/array_dtype", "np.full", [(2, 2), np.array([1.9, -1.9])], {"dtype": np.dtype("int8"), "order": "F"})


def grids(store):
    a, b, c = np.arange(3), np.array([0.5, 1.5]), np.arange(4, dtype=np.int8)
    for label, axes in {"none": [], "one": [a], "two": [a, b], "three": [a, b, c], "number": [a, 5], "matrix": [X, b], "empty": [a, np.zeros(0)],
                        "lists": [[1, 2], [3.5]], "view": [View(c, ("slice", [slice(None, None, -2)])), a]}.items():
        for kwargs in ({}, {"indexing": "ij"}, {"sparse": True}, {"sparse": True, "indexing": "ij"}, {"copy": False}):
            name = ",".join(f"{k}={v}" for k, v in kwargs.items())
            store.add(f"making/np.meshgrid/{label}/{name}", "np.meshgrid", axes, kwargs)
    store.add("making/np.meshgrid/error/indexing", "np.meshgrid", [a, b], {"indexing": "yx"})
    for label, shape in {"two": (2, 3), "one": (4,), "none": (), "empty": (2, 0), "three": (2, 1, 2), "list": [2, 2]}.items():
        store.add(f"making/np.indices/{label}", "np.indices", [shape])
        if len(shape) > 0:
            store.add(f"making/np.indices/{label}/sparse", "np.indices", [shape], {"sparse": True})
        store.add(f"making/np.indices/{label}/float", "np.indices", [shape], {"dtype": np.dtype("float32")})
    store.add("making/np.indices/error/negative", "np.indices", [(2, -1)])


def sequences(store):
    for op in ("np.array", "np.asarray"):
        for label, value in {"numbers": [1, 2, 3], "floats": [1, 2.5], "complex": [1, 2j], "bools": [True, False], "mixed_bool": [True, 2], "nested": [[1, 2], [3, 4]],
                             "tuple": (1, (2)), "tuples": ((1, 2), (3, 4)), "number": 5, "float": 2.5, "empty": [], "empty_rows": [[], []], "arrays": [np.arange(2), np.arange(2.0)],
                             "typed": [np.int8(1), np.int16(2)], "typed_weak": [np.float32(1), 2], "array": X, "ragged": [[1, 2], [3]], "deep": [[[[1]]]],
                             "big": [2**63, 1], "array_number": [np.array(1), 2]}.items():
            store.add(f"making/{op}/{label}", op, [value])
        store.add(f"making/{op}/dtype", op, [[1, 2, 3]], {"dtype": np.dtype("float32")})
        store.add(f"making/{op}/order", op, [View(X, ("transpose", [1, 0]))], {"order": "C"})
    store.add("making/np.array/ndmin", "np.array", [[1, 2]], {"ndmin": 3})
    store.add("making/np.array/ndmin_enough", "np.array", [X], {"ndmin": 1})
    store.add("making/np.asarray/no_copy", "np.asarray", [X], {"dtype": np.dtype("int64"), "copy": False})
    store.add("making/np.diag/list", "np.diag", [[1, 2, 3]])
    store.add("making/np.add/list", "np.add", [X, [1, 2, 3]])
    store.add("making/np.sum/list", "np.sum", [[[1, 2], [3, 4]]], {"axis": 0})
