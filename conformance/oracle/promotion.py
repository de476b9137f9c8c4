"""Promotion by NEP 50: every pair of dtypes, weak and strong scalars, and weak integers out of range."""

import numpy as np

from arithmetic import add
from inputs import ALL, BF16, COMPLEX, FLOATS, INTS, is_int, ordinary

SCALARS = {"int": 3, "negative": -2, "float": 1.5, "complex": 0.5 + 2j, "bool": True}


def cases(store):
    for left in ALL:
        for right in ALL:
            if left != right:
                x, y = ordinary(left, 5, "left"), ordinary(right, 5, "right")
                add(store, f"promotion/np.add/{left.name}_{right.name}", "np.add", x, y)
    some_pairs(store)
    for dtype in ALL:
        weak(store, dtype)
        strong(store, dtype)
    out_of_range(store)
    scalars_only(store)


def positive(dtype, count, name=""):
    """Numbers that unsigned integers hold too; of complex numbers there is nothing to take off."""
    x = ordinary(dtype, count, name)
    return x if dtype in COMPLEX else np.abs(x)


def some_pairs(store):
    """Operations whose dtype rule is not add's."""
    for left, right in [("int8", "uint8"), ("int64", "uint64"), ("uint32", "int32"), ("int16", "float16"),
                        ("bool", "int8"), ("float32", "int64"), ("float16", "complex64"),
                        ("bfloat16", "float16"), ("bfloat16", "int32"), ("bool", "bfloat16")]:
        left, right = (BF16 if n == "bfloat16" else np.dtype(n) for n in (left, right))
        for name in ("subtract", "divide", "floor_divide", "remainder", "power", "maximum", "less", "equal",
                     "logical_or", "bitwise_and", "left_shift"):
            x, y = positive(left, 5, "left"), positive(right, 5, "right")
            add(store, f"promotion/np.{name}/{left.name}_{right.name}", f"np.{name}", x, y)
    # NumPy compares integers of different signs exactly, not through float64.
    big = np.array([2**63 - 1, -1, 2**53 + 1, -(2**63), 0])
    unsigned = np.array([2**63, 2**64 - 1, 2**53, 2**63, 0], np.uint64)
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        store.add(f"promotion/np.{name}/int64_uint64/exactly", f"np.{name}", [big, unsigned])
        store.add(f"promotion/np.{name}/uint64_int64/exactly", f"np.{name}", [unsigned, big])


def weak_value(scalar, dtype):
    """A Python scalar as the 0-d array that it stands for beside an array of this dtype."""
    kinds = {bool: 0, int: 1, float: 2, complex: 3}
    rank = 0 if dtype == bool else 1 if is_int(dtype) else 3 if dtype in COMPLEX else 2
    if kinds[type(scalar)] <= rank:
        return np.array(scalar).astype(dtype)
    if isinstance(scalar, int):
        return np.array(scalar, np.int64)
    if isinstance(scalar, float):
        return np.array(scalar, np.float64)
    return np.array(scalar, np.complex64 if dtype in FLOATS and dtype.itemsize < 8 else np.complex128)


def weak(store, dtype):
    x = positive(dtype, 4)
    for label, scalar in SCALARS.items():
        unsigned = dtype.kind == "u" and label == "negative"
        for name, arguments in (("add", (x, scalar)), ("multiply", (scalar, x)), ("subtract", (scalar, x)),
                                ("divide", (x, scalar)), ("less", (x, scalar))):
            id = f"weak/np.{name}/{dtype.name}/{label}"
            values = [v if isinstance(v, np.ndarray) else weak_value(v, dtype) for v in arguments]
            if unsigned or label == "complex" and name == "less":
                store.add(id, f"np.{name}", list(arguments))
            else:
                add(store, id, f"np.{name}", *arguments, arrays=values)
    if dtype not in COMPLEX:
        for name, scalar in (("power", 2), ("maximum", 2), ("minimum", 1), ("floor_divide", 2),
                             ("remainder", 3), ("logical_and", 2), ("bitwise_or", 1), ("right_shift", 1)):
            add(store, f"weak/np.{name}/{dtype.name}/int", f"np.{name}", x, scalar,
                arrays=[x, weak_value(scalar, dtype)])


def strong(store, dtype):
    """NumPy scalars and 0-d arrays promote as arrays do."""
    scalar = dtype.type(1) if dtype != BF16 else BF16.type(1)
    for other in (np.dtype("int8"), np.dtype("float16"), np.dtype("float32"), BF16):
        x = np.abs(ordinary(other, 4))
        add(store, f"strong/np.add/{other.name}_array_{dtype.name}_scalar", "np.add", x, scalar)
        add(store, f"strong/np.multiply/{dtype.name}_zero_d_{other.name}_array", "np.multiply",
            np.array(scalar), x)


def out_of_range(store):
    for dtype in INTS:
        info = np.iinfo(dtype)
        x = np.array([0, 1, info.max], dtype)
        for label, scalar in (("max", int(info.max)), ("above", int(info.max) + 1), ("min", int(info.min)),
                              ("below", int(info.min) - 1), ("far_above", 2**70), ("far_below", -(2**70))):
            for name in ("add", "multiply", "minimum", "bitwise_xor"):
                store.add(f"weak_range/np.{name}/{dtype.name}/{label}", f"np.{name}", [x, scalar])
            # Comparisons take any integer and are exact.
            for name in ("equal", "less", "greater_equal"):
                store.add(f"weak_range/np.{name}/{dtype.name}/{label}", f"np.{name}", [x, scalar])
                store.add(f"weak_range/np.{name}/{dtype.name}/{label}/left", f"np.{name}", [scalar, x])
    for label, x, scalar in (("float16", np.ones(2, np.float16), 70000), ("float16_float",
                             np.ones(2, np.float16), 1e10), ("float32", np.ones(2, np.float32), 1e40),
                             ("float32_int", np.ones(2, np.float32), 2**70), ("bool", np.ones(2, bool), 300)):
        store.add(f"weak_range/np.add/{label}/overflows_to_inf", "np.add", [x, scalar])


def scalars_only(store):
    for label, x, y in (("int_int", 3, 4), ("int_float", 3, 2.5), ("bool_bool", True, True),
                        ("float_complex", 1.5, 2j), ("int_typed", 3, np.int8(4)),
                        ("float_typed", 1.5, np.float16(2.5)), ("typed_typed", np.int8(3), np.uint8(4)),
                        ("wraps", np.int8(127), np.int8(1))):
        store.add(f"weak/scalars/np.add/{label}", "np.add", [x, y])
        store.add(f"weak/scalars/np.less_equal/{label}", "np.less_equal", [x, y])
    store.add("weak/scalars/np.add/overflow", "np.add", [np.int8(1), 128])
    store.add("weak/scalars/np.exp/int", "np.exp", [0])
    store.add("weak/scalars/np.negative/float", "np.negative", [1.5])
    store.add("weak/scalars/np.sqrt/int", "np.sqrt", [4])
    store.add("weak/scalars/np.invert/int", "np.invert", [5])
