"""Calls of NumPy's and CuPy's own tests that once had another answer here, cut down to what showed it."""

import itertools

import numpy as np

from complex_formulas import expm1
from store import EXACT, allclose

INF, NAN = np.inf, np.nan
NEAR = allclose(1e-12, 1e-12)


def cases(store):
    ranks(store)
    places(store)
    complex_parts(store)
    outs(store)
    numbers(store)
    texts(store)
    statistics(store)
    refusals(store)


def ranks(store):
    """Matrices of low rank, or without elements."""
    def add(label, op, args, kwargs=None, tolerance=NEAR):
        store.add(f"low_rank/{label}", op, args, kwargs, tolerance=tolerance)

    for k, entries in enumerate(itertools.product(range(4), repeat=4)):
        a = np.array(entries, np.float64).reshape(2, 2)
        if np.linalg.matrix_rank(a) == 1 and k % 5 == 0:
            add(f"svdvals/{''.join(map(str, entries))}", "np.linalg.svdvals", [a])
    add("svdvals/two", "np.linalg.svdvals", [np.array([[1.0, 2], [1, 2]])])
    chance = np.random.Generator(np.random.PCG64(18))
    for n, rank in itertools.product(range(3, 7), (1, 2)):
        a = chance.integers(-3, 4, (4, n, rank)) @ chance.integers(-3, 4, (4, rank, n))
        add(f"svdvals/batch/{n}/{rank}", "np.linalg.svdvals", [a.astype(np.float64)])
        add(f"norm/{n}/{rank}", "np.linalg.norm", [a[0].astype(np.float64), 2])
        add(f"matrix_rank/{n}/{rank}", "np.linalg.matrix_rank", [a], tolerance=EXACT)
        add(f"pinv/{n}/{rank}", "np.linalg.pinv", [a.astype(np.float64)], {"rcond": 1e-10}, allclose(1e-10, 1e-10))
        b = a[0] * (1 + 2j)
        add(f"svdvals/complex/{n}/{rank}", "np.linalg.svdvals", [b])
    add("lstsq", "np.linalg.lstsq", [np.array([[1.0, 2], [1, 2], [2, 4]]), np.array([1.0, 2, 3])])
    add("polyfit", "np.polyfit", [np.ones(4), np.array([1.0, 2, 3, 4]), 1])
    for label, a in {"none": np.zeros((0, 0)), "rows": np.zeros((0, 3)), "columns": np.zeros((3, 0)), "batch": np.zeros((2, 0, 0)),
                     "batch/none": np.zeros((0, 2, 3)), "complex": np.zeros((0, 0), np.complex64)}.items():
        for kind in ("nuc", 2, -2, "fro", 1, -1, INF):
            add(f"empty/{label}/{kind}", "np.linalg.norm", [a, kind, (-2, -1)], tolerance=EXACT)


def places(store):
    """Bins that a float64 cannot tell apart fall, or rise, all the same."""
    one = np.int64(1)
    for label, bins, x, expected in (
            ("falling", [2**54 + 1, 2**54 - 1], [2**54, 2**54 + 1, 2**54 + 2, 2**54 - 1, 0], [1, 0, 0, 1, 2]),
            ("rising", [2**54 - 1, 2**54 + 1], [2**54, 2**54 + 1, 2**54 - 1, 0], [1, 2, 1, 0]),
            ("equal", [2**54, 2**54], [2**54, 0], [2, 0])):
        # NumPy compares in float64 which way the bins go.
        store.add(f"digitize_far/{label}", "np.digitize", [np.array(x) * one, np.array(bins) * one], expected=np.array(expected))
    store.add("digitize_far/neither", "np.digitize", [np.array([0]), np.array([2**54, 2**54 + 1, 2**54])],
              expected=ValueError())


