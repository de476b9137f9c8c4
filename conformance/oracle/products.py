"""Products besides matmul: the dot family, outer and Kronecker products, chains of matrices, einsum.

Elements are small multiples of a quarter (of one, in 16 bits), so that every sum of every order is exact
and the cases need no tolerance; only the sign of a zero sum is free, since NumPy's own depends on its
library. Cases of ordinary numbers, with a bound, stand beside them.
"""

import numpy as np

from arithmetic import promote, widened
from inputs import ALL, BF16, ordinary, rng
from store import ANY_ZERO, View, allclose, function, plain

F16, F32, F64, C64, C128 = map(np.dtype, ("float16", "float32", "float64", "complex64", "complex128"))
I8, I32, I64, U8, BOOL = map(np.dtype, ("int8", "int32", "int64", "uint8", "bool"))
backward = slice(None, None, -1)


def small(dtype, shape, name):
    g = rng(f"products {dtype.name} {name}")
    count = int(np.prod(shape, dtype=int))
    if dtype == BOOL:
        return g.integers(0, 2, count).astype(bool).reshape(shape)
    if dtype.kind == "u":
        return g.integers(0, 12, count).astype(dtype).reshape(shape)
    if dtype.kind == "i":
        return g.integers(-11, 12, count).astype(dtype).reshape(shape)
    if dtype in (F16, BF16):
        return g.integers(-3, 4, count).astype(np.float64).astype(dtype).reshape(shape)
    values = g.integers(-12, 13, count) / 4
    if dtype.kind == "c":
        values = values + 1j * (g.integers(-12, 13, count) / 4)
    return values.astype(dtype).reshape(shape)


def arrays_of(argument):
    if isinstance(argument, (list, tuple)):
        return [array for item in argument for array in arrays_of(item)]
    return [argument] if isinstance(argument, (np.ndarray, np.generic)) else []


def add(store, id, op, args, kwargs=None):
    """A case whose every step is exact, as NumPy has it; bfloat16 by way of float32."""
    kwargs = kwargs or {}
    values = [plain(argument) for argument in args]
    dtypes = [array.dtype for array in arrays_of(values)]
    if BF16 not in dtypes:
        store.add(id, op, args, kwargs, tolerance=ANY_ZERO)
        return

    def wide(value):
        if isinstance(value, (list, tuple)):
            return type(value)(wide(item) for item in value)
        return widened(value) if isinstance(value, (np.ndarray, np.generic)) else value

    expected = np.asarray(function(op)(*map(wide, values), **kwargs))
    common = promote(*dtypes)
    store.add(id, op, args, kwargs, expected=expected.astype(common), tolerance=ANY_ZERO)


def cases(store):
    pairs(store)
    vectors(store)
    tensordots(store)
    outer_products(store)
    chains(store)
    keywords(store)
    einsums(store)
    bounded(store)
    specials(store)


def text(shape):
    return "[" + ",".join(map(str, shape)) + "]"


def pair(store, op, dtype, left, right, kwargs=None, label=""):
    add(store, f"products/{op}/{dtype.name}/{text(left)}x{text(right)}{label}", f"np.{op}",
        [small(dtype, left, "left"), small(dtype, right, "right")], kwargs)


