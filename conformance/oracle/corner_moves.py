"""What moves elements, at its edges: numbers that a dtype cannot hold, several dtypes at once, nothing to move,
and the forms in which arguments may come.

Each group is one rule of NumPy's. A call is written as `(op, args, kwargs)`; where NumPy changes its first
argument, the changed one is the result.
"""

import numpy as np

INPLACE = {"np.put", "np.place", "np.putmask", "np.copyto", "np.fill_diagonal", "np.put_along_axis", "np.add.at"}
INTS = [np.dtype(name) for name in ("int8", "uint8", "int16", "uint16")]
NAN, INF = float("nan"), float("inf")


def cases(store):
    for group in (truths, promotion, weak, empty_masks, copies, unseen, out_of_range, exact_members, wrapped, ranges, no_axes,
                  positions, extents, truncated, beyond, conversions):
        for number, call in enumerate(group()):
            op, args, kwargs = (*call, {})[:3]
            expected = changed(op, args, kwargs) if op in INPLACE else None
            store.add(f"corner/{op}/{group.__name__}/{number}", op, list(args), kwargs, expected=expected)


def changed(op, args, kwargs):
    run = np
    for part in op.split(".")[1:]:
        run = getattr(run, part)
    array = args[0].copy()
    try:
        run(array, *args[1:], **kwargs)
    except Exception as error:
        return error
    return array


def zeros(*shape, dtype=float):
    return np.zeros(shape, dtype)


def mask(*shape):
    return np.zeros(shape, bool)


def truths():
    """A complex number is true where either part is."""
    for number in (1j, 0j, np.complex64(1j), np.complex128(0), 1 + 0j):
        flags = mask(3)
        yield "setitem", [flags, number]
        yield "setitem", [flags, number, 1]
        yield "np.full", [2, number], {"dtype": np.dtype(bool)}
        yield "np.full_like", [flags, number]
        yield "np.put", [flags, [0, 2], number]
        yield "np.place", [flags, np.array([True, False, True]), number]
        yield "np.putmask", [flags, np.array([True, False, True]), number]
        yield "np.insert", [flags, 1, number]
        yield "np.pad", [flags, 1], {"constant_values": number}
        yield "np.fill_diagonal", [mask(2, 2), number]
        yield "np.copyto", [flags, number], {"casting": "unsafe"}
        yield "np.array", [[number, 0]], {"dtype": np.dtype(bool)}


def promotion():
    """Integers do not widen each other before they meet floats, whatever the order."""
    triples = [("int8", "uint8", "float16"), ("int8", "uint16", "float16"), ("int8", "uint16", "float32"),
               ("int8", "uint16", "complex64"), ("int16", "uint8", "float16"), ("int16", "uint16", "float16"),
               ("int16", "uint16", "float32"), ("int16", "uint16", "complex64"), ("int32", "uint64", "bool")]
    for triple in triples:
        arrays = [np.ones(1, name) for name in triple]
        for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
            given = [arrays[place] for place in order]
            yield "np.concatenate", [given]
            yield "np.result_type", given
        yield "np.stack", [arrays]
        yield "np.block", [arrays]
        yield "np.choose", [np.array([0]), arrays]
        yield "np.select", [[np.array([True]), np.array([False])], arrays[:2], arrays[2]]
        yield "np.einsum", ["i,i,i->i", *arrays]
        # An array of scalars, though, is made one after the other.
        yield "np.array", [[array[0] for array in arrays]]


def weak():
    """Python's numbers among flat arrays are weak."""
    numbers = [2, 300, -1, True, 1.5, 1j, np.int16(3), np.float64(2.5)]
    for dtype in (*INTS[:2], np.dtype("int64"), np.dtype("float16"), np.dtype("float32"), np.dtype("bool")):
        for number in numbers:
            yield "np.concatenate", [[np.ones(2, dtype), number]], {"axis": None}
            yield "np.union1d", [number, np.ones(2, dtype)]
    yield "np.concatenate", [[1, 2.5]], {"axis": None}
    yield "np.concatenate", [[np.ones(1, np.int8), 300]], {"axis": None, "dtype": np.dtype("uint8"), "casting": "unsafe"}
    yield "np.concatenate", [[np.ones(1, np.int8), 3]], {"axis": None, "dtype": np.dtype("uint8")}
    yield "np.concatenate", [[np.ones(1, np.int8), [2]]], {"axis": None}
    yield "np.concatenate", [[np.ones(1, np.int8), 2]], {"axis": 0}
    yield "np.concatenate", [[np.ones(1, np.int8), 2**64]], {"axis": None}
    yield "np.append", [np.ones(1, np.int8), 2]


