//! Times the workloads that peers are compared on and prints a JSON line for each: the median of
//! several runs, in milliseconds. `cargo xtask bench` runs it beside a peer and prints ratios.
//!
//! Inputs are the same shapes and dtypes as the peers' scripts use; results are evaluated, not read.

use std::time::Instant;

use ndany::{Array, DType, Device, arange, over};

fn main() -> ndany::Result<()> {
    let name = std::env::args().nth(2).unwrap_or_else(|| "cpu:threads=2".to_string());
    let device = Device::open(&name)?;
    let _guard = device.enter();
    eprintln!("{}", device.description());
    let size = 1usize << 24;
    // Numbers spread like a normal distribution's, without a generator: sums of sines.
    let noise = |phase: f64| -> ndany::Result<Array> {
        let index = arange(0, size, 1).astype(DType::F64);
        let values = (&index * 12.9898 + phase).sin()
            + (&index * 78.233 + phase).sin()
            + (index * 37.719).sin();
        let values = values.astype(DType::F32);
        values.eval()?;
        Ok(values)
    };
    let (x, y) = (noise(0.0)?, noise(1.0)?);
    let m = x.reshape([4096, 4096]);
    bench("add_f32_16M", || (&x + &y).eval())?;
    bench("softplus_f32_16M", || softplus(&x).eval())?;
    bench("poly_f32_16M", || poly(&x, &y).eval())?;
    bench("exp_f32_16M", || x.exp().eval())?;
    bench("sin_f32_16M", || x.sin().eval())?;
    bench("softmax_rows_4096x4096", || softmax(&m).eval())?;
    bench("sum_f32_16M", || x.sum(..).eval())?;
    bench("sum_axis0_4096x4096", || m.sum(0).eval())?;
    bench("sum_axis1_4096x4096", || m.sum(1).eval())?;
    bench("norm_f32_16M", || (&x * &x).sum(..).sqrt().eval())?;
    bench("argmax_axis1", || m.argmax(1).eval())?;
    bench("cumsum_f32_16M", || x.cumsum(..).eval())?;
    bench("transpose_copy_4096", || m.transpose(()).copy().eval())?;
    bench("standardize_axis1", || {
        ((&m - m.mean(over(1).keepdims())) / m.std(over(1).keepdims())).eval()
    })?;
    for (label, size) in [("matmul_f32_1024", 1024), ("matmul_f32_2048", 2048)] {
        let a = m.i((..size, ..size)).copy();
        a.eval()?;
        bench(label, || a.matmul(&a).eval())?;
    }
    let (s, t) = (x.i(..1000).copy(), y.i(..1000).copy());
    s.eval()?;
    t.eval()?;
    tiny("tiny_add_1000", || (&s + &t).eval())?;
    tiny("tiny_poly_1000", || poly(&s, &t).eval())?;
    tiny("tiny_sum_1000", || s.sum(..).eval())?;
    Ok(())
}

fn softplus(x: &Array) -> Array {
    x.maximum(0) + (-x.absolute()).exp().log1p()
}

fn poly(x: &Array, y: &Array) -> Array {
    (x * y + x) * (y - x) / (x * x + y * y + 1.0)
}

fn softmax(x: &Array) -> Array {
    let e = (x - x.max(over(1).keepdims())).exp();
    let total = e.sum(over(1).keepdims());
    e / total
}

fn bench(name: &str, run: impl FnMut() -> ndany::Result<()>) -> ndany::Result<()> {
    timed(name, 9, 1, run)
}

fn tiny(name: &str, run: impl FnMut() -> ndany::Result<()>) -> ndany::Result<()> {
    timed(name, 9, 5000, run)
}

fn timed(
    name: &str,
    runs: usize,
    inner: usize,
    mut run: impl FnMut() -> ndany::Result<()>,
) -> ndany::Result<()> {
    run()?;
    run()?;
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs {
        let start = Instant::now();
        for _ in 0..inner {
            run()?;
        }
        times.push(start.elapsed().as_secs_f64() * 1e3 / inner as f64);
    }
    times.sort_by(f64::total_cmp);
    println!("{{\"w\": \"{name}\", \"ndany\": {:.5}}}", times[runs / 2]);
    Ok(())
}
