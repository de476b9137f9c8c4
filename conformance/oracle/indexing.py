"""getitem and setitem with basic indices.

`getitem(a, *key)`; `setitem(a, value, *key)` returns the changed array.
"""

import numpy as np

from inputs import ALL, ordinary
from store import NEWAXIS, View

S = slice
ALL_OF = slice(None)
KEYS = {
    "int": (1,), "negative": (-1,), "last": (3,), "ints": (1, 2), "three_ints": (1, 2, 3),
    "negative_ints": (-1, -2, -3), "all": (ALL_OF,), "ellipsis": (Ellipsis,), "nothing": (),
    "range": (S(1, 3),), "open_start": (S(None, 2),), "open_stop": (S(2, None),),
    "step": (S(None, None, 2),), "step_3": (ALL_OF, S(1, None, 3)), "backward": (S(None, None, -1),),
    "backward_2": (S(None, None, -2), S(None, None, -3)), "backward_range": (S(3, 0, -1),),
    "backward_negative": (S(-1, -3, -1),), "beyond": (S(2, 100),), "far_beyond": (S(50, 100),),
    "before": (S(-100, 2),), "far_before": (S(-100, -50),), "backward_beyond": (S(100, None, -1),),
    "empty": (S(2, 2),), "crossed": (S(3, 1),), "big_step": (S(None, None, 100),),
    "big_backward_step": (S(None, None, -100),), "huge": (S(-(2**62), 2**62),),
    "huge_step": (S(None, None, 2**62),), "newaxis": (NEWAXIS,),
    "newaxis_middle": (ALL_OF, NEWAXIS, 1), "newaxis_none": (ALL_OF, None, 2),
    "newaxis_last": (Ellipsis, NEWAXIS), "newaxes": (NEWAXIS, 0, NEWAXIS, S(None, None, 2)),
    "ellipsis_int": (Ellipsis, 2), "int_ellipsis": (2, Ellipsis), "ellipsis_middle": (0, Ellipsis, 1),
    "ellipsis_of_none": (0, 1, Ellipsis, 2), "ellipsis_slice": (Ellipsis, S(1, 3)),
    "slice_int_slice": (S(1, None), 2, S(None, None, -1)), "int_slice": (-2, S(None, None, 2)),
}
ERRORS = {
    "above": (4,), "below": (-5,), "second": (0, 5), "third": (ALL_OF, ALL_OF, -7), "too_many": (0, 0, 0, 0),
    "too_many_slices": (ALL_OF,) * 4, "two_ellipses": (Ellipsis, Ellipsis), "zero_step": (S(None, None, 0),),
    "far": (2**62,), "far_below": (-(2**62),), "beyond_64_bits": (2**70,), "float": (1.0,),
}


def cases(store):
    base = np.arange(120, dtype=np.int32).reshape(4, 5, 6)
    for label, key in KEYS.items():
        store.add(f"getitem/{label}", "getitem", [base, *key])
        get_and_set(store, f"setitem/weak/{label}", base, -7, key)
    for label, key in ERRORS.items():
        store.add(f"getitem/error/{label}", "getitem", [base, *key])
        get_and_set(store, f"setitem/error/{label}", base, 1, key)
    store.add("getitem/error/zero_d", "getitem", [np.array(1.0), 0])
    store.add("getitem/error/empty", "getitem", [np.zeros((0, 3)), 0])
    store.add("getitem/zero_d/nothing", "getitem", [np.array(1.5)])
    store.add("getitem/zero_d/newaxis", "getitem", [np.array(1.5), NEWAXIS, Ellipsis])
    store.add("getitem/empty/slice", "getitem", [np.zeros((0, 3)), S(None, None, -1)])
    views(store, base)
    values(store)


def get_and_set(store, id, array, value, key):
    store.add(id, "setitem", [array, value, *key])


