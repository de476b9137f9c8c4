"""The workloads of examples/million.rs in NumPy: a JSON line each, median milliseconds.

Threads are those of OPENBLAS_NUM_THREADS in linear algebra, and one elsewhere. Arguments: parts of the names of the
workloads to time, instead of all.
"""

import json
import statistics
import sys
import time

import numpy as np

SIZE, PRIME, ROWS = 1_000_000, 1_000_003, (1000, 1000)
rng = np.random.default_rng(0)
x, y = rng.standard_normal(1 << 20), rng.standard_normal(1 << 20)
x32 = x.astype(np.float32)
z = x + 1j * y
z64 = z.astype(np.complex64)
flat, other = x[:SIZE].copy(), y[:SIZE]
flat32 = x32[:SIZE]
m = flat.reshape(ROWS)
positive = m @ m.T + 1000 * np.eye(1000)
batch = flat.reshape(15625, 8, 8) + 4 * np.eye(8)
batch_positive = batch @ batch.swapaxes(-1, -2)
numbers, small = rng.integers(0, SIZE, SIZE), rng.integers(0, 1000, SIZE)
half = rng.integers(0, SIZE, SIZE // 2)
ordered, knots = np.sort(flat), np.linspace(-4, 4, 1000)
mask = flat > 0
holes = np.where(flat > 1, np.nan, flat)
octets = rng.integers(0, 256, SIZE // 8).astype(np.uint8)
kernel, coefficients = x[:64].copy(), x[:9].copy()
points = flat[:999_999].reshape(333_333, 3)
zm, zm64 = z[:SIZE].reshape(ROWS), z64[:SIZE].reshape(ROWS)
tall = m[:, :100]


def draw():
    return np.random.Generator(np.random.Philox(1))


def add_at():
    sums = np.zeros(1000)
    np.add.at(sums, small, flat)


def put_random():
    array = flat.copy()
    array[numbers] = other


def mask_assign():
    array = flat.copy()
    array[mask] = 0


WORKLOADS = {
    "add_f64": lambda: flat + other,
    "divide_f64": lambda: flat / other,
    "floor_divide_i64": lambda: numbers // (small + 1),
    "sqrt_f64": lambda: np.sqrt(np.abs(flat)),
    "exp_f64": lambda: np.exp(flat),
    "log_f64": lambda: np.log(np.abs(flat)),
    "sin_f64": lambda: np.sin(flat),
    "tanh_f64": lambda: np.tanh(flat),
    "arctan2_f64": lambda: np.arctan2(flat, other),
    "power_f64": lambda: np.power(np.abs(flat), other),
    "hypot_f64": lambda: np.hypot(flat, other),
    "exp_f32": lambda: np.exp(flat32),
    "multiply_c128": lambda: z[:SIZE] * z[:SIZE],
    "absolute_c128": lambda: np.abs(z[:SIZE]),
    "sum_f64": lambda: flat.sum(),
    "sum_columns": lambda: m.sum(0),
    "max_f64": lambda: flat.max(),
    "argmax_f64": lambda: flat.argmax(),
    "add_f32": lambda: flat32 + flat32,
    "multiply_i64": lambda: numbers * small,
    "absolute_f64": lambda: np.abs(flat),
    "maximum_f64": lambda: np.maximum(flat, other),
    "greater_f64": lambda: flat > other,
    "isnan_f64": lambda: np.isnan(holes),
    "logical_and": lambda: np.logical_and(mask, mask),
    "bitwise_and_i64": lambda: numbers & small,
    "left_shift_i64": lambda: numbers << 3,
    "square_f64": lambda: np.square(flat),
    "reciprocal_f64": lambda: np.reciprocal(flat),
    "floor_f64": lambda: np.floor(flat),
    "sign_f64": lambda: np.sign(flat),
    "remainder_f64": lambda: np.remainder(flat, other),
    "fmod_f64": lambda: np.fmod(flat, other),
    "remainder_i64": lambda: numbers % (small + 1),
    "log1p_f64": lambda: np.log1p(np.abs(flat)),
    "expm1_f64": lambda: np.expm1(flat),
    "sinh_f64": lambda: np.sinh(flat),
    "arcsin_f64": lambda: np.arcsin(np.sin(flat)),
    "arctan_f64": lambda: np.arctan(flat),
    "cbrt_f64": lambda: np.cbrt(flat),
    "sin_f32": lambda: np.sin(flat32),
    "log_f32": lambda: np.log(np.abs(flat32)),
    "tanh_f32": lambda: np.tanh(flat32),
    "power_f32": lambda: np.power(np.abs(flat32), flat32),
    "divide_c128": lambda: z[:SIZE] / z[1 : SIZE + 1],
    "exp_c128": lambda: np.exp(z[:SIZE]),
    "sqrt_c128": lambda: np.sqrt(z[:SIZE]),
    "conj_c128": lambda: np.conj(z[:SIZE]),
    "angle_c128": lambda: np.angle(z[:SIZE]),
    "astype_f16": lambda: flat.astype(np.float16),
    "astype_u8": lambda: small.astype(np.uint8),
    "nan_to_num": lambda: np.nan_to_num(holes),
    "sum_f32": lambda: flat32.sum(),
    "sum_i64": lambda: numbers.sum(),
    "sum_c128": lambda: z[:SIZE].sum(),
    "sum_rows": lambda: m.sum(1),
    "mean_columns": lambda: m.mean(0),
    "min_i64": lambda: numbers.min(),
    "max_columns": lambda: m.max(0),
    "max_rows": lambda: m.max(1),
    "argmax_rows": lambda: m.argmax(1),
    "argmax_columns": lambda: m.argmax(0),
    "any_bool": lambda: np.isnan(holes).any(),
    "count_nonzero": lambda: np.count_nonzero(mask),
    "ptp_f64": lambda: np.ptp(flat),
    "average": lambda: np.average(flat, weights=np.abs(other)),
    "cumsum_f32": lambda: np.cumsum(flat32),
    "cumsum_i64": lambda: np.cumsum(numbers),
    "cumsum_rows": lambda: np.cumsum(m, 1),
    "maximum_accumulate": lambda: np.maximum.accumulate(flat),
    "sort_i32": lambda: np.sort(numbers.astype(np.int32)),
    "sort_u8": lambda: np.sort(octets),
    "sort_c128": lambda: np.sort(z[:SIZE]),
    "argsort_rows": lambda: np.argsort(m, 1, kind="stable"),
    "lexsort": lambda: np.lexsort((numbers, small)),
    "partition_f32": lambda: np.partition(flat32, SIZE // 2),
    "partition_i64": lambda: np.partition(numbers, SIZE // 4),
    "partition_rows": lambda: np.partition(m, 500, 1),
    "add_at": lambda: add_at(),
    "put_random": lambda: put_random(),
    "mask_assign": lambda: mask_assign(),
    "take_along_rows": lambda: np.take_along_axis(m, small.reshape(ROWS), 1),
    "take_columns": lambda: m[:, small[:1000]],
    "ix_grid": lambda: m[np.ix_(small[:1000], small[1000:2000])],
    "stack": lambda: np.stack([flat, other], 1),
    "pad": lambda: np.pad(m, 10),
    "tril": lambda: np.tril(m),
    "rot90": lambda: np.rot90(m).copy(),
    "swap_cube": lambda: np.ascontiguousarray(m.reshape(100, 100, 100).transpose(2, 0, 1)),
    "full": lambda: np.full(SIZE, 3.5),
    "arange": lambda: np.arange(SIZE),
    "linspace": lambda: np.linspace(0, 1, SIZE),
    "matvec": lambda: m @ m[0],
    "tensordot": lambda: np.tensordot(m, m, 1),
    "norm": lambda: np.linalg.norm(m),
    "trace": lambda: np.trace(m),
    "array_equal": lambda: np.array_equal(flat, other),
    "allclose": lambda: np.allclose(flat, other),
    "prod_f64": lambda: flat.prod(),
    "norm_rows": lambda: np.linalg.norm(m, axis=1),
    "astype_f32": lambda: flat.astype(np.float32),
    "astype_i64": lambda: flat.astype(np.int64),
    "histogram_range": lambda: np.histogram(flat, 256, (-4, 4)),
    "histogram": lambda: np.histogram(flat, 256),
    "histogram2d": lambda: np.histogram2d(flat, other, 100),
    "bincount": lambda: np.bincount(small),
    "bincount_weights": lambda: np.bincount(small, flat),
    "cov_10x1e5": lambda: np.cov(flat.reshape(10, -1)),
    "cov_1000x1000": lambda: np.cov(m),
    "corrcoef_100x1e4": lambda: np.corrcoef(flat.reshape(100, -1)),
    "mean_rows": lambda: m.mean(1),
    "std_f64": lambda: flat.std(),
    "var_columns": lambda: m.var(0),
    "nansum": lambda: np.nansum(holes),
    "nanmean": lambda: np.nanmean(holes),
    "nanmax": lambda: np.nanmax(holes),
    "nanstd": lambda: np.nanstd(holes),
    "nanmedian": lambda: np.nanmedian(holes),
    "nancumsum": lambda: np.nancumsum(holes),
    "sort_f64": lambda: np.sort(flat),
    "sort_f32": lambda: np.sort(flat32),
    "sort_i64": lambda: np.sort(numbers),
    "sort_rows": lambda: np.sort(m, 1),
    "sort_columns": lambda: np.sort(m, 0),
    # As ours, which keep the order of equal elements.
    "argsort_f64": lambda: np.argsort(flat, kind="stable"),
    "argsort_i64": lambda: np.argsort(numbers, kind="stable"),
    "partition_f64": lambda: np.partition(flat, SIZE // 2),
    "argpartition_f64": lambda: np.argpartition(flat, SIZE // 2),
    "median_f64": lambda: np.median(flat),
    "median_rows": lambda: np.median(m, 1),
    "percentile_f64": lambda: np.percentile(flat, [1, 25, 50, 75, 99]),
    "unique_i64": lambda: np.unique(numbers),
    "unique_small": lambda: np.unique(small),
    "unique_f64": lambda: np.unique(flat),
    "isin": lambda: np.isin(numbers, small[:1000]),
    "intersect1d": lambda: np.intersect1d(numbers, half),
    "union1d": lambda: np.union1d(numbers, half),
    "setdiff1d": lambda: np.setdiff1d(numbers, half),
    "searchsorted_random": lambda: np.searchsorted(ordered, other),
    "searchsorted_1000": lambda: np.searchsorted(knots, flat),
    "digitize_1000": lambda: np.digitize(flat, knots),
    "convolve_64": lambda: np.convolve(flat, kernel),
    "correlate_64": lambda: np.correlate(flat, kernel, "same"),
    "interp_1000": lambda: np.interp(flat, knots, knots),
    "cumsum_f64": lambda: np.cumsum(flat),
    "cumsum_columns": lambda: np.cumsum(m, 0),
    "cumprod_f64": lambda: np.cumprod(flat),
    "gradient": lambda: np.gradient(flat),
    "gradient_2d": lambda: np.gradient(m),
    "diff": lambda: np.diff(flat),
    "diff_2": lambda: np.diff(flat, 2),
    "trapezoid": lambda: np.trapezoid(flat),
    "unwrap": lambda: np.unwrap(flat),
    "cross": lambda: np.cross(points, points + 1),
    "polyval_8": lambda: np.polyval(coefficients, flat),
    "kron_100x10": lambda: np.kron(m[:100, :100], m[:10, :10]),
    "outer_1000": lambda: np.outer(m[0], m[1]),
    "packbits": lambda: np.packbits(mask),
    "unpackbits": lambda: np.unpackbits(octets),
    "einsum_ij,ij->i": lambda: np.einsum("ij,ij->i", m, m),
    # With the plan that ours makes by itself.
    "einsum_ij,kj->ik": lambda: np.einsum("ij,kj->ik", m, m, optimize=True),
    "einsum_bij,bjk->bik": lambda: np.einsum("bij,bjk->bik", batch, batch, optimize=True),
    "dot_vectors": lambda: flat.dot(other),
    "where": lambda: np.where(mask, flat, other),
    "mask_select": lambda: flat[mask],
    "nonzero": lambda: np.nonzero(mask),
    "take_random": lambda: flat[numbers],
    "take_rows": lambda: m[small[:1000]],
    "roll": lambda: np.roll(flat, 1000),
    "flip_copy": lambda: np.flip(flat).copy(),
    "transpose_copy": lambda: np.ascontiguousarray(m.T),
    "repeat_4": lambda: np.repeat(flat[: SIZE // 4], 4),
    "tile_4": lambda: np.tile(flat[: SIZE // 4], 4),
    "concatenate": lambda: np.concatenate([flat, other]),
    "clip": lambda: np.clip(flat, -1, 1),
    "round_2": lambda: np.round(flat, 2),
    "random": lambda: draw().random(SIZE),
    "standard_normal": lambda: draw().standard_normal(SIZE),
    "normal": lambda: draw().normal(1, 2, SIZE),
    "exponential": lambda: draw().exponential(2, SIZE),
    "gamma": lambda: draw().gamma(2.5, 1, SIZE),
    "beta": lambda: draw().beta(2, 3, SIZE),
    "poisson_4": lambda: draw().poisson(4, SIZE),
    "poisson_100": lambda: draw().poisson(100, SIZE),
    "binomial": lambda: draw().binomial(20, 0.3, SIZE),
    "integers": lambda: draw().integers(0, 1000, SIZE),
    "uniform": lambda: draw().uniform(-1, 1, SIZE),
    "permutation": lambda: draw().permutation(SIZE),
    "shuffled": lambda: draw().permutation(flat),
    "choice": lambda: draw().choice(flat, SIZE),
    "choice_distinct": lambda: draw().choice(SIZE, 1000, replace=False),
    "fft_c128_2^20": lambda: np.fft.fft(z),
    "fft_c64_2^20": lambda: np.fft.fft(z64),
    "fft_c128_1e6": lambda: np.fft.fft(z[:SIZE]),
    "fft_c64_1e6": lambda: np.fft.fft(z64[:SIZE]),
    "fft_c128_prime": lambda: np.fft.fft(z[:PRIME]),
    "fft_c64_prime": lambda: np.fft.fft(z64[:PRIME]),
    "ifft_c128_2^20": lambda: np.fft.ifft(z),
    "fft_c128_rows": lambda: np.fft.fft(zm),
    "fft_c64_rows": lambda: np.fft.fft(zm64),
    "fft_c128_columns": lambda: np.fft.fft(zm, axis=0),
    "rfft_f64_2^20": lambda: np.fft.rfft(x),
    "rfft_f32_2^20": lambda: np.fft.rfft(x32),
    "rfft_f64_rows": lambda: np.fft.rfft(m),
    "irfft_c128_2^19": lambda: np.fft.irfft(z[: (1 << 19) + 1]),
    "fft2_c128_1000": lambda: np.fft.fft2(zm),
    "rfft2_f64_1000": lambda: np.fft.rfft2(m),
    "solve_1000": lambda: np.linalg.solve(m, m),
    "inv_1000": lambda: np.linalg.inv(m),
    "det_1000": lambda: np.linalg.det(m),
    "cholesky_1000": lambda: np.linalg.cholesky(positive),
    "qr_1000": lambda: np.linalg.qr(m),
    "svdvals_1000": lambda: np.linalg.svdvals(m),
    "svd_1000": lambda: np.linalg.svd(m, full_matrices=False),
    "eigh_1000": lambda: np.linalg.eigh(positive),
    "eigvalsh_1000": lambda: np.linalg.eigvalsh(positive),
    "eigvals_300": lambda: np.linalg.eigvals(m[:300, :300]),
    "eig_300": lambda: np.linalg.eig(m[:300, :300]),
    "solve_batch": lambda: np.linalg.solve(batch, batch),
    "inv_batch": lambda: np.linalg.inv(batch),
    "det_batch": lambda: np.linalg.det(batch),
    "cholesky_batch": lambda: np.linalg.cholesky(batch_positive),
    "qr_batch": lambda: np.linalg.qr(batch),
    "svdvals_batch": lambda: np.linalg.svdvals(batch),
    "svd_batch": lambda: np.linalg.svd(batch, full_matrices=False),
    "eigh_batch": lambda: np.linalg.eigh(batch_positive),
    "eigvalsh_batch": lambda: np.linalg.eigvalsh(batch_positive),
    "eig_batch": lambda: np.linalg.eig(batch),
    "matmul_1000": lambda: m @ m,
    "matmul_batch": lambda: batch @ batch,
    "lstsq_1000x100": lambda: np.linalg.lstsq(tall, m[:, 0].copy()),
}

for name, work in WORKLOADS.items():
    if len(sys.argv) > 1 and not any(word in name for word in sys.argv[1:]):
        continue
    for _ in range(2):
        work()
    times = []
    for _ in range(9):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    print(json.dumps({"w": name, "ms": round(statistics.median(times), 5)}), flush=True)
