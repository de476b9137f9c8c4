"""Cases of sparse arrays: SciPy's values, bit for bit where rows have at most 64 entries.

An operation is `FORMAT.NAME(parts…, shape, operands…)`, where the parts are `data, indices, indptr` or `data, row, col`, and a
second sparse operand comes as parts and shape, too. Results that are sparse are expected dense, or, of conversions, as their parts.
"""

import numpy as np
import scipy.sparse as sp

from inputs import rng
from store import ANY_ZERO, EXACT, allclose

F32, F64, C64, C128 = map(np.dtype, ("float32", "float64", "complex64", "complex128"))
I8, U8, I32, I64, BOOL = map(np.dtype, ("int8", "uint8", "int32", "int64", "bool"))
DTYPES = (F32, F64, C64, C128, I8, U8, I32, I64, BOOL)
CONSTRUCTORS = {"csr": sp.csr_array, "csc": sp.csc_array, "coo": sp.coo_array}


def numbers(g, dtype, count):
    if dtype == BOOL:
        return g.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        return g.integers(0 if dtype.kind == "u" else -20, 21, count).astype(dtype)
    values = g.standard_normal(count) * np.exp(g.uniform(-3, 3, count))
    if dtype.kind == "c":
        values = values + 1j * g.standard_normal(count)
    return values.astype(dtype)


def entries(name, shape, count, dtype, index=I32):
    """Random places with duplicates, in any order, with some explicit zeros."""
    g = rng(f"sparse {name} {shape} {dtype.name}")
    m, n = shape
    count = count if m and n else 0
    row = g.integers(0, max(m, 1), count).astype(index)
    # A third of the rows is left without entries.
    row = row - (row % 3 == 1).astype(index)
    column = g.integers(0, max(n, 1), count).astype(index)
    data = numbers(g, dtype, count)
    data[g.random(count) < 0.1] = 0
    return data, row, column


def parts(form, data, row, column, shape):
    """The parts of a format, entries in the order in which they come."""
    if form == "coo":
        return [data, row, column]
    major, minor, extent = (row, column, shape[0]) if form == "csr" else (column, row, shape[1])
    order = np.argsort(major, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(major, minlength=extent))]).astype(row.dtype)
    return [data[order], minor[order], indptr]


def of(form, own, shape):
    data, first, second = own
    source = (data, (first, second)) if form == "coo" else (data, first, second)
    return CONSTRUCTORS[form](source, shape=shape)


def dense(result):
    return np.asarray(result.toarray() if sp.issparse(result) else result)


def cases(store):
    products(store)
    sparse_products(store)
    elementwise(store)
    conversions(store)
    reductions(store)
    errors(store)


SHAPES = {"small": ((9, 7), 30), "wide": ((7, 200), 150), "tall": ((150, 5), 200), "one": ((1, 1), 1), "none": ((4, 3), 0), "flat": ((0, 5), 0), "thin": ((5, 0), 0)}


def products(store):
    for form in CONSTRUCTORS:
        for label, (shape, count) in SHAPES.items():
            for dtype in DTYPES:
                if label not in ("small", "wide") and dtype not in (F32, C128, I64):
                    continue
                index = I64 if label == "tall" else I32
                own = parts(form, *entries(f"{form} {label}", shape, count, dtype, index), shape)
                a = of(form, own, shape)
                # SciPy drops the axis of a product of one by one coordinates.
                g = rng(f"sparse operand {form} {label} {dtype.name}")
                x, y = numbers(g, dtype, shape[1]), numbers(g, dtype, shape[0])
                many = numbers(g, dtype, shape[1] * 3).reshape(shape[1], 3)
                case = f"sparse/{form}/{label}/{dtype.name}"
                store.add(f"{case}/matvec", f"{form}.matvec", [*own, shape, x], expected=np.asarray(a @ x).reshape(shape[0]), tolerance=EXACT)
                store.add(f"{case}/matmul_dense", f"{form}.matmul_dense", [*own, shape, many], expected=np.asarray(a @ many), tolerance=EXACT)
                store.add(f"{case}/rmatvec", f"{form}.rmatvec", [*own, shape, y], expected=np.asarray(y @ a).reshape(shape[1]), tolerance=EXACT)
        for left, right in ((F32, F64), (I8, F32), (F64, C64), (BOOL, I32), (U8, I8)):
            shape, count = SHAPES["small"]
            own = parts(form, *entries(f"{form} mixed", shape, count, left), shape)
            x = numbers(rng(f"sparse mixed {form} {right.name}"), right, shape[1])
            store.add(f"sparse/{form}/mixed/{left.name}-{right.name}/matvec", f"{form}.matvec", [*own, shape, x],
                      expected=np.asarray(of(form, own, shape) @ x), tolerance=EXACT)
        # Rows of more than 64 entries: the bound of a sum.
        for dtype, eps in ((F32, 2.0**-23), (F64, 2.0**-52), (C128, 2.0**-52)):
            shape = (6, 3000)
            own = parts(form, *entries(f"{form} long", shape, 4000, dtype), shape)
            a = of(form, own, shape)
            x = numbers(rng(f"sparse long {form} {dtype.name}"), dtype, shape[1])
            # `abs` sums duplicates in place.
            size = float(np.max(abs(a.copy()) @ abs(x)))
            store.add(f"sparse/{form}/long/{dtype.name}/matvec", f"{form}.matvec", [*own, shape, x], expected=np.asarray(a @ x),
                      tolerance=allclose(0, 200 * eps * size))
        for dtype in (I32, I64, BOOL):
            shape = (6, 3000)
            own = parts(form, *entries(f"{form} long", shape, 4000, dtype), shape)
            x = numbers(rng(f"sparse long {form} {dtype.name}"), dtype, shape[1])
            store.add(f"sparse/{form}/long/{dtype.name}/matvec", f"{form}.matvec", [*own, shape, x],
                      expected=np.asarray(of(form, own, shape) @ x), tolerance=EXACT)


