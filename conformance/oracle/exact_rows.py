"""Elementwise operations that are exact: divisors, neighbours, parts of floats, limits, rounding, closeness.

Inputs stay where NumPy's own results are the same on every platform: no cast of floats that do not fit
an integer, no sign of a NaN. bfloat16 computes in float32 and rounds once, as everywhere.
"""

import numpy as np

from inputs import ALL, BOOL, COMPLEX, FLOATS, INTS, LIMITS, complex_specials, mixed, ordinary, pairs, specials
from store import ANY_ZERO, BF16, EXACT, View

F16, F32, F64 = (np.dtype(n) for n in ("float16", "float32", "float64"))
REALS = [BOOL, *INTS, *FLOATS]
INF, NAN = np.inf, np.nan
REVERSED = slice(None, None, -1)


def cases(store):
    whole(store)
    unary(store)
    binary(store)
    exponents(store)
    two_results(store)
    clip(store)
    nan_to_num(store)
    rounding(store)
    closeness(store)
    views(store)
    refusals(store)


def add(store, id, op, args, kwargs=None, tolerance=EXACT):
    """NumPy's value; where it has no bfloat16, that of float32 rounded once."""
    values = [value.apply() if isinstance(value, View) else value for value in args]
    expected = None
    if any(getattr(value, "dtype", None) == BF16 for value in values):
        wide = [value.astype(F32) if getattr(value, "dtype", None) == BF16 else value for value in values]
        found = getattr(np, op[3:])(*wide, **(kwargs or {}))
        narrow = lambda a: a.astype(BF16) if a.dtype == F32 else a
        expected = tuple(map(narrow, found)) if isinstance(found, tuple) else narrow(found)
    store.add(id, op, args, kwargs, expected=expected, tolerance=tolerance)


