"""Axes, orders, splitting, stacking, repeating, rotating, diagonals, triangles, sliding windows."""

import numpy as np

from inputs import ALL, BF16, ordinary
from store import ANY_ZERO, View, allclose

X = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
WINDOW = "np.lib.stride_tricks.sliding_window_view"


def layouts():
    """The same kind of array, lying differently."""
    return {
        "contiguous": X,
        "transposed": View(X, ("transpose", [2, 0, 1])),
        "negative": View(X, ("slice", [slice(None, None, -1), slice(None), slice(None, None, -2)])),
        "broadcast": View(X[:, :1, :1], ("broadcast_to", [2, 3, 4])),
    }


def cases(store):
    def each(op, label, *args, only=None, **kwargs):
        for layout, array in layouts().items():
            if only is None or layout in only:
                store.add(f"axes/{op}/{layout}/{label}", op, [array, *args], kwargs)

    def small(op, *args, **kwargs):
        for label, array in {"zero_d": np.array(5), "one": np.array([7]), "row": np.arange(5.0),
                             "empty": np.zeros((0, 3)), "empty_row": np.zeros(0), "inner_empty": np.zeros((2, 0, 2))}.items():
            store.add(f"axes/{op}/small/{label}/{args}{kwargs}", op, [array, *args], kwargs)

    orders(store, each)
    for op in ("np.atleast_1d", "np.atleast_2d", "np.atleast_3d"):
        small(op)
        store.add(f"axes/{op}/several", op, [np.array(1), np.arange(3), X[0], 2.5])
    each("np.matrix_transpose", "")
    small("np.matrix_transpose")
    store.add("axes/np.permute_dims/alias", "np.permute_dims", [X, (1, 2, 0)])
    for axis, start in ((0, 3), (2, 0), (1, 1), (-1, 0), (0, -1), (2, 2), (1, 4), (3, 0), (0, -4)):
        each("np.rollaxis", f"{axis}_{start}", axis, start, only=("contiguous", "negative"))
    each("np.rollaxis", "default", 2, only=("transposed",))
    for label, arrays in {
        "rows_columns": [np.arange(3), np.arange(2).reshape(2, 1)], "one": [X], "scalar": [np.arange(2), np.array(5)],
        "wrong": [np.arange(3), np.arange(2)], "empty": [np.zeros((0, 1)), np.arange(2)], "number": [X[0], 3],
        "three": [X, np.arange(4), np.arange(3).reshape(3, 1)],
    }.items():
        store.add(f"axes/np.broadcast_arrays/{label}", "np.broadcast_arrays", arrays)
    splits(store, each)
    stacks(store)
    repeats(store, each, small)
    rotations(store, each, small)
    diagonals(store, each, small)
    for dtype in ALL:
        a = ordinary(dtype, 6, "moves").reshape(2, 3)
        for op, args in (("np.tile", [2]), ("np.roll", [1]), ("np.tril", []), ("np.diagflat", [1])):
            store.add(f"axes/{op}/dtype/{dtype.name}", op, [a, *args],
                      expected=of_bits(op, a, args) if dtype == BF16 else None)


def of_bits(op, array, args):
    """What only moves elements, done to their bits: for a dtype that NumPy itself does not have."""
    return getattr(np, op.removeprefix("np."))(array.view(np.uint16), *args).view(BF16)


