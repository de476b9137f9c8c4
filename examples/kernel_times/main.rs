//! Kernels of closures: a fractal whose points stop on their own, implied volatilities by Newton's iteration, π from random
//! points, a line through points as one reduction, what reads neighbours by position or at offsets: heat, the game of life,
//! fields, a sparse product; and a linear recurrence as a scan; each beside the same in array operations where there are any.
//!
//!     cargo run --release --example kernel_times [-- --device NAME] [--size N]

mod launches;
mod neighbours;
mod stencils;
#[path = "../support/mod.rs"]
mod support;
mod threads;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use ndany::kernel::{Elementwise, Val, elementwise, reduction};
use ndany::prelude::*;
use support::{Outcome, failure};

/// Most steps of a point of the fractal.
const STEPS: u32 = 200;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kernel_times: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    let size = match support::option(&mut arguments, "--size")? {
        Some(size) => size.parse().map_err(|_| failure(format!("--size {size}: no number")))?,
        None => 512,
    };
    support::expect_no_more(&arguments, "kernel_times [--device NAME] [--size N]")?;
    let _guard = device.enter();
    println!("device {device}: {}", device.description());
    fractal(&device, size)?;
    volatilities(&device, size * size)?;
    pi(&device, size * size)?;
    line(&device, 64 * size * size)?;
    neighbours::run(&device, 4 * size)?;
    stencils::run(&device, 4 * size)?;
    threads::run(&device, size)?;
    launches::run(&device)
}

/// The time of a call until the device is done, after a first call that compiles.
fn timed<T>(device: &Device, work: impl Fn() -> ndany::Result<T>) -> Outcome<(T, Duration)> {
    work()?;
    device.synchronize()?;
    let start = Instant::now();
    let made = work()?;
    device.synchronize()?;
    Ok((made, start.elapsed()))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Steps of z ← z² + c until |z| > 2.
fn mandelbrot() -> Elementwise<2, 1> {
    elementwise("mandelbrot", |k, [re, im]| {
        let [.., steps] = k.repeat_while(
            STEPS,
            [re.zero(), im.zero(), k.value(Scalar::typed(I32, 0))],
            |[x, y, _]| (x * x + y * y).less_equal(4),
            |[x, y, n]| [x * x - y * y + re, 2 * x * y + im, n + 1],
        );
        [steps]
    })
}

fn fractal(device: &Device, size: usize) -> Outcome {
    let across = linspace(-2.0, 0.6, size).reshape((1, size));
    let down = linspace(-1.2, 1.2, size).reshape((size, 1));
    across.eval()?;
    down.eval()?;
    let kernel = mandelbrot();
    let (steps, with_kernel) = timed(device, || {
        let [steps] = kernel.call((&across, &down));
        steps.eval()?;
        Ok(steps)
    })?;
    let (counted, with_arrays) = timed(device, || {
        let (mut x, mut y) = (zeros((size, size), F64), zeros((size, size), F64));
        let mut steps = zeros((size, size), I32);
        for _ in 0..STEPS {
            let inside = (&x * &x + &y * &y).less_equal(4);
            let next = (&x * &x - &y * &y + &across, 2 * &x * &y + &down);
            (x, y) = (where_(&inside, next.0, &x), where_(&inside, next.1, &y));
            steps += inside.astype(I32);
        }
        steps.eval()?;
        Ok(steps)
    })?;
    if !steps.array_equal(&counted)? {
        return Err(failure("the fractal of the kernel is not that of arrays"));
    }
    println!(
        "fractal of {size}²: {:.2} ms as a kernel, {:.2} ms as arrays, the same steps",
        milliseconds(with_kernel),
        milliseconds(with_arrays)
    );
    let every = (size / 64).max(1) as isize;
    let picture = steps.i(s![..;2 * every, ..;every]).to_vec::<i32>()?;
    let columns = size.div_ceil(every as usize);
    for line in picture.chunks(columns) {
        let shade = |&n: &i32| match n as u32 {
            STEPS => '#',
            12.. => '+',
            6.. => '.',
            _ => ' ',
        };
        println!("  {}", line.iter().map(shade).collect::<String>());
    }
    Ok(())
}

/// The price of a call option (Black & Scholes 1973), and how it changes with the volatility.
fn price<'k>(spot: Val<'k>, strike: Val<'k>, years: Val<'k>, sigma: Val<'k>) -> [Val<'k>; 2] {
    let spread = sigma * years.sqrt();
    let d = ((spot / strike).log() + sigma * sigma * years / 2) / spread;
    let normal = |x: Val<'k>| (1 + (x / std::f64::consts::SQRT_2).erf()) / 2;
    let vega = spot * years.sqrt() * (-d * d / 2).exp() / (2.0 * std::f64::consts::PI).sqrt();
    [spot * normal(d) - strike * normal(d - spread), vega]
}