def empty_masks():
    """A mask's extent of 0 fits any axis."""
    row, table, cube = np.arange(10), np.arange(6).reshape(2, 3), zeros(2, 3, 4)
    for array, *key in ((row, mask(0)), (table, mask(0)), (table, slice(None), mask(0)), (table, mask(0, 0)), (table, mask(0, 3)),
                        (table, mask(0, 5)), (table, mask(2, 0)), (table, mask(3, 0)), (table, mask(0), 0), (table, mask(0), [1]),
                        (table, mask(0), [0, 1]), (table, mask(0), [5]), (table, mask(0), 5), (cube, mask(0, 0)),
                        (cube, mask(0, 0), mask(0)), (row, mask(0, 0)), (row, mask(3)), (zeros(0, 3), mask(0))):
        yield "getitem", [array, *key]
        yield "setitem", [array, 5, *key]
        yield "np.add.at", [array, tuple(key), 5]
    yield "setitem", [row, np.array([1, 2]), mask(0)]
    yield "setitem", [row, zeros(0), mask(0)]
    yield "setitem", [table, np.array([1, 2, 3]), mask(0)]
    yield "np.insert", [row, mask(0), 1]
    yield "np.delete", [row, mask(0)]


def copies():
    """`copyto` asks the rule of NumPy's scalars, of Python's only about their kind."""
    for dtype in map(np.dtype, ("bool", "uint8", "int64", "float16", "float64", "complex64")):
        for number in (True, 3, 1.5, 1j, np.int64(3), np.uint8(3), np.int8(1), np.float32(3), np.complex128(1)):
            for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
                yield "np.copyto", [np.zeros(2, dtype), number], {"casting": casting}
    yield "np.copyto", [np.zeros(2, np.uint8), -1], {"casting": "equiv"}
    yield "np.copyto", [np.zeros(2, np.uint8), 300], {"casting": "unsafe"}


def unseen():
    """Positions along which nothing is taken are not looked at."""
    wide, tall = zeros(0, 3), zeros(3, 0)
    for array, index, axis in ((wide, 5, 1), (wide, [5, -9], 1), (tall, 5, 0), (tall, [5], 0), (wide, 0, 0), (wide, [], 0),
                               (zeros(2, 0, 3), 7, 0), (zeros(2, 0, 3), 7, 2), (tall, 5, 1), (tall, 5, None)):
        yield "np.take", [array, index], {"axis": axis}
        yield "np.take", [array, index], {"axis": axis, "mode": "clip"}
    yield "np.take_along_axis", [wide, np.array([[9]]), 1]
    yield "np.take_along_axis", [tall, np.array([[0]]), 1]
    yield "np.put_along_axis", [wide, np.array([[9]]), 1, 1]
    yield "np.put_along_axis", [tall, np.array([[0]]), 1, 1]
    yield "np.compress", [[0] * 10 + [1], wide], {"axis": 1}
    yield "np.compress", [[0] * 10 + [1], zeros(3, 2)], {"axis": 1}
    yield "getitem", [wide, slice(None), [5]]
    yield "getitem", [wide, slice(None), 5]
    yield "np.delete", [wide, 5], {"axis": 1}


def out_of_range():
    """Numbers that a dtype cannot hold, written one by one."""
    for dtype in map(np.dtype, ("int8", "uint8", "int64", "float32", "bool")):
        for number in (300, -1, 1.9, 300.0, -1.5, 1e30, NAN, INF, 1j, 2**64):
            yield "np.array", [[number]], {"dtype": dtype}
            yield "np.array", [number], {"dtype": dtype}
        for number in (300, 300.0, 1j, 2**64):
            yield "np.asarray", [[[1, 2], [3, number]]], {"dtype": dtype}
            yield "setitem", [np.zeros(2, dtype), number]
            yield "setitem", [np.zeros(2, dtype), [1, number]]
            yield "np.put", [np.zeros(2, dtype), [0], number]
            yield "np.put", [np.zeros(2, dtype), [0], [number]]
            yield "np.insert", [np.zeros(2, dtype), 1, [number]]
            yield "np.place", [np.zeros(2, dtype), np.array([True, False]), number]
    for number in (np.int64(300), np.int64(-1), np.float64(300), np.float64(NAN), np.uint8(200), np.complex64(1)):
        yield "np.array", [[number]], {"dtype": np.dtype("int8")}
        yield "setitem", [np.zeros(2, np.int8), number]
    yield "np.array", [[np.int64(300)]], {"dtype": np.dtype("uint8")}
    yield "np.array", [[np.array([300]), [1]]], {"dtype": np.dtype("uint8")}
    yield "np.array", [[np.array([300]), [300]]], {"dtype": np.dtype("uint8")}
    yield "np.array", [[2**64, 1]], {"dtype": np.dtype("float32")}
    yield "np.ascontiguousarray", [[300], np.dtype("uint8")]
    yield "np.asfortranarray", [[300], np.dtype("uint8")]
    for array in (np.ones(2, np.int8), np.ones((2, 2), np.int8), zeros(3, 0, dtype=np.int8)):
        for values in (300, (300, 1), ((300, 1),), [300], np.array(300), np.int64(300), -200, 1.7, NAN, 1e30, 1j, ((1, 2), (3, 300))):
            yield "np.pad", [array, 1], {"constant_values": values}
            yield "np.pad", [array, 0], {"constant_values": values}
    yield "np.pad", [np.ones(2, np.uint8), 1], {"constant_values": -1}
    yield "np.pad", [np.ones((2, 2), np.uint8), 1], {"constant_values": ((1, 2), (3, -1))}
    yield "np.pad", [np.ones((2, 2)), 1], {"constant_values": ((1j, 1), (1, 1))}