def pairs(store):
    shapes = {
        "dot": [((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 3)), ((3, 4), (4, 2)), ((2, 3, 4), (4,)),
                ((3, 4), (2, 4, 3)), ((2, 3, 4), (2, 4, 3)), ((), (3,)), ((2, 3), ()), ((), ()), ((0,), (0,)),
                ((2, 0), (0, 3)), ((0, 3), (3,)), ((1,), (1,)), ((1, 1), (1, 1)), ((3, 4), (3, 4)),
                ((3,), (4,)), ((2, 3), (2,)), ((1,), (3,)), ((2, 1), (3, 4))],
        "inner": [((4,), (4,)), ((3, 4), (4,)), ((2, 4), (3, 4)), ((2, 3, 4), (2, 4)), ((), (3,)),
                  ((2, 3), ()), ((0,), (0,)), ((2, 0), (3, 0)), ((2, 3), (3, 2)), ((3,), (4,))],
        "vdot": [((4,), (4,)), ((2, 3), (2, 3)), ((2, 3), (3, 2)), ((2, 3), (6,)), ((), ()), ((), (1,)),
                 ((0,), (0, 3)), ((3,), (4,)), ((1,), (3,))],
        "outer": [((3,), (4,)), ((2, 3), (2,)), ((), (3,)), ((0,), (3,)), ((2, 2), (3, 1)), ((), ())],
        "kron": [((3,), (2,)), ((2, 3), (2,)), ((2, 2), (3, 2)), ((2, 1, 2), (2, 2)), ((), (3,)), ((2, 2), ()),
                 ((0,), (3,)), ((2, 0), (1, 3)), ((1, 1), (2, 2)), ((), ())],
        "vecdot": [((4,), (4,)), ((3, 4), (4,)), ((3, 1, 4), (2, 4)), ((2, 0), (2, 0)), ((0, 4), (4,)),
                   ((), (3,)), ((3,), ()), ((4,), (3,)), ((2, 1), (3,)), ((2, 3), (3, 3))],
        "matvec": [((3, 4), (4,)), ((2, 3, 4), (4,)), ((2, 3, 4), (2, 4)), ((2, 1, 3, 4), (5, 4)), ((2, 0), (0,)),
                   ((0, 3), (3,)), ((4,), (4,)), ((3, 4), ()), ((3, 4), (3,)), ((2, 3, 4), (3, 4))],
        "vecmat": [((3,), (3, 4)), ((2, 3), (3, 4)), ((2, 3), (2, 3, 4)), ((0,), (0, 2)), ((3,), (3,)),
                   ((), (3, 4)), ((4,), (3, 4))],
    }
    for op, list_ in shapes.items():
        for left, right in list_:
            pair(store, op, F64, left, right)
        for dtype in ALL:
            if dtype != F64:
                for left, right in list_[:3] if dtype in (C128, F32) else list_[1:2]:
                    pair(store, op, dtype, left, right)
        for x, y in [(I8, np.dtype("uint16")), (I64, np.dtype("uint64")), (BOOL, F32), (F16, F32), (F32, C64),
                     (I32, F32), (BF16, F32), (BOOL, I8), (C64, F64)]:
            left, right = list_[1]
            add(store, f"products/{op}/{x.name}_{y.name}", f"np.{op}", [small(x, left, "left"), small(y, right, "right")])
        a, b = small(C64, (4, 4), "a"), small(C64, (4, 4), "b")
        for label, x, y in [("transposed", View(a, ("transpose", [1, 0])), View(b)),
                            ("strided", View(a, ("slice", [slice(None), slice(None, None, 2)])),
                             View(b, ("slice", [slice(None, None, 2), slice(None, None, 2)]))),
                            ("negative", View(a, ("slice", [backward, backward])), View(b, ("slice", [slice(None), backward]))),
                            ("broadcast", View(a[:1], ("broadcast_to", [4, 4])), View(b)),
                            ("offset", View(a, ("slice", [slice(1, 3), slice(1, 3)])),
                             View(b, ("slice", [slice(2, 4), slice(0, 2)])))]:
            add(store, f"products/{op}/views/{label}", f"np.{op}", [x, y])
    add(store, "products/dot/pyfloat", "np.dot", [small(F32, (3,), "x"), 2.5])
    add(store, "products/inner/pyint", "np.inner", [small(I8, (3,), "x"), 2])
    wrap = np.array([100, 100, 3], np.int8)
    for op in ("dot", "vdot", "inner", "vecdot", "outer", "kron"):
        add(store, f"products/{op}/int8/wraps", f"np.{op}", [wrap, wrap])
    big = np.array([2**62, 5, -(2**63)], np.int64)
    add(store, "products/dot/int64/wraps", "np.dot", [big, big])


