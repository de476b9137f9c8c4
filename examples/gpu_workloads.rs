//! Times the workloads that GPU peers are compared on and prints a JSON line for each: the median of several runs in
//! milliseconds, and the bytes that must at least move or the operations of a product. `cargo xtask bench --device cuda:0 --peer cupy` runs it beside
//! a peer and prints ratios.
//!
//!     cargo run --release --example gpu_workloads [-- --device NAME] [--peer NAME] [--only WORDS]
//!
//! With `--peer`, another device runs the same in turn with the first, and lines have its times too.
//! Inputs are the same shapes, dtypes and distributions as in `benches/gpu_workloads.py`. A time ends when the device has
//! come to the end of the work.

#[path = "support/mod.rs"]
mod support;
#[path = "support/timing.rs"]
mod timing;

use std::cell::RefCell;

use ndany::linalg::Triangle;
use ndany::{
    Array, Bins, DType, Device, Generator, HistogramDdOptions, Overlap, Shape, fft, linalg, over,
};
use num_complex::Complex64;
use support::Outcome;
use timing::{median, medians, poly, softmax, softplus};

/// Elements of a large array, and its bytes in f32.
const SIZE: usize = 1 << 26;
const F32: usize = 4 * SIZE;

/// Rows of a matrix of linear algebra.
const ROWS: usize = 2048;

/// The inputs of all workloads, on one device.
struct Inputs {
    x: Array,
    y: Array,
    m: Array,
    numbers: Array,
    order: Array,
    short: (Array, Array),
    /// Complex, a quarter as many.
    signal: Array,
    host: Vec<f32>,
    /// For linear algebra: any, positive definite, right sides, and channels of eight aerials.
    matrix: Array,
    definite: Array,
    right: Array,
    channels: Array,
    /// Whole numbers of which many are alike.
    keys: Array,
    /// The matrix of the products under way.
    square: RefCell<Option<Array>>,
}

impl Inputs {
    fn new(device: &Device) -> Outcome<Inputs> {
        let _guard = device.enter();
        let mut rng = Generator::new(0);
        let x = rng.standard_normal(Shape::new(SIZE).dtype(DType::F32));
        let y = rng.standard_normal(Shape::new(SIZE).dtype(DType::F32));
        let m = x.reshape([16384, 4096]);
        let numbers = (x.abs() * 250.0).astype(DType::I64).minimum(1023);
        let order = rng.integers(0..SIZE as i64, SIZE);
        let short = (x.i(..1000).copy(), y.i(..1000).copy());
        let signal = x.i(..SIZE / 4) + y.i(..SIZE / 4) * Complex64::I;
        let matrix = x.i(..ROWS * ROWS).reshape([ROWS, ROWS]).astype(DType::F64);
        let eye = ndany::eye(ROWS);
        let definite = matrix.matmul(matrix.transpose(..)) + eye * ROWS as f64;
        let right = y.i(..ROWS * 16).reshape([ROWS, 16]).astype(DType::F64);
        let channels = signal.i(..10_000 * 64).reshape([10_000, 8, 8]).copy();
        let keys = (x.abs() * 1e6).astype(DType::I32);
        let large = [&x, &y, &numbers, &order, &signal, &keys];
        let small = [&short.0, &short.1, &matrix, &definite, &right, &channels];
        for array in large.into_iter().chain(small) {
            array.eval()?;
        }
        let host = vec![1.5f32; SIZE];
        let square = RefCell::default();
        Ok(Inputs {
            x,
            y,
            m,
            numbers,
            order,
            short,
            signal,
            host,
            matrix,
            definite,
            right,
            channels,
            keys,
            square,
        })
    }
}

/// What a workload is measured by.
#[derive(Clone, Copy)]
enum Measure {
    /// The bytes it must at least move.
    Bytes(usize),
    /// The additions and multiplications of real numbers that it is made of.
    Flops(usize),
    /// Neither is what counts.
    Time,
}

use Measure::{Bytes, Flops, Time};

