"""bincount, histogram and histogram_bin_edges.

Weighted sums are compared with a bound: NumPy adds up one after the other. Rules that choose the number of
bins see data for which no number of bins lies on the edge between two.
"""

import numpy as np

from inputs import ordinary, rng
from store import View, allclose

CLOSE = allclose(1e-13, 1e-15)
CLOSE32 = allclose(1e-6, 1e-7)
RULES = ("auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt")


def cases(store):
    counting(store)
    histogram(store)
    rules(store)
    grids(store)


def counting(store):
    op = "np.bincount"
    x = np.array([0, 3, 1, 1, 7, 3, 3, 0])
    weights = ordinary(np.dtype("float64"), 8)
    for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "complex64"):
        numbers = x.astype(name)
        store.add(f"bincount/{op}/{name}", op, [numbers])
        store.add(f"bincount/{op}/{name}/weights", op, [numbers, weights], tolerance=CLOSE)
    for name in ("bool", "int8", "uint64", "float16", "float32", "int64"):
        store.add(f"bincount/{op}/weights/{name}", op, [x, ordinary(np.dtype(name), 8)], tolerance=CLOSE)
    store.add(f"bincount/{op}/weights/complex", op, [x, weights + 1j])
    store.add(f"bincount/{op}/weights/none", op, [x], {"weights": None})
    store.add(f"bincount/{op}/weights/special", op, [x, np.array([np.inf, 1, np.nan, 2, -np.inf, 1, -1, -np.inf])])
    for label, kwargs in {"0": {"minlength": 0}, "5": {"minlength": 5}, "12": {"minlength": 12}, "negative": {"minlength": -1},
                          "none": {"minlength": None}, "float": {"minlength": 2.5}, "weights": {"minlength": 10, "weights": weights}}.items():
        store.add(f"bincount/{op}/minlength/{label}", op, [x], kwargs, tolerance=CLOSE)
    store.add(f"bincount/{op}/minlength/position", op, [x, None, 9])
    for label, args in {
        "negative": [np.array([1, -1])], "matrix": [x.reshape(2, 4)], "zero_d": [np.array(3)],
        "weights_length": [x, weights[:3]], "weights_matrix": [x, weights.reshape(2, 4)],
        "empty": [np.zeros(0, np.int64)], "empty_weights": [np.zeros(0, np.int64), np.zeros(0)], "one": [np.array([4])],
        "empty_float": [np.zeros(0)], "strided": [View(x, ("slice", [slice(None, None, -2)]))],
        "broadcast": [View(np.array([2]), ("broadcast_to", [5]))],
    }.items():
        store.add(f"bincount/{op}/form/{label}", op, args)
    store.add(f"bincount/{op}/form/empty_minlength", op, [np.zeros(0, np.uint8)], {"minlength": 3})
    many = rng("bincount").integers(0, 3, 600)
    store.add(f"bincount/{op}/long", op, [many])
    store.add(f"bincount/{op}/long/weights", op, [many, ordinary(np.dtype("float64"), 600)], tolerance=CLOSE)


