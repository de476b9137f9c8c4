"""Elementwise operations into arrays that are there (`out=`), under masks (`where=`), in dtypes (`dtype=`)
and by rules (`casting=`) of choice.

Without `out=` NumPy leaves masked elements as they happen to be, so a mask always comes with an array.
"""

import copy

import numpy as np

from inputs import BOOL, COMPLEX, FLOATS, INTS, ordinary
from store import BF16, EXACT, View, function, plain

F16, F32, F64, I8, I16, I32, I64, U8, U64, C64, C128 = (np.dtype(n) for n in (
    "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint64", "complex64", "complex128"))
BACKWARD, ALL = slice(None, None, -1), slice(None)


def cases(store):
    add = lambda id, op, args, **kwargs: put(store, f"into/{id}", op, args, kwargs)
    x, y = ordinary(F32, 12, "x").reshape(3, 4), ordinary(F32, 12, "y").reshape(3, 4)
    mask = ordinary(BOOL, 12, "mask").reshape(3, 4)
    zeros = lambda dtype, shape=(3, 4): np.full(shape, 7, dtype)
    rows(add, mask)
    for label, out in {"float32": zeros(F32), "float64": zeros(F64), "float16": zeros(F16), "complex64": zeros(C64),
                       "int32": zeros(I32), "bool": zeros(BOOL)}.items():
        add(f"out/add/{label}", "np.add", [x, y], out=out)
        add(f"out/position/{label}", "np.sqrt", [np.abs(x), out])
        add(f"out/tuple/{label}", "np.multiply", [x, 2], out=(out,))
        add(f"out/where/{label}", "np.add", [x, y], out=out, where=mask)
        for rule in ("no", "equiv", "safe", "same_kind", "unsafe"):
            if rule == "unsafe" and label == "bool":
                continue
            add(f"casting/{rule}/{label}", "np.add", [x, y], out=out, casting=rule)
    ints = ordinary(I16, 12).reshape(3, 4)
    for target in (I8, I16, I64, U8, U64, F16, F32, F64, C64, BOOL):
        add(f"out/int16/{target.name}", "np.add", [ints, ints], out=zeros(target))
        add(f"out/less/{target.name}", "np.less", [ints, 2], out=zeros(target))
    shapes(add, x, y, mask)
    dtypes(add, x, ints)
    two_results(add, x, mask)
    refusals(add, x, y, mask)


def put(store, id, op, args, kwargs):
    """The operation runs on copies, because it changes what it is given."""
    clones = copy.deepcopy((args, kwargs))
    try:
        expected = function(op)(*map(plain, clones[0]), **{k: plain(v) for k, v in clones[1].items()})
    except Exception as error:
        expected = error
    if not isinstance(expected, (Exception, tuple)):
        expected = np.array(expected)
    store.add(id, op, args, kwargs, expected=expected, tolerance=EXACT)


