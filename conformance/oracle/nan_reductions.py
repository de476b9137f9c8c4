"""Reductions and scans that pass over NaN, running products and extrema, counts, spans, averages, areas, norms.

Sums of floats are taken in float64 and rounded once, and judged by a few roundings of the accumulator.
"""

import numpy as np

import exact
from inputs import ALL, BOOL, COMPLEX, FLOATS, INTS, ordinary, specials
from store import BF16, EXACT, View, allclose, function, plain

F16, F32, F64, I8, I16, I64 = (np.dtype(n) for n in ("float16", "float32", "float64", "int8", "int16", "int64"))
INF, NAN = np.inf, np.nan
BACKWARD = slice(None, None, -1)
ROUNDED = ("nansum", "nanprod", "nanmean", "nanvar", "nanstd")
CHOSEN = ("nanmin", "nanmax", "nanargmin", "nanargmax")


def cases(store):
    for name in ROUNDED + CHOSEN:
        for dtype in ALL:
            by_dtype(store, name, dtype)
        options(store, name)
        layouts(store, name)
    scans(store)
    counts(store)
    averages(store)
    areas(store)
    norms(store)
    outs(store)
    means(store)


def holes(dtype, shape, name):
    """Ordinary numbers with NaN in a third of the places, where the dtype has it."""
    count = int(np.prod(shape))
    x = ordinary(dtype, count, name)
    if dtype in FLOATS or dtype in COMPLEX:
        x[::3] = NAN
        x[1:2] = x[1:2]
    return x.reshape(shape)


def add(store, id, op, args, kwargs=None, loose=1):
    """NumPy's value; for floats from float64, rounded to what the dtypes give, within a few roundings."""
    kwargs = kwargs or {}
    values = [plain(a) for a in args]
    first = next(v for v in values if hasattr(v, "dtype"))
    kind = first.dtype.kind
    if kind not in "fcV" and first.dtype != BF16:
        try:
            expected = function(op)(*values, **{k: plain(v) for k, v in kwargs.items()})
        except Exception as error:
            expected = error
        inexact = not isinstance(expected, (Exception, tuple)) and np.asarray(expected).dtype.kind in "fc"
        tuples = isinstance(expected, tuple)
        store.add(id, op, args, kwargs, expected=expected, tolerance=allclose(1e-13, 1e-14) if inexact or tuples else EXACT)
        return
    wide = np.complex128 if kind == "c" else np.float64
    widen = lambda v: v.astype(wide) if getattr(v, "dtype", None) is not None and (v.dtype.kind == "f" or v.dtype == BF16 or v.dtype.kind == "c") else v
    try:
        found = function(op)(*map(widen, values), **{k: widen(plain(v)) for k, v in kwargs.items() if k != "dtype"})
    except Exception as error:
        store.add(id, op, args, kwargs, expected=error)
        return
    try:
        target = np.asarray(function(op)(*[v.astype(F32) if getattr(v, "dtype", None) == BF16 else v for v in values],
                                          **{k: plain(v) for k, v in kwargs.items()}))
    except Exception as error:
        store.add(id, op, args, kwargs, expected=error)
        return
    out = BF16 if first.dtype == BF16 and target.dtype == F32 and "dtype" not in kwargs else target.dtype
    found = np.asarray(found).astype(out)
    if out.kind not in "fc" and out != BF16:
        store.add(id, op, args, kwargs, expected=found)
        return
    loose = 1 if out.itemsize == 2 else loose
    eps = max(exact.eps(out), exact.eps(first.dtype) if out.itemsize > first.dtype.itemsize else 0)
    scale = float(np.nanmax(np.abs(np.where(np.isfinite(widen(first)), widen(first), 0)), initial=0)) * max(first.size, 1)
    store.add(id, op, args, kwargs, expected=found, tolerance=allclose(16 * loose * eps, 4 * loose * eps * scale))


def choose(store, id, op, args, kwargs=None):
    """What is chosen among the elements is exact."""
    values = [plain(a) for a in args]
    if any(getattr(v, "dtype", None) == BF16 for v in values):
        try:
            expected = function(op)(*[v.astype(F32) if getattr(v, "dtype", None) == BF16 else v for v in values], **(kwargs or {}))
            expected = np.asarray(expected)
            expected = expected.astype(BF16) if expected.dtype == F32 else expected
        except Exception as error:
            expected = error
        store.add(id, op, args, kwargs, expected=expected)
    else:
        store.add(id, op, args, kwargs)


