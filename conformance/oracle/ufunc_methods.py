"""Methods of ufuncs: reduce, accumulate, reduceat and outer of every row of two operands.

Values are chosen so that floats have one right answer in any order, or in the one order that counts:
dyadic fractions whose sums, differences, products and quotients are exact. Transcendental rows are held
to what their own formula promises, step by step.
"""

import numpy as np

from arithmetic import widened
from inputs import ALL, BF16, BOOL, COMPLEX, FLOATS, INTS, ordinary, rng, specials
from store import ANY_ZERO, EXACT, NEWAXIS, View, allclose, function, plain

F32, F64 = np.dtype("float32"), np.dtype("float64")
ARITHMETIC = ("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod", "power",
              "maximum", "minimum")
LOGICAL = ("logical_and", "logical_or", "logical_xor")
BITS = ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
# Dtypes that stand for their neighbours.
MIXED = ("bool", "int8", "int64", "uint64", "float16", "bfloat16", "float64", "complex64")
LATER = ("fmax", "fmin", "hypot", "gcd", "lcm", "logaddexp", "logaddexp2", "arctan2", "copysign",
         "heaviside", "nextafter", "float_power")


def known():
    """The rows of two operands that this project has."""
    return ARITHMETIC + LOGICAL + BITS + COMPARISONS


def cases(store):
    for name in known():
        for dtype in ALL:
            by_dtype(store, name, dtype)
    # The methods are one mechanism: what they take is asked of one row of each kind.
    for name in ("add", "subtract", "logical_or"):
        options(store, name)
    for name in ("add", "subtract"):
        segments(store, name)
    for name in ("subtract",):
        layouts(store, name)
    errors(store)
    specials_of_floats(store)
    integers_at_their_ends(store)
    outputs(store)
    places(store)
    others(store)


def others(store):
    """Rows beside the arithmetic ones: what they start from, what they do with NaN, and formulas."""
    near = allclose(2e-6, 1e-6)
    for name in LATER:
        for dtype in ("float32", "int16", "uint8", "complex64"):
            dtype = np.dtype(dtype)
            if not loops(name, dtype):
                continue
            x = exact_values("add", dtype, 12, name).reshape(3, 4)
            if name == "lcm":
                x = x % 5
            if name == "float_power":
                x = np.abs(x) % 3 + 1 if dtype != BOOL else x
            if dtype.kind == "c" and name == "float_power":
                continue
            bound = near if dtype.kind != "b" and name in ("hypot", "logaddexp", "logaddexp2", "arctan2", "float_power") else EXACT
            if dtype.itemsize == 1 and bound is not EXACT:
                bound = allclose(4e-3, 4e-3)
            if name == "arctan2":
                # NumPy 2.4 goes wrong here, as with powers, except in accumulate.
                call(store, f"ufunc_others/np.{name}.accumulate/{dtype.name}", f"np.{name}.accumulate", [x], {"axis": 1}, bound)
                folded = np.arctan2.accumulate(x, axis=1)[:, -1]
                store.add(f"ufunc_others/np.{name}.reduce/{dtype.name}", f"np.{name}.reduce", [x], {"axis": 1},
                          expected=folded, tolerance=bound)
                continue
            for method in ("reduce", "accumulate"):
                call(store, f"ufunc_others/np.{name}.{method}/{dtype.name}", f"np.{name}.{method}", [x], {"axis": 1}, bound)
            call(store, f"ufunc_others/np.{name}.reduce/{dtype.name}/none", f"np.{name}.reduce", [x], {"axis": None}, bound)
            call(store, f"ufunc_others/np.{name}.reduceat/{dtype.name}", f"np.{name}.reduceat", [x, np.array([0, 2, 1])], {"axis": 0}, bound)
            call(store, f"ufunc_others/np.{name}.reduce/{dtype.name}/empty", f"np.{name}.reduce", [x[:, :0]], {"axis": 1}, bound)
            mask = np.arange(12).reshape(3, 4) % 3 != 0
            call(store, f"ufunc_others/np.{name}.reduce/{dtype.name}/where", f"np.{name}.reduce", [x], {"axis": 1, "where": mask}, bound)
        one = np.array([[-3], [-4]], np.int16 if name in ("gcd", "lcm") else np.float64)
        call(store, f"ufunc_others/np.{name}.reduce/one", f"np.{name}.reduce", [one], {"axis": 1}, EXACT if name not in ("hypot", "logaddexp", "logaddexp2") else near)
    nan = np.array([1.0, np.nan, -2.0, np.nan, 5.0])
    for name in ("fmax", "fmin"):
        for method in ("reduce", "accumulate"):
            store.add(f"ufunc_others/np.{name}.{method}/nan", f"np.{name}.{method}", [nan])
            store.add(f"ufunc_others/np.{name}.{method}/nan_first", f"np.{name}.{method}", [nan[1:]])


