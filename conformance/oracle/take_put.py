"""take, put, choose and their kin; functions that make positions; delete and insert.

Functions that change an array in place return the changed array.
"""

import numpy as np

from inputs import ALL, ordinary
from store import View

S = slice
INT = np.array


def cases(store):
    reading(store)
    writing(store)
    choosing(store)
    positions(store)
    editing(store)
    overlap(store)


def names(store, family):
    """Adds cases called family/op/label."""
    def add(op, label, args, kwargs=None, **more):
        store.add(f"{family}/{op}/{label}", op, args, kwargs, **more)
    return add


def reading(store):
    add = names(store, "take_put")
    a = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    turned = View(a, ("transpose", [2, 0, 1]))
    for label, array, index, kwargs in [
        ("flat", a, INT([23, 0, -1, 5]), {}), ("flat_grid", a, INT([[1, 2], [3, -24]]), {}), ("axis_0", a, INT([1, 0, 1]), {"axis": 0}),
        ("axis_1", a, INT([[2, 0], [1, 1]]), {"axis": 1}), ("axis_last", a, INT([3, -4]), {"axis": -1}), ("none", a, INT([], int), {"axis": 1}),
        ("scalar", a, 2, {"axis": 1}), ("zero_d", a, INT(2), {"axis": 1}), ("flat_scalar", a, -1, {}), ("list", a, [2, 0], {"axis": 2}),
        ("bool", a, INT([True, False]), {"axis": 0}), ("uint8", a, INT([1, 0], np.uint8), {"axis": 0}), ("above", a, INT([0, 24]), {}),
        ("below", a, INT([-25]), {}), ("above_axis", a, INT([3]), {"axis": 1}), ("float", a, INT([1.0]), {}), ("bad_axis", a, INT([0]), {"axis": 3}),
        ("turned", turned, INT([3, 0]), {"axis": 0}), ("turned_flat", turned, INT([1, 22]), {}), ("turned_2", turned, INT([2, -3]), {"axis": 2}),
        ("wrap", a, INT([-25, 24, 100, -1]), {"mode": "wrap"}), ("clip", a, INT([-25, 24, -1, 3]), {"mode": "clip"}),
        ("wrap_axis", a, INT([-7, 5, 3]), {"axis": 1, "mode": "wrap"}), ("clip_axis", a, INT([-7, 5, 2]), {"axis": 1, "mode": "clip"}),
        ("raise", a, INT([1]), {"mode": "raise"}), ("bad_mode", a, INT([1]), {"mode": "around"}), ("of_0d", np.array(5), INT([0, -1]), {}),
        ("of_0d_axis", np.array(5), INT([0]), {"axis": 0}), ("of_none", np.zeros(0), INT([], int), {}), ("of_none_some", np.zeros(0), INT([0]), {}),
        ("of_none_wrap", np.zeros(0), INT([0]), {"mode": "wrap"}), ("of_none_clip", np.zeros((2, 0)), INT([0]), {"axis": 1, "mode": "clip"}),
        ("rows_of_nothing", np.zeros((3, 0)), INT([2, 0]), {"axis": 0}), ("no_row_of_nothing", np.zeros((3, 0)), INT([3]), {"axis": 0}),
    ]:
        add("np.take", label, [array, index], kwargs)
    for dtype in ALL:
        array = ordinary(dtype, 12, "take").reshape(3, 4)
        add("np.take", f"dtype/{dtype.name}", [array, INT([3, 1, 1])], {"axis": 1})
        add("np.compress", f"dtype/{dtype.name}", [INT([True, False, True]), array], {"axis": 0})
        specials = np.array([0, 1, 0, 1, 1]).astype(dtype)
        add("np.flatnonzero", f"dtype/{dtype.name}", [specials])
    grid = INT([[5, 1, 9], [0, 8, 2]], np.int16)
    for label, array, index, kwargs in [
        ("sorted", grid, np.argsort(grid, axis=1), {"axis": 1}), ("default", grid, INT([[2, 0], [0, -1]]), {}), ("axis_0", grid, INT([[1, 0, 1]]), {"axis": 0}),
        ("one_column", grid, INT([[2], [0]]), {"axis": 1}), ("broadcast", grid, INT([[2, 0]]), {"axis": 1}), ("flat", grid, INT([5, 0, -1]), {"axis": None}),
        ("flat_2", grid, INT([[5, 0]]), {"axis": None}), ("above", grid, INT([[3], [0]]), {"axis": 1}), ("float", grid, INT([[1.0], [0]]), {"axis": 1}),
        ("bool", grid, INT([[True], [False]]), {"axis": 1}), ("dimensions", grid, INT([1]), {"axis": 1}), ("shapes", grid, INT([[1], [0], [1]]), {"axis": 1}),
        ("shapes_2", grid, INT([[0, 1]]), {"axis": 0}), ("stretched", grid[:1], INT([[1], [0], [2]]), {"axis": 1}), ("none", grid, np.zeros((2, 0), int), {"axis": 1}),
        ("zero_d", np.array(3), INT(0), {"axis": 0}), ("zero_d_flat", np.array(3), INT([0]), {"axis": None}), ("bad_axis", grid, INT([[1], [0]]), {"axis": 2}),
        ("view", View(grid, ("slice", [S(None, None, -1), S(None, None, 2)])), INT([[1], [0]]), {"axis": 1}), ("deep", a, INT([[[2, 0, 1, 1]], [[0, 0, 2, 1]]]), {"axis": 1}),
    ]:
        add("np.take_along_axis", label, [array, index], kwargs)
    mixed = INT([[0.0, -0.0, np.nan], [2.5, 0.0, np.inf]])
    for label, array in {"mixed": mixed, "turned": View(mixed, ("transpose", [1, 0])), "backward": View(mixed, ("slice", [S(None, None, -1)])),
                         "flat": INT([0, 3, 0, -2]), "none": np.zeros((0, 2)), "nothing": np.zeros((2, 0)), "all_zero": np.zeros((2, 2)),
                         "deep": (np.arange(12).reshape(2, 2, 3) % 4), "size_1": np.ones((1, 1)), "complex": INT([0j, 1j, 0]),
                         "zero_d": np.array(3), "zero_d_zero": np.array(0.0), "bool": INT([True, False, True]),
                         "stretched": View(INT([[1], [0]]), ("broadcast_to", [2, 3]))}.items():
        for op in ("np.nonzero", "np.flatnonzero", "np.argwhere", "np.where"):
            add(op, label, [array])
    for label, condition, array, kwargs in [
        ("flat", INT([True, False, True]), a, {}), ("axis", INT([0, 2, 1]), a, {"axis": 1}), ("short", INT([0, 1]), a, {"axis": 2}), ("list", [True, False], a, {"axis": 0}),
        ("long_false", INT([1, 0, 0, 0]), a, {"axis": 0}), ("long_true", INT([1, 0, 1]), a, {"axis": 0}), ("two_axes", INT([[True]]), a, {}),
        ("zero_d", INT(True), a, {}), ("of_0d", INT([True]), np.array(3), {}), ("none", INT([], bool), a, {"axis": 1}), ("turned", INT([1, 0, 0, 1]), turned, {"axis": 0}),
    ]:
        add("np.compress", label, [condition, array], kwargs)
    for label, condition, array in [
        ("same", a % 5 == 0, a), ("ints", INT([[1, 0, 2], [0, 1, 0]]), a[0, :2, :3]), ("short", INT([1, 0, 1]), a), ("long", INT([1] * 7), a[0, 0]),
        ("turned", (a % 5 == 0).transpose(2, 0, 1).copy(), turned), ("none", a > 99, a), ("zero_d", INT(True), np.array(4)), ("reshaped", (a % 3 == 0).reshape(24), a),
    ]:
        add("np.extract", label, [condition, array])