def rows(add, mask):
    """Every kind of row once with each option: exact ones, so that no bound blurs what is written."""
    for name, dtype in {"negative": F32, "absolute": C64, "sign": I16, "square": F64, "floor": F32, "trunc": F64, "rint": F16, "fabs": F32,
                        "isnan": F32, "isfinite": F64, "signbit": F32, "logical_not": I8, "invert": U8, "conjugate": C128, "spacing": F32,
                        "bitwise_count": I32, "isposinf": F32, "reciprocal": F64, "positive": I64}.items():
        x = ordinary(dtype, 12, name).reshape(3, 4)
        if name == "absolute":
            x = ((3 + 4j) * np.arange(-6, 6).reshape(3, 4)).astype(dtype)
        result = getattr(np, name)(x)
        out = np.full((3, 4), 5, result.dtype)
        if name == "isposinf":
            add(f"rows/{name}/out", f"np.{name}", [x, out])
            continue
        add(f"rows/{name}/out", f"np.{name}", [x], out=out)
        add(f"rows/{name}/where", f"np.{name}", [x], out=out, where=mask)
    for name, dtype in {"add": I32, "subtract": F16, "multiply": F64, "divide": F32, "floor_divide": I16, "remainder": F32, "fmod": I8,
                        "power": I64, "maximum": F32, "minimum": C64, "equal": I8, "less": F64, "logical_and": BOOL, "bitwise_or": U8,
                        "left_shift": I32, "gcd": I16, "lcm": U64, "fmax": F32, "copysign": F64, "nextafter": F32, "ldexp": F64,
                        "heaviside": F32}.items():
        x, y = ordinary(dtype, 12, name).reshape(3, 4), ordinary(dtype, 12, name + "y").reshape(3, 4)
        if name in ("power", "left_shift"):
            y = np.abs(y) % 5
        if name == "ldexp":
            y = ordinary(I8, 12).reshape(3, 4)
        out = np.full((3, 4), 1, getattr(np, name)(x, y).dtype)
        add(f"rows/{name}/out", f"np.{name}", [x, y], out=out)
        add(f"rows/{name}/where", f"np.{name}", [x, y], out=out, where=mask)
    for dtype in [*INTS, *FLOATS, *COMPLEX, BOOL]:
        if dtype == BF16:
            continue
        x = ordinary(dtype, 12, "all").reshape(3, 4)
        add(f"dtypes/add/{dtype.name}", "np.add", [x, x], out=np.zeros((3, 4), dtype), where=mask)


def shapes(add, x, y, mask):
    out = np.full((2, 3, 4), -1, F32)
    add("shapes/grows", "np.add", [x, y], out=out)
    add("shapes/grows_row", "np.add", [x[0], 1.5], out=out)
    add("shapes/grows_scalar", "np.negative", [np.array(2.5, F32)], out=out)
    add("shapes/mask_row", "np.add", [x, y], out=out, where=mask[0])
    add("shapes/mask_column", "np.add", [x, y], out=out, where=mask[:, :1])
    add("shapes/mask_zero_d", "np.add", [x, y], out=out, where=np.array(False))
    add("shapes/mask_true", "np.add", [x, y], out=out, where=True)
    add("shapes/mask_false", "np.add", [x, y], out=out, where=False)
    add("shapes/mask_too_large", "np.add", [x, y], out=x * 0, where=np.ones((2, 3, 4), bool))
    add("shapes/too_small", "np.add", [x, y], out=np.zeros((4,), F32))
    add("shapes/extent_1", "np.add", [x, y], out=np.zeros((3, 1), F32))
    add("shapes/extra_axis", "np.add", [x[None], y[None]], out=np.zeros((3, 4), F32))
    add("shapes/other", "np.add", [x, y], out=np.zeros((4, 3), F32))
    add("shapes/empty", "np.add", [x[:0], y[:0]], out=np.zeros((0, 4), F32))
    add("shapes/empty_out", "np.add", [x, y], out=np.zeros((0,), F32))
    add("shapes/zero_d", "np.add", [np.array(1.5), 2], out=np.array(0.0))
    for label, view in {"transposed": View(np.full((4, 3), 3, F32), ("transpose", [1, 0])),
                        "negative": View(np.full((3, 8), 3, F32), ("slice", [BACKWARD, slice(None, None, 2)])),
                        "column": View(np.full((3, 4, 2), 3, F32), ("slice", [ALL, ALL, 1]))}.items():
        add(f"views/{label}", "np.add", [x, y], out=view)
        add(f"views/{label}/where", "np.multiply", [x, y], out=view, where=mask)
    add("views/inputs", "np.subtract", [View(x, ("slice", [BACKWARD])), View(y, ("slice", [ALL, BACKWARD]))], out=np.zeros((3, 4), F32),
        where=View(mask, ("slice", [BACKWARD, BACKWARD])))
    # The same array in and out: its own elements, and others.
    a = ordinary(F64, 8, "self")
    add("overlap/same", "np.add", [a, a], out=a)
    add("overlap/same/where", "np.add", [a, 1], out=a, where=a > 0)
    add("overlap/reversed", "np.add", [a, View(a, ("slice", [BACKWARD]))], out=a)
    # What is masked is not computed, and does not fail.
    base = np.array([2, 3, 4, 5])
    add("masked/power", "np.power", [base, np.array([2, -1, 3, -2])], out=np.zeros(4, I64), where=np.array([True, False, True, False]))
    add("masked/power_fails", "np.power", [base, np.array([2, -1, 3, -2])], out=np.zeros(4, I64), where=np.array([True, True, False, False]))
    add("order/C", "np.add", [View(x, ("transpose", [1, 0])), 1], order="C")
    add("order/F", "np.add", [x, 1], order="F")