def outputs(store):
    """The dtype of `out` takes part in the promotion, and the result is converted to it without a rule."""
    x = np.array([[1.5, 1.5, 3.0], [2.5, 1.25, 4.0]])
    for name in ("add", "divide", "logical_and", "less"):
        for source in ("float64", "int8", "bool"):
            for target in ("int32", "float32", "bool"):
                value = x.astype(source)
                if (source, target) == ("float64", "int32"):
                    continue  # NumPy stores some values on the way in the output.
                for method, args in (("reduce", [value]), ("accumulate", [value]),
                                     ("reduceat", [value, np.array([0])])):
                    out = np.zeros((2,) if method == "reduce" else (2, 3) if method == "accumulate" else (2, 1),
                                   target)
                    store.add(f"ufunc_out/np.{name}.{method}/{source}/{target}", f"np.{name}.{method}", args,
                              {"axis": 1, "out": out})
    store.add("ufunc_out/dtype", "np.add.reduce", [x], {"out": np.zeros(3, np.int32), "dtype": np.dtype("float64")})
    store.add("ufunc_out/keepdims", "np.add.reduce", [x], {"out": np.zeros((1, 3)), "keepdims": True})


def at(store, id, name, array, *rest):
    """The array after `np.name.at(array, indices, b)`."""
    value = (array.apply() if isinstance(array, View) else array).copy()
    narrow = value.dtype == BF16
    try:
        changed = widened(value) if narrow else value
        function(f"np.{name}").at(changed, *map(plain, (widened(r) if isinstance(r, np.ndarray) else r for r in rest)))
        expected = changed.astype(BF16) if narrow else changed
    except Exception as error:
        expected = error
    store.add(id, f"np.{name}.at", [array, *rest], expected=expected)


