"""Refusals that belong to no other family: dtypes, axes and arguments that an operation does not take."""

import numpy as np

from inputs import ordinary

BOOL, F32, C64, I32 = (np.dtype(n) for n in ("bool", "float32", "complex64", "int32"))


def cases(store):
    x = {dtype: ordinary(dtype, 6).reshape(2, 3) for dtype in (BOOL, F32, C64, I32)}
    for op, dtype in (("negative", BOOL), ("positive", BOOL), ("sign", BOOL), ("invert", F32), ("invert", C64),
                      ("floor", C64), ("ceil", C64), ("trunc", C64), ("signbit", C64)):
        store.add(f"error/dtype/np.{op}/{dtype.name}", f"np.{op}", [x[dtype]])
    for op, left, right in (("subtract", BOOL, BOOL), ("bitwise_and", F32, F32), ("bitwise_or", I32, F32),
                            ("bitwise_xor", C64, I32), ("left_shift", F32, I32), ("right_shift", I32, F32),
                            ("left_shift", BOOL, F32), ("floor_divide", C64, F32), ("remainder", C64, C64),
                            ("fmod", F32, C64)):
        store.add(f"error/dtype/np.{op}/{left.name}_{right.name}", f"np.{op}", [x[left], x[right]])
    store.add("error/dtype/np.bitwise_and/int64_uint64", "np.bitwise_and",
              [np.ones(2, np.int64), np.ones(2, np.uint64)])
    store.add("error/dtype/np.bitwise_and/weak_float", "np.bitwise_and", [x[I32], 1.5])
    for op in ("add", "less", "logical_and", "minimum", "power"):
        for label, left, right in (("3_4", (3,), (4,)), ("2x3_2", (2, 3), (2,)), ("0_2", (0,), (2,)),
                                   ("2x1x3_2x2", (2, 1, 3), (2, 2))):
            store.add(f"error/broadcast/np.{op}/{label}", f"np.{op}",
                      [np.ones(left, np.float32), np.ones(right, np.float32)])
    for op in ("sum", "mean", "max", "argmax", "any", "cumsum"):
        store.add(f"error/axis/np.{op}/2", f"np.{op}", [x[F32]], {"axis": 2})
        store.add(f"error/axis/np.{op}/-3", f"np.{op}", [x[F32]], {"axis": -3})
    for op in ("max", "min", "argmax", "argmin"):
        store.add(f"error/empty/np.{op}", f"np.{op}", [np.zeros((0,), np.float32)])
    store.add("error/where/np.sum/shape", "np.sum", [x[F32]], {"where": np.ones(5, bool)})
    store.add("error/where/np.max/no_initial", "np.max", [x[F32]], {"where": np.ones(3, bool)})
    store.add("error/power/int", "np.power", [np.array([2, 3]), -1])