def complex_parts(store):
    """A part that is infinite or NaN leaves the other alone."""
    odd = [0.0, 1.0, -2.0, INF, -INF, NAN]
    values = [complex(a, b) for a in odd for b in odd]
    for label, xp in {"far": [0.0, INF], "near": [0.0, 1.0], "both": [-INF, INF]}.items():
        for k in range(0, len(values), 3):
            fp = np.array([values[k], values[(5 * k + 7) % len(values)]])
            store.add(f"interp_parts/{label}/{k}", "np.interp", [np.array([-1.0, 0.0, 0.25, 0.5, 1.0, 2.0, NAN]), np.array(xp), fp], tolerance=NEAR)
    store.add("interp_parts/many", "np.interp", [np.linspace(-1, 3, 9), np.array([0.0, 1, 2]), np.array([complex(INF, 1), 2j, complex(NAN, -INF)])],
              tolerance=NEAR)
    store.add("interp_parts/ends", "np.interp", [np.array([-1.0, 1.0, 5.0]), np.array([0.0, 2.0]), np.array([1j, 2.0])],
              {"left": complex(INF, 1.0), "right": complex(0.0, NAN)}, tolerance=NEAR)
    store.add("interp_parts/period", "np.interp", [np.array([-1.0, 1.0, 5.0]), np.array([0.0, 2.0]), np.array([complex(INF, 2), 2.0])],
              {"period": 3.0}, tolerance=NEAR)
    weights = np.array([complex(INF, 1), 2j, complex(1, NAN), 4])
    store.add("histogram_parts", "np.histogram", [np.array([0.0, 1, 2, 3]), 4], {"weights": weights}, tolerance=NEAR)
    for dtype in (np.complex64, np.complex128):
        for k, row in enumerate(([complex(NAN, 0)] * 3, [complex(NAN, 0), complex(NAN, 3), 1 + 2j], [complex(NAN, NAN)] * 2,
                                 [complex(NAN, 1), complex(2, NAN)], [complex(2, NAN), complex(NAN, 1)], [complex(1, NAN)] * 3)):
            store.add(f"nanmedian_parts/{np.dtype(dtype)}/{k}", "np.nanmedian", [np.array(row, dtype)])
        store.add(f"nanmedian_parts/{np.dtype(dtype)}/rows", "np.nanmedian",
                  [np.array([[complex(NAN, 0)] * 3, [1, 2, 3], [complex(2, NAN), 1, 2]], dtype)], {"axis": 1})
    # The array API standard's values; NumPy's are products with the sine and cosine of an infinity.
    z = [complex(a, b) for a in (0.0, -0.0, 1.0, -1.0, INF, -INF, NAN) for b in (0.0, -0.0, INF, -INF, NAN)]
    for dtype in (np.complex64, np.complex128):
        store.add(f"expm1_parts/{np.dtype(dtype)}", "np.expm1", [np.array(z, dtype)],
                  expected=np.array([expm1(x) for x in z], dtype), tolerance={**NEAR, "rtol": 1e-6})
    for label, a in {"pivot": [[NAN, 1], [1, 2]], "row": [[1, 5], [NAN, 2]], "last": [[1, 0], [0, NAN]], "above": [[4, NAN], [2, 2]],
                     "late": [[1, 0, 0], [NAN, 1, 0], [0, 0, -1]], "too_late": [[1, 0, 0], [0, -1, 0], [NAN, 0, 1]],
                     "between": [[2, 0, 0, 0], [0.5, 3, 0, 0], [1, NAN, 4, 0], [1, 0.5, 0, -3]],
                     "batch": [[[1, 0], [NAN, 1]], [[4, 0], [1, 1]]], "batch/negative": [[[1, 0], [NAN, 1]], [[4, 0], [1, -1]]]}.items():
        for dtype in (np.float32, np.float64, np.complex64, np.complex128):
            near = allclose(1e-5, 1e-6) if np.finfo(dtype).eps > 1e-10 else NEAR
            store.add(f"cholesky_nan/{label}/{np.dtype(dtype)}", "np.linalg.cholesky", [np.array(a, dtype)], tolerance=near)