def changed(name):
    """NumPy's function, returning the array that it changes."""
    def run(a, *args, **kwargs):
        a = a.copy()
        getattr(np, name)(a, *args, **kwargs)
        return a
    return run


def writing(store):
    def add(op, label, array, args, kwargs=None):
        kwargs, plain = kwargs or {}, array.apply() if isinstance(array, View) else array
        args = list(args)
        try:
            expected = changed(op)(plain, *args, **kwargs)
        except Exception as error:
            expected = error
        store.add(f"take_put/np.{op}/{label}", f"np.{op}", [array, *args], kwargs, expected=expected, note="returns the modified array")

    a = np.arange(6, dtype=np.int32).reshape(2, 3)
    floats = np.zeros((2, 3), np.float32)
    turned, backward = View(a, ("transpose", [1, 0])), View(a, ("slice", [S(None, None, -1), S(None, None, -2)]))
    for label, array, args, kwargs in [
        ("one", a, (2, -9), {}), ("several", a, (INT([0, -1]), INT([7, 8], np.int32)), {}), ("cycled", a, (INT([0, 1, 2, 3, 4]), INT([7, 8], np.int16)), {}),
        ("more_values", a, (INT([3]), INT([7, 8, 9], np.int32)), {}), ("twice", a, (INT([1, 4, 1, 4]), INT([1, 2, 3, 4], np.int32)), {}), ("lists", a, ([0, 5], [-1, -2]), {}),
        ("list_of_floats", a, ([0, 5], [1.5, -2.5]), {}), ("floats", a, (INT([0]), INT([1.5])), {}), ("wide", a, (INT([0]), INT([1])), {}), ("no_values", a, (INT([0]), np.zeros(0, np.int32)), {}),
        ("no_places", a, (INT([], int), INT([1], np.int32)), {}), ("above", a, (INT([6]), 1), {}), ("below", a, (INT([-7]), 1), {}), ("wrap", a, (INT([-7, 6, 20]), INT([1, 2, 3], np.int8)), {"mode": "wrap"}),
        ("clip", a, (INT([-7, 6]), INT([1, 2], np.int8)), {"mode": "clip"}), ("bad_mode", a, (INT([0]), 1), {"mode": "clap"}), ("grid", a, (INT([[0, 1], [2, 3]]), INT([[9, 8], [7, 6]], np.int32)), {}),
        ("turned", turned, (INT([1, -1]), INT([70, 80], np.int32)), {}), ("backward", backward, (INT([1, 2]), INT([70, 80], np.int32)), {}), ("zero_d", np.array(1), (0, 5), {}), ("overflow", a.astype(np.int8), (0, 300), {}),
        ("float_index", a, (INT([1.0]), 1), {}), ("uint64_index", a, (INT([1], np.uint64), 1), {}), ("bool_index", a, (INT([True, False]), INT([8, 9], np.int32)), {}),
    ]:
        add("put", label, array, args, kwargs)
    for label, array, args in [
        ("row", a, (INT([[2], [0]]), -1, 1)), ("values", a, (INT([[2], [0]]), INT([[7], [8]]), 1)), ("axis_0", a, (INT([[1, 0, 1]]), INT([7, 8, 9]), 0)), ("twice", a, (INT([[1, 1], [0, 0]]), INT([[1, 2], [3, 4]]), 1)),
        ("flat", a, (INT([5, 0]), INT([7, 8]), None)), ("turned", turned, (INT([[1], [0], [1]]), INT([[7], [8], [9]]), 1)), ("above", a, (INT([[3], [0]]), 1, 1)), ("shapes", a, (INT([[1], [0], [1]]), 1, 1)),
        ("float", a, (INT([[1.0], [0]]), 1, 1)), ("dimensions", a, (INT([1]), 1, 1)), ("cast", a, (INT([[2], [0]]), INT([[1.75], [-2.75]]), 1)), ("turned_flat", turned, (INT([5, 0]), INT([7, 8]), None)),
    ]:
        add("put_along_axis", label, array, args)
    mask = INT([[True, False, True], [False, True, True]])
    for op in ("putmask", "place"):
        for label, array, args in [
            ("one", a, (mask, -1)), ("same", a, (mask, -a)), ("cycled", a, (mask, INT([7, 8, 9, 10, 11][:4], np.int32))), ("two", a, (mask, INT([7, 8], np.int32))), ("list", a, (mask, [7, 8])),
            ("ints", a, (INT([[2, 0, 0], [0, 1, 0]]), -1)), ("other_shape", a, (mask.reshape(3, 2), INT([7, 8], np.int32))), ("small_mask", a, (INT([True, False]), 1)), ("no_values", a, (mask, np.zeros(0, np.int32))),
            ("no_values_no_places", a, (mask & False, np.zeros(0, np.int32))), ("floats", a, (mask, INT([1.5]))), ("narrow", a.astype(np.int8), (mask, INT([1]))), ("to_float", floats, (mask, INT([1.5, -0.0], np.float32))),
            ("turned", turned, (mask.T.copy(), INT([7, 8], np.int32))), ("backward", backward, (mask[:, :2].copy(), INT([7, 8, 9], np.int32))), ("zero_d", np.array(1), (np.array(True), 5)), ("empty", np.zeros((0, 2)), (np.zeros((0, 2), bool), 5.0)),
        ]:
            add(op, label, array, args)
    for label, array, args, kwargs in [
        ("row", floats, (INT([1, 2, 3], np.float32),), {}), ("one", floats, (2.5,), {}), ("where", a, (-1,), {"where": mask}), ("where_row", a, (INT([7, 8, 9]),), {"where": INT([True, False, True])}),
        ("where_false", a, (-1,), {"where": False}), ("where_ints", a, (-1,), {"where": INT([1, 0, 2])}), ("to_int", a, (1.5,), {}), ("to_int_unsafe", a, (1.5,), {"casting": "unsafe"}), ("arrays_to_int", a, (INT([1.5]),), {}),
        ("narrow", a.astype(np.int8), (INT([300, 1, 2]),), {}), ("to_unsigned", a.astype(np.uint8), (INT([1]),), {}), ("overflow", a.astype(np.uint8), (-1,), {}), ("safe", a, (INT([1]),), {"casting": "safe"}), ("no", a, (INT([1]),), {"casting": "no"}),
        ("equiv", a, (INT([1], np.int32),), {"casting": "equiv"}), ("bad_casting", a, (1,), {"casting": "perhaps"}), ("shapes", a, (INT([1, 2], np.int32),), {}), ("leading", a, (np.ones((1, 2, 3), np.int32),), {}), ("turned", turned, (INT([7, 8], np.int32),), {}),
        ("where_shapes", a, (1,), {"where": INT([True, False])}), ("list", a, ([7, 8, 9],), {}), ("bool", INT([True, False]), (1,), {}),
    ]:
        add("copyto", label, array, args, kwargs)
    for label, array, args, kwargs in [
        ("square", np.zeros((3, 3), int), (4,), {}), ("wide", np.zeros((2, 4), int), (4,), {}), ("tall", np.zeros((5, 2), int), (4,), {}), ("tall_wrap", np.zeros((7, 2), int), (4,), {"wrap": True}), ("wide_wrap", np.zeros((2, 4), int), (4,), {"wrap": True}),
        ("values", np.zeros((3, 3)), (INT([1.5, 2.5]),), {}), ("list", np.zeros((3, 3), int), ([1.5, 2],), {}), ("many_values", np.zeros((2, 2)), (np.arange(5.0),), {}), ("cube", np.zeros((2, 2, 2), int), (INT([4, 5]),), {}), ("box", np.zeros((2, 3, 2)), (1,), {}),
        ("flat", np.zeros(3), (1,), {}), ("no_values", np.zeros((2, 2)), (np.zeros(0),), {}), ("matrix_of_values", np.zeros((3, 3)), (np.arange(4.0).reshape(2, 2),), {}), ("turned", View(np.zeros((2, 4), int), ("transpose", [1, 0])), (9,), {}), ("empty", np.zeros((0, 3)), (1,), {}),
        ("turned_wrap", View(np.zeros((2, 5), int), ("transpose", [1, 0])), (INT([1, 2, 3]),), {"wrap": True}), ("overflow", np.zeros((2, 2), np.int8), (300,), {}), ("column", np.zeros((3, 1), int), (5,), {}), ("column_wrap", np.zeros((5, 1), int), (5,), {"wrap": True}),
    ]:
        add("fill_diagonal", label, array, args, kwargs)