def whole(store):
    for dtype in INTS:
        x, y = pairs(dtype)
        for op in ("gcd", "lcm"):
            store.add(f"exact_rows/np.{op}/{dtype.name}", f"np.{op}", [x, y])
        store.add(f"exact_rows/np.bitwise_count/{dtype.name}", "np.bitwise_count", [mixed(dtype)])
    store.add("exact_rows/np.bitwise_count/bool", "np.bitwise_count", [mixed(BOOL)])
    g = np.random.Generator(np.random.PCG64(5))
    for name in ("int64", "uint64", "int32"):
        dtype = np.dtype(name)
        info = np.iinfo(dtype)
        x, y = (g.integers(info.min, info.max, 24, dtype=dtype) for _ in "xy")
        store.add(f"exact_rows/np.gcd/{name}/large", "np.gcd", [x, y])
        store.add(f"exact_rows/np.lcm/{name}/large", "np.lcm", [x // 3, y // 5])
        store.add(f"exact_rows/np.bitwise_count/{name}/large", "np.bitwise_count", [x])
    # Neighbours of the sequence of Fibonacci take the most steps.
    fibonacci = [1, 1]
    while fibonacci[-1] + fibonacci[-2] < 2**63:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    store.add("exact_rows/np.gcd/fibonacci", "np.gcd",
              [np.array(fibonacci[-20:]), np.array(fibonacci[-21:-1])])
    for label, args in {"mixed": (np.array([12, -18], np.int8), np.array([8, 27], np.uint16)),
                        "weak": (np.array([12, 18], np.int16), 8), "bool_int": (np.array([True, False]), np.int8(4)),
                        "zero": (np.array([0, 0, 5], np.int32), np.array([0, 7, 0], np.int32)),
                        "bool": (np.array([True]), np.array([True])), "float": (np.array([1.5]), np.array([2])),
                        "int64_uint64": (np.array([4]), np.array([6], np.uint64)),
                        "weak_range": (np.array([4], np.int8), 300)}.items():
        for op in ("gcd", "lcm"):
            store.add(f"exact_rows/np.{op}/dtypes/{label}", f"np.{op}", list(args))


def unary(store):
    for dtype in REALS:
        x = mixed(dtype)
        for op in ("fabs", "fix", "isposinf", "isneginf"):
            add(store, f"exact_rows/np.{op}/{dtype.name}", f"np.{op}", [x])
        if dtype in FLOATS or dtype.itemsize < 8:
            y = x[~((x == 0) & np.signbit(x))] if dtype == BF16 else x
            if dtype == BF16:
                # The unit of bfloat16 is not that of float32: found by its bits.
                bits = np.abs(y).view(np.uint16)
                away = np.copysign((bits + 1).view(BF16).astype(F32), y.astype(F32))
                with np.errstate(all="ignore"):
                    unit = np.where(np.isfinite(y.astype(F32)), away - y.astype(F32), NAN).astype(BF16)
                store.add(f"exact_rows/np.spacing/{dtype.name}", "np.spacing", [y], expected=unit)
            else:
                add(store, f"exact_rows/np.spacing/{dtype.name}", "np.spacing", [y])
    for dtype in ALL:
        x = complex_specials(dtype) if dtype in COMPLEX else mixed(dtype)
        for op in ("isreal", "iscomplex"):
            add(store, f"exact_rows/np.{op}/{dtype.name}", f"np.{op}", [x])


def different_zeros(x, y):
    """Zeros of two signs, of which the platform chooses."""
    return (x == 0) & (y == 0) & (np.signbit(x.astype(F32)) != np.signbit(y.astype(F32)))


def binary(store):
    for dtype in ALL:
        x, y = pairs(dtype)
        keep = ~different_zeros(x, y) if dtype in FLOATS else np.ones(len(x), bool)
        for op in ("fmax", "fmin"):
            add(store, f"exact_rows/np.{op}/{dtype.name}", f"np.{op}", [x[keep], y[keep]])
    for dtype in COMPLEX:
        z = complex_specials(dtype)
        for op in ("fmax", "fmin"):
            w = np.roll(z, 11)
            keep = ~((z == w) & (z.view(z.real.dtype) != z.view(z.real.dtype))[::2])
            store.add(f"exact_rows/np.{op}/{dtype.name}/specials", f"np.{op}", [z[keep], w[keep]],
                      tolerance=ANY_ZERO)
    for dtype in REALS:
        x, y = pairs(dtype)
        signs = ~np.isnan(y.astype(F64))
        add(store, f"exact_rows/np.copysign/{dtype.name}", "np.copysign", [x[signs], y[signs]])
        keep = ~different_zeros(x, y) if dtype in FLOATS else np.ones(len(x), bool)
        add(store, f"exact_rows/np.heaviside/{dtype.name}", "np.heaviside", [x[keep], y[keep]])
        if dtype == BF16:
            bf16_neighbours(store, x[keep], y[keep])
        else:
            add(store, f"exact_rows/np.nextafter/{dtype.name}", "np.nextafter", [x[keep], y[keep]])
    for dtype in (F16, F32, F64):
        tiny, normal, big, step = LIMITS[dtype.name]
        edges = np.array([0.0, tiny, 2 * tiny, normal - tiny, normal, normal + tiny, 1 - step / 2, 1.0, 2.0,
                          4 - 2 * step, big, INF]).astype(dtype)
        edges = np.concatenate([edges, -edges[1:]])
        for label, to in (("up", INF), ("down", -INF), ("zero", 0.0)):
            store.add(f"exact_rows/np.nextafter/{dtype.name}/{label}", "np.nextafter", [edges, dtype.type(to)])
        store.add(f"exact_rows/np.spacing/{dtype.name}/edges", "np.spacing", [edges])


def bf16_neighbours(store, x, y):
    """By the bits: bfloat16 counts as float32 does in its upper half."""
    def one(a, b):
        if a != a or b != b:
            return NAN
        if a == b:
            return b
        bits = np.array(a, F32).view(np.uint32) >> np.uint32(16)
        if a == 0:
            bits = np.uint32(1 if b > 0 else 0x8001)
        else:
            bits = bits + np.uint32(1) if (b > a) == (a > 0) else bits - np.uint32(1)
        return float((np.uint32(bits) << np.uint32(16)).view(F32))
    expected = np.array([one(float(a), float(b)) for a, b in zip(x, y)]).astype(BF16)
    store.add("exact_rows/np.nextafter/bfloat16", "np.nextafter", [x, y], expected=expected)


def exponents(store):
    for dtype in REALS:
        x = mixed(dtype)
        small = np.resize(np.array([0, 1, -1, 3, -4, 7, -7, 12, -12], np.int32), len(x))
        add(store, f"exact_rows/np.ldexp/{dtype.name}", "np.ldexp", [x, small])
    for dtype in (F32, F64):
        tiny, normal, big, step = LIMITS[dtype.name]
        values = np.array([1.0, 1 + step, 1 + 3 * step, -1.5, 2 - step, tiny, 3 * tiny, normal, big, 0.0, -0.0, INF, NAN]).astype(dtype)
        top = 127 if dtype == F32 else 1023
        ns = np.array([0, 1, -1, top, top + 1, -top, -top - 1, -top - 22, -top - 51, -top - 52, -top - 60, 2 * top, -2 * top,
                       3 * top, -3 * top, 2**31 - 1, -2**31])
        x, n = np.repeat(values, len(ns)), np.tile(ns, len(values))
        store.add(f"exact_rows/np.ldexp/{dtype.name}/range", "np.ldexp", [x, n.astype(np.int32)])
        store.add(f"exact_rows/np.ldexp/{dtype.name}/int64", "np.ldexp", [values, np.int64(-top - 20)])
    f = ordinary(F32, 6)
    for label, args in {"int8": (f, np.arange(6, dtype=np.int8)), "uint16": (f, np.arange(6, dtype=np.uint16)),
                        "uint32": (f, np.arange(6, dtype=np.uint32)), "bool": (f, np.array([True, False] * 3)),
                        "weak": (f, 3), "weak_both": (3, 4), "weak_first": (3, np.arange(3)), "weak_float": (f, 3.0),
                        "float": (f, f), "uint64": (f, np.arange(6, dtype=np.uint64)),
                        "complex": (f.astype(np.complex64), 2), "int8_first": (np.arange(6, dtype=np.int8), np.arange(6)),
                        "broadcast": (f.reshape(2, 3), np.array([[1], [2]]))}.items():
        store.add(f"exact_rows/np.ldexp/dtypes/{label}", "np.ldexp", list(args))


def two_results(store):
    for dtype in REALS:
        x = mixed(dtype)
        add(store, f"exact_rows/np.modf/{dtype.name}", "np.modf", [x])
        add(store, f"exact_rows/np.frexp/{dtype.name}", "np.frexp", [x])
        left, right = pairs(dtype)
        if dtype not in (BOOL,):
            add(store, f"exact_rows/np.divmod/{dtype.name}", "np.divmod", [left, right])
    add(store, "exact_rows/np.divmod/bool", "np.divmod", [np.array([True, False]), np.array([True, True])])
    f = ordinary(F32, 12).reshape(3, 4)
    for label, args in {"weak": (f, 0.75), "weak_int": (np.arange(-5, 5, dtype=np.int16), 3), "left": (7, np.arange(1, 5)),
                        "mixed": (np.arange(6, dtype=np.uint8), np.array([-4, 3, -2, 5, 7, -1], np.int16)),
                        "broadcast": (f, f[:, :1]), "empty": (f[:0], f[:1]), "zero_d": (np.array(7.5), np.array(-2.0)),
                        "shapes": (f, f[:2]), "complex": (f.astype(np.complex64), f)}.items():
        store.add(f"exact_rows/np.divmod/shapes/{label}", "np.divmod", list(args))
    for op in ("modf", "frexp"):
        for label, x in {"transposed": View(f, ("transpose", [1, 0])), "negative": View(f, ("slice", [REVERSED, slice(None, None, 2)])),
                         "broadcast": View(f[:1], ("broadcast_to", [3, 4])), "empty": f[:, :0], "zero_d": np.array(-2.75),
                         "weak": 2.75, "weak_int": 3, "complex": f.astype(np.complex64)}.items():
            store.add(f"exact_rows/np.{op}/shapes/{label}", f"np.{op}", [x])


def clip(store):
    op = "np.clip"
    for dtype in ALL:
        x = complex_specials(dtype)[::3] if dtype in COMPLEX else mixed(dtype)
        if dtype == BOOL:
            limits = np.array(False), np.array(True)
        else:
            limits = (np.array(2, dtype), np.array(6, dtype))
        # NaN, and -0.0 at a limit of 0, are other cases'.
        x = x[~np.isnan(x.real.astype(F64))] if dtype in COMPLEX else x
        for label, (low, high) in (("both", limits), ("low", (limits[0], None)), ("high", (None, limits[1])), ("none", (None, None))):
            if dtype == BF16:
                wide = [None if v is None else v.astype(F32) for v in (low, high)]
                expected = np.clip(x.astype(F32), *wide).astype(BF16)
            elif dtype in COMPLEX and label != "none":
                continue
            else:
                expected = None
            store.add(f"exact_rows/{op}/{dtype.name}/{label}", op, [x, low, high], expected=expected)
    for dtype in COMPLEX:
        z = ordinary(dtype, 12)
        store.add(f"exact_rows/{op}/{dtype.name}/both", op, [z, dtype.type(-1 + 1j), dtype.type(2 - 1j)])
        store.add(f"exact_rows/{op}/{dtype.name}/low", op, [z, dtype.type(1), None])
    u8, i8 = np.array([0, 1, 100, 200, 255], np.uint8), np.array([-128, -3, 0, 5, 127], np.int8)
    f, row = ordinary(F32, 12).reshape(3, 4), np.array([-1, 0.5, 1, 2], F32)
    nans = np.array([NAN, 1.0, INF, -INF, -2.0])
    for label, args, kwargs in [
        ("weak_beyond_both", (u8, -1, 300), {}), ("weak_beyond_low", (i8, -1000, 5), {}), ("weak_beyond_high", (i8, -5, 1000), {}),
        ("weak_low_too_high", (i8, 1000, None), {}), ("weak_high_too_low", (u8, None, -1), {}),
        ("weak_float", (i8, -1.5, 2.5), {}), ("weak_float32", (f, -1, 1.5), {}), ("typed", (f, np.float64(-1), None), {}),
        ("arrays", (f, row, row + 1), {}), ("array_of_ints", (f, np.array([[-1], [0], [1]]), 2), {}),
        ("promotes", (u8, i8, None), {}), ("promotes_three", (u8, i8, np.array([3, 3, 3, 3, 3], np.uint16)), {}),
        ("grows", (row, f, 3), {}), ("crossed", (f, 1.0, -1.0), {}), ("nan", (nans, -1.0, 1.0), {}),
        ("nan_limit", (nans, NAN, 1.0), {}), ("nan_limit_high", (f, None, np.float32(NAN)), {}),
        ("inf_limits", (nans, -INF, INF), {}),
        ("keywords", (f,), {"a_min": -1, "a_max": 1}), ("array_api", (f,), {"min": -1, "max": 1}), ("array_api_min", (f,), {"min": 0.5}),
        ("array_api_max", (f,), {"max": 0.5}), ("nothing", (f,), {}), ("one_position", (f, 1), {}), ("a_min_only", (f,), {"a_min": 1}),
        ("both_ways", (f, -1, 1), {"min": 0}), ("dtype", (u8, 1, 100), {"dtype": F32}), ("bool_weak", (np.array([True, False]), False, True), {}),
        ("bool_int", (np.array([True, False]), 0, 1), {}), ("shapes", (f, row[:3], None), {}),
        ("transposed", (View(f, ("transpose", [1, 0])), -1, 1), {}),
        ("negative", (View(f, ("slice", [REVERSED, slice(None, None, -2)])), -1, 1), {}), ("empty", (f[:0], -1, 1), {}),
        ("zero_d", (np.array(3.5, F32), 0, 1), {}), ("int64_uint64", (np.array([1, 5]), np.array([2, 3], np.uint64), None), {}),
        ("big", (np.array([2**63, 2**64 - 1], np.uint64), 2**63 + 1, 2**64 - 2), {}),
    ]:
        store.add(f"exact_rows/{op}/forms/{label}", op, list(args), kwargs)


def nan_to_num(store):
    op = "np.nan_to_num"
    for dtype in ALL:
        x = complex_specials(dtype) if dtype in COMPLEX else mixed(dtype)
        if dtype == BF16:
            wide, top = x.astype(F32), float.fromhex("0x1.fep127")
            expected = np.nan_to_num(wide, posinf=top, neginf=-top).astype(BF16)
            store.add(f"exact_rows/{op}/{dtype.name}", op, [x], expected=expected)
        else:
            store.add(f"exact_rows/{op}/{dtype.name}", op, [x])
            store.add(f"exact_rows/{op}/{dtype.name}/given", op, [x], {"nan": -1, "posinf": 7.5, "neginf": 3})
    f = np.array([[1.0, NAN, INF], [-INF, NAN, -0.0]])
    for label, kwargs in {"copy": {"copy": False}, "nan": {"nan": 2.5}, "posinf": {"posinf": 1e3}, "neginf": {"neginf": -1e3},
                          "none": {"posinf": None, "neginf": None}, "arrays": {"nan": np.array([1.0, 2.0, 3.0])},
                          "column": {"nan": np.array([[1.0], [2.0]]), "posinf": np.array(8)}, "nan_none": {"nan": None},
                          "grows": {"nan": np.ones((2, 2, 3))}, "complex": {"nan": 1j}, "inf": {"nan": INF}}.items():
        store.add(f"exact_rows/{op}/forms/{label}", op, [f], kwargs)
    store.add(f"exact_rows/{op}/forms/float32", op, [f.astype(F32)], {"nan": np.float64(0.1)})
    store.add(f"exact_rows/{op}/forms/position", op, [f, True, 1.0, 2.0, 3.0])
    store.add(f"exact_rows/{op}/forms/zero_d", op, [np.array(NAN)])
    store.add(f"exact_rows/{op}/forms/transposed", op, [View(f, ("transpose", [1, 0]))])
    store.add(f"exact_rows/{op}/forms/empty", op, [f[:0]])


def rounding(store):
    for dtype in FLOATS + COMPLEX:
        if dtype == BF16:
            continue
        if dtype in COMPLEX:
            x = complex_specials(dtype)
            x = np.concatenate([x, (ordinary(dtype, 12) * 37.77).astype(dtype)])
        else:
            tie = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 0.05, 0.15, 0.25, 0.35, 1.005, 2.675, 12345.678, -9876.54321, 125.0, 135.0, 50.0, 150.0])
            x = np.concatenate([mixed(dtype), tie.astype(dtype)])
        for decimals in (0, 1, 2, -1, -2, 5, 8, -8):
            store.add(f"exact_rows/np.round/{dtype.name}/{decimals}", "np.round", [x], {"decimals": decimals})
    x = np.array([1.5, -2.25, 1e300, 0.0, -1e-300, 123456789.123456789])
    for decimals in (15, 22, 23, 30, 300, 308, 309, 400, -15, -22, -23, -300, -308, -400):
        store.add(f"exact_rows/np.round/float64/many/{decimals}", "np.round", [x, decimals])
    for dtype in INTS:
        y = np.array([0, 1, 4, 5, 6, 14, 15, 16, 24, 25, 26, 44, 50, 55, 95, 100, 115], dtype)
        for decimals in (0, 3, -1, -2, -30):
            store.add(f"exact_rows/np.round/{dtype.name}/{decimals}", "np.round", [y, decimals])
    store.add("exact_rows/np.round/int16/negative", "np.round", [np.array([-5, -15, -25, -14, -16, -12345], np.int16), -1])
    for decimals in (0, 1, -1):
        store.add(f"exact_rows/np.round/bool/{decimals}", "np.round", [np.array([True, False]), decimals])
    f = ordinary(F32, 12).reshape(3, 4)
    store.add("exact_rows/np.around", "np.around", [f], {"decimals": 2})
    store.add("exact_rows/np.round/transposed", "np.round", [View(f, ("transpose", [1, 0])), 1])
    store.add("exact_rows/np.round/empty", "np.round", [f[:0], 1])
    store.add("exact_rows/np.round/zero_d", "np.round", [np.array(2.675), 2])
    store.add("exact_rows/np.round/weak", "np.round", [2.675, 2])
    store.add("exact_rows/np.round/weak_int", "np.round", [1250, -2])
    store.add("exact_rows/np.round/decimals_float", "np.round", [f, 1.0])
    # bfloat16 rounds after each of its three steps.
    x = ordinary(BF16, 20)
    step = lambda a: a.astype(BF16).astype(F32)
    wide = x.astype(F32)
    for decimals in (1, 2, -1):
        scale = step(np.float32(10.0 ** abs(decimals)))
        up, down = (np.multiply, np.divide) if decimals > 0 else (np.divide, np.multiply)
        expected = down(step(np.rint(step(up(wide, scale)))), scale).astype(BF16)
        store.add(f"exact_rows/np.round/bfloat16/{decimals}", "np.round", [x, decimals], expected=expected)