def places(store):
    index = np.array([2, 0, -1, 2, 2, 0])
    for name in known():
        for dtype in ALL:
            if name in BITS + LOGICAL + COMPARISONS and dtype.name not in ("bool", "int8", "float64"):
                continue
            if name not in ("add", "subtract", "maximum") and dtype.name not in MIXED:
                continue
            if name == "power" and dtype.kind == "c" or not loops(name, dtype):
                continue
            x, b = exact_values(name, dtype, 4, "at"), exact_values(name, dtype, 6, "values")
            if name == "divide" and dtype.kind in "biu":
                b[b == 0] = 1  # An infinity has no value as an integer.
            if name == "multiply" and dtype.kind == "c":
                continue  # Products of signed zeros depend on the order.
            at(store, f"ufunc_at/np.{name}/{dtype.name}", name, x, index, b)
    for name in ("add", "subtract", "maximum"):
        dtype = np.dtype("int32") if name == "maximum" else F32
        id, x = f"ufunc_at_index/np.{name}", exact_values(name, dtype, 24, "index").reshape(2, 3, 4)
        b = exact_values(name, dtype, 6, "values")
        g = slice
        for label, key, values in (
                ("first_axis", np.array([1, 0, 1]), b[:4]), ("rows", np.array([1, 1]), x[0] if name != "divide" else b[:4]),
                ("pair", (np.array([0, 0, 1]), np.array([2, 2, 0])), b[:1]),
                ("mixed", (g(None), np.array([0, 2, 0])), b[0].reshape(())),
                ("separated", (np.array([0, 0]), g(1, None), np.array([3, 3])), b[:2]),
                ("mask", x[:, :, 0] > 0, b[:4]), ("mask_all", np.abs(x) > 1, b[0].reshape(())),
                ("slice", (0, g(None, None, -1)), b[:4]), ("integer", 1, b[:4]), ("ellipsis", (Ellipsis, np.array([0, 0, 3])), b[:3]),
                ("new_axis", (np.array([0, 0]), NEWAXIS), b[:4]), ("lists", ([0, 0], [1, 1]), b[:4]),
                ("two_d", np.array([[0, 1], [1, 1]]), b[:4]), ("nothing", np.array([], np.int64), b[:4]),
                ("everything", (), b[:4]), ("uint8", np.array([1, 1], np.uint8), b[:4])):
            at(store, f"{id}/{label}", name, x, key, values)
        at(store, f"{id}/outside", name, x, np.array([0, 2]), b[:4])
        at(store, f"{id}/outside_negative", name, x, np.array([0, -3]), b[:4])
        at(store, f"{id}/outside_second", name, x, (np.array([0]), np.array([3])), b[:4])
        at(store, f"{id}/floats", name, x, np.array([0.0]), b[:4])
        at(store, f"{id}/too_many", name, x, (0, 0, 0, 0), b[:4])
        at(store, f"{id}/wrong_shape", name, x, np.array([0, 0]), b[:3])
        at(store, f"{id}/no_values", name, x, np.array([0, 0]))
        at(store, f"{id}/python", name, x, np.array([0, 0]), 2)
        for label, view in {"transposed": View(x, ("transpose", [2, 0, 1])),
                            "negative": View(x, ("slice", [g(None, None, -1), g(None, None, 2)])),
                            "broadcast": View(b[:3], ("broadcast_to", [2, 3]))}.items():
            at(store, f"{id}/views/{label}", name, view, (np.array([1, 1]), np.array([0, 0])), b[0].reshape(()))
    # The result of each step is converted to the array's dtype before the next.
    for source, other in (("int8", "int64"), ("float32", "float64"), ("int16", "float64"), ("bool", "int8"),
                          ("float64", "int32"), ("uint8", "int8"), ("complex64", "float32")):
        x, b = np.array([100, 3, 0]).astype(source), np.array([100, 30, 28, 2.5]).astype(other)
        for name in ("add", "multiply", "maximum", "subtract", "divide", "logical_and", "greater"):
            if name == "subtract" and source == "bool" or (name, source) == ("divide", "bool") or \
                    (name, source) == ("multiply", "int16"):
                continue
            at(store, f"ufunc_at_dtypes/np.{name}/{source}/{other}", name, x, np.array([0, 0, 1, 0]), b)
    for name in ("negative", "square", "absolute", "logical_not", "isnan", "floor", "conjugate"):
        for dtype in ("float64", "int16", "complex64", "bool", "float16"):
            x = exact_values("add", np.dtype(dtype), 4, "unary")
            at(store, f"ufunc_at_unary/np.{name}/{dtype}", name, x, np.array([1, 1, -1, 0, 1]))
    for method in ("reduce", "accumulate"):
        store.add(f"ufunc_errors/unary/{method}", f"np.negative.{method}", [np.arange(3)])
    store.add("ufunc_errors/power_at", "np.power.at", [np.array([2, 3]), np.array([0, 0]), np.array([2, -1])],
              expected=ValueError())
    long = np.arange(3000) * 7 % 11
    for name in ("add", "subtract", "multiply"):
        values = np.where(np.arange(3000) % 3 == 0, -1.0, 1.0)
        at(store, f"ufunc_at/np.{name}/long", name, np.zeros(11) + 1, long, values[:1])