def vectors(store):
    a, b = small(F64, (2, 3), "a"), small(F64, (2, 3), "b")
    for label, x, y, kwargs in [
            ("last", a, b, {}), ("pairs", small(F64, (2, 2), "a"), small(F64, (2, 2), "b"), {}),
            ("mixed", small(F64, (2, 2), "a"), small(F64, (3,), "b"), {}),
            ("mixed_right", a, small(F64, (2,), "b"), {}), ("axis0", a.T, b.T, {"axis": 0}),
            ("axes", small(F64, (3, 4), "a"), small(F64, (4, 3), "b"), {"axisa": 0, "axisb": 1, "axisc": 0}),
            ("broadcast", small(F64, (4, 1, 3), "a"), b, {}), ("four", small(F64, (4,), "a"), b, {}),
            ("scalar", small(F64, (), "a"), b, {}), ("axis", a, b, {"axis": 2}), ("stacks", a, small(F64, (4, 3), "b"), {}),
            ("empty", small(F64, (0, 3), "a"), b[:1], {})]:
        add(store, f"products/cross/{label}", "np.cross", [x, y], kwargs)
    for dtype in ALL:
        pair(store, "cross", dtype, (2, 3), (2, 3))
    add(store, "products/linalg.cross/last", "np.linalg.cross", [a, b])
    add(store, "products/linalg.cross/two", "np.linalg.cross", [a[:, :2], b[:, :2]])
    add(store, "products/vecdot/axis0", "np.vecdot", [small(C128, (3, 2), "a"), small(C128, (3, 2), "b")], {"axis": 0})
    add(store, "products/vecdot/axis_out", "np.vecdot", [a, b], {"axis": 2})
    add(store, "products/vecdot/keepdims", "np.vecdot", [a, b], {"keepdims": True})
    add(store, "products/linalg.vecdot/axis", "np.linalg.vecdot", [a, b], {"axis": 0})


def tensordots(store):
    a, b = small(F64, (2, 3, 4), "a"), small(F64, (3, 4, 2), "b")
    for label, x, y, axes in [
            ("default", a, b, None), ("one", a, small(F64, (4, 2), "c"), 1), ("none", a[0], b[0], 0),
            ("all", a, a, 3), ("lists", a, b, ([1, 2], [0, 1])), ("crossed", a, b, ([2, 1], [1, 0])),
            ("negative", a, b, ([-1, 0], [1, -1])), ("ints", a, b, (1, 0)), ("empty_lists", a[0], b[0], ([], [])),
            ("mismatch", a, b, ([0], [0])), ("counts", a, b, ([0], [0, 1])), ("out", a, b, ([5], [0])),
            ("twice", a, a, ([0, 0], [0, 0])), ("too_many", a, b, 4), ("wrong", a, b, 1), ("negative_count", a[0], b[0], -1),
            ("empty", a[:0], b, ([1, 2], [0, 1])), ("of_nothing", a[:, :0], b[:0], ([1, 2], [0, 1])),
            ("numbers", small(F64, (), "x"), small(F64, (), "y"), 0), ("single", a, b, [1])]:
        add(store, f"products/tensordot/{label}", "np.tensordot", [x, y], {} if axes is None else {"axes": axes})
    for dtype in ALL:
        add(store, f"products/tensordot/{dtype.name}", "np.tensordot",
            [small(dtype, (2, 3, 2), "a"), small(dtype, (3, 2, 2), "b")])
    moved = View(small(F32, (4, 3, 2), "a"), ("transpose", [2, 0, 1]), ("slice", [slice(None), backward]))
    add(store, "products/tensordot/views", "np.tensordot", [moved, small(F32, (3, 4), "b")], {"axes": ([2, 1], [0, 1])})
    add(store, "products/linalg.tensordot", "np.linalg.tensordot", [a, b], {"axes": 2})


def outer_products(store):
    x, y = small(F64, (3,), "x"), small(F64, (2,), "y")
    add(store, "products/linalg.outer", "np.linalg.outer", [x, y])
    add(store, "products/linalg.outer/two_axes", "np.linalg.outer", [x[None], y])
    add(store, "products/linalg.matmul", "np.linalg.matmul", [x, x[:, None]])
    add(store, "products/kron/views", "np.kron", [View(small(I32, (3, 2), "a"), ("transpose", [1, 0])),
                                                  View(small(I32, (4,), "b"), ("slice", [backward]))])