def orders(store, each):
    for order in "CFAK":
        each("np.ravel", f"order={order}", order=order)
        each("np.ndarray.flatten", f"order={order}", order, only=("contiguous", "transposed", "negative"))
        each("np.copy", f"order={order}", order=order)
    store.add("axes/np.ravel/row_broadcast/K", "np.ravel", [View(np.arange(3), ("broadcast_to", [2, 3]))], {"order": "K"})
    store.add("axes/np.ravel/bad_order", "np.ravel", [X], {"order": "Z"})
    for order in "CFA":
        for shape in ((4, 6), (-1, 3), (24,), (2, -1, 2, 2)):
            each("np.reshape", f"{shape}_{order}", shape, order=order, only=("contiguous", "transposed", "broadcast"))
    each("np.reshape", "F_negative", (3, 4), order="F", only=("negative",))
    store.add("axes/np.reshape/order_K", "np.reshape", [X, (24,)], {"order": "K"})
    store.add("axes/np.reshape/F_error", "np.reshape", [X, (5, -1)], {"order": "F"})
    store.add("axes/np.reshape/no_copy", "np.reshape", [X, (24,)], {"copy": False})
    store.add("axes/np.reshape/no_copy_possible", "np.reshape", [View(X, ("transpose", [2, 1, 0])), (24,)], {"copy": False})
    store.add("axes/np.reshape/copy", "np.reshape", [X, (4, 6)], {"copy": True})
    for op in ("np.ascontiguousarray", "np.asfortranarray"):
        each(op, "")
        store.add(f"axes/{op}/zero_d", op, [np.array(3)])
        store.add(f"axes/{op}/dtype", op, [X[0]], {"dtype": np.dtype("float32")})


def splits(store, each):
    for op in ("np.split", "np.array_split"):
        for label, cuts, axis in (("2", 2, 0), ("4_last", 4, 2), ("uneven", 3, 2), ("many", 5, 1), ("zero", 0, 0), ("negative", -1, 0),
                                  ("at", [1, 3], 2), ("at_tuple", (1,), -1), ("clipped", [1, 10], 2), ("from_end", [-3, -1], 2),
                                  ("backward", [3, 1], 2), ("nowhere", [], 1), ("beyond", 2, 3), ("below", [1], -4)):
            each(op, label, cuts, axis=axis, only=("contiguous", "transposed") if label in ("2", "at", "from_end") else ("contiguous",))
        store.add(f"axes/{op}/default", op, [np.arange(6), 3])
        store.add(f"axes/{op}/zero_d", op, [np.array(3), 1])
        store.add(f"axes/{op}/empty", op, [np.zeros((0, 2)), 2])
        store.add(f"axes/{op}/positions_array", op, [np.arange(9), np.array([2, 5])])
    for op, least in (("np.hsplit", 1), ("np.vsplit", 2), ("np.dsplit", 3)):
        for ndim in range(4):
            a = np.arange(2**ndim).reshape((2,) * ndim)
            store.add(f"axes/{op}/{ndim}d", op, [a, 2])
            store.add(f"axes/{op}/{ndim}d_at", op, [a, [1]])
        store.add(f"axes/{op}/uneven", op, [X[:, :, :3], 4])
    for axis in (0, 1, -1, 3):
        each("np.unstack", f"{axis}", axis=axis, only=("contiguous", "negative"))
    store.add("axes/np.unstack/zero_d", "np.unstack", [np.array(3)])
    store.add("axes/np.unstack/row", "np.unstack", [np.arange(3)])