def exact_values(name, dtype, count, label=""):
    """Numbers whose folds by `name` are exact and stay small."""
    g = rng(f"{name} {dtype.name} {label}")
    if dtype == BOOL:
        return g.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        low = 0 if dtype.kind == "u" else -9
        values = g.integers(low, 10, count)
        if name == "power":
            values = g.integers(0, 3, count)
        if name in ("left_shift", "right_shift"):
            values = g.integers(0, 4, count)
        return values.astype(dtype)
    if name in ("multiply", "divide"):
        values = 2.0 ** g.integers(-1, 2, count) * g.choice([-1, 1], count)
    elif name == "power":
        values = np.where(np.arange(count) % 4 == 0, 2.0, g.choice([1.0, 2.0, 0.0], count))
    elif name in ("remainder", "fmod", "floor_divide"):
        values = g.integers(1, 40, count) / 4 * g.choice([-1, 1], count)
    else:
        values = g.integers(-12, 13, count) / 4
    if dtype.kind == "c":
        if name == "multiply":
            return (values * g.choice([1, 1j], count)).astype(dtype)
        if name == "divide":
            return values.astype(dtype)
        return (values + 1j * g.integers(-12, 13, count) / 4).astype(dtype)
    return values.astype(dtype)


def call(store, id, op, args, kwargs=None, tolerance=EXACT):
    """A case whose value NumPy gives; narrow floats in f32 and rounded once, as folds here do."""
    kwargs = kwargs or {}
    values = [a.apply() if isinstance(a, View) else a for a in args]
    if ".multiply." in op and any(v.dtype.kind == "c" for v in values if isinstance(v, np.ndarray)):
        tolerance = ANY_ZERO  # Products of signed zeros depend on the order.
    narrow = [v for v in values if isinstance(v, np.ndarray) and v.dtype in (BF16, np.dtype("float16"))]
    if not narrow or "dtype" in kwargs:
        store.add(id, op, args, kwargs, tolerance=tolerance)
        return
    try:
        wide = [v.astype(np.float32) if isinstance(v, np.ndarray) and v.dtype == narrow[0].dtype else v
                for v in values]
        expected = function(op)(*wide, **kwargs)
        if expected.dtype == np.float32:
            expected = expected.astype(narrow[0].dtype)
    except Exception as error:
        expected = error
    store.add(id, op, args, kwargs, expected=expected, tolerance=tolerance)


def loops(name, dtype):
    """Does NumPy have a loop?"""
    try:
        function(f"np.{name}")(widened(np.ones(1, dtype)), widened(np.ones(1, dtype)))
        return True
    except TypeError:
        return False


def by_dtype(store, name, dtype):
    if dtype.kind == "c" and name == "power":
        return  # Its formula is not exact: tests of the row itself hold it.
    few = dtype.name in ("bool", "int8", "uint64", "float64", "complex64")
    if name in BITS + LOGICAL + COMPARISONS and not few:
        return
    if name not in ("add", "subtract", "maximum") and dtype.name not in MIXED:
        return
    x = exact_values(name, dtype, 12).reshape(2, 3, 2)
    id = f"ufunc/np.{name}"
    if name == "power" and dtype.kind not in "biu":
        # NumPy 2.4 squares where it should raise to powers, except in accumulate.
        folded = widened(x) if dtype == BF16 else x
        folded = np.power.accumulate(folded.astype(np.float32) if dtype.itemsize == 2 else folded, axis=1)
        store.add(f"{id}.accumulate/{dtype.name}/axis=1", "np.power.accumulate", [x], {"axis": 1},
                  expected=folded.astype(dtype))
        store.add(f"{id}.reduce/{dtype.name}/axis=1", "np.power.reduce", [x], {"axis": 1},
                  expected=folded[:, -1].astype(dtype))
        return
    if not loops(name, dtype):
        call(store, f"{id}.reduce/{dtype.name}", f"np.{name}.reduce", [x])
        call(store, f"{id}.outer/{dtype.name}", f"np.{name}.outer", [x[0, 0], x[1, 1]])
        return
    call(store, f"{id}.reduce/{dtype.name}/axis=1", f"np.{name}.reduce", [x], {"axis": 1})
    call(store, f"{id}.accumulate/{dtype.name}/axis=-1", f"np.{name}.accumulate", [x], {"axis": -1})
    if name in COMPARISONS and dtype != BOOL:
        return
    if dtype.name in ("int16", "uint16", "int32", "uint32", "uint8", "complex128"):
        return  # As their neighbours.
    call(store, f"{id}.reduceat/{dtype.name}", f"np.{name}.reduceat",
         [x.reshape(2, 6), np.array([0, 3, 1, 4, 4, 5])], {"axis": 1})
    y = exact_values(name, dtype, 3, "right")
    if name in ("add", "power", "less", "bitwise_xor"):
        call(store, f"{id}.outer/{dtype.name}", f"np.{name}.outer", [x[0, :2, :2], y])