def chains(store):
    for power in (0, 1, 2, 3, 7):
        for dtype in (F64, I32, BOOL, C128) if power in (0, 3) else (F64,):
            add(store, f"products/matrix_power/{dtype.name}/{power}", "np.linalg.matrix_power", [np.round(small(dtype, (2, 2), "m").astype(C128 if dtype.kind == "c" else F64)).astype(dtype), power])
    add(store, "products/matrix_power/stack", "np.linalg.matrix_power", [small(I64, (3, 2, 2), "m"), 5])
    add(store, "products/matrix_power/stack0", "np.linalg.matrix_power", [small(F32, (3, 2, 2), "m"), 0])
    add(store, "products/matrix_power/not_square", "np.linalg.matrix_power", [small(F64, (2, 3), "m"), 2])
    add(store, "products/matrix_power/vector", "np.linalg.matrix_power", [small(F64, (3,), "m"), 2])
    add(store, "products/matrix_power/float", "np.linalg.matrix_power", [small(F64, (2, 2), "m"), 1.5])
    add(store, "products/matrix_power/empty", "np.linalg.matrix_power", [small(F64, (0, 0), "m"), 3])

    def chain(label, shapes, dtype=F64):
        add(store, f"products/multi_dot/{label}", "np.linalg.multi_dot",
            [[np.sign(small(dtype, shape, f"m{place}")) if dtype.kind == "f" else small(dtype, shape, f"m{place}") for place, shape in enumerate(shapes)]])

    chain("two", [(2, 3), (3, 2)])
    chain("three", [(2, 3), (3, 4), (4, 2)])
    chain("four", [(2, 5), (5, 1), (1, 4), (4, 3)])
    chain("row", [(3,), (3, 4), (4, 2)])
    chain("column", [(2, 3), (3, 4), (4,)])
    chain("both", [(3,), (3, 4), (4,)])
    chain("int", [(2, 3), (3, 4), (4, 2)], I32)
    chain("empty", [(2, 0), (0, 4), (4, 3)])
    chain("one", [(2, 3)])
    chain("mismatch", [(2, 3), (2, 3), (2, 3)])
    chain("vector_inside", [(2, 3), (3,), (3, 2)])
    chain("three_axes", [(1, 2, 3), (3, 2), (2, 2)])
    chain("two_mismatch", [(2, 3), (2, 3)])


def keywords(store):
    a, b = small(F64, (2, 3), "a"), small(F64, (3, 2), "b")
    first, last = (0, 1), (-2, -1)
    for label, x, y, kwargs in [
            ("axes", a, b, {"axes": [first, first, first]}), ("axes_turned", a, b, {"axes": [(-1, -2), (-1, -2), last]}),
            ("axes_of_result", a, a, {"axes": [first, (1, 0), (1, 0)]}),
            ("axes_of_stack", small(F64, (3, 4, 2), "s"), small(F64, (4, 2, 3), "t"), {"axes": [(1, 2), (1, 0), (0, 2)]}),
            ("axes_of_vector", a, small(F64, (3,), "v"), {"axes": [first, (0,), (0,)]}),
            ("axes_short", a, b, {"axes": [first, first]}), ("axes_wrong", a, b, {"axes": [(0,), first, first]}),
            ("axes_out", a, b, {"axes": [(0, 2), first, first]}), ("axes_twice", a, b, {"axes": [(0, 0), first, first]}),
            ("dtype", a, b, {"dtype": F32}), ("dtype_wider", small(I32, (2, 3), "a"), small(I32, (3, 2), "b"), {"dtype": F64}),
            ("dtype_refused", a, b, {"dtype": I32}), ("dtype_complex", a, b, {"dtype": C64}),
            ("casting", a, b, {"dtype": F32, "casting": "safe"}), ("casting_unsafe", a, b, {"dtype": I32, "casting": "unsafe"})]:
        add(store, f"products/matmul/{label}", "np.matmul", [x, y], kwargs)
    add(store, "products/matvec/axes", "np.matvec", [a, small(F64, (2,), "v")], {"axes": [(1, 0), (0,), (0,)]})
    add(store, "products/vecmat/dtype", "np.vecmat", [small(F32, (2,), "v"), a.astype(F32)], {"dtype": F64})
    add(store, "products/vecdot/axes", "np.vecdot", [a, b], {"axes": [1, 0, 0]})
    add(store, "products/vecdot/dtype", "np.vecdot", [a.astype(F32), a.astype(F32)], {"dtype": F64})


def einsum(store, label, subscripts, *operands, **kwargs):
    add(store, f"einsum/{label}", "np.einsum", [subscripts, *operands], kwargs)


