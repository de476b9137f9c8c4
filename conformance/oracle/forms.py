"""The forms in which NumPy takes arguments: dtypes as texts, arrays to write into, numbers as truth values, `None`.

Each group is one form. A call is written as `(op, args, kwargs)`. Calls run on copies; where NumPy changes its first
argument, the changed one is the result.
"""

import copy

import numpy as np

from inputs import ALL, BF16, ordinary
from store import ANY_ZERO, EXACT, View, allclose, function, plain

INPLACE = {"np.put", "np.place", "np.putmask", "np.copyto", "np.fill_diagonal", "np.put_along_axis", "np.add.at"}
NAN, INF = float("nan"), float("inf")
NEAR = allclose(1e-12, 1e-12)
P = "np.polynomial.polynomial."
NUMPY = [dtype for dtype in ALL if dtype != BF16]
CODES = list("?bBhHiIlLqQpPnNefdFD")
SIZED = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
NAMES = ["bool", "bool_", "byte", "short", "intc", "int", "int_", "intp", "long", "longlong", "ubyte", "ushort", "uintc", "uint", "uintp",
         "ulong", "ulonglong", "half", "single", "float", "double", "csingle", "complex", "cdouble", "float16", "uint16", "complex64"]
ORDERED = ["<i4", "<f8", "=f4", "|b1", "|u1", "|f4", "<?", "=d", ">i1", ">u1", ">?", ">b", "<p", "<n"]
WRONG = ["foo", "", "Float32", "f3", "i0", "b8", "d8", "<float32", ">int8", "!i4", " f4", "f4 ", "3", "i-4", "?1", "<", "bool8", "int0"]


def cases(store):
    for group in (codes, kinds, castable, into_taken, into_chosen, into_joined, rows_of_stacks, orders, truths, no_number, nothing,
                  exponents, sublists, steps, masks, subclasses, ranges, loops, small_forms, ellipses, directives):
        for number, call in enumerate(group()):
            op, args, kwargs = (*call, {})[:3]
            put(store, f"form/{group.__name__}/{op}/{number}", op, list(args), kwargs)
    for group in (arithmetic, calculus, points, fits):
        for number, call in enumerate(group()):
            op, args, kwargs = (*call, {})[:3]
            tolerance = allclose(2e-3, 2e-3) if narrow(args) else NEAR
            put(store, f"form/{group.__name__}/{op.removeprefix(P)}/{number}", op, list(args), kwargs, tolerance)


def narrow(args):
    """Does a 16-bit float or a 32-bit one decide the precision?"""
    return any(isinstance(arg, np.ndarray) and arg.dtype.name in ("float16", "float32", "complex64") for arg in args)


def put(store, id, op, args, kwargs, tolerance=ANY_ZERO):
    run = row_stack if op == "np.row_stack" else function(op)
    given, named = copy.deepcopy((args, kwargs))
    try:
        expected = run(*map(plain, given), **{key: plain(value) for key, value in named.items()})
        if op in INPLACE:
            expected = given[0]
    except Exception as error:
        expected = error
    if isinstance(expected, tuple) and any(isinstance(item, list) for item in expected):
        expected = [*expected[:-1], *expected[-1]]
    if not isinstance(expected, (Exception, tuple, list, str, np.dtype)):
        if isinstance(expected, type):
            expected = np.dtype(expected)
        elif not isinstance(expected, np.ndarray):
            expected = np.asarray(expected)
    store.add(id, op, args, kwargs, expected=expected, tolerance=EXACT if isinstance(expected, Exception) else tolerance)


def row_stack(tup, **options):
    """NumPy's old name of vstack, which newer releases lack."""
    return np.vstack(tup, **options)


def zeros(*shape, dtype=float):
    return np.zeros(shape, dtype)