def options(store, name):
    dtype = BOOL if name in COMPARISONS else np.dtype("int16") if name in BITS else F32
    x = exact_values(name, dtype, 24, "options").reshape(2, 3, 4)
    id, op = f"ufunc_options/np.{name}.reduce", f"np.{name}.reduce"
    for label, axis in (("0", 0), ("2", 2), ("-3", -3), ("none", None), ("(0,1)", (0, 1)), ("(1,)", (1,)),
                        ("()", ()), ("3", 3), ("(0,0)", (0, 0)), ("(0,2)", (0, 2))):
        call(store, f"{id}/axis={label}", op, [x], {"axis": axis})
    call(store, f"{id}/keepdims", op, [x], {"axis": 1, "keepdims": True})
    call(store, f"{id}/keepdims/none", op, [x[0, 0]], {"axis": None, "keepdims": True})
    start = x[1, 1, 1].item() if dtype != np.dtype("int16") else 3
    call(store, f"{id}/initial", op, [x], {"axis": 1, "initial": start})
    call(store, f"{id}/initial=none", op, [x], {"axis": 1, "initial": None})
    mask = ordinary(BOOL, 24, f"mask {name}").reshape(2, 3, 4)
    call(store, f"{id}/where", op, [x], {"axis": 2, "where": mask})
    call(store, f"{id}/where,initial", op, [x], {"axis": 2, "where": mask, "initial": start})
    call(store, f"{id}/where,initial=none", op, [x], {"axis": 2, "where": mask, "initial": None})
    call(store, f"{id}/where_row,initial,keepdims", op, [x],
         {"axis": 0, "where": mask[0], "initial": start, "keepdims": True})
    for label, shape, axis in (("all", (0,), 0), ("axis=0", (0, 3), 0), ("axis=1", (0, 3), 1),
                               ("middle", (2, 0, 3), 1)):
        nothing = np.zeros(shape, dtype)
        call(store, f"{id}/empty/{label}", op, [nothing], {"axis": axis})
        call(store, f"{id}/empty/{label}/initial", op, [nothing], {"axis": axis, "initial": start})
        call(store, f"{id}/empty/{label}/initial=none", op, [nothing], {"axis": axis, "initial": None})
        call(store, f"ufunc_options/np.{name}.accumulate/empty/{label}", f"np.{name}.accumulate", [nothing],
             {"axis": axis})
    call(store, f"{id}/zero_d", op, [x[0, 0, 0]])
    call(store, f"{id}/zero_d/none", op, [x[0, 0, 0]], {"axis": None})
    call(store, f"{id}/zero_d/axis=1", op, [x[0, 0, 0]], {"axis": 1})
    call(store, f"{id}/one", op, [x[:1, :1, :1]], {"axis": 1})
    call(store, f"{id}/one/none", op, [x[:1, :1, :1]], {"axis": None})
    out = np.zeros((2, 4), dtype)
    call(store, f"{id}/out", op, [x, 1, None, out])
    call(store, f"{id}/out/keyword", op, [x], {"axis": 1, "out": out})
    call(store, f"{id}/out/wrong_shape", op, [x], {"axis": 0, "out": out})
    id, op = f"ufunc_options/np.{name}.accumulate", f"np.{name}.accumulate"
    for label, axis in (("0", 0), ("1", 1), ("-1", -1), ("3", 3), ("none", None), ("(1,)", (1,)),
                        ("(0,1)", (0, 1))):
        call(store, f"{id}/axis={label}", op, [x], {"axis": axis})
    call(store, f"{id}/none/one_d", op, [x[0, 0]], {"axis": None})
    call(store, f"{id}/zero_d", op, [x[0, 0, 0]])
    call(store, f"{id}/one", op, [x[:1, :1, :1]], {"axis": 1})
    call(store, f"{id}/out", op, [x, 1], {"out": np.zeros((2, 3, 4), dtype)})
    if name in ARITHMETIC:
        whole = exact_values(name, np.dtype("int8"), 12, "dtype").reshape(3, 4)
        for target in ("int8", "int16", "uint8", "int64", "float32", "float64", "complex64", "bool"):
            target = np.dtype(target)
            if name == "power" and target.kind == "c":
                continue
            for method in ("reduce", "accumulate"):
                call(store, f"ufunc_options/np.{name}.{method}/int8/dtype={target.name}",
                     f"np.{name}.{method}", [whole], {"axis": 1, "dtype": target})
        reduceat = f"np.{name}.reduceat"
        call(store, f"ufunc_options/{reduceat}/int8/dtype=float64", reduceat, [whole, np.array([0, 2])],
             {"axis": 1, "dtype": F64})
    scalar = exact_values(name, dtype, 1, "scalar")[0].item()
    outer = f"np.{name}.outer"
    call(store, f"ufunc_options/{outer}/scalars", outer, [x[0, 0, 1], x[0, 0, 2]])
    call(store, f"ufunc_options/{outer}/left_scalar", outer, [scalar, x[0, 0]])
    call(store, f"ufunc_options/{outer}/right_scalar", outer, [x[0, 0], scalar])
    call(store, f"ufunc_options/{outer}/empty", outer, [x[:0, 0], x[0, 0]])
    if name not in BITS:
        call(store, f"ufunc_options/{outer}/mixed", outer,
             [np.array([1, 2, 3], np.int8), np.array([[2, 4]], np.float64)])


