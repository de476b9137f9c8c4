"""Reductions and running sums of many short rows and columns, beside CuPy in the same process.

    PYTHONPATH=python python3 benches/short_rows.py

Each line has milliseconds, gigabytes a second over what must be read and written, and how many times longer CuPy took. A line ends with
`slower` where it took less. The library must be in the package (`python/place`).
"""

import sys
import time

import cupy
import ndany
import numpy

FUNCTIONS = {
    "sum": lambda np, a, axis: np.sum(a, axis=axis),
    "max": lambda np, a, axis: np.max(a, axis=axis),
    "argmax": lambda np, a, axis: np.argmax(a, axis=axis),
    "var": lambda np, a, axis: np.var(a, axis=axis),
    "norm": lambda np, a, axis: np.linalg.norm(a, axis=axis),
    "cumsum": lambda np, a, axis: np.cumsum(a, axis=axis),
    "center": lambda np, a, axis: a - np.mean(a, axis=axis, keepdims=True),
    "softmax": lambda np, a, axis: softmax(np, a, axis),
}
SHAPES = [
    (1 << 22, 3), (1 << 22, 12), (1 << 21, 20), (1 << 20, 40), (1 << 19, 100), (1 << 17, 300), (1 << 16, 1000), (1 << 14, 1 << 12),
    (3, 1 << 22), (40, 1 << 20), (300, 1 << 17), (1000, 1 << 16), (1 << 12, 1 << 14),
]


def softmax(np, a, axis):
    powers = np.exp(a - np.max(a, axis=axis, keepdims=True))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def milliseconds(work, wait):
    """The least of some means of calls one after the other."""
    work()
    wait()
    began = time.perf_counter()
    work()
    wait()
    calls = max(2, min(20, int(0.01 / (time.perf_counter() - began))))
    times = []
    for _ in range(4):
        began = time.perf_counter()
        for _ in range(calls):
            work()
        wait()
        times.append((time.perf_counter() - began) / calls)
    return 1000 * min(times)


def main(names):
    values = numpy.random.default_rng(0)
    with ndany.cuda.Device("cuda:0") as device:
        for shape in SHAPES:
            plain = values.standard_normal(shape, dtype=numpy.float32)
            own, peer = ndany.asarray(plain), cupy.asarray(plain)
            axis = 0 if shape[0] < shape[1] else 1
            for name, function in FUNCTIONS.items():
                if names and name not in names:
                    continue
                found, expected = function(ndany, own, axis), function(cupy, peer, axis)
                assert numpy.allclose(found.get(), cupy.asnumpy(expected), rtol=1e-3, atol=1e-2), name
                first = milliseconds(lambda: ndany._core.eval_all([function(ndany, own, axis)]), device.synchronize)
                other = milliseconds(lambda: function(cupy, peer, axis), cupy.cuda.Device().synchronize)
                rate = (plain.nbytes + found.nbytes) / first / 1e6
                print(f"{name:8} {shape!s:16} axis {axis}: {first:.4f} ms, {rate:5.0f} GB/s; CuPy {other:.4f}, {other / first:.2f} times"
                      + (", slower" if other < first else ""), flush=True)
                del found, expected
                cupy.get_default_memory_pool().free_all_blocks()


if __name__ == "__main__":
    main(sys.argv[1:])