def histogram(store):
    op = "np.histogram"
    data = np.concatenate([ordinary(np.dtype("float64"), 24), [0.0, -0.0, 4.0, -4.0]])
    for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"):
        array = data.astype(name) if name[0] != "u" else np.abs(data).astype(name)
        for bins in (1, 3, 10, 16):
            store.add(f"histogram/{op}/{name}/bins={bins}", op, [array], {"bins": bins})
        store.add(f"histogram/{op}/{name}/range", op, [array, 5], {"range": (-1.5, 2.5)})
        store.add(f"histogram/{op}/{name}/edges", op, [array, np.array([-2.0, 0.0, 0.5, 3.0])])
        store.add(f"histogram/{op}/{name}/density", op, [array], {"bins": 4, "density": True},
                  tolerance=CLOSE if name not in ("float16", "float32") else CLOSE32)
    store.add(f"histogram/{op}/default", op, [data])
    for label, kwargs in {
        "range_ints": {"range": (0, 3)}, "range_mixed": {"range": (-1, 2.5)}, "range_outside": {"range": (50, 60)},
        "range_none": {"range": None}, "range_equal": {"range": (1, 1)}, "range_list": {"range": [0, 1]},
        "range_back": {"range": (2, 1)}, "range_infinite": {"range": (0, np.inf)}, "range_nan": {"range": (0, np.nan)},
        "density_none": {"density": None}, "density_false": {"density": False}, "zero_bins": {"bins": 0},
        "negative_bins": {"bins": -3}, "float_bins": {"bins": 2.5}, "bad_rule": {"bins": "many"},
        "edges_matrix": {"bins": np.ones((2, 2))}, "edges_fall": {"bins": np.array([2.0, 1.0])},
        "edges_equal": {"bins": np.array([1.0, 1.0, 2.0])}, "edges_end_equal": {"bins": np.array([0.0, 4.0, 4.0])},
        "edges_one": {"bins": np.array([2.0])}, "edges_ints": {"bins": np.array([-4, 0, 4])},
        "edges_int8": {"bins": np.array([-4, 0, 1, 4], np.int8)}, "edges_list": {"bins": [0, 1, 2]},
        "edges_infinite": {"bins": np.array([-np.inf, 0.0, np.inf])}, "zero_d_bins": {"bins": np.array(3)},
        "density_edges": {"bins": np.array([-4.0, 0.0, 1.0, 4.0]), "density": True},
        "density_of_nothing": {"range": (50, 60), "density": True, "bins": 2},
        "many_bins": {"bins": 100}, "fine": {"bins": 37, "range": (-0.3, 0.7)},
    }.items():
        store.add(f"histogram/{op}/option/{label}", op, [data], kwargs)
    weights = ordinary(np.dtype("float64"), 28, "weights")
    for name in ("int8", "int64", "float32", "float64", "complex64", "complex128"):
        tolerance = CLOSE32 if name in ("float32", "complex64") else CLOSE
        w = (weights * 3).astype(name) if name != "complex64" else (weights + 1j).astype(name)
        store.add(f"histogram/{op}/weights/{name}", op, [data, 4], {"weights": w}, tolerance=tolerance)
        store.add(f"histogram/{op}/weights/{name}/edges", op, [data], {"weights": w, "bins": np.array([-4.0, 0.0, 1.0, 4.0])},
                  tolerance=tolerance if name[0] == "i" else allclose(1e-5 if tolerance is CLOSE32 else 1e-12, 1e-5 if tolerance is CLOSE32 else 1e-12))
    store.add(f"histogram/{op}/weights/density", op, [data, 4], {"weights": np.abs(weights), "density": True}, tolerance=CLOSE)
    store.add(f"histogram/{op}/weights/shape", op, [data, 4], {"weights": weights[:3]})
    store.add(f"histogram/{op}/weights/rule", op, [data, "auto"], {"weights": weights})
    for label, array in {
        "empty": np.zeros(0), "empty_int": np.zeros(0, np.int32), "one": np.array([3.0]), "equal": np.full(4, 2.0), "equal_int": np.full(4, 7, np.int16),
        "zero_d": np.array(1.5), "matrix": data.reshape(4, 7), "transposed": View(data.reshape(4, 7), ("transpose", [1, 0])),
        "backward": View(data, ("slice", [slice(None, None, -3)])), "nan": np.array([1.0, np.nan]), "infinite": np.array([1.0, np.inf]),
        "extremes": np.array([-128, 127, 0], np.int8), "large": np.array([0, 2**63 - 1], np.uint64), "equal_half": np.full(3, 5, np.float16),
    }.items():
        store.add(f"histogram/{op}/form/{label}", op, [array], {"bins": 3})
    store.add(f"histogram/{op}/form/nan_in_range", op, [np.array([1.0, np.nan, 2.0, 0.5])], {"bins": 2, "range": (0, 2)})
    store.add(f"histogram/{op}/form/infinite_in_range", op, [np.array([1.0, np.inf, -np.inf])], {"bins": 2, "range": (0, 2)})
    grid = np.linspace(0, 1, 101)
    for bins in (7, 10, 20, 50, 100):
        store.add(f"histogram/{op}/on_edges/{bins}", op, [grid], {"bins": bins})
        store.add(f"histogram/{op}/on_edges/{bins}/float32", op, [grid.astype(np.float32)], {"bins": bins, "range": (0.1, 0.7)})
    op = "np.histogram_bin_edges"
    for label, kwargs in {"default": {}, "5": {"bins": 5}, "range": {"bins": 4, "range": (0, 1)}, "edges": {"bins": np.array([0.0, 1.0, 3.0])},
                          "auto": {"bins": "auto"}, "bad": {"bins": 0}, "weights": {"weights": weights},
                          "weights_rule": {"weights": weights, "bins": "sqrt"}}.items():
        store.add(f"histogram/{op}/{label}", op, [data], kwargs)


