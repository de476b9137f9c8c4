"""Cases of sparse arrays by SciPy: positions of extremes, comparisons, selections, joining, and assignment.

Operations and their arguments are written as in `sparse`.
"""

import numpy as np
import scipy.sparse as sp

from inputs import rng
from sparse import BOOL, C128, CONSTRUCTORS, F32, F64, I8, I32, I64, dense, entries, numbers, of, parts
from store import ANY_ZERO, EXACT, allclose

SHAPES = {"small": ((9, 7), 30), "tall": ((40, 5), 60), "full": ((4, 3), 60), "none": ((4, 3), 0)}


def cases(store):
    for form in CONSTRUCTORS:
        for label, (shape, count) in SHAPES.items():
            dtypes = (F64,) if label != "small" else (F32, F64, I8, I32, BOOL, C128) if form == "csr" else (F64, I32, BOOL)
            for dtype in dtypes:
                own = parts(form, *entries(f"{form} {label}", shape, count, dtype), shape)
                other = parts(form, *entries(f"{form} {label} other", shape, count, dtype), shape)
                of_array(store, f"sparse_more/{form}/{label}/{dtype.name}", form, own, other, shape, dtype)
    for shape, count in (((4, 3, 5), 25), ((7,), 5), ((2, 3, 2, 4), 30), ((3, 1, 4), 0)):
        for dtype in (F64, I32, C128):
            of_many_axes(store, shape, count, dtype)
    errors(store)


def of_many_axes(store, shape, count, dtype):
    """Arrays of other than two axes, whose elements are one row of coordinates."""
    case = f"sparse_more/nd/{'x'.join(map(str, shape))}/{dtype.name}"
    g = rng(case)
    size = int(np.prod(shape))
    places = np.sort(g.permutation(size)[:count]).astype(I32)
    own = [numbers(g, dtype, count), np.zeros(count, I32), places, (1, size), shape]
    a = sp.coo_array((own[0], np.unravel_index(places, shape)), shape=shape)
    bound = EXACT if dtype == I32 else allclose(0, 1e-13 * float(abs(own[0]).sum() ** 2 + 1))

    def add(name, more, expected, tolerance=EXACT):
        store.add(f"{case}/{name}", f"coo.{name.split('/')[0]}", [*own, *more], expected=expected, tolerance=tolerance)

    add("nd_toarray", [], a.toarray())
    add("nd_coords", [], [np.asarray(part, I32) for part in a.coords])
    for axes in (None, *((axis,) for axis in range(len(shape))), *[(0, 2), (-1, 1)][: 2 * (len(shape) > 2)]):
        expected = np.asarray(a.sum(axis=axes)).astype(I64 if dtype == I32 else dtype)
        add(f"nd_sum/{axes}", [axes], expected, bound)
    for axes in dict.fromkeys((None, tuple(range(len(shape))), (*range(1, len(shape)), 0))):
        add(f"nd_transpose/{axes}", [axes], np.transpose(a.toarray(), axes))
    add("nd_reshape", [(1, size, 1)], a.reshape((1, size, 1)).toarray())
    other = np.where(g.random(shape) < 0.4, numbers(g, dtype, size).reshape(shape), 0).astype(dtype)
    b = sp.coo_array(other)
    two = [(a + b).toarray(), (a - b).toarray(), a.multiply(b).toarray(), (a * 2).toarray(), (-a).toarray()]
    add("nd_arithmetic", [other], two, ANY_ZERO)
    if len(shape) > 1:
        for axes in ((0,), (0, 2), ()):
            expected = np.tensordot(a.toarray(), other, axes=(axes, axes))
            add(f"nd_tensordot/{axes}", [other, axes, axes], expected, bound)
            if axes:
                made = a.tensordot(b, axes=(axes, axes))
                assert np.allclose(made.toarray(), expected)
                add(f"nd_tensordot_sparse/{axes}", [other, axes, axes], made.toarray(), bound)