def exact_members():
    """Integers of int64 and uint64 meet in float64, but few of them are compared one by one."""
    signed = np.array([2**63 - 1, -1, 5, -(2**63)])
    for unsigned in (np.array([2**63], np.uint64), np.array([2**63 - 1, 2**64 - 1], np.uint64), np.array([5], np.uint64)):
        for left, right in ((signed, unsigned), (unsigned, signed), (signed.astype(np.int8), unsigned)):
            yield "np.isin", [left, right]
            yield "np.isin", [left, right], {"invert": True}
            yield "np.setdiff1d", [left, right]
            yield "np.union1d", [left, right]
            yield "np.intersect1d", [left, right]


def wrapped():
    """Where no ufunc looks, a Python integer becomes of the dtype of all by a cast."""
    for array in (np.array([1, 2], np.int8), np.array([1, 2], np.uint8), np.array([1, 2], np.float16)):
        for number in (300, -1, 2**63, 2**64, 1.5, 1e30, 1j):
            yield "np.where", [np.array([True, False]), array, number]
            yield "np.where", [np.array([False, True]), number, array]
            yield "np.choose", [np.array([0, 1]), [array, number]]
            yield "np.select", [[np.array([True, False])], [array], number]
            if np.iinfo(np.int64).max > np.real(number) >= 0 and array.dtype != np.uint8:
                yield "np.select", [[np.array([True, False])], [number], array]
    yield "np.where", [False, np.int8(1), 300]
    yield "np.where", [None, 1, 2]
    yield "np.choose", [np.array([0]), []]
    yield "np.choose", [np.array([0], np.uint64), []]


def ranges():
    """The dtype of a range, and numbers of it that the dtype cannot hold."""
    for bounds in ([np.uint64(4)], [np.uint64(1), 4], [np.uint8(4)], [np.float16(3)], [np.float32(0), 1, 0.25], [np.complex64(4)],
                   [4j], [0, 4 + 1j, 1], [0, 2 + 5j, 1 + 0j], [1j, 2 + 1j], [np.complex64(1), 5], [True], [2**63, 2**63 + 3],
                   [np.array(3)], [np.array(3, np.int8)], [np.array(3.0, np.float32)], [np.array(1), np.array(4)], [np.array([3])],
                   [None, 3], [None], [3, None], [1, None, 2], [1, 3, None], [None, 3, 1]):
        yield "np.arange", bounds
    for bounds in ([0, 1, INF], [0, 1, -INF], [5, 1, INF], [0, 0, INF], [0, -1, -INF], [0.5, 1, INF], [0, INF, INF], [0, INF, 1], [0, 1, NAN]):
        yield "np.arange", bounds
    for dtype in map(np.dtype, ("uint8", "int8", "int64", "float16", "complex64")):
        for bounds in ([-3, 3], [3, -3, -1], [250, 260], [256, 260], [255, 257], [255, 256], [3, 0, -1], [0, 3, 1.5], [-1.5, 3], [0, -1],
                       [300, 0], [0, 1000, 500], [0, 200, 100], [0, 300, 150], [np.int64(-3), np.int64(3)], [0, 10, 2**40]):
            yield "np.arange", bounds, {"dtype": dtype}