fn volatilities(device: &Device, count: usize) -> Outcome {
    let prices = elementwise("price", |_, [spot, strike, years, sigma]| {
        let [price, _] = price(spot, strike, years, sigma);
        [price]
    });
    let implied = elementwise("implied", |k, [quote, spot, strike, years]| {
        let [sigma, _, steps] = k.repeat_while(
            40,
            [quote.zero() + 0.5, quote.one(), k.value(0)],
            |[_, change, _]| change.abs().greater(1e-10),
            |[sigma, _, steps]| {
                let [price, vega] = price(spot, strike, years, sigma);
                let next = (sigma - (price - quote) / vega).maximum(0.01).minimum(3);
                [next, next - sigma, steps + 1]
            },
        );
        [sigma, steps]
    });
    let mut rng = Generator::new(7);
    let strikes = rng.uniform(80.0, 120.0, count);
    let years = rng.uniform(0.25, 2.0, count);
    let sigma = rng.uniform(0.1, 0.6, count);
    let [quotes] = prices.call((100.0, &strikes, &years, &sigma));
    quotes.eval()?;
    let ((found, steps), time) = timed(device, || {
        let [found, steps] = implied.call((&quotes, 100.0, &strikes, &years));
        found.eval()?;
        Ok((found, steps))
    })?;
    let error = (&found - &sigma).abs().max(..).item::<f64>()?;
    let [fewest, most] = [steps.min(..).item::<i64>()?, steps.max(..).item::<i64>()?];
    println!(
        "{count} implied volatilities: {:.2} ms, {fewest} to {most} steps each, largest error {error:.0e}",
        milliseconds(time)
    );
    if error > 1e-6 {
        return Err(failure("volatilities were not found"));
    }
    Ok(())
}

/// Points of a square that lie in the circle, by a generator of one's own: xorshift64 (Marsaglia 2003), seeded by the position.
fn pi(device: &Device, count: usize) -> Outcome {
    let inside = elementwise("inside", |k, [seed]| {
        let start = (k.index().astype(U64) + seed) * Scalar::typed(U64, 0x9E37_79B9_7F4A_7C15u64);
        let [_, hits, _] = k.repeat_while(
            64,
            [start | Scalar::typed(U64, 1), k.value(0), k.value(0)],
            |[_, _, n]| n.less(64),
            |[state, hits, n]| {
                let state = xorshift(state);
                let (x, state) = (draw(state), xorshift(state));
                let y = draw(state);
                [state, hits + (x * x + y * y).less(1), n + 1]
            },
        );
        [hits]
    });
    let seed = zeros(count, U64) + Scalar::typed(U64, 1);
    seed.eval()?;
    let (hits, time) = timed(device, || {
        let [hits] = inside.call([&seed]);
        hits.sum(..).item::<i64>()
    })?;
    let found = 4.0 * hits as f64 / (64 * count) as f64;
    println!("π from {} random points: {found:.5} in {:.2} ms", 64 * count, milliseconds(time));
    if (found - std::f64::consts::PI).abs() > 0.01 {
        return Err(failure("π is far off"));
    }
    Ok(())
}

/// Slope and intercept of the line through points, by least squares: four sums in one pass.
fn line(device: &Device, count: usize) -> Outcome {
    let fit = reduction(
        "line",
        |_, [x, y]| [x, y, x * x, x * y],
        |_, [a, b, c, d], [p, q, r, s]| [a + p, b + q, c + r, d + s],
        |k, [x, y, xx, xy]| {
            let slope = (xy * k.size() - x * y) / (xx * k.size() - x * x);
            [slope, (y - slope * x) / k.size()]
        },
    );
    let mut rng = Generator::new(11);
    let x = rng.uniform(-1.0, 1.0, count);
    let y = 3 * &x + 0.5 + rng.normal(0.0, 0.1, count);
    x.eval()?;
    y.eval()?;
    let ((slope, intercept), with_kernel) = timed(device, || {
        let [slope, intercept] = fit.call((&x, &y), ..);
        slope.eval()?;
        Ok((slope, intercept))
    })?;
    let (expected, with_arrays) = timed(device, || {
        let (sum, n) = (x.sum(..), count as f64);
        let (top, below) =
            ((&x * &y).sum(..) * n - &sum * y.sum(..), (&x * &x).sum(..) * n - &sum * &sum);
        let slope = top / below;
        slope.eval()?;
        Ok(slope)
    })?;
    println!(
        "a line through {count} points: {:.2} ms as a reduction, {:.2} ms as arrays, y = {slope:.4} x + {intercept:.4}",
        milliseconds(with_kernel),
        milliseconds(with_arrays)
    );
    let error = (slope - expected).abs().item::<f64>()?;
    if error > 1e-9 {
        return Err(failure(format!("the slopes differ by {error}")));
    }
    Ok(())
}

/// A number in [0, 1) of the upper bits.
fn draw(state: Val<'_>) -> Val<'_> {
    (state >> Scalar::typed(U64, 11)).astype(F64) / (1u64 << 53) as f64
}

fn xorshift(state: Val<'_>) -> Val<'_> {
    let by = |count: u64| Scalar::typed(U64, count);
    let state = state ^ (state << by(13));
    let state = state ^ (state >> by(7));
    state ^ (state << by(17))
}
