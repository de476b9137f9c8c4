"""Reductions and cumsum: every dtype, then axes, options, empty and 0-d arrays, special values."""

from fractions import Fraction

import numpy as np

import exact
from arithmetic import widened
from inputs import ALL, BF16, BOOL, COMPLEX, FLOATS, INTS, ordinary, specials
from store import EXACT, View, allclose, function

ROUNDED = ("sum", "prod", "mean", "var", "std")
OTHERS = ("min", "max", "argmin", "argmax", "any", "all")
F32 = np.dtype("float32")


def cases(store):
    for name in ROUNDED + OTHERS:
        for dtype in ALL:
            by_dtype(store, name, dtype)
        options(store, name)
        layouts(store, name)
    specials_of_floats(store)
    integers_exactly(store)
    scans(store)


def add(store, id, name, array, **kwargs):
    """A reduction of finite values, by exact arithmetic where rounding takes part."""
    value = array.apply() if isinstance(array, View) else array
    given = [array]
    try:
        plain = function(f"np.{name}")(widened(value), **{k: widened(v) if isinstance(v, np.ndarray) else v
                                                          for k, v in kwargs.items()})
    except Exception as error:
        store.add(id, f"np.{name}", given, kwargs, expected=error)
        return
    out = plain.dtype
    if value.dtype == BF16 and out == F32 and "dtype" not in kwargs:
        out = BF16
    if name in OTHERS or out.kind in "biu":
        store.add(id, f"np.{name}", given, kwargs, expected=plain.astype(out))
        return
    expected, bound = rounded(name, value, out, **kwargs)
    store.add(id, f"np.{name}", given, kwargs, expected=expected, tolerance=bound,
              note="exact sums, rounded once")