def views(store, base):
    """Indexing what is a view already, and writing into one."""
    for label, view in {
        "transposed": View(base, ("transpose", [2, 0, 1])),
        "negative": View(base, ("slice", [S(None, None, -1), S(None, None, 2), S(None, None, -3)])),
        "broadcast": View(base[:, :1, :1], ("broadcast_to", [4, 3, 5])),
        "offset": View(base, ("slice", [S(1, None), S(2, None), S(3, None)])),
        "reduced": View(base, ("slice", [2])),
    }.items():
        for name in ("int", "negative", "backward_2", "newaxis_middle", "ellipsis_int", "slice_int_slice",
                     "step_3"):
            store.add(f"getitem/views/{label}/{name}", "getitem", [view, *KEYS[name]])
            get_and_set(store, f"setitem/views/{label}/{name}", view, -7, KEYS[name])


def values(store):
    """What is written: broadcast, cast, or refused."""
    floats = ordinary(np.dtype("float32"), 24, "set").reshape(2, 3, 4)
    row, column = ordinary(np.dtype("float32"), 4, "row"), ordinary(np.dtype("float32"), 3).reshape(3, 1)
    for label, value, key in [
        ("row", row, (1,)), ("column", column, (0,)), ("scalar_array", np.array(9.5, np.float32), (ALL_OF, 1)),
        ("leading_ones", row.reshape(1, 1, 1, 4), (0,)), ("one", np.array([2.5], np.float32), (Ellipsis, 3)),
        ("same_shape", floats[::-1].copy(), (Ellipsis,)), ("into_step", row[:2], (0, 0, S(None, None, 2))),
        ("backward", row, (0, 0, S(None, None, -1))), ("view", View(row, ("slice", [S(None, None, -1)])), (0, 1)),
        ("stretched", View(column, ("slice", [ALL_OF, 0]), ("broadcast_to", [4, 3]), ("transpose", [1, 0])), (1,)),
        ("into_empty", 5.0, (S(2, 2),)), ("empty_value", np.zeros((0, 3, 4), np.float32), (S(2, 2),)),
        ("too_long", np.ones(5, np.float32), (0,)), ("too_short", np.ones(3, np.float32), (0,)),
        ("too_deep", np.ones((2, 3, 4), np.float32), (0,)), ("not_one", np.ones(2, np.float32), (0, 0, 0)),
        ("empty_into_full", np.zeros(0, np.float32), (0,)), ("nan", float("nan"), (0, 0)),
        ("minus_zero", -0.0, (0, 0)), ("element", np.float64(0.1), (1, 1, 1)), ("bool", True, (0, 0)),
    ]:
        get_and_set(store, f"setitem/value/{label}", floats, value, key)
    for target in ALL:
        array = ordinary(target, 6, "target")
        for source in (np.dtype("int8"), np.dtype("float32"), np.dtype("uint64"), np.dtype("bool")):
            value = np.abs(ordinary(source, 3, "source"))
            if target.name == "bfloat16" or source.name == "bfloat16":
                expected = array.copy()
                expected[::2] = value.astype(np.float32).astype(target)
            else:
                expected = None
            store.add(f"setitem/cast/{source.name}_{target.name}", "setitem",
                      [array, value, S(None, None, 2)], expected=expected)
    for name, value in (("int8", 128), ("int8", -129), ("uint8", -1), ("uint8", 256), ("int64", 2**63),
                        ("uint64", -1), ("uint64", 2**64), ("int8", 127), ("uint64", 2**64 - 1),
                        ("bool", 300), ("float16", 70000), ("float32", 2**70), ("int32", 2.75),
                        ("int32", -2.75), ("float64", 1j), ("int16", 1j), ("complex64", 1.5 - 2j)):
        array = np.zeros(3, name)
        text = str(value).strip("()")
        get_and_set(store, f"setitem/scalar/{name}/{text}", array, value, (1,))
    whole = np.zeros((), np.int16)
    get_and_set(store, "setitem/zero_d/nothing", whole, 7, ())
    get_and_set(store, "setitem/zero_d/ellipsis", whole, np.array(7), (Ellipsis,))
    get_and_set(store, "setitem/zero_d/int", whole, 7, (0,))
