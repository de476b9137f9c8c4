"""The workloads of examples/gpu_workloads.rs in a peer: python gpu_workloads.py cupy|torch|jax [WORDS]

With words (parts of names, with commas between them) only those are run.

Prints a JSON line each: a name and the median time in milliseconds, the device having come to the end of the work.
"""
import json
import os
import statistics
import sys
import time

import numpy as np

N = 1 << 26
RUNS = 9
# What to run: parts of names.
ONLY = sys.argv[2].split(",") if len(sys.argv) > 2 else [""]


def report(name, work, wait, inner=1):
    if not any(word in name for word in ONLY):
        return
    try:
        for _ in range(3):
            work()
        wait()
        times = []
        for _ in range(RUNS):
            start = time.perf_counter()
            for _ in range(inner):
                work()
            wait()
            times.append((time.perf_counter() - start) * 1e3 / inner)
        print(json.dumps({"w": name, "ms": round(statistics.median(times), 5)}), flush=True)
    except Exception as error:
        print(f"{name}: {error!r}", file=sys.stderr)


def inputs():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(N, dtype=np.float32)
    y = rng.standard_normal(N, dtype=np.float32)
    numbers = np.minimum((np.abs(x) * 250).astype(np.int64), 1023)
    return x, y, numbers, rng.permutation(N).astype(np.int64)


def chain(a, b):
    for _ in range(10):
        a = a * b + 0.5
    return a