def segments(store, name):
    dtype = np.dtype("int32") if name == "power" else F32
    x = exact_values(name, dtype, 30, "segments").reshape(5, 6)
    id, op = f"ufunc_reduceat/np.{name}", f"np.{name}.reduceat"
    for label, indices in {"rising": [0, 2, 4], "one": [0], "late": [3], "falling": [4, 2, 0],
                           "mixed": [0, 4, 1, 3, 3, 2], "last": [4], "all": [0, 1, 2, 3, 4]}.items():
        call(store, f"{id}/{label}/axis=0", op, [x, np.array(indices)])
        call(store, f"{id}/{label}/axis=1", op, [x, np.array(indices)], {"axis": 1})
    call(store, f"{id}/line", op, [x[0], np.array([0, 3, 1], np.uint8)])
    call(store, f"{id}/negative_axis", op, [x, np.array([1, 3], np.int16)], {"axis": -1})
    call(store, f"{id}/none", op, [x, np.array([], np.int64)])
    call(store, f"{id}/outside", op, [x, np.array([0, 5])])
    call(store, f"{id}/negative", op, [x, np.array([0, -1])])
    call(store, f"{id}/outside_first", op, [x, np.array([7, 1])])
    call(store, f"{id}/floats", op, [x, np.array([0.0, 1.0])])
    call(store, f"{id}/two_d", op, [x, np.array([[0, 1]])])
    call(store, f"{id}/zero_d", op, [x[0, 0], np.array([0])])
    call(store, f"{id}/bad_axis", op, [x, np.array([0])], {"axis": 2})
    call(store, f"{id}/empty", op, [x[:, :0], np.array([0])], {"axis": 1})
    call(store, f"{id}/out", op, [x, np.array([0, 2])], {"out": np.zeros((2, 6), dtype)})
    call(store, f"{id}/views", op, [View(x, ("slice", [slice(None, None, -2), slice(None, None, -1)])),
                                    View(np.array([9, 2, 9, 0]), ("slice", [slice(1, None, 2)]))])


