"""unique and its kin, isin, and the operations on sets.

bfloat16, which NumPy does not know, goes through the float32 it widens to. Where NumPy finds values by
hashing (unique_values, sorted=False) it promises no order, and there is a case only where one value is.
"""

import numpy as np

from inputs import ALL, BF16, mixed, ordinary, rng
from sorting import shuffled, wide
from store import View

EVERYTHING = {"return_index": True, "return_inverse": True, "return_counts": True}


def narrow(results, dtype):
    """The values back in the dtype they came from; the positions stay."""
    return (results[0].astype(dtype), *results[1:])


def few(dtype, count=20):
    """Elements of which many are equal, without zeros of either sign, and with NaNs."""
    g = rng(f"few {dtype.name}")
    if dtype == np.dtype(bool):
        return g.integers(0, 2, count).astype(bool)
    values = g.integers(1, 7, count).astype(np.float64) * (1 if dtype.kind == "u" else -1)
    if dtype.kind in "iu":
        return values.astype(dtype)
    values[::5] = np.nan
    values[3] = np.inf
    if dtype.kind == "c":
        return (values + 1j * g.integers(0, 2, count)).astype(dtype)
    return values.astype(dtype)


def cases(store):
    op = "np.unique"
    for dtype in ALL:
        array = few(dtype)
        if dtype.kind == "c":
            array = array[np.isfinite(array)]
        plain = wide(array)
        store.add(f"unique/{op}/{dtype.name}/all", op, [array], EVERYTHING,
                  expected=narrow(np.unique(plain, **EVERYTHING), dtype))
        store.add(f"unique/{op}/{dtype.name}/values", op, [array], expected=np.unique(plain).astype(dtype))
        specials = shuffled(mixed(dtype), "unique")
        if dtype.kind != "c":
            specials = specials[wide(specials) != 0]
            store.add(f"unique/{op}/{dtype.name}/specials", op, [specials], {"return_counts": True},
                      expected=narrow(np.unique(wide(specials), return_counts=True), dtype))
        rows = wide(array)[:12].reshape(6, 2)
        rows = rows[rng(f"rows {dtype.name}").integers(0, 6, 8)].astype(dtype)
        if dtype.kind not in "c":
            rows[wide(rows) != wide(rows)] = 1
        store.add(f"unique/{op}/{dtype.name}/axis=0", op, [rows], {**EVERYTHING, "axis": 0},
                  expected=narrow(np.unique(wide(rows), axis=0, **EVERYTHING), dtype))
    matrix = few(np.dtype("int32")).reshape(4, 5)
    nan = few(np.dtype("float64"))
    for flags in range(8):
        kwargs = {name: bool(flags >> bit & 1) for bit, name in enumerate(EVERYTHING)}
        store.add(f"unique/{op}/flags/{flags}", op, [matrix], kwargs)
        # Which of several NaNs an inverse names depends on a sort that is stable only for return_index.
        if kwargs["return_index"] or not kwargs["return_inverse"]:
            store.add(f"unique/{op}/equal_nan=False/{flags}", op, [nan], {**kwargs, "equal_nan": False})
    store.add(f"unique/{op}/positional", op, [matrix, True, True, True])
    store.add(f"unique/{op}/equal_nan=True", op, [nan], {"equal_nan": True})
    store.add(f"unique/{op}/sorted", op, [nan], {"sorted": True})
    store.add(f"unique/{op}/unsorted", op, [np.array([4, 4, 4])], {"sorted": False})
    cube = few(np.dtype("int8"), 24).reshape(2, 3, 4) % 2
    for axis in (0, 1, 2, -1, -3, None, 3, (0, 1)):
        store.add(f"unique/{op}/cube/axis={axis}", op, [cube], {**EVERYTHING, "axis": axis})
    layouts = {"transposed": View(matrix, ("transpose", [1, 0])), "backward": View(matrix, ("slice", [slice(None, None, -1)])),
               "strided": View(matrix, ("slice", [slice(None, None, 2), slice(1, None, 3)])),
               "broadcast": View(matrix[0], ("broadcast_to", [3, 5]))}
    for label, array in layouts.items():
        store.add(f"unique/{op}/layout/{label}", op, [array], EVERYTHING)
        store.add(f"unique/{op}/layout/{label}/axis=0", op, [array], {**EVERYTHING, "axis": 0})
    for label, array in {"zero_d": np.array(3), "empty": np.zeros(0, np.float32), "one": np.array([2.5]), "all_nan": np.full(3, np.nan),
                         "empty_matrix": np.zeros((0, 3)), "no_columns": np.zeros((3, 0)), "equal": np.ones(4, np.uint8)}.items():
        store.add(f"unique/{op}/small/{label}", op, [array], EVERYTHING)
        store.add(f"unique/{op}/small/{label}/values", op, [array])
        store.add(f"unique/{op}/small/{label}/axis=0", op, [array], {**EVERYTHING, "axis": 0})
    for label, array in {"ints": matrix, "nan": nan, "empty": np.zeros(0), "zero_d": np.array(2.0)}.items():
        store.add(f"unique/np.unique_all/{label}", "np.unique_all", [array])
        store.add(f"unique/np.unique_counts/{label}", "np.unique_counts", [array])
        if label != "nan":
            store.add(f"unique/np.unique_inverse/{label}", "np.unique_inverse", [array])
    store.add("unique/np.unique_values/one", "np.unique_values", [np.array([[5, 5], [5, 5]])])
    close_together(store)
    membership(store)
    sets(store)