SUMS = [("ij->", [(2, 3)]), ("ij->i", [(2, 3)]), ("ij->j", [(2, 3)]), ("ij->ji", [(2, 3)]), ("ba", [(2, 3)]),
        ("ii", [(3, 3)]), ("ii->i", [(3, 3)]), ("iij->j", [(2, 2, 3)]), ("iji->j", [(2, 3, 2)]), ("iii->i", [(2, 2, 2)]),
        ("iijj->ij", [(2, 2, 3, 3)]), ("i,i", [(3,), (3,)]), ("i,i->i", [(3,), (3,)]), ("i,j", [(3,), (2,)]),
        ("i,j->ji", [(3,), (2,)]), ("ij,jk", [(2, 3), (3, 4)]), ("ij,jk->ki", [(2, 3), (3, 4)]),
        ("ba,cb->ac", [(3, 2), (4, 3)]), ("ij,kj->ik", [(2, 3), (4, 3)]), ("ij,j->i", [(2, 3), (3,)]),
        ("ij,i->j", [(2, 3), (2,)]), ("ij,ij->", [(2, 3), (2, 3)]), ("ij,ij->i", [(2, 3), (2, 3)]),
        ("ij,ji", [(2, 3), (3, 2)]), ("bij,bjk->bik", [(2, 2, 3), (2, 3, 2)]), ("bij,bjk->", [(2, 2, 3), (2, 3, 2)]),
        ("bij,bjk->ki", [(2, 2, 3), (2, 3, 2)]), ("bij,kj->bki", [(2, 2, 3), (2, 3)]),
        ("ijk,jil->kl", [(2, 3, 2), (3, 2, 2)]), ("ijk,ilm,njm,nlk->", [(2, 2, 2)] * 4), ("ij,jk,kl->il", [(2, 3), (3, 2), (2, 4)]),
        ("ij,jk,kl,lm", [(2, 3), (3, 2), (2, 2), (2, 3)]), ("i,i,i->i", [(3,)] * 3), ("i,i,i->", [(3,)] * 3), ("i,j,k->kij", [(2,), (3,), (2,)]),
        ("ij,j,i->", [(2, 3), (3,), (2,)]), ("ij,ik,il->jkl", [(2, 2), (2, 3), (2, 2)]), ("ij,kl->", [(2, 3), (2, 2)]),
        ("ij,kl->jl", [(2, 3), (2, 2)]), ("ii,jj->", [(2, 2), (3, 3)]), ("ii,ij->j", [(3, 3), (3, 2)]),
        ("...ij->...ji", [(2, 2, 3)]), ("...ii->...i", [(2, 3, 3)]), ("i...->...", [(2, 3)]), ("i...", [(2, 3)]), ("...", [(2, 3)]),
        ("...->...", [(2, 3)]), ("...,...", [(2, 1), (3,)]), ("...ij,...jk->...ik", [(2, 1, 2, 3), (2, 3, 2)]),
        ("i...j,j...->...i", [(2, 2, 3), (3, 2)]), ("i...,j...->...ij", [(2, 3), (4, 3)]), ("...a,a...->...", [(2, 3), (3, 2)]),
        ("A...a->a...A", [(2, 3, 2)]), ("aB,Bc", [(2, 3), (3, 2)]), (" i j , j k -> i k ", [(2, 3), (3, 2)]), ("", [()]), ("->", [()]), (",", [(), ()]),
        (",i->i", [(), (3,)]), ("ij,jk", [(2, 1), (3, 4)]), ("i,i", [(1,), (3,)]), ("ij,ij->ij", [(2, 1), (1, 3)]), ("ij,jk", [(2, 0), (0, 3)]),
        ("ij->j", [(0, 3)]), ("ij->i", [(0, 3)]), ("ij->", [(2, 0)]), ("ij->ij...", [(2, 3)]), ("ij->...", [(2, 3)]), ("ii->i", [(1, 1)]), ("ii", [(0, 0)])]
