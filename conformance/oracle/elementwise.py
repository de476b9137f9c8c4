"""Elementwise operations: every operation on every dtype, then views and shapes."""

import numpy as np

import arithmetic
from arithmetic import add
from inputs import ALL, BOOL, COMPLEX, FLOATS, LIMITS, complex_specials, is_int, mixed, ordinary, pairs
from store import EXACT, View

UNARY = ("negative", "positive", "absolute", "sign", "square", "sqrt", "reciprocal", "exp", "exp2", "log", "log1p",
         "expm1", "sin", "cos", "tanh", "floor", "ceil", "trunc", "rint", "isnan", "isinf", "isfinite",
         "signbit", "logical_not", "invert", "conjugate", "real", "imag")
BINARY = ("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod", "power", "minimum",
          "maximum", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and",
          "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift",
          "right_shift")
# Where an implementation that is right elsewhere goes wrong: thresholds, poles, worst reductions.
EXTRA = {
    "exp": [88.72, 88.73, -87.4, -103.9, -104.0, 709.78, 709.79, -708.5, -745.1, -745.2, 11.08, 11.1, -9.8,
            -16.6, -17.4, 1e-8, -1e-8, 20.5, -20.5],
    "exp2": [127.99, 128.0, -126.5, -149.5, -150.0, 1023.99, 1024.0, -1022.5, -1074.5, -1075.0, 15.99, 16.0,
             -24.5, 0.5, -0.5, 1e-8, 10.0, -10.0],
    "expm1": [1e-3, -1e-3, 1e-8, -1e-8, 1e-20, 0.3466, -0.3466, 88.7, 709.7, -17.0, -37.5, -45.0, 11.0],
    "log": [0.99, 1.01, 0.999999, 1.000001, 2.0, 4.0, 10.0, 1e-3, 1e-30, 1e30, 0.7071, 1.4142, 65000.0],
    "log1p": [-0.5, -0.999, 1e-3, -1e-3, 1e-8, -1e-8, 1e-20, 0.4142, -0.2929, 1e10, 1e30, 60000.0],
    "sin": [3.1415927, 1.5707964, 6.2831855, 0.7853982, 355.0, 710.0, 1e5, 1e10, 1e15, 1e22, 2.0**100,
            5.319372648326541e255, 1e300, 16367173.0, 1e-4, 1e-20, 60000.0],
    "tanh": [0.1, 0.55, 0.625, 1e-4, 1e-8, 1e-20, 4.5, 9.0, 9.1, 19.0, 22.0, 350.0, -0.3, -9.01],
    "power": [],
}
EXTRA["cos"] = EXTRA["sin"]


def cases(store):
    for name in UNARY:
        for dtype in ALL:
            unary(store, name, dtype)
        unary_views(store, name)
    for name in BINARY:
        for dtype in ALL:
            binary(store, name, dtype)
        binary_shapes(store, name)
    signed_zeros(store)
    where(store)


def unary(store, name, dtype):
    x = mixed(dtype)
    op, id = f"np.{name}", f"unary/np.{name}/{dtype.name}"
    if name in EXTRA and dtype in FLOATS:
        extra = np.array(EXTRA[name])
        x = np.concatenate([x, extra[extra < LIMITS[dtype.name][2]].astype(dtype)])
    if name == "reciprocal" and is_int(dtype):
        x = x[x != 0]  # 1/0 of integers is the platform's.
    if name == "signbit" and dtype in FLOATS:
        x = x[x == x]  # The sign of a NaN is outside what is promised.
    if name == "sign" and dtype in COMPLEX:
        x = np.concatenate([x, np.zeros(1, dtype)])
    if name in arithmetic.ELEMENTARY and (dtype == BOOL or is_int(dtype)):
        x = x[np.abs(x.astype(float)) < 1e18]
    add(store, id, op, x)
    exactly = {"negative", "positive", "conjugate", "isnan", "isinf", "isfinite", "logical_not",
               "absolute", "rint", "real", "imag"}
    if dtype in COMPLEX and name in exactly:
        add(store, f"{id}/specials", op, complex_specials(dtype))


def unary_views(store, name):
    """One dtype on which the operation is defined, in every layout."""
    dtype = np.dtype({"invert": "int16", "logical_not": "int8", "real": "complex64",
                      "imag": "complex128"}.get(name, "float32"))
    base = ordinary(dtype, 60, "views").reshape(3, 4, 5)
    if name in ("sqrt", "log", "log1p"):
        base = np.abs(base)
    op, id = f"np.{name}", f"unary_views/np.{name}"
    s = slice(None)
    for label, view in {
        "strided": View(base, ("slice", [slice(None, None, 2), slice(1, None, 2), slice(0, 5, 3)])),
        "negative": View(base, ("slice", [slice(None, None, -1), s, slice(None, None, -2)])),
        "transposed": View(base, ("transpose", [2, 0, 1])),
        "column": View(base, ("slice", [s, s, 3]), ("transpose", [1, 0])),
        "broadcast": View(base[:, :, :1], ("slice", [s, s, 0]), ("broadcast_to", [2, 3, 4])),
        "zero_d": View(base[0, 0, 0]),
        "zero_d_view": View(base, ("slice", [1, -1, 2])),
        "empty": View(base[:, :0]),
        "one": View(base[:1, :1, :1]),
    }.items():
        add(store, f"{id}/{label}", op, view)


