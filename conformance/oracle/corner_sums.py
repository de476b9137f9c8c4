"""Corners of summaries, quantiles, histograms, products, polynomials and linear algebra: weights, starts, results that go
into given arrays, dtypes that follow from plain numbers, what is not finite, and the classes of refusals.
"""

import numpy as np

from inputs import rng
from store import allclose

INF, NAN = np.inf, np.nan
F16, F32, F64, C64, C128 = (np.dtype(name) for name in ("float16", "float32", "float64", "complex64", "complex128"))
INTS = [np.dtype(name) for name in ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64")]
NEAR = {F16: allclose(4e-3, 1e-3), F32: allclose(4e-6, 4e-6), F64: allclose(2e-13, 2e-13),
        C64: allclose(4e-6, 4e-6), C128: allclose(2e-13, 2e-13)}


def whole(name, *shape, low=-9, high=10):
    """Whole numbers as floats, whose sums are exact."""
    return rng(f"corner {name}").integers(low, high, shape).astype(np.float64)


def cases(store):
    weighted(store)
    shares(store)
    starts(store)
    means(store)
    histograms(store)
    refused_sums(store)
    outs(store)
    matrices(store)
    not_finite(store)
    polynomials(store)
    transforms(store)
    draws(store)


def weighted(store):
    cube, weights = whole("cube", 2, 3, 4), whole("weights", 2, 3, 4, low=0, high=5)
    method = {"method": "inverted_cdf"}
    for op, share in (("np.quantile", 0.01), ("np.percentile", 1.0), ("np.nanquantile", 0.01), ("np.nanpercentile", 1.0)):
        holes = np.where(cube == cube[0, 0, 0], NAN, cube)
        family = "quantile_weighted"
        for label, q, kwargs in (
                ("all", 30 * share, {}), ("axis", 45 * share, {"axis": 1}), ("axes", 70 * share, {"axis": (2, 0), "keepdims": True}),
                ("several", np.array([0.0, 20, 50, 100]) * share, {"axis": -1}), ("table", np.array([[10.0, 90]]) * share, {"axis": 0}),
                ("ends", np.array([0, int(100 * share)]), {"axis": 2})):
            full = {**kwargs, **method, "weights": weights + 1}
            store.add(f"{family}/{op}/{label}", op, [cube, q], full)
            store.add(f"{family}/{op}/{label}/nan", op, [holes, q], full)
            store.add(f"{family}/{op}/{label}/int16", op, [cube.astype(np.int16), q], full)
        for label, kwargs in {"first_of_none": {"axis": 2, "weights": np.where(weights < 2, 0.0, weights + 1) + np.eye(3, 4)},
                              "ints": {"axis": 2, "weights": (weights + 1).astype(np.uint8)}}.items():
            store.add(f"{family}/{op}/{label}", op, [cube, np.array([0.0, 25, 50]) * share], {**kwargs, **method})
        if not op.startswith("np.nan"):
            for label, w, axis in (("one_axis", [1, 2, 5], 1), ("last", [3, 0, 0, 1], -1), ("two", weights[:, 0].T + 1, (2, 0))):
                store.add(f"{family}/{op}/along/{label}", op, [cube, 40 * share], {**method, "axis": axis, "weights": np.asarray(w)})
        refused = {"shape": {"weights": np.ones(3)}, "length": {"weights": np.ones(3), "axis": 2}, "axes": {"weights": np.ones((1, 3)), "axis": 1},
                   "negative": {"weights": weights - 2}, "zeros": {"weights": weights * 0}, "nan": {"weights": weights * NAN},
                   "method": {"weights": weights, "method": "linear"}, "unknown": {"method": "best"}}
        for label, kwargs in refused.items():
            store.add(f"{family}/{op}/refused/{label}", op, [cube, 40 * share], {**method, **kwargs})
        store.add(f"{family}/{op}/refused/complex", op, [cube, 1j])
    for count in (4, 100, 1000):
        steps = {"tenths": np.full(count, 0.1), "rising": np.arange(1, count + 1) / 10}
        for label, weights in steps.items():
            store.add(f"quantile_weighted/boundaries/{label}/{count}", "np.quantile", [np.arange(count) * 1.0, np.arange(11) / 10], {**method, "weights": weights})
    store.add("quantile_weighted/empty/rows", "np.quantile", [np.zeros((0, 3)), 0.3], {**method, "axis": 1, "weights": np.zeros((0, 3))})
    store.add("quantile_weighted/all_nan", "np.nanquantile", [np.array([[NAN, NAN], [1.0, 2.0]]), 0.6],
              {**method, "axis": 1, "weights": np.array([[1, 1], [3, 1]])})


def shares(store):
    """The dtype of a share goes on, unless it is a plain number."""
    values = np.array([4, 0, 6, 9])
    for dtype in (np.dtype("int16"), np.dtype("int64"), F16, F32, F64):
        for label, q in (("float32", F32.type(30)), ("float16", F16.type(30)), ("float64", F64.type(30)), ("plain", 30), ("truth", True),
                         ("list", [30, 45.5]), ("int8", np.array([25, 50], np.int8)), ("float32s", np.array([10, 33.3], F32))):
            for op in ("np.percentile", "np.nanpercentile"):
                store.add(f"percentile_dtype/{op}/{dtype.name}/{label}", op, [values.astype(dtype), q], tolerance=NEAR[F16 if F16 in (dtype, getattr(q, "dtype", None)) else F32])


def starts(store):
    ints, floats = np.array([[3, 1], [2, 5]], np.int32), np.array([[1.5, 2.0], [-1.0, 4.0]])
    for op in ("sum", "prod", "min", "max", "nansum", "nanprod", "nanmin", "nanmax"):
        for label, start in (("inf", INF), ("-inf", -INF), ("nan", NAN), ("1j", 1j), ("2.5", 2.5), ("7", 7), ("1e300", 1e300), ("-3.5", -3.5)):
            for name, array in (("int32", ints), ("uint8", ints.astype(np.uint8)), ("float64", floats)):
                store.add(f"initial/np.{op}/{name}/{label}", f"np.{op}", [array], {"initial": start, "axis": 0})
    for op in ("sum", "prod", "nansum", "nanprod"):
        for label, array, kwargs in (("ints", ints, {}), ("rows", floats, {"axis": 1}), ("nan", np.array([[NAN, 2.0], [3.0, 4.0]]), {"axis": 0}),
                                     ("truths", np.array([True, True]), {}), ("empty", np.zeros(0), {}), ("no_rows", np.zeros((0, 2)), {"axis": 0}),
                                     ("masked", ints, {"where": np.array([True, False])})):
            store.add(f"initial/np.{op}/none/{label}", f"np.{op}", [array], {**kwargs, "initial": None})


def means(store):
    for name in ("complex64", "complex128"):
        for label, values in (("inf", [INF + 1j, 1 + 1j]), ("imaginary", [complex(0, INF), 1]), ("nan", [complex(NAN, 1), 1]),
                              ("nan_imaginary", [complex(1, NAN), 2]), ("plain", [1 + 2j, 3 - 4j]), ("empty", []), ("zeros", [complex(-0.0, -0.0)] * 2)):
            for op in ("mean", "median", "nanmean", "nanmedian", "average"):
                store.add(f"complex_mean/np.{op}/{name}/{label}", f"np.{op}", [np.array(values, name)])
        store.add(f"complex_mean/np.mean/{name}/empty_rows", "np.mean", [np.zeros((2, 0), name)], {"axis": 1})
    x = whole("spread", 3, 4)
    for name in ("complex64", "complex128", "float32"):
        for op in ("var", "std", "nanvar", "nanstd"):
            store.add(f"spread_dtype/np.{op}/{name}", f"np.{op}", [x], {"dtype": np.dtype(name), "axis": 0}, tolerance=NEAR[np.dtype(name)])
            store.add(f"spread_dtype/np.{op}/{name}/complex", f"np.{op}", [x + 1j if name[0] == "c" else x], {"dtype": np.dtype(name), "ddof": 1}, tolerance=NEAR[np.dtype(name)])
    for op in ("var", "std"):
        for label, mean in (("float64", np.ones((1, 4))), ("plain", 1.5), ("float32", np.ones((1, 4), F32))):
            for name in ("float32", "float16", "int16"):
                store.add(f"spread_dtype/np.{op}/mean/{label}/{name}", f"np.{op}", [x.astype(name)], {"axis": 0, "mean": mean}, tolerance=NEAR[F16])
        for ddof in (-1, 0, 1):
            store.add(f"spread_dtype/np.{op}/empty/{ddof}", f"np.{op}", [np.zeros((0, 2))], {"axis": 0, "ddof": ddof})
            store.add(f"spread_dtype/np.nan{op}/empty/{ddof}", f"np.nan{op}", [np.zeros(0, C64)], {"ddof": ddof})


def histograms(store):
    numbers = np.array([0, 1, 1, 2, 2, 2, 3])
    for dtype in INTS:
        weights = np.array([100, 100, 90, 100, 100, 7, 1]).astype(dtype)
        store.add(f"histogram_weights/{dtype.name}", "np.histogram", [numbers, 2], {"weights": weights})
        store.add(f"histogram_weights/{dtype.name}/edges", "np.histogram", [numbers, np.array([0, 1, 3])], {"weights": weights})
    big = np.array([2**53, 1, 1, 2**54 + 2, 1, 0, 5])
    store.add("histogram_weights/beyond_floats", "np.histogram", [numbers, np.array([0, 2, 3])], {"weights": big})
    x, y = whole("x", 20).astype(F32) / 3, whole("y", 20).astype(np.int32)
    store.add("histogram2d/promoted", "np.histogram2d", [x, y, 3])
    store.add("histogram2d/promoted/float16", "np.histogram2d", [x.astype(F16), x, 2])
    for label, bins in {"lists": [[0, 2, 4], [0, 1, 5]], "mixed": [2, [0, 1, 5]], "tuple": ([0.5, 1.5], 3), "one_list": [0, 1, 5], "falling": [[3, 1], [0, 1]],
                        "falling_list": [3, 1, 2], "one": [5]}.items():
        store.add(f"histogram2d/bins/{label}", "np.histogram2d", [x.astype(F64), y, bins])
    for label, bins in {"lists": ([0, 2, 4], [0, 1, 5]), "falling": [[2, 1], 3], "three": [-3.0, 0, 3], "numbers": [2, 3], "fraction": [2.5, 3]}.items():
        store.add(f"histogramdd/bins/{label}", "np.histogramdd", [np.stack([x, x], 1).astype(F64)], {"bins": bins},
                  expected=grid(np.stack([x, x], 1).astype(F64), bins))
    store.add("histogram/bins/table", "np.histogram", [numbers, [[1, 2], [3, 4]]])
    g = rng("corner widths")
    for dtype in (F16, F32, F64):
        for size in (3, 20, 57, 200):
            values = g.normal(size=size).astype(dtype)
            for rule in ("stone", "sqrt", "rice", "sturges"):
                store.add(f"histogram_bin_edges/{dtype.name}/{size}/{rule}", "np.histogram_bin_edges", [values, rule], tolerance=NEAR[dtype])
                store.add(f"histogram_bin_edges/{dtype.name}/{size}/{rule}/range", "np.histogram_bin_edges", [values, rule], {"range": (-2, 3)}, tolerance=NEAR[dtype])
    for label, x in {"empty": [], "floats": [1.0, 2], "cut": [1.7, 2], "nested": [[1]], "array": np.array([1.0, 2]), "negative": [-1.5]}.items():
        store.add(f"bincount/sequence/{label}", "np.bincount", [x])
    a, v = np.array([1.0, 2, 3, 4]), np.array([1.0, -1, 2])
    for op in ("convolve", "correlate"):
        for mode in (0, 1, 2, 3, -1, 1.0, "sum"):
            store.add(f"{op}/mode/{mode}/{type(mode).__name__}", f"np.{op}", [a, v, mode])
    for order in (0, -1, 3):
        store.add(f"gradient/edge_order/{order}", "np.gradient", [np.arange(5.0) ** 2], {"edge_order": order})
    store.add("trapezoid/truths", "np.trapezoid", [np.array([True, True, False]), np.array([False, True, True])])


def grid(samples, bins):
    try:
        counts, edges = np.histogramdd(samples, bins=bins)
    except Exception as error:
        return error
    return counts, *edges


def refused_sums(store):
    table, empty = whole("table", 2, 4), np.zeros((0, 3))
    for label, kwargs in {"fweights": {"fweights": np.ones(3, int)}, "aweights": {"aweights": np.ones((2, 2))}, "fweights_2d": {"fweights": np.ones((1, 4), int)},
                          "negative": {"fweights": np.array([1, -1, 1, 1])}, "fraction": {"fweights": np.array([0.5, 1, 1, 1])}, "int32": {"dtype": np.int32}}.items():
        store.add(f"cov/refused/{label}", "np.cov", [table], kwargs)
    store.add("corrcoef/refused/int64", "np.corrcoef", [table], {"dtype": np.int64})
    store.add("average/empty", "np.average", [np.zeros(0)])
    for axis in (0, 1):
        store.add(f"average/empty/{axis}", "np.average", [empty], {"axis": axis})
    xp, fp = np.array([1.0, 2]), np.array([3.0, 5])
    for side in ("left", "right"):
        store.add(f"interp/{side}/1j", "np.interp", [np.array([0.0, 1.5, 9]), xp, fp], {side: 1j})
        store.add(f"interp/{side}/complex", "np.interp", [np.array([0.0, 1.5, 9]), xp, fp + 0j], {side: 1j})
    for axis in ((0, 1), (0,), (0, 5)):
        store.add(f"cumulative_sum/axes/{axis}", "np.cumulative_sum", [table], {"axis": axis})


def outs(store):
    a, b = whole("left", 2, 3), whole("right", 3, 2)
    for dtype in (F64, F32, np.dtype("int64"), C128):
        def hole(*shape):
            return np.zeros(shape, dtype)
        for op, args, shape in (("np.matmul", [a, b], (2, 2)), ("np.dot", [a, b], (2, 2)), ("np.outer", [a, b], (6, 6)), ("np.trace", [a], ()),
                                ("np.einsum", ["ij,jk", a, b], (2, 2)), ("np.einsum", ["ij->ji", a], (3, 2)), ("np.linalg.multi_dot", [[a, b, a]], (2, 3)),
                                ("np.vecdot", [a, a], (2,)), ("np.median", [a], ()), ("np.nanmedian", [a], ()), ("np.quantile", [a, 0.3], ()),
                                ("np.percentile", [a, [20, 40]], (2,)), ("np.nanquantile", [a, 0.3], ()), ("np.round", [a, 1], (2, 3)), ("np.clip", [a, 1, 2], (2, 3))):
            if dtype == C128 and op.endswith(("quantile", "percentile")):
                continue
            label = args[0] if op == "np.einsum" else ""
            tolerance = NEAR[dtype] if dtype in NEAR else NEAR[F64]
            store.add(f"out/{op}{label}/{dtype.name}", op, args, {"out": hole(*shape)}, tolerance=tolerance)
            # NumPy's ufuncs spread one number over all of an array that is given.
            if dtype == F64 and op not in ("np.quantile", "np.nanquantile", "np.nanmedian"):
                store.add(f"out/{op}{label}/{dtype.name}/shape", op, args, {"out": hole(7)})
        store.add(f"out/rule/np.matmul/{dtype.name}", "np.matmul", [a, b], {"out": hole(2, 2), "casting": "unsafe"}, tolerance=NEAR.get(dtype, NEAR[F64]))
        store.add(f"out/rule/np.einsum/{dtype.name}", "np.einsum", ["ij,jk", a, b], {"out": hole(2, 2), "casting": "same_kind"}, tolerance=NEAR.get(dtype, NEAR[F64]))
    for order in "CFAKZ":
        store.add(f"order/np.matmul/{order}", "np.matmul", [a, b], {"order": order}, tolerance=NEAR[F64])
        store.add(f"order/np.einsum/{order}", "np.einsum", ["ij,jk", a, b], {"order": order}, tolerance=NEAR[F64])
    for optimize in (True, False, 0, 1):
        store.add(f"einsum/optimize/{optimize}/{type(optimize).__name__}", "np.einsum", ["ij,jk", a, b], {"optimize": optimize}, tolerance=NEAR[F64])


def matrices(store):
    cube = whole("planes", 2, 3, 4)
    for offset in (0, 1, -2):
        store.add(f"planes/np.linalg.trace/{offset}", "np.linalg.trace", [cube], {"offset": offset})
        store.add(f"planes/np.linalg.diagonal/{offset}", "np.linalg.diagonal", [cube], {"offset": offset})
    for name in ("bool", "int8", "float16", "complex64"):
        store.add(f"planes/np.linalg.trace/{name}", "np.linalg.trace", [cube.astype(name)])
        store.add(f"planes/np.linalg.diagonal/{name}", "np.linalg.diagonal", [cube.astype(name)])
    store.add("planes/np.linalg.trace/dtype", "np.linalg.trace", [cube], {"dtype": F32})
    for op in ("np.linalg.trace", "np.linalg.diagonal"):
        store.add(f"planes/{op}/vector", op, [cube[0, 0]])
        store.add(f"planes/{op}/position", op, [cube, 1])
    # Imaginary parts on the diagonal of Hermitian matrices are not read.
    for name in ("complex64", "complex128"):
        tolerance = allclose(2e-5, 2e-5) if name == "complex64" else allclose(1e-12, 1e-12)
        for n in (1, 2, 3, 4, 9, 20, 40):
            g = rng(f"corner hermitian {n}")
            a = g.normal(size=(n, n)) + 1j * g.normal(size=(n, n))
            a = (a @ a.conj().T + n * np.eye(n) + np.diag(1j * np.arange(1, n + 1))).astype(name)
            for half in "LU":
                store.add(f"diagonal_parts/eigvalsh/{name}/{n}/{half}", "np.linalg.eigvalsh", [a, half], tolerance=tolerance)
            store.add(f"diagonal_parts/pinv/{name}/{n}", "np.linalg.pinv", [a], {"hermitian": True}, tolerance=tolerance)
            store.add(f"diagonal_parts/svd/{name}/{n}", "np.linalg.svd", [a], {"hermitian": True, "compute_uv": False}, tolerance=tolerance)
            store.add(f"diagonal_parts/cholesky/{name}/{n}", "np.linalg.cholesky", [a], tolerance=tolerance)


def not_finite(store):
    good = np.array([[2.0, 1.0], [1.0, 3.0]])
    for name in ("float32", "float64", "complex128"):
        for label, matrix in (("inf", [[1.0, 2], [INF, 4]]), ("-inf", [[1.0, 2, 3], [4, -INF, 5]]), ("nan", [[1.0, NAN], [2, 4]]), ("both", [[INF, NAN], [2, 4]])):
            a = np.array(matrix, name)
            for op in ("svdvals", "cond", "matrix_rank"):
                store.add(f"not_finite/{op}/{name}/{label}", f"np.linalg.{op}", [a])
            for order in (2, -2, "nuc"):
                store.add(f"not_finite/norm/{name}/{label}/{order}", "np.linalg.norm", [a, order])
            store.add(f"not_finite/svd/{name}/{label}", "np.linalg.svd", [a], {"compute_uv": False})
            if a.shape == (2, 2):
                if name != "complex128":
                    store.add(f"not_finite/pinv/{name}/{label}", "np.linalg.pinv", [a])
                    store.add(f"not_finite/lstsq/{name}/{label}", "np.linalg.lstsq", [a, np.ones(2, name)])
                store.add(f"not_finite/batch/{name}/{label}", "np.linalg.svdvals", [np.stack([good.astype(name), a])], tolerance=NEAR[np.dtype(name)])
        store.add(f"not_finite/eigvalsh/{name}", "np.linalg.eigvalsh", [np.array([[INF, 1, 2], [1, 2, 3], [2, 3, 4]], name)])
    for label, matrix in (("inf", [[1.0, INF], [2, 3]]), ("corner", [[INF, 0], [0, 1]]), ("nan", [[1.0, NAN], [2, 3]])):
        store.add(f"not_finite/slogdet/{label}", "np.linalg.slogdet", [np.array(matrix)])
    for shape in ((2, 0, 0), (0, 3, 3), (2, 0, 3)):
        store.add(f"not_finite/cond/empty/{shape}", "np.linalg.cond", [np.zeros(shape)])


def polynomials(store):
    for dtype in (F16, F32, F64, C64, np.dtype("int32")):
        c = np.array([1, -2, 3]).astype(dtype)
        for x in (2, 2.5, 1j, F32.type(0.5), [0.5, 2.0]):
            for op in ("polyval", "polyvalfromroots"):
                label = f"{type(x).__name__}/{x}"
                store.add(f"polynomial_weak/{op}/{dtype.name}/{label}", f"np.polynomial.polynomial.{op}", [x, c], tolerance=NEAR[F16] if dtype == F16 else NEAR[F32])
    table = np.array([[1, 2], [3, 4]])
    for label, other in {"one": [2], "two": [1, 1j], "floats": np.array([1, 2], F32), "number": 2.5, "long": [1, 2, 3], "row": [[1, 2]]}.items():
        for op in ("polyadd", "polysub"):
            store.add(f"polynomial_table/{op}/{label}", f"np.{op}", [table, other])
    for label, x in {"plain": 2, "float": 2.5, "table": table, "int8": np.array([1, 2], np.int8)}.items():
        store.add(f"polynomial_table/polyval/{label}", "np.polyval", [table, x])
    for op in ("polyder", "polyint"):
        store.add(f"polynomial_table/{op}/0", f"np.{op}", [table, 0])
        store.add(f"polynomial_table/{op}/1", f"np.{op}", [table, 1])
    for op in ("roots", "poly", "polyder", "polyint"):
        store.add(f"polynomial_refused/{op}/number", f"np.{op}", [5.0])
        store.add(f"polynomial_refused/{op}/0d", f"np.{op}", [np.array(3.0)])
    store.add("polynomial_refused/polyval/0d", "np.polyval", [np.array(3.0), 2])
    store.add("polynomial_refused/polydiv/u", "np.polydiv", [[], [1, 2]])
    store.add("polynomial_refused/polydiv/v", "np.polydiv", [[1, 2], []])


def transforms(store):
    for op in ("fftfreq", "rfftfreq"):
        for label, d in {"float16": F16.type(0.1), "float32": F32.type(0.1), "float64": F64.type(0.1), "plain": 0.1}.items():
            for n in (1, 5, 8):
                store.add(f"frequencies/{op}/{label}/{n}", f"np.fft.{op}", [n, d])
        store.add(f"frequencies/{op}/int64", f"np.fft.{op}", [np.int64(6), F32.type(0.5)])
        store.add(f"frequencies/{op}/zero", f"np.fft.{op}", [np.int64(6), 0.0])
    a = whole("points", 4, 5)
    for op in ("fft2", "ifftn", "rfftn", "fftn", "irfft2"):
        for label, kwargs in {"some": {"s": (None, 3), "axes": (0, 1)}, "number": {"s": 3}, "axis": {"axes": 1}}.items():
            store.add(f"lengths/{op}/{label}", f"np.fft.{op}", [a], kwargs, tolerance=allclose(1e-13, 1e-12))
    for op in ("fftshift", "ifftshift"):
        store.add(f"lengths/{op}/number", f"np.fft.{op}", [7])


def draws(store):
    for op in ("random", "standard_normal", "standard_exponential"):
        for dtype in (F16, np.dtype("int64")):
            store.add(f"draws_refused/{op}/{dtype.name}", f"np.random.Generator.{op}", [0, 3], {"dtype": dtype}, expected=TypeError())
    store.add("draws_refused/seed", "np.random.seed", [2**32])
    for op in ("multinomial", "dirichlet", "choice"):
        args = {"multinomial": [5, np.array([[0.5, 0.5], [0.9, 0.1]])], "dirichlet": [np.array([[1.0, 2.0]])], "choice": [1.5]}[op]
        store.add(f"draws_refused/{op}", f"np.random.{op}", args)
        if op != "multinomial":
            store.add(f"draws_refused/Generator/{op}", f"np.random.Generator.{op}", [0, *args], expected=ValueError())