def one(store, id, name, args, kwargs=None):
    (choose if name in CHOSEN else add)(store, id, f"np.{name}", args, kwargs)


def by_dtype(store, name, dtype):
    x = holes(dtype, (3, 4, 2), name if name == "nanprod" else "any")
    id = f"nan/np.{name}/{dtype.name}"
    one(store, f"{id}/none", name, [x])
    one(store, f"{id}/axis=1", name, [x], {"axis": 1})
    one(store, f"{id}/axis=-1,keepdims", name, [x], {"axis": -1, "keepdims": True})
    if name not in ("nanargmin", "nanargmax"):
        one(store, f"{id}/axis=(0,2)", name, [x], {"axis": (0, 2)})
    if dtype in FLOATS and (dtype != BF16 or name in CHOSEN):
        for label, row in {"inf": [1.0, NAN, INF], "minus_inf": [NAN, -INF, 2.0], "only_inf": [NAN, INF], "both_inf": [INF, NAN, -INF],
                           "one": [NAN, 2.5, NAN], "all_nan": [NAN, NAN], "ties": [NAN, 5.0, 1.0, 5.0, 1.0]}.items():
            if name in ("nanvar", "nanstd") and "inf" in label:
                continue
            one(store, f"{id}/{label}", name, [np.array(row).astype(dtype)])


def options(store, name):
    arg = name in ("nanargmin", "nanargmax")
    id = f"nan_options/np.{name}"
    x = holes(F32, (3, 4, 5), "options")
    x[1, :, 2] = NAN
    for axis in (0, 1, 2, -1, -3, None) + (() if arg else ((0, 1), (-1, 0), (0, 1, 2), ())):
        if axis == () and name in ("nanvar", "nanstd", "nanmean"):
            continue
        one(store, f"{id}/axis={axis}", name, [x], {"axis": axis})
    one(store, f"{id}/axis=3", name, [x], {"axis": 3})
    one(store, f"{id}/axis=-4", name, [x], {"axis": -4})
    if not arg:
        one(store, f"{id}/axis=(0,0)", name, [x], {"axis": (0, 0)})
    one(store, f"{id}/zero_d", name, [np.array(2.5, F32)])
    one(store, f"{id}/zero_d_nan", name, [np.array(NAN, F32)])
    one(store, f"{id}/one", name, [np.array([[2.5]], F32)], {"axis": 1})
    for label, shape, axis in (("all", (0,), None), ("axis=0", (0, 3), 0), ("axis=1", (0, 3), 1)):
        one(store, f"{id}/empty/{label}", name, [np.zeros(shape, F32)], {"axis": axis})
        one(store, f"{id}/empty_int/{label}", name, [np.zeros(shape, I16)], {"axis": axis})
    if arg:
        return
    mask = ordinary(BOOL, 60, "mask").reshape(3, 4, 5)
    row = np.array([True, False, True, True, False])
    ints = ordinary(I16, 12, "options").reshape(3, 4)
    if name in ("nanmin", "nanmax"):
        one(store, f"{id}/initial", name, [x], {"axis": 1, "initial": np.float32(0.5)})
        one(store, f"{id}/where_initial", name, [x], {"axis": 1, "where": mask, "initial": np.float32(1.25)})
        one(store, f"{id}/where", name, [x], {"axis": 1, "where": mask})
        one(store, f"{id}/empty_initial", name, [np.zeros((0, 3), F32)], {"axis": 0, "initial": 1.5})
        one(store, f"{id}/int16/initial", name, [ints], {"axis": 1, "initial": 5})
        return
    one(store, f"{id}/where", name, [x], {"axis": 1, "where": mask})
    one(store, f"{id}/where_row", name, [x], {"axis": 2, "where": row})
    one(store, f"{id}/int16/where", name, [ints], {"axis": 0, "where": mask[:, :, 0]})
    for target in (F64, F16, np.dtype("complex128")):
        if not (target.kind == "c" and name in ("nanmean", "nanvar", "nanstd")) and not (target == F16 and name == "nanprod"):
            one(store, f"{id}/dtype={target.name}", name, [x], {"axis": 1, "dtype": target})
    if name in ("nansum", "nanprod"):
        one(store, f"{id}/initial", name, [x], {"axis": 2, "initial": 2.5})
        one(store, f"{id}/where_initial", name, [x], {"axis": 2, "where": row, "initial": 2.0})
        one(store, f"{id}/int16/dtype=int8", name, [ints], {"axis": 1, "dtype": I8})
    elif name == "nanmean":
        store.add(f"{id}/dtype=int64", "np.nanmean", [x], {"dtype": I64})
        store.add(f"{id}/int16/dtype=int64", "np.nanmean", [ints], {"dtype": I64, "axis": 0})
        store.add("mean/dtype=int64", "np.mean", [np.array([[1.75, 2.5], [4.5, -7.25]])], {"dtype": I64, "axis": 0})
        store.add("mean/dtype=int16", "np.mean", [ints], {"dtype": I16})
        store.add("mean/dtype=int16/where", "np.mean", [ints], {"dtype": I16, "axis": 1, "where": mask[:, :, 0]})
    if name in ("nanvar", "nanstd"):
        for ddof in (1, 2, 3, 0.5, -1):
            one(store, f"{id}/ddof={ddof}", name, [x], {"axis": 1, "ddof": ddof})
        one(store, f"{id}/correction", name, [x], {"axis": 1, "correction": 1})
        one(store, f"{id}/both", name, [x], {"axis": 1, "correction": 1, "ddof": 1})
        one(store, f"{id}/ddof=2,keepdims", name, [x], {"axis": (0, 1), "ddof": 2, "keepdims": True})


