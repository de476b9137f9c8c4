"""getitem and setitem with index arrays and masks, mixed with everything else.

`getitem(a, *key)`; `setitem(a, value, *key)` returns the changed array. Chosen keys first, then keys drawn
at random from all kinds of items.
"""

import numpy as np

from inputs import ALL, ordinary, rng
from store import NEWAXIS, View

S = slice
ALL_OF = slice(None)


def integers(*values, dtype="int64"):
    return np.array(values, dtype)


ROWS, COLUMNS = integers(1, 0, 3), integers(2, -1, 0)
MASK3 = np.array([True, False, True])
MASK4 = np.array([False, True, True, False])
MASK43 = (np.arange(12).reshape(4, 3) % 5) < 2
GRID = integers(0, 2, 1, 3).reshape(2, 2)
KEYS = {
    "rows": (ROWS,), "negative": (integers(-1, -4, 2),), "twice": (integers(1, 1, 1),), "grid": (GRID,),
    "none": (integers(),), "none_list": ([],), "list": ([2, 0],), "nested_list": ([[0, 1], [3, 2]],),
    "zero_d": (np.array(2),), "one": (integers(3),), "column": (ALL_OF, COLUMNS), "last": (Ellipsis, COLUMNS),
    "pairs": (ROWS, COLUMNS), "triples": (ROWS, COLUMNS, integers(0, 1, 1)),
    "cross": (integers(0, 3).reshape(2, 1), COLUMNS), "adjacent": (ALL_OF, integers(2, 0), integers(0, 1)),
    "slice_mid": (ROWS, ALL_OF, integers(0, 1, 0)), "int_first": (1, ALL_OF, integers(1, 0)),
    "int_adjacent": (ALL_OF, 2, integers(1, 0)), "int_behind": (integers(3, 1), 0),
    "newaxis_mid": (ROWS, NEWAXIS, COLUMNS), "newaxis_first": (NEWAXIS, ROWS, ALL_OF, 1),
    "newaxis_beside": (ALL_OF, NEWAXIS, COLUMNS), "ellipsis_mid": (ROWS, Ellipsis, integers(0, 1, 1)),
    "ellipsis_of_none": (ROWS, COLUMNS, Ellipsis, 1), "range_beside": (S(1, 3), COLUMNS),
    "backward_beside": (S(None, None, -2), COLUMNS, S(None, None, -1)), "empty_range": (S(2, 2), COLUMNS),
    "mask": (MASK4,), "mask_list": ([False, True, True, False],), "mask_mid": (ALL_OF, MASK3, S(0, 1)),
    "mask_2": (MASK43,), "mask_last": (Ellipsis, np.array([False, True])), "mask_all": (None,),
    "mask_none": (np.zeros(4, bool),), "mask_and_array": (MASK4, integers(2, 0)), "two_masks": (MASK4, np.array([1, 0, 1], bool)),
    "mask_int": (MASK4, 1), "mask_slice_mask": (MASK4, ALL_OF, np.array([True, True])),
    "mask_2_int": (MASK43, -1), "int_mask": (2, MASK3), "true": (True,), "false": (False,),
    "true_int": (True, 2), "numpy_true": (np.True_, ROWS), "zero_d_mask": (np.array(True), Ellipsis, 0),
    "array_of_true": (ROWS, True), "newaxis_true": (NEWAXIS, True, ALL_OF), "true_apart": (True, ALL_OF, ROWS[:2] % 3),
}
KEYS["mask_all"] = ((np.arange(24).reshape(4, 3, 2) % 3) == 1,)
ERRORS = {
    "above": (integers(0, 4),), "below": (integers(-5),), "second": (ALL_OF, integers(3)), "far": (integers(2**62),),
    "shapes": (integers(0, 1), integers(0, 1, 2)), "too_many": (ROWS, ROWS, integers(0, 0, 0), ROWS),
    "mask_long": (np.ones(5, bool),), "mask_short": (np.ones(3, bool),), "mask_second": (ALL_OF, np.ones(4, bool)),
    "mask_2_wrong": (np.ones((4, 2), bool),), "mask_deep": (np.ones((4, 3, 2, 1), bool),), "float": (np.array([1.0]),),
    "float_empty": (np.zeros(0),), "float_list": ([0.5],), "mask_shapes": (MASK4, integers(0, 1, 2)),
    "false_shapes": (False, integers(0, 1)), "int_beside": (ROWS, 7), "complex": (np.array([1j]),),
    "two_ellipses": (Ellipsis, ROWS, Ellipsis), "empty_axis": (ALL_OF, ALL_OF, ALL_OF, integers(0)),
}