def close_together(store):
    """Many integers within few, at the ends of their dtypes and in between; and truth values."""
    for dtype in (dtype for dtype in ALL if dtype.kind in "bui"):
        g = rng(f"close {dtype.name}")
        ends = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        width = min(900, ends[1] - ends[0])
        middle = (ends[0] + ends[1]) // 2 - width // 2
        for label, least in {"least": ends[0], "middle": middle, "largest": ends[1] - width}.items():
            # Python adds what would overflow.
            steps = g.integers(0, width, 1300, endpoint=True)
            array = np.array([least + int(step) for step in steps], dtype)
            store.add(f"unique/np.unique/{dtype.name}/close/{label}", "np.unique", [array], EVERYTHING)
            store.add(f"unique/np.unique/{dtype.name}/close/{label}/values", "np.unique", [array])
            found = np.concatenate([array, np.array([*ends, least, least + width], dtype)])
            store.add(f"isin/np.isin/{dtype.name}/close/{label}", "np.isin", [found, array[:200]])


def membership(store):
    op = "np.isin"
    for dtype in ALL:
        a, b = few(dtype), few(dtype)[::3]
        b = np.concatenate([b, ordinary(dtype, 3)])
        store.add(f"isin/{op}/{dtype.name}", op, [a, b], expected=np.isin(wide(a), wide(b)))
    a, b = few(np.dtype("int16")).reshape(4, 5), np.array([-3, -1, 9])
    for label, kwargs in {"invert": {"invert": True}, "unique": {"assume_unique": True}, "sort": {"kind": "sort"},
                          "table": {"kind": "table"}, "kind_none": {"kind": None}, "bad_kind": {"kind": "hash"},
                          "both": {"assume_unique": False, "invert": True, "kind": "table"}}.items():
        store.add(f"isin/{op}/{label}", op, [a, b], kwargs)
    store.add(f"isin/{op}/table_of_floats", op, [a.astype(float), b], {"kind": "table"})
    for label, (x, y) in {
        "mixed": (a, np.array([-2.0, 0.5])), "matrix": (b, a), "zero_d": (np.array(-3), b), "to_zero_d": (a, np.array(-3)),
        "scalar": (5, np.array([1, 5])), "nothing_in": (a, np.zeros(0)), "nothing": (np.zeros((0, 2)), b),
        "zeros": (np.array([0.0, -0.0]), np.array([-0.0])), "uint8": (np.array([1, 2], np.uint8), np.array([-1, 258, 2])),
        "transposed": (View(a, ("transpose", [1, 0])), View(b, ("slice", [slice(None, None, -1)]))),
        "nan": (np.array([np.nan, 1.0, np.inf]), np.array([np.nan, np.inf])),
    }.items():
        store.add(f"isin/{op}/form/{label}", op, [x, y])
        store.add(f"isin/{op}/form/{label}/invert", op, [x, y], {"invert": True})


def sets(store):
    pairs = {"ints": (np.array([3, 1, 2, 2, 7]), np.array([2, 9, 3, 3])), "empty_right": (np.array([2, 1, 2]), np.zeros(0, np.int64)),
             "empty_left": (np.zeros(0, np.int64), np.array([2, 1, 2])), "empty": (np.zeros(0), np.zeros(0)),
             "mixed": (np.array([1, 2, 3], np.int8), np.array([0.5, 2.0, 3.0], np.float32)),
             "matrix": (np.array([[1, 2], [2, 5]]), np.array([[5], [2]])), "zero_d": (np.array(3), np.array([3, 4])),
             "bool": (np.array([True, True]), np.array([False, True])), "nan": (np.array([np.nan, 1.0, np.nan]), np.array([1.0, np.nan])),
             "strided": (View(np.arange(12), ("slice", [slice(None, None, -3)])), View(np.arange(8), ("slice", [slice(None, None, 2)]))),
             "complex": (np.array([1j, 2, 1 + 1j]), np.array([2, 1j], np.complex64)), "uint64": (np.array([1, 2], np.uint64), np.array([2, 3]))}
    distinct = (np.array([3, 1, 2, 7]), np.array([9, 2, 3]))
    for op in ("np.union1d", "np.intersect1d", "np.setdiff1d", "np.setxor1d"):
        for label, (a, b) in pairs.items():
            store.add(f"sets/{op}/{label}", op, [a, b])
        if op != "np.union1d":
            store.add(f"sets/{op}/unique", op, [*distinct], {"assume_unique": True})
            store.add(f"sets/{op}/unique/position", op, [*distinct, True])
            store.add(f"sets/{op}/not_really_unique", op, [np.array([3, 1, 3]), np.array([5, 1])], {"assume_unique": True})
    for label, (a, b) in pairs.items():
        store.add(f"sets/np.intersect1d/{label}/indices", "np.intersect1d", [a, b], {"return_indices": True})
    store.add("sets/np.intersect1d/unique/indices", "np.intersect1d", [*distinct], {"assume_unique": True, "return_indices": True})