def layouts(store, name):
    x = holes(F32, (3, 4, 5), "layout")
    for label, view in {"transposed": View(x, ("transpose", [2, 0, 1])), "negative": View(x, ("slice", [BACKWARD, slice(None, None, 2), BACKWARD])),
                        "column": View(x, ("slice", [slice(None), slice(None), 1])), "broadcast": View(x[:, 1:2], ("broadcast_to", [3, 2, 5]))}.items():
        for axis in (None, 1):
            one(store, f"nan_views/np.{name}/{label}/{axis}", name, [view], {"axis": axis})


def scans(store):
    for dtype in ALL:
        x = ordinary(dtype, 12, "scan").reshape(2, 3, 2)
        y = holes(dtype, (2, 3, 2), "scan")
        for axis in (None, 0, 1, -1):
            add(store, f"scans/np.cumprod/{dtype.name}/{axis}", "np.cumprod", [x], {"axis": axis}, loose=10)
            add(store, f"scans/np.nancumsum/{dtype.name}/{axis}", "np.nancumsum", [y], {"axis": axis})
            add(store, f"scans/np.nancumprod/{dtype.name}/{axis}", "np.nancumprod", [y], {"axis": axis}, loose=10)
        for name in ("maximum", "minimum"):
            choose(store, f"scans/np.{name}.accumulate/{dtype.name}", f"np.{name}.accumulate", [y], {"axis": 1})
        if dtype in INTS:
            store.add(f"scans/np.cumprod/{dtype.name}/extremes", "np.cumprod", [specials(dtype)[1:]])
    x = ordinary(I8, 12, "scan").reshape(3, 4)
    for target in ("int8", "uint8", "float32", "float64", "complex64"):
        store.add(f"scans/np.cumprod/int8/dtype={target}", "np.cumprod", [x], {"axis": 1, "dtype": np.dtype(target)})
    long = (1 + ordinary(F64, 5000, "long") / 1e5)
    store.add("scans/np.cumprod/long", "np.cumprod", [View(long[:1], ("broadcast_to", [5000]))], expected=np.cumprod(np.full(5000, long[0])), tolerance=allclose(1e-12, 0))
    f = ordinary(F32, 24, "views").reshape(2, 3, 4)
    for op in ("np.cumprod", "np.nancumsum", "np.nancumprod"):
        for label, view in {"transposed": View(f, ("transpose", [2, 0, 1])), "negative": View(f, ("slice", [slice(None), BACKWARD])),
                            "broadcast": View(f[:, :1, 0], ("broadcast_to", [2, 3]))}.items():
            for axis in (None, 0, 1):
                add(store, f"scans/{op}/views/{label}/{axis}", op, [view], {"axis": axis}, loose=10)
        for label, array in {"empty": np.zeros(0, F32), "empty_int": np.zeros((0, 3), I16), "zero_d": np.array(3, I16), "one": np.array([[7]], np.uint8)}.items():
            store.add(f"scans/{op}/{label}", op, [array])
        store.add(f"scans/{op}/zero_d/axis=0", op, [np.array(2.5)], {"axis": 0})
        store.add(f"scans/{op}/bad_axis", op, [f], {"axis": 3})
        store.add(f"scans/{op}/nan", op, [np.array([2.0, NAN, 3.0, INF])])
        store.add(f"scans/{op}/out", op, [np.array([2.0, 3.0])], {"out": np.zeros(2, F32)}, expected=function(op)(np.array([2.0, 3.0])).astype(F32))
    for op in ("np.cumulative_sum", "np.cumulative_prod"):
        for label, args, kwargs in [("one", [np.arange(1, 5)], {}), ("axis", [f], {"axis": 1}), ("no_axis", [f], {}), ("initial", [np.arange(1, 5)], {"include_initial": True}),
                                    ("initial_axis", [np.arange(1, 7, dtype=I8).reshape(2, 3)], {"axis": -1, "include_initial": True}),
                                    ("dtype", [np.arange(1, 5, dtype=I8)], {"dtype": F32, "include_initial": True}), ("zero_d", [np.array(3)], {}),
                                    ("zero_d_initial", [np.array(3)], {"include_initial": True}), ("empty", [np.zeros(0)], {"include_initial": True}), ("bad", [f], {"axis": 5})]:
            add(store, f"scans/{op}/{label}", op, args, kwargs, loose=10)