def codes():
    """Dtypes by character, by kind and size, by name, and with the order of their bytes."""
    x = np.array([0, 1, 2, 3])
    for text in (*CODES, *SIZED, *NAMES, *ORDERED, *WRONG):
        yield "astype", [x, text]
        yield "np.zeros", [2], {"dtype": text}
        yield "np.promote_types", [text, "i2"]
    for text in (*CODES, *SIZED[::3]):
        yield "np.arange", [2], {"dtype": text}
        yield "np.eye", [2], {"dtype": text}
        yield "np.full", [2, 1, text]
        yield "np.array", [[0, 1]], {"dtype": text}
        yield "np.add", [np.array([True, False]), np.array([True, True])], {"dtype": text}
        yield "np.sum", [x], {"dtype": text}
        yield "np.result_type", [text]
    for text in ("f", "f4", "<f8", "D", "i", "foo"):
        yield "np.mean", [x], {"dtype": text}
        yield "np.linspace", [0, 1, 3], {"dtype": text}
        yield "np.cumsum", [x], {"dtype": text}
        yield "np.zeros_like", [x], {"dtype": text}
        yield "np.concatenate", [[x, x]], {"dtype": text, "casting": "unsafe"}
        yield "np.multiply.reduce", [x], {"dtype": text}


def kinds():
    """`result_type` and its kin of texts, dtypes, arrays and numbers."""
    names = ["bool", "int8", "uint8", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
    for text in names:
        for dtype in map(np.dtype, names):
            yield "np.result_type", [text, np.zeros(2, dtype)]
            yield "np.result_type", [dtype, text]
        yield "np.result_type", [text, 1]
        yield "np.result_type", [2.5, text]
        yield "np.result_type", [1j, text, True]
        yield "np.result_type", [text, np.float32(1)]
        yield "np.promote_types", [text, np.dtype("float16")]
        yield "np.iinfo", [text]
    yield "np.result_type", ["i4", "f4", "?"]
    yield "np.result_type", ["p", 3, np.zeros(2, np.int8)]
    yield "np.result_type", ["foo", 1]
    yield "np.result_type", []
    yield "np.result_type", [None, 1]
    yield "np.result_type", [None]
    yield "np.result_type", [[1], "f4"]
    yield "np.common_type", []
    for number in (1, np.int16(3), np.uint8(1), 1.5, True):
        yield "np.iinfo", [number]
    yield "np.promote_types", [np.int16(3), "f4"]
    yield "np.promote_types", [3, "f4"]


def castable():
    """NumPy's scalars by their dtype; Python's numbers have none."""
    for number in (np.int16(3), np.int64(3), np.uint8(200), np.float32(1.5), np.complex64(1j), np.bool_(True), 1, 2.5, 1j, True, None):
        for to in ("i4", "int64", "f4", "?", np.dtype("complex64")):
            yield "np.can_cast", [number, to]
            yield "np.can_cast", [number, to, "same_kind"]
    for number in (np.array(3), np.zeros(2, np.int8), "f4", "foo", np.dtype("int8")):
        for to in ("i4", "f4", "foo", None, np.float64(1), np.array([1.0])):
            yield "np.can_cast", [number, to]
    yield "np.can_cast", ["i4", "f8", "bad"]


def outs(shape, dtypes="?bBilefdFD"):
    return [np.full(shape, 7, code) for code in dtypes]


def into_taken():
    """`take` and `compress` into arrays that are there."""
    table = np.arange(6.0).reshape(2, 3)
    for code in "?biledF":
        x = np.array([1, 0, 1], code)
        for out in outs(2):
            yield "np.take", [x, [0, 2]], {"out": out}
            yield "np.compress", [[True, False, True], x], {"out": out}
        for mode in ("raise", "wrap", "clip"):
            yield "np.take", [x, [0, 1]], {"out": np.zeros(2, code), "mode": mode}
            yield "np.take", [x, [3, -4]], {"out": np.zeros(2, code), "mode": mode}
    for shape in ((2,), (1, 2), (2, 2), (3,), (0,), ()):
        yield "np.take", [table, [0, 1]], {"out": zeros(*shape)}
        yield "np.take", [table, [0, 1], 0], {"out": zeros(*shape)}
        yield "np.take", [table, [0, 1], 1, zeros(*shape)]
        yield "np.take", [table, 4], {"out": zeros(*shape)}
        yield "np.compress", [[True, False, True], table, 1], {"out": zeros(*shape)}
        yield "np.compress", [[True, False, True], table], {"out": zeros(*shape)}
    yield "np.take", [table, [[0, 1], [5, 2]]], {"out": View(zeros(2, 4), ("slice", [slice(None), slice(None, None, 2)]))}
    yield "np.take", [table, [9]], {"out": zeros(1)}
    yield "np.take", [table, 0], {"out": 5}
    yield "np.take", [table, 0], {"out": (zeros(),)}
    yield "np.take", [table, 0], {"out": None}


def into_chosen():
    """`choose` into arrays that are there."""
    for code in "?biledF":
        choices = [np.array([1, 0, 1], code), np.array([0, 1, 1], code)]
        for out in outs(3):
            yield "np.choose", [[0, 1, 0], choices], {"out": out}
        for mode in ("raise", "wrap", "clip"):
            yield "np.choose", [[0, 1, 1], choices], {"out": np.zeros(3, code), "mode": mode}
            yield "np.choose", [[0, 5, -3], choices], {"out": np.zeros(3, code), "mode": mode}
    for shape in ((2,), (1, 2), (2, 2), ()):
        yield "np.choose", [[0, 1], [[1, 2], [3, 4]]], {"out": zeros(*shape)}
        yield "np.choose", [np.array([[0], [1]]), [[1, 2], 5]], {"out": zeros(*shape)}
    yield "np.choose", [[0, 1], [[1, 2], [3, 4]], zeros(2)]
    yield "np.choose", [[0, 1], [[1, 2], [3, 4]]], {"out": 5}


def into_joined():
    """`concatenate` and `stack` into arrays that are there."""
    for left, right in (("d", "l"), ("b", "h"), ("?", "b"), ("f", "F")):
        x, y = np.array([1, 0], left), np.array([1], right)
        for out in outs(3):
            yield "np.concatenate", [[x, y]], {"out": out}
            yield "np.concatenate", [(x, y)], {"out": out, "casting": "unsafe"}
            yield "np.concatenate", [(x, y)], {"out": out, "casting": "safe"}
        for out in outs((2, 2)):
            yield "np.stack", [[x, x.astype(right)]], {"out": out}
            yield "np.stack", [[x, x], 1, out]
    for shape in ((3,), (4,), (1, 3), (), (3, 1)):
        yield "np.concatenate", [[[1, 2], [3]]], {"out": zeros(*shape)}
        yield "np.concatenate", [[[1, 2], [3]]], {"out": zeros(*shape, dtype=np.int8), "casting": "no"}
        yield "np.concatenate", [[[[1, 2]], [3]], None], {"out": zeros(*shape)}
        yield "np.concatenate", [[[[1], [2], [3]], np.zeros((3, 0))], 1, zeros(*shape)]
        yield "np.stack", [[[1], [3], [4]]], {"out": zeros(*shape)}
    yield "np.concatenate", [[[1, 2], [3]]], {"out": zeros(3), "dtype": np.dtype(float)}
    yield "np.stack", [[[1, 2], [3, 4]]], {"out": zeros(2, 2), "dtype": np.dtype(float)}
    yield "np.concatenate", [[1, 2], None, zeros(2)]
    for number in (300, 3, 1.5, -1, True):
        yield "np.concatenate", [[np.zeros(2, np.int8), number], None], {"out": zeros(3)}
        yield "np.concatenate", [[np.zeros(2, np.int8), number], None], {"out": zeros(3, dtype=np.int8)}
    yield "np.concatenate", [[[1]]], {"out": 5}
    yield "np.concatenate", [[]], {"out": zeros(2)}
    yield "np.stack", [[]], {"out": zeros(2)}
    yield "np.stack", [[[1, 2], [3]]], {"out": zeros(2, 2)}


def rows_of_stacks():
    """The old name of `vstack`."""
    for dtype in NUMPY:
        x = ordinary(dtype, 6).reshape(2, 3)
        yield "np.row_stack", [[x, x[0]]]
        yield "np.row_stack", [[x[0], x[1]]]
    yield "np.row_stack", [([1, 2], [3, 4])], {"dtype": "f4", "casting": "unsafe"}
    yield "np.row_stack", [([1, 2], [3])]
    yield "np.row_stack", [[1, 2]]
    yield "np.row_stack", [[]]
    yield "np.row_stack", [[np.zeros(2), np.zeros((2, 2), np.int8)]]


def orders():
    """Orders of memory, which values do not show."""
    for order in ("F", "C", "c", "f", None, "A", "K", "x", 1):
        for dtype in (np.dtype("float32"), np.dtype("int64"), np.dtype("complex128")):
            yield "np.eye", [3], {"dtype": dtype, "order": order}
            yield "np.eye", [2, 3, 1, dtype, order]


def truths():
    """`copyto` takes any number as a truth value."""
    for where in (0, 1, 3.2, 1 + 1j, 0j, 2.5, 0.0, np.float64(0), np.int8(2), np.bool_(False), None, "a", "", True, False, [1, 0], [True, False],
                  [1.5, 0], (0, 1), [[True, False]], [[True], [False]], [None, 1], np.array(1), np.array([1, 0]), np.array([1.0, 0.0]),
                  np.array(True), np.array([True, False]), np.array([True, False, True]), [True, False, True]):
        yield "np.copyto", [np.zeros(2), [5, 6]], {"where": where}
        yield "np.copyto", [np.zeros((2, 2), np.int8), 5], {"where": where}


def no_number():
    """`x == None`, `x != ...`."""
    for array in (np.zeros(2), mask(2), np.zeros((0, 3)), np.array(1), np.zeros((2, 3), np.complex64), 1, 2.5, [1, 2]):
        for other in (None, Ellipsis):
            yield "np.equal", [array, other]
            yield "np.equal", [other, array]
            yield "np.not_equal", [array, other]
            yield "np.not_equal", [other, array]
    yield "np.equal", [None, None]
    yield "np.not_equal", [None, None]
    yield "np.equal", [None, Ellipsis]
    yield "np.less", [np.zeros(2), None]
    yield "np.add", [np.zeros(2), None]


def mask(*shape):
    return np.zeros(shape, bool)


def nothing():
    """`None` among numbers: NaN, false, or no number at all."""
    for code in "?bBilLefdFD":
        for value in (None, [None, 1], [[None], [2]]):
            yield "np.array", [value], {"dtype": code}
            yield "np.asarray", [value, code]
        array = np.zeros(3, code)
        yield "setitem", [array, None, 0]
        yield "setitem", [array, None]
        yield "setitem", [array, [None, 1, 2]]
        yield "np.full", [2, None, code]
        yield "np.full_like", [array, None]
        yield "np.put", [array, [0, 2], None]
        yield "np.insert", [array, 1, None]
        yield "np.fill_diagonal", [np.zeros((2, 2), code), None]
        yield "np.putmask", [array, [True, False, True], None]
    yield "np.ndim", [None]
    yield "np.size", [None]
    for element, others in ((None, [1]), ([None], [1, 2]), ([[None, None]], [1.0]), ([1, 2], [None]), (np.zeros(2), None)):
        yield "np.isin", [element, others]
        yield "np.isin", [element, others], {"invert": True}
    yield "np.copyto", [np.zeros(2), None]
    yield "np.add", [1, None]


def exponents():
    """Exponents beyond 64 bits, of matrices whose powers stay small."""
    shift = np.eye(4, dtype=int)[[1, 2, 3, 0]]
    for dtype in map(np.dtype, ("int64", "float64", "complex128", "int8")):
        for extra in range(5):
            yield "np.linalg.matrix_power", [shift.astype(dtype), 2**100 + 2**10 + 2**5 + extra]
    yield "np.linalg.matrix_power", [shift.astype(float), -(2**100) - 1]
    yield "np.linalg.matrix_power", [np.stack([shift, shift @ shift]), 2**64 + 3]
    yield "np.linalg.matrix_power", [np.array([[0.5, 0.0], [0.0, 1.0]]), 2**80]
    yield "np.linalg.matrix_power", [shift, 2.0]


def sublists():
    """`einsum` with lists of numbers that are arrays."""
    a, b = np.arange(9.0).reshape(3, 3), np.arange(3.0)
    for code in "bilBLpn":
        yield "np.einsum", [a, np.array([0, 0], code)]
        yield "np.einsum", [a, np.array([0, 1], code), b, np.array([1], code), np.array([0], code)]
    yield "np.einsum", [a, np.array([0, 1]), np.array([1, 0])]
    yield "np.einsum", [a, np.array([0, 0]), np.array([], int)]
    yield "np.einsum", [a, np.array([0, 52])]
    yield "np.einsum", [a, np.array([0, -1])]
    yield "np.einsum", [a, np.array([0.0, 1.0])]
    yield "np.einsum", [a, [np.int64(0), np.int8(1)], [1, 0]]


def steps():
    """`as_strided` in bytes; an axis of one element makes no step."""
    x = np.arange(6, dtype=np.int32)
    for shape, strides in (((3,), (8,)), ((2, 2), (4, 8)), ((1, 3), (5, 4)), ((0, 3), (1, 1)), ((1,), (3,)), ((), ()), ((3, 2), (0, 4))):
        yield "np.lib.stride_tricks.as_strided", [x, shape, strides]
    for flag in (True, False):
        yield "np.lib.stride_tricks.as_strided", [x, (2, 3), (12, 4)], {"subok": flag, "writeable": flag}
        yield "np.lib.stride_tricks.sliding_window_view", [x, 3], {"subok": flag, "writeable": flag}


def masks():
    """Masks of ufuncs and reductions as lists and as numbers."""
    x, out = np.array([1.0, 4.0, 9.0]), np.full(3, 7.0)
    for where in ([True, False, True], (False, True, True), [1, 0, 1], [[True, False, True]], [True, False], [0.5, 0.0, 2.0], True, False, 1, 0,
                  None, 2.5, np.int64(1), np.float64(0), np.array([1, 0, 1]), np.array(True)):
        yield "np.sqrt", [x], {"where": where, "out": out}
        yield "np.add", [x, 1], {"where": where, "out": out}
        yield "np.sum", [x], {"where": where}
        yield "np.max", [x], {"where": where, "initial": 0}
        # NumPy's mean counts with any number, of which only truth values are counts.
        if not (where is None or isinstance(where, float)):
            yield "np.mean", [x], {"where": where}
        yield "np.any", [x], {"where": where}
        yield "np.add.reduce", [x], {"where": where}
        yield "np.nansum", [x], {"where": where}


def subclasses():
    """Flags about classes of arrays, of which there is one."""
    x = np.arange(3.0)
    for flag in (True, False):
        yield "np.broadcast_to", [x, (2, 3), flag]
        yield "np.broadcast_arrays", [x, x], {"subok": flag}
        yield "np.array", [x], {"subok": flag}
        yield "np.copy", [x], {"subok": flag}
        yield "np.zeros_like", [x], {"subok": flag}
        yield "np.full_like", [x, 2], {"subok": flag}
        yield "np.add", [x, x], {"subok": flag}
        yield "astype", [x, np.dtype("float32")], {"subok": flag}


def ranges():
    """Limits of histograms that are arrays."""
    x = np.arange(6.0)
    for limits in (np.array([1, 4]), np.array([0.5, 4.5]), [np.array(1.0), 4], (np.float32(1), np.int8(4)), np.array([1.0]), np.array([1.0, 2, 3]),
                   [1, 2, 3], (4, 1), np.array([4, 1]), (0, NAN), np.array([True, False])):
        yield "np.histogram", [x, 3], {"range": limits}
        yield "np.histogram_bin_edges", [x, 3, limits]


def loops():
    """Loops of ufuncs by their signature."""
    x = np.array([1, 2, 3], np.int32)
    signatures = ["dd->d", "ii->i", "ii->d", "ff->f", "dd", "dd->", "->d", "ii->l", "ll->l", "hh->h", "di->d", "d->d", "??->?", "FF->F", "d", "float64", "",
                  ("d", "d", "d"), (None, None, "d"), ("d", None, None), ("d", "d", None), ("d", "f", None), (None, None, None), ("d",), ("i", "i"),
                  (None, None, np.dtype("float32")), np.dtype("float64"), None, "zz->z"]
    for signature in signatures:
        yield "np.add", [x, x], {"sig": signature}
        yield "np.multiply", [x, 2], {"signature": signature, "casting": "unsafe"}
        yield "np.less", [x, 2], {"signature": signature}
    for signature in ("d->d", "f->f", "e->e", "d->?", "f", "i->i", "D->D", (None, "f"), ("f", None)):
        yield "np.sqrt", [x], {"sig": signature}
        yield "np.negative", [x], {"sig": signature}
        yield "np.isnan", [x], {"sig": signature}
    yield "np.modf", [x], {"sig": "f->ff"}
    yield "np.divmod", [x, 2], {"sig": "dd->dd"}
    yield "np.divmod", [x, 2], {"sig": "dd->d"}
    yield "np.add", [x, x], {"sig": "dd->d", "dtype": np.dtype(float)}
    yield "np.add", [x, x], {"sig": "dd->d", "signature": "dd->d"}
    yield "np.add", [np.array([1.5]), 1], {"sig": "ii->i"}
    yield "np.subtract", [np.array([True]), np.array([True])], {"sig": "bb->b"}


def small_forms():
    """Forms of single functions."""
    x = np.arange(4.0)
    for flag in (True, None, 1, "x", ""):
        yield "np.reshape", [x, (2, 2)], {"copy": flag}
        yield "np.array", [x], {"copy": flag}
    for op, args in (("matmul", [np.eye(2), 0, np.eye(2)]), ("vecdot", [x, 0, x]), ("modf", [x, 0]), ("frexp", [x, 0]), ("divmod", [x, 0, 1])):
        yield f"np.{op}.at", args
    for key in ([slice(0, None)], [slice(None)], [slice(5, None)], [slice(5, None, 2)]):
        yield "np.mgrid", key
        yield "np.ogrid", key
    values = np.array([1.0, 0.0, 3.0, 2.0, 7.0])
    for tolerance in (np.complex128(0), np.complex128(1.5), np.float64(1), 0, 0j):
        yield "np.polynomial.polyutils.trimcoef", [values, tolerance]
        yield "np.polynomial.polyutils.trimcoef", [values * (1 + 1j), tolerance]
        yield P + "polytrim", [values, tolerance]


def ellipses():
    """`out=...`: an array in place of a number."""
    x = np.array([1.0, 2.0, 4.0])
    for op, args in (("add", [x, 1]), ("sqrt", [x]), ("add", [1, 2]), ("modf", [x]), ("divmod", [x, 3]), ("add.reduce", [x]), ("add.accumulate", [x]),
                     ("clip", [x, 0, 2]), ("matmul", [x, x]), ("vecdot", [x, x]), ("nanmax", [x]), ("sum", [x]), ("mean", [x]), ("argmax", [x]),
                     ("cumsum", [x]), ("take", [x, 0]), ("dot", [x, x]), ("round", [x]), ("concatenate", [[x]])):
        yield f"np.{op}", args, {"out": Ellipsis}
        if op not in ("modf", "divmod"):
            yield f"np.{op}", args, {"out": (Ellipsis,)}


def directives():
    """Texts in front of what `r_` and `c_` join."""
    x, table = np.arange(3), np.arange(6.0).reshape(2, 3)
    for text in ("0", "-1", "0,2", "1,2", "-1,2", "0,2,0", "1,2,0", "0,3,1", "1,3,-2", "0,2,-1", "0,1", " 0 , 2", "2", "x", "0,x", "0,2,x", "", "0,3,0,9"):
        for op in ("np.r_", "np.c_"):
            yield op, [text, x, x]
            yield op, [text, [1, 2], [3, 4.5]]
            yield op, [text, x, 7]
            yield op, [text, slice(0, 3), slice(3, 6)]
        yield "np.r_", [text, table, table]
    yield "np.r_", ["0,2", np.array([1, 2], np.uint8), 0]
    yield "np.r_", ["0,2", np.array([[1], [2]], np.int8), [300]]
    yield "np.r_", ["0,2"]
    yield "np.r_", ["0", 1, 2, "1"]


def polynomials(dtype):
    """Coefficients whose sums and products are exact."""
    base = np.array([3, -1, 0, 2, 5])
    if dtype.kind == "c":
        return (base + 1j * base[::-1]).astype(dtype), np.array([1 - 1j, 2, 1], dtype)
    if dtype.kind == "b":
        return base > 0, base[:3] > 0
    return np.abs(base).astype(dtype), np.array([1, 2, 1], dtype)


def arithmetic():
    """Sums, products and quotients, the lowest power first."""
    for dtype in NUMPY:
        p, q = polynomials(dtype)
        for op in ("polyadd", "polysub", "polymul", "polydiv"):
            yield P + op, [p, q]
            yield P + op, [q, p]
        yield P + "polymulx", [p]
        for exponent in (0, 1, 2, 3):
            yield P + "polypow", [q, exponent]
    x = np.array([0.0, 1.5, -2.0, 0.0, 0.0])
    for op in ("polyadd", "polysub", "polymul", "polydiv"):
        for left, right in ((x, x), (x, -x), ([1, 2], [3, 4, 5]), (2.0, [1, 2]), ([1, 2, 3], 4), (x, [0.0]), ([0.0], x), (x[:0], x), (np.eye(2), x),
                            (np.array([1, 2], np.int8), np.array([0.5, 4.0], np.float32)), ([1, 0, 0], [2, 0]), ([NAN, 1], [INF, 2]),
                            (View(x, ("slice", [slice(None, None, -1)])), x), (list(range(1, 9)), [1, 2, 4]), ([1, -1], [1, -1])):
            yield P + op, [left, right]
    for c in ([0], [0.0, 0.0], [1, 2, 0], 3.0, [NAN], [INF, 1], np.zeros(0), np.eye(2), [1j, 2]):
        yield P + "polymulx", [c]
    for exponent in (4, 7, 2.0, 2.5, -1, np.int8(3), True):
        yield P + "polypow", [[1.0, 2.0, 3.0], exponent]
        yield P + "polypow", [[1, 0, 0], exponent]
    yield P + "polypow", [[1, 2], 5, 4]
    yield P + "polypow", [[1, 2], 4], {"maxpower": 4}
    yield P + "polypow", [[1, 2], 4, None]
    yield P + "polypow", [[3], 3]
    for offset, slope in ((1, 2), (1.5, 0), (1, 0.0), (0, 0), (1j, 2), (np.float32(1), 2), (np.float32(1), np.float32(2)), (2, True)):
        yield P + "polyline", [offset, slope]
    for roots in ([], [1], [-1, 0, 1], [1.5, 2.5, -3.0, 4.0, 1.0], [1j, -1j], np.array([1, 2, 3], np.int8), np.array([1, 2], np.float32), (2, 2, 2, 2, 2, 2, 2),
                  np.array([1 + 1j, 2], np.complex64), np.array([0.5, 1], np.float16), np.eye(2), 3.0, [True], [NAN, 1], np.array(2.0)):
        yield P + "polyfromroots", [roots]
    for c in ([1, 2], [6, -5, 1], [0, 0, 1], [-1, 0, 0, 1.0], [2, 1, 0], [5], [0, 0], np.array([2, 3, 1], np.float32), [1j, 1], [2, -3, 1, 0], np.zeros(0), np.eye(2),
              [1, 0, 1], np.array([24, -50, 35, -10, 1.0])):
        yield P + "polyroots", [c]


def calculus():
    """Derivatives and integrals, the lowest power first."""
    for dtype in NUMPY:
        p, _ = polynomials(dtype)
        yield P + "polyder", [p]
        yield P + "polyint", [p]
        yield P + "polyder", [p, 2]
        yield P + "polyint", [p, 2]
        yield P + "polyder", [p, 0]
        yield P + "polyint", [p, 0]
    x, table = np.array([1.0, 2.5, -3.0, 0.5, 7.0]), np.arange(12.0).reshape(3, 4)
    for m in (0, 1, 2, 4, 5, 7, -1, 1.0, True, np.int8(2)):
        yield P + "polyder", [x, m]
        yield P + "polyint", [x, m]
    for scale in (2, -1, 0.5, 1j, np.float32(2), 0):
        yield P + "polyder", [x, 2, scale]
        yield P + "polyint", [x, 2], {"scl": scale}
        yield P + "polyder", [x.astype(np.float32)], {"scl": scale}
        yield P + "polyint", [x.astype(complex)], {"scl": scale}
    for axis in (0, 1, -1, 2, -3):
        yield P + "polyder", [table], {"axis": axis}
        yield P + "polyint", [table], {"axis": axis}
        yield P + "polyder", [table, 3], {"axis": axis}
        yield P + "polyint", [table, 2, [1, 2]], {"axis": axis}
    for m, k in ((1, 3), (1, [3]), (2, [1, 2]), (3, [6, 5, 3]), (3, [1]), (1, [1, 2]), (0, []), (2, (1.5, 2)), (1, 2.5), (2, np.array([1.0, 2.0]))):
        yield P + "polyint", [x, m, k]
        yield P + "polyint", [[0], m, k]
        yield P + "polyint", [[0.0, 0.0], m, k]
    for lower in (1, -2.5, 0, 2.0, [1], np.array([1.0]), np.array(1.0)):
        yield P + "polyint", [x], {"lbnd": lower}
        yield P + "polyint", [x, 2, [1]], {"lbnd": lower}
        yield P + "polyint", [[1, 2], 1], {"lbnd": lower, "scl": 2}
    yield P + "polyint", [x], {"scl": [2]}
    yield P + "polyder", [2.0]
    yield P + "polyint", [2.0]
    yield P + "polyder", [x[:0]]


def points():
    """Values and powers of several variables."""
    x, y, z = np.array([1.0, -2.0, 0.5]), np.array([0.0, 3.0, 1.5]), np.array([2.0, 1.0, -1.0])
    plane, cube = np.arange(6).reshape(2, 3), np.arange(24.0).reshape(2, 3, 4)
    grids = [x, np.array([[1, 2], [3, 4]])]
    yield P + "polyval2d", [x, y, plane]
    yield P + "polyval3d", [x, y, z, cube]
    yield P + "polygrid2d", [x, y, plane]
    yield P + "polygrid3d", [x, y[:2], z[:1], cube]
    yield P + "polyval2d", [2, 3, plane]
    yield P + "polygrid2d", [2, 3, plane]
    yield P + "polyval3d", [1.5, 2, 3, cube]
    yield P + "polygrid3d", [1, 2, 3, cube]
    yield P + "polyval2d", [grids[1], grids[1], plane]
    yield P + "polygrid2d", [grids[1], x, plane]
    yield P + "polyval2d", [x, y[:2], plane]
    yield P + "polyval3d", [x, y[:2], z, cube]
    yield P + "polyval2d", [[1, 2], [3, 4], plane]
    yield P + "polygrid2d", [[1, 2], [3, 4], plane]
    yield P + "polyval2d", [x, y, cube]
    yield P + "polygrid2d", [x, y, cube]
    for dtype in map(np.dtype, ("int8", "float32", "complex64", "complex128", "float16")):
        yield P + "polyval2d", [x.astype(dtype), z.astype(dtype), plane.astype(dtype)]
        yield P + "polygrid2d", [x.astype(dtype), z.astype(dtype), plane.astype(dtype)]
        yield P + "polyvander2d", [x.astype(dtype), z.astype(dtype), [1, 2]]
    for degrees in ([1, 2], (2, 0), [0, 0], np.array([1, 1]), [1], [1, 2, 3], [1.0, 2], [-1, 2], 2):
        yield P + "polyvander2d", [x, y, degrees]
    yield P + "polyvander2d", [grids[1], grids[1], [1, 2]]
    yield P + "polyvander2d", [1, 2, [1, 2]]
    yield P + "polyvander2d", [[1, 2], [0.5, 1], [1, 2]]
    yield P + "polyvander2d", [x, y[:2], [1, 2]]
    yield P + "polyvander3d", [x, y, z, [1, 2, 3]]
    yield P + "polyvander3d", [x, y, z, [0, 1, 0]]
    yield P + "polyvander3d", [x, y, z, [1, 2]]


def fits():
    """Fits: NumPy's old one by degrees that are floats, and those with the lowest power first."""
    places = np.arange(5.0)
    for degree in (3.0, 2.7, np.float64(1), True, -1.0, NAN):
        yield "np.polyfit", [places, places**2, degree]
    x = np.array([-1.0, -0.5, 0.0, 0.5, 1.0, 1.5])
    y, two = 1 + 2 * x - x**3 + 0.1 * np.cos(9 * x), np.stack([x**2, 1 - x], axis=1)
    for degree in (0, 1, 2, 3, 5, [1, 3], [0], [2, 0], np.array([0, 1, 2]), np.int8(2), -1, 1.5, [], [-1, 2], [[1]], [1.0]):
        yield P + "polyfit", [x, y, degree]
        yield P + "polyfit", [x, two, degree]
    yield P + "polyfit", [x, y, 2], {"w": [1, 2, 3, 3, 2, 1]}
    yield P + "polyfit", [x, two, [0, 2]], {"w": np.arange(1.0, 7.0)}
    yield P + "polyfit", [x, y, 2], {"full": True}
    yield P + "polyfit", [x, two, 1], {"full": True}
    yield P + "polyfit", [x, y, 2, 1e-3, True]
    yield P + "polyfit", [x, y * 1j, 2]
    yield P + "polyfit", [x.astype(np.float32), y.astype(np.float32), 2]
    yield P + "polyfit", [[1, 2, 3], [4, 5, 7], 1]
    yield P + "polyfit", [x, y[:3], 1]
    yield P + "polyfit", [x[:0], y[:0], 1]
    yield P + "polyfit", [two, y, 1]
    yield P + "polyfit", [x, y, 1], {"w": [1, 2]}
    yield P + "polyfit", [x, np.zeros((6, 1, 1)), 1]