def choosing(store):
    add = names(store, "take_put")
    a, b = INT([1, 2, 3]), INT([1.5, 2.5, 3.5])
    for label, index, choices, kwargs in [
        ("arrays", INT([0, 1, 0]), [a, a * 10], {}), ("mixed", INT([0, 1, 2]), [a, b, 7], {}), ("weak", INT([0, 1]), [INT([1, 2], np.int8), 3], {}), ("grid", INT([[0], [1]]), [INT([1, 2]), INT([3, 4])], {}), ("above", INT([0, 2]), [1, 2], {}),
        ("below", INT([0, -1]), [1, 2], {}), ("wrap", INT([0, -1, 5]), [a, -a], {"mode": "wrap"}), ("clip", INT([0, -1, 5]), [a, -a], {"mode": "clip"}), ("float", INT([0.0]), [1, 2], {}), ("bool", INT([True, False]), [1, 2], {}),
        ("uint64", INT([0], np.uint64), [1, 2], {}), ("shapes", INT([0, 1, 0]), [INT([1, 2]), INT([3, 4])], {}), ("none", INT([0, 1]), [], {}), ("one_choice", INT([0, 0]), [5], {}), ("matrix", INT([1, 0, 1]), INT([[1, 2, 3], [4, 5, 6]]), {}),
        ("empty", INT([], int), [a[:0], 5], {}), ("zero_d", INT(1), [a, b], {}), ("many", INT([0, 9]), [INT([k, -k]) for k in range(12)], {}), ("int8", INT([1, 0], np.int8), [INT([1, 2]), INT([3, 4])], {}),
    ]:
        add("np.choose", label, [index, choices], kwargs)
    x = INT([0, 1, 2, 3, 4, 5])
    for label, conditions, choices, default in [
        ("two", [x < 2, x > 3], [x, x * x], None), ("default", [x < 2, x > 3], [x, x * x], -1), ("first_wins", [x < 4, x < 2], [x, -x], 9), ("promoted", [x < 2, x > 3], [x.astype(np.int8), x * 0.5], None), ("weak", [x < 2], [x.astype(np.int8)], 7), ("default_array", [x < 2], [x], x * 0.5),
        ("scalars", [x < 2, x > 3], [1, 2.5], 0), ("broadcast", [INT([[True], [False]])], [x], None), ("ints", [INT([1, 0, 1, 0, 1, 0])], [x], None), ("lengths", [x < 2], [x, x], None), ("none", [], [], None), ("complex", [x < 2], [x * 1j], None), ("zero_d", [INT(True)], [INT(5)], 3),
    ]:
        add("np.select", label, [conditions, choices], {} if default is None else {"default": default})
    for label, array, conditions, values in [
        ("two", x, [x < 2, x > 3], [-1, 1]), ("default", x, [x < 2, x > 3], [-1, 1, 7]), ("to_int", x, [x < 2], [0.5, 2.75]), ("floats", x * 1.0, [x < 2, x >= 2], [0.5, 2.75]), ("later_wins", x, [x < 4, x < 2], [1, 2]), ("single", x, x < 2, [5]), ("single_default", x, x < 2, [5, 6]),
        ("lengths", x, [x < 2], [1, 2, 3]), ("array", x, [x < 2], [INT([7, 8]), 0]), ("zero_d", np.array(3.0), [INT(True)], [-1, 5]), ("matrix", x.reshape(2, 3), [x.reshape(2, 3) % 2 == 0], [1, -1]),
    ]:
        add("np.piecewise", label, [array, conditions, values])


