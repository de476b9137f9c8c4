"""What fails by its values, in each form that a device computes in a way of its own: rows, columns, long ones, running
values, segments, tables and positions, with the fault at the first element and at the last one.

A part that is wrong in one of a kernel's forms returns values where NumPy refuses.
"""

import numpy as np

# Few short rows, many rows, long ones.
SHAPES = ((3, 7), (200, 5), (2, 4200))


def numbers(shape, limit, dtype=np.int16):
    return (np.arange(np.prod(shape)) % limit).reshape(shape).astype(dtype)


def with_one(array, place, value):
    array = array.copy()
    array.reshape(-1)[place] = value
    return array


def cases(store):
    for shape in SHAPES:
        for where, place in (("first", 0), ("last", int(np.prod(shape)) - 1)):
            label = f"{shape[0]}x{shape[1]}/{where}"
            powers(store, shape, label, place)
            positions(store, shape, label, place)


def powers(store, shape, label, place):
    base = numbers(shape, 7)
    for dtype in ("int8", "int32", "int64"):
        exponents = with_one(numbers(shape, 3, dtype), place, -1)
        store.add(f"failing/np.power/{dtype}/{label}", "np.power", [base.astype(dtype), exponents])
    store.add(f"failing/np.power/across/{label}", "np.power", [base.T.copy(), with_one(numbers(shape, 3), place, -1).T])
    for axis in (0, 1):
        # The first of a row is a base: it may be negative.
        at = place if place else (1 if axis else shape[1])
        row = with_one(numbers(shape, 2), at, -2)
        for name in ("reduce", "accumulate"):
            store.add(f"failing/np.power.{name}/axis={axis}/{label}", f"np.power.{name}", [row], {"axis": axis})
        offsets = np.array([0, 0])
        last = with_one(numbers(shape, 2), at if place == 0 else place, -2)
        store.add(f"failing/np.power.reduceat/axis={axis}/{label}", "np.power.reduceat", [last, offsets], {"axis": axis})
    store.add(f"failing/np.power.outer/{label}", "np.power.outer", [numbers((3,), 3), with_one(numbers(shape, 3)[0], place % shape[1], -1)])
    store.add(f"failing/np.power.at/{label}", "np.power.at",
              [numbers(shape, 3), np.array([0, shape[0] - 1]), with_one(numbers((2, shape[1]), 3), place % (2 * shape[1]), -1)])


def positions(store, shape, label, place):
    table = np.arange(50) * 3
    for value, name in ((50, "beyond"), (-51, "before")):
        bad = with_one(numbers(shape, 50), place, value)
        store.add(f"failing/np.take/{name}/{label}", "np.take", [table, bad])
        store.add(f"failing/getitem/{name}/{label}", "getitem", [table, bad])
    for axis in (0, 1):
        bad = with_one(numbers(shape, shape[axis]), place, shape[axis])
        store.add(f"failing/np.take_along_axis/axis={axis}/{label}", "np.take_along_axis", [numbers(shape, 9), bad], {"axis": axis})
        few = with_one(numbers((shape[axis],), shape[axis], np.int64), -1 if place else 0, 1 << 40)
        store.add(f"failing/np.take/axis={axis}/{label}", "np.take", [numbers(shape, 9), few], {"axis": axis})
        store.add(f"failing/np.add.reduceat/axis={axis}/{label}", "np.add.reduceat", [numbers(shape, 9), few], {"axis": axis})
    rows = with_one(numbers((shape[0],), shape[0]), -1 if place else 0, shape[0])
    store.add(f"failing/setitem/{label}", "setitem", [numbers(shape, 9), 5, rows])
    store.add(f"failing/np.add.at/{label}", "np.add.at", [numbers(shape, 9), rows, 5])
    bad = with_one(numbers(shape, 2), place, 2)
    store.add(f"failing/np.choose/{label}", "np.choose", [bad, [numbers(shape, 5), numbers(shape, 6)]])
    bad = with_one(numbers(shape, 50), place, 50)
    store.add(f"failing/np.unravel_index/{label}", "np.unravel_index", [bad, (5, 10)])
    bad = with_one(numbers(shape, 5), place, 5)
    store.add(f"failing/np.ravel_multi_index/{label}", "np.ravel_multi_index", [(bad, numbers(shape, 10)), (5, 10)])