def no_axes():
    """Axes of arrays that have none."""
    for dtype in (np.float64, np.float32, np.int64, np.complex64):
        point = np.array(5, dtype)
        for op in ("mean", "var", "std", "nanmean", "nanvar", "nanstd", "nansum", "sum", "max", "nanmax", "argmax", "ptp", "squeeze", "median", "sort"):
            if op in ("max", "nanmax", "argmax", "ptp", "median") and dtype == np.complex64:
                continue
            for axis in (0, -1, 1, ()):
                yield f"np.{op}", [point], {"axis": axis}
        yield "np.squeeze", [point], {"axis": (0,)}
    for axis in (0, -1, 1, -2):
        yield "np.packbits", [np.array(5)], {"axis": axis}
        yield "np.unpackbits", [np.array(5, np.uint8)], {"axis": axis}
    yield "np.roll", [5, 1]
    yield "np.roll", [5, 1, 0]
    yield "np.roll", [5, [], 0]
    yield "np.roll", [5, [], (0, 1)]
    yield "np.roll", [5, [1, 2]]


def positions():
    """Positions in arrays without axes or elements, and of triangles without rows."""
    for index in (5, 0, [0], [0, 1], np.zeros(0, int)):
        yield "np.unravel_index", [index, ()]
    for order in "CFAK":
        yield "np.ravel_multi_index", [(1, 2), (3, 4)], {"order": order}
        yield "np.unravel_index", [5, (3, 4)], {"order": order}
    yield "np.ravel_multi_index", [(), ()]
    yield "np.ravel_multi_index", [(1,), 12]
    yield "np.ravel_multi_index", [(1, 2), 12]
    for n in (-1, 0, 2):
        for ndim in (-1, 0, 1, 2):
            yield "np.diag_indices", [n, ndim]
        for op in ("np.tril_indices", "np.triu_indices"):
            yield op, [n]
            yield op, [n, 0, -1]
            yield op, [n, 1, 3]
            yield op, [float(n)]
    nothing = zeros(0, dtype=np.int16)
    for index, values in ((0, []), ([], []), ([], 1), (0, 1), ([0, 1], [1])):
        yield "np.put", [nothing, index, values]
        yield "np.put", [nothing, index, values], {"mode": "clip"}
        yield "np.put", [np.arange(3), index, values]


def extents():
    """Shapes: arrays are, truth values and floats are not; nothing, repeated less than not at all, is nothing."""
    x, nothing = np.arange(3), zeros(0, dtype=np.int16)
    for shape in (True, (True, 2), np.True_, 2.0, (2.0,), np.float64(2), np.array([2, 3]), np.array(2), np.array([2.0, 3.0]), np.array([-1, 3]), np.int8(2), [2, 3], (), -1):
        for op in ("np.zeros", "np.ones"):
            yield op, [shape]
        yield "np.full", [shape, 1]
        yield "np.reshape", [np.arange(6), shape]
        yield "np.resize", [x, shape]
    yield "np.broadcast_to", [x, np.array([2, 3])]
    for op in ("np.eye", "np.identity"):
        for extent in (True, 2.0, np.True_, 2):
            yield op, [extent]
    for k in (10**20, -(10**20), 2**63, True, 1, -1):
        yield "np.eye", [3], {"k": k}
    for dimensions in (3, [3], np.array([2, 2]), np.array(2), (2.0,)):
        yield "np.indices", [dimensions]
    yield "np.broadcast_shapes", []
    yield "np.broadcast_shapes", [3]
    yield "np.broadcast_shapes", [(), (2,)]
    for shape in (None, np.array([3, 1]), (3, None)):
        yield "np.reshape", [x, shape]
    yield "np.reshape", [np.array(2.5), None]
    for axes in (True, 0, (True,), (0,)):
        yield "np.transpose", [x, axes]
    for array in (nothing, x, zeros(0, 3), zeros(2, 0)):
        for times in (-1, 0, 2, [], [-1], [2], [1, -1, 1]):
            yield "np.repeat", [array, times]
            yield "np.repeat", [array, times], {"axis": 0}
            if not isinstance(times, list) or times == [-1]:
                yield "np.tile", [array, times]
    yield "np.repeat", [5, []]
    yield "np.repeat", [zeros(0, 3), -1], {"axis": 1}
    for axis in (True, [0], (0,), 0, -1):
        yield "np.squeeze", [np.zeros((1, 2))], {"axis": axis}
        yield "np.concatenate", [[x, x]], {"axis": axis}
        yield "np.repeat", [x, 2], {"axis": axis}
        yield "np.append", [x, x], {"axis": axis}
        for op in ("sum", "mean", "max", "any", "argmax", "nansum", "nanmean", "nanmax"):
            yield f"np.{op}", [np.eye(2)], {"axis": axis}
    for dimensions in ((2, 2), (2, 3)):
        yield "np.indices", [dimensions], {"dtype": np.dtype(bool)}
    for kth in ([], (), np.zeros(0, int), 1.0, [1], np.array([1])):
        yield "np.partition", [x, kth]
        yield "np.argpartition", [x, kth]