def counts(store):
    for dtype in ALL:
        x = (ordinary(dtype, 24, "count") * ordinary(BOOL, 24, "zeros").astype(dtype)).reshape(2, 3, 4)
        for axis in (None, 1, (0, 2)):
            store.add(f"count/np.count_nonzero/{dtype.name}/{axis}", "np.count_nonzero", [x], {"axis": axis})
            if dtype not in COMPLEX:
                choose(store, f"count/np.ptp/{dtype.name}/{axis}", "np.ptp", [x], {"axis": axis})
    f = np.array([[0.0, -0.0, NAN], [INF, 2.0, 1.0]])
    for op in ("np.count_nonzero", "np.ptp"):
        for label, array, kwargs in [("specials", f, {}), ("specials_axis", f, {"axis": 1}), ("keepdims", f[1:], {"axis": 1, "keepdims": True}), ("keepdims_all", f[1:, 1:], {"keepdims": True}),
                                     ("empty", f[:0], {}), ("empty_axis", f[:0], {"axis": 1}), ("zero_d", np.array(3), {}), ("bad", f, {"axis": 2}),
                                     ("wraps", np.array([-128, 127], I8), {}), ("complex", np.array([1 + 2j, 0, 3 - 1j]), {}), ("transposed", View(f[1:], ("transpose", [1, 0])), {"axis": 0})]:
            store.add(f"count/{op}/{label}", op, [array], kwargs)


def averages(store):
    for dtype in ALL:
        if dtype == BF16:
            continue
        x, w = ordinary(dtype, 12, "average").reshape(3, 4), np.arange(1, 13, dtype=F64).reshape(3, 4) / 4
        add(store, f"average/{dtype.name}/plain", "np.average", [x], {"axis": 0})
        add(store, f"average/{dtype.name}/weights", "np.average", [x], {"axis": 1, "weights": w.astype(F32)})
    x, cube = ordinary(F64, 12, "average").reshape(3, 4), ordinary(F64, 24, "average").reshape(2, 3, 4)
    near = allclose(1e-13, 1e-14)
    for label, args, kwargs in [
        ("all", [x], {}), ("weights_all", [x], {"weights": np.abs(x)}), ("weights_row", [x], {"axis": 1, "weights": np.arange(1, 5)}),
        ("weights_column", [x], {"axis": 0, "weights": np.array([1, 0, 3], I8)}), ("weights_axes", [cube], {"axis": (0, 2), "weights": np.arange(1.0, 9).reshape(2, 4)}),
        ("weights_axes_back", [cube], {"axis": (2, 0), "weights": np.arange(1.0, 9).reshape(4, 2)}), ("keepdims", [x], {"axis": 1, "keepdims": True, "weights": np.arange(1, 5)}),
        ("returned", [x], {"axis": 0, "returned": True}), ("returned_weights", [x], {"axis": 1, "weights": np.arange(1, 5), "returned": True}), ("returned_all", [x], {"returned": True}),
        ("ints", [np.arange(6, dtype=I8).reshape(2, 3)], {"weights": np.arange(6).reshape(2, 3)}), ("no_axis", [x], {"weights": np.ones(4)}), ("bad_shape", [x], {"axis": 1, "weights": np.ones(3)}),
        ("zero", [x], {"axis": 1, "weights": np.array([1.0, -1.0, 1.0, -1.0])}), ("bad_axis", [x], {"axis": 2}), ("nan", [np.array([1.0, NAN])], {"weights": np.array([1.0, 0.0])}),
        ("float32_int", [x.astype(F32)], {"axis": 0, "weights": np.array([1, 2, 3])}), ("transposed", [View(x, ("transpose", [1, 0]))], {"axis": 0, "weights": np.arange(1, 5)}),
    ]:
        store.add(f"average/forms/{label}", "np.average", args, kwargs, tolerance=near)


