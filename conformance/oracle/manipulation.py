"""Shapes: reshape, transpose and its kin, squeeze, expand_dims, broadcast_to, ravel, flip, joining."""

import numpy as np

from arithmetic import promote
from inputs import ALL, BF16, ordinary
from store import View

F32 = np.dtype("float32")


def cases(store):
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    turned = View(x, ("transpose", [2, 0, 1]))
    backward = View(x, ("slice", [slice(None, None, -1), slice(None), slice(None, None, -2)]))
    stretched = View(x[:, :1, :1], ("broadcast_to", [2, 3, 4]))
    arrays = {"contiguous": x, "transposed": turned, "negative": backward, "broadcast": stretched}

    def each(op, label, *args, only=None, **kwargs):
        for layout, array in arrays.items():
            if only is None or layout in only:
                store.add(f"shape/{op}/{layout}/{label}", op, [array, *args], kwargs)

    for shape in ((24,), (4, 6), (2, 12), (1, 24, 1), (-1,), (6, -1), (2, -1, 4), (2, 3, 2, 2)):
        each("np.reshape", f"{list(shape)}", shape, only=("contiguous", "transposed", "broadcast"))
    for shape in ((12,), (3, 4), (2, 3, 1, 2), (-1, 3)):
        each("np.reshape", f"{list(shape)}", shape, only=("negative",))
    each("np.reshape", "int", 24, only=("contiguous",))
    each("np.reshape", "order=F", (4, 6), order="F", only=("contiguous", "transposed"))
    for label, shape in {"too_few": (5, 4), "two_unknown": (-1, -1), "not_divisible": (-1, 7),
                         "zero_unknown": (0, -1), "negative": (-2, 12), "overflow": (2**32, 2**32)}.items():
        each("np.reshape", f"error/{label}", shape, only=("contiguous",))
    small = {"zero_d_to_one": (np.array(5), (1, 1)), "one_to_zero_d": (np.array([[5]]), ()),
             "empty": (np.zeros((0, 3)), (3, 0)), "empty_unknown": (np.zeros((0, 3)), (-1, 3)),
             "empty_ambiguous": (np.zeros((0, 3)), (0, -1)), "empty_to_full": (np.zeros((0, 3)), (3,))}
    for label, (array, shape) in small.items():
        store.add(f"shape/np.reshape/small/{label}", "np.reshape", [array, shape])

    each("np.transpose", "default")
    for axes in ((1, 0, 2), (2, 1, 0), (-1, 0, 1), (0, 1, 2)):
        each("np.transpose", f"{list(axes)}", axes, only=("contiguous", "negative"))
    for axes in ((0, 1), (0, 0, 1), (0, 1, 3), (0, 1, 2, 3)):
        each("np.transpose", f"error/{list(axes)}", axes, only=("contiguous",))
    store.add("shape/np.transpose/vector", "np.transpose", [np.arange(3)])
    store.add("shape/np.transpose/zero_d", "np.transpose", [np.array(3)])
    for source, target in ((0, 2), (2, 0), (-1, 0), (1, 1), (0, 3), (-4, 0)):
        each("np.moveaxis", f"{source}_{target}", source, target, only=("contiguous", "transposed"))
    for source, target in (((0, 1), (2, 0)), ((0, 1, 2), (2, 1, 0)), ((0, 0), (1, 2)), ((0, 1), (1,))):
        each("np.moveaxis", f"{list(source)}_{list(target)}", source, target, only=("contiguous",))
    for first, second in ((0, 2), (-1, -2), (1, 1), (0, 3), (-4, 1)):
        each("np.swapaxes", f"{first}_{second}", first, second, only=("contiguous", "broadcast"))

    ones = np.arange(6, dtype=np.int16).reshape(1, 2, 1, 3, 1)
    for label, axis in {"all": None, "0": 0, "-1": -1, "two": (0, 2), "three": (0, 2, -1), "none": (),
                        "not_one": 1, "one_is_not": (0, 1), "beyond": 5, "twice": (0, 0), "same": (0, -5)}.items():
        store.add(f"shape/np.squeeze/{label}", "np.squeeze", [ones], {"axis": axis})
    store.add("shape/np.squeeze/to_zero_d", "np.squeeze", [np.ones((1, 1))])
    store.add("shape/np.squeeze/view", "np.squeeze", [View(x, ("slice", [slice(0, 1), slice(None), slice(3, 4)]))])
    for label, axis in {"0": 0, "3": 3, "-1": -1, "-4": -4, "two": (0, 2), "ends": (0, -1), "beyond": 4,
                        "below": -5, "twice": (1, 1), "same": (0, -5)}.items():
        each("np.expand_dims", label, axis, only=("contiguous", "transposed"))
    store.add("shape/np.expand_dims/zero_d", "np.expand_dims", [np.array(2), (0, 1)])

    row = np.arange(3, dtype=np.int8)
    for label, (array, shape) in {
        "rows": (row, (4, 3)), "columns": (row.reshape(3, 1), (3, 4)), "same": (row, (3,)),
        "zero_d": (np.array(2.5), (2, 2)), "zero_d_to_zero_d": (np.array(2.5), ()), "to_empty": (row, (0, 3)),
        "one_to_zero": (np.ones((1,)), (0,)), "leading": (row, (2, 1, 3)), "int": (np.ones(1), 3),
        "wrong": (row, (3, 4)), "fewer": (np.ones((2, 3)), (3,)), "shrink": (row, (1,)), "negative": (row, (-1, 3)),
        "empty_to_full": (np.zeros(0), (3,)), "huge": (row, (2**40, 2**40, 3)),
    }.items():
        store.add(f"shape/np.broadcast_to/{label}", "np.broadcast_to", [array, shape])
    store.add("shape/np.broadcast_to/view", "np.broadcast_to", [View(x, ("slice", [1, slice(None, None, -1), 2])), (2, 3)])

    each("np.ravel", "C")
    each("np.ravel", "F", order="F", only=("contiguous", "transposed"))
    store.add("shape/np.ravel/zero_d", "np.ravel", [np.array(3)])
    store.add("shape/np.ravel/empty", "np.ravel", [np.zeros((2, 0, 3))])
    each("np.flip", "all")
    for label, axis in {"0": 0, "-1": -1, "two": (0, 2), "none": (), "beyond": 3, "twice": (1, 1)}.items():
        each("np.flip", label, axis=axis, only=("contiguous", "negative"))
    store.add("shape/np.flip/zero_d", "np.flip", [np.array(3)])
    joining(store, x, arrays)


