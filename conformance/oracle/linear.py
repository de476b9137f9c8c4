"""matmul: every dtype, shapes, stacks, layouts, errors. Rounded results come from exact products."""

from fractions import Fraction

import numpy as np

import exact
from arithmetic import promote, widened
from inputs import ALL, BF16, ordinary
from store import EXACT, View, allclose

F32, F64 = np.dtype("float32"), np.dtype("float64")
SHAPES = [((3, 4), (4, 5)), ((4,), (4,)), ((4,), (4, 3)), ((3, 4), (4,)), ((2, 3, 4), (4, 5)),
          ((2, 3, 4), (2, 4, 5)), ((2, 1, 3, 4), (3, 4, 2)), ((2, 3, 4), (4,)), ((4,), (2, 4, 3)),
          ((1, 1), (1, 1)), ((1, 7), (7, 1)), ((7, 1), (1, 7)), ((0, 3), (3, 2)), ((2, 0), (0, 3)),
          ((2, 3), (3, 0)), ((0,), (0,)), ((0, 2, 3), (3, 2)), ((2, 0, 3), (3, 0))]
WRONG = [((3, 4), (3, 4)), ((), (3,)), ((3,), ()), ((4,), (3,)), ((2, 3, 4), (3, 4, 5)), ((2, 3), (2,)),
         ((0, 3), (2, 3))]


def cases(store):
    for dtype in ALL:
        few = [((3, 4), (4, 5)), ((2, 3, 4), (4, 2)), ((5,), (5,)), ((2, 0), (0, 3))]
        for left, right in SHAPES if dtype in (F32, F64) else few:
            matmul(store, f"matmul/{dtype.name}/{text(left)}x{text(right)}",
                   numbers(dtype, left, "left"), numbers(dtype, right, "right"))
    for left, right in [("int8", "int16"), ("int64", "uint64"), ("bool", "float32"), ("float16", "float32"),
                        ("float32", "complex64"), ("int32", "float32"), ("bfloat16", "float32"),
                        ("bool", "int8")]:
        left, right = (BF16 if n == "bfloat16" else np.dtype(n) for n in (left, right))
        matmul(store, f"matmul/{left.name}_{right.name}", numbers(left, (3, 4), "left"),
               numbers(right, (4, 2), "right"))
    layouts(store)
    for dtype in (F32, F64, np.dtype("complex64")):
        # Sizes that end inside a tile.
        for m, k, n in ((33, 17, 31), (5, 129, 7)):
            matmul(store, f"matmul/{dtype.name}/odd/{m}x{k}x{n}", numbers(dtype, (m, k), "left"),
                   numbers(dtype, (k, n), "right"))
    for left, right in WRONG:
        store.add(f"matmul/error/{text(left)}x{text(right)}", "np.matmul",
                  [numbers(F32, left, "left"), numbers(F32, right, "right")])
    wrap = np.array([[2**31 - 1, 2**30], [3, -(2**31)]], np.int32)
    store.add("matmul/int32/wraps", "np.matmul", [wrap, wrap])
    bad = np.array([[1.0, np.nan], [np.inf, 2.0]])
    store.add("matmul/float64/nan_and_inf", "np.matmul", [bad, np.eye(2)[:, :1]],
              expected=np.array([[np.nan], [np.inf]]))


def numbers(dtype, shape, name):
    return ordinary(dtype, int(np.prod(shape, dtype=int)), name).reshape(shape)


def text(shape):
    return "[" + ",".join(map(str, shape)) + "]"


def layouts(store):
    a, b = numbers(F32, (5, 6), "left"), numbers(F32, (6, 5), "right")
    stack = numbers(F64, (3, 4, 5), "stack")
    backward = slice(None, None, -1)
    for label, left, right in [
        ("transposed", View(a, ("transpose", [1, 0])), View(b, ("transpose", [1, 0]))),
        ("left_transposed", View(b, ("transpose", [1, 0])), View(b)),
        ("right_transposed", View(a), View(a, ("transpose", [1, 0]))),
        ("strided", View(a, ("slice", [slice(None, None, 2), slice(1, None, 2)])), View(b[:3])),
        ("negative", View(a, ("slice", [backward, backward])), View(b, ("slice", [slice(None), backward]))),
        ("offset", View(a, ("slice", [slice(1, 4), slice(2, 5)])), View(b, ("slice", [slice(3, 6)]))),
        ("stack_moved", View(stack, ("transpose", [2, 0, 1])), View(numbers(F64, (4, 2), "right"))),
        ("broadcast_stack", View(a, ("broadcast_to", [2, 5, 6])), View(b)),
        ("broadcast_rows", View(a[:1], ("broadcast_to", [4, 6])), View(b)),
        ("column_vector", View(a), View(b, ("slice", [slice(None), 2]))),
        ("with_itself", View(a[:, :5]), View(a[:, :5])),
    ]:
        matmul(store, f"matmul/views/{label}", left, right)


def matmul(store, id, left, right):
    a, b = (v.apply() if isinstance(v, View) else v for v in (left, right))
    out = promote(a.dtype, b.dtype)
    if out.kind in "biu":
        store.add(id, "np.matmul", [left, right])
        return
    a, b = widened(a), widened(b)
    re, im = products(a, b)
    name = exact.part_name(out)

    def rounded(values):
        values = np.asarray(values)
        flat = [exact.round_fraction(Fraction(v), name) for v in values.ravel()]
        return np.array(flat, np.float64).reshape(values.shape)

    expected = rounded(re)
    if out.kind == "c":
        expected = expected + 1j * rounded(im)
    scale = float(np.max(np.matmul(np.abs(a).astype(float), np.abs(b).astype(float)), initial=0))
    last = exact.eps(out) if out.itemsize == 2 else 0
    inner = 2.0**-23 if out.itemsize == 2 else exact.eps(out)
    store.add(id, "np.matmul", [left, right], expected=expected.astype(out),
              tolerance=allclose(last, 8 * inner * scale) if scale else EXACT,
              note="exact products and sums, rounded once")


def products(a, b):
    """Real and imaginary part of the exact product."""
    def times(x, y):
        if not x.size or not y.size:
            return np.matmul(x, y).astype(object)
        return np.matmul(exact.as_fractions(x), exact.as_fractions(y))

    zero = np.array(Fraction(0), object)
    re, im = times(a.real, b.real), zero
    if np.iscomplexobj(a) and np.iscomplexobj(b):
        re = re - times(a.imag, b.imag)
        im = times(a.real, b.imag) + times(a.imag, b.real)
    elif np.iscomplexobj(a):
        im = times(a.imag, b)
    elif np.iscomplexobj(b):
        im = times(a, b.imag)
    return re, im + zero * 1
