//! Times the workloads that peers are compared on and prints a JSON line for each: the median of
//! several runs in milliseconds, and the bytes that must at least move (operands in, result out).
//! `cargo xtask bench` runs it beside a peer and prints ratios.
//!
//!     cargo run --release --example workloads [-- --device NAME] [--only WORDS]
//!
//! Inputs are the same shapes, dtypes and distributions as the peers' scripts use; results are evaluated,
//! not read.

#[path = "support/mod.rs"]
mod support;
#[path = "support/timing.rs"]
mod timing;

use ndany::{Array, Bins, DType, Generator, Shape, fft, over};
use num_complex::Complex64;
use support::Outcome;
use timing::{median, poly, softmax, softplus};

/// Elements of a large array, and its bytes in f32.
const SIZE: usize = 1 << 24;
const F32: usize = 4 * SIZE;

/// The inputs of all workloads.
struct Inputs {
    x: Array,
    y: Array,
    m: Array,
    numbers: Array,
    index: Array,
    short: (Array, Array),
    /// Complex.
    signal: Array,
}

impl Inputs {
    fn new() -> Outcome<Inputs> {
        let mut rng = Generator::new(0);
        let x = rng.standard_normal(Shape::new(SIZE).dtype(DType::F32));
        let y = rng.standard_normal(Shape::new(SIZE).dtype(DType::F32));
        let m = x.reshape([4096, 4096]);
        let numbers = (x.abs() * 1e6).astype(DType::I32);
        let index = rng.integers(0..SIZE as i64, SIZE);
        let short = (x.i(..1000).copy(), y.i(..1000).copy());
        let signal = x.i(..1 << 20) + y.i(..1 << 20) * Complex64::I;
        for array in [&x, &y, &numbers, &index, &short.0, &short.1, &signal] {
            array.eval()?;
        }
        Ok(Inputs { x, y, m, numbers, index, short, signal })
    }
}

/// What is timed: a name, the bytes it must move (0 where memory is not what counts), and the work.
type Workload = (&'static str, usize, fn(&Inputs) -> ndany::Result<()>);

const WORKLOADS: &[Workload] = &[
    ("copy_f32_16M", 2 * F32, |i| i.x.copy().eval()),
    ("add_f32_16M", 3 * F32, |i| (&i.x + &i.y).eval()),
    ("softplus_f32_16M", 2 * F32, |i| softplus(&i.x).eval()),
    ("poly_f32_16M", 3 * F32, |i| poly(&i.x, &i.y).eval()),
    ("exp_f32_16M", 2 * F32, |i| i.x.exp().eval()),
    ("sin_f32_16M", 2 * F32, |i| i.x.sin().eval()),
    ("softmax_rows_4096x4096", 2 * F32, |i| softmax(&i.m).eval()),
    ("standardize_axis1", 2 * F32, |i| {
        ((&i.m - i.m.mean(over(1).keepdims())) / i.m.std(over(1).keepdims())).eval()
    }),
    ("norm_f32_16M", F32, |i| (&i.x * &i.x).sum(..).sqrt().eval()),
    ("sum_f32_16M", F32, |i| i.x.sum(..).eval()),
    ("sum_axis0_4096x4096", F32, |i| i.m.sum(0).eval()),
    ("sum_axis1_4096x4096", F32, |i| i.m.sum(1).eval()),
    ("argmax_axis1", F32, |i| i.m.argmax(1).eval()),
    ("cumsum_f32_16M", 2 * F32, |i| i.x.cumsum(..).eval()),
    ("sort_f32_16M", 0, |i| i.x.sort(0).eval()),
    ("argsort_f32_16M", 0, |i| i.x.argsort(0).eval()),
    ("unique_i32_16M", 0, |i| i.numbers.unique(..).eval()),
    ("histogram_16M_256", F32, |i| i.x.histogram(Bins::new(256).range(-4.0, 4.0)).0.eval()),
    ("mask_select_16M", F32 + F32 / 2, |i| i.x.i(i.x.greater(0.0)).eval()),
    ("take_f32_16M", 4 * F32, |i| i.x.take(&i.index, 0).eval()),
    ("transpose_copy_4096", 2 * F32, |i| i.m.transpose(..).copy().eval()),
    ("matmul_f32_1024", 0, |i| product(&i.m, 1024, DType::F32)),
    ("matmul_f64_1024", 0, |i| product(&i.m, 1024, DType::F64)),
    ("matmul_f32_2048", 0, |i| product(&i.m, 2048, DType::F32)),
    ("fft_c64_1M", 16 << 20, |i| fft::fft(&i.signal, ..).eval()),
    ("fft2_c64_1024", 32 << 20, |i| fft::fft2(i.signal.reshape([1024, 1024]), ..).eval()),
    ("rfft_f32_4096rows", 2 * F32, |i| fft::rfft(&i.m, ..).eval()),
    ("randn_f32_16M", F32, |_| {
        Generator::new(1).standard_normal(Shape::new(SIZE).dtype(DType::F32)).eval()
    }),
    ("rand_f32_16M", F32, |_| Generator::new(1).random(Shape::new(SIZE).dtype(DType::F32)).eval()),
    ("full_f32_16M", F32, |_| ndany::full(SIZE, 1.5, DType::F32).eval()),
    ("tiny_add_1000", 0, |i| (&i.short.0 + &i.short.1).eval()),
    ("tiny_poly_1000", 0, |i| poly(&i.short.0, &i.short.1).eval()),
    ("tiny_sum_1000", 0, |i| i.short.0.sum(..).eval()),
];

fn main() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    let only = support::option(&mut arguments, "--only")?.unwrap_or_default();
    support::expect_no_more(&arguments, "workloads [--device NAME] [--only WORDS]")?;
    let _guard = device.enter();
    eprintln!("{}", device.description());
    let inputs = Inputs::new()?;
    for &(name, bytes, work) in WORKLOADS.iter().filter(|(name, ..)| name.contains(&only)) {
        let inner = if name.starts_with("tiny") { 5000 } else { 1 };
        let milliseconds = median(&device, inner, || Ok(work(&inputs)?))?;
        println!("{{\"w\": \"{name}\", \"ms\": {milliseconds:.5}, \"bytes\": {bytes}}}");
    }
    Ok(())
}

/// A square matrix times itself; cutting it out takes part in the time, as little as it is.
fn product(m: &Array, size: usize, dtype: DType) -> ndany::Result<()> {
    let a = m.i((..size, ..size)).astype(dtype);
    a.matmul(&a).eval()
}
