"""quantile, percentile, median and their NaN-skipping forms."""

import numpy as np

from inputs import ordinary, rng
from store import View, allclose, ulp

METHODS = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
           "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest")
CLOSE = allclose(1e-13, 1e-14)
TOLERANCE = {"float16": allclose(2e-3, 1e-3), "float32": allclose(1e-6, 1e-6)}


def cases(store):
    data = ordinary(np.dtype("float64"), 24)
    matrix = data.reshape(4, 6)
    holes = matrix.copy()
    holes[0, 2] = holes[1, :4] = holes[2, :] = np.nan
    for method in METHODS:
        for op in ("np.quantile", "np.nanquantile"):
            store.add(f"quantile/{op}/{method}/several", op, [data, np.array([0.0, 0.1, 0.25, 0.5, 0.61, 0.75, 1.0])],
                      {"method": method}, tolerance=CLOSE)
            store.add(f"quantile/{op}/{method}/odd", op, [data[:7], np.array([0.0, 1 / 6, 0.5, 0.9, 1.0])], {"method": method},
                      tolerance=CLOSE)
            store.add(f"quantile/{op}/{method}/axis=1", op, [matrix, 0.375], {"axis": 1, "method": method}, tolerance=CLOSE)
            store.add(f"quantile/{op}/{method}/one", op, [data[:1], np.array([0.0, 0.3, 1.0])], {"method": method}, tolerance=CLOSE)
            store.add(f"quantile/{op}/{method}/nan", op, [holes, np.array([0.2, 0.8])], {"axis": 1, "method": method}, tolerance=CLOSE)
        for op in ("np.percentile", "np.nanpercentile"):
            store.add(f"quantile/{op}/{method}", op, [matrix, 37.5], {"axis": 0, "method": method, "keepdims": True}, tolerance=CLOSE)
            store.add(f"quantile/{op}/{method}/ints", op, [np.arange(9, dtype=np.int32)[::-1] * 3, np.array([12.5, 40.0])],
                      {"method": method}, tolerance=CLOSE)
        store.add(f"quantile/np.nanpercentile/{method}/holes", "np.nanpercentile", [holes, [10, 50.0]], {"axis": 0, "method": method},
                  tolerance=CLOSE)
    for name in ("int8", "int64", "uint8", "uint64", "float16", "float32", "float64"):
        array = ordinary(np.dtype(name), 12).reshape(3, 4)
        tolerance = TOLERANCE.get(name, CLOSE)
        for op, q in (("np.quantile", 0.3), ("np.percentile", 30), ("np.nanquantile", 0.3), ("np.nanpercentile", 30.0)):
            store.add(f"quantile/{op}/{name}/weak", op, [array, q], {"axis": -1}, tolerance=tolerance)
            store.add(f"quantile/{op}/{name}/array", op, [array, np.array([q, q / 2])], {"axis": 0}, tolerance=tolerance)
            store.add(f"quantile/{op}/{name}/scalar", op, [array, np.float64(q)], tolerance=tolerance)
            store.add(f"quantile/{op}/{name}/float32", op, [array, np.array([q], np.float32)], tolerance=allclose(2e-3, 1e-3)
                      if name == "float16" else TOLERANCE["float32"])
    forms(store, data, matrix, holes)
    medians(store, data, matrix, holes)


