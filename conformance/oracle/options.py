"""Makes array/tests/data/options.txt: what NumPy answers for functions of reductions and scans under each option and each
two of them.

    pip install numpy==2.4.6
    python3 conformance/oracle/options.py > array/tests/data/options.txt

A line a case: `function | options | dtype | shape | values`, or `refused` in place of the last three where NumPy raises.
array/src/array/reduce/tests.rs asks the same of the engine's methods.
"""
import itertools
import warnings

import numpy as np

A = np.array([[3.0, -1.5, 0.0, 2.25], [0.5, 4.0, -2.0, 7.0], [1.0, 0.0, 6.5, -3.0]])
NANS = A.copy()
NANS[0, 1] = NANS[2, 3] = np.nan
WEIGHTS = np.array([[1.0, 2.0, 0.5, 1.0], [3.0, 1.0, 1.0, 2.0], [0.25, 1.0, 4.0, 1.0]])
OPTIONS = {
    "keepdims": {"keepdims": True},
    "dtype": {"dtype": np.float32},
    "initial": {"initial": 5.0},
    "initial_low": {"initial": -2.75},
    "from_first": {"initial": None},
    "where": {"where": np.array([[True, False, False, True], [True, False, True, True], [False, True, True, True]])},
    "correction": {"correction": 1.0},
    "correction0": {"correction": 0.0},
    "mean": {"mean": np.array([[1.0, 0.5, 2.0, -1.0]])},
}
AXIS = ["sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "mean", "var", "std", "count_nonzero", "ptp",
        "median", "cumsum", "cumprod"]
NAN = ["nansum", "nanprod", "nanmin", "nanmax", "nanargmin", "nanargmax", "nanmean", "nanvar", "nanstd", "nancumsum",
       "nancumprod", "nanmedian"]


def functions():
    for name in AXIS:
        yield name, lambda kw, name=name: getattr(np, name)(A, axis=0, **kw)
    for name in NAN:
        yield name, lambda kw, name=name: getattr(np, name)(NANS, axis=0, **kw)
    yield "cummax", lambda kw: np.maximum.accumulate(A, axis=0, **kw)
    yield "cummin", lambda kw: np.minimum.accumulate(A, axis=0, **kw)
    for name in ["cumulative_sum", "cumulative_prod"]:
        yield name, lambda kw, name=name: getattr(np, name)(A, axis=0, include_initial=True, **kw)
    for name in ["quantile", "percentile", "nanquantile", "nanpercentile"]:
        a, q = NANS if "nan" in name else A, 0.25 if "quantile" in name else 25.0
        yield name, lambda kw, name=name, a=a, q=q: getattr(np, name)(a, q, axis=0, **kw)
        yield name + "_weighted", lambda kw, name=name, a=a, q=q: getattr(np, name)(
            a, q, axis=0, method="inverted_cdf", weights=WEIGHTS, **kw)
    yield "quantile_by", lambda kw: np.quantile(A, 0.25, axis=0, method="hazen", **kw)
    yield "average", lambda kw: np.average(A, axis=0, **kw)
    yield "average_weighted", lambda kw: np.average(A, axis=0, weights=WEIGHTS, **kw)
    yield "norm", lambda kw: np.linalg.norm(A, axis=0, **kw)
    yield "norm_matrices", lambda kw: np.linalg.norm(A, 1, axis=(0, 1), **kw)
    yield "vector_norm", lambda kw: np.linalg.vector_norm(A, axis=0, **kw)
    for name in ["add", "multiply", "maximum", "minimum", "fmax", "hypot", "logical_or", "subtract"]:
        yield f"{name}.reduce", lambda kw, name=name: getattr(np, name).reduce(A, axis=0, **kw)
    yield "add.accumulate", lambda kw: np.add.accumulate(A, axis=0, **kw)
    yield "subtract.accumulate", lambda kw: np.subtract.accumulate(A, axis=0, **kw)
    yield "add.reduceat", lambda kw: np.add.reduceat(A, [0, 2], axis=0, **kw)


def value(x):
    return repr(float(x)).lower()


def lines():
    names = list(OPTIONS)
    sets = [(), *((n,) for n in names), *itertools.combinations(names, 2)]
    for function, run in functions():
        for options in sets:
            keywords = [key for option in options for key in OPTIONS[option]]
            if len(set(keywords)) != len(keywords):
                continue
            try:
                result = np.asarray(run({k: v for option in options for k, v in OPTIONS[option].items()}))
            except (TypeError, ValueError) as error:
                yield f"{function} | {'+'.join(options)} | refused"
                continue
            shape = ",".join(map(str, result.shape))
            yield f"{function} | {'+'.join(options)} | {result.dtype} | {shape} | {' '.join(map(value, result.ravel()))}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    for line in lines():
        print(line)