def closeness(store):
    base = np.array([1.0, 1.0, 1e10, 0.0, 0.0, INF, -INF, INF, NAN, 1.0, NAN, -5.0])
    other = np.array([1.0 + 9e-6, 1.0 + 2e-5, 1e10 + 9e4, 1e-8, 2e-8, INF, INF, 1e300, NAN, NAN, 1.0, -5.00004])
    for op in ("isclose", "allclose"):
        name = f"np.{op}"
        for dtype in (F32, F64, *COMPLEX):
            x, y = base.astype(dtype), other.astype(dtype)
            for label, kwargs in {"default": {}, "equal_nan": {"equal_nan": True}, "rtol": {"rtol": 1e-3}, "atol": {"atol": 0.5},
                                  "none": {"rtol": 0, "atol": 0}, "position": None}.items():
                args = [x, y] if kwargs is not None else [x, y, 1e-2, 1e-4]
                store.add(f"exact_rows/{name}/{dtype.name}/{label}", name, args, kwargs or {})
        i = np.array([-128, 0, 5, 127], np.int8)
        for label, args, kwargs in [
            ("int8", (i, i[::-1]), {}), ("int8_wide", (i, i), {"atol": 1}), ("least", (np.array([-2**63]), np.array([-2**63])), {}),
            ("bool", (np.array([True, False]), np.array([True, True])), {}), ("weak", (np.array([1.0, 2.0], F32), 1), {}),
            ("weak_float", (np.array([1.0, 2.0], F32), 1.00000001), {}), ("weak_both", (1, 1.0000001), {}),
            ("float16", (np.array([1, 2, 60000], F16), np.array([1.001, 2.5, INF], F16)), {}),
            ("broadcast", (np.ones((2, 3)), np.array([1, 1 + 1e-7, 2])), {}), ("tolerances", (np.ones(3), np.array([1.1, 1.2, 1.3])), {"rtol": np.array([0.0, 0.5, 0.0])}),
            ("shapes", (np.ones(3), np.ones(2)), {}), ("empty", (np.ones(0), np.ones(0)), {}), ("zero_d", (np.array(1.0), np.array(1.0)), {}),
            ("mixed", (np.array([1, 2], np.int32), np.array([1, 2.00001], F32)), {}),
            ("transposed", (View(np.arange(6.0).reshape(2, 3), ("transpose", [1, 0])), np.arange(6.0).reshape(3, 2)), {}),
        ]:
            store.add(f"exact_rows/{name}/forms/{label}", name, list(args), kwargs)
    a, n = np.arange(6, dtype=F32).reshape(2, 3), np.array([1.0, NAN])
    nz = np.array([complex(NAN, 1), 2]), np.array([complex(1, NAN), 2])
    for label, args, kwargs in [
        ("same", (a, a.copy()), {}), ("other_dtype", (a, a.astype(np.int8)), {}), ("other_shape", (a, a.ravel()), {}), ("differs", (a, a + 1), {}),
        ("nan", (n, n.copy()), {}), ("equal_nan", (n, n.copy()), {"equal_nan": True}), ("equal_nan_differs", (n, n[::-1].copy()), {"equal_nan": True}),
        ("complex_nan", nz, {"equal_nan": True}), ("int_nan", (np.arange(3), np.arange(3)), {"equal_nan": True}),
        ("empty", (a[:0], a[:0].copy()), {}), ("empty_shapes", (a[:0], a[:, :0]), {}), ("weak", (1, 1.0), {}),
        ("views", (View(a, ("transpose", [1, 0])), a.T.copy()), {}),
    ]:
        store.add(f"exact_rows/np.array_equal/{label}", "np.array_equal", list(args), kwargs)
        if not kwargs:
            store.add(f"exact_rows/np.array_equiv/{label}", "np.array_equiv", list(args))
    store.add("exact_rows/np.array_equiv/broadcast", "np.array_equiv", [np.array([1, 2]), np.array([[1, 2], [1, 2]])])
    store.add("exact_rows/np.array_equiv/broadcast_differs", "np.array_equiv", [np.array([1, 2]), np.array([[1, 2], [1, 3]])])
    for dtype in COMPLEX:
        eps = np.finfo(dtype).eps
        for label, im, kwargs in (("zero", 0.0, {}), ("small", 50 * eps, {}), ("large", 150 * eps, {}), ("tol", 150 * eps, {"tol": 1000}),
                                  ("absolute", 0.01, {"tol": 0.1}), ("absolute_large", 0.2, {"tol": 0.1}), ("nan", NAN, {})):
            z = (np.array([1.0, -2.0, 3.0]) + 1j * np.array([0.0, im, -im])).astype(dtype)
            store.add(f"exact_rows/np.real_if_close/{dtype.name}/{label}", "np.real_if_close", [z], kwargs)
    store.add("exact_rows/np.real_if_close/float32", "np.real_if_close", [a])
    store.add("exact_rows/np.real_if_close/empty", "np.real_if_close", [np.zeros((0, 2), np.complex64)])