def cupy():
    import cupy as cp

    wait = cp.cuda.Device().synchronize
    hx, hy, hn, ho = inputs()
    x, y, numbers, order = map(cp.asarray, (hx, hy, hn, ho))
    m = x.reshape(16384, 4096)
    short = x[:1000].copy(), y[:1000].copy()

    def softmax(a):
        e = cp.exp(a - a.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    def standardize(a, axis):
        return (a - a.mean(axis, keepdims=True)) / (a.std(axis, keepdims=True) + 1e-6)

    work = {
        "copy_f32_64M": lambda: x.copy(),
        "add_f32_64M": lambda: x + y,
        "softplus_f32_64M": lambda: cp.maximum(x, 0) + cp.log1p(cp.exp(-cp.abs(x))),
        "poly_f32_64M": lambda: (x * y + x) * (y - x) / (x * x + y * y + 1.0),
        "sin_f32_64M": lambda: cp.sin(x),
        "softmax_rows_16384x4096": lambda: softmax(m),
        "standardize_rows_16384x4096": lambda: standardize(m, 1),
        "standardize_cols_16384x4096": lambda: standardize(m, 0),
        "sum_f32_64M": lambda: x.sum(),
        "norm_f32_64M": lambda: cp.sqrt((x * x).sum()),
        "sum_axis0_16384x4096": lambda: m.sum(0),
        "sum_axis1_16384x4096": lambda: m.sum(1),
        "argmax_axis1_16384x4096": lambda: m.argmax(1),
        "cumsum_f32_64M": lambda: cp.cumsum(x),
        "sort_f32_64M": lambda: cp.sort(x),
        "argsort_f32_64M": lambda: cp.argsort(x),
        "transpose_copy_16384x4096": lambda: cp.ascontiguousarray(m.T),
        "take_random_64M": lambda: x[order],
        "mask_select_64M": lambda: x[x > 0],
        "rand_f32_64M": lambda: cp.random.default_rng(1).random(N, dtype="float32"),
        "randn_f32_64M": lambda: cp.random.default_rng(1).standard_normal(N, dtype="float32"),
        "histogram_f32_64M_256": lambda: cp.histogram(x, 256, (-4, 4))[0],
        "bincount_i64_64M_1024": lambda: cp.bincount(numbers, minlength=1024),
    }
    for name, one in work.items():
        report(name, one, wait)
    for size, dtype, name in ((4096, "float32", "f32_4096"), (8192, "float32", "f32_8192"), (4096, "float64", "f64_4096"), (4096, "complex64", "c64_4096")):
        a = x[: size * size].reshape(size, size).astype(dtype)
        report(f"matmul_{name}", lambda: a @ a, wait)
    a = x[: 4096 * 64 * 64].reshape(4096, 64, 64)
    report("matmul_batched_4096x64x64", lambda: a @ a, wait)
    z = (x[: N // 4] + 1j * y[: N // 4]).astype(cp.complex64)
    rows, few, odd = z.reshape(4096, 4096), z.reshape(65536, 256), z[: 16384 * 1000].reshape(16384, 1000)
    report("fft_c64_4096x4096_rows", lambda: cp.fft.fft(rows), wait)
    report("ifft_c64_4096x4096_rows", lambda: cp.fft.ifft(rows), wait)
    report("fft2_c64_4096x4096", lambda: cp.fft.fft2(rows), wait)
    report("fft_c64_16M", lambda: cp.fft.fft(z), wait)
    report("rfft_f32_16384x4096_rows", lambda: cp.fft.rfft(m), wait)
    report("fft_c64_65536x256_rows", lambda: cp.fft.fft(few), wait)
    report("fft_c64_16384x1000_rows", lambda: cp.fft.fft(odd), wait)
    size = 2048
    a = x[: size * size].reshape(size, size).astype("float64")
    definite, b = a @ a.T + size * cp.eye(size), y[: size * 16].reshape(size, 16).astype("float64")
    channels = z[: 10000 * 64].reshape(10000, 8, 8).copy()
    keys = (cp.abs(x) * 1e6).astype("int32")
    solve, inv, det, svd = cp.linalg.solve, cp.linalg.inv, cp.linalg.det, cp.linalg.svd
    report("solve_f64_2048", lambda: solve(a, b), wait)
    report("inv_f64_2048", lambda: inv(a), wait)
    report("det_f64_2048", lambda: det(a), wait)
    report("cholesky_f64_2048", lambda: cp.linalg.cholesky(definite), wait)
    report("qr_f64_2048", lambda: cp.linalg.qr(a)[0], wait)
    report("eigh_f64_2048", lambda: cp.linalg.eigh(definite)[0], wait)
    report("svd_f64_2048", lambda: svd(a, full_matrices=False)[1], wait)
    report("svdvals_f64_2048", lambda: svd(a, compute_uv=False), wait)
    report("svd_batched_c64_10000x8x8", lambda: svd(channels, full_matrices=False)[1], wait)
    report("inv_batched_c64_10000x8x8", lambda: inv(channels), wait)
    report("solve_batched_c64_10000x8x8", lambda: solve(channels, channels), wait)
    report("det_batched_c64_10000x8x8", lambda: det(channels), wait)
    report("unique_i32_64M", lambda: cp.unique(keys), wait)
    report("median_f32_64M", lambda: cp.median(x), wait)
    report("median_axis1_16384x4096", lambda: cp.median(m, 1), wait)
    report("percentile_f32_64M", lambda: cp.percentile(x, 90.0), wait)
    report("histogram2d_f32_16M_64x64", lambda: cp.histogram2d(x[: N // 4], y[: N // 4], 64)[0], wait)
    report("convolve_f32_16M_63", lambda: cp.convolve(x[: N // 4], y[:63], "same"), wait)
    report("convolve_f32_1M_1000", lambda: cp.convolve(x[: 1 << 20], y[:1000]), wait)
    report("tiny_add_1000", lambda: short[0] + short[1], wait, 500)
    report("tiny_chain20_1000", lambda: chain(*short), wait, 200)
    report("host_to_device_256MB", lambda: cp.asarray(hx), wait)
    report("device_to_host_256MB", lambda: x.get(), wait)
    report("tiny_allocate_4MB", lambda: cp.empty(1 << 20, "f4"), wait, 500)


def torch():
    import torch as t

    wait = t.cuda.synchronize
    t.backends.cuda.matmul.allow_tf32 = False
    hx, hy, hn, ho = inputs()
    x, y, numbers, order = (t.from_numpy(h).cuda() for h in (hx, hy, hn, ho))
    m = x.reshape(16384, 4096)
    short = x[:1000].clone(), y[:1000].clone()
    fused = t.compile
    softplus = fused(lambda a: t.clamp(a, min=0) + t.log1p(t.exp(-t.abs(a))))
    poly = fused(lambda a, b: (a * b + a) * (b - a) / (a * a + b * b + 1.0))
    norm = fused(lambda a: t.sqrt((a * a).sum()))
    standardize = fused(lambda a, axis: (a - a.mean(axis, keepdim=True)) / (a.std(axis, keepdim=True, correction=0) + 1e-6))
    small = fused(chain)
    work = {
        "copy_f32_64M": lambda: x.clone(),
        "add_f32_64M": lambda: x + y,
        "softplus_f32_64M": lambda: softplus(x),
        "poly_f32_64M": lambda: poly(x, y),
        "sin_f32_64M": lambda: t.sin(x),
        "softmax_rows_16384x4096": lambda: t.softmax(m, 1),
        "standardize_rows_16384x4096": lambda: standardize(m, 1),
        "standardize_cols_16384x4096": lambda: standardize(m, 0),
        "sum_f32_64M": lambda: x.sum(),
        "norm_f32_64M": lambda: norm(x),
        "sum_axis0_16384x4096": lambda: m.sum(0),
        "sum_axis1_16384x4096": lambda: m.sum(1),
        "argmax_axis1_16384x4096": lambda: m.argmax(1),
        "cumsum_f32_64M": lambda: t.cumsum(x, 0),
        "sort_f32_64M": lambda: t.sort(x),
        "argsort_f32_64M": lambda: t.argsort(x),
        "transpose_copy_16384x4096": lambda: m.T.contiguous(),
        "take_random_64M": lambda: x[order],
        "mask_select_64M": lambda: x[x > 0],
        "rand_f32_64M": lambda: t.rand(N, device="cuda"),
        "randn_f32_64M": lambda: t.randn(N, device="cuda"),
        "histogram_f32_64M_256": lambda: t.histc(x, 256, -4, 4),
        "bincount_i64_64M_1024": lambda: t.bincount(numbers, minlength=1024),
    }
    for name, one in work.items():
        report(name, one, wait)
    for size, dtype, name in ((4096, t.float32, "f32_4096"), (8192, t.float32, "f32_8192"), (4096, t.float64, "f64_4096"), (4096, t.complex64, "c64_4096")):
        a = x[: size * size].reshape(size, size).to(dtype)
        report(f"matmul_{name}", lambda: a @ a, wait)
    a = x[: 4096 * 64 * 64].reshape(4096, 64, 64)
    report("matmul_batched_4096x64x64", lambda: a @ a, wait)
    z = t.complex(x[: N // 4], y[: N // 4])
    rows, few, odd = z.reshape(4096, 4096), z.reshape(65536, 256), z[: 16384 * 1000].reshape(16384, 1000)
    report("fft_c64_4096x4096_rows", lambda: t.fft.fft(rows), wait)
    report("ifft_c64_4096x4096_rows", lambda: t.fft.ifft(rows), wait)
    report("fft2_c64_4096x4096", lambda: t.fft.fft2(rows), wait)
    report("fft_c64_16M", lambda: t.fft.fft(z), wait)
    report("rfft_f32_16384x4096_rows", lambda: t.fft.rfft(m), wait)
    report("fft_c64_65536x256_rows", lambda: t.fft.fft(few), wait)
    report("fft_c64_16384x1000_rows", lambda: t.fft.fft(odd), wait)
    report("tiny_add_1000", lambda: short[0] + short[1], wait, 500)
    report("tiny_chain20_1000", lambda: small(*short), wait, 200)
    report("host_to_device_256MB", lambda: t.from_numpy(hx).cuda(), wait)
    report("device_to_host_256MB", lambda: x.cpu(), wait)
    report("tiny_allocate_4MB", lambda: t.empty(1 << 20, device="cuda"), wait, 500)


def jax():
    # Memory as it is needed, as the others take it.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax as j
    import jax.numpy as jp

    j.config.update("jax_enable_x64", True)
    # Else products round their operands to TF32.
    j.config.update("jax_default_matmul_precision", "highest")
    hx, hy, hn, ho = inputs()
    x, y, numbers, order = map(jp.asarray, (hx, hy, hn, ho))
    m = x.reshape(16384, 4096)
    last = []

    def timed(function, *arguments):
        jitted = j.jit(function)

        def work():
            last[:] = [jitted(*arguments)]

        return work

    def wait():
        j.block_until_ready(last)

    key = j.random.key(1)
    work = {
        "copy_f32_64M": timed(lambda a: jp.copy(a), x),
        "add_f32_64M": timed(lambda a, b: a + b, x, y),
        "softplus_f32_64M": timed(lambda a: jp.maximum(a, 0) + jp.log1p(jp.exp(-jp.abs(a))), x),
        "poly_f32_64M": timed(lambda a, b: (a * b + a) * (b - a) / (a * a + b * b + 1.0), x, y),
        "sin_f32_64M": timed(jp.sin, x),
        "softmax_rows_16384x4096": timed(lambda a: j.nn.softmax(a, 1), m),
        "standardize_rows_16384x4096": timed(lambda a: (a - a.mean(1, keepdims=True)) / (a.std(1, keepdims=True) + 1e-6), m),
        "standardize_cols_16384x4096": timed(lambda a: (a - a.mean(0, keepdims=True)) / (a.std(0, keepdims=True) + 1e-6), m),
        "sum_f32_64M": timed(jp.sum, x),
        "norm_f32_64M": timed(lambda a: jp.sqrt((a * a).sum()), x),
        "sum_axis0_16384x4096": timed(lambda a: a.sum(0), m),
        "sum_axis1_16384x4096": timed(lambda a: a.sum(1), m),
        "argmax_axis1_16384x4096": timed(lambda a: a.argmax(1), m),
        "cumsum_f32_64M": timed(jp.cumsum, x),
        "sort_f32_64M": timed(jp.sort, x),
        "argsort_f32_64M": timed(jp.argsort, x),
        "transpose_copy_16384x4096": timed(lambda a: jp.array(a.T, copy=True), m),
        "take_random_64M": timed(lambda a, i: a[i], x, order),
        "rand_f32_64M": timed(lambda k: j.random.uniform(k, (N,), dtype=jp.float32), key),
        "randn_f32_64M": timed(lambda k: j.random.normal(k, (N,), dtype=jp.float32), key),
        "histogram_f32_64M_256": timed(lambda a: jp.histogram(a, 256, (-4.0, 4.0))[0], x),
        # No mask_select: shapes that depend on values cannot be compiled.
        "bincount_i64_64M_1024": timed(lambda n: jp.bincount(n, length=1024), numbers),
    }
    for name, one in work.items():
        report(name, one, wait)
    for size, dtype, name in ((4096, "float32", "f32_4096"), (8192, "float32", "f32_8192"), (4096, "float64", "f64_4096"), (4096, "complex64", "c64_4096")):
        a = x[: size * size].reshape(size, size).astype(dtype)
        report(f"matmul_{name}", timed(lambda b: b @ b, a), wait)
    a = x[: 4096 * 64 * 64].reshape(4096, 64, 64)
    report("matmul_batched_4096x64x64", timed(lambda b: b @ b, a), wait)
    short = x[:1000], y[:1000]
    report("tiny_add_1000", timed(lambda a, b: a + b, *short), wait, 500)
    report("tiny_chain20_1000", timed(chain, *short), wait, 200)
    copy = j.jit(jp.copy)

    def keep(make):
        def work():
            last[:] = [make()]

        return work

    report("host_to_device_256MB", keep(lambda: jp.asarray(hx)), wait)
    # An array keeps its values on the host once they have been asked for: a fresh one each time.
    report("device_to_host_256MB", lambda: np.asarray(copy(x)), wait)
    report("tiny_allocate_4MB", keep(lambda: jp.empty(1 << 20, jp.float32)), wait, 500)


if __name__ == "__main__":
    {"cupy": cupy, "torch": torch, "jax": jax}[sys.argv[1]]()