def stacks(store):
    row, matrix, cube = np.arange(3), np.arange(6).reshape(2, 3), np.arange(12.0).reshape(2, 3, 2)
    for op in ("np.vstack", "np.hstack", "np.dstack", "np.column_stack"):
        for label, parts in {"rows": (row, row + 10), "matrices": (matrix, matrix * 2), "mixed": (row, matrix), "zero_d": (np.array(1), np.array(2)),
                             "one": (row,), "none": (), "cubes": (cube, cube), "row_column": (row.reshape(3, 1), row.reshape(3, 1)),
                             "types": (row.astype(np.int8), row.astype(np.float32)), "list": [row, row], "numbers": (1, 2.5),
                             "views": (View(matrix, ("transpose", [1, 0])), View(matrix, ("transpose", [1, 0]))),
                             "lengths": (row, np.arange(2)), "lists": ([1, 2], [3, 4])}.items():
            store.add(f"axes/{op}/{label}", op, [parts])
    store.add("axes/np.vstack/of_array", "np.vstack", [cube])
    for op in ("np.vstack", "np.hstack", "np.stack", "np.concatenate"):
        for dtype, casting in ((np.float32, None), (np.int8, "unsafe"), (np.int8, None), (np.float64, "safe"), (np.int32, "safe"),
                               (np.int64, "no"), (np.int32, "equiv"), (np.int32, "same_kind"), (np.uint8, "same_kind"), (np.int64, "strange")):
            kwargs = {"dtype": np.dtype(dtype)} | ({"casting": casting} if casting else {})
            store.add(f"axes/{op}/{np.dtype(dtype).name}_{casting}", op, [(row, row)], kwargs)
    store.add("axes/np.concatenate/casting_no_mixed", "np.concatenate", [(row, row * 0.5)], {"casting": "no"})
    store.add("axes/np.concatenate/number_axis_none", "np.concatenate", [(matrix, row)], {"axis": None, "dtype": np.dtype("float32")})
    store.add("axes/np.concat/alias", "np.concat", [(row, row)])
    for label, args, kwargs in (("flat", [matrix, row], {}), ("axis", [matrix, matrix], {"axis": 1}), ("ndim", [matrix, row], {"axis": 0}),
                                ("number", [row, 7], {}), ("list", [row, [1.5, 2]], {})):
        store.add(f"axes/np.append/{label}", "np.append", args, kwargs)
    a, b, c, d = np.ones((2, 2)), np.zeros((2, 1)), np.full((1, 2), 3), np.array([[4]])
    for label, blocks in {
        "matrix": [[a, b], [c, d]], "row": [a, b], "array": a, "flat": [np.array(1), row], "numbers": [1, 2, 3],
        "nested": [[[a, a]], [[a, a]]], "deeper_array": [[row], [row]], "cube": [cube, cube], "mixed_depth": [[a, b], c],
        "empty": [], "inner_empty": [[a, b], []], "tuple": (a, b), "heights": [[a, c]], "widths": [[a], [b]], "ndims": [[1, row], [2, row]],
        "fortran": [[View(np.arange(6.0).reshape(3, 2), ("transpose", [1, 0])), View(np.arange(2.0).reshape(1, 2), ("transpose", [1, 0]))]],
        "zero_d": np.array(5), "number": 5, "types": [[np.array([1], dtype=np.int8), np.array([1j], dtype=np.complex64)]],
    }.items():
        store.add(f"axes/np.block/{label}", "np.block", [blocks])


def repeats(store, each, small):
    for label, reps in {"int": 2, "two": (2, 3), "four": (2, 1, 1, 2), "one": 1, "ones": (1, 1, 1), "zero": 0, "zero_inner": (2, 0, 1),
                        "none": (), "negative": (-1, 2), "list": [1, 2]}.items():
        each("np.tile", label, reps, only=None if label == "two" else ("contiguous",))
    small("np.tile", 2)
    small("np.tile", (2, 2))
    for label, times, axis in (("flat", 2, None), ("first", 2, 0), ("last", 3, -1), ("middle", 2, 1), ("zero", 0, 1), ("one", 1, 2),
                               ("beyond", 2, 3), ("negative", -1, 0)):
        each("np.repeat", label, times, axis=axis, only=None if label == "middle" else ("contiguous",))
    small("np.repeat", 2)
    for label, times, axis in (("first", [2, 3], 0), ("last", [0, 1, 2, 3], -1), ("middle", [1, 0, 2], 1), ("flat", list(range(24)), None), ("one", [2], 1),
                               ("none", [0, 0], 0), ("wrong", [1, 2], 1), ("negative", [1, -1], 0), ("floats", [1.0, 2.0], 0), ("nested", [[1, 2]], 0), ("beyond", [1, 2], 3)):
        times = np.array(times)
        each("np.repeat", f"counts/{label}", times, axis=axis, only=None if label == "middle" else ("contiguous",))
    store.add("axes/np.repeat/counts/list", "np.repeat", [np.arange(3.0), [1, 0, 2]])
    store.add("axes/np.repeat/counts/bool", "np.repeat", [np.arange(3.0), np.array([True, False, True])])
    store.add("axes/np.repeat/counts/unsigned", "np.repeat", [np.arange(3.0), np.array([1, 2, 3], dtype=np.uint64)])
    store.add("axes/np.repeat/counts/int8", "np.repeat", [np.arange(3.0), np.array([1, 2, 3], dtype=np.int8)])
    store.add("axes/np.repeat/counts/zero_d", "np.repeat", [np.arange(3.0), np.array(2)])
    store.add("axes/np.repeat/counts/of_empty", "np.repeat", [np.zeros(0), np.zeros(0, dtype=int)])
    store.add("axes/np.repeat/counts/strided", "np.repeat", [np.arange(3.0), View(np.arange(6), ("slice", [slice(None, None, -2)]))])
    small("np.repeat", 2, axis=0)
    for label, shape in {"longer": (3, 10), "shorter": (5,), "same": (24,), "int": 30, "empty": (0, 2), "exact": (2, 24), "zero_d": (),
                         "negative": (-1, 3), "three": (2, 3, 4)}.items():
        each("np.resize", label, shape, only=None if label == "longer" else ("contiguous",))
    store.add("axes/np.resize/of_empty", "np.resize", [np.zeros(0, dtype=np.int16), (2, 2)])
    store.add("axes/np.resize/of_number", "np.resize", [5, (2, 2)])