def outs(store):
    """Arrays that take results."""
    def add(label, op, args, kwargs, tolerance=NEAR):
        store.add(f"out/{label}", op, args, kwargs, tolerance=tolerance)

    for op in ("np.nanmean", "np.nanvar", "np.nanstd"):
        for dtype in (np.int64, np.bool_, np.float32):
            for label, x in {"floats": np.array([1.0, NAN, 3.0]), "integers": np.array([1, 2])}.items():
                add(f"{op}/{np.dtype(dtype)}/{label}", op, [x], {"out": np.zeros((), dtype)})
    x = np.array([[3.0, 1, 0, 2], [7, 5, 4, 6]])
    for op, q in (("np.percentile", 50), ("np.quantile", 0.5), ("np.nanpercentile", 50), ("np.nanquantile", 0.5)):
        add(f"{op}/one", op, [x, q], {"out": np.zeros(1)})
        add(f"{op}/rows", op, [x, q], {"axis": 1, "out": np.zeros((3, 2))})
        add(f"{op}/short", op, [x, q], {"axis": 1, "out": np.zeros((3, 1))})
    add("np.percentile/several", "np.percentile", [x, [50, 25]], {"axis": 1, "out": np.zeros((3, 2, 2))})
    add("np.percentile/nearest", "np.percentile", [x, 50], {"method": "nearest", "out": np.zeros(1)})
    add("np.median", "np.median", [x], {"out": np.zeros(1)})
    ones = np.ones((1, 3))
    add("np.vecdot", "np.vecdot", [ones, ones], {"out": np.zeros((5, 4, 3))})
    add("np.matmul", "np.matmul", [ones, ones.T], {"out": np.zeros((5, 1, 1))})
    add("np.matvec", "np.matvec", [np.ones((2, 3)), np.ones(3)], {"out": np.zeros((5, 2))})
    add("np.vecmat", "np.vecmat", [np.ones(3), np.ones((3, 2))], {"out": np.zeros((5, 2))})
    for op in ("np.argmax", "np.argmin", "np.nanargmax", "np.nanargmin"):
        for dtype in ("bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float32"):
            add(f"{op}/{dtype}", op, [x], {"axis": 0, "out": np.zeros(4, dtype)})
    add("np.fft.fft/shape", "np.fft.fft", [np.arange(3.0)], {"out": np.zeros(5)})
    add("np.fft.fft/dtype", "np.fft.fft", [np.arange(3.0)], {"out": np.zeros(3)})


def numbers(store):
    """Python's numbers, and NumPy's."""
    def add(label, op, args, kwargs=None):
        store.add(f"numbers/{label}", op, args, kwargs)

    small, bytes_ = np.array([1, 2], np.int8), np.array([1, 2], np.uint8)
    for label, key in {"weak": (bytes_, 0), "over": (small, 255), "under": (bytes_, -1), "float": (small, 1.5), "floats": (np.float32([0]), 1.5, 2j),
                       "list": (small, [1, 2]), "alone": (1, 2.5), "truth": (True, 2), "truths": (np.array([True]), 2),
                       "typed": (bytes_, np.int16(3)), "slice": (bytes_, slice(0, 3, 1)), "large": (np.float32([1]), 2**70)}.items():
        add(f"r_/{label}", "np.r_", key)
    add("c_/weak", "np.c_", [np.array([1], np.uint8), 0])
    truths = np.array([True, False])
    for op in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        for number in (2**63, -2**63 - 1, 2**70, 2**62, 2**63 - 1):
            add(f"{op}/{number}", f"np.{op}", [truths, number])
            add(f"{op}/{number}/turned", f"np.{op}", [number, truths])
    for op, value, dtype in (("np.array", np.uint64(2**64 - 1), "int16"), ("np.asarray", np.int64(300), "int8"), ("np.array", [np.int64(300)], "int8"),
                             ("np.array", 300, "int8"), ("np.array", np.float64(300.75), "int16"), ("np.asarray", np.uint8(200), "int8")):
        add(f"{op}/{np.asarray(value).dtype}/{dtype}/{type(value).__name__}", op, [value], {"dtype": np.dtype(dtype)})
    for label, value in {"inf": [INF], "nan": [NAN], "number": INF, "minus": [[1.0, -INF]], "finite": [1.0, 2.0], "beyond": [300]}.items():
        add(f"asarray_chkfinite/{label}", "np.asarray_chkfinite", [value], {"dtype": np.dtype("int8" if label == "beyond" else "int64")})
    one, two = np.float32([1]), np.float32([2])
    for rtol in (0.4999999999999999, 0.5, 0.4999):
        add(f"isclose/{rtol}", "np.isclose", [one, two], {"atol": 0.0, "rtol": rtol})
        add(f"isclose/{rtol}/scalars", "np.isclose", [one[0], two[0]], {"atol": 0.0, "rtol": rtol})
        add(f"isclose/{rtol}/plain", "np.isclose", [one, 2], {"atol": 0.0, "rtol": rtol})
        add(f"isclose/{rtol}/plain/whole", "np.isclose", [one, 2.0], {"atol": 0, "rtol": rtol})
        add(f"isclose/{rtol}/plain/both", "np.isclose", [1, 2], {"atol": 0, "rtol": rtol})
        add(f"isclose/{rtol}/plain/first", "np.isclose", [1, two], {"atol": 0, "rtol": rtol})
        add(f"allclose/{rtol}", "np.allclose", [one, two], {"atol": 0.0, "rtol": rtol})