def cases(store):
    base = np.arange(24, dtype=np.int32).reshape(4, 3, 2)
    for label, key in KEYS.items():
        store.add(f"index_fancy/{label}", "getitem", [base, *key])
        store.add(f"index_set/weak/{label}", "setitem", [base, -7, *key])
    for label, key in ERRORS.items():
        store.add(f"index_error/get/{label}", "getitem", [base, *key])
        store.add(f"index_error/set/{label}", "setitem", [base, 1, *key])
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        key = integers(2, 0, 2, dtype=name)
        store.add(f"index_fancy/index_dtype/{name}", "getitem", [base, key])
        store.add(f"index_set/index_dtype/{name}", "setitem", [base, -7, key, integers(1, dtype=name)])
    for dtype in ALL:
        array = ordinary(dtype, 12, "fancy").reshape(4, 3)
        store.add(f"index_fancy/dtype/{dtype.name}/take", "getitem", [array, integers(3, 0), integers(1, 1)])
        store.add(f"index_fancy/dtype/{dtype.name}/mask", "getitem", [array, MASK43])
        value = ordinary(dtype, int(MASK43.sum()), "value")
        store.add(f"index_set/dtype/{dtype.name}/mask", "setitem", [array, value, MASK43])
        store.add(f"index_set/dtype/{dtype.name}/twice", "setitem", [array, value[:3], integers(1, 1, 1), integers(0, 2, 0)])
    views(store, base)
    values(store)
    nothing(store)
    drawn(store)


def views(store, base):
    """Of what is a view already."""
    for label, view in {
        "transposed": View(base, ("transpose", [2, 0, 1])),
        "negative": View(base, ("slice", [S(None, None, -1), S(None, None, 2), S(None, None, -1)])),
        "broadcast": View(base[:, :1, :1], ("broadcast_to", [4, 3, 2])),
        "offset": View(base, ("slice", [S(1, None), S(1, None)])),
    }.items():
        shape = view.apply().shape
        mask = (np.arange(np.prod(shape)).reshape(shape) % 3) == 0
        first = integers(shape[0] - 1, 0, -1)
        for name, key in {"mask": (mask,), "mask_2": (mask[:, :, 0],), "rows": (first,), "last": (Ellipsis, integers(1, 0, 1)),
                          "pairs": (first, integers(0, 1, 0)), "apart": (first, ALL_OF, integers(1, 1, 0))}.items():
            store.add(f"index_fancy/views/{label}/{name}", "getitem", [view, *key])
            store.add(f"index_set/views/{label}/{name}", "setitem", [view, -7, *key])
    # Index arrays that are views.
    index = View(integers(0, 9, 3, 9, 1, 9), ("slice", [S(None, None, -2)]))
    store.add("index_fancy/index_view", "getitem", [base, View(integers(0, 9, 3, 9, 1), ("slice", [S(None, None, -2)]))])
    store.add("index_error/index_view", "getitem", [base, index])
    stretched = View(integers(3, 1).reshape(2, 1), ("broadcast_to", [2, 3]))
    store.add("index_fancy/index_stretched", "getitem", [base, stretched])
    turned = View(MASK43.T.copy(), ("transpose", [1, 0]))
    store.add("index_fancy/mask_turned", "getitem", [base, turned])
    store.add("index_set/mask_turned", "setitem", [base, np.arange(MASK43.sum() * 2).reshape(-1, 2), turned])


def values(store):
    """What is written: broadcast, cast, or refused; and who comes last."""
    base = np.zeros((4, 3), np.float32)
    count = int(MASK43.sum())
    for label, value, key in [
        ("last_wins", np.arange(1.0, 6.0, dtype=np.float32), (integers(2, 0, 2, 1, 2), integers(1, 1, 1, 1, 1))),
        ("last_wins_rows", np.arange(1.0, 10.0, dtype=np.float32).reshape(3, 3), (integers(1, 1, 1),)),
        ("row", np.arange(3, dtype=np.float32), (integers(0, 3),)), ("column", np.ones((2, 1), np.float32), (integers(0, 3),)),
        ("leading_ones", np.ones((1, 1, 2, 3), np.float32), (integers(0, 3),)), ("scalar_array", np.array(4.5), (MASK43,)),
        ("mask_values", np.arange(count) + 0.5, (MASK43,)), ("mask_one", np.array([2.5]), (MASK43,)),
        ("mask_too_few", np.arange(count - 1), (MASK43,)), ("mask_too_many", np.arange(count + 1), (MASK43,)),
        ("mask_two_axes", np.ones((1, count)), (MASK43,)), ("mask_ellipsis", np.ones((1, count)), (MASK43, Ellipsis)),
        ("mask_nothing", np.zeros(0), (np.zeros((4, 3), bool),)), ("mask_one_for_none", np.ones(1), (np.zeros((4, 3), bool),)),
        ("mask_rows", np.arange(6.0).reshape(2, 3), (MASK4,)), ("mask_row", np.arange(3.0), (MASK4,)),
        ("too_long", np.ones(4), (integers(0, 1),)), ("too_deep", np.ones((2, 2, 3)), (integers(0, 1),)),
        ("into_none", np.ones(3), (integers(),)), ("not_into_none", np.ones((2, 3)), (integers(),)),
        ("element", np.ones(1), (np.array(1), np.array(2))), ("element_axis", np.ones(1), (integers(1), np.array(2))),
        ("nan", float("nan"), (MASK43,)), ("minus_zero", -0.0, (integers(0, 1), 1)), ("list", [5, 6, 7], (integers(0, 1),)),
    ]:
        store.add(f"index_set/value/{label}", "setitem", [base, value, *key])
    for target in ("bool", "int8", "uint16", "int64", "float16", "float64", "complex64"):
        for source in ("int8", "bool", "float32", "uint64"):
            value = np.abs(ordinary(np.dtype(source), 3, "cast"))
            array = ordinary(np.dtype(target), 5, "target")
            store.add(f"index_set/cast/{source}_{target}", "setitem", [array, value, integers(4, 0, 2)])
    for name, value in (("int8", 128), ("uint8", -1), ("int8", 127), ("bool", 300), ("float16", 70000), ("int32", 2.75),
                        ("int16", 1j), ("complex64", 1.5 - 2j), ("int32", float("nan")), ("int64", float("inf"))):
        array = np.zeros(3, name)
        text = str(value).strip("()")
        store.add(f"index_set/scalar/{name}/{text}/mask", "setitem", [array, value, MASK3])
        store.add(f"index_set/scalar/{name}/{text}/array", "setitem", [array, value, integers(0, 2)])