def views(store):
    """The new rows in every layout."""
    ints = {"gcd", "lcm", "bitwise_count"}
    for op, arity in {"gcd": 2, "lcm": 2, "fmax": 2, "fmin": 2, "copysign": 2, "nextafter": 2, "heaviside": 2, "fabs": 1, "fix": 1,
                      "spacing": 1, "isposinf": 1, "isneginf": 1, "isreal": 1, "iscomplex": 1, "bitwise_count": 1}.items():
        dtype = np.dtype("int16") if op in ints else F32
        x, y = ordinary(dtype, 24, "x").reshape(2, 3, 4), ordinary(dtype, 24, "y").reshape(4, 2, 3)
        for label, left, right in [
            ("transposed", View(x), View(y, ("transpose", [1, 2, 0]))),
            ("negative", View(x, ("slice", [REVERSED, slice(None), slice(None, None, -2)])), View(y, ("transpose", [1, 2, 0]), ("slice", [slice(None), REVERSED, slice(1, None, 2)]))),
            ("broadcast", View(x[:, :1, :1], ("broadcast_to", [2, 3, 4])), View(y[:, 0, 0])),
            ("row_column", View(x[0, :, :1]), View(x[1, 0])),
            ("zero_d", View(x[0, 0, 0]), View(y[0, 0, 0])), ("empty", View(x[:, :0]), View(x[:, :1])), ("one", View(x[:1, :1, :1]), View(y[0, 0, 0])),
        ]:
            args = [left, right][:arity]
            store.add(f"exact_views/np.{op}/{label}", f"np.{op}", args)
        if arity == 2:
            store.add(f"exact_views/np.{op}/shapes", f"np.{op}", [x, y])
            store.add(f"exact_views/np.{op}/weak", f"np.{op}", [x, 3])


def refusals(store):
    x = {name: ordinary(np.dtype(name), 4) for name in ("complex64", "float32", "bool", "int32")}
    for op in ("fabs", "fix", "spacing", "isposinf", "isneginf"):
        store.add(f"exact_rows/np.{op}/refused/complex64", f"np.{op}", [x["complex64"]])
    store.add("exact_rows/np.bitwise_count/refused/float32", "np.bitwise_count", [x["float32"]])
    for op in ("copysign", "nextafter", "heaviside", "gcd", "lcm"):
        store.add(f"exact_rows/np.{op}/refused/complex64", f"np.{op}", [x["complex64"], x["float32"]])
