"""sort, argsort, partition, lexsort, sort_complex, searchsorted and digitize.

argsort is asked for with kind="stable", or of elements that all differ: NumPy's other kinds put equal
elements in any order. Of partition there are cases whose result is one only: every position is asked for.
bfloat16, which NumPy does not know, sorts as the float32 it widens to.
"""

import numpy as np

from inputs import ALL, BF16, complex_specials, mixed, ordinary, rng
from store import View

STABLE = {"kind": "stable"}


def wide(array):
    """What NumPy sorts in its place: bfloat16 as float32."""
    return array.astype(np.float32) if array.dtype == BF16 else array


def shuffled(array, name):
    return array[rng(f"shuffled {name} {array.dtype.name}").permutation(len(array))]


def values(dtype, count=30):
    """Specials twice, so that there are equal ones, and ordinary numbers, in no order."""
    if dtype.kind == "c":
        # Of equal numbers with different zeros the first comes first; of NaNs none tells which it was.
        return np.concatenate([shuffled(complex_specials(dtype), "complex")[:count], ordinary(dtype, 4)])
    both = np.concatenate([mixed(dtype), mixed(dtype)[::2]])
    return shuffled(both, "values")[:count]


def both(store, label, array, **kwargs):
    """The sorted values and their positions."""
    plain = wide(array.apply() if isinstance(array, View) else array)
    try:
        expected = np.sort(plain, kind="stable", **kwargs)
        dtype = array.array.dtype if isinstance(array, View) else array.dtype
        expected = expected.astype(dtype)
    except Exception as error:
        expected = error
    store.add(f"sort/np.sort/{label}", "np.sort", [array], {**kwargs, **STABLE}, expected=expected)
    try:
        expected = np.argsort(plain, kind="stable", **kwargs)
    except Exception as error:
        expected = error
    store.add(f"sort/np.argsort/{label}", "np.argsort", [array], {**kwargs, **STABLE}, expected=expected)


def cases(store):
    for dtype in ALL:
        both(store, f"{dtype.name}/values", values(dtype))
        matrix = values(dtype, 24)
        matrix = matrix[:len(matrix) // 4 * 4].reshape(4, -1)
        both(store, f"{dtype.name}/axis=0", matrix, axis=0)
        both(store, f"{dtype.name}/axis=None", View(matrix, ("transpose", [1, 0])), axis=None)
    numbers = values(np.dtype("float32"), 24)
    cube = ordinary(np.dtype("int16"), 24).reshape(2, 3, 4)
    layouts = {
        "backward": View(numbers, ("slice", [slice(None, None, -1)])),
        "strided": View(numbers, ("slice", [slice(1, None, 3)])),
        "broadcast": View(numbers[:6], ("broadcast_to", [3, 6])),
        "broadcast_column": View(numbers[:3].reshape(3, 1), ("broadcast_to", [3, 4])),
        "part": View(cube, ("slice", [slice(None), slice(0, 3, 2), slice(1, 3)])),
        "cube": cube, "transposed": View(cube, ("transpose", [2, 0, 1])),
    }
    for label, array in layouts.items():
        both(store, f"layout/{label}", array)
        both(store, f"layout/{label}/axis=0", array, axis=0)
    for axis in (1, 2, -1, -2, -3, 3, -4, None):
        both(store, f"cube/axis={axis}", cube, axis=axis)
    for label, array in {"empty": np.zeros(0, np.float32), "empty_rows": np.zeros((0, 3)), "empty_row": np.zeros((3, 0)),
                         "one": np.array([2.5]), "one_by_one": np.array([[7]]), "columns": np.ones((4, 1), np.int8)}.items():
        both(store, f"{label}", array)
        both(store, f"{label}/axis=0", array, axis=0)
        both(store, f"{label}/axis=None", array, axis=None)
    for axis in (-1, 0, 1, None):
        both(store, f"zero_d/axis={axis}", np.array(3), axis=axis)
    options(store)
    long_rows(store)
    partitions(store)
    several_keys(store)
    searches(store)
    bins(store)


def options(store):
    a = shuffled(np.arange(12, dtype=np.int32), "options")
    for op in ("np.sort", "np.argsort"):
        for label, kwargs in {
            "default": {}, "quicksort": {"kind": "quicksort"}, "heapsort": {"kind": "heapsort"},
            "mergesort": {"kind": "mergesort"}, "none": {"kind": None}, "stable": {"stable": True},
            "unstable": {"stable": False}, "stable_none": {"stable": None}, "order_none": {"order": None},
            "bad_kind": {"kind": "bubble"}, "kind_int": {"kind": 3}, "both": {"kind": "stable", "stable": True},
            "order": {"order": "x"}, "float_axis": {"axis": 1.0}, "two_axes": {"axis": (0, 1)}, "beyond": {"axis": 1},
        }.items():
            store.add(f"sort/{op}/option/{label}", op, [a], kwargs)
    store.add("sort/np.sort/option/position", "np.sort", [a.reshape(3, 4), 0])
    for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
                 "float64", "complex64", "complex128"):
        store.add(f"sort/np.sort_complex/{name}", "np.sort_complex", [shuffled(ordinary(np.dtype(name), 9), "complex")])
    store.add("sort/np.sort_complex/matrix", "np.sort_complex", [ordinary(np.dtype("float32"), 12).reshape(3, 4)])
    store.add("sort/np.sort_complex/zero_d", "np.sort_complex", [np.array(1.0)])


