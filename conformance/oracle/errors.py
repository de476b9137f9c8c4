"""Refusals that belong to no other family: dtypes, axes and arguments that an operation does not take."""

import numpy as np

from inputs import ordinary

BOOL, F32, C64, I32 = (np.dtype(n) for n in ("bool", "float32", "complex64", "int32"))


def cases(store):
    x = {dtype: ordinary(dtype, 6).reshape(2, 3) for dtype in (BOOL, F32, C64, I32)}
    for op, dtype in (("negative", BOOL), ("positive", BOOL), ("sign", BOOL), ("invert", F32), ("invert", C64),
                      ("floor", C64), ("ceil", C64), ("trunc", C64), ("signbit", C64)):
        store.add(f"error/dtype/np.{op}/{dtype.name}", f"np.{op}", [x[dtype]])
    for op, left, right in (("subtract", BOOL, BOOL), ("bitwise_and", F32, F32), ("bitwise_or", I32, F32),
                            ("bitwise_xor", C64, I32), ("left_shift", F32, I32), ("right_shift", I32, F32),
                            ("left_shift", BOOL, F32), ("floor_divide", C64, F32), ("remainder", C64, C64),
                            ("fmod", F32, C64)):
        store.add(f"error/dtype/np.{op}/{left.name}_{right.name}", f"np.{op}", [x[left], x[right]])
    store.add("error/dtype/np.bitwise_and/int64_uint64", "np.bitwise_and",
              [np.ones(2, np.int64), np.ones(2, np.uint64)])
    store.add("error/dtype/np.bitwise_and/weak_float", "np.bitwise_and", [x[I32], 1.5])
    for op in ("add", "less", "logical_and", "minimum", "power"):
        for label, left, right in (("3_4", (3,), (4,)), ("2x3_2", (2, 3), (2,)), ("0_2", (0,), (2,)),
                                   ("2x1x3_2x2", (2, 1, 3), (2, 2))):
            store.add(f"error/broadcast/np.{op}/{label}", f"np.{op}",
                      [np.ones(left, np.float32), np.ones(right, np.float32)])
    for op in ("sum", "mean", "max", "argmax", "any", "cumsum"):
        store.add(f"error/axis/np.{op}/2", f"np.{op}", [x[F32]], {"axis": 2})
        store.add(f"error/axis/np.{op}/-3", f"np.{op}", [x[F32]], {"axis": -3})
    for op in ("max", "min", "argmax", "argmin"):
        store.add(f"error/empty/np.{op}", f"np.{op}", [np.zeros((0,), np.float32)])
    store.add("error/where/np.sum/shape", "np.sum", [x[F32]], {"where": np.ones(5, bool)})
    store.add("error/where/np.max/no_initial", "np.max", [x[F32]], {"where": np.ones(3, bool)})
    store.add("error/power/int", "np.power", [np.array([2, 3]), -1])
    data(store)