def sparse_products(store):
    for form in CONSTRUCTORS:
        for dtype in DTYPES:
            for label, shapes, counts in (("small", ((9, 7), (7, 5)), (30, 20)), ("square", ((40, 40), (40, 40)), (160, 160)), ("none", ((4, 3), (3, 2)), (0, 4))):
                own = [parts(form, *entries(f"{form} {label} {i}", s, c, dtype), s) for i, (s, c) in enumerate(zip(shapes, counts))]
                a, b = (of(form, o, s) for o, s in zip(own, shapes))
                if form == "csc":
                    # SciPy multiplies the transposed arrays, in the order of the right one's entries: sorted ones have one order.
                    a, b = a.copy(), b.copy()
                    a.sum_duplicates(), b.sum_duplicates()
                    own = [[x.data, x.indices, x.indptr] for x in (a, b)]
                store.add(f"sparse/{form}/{label}/{dtype.name}/matmul_sparse", f"{form}.matmul_sparse", [*own[0], shapes[0], *own[1], shapes[1]],
                          expected=dense(a @ b), tolerance=ANY_ZERO)


def elementwise(store):
    names = {"add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
             "maximum": lambda a, b: a.maximum(b), "minimum": lambda a, b: a.minimum(b), "not_equal": lambda a, b: a != b,
             "less": lambda a, b: a < b, "greater": lambda a, b: a > b}
    for form in CONSTRUCTORS:
        for dtype in DTYPES:
            for label in ("small", "tall", "none"):
                shape, count = SHAPES[label]
                # SciPy sorts rows of more than 16 entries in an order of its own.
                if label != "small" and dtype != I32 and (dtype != F64 or form == "csc"):
                    continue
                own = [parts(form, *entries(f"{form} {label} {i}", shape, count, dtype), shape) for i in range(2)]
                for name, function in names.items():
                    ordered = name in ("maximum", "minimum", "less", "greater")
                    if (dtype.kind == "c" and ordered) or (dtype == BOOL and name in ("subtract", "maximum", "minimum", "less", "greater")):
                        continue
                    a, b = (of(form, o, shape) for o in own)
                    a, b = a.copy(), b.copy()
                    if form != "coo":
                        a.sum_duplicates(), b.sum_duplicates()
                    store.add(f"sparse/{form}/{label}/{dtype.name}/{name}", f"{form}.{name}", [*own[0], shape, *own[1], shape],
                              expected=dense(function(a, b)), tolerance=ANY_ZERO)
    shape = (2, 3)
    infinite = [np.array([np.inf, 1.0, np.nan]), np.array([0, 2, 1], I32), np.array([0, 2, 3], I32)]
    finite = [np.array([2.0, -1.0]), np.array([1, 1], I32), np.array([0, 1, 2], I32)]
    for name in ("add", "multiply", "maximum"):
        expected = dense(names[name](of("csr", infinite, shape), of("csr", finite, shape)))
        store.add(f"sparse/csr/infinite/{name}", f"csr.{name}", [*infinite, shape, *finite, shape], expected=expected, tolerance=ANY_ZERO)