def truncated():
    """Numbers of which NumPy takes the whole part."""
    x, square = np.arange(4), np.arange(4).reshape(2, 2)
    for shift in (1.5, 2.0, -1.5, True, np.array(1), np.array([1]), np.float64(2.5), 10**30, -(10**30)):
        yield "np.roll", [x, shift]
        yield "np.roll", [x, shift, 0]
    yield "np.roll", [square, (1.5, -1), (0, 1)]
    for times in (2.0, 2.5, [1.0, 2.0, 1.0, 0.0], np.array(2.0), np.float64(2.0), True, np.array([2]), np.array(2)):
        yield "np.repeat", [x, times]
    for turns in (2.0, 1.0, 1.5, -1.0, True, 5, -3, 2**40):
        yield "np.rot90", [square, turns]
    for parts in (2.0, 2.5, 3.0, True, np.array(2), 0, 0.5, -1, [1.0], [1], np.array([1, 2])):
        yield "np.array_split", [x, parts]
    for parts in (2.0, 2.5, 4.0, 3, np.array(2)):
        yield "np.split", [x, parts]
    for rows in (2.0, 2.5, -1, True):
        yield "np.tri", [rows]
        yield "np.tri", [2, rows]
    for k in (1.0, -1.0, np.float64(1), True, 1):
        yield "np.tri", [3], {"k": k}
        yield "np.tril", [square, k]
        yield "np.triu", [square, k]
        yield "np.tril_indices", [3, k]
    for k in (1.0, True):
        yield "np.diag", [x, k]


def beyond():
    """Integers that no integer dtype holds, beside arrays."""
    for number in (2**64, -(2**64), 2**70):
        for array in (np.array([1, 5, 2**63 - 1]), np.array([2**64 - 1], np.uint64), np.array([0.0, 2.0**64, 1e30])):
            yield "np.isin", [array, number]
            yield "np.searchsorted", [array, number]
        yield "np.interp", [number, [0.0, 1e30], [0.0, 1.0]]
        yield "np.pad", [np.zeros(1), 1], {"constant_values": number}
        yield "np.pad", [np.zeros(1, np.float16), 1], {"constant_values": number}
        yield "np.pad", [np.zeros(1, np.int8), 1], {"constant_values": number}
    yield "np.array_equal", [np.array([1]), 2**64]
    yield "np.array_equal", [np.array(2.0**64), 2**64]
    yield "np.array_equal", [np.array(2**64 - 1, np.uint64), 2**64]


def conversions():
    """`astype` with NumPy's rules and orders; keys that are none, said before values are; means of nothing."""
    array = np.arange(6, dtype=np.uint8).reshape(2, 3)
    for dtype in map(np.dtype, ("int8", "uint8", "float16", "bool")):
        for casting in ("no", "equiv", "safe", "same_kind", "unsafe", "bad"):
            yield "astype", [array, dtype], {"casting": casting}
        yield "astype", [array, dtype], {"order": "F"}
        yield "astype", [array, dtype], {"copy": False}
    for value in (1j, INF, -1, 300):
        yield "setitem", [array, value, 9]
        yield "setitem", [array, value, 0, 0, 0]
        yield "setitem", [array, value, mask(3)]
        yield "setitem", [array, value, 1.0]
    yield "getitem", [array, [None]]
    yield "getitem", [array, [[1], [None]]]
    for index in (1.0, 1.5, [1.0], np.float64(1), np.array(1.0), True, [True, False]):
        yield "np.take", [np.arange(3), index]
        yield "np.take", [array, index], {"axis": 1}
    yield "np.insert", [np.arange(3), 1.0, 5]
    yield "np.delete", [np.arange(3), 1.0]
    for dtype in (np.complex64, np.complex128, np.float32, np.int16):
        for op in ("mean", "var", "average", "median", "nanmean"):
            yield f"np.{op}", [zeros(0, dtype=dtype)]
        yield "np.mean", [zeros(0, 3, dtype=dtype)], {"axis": 0}
    for op, args in (("np.tri", [3, 3]), ("np.tril", [array]), ("np.triu", [array])):
        yield op, args, {"k": 10**20}
