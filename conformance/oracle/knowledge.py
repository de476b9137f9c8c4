"""What is known of arrays without their values, grids and rows by slices, CuPy's scatter functions."""

import numpy as np

from inputs import ALL, BF16, BOOL, COMPLEX, FLOATS, INTS, specials
from store import ANY_ZERO, EXACT, View, allclose

NUMPY = [dtype for dtype in ALL if dtype != BF16]


def cases(store):
    dtypes(store)
    arrays(store)
    grids(store)
    scattering(store)


def dtypes(store):
    for a in NUMPY:
        for b in NUMPY:
            store.add(f"promote_types/{a.name}/{b.name}", "np.promote_types", [a, b])
            for casting in ("safe", "same_kind"):
                store.add(f"can_cast/{a.name}/{b.name}/{casting}", "np.can_cast", [a, b, casting])
        store.add(f"can_cast/{a.name}/no", "np.can_cast", [a, np.dtype("float64"), "no"])
        store.add(f"can_cast/{a.name}/unsafe", "np.can_cast", [a, np.dtype("int8"), "unsafe"])
        store.add(f"can_cast/{a.name}/array", "np.can_cast", [np.zeros(2, a), np.dtype("float32")])
        for label, other in (("int", 3), ("float", 2.5), ("complex", 1j), ("bool", True), ("typed", np.float32(1))):
            store.add(f"result_type/{a.name}/{label}", "np.result_type", [np.zeros(2, a), other])
        store.add(f"result_type/{a.name}/dtype", "np.result_type", [a, np.dtype("int16"), 1])
        store.add(f"min_scalar_type/array/{a.name}", "np.min_scalar_type", [np.zeros(2, a)])
        common = [np.zeros(2, a), np.zeros(2, np.float32)]
        try:
            expected = np.dtype(np.common_type(*common))
        except TypeError as error:
            expected = error
        store.add(f"common_type/{a.name}", "np.common_type", common, expected=expected)
        store.add(f"finfo/{a.name}", "np.finfo", [a])
        store.add(f"iinfo/{a.name}", "np.iinfo", [a])
    store.add("can_cast/wrong", "np.can_cast", [np.dtype("int8"), np.dtype("int8"), "wrong"])
    store.add("result_type/numbers", "np.result_type", [1, 2.5])
    for value in (0, 1, 255, 256, 65536, 2**32, 2**63, -1, -128, -129, -2**40, True, 1.0, 64999.0, 65000.0, 1e30, 1e39, float("inf"), float("nan"), 1j, 1e39j, np.int64(7), np.float64(1e5)):
        store.add(f"min_scalar_type/{type(value).__name__} {value}", "np.min_scalar_type", [value])