def positions(store):
    add = names(store, "take_put")
    for n, ndim in ((3, 2), (2, 3), (0, 2), (4, 1)):
        add("np.diag_indices", f"{n}_{ndim}", [n], {"ndim": ndim})
    add("np.diag_indices", "default", [3])
    for shape in ((3, 3), (2, 2, 2), (2, 3), (3,), (0, 0)):
        add("np.diag_indices_from", "x".join(map(str, shape)), [np.zeros(shape)])
    for op in ("np.tril_indices", "np.triu_indices"):
        add(op, "default", [3])
        for n, k, m in ((3, 0, 4), (3, 1, 2), (4, -2, 3), (3, 9, 3), (3, -9, 3), (0, 0, 2), (2, 0, None)):
            add(op, f"{n}_{k}_{m}", [n], {"k": k, "m": m})
        for shape in ((3, 3), (2, 4), (3,), (1, 2, 2)):
            add(f"{op}_from", "x".join(map(str, shape)), [np.zeros(shape)], {"k": 1})
        add(f"{op}_from", "default", [np.zeros((2, 3))])
    for shape in ((2, 3), (3,), (), (2, 0), (2, 1, 2)):
        label = "x".join(map(str, shape)) or "none"
        add("np.indices", label, [shape])
        add("np.indices", f"{label}_sparse", [shape], {"sparse": True})
    add("np.indices", "float32", [(2, 2)], {"dtype": np.float32})
    add("np.ix_", "ints", [INT([0, 2]), INT([1, 0, 1])])
    add("np.ix_", "bools", [INT([True, False, True]), INT([1, 0])])
    add("np.ix_", "none", [INT([0, 1]), INT([])])
    add("np.ix_", "three", [[0, 1], [2], [1, 2]])
    add("np.ix_", "two_axes", [INT([[0, 1]])])
    add("np.ix_", "zero_d", [INT(1)])
    for label, index, shape, kwargs in [
        ("rows", INT([22, 41, 0]), (7, 6), {}), ("fortran", INT([22, 41, 0]), (7, 6), {"order": "F"}), ("deep", INT([[1, 59], [7, 33]]), (3, 4, 5), {}), ("deep_fortran", INT([[1, 59], [7, 33]]), (3, 4, 5), {"order": "F"}), ("above", INT([42]), (7, 6), {}), ("below", INT([-1]), (7, 6), {}),
        ("float", INT([1.0]), (7, 6), {}), ("scalar", 5, (7, 6), {}), ("flat", INT([5, 0]), (7,), {}), ("one_extent", INT([5, 0]), 7, {}), ("none", INT([], int), (7, 6), {}), ("none_of_none", INT([], int), (0, 6), {}), ("of_none", INT([0]), (0, 6), {}), ("int8", INT([3, 9], np.int8), (7, 6), {}),
        ("uint16", INT([3, 9], np.uint16), (1, 7, 2), {}), ("ones", INT([0, 0]), (1, 1), {}), ("zero_d", INT(11), (4, 3), {}),
    ]:
        add("np.unravel_index", label, [index, shape], kwargs)
    for label, index, shape, kwargs in [
        ("rows", (INT([3, 6]), INT([4, 5])), (7, 6), {}), ("fortran", (INT([3, 6]), INT([4, 5])), (7, 6), {"order": "F"}), ("matrix", INT([[3, 6], [4, 5]]), (7, 6), {}), ("above", (INT([3, 7]), INT([4, 5])), (7, 6), {}), ("below", (INT([-1]), INT([4])), (7, 6), {}),
        ("wrap", (INT([-1, 9]), INT([4, -8])), (7, 6), {"mode": "wrap"}), ("clip", (INT([-1, 9]), INT([4, -8])), (7, 6), {"mode": "clip"}), ("modes", (INT([-1, 9]), INT([4, -8])), (7, 6), {"mode": ("wrap", "clip")}), ("too_few", (INT([3]),), (7, 6), {}), ("float", (INT([3.0]), INT([4.0])), (7, 6), {}),
        ("grid", (INT([[3], [2]]), INT([4, 5])), (7, 6), {}), ("shapes", (INT([3, 2, 1]), INT([4, 5])), (7, 6), {}), ("scalars", (3, 2), (7, 6), {}), ("deep", (INT([2, 0]), INT([3, 1]), INT([4, 2])), (3, 4, 5), {}), ("none", (INT([], int), INT([], int)), (7, 6), {}), ("int8", (INT([3], np.int8), INT([4], np.int8)), (70, 60), {}),
    ]:
        add("np.ravel_multi_index", label, [index, shape], kwargs)