def rules(store):
    g = rng("rules")
    sets = {"normal": g.normal(size=60), "skewed": g.exponential(size=45), "ints": g.integers(0, 50, 40),
            "float32": g.normal(size=50).astype(np.float32), "two": np.array([1.0, 2.0]), "one": np.array([1.0]), "empty": np.zeros(0),
            "equal": np.full(9, 3.0), "few_ints": np.array([1, 1, 2, 2, 3], np.int8)}
    for rule in RULES:
        for label, array in sets.items():
            store.add(f"histogram/np.histogram/rule/{rule}/{label}", "np.histogram", [array], {"bins": rule})
        store.add(f"histogram/np.histogram/rule/{rule}/range", "np.histogram", [sets["normal"], rule, (-1.0, 1.5)])


def grids(store):
    x, y = ordinary(np.dtype("float64"), 20, "x"), ordinary(np.dtype("float64"), 20, "y")
    z = rng("grid").integers(0, 4, 20)
    edges = np.array([-4.0, -1.0, 0.0, 2.0])
    weights = ordinary(np.dtype("float64"), 20, "w")
    op = "np.histogram2d"
    for label, kwargs in {
        "default": {}, "3": {"bins": 3}, "two": {"bins": (2, 3)}, "edges": {"bins": edges}, "both_edges": {"bins": [edges, edges + 0.5]},
        "mixed": {"bins": [4, edges]}, "range": {"bins": 3, "range": [(-1, 1), (0, 2.5)]}, "range_array": {"bins": 3, "range": np.array([[-1, 1], [0, 2]])},
        "density": {"bins": 3, "density": True}, "weights": {"bins": 2, "weights": weights}, "zero": {"bins": 0}, "falling": {"bins": edges[::-1].copy()},
        "range_back": {"range": [(1, 0), (0, 1)]}, "weights_short": {"weights": weights[:3]},
    }.items():
        store.add(f"histogram2d/{op}/{label}", op, [x, y], kwargs, tolerance=CLOSE)
    store.add(f"histogram2d/{op}/ints", op, [z, z[::-1]], {"bins": 4})
    store.add(f"histogram2d/{op}/float32", op, [x.astype(np.float32), y.astype(np.float32)], {"bins": 3})
    store.add(f"histogram2d/{op}/lengths", op, [x, y[:5]])
    store.add(f"histogram2d/{op}/empty", op, [np.zeros(0), np.zeros(0)], {"bins": 2})
    op = "np.histogramdd"
    sample = np.stack([x, y, z], 1)
    for label, kwargs in {"3": {"bins": 3}, "each": {"bins": (2, 3, 1)}, "edges": {"bins": [edges, 2, edges]}, "density": {"bins": 2, "density": True},
                          "range": {"bins": 2, "range": [(-1, 1), None, (0, 2)]}, "weights": {"bins": 2, "weights": weights},
                          "few_bins": {"bins": (2, 2)}, "few_ranges": {"bins": 2, "range": [(0, 1)]}}.items():
        try:
            counts, places = np.histogramdd(sample, **kwargs)
            expected = (counts, *places)
        except Exception as error:
            expected = error
        store.add(f"histogramdd/{op}/{label}", op, [sample], kwargs, expected=expected, tolerance=CLOSE)