def forms(store, data, matrix, holes):
    cube = data.reshape(2, 3, 4)
    for op, scale in (("np.quantile", 1), ("np.percentile", 100), ("np.nanquantile", 1), ("np.nanpercentile", 100)):
        q = np.array([0.25, 0.5]) * scale
        for label, axis in {"0": 0, "-1": -1, "two": (0, 2), "none": None, "all": (0, 1, 2), "back": (2, 0), "beyond": 3, "twice": (0, 0)}.items():
            store.add(f"quantile/{op}/axis/{label}", op, [cube, q], {"axis": axis}, tolerance=CLOSE)
            store.add(f"quantile/{op}/axis/{label}/keepdims", op, [cube, q[0]], {"axis": axis, "keepdims": True}, tolerance=CLOSE)
        store.add(f"quantile/{op}/keepdims/array", op, [cube, q], {"axis": 1, "keepdims": True}, tolerance=CLOSE)
        for label, args in {
            "matrix_q": [cube, np.array([[0.1, 0.2], [0.3, 1.0]]) * scale, 0], "list_q": [matrix, [0.1 * scale, 0.2 * scale]],
            "transposed": [View(matrix, ("transpose", [1, 0])), q, 0], "backward": [View(data, ("slice", [slice(None, None, -2)])), q],
            "zero_d": [np.array(2.5), q], "scalar": [3, 0.5 * scale], "no_q": [data, np.zeros(0)], "infinite": [np.array([1.0, np.inf, -np.inf]), q],
            "nan": [np.array([1.0, np.nan, 3.0]), q], "all_nan": [np.full(3, np.nan), q], "no_rows": [np.zeros((0, 3)), q, 1],
            "equal": [np.full(5, 0.1), q],
        }.items():
            store.add(f"quantile/{op}/form/{label}", op, args, tolerance=CLOSE)
        for label, (args, kwargs) in {
            "above": ([data, 1.1 * scale], {}), "below": ([data, -0.1], {}), "nan": ([data, np.nan], {}),
            "one_of_them": ([data, np.array([0.1, 200.0])], {}), "method": ([data, 0.5], {"method": "guess"}),
            "complex": ([data + 1j, 0.5], {}), "cube_q": ([data, np.zeros((1, 1, 1))], {}),
            "weights": ([data, 0.5], {"weights": np.ones(24)}),
        }.items():
            store.add(f"quantile/{op}/bad/{label}", op, args, kwargs)
        store.add(f"quantile/{op}/overwrite", op, [data, q], {"overwrite_input": False}, tolerance=CLOSE)
    for op in ("np.quantile", "np.nanquantile"):
        for label, q in {"0": 0, "1": 1, "array": np.array([0, 1]), "bool": True}.items():
            store.add(f"quantile/{op}/exact/{label}", op, [np.array([5, 2, 9]), q])
            store.add(f"quantile/{op}/exact/{label}/nan", op, [holes, q], {"axis": 0})
    store.add("quantile/np.quantile/bad/empty", "np.quantile", [np.zeros(0), 0.5])
    store.add("quantile/np.percentile/bad/empty_rows", "np.percentile", [np.zeros((3, 0)), 50], {"axis": 1})
    store.add("quantile/np.nanquantile/empty_rows", "np.nanquantile", [np.zeros((3, 0)), 0.5], {"axis": 1})


def medians(store, data, matrix, holes):
    cube = data.reshape(2, 3, 4)
    for op in ("np.median", "np.nanmedian"):
        for name in ("bool", "int8", "int64", "uint8", "uint64", "float16", "float32", "float64", "complex64", "complex128"):
            for count in (1, 2, 7, 12):
                array = ordinary(np.dtype(name), count)
                store.add(f"median/{op}/{name}/{count}", op, [array], tolerance=ulp(1))
        for label, axis in {"0": 0, "-1": -1, "two": (0, 2), "none": None, "all": (0, 1, 2), "beyond": 3, "twice": (1, 1)}.items():
            store.add(f"median/{op}/axis/{label}", op, [cube], {"axis": axis}, tolerance=ulp(1))
            store.add(f"median/{op}/axis/{label}/keepdims", op, [cube], {"axis": axis, "keepdims": True}, tolerance=ulp(1))
        for label, array in {
            "holes": holes, "all_nan": np.full((2, 2), np.nan), "empty": np.zeros(0), "zero_d": np.array(2.5), "infinite": np.array([1, np.inf, -np.inf, np.inf]),
            "transposed": View(matrix, ("transpose", [1, 0])), "backward": View(data, ("slice", [slice(None, None, -3)])),
            "huge": np.array([1.5e308, 1.5e308, 1.5e308]), "columns": np.array([[2.0], [1.0]]),
        }.items():
            store.add(f"median/{op}/form/{label}", op, [array], tolerance=ulp(1))
            if label not in ("zero_d", "empty"):
                store.add(f"median/{op}/form/{label}/axis=0", op, [array], {"axis": 0}, tolerance=ulp(1))
        store.add(f"median/{op}/empty_rows", op, [np.zeros((3, 0))], {"axis": 1})
        store.add(f"median/{op}/no_rows", op, [np.zeros((0, 3))], {"axis": 1})
        store.add(f"median/{op}/overwrite", op, [data], {"overwrite_input": False})