def long_rows(store):
    """Rows on both sides of what an implementation may do by other means: few bytes, many equal ones."""
    for count in (17, 64, 65, 130, 257, 600):
        g = rng(f"long {count}")
        for dtype in ("int8", "int32", "uint64", "float16", "float32"):
            array = g.integers(0, 40, count).astype(dtype)
            if dtype == "float32":
                array = np.where(g.random(count) < 0.2, -0.0, array).astype(dtype)
                array[::50] = np.nan
            both(store, f"long/{count}/{dtype}", array)


def partitions(store):
    a = shuffled(np.array([5, 3, 3, 9, 0, -2, 7, 3], np.int32), "partition")
    every = tuple(range(8))
    store.add("partition/np.partition/every", "np.partition", [a, every])
    store.add("partition/np.partition/list", "np.partition", [a, list(every)])
    store.add("partition/np.partition/array", "np.partition", [a, np.arange(8)])
    store.add("partition/np.partition/negative", "np.partition", [a, tuple(range(-8, 0))])
    store.add("partition/np.partition/axis=None", "np.partition", [a.reshape(2, 4), every], {"axis": None})
    store.add("partition/np.partition/axis=0", "np.partition", [a.reshape(4, 2), (0, 1, 2, 3)], {"axis": 0})
    store.add("partition/np.partition/two", "np.partition", [np.array([2.0, 1.0]), 0])
    store.add("partition/np.partition/nan", "np.partition", [np.array([np.nan, 2.0, -np.inf]), (0, 1)])
    store.add("partition/np.partition/kind", "np.partition", [a, every], {"kind": "introselect"})
    distinct = shuffled(np.arange(7, dtype=np.float32), "argpartition")
    store.add("partition/np.argpartition/every", "np.argpartition", [distinct, tuple(range(7))])
    store.add("partition/np.argpartition/axis=0", "np.argpartition", [distinct[:6].reshape(3, 2), (0, 1, 2), 0])
    store.add("partition/np.argpartition/two", "np.argpartition", [np.array([2.0, 1.0]), -1])
    store.add("partition/np.argpartition/zero_d", "np.argpartition", [np.array(4), 0])
    for dtype in (np.int8, np.uint16, np.int64, np.float16, np.float32, np.float64):
        # One element is about the middle, all before are alike, and all behind.
        rows = np.stack([shuffled(np.repeat(np.array([1, 2, 3], dtype), [100, 1, 199]), f"short_rows {row}") for row in range(2)])
        store.add(f"partition/np.partition/short_rows/{np.dtype(dtype).name}", "np.partition", [rows, 100])
        store.add(f"partition/np.partition/short_rows/{np.dtype(dtype).name}/axis=0", "np.partition", [rows.T, -200, 0])
    for op in ("np.partition", "np.argpartition"):
        for label, (array, kth, kwargs) in {
            "above": (a, 8, {}), "below": (a, -9, {}), "one_of_them": (a, (1, 8), {}), "float": (a, 1.0, {}),
            "bool": (a, True, {}), "matrix": (a, np.array([[1, 2]]), {}), "kind": (a, 1, {"kind": "quick"}),
            "order": (a, 1, {"order": "x"}), "axis": (a, 1, {"axis": 1}), "empty": (np.zeros(0), 0, {}),
            "empty_rows": (np.zeros((0, 3)), 5, {}), "none": (a, None, {}),
        }.items():
            store.add(f"partition/{op}/bad/{label}", op, [array, kth], kwargs)
    store.add("partition/np.partition/bad/zero_d", "np.partition", [np.array(4), 0])