def arrays(store):
    x = np.arange(24.0).reshape(2, 3, 4)
    for label, a in {"3d": x, "zero_d": np.array(1.0), "number": 2.5, "list": [[1, 2], [3, 4]], "empty": np.zeros((0, 3))}.items():
        for op in ("ndim", "shape", "size"):
            store.add(f"{op}/{label}", f"np.{op}", [a])
    for axis in (0, -1, 3, (0, 2)):
        store.add(f"size/axis={axis}", "np.size", [x, axis])
    for label, args in {"two": [(3, 1), (4,)], "number": [(2, 1), 3], "three": [(1, 2), (3, 1), (3, 2)], "wrong": [(3,), (4,)], "empty": [(0, 1), (1, 5)], "zero_d": [(), (2,)]}.items():
        store.add(f"broadcast_shapes/{label}", "np.broadcast_shapes", args)
    store.add("broadcast/two", "np.broadcast", [x, np.ones((3, 1))])
    store.add("broadcast/wrong", "np.broadcast", [x, np.ones(3)])
    views = {"c": x, "turned": View(x, ("transpose", [2, 1, 0])), "flat": View(x, ("slice", [0, 0])), "mixed": View(x, ("transpose", [0, 2, 1]))}
    for label, a in views.items():
        store.add(f"isfortran/{label}", "np.isfortran", [a])
        store.add(f"flatten/{label}", "np.ndarray.flatten", [a])
        for order in "CFAK":
            store.add(f"flatten/{label}/{order}", "np.ndarray.flatten", [a, order])
    for label, a in {"real": x, "complex": x + 0j, "number": 1.0, "complex_number": 1j, "integers": np.arange(3)}.items():
        store.add(f"iscomplexobj/{label}", "np.iscomplexobj", [a])
        store.add(f"isrealobj/{label}", "np.isrealobj", [a])
    for label, a in {"array": x, "zero_d": np.array(1.0), "number": 2.5, "typed": np.float32(1), "list": [1], "text": "a", "none": None}.items():
        store.add(f"isscalar/{label}", "np.isscalar", [a])
        if label != "typed":
            store.add(f"iterable/{label}", "np.iterable", [a])
    for label, a in {"finite": x, "integers": np.arange(3), "nan": np.array([1.0, np.nan]), "inf": np.array([1.0, -np.inf]), "complex": np.array([1 + np.inf * 1j]), "empty": x[:0]}.items():
        store.add(f"asarray_chkfinite/{label}", "np.asarray_chkfinite", [a])
    store.add("asarray_chkfinite/dtype", "np.asarray_chkfinite", [x, np.dtype("float32")])
    for label, args in {"plain": [x], "dtype": [x, np.dtype("float32")], "f": [x, None, "F"], "list": [x, None, ["C", "W"]], "both": [x, None, ["C", "F"]], "wrong": [x, None, ["Q"]]}.items():
        store.add(f"require/{label}", "np.require", args)
    # NumPy says KeyError of a name that it does not know.
    store.cases[-1]["expected"] = {"error": ["KeyError", "ValueError"]}
    store.add("asanyarray/list", "np.asanyarray", [[1, 2]])
    for label, args in {"same": [x, x], "apart": [x, np.ones(3)]}.items():
        for op in ("shares_memory", "may_share_memory"):
            store.add(f"{op}/{label}", f"np.{op}", args)
    op = "np.lib.stride_tricks.sliding_window_view"
    for label, args, kwargs in (("all", [x, (1, 2, 3)], {}), ("one", [x, 2], {"axis": 1}), ("twice", [x, (2, 2)], {"axis": (2, 2)}), ("too_wide", [x, 5], {"axis": 0}), ("negative", [x, -1], {"axis": 0}),
                                ("lengths", [x, (2, 2)], {"axis": 0})):
        store.add(f"sliding_window_view/{label}", op, args, kwargs)
    op = "np.lib.stride_tricks.as_strided"
    for label, args in {"same": [x], "windows": [np.arange(6), (4, 3), (8, 8)], "repeat": [np.arange(3), (2, 3), (0, 8)], "every_second": [np.arange(6, dtype=np.int16), (3,), (4,)]}.items():
        store.add(f"as_strided/{label}", op, args)


def grids(store):
    s = slice
    for label, key in {"one": [s(0, 5)], "two": [s(0, 2), s(1, 7, 3)], "three": [s(2), s(0, 3), s(4, 6)], "down": [s(3, 0, -1), s(0, 2)], "empty": [s(0, 0), s(0, 2)]}.items():
        store.add(f"mgrid/{label}", "np.mgrid", key)
        store.add(f"ogrid/{label}", "np.ogrid", key)
    a = np.array([1, 2, 3])
    for label, items in {"arrays": [a, a * 2], "mixed": [a, 0, 0, a], "slice": [s(1, 4), 0, 4], "floats": [a, 2.5], "two_d": [a.reshape(1, 3), np.ones((2, 3))], "step": [s(0, 10, 3)]}.items():
        store.add(f"r_/{label}", "np.r_", items)
    for label, items in {"columns": [a, a * 2], "two_d": [np.ones((3, 2)), a], "row": [a.reshape(1, 3), 0, 0, a.reshape(1, 3)], "wrong": [a, np.ones(4)]}.items():
        store.add(f"c_/{label}", "np.c_", items)


def scattering(store):
    a = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    at = (np.array([0, 1, 0, 0]), np.array([0, 2, 0, 1]))
    for op in ("add", "max", "min"):
        for label, args in {"pairs": [a, at, np.array([10.0, -1.0, 0.5, 2.5])], "rows": [a, np.array([1, 1]), 2.0], "slice": [a, (slice(None), 0), 3.0], "integers": [np.arange(4), np.array([3, 3, 0]), np.array([5, 7, -2])]}.items():
            store.add(f"scatter_{op}/{label}", f"cupyx.scatter_{op}", args)
    for dtype in (np.dtype("float32"), np.dtype("float64"), np.dtype("int32"), np.dtype("complex64")):
        x = np.array([1, 4, 16, 2, 9], dtype)
        store.add(f"rsqrt/{dtype.name}", "cupyx.rsqrt", [x], tolerance=allclose(1e-6, 0))