def nothing(store):
    """0-d, empty, and indices that come to nothing."""
    for label, array, key in [
        ("zero_d_true", np.array(1.5), (True,)), ("zero_d_false", np.array(1.5), (False,)),
        ("zero_d_mask", np.array(1.5), (np.array(True),)), ("zero_d_array", np.array(1.5), (integers(0),)),
        ("rows_of_none", np.zeros((0, 3)), (integers(),)), ("no_such_row", np.zeros((0, 3)), (integers(0),)),
        ("row_of_nothing", np.zeros((3, 0)), (integers(2),)), ("no_row_of_nothing", np.zeros((3, 0)), (integers(3),)),
        ("mask_of_none", np.zeros((0, 3)), (np.zeros(0, bool),)), ("mask_of_nothing", np.zeros((3, 0)), (np.zeros((3, 0), bool),)),
        ("size_1", np.array([[2.5]]), (integers(0, -1), integers(0))), ("mask_size_1", np.array([[2.5]]), (np.array([[True]]),)),
        ("not_looked_at", np.zeros((0, 3)), (integers(0), np.zeros(3, bool))),
        ("looked_at", np.zeros((0, 3)), (np.array(0), np.zeros(3, bool))),
    ]:
        store.add(f"index_fancy/nothing/{label}", "getitem", [array, *key])
        store.add(f"index_set/nothing/{label}", "setitem", [array, -1, *key])


def drawn(store):
    """Keys drawn at random: every kind of item beside every other."""
    g = rng("fancy keys")
    for number in range(260):
        ndim = int(g.integers(1, 5))
        shape = tuple(int(extent) for extent in g.choice([0, 1, 2, 3], ndim, p=[0.04, 0.16, 0.35, 0.45]))
        base = np.arange(np.prod(shape), dtype=np.int16).reshape(shape)
        array = View(base, ("transpose", [int(axis) for axis in g.permutation(ndim)])) if g.random() < 0.4 else base
        shape = array.apply().shape if isinstance(array, View) else shape
        key, axis = [], 0
        while axis < ndim:
            extent = shape[axis]
            kind = g.choice(["newaxis", "ellipsis", "truth", "slice", "int", "array", "mask", "mask_2", "stop"],
                            p=[0.07, 0.07, 0.04, 0.2, 0.13, 0.25, 0.1, 0.07, 0.07])
            if kind == "newaxis":
                key.append(NEWAXIS)
            elif kind == "ellipsis" and Ellipsis not in [item for item in key if item is Ellipsis]:
                key.append(Ellipsis)
                axis += int(g.integers(0, ndim - axis + 1))
            elif kind == "truth":
                key.append(bool(g.random() < 0.7))
            elif kind == "mask_2" and axis + 1 < ndim:
                key.append(g.random(shape[axis:axis + 2]) < 0.5)
                axis += 2
            elif kind == "stop":
                break
            else:
                if kind == "int" and extent:
                    key.append(int(g.integers(-extent, extent)))
                elif kind == "mask":
                    key.append(g.random(extent) < 0.5)
                elif kind == "array" and extent:
                    form = [(2,), (1,), (2, 1), (), (1, 2)][int(g.integers(0, 5))]
                    key.append(np.asarray(g.integers(-extent, extent, form)))
                else:
                    key.append(S(None, None, int(g.choice([1, -1, 2]))))
                axis += 1
        store.add(f"index_fancy/drawn/{number}", "getitem", [array, *key])
        plain = array.apply() if isinstance(array, View) else array
        try:
            written = plain[tuple(None if item is NEWAXIS else item for item in key)].shape
        except IndexError:
            written = ()
        value = -1 - np.arange(np.prod(written), dtype=np.int64).reshape(written) if number % 2 else -5
        store.add(f"index_set/drawn/{number}", "setitem", [array, value, *key])