def texts(store):
    def add(label, op, args, kwargs=None):
        store.add(f"replayed_text/{label}", op, args, kwargs)

    for sign in ("+", "-"):
        for label, x in {"mixed": np.array([10, -1, 1]), "small": np.array([0, 1]), "unsigned": np.array([0, 1], np.uint8), "truth": np.array([True]),
                         "matrix": np.array([[10, -1], [5, 200]]), "least": np.array([np.iinfo(np.int64).min, 0])}.items():
            add(f"array2string/{sign}/{label}", "np.array2string", [x], {"sign": sign})
    large = np.finfo(np.float32).max
    for name, x in {"12345": 12345.0, "0.5": 0.5, "3.25": 3.25, "largest": np.float32(large), "1e22": 1e22, "third": 1 / 3}.items():
        for kwargs in ({"fractional": False, "min_digits": 2}, {"fractional": False, "min_digits": 9}, {"fractional": True, "min_digits": 0}, {"precision": 20}, {},
                       {"fractional": True, "min_digits": 3}, {"unique": False, "precision": 3}, {"fractional": False, "precision": 4},
                       {"fractional": True, "precision": 20, "min_digits": 0}):
            label = ",".join(f"{key}={value}" for key, value in kwargs.items())
            add(f"positional/{name}/{label}", "np.format_float_positional", [x], kwargs)


def statistics(store):
    def add(label, op, args, kwargs=None):
        store.add(f"replayed_statistics/{label}", op, args, kwargs, tolerance=NEAR)

    for label, sample, bins in (("one", [0.5], [[0, 0.5, 1]]), ("two", [0.5, 0.75], [[0, 0.5, 1]]), ("lists", [[0.5, 0.75], [0.25, 0.125]], 2),
                                ("arrays", [np.array([0.5, 0.75]), np.array([0.25, 0.125])], 2), ("number", [0.5, 0.75], 2)):
        counts, edges = np.histogramdd(sample, bins)
        store.add(f"replayed_statistics/histogramdd/{label}", "np.histogramdd", [sample, bins], expected=[counts, *edges], tolerance=NEAR)
    for dtype in (np.float32, np.float64):
        x = np.array([1, 2, 3], dtype)
        full = np.polyfit(x, x, 0, full=True)
        store.add(f"replayed_statistics/polyfit/{np.dtype(dtype)}", "np.polyfit", [x, x, 0], {"full": True},
                  expected=[np.asarray(part) for part in full], tolerance=allclose(1e-5, 1e-6))
    for dtype in ("int16", "float16", "float32", "float64", "complex64"):
        for shape in ((0, 1), (0, 3)):
            add(f"cov/{dtype}/{shape}", "np.cov", [np.zeros(shape)], {"dtype": np.dtype(dtype)})
    for method in ("averaged_inverted_cdf", "interpolated_inverted_cdf", "inverted_cdf", "hazen", "weibull", "midpoint", "linear", "lower", "nearest",
                   "closest_observation", "median_unbiased"):
        for label, q in {"whole": [0, 1], "number": 0, "floats": [0.0, 1.0], "truths": [False, True]}.items():
            for op in ("quantile", "nanquantile"):
                add(f"{op}/{method}/{label}", f"np.{op}", [np.array([10, 11, 12]), q], {"method": method})
        add(f"percentile/{method}", "np.percentile", [np.array([10, 11, 12]), [0, 100]], {"method": method})
    add("correlate/swapped", "np.correlate", [np.arange(5.0), np.arange(6.0), "valid"])