def areas(store):
    y, x = ordinary(F64, 12, "area").reshape(3, 4), np.array([0.0, 0.5, 2.0, 2.25])
    near = allclose(1e-13, 1e-14)
    for dtype in ALL:
        if dtype in (BF16, BOOL):
            continue
        add(store, f"trapezoid/{dtype.name}", "np.trapezoid", [ordinary(dtype, 12, "area").reshape(3, 4)], {"axis": 0}, loose=4)
    for label, args, kwargs in [("plain", [y], {}), ("dx", [y], {"dx": 0.25}), ("x", [y, x], {}), ("x_axis", [y, x[:3]], {"axis": 0}), ("x_full", [y, np.cumsum(np.abs(y), 1)], {}),
                                ("x_full_axis", [y, np.cumsum(np.abs(y), 0)], {"axis": 0}), ("int_x", [y, np.array([0, 2, 3, 7])], {}), ("one", [y[:, :1]], {}), ("empty", [y[:, :0]], {}),
                                ("bad_axis", [y], {"axis": 2}), ("bad_shape", [y, x[:2]], {}), ("negative_axis", [y], {"axis": -2, "dx": 2}), ("transposed", [View(y, ("transpose", [1, 0]))], {})]:
        store.add(f"trapezoid/forms/{label}", "np.trapezoid", args, kwargs, tolerance=near)


def norms(store):
    op = "np.linalg.norm"
    for dtype in ALL:
        if dtype == BF16:
            continue
        x = ordinary(dtype, 12, "norm").reshape(3, 4)
        v = ordinary(dtype, 7, "norm")
        for label, args, kwargs in [("vector", [v], {}), ("matrix", [x], {}), ("axis", [x], {"axis": 1}), ("one", [v, 1], {}), ("inf", [v, INF], {}), ("fro", [x, "fro"], {}), ("columns", [x, 1], {})]:
            add(store, f"norm/{dtype.name}/{label}", op, args, kwargs, loose=4)
    v, m, cube = ordinary(F64, 7, "norm"), ordinary(F64, 12, "norm").reshape(3, 4), ordinary(F64, 24, "norm").reshape(2, 3, 4)
    near = allclose(1e-13, 1e-14)
    for order in (None, 0, 1, 2, 3, 0.5, -1, -2, INF, -INF, "fro", "x"):
        store.add(f"norm/vector/{order}", op, [v, order], {}, tolerance=near)
        store.add(f"norm/axis/{order}", op, [cube, order], {"axis": 1}, tolerance=near)
        store.add(f"norm/axis_keepdims/{order}", op, [m, order], {"axis": -1, "keepdims": True}, tolerance=near)
    for order in (None, 1, -1, INF, -INF, "fro", "f", 3, 0, "x"):
        store.add(f"norm/matrix/{order}", op, [m, order], {}, tolerance=near)
        store.add(f"norm/axes/{order}", op, [cube, order], {"axis": (0, 2)}, tolerance=near)
        store.add(f"norm/axes_back/{order}", op, [cube, order], {"axis": (-1, 0), "keepdims": True}, tolerance=near)
    for label, args, kwargs in [("cube", [cube], {}), ("cube_keepdims", [cube], {"keepdims": True}), ("cube_order", [cube, 1], {}), ("three_axes", [cube], {"axis": (0, 1, 2)}), ("twice", [cube], {"axis": (1, 1)}),
                                ("bad_axis", [m], {"axis": 2}), ("zero_d", [np.array(-3.0)], {}), ("zero_d_order", [np.array(-3.0), 1], {}), ("empty", [v[:0]], {}), ("empty_inf", [v[:0], INF], {}),
                                ("empty_minus_inf", [v[:0], -INF], {}), ("nan", [np.array([1.0, NAN]), INF], {}), ("transposed", [View(m, ("transpose", [1, 0])), 1], {})]:
        store.add(f"norm/forms/{label}", op, args, kwargs, tolerance=near)
    for order in (1, 2, INF, 0, 3):
        store.add(f"norm/vector_norm/{order}", "np.linalg.vector_norm", [cube], {"ord": order}, tolerance=near)
        store.add(f"norm/vector_norm/{order}/axis", "np.linalg.vector_norm", [cube], {"ord": order, "axis": 1, "keepdims": True}, tolerance=near)
    for axis in (None, (0, 2), (2, 0), (0, 1, 2), 1):
        for keepdims in (False, True):
            store.add(f"norm/vector_norm/axes/{axis}/{keepdims}", "np.linalg.vector_norm", [cube], {"axis": axis, "keepdims": keepdims, "ord": 3}, tolerance=near)
    for dtype in ALL:
        if dtype == BF16:
            continue
        x = ordinary(dtype, 12, "norm").reshape(3, 4)
        for order in (2, -2, "nuc"):
            # Of bool and small integers in f64; 1e-6 of f32 are 8 roundings of a sum of three.
            add(store, f"norm/{dtype.name}/spectral/{order}", op, [x, order], {}, loose=16)
    for order in (2, -2, "nuc"):
        for label, args, kwargs in [("tall", [m.T.copy(), order], {}), ("axes", [cube, order, (0, 2)], {}), ("axes_back", [cube, order, (-1, 0)], {"keepdims": True}),
                                    ("vector", [v, order], {}), ("one", [m[:1, :1], order], {}), ("row", [m[:1], order], {}), ("zeros", [np.zeros((3, 3)), order], {}),
                                    ("alike", [np.ones((3, 3)), order], {}), ("identity", [np.eye(5), order], {}), ("huge", [m * 1e300, order], {}), ("tiny", [m * 1e-300, order], {}),
                                    ("nan", [np.array([[1.0, NAN], [2.0, 3.0]]), order], {}), ("odd", [ordinary(F64, 49, "norm").reshape(7, 7), order], {}), ("empty", [m[:0], order], {})]:
            store.add(f"norm/spectral/{label}/{order}", op, args, kwargs, tolerance=near)
    for order in ("fro", 1, -1, 2, -2, "nuc", INF):
        store.add(f"norm/matrix_norm/{order}", "np.linalg.matrix_norm", [cube], {"ord": order}, tolerance=near)