/// What is timed: a name, its measure, calls between two waits, and the work.
type Workload = (&'static str, Measure, usize, fn(&Inputs) -> Outcome);

const WORKLOADS: &[Workload] = &[
    ("copy_f32_64M", Bytes(2 * F32), 1, |i| eval(i.x.copy())),
    ("add_f32_64M", Bytes(3 * F32), 1, |i| eval(&i.x + &i.y)),
    ("softplus_f32_64M", Bytes(2 * F32), 1, |i| eval(softplus(&i.x))),
    ("poly_f32_64M", Bytes(3 * F32), 1, |i| eval(poly(&i.x, &i.y))),
    ("sin_f32_64M", Bytes(2 * F32), 1, |i| eval(i.x.sin())),
    ("softmax_rows_16384x4096", Bytes(2 * F32), 1, |i| eval(softmax(&i.m))),
    ("standardize_rows_16384x4096", Bytes(2 * F32), 1, |i| eval(standardize(&i.m, 1))),
    ("standardize_cols_16384x4096", Bytes(2 * F32), 1, |i| eval(standardize(&i.m, 0))),
    ("sum_f32_64M", Bytes(F32), 1, |i| eval(i.x.sum(..))),
    ("norm_f32_64M", Bytes(F32), 1, |i| eval((&i.x * &i.x).sum(..).sqrt())),
    ("sum_axis0_16384x4096", Bytes(F32), 1, |i| eval(i.m.sum(0))),
    ("sum_axis1_16384x4096", Bytes(F32), 1, |i| eval(i.m.sum(1))),
    ("argmax_axis1_16384x4096", Bytes(F32), 1, |i| eval(i.m.argmax(1))),
    ("cumsum_f32_64M", Bytes(2 * F32), 1, |i| eval(i.x.cumsum(..))),
    ("sort_f32_64M", Time, 1, |i| eval(i.x.sort(0))),
    ("argsort_f32_64M", Time, 1, |i| eval(i.x.argsort(0))),
    ("transpose_copy_16384x4096", Bytes(2 * F32), 1, |i| eval(i.m.transpose(..).copy())),
    ("take_random_64M", Bytes(4 * F32), 1, |i| eval(i.x.take(&i.order, 0))),
    ("mask_select_64M", Bytes(F32 + F32 / 2), 1, |i| eval(i.x.i(i.x.greater(0.0)))),
    ("rand_f32_64M", Bytes(F32), 1, |_| {
        eval(Generator::new(1).random(Shape::new(SIZE).dtype(DType::F32)))
    }),
    ("randn_f32_64M", Bytes(F32), 1, |_| {
        eval(Generator::new(1).standard_normal(Shape::new(SIZE).dtype(DType::F32)))
    }),
    ("histogram_f32_64M_256", Bytes(F32), 1, |i| {
        eval(i.x.histogram(Bins::new(256).range(-4.0, 4.0)).0)
    }),
    ("bincount_i64_64M_1024", Bytes(2 * F32), 1, |i| eval(i.numbers.bincount(1024))),
    ("matmul_f32_4096", Flops(2 * 4096usize.pow(3)), 1, |i| square(i, 4096, DType::F32)),
    ("matmul_f32_8192", Flops(2 * 8192usize.pow(3)), 1, |i| square(i, 8192, DType::F32)),
    ("matmul_f64_4096", Flops(2 * 4096usize.pow(3)), 1, |i| square(i, 4096, DType::F64)),
    ("matmul_c64_4096", Flops(8 * 4096usize.pow(3)), 1, |i| square(i, 4096, DType::C64)),
    ("matmul_batched_4096x64x64", Flops(2 * 4096 * 64usize.pow(3)), 1, |i| {
        let a = i.x.i(..4096 * 64 * 64).reshape([4096, 64, 64]);
        eval(a.matmul(&a))
    }),
    // `NDANY_FFT=own` or `library` says who does them.
    ("fft_c64_4096x4096_rows", Bytes(F32), 1, |i| {
        eval(fft::fft(i.signal.reshape([4096, 4096]), ..))
    }),
    ("ifft_c64_4096x4096_rows", Bytes(F32), 1, |i| {
        eval(fft::ifft(i.signal.reshape([4096, 4096]), ..))
    }),
    ("fft2_c64_4096x4096", Bytes(2 * F32), 1, |i| {
        eval(fft::fft2(i.signal.reshape([4096, 4096]), ..))
    }),
    ("fft_c64_16M", Bytes(2 * F32), 1, |i| eval(fft::fft(&i.signal, ..))),
    ("rfft_f32_16384x4096_rows", Bytes(2 * F32), 1, |i| eval(fft::rfft(&i.m, ..))),
    ("fft_c64_65536x256_rows", Bytes(F32), 1, |i| {
        eval(fft::fft(i.signal.reshape([65536, 256]), ..))
    }),
    ("fft_c64_16384x1000_rows", Bytes(F32), 1, |i| {
        eval(fft::fft(i.signal.i(..16384 * 1000).reshape([16384, 1000]), ..))
    }),
    // `NDANY_LINALG=own` or `library` says who does them.
    ("solve_f64_2048", Flops(2 * ROWS.pow(3) / 3), 1, |i| eval(linalg::solve(&i.matrix, &i.right))),
    ("inv_f64_2048", Flops(2 * ROWS.pow(3)), 1, |i| eval(linalg::inv(&i.matrix))),
    ("det_f64_2048", Flops(2 * ROWS.pow(3) / 3), 1, |i| eval(linalg::det(&i.matrix))),
    ("cholesky_f64_2048", Flops(ROWS.pow(3) / 3), 1, |i| eval(linalg::cholesky(&i.definite))),
    ("qr_f64_2048", Time, 1, |i| eval(linalg::qr(&i.matrix).q)),
    ("eigh_f64_2048", Time, 1, |i| eval(linalg::eigh(&i.definite, Triangle::Lower).eigenvalues)),
    ("svd_f64_2048", Time, 1, |i| eval(linalg::svd_thin(&i.matrix).s)),
    ("svdvals_f64_2048", Time, 1, |i| eval(linalg::svdvals(&i.matrix))),
    ("svd_batched_c64_10000x8x8", Time, 1, |i| eval(linalg::svd_thin(&i.channels).s)),
    ("inv_batched_c64_10000x8x8", Time, 1, |i| eval(linalg::inv(&i.channels))),
    ("solve_batched_c64_10000x8x8", Time, 1, |i| eval(linalg::solve(&i.channels, &i.channels))),
    ("det_batched_c64_10000x8x8", Time, 1, |i| eval(linalg::det(&i.channels))),
    ("unique_i32_64M", Time, 1, |i| eval(i.keys.unique(..))),
    ("median_f32_64M", Time, 1, |i| eval(i.x.median(..))),
    ("median_axis1_16384x4096", Time, 1, |i| eval(i.m.median(1))),
    ("percentile_f32_64M", Time, 1, |i| eval(i.x.percentile(90.0, ..))),
    ("histogram2d_f32_16M_64x64", Time, 1, |i| {
        let [x, y] = [&i.x, &i.y].map(|samples| samples.i(..SIZE / 4));
        eval(ndany::histogramdd([&x, &y], [64, 64], &HistogramDdOptions::default()).0)
    }),
    ("convolve_f32_16M_63", Time, 1, |i| {
        eval(i.x.i(..SIZE / 4).convolve(&i.y.i(..63), Overlap::Same))
    }),
    ("convolve_f32_1M_1000", Time, 1, |i| {
        eval(i.x.i(..1 << 20).convolve(&i.y.i(..1000), Overlap::Full))
    }),
    ("tiny_add_1000", Time, 500, |i| eval(&i.short.0 + &i.short.1)),
    ("tiny_chain20_1000", Time, 200, |i| {
        let mut a = i.short.0.clone();
        for _ in 0..10 {
            a = a * &i.short.1 + 0.5;
        }
        eval(a)
    }),
    ("host_to_device_256MB", Bytes(F32), 1, |i| eval(Array::from(i.host.as_slice()))),
    ("device_to_host_256MB", Bytes(F32), 1, |i| {
        let values = i.x.to_vec::<f32>()?;
        match values.len() == SIZE {
            true => Ok(()),
            false => Err(support::failure("values are missing")),
        }
    }),
    ("tiny_allocate_4MB", Time, 500, |_| eval(ndany::empty(1 << 20, DType::F32))),
];

fn eval(array: Array) -> Outcome {
    Ok(array.eval()?)
}

fn main() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    let peer = support::option(&mut arguments, "--peer")?;
    let peer = peer.map(|name| Device::open(&name)).transpose()?;
    let only = support::option(&mut arguments, "--only")?.unwrap_or_default();
    let usage = "gpu_workloads [--device NAME] [--peer NAME] [--only WORDS]";
    support::expect_no_more(&arguments, usage)?;
    let mut inputs = Vec::new();
    for device in std::iter::once(&device).chain(&peer) {
        eprintln!("{}", device.description());
        inputs.push(Inputs::new(device)?);
    }
    let chosen = |name: &str| only.split(',').any(|word| name.contains(word));
    for &(name, measure, inner, work) in WORKLOADS.iter().filter(|(name, ..)| chosen(name)) {
        let times = match &peer {
            None => median(&device, inner, || work(&inputs[0])).map(|time| (time, None)),
            Some(peer) => medians([&device, peer], inner, |side| work(&inputs[side]))
                .map(|[time, other]| (time, Some(other))),
        };
        // One that fails says so and leaves the others their turn.
        match times {
            Ok((milliseconds, other)) => {
                let other = other.map_or(String::new(), |time| format!(", \"peer_ms\": {time:.5}"));
                let count = match measure {
                    Bytes(count) => format!(", \"bytes\": {count}"),
                    Flops(count) => format!(", \"flops\": {count}"),
                    Time => String::new(),
                };
                println!("{{\"w\": \"{name}\", \"ms\": {milliseconds:.5}{other}{count}}}");
            }
            Err(error) => eprintln!("{name}: {error}"),
        }
    }
    Ok(())
}

/// A square matrix times itself. The matrix is made on the first of its calls and kept for the others.
fn square(inputs: &Inputs, size: usize, dtype: DType) -> Outcome {
    let mut kept = inputs.square.borrow_mut();
    let fits = |kept: &Array| kept.shape()[0] == size && kept.dtype() == dtype;
    let matrix = match kept.take().filter(fits) {
        Some(matrix) => matrix,
        None => {
            let values = inputs.x.i(..size * size).reshape([size, size]);
            let matrix = values.astype(dtype).copy();
            matrix.eval()?;
            matrix
        }
    };
    let matrix = kept.insert(matrix);
    eval(matrix.matmul(&*matrix))
}

fn standardize(x: &Array, axis: isize) -> Array {
    let (mean, spread) = (x.mean(over(axis).keepdims()), x.std(over(axis).keepdims()));
    (x - mean) / (spread + 1e-6)
}