def join(store, id, op, arrays, **kwargs):
    """Joins, promoting first where bfloat16 takes part: NumPy has no word for that."""
    values = [a.apply() if isinstance(a, View) else a for a in arrays]
    expected = None
    if any(v.dtype == BF16 for v in values):
        out = promote(*(v.dtype for v in values))
        wide = [v.astype(np.float32) if v.dtype == BF16 else v for v in values]
        expected = getattr(np, op.removeprefix("np."))([v.astype(out) for v in wide], **kwargs)
    store.add(id, op, [tuple(arrays)], kwargs, expected=expected)


def joining(store, x, arrays):
    y = x[:, :2] + 100
    cat, stack = "np.concatenate", "np.stack"
    for axis in (0, 1, 2, -1, -3, None, 3, -4):
        join(store, f"join/{cat}/same/axis={axis}", cat, [x, x + 1], axis=axis)
    for axis in (1, -2, 0, None):
        join(store, f"join/{cat}/unequal/axis={axis}", cat, [x, y], axis=axis)
    join(store, f"join/{cat}/default", cat, [x, x])
    join(store, f"join/{cat}/one", cat, [x], axis=1)
    join(store, f"join/{cat}/three", cat, [x, y, x[:, 1:]], axis=1)
    join(store, f"join/{cat}/views", cat, [arrays["transposed"], arrays["transposed"]], axis=1)
    join(store, f"join/{cat}/mixed_views", cat, [x, arrays["broadcast"], View(x, ("slice", [slice(None, None, -1)]))], axis=2)
    join(store, f"join/{cat}/empty_part", cat, [x, x[:, :0], x], axis=1)
    join(store, f"join/{cat}/all_empty", cat, [x[:0], x[:0]], axis=0)
    join(store, f"join/{cat}/none_of_zero_d", cat, [np.array(1), np.array(2.5)], axis=None)
    join(store, f"join/{cat}/error/zero_d", cat, [np.array(1), np.array(2)])
    join(store, f"join/{cat}/error/ndim", cat, [x, x[0]])
    join(store, f"join/{cat}/error/shape", cat, [x, y], axis=2)
    join(store, f"join/{cat}/error/nothing", cat, [])
    store.add(f"join/{cat}/dtype", cat, [(x, y)], {"axis": 1, "dtype": np.dtype("float64")})
    store.add(f"join/{cat}/list", cat, [[x, x]])
    for axis in (0, 1, 3, -1, -4, 4, -5):
        join(store, f"join/{stack}/axis={axis}", stack, [x, x + 1], axis=axis)
    join(store, f"join/{stack}/default", stack, [x, x + 1, x + 2])
    join(store, f"join/{stack}/zero_d", stack, [np.array(1), np.array(2)])
    join(store, f"join/{stack}/empty", stack, [x[:, :0], x[:, :0]], axis=1)
    join(store, f"join/{stack}/views", stack, [arrays["transposed"], arrays["transposed"]], axis=2)
    join(store, f"join/{stack}/error/shape", stack, [x, y])
    join(store, f"join/{stack}/error/nothing", stack, [])
    for left in ALL:
        for right in (np.dtype("int8"), np.dtype("float16"), np.dtype("uint64"), BF16):
            a, b = ordinary(left, 3, "left"), ordinary(right, 2, "right")
            join(store, f"join/{cat}/{left.name}_{right.name}", cat, [a, b])
        join(store, f"join/{stack}/{left.name}", stack, [ordinary(left, 3), ordinary(left, 3, "other")], axis=1)