def layouts(store, name):
    dtype = F32
    x = exact_values(name, dtype, 60, "layout").reshape(3, 4, 5)
    backward = slice(None, None, -1)
    for label, view in {
        "transposed": View(x, ("transpose", [2, 0, 1])),
        "negative": View(x, ("slice", [backward, slice(None, None, 2), backward])),
        "column": View(x, ("slice", [slice(None), slice(None), slice(1, 2)])),
        "broadcast": View(x[:, :1], ("broadcast_to", [3, 2, 5])),
    }.items():
        for axis in (0, 1, 2):
            for method in ("reduce", "accumulate"):
                call(store, f"ufunc_views/np.{name}.{method}/{label}/{axis}", f"np.{name}.{method}", [view],
                     {"axis": axis})


def errors(store):
    x = np.arange(6.0).reshape(2, 3)
    store.add("ufunc_errors/negative_power", "np.power.reduce", [np.array([[2, 3], [1, -1]])], {"axis": 1})
    store.add("ufunc_errors/negative_power/accumulate", "np.power.accumulate", [np.array([2, -1])])
    store.add("ufunc_errors/negative_power/reduceat", "np.power.reduceat", [np.array([2, -1]), np.array([0])])
    store.add("ufunc_errors/negative_power/masked", "np.power.reduce", [np.array([2, -1, 3])],
              {"where": np.array([True, False, True]), "initial": 2})
    store.add("ufunc_errors/negative_power/first", "np.power.reduce", [np.array([-2, 3, 1])])
    store.add("ufunc_errors/initial_twice", "np.add.reduce", [x, 0, None, None, False, 2.0], {"initial": 2.0})


def specials_of_floats(store):
    inf, nan = np.inf, np.nan
    rows = {"nan": [1.0, nan, -2.0, 4.0], "inf": [1.0, inf, 2.0, -inf], "minus_zeros": [-0.0, -0.0, -0.0],
            "zeros": [0.0, -0.0, 0.0], "zero_first": [0.0, 1.0, -2.0], "one": [-0.0]}
    for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum", "logical_xor"):
        for dtype in (F32,):
            for label, row in rows.items():
                if label == "zeros" and "imum" in name:
                    continue  # NumPy's order of zeros is that of their places.
                for method in ("reduce", "accumulate"):
                    store.add(f"ufunc_special/np.{name}.{method}/{dtype.name}/{label}", f"np.{name}.{method}",
                              [np.array(row, dtype)])
                store.add(f"ufunc_special/np.{name}.reduceat/{dtype.name}/{label}", f"np.{name}.reduceat",
                          [np.array(row, dtype), np.array([0, len(row) - 1])])
    z = np.array([1 + 2j, complex(nan, 1), complex(2, nan), 5])
    for name in ("maximum", "minimum"):
        for method in ("reduce", "accumulate"):
            store.add(f"ufunc_special/np.{name}.{method}/complex128/nan", f"np.{name}.{method}", [z])
            store.add(f"ufunc_special/np.{name}.{method}/complex128/order", f"np.{name}.{method}",
                      [np.array([2 - 1j, 2 + 3j, -1 + 9j, 2 + 3j, -1 - 9j])])
        store.add(f"ufunc_special/np.{name}.reduceat/complex128/nan", f"np.{name}.reduceat",
                  [z, np.array([1, 0])])


def integers_at_their_ends(store):
    for dtype in INTS:
        x = specials(dtype)
        for name in ("add", "subtract", "multiply", "floor_divide", "remainder"):
            for method in ("reduce", "accumulate"):
                store.add(f"ufunc_extremes/np.{name}.{method}/{dtype.name}", f"np.{name}.{method}", [x])
    long = np.arange(10000) % 97 - 48.0
    for name in ("subtract", "maximum", "logical_xor"):
        for method in ("reduce", "accumulate"):
            view = View(long[:97], ("broadcast_to", [40, 97]))
            store.add(f"ufunc_long/np.{name}.{method}/rows", f"np.{name}.{method}", [view], {"axis": 0})
            store.add(f"ufunc_long/np.{name}.{method}/columns", f"np.{name}.{method}", [view], {"axis": 1})