def binary(store, name, dtype):
    op, id = f"np.{name}", f"binary/np.{name}/{dtype.name}"
    x, y = pairs(dtype)
    if name in ("minimum", "maximum"):
        # Which zero wins is NumPy's platform's; the design's own rule has cases in signed_zeros.
        keep = ~((x == 0) & (y == 0) & (np.signbit(x.real) != np.signbit(y.real))) if dtype in FLOATS \
            else np.ones(len(x), bool)
        x, y = x[keep], y[keep]
    if name == "power" and is_int(dtype) and dtype.kind == "i":
        keep = y >= 0
        x, y = x[keep], y[keep]
        negative = np.array([2, 3], dtype), np.array([1, -1], dtype)
        add(store, f"{id}/negative_exponent", op, *negative)
    add(store, id, op, x, y)
    if dtype in COMPLEX and name in ("add", "subtract", "multiply", "equal", "not_equal", "less",
                                     "greater_equal", "logical_and", "logical_xor"):
        z = complex_specials(dtype)
        add(store, f"{id}/specials", op, z, np.roll(z, 11))


def binary_shapes(store, name):
    bits = name.startswith("bitwise") or name.endswith("shift")
    dtype = np.dtype("int32") if bits else np.dtype("float32")
    base = ordinary(dtype, 60, "left").reshape(3, 4, 5)
    other = ordinary(dtype, 60, "right").reshape(5, 3, 4)
    if name == "power":
        base = np.abs(base)
    if name.endswith("shift"):
        other = np.abs(other)
    op, id = f"np.{name}", f"binary_views/np.{name}"
    backward = slice(None, None, -1)
    for label, left, right in [
        ("transposed", View(base), View(other, ("transpose", [1, 2, 0]))),
        ("negative", View(base, ("slice", [backward, slice(None, None, 2), backward])),
         View(other, ("transpose", [1, 2, 0]), ("slice", [slice(None), slice(0, None, 2)]))),
        ("row_column", View(base[:, :1, 0]), View(other[0, 0])),
        ("stretched", View(base, ("slice", [slice(None), slice(None), slice(0, 1)])),
         View(other[:, 0, 0])),
        ("broadcast", View(base[0, :, :1], ("broadcast_to", [4, 3])),
         View(other[0, :, 0], ("slice", [backward]))),
        ("empty", View(base[:, :0, :1]), View(other[:, 0, 0])),
        ("zero_d", View(base[0, 0, 0]), View(other[0, 0, 0])),
        ("zero_d_meets_array", View(base[0, 0, 0]), View(other[0])),
        ("same_array", View(base), View(base, ("slice", [backward]))),
        ("do_not_broadcast", View(base), View(other)),
    ]:
        add(store, f"{id}/{label}", op, left, right)


def signed_zeros(store):
    """-0.0 < +0.0 for minimum and maximum: the design's rule, where NumPy's depends on its loops."""
    for dtype in FLOATS:
        zeros = np.array([0.0, -0.0, 0.0, -0.0]).astype(dtype), np.array([-0.0, 0.0, 0.0, -0.0]).astype(dtype)
        least = np.array([-0.0, -0.0, 0.0, -0.0]).astype(dtype)
        most = np.array([0.0, 0.0, 0.0, -0.0]).astype(dtype)
        for name, expected in (("minimum", least), ("maximum", most)):
            store.add(f"signed_zeros/np.{name}/{dtype.name}", f"np.{name}", list(zeros), expected=expected,
                      note="-0.0 is less than +0.0: ndany's rule, NumPy's is the platform's")


def where(store):
    for dtype in ALL:
        x, y = mixed(dtype)[:20], mixed(dtype)[::-1][:20]
        condition = ordinary(BOOL, len(x))
        add_where(store, f"where/{dtype.name}", condition, x, y)
        # Any condition counts by its truth.
        store.add(f"where/condition/{dtype.name}", "np.where",
                  [mixed(dtype), np.int8(1), np.int8(2)],
                  expected=np.where(arithmetic.widened(mixed(dtype)) != 0, np.int8(1), np.int8(2)))
    condition = ordinary(BOOL, 12).reshape(3, 4)
    x = ordinary(np.dtype("float32"), 4)
    for label, args in {
        "broadcast": (condition[:, :1], x, ordinary(np.dtype("int16"), 3).reshape(3, 1)),
        "weak_float": (condition, x, 1.5), "weak_int": (condition, 2, x), "weak_both": (condition, 1, 2.5),
        "weak_wide": (condition, ordinary(np.dtype("int8"), 4), 1.5),
        "typed": (condition, np.float64(1.5), x),
        "zero_d": (np.array(True), np.array(1.5), np.array(2.5)),
        "empty": (condition[:0], x, x),
        "views": (View(condition, ("transpose", [1, 0])), View(x, ("slice", [slice(None, None, -1), None])),
                  View(x[:1], ("broadcast_to", [4, 3]))),
        "do_not_broadcast": (condition, x[:3], x),
    }.items():
        store.add(f"where/shapes/{label}", "np.where", list(args))


def add_where(store, id, condition, x, y):
    store.add(id, "np.where", [condition, x, y], expected=np.where(condition, x, y), tolerance=EXACT)
