//! Times functions on arrays of about a million elements and prints a JSON line for each: the median of several runs in
//! milliseconds. `benches/numpy_million.py` does the same with NumPy, on inputs of the same shapes, dtypes and
//! distributions; `cargo xtask bench --workloads million` runs both and prints ratios.
//!
//!     cargo run --release --example million [-- --device NAME] [--only WORDS] [--calls COUNT]
//!
//! Results are evaluated, not read. `--only` takes parts of names, divided by commas. A time is that of many calls, one
//! if nothing else is said, divided by their number: a profiler sees less of the inputs being made where there are many.

#[path = "support/mod.rs"]
mod support;
#[path = "support/timing.rs"]
mod timing;

use ndany::linalg::Triangle;
use ndany::{
    Array, Bins, BitOrder, Counts, DType, Generator, HistogramDdOptions, NonFinite, Overlap, Pad,
    Pairs, Result, Side, Tolerance, along, checked, einsum, fft, histogramdd, linalg, over,
    polyval,
};
use num_complex::Complex64;
use support::Outcome;
use timing::median;

const SIZE: usize = 1_000_000;
/// The least prime above a million.
const PRIME: usize = 1_000_003;
const ROWS: [usize; 2] = [1000, 1000];

/// The inputs of all workloads, in f64 unless a name says otherwise.
struct Inputs {
    /// Normal, a few more than a million.
    x: Array,
    x32: Array,
    y: Array,
    z: Array,
    z64: Array,
    /// Whole numbers below a million, and below a thousand.
    numbers: Array,
    small: Array,
    sorted: Array,
    knots: Array,
    holes: Array,
    mask: Array,
    bytes: Array,
    m: Array,
    positive: Array,
    batch: Array,
    batch_positive: Array,
    kernel: Array,
    coefficients: Array,
    points: Array,
    half: Array,
}

impl Inputs {
    fn new() -> Outcome<Inputs> {
        let mut rng = Generator::new(0);
        let more = 1 << 20;
        let x = rng.standard_normal(more);
        let y = rng.standard_normal(more);
        let x32 = x.astype(DType::F32);
        let z = &x + &y * Complex64::I;
        let z64 = z.astype(DType::C64);
        let flat = x.i(..SIZE).copy();
        let m = flat.reshape(ROWS);
        let positive = m.matmul(m.transpose(..)) + 1000.0 * ndany::eye(1000);
        let batch = flat.reshape([15625, 8, 8]) + 4.0 * ndany::eye(8);
        let batch_positive = batch.matmul(batch.swapaxes(-1, -2));
        let numbers = rng.integers(0..SIZE as i64, SIZE);
        let mask = flat.greater(0.0);
        let inputs = Inputs {
            x32,
            y,
            z,
            z64,
            small: rng.integers(0..1000i64, SIZE),
            sorted: flat.sort(0),
            knots: ndany::linspace(-4.0, 4.0, 1000),
            holes: ndany::where_(flat.greater(1.0), f64::NAN, &flat),
            bytes: rng.integers(0..256i64, SIZE / 8).astype(DType::U8),
            positive,
            batch,
            batch_positive,
            kernel: x.i(..64).copy(),
            coefficients: x.i(..9).copy(),
            points: flat.i(..999_999).reshape([333_333, 3]),
            half: rng.integers(0..SIZE as i64, SIZE / 2),
            m,
            numbers,
            mask,
            x,
        };
        let Inputs {
            x, x32, y, z, z64, numbers, small, sorted, knots, holes, mask, bytes, m, ..
        } = &inputs;
        for array in [x, x32, y, z, z64, numbers, small, sorted, knots, holes, mask, bytes, m] {
            array.eval()?;
        }
        let Inputs { positive, batch, batch_positive, kernel, coefficients, points, half, .. } =
            &inputs;
        for array in [positive, batch, batch_positive, kernel, coefficients, points, half] {
            array.eval()?;
        }
        Ok(inputs)
    }

    fn flat(&self) -> Array {
        self.m.reshape([SIZE])
    }

    fn f32(&self) -> Array {
        self.x32.i(..SIZE)
    }

    fn other(&self) -> Array {
        self.y.i(..SIZE)
    }
}