WRONG = [("ii->i", [(2, 3)]), ("ii", [(1, 3)]), ("...i->i", [(2, 3)]), ("ij->ii", [(2, 3)]), ("ij->k", [(2, 3)]), ("i", [(2, 3)]), ("ijk", [(2, 3)]),
         ("i,j", [(2,)]), ("i", [(2,), (2,)]), ("i-j", [(2, 3)]), ("i>j", [(2, 3)]), ("i1", [(2, 3)]), ("..i", [(2, 3)]), ("i.", [(2, 3)]),
         ("i......", [(2, 3)]), ("ij->ij->", [(2, 3)]), ("ij,jk", [(2, 3), (4, 2)]), ("i,->", [(2,), (2,)]), ("...,...", [(2, 3), (2,)]),
         ("ij->ijk", [(2, 3), (3,)]), ("i->ii", [(2,)])]


def einsums(store):
    for subscripts, shapes in SUMS + WRONG:
        operands = [small(F64, shape, f"o{place}") for place, shape in enumerate(shapes)]
        id = f"float64/{subscripts}{'x'.join(map(text, shapes))}"
        einsum(store, id, subscripts, *operands)
    for dtype in ALL:
        for subscripts, shapes in [("ij,jk->ik", [(2, 3), (3, 2)]), ("ij,ij->i", [(2, 3)] * 2), ("ij->j", [(3, 2)]), ("ii->i", [(3, 3)]),
                                   ("i,i,i->", [(3,)] * 3), ("i,j->ij", [(2,), (3,)])]:
            if dtype != F64:
                einsum(store, f"{dtype.name}/{subscripts}", subscripts,
                       *[small(dtype, shape, f"o{place}") for place, shape in enumerate(shapes)])
    for left, right in [(I8, np.dtype("uint16")), (BOOL, F32), (F16, F32), (F32, C64), (I32, F32), (BF16, F32), (BOOL, I8)]:
        einsum(store, f"{left.name}_{right.name}", "ij,jk", small(left, (2, 3), "l"), small(right, (3, 2), "r"))
    wrap = np.array([[100, 100], [3, 100]], np.int8)
    for subscripts in ("ij->", "ii", "ij,ij->", "ij,jk", "ij,jk,kl"):
        einsum(store, f"int8/wraps/{subscripts}", subscripts, *[wrap] * (subscripts.count(",") + 1))
    a, b, c = small(F64, (2, 3), "a"), small(F64, (3, 2), "b"), small(F64, (2, 4), "c")
    for optimize in (False, True, "greedy", "optimal", ["einsum_path", (0, 1), (0, 1)], ["einsum_path", (1, 2), (0, 1)],
                     ["einsum_path", (0, 1, 2)], ("greedy", 1000)):
        label = optimize if not isinstance(optimize, (list, tuple)) else "-".join(map(str, optimize))
        einsum(store, f"optimize/{label}", "ij,jk,kl->il", a, b, c, optimize=optimize)
        if optimize in (True, "optimal"):
            einsum(store, f"optimize/mismatch/{label}", "ij,jk,kl->il", a, c, b, optimize=optimize)
    x, y = small(F32, (3,), "x"), small(F32, (3,), "y")
    for label, operands, kwargs in [
            ("wider", (x, y), {"dtype": F64}), ("narrower", (x.astype(F64), y.astype(F64)), {"dtype": F32}),
            ("same_kind", (x.astype(F64), y.astype(F64)), {"dtype": F32, "casting": "same_kind"}),
            ("int_same_kind", (x, y), {"dtype": I32, "casting": "same_kind"}), ("unsafe", (x, y), {"dtype": I32, "casting": "unsafe"}),
            ("int8_as_int32", (np.array([100, 100, 3], np.int8),) * 2, {"dtype": I32}), ("no", (x, y), {"casting": "no"}),
            ("bool_as_int", (small(BOOL, (3,), "x"), small(BOOL, (3,), "y")), {"dtype": I64})]:
        einsum(store, f"dtype/{label}", "i,i->", *operands, **kwargs)
    m = small(F32, (4, 4), "m")
    for label, view in [("transposed", View(m, ("transpose", [1, 0]))), ("negative", View(m, ("slice", [backward, backward]))),
                        ("strided", View(m, ("slice", [slice(None, None, 2), slice(1, None, 2)]))),
                        ("broadcast", View(m[:1], ("broadcast_to", [4, 4]))), ("offset", View(m, ("slice", [slice(1, 3), slice(1, 3)])))]:
        for subscripts in ("ii->i", "ii", "ij->j", "ij,ij->i", "ij,jk->ik", "ij,kj->ki"):
            einsum(store, f"views/{label}/{subscripts}", subscripts, *[view] * (subscripts.count(",") + 1))
    s = small(F64, (2, 3, 2), "s")
    for label, args in [("matmul", [a, [0, 1], b, [1, 2], [0, 2]]), ("implicit", [a, [1, 0]]), ("implicit_pair", [a, [5, 3], b, [3, 7]]),
                        ("ellipsis", [s, [0, Ellipsis], [Ellipsis]]), ("diagonal", [s[:, 0], [0, 0]]), ("tuple", [a, (0, 1), (1,)]),
                        ("too_few", [a, [0]]), ("range", [a, [0, 60]]), ("output", [a, [0, 1], [2]]), ("three", [a, [0, 1], b, [1, 2], c, [2, 3], [3, 0]])]:
        add(store, f"einsum/lists/{label}", "np.einsum", args)
    many = [np.sign(small(F64, (2, 2), f"many{place}")) for place in range(10)]
    chain = ",".join(f"{x}{y}" for x, y in zip("abcdefghij", "bcdefghijk"))
    for optimize in (True, "greedy"):
        einsum(store, f"many/{optimize}", f"{chain}->ak", *many, optimize=optimize)
    einsum(store, "many/ring", chain.replace("k", "a") + "->", *many, optimize=True)