def lines(value, axis, keepdims):
    """The elements that each element of the result is made of, in C order, and the result's shape."""
    axes = tuple(range(value.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(a % value.ndim for a in axes) if value.ndim else ()
    kept = [a for a in range(value.ndim) if a not in axes]
    shape = tuple(1 if a in axes else n for a, n in enumerate(value.shape)) if keepdims else \
        tuple(value.shape[a] for a in kept)
    count = int(np.prod([value.shape[a] for a in kept], dtype=int))
    return value.transpose(kept + sorted(axes)).reshape(count, -1 if value.size else 0), shape


def rounded(name, value, out, axis=None, keepdims=False, ddof=0, initial=None, where=True, dtype=None):
    rows, shape = lines(value, axis, keepdims)
    masks, _ = lines(np.broadcast_to(where, value.shape), axis, keepdims)
    target, scale, results = exact.part_name(out), 0.0, []
    for row, mask in zip(rows, masks):
        row = row[mask]
        pairs = [(Fraction(float(np.real(v))), Fraction(float(np.imag(v)))) for v in row.astype(
            np.complex128 if row.dtype.kind == "c" else np.float64)]
        n = len(pairs)
        magnitudes = [abs(complex(float(a), float(b))) for a, b in pairs]
        if name == "prod":
            re, im = Fraction(1), Fraction(0)
            for a, b in pairs:
                re, im = re * a - im * b, re * b + im * a
            if initial is not None:
                re, im = re * Fraction(initial), im * Fraction(initial)
        else:
            re, im = sum(a for a, _ in pairs), sum(b for _, b in pairs)
            scale = max(scale, sum(magnitudes) / (n if name == "mean" else 1))
            if name == "sum" and initial is not None:
                re += Fraction(initial)
            if name == "mean":
                re, im = re / n, im / n
            if name in ("var", "std"):
                m = (re / n, im / n)
                re = sum((a - m[0]) ** 2 + (b - m[1]) ** 2 for a, b in pairs) / (n - ddof)
                im = Fraction(0)
        if name == "std":
            results.append(exact.root(re, target))
        else:
            results.append(complex(exact.round_fraction(re, target), exact.round_fraction(im, target)))
    results = np.array(results, np.complex128).reshape(shape)
    result = (results if out.kind == "c" else results.real).astype(out)
    return result, tolerance(name, value, out, rows.shape[1], scale)


def tolerance(name, value, out, count, scale):
    """A few roundings of the accumulator, and one of the result. Narrow floats accumulate in float32."""
    last = exact.eps(out) if out.itemsize == 2 else 0
    inner = 2.0**-23 if out.itemsize == 2 else exact.eps(out)
    if name == "prod":
        return allclose(last + 2 * max(count, 4) * inner, 0)
    if name in ("sum", "mean"):
        return allclose(last + 2 * inner, 4 * inner * scale)
    return allclose(last + 16 * inner, 0)


def by_dtype(store, name, dtype):
    x = ordinary(dtype, 60, name).reshape(3, 4, 5)
    if name == "prod":
        x = ordinary(dtype, 24, name).reshape(2, 3, 4)
    if name in ("any", "all"):
        x = x * (ordinary(BOOL, 60, f"{name}{dtype.name}").reshape(3, 4, 5).astype(dtype))
        x[0, 0] = 1
        x[:, 1] = 0
    if name in ("argmin", "argmax") and dtype.kind != "c":
        x = np.concatenate([x.ravel(), x.ravel()])[:60].reshape(3, 4, 5)[..., [0, 3, 0, 3, 1]]
    id = f"reduction/np.{name}/{dtype.name}"
    add(store, f"{id}/none", name, x)
    add(store, f"{id}/axis=1", name, x, axis=1)
    if name in ("argmin", "argmax"):
        add(store, f"{id}/axis=-1,keepdims", name, x, axis=-1, keepdims=True)
    else:
        add(store, f"{id}/axis=(0,-1),keepdims", name, x, axis=(0, -1), keepdims=True)
    if dtype in INTS or dtype == BOOL:
        extremes = np.concatenate([specials(dtype), specials(dtype)[::-1]])
        add(store, f"{id}/extremes", name, extremes)
    if name in ("var", "std"):
        add(store, f"{id}/ddof=1", name, x, axis=0, ddof=1)


def options(store, name):
    id = f"reduction_options/np.{name}"
    x = ordinary(F32, 60, "options").reshape(3, 4, 5)
    ints = ordinary(np.dtype("int16"), 12, "options").reshape(3, 4)
    arg = name in ("argmin", "argmax")
    for label, axis in (("0", 0), ("2", 2), ("-3", -3), ("(0,1)", (0, 1)), ("(-1,0)", (-1, 0)),
                        ("(0,1,2)", (0, 1, 2)), ("()", ()), ("3", 3), ("-4", -4), ("(0,0)", (0, 0)),
                        ("(0,-3)", (0, -3)), ("(0,5)", (0, 5))):
        if label == "()" and name in ("var", "std", "mean"):
            continue  # A mean of one value each: nothing but a copy, and a division by one.
        if not (arg and isinstance(axis, tuple)):
            add(store, f"{id}/axis={label}", name, x, axis=axis)
    add(store, f"{id}/keepdims", name, x, keepdims=True)
    add(store, f"{id}/int16/axis=0,keepdims", name, ints, axis=0, keepdims=True)
    # Empty: an axis of no elements, and no results at all.
    for label, shape, axis in (("all", (0,), None), ("axis=0", (0, 3), 0), ("axis=1", (0, 3), 1),
                               ("axis=1 of (2,0,3)", (2, 0, 3), 1), ("keepdims", (0, 3), None)):
        empty(store, f"{id}/empty/{label}", name, np.zeros(shape, np.float32), axis)
        empty(store, f"{id}/empty_int/{label}", name, np.zeros(shape, np.int16), axis)
    add(store, f"{id}/zero_d", name, np.array(2.5, np.float32))
    add(store, f"{id}/zero_d_int", name, np.array(-3, np.int8))
    if name not in ("mean", "var", "std"):
        # NumPy lets axis 0 of a 0-d array pass, except where it counts elements first.
        add(store, f"{id}/zero_d/axis=0", name, np.array(2.5, np.float32), axis=0)
    add(store, f"{id}/zero_d/axis=1", name, np.array(2.5, np.float32), axis=1)
    add(store, f"{id}/one", name, np.array([[[2.5]]], np.float32), axis=1)
    if arg:
        return
    mask = ordinary(BOOL, 60, "mask").reshape(3, 4, 5)
    mask[:, 0] = True
    row = np.array([True, False, True, True, False])
    if name in ("any", "all"):
        add(store, f"{id}/where", name, x, axis=1, where=mask)
        return
    if name in ("min", "max"):
        add(store, f"{id}/initial", name, x, axis=1, initial=0.5)
        add(store, f"{id}/where_initial", name, x, axis=1, where=mask, initial=1.25)
        add(store, f"{id}/where_without_initial", name, x, axis=1, where=mask)
        add(store, f"{id}/empty_initial", name, np.zeros((0, 3), np.float32), axis=0, initial=1.5)
        add(store, f"{id}/int16/initial", name, ints, axis=1, initial=5)
        return
    add(store, f"{id}/where", name, x, axis=1, where=mask)
    add(store, f"{id}/where_row", name, x, axis=0, where=row) if name in ("sum", "prod") else \
        add(store, f"{id}/where_row", name, x, axis=2, where=row)
    if name in ("sum", "prod"):
        add(store, f"{id}/initial", name, x, axis=2, initial=2.5)
        add(store, f"{id}/where_initial", name, x, axis=2, where=row, initial=2.0)
        add(store, f"{id}/empty_initial", name, np.zeros((2, 0), np.float32), axis=1, initial=3.0)
        add(store, f"{id}/int16/initial", name, ints, axis=1, initial=5)
        for target in ("int8", "uint16", "float64", "float16", "complex64"):
            add(store, f"{id}/int16/dtype={target}", name, ints, axis=1, dtype=np.dtype(target))
    for target in ("float64", "float32", "complex128"):
        if name in ("var", "std") and target == "complex128":
            continue
        source = np.dtype("float16") if target == "float32" else F32
        add(store, f"{id}/{source.name}/dtype={target}", name, x.astype(source), axis=1,
            dtype=np.dtype(target))


def empty(store, id, name, array, axis):
    kwargs = {} if axis is None else {"axis": axis}
    if id.endswith("keepdims"):
        kwargs["keepdims"] = True
    store.add(id, f"np.{name}", [array], kwargs)


def layouts(store, name):
    x = ordinary(F32, 60, "layout").reshape(3, 4, 5)
    backward = slice(None, None, -1)
    for label, view in {
        "transposed": View(x, ("transpose", [2, 0, 1])),
        "negative": View(x, ("slice", [backward, slice(None, None, 2), backward])),
        "column": View(x, ("slice", [slice(None), slice(None), slice(1, 2)])),
        "broadcast": View(x[:, :1], ("broadcast_to", [3, 2, 5])),
    }.items():
        for axis in (None, 0, 1, 2):
            kwargs = {} if axis is None else {"axis": axis}
            add(store, f"reduction_views/np.{name}/{label}/{axis}", name, view, **kwargs)


def specials_of_floats(store):
    for dtype in FLOATS:
        inf, nan = np.inf, np.nan
        rows = {"nan": [1.0, nan, -2.0, nan], "nan_first": [nan, 1.0, 2.0, -1.0], "nan_last": [1.0, 2.0, nan],
                "inf": [1.0, inf, 2.0], "minus_inf": [-inf, 3.0, -1.0], "both_inf": [inf, -inf, 1.0],
                "all_inf": [inf, inf], "all_minus_inf": [-inf, -inf], "minus_zeros": [-0.0, -0.0, -0.0],
                "zeros": [0.0, 0.0], "ties": [2.0, 5.0, 5.0, 2.0, 5.0]}
        for label, row in rows.items():
            x = np.array(row).astype(dtype)
            for name in ROUNDED + OTHERS:
                kwargs = {}
                expected = function(f"np.{name}")(widened(x))
                if dtype == BF16 and expected.dtype == F32:
                    expected = expected.astype(BF16)
                bound = EXACT
                if name in ("var", "std", "mean") and label == "ties":
                    expected, bound = rounded(name, x, dtype)
                store.add(f"reduction_special/np.{name}/{dtype.name}/{label}", f"np.{name}", [x], kwargs,
                          expected=expected, tolerance=bound)
    z = np.array([1 + 2j, complex(np.nan, 1), complex(2, np.nan), 5])
    for name in OTHERS:
        store.add(f"reduction_special/np.{name}/complex128/nan", f"np.{name}", [z])
        store.add(f"reduction_special/np.{name}/complex128/order", f"np.{name}",
                  [np.array([2 - 1j, 2 + 3j, -1 + 9j, 2 + 3j, -1 - 9j])])


def integers_exactly(store):
    """Sums of small whole numbers are exact in any order, so here floats have no tolerance."""
    for dtype in FLOATS + COMPLEX:
        x = (np.arange(600) % 7 - 3.0).astype(dtype).reshape(20, 30)
        for axis in (None, 0, 1):
            kwargs = {} if axis is None else {"axis": axis}
            expected = np.sum(x.astype(np.complex128), **kwargs)
            expected = (expected if dtype in COMPLEX else expected.real).astype(dtype)
            store.add(f"reduction_exact/np.sum/{dtype.name}/{axis}", "np.sum", [x], kwargs,
                      expected=expected)
    ones = np.ones(5000, np.float16)
    store.add("reduction_exact/np.sum/float16/5000_ones", "np.sum", [View(ones[:1], ("broadcast_to", [5000]))],
              expected=np.float16(5000), note="a float16 accumulator would stop at 2048")
    store.add("reduction_exact/np.mean/float16/no_overflow", "np.mean",
              [View(np.full(1, 60000, np.float16), ("broadcast_to", [300]))], expected=np.float16(60000))
    store.add("reduction_exact/np.var/large_mean", "np.var", [np.array([1e8, 1e8 + 1, 1e8 + 2])],
              expected=np.float64(2 / 3), tolerance=allclose(1e-8, 0),
              note="a one-pass variance loses every digit")
    store.add("reduction_exact/np.argmax/uint64/extremes", "np.argmax",
              [np.array([2**63 - 1, 2**63, 2**64 - 1, 2**63 + 1], np.uint64)])
    store.add("reduction_exact/np.argmin/int64/neighbours", "np.argmin",
              [np.array([-(2**62), -(2**62) - 1, -(2**62) + 1])], note="equal as doubles")


def scans(store):
    for dtype in ALL:
        x = ordinary(dtype, 24, "scan").reshape(2, 3, 4)
        for axis in (None, 0, 1, -1):
            kwargs = {} if axis is None else {"axis": axis}
            scan(store, f"scan/np.cumsum/{dtype.name}/{axis}", x, **kwargs)
    x = ordinary(np.dtype("int8"), 12, "scan").reshape(3, 4)
    for target in ("int8", "uint8", "int16", "float32", "float64", "complex64"):
        scan(store, f"scan/np.cumsum/int8/dtype={target}", x, axis=1, dtype=np.dtype(target))
    scan(store, "scan/np.cumsum/float16/dtype=float64", x.astype(np.float16), dtype=np.dtype("float64"))
    for dtype in INTS:
        scan(store, f"scan/np.cumsum/{dtype.name}/extremes", specials(dtype))
    y = ordinary(F32, 24, "scan").reshape(2, 3, 4)
    for label, view in {"transposed": View(y, ("transpose", [2, 0, 1])),
                        "negative": View(y, ("slice", [slice(None), slice(None, None, -1)])),
                        "broadcast": View(y[:, :1, 0], ("broadcast_to", [2, 3]))}.items():
        for axis in (None, 0, 1):
            kwargs = {} if axis is None else {"axis": axis}
            scan(store, f"scan/np.cumsum/views/{label}/{axis}", view, **kwargs)
    for label, array in {"empty": np.zeros(0, np.float32), "empty_int": np.zeros((0, 3), np.int16),
                         "zero_d": np.array(3, np.int16), "one": np.array([[7]], np.uint8)}.items():
        scan(store, f"scan/np.cumsum/{label}", array)
    store.add("scan/np.cumsum/empty/axis=1", "np.cumsum", [np.zeros((2, 0), np.float32)], {"axis": 1})
    store.add("scan/np.cumsum/bad_axis", "np.cumsum", [y], {"axis": 3})
    store.add("scan/np.cumsum/zero_d/bad_axis", "np.cumsum", [np.array(1.0)], {"axis": 1})
    for label, row in {"nan": [1.0, np.nan, 2.0], "inf": [1.0, np.inf, -np.inf, 1.0],
                       "minus_zero": [-0.0, -0.0]}.items():
        store.add(f"scan/np.cumsum/{label}", "np.cumsum", [np.array(row)])


def scan(store, id, array, axis=None, dtype=None):
    value = array.apply() if isinstance(array, View) else array
    kwargs = {} if axis is None else {"axis": axis}
    if dtype is not None:
        kwargs["dtype"] = dtype
    plain = np.cumsum(widened(value), **kwargs)
    out = BF16 if value.dtype == BF16 else plain.dtype
    if out.kind in "biu":
        store.add(id, "np.cumsum", [array], kwargs, expected=plain)
        return
    wide = value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)
    expected = exact.parts(lambda part: np.cumsum(part, axis=axis), wide, out)
    scale = float(np.max(np.cumsum(np.abs(wide), axis=axis), initial=0))
    last = exact.eps(out) if out.itemsize == 2 else 0
    inner = 2.0**-23 if out.itemsize == 2 else exact.eps(out)
    store.add(id, "np.cumsum", [array], kwargs, expected=expected,
              tolerance=allclose(last + 2 * inner, 4 * inner * scale), note="exact sums, rounded once")