type Workload = (&'static str, fn(&Inputs) -> Result<()>);

fn all(arrays: &[&Array]) -> Result<()> {
    arrays.iter().try_for_each(|array| array.eval())
}

fn rng() -> Generator {
    Generator::new(1)
}

const FFT: &[Workload] = &[
    ("fft_c128_2^20", |i| fft::fft(&i.z, ..).eval()),
    ("fft_c64_2^20", |i| fft::fft(&i.z64, ..).eval()),
    ("fft_c128_1e6", |i| fft::fft(i.z.i(..SIZE), ..).eval()),
    ("fft_c64_1e6", |i| fft::fft(i.z64.i(..SIZE), ..).eval()),
    ("fft_c128_prime", |i| fft::fft(i.z.i(..PRIME), ..).eval()),
    ("fft_c64_prime", |i| fft::fft(i.z64.i(..PRIME), ..).eval()),
    ("ifft_c128_2^20", |i| fft::ifft(&i.z, ..).eval()),
    ("fft_c128_rows", |i| fft::fft(i.z.i(..SIZE).reshape(ROWS), ..).eval()),
    ("fft_c64_rows", |i| fft::fft(i.z64.i(..SIZE).reshape(ROWS), ..).eval()),
    ("fft_c128_columns", |i| fft::fft(i.z.i(..SIZE).reshape(ROWS), along(0)).eval()),
    ("rfft_f64_2^20", |i| fft::rfft(&i.x, ..).eval()),
    ("rfft_f32_2^20", |i| fft::rfft(&i.x32, ..).eval()),
    ("rfft_f64_rows", |i| fft::rfft(&i.m, ..).eval()),
    ("irfft_c128_2^19", |i| fft::irfft(i.z.i(..(1 << 19) + 1), ..).eval()),
    ("fft2_c128_1000", |i| fft::fft2(i.z.i(..SIZE).reshape(ROWS), ..).eval()),
    ("rfft2_f64_1000", |i| fft::rfft2(&i.m, ..).eval()),
];

const LINALG: &[Workload] = &[
    ("solve_1000", |i| checked::solve(&i.m, &i.m)?.eval()),
    ("inv_1000", |i| checked::inv(&i.m)?.eval()),
    ("det_1000", |i| checked::det(&i.m)?.eval()),
    ("cholesky_1000", |i| checked::cholesky(&i.positive)?.eval()),
    ("qr_1000", |i| checked::qr(&i.m).and_then(|qr| all(&[&qr.q, &qr.r]))),
    ("svdvals_1000", |i| checked::svdvals(&i.m)?.eval()),
    ("svd_1000", |i| checked::svd_thin(&i.m).and_then(|svd| all(&[&svd.u, &svd.s, &svd.vh]))),
    ("eigh_1000", |i| {
        checked::eigh(&i.positive, Triangle::Lower)
            .and_then(|own| all(&[&own.eigenvalues, &own.eigenvectors]))
    }),
    ("eigvalsh_1000", |i| checked::eigvalsh(&i.positive, Triangle::Lower)?.eval()),
    ("eigvals_300", |i| checked::eigvals(i.m.i((..300, ..300)))?.eval()),
    ("eig_300", |i| {
        checked::eig(i.m.i((..300, ..300)))
            .and_then(|own| all(&[&own.eigenvalues, &own.eigenvectors]))
    }),
    ("solve_batch", |i| checked::solve(&i.batch, &i.batch)?.eval()),
    ("inv_batch", |i| checked::inv(&i.batch)?.eval()),
    ("det_batch", |i| checked::det(&i.batch)?.eval()),
    ("cholesky_batch", |i| checked::cholesky(&i.batch_positive)?.eval()),
    ("qr_batch", |i| checked::qr(&i.batch).and_then(|qr| all(&[&qr.q, &qr.r]))),
    ("svdvals_batch", |i| checked::svdvals(&i.batch)?.eval()),
    ("svd_batch", |i| checked::svd_thin(&i.batch).and_then(|svd| all(&[&svd.u, &svd.s, &svd.vh]))),
    ("eigh_batch", |i| {
        checked::eigh(&i.batch_positive, Triangle::Lower)
            .and_then(|own| all(&[&own.eigenvalues, &own.eigenvectors]))
    }),
    ("eigvalsh_batch", |i| checked::eigvalsh(&i.batch_positive, Triangle::Lower)?.eval()),
    ("eig_batch", |i| {
        checked::eig(&i.batch).and_then(|own| all(&[&own.eigenvalues, &own.eigenvectors]))
    }),
    ("matmul_1000", |i| i.m.matmul(&i.m).eval()),
    ("matmul_batch", |i| i.batch.matmul(&i.batch).eval()),
    ("lstsq_1000x100", |i| {
        checked::lstsq(i.m.i((.., ..100)), &i.m.i((.., 0)).copy(), ..).and_then(|all| all.x.eval())
    }),
];

const SORTED: &[Workload] = &[
    ("sort_f64", |i| i.flat().sort(0).eval()),
    ("sort_f32", |i| i.x32.i(..SIZE).sort(0).eval()),
    ("sort_i64", |i| i.numbers.sort(0).eval()),
    ("sort_rows", |i| i.m.sort(1).eval()),
    ("sort_columns", |i| i.m.sort(0).eval()),
    ("argsort_f64", |i| i.flat().argsort(0).eval()),
    ("argsort_i64", |i| i.numbers.argsort(0).eval()),
    ("partition_f64", |i| i.flat().partition(SIZE as isize / 2, 0).eval()),
    ("argpartition_f64", |i| i.flat().argpartition(SIZE as isize / 2, 0).eval()),
    ("median_f64", |i| i.flat().median(..).eval()),
    ("median_rows", |i| i.m.median(1).eval()),
    ("percentile_f64", |i| {
        let q = [1.0, 25.0, 50.0, 75.0, 99.0];
        i.flat().percentile(Array::from(q), ..).eval()
    }),
    ("unique_i64", |i| i.numbers.unique(..).eval()),
    ("unique_small", |i| i.small.unique(..).eval()),
    ("unique_f64", |i| i.flat().unique(..).eval()),
    ("isin", |i| i.numbers.isin(i.small.i(..1000)).eval()),
    ("intersect1d", |i| i.numbers.intersect1d(&i.half).eval()),
    ("union1d", |i| i.numbers.union1d(&i.half).eval()),
    ("setdiff1d", |i| i.numbers.setdiff1d(&i.half).eval()),
    ("searchsorted_random", |i| i.sorted.searchsorted(i.other(), Side::Left).eval()),
    ("searchsorted_1000", |i| i.knots.searchsorted(i.flat(), Side::Left).eval()),
    ("digitize_1000", |i| i.flat().digitize(&i.knots, false).eval()),
];

const STATISTICS: &[Workload] = &[
    ("histogram_range", |i| i.flat().histogram(Bins::new(256).range(-4.0, 4.0)).0.eval()),
    ("histogram", |i| i.flat().histogram(256).0.eval()),
    ("histogram2d", |i| {
        let options = HistogramDdOptions::default();
        histogramdd([i.flat(), i.other()], [100, 100], &options).0.eval()
    }),
    ("bincount", |i| i.small.bincount(..).eval()),
    ("bincount_weights", |i| i.small.bincount(Counts::new().weights(i.flat())).eval()),
    ("cov_10x1e5", |i| i.flat().reshape([10, SIZE / 10]).cov(..).eval()),
    ("cov_1000x1000", |i| i.m.cov(..).eval()),
    ("corrcoef_100x1e4", |i| i.flat().reshape([100, SIZE / 100]).corrcoef(..).eval()),
    ("mean_rows", |i| i.m.mean(1).eval()),
    ("std_f64", |i| i.flat().std(..).eval()),
    ("var_columns", |i| i.m.var(0).eval()),
    ("nansum", |i| i.holes.nansum(..).eval()),
    ("nanmean", |i| i.holes.nanmean(..).eval()),
    ("nanmax", |i| i.holes.nanmax(..).eval()),
    ("nanstd", |i| i.holes.nanstd(..).eval()),
    ("nanmedian", |i| i.holes.nanmedian(..).eval()),
    ("nancumsum", |i| i.holes.nancumsum(..).eval()),
];

const ALONG: &[Workload] = &[
    ("convolve_64", |i| i.flat().convolve(&i.kernel, Overlap::Full).eval()),
    ("correlate_64", |i| i.flat().correlate(&i.kernel, Overlap::Same).eval()),
    ("interp_1000", |i| i.flat().interp(&i.knots, &i.knots, ..).eval()),
    ("cumsum_f64", |i| i.flat().cumsum(..).eval()),
    ("cumsum_columns", |i| i.m.cumsum(0).eval()),
    ("cumprod_f64", |i| i.flat().cumprod(..).eval()),
    ("gradient", |i| i.flat().gradient(.., ..).iter().try_for_each(Array::eval)),
    ("gradient_2d", |i| i.m.gradient(.., ..).iter().try_for_each(Array::eval)),
    ("diff", |i| i.flat().diff(..).eval()),
    ("diff_2", |i| i.flat().diff(along(-1).n(2)).eval()),
    ("trapezoid", |i| i.flat().trapezoid(1.0, -1).eval()),
    ("unwrap", |i| i.flat().unwrap_phase(..).eval()),
    ("cross", |i| i.points.cross(&i.points + 1.0, ..).eval()),
    ("polyval_8", |i| polyval(&i.coefficients, &i.flat()).eval()),
    ("kron_100x10", |i| i.m.i((..100, ..100)).kron(i.m.i((..10, ..10))).eval()),
    ("outer_1000", |i| i.m.i(0).outer(i.m.i(1)).eval()),
    ("packbits", |i| i.mask.packbits(0, BitOrder::Big).eval()),
    ("unpackbits", |i| i.bytes.unpackbits(0, None, BitOrder::Big).eval()),
    ("einsum_ij,ij->i", |i| einsum("ij,ij->i", &[&i.m, &i.m]).eval()),
    ("einsum_ij,kj->ik", |i| einsum("ij,kj->ik", &[&i.m, &i.m]).eval()),
    ("einsum_bij,bjk->bik", |i| einsum("bij,bjk->bik", &[&i.batch, &i.batch]).eval()),
    ("dot_vectors", |i| i.flat().dot(i.other()).eval()),
    ("where", |i| ndany::where_(&i.mask, i.flat(), i.other()).eval()),
    ("mask_select", |i| i.flat().i(&i.mask).eval()),
    ("nonzero", |i| i.mask.nonzero().iter().try_for_each(Array::eval)),
    ("take_random", |i| i.flat().take(&i.numbers, 0).eval()),
    ("take_rows", |i| i.m.take(i.small.i(..1000), 0).eval()),
    ("roll", |i| i.flat().roll(1000, ..).eval()),
    ("flip_copy", |i| i.flat().flip(0).copy().eval()),
    ("transpose_copy", |i| i.m.transpose(..).copy().eval()),
    ("repeat_4", |i| i.flat().i(..SIZE / 4).repeat(4, ..).eval()),
    ("tile_4", |i| i.flat().i(..SIZE / 4).tile(4).eval()),
    ("concatenate", |i| ndany::concatenate(&[&i.flat(), &i.other()], 0).eval()),
    ("clip", |i| i.flat().clip(-1.0, 1.0).eval()),
    ("round_2", |i| i.flat().round(2).eval()),
];

const ELEMENTS: &[Workload] = &[
    ("add_f64", |i| (i.flat() + i.other()).eval()),
    ("divide_f64", |i| (i.flat() / i.other()).eval()),
    ("floor_divide_i64", |i| (i.numbers.floor_divide(&i.small + 1)).eval()),
    ("sqrt_f64", |i| i.flat().abs().sqrt().eval()),
    ("exp_f64", |i| i.flat().exp().eval()),
    ("log_f64", |i| i.flat().abs().log().eval()),
    ("sin_f64", |i| i.flat().sin().eval()),
    ("tanh_f64", |i| i.flat().tanh().eval()),
    ("arctan2_f64", |i| i.flat().atan2(i.other()).eval()),
    ("power_f64", |i| i.flat().abs().pow(i.other()).eval()),
    ("hypot_f64", |i| i.flat().hypot(i.other()).eval()),
    ("exp_f32", |i| i.x32.i(..SIZE).exp().eval()),
    ("multiply_c128", |i| (i.z.i(..SIZE) * i.z.i(..SIZE)).eval()),
    ("absolute_c128", |i| i.z.i(..SIZE).abs().eval()),
    ("sum_f64", |i| i.flat().sum(..).eval()),
    ("sum_columns", |i| i.m.sum(0).eval()),
    ("max_f64", |i| i.flat().max(..).eval()),
    ("argmax_f64", |i| i.flat().argmax(..).eval()),
    ("prod_f64", |i| i.flat().prod(..).eval()),
    ("norm_rows", |i| linalg::norm(&i.m, over(1)).eval()),
    ("astype_f32", |i| i.flat().astype(DType::F32).eval()),
    ("astype_i64", |i| i.flat().astype(DType::I64).eval()),
];

const COMMON: &[Workload] = &[
    ("add_f32", |i| (i.f32() + i.f32()).eval()),
    ("multiply_i64", |i| (&i.numbers * &i.small).eval()),
    ("absolute_f64", |i| i.flat().abs().eval()),
    ("maximum_f64", |i| i.flat().maximum(i.other()).eval()),
    ("greater_f64", |i| i.flat().greater(i.other()).eval()),
    ("isnan_f64", |i| i.holes.isnan().eval()),
    ("logical_and", |i| i.mask.logical_and(&i.mask).eval()),
    ("bitwise_and_i64", |i| (&i.numbers & &i.small).eval()),
    ("left_shift_i64", |i| (&i.numbers << 3).eval()),
    ("square_f64", |i| i.flat().square().eval()),
    ("reciprocal_f64", |i| i.flat().reciprocal().eval()),
    ("floor_f64", |i| i.flat().floor().eval()),
    ("sign_f64", |i| i.flat().sign().eval()),
    ("remainder_f64", |i| i.flat().remainder(i.other()).eval()),
    ("fmod_f64", |i| i.flat().fmod(i.other()).eval()),
    ("remainder_i64", |i| i.numbers.remainder(&i.small + 1).eval()),
    ("log1p_f64", |i| i.flat().abs().log1p().eval()),
    ("expm1_f64", |i| i.flat().expm1().eval()),
    ("sinh_f64", |i| i.flat().sinh().eval()),
    ("arcsin_f64", |i| i.flat().sin().asin().eval()),
    ("arctan_f64", |i| i.flat().atan().eval()),
    ("cbrt_f64", |i| i.flat().cbrt().eval()),
    ("sin_f32", |i| i.f32().sin().eval()),
    ("log_f32", |i| i.f32().abs().log().eval()),
    ("tanh_f32", |i| i.f32().tanh().eval()),
    ("power_f32", |i| i.f32().abs().pow(i.f32()).eval()),
    ("divide_c128", |i| (i.z.i(..SIZE) / i.z.i(1..SIZE + 1)).eval()),
    ("exp_c128", |i| i.z.i(..SIZE).exp().eval()),
    ("sqrt_c128", |i| i.z.i(..SIZE).sqrt().eval()),
    ("conj_c128", |i| i.z.i(..SIZE).conj().eval()),
    ("angle_c128", |i| i.z.i(..SIZE).angle(false).eval()),
    ("astype_f16", |i| i.flat().astype(DType::F16).eval()),
    ("astype_u8", |i| i.small.astype(DType::U8).eval()),
    ("nan_to_num", |i| i.holes.nan_to_num(NonFinite::default()).eval()),
    ("sum_f32", |i| i.f32().sum(..).eval()),
    ("sum_i64", |i| i.numbers.sum(..).eval()),
    ("sum_c128", |i| i.z.i(..SIZE).sum(..).eval()),
    ("sum_rows", |i| i.m.sum(1).eval()),
    ("mean_columns", |i| i.m.mean(0).eval()),
    ("min_i64", |i| i.numbers.min(..).eval()),
    ("max_columns", |i| i.m.max(0).eval()),
    ("max_rows", |i| i.m.max(1).eval()),
    ("argmax_rows", |i| i.m.argmax(1).eval()),
    ("argmax_columns", |i| i.m.argmax(0).eval()),
    ("any_bool", |i| i.holes.isnan().any(..).eval()),
    ("count_nonzero", |i| i.mask.count_nonzero(..).eval()),
    ("ptp_f64", |i| i.flat().ptp(..).eval()),
    ("average", |i| i.flat().average(over(..).weights(&i.other().abs())).eval()),
    ("cumsum_f32", |i| i.f32().cumsum(0).eval()),
    ("cumsum_i64", |i| i.numbers.cumsum(0).eval()),
    ("cumsum_rows", |i| i.m.cumsum(1).eval()),
    ("maximum_accumulate", |i| ndany::ufunc::maximum.accumulate(&i.flat(), 0).eval()),
    ("sort_i32", |i| i.numbers.astype(DType::I32).sort(0).eval()),
    ("sort_u8", |i| i.bytes.sort(0).eval()),
    ("sort_c128", |i| i.z.i(..SIZE).sort(0).eval()),
    ("argsort_rows", |i| i.m.argsort(1).eval()),
    ("lexsort", |i| ndany::lexsort(&[&i.numbers, &i.small], 0).eval()),
    ("partition_f32", |i| i.f32().partition(SIZE as isize / 2, 0).eval()),
    ("partition_i64", |i| i.numbers.partition(SIZE as isize / 4, 0).eval()),
    ("partition_rows", |i| i.m.partition(500, 1).eval()),
    ("add_at", |i| {
        let mut a = ndany::zeros(1000, DType::F64);
        ndany::ufunc::add.at(&mut a, &i.small, i.flat());
        a.eval()
    }),
    ("put_random", |i| {
        let mut a = i.flat().copy();
        a.set(&i.numbers, i.other());
        a.eval()
    }),
    ("mask_assign", |i| {
        let mut a = i.flat().copy();
        a.set(&i.mask, 0.0);
        a.eval()
    }),
    ("take_along_rows", |i| i.m.take_along_axis(&i.small.reshape(ROWS), 1).eval()),
    ("take_columns", |i| i.m.take(i.small.i(..1000), 1).eval()),
    ("ix_grid", |i| i.m.i((i.small.i(..1000).reshape([1000, 1]), i.small.i(1000..2000))).eval()),
    ("stack", |i| ndany::stack(&[&i.flat(), &i.other()], 1).eval()),
    ("pad", |i| i.m.pad(10, Pad::Constant(Pairs::All(0.into()))).eval()),
    ("tril", |i| i.m.tril(0).eval()),
    ("rot90", |i| i.m.rot90(1, [0, 1]).copy().eval()),
    ("swap_cube", |i| i.m.reshape([100, 100, 100]).transpose([2, 0, 1]).copy().eval()),
    ("full", |_| ndany::full(SIZE, 3.5, DType::F64).eval()),
    ("arange", |_| ndany::arange(SIZE as i64).eval()),
    ("linspace", |_| ndany::linspace(0.0, 1.0, SIZE).eval()),
    ("matvec", |i| i.m.matmul(i.m.i(0)).eval()),
    ("tensordot", |i| i.m.tensordot(&i.m, 1).eval()),
    ("norm", |i| linalg::norm(&i.m, ..).eval()),
    ("trace", |i| i.m.trace(0, ..).eval()),
    ("array_equal", |i| i.flat().array_equal(i.other()).map(|_| ())),
    ("allclose", |i| i.flat().allclose(i.other(), Tolerance::new()).map(|_| ())),
];

const RANDOM: &[Workload] = &[
    ("random", |_| rng().random(SIZE).eval()),
    ("standard_normal", |_| rng().standard_normal(SIZE).eval()),
    ("normal", |_| rng().normal(1.0, 2.0, SIZE).eval()),
    ("exponential", |_| rng().exponential(2.0, SIZE).eval()),
    ("gamma", |_| rng().gamma(2.5, 1.0, SIZE).eval()),
    ("beta", |_| rng().beta(2.0, 3.0, SIZE).eval()),
    ("poisson_4", |_| rng().poisson(4.0, SIZE).eval()),
    ("poisson_100", |_| rng().poisson(100.0, SIZE).eval()),
    ("binomial", |_| rng().binomial(20, 0.3, SIZE).eval()),
    ("integers", |_| rng().integers(0..1000i64, SIZE).eval()),
    ("uniform", |_| rng().uniform(-1.0, 1.0, SIZE).eval()),
    ("permutation", |_| rng().permutation(SIZE).eval()),
    ("shuffled", |i| rng().shuffled(&i.flat(), 0).eval()),
    ("choice", |i| rng().choice(i.flat(), SIZE, ..).eval()),
    ("choice_distinct", |_| rng().choice(SIZE, 1000, false).eval()),
];

fn main() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    let only = support::option(&mut arguments, "--only")?.unwrap_or_default();
    let calls = support::option(&mut arguments, "--calls")?.map_or(Ok(1), |calls| calls.parse())?;
    support::expect_no_more(&arguments, "million [--device NAME] [--only WORDS] [--calls COUNT]")?;
    let _guard = device.enter();
    eprintln!("{}", device.description());
    let inputs = Inputs::new()?;
    let groups = [ELEMENTS, COMMON, STATISTICS, SORTED, ALONG, RANDOM, FFT, LINALG];
    for &(name, work) in groups.iter().copied().flatten() {
        if only.split(',').any(|word| name.contains(word)) {
            let milliseconds = median(&device, calls, || Ok(work(&inputs)?))?;
            println!("{{\"w\": \"{name}\", \"ms\": {milliseconds:.5}}}");
        }
    }
    Ok(())
}