def several_keys(store):
    g = rng("lexsort")
    first, second = g.integers(0, 4, 14), g.integers(0, 3, 14).astype(np.float32)
    second[3] = np.nan
    third = np.where(second == 0, -0.0, second)
    op = "np.lexsort"
    store.add(f"lexsort/{op}/two", op, [(first, second)])
    store.add(f"lexsort/{op}/other_way", op, [(second, first)])
    store.add(f"lexsort/{op}/three", op, [[first, third, first % 2 == 0]])
    store.add(f"lexsort/{op}/zeros", op, [(first, third)])
    store.add(f"lexsort/{op}/one", op, [(first,)])
    store.add(f"lexsort/{op}/array", op, [np.stack([first, first[::-1]])])
    store.add(f"lexsort/{op}/vector", op, [first])
    store.add(f"lexsort/{op}/strided", op, [(View(first, ("slice", [slice(None, None, -2)])), first[:7])])
    for axis in (0, 1, -1, -2, 2):
        keys = (first.reshape(2, 7), second.reshape(2, 7))
        store.add(f"lexsort/{op}/axis={axis}", op, [keys], {"axis": axis})
    store.add(f"lexsort/{op}/empty", op, [(np.zeros(0), np.zeros(0))])
    store.add(f"lexsort/{op}/zero_d", op, [(np.array(3), np.array(2))])
    store.add(f"lexsort/{op}/bad/none", op, [()])
    store.add(f"lexsort/{op}/bad/scalar", op, [np.array(3)])
    store.add(f"lexsort/{op}/bad/shapes", op, [(first, first[:3])])
    store.add(f"lexsort/{op}/bad/ndim", op, [(first, first.reshape(2, 7))])
    store.add(f"lexsort/{op}/bad/axis", op, [(first,)], {"axis": 1})