def conversions(store):
    for form in CONSTRUCTORS:
        for dtype in (F32, F64, C128, I32, BOOL):
            for label, (shape, count) in SHAPES.items():
                if label != "small" and dtype != F64:
                    continue
                own = parts(form, *entries(f"{form} {label}", shape, count, dtype), shape)
                a = of(form, own, shape)
                case = f"sparse/{form}/{label}/{dtype.name}"

                def add(name, result, tolerance=EXACT):
                    if sp.issparse(result):
                        fields = ("data", "row", "col") if result.format == "coo" else ("data", "indices", "indptr")
                        result = [getattr(result, field) for field in fields]
                    store.add(f"{case}/{name}", f"{form}.{name}", [*own, shape], expected=result, tolerance=tolerance)

                add("toarray", a.toarray(), ANY_ZERO)
                for other in CONSTRUCTORS:
                    if other == form:
                        continue
                    # Duplicates of a row with more than 16 entries come in no certain order in SciPy.
                    b = a.copy()
                    b.sum_duplicates()
                    if form == "coo":
                        add(f"to{other}", getattr(a, f"to{other}")(), ANY_ZERO)
                    else:
                        add(f"to{other}", getattr(a, f"to{other}")())
                b = a.copy()
                b.sum_duplicates()
                if form != "coo":
                    add("sum_duplicates", b)
                b = a.copy()
                b.eliminate_zeros()
                add("eliminate_zeros", b)
                if form != "coo":
                    b = of(form, [part.copy() for part in own], shape)
                    major = np.repeat(np.arange(len(own[2]) - 1), np.diff(own[2]))
                    order = np.lexsort([own[1], major])
                    b.data, b.indices = own[0][order], own[1][order]
                    add("sort_indices", b)
                add("transpose", a.T.toarray(), ANY_ZERO)
                for k in (0, 2, -3):
                    diagonal = a.toarray().diagonal(k)
                    store.add(f"{case}/diagonal/{k}", f"{form}.diagonal", [*own, shape, k], expected=diagonal, tolerance=ANY_ZERO)


def reductions(store):
    for form in CONSTRUCTORS:
        for dtype in DTYPES:
            for label in ("small", "tall"):
                shape, count = SHAPES[label]
                if label != "small" and dtype not in (F64, I8):
                    continue
                own = parts(form, *entries(f"{form} {label}", shape, count, dtype), shape)
                a = of(form, own, shape)
                whole = a.toarray()
                case = f"sparse/{form}/{label}/{dtype.name}"
                eps = {F32: 2.0**-23, C64: 2.0**-23}.get(dtype, 2.0**-52)
                for axis in (None, 0, 1):
                    for name in ("sum", "mean", "min", "max"):
                        if name in ("min", "max") and dtype.kind == "c":
                            continue
                        # SciPy's sum of all elements takes duplicates of bool as one, those along an axis do not.
                        if dtype == BOOL and (name in ("min", "max") or axis is None):
                            continue
                        # SciPy's sums take duplicates of bool one by one.
                        source = whole if name in ("min", "max") else a.copy()
                        expected = np.asarray(getattr(source, name)(axis=axis))
                        if name in ("min", "max") or (name == "sum" and dtype.kind in "iub"):
                            tolerance = ANY_ZERO
                        else:
                            tolerance = allclose(0, 100 * eps * float(abs(whole.astype(C128)).sum(axis=axis).max()))
                        store.add(f"{case}/{name}/{axis}", f"{form}.{name}", [*own, shape, axis], expected=expected, tolerance=tolerance)


def errors(store):
    one, zero = np.array([1.0]), np.array([0], I32)

    def wrong(case, op, *arguments):
        store.add(f"sparse/errors/{case}", op, list(arguments), expected=ValueError("refused"))

    wrong("index beyond", "csr.toarray", one, np.array([2], I32), np.array([0, 1], I32), (1, 2))
    wrong("index below", "csr.toarray", one, np.array([-1], I32), np.array([0, 1], I32), (1, 2))
    wrong("indptr decreases", "csr.toarray", np.ones(2), np.array([0, 1], I32), np.array([0, 2, 1, 2], I32), (3, 2))
    wrong("indptr beyond", "csr.toarray", one, zero, np.array([0, 2], I32), (1, 2))
    wrong("indptr first", "csr.toarray", one, zero, np.array([1, 1], I32), (1, 2))
    wrong("indptr length", "csr.toarray", one, zero, np.array([0, 1], I32), (2, 2))
    wrong("lengths", "csr.toarray", np.ones(2), zero, np.array([0, 1], I32), (1, 2))
    wrong("row beyond", "coo.toarray", one, np.array([3], I32), zero, (1, 2))
    wrong("factors", "csr.matvec", one, zero, np.array([0, 1], I32), (1, 2), np.ones(3))
    wrong("shapes", "csr.add", one, zero, np.array([0, 1], I32), (1, 2), one, zero, np.array([0, 1], I32), (1, 3))