def means(store):
    """`mean=` of spreads."""
    near = allclose(1e-13, 1e-14)
    x = ordinary(F64, 12, "means").reshape(3, 4)
    y = x.copy()
    y[0, ::2] = NAN
    mask = ordinary(BOOL, 12, "means").reshape(3, 4)
    mask[:, :2] = True
    for op, z in (("var", x), ("std", x), ("nanvar", y), ("nanstd", y)):
        for label, kwargs in {"axis": {"axis": 0, "mean": z.mean(0, keepdims=True)}, "keepdims": {"axis": 1, "keepdims": True, "mean": np.array([[1.0], [2.0], [3.0]])},
                              "ddof": {"axis": 1, "ddof": 1, "mean": np.zeros((3, 1))}, "all": {"mean": np.array([[0.5]])}, "where": {"axis": 1, "mean": np.ones((3, 1)), "where": mask},
                              "none": {"axis": 0, "mean": np.ones((1, 4)), "ddof": 3}}.items():
            if op.startswith("nan") and label == "none":
                continue
            store.add(f"spread_mean/np.{op}/{label}", f"np.{op}", [z], kwargs, tolerance=near)
    store.add("spread_mean/np.var/int8", "np.var", [np.arange(6, dtype=I8)], {"mean": np.array([2.0])}, tolerance=near)
    store.add("spread_mean/np.var/complex", "np.var", [x[:2] + 1j * x[1:]], {"axis": 1, "mean": np.array([[1j], [2.0]])}, tolerance=near)


def outs(store):
    """`out=` of reductions: the result, converted without a rule."""
    x = ordinary(F64, 12, "out").reshape(3, 4)
    for op in ("sum", "prod", "min", "max", "mean", "var", "std", "nansum", "nanmean", "nanmax", "ptp", "any", "all", "argmax", "nanargmin"):
        out = np.zeros(4, I64 if "arg" in op else F64)
        expected = getattr(np, op)(x, axis=0).astype(out.dtype)
        store.add(f"reduction_out/np.{op}", f"np.{op}", [x], {"axis": 0, "out": out}, expected=expected, tolerance=EXACT if "arg" in op else allclose(1e-13, 0))
        store.add(f"reduction_out/np.{op}/shape", f"np.{op}", [x], {"axis": 0, "out": out[:3]}, expected=ValueError())
    store.add("reduction_out/np.argmax/float", "np.argmax", [x], {"axis": 0, "out": np.zeros(4)})