def refusals(store):
    """Calls that NumPy refuses, and the class of what it raises first."""
    def add(label, op, args, kwargs=None):
        store.add(f"refused/{label}", op, args, kwargs)

    x, n = np.arange(3), np.zeros((2, 2))
    add("arange/start", "np.arange", [], {"start": 4})
    add("arange/start/step", "np.arange", [], {"start": 4, "step": 2})
    add("arange/stop", "np.arange", [], {"stop": 4})
    add("arange/ragged", "np.arange", [[1, [2, 3]]])
    add("arange/ragged/stop", "np.arange", [0, [1, [2]]])
    add("arange/list", "np.arange", [[1, 2]])
    add("choose/many", "np.choose", [0, [1] * 65])
    add("choose/most", "np.choose", [0, [1] * 63])
    add("index/ragged", "getitem", [n, [1, [2, 3]]])
    add("index/slice", "getitem", [n, [[1], slice(1, 2)]])
    add("index/ragged/second", "getitem", [n, [1], [2, [3]]])
    add("index/many", "getitem", [n, *[np.array(0)] * 64])
    add("setitem/ragged", "setitem", [n, 1.0, [1, [2, 3]]])
    add("pad/number", "np.pad", [x, 1], {"mode": 1})
    add("pad/none", "np.pad", [x, 1], {"mode": None})
    add("pad/name", "np.pad", [x, 1], {"mode": "foo"})
    add("pad/unknown", "np.pad", [x, 1], {"mode": "constant", "notallowed": 3})
    add("pad/other", "np.pad", [x, 1], {"mode": "edge", "constant_values": 3})
    add("bincount/floats", "np.bincount", [np.array([1.0, 2.0])], {"minlength": -1})
    add("bincount/list", "np.bincount", [[1.0, 2.0]], {"minlength": -1})
    add("bincount/integers", "np.bincount", [[1, 2]], {"minlength": -1})
    add("histogramdd/count", "np.histogramdd", [n], {"bins": [1, 0.99]})
    add("negative.at", "np.negative.at", [x, [0], [1]])
    for op in ("tril_indices", "triu_indices"):
        add(f"{op}/array", f"np.{op}", [x])
        add(f"{op}/matrix", f"np.{op}", [n])
        add(f"{op}/k", f"np.{op}", [3], {"k": x})
        add(f"{op}/m", f"np.{op}", [3], {"m": x})
    add("put_along_axis", "np.put_along_axis", [np.zeros((2, 3)), np.array([0, 1]), [[1, 2, 3], [1, 2]], 0])
    for op in ("cov", "corrcoef"):
        add(f"{op}/lengths", f"np.{op}", [np.zeros((2, 3)), np.zeros((2, 4))], {"dtype": np.dtype("int64")})
        add(f"{op}/dtype", f"np.{op}", [np.zeros((2, 3))], {"dtype": np.dtype("int64")})
    add("solve/nothing", "np.linalg.solve", [np.zeros((3, 3)), np.zeros((3, 0))])
    add("solve/regular", "np.linalg.solve", [np.eye(3), np.zeros((3, 0))])
    add("solve/no_batch", "np.linalg.solve", [np.zeros((0, 3, 3)), np.zeros((3, 0))])
    add("solve/batch", "np.linalg.solve", [np.array([np.eye(2), [[1, 2], [2, 4]]]), np.zeros((2, 0))])
    add("reshape/nothing", "np.reshape", [np.zeros(0), ()])