def rotations(store, each, small):
    for k in range(-2, 5):
        each("np.rot90", f"k={k}", k, only=("contiguous", "negative") if k in (1, 3) else ("contiguous",))
    for axes in ((1, 2), (2, 0), (-1, 0), (0, 0), (0, 3), (0, -3), (1,)):
        each("np.rot90", f"axes={axes}", axes=axes, only=("contiguous",))
    small("np.rot90")
    for label, shift, axis in (("flat", 5, None), ("flat_back", -1, None), ("flat_far", 100, None), ("first", 1, 0), ("last", -3, -1),
                               ("two", (1, 2), (0, 2)), ("one_for_all", 2, (0, 1, 2)), ("same_twice", (1, 2), (2, 2)), ("whole", 4, 2),
                               ("zero", 0, 1), ("beyond", 1, 3), ("below", 1, -4), ("unequal", (1, 2), (0, 1, 2)), ("many_flat", (1, 2), None),
                               ("many_on_one", (1, 2), 1), ("no_axes", 1, ()), ("big", 2**40 + 1, 1)):
        each("np.roll", label, shift, axis=axis, only=None if label in ("two", "flat") else ("contiguous",))
    small("np.roll", 1)
    small("np.roll", 1, axis=0)
    for op in ("np.fliplr", "np.flipud", "np.flip"):
        small(op)
        each(op, "")


