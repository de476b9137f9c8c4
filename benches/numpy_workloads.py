"""The workloads of examples/workloads.rs in NumPy: a JSON line each, median milliseconds."""

import json
import statistics
import time

import numpy as np

SIZE = 1 << 24
rng = np.random.default_rng(0)
x = rng.standard_normal(SIZE, dtype=np.float32)
y = rng.standard_normal(SIZE, dtype=np.float32)
m = x.reshape(4096, 4096)
s, t = x[:1000].copy(), y[:1000].copy()
numbers = (np.abs(x) * 1e6).astype(np.int32)
index = rng.integers(0, SIZE, SIZE)
signal = (x[: 1 << 20] + 1j * y[: 1 << 20]).astype(np.complex64)


def softplus(a):
    return np.maximum(0, a) + np.log1p(np.exp(-np.abs(a)))


def poly(a, b):
    return (a * b + a) * (b - a) / (a * a + b * b + np.float32(1))


def softmax(a):
    e = np.exp(a - a.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def standardize(a):
    return (a - a.mean(1, keepdims=True)) / a.std(1, keepdims=True)


WORKLOADS = {
    "copy_f32_16M": lambda: x.copy(),
    "add_f32_16M": lambda: x + y,
    "softplus_f32_16M": lambda: softplus(x),
    "poly_f32_16M": lambda: poly(x, y),
    "exp_f32_16M": lambda: np.exp(x),
    "sin_f32_16M": lambda: np.sin(x),
    "softmax_rows_4096x4096": lambda: softmax(m),
    "standardize_axis1": lambda: standardize(m),
    "norm_f32_16M": lambda: np.sqrt((x * x).sum()),
    "sum_f32_16M": lambda: x.sum(),
    "sum_axis0_4096x4096": lambda: m.sum(0),
    "sum_axis1_4096x4096": lambda: m.sum(1),
    "argmax_axis1": lambda: m.argmax(1),
    "cumsum_f32_16M": lambda: np.cumsum(x),
    "sort_f32_16M": lambda: np.sort(x),
    "argsort_f32_16M": lambda: np.argsort(x),
    "unique_i32_16M": lambda: np.unique(numbers),
    "histogram_16M_256": lambda: np.histogram(x, 256, (-4, 4)),
    "mask_select_16M": lambda: x[x > 0],
    "take_f32_16M": lambda: x[index],
    "transpose_copy_4096": lambda: np.ascontiguousarray(m.T),
    "matmul_f32_1024": lambda a=m[:1024, :1024].copy(): a @ a,
    "matmul_f64_1024": lambda a=m[:1024, :1024].astype("f8"): a @ a,
    "matmul_f32_2048": lambda a=m[:2048, :2048].copy(): a @ a,
    "fft_c64_1M": lambda: np.fft.fft(signal),
    "fft2_c64_1024": lambda: np.fft.fft2(signal.reshape(1024, 1024)),
    "rfft_f32_4096rows": lambda: np.fft.rfft(m),
    "randn_f32_16M": lambda g=np.random.default_rng(1): g.standard_normal(SIZE, dtype=np.float32),
    "rand_f32_16M": lambda g=np.random.default_rng(1): g.random(SIZE, dtype=np.float32),
    "full_f32_16M": lambda: np.full(SIZE, 1.5, np.float32),
    "tiny_add_1000": lambda: s + t,
    "tiny_poly_1000": lambda: poly(s, t),
    "tiny_sum_1000": lambda: s.sum(),
}
SLOW = ("sort_", "argsort", "unique", "histogram")

for name, work in WORKLOADS.items():
    inner = 5000 if name.startswith("tiny") else 1
    work()
    times = []
    for _ in range(3 if name.startswith(SLOW) else 7):
        start = time.perf_counter()
        for _ in range(inner):
            work()
        times.append((time.perf_counter() - start) * 1e3 / inner)
    print(json.dumps({"w": name, "ms": round(statistics.median(times), 5)}), flush=True)