def of_array(store, case, form, own, other, shape, dtype):
    a, b = of(form, own, shape), of(form, other, shape)
    whole = a.toarray()
    g = rng(case)

    def add(name, more, expected, tolerance=ANY_ZERO):
        store.add(f"{case}/{name}", f"{form}.{name.split('/')[0]}", [*own, shape, *more], expected=expected, tolerance=tolerance)

    if dtype.kind in "fi":
        for axis in (None, 0, 1):
            for name in ("argmin", "argmax"):
                add(f"{name}/{axis}", [axis], np.asarray(getattr(whole, name)(axis=axis)).astype(np.int64), EXACT)
        for name, function in {"less_equal": np.less_equal, "greater_equal": np.greater_equal, "less": np.less, "greater": np.greater}.items():
            for number in (-1, 0, 2):
                add(f"{name}/{number}", [number], function(whole, dtype.type(number)), EXACT)
            add(f"{name}/sparse", [*other, shape], function(whole, b.toarray()), EXACT)
            row = numbers(g, dtype, shape[1])
            add(f"{name}/dense", [row], function(whole, row), EXACT)
    if dtype != BOOL:
        for name, function in {"equal": np.equal, "not_equal": np.not_equal}.items():
            add(f"{name}/0", [0], function(whole, 0), EXACT)
            add(f"{name}/sparse", [*other, shape], function(whole, b.toarray()), EXACT)
    for k in (0, 1, -2):
        add(f"tril/{k}", [k], dense(sp.tril(a, k)))
        add(f"triu/{k}", [k], dense(sp.triu(a, k)))
    if shape[0] < 10 and dtype in (F64, I32):
        # SciPy may sum the duplicates of one array first.
        expected = dense(sp.kron(a, b))
        add("kron", [*other, shape], expected, allclose(0, 1e-13 * float(abs(expected).max(initial=0))) if dtype == F64 else ANY_ZERO)
        square, also = a[: min(shape), : min(shape)], b[: min(shape), : min(shape)]
        if form == "csr":
            more = [also.data, also.indices.astype(I32), also.indptr.astype(I32), also.shape]
            expected = dense(sp.kronsum(square, also))
            store.add(f"{case}/kronsum", "csr.kronsum", [square.data, square.indices.astype(I32), square.indptr.astype(I32), square.shape, *more],
                      expected=expected, tolerance=allclose(0, 1e-13 * float(abs(expected).max(initial=0))) if dtype == F64 else ANY_ZERO)
    m, n = shape
    for new in ((n, m), (1, m * n), (m * n, 1)):
        add(f"reshape/{new[0]}", [*new], whole.reshape(new))
    for k in (0, 2, -1, m + 3):
        changed = whole.copy()
        count = max(min(m + min(k, 0), n - max(k, 0)), 0)
        values = numbers(g, dtype, count)
        if count:
            rows = np.arange(count) + max(-k, 0)
            changed[rows, rows + k] = values
        add(f"setdiag/{k}", [values, k], changed)
    if dtype == C128:
        add("imag", [], whole.imag)
    if dtype in (F32, F64) and form != "coo":
        spoiled = [part.copy() for part in own]
        spoiled[0][::3] = np.nan
        damaged = of(form, [part.copy() for part in spoiled], shape)
        for axis in (None, 0, 1):
            for name in ("nanmin", "nanmax"):
                expected = getattr(damaged, name)(axis=axis)
                expected = np.asarray(expected.toarray() if sp.issparse(expected) else expected).astype(dtype)
                store.add(f"{case}/{name}/{axis}", f"{form}.{name}", [*spoiled, shape, axis], expected=expected, tolerance=ANY_ZERO)
    add("hstack", [*other, shape], dense(sp.hstack([a, b])))
    add("vstack", [*other, shape], dense(sp.vstack([a, b])))
    add("block_diag", [*other, shape], dense(sp.block_diag([a, b]))) if dtype in (F64, I32) else None
    rows, columns = np.nonzero(whole)
    add("find", [], [rows.astype(I32), columns.astype(I32), whole[rows, columns]])
    i, j = g.integers(-shape[0], shape[0], 12), g.integers(-shape[1], shape[1], 12)
    add("at", [i, j], whole[i, j])
    # Lists choose rows, and columns of those.
    some_rows, some_columns = g.permutation(shape[0])[: shape[0] // 2], g.permutation(shape[1])[: shape[1] - 1]
    part = np.ix_(some_rows, some_columns)
    values = numbers(g, dtype, len(some_rows) * len(some_columns)).reshape(len(some_rows), -1)
    for label, value in {"number": 1, "row": values[0], "all": values}.items():
        changed = whole.copy()
        changed[part] = value
        add(f"set/{label}", [some_rows, some_columns, value], changed)


def errors(store):
    one = [np.array([1.0]), np.array([0], I32), np.array([0, 1], I32), (1, 2)]

    def wrong(case, op, *arguments, error=ValueError):
        store.add(f"sparse_more/errors/{case}", op, [*one, *arguments], expected=error("refused"))

    wrong("at beyond", "csr.at", np.array([0]), np.array([2]), error=IndexError)
    wrong("at lengths", "csr.at", np.array([0]), np.array([0, 1]))
    wrong("set shape", "csr.set", np.array([0]), np.array([0, 1]), np.ones((3, 3)))
    def wrong_nd(case, name, *more, error=ValueError):
        flat = [np.array([1.0, 2.0]), np.array([0, 0], I32), np.array([0, 5], I32), (1, 6), (1, 2, 3)]
        store.add(f"sparse_more/errors/{case}", f"coo.{name}", [*flat, *more], expected=error("refused"))

    wrong_nd("nd axis beyond", "nd_sum", (3,), error=np.exceptions.AxisError)
    wrong_nd("nd axis twice", "nd_sum", (0, -3))
    wrong_nd("nd axes of a transpose", "nd_transpose", (0, 1))
    wrong_nd("nd elements", "nd_reshape", (2, 2))
    wrong_nd("nd extents of a product", "nd_tensordot", np.ones((2, 2)), (2,), (0,))
    wrong_nd("nd nothing left", "nd_tensordot", np.ones((1, 2, 3)), (0, 1, 2), (0, 1, 2))
    wrong_nd("nd other shape", "nd_arithmetic", np.ones((1, 3, 2)))
    wrong("reshape", "csr.reshape", 3, 1)
    wrong("setdiag lengths", "csr.setdiag", np.ones(2), 0)
    wrong("kronsum not square", "csr.kronsum", *one)
    wrong("less shape", "csr.less", np.array([1.0]), np.array([0], I32), np.array([0, 1], I32), (1, 3))