def searches(store):
    op = "np.searchsorted"
    for dtype in ALL:
        if dtype.kind == "c":
            continue
        row = np.sort(wide(values(dtype, 20)), kind="stable").astype(dtype)
        needles = np.concatenate([values(dtype, 16), row[::6]])
        for side in ("left", "right"):
            store.add(f"searchsorted/{op}/{dtype.name}/{side}", op, [row, needles, side],
                      expected=np.searchsorted(wide(row), wide(needles), side))
    for name in ("complex64", "complex128"):
        row, needles = np.sort(values(np.dtype(name), 30)), values(np.dtype(name), 30)
        store.add(f"searchsorted/{op}/{name}", op, [row, needles], {"side": "right"})
    ints = np.array([-3, 0, 0, 2, 5, 5, 5, 9], np.int8)
    for label, v in {
        "weak_int": 5, "weak_large": 300, "weak_float": 2.5, "weak_bool": True, "uint8": np.array([0, 200, 5], np.uint8),
        "float64": np.array([4.9, 5.0, np.nan, -np.inf]), "zero_d": np.array(5), "scalar": np.int16(5),
        "matrix": np.array([[1, 5], [9, 10]]), "empty": np.zeros((0, 2)), "uint64": np.array([5, 2**63], np.uint64),
        "strided": View(np.arange(8, dtype=np.int8), ("slice", [slice(None, None, -3)])), "complex": np.array([2j, 5 - 1j]),
    }.items():
        store.add(f"searchsorted/{op}/promoted/{label}", op, [ints, v])
        store.add(f"searchsorted/{op}/promoted/{label}/right", op, [ints, v], {"side": "right"})
    store.add(f"searchsorted/{op}/weak_float_of_float32", op, [np.array([0.1], np.float32), 0.1], {"side": "right"})
    store.add(f"searchsorted/{op}/large_ints", op, [np.array([2**53 + 1]), np.array([2**53], np.uint64)], {"side": "right"})
    store.add(f"searchsorted/{op}/empty_row", op, [np.zeros(0), np.array([1.0, np.nan])])
    store.add(f"searchsorted/{op}/one", op, [np.array([1.0]), np.array([0.0, 1.0, 2.0])])
    store.add(f"searchsorted/{op}/strided_row", op, [View(ints, ("slice", [slice(None, None, 2)])), np.array([0, 3, 5])])
    store.add(f"searchsorted/{op}/backward_row", op, [View(-ints, ("slice", [slice(None, None, -1)])), np.array([0, -3, 5])])
    mess = np.array([5, 1, 4, 1, 3])
    for side in ("left", "right"):
        store.add(f"searchsorted/{op}/sorter/{side}", op, [mess, np.array([0, 1, 4, 6])],
                  {"side": side, "sorter": np.argsort(mess, kind="stable")})
    store.add(f"searchsorted/{op}/sorter/int8", op, [mess, 4], {"sorter": np.array([1, 3, 4, 2, 0], np.int8)})
    store.add(f"searchsorted/{op}/sorter/none", op, [ints, 4], {"sorter": None})
    for label, (a, v, kwargs) in {
        "matrix": (ints.reshape(2, 4), 1, {}), "zero_d": (np.array(1), 1, {}), "side": (ints, 1, {"side": "middle"}),
        "side_type": (ints, 1, {"side": 3}), "sorter_size": (mess, 1, {"sorter": np.arange(4)}),
        "sorter_float": (mess, 1, {"sorter": np.arange(5.0)}), "sorter_matrix": (mess, 1, {"sorter": np.zeros((1, 5), np.int64)}),
        "sorter_outside": (mess, 9, {"sorter": np.array([1, 3, 4, 2, 5])}),
    }.items():
        store.add(f"searchsorted/{op}/bad/{label}", op, [a, v], kwargs)


def bins(store):
    op = "np.digitize"
    x = np.array([-1.0, 0.5, 1.0, 2.5, 3.0, 9.0, np.nan, np.inf, -0.0])
    for label, edges in {
        "rising": np.array([0.0, 1.0, 2.5, 3.0]), "falling": np.array([3.0, 2.5, 1.0, 0.0]), "equal": np.array([1.0, 1.0]),
        "steps": np.array([0.0, 1.0, 1.0, 3.0]), "one": np.array([1.0]), "empty": np.zeros(0), "int": np.array([0, 1, 3]),
        "nan_last": np.array([1.0, 3.0, np.nan]), "float32": np.array([3, 1], np.float32),
        "strided": View(np.arange(9.0), ("slice", [slice(None, None, -4)])),
    }.items():
        for right in (False, True):
            store.add(f"digitize/{op}/{label}/right={right}", op, [x, edges], {"right": right})
    for dtype in ("bool", "int8", "uint64", "float16", "float32"):
        store.add(f"digitize/{op}/{dtype}", op, [ordinary(np.dtype(dtype), 9), np.array([-2, 1, 2, 4])])
    store.add(f"digitize/{op}/scalar", op, [0.5, np.array([0.0, 1.0])])
    store.add(f"digitize/{op}/matrix", op, [x[:8].reshape(2, 4), np.array([0.0, 1.0]), True])
    store.add(f"digitize/{op}/no_values", op, [np.zeros((0, 2)), np.array([0.0, 1.0])])
    store.add(f"digitize/{op}/large", op, [np.array([2**60 + 1]), np.array([2**60, 2**60 + 1, 2**60 + 2])])
    for label, (v, edges) in {
        "neither": (x, np.array([1.0, 3.0, 2.0])), "down_up": (x, np.array([3.0, 1.0, 2.0])),
        "nan_first": (x, np.array([np.nan, 1.0, 2.0])), "matrix": (x, np.ones((1, 2))), "zero_d": (x, np.array(1.0)),
        "complex": (x + 1j, np.array([0.0, 1.0])), "complex_bins": (x, np.array([0j, 1])),
    }.items():
        store.add(f"digitize/{op}/bad/{label}", op, [v, edges])