def editing(store):
    add = names(store, "manip_edit")
    a, m = np.arange(5), np.arange(6).reshape(2, 3)
    turned = View(m, ("transpose", [1, 0]))
    for label, array, index, kwargs in [
        ("int", a, 1, {}), ("negative", a, -1, {}), ("list", a, [1, -1], {}), ("array", a, INT([1, 3, 1]), {}), ("one", a, INT([2]), {}), ("above", a, 5, {}), ("below", a, -6, {}), ("array_above", a, INT([5]), {}), ("flat", m, 4, {}), ("grid", m, INT([[0, 1], [1, 1]]), {}), ("axis_0", m, 1, {"axis": 0}),
        ("axis_1", m, INT([0, 2]), {"axis": 1}), ("axis_last", m, 0, {"axis": -1}), ("bad_axis", m, 0, {"axis": 2}), ("range", a, S(1, 4), {}), ("step", a, S(None, None, 2), {}), ("backward", a, S(None, None, -2), {}), ("whole", m, S(None), {"axis": 1}), ("no_range", a, S(3, 1), {}), ("mask", a, INT([True, False, True, False, False]), {}),
        ("mask_axis", m, INT([True, False, True]), {"axis": 1}), ("mask_short", a, INT([True, False]), {}), ("truth", a, True, {}), ("none", a, [], {}), ("none_array", a, INT([], int), {}), ("none_floats", a, INT([]), {}), ("floats", a, INT([1.0]), {}), ("turned", turned, 1, {"axis": 0}), ("turned_flat", turned, [0, 3], {}), ("zero_d", np.array(3), 0, {}),
        ("float", a, 1.0, {}), ("empty", np.zeros((0, 2)), INT([], int), {"axis": 0}), ("zero_step", a, S(None, None, 0), {}),
    ]:
        add("np.delete", label, [array, index], kwargs)
    for label, array, index, values, kwargs in [
        ("one", a, 1, 99, {}), ("several", a, 1, INT([99, 98]), {}), ("places", a, INT([1, 3]), INT([99, 98]), {}), ("places_one", a, [1, 3], 99, {}), ("negative", a, [-1, 1], [99, 98], {}), ("end", a, 5, 1, {}), ("front", a, 0, 1, {}), ("above", a, 6, 1, {}), ("below", a, -6, 1, {}), ("array_above", a, INT([6]), 1, {}),
        ("arrays_above", a, INT([6, 1]), 1, {}), ("to_int", a, 1, 2.75, {}), ("range", a, S(0, 4, 2), 7, {}), ("mask", a, INT([True, False, True, False, False]), 7, {}), ("axis_1", m, 1, INT([7, 8]), {"axis": 1}), ("axis_1_list", m, [1], INT([[7], [8]]), {"axis": 1}), ("axis_0", m, INT([1, 1]), INT([7, 8, 9]), {"axis": 0}),
        ("axis_0_row", m, 1, INT([[9, 8, 7]]), {"axis": 0}), ("axis_1_columns", m, 1, INT([[9], [8]]), {"axis": 1}), ("axis_1_scalar", m, -1, 9, {"axis": 1}), ("places_row", m, INT([0, 2]), INT([[7, 8]]), {"axis": 1}), ("flat", m, INT([1, 1]), 7, {}), ("flat_end", m, 6, INT([1, 2]), {}), ("none", a, [], 7, {}), ("shapes", a, INT([1, 2]), INT([7, 8, 9]), {}),
        ("too_deep", a, 2, np.zeros((2, 2)), {}), ("zero_d", np.array(3), 0, 7, {}), ("bad_axis", m, 0, 1, {"axis": 2}), ("floats", a, INT([1.0, 2]), 7, {}), ("same_place", a, INT([2, 2, 2]), INT([7, 8, 9]), {}), ("unsorted", a, INT([4, 0, 2]), INT([7, 8, 9]), {}), ("turned", turned, 1, INT([7, 8]), {"axis": 0}), ("float_values", a.astype(np.float32), INT([1, 2]), INT([0.1, -0.0]), {}),
        ("places_2d", a, INT([[1, 2]]), 7, {}), ("empty", np.zeros(0), 0, INT([1.0, 2.0]), {}),
    ]:
        add("np.insert", label, [array, index, values], kwargs)
    padded = np.pad(INT([[1, 0], [0, 2]]), ((1, 2), (3, 0)))
    for label, array, kwargs in [
        ("both", INT([0, 0, 1, 0, 2, 0]), {}), ("front", INT([0, 0, 1, 0, 2, 0]), {"trim": "f"}), ("back", INT([0, 0, 1, 0, 2, 0]), {"trim": "b"}), ("upper", INT([0, 1, 0]), {"trim": "FB"}), ("bad", INT([0, 1]), {"trim": "x"}), ("zeros", np.zeros(3), {}), ("zeros_front", np.zeros(3), {"trim": "f"}), ("none", np.zeros(0), {}),
        ("box", padded, {}), ("box_axis", padded, {"axis": 1}), ("box_axes", padded, {"axis": (0, -1)}), ("box_front", padded, {"trim": "f"}), ("box_zeros", np.zeros((2, 3)), {}), ("box_zeros_axis", np.zeros((2, 3)), {"axis": 1}), ("nan", INT([0.0, np.nan, -0.0]), {}), ("nothing_to_trim", INT([1, 0, 2]), {}), ("turned", View(padded, ("transpose", [1, 0])), {}),
        ("bad_axis", padded, {"axis": 2}),
    ]:
        add("np.trim_zeros", label, [array], kwargs)


def overlap(store):
    """As if the source were copied first."""
    for label, array in {"float": np.arange(7.0), "int8": np.arange(5, dtype=np.int8), "matrix": np.arange(6).reshape(3, 2), "one": np.arange(1),
                         "view": View(np.arange(12), ("slice", [S(None, None, -2)]))}.items():
        plain = array.apply().copy() if isinstance(array, View) else array.copy()
        plain[:-1] = plain[1:].copy()
        store.add(f"overlap/shift_left/{label}", "shift_left", [array], expected=plain, note="result must be as if the source were copied first")