def dtypes(add, x, ints):
    for dtype in (F16, F32, F64, C64, I32, I64, BOOL):
        add(f"dtype/add/{dtype.name}", "np.add", [x, 1.5], dtype=dtype)
        add(f"dtype/add/int16/{dtype.name}", "np.add", [ints, ints], dtype=dtype)
        add(f"dtype/negative/{dtype.name}", "np.negative", [ints], dtype=dtype)
        add(f"dtype/divide/{dtype.name}", "np.divide", [ints, np.int16(4)], dtype=dtype)
        add(f"dtype/less/{dtype.name}", "np.less", [ints, 1], dtype=dtype)
        add(f"dtype/isnan/{dtype.name}", "np.isnan", [x], dtype=dtype)
        add(f"dtype/floor/{dtype.name}", "np.floor", [ints], dtype=dtype)
    add("dtype/unsafe", "np.add", [x, 0.5], dtype=F64, casting="unsafe")
    add("dtype/unsafe_int", "np.add", [x, np.float32(2.5)], dtype=I32, casting="unsafe")
    add("dtype/out", "np.add", [ints, ints], dtype=F64, out=np.zeros((3, 4), F32))
    add("dtype/out_refused", "np.add", [ints, ints], dtype=F64, out=np.zeros((3, 4), I64))
    for rule in ("no", "equiv", "safe", "same_kind", "unsafe"):
        add(f"casting/inputs/{rule}", "np.add", [ints, ints.astype(I64)], casting=rule)
        add(f"casting/same/{rule}", "np.add", [ints, ints], casting=rule)
        add(f"casting/sqrt_input/{rule}", "np.divide", [ints, np.int16(2)], casting=rule)
        add(f"casting/narrow/{rule}", "np.add", [x.astype(F64), 1.5], dtype=F32, casting=rule)
    add("casting/unknown", "np.add", [x, x], casting="some_kind")


def two_results(add, x, mask):
    out = lambda dtype=F32, shape=(3, 4): np.full(shape, 9, dtype)
    add("two/modf", "np.modf", [x], out=(out(), out(F64)))
    add("two/modf/position", "np.modf", [x, out(), out()])
    add("two/modf/first", "np.modf", [x], out=(out(F64), None))
    add("two/modf/where", "np.modf", [x], out=(out(), out()), where=mask)
    add("two/frexp", "np.frexp", [x], out=(out(), out(I64)))
    add("two/frexp/refused", "np.frexp", [x], out=(out(), out(I16)))
    add("two/frexp/refused_float", "np.frexp", [x], out=(out(I32), out(I32)))
    add("two/divmod", "np.divmod", [x, 0.75], out=(out(), out()))
    add("two/divmod/where", "np.divmod", [x, x[0]], out=(out(), out()), where=mask)
    add("two/divmod/dtype", "np.divmod", [np.arange(6, dtype=I16), 4], dtype=F32)
    add("two/divmod/shape", "np.divmod", [x, 2], out=(out(), out(F32, (4,))))
    add("two/divmod/one", "np.divmod", [x, 2], out=out())
    add("two/divmod/three", "np.divmod", [x, 2], out=(out(), out(), out()))


def refusals(add, x, y, mask):
    add("refused/mask_of_ints", "np.add", [x, y], out=x * 0, where=mask.astype(I32))
    add("refused/out_text", "np.add", [x, y], out="x")
    add("refused/out_tuple", "np.add", [x, y], out=(x * 0, x * 0))
    add("refused/dtype", "np.bitwise_and", [x, y], out=x * 0)
    add("refused/broadcast", "np.add", [x, y[:2]], out=x * 0)