def diagonals(store, each, small):
    square, wide = np.arange(9.0).reshape(3, 3), np.arange(12).reshape(3, 4)
    for offset in (0, 1, -1, 2, -2, 4, -5, 2**40):
        if abs(offset) < 10:
            store.add(f"axes/np.diagonal/wide/{offset}", "np.diagonal", [wide, offset])
            store.add(f"axes/np.trace/wide/{offset}", "np.trace", [wide, offset])
            store.add(f"axes/np.diag/matrix/{offset}", "np.diag", [wide, offset])
            store.add(f"axes/np.diag/row/{offset}", "np.diag", [np.arange(1, 4), offset])
            store.add(f"axes/np.diagflat/{offset}", "np.diagflat", [square[:2, :2], offset])
        for op in ("np.tril", "np.triu"):
            store.add(f"axes/{op}/wide/{offset}", op, [wide, offset])
            store.add(f"axes/{op}/tall/{offset}", op, [View(wide, ("transpose", [1, 0])), offset])
        store.add(f"axes/np.tri/{offset}", "np.tri", [3, 4, offset])
    for op in ("np.diagonal", "np.trace"):
        for label, kwargs in {"planes": {"axis1": 1, "axis2": 2}, "turned": {"axis1": 2, "axis2": 0, "offset": 1}, "back": {"axis1": -1, "axis2": -2},
                              "same": {"axis1": 1, "axis2": 1}, "beyond": {"axis1": 0, "axis2": 3}, "keyword": {"offset": -1}}.items():
            each(op, label, only=("contiguous", "transposed"), **kwargs)
        small(op)
    for dtype in ALL:
        if dtype != BF16:
            a = ordinary(dtype, 9, "trace").reshape(3, 3)
            store.add(f"axes/np.trace/dtype/{dtype.name}", "np.trace", [a], tolerance=allclose(1e-2 if dtype == np.float16 else 1e-6, 0))
    store.add("axes/np.trace/dtype", "np.trace", [wide], {"dtype": np.dtype("float32")})
    for op in ("np.diag", "np.diagflat", "np.tril", "np.triu"):
        small(op)
    each("np.tril", "", only=("transposed", "negative"))
    each("np.triu", "k=1", 1, only=("contiguous", "broadcast"))
    store.add("axes/np.triu/nan_below", "np.triu", [np.array([[1, np.inf], [np.nan, -0.0]])])
    for label, args, kwargs in (("square", (3,), {}), ("tall", (4, 2), {}), ("dtype", (2, 3, 1), {"dtype": np.dtype("int8")}), ("empty", (0,), {}),
                                ("none", (2, None, 1), {}), ("bool", (3,), {"dtype": np.dtype("bool")}), ("negative", (-1,), {}), ("negative_columns", (2, -3), {})):
        store.add(f"axes/np.tri/{label}", "np.tri", list(args), kwargs)
    for label, (x, kwargs) in {
        "ints": (np.array([1, 2, 3, 5]), {}), "increasing": (np.array([1, 2, 3]), {"increasing": True}), "columns": (np.array([2.0, 3.0]), {"N": 4}),
        "none": (np.array([2.0, 3.0]), {"N": 0}), "one": (np.array([2.0, 3.0]), {"N": 1}), "int8": (np.array([100, -3], dtype=np.int8), {"N": 3}),
        "complex": (np.array([1 + 2j, -1j], dtype=np.complex64), {"N": 3}), "half": (np.array([0.5, -2], dtype=np.float16), {"N": 5}),
        "special": (np.array([np.inf, -0.0, np.nan]), {"N": 3}), "matrix": (square, {}), "zero_d": (np.array(3), {}), "empty": (np.zeros(0), {}),
        "bool": (np.array([True, False]), {"N": 3}), "negative": (np.array([2.0]), {"N": -1}), "thirds": (np.array([1 / 3, 0.1]), {"N": 9}),
        "strided": (View(np.arange(8.0), ("slice", [slice(None, None, -3)])), {"N": 3}), "wraps": (np.array([2**40]), {"N": 4, "increasing": True}),
    }.items():
        store.add(f"axes/np.vander/{label}", "np.vander", [x], kwargs, tolerance=ANY_ZERO)
    for label, window, kwargs in (("row", (2, 2, 2), {}), ("axis", 2, {"axis": 1}), ("negative_axis", 3, {"axis": -1}), ("two", (2, 3), {"axis": (0, 2)}),
                                  ("same_axis", (2, 2), {"axis": (2, 2)}), ("whole", (2, 3, 4), {}), ("ones", (1, 1, 1), {}), ("too_long", (3, 1, 1), {}),
                                  ("few", (2, 2), {}), ("negative", (-1, 1, 1), {}), ("zero", 0, {"axis": 0}), ("beyond", 2, {"axis": 3})):
        each(WINDOW, label, window, only=("contiguous", "negative", "transposed") if label in ("axis", "two") else ("contiguous",), **kwargs)
    store.add(f"axes/{WINDOW}/row", WINDOW, [np.arange(5), 3])
    store.add(f"axes/{WINDOW}/empty", WINDOW, [np.zeros(0), 1])