def bounded(store):
    """Ordinary numbers, within a bound of many roundings."""
    for dtype in (F16, F32, F64, C64, C128):
        eps = {2: 2.0**-10, 4: 2.0**-23, 8: 2.0**-52}[dtype.itemsize // (2 if dtype.kind == "c" else 1)]
        x, y = ordinary(dtype, 28, "x"), ordinary(dtype, 28, "y")
        wide = C128 if dtype.kind == "c" else F64
        m, n = x.reshape(4, 7), y.reshape(7, 4)
        for op, args in [("dot", (x, y)), ("vdot", (x, y)), ("inner", (m, y.reshape(4, 7))), ("dot", (m, n)),
                         ("einsum", ("ij,jk->ik", m, n)), ("einsum", ("ij,jk,kl->il", m, n, m)), ("einsum", ("ij,ji->i", m, n))]:
            value = function(f"np.{op}")(*[a.astype(wide) if isinstance(a, np.ndarray) else a for a in args])
            label = op + "".join(a.replace("->", "_") if isinstance(a, str) else str(a.ndim) for a in args)
            scale = 200.0 if op != "einsum" or "kl" not in args[0] else 4000.0
            family = "einsum" if op == "einsum" else "products"
            store.add(f"{family}/ordinary/{dtype.name}/{label}", f"np.{op}", list(args), expected=np.asarray(value).astype(dtype),
                      tolerance=allclose(8 * eps if dtype == F16 else 0, 8 * eps * scale if dtype != F16 else 16 * eps))


def specials(store):
    bad = np.array([np.nan, np.inf, 1.0, -np.inf])
    ones, zeros = np.ones(4), np.zeros(4)
    for label, x, y in [("nan", bad[:1], ones[:1]), ("inf", bad[1:3], ones[1:3]), ("inf_zero", bad[1:2], zeros[:1]),
                        ("both_inf", bad[1:], ones[1:])]:
        for op in ("dot", "vdot", "inner", "vecdot", "outer", "kron"):
            add(store, f"products/{op}/special/{label}", f"np.{op}", [x, y])
        einsum(store, f"special/{label}", "i,i->", x, y)
    matrix = np.array([[1.0, np.nan], [np.inf, 2.0]])
    einsum(store, "special/matrix", "ij,jk", matrix, np.eye(2)[:, :1])
    store.add("products/dot/overflow16", "np.dot", [np.full(4, 200, F16), np.full(4, 200, F16)], tolerance=ANY_ZERO)
    # The sum leaves float16 on the way and comes back: sums are kept in float32.
    store.add("products/dot/sum_in_float32", "np.dot", [np.array([240, 240, -240], F16), np.full(3, 240, F16)], tolerance=ANY_ZERO)