def data(store):
    """What the data say, and a call refuses: shares, edges, weights, counts and positions that are none."""
    x = np.array([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
    n = np.array([3, 1, 0, 2, 1])
    nan, inf = np.nan, np.inf
    several = {
        "np.quantile": [([x, [0.5, 1.5]], {}), ([x, [-0.1, 0.5]], {"axis": 0}), ([x, nan], {}), ([x, np.array([[0.1], [2.0]])], {"axis": 1}),
                        ([x, 1.5], {"method": "nearest"}), ([x, 0.5 + 0j], {}), ([x, [0.5, -1.0]], {"method": "inverted_cdf", "weights": np.ones((2, 3))}),
                        ([x, 0.5], {"method": "inverted_cdf", "weights": -x}), ([x, 0.5], {"method": "inverted_cdf", "weights": np.ones(2), "axis": 1}),
                        ([x, 0.5], {"weights": np.ones((2, 3))}), ([x > 2, 0.5], {}), ([x * 1j, 0.5], {}), ([x, 0.5], {"axis": 2}), ([x, 0.5], {"method": "middle"})],
        "np.percentile": [([x, [50, 101]], {}), ([x, -1], {}), ([x, np.array([20, 120])], {"axis": 1}), ([x, nan], {})],
        "np.nanquantile": [([x, [0.5, 1.5]], {}), ([x, -0.5], {"axis": 1}), ([x, nan], {})],
        "np.nanpercentile": [([x, [50, 200]], {}), ([x, -1e-9], {})],
        "np.geomspace": [([1, 0, 4], {}), ([-1, 1, 4], {}), ([1, -8, 4], {}), ([np.array([1.0, -1.0]), np.array([2.0, 3.0]), 3], {}), ([0, 0, 2], {}), ([0, 1, 0], {}),
                         ([1, 2, 2.5], {}), ([1, 2, "3"], {})],
        "np.linspace": [([0, 1, 2.5], {}), ([0, 1, -3], {})], "np.logspace": [([0, 1, -3], {}), ([0, 1, 2.5], {})],
        "np.arange": [([0, 1, 0], {}), ([0.0, 1.0, 0.0], {}), ([nan], {}), ([0, inf], {}), ([0, 1e300], {})],
        "np.cov": [([x], {"fweights": np.array([1, -2, 1])}), ([x], {"fweights": np.array([1.0, 0.5, 1.0])}), ([x], {"fweights": np.array([1.0, 2.0, 1.0])}),
                   ([x], {"aweights": np.array([1.0, -1.0, 2.0])}), ([x], {"fweights": np.array([0, 0, 0])}), ([x], {"aweights": np.zeros(3)}),
                   ([x], {"aweights": np.array([1.0, nan, 1.0])}), ([x], {"ddof": nan}), ([x], {"ddof": 1.5})],
        "np.average": [([x], {"weights": np.zeros((2, 3))}), ([x], {"weights": np.array([1.0, -1.0]), "axis": 0}), ([x], {"weights": np.ones(2), "axis": 1}), ([x], {"weights": np.ones(3)}),
                       ([x], {"weights": np.ones(2), "axis": (0, 1)})],
        "np.bincount": [([n - 1], {}), ([n.astype(float)], {}), ([n.reshape(5, 1)], {}), ([n], {"weights": np.ones(4)}), ([n], {"minlength": -1}), ([n], {"minlength": 2.0}),
                        ([n], {"weights": np.ones(5) * 1j}), ([np.array([0, 2**62])], {}), ([n.astype(np.uint64)], {}), ([np.array(3)], {})],
        "np.histogram": [([x, 0], {}), ([x, -2], {}), ([x, 2.5], {}), ([x], {"range": (2, 1)}), ([x], {"range": (0, nan)}), ([x], {"range": (0, inf)}), ([x], {"range": (-inf, 1)}),
                         ([np.array([1.0, nan])], {}), ([np.array([1.0, inf])], {}), ([x, [1.0, 3.0, 2.0]], {}), ([x, np.ones((2, 2))], {}), ([x, [1.0]], {}), ([x, []], {}), ([x, []], {"weights": np.ones((2, 3), np.float32)}), ([x, []], {"density": True}),
                         ([x], {"weights": np.ones(6)}), ([x, "median"], {}), ([x], {"range": (1, 2, 3)}), ([np.array([1.0, nan]), [0.0, 1.0, 2.0]], {})],
        "np.histogram_bin_edges": [([x, 0], {}), ([x], {"range": (2, 1)}), ([np.array([nan])], {}), ([x, "no"], {}), ([x, [2.0, 1.0]], {})],
        "np.histogram2d": [([x[0], x[0]], {"range": [(0, nan), (0, 1)]}), ([x[0], x[0]], {"bins": [[0, 1, 0.5], 2]}), ([np.array([1.0, nan]), x[0, :2]], {}),
                           ([x[0], x[0]], {"bins": 0}), ([x[0], x[0]], {"bins": -3}), ([x[0], x[0]], {"weights": np.ones(2)})],
        "np.digitize": [([x, [1.0, 3.0, 2.0]], {}), ([x, [[1.0, 2.0]]], {}), ([x * 1j, [1.0, 2.0]], {})],
        "np.interp": [([1.0, [], []], {}), ([1.0, [1.0, 2.0], [1.0]], {}), ([1.0, [1.0, 2.0], [3.0, 4.0]], {"period": 0}), ([x, x, x], {}), ([1j, [1.0, 2.0], [3.0, 4.0]], {})],
        "np.diff": [([x], {"n": -1}), ([x], {"axis": 2}), ([np.array(1.0)], {}), ([x], {"prepend": np.ones(3)})],
        "np.gradient": [([np.array([1.0])], {}), ([x[0], [1.0, 2.0]], {}), ([x], {"edge_order": 3}), ([x[0]], {"axis": 1}), ([x[0, :2]], {"edge_order": 2}), ([x, 1.0, 2.0, 3.0], {})],
        "np.repeat": [([x, -1], {}), ([x[0], [1, -1, 2]], {}), ([x, [1, 2]], {}), ([x, 1.5], {}), ([x, [1, 2, 3]], {"axis": 0})],
        "np.take": [([x, 6], {}), ([x, [-7]], {}), ([x, [0, 3]], {"axis": 1}), ([x, [1.0]], {}), ([np.zeros(0), [0]], {}), ([x, 0], {"mode": "none"})],
        "np.choose": [([[0, 2, 1], [x[0], x[1]]], {}), ([[-1, 0, 1], [x[0], x[1]]], {}), ([[0.0, 1.0, 0.0], [x[0], x[1]]], {})],
        "np.unravel_index": [([6, (2, 3)], {}), ([-1, (2, 3)], {}), ([[0, 7], (2, 3)], {}), ([1.0, (2, 3)], {}), ([0, (0,)], {})],
        "np.ravel_multi_index": [([([0, 2], [0, 1]), (2, 3)], {}), ([([0, -1], [0, 1]), (2, 3)], {}), ([([0, 1],), (2, 3)], {}), ([([0.0], [1.0]), (2, 3)], {})],
        "np.partition": [([x, 3], {}), ([x, -4], {}), ([x, [0, 5]], {}), ([x, 1.0], {})], "np.argpartition": [([x, 3], {}), ([x, [1, -4]], {})],
        "np.insert": [([x[0], 4, 1.0], {}), ([x[0], -5, 1.0], {}), ([x[0], [0, 9], 1.0], {}), ([x[0], 1.5, 1.0], {}), ([x, 3, 1.0], {"axis": 0})],
        "np.delete": [([x[0], 3], {}), ([x[0], [-4]], {}), ([x[0], [True, False]], {}), ([x, 2], {"axis": 0})],
        "np.pad": [([x, -1], {}), ([x, ((1, 1), (1, -2))], {}), ([x, 1.5], {}), ([x, ((1, 1), (1, 1), (1, 1))], {}), ([np.zeros(0), 1], {"mode": "edge"}), ([np.zeros((0, 2)), 1], {"mode": "reflect"}),
                   ([x, 1], {"mode": "mean2"}), ([x, 1], {"mode": "reflect", "constant_values": 2})],
        "np.split": [([x[0], 2], {}), ([x[0], 0], {}), ([x, 3], {}), ([x, 2], {"axis": 2})], "np.array_split": [([x[0], 0], {}), ([x[0], -1], {})],
        "np.tile": [([x, -1], {}), ([x, 1.5], {})], "np.roll": [([x, 1], {"axis": 2}), ([x, (1, 2)], {"axis": (0, 5)}), ([x, (1, 2, 3)], {"axis": (0, 1)}), ([x, 1.5], {})],
        "np.nanargmax": [([np.array([nan, nan])], {}), ([np.array([[1.0, nan], [nan, nan]])], {"axis": 1}), ([np.zeros(0)], {})],
        "np.nanargmin": [([np.array([nan])], {}), ([np.array([[nan, nan], [1.0, nan]])], {"axis": 1})],
        "np.searchsorted": [([x, 1.0], {}), ([x[0], 1.0], {"sorter": [0, 1]}), ([x[0], 1.0], {"side": "middle"}), ([x[0], 1.0], {"sorter": [0.0, 1.0, 2.0]})],
        "np.trapezoid": [([x], {"x": [1.0, 2.0]}), ([x], {"axis": 2}), ([np.array(1.0)], {})], "np.trim_zeros": [([n, "x"], {})],
        "np.packbits": [([x], {}), ([n > 0], {"bitorder": "middle"}), ([n > 0], {"axis": 1})], "np.unpackbits": [([n], {}), ([n.astype(np.uint8)], {"axis": 1})],
        "np.convolve": [([[], [1.0]], {}), ([x, [1.0]], {}), ([x[0], [1.0]], {"mode": "all"})], "np.correlate": [([[], [1.0]], {}), ([[1.0], x], {})],
        "np.resize": [([x, -1], {}), ([np.zeros(0), (2, -1)], {})], "np.vander": [([x], {}), ([x[0], -1], {})], "np.tri": [([-1], {}), ([2, -1], {})], "np.eye": [([-1], {}), ([1.5], {})],
        "np.full": [([(2, -1), 1.0], {})], "np.linalg.matrix_power": [([x, 2], {}), ([np.eye(2), 1.5], {}), ([np.zeros((2, 2)), -1], {}), ([n, 2], {})],
        "np.linalg.inv": [([np.ones((2, 2))], {}), ([x], {}), ([n], {})], "np.linalg.cholesky": [([-np.eye(2)], {}), ([np.array([[1.0, 2.0], [2.0, 1.0]])], {})],
        "np.linalg.solve": [([np.zeros((2, 2)), [1.0, 2.0]], {}), ([np.eye(2), [1.0, 2.0, 3.0]], {})], "np.linalg.eig": [([np.array([[nan, 1.0], [1.0, 2.0]])], {}), ([np.array([[inf, 1.0], [1.0, 2.0]])], {})],
        "np.linalg.lstsq": [([x, [1.0, 2.0, 3.0]], {})], "np.linalg.norm": [([x, "nuclear"], {}), ([x, 3], {}), ([x[0], "fro"], {}), ([x[None], 2], {})],
        "np.linalg.tensorinv": [([x], {"ind": 0}), ([np.eye(4).reshape(2, 2, 4), 3], {})], "np.polyfit": [([x[0], x[1], -1], {}), ([x[0], x[1, :2], 1], {}), ([x[0], x[1], 1], {"w": np.ones(2)}), ([[], [], 1], {})],
        "np.polydiv": [([x[0], []], {})], "np.roots": [([x], {}), ([[1.0, nan, 1.0]], {}), ([[inf, 1.0]], {})],
        "np.power": [([n, -n], {}), ([n, np.array([1, 1, -1, 1, 1])], {})], "np.bartlett": [([nan], {})], "np.piecewise": [([x[0], [x[0] > 1, x[0] > 2], [1, 2, 3, 4]], {})],
        "np.select": [([[x > 1], [x, x]], {}), ([[], []], {}), ([[n], [n]], {})], "np.extract": [([[1, 0, 1, 1, 1, 1, 1], x], {})], "np.compress": [([[True] * 7, x], {}), ([[True, False, True], x], {"axis": 0}), ([x > 1, x], {})],
        "np.random.normal": [([0.0, nan], {})], "np.random.uniform": [([0.0, inf], {}), ([nan, 1.0], {}), ([2.0, 1.0], {})], "np.random.exponential": [([nan], {})], "np.random.rayleigh": [([nan], {})],
        "np.random.binomial": [([5, -0.1], {}), ([5, np.array([0.5, 1.1])], {}), ([np.array([2.5]), 0.5], {})], "np.random.geometric": [([nan], {}), ([-0.5], {})], "np.random.gamma": [([nan], {}), ([1.0, nan], {})],
        "np.random.poisson": [([inf], {}), ([np.array([1.0, nan])], {})], "np.random.beta": [([nan, 1.0], {}), ([1.0, nan], {})], "np.random.dirichlet": [([np.array([0.0, -1.0])], {}), ([np.array([1.0, nan])], {})],
        "np.random.multinomial": [([5, np.array([0.5, 0.6])], {}), ([5, np.array([-0.1, 1.1])], {}), ([5, np.array([nan, 0.5])], {}), ([-2, np.array([1.0])], {})],
        "np.random.multivariate_normal": [([np.zeros(2), np.ones((2, 3))], {}), ([np.zeros(2), np.ones(2)], {})],
        "np.random.choice": [([-3], {}), ([x], {}), ([3, 4], {"replace": False}), ([3], {"p": [0.5, 0.6, -0.1]}), ([3], {"p": [0.5, nan, 0.5]}), ([4, 3], {"replace": False, "p": [0.5, 0.5, 0.0, 0.0]}), ([np.zeros(0), 1], {})],
        "np.random.permutation": [([-1], {})], "np.random.randint": [([0], {}), ([5, 3], {}), ([0, 300], {"dtype": np.uint8}), ([-1, 5], {"dtype": np.uint8}), ([0, 2**65], {})],
        "np.random.zipf": [([nan], {}), ([0.5], {})], "np.random.logseries": [([1.0], {}), ([nan], {})], "np.random.triangular": [([0.0, nan, 1.0], {}), ([3.0, 2.0, 1.0], {})], "np.random.vonmises": [([nan, 1.0], {}), ([0.0, nan], {})],
        "np.random.hypergeometric": [([1, -2, 1], {}), ([1, 2, -1], {}), ([2, 2, 5], {}), ([2**40, 2**40, 2**31], {})], "np.random.standard_t": [([nan], {}), ([-1.0], {})], "np.random.wald": [([nan, 1.0], {}), ([1.0, nan], {})],
        "np.random.negative_binomial": [([0.0, 0.5], {}), ([1.0, 0.0], {}), ([1.0, nan], {}), ([1e300, 1e-300], {})], "np.random.power": [([nan], {}), ([-1.0], {})], "np.random.pareto": [([nan], {})], "np.random.weibull": [([nan], {})],
    }
    for op, calls in several.items():
        for number, (args, kwargs) in enumerate(calls):
            store.add(f"error/data/{op}/{number}", op, args, kwargs)
            # What NumPy draws is its own; only what it refuses is compared.
            if op.startswith("np.random.") and "error" not in store.cases[-1]["expected"]:
                store.cases.pop()
