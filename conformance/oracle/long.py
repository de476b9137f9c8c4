"""Arrays longer than a SIMD register, a lane, a chunk and a block, with lengths that divide into none.

Few cases, because each holds thousands of numbers. What is computed is elsewhere (`arithmetic`,
`reductions`).
"""

import numpy as np

import reductions
from arithmetic import add
from casts import convert
from inputs import BF16, BOOL, ordinary
from store import View, allclose

F16, F32, F64 = (np.dtype(n) for n in ("float16", "float32", "float64"))
LENGTH = 9001


def cases(store):
    x, y = ordinary(F32, LENGTH, "left"), ordinary(F32, LENGTH, "right")
    add(store, "long/np.add/float32", "np.add", x, y)
    add(store, "long/np.divide/float32/views", "np.divide", View(x, ("slice", [slice(None, None, -2)])),
        View(y, ("slice", [slice(1, None, 2)]), ("slice", [slice(None, 1)]), ("broadcast_to", [4501])))
    add(store, "long/np.less/float32", "np.less", x, y)
    add(store, "long/np.sqrt/float32", "np.sqrt", x)
    add(store, "long/np.exp/float32", "np.exp", x[:4099])
    add(store, "long/np.sin/float32", "np.sin", (x[:4099] * 1000).astype(np.float32))
    add(store, "long/np.multiply/float16", "np.multiply", x.astype(np.float16), y.astype(np.float16))
    add(store, "long/np.add/bfloat16", "np.add", x.astype(BF16), y.astype(BF16))
    add(store, "long/np.add/outer", "np.add", x[:67].reshape(67, 1), y[:71])
    integers = (x * 1000).astype(np.int32)
    add(store, "long/np.floor_divide/int32", "np.floor_divide", integers, (y * 5).astype(np.int32))
    for source, target in ((F32, F16), (F32, BF16), (F32, np.dtype("int8"))):
        store.add(f"long/astype/{source.name}_{target.name}", "astype", [x, target],
                  expected=convert(x, target))
    lines = {"row": x, "rows": x[:8990].reshape(2, 4495), "columns": x[:8990].reshape(4495, 2)}
    for name in reductions.ROUNDED + reductions.OTHERS:
        if name == "prod":
            continue  # Thousands of factors leave the range.
        for label, array in lines.items():
            kwargs = {} if label == "row" else {"axis": 1 if label == "rows" else 0}
            reductions.add(store, f"long/np.{name}/float32/{label}", name, array, **kwargs)
        for dtype in (F16, BF16):
            reductions.add(store, f"long/np.{name}/{dtype.name}", name, x.astype(dtype))
        reductions.add(store, f"long/np.{name}/int32", name, integers)
        reductions.add(store, f"long/np.{name}/float32/backward", name, View(x, ("slice", [slice(None, None, -1)])))
        reductions.add(store, f"long/np.{name}/float32/both_axes", name, lines["columns"])
        if name not in ("argmin", "argmax"):
            reductions.add(store, f"long/np.{name}/float32/where", name, x, where=mask(),
                           **({"initial": 1.5} if name in ("min", "max") else {}))
    reductions.scan(store, "long/np.cumsum/float32", x)
    reductions.scan(store, "long/np.cumsum/int32", integers)
    reductions.scan(store, "long/np.cumsum/float32/columns", lines["columns"], axis=0)
    across(store)
    orders(store)
    weights(store)
    store.add("long/np.argmax/float32/nan", "np.argmax", [np.where(np.arange(LENGTH) == 7777, np.nan, x)])
    late = np.zeros(LENGTH, bool)
    late[-1] = True
    store.add("long/np.any/bool/last", "np.any", [late])
    store.add("long/np.all/bool/last", "np.all", [~late])
    store.add("long/np.argmax/bool/last", "np.argmax", [late])


def weights(store):
    """Weights of more than one piece, of which one number's are zeros only: NumPy begins with +0.0."""
    count = 20_011
    numbers = (np.arange(count) * 37 // 5 % 23).astype(np.uint8)
    weights = np.where(numbers == 4, F32.type(-0.0), ordinary(F32, count, "weights"))
    for label, minlength in (("few", 0), ("many", 5000)):
        store.add(f"long/np.bincount/weights/{label}", "np.bincount", [numbers, weights, minlength], tolerance=allclose(1e-11, 1e-11))


def across(store):
    """Operands that lie across each other, longer both ways than what a device turns at once."""
    for dtype in (F32, np.dtype("uint8"), F64, np.dtype("complex64")):
        x, y = ordinary(dtype, 35 * 67, "across").reshape(35, 67), ordinary(dtype, 35 * 67, "turned").reshape(67, 35)
        add(store, f"long/np.add/across/{dtype.name}", "np.add", x, View(y, ("transpose", [1, 0])))
        store.add(f"long/np.copy/across/{dtype.name}", "np.copy", [View(y, ("transpose", [1, 0]))])
    cube = View(ordinary(F32, 3 * 17 * 33, "cube").reshape(17, 3, 33), ("transpose", [1, 2, 0]))
    add(store, "long/np.multiply/across/cube", "np.multiply", cube, ordinary(F32, 3 * 33 * 17, "row").reshape(3, 33, 17))


def orders(store):
    """Rows longer than what sorts near a processor, with zeros of both signs, NaNs and many equal elements."""
    count = 4500
    x = np.round(ordinary(F32, count, "order"), 2)
    x[::7] = -0.0
    x[3::11] = 0.0
    x[5::1000] = np.nan
    integers = np.nan_to_num(x * 10).astype(np.int16)
    z = (x + 1j * np.roll(x, 3)).astype(np.complex64)
    for label, array in {"float32": x, "int16": integers, "complex64": z}.items():
        store.add(f"long/np.sort/{label}", "np.sort", [array], {"kind": "stable"})
        store.add(f"long/np.argsort/{label}", "np.argsort", [array], {"kind": "stable"})
    # Two rows, from the far side of memory.
    rows = View(np.concatenate([x, x[::-1]]).reshape(2, count), ("slice", [slice(None), slice(None, None, -1)]))
    store.add("long/np.argsort/float32/rows", "np.argsort", [rows], {"kind": "stable", "axis": 1})


def mask():
    return ordinary(BOOL, LENGTH, "mask")
